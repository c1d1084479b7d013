//! A run: everything that must be true beforehand, then every slice of the plan, then the report.

mod beforehand;
mod capacity;
mod judge;
mod live;
mod not_started;
pub(crate) mod patterns;
mod pilot;
mod progress;
mod record;
mod request;
mod resume;
pub(crate) mod room;
mod said;
pub(crate) mod sample;
pub(crate) mod slice;
mod tracking;
mod turns;
pub(crate) mod warm_up;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::compare::versus_words;
use crate::interrupt::{Interrupted, Watch};
use crate::load::Shape;
use crate::machine::Machine;
use crate::plan::plan;
use crate::process::Lock;
use crate::report::{Report, Standing, publish, sweep, terminal};
use crate::results::{
    Failed, Outcome, Run, RunDirectory, RunRecord, SCHEMA, SliceRecord, Stage, VERSUS_FILE, every_try, replace, stem,
};
use crate::targets::{Target, Workspace, again};
use crate::voice::{Voice, voice};

pub(crate) use beforehand::{build_here, disturbances, must_be_new, ports_must_be_free, results_of};
pub(crate) use record::now;

pub use pilot::{BLOCKS as PILOT_BLOCKS, Wish, planned};
pub use request::{Request, fresh_seed};
pub use slice::Speaks;

use beforehand::{build, foresight, must_hold};
use not_started::NotStarted;
use progress::Progress;
use record::record;
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
    let (record, planned) = (&before.record, before.planned());
    let steps = plan(&record.cells, record.options.blocks, record.options.seed);
    // A block that was being measured again when the run stopped is not missing, and goes on all the same.
    if !before.is_partial() && resume::left(steps, record.options.blocks, &done)?.next().is_none() {
        already_complete(folder, &before, &done)?;
        return Ok(Made { ended: Ended::Well, folder: Some(folder.to_owned()) });
    }
    let request = resume::request(workspace, &before.record)?;
    let Ok(mut prepared) = prepare(workspace, &request)? else { return Ok(Made::INTERRUPTED) };
    resume::must_be_the_same(folder, &before.record, &prepared.record)?;
    prepared.record = before.record;
    let directory = RunDirectory::reopen(folder)?;
    note!("{} of {planned} slices are there; going on", before.slices.len());
    carry_out(directory, &request, &prepared, &done)
}

/// Says of a run that nothing is left to do, in the way that was asked for.
fn already_complete(folder: &Path, run: &Run, slices: &[SliceRecord]) -> Result<()> {
    let words = format!("{} is complete: all of its {} slices are there", folder.display(), run.planned());
    let said = Said::of(&run.record)?;
    slices.iter().try_for_each(|slice| said.slice(slice))?;
    match voice() {
        Voice::Full => say(&(words + "\n")),
        Voice::Json | Voice::Quiet => note!("{words}"),
    }
    Ok(())
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
    let warnings = disturbances(
        &machine,
        &request.targets,
        &results_of(workspace, request.out.as_deref()),
        request.most_connections(),
    );
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
    let mut beside = String::new();
    if run.record.versus.is_some() {
        let (_, words) = versus_words(&run)?;
        replace(&directory.path().join(VERSUS_FILE), words.as_bytes())?;
        beside = format!("\n{words}");
    }
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
            let stem = directory.raw(&stem(record, step.block, &step.cell, tried));
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
