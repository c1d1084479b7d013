//! The tables as a terminal shows them.

use std::fmt::Write;

use comfy_table::{CellAlignment, ContentArrangement, Table as Grid, presets};

use super::columns::{HEADS, below, cells, notes, title};
use super::latency;
use super::mirrors;
use super::table::{Report, Table};
use super::verdicts;
use crate::voice::{columns, in_colour};

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
            let _ = writeln!(text, "{}", fitted(&latency::HEADS, &latencies, columns()));
        }
    }
    text.push('\n');
    for note in notes(report) {
        let _ = writeln!(text, "{}", loud(&note, "PARTIAL"));
    }
    text
}

/// A line that nobody should miss: in bold, where there are colours.
fn loud(line: &str, word: &str) -> String {
    if line.starts_with(word) && in_colour() {
        return console::style(line).force_styling(true).bold().red().to_string();
    }
    line.to_owned()
}

/// A table that fits the terminal: columns are left out from the right, and the reader is told.
fn fitted(heads: &[&str], rows: &[Vec<String>], width: Option<usize>) -> String {
    for kept in (1..=heads.len()).rev() {
        let cut: Vec<Vec<String>> = rows.iter().map(|row| row.iter().take(kept).cloned().collect()).collect();
        let text = grid(&heads[..kept], &cut).to_string();
        let fits = width.is_none_or(|width| text.lines().all(|line| line.chars().count() <= width));
        if fits || kept == 1 {
            let left_out = match heads.len() - kept {
                0 => String::new(),
                n => format!(
                    "\n({n} more column{} in report.md: this terminal is too narrow)",
                    if n == 1 { "" } else { "s" }
                ),
            };
            return text + &left_out;
        }
    }
    String::new()
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
            let _ = writeln!(text, "{}", loud(&stamp, "NOT TO BE TRUSTED"));
        }
        let rows: Vec<Vec<String>> = table.ranked.iter().map(|row| verdicts::cells(table, row)).collect();
        let _ = writeln!(text, "{}", fitted(&verdicts::heads(&table.judgement), &rows, columns()));
        for line in verdicts::lines(table) {
            let _ = writeln!(text, "{line}");
        }
        let rows: Vec<Vec<String>> = table.ranked.iter().map(|row| cells(row).to_vec()).collect();
        let _ = writeln!(text, "{}", fitted(&HEADS, &rows, columns()));
    }
    for target in &table.below {
        let _ = writeln!(text, "not ranked   {}", below(target));
    }
    for target in &table.failed {
        let _ = writeln!(text, "{}", loud(&format!("FAILED       {}", below(target)), "FAILED"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_gets_the_first_columns_and_is_told() {
        let (heads, rows) =
            (["target", "cost µs", "min–max"], [["axum", "10.1", "9.61–12.7"].map(String::from).into()]);
        let wide = fitted(&heads, &rows, None);
        assert!(wide.contains("min–max") && !wide.contains("narrow"), "{wide}");
        let narrow = fitted(&heads, &rows, Some(20));
        assert!(narrow.contains("10.1") && !narrow.contains("12.7"), "{narrow}");
        assert!(narrow.ends_with("(1 more column in report.md: this terminal is too narrow)"), "{narrow}");
        assert!(fitted(&heads, &rows, Some(3)).contains("axum"));
    }
}
