//! `replay`: which comparison, of whom.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;

use super::TargetArgs;
use crate::replay::{Experiment, REPLAYS, Request, named};
use crate::run::fresh_seed;
use crate::targets::{Target, Workspace, all};

/// `replay`.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub struct ReplayArgs {
    /// The comparison; without one they are listed
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Targets, instead of the originals of that comparison that are there and their Rust mirrors
    #[arg(value_name = "TARGET", requires = "name")]
    names: Vec<String>,

    /// A file with targets of your own
    #[arg(long, value_name = "FILE.toml")]
    targets: Vec<PathBuf>,

    /// Everything smaller than it was published, for a first look
    #[arg(long)]
    quick: bool,

    /// Draw the order of trials from this number, as an earlier replay did
    #[arg(long)]
    seed: Option<u64>,

    /// A new folder for the result [default: a folder in results/ that is named by time, host, commit and comparison]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

fn after_help() -> String {
    let lines = REPLAYS.map(|replay| format!("  {:<20} {}\n", replay.name(), replay.about()));
    format!(
        "Replays:\n{}\nA replay says beforehand what it will do and how long that takes. Published figures stand beside \
         today's; of the two machines no ratio is made.",
        lines.concat()
    )
}

/// What is asked for.
pub enum ReplayAsked {
    /// Which there are.
    List,
    /// This one.
    Make(&'static dyn Experiment),
}

impl ReplayArgs {
    /// What is asked for.
    ///
    /// # Errors
    /// For a name that no replay has.
    pub fn asked(&self) -> Result<ReplayAsked> {
        if let Some(name) = &self.name {
            return Ok(ReplayAsked::Make(named(name)?));
        }
        let for_one = self.quick || self.seed.is_some() || self.out.is_some() || !self.targets.is_empty();
        ensure!(!for_one, "which replay? `hello-bench replay` lists them");
        Ok(ReplayAsked::List)
    }

    /// What is to be replayed.
    ///
    /// # Errors
    /// For a name that no target has, or a file that cannot be used.
    pub fn request(&self, experiment: &'static dyn Experiment, workspace: &Workspace) -> Result<Request> {
        let (targets, missing) = if self.names.is_empty() {
            cast(experiment, &all(workspace, &self.targets)?)
        } else {
            let named = TargetArgs { names: self.names.clone(), targets: self.targets.clone() };
            (named.pick(workspace)?, Vec::new())
        };
        Ok(Request {
            experiment,
            targets,
            missing,
            quick: self.quick,
            seed: self.seed.unwrap_or_else(fresh_seed),
            out: self.out.clone(),
        })
    }
}

/// Those of the cast that can be started here, and a line for each that cannot.
fn cast(experiment: &dyn Experiment, all: &[Target]) -> (Vec<Target>, Vec<String>) {
    let (mut there, mut missing) = (Vec::new(), Vec::new());
    for role in experiment.cast() {
        match all.iter().find(|target| target.name() == role.target) {
            None => missing.push(format!("{} is not here", role.target)),
            Some(target) => match target.not_installed() {
                None => there.push(target.clone()),
                Some(why) => missing.push(why.to_string()),
            },
        }
    }
    (there, missing)
}
