//! `report.html`: one file that needs nothing else, for a screen of any size, for either colour scheme and for paper.

mod measured;
mod printed;
mod side_by_side;
mod table;

use maud::{DOCTYPE, Markup, PreEscaped, html};

pub(super) use measured::in_short;

use super::charts::{self, Chart};
use super::columns::{notes, title};
use super::latency;
use super::sentences;
use super::table::{Report, Table};
use super::{mirrors, sweep, verdicts};
use crate::load::Shape;
use crate::results::Printed;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A run on a page.
pub struct Shown<'a> {
    /// What it found.
    pub report: &'a Report<'a>,
    /// The name of its folder.
    pub folder: String,
    /// Those of its files that are beside the page.
    pub files: Vec<&'static str>,
    /// What load tools and servers printed, as far as it is beside the page.
    pub printed: Printed,
}

/// One run, or several that stand one after the other and share no ranking.
pub fn page(runs: &[Shown]) -> String {
    let first = runs.first().map(|run| &run.report.run.record);
    let heading = match runs {
        [one] => heading(one.report),
        _ => format!("What a response costs: {} runs", runs.len()),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // Whatever a name holds, nothing is fetched and nothing but this script runs.
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (heading) }
                style { (PreEscaped(charts::STYLE)) (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (heading) }
                    @if let (Some(record), [_]) = (first, runs) { p.facts { (measured::in_short(record)) } }
                    (filter(runs))
                }
                main {
                    @if runs.len() > 1 { (side_by_side::section(runs)) }
                    @for (n, run) in runs.iter().enumerate() { (of_run(run, (runs.len() > 1).then_some(n + 1))) }
                }
                footer {
                    p { "Made by hello-bench " (env!("CARGO_PKG_VERSION")) " from the records of the run alone; "
                        code { "hello-bench report DIR" } " makes it again." }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn heading(report: &Report) -> String {
    let (count, record) = (report.run.record.compared().count(), &report.run.record);
    let s = if count == 1 { "" } else { "s" };
    match record.options.sweep {
        Some(knob) => format!("A sweep of {knob} over {count} target{s}"),
        None => format!("What a response costs in {count} target{s}"),
    }
}

/// Shapes and load tools can be chosen where there is more than one.
fn filter(runs: &[Shown]) -> Markup {
    let mut shapes: Vec<String> =
        (runs.iter().flat_map(|run| &run.report.run.record.options.shapes)).map(ToString::to_string).collect();
    let mut tools: Vec<String> = runs.iter().map(|run| run.report.run.record.tool.name.clone()).collect();
    for all in [&mut shapes, &mut tools] {
        all.sort();
        all.dedup();
    }
    html! {
        div.filter role="search" {
            label { "Target" input #by-name type="search" placeholder="part of a name" autocomplete="off"; }
            @for (words, name, all) in [("Shape", "shape", shapes), ("Load tool", "tool", tools)] {
                @if all.len() > 1 {
                    label { (words) select name=(name) {
                        option value="" { "all" }
                        @for one in all { option value=(one) { (one) } }
                    } }
                }
            }
            span #shown role="status" {}
        }
    }
}

fn of_run(run: &Shown, number: Option<usize>) -> Markup {
    let (report, record) = (run.report, &run.report.run.record);
    let prefix = number.map_or(String::new(), |number| format!("run-{number}-"));
    html! {
        @if let Some(number) = number {
            h2 #(format!("run-{number}")) { "Run " (number) ": " (record.began) ", " (record.machine.host) }
            p.facts { (measured::in_short(record)) }
        }
        @if report.run.is_partial() {
            p.warn { b { "Partial: " } (report.run.slices.len()) " of " (report.run.planned()) " slices were measured before this run was ended." }
        }
        @if record.options.sweep.is_some() {
            section data-shape=(shape_of_sweep(report)) data-tool=(record.tool.name) { (of_sweep(run, &prefix)) }
        } @else {
            @for table in &report.tables {
                section data-shape=(table.shape) data-tool=(record.tool.name) { (of_table(run, table, &prefix)) }
            }
        }
        section {
            h2 { "How to read it" }
            ul { @for note in notes(report) { li { (words(&note)) } } }
        }
        (measured::sections(run))
    }
}

/// Words in which backticks mark what is code.
fn words(text: &str) -> Markup {
    html! { @for (n, part) in text.split('`').enumerate() { @if n % 2 == 1 { code { (part) } } @else { (part) } } }
}

fn shape_of_sweep(report: &Report) -> Shape {
    report.run.record.options.shapes.first().copied().unwrap_or(Shape::KeepAlive)
}

fn of_table(run: &Shown, table: &Table, prefix: &str) -> Markup {
    let report = run.report;
    let charts = charts::of_table(report, table);
    let is_ratio = |chart: &&Chart| chart.stem.ends_with("-cost-ratio");
    let stamped = table.judgement.is_stamped();
    html! {
        h2 { (title(table.shape, &report.run.record.options)) }
        div.verdict.warn[stamped] { @for sentence in sentences::verdict(table) { p { (sentence) } } }
        @if !table.ranked.is_empty() || !table.below.is_empty() || !table.failed.is_empty() {
            (table::of(run, table))
        }
        @let latencies = latency::rows(report, table);
        @if !latencies.is_empty() { (grid(&latency::HEADS, &latencies)) }
        @if !table.ranked.is_empty() {
            ul.soft { @for line in verdicts::lines(table) { li { (words(&line)) } } }
        }
        (of_mirrors(report, table))
        @for chart in charts.iter().filter(is_ratio) { (figure(chart, prefix)) }
        @for chart in charts.iter().filter(|chart| !is_ratio(chart)) { (figure(chart, prefix)) }
    }
}

/// What originals cost beside the Rust servers that answer to them; nothing in a run that does not hold both.
fn of_mirrors(report: &Report, table: &Table) -> Markup {
    let pairs = mirrors::pairs(report, table);
    html! {
        @if !pairs.is_empty() {
            p.soft { (mirrors::TITLE) }
            div.scroll { table {
                thead { tr { @for head in mirrors::HEADS { th scope="col" { (head) } } } }
                tbody { @for pair in &pairs {
                    tr data-name=(pair.original) { @for (n, cell) in mirrors::cells(pair).iter().enumerate() {
                        @if n == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                    } }
                } }
            } }
            ul.soft { @for but in mirrors::buts(&pairs) { li { (but) } } }
        }
    }
}

fn of_sweep(run: &Shown, prefix: &str) -> Markup {
    let report = run.report;
    let (heads, rows, lines) = sweep::parts(report);
    html! {
        @for chart in charts::of_sweep(report) { (figure(&chart, prefix)) }
        ul { @for line in lines { li { (words(&line)) } } }
        @for name in report.run.record.compared().map(|target| &target.name) { @for shape in &report.run.record.options.shapes {
            div data-name=(name) { (printed::of_failed(run, name, *shape, &format!("{name}: the slices that failed"))) }
        } }
        (grid(&heads, &rows))
    }
}

/// A table without sorting: whose each row is, then words and figures.
fn grid(heads: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { @for head in heads { th scope="col" { (head) } } } }
            tbody { @for row in rows {
                tr data-name=(row[0]) { @for (n, cell) in row.iter().enumerate() {
                    @if n == 0 { th scope="row" title=(cell) { (cell) } } @else { td { (cell) } }
                } }
            } }
        } }
    }
}

fn figure(chart: &Chart, prefix: &str) -> Markup {
    html! {
        figure id=(format!("{prefix}{}", chart.stem)) {
            figcaption { (chart.title) }
            (chart.inline())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_backticks_mark_is_code_and_nothing_becomes_markup() {
        let shown = |text: &str| words(text).into_string();
        assert_eq!(shown("limit `load tool`, `≥`: <b>"), "limit <code>load tool</code>, <code>≥</code>: &lt;b&gt;");
        assert_eq!(shown("no mark"), "no mark");
    }
}
