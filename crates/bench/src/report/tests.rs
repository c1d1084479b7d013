//! What a reader sees, of runs that are the same for ever.

use super::*;
use crate::results::{Run, fixed};
use crate::stats::{Conclusion, Found, Verdict};

const FOUR: [(&str, f64); 4] = [("tokio", 20.0), ("axum", 24.0), ("smol", 20.1), ("may", 16.0)];

fn terminal(run: &Run) -> String {
    terminal::terminal(&Report::of(run))
}

/// The terminal's text without the lines below the tables, which are the same for all.
fn tables(run: &Run) -> String {
    terminal(run).split("\ncost: server").next().unwrap().to_owned()
}

#[test]
fn every_target_has_its_ratio_interval_verdict_and_tier() {
    let text = terminal(&fixed::run(&FOUR, 18, 1));
    insta::assert_snapshot!(text);
    assert!(text.lines().all(|line| line.starts_with("ratio: ") || line.chars().count() <= 120));
}

#[test]
fn the_same_as_markdown() {
    let run = fixed::run(&FOUR, 18, 1);
    insta::assert_snapshot!(markdown::one(&Report::of(&run).tables[0]));
}

#[test]
fn with_too_few_blocks_there_are_ratios_and_their_spread_but_no_verdict() {
    let text = terminal(&fixed::run(&FOUR, 2, 1));
    insta::assert_snapshot!(text);
    for word in ["faster", "slower", "equivalent", "unresolved", "tier"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

#[test]
fn where_the_load_tool_is_the_limit_requests_per_second_have_no_verdict() {
    let mut run = fixed::run(&FOUR, 18, 1);
    fixed::each(&mut run, "may", fixed::client_bound);
    insta::assert_snapshot!("one_client_bound", tables(&run));
    fixed::each(&mut run, "tokio", fixed::client_bound);
    insta::assert_snapshot!("the_baseline_client_bound", tables(&run));
}

#[test]
fn requests_per_second_of_server_and_load_tool_together_are_in_brackets_and_have_no_verdict() {
    let mut run = fixed::run(&FOUR, 18, 1);
    fixed::each(&mut run, "may", fixed::shared_cpu);
    insta::assert_snapshot!("one_of_the_pair", tables(&run));
    fixed::each(&mut run, "tokio", fixed::shared_cpu);
    let text = tables(&run);
    assert!(text.contains("the baseline's req/s is of server and load tool together"), "{text}");
}

#[test]
fn a_record_from_before_limits_were_told_has_the_load_tool_s_by_its_cpu_time() {
    let mut run = fixed::run(&FOUR[..2], 12, 1);
    fixed::each(&mut run, "axum", |measurement| {
        fixed::client_bound(measurement);
        measurement.limit = crate::results::Limit::Unknown;
    });
    assert!(tables(&run).contains("≥ "));
}

#[test]
fn at_a_fixed_rate_the_load_tool_sets_no_lower_bound() {
    let mut run = fixed::run(&FOUR[..2], 12, 1);
    fixed::each(&mut run, "axum", |measurement| {
        fixed::client_bound(measurement);
        let latencies_ns = serde_json::from_str("[[1000,10]]").unwrap();
        measurement.fixed_rate = Some(crate::results::FixedRate { offered_rps: measurement.rps, latencies_ns });
    });
    assert!(!tables(&run).contains('≥'));
}

#[test]
fn the_markdown_has_what_was_seen_under_load_before_who_was_measured() {
    let mut run = fixed::run(&FOUR, 18, 1);
    run.blocks_again = 2;
    let text = markdown::markdown(&Report::of(&run));
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    assert!(at("2 of 18 blocks were disturbed") < at("\n## Under load\n"));
    assert!(at("\n## Under load\n") < at("\n## Who was measured\n"));
}

#[test]
fn who_failed_stands_at_the_bottom_with_the_reason_and_has_no_verdict() {
    let mut run = fixed::run(&FOUR, 18, 1);
    fixed::fail(&mut run, "axum");
    insta::assert_snapshot!(tables(&run));
}

#[test]
fn a_failed_target_makes_the_others_no_surer() {
    let (all, mut one_failed) = (fixed::run(&FOUR, 18, 1), fixed::run(&FOUR, 18, 1));
    fixed::fail(&mut one_failed, "axum");
    let p = |run: &Run| {
        let report = Report::of(run);
        let Judgement::Ratios { cost, .. } = &report.tables[0].judgement else { panic!("judged") };
        let smol = cost.against_baseline.iter().find(|against| against.target == "smol").unwrap();
        let Found::Compared(comparison) = &smol.found else { panic!("compared") };
        comparison.equivalence.p_family
    };
    assert!(p(&one_failed) >= p(&all));
}

#[test]
fn without_a_baseline_there_are_figures_and_no_ratios() {
    let mut run = fixed::run(&FOUR, 18, 1);
    fixed::fail(&mut run, "tokio");
    fixed::fail(&mut run, "tokio (again)");
    insta::assert_snapshot!(tables(&run));
}

#[test]
fn a_run_in_which_everything_failed_says_so() {
    let mut run = fixed::run(&FOUR[..2], 2, 1);
    for target in ["tokio", "axum", "tokio (again)"] {
        fixed::fail(&mut run, target);
    }
    insta::assert_snapshot!(tables(&run));
}

#[test]
fn one_target_has_its_noise_floor_and_nothing_beside_it() {
    insta::assert_snapshot!(tables(&fixed::run(&FOUR[..1], 12, 1)));
}

#[test]
fn a_second_self_that_failed_leaves_the_noise_floor_unknown() {
    let mut run = fixed::run(&FOUR[..2], 12, 1);
    fixed::fail(&mut run, "tokio (again)");
    insta::assert_snapshot!(tables(&run));
}

#[test]
fn a_baseline_that_differs_from_itself_stamps_table_and_markdown() {
    let mut run = fixed::run(&FOUR, 18, 1);
    fixed::each(&mut run, "tokio (again)", |measurement| measurement.cost_us *= 1.1);
    let report = Report::of(&run);
    let said = "NOT TO BE TRUSTED: tokio came out different from itself (cost ";
    assert!(terminal::terminal(&report).contains(said));
    assert!(markdown::markdown(&report).contains(&format!("**{said}")));
    assert!(report.tables[0].judgement.is_stamped());
    assert!(!Report::of(&fixed::run(&FOUR, 18, 1)).tables[0].judgement.is_stamped());
}

#[test]
fn a_partial_run_is_judged_by_the_blocks_it_has() {
    let mut run = fixed::run(&FOUR, 18, 1);
    run.slices.truncate(3 * 5 + 2);
    let text = terminal(&run);
    assert!(text.contains("PARTIAL: 17 of 90 slices"), "{text}");
    assert!(text.contains("too few blocks for verdicts (4 of 7)"), "{text}");
}

#[test]
fn rows_stand_in_the_order_of_their_tiers() {
    let report_of = fixed::run(&[("tokio", 20.0), ("a", 22.0), ("b", 19.0), ("c", 20.1), ("d", 19.9)], 18, 5);
    let report = Report::of(&report_of);
    let Judgement::Ratios { cost, .. } = &report.tables[0].judgement else { panic!("judged") };
    let crate::stats::Tiers::Shown(tiers) = &cost.tiers else { panic!("tiers") };
    let rows: Vec<&str> = report.tables[0].ranked.iter().map(|row| row.target.name.as_str()).collect();
    assert_eq!(rows, tiers.iter().map(|tier| tier.target.as_str()).collect::<Vec<_>>());
}

#[test]
fn a_margin_that_was_chosen_is_the_one_that_decides_and_is_named() {
    let mut run = fixed::run(&[("tokio", 20.0), ("axum", 21.4)], 18, 1);
    let verdict = |run: &Run| {
        let report = Report::of(run);
        let Judgement::Ratios { cost, .. } = &report.tables[0].judgement else { panic!("judged") };
        let Found::Compared(comparison) = &cost.against_baseline[0].found else { panic!("compared") };
        comparison.conclusion
    };
    assert_eq!(verdict(&run), Conclusion::Verdict(Verdict::Slower));
    run.record.comparison.rules = crate::stats::Rules::new(0.1, 0.1).unwrap();
    assert_eq!(verdict(&run), Conclusion::Verdict(Verdict::Equivalent));
    assert!(terminal(&run).contains("by 10 % or more, equivalent if no further apart than 10 %"));
}
