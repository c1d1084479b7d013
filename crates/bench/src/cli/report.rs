//! `report` and `results`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::report::publish::publish;

/// `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Folders of runs
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,

    /// A new folder for a page of several runs, side by side [default, for one run: its own folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// `results`.
#[derive(Debug, Args)]
pub struct ResultsArgs {
    /// The folder that the runs are in [default: results/ of the project]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

impl ReportArgs {
    /// Makes the files; gives the pages.
    ///
    /// # Errors
    /// When a folder is no run, or a file cannot be written.
    pub fn publish(&self) -> Result<Vec<PathBuf>> {
        publish(&self.folders, self.out.as_deref())
    }
}
