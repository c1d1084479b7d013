//! The columns and lines that say what a difference is worth, for every format.

use super::columns::rps;
use super::judgement::{Judgement, compared, too_few};
use super::table::{Row, RpsOf, Table};
use super::units::{digits, percent_of, ratio};
use crate::stats::{Comparison, Conclusion, Findings, Found, Metric, Resolution, Tiers};

/// Nothing can be said.
const NOTHING: &str = "–";

/// Heads of the columns.
pub fn heads(judgement: &Judgement) -> Vec<&'static str> {
    let (mut heads, [cost, rps]) = (vec!["target", "cost µs"], shown(judgement));
    heads.extend(cost.map_or(&[][..], Shown::heads));
    heads.push("req/s");
    heads.extend(rps.map_or(&[][..], Shown::heads));
    heads
}

/// A row's cells, one per head.
pub fn cells(table: &Table, row: &Row) -> Vec<String> {
    let [cost, of_rps] = shown(&table.judgement);
    let mut cells = vec![row.target.name.clone(), digits(row.cost_us.median)];
    cells.extend(cost.into_iter().flat_map(|shown| shown.cells(&row.target.name)));
    cells.push(rps(row));
    cells.extend(of_rps.into_iter().flat_map(|shown| {
        let mut own = shown.cells(&row.target.name);
        let baseline = table.ranked.iter().find(|other| other.target.name == shown.findings.baseline);
        if let (RpsOf::LoadTool, Some(baseline)) = (row.rps_of, baseline) {
            own[0] = row.rps_of.write(&ratio(row.rps.median / baseline.rps.median));
        }
        own
    }));
    cells
}

/// What is shown of one metric.
#[derive(Clone, Copy)]
struct Shown<'a> {
    findings: &'a Findings,
    verdicts: bool,
}

/// Of cost and of requests per second; `None` where there is nothing beside the baseline to be shown.
fn shown(judgement: &Judgement) -> [Option<Shown<'_>>; 2] {
    let Judgement::Ratios { cost, rps } = judgement else { return [None, None] };
    [Some(cost), rps.as_ref()].map(|findings| {
        let findings = findings.filter(|findings| {
            findings.against_baseline.iter().any(|against| matches!(against.found, Found::Compared(_)))
        })?;
        Some(Shown { findings, verdicts: too_few(findings).is_none() })
    })
}

impl Shown<'_> {
    fn heads(self) -> &'static [&'static str] {
        if self.verdicts { &["ratio", "95 %", "verdict", "tier"] } else { &["ratio", "spread"] }
    }

    fn cells(self, target: &str) -> Vec<String> {
        let is_baseline = self.findings.baseline == target;
        let comparison = compared(self.findings, target);
        let estimate = match comparison {
            _ if is_baseline => "1".into(),
            Some(comparison) => ratio(comparison.ratio),
            None => NOTHING.into(),
        };
        if !self.verdicts {
            let spread = comparison.map_or(NOTHING.into(), |c| between(c.range));
            return vec![estimate, spread];
        }
        let verdict = match comparison.map(|comparison| comparison.conclusion) {
            _ if is_baseline => "baseline",
            Some(Conclusion::Verdict(verdict)) => verdict.words(),
            Some(Conclusion::TooFew { .. }) => "too few",
            None => NOTHING,
        };
        let interval = comparison.and_then(|comparison| comparison.interval);
        let interval = interval.map_or(NOTHING.into(), |interval| between((interval.low, interval.high)));
        vec![estimate, interval, verdict.into(), tier(self.findings, target)]
    }
}

pub(super) fn tier(findings: &Findings, target: &str) -> String {
    let Tiers::Shown(tiers) = &findings.tiers else { return NOTHING.into() };
    tiers.iter().find(|tier| tier.target == target).map_or(NOTHING.into(), |tier| tier.letters.clone())
}

pub(super) fn between((low, high): (f64, f64)) -> String {
    format!("{}–{}", ratio(low), ratio(high))
}

/// What must stand above a table that nobody should believe.
pub fn stamp(judgement: &Judgement) -> Option<String> {
    let different = judgement.findings().filter(|findings| findings.noise_floor.as_ref().is_some_and(|f| f.stamped));
    let different: Vec<String> = different.filter_map(floor).collect();
    let baseline = &judgement.findings().next()?.baseline;
    (!different.is_empty()).then(|| {
        format!(
            "NOT TO BE TRUSTED: {baseline} came out different from itself ({}); repeat it on a quieter machine",
            different.join(", ")
        )
    })
}

