//! What the documentation has somebody type, typed.

use std::process::Command;

use crate::fixture::{Fixture, hello_bench, text};

const CONTRIBUTING: &str = include_str!("../../../../CONTRIBUTING.md");

/// What stands between the fences of the first block of a language that holds these words.
fn block(language: &str, words: &str) -> &'static str {
    let fence = format!("```{language}\n");
    let blocks = CONTRIBUTING.split(fence.as_str()).skip(1).filter_map(|rest| Some(rest.split_once("```")?.0));
    blocks.filter(|block| block.contains(words)).collect::<Vec<_>>()[0]
}

#[test]
fn the_example_of_a_target_of_ones_own_is_measured_as_it_stands() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("not tried: there is no python3 here");
        return;
    }
    let fixture = Fixture::new();
    let targets = fixture.path("my.toml");
    std::fs::write(&targets, block("toml", "[[target]]")).unwrap();
    std::fs::write(fixture.path("hello.py"), block("python", "Hello World")).unwrap();
    let ask = |command: &str, more: &[&str]| {
        let mut line = hello_bench();
        line.env(hello_bench::process::LOCK_VARIABLE, fixture.path("lock"));
        line.arg(command).arg("python").arg("--targets").arg(&targets).args(more).output().unwrap()
    };
    let out = fixture.out();
    let run = ask(
        "run",
        &["--tool", "ab", "--requests", "200", "--shape", "close", "--blocks", "1", "--out", out.to_str().unwrap()],
    );
    assert_eq!(run.status.code(), Some(0), "{}", text(&run));
    let verified = text(&ask("verify", &[]));
    assert!(verified.contains("holds") && !verified.contains("FAILED"), "{verified}");
}
