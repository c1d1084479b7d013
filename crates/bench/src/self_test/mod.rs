//! Does the suite tell the truth? Where the truth is known, what it says is held against it.

mod burn;
pub mod live;
pub mod simulated;
mod swapped;

pub use burn::serve as serve_and_burn;

/// What was held against the truth, and whether it held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What came of it, in lines.
    pub words: String,
    /// Whether it holds.
    pub holds: bool,
}
