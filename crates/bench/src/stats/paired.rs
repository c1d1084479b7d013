//! Two targets, paired by restart group: the differences that everything else is computed from.
//!
//! What is averaged here goes only as far as it can be seen: in 20 units, an autocorrelation of 0.3 is estimated to within
//! about 0.2, and one below 0.3 is let pass. Where each target wanders by itself, p is therefore too small: of simulated
//! pairs of equals with an autocorrelation of 0.2, 9 % differ at 5 %, and 11 to 12 % with 0.3 (20 to 100 units).

use std::num::NonZeroUsize;

use super::input::Series;

/// Above this, neighbours are not independent enough to count as two.
const AUTOCORRELATED: f64 = 0.3;

/// The differences of two targets in the order of the run, on the log scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Differences {
    /// ln(target / other), by unit; empty if the two have no unit in common.
    pub values: Vec<f64>,
    /// How many restart groups they come from.
    pub groups: usize,
    /// How many neighbouring groups were averaged into one unit: 1 if none, else a power of 2.
    pub averaged: usize,
    /// Lag-1 autocorrelation of the groups' differences, before any averaging; `None` if it has no meaning, with fewer
    /// than 3 groups or all of them equal.
    pub autocorrelation: Option<f64>,
}

/// Pairs two targets. A unit is what both have between two restarts of the one that restarts more seldom: the means over
/// the blocks in which both have a value, and nothing if there is no such block.
pub fn by_group(target: &Series, other: &Series) -> Vec<f64> {
    let group = common_multiple(target.group(), other.group());
    let both: Vec<Option<(f64, f64)>> = target.blocks().iter().zip(other.blocks()).map(|(a, b)| a.zip(*b)).collect();
    both.chunks(group).filter_map(difference).collect()
}

/// Pairs two targets by group. While neighbouring units go together (lag-1 autocorrelation above 0.3), neighbours are
/// averaged in pairs.
pub fn differences(target: &Series, other: &Series) -> Differences {
    let values = by_group(target, other);
    let (groups, autocorrelation) = (values.len(), lag_1(&values));
    let (values, averaged) = independent(values);
    Differences { values, groups, averaged, autocorrelation }
}

/// Averages neighbours in pairs while they go together; how many are in each value then.
pub(super) fn independent(mut values: Vec<f64>) -> (Vec<f64>, usize) {
    let mut averaged = 1;
    while lag_1(&values).is_some_and(|r| r > AUTOCORRELATED) {
        values = average_neighbours(&values);
        averaged *= 2;
    }
    (values, averaged)
}

/// The difference of two logarithms, not the logarithm of a ratio: so it turns its sign exactly if the two are swapped.
fn difference(group: &[Option<(f64, f64)>]) -> Option<f64> {
    let (mut target, mut other, mut blocks) = (0.0, 0.0, 0_u32);
    for (a, b) in group.iter().flatten() {
        target += a;
        other += b;
        blocks += 1;
    }
    (blocks > 0).then(|| (target / f64::from(blocks)).ln() - (other / f64::from(blocks)).ln())
}

/// Lag-1 autocorrelation (Box, Jenkins, Reinsel & Ljung, *Time Series Analysis*, 5th ed. 2015, §2.1.5). A gap where a
/// unit is missing is closed: its two sides are neighbours.
pub(super) fn lag_1(values: &[f64]) -> Option<f64> {
    if values.len() < 3 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let together: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    // Equal values have a mean that is off by rounding; that is no spread.
    let spread = variance > 1e-24 * values.len() as f64 * (1.0 + mean * mean);
    spread.then(|| together / variance)
}

/// The means of neighbours; one that is left over joins the last two.
pub(super) fn average_neighbours(values: &[f64]) -> Vec<f64> {
    let mut pairs: Vec<&[f64]> = values.chunks_exact(2).collect();
    if values.len() % 2 == 1 && values.len() > 1 {
        pairs.pop();
        pairs.push(&values[values.len() - 3..]);
    }
    pairs.iter().map(|pair| pair.iter().sum::<f64>() / pair.len() as f64).collect()
}

fn common_multiple(a: NonZeroUsize, b: NonZeroUsize) -> usize {
    let (mut divisor, mut rest) = (a.get(), b.get());
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    a.get() / divisor * b.get()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn series(blocks: &[Option<f64>], group: usize) -> Series {
        Series::new("x", blocks.iter().copied(), NonZeroUsize::new(group).unwrap()).unwrap()
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn a_pair_needs_both() {
        let a = series(&[Some(2.0), None, Some(4.0), Some(1.0)], 1);
        let b = series(&[Some(1.0), Some(1.0), None, Some(1.0)], 1);
        let found = differences(&a, &b);
        assert!(close(&found.values, &[2.0_f64.ln(), 0.0]));
        assert_eq!((found.groups, found.averaged, found.autocorrelation), (2, 1, None));
        assert!(differences(&a, &series(&[None, Some(1.0)], 1)).values.is_empty());
    }

    #[test]
    fn the_one_that_restarts_more_seldom_decides_and_its_blocks_do_not_count_twice() {
        let seldom = series(&[Some(2.0), Some(4.0), Some(6.0), Some(8.0), None], 2);
        let often = series(&[Some(1.0), Some(1.0), Some(1.0), None, Some(1.0)], 1);
        // Blocks 0 and 1; of 2 and 3 only 2; nothing in common after that.
        assert!(close(&differences(&seldom, &often).values, &[3.0_f64.ln(), 6.0_f64.ln()]));
    }

    #[test]
    fn restarts_out_of_step_meet_at_the_common_multiple() {
        let n = |n| NonZeroUsize::new(n).unwrap();
        assert_eq!([(1, 1), (1, 10), (4, 6), (3, 5)].map(|(a, b)| common_multiple(n(a), n(b))), [1, 10, 12, 15]);
    }

    #[test]
    fn neighbours_that_go_together_are_averaged_until_they_do_not() {
        let slow: Vec<Option<f64>> = (0..32).map(|b| Some(if b / 8 % 2 == 0 { 1.0 } else { 1.1 })).collect();
        let found = differences(&series(&slow, 1), &series(&[Some(1.0); 32], 1));
        assert_eq!((found.groups, found.averaged, found.values.len()), (32, 4, 8));
        assert!(found.autocorrelation.unwrap() > 0.3);
    }

    #[test]
    fn averaging_loses_no_value() {
        assert!(close(&average_neighbours(&[1.0, 3.0, 5.0, 6.0, 10.0]), &[2.0, 7.0]));
        assert!(close(&average_neighbours(&[1.0, 3.0, 5.0, 7.0]), &[2.0, 6.0]));
    }

    #[test]
    fn equal_differences_have_no_autocorrelation() {
        let (a, b) = (series(&[Some(1.3); 20], 1), series(&[Some(1.1); 20], 1));
        assert_eq!(differences(&a, &b).autocorrelation, None);
    }

    proptest! {
        #[test]
        fn swapping_the_two_turns_every_sign_and_nothing_else(
            blocks in prop::collection::vec((prop::option::of(0.1..9.0_f64), 0.1..9.0_f64), 0..40), group in 1..4_usize
        ) {
            let a = series(&blocks.iter().map(|(a, _)| *a).collect::<Vec<_>>(), group);
            let b = series(&blocks.iter().map(|(_, b)| Some(*b)).collect::<Vec<_>>(), 1);
            let (one, mut other) = (differences(&a, &b), differences(&b, &a));
            other.values.iter_mut().for_each(|d| *d = -*d);
            prop_assert_eq!(one, other);
        }
    }
}
