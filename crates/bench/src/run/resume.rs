//! Going on with a run that stopped: only where everything is as it was, so that its slices belong together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::Request;
use super::turns::{Turn, Turns};
use crate::container::Launcher;
use crate::load::{self, Extent};
use crate::machine::{Fingerprint, Known, sha256};
use crate::plan::Step;
use crate::process::Containers;
use crate::results::{Options, RevisionRecord, RunRecord, SliceRecord, TargetRecord};
use crate::targets::{Revision, Workspace, all, both, pick};

/// What was asked for when the run began.
///
/// # Errors
/// When a target or the load tool is not there any more.
pub fn request(workspace: &Workspace, record: &RunRecord) -> Result<Request> {
    // Named one by one: an option that is added must be taken up here as well.
    let Options {
        tool,
        shapes,
        connections,
        threads,
        blocks,
        slice_s,
        requests,
        workers,
        seed,
        depth,
        rate,
        sweep: _, // its steps are those of the cells
        launcher,
    } = &record.options;
    let mut sweep: Vec<_> = record.cells.iter().filter_map(|cell| cell.setting).collect();
    sweep.sort_unstable();
    sweep.dedup();
    let extent = match (slice_s, requests) {
        (Some(seconds), _) => Extent::Time(Duration::try_from_secs_f64(*seconds).context("its slice has no length")?),
        (None, Some(count)) => Extent::Requests(*count),
        (None, None) => anyhow::bail!("the run says neither how long a slice is nor how many requests it has"),
    };
    let target_files: Vec<PathBuf> = record.target_files.keys().map(PathBuf::from).collect();
    let names: Vec<String> = record.compared().map(|target| target.name.clone()).collect();
    ensure!(!names.is_empty(), "the run has no targets");
    let targets = match &record.versus {
        None => pick(&all(workspace, &target_files)?, &names)?,
        Some(versus) => {
            let checkout = |revision: &RevisionRecord| Revision::checkout(&workspace.root, &revision.hash);
            let names: Vec<String> = versus.pairs.iter().map(|pair| pair.target.clone()).collect();
            both(&checkout(&versus.a)?, &checkout(&versus.b)?, &names)?
        }
    };
    Ok(Request {
        baseline: record.comparison.baseline.clone(),
        rules: record.comparison.rules,
        targets,
        tool: load::tool(tool).with_context(|| format!("no load tool is called {tool}"))?,
        shapes: shapes.clone(),
        connections: *connections,
        threads: *threads,
        blocks: *blocks,
        extent,
        workers: *workers,
        seed: *seed,
        out: None,
        depth: depth.unwrap_or_default(),
        rate: rate.unwrap_or_default(),
        sweep,
        target_files,
        versus: record.versus.clone(),
        containers: match launcher {
            Launcher::Native => None,
            Launcher::Docker { network, limits } => {
                Some(Containers { root: workspace.root.clone(), network: *network, limits: limits.clone() })
            }
        },
    })
}

/// The files that targets come from, by their full paths → checksums.
pub fn checksums(files: &[PathBuf]) -> BTreeMap<String, Known<String>> {
    files
        .iter()
        .map(|file| {
            let path = file.canonicalize().unwrap_or_else(|_| file.clone());
            (path.display().to_string(), sha256(&path).map(|(sum, _)| sum).into())
        })
        .collect()
}

/// That the run in `folder` and one that would be begun now are the same.
///
/// # Errors
/// In one line, with what differs.
pub fn must_be_the_same(folder: &Path, then: &RunRecord, now: &RunRecord) -> Result<()> {
    let differ = differences(then, now);
    ensure!(
        differ.is_empty(),
        "{} cannot be resumed, because not all is as it was: {}",
        folder.display(),
        differ.join("; ")
    );
    Ok(())
}

