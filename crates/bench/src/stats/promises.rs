//! What the findings promise as a whole.

use std::num::NonZeroUsize;
use std::time::Instant;

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::*;

fn series(name: &str, values: impl IntoIterator<Item = f64>) -> Series {
    Series::new(name, values.into_iter().map(Some), NonZeroUsize::MIN).unwrap()
}

/// Values around a centre, within 2 %.
fn around(centre: f64, blocks: usize, random: &mut ChaCha8Rng) -> Vec<f64> {
    (0..blocks).map(|_| centre * random.random_range(0.98..1.02)).collect()
}

fn input(metric: Metric, baseline: Series, targets: Vec<Series>) -> Input {
    Input { metric, baseline, twin: None, targets, rules: Rules::default() }
}

/// A table of targets with these centres beside a baseline of 100.
fn table(metric: Metric, centres: &[f64], blocks: usize) -> Input {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let baseline = series("baseline", around(100.0, blocks, &mut random));
    let targets = centres.iter().map(|c| series(&format!("at {c}"), around(*c, blocks, &mut random))).collect();
    input(metric, baseline, targets)
}

fn compared(found: &Found) -> &Comparison {
    match found {
        Found::Compared(comparison) => comparison,
        Found::NothingInCommon => panic!("nothing in common"),
    }
}

fn words(findings: &Findings) -> Vec<&'static str> {
    let word = |against: &Against| match compared(&against.found).conclusion {
        Conclusion::Verdict(verdict) => verdict.words(),
        Conclusion::TooFew { .. } => "too few",
    };
    findings.against_baseline.iter().map(word).collect()
}

fn letters(findings: &Findings) -> Vec<(&str, &str)> {
    match &findings.tiers {
        Tiers::Shown(tiers) => tiers.iter().map(|t| (t.target.as_str(), t.letters.as_str())).collect(),
        Tiers::TooFew { .. } => Vec::new(),
    }
}

#[test]
fn clear_cases_come_out_clear_and_a_is_the_best() {
    let cost = analyse(&table(Metric::Cost, &[130.0, 100.0, 80.0], 20));
    assert_eq!(words(&cost), ["slower", "equivalent", "faster"]);
    let tiers = letters(&cost);
    assert_eq!((tiers[0], tiers[3]), (("at 80", "a"), ("at 130", "c")));
    assert_eq!((tiers[1].1, tiers[2].1), ("b", "b"));

    let rps = analyse(&table(Metric::Rps, &[130.0, 100.0, 80.0], 20));
    assert_eq!(words(&rps), ["faster", "equivalent", "slower"]);
    assert_eq!((letters(&rps)[0], letters(&rps)[3]), (("at 130", "a"), ("at 80", "c")));
}

#[test]
fn too_few_blocks_give_estimates_and_no_verdict_or_tier() {
    let findings = analyse(&table(Metric::Cost, &[200.0], 5));
    let comparison = compared(&findings.against_baseline[0].found);
    assert_eq!(comparison.conclusion, Conclusion::TooFew { units: 5, needed: 6 });
    assert_eq!(findings.tiers, Tiers::TooFew { units: 5, needed: 6 });
    assert!(comparison.interval.is_none() && findings.resolution.is_none());
    assert!((1.9..2.1).contains(&comparison.ratio), "{}", comparison.ratio);
    assert!(comparison.range.0 <= comparison.ratio && comparison.ratio <= comparison.range.1);
}

#[test]
fn a_target_that_shares_no_block_is_named_and_makes_the_others_no_surer() {
    let mut with = table(Metric::Cost, &[104.0], 8);
    let without = analyse(&with);
    let absent = Series::new("absent", [None; 8], NonZeroUsize::MIN).unwrap();
    with.targets.push(absent);
    let with = analyse(&with);
    assert_eq!(with.against_baseline[1].found, Found::NothingInCommon);
    let p = |findings: &Findings| compared(&findings.against_baseline[0].found).difference.p_family;
    assert!(p(&with) >= p(&without));
    assert_eq!(letters(&with).len(), 2);
}

