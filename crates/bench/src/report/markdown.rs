//! `report.md`: the tables as GitHub shows them, and what is needed to believe them.

use std::fmt::Write;

use super::columns::{HEADS, below, cells, notes, title};
use super::latency;
use super::load;
use super::mirrors;
use super::table::{Report, Table};
use super::verdicts;
use crate::machine::{Known, Machine};
use crate::results::{RunRecord, TargetRecord};

/// The whole report.
pub fn markdown(report: &Report) -> String {
    let record = &report.run.record;
    let mut text = format!("# {} targets, {}\n", record.compared().count(), record.began);
    for table in &report.tables {
        let _ = write!(text, "\n## {}\n\n{}", title(table.shape, &record.options), one(table));
        let pairs = mirrors::pairs(report, table);
        if !pairs.is_empty() {
            let rows: Vec<Vec<String>> = pairs.iter().map(mirrors::cells).collect();
            let _ = write!(text, "\n{}\n\n{}\n", mirrors::TITLE, grid(&mirrors::HEADS, &rows));
            for but in mirrors::buts(&pairs) {
                let _ = writeln!(text, "- {}", escape(&but));
            }
        }
        let latencies = latency::rows(report, table);
        if !latencies.is_empty() {
            let _ = write!(text, "\n{}", grid(&latency::HEADS, &latencies));
        }
    }
    text.push('\n');
    for note in notes(report) {
        let _ = writeln!(text, "- {}", escape(&note));
    }
    text.push_str(&under_load(report));
    text.push_str(&appendix(record));
    text
}

/// Who was measured, and on what.
pub(super) fn appendix(record: &RunRecord) -> String {
    format!("{}{}", targets(record), made_on(record))
}

/// The tables alone, without what they were made on.
pub fn one(table: &Table) -> String {
    let mut text = String::new();
    if table.ranked.is_empty() {
        text.push_str("Nothing could be ranked.\n");
    } else {
        if let Some(stamp) = verdicts::stamp(&table.judgement) {
            let _ = writeln!(text, "**{}**\n", escape(&stamp));
        }
        let judged: Vec<Vec<String>> = table.ranked.iter().map(|row| verdicts::cells(table, row)).collect();
        text.push_str(&grid(&verdicts::heads(&table.judgement), &judged));
        text.push('\n');
        for line in verdicts::lines(table) {
            let _ = writeln!(text, "- {}", escape(&line));
        }
        text.push('\n');
        let figures: Vec<Vec<String>> = table.ranked.iter().map(|row| cells(row).to_vec()).collect();
        text.push_str(&grid(&HEADS, &figures));
    }
    for (word, targets) in [("Not ranked", &table.below), ("**Failed**", &table.failed)] {
        if !targets.is_empty() {
            text.push('\n');
        }
        for target in targets {
            let _ = writeln!(text, "- {word}: {}", escape(&below(target)));
        }
    }
    text
}

/// What was seen beside the figures, for everyone with a valid slice.
fn under_load(report: &Report) -> String {
    let mut text = String::from("\n## Under load\n");
    for table in &report.tables {
        let below = table.below.iter().chain(&table.failed).filter_map(|below| below.row.as_ref());
        let rows: Vec<Vec<String>> = table.ranked.iter().chain(below).map(|row| load::cells(row).to_vec()).collect();
        if !rows.is_empty() {
            let _ =
                write!(text, "\n{}\n\n{}", title(table.shape, &report.run.record.options), grid(&load::HEADS, &rows));
        }
    }
    text.push('\n');
    for note in load::HEADS_MEAN {
        let _ = writeln!(text, "- {}", escape(note));
    }
    text
}

fn targets(record: &RunRecord) -> String {
    let rows: Vec<Vec<String>> = record
        .compared()
        .map(|target| {
            vec![
                target.name.clone(),
                target.framework.clone(),
                target.model.clone(),
                target.workers.map_or("–".into(), |workers| workers.to_string()),
                binary(target),
                if target.features.is_empty() { "–".into() } else { target.features.len().to_string() },
            ]
        })
        .collect();
    let heads = ["target", "shows", "concurrency", "workers", "binary KiB", "crates"];
    format!("\n## Who was measured\n\n{}", grid(&heads, &rows))
}

