//! Which load tools a replay needs, and which of those that are there drives users.

use anyhow::{Context, Result, bail};

use super::Batch;
use super::record::Part;
use crate::load::{self, LoadTool};
use crate::process;

/// The load tools and their versions; the last is the one that asks again and again.
pub type Tools = Vec<(&'static dyn LoadTool, String)>;

/// What may stand in for the tool that drove users then, and could hold so many connections: the first that is there.
const STAND_INS: [&str; 2] = ["oha", "h2load"];

/// What takes their place where neither is there.
const LAST_RESORT: &str = "wrk";

/// The tools that these batches need.
///
/// # Errors
/// In one line, for one that is not installed, with how to get it.
pub fn needed(batches: &[Batch]) -> Result<Tools> {
    let needs = |wanted: fn(&Part) -> bool| batches.iter().any(|batch| batch.parts.iter().any(wanted));
    let mut tools = Vec::new();
    if needs(|part| !matches!(part, Part::Rate { .. } | Part::Users { .. })) {
        tools.push(there("ab")?);
    }
    if needs(|part| matches!(part, Part::Rate { .. })) {
        tools.push(there("httperf")?);
    }
    if needs(|part| matches!(part, Part::Users { .. })) {
        tools.push(for_users()?);
    }
    Ok(tools)
}

fn there(name: &str) -> Result<(&'static dyn LoadTool, String)> {
    let tool = load::tool(name).context("there is no such load tool")?;
    let version = process::tool::version(tool)
        .with_context(|| format!("{name} is not installed; get it with `{}`", tool.install()))?;
    Ok((tool, version))
}

fn for_users() -> Result<(&'static dyn LoadTool, String)> {
    let mut names = STAND_INS.into_iter().chain([LAST_RESORT]);
    if let Some(found) = names.find_map(|name| there(name).ok()) {
        return Ok(found);
    }
    bail!("none of {}, {LAST_RESORT} is installed; get one with {}", STAND_INS.join(", "), how_to_get_one());
}

fn how_to_get_one() -> String {
    let ways = STAND_INS.iter().filter_map(|name| load::tool(name)).map(|tool| format!("`{}`", tool.install()));
    ways.collect::<Vec<_>>().join(" or ")
}

/// That this tool drives users only because nothing better is there, if so.
pub fn fallen_back_to(tool: &dyn LoadTool) -> Option<String> {
    let neither = STAND_INS.join(" nor ");
    (tool.name() == LAST_RESORT).then(|| {
        format!(
            "{LAST_RESORT} drives the users, because neither {neither} is installed; get one with {}",
            how_to_get_one()
        )
    })
}
