//! ab, ApacheBench <https://httpd.apache.org/docs/2.4/programs/ab.html>: HTTP/1.0, one thread, a number of requests.
//!
//! What it does not say: with exit status 0 every answer can have been wrong, `Failed requests` does not hold answers that
//! were not 2xx, one bad answer is in several counters at once under `-r`, and an answer without the end of a head is none
//! of its errors. It prints latency in whole milliseconds; its CSV file (`-e`) has µs, but for up to 50 requests ab reads
//! the rows near the end from beyond its samples.

use std::{collections::HashMap, ffi::OsString, path::Path};

use super::{
    Errors, Extent, Job, LoadTool, Manner, Output, Report, SideFile, ask,
    text::{self, Lines, Rounded},
};

/// ab refuses more.
const MOST_CONNECTIONS: u32 = 20_000;
/// ab reserves 32 bytes for each request that it may send.
const MOST_REQUESTS: u64 = 50_000_000;
/// More than ab, with its one thread, sends in a second.
const MOST_PER_SECOND: u64 = 500_000;
/// `HTTP/1.1 204 No Content` and the empty line after it: no server's head is shorter.
const SHORTEST_HEAD: u64 = 27;

#[derive(Debug)]
pub(super) struct Ab;

impl LoadTool for Ab {
    fn name(&self) -> &'static str {
        "ab"
    }

    fn version_args(&self) -> &'static [&'static str] {
        &["-V"]
    }

    fn parse_version(&self, printed: &str) -> Option<String> {
        let rest = printed.lines().find_map(|line| line.strip_prefix("This is ApacheBench, Version "))?;
        rest.split_whitespace().next().map(str::to_owned)
    }

    fn install(&self) -> &'static str {
        "apt install apache2-utils"
    }

    fn own_threads(&self) -> Option<u32> {
        Some(1)
    }

    fn side_file(&self) -> SideFile {
        SideFile::Writes
    }

    /// `-t` sets the number of requests to 50000, so that `-n` must come after it. Without `-r`, ab ends at the first
    /// failed receive, which is what is wanted.
    fn command(&self, job: &Job, side_file: &Path) -> Result<Vec<OsString>, String> {
        ask::check(job)?;
        if job.connections > MOST_CONNECTIONS {
            return Err(format!("ab opens at most {MOST_CONNECTIONS} connections, not {}", job.connections));
        }
        let mut args: Vec<OsString> = vec!["-q".into()];
        let requests = match job.extent {
            Extent::Time(time) => {
                let seconds = ask::seconds("ab", "duration", time)?;
                args.extend(["-t".into(), seconds.to_string().into()]);
                seconds.saturating_mul(MOST_PER_SECOND)
            }
            Extent::Requests(requests) => requests,
        };
        if requests > MOST_REQUESTS {
            return Err(format!(
                "ab reserves memory for every request: at most {MOST_REQUESTS}, or {} s",
                MOST_REQUESTS / MOST_PER_SECOND
            ));
        }
        ask::enough("ab", requests, job.connections)?;
        let timeout = ask::seconds("ab", "timeout", job.timeout)?;
        let options = [("-n", requests), ("-c", job.connections.into()), ("-s", timeout)];
        args.extend(options.into_iter().flat_map(|(flag, value)| [flag.into(), value.to_string().into()]));
        match job.manner {
            Manner::KeepAlive => args.push("-k".into()),
            Manner::Close => {}
            Manner::Pipelined { .. } => return Err("ab does not pipeline; wrk and h2load can".to_owned()),
            Manner::FixedRate { .. } => {
                return Err("ab sends as fast as it is answered, not at a rate; oha can (--tool oha)".to_owned());
            }
        }
        args.extend(["-e".into(), side_file.into(), OsString::from(&job.url)]);
        Ok(args)
    }

    fn read(&self, output: &Output, report: &mut Report) -> Result<(), String> {
        let printed = text::text(output.stdout);
        if printed.contains("<table") {
            return Err("an HTML table (ab -w)".to_owned());
        }
        // ab prints this when it gives up, wherever it is in its line of progress.
        if let Some((_, rest)) = printed.rsplit_once("Total of ") {
            report.requests = rest.split_once(" requests completed").and_then(|(n, _)| text::count(n));
        }
        let lines = Lines::of(&printed);
        let requests = lines.read("Complete requests:", text::count)?;
        report.requests = Some(requests);
        let duration = lines.read("Time taken for tests:", |rest| text::decimal(rest.strip_suffix(" seconds")?))?;
        report.duration_s = Some(duration.value);
        read_errors(&lines, report)?;
        if requests > 0 {
            read_totals(&lines, requests, duration, report)?;
            read_latency(&printed, &lines, requests, output.side_file, report)?;
        }
        Ok(())
    }
}

