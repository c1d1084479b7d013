//! What the reports of all replays share: what was published and how, the machine of then and of now, who took part,
//! and at the bottom, in words, what failed.

use super::document::{Block, Cell, Document, NONE, Table};
use super::lab::words;
use super::published::{Comparison, Row};
use super::record::{Found, Outcome, Part, Replay};
use super::{Experiment, Role, Stands};
use crate::report::units::{digits, thousands};
use crate::results::Limit;
use crate::stats::Summary;

/// The whole report.
pub fn document(experiment: &dyn Experiment, replay: &Replay) -> Document {
    let published = Comparison::of(experiment.name());
    let mut blocks = vec![
        Block::Text(experiment.about().to_owned()),
        Block::PublishedList(then(published)),
        Block::List(now(replay)),
        Block::Heading("What was served".to_owned()),
        Block::List(experiment.served().iter().map(ToString::to_string).collect()),
    ];
    blocks.extend(experiment.tables(replay));
    blocks.push(Block::Heading("How to read this".to_owned()));
    blocks.push(Block::List(notes(experiment, replay)));
    blocks.push(Block::Heading("Who was measured".to_owned()));
    blocks.push(Block::Table(members(experiment, replay)));
    let warmed = warmed_up(replay);
    if !warmed.is_empty() {
        blocks.push(Block::List(warmed));
    }
    let failed = failed(replay);
    if !failed.is_empty() {
        blocks.push(Block::Heading("Failed".to_owned()));
        blocks.push(Block::List(failed));
    }
    Document { title: format!("Replay of {} ({})", experiment.name(), replay.record.began), blocks }
}

/// What was published, how, and on what.
fn then(published: &Comparison) -> Vec<String> {
    let mut lines = vec![
        format!("Then: {}, {}", published.title, published.date),
        format!("How, then: {}", published.command),
        format!("On what, then: {}", published.machine.as_deref().unwrap_or("not published")),
    ];
    lines.extend(published.note.iter().map(|note| format!("What was wrong, then: {note}")));
    lines
}

/// On what, now.
fn now(replay: &Replay) -> Vec<String> {
    let record = &replay.record;
    let machine = &record.machine;
    let tools: Vec<String> = record.tools.iter().map(|tool| format!("{} {}", tool.name, tool.version)).collect();
    let mut lines = vec![
        format!(
            "On what, now: {}; hardware threads usable: {}; hypervisor: {}; memory in MiB: {}; {}, Linux {}",
            machine.cpu.model,
            machine.cpu.usable,
            machine.virtualisation.hypervisor,
            machine.memory.total_bytes.map(|bytes| bytes >> 20),
            machine.kernel.distribution,
            machine.kernel.release,
        ),
        format!(
            "With: {}; commit {}; seed {}; load tool and server on the same machine",
            tools.join(", "),
            record.commit.short(),
            record.seed
        ),
    ];
    if record.quick {
        lines.push("A FIRST LOOK (--quick): everything is smaller than it was published".to_owned());
    }
    if replay.is_partial() {
        lines.push(format!(
            "PARTIAL: {} of {} trials were made before this was ended",
            replay.trials.len(),
            record.planned
        ));
    }
    let limits = replay.trials.iter().filter_map(|trial| match &trial.outcome {
        Outcome::Valid(found) => Some(found.limit),
        Outcome::Failed(_) => None,
    });
    let disturbed = limits.filter(|limit| *limit == Limit::Disturbed).count();
    if disturbed > 0 {
        lines.push(format!(
            "DISTURBED: in {disturbed} of {} trials other processes or the hypervisor took the cores; their figures are not \
             to be relied on",
            replay.trials.len()
        ));
    }
    lines.extend(record.warnings.iter().map(|warning| format!("Warning: {warning}")));
    lines.extend(record.missing.iter().cloned());
    lines
}

fn notes(experiment: &dyn Experiment, replay: &Replay) -> Vec<String> {
    let mut notes = vec![
        "Published figures are of another machine, other versions and another response: that one of them is larger or \
         smaller than today's says nothing about the software, and no ratio of the two is given."
            .to_owned(),
    ];
    notes.extend(experiment.notes(replay));
    notes.push("A trial that others disturbed is not made again: on a busy machine, wait and replay.".to_owned());
    notes.push(
        "Every trial has a freshly started server, alone on the machine, warmed up by the harness and checked before and \
         after; the order was drawn from the seed. A trial with any error, or with a response that is not the agreed one, \
         is failed. cost: server CPU time per good response, user + system. ≥: the load tool was the limit; (…): server and \
         load tool took the cores from each other."
            .to_owned(),
    );
    notes
}

/// What a target is set beside.
pub fn role(experiment: &dyn Experiment, target: &str) -> Option<&'static Role> {
    experiment.cast().iter().find(|role| role.target == target)
}

/// What was published of the system that a target is, or stands in for: a mirror is another thing.
pub fn published_of(experiment: &dyn Experiment, target: &str) -> Option<&'static Row> {
    let role = role(experiment, target).filter(|role| role.stands != Stands::Mirror)?;
    Comparison::of(experiment.name()).row(role.system?)
}

/// The published system that a target is set beside, and what it is to that, in short.
pub fn stands_for(experiment: &dyn Experiment, target: &str) -> String {
    match role(experiment, target) {
        None => NONE.to_owned(),
        Some(Role { system: Some(system), stands, .. }) => format!("{system} ({})", stands.words()),
        Some(Role { system: None, stands, .. }) => stands.words().to_owned(),
    }
}

