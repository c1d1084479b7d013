//! Two samples that are not paired, such as the same target in two runs: the exact Mann-Whitney test, its interval and
//! the Hodges-Lehmann estimate of the shift, read from one sorted list, the differences aᵢ − bⱼ of all pairs.
//!
//! The number of differences above θ is the Mann-Whitney statistic for the hypothesis that the samples are θ apart
//! (Hollander, Wolfe & Chicken, *Nonparametric Statistical Methods*, 3rd ed. 2014, §4.1 to 4.3). It takes the place that
//! the Walsh averages have for paired differences, so that test, interval and equivalence are made by the same code,
//! and ties are given to the hypothesis in the same way.

use serde::Serialize;

use super::findings::{LEVEL, RatioInterval};
use super::holm::holm_of_either;
use super::input::{Metric, Rules};
use super::paired::{average_neighbours, independent};
use super::signed_rank::{Null, Walsh};
use super::verdict::{Conclusion, Tested};

/// Longer samples are shortened to this by averaging neighbours, so that the distribution is always counted.
const LONGEST: usize = 150;

/// What has become of a target from A to B. Ratios are B ÷ A.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Independent units of A and of B.
    pub units: (usize, usize),
    /// The Hodges-Lehmann estimate of the ratio.
    pub ratio: f64,
    /// The interval of at least 95 %, for this comparison by itself; `None` if there are too few units.
    pub interval: Option<RatioInterval>,
    /// The interval at the level of Holm's first step: with 95 %, those of all comparisons hold together.
    pub family_interval: Option<RatioInterval>,
    /// What follows.
    pub conclusion: Conclusion,
}

/// The logarithms of a metric in A and in B, in the order of the runs.
pub type Samples = (Vec<f64>, Vec<f64>);

/// What has become of each of a family; `None` where A or B has no value, which still counts as a test.
pub fn changes(metric: Metric, rules: &Rules, family: &[Option<Samples>]) -> Vec<Option<Change>> {
    struct Pair {
        units: (usize, usize),
        walsh: Walsh,
        null: Null,
    }
    let pair = |(a, b): &Samples| {
        let (a, b) = (units(a), units(b));
        Some(Pair { units: (a.len(), b.len()), walsh: shifts(&b, &a)?, null: null(b.len(), a.len()) })
    };
    let pairs: Vec<Option<Pair>> = family.iter().map(|samples| samples.as_ref().and_then(pair)).collect();
    let ps = pairs.iter().flatten().map(|Pair { walsh, null, .. }| {
        (walsh.p_of_no_difference(null), walsh.p_of_no_equivalence(rules.log_margin(), null))
    });
    let mut corrected = holm_of_either(&ps.collect::<Vec<_>>(), family.len()).into_iter();
    let mut change = |Pair { units, walsh, null }: &Pair| {
        let (p_difference, p_equivalence) = corrected.next()?;
        let log_ratio = walsh.estimate();
        let interval = |level| {
            let interval = walsh.interval(level, null)?;
            Some(RatioInterval { low: interval.low.exp(), high: interval.high.exp(), level: interval.level })
        };
        let fewer = units.0.min(units.1);
        let tested = Tested { units: fewer, log_ratio, p_difference, p_equivalence };
        let conclusion = if smallest_p(*units) * (family.len() as f64) < rules.alpha() {
            Conclusion::Verdict(tested.verdict(metric, rules))
        } else {
            Conclusion::TooFew { units: fewer, needed: unpaired_units_needed(family.len(), rules.alpha()) }
        };
        Some(Change {
            units: *units,
            ratio: log_ratio.exp(),
            interval: interval(LEVEL),
            family_interval: interval(1.0 - rules.alpha() / family.len() as f64),
            conclusion,
        })
    };
    pairs.iter().map(|pair| change(pair.as_ref()?)).collect()
}

/// Units of each of two samples without which not even the clearest of `comparisons` can be shown.
pub fn unpaired_units_needed(comparisons: usize, alpha: f64) -> usize {
    // With 64 of each the smallest p is under 1e-37.
    (1..64).find(|units| smallest_p((*units, *units)) * (comparisons.max(1) as f64) < alpha).unwrap_or(64)
}

/// The smallest exact two-sided p: 2 over the number of ways in which the two samples can be mixed.
fn smallest_p((a, b): (usize, usize)) -> f64 {
    let ways: f64 = (1..=a.min(b)).map(|k| (a.max(b) + k) as f64 / k as f64).product();
    2.0 / ways
}

fn units(values: &[f64]) -> Vec<f64> {
    let (mut values, _) = independent(values.to_vec());
    while values.len() > LONGEST {
        values = average_neighbours(&values);
    }
    values
}

/// The differences of all pairs; `None` if a sample is empty.
fn shifts(a: &[f64], b: &[f64]) -> Option<Walsh> {
    Walsh::sorted(a.iter().flat_map(|a| b.iter().map(move |b| a - b)).collect())
}

