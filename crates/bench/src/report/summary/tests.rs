//! The file against its published schema, and old ones that must still be read.

use std::path::{Path, PathBuf};

use super::*;
use crate::results::{Run, fixed};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn of(run: &Run) -> serde_json::Value {
    serde_json::from_str(&json(&Report::of(run)).unwrap()).unwrap()
}

#[test]
fn the_published_schema_is_that_of_what_is_written() {
    let file = root().join("results/summary-1.schema.json");
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(Summary)).unwrap() + "\n";
    if std::env::var_os("HELLO_BENCH_WRITE_SCHEMA").is_some() {
        std::fs::write(&file, &schema).unwrap();
    }
    let published = std::fs::read_to_string(&file).unwrap();
    let hint =
        "a field that is gone or means something else is a new version; else HELLO_BENCH_WRITE_SCHEMA=1 writes it";
    assert!(published == schema, "{} is not what is written now: {hint}", file.display());
}

#[test]
fn summaries_of_every_kind_of_run_are_as_the_schema_says() {
    let schema = serde_json::from_str(&std::fs::read_to_string(root().join("results/summary-1.schema.json")).unwrap());
    let validator = jsonschema::validator_for(&schema.unwrap()).unwrap();
    let valid = |summary: &serde_json::Value| {
        let wrong: Vec<String> = validator.iter_errors(summary).map(|error| error.to_string()).collect();
        assert_eq!(wrong, Vec::<String>::new());
    };
    let kept = Run::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept/run-1")).unwrap();
    valid(&of(&kept));
    let targets = [("tokio", 20.0), ("axum", 24.0)];
    let mut run = fixed::run(&targets, 12, 1);
    valid(&of(&run));
    valid(&of(&fixed::run(&targets[..1], 1, 1)));
    fixed::fail(&mut run, "axum");
    valid(&of(&run));
    fixed::fail(&mut run, "tokio");
    run.slices.truncate(5);
    valid(&of(&run));
    let mut wrong = of(&kept);
    wrong["shapes"][0]["targets"][0]["standing"] = "slow".into();
    assert!(!validator.is_valid(&wrong), "the schema lets everything be");
}

#[test]
fn a_summary_of_each_version_can_still_be_read() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept/summary-1.json");
    let summary: Summary = serde_json::from_str(&std::fs::read_to_string(kept).unwrap()).unwrap();
    assert_eq!((summary.schema, summary.shapes.len()), (1, 2));
    let axum = summary.shapes[0].targets.iter().find(|target| target.name == "axum").unwrap();
    assert!(axum.standing == Standing::Ranked && axum.cost_us.is_some() && axum.cost_ratio.is_some());
}

#[test]
fn a_failed_target_has_no_ratio_and_its_reason() {
    let mut run = fixed::run(&[("tokio", 20.0), ("axum", 24.0)], 12, 1);
    fixed::fail(&mut run, "axum");
    let summary = summary(&Report::of(&run));
    let axum = summary.shapes[0].targets.last().unwrap();
    assert_eq!((axum.standing, axum.failed_slices, axum.cost_us), (Standing::Failed, 12, None));
    assert!(axum.cost_ratio.is_none() && axum.reason.as_ref().unwrap().contains("status 3"));
}
