//! A target that runs: started under its supervisor, ready when it gives the agreed response from a socket of its
//! own, and ended with all that it started.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use nix::sys::signal::Signal;
use nix::time::{ClockId, clock_gettime};
use procfs::process::LimitValue;

use super::cgroup::Group;
use super::containers::Containers;
use super::docker::{self, Container};
use super::listeners::{listeners, listeners_in};
use super::memory::{self, Resident};
use super::owned::{Owned, SUPERVISOR_KILLED};
use super::sched::Threads;
use super::tree::{self, Process};
use super::{cpu::TreeCpu, ports};
use crate::check::{self, Dialect};
use crate::interrupt::{self, Interrupted};
use crate::targets::Target;

/// How often a starting server is asked whether it answers.
const ASK_EVERY: Duration = Duration::from_millis(1);

/// A target that runs and has given the agreed response.
#[derive(Debug)]
pub struct Server {
    supervisor: Owned,
    /// Below this process is everything of it: its supervisor, or the first process of its container.
    root: i32,
    container: Option<Contained>,
    /// The process that was started, unless it left the serving to others and ended.
    main: Option<Process>,
    /// Who held the listening socket when it was ready.
    listening: Vec<Process>,
    address: SocketAddr,
    start_up: Duration,
}

/// What there is more of a server in a container.
#[derive(Debug)]
struct Contained {
    container: Container,
    cgroup: Option<Group>,
    /// The processes that carry its connections through the bridge.
    proxies: Vec<i32>,
}

/// Why a target could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Somebody else listens on its port.
    #[error("port {port} is in use by {holder}")]
    PortTaken {
        /// The port.
        port: u16,
        /// Who holds it.
        holder: String,
    },
    /// It did not run, or not long enough to answer.
    #[error("{0}")]
    Failed(String),
    /// The user wants this to end.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// How to start a target.
#[derive(Debug, Clone)]
pub struct StartOptions<'a> {
    /// The harness's own program, which becomes the supervisor.
    pub program: &'a Path,
    /// How many workers the user chose.
    pub workers: Option<usize>,
    /// Where what it prints is kept.
    pub log: &'a Path,
    /// Bytes that are added to its environment, which moves its stack: memory layout is noise then, and not bias
    /// (Mytkowicz et al., "Producing wrong data without doing anything obviously wrong!", ASPLOS 2009).
    pub environment_padding: usize,
    /// How it is put into a container, if it is.
    pub containers: Option<&'a Containers>,
}

