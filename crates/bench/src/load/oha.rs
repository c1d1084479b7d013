//! oha <https://github.com/hatoo/oha>: reads its JSON.
//!
//! What it does not say: `successRate` is 1 with only 503s, `requestsPerSec` holds requests that failed or were still under
//! way, and `totalData` holds bodies only.
//!
//! At a rate (`-q R -n N --latency-correction`) it is asked for its CSV, which has a row for every request that got an
//! answer: a request without a row has failed, and since the number of requests is fixed, none can be missed. What is
//! lost: what kind of failure it was. One task releases each request when it is due, and from then on the time is
//! measured, also while no connection is free (`work_with_qps_latency_correction` in its src/client.rs). That task sleeps
//! in steps of 1 ms, so that above 1000 requests per second a few are released together each ms, and its own lateness is
//! not in the latencies: so the rate that was reached is held against the one that was asked for.

use std::{collections::BTreeMap, ffi::OsString, path::Path};

use serde::Deserialize;

use super::{
    Errors, Extent, Job, Latencies, Latency, LoadTool, Manner, Output, Report, ask,
    text::{self, Rounded},
};

/// What oha calls the requests that were under way when the time was up. They are no errors.
const UNDER_WAY: &str = "aborted due to deadline";

/// The head of its CSV.
const CSV: &str = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status";

/// The latencies of one in so many requests, the first ones, are left out: they wait for connections to be opened.
const OPENING: u32 = 10;

#[derive(Debug)]
pub(super) struct Oha;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    summary: Summary,
    latency_percentiles: Percentiles,
    status_code_distribution: BTreeMap<String, u64>,
    error_distribution: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    total: f64,
    slowest: Option<f64>,
    average: Option<f64>,
    requests_per_sec: f64,
}

#[derive(Deserialize)]
struct Percentiles {
    p50: Option<f64>,
    p75: Option<f64>,
    p90: Option<f64>,
    p99: Option<f64>,
}

