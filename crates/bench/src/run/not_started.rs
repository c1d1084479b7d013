//! Targets that do not start: each is tried again, but not for ever.

use std::collections::HashMap;

use crate::results::{Failed, Outcome, Stage};

/// A target that could not be started this often in a run is not tried again: each try takes its whole deadline.
const START_TRIES: u32 = 2;

/// The targets that could not be started: how often, and why at last.
#[derive(Default)]
pub(super) struct NotStarted(HashMap<String, (u32, String)>);

impl NotStarted {
    /// Takes notice of how a slice of a target went.
    pub(super) fn note(&mut self, target: &str, outcome: &Outcome) {
        if let Outcome::Failed(Failed { stage: Stage::Start, reason, .. }) = outcome
            && self.given_up(target).is_none()
        {
            let (tries, why) = self.0.entry(target.to_owned()).or_default();
            *tries += 1;
            why.clone_from(reason);
        }
    }

    /// Why a target is not tried again, if it is not.
    pub(super) fn given_up(&self, target: &str) -> Option<String> {
        let (tries, reason) = self.0.get(target).filter(|(tries, _)| *tries >= START_TRIES)?;
        Some(format!("{reason} (not tried again after {tries} times)"))
    }
}
