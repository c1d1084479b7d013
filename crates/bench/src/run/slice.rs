//! One slice: start the target alone, check it, warm it up, drive it, read what the tool says, check again, stop it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::check::{self, Answer, Dialect, Peer};
use crate::interrupt::Interrupted;
use crate::load::{Exit, Extent, Job, Latencies, Latency, LoadTool, Manner, Output, Report, SideFile, excused};
use crate::plan::Step;
use crate::process::server::StartOptions;
use crate::process::tool::{self, Ran, ToolError};
use crate::process::{Server, StartError, own_program};
use crate::results::{Conditions, Failed, FixedRate, Limit, Measurement, Outcome, Seen, Stage, WarmUp};
use crate::run::Request;
use crate::run::patterns::{self, Traces};
use crate::run::room::{self, Place};
use crate::run::sample::{Before, Passed};
use crate::run::warm_up;
use crate::targets::Target;

/// How much longer than asked a load tool may take before it is ended, beside one answer's time-out.
const TOOL_MARGIN: Duration = Duration::from_secs(10);

/// A fixed number of requests has no time to it; this bounds it.
const REQUESTS_LIMIT: Duration = Duration::from_mins(5);

/// A timed slice that is shorter or longer than asked by more than these factors is none.
const DURATION_RANGE: std::ops::RangeInclusive<f64> = 0.9..=2.0;

/// A fixed rate is answered if no more than this share of it is missing.
const KEPT_UP: f64 = 1.0 - crate::stats::knee::NEAR_BEST;

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

/// A server that ignores its children is not believed if so much CPU time beside its own, as a share of it, is nobody's.
const UNEXPLAINED: f64 = 0.2;

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

fn at(stage: Stage) -> impl Fn(String) -> Stopped {
    move |reason| Stopped::Failed(Failed { stage, reason, seen: None })
}