impl LoadTool for Oha {
    fn name(&self) -> &'static str {
        "oha"
    }

    fn version_args(&self) -> &'static [&'static str] {
        &["--version"]
    }

    fn parse_version(&self, printed: &str) -> Option<String> {
        let rest = printed.lines().find_map(|line| line.strip_prefix("oha "))?;
        rest.split_whitespace().next().map(str::to_owned)
    }

    /// Its runtime has one per core.
    fn threads(&self, _asked: u32) -> u32 {
        u32::try_from(crate::targets::cores()).unwrap_or(u32::MAX)
    }

    fn install(&self) -> &'static str {
        "cargo install oha --locked"
    }

    fn command(&self, job: &Job, _side_file: &Path) -> Result<Vec<OsString>, String> {
        ask::check(job)?;
        ask::threads("oha", job)?;
        let extent = match job.extent {
            Extent::Time(time) if !time.is_zero() && job.due().is_some() => {
                ["-n".to_owned(), job.due().unwrap_or_default().to_string()]
            }
            Extent::Time(time) if time.is_zero() => return Err("oha cannot run for no time".to_owned()),
            Extent::Time(time) => ["-z".to_owned(), format!("{}ms", time.as_millis())],
            Extent::Requests(requests) => {
                ask::enough("oha", requests, job.connections)?;
                ["-n".to_owned(), requests.to_string()]
            }
        };
        if job.timeout.is_zero() {
            return Err("oha needs a timeout above 0".to_owned());
        }
        // A followed redirect would be counted as what it leads to.
        let format = if let Manner::FixedRate { .. } = job.manner { "csv" } else { "json" };
        let fixed = ["--no-tui", "--output-format", format, "--redirect", "0", "--disable-compression"];
        let mut args: Vec<OsString> = fixed.map(OsString::from).into();
        args.extend(extent.map(OsString::from));
        args.extend(["-c".into(), OsString::from(job.connections.to_string())]);
        args.extend(["--worker-threads".into(), OsString::from(job.threads.to_string())]);
        args.extend(["-t".into(), OsString::from(format!("{}ms", job.timeout.as_millis()))]);
        match job.manner {
            Manner::KeepAlive => {}
            Manner::Close => args.push("--disable-keepalive".into()),
            Manner::Pipelined { .. } => return Err("oha does not pipeline; wrk and h2load can".to_owned()),
            Manner::FixedRate { rate } => {
                let (due, least) = (job.due().unwrap_or_default(), u64::from(job.connections) * u64::from(OPENING));
                if due < least {
                    let why = "the first tenth opens the connections";
                    return Err(format!(
                        "{due} requests are too few for {} connections: {why}; at least {least}",
                        job.connections
                    ));
                }
                args.extend(["-q".into(), OsString::from(rate.to_string()), "--latency-correction".into()]);
            }
        }
        args.push(OsString::from(&job.url));
        Ok(args)
    }

    fn read(&self, output: &Output, report: &mut Report) -> Result<(), String> {
        let printed = text::text(output.stdout);
        if let Some(rows) = printed.strip_prefix(CSV) {
            return read_rows(rows, report);
        }
        if !printed.trim_start().starts_with('{') {
            return Err("no JSON (oha needs --output-format json)".to_owned());
        }
        let said: Said = serde_json::from_str(&printed).map_err(|error| error.to_string())?;
        let sum = |counts: &BTreeMap<String, u64>| counts.values().try_fold(0u64, |sum, n| sum.checked_add(*n));
        let (Some(answered), Some(errors)) = (sum(&said.status_code_distribution), sum(&said.error_distribution))
        else {
            return Err("numbers beyond any count".to_owned());
        };
        let good = said.status_code_distribution.iter().filter(|(code, _)| code.len() == 3 && code.starts_with('2'));
        let good = good.map(|(_, n)| n).sum::<u64>();
        let total = said.summary.total;
        report.requests = Some(answered);
        report.good_requests = Some(good);
        report.duration_s = Some(total);
        report.rps = (total > 0.0).then(|| answered as f64 / total);
        report.errors = count_errors(&said.error_distribution);
        report.errors.non_2xx = Some(answered - good);
        let sent = answered.saturating_add(errors) as f64;
        let within = 1e-6 * said.summary.requests_per_sec.abs();
        let rate = Rounded { value: said.summary.requests_per_sec, within };
        if !text::is_rate(Rounded::exact(sent), Rounded::exact(total), rate) {
            return Err("`requestsPerSec` is not its counts over `total`".to_owned());
        }
        let us = |seconds: Option<f64>| seconds.filter(|_| answered > 0).map(|seconds| (seconds * 1e9).round() / 1e3);
        let Percentiles { p50, p75, p90, p99 } = said.latency_percentiles;
        report.latency_us = Latency {
            mean: us(said.summary.average),
            p50: us(p50),
            p75: us(p75),
            p90: us(p90),
            p99: us(p99),
            max: us(said.summary.slowest),
        };
        if let Some((what, _)) = said.error_distribution.iter().find(|(what, _)| what.as_str() != UNDER_WAY) {
            report.warnings.push(format!("oha's first kind of error: {}", text::shown(what)));
        }
        Ok(())
    }
}

/// A row of the CSV, its times in seconds.
struct Row {
    start: f64,
    /// 0 on a connection that was open already.
    dial_up: f64,
    response_delay: f64,
    duration: f64,
    bytes: u64,
    status: u64,
}

impl Row {
    fn read(line: &str) -> Option<Self> {
        let mut cells = line.split(',');
        let mut time = || text::decimal(cells.next()?).map(|time| time.value);
        let (start, _dns, dial_up) = (time()?, time()?, time()?);
        let (response_delay, duration) = (time()?, time()?);
        let (bytes, status) = (text::count(cells.next()?)?, text::count(cells.next()?)?);
        cells.next().is_none().then_some(Self { start, dial_up, response_delay, duration, bytes, status })
    }
}

