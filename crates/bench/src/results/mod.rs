//! A run's directory: created exclusively, appended to as slices end, never overwritten.

mod record;

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

pub use record::{
    Failed, Measurement, Options, Outcome, RunRecord, SCHEMA, SliceRecord, Stage, TargetRecord, ToolRecord,
};

use crate::machine::Commit;

/// The names in a run's directory.
pub const RUN_FILE: &str = "run.json";
/// One line per slice.
pub const SLICES_FILE: &str = "slices.jsonl";
/// The report, made from the two.
pub const REPORT_FILE: &str = "report.md";
/// What the load tools and the servers printed.
pub const RAW_FOLDER: &str = "raw";

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
        let of_its_own = || root.join("results").join(name(&run.began, &run.machine.host.to_string(), &run.commit));
        let path = wanted.map_or_else(of_its_own, Path::to_owned);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
        }
        match fs::create_dir(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                bail!("{} is there already, and a result is never overwritten", path.display())
            }
            Err(error) => return Err(error).with_context(|| format!("cannot create {}", path.display())),
        }
        let path = path.canonicalize()?;
        fs::create_dir(path.join(RAW_FOLDER))?;
        let mut file = File::create_new(path.join(RUN_FILE))?;
        file.write_all(&to_json_pretty(run)?)?;
        file.sync_all()?;
        let slices = File::options().append(true).create_new(true).open(path.join(SLICES_FILE))?;
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

    /// Writes a file that is made from the records; again, if it is there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.path.join(file);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// A run as its directory tells it.
#[derive(Debug, Clone)]
pub struct Run {
    /// `run.json`.
    pub record: RunRecord,
    /// `slices.jsonl`, in its order.
    pub slices: Vec<SliceRecord>,
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
        let file = path.join(SLICES_FILE);
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let slices = whole
            .lines()
            .enumerate()
            .map(|(n, line)| serde_json::from_str(line).with_context(|| format!("{}, line {}", file.display(), n + 1)))
            .collect::<Result<_>>()?;
        Ok(Self { record, slices })
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

fn name(began: &str, host: &str, commit: &Commit) -> String {
    let safe = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect()
    };
    // 2026-11-30T16:42:15Z → 20261130T164215Z
    let time: String = began.chars().filter(|c| !matches!(c, '-' | ':')).collect();
    format!("{}-{}-{}", safe(&time), safe(host), safe(commit.short()))
}

fn to_json_pretty(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(text)
}
