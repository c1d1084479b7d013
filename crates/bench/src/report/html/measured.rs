//! How it was measured: every command line, the machine, and where the records are.

use maud::{Markup, html};

use super::{Shown, printed};
use crate::load::Shape;
use crate::report::markdown::conditions;
use crate::report::table::Report;
use crate::report::units::count;
use crate::results::{RunRecord, SliceRecord, TargetRecord};

/// One line under the heading.
pub fn in_short(record: &RunRecord) -> String {
    let options = &record.options;
    format!(
        "{}, {}, {}, {} connections · {} ({} hardware threads), Linux {} · commit {}",
        record.began,
        record.tool.name,
        count(options.blocks as usize, "block"),
        options.connections,
        record.machine.cpu.model,
        record.machine.cpu.usable,
        record.machine.kernel.release,
        record.commit.short(),
    )
}

/// The sections below the figures.
pub fn sections(run: &Shown) -> Markup {
    let record = &run.report.run.record;
    html! {
        section {
            h2 { "How it was measured" }
            h3 { "Servers" }
            ul.commands { @for target in record.compared() {
                li data-name=(target.name) { (command(&target.name, &start_of(target))) }
            } }
            h3 { "Load" }
            @for shape in &record.options.shapes { (loads(run.report, *shape)) }
            @if !record.warnings.is_empty() {
                h3 { "Seen before the run" }
                ul { @for warning in &record.warnings { li { (warning) } } }
            }
        }
        section {
            h2 { "What it was measured on" }
            dl { @for (what, how) in conditions(record) { dt { (what) } dd { (how) } } }
            details {
                summary { "Everything that must be equal for two runs to be compared (" (record.fingerprint.facts.len()) " facts)" }
                dl { @for (what, how) in &record.fingerprint.facts { dt { (what) } dd { @if how.is_empty() { "none" } @else { (how) } } } }
            }
        }
        @if !run.files.is_empty() {
            section {
                h2 { "Records" }
                ul { @for file in &run.files { li { a href=(file) { (file) } } } }
                (printed::of_all(run))
            }
        } @else {
            p.soft { "Its records, and what was printed in each slice, are in its own folder: " code { (run.folder) } }
        }
    }
}

fn command(who: &str, line: &str) -> Markup {
    html! {
        span.who { (who) }
        code.command { (line) }
        button.copy type="button" aria-label=(format!("copy the command of {who}")) { "copy" }
    }
}

/// The load tool's command lines in a shape, of each target's first slice: that of the first target, and folded those of
/// the others, which ask another address.
fn loads(report: &Report, shape: Shape) -> Markup {
    let of = |target: &TargetRecord| {
        let own = |slice: &&SliceRecord| slice.cell.target == target.name && slice.cell.shape == shape;
        let slice = report.run.slices.iter().filter(own).find(|slice| !slice.command.is_empty())?;
        Some((target.name.clone(), format!("{shape}, to {}", target.name), line(&slice.command)))
    };
    let all: Vec<(String, String, String)> = report.run.record.compared().filter_map(of).collect();
    let list = |some: &[(String, String, String)]| {
        html! { ul.commands { @for (name, who, line) in some { li data-name=(name) { (command(who, line)) } } } }
    };
    html! {
        @if let Some((first, others)) = all.split_first() {
            (list(std::slice::from_ref(first)))
            @if !others.is_empty() {
                details { summary { (shape) ", to the other " (count(others.len(), "target")) } (list(others)) }
            }
        }
    }
}

/// How a target is started by hand: where, with which variables, by which command.
fn start_of(target: &TargetRecord) -> String {
    let folder = target.folder.iter().map(|folder| format!("cd {} && ", quoted(folder)));
    let variables = target.environment.iter().map(|(name, value)| format!("{name}={} ", quoted(value)));
    folder.chain(variables).chain([line(&target.command)]).collect()
}

/// As a shell reads it.
fn line(command: &[String]) -> String {
    command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixed;

    #[test]
    fn a_command_can_be_pasted_into_a_shell() {
        let command = ["wrk", "-H", "Host: it's", "", "http://127.0.0.1:8101/"].map(ToOwned::to_owned);
        assert_eq!(line(&command), r"wrk -H 'Host: it'\''s' '' http://127.0.0.1:8101/");
        let mut target = fixed::run(&[("tokio", 20.0)], 1, 1).record.targets.remove(0);
        target.command = vec!["./entrypoint".into()];
        assert_eq!(start_of(&target), "./entrypoint");
        target.folder = Some("/a b".into());
        target.environment = [("PORT", "8203"), ("LOG", "")].map(|(name, value)| (name.into(), value.into())).into();
        assert_eq!(start_of(&target), "cd '/a b' && LOG='' PORT=8203 ./entrypoint");
    }
}
