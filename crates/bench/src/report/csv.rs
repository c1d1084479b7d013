//! `report.csv`: a line for every target in every shape, in plain units, for spreadsheets and scripts.

use anyhow::{Context, Result};
use csv::Writer;

use super::summary::{Ratio, Spread, Summary, TargetSummary, summary};
use super::table::Report;

/// The heads, with units where there are any; a column that is added comes last.
const HEADS: [&str; 34] = [
    "began",
    "host",
    "commit",
    "tool",
    "shape",
    "connections",
    "target",
    "framework",
    "standing",
    "reason",
    "valid_slices",
    "failed_slices",
    "cost_us_median",
    "cost_us_min",
    "cost_us_max",
    "cost_ratio",
    "cost_ratio_low",
    "cost_ratio_high",
    "cost_verdict",
    "cost_tier",
    "rps_median",
    "rps_min",
    "rps_max",
    "rps_of",
    "rps_ratio",
    "rps_ratio_low",
    "rps_ratio_high",
    "rps_verdict",
    "limit",
    "response_bytes",
    "rss_bytes",
    "start_up_s",
    "crates",
    "source_lines",
];

/// All runs, one after the other: each line says which it is of.
///
/// # Errors
/// When a line cannot be written, which memory does not refuse.
pub fn csv(reports: &[&Report]) -> Result<String> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(HEADS)?;
    for report in reports {
        let run = summary(report);
        for shape in &run.shapes {
            for target in &shape.targets {
                writer.write_record(line(&run, &shape.shape, target))?;
            }
        }
    }
    let bytes = writer.into_inner().context("the table cannot be written")?;
    Ok(String::from_utf8(bytes)?)
}

fn line(run: &Summary, shape: &str, target: &TargetSummary) -> [String; 34] {
    let or_nothing = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let median = |spread: &Option<Spread>| or_nothing(spread.map(|spread| spread.median));
    let (cost, rps) = (spread(target.cost_us), spread(target.rps));
    let (cost_ratio, rps_ratio) = (ratio(target.cost_ratio.as_ref()), ratio(target.rps_ratio.as_ref()));
    let count = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    [
        run.began.clone(),
        run.host.clone(),
        run.commit.clone(),
        run.tool.clone(),
        shape.to_owned(),
        run.connections.to_string(),
        target.name.clone(),
        target.framework.clone(),
        target.standing.word().to_owned(),
        target.reason.clone().unwrap_or_default(),
        target.valid_slices.to_string(),
        target.failed_slices.to_string(),
        cost[0].clone(),
        cost[1].clone(),
        cost[2].clone(),
        cost_ratio[0].clone(),
        cost_ratio[1].clone(),
        cost_ratio[2].clone(),
        cost_ratio[3].clone(),
        target.cost_ratio.as_ref().and_then(|ratio| ratio.tier.clone()).unwrap_or_default(),
        rps[0].clone(),
        rps[1].clone(),
        rps[2].clone(),
        target.rps_of.map_or("", |of| of.word()).to_owned(),
        rps_ratio[0].clone(),
        rps_ratio[1].clone(),
        rps_ratio[2].clone(),
        rps_ratio[3].clone(),
        target.limit.clone().unwrap_or_default(),
        median(&target.response_bytes),
        median(&target.rss_bytes),
        median(&target.start_up_s),
        count(target.crates),
        count(target.source_lines),
    ]
}

fn spread(spread: Option<Spread>) -> [String; 3] {
    spread.map_or_else(Default::default, |Spread { median, min, max, .. }| [median, min, max].map(|v| v.to_string()))
}

fn ratio(ratio: Option<&Ratio>) -> [String; 4] {
    let Some(ratio) = ratio else { return Default::default() };
    let end = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    [ratio.ratio.to_string(), end(ratio.low), end(ratio.high), ratio.verdict.clone().unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::super::table::Report;
    use crate::results::fixed;

    #[test]
    fn every_target_has_a_line_and_a_name_can_hold_anything() {
        let mut run = fixed::run(&[("tokio", 20.0), ("a,\"b\"\n;c", 24.0)], 12, 1);
        fixed::fail(&mut run, "a,\"b\"\n;c");
        let text = super::csv(&[&Report::of(&run)]).unwrap();
        insta::assert_snapshot!(text);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.iter().map(|row| &row[6]).collect::<Vec<_>>(), ["tokio", "a,\"b\"\n;c"]);
    }
}
