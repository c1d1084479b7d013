//! The pipelined and fixed-rate shapes, and sweeps, from the command line to the report.

use hello_bench::load::Shape;
use hello_bench::plan::{Knob, Setting};
use hello_bench::results::{Outcome, Run};

use crate::fixture::{Fixture, hello_bench, reasons, text};

fn report(fixture: &Fixture) -> String {
    std::fs::read_to_string(fixture.out().join("report.md")).unwrap()
}

/// Only oha keeps a rate, and it is optional.
fn has_oha() -> bool {
    let has = std::process::Command::new("oha").arg("--version").output().is_ok();
    if !has {
        eprintln!("oha is not installed: cargo install oha --locked");
    }
    has
}

#[test]
fn pipelined_requests_have_a_table_of_their_own_and_a_server_that_drops_them_fails() {
    let fixture = Fixture::new().with("none", 0).with("drops-pipelined", 0).with("other-length", 100);
    let args = ["--shape", "pipelined", "--depth", "4", "--connections", "2", "--blocks", "1"];
    let (status, printed, run) = fixture.run(&[&args[..], &["--shape", "keep-alive"]].concat());
    assert_eq!(status, Some(1), "{printed}");
    let of = |target: &str, shape| {
        let slice = run.slices.iter().find(|slice| slice.cell.target == target && slice.cell.shape == shape).unwrap();
        match &slice.outcome {
            Outcome::Valid(_) => String::new(),
            Outcome::Failed(failed) => failed.reason.clone(),
        }
    };
    assert_eq!(of("none", Shape::Pipelined), "", "{printed}");
    assert_eq!(of("none", Shape::KeepAlive), "", "{printed}");
    assert_eq!(of("drops-pipelined", Shape::KeepAlive), "", "{printed}");
    assert!(of("drops-pipelined", Shape::Pipelined).contains("answer 2 of 4 pipelined"), "{printed}");
    assert!(of("other-length", Shape::Pipelined).contains("bytes came for"), "{printed}");
    let report = report(&fixture);
    assert!(report.contains("## pipelined: 2 connections, 4 requests under way on each"), "{report}");
    assert!(report.contains("## keep-alive: 2 connections"), "{report}");
    assert_eq!(fixture.left_behind(), [] as [String; 0]);
}

#[test]
fn a_fixed_rate_is_the_same_for_all_and_its_latencies_stand_alone() {
    if !has_oha() {
        return;
    }
    let fixture = Fixture::new().with("none", 0).with("some-errors", 100).with("resets", 100);
    let args = ["--shape", "fixed-rate", "--rate", "200", "--connections", "4", "--blocks", "2"];
    let (status, printed, run) = fixture.run(&args);
    assert_eq!(status, Some(1), "{printed}");
    assert_eq!(reasons(&run, "none"), ["", ""], "{printed}");
    assert!(reasons(&run, "some-errors").iter().all(|reason| reason.contains("were not 2xx")), "{printed}");
    assert!(reasons(&run, "resets").iter().all(|reason| reason.contains("of 200 requests")), "{printed}");
    assert_eq!(run.record.options.rate, Some(200));
    let seen = |name: &str| run.record.capacity.iter().find(|one| one.target == name).unwrap().rps;
    assert!(seen("none").is_some_and(|rps| rps > 200.0) && seen("some-errors").is_none(), "{printed}");
    for slice in run.slices.iter().filter(|slice| slice.cell.target == "none") {
        let Outcome::Valid(measurement) = &slice.outcome else { panic!("{printed}") };
        assert_eq!((measurement.requests, measurement.closed_loop_latency_us.p99), (200, None));
        // All but the first tenth.
        assert_eq!(measurement.fixed_rate.as_ref().unwrap().latencies_ns.count(), 180);
    }
    let report = report(&fixture);
    let row = report.lines().find(|line| line.starts_with("| none | 200 |")).unwrap_or_else(|| panic!("{report}"));
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    // 360 requests: too few beyond the 99th and the 99.9th percentile.
    assert!(cells[4] != "–" && cells[5] != "–" && cells[6..=7] == ["–", "–"] && cells[8] != "–", "{row}");
}

#[test]
fn a_rate_without_room_above_it_is_refused_before_anything_is_kept() {
    if !has_oha() {
        return;
    }
    let fixture = Fixture::new().with("none", 0);
    let args = ["--shape", "fixed-rate", "--rate", "9000000", "--connections", "4", "--blocks", "1"];
    let output = fixture.command(&args).output().unwrap();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains("over 70 %") && printed.contains("none, the slowest"), "{printed}");
    assert!(!fixture.out().exists(), "a result was begun");
    assert_eq!(fixture.left_behind(), [] as [String; 0]);
}

fn sweep(fixture: &Fixture, what: &[&str], names: &[&str]) -> (Option<i32>, String) {
    let mut command = hello_bench();
    command.arg("sweep").args(what).args(names).arg("--targets").arg(fixture.file()).arg("--out").arg(fixture.out());
    let output = command.output().unwrap();
    (output.status.code(), text(&output))
}

#[test]
fn a_sweep_measures_every_step_in_every_block_and_names_the_knee() {
    let fixture = Fixture::new().with("none", 0).with("exits", 0);
    let (status, printed) = sweep(&fixture, &["connections", "1..3", "--blocks", "2"], &["none", "exits"]);
    assert_eq!(status, Some(1), "{printed}");
    let run = Run::read(&fixture.out()).unwrap();
    assert_eq!(run.record.options.sweep, Some(Knob::Connections));
    for block in 0..2 {
        for value in 1..=3 {
            let setting = Some(Setting { knob: Knob::Connections, value });
            let own = run.slices.iter().filter(|slice| slice.block == block && slice.cell.target == "none");
            let own: Vec<_> = own.filter(|slice| slice.cell.setting == setting).collect();
            assert_eq!(own.len(), 1, "{printed}");
            assert!(own[0].command.contains(&format!("-c{value}")), "{:?}", own[0].command);
        }
    }
    for told in [&printed, &report(&fixture)] {
        assert!(told.contains("none: knee at ") || told.contains("none: no knee below 3 connections"), "{told}");
        assert!(told.contains("FAILED 2 connections: exits: every slice not started"), "{told}");
    }
}

#[test]
fn a_sweep_of_rates_shows_how_far_a_server_keeps_up() {
    if !has_oha() {
        return;
    }
    let fixture = Fixture::new().with("none", 0);
    let args = ["rate", "100..200", "--blocks", "1", "--connections", "4"];
    let (status, printed) = sweep(&fixture, &args, &["none"]);
    assert_eq!(status, Some(0), "{printed}");
    let told = report(&fixture);
    assert!(told.contains("keeps up with all of these rates, to 200"), "{told}");
    assert!(told.contains("| none | 100 |") && told.contains("| none | 200 |"), "{told}");
}
