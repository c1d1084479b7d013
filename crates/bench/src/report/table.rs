//! The side-by-side table as data: who is ranked, who stands below it, and why.

use std::collections::BTreeMap;

use super::judgement::{Judgement, Rows, judge};
use super::load::UnderLoad;
use crate::load::Shape;
use crate::results::{Conditions, Failed, Limit, Measurement, Outcome, Run, SliceRecord, TargetRecord};
use crate::stats::Summary;

/// Under this share of kept connections, a target does not hold keep-alive.
const HELD: f64 = 0.99;

/// A target that answers less than this share of a fixed rate is not shown at that rate.
const KEPT_UP: f64 = 1.0 - crate::stats::knee::NEAR_BEST;

/// A load tool that uses more than this share of its threads' time could not have asked faster.
const CLIENT_BOUND: f64 = 0.9;

/// Everything that a report shows of a run.
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// The run.
    pub run: &'a Run,
    /// One table per shape.
    pub tables: Vec<Table<'a>>,
}

/// The targets in one shape.
#[derive(Debug, Clone)]
pub struct Table<'a> {
    /// The shape.
    pub shape: Shape,
    /// Those with figures that can be ranked, by cost, the smallest first.
    pub ranked: Vec<Row<'a>>,
    /// The baseline's second self, if its figures could be ranked.
    pub twin: Option<Row<'a>>,
    /// What is known of them beside the baseline.
    pub judgement: Judgement,
    /// Those that cannot hold the shape: no failure, and not ranked.
    pub below: Vec<Below<'a>>,
    /// Those with a failed slice.
    pub failed: Vec<Below<'a>>,
}

/// A target that stands below a table.
#[derive(Debug, Clone)]
pub struct Below<'a> {
    /// The target.
    pub target: &'a TargetRecord,
    /// Why it is not ranked.
    pub reason: String,
    /// The figures that it has all the same.
    pub row: Option<Row<'a>>,
}

/// A target's figures over the valid slices of a run.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    /// The target.
    pub target: &'a TargetRecord,
    /// Server CPU time per good response, in µs.
    pub cost_us: Summary,
    /// Good responses per second.
    pub rps: Summary,
    /// What limited the requests per second.
    pub limit: Limit,
    /// In how many slices it did.
    pub limited: usize,
    /// Whose the requests per second are, by the limit.
    pub rps_of: RpsOf,
    /// Whether the load tool had next to no time left.
    pub tool_is_busy: bool,
    /// What was seen beside the figures.
    pub load: UnderLoad,
    /// The share of its threads' time that the load tool used, from 0 to 1.
    pub tool_share: Summary,
    /// Bytes of one response.
    pub response_bytes: Summary,
    /// Resident memory after the load, in bytes.
    pub rss_bytes: Summary,
    /// From the start of the process to the first right answer, in seconds.
    pub start_up_s: Summary,
    /// The share of responses after which the connection was kept.
    pub kept_share: Option<Summary>,
}

/// Whose requests per second are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RpsOf {
    /// The server's, as far as can be seen.
    Server,
    /// The load tool's: the server could have given more.
    LoadTool,
    /// Server and load tool's together, as they shared the cores.
    Pair,
}

impl RpsOf {
    /// By the limit. At a fixed rate nobody is to be faster than it, and the server cannot give "at least" so many.
    fn of(limit: Limit, at_a_rate: bool) -> Self {
        match limit {
            Limit::LoadTool if !at_a_rate => Self::LoadTool,
            Limit::SharedCpu => Self::Pair,
            _ => Self::Server,
        }
    }

    /// Whether they can be compared with those of others: only then is there a verdict.
    pub fn is_the_servers(self) -> bool {
        self == Self::Server
    }

    /// A figure with its mark: `≥` if it is the load tool's, in brackets if it is of the pair.
    pub fn write(self, figure: &str) -> String {
        match self {
            Self::Server => figure.to_owned(),
            Self::LoadTool => format!("≥ {figure}"),
            Self::Pair => format!("({figure})"),
        }
    }
}

