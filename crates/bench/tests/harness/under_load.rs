//! What is seen of a slice beside its figures.

use hello_bench::results::{Limit, Measurement, Outcome, Run};

use crate::fixture::Fixture;

fn valid<'a>(run: &'a Run, target: &str, printed: &str) -> &'a Measurement {
    let slice = run.slices.iter().find(|slice| slice.cell.target == target).unwrap();
    let Outcome::Valid(measurement) = &slice.outcome else { panic!("{printed}") };
    measurement
}

#[test]
fn the_harness_itself_uses_under_a_hundredth_of_a_core_while_a_slice_runs() {
    let fixture = Fixture::new().with("none", 0);
    let (status, printed, run) = fixture.run(&["--shape", "keep-alive", "--blocks", "1"]);
    assert_eq!(status, Some(0), "{printed}");
    let measurement = valid(&run, "none", &printed);
    let share = measurement.conditions.harness_cpu_s.unwrap() / measurement.wall_s;
    assert!(share > 0.0 && share < 0.01, "{:.2} % of a core", share * 100.0);
}

#[test]
fn what_limits_a_slice_is_said_in_the_record_and_in_the_table() {
    let fixture = Fixture::new().with("none", 0).with("burns", 400);
    let (status, printed, run) = fixture.run(&["--shape", "keep-alive", "--blocks", "1", "--connections", "4"]);
    assert_eq!(status, Some(0), "{printed}");
    for target in ["none", "burns"] {
        let measurement = valid(&run, target, &printed);
        assert_ne!(measurement.limit, Limit::Unknown, "{printed}");
        let is_of = |line: &str| line.contains(&format!(" {target} ")) && line.contains(measurement.limit.words());
        // Connections of other tests at the same time can make it seem that it keeps too few of its own.
        let is_below = printed.contains(&format!("not ranked   {target}: kept only"));
        assert!(is_below || printed.lines().any(is_of), "{printed}");
        let conditions = &measurement.conditions;
        assert!(conditions.rss_before_bytes.is_some() && conditions.threads_before.is_some(), "{conditions:?}");
        assert!(conditions.tool_wait_s.is_some() && conditions.port_room.is_some(), "{conditions:?}");
    }
    // Nine tenths of what it uses, it uses in threads that have ended: what they waited nobody knows.
    assert_eq!(valid(&run, "burns", &printed).conditions.server_wait_s, None, "{printed}");
}

#[test]
fn nagle_with_delayed_ack_is_named_and_not_taken_for_a_slow_server() {
    let fixture = Fixture::new().with("none", 0).with("writes-twice", 0);
    let (status, printed, run) = fixture.run(&["--shape", "keep-alive", "--blocks", "1", "--connections", "4"]);
    assert_eq!(status, Some(0), "{printed}");
    let named = |target| valid(&run, target, &printed).warnings.iter().any(|warning| warning.contains("Nagle"));
    assert!(named("writes-twice") && !named("none"), "{printed}");
    assert!(printed.contains("writes-twice: half of the answers take 4"), "{printed}");
}
