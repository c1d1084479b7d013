//! From slices of numbers to findings; pure functions.
//!
//! [`analyse`] takes one metric of all targets in one shape, block by block, and says everything that can be said:
//! pairs by restart group (`paired`), the exact signed-rank test and its interval (`signed_rank`), the correction for the
//! family (`holm`), the verdict (`verdict`) and the tiers (`tiers`). [`units_needed`] and [`units_for`] plan a run
//! beforehand, and [`simulate`](simulate::simulate) counts how often verdicts are false where the truth is known.

mod findings;
#[cfg(test)]
mod golden;
mod holm;
mod input;
pub mod knee;
mod paired;
mod pilot;
#[cfg(test)]
mod promises;
mod signed_rank;
pub mod simulate;
mod summary;
mod tiers;
mod unpaired;
mod verdict;

pub use findings::{
    Against, Comparison, Evidence, Findings, Found, NoiseFloor, RatioInterval, Resolution, Tier, Tiers, analyse,
    difference_of,
};
pub use input::{BadRules, Better, Input, Metric, NoRatio, Rules, Series};
pub use paired::differences;
pub use pilot::{Because, PilotTooShort, Planned, units_for};
pub use summary::Summary;
pub use unpaired::{Change, Samples, changes, unpaired_units_needed};
pub use verdict::{Conclusion, Verdict, units_needed};
