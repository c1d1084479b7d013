//! What was seen beside the figures: what the limit was, how the server's time is made up, what it held.

use std::collections::BTreeMap;

use super::table::{Report, Row, Table};
use super::units::{digits, mebibytes, percent};
use crate::results::{Conditions, Limit, Measurement};
use crate::stats::Summary;

/// User and system time are told apart by clock ticks; where their grain is more than this share of the sum, they are not.
const GRAIN: f64 = 0.01;

/// A clock tick as /proc shows it, in seconds (USER_HZ is 100 on every architecture that servers of today run on).
const TICK_S: f64 = 0.01;

/// Fewer starts than this have no spread worth showing.
const STARTS: usize = 5;

/// Of so many targets with the same warning the names are shown.
const SHOWN: usize = 3;

/// What was seen of a target over the valid slices of a run, beside its figures; `None` is unknown.
#[derive(Debug, Clone, Default)]
pub struct UnderLoad {
    /// User time in the server's CPU time, from 0 to 1.
    pub user_share: Option<f64>,
    /// The server's wait for a core in the time that it ran or wanted to, from 0 to 1.
    pub server_wait: Option<Summary>,
    /// The load tool's.
    pub tool_wait: Option<Summary>,
    /// The server's context switches per 1000 good responses, having nothing to do.
    pub voluntary: Option<Summary>,
    /// Those because its core was taken from it.
    pub involuntary: Option<Summary>,
    /// Resident memory before the load, in bytes.
    pub rss_before: Option<Summary>,
    /// Its highest during the load, in bytes.
    pub rss_peak: Option<Summary>,
    /// Threads after the load.
    pub threads: Option<Summary>,
    /// Accept-queue overflows of all slices.
    pub overflows: Option<u64>,
    /// What was noticed: its words without their numbers → as it was said first, and in how many slices.
    pub noticed: BTreeMap<String, (String, usize)>,
}

impl UnderLoad {
    /// Sums up valid slices.
    pub fn of(valid: &[&Measurement]) -> Self {
        let of = |get: &dyn Fn(&Measurement, &Conditions) -> Option<f64>| {
            Summary::of(valid.iter().filter_map(|m| get(m, &m.conditions)))
        };
        let wait = |wait_s: f64, ran_s: f64| wait_s / (wait_s + ran_s);
        let per_1000 = |m: &Measurement, count: Option<u64>| Some(count? as f64 * 1e3 / m.requests as f64);
        let mut noticed = BTreeMap::new();
        for warning in valid.iter().flat_map(|m| &m.warnings) {
            noticed.entry(without_numbers(warning)).or_insert_with(|| (warning.clone(), 0)).1 += 1;
        }
        Self {
            user_share: user_share(valid),
            server_wait: of(&|m, c| Some(wait(c.server_wait_s?, m.server_cpu_s))),
            tool_wait: of(&|m, c| Some(wait(c.tool_wait_s?, m.tool_cpu_s))),
            voluntary: of(&|m, c| per_1000(m, c.voluntary_switches)),
            involuntary: of(&|m, c| per_1000(m, c.involuntary_switches)),
            rss_before: of(&|_, c| Some(c.rss_before_bytes? as f64)),
            rss_peak: of(&|_, c| Some(c.rss_peak_bytes? as f64)),
            threads: of(&|m, _| Some(m.threads as f64)),
            overflows: valid.iter().map(|m| m.conditions.accept_overflows).sum(),
            noticed,
        }
    }
}

