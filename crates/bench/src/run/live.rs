//! The table that settles while a run goes on: medians of what there is, without a verdict, which is for the end.

use crate::plan::Cell;
use crate::report::units::{digits, thousands};
use crate::results::{Outcome, SliceRecord};
use crate::stats::Summary;

/// Rows that are shown at most: a taller one would scroll what it is to stay beside.
const ROWS: usize = 24;

/// What is known of each cell of the plan so far.
#[derive(Debug, Default)]
pub struct Live {
    cells: Vec<(Cell, Vec<(f64, f64)>, usize)>,
}

impl Live {
    /// Of cells in the order of the plan, of which nothing is known.
    pub fn of(cells: &[Cell]) -> Self {
        Self { cells: cells.iter().map(|cell| (cell.clone(), Vec::new(), 0)).collect() }
    }

    /// Takes what came of one slice.
    pub fn take(&mut self, slice: &SliceRecord) {
        if let Some((_, values, failed)) = self.cells.iter_mut().find(|(cell, ..)| *cell == slice.cell) {
            match &slice.outcome {
                Outcome::Valid(measurement) => values.push((measurement.cost_us, measurement.rps)),
                Outcome::Failed(_) => *failed += 1,
            }
        }
    }

    /// A line each, the cheapest first within a shape; no line is wider than `width`.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let name = |cell: &Cell| cell.setting.map_or(cell.target.clone(), |at| format!("{} {at}", cell.target));
        let mut rows: Vec<(String, Option<f64>, String)> = Vec::new();
        for (cell, values, failed) in self.cells.iter().filter(|(_, values, failed)| values.len() + failed > 0) {
            let of = |get: fn(&(f64, f64)) -> f64| Summary::of(values.iter().map(get));
            let figures = match (of(|value| value.0), of(|value| value.1)) {
                _ if *failed > 0 => format!("FAILED in {failed} of {} slices", failed + values.len()),
                (Some(cost), Some(rps)) => format!(
                    "{:>6} µs  {:>13}  {:>9}/s  {:>2} slices",
                    digits(cost.median),
                    format!("{}–{}", digits(cost.min), digits(cost.max)),
                    thousands(rps.median),
                    cost.n
                ),
                _ => continue,
            };
            let order = of(|value| value.0).map(|cost| cost.median).filter(|_| *failed == 0);
            rows.push((format!("{} {}", cell.shape, name(cell)), order, figures));
        }
        let shape = |row: &(String, Option<f64>, String)| row.0.split(' ').next().unwrap_or_default().to_owned();
        rows.sort_by(|a, b| {
            let cost = |row: &(String, Option<f64>, String)| row.1.unwrap_or(f64::INFINITY);
            shape(a).cmp(&shape(b)).then(cost(a).total_cmp(&cost(b)))
        });
        let more = rows.len().saturating_sub(ROWS);
        rows.truncate(ROWS);
        let longest = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0).min(32);
        let line = |(name, _, figures): (String, Option<f64>, String)| {
            let name: String = name.chars().take(longest).collect();
            format!("{name:<longest$}  {figures}").chars().take(width).collect()
        };
        let mut lines: Vec<String> = rows.into_iter().map(line).collect();
        if more > 0 {
            lines.push(format!("and {more} more").chars().take(width).collect());
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixed;

    fn live(run: &crate::results::Run, width: usize) -> Vec<String> {
        let mut live = Live::of(&run.record.cells);
        run.slices.iter().for_each(|slice| live.take(slice));
        live.lines(width)
    }

    #[test]
    fn the_cheapest_is_first_and_who_failed_last() {
        let mut run = fixed::run(&[("tokio", 20.0), ("axum", 24.0), ("may", 16.0)], 3, 1);
        fixed::fail(&mut run, "axum");
        insta::assert_snapshot!(live(&run, 100).join("\n"));
    }

    #[test]
    fn it_fits_a_narrow_terminal_and_a_low_one() {
        let names: Vec<String> = (0..60).map(|n| format!("a-server-with-a-long-name-{n}")).collect();
        let targets: Vec<(&str, f64)> = names.iter().map(|name| (name.as_str(), 20.0)).collect();
        let lines = live(&fixed::run(&targets, 1, 1), 40);
        assert!(lines.len() == ROWS + 1 && lines.iter().all(|line| line.chars().count() <= 40), "{lines:?}");
        assert_eq!(lines[ROWS], "and 37 more");
        assert!(Live::of(&[]).lines(40).is_empty());
    }
}
