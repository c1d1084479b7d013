//! A run: everything that must be true beforehand, then every slice of the plan, then the report.

mod capacity;
mod live;
mod not_started;
pub(crate) mod patterns;
mod pilot;
mod progress;
mod request;
mod resume;
pub(crate) mod room;
mod said;
pub(crate) mod sample;
pub(crate) mod slice;
mod turns;
pub(crate) mod warm_up;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum;
use jiff::Timestamp;

use crate::compare::versus_words;
use crate::interrupt::{Interrupted, Watch};
use crate::load::{Extent, Shape};
use crate::machine::{Commit, Fingerprint, Known, Machine, Program, Root, Toolchain, preflight, raise_file_limit};
use crate::plan::{blocks_needed, default_blocks, plan};
use crate::process::{self, Lock, ports};
use crate::report::{Report, Standing, publish, sweep, terminal};
use crate::results::{
    Capacity, ComparisonRecord, Failed, Options, Outcome, Run, RunDirectory, RunRecord, SCHEMA, SliceRecord, Stage,
    TargetRecord, ToolRecord, VERSUS_FILE, every_try, replace,
};
use crate::targets::{Source, Target, Workspace, WorkspaceError, again};
use crate::voice::{Voice, voice};

pub use pilot::{BLOCKS as PILOT_BLOCKS, Wish, planned};
pub use request::{Request, fresh_seed};
pub use slice::Speaks;

use not_started::NotStarted;
use progress::Progress;
use said::{Said, say};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Every slice is valid.
    Well,
    /// Some target failed; the rest stands.
    SomeFailed,
    /// The user ended it; what was measured stands.
    Interrupted,
}

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// How it ended.
    pub ended: Ended,
    /// Where it is kept; `None` if it ended before there was anything to keep.
    pub folder: Option<PathBuf>,
}

impl Made {
    /// Nothing, because the user ended it.
    const INTERRUPTED: Self = Self { ended: Ended::Interrupted, folder: None };
}

/// Makes a run.
///
/// # Errors
/// When something that must be true beforehand is not, or the result cannot be kept.
pub fn run(_: &Lock, workspace: &Workspace, request: &Request) -> Result<Made> {
    let Ok(prepared) = prepare(workspace, request)? else { return Ok(Made::INTERRUPTED) };
    let directory = RunDirectory::create(request.out.as_deref(), &workspace.root, &prepared.record)?;
    note!("results go to {}", directory.path().display());
    carry_out(directory, request, &prepared, &[])
}

/// Goes on with the run in `folder` where it stopped.
///
/// # Errors
/// When something has changed since, so that its slices would not belong together; and as [`run`].
pub fn resume(_: &Lock, workspace: &Workspace, folder: &Path) -> Result<Made> {
    let before = Run::read(folder)?;
    let done = every_try(folder)?;
    let record = &before.record;
    let steps = plan(&record.cells, record.options.blocks, record.options.seed);
    // A block that was being measured again when the run stopped is not missing, and goes on all the same.
    if !before.is_partial() && resume::left(steps, record.options.blocks, &done)?.next().is_none() {
        say(&format!("{} is complete: all of its {} slices are there\n", folder.display(), before.planned()));
        return Ok(Made { ended: Ended::Well, folder: Some(folder.to_owned()) });
    }
    let request = resume::request(workspace, &before.record)?;
    let Ok(prepared) = prepare(workspace, &request)? else { return Ok(Made::INTERRUPTED) };
    resume::must_be_the_same(folder, &before.record, &prepared.record)?;
    let directory = RunDirectory::reopen(folder)?;
    note!("{} of {} slices are there; going on", before.slices.len(), before.planned());
    carry_out(directory, &request, &prepared, &done)
}

/// What is known before the first slice.
struct Prepared {
    record: RunRecord,
    /// A target → why it could not be built.
    not_built: HashMap<String, String>,
}

fn prepare(workspace: &Workspace, request: &Request) -> Result<Result<Prepared, Interrupted>> {
    let tool_version = must_hold(request)?;
    let machine = Machine::read();
    let warnings = disturbances(workspace, request, &machine);
    note!("{}", foresight(request));
    let mut not_built = match build(workspace, request)? {
        Ok(not_built) => not_built,
        Err(interrupted) => return Ok(Err(interrupted)),
    };
    if let Some(why) = not_built.get(&request.baseline).cloned() {
        not_built.insert(again(&request.baseline), why);
    }
    let capacity = if request.sweep.is_empty() && request.shapes.contains(&Shape::FixedRate) {
        let Some(found) = capacity::look(request, &not_built)? else { return Ok(Err(Interrupted)) };
        capacity::leaves_room(request.rate, &found)?;
        found
    } else {
        Vec::new()
    };
    let record = record(workspace, request, &not_built, tool_version, machine, warnings, capacity);
    Ok(Ok(Prepared { record, not_built }))
}

