//! `twisted-tornado` (2009): Twisted.web and Tornado under 100 to 1000 concurrent users, mean response time and
//! transactions per second, on one thread each.
//!
//! Published as charts only, each with a scale of its own, so that no values can be read and no bars compared. Here both
//! stand on one scale. The Grinder, which was used then, cannot be had: another load tool stands in, and says so.

use super::chart::{self, Line, Step};
use super::document::{Block, Cell, NONE, Table};
use super::pages::{of, or_none, rps, stands_for};
use super::record::{Found, Part, Replay};
use super::{Batch, Experiment, Role, Stands};

const USERS: [u32; 7] = [100, 200, 300, 400, 500, 750, 1000];
const SECONDS: u32 = 5;
/// The chart's file, without its ending.
const CHART: &str = "users";
/// What stands where the source has a figure in a chart, and none that can be read.
const CHART_ONLY: &str = "published as a chart only";

/// See the module.
pub struct TwistedTornado;

impl Experiment for TwistedTornado {
    fn name(&self) -> &'static str {
        "twisted-tornado"
    }

    fn about(&self) -> &'static str {
        "Twisted.web and Tornado under 100 to 1000 concurrent users, one thread each: response time and transactions"
    }

    fn cast(&self) -> &'static [Role] {
        &[
            Role { target: "twisted-resource", system: None, stands: Stands::Original },
            Role { target: "tornado", system: None, stands: Stands::Original },
            Role { target: "twisted-11", system: None, stands: Stands::Original },
            Role { target: "tornado-1.2", system: None, stands: Stands::Original },
            Role { target: "tokio", system: None, stands: Stands::Mirror },
            Role { target: "async-io", system: None, stands: Stands::Mirror },
        ]
    }

    /// One thread per server, as published.
    fn workers(&self) -> Option<usize> {
        Some(1)
    }

    fn served(&self) -> &'static [&'static str] {
        &[
            "Then: one plain request for each user in turn, over a public address: readers put about 500 ms down to the network.",
            "Now: all the same response, 12 bytes of text, over the loopback of one machine, one worker in each server.",
        ]
    }

    fn notes(&self, replay: &Replay) -> Vec<String> {
        let tool = replay.record.tools.last().map_or("the load tool", |tool| tool.name.as_str());
        vec![
            format!(
                "{tool} stands in for The Grinder. A user is a connection that is kept, and asks again as soon as it is \
                 answered; whether The Grinder's threads kept theirs is not published."
            ),
            "In a closed loop response time × transactions per second is the number of users (Little's law), so that the two \
             figures are one. A server that stalls is asked less often, which flatters it."
                .to_owned(),
            "Published as charts only, each with its own scale; no values can be read off them.".to_owned(),
        ]
    }

    fn plan(&self, quick: bool) -> Vec<Batch> {
        let (users, seconds) = if quick { (USERS[..2].to_vec(), 2) } else { (USERS.to_vec(), SECONDS) };
        vec![Batch::of(users.into_iter().map(|users| Part::Users { users, seconds }).collect(), 1)]
    }

    fn tables(&self, replay: &Replay) -> Vec<Block> {
        let mut blocks = vec![
            Block::Heading("Mean response time in ms, by concurrent users".to_owned()),
            Block::Table(by_users(self, replay, true, |found| or_none(found.mean_ms))),
            Block::Heading("Transactions per second, by concurrent users".to_owned()),
            Block::Table(by_users(self, replay, true, |found| rps(&[found]).into())),
            Block::Heading("Server CPU time per request in µs, by concurrent users".to_owned()),
            Block::Table(by_users(self, replay, false, |found| or_none(Some(found.cost_us)))),
        ];
        if !lines(replay).is_empty() {
            let shows = "response time and transactions per second by concurrent users, one scale for all".to_owned();
            blocks.push(Block::Picture { file: format!("{CHART}.svg"), shows });
        }
        blocks
    }

    fn pictures(&self, replay: &Replay) -> Vec<(String, String)> {
        let lines = lines(replay);
        if lines.is_empty() { Vec::new() } else { vec![(format!("{CHART}.svg"), chart::users(CHART, &lines))] }
    }
}

/// The lines of the chart: a target without any figures has none.
fn lines(replay: &Replay) -> Vec<Line> {
    let members = replay.record.members.iter();
    let all = members.map(|member| Line { name: member.name.clone(), steps: steps(replay, &member.name) });
    all.filter(|line| !line.steps.is_empty()).collect()
}

fn steps(replay: &Replay, target: &str) -> Vec<Step> {
    let step = |users| {
        let found = at(replay, target, users)?;
        Some(Step { users, mean_ms: found.mean_ms?, per_s: found.rps })
    };
    USERS.into_iter().filter_map(step).collect()
}

fn at<'a>(replay: &'a Replay, target: &'a str, wanted: u32) -> Option<&'a Found> {
    of(replay, target, move |part| matches!(part, Part::Users { users, .. } if users == wanted)).first().copied()
}

/// A row for each target; and, of what was published, for each system then.
fn by_users(replayed: &TwistedTornado, replay: &Replay, was_published: bool, cell: impl Fn(&Found) -> Cell) -> Table {
    let mut table = Table::of(&["target", "stands for"]);
    table.heads.extend(USERS.iter().map(ToString::to_string));
    for system in ["Twisted.web", "Tornado"].iter().filter(|_| was_published) {
        let mut cells = vec![Cell::Published(format!("published: {system}")), Cell::Published(CHART_ONLY.to_owned())];
        cells.extend(USERS.map(|_| Cell::figure(None)));
        table.rows.push(cells);
    }
    for member in &replay.record.members {
        let found = USERS.map(|users| at(replay, &member.name, users));
        if found.iter().any(Option::is_some) {
            let mut cells = vec![member.name.as_str().into(), stands_for(replayed, &member.name).into()];
            cells.extend(found.map(|found| found.map_or_else(|| NONE.into(), &cell)));
            table.rows.push(cells);
        }
    }
    table
}
