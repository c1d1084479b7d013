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

#[test]
fn a_try_that_was_replaced_is_drawn_apart_and_changes_no_scale_of_values() {
    let mut run = fixed::run(&[("tokio", 20.0), ("axum", 24.0)], 4, 1);
    let before = charts(&run);
    let slices = |all: &[Chart]| lines(all.iter().find(|chart| chart.stem == "keep-alive-slices").unwrap());
    let of_first = |slice: &&crate::results::SliceRecord| slice.block == 1;
    run.replaced = run.slices.iter().filter(of_first).cloned().collect();
    // It took ten times as long, which stands at the edge.
    for slice in &mut run.replaced {
        if let crate::results::Outcome::Valid(measurement) = &mut slice.outcome {
            measurement.cost_us *= 10.0;
        }
    }
    run.slices.iter_mut().filter(|slice| slice.block == 1).for_each(|slice| slice.tried = 1);
    let after = charts(&run);
    let (without, with) = (slices(&before), slices(&after));
    let count = |text: &str, what: &str| text.matches(what).count();
    // A diamond for that block in each strip, and one in the legend.
    assert_eq!((count(&without, "c5 hollow"), count(&with, "c5 hollow")), (0, 3));
    assert_eq!(count(&without, "class=\"dot"), count(&with, "class=\"dot"));
    assert_eq!(count(&with, "measured again: in no figure"), 1, "in the legend");
    assert_eq!(count(&with, "; apart from them 2 of blocks that were measured again"), 1, "in words");
    let scale =
        |text: &str| text.lines().filter(|line| line.contains("soft small end")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(scale(&without), scale(&with));
    for (one, other) in before.iter().zip(&after).filter(|(one, _)| one.stem != "keep-alive-slices") {
        assert_eq!(lines(one), lines(other), "{}", one.stem);
    }
}

#[test]
fn a_slice_that_failed_in_a_try_that_was_replaced_is_not_like_one_that_counts() {
    let mut run = fixed::run(&[("tokio", 20.0), ("axum", 24.0)], 4, 1);
    let of =
        |run: &crate::results::Run| lines(charts(run).iter().find(|chart| chart.stem.ends_with("slices")).unwrap());
    let count = |text: &str, what: &str| text.matches(what).count();
    run.replaced = run.slices.iter().filter(|slice| slice.block == 1).cloned().collect();
    let valid = of(&run);
    let whole = std::mem::take(&mut run.slices);
    run.slices = std::mem::take(&mut run.replaced);
    fixed::fail(&mut run, "axum");
    run.replaced = std::mem::replace(&mut run.slices, whole);
    let failed = of(&run);
    // Two diamonds and one in the legend; then one of each kind, and one of each in the legend.
    assert_eq!((count(&valid, "c5 hollow"), count(&failed, "c5 hollow")), (3, 2));
    assert_eq!((count(&valid, "symbol c5\""), count(&failed, "symbol c5\"")), (0, 2));
    assert_eq!(count(&failed, "failed, in a block that was measured again"), 1);
    assert_eq!(count(&failed, "symbol c1"), 0, "none that counts failed");
}

/// The kept example, which has two shapes.
fn kept() -> crate::results::Run {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept/run-1");
    crate::results::Run::read(&folder).unwrap()
}

/// The words below the plot: ticks, and what the axis measures.
fn small_words(chart: &Chart) -> Vec<String> {
    let lines = lines(chart);
    let words = lines.lines().filter(|line| line.starts_with("<text class=\"soft small middle\""));
    words.map(|line| line.split(['>', '<']).nth(2).unwrap_or_default().to_owned()).collect()
}

#[test]
fn charts_that_are_compared_share_one_scale() {
    let all = charts(&kept());
    let of = |stem: &str| small_words(all.iter().find(|chart| chart.stem == stem).unwrap());
    for what in ["cost-ratio", "cost", "memory", "slices"] {
        let (one, other) = (of(&format!("keep-alive-{what}")), of(&format!("close-{what}")));
        assert!(one.len() > 2 && one == other, "{what}: {one:?}, {other:?}");
    }
    assert_eq!(of("close-cost")[0], "0");
    assert!(of("close-cost-ratio").last().unwrap().ends_with("(log scale)"));
}

#[test]
fn no_line_joins_targets() {
    let all = charts(&kept());
    assert!(all.iter().all(|chart| !chart.file().contains("class=\"curve")));
}

#[test]
fn a_name_is_never_markup_and_too_long_a_one_is_cut_and_kept_as_a_title() {
    let name = "a<b>&\"c\" and then on and on until it is 60 characters long--";
    let all = charts(&fixed::run(&[("tokio", 20.0), (name, 24.0)], 12, 1));
    let file = all[0].file();
    assert!(!file.contains("<b>") && file.contains("a&lt;b&gt;&amp;"), "{file}");
    assert!(
        file.contains(
            "…<title>a&lt;b&gt;&amp;&quot;c&quot; and then on and on until it is 60 characters long--</title>"
        ),
        "{file}"
    );
}

fn xy(series: usize, joined: bool) -> Curves {
    let points = |n: usize| [1.0, 4.0, 16.0].map(|x| Point { x, y: x * (n + 1) as f64, ends: Some((x, 2.0 * x)) });
    let series: Vec<Series> =
        (0..series).map(|n| Series { name: format!("server-{n}"), points: points(n).into() }).collect();
    let y = Axis::from_zero(series.iter().flat_map(|one| &one.points).map(|point| point.y), "req/s");
    Curves { x: Axis::log([1.0, 16.0], "connections"), y, series, joined }
}

#[test]
fn up_to_six_series_share_a_drawing_and_more_have_a_panel_each() {
    let drawn = |of: &Curves| lines(&Chart::draw("xy", "Two quantities", "", |place| curves(place, of)));
    let six = drawn(&xy(6, true));
    assert_eq!((six.matches("class=\"curve").count(), six.matches("class=\"ghost").count()), (6, 0));
    let seven = drawn(&xy(7, true));
    assert_eq!((seven.matches("class=\"curve").count(), seven.matches("class=\"ghost").count()), (7, 42));
    let free = drawn(&xy(2, false));
    assert!(!free.contains("class=\"curve"), "points alone");
    insta::assert_snapshot!("points_of_two_series", free);
}
