//! Whether what a tool said is a measurement, in one place for all tools.

use super::{Errors, Exit, Failure, Output, Report, text};

/// A report is one only if the tool ended well, requests were answered, and nothing at all went wrong.
pub(super) fn judge(tool: &str, output: &Output, report: Report, read: Result<(), String>) -> Result<Report, Failure> {
    let mut reasons = Vec::new();
    let said = complaint(output.stderr);
    let ended = match output.exit {
        Exit::Unknown | Exit::Code(0) => None,
        Exit::Code(code) => Some(format!("{tool} ended with exit status {code}")),
        Exit::Signal(signal) => Some(format!("{tool} was ended by signal {signal}")),
    };
    let well = ended.is_none();
    if let Some(mut reason) = ended {
        if let Some(said) = &said {
            reason = format!("{reason}: {said}");
        }
        if let Some(requests) = report.requests.filter(|requests| *requests > 0) {
            reason = format!("{reason} (after {requests} requests)");
        }
        reasons.push(reason);
    }
    match read {
        // Why there is no report is said above.
        Err(_) if !well => {}
        Err(what) => {
            let said = said.map(|said| format!("; it said: {said}")).unwrap_or_default();
            reasons.push(format!("unrecognised output of {tool}: {what}{said}"));
        }
        Ok(()) => reasons.extend(wrong(tool, &report, well)),
    }
    if reasons.is_empty() { Ok(report) } else { Err(Failure { reason: reasons.join("; "), seen: Box::new(report) }) }
}

/// What a recognised report itself says went wrong.
fn wrong(tool: &str, report: &Report, ended_well: bool) -> Vec<String> {
    let mut reasons = counters(tool, report);
    match report.requests {
        None => reasons.push(format!("unrecognised output of {tool}: no number of requests")),
        Some(0) => {
            let time = report.duration_s.map(|duration| format!(" in {duration:.3} s")).unwrap_or_default();
            let hangs = ended_well && reasons.is_empty();
            let why = if hangs { format!(", and {tool} said no error: the server hangs") } else { String::new() };
            reasons.insert(0, format!("no request was answered{time}{why}"));
        }
        Some(requests) if reasons.is_empty() && report.good_requests != Some(requests) => {
            reasons.push(format!(
                "unrecognised output of {tool}: not all {requests} requests were good, and it said no error"
            ));
        }
        Some(_) if ended_well && !report.duration_s.is_some_and(|duration| duration > 0.0) => {
            reasons.push(format!("{tool} measured no time: too few requests for its clock"));
        }
        Some(_) => {}
    }
    reasons
}

fn counters(tool: &str, report: &Report) -> Vec<String> {
    let of = report.requests.unwrap_or_default();
    let beside = if of > 0 { format!(", beside {of} answers") } else { String::new() };
    let status = if tool == "wrk" { "had a status above 399" } else { "were not 2xx" };
    let Errors { connect, read, write, timeout, non_2xx, length, receive, exceptions } = report.errors;
    [
        (non_2xx, [""; 2], format!(" of {of} answers {status}")),
        (connect, [" connection", " connections"], format!(" could not be made{beside}")),
        (read, [" read", " reads"], format!(" failed{beside}")),
        (write, [" write", " writes"], format!(" failed{beside}")),
        (timeout, [" answer", " answers"], " took longer than the timeout".to_owned()),
        (length, [""; 2], format!(" of {of} answers had another length than the first")),
        (receive, [" receive", " receives"], format!(" failed{beside}")),
        (exceptions, [" other error", " other errors"], beside.clone()),
    ]
    .into_iter()
    .filter_map(|(counter, [one, many], what)| {
        let n = counter.filter(|n| *n > 0)?;
        Some(format!("{n}{}{what}", if n == 1 { one } else { many }))
    })
    .collect()
}

/// The first line of standard error that is neither progress nor a remark of every run.
fn complaint(stderr: &[u8]) -> Option<String> {
    let printed = text::text(stderr);
    let idle = |line: &&str| {
        !line.is_empty() && !["Completed ", "Finished ", "httperf: warning"].iter().any(|start| line.starts_with(start))
    };
    printed.lines().map(str::trim).find(idle).map(text::shown)
}
