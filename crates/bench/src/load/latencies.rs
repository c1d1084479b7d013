//! Latencies of many requests, kept so that slices can be merged: percentiles themselves cannot.
//!
//! An HDR histogram <https://hdrhistogram.github.io/HdrHistogram/>: every value is kept to three significant digits.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Values are kept to this many significant digits.
const DIGITS: u8 = 3;

/// What takes longer, over 104 days, is taken for this.
const LONGEST_NS: u64 = 9_000_000_000_000_000;

/// A percentile is given only if so many values lie beyond it: with fewer it is the luck of a few requests.
pub const BEYOND: f64 = 10.0;

/// The latencies of many requests, in ns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Latencies(Histogram<u64>);

/// `[[ns, how many], …]`, ascending: what any program can read.
#[derive(Clone, Serialize, Deserialize)]
struct Stored(Vec<(u64, u64)>);

impl Default for Latencies {
    fn default() -> Self {
        // The number of digits is one that it takes.
        Self(Histogram::new(DIGITS).expect("3 digits are between 0 and 5"))
    }
}

impl Latencies {
    /// Counts one more value.
    pub fn add(&mut self, ns: u64) {
        self.add_many(ns, 1);
    }

    fn add_many(&mut self, ns: u64, count: u64) {
        // `saturating_record_n` would not let it grow, and keep every value at its first bound.
        self.0.record_n(ns.min(LONGEST_NS), count).expect("a histogram that grows takes every value");
    }

    /// Counts all values of `other` too.
    pub fn merge(&mut self, other: &Self) {
        for value in other.0.iter_recorded() {
            self.add_many(value.value_iterated_to(), value.count_since_last_iteration());
        }
    }

    /// All of several slices together; `None` if there are no values.
    pub fn merged<'a>(slices: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut all = Self::default();
        slices.into_iter().for_each(|slice| all.merge(slice));
        (all.count() > 0).then_some(all)
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The value, in µs, that `percent` of all are not above, to 0.1 %; `None` if fewer than [`BEYOND`] lie beyond it.
    pub fn percentile_us(&self, percent: f64) -> Option<f64> {
        let beyond = self.count() as f64 * (100.0 - percent) / 100.0;
        // A product such as 10000 × 0.1 % may come out a hair under 10.
        (beyond >= BEYOND - 1e-6).then(|| self.0.value_at_percentile(percent) as f64 / 1e3)
    }

    /// The mean, in µs; `None` without values.
    pub fn mean_us(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.0.mean() / 1e3)
    }

    /// The largest, in µs, to 0.1 %; `None` without values.
    pub fn max_us(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.0.max() as f64 / 1e3)
    }
}

impl From<Latencies> for Stored {
    fn from(all: Latencies) -> Self {
        let values = all.0.iter_recorded();
        Self(values.map(|value| (value.value_iterated_to(), value.count_since_last_iteration())).collect())
    }
}

impl TryFrom<Stored> for Latencies {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let mut all = Self::default();
        let mut last = None;
        for (ns, count) in stored.0 {
            if last.is_some_and(|last| last >= ns) || count == 0 || ns > 2 * LONGEST_NS {
                return Err(format!("[{ns}, {count}] is no part of an ascending histogram"));
            }
            last = Some(ns);
            all.add_many(ns, count);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Latencies {
        let mut all = Latencies::default();
        values.into_iter().for_each(|ns| all.add(ns));
        all
    }

    fn near(found: Option<f64>, wanted: f64) -> bool {
        found.is_some_and(|found| (found / wanted - 1.0).abs() < 0.002)
    }

    /// Of 1, 2, … 20000 µs, dealt out to two slices unevenly: the slow ones are all in one. Neither slice's percentiles
    /// nor their mean are those of all.
    #[test]
    fn merged_percentiles_are_those_of_all_requests_together() {
        let (quick, slow) = (of((1..=15_000).map(|us| us * 1000)), of((15_001..=20_000).map(|us| us * 1000)));
        let all = Latencies::merged([&quick, &slow]).unwrap();
        assert_eq!(all.count(), 20_000);
        for (percent, us) in [(50.0, 10_000.0), (90.0, 18_000.0), (99.0, 19_800.0), (99.9, 19_980.0)] {
            assert!(near(all.percentile_us(percent), us), "{percent}: {:?}", all.percentile_us(percent));
        }
        assert!(near(all.max_us(), 20_000.0) && near(all.mean_us(), 10_000.5));
        assert!(near(quick.percentile_us(50.0), 7_500.0));
        assert_eq!(Latencies::merged([&slow, &quick]), Some(all));
    }

    #[test]
    fn a_percentile_with_too_few_values_beyond_it_is_not_given() {
        assert!(of(1..=10_000).percentile_us(99.9).is_some());
        assert_eq!(of(1..=9_999).percentile_us(99.9), None);
        assert!(of(1..=9_999).percentile_us(99.0).is_some());
        assert_eq!(of(1..=999).percentile_us(99.0), None);
        assert_eq!(of(1..=19).percentile_us(50.0), None);
        let none = Latencies::default();
        assert_eq!((none.percentile_us(50.0), none.mean_us(), none.max_us()), (None, None, None));
        assert_eq!(Latencies::merged([&none]), None);
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let all = of([0, 1, 999, 1_234_567, 1_234_999, 5_000_000_000, 60_000_000_000]);
        let text = serde_json::to_string(&all).unwrap();
        let read: Latencies = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert_eq!(read.count(), 7);
        assert!(near(read.max_us(), 60e6));
        assert!(near(of([u64::MAX]).max_us(), LONGEST_NS as f64 / 1e3));
        for bad in ["[[2,1],[1,1]]", "[[1,1],[1,1]]", "[[1,0]]", "[[-1,1]]", "{}"] {
            assert!(serde_json::from_str::<Latencies>(bad).is_err(), "{bad}");
        }
    }
}
