//! The table of one shape: every figure with its unit in the head, sorted by a click.

use maud::{Markup, html};

use super::{Shown, printed};
use crate::report::columns::{below, limit, rps};
use crate::report::judgement::{Judgement, compared, too_few};
use crate::report::table::{Below, Report, Row, Table};
use crate::report::units::{digits, mebibytes, ratio, thousands};
use crate::report::verdicts::{between, tier};
use crate::results::{Outcome, TargetRecord};
use crate::stats::{Conclusion, Findings};

/// A cell: what is shown, and what it is sorted by, which is nothing if there is no value.
struct Cell {
    shown: Markup,
    by: String,
    is_word: bool,
}

impl Cell {
    fn number(value: Option<f64>, write: impl Fn(f64) -> String) -> Self {
        match value {
            Some(value) => Self { shown: html! { (write(value)) }, by: value.to_string(), is_word: false },
            None => Self { shown: html! { "–" }, by: String::new(), is_word: false },
        }
    }

    fn word(word: String) -> Self {
        Self { shown: html! { (word) }, by: word, is_word: true }
    }
}

/// A figure that a target has without being measured.
type Get = fn(&TargetRecord) -> Option<f64>;

/// A head: words, unit.
type Head = (&'static str, &'static str);

/// All targets of a shape: those with a rank, then those without and why.
pub fn of(run: &Shown, table: &Table) -> Markup {
    let report = run.report;
    let heads = heads(table);
    let rest: Vec<(&str, &Below)> = (table.below.iter().map(|below| ("not ranked", below)))
        .chain(table.failed.iter().map(|below| ("FAILED", below)))
        .collect();
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("Figures, {}", table.shape)) { table {
            thead { tr { @for (n, (words, unit)) in heads.iter().enumerate() {
                th scope="col" .word[n == 0 || *unit == "word"] {
                    button type="button" { span { (words) } @if !unit.is_empty() && *unit != "word" { small { (unit) } } }
                }
            } } }
            tbody { @for row in &table.ranked {
                tr data-name=(row.target.name) {
                    th scope="row" data-value=(row.target.name) title=(row.target.name) {
                        (row.target.name) @if row.target.framework != row.target.name { small { (row.target.framework) } }
                    }
                    @for cell in cells(report, table, row) {
                        td .word[cell.is_word] data-value=(cell.by) { (cell.shown) }
                    }
                }
            } }
            @if !rest.is_empty() { tbody { @for (word, own) in rest {
                tr data-name=(own.target.name) {
                    th scope="row" title=(own.target.name) { (own.target.name) }
                    td.reason colspan=(heads.len() - 1) {
                        div { span .failed[word == "FAILED"] { (word) } ": " (reason(own)) }
                        @if word == "FAILED" { (printed::of_failed(run, &own.target.name, table.shape, "slice by slice")) }
                    }
                }
            } } }
        } }
    }
}

/// What stands after the name: that has its own cell here.
fn reason(own: &Below) -> String {
    let all = below(own);
    all.strip_prefix(&format!("{}: ", own.target.name)).map_or(all.clone(), ToOwned::to_owned)
}

fn heads(table: &Table) -> Vec<Head> {
    let mut heads = vec![("target", ""), ("cost", "µs/response")];
    let [cost, of_rps] = findings(&table.judgement);
    if let Some(findings) = cost {
        heads.extend(beside_heads(findings));
        if too_few(findings).is_none() {
            heads.push(("tier", "word"));
        }
    }
    heads.push(("requests", "1/s"));
    if let Some(findings) = of_rps {
        heads.extend(beside_heads(findings));
    }
    heads.extend([
        ("bottleneck", "word"),
        ("failed", "slices"),
        ("memory", "RSS, MiB"),
        ("response", "bytes"),
        ("start-up", "ms"),
    ]);
    heads.extend(built(table).iter().map(|(head, _)| *head));
    heads
}

