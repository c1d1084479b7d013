//! Several runs beside each other: each column is a run by itself. Their ratios may be read across, as each is to a
//! baseline of the same run; figures of different machines are never put in one order.

use maud::{Markup, html};

use super::Shown;
use crate::load::Shape;
use crate::report::judgement::{Judgement, compared};
use crate::report::table::Table;
use crate::report::units::{digits, ratio};
use crate::report::verdicts::between;
use crate::stats::Conclusion;

/// A table for every shape that at least two of the runs have.
pub fn section(runs: &[Shown]) -> Markup {
    let mut shapes: Vec<Shape> =
        runs.iter().filter(|run| run.report.run.record.options.sweep.is_none()).flat_map(shapes).collect();
    shapes.sort_unstable();
    let shared = shapes.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).map(|same| same[0]);
    html! {
        h2 { "Side by side" }
        p { "Each column is a run by itself, with its own baseline and its own noise. Cost in µs, and its ratio to the baseline of the "
            "same run with the 95 % interval. Rows stand by name: what was measured under different conditions has no common order." }
        @for shape in shared { section data-shape=(shape) {
            h3 { (shape) }
            (of_shape(runs, shape))
        } }
        ol { @for (n, run) in runs.iter().enumerate() {
            @let record = &run.report.run.record;
            li { a href=(format!("#run-{}", n + 1)) { "Run " (n + 1) } ": " (record.began) ", " (record.machine.host) ", "
                (record.machine.cpu.model) ", commit " (record.commit.short()) ", conditions " code { (record.fingerprint.hash) } }
        } }
    }
}

fn shapes(run: &Shown) -> Vec<Shape> {
    run.report.run.record.options.shapes.clone()
}

fn of_shape(runs: &[Shown], shape: Shape) -> Markup {
    let tables: Vec<Option<&Table>> =
        runs.iter().map(|run| run.report.tables.iter().find(|table| table.shape == shape)).collect();
    let mut names: Vec<&str> =
        (runs.iter().flat_map(|run| run.report.run.record.compared())).map(|target| target.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("Runs side by side, {shape}")) { table {
            thead { tr {
                th scope="col" { "target" }
                @for (n, run) in runs.iter().enumerate() {
                    th scope="col" { "run " (n + 1) small { "beside " (run.report.run.record.comparison.baseline) } }
                }
            } }
            tbody { @for name in names { tr data-name=(name) {
                th scope="row" title=(name) { (name) }
                @for table in &tables { td { (table.map_or(html! { "–" }, |table| cell(table, name))) } }
            } } }
        } }
    }
}

fn cell(table: &Table, name: &str) -> Markup {
    if table.failed.iter().any(|below| below.target.name == name) {
        return html! { span.failed { "FAILED" } };
    }
    if table.below.iter().any(|below| below.target.name == name) {
        return html! { "not ranked" };
    }
    let Some(row) = table.ranked.iter().find(|row| row.target.name == name) else { return html! { "–" } };
    let ratio = match &table.judgement {
        Judgement::Ratios { cost, .. } if cost.baseline == name => "baseline".to_owned(),
        Judgement::Ratios { cost, .. } => compared(cost, name).map_or(String::new(), |found| {
            let verdict = match found.conclusion {
                Conclusion::Verdict(verdict) => verdict.words(),
                Conclusion::TooFew { .. } => "too few blocks",
            };
            let ends = found.interval.map_or(found.range, |interval| (interval.low, interval.high));
            format!("{} ({}) {verdict}", ratio(found.ratio), between(ends))
        }),
        Judgement::None(_) => String::new(),
    };
    html! { (digits(row.cost_us.median)) @if !ratio.is_empty() { " · " (ratio) } }
}
