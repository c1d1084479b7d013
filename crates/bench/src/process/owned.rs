//! The harness's end of a supervisor: what is started through it is ended with all its descendants, also if somebody
//! kills the supervisor.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, getpid, getsid};
use procfs::process::all_processes;

use super::supervisor::TERM_GRACE;
use super::tree;

/// What is said of a target whose supervisor did not end by itself.
pub const SUPERVISOR_KILLED: &str = "its supervisor was killed by somebody else, and what it owned was ended";

/// The supervisors that this process has and has not waited for.
fn live() -> MutexGuard<'static, HashSet<i32>> {
    static LIVE: LazyLock<Mutex<HashSet<i32>>> = LazyLock::new(Mutex::default);
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something that runs under a supervisor: the harness's end of the two pipes between them.
#[derive(Debug)]
pub struct Owned {
    child: Child,
    /// When its supervisor was started, in clock ticks after boot: what it left behind is not older.
    start: u64,
    /// Closing it is the order to end everything.
    order: Option<ChildStdin>,
    events: Receiver<String>,
    exited: Option<String>,
    /// Whether nothing that it owned is left, although it was not told to end it.
    alone: bool,
    /// Whether the supervisor has said its last.
    ended: bool,
    /// Whether the supervisor went without having said so.
    lost: bool,
    log: PathBuf,
}

impl Owned {
    /// Has `program`, which is the harness's own, run `line` under a supervisor; `environment` sets what it inherits.
    ///
    /// # Errors
    /// In words, when the supervisor cannot be started.
    pub fn spawn(
        program: &Path,
        line: &[String],
        log: &Path,
        environment: impl FnOnce(&mut Command),
    ) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("its supervisor cannot be started: {error}");
        // What a killed supervisor leaves behind comes to this process then, and is found.
        set_child_subreaper(true).map_err(|error| failed(error.into()))?;
        let mut command = Command::new(program);
        command.arg("supervise").arg("--log").arg(log).arg("--").args(line);
        environment(&mut command);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
        let order = child.stdin.take();
        let (send, events) = channel();
        if let Some(told) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(told).lines().map_while(Result::ok) {
                    if send.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        let pid = i32::try_from(child.id()).unwrap_or_default();
        let start = tree::process(pid).map_or(u64::MAX, |process| process.start);
        live().insert(pid);
        Ok(Self {
            child,
            start,
            order,
            events,
            exited: None,
            alone: false,
            ended: false,
            lost: false,
            log: log.to_owned(),
        })
    }

    /// Its own pid, below which everything of the target is.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap_or_default()
    }

    /// The pid of the target, and when it was started on the monotonic clock.
    ///
    /// # Errors
    /// In words, when it could not be started.
    pub fn started(&mut self) -> Result<(i32, Duration), String> {
        let line = self.events.recv_timeout(Duration::from_secs(10)).map_err(|_| {
            let mut why = String::new();
            let _ = self.child.kill();
            if let Some(mut said) = self.child.stderr.take() {
                let _ = said.read_to_string(&mut why);
            }
            format!("its supervisor did not start it: {}", why.trim())
        })?;
        self.note(&line);
        if let Some(why) = line.strip_prefix("failed ") {
            return Err(format!("it cannot be run: {why}"));
        }
        let mut words = line.strip_prefix("started ").unwrap_or_default().split(' ');
        let pid = words.next().and_then(|word| word.parse().ok());
        let began = words.next().and_then(|word| word.parse().ok()).map(Duration::from_nanos);
        pid.zip(began).ok_or_else(|| format!("its supervisor said {line:?}"))
    }

    /// How the target ended, if it has.
    pub fn exited(&mut self) -> Option<String> {
        self.listen();
        self.exited.clone()
    }

    /// How the target ended, if nothing of it is left. A look at /proc would not tell: while a server becomes a daemon,
    /// each of its processes may be missed.
    pub fn is_over(&mut self) -> Option<String> {
        self.listen();
        self.exited.clone().filter(|_| self.alone)
    }

    /// Whether somebody killed the supervisor, so that nothing owns the processes below it.
    pub fn is_lost(&mut self) -> bool {
        self.listen();
        self.lost
    }

    fn listen(&mut self) {
        loop {
            match self.events.try_recv() {
                Ok(line) => self.note(&line),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.lost = !self.ended;
                    return;
                }
            }
        }
    }

    /// The same, and waits for it to be told.
    pub fn wait_exited(&mut self, limit: Duration) -> Option<String> {
        let deadline = Instant::now() + limit;
        while self.exited.is_none() {
            match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => self.note(&line),
                Err(_) => break,
            }
        }
        self.exited.clone()
    }

    fn note(&mut self, line: &str) {
        if let Some(how) = line.strip_prefix("exited ") {
            self.exited = Some(how.to_owned());
        }
        self.alone |= line == "alone";
        self.ended |= line == "ended" || line.starts_with("failed ");
    }

    /// What the target printed so far, as far as it is kept.
    pub fn printed(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// The last lines that the target printed, for a reason; empty if it printed nothing.
    pub fn last_words(&self) -> String {
        const LINES: usize = 3;
        const WIDTH: usize = 200;
        let text = self.printed();
        let lines: Vec<String> = text
            .lines()
            .rev()
            .filter(|line| !line.trim().is_empty())
            .take(LINES)
            .map(|line| line.trim().chars().filter(|c| !c.is_control()).take(WIDTH).collect())
            .collect();
        if lines.is_empty() {
            return String::new();
        }
        format!("; it printed: {}", lines.into_iter().rev().collect::<Vec<_>>().join(" / "))
    }

    /// Gives the order and waits until nothing of the target is left.
    ///
    /// # Errors
    /// In words, when something would not end, or the supervisor was killed.
    pub fn end(&mut self) -> Result<(), String> {
        drop(self.order.take());
        let deadline = Instant::now() + TERM_GRACE + Duration::from_secs(5);
        while !self.ended {
            match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => self.note(&line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("something of it would not end (supervisor {})", self.child.id()));
                }
            }
        }
        let waited = self.child.wait();
        live().remove(&self.pid());
        waited.map_err(|error| format!("its supervisor cannot be waited for: {error}"))?;
        if self.ended {
            return Ok(());
        }
        self.lost = true;
        end_left_behind(self.start)?;
        Err(SUPERVISOR_KILLED.to_owned())
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if self.order.is_some() {
            let _ = self.end();
        }
    }
}

/// Ends what a killed supervisor left behind. This process is the next subreaper above it, so that all of it hangs
/// below this process's children: those in a session of their own (a load tool and cargo are in ours) that are no
/// living supervisor and no older than the dead one.
fn end_left_behind(not_before: u64) -> Result<(), String> {
    let deadline = Instant::now() + Duration::from_secs(5);
    let (own, session) = (getpid(), getsid(None).map_or(0, Pid::as_raw));
    loop {
        let others = live().clone();
        let left: Vec<i32> = all_processes()
            .map(|all| all.flatten().filter_map(|process| process.stat().ok()).collect::<Vec<_>>())
            .unwrap_or_default()
            .into_iter()
            .filter(|stat| stat.ppid == own.as_raw() && stat.session != session && stat.starttime >= not_before)
            .map(|stat| stat.pid)
            .filter(|pid| !others.contains(pid))
            .collect();
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            return Err(format!("its supervisor was killed by somebody else, and pid {} would not end", left[0]));
        }
        for pid in left {
            // A child of ours that was not waited for: its pid cannot have been used anew.
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            let _ = waitpid(Pid::from_raw(pid), Some(WaitPidFlag::WNOHANG));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
