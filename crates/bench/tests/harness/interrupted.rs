//! Whatever ends the harness, nothing that it started is left, and what was measured can be read.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use hello_bench::results::{REPORT_FILE, RUN_FILE, Run};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::fixture::{Fixture, reasons};

/// A run that would take minutes, and has begun to measure.
pub fn long_run(fixture: &Fixture) -> Child {
    let mut command = fixture.command(&["--blocks", "500", "--shape", "keep-alive"]);
    let said = std::fs::File::create(fixture.path("stderr")).unwrap();
    let child = command.stdout(Stdio::piped()).stderr(said).spawn().unwrap();
    until_slices(fixture, 1);
    child
}

/// Waits until this many slices are kept.
pub fn until_slices(fixture: &Fixture, count: usize) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while Run::read(&fixture.out()).map_or(0, |run| run.slices.len()) < count {
        assert!(Instant::now() < deadline, "nothing is measured");
        sleep(Duration::from_millis(20));
    }
}

pub fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

pub fn nothing_is_left(fixture: &Fixture) {
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

/// Moments after the start of a run, from a seed that is printed; `HELLO_BENCH_TEST_SEED` repeats it.
fn moments(count: usize, below: Duration) -> Vec<Duration> {
    let given = std::env::var("HELLO_BENCH_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = given.unwrap_or_else(hello_bench::run::fresh_seed);
    println!("HELLO_BENCH_TEST_SEED={seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| below.mul_f64(random.random_range(0.0..1.0))).collect()
}

#[test]
fn a_harness_killed_at_any_moment_leaves_nothing_running_and_its_result_readable() {
    for moment in moments(10, Duration::from_secs(8)) {
        println!("killed after {moment:?}");
        let fixture = Fixture::new().with("ignores-term", 0).with("forks", 0).with("slow", 1).with("daemonises", 0);
        let mut command = fixture.command(&["--blocks", "500"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(moment);
        signal(&child, Signal::SIGKILL);
        child.wait().unwrap();
        nothing_is_left(&fixture);
        if fixture.out().join(RUN_FILE).exists() {
            assert!(Run::read(&fixture.out()).unwrap().is_partial());
        }
    }
}

#[test]
fn a_harness_that_is_ended_while_it_builds_leaves_no_compiler() {
    let real = env!("CARGO");
    for which in [Signal::SIGKILL, Signal::SIGINT] {
        let fixture = Fixture::new().with("none", 0);
        let slow = fixture.path("cargo");
        let (begun, marker) = (fixture.path("begun"), format!("100000.{}", std::process::id()));
        // Like cargo with a compiler that does not end.
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = build ] || exec {real} \"$@\"\nsleep {marker} &\n: > {}\nwait\n",
            begun.display()
        );
        std::fs::write(&slow, script).unwrap();
        std::fs::set_permissions(&slow, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = fixture.command(&["std-threads"]);
        let mut child = command.env("CARGO", &slow).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_mins(1);
        while !begun.exists() {
            assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none(), "nothing is built");
            sleep(Duration::from_millis(20));
        }
        signal(&child, which);
        let status = child.wait().unwrap();
        assert!(which == Signal::SIGKILL || status.code() == Some(130), "{status}");
        let deadline = Instant::now() + Duration::from_secs(10);
        while running(&marker) {
            assert!(Instant::now() < deadline, "{which}: the compiler runs on");
            sleep(Duration::from_millis(20));
        }
        assert!(!fixture.out().exists(), "a result was begun");
    }
}

fn running(word: &str) -> bool {
    let all = procfs::process::all_processes().unwrap().flatten();
    all.filter_map(|process| process.cmdline().ok()).any(|cmdline| cmdline.iter().any(|w| w == word))
}

#[test]
fn what_a_killed_supervisor_owned_is_ended_and_the_run_goes_on() {
    let fixture = Fixture::new().with("ignores-term", 0).with("daemonises", 0);
    let child = long_run(&fixture);
    let pid = i32::try_from(child.id()).unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    let killed = |target: &str| {
        reasons(&Run::read(&fixture.out()).unwrap(), target).iter().any(|why| why.contains("its supervisor was killed"))
    };
    while !(killed("ignores-term") && killed("daemonises")) {
        assert!(Instant::now() < deadline, "no slice says so");
        let supervisors = procfs::process::all_processes().unwrap().flatten().filter(|process| {
            process.stat().is_ok_and(|stat| stat.ppid == pid)
                && process.cmdline().is_ok_and(|line| line.get(1).is_some_and(|word| word == "supervise"))
        });
        for supervisor in supervisors {
            let _ = kill(Pid::from_raw(supervisor.pid), Signal::SIGKILL);
        }
        sleep(Duration::from_millis(700));
    }
    let slices = Run::read(&fixture.out()).unwrap().slices.len();
    until_slices(&fixture, slices + 2);
    signal(&child, Signal::SIGINT);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert_eq!(fixture.left_behind(), [] as [String; 0]);
}

#[test]
fn what_a_target_printed_is_kept_before_its_end_is_told() {
    // More than the log's pipe takes, and no more than it and the target's own take together: the target ends while
    // the supervisor waits for a reader of the log.
    const PRINTED: usize = 100_000;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    nix::unistd::mkfifo(&log, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut supervisor = Command::new(env!("CARGO_BIN_EXE_hello-bench"))
        .args(["supervise", "--log", log.to_str().unwrap(), "--", "sh", "-c"])
        .arg(format!("head -c {PRINTED} /dev/zero; exit 3"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut kept = std::fs::File::open(&log).unwrap();
    let is_read = Arc::new(AtomicBool::new(false));
    let reader = std::thread::spawn({
        let is_read = Arc::clone(&is_read);
        move || {
            sleep(Duration::from_millis(500));
            is_read.store(true, Ordering::SeqCst);
            let mut all = Vec::new();
            kept.read_to_end(&mut all).map(|_| all.len())
        }
    });
    let told = BufReader::new(supervisor.stdout.take().unwrap()).lines().map_while(Result::ok);
    let told: Vec<String> = told.take_while(|line| line != "alone").collect();
    assert!(is_read.load(Ordering::SeqCst), "its end was told while what it printed was not kept");
    assert_eq!(told.last().map(String::as_str), Some("exited with status 3"));
    drop(supervisor.stdin.take());
    supervisor.wait().unwrap();
    assert_eq!(reader.join().unwrap().unwrap(), PRINTED);
}
