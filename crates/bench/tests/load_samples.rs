//! Every recorded output is read as what is true of it, exactly.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::PathBuf};

use hello_bench::load::{Exit, Output, TOOLS, parse_to_json, tool};
use serde_json::Value;

mod samples;

/// Same but for the last bits of a float.
fn same(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), found) => expected.iter().all(|(key, value)| same(value, &found[key])),
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            (one - other).abs() <= 1e-9 * one.abs()
        }
        (one, other) => one == other,
    }
}

#[test]
fn every_sample_is_read_as_what_is_true_of_it() {
    let mut wrong = String::new();
    for sample in samples::all() {
        let found = parse_to_json(&sample.tool, &sample.output()).unwrap();
        for (key, expected) in &sample.expected {
            if !same(expected, &found[key]) {
                let (name, found) = (&sample.name, &found[key]);
                writeln!(wrong, "{name}: {key} is {found}, and true is {expected}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_recorded_output_has_its_truth() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let recorded: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .filter_map(|file| file.unwrap().file_name().to_str()?.strip_suffix(".stdout").map(str::to_owned))
        .collect();
    let known: BTreeSet<String> = samples::all().into_iter().map(|sample| sample.name).collect();
    assert_eq!(recorded, known);
}

#[test]
fn a_failure_says_why_in_words_and_a_success_what_to_know() {
    let mut said = String::new();
    for sample in samples::all() {
        let found = parse_to_json(&sample.tool, &sample.output()).unwrap();
        let (status, reason) = (found["status"].as_str().unwrap(), found["reason"].as_str().unwrap_or_default());
        writeln!(said, "{}: {}", sample.name, format!("{status} {reason}").trim()).unwrap();
        for warning in found["warnings"].as_array().unwrap() {
            writeln!(said, "    {}", warning.as_str().unwrap()).unwrap();
        }
    }
    insta::assert_snapshot!(said);
}

#[test]
fn an_errored_answer_is_never_a_good_one() {
    for sample in samples::all() {
        let Ok(report) = tool(&sample.tool).unwrap().parse(&sample.output()) else { continue };
        assert_eq!(report.good_requests, report.requests, "{}", sample.name);
        let errors = serde_json::to_value(report.errors).unwrap();
        for (counter, n) in errors.as_object().unwrap() {
            assert!(n.is_null() || n == 0, "{}: {counter} is {n}", sample.name);
        }
    }
}

#[test]
fn the_object_has_the_same_keys_for_every_sample() {
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut seen = BTreeSet::new();
    for sample in samples::all() {
        let found = parse_to_json(&sample.tool, &sample.output()).unwrap();
        seen.insert((keys(&found), keys(&found["errors"]), keys(&found["latency_us"])));
    }
    insta::assert_json_snapshot!(seen);
}

#[test]
fn the_whole_object_of_a_good_and_of_a_failed_slice() {
    for name in ["ab-keepalive-ok", "wrk-ok-script", "ab-reset-midrun-r"] {
        let sample = samples::named(name);
        insta::assert_json_snapshot!(name, parse_to_json(&sample.tool, &sample.output()).unwrap());
    }
}

#[test]
fn a_tool_nobody_knows_is_refused_with_the_names_there_are() {
    let refused = parse_to_json("siege", &Output::default()).unwrap_err();
    assert_eq!(refused, "no load tool is called `siege`; there are wrk, ab, oha, h2load, httperf");
}

#[test]
fn a_hang_that_wrk_does_not_count_shows_in_how_little_was_waited() {
    for (name, connections) in
        [("wrk-hang-after-50", 8), ("wrk-hang-after-50-script", 8), ("wrk-ok", 16), ("wrk-slow-1.2s", 8)]
    {
        let sample = samples::named(name);
        let report = tool("wrk").unwrap().parse(&sample.output()).unwrap();
        assert_eq!(report.stalled(connections).is_some(), name.contains("hang"), "{name}");
    }
}

#[test]
fn a_number_of_an_exit_is_a_signal_as_shells_and_python_write_it() {
    assert_eq!(Exit::from_number(0), Exit::Code(0));
    assert_eq!(Exit::from_number(119), Exit::Code(119));
    assert_eq!(Exit::from_number(143), Exit::Signal(15));
    assert_eq!(Exit::from_number(-15), Exit::Signal(15));
    assert_eq!(Exit::from_number(i32::MIN), Exit::Signal(i32::MAX));
}

#[test]
fn every_tool_is_found_by_its_name_and_says_how_to_install_it() {
    for known in TOOLS {
        assert_eq!(tool(known.name()).unwrap().name(), known.name());
        assert!(known.install().contains("install"), "{}", known.name());
    }
}
