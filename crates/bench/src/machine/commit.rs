//! The commit that a folder is at.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Known, ask};

/// The commit that a folder is at, and whether it has changes that are not committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The commit's hash.
    pub hash: Known<String>,
    /// Whether something is changed: the hash then does not tell what was measured, the checksums do.
    pub dirty: Known<bool>,
}

impl Commit {
    /// Asks git.
    pub fn of(folder: &Path) -> Self {
        let git = |args: &[&str]| ask::answer("git", args, folder);
        Self {
            hash: git(&["rev-parse", "--verify", "HEAD"]).into(),
            dirty: git(&["--no-optional-locks", "status", "--porcelain"]).map(|changes| !changes.is_empty()).into(),
        }
    }

    /// The hash as it stands in names: seven digits.
    pub fn short(&self) -> &str {
        self.hash.get().map_or("unknown", |hash| hash.get(..7).unwrap_or(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_a_repository_nothing_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let commit = Commit::of(folder.path());
        assert_eq!((&commit.hash, commit.dirty, commit.short()), (&Known::Unknown, Known::Unknown, "unknown"));
    }
}
