//! The small process between the harness and a target, so that the target cannot outlive the harness.
//!
//! It is this same program with a hidden subcommand. It leads a session of its own and is the subreaper of all that
//! the target starts, so that a process whose parent has gone is still its descendant. Its standard input is a pipe
//! from the harness: when that ends, for whatever reason (SIGKILL of the harness among them), it ends every
//! descendant, and only then itself. A parent-death signal alone would be cleared by the target's forks.
//!
//! What the target prints goes through it into a file of bounded size; the rest is read and dropped, so that a server
//! that logs every request neither fills the disk nor blocks on a full pipe.
//!
//! It tells the harness on its standard output, a line each: `started PID NANOSECONDS` (on the monotonic clock, right
//! before the start), `failed WHY`, `exited HOW`, `alone` (nothing of the
//! target is left), `ended`.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use nix::errno::Errno;
use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, wait};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::{Pid, getpid, setsid};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

use super::tree::{descendants, process};

/// How long a target may take to end by itself once it got SIGTERM.
pub const TERM_GRACE: Duration = Duration::from_secs(3);

/// How much of what a target prints is kept.
pub const LOG_LIMIT: u64 = 256 * 1024;

/// The supervisor's whole life: starts `command`, and ends it when standard input ends.
///
/// # Errors
/// When it cannot become what it must be; a command that cannot be started is told to the harness instead.
pub fn supervise(command: &[String], log: &Path) -> Result<()> {
    // A terminal's Ctrl-C reaches the harness, which then ends this by closing the pipe.
    setsid().context("cannot lead a session")?;
    set_child_subreaper(true).context("cannot become a subreaper")?;
    // These must not end it before its descendants; the target gets their default meaning back from exec.
    // SIGXFSZ comes when the log hits a limit of file size (setrlimit(2)); the write fails then, and that is enough.
    for ignored in [SIGHUP, SIGINT, SIGTERM, SIGXFSZ] {
        signal_hook::flag::register(ignored, Arc::default())?;
    }
    let (program, args) = command.split_first().context("no command")?;
    let log = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let (printed, print) = std::io::pipe()?;
    let began = Duration::from(clock_gettime(ClockId::CLOCK_MONOTONIC)?);
    let spawned =
        Command::new(program).args(args).stdin(Stdio::null()).stdout(print.try_clone()?).stderr(print).spawn();
    let main = match spawned {
        Ok(child) => i32::try_from(child.id())?,
        Err(error) => {
            tell(&format!("failed {program}: {error}"));
            return Ok(());
        }
    };
    tell(&format!("started {main} {}", began.as_nanos()));
    let keeper = thread::spawn(move || keep(printed, log));
    let reaper = thread::spawn(move || reap(main, &keeper));

    // Whatever is written there is not read for its meaning: the end of the pipe is the message.
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    end_all(main, &reaper);
    tell("ended");
    Ok(())
}

/// One line to the harness. If it is gone, the end of standard input says so too.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Keeps the beginning of what the target prints, and reads on without keeping.
fn keep(mut printed: impl Read, mut log: File) {
    let _ = std::io::copy(&mut (&mut printed).take(LOG_LIMIT), &mut log);
    if std::io::copy(&mut printed, &mut std::io::sink()).is_ok_and(|dropped| dropped > 0) {
        let _ = writeln!(log, "\n[what followed was not kept]");
    }
}

/// Reaps every descendant that ends, the adopted ones too, and says how the main one ended.
///
/// That something ended is told after what it printed was kept, which the harness then quotes. The pipe ends with
/// its last writer: with the main process, or with the last descendant, or never, if somebody else was handed it.
fn reap(main: i32, keeper: &JoinHandle<()>) {
    const OTHERS_MAY_WRITE: Duration = Duration::from_millis(100);
    const NOBODY_IS_LEFT: Duration = Duration::from_secs(2);
    loop {
        match wait() {
            Ok(WaitStatus::Exited(pid, code)) if pid.as_raw() == main => {
                wait_until_finished(keeper, OTHERS_MAY_WRITE);
                tell(&format!("exited with status {code}"));
            }
            Ok(WaitStatus::Signaled(pid, which, _)) if pid.as_raw() == main => {
                wait_until_finished(keeper, OTHERS_MAY_WRITE);
                tell(&format!("exited by {which}"));
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => {
                // No child is left, and without one nobody can become a descendant.
                wait_until_finished(keeper, NOBODY_IS_LEFT);
                tell("alone");
                return;
            }
        }
    }
}

fn wait_until_finished(thread: &JoinHandle<()>, limit: Duration) {
    let deadline = Instant::now() + limit;
    while !thread.is_finished() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
}

/// SIGTERM to the target, which may end its own workers; to what it leaves behind as well; SIGKILL to what then
/// remains, until nothing does.
///
/// A look at /proc can miss a process whose parent forks and leaves while it is read. That no child is left to wait
/// for is certain: to a subreaper every orphan below it becomes a child.
fn end_all(main: i32, reaper: &JoinHandle<()>) {
    let deadline = Instant::now() + TERM_GRACE;
    let mut asked = HashSet::new();
    while !reaper.is_finished() {
        let left = descendants(getpid().as_raw());
        let late = Instant::now() >= deadline;
        let main_lives = left.iter().any(|process| process.pid == main);
        for found in left {
            // Looked at again right before the signal, so that a pid used anew is not hit.
            if process(found.pid) != Some(found) {
                continue;
            }
            if late {
                let _ = kill(Pid::from_raw(found.pid), Signal::SIGKILL);
            } else if (found.pid == main || !main_lives) && asked.insert(found) {
                let _ = kill(Pid::from_raw(found.pid), Signal::SIGTERM);
            }
        }
        thread::sleep(Duration::from_millis(2));
    }
}
