//! A table's figures beside the baseline's: what the statistics make of the slices of one shape.

use std::num::NonZeroUsize;

use super::table::{Report, Row, Slices, Table};
use crate::load::Shape;
use crate::results::{Measurement, Outcome, Run, RunRecord, SliceRecord};
use crate::stats::{Conclusion, Findings, Found, Input, Metric, NoRatio, Series, analyse};

/// What is known of a shape's targets beside the baseline.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    /// Ratios to the baseline.
    Ratios {
        /// Of cost.
        cost: Box<Findings>,
        /// Of requests per second, between targets that were the limit themselves; `None` if the baseline was not: then
        /// its figure is the load tool's, or of the two together.
        rps: Option<Box<Findings>>,
    },
    /// None, and why.
    None(String),
}

/// The rows and slices of one shape that are to be judged.
pub struct Rows<'a> {
    /// The shape.
    pub shape: Shape,
    /// Those with figures that can be ranked.
    pub ranked: &'a [Row<'a>],
    /// The baseline's second self, if its figures can be ranked.
    pub twin: Option<&'a Row<'a>>,
}

/// Judges one shape. The family of comparisons is everyone that was to be measured in it, as it was fixed before the run:
/// who failed counts as a test that could not be made.
pub fn judge(record: &RunRecord, rows: &Rows, slices: &Slices) -> Judgement {
    let baseline = &record.comparison.baseline;
    let row_of = |name: &str| rows.ranked.iter().find(|row| row.target.name == name);
    let Some(baseline_row) = row_of(baseline) else {
        return Judgement::None(format!("no ratios: {baseline}, the baseline, is not ranked in this shape"));
    };
    let findings = |metric| input(record, rows, slices, metric).map(|input| Box::new(analyse(&input)));
    let rps = baseline_row.rps_of.is_the_servers().then(|| findings(Metric::Rps)).transpose();
    match (findings(Metric::Cost), rps) {
        (Ok(cost), Ok(rps)) => Judgement::Ratios { cost, rps },
        (Err(why), _) | (_, Err(why)) => Judgement::None(format!("no ratios: {why}")),
    }
}

/// What is judged of one metric in one shape, whose baseline is ranked.
fn input(record: &RunRecord, rows: &Rows, slices: &Slices, metric: Metric) -> Result<Input, NoRatio> {
    let (baseline, blocks) = (&record.comparison.baseline, record.options.blocks as usize);
    let row_of = |name: &str| rows.ranked.iter().find(|row| row.target.name == name);
    let counts = |row: &Row| metric == Metric::Cost || row.rps_of.is_the_servers();
    let series = |name: &str, row: Option<&Row>| {
        let own = if row.is_some_and(counts) { slices.get(name, rows.shape) } else { &[] };
        Series::new(name, by_block(own, metric, blocks), NonZeroUsize::MIN)
    };
    let others = record.compared().filter(|t| t.name != *baseline && t.shapes.contains(&rows.shape));
    Ok(Input {
        metric,
        baseline: series(baseline, row_of(baseline))?,
        twin: rows.twin.filter(|row| counts(row)).map(|row| series(&row.target.name, Some(row))).transpose()?,
        targets: others.map(|target| series(&target.name, row_of(&target.name))).collect::<Result<_, _>>()?,
        rules: record.comparison.rules,
    })
}

/// Everything that a run's verdicts are made from: each metric that its baseline has, in each shape.
///
/// # Errors
/// For a figure of which no ratio can be taken.
pub fn inputs(run: &Run) -> Result<Vec<(Shape, Input)>, NoRatio> {
    let (report, slices) = (Report::of(run), Slices::of(run));
    let mut inputs = Vec::new();
    for Table { shape, ranked, twin, .. } in &report.tables {
        let rows = Rows { shape: *shape, ranked, twin: twin.as_ref() };
        let Some(baseline) = ranked.iter().find(|row| row.target.name == run.record.comparison.baseline) else {
            continue;
        };
        inputs.push((*shape, input(&run.record, &rows, &slices, Metric::Cost)?));
        if baseline.rps_of.is_the_servers() {
            inputs.push((*shape, input(&run.record, &rows, &slices, Metric::Rps)?));
        }
    }
    Ok(inputs)
}

/// A metric of valid slices, by block.
pub fn by_block(slices: &[&SliceRecord], metric: Metric, blocks: usize) -> Vec<Option<f64>> {
    let mut values = vec![None; blocks];
    for slice in slices {
        if let (Outcome::Valid(measurement), Some(value)) = (&slice.outcome, values.get_mut(slice.block as usize)) {
            *value = Some(value_of(measurement, metric));
        }
    }
    values
}

fn value_of(measurement: &Measurement, metric: Metric) -> f64 {
    match metric {
        Metric::Cost => measurement.cost_us,
        Metric::Rps => measurement.rps,
    }
}

impl Judgement {
    /// Whether the baseline came out different from itself.
    pub fn is_stamped(&self) -> bool {
        self.findings().any(|findings| findings.noise_floor.as_ref().is_some_and(|floor| floor.stamped))
    }

    /// The findings that there are.
    pub fn findings(&self) -> impl Iterator<Item = &Findings> {
        let both = match self {
            Self::Ratios { cost, rps } => [Some(cost), rps.as_ref()],
            Self::None(_) => [None, None],
        };
        both.into_iter().flatten().map(AsRef::as_ref)
    }

    /// A target's estimate of the cost ratio, for the order of a table; 1 for the baseline.
    pub fn cost_ratio(&self, target: &str) -> Option<f64> {
        let Self::Ratios { cost, .. } = self else { return None };
        if cost.baseline == target {
            return Some(1.0);
        }
        Some(compared(cost, target)?.ratio)
    }
}

/// A target beside the baseline, if they could be compared.
pub fn compared<'f>(findings: &'f Findings, target: &str) -> Option<&'f crate::stats::Comparison> {
    let against = findings.against_baseline.iter().find(|against| against.target == target)?;
    match &against.found {
        Found::Compared(comparison) => Some(comparison),
        Found::NothingInCommon => None,
    }
}

/// If no comparison has blocks enough for a verdict: the most that one has, and how many it takes.
pub fn too_few(findings: &Findings) -> Option<(usize, usize)> {
    let mut most = None;
    for against in &findings.against_baseline {
        let Found::Compared(comparison) = &against.found else { continue };
        match comparison.conclusion {
            Conclusion::Verdict(_) => return None,
            Conclusion::TooFew { units, needed } => most = most.max(Some((units, needed))),
        }
    }
    most
}
