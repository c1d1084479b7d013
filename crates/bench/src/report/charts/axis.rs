//! Axes: from values to a scale with round ticks, and from a value to a place on it.

use crate::report::units::{digits, thousands};

/// Ticks that an axis has about: more would touch each other in a narrow drawing.
const TICKS: f64 = 5.0;

/// A ratio of the ends below which a log axis has equal steps for ticks, as 1, 2, 5, 10 would leave it bare.
const SHORT: f64 = 4.0;

/// An axis with everything that a reader must see of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    is_log: bool,
    low: f64,
    high: f64,
    /// What it measures, in which unit; a log axis says that it is one.
    pub label: String,
    /// Values and how they are written.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From 0 to a round number that no value exceeds: for lengths, which mislead if they begin elsewhere.
    pub fn from_zero(values: impl IntoIterator<Item = f64>, label: &str) -> Self {
        let top = finite(values).fold(0.0, f64::max);
        let step = round_step(if top > 0.0 { top } else { 1.0 } / TICKS);
        let count = (top / step).ceil().max(1.0);
        let ticks = whole(0.0, count).map(|n| n * step).map(|value| (value, written(value))).collect();
        Self { is_log: false, low: 0.0, high: count * step, label: label.to_owned(), ticks }
    }

    /// From 0 to exactly `high`: for what has an end of its own, as the blocks of a run.
    pub fn up_to(high: f64, label: &str) -> Self {
        let high = if high > 0.0 { high } else { 1.0 };
        let round = Self::from_zero([high], label);
        let ticks = round.ticks.into_iter().filter(|(value, _)| *value <= high * (1.0 + 1e-9)).collect();
        Self { high, ticks, ..round }
    }

    /// On which equal ratios are equal lengths. Values that are not above 0 have no place on it.
    pub fn log(values: impl IntoIterator<Item = f64>, label: &str) -> Self {
        let (low, high) = finite(values)
            .filter(|value| *value > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low > high { (1.0, 10.0) } else { (low, high) };
        // Room for a mark that stands at an end.
        let room = ((high / low).ln() * 0.04).max(0.005).exp();
        let (low, high) = (low / room, high * room);
        let ticks = log_ticks(low, high).into_iter().map(|value| (value, written(value))).collect();
        Self { is_log: true, low, high, label: format!("{label} (log scale)"), ticks }
    }

    /// The same axis with ticks of its own, of which those count that lie on it.
    #[must_use]
    pub fn with_ticks(mut self, ticks: &[(f64, &str)]) -> Self {
        let inside = ticks.iter().filter(|(value, _)| *value >= self.low && *value <= self.high);
        self.ticks = inside.map(|(value, words)| (*value, (*words).to_owned())).collect();
        self
    }

    /// Where a value stands, from 0 at the low end to 1 at the high one; what lies outside stands at the end.
    pub fn share(&self, value: f64) -> f64 {
        let share = if self.is_log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }
}

fn finite(values: impl IntoIterator<Item = f64>) -> impl Iterator<Item = f64> {
    values.into_iter().filter(|value| value.is_finite())
}

/// The smallest of 1, 2, 5 and their tens that is no smaller.
fn round_step(at_least: f64) -> f64 {
    let ten = 10_f64.powf(at_least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * ten).find(|step| *step >= at_least * (1.0 - 1e-9));
    step.unwrap_or(10.0 * ten)
}

/// The whole numbers from one to another.
fn whole(first: f64, last: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(first), |n| Some(n + 1.0)).take_while(move |n| *n <= last)
}

fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    if high / low < SHORT {
        let step = round_step((high - low) / TICKS);
        return whole((low / step).ceil(), (high / step).floor()).map(|n| n * step).collect();
    }
    let decades = whole(low.log10().floor(), high.log10().ceil());
    let marks: &[f64] = match high / low {
        ..10.0 => &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
        ..2e3 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let all = decades.flat_map(|decade| marks.iter().map(move |mark| mark * 10_f64.powf(decade)));
    all.filter(|value| *value >= low && *value <= high).collect()
}

/// A tick has no more digits than it needs: 0, 2.5, 20, 1 000.
fn written(value: f64) -> String {
    if value.abs() >= 1000.0 {
        return thousands(value);
    }
    let text = digits((value * 1e9).round() / 1e9);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, words)| words.as_str()).collect()
    }

    #[test]
    fn lengths_begin_at_0_and_end_at_a_round_number() {
        let axis = Axis::from_zero([9.4, 23.0, f64::NAN], "cost, µs");
        assert_eq!(ticks(&axis), ["0", "5", "10", "15", "20", "25"]);
        let shares = [axis.share(0.0), axis.share(12.5), axis.share(99.0)].map(|share| share.to_string());
        assert_eq!(shares, ["0", "0.5", "1"]);
        assert_eq!(ticks(&Axis::from_zero([100_000.0], "")), ["0", "20 000", "40 000", "60 000", "80 000", "100 000"]);
        assert_eq!(ticks(&Axis::from_zero([0.03], "")), ["0", "0.01", "0.02", "0.03"]);
    }

    #[test]
    fn what_has_an_end_of_its_own_ends_there() {
        let axis = Axis::up_to(18.0, "blocks");
        assert_eq!(ticks(&axis), ["0", "5", "10", "15"]);
        assert_eq!([axis.share(9.0), axis.share(18.0)].map(|share| share.to_string()), ["0.5", "1"]);
        assert_eq!(ticks(&Axis::up_to(0.0, "")).first(), Some(&"0"));
    }

    #[test]
    fn an_axis_of_nothing_or_of_zeros_is_an_axis() {
        for values in [vec![], vec![0.0], vec![f64::INFINITY]] {
            let (line, log) = (Axis::from_zero(values.clone(), ""), Axis::log(values, ""));
            assert!(line.ticks.len() >= 2 && log.ticks.len() >= 2, "{line:?} {log:?}");
            assert!(
                [0.0, 1.0, 5.0].iter().all(|value| line.share(*value).is_finite() && log.share(*value).is_finite())
            );
        }
        let one = Axis::log([7.0], "");
        assert!((one.share(7.0) - 0.5).abs() < 1e-9 && !one.ticks.is_empty(), "{one:?}");
    }

    #[test]
    fn a_log_axis_says_that_it_is_one_and_has_equal_lengths_for_equal_ratios() {
        let axis = Axis::log([1.0, 256.0], "connections");
        assert_eq!(axis.label, "connections (log scale)");
        assert_eq!(ticks(&axis), ["1", "2", "5", "10", "20", "50", "100", "200"]);
        let steps = [axis.share(2.0) - axis.share(1.0), axis.share(128.0) - axis.share(64.0)];
        assert!((steps[0] - steps[1]).abs() < 1e-9);
        assert_eq!(ticks(&Axis::log([0.94, 1.31], "")), ["1", "1.1", "1.2", "1.3"]);
        assert_eq!(ticks(&Axis::log([10.0, 1e6], "")), ["10", "100", "1 000", "10 000", "100 000", "1 000 000"]);
    }
}
