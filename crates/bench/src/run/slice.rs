//! One slice: start the target alone, check it, warm it up, drive it, read what the tool says, check again, stop it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::check::{self, Dialect, Peer};
use crate::interrupt::Interrupted;
use crate::load::{Extent, Job, LoadTool, Manner, SideFile};
use crate::machine::Root;
use crate::plan::Step;
use crate::process::server::StartOptions;
use crate::process::tool::{self, ToolError};
use crate::process::{Server, StartError, own_program};
use crate::results::{Conditions, Failed, Measurement, Outcome, Stage, WarmUp};
use crate::run::Request;
use crate::run::patterns::{self, Traces};
use crate::run::room::{self, Place};
use crate::run::sample::Before;
use crate::run::tracking::Tracked;
use crate::run::warm_up;
use crate::targets::Target;

/// How much longer than asked a load tool may take before it is ended, beside one answer's time-out.
const TOOL_MARGIN: Duration = Duration::from_secs(10);

/// A fixed number of requests has no time to it; this bounds it.
const REQUESTS_LIMIT: Duration = Duration::from_mins(5);

/// How long an idle server is looked at.
const IDLE_LOOK: Duration = Duration::from_millis(100);

/// A slice that was tried.
pub struct Tried {
    /// The load tool's command line; empty if it did not come so far.
    pub command: Vec<String>,
    /// What came of it.
    pub outcome: Outcome,
}

/// Measures one step of the plan; what the programs print goes into files that begin with `raw`.
///
/// # Errors
/// Only when the user interrupts it; everything else is an outcome.
pub fn measure(target: &Target, step: &Step, request: &Request, raw: &Path) -> Result<Tried, Interrupted> {
    let log = with_ending(raw, "server.txt");
    let start = StartOptions {
        program: own_program(),
        workers: request.workers_at(step.cell.setting),
        log: &log,
        environment_padding: step.environment_padding,
        containers: request.containers.as_ref(),
    };
    let place = room::place(target)?;
    let mut server = match Server::start(&place.target, &start) {
        Ok(server) => server,
        Err(StartError::Interrupted(interrupted)) => return Err(interrupted),
        Err(error) => return Ok(failed(Vec::new(), Stage::Start, error.to_string())),
    };
    let job = request.job(place.target.url(), &step.cell);
    let mut slice = Slice { place, job, request, raw, command: Vec::new() };
    let outcome = match slice.drive(&mut server) {
        Ok(measurement) => Ok(Outcome::Valid(Box::new(measurement))),
        Err(Stopped::Failed(failed)) => Ok(Outcome::Failed(failed)),
        Err(Stopped::Interrupted(interrupted)) => Err(interrupted),
    };
    let stopped = server.stop();
    if crate::interrupt::asked() {
        // Whatever went wrong then is no fault of the target.
        return Err(Interrupted);
    }
    let outcome = match (outcome?, stopped) {
        (Outcome::Valid(_), Err(reason)) => Outcome::Failed(Failed { stage: Stage::After, reason, seen: None }),
        (outcome, _) => outcome,
    };
    if matches!(outcome, Outcome::Valid(_)) {
        // What a server prints in a good slice is of no use; a failed one keeps it.
        let _ = std::fs::remove_file(&log);
    }
    Ok(Tried { command: slice.command, outcome })
}

fn failed(command: Vec<String>, stage: Stage, reason: String) -> Tried {
    Tried { command, outcome: Outcome::Failed(Failed { stage, reason, seen: None }) }
}

/// A file's text; nothing if it is not there.
fn read_text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    stem.with_file_name(name)
}

/// What the server uses while nothing asks it anything, as a share of one core.
fn idle_cores(server: &Server) -> Option<f64> {
    // The end of the warm-up's connection is work too; it has come to rest then.
    std::thread::sleep(IDLE_LOOK / 4);
    let (began, before) = (Instant::now(), server.cpu());
    std::thread::sleep(IDLE_LOOK);
    let used = server.cpu().since(&before).total.as_secs_f64();
    Some(used / began.elapsed().as_secs_f64()).filter(|share| share.is_finite())
}

/// Why a slice has no figures.
pub(crate) enum Stopped {
    Failed(Failed),
    Interrupted(Interrupted),
}

impl From<Interrupted> for Stopped {
    fn from(interrupted: Interrupted) -> Self {
        Self::Interrupted(interrupted)
    }
}

pub(super) fn at(stage: Stage) -> impl Fn(String) -> Stopped {
    move |reason| Stopped::Failed(Failed { stage, reason, seen: None })
}

pub(super) struct Slice<'a> {
    pub(super) place: Place<'a>,
    pub(super) job: Job,
    pub(super) request: &'a Request,
    pub(super) raw: &'a Path,
    command: Vec<String>,
}

