//! Whatever ends the harness, nothing that it started is left, and what was measured can be read.

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use hello_bench::results::{REPORT_FILE, Run};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::fixture::Fixture;

/// A run that would take minutes, and has begun to measure.
fn long_run(fixture: &Fixture) -> Child {
    let mut command = fixture.command(&["--blocks", "500", "--shape", "keep-alive"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    while Run::read(&fixture.out()).map_or(0, |run| run.slices.len()) == 0 {
        assert!(Instant::now() < deadline, "nothing is measured");
        sleep(Duration::from_millis(20));
    }
    child
}

fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

fn nothing_is_left(fixture: &Fixture) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !fixture.left_behind().is_empty() {
        assert!(Instant::now() < deadline, "left behind: {:?}", fixture.left_behind());
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_signal_ends_a_run_with_what_was_measured() {
    for which in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let fixture = Fixture::new().with("none", 0);
        let child = long_run(&fixture);
        signal(&child, which);
        let output = child.wait_with_output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(130), "{which}: {printed}");
        assert!(printed.contains("PARTIAL"), "{which}: {printed}");
        assert_eq!(fixture.left_behind(), [] as [String; 0], "{which}");
        assert!(Run::read(&fixture.out()).unwrap().is_partial());
        assert!(std::fs::read_to_string(fixture.out().join(REPORT_FILE)).unwrap().contains("PARTIAL"));
    }
}

#[test]
fn a_killed_harness_leaves_nothing_running_and_its_result_readable() {
    for wait_ms in [0, 170, 340, 510, 680, 850, 1020, 1190, 1360, 1530] {
        let fixture = Fixture::new().with("ignores-term", 0).with("forks", 0);
        let mut child = long_run(&fixture);
        sleep(Duration::from_millis(wait_ms));
        signal(&child, Signal::SIGKILL);
        child.wait().unwrap();
        nothing_is_left(&fixture);
        let run = Run::read(&fixture.out()).unwrap();
        assert!(run.is_partial() && !run.slices.is_empty());
    }
}
