//! A load tool that runs: in a process group of its own, ended with the harness, bounded in time, its CPU time from
//! its own rusage.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::errno::Errno;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{Pid, getppid};

use super::sched::{Scheduled, Threads};
use super::{cpu, own_program};
use crate::interrupt::{self, Interrupted};
use crate::load::{Exit, LoadTool};

/// How often it is looked at whether the tool has ended: 200 looks a second are under 0.1 % of a core.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// How long a load tool may take to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(5);

/// How often the scheduler's counts of its threads are read, which go with a thread when it ends: a few short files ten
/// times a second.
const COUNTS_EVERY: Duration = Duration::from_millis(100);

/// The version of a load tool; `None` if it is not there.
pub fn version(tool: &dyn LoadTool) -> Option<String> {
    let mut asked = Command::new(tool.name());
    asked.args(tool.version_args()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = asked.process_group(0).spawn().ok()?;
    // A program of that name that does not even say its version in time is not the tool.
    let said = interrupt::wait_for(VERSION_LIMIT, LOOK_EVERY, || child.try_wait().transpose());
    if !matches!(said, Ok(Some(_))) {
        let _ = end(&mut child);
        return None;
    }
    let output = child.wait_with_output().ok()?;
    let printed = [output.stdout, output.stderr].concat();
    Some(tool.parse_version(&String::from_utf8_lossy(&printed)).unwrap_or_else(|| "of an unknown version".to_owned()))
}

/// A load tool that ran.
#[derive(Debug, Clone, Copy)]
pub struct Ran {
    /// How it ended.
    pub exit: Exit,
    /// Whether it was ended because it took too long.
    pub too_long: bool,
    /// From its start to its end.
    pub wall: Duration,
    /// The CPU time it used.
    pub cpu: Duration,
    /// What the scheduler counted of its threads, as far as it was looked at; `None` if it is not told.
    pub scheduled: Option<Scheduled>,
}

/// Why a load tool did not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It could not be started or waited for.
    #[error("{program} cannot be run: {why}")]
    Io {
        /// The program.
        program: String,
        /// What happened.
        why: std::io::Error,
    },
    /// The user wants this to end; the tool was ended.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// Runs a load tool to its end, or to `limit`, with what it prints in two files.
///
/// # Errors
/// When it cannot be started, or the user interrupts it.
pub fn run(line: &[OsString], stdout: &Path, stderr: &Path, limit: Duration) -> Result<Ran, ToolError> {
    let program = || line.first().map_or(String::new(), |word| word.to_string_lossy().into_owned());
    let failed = |why| ToolError::Io { program: program(), why };
    let before = cpu::ended_children();
    let began = Instant::now();
    let mut child = Command::new(own_program())
        .arg("run-tool")
        .arg("--parent")
        .arg(std::process::id().to_string())
        .arg("--")
        .args(line)
        // A decimal comma would be no number to the parsers.
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(File::create_new(stdout).map_err(failed)?)
        .stderr(File::create_new(stderr).map_err(failed)?)
        // A terminal's Ctrl-C reaches the harness, which then ends the tool and reaps it.
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    let id = i32::try_from(child.id()).unwrap_or_default();
    let (mut threads, mut counted) = (Threads::default(), began);
    let ended = interrupt::wait_for(limit, LOOK_EVERY, || {
        let over = has_ended(id);
        if over || counted.elapsed() >= COUNTS_EVERY {
            counted = Instant::now();
            threads.look(id);
        }
        over.then(|| child.wait())
    });
    let (status, too_long) = match ended {
        Ok(Some(status)) => (status.map_err(failed)?, false),
        Ok(None) => (end(&mut child).map_err(failed)?, true),
        Err(interrupted) => {
            end(&mut child).map_err(failed)?;
            return Err(interrupted.into());
        }
    };
    let wall = began.elapsed();
    let scheduled = (threads.count() > 0).then(|| threads.since(&Threads::default()));
    let cpu = cpu::ended_children().saturating_sub(before);
    Ok(Ran { exit: status.into(), too_long, wall, cpu, scheduled })
}

/// Whether a child has ended, without reaping it: as a zombie it still has its first thread's counts. That there is no
/// such child is an end too, and told by the wait that follows.
fn has_ended(id: i32) -> bool {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    !matches!(waitid(Id::Pid(Pid::from_raw(id)), flags), Ok(WaitStatus::StillAlive) | Err(Errno::EINTR))
}

fn end(child: &mut Child) -> std::io::Result<std::process::ExitStatus> {
    // Its whole group: a wrapper may have started the tool, and sleep beside it. The child is not reaped yet, so that
    // the group is still its own.
    let group = Pid::from_raw(i32::try_from(child.id()).unwrap_or_default());
    if killpg(group, Signal::SIGKILL).is_err() {
        child.kill()?;
    }
    child.wait()
}

/// Becomes the load tool, after asking the kernel to end it with the harness (prctl(2), PR_SET_PDEATHSIG, which
/// survives exec). It starts no processes of its own, so that this is enough for it.
///
/// # Errors
/// When the harness has gone already, or the tool cannot be run.
pub fn become_tool(line: &[OsString], parent: i32) -> Result<()> {
    set_pdeathsig(Signal::SIGKILL)?;
    ensure!(getppid() == Pid::from_raw(parent), "the harness has gone");
    let (program, args) = line.split_first().context("no command")?;
    let error = Command::new(program).args(args).exec();
    Err(error).with_context(|| format!("{} cannot be run", program.to_string_lossy()))
}