#[test]
fn a_baseline_that_differs_from_itself_stamps_the_table() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for (centre, stamped) in [(100.0, false), (110.0, true)] {
        let mut input = table(Metric::Cost, &[100.0, 90.0], 20);
        input.twin = Some(series("baseline again", around(centre, 20, &mut random)));
        let findings = analyse(&input);
        assert_eq!(findings.noise_floor.as_ref().unwrap().stamped, stamped, "{findings:?}");
        assert!(letters(&findings).iter().all(|(target, _)| *target != "baseline again"));
    }
}

#[test]
fn no_target_beside_the_baseline_is_no_fault() {
    let findings = analyse(&table(Metric::Cost, &[], 20));
    assert!(findings.against_baseline.is_empty() && findings.resolution.is_none());
}

#[test]
fn what_could_be_seen_is_about_what_the_spread_and_the_blocks_allow() {
    let seen = |blocks| analyse(&table(Metric::Cost, &[100.0; 5], blocks)).resolution.unwrap();
    let (few, many) = (seen(10), seen(160));
    assert!(few.median <= few.widest);
    // Four times as exact with sixteen times the blocks.
    assert!((2.5..6.0).contains(&(few.median / many.median)), "{few:?} {many:?}");
}

#[test]
fn the_pilots_number_of_blocks_reaches_the_half_width_it_was_asked_for() {
    let half_width = 0.005;
    let mut reached = 0;
    for seed in 0..100 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut run = |blocks| {
            let baseline = series("baseline", around(100.0, blocks, &mut random));
            input(Metric::Cost, baseline, vec![series("x", around(100.0, blocks, &mut random))])
        };
        let planned = units_for(&run(10), half_width).unwrap();
        assert_eq!(planned.because, Because::Spread("x".into()));
        reached += u32::from(analyse(&run(planned.units)).resolution.is_some_and(|seen| seen.median <= half_width));
    }
    assert!(reached >= 70, "{reached} of 100");
}

#[test]
fn a_pilot_plans_as_many_units_as_verdicts_take_with_neighbours_averaged() {
    let quiet = table(Metric::Cost, &[100.0; 39], 8);
    assert_eq!(units_for(&quiet, 0.5).unwrap(), Planned { units: 22, because: Because::Verdicts });
}

#[test]
fn a_pilot_that_shows_no_spread_is_too_short() {
    let short = units_for(&table(Metric::Cost, &[100.0], 2), 0.03).unwrap_err();
    assert_eq!(short, PilotTooShort { target: "at 100".into(), units: 2 });
}

#[test]
fn findings_are_data_that_others_can_read() {
    let json = serde_json::to_value(analyse(&table(Metric::Cost, &[130.0], 20))).unwrap();
    assert_eq!(json["metric"], "cost");
    let comparison = &json["against_baseline"][0]["found"]["compared"];
    assert_eq!(comparison["conclusion"]["verdict"], "slower");
    assert_eq!(json["tiers"]["shown"][1]["letters"], "b");
}

/// Forty targets and a hundred blocks are to take under a second: optimised, 0.11 s were seen on a shared core (AMD EPYC). Here
/// it is held that a table takes no more than its pairs do, so that it stays so on any machine.
#[test]
fn the_time_of_an_analysis_grows_no_faster_than_its_pairs() {
    let best_of_three = |targets: u32| {
        let centres: Vec<f64> = (1..targets).map(|target| 80.0 + f64::from(target)).collect();
        let input = table(Metric::Cost, &centres, 100);
        let once = || {
            let began = Instant::now();
            assert_eq!(letters(&analyse(&input)).len(), targets as usize);
            began.elapsed().as_secs_f64()
        };
        (0..3).map(|_| once()).fold(f64::INFINITY, f64::min)
    };
    let pairs = |targets: f64| targets * (targets - 1.0) / 2.0;
    let (few, many) = (best_of_three(10), best_of_three(40));
    // The processor may be busy with others, and twice as much is no other law.
    assert!(many < 3.0 * few * pairs(40.0) / pairs(10.0), "{few} s for 10, {many} s for 40");
}