/// The size of a binary in KiB; an interpreter's says nothing of the target.
fn binary(target: &TargetRecord) -> String {
    match &target.program {
        Known::Is(program) if target.built_here => (program.bytes / 1024).to_string(),
        _ => "–".into(),
    }
}

/// What a reader asks first; all the rest is in `run.json`.
fn made_on(record: &RunRecord) -> String {
    let machine = &record.machine;
    let (cpu, kernel) = (&machine.cpu, &machine.kernel);
    let dirty = match record.commit.dirty {
        Known::Is(true) => ", with changes that are not committed",
        Known::Is(false) => "",
        Known::Unknown => ", whether changed is unknown",
    };
    let mut lines = vec![
        format!(
            "CPU: {}; hardware threads: {} online, {} usable; SMT: {}",
            cpu.model,
            cpu.online,
            cpu.usable,
            smt(machine)
        ),
        format!(
            "Hypervisor: {}; container: {}; CPU quota in cores: {}",
            machine.virtualisation.hypervisor, machine.virtualisation.container, machine.cgroup.cpu_quota_cores
        ),
        format!("Governor: {}; turbo: {}", machine.frequency.governor, yes(machine.frequency.turbo)),
        format!("Memory in MiB: {}", machine.memory.total_bytes.map(|bytes| bytes >> 20)),
        format!("System: {}, Linux {} {}, {}", kernel.distribution, kernel.release, kernel.architecture, kernel.libc),
        format!("Load tool: {} ({})", record.tool.name, record.tool.version),
        format!("Compiler: {}", record.toolchain.compiler()),
        format!("Commit: {}{dirty}", record.commit.hash),
        format!("Seed: {}", record.options.seed),
        format!("Fingerprint of the conditions: {} (run.json says of what)", record.fingerprint.hash),
    ];
    lines.extend(record.warnings.iter().map(|warning| format!("Warning: {warning}")));
    let mut text = String::from("\n## What it was measured on\n\n");
    for line in lines {
        let _ = writeln!(text, "- {}", escape(&line));
    }
    text
}

/// A guest is often shown threads as cores.
fn smt(machine: &Machine) -> String {
    let bare = machine.virtualisation.hypervisor.get().is_some_and(|name| name == "none");
    match machine.cpu.smt_active {
        Known::Is(false) if !bare => "off, or not shown by a hypervisor".to_owned(),
        other => yes(other).to_string(),
    }
}

fn yes(answer: Known<bool>) -> Known<&'static str> {
    answer.map(|yes| if *yes { "on" } else { "off" })
}

pub(super) fn grid(heads: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(heads.iter().map(ToString::to_string).collect());
    let rule = heads.iter().enumerate().map(|(n, _)| if n == 0 { "---".into() } else { "---:".into() }).collect();
    text.push_str(&line(rule));
    for row in rows {
        text.push_str(&line(row.iter().map(|cell| escape(cell)).collect()));
    }
    text
}

/// Names and reasons may hold anything; in a table they must not end a cell or become markup.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' => safe.push_str("\\|"),
            '<' => safe.push_str("&lt;"),
            '&' => safe.push_str("&amp;"),
            '*' | '_' => {
                safe.push('\\');
                safe.push(c);
            }
            '\n' | '\r' => safe.push(' '),
            _ => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_a_cell_cannot_end_it() {
        assert_eq!(escape("a|b <i>\n_x_ & y"), "a\\|b &lt;i> \\_x\\_ &amp; y");
        assert_eq!(grid(&["a", "b"], &[vec!["|".into(), "2".into()]]), "| a | b |\n| --- | ---: |\n| \\| | 2 |\n");
    }
}
