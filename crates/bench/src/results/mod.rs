//! A run's directory: created exclusively, appended to as slices end, never overwritten.

mod conditions;
#[cfg(test)]
pub(crate) mod fixed;
mod limit;
pub mod listing;
mod purpose;
mod raw;
mod record;
mod tries;

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

pub use conditions::Conditions;
pub use limit::{Limit, Seen, disturbed};
pub use purpose::{PairRecord, PilotRecord, RevisionRecord, VersusRecord};
pub(crate) use raw::file_name;
pub use raw::{Printed, stem};
pub use record::{
    Capacity, ComparisonRecord, Failed, FixedRate, IDLE_CORES, Measurement, Options, Outcome, RunRecord, SCHEMA,
    SliceRecord, Stage, TargetRecord, ToolRecord, WarmUp,
};

use crate::machine::Commit;

/// The names in a run's directory.
pub const RUN_FILE: &str = "run.json";
/// One line per slice.
pub const SLICES_FILE: &str = "slices.jsonl";
/// The report, made from the two.
pub const REPORT_FILE: &str = "report.md";
/// Where the runs are that the project keeps, below results/.
pub const KEPT_FOLDER: &str = "kept";
/// The page.
pub const HTML_FILE: &str = "report.html";
/// A line for each target in each shape.
pub const CSV_FILE: &str = "report.csv";
/// What was found, for programs.
pub const SUMMARY_FILE: &str = "summary.json";
/// The charts of the report.
pub const CHARTS_FOLDER: &str = "charts";
/// What two commits beside each other came to, made from the same.
pub const VERSUS_FILE: &str = "versus.txt";
/// What the load tools and the servers printed.
pub const RAW_FOLDER: &str = "raw";

/// What a slice may need: the bounded output of a server, what a load tool prints, and its line.
const ROOM_BYTES: u64 = 1 << 20;

/// A run's directory that is being written.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    slices: File,
}

impl RunDirectory {
    /// Creates `wanted`, or `results/<UTC time>-<host>-<short commit>` below `root`, and puts `run.json` into it.
    ///
    /// # Errors
    /// When it is there already, or cannot be written.
    pub fn create(wanted: Option<&Path>, root: &Path, run: &RunRecord) -> Result<Self> {
        Self::create_at(&wanted.map_or_else(|| root.join("results").join(own_name(run)), Path::to_owned), run)
    }

    /// The same for a pilot, whose own name ends in `-pilot`.
    ///
    /// # Errors
    /// As [`RunDirectory::create`].
    pub fn create_for_pilot(wanted: Option<&Path>, root: &Path, run: &RunRecord) -> Result<Self> {
        let of_its_own = || root.join("results").join(format!("{}-pilot", own_name(run)));
        Self::create_at(&wanted.map_or_else(of_its_own, Path::to_owned), run)
    }

    fn create_at(path: &Path, run: &RunRecord) -> Result<Self> {
        let path = create_exclusively(path)?;
        let slices = File::options().append(true).create_new(true).open(path.join(SLICES_FILE))?;
        // Last: a directory that has it is a run.
        replace(&path.join(RUN_FILE), &to_json_pretty(run)?)?;
        Ok(Self { path, slices })
    }

    /// Goes on in `path`, where a run was interrupted. A last line that was cut off while it was written is taken
    /// away, so that the next one does not continue it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn reopen(path: &Path) -> Result<Self> {
        let path = path.canonicalize().with_context(|| format!("cannot open {}", path.display()))?;
        let file = path.join(SLICES_FILE);
        let whole = whole_lines(&fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?).len();
        let opened = File::options().append(true).open(&file);
        let slices = opened.with_context(|| format!("cannot write {}", file.display()))?;
        slices.set_len(whole as u64).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(Self { path, slices })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A name for a file of what a tool or a server printed in one slice, without its ending.
    pub fn raw(&self, stem: &str) -> PathBuf {
        self.path.join(RAW_FOLDER).join(stem)
    }

    /// That a slice can be kept: that the directory is there, and has room. Without room, what a load tool says would
    /// be cut off, and the target blamed for it.
    ///
    /// # Errors
    /// In one line, when not.
    pub fn must_have_room(&self) -> Result<()> {
        must_have_room(&self.path, SLICES_FILE)
    }

