//! What is kept of a replay: `replay.json` with what was asked of whom on what, and a line of `trials.jsonl` for every
//! trial, appended and synced as it ends. The report is made from the two alone.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::load::HttperfReplies as Replies;
use crate::machine::{Commit, Known, Machine, Program, Toolchain};
use crate::results::{self, Failed, Limit, REPORT_FILE, ToolRecord, WarmUp};

/// The version of these records.
pub const SCHEMA: u32 = 1;
/// What was asked for.
pub const REPLAY_FILE: &str = "replay.json";
/// One line per trial.
pub const TRIALS_FILE: &str = "trials.jsonl";

/// `replay.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayRecord {
    /// The version of this record.
    pub schema: u32,
    /// The name of the replay.
    pub replay: String,
    /// When it began, UTC, RFC 3339.
    pub began: String,
    /// The version of the harness.
    pub version: String,
    /// The commit of the project.
    pub commit: Commit,
    /// What the servers of this workspace are built with.
    pub toolchain: Toolchain,
    /// The machine.
    pub machine: Machine,
    /// Whether everything was made small, for a first look.
    pub quick: bool,
    /// From which the order of trials is drawn.
    pub seed: u64,
    /// The load tools.
    pub tools: Vec<ToolRecord>,
    /// Who took part.
    pub members: Vec<Member>,
    /// Who would have taken part and is not there: one line each.
    pub missing: Vec<String>,
    /// What would disturb it, as it was seen beforehand.
    pub warnings: Vec<String>,
    /// How many trials were planned.
    pub planned: usize,
}

/// A target as it took part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// What it shows, as in `axum 0.8.9`.
    pub shows: String,
    /// Its concurrency model.
    pub model: String,
    /// Threads or processes that may run requests at once; `None` if that cannot be chosen.
    pub workers: Option<usize>,
    /// The command line that starts it.
    pub command: Vec<String>,
    /// The program that this starts: often an interpreter.
    pub program: Known<Program>,
}

/// What a trial was of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// How long the published number of requests takes: it decides how many are sent, and is not counted.
    Look {
        /// Requests.
        requests: u64,
        /// Connections open at once.
        connections: u32,
    },
    /// A number of requests, as fast as they are answered (ab).
    Requests {
        /// Requests.
        requests: u64,
        /// Connections open at once.
        connections: u32,
        /// Whether they are kept from request to request, where the server keeps them.
        keep: bool,
    },
    /// Connections at a rate, one request on each (httperf).
    Rate {
        /// Connections that are opened per second.
        per_s: u32,
        /// Connections in all.
        connections: u32,
    },
    /// Connections that ask again as soon as they are answered, for a time (oha, h2load or wrk).
    Users {
        /// Connections open at once.
        users: u32,
        /// For how many seconds.
        seconds: u32,
    },
    /// Memory, with stacks of this size.
    Stack {
        /// The size of a thread's stack, in KiB; `None` for the default.
        kib: Option<u32>,
    },
}

/// A line of `trials.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// The version of this record.
    pub schema: u32,
    /// The target's name.
    pub target: String,
    /// What it was of.
    pub part: Part,
    /// Which time, from 1.
    pub round: u32,
    /// When it began, UTC, RFC 3339.
    pub began: String,
    /// The load tool's command line; empty if it did not come so far.
    pub command: Vec<String>,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Figures, every response being the agreed one.
    Valid(Box<Found>),
    /// None, and why.
    Failed(Failed),
}

/// The figures of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Good responses.
    pub requests: u64,
    /// How long the load tool measured, in seconds.
    pub duration_s: f64,
    /// Good responses per second.
    pub rps: f64,
    /// The mean time of a response as the load tool tells it, in ms; `None` if it does not.
    pub mean_ms: Option<f64>,
    /// CPU time of the server per good response, user + system, in µs.
    pub cost_us: f64,
    /// Bytes that the load tool received.
    pub received_bytes: Option<u64>,
    /// Bytes of one response, head and body.
    pub response_bytes: u64,
    /// From the start of the server's process to its first right answer, in seconds.
    pub start_up_s: f64,
    /// What limited the requests per second.
    pub limit: Limit,
    /// `[[percent, ms], …]`: so many percent of the responses came within so many ms (ab); empty if not asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub percentiles_ms: Vec<(u32, f64)>,
    /// What only httperf tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replies: Option<Replies>,
    /// Memory, where the trial was of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Footprint>,
    /// How it was warmed up until its cost was steady, if it is one that needs that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    /// What a reader of the figures should know.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// Memory of a server's process tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footprint {
    /// Address space, in bytes.
    pub virtual_bytes: u64,
    /// Resident, in bytes.
    pub resident_bytes: u64,
    /// Threads.
    pub threads: u64,
    /// Connections that were open to it then, each answered once.
    pub connections: u32,
}