/// The CSV: a row for every answer, in the order in which the requests were sent.
fn read_rows(text: &str, report: &mut Report) -> Result<(), String> {
    let rows: Option<Vec<Row>> = text.lines().skip(1).map(Row::read).collect();
    let rows = rows.ok_or("a row of its CSV")?;
    let count = |wrong: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| wrong(row)).count() as u64;
    let not_2xx = count(&|row| !(200..300).contains(&row.status));
    let requests = rows.len() as u64;
    report.requests = Some(requests);
    report.good_requests = Some(requests - not_2xx);
    report.errors.non_2xx = Some(not_2xx);
    let Some(first) = rows.first() else { return Ok(()) };
    report.opened = Some(count(&|row| row.dial_up > 0.0));
    report.errors.length = Some(count(&|row| row.bytes != first.bytes));
    let ends = rows.iter().map(|row| row.start + row.response_delay);
    let duration_s = ends.fold(0.0, f64::max) - first.start;
    report.duration_s = Some(duration_s);
    report.rps = (duration_s > 0.0).then(|| requests as f64 / duration_s);
    let mut latencies = Latencies::default();
    for row in rows.iter().skip(rows.len().div_ceil(OPENING as usize)) {
        latencies.add(text::whole(row.duration * 1e9).ok_or("a duration of its CSV")?);
    }
    report.latency_us = Latency {
        mean: latencies.mean_us(),
        p50: latencies.percentile_us(50.0),
        p75: latencies.percentile_us(75.0),
        p90: latencies.percentile_us(90.0),
        p99: latencies.percentile_us(99.0),
        max: latencies.max_us(),
    };
    report.open_loop = Some(latencies);
    Ok(())
}

/// oha's errors are the words of the libraries it uses.
fn count_errors(said: &BTreeMap<String, u64>) -> Errors {
    let (mut connect, mut timeout, mut exceptions) = (0, 0, 0);
    for (what, n) in said.iter().filter(|(what, _)| what.as_str() != UNDER_WAY) {
        let words = what.to_ascii_lowercase();
        let counter = if words.contains("timeout") || words.contains("timed out") {
            &mut timeout
        } else if words.contains("refused") || words.contains("connect error") {
            &mut connect
        } else {
            &mut exceptions
        };
        *counter += n;
    }
    Errors { connect: Some(connect), timeout: Some(timeout), exceptions: Some(exceptions), ..Errors::default() }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    /// 100 requests, one each 10 ms, of which the `n`th takes `n` ms and has this end of its row.
    fn csv(end: impl Fn(u32) -> &'static str) -> String {
        let mut text = format!("{CSV}\n");
        for n in 1..=100u32 {
            let (start, took) = (f64::from(n) / 100.0, f64::from(n) / 1000.0);
            // Each began half of its time after it was due.
            let dial_up = if n == 1 { "0.0001" } else { "0" };
            writeln!(text, "{start},0,{dial_up},{},{took},{}", took / 2.0, end(n)).unwrap();
        }
        text
    }

    fn read(text: &str) -> Result<Report, super::super::Failure> {
        Oha.parse(&Output { stdout: text.as_bytes(), ..Output::default() })
    }

    #[test]
    fn latencies_are_from_when_a_request_was_due_and_without_the_first_tenth() {
        let report = read(&csv(|_| "12,200")).unwrap();
        assert_eq!((report.requests, report.good_requests), (Some(100), Some(100)));
        // From the start of the first to the end of the last.
        assert!((report.duration_s.unwrap() - (0.99 + 0.05)).abs() < 1e-9);
        assert_eq!(report.opened, Some(1));
        let latencies = report.open_loop.unwrap();
        assert_eq!(latencies.count(), 90);
        let middle = latencies.percentile_us(50.0).unwrap();
        assert!((middle / 55_000.0 - 1.0).abs() < 0.002, "{middle}");
        assert_eq!(report.latency_us.p99, None);
    }

    #[test]
    fn a_row_that_is_not_good_fails_the_slice() {
        let failed = read(&csv(|n| if n % 10 == 0 { "12,503" } else { "12,200" })).unwrap_err();
        assert!(failed.reason.contains("10 of 100 answers were not 2xx"), "{failed}");
        let failed = read(&csv(|n| if n == 7 { "11,200" } else { "12,200" })).unwrap_err();
        assert!(failed.reason.contains("1 of 100 answers had another length"), "{failed}");
        for bad in [csv(|_| "12"), csv(|_| "12,200,1"), csv(|_| "x,200"), format!("{CSV}\n"), "a,b\n".to_owned()] {
            assert!(read(&bad).is_err(), "{bad:.100}");
        }
    }
}
