//! h2load <https://nghttp2.org/documentation/h2load.1.html>: a closed loop over HTTP/1.1 with `--h1`.
//!
//! What it does not say: its exit status is 0 whatever happened; without `--h1` it speaks HTTP/2 to a server that does not;
//! `finished in` holds the warm-up, which its rate does not; bytes of connections that the server closed are missing from
//! its traffic; `--rps` wakes each connection at most every 10 ms, sends then all that is due, and what waits for a
//! free place is timed from when it is sent, so that a stall is seen by one request instead of by all that it delayed.

use std::{ffi::OsString, path::Path};

use super::{
    Errors, Extent, Job, LoadTool, Manner, Output, Report, SideFile, ask,
    text::{self, Lines, Rounded},
};

#[derive(Debug)]
pub(super) struct H2load;

impl LoadTool for H2load {
    fn name(&self) -> &'static str {
        "h2load"
    }

    fn version_args(&self) -> &'static [&'static str] {
        &["--version"]
    }

    fn parse_version(&self, printed: &str) -> Option<String> {
        let rest = printed.lines().find_map(|line| line.strip_prefix("h2load nghttp2/"))?;
        rest.split_whitespace().next().map(str::to_owned)
    }

    fn install(&self) -> &'static str {
        "apt install nghttp2-client"
    }

    fn side_file(&self) -> SideFile {
        SideFile::Writes
    }

    fn command(&self, job: &Job, side_file: &Path) -> Result<Vec<OsString>, String> {
        ask::check(job)?;
        ask::threads("h2load", job)?;
        let extent = match job.extent {
            Extent::Time(time) if time.is_zero() => return Err("h2load cannot run for no time".to_owned()),
            Extent::Time(time) => ["-D".to_owned(), format!("{}ms", time.as_millis())],
            Extent::Requests(requests) => {
                ask::enough("h2load", requests, job.connections)?;
                ["-n".to_owned(), requests.to_string()]
            }
        };
        if job.timeout.is_zero() {
            return Err("h2load needs a timeout above 0".to_owned());
        }
        let mut args: Vec<OsString> = vec!["--h1".into()];
        args.extend(extent.map(OsString::from));
        let options = [
            ("-c", job.connections.to_string()),
            ("-t", job.threads.to_string()),
            ("-N", format!("{}ms", job.timeout.as_millis())),
        ];
        args.extend(options.into_iter().flat_map(|(flag, value)| [flag.into(), value.into()]));
        match job.manner {
            Manner::KeepAlive => {}
            Manner::Close => args.extend(["-H", "connection: close"].map(OsString::from)),
            Manner::Pipelined { depth } => args.extend(["-m".into(), depth.to_string().into()]),
            Manner::FixedRate { .. } => {
                let why = "h2load sends what is due in bursts every 10 ms and times it from when it was sent";
                return Err(format!("{why}; oha times it from when it was due (--tool oha)"));
            }
        }
        let mut log = OsString::from("--log-file=");
        log.push(side_file);
        args.extend([log, OsString::from(&job.url)]);
        Ok(args)
    }

    fn read(&self, output: &Output, report: &mut Report) -> Result<(), String> {
        let printed = text::text(output.stdout);
        let lines = Lines::of(&printed);
        let finished = lines.read("finished in", finished)?;
        let [_, started, done, succeeded, failed, errored, timeout] = lines.read("requests:", |rest| {
            const NAMES: [&str; 7] = ["total", "started", "done", "succeeded", "failed", "errored", "timeout"];
            named(rest, NAMES)
        })?;
        let [ok, moved, wrong, broken] =
            lines.read("status codes:", |rest| named(rest, ["2xx", "3xx", "4xx", "5xx"]))?;
        report.requests = Some(done);
        report.good_requests = Some(ok);
        report.errors = Errors {
            non_2xx: Some(done.saturating_sub(ok)),
            timeout: Some(timeout),
            exceptions: Some(errored.saturating_sub(timeout)),
            ..Errors::default()
        };
        let duration = main_duration(&lines)?.unwrap_or(finished.duration);
        report.duration_s = Some(duration.value);
        report.rps = Some(finished.rps.value);
        let statuses = [ok, moved, wrong, broken].iter().fold(0u64, |sum, n| sum.saturating_add(*n));
        let counted = succeeded.saturating_add(failed) == done.saturating_add(errored) && statuses == done;
        if !counted || done > started {
            return Err("its counts do not add up".to_owned());
        }
        if !text::is_rate(Rounded::exact(done as f64), duration, finished.rps) {
            return Err("its rate is not its requests over its duration".to_owned());
        }
        if let Some(protocol) = lines.one("Application protocol:")?.filter(|protocol| *protocol != "http/1.1") {
            return Err(format!("it spoke {} (HTTP/1.1 needs --h1)", text::shown(protocol)));
        }
        report.bytes = Some(lines.read("traffic:", traffic)?).filter(|bytes| *bytes > 0);
        if report.bytes.is_none() && done > 0 {
            report.warnings.push("h2load does not count bytes of connections that the server closes".to_owned());
        }
        let (max, mean) = lines.read("time for request:", max_and_mean)?;
        if done > 0 {
            report.latency_us.max = Some(max.value);
            report.latency_us.mean = Some(mean.value);
        }
        match output.side_file {
            Some(log) => read_log(log, done, max, report),
            None => Ok(()),
        }
    }
}