fn findings(judgement: &Judgement) -> [Option<&Findings>; 2] {
    match judgement {
        Judgement::Ratios { cost, rps } => [Some(cost), rps.as_ref()].map(|findings| {
            findings.map(AsRef::as_ref).filter(|findings: &&Findings| {
                findings.against_baseline.iter().any(|a| compared(findings, &a.target).is_some())
            })
        }),
        Judgement::None(_) => [None, None],
    }
}

fn cells(report: &Report, table: &Table, row: &Row) -> Vec<Cell> {
    let name = &row.target.name;
    let [cost, of_rps] = findings(&table.judgement);
    let mut cells = vec![Cell::number(Some(row.cost_us.median), digits)];
    if let Some(findings) = cost {
        cells.extend(beside(findings, name));
        if too_few(findings).is_none() {
            cells.push(Cell::word(tier(findings, name)));
        }
    }
    cells.push(Cell { shown: html! { (rps(row)) }, by: row.rps.median.to_string(), is_word: false });
    if let Some(findings) = of_rps {
        cells.extend(beside(findings, name));
    }
    let failed = report.run.slices.iter().filter(|slice| {
        slice.cell.target == *name && slice.cell.shape == table.shape && matches!(slice.outcome, Outcome::Failed(_))
    });
    cells.extend([
        Cell::word(limit(row)),
        Cell::number(Some(failed.count() as f64), thousands),
        Cell::number(Some(row.rss_bytes.median), mebibytes),
        Cell::number(Some(row.response_bytes.median), thousands),
        Cell::number(Some(row.start_up_s.median), |s| digits(s * 1e3)),
    ]);
    cells.extend(built(table).iter().map(|(_, get)| Cell::number(get(row.target), thousands)));
    cells
}

/// What only a target that was built here has; a column that nobody has a value in is left out.
fn built(table: &Table) -> Vec<(Head, Get)> {
    let all: [(Head, Get); 3] = [
        (("binary", "KiB"), |target| {
            target.program.get().filter(|_| target.built_here).map(|program| program.bytes as f64 / 1024.0)
        }),
        (("crates", "built in"), |target| (!target.features.is_empty()).then_some(target.features.len() as f64)),
        (("source", "lines"), |target| target.source_lines.map(|lines| lines as f64)),
    ];
    all.into_iter().filter(|(_, get)| table.ranked.iter().any(|row| get(row.target).is_some())).collect()
}

/// With too few blocks there is a ratio with what was seen, and no verdict.
fn beside_heads(findings: &Findings) -> Vec<Head> {
    match too_few(findings) {
        Some(_) => vec![("ratio", "min–max")],
        None => vec![("ratio", "95 % interval"), ("verdict", "word")],
    }
}

/// Ratio with its interval, and the verdict.
fn beside(findings: &Findings, name: &str) -> Vec<Cell> {
    let word = |word: &'static str| Cell {
        shown: html! { span.badge.(word.split(' ').next().unwrap_or_default()) { (word) } },
        by: word.to_owned(),
        is_word: true,
    };
    let found = compared(findings, name);
    let (estimate, verdict) = match found {
        _ if findings.baseline == name => (Cell::number(Some(1.0), |_| "1".into()), word("baseline")),
        Some(found) => {
            let ends = found.interval.map_or(found.range, |interval| (interval.low, interval.high));
            let shown = html! { (ratio(found.ratio)) span.soft { " (" (between(ends)) ")" } };
            let verdict = match found.conclusion {
                Conclusion::Verdict(verdict) => word(verdict.words()),
                Conclusion::TooFew { .. } => word("too few blocks"),
            };
            (Cell { shown, by: found.ratio.to_string(), is_word: false }, verdict)
        }
        None => (Cell::number(None, ratio), Cell::number(None, ratio)),
    };
    if too_few(findings).is_some() { vec![estimate] } else { vec![estimate, verdict] }
}
