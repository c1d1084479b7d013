//! What an original costs beside the Rust servers that answer to it, from a run that holds both.

use std::num::NonZeroUsize;

use super::judgement::by_block;
use super::table::{Report, Row, Slices, Table};
use super::units::{digits, ratio};
use crate::stats::{Metric, Series, difference_of, differences};

/// An original beside one of its mirrors.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The original.
    pub original: String,
    /// Its cost, in µs.
    pub original_us: f64,
    /// The mirror.
    pub mirror: String,
    /// Its cost, in µs.
    pub mirror_us: f64,
    /// How many times the cost of the mirror the original's is, by block.
    pub ratio: f64,
    /// The exact interval of at least 95 %, of this pair alone; `None` with too few blocks.
    pub interval: Option<(f64, f64)>,
    /// What keeps the two from being alike.
    pub but: Option<String>,
}

/// The pairs in one shape, of targets that are ranked in it: what can only close is never beside what keeps.
pub fn pairs(report: &Report, table: &Table) -> Vec<Pair> {
    let slices = Slices::of(report.run);
    let blocks = report.run.record.options.blocks as usize;
    let series = |row: &Row| {
        let own = slices.get(&row.target.name, table.shape);
        Series::new(&row.target.name, by_block(own, Metric::Cost, blocks), NonZeroUsize::MIN).ok()
    };
    let mut pairs = Vec::new();
    for original in &table.ranked {
        let Some(name) = &original.target.original else { continue };
        for mirror in table.ranked.iter().filter(|row| row.target.mirrors.contains(name)) {
            let between = series(original).zip(series(mirror)).map(|(a, b)| differences(&a, &b).values);
            let Some((estimate, interval)) = between.and_then(|between| difference_of(&between)) else {
                continue;
            };
            pairs.push(Pair {
                original: original.target.name.clone(),
                original_us: original.cost_us.median,
                mirror: mirror.target.name.clone(),
                mirror_us: mirror.cost_us.median,
                ratio: estimate.exp(),
                interval: interval.map(|(low, high)| (low.exp(), high.exp())),
                but: other_workers(original, mirror),
            });
        }
    }
    pairs
}

/// A mirror with more threads than the original has is another model.
fn other_workers(original: &Row, mirror: &Row) -> Option<String> {
    let wanted = original.target.mirror_workers?;
    let had = mirror.target.workers.filter(|had| *had != wanted)?;
    Some(format!("{} had {had} workers; --workers {wanted} makes them alike", mirror.target.name))
}

/// Heads of the columns.
pub const HEADS: [&str; 6] = ["original", "cost µs", "mirror", "cost µs", "original / mirror", "95 %"];

/// A pair's cells, one per head.
pub fn cells(pair: &Pair) -> Vec<String> {
    vec![
        pair.original.clone(),
        digits(pair.original_us),
        pair.mirror.clone(),
        digits(pair.mirror_us),
        ratio(pair.ratio),
        pair.interval.map_or("–".into(), |(low, high)| format!("{}–{}", ratio(low), ratio(high))),
    ]
}

/// What keeps pairs from being alike, each once.
pub fn buts(pairs: &[Pair]) -> Vec<String> {
    let mut buts: Vec<String> = pairs.iter().filter_map(|pair| pair.but.clone()).collect();
    buts.sort();
    buts.dedup();
    buts
}

/// The title of the table.
pub const TITLE: &str =
    "originals beside the Rust servers that have their concurrency model; each interval is of its pair alone";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Shape;
    use crate::report::{html, markdown, terminal};
    use crate::results::{Run, WarmUp, fixed};

    /// gevent at ten times the cost of its mirror, and tokio, which is none of its mirrors.
    fn run(blocks: u32) -> Run {
        let mut run = fixed::run(&[("tokio", 20.0), ("may", 25.0), ("gevent", 250.0)], blocks, 1);
        for target in &mut run.record.targets {
            match target.name.as_str() {
                "may" => {
                    target.mirrors = vec!["gevent".into()];
                    target.workers = Some(2);
                }
                "gevent" => {
                    target.original = Some("gevent".into());
                    target.mirror_workers = Some(1);
                }
                _ => {}
            }
        }
        run
    }

    fn pairs_of(run: &Run) -> Vec<Pair> {
        let report = Report::of(run);
        pairs(&report, &report.tables[0])
    }

    #[test]
    fn an_original_has_its_ratio_to_its_mirror_with_an_interval_and_to_nobody_else() {
        let pairs = pairs_of(&run(18));
        let [pair] = &pairs[..] else { panic!("{pairs:?}") };
        assert_eq!((pair.original.as_str(), pair.mirror.as_str()), ("gevent", "may"));
        let (low, high) = pair.interval.unwrap();
        assert!(low < pair.ratio && pair.ratio < high && high - low < 0.2, "{pair:?}");
        // Each slice is within 1 % of the truth.
        assert!((9.8..10.2).contains(&pair.ratio), "{pair:?}");
    }

    #[test]
    fn with_few_blocks_there_is_a_ratio_and_no_interval() {
        let pairs = pairs_of(&run(2));
        assert_eq!(pairs[0].interval, None);
    }

    #[test]
    fn a_mirror_with_more_workers_than_the_original_has_threads_is_told_of() {
        assert_eq!(buts(&pairs_of(&run(18))), ["may had 2 workers; --workers 1 makes them alike"]);
    }

    #[test]
    fn what_can_only_close_is_beside_nothing_that_keeps_its_connections() {
        let mut run = run(18);
        let gevent = run.record.targets.iter_mut().find(|target| target.name == "gevent").unwrap();
        gevent.shapes = vec![Shape::Close];
        assert_eq!(pairs_of(&run), []);
    }

    #[test]
    fn every_format_has_the_table_and_the_curve_of_a_warm_up() {
        let mut run = run(18);
        fixed::each(&mut run, "gevent", |measurement| {
            let cost_us = vec![300.0, 260.0, 251.0, 249.0];
            measurement.warm_up = Some(WarmUp { cost_us, slice_s: 1.0, requests: 4000, steady: true });
        });
        let report = Report::of(&run);
        let page = html::page(&[html::Shown {
            folder: String::new(),
            report: &report,
            files: Vec::new(),
            printed: crate::results::Printed::default(),
        }]);
        for text in [terminal::terminal(&report), markdown::markdown(&report), page] {
            assert!(text.contains("original / mirror"), "{text}");
            let curve = "gevent was warmed up, in µs per request each 1 s: 300 260 251 249; steady before every slice.";
            assert!(text.contains(curve), "{text}");
        }
    }
}
