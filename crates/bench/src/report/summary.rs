//! `summary.json`: what a run found, for programs. Its JSON Schema is published as `results/summary-1.schema.json`.

#[cfg(test)]
mod tests;

use anyhow::Result;
#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judgement::{Judgement, compared};
use super::sentences;
use super::sweep;
use super::table::{Below, Report, Row, RpsOf, Table};
use super::verdicts::tier;
use crate::load::{Latencies, Shape};
use crate::results::{Outcome, SliceRecord};
use crate::stats::{self, Conclusion, Findings, Tiers};

/// The version of the format. A field that is gone, or means something else, is a new one; a field that is added is not.
pub const SCHEMA: u32 = 1;

/// What a run found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Summary {
    /// The version of this format: 1.
    pub schema: u32,
    /// When the run began, UTC, RFC 3339.
    pub began: String,
    /// Whether all of the plan was measured.
    pub is_complete: bool,
    /// Slices that count.
    pub slices: usize,
    /// Slices of the plan.
    pub planned_slices: usize,
    /// The machine's name, or `unknown`.
    pub host: String,
    /// Its CPU, or `unknown`.
    pub cpu: String,
    /// Its kernel, or `unknown`.
    pub kernel: String,
    /// A hash of everything that must be equal in another run for the two to be compared.
    pub fingerprint: String,
    /// The commit of the project, or `unknown`.
    pub commit: String,
    /// The load tool.
    pub tool: String,
    /// What it says of its version.
    pub tool_version: String,
    /// Connections open at once.
    pub connections: u32,
    /// Blocks of the plan.
    pub blocks: u32,
    /// The target that ratios are taken against.
    pub baseline: String,
    /// No further apart than this share is equivalent.
    pub margin: f64,
    /// An estimate under this share is no difference that counts.
    pub minimum_effect: f64,
    /// One for each shape; none for a sweep.
    pub shapes: Vec<ShapeSummary>,
    /// The steps of a sweep; none for another run.
    #[serde(default)]
    pub steps: Vec<Step>,
}

/// What was found in one shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ShapeSummary {
    /// `keep-alive`, `close`, `pipelined` or `fixed-rate`.
    pub shape: String,
    /// False if the baseline came out different from itself: then nothing in this shape should be believed.
    pub is_trusted: bool,
    /// The verdict in sentences.
    pub sentences: Vec<String>,
    /// The ranked ones first, the cheapest first; then those that cannot hold the shape; then those that failed.
    pub targets: Vec<TargetSummary>,
}

/// One target in one shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TargetSummary {
    /// Its name.
    pub name: String,
    /// What it shows, as in `axum 0.8.9`.
    pub framework: String,
    /// Whether it has a rank.
    pub standing: Standing,
    /// Why it has none, in words.
    #[serde(default)]
    pub reason: Option<String>,
    /// Slices with a measurement.
    pub valid_slices: usize,
    /// Slices without one: a failure is never a slow slice.
    pub failed_slices: usize,
    /// Server CPU time per good response, user and system, in µs.
    pub cost_us: Option<Spread>,
    /// Good responses per second.
    pub rps: Option<Spread>,
    /// Whose the responses per second are.
    pub rps_of: Option<WhoseRps>,
    /// What limited the responses per second in most slices.
    pub limit: Option<String>,
    /// Its cost over the baseline's.
    pub cost_ratio: Option<Ratio>,
    /// Its responses per second over the baseline's.
    pub rps_ratio: Option<Ratio>,
    /// Latency in µs at a fixed rate, from when a request was due; null in another shape.
    #[serde(default)]
    pub latency_us: Option<LatencySummary>,
    /// Bytes of one response, head and body.
    pub response_bytes: Option<Spread>,
    /// Resident memory after the load, in bytes.
    pub rss_bytes: Option<Spread>,
    /// From the start of the process to the first right answer, in seconds.
    pub start_up_s: Option<Spread>,
    /// The size of its binary, if it was built here.
    pub binary_bytes: Option<u64>,
    /// The crates in it, if it was built here.
    pub crates: Option<u64>,
    /// Lines of its own source, without blank ones and comments, if it was built here.
    pub source_lines: Option<u64>,
}

