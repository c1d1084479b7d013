//! httperf <https://github.com/httperf/httperf>: connections one after the other, or at a rate; a number of requests.
//!
//! What it does not say: its exit status is 0 whatever happened; it prints latency as a mean in tenths of a millisecond,
//! and bytes only as a mean per reply.

use std::{ffi::OsString, path::Path};

use super::{
    Errors, Extent, Job, LoadTool, Manner, Output, Report, ask,
    text::{self, Lines, Rounded},
};

#[derive(Debug)]
pub(super) struct Httperf;

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