fn differences(then: &RunRecord, now: &RunRecord) -> Vec<String> {
    let mut differ = in_full(then).differences(&in_full(now));
    if then.version != now.version {
        differ.push(format!("hello-bench: {}, then {}", then.version, now.version));
    }
    for (file, checksum) in &then.target_files {
        if now.target_files.get(file) != Some(checksum) {
            differ.push(format!("{file} has changed"));
        }
    }
    // Programs are in the fingerprint already.
    let without_program = |target: &TargetRecord| TargetRecord { program: Known::Unknown, ..target.clone() };
    for (before, after) in then.targets.iter().zip(&now.targets) {
        if without_program(before) != without_program(after) {
            differ.push(format!("target {} is another", before.name));
        }
    }
    if differ.is_empty() && (then.options != now.options || then.cells != now.cells) {
        differ.push("its options".to_owned());
    }
    differ
}

fn in_full(record: &RunRecord) -> Fingerprint {
    let programs = record.targets.iter().map(|target| (target.name.as_str(), &target.program));
    record.fingerprint.with_build(&record.commit, &record.toolchain, programs)
}

/// The turns that are left when these slices are there, with every try: what was found disturbed is measured again as if
/// the run had not stopped, and no more often.
///
/// # Errors
/// When the slices are not those of the plan.
pub fn left(steps: Vec<Step>, blocks: u32, done: &[SliceRecord]) -> Result<Turns> {
    let mut turns = Turns::new(steps, blocks);
    for slice in done {
        let follows = turns.next().is_some_and(|Turn { step, tried }| {
            (step.block, &step.cell, step.environment_padding, *tried)
                == (slice.block, &slice.cell, slice.environment_padding, slice.tried)
        });
        ensure!(follows, "the slices that are there are not those of the plan that its seed stands for");
        turns.taken(slice.outcome.is_disturbed());
    }
    Ok(turns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;
    use crate::results::{Outcome, Run, SCHEMA, fixed};

    /// What a run of three blocks makes when every try of the block in the middle is disturbed, and what it stands on.
    fn made() -> (Run, Vec<SliceRecord>) {
        let run = fixed::run(&[("a", 20.0), ("b", 24.0)], 3, 1);
        let mut turns = Turns::new(plan(&run.record.cells, 3, 1), 3);
        let mut made = Vec::new();
        while let Some(Turn { step, tried }) = turns.next().cloned() {
            let mut outcome = run.slices[0].outcome.clone();
            let Outcome::Valid(measurement) = &mut outcome else { panic!("valid") };
            measurement.conditions.cores = Some(2);
            measurement.steal_s = Some(if step.block == 1 { 1.0 } else { 0.0 });
            turns.taken(outcome.is_disturbed());
            made.push(SliceRecord {
                schema: SCHEMA,
                block: step.block,
                tried,
                cell: step.cell,
                began: String::new(),
                environment_padding: step.environment_padding,
                command: Vec::new(),
                outcome,
            });
        }
        (run, made)
    }

    fn left_after(run: &Run, made: &[SliceRecord]) -> Result<Turns> {
        left(plan(&run.record.cells, 3, 1), 3, made)
    }

    #[test]
    fn wherever_a_run_stopped_it_goes_on_as_if_it_had_not_and_measures_nothing_again_more_often() {
        let (run, made) = made();
        // Three targets; of three blocks two tries more at the most.
        assert_eq!(made.len(), 3 * (3 + 2));
        for stopped in 0..made.len() {
            let turns = left_after(&run, &made[..stopped]).unwrap();
            let next = turns.next().map(|turn| (turn.step.block, turn.step.cell.clone(), turn.tried)).unwrap();
            let then = &made[stopped];
            assert_eq!(next, (then.block, then.cell.clone(), then.tried), "after {stopped}");
        }
        let over = left_after(&run, &made).unwrap();
        assert!(over.next().is_none());
        assert_eq!(over.again(), 2);
    }

    #[test]
    fn slices_that_are_not_those_of_the_plan_are_refused() {
        let (run, mut made) = made();
        assert!(left_after(&run, &[made.clone(), made[..1].to_vec()].concat()).is_err());
        made[4].tried = 1;
        assert!(left_after(&run, &made).is_err());
        made[4].tried = 0;
        made[2].environment_padding += 1;
        assert!(left_after(&run, &made).is_err());
    }
}
