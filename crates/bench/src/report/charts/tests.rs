//! What charts promise, on runs that are the same for ever.

use super::*;
use crate::report::Report;
use crate::results::fixed;

/// A chart's elements, one a line: a snapshot that a reader can follow.
fn lines(chart: &Chart) -> String {
    chart.file().replace(STYLE, "").replace("><", ">\n<")
}

fn charts(run: &crate::results::Run) -> Vec<Chart> {
    let report = Report::of(run);
    report.tables.iter().flat_map(|table| of_table(&report, table)).collect()
}

#[test]
fn a_run_has_a_forest_bars_dots_and_memory() {
    let all = charts(&fixed::run(&[("tokio", 20.0), ("axum", 24.0), ("may", 16.0)], 12, 1));
    let stems: Vec<&str> = all.iter().map(|chart| chart.stem.as_str()).collect();
    assert_eq!(
        stems,
        ["keep-alive-cost-ratio", "keep-alive-rps-ratio", "keep-alive-cost", "keep-alive-slices", "keep-alive-memory"]
    );
    insta::assert_snapshot!("forest", lines(&all[0]));
    insta::assert_snapshot!("cost", lines(&all[2]));
}
