//! Each way in which a server goes wrong has its row, in words, and the others are measured all the same.

use hello_bench::results::Outcome;

use crate::fixture::{Fixture, fault_server, free_port, reasons};

/// Fault, after how much, and what its reason must say.
type Case = (&'static str, u64, &'static [&'static str]);

const AT_START: &[Case] = &[
    ("exits", 0, &["status 1", "cannot read my configuration"]),
    ("silent", 0, &["no agreed response within 2s", "no answer"]),
    ("slow", 30, &["no agreed response within 2s", "it listens nowhere"]),
    ("next-port", 0, &["it listens on 127.0.0.1:", "not on 127.0.0.1:"]),
    ("ipv6-only", 0, &["it listens on [::1]:", "not on 127.0.0.1:"]),
    ("other-body", 0, &["body", "Hello Wurst"]),
    ("unavailable", 0, &["status: 503 instead of 200"]),
    ("not-http", 0, &["not HTTP"]),
    ("stale-date", 0, &["date", "1970"]),
    ("never-reads", 0, &["no answer within"]),
    ("chunked", 0, &["in chunks", "Content-Length"]),
];

const UNDER_WRK: &[Case] = &[
    ("some-errors", 100, &["answers had a status above 399"]),
    // wrk takes these for good answers, and their size is the agreed one: the check behind the slice sees them.
    ("redirects", 100, &["status: 302 instead of 200"]),
    ("other-length", 100, &["bytes came for", "but a response has"]),
    ("dies", 1000, &["it ended with status 3"]),
    ("hangs", 100, &["some got no answer"]),
    ("resets", 100, &["failed"]),
    ("truncates", 100, &["reads failed"]),
    ("worker-dies", 500, &["the process that listened (pid ", "ended, and it listens nowhere"]),
    ("worker-is-replaced", 500, &["the process that listened (pid ", "listens now"]),
    ("closes-its-port", 500, &["it closed its port"]),
    // Three for the checks and the warm-up, and a part of the load tool's.
    ("stops-accepting", 6, &["no answer"]),
    ("half-closes", 0, &["that it said it keeps"]),
];

const UNDER_AB: &[Case] = &[
    ("some-errors", 100, &["answers were not 2xx"]),
    ("redirects", 100, &["answers were not 2xx"]),
    ("other-length", 100, &["another length"]),
    ("dies", 1000, &["it ended with status 3"]),
    ("hangs", 100, &["timeout"]),
    ("resets", 100, &["reset"]),
    ("truncates", 100, &["another length"]),
    ("worker-dies", 500, &["the process that listened (pid ", "ended, and it listens nowhere"]),
    ("closes-its-port", 500, &["it closed its port"]),
    ("stops-accepting", 200, &["timeout"]),
];

#[test]
fn a_server_that_does_not_start_well_says_why_and_the_good_one_is_measured() {
    all_fail_but_the_good_one(AT_START, &["--tool", "wrk", "--shape", "keep-alive"]);
}

#[test]
fn what_goes_wrong_under_wrk_is_failed_and_not_slow() {
    all_fail_but_the_good_one(UNDER_WRK, &["--tool", "wrk", "--shape", "keep-alive", "--connections", "8"]);
}

#[test]
fn what_goes_wrong_under_ab_is_failed_and_not_slow() {
    all_fail_but_the_good_one(UNDER_AB, &["--tool", "ab", "--shape", "close", "--connections", "8"]);
}

fn all_fail_but_the_good_one(cases: &[Case], args: &[&str]) {
    let mut fixture = Fixture::new().with("none", 0);
    for (fault, n, _) in cases {
        fixture = fixture.with(fault, *n);
    }
    let (status, printed, run) = fixture.run(&[args, &["--blocks", "1"]].concat());
    assert_eq!(status, Some(1), "{printed}");
    assert_eq!(reasons(&run, "none"), [""], "{printed}");
    for (fault, _, words) in cases {
        let [reason] = &reasons(&run, fault)[..] else { panic!("{fault}: {printed}") };
        assert!(!reason.is_empty(), "{fault} is taken for good: {printed}");
        for word in *words {
            assert!(reason.contains(word), "{fault}: {reason}");
        }
        assert!(!reason.contains('\n'), "{fault}: {reason}");
        assert!(printed.contains(&format!("FAILED       {fault}: ")), "{printed}");
    }
    assert_eq!(fixture.left_behind(), [] as [String; 0]);
}

#[test]
fn servers_that_are_unusual_but_right_are_measured_and_ended() {
    let unusual = ["forks", "forks-and-leaves", "daemonises", "ignores-term", "mapped", "two-writes"];
    let fixture = unusual.iter().fold(Fixture::new(), |fixture, fault| fixture.with(fault, 0)).with("slow", 1);
    let (status, printed, run) = fixture.run(&["--shape", "keep-alive", "--blocks", "1"]);
    assert_eq!(status, Some(0), "{printed}");
    // The first of them is the baseline, and takes part twice.
    assert_eq!(run.slices.len(), unusual.len() + 2);
    assert_eq!(fixture.left_behind(), [] as [String; 0]);
}

#[test]
fn a_server_that_closes_without_saying_so_is_not_ranked_in_keep_alive() {
    let fixture = Fixture::new().with("none", 0).with("closes-silently", 0);
    let (_, printed, _) = fixture.run(&["--shape", "keep-alive", "--blocks", "1", "--connections", "4"]);
    let line = printed.lines().find(|line| line.contains("closes-silently: ")).unwrap_or_default();
    assert!(line.starts_with("not ranked") || line.starts_with("FAILED"), "{printed}");
}

#[test]
fn what_short_lived_threads_use_is_charged_to_the_server() {
    const BURNT_US: u64 = 400;
    let fixture = Fixture::new().with("none", 0).with("burns", BURNT_US);
    let (_, printed, run) = fixture.run(&["--shape", "keep-alive", "--blocks", "1", "--connections", "4"]);
    let cost = |target: &str| {
        let own = run.slices.iter().find(|slice| slice.cell.target == target).unwrap();
        let Outcome::Valid(measurement) = &own.outcome else { panic!("{printed}") };
        measurement.cost_us
    };
    // The thread itself costs something too, so that only the lower bound is sharp.
    let charged = cost("burns") - cost("none");
    assert!(charged > 0.95 * BURNT_US as f64, "{charged} µs of {BURNT_US} were charged");
    assert!(charged < 3.0 * BURNT_US as f64, "{charged} µs instead of {BURNT_US} were charged");
}

#[test]
fn what_ended_children_use_is_charged_or_the_slice_is_failed() {
    const BURNT_US: u64 = 5000;
    let fixture = Fixture::new().with("burns-in-child", BURNT_US);
    // That a signal is ignored is inherited: the kernel throws the children's time away.
    let port = free_port();
    let words = ["env", "--ignore-signal=CHLD", &fault_server().to_string_lossy(), "burns-in-child"].map(str::to_owned);
    let rest = ["--port", &port.to_string(), "--n", &BURNT_US.to_string()].map(str::to_owned);
    let command: Vec<String> = words.iter().chain(&rest).map(|word| format!("{word:?}")).collect();
    let fixture = fixture.with_command("ignores-children", port, &command.join(", "));
    let (status, printed, run) = fixture.run(&["--shape", "keep-alive", "--blocks", "1", "--connections", "2"]);
    assert_eq!(status, Some(1), "{printed}");
    let charged = run.slices.iter().find_map(|slice| match &slice.outcome {
        Outcome::Valid(measurement) if slice.cell.target == "burns-in-child" => Some(measurement.cost_us),
        _ => None,
    });
    assert!(charged.is_some_and(|cost| cost > 0.9 * BURNT_US as f64), "{charged:?} of {BURNT_US} µs: {printed}");
    let reasons = reasons(&run, "ignores-children");
    assert!(reasons.iter().all(|reason| reason.contains("it ignores SIGCHLD")), "{reasons:?}");
}

#[test]
fn a_server_that_logs_every_request_fills_no_disk_and_does_not_block() {
    let fixture = Fixture::new().with("logs", 0).with("dies", 20_000);
    let (status, printed, run) = fixture.run(&["--shape", "keep-alive", "--blocks", "1"]);
    assert_eq!(status, Some(1), "{printed}");
    assert_eq!(reasons(&run, "logs"), [""]);
    let largest = std::fs::read_dir(fixture.out().join("raw")).unwrap().flatten();
    let largest = largest.filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).max().unwrap();
    assert!(largest < 1 << 20, "{largest} bytes of output were kept");
}

#[test]
fn a_server_that_does_not_rest_when_it_is_idle_is_noted() {
    let fixture = Fixture::new().with("none", 0).with("spins", 30);
    let (status, printed, _) = fixture.run(&["--shape", "keep-alive", "--blocks", "1", "--connections", "4"]);
    assert_eq!(status, Some(0), "{printed}");
    let notes: Vec<&str> = printed.lines().filter(|line| line.contains("of a core when idle")).collect();
    assert!(notes.len() == 1 && notes[0].starts_with("spins uses "), "{printed}");
}
