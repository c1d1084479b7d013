//! Response time and transactions per second by the number of users: all targets on one scale, in one drawing.

use maud::html;

use crate::report::charts::{Axis, Chart, Curves, Drawing, Point, Series, curves};

/// Between the two halves, in px.
const GAP: f64 = 24.0;

/// A target under so many users.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Concurrent users.
    pub users: u32,
    /// Mean response time, in ms.
    pub mean_ms: f64,
    /// Transactions per second.
    pub per_s: f64,
}

/// A target under more and more users.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Whose.
    pub name: String,
    /// From few users to many.
    pub steps: Vec<Step>,
}

/// The drawing, as a file by itself.
pub fn users(stem: &str, lines: &[Line]) -> String {
    let axis = |value: fn(&Step) -> f64, label: &str| {
        Axis::from_zero(lines.iter().flat_map(|line| line.steps.iter().map(value)), label)
    };
    let of = |value: fn(&Step) -> f64, label: &str| Curves {
        x: axis(|step| step.users.into(), "concurrent users"),
        y: axis(value, label),
        series: lines.iter().map(|line| series(line, value)).collect(),
        joined: true,
    };
    let time = of(|step| step.mean_ms, "mean response time, ms");
    let transactions = of(|step| step.per_s, "transactions per second");
    let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    let says = format!("{}: each half has one scale for all of them, from 0", names.join(", "));
    Chart::draw(stem, "Response time and transactions by concurrent users", &says, |place| {
        let (above, below) = (curves(place, &time), curves(place, &transactions));
        let height = above.height + GAP + below.height;
        let down = format!("translate(0 {})", above.height + GAP);
        Drawing { height, body: html! { (above.body) g transform=(down) { (below.body) } } }
    })
    .file()
}

fn series(line: &Line, value: fn(&Step) -> f64) -> Series {
    let point = |step: &Step| Point { x: step.users.into(), y: value(step), ends: None };
    Series { name: line.name.clone(), points: line.steps.iter().map(point).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, slow: f64) -> Line {
        let step = |users: u32| Step { users, mean_ms: f64::from(users) * slow, per_s: 1000.0 / slow };
        Line { name: name.to_owned(), steps: vec![step(100), step(1000)] }
    }

    #[test]
    fn all_targets_stand_on_one_scale_that_begins_at_0() {
        let drawn = users("users", &[line("twisted", 0.5), line("tornado", 1.0)]);
        // One y axis in each half, for both: the slower one's ends are the ends of the scale.
        for label in ["mean response time, ms", "transactions per second"] {
            assert_eq!(drawn.matches(label).count(), 1, "{label}: {drawn}");
        }
        assert!(drawn.contains(">1 000<") && drawn.contains(">2 000<"), "{drawn}");
        assert!(
            drawn.contains("twisted") && drawn.contains("tornado") && drawn.contains("one scale for all"),
            "{drawn}"
        );
        assert!(drawn.starts_with("<svg") && !drawn.contains("NaN"));
    }
}
