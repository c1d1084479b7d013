//! Records that were never made, the same for ever.

use crate::load::HttperfReplies;
use crate::machine::{Commit, Known, Machine, Root, Toolchain};
use crate::replay::record::{Footprint, Found, Member, Outcome, Part, Replay, ReplayRecord, SCHEMA, TrialRecord};
use crate::replay::{Batch, Experiment};
use crate::results::{Failed, Limit, Stage, ToolRecord};
use crate::targets::{Description, Source, Target};

/// A target that is never started.
pub fn target(name: &str) -> Target {
    let text = format!(
        "name = {name:?}\nkind = \"std\"\nlanguage = \"Rust\"\nmodel = \"\"\nport = 8101\ncommand = [\"serve\"]"
    );
    let description: Description = toml::from_str(&text).unwrap();
    let source = Source::Command { folder: "/".into() };
    Target { description, source, version: None, host: std::net::Ipv4Addr::LOCALHOST }
}

fn trial(target: &str, part: Part, round: u32, outcome: Outcome) -> TrialRecord {
    let began = "2026-11-30T12:00:01Z".to_owned();
    TrialRecord { schema: SCHEMA, target: target.to_owned(), part, round, began, command: Vec::new(), outcome }
}

/// A look that took so long.
pub fn look(target: &str, duration_s: f64) -> TrialRecord {
    let part = Part::Look { requests: 1000, connections: 10 };
    trial(target, part, 1, Outcome::Valid(Box::new(Found { duration_s, ..found(part, 1.0) })))
}

/// A trial that failed.
pub fn failed(target: &str, part: Part) -> TrialRecord {
    let failed = Failed { stage: Stage::Load, reason: "it ended with status 3".to_owned(), seen: None };
    trial(target, part, 1, Outcome::Failed(failed))
}

/// Figures of a server that takes so many times as long as the fastest; the faster, the more the load tool is the limit.
fn found(part: Part, slow: f64) -> Found {
    let (requests, rps) = match part {
        Part::Look { requests, .. } | Part::Requests { requests, .. } => (requests, 8000.0 / slow),
        Part::Rate { per_s, connections } => (connections.into(), f64::from(per_s)),
        Part::Users { seconds, .. } => (u64::from(seconds) * 8000, 8000.0 / slow),
        Part::Stack { .. } => (1000, 8000.0 / slow),
    };
    let users = match part {
        Part::Users { users, .. } => f64::from(users),
        _ => 1.0,
    };
    let memory = |kib: Option<u32>| Footprint {
        virtual_bytes: (20 << 20) + 10 * u64::from(kib.unwrap_or(2048)) * 1024,
        resident_bytes: 3 << 20,
        threads: 11,
        connections: 10,
    };
    Found {
        requests,
        duration_s: requests as f64 / rps,
        rps,
        mean_ms: Some(users * 1e3 / rps),
        cost_us: 10.0 * slow,
        received_bytes: Some(requests * 133),
        response_bytes: 133,
        start_up_s: 0.01,
        limit: if slow > 1.0 { Limit::Server } else { Limit::LoadTool },
        percentiles_ms: match part {
            Part::Requests { connections: 1, .. } => {
                [50, 66, 75, 80, 90, 95, 98, 99, 100].map(|percent| (percent, f64::from(percent) * slow / 100.0)).into()
            }
            _ => Vec::new(),
        },
        replies: match part {
            Part::Rate { per_s, connections } => Some(HttperfReplies {
                reply_rate_per_s: Some(per_s.into()),
                connection_avg_ms: Some(0.4 * slow),
                connection_median_ms: Some(0.5),
                response_ms: 0.3 * slow,
                statuses: [0, connections.into(), 0, 0, 0],
            }),
            _ => None,
        },
        memory: match part {
            Part::Stack { kib } => Some(memory(kib)),
            _ => None,
        },
        warm_up: None,
        warnings: Vec::new(),
    }
}

/// A replay of which every part was tried as planned of these targets; of the last one everything failed.
pub fn replay(experiment: &dyn Experiment, targets: &[&str]) -> Replay {
    let batches = experiment.plan(false);
    let mut trials = Vec::new();
    for (batch, round) in batches.iter().flat_map(|batch| (1..=batch.rounds).map(move |round| (batch, round))) {
        let Batch { parts, longer, .. } = batch;
        for part in parts {
            for (place, target) in targets.iter().enumerate() {
                if place + 1 == targets.len() {
                    trials.push(failed(target, *part));
                    continue;
                }
                let part = match (*part, longer) {
                    (Part::Requests { connections, keep, .. }, Some(longer)) if place == 0 => {
                        Part::Requests { requests: *longer, connections, keep }
                    }
                    (part, _) => part,
                };
                let slow = (place + 1) as f64 + f64::from(round) / 10.0 - 0.1;
                trials.push(trial(target, part, round, Outcome::Valid(Box::new(found(part, slow)))));
            }
        }
    }
    let nowhere = tempfile::tempdir().unwrap();
    let tool = |name: &str| ToolRecord { name: name.into(), version: "1.0".into(), program: Known::Unknown };
    let member = |name: &&str| Member {
        name: (*name).to_owned(),
        shows: format!("{name} 1.0"),
        model: "a thread per connection".into(),
        workers: Some(1),
        command: vec!["serve".into()],
        program: Known::Unknown,
    };
    let record = ReplayRecord {
        schema: SCHEMA,
        replay: experiment.name().to_owned(),
        began: "2026-11-30T12:00:00Z".into(),
        version: "0.1.0".into(),
        commit: Commit { hash: Known::Unknown, dirty: Known::Unknown },
        toolchain: Toolchain::read(nowhere.path()),
        machine: Machine::read_at(&Root::at(nowhere.path())),
        quick: false,
        seed: 1,
        tools: vec![tool("ab"), tool("h2load")],
        members: targets.iter().map(member).collect(),
        missing: vec!["not here: another".into()],
        warnings: Vec::new(),
        planned: trials.len(),
    };
    Replay { record, trials }
}
