//! What is written of a run and of each of its slices.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Conditions, Limit, PilotRecord, VersusRecord};
use crate::container::Launcher;
use crate::load::{Latencies, Latency, Report, Shape};
use crate::machine::{Commit, Fingerprint, Known, Machine, Program, Toolchain};
use crate::plan::{Cell, Knob};
use crate::stats::Rules;

/// The version of these records. A change in what a field means, or a field that is gone, is a new one.
pub const SCHEMA: u32 = 1;

/// A server may use this share of a core when idle, before it is worth a line: others would pay for it if they were
/// measured meanwhile.
pub const IDLE_CORES: f64 = 0.002;

/// `run.json`: what was asked for, of whom, on what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The version of this record.
    pub schema: u32,
    /// When the run began, UTC, RFC 3339.
    pub began: String,
    /// The commit of the project.
    pub commit: Commit,
    /// What the servers of this workspace are built with.
    pub toolchain: Toolchain,
    /// The version of the harness.
    pub version: String,
    /// How it was measured.
    pub options: Options,
    /// The load tool.
    pub tool: ToolRecord,
    /// The machine.
    pub machine: Machine,
    /// What must be equal in another run for the two to be compared.
    pub fingerprint: Fingerprint,
    /// What would disturb the run, as it was seen beforehand.
    pub warnings: Vec<String>,
    /// What figures are compared with, and when a difference counts.
    pub comparison: ComparisonRecord,
    /// Who was measured, in the order of the command line; the baseline's second self is the last.
    pub targets: Vec<TargetRecord>,
    /// The files that targets of the user's own came from → their SHA-256 checksums.
    #[serde(default)]
    pub target_files: BTreeMap<String, Known<String>>,
    /// What one block holds.
    pub cells: Vec<Cell>,
    /// The two commits that are compared, if that is what this run is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub versus: Option<VersusRecord>,
    /// What the number of blocks was planned from, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pilot: Option<PilotRecord>,
    /// What each target gave in a short closed loop beforehand, if a rate was to be fixed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacity: Vec<Capacity>,
}

/// What a target gave in a short closed loop, with the same load tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// The target.
    pub target: String,
    /// Good responses per second; `None` if that slice failed.
    pub rps: Option<f64>,
}

impl RunRecord {
    /// Those that are compared: everyone but the baseline's second self.
    pub fn compared(&self) -> impl Iterator<Item = &TargetRecord> {
        self.targets.iter().filter(|target| target.name != self.comparison.twin)
    }
}

/// What figures are compared with, and when a difference counts; fixed before the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRecord {
    /// The target that ratios are taken against.
    pub baseline: String,
    /// The name that the baseline takes part under once more.
    pub twin: String,
    /// When a difference counts, and what is equivalent.
    pub rules: Rules,
}

/// How a run is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The load tool's name.
    pub tool: String,
    /// The shapes.
    pub shapes: Vec<Shape>,
    /// Connections open at once.
    pub connections: u32,
    /// Threads of the load tool, where it has any.
    pub threads: u32,
    /// How many blocks.
    pub blocks: u32,
    /// How long a slice is, in seconds; `None` if it ends after a number of requests.
    pub slice_s: Option<f64>,
    /// After how many requests a slice ends; `None` if it ends after a time.
    pub requests: Option<u64>,
    /// The workers of every target that can choose; `None` for each one's default.
    pub workers: Option<usize>,
    /// From which the order of slices and the sizes of environments are drawn.
    pub seed: u64,
    /// Requests under way on each connection, in the pipelined shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Requests per second that are sent to each target, in the fixed-rate shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<u32>,
    /// What is swept, if that is what this run is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Knob>,
    /// What starts the targets.
    #[serde(default, skip_serializing_if = "Launcher::is_native")]
    pub launcher: Launcher,
}

impl Options {
    /// What decides how large figures are, as [`Fingerprint`] names it; not what decides only how sure they are.
    pub fn conditions(&self) -> Vec<(&'static str, String)> {
        let or = |value: Option<String>, none: &str| value.unwrap_or_else(|| none.to_owned());
        let mut conditions = vec![
            ("connections", self.connections.to_string()),
            ("load tool threads", self.threads.to_string()),
            ("slice, s", or(self.slice_s.map(|s| s.to_string()), "until the requests are done")),
            ("requests", or(self.requests.map(|count| count.to_string()), "until the time is over")),
            ("workers", or(self.workers.map(|count| count.to_string()), "each target's own")),
        ];
        // What other shapes need is named only where they are measured: it does not set all other runs apart.
        conditions.extend(self.depth.map(|depth| ("depth", depth.to_string())));
        conditions.extend(self.rate.map(|rate| ("rate", rate.to_string())));
        conditions.extend(self.sweep.map(|knob| ("sweep of", knob.to_string())));
        conditions.extend((!self.launcher.is_native()).then(|| ("launcher", self.launcher.to_string())));
        conditions
    }
}

/// The load tool that was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolRecord {
    /// Its name.
    pub name: String,
    /// What it says of its version.
    pub version: String,
    /// The program.
    pub program: Known<Program>,
}

