//! The command line, checked once; what it means is done elsewhere.

mod compare;
mod compose;
mod replay;
mod report;
mod request;
mod run;
mod self_test;
mod sweep;
mod versus;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use clap::{Args, Parser, Subcommand};

use crate::container::{Service, without_container};
use crate::load::{self, LoadTool};
use crate::targets::{Target, Workspace, all, installed, pick};
use crate::voice::{self, Voice};

pub use compare::{CompareArgs, GateArgs};
pub use compose::ComposeArgs;
pub use replay::{ReplayArgs, ReplayAsked};
pub use report::{ReportArgs, ResultsArgs};
pub use run::{NewOrResumedArgs, RunArgs};
pub use self_test::{BurnServerArgs, SelfTestArgs};
pub use sweep::SweepArgs;
pub use versus::VersusArgs;

/// Compares tiny HTTP servers: what does a request cost, and how many can be had?
#[derive(Debug, Parser)]
#[command(name = "hello-bench", version, disable_help_subcommand = true)]
pub struct Cli {
    /// No colours, on a terminal neither (as NO_COLOR)
    #[arg(long, global = true)]
    no_color: bool,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show every target: version, concurrency model, what it mirrors, port
    List(TargetArgs),
    /// Show every original, its concurrency model, and the Rust servers that answer to it
    Mirrors,
    /// Start targets one by one and hold them against the agreed response, point by point
    Verify(VerifyArgs),
    /// Build and start one target, print its URL, stop it on Ctrl-C
    Serve(ServeArgs),
    /// Measure targets side by side
    Run(NewOrResumedArgs),
    /// Measure targets at several numbers of connections or workers or at several rates, and find the knee
    Sweep(SweepArgs),
    /// Make one of the five first comparisons (2007 to 2011) again, with its published figures beside today's
    Replay(ReplayArgs),
    /// Make the report of a run or a replay again from its records, or one page of several runs
    Report(ReportArgs),
    /// List the runs and replays that are kept: when, where, of which commit and targets, and how they went
    Results(ResultsArgs),
    /// Say what has become of every target from one run to another, or of two targets of one run
    Compare(CompareArgs),
    /// Build two commits of this project, measure them in the same blocks, and say what has become of every target
    Versus(VersusArgs),
    /// Hold what this suite says against cases whose truth is known
    SelfTest(SelfTestArgs),
    /// Show where a build of the whole workspace would give a server other features than a build of its own
    Features,
    /// Read a recorded output of a load tool, and print what it says as one JSON object
    Parse(ParseArgs),
    /// Print the compose file that brings up every target in a container
    Compose(ComposeArgs),
    /// Show what this machine has of what a comparison needs, and how to get the rest
    Doctor,
    /// Serve the agreed response, and burn a known CPU time with each
    #[command(hide = true)]
    BurnServer(BurnServerArgs),
    /// Own a target's processes
    #[command(hide = true)]
    Supervise(SuperviseArgs),
    /// Own a container
    #[command(hide = true)]
    Contain(ContainArgs),
    /// Become a load tool that ends with the harness
    #[command(hide = true)]
    RunTool(RunToolArgs),
}

/// Whom a command is about.
#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Targets or groups (rust, originals, python, jvm, ruby, node, nginx …), as `hello-bench list` names them; all but
    /// the originals if none is given
    #[arg(value_name = "TARGET")]
    pub names: Vec<String>,

    /// A file with targets of your own, which come beside those of the workspace
    #[arg(long, value_name = "FILE.toml")]
    pub targets: Vec<PathBuf>,
}

/// `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Whom it is about
    #[command(flatten)]
    pub targets: TargetArgs,

    /// Start nothing: ask what listens on the target's port already, as one in a container
    #[arg(long)]
    pub running: bool,
}

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The target
    #[arg(value_name = "TARGET")]
    pub name: String,

    /// A file with targets of your own
    #[arg(long, value_name = "FILE.toml")]
    pub targets: Vec<PathBuf>,

    /// Threads that may run requests at once [default: the target's own]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub workers: Option<u16>,
}

impl Cli {
    /// How the program is to speak.
    pub fn choose_voice(&self) {
        let voice = match &self.command {
            Command::Run(args) => args.new.voice(),
            Command::Sweep(args) => args.voice(),
            _ => Voice::Full,
        };
        voice::choose(voice, !self.no_color);
    }
}

/// `parse`.
#[derive(Debug, Args)]
pub struct ParseArgs {
    /// The load tool
    #[arg(value_parser = load::TOOLS.map(LoadTool::name))]
    pub tool: String,

    /// What it printed on standard output
    #[arg(value_name = "FILE")]
    pub stdout: PathBuf,

    /// What it printed on standard error
    #[arg(long, value_name = "FILE")]
    pub stderr: Option<PathBuf>,

