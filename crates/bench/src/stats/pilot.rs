//! From the spread seen in a pilot to the number of units of a run. The pilot's own blocks are not used again: a number
//! chosen by looking at values must not be judged by the same values.

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

use super::input::Input;
use super::paired::by_group;
use super::verdict::units_needed;

/// The spread of a small pilot is itself uncertain; its upper one-sided limit of this level is planned for, so that four
/// of five runs reach what they were planned for (Browne 1995, *Stat. Med.* 14:1933-1940).
const SURE: f64 = 0.8;

/// Neighbours that go together are averaged in pairs, and what is left must do for a verdict. At n = 12, chance alone
/// makes about 7 of 100 comparisons seem so.
const NEIGHBOURS: usize = 2;

/// The number of units that a run should have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Planned {
    /// Restart groups of each target.
    pub units: usize,
    /// What decided on the number.
    pub because: Because,
}

/// What decides on a number of units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// With fewer, verdicts might not be possible at all, whatever the spread: twice [`units_needed`], so that enough
    /// are left if neighbours must be averaged.
    Verdicts,
    /// This target has the widest spread beside the baseline.
    Spread(String),
}

/// A pilot that no number can be planned from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{target} has {units} of the 3 units beside the baseline that its spread takes: make the pilot longer")]
pub struct PilotTooShort {
    /// The first target that has too few.
    pub target: String,
    /// Units that it has.
    pub units: usize,
}

/// Units that the widest target needs for an interval with this half-width (a share: 0.03 is 3 %) at the level of Holm's
/// first step, which is what [`Resolution`](super::Resolution) gives after the run.
///
/// The half-width of the Wilcoxon interval is planned by its normal limit, √(π/3) · z · s/√n (Lehmann 1963, *Ann. Math.
/// Stat.* 34:1507-1512: the asymptotic efficiency beside the mean is 3/π for normal values, and never under 0.864).
///
/// # Errors
/// If a target has one or two units.
pub fn units_for(pilot: &Input, half_width: f64) -> Result<Planned, PilotTooShort> {
    let (alpha, family) = (pilot.rules.alpha(), pilot.targets.len().max(1));
    let least = NEIGHBOURS * units_needed(family, alpha);
    let mut planned = Planned { units: least, because: Because::Verdicts };
    for target in &pilot.targets {
        // Not averaged: in so few units, neighbours seem to go together by chance too often.
        let values = by_group(target, &pilot.baseline);
        // Who has failed has no spread.
        if values.is_empty() {
            continue;
        }
        let spread = upper_spread(&values)
            .ok_or_else(|| PilotTooShort { target: target.name().to_owned(), units: values.len() })?;
        let z = Normal::standard().inverse_cdf(1.0 - alpha / (2 * family) as f64);
        let root = z * spread / half_width.ln_1p();
        let units = whole(root * root * std::f64::consts::PI / 3.0);
        if units > planned.units {
            planned = Planned { units, because: Because::Spread(target.name().to_owned()) };
        }
    }
    Ok(planned)
}

/// The upper limit of the standard deviation of normal values.
fn upper_spread(values: &[f64]) -> Option<f64> {
    if values.len() < 3 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let chi_squared = ChiSquared::new((values.len() - 1) as f64).ok()?;
    Some((squares / chi_squared.inverse_cdf(1.0 - SURE)).sqrt())
}

/// Upwards to a whole number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, and no run is as long")]
fn whole(units: f64) -> usize {
    units.ceil() as usize
}
