//! With real servers and a real load tool: one server under three names must not differ from itself, and a known extra
//! cost must be found.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::Answer;
use super::swapped;
use crate::load::{self, Extent, Shape};
use crate::process::{Lock, own_program, ports};
use crate::report::table::Slices;
use crate::report::{Judgement, Report, by_block};
use crate::results::Run;
use crate::run::{self, Ended, Request, fresh_seed};
use crate::stats::{Conclusion, Found, Metric, Rules, Series, Verdict, difference_of};
use crate::targets::{Source, Target, Workspace};

/// What both servers of the A/B burn, in µs: with the processor as the limit on both sides, a request costs the same
/// beside what is burnt.
const BURN_US: u64 = 200;

/// Few connections: the less is under way when the time is up, the less CPU time has no response to its name.
const CONNECTIONS: u32 = 4;

/// Ports that are tried.
const PORTS: std::ops::Range<u16> = 8600..8700;

/// One server under three names, the first of which takes part twice.
///
/// # Errors
/// When the run cannot be made; `None` if the user ended it.
pub fn a_a(workspace: &Workspace, blocks: u32, folder: &Path) -> Result<Option<Answer>> {
    let targets = [("one", BURN_US), ("two", BURN_US), ("three", BURN_US)];
    let Some(run) = measured(workspace, &targets, blocks, &folder.join("a-a"))? else { return Ok(None) };
    let report = Report::of(&run);
    let mut different = Vec::new();
    for table in &report.tables {
        if table.judgement.is_stamped() {
            different.push("one (again)".to_owned());
        }
        for findings in table.judgement.findings() {
            let differ = findings.against_baseline.iter().filter(|against| match &against.found {
                Found::Compared(comparison) => {
                    matches!(comparison.conclusion, Conclusion::Verdict(Verdict::Faster | Verdict::Slower))
                }
                Found::NothingInCommon => true,
            });
            different.extend(differ.map(|against| format!("{} ({:?})", against.target, findings.metric)));
        }
    }
    let judged = matches!(&report.tables[..], [table] if matches!(table.judgement, Judgement::Ratios { .. }));
    let holds = judged && different.is_empty();
    let words = if holds {
        "live A/A: one server under three names does not differ from itself\n".to_owned()
    } else {
        format!(
            "live A/A: FALSE: one server under three names differs from itself: {}; by chance that may happen in 5 % of \
             such runs for each metric\n",
            if judged { different.join(", ") } else { "it could not be measured".into() }
        )
    };
    Ok(Some(Answer { words, holds }))
}

/// A server that burns a known extra time per request, beside one that does not.
///
/// # Errors
/// When the run cannot be made; `None` if the user ended it.
pub fn a_b(workspace: &Workspace, blocks: u32, extra_us: u64, folder: &Path) -> Result<Option<Answer>> {
    let targets = [("less", BURN_US), ("more", BURN_US + extra_us)];
    let Some(run) = measured(workspace, &targets, blocks, &folder.join("a-b"))? else { return Ok(None) };
    let slices = Slices::of(&run);
    let blocks = run.record.options.blocks as usize;
    let of = |target| by_block(slices.get(target, Shape::KeepAlive), Metric::Cost, blocks);
    let (less, more) = (of("less"), of("more"));
    let differences: Vec<f64> = less.iter().zip(&more).filter_map(|(less, more)| Some((*more)? - (*less)?)).collect();
    let Some((estimate, Some((low, high)))) = difference_of(&differences) else {
        let words = format!("live A/B: FALSE: {} of {blocks} blocks could be compared\n", differences.len());
        return Ok(Some(Answer { words, holds: false }));
    };
    let found = (low..=high).contains(&(extra_us as f64));
    let mut words = String::new();
    let _ = writeln!(
        words,
        "live A/B: {extra_us} µs more are burnt per request, {estimate:.2} µs were found (95 %: {low:.2} to {high:.2}){}",
        if found { "" } else { ": FALSE, they are not in the interval" }
    );
    let series = |name, values: Vec<Option<f64>>| Series::new(name, values, std::num::NonZeroUsize::MIN);
    let wrong = swapped::difference(&series("less", less)?, &series("more", more)?, Metric::Cost, Rules::default());
    let _ = match &wrong {
        None => writeln!(words, "live A/B: swapping the labels turns every sign, and nothing else changes"),
        Some(wrong) => writeln!(words, "live A/B: FALSE: swapping the labels changes more than signs: {wrong}"),
    };
    Ok(Some(Answer { words, holds: found && wrong.is_none() }))
}

fn measured(workspace: &Workspace, targets: &[(&str, u64)], blocks: u32, out: &Path) -> Result<Option<Run>> {
    let free = |port: &u16| ports::prove_free(([127, 0, 0, 1], *port).into()).is_ok();
    let port = PORTS.into_iter().find(free).context("no port from 8600 to 8699 is free")?;
    let targets = targets.iter().map(|(name, burn_us)| target(name, *burn_us, port)).collect::<Result<Vec<_>>>()?;
    let request = Request {
        containers: None,
        depth: 0,
        rate: 0,
        sweep: Vec::new(),
        target_files: Vec::new(),
        versus: None,
        baseline: targets[0].name().to_owned(),
        targets,
        rules: Rules::default(),
        tool: load::tool("wrk").context("no load tool is called wrk")?,
        shapes: vec![Shape::KeepAlive],
        connections: CONNECTIONS,
        threads: 1,
        blocks,
        extent: Extent::Time(Duration::from_secs(1)),
        workers: None,
        seed: fresh_seed(),
        out: Some(out.to_owned()),
    };
    match run::run(&Lock::take()?, workspace, &request)?.ended {
        Ended::Interrupted => Ok(None),
        Ended::Well | Ended::SomeFailed => Run::read(out).map(Some),
    }
}

/// This program itself, as the server that burns.
fn target(name: &str, burn_us: u64, port: u16) -> Result<Target> {
    let program = own_program();
    let program = program.to_str().context("the path of this program is no text")?.to_owned();
    let words = ["burn-server", "--port", "{port}", "--burn-us", &burn_us.to_string()].map(str::to_owned);
    ensure!(!program.contains('{'), "the path of this program has a brace");
    let command: Vec<String> = std::iter::once(program).chain(words).collect();
    let description = serde_json::json!({
        "name": name, "kind": "test", "language": "Rust", "model": "a thread per connection", "port": port,
        "shapes": ["keep-alive"], "workers": "fixed", "command": command,
    });
    Ok(Target {
        description: serde_json::from_value(description)?,
        source: Source::Command { folder: "/".into() },
        version: None,
        host: std::net::Ipv4Addr::LOCALHOST,
    })
}
