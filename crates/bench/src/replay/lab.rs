//! Carries out the batches of a replay: every trial with a freshly started server, in an order that is drawn from a
//! recorded seed, appended to the records as it ends.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::Result;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::record::{Directory, Outcome, Part, SCHEMA, TrialRecord};
use super::trial::{Ask, Tried, failed_at, trial};
use super::{Batch, TOO_SHORT_S};
use crate::interrupt::Interrupted;
use crate::load::LoadTool;
use crate::results::{Stage, file_name};
use crate::run::now;
use crate::targets::{Target, Workers};

/// Environment sizes are drawn below this, one page.
const MAX_PADDING: usize = 4096;

/// What every trial takes beside its load: starting, checking, warming up, stopping.
const AROUND: Duration = Duration::from_millis(1500);

/// Requests per second that are expected of everybody, to say beforehand how long it takes.
const EXPECTED_RPS: f64 = 2000.0;

/// Whom is tried what.
pub struct Lab<'a> {
    /// Everybody.
    pub targets: &'a [Target],
    /// A target → why it could not be built.
    pub not_built: &'a HashMap<String, String>,
    /// The number of workers of those that would have one per core.
    pub workers: Option<usize>,
    /// The load tool for connections that ask again and again.
    pub closed_loop: &'static dyn LoadTool,
    /// From which the order is drawn.
    pub seed: u64,
}

/// A trial in its place.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    target: usize,
    part: Part,
    round: u32,
    longer: Option<u64>,
    padding: usize,
}

impl Lab<'_> {
    /// Every trial, in its order.
    fn steps(&self, batches: &[Batch]) -> Vec<Step> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut steps = Vec::new();
        for batch in batches {
            for round in 1..=batch.rounds {
                let of = |part: &Part| {
                    let part = *part;
                    self.taking_part(batch).map(move |target| (target, part)).collect::<Vec<_>>()
                };
                let mut order: Vec<(usize, Part)> = batch.parts.iter().flat_map(of).collect();
                order.shuffle(&mut random);
                steps.extend(order.into_iter().map(|(target, part)| Step {
                    target,
                    part,
                    round,
                    longer: batch.longer,
                    padding: random.random_range(0..MAX_PADDING),
                }));
            }
        }
        steps
    }

    fn taking_part(&self, batch: &Batch) -> impl Iterator<Item = usize> {
        let can = |target: &Target| !batch.only_stacks || target.description.stack_size.is_some();
        (0..self.targets.len()).filter(move |place| can(&self.targets[*place]))
    }

    /// How many trials there are.
    pub fn planned(&self, batches: &[Batch]) -> usize {
        batches.iter().map(|batch| batch.parts.len() * batch.rounds as usize * self.taking_part(batch).count()).sum()
    }

    /// About how long they take, if everybody answers some 2000 requests per second.
    pub fn expected(&self, batches: &[Batch]) -> Duration {
        let of = |batch: &Batch| {
            let each: Duration = batch.parts.iter().map(|part| AROUND + expected(*part, batch.longer)).sum();
            let parts = u32::try_from(batch.parts.len()).unwrap_or(u32::MAX);
            let warm_up = |place: usize| self.targets[place].description.warm_up_until_steady_s.unwrap_or_default();
            let all: Duration =
                self.taking_part(batch).map(|place| each + Duration::from_secs(warm_up(place)) * parts).sum();
            all * batch.rounds
        };
        batches.iter().map(of).sum()
    }

    /// Makes every trial.
    ///
    /// # Errors
    /// When a result cannot be kept; within, when the user interrupts it.
    pub fn carry_out(&self, batches: &[Batch], directory: &mut Directory) -> Result<Result<(), Interrupted>> {
        let steps = self.steps(batches);
        let mut done: Vec<TrialRecord> = Vec::new();
        for (n, step) in steps.iter().enumerate() {
            let target = &self.targets[step.target];
            directory.must_have_room()?;
            let began = now();
            let part = lengthened(step, target.name(), &done);
            eprintln!("{} of {}: {}, {}", n + 1, steps.len(), target.name(), words(part));
            let tried = if let Some(why) = self.not_built.get(target.name()) {
                Tried { command: Vec::new(), outcome: failed_at(Stage::Build, why.clone()) }
            } else {
                let raw = directory.raw(&format!("{:03}-{}", n + 1, file_name(target.name())));
                let by_core = target.description.workers == Workers::Cores;
                let ask = Ask {
                    target,
                    part,
                    workers: self.workers.filter(|_| by_core),
                    padding: step.padding,
                    closed_loop: self.closed_loop,
                };
                match trial(&ask, &raw) {
                    Ok(tried) => tried,
                    Err(interrupted) => return Ok(Err(interrupted)),
                }
            };
            if let Outcome::Failed(failed) = &tried.outcome {
                eprintln!("  failed, {}: {}", failed.stage.words(), failed.reason);
                // A full disk is no fault of the target.
                directory.must_have_room()?;
            }
            let Tried { command, outcome } = tried;
            let (target, round) = (target.name().to_owned(), step.round);
            let record = TrialRecord { schema: SCHEMA, target, part, round, began, command, outcome };
            directory.append(&record)?;
            done.push(record);
        }
        Ok(Ok(()))
    }
}

