//! Every replay at its smallest, against a server that does as agreed and one that goes wrong, with the real load tools.

use std::process::{Command, Output};

use hello_bench::process::LOCK_VARIABLE;
use hello_bench::replay::{Found, Outcome, Part, Replay};

use crate::fixture::{Fixture, hello_bench, text};

/// The command of the replay of this name on targets of a fixture.
pub fn command(fixture: &Fixture, name: &str, targets: &[&str]) -> Command {
    let mut command = hello_bench();
    command.env(LOCK_VARIABLE, fixture.path("lock")).args(["replay", name]).args(targets).arg("--quick");
    command.arg("--targets").arg(fixture.file()).arg("--out").arg(fixture.out());
    command
}

/// The replay of this name on the targets of a fixture.
fn replay(fixture: &Fixture, name: &str, targets: &[&str]) -> (Option<i32>, String, Replay) {
    let output = command(fixture, name, targets).output().unwrap();
    let printed = text(&output);
    let replay = Replay::read(&fixture.out()).unwrap_or_else(|error| panic!("{error:#}\n{printed}"));
    (output.status.code(), printed, replay)
}

fn report(fixture: &Fixture) -> String {
    std::fs::read_to_string(fixture.out().join("report.md")).unwrap()
}

/// The tools that are there beside ab and wrk, which the tests install, are optional.
fn has(tool: &str) -> bool {
    let has = std::process::Command::new(tool).arg("--version").output().is_ok();
    if !has {
        eprintln!("{tool} is not installed: not tested");
    }
    has
}

fn found(replay: &Replay, target: &str) -> Vec<Found> {
    replay.found(target, |_| true).cloned().collect()
}

#[test]
fn best_of_three_stands_beside_the_median_and_the_range_of_the_same_three() {
    let fixture = Fixture::new().with("none", 0).with("some-errors", 20);
    let (status, printed, replay) = replay(&fixture, "wsgi-runtimes", &["none", "some-errors"]);
    assert_eq!(status, Some(1), "{printed}");
    let three = found(&replay, "none");
    assert_eq!(three.len(), 3, "{printed}");
    assert!(three.iter().all(|found| found.requests == 200 && found.cost_us > 0.0), "{three:?}");
    assert!(found(&replay, "some-errors").is_empty(), "{printed}");
    let report = report(&fixture);
    assert_eq!(report.lines().filter(|line| line.starts_with("| none | – | – |")).count(), 1, "{report}");
    let (_, failed) = report.split_once("\n## Failed\n").unwrap();
    assert!(failed.contains("- some-errors (200 requests over 10 connections, 3 times): "), "{failed}");
    assert!(printed.contains("6 trials, about "), "it did not say beforehand what it would do: {printed}");
    assert_eq!(fixture.left_behind(), [] as [String; 0]);
}

#[test]
fn a_5xx_voids_the_row_and_all_are_offered_the_same_rates() {
    if !has("httperf") {
        return;
    }
    // The harness asks some 13 times by itself; of what httperf asks, some answers are 500s.
    let fixture = Fixture::new().with("none", 0).with("some-errors", 15);
    let (status, printed, replay) = replay(&fixture, "jruby-mongrel", &["none", "some-errors"]);
    assert_eq!(status, Some(1), "{printed}");
    for per_s in [30, 60] {
        let part = Part::Rate { per_s, connections: 30 };
        let own: Vec<_> = replay.trials.iter().filter(|trial| trial.part == part).collect();
        assert_eq!(own.len(), 2, "{printed}");
        assert!(own.iter().all(|trial| trial.command.contains(&per_s.to_string())), "{own:?}");
        let good = replay.found("none", |own| own == part).next().unwrap_or_else(|| panic!("{printed}"));
        assert_eq!(good.replies.unwrap().statuses, [0, 30, 0, 0, 0]);
        let Some(Outcome::Failed(failed)) =
            own.iter().find(|trial| trial.target == "some-errors").map(|trial| &trial.outcome)
        else {
            panic!("{printed}")
        };
        assert!(failed.reason.contains("of 30 replies were 5xx: void"), "{}", failed.reason);
    }
    let ab = replay.found("none", |part| matches!(part, Part::Requests { .. })).next().unwrap();
    let percent: Vec<u32> = ab.percentiles_ms.iter().map(|(percent, _)| *percent).collect();
    assert_eq!(percent, [50, 66, 75, 80, 90, 95, 98, 99, 100]);
}

#[test]
fn client_threads_have_a_row_each_and_their_average_and_memory_is_of_those_that_can_choose() {
    let fixture = Fixture::new().with("none", 0);
    let (status, printed, replay) = replay(&fixture, "cherrypy-threads", &["none"]);
    assert_eq!(status, Some(0), "{printed}");
    assert_eq!(found(&replay, "none").len(), 5, "{printed}");
    let report = report(&fixture);
    let (_, own) = report.split_once("\n## none: as CherryPy's benchmark prints it\n").unwrap();
    for name in ["25", "50", "100", "200", "400", "Average"] {
        assert!(own.contains(&format!("| {name} | 400 | 0 | ")), "{own}");
    }
    // The fault server cannot be told the size of its stacks.
    assert!(!replay.trials.iter().any(|trial| matches!(trial.part, Part::Stack { .. })), "{printed}");
}