/// Where a target stands in a table.
#[derive(Debug, Clone)]
enum Place<'a> {
    Ranked(Row<'a>),
    Below(Below<'a>),
    Failed(Below<'a>),
    NotReached,
}

/// How a run went as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Every slice is valid.
    Well,
    /// Some target failed; the rest stands.
    SomeFailed,
}

/// The slices of a run by shape and target.
#[derive(Debug, Default)]
pub struct Slices<'a>(BTreeMap<Shape, BTreeMap<&'a str, Vec<&'a SliceRecord>>>);

impl<'a> Slices<'a> {
    /// Sorts them, each target's in the order of the run.
    pub fn of(run: &'a Run) -> Self {
        let mut slices = Self::default();
        for slice in &run.slices {
            slices.0.entry(slice.cell.shape).or_default().entry(&slice.cell.target).or_default().push(slice);
        }
        slices
    }

    /// Those of one target in one shape.
    pub fn get(&self, target: &str, shape: Shape) -> &[&'a SliceRecord] {
        self.0.get(&shape).and_then(|targets| targets.get(target)).map_or(&[], Vec::as_slice)
    }
}

impl<'a> Report<'a> {
    /// Puts every target of a run in its place.
    pub fn of(run: &'a Run) -> Self {
        let slices = Slices::of(run);
        let threads = run.record.options.threads;
        let is_twin = |target: &TargetRecord| target.name == run.record.comparison.twin;
        let table = |shape| {
            let (mut ranked, mut twin, mut below, mut failed) = (Vec::new(), None, Vec::new(), Vec::new());
            for target in &run.record.targets {
                match place(target, shape, slices.get(&target.name, shape), threads) {
                    Place::Ranked(row) if is_twin(target) => twin = Some(row),
                    Place::Ranked(row) => ranked.push(row),
                    // What the baseline cannot do, its second self need not say again.
                    Place::Below(_) if is_twin(target) => {}
                    Place::Below(own) => below.push(own),
                    Place::Failed(own) => failed.push(own),
                    Place::NotReached => {}
                }
            }
            let rows = Rows { shape, ranked: &ranked, twin: twin.as_ref() };
            let judgement = judge(&run.record, &rows, &slices);
            sort(&mut ranked, &judgement);
            Table { shape, ranked, twin, judgement, below, failed }
        };
        Self { run, tables: run.record.options.shapes.iter().copied().map(table).collect() }
    }

    /// How the run went.
    pub fn standing(&self) -> Standing {
        if self.tables.iter().all(|table| table.failed.is_empty()) { Standing::Well } else { Standing::SomeFailed }
    }
}

/// By the estimate of the cost ratio, which is what tiers and verdicts speak of; by the median where there is none.
fn sort(ranked: &mut [Row], judgement: &Judgement) {
    let all = ranked.iter().all(|row| judgement.cost_ratio(&row.target.name).is_some());
    let key = |row: &Row| judgement.cost_ratio(&row.target.name).filter(|_| all).unwrap_or(row.cost_us.median);
    ranked.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.cost_us.median.total_cmp(&b.cost_us.median)));
}

fn place<'a>(target: &'a TargetRecord, shape: Shape, slices: &[&SliceRecord], threads: u32) -> Place<'a> {
    if !target.shapes.contains(&shape) {
        let reason = match shape {
            Shape::KeepAlive => "closes every connection after one response".to_owned(),
            Shape::Close => "cannot close after one response".to_owned(),
            Shape::Pipelined => "answers no request that comes before the last one is answered".to_owned(),
            Shape::FixedRate => "closes every connection after one response, and a rate needs kept ones".to_owned(),
        };
        return Place::Below(Below { target, reason, row: None });
    }
    let (mut valid, mut failed): (Vec<&Measurement>, Vec<&Failed>) = (Vec::new(), Vec::new());
    for slice in slices {
        match &slice.outcome {
            Outcome::Valid(measurement) => valid.push(measurement),
            Outcome::Failed(why) => failed.push(why),
        }
    }
    let row = row(target, &valid, threads);
    if let Some(reason) = failure(&failed, slices.len()) {
        return Place::Failed(Below { target, reason, row });
    }
    let Some(row) = row else { return Place::NotReached };
    let offered = valid.iter().find_map(|m| Some(m.fixed_rate.as_ref()?.offered_rps));
    if let Some(answered) = offered.map(|offered| row.rps.median / offered).filter(|share| *share < KEPT_UP) {
        let reason = format!("answered only {:.1} % of the rate", answered * 100.0);
        return Place::Below(Below { target, reason, row: Some(row) });
    }
    match row.kept_share {
        Some(kept) if kept.median < HELD => {
            let reason = format!("kept only {:.1} % of its connections", kept.median * 100.0);
            Place::Below(Below { target, reason, row: Some(row) })
        }
        _ => Place::Ranked(row),
    }
}

/// Why a target failed, from what did of its slices; `None` if none did.
pub(super) fn failure(failed: &[&Failed], slices: usize) -> Option<String> {
    let first = failed.first()?;
    let count =
        if failed.len() == slices { "every slice".to_owned() } else { format!("{} of {slices} slices", failed.len()) };
    Some(format!("{count} {}: {}", first.stage.words(), first.reason))
}

/// A target's figures over valid slices made with a tool of so many threads; `None` if there are none.
pub(super) fn row<'a>(target: &'a TargetRecord, valid: &[&Measurement], threads: u32) -> Option<Row<'a>> {
    let of = |get: &dyn Fn(&Measurement) -> f64| Summary::of(valid.iter().map(|m| get(m)));
    // A tool has threads of its own, whatever it is asked for.
    let tool_threads = |m: &Measurement| f64::from(m.conditions.tool_threads.unwrap_or(threads).max(1));
    let share_of = |m: &Measurement| m.tool_cpu_s / m.wall_s / tool_threads(m);
    let tool_share = of(&share_of)?;
    // Records from before limits were told have nothing but the tool's CPU time.
    let limit_of = |m: &Measurement| {
        let is_old = m.limit == Limit::Unknown && m.conditions == Conditions::default();
        if is_old && share_of(m) > CLIENT_BOUND { Limit::LoadTool } else { m.limit }
    };
    let (limit, limited) = Limit::of_all(valid.iter().map(|m| limit_of(m)))?;
    Some(Row {
        target,
        cost_us: of(&|m| m.cost_us)?,
        rps: of(&|m| m.rps)?,
        limit,
        limited,
        rps_of: RpsOf::of(limit, valid.iter().any(|m| m.fixed_rate.is_some())),
        tool_is_busy: tool_share.median > CLIENT_BOUND,
        load: UnderLoad::of(valid),
        tool_share,
        response_bytes: of(&|m| m.response_bytes as f64)?,
        rss_bytes: of(&|m| m.rss_bytes as f64)?,
        start_up_s: of(&|m| m.start_up_s)?,
        kept_share: Summary::of(valid.iter().filter_map(|m| m.kept_share)),
    })
}