/// The distribution of the Mann-Whitney statistic of samples without ties. The greatest of all values is one of the
/// first sample with probability n/(n+m), and then above all m of the other (Mann & Whitney 1947, *Ann. Math. Stat.*
/// 18:50-60): only additions and products of positive numbers.
fn null(n: usize, m: usize) -> Null {
    // The distributions of i and j values, for j = 0 … m.
    let mut row: Vec<Vec<f64>> = vec![vec![1.0]; m + 1];
    for i in 1..=n {
        row[0] = vec![1.0];
        for j in 1..=m {
            let first = i as f64 / (i + j) as f64;
            let mut mass = vec![0.0; i * j + 1];
            for (statistic, before) in row[j].iter().enumerate() {
                mass[statistic + j] += first * before;
            }
            for (statistic, before) in row[j - 1].iter().enumerate() {
                mass[statistic] += (1.0 - first) * before;
            }
            row[j] = mass;
        }
    }
    Null::summed(row.pop().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Verdict;
    use proptest::prelude::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Case {
        name: String,
        a: Vec<f64>,
        b: Vec<f64>,
        estimate: f64,
        p_difference: f64,
        p_equivalence: f64,
        interval: Option<Interval>,
    }

    #[derive(Deserialize)]
    struct Interval {
        low: f64,
        high: f64,
        level: f64,
    }

    #[track_caller]
    fn assert_close(name: &str, ours: f64, theirs: f64) {
        assert!((ours - theirs).abs() <= 1e-11 * theirs.abs().max(1e-3), "{name}: {ours}, and SciPy has {theirs}");
    }

    #[test]
    fn estimate_test_equivalence_and_interval_are_those_of_scipy() {
        let text = include_str!("../../tests/golden/unpaired.json");
        let cases: Vec<Case> = serde_json::from_str(text).expect("unpaired.py writes what is read here");
        assert!(cases.len() > 8);
        for Case { name, a, b, estimate, p_difference, p_equivalence, interval } in cases {
            let (walsh, null) = (shifts(&a, &b).unwrap(), null(a.len(), b.len()));
            assert_close(&name, walsh.estimate(), estimate);
            assert_close(&name, walsh.p_of_no_difference(&null), p_difference);
            let margin = Rules::default().log_margin();
            assert_close(&name, walsh.p_of_no_equivalence(margin, &null), p_equivalence);
            let ours = walsh.interval(0.95, &null);
            assert_eq!(ours.is_some(), interval.is_some(), "{name}");
            for (ours, theirs) in ours.into_iter().zip(interval) {
                assert_close(&name, ours.low, theirs.low);
                assert_close(&name, ours.high, theirs.high);
                assert_close(&name, ours.level, theirs.level);
            }
        }
    }

    #[test]
    fn the_units_needed_are_just_enough() {
        assert_eq!([1, 2, 10].map(|comparisons| unpaired_units_needed(comparisons, 0.05)), [4, 5, 6]);
        assert!((smallest_p((3, 5)) - 2.0 / 56.0).abs() < 1e-15);
    }

    #[test]
    fn a_change_that_nobody_could_show_is_too_few_and_one_that_is_clear_is_found() {
        let sample = |centre: f64, n: u32| (0..n).map(|k| centre + 0.001 * f64::from(k * 7 % n)).collect::<Vec<_>>();
        let of =
            |n| changes(Metric::Cost, &Rules::default(), &[Some((sample(0.0, n), sample(0.2, n)))]).remove(0).unwrap();
        assert_eq!(of(3).conclusion, Conclusion::TooFew { units: 3, needed: 4 });
        assert_eq!(of(12).conclusion, Conclusion::Verdict(Verdict::Slower));
        assert!((of(12).ratio / 0.2_f64.exp() - 1.0).abs() < 0.01);
    }

    #[test]
    fn long_samples_are_shortened_and_still_counted() {
        let sample = |centre: f64| (0..400_u32).map(|k| centre + 0.001 * f64::from(k * 37 % 101)).collect::<Vec<_>>();
        let change = changes(Metric::Cost, &Rules::default(), &[Some((sample(0.0), sample(0.0)))]).remove(0).unwrap();
        assert!(change.units.0 <= LONGEST && change.units.0 > 40, "{change:?}");
        assert_eq!(change.conclusion, Conclusion::Verdict(Verdict::Equivalent));
    }

    proptest! {
        #[test]
        fn swapping_the_runs_turns_every_sign_and_nothing_else(
            a in prop::collection::vec(-0.1..0.1_f64, 1..20), b in prop::collection::vec(-0.1..0.3_f64, 1..20)
        ) {
            let of = |a: &[f64], b: &[f64]| {
                changes(Metric::Rps, &Rules::default(), &[Some((a.to_vec(), b.to_vec()))]).remove(0).unwrap()
            };
            let (one, other) = (of(&a, &b), of(&b, &a));
            prop_assert!((one.ratio * other.ratio - 1.0).abs() < 1e-12);
            prop_assert_eq!(one.interval.is_some(), other.interval.is_some());
            for (i, j) in one.interval.iter().zip(other.interval) {
                prop_assert!((i.low * j.high - 1.0).abs() < 1e-12 && (i.high * j.low - 1.0).abs() < 1e-12);
            }
            let turned = match other.conclusion {
                Conclusion::Verdict(Verdict::Faster) => Conclusion::Verdict(Verdict::Slower),
                Conclusion::Verdict(Verdict::Slower) => Conclusion::Verdict(Verdict::Faster),
                same => same,
            };
            prop_assert_eq!(one.conclusion, turned);
        }
    }
}
