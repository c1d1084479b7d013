//! A run goes on where it stopped, and only if all is as it was.

use std::path::Path;
use std::process::Stdio;

use hello_bench::plan::plan;
use hello_bench::results::{RUN_FILE, Run, RunRecord, SLICES_FILE, SliceRecord, every_try};
use nix::sys::signal::Signal;

use crate::fixture::{Fixture, hello_bench, text};
use crate::interrupted::{long_run, nothing_is_left, signal, until_slices};

fn edit(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{from} is not in {}", file.display());
    std::fs::write(file, text.replace(from, to)).unwrap();
}

/// A run of some blocks that was killed when the first slices were there.
fn stopped(fixture: &Fixture) -> Run {
    let mut command = fixture.command(&["--blocks", "4", "--shape", "keep-alive", "--connections", "7"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until_slices(fixture, 2);
    signal(&child, Signal::SIGKILL);
    child.wait().unwrap();
    nothing_is_left(fixture);
    Run::read(&fixture.out()).unwrap()
}

#[test]
fn a_run_goes_on_with_the_same_plan_and_a_line_that_was_cut_off_is_measured_again() {
    let fixture = Fixture::new().with("none", 0).with("forks", 0);
    let before = stopped(&fixture);
    let file = fixture.out().join(SLICES_FILE);
    let kept = std::fs::read(&file).unwrap();
    std::fs::write(&file, &kept[..kept.len() - 20]).unwrap();
    // A machine that is busy with other tests has blocks measured again.
    let (counted, tries) = (Run::read(&fixture.out()).unwrap().slices.len(), every_try(&fixture.out()).unwrap());

    let output = fixture.resume();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.contains(&format!("{counted} of {} slices are there", before.planned())), "{printed}");
    assert!(!printed.contains("PARTIAL"), "{printed}");
    let run = Run::read(&fixture.out()).unwrap();
    assert_eq!(run.record, before.record);
    assert_eq!(every_try(&fixture.out()).unwrap()[..tries.len()], tries);
    let planned = plan(&run.record.cells, 4, run.record.options.seed);
    let measured: Vec<_> = run.slices.iter().map(|s| (s.block, s.cell.clone(), s.environment_padding)).collect();
    let planned: Vec<_> = planned.into_iter().map(|s| (s.block, s.cell, s.environment_padding)).collect();
    assert_eq!(measured, planned);

    let output = fixture.resume();
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output).contains("is complete"), "{}", text(&output));
    assert_eq!(Run::read(&fixture.out()).unwrap().slices, run.slices);

    let quiet = fixture.resuming().args(["--quiet", "--no-color"]).output().unwrap();
    assert_eq!((quiet.status.code(), text(&quiet).as_str()), (Some(0), ""));
}

#[test]
fn a_run_that_goes_on_as_json_prints_what_was_there_and_what_came() {
    let fixture = Fixture::new().with("none", 0);
    let before = stopped(&fixture);
    let printed = |output: std::process::Output| -> (RunRecord, Vec<SliceRecord>) {
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        let printed = String::from_utf8(output.stdout).unwrap();
        let (run, slices) = printed.split_once('\n').unwrap();
        let slices = slices.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (serde_json::from_str(run).unwrap(), slices)
    };
    let (run, slices) = printed(fixture.resuming().arg("--json").output().unwrap());
    assert_eq!(run, before.record);
    assert_eq!(slices, every_try(&fixture.out()).unwrap());
    // Of one that is complete already, all the same.
    assert_eq!(printed(fixture.resuming().arg("--json").output().unwrap()), (run, slices));
}

#[test]
fn what_has_changed_since_is_named_and_nothing_is_measured() {
    let fixture = Fixture::new().with("none", 0);
    let before = stopped(&fixture);
    let file = fixture.out().join(RUN_FILE);
    let whole = std::fs::read_to_string(&file).unwrap();
    let refused = |words: &[&str]| {
        let output = fixture.resume();
        let printed = text(&output);
        assert_eq!(output.status.code(), Some(2), "{printed}");
        let errors: Vec<&str> = printed.lines().filter(|line| line.starts_with("hello-bench: ")).collect();
        assert!(errors.len() == 1 && words.iter().all(|word| errors[0].contains(word)), "{words:?}: {printed}");
        assert_eq!(Run::read(&fixture.out()).unwrap().slices, before.slices);
        std::fs::write(&file, &whole).unwrap();
    };
    let model = format!("\"CPU model\": {:?}", before.record.fingerprint.facts["CPU model"]);
    edit(&file, &model, "\"CPU model\": \"Z80\"");
    refused(&["CPU model: Z80, then "]);
    let commit = before.record.commit.hash.to_string();
    edit(&file, &commit, "0123456789");
    refused(&["commit: 0123456789, then "]);
    edit(&file, "\"connections\": 7", "\"connections\": 8");
    refused(&["connections: 7, then 8"]);
    edit(&file, "\"seed\": ", "\"seed\": 1");
    refused(&["not those of the plan"]);
    edit(&fixture.path("targets.toml"), "warm-up-requests = 10", "warm-up-requests = 11");
    refused(&["targets.toml has changed"]);
}

#[test]
fn resume_takes_no_other_option_and_no_folder_that_is_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("lock");
    let resume = |more: &[&str]| {
        let mut command = hello_bench();
        command.env(hello_bench::process::LOCK_VARIABLE, &lock).args(["run", "--resume"]);
        let output = command.arg(folder.path()).args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        text(&output)
    };
    assert!(resume(&["--blocks", "3"]).contains("--resume"));
    assert!(resume(&["axum"]).contains("--resume"));
    assert!(resume(&["--targets", "mine.toml"]).contains("--resume"));
    assert!(resume(&[]).contains("is no run"));
}

#[test]
fn a_second_run_is_refused_with_who_measures_until_that_is_gone() {
    let fixture = Fixture::new().with("none", 0);
    let mut first = long_run(&fixture);
    let output = fixture.command(&[]).output().unwrap();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains(&format!("pid {} (", first.id())) && printed.contains("--blocks 500"), "{printed}");
    assert_eq!(printed.trim_end().lines().count(), 1, "{printed}");
    assert_eq!(fixture.resume().status.code(), Some(2), "a run that is being made is taken for one that stopped");
    signal(&first, Signal::SIGKILL);
    first.wait().unwrap();
    nothing_is_left(&fixture);
    // What it left in the file does not matter.
    let output = fixture.command(&[]).output().unwrap();
    assert!(text(&output).contains("never overwritten"), "{}", text(&output));
}