/// Where a target stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It has a rank.
    Ranked,
    /// It cannot hold the shape.
    NotRanked,
    /// A slice of it failed.
    Failed,
}

impl Standing {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ranked => "ranked",
            Self::NotRanked => "not_ranked",
            Self::Failed => "failed",
        }
    }
}

/// Whose responses per second are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WhoseRps {
    /// The server's.
    Server,
    /// The load tool's: the server could have given more.
    LoadTool,
    /// Of server and load tool together, which took the cores from each other.
    Pair,
}

impl WhoseRps {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::LoadTool => "load_tool",
            Self::Pair => "pair",
        }
    }
}

/// A metric over valid slices.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Spread {
    /// The middle value.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// How many values there were.
    pub n: usize,
}

/// A ratio to the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Ratio {
    /// The Hodges-Lehmann estimate.
    pub ratio: f64,
    /// The lower end of the exact 95 % interval; null under 6 units.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// `faster`, `slower`, `equivalent` or `unresolved`; null with too few blocks for one.
    pub verdict: Option<String>,
    /// Its tiers as letters, `a` being the best; null with too few blocks.
    pub tier: Option<String>,
}

/// Percentiles, null where fewer than 10 requests lie beyond.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct LatencySummary {
    /// Half of the requests took no longer.
    pub p50: Option<f64>,
    /// 90 % of them.
    pub p90: Option<f64>,
    /// 99 % of them.
    pub p99: Option<f64>,
    /// 99.9 % of them.
    pub p999: Option<f64>,
    /// The longest.
    pub max: Option<f64>,
}

/// A step of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Step {
    /// The target.
    pub name: String,
    /// The shape.
    pub shape: String,
    /// `connections`, `workers` or `rate`.
    pub knob: String,
    /// Its value.
    pub value: u32,
    /// Server CPU time per good response, in µs; null if a slice failed.
    pub cost_us: Option<Spread>,
    /// Good responses per second; null if a slice failed.
    pub rps: Option<Spread>,
    /// Slices that failed.
    pub failed_slices: usize,
}

/// The file.
///
/// # Errors
/// When it cannot be written as JSON, which numbers and words always can.
pub fn json(report: &Report) -> Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(&summary(report))?))
}

/// The data of the file.
pub fn summary(report: &Report) -> Summary {
    let (run, record) = (report.run, &report.run.record);
    let is_sweep = record.options.sweep.is_some();
    Summary {
        schema: SCHEMA,
        began: record.began.clone(),
        is_complete: !run.is_partial(),
        slices: run.slices.len(),
        planned_slices: run.planned(),
        host: record.machine.host.to_string(),
        cpu: record.machine.cpu.model.to_string(),
        kernel: record.machine.kernel.release.to_string(),
        fingerprint: record.fingerprint.hash.clone(),
        commit: record.commit.hash.to_string(),
        tool: record.tool.name.clone(),
        tool_version: record.tool.version.clone(),
        connections: record.options.connections,
        blocks: record.options.blocks,
        baseline: record.comparison.baseline.clone(),
        margin: record.comparison.rules.margin(),
        minimum_effect: record.comparison.rules.minimum_effect(),
        shapes: if is_sweep { Vec::new() } else { report.tables.iter().map(|table| of_table(report, table)).collect() },
        steps: if is_sweep { sweep::steps(report) } else { Vec::new() },
    }
}

fn of_table(report: &Report, table: &Table) -> ShapeSummary {
    let ranked = table.ranked.iter().map(|row| (Standing::Ranked, row.target, None, Some(row)));
    let rest = |standing: Standing, below: &[Below<'_>]| -> Vec<TargetSummary> {
        below
            .iter()
            .map(|own| target(report, table, (standing, own.target, Some(own.reason.clone()), own.row.as_ref())))
            .collect()
    };
    let mut targets: Vec<TargetSummary> = ranked.map(|own| target(report, table, own)).collect();
    targets.extend(rest(Standing::NotRanked, &table.below));
    targets.extend(rest(Standing::Failed, &table.failed));
    ShapeSummary {
        shape: table.shape.to_string(),
        is_trusted: !table.judgement.is_stamped(),
        sentences: sentences::verdict(table),
        targets,
    }
}

