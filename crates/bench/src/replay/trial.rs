//! One trial: start the target alone, check it, warm it up, drive it as was published, read what the tool says, check
//! again, stop it.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::record::{Footprint, Found, Outcome, Part};
use super::said::Said;
use super::stack;
use crate::check::{self, Client, Dialect, Peer};
use crate::interrupt::{self, Interrupted};
use crate::load::{self, Extent, Job, LoadTool, Manner, Report, SideFile};
use crate::process::server::StartOptions;
use crate::process::tool::{self, Ran, ToolError};
use crate::process::{Server, StartError, own_program};
use crate::results::{Failed, Limit, Seen, Stage, WarmUp};
use crate::run::room;
use crate::run::sample::{Before, Passed};
use crate::run::slice::{self, Speaks};
use crate::run::warm_up;
use crate::targets::Target;

/// How long one answer may take: what ab waits (`-s`), as the published runs did.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How long a number of requests may take before the load tool is ended.
const LONGEST: Duration = Duration::from_mins(3);

/// How much longer than its time the load tool may take, where it was given one.
const MARGIN: Duration = Duration::from_secs(40);

/// Memory is looked at while so many connections are open: as many as the published pool had threads.
pub const HELD: u32 = 10;

/// What serves before memory is looked at, and proves that it can with such stacks: requests, and connections at once.
const LOAD_FOR_MEMORY: (u64, u32) = (1000, 25);

/// What is tried.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// Of whom.
    pub target: &'a Target,
    /// What.
    pub part: Part,
    /// With how many workers, if not its own default.
    pub workers: Option<usize>,
    /// Bytes that are added to its environment.
    pub padding: usize,
    /// The load tool for connections that ask again and again.
    pub closed_loop: &'static dyn LoadTool,
}

/// What was tried.
pub struct Tried {
    /// The load tool's command line; empty if it did not come so far.
    pub command: Vec<String>,
    /// What came of it.
    pub outcome: Outcome,
}

/// Makes one trial; what the programs print goes into files that begin with `raw`.
///
/// # Errors
/// Only when the user interrupts it; everything else is an outcome.
pub fn trial(ask: &Ask, raw: &Path) -> Result<Tried, Interrupted> {
    let failed = |stage, reason| Tried { command: Vec::new(), outcome: failed_at(stage, reason) };
    let target = match ask.part {
        Part::Stack { kib: Some(kib) } => match stack::with_stack(ask.target, ask.workers, kib) {
            Ok(target) => target,
            Err(why) => return Ok(failed(Stage::Start, why)),
        },
        _ => ask.target.clone(),
    };
    let log = with_ending(raw, "server.txt");
    let start = StartOptions {
        containers: None,
        program: own_program(),
        workers: ask.workers,
        log: &log,
        environment_padding: ask.padding,
    };
    let place = room::place(&target)?;
    let mut server = match Server::start(&place.target, &start) {
        Ok(server) => server,
        Err(StartError::Interrupted(interrupted)) => return Err(interrupted),
        Err(error) => return Ok(failed(Stage::Start, error.to_string())),
    };
    let peer = Peer::of(&place.target);
    let mut drive =
        Drive { address: place.target.address(), peer, ask, target: &place.target, raw, command: Vec::new() };
    let outcome = drive.drive(&mut server).map_err(|stopped| of_its_stack(stopped, ask.part, &server.printed()));
    let stopped = server.stop();
    if interrupt::asked() {
        return Err(Interrupted);
    }
    let outcome = match (outcome, stopped) {
        (Err(Stopped::Interrupted), _) => return Err(Interrupted),
        (Err(Stopped::Failed(stage, reason)), _) => failed_at(stage, reason),
        (Ok(_), Err(reason)) => failed_at(Stage::After, reason),
        (Ok(found), Ok(())) => Outcome::Valid(Box::new(found)),
    };
    if matches!(outcome, Outcome::Valid(_)) {
        // What a server prints in a good trial is of no use; a failed one keeps it.
        let _ = std::fs::remove_file(&log);
    }
    Ok(Tried { command: drive.command, outcome })
}

