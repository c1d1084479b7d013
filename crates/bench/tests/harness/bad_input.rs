//! Bad input gets one clear line and status 2, and nothing is lost.

use std::net::TcpListener;

use crate::fixture::{Fixture, hello_bench, text};

fn refused(args: &[&str]) -> String {
    let output = hello_bench().args(args).output().unwrap();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {printed}");
    assert!(output.stdout.is_empty(), "{args:?}: {printed}");
    printed
}

fn refused_in_one_line(args: &[&str]) -> String {
    let printed = refused(args);
    assert_eq!(printed.trim_end().lines().count(), 1, "{args:?}: {printed}");
    printed
}

#[test]
fn an_unknown_target_is_answered_with_the_nearest() {
    assert!(refused_in_one_line(&["run", "axun"]).contains("did you mean axum?"));
    assert!(refused_in_one_line(&["verify", "actix"]).contains("did you mean actix-web?"));
    assert!(refused_in_one_line(&["serve", "std-thread"]).contains("std-threads"));
}

#[test]
fn what_cannot_be_measured_is_refused_with_the_reason() {
    assert!(refused(&["run", "--connections", "0"]).contains("--connections"));
    assert!(refused(&["run", "--blocks", "0"]).contains("--blocks"));
    assert!(refused(&["run", "--tool", "curl"]).contains("wrk"));
    let rate = ["run", "tokio", "--shape", "fixed-rate"];
    assert!(refused_in_one_line(&rate).contains("needs --rate"));
    assert!(refused_in_one_line(&["run", "tokio", "--rate", "100"]).contains("--shape fixed-rate"));
    assert!(refused_in_one_line(&["run", "tokio", "--depth", "4"]).contains("--shape pipelined"));
    assert!(refused(&["run", "tokio", "--shape", "pipelined", "--depth", "1"]).contains("--depth"));
    let with = |tool| [&rate[..], &["--rate", "1000", "--tool", tool]].concat();
    for tool in ["wrk", "ab", "h2load", "httperf"] {
        assert!(refused_in_one_line(&with(tool)).contains("--tool oha"), "{tool}");
    }
    assert!(refused_in_one_line(&["run", "tokio", "--tool", "httperf"]).contains("number of requests"));
    assert!(refused_in_one_line(&["run", "tokio", "--tool", "ab", "--threads", "2"]).contains("1 thread"));
    let sequential = ["run", "std-sequential", "--shape", "pipelined"];
    assert!(refused_in_one_line(&sequential).contains("shape"));
    assert!(refused(&["run", "--slice", "soon"]).contains("duration"));
    assert!(refused_in_one_line(&["run", "--slice", "500ms"]).contains("second"));
    assert!(refused_in_one_line(&["run", "--slice", "1500ms"]).contains("second"));
    assert!(refused_in_one_line(&["run", "--requests", "1000"]).contains("wrk"));
    let few = refused_in_one_line(&["run", "--tool", "ab", "--requests", "10", "--connections", "20"]);
    assert!(few.contains("10") && few.contains("20"), "{few}");
    assert!(refused_in_one_line(&["run", "axum", "--baseline", "axun"]).contains("did you mean axum?"));
    assert!(refused(&["run", "--margin", "0.05"]).contains("percentage"));
    assert!(refused_in_one_line(&["run", "axum", "--margin", "1%"]).contains("the effect not above the margin"));
    assert!(refused_in_one_line(&["run", "std-sequential", "--shape", "keep-alive"]).contains("shape"));
}

#[test]
fn a_sweep_that_cannot_be_made_is_refused_with_the_reason() {
    assert!(refused(&["sweep", "threads", "1..4"]).contains("connections"));
    assert!(refused(&["sweep", "connections", "4..1"]).contains("go up"));
    assert!(refused(&["sweep", "connections", "1-4"]).contains("1..256"));
    assert!(refused_in_one_line(&["sweep", "connections", "1..4", "tokio", "--connections", "8"]).contains("swept"));
    assert!(refused_in_one_line(&["sweep", "workers", "1..4", "tokio", "--workers", "2"]).contains("swept"));
    let both = ["sweep", "connections", "1..4", "tokio", "--shape", "close", "--shape", "keep-alive"];
    assert!(refused_in_one_line(&both).contains("one shape"));
    assert!(refused_in_one_line(&["sweep", "rate", "10..40", "tokio", "--shape", "close"]).contains("rate"));
    assert!(refused_in_one_line(&["sweep", "rate", "1000..4000", "tokio", "--tool", "wrk"]).contains("--tool oha"));
    assert!(refused_in_one_line(&["sweep", "workers", "1..4", "std-threads"]).contains("cannot be chosen"));
}

#[test]
fn too_many_connections_for_the_limit_say_both_numbers() {
    let fixture = Fixture::new().with("none", 0);
    let mut run = std::process::Command::new("sh");
    let inner = fixture.command(&["--connections", "500"]);
    run.args(["-c", "ulimit -n 300; exec \"$@\"", "sh"]).arg(inner.get_program()).args(inner.get_args());
    let output = run.output().unwrap();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains("500 connections") && printed.contains("may have 300"), "{printed}");
}

#[test]
fn a_port_in_use_says_who_holds_it() {
    let fixture = Fixture::new().with("none", 0);
    let _holder = TcpListener::bind(("127.0.0.1", fixture.ports[0])).unwrap();
    let output = fixture.command(&[]).output().unwrap();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains(&format!("pid {}", std::process::id())), "{printed}");
    assert!(!fixture.out().exists(), "a result was begun");
}

#[test]
fn a_result_is_never_overwritten() {
    let fixture = Fixture::new().with("none", 0);
    std::fs::create_dir(fixture.out()).unwrap();
    std::fs::write(fixture.out().join("run.json"), "mine").unwrap();
    let output = fixture.command(&["--blocks", "1"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("never overwritten"), "{}", text(&output));
    assert_eq!(std::fs::read_to_string(fixture.out().join("run.json")).unwrap(), "mine");
}

#[test]
fn a_missing_load_tool_says_how_to_get_it() {
    let fixture = Fixture::new().with("none", 0);
    // A PATH with what cargo needs, and nothing else.
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for program in ["cargo", "rustc"] {
        let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file());
        std::os::unix::fs::symlink(found.unwrap(), folder.path().join(program)).unwrap();
    }
    let output = fixture.command(&["--tool", "ab"]).env("PATH", folder.path()).output().unwrap();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains("ab is not installed") && printed.contains("apache2-utils"), "{printed}");
}

#[test]
fn a_file_of_targets_that_is_wrong_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("targets.toml");
    let path = file.to_str().unwrap();
    assert!(refused_in_one_line(&["list", "--targets", path]).contains("cannot read"));
    std::fs::write(&file, "[[target]]\nname = \"x\"\nlanguag = \"C\"\n").unwrap();
    let printed = refused_in_one_line(&["list", "--targets", path]);
    assert!(printed.contains("targets.toml, line") && printed.contains("languag"), "{printed}");
}