fn blocks() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let near = 0.9..1.1_f64;
    (prop::sample::select(vec![0.8, 0.97, 1.0, 1.03, 1.2]), prop::collection::vec((near.clone(), near), 1..30))
        .prop_map(|(effect, noise)| noise.into_iter().map(|(a, b)| (20.0 * effect * a, 20.0 * b)).collect())
}

fn pair(metric: Metric, blocks: &[(f64, f64)], scale: f64) -> Input {
    let target = series("b", blocks.iter().map(|(target, _)| target * scale));
    input(metric, series("a", blocks.iter().map(|(_, baseline)| baseline * scale)), vec![target])
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-9
}

proptest! {
    #[test]
    fn swapping_the_labels_turns_every_sign_and_nothing_else(blocks in blocks()) {
        let one = analyse(&pair(Metric::Cost, &blocks, 1.0));
        let swapped = blocks.iter().map(|(target, baseline)| (*baseline, *target)).collect::<Vec<_>>();
        let other = analyse(&pair(Metric::Cost, &swapped, 1.0));
        let (a, b) = (compared(&one.against_baseline[0].found), compared(&other.against_baseline[0].found));
        prop_assert!(close(a.ratio, 1.0 / b.ratio));
        prop_assert!(close(a.range.0, 1.0 / b.range.1) && close(a.range.1, 1.0 / b.range.0));
        prop_assert_eq!(a.interval.is_some(), b.interval.is_some());
        for (a, b) in a.interval.iter().zip(b.interval) {
            prop_assert!(close(a.low, 1.0 / b.high) && close(a.high, 1.0 / b.low) && close(a.level, b.level));
        }
        prop_assert_eq!((a.groups, a.units, a.autocorrelation), (b.groups, b.units, b.autocorrelation));
        prop_assert_eq!((a.difference, a.equivalence), (b.difference, b.equivalence));
        prop_assert_eq!(one.resolution, other.resolution);
        let turned = match words(&other)[0] {
            "faster" => "slower",
            "slower" => "faster",
            same => same,
        };
        prop_assert_eq!(words(&one)[0], turned);
    }

    #[test]
    fn a_change_of_units_changes_nothing(blocks in blocks(), scale in 1e-6..1e6_f64) {
        let (one, scaled) = (analyse(&pair(Metric::Rps, &blocks, 1.0)), analyse(&pair(Metric::Rps, &blocks, scale)));
        let (a, b) = (compared(&one.against_baseline[0].found), compared(&scaled.against_baseline[0].found));
        prop_assert!(close(a.ratio, b.ratio));
        prop_assert_eq!((a.difference, a.equivalence, a.conclusion), (b.difference, b.equivalence, b.conclusion));
        prop_assert_eq!(letters(&one), letters(&scaled));
    }

    #[test]
    fn the_order_of_blocks_changes_nothing_but_autocorrelation(blocks in blocks(), turn in 0..30_usize) {
        let mut turned = blocks.clone();
        turned.rotate_left(turn % blocks.len());
        turned.reverse();
        let (one, other) = (analyse(&pair(Metric::Cost, &blocks, 1.0)), analyse(&pair(Metric::Cost, &turned, 1.0)));
        let (a, b) = (compared(&one.against_baseline[0].found), compared(&other.against_baseline[0].found));
        prop_assume!(a.averaged == 1 && b.averaged == 1);
        let same = Comparison { autocorrelation: a.autocorrelation, ..b.clone() };
        prop_assert_eq!(a, &same);
        prop_assert_eq!(one.tiers, other.tiers);
    }

    #[test]
    fn whatever_is_different_or_equivalent_has_an_interval_that_says_so(blocks in blocks()) {
        let findings = analyse(&pair(Metric::Cost, &blocks, 1.0));
        let comparison = compared(&findings.against_baseline[0].found);
        if let Some(interval) = comparison.interval {
            let outside = interval.low > 1.0 || interval.high < 1.0;
            match words(&findings)[0] {
                "faster" | "slower" => prop_assert!(outside),
                // One comparison: no difference shown, or one under 2 %.
                "unresolved" => prop_assert!(!outside || (comparison.ratio.ln().abs() < 1.02_f64.ln())),
                _ => prop_assert!((comparison.ratio.ln()).abs() < 1.05_f64.ln()),
            }
        }
    }
}
