//! Simulated tables whose truth is known: how often is a verdict false, and how often is a true difference found?

use std::num::NonZeroUsize;

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use serde::Serialize;

use super::findings::{Findings, Found, Tiers, analyse};
use super::input::{Input, Metric, Rules, Series};
use super::verdict::{Conclusion, Verdict};

/// Blocks from one restart to the next, of a target that starts slowly.
const SELDOM: NonZeroUsize = NonZeroUsize::new(3).unwrap();

/// The share of a slice's offset that is left in the next, of a target that wanders.
const WANDERING: f64 = 0.3;

/// How values scatter around the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scenario {
    /// Normal, the same for all.
    Normal,
    /// One slice in ten is disturbed: it costs more, by up to ten times the spread.
    Disturbed,
    /// Normal, with spreads from a third to three times the baseline's.
    UnequalVariance,
    /// The machine becomes slower by 10 % over the run, and by twice the spread from the first slice of a block to its
    /// last.
    Drift,
    /// Each start of a target has an offset of its own, of twice the spread, that lasts until the next; every second
    /// target restarts every three blocks only.
    RestartOffsets,
    /// Each target wanders by itself, so that neighbouring slices go together (lag-1 autocorrelation 0.3). Nothing is
    /// promised here: it shows how far the check of neighbours goes.
    Wandering,
}

impl Scenario {
    /// Those that the promise of 5 % is for.
    pub const PROMISED: [Self; 5] =
        [Self::Normal, Self::Disturbed, Self::UnequalVariance, Self::Drift, Self::RestartOffsets];
}

/// How large a simulation is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Size {
    /// Tables for each truth.
    pub tables: u32,
    /// Targets beside the baseline.
    pub targets: usize,
    /// Independent units of each pair; more, where both of a pair restart often and others do not.
    pub units: usize,
    /// The spread of one slice, as the standard deviation of its logarithm.
    pub spread: f64,
}

impl Default for Size {
    fn default() -> Self {
        Self { tables: 2000, targets: 6, units: 20, spread: 0.02 }
    }
}

/// So many of so many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Those counted.
    pub hits: u32,
    /// All.
    pub of: u32,
}

impl Share {
    /// From 0 to 1.
    pub fn rate(self) -> f64 {
        f64::from(self.hits) / f64::from(self.of.max(1))
    }

    /// Whether it is at most `promised`, plus two binomial standard errors.
    pub fn is_within(self, promised: f64) -> bool {
        self.rate() <= promised + 2.0 * (promised * (1.0 - promised) / f64::from(self.of.max(1))).sqrt()
    }

    fn count(&mut self, hit: bool) {
        self.hits += u32::from(hit);
        self.of += 1;
    }
}

/// How often something false was said in a table, of any target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct False {
    /// As a verdict.
    pub verdicts: Share,
    /// By the corrected test alone: a difference however small, equivalence even where the verdict is faster or slower.
    pub tests: Share,
}

impl False {
    fn count(&mut self, wrong: Wrong) {
        self.verdicts.count(wrong.verdict);
        self.tests.count(wrong.test);
    }
}

/// What came of one scenario.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rates {
    /// The scenario.
    pub scenario: Scenario,
    /// Tables of equal targets: a difference.
    pub difference: False,
    /// Tables of equal targets: more than one tier.
    pub tiers: Share,
    /// Tables of targets that all differ by the margin: equivalence.
    pub equivalence: False,
    /// Tables of which every second target differs by the margin and the others not at all: either.
    pub either: False,
    /// Targets that differ by the margin: called faster or slower, and rightly.
    pub power: Share,
    /// Equal targets: called equivalent.
    pub equivalent: Share,
    /// Equal targets: not units enough, as neighbours were averaged that seemed to go together.
    pub too_few: Share,
}