/// A replay's directory that is being written.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    trials: File,
}

impl Directory {
    /// Creates `wanted`, or `results/<UTC time>-<host>-<short commit>-replay-<name>` below `root`.
    ///
    /// # Errors
    /// When it is there already, or cannot be written.
    pub fn create(wanted: Option<&Path>, root: &Path, replay: &ReplayRecord) -> Result<Self> {
        let host = replay.machine.host.to_string();
        let name = format!("{}-replay-{}", results::name(&replay.began, &host, &replay.commit), replay.replay);
        let path = wanted.map_or_else(|| root.join("results").join(name), Path::to_owned);
        let path = results::create_exclusively(&path)?;
        let trials = File::options().append(true).create_new(true).open(path.join(TRIALS_FILE))?;
        // Last: a directory that has it is a replay.
        results::replace(&path.join(REPLAY_FILE), &results::to_json_pretty(replay)?)?;
        Ok(Self { path, trials })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A name for a file of what a tool or a server printed, without its ending.
    pub fn raw(&self, stem: &str) -> PathBuf {
        self.path.join(results::RAW_FOLDER).join(stem)
    }

    /// That a trial can be kept.
    ///
    /// # Errors
    /// In one line, when not.
    pub fn must_have_room(&self) -> Result<()> {
        results::must_have_room(&self.path, TRIALS_FILE)
    }

    /// Appends one trial and has the disk keep it.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn append(&mut self, trial: &TrialRecord) -> Result<()> {
        let mut line = serde_json::to_vec(trial)?;
        line.push(b'\n');
        self.must_have_room()?;
        self.trials.write_all(&line).and_then(|()| self.trials.sync_data()).context("a trial cannot be kept")
    }
}

/// A replay as its directory tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// `replay.json`.
    pub record: ReplayRecord,
    /// `trials.jsonl`, in its order.
    pub trials: Vec<TrialRecord>,
}

impl Replay {
    /// Reads a replay's directory. A last line that was cut off while it was written is left out.
    ///
    /// # Errors
    /// When a file is missing, or is of another schema.
    pub fn read(path: &Path) -> Result<Self> {
        let file = path.join(REPLAY_FILE);
        let text =
            fs::read(&file).with_context(|| format!("{} is no replay: cannot read {REPLAY_FILE}", path.display()))?;
        let record: ReplayRecord =
            serde_json::from_slice(&text).with_context(|| format!("{} is not as expected", file.display()))?;
        ensure!(record.schema == SCHEMA, "{} is of schema {}; this reads {SCHEMA}", file.display(), record.schema);
        let file = path.join(TRIALS_FILE);
        let text = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let whole = std::str::from_utf8(results::whole_lines(&text)).with_context(|| format!("{}", file.display()))?;
        let read =
            |(n, line)| serde_json::from_str(line).with_context(|| format!("{}, line {}", file.display(), n + 1));
        Ok(Self { record, trials: whole.lines().enumerate().map(read).collect::<Result<_>>()? })
    }

    /// Writes what is made from the records beside them; again, if it is there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_report(path: &Path, report: &str, pictures: &[(String, String)]) -> Result<()> {
        for (file, picture) in pictures {
            results::replace(&path.join(file), picture.as_bytes())?;
        }
        results::replace(&path.join(REPORT_FILE), report.as_bytes())
    }

    /// Whether trials of the plan are missing.
    pub fn is_partial(&self) -> bool {
        self.trials.len() < self.record.planned
    }

    /// The figures of one target in the parts that are wanted, in the order of the trials.
    pub fn found<'a>(&'a self, target: &'a str, wanted: impl Fn(Part) -> bool + 'a) -> impl Iterator<Item = &'a Found> {
        let own = self.trials.iter().filter(move |trial| trial.target == target && wanted(trial.part));
        own.filter_map(|trial| match &trial.outcome {
            Outcome::Valid(found) => Some(&**found),
            Outcome::Failed(_) => None,
        })
    }
}
