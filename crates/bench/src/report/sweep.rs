//! A sweep: every step of every target, and where its knee is.

use std::fmt::Write;

use super::columns::{self, below, notes};
use super::latency::percentiles;
use super::summary::{Spread, Step};
use super::table::{Below, Report, Row, failure, row};
use super::units::{digits, percent, range, thousands};
use super::{markdown as md, terminal as term};
use crate::load::Latencies;
use crate::plan::Knob;
use crate::results::{Failed, Measurement, Outcome, TargetRecord};
use crate::stats::Summary;
use crate::stats::knee::{self, Knee, SweepStep};

const CLOSED_HEADS: [&str; 8] = ["target", "", "cost µs", "min–max", "req/s", "min–max", "limit", "tool CPU"];
const OPEN_HEADS: [&str; 11] = [
    "target",
    "offered req/s",
    "answered req/s",
    "cost µs",
    "limit",
    "tool CPU",
    "p50 µs",
    "p90 µs",
    "p99 µs",
    "p99.9 µs",
    "max µs",
];

/// The report as `report.md` has it.
pub fn markdown(report: &Report) -> String {
    let sheet = Sheet::of(report);
    let mut text = format!("# {}\n\n{}\n", sheet.title, md::grid(&sheet.heads, &sheet.rows));
    for chart in super::charts::of_sweep(report) {
        let _ = writeln!(text, "{}\n", md::figure(&chart, ""));
    }
    for line in sheet.lines.into_iter().chain(notes(report)) {
        let _ = writeln!(text, "- {}", md::escape(&line));
    }
    text.push_str(&md::appendix(&report.run.record));
    text
}

/// The report as a terminal shows it.
pub fn terminal(report: &Report) -> String {
    let sheet = Sheet::of(report);
    let mut text = format!("\n{}\n{}\n", sheet.title, term::grid(&sheet.heads, &sheet.rows));
    for line in sheet.lines.into_iter().chain(std::iter::once(String::new())).chain(notes(report)) {
        let _ = writeln!(text, "{line}");
    }
    text
}

/// Heads, rows and lines, for a format that draws its own table.
pub(super) fn parts(report: &Report) -> (Vec<&'static str>, Vec<Vec<String>>, Vec<String>) {
    let sheet = Sheet::of(report);
    (sheet.heads, sheet.rows, sheet.lines)
}

/// Every step of every target as data.
pub(super) fn steps(report: &Report) -> Vec<Step> {
    let mut all = Vec::new();
    for cell in &report.run.record.cells {
        let Some(setting) = cell.setting else { continue };
        let own: Vec<_> = report.run.slices.iter().filter(|slice| slice.cell == *cell).collect();
        let valid: Vec<&Measurement> = own
            .iter()
            .filter_map(|slice| match &slice.outcome {
                Outcome::Valid(measurement) => Some(measurement.as_ref()),
                Outcome::Failed(_) => None,
            })
            .collect();
        let failed_slices = own.len() - valid.len();
        let spread = |get: fn(&Measurement) -> f64| {
            Summary::of(valid.iter().map(|m| get(m))).filter(|_| failed_slices == 0).map(Spread::from)
        };
        all.push(Step {
            name: cell.target.clone(),
            shape: cell.shape.to_string(),
            knob: setting.knob.to_string(),
            value: setting.value,
            cost_us: spread(|m| m.cost_us),
            rps: spread(|m| m.rps),
            failed_slices,
        });
    }
    all
}

struct Sheet {
    title: String,
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// The knee of each target, then what failed.
    lines: Vec<String>,
}

impl Sheet {
    fn of(report: &Report) -> Self {
        let record = &report.run.record;
        let knob = record.options.sweep.unwrap_or(Knob::Connections);
        let shapes: Vec<String> = record.options.shapes.iter().map(ToString::to_string).collect();
        let mut sheet = Self {
            title: format!("sweep of {knob}, {}, {}", shapes.join(" and "), record.began),
            heads: Vec::new(),
            rows: Vec::new(),
            lines: Vec::new(),
        };
        if knob == Knob::Rate {
            sheet.heads = OPEN_HEADS.into();
        } else {
            sheet.heads = CLOSED_HEADS.into();
            sheet.heads[1] = if knob == Knob::Workers { "workers" } else { "connections" };
        }
        let mut failures = Vec::new();
        for target in &record.targets {
            sheet.add(report, target, knob, &mut failures);
        }
        sheet.lines.extend(failures);
        sheet
    }

