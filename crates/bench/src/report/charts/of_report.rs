//! The charts of a report: what each shows, and which of them share an axis.

use super::{
    Axis, Bar, Chart, Counts, Curves, Dot, Forest, Mark, Part, Point, Series, Strip, bars, curves, dots, forest,
};
use crate::load::{Latencies, Shape};
use crate::plan::Knob;
use crate::report::judgement::compared;
use crate::report::table::{Report, Row, Table};
use crate::report::units::{digits, mebibytes, ratio, thousands};
use crate::report::verdicts::between;
use crate::results::{Measurement, Outcome, Run, SliceRecord};
use crate::stats::{Comparison, Conclusion, Findings, Found, Metric, Summary, difference_of};

/// Ends of the strips of slices: the smallest that holds all values, or the widest.
const STRIP_ENDS: [f64; 5] = [1.05, 1.1, 1.25, 1.5, 2.0];

const MEBIBYTE: f64 = 1_048_576.0;

/// All charts of a run.
pub fn of_report(report: &Report) -> Vec<Chart> {
    if report.run.record.options.sweep.is_some() {
        return of_sweep(report);
    }
    report.tables.iter().flat_map(|table| of_table(report, table)).collect()
}

/// The charts of one shape. Its axes are those of all shapes of the run, whose charts stand on one page.
pub fn of_table(report: &Report, table: &Table) -> Vec<Chart> {
    if table.ranked.is_empty() {
        return Vec::new();
    }
    let mut charts: Vec<Chart> =
        table.judgement.findings().filter_map(|findings| ratios(report, table, findings)).collect();
    charts.push(costs(report, table));
    charts.extend(latencies(report, table));
    charts.push(slices(report, table));
    charts.push(memory(report, table));
    charts
}

fn stem(table: &Table, what: &str) -> String {
    format!("{}-{what}", table.shape)
}

/// The valid slices of a target in a shape.
fn valid<'a>(report: &'a Report, name: &'a str, shape: Shape) -> impl Iterator<Item = &'a Measurement> {
    let own = move |slice: &&SliceRecord| slice.cell.target == name && slice.cell.shape == shape;
    report.run.slices.iter().filter(own).filter_map(|slice| match &slice.outcome {
        Outcome::Valid(measurement) => Some(measurement.as_ref()),
        Outcome::Failed(_) => None,
    })
}

fn ratios(report: &Report, table: &Table, findings: &Findings) -> Option<Chart> {
    let same = |of: &&Findings| of.metric == findings.metric;
    let all = || report.tables.iter().flat_map(|table| table.judgement.findings()).filter(same);
    let marks: Vec<Mark> = table.ranked.iter().map(|row| &row.target.name).map(|name| mark(findings, name)).collect();
    let floor = findings.noise_floor.as_ref().and_then(|floor| Some((&floor.twin, comparison_of(&floor.found)?)));
    let marks: Vec<Mark> = (marks.into_iter())
        .chain(floor.map(|(twin, found)| Mark { verdict: "noise floor", ..beside(twin, found, true) }))
        .collect();
    marks.iter().any(|mark| mark.ends.is_some()).then_some(())?;
    let margin = 1.0 + report.run.record.comparison.rules.margin();
    let ends = all().flat_map(|findings| {
        let floor = findings.noise_floor.iter().map(|floor| &floor.found);
        let found = findings.against_baseline.iter().map(|against| &against.found).chain(floor);
        found.filter_map(comparison_of).flat_map(|one| {
            let (low, high) = ends(one);
            [low, high, one.ratio]
        })
    });
    let (what, stem_of) = match findings.metric {
        Metric::Cost => ("Cost", "cost-ratio"),
        Metric::Rps => ("Requests per second", "rps-ratio"),
    };
    let less = match findings.metric {
        Metric::Cost => "less is better",
        Metric::Rps => "more is better",
    };
    let of = Forest {
        axis: Axis::log(ends.chain([1.0 / margin, margin]), &format!("ratio to {}, {less}", findings.baseline)),
        band: (1.0 / margin, margin),
        marks,
    };
    let title = format!("{what} beside {}, {}", findings.baseline, table.shape);
    let says = format!("{} ratios on a log scale, each with its interval; 1 is {}", of.marks.len(), findings.baseline);
    Some(Chart::draw(&stem(table, stem_of), &title, &says, |place| forest(place, &of)))
}