/// Simulates a scenario: tables of equal targets, of targets that differ by the margin, and of both kinds. The seed
/// decides alone.
pub fn simulate(scenario: Scenario, size: Size, rules: Rules, seed: u64) -> Rates {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (none, never) = (Share::default(), False::default());
    let mut rates = Rates {
        scenario,
        difference: never,
        tiers: none,
        equivalence: never,
        either: never,
        power: none,
        equivalent: none,
        too_few: none,
    };
    let equal = |_| 0.0;
    // By turns above and below.
    let apart = |target: usize| if target.is_multiple_of(2) { rules.log_margin() } else { -rules.log_margin() };
    let some = |target: usize| if target.is_multiple_of(2) { apart(target / 2) } else { 0.0 };
    for _ in 0..size.tables {
        let judged = Judged::of(&table(scenario, size, rules, &mut random, equal), equal);
        rates.difference.count(judged.difference);
        rates.tiers.count(judged.several_tiers);
        for verdict in judged.of_equals {
            rates.equivalent.count(verdict == Some(Verdict::Equivalent));
            rates.too_few.count(verdict.is_none());
        }
        let judged = Judged::of(&table(scenario, size, rules, &mut random, apart), apart);
        rates.equivalence.count(judged.equivalence);
        judged.rightly_different.into_iter().for_each(|right| rates.power.count(right));

        let judged = Judged::of(&table(scenario, size, rules, &mut random, some), some);
        rates.either.count(judged.difference.or(judged.equivalence));
    }
    rates
}

/// One table of equal targets. The seed decides alone.
pub fn equals(scenario: Scenario, size: Size, rules: Rules, seed: u64) -> Input {
    table(scenario, size, rules, &mut ChaCha8Rng::seed_from_u64(seed), |_| 0.0)
}

/// One table. `effect` is the truth about each target on the log scale, where the baseline is 0.
fn table(
    scenario: Scenario,
    size: Size,
    rules: Rules,
    random: &mut ChaCha8Rng,
    effect: impl Fn(usize) -> f64,
) -> Input {
    let servers = size.targets + 1;
    // The baseline is the last, so that a target's number is its place.
    let baseline = size.targets;
    let often = NonZeroUsize::MIN;
    let seldom = |server: usize| scenario == Scenario::RestartOffsets && server % 2 == 1 && server != baseline;
    let group = |server: usize| if seldom(server) { SELDOM } else { often };
    let blocks = size.units * if scenario == Scenario::RestartOffsets { SELDOM.get() } else { 1 };

    let mut values = vec![Vec::with_capacity(blocks); servers];
    let mut offsets = vec![0.0; servers];
    let mut order: Vec<usize> = (0..servers).collect();
    for block in 0..blocks {
        order.shuffle(random);
        for (place, server) in order.iter().copied().enumerate() {
            let own = size.spread * normal(random);
            let noise = match scenario {
                Scenario::Disturbed if random.random::<f64>() < 0.1 => {
                    own + 10.0 * size.spread * random.random::<f64>()
                }
                Scenario::Normal | Scenario::Disturbed => own,
                Scenario::UnequalVariance if server == baseline => own,
                Scenario::UnequalVariance => {
                    let along = server as f64 / (size.targets - 1).max(1) as f64;
                    own * 3.0_f64.powf(2.0 * along - 1.0)
                }
                Scenario::Drift => {
                    let in_block = place as f64 / servers as f64;
                    let in_run = (block as f64 + in_block) / blocks as f64;
                    own + 0.1 * in_run + 2.0 * size.spread * in_block
                }
                Scenario::RestartOffsets => {
                    if block % group(server) == 0 {
                        offsets[server] = 2.0 * size.spread * normal(random);
                    }
                    own + offsets[server]
                }
                Scenario::Wandering => {
                    offsets[server] = WANDERING * offsets[server] + (1.0 - WANDERING * WANDERING).sqrt() * own;
                    offsets[server]
                }
            };
            let truth = if server == baseline { 0.0 } else { effect(server) };
            // Around 25 µs; which value makes no difference.
            values[server].push(25.0 * (truth + noise).exp());
        }
    }
    let mut series = values.into_iter().enumerate().map(|(server, values)| {
        Series::new(server.to_string(), values.into_iter().map(Some), group(server)).expect("an exponential is above 0")
    });
    let targets = series.by_ref().take(size.targets).collect();
    Input { metric: Metric::Cost, baseline: series.next().expect("one more"), twin: None, targets, rules }
}

/// Whether something false was said of any target.
#[derive(Debug, Clone, Copy, Default)]
struct Wrong {
    verdict: bool,
    test: bool,
}

impl Wrong {
    fn or(self, other: Self) -> Self {
        Self { verdict: self.verdict || other.verdict, test: self.test || other.test }
    }
}

