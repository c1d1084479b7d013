//! httperf <https://github.com/httperf/httperf>: connections one after the other, or at a rate; a number of requests.
//!
//! What it does not say: its exit status is 0 whatever happened; it prints latency as a mean in tenths of a millisecond,
//! and bytes only as a mean per reply.

use std::{ffi::OsString, path::Path, time::Duration};

use serde::{Deserialize, Serialize};

use super::{
    Errors, Extent, Job, LoadTool, Manner, Output, Report, ask,
    text::{self, Lines, Rounded},
};

#[derive(Debug)]
pub(super) struct Httperf;

/// What httperf tells of connections that it opens at a rate, and no other tool does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Replies {
    /// The mean of its samples of 5 s each, in replies per second; `None` if it ran for less than one.
    pub reply_rate_per_s: Option<f64>,
    /// How long connections lasted, in ms: the mean; `None` if no connection ended well.
    pub connection_avg_ms: Option<f64>,
    /// The median of it, in ms, in steps of 0.5 ms.
    pub connection_median_ms: Option<f64>,
    /// From the first byte of a request to the first of its reply, in ms: the mean.
    pub response_ms: f64,
    /// Replies by the first digit of their status, from 1 to 5.
    pub statuses: [u64; 5],
}

impl Replies {
    /// Reads what httperf printed.
    ///
    /// # Errors
    /// What is not recognised.
    pub fn read(stdout: &[u8]) -> Result<Self, String> {
        let printed = text::text(stdout);
        let lines = Lines::of(&printed);
        let number = |word: &str| text::decimal(word).map(|number| number.value);
        let (rate, samples) = lines.read("Reply rate [replies/s]:", |rest| {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let ["min", _, "avg", rate, "max", _, "stddev", _, samples, "samples)"] = words[..] else { return None };
            Some((number(rate)?, text::count(samples.strip_prefix('(')?)?))
        })?;
        let (average, median) = lines.read("Connection time [ms]: min", |rest| {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let [_, "avg", average, "max", _, "median", median, "stddev", _] = words[..] else { return None };
            Some((number(average)?, number(median)?))
        })?;
        let response_ms =
            lines.read("Reply time [ms]: response", |rest| number(rest.split_once(" transfer ")?.0.trim()))?;
        let ended = lines.read("Total:", total)?.replies > 0;
        Ok(Self {
            reply_rate_per_s: (samples > 0).then_some(rate),
            connection_avg_ms: ended.then_some(average),
            connection_median_ms: ended.then_some(median),
            response_ms,
            statuses: lines.read("Reply status:", statuses)?,
        })
    }
}

/// The arguments for so many connections, opened at a rate whether or not earlier ones have ended, with one request on
/// each.
///
/// # Errors
/// For a URL that httperf cannot be given.
pub fn at_a_rate(url: &str, per_s: u32, connections: u32, timeout: Duration) -> Result<Vec<OsString>, String> {
    let place = ask::place_of(url)?;
    let options = [
        ("--server", place.host.trim_start_matches('[').trim_end_matches(']').to_owned()),
        ("--port", place.port.to_string()),
        ("--uri", place.path.to_owned()),
        ("--rate", per_s.to_string()),
        ("--num-conns", connections.to_string()),
        ("--num-calls", "1".to_owned()),
        ("--timeout", format!("{:.3}", timeout.as_secs_f64())),
    ];
    let mut args: Vec<OsString> = vec!["--hog".into()];
    args.extend(options.into_iter().flat_map(|(flag, value)| [flag.into(), value.into()]));
    Ok(args)
}

