//! `jruby-mongrel` (2007): JRuby on GlassFish and Mongrel by httperf, and by `ab -n 400` with its table of percentages.
//!
//! As published the two were offered different rates, fetched different pages, and 42 of 480 replies of one were 5xx and
//! counted. Here all are offered both rates, give the same response, and a 5xx voids the row.

use hello::response::BODY;

use super::document::{Block, Cell, NONE, Table};
use super::pages::{of, or_none, rps, stands_for};
use super::published::{Comparison, Row};
use super::record::{Found, Part, Replay};
use super::{Batch, Experiment, Role, Stands};

/// Connections per second, of all targets alike.
const RATES: [u32; 2] = [30, 60];
const CONNECTIONS: u32 = 480;
const REQUESTS: u64 = 400;
/// ab's own rows.
const PERCENT: [u32; 9] = [50, 66, 75, 80, 90, 95, 98, 99, 100];

/// See the module.
pub struct JrubyMongrel;

impl Experiment for JrubyMongrel {
    fn name(&self) -> &'static str {
        "jruby-mongrel"
    }

    fn about(&self) -> &'static str {
        "JRuby on a Java server and Mongrel by httperf at 30 and 60 connections per second, and by ab -n 400 -c 1"
    }

    fn cast(&self) -> &'static [Role] {
        const GLASSFISH: Option<&str> = Some("JRuby on GlassFish, httperf");
        const MONGREL: Option<&str> = Some("Mongrel, httperf");
        &[
            Role {
                target: "jruby-tomcat",
                system: GLASSFISH,
                stands: Stands::StandIn("JRuby on Tomcat, since GlassFish cannot be had"),
            },
            Role {
                target: "jruby-jetty",
                system: GLASSFISH,
                stands: Stands::StandIn("JRuby on Jetty, since GlassFish cannot be had"),
            },
            Role { target: "thin", system: MONGREL, stands: Stands::StandIn("thin, which has Mongrel's parser") },
            Role { target: "puma", system: MONGREL, stands: Stands::StandIn("Puma, which descends from Mongrel") },
            Role {
                target: "unicorn",
                system: MONGREL,
                stands: Stands::StandIn("Unicorn, which descends from Mongrel"),
            },
            Role { target: "webrick", system: MONGREL, stands: Stands::StandIn("WEBrick, of Ruby's own") },
            Role { target: "axum", system: GLASSFISH, stands: Stands::Mirror },
            Role { target: "actix-web", system: GLASSFISH, stands: Stands::Mirror },
            Role { target: "std-threads", system: MONGREL, stands: Stands::Mirror },
        ]
    }

    fn served(&self) -> &'static [&'static str] {
        &[
            "Then: pages of a Rails application, a different one of each server (their sizes are in the table), and in part \
             error pages.",
            "Now: all the same response, 12 bytes of text, without Rails: what is measured is the server, not the application.",
        ]
    }

    fn notes(&self, _replay: &Replay) -> Vec<String> {
        vec![
            "As published, the two were offered different rates: a server that keeps up replies at the rate that it is \
             offered, so that their reply rates compare the experimenter with himself. They fetched different pages as well. \
             The ratio of the two is no result."
                .to_owned(),
            "Here every target is offered the same rates. A server that keeps up has the rate as its reply rate, and says \
             by that only that it keeps up; what differs are the times."
                .to_owned(),
            "A 5xx, as any reply that is not 2xx, voids a row here. The published row with 5xx in it stands as it was."
                .to_owned(),
            "httperf's reply rate is the mean of its samples of 5 s; its median of a connection's time is in steps of \
             0.5 ms, and its times are in tenths of a ms: 0.0 is less than it can tell."
                .to_owned(),
            "ab's percentages: so many percent of the requests were answered within so many ms; published in whole ms. \
             A closed loop: a server that stalls is asked less often. document B: what ab calls the document length, without \
             the head."
                .to_owned(),
        ]
    }

    fn plan(&self, quick: bool) -> Vec<Batch> {
        let connections = if quick { CONNECTIONS / 16 } else { CONNECTIONS };
        let requests = if quick { REQUESTS / 4 } else { REQUESTS };
        let mut parts = RATES.map(|per_s| Part::Rate { per_s, connections }).to_vec();
        parts.push(Part::Requests { requests, connections: 1, keep: false });
        vec![Batch::of(parts, 1)]
    }

    fn tables(&self, replay: &Replay) -> Vec<Block> {
        let mut blocks = Vec::new();
        for per_s in RATES {
            blocks.push(Block::Heading(format!("httperf, {per_s} connections per second, one request on each")));
            blocks.push(Block::Table(at_a_rate(self, replay, per_s)));
        }
        blocks.push(Block::Heading("ab, one connection at a time".to_owned()));
        blocks.push(Block::Table(by_ab(self, replay)));
        blocks.push(Block::Heading("Percentage of the requests served within so many ms (ab)".to_owned()));
        blocks.push(Block::Table(percentages(self, replay)));
        blocks
    }
}

