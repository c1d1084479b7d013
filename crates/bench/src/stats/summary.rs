//! A metric of one target by itself: the middle and the ends.

use serde::{Deserialize, Serialize};

/// A metric of one target over the blocks of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The middle value; the mean of the two middle ones of an even number.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// How many values there were.
    pub n: usize,
}

impl Summary {
    /// Sums up finite values; `None` if there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let median = match n {
            0 => return None,
            n if n % 2 == 1 => sorted[n / 2],
            n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
        };
        Some(Self { median, min: sorted[0], max: sorted[n - 1], n })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(Summary::of([4.0, 1.0, 3.0, 2.0]), Some(Summary { median: 2.5, min: 1.0, max: 4.0, n: 4 }));
        assert_eq!(Summary::of([5.0]), Some(Summary { median: 5.0, min: 5.0, max: 5.0, n: 1 }));
    }

    #[test]
    fn nothing_is_no_zero() {
        assert_eq!(Summary::of([]), None);
        assert_eq!(Summary::of([f64::NAN, f64::INFINITY]), None);
    }

    proptest! {
        #[test]
        fn half_of_the_values_are_on_each_side(values in prop::collection::vec(-1e9..1e9f64, 1..50)) {
            let summary = Summary::of(values.clone()).unwrap();
            let below = values.iter().filter(|value| **value < summary.median).count();
            let above = values.iter().filter(|value| **value > summary.median).count();
            prop_assert!(below <= values.len() / 2 && above <= values.len() / 2);
            prop_assert!(summary.min <= summary.median && summary.median <= summary.max);
        }
    }
}
