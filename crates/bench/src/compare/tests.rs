//! What is said of two runs, and of two targets of one.

use super::*;
use crate::container::{Launcher, Limits, Network};
use crate::exit::Exit;
use crate::results::fixed;

const BEFORE: [(&str, f64); 4] = [("tokio", 20.0), ("axum", 24.0), ("smol", 20.1), ("may", 16.0)];
const AFTER: [(&str, f64); 4] = [("tokio", 20.0), ("axum", 26.4), ("smol", 18.0), ("hyper", 21.0)];
const WORSE: Gate = Gate { worse: true, max_regression: None };

fn at_most(share: f64) -> Gate {
    Gate { worse: false, max_regression: Some(share) }
}

fn compared(a: &Run, b: &Run) -> Compared {
    runs(a, b, false).unwrap()
}

#[test]
fn every_target_is_better_worse_or_equivalent_or_said_to_be_missing() {
    let (a, b) = (fixed::run(&BEFORE, 18, 1), fixed::run(&AFTER, 18, 2));
    insta::assert_snapshot!(words(&compared(&a, &b), "results/one", "results/two"));
}

#[test]
fn the_gate_opens_for_what_is_not_worse_and_for_nothing_else() {
    let (a, b) = (fixed::run(&BEFORE, 18, 1), fixed::run(&AFTER, 18, 2));
    let (same, few) = (fixed::run(&BEFORE, 18, 3), fixed::run(&BEFORE, 2, 3));
    // axum costs 10 % more.
    let status = |b: &Run, gate| exit(&compared(&a, b), gate);
    assert_eq!([status(&b, Gate::default()), status(&b, WORSE)], [Exit::Well, Exit::Worse]);
    assert_eq!(
        [status(&b, at_most(0.05)), status(&b, at_most(0.1)), status(&b, at_most(0.2))],
        [Exit::Worse, Exit::Unresolved, Exit::Well]
    );
    assert_eq!([status(&same, WORSE), status(&same, at_most(0.05))], [Exit::Well, Exit::Well]);
    assert_eq!([status(&few, WORSE), status(&few, at_most(0.05))], [Exit::Unresolved, Exit::Unresolved]);
}

#[test]
fn a_gate_that_has_nothing_to_look_at_stays_shut() {
    let (a, b) = (fixed::run(&BEFORE[..1], 18, 1), fixed::run(&BEFORE[1..2], 18, 1));
    assert_eq!(exit(&compared(&a, &b), WORSE), Exit::Unresolved);
}

#[test]
fn what_failed_in_b_alone_is_no_pass() {
    let (a, mut b) = (fixed::run(&BEFORE, 18, 1), fixed::run(&BEFORE, 18, 2));
    fixed::fail(&mut b, "smol");
    let compared = compared(&a, &b);
    assert_eq!([exit(&compared, Gate::default()), exit(&compared, WORSE)], [Exit::SomeFailed, Exit::SomeFailed]);
    assert!(words(&compared, "a", "b").contains("not compared   smol: FAILED in B: every slice failed under load"));
}

#[test]
fn other_conditions_are_refused_and_if_forced_they_are_named() {
    let (a, mut b) = (fixed::run(&BEFORE, 18, 1), fixed::run(&BEFORE, 18, 2));
    b.record.fingerprint.facts.insert("connections".into(), "128".into());
    let refused = runs(&a, &b, false).unwrap_err().to_string();
    assert!(refused.contains("connections: 64, then 128") && refused.contains("--force"), "{refused}");
    let forced = words(&runs(&a, &b, true).unwrap(), "a", "b");
    assert!(forced.contains("FORCED, though the conditions differ: connections: 64, then 128"), "{forced}");
}

/// The same run with its targets in containers.
fn in_containers(mut run: Run, network: Network) -> Run {
    let launcher = Launcher::Docker { network, limits: Limits::default() };
    run.record.fingerprint.facts.insert("launcher".into(), launcher.to_string());
    run.record.options.launcher = launcher;
    run
}

#[test]
fn native_and_container_figures_are_compared_only_as_what_containers_cost() {
    let (a, b) = (fixed::run(&BEFORE, 18, 1), in_containers(fixed::run(&AFTER, 18, 2), Network::Bridge));
    let refused = runs(&a, &b, false).unwrap_err().to_string();
    assert!(refused.contains("launcher: not recorded, then Docker behind a bridge"), "{refused}");
    let compared = words(&launchers(&a, &b).unwrap(), "a", "b");
    assert!(compared.contains("started native, then Docker behind a bridge: B/A is what that costs"), "{compared}");
    assert!(!compared.contains("FORCED"), "{compared}");
    let alike = launchers(&a, &a).unwrap_err().to_string();
    assert!(alike.contains("started alike (native)"), "{alike}");
    let (host, mut other) = (in_containers(a, Network::Host), b);
    assert!(launchers(&host, &other).is_ok());
    other.record.fingerprint.facts.insert("connections".into(), "128".into());
    assert!(launchers(&host, &other).unwrap_err().to_string().contains("connections: 64, then 128"));
}

#[test]
fn other_margins_are_other_conditions() {
    let (a, mut b) = (fixed::run(&BEFORE, 18, 1), fixed::run(&BEFORE, 18, 2));
    b.record.comparison.rules = Rules::new(0.01, 0.1).unwrap();
    assert!(runs(&a, &b, false).unwrap_err().to_string().contains("equivalent if no further apart than 10 %"));
}

#[test]
fn requests_per_second_of_a_load_tool_at_its_limit_are_not_compared_or_asked() {
    let (a, mut b) = (fixed::run(&BEFORE[..1], 18, 1), fixed::run(&BEFORE[..1], 18, 2));
    fixed::each(&mut b, "tokio", |measurement| {
        fixed::client_bound(measurement);
        measurement.rps /= 2.0;
    });
    let compared = compared(&a, &b);
    assert!(compared.shapes[0].rows[0].rps_change.is_none());
    assert_eq!(exit(&compared, WORSE), Exit::Well);
}

#[test]
fn two_targets_of_one_run_are_paired() {
    let run = fixed::run(&BEFORE, 18, 1);
    insta::assert_snapshot!(words(&targets(&run, "axum", "smol").unwrap(), "axum", "smol"));
    assert_eq!(exit(&targets(&run, "axum", "smol").unwrap(), WORSE), Exit::Well);
    assert_eq!(exit(&targets(&run, "smol", "axum").unwrap(), WORSE), Exit::Worse);
    let unknown = targets(&run, "axum", "hyper").unwrap_err().to_string();
    assert!(unknown.contains("no target called \"hyper\"; it has tokio, axum"), "{unknown}");
    assert!(targets(&run, "axum", "axum").is_err());
}

#[test]
fn a_partial_run_is_compared_and_said_to_be_one() {
    let (a, mut b) = (fixed::run(&BEFORE, 18, 1), fixed::run(&BEFORE, 18, 2));
    b.slices.truncate(5 * 12);
    let text = words(&compared(&a, &b), "a", "b");
    assert!(text.contains("B is PARTIAL: 60 of 90 slices"), "{text}");
}