/// A stack that is too small shows in what the server says of it, though its process may live on: a coroutine that
/// overflows ends alone, and only its connection is reset.
fn of_its_stack(stopped: Stopped, part: Part, printed: &str) -> Stopped {
    match (stopped, part, printed.lines().rev().find(|line| line.contains("stack"))) {
        (Stopped::Failed(stage, reason), Part::Stack { .. }, Some(words)) if !reason.contains(words.trim()) => {
            Stopped::Failed(stage, format!("{reason}; it said: {}", words.trim()))
        }
        (stopped, _, _) => stopped,
    }
}

/// No figures, and why.
pub fn failed_at(stage: Stage, reason: String) -> Outcome {
    Outcome::Failed(Failed { stage, reason, seen: None })
}

fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    stem.with_file_name(name)
}

enum Stopped {
    Failed(Stage, String),
    Interrupted,
}

impl From<Interrupted> for Stopped {
    fn from(_: Interrupted) -> Self {
        Self::Interrupted
    }
}

fn at(stage: Stage) -> impl Fn(String) -> Stopped {
    move |reason| Stopped::Failed(stage, reason)
}

/// How a target is asked in a trial.
struct How {
    tool: &'static dyn LoadTool,
    keep: bool,
    connections: u32,
    /// How many requests there are, if that is fixed.
    due: Option<u64>,
    /// For how long it is asked, if that is fixed.
    time: Duration,
    manner: Manner,
}

impl How {
    /// How long the load tool may take before it is ended.
    fn limit(&self) -> Duration {
        if self.time.is_zero() { LONGEST } else { self.time + MARGIN }
    }
}

struct Drive<'a> {
    ask: &'a Ask<'a>,
    target: &'a Target,
    address: SocketAddr,
    peer: Peer,
    raw: &'a Path,
    command: Vec<String>,
}

