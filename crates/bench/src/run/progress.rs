//! How far a run is: on a terminal a bar with the time left and a table that settles below it, a plain line per block
//! elsewhere; on standard error.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::live::Live;
use super::turns::Again;
use crate::plan::{Cell, Step};
use crate::results::SliceRecord;
use crate::voice::{Voice, voice};

/// The progress of one run.
pub struct Progress {
    began: Instant,
    steps: usize,
    steps_per_block: usize,
    earlier: usize,
    done: usize,
    again: usize,
    live: Live,
    /// What is being measured, above the table.
    now: String,
    bar: Option<ProgressBar>,
    quiet: bool,
}

impl Progress {
    /// So many are `done` of `steps`, by an earlier part of the run, and so many blocks were measured `again`.
    pub fn new(steps: usize, cells: &[Cell], done: usize, again: usize) -> Self {
        let quiet = voice() == Voice::Quiet;
        let bar = (std::io::stderr().is_terminal() && !quiet).then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} slices, {prefix}{msg}");
            ProgressBar::new(steps as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        let (live, steps_per_block) = (Live::of(cells), cells.len().max(1));
        let (began, now) = (Instant::now(), String::new());
        Self { began, steps, steps_per_block, earlier: done, done, again, live, now, bar, quiet }
    }

    /// A step begins. The bar is drawn now and not while the step is measured.
    pub fn at(&mut self, step: &Step) {
        self.now = format!("block {}: {}", step.block + 1, step.cell);
        self.draw();
    }

    /// A slice was measured, now or by an earlier part of the run.
    pub fn saw(&mut self, slice: &SliceRecord) {
        self.live.take(slice);
    }

    /// The bar, and what there is so far below it.
    fn draw(&self) {
        let Some(bar) = &self.bar else { return };
        let width = usize::from(console::Term::stderr().size().1).saturating_sub(1);
        let table = self.live.lines(width);
        bar.set_message(if table.is_empty() {
            self.now.clone()
        } else {
            format!("{}\n{}", self.now, table.join("\n"))
        });
    }

    /// A step has ended.
    pub fn done(&mut self, step: &Step) {
        self.done += 1;
        let left = format!("{} left; ", HumanDuration(self.left()));
        if let Some(bar) = &self.bar {
            bar.set_prefix(left);
            bar.set_position(self.done as u64);
            if self.done == self.steps {
                bar.finish_and_clear();
            }
        } else if !self.quiet && self.done.is_multiple_of(self.steps_per_block) {
            let blocks = self.steps / self.steps_per_block - self.again;
            eprintln!("block {} of {blocks} is done, about {}", step.block + 1, left.trim_end_matches("; "));
        }
    }

    /// A block that is done was disturbed, and is measured again.
    pub fn again(&mut self, again: Again) {
        self.done += 1;
        self.steps += again.slices;
        self.again += 1;
        let line = format!("block {} was disturbed by others, and is measured again", again.block + 1);
        if let Some(bar) = &self.bar {
            bar.set_length(self.steps as u64);
            bar.set_position(self.done as u64);
            bar.println(line);
        } else if !self.quiet {
            eprintln!("{line}");
        }
    }

    /// As long as the steps so far took on the average.
    fn left(&self) -> Duration {
        let todo = self.steps - self.done;
        self.began.elapsed() / u32::try_from((self.done - self.earlier).max(1)).unwrap_or(u32::MAX)
            * u32::try_from(todo).unwrap_or(0)
    }
}