fn read_errors(lines: &Lines, report: &mut Report) -> Result<(), String> {
    let optional = |key: &str| match lines.one(key)? {
        Some(rest) => text::count(rest).ok_or_else(|| format!("`{key} {}`", text::shown(rest))),
        None => Ok(0),
    };
    let failed = lines.read("Failed requests:", text::count)?;
    let (non_2xx, write) = (optional("Non-2xx responses:")?, optional("Write errors:")?);
    let kinds = match lines.one("(Connect:")? {
        Some(rest) => kinds(rest).ok_or_else(|| format!("`(Connect: {}`", text::shown(rest)))?,
        None => [0; 4],
    };
    let [connect, receive, length, exceptions] = kinds.map(Some);
    let (non_2xx, write) = (Some(non_2xx), Some(write));
    report.errors = Errors { connect, write, non_2xx, length, receive, exceptions, ..Errors::default() };
    // ab -l does not compare lengths.
    if lines.need("Document Length:")? == "Variable" {
        report.errors.length = None;
    }
    let counted = [failed, non_2xx.unwrap_or_default(), write.unwrap_or_default()];
    report.good_requests = report.requests.map(|requests| counted.into_iter().fold(requests, u64::saturating_sub));
    if failed != kinds.iter().fold(0, |sum: u64, n| sum.saturating_add(*n)) {
        return Err(format!("{failed} failed requests, and its list of them says another number"));
    }
    Ok(())
}

/// ` 0, Receive: 10, Length: 10, Exceptions: 10)`, after `(Connect:`.
fn kinds(rest: &str) -> Option<[u64; 4]> {
    let mut parts = rest.strip_suffix(')')?.split(", ");
    let mut next = |name: &str| text::count(parts.next()?.strip_prefix(name)?.trim());
    let kinds = [next("")?, next("Receive:")?, next("Length:")?, next("Exceptions:")?];
    parts.next().is_none().then_some(kinds)
}

fn read_totals(lines: &Lines, requests: u64, duration: Rounded, report: &mut Report) -> Result<(), String> {
    let bytes = |rest: &str| text::count(rest.strip_suffix(" bytes")?);
    let (total, body) = (lines.read("Total transferred:", bytes)?, lines.read("HTML transferred:", bytes)?);
    let rps = lines.read("Requests per second:", |rest| text::decimal(rest.strip_suffix(" [#/sec] (mean)")?))?;
    let rate = lines.read("Transfer rate:", |rest| text::decimal(rest.strip_suffix(" [Kbytes/sec] received")?))?;
    report.bytes = Some(total);
    report.rps = Some(rps.value);
    let kept = lines.one("Keep-Alive requests:")?;
    if let Some(kept) = kept {
        let kept = text::count(kept).ok_or_else(|| format!("`Keep-Alive requests: {}`", text::shown(kept)))?;
        report.keep_alive_requests = Some(kept);
        if kept < requests {
            report.warnings.push(format!("after only {kept} of {requests} answers was the connection kept"));
        }
    }
    let is_rate = |total: f64, rate| text::is_rate(Rounded::exact(total), duration, rate);
    if !is_rate(requests as f64, rps) || !is_rate(total as f64 / 1024.0, rate) || body > total {
        return Err("its rates are not its totals over its duration".to_owned());
    }
    // Bytes in which ab finds no end of a head are in its total and nowhere else. A kept connection is one that a head
    // promised to keep, so that there was one.
    if body == 0 && report.keep_alive_requests != Some(requests) {
        if total < requests.saturating_mul(SHORTEST_HEAD) {
            return Err(format!("{total} bytes hold no {requests} HTTP answers: the server does not speak HTTP"));
        }
        let warning = "no answer had a body, and then ab does not notice whether they are HTTP at all";
        report.warnings.push(warning.to_owned());
    }
    Ok(())
}

