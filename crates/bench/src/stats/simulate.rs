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
}

impl Scenario {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Normal, Self::Disturbed, Self::UnequalVariance, Self::Drift, Self::RestartOffsets];
}

/// How large a simulation is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Size {
    /// Tables for each truth.
    pub tables: u32,
    /// Targets beside the baseline.
    pub targets: usize,
    /// Independent units of each pair.
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

/// What came of one scenario. A share of tables counts those in which it happened to any target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rates {
    /// The scenario.
    pub scenario: Scenario,
    /// Tables of equal targets with a target called faster or slower.
    pub false_difference: Share,
    /// The same by the corrected test alone, whatever the size of the estimate.
    pub false_difference_test: Share,
    /// Tables of equal targets with more than one tier.
    pub false_tier: Share,
    /// Tables of targets that differ by the margin, with one called equivalent.
    pub false_equivalence: Share,
    /// The same by the corrected test alone, even where the verdict is faster or slower.
    pub false_equivalence_test: Share,
    /// Tables of targets of which every second differs by the margin, with any false verdict.
    pub false_mixed: Share,
    /// The same by the corrected tests alone.
    pub false_mixed_test: Share,
    /// Targets that differ by the margin that were called faster or slower, and rightly.
    pub power: Share,
    /// Equal targets that were called equivalent.
    pub equivalent: Share,
    /// Comparisons without units enough: neighbours were averaged, as if they had gone together.
    pub too_few: Share,
}

/// Simulates a scenario: tables of equal targets, of targets that differ by the margin, and of both kinds. The seed
/// decides alone.
pub fn simulate(scenario: Scenario, size: Size, rules: Rules, seed: u64) -> Rates {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let none = Share::default();
    let mut rates = Rates {
        scenario,
        false_difference: none,
        false_difference_test: none,
        false_tier: none,
        false_equivalence: none,
        false_equivalence_test: none,
        false_mixed: none,
        false_mixed_test: none,
        power: none,
        equivalent: none,
        too_few: none,
    };
    let margin = rules.log_margin();
    // By turns above and below.
    let apart = |target: usize| if target % 2 == 0 { margin } else { -margin };
    for _ in 0..size.tables {
        let equal = Judged::of(&table(scenario, size, rules, &mut random, |_| 0.0), |_| 0.0);
        rates.false_difference.count(equal.false_difference);
        rates.false_difference_test.count(equal.false_difference_test);
        rates.false_tier.count(equal.several_tiers);

        let different = Judged::of(&table(scenario, size, rules, &mut random, apart), apart);
        rates.false_equivalence.count(different.false_equivalence);
        rates.false_equivalence_test.count(different.false_equivalence_test);

        let some = |target: usize| if target % 2 == 0 { apart(target / 2) } else { 0.0 };
        let mixed = Judged::of(&table(scenario, size, rules, &mut random, some), some);
        rates.false_mixed.count(mixed.false_difference || mixed.false_equivalence);
        rates.false_mixed_test.count(mixed.false_difference_test || mixed.false_equivalence_test);

        for verdict in &equal.verdicts {
            rates.equivalent.count(*verdict == Some(Verdict::Equivalent));
            rates.too_few.count(verdict.is_none());
        }
        for right in different.rightly_different {
            rates.power.count(right);
        }
    }
    rates
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
                Scenario::Normal => own,
                Scenario::Disturbed if random.random::<f64>() < 0.1 => {
                    own + 10.0 * size.spread * random.random::<f64>()
                }
                Scenario::Disturbed => own,
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

/// A table beside the truth.
struct Judged {
    false_difference: bool,
    false_difference_test: bool,
    false_equivalence: bool,
    false_equivalence_test: bool,
    several_tiers: bool,
    /// `None` for too few.
    verdicts: Vec<Option<Verdict>>,
    /// For each target that does differ.
    rightly_different: Vec<bool>,
}

impl Judged {
    fn of(input: &Input, effect: impl Fn(usize) -> f64) -> Self {
        let Findings { against_baseline, tiers, rules, .. } = analyse(input);
        let mut judged = Self {
            false_difference: false,
            false_difference_test: false,
            false_equivalence: false,
            false_equivalence_test: false,
            several_tiers: matches!(tiers, Tiers::Shown(tiers) if tiers.iter().any(|tier| tier.letters != "a")),
            verdicts: Vec::new(),
            rightly_different: Vec::new(),
        };
        for (target, against) in against_baseline.iter().enumerate() {
            let Found::Compared(comparison) = &against.found else { continue };
            let (truth, lower) = (effect(target), comparison.ratio < 1.0);
            let differs = comparison.difference.p_family < rules.alpha();
            let equivalent = comparison.equivalence.p_family < rules.alpha();
            let verdict = match comparison.conclusion {
                Conclusion::Verdict(verdict) => Some(verdict),
                Conclusion::TooFew { .. } => None,
            };
            let right = if truth < 0.0 { Verdict::Faster } else { Verdict::Slower };
            let called_different = matches!(verdict, Some(Verdict::Faster | Verdict::Slower));
            if truth == 0.0 {
                judged.false_difference |= called_different;
                judged.false_difference_test |= differs;
            } else {
                judged.false_difference |= called_different && verdict != Some(right);
                judged.false_difference_test |= differs && lower != (truth < 0.0);
                judged.false_equivalence |= verdict == Some(Verdict::Equivalent);
                judged.false_equivalence_test |= equivalent;
                judged.rightly_different.push(verdict == Some(right));
            }
            judged.verdicts.push(verdict);
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
