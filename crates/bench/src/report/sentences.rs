//! The verdict on one shape in sentences, written from the findings alone.

use super::judgement::{Judgement, compared, too_few};
use super::table::{RpsOf, Table};
use super::units::digits;
use super::verdicts;
use crate::stats::{Comparison, Conclusion, Findings, Tier, Tiers, Verdict};

/// Of so many targets each is named; of more, only how many they are and how far they reach.
const NAMED: usize = 6;

/// From this ratio on, "times as much" is said instead of "% more".
const TIMES: f64 = 2.0;

/// What came out: first of cost, then of requests per second and of how much to believe, then who failed.
pub fn verdict(table: &Table) -> Vec<String> {
    let mut all = Vec::new();
    if table.ranked.is_empty() {
        all.push("Nothing could be ranked.".to_owned());
    } else {
        all.extend(verdicts::stamp(&table.judgement).map(|stamp| format!("{stamp}.")));
        match &table.judgement {
            Judgement::None(why) => all.push(format!("{} There are {why}.", extent(table))),
            Judgement::Ratios { cost, rps } => {
                all.push(of_cost(table, cost));
                all.push(of_rps(table, rps.as_deref(), cost));
            }
        }
    }
    let failed: Vec<&str> = table.failed.iter().map(|below| below.target.name.as_str()).collect();
    if !failed.is_empty() {
        all.push(format!(
            "{} failed and stand{} in no ranking.",
            some(&failed),
            if failed.len() == 1 { "s" } else { "" }
        ));
    }
    all
}

/// From the least to the most, without a word on what differs.
fn extent(table: &Table) -> String {
    let (first, last) = (&table.ranked[0], &table.ranked[table.ranked.len() - 1]);
    let (low, high) = (digits(first.cost_us.median), digits(last.cost_us.median));
    if table.ranked.len() == 1 {
        return format!("{} costs {low} µs per response.", first.target.name);
    }
    format!("Costs go from {low} µs ({}) to {high} µs ({}) per response.", first.target.name, last.target.name)
}

fn of_cost(table: &Table, cost: &Findings) -> String {
    if cost.against_baseline.is_empty() {
        return format!("{} There is nothing beside it to compare it with.", extent(table));
    }
    if let Some((units, needed)) = too_few(cost) {
        let blocks = if units == 1 { "block is" } else { "blocks are" };
        return format!("{} {units} {blocks} too few for a verdict, which takes {needed}.", extent(table));
    }
    let Tiers::Shown(tiers) = &cost.tiers else {
        return format!("{} There are too few blocks to tell all pairs apart.", extent(table));
    };
    let best = cheapest(cost, tiers);
    let start = match best[..] {
        [one] => match compared(cost, one) {
            Some(found) => format!("{one} costs least per response, {} than {}", amount(found), cost.baseline),
            None => format!("{one} costs least per response"),
        },
        _ if best.len() == tiers.len() && best.len() > NAMED => {
            format!("None of the {} targets can be told apart in cost", best.len())
        }
        _ => format!("{} cannot be told apart in cost and are the cheapest", some(&best)),
    };
    let others: Vec<(&str, &Comparison)> = (tiers.iter().map(|tier| tier.target.as_str()))
        .filter(|name| !best.contains(name))
        .filter_map(|name| Some((name, compared(cost, name)?)))
        .collect();
    if others.is_empty() {
        return format!("{start}.");
    }
    let shown = others.len().min(NAMED);
    let mut said: Vec<String> = Vec::new();
    for (name, found) in &others[..shown] {
        said.push(format!(
            "{name} {}",
            if said.is_empty() { costs(found) } else { costs(found).replacen("costs ", "", 1) }
        ));
    }
    let more = match others.len() - shown {
        0 => String::new(),
        n => format!(", and {n} more cost more than that"),
    };
    format!("{start}; beside {}, {}{more}.", cost.baseline, said.join(", "))
}

/// The best tier without those that the verdicts set apart: a verdict beside the baseline is one of few comparisons and
/// can be sure where a tier, one of all pairs, is not yet. Nor does it go on behind one of another tier: who is in the
/// best for want of units only, and costs more than one that is not, is nobody's idea of the cheapest.
fn cheapest<'a>(cost: &Findings, tiers: &'a [Tier]) -> Vec<&'a str> {
    let all = tiers.iter().take_while(|tier| tier.letters.contains('a')).map(|tier| tier.target.as_str());
    let is = |name: &str, wanted: Verdict| {
        compared(cost, name).is_some_and(|found| found.conclusion == Conclusion::Verdict(wanted))
    };
    let best: Vec<&str> = all.collect();
    if !best.contains(&cost.baseline.as_str()) {
        return best;
    }
    let some_faster = best.iter().any(|name| is(name, Verdict::Faster));
    let stays = |name: &&str| !(is(name, Verdict::Slower) || some_faster && *name == cost.baseline);
    best.into_iter().filter(stays).collect()
}

/// `costs 14 to 22 % more`
fn costs(found: &Comparison) -> String {
    let sure = match found.conclusion {
        Conclusion::Verdict(Verdict::Unresolved) => " (unresolved)",
        Conclusion::Verdict(Verdict::Equivalent) => " (equivalent)",
        _ => "",
    };
    format!("costs {}{sure}", amount(found))
}

