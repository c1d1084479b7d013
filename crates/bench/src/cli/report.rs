//! `report` and `results`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use clap::Args;

use crate::replay;
use crate::report::publish::{block, publish};

/// `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Folders of runs, or that of one replay
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,

    /// A new folder for a page of several runs, side by side [default, for one run: its own folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Print the Markdown block of one run for a README, with links into its folder, and write nothing
    #[arg(long, conflicts_with = "out")]
    block: bool,
}

/// `results`.
#[derive(Debug, Args)]
pub struct ResultsArgs {
    /// The folder that the runs are in [default: results/ of the project]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

impl ReportArgs {
    /// The replay whose report is to be made, if it is one.
    ///
    /// # Errors
    /// For a replay beside others, and for what is made of runs alone.
    pub fn replay(&self) -> Result<Option<&Path>> {
        let Some(folder) = self.folders.iter().find(|folder| replay::is_one(folder)) else { return Ok(None) };
        ensure!(
            self.folders.len() == 1 && self.out.is_none() && !self.block,
            "{} is a replay, whose report stands alone in its folder: `hello-bench report` takes it without anything else",
            folder.display()
        );
        Ok(Some(folder))
    }

    /// Makes the files; gives what is to be printed: the pages, or the block.
    ///
    /// # Errors
    /// When a folder is no run, or a file cannot be written.
    pub fn publish(&self) -> Result<String> {
        if self.block {
            let [folder] = &self.folders[..] else { bail!("a block is of one run") };
            return block(folder);
        }
        let pages = publish(&self.folders, self.out.as_deref())?;
        Ok(pages.iter().fold(String::new(), |text, page| text + &page.display().to_string() + "\n"))
    }
}
