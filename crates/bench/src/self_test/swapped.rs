//! Two targets compared both ways round.

use crate::stats::{Comparison, Conclusion, Found, Input, Metric, Rules, Series, Verdict, analyse};

/// What changes beside the signs if baseline and target are swapped; `None` if nothing does.
pub fn difference(a: &Series, b: &Series, metric: Metric, rules: Rules) -> Option<String> {
    let of = |baseline: &Series, target: &Series| {
        let targets = vec![target.clone()];
        let findings = analyse(&Input { metric, baseline: baseline.clone(), twin: None, targets, rules });
        findings.against_baseline.into_iter().next().and_then(|against| match against.found {
            Found::Compared(comparison) => Some(*comparison),
            Found::NothingInCommon => None,
        })
    };
    match (of(a, b), of(b, a)) {
        (None, None) => None,
        (Some(one), Some(other)) => {
            beyond_signs(&one, &other).map(|what| format!("{}, {}: {what}", a.name(), b.name()))
        }
        _ => Some(format!("{}, {}: they can be compared in one direction only", a.name(), b.name())),
    }
}

fn beyond_signs(one: &Comparison, other: &Comparison) -> Option<String> {
    let inverse = |a: f64, b: f64| (a * b - 1.0).abs() < 1e-9;
    let intervals = match (one.interval, other.interval) {
        (None, None) => true,
        (Some(a), Some(b)) => inverse(a.low, b.high) && inverse(a.high, b.low),
        _ => false,
    };
    let turned = match other.conclusion {
        Conclusion::Verdict(Verdict::Faster) => Conclusion::Verdict(Verdict::Slower),
        Conclusion::Verdict(Verdict::Slower) => Conclusion::Verdict(Verdict::Faster),
        same => same,
    };
    let same = [
        ("the ratio", inverse(one.ratio, other.ratio)),
        ("the range", inverse(one.range.0, other.range.1) && inverse(one.range.1, other.range.0)),
        ("the interval", intervals),
        ("the verdict", one.conclusion == turned),
        ("the p of a difference", one.difference == other.difference),
        ("the p of equivalence", one.equivalence == other.equivalence),
        ("the number of units", (one.groups, one.units, one.averaged) == (other.groups, other.units, other.averaged)),
    ];
    same.iter().find(|(_, same)| !same).map(|(what, _)| format!("{what} is another"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::simulate::{Scenario, Size, equals};

    #[test]
    fn a_sign_that_does_not_turn_is_found_out() {
        let input = equals(Scenario::Normal, Size::default(), Rules::default(), 1);
        let findings = analyse(&input);
        let Found::Compared(one) = &findings.against_baseline[0].found else { panic!("compared") };
        assert_eq!(beyond_signs(one, one), Some("the ratio is another".into()));
    }
}