fn mark(findings: &Findings, name: &str) -> Mark {
    if name == findings.baseline {
        let figures = "1, the baseline".to_owned();
        return Mark {
            name: name.to_owned(),
            ratio: Some(1.0),
            ends: None,
            is_interval: true,
            verdict: "baseline",
            figures,
        };
    }
    match compared(findings, name) {
        Some(found) => beside(name, found, false),
        None => Mark {
            name: name.to_owned(),
            ratio: None,
            ends: None,
            is_interval: true,
            verdict: "–",
            figures: "–".to_owned(),
        },
    }
}

fn beside(name: &str, found: &Comparison, is_floor: bool) -> Mark {
    let verdict = match found.conclusion {
        Conclusion::Verdict(verdict) => verdict.words(),
        Conclusion::TooFew { .. } => "no verdict",
    };
    let words = if is_floor || verdict == "no verdict" { String::new() } else { format!(" {verdict}") };
    let ends = ends(found);
    let figures = format!("{} ({}){words}", ratio(found.ratio), between(ends));
    Mark {
        name: name.to_owned(),
        ratio: Some(found.ratio),
        ends: Some(ends),
        is_interval: found.interval.is_some(),
        verdict,
        figures,
    }
}

fn ends(found: &Comparison) -> (f64, f64) {
    found.interval.map_or(found.range, |interval| (interval.low, interval.high))
}

fn comparison_of(found: &Found) -> Option<&Comparison> {
    match found {
        Found::Compared(comparison) => Some(comparison),
        Found::NothingInCommon => None,
    }
}

fn costs(report: &Report, table: &Table) -> Chart {
    let bar = |table: &Table, row: &Row| {
        let cost = row.cost_us.median;
        let parts = row.load.user_share.map_or(vec![(Part::Whole, cost)], |share| {
            vec![(Part::User, cost * share), (Part::System, cost * (1.0 - share))]
        });
        let interval = interval(valid(report, &row.target.name, table.shape).map(|m| m.cost_us));
        Bar { name: row.target.name.clone(), parts, interval, figures: format!("{} µs", digits(cost)) }
    };
    let ends = report.tables.iter().flat_map(|table| table.ranked.iter().map(move |row| bar(table, row)));
    let ends = ends.map(|bar| bar.interval.map_or(bar.parts.iter().map(|part| part.1).sum(), |ends| ends.1));
    let axis = Axis::from_zero(ends, "CPU time per response, µs (one scale for all shapes)");
    let all: Vec<Bar> = table.ranked.iter().map(|row| bar(table, row)).collect();
    let words =
        [(Part::User, "user"), (Part::System, "system"), (Part::Whole, "user and system, not told apart by the clock")];
    let title = format!("Cost of a response, {}", table.shape);
    let says = format!("Server CPU time per good response of {} targets, in µs, as bars from 0", all.len());
    Chart::draw(&stem(table, "cost"), &title, &says, |place| {
        bars(place, &axis, &all, &words, "95 % interval over the blocks")
    })
}

/// The exact interval of what a target costs by itself: wider than that of a ratio, in which what all have in common goes.
fn interval(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    let (low, high) = difference_of(&logs)?.1?;
    Some((low.exp(), high.exp()))
}

fn memory(report: &Report, table: &Table) -> Chart {
    let all = report.tables.iter().flat_map(|table| &table.ranked);
    let axis =
        Axis::from_zero(all.map(|row| row.rss_bytes.max / MEBIBYTE), "resident memory, MiB (one scale for all shapes)");
    let bar = |row: &Row| {
        let Summary { median, min, max, n } = row.rss_bytes;
        Bar {
            name: row.target.name.clone(),
            parts: vec![(Part::Whole, median / MEBIBYTE)],
            interval: (n > 1).then_some((min / MEBIBYTE, max / MEBIBYTE)),
            figures: format!("{} MiB", mebibytes(median)),
        }
    };
    let all: Vec<Bar> = table.ranked.iter().map(bar).collect();
    let title = format!("Memory, {}", table.shape);
    let says = format!("Resident memory of {} targets after the load, in MiB, as bars from 0", all.len());
    Chart::draw(&stem(table, "memory"), &title, &says, |place| {
        bars(place, &axis, &all, &[], "smallest to largest block")
    })
}