impl Server {
    /// Starts `target` and waits until it is ready.
    ///
    /// # Errors
    /// When its port is taken, it cannot be run, ends, or does not give the agreed response within its deadline.
    pub fn start(target: &Target, options: &StartOptions) -> Result<Self, StartError> {
        let address = target.address();
        prove_free(address)?;
        let (mut supervisor, container) = spawn(target, options).map_err(StartError::Failed)?;
        let (main, began) = supervisor.started().map_err(StartError::Failed)?;
        let root = supervisor.pid();
        let limit = Duration::from_secs(target.description.start_deadline_s);
        let mut last = String::from("nothing answers");
        let ready = interrupt::wait_for(limit, ASK_EVERY, || {
            if supervisor.is_lost() {
                return Some(Err(SUPERVISOR_KILLED.to_owned()));
            }
            if let Some(how) = supervisor.is_over() {
                let before = if last == "nothing answers" { String::new() } else { format!(" ({last})") };
                let how = if container.is_some() { docker::how_ended(&how) } else { how };
                return Some(Err(format!("it ended {how} before it answered{before}{}", supervisor.last_words())));
            }
            let asked = match check::agreed(check::Peer::of(target), Dialect::Http11, true) {
                Ok(_) => {
                    let answered = (monotonic(), Timestamp::now());
                    // While its processes fork and leave, /proc may not show who belongs to whom: asked again.
                    match &container {
                        None => listeners(root, address)
                            .map(|listening| (listening, answered.0.saturating_sub(began), None)),
                        Some(container) => {
                            container.state().ok_or_else(|| "its container does not run".to_owned()).and_then(|state| {
                                let start_up = answered.1.duration_since(state.started).unsigned_abs();
                                Ok((listeners_in(state.pid, address)?, start_up, Some(state.pid)))
                            })
                        }
                    }
                }
                Err(why) => Err(why),
            };
            asked.map_err(|why| last = why).ok().map(Ok)
        })?;
        let (listening, start_up, first) = match ready {
            Some(Ok(found)) => found,
            Some(Err(why)) => return Err(StartError::Failed(why)),
            None => {
                let elsewhere = listeners(root, address).err();
                let why = elsewhere.unwrap_or(last);
                let words = supervisor.last_words();
                return Err(StartError::Failed(format!("no agreed response within {limit:?}: {why}{words}")));
            }
        };
        let container = container.map(|container| Contained {
            container,
            cgroup: first.and_then(|pid| Group::of(&pid.to_string())),
            proxies: docker::proxies(address.port()),
        });
        let main = tree::process(first.unwrap_or(main));
        Ok(Self { supervisor, root: first.unwrap_or(root), container, main, listening, address, start_up })
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// From the start of its process to its first right answer.
    pub fn start_up(&self) -> Duration {
        self.start_up
    }

    /// The pid of the process that serves, or of one of them.
    pub fn pid(&self) -> i32 {
        self.main.or_else(|| self.listening.first().copied()).map_or(0, |process| process.pid)
    }

    /// What its process tree has used so far: in a container what the cgroup has, and what was used to carry its
    /// connections there.
    pub fn cpu(&self) -> TreeCpu {
        match &self.container {
            Some(Contained { cgroup: Some(cgroup), proxies, .. }) => cgroup.cpu().unwrap_or_default().with(proxies),
            Some(Contained { proxies, .. }) => TreeCpu::below(self.root).with(proxies),
            None => TreeCpu::below(self.root),
        }
    }

    /// The part of that which was used to carry its connections through a bridge; `None` if there is none.
    pub fn carrying(&self) -> Option<TreeCpu> {
        let proxies = &self.container.as_ref()?.proxies;
        (!proxies.is_empty()).then(|| TreeCpu::default().with(proxies))
    }

    /// How long it was held back by the quota of its cgroup so far: in a container its own, else the harness's.
    pub fn throttled(&self) -> Option<Duration> {
        match &self.container {
            Some(contained) => contained.cgroup.as_ref()?.throttled(),
            None => Group::of("self")?.throttled(),
        }
    }

    /// What the scheduler has counted of its threads so far.
    pub fn scheduled(&self) -> Threads {
        Threads::below(self.root)
    }

    /// Resident memory of its process tree, now and at its highest.
    pub fn resident(&self) -> Resident {
        let resident = Resident::below(self.root);
        Resident { now: self.resident_in_cgroup().unwrap_or(resident.now), ..resident }
    }

    fn resident_in_cgroup(&self) -> Option<u64> {
        self.container.as_ref()?.cgroup.as_ref()?.resident_bytes()
    }

    /// Has the kernel forget the highest so far; whether it did.
    pub fn reset_peak(&self) -> bool {
        memory::reset_peak(self.root)
    }

    /// How many more files the processes that listen may open; `None` if that is not told, or has no bound.
    pub fn file_room(&self) -> Option<u64> {
        let room = |process: &Process| {
            let process = procfs::process::Process::new(process.pid).ok()?;
            let LimitValue::Value(most) = process.limits().ok()?.max_open_files.soft_limit else { return None };
            Some(most.saturating_sub(process.fd_count().ok()? as u64))
        };
        self.listening.iter().map(room).sum()
    }

    /// What it printed so far, as far as it is kept.
    pub fn printed(&self) -> String {
        self.supervisor.printed()
    }

    /// Resident memory of its process tree, in bytes; shared pages count for each process that has them.
    pub fn resident_bytes(&self) -> u64 {
        if let Some(bytes) = self.resident_in_cgroup() {
            return bytes;
        }
        self.sum(|process| process.statm().ok().map(|statm| statm.resident * procfs::page_size()))
    }

    /// Address space of its process tree, in bytes.
    pub fn virtual_bytes(&self) -> u64 {
        self.sum(|process| process.statm().ok().map(|statm| statm.size * procfs::page_size()))
    }

    /// Whether one of its processes ignores SIGCHLD: the kernel then reaps its children by itself, and what they used is
    /// in no sum (wait(2), notes).
    pub fn ignores_its_children(&self) -> bool {
        if self.container.is_some() {
            // A cgroup counts them all the same.
            return false;
        }
        let sigchld = 1_u64 << (Signal::SIGCHLD as u32 - 1);
        let ignored = |pid| procfs::process::Process::new(pid).ok()?.status().ok().map(|status| status.sigign);
        tree::descendants(self.root)
            .iter()
            .filter_map(|process| ignored(process.pid))
            .any(|ignored| ignored & sigchld != 0)
    }

    /// Threads of its process tree.
    pub fn threads(&self) -> u64 {
        self.sum(|process| process.stat().ok().and_then(|stat| u64::try_from(stat.num_threads).ok()))
    }

    fn sum(&self, of: impl Fn(&procfs::process::Process) -> Option<u64>) -> u64 {
        let tree = tree::descendants(self.root);
        tree.iter().filter_map(|process| of(&procfs::process::Process::new(process.pid).ok()?)).sum()
    }

    /// That it is still the process that was started, and that its port is still its own.
    ///
    /// # Errors
    /// In words, with how it ended and the last that it printed.
    pub fn still_itself(&mut self) -> Result<(), String> {
        if self.supervisor.is_lost() {
            return Err(SUPERVISOR_KILLED.to_owned());
        }
        if self.main.is_some_and(|main| tree::process(main.pid) != Some(main)) {
            // Of a container's end the daemon tells, which takes a moment.
            let wait = Duration::from_millis(if self.container.is_some() { 3000 } else { 1000 });
            let how = self.supervisor.wait_exited(wait).unwrap_or_else(|| "in an unknown way".into());
            let how = if self.container.is_some() { docker::how_ended(&how) } else { how };
            return Err(format!("it ended {how}{}", self.supervisor.last_words()));
        }
        let listening = if self.container.is_some() {
            listeners_in(self.root, self.address)
        } else {
            listeners(self.root, self.address)
        };
        if listening.as_ref().is_ok_and(|now| self.listening.iter().any(|process| now.contains(process))) {
            return Ok(());
        }
        let pids = |processes: &[Process]| {
            processes.iter().map(|process| process.pid.to_string()).collect::<Vec<_>>().join(" and ")
        };
        let before = if self.listening.iter().any(|process| tree::process(process.pid) == Some(*process)) {
            format!("it closed its port {}", self.address.port())
        } else {
            format!("the process that listened (pid {}) ended", pids(&self.listening))
        };
        let now = listening.map_or_else(|why| why, |now| format!("pid {} listens now", pids(&now)));
        Err(format!("{before}, and {now}{}", self.supervisor.last_words()))
    }

    /// Ends it with all that it started, and proves that its port is free again.
    ///
    /// # Errors
    /// In words, when something is left.
    pub fn stop(mut self) -> Result<(), String> {
        let ended = self.supervisor.end();
        if let Some(contained) = &mut self.container {
            // It is gone by now, unless what owned it was killed.
            contained.container.remove()?;
        }
        ended?;
        ports::prove_free(self.address).map_err(|error| {
            let holder = ports::holder(self.address.port()).map_or(String::new(), |who| format!(", held by {who}"));
            format!("after its end, {} is not free: {error}{holder}", self.address)
        })
    }
}

fn prove_free(address: SocketAddr) -> Result<(), StartError> {
    ports::prove_free(address).map_err(|error| match ports::holder(address.port()) {
        Some(holder) => StartError::PortTaken { port: address.port(), holder: holder.to_string() },
        None => StartError::Failed(format!("it cannot listen on {address}: {error}")),
    })
}

fn monotonic() -> Duration {
    clock_gettime(ClockId::CLOCK_MONOTONIC).map(Duration::from).unwrap_or_default()
}

fn spawn(target: &Target, options: &StartOptions) -> Result<(Owned, Option<Container>), String> {
    if let Some(containers) = options.containers {
        let name = Containers::name_of(target);
        let launch = containers.line(target, &name, options.workers, options.environment_padding)?;
        let own = [&options.program.display().to_string(), "contain", "--name", &name, "--"].map(String::from);
        let line: Vec<String> = own.into_iter().chain(launch).collect();
        let owned = Owned::spawn(options.program, &line, options.log, |_| {})?;
        return Ok((owned, Some(Container::named(name))));
    }
    let line = target.command(options.workers);
    let owned = Owned::spawn(options.program, &line, options.log, |command| {
        command.env("HELLO_BENCH_PADDING", "x".repeat(options.environment_padding));
        // A server's own flags say all; the caller's environment must not say otherwise.
        for variable in ["HOST", "PORT", "WORKERS"] {
            command.env_remove(variable);
        }
        command.envs(target.environment(options.workers));
        if let Some(folder) = target.source.folder() {
            command.current_dir(folder);
        }
    })?;
    Ok((owned, None))
}
