//! All findings of one metric in one shape.

use serde::Serialize;

use super::holm::{holm, holm_of_either};
use super::input::{Better, Input, Metric, Rules, Series};
use super::paired::{Differences, differences};
use super::signed_rank::{Interval, Nulls, Walsh};
use super::tiers;
use super::unpaired::Change;
use super::verdict::{Conclusion, Tested, Verdict, units_needed};

/// The level of every interval that is shown, for one comparison by itself.
pub(super) const LEVEL: f64 = 0.95;

/// What can be said of one metric in one shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Findings {
    /// The metric.
    pub metric: Metric,
    /// What was fixed before the run.
    pub rules: Rules,
    /// The target that ratios are taken against.
    pub baseline: String,
    /// Every target beside it, in the order given: the family of the verdicts.
    pub against_baseline: Vec<Against>,
    /// From the family of all pairs.
    pub tiers: Tiers,
    /// The baseline beside its second self; `None` if that did not take part.
    pub noise_floor: Option<NoiseFloor>,
    /// How small a difference could be seen; `None` if no comparison has units enough for a verdict.
    pub resolution: Option<Resolution>,
}

/// A target beside the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Against {
    /// The target.
    pub target: String,
    /// What came of it.
    pub found: Found,
}

/// What came of pairing two targets.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// They could be compared.
    Compared(Box<Comparison>),
    /// In no block do both have a value.
    NothingInCommon,
}

/// Two targets that could be compared. Ratios are target ÷ baseline, 1 if equal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Restart groups in which both have a value.
    pub groups: usize,
    /// Independent units that these gave: fewer than groups only if neighbours were averaged.
    pub units: usize,
    /// How many neighbouring groups make a unit: 1, or a power of 2 if they went together.
    pub averaged: usize,
    /// Lag-1 autocorrelation of the groups; `None` under 3 groups, or if all of them are equal.
    pub autocorrelation: Option<f64>,
    /// The Hodges-Lehmann estimate of the ratio.
    pub ratio: f64,
    /// The smallest and the largest ratio of a unit.
    pub range: (f64, f64),
    /// The exact interval of at least 95 %, for this comparison by itself; `None` under 6 units, which cannot hold one.
    pub interval: Option<RatioInterval>,
    /// p of no difference.
    pub difference: Evidence,
    /// p of being as far apart as the margin, or further.
    pub equivalence: Evidence,
    /// What follows.
    pub conclusion: Conclusion,
}

/// An interval for a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatioInterval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The level attained, from 0 to 1.
    pub level: f64,
}

impl RatioInterval {
    fn of_logarithms(interval: Interval) -> Self {
        Self { low: interval.low.exp(), high: interval.high.exp(), level: interval.level }
    }
}

/// A p alone and in its family.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Evidence {
    /// Of this test by itself.
    pub p: f64,
    /// Corrected by Holm for the family.
    pub p_family: f64,
}

/// The sets of targets that were not shown to differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tiers {
    /// The targets with their tiers, the best estimate first. The baseline is one of them, its second self is not.
    Shown(Vec<Tier>),
    /// However the values had come out, no two targets could have been told apart.
    TooFew {
        /// Independent units of the pair that has the most.
        units: usize,
        /// Units that it takes.
        needed: usize,
    },
}

/// The tiers that a target belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tier {
    /// The target.
    pub target: String,
    /// Its letters, as in "ab": a is the best tier.
    pub letters: String,
}

/// The run's own noise floor: the same server twice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoiseFloor {
    /// The second self's name.
    pub twin: String,
    /// The second self beside the first, as a family of one.
    pub found: Found,
    /// Whether they came out different, so that no figure of the table can be trusted.
    pub stamped: bool,
}

/// Differences smaller than this cannot be seen in this run, as a share (0.03 is 3 %): half the width of the interval at
/// the level of Holm's first step. That is wider than the interval shown beside a ratio; it is what a verdict takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Resolution {
    /// For the target in the middle.
    pub median: f64,
    /// For the target with the widest.
    pub widest: f64,
}

/// Two targets with all that their family does not change.
struct Pair {
    differences: Differences,
    walsh: Walsh,
    p_difference: f64,
    p_equivalence: f64,
}