fn published() -> &'static [Row] {
    &Comparison::of("jruby-mongrel").rows
}

/// A published row's first cell.
fn then(row: &Row) -> Cell {
    Cell::Published(format!("published: {}", row.system))
}

/// What a target stands for, in both experiments: the published rows are named by one of them.
fn beside(replayed: &JrubyMongrel, target: &str) -> String {
    stands_for(replayed, target).replace(", httperf", "")
}

fn at_a_rate(replayed: &JrubyMongrel, replay: &Replay, per_s: u32) -> Table {
    let heads = ["target", "stands for", "replies/s", "connection ms", "median", "response ms", "2xx", "5xx", "test s"];
    let mut table = Table::of(&heads);
    let offered = |row: &&Row| row.figure("offered_per_s").is_some_and(|rate| rate.to_string() == per_s.to_string());
    for row in published().iter().filter(offered) {
        let mut cells = vec![then(row), NONE.into()];
        cells.extend(
            [
                "reply_rate_per_s",
                "connection_ms_avg",
                "connection_ms_median",
                "response_ms",
                "replies_2xx",
                "replies_5xx",
                "test_s",
            ]
            .map(|name| Cell::figure(row.figure(name))),
        );
        table.rows.push(cells);
    }
    for member in &replay.record.members {
        let found = of(replay, &member.name, |part| matches!(part, Part::Rate { per_s: rate, .. } if rate == per_s));
        let Some((found, replies)) = found.first().and_then(|found| Some((found, found.replies?))) else { continue };
        table.rows.push(vec![
            member.name.as_str().into(),
            beside(replayed, &member.name).into(),
            tenths(replies.reply_rate_per_s),
            tenths(replies.connection_avg_ms),
            tenths(replies.connection_median_ms),
            tenths(Some(replies.response_ms)),
            replies.statuses[1].to_string().into(),
            replies.statuses[4].to_string().into(),
            format!("{:.3}", found.duration_s).into(),
        ]);
    }
    table
}

/// As httperf prints it.
fn tenths(value: Option<f64>) -> Cell {
    value.map_or_else(|| NONE.to_owned(), |value| format!("{value:.1}")).into()
}

fn is_ab(part: Part) -> bool {
    matches!(part, Part::Requests { .. })
}

/// The published rows that have this figure.
fn with(name: &str) -> impl Iterator<Item = &'static Row> {
    published().iter().filter(move |row| row.figure(name).is_some())
}

fn by_ab(replayed: &JrubyMongrel, replay: &Replay) -> Table {
    let heads = ["target", "stands for", "requests", "seconds", "req/s", "mean ms", "document B", "cost µs"];
    let mut table = Table::of(&heads);
    for row in with("p50_ms") {
        let mut cells = vec![then(row), NONE.into()];
        cells.extend(
            ["requests", "seconds", "rps", "mean_ms", "document_bytes"].map(|name| Cell::figure(row.figure(name))),
        );
        cells.push(NONE.into());
        table.rows.push(cells);
    }
    for member in &replay.record.members {
        let all = of(replay, &member.name, is_ab);
        let Some(found) = all.first() else { continue };
        table.rows.push(vec![
            member.name.as_str().into(),
            beside(replayed, &member.name).into(),
            found.requests.to_string().into(),
            format!("{:.3}", found.duration_s).into(),
            rps(&all).into(),
            or_none(found.mean_ms),
            BODY.len().to_string().into(),
            or_none(Some(found.cost_us)),
        ]);
    }
    table
}

fn percentages(replayed: &JrubyMongrel, replay: &Replay) -> Table {
    let heads: Vec<String> = PERCENT.iter().map(|percent| format!("{percent} %")).collect();
    let mut table = Table::of(&["target", "stands for"]);
    table.heads.extend(heads);
    for row in with("p50_ms") {
        let mut cells = vec![then(row), NONE.into()];
        cells.extend(PERCENT.map(|percent| {
            let name = if percent == 100 { "max_ms".to_owned() } else { format!("p{percent}_ms") };
            Cell::figure(row.figure(&name))
        }));
        table.rows.push(cells);
    }
    for member in &replay.record.members {
        let all = of(replay, &member.name, is_ab);
        let Some(found) = all.first() else { continue };
        let mut cells = vec![member.name.as_str().into(), beside(replayed, &member.name).into()];
        cells.extend(PERCENT.map(|percent| or_none(within(found, percent))));
        table.rows.push(cells);
    }
    table
}

fn within(found: &Found, percent: u32) -> Option<f64> {
    found.percentiles_ms.iter().find(|(row, _)| *row == percent).map(|(_, ms)| *ms)
}