    /// Removes what a slice that is measured anew left, in files that begin with `stem`.
    pub fn clear_raw(&self, stem: &Path) {
        let Some(prefix) = stem.file_name().map(|name| format!("{}.", name.to_string_lossy())) else { return };
        for entry in fs::read_dir(self.path.join(RAW_FOLDER)).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Appends one slice and has the disk keep it, so that an interrupted run loses nothing that was measured.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn append(&mut self, slice: &SliceRecord) -> Result<()> {
        let mut line = serde_json::to_vec(slice)?;
        line.push(b'\n');
        let path = self.path.join(SLICES_FILE);
        ensure!(path.is_file(), "{} was removed; what follows cannot be kept", path.display());
        self.slices.write_all(&line).and_then(|()| self.slices.sync_data()).context("a slice cannot be kept")
    }
}

/// A run as its directory tells it.
#[derive(Debug, Clone)]
pub struct Run {
    /// `run.json`.
    pub record: RunRecord,
    /// `slices.jsonl`, in its order, without the tries of a block that another one replaced.
    pub slices: Vec<SliceRecord>,
    /// The slices of the tries that another one replaced: they are kept and shown, and no figure is made of them.
    pub replaced: Vec<SliceRecord>,
    /// How many blocks were disturbed and measured again.
    pub blocks_again: usize,
}

impl Run {
    /// Reads a run's directory. A last line that was cut off while it was written is left out.
    ///
    /// # Errors
    /// When a file is missing, or is of another schema.
    pub fn read(path: &Path) -> Result<Self> {
        let file = path.join(RUN_FILE);
        let text = fs::read(&file).with_context(|| format!("{} is no run: cannot read {RUN_FILE}", path.display()))?;
        let record: RunRecord =
            serde_json::from_slice(&text).with_context(|| format!("{} is not as expected", file.display()))?;
        ensure!(record.schema == SCHEMA, "{} is of schema {}; this reads {SCHEMA}", file.display(), record.schema);
        let tries::Tries { slices, replaced, blocks_again } = tries::counting(every_try(path)?, record.cells.len());
        Ok(Self { record, slices, replaced, blocks_again })
    }

    /// How many slices the plan has, done or not.
    pub fn planned(&self) -> usize {
        self.record.cells.len() * self.record.options.blocks as usize
    }

    /// Whether slices of the plan are missing.
    pub fn is_partial(&self) -> bool {
        self.slices.len() < self.planned()
    }
}

/// Every slice that was measured, in its order, with those of tries that another one replaced. A last line that was
/// cut off while it was written is left out.
///
/// # Errors
/// When the file is missing, or is not as expected.
pub fn every_try(path: &Path) -> Result<Vec<SliceRecord>> {
    let file = path.join(SLICES_FILE);
    let text = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    // Cut before it is read as text: a line may end within a character.
    let whole = std::str::from_utf8(whole_lines(&text)).with_context(|| format!("{}", file.display()))?;
    whole
        .lines()
        .enumerate()
        .map(|(n, line)| serde_json::from_str(line).with_context(|| format!("{}, line {}", file.display(), n + 1)))
        .collect()
}

/// Creates the directory of a result, with a folder for what was printed; gives its place.
///
/// # Errors
/// When it is there already, or cannot be created.
pub(crate) fn create_exclusively(path: &Path) -> Result<PathBuf> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    }
    match fs::create_dir(path) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{} is there already, and a result is never overwritten", path.display())
        }
        Err(error) => return Err(error).with_context(|| format!("cannot create {}", path.display())),
    }
    let path = path.canonicalize()?;
    fs::create_dir(path.join(RAW_FOLDER))?;
    Ok(path)
}

/// That what follows can be kept in a directory whose records are in `file`: see [`RunDirectory::must_have_room`].
pub(crate) fn must_have_room(directory: &Path, file: &str) -> Result<()> {
    let path = directory.join(file);
    ensure!(path.is_file(), "{} was removed; what follows cannot be kept", path.display());
    let space = nix::sys::statvfs::statvfs(&path).with_context(|| format!("cannot look at {}", path.display()))?;
    let free = space.blocks_available().saturating_mul(space.fragment_size());
    ensure!(
        free >= ROOM_BYTES,
        "only {} KiB are free where {} is, and a slice may need {}; free some and go on with --resume",
        free >> 10,
        directory.display(),
        ROOM_BYTES >> 10
    );
    Ok(())
}

/// Everything up to the last line end.
pub(crate) fn whole_lines(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    &text[..end]
}

/// Writes a file that is made from the records, again if it is there: beside its place first, then moved there, so that
/// a reader finds the old or the new one, and never a part.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    let write = || -> std::io::Result<()> {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write()
        .inspect_err(|_| {
            let _ = fs::remove_file(&beside);
        })
        .with_context(|| format!("cannot write {}", path.display()))
}

fn own_name(run: &RunRecord) -> String {
    name(&run.began, &run.machine.host.to_string(), &run.commit)
}

pub(crate) fn name(began: &str, host: &str, commit: &Commit) -> String {
    let safe = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect()
    };
    // 2026-11-30T16:42:15Z → 20261130T164215Z
    let time: String = began.chars().filter(|c| !matches!(c, '-' | ':')).collect();
    format!("{}-{}-{}", safe(&time), safe(host), safe(commit.short()))
}

pub(crate) fn to_json_pretty(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_off_within_a_character_is_no_line() {
        assert_eq!(whole_lines("{\"a\"}\n{\"µ".as_bytes()), b"{\"a\"}\n");
        assert_eq!(whole_lines(&"{\"µ".as_bytes()[..3]), b"");
        assert_eq!(whole_lines(b"{}\n"), b"{}\n");
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.md");
        replace(&file, b"old").unwrap();
        replace(&file, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        assert!(replace(&taken, b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
