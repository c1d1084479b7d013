//! wrk <https://github.com/wg/wrk>: a closed loop over kept connections, for a time.
//!
//! What it does not say: a connection that never answers is in none of its counters; a status from 300 to 399 is no error
//! to it; version 4.1 adds latencies that it did not measure ("coordinated omission"), 4.2 no longer does.
//!
//! No function of the script runs per request. Whether it costs anything all the same is unresolved: over 24 interleaved
//! pairs of 1 s slices on a busy machine with 2 cores, wrk's CPU time per request was -0.6 % with the script (95 %
//! interval -4.8 % to +2.7 %, Hodges-Lehmann and signed ranks).
//!
//! Pipelined, it sends `depth` requests in one write, waits for all of their answers, and times them together; each
//! answer counts as a request.

use std::{ffi::OsString, path::Path, time::Duration};

use serde::Deserialize;

use super::{
    Extent, Job, LoadTool, Manner, Output, Report, SideFile, ask,
    text::{self, Lines, Rounded},
};

const SCRIPT: &str = include_str!("wrk.lua");
const EXACT: &str = "{\"hello-bench\"";
/// wrk keeps one counter of 8 bytes for every µs of the timeout.
const LONGEST_TIMEOUT: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(super) struct Wrk;

/// The line of `wrk.lua`.
#[derive(Deserialize)]
struct Exact {
    requests: u64,
    /// Requests sent at once on a connection; older recordings do not have it.
    depth: Option<u32>,
    duration_us: u64,
    bytes: u64,
    connect: u64,
    read: u64,
    write: u64,
    timeout: u64,
    status: u64,
    mean: Option<f64>,
    max: Option<f64>,
    p50: Option<f64>,
    p75: Option<f64>,
    p90: Option<f64>,
    p99: Option<f64>,
}

impl LoadTool for Wrk {
    fn name(&self) -> &'static str {
        "wrk"
    }

    fn version_args(&self) -> &'static [&'static str] {
        &["-v"]
    }

    fn parse_version(&self, printed: &str) -> Option<String> {
        // `wrk debian/4.1.0-3+b2 [epoll] Copyright …`, `wrk 4.2.0 [epoll] …`
        let mut words = printed.lines().find_map(|line| line.strip_prefix("wrk "))?.split_whitespace();
        words.next().map(str::to_owned)
    }

    fn install(&self) -> &'static str {
        "apt install wrk"
    }

    fn side_file(&self) -> SideFile {
        SideFile::Reads(SCRIPT)
    }

    fn command(&self, job: &Job, side_file: &Path) -> Result<Vec<OsString>, String> {
        ask::check(job)?;
        ask::threads("wrk", job)?;
        let Extent::Time(time) = job.extent else {
            return Err("wrk runs for a time and cannot be given a number of requests".to_owned());
        };
        let seconds = ask::seconds("wrk", "duration", time)?;
        let timeout = ask::seconds("wrk", "timeout", job.timeout)?;
        if job.timeout > LONGEST_TIMEOUT {
            return Err(format!("wrk's memory grows with its timeout: at most {LONGEST_TIMEOUT:?}"));
        }
        let mut args: Vec<OsString> = [
            format!("-t{}", job.threads),
            format!("-c{}", job.connections),
            format!("-d{seconds}s"),
            "--latency".to_owned(),
            "--timeout".to_owned(),
            format!("{timeout}s"),
        ]
        .map(OsString::from)
        .into();
        if job.manner == Manner::Close {
            args.extend(["-H", "Connection: close"].map(OsString::from));
        }
        args.extend(["-s".into(), side_file.into(), OsString::from(&job.url)]);
        match job.manner {
            Manner::KeepAlive | Manner::Close => {}
            Manner::Pipelined { depth } => args.extend(["--".into(), depth.to_string().into()]),
            Manner::FixedRate { .. } => {
                return Err("wrk sends as fast as it is answered, not at a rate; oha can (--tool oha)".to_owned());
            }
        }
        Ok(args)
    }

    fn wants_closes_announced(&self) -> bool {
        true
    }

    fn read(&self, output: &Output, report: &mut Report) -> Result<(), String> {
        let printed = text::text(output.stdout);
        let lines = Lines::of(&printed);
        let connections = read_text(&lines, report)?;
        match lines.one(EXACT)? {
            Some(rest) => {
                let line = format!("{EXACT}{rest}");
                let exact = serde_json::from_str(&line).map_err(|_| format!("`{}`", text::shown(&line)))?;
                use_exact(&exact, &lines, report)?;
            }
            None => report.warnings.push("bytes, duration and latency are rounded by wrk to three digits".to_owned()),
        }
        good(report);
        report.warnings.extend(report.stalled(connections));
        // In a closed loop the measured latencies cannot add up to more than the time of all connections.
        if report.busy_share(connections).is_some_and(|share| share > 1.05) {
            let warning = "this wrk adds latencies that it did not measure (its correction for coordinated omission)";
            report.warnings.push(warning.to_owned());
        }
        Ok(())
    }
}