#[test]
fn a_stack_that_is_too_small_is_failed_in_words() {
    let fixture = Fixture::new();
    let (fault, port) = (crate::fixture::fault_server().to_str().unwrap(), crate::fixture::free_port());
    // It serves with a stack of 1 MiB and with its own, and says why it does not with less.
    let script = format!(
        "case $STACK_SIZE in 262144) echo thread has overflowed its stack; kill -ABRT $$ ;; esac; exec {fault} none --port {port}"
    );
    let targets = format!(
        "[[target]]\nname = \"small\"\nkind = \"test\"\nlanguage = \"sh\"\nmodel = \"\"\nport = {port}\nworkers = \"fixed\"\n\
         warm-up-requests = 10\nstart-deadline-s = 5\ncommand = [\"sh\", \"-c\", {script:?}]\n\
         stack-size = {{ variable = \"STACK_SIZE\" }}\n"
    );
    let file = fixture.path("own.toml");
    std::fs::write(&file, targets).unwrap();
    let mut command = hello_bench();
    command.env(LOCK_VARIABLE, fixture.path("lock")).args([
        "replay",
        "cherrypy-threads",
        "small",
        "--quick",
        "--targets",
    ]);
    let output = command.arg(&file).arg("--out").arg(fixture.out()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let report = report(&fixture);
    assert!(report.lines().any(|line| line.starts_with("| small | default | ")), "{report}");
    let (_, failed) = report.split_once("\n## Failed\n").unwrap();
    assert!(failed.contains("- small (memory with a stack of 256 KiB): not started: "), "{failed}");
    assert!(failed.contains("overflowed its stack"), "{failed}");
}

#[test]
fn three_rounds_of_a_small_page_have_a_row_and_records_that_make_the_report_again() {
    let fixture = Fixture::new().with("none", 0);
    let (status, printed, replay) = replay(&fixture, "pyramid-node-gevent", &["none"]);
    assert_eq!(status, Some(0), "{printed}");
    assert_eq!(found(&replay, "none").len(), 3, "{printed}");
    let first = report(&fixture);
    std::fs::remove_file(fixture.out().join("report.md")).unwrap();
    std::fs::remove_dir_all(fixture.out().join("raw")).unwrap();
    let again = hello_bench().arg("report").arg(fixture.out()).output().unwrap();
    assert_eq!(again.status.code(), Some(0), "{}", text(&again));
    assert_eq!(report(&fixture), first);
    let beside = hello_bench().arg("report").arg(fixture.out()).arg(".").output().unwrap();
    assert_eq!(beside.status.code(), Some(2), "{}", text(&beside));
    assert!(text(&beside).contains("is a replay, whose report stands alone"), "{}", text(&beside));
    // And nothing is written over.
    let second = command(&fixture, "pyramid-node-gevent", &["none"]).output().unwrap();
    assert_eq!(second.status.code(), Some(2), "{}", text(&second));
    assert!(text(&second).contains("never overwritten"), "{}", text(&second));
}

#[test]
fn users_are_connections_of_a_tool_that_says_what_it_stands_in_for() {
    let fixture = Fixture::new().with("none", 0).with("exits", 0);
    let (status, printed, replay) = replay(&fixture, "twisted-tornado", &["none", "exits"]);
    assert_eq!(status, Some(1), "{printed}");
    let tool = &replay.record.tools[0].name;
    let report = report(&fixture);
    assert!(report.contains(&format!("{tool} stands in for The Grinder")), "{report}");
    assert!(report.contains("published as a chart only"), "{report}");
    let (_, failed) = report.split_once("\n## Failed\n").unwrap();
    assert!(failed.contains("- exits (") && failed.contains("it ended with status 1 before it answered"), "{failed}");
    assert!(report.contains("| none | – |"), "{report}");
    let chart = std::fs::read_to_string(fixture.out().join("users.svg")).unwrap();
    assert!(chart.starts_with("<svg") && chart.contains("none") && !chart.contains("exits"), "{chart}");
}

fn refused(args: &[&str]) -> String {
    let output: Output = hello_bench().arg("replay").args(args).output().unwrap();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {printed}");
    assert_eq!(printed.trim_end().lines().count(), 1, "{args:?}: {printed}");
    printed
}

#[test]
fn replays_are_listed_and_what_is_none_is_answered_with_those_that_there_are() {
    let output = hello_bench().arg("replay").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 5, "{}", text(&output));
    assert!(refused(&["cherrypy"]).contains("there are wsgi-runtimes, jruby-mongrel, cherrypy-threads"));
    assert!(refused(&["wsgi-runtimes", "axun"]).contains("did you mean axum?"));
    assert!(refused(&["--quick"]).contains("which replay?"));
}
