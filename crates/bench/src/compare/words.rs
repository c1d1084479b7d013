//! A comparison as a terminal shows it.

use std::fmt::Write;

use anyhow::Result;

use super::{Beside, Compared, InShape, Method, versus};
use crate::report::terminal::grid;
use crate::report::units::{digits, ratio, short_percent, thousands};
use crate::results::{RevisionRecord, Run, VersusRecord};
use crate::stats::{Change, Conclusion, Rules, Verdict};

const HEADS: [&str; 11] =
    ["target", "cost A", "cost B", "B/A", "95 %", "cost is", "req/s A", "req/s B", "B/A", "95 %", "req/s is"];

/// The whole comparison; `a` and `b` say what the two sides are.
pub fn words(compared: &Compared, a: &str, b: &str) -> String {
    let mut text = format!("A: {a}\nB: {b}\n");
    for difference in &compared.forced {
        let _ = writeln!(text, "FORCED, though the conditions differ: {difference}");
    }
    for note in &compared.notes {
        let _ = writeln!(text, "{note}");
    }
    for shape in &compared.shapes {
        text.push_str(&one(shape));
    }
    let how = match compared.method {
        Method::Runs => {
            "Unpaired (Mann-Whitney, Hodges-Lehmann): the runs were made at different times, and what else changed on the \
             machine in between counts as if the targets had changed."
        }
        Method::Paired => "Paired by block (Wilcoxon signed-rank, Hodges-Lehmann).",
    };
    let _ = writeln!(
        text,
        "\ncost in µs. {how}\nBetter, worse: sure with all targets taken together (5 %), and {}; else unresolved. `≥`: the \
         load tool was the limit, no verdict.",
        rules(&compared.rules)
    );
    text
}

/// What two commits in one run came to.
///
/// # Errors
/// As [`versus`].
pub fn versus_words(run: &Run) -> Result<(Compared, String)> {
    let compared = versus(run)?;
    let side = |of: fn(&VersusRecord) -> &RevisionRecord| {
        let revision = run.record.versus.as_ref().map(of);
        revision.map(|RevisionRecord { called, hash }| format!("{called}, commit {hash}")).unwrap_or_default()
    };
    let text =
        words(&compared, &side(|versus| &versus.a), &format!("{}, in the same blocks", side(|versus| &versus.b)));
    Ok((compared, text))
}

/// When a difference counts.
pub fn rules(rules: &Rules) -> String {
    format!(
        "by {} or more; equivalent if no further apart than {}",
        short_percent(rules.minimum_effect()),
        short_percent(rules.margin())
    )
}

fn one(shape: &InShape) -> String {
    let mut text = format!("\n{}\n", shape.shape);
    if shape.rows.is_empty() {
        text.push_str("nothing could be compared\n");
    } else {
        let _ = writeln!(text, "{}", grid(&HEADS, &shape.rows.iter().map(cells).collect::<Vec<_>>()));
    }
    for row in &shape.rows {
        for (what, change) in [("cost", &row.cost), ("req/s", &row.rps_change)] {
            if let Some(Change { conclusion: Conclusion::TooFew { needed, .. }, units: (a, b), .. }) = change {
                let _ =
                    writeln!(text, "{}, {what}: too few blocks for a verdict ({a} and {b} of {needed})", row.target);
            }
        }
    }
    for without in &shape.without {
        let _ = writeln!(text, "not compared   {}: {}", without.target, without.reason);
    }
    text
}

fn cells(row: &Beside) -> Vec<String> {
    let mut cells = vec![row.target.clone(), digits(row.cost_us.0), digits(row.cost_us.1)];
    cells.extend(change(row.cost.as_ref()));
    cells.extend([row.rps_of.0.write(&thousands(row.rps.0)), row.rps_of.1.write(&thousands(row.rps.1))]);
    cells.extend(change(row.rps_change.as_ref()));
    cells
}

fn change(change: Option<&Change>) -> [String; 3] {
    let Some(change) = change else { return ["–", "–", "–"].map(String::from) };
    let interval = change.interval.map_or("–".into(), |i| format!("{}–{}", ratio(i.low), ratio(i.high)));
    let word = match change.conclusion {
        Conclusion::Verdict(Verdict::Faster) => "better",
        Conclusion::Verdict(Verdict::Slower) => "worse",
        Conclusion::Verdict(Verdict::Equivalent) => "equivalent",
        Conclusion::Verdict(Verdict::Unresolved) => "unresolved",
        Conclusion::TooFew { .. } => "too few",
    };
    [ratio(change.ratio), interval, word.into()]
}
