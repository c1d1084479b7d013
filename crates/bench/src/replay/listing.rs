//! The replays in a folder, in the form in which runs are listed.

use std::path::Path;

use anyhow::Result;

use super::record::{Outcome, REPLAY_FILE, Replay};
use crate::results::listing::{Known, Listed, State, listed};

/// Whether a folder holds a replay.
pub fn is_one(folder: &Path) -> bool {
    folder.join(REPLAY_FILE).exists()
}

/// Every replay in `folder`, and in `kept/` there, as [`crate::results::listing::list`] lists runs.
///
/// # Errors
/// When `folder` cannot be read.
pub fn list(folder: &Path) -> Result<Vec<Listed>> {
    listed(folder, REPLAY_FILE, |path| Replay::read(path).map(|replay| known(&replay)))
}

fn known(replay: &Replay) -> Known {
    let record = &replay.record;
    let names: Vec<String> = record.members.iter().map(|member| member.name.clone()).collect();
    let has_failed = |name: &&String| {
        let mut own = replay.trials.iter().filter(|trial| trial.target == **name);
        own.any(|trial| matches!(trial.outcome, Outcome::Failed(_)))
    };
    let failed = names.iter().filter(has_failed).cloned().collect();
    Known {
        what: format!("replay {}", record.replay),
        began: record.began.clone(),
        machine: record.machine.host.to_string(),
        commit: record.commit.short().to_owned(),
        state: State::of(replay.trials.len(), record.planned, "trials", failed),
        targets: names,
    }
}