/// A read error can follow an answer that was counted (one with too many bytes), so it is taken off as well.
fn good(report: &mut Report) {
    let errors = [report.errors.non_2xx, report.errors.timeout, report.errors.read];
    report.good_requests =
        report.requests.map(|requests| errors.into_iter().flatten().fold(requests, u64::saturating_sub));
}

/// Reads the report for people; the number of connections it was made with.
fn read_text(lines: &Lines, report: &mut Report) -> Result<u32, String> {
    lines.need("Running ")?;
    let threads =
        lines.iter().find(|line| line.contains(" threads and ")).ok_or("no line `threads and connections`")?;
    let connections = threads.split_once(" threads and ").and_then(|(_, rest)| rest.strip_suffix(" connections"));
    let connections = connections.and_then(|n| n.parse().ok()).ok_or_else(|| format!("`{}`", text::shown(threads)))?;

    let mut totals = lines.iter().filter_map(totals);
    let (requests, duration, bytes) = totals.next().ok_or("no line `requests in`")?;
    if totals.next().is_some() {
        return Err("more than one line `requests in`".to_owned());
    }
    report.requests = Some(requests);
    report.duration_s = Some(duration.value / 1e6);
    report.bytes = text::whole(bytes.value);

    let errors = match lines.one("Socket errors:")? {
        Some(rest) => socket_errors(rest).ok_or_else(|| format!("`Socket errors: {}`", text::shown(rest)))?,
        None => [0; 4],
    };
    let [connect, read, write, timeout] = errors.map(Some);
    report.errors = super::Errors { connect, read, write, timeout, ..report.errors };
    report.errors.non_2xx = match lines.one("Non-2xx or 3xx responses:")? {
        Some(rest) => {
            Some(text::count(rest).ok_or_else(|| format!("`Non-2xx or 3xx responses: {}`", text::shown(rest)))?)
        }
        None => Some(0),
    };

    let rps = lines.read("Requests/sec:", text::decimal)?;
    let transfer = lines.read("Transfer/sec:", text::bytes)?;
    report.rps = Some(rps.value);
    let seconds = Rounded { value: duration.value / 1e6, within: duration.within / 1e6 };
    if !text::is_rate(Rounded::exact(requests as f64), seconds, rps) || !text::is_rate(bytes, seconds, transfer) {
        return Err("its rates are not its totals over its duration".to_owned());
    }
    read_latency(lines, report)?;
    Ok(connections)
}

/// `27450 requests in 2.11s, 2.17MB read`
fn totals(line: &str) -> Option<(u64, Rounded, Rounded)> {
    let (requests, rest) = line.split_once(" requests in ")?;
    let (duration, bytes) = rest.strip_suffix(" read")?.split_once(", ")?;
    Some((text::count(requests)?, text::time_us(duration)?, text::bytes(bytes)?))
}