/// Two slices rarely have the same numbers, and mean the same.
fn without_numbers(words: &str) -> String {
    words.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Over all slices, if that is fine enough: each slice's count is off by less than a tick at its start and at its end,
/// this way or that, so that the error of the sum grows with the root of their number.
fn user_share(valid: &[&Measurement]) -> Option<f64> {
    let sum_s: f64 = valid.iter().map(|m| m.server_cpu_s).sum();
    let user_s: f64 = valid.iter().map(|m| Some(m.server_user_share? * m.server_cpu_s)).sum::<Option<_>>()?;
    (TICK_S * (valid.len() as f64).sqrt() < GRAIN * sum_s).then(|| user_s / sum_s)
}

/// The heads of the columns.
pub const HEADS: [&str; 11] = [
    "target",
    "limit",
    "user",
    "server waits",
    "tool waits",
    "gives up core",
    "loses core",
    "threads",
    "RSS MiB",
    "overflows",
    "start ms",
];

/// What they mean.
pub const HEADS_MEAN: [&str; 5] = [
    "user: user time in the server's CPU time, the rest being system time; `–` where clock ticks are too coarse to tell.",
    "server waits, tool waits: for a core, in the time that its threads ran or wanted to. `–`: unknown, as for a server \
     whose threads end with their connections.",
    "gives up core, loses core: voluntary and involuntary context switches of the server per 1000 good responses.",
    "RSS: before the load, at its highest during it, and after; threads: after the load.",
    "overflows: connections that found an accept queue full, over all slices; start: median, and from 5 starts on min–max.",
];

/// A row's cells, one per head.
pub fn cells(row: &Row) -> [String; 11] {
    let load = &row.load;
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    let median = |summary: &Option<Summary>, write: &dyn Fn(f64) -> String| or_dash(summary.map(|s| write(s.median)));
    let rss = [load.rss_before, load.rss_peak, Some(row.rss_bytes)].map(|part| median(&part, &mebibytes));
    [
        row.target.name.clone(),
        row.limit.words().to_owned(),
        or_dash(load.user_share.map(percent)),
        median(&load.server_wait, &percent),
        median(&load.tool_wait, &percent),
        median(&load.voluntary, &digits),
        median(&load.involuntary, &digits),
        median(&load.threads, &|count| format!("{count:.0}")),
        rss.join(" / "),
        or_dash(load.overflows.map(|count| count.to_string())),
        start_up(&row.start_up_s),
    ]
}

fn start_up(start_s: &Summary) -> String {
    let ms = |s: f64| digits(s * 1e3);
    if start_s.n < STARTS {
        return ms(start_s.median);
    }
    format!("{} ({}–{})", ms(start_s.median), ms(start_s.min), ms(start_s.max))
}

/// What a reader must know of the limits that stand in the tables, of blocks that were measured again, and of what was
/// noticed.
pub fn notes<'a>(report: &'a Report<'a>) -> Vec<String> {
    let rows = || report.tables.iter().flat_map(|table| &table.ranked);
    let mut limits: Vec<Limit> = if report.run.record.options.sweep.is_some() {
        // Its table has a row for every step, and not one for all of them.
        report.run.slices.iter().filter_map(|slice| slice.outcome.limit()).collect()
    } else {
        rows().map(|row| row.limit).collect()
    };
    limits.sort_unstable();
    limits.dedup();
    let mut notes: Vec<String> = limits.into_iter().map(|limit| meaning(limit).to_owned()).collect();
    if report.run.blocks_again > 0 {
        notes.push(format!(
            "{} of {} blocks were disturbed by other processes or the hypervisor and measured again, as a whole; every \
             try is in slices.jsonl.",
            report.run.blocks_again, report.run.record.options.blocks
        ));
    }
    let below = |table: &'a Table<'a>| table.below.iter().chain(&table.failed).filter_map(|below| below.row.as_ref());
    notes.extend(noticed(report.tables.iter().flat_map(|table| table.ranked.iter().chain(below(table)))));
    notes
}

/// What was noticed, a line for each kind with whom it was noticed of and in how many slices.
fn noticed<'a>(rows: impl Iterator<Item = &'a Row<'a>>) -> Vec<String> {
    let mut kinds: BTreeMap<&str, (&str, Vec<&str>, usize)> = BTreeMap::new();
    for row in rows {
        for (kind, (warning, slices)) in &row.load.noticed {
            let (_, targets, count) = kinds.entry(kind).or_insert((warning, Vec::new(), 0));
            *count += slices;
            if !targets.contains(&row.target.name.as_str()) {
                targets.push(&row.target.name);
            }
        }
    }
    let line = |(warning, targets, slices): (&str, Vec<&str>, usize)| {
        let more = targets.len().saturating_sub(SHOWN);
        let shown = targets[..targets.len() - more].join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let slices = if slices > 1 { format!("in {slices} slices, as in one of them: ") } else { String::new() };
        format!("{shown}{more}: {slices}{warning}")
    };
    kinds.into_values().map(line).collect()
}

