//! The table that settles while a run goes on: medians of what there is, without a verdict, which is for the end.

use crate::load::Shape;
use crate::plan::Cell;
use crate::report::units::{digits, thousands};
use crate::results::{Outcome, SliceRecord};
use crate::stats::Summary;

/// Rows that are shown at most: a taller one would scroll what it is to stay beside.
const ROWS: usize = 24;

/// What is known of each cell of the plan so far.
#[derive(Debug, Default)]
pub struct Live(Vec<SoFar>);

/// What is known of one cell.
#[derive(Debug)]
struct SoFar {
    cell: Cell,
    /// Cost in µs and good responses per second of its valid slices.
    values: Vec<(f64, f64)>,
    failed: usize,
}

/// A line before it is as wide as the others: whose, its cost for the order, and the figures.
struct Line {
    name: String,
    shape: Shape,
    cost_us: Option<f64>,
    figures: String,
}

impl Live {
    /// Of cells in the order of the plan, of which nothing is known.
    pub fn of(cells: &[Cell]) -> Self {
        Self(cells.iter().map(|cell| SoFar { cell: cell.clone(), values: Vec::new(), failed: 0 }).collect())
    }

    /// Takes what came of one slice.
    pub fn take(&mut self, slice: &SliceRecord) {
        if let Some(own) = self.0.iter_mut().find(|own| own.cell == slice.cell) {
            match &slice.outcome {
                Outcome::Valid(measurement) => own.values.push((measurement.cost_us, measurement.rps)),
                Outcome::Failed(_) => own.failed += 1,
            }
        }
    }

    /// A line each, the cheapest first within a shape; no line is wider than `width`.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let mut all: Vec<Line> = self.0.iter().filter_map(SoFar::line).collect();
        let cost = |line: &Line| line.cost_us.unwrap_or(f64::INFINITY);
        all.sort_by(|a, b| a.shape.cmp(&b.shape).then(cost(a).total_cmp(&cost(b))));
        let more = all.len().saturating_sub(ROWS);
        all.truncate(ROWS);
        let longest = all.iter().map(|line| line.name.chars().count()).max().unwrap_or(0).min(32);
        let fitted = |line: Line| {
            let name: String = line.name.chars().take(longest).collect();
            format!("{name:<longest$}  {}", line.figures).chars().take(width).collect()
        };
        let mut lines: Vec<String> = all.into_iter().map(fitted).collect();
        if more > 0 {
            lines.push(format!("and {more} more").chars().take(width).collect());
        }
        lines
    }
}

impl SoFar {
    /// Nothing before its first slice.
    fn line(&self) -> Option<Line> {
        let Self { cell, values, failed } = self;
        let of = |get: fn(&(f64, f64)) -> f64| Summary::of(values.iter().map(get));
        let (cost, rps) = (of(|value| value.0), of(|value| value.1));
        let (cost_us, figures) = match (cost, rps) {
            _ if *failed > 0 => (None, format!("FAILED in {failed} of {} slices", failed + values.len())),
            (Some(cost), Some(rps)) => {
                let range = format!("{}–{}", digits(cost.min), digits(cost.max));
                let (cost_us, rps, n) = (digits(cost.median), thousands(rps.median), cost.n);
                (Some(cost.median), format!("{cost_us:>6} µs  {range:>13}  {rps:>9}/s  {n:>2} slices"))
            }
            _ => return None,
        };
        let at = cell.setting.map_or(String::new(), |at| format!(" {at}"));
        Some(Line { name: format!("{} {}{at}", cell.shape, cell.target), shape: cell.shape, cost_us, figures })
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
