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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::record::TRIALS_FILE;
    use crate::replay::tests::fixed;
    use crate::replay::{Experiment, named};

    fn kept(folder: &Path, replay: &Replay) {
        let lines = replay.trials.iter().map(|trial| serde_json::to_string(trial).unwrap() + "\n");
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(REPLAY_FILE), serde_json::to_vec(&replay.record).unwrap()).unwrap();
        std::fs::write(folder.join(TRIALS_FILE), lines.collect::<String>()).unwrap();
    }

    #[test]
    fn what_is_odd_is_listed_with_the_reason_and_hides_nothing() {
        let experiment: &dyn Experiment = named("pyramid-node-gevent").unwrap();
        let replay = fixed::replay(experiment, &["tokio", "gevent"]);
        let mut partial = replay.clone();
        partial.trials.truncate(1);
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        kept(&at("a"), &replay);
        kept(&at("kept/b"), &partial);
        kept(&at("c"), &replay);
        std::fs::write(at("c").join(TRIALS_FILE), "{}\n").unwrap();
        kept(&at("d"), &replay);
        std::fs::remove_file(at("d").join(TRIALS_FILE)).unwrap();
        std::fs::create_dir_all(at("e").join(REPLAY_FILE)).unwrap();
        kept(&at("f"), &replay);
        std::fs::write(at("f").join(REPLAY_FILE), b"\xff").unwrap();
        std::fs::create_dir_all(at("no-replay")).unwrap();
        std::fs::write(at("file"), "").unwrap();
        let all = list(folder.path()).unwrap();
        let state = |one: &Listed| one.known.as_ref().map_or_else(Clone::clone, |known| known.state.to_string());
        assert_eq!(all.iter().map(|one| one.folder.as_str()).collect::<Vec<_>>(), ["a", "kept/b", "c", "d", "e", "f"]);
        assert_eq!(state(&all[0]), "failed: gevent");
        assert_eq!(state(&all[1]), format!("partial, 1 of {} trials", replay.record.planned));
        for (one, word) in all[2..].iter().zip([TRIALS_FILE, TRIALS_FILE, REPLAY_FILE, REPLAY_FILE]) {
            assert!(one.known.as_ref().unwrap_err().contains(word), "{one:?}");
        }
    }
}