/// What is to be known of the published figures above, the single figures of systems that no row above is set beside, and
/// those that readers reported.
pub fn published_alone(experiment: &dyn Experiment, above: &Table) -> Vec<Block> {
    let published = Comparison::of(experiment.name());
    let targets: Vec<&str> = above.rows.iter().filter_map(|row| Some(row.first()?.text())).collect();
    let is_above = |row: &Row| {
        let mut beside = targets.iter().filter_map(|target| published_of(experiment, target));
        row.by.is_none() && beside.any(|other| other == row)
    };
    let line = |row: &Row| {
        let unit = published.unit.as_deref().unwrap_or_default();
        let figure = row.figure("value").map(|figure| format!(": {figure} {unit}"));
        let note = row.note.as_ref().map(|note| format!("; {note}"));
        format!("{}{}{}", row.said_of(), figure.unwrap_or_default(), note.unwrap_or_default())
    };
    let noted = |row: &Row| Some(format!("{}, then: {}", row.system, row.note.as_ref()?));
    let notes: Vec<String> = published.rows.iter().filter(|row| is_above(row)).filter_map(noted).collect();
    let alone: Vec<String> = published.rows.iter().filter(|row| !is_above(row)).map(line).collect();
    let mut blocks = Vec::new();
    if !notes.is_empty() {
        blocks.push(Block::PublishedList(notes));
    }
    if !alone.is_empty() {
        blocks.push(Block::Heading("Published or reported by readers, without a row above".to_owned()));
        blocks.push(Block::PublishedList(alone));
    }
    blocks
}

fn members(experiment: &dyn Experiment, replay: &Replay) -> Table {
    let mut table = Table::of(&["target", "shows", "concurrency", "workers", "takes part as"]);
    for member in &replay.record.members {
        let workers = member.workers.map_or_else(|| NONE.to_owned(), |workers| workers.to_string());
        let part = match role(experiment, &member.name).map(|role| role.stands) {
            None => NONE.to_owned(),
            Some(Stands::StandIn(what)) => format!("stand-in: {what}"),
            Some(stands) => stands.words().to_owned(),
        };
        let cells = [member.name.clone(), member.shows.clone(), member.model.clone(), workers, part];
        table.rows.push(cells.map(Cell::from).into());
    }
    table
}

/// How those that compile while they run were warmed up, in their first trial.
fn warmed_up(replay: &Replay) -> Vec<String> {
    let line = |name: &str| {
        let curve = replay.found(name, |_| true).find_map(|found| found.warm_up.as_ref())?;
        let costs: Vec<String> = curve.cost_us.iter().map(|cost| digits(*cost)).collect();
        let end = if curve.steady { "then it was steady" } else { "and it was not steady when its time was up" };
        Some(format!("{name}: cost in successive slices of its warm-up, µs: {}; {end}", costs.join(" ")))
    };
    replay.record.members.iter().filter_map(|member| line(&member.name)).collect()
}

/// A target, why it failed, in which parts, and how often in each.
type Reason<'a> = (&'a str, String, Vec<(Part, usize)>);

/// What failed, in words: each reason of a target once, with where and how often.
fn failed(replay: &Replay) -> Vec<String> {
    let mut reasons: Vec<Reason> = Vec::new();
    for trial in &replay.trials {
        let Outcome::Failed(failed) = &trial.outcome else { continue };
        let reason = format!("{}: {}", failed.stage.words(), failed.reason);
        let same = reasons.iter_mut().find(|(target, other, _)| *target == trial.target && *other == reason);
        let Some((_, _, parts)) = same else {
            reasons.push((&trial.target, reason, vec![(trial.part, 1)]));
            continue;
        };
        match parts.iter_mut().find(|(part, _)| *part == trial.part) {
            Some((_, times)) => *times += 1,
            None => parts.push((trial.part, 1)),
        }
    }
    let place = |(part, times): &(Part, usize)| match times {
        1 => words(*part),
        times => format!("{}, {times} times", words(*part)),
    };
    let line = |(target, reason, parts): Reason| {
        format!("{target} ({}): {reason}", parts.iter().map(place).collect::<Vec<_>>().join("; "))
    };
    reasons.into_iter().map(line).collect()
}

/// Requests per second of these trials, the middle one, with what their limit makes of it; `–` without any.
pub fn rps(found: &[&Found]) -> String {
    let rate = Summary::of(found.iter().map(|found| found.rps));
    rate.map_or_else(|| NONE.to_owned(), |rate| marked(rate.median, found))
}

/// A rate of these trials, with what their limit makes of it.
pub fn marked(rps: f64, found: &[&Found]) -> String {
    let words = thousands(rps);
    match limit(found) {
        Some(Limit::LoadTool) => format!("≥ {words}"),
        Some(Limit::SharedCpu) => format!("({words})"),
        _ => words,
    }
}

/// What most of these trials were limited by.
pub fn limit(found: &[&Found]) -> Option<Limit> {
    Limit::of_all(found.iter().map(|found| found.limit)).map(|(limit, _)| limit)
}

/// The limit as it stands in a table.
pub fn limit_words(found: &[&Found]) -> String {
    limit(found).map_or_else(|| NONE.to_owned(), |limit| limit.words().to_owned())
}

/// The middle cost of these trials, in µs; `–` without any.
pub fn cost(found: &[&Found]) -> String {
    Summary::of(found.iter().map(|found| found.cost_us)).map_or_else(|| NONE.to_owned(), |cost| digits(cost.median))
}

/// A figure that may not be there.
pub fn or_none(value: Option<f64>) -> Cell {
    Cell::from(value.map_or_else(|| NONE.to_owned(), digits))
}

/// The figures of one target in the parts that are wanted.
pub fn of<'a>(replay: &'a Replay, target: &'a str, wanted: impl Fn(Part) -> bool + 'a) -> Vec<&'a Found> {
    replay.found(target, wanted).collect()
}
