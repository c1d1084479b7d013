//! Docker, through its command line: what is launched there for a run, and removed again whatever happens.
//!
//! A container is no descendant of the harness but of the daemon. So it is owned by a process that is one: `hello-bench
//! contain`, under a supervisor as every target is, stays as long as the container runs, and removes it when it is told
//! to end. What even that leaves behind (it was killed) carries a label, and the next run removes it.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::supervisor::TERM_GRACE;
use crate::container::LABEL;

/// How often it is looked at whether a container has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A container that was launched; it is removed with this.
#[derive(Debug)]
pub struct Container {
    name: String,
    removed: bool,
}

/// A container as Docker sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    /// The pid of its first process, on the host.
    pub pid: i32,
    /// When that was started.
    pub started: Timestamp,
}

impl Container {
    /// The container of this name, which need not be there yet.
    pub fn named(name: String) -> Self {
        Self { name, removed: false }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it is, if it runs.
    pub fn state(&self) -> Option<State> {
        let told = docker(&["inspect", "--format", "{{.State.Pid}} {{.State.StartedAt}}", &self.name]).ok()?;
        parse_state(&told)
    }

    /// Ends and removes it, if it is there.
    ///
    /// # Errors
    /// In words, when it is there still.
    pub fn remove(&mut self) -> Result<(), String> {
        self.removed = true;
        match docker(&["rm", "--force", "--volumes", &self.name]) {
            Err(why) if !why.contains("No such container") => {
                Err(format!("container {} cannot be removed: {why}", self.name))
            }
            _ => Ok(()),
        }
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        if !self.removed {
            let _ = self.remove();
        }
    }
}

/// `pid started`; a pid of 0 is a container that does not run.
fn parse_state(told: &str) -> Option<State> {
    let (pid, started) = told.trim().split_once(' ')?;
    Some(State { pid: pid.parse().ok().filter(|pid| *pid > 0)?, started: started.parse().ok()? })
}

/// That Docker can be used.
///
/// # Errors
/// In one line, with what to do.
pub fn available() -> Result<()> {
    docker(&["version", "--format", "{{.Server.Version}}"]).map(drop).map_err(|why| anyhow::anyhow!(in_words(&why)))
}

fn in_words(why: &str) -> String {
    if why.contains("permission denied") {
        return "this user may not use the Docker daemon's socket; add it to the group with `sudo usermod -aG docker $USER` \
                and log in again, or use sudo"
            .to_owned();
    }
    if why.contains("daemon") {
        return format!("the Docker daemon is not running; start it (`sudo systemctl start docker`): {why}");
    }
    format!("docker cannot be used: {why}")
}

/// Removes what earlier runs launched and could not remove. Whoever calls this has the right to measure, so that no run
/// is under way whose containers these are.
///
/// # Errors
/// When one cannot be removed.
pub fn remove_left() -> Result<()> {
    let filter = format!("label={LABEL}");
    let left = docker(&["ps", "--all", "--quiet", "--filter", &filter]).map_err(anyhow::Error::msg)?;
    for id in left.split_whitespace() {
        eprintln!("removing container {id}, which an earlier run left");
        Container::named(id.to_owned()).remove().map_err(anyhow::Error::msg)?;
    }
    Ok(())
}

/// The id of an image, which says what is in it, and its size in bytes.
pub fn image(name: &str) -> Option<(String, u64)> {
    let told = docker(&["image", "inspect", "--format", "{{.Id}} {{.Size}}", name]).ok()?;
    let (id, size) = told.trim().split_once(' ')?;
    Some((id.trim_start_matches("sha256:").to_owned(), size.parse().ok()?))
}

/// The daemon's processes that carry what comes to a published port over to the container (docker-proxy), where it has
/// any: what they use is part of what the bridge costs, and in no container's cgroup.
pub fn proxies(port: u16) -> Vec<i32> {
    let all = procfs::process::all_processes().into_iter().flatten().flatten();
    let is_ours = |line: &[String]| {
        line.first().is_some_and(|program| program.ends_with("docker-proxy"))
            && line.windows(2).any(|pair| pair[0] == "-host-port" && pair[1] == port.to_string())
    };
    all.filter(|process| process.cmdline().is_ok_and(|line| is_ours(&line))).map(|process| process.pid).collect()
}

/// The life of `hello-bench contain`: runs the command, which launches the container `name`, and ends with the exit
/// status that the container ended with. Told to end, it stops the container first; it is never there after its end.
///
/// # Errors
/// When the command cannot be run.
pub fn contain(name: &str, command: &[String]) -> Result<u8> {
    let told = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&told))?;
    }
    let (program, args) = command.split_first().context("no command")?;
    let mut container = Container::named(name.to_owned());
    let mut attached = Command::new(program).args(args).stdin(Stdio::null()).process_group(0).spawn()?;
    let mut stopped = false;
    let status = loop {
        if let Some(status) = attached.try_wait()? {
            break status;
        }
        if told.load(Ordering::Relaxed) && !stopped {
            stopped = true;
            // A second less than the supervisor waits before it ends this.
            let grace = TERM_GRACE.as_secs().saturating_sub(1).to_string();
            let _ = docker(&["stop", "--time", &grace, name]);
        }
        std::thread::sleep(LOOK_EVERY);
    };
    let oom = docker(&["inspect", "--format", "{{.State.OOMKilled}}", name]);
    if oom.is_ok_and(|oom| oom.trim() == "true") {
        eprintln!("the container hit its memory limit");
    }
    container.remove().map_err(anyhow::Error::msg)?;
    match status.code().map(u8::try_from) {
        Some(Ok(code)) => Ok(code),
        _ => bail!("{program} ended by a signal"),
    }
}

/// How a container ended, from the exit status: above 128 it is a signal's number.
pub fn how_ended(how: &str) -> String {
    let code = how.strip_prefix("with status ").and_then(|code| code.parse::<i32>().ok());
    let signal = code.and_then(|code| nix::sys::signal::Signal::try_from(code - 128).ok());
    signal.map_or_else(|| how.to_owned(), |signal| format!("by {signal}"))
}

/// Runs docker, out of reach of the terminal's Ctrl-C; gives what it printed, or the last line of why it could not.
fn docker(args: &[&str]) -> Result<String, String> {
    let output = Command::new("docker").args(args).stdin(Stdio::null()).process_group(0).output();
    let output = output.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "docker is not installed".to_owned(),
        _ => error.to_string(),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it says nothing").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_that_does_not_run_has_no_state() {
        let state = parse_state("4242 2026-11-30T20:13:18.409601848Z\n").unwrap();
        assert_eq!((state.pid, state.started.as_second()), (4242, 1_796_069_598));
        assert_eq!(parse_state("0 2026-11-30T20:13:18.409601848Z\n"), None);
        assert_eq!(parse_state("0 0001-01-01T00:00:00Z"), None);
        assert_eq!(parse_state(""), None);
    }

    #[test]
    fn a_container_that_was_killed_is_said_to_have_been() {
        assert_eq!(how_ended("with status 137"), "by SIGKILL");
        assert_eq!(how_ended("with status 143"), "by SIGTERM");
        assert_eq!(how_ended("with status 1"), "with status 1");
        assert_eq!(how_ended("by SIGKILL"), "by SIGKILL");
    }

    #[test]
    fn a_daemon_that_cannot_be_used_is_said_with_what_to_do() {
        let denied =
            "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock";
        assert!(in_words(denied).contains("usermod -aG docker"));
        let down = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?";
        assert!(in_words(down).contains("systemctl start docker"));
        assert_eq!(in_words("docker is not installed"), "docker cannot be used: docker is not installed");
    }
}