/// Latency in µs from the CSV file, from the printed table where there is none.
fn read_latency(
    printed: &str,
    lines: &Lines,
    requests: u64,
    csv: Option<&[u8]>,
    report: &mut Report,
) -> Result<(), String> {
    let (mean_ms, max_ms) = lines.read("Total:", mean_and_max)?;
    if !printed.ends_with('\n') && lines.iter().last().is_some_and(|line| line.starts_with("Total:")) {
        return Err("the line `Total:` is cut short".to_owned());
    }
    let table = table(lines)?;
    if table.is_empty() && lines.one("Percentage of the requests")?.is_some() {
        return Err("a table of percentages without rows".to_owned());
    }
    let csv = csv.map(|csv| read_csv(csv, requests)).transpose()?.unwrap_or_default();
    if csv.get(&100).is_some_and(|max| (max - max_ms).abs() > 1.0) {
        return Err("the CSV file is of another run".to_owned());
    }
    let mut rounded = false;
    let mut us = |percent: u32, otherwise: Option<f64>| {
        let exact = csv.get(&percent).copied();
        // 0 ms is a latency that ab does not give.
        let ms = exact.or_else(|| otherwise.or_else(|| table.get(&percent).copied()).filter(|ms| *ms > 0.0));
        rounded |= exact.is_none() && ms.is_some();
        ms.map(|ms| (ms * 1e3).round())
    };
    report.latency_us = super::Latency {
        mean: None,
        p50: us(50, None),
        p75: us(75, None),
        p90: us(90, None),
        p99: us(99, None),
        max: us(100, Some(max_ms)),
    };
    // ab's mean time per request is connections × time / requests: in a closed loop the mean latency, but for connections
    // that are idle at the end. It is used, having more digits, where the table's mean does not contradict it.
    let cycle = lines.iter().find_map(|line| line.strip_prefix("Time per request:")?.strip_suffix("[ms] (mean)"));
    let cycle_ms = cycle.and_then(|ms| text::decimal(ms.trim())).ok_or("no line `Time per request:`")?.value;
    let agrees = (cycle_ms - mean_ms).abs() <= 0.51;
    let mean_ms = if agrees { cycle_ms } else { mean_ms };
    report.latency_us.mean = (mean_ms > 0.0).then(|| (mean_ms * 1e3).round());
    if rounded || !agrees {
        report.warnings.push("latency is rounded by ab to whole milliseconds".to_owned());
    }
    Ok(())
}

/// `min mean sd median max`, or `min avg max` with -S, in ms.
fn mean_and_max(row: &str) -> Option<(f64, f64)> {
    let cells: Option<Vec<f64>> = row.split_whitespace().map(|cell| Some(text::decimal(cell)?.value)).collect();
    match cells?[..] {
        [_, mean, _, _, max] | [_, mean, max] => Some((mean, max)),
        _ => None,
    }
}

/// Rows such as `  50%      8` and ` 100%    101 (longest request)`, in ms.
fn table(lines: &Lines) -> Result<HashMap<u32, f64>, String> {
    let mut table = HashMap::new();
    let rows = lines.iter().skip_while(|line| !line.starts_with("Percentage of the requests")).skip(1);
    for row in rows.take_while(|row| row.contains('%')) {
        let read = || {
            let (percent, ms) = row.split_once('%')?;
            let ms = ms.trim();
            let ms = if percent == "100" { ms.strip_suffix(" (longest request)")? } else { ms };
            Some((percent.parse().ok()?, text::count(ms)? as f64))
        };
        let (percent, ms) = read().ok_or_else(|| format!("`{}`", text::shown(row)))?;
        table.insert(percent, ms);
    }
    if !table.is_empty() && !table.contains_key(&100) {
        return Err("its table of percentages is cut short".to_owned());
    }
    Ok(table)
}

/// The rows of ab's own table of percentages, from its CSV file (`-e`), which has more digits: percent, ms.
///
/// # Errors
/// What is not recognised; and for up to 50 requests, of which the file cannot be relied on.
pub fn percentiles(csv: &[u8], requests: u64) -> Result<Vec<(u32, f64)>, String> {
    const ROWS: [u32; 9] = [50, 66, 75, 80, 90, 95, 98, 99, 100];
    let read = read_csv(csv, requests)?;
    let row = |percent: u32| Some((percent, *read.get(&percent)?));
    ROWS.into_iter().map(row).collect::<Option<_>>().ok_or_else(|| format!("no percentages of {requests} requests"))
}

/// The rows of the file that can be used, in ms.
fn read_csv(csv: &[u8], requests: u64) -> Result<HashMap<u32, f64>, String> {
    let printed = text::text(csv);
    let mut lines = printed.lines().map(str::trim);
    if lines.next() != Some("Percentage served,Time in ms") {
        return Err("the CSV file has not ab's heading".to_owned());
    }
    let row = |line: &str| {
        let (percent, ms) = line.split_once(',')?;
        Some((percent.parse::<u32>().ok()?, text::decimal(ms)?.value))
    };
    let rows: Vec<_> = lines.map_while(row).collect();
    if !rows.iter().map(|(percent, _)| *percent).eq(0..=100) {
        return Err("the CSV file has not every row from 0 to 100".to_owned());
    }
    if requests <= 50 {
        return Ok(rows.into_iter().filter(|(percent, _)| *percent == 100).collect());
    }
    if !rows.is_sorted_by(|(_, one), (_, next)| one <= next) {
        return Err("the CSV file does not rise from row to row".to_owned());
    }
    Ok(rows.into_iter().collect())
}