fn slices(report: &Report, table: &Table) -> Chart {
    let per_block = report.run.record.cells.len().max(1) as f64;
    let all = in_time(report.run);
    let strip = |shape: Shape, name: &str, median: f64| {
        let own = |(n, (slice, counts)): (usize, &(&SliceRecord, Counts))| {
            let value = match &slice.outcome {
                Outcome::Valid(measurement) => Some(measurement.cost_us / median),
                Outcome::Failed(_) => None,
            };
            (slice.cell.target == name && slice.cell.shape == shape).then(|| Dot {
                at: n as f64 / per_block,
                value,
                counts: *counts,
            })
        };
        let dots = all.iter().enumerate().filter_map(own).collect();
        Strip { name: name.to_owned(), dots, median: format!("{} µs", digits(median)) }
    };
    let rows = |table: &Table| -> Vec<Strip> {
        let failed = table.failed.iter().filter_map(|below| below.row.as_ref());
        table.ranked.iter().chain(failed).map(|row| strip(table.shape, &row.target.name, row.cost_us.median)).collect()
    };
    let dots_of_all: Vec<Dot> = report.tables.iter().flat_map(rows).flat_map(|strip| strip.dots).collect();
    let furthest = |counts: fn(Counts) -> bool| {
        let dots = dots_of_all.iter().filter(|dot| counts(dot.counts));
        dots.filter_map(|dot| Some(dot.value?.ln().abs())).fold(0.0, f64::max)
    };
    // What is in no figure makes no room for itself.
    let needed = furthest(|counts| counts != Counts::No);
    let end = STRIP_ENDS.into_iter().find(|end| end.ln() >= needed).unwrap_or(2.0);
    let label = if furthest(|_| true) > end.ln() {
        "cost ÷ the target's median; what lies beyond stands at the edge"
    } else {
        "cost ÷ the target's median"
    };
    let (low, high) = (ratio_tick(1.0 / end), ratio_tick(end));
    let value = Axis::log([1.0 / end, end], label).with_ticks(&[(1.0 / end, &low), (1.0, "1"), (end, &high)]);
    let blocks = f64::from(report.run.record.options.blocks) + report.run.replaced.len() as f64 / per_block;
    let words = if report.run.replaced.is_empty() {
        "blocks since the run began"
    } else {
        "blocks since the run began, with those that were measured again"
    };
    let time = Axis::up_to(blocks, words);
    let strips = rows(table);
    let title = format!("Every slice in the order of time, {}", table.shape);
    let replaced = strips.iter().flat_map(|strip| &strip.dots).filter(|dot| dot.counts == Counts::No).count();
    let but = if replaced > 0 {
        format!("; apart from them {replaced} of blocks that were measured again, which are in no figure")
    } else {
        String::new()
    };
    let says = format!("The cost in each slice beside its target's median, for {} targets{but}", strips.len());
    Chart::draw(&stem(table, "slices"), &title, &says, |place| dots(place, &time, &value, &strips))
}

/// All slices as they were measured: blocks one after the other, and the tries of each.
fn in_time(run: &Run) -> Vec<(&SliceRecord, Counts)> {
    let counted = run
        .slices
        .iter()
        .map(|slice| (slice, if slice.outcome.is_disturbed() { Counts::Disturbed } else { Counts::Yes }));
    let mut all: Vec<_> = counted.chain(run.replaced.iter().map(|slice| (slice, Counts::No))).collect();
    all.sort_by_key(|(slice, _)| (slice.block, slice.tried));
    all
}

