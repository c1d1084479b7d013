//! From a comparison to an exit status, for a machine that has to decide.

use super::{Compared, Without};
use crate::exit::Exit;
use crate::stats::{Better, Change, Conclusion, Metric, Verdict};

/// What a comparison must not show.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Gate {
    /// A target that is worse.
    pub worse: bool,
    /// A target that is worse by more than this share; `None` if none was given.
    pub max_regression: Option<f64>,
}

/// The exit status: 3 if something is worse, else 1 if something failed in B alone, else 4 if it cannot be said. A figure
/// that is the load tool's is not asked. Without a gate, only failures count.
pub fn exit(compared: &Compared, gate: Gate) -> Exit {
    let failed =
        compared.shapes.iter().flat_map(|shape| &shape.without).any(|Without { failed_in_b, .. }| *failed_in_b);
    let mut answers: Vec<Answer> = Vec::new();
    for row in compared.shapes.iter().flat_map(|shape| &shape.rows) {
        let changes = [(Metric::Cost, &row.cost), (Metric::Rps, &row.rps_change)];
        for (metric, change) in changes.into_iter().filter_map(|(metric, change)| Some((metric, change.as_ref()?))) {
            answers.extend(gate.worse.then(|| is_worse(change)));
            answers.extend(gate.max_regression.map(|limit| exceeds(change, metric, limit)));
        }
    }
    let asked = gate.worse || gate.max_regression.is_some();
    if answers.contains(&Answer::Yes) {
        Exit::Worse
    } else if failed {
        Exit::SomeFailed
    } else if asked && (answers.is_empty() || answers.contains(&Answer::Unknown)) {
        // Nothing that could be compared is no leave to pass.
        Exit::Unresolved
    } else {
        Exit::Well
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    Unknown,
}

fn is_worse(change: &Change) -> Answer {
    match change.conclusion {
        Conclusion::Verdict(Verdict::Slower) => Answer::Yes,
        Conclusion::Verdict(Verdict::Faster | Verdict::Equivalent) => Answer::No,
        Conclusion::Verdict(Verdict::Unresolved) | Conclusion::TooFew { .. } => Answer::Unknown,
    }
}

/// By the interval that holds for all comparisons together: all of it beyond the limit, or none of it.
fn exceeds(change: &Change, metric: Metric, limit: f64) -> Answer {
    let Some(interval) = change.family_interval else { return Answer::Unknown };
    let limit = limit.ln_1p();
    let (least, most) = match metric.better() {
        Better::Lower => (interval.low.ln(), interval.high.ln()),
        Better::Higher => (-interval.high.ln(), -interval.low.ln()),
    };
    if least > limit {
        Answer::Yes
    } else if most <= limit {
        Answer::No
    } else {
        Answer::Unknown
    }
}
