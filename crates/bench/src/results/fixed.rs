//! Runs that were never made, the same for ever: what reports and comparisons are tested on.

use std::collections::BTreeMap;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::{
    ComparisonRecord, Conditions, Failed, Limit, Measurement, Options, Outcome, Run, RunRecord, SCHEMA, SliceRecord,
    Stage, TargetRecord, ToolRecord,
};
use crate::load::{Latency, Shape};
use crate::machine::{Commit, Fingerprint, Known, Machine, Root, Toolchain};
use crate::plan::Cell;
use crate::stats::Rules;
use crate::targets::again;

/// Targets with their cost in µs, of which the first is the baseline and takes part twice, over so many blocks of
/// `keep-alive`. Every slice is within 1 % of that cost, and has as many requests as a second of two cores allows.
pub fn run(targets: &[(&str, f64)], blocks: u32, seed: u64) -> Run {
    let (baseline, cost) = targets[0];
    let twin = again(baseline);
    let targets: Vec<(&str, f64)> = targets.iter().copied().chain([(twin.as_str(), cost)]).collect();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let cell = |name: &str| Cell { target: name.into(), shape: Shape::KeepAlive, setting: None };
    let cells: Vec<Cell> = targets.iter().map(|(name, _)| cell(name)).collect();
    let mut slices = Vec::new();
    for block in 0..blocks {
        for (cell, (_, cost)) in cells.iter().zip(&targets) {
            let cost_us = cost * random.random_range(0.99..1.01);
            let rps = 1e6 / cost_us * random.random_range(0.99..1.01);
            slices.push(SliceRecord {
                schema: SCHEMA,
                block,
                tried: 0,
                cell: cell.clone(),
                began: "2026-11-30T12:00:01Z".into(),
                environment_padding: 0,
                command: Vec::new(),
                outcome: Outcome::Valid(Box::new(measurement(cost_us, rps))),
            });
        }
    }
    let record = record(baseline, &targets.iter().map(|(name, _)| *name).collect::<Vec<_>>(), cells, blocks, seed);
    Run { record, slices, replaced: Vec::new(), blocks_again: 0 }
}

/// Changes every measurement of a target.
pub fn each(run: &mut Run, target: &str, change: impl Fn(&mut Measurement)) {
    for slice in run.slices.iter_mut().filter(|slice| slice.cell.target == target) {
        if let Outcome::Valid(measurement) = &mut slice.outcome {
            change(measurement);
        }
    }
}

/// Has every slice of a target fail.
pub fn fail(run: &mut Run, target: &str) {
    for slice in run.slices.iter_mut().filter(|slice| slice.cell.target == target) {
        let reason = "it ended with status 3".to_owned();
        slice.outcome = Outcome::Failed(Failed { stage: Stage::Load, reason, seen: None });
    }
}

/// The load tool was the limit.
pub fn client_bound(measurement: &mut Measurement) {
    measurement.tool_cpu_s = 0.97 * measurement.wall_s;
    measurement.limit = Limit::LoadTool;
}

/// Server and load tool took the cores from each other.
pub fn shared_cpu(measurement: &mut Measurement) {
    measurement.limit = Limit::SharedCpu;
}

fn measurement(cost_us: f64, rps: f64) -> Measurement {
    Measurement {
        requests: 100_000,
        duration_s: 1e5 / rps,
        rps,
        cost_us,
        server_cpu_s: cost_us * 0.1,
        server_user_share: Some(0.3),
        tool_cpu_s: 0.5,
        wall_s: 1.0,
        other_cpu_s: Some(0.0),
        steal_s: Some(0.0),
        response_bytes: 114,
        received_bytes: None,
        connections_opened: Some(64),
        kept_share: Some(1.0),
        rss_bytes: 3 << 20,
        threads: 3,
        warm_up: None,
        start_up_s: 0.01,
        idle_cores: None,
        fixed_rate: None,
        closed_loop_latency_us: Latency::default(),
        limit: Limit::Server,
        conditions: Conditions::default(),
        warnings: Vec::new(),
    }
}

fn record(baseline: &str, targets: &[&str], cells: Vec<Cell>, blocks: u32, seed: u64) -> RunRecord {
    let options = Options {
        tool: "wrk".into(),
        shapes: vec![Shape::KeepAlive],
        connections: 64,
        threads: 1,
        blocks,
        slice_s: Some(1.0),
        requests: None,
        workers: None,
        seed,
        depth: None,
        rate: None,
        launcher: crate::container::Launcher::Native,
        sweep: None,
    };
    let nowhere = tempfile::tempdir().unwrap();
    let machine = Machine::read_at(&Root::at(nowhere.path()));
    let tool = ToolRecord { name: "wrk".into(), version: "4.1.0".into(), program: Known::Unknown };
    let target = |name: &&str| TargetRecord {
        name: (*name).to_owned(),
        kind: "runtime".into(),
        language: "Rust".into(),
        framework: (*name).to_owned(),
        framework_version: Known::Unknown,
        model: "a thread per connection".into(),
        original: None,
        mirrors: Vec::new(),
        mirror_workers: None,
        shapes: vec![Shape::KeepAlive],
        workers: None,
        command: vec!["serve".into()],
        environment: BTreeMap::new(),
        folder: None,
        built_here: false,
        program: Known::Unknown,
        features: std::collections::BTreeMap::new(),
        source_lines: None,
    };
    RunRecord {
        schema: SCHEMA,
        began: "2026-11-30T12:00:00Z".into(),
        commit: Commit { hash: Known::Unknown, dirty: Known::Unknown },
        toolchain: Toolchain::read(nowhere.path()),
        version: "0.1.0".into(),
        fingerprint: Fingerprint::of(&machine, (&tool.name, &tool.version, &tool.program), options.conditions()),
        options,
        tool,
        machine,
        warnings: Vec::new(),
        comparison: ComparisonRecord { baseline: baseline.into(), twin: again(baseline), rules: Rules::default() },
        targets: targets.iter().map(target).collect(),
        target_files: std::collections::BTreeMap::new(),
        cells,
        versus: None,
        pilot: None,
        capacity: Vec::new(),
    }
}