    /// Its exit status; negative or from 129 to 192 for a signal
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub exit_code: Option<i32>,

    /// The file that it wrote beside: ab's -e, h2load's --log-file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

/// `supervise`.
#[derive(Debug, Args)]
pub struct SuperviseArgs {
    /// Where what the target prints is kept
    #[arg(long)]
    pub log: PathBuf,
    /// The target's command line
    #[arg(last = true, required = true)]
    pub command: Vec<String>,
}

/// `contain`.
#[derive(Debug, Args)]
pub struct ContainArgs {
    /// The container's name
    #[arg(long)]
    pub name: String,
    /// The command line that launches it
    #[arg(last = true, required = true)]
    pub command: Vec<String>,
}

/// `run-tool`.
#[derive(Debug, Args)]
pub struct RunToolArgs {
    /// The pid of the harness
    #[arg(long)]
    pub parent: i32,
    /// The tool's command line
    #[arg(last = true, required = true)]
    pub command: Vec<OsString>,
}

impl TargetArgs {
    /// The targets that are meant, as far as they are installed; of the others of a group it is said that they are not.
    ///
    /// # Errors
    /// For a name that no target has or that is not installed, or a file that cannot be used.
    pub fn pick(&self, workspace: &Workspace) -> Result<Vec<Target>> {
        let (picked, missing) = installed(pick(&all(workspace, &self.targets)?, &self.names)?, &self.names)?;
        for missing in missing {
            eprintln!("{missing}");
        }
        Ok(picked)
    }

    /// The targets that are meant, as far as they can be had in containers; of the others of a group it is said why not.
    ///
    /// # Errors
    /// For a name that no target has or that has no container, or a file that cannot be used.
    pub fn pick_in_containers(&self, workspace: &Workspace) -> Result<Vec<Target>> {
        let mut there = Vec::new();
        for target in pick(&all(workspace, &self.targets)?, &self.names)? {
            match Service::of(&target, &workspace.root)? {
                Some(_) => there.push(target),
                None if self.names.contains(&target.description.name) => bail!(without_container(&target)),
                None => eprintln!("{}", without_container(&target)),
            }
        }
        Ok(there)
    }

    /// The targets that are meant, installed or not; the originals too if none is named.
    ///
    /// # Errors
    /// For a name that no target has, or a file that cannot be used.
    pub fn known(&self, workspace: &Workspace) -> Result<Vec<Target>> {
        let all = all(workspace, &self.targets)?;
        if self.names.is_empty() { Ok(all) } else { Ok(pick(&all, &self.names)?) }
    }
}

impl ServeArgs {
    /// The target that is meant.
    ///
    /// # Errors
    /// As [`TargetArgs::pick`].
    pub fn pick(&self, workspace: &Workspace) -> Result<Target> {
        one(&all(workspace, &self.targets)?, &self.name)
    }
}

/// The one target of a name, which has to be installed.
fn one(all: &[Target], name: &str) -> Result<Target> {
    let names = [name.to_owned()];
    let mut picked = installed(pick(all, &names)?, &names)?.0;
    ensure!(picked.len() == 1, "{name} is a group of {} targets; one is wanted", picked.len());
    Ok(picked.remove(0))
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    let wanted = || format!("{text:?} is no duration such as 1s, 2.5s or 500ms");
    let (number, unit) = if let Some(number) = text.strip_suffix("ms") {
        (number, 0.001)
    } else if let Some(number) = text.strip_suffix('s') {
        (number, 1.0)
    } else {
        (text, 1.0)
    };
    let value: f64 = number.trim().parse().map_err(|_| wanted())?;
    let seconds = value * unit;
    if !(seconds.is_finite() && seconds > 0.0 && seconds <= 3600.0) {
        return Err(format!("{text:?} must be more than 0 s and at most 3600 s"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// A share, written as a percentage: the sign is asked for, so that nobody's 0.05 is taken for 5 %.
fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    match number.map(|percent| percent / 100.0) {
        Some(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err(format!("{text:?} is no percentage such as 5% or 0.5%, above 0 and up to 100")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(parse_duration("1s").unwrap(), Duration::from_secs(1));
        assert_eq!(parse_duration("2").unwrap(), Duration::from_secs(2));
        assert_eq!(parse_duration("500ms").unwrap(), Duration::from_millis(500));
        for bad in ["", "s", "0", "-1s", "1h", "1e99s", "NaN", "inf"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn percentages_have_their_sign() {
        assert_eq!([parse_percent("5%"), parse_percent("0.5 %")], [Ok(0.05), Ok(0.005)]);
        for bad in ["", "%", "5", "0.05", "0%", "-1%", "101%", "NaN%", "inf%"] {
            assert!(parse_percent(bad).is_err(), "{bad}");
        }
    }
}
