//! What has become of every target from one run to another, or from one target to another of one run; from their records
//! alone.

mod gate;
mod paired;
#[cfg(test)]
mod tests;
mod words;

use anyhow::{Result, ensure};

pub use gate::{Gate, exit};
pub use paired::{targets, versus};
pub use words::{versus_words, words};

use crate::load::Shape;
use crate::report::table::{Row, RpsOf, Slices};
use crate::report::{Report, Table, by_block};
use crate::results::Run;
use crate::stats::{Change, Metric, Rules, Samples, changes};

/// Two sides, A and B, beside each other.
#[derive(Debug)]
pub struct Compared {
    /// How they were compared.
    pub method: Method,
    /// What must be equal and is not, if the user wanted the comparison all the same.
    pub forced: Vec<String>,
    /// What else a reader must know.
    pub notes: Vec<String>,
    /// When a difference counts.
    pub rules: Rules,
    /// Shape by shape.
    pub shapes: Vec<InShape>,
}

/// How two sides were compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    /// Two runs, one after the other.
    Runs,
    /// Targets of one run, in the same blocks.
    Paired,
}

/// One shape.
#[derive(Debug)]
pub struct InShape {
    /// The shape.
    pub shape: Shape,
    /// Targets that could be compared.
    pub rows: Vec<Beside>,
    /// Targets that could not, and why.
    pub without: Vec<Without>,
}

/// A target on both sides.
#[derive(Debug)]
pub struct Beside {
    /// The target.
    pub target: String,
    /// Median cost of A and B, in µs.
    pub cost_us: (f64, f64),
    /// Median good responses per second of A and B.
    pub rps: (f64, f64),
    /// Whose each of these are: the server's, or what the load tool or both together could do.
    pub rps_of: (RpsOf, RpsOf),
    /// What has become of its cost; `None` if no block has it.
    pub cost: Option<Change>,
    /// What has become of its requests per second; `None` too if they are not the server's on a side.
    pub rps_change: Option<Change>,
}

impl Beside {
    /// Whether requests per second are the server's on both sides.
    fn has_servers_rps(&self) -> bool {
        self.rps_of.0.is_the_servers() && self.rps_of.1.is_the_servers()
    }
}

/// A target that could not be compared.
#[derive(Debug, PartialEq, Eq)]
pub struct Without {
    /// The target.
    pub target: String,
    /// Why.
    pub reason: String,
    /// Whether B failed where A did not.
    pub failed_in_b: bool,
}

/// Compares two runs of which one had the targets in containers, so that the ratio is what the containers cost.
///
/// # Errors
/// When that is not so, when they differ in anything else, or have no shape in common.
pub fn launchers(a: &Run, b: &Run) -> Result<Compared> {
    let (first, then) = (&a.record.options.launcher, &b.record.options.launcher);
    ensure!(first != then, "both runs were started alike ({first}): there are no launchers to compare");
    let differences = a.record.fingerprint.differences(&b.record.fingerprint);
    let others: Vec<String> = differences.into_iter().filter(|one| !one.starts_with("launcher: ")).collect();
    ensure!(others.is_empty(), "the two runs differ in more than what started the targets: {}", others.join("; "));
    let mut compared = runs(a, b, true)?;
    compared.forced.retain(|one| !one.starts_with("launcher: "));
    compared
        .notes
        .insert(0, format!("started {first}, then {then}: B/A is what that costs the same server; it ranks nobody"));
    Ok(compared)
}

/// Compares two runs.
///
/// # Errors
/// When they were made under different conditions and that is not `forced`, or have no shape in common.
pub fn runs(a: &Run, b: &Run, force: bool) -> Result<Compared> {
    let mut differences = a.record.fingerprint.differences(&b.record.fingerprint);
    let (rules, then) = (a.record.comparison.rules, b.record.comparison.rules);
    if rules != then {
        differences.push(format!("when a difference counts: {}, then {}", words::rules(&rules), words::rules(&then)));
    }
    ensure!(
        force || differences.is_empty(),
        "the two runs were made under different conditions, and are not compared without --force: {}",
        differences.join("; ")
    );
    let (first, then) = (Report::of(a), Report::of(b));
    let pairs =
        first.tables.iter().filter_map(|table| Some((table, then.tables.iter().find(|t| t.shape == table.shape)?)));
    let shapes: Vec<InShape> = pairs.map(|(table, other)| in_shape(a, b, table, other, &rules)).collect();
    ensure!(!shapes.is_empty(), "the two runs have no shape in common");
    let unknown = a.record.fingerprint.unknown();
    let mut notes = Vec::new();
    if !unknown.is_empty() {
        let first: Vec<&str> = unknown.iter().copied().take(6).collect();
        let rest = unknown.len() - first.len();
        let rest = if rest == 0 { String::new() } else { format!(" and {rest} more, as run.json has them") };
        notes.push(format!("unknown, so that nobody can say whether it was equal: {}{rest}", first.join(", ")));
    }
    for (side, run) in [("A", a), ("B", b)] {
        if run.is_partial() {
            notes.push(format!("{side} is PARTIAL: {} of {} slices", run.slices.len(), run.planned()));
        }
    }
    for (side, report) in [("A", &first), ("B", &then)] {
        if report.tables.iter().any(|table| table.judgement.is_stamped()) {
            notes.push(format!("{side} is NOT TO BE TRUSTED: its baseline came out different from itself"));
        }
    }
    Ok(Compared { method: Method::Runs, forced: differences, notes, rules, shapes })
}

