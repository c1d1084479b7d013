//! How a run speaks: to people on a terminal, to programs, or not at all; and what it leaves to look at.

use std::process::Command;

use hello_bench::results::{RunRecord, SliceRecord};

use crate::fixture::{Fixture, hello_bench, text};

const SHORT: [&str; 4] = ["--shape", "close", "--blocks", "2"];

fn fixture() -> Fixture {
    Fixture::new().with("none", 0)
}

#[test]
fn as_json_a_run_prints_its_records_and_nothing_else() {
    let fixture = fixture();
    let output = fixture.command(&SHORT).arg("--json").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let printed = String::from_utf8(output.stdout).unwrap();
    let mut lines = printed.lines();
    let run: RunRecord = serde_json::from_str(lines.next().unwrap()).unwrap();
    let slices: Vec<SliceRecord> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(run.options.blocks, 2);
    let kept = std::fs::read_to_string(fixture.out().join("slices.jsonl")).unwrap();
    assert_eq!(slices, kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<SliceRecord>>());
}

#[test]
fn a_quiet_run_says_nothing_but_warnings_and_keeps_everything() {
    let fixture = fixture();
    let output = fixture.command(&SHORT).arg("--quiet").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(output.stdout.is_empty(), "{}", text(&output));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.lines().all(|line| line.starts_with("warning: ")), "{said}");
    for file in ["report.html", "report.md", "report.csv", "summary.json", "charts/close-cost.svg"] {
        assert!(fixture.out().join(file).is_file(), "{file}");
    }
}

#[test]
fn both_at_once_are_wrong_use() {
    let output = fixture().command(&SHORT).args(["--quiet", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
}

/// What is seen on a terminal of 60 columns.
fn on_a_terminal(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line: Vec<String> = words.map(|word| format!("'{}'", word.to_string_lossy())).collect();
    let mut script = Command::new("script");
    script.args(["-qec", &format!("stty cols 60 rows 40; exec {}", line.join(" ")), "/dev/null"]);
    script.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = script.env("TERM", "xterm").stdin(std::process::Stdio::null()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn on_a_terminal_a_table_settles_below_the_bar_and_the_last_one_fits() {
    let fixture = fixture();
    let seen = on_a_terminal(&fixture.command(&SHORT));
    assert!(seen.contains("slices, ") && seen.contains("block 2: "), "{seen}");
    assert!(seen.lines().any(|line| line.contains("close none ") && line.contains(" µs ")), "{seen}");
    assert!(seen.contains("this terminal is too narrow"), "{seen}");
}

#[test]
fn colours_are_only_for_terminals_and_only_if_they_are_wanted() {
    let fixture = Fixture::new().with("exits", 0);
    // The bar moves the cursor with escapes of its own; a colour ends with an m.
    let red = |seen: &str| seen.lines().any(|line| line.contains("FAILED ") && line.contains("\u{1b}[31m"));
    let run = |args: &[&str], no_color: &str| {
        let out = fixture.path(&format!("out-{}-{no_color}", args.len()));
        let mut command = hello_bench();
        for (name, value) in fixture.command(&[]).get_envs() {
            command.env(name, value.unwrap());
        }
        command.env("NO_COLOR", no_color).arg("run").arg("--targets").arg(fixture.file()).arg("--out").arg(out);
        command.args(["exits", "--shape", "close", "--blocks", "1"]).args(args);
        command
    };
    assert!(red(&on_a_terminal(&run(&[], ""))));
    assert!(!red(&on_a_terminal(&run(&["--no-color"], ""))));
    assert!(!red(&on_a_terminal(&run(&[], "1"))));
    let piped = run(&["--no-color", "--seed", "1"], "").output().unwrap();
    assert!(text(&piped).contains("FAILED ") && !text(&piped).contains('\u{1b}'), "{}", text(&piped));
}

#[test]
fn results_are_listed_with_how_they_went() {
    let fixture = fixture();
    let (status, ..) = fixture.run(&SHORT);
    assert_eq!(status, Some(0));
    let listed = hello_bench().arg("results").arg(fixture.path("")).output().unwrap();
    let said = text(&listed);
    assert!(said.contains("result") && said.contains("none") && said.contains("complete"), "{said}");
    let slices = fixture.out().join("slices.jsonl");
    let kept = std::fs::read_to_string(&slices).unwrap();
    std::fs::write(&slices, kept.lines().next().unwrap().to_owned() + "\n").unwrap();
    let said = text(&hello_bench().arg("results").arg(fixture.path("")).output().unwrap());
    assert!(said.contains("partial"), "{said}");
    assert_eq!(hello_bench().args(["results", "/nowhere"]).output().unwrap().status.code(), Some(2));
}

#[test]
fn the_list_of_targets_fits_100_columns() {
    let output = hello_bench().arg("list").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("axum") && said.lines().all(|line| line.chars().count() <= 100), "{said}");
}
