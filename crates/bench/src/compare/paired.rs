//! Targets of one run beside each other, paired by block.

use anyhow::{Context, Result, ensure};

use super::{Compared, InShape, Method, beside, row_of, why};
use crate::report::table::Slices;
use crate::report::{Report, Table, by_block};
use crate::results::{PairRecord, Run};
use crate::stats::{Metric, Series, paired_changes};

/// Compares two targets of one run.
///
/// # Errors
/// For a name that the run does not have.
pub fn targets(run: &Run, a: &str, b: &str) -> Result<Compared> {
    ensure!(a != b, "{a} is to be compared with itself; its second self in the same blocks is in the run's own report");
    pairs(run, &[PairRecord { target: b.to_owned(), a: a.to_owned(), b: b.to_owned() }])
}

/// Compares every server of one commit with the same of another, of a run that was made for that.
///
/// # Errors
/// If the run is none.
pub fn versus(run: &Run) -> Result<Compared> {
    let versus = run.record.versus.as_ref().context("this run does not hold two commits beside each other")?;
    pairs(run, &versus.pairs)
}

/// All pairs are one family for each shape and metric.
fn pairs(run: &Run, pairs: &[PairRecord]) -> Result<Compared> {
    for name in pairs.iter().flat_map(|pair| [&pair.a, &pair.b]) {
        let names: Vec<&str> = run.record.targets.iter().map(|target| target.name.as_str()).collect();
        ensure!(names.contains(&name.as_str()), "this run has no target called {name:?}; it has {}", names.join(", "));
    }
    let (report, slices) = (Report::of(run), Slices::of(run));
    let shapes = report.tables.iter().map(|table| in_shape(run, &slices, table, pairs)).collect::<Result<_>>()?;
    let mut notes = Vec::new();
    if run.is_partial() {
        notes.push(format!("PARTIAL: {} of {} slices", run.slices.len(), run.planned()));
    }
    if report.tables.iter().any(|table| table.judgement.is_stamped()) {
        notes.push("this run is NOT TO BE TRUSTED: its baseline came out different from itself".to_owned());
    }
    Ok(Compared { method: Method::Paired, forced: Vec::new(), notes, rules: run.record.comparison.rules, shapes })
}

fn in_shape(run: &Run, slices: &Slices, table: &Table, pairs: &[PairRecord]) -> Result<InShape> {
    let mut own = InShape { shape: table.shape, rows: Vec::new(), without: Vec::new() };
    for pair in pairs {
        match (row_of(table, &pair.a), row_of(table, &pair.b)) {
            (Some(a), Some(b)) => own.rows.push(beside(pair.target.clone(), a, b)),
            (None, _) => own.without.push(why(&pair.a, "A", table)),
            (Some(_), None) => own.without.push(why(&pair.b, "B", table)),
        }
    }
    let series = |name: &str, metric| {
        let blocks = by_block(slices.get(name, table.shape), metric, run.record.options.blocks as usize);
        Series::new(name, blocks, std::num::NonZeroUsize::MIN)
    };
    for metric in [Metric::Cost, Metric::Rps] {
        let of = |pair: &PairRecord| -> Result<Option<(Series, Series)>> {
            let row = own.rows.iter().find(|row| row.target == pair.target);
            let counts = row.is_some_and(|row| metric == Metric::Cost || row.has_servers_rps());
            counts.then(|| Ok((series(&pair.a, metric)?, series(&pair.b, metric)?))).transpose()
        };
        let family = pairs.iter().map(of).collect::<Result<Vec<_>>>()?;
        for (pair, change) in pairs.iter().zip(paired_changes(metric, &run.record.comparison.rules, &family)) {
            let Some(row) = own.rows.iter_mut().find(|row| row.target == pair.target) else { continue };
            *match metric {
                Metric::Cost => &mut row.cost,
                Metric::Rps => &mut row.rps_change,
            } = change;
        }
    }
    Ok(own)
}