impl Pair {
    fn of(target: &Series, other: &Series, rules: &Rules, nulls: &mut Nulls) -> Option<Self> {
        let differences = differences(target, other);
        let walsh = Walsh::of(&differences.values)?;
        let null = nulls.of(differences.values.len());
        let p_difference = walsh.p_of_no_difference(null);
        let p_equivalence = walsh.p_of_no_equivalence(rules.log_margin(), null);
        Some(Self { differences, walsh, p_difference, p_equivalence })
    }
}

/// Everything about one metric in one shape.
pub fn analyse(input: &Input) -> Findings {
    let (rules, metric) = (input.rules, input.metric);
    let mut nulls = Nulls::default();
    let pairs: Vec<Option<Pair>> =
        input.targets.iter().map(|target| Pair::of(target, &input.baseline, &rules, &mut nulls)).collect();
    let found = conclude(&pairs, metric, &rules, &mut nulls);
    let tiers = tiers_of(input, &pairs, &mut nulls);
    let noise_floor = input.twin.as_ref().map(|twin| {
        let pair = [Pair::of(twin, &input.baseline, &rules, &mut nulls)];
        let found = conclude(&pair, metric, &rules, &mut nulls).pop().unwrap_or(Found::NothingInCommon);
        NoiseFloor { twin: twin.name().to_owned(), stamped: differs(&found), found }
    });
    let targets = input.targets.iter().map(|target| target.name().to_owned());
    Findings {
        metric,
        rules,
        baseline: input.baseline.name().to_owned(),
        against_baseline: targets.zip(found).map(|(target, found)| Against { target, found }).collect(),
        tiers,
        noise_floor,
        resolution: resolution(&pairs, &rules, &mut nulls),
    }
}

/// The Hodges-Lehmann estimate of paired differences in their own unit, and the exact interval of at least 95 % if there
/// are enough of them; `None` without differences.
pub fn difference_of(differences: &[f64]) -> Option<(f64, Option<(f64, f64)>)> {
    let walsh = Walsh::of(differences)?;
    let interval = walsh.interval(LEVEL, Nulls::default().of(differences.len()));
    Some((walsh.estimate(), interval.map(|interval| (interval.low, interval.high))))
}

/// What has become of each of a family of pairs, A before B, block by block; `None` where A or B has no value, which still
/// counts as a test.
pub fn paired_changes(metric: Metric, rules: &Rules, family: &[Option<(Series, Series)>]) -> Vec<Option<Change>> {
    let mut nulls = Nulls::default();
    let pair = |(a, b): &(Series, Series), nulls: &mut Nulls| Pair::of(b, a, rules, nulls);
    let pairs: Vec<Option<Pair>> =
        family.iter().map(|both| both.as_ref().and_then(|both| pair(both, &mut nulls))).collect();
    let found = conclude(&pairs, metric, rules, &mut nulls);
    let level = 1.0 - rules.alpha() / pairs.len().max(1) as f64;
    let mut change = |(pair, found): (&Option<Pair>, Found)| {
        let (pair, Found::Compared(comparison)) = (pair.as_ref()?, found) else { return None };
        let family_interval = pair.walsh.interval(level, nulls.of(comparison.units));
        Some(Change {
            units: (comparison.units, comparison.units),
            ratio: comparison.ratio,
            interval: comparison.interval,
            family_interval: family_interval.map(RatioInterval::of_logarithms),
            conclusion: comparison.conclusion,
        })
    };
    pairs.iter().zip(found).map(&mut change).collect()
}

fn differs(found: &Found) -> bool {
    match found {
        Found::Compared(comparison) => {
            matches!(comparison.conclusion, Conclusion::Verdict(Verdict::Faster | Verdict::Slower))
        }
        Found::NothingInCommon => false,
    }
}