impl LoadTool for Httperf {
    fn name(&self) -> &'static str {
        "httperf"
    }

    fn version_args(&self) -> &'static [&'static str] {
        &["--version"]
    }

    fn parse_version(&self, printed: &str) -> Option<String> {
        let rest = printed.lines().find_map(|line| line.strip_prefix("httperf: httperf-"))?;
        rest.split_whitespace().next().map(str::to_owned)
    }

    /// It polls for events without ever sleeping, to be on time.
    fn spins(&self) -> bool {
        true
    }

    fn install(&self) -> &'static str {
        "apt install httperf"
    }

    fn own_threads(&self) -> Option<u32> {
        Some(1)
    }

    fn command(&self, job: &Job, _side_file: &Path) -> Result<Vec<OsString>, String> {
        let place = ask::check(job)?;
        match job.manner {
            Manner::KeepAlive | Manner::Close => {}
            Manner::Pipelined { .. } => {
                return Err("httperf is not asked to pipeline here; wrk and h2load are".to_owned());
            }
            Manner::FixedRate { .. } => {
                let why = "httperf gives only a mean latency, in tenths of a millisecond";
                return Err(format!("{why}; oha gives every one (--tool oha)"));
            }
        }
        let Extent::Requests(requests) = job.extent else {
            return Err("httperf sends a number of requests and cannot be given a time".to_owned());
        };
        if job.connections != 1 {
            return Err(format!("httperf without a rate uses one connection at a time, not {}", job.connections));
        }
        ask::enough("httperf", requests, job.connections)?;
        let close = job.manner == Manner::Close;
        let (connections, calls) = if close { (requests, 1) } else { (1, requests) };
        let host = place.host.trim_start_matches('[').trim_end_matches(']');
        let mut args: Vec<OsString> = vec!["--hog".into()];
        let options = [
            ("--server", host.to_owned()),
            ("--port", place.port.to_string()),
            ("--uri", place.path.to_owned()),
            ("--num-conns", connections.to_string()),
            ("--num-calls", calls.to_string()),
            ("--timeout", format!("{:.3}", job.timeout.as_secs_f64())),
        ];
        args.extend(options.into_iter().flat_map(|(flag, value)| [flag.into(), value.into()]));
        if close {
            // httperf puts the text into the head as it is, but for the escape.
            args.extend(["--add-header", "Connection: close\\n"].map(OsString::from));
        }
        Ok(args)
    }

    fn read(&self, output: &Output, report: &mut Report) -> Result<(), String> {
        let printed = text::text(output.stdout);
        let lines = Lines::of(&printed);
        let total = lines.read("Total:", total)?;
        let statuses = lines.read("Reply status:", statuses)?;
        let [errors, client, socket, refused, reset] = lines.read("Errors: total", |rest| {
            let rest = format!("total {rest}");
            pairs(&rest, ["total", "client-timo", "socket-timo", "connrefused", "connreset"])
        })?;
        let more = ["fd-unavail", "addrunavail", "ftab-full", "other"];
        let [no_file, no_address, no_room, other] =
            lines.read("Errors: fd-unavail", |rest| pairs(&format!("fd-unavail {rest}"), more))?;
        let sum = |parts: &[u64]| parts.iter().fold(0u64, |sum, n| sum.saturating_add(*n));

        report.requests = Some(total.replies);
        report.good_requests = Some(statuses[1]);
        report.duration_s = Some(total.duration.value);
        report.errors = Errors {
            connect: Some(sum(&[refused, no_file, no_address, no_room])),
            read: Some(reset),
            timeout: Some(sum(&[client, socket])),
            non_2xx: Some(total.replies.saturating_sub(statuses[1])),
            exceptions: Some(other),
            ..Errors::default()
        };
        if sum(&statuses) != total.replies
            || sum(&[client, socket, refused, reset, no_file, no_address, no_room, other]) != errors
        {
            return Err("its counts do not add up".to_owned());
        }
        if errors == 0 && total.replies < total.requests {
            return Err(format!(
                "{} of {} requests have no reply, and no error",
                total.requests - total.replies,
                total.requests
            ));
        }
        let rate = lines.read("Request rate:", |rest| text::decimal(rest.split_once(" req/s (")?.0))?;
        if total.duration.value > 0.0 && !text::is_rate(Rounded::exact(total.requests as f64), total.duration, rate) {
            return Err("its rate is not its requests over its duration".to_owned());
        }
        if total.replies == total.requests {
            report.rps = Some(rate.value);
        }
        let response = lines.read("Reply time [ms]: response", |rest| {
            let (response, transfer) = rest.split_once(" transfer ")?;
            Some(text::decimal(response)?.value + text::decimal(transfer)?.value)
        })?;
        // 0.0 ms is a latency that httperf does not give.
        report.latency_us.mean = (response > 0.0).then_some(response * 1e3);
        if report.latency_us.mean.is_some() {
            report.warnings.push("the mean latency is rounded by httperf to tenths of a millisecond".to_owned());
        }
        Ok(())
    }
}