fn carry_out(
    mut directory: RunDirectory,
    request: &Request,
    prepared: &Prepared,
    done: &[SliceRecord],
) -> Result<Made> {
    let folder = Some(directory.path().to_owned());
    let made = |ended| Made { ended, folder };
    let ended = measure(&mut directory, request, prepared, done);
    // Whatever ended it, what was measured is reported; where nothing can be read any more, why it ended says more.
    let run = match (Run::read(directory.path()), &ended) {
        (Ok(run), _) => run,
        (Err(_), Err(_)) => return ended.map(made),
        (Err(error), Ok(_)) => return Err(error),
    };
    let report = Report::of(&run);
    let written = publish::of_run(directory.path(), &run);
    let kept = format!("kept in {}; report.html there has it all\n", directory.path().display());
    let beside = match &run.record.versus {
        None => String::new(),
        Some(_) => {
            let (_, words) = versus_words(&run)?;
            replace(&directory.path().join(VERSUS_FILE), words.as_bytes())?;
            format!("\n{words}")
        }
    };
    match voice() {
        Voice::Full if run.record.options.sweep.is_some() => say(&(sweep::terminal(&report) + &kept)),
        Voice::Full => say(&(terminal::terminal(&report) + &beside + &kept)),
        Voice::Quiet => {}
        Voice::Json => eprintln!("{}", kept.trim_end()),
    }
    let ended = match (ended?, report.standing()) {
        (Ended::Interrupted, _) => Ended::Interrupted,
        (_, Standing::SomeFailed) => Ended::SomeFailed,
        (_, Standing::Well) => Ended::Well,
    };
    written.map(|_| made(ended))
}

/// What can be expected of the run, before it starts.
fn foresight(request: &Request) -> String {
    let (targets, blocks) = (request.most_in_a_shape(), request.blocks);
    let (needed, slack) = (blocks_needed(targets, &request.rules), default_blocks(targets, &request.rules));
    let baseline = &request.baseline;
    if blocks < needed {
        return format!(
            "{blocks} block{}, too few for verdicts on {targets} target{}: that takes {needed}, and --blocks {slack} leaves \
             room; this run will show estimates and spread only",
            if blocks == 1 { "" } else { "s" },
            if targets == 1 { "" } else { "s" },
        );
    }
    format!("{blocks} blocks; ratios are to {baseline}, which takes part twice; verdicts take {needed} blocks at least")
}

/// That a folder for a result is not there yet.
fn must_be_new(out: Option<&Path>) -> Result<()> {
    match out.filter(|out| out.exists()) {
        Some(out) => anyhow::bail!("{} is there already, and a result is never overwritten", out.display()),
        None => Ok(()),
    }
}

/// What must be true before anything is built or started; gives the load tool's version.
fn must_hold(request: &Request) -> Result<String> {
    must_be_new(request.out.as_deref())?;
    let tool = request.tool;
    let version = process::tool::version(tool)
        .with_context(|| format!("{} is not installed; get it with `{}`", tool.name(), tool.install()))?;
    raise_file_limit(request.most_connections())?;
    if let Some(containers) = &request.containers {
        process::docker::available()?;
        containers.must_hold(request.most_connections())?;
        for target in &request.targets {
            containers.service(target).map_err(anyhow::Error::msg)?;
        }
        process::docker::remove_left()?;
    }
    for target in &request.targets {
        let address = target.address();
        if let Err(error) = ports::prove_free(address) {
            let holder =
                ports::holder(address.port()).map_or_else(|| error.to_string(), |who| format!("held by {who}"));
            anyhow::bail!("port {} of {} is in use, {holder}; end that first", address.port(), target.name());
        }
    }
    Ok(version)
}

/// What would disturb the run, told to the user too; looked at before the builds, which are work themselves.
fn disturbances(workspace: &Workspace, request: &Request, machine: &Machine) -> Vec<String> {
    let addresses: Vec<_> = request.targets.iter().map(Target::address).collect();
    let results = request.out.clone().unwrap_or_else(|| workspace.root.join("results"));
    let now = preflight::Now::look(&Root::system(), &addresses, &results, request.most_connections());
    let warnings = preflight::warnings(machine, &now);
    for warning in &warnings {
        eprintln!("warning: {warning}");
    }
    warnings
}