struct Finished {
    /// In seconds.
    duration: Rounded,
    rps: Rounded,
}

fn seconds(us: Rounded) -> Rounded {
    Rounded { value: us.value / 1e6, within: us.within / 1e6 }
}

/// `2.30s, 21702.32 req/s, 2.40MB/s`
fn finished(rest: &str) -> Option<Finished> {
    let mut parts = rest.split(", ");
    let duration = seconds(text::time_us(parts.next()?)?);
    let rps = text::decimal(parts.next()?.strip_suffix(" req/s")?)?;
    text::bytes(parts.next()?.strip_suffix("/s")?)?;
    parts.next().is_none().then_some(Finished { duration, rps })
}

/// `2000 2xx, 0 3xx, 0 4xx, 0 5xx`: the counts, if they have these names in this order.
fn named<const N: usize>(rest: &str, names: [&str; N]) -> Option<[u64; N]> {
    let mut parts = rest.split(", ");
    let mut counts = [0; N];
    for (count, name) in counts.iter_mut().zip(names) {
        *count = text::count(parts.next()?.strip_suffix(name)?.trim())?;
    }
    parts.next().is_none().then_some(counts)
}

/// Of a run for a time, the time that its rate is of: `… 1s of warm-up time and 3s of main duration for measurements.`
fn main_duration(lines: &Lines) -> Result<Option<Rounded>, String> {
    let Some(line) = lines.iter().find(|line| line.contains("Timing-based test with")) else { return Ok(None) };
    let read = || {
        let rest = line.strip_suffix(" of main duration for measurements.")?;
        let us = text::time_us(rest.rsplit_once(' ')?.1)?;
        Some(Rounded::exact(us.value / 1e6))
    };
    read().map(Some).ok_or_else(|| format!("`{}`", text::shown(line)))
}

/// `5.53MB (5800000) total, …`
fn traffic(rest: &str) -> Option<u64> {
    let (_, exact) = rest.split_once(") total").and_then(|(total, _)| total.split_once(" ("))?;
    text::count(exact)
}

/// The largest and the mean of `min max mean sd +/-sd`, in µs.
fn max_and_mean(row: &str) -> Option<(Rounded, Rounded)> {
    let cells: Vec<_> = row.split_whitespace().collect();
    let [_, max, mean, _, _] = cells[..] else { return None };
    Some((text::time_us(max)?, text::time_us(mean)?))
}

/// Percentiles from the log: of every request its start, status and duration in µs.
fn read_log(log: &[u8], done: u64, max: Rounded, report: &mut Report) -> Result<(), String> {
    let printed = text::text(log);
    let row = |line: &str| {
        let mut cells = line.trim_end().split('\t');
        let (_, status, us) = (text::count(cells.next()?)?, cells.next()?, text::count(cells.next()?)?);
        cells.next().is_none().then(|| (status.to_owned(), us))
    };
    let rows: Option<Vec<(String, u64)>> = printed.lines().map(row).collect();
    let rows = rows.ok_or("a row of its log")?;
    let mut times: Vec<u64> =
        rows.iter().filter(|(status, _)| text::count(status).is_some()).map(|(_, us)| *us).collect();
    times.sort_unstable();
    if times.len() as u64 != done || times.last().is_some_and(|last| !max.holds(*last as f64)) {
        return Err("its log is not of the same requests".to_owned());
    }
    // The nearest rank, as in the definition of a percentile.
    let at = |percent: usize| times.get((times.len() * percent).div_ceil(100).saturating_sub(1)).map(|us| *us as f64);
    let latency = &mut report.latency_us;
    (latency.p50, latency.p75, latency.p90, latency.p99) = (at(50), at(75), at(90), at(99));
    latency.max = times.last().map(|us| *us as f64);
    if !times.is_empty() {
        latency.mean = Some(times.iter().map(|us| *us as f64).sum::<f64>() / times.len() as f64);
    }
    Ok(())
}
