//! Simulated tables: the share of those in which something false is said, beside the limit; and how often a true
//! difference is found.

use std::fmt::Write;

use super::Answer;
use super::swapped;
use crate::report::terminal::grid;
use crate::report::units::short_percent;
use crate::stats::Rules;
use crate::stats::simulate::{Rates, Scenario, Share, Size, equals, simulate};

/// The promise: at most in this share of tables anything false is said.
const PROMISED: f64 = 0.05;

/// Simulates so many tables of each kind. The seed decides alone.
pub fn simulated(tables: u32, seed: u64) -> Answer {
    let size = Size { tables, ..Size::default() };
    let rates: Vec<Rates> =
        Scenario::PROMISED.into_iter().map(|scenario| simulate(scenario, size, Rules::default(), seed)).collect();
    Answer { words: words(&rates, size), holds: rates.iter().all(holds) }
}

/// Swaps the labels of each target and the baseline of simulated tables.
pub fn labels(tables: u32, seed: u64) -> Answer {
    let size = Size { tables, ..Size::default() };
    let (mut pairs, mut wrong) = (0, Vec::new());
    for (scenario, number) in Scenario::PROMISED.into_iter().zip(seed..) {
        for input in (0..size.tables).map(|n| equals(scenario, size, Rules::default(), number + 1000 * u64::from(n))) {
            for target in &input.targets {
                pairs += 1;
                wrong.extend(swapped::difference(&input.baseline, target, input.metric, input.rules));
            }
        }
    }
    let words = match wrong.first() {
        None => format!("labels swapped in {pairs} pairs: every sign turned, and nothing else changed\n"),
        Some(first) => format!("labels swapped in {pairs} pairs: FALSE in {} of them: {first}\n", wrong.len()),
    };
    Answer { words, holds: wrong.is_empty() }
}

/// Every share that is promised to be small, with its name.
fn promised(rates: &Rates) -> [(&'static str, Share); 7] {
    [
        ("difference", rates.difference.verdicts),
        ("difference, test alone", rates.difference.tests),
        ("equivalence", rates.equivalence.verdicts),
        ("equivalence, test alone", rates.equivalence.tests),
        ("either", rates.either.verdicts),
        ("either, test alone", rates.either.tests),
        ("tiers", rates.tiers),
    ]
}

fn worst_test(rates: &Rates) -> Share {
    let tests = [rates.difference.tests, rates.equivalence.tests, rates.either.tests];
    tests.into_iter().max_by_key(|share| share.hits).unwrap_or_default()
}

fn holds(rates: &Rates) -> bool {
    promised(rates).iter().all(|(_, share)| share.is_within(PROMISED))
}

fn words(rates: &[Rates], size: Size) -> String {
    let Size { tables, targets, units, spread } = size;
    let margin = short_percent(Rules::default().margin());
    let limit = PROMISED + 2.0 * (PROMISED * (1.0 - PROMISED) / f64::from(tables.max(1))).sqrt();
    let mut text = format!(
        "{tables} simulated tables of each kind: {targets} targets and a baseline, {units} independent blocks, a spread of \
         {} in each slice\n",
        short_percent(spread)
    );
    let heads = vec![
        "tables with a false …",
        "difference",
        "equivalence",
        "either",
        "tier",
        "by a test",
        "power",
        "equal found",
    ];
    let rows = rates.iter().map(|rates| {
        let name = serde_json::to_value(rates.scenario).ok().and_then(|name| Some(name.as_str()?.replace('_', " ")));
        let mut cells = vec![name.unwrap_or_default()];
        let shares = [
            rates.difference.verdicts,
            rates.equivalence.verdicts,
            rates.either.verdicts,
            rates.tiers,
            worst_test(rates),
            rates.power,
            rates.equivalent,
        ];
        cells.extend(shares.map(percent));
        cells
    });
    let _ = writeln!(text, "{}", grid(&heads, &rows.collect::<Vec<_>>()));
    let _ = writeln!(
        text,
        "limit: {:.2} % (5 % and two binomial standard errors). by a test: the largest of these \
         shares by the corrected tests alone, where the smallest effect that counts does not help. power: of targets that differ by {margin}, those called \
         faster or slower, and rightly; equal found: of equal targets, those called equivalent.",
        limit * 100.0
    );
    for rates in rates {
        for (what, share) in promised(rates).iter().filter(|(_, share)| !share.is_within(PROMISED)) {
            let _ = writeln!(text, "OVER THE LIMIT: {:?}, {what}: {}", rates.scenario, percent(*share));
        }
    }
    text
}

fn percent(share: Share) -> String {
    format!("{:.2} %", share.rate() * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_simulation_keeps_the_promise_and_says_so() {
        let answer = simulated(300, 2026);
        assert!(answer.holds, "{}", answer.words);
        insta::assert_snapshot!(answer.words);
    }

    #[test]
    fn more_false_tables_than_promised_are_found_out() {
        let size = Size { tables: 100, ..Size::default() };
        let mut rates = simulate(Scenario::Normal, size, Rules::default(), 1);
        assert!(holds(&rates));
        rates.either.tests = Share { hits: 10, of: 100 };
        assert!(!holds(&rates));
        assert!(words(&[rates], size).contains("OVER THE LIMIT: Normal, either, test alone: 10.00 %"));
    }

    #[test]
    fn swapped_labels_turn_every_sign_and_nothing_else() {
        let answer = labels(5, 2026);
        assert!(answer.holds, "{}", answer.words);
        assert!(answer.words.contains("in 150 pairs"), "{}", answer.words);
    }
}
