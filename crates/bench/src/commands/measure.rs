//! The subcommands that measure, and those that say what came of it.

use std::io::Write;

use anyhow::Result;

use super::say;
use crate::cli::{
    CompareArgs, NewOrResumedArgs, ReplayArgs, ReplayAsked, ReportArgs, SelfTestArgs, SweepArgs, VersusArgs,
};
use crate::compare;
use crate::exit::Exit;
use crate::interrupt;
use crate::process::Lock;
use crate::replay;
use crate::results::Run;
use crate::run::{self, Ended, Made};
use crate::targets::Workspace;

/// `hello-bench run`
///
/// # Errors
/// For wrong use, and when the result cannot be kept.
pub fn run(args: &NewOrResumedArgs) -> Result<Exit> {
    interrupt::install()?;
    let workspace = Workspace::find()?;
    let made = match (&args.resume, args.new.wish()?) {
        // The lock before it is read: a run that is still being made is not one that stopped.
        (Some(folder), _) => run::resume(&Lock::take()?, &workspace, folder)?,
        (None, Some(wish)) => run::planned(&Lock::take()?, &workspace, args.new.request(&workspace)?, wish)?,
        (None, None) => run::run(&Lock::take()?, &workspace, &args.new.request(&workspace)?)?,
    };
    Ok(exit_of_made(&made))
}

/// `hello-bench sweep`
///
/// # Errors
/// For wrong use, and when the result cannot be kept.
pub fn sweep(args: &SweepArgs) -> Result<Exit> {
    interrupt::install()?;
    let workspace = Workspace::find()?;
    let request = args.request(&workspace)?;
    Ok(exit_of_made(&run::run(&Lock::take()?, &workspace, &request)?))
}

/// `hello-bench versus`
///
/// # Errors
/// For wrong use, and when the result cannot be kept.
pub fn versus(args: &VersusArgs) -> Result<Exit> {
    interrupt::install()?;
    let workspace = Workspace::find()?;
    let wish = args.wish()?;
    // Before the builds, which would disturb a run that is being made.
    let lock = Lock::take()?;
    let request = args.request(&workspace)?;
    let made = match wish {
        Some(wish) => run::planned(&lock, &workspace, request, wish)?,
        None => run::run(&lock, &workspace, &request)?,
    };
    match (made.ended, &made.folder) {
        (Ended::Interrupted, _) | (_, None) => Ok(exit_of_made(&made)),
        (ended, Some(folder)) => {
            let (compared, _) = compare::versus_words(&Run::read(folder)?)?;
            Ok(match compare::exit(&compared, args.gate()) {
                Exit::Well => exit_of(ended),
                decided => decided,
            })
        }
    }
}

/// As [`exit_of`]; and who ended it before the first slice is told that there is nothing.
fn exit_of_made(made: &Made) -> Exit {
    if made.ended == Ended::Interrupted && made.folder.is_none() {
        eprintln!("hello-bench: interrupted before the first slice; nothing was kept");
    }
    exit_of(made.ended)
}

fn exit_of(ended: Ended) -> Exit {
    match ended {
        Ended::Well => Exit::Well,
        Ended::SomeFailed => Exit::SomeFailed,
        Ended::Interrupted => Exit::Interrupted,
    }
}

/// `hello-bench replay`
///
/// # Errors
/// For wrong use, and when the result cannot be kept.
pub fn replay(args: &ReplayArgs) -> Result<Exit> {
    match args.asked()? {
        ReplayAsked::List => {
            for replay in replay::REPLAYS {
                say!("{:<20} {}", replay.name(), replay.about());
            }
            Ok(Exit::Well)
        }
        ReplayAsked::Make(experiment) => {
            interrupt::install()?;
            let workspace = Workspace::find()?;
            Ok(exit_of(replay::run(&workspace, &args.request(experiment, &workspace)?)?))
        }
    }
}

/// `hello-bench report`
///
/// # Errors
/// When a folder is no run, or a file cannot be written.
pub fn report(args: &ReportArgs) -> Result<Exit> {
    if let Some(folder) = args.replay()? {
        replay::again(folder)?;
        return Ok(Exit::Well);
    }
    let _ = std::io::stdout().write_all(args.publish()?.as_bytes());
    Ok(Exit::Well)
}

/// `hello-bench compare`
///
/// # Errors
/// When a run cannot be read, or the two cannot be compared.
pub fn compare(args: &CompareArgs) -> Result<Exit> {
    let (compared, text) = args.compared()?;
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(compare::exit(&compared, args.gate()))
}

/// `hello-bench self-test`
///
/// # Errors
/// When a live run cannot be made.
pub fn self_test(args: &SelfTestArgs) -> Result<Exit> {
    interrupt::install()?;
    let all_hold = args.answers(|answer| say!("{}", answer.words))?;
    Ok(match all_hold {
        None => Exit::Interrupted,
        Some(true) => Exit::Well,
        Some(false) => Exit::SomeFailed,
    })
}
