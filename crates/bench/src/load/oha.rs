//! oha <https://github.com/hatoo/oha>: reads its JSON.
//!
//! What it does not say: `successRate` is 1 with only 503s, `requestsPerSec` holds requests that failed or were still under
//! way, and `totalData` holds bodies only.

use std::{collections::BTreeMap, ffi::OsString, path::Path};

use serde::Deserialize;

use super::{
    Errors, Extent, Job, Latency, LoadTool, Output, Report, Shape, ask,
    text::{self, Rounded},
};

/// What oha calls the requests that were under way when the time was up. They are no errors.
const UNDER_WAY: &str = "aborted due to deadline";

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

    fn install(&self) -> &'static str {
        "cargo install oha --locked"
    }

    fn command(&self, job: &Job, _side_file: &Path) -> Result<Vec<OsString>, String> {
        ask::check(job)?;
        let extent = match job.extent {
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
        let fixed = ["--no-tui", "--output-format", "json", "--redirect", "0", "--disable-compression"];
        let mut args: Vec<OsString> = fixed.map(OsString::from).into();
        args.extend(extent.map(OsString::from));
        args.extend(["-c".into(), OsString::from(job.connections.to_string())]);
        args.extend(["-t".into(), OsString::from(format!("{}ms", job.timeout.as_millis()))]);
        if job.shape == Shape::Close {
            args.push("--disable-keepalive".into());
        }
        args.push(OsString::from(&job.url));
        Ok(args)
    }

    fn read(&self, output: &Output, report: &mut Report) -> Result<(), String> {
        let printed = text::text(output.stdout);
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