impl Drive<'_> {
    fn drive(&mut self, server: &mut Server) -> Result<Found, Stopped> {
        let how = self.how();
        let dialect = how.tool.dialect();
        let answer = check::agreed(self.peer, dialect, how.keep).map_err(at(Stage::Before))?;
        let warm_up = self.warm_up(server, &how)?;
        let line = self.line(&how).map_err(at(Stage::Load))?;
        if let SideFile::Reads(text) = how.tool.side_file() {
            let write = std::fs::write(self.side_file(), text);
            write.map_err(|error| at(Stage::Load)(format!("{}: {error}", self.side_file().display())))?;
        }
        self.command = line.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let (stdout, stderr) = (with_ending(self.raw, "stdout.txt"), with_ending(self.raw, "stderr.txt"));

        let before = Before::read(server);
        let ran = match tool::run(&line, &stdout, &stderr, how.limit()) {
            Ok(ran) => ran,
            Err(ToolError::Interrupted(_)) => return Err(Stopped::Interrupted),
            Err(error) => return Err(at(Stage::Load)(error.to_string())),
        };
        let mut passed = before.passed(server, &ran, None);
        passed.conditions.tool_threads = Some(how.tool.threads(1));

        // The server first: if it died, what the tool says of that is less to the point.
        server.still_itself().map_err(at(Stage::Load))?;
        if ran.too_long {
            let why = format!("{} did not end within {:?} and was ended", how.tool.name(), how.limit());
            return Err(at(Stage::Load)(why));
        }
        let said = Said::read(&stdout, &stderr, how.tool, &self.side_file()).map_err(at(Stage::Load))?;
        let report = said.report(how.tool, ran.exit).map_err(at(Stage::Load))?;
        let (requests, duration_s) = self.plausible(&how, &report, answer.bytes).map_err(at(Stage::Load))?;
        let memory = match self.ask.part {
            Part::Stack { .. } => Some(self.footprint(server).map_err(at(Stage::After))?),
            _ => None,
        };
        check::agreed(self.peer, dialect, how.keep).map_err(at(Stage::After))?;
        server.still_itself().map_err(at(Stage::After))?;
        Ok(Found {
            requests,
            duration_s,
            rps: requests as f64 / duration_s,
            mean_ms: report.latency_us.mean.map(|us| us / 1e3),
            cost_us: passed.cpu.total.as_secs_f64() * 1e6 / requests as f64,
            received_bytes: report.bytes,
            response_bytes: answer.bytes,
            start_up_s: server.start_up().as_secs_f64(),
            limit: limit(&how, &ran, &passed),
            percentiles_ms: said.percentiles(self.ask.part, requests).map_err(at(Stage::Load))?,
            replies: said.replies(self.ask.part).map_err(at(Stage::Load))?,
            memory,
            warm_up,
            warnings: report.warnings,
        })
    }

    /// On a connection at a time: a backlog of 5 or a pool of 10 is what the load is to meet, and not the warm-up. What
    /// compiles while it runs is then asked until its cost is steady, in the manner of the load: else what opens and closes
    /// connections would still be interpreted.
    fn warm_up(&self, server: &Server, how: &How) -> Result<Option<WarmUp>, Stopped> {
        let description = &self.target.description;
        let requests = description.warm_up_requests;
        check::warm_up(self.peer, Dialect::Http11, false, 1, requests).map_err(at(Stage::Before))?;
        let Some(most) = description.warm_up_until_steady_s else { return Ok(None) };
        let ask = || check::warm_up(self.peer, how.tool.dialect(), how.keep, 1, requests);
        match warm_up::until_steady(server, Duration::from_secs(most), ask) {
            Ok(warm_up) => Ok(Some(warm_up)),
            Err(slice::Stopped::Failed(failed)) => Err(Stopped::Failed(failed.stage, failed.reason)),
            Err(slice::Stopped::Interrupted(interrupted)) => Err(interrupted.into()),
        }
    }

    fn how(&self) -> How {
        let ab = |requests: u64, connections, keep| How {
            tool: named("ab"),
            keep,
            connections,
            due: Some(requests),
            time: Duration::ZERO,
            manner: if keep { Manner::KeepAlive } else { Manner::Close },
        };
        match self.ask.part {
            Part::Look { requests, connections } => ab(requests, connections, false),
            Part::Requests { requests, connections, keep } => ab(requests, connections, keep),
            Part::Stack { .. } => ab(LOAD_FOR_MEMORY.0, LOAD_FOR_MEMORY.1, false),
            Part::Rate { per_s, connections } => How {
                tool: named("httperf"),
                keep: false,
                connections: 1,
                due: Some(connections.into()),
                time: Duration::from_secs_f64(f64::from(connections) / f64::from(per_s)),
                manner: Manner::Close,
            },
            Part::Users { users, seconds } => How {
                tool: self.ask.closed_loop,
                keep: true,
                connections: users,
                due: None,
                time: Duration::from_secs(seconds.into()),
                manner: Manner::KeepAlive,
            },
        }
    }

    fn line(&self, how: &How) -> Result<Vec<OsString>, String> {
        let url = format!("http://{}/", self.address);
        let mut line = vec![OsString::from(how.tool.name())];
        if let Part::Rate { per_s, connections } = self.ask.part {
            line.extend(load::httperf_at_a_rate(&url, per_s, connections, TIMEOUT)?);
            return Ok(line);
        }
        let job = Job {
            url,
            manner: how.manner,
            connections: how.connections,
            threads: 1,
            extent: how.due.map_or(Extent::Time(how.time), Extent::Requests),
            timeout: TIMEOUT,
        };
        line.extend(how.tool.command(&job, &self.side_file())?);
        Ok(line)
    }

    fn side_file(&self) -> PathBuf {
        with_ending(self.raw, "side.txt")
    }

    /// Good responses and over how many seconds, if they are as many as asked for, and of the bytes that were checked.
    fn plausible(&self, how: &How, report: &Report, bytes: u64) -> Result<(u64, f64), String> {
        let good = report.good_requests.filter(|good| *good > 0).zip(report.duration_s);
        let (requests, duration_s) = good.ok_or_else(|| format!("{} gives no count or no time", how.tool.name()))?;
        if let Some(due) = how.due.filter(|due| *due != requests) {
            return Err(format!("{requests} of {due} requests were answered well"));
        }
        if let Some(why) = report.stalled(how.connections).filter(|_| !matches!(self.ask.part, Part::Rate { .. })) {
            return Err(why);
        }
        let Some(received) = report.bytes else { return Ok((requests, duration_s)) };
        // A server may keep some connections and close others, and an answer that says so has another length.
        let other = check::agreed(self.peer, how.tool.dialect(), false).map_or(bytes, |answer| answer.bytes);
        let (least, most) = (bytes.min(other), bytes.max(other));
        if received < requests * least || received > (requests + u64::from(how.connections)) * most {
            let each = received as f64 / requests as f64;
            return Err(format!("{received} bytes came for {requests} responses, {each:.1} for each, not {bytes}"));
        }
        Ok((requests, duration_s))
    }

    /// Memory while connections are open to it that it has answered, each once.
    fn footprint(&self, server: &Server) -> Result<Footprint, String> {
        let mut held = Vec::new();
        for _ in 0..HELD {
            let mut client = Client::connect(self.address, check::TIMEOUT)?;
            client.send(check::request(Dialect::Http11, self.address, true).as_bytes())?;
            client.receive(false)?;
            held.push(client);
        }
        Ok(Footprint {
            virtual_bytes: server.virtual_bytes(),
            resident_bytes: server.resident_bytes(),
            threads: server.threads(),
            connections: HELD,
        })
    }
}

