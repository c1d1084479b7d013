//! What is written of a run before its first slice: what was asked for, of whom, on what.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use clap::ValueEnum;
use jiff::Timestamp;

use super::{Request, resume};
use crate::load::{Extent, Shape};
use crate::machine::{Commit, Fingerprint, Known, Machine, Program, Toolchain};
use crate::results::{Capacity, ComparisonRecord, Options, RunRecord, SCHEMA, TargetRecord, ToolRecord};
use crate::targets::{Source, Target, Workspace, again};

/// `run.json` of a run that begins now.
pub(super) fn record(
    workspace: &Workspace,
    request: &Request,
    not_built: &HashMap<String, String>,
    tool_version: String,
    machine: Machine,
    warnings: Vec<String>,
    capacity: Vec<Capacity>,
) -> RunRecord {
    let measured = request.measured();
    let targets = measured
        .iter()
        .map(|target| {
            let (program, features) = match &target.source {
                _ if let Some(containers) = &request.containers => (containers.program(target), BTreeMap::new()),
                _ if not_built.contains_key(target.name()) => (None, BTreeMap::new()),
                Source::Revision { root, package, binary } => {
                    let own = Workspace { root: root.clone(), targets: Vec::new() };
                    (Program::read(binary), own.features(&[package]).unwrap_or_default())
                }
                Source::Package { package, binary } => {
                    (Program::read(binary), workspace.features(&[package]).unwrap_or_default())
                }
                Source::Command { folder } | Source::Original { folder, .. } => {
                    (started_by(target, request.workers, folder), BTreeMap::new())
                }
            };
            let source_lines = match &target.source {
                Source::Package { package, .. } => workspace.source_lines(package),
                Source::Revision { .. } | Source::Command { .. } | Source::Original { .. } => None,
            };
            target_record(target, request, program.into(), features, source_lines)
        })
        .collect();
    let (slice_s, requests) = match request.extent {
        Extent::Time(time) => (Some(time.as_secs_f64()), None),
        Extent::Requests(count) => (None, Some(count)),
    };
    let options = Options {
        tool: request.tool.name().to_owned(),
        shapes: request.shapes.clone(),
        connections: request.connections,
        threads: request.threads,
        blocks: request.blocks,
        slice_s,
        requests,
        workers: request.workers,
        seed: request.seed,
        depth: request.shapes.contains(&Shape::Pipelined).then_some(request.depth),
        rate: (request.sweep.is_empty() && request.shapes.contains(&Shape::FixedRate)).then_some(request.rate),
        sweep: request.sweep.first().map(|setting| setting.knob),
        launcher: request.launcher(),
    };
    let name = request.tool.name().to_owned();
    let tool = ToolRecord { program: Program::of_command(&name, Path::new(".")).into(), name, version: tool_version };
    let conditions = options.conditions();
    RunRecord {
        schema: SCHEMA,
        began: now(),
        commit: Commit::of(&workspace.root),
        toolchain: Toolchain::read(&workspace.root),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        options,
        fingerprint: Fingerprint::of(&machine, (&tool.name, &tool.version, &tool.program), conditions),
        tool,
        machine,
        warnings,
        comparison: ComparisonRecord {
            baseline: request.baseline.clone(),
            twin: again(&request.baseline),
            rules: request.rules,
        },
        targets,
        target_files: resume::checksums(&request.target_files),
        cells: request.cells(),
        versus: request.versus.clone(),
        pilot: None,
        capacity,
    }
}

/// The program that the command of a user's own target starts, from the folder that it is run in.
fn started_by(target: &Target, workers: Option<usize>, folder: &Path) -> Option<Program> {
    Program::of_command(target.command(workers).first()?, folder)
}

fn target_record(
    target: &Target,
    request: &Request,
    program: Known<Program>,
    features: crate::targets::Features,
    source_lines: Option<u64>,
) -> TargetRecord {
    let description = &target.description;
    let chosen = request.workers;
    let (workers, command) = match &request.containers {
        None => (target.workers(chosen), target.command(chosen)),
        Some(containers) => {
            (containers.workers(target, chosen), containers.line(target, "NAME", chosen, 0).unwrap_or_default())
        }
    };
    // A container has both from its own command line and image.
    let natively = request.containers.is_none().then_some(target);
    TargetRecord {
        name: description.name.clone(),
        kind: description.kind.clone(),
        language: description.language.clone(),
        framework: target.shows(),
        framework_version: target.version.clone().into(),
        model: description.model.clone(),
        original: description.original.clone(),
        mirrors: description.mirrors.clone(),
        mirror_workers: description.mirror_workers,
        shapes: Shape::value_variants().iter().copied().filter(|shape| description.holds(*shape)).collect(),
        workers: Some(workers).filter(|count| *count > 0),
        command,
        environment: natively.map(|target| target.environment(chosen).into_iter().collect()).unwrap_or_default(),
        folder: natively.and_then(|target| target.source.folder()).map(|folder| folder.display().to_string()),
        built_here: target.is_built_here(),
        program,
        features,
        source_lines,
    }
}

/// Now, UTC, to the second.
pub(crate) fn now() -> String {
    Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default().to_string()
}
