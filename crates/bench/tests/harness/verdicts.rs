//! What a run says of the differences that it found.

use hello_bench::results::{Outcome, Run};

use crate::fixture::{Fixture, free_port, hello_bench, text};

/// Slices of about a tenth of a second.
const SHORT: &[&str] = &["--tool", "ab", "--requests", "200", "--connections", "4", "--shape", "close"];

#[test]
fn a_server_that_burns_time_is_slower_and_the_baseline_is_like_itself() {
    let fixture = Fixture::new().with("none", 0).with("burns", 2000);
    let (status, printed, run) = fixture.run(&[SHORT, &["--blocks", "16"]].concat());
    assert_eq!(status, Some(0), "{printed}");
    assert_eq!((run.slices.len(), run.record.comparison.baseline.as_str()), (3 * 16, "none"), "{printed}");
    assert!(printed.contains("16 blocks; ratios are to none, which takes part twice"), "{printed}");
    let row = printed.lines().find(|line| line.contains("burns ")).unwrap();
    assert!(row.contains("slower"), "{printed}");
    assert!(printed.contains("noise floor: none beside itself: cost "), "{printed}");
}

#[test]
fn too_few_blocks_are_said_before_the_run_and_after_it() {
    let fixture = Fixture::new().with("none", 0).with("burns", 2000);
    let (status, printed, _) = fixture.run(&[SHORT, &["--quick", "--baseline", "burns"]].concat());
    assert_eq!(status, Some(0), "{printed}");
    assert!(
        printed.contains("2 blocks, too few for verdicts on 2 targets: that takes 6, and --blocks 12 leaves room"),
        "{printed}"
    );
    assert!(printed.contains("too few blocks for verdicts (2 of 6)") && !printed.contains("faster"), "{printed}");
    assert!(printed.contains("noise floor: burns beside itself"), "{printed}");
}

#[test]
fn a_run_is_compared_with_another_and_its_targets_with_each_other() {
    let fixture = Fixture::new().with("none", 0).with("burns", 2000);
    let (status, printed, _) = fixture.run(&[SHORT, &["--blocks", "16"]].concat());
    assert_eq!(status, Some(0), "{printed}");
    let out = fixture.out();
    let compare = |args: &[&str]| {
        let output = hello_bench().arg("compare").arg(&out).args(args).output().unwrap();
        (output.status.code(), text(&output))
    };
    let (status, same) = compare(&[out.to_str().unwrap()]);
    assert_eq!(status, Some(0), "{same}");
    assert!(same.contains("Unpaired") && !same.contains("FORCED"), "{same}");
    let (status, worse) = compare(&["--targets", "none", "burns", "--fail-on", "worse"]);
    assert_eq!(status, Some(3), "{worse}");
    let (status, regressed) = compare(&["--targets", "none", "burns", "--max-regression", "5%"]);
    assert_eq!(status, Some(3), "{regressed}");
    for wrong in [&["--targets", "none", "nobody"][..], &[], &["/nowhere"]] {
        let (status, refused) = compare(wrong);
        assert_eq!((status, refused.trim_end().lines().count()), (Some(2), 1), "{wrong:?}: {refused}");
    }
}

#[test]
fn one_target_alone_is_measured_beside_itself() {
    let fixture = Fixture::new().with("none", 0);
    let (status, printed, run) = fixture.run(&[SHORT, &["--blocks", "1"]].concat());
    assert_eq!(status, Some(0), "{printed}");
    let measured: Vec<&str> = run.record.targets.iter().map(|target| target.name.as_str()).collect();
    assert_eq!(measured, ["none", "none (again)"]);
    assert!(printed.contains("noise floor: none beside itself"), "{printed}");
}

#[test]
fn a_run_in_which_all_fail_has_no_ratios_and_says_why() {
    let fixture = Fixture::new().with("exits", 0).with("other-body", 0);
    let (status, printed, run) = fixture.run(&[SHORT, &["--blocks", "1"]].concat());
    assert_eq!(status, Some(1), "{printed}");
    assert_eq!(run.slices.len(), 3);
    assert!(
        printed.contains("nothing could be ranked") && printed.contains("FAILED       exits (again): "),
        "{printed}"
    );
}

#[test]
fn the_server_of_the_self_test_gives_the_agreed_response_and_burns_what_it_says() {
    const BURNT_US: u64 = 1000;
    let program = env!("CARGO_BIN_EXE_hello-bench");
    let command = |us: u64| format!("{program:?}, \"burn-server\", \"--port\", \"{{port}}\", \"--burn-us\", \"{us}\"");
    let fixture = Fixture::new().with_command("idle", free_port(), &command(0)).with_command(
        "burning",
        free_port(),
        &command(BURNT_US),
    );
    let (status, printed, run) = fixture.run(&[SHORT, &["--blocks", "1"]].concat());
    assert_eq!(status, Some(0), "{printed}");
    let cost = |target: &str| {
        let own = run.slices.iter().find(|slice| slice.cell.target == target).unwrap();
        let Outcome::Valid(measurement) = &own.outcome else { panic!("{printed}") };
        measurement.cost_us
    };
    let charged = cost("burning") - cost("idle");
    assert!(charged > 0.9 * BURNT_US as f64 && charged < 2.0 * BURNT_US as f64, "{charged} µs of {BURNT_US}");
}

#[test]
fn the_number_of_blocks_is_planned_from_a_pilot_whose_blocks_are_not_used_again() {
    let fixture = Fixture::new().with("none", 0).with("burns", 2000);
    let (status, printed, run) = fixture.run(&[SHORT, &["--blocks", "auto", "--max-blocks", "7"]].concat());
    assert_eq!(status, Some(0), "{printed}");
    let planned = run.record.pilot.as_ref().unwrap();
    // Two targets take twice six blocks at the least.
    assert!(planned.wanted >= 12, "{printed}");
    assert_eq!((run.record.options.blocks, run.slices.len()), (7, 3 * 7), "{printed}");
    assert!(printed.contains("over --max-blocks 7"), "{printed}");
    assert!(printed.contains("The number of blocks was fixed by a pilot of 6 blocks"), "{printed}");
    let pilot = Run::read(&fixture.out().with_file_name(&planned.folder)).unwrap();
    assert_eq!(pilot.slices.len(), 3 * 6);
    assert_ne!(pilot.record.options.seed, run.record.options.seed);
}

#[test]
fn flags_that_mean_nothing_without_a_pilot_are_refused() {
    let fixture = Fixture::new().with("none", 0);
    for wrong in
        [&["--resolve", "3%"][..], &["--max-blocks", "9"], &["--blocks", "auto", "--quick"], &["--blocks", "0"]]
    {
        let output = fixture.command(wrong).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", text(&output));
    }
}