/// Builds every target as it is measured; a target → why it could not be built.
fn build(workspace: &Workspace, request: &Request) -> Result<Result<HashMap<String, String>, Interrupted>> {
    let mut not_built = HashMap::new();
    if let Some(containers) = &request.containers {
        let commit = Commit::of(&workspace.root).hash.to_string();
        for target in &request.targets {
            note!("building the image of {}", target.name());
            match process::build::image(containers, target, &commit) {
                Ok(Ok(())) => {}
                Ok(Err(why)) => drop(not_built.insert(target.name().to_owned(), why)),
                Err(interrupted) => return Ok(Err(interrupted)),
            }
        }
        return Ok(Ok(not_built));
    }
    build_here(workspace, &request.targets)
}

/// Builds those that are built with cargo; a target → why it could not be built.
pub(crate) fn build_here(
    workspace: &Workspace,
    targets: &[Target],
) -> Result<Result<HashMap<String, String>, Interrupted>> {
    let mut not_built = HashMap::new();
    for target in targets.iter().filter(|target| target.is_built_here()) {
        note!("building {}", target.name());
        match process::build(workspace, target) {
            Ok(Ok(())) => {}
            Ok(Err(error @ WorkspaceError::Build { .. })) => {
                not_built.insert(target.name().to_owned(), error.to_string());
            }
            Ok(Err(other)) => return Err(other.into()),
            Err(interrupted) => return Ok(Err(interrupted)),
        }
    }
    Ok(Ok(not_built))
}

fn record(
    workspace: &Workspace,
    request: &Request,
    not_built: &HashMap<String, String>,
    tool_version: String,
    machine: Machine,
    warnings: Vec<String>,
    capacity: Vec<Capacity>,
) -> RunRecord {
    let measured = request.measured();
    let targets = measured
        .iter()
        .map(|target| {
            let (program, features) = match &target.source {
                _ if let Some(containers) = &request.containers => (containers.program(target), BTreeMap::new()),
                _ if not_built.contains_key(target.name()) => (None, BTreeMap::new()),
                Source::Revision { root, package, binary } => {
                    let own = Workspace { root: root.clone(), targets: Vec::new() };
                    (Program::read(binary), own.features(&[package]).unwrap_or_default())
                }
                Source::Package { package, binary } => {
                    (Program::read(binary), workspace.features(&[package]).unwrap_or_default())
                }
                Source::Command { folder } | Source::Original { folder, .. } => {
                    (started_by(target, request.workers, folder), BTreeMap::new())
                }
            };
            let source_lines = match &target.source {
                Source::Package { package, .. } => workspace.source_lines(package),
                Source::Revision { .. } | Source::Command { .. } | Source::Original { .. } => None,
            };
            target_record(target, request, program.into(), features, source_lines)
        })
        .collect();
    let (slice_s, requests) = match request.extent {
        Extent::Time(time) => (Some(time.as_secs_f64()), None),
        Extent::Requests(count) => (None, Some(count)),
    };
    let options = Options {
        tool: request.tool.name().to_owned(),
        shapes: request.shapes.clone(),
        connections: request.connections,
        threads: request.threads,
        blocks: request.blocks,
        slice_s,
        requests,
        workers: request.workers,
        seed: request.seed,
        depth: request.shapes.contains(&Shape::Pipelined).then_some(request.depth),
        rate: (request.sweep.is_empty() && request.shapes.contains(&Shape::FixedRate)).then_some(request.rate),
        sweep: request.sweep.first().map(|setting| setting.knob),
        launcher: request.launcher(),
    };
    let name = request.tool.name().to_owned();
    let tool = ToolRecord { program: Program::of_command(&name, Path::new(".")).into(), name, version: tool_version };
    let conditions = options.conditions();
    RunRecord {
        schema: SCHEMA,
        began: now(),
        commit: Commit::of(&workspace.root),
        toolchain: Toolchain::read(&workspace.root),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        options,
        fingerprint: Fingerprint::of(&machine, (&tool.name, &tool.version, &tool.program), conditions),
        tool,
        machine,
        warnings,
        comparison: ComparisonRecord {
            baseline: request.baseline.clone(),
            twin: again(&request.baseline),
            rules: request.rules,
        },
        targets,
        target_files: resume::checksums(&request.target_files),
        cells: request.cells(),
        versus: request.versus.clone(),
        pilot: None,
        capacity,
    }
}

/// The program that the command of a user's own target starts, from the folder that it is run in.
fn started_by(target: &Target, workers: Option<usize>, folder: &Path) -> Option<Program> {
    Program::of_command(target.command(workers).first()?, folder)
}

