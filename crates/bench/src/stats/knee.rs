//! Where more of something stops to help.

use super::Summary;

/// A step within this share of the best one is as good as it.
pub const NEAR_BEST: f64 = 0.05;

/// A step of a sweep: what was set, and what came of it in each block (`None` where that slice failed).
#[derive(Debug, Clone, PartialEq)]
pub struct SweepStep {
    /// Connections, workers, or requests per second offered.
    pub value: u32,
    /// Requests per second by block.
    pub rps: Vec<Option<f64>>,
}

/// Where a curve bends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knee {
    /// At this step: from the smallest to the largest value that single blocks put it at.
    At {
        /// By the medians of all blocks.
        value: u32,
        /// The smallest of any block.
        least: u32,
        /// The largest of any block.
        most: u32,
    },
    /// The last step is still better than all before it: the knee is there or above.
    NotReached,
}

/// The smallest step whose median is within 5 % of the best median of all steps: more than that buys next to nothing.
///
/// This is a rule of thumb and not a fit: it names a step that was measured. `None` without two steps that were.
pub fn of_throughput(steps: &[SweepStep]) -> Option<Knee> {
    let smallest = |curve: &[(u32, f64)]| {
        let best = curve.iter().map(|(_, rps)| *rps).fold(0.0, f64::max);
        curve.iter().find(|(_, rps)| *rps >= best * (1.0 - NEAR_BEST)).map(|(value, _)| *value)
    };
    find(steps, smallest)
}

/// The largest rate up to which every rate was answered to 95 % at least. `None` without two steps that were measured,
/// or if even the first was not.
pub fn of_rate(steps: &[SweepStep]) -> Option<Knee> {
    let largest = |curve: &[(u32, f64)]| {
        let kept_up = |(rate, rps): &&(u32, f64)| *rps >= f64::from(*rate) * (1.0 - NEAR_BEST);
        curve.iter().take_while(kept_up).last().map(|(value, _)| *value)
    };
    find(steps, largest)
}

fn find(steps: &[SweepStep], knee: impl Fn(&[(u32, f64)]) -> Option<u32>) -> Option<Knee> {
    let medians: Vec<(u32, f64)> = steps
        .iter()
        .filter_map(|step| Some((step.value, Summary::of(step.rps.iter().copied().flatten())?.median)))
        .collect();
    if medians.len() < 2 {
        return None;
    }
    let value = knee(&medians)?;
    if medians.last().is_some_and(|(last, _)| *last == value) {
        return Some(Knee::NotReached);
    }
    let blocks = steps.iter().map(|step| step.rps.len()).max().unwrap_or(0);
    let by_block: Vec<u32> = (0..blocks)
        .filter_map(|block| {
            let curve: Option<Vec<(u32, f64)>> =
                steps.iter().map(|step| Some((step.value, (*step.rps.get(block)?)?))).collect();
            knee(&curve?)
        })
        .collect();
    let (least, most) = (by_block.iter().copied().min(), by_block.iter().copied().max());
    Some(Knee::At { value, least: least.unwrap_or(value), most: most.unwrap_or(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(u32, &[f64])]) -> Vec<SweepStep> {
        let step =
            |(value, rps): &(u32, &[f64])| SweepStep { value: *value, rps: rps.iter().copied().map(Some).collect() };
        points.iter().map(step).collect()
    }

    #[test]
    fn the_knee_is_the_smallest_step_within_5_percent_of_the_best() {
        let steps = curve(&[(1, &[100.0]), (2, &[190.0]), (4, &[285.0]), (8, &[300.0]), (16, &[290.0])]);
        assert_eq!(of_throughput(&steps), Some(Knee::At { value: 4, least: 4, most: 4 }));
        let steps = curve(&[(1, &[100.0]), (2, &[190.0]), (4, &[284.9]), (8, &[300.0]), (16, &[290.0])]);
        assert_eq!(of_throughput(&steps), Some(Knee::At { value: 8, least: 8, most: 8 }));
    }

    #[test]
    fn a_flat_curve_has_its_knee_at_the_first_step_and_a_rising_one_has_none() {
        let flat = curve(&[(1, &[100.0]), (2, &[101.0]), (4, &[99.0])]);
        assert_eq!(of_throughput(&flat), Some(Knee::At { value: 1, least: 1, most: 1 }));
        let rising = curve(&[(1, &[100.0]), (2, &[200.0]), (4, &[400.0])]);
        assert_eq!(of_throughput(&rising), Some(Knee::NotReached));
    }

    #[test]
    fn blocks_that_disagree_show_how_sure_it_is() {
        let steps = curve(&[
            (1, &[100.0, 100.0, 100.0]),
            (2, &[200.0, 300.0, 200.0]),
            (4, &[300.0, 300.0, 250.0]),
            (8, &[300.0, 300.0, 300.0]),
        ]);
        assert_eq!(of_throughput(&steps), Some(Knee::At { value: 4, least: 2, most: 8 }));
    }

    #[test]
    fn a_step_that_failed_is_left_out_and_never_zero() {
        let mut steps = curve(&[(1, &[100.0, 100.0]), (2, &[300.0, 300.0]), (4, &[300.0, 300.0])]);
        steps[1].rps = vec![None, Some(300.0)];
        assert_eq!(of_throughput(&steps), Some(Knee::At { value: 2, least: 2, most: 2 }));
        steps[1].rps = vec![None, None];
        assert_eq!(of_throughput(&steps), Some(Knee::NotReached));
        assert_eq!(of_throughput(&steps[1..]), None);
        assert_eq!(of_throughput(&[]), None);
    }

    #[test]
    fn a_rate_is_held_until_less_than_95_percent_of_it_is_answered() {
        let steps = curve(&[(100, &[100.0]), (200, &[199.0]), (400, &[380.0]), (800, &[500.0]), (1600, &[1600.0])]);
        assert_eq!(of_rate(&steps), Some(Knee::At { value: 400, least: 400, most: 400 }));
        assert_eq!(of_rate(&steps[..3]), Some(Knee::NotReached));
        assert_eq!(of_rate(&curve(&[(100, &[50.0]), (200, &[50.0])])), None);
    }
}
