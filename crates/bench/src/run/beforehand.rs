//! Before the first slice: what must be true, what would disturb, what can be expected; and the builds.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::Request;
use crate::interrupt::Interrupted;
use crate::machine::{Commit, Machine, Root, preflight, raise_file_limit};
use crate::plan::{blocks_needed, default_blocks};
use crate::process::{self, ports};
use crate::targets::{Target, Workspace, WorkspaceError};

/// What can be expected of the run, before it starts.
pub(super) fn foresight(request: &Request) -> String {
    let (targets, blocks) = (request.most_in_a_shape(), request.blocks);
    let (needed, slack) = (blocks_needed(targets, &request.rules), default_blocks(targets, &request.rules));
    let baseline = &request.baseline;
    if blocks < needed {
        return format!(
            "{blocks} block{}, too few for verdicts on {targets} target{}: that takes {needed}, and --blocks {slack} leaves \
             room; this run will show estimates and spread only",
            if blocks == 1 { "" } else { "s" },
            if targets == 1 { "" } else { "s" },
        );
    }
    format!("{blocks} blocks; ratios are to {baseline}, which takes part twice; verdicts take {needed} blocks at least")
}

/// That a folder for a result is not there yet.
pub(crate) fn must_be_new(out: Option<&Path>) -> Result<()> {
    match out.filter(|out| out.exists()) {
        Some(out) => anyhow::bail!("{} is there already, and a result is never overwritten", out.display()),
        None => Ok(()),
    }
}

/// What must be true before anything is built or started; gives the load tool's version.
pub(super) fn must_hold(request: &Request) -> Result<String> {
    must_be_new(request.out.as_deref())?;
    let tool = request.tool;
    let version = process::tool::version(tool)
        .with_context(|| format!("{} is not installed; get it with `{}`", tool.name(), tool.install()))?;
    raise_file_limit(request.most_connections())?;
    if let Some(containers) = &request.containers {
        process::docker::available()?;
        containers.must_hold(request.most_connections())?;
        for target in &request.targets {
            containers.service(target).map_err(anyhow::Error::msg)?;
        }
        process::docker::remove_left()?;
    }
    ports_must_be_free(&request.targets)?;
    Ok(version)
}

/// That nothing listens where these targets are to.
pub(crate) fn ports_must_be_free(targets: &[Target]) -> Result<()> {
    for target in targets {
        let address = target.address();
        if let Err(error) = ports::prove_free(address) {
            let holder =
                ports::holder(address.port()).map_or_else(|| error.to_string(), |who| format!("held by {who}"));
            anyhow::bail!("port {} of {} is in use, {holder}; end that first", address.port(), target.name());
        }
    }
    Ok(())
}

/// Where a result goes, or the folder that it gets one in.
pub(crate) fn results_of(workspace: &Workspace, out: Option<&Path>) -> PathBuf {
    out.map_or_else(|| workspace.root.join("results"), Path::to_owned)
}

/// What would disturb the run, told to the user too; looked at before the builds, which are work themselves.
pub(crate) fn disturbances(machine: &Machine, targets: &[Target], results: &Path, connections: u32) -> Vec<String> {
    let addresses: Vec<_> = targets.iter().map(Target::address).collect();
    let now = preflight::Now::look(&Root::system(), &addresses, results, connections);
    let warnings = preflight::warnings(machine, &now);
    for warning in &warnings {
        eprintln!("warning: {warning}");
    }
    warnings
}

/// Builds every target as it is measured; a target → why it could not be built.
pub(super) fn build(workspace: &Workspace, request: &Request) -> Result<Result<HashMap<String, String>, Interrupted>> {
    let mut not_built = HashMap::new();
    if let Some(containers) = &request.containers {
        let commit = Commit::of(&workspace.root).hash.to_string();
        for target in &request.targets {
            note!("building the image of {}", target.name());
            match process::build::image(containers, target, &commit) {
                Ok(Ok(())) => {}
                Ok(Err(why)) => drop(not_built.insert(target.name().to_owned(), why)),
                Err(interrupted) => return Ok(Err(interrupted)),
            }
        }
        return Ok(Ok(not_built));
    }
    build_here(workspace, &request.targets)
}

/// Builds those that are built with cargo; a target → why it could not be built.
pub(crate) fn build_here(
    workspace: &Workspace,
    targets: &[Target],
) -> Result<Result<HashMap<String, String>, Interrupted>> {
    let mut not_built = HashMap::new();
    for target in targets.iter().filter(|target| target.is_built_here()) {
        note!("building {}", target.name());
        match process::build(workspace, target) {
            Ok(Ok(())) => {}
            Ok(Err(error @ WorkspaceError::Build { .. })) => {
                not_built.insert(target.name().to_owned(), error.to_string());
            }
            Ok(Err(other)) => return Err(other.into()),
            Err(interrupted) => return Ok(Err(interrupted)),
        }
    }
    Ok(Ok(not_built))
}
