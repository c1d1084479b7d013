//! `compare`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use super::parse_percent;
use crate::compare::{Compared, Gate, launchers, runs, targets, versus_words, words};
use crate::results::Run;

/// `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The folder of the first run; by itself if it is one of `hello-bench versus`
    #[arg(value_name = "A")]
    a: PathBuf,

    /// The folder of the other run
    #[arg(value_name = "B", conflicts_with = "targets")]
    b: Option<PathBuf>,

    /// Two targets of the first run, instead of another run
    #[arg(long, num_args = 2, value_names = ["X", "Y"])]
    targets: Vec<String>,

    /// Compare runs that were made under different conditions, and say so
    #[arg(long)]
    force: bool,

    /// Compare two runs that differ in what started the targets: natively and in containers, or two networks of these
    #[arg(long, requires = "b", conflicts_with = "force")]
    launchers: bool,

    #[command(flatten)]
    gate: GateArgs,
}

/// What a comparison must not show.
#[derive(Debug, Args)]
pub struct GateArgs {
    /// Exit with 3 if something is worse, and with 4 if that cannot be said
    #[arg(long, value_parser = ["worse"])]
    fail_on: Option<String>,

    /// Exit with 3 if something is worse by more than this, and with 4 if that cannot be ruled out
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    max_regression: Option<f64>,
}

impl GateArgs {
    /// The gate that is meant.
    pub fn gate(&self) -> Gate {
        Gate { worse: self.fail_on.is_some(), max_regression: self.max_regression }
    }
}

impl CompareArgs {
    /// The comparison that is meant, and how it reads.
    ///
    /// # Errors
    /// When a run cannot be read, or the two cannot be compared.
    pub fn compared(&self) -> Result<(Compared, String)> {
        let a = Run::read(&self.a)?;
        let side = |path: &PathBuf, run: &Run| {
            format!("{}, {}, commit {}", path.display(), run.record.began, run.record.commit.short())
        };
        let compared = match (&self.b, &self.targets[..]) {
            (Some(path), _) => {
                let b = Run::read(path)?;
                let compared = if self.launchers { launchers(&a, &b)? } else { runs(&a, &b, self.force)? };
                let text = words(&compared, &side(&self.a, &a), &side(path, &b));
                (compared, text)
            }
            (None, [x, y]) => {
                let compared = targets(&a, x, y)?;
                let text =
                    words(&compared, &format!("{x} in {}", side(&self.a, &a)), &format!("{y} in the same blocks"));
                (compared, text)
            }
            (None, _) if a.record.versus.is_some() => versus_words(&a)?,
            (None, _) => bail!("two runs are compared, or two targets of one run with --targets X Y"),
        };
        Ok(compared)
    }

    /// What the comparison must not show.
    pub fn gate(&self) -> Gate {
        self.gate.gate()
    }
}