fn ratio_tick(value: f64) -> String {
    format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The latency spectrum of a fixed rate: the same rate for all, so that its percentiles can stand beside each other.
fn latencies(report: &Report, table: &Table) -> Option<Chart> {
    // The share of requests that took no longer, and how it is written.
    const AT: [(f64, &str); 7] = [
        (50.0, "50 %"),
        (75.0, ""),
        (90.0, "90 %"),
        (99.0, "99 %"),
        (99.9, "99.9 %"),
        (99.99, "99.99 %"),
        (99.999, "99.999 %"),
    ];
    let place = |percent: f64| 1.0 / (1.0 - percent / 100.0);
    let one = |row: &Row| {
        let own = valid(report, &row.target.name, table.shape);
        let all = Latencies::merged(own.filter_map(|m| Some(&m.fixed_rate.as_ref()?.latencies_ns)))?;
        let point =
            |(percent, _): (f64, &str)| Some(Point { x: place(percent), y: all.percentile_us(percent)?, ends: None });
        let points: Vec<Point> = AT.into_iter().filter_map(point).collect();
        (!points.is_empty()).then(|| Series { name: row.target.name.clone(), points })
    };
    let series: Vec<Series> = table.ranked.iter().filter_map(one).collect();
    (!series.is_empty()).then_some(())?;
    let points = || series.iter().flat_map(|series| &series.points);
    let named: Vec<(f64, &str)> =
        AT.into_iter().filter(|(_, words)| !words.is_empty()).map(|(percent, words)| (place(percent), words)).collect();
    let of = Curves {
        x: Axis::log(points().map(|point| point.x), "share of requests that took no longer").with_ticks(&named),
        y: Axis::log(points().map(|point| point.y), "latency from when a request was due, µs"),
        series: series.clone(),
        joined: true,
    };
    let rate = thousands(report.run.record.options.rate.unwrap_or_default().into());
    let title = format!("Latency at {rate} req/s to each target");
    let says = format!("Latency percentiles of {} targets at the same rate, on log scales", of.series.len());
    Some(Chart::draw(&stem(table, "latency"), &title, &says, |place| curves(place, &of)))
}

/// Requests per second at every step of a sweep; one chart per shape.
pub fn of_sweep(report: &Report) -> Vec<Chart> {
    let record = &report.run.record;
    let Some(knob) = record.options.sweep else { return Vec::new() };
    let one = |shape: &Shape| {
        let series = |name: &str| {
            let mut steps: Vec<u32> = (record.cells.iter())
                .filter(|cell| cell.target == name && cell.shape == *shape)
                .filter_map(|cell| Some(cell.setting?.value))
                .collect();
            steps.sort_unstable();
            steps.dedup();
            let points: Vec<Point> = steps.into_iter().filter_map(|step| step_of(report, name, *shape, step)).collect();
            (!points.is_empty()).then(|| Series { name: name.to_owned(), points })
        };
        let series: Vec<Series> = record.compared().filter_map(|target| series(&target.name)).collect();
        (!series.is_empty()).then_some(())?;
        let points = || series.iter().flat_map(|series| &series.points);
        // The steps that were measured, and nothing between them.
        let mut steps: Vec<f64> = points().map(|point| point.x).collect();
        steps.sort_by(f64::total_cmp);
        steps.dedup();
        let words: Vec<String> = steps.iter().map(|step| thousands(*step)).collect();
        let ticks: Vec<(f64, &str)> = steps.into_iter().zip(words.iter().map(String::as_str)).collect();
        let word = match knob {
            Knob::Connections => "connections open at once",
            Knob::Workers => "workers",
            Knob::Rate => "requests per second that were sent",
        };
        let of = Curves {
            x: Axis::log(points().map(|point| point.x), word).with_ticks(&ticks),
            y: Axis::from_zero(points().map(|p| p.ends.map_or(p.y, |ends| ends.1)), "good responses per second"),
            series: series.clone(),
            joined: true,
        };
        let title = format!("Requests per second by {knob}, {shape}");
        let says =
            format!("The median of each step for {} targets, with the smallest and the largest", of.series.len());
        let stem = format!("{shape}-by-{knob}");
        Some(Chart::draw(&stem, &title, &says, |place| curves(place, &of)))
    };
    record.options.shapes.iter().filter_map(one).collect()
}

/// The step of a sweep, unless a slice of it failed: a failure is never a low figure.
fn step_of(report: &Report, name: &str, shape: Shape, step: u32) -> Option<Point> {
    let own = |slice: &&SliceRecord| {
        slice.cell.target == name
            && slice.cell.shape == shape
            && slice.cell.setting.is_some_and(|setting| setting.value == step)
    };
    let rps: Option<Vec<f64>> = (report.run.slices.iter().filter(own))
        .map(|slice| match &slice.outcome {
            Outcome::Valid(measurement) => Some(measurement.rps),
            Outcome::Failed(_) => None,
        })
        .collect();
    let all = Summary::of(rps?)?;
    Some(Point { x: f64::from(step), y: all.median, ends: (all.n > 1).then_some((all.min, all.max)) })
}
