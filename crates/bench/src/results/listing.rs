//! The runs in a folder, and how each of them went; what else is kept there is listed in the same form.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{KEPT_FOLDER, Outcome, RUN_FILE, Run, RunRecord};

/// A run, or what else is kept, in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its folder, from the one that was looked at.
    pub folder: String,
    /// What is known of it; why it cannot be read, if so.
    pub known: Result<Known, String>,
}

/// What is known of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// What it is: `run`, `sweep of connections`, `versus`, …
    pub what: String,
    /// When it began, UTC.
    pub began: String,
    /// The machine's name.
    pub machine: String,
    /// The commit, shortened.
    pub commit: String,
    /// Who was measured.
    pub targets: Vec<String>,
    /// How it went.
    pub state: State,
}

/// How a run went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// All of the plan was measured.
    Complete,
    /// It was ended early.
    Partial {
        /// How many were measured.
        done: usize,
        /// How many the plan has.
        planned: usize,
        /// Of what: slices or trials.
        of: &'static str,
    },
    /// All of the plan was tried, and these targets failed at least once; the rest stands.
    Failed(Vec<String>),
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Complete => f.write_str("complete"),
            Self::Partial { done, planned, of } => write!(f, "partial, {done} of {planned} {of}"),
            Self::Failed(targets) => write!(f, "failed: {}", targets.join(", ")),
        }
    }
}

impl State {
    /// That of a plan of which so many were measured, and these targets failed in it.
    pub fn of(done: usize, planned: usize, of: &'static str, failed: Vec<String>) -> Self {
        match (done < planned, failed.is_empty()) {
            (true, _) => Self::Partial { done, planned, of },
            (false, true) => Self::Complete,
            (false, false) => Self::Failed(failed),
        }
    }
}

/// Every folder in `folder`, and in `kept/` there, that holds a run, the earliest first; those that cannot be read last.
///
/// # Errors
/// When `folder` cannot be read.
pub fn list(folder: &Path) -> Result<Vec<Listed>> {
    listed(folder, RUN_FILE, |path| Run::read(path).map(|run| known(&run)))
}

/// As [`list`], of folders that hold `file` and are read in this way.
///
/// # Errors
/// When `folder` cannot be read.
pub fn listed(folder: &Path, file: &str, read: impl Fn(&Path) -> Result<Known>) -> Result<Vec<Listed>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let kept = std::fs::read_dir(folder.join(KEPT_FOLDER)).into_iter().flatten();
    let paths = entries.chain(kept).flatten().map(|entry| entry.path()).filter(|path| path.join(file).exists());
    let one = |path: PathBuf| Listed {
        folder: path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned(),
        known: read(&path).map_err(|error| format!("{error:#}")),
    };
    Ok(in_order(paths.map(one).collect()))
}

/// The earliest first; those that cannot be read last.
pub fn in_order(mut all: Vec<Listed>) -> Vec<Listed> {
    all.sort_by_cached_key(|one| {
        (one.known.as_ref().map_or("~".to_owned(), |known| known.began.clone()), one.folder.clone())
    });
    all
}

fn known(run: &Run) -> Known {
    let record = &run.record;
    let names: Vec<String> = record.compared().map(|target| target.name.clone()).collect();
    let has_failed = |name: &&String| {
        let mut own = run.slices.iter().filter(|slice| slice.cell.target == **name);
        own.any(|slice| matches!(slice.outcome, Outcome::Failed(_)))
    };
    let failed: Vec<String> = names.iter().filter(has_failed).cloned().collect();
    let state = State::of(run.slices.len(), run.planned(), "slices", failed);
    Known {
        what: what(record),
        began: record.began.clone(),
        machine: record.machine.host.to_string(),
        commit: record.commit.short().to_owned(),
        targets: names,
        state,
    }
}

fn what(record: &RunRecord) -> String {
    match (record.options.sweep, &record.versus) {
        (Some(knob), _) => format!("sweep of {knob}"),
        (None, Some(_)) => "versus".to_owned(),
        (None, None) => "run".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixed;

    #[test]
    fn a_run_is_complete_partial_or_has_failed_targets() {
        let mut run = fixed::run(&[("tokio", 20.0), ("axum", 24.0)], 3, 1);
        assert_eq!(known(&run).state, State::Complete);
        assert_eq!(known(&run).targets, ["tokio", "axum"]);
        fixed::fail(&mut run, "axum");
        assert_eq!(known(&run).state.to_string(), "failed: axum");
        run.slices.truncate(4);
        assert_eq!(known(&run).state.to_string(), "partial, 4 of 9 slices");
    }

    #[test]
    fn what_is_no_run_is_not_listed_and_what_cannot_be_read_says_why() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("a", None), ("b", Some("{}")), ("kept/c", Some(""))] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
            if let Some(text) = text {
                std::fs::write(folder.path().join(name).join(RUN_FILE), text).unwrap();
            }
        }
        let all = list(folder.path()).unwrap();
        assert_eq!(all.iter().map(|one| one.folder.as_str()).collect::<Vec<_>>(), ["b", "kept/c"]);
        assert!(all[0].known.as_ref().unwrap_err().contains("run.json"), "{all:?}");
        assert!(list(&folder.path().join("c")).is_err());
    }
}