/// A target as it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetRecord {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: String,
    /// Its language.
    pub language: String,
    /// What it shows, as in `axum 0.8.9`.
    pub framework: String,
    /// The version of that, as in `0.8.9`.
    pub framework_version: Known<String>,
    /// Its concurrency model.
    pub model: String,
    /// Of an original: what the first comparisons call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// The originals that it answers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mirrors: Vec<String>,
    /// Of an original: the workers that a mirror has to have to answer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirror_workers: Option<usize>,
    /// The shapes that it can hold at all.
    pub shapes: Vec<Shape>,
    /// Threads that may run requests at once; `None` if that cannot be chosen.
    pub workers: Option<usize>,
    /// The command line that started it.
    pub command: Vec<String>,
    /// The variables that its environment had beside the harness's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// The folder that it was started in, if not the harness's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Whether it is built from this workspace, or from another commit of it.
    pub built_here: bool,
    /// The program that its command starts: its own binary if it is built here, else often an interpreter. Unknown if
    /// it did not build.
    pub program: Known<Program>,
    /// What it was built from: crate and version → features. Empty if it is not of this workspace.
    pub features: BTreeMap<String, BTreeSet<String>>,
    /// Lines of its own source, without blank ones and comments; `None` if it is not of this workspace, or was not
    /// counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_lines: Option<u64>,
}

/// A line of `slices.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceRecord {
    /// The version of this record.
    pub schema: u32,
    /// Block, from 0.
    pub block: u32,
    /// Which try of the block it belongs to, from 0: a disturbed block is measured again as a whole.
    #[serde(rename = "try", default)]
    pub tried: u32,
    /// What was measured.
    #[serde(flatten)]
    pub cell: Cell,
    /// When it began, UTC, RFC 3339.
    pub began: String,
    /// Bytes that were added to the server's environment.
    pub environment_padding: usize,
    /// The load tool's command line; empty if it did not come so far.
    pub command: Vec<String>,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came of a slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A measurement.
    Valid(Box<Measurement>),
    /// None, and why.
    Failed(Failed),
}

impl Outcome {
    /// What limited it, if it is a measurement.
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Self::Valid(measurement) => Some(measurement.limit),
            Self::Failed(_) => None,
        }
    }

    /// Whether something else took the cores, so that its block is to be measured again.
    pub fn is_disturbed(&self) -> bool {
        matches!(self, Self::Valid(measurement) if super::disturbed(measurement))
    }
}

/// Why there is no measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    /// How far it came.
    pub stage: Stage,
    /// What happened, in words.
    pub reason: String,
    /// What the load tool said all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Box<Report>>,
}

/// The stages of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// It did not build.
    Build,
    /// It did not start, or gave no agreed response.
    Start,
    /// It gave no agreed response before the load.
    Before,
    /// Something went wrong under load.
    Load,
    /// It was not itself, or gave no agreed response, after the load.
    After,
}

impl Stage {
    /// As it stands before a reason.
    pub fn words(self) -> &'static str {
        match self {
            Self::Build => "not built",
            Self::Start => "not started",
            Self::Before => "wrong before load",
            Self::Load => "failed under load",
            Self::After => "wrong after load",
        }
    }
}

/// A valid slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Good responses.
    pub requests: u64,
    /// How long the load tool measured, in seconds.
    pub duration_s: f64,
    /// Good responses per second.
    pub rps: f64,
    /// Server CPU time per good response, user + system, in µs.
    pub cost_us: f64,
    /// CPU time of the server's process tree, in seconds.
    pub server_cpu_s: f64,
    /// The share of user time in it, from 0 to 1, from ticks of 10 ms; `None` if none passed.
    pub server_user_share: Option<f64>,
    /// CPU time of the load tool, in seconds.
    pub tool_cpu_s: f64,
    /// From the start of the load tool to its end, in seconds: CPU times are over this.
    pub wall_s: f64,
    /// CPU time of everything but the server and the load tool, in seconds; `None` if unknown.
    pub other_cpu_s: Option<f64>,
    /// CPU time that the hypervisor took, in seconds, over all cores; `None` if unknown.
    pub steal_s: Option<f64>,
    /// Bytes of one response, head and body.
    pub response_bytes: u64,
    /// Bytes that the load tool received.
    pub received_bytes: Option<u64>,
    /// Connections opened on this machine while the tool ran; `None` if unknown.
    pub connections_opened: Option<u64>,
    /// The share of responses after which the connection was kept, from 0 to 1; `None` if unknown.
    pub kept_share: Option<f64>,
    /// Resident memory of the server's process tree after the load, in bytes.
    pub rss_bytes: u64,
    /// Threads of the server's process tree after the load.
    pub threads: u64,
    /// From the start of the server's process to its first right answer, in seconds.
    pub start_up_s: f64,
    /// How its cost fell while it was warmed up until it was steady; `None` where that was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    /// CPU time that the server used per second while nothing asked it anything, before the load: 1 is a whole core;
    /// `None` if unknown.
    #[serde(default)]
    pub idle_cores: Option<f64>,
    /// Latency of a closed loop, in µs: a server that stalls is asked less often, so that these flatter it.
    pub closed_loop_latency_us: Latency,
    /// In the fixed-rate shape: what was sent, and how long each answer took from when its request was due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_rate: Option<FixedRate>,
    /// What limited the requests per second.
    #[serde(default)]
    pub limit: Limit,
    /// What else was seen.
    #[serde(default)]
    pub conditions: Conditions,
    /// What a reader of the figures should know.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// What only the fixed-rate shape gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FixedRate {
    /// Requests per second that were to be sent. How many were answered per second is the measurement's `rps`.
    pub offered_rps: f64,
    /// The latencies, as `[[ns, how many], …]`, without those of the first tenth, which opens the connections.
    pub latencies_ns: Latencies,
}

/// A warm-up until the cost is steady.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WarmUp {
    /// CPU time per response in successive slices of it, in µs, the last one last.
    pub cost_us: Vec<f64>,
    /// How long each of these slices was at least, in seconds.
    pub slice_s: f64,
    /// Requests in all.
    pub requests: u64,
    /// Whether it became steady, or was ended by its bound.
    pub steady: bool,
}
