//! `run`: its flags, which `sweep` and `versus` have too.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{TargetArgs, parse_duration, parse_percent};
use crate::container::Network;
use crate::load::{self, LoadTool, Shape};
use crate::voice::Voice;

/// What is to be measured, of whom, and how.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub(super) targets: TargetArgs,

    /// The load tool [default: wrk; oha for a fixed rate]
    #[arg(long, value_parser = load::TOOLS.map(LoadTool::name))]
    pub(super) tool: Option<String>,

    /// How connections are used [default: keep-alive and close]
    #[arg(long)]
    pub(super) shape: Vec<Shape>,

    /// Requests under way on each connection, with --shape pipelined [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(super) depth: Option<u32>,

    /// Requests per second that are sent to every target, with --shape fixed-rate
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(super) rate: Option<u32>,

    /// Connections open at once [default: 64]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) connections: Option<u32>,

    /// Threads of the load tool [default: half of the cores; ab and httperf have one]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) threads: Option<u32>,

    /// Blocks: how often every target is measured; with `auto`, as often as the spread in a pilot of 6 blocks asks for
    /// [default: twice what verdicts on all take; 18 for 11 targets]
    #[arg(long, value_name = "N|auto", value_parser = parse_blocks)]
    pub(super) blocks: Option<Blocks>,

    /// The difference that is to be seen, with --blocks auto [default: 3%]
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub(super) resolve: Option<f64>,

    /// No more blocks than this, with --blocks auto [default: 60]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub(super) max_blocks: Option<u32>,

    /// How long a slice is, as in 1s or 500ms
    #[arg(long, default_value = "1s", value_parser = parse_duration)]
    pub(super) slice: Duration,

    /// End a slice after this many requests, instead of after a time (not wrk)
    #[arg(long, conflicts_with = "slice", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(super) requests: Option<u64>,

    /// Threads that may run requests at once, in every target that can choose [default: each target's own]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) workers: Option<u16>,

    /// Draw the order of slices from this number, as an earlier run did
    #[arg(long)]
    pub(super) seed: Option<u64>,

    /// A new folder for the result [default: a folder in results/ that is named by time, host and commit]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,

    /// A first look in about two minutes: 2 blocks, unless --blocks is given; too few for verdicts
    #[arg(long)]
    pub(super) quick: bool,

    /// What starts targets: the harness itself, or Docker
    #[arg(long, value_name = "WHAT", default_value = "native", value_parser = ["native", "docker"])]
    pub(super) launcher: String,

    /// How containers are reached, with --launcher docker [default: host]
    #[arg(long, value_name = "NETWORK")]
    pub(super) docker_network: Option<Network>,

    /// What ratios are taken against; it is measured twice in every block [default: tokio, else the first target that
    /// can hold every shape]
    #[arg(long, value_name = "TARGET")]
    pub(super) baseline: Option<String>,

    /// No further apart than this is equivalent
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = parse_percent)]
    pub(super) margin: f64,

    /// An estimate under this is no difference that counts
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = parse_percent)]
    pub(super) min_effect: f64,

    #[command(flatten)]
    says: SaysArgs,
}

impl RunArgs {
    pub(super) fn voice(&self) -> Voice {
        match (self.says.json, self.says.quiet) {
            (true, _) => Voice::Json,
            (_, true) => Voice::Quiet,
            _ => Voice::Full,
        }
    }
}

/// What a run says while it is made, which changes nothing in it.
#[derive(Debug, Args)]
struct SaysArgs {
    /// The records on standard output as they come: the run in one line of JSON, then a line per slice; no tables
    #[arg(long, conflicts_with = "quiet")]
    json: bool,

    /// No progress and no tables: warnings and errors only
    #[arg(long)]
    quiet: bool,
}

/// `run`: the flags of a new one, or the folder of one that goes on.
#[derive(Debug, Args)]
#[command(mut_args = not_with_resume)]
pub struct NewOrResumedArgs {
    /// Those of a new one
    #[command(flatten)]
    pub new: RunArgs,

    /// Go on with the run in this folder where it stopped: with its own options, if nothing else has changed
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,
}

/// A run that goes on is the run that it was: only how it speaks may be another.
fn not_with_resume(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "resume" | "json" | "quiet" => arg,
        _ => arg.conflicts_with("resume"),
    }
}

/// `--blocks`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blocks {
    Number(u32),
    Auto,
}

fn parse_blocks(text: &str) -> Result<Blocks, String> {
    const MOST: u32 = 10_000;
    match text.parse() {
        _ if text == "auto" => Ok(Blocks::Auto),
        Ok(number) if (1..=MOST).contains(&number) => Ok(Blocks::Number(number)),
        _ => Err(format!("{text:?} is neither a number from 1 to {MOST} nor `auto`")),
    }
}