/// What a reader must know of one table's verdicts, a line each.
pub fn lines(table: &Table) -> Vec<String> {
    if let Judgement::None(why) = &table.judgement {
        return vec![why.clone()];
    }
    let mut lines: Vec<String> = Vec::new();
    let few: Vec<Option<(usize, usize)>> = table.judgement.findings().map(too_few).collect();
    match few[..] {
        [Some(of), Some(other)] if of == other => lines.push(too_few_words("", of)),
        _ => {
            let each = table.judgement.findings().zip(few);
            lines.extend(each.filter_map(|(f, few)| Some(too_few_words(&format!("{}: ", f.metric.words()), few?))));
        }
    }
    lines.push(noise_floor(&table.judgement));
    lines.extend(table.judgement.findings().filter_map(|findings| seen(findings.metric, findings.resolution?)));
    lines.extend(table.judgement.findings().filter_map(alike));
    lines.extend(whose(table));
    lines
}

/// Of which requests per second there is no verdict, and why.
fn whose(table: &Table) -> Vec<String> {
    let marked = [
        (RpsOf::LoadTool, "a req/s with `≥`", "what the load tool could ask for"),
        (RpsOf::Pair, "a req/s in brackets", "of server and load tool together, which shared the cores"),
    ];
    // If it is the baseline's, no other has a verdict either.
    let of_baseline = match &table.judgement {
        Judgement::Ratios { cost, rps: None } => {
            table.ranked.iter().find(|row| row.target.name == cost.baseline).map(|row| row.rps_of)
        }
        _ => None,
    };
    let line = |(of, mark, what): (RpsOf, &str, &str)| {
        if let Some(baseline) = of_baseline {
            return (baseline == of).then(|| format!("the baseline's req/s is {what}: no verdict is made of it"));
        }
        let any = table.ranked.iter().any(|row| row.rps_of == of);
        any.then(|| format!("{mark} is {what}: no verdict is made of it"))
    };
    marked.into_iter().filter_map(line).collect()
}

fn too_few_words(what: &str, (units, needed): (usize, usize)) -> String {
    format!("{what}too few blocks for verdicts ({units} of {needed}); ratios and their spread only")
}

fn noise_floor(judgement: &Judgement) -> String {
    let Some(findings) = judgement.findings().next() else { return String::new() };
    let floors: Vec<String> = judgement.findings().filter_map(floor).collect();
    let baseline = &findings.baseline;
    if floors.is_empty() {
        return format!("noise floor: unknown, {baseline} was not measured well a second time");
    }
    format!("noise floor: {baseline} beside itself: {}", floors.join(", "))
}

/// `cost 1.004 (0.991–1.012)`
fn floor(findings: &Findings) -> Option<String> {
    let Found::Compared(comparison) = &findings.noise_floor.as_ref()?.found else { return None };
    let Comparison { interval, range, .. } = **comparison;
    let ends = interval.map_or_else(
        || format!("spread {}", between(range)),
        |interval| format!("95 %: {}", between((interval.low, interval.high))),
    );
    Some(format!("{} {} ({ends})", findings.metric.words(), ratio(comparison.ratio)))
}

fn seen(metric: Metric, Resolution { median, widest }: Resolution) -> Option<String> {
    let (median, widest) = (percent_of(median), percent_of(widest));
    let beside = if widest == median { String::new() } else { format!(" ({widest} for the target that varies most)") };
    (median != "0 %")
        .then(|| format!("{}: differences under {median} cannot be seen in this run{beside}", metric.words()))
}

/// Where neighbouring blocks were not independent.
fn alike(findings: &Findings) -> Option<String> {
    let averaged: Vec<String> = findings
        .against_baseline
        .iter()
        .filter_map(|against| {
            let comparison = compared(findings, &against.target).filter(|comparison| comparison.averaged > 1)?;
            let few = match comparison.conclusion {
                Conclusion::TooFew { units, needed } => format!(": too few for a verdict, {units} of {needed}"),
                Conclusion::Verdict(_) => String::new(),
            };
            Some(format!("{} ({} units{few})", against.target, comparison.units))
        })
        .collect();
    (!averaged.is_empty()).then(|| {
        format!(
            "{}: neighbouring blocks went together and were averaged: {}",
            findings.metric.words(),
            averaged.join(", ")
        )
    })
}