/// A table beside the truth.
#[derive(Debug, Default)]
struct Judged {
    difference: Wrong,
    equivalence: Wrong,
    several_tiers: bool,
    /// The verdict on each target that is equal in truth; `None` for too few.
    of_equals: Vec<Option<Verdict>>,
    /// For each target that does differ.
    rightly_different: Vec<bool>,
}

impl Judged {
    fn of(input: &Input, effect: impl Fn(usize) -> f64) -> Self {
        let Findings { against_baseline, tiers, rules, .. } = analyse(input);
        let several_tiers = matches!(tiers, Tiers::Shown(tiers) if tiers.iter().any(|tier| tier.letters != "a"));
        let mut judged = Self { several_tiers, ..Self::default() };
        for (target, against) in against_baseline.iter().enumerate() {
            let Found::Compared(comparison) = &against.found else { continue };
            let (truth, lower) = (effect(target), comparison.ratio < 1.0);
            let verdict = match comparison.conclusion {
                Conclusion::Verdict(verdict) => Some(verdict),
                Conclusion::TooFew { .. } => None,
            };
            let (equal, right_side) = (truth == 0.0, lower == (truth < 0.0));
            let false_difference = equal || !right_side;
            let called_different = matches!(verdict, Some(Verdict::Faster | Verdict::Slower));
            judged.difference = judged.difference.or(Wrong {
                verdict: false_difference && called_different,
                test: false_difference && comparison.difference.p_family < rules.alpha(),
            });
            judged.equivalence = judged.equivalence.or(Wrong {
                verdict: !equal && verdict == Some(Verdict::Equivalent),
                test: !equal && comparison.equivalence.p_family < rules.alpha(),
            });
            if equal {
                judged.of_equals.push(verdict);
            } else {
                judged.rightly_different.push(right_side && called_different);
            }
        }
        judged
    }
}

/// A standard normal variate (Box & Muller 1958, *Ann. Math. Stat.* 29:610-611).
fn normal(random: &mut ChaCha8Rng) -> f64 {
    // In (0, 1], so that the logarithm is finite.
    let (radius, angle) = (1.0 - random.random::<f64>(), random.random::<f64>());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_scenario_gives_more_false_verdicts_than_promised() {
        let size = Size { tables: 300, ..Size::default() };
        for scenario in Scenario::PROMISED {
            let rates = simulate(scenario, size, Rules::default(), 2026);
            let Rates { difference, equivalence, tiers, either, .. } = rates;
            for never in [difference, equivalence, either] {
                assert!(never.verdicts.is_within(0.05) && never.tests.is_within(0.05), "{rates:?}");
            }
            assert!(tiers.is_within(0.05), "{rates:?}");
            assert!(rates.power.rate() > 0.8, "{rates:?}");
        }
    }

    #[test]
    fn targets_that_wander_by_themselves_are_a_known_limit() {
        let size = Size { tables: 300, ..Size::default() };
        let rates = simulate(Scenario::Wandering, size, Rules::default(), 2026);
        assert!(!rates.difference.tests.is_within(0.05), "better than its documentation: {rates:?}");
        assert!(rates.difference.tests.is_within(0.2), "{rates:?}");
    }

    #[test]
    fn the_seed_alone_decides() {
        let size = Size { tables: 5, ..Size::default() };
        let once = |seed| simulate(Scenario::Disturbed, size, Rules::default(), seed);
        assert_eq!(once(1), once(1));
        assert_ne!(once(1), once(2));
    }

    #[test]
    fn variates_are_standard_normal() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let values: Vec<f64> = (0..100_000).map(|_| normal(&mut random)).collect();
        let share = |limit: f64| values.iter().filter(|value| **value < limit).count() as f64 / 100_000.0;
        for (limit, expected) in [(-1.96, 0.025), (-1.0, 0.1587), (0.0, 0.5), (1.0, 0.8413), (1.96, 0.975)] {
            assert!((share(limit) - expected).abs() < 0.005, "{limit}: {}", share(limit));
        }
    }

    #[test]
    fn a_share_is_held_to_its_promise_and_two_standard_errors() {
        assert!(Share { hits: 119, of: 2000 }.is_within(0.05));
        assert!(!Share { hits: 120, of: 2000 }.is_within(0.05));
    }
}
