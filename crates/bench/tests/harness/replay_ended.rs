//! Replays that are ended, whose targets end, or whose load tool is not there.

use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use hello_bench::replay::Replay;
use nix::sys::signal::Signal;

use crate::fixture::{Fixture, hello_bench, text};
use crate::interrupted::{nothing_is_left, signal};
use crate::replayed::command;

#[test]
fn an_interrupted_replay_keeps_its_trials_and_says_that_it_is_partial() {
    let fixture = Fixture::new().with("none", 0).with("forks", 0);
    let mut asked = command(&fixture, "cherrypy-threads", &["none", "forks"]);
    let child = asked.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    while Replay::read(&fixture.out()).map_or(0, |replay| replay.trials.len()) < 1 {
        assert!(Instant::now() < deadline, "nothing is measured");
        sleep(Duration::from_millis(20));
    }
    signal(&child, Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{printed}");
    nothing_is_left(&fixture);
    let replay = Replay::read(&fixture.out()).unwrap();
    assert!(replay.is_partial() && !replay.trials.is_empty());
    let words = format!("PARTIAL: {} of {} trials", replay.trials.len(), replay.record.planned);
    let report = std::fs::read_to_string(fixture.out().join("report.md")).unwrap();
    assert!(printed.contains(&words) && report.contains(&words), "{printed}");

    let listed = hello_bench().arg("results").arg(fixture.path(".")).output().unwrap();
    // Columns are as wide as there is room for, and words may be broken to fit.
    let listed: String = text(&listed).split_whitespace().collect();
    assert!(listed.contains("partial,") && listed.contains("trials") && listed.contains("cherrypy"), "{listed}");
}

#[test]
fn a_target_that_ends_in_the_middle_voids_its_row_and_the_rest_goes_on() {
    let fixture = Fixture::new().with("none", 0).with("dies", 100);
    let output = command(&fixture, "pyramid-node-gevent", &["none", "dies"]).output().unwrap();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    let replay = Replay::read(&fixture.out()).unwrap();
    assert!(!replay.is_partial(), "{printed}");
    assert_eq!((replay.found("none", |_| true).count(), replay.found("dies", |_| true).count()), (3, 0), "{printed}");
    let report = std::fs::read_to_string(fixture.out().join("report.md")).unwrap();
    let (_, failed) = report.split_once("\n## Failed\n").unwrap();
    assert!(failed.contains("- dies (") && failed.contains("status 3"), "{failed}");
    nothing_is_left(&fixture);
}

#[test]
fn without_a_load_tool_nothing_is_started_and_another_one_says_that_it_stands_in() {
    let fixture = Fixture::new().with("none", 0);
    let tools = fixture.path("tools");
    std::fs::create_dir(&tools).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let give = |name: &str| {
        let program = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.exists());
        symlink(program.unwrap_or_else(|| panic!("{name} is not installed")), tools.join(name)).unwrap();
    };
    // What describes the workspace.
    ["cargo", "rustc"].into_iter().for_each(give);
    let ask = || command(&fixture, "twisted-tornado", &["none"]).env("PATH", &tools).output().unwrap();
    let output = ask();
    let printed = text(&output);
    assert_eq!((output.status.code(), printed.trim_end().lines().count()), (Some(2), 1), "{printed}");
    assert!(printed.contains("none of oha, h2load, wrk is installed; get one with `cargo install oha"), "{printed}");
    assert!(printed.contains("or `apt install nghttp2-client`"), "{printed}");
    assert!(!fixture.out().exists());

    give("wrk");
    let output = ask();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("wrk stands in for The Grinder"), "{}", text(&output));
    let why =
        "arning: wrk drives the users, because neither oha nor h2load is installed; get one with `cargo install oha";
    assert!(String::from_utf8_lossy(&output.stderr).contains(why), "{}", text(&output));
    assert!(std::fs::read_to_string(fixture.out().join("report.md")).unwrap().contains(why));
}
