//! The tables as a terminal shows them.

use std::fmt::Write;

use comfy_table::{CellAlignment, ContentArrangement, Table as Grid, presets};

use super::columns::{HEADS, below, cells, notes, title};
use super::table::{Report, Table};

/// The whole report.
pub fn terminal(report: &Report) -> String {
    let mut text = String::new();
    for table in &report.tables {
        let _ = write!(text, "\n{}\n{}", title(table.shape, &report.run.record.options), one(table));
    }
    text.push('\n');
    for note in notes(report) {
        let _ = writeln!(text, "{note}");
    }
    text
}

fn one(table: &Table) -> String {
    let mut text = String::new();
    if table.ranked.is_empty() {
        text.push_str("nothing could be ranked\n");
    } else {
        let mut grid = Grid::new();
        grid.load_style(presets::UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Disabled);
        grid.set_header(HEADS);
        for row in &table.ranked {
            grid.add_row(cells(row));
        }
        for column in grid.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        let _ = writeln!(text, "{grid}");
    }
    for target in &table.below {
        let _ = writeln!(text, "not ranked   {}", below(target));
    }
    for target in &table.failed {
        let _ = writeln!(text, "FAILED       {}", below(target));
    }
    text
}