fn target_record(
    target: &Target,
    request: &Request,
    program: Known<Program>,
    features: crate::targets::Features,
    source_lines: Option<u64>,
) -> TargetRecord {
    let description = &target.description;
    let chosen = request.workers;
    let (workers, command) = match &request.containers {
        None => (target.workers(chosen), target.command(chosen)),
        Some(containers) => {
            (containers.workers(target, chosen), containers.line(target, "NAME", chosen, 0).unwrap_or_default())
        }
    };
    TargetRecord {
        name: description.name.clone(),
        kind: description.kind.clone(),
        language: description.language.clone(),
        framework: target.shows(),
        framework_version: target.version.clone().into(),
        model: description.model.clone(),
        original: description.original.clone(),
        mirrors: description.mirrors.clone(),
        mirror_workers: description.mirror_workers,
        shapes: Shape::value_variants().iter().copied().filter(|shape| description.holds(*shape)).collect(),
        workers: Some(workers).filter(|count| *count > 0),
        command,
        built_here: target.is_built_here(),
        program,
        features,
        source_lines,
    }
}

/// Now, UTC, to the second.
pub(crate) fn now() -> String {
    Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default().to_string()
}

fn measure(
    directory: &mut RunDirectory,
    request: &Request,
    prepared: &Prepared,
    done: &[SliceRecord],
) -> Result<Ended> {
    let Prepared { record, not_built } = prepared;
    let measured = request.measured();
    let by_name: HashMap<&str, &Target> = measured.iter().map(|target| (target.name(), target)).collect();
    let steps = plan(&record.cells, request.blocks, request.seed);
    let mut turns = resume::left(steps, request.blocks, done)?;
    let mut progress = Progress::new(done.len() + turns.len(), &record.cells, done.len(), turns.again());
    let said = Said::of(record)?;
    let mut not_started = NotStarted::default();
    for slice in done {
        progress.saw(slice);
        said.slice(slice)?;
        not_started.note(&slice.cell.target, &slice.outcome);
    }
    while let Some(turns::Turn { step, tried }) = turns.next().cloned() {
        let step = &step;
        let target = by_name[step.cell.target.as_str()];
        directory.must_have_room()?;
        let began = now();
        progress.at(step);
        let (command, outcome) = if let Some(reason) = not_built.get(target.name()) {
            (Vec::new(), failed(Stage::Build, reason.clone()))
        } else if let Some(reason) = not_started.given_up(target.name()) {
            (Vec::new(), failed(Stage::Start, reason))
        } else {
            let at = step.cell.setting.map_or(String::new(), |setting| format!("-{}-{}", setting.knob, setting.value));
            let again = if tried > 0 { format!("-again-{tried}") } else { String::new() };
            let (name, shape) = (file_name(target.name()), step.cell.shape);
            // Two names may be the same as parts of a file name: the place in the block tells them apart.
            let place = record.cells.iter().position(|cell| *cell == step.cell).unwrap_or_default() + 1;
            let stem = directory.raw(&format!("{:03}-{place:02}-{name}-{shape}{at}{again}", step.block + 1));
            match undisturbed(directory, &stem, || slice::measure(target, step, request, &stem)) {
                Ok(slice) => (slice.command, slice.outcome),
                Err(Interrupted) => return Ok(Ended::Interrupted),
            }
        };
        not_started.note(target.name(), &outcome);
        if matches!(outcome, Outcome::Failed(_)) {
            // A full disk is no fault of the target.
            directory.must_have_room()?;
        }
        let disturbed = outcome.is_disturbed();
        let slice = SliceRecord {
            schema: SCHEMA,
            block: step.block,
            tried,
            cell: step.cell.clone(),
            began,
            environment_padding: step.environment_padding,
            command,
            outcome,
        };
        directory.append(&slice)?;
        said.slice(&slice)?;
        progress.saw(&slice);
        match turns.taken(disturbed) {
            Some(again) => progress.again(again),
            None => progress.done(step),
        }
    }
    Ok(Ended::Well)
}

/// Measures again what was stopped in the middle: a stop is no fault of the target, and no figure is looked at.
fn undisturbed(
    directory: &RunDirectory,
    stem: &Path,
    mut measure: impl FnMut() -> Result<slice::Tried, Interrupted>,
) -> Result<slice::Tried, Interrupted> {
    const TRIES: u32 = 4;
    for _ in 1..TRIES {
        directory.clear_raw(stem);
        let watch = Watch::begin();
        let tried = measure()?;
        let Some(why) = watch.stopped() else { return Ok(tried) };
        eprintln!("{why} in the middle of a slice, which is measured again");
    }
    directory.clear_raw(stem);
    let watch = Watch::begin();
    let mut tried = measure()?;
    if let Some(why) = watch.stopped() {
        tried.outcome = failed(Stage::Load, format!("{why} in the middle of it, {TRIES} times"));
    }
    Ok(tried)
}

fn failed(stage: Stage, reason: String) -> Outcome {
    Outcome::Failed(Failed { stage, reason, seen: None })
}

/// A target's name as a part of a file name.
pub(crate) fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '_' }).take(60).collect()
}