/// `14 to 22 % more`, by the interval, or what was seen where there is none.
fn amount(found: &Comparison) -> String {
    let (low, high) = found.interval.map_or(found.range, |interval| (interval.low, interval.high));
    let percent = |ratio: f64| format!("{:.0}", (ratio - 1.0).abs() * 100.0);
    let range = |a: String, b: String| if a == b { a } else { format!("{a} to {b}") };
    if low >= TIMES {
        let times = |ratio: f64| if ratio >= 10.0 { format!("{ratio:.0}") } else { format!("{ratio:.1}") };
        format!("{} times as much", range(times(low), times(high)))
    } else if low >= 1.0 || percent(low) == "0" {
        format!("{} % more", range(percent(low), percent(high)))
    } else if high <= 1.0 || percent(high) == "0" {
        format!("{} % less", range(percent(high), percent(low)))
    } else {
        format!("between {} % less and {} % more", percent(low), percent(high))
    }
}

fn of_rps(table: &Table, rps: Option<&Findings>, cost: &Findings) -> String {
    let seen = cost.resolution.map_or(String::new(), |seen| {
        format!("; differences in cost under {} could not be seen", super::units::percent_of(seen.median))
    });
    let Some(rps) = rps else {
        let of = table.ranked.iter().find(|row| row.target.name == cost.baseline).map(|row| row.rps_of);
        let why = match of {
            Some(RpsOf::Pair) => "server and load tool took the cores from each other",
            _ => "the load tool was the limit, not the server",
        };
        return format!("Of requests per second there is no verdict, because for {} {why}{seen}.", cost.baseline);
    };
    if rps.against_baseline.is_empty() || too_few(rps).is_some() {
        return format!("Of requests per second there is no verdict{seen}.");
    }
    let who = |wanted: Verdict| -> Vec<&str> {
        let is = |found: &Comparison| matches!(found.conclusion, Conclusion::Verdict(verdict) if verdict == wanted);
        let all = rps.against_baseline.iter().map(|against| against.target.as_str());
        all.filter(|name| compared(rps, name).is_some_and(is)).collect()
    };
    let words = [
        (Verdict::Faster, "more than"),
        (Verdict::Slower, "fewer than"),
        (Verdict::Equivalent, "as many as"),
        (Verdict::Unresolved, "a number that could not be told from that of"),
    ];
    let parts: Vec<String> = (words.into_iter())
        .map(|(verdict, words)| (who(verdict), words))
        .filter(|(names, _)| !names.is_empty())
        .map(|(names, words)| {
            format!("{} answer{} {words} {}", some(&names), if names.len() == 1 { "s" } else { "" }, rps.baseline)
        })
        .collect();
    let marked = table.ranked.iter().filter(|row| !row.rps_of.is_the_servers()).count();
    let marked = match marked {
        0 => String::new(),
        n => format!("; {n} could not be judged, because the server was not the limit"),
    };
    if parts.is_empty() {
        return format!("Of requests per second there is no verdict{marked}{seen}.");
    }
    format!("Per second, {}{marked}{seen}.", parts.join(", "))
}

/// `a, b and c`; of too many, only how many they are.
fn some(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        _ if names.len() > NAMED => format!("{} and {} more", names[..NAMED - 1].join(", "), names.len() + 1 - NAMED),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;
    use crate::results::{Run, fixed};

    const FOUR: [(&str, f64); 4] = [("tokio", 20.0), ("axum", 24.0), ("smol", 20.1), ("may", 16.0)];

    fn said(run: &Run) -> String {
        verdict(&Report::of(run).tables[0]).join("\n")
    }

    #[test]
    fn who_is_cheapest_and_by_how_much_the_others_cost_more() {
        let mut run = fixed::run(&FOUR, 18, 1);
        let mut all = vec![said(&run)];
        fixed::each(&mut run, "tokio", fixed::client_bound);
        all.push(said(&run));
        fixed::each(&mut run, "tokio (again)", |measurement| measurement.cost_us *= 1.1);
        all.push(said(&run));
        fixed::fail(&mut run, "axum");
        all.push(said(&run));
        insta::assert_snapshot!(all.join("\n\n"));
    }

    #[test]
    fn the_cheapest_end_where_another_tier_begins() {
        let run = fixed::run(&FOUR, 18, 1);
        let report = Report::of(&run);
        let Judgement::Ratios { cost, .. } = &report.tables[0].judgement else { panic!("ratios") };
        let tiers = |letters: [&str; 3]| {
            let all = ["may", "smol", "axum"].into_iter().zip(letters);
            all.map(|(target, letters)| Tier { target: target.into(), letters: letters.into() }).collect::<Vec<_>>()
        };
        assert_eq!(cheapest(cost, &tiers(["a", "b", "ab"])), ["may"]);
        assert_eq!(cheapest(cost, &tiers(["a", "ab", "b"])), ["may", "smol"]);
    }

    #[test]
    fn too_little_is_said_to_be_too_little() {
        let mut all = vec![said(&fixed::run(&FOUR, 1, 1)), said(&fixed::run(&FOUR[..1], 18, 1))];
        let mut run = fixed::run(&FOUR[..2], 2, 1);
        fixed::fail(&mut run, "tokio");
        all.push(said(&run));
        fixed::fail(&mut run, "axum");
        all.push(said(&run));
        insta::assert_snapshot!(all.join("\n\n"));
    }

    #[test]
    fn sixty_targets_are_still_a_sentence() {
        let names: Vec<String> = (0..60).map(|n| format!("server-{n}")).collect();
        let costs = std::iter::successors(Some(10.0), |cost| Some(cost * 1.2));
        let targets: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(costs).collect();
        let text = said(&fixed::run(&targets, 24, 1));
        assert!(text.chars().count() < 700, "{text}");
    }
}