type Placed<'a> = (Standing, &'a crate::results::TargetRecord, Option<String>, Option<&'a Row<'a>>);

fn target(report: &Report, table: &Table, (standing, target, reason, row): Placed) -> TargetSummary {
    let own: Vec<&SliceRecord> = (report.run.slices.iter())
        .filter(|slice| slice.cell.target == target.name && slice.cell.shape == table.shape)
        .collect();
    let failed = own.iter().filter(|slice| matches!(slice.outcome, Outcome::Failed(_))).count();
    let spread = |get: fn(&Row) -> stats::Summary| row.map(|row| Spread::from(get(row)));
    let [cost, rps] = match &table.judgement {
        Judgement::Ratios { cost, rps } => [Some(cost), rps.as_ref()],
        Judgement::None(_) => [None, None],
    };
    let ratio = |findings: Option<&Box<Findings>>| findings.and_then(|findings| ratio(findings, &target.name));
    let ranked = standing == Standing::Ranked;
    TargetSummary {
        name: target.name.clone(),
        framework: target.framework.clone(),
        standing,
        reason,
        valid_slices: own.len() - failed,
        failed_slices: failed,
        cost_us: spread(|row| row.cost_us),
        rps: spread(|row| row.rps),
        rps_of: row.map(|row| match row.rps_of {
            RpsOf::Server => WhoseRps::Server,
            RpsOf::LoadTool => WhoseRps::LoadTool,
            RpsOf::Pair => WhoseRps::Pair,
        }),
        limit: row.map(|row| row.limit.words().to_owned()),
        cost_ratio: ratio(cost).filter(|_| ranked),
        rps_ratio: ratio(rps).filter(|_| ranked),
        latency_us: if table.shape == Shape::FixedRate { latency(&own) } else { None },
        response_bytes: spread(|row| row.response_bytes),
        rss_bytes: spread(|row| row.rss_bytes),
        start_up_s: spread(|row| row.start_up_s),
        binary_bytes: target.program.get().filter(|_| target.built_here).map(|program| program.bytes),
        crates: (!target.features.is_empty()).then_some(target.features.len() as u64),
        source_lines: target.source_lines,
    }
}

fn ratio(findings: &Findings, name: &str) -> Option<Ratio> {
    let tier = matches!(findings.tiers, Tiers::Shown(_)).then(|| tier(findings, name));
    if findings.baseline == name {
        return Some(Ratio { ratio: 1.0, low: None, high: None, verdict: None, tier });
    }
    let found = compared(findings, name)?;
    let verdict = match found.conclusion {
        Conclusion::Verdict(verdict) => Some(verdict.words().to_owned()),
        Conclusion::TooFew { .. } => None,
    };
    let (low, high) = found.interval.map(|interval| (interval.low, interval.high)).unzip();
    Some(Ratio { ratio: found.ratio, low, high, verdict, tier })
}

fn latency(slices: &[&SliceRecord]) -> Option<LatencySummary> {
    let all = Latencies::merged(slices.iter().filter_map(|slice| match &slice.outcome {
        Outcome::Valid(measurement) => Some(&measurement.fixed_rate.as_ref()?.latencies_ns),
        Outcome::Failed(_) => None,
    }))?;
    let [p50, p90, p99, p999] = [50.0, 90.0, 99.0, 99.9].map(|percent| all.percentile_us(percent));
    Some(LatencySummary { p50, p90, p99, p999, max: all.max_us() })
}

impl From<stats::Summary> for Spread {
    fn from(summary: stats::Summary) -> Self {
        let stats::Summary { median, min, max, n } = summary;
        Self { median, min, max, n }
    }
}
