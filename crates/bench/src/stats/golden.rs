//! The statistics beside those of SciPy: tests/golden/stats.py writes the values.

use serde::Deserialize;

use super::holm::holm;
use super::input::Rules;
use super::paired::lag_1;
use super::signed_rank::{Null, Walsh};

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
    tied: Vec<Tied>,
    holm: Vec<Family>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    differences: Vec<f64>,
    estimate: f64,
    p_difference: f64,
    p_equivalence: f64,
    interval: Option<Interval>,
    lag_1: f64,
}

#[derive(Deserialize)]
struct Interval {
    low: f64,
    high: f64,
    level: f64,
}

#[derive(Deserialize)]
struct Tied {
    differences: Vec<f64>,
    p_difference: f64,
}

#[derive(Deserialize)]
struct Family {
    p: Vec<f64>,
    p_family: Vec<f64>,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../../tests/golden/stats.json")).expect("stats.py writes what is read here")
}

#[track_caller]
fn assert_close(name: &str, what: &str, ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() <= 1e-11 * theirs.abs().max(1e-3), "{name}, {what}: {ours}, and SciPy has {theirs}");
}

#[test]
fn estimate_test_equivalence_and_interval_are_those_of_scipy() {
    for Case { name, differences, estimate, p_difference, p_equivalence, interval, .. } in golden().cases {
        let (walsh, null) = (Walsh::of(&differences).unwrap(), Null::of(differences.len()));
        assert_close(&name, "estimate", walsh.estimate(), estimate);
        assert_close(&name, "p of no difference", walsh.p_of_no_difference(&null), p_difference);
        let margin = Rules::default().log_margin();
        assert_close(&name, "p of no equivalence", walsh.p_of_no_equivalence(margin, &null), p_equivalence);
        let ours = walsh.interval(0.95, &null);
        assert_eq!(ours.is_some(), interval.is_some(), "{name}");
        for (ours, theirs) in ours.into_iter().zip(interval) {
            assert_close(&name, "low", ours.low, theirs.low);
            assert_close(&name, "high", ours.high, theirs.high);
            assert_close(&name, "level", ours.level, theirs.level);
        }
    }
}

#[test]
fn ties_and_zeros_are_given_to_the_hypothesis() {
    for (place, Tied { differences, p_difference }) in golden().tied.into_iter().enumerate() {
        let walsh = Walsh::of(&differences).unwrap();
        let p = walsh.p_of_no_difference(&Null::of(differences.len()));
        assert_close(&place.to_string(), "p of no difference", p, p_difference);
    }
}

#[test]
fn autocorrelation_is_that_of_statsmodels() {
    for Case { name, differences, lag_1: theirs, .. } in golden().cases {
        assert_close(&name, "lag 1", lag_1(&differences).unwrap(), theirs);
    }
}

#[test]
fn holms_correction_is_that_of_statsmodels() {
    for Family { p, p_family } in golden().holm {
        for (ours, theirs) in holm(&p, p.len()).into_iter().zip(p_family) {
            assert_close("family", "p", ours, theirs);
        }
    }
}
