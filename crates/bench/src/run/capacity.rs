//! What each target can give at the most, looked at before a rate is fixed for all of them.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};

use super::{Request, slice};
use crate::interrupt::Interrupted;
use crate::load::Shape;
use crate::plan::{Cell, Step};
use crate::results::{Capacity, Outcome};

/// Above this share of a target's capacity a queue grows in it by chance alone, and its latency is that queue's.
const ROOM: f64 = 0.7;

/// One slice of every target in a closed loop over the same number of connections, with the same load tool, whose own
/// limit is thereby in the figures. A target that did not build has none. `None` if the user ends it.
///
/// # Errors
/// When what the programs print cannot be kept for a while.
pub fn look(request: &Request, not_built: &HashMap<String, String>) -> Result<Option<Vec<Capacity>>> {
    let folder = tempfile::Builder::new().prefix("hello-bench-").tempdir().context("no room for a look at capacity")?;
    let mut found = Vec::new();
    for target in request.targets.iter().filter(|target| target.description.holds(Shape::FixedRate)) {
        if not_built.contains_key(target.name()) {
            continue;
        }
        note!("looking how much {} can give", target.name());
        let cell = Cell { target: target.name().to_owned(), shape: Shape::KeepAlive, setting: None };
        let step = Step { block: 0, cell, environment_padding: 0 };
        let raw = folder.path().join(found.len().to_string());
        match slice::measure(target, &step, request, &raw) {
            Err(Interrupted) => return Ok(None),
            Ok(tried) => found.push(Capacity {
                target: target.name().to_owned(),
                rps: match tried.outcome {
                    Outcome::Valid(measurement) => Some(measurement.rps),
                    Outcome::Failed(_) => None,
                },
            }),
        }
    }
    Ok(Some(found))
}

/// Whether every target has room above this rate. One that failed has no say: it will fail in the run as well.
///
/// # Errors
/// In words, with the slowest target and the most that can be asked for.
pub fn leaves_room(rate: u32, found: &[Capacity]) -> Result<()> {
    let slowest = found.iter().filter_map(|one| Some((one.rps?, &one.target))).min_by(|a, b| a.0.total_cmp(&b.0));
    let Some((rps, target)) = slowest else { return Ok(()) };
    ensure!(
        f64::from(rate) <= ROOM * rps,
        "{rate} req/s is over {:.0} % of the {rps:.0} that {target}, the slowest, gave just now in a closed loop; \
         ask for at most {:.0}, or leave it out",
        ROOM * 100.0,
        (ROOM * rps).floor()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capacities(rps: &[Option<f64>]) -> Vec<Capacity> {
        rps.iter().enumerate().map(|(n, rps)| Capacity { target: format!("target-{n}"), rps: *rps }).collect()
    }

    #[test]
    fn a_rate_is_refused_above_70_percent_of_the_slowest_that_can_be_measured() {
        let found = capacities(&[Some(30_000.0), None, Some(10_000.0), Some(20_000.0)]);
        assert!(leaves_room(7_000, &found).is_ok());
        let refused = leaves_room(7_001, &found).unwrap_err().to_string();
        assert!(refused.contains("target-2") && refused.contains("at most 7000"), "{refused}");
        assert!(leaves_room(7_001, &capacities(&[None])).is_ok());
    }
}