/// `connect 0, read 3884, write 0, timeout 0`
fn socket_errors(rest: &str) -> Option<[u64; 4]> {
    let mut parts = rest.split(", ");
    let mut next = |name: &str| text::count(parts.next()?.strip_prefix(name)?.trim());
    let errors = [next("connect ")?, next("read ")?, next("write ")?, next("timeout ")?];
    parts.next().is_none().then_some(errors)
}

fn read_latency(lines: &Lines, report: &mut Report) -> Result<(), String> {
    lines.need("Thread Stats")?;
    // `Latency     0.93ms    1.52ms  18.69ms   92.87%`; `Latency Distribution` begins the same.
    let mut rows = lines.iter().filter_map(|line| line.strip_prefix("Latency ")).filter(|row| !row.starts_with("Dist"));
    let row = rows.next().ok_or("no line `Latency`")?;
    let cells: Vec<_> = row.split_whitespace().collect();
    let unread = || format!("`Latency {}`", text::shown(row));
    let [mean, _, max, _] = cells[..] else { return Err(unread()) };
    let (mean, max) = (text::time_us(mean).ok_or_else(unread)?, text::time_us(max).ok_or_else(unread)?);
    if max.value == 0.0 {
        return Ok(()); // Nothing was measured; wrk prints zeros.
    }
    report.latency_us.mean = Some(mean.value);
    report.latency_us.max = Some(max.value);
    if lines.one("Latency Distribution")?.is_some() {
        let row = |key: &str| lines.read(key, text::time_us).map(|time| Some(time.value));
        report.latency_us.p50 = row("50%")?;
        report.latency_us.p75 = row("75%")?;
        report.latency_us.p90 = row("90%")?;
        report.latency_us.p99 = row("99%")?;
    }
    Ok(())
}

/// The same but for the rounding to at least two digits (`0.87m`).
fn near(rounded: Option<f64>, exact: Option<f64>) -> bool {
    match (rounded, exact) {
        (Some(rounded), Some(exact)) => (rounded - exact).abs() <= 0.02 * exact + 0.01,
        (None, None) => true,
        _ => false,
    }
}

/// Takes the exact figures, if they can have been printed as the rounded ones.
fn use_exact(exact: &Exact, lines: &Lines, report: &mut Report) -> Result<(), String> {
    let seconds = exact.duration_us as f64 / 1e6;
    let (_, duration, bytes) = lines.iter().find_map(totals).ok_or("no line `requests in`")?;
    let rps = exact.requests as f64 / seconds;
    let errors = super::Errors {
        connect: Some(exact.connect),
        read: Some(exact.read),
        write: Some(exact.write),
        timeout: Some(exact.timeout),
        non_2xx: Some(exact.status),
        ..report.errors
    };
    let same = report.requests == Some(exact.requests)
        && report.errors == errors
        && duration.holds(exact.duration_us as f64)
        && bytes.holds(exact.bytes as f64)
        && lines.read("Requests/sec:", text::decimal)?.holds(rps)
        && near(report.latency_us.max, exact.max)
        && near(report.latency_us.mean, exact.mean);
    if !same {
        return Err("the line of the script and the report disagree".to_owned());
    }
    report.duration_s = Some(seconds);
    report.bytes = Some(exact.bytes);
    if let Some(depth) = exact.depth.filter(|depth| *depth > 1) {
        report.batch = Some(depth);
        report.warnings.push(format!("wrk times {depth} pipelined requests together: its latency is theirs"));
    }
    report.rps = Some(rps);
    report.latency_us = super::Latency {
        mean: exact.mean,
        p50: exact.p50,
        p75: exact.p75,
        p90: exact.p90,
        p99: exact.p99,
        max: exact.max,
    };
    Ok(())
}
