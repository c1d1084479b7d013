//! The table that settles while a run goes on: medians of what there is, without a verdict, which is for the end.

use std::collections::BTreeMap;

use crate::load::Shape;
use crate::plan::Cell;
use crate::report::units::{count, digits, range, thousands};
use crate::results::{Outcome, SliceRecord};
use crate::stats::Summary;

/// Rows that are shown at most: a taller one would scroll what it is to stay beside.
const ROWS: usize = 24;
/// Between two columns.
const GAP: usize = 2;

/// What is known of each cell of the plan so far.
#[derive(Debug, Default)]
pub struct Live(Vec<SoFar>);

/// What is known of one cell.
#[derive(Debug)]
struct SoFar {
    cell: Cell,
    /// Cost in µs and good responses per second in the last try of each block; nothing if that failed.
    blocks: BTreeMap<u32, Option<(f64, f64)>>,
}

/// A line before it is as wide as the others.
struct Line {
    name: String,
    shape: Shape,
    /// For the order.
    cost_us: Option<f64>,
    figures: Figures,
}

/// What stands beside a name.
enum Figures {
    /// Cost, its range, requests per second, slices.
    Valid([String; 4]),
    Failed(String),
}

impl Live {
    /// Of cells in the order of the plan, of which nothing is known.
    pub fn of(cells: &[Cell]) -> Self {
        Self(cells.iter().map(|cell| SoFar { cell: cell.clone(), blocks: BTreeMap::new() }).collect())
    }

    /// Takes what came of one slice, in place of an earlier try.
    pub fn take(&mut self, slice: &SliceRecord) {
        if let Some(own) = self.0.iter_mut().find(|own| own.cell == slice.cell) {
            let value = match &slice.outcome {
                Outcome::Valid(measurement) => Some((measurement.cost_us, measurement.rps)),
                Outcome::Failed(_) => None,
            };
            own.blocks.insert(slice.block, value);
        }
    }

    /// A line each, the cheapest first within a shape; no line is wider than `width`, and no figure is cut.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let mut all: Vec<Line> = self.0.iter().filter_map(SoFar::line).collect();
        let cost = |line: &Line| line.cost_us.unwrap_or(f64::INFINITY);
        all.sort_by(|a, b| a.shape.cmp(&b.shape).then(cost(a).total_cmp(&cost(b))));
        let more = all.len().saturating_sub(ROWS);
        all.truncate(ROWS);
        let columns = columns(&all);
        let longest = all.iter().map(|line| line.name.chars().count()).max().unwrap_or(0).min(32);
        let longest = longest.min(width.saturating_sub(GAP + columns[0]));
        let mut end = longest;
        let fits = |column: &&usize| {
            end += GAP + **column;
            end <= width
        };
        let columns: Vec<usize> = columns.iter().take_while(fits).copied().collect();
        let mut lines: Vec<String> = all.iter().map(|line| line.fitted(longest, &columns, width)).collect();
        if more > 0 {
            lines.push(format!("and {more} more").chars().take(width).collect());
        }
        lines
    }
}

/// How wide each column of figures is.
fn columns(lines: &[Line]) -> [usize; 4] {
    let mut widest = [0; 4];
    for line in lines {
        if let Figures::Valid(cells) = &line.figures {
            for (column, cell) in widest.iter_mut().zip(cells) {
                *column = cell.chars().count().max(*column);
            }
        }
    }
    widest
}

impl Line {
    fn fitted(&self, longest: usize, columns: &[usize], width: usize) -> String {
        let name: String = self.name.chars().take(longest).collect();
        let name = format!("{name:<longest$}");
        match &self.figures {
            Figures::Valid(cells) => {
                let cells = cells.iter().zip(columns).map(|(cell, column)| format!("{:GAP$}{cell:>column$}", ""));
                name + &cells.collect::<String>()
            }
            Figures::Failed(words) => format!("{name}{:GAP$}{words}", "").chars().take(width).collect(),
        }
    }
}

impl SoFar {
    /// Nothing before its first slice.
    fn line(&self) -> Option<Line> {
        let Self { cell, blocks } = self;
        let of = |get: fn(&(f64, f64)) -> f64| Summary::of(blocks.values().flatten().map(get));
        let failed = blocks.values().filter(|value| value.is_none()).count();
        let (cost_us, figures) = match (of(|value| value.0), of(|value| value.1)) {
            _ if failed > 0 => {
                (None, Figures::Failed(format!("FAILED in {failed} of {}", count(blocks.len(), "slice"))))
            }
            (Some(cost), Some(rps)) => {
                let cells = [
                    format!("{} µs", digits(cost.median)),
                    range(&cost, digits),
                    format!("{}/s", thousands(rps.median)),
                    count(cost.n, "slice"),
                ];
                (Some(cost.median), Figures::Valid(cells))
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

    #[test]
    fn a_figure_has_room_or_is_not_there() {
        let mut run = fixed::run(&[("tokio", 20.0), ("axum", 2400.0), ("may", 16.0)], 3, 1);
        fixed::fail(&mut run, "may");
        let whole = live(&run, 100);
        let words = |line: &str| line.split("  ").map(|word| word.trim().to_owned()).collect::<Vec<_>>();
        for width in 24..100 {
            for (line, whole) in live(&run, width).iter().zip(&whole).filter(|(line, _)| !line.contains("FAILED")) {
                let figures = |line: &str| words(line).into_iter().filter(|word| !word.is_empty()).skip(1).collect();
                let (some, all): (Vec<String>, Vec<String>) = (figures(line), figures(whole));
                assert!(line.chars().count() <= width && !some.is_empty() && all.starts_with(&some), "{width}: {line}");
            }
        }
    }

    #[test]
    fn a_block_that_is_measured_again_counts_once() {
        let mut run = fixed::run(&[("tokio", 20.0)], 2, 1);
        let first = run.slices.iter().filter(|slice| slice.block == 0).cloned();
        let again: Vec<SliceRecord> = first.map(|slice| SliceRecord { tried: 1, ..slice }).collect();
        let once = live(&run, 100);
        fixed::fail(&mut run, "tokio");
        run.slices.retain(|slice| slice.block == 0);
        run.slices.extend(again);
        run.slices.extend(fixed::run(&[("tokio", 20.0)], 2, 1).slices.into_iter().filter(|slice| slice.block == 1));
        assert_eq!(live(&run, 100), once);
    }
}
