//! What is written of a run that has a purpose of its own: two commits beside each other, or a number of blocks that was
//! planned from a pilot.

use serde::{Deserialize, Serialize};

/// Which two commits of this project are held beside each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersusRecord {
    /// The commit that is compared with.
    pub a: RevisionRecord,
    /// The other.
    pub b: RevisionRecord,
    /// Every target by its names in both.
    pub pairs: Vec<PairRecord>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisionRecord {
    /// What the user called it.
    pub called: String,
    /// Its hash.
    pub hash: String,
}

/// Two targets of a run that are compared with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairRecord {
    /// What stands for both in a table.
    pub target: String,
    /// The one that is compared with.
    pub a: String,
    /// The other.
    pub b: String,
}

/// What a number of blocks was planned from, before the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PilotRecord {
    /// The name of its folder, which was beside this run's.
    pub folder: String,
    /// Blocks that it had.
    pub blocks: u32,
    /// The difference that was to be seen, as a share: 0.03 is 3 %.
    pub resolve: f64,
    /// Blocks that this would take; the run has fewer if it was not to have so many.
    pub wanted: u32,
    /// What decided on that number, in words.
    pub because: String,
}