/// The part of a step, with more requests if a look showed that the published number is answered too soon.
fn lengthened(step: &Step, target: &str, done: &[TrialRecord]) -> Part {
    let (Part::Requests { connections, keep, .. }, Some(longer)) = (step.part, step.longer) else { return step.part };
    let is_look = |trial: &&TrialRecord| trial.target == target && matches!(trial.part, Part::Look { .. });
    match done.iter().find(is_look).map(|trial| &trial.outcome) {
        Some(Outcome::Valid(look)) if look.duration_s < TOO_SHORT_S => {
            Part::Requests { requests: longer, connections, keep }
        }
        _ => step.part,
    }
}

fn expected(part: Part, longer: Option<u64>) -> Duration {
    let requests = |requests: u64| Duration::from_secs_f64(requests as f64 / EXPECTED_RPS);
    match part {
        Part::Look { requests: count, .. } => requests(count),
        Part::Requests { requests: count, .. } => requests(longer.unwrap_or(count)),
        Part::Rate { per_s, connections } => Duration::from_secs_f64(f64::from(connections) / f64::from(per_s)),
        Part::Users { seconds, .. } => Duration::from_secs(seconds.into()),
        Part::Stack { .. } => requests(1000),
    }
}

/// A part, as a person reads it.
pub fn words(part: Part) -> String {
    let many =
        |connections: u32| if connections == 1 { "1 connection".into() } else { format!("{connections} connections") };
    match part {
        Part::Look { requests, .. } => format!("a look with {requests} requests"),
        Part::Requests { requests, connections, .. } => format!("{requests} requests over {}", many(connections)),
        Part::Rate { per_s, connections } => format!("{} at {per_s} per second", many(connections)),
        Part::Users { users, seconds } => format!("{users} users for {seconds} s"),
        Part::Stack { kib: None } => "memory with the default stack".to_owned(),
        Part::Stack { kib: Some(kib) } => format!("memory with a stack of {kib} KiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::tests::fixed;

    const PART: Part = Part::Requests { requests: 1000, connections: 10, keep: false };

    fn step() -> Step {
        Step { target: 0, part: PART, round: 1, longer: Some(10_000), padding: 0 }
    }

    #[test]
    fn only_a_look_under_half_a_second_makes_a_trial_longer() {
        let longer = Part::Requests { requests: 10_000, connections: 10, keep: false };
        let look = |duration_s: f64| fixed::look("a", duration_s);
        assert_eq!(lengthened(&step(), "a", &[look(0.49)]), longer);
        assert_eq!(lengthened(&step(), "a", &[look(0.5)]), PART);
        assert_eq!(lengthened(&step(), "b", &[look(0.1)]), PART);
        assert_eq!(lengthened(&Step { longer: None, ..step() }, "a", &[look(0.1)]), PART);
        assert_eq!(
            lengthened(&step(), "a", &[fixed::failed("a", Part::Look { requests: 1000, connections: 10 })]),
            PART
        );
    }

    #[test]
    fn every_round_holds_everybody_once_and_the_seed_alone_decides_the_order() {
        let targets: Vec<Target> = ["a", "b", "c", "d"].map(fixed::target).into();
        let not_built = HashMap::new();
        let closed_loop = crate::load::TOOLS[0];
        let lab = |seed| Lab { targets: &targets, not_built: &not_built, workers: None, closed_loop, seed };
        let batches = [Batch::of(vec![PART, Part::Look { requests: 1, connections: 1 }], 3)];
        let steps = lab(1).steps(&batches);
        assert_eq!(steps.len(), lab(1).planned(&batches));
        for round in steps.chunks(8) {
            let mut held: Vec<_> = round.iter().map(|step| (step.target, format!("{:?}", step.part))).collect();
            held.sort();
            held.dedup();
            assert_eq!(held.len(), 8);
        }
        assert_eq!(steps, lab(1).steps(&batches));
        assert_ne!(steps, lab(2).steps(&batches));
        // Nobody here can choose the size of its stacks.
        let only_stacks = Batch { only_stacks: true, ..batches[0].clone() };
        assert_eq!(lab(1).planned(&[only_stacks]), 0);
    }
}