fn meaning(limit: Limit) -> &'static str {
    match limit {
        Limit::Server => "limit `server`: one of its threads ran or wanted to all the time; it could not answer more.",
        Limit::Rate => "limit `rate`: the fixed rate was answered; no more was asked for.",
        Limit::Neither => {
            "limit `neither`: server and load tool both waited at times, for a timer, a lock or the network."
        }
        Limit::Unknown => "limit `unknown`: this machine does not tell enough to say what the limit was.",
        Limit::LoadTool => {
            "limit `load tool`, `≥`: its threads ran or wanted to over 90 % of the time, so the server could give more."
        }
        Limit::SharedCpu => {
            "limit `shared CPU`, req/s in brackets: all cores were busy, and server and load tool waited for each other's. \
             Such req/s are of the pair and not ranked; cost is."
        }
        Limit::Disturbed => {
            "limit `disturbed`: other processes used over 10 %, or the hypervisor took over 5 %, of the cores."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(server_cpu_s: f64, server_user_share: Option<f64>) -> Measurement {
        let text = r#"{"requests":1000,"duration_s":1,"rps":1000,"cost_us":1,"server_cpu_s":1,"server_user_share":null,
            "tool_cpu_s":1,"wall_s":1,"other_cpu_s":null,"steal_s":null,"response_bytes":100,"received_bytes":null,
            "connections_opened":null,"kept_share":null,"rss_bytes":1,"threads":1,"start_up_s":0.1,
            "closed_loop_latency_us":{"mean":null,"p50":null,"p75":null,"p90":null,"p99":null,"max":null}}"#;
        Measurement { server_cpu_s, server_user_share, ..serde_json::from_str(text).unwrap() }
    }

    #[test]
    fn user_time_is_shown_only_where_ticks_are_fine_enough() {
        let [short, long] = [slice(0.9, Some(0.5)), slice(1.1, Some(0.25))];
        assert_eq!(user_share(&[&short]), None);
        assert_eq!(user_share(&[&long]), Some(0.25));
        let both = user_share(&[&short, &long]).unwrap();
        assert!((both - f64::midpoint(0.45, 0.275)).abs() < 1e-12, "{both}");
        assert_eq!(user_share(&[&long, &slice(5.0, None)]), None);
        assert_eq!(user_share(&[]), None);
    }

    #[test]
    fn what_an_older_record_does_not_tell_is_unknown_and_not_0() {
        let load = UnderLoad::of(&[&slice(1.0, None)]);
        assert!(
            load.noticed.is_empty()
                && load.server_wait.is_none()
                && load.overflows.is_none()
                && load.rss_peak.is_none()
        );
    }

    #[test]
    fn a_warning_of_every_slice_is_one_with_the_number_of_slices() {
        let mut slices = [slice(1.0, None), slice(1.0, None), slice(1.0, None)];
        for (slice, overflows) in slices.iter_mut().zip([3, 12, 7]) {
            slice.warnings = vec![format!("{overflows} times the accept queue was full")];
        }
        let load = UnderLoad::of(&slices.iter().collect::<Vec<_>>());
        let all: Vec<_> = load.noticed.into_values().collect();
        assert_eq!(all, [("3 times the accept queue was full".to_owned(), 3)]);
    }

    #[test]
    fn five_starts_have_a_spread() {
        let of = |starts: &[f64]| start_up(&Summary::of(starts.iter().copied()).unwrap());
        assert_eq!(of(&[0.01, 0.02, 0.03, 0.04]), "25.0");
        assert_eq!(of(&[0.01, 0.02, 0.03, 0.04, 0.05]), "30.0 (10.0–50.0)");
    }
}