impl Slice<'_> {
    fn drive(&mut self, server: &mut Server) -> Result<Measurement, Stopped> {
        let (answer, warm_up) = self.make_ready(server)?;
        let idle_cores = idle_cores(server);
        let line = self.command_line().map_err(at(Stage::Load))?;
        if let SideFile::Reads(text) = self.request.tool.side_file() {
            let write = std::fs::write(self.side_file(), text);
            write.map_err(|error| at(Stage::Load)(format!("{}: {error}", self.side_file().display())))?;
        }
        self.command = line.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let (stdout, stderr) = (with_ending(self.raw, "stdout.txt"), with_ending(self.raw, "stderr.txt"));

        let file_room = server.file_room();
        let before = Before::read(server);
        let ran = match tool::run(&line, &stdout, &stderr, self.time_limit()) {
            Ok(ran) => ran,
            Err(ToolError::Interrupted(interrupted)) => return Err(interrupted.into()),
            Err(error) => return Err(at(Stage::Load)(error.to_string())),
        };
        let kept = self.job.manner.shape().keeps().then_some(self.job.connections);
        let mut passed = before.passed(server, &ran, kept);
        passed.conditions.time_wait = self.place.time_wait;
        passed.conditions.port_room = self.place.room;
        passed.conditions.tool_threads = Some(self.request.tool.threads(self.job.threads));

        let judged = self.judge(server, &ran, (&stdout, &stderr), answer);
        let report = match &judged {
            Ok(report) => Some(report),
            Err(Stopped::Failed(failed)) => failed.seen.as_deref(),
            Err(Stopped::Interrupted(_)) => None,
        };
        passed.conditions.little = report.and_then(|report| report.busy_share(self.job.connections));
        let printed = [server.printed(), read_text(&stderr)];
        let mut causes = patterns::named(&Traces {
            shape: self.job.manner.shape(),
            connections: self.job.connections,
            report,
            busy: (passed.cpu.total + ran.cpu).as_secs_f64() / ran.wall.as_secs_f64(),
            opened: passed.opened,
            file_room,
            tracked: Tracked::look(&Root::system()),
            printed: [&printed[0], &printed[1]],
            conditions: &passed.conditions,
        });
        causes.extend(self.place.said.clone());
        match judged {
            Ok(report) => self.measurement(server, &ran, (passed, idle_cores, warm_up), report, answer.bytes, causes),
            Err(Stopped::Failed(failed)) => {
                let reason = std::iter::once(failed.reason).chain(causes).collect::<Vec<_>>().join("; ");
                Err(Stopped::Failed(Failed { reason, ..failed }))
            }
            Err(interrupted) => Err(interrupted),
        }
    }

    /// Checks the target and warms it up. What keeps it from that may have a known cause, which is no fault of its own.
    fn make_ready(&self, server: &Server) -> Result<(check::Answer, Option<WarmUp>), Stopped> {
        let file_room = server.file_room();
        let (peer, dialect) = (Peer::of(&self.place.target), self.request.tool.dialect());
        let description = &self.place.target.description;
        let (connections, requests) = (self.job.connections, description.warm_up_requests);
        let keep = self.job.manner.shape().keeps();
        let ask = || check::warm_up(peer, dialect, keep, connections, requests);
        let steady = |most| warm_up::until_steady(server, Duration::from_secs(most), ask);
        let ready = self.check().map_err(at(Stage::Before)).and_then(|answer| {
            ask().map_err(at(Stage::Before))?;
            Ok((answer, description.warm_up_until_steady_s.map(steady).transpose()?))
        });
        ready.map_err(|stopped| {
            let Stopped::Failed(failed) = stopped else { return stopped };
            let mut causes = patterns::named(&Traces {
                shape: self.job.manner.shape(),
                connections,
                report: None,
                busy: 0.0,
                opened: None,
                file_room,
                tracked: Tracked::look(&Root::system()),
                printed: [&server.printed(), &failed.reason],
                conditions: &Conditions { port_room: self.place.room, ..Conditions::default() },
            });
            causes.extend(self.place.said.clone());
            let reason = std::iter::once(failed.reason).chain(causes).collect::<Vec<_>>().join("; ");
            Stopped::Failed(Failed { reason, ..failed })
        })
    }

    /// Is it the agreed response, asked for in the manner of the slice?
    pub(super) fn check(&self) -> Result<check::Answer, String> {
        match self.job.manner {
            Manner::Pipelined { depth } => check::pipelined(Peer::of(&self.place.target), depth),
            manner => check::agreed(Peer::of(&self.place.target), self.request.tool.dialect(), manner.shape().keeps()),
        }
    }

    fn command_line(&self) -> Result<Vec<OsString>, String> {
        let mut line = vec![OsString::from(self.request.tool.name())];
        line.extend(self.request.tool.command(&self.job, &self.side_file())?);
        Ok(line)
    }

    pub(super) fn side_file(&self) -> PathBuf {
        with_ending(self.raw, "side.txt")
    }

    pub(super) fn time_limit(&self) -> Duration {
        let asked = match self.job.extent {
            Extent::Time(time) => time,
            Extent::Requests(_) => REQUESTS_LIMIT,
        };
        asked + check::TIMEOUT + TOOL_MARGIN
    }
}

/// The HTTP version that a tool speaks is the one that a server is checked in.
pub trait Speaks {
    /// As ab or as the others.
    fn dialect(&self) -> Dialect;
}

impl<T: LoadTool + ?Sized> Speaks for T {
    fn dialect(&self) -> Dialect {
        if self.name() == "ab" { Dialect::Http10 } else { Dialect::Http11 }
    }
}
