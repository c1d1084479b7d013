//! The columns of the side-by-side table, in words and units, for every format.

use super::judgement::too_few;
use super::latency;
use super::table::{Below, Report, Row, Table};
use super::units::{count, digits, mebibytes, percent, range, short_percent, thousands};
use crate::load::Shape;
use crate::results::{IDLE_CORES, Options, Outcome};
use crate::stats::Summary;

/// The heads of the columns.
pub const HEADS: [&str; 10] =
    ["target", "cost µs", "min–max", "req/s", "min–max", "limit", "tool CPU", "response B", "RSS MiB", "start ms"];

/// A row's cells, one per head.
pub fn cells(row: &Row) -> [String; 10] {
    [
        row.target.name.clone(),
        digits(row.cost_us.median),
        range(&row.cost_us, digits),
        rps(row),
        range(&row.rps, thousands),
        limit(row),
        percent(row.tool_share.median),
        thousands(row.response_bytes.median),
        mebibytes(row.rss_bytes.median),
        digits(row.start_up_s.median * 1e3),
    ]
}

/// A row's requests per second, with what the limit makes of them.
pub fn rps(row: &Row) -> String {
    row.rps_of.write(&thousands(row.rps.median))
}

/// The limit, and in how many slices it was, unless in all.
pub fn limit(row: &Row) -> String {
    let (words, slices) = (row.limit.words(), row.rps.n);
    if row.limited == slices { words.to_owned() } else { format!("{words} {}/{slices}", row.limited) }
}

/// A shape's title.
pub fn title(shape: Shape, options: &Options) -> String {
    let connections = options.connections;
    match shape {
        Shape::KeepAlive => format!("keep-alive: {connections} connections, each for many requests"),
        Shape::Close => format!("close: {connections} connections at once, one request each"),
        Shape::Pipelined => {
            let depth = options.depth.unwrap_or(1);
            format!("pipelined: {connections} connections, {depth} requests under way on each")
        }
        Shape::FixedRate => {
            let rate = thousands(options.rate.unwrap_or_default().into());
            format!("fixed-rate: {rate} req/s to each target over {connections} connections")
        }
    }
}

/// A line for a target below the table.
pub fn below(below: &Below) -> String {
    let figures = below.row.as_ref().map_or(String::new(), |row| {
        format!(
            " (not ranked: {} µs, {} req/s over {})",
            digits(row.cost_us.median),
            thousands(row.rps.median),
            count(row.cost_us.n, "slice")
        )
    });
    format!("{}: {}{figures}", below.target.name, below.reason)
}

/// What a reader must know to read the tables, a line each.
pub fn notes(report: &Report) -> Vec<String> {
    let options = &report.run.record.options;
    let extent = match (options.slice_s, options.requests) {
        (Some(seconds), _) => format!("{seconds} s"),
        (None, requests) => format!("{} requests", requests.unwrap_or_default()),
    };
    let mut notes = vec![
        format!(
            "cost: server CPU time per good response, user + system. Medians over {}{} of one {extent} slice each, in \
             random order.",
            if report.run.is_partial() { "up to " } else { "" },
            count(options.blocks as usize, "block"),
        ),
        format!(
            "{} {}, {}.",
            report.run.record.tool.name,
            report.run.record.tool.version,
            count(options.threads as usize, "thread"),
        ),
    ];
    notes.extend(report.run.record.pilot.as_ref().map(|pilot| {
        let fewer = if pilot.wanted > options.blocks { format!(" {} would have been needed.", pilot.wanted) } else { String::new() };
        format!(
            "The number of blocks was fixed by a pilot of {} blocks, none of which is used again, to see differences of {}: {}.{fewer}",
            pilot.blocks,
            short_percent(pilot.resolve),
            pilot.because,
        )
    }));
    notes.extend(options.launcher.note());
    notes.extend(super::load::notes(report));
    notes.extend(latency::note(report));
    let has_verdicts =
        |table: &Table| table.judgement.findings().any(|f| !f.against_baseline.is_empty() && too_few(f).is_none());
    if report.tables.iter().any(has_verdicts) {
        let comparison = &report.run.record.comparison;
        notes.push(format!(
            "ratio: to {}, by block, with its 95 % interval. verdict: faster or slower if that is sure with all targets \
             taken together (5 %) and by {} or more, equivalent if no further apart than {}, else unresolved. tier: \
             targets that share a letter were not shown to differ; a is the best.",
            comparison.baseline,
            short_percent(comparison.rules.minimum_effect()),
            short_percent(comparison.rules.margin()),
        ));
    }
    notes.extend(report.run.record.targets.iter().filter_map(|target| idle(report, &target.name)));
    notes.extend(report.run.record.compared().filter_map(|target| warm_up(report, &target.name)));
    if report.run.is_partial() {
        notes.push(format!(
            "PARTIAL: {} of {} slices were measured before this run was ended.",
            report.run.slices.len(),
            report.run.planned()
        ));
    }
    notes
}

/// A target that does not rest when it is idle.
fn idle(report: &Report, target: &str) -> Option<String> {
    let own = report.run.slices.iter().filter(|slice| slice.cell.target == target);
    let cores = Summary::of(own.filter_map(|slice| match &slice.outcome {
        Outcome::Valid(measurement) => measurement.idle_cores,
        Outcome::Failed(_) => None,
    }))?;
    (cores.median > IDLE_CORES)
        .then(|| format!("{target} uses {} % of a core when idle.", digits(cores.median * 100.0)))
}

/// How a target that compiles while it runs was warmed up: the curve of the slice in which that took longest.
fn warm_up(report: &Report, target: &str) -> Option<String> {
    let own = report.run.slices.iter().filter(|slice| slice.cell.target == target);
    let all: Vec<_> = own
        .filter_map(|slice| match &slice.outcome {
            Outcome::Valid(measurement) => measurement.warm_up.as_ref(),
            Outcome::Failed(_) => None,
        })
        .collect();
    let longest = all.iter().max_by_key(|warm_up| warm_up.cost_us.len())?;
    let curve: Vec<String> = longest.cost_us.iter().map(|cost| digits(*cost)).collect();
    let unsteady = all.iter().filter(|warm_up| !warm_up.steady).count();
    let but = if unsteady == 0 {
        "steady before every slice".to_owned()
    } else {
        format!(
            "before {unsteady} of {} slices not steady when its time was up: a longer run would cost less",
            all.len()
        )
    };
    Some(format!("{target} was warmed up, in µs per request each {} s: {}; {but}.", longest.slice_s, curve.join(" ")))
}
