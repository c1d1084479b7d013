//! A warm-up until the cost is steady, for what compiles while it runs: a JVM's first thousands of requests cost many
//! times what later ones do, and a slice among them would measure the compiler.

use std::time::{Duration, Instant};

use super::slice::Stopped;
use crate::interrupt::{self, Interrupted};
use crate::process::Server;
use crate::results::{Failed, Stage, WarmUp};

/// How long a slice of the warm-up is at least.
const SLICE: Duration = Duration::from_secs(1);

/// So many slices in a row have to cost the same.
const IN_A_ROW: usize = 3;

/// And this is the same: the dearest of them over the cheapest.
const SAME: f64 = 1.10;

/// Asks until the server's cost is steady, for so long at the most.
pub(crate) fn until_steady(
    server: &Server,
    most: Duration,
    mut ask: impl FnMut() -> Result<u32, String>,
) -> Result<WarmUp, Stopped> {
    let failed = |reason| Stopped::Failed(Failed { stage: Stage::Before, reason, seen: None });
    let (began, mut cost_us, mut requests) = (Instant::now(), Vec::new(), 0);
    while !is_steady(&cost_us) && began.elapsed() < most {
        let (slice, before, mut asked) = (Instant::now(), server.cpu(), 0_u64);
        while slice.elapsed() < SLICE {
            asked += u64::from(ask().map_err(failed)?);
            if interrupt::asked() {
                return Err(Interrupted.into());
            }
        }
        cost_us.push(server.cpu().since(&before).total.as_secs_f64() * 1e6 / asked as f64);
        requests += asked;
    }
    let steady = is_steady(&cost_us);
    Ok(WarmUp { cost_us, slice_s: SLICE.as_secs_f64(), requests, steady })
}

fn is_steady(cost_us: &[f64]) -> bool {
    let Some(last) = cost_us.len().checked_sub(IN_A_ROW).map(|from| &cost_us[from..]) else { return false };
    let most = last.iter().copied().fold(f64::MIN, f64::max);
    let least = last.iter().copied().fold(f64::MAX, f64::min);
    most <= least * SAME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_falling_cost_is_not_steady_and_three_alike_are() {
        // Tomcat, in slices of a second.
        let curve = [365.0, 218.0, 143.0, 96.0, 85.0, 83.0, 56.0, 44.0, 42.0, 41.0, 40.0];
        let first = (0..=curve.len()).find(|seen| is_steady(&curve[..*seen]));
        assert_eq!(first, Some(10));
        assert!(!is_steady(&[40.0, 40.0]));
    }
}
