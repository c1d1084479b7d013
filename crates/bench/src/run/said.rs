//! What a run prints to standard output.

use std::io::Write;

use anyhow::Result;

use crate::results::{RunRecord, SliceRecord};
use crate::voice::{Voice, voice};

/// The records as they go to standard output, if that was asked for: `run.json` in one line, then a line per slice.
pub struct Said(bool);

impl Said {
    /// If it was asked for, says `record`.
    ///
    /// # Errors
    /// When a record has no form in JSON, which each has.
    pub fn of(record: &RunRecord) -> Result<Self> {
        let said = Self(voice() == Voice::Json);
        said.line(record)?;
        Ok(said)
    }

    /// Says a slice.
    ///
    /// # Errors
    /// When a record has no form in JSON, which each has.
    pub fn slice(&self, slice: &SliceRecord) -> Result<()> {
        self.line(slice)
    }

    fn line(&self, record: &impl serde::Serialize) -> Result<()> {
        if self.0 {
            say(&(serde_json::to_string(record)? + "\n"));
        }
        Ok(())
    }
}

/// To standard output, which may have been closed.
pub fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
