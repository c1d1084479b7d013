//! From what a load tool says and what was seen of the slice to a measurement, or to why there is none.

use std::path::Path;

use super::sample::Passed;
use super::slice::{Slice, Speaks, Stopped, at};
use crate::check::{self, Answer, Peer};
use crate::load::{Exit, Extent, Latencies, Latency, Manner, Output, Report, SideFile, excused};
use crate::process::Server;
use crate::process::tool::Ran;
use crate::results::{Failed, FixedRate, Limit, Measurement, Seen, Stage, WarmUp};

/// A timed slice that is shorter or longer than asked by more than these factors is none.
const DURATION_RANGE: std::ops::RangeInclusive<f64> = 0.9..=2.0;

/// A fixed rate is answered if no more than this share of it is missing.
const KEPT_UP: f64 = 1.0 - crate::stats::knee::NEAR_BEST;

/// A server that ignores its children is not believed if so much CPU time beside its own, as a share of it, is nobody's.
const UNEXPLAINED: f64 = 0.2;

impl Slice<'_> {
    /// What the tool says, if that and the server stand up to everything that is known of the slice.
    pub(super) fn judge(
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

    pub(super) fn measurement(
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
