//! Damaged output gives the true figures or a failure, never a wrong number.

use hello_bench::load::{Exit, Output, Report, TOOLS, tool};
use proptest::prelude::*;

mod samples;
use samples::Sample;

/// Parses `stdout` in place of that of `sample`.
fn parse(sample: &Sample, stdout: &[u8]) -> Option<Report> {
    tool(&sample.tool).unwrap().parse(&sample.with_stdout(stdout)).ok()
}

/// Fails if `stdout` is a measurement with figures that the undamaged sample does not have.
fn never_another_number(sample: &Sample, stdout: &[u8], what: &str) {
    let Some(damaged) = parse(sample, stdout) else { return };
    let name = &sample.name;
    let text = String::from_utf8_lossy(stdout);
    let whole = match tool(&sample.tool).unwrap().parse(&sample.output()) {
        Ok(whole) => whole,
        // What a line that is gone said cannot be known; but it is the requests that are wrong then, not the number.
        Err(failure) => *failure.seen,
    };
    assert_eq!(damaged.requests, whole.requests, "{name}, {what}:\n{text}");
    let same = |one: Option<f64>, other: Option<f64>| match (one, other) {
        // Without its exact line or file a tool's rounded figures remain, and may be no more off than their rounding.
        (Some(one), Some(other)) => (one - other).abs() <= 0.02 * other.abs() + 1e-9,
        (None, _) => true,
        (Some(_), None) => false,
    };
    assert!(same(damaged.duration_s, whole.duration_s), "{name}, {what}: duration\n{text}");
    assert!(same(damaged.rps, whole.rps), "{name}, {what}: rps\n{text}");
    assert!(same(damaged.bytes.map(|n| n as f64), whole.bytes.map(|n| n as f64)), "{name}, {what}: bytes\n{text}");
    assert!(same(damaged.latency_us.max, whole.latency_us.max), "{name}, {what}: max\n{text}");
    assert!(same(damaged.latency_us.p99, whole.latency_us.p99), "{name}, {what}: p99\n{text}");
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

#[test]
fn cut_after_any_line_it_is_true_or_failed() {
    for sample in samples::all() {
        let lines = lines(&sample.stdout);
        for kept in 0..lines.len() {
            never_another_number(&sample, &lines[..kept].concat(), &format!("{kept} lines kept"));
        }
    }
}

#[test]
fn cut_after_any_byte_it_is_true_or_failed() {
    for sample in samples::all() {
        for kept in 0..sample.stdout.len() {
            never_another_number(&sample, &sample.stdout[..kept], &format!("{kept} bytes kept"));
        }
    }
}

#[test]
fn without_any_one_line_it_is_true_or_failed() {
    for sample in samples::all() {
        let lines = lines(&sample.stdout);
        for gone in 0..lines.len() {
            let rest = [&lines[..gone], &lines[gone + 1..]].concat().concat();
            never_another_number(&sample, &rest, &format!("line {gone} gone"));
        }
    }
}

#[test]
fn a_digit_too_few_or_changed_is_noticed_in_requests_and_duration() {
    for sample in samples::all().into_iter().filter(Sample::is_ok) {
        let report = parse(&sample, &sample.stdout).unwrap();
        let requests = report.requests.unwrap();
        if requests < 100 {
            continue; // The rounded duration of a handful of requests says too little.
        }
        let text = String::from_utf8_lossy(&sample.stdout).into_owned();
        for wrong in [requests / 10, requests * 10, requests + requests / 20] {
            for (from, to) in [
                (format!("Complete requests:      {requests}"), format!("Complete requests:      {wrong}")),
                (format!("{requests} requests in"), format!("{wrong} requests in")),
                (format!("\"200\": {requests}"), format!("\"200\": {wrong}")),
                (format!("{requests} done"), format!("{wrong} done")),
                (format!("replies {requests}"), format!("replies {wrong}")),
            ] {
                let changed = text.replace(&from, &to);
                assert!(changed == text || parse(&sample, changed.as_bytes()).is_none(), "{}: {to}", sample.name);
            }
        }
    }
}

#[test]
fn text_before_or_after_changes_nothing_or_fails() {
    let noise = "\nstarting up\n12 requests\n50% 3\nError: 7\nSummary: 9 req/s\n";
    for sample in samples::all() {
        let before = [noise.as_bytes(), &sample.stdout].concat();
        never_another_number(&sample, &before, "text before");
        let after = [&sample.stdout[..], noise.as_bytes()].concat();
        never_another_number(&sample, &after, "text after");
    }
}

#[test]
fn two_reports_are_not_one() {
    for sample in samples::all() {
        let twice = [&sample.stdout[..], b"\n", &sample.stdout].concat();
        assert_eq!(parse(&sample, &twice), None, "{}", sample.name);
        for other in samples::all().into_iter().filter(|other| other.tool == sample.tool && other.is_ok()) {
            let both = [&sample.stdout[..], b"\n", &other.stdout].concat();
            if sample.is_ok() {
                assert_eq!(parse(&sample, &both), None, "{} and {}", sample.name, other.name);
            }
        }
    }
}

#[test]
fn line_ends_of_another_system_change_nothing() {
    for sample in samples::all() {
        let crlf = String::from_utf8_lossy(&sample.stdout).replace('\n', "\r\n");
        assert_eq!(parse(&sample, crlf.as_bytes()), parse(&sample, &sample.stdout), "{}", sample.name);
    }
}

#[test]
fn a_decimal_comma_is_no_number() {
    for sample in samples::all().into_iter().filter(|sample| sample.tool != "oha") {
        let text = String::from_utf8_lossy(&sample.stdout).into_owned();
        let mut comma: Vec<char> = text.chars().collect();
        for i in 1..comma.len() - usize::from(comma.len() > 1) {
            if comma[i] == '.' && comma[i - 1].is_ascii_digit() && comma[i + 1].is_ascii_digit() {
                comma[i] = ',';
            }
        }
        let comma: String = comma.into_iter().collect();
        assert_eq!(parse(&sample, comma.as_bytes()), None, "{}", sample.name);
    }
}

#[test]
fn a_whole_report_of_a_tool_that_did_not_end_well_is_failed() {
    for sample in samples::all() {
        for exit in [Exit::Code(1), Exit::Code(22), Exit::Signal(2), Exit::Signal(9), Exit::Signal(15)] {
            let failure = tool(&sample.tool).unwrap().parse(&Output { exit, ..sample.output() }).unwrap_err();
            let how = if matches!(exit, Exit::Code(_)) { "ended with exit status" } else { "was ended by signal" };
            assert!(failure.reason.starts_with(&format!("{} {how}", sample.tool)), "{}", failure.reason);
        }
    }
}

#[test]
fn an_exit_that_nobody_recorded_leaves_the_output_to_speak() {
    for sample in samples::all().into_iter().filter(Sample::is_ok) {
        let unknown = Output { exit: Exit::Unknown, ..sample.output() };
        assert!(tool(&sample.tool).unwrap().parse(&unknown).is_ok(), "{}", sample.name);
    }
}

#[test]
fn the_output_of_one_tool_is_none_of_another() {
    for sample in samples::all() {
        for other in TOOLS.into_iter().filter(|other| other.name() != sample.tool) {
            assert!(other.parse(&sample.output()).is_err(), "{} as {}", sample.name, other.name());
        }
    }
}

#[test]
fn nothing_usage_and_noise_are_unrecognised() {
    let texts: [&[u8]; 6] =
        [b"", b"\n\n", b"{}", b"null", b"Usage: ab [options] [http[s]://]hostname", &[0xff, 0, 0xfe]];
    for known in TOOLS {
        for stdout in texts {
            for exit in [Exit::Unknown, Exit::Code(0)] {
                let failure = known.parse(&Output { stdout, exit, ..Output::default() }).unwrap_err();
                assert!(failure.reason.starts_with("unrecognised"), "{}", failure.reason);
                assert_eq!(failure.seen.rps, None);
                assert_eq!(failure.seen.good_requests, None);
            }
        }
    }
}

#[test]
fn a_second_file_that_is_damaged_or_of_another_run_is_noticed() {
    let whole = samples::all();
    for sample in whole.iter().filter(|sample| sample.is_ok() && sample.side_file.is_some()) {
        let side_file = sample.side_file.as_deref().unwrap();
        let rows = lines(side_file);
        for kept in 0..rows.len() {
            let cut = rows[..kept].concat();
            let output = Output { side_file: Some(&cut), ..sample.output() };
            assert!(tool(&sample.tool).unwrap().parse(&output).is_err(), "{}: {kept} rows", sample.name);
        }
        for other in whole.iter().filter(|other| other.tool == sample.tool && other.name != sample.name) {
            let Some(side_file) = other.side_file.as_deref() else { continue };
            let output = Output { side_file: Some(side_file), ..sample.output() };
            if let Ok(report) = tool(&sample.tool).unwrap().parse(&output) {
                // Two runs can have the same longest request to the millisecond.
                let max = tool(&sample.tool).unwrap().parse(&sample.output()).unwrap().latency_us.max;
                assert!((report.latency_us.max.unwrap() - max.unwrap()).abs() < 2000.0, "{}", sample.name);
            }
        }
    }
}

#[test]
fn a_csv_file_that_does_not_rise_is_not_used() {
    let sample = samples::named("ab-keepalive-ok");
    let side_file = String::from_utf8(sample.side_file.clone().unwrap()).unwrap();
    let falls = side_file.lines().map(|row| if row.starts_with("90,") { "90,0.001" } else { row }).collect::<Vec<_>>();
    let falls = falls.join("\n");
    let output = Output { side_file: Some(falls.as_bytes()), ..sample.output() };
    let reason = tool("ab").unwrap().parse(&output).unwrap_err().reason;
    assert_eq!(reason, "unrecognised output of ab: the CSV file does not rise from row to row");
}

#[test]
fn counts_that_do_not_add_up_are_unrecognised() {
    for (name, from, to) in [
        ("httperf-503", "5xx=200", "5xx=0"),
        ("httperf-down", "connrefused 50", "connrefused 0"),
        ("h2load-h1-ok", "50000 2xx", "40000 2xx"),
        ("h2load-h1-500", "100 failed", "0 failed"),
        ("ab-reset-midrun-r", "Exceptions: 10", "Exceptions: 0"),
        ("ab-varlen-length-failures", "Failed requests:        666", "Failed requests:        0"),
    ] {
        let sample = samples::named(name);
        let changed = String::from_utf8_lossy(&sample.stdout).replace(from, to);
        let failure = tool(&sample.tool).unwrap().parse(&sample.with_stdout(changed.as_bytes())).unwrap_err();
        assert!(failure.reason.starts_with("unrecognised output"), "{name}: {failure}");
    }
}

#[test]
fn a_script_line_that_disagrees_with_the_report_is_noticed() {
    let sample = samples::named("wrk-mixed-503-script");
    let text = String::from_utf8(sample.stdout.clone()).unwrap();
    let reason = |stdout: &str| tool("wrk").unwrap().parse(&sample.with_stdout(stdout.as_bytes())).unwrap_err().reason;
    // The line of errors is gone from the report for people; the script's has them.
    let gone: String = text.split_inclusive('\n').filter(|line| !line.contains("Non-2xx")).collect();
    assert_eq!(reason(&gone), "unrecognised output of wrk: the line of the script and the report disagree");
    let ok = samples::named("wrk-ok-script");
    let text = String::from_utf8(ok.stdout.clone()).unwrap();
    for key in ["requests", "duration_us", "bytes", "connect", "read", "write", "timeout", "status", "mean", "max"] {
        let changed = text.replace(&format!("\"{key}\":"), &format!("\"{key}\":9"));
        assert_ne!(changed, text);
        assert!(parse(&ok, changed.as_bytes()).is_none(), "{key}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_parser_panic_or_measure(
        stdout in proptest::collection::vec(any::<u8>(), 0..400),
        stderr in proptest::collection::vec(any::<u8>(), 0..100),
        side in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..200)),
        code in proptest::option::of(any::<i32>()),
    ) {
        let exit = code.map_or(Exit::Unknown, Exit::from_number);
        let output = Output { stdout: &stdout, stderr: &stderr, exit, side_file: side.as_deref() };
        for known in TOOLS {
            prop_assert!(known.parse(&output).is_err());
        }
    }

    #[test]
    fn no_damage_to_a_sample_makes_a_parser_panic(
        pick in any::<prop::sample::Index>(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), prop::sample::select(&b"0189.,-% \n:{}\"naminfBKes\xff"[..])), 1..8),
    ) {
        let all = samples::all();
        let sample = pick.get(&all);
        let mut stdout = sample.stdout.clone();
        for (at, byte) in edits {
            if !stdout.is_empty() {
                let at = at.index(stdout.len());
                stdout[at] = byte;
            }
        }
        if let Some(report) = parse(sample, &stdout) {
            prop_assert!(report.requests.is_some_and(|requests| requests > 0));
            prop_assert_eq!(report.good_requests, report.requests);
            prop_assert!(report.duration_s.is_some_and(|duration| duration > 0.0));
        }
    }
}