fn in_shape(a: &Run, b: &Run, table: &Table, other: &Table, rules: &Rules) -> InShape {
    let (slices_a, slices_b) = (Slices::of(a), Slices::of(b));
    let (mut rows, mut without, mut family) = (Vec::new(), Vec::new(), Vec::new());
    for target in a.record.compared().filter(|target| target.shapes.contains(&table.shape)) {
        let name = &target.name;
        if b.record.targets.iter().all(|target| target.name != *name) {
            without.push(Without { target: name.clone(), reason: "only in A".into(), failed_in_b: false });
            continue;
        }
        family.push(name.clone());
        match (row_of(table, name), row_of(other, name)) {
            (Some(row), Some(then)) => rows.push(beside(name.clone(), row, then)),
            (None, _) => without.push(why(name, "A", table)),
            (Some(_), None) => without.push(why(name, "B", other)),
        }
    }
    let only_b = b.record.compared().filter(|t| a.record.targets.iter().all(|own| own.name != t.name));
    without.extend(only_b.map(|target| Without {
        target: target.name.clone(),
        reason: "only in B".into(),
        failed_in_b: false,
    }));
    for metric in [Metric::Cost, Metric::Rps] {
        let samples = |name: &String| -> Option<Samples> {
            let row = rows.iter().find(|row| row.target == *name)?;
            if metric == Metric::Rps && !row.has_servers_rps() {
                return None;
            }
            let of = |run: &Run, slices: &Slices| logarithms(slices, name, table.shape, metric, run);
            Some((of(a, &slices_a), of(b, &slices_b)))
        };
        let found = changes(metric, rules, &family.iter().map(samples).collect::<Vec<_>>());
        for (name, change) in family.iter().zip(found) {
            let Some(row) = rows.iter_mut().find(|row| row.target == *name) else { continue };
            *match metric {
                Metric::Cost => &mut row.cost,
                Metric::Rps => &mut row.rps_change,
            } = change;
        }
    }
    InShape { shape: table.shape, rows, without }
}

/// In the order of the run.
fn logarithms(slices: &Slices, target: &str, shape: Shape, metric: Metric, run: &Run) -> Vec<f64> {
    let values = by_block(slices.get(target, shape), metric, run.record.options.blocks as usize);
    values.into_iter().flatten().map(f64::ln).filter(|value| value.is_finite()).collect()
}

fn beside(target: String, a: &Row, b: &Row) -> Beside {
    Beside {
        target,
        cost_us: (a.cost_us.median, b.cost_us.median),
        rps: (a.rps.median, b.rps.median),
        rps_of: (a.rps_of, b.rps_of),
        cost: None,
        rps_change: None,
    }
}

/// The baseline's second self is a target like others here.
fn row_of<'t, 'a>(table: &'t Table<'a>, target: &str) -> Option<&'t Row<'a>> {
    table.ranked.iter().chain(&table.twin).find(|row| row.target.name == target)
}

fn why(target: &str, side: &str, table: &Table) -> Without {
    let reason_in = |below: &[crate::report::table::Below]| {
        below.iter().find(|below| below.target.name == target).map(|below| below.reason.clone())
    };
    let failed = reason_in(&table.failed);
    let failed_in_b = failed.is_some() && side == "B";
    let reason = match failed {
        Some(why) => format!("FAILED in {side}: {why}"),
        None => format!("not ranked in {side}: {}", reason_in(&table.below).unwrap_or_else(|| "not measured".into())),
    };
    Without { target: target.to_owned(), reason, failed_in_b }
}
