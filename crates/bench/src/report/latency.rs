//! The latencies of the fixed-rate shape, in a table of their own: a closed loop's must not stand beside them.

use super::table::{Report, Table};
use super::units::{digits, thousands};
use crate::load::{Latencies, Shape};
use crate::results::{FixedRate, Outcome};

/// The heads of the columns.
pub const HEADS: [&str; 8] =
    ["target", "offered req/s", "answered req/s", "p50 µs", "p90 µs", "p99 µs", "p99.9 µs", "max µs"];

/// A row for every ranked target of a fixed-rate table, by its 99th percentile; no rows for another shape.
pub fn rows(report: &Report, table: &Table) -> Vec<Vec<String>> {
    if table.shape != Shape::FixedRate {
        return Vec::new();
    }
    let mut rows = Vec::new();
    for row in &table.ranked {
        let slices: Vec<&FixedRate> = report
            .run
            .slices
            .iter()
            .filter(|slice| slice.cell.target == row.target.name && slice.cell.shape == table.shape)
            .filter_map(|slice| match &slice.outcome {
                Outcome::Valid(measurement) => measurement.fixed_rate.as_ref(),
                Outcome::Failed(_) => None,
            })
            .collect();
        let Some(all) = Latencies::merged(slices.iter().map(|slice| &slice.latencies_ns)) else { continue };
        let offered = slices.first().map_or(0.0, |slice| slice.offered_rps);
        let mut cells = vec![row.target.name.clone(), thousands(offered), thousands(row.rps.median)];
        let at_most = if row.tool_is_busy { "≤ " } else { "" };
        cells.extend(percentiles(&all, at_most));
        rows.push((all.percentile_us(99.0).unwrap_or(f64::INFINITY), cells));
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows.into_iter().map(|(_, cells)| cells).collect()
}

/// p50, p90, p99, p99.9 and the largest, in µs; `–` where too few requests lie beyond.
pub fn percentiles(all: &Latencies, before: &str) -> Vec<String> {
    let write = |us: Option<f64>| us.map_or("–".to_owned(), |us| format!("{before}{}", digits(us)));
    let mut cells: Vec<String> = [50.0, 90.0, 99.0, 99.9].map(|percent| write(all.percentile_us(percent))).into();
    cells.push(write(all.max_us()));
    cells
}

/// What a reader must know to read it.
pub fn note(report: &Report) -> Option<String> {
    let record = &report.run.record;
    record.options.rate?;
    let seen = record.capacity.iter().map(|one| {
        let rps = one.rps.map_or("failed".to_owned(), |rps| format!("{} req/s", thousands(rps)));
        format!("{} {rps}", one.target)
    });
    Some(format!(
        "fixed-rate latency: from when a request was due to the end of its answer, over all blocks together, without the \
         first tenth of each slice, which opens connections. `–`: fewer than 10 requests lie beyond. `≤`: the load tool \
         used over 90 % of its threads' time, and part of the latency is its own. Seen beforehand in a closed loop: {}.",
        seen.collect::<Vec<_>>().join(", ")
    ))
}
