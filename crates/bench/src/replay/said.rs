//! What a load tool left behind in a trial: its report, and what a table of that replay needs beside it.

use std::path::Path;

use super::record::Part;
use crate::load::{self, Exit, HttperfReplies, LoadTool, Output, Report, SideFile};

/// What a load tool left behind.
pub struct Said {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    side: Option<Vec<u8>>,
}

impl Said {
    /// Reads its files.
    ///
    /// # Errors
    /// When one that must be there is not.
    pub fn read(stdout: &Path, stderr: &Path, tool: &dyn LoadTool, side: &Path) -> Result<Self, String> {
        let read = |path| std::fs::read(path).map_err(|error| format!("its report is gone: {error}"));
        let side = (tool.side_file() == SideFile::Writes).then(|| std::fs::read(side).ok()).flatten();
        Ok(Self { stdout: read(stdout)?, stderr: read(stderr)?, side })
    }

    /// Its report, if nothing went wrong.
    ///
    /// # Errors
    /// In words; an answer that is no good one voids the row.
    pub fn report(&self, tool: &dyn LoadTool, exit: Exit) -> Result<Report, String> {
        let output = Output { stdout: &self.stdout, stderr: &self.stderr, exit, side_file: self.side.as_deref() };
        tool.parse(&output).map_err(|failure| match self.void() {
            Some(void) if tool.name() == "httperf" => format!("{void}; {}", failure.reason),
            _ => failure.reason,
        })
    }

    /// What httperf counted of replies that were no good ones: any of them voids a row.
    fn void(&self) -> Option<String> {
        let [_, good, moved, client, server] = HttperfReplies::read(&self.stdout).ok()?.statuses;
        let all = good + moved + client + server;
        let words = [(server, "5xx"), (client, "4xx"), (moved, "3xx")];
        let wrong: Vec<String> = words
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, class)| format!("{n} of {all} replies were {class}"))
            .collect();
        (!wrong.is_empty()).then(|| format!("{}: void", wrong.join(" and ")))
    }

    /// What only httperf tells, where it was asked.
    ///
    /// # Errors
    /// What is not recognised.
    pub fn replies(&self, part: Part) -> Result<Option<HttperfReplies>, String> {
        match part {
            Part::Rate { .. } => HttperfReplies::read(&self.stdout).map(Some),
            _ => Ok(None),
        }
    }

    /// ab's table of percentages, where it was asked over one connection at a time.
    ///
    /// # Errors
    /// What is not recognised.
    pub fn percentiles(&self, part: Part, requests: u64) -> Result<Vec<(u32, f64)>, String> {
        match (part, &self.side) {
            (Part::Requests { connections: 1, .. }, Some(csv)) => load::ab_percentiles(csv, requests),
            _ => Ok(Vec::new()),
        }
    }
}