fn named(tool: &str) -> &'static dyn LoadTool {
    load::tool(tool).expect("it is one of the load tools")
}

fn limit(how: &How, ran: &Ran, passed: &Passed) -> Limit {
    let (wall_s, machine) = (ran.wall.as_secs_f64(), passed.machine);
    let (server_cpu_s, tool_cpu_s) = (passed.cpu.total.as_secs_f64(), ran.cpu.as_secs_f64());
    Limit::of(&Seen {
        wall_s,
        server_cpu_s,
        tool_cpu_s,
        tool_threads: how.tool.threads(1),
        tool_spins: how.tool.spins(),
        kept_rate: false,
        other_cpu_s: machine.map(|machine| (machine.busy.as_secs_f64() - server_cpu_s - tool_cpu_s).max(0.0)),
        steal_s: machine.map(|machine| machine.steal.as_secs_f64()),
        conditions: &passed.conditions,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(reason: &str, part: Part, printed: &str) -> String {
        match of_its_stack(Stopped::Failed(Stage::Load, reason.to_owned()), part, printed) {
            Stopped::Failed(_, reason) => reason,
            Stopped::Interrupted => panic!("it was not interrupted"),
        }
    }

    #[test]
    fn a_stack_that_is_too_small_is_named_by_what_the_server_said_of_it() {
        let printed = "http://127.0.0.1:8105/\n\ncoroutine has overflowed its stack\n";
        let small = Part::Stack { kib: Some(4) };
        let wanted = "the connection was reset; it said: coroutine has overflowed its stack";
        assert_eq!(said("the connection was reset", small, printed), wanted);
        // Once is enough.
        assert_eq!(said(wanted, small, printed), wanted);
        assert_eq!(said("the connection was reset", small, "http://127.0.0.1:8105/\n"), "the connection was reset");
        let users = Part::Users { users: 1, seconds: 1 };
        assert_eq!(said("the connection was reset", users, printed), "the connection was reset");
    }
}
