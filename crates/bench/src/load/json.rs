//! What `hello-bench parse` prints: one object for every tool, with null where an output does not give a value.

use serde::Serialize;
use serde_json::Value;

use super::{Output, Report, TOOLS, tool};

#[derive(Serialize)]
struct Parsed<'a> {
    tool: &'a str,
    status: &'static str,
    reason: Option<String>,
    #[serde(flatten)]
    report: Report,
}

/// Reads a recorded output. A failed one is an answer too: `"status": "failed"`, its reason, and what could be seen.
///
/// # Errors
/// There is no such tool.
pub fn parse_to_json(name: &str, output: &Output) -> Result<Value, String> {
    let Some(known) = tool(name) else {
        let names = TOOLS.map(super::LoadTool::name).join(", ");
        return Err(format!("no load tool is called `{name}`; there are {names}"));
    };
    let (status, reason, mut report) = match known.parse(output) {
        Ok(report) => ("ok", None, report),
        Err(failure) => ("failed", Some(failure.reason), *failure.seen),
    };
    if report.open_loop.is_some() {
        let warning = "oha's CSV has no rows for requests that failed: compare `requests` with how many were asked for";
        report.warnings.push(warning.to_owned());
    }
    serde_json::to_value(Parsed { tool: known.name(), status, reason, report }).map_err(|error| error.to_string())
}
