//! The tables as a terminal shows them.

use std::fmt::Write;

use comfy_table::{CellAlignment, ContentArrangement, Table as Grid, presets};

use super::columns::{HEADS, below, cells, notes, title};
use super::latency;
use super::mirrors;
use super::table::{Report, Table};
use super::verdicts;

/// The whole report.
pub fn terminal(report: &Report) -> String {
    let mut text = String::new();
    for table in &report.tables {
        let _ = write!(text, "\n{}\n{}", title(table.shape, &report.run.record.options), one(table));
        let pairs = mirrors::pairs(report, table);
        if !pairs.is_empty() {
            let rows: Vec<Vec<String>> = pairs.iter().map(mirrors::cells).collect();
            let _ = writeln!(text, "{}\n{}", mirrors::TITLE, grid(&mirrors::HEADS, &rows));
            for but in mirrors::buts(&pairs) {
                let _ = writeln!(text, "{but}");
            }
        }
        let latencies = latency::rows(report, table);
        if !latencies.is_empty() {
            let _ = writeln!(text, "{}", grid(&latency::HEADS, &latencies));
        }
    }
    text.push('\n');
    for note in notes(report) {
        let _ = writeln!(text, "{note}");
    }
    text
}

/// Figures to the right, under their heads.
pub(crate) fn grid(heads: &[&str], rows: &[Vec<String>]) -> Grid {
    let mut grid = Grid::new();
    grid.load_style(presets::UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Disabled);
    grid.set_header(heads);
    for row in rows {
        grid.add_row(row);
    }
    for (place, column) in grid.column_iter_mut().enumerate() {
        // One space between columns: the table is to fit on a terminal.
        column.set_padding((u16::from(place == 0), 1));
        if place > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    grid
}

fn one(table: &Table) -> String {
    let mut text = String::new();
    if table.ranked.is_empty() {
        text.push_str("nothing could be ranked\n");
    } else {
        if let Some(stamp) = verdicts::stamp(&table.judgement) {
            let _ = writeln!(text, "{stamp}");
        }
        let rows: Vec<Vec<String>> = table.ranked.iter().map(|row| verdicts::cells(table, row)).collect();
        let _ = writeln!(text, "{}", grid(&verdicts::heads(&table.judgement), &rows));
        for line in verdicts::lines(table) {
            let _ = writeln!(text, "{line}");
        }
        let rows: Vec<Vec<String>> = table.ranked.iter().map(|row| cells(row).to_vec()).collect();
        let _ = writeln!(text, "{}", grid(&HEADS, &rows));
    }
    for target in &table.below {
        let _ = writeln!(text, "not ranked   {}", below(target));
    }
    for target in &table.failed {
        let _ = writeln!(text, "FAILED       {}", below(target));
    }
    text
}