/// Corrects both kinds of tests together, for the whole family, and concludes.
fn conclude(pairs: &[Option<Pair>], metric: Metric, rules: &Rules, nulls: &mut Nulls) -> Vec<Found> {
    let ps: Vec<(f64, f64)> = pairs.iter().flatten().map(|pair| (pair.p_difference, pair.p_equivalence)).collect();
    let mut corrected = holm_of_either(&ps, pairs.len()).into_iter();
    let mut compare = |pair: &Pair, (p_difference, p_equivalence): (f64, f64)| {
        let Differences { values, groups, averaged, autocorrelation } = &pair.differences;
        let (units, log_ratio) = (values.len(), pair.walsh.estimate());
        let (low, high) = pair.walsh.ends();
        let interval = pair.walsh.interval(LEVEL, nulls.of(units));
        Found::Compared(Box::new(Comparison {
            groups: *groups,
            units,
            averaged: *averaged,
            autocorrelation: *autocorrelation,
            ratio: log_ratio.exp(),
            range: (low.exp(), high.exp()),
            interval: interval.map(RatioInterval::of_logarithms),
            difference: Evidence { p: pair.p_difference, p_family: p_difference },
            equivalence: Evidence { p: pair.p_equivalence, p_family: p_equivalence },
            conclusion: Tested { units, log_ratio, p_difference, p_equivalence }.conclude(metric, rules, pairs.len()),
        }))
    };
    let mut found = |pair: &Option<Pair>| Some(compare(pair.as_ref()?, corrected.next()?));
    pairs.iter().map(|pair| found(pair).unwrap_or(Found::NothingInCommon)).collect()
}

/// The tiers from all pairs of the baseline and the targets that can be compared with it: those have a place in order.
fn tiers_of(input: &Input, against: &[Option<Pair>], nulls: &mut Nulls) -> Tiers {
    let (rules, metric) = (&input.rules, input.metric);
    let comparable =
        input.targets.iter().zip(against).filter_map(|(t, pair)| Some((t, pair.as_ref()?.walsh.estimate())));
    let mut ranked: Vec<(&Series, f64)> = std::iter::once((&input.baseline, 0.0)).chain(comparable).collect();
    ranked.sort_by(|(_, a), (_, b)| match metric.better() {
        Better::Lower => a.total_cmp(b),
        Better::Higher => b.total_cmp(a),
    });
    let places: Vec<(usize, usize)> = (0..ranked.len()).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
    let pairs: Vec<((usize, usize), Pair)> = places
        .iter()
        .filter_map(|(i, j)| Some(((*i, *j), Pair::of(ranked[*i].0, ranked[*j].0, rules, nulls)?)))
        .collect();
    let units = pairs.iter().map(|(_, pair)| pair.differences.values.len()).max().unwrap_or(0);
    let needed = units_needed(places.len(), rules.alpha());
    if units < needed {
        return Tiers::TooFew { units, needed };
    }
    let corrected = holm(&pairs.iter().map(|(_, pair)| pair.p_difference).collect::<Vec<_>>(), places.len());
    let differ: Vec<(usize, usize)> = pairs
        .iter()
        .zip(corrected)
        .filter(|((_, pair), p_difference)| {
            let (units, log_ratio) = (pair.differences.values.len(), pair.walsh.estimate());
            Tested { units, log_ratio, p_difference: *p_difference, p_equivalence: pair.p_equivalence }.differ(rules)
        })
        .map(|((places, _), _)| *places)
        .collect();
    let letters = tiers::tiers(ranked.len(), &differ);
    let letters = letters.iter().map(|own| own.iter().map(|tier| tiers::letter(*tier)).collect::<String>());
    let targets = ranked.iter().map(|(target, _)| target.name().to_owned());
    Tiers::Shown(targets.zip(letters).map(|(target, letters)| Tier { target, letters }).collect())
}

/// From the comparisons that have units enough for a verdict.
fn resolution(pairs: &[Option<Pair>], rules: &Rules, nulls: &mut Nulls) -> Option<Resolution> {
    let level = 1.0 - rules.alpha() / pairs.len().max(1) as f64;
    let half_width = |pair: &Pair| {
        let interval = pair.walsh.interval(level, nulls.of(pair.differences.values.len()))?;
        Some(((interval.high - interval.low) / 2.0).exp_m1())
    };
    let widths = super::Summary::of(pairs.iter().flatten().filter_map(half_width))?;
    Some(Resolution { median: widths.median, widest: widths.max })
}