    fn add(&mut self, report: &Report, target: &TargetRecord, knob: Knob, failures: &mut Vec<String>) {
        let options = &report.run.record.options;
        let mut values: Vec<u32> = (report.run.record.cells.iter())
            .filter(|cell| cell.target == target.name)
            .filter_map(|cell| Some(cell.setting?.value))
            .collect();
        values.sort_unstable();
        values.dedup();
        let mut steps = Vec::new();
        for value in values {
            let slices: Vec<_> = (report.run.slices.iter())
                .filter(|slice| slice.cell.target == target.name)
                .filter(|slice| slice.cell.setting.is_some_and(|setting| setting.value == value))
                .collect();
            let (mut valid, mut failed): (Vec<&Measurement>, Vec<&Failed>) = (Vec::new(), Vec::new());
            let mut rps = vec![None; options.blocks as usize];
            for slice in &slices {
                match &slice.outcome {
                    Outcome::Valid(measurement) => {
                        valid.push(measurement);
                        if let Some(of_block) = rps.get_mut(slice.block as usize) {
                            *of_block = Some(measurement.rps);
                        }
                    }
                    Outcome::Failed(why) => failed.push(why),
                }
            }
            let threads = if knob == Knob::Connections { options.threads.min(value) } else { options.threads };
            let row = row(target, &valid, threads);
            if let Some(reason) = failure(&failed, slices.len()) {
                failures.push(format!("FAILED {value} {knob}: {}", below(&Below { target, reason, row })));
                rps.fill(None);
            } else if let Some(row) = row {
                self.rows.push(cells(&row, value, knob, &valid));
            }
            steps.push(SweepStep { value, rps });
        }
        if !steps.is_empty() {
            self.lines.push(format!("{}: {}", target.name, sentence(knob, &steps)));
        }
    }
}

fn cells(row: &Row, value: u32, knob: Knob, valid: &[&Measurement]) -> Vec<String> {
    let (name, step) = (row.target.name.clone(), thousands(value.into()));
    let (cost, limit, tool) = (digits(row.cost_us.median), columns::limit(row), percent(row.tool_share.median));
    if knob != Knob::Rate {
        let (costs, all_rps) = (range(&row.cost_us, digits), range(&row.rps, thousands));
        return vec![name, step, cost, costs, columns::rps(row), all_rps, limit, tool];
    }
    let at_most = if row.tool_is_busy { "≤ " } else { "" };
    let slices = valid.iter().filter_map(|measurement| Some(&measurement.fixed_rate.as_ref()?.latencies_ns));
    let latencies = Latencies::merged(slices).map_or_else(Vec::new, |all| percentiles(&all, at_most));
    [vec![name, step, columns::rps(row), cost, limit, tool], latencies].concat()
}

/// Where the knee is, in words.
fn sentence(knob: Knob, steps: &[SweepStep]) -> String {
    let (knee, last) = (
        if knob == Knob::Rate { knee::of_rate(steps) } else { knee::of_throughput(steps) },
        steps.last().map_or(0, |step| step.value),
    );
    match (knee, knob) {
        (None, Knob::Rate) => "keeps up with none of these rates, or too few steps were measured".to_owned(),
        (None, _) => "too few steps were measured to see a knee".to_owned(),
        (Some(Knee::NotReached), Knob::Rate) => {
            format!("keeps up with all of these rates, to {}", thousands(last.into()))
        }
        (Some(Knee::NotReached), _) => {
            format!("no knee below {last} {knob}: the last step is still better than the rest")
        }
        (Some(Knee::At { value, least, most }), knob) => {
            let sure =
                if least == most { "in every block".to_owned() } else { format!("{least}–{most} in single blocks") };
            match knob {
                Knob::Rate => {
                    format!("keeps up to {} req/s ({sure}): 95 % of each rate is answered", thousands(value.into()))
                }
                _ => format!("knee at {value} {knob} ({sure}): the smallest step within 5 % of the best req/s"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_knee_is_told_with_how_sure_it_is() {
        let step = |value, rps: [f64; 2]| SweepStep { value, rps: rps.map(Some).into() };
        let steps = [step(1, [100.0, 100.0]), step(2, [297.0, 280.0]), step(4, [300.0, 300.0])];
        let said = [
            sentence(Knob::Connections, &steps),
            sentence(Knob::Workers, &steps[..2]),
            sentence(Knob::Workers, &steps[..1]),
            sentence(Knob::Rate, &[step(100, [100.0, 99.0]), step(200, [120.0, 121.0])]),
            sentence(Knob::Rate, &[step(100, [100.0, 99.0]), step(200, [200.0, 200.0])]),
        ];
        insta::assert_snapshot!(said.join("\n"));
    }
}
