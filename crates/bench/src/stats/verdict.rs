//! From a corrected test to a verdict.

use serde::Serialize;

use super::input::{Better, Metric, Rules};

/// What is known of a target beside another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Better, by an amount that counts.
    Faster,
    /// Worse, by an amount that counts.
    Slower,
    /// No further apart than the margin.
    Equivalent,
    /// None of these could be shown.
    Unresolved,
}

impl Verdict {
    /// As it stands in a table.
    pub fn words(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Equivalent => "equivalent",
            Self::Unresolved => "unresolved",
        }
    }
}

/// A verdict, or why there can be none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// There were units enough.
    Verdict(Verdict),
    /// However the values had come out, nothing could have been shown.
    TooFew {
        /// Independent units that there are.
        units: usize,
        /// Units that it takes.
        needed: usize,
    },
}

/// What the tests of one comparison came to, corrected for their family.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tested {
    /// Independent units.
    pub units: usize,
    /// The estimate, on the log scale.
    pub log_ratio: f64,
    /// p of no difference, corrected.
    pub p_difference: f64,
    /// p of no equivalence, corrected.
    pub p_equivalence: f64,
}

impl Tested {
    /// Whether the two were shown to differ, by an amount that counts.
    pub fn differ(&self, rules: &Rules) -> bool {
        self.p_difference < rules.alpha() && self.log_ratio.abs() >= rules.log_minimum_effect()
    }

    /// The verdict, of a family of so many comparisons.
    pub fn conclude(&self, metric: Metric, rules: &Rules, family: usize) -> Conclusion {
        let needed = units_needed(family, rules.alpha());
        if self.units < needed {
            return Conclusion::TooFew { units: self.units, needed };
        }
        Conclusion::Verdict(self.verdict(metric, rules))
    }

    /// The verdict, where there are units enough.
    pub fn verdict(&self, metric: Metric, rules: &Rules) -> Verdict {
        let lower = self.log_ratio < 0.0;
        match metric.better() {
            _ if !self.differ(rules) && self.p_equivalence < rules.alpha() => Verdict::Equivalent,
            _ if !self.differ(rules) => Verdict::Unresolved,
            Better::Lower if lower => Verdict::Faster,
            Better::Higher if !lower => Verdict::Faster,
            Better::Lower | Better::Higher => Verdict::Slower,
        }
    }
}

/// Units without which not even the clearest of `comparisons` can be shown: the smallest exact two-sided p is 2/2ⁿ, and
/// Holm's first step multiplies it by the number of comparisons.
pub fn units_needed(comparisons: usize, alpha: f64) -> usize {
    let (mut units, mut smallest) = (1, comparisons.max(1) as f64);
    while smallest >= alpha && smallest > 0.0 {
        units += 1;
        smallest /= 2.0;
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clear(log_ratio: f64) -> Tested {
        Tested { units: 20, log_ratio, p_difference: 0.001, p_equivalence: 1.0 }
    }

    fn verdict(tested: Tested, metric: Metric) -> Verdict {
        match tested.conclude(metric, &Rules::default(), 1) {
            Conclusion::Verdict(verdict) => verdict,
            Conclusion::TooFew { .. } => panic!("enough"),
        }
    }

    #[test]
    fn less_cost_is_faster_and_less_throughput_is_slower() {
        assert_eq!(verdict(clear(-0.1), Metric::Cost), Verdict::Faster);
        assert_eq!(verdict(clear(0.1), Metric::Cost), Verdict::Slower);
        assert_eq!(verdict(clear(-0.1), Metric::Rps), Verdict::Slower);
        assert_eq!(verdict(clear(0.1), Metric::Rps), Verdict::Faster);
    }

    #[test]
    fn a_sure_difference_under_two_percent_is_none_that_counts() {
        assert_eq!(verdict(clear(1.019_f64.ln()), Metric::Rps), Verdict::Unresolved);
        assert_eq!(verdict(clear(-1.019_f64.ln()), Metric::Rps), Verdict::Unresolved);
        assert_eq!(verdict(clear(1.021_f64.ln()), Metric::Rps), Verdict::Faster);
        let within = Tested { p_equivalence: 0.01, ..clear(1.019_f64.ln()) };
        assert_eq!(verdict(within, Metric::Rps), Verdict::Equivalent);
    }

    #[test]
    fn a_difference_that_counts_comes_before_equivalence() {
        let both = Tested { p_equivalence: 0.01, ..clear(1.03_f64.ln()) };
        assert_eq!(verdict(both, Metric::Cost), Verdict::Slower);
    }

    #[test]
    fn not_shown_is_unresolved() {
        let unclear = Tested { p_difference: 0.05, p_equivalence: 0.05, ..clear(0.1) };
        assert_eq!(verdict(unclear, Metric::Cost), Verdict::Unresolved);
    }

    #[test]
    fn too_few_units_are_never_a_verdict() {
        let few = Tested { units: 10, ..clear(0.5) };
        let conclusion = few.conclude(Metric::Cost, &Rules::default(), 39);
        assert_eq!(conclusion, Conclusion::TooFew { units: 10, needed: 11 });
    }

    #[test]
    fn the_units_needed_are_just_enough_for_holms_first_step() {
        assert_eq!([1, 2, 5, 39, 780].map(|comparisons| units_needed(comparisons, 0.05)), [6, 7, 8, 11, 15]);
        for comparisons in 1..1000_usize {
            let smallest = |units: usize| comparisons as f64 * 2.0 / 2.0_f64.powf(units as f64);
            let needed = units_needed(comparisons, 0.05);
            assert!(smallest(needed) < 0.05 && smallest(needed - 1) >= 0.05, "{comparisons}");
        }
    }
}