struct Total {
    requests: u64,
    replies: u64,
    /// In seconds.
    duration: Rounded,
}

/// `connections 600 requests 600 replies 600 test-duration 2.999 s`
fn total(rest: &str) -> Option<Total> {
    let (counts, duration) = rest.split_once(" test-duration ")?;
    let [_, requests, replies] = pairs(counts, ["connections", "requests", "replies"])?;
    let duration = text::decimal(duration.strip_suffix(" s")?)?;
    (replies <= requests).then_some(Total { requests, replies, duration })
}

/// `total 50 client-timo 0 …`: the counts, if they have these names in this order.
fn pairs<const N: usize>(rest: &str, names: [&str; N]) -> Option<[u64; N]> {
    let mut words = rest.split_whitespace();
    let mut counts = [0; N];
    for (count, name) in counts.iter_mut().zip(names) {
        words.next().filter(|word| *word == name)?;
        *count = text::count(words.next()?)?;
    }
    words.next().is_none().then_some(counts)
}

/// `1xx=0 2xx=600 3xx=0 4xx=0 5xx=0`
fn statuses(rest: &str) -> Option<[u64; 5]> {
    let mut words = rest.split_whitespace();
    let mut counts = [0; 5];
    for (count, name) in counts.iter_mut().zip(["1xx=", "2xx=", "3xx=", "4xx=", "5xx="]) {
        *count = text::count(words.next()?.strip_prefix(name)?)?;
    }
    words.next().is_none().then_some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_A_RATE: &str = "\
httperf --hog --client=0/1 --server=127.0.0.1 --port=8450 --uri=/ --rate=30 --num-conns=480 --num-calls=1
Maximum connect burst length: 1

Total: connections 480 requests 480 replies 480 test-duration 15.967 s

Connection rate: 30.1 conn/s (33.3 ms/conn, <=1 concurrent connections)
Connection time [ms]: min 0.1 avg 0.2 max 0.8 median 0.5 stddev 0.1
Connection time [ms]: connect 0.0
Connection length [replies/conn]: 1.000

Request rate: 30.1 req/s (33.3 ms/req)
Request size [B]: 62.0

Reply rate [replies/s]: min 30.0 avg 30.1 max 30.2 stddev 0.1 (3 samples)
Reply time [ms]: response 0.3 transfer 0.0
Reply size [B]: header 103.0 content 12.0 footer 0.0 (total 115.0)
Reply status: 1xx=0 2xx=438 3xx=0 4xx=0 5xx=42
";

    #[test]
    fn what_httperf_says_of_connections_at_a_rate_is_read() {
        let replies = Replies::read(AT_A_RATE.as_bytes()).unwrap();
        let wanted = Replies {
            reply_rate_per_s: Some(30.1),
            connection_avg_ms: Some(0.2),
            connection_median_ms: Some(0.5),
            response_ms: 0.3,
            statuses: [0, 438, 0, 0, 42],
        };
        assert_eq!(replies, wanted);
    }

    #[test]
    fn a_reply_rate_without_a_sample_is_none_and_not_0() {
        let short =
            AT_A_RATE.replace("avg 30.1 max 30.2 stddev 0.1 (3 samples)", "avg 0.0 max 0.0 stddev 0.0 (0 samples)");
        assert_eq!(Replies::read(short.as_bytes()).unwrap().reply_rate_per_s, None);
        assert!(Replies::read(&AT_A_RATE.as_bytes()[..400]).is_err());
        assert!(Replies::read(b"").is_err());
    }

    #[test]
    fn a_rate_is_asked_for_with_one_request_on_each_connection() {
        let args = at_a_rate("http://127.0.0.1:8450/", 60, 480, Duration::from_secs(30)).unwrap();
        let line: Vec<_> = args.iter().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(
            line.join(" "),
            "--hog --server 127.0.0.1 --port 8450 --uri / --rate 60 --num-conns 480 --num-calls 1 --timeout 30.000"
        );
    }
}