struct Slice<'a> {
    place: Place<'a>,
    job: Job,
    request: &'a Request,
    raw: &'a Path,
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
        let mut passed = before.passed(server, &ran);
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
                printed: [&server.printed(), &failed.reason],
                conditions: &Conditions { port_room: self.place.room, ..Conditions::default() },
            });
            causes.extend(self.place.said.clone());
            let reason = std::iter::once(failed.reason).chain(causes).collect::<Vec<_>>().join("; ");
            Stopped::Failed(Failed { reason, ..failed })
        })
    }

    /// What the tool says, if that and the server stand up to everything that is known of the slice.
    fn judge(
        &self,
        server: &mut Server,
        ran: &Ran,
        (stdout, stderr): (&Path, &Path),
        answer: Answer,
    ) -> Result<Report, Stopped> {
        // The server first: if it died, what the tool says of that is less to the point.
        server.still_itself().map_err(at(Stage::Load))?;
        if ran.too_long {
            return Err(at(Stage::Load)(format!(
                "{} did not end within {:?} and was ended",
                self.request.tool.name(),
                self.time_limit()
            )));
        }
        let report = self.read_report(stdout, stderr, ran.exit, answer)?;
        if let Some(reason) = report.stalled(self.job.connections) {
            let seen = Some(Box::new(report));
            return Err(Stopped::Failed(Failed { stage: Stage::Load, reason, seen }));
        }
        let (requests, duration_s) = self.counted(&report)?;
        self.is_plausible(&report, requests, duration_s, answer.bytes).map_err(at(Stage::Load))?;
        self.check().map_err(at(Stage::After))?;
        server.still_itself().map_err(at(Stage::After))?;
        Ok(report)
    }

    /// Good responses, and over how many seconds.
    fn counted(&self, report: &Report) -> Result<(u64, f64), Stopped> {
        let good = report.good_requests.filter(|good| *good > 0);
        good.zip(report.duration_s)
            .ok_or_else(|| at(Stage::Load)(format!("{} gives no count or no duration", self.request.tool.name())))
    }

    fn measurement(
        &self,
        server: &Server,
        ran: &Ran,
        (passed, idle_cores, warm_up): (Passed, Option<f64>, Option<WarmUp>),
        report: Report,
        response_bytes: u64,
        causes: Vec<String>,
    ) -> Result<Measurement, Stopped> {
        let (requests, duration_s) = self.counted(&report)?;
        let fixed_rate = self.fixed_rate(report.open_loop.clone()).map_err(at(Stage::Load))?;
        let Passed { cpu, machine, opened, conditions } = passed;
        let (server_cpu_s, tool_cpu_s) = (cpu.total.as_secs_f64(), ran.cpu.as_secs_f64());
        let other_cpu_s = machine.map(|machine| (machine.busy.as_secs_f64() - server_cpu_s - tool_cpu_s).max(0.0));
        if other_cpu_s.is_some_and(|other| other > UNEXPLAINED * server_cpu_s) && server.ignores_its_children() {
            return Err(at(Stage::Load)(format!(
                "it ignores SIGCHLD, so that what its ended children used cannot be counted, and {:.1} s of CPU time \
                 beside the {server_cpu_s:.1} s counted are nobody's",
                other_cpu_s.unwrap_or_default()
            )));
        }
        let steal_s = machine.map(|machine| machine.steal.as_secs_f64());
        let wall_s = ran.wall.as_secs_f64();
        let limit = Limit::of(&Seen {
            wall_s,
            server_cpu_s,
            tool_cpu_s,
            tool_threads: self.request.tool.threads(self.job.threads),
            tool_spins: self.request.tool.spins(),
            kept_rate: self.kept_rate(requests as f64 / duration_s),
            other_cpu_s,
            steal_s,
            conditions: &conditions,
        });
        Ok(Measurement {
            requests,
            duration_s,
            rps: requests as f64 / duration_s,
            cost_us: server_cpu_s * 1e6 / requests as f64,
            server_cpu_s,
            server_user_share: cpu.user_share,
            tool_cpu_s,
            wall_s,
            other_cpu_s,
            steal_s,
            response_bytes,
            received_bytes: report.bytes,
            connections_opened: opened,
            kept_share: self.kept_share(&report, requests, opened),
            rss_bytes: server.resident_bytes(),
            threads: server.threads(),
            warm_up,
            start_up_s: server.start_up().as_secs_f64(),
            idle_cores,
            closed_loop_latency_us: if fixed_rate.is_some() { Latency::default() } else { report.latency_us },
            fixed_rate,
            limit,
            conditions,
            warnings: [report.warnings, causes].concat(),
        })
    }

    /// Is it the agreed response, asked for in the manner of the slice?
    fn check(&self) -> Result<check::Answer, String> {
        match self.job.manner {
            Manner::Pipelined { depth } => check::pipelined(Peer::of(&self.place.target), depth),
            manner => check::agreed(Peer::of(&self.place.target), self.request.tool.dialect(), manner.shape().keeps()),
        }
    }

    /// What only the fixed-rate shape gives; `None` in the others.
    fn fixed_rate(&self, latencies: Option<Latencies>) -> Result<Option<FixedRate>, String> {
        let Manner::FixedRate { rate } = self.job.manner else { return Ok(None) };
        let latencies_ns = latencies.ok_or_else(|| format!("{} gives no latencies", self.request.tool.name()))?;
        Ok(Some(FixedRate { offered_rps: rate.into(), latencies_ns }))
    }

    /// Whether a rate was asked for and answered: then nothing else was the limit.
    fn kept_rate(&self, rps: f64) -> bool {
        matches!(self.job.manner, Manner::FixedRate { rate } if rps >= KEPT_UP * f64::from(rate))
    }

    fn command_line(&self) -> Result<Vec<OsString>, String> {
        let mut line = vec![OsString::from(self.request.tool.name())];
        line.extend(self.request.tool.command(&self.job, &self.side_file())?);
        Ok(line)
    }

    fn side_file(&self) -> PathBuf {
        with_ending(self.raw, "side.txt")
    }

    fn time_limit(&self) -> Duration {
        let asked = match self.job.extent {
            Extent::Time(time) => time,
            Extent::Requests(_) => REQUESTS_LIMIT,
        };
        asked + check::TIMEOUT + TOOL_MARGIN
    }

    fn read_report(&self, stdout: &Path, stderr: &Path, exit: Exit, answer: Answer) -> Result<Report, Stopped> {
        let read = |path| std::fs::read(path).map_err(|error| at(Stage::Load)(format!("its report is gone: {error}")));
        let (stdout, stderr) = (read(stdout)?, read(stderr)?);
        let side_file = match self.request.tool.side_file() {
            SideFile::Writes => std::fs::read(self.side_file()).ok(),
            SideFile::Reads(_) | SideFile::None => None,
        };
        let output = Output { stdout: &stdout, stderr: &stderr, exit, side_file: side_file.as_deref() };
        // Asked to close, it does (that was checked), but its answer does not say so.
        let is_silent = self.job.manner == Manner::Close && answer.kept && self.request.tool.wants_closes_announced();
        let parsed = self.request.tool.parse(&output);
        parsed
            .or_else(|failure| {
                excused(&failure, answer.bytes, self.job.connections).filter(|_| is_silent).ok_or(failure)
            })
            .map_err(|failure| {
                Stopped::Failed(Failed { stage: Stage::Load, reason: failure.reason, seen: Some(failure.seen) })
            })
    }

    /// Holds what the tool says against what was asked and what was checked: the time, and the bytes of a response.
    /// Responses under way when the time is up are received in part, one per connection at the most.
    fn is_plausible(&self, report: &Report, requests: u64, duration_s: f64, bytes: u64) -> Result<(), String> {
        if let Some(due) = self.job.due().filter(|due| *due != requests) {
            return Err(format!("{requests} of {due} requests were answered well"));
        }
        // Requests at a rate that a server does not keep up with are all answered, and that takes longer.
        if let (Extent::Time(asked), None) = (self.job.extent, self.job.due()) {
            let share = duration_s / asked.as_secs_f64();
            if !DURATION_RANGE.contains(&share) {
                return Err(format!("it was measured for {duration_s:.2} s instead of {} s", asked.as_secs_f64()));
            }
        }
        let Some(received) = report.bytes else { return Ok(()) };
        // A server may keep some connections and close others, and an answer that says so has another length.
        let other = check::agreed(Peer::of(&self.place.target), self.request.tool.dialect(), false)
            .map_or(bytes, |answer| answer.bytes);
        let (least, most) = (bytes.min(other), bytes.max(other));
        let in_flight = u64::from(self.job.connections) * u64::from(self.job.manner.depth());
        if received < requests * least || received > (requests + in_flight) * most {
            return Err(format!(
                "{received} bytes came for {requests} responses, {:.1} for each, but a response has {bytes}",
                received as f64 / requests as f64
            ));
        }
        Ok(())
    }

    /// ab counts the answers that keep the connection. For a tool that does not, every connection beyond those that
    /// were asked for was opened because another was not kept.
    fn kept_share(&self, report: &Report, requests: u64, opened: Option<u64>) -> Option<f64> {
        if !self.job.manner.shape().keeps() {
            return None;
        }
        if let Some(kept) = report.keep_alive_requests {
            return Some(kept as f64 / requests as f64);
        }
        let reopened = report.opened.or(opened)?.saturating_sub(u64::from(self.job.connections));
        Some((1.0 - reopened as f64 / requests as f64).max(0.0))
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
