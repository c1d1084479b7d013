//! A replay from its beginning to its report.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::lab::Lab;
use super::pages;
use super::record::{Directory, Member, Outcome, Part, Replay, ReplayRecord, SCHEMA};
use super::tools::{self, Tools};
use super::{Batch, Experiment};
use crate::load::LoadTool;
use crate::machine::{Commit, Machine, Program, Toolchain, raise_file_limit};
use crate::process::Lock;
use crate::results::ToolRecord;
use crate::run::{Ended, build_here, disturbances, must_be_new, now, ports_must_be_free, results_of};
use crate::targets::{Target, Workers, Workspace};

/// What is to be replayed.
pub struct Request {
    /// Which comparison.
    pub experiment: &'static dyn Experiment,
    /// Of whom.
    pub targets: Vec<Target>,
    /// Who would take part and is not there, a line each.
    pub missing: Vec<String>,
    /// Whether everything is made small.
    pub quick: bool,
    /// From which the order is drawn.
    pub seed: u64,
    /// Where the result goes, if not to a new folder under `results/`.
    pub out: Option<PathBuf>,
}

/// Makes a replay.
///
/// # Errors
/// When something that must be true beforehand is not, or the result cannot be kept.
pub fn run(workspace: &Workspace, request: &Request) -> Result<Ended> {
    let _lock = Lock::take()?;
    let batches = request.experiment.plan(request.quick);
    let tools = must_hold(request, &batches)?;
    let machine = Machine::read();
    let mut warnings = disturbances(
        &machine,
        &request.targets,
        &results_of(workspace, request.out.as_deref()),
        most_connections(&batches),
    );
    let closed_loop = tools.last().context("a replay has a load tool")?.0;
    if let Some(why) = tools::fallen_back_to(closed_loop) {
        eprintln!("warning: {why}");
        warnings.push(why);
    }
    let lab = |not_built| Lab {
        targets: &request.targets,
        not_built,
        workers: request.experiment.workers(),
        closed_loop,
        seed: request.seed,
    };
    let none = HashMap::new();
    foresee(request, &lab(&none), &batches);
    let Ok(not_built) = build_here(workspace, &request.targets)? else { return Ok(Ended::Interrupted) };
    let lab = lab(&not_built);
    let record = record(workspace, request, tools, machine, warnings, lab.planned(&batches));
    let mut directory = Directory::create(request.out.as_deref(), &workspace.root, &record)?;
    eprintln!("results go to {}", directory.path().display());
    let ended = lab.carry_out(&batches, &mut directory);
    // Whatever ended it, what was measured is reported.
    let written = again(directory.path());
    let interrupted = ended?.is_err();
    let failed = written?;
    say(&format!("kept in {}\n", directory.path().display()));
    Ok(match (interrupted, failed) {
        (true, _) => Ended::Interrupted,
        (false, true) => Ended::SomeFailed,
        (false, false) => Ended::Well,
    })
}

/// Makes the report of a replay from its records alone, writes it beside them and prints it; whether a trial failed.
///
/// # Errors
/// When the records cannot be read, or the report cannot be written.
pub fn again(folder: &Path) -> Result<bool> {
    let replay = Replay::read(folder)?;
    let experiment = super::named(&replay.record.replay)?;
    let document = pages::document(experiment, &replay);
    Replay::write_report(folder, &document.markdown(), &experiment.pictures(&replay))?;
    say(&document.terminal());
    Ok(replay.trials.iter().any(|trial| matches!(trial.outcome, Outcome::Failed(_))))
}

/// To standard output, which may have been closed.
fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// What it will do and how long that takes, before it starts.
fn foresee(request: &Request, lab: &Lab, batches: &[Batch]) {
    let names: Vec<&str> = request.targets.iter().map(Target::name).collect();
    eprintln!("{}: {}", request.experiment.name(), request.experiment.about());
    eprintln!("of {}", names.join(", "));
    for line in &request.missing {
        eprintln!("{line}");
    }
    let trials = lab.planned(batches);
    let expected = lab.expected(batches);
    let about = if expected < Duration::from_mins(2) {
        format!("{} s", expected.as_secs().max(1))
    } else {
        format!("{} min", expected.as_secs().div_ceil(60))
    };
    eprintln!("{trials} trials, about {about} after the builds; longer where a server starts or answers slowly");
}

fn most_connections(batches: &[Batch]) -> u32 {
    let of = |part: &Part| match part {
        Part::Look { connections, .. } | Part::Requests { connections, .. } | Part::Rate { connections, .. } => {
            *connections
        }
        Part::Users { users, .. } => *users,
        Part::Stack { .. } => super::trial::HELD,
    };
    batches.iter().flat_map(|batch| batch.parts.iter().map(of)).max().unwrap_or(1)
}

/// What must be true before anything is built or started.
fn must_hold(request: &Request, batches: &[Batch]) -> Result<Tools> {
    ensure!(!request.targets.is_empty(), "nobody is there to take part: {}", request.missing.join("; "));
    must_be_new(request.out.as_deref())?;
    let tools = tools::needed(batches)?;
    raise_file_limit(most_connections(batches))?;
    ports_must_be_free(&request.targets)?;
    Ok(tools)
}

fn record(
    workspace: &Workspace,
    request: &Request,
    tools: Tools,
    machine: Machine,
    warnings: Vec<String>,
    planned: usize,
) -> ReplayRecord {
    let workers = request.experiment.workers();
    let tool = |(tool, version): (&'static dyn LoadTool, String)| ToolRecord {
        name: tool.name().to_owned(),
        version,
        program: Program::of_command(tool.name(), Path::new(".")).into(),
    };
    ReplayRecord {
        schema: SCHEMA,
        replay: request.experiment.name().to_owned(),
        began: now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: Commit::of(&workspace.root),
        toolchain: Toolchain::read(&workspace.root),
        machine,
        quick: request.quick,
        seed: request.seed,
        tools: tools.into_iter().map(tool).collect(),
        members: request.targets.iter().map(|target| member(target, workers)).collect(),
        missing: request.missing.clone(),
        warnings,
        planned,
    }
}

fn member(target: &Target, workers: Option<usize>) -> Member {
    let workers = workers.filter(|_| target.description.workers == Workers::Cores);
    let command = target.command(workers);
    let folder = target.source.folder().unwrap_or(Path::new("/"));
    Member {
        name: target.name().to_owned(),
        shows: target.shows(),
        model: target.description.model.clone(),
        workers: Some(target.workers(workers)).filter(|count| *count > 0),
        program: command.first().and_then(|word| Program::of_command(word, folder)).into(),
        command,
    }
}
