//! `pyramid-node-gevent` (2011): a hello world on Pyramid (which is to say on Paste), Node.js and gevent, by
//! `ab -n 10000 -c 5`; and then what the readers asked for.

use super::document::{Block, Cell, Table};
use super::pages::{cost, limit_words, of, published_alone, published_of, rps, stands_for};
use super::record::{Part, Replay};
use super::{Batch, Experiment, Role, Stands};
use crate::report::units::{range, thousands};
use crate::stats::Summary;

const REQUESTS: u64 = 10_000;
const CONNECTIONS: u32 = 5;
const ROUNDS: u32 = 3;

/// See the module.
pub struct PyramidNodeGevent;

impl Experiment for PyramidNodeGevent {
    fn name(&self) -> &'static str {
        "pyramid-node-gevent"
    }

    fn about(&self) -> &'static str {
        "Pyramid, Node.js and gevent by ab -n 10000 -c 5, then the remedies that readers asked for"
    }

    fn cast(&self) -> &'static [Role] {
        const GEVENT: Option<&str> = Some("gevent");
        const NODE: Option<&str> = Some("Node.js");
        const PYRAMID: Option<&str> = Some("Pyramid on paste.httpserver");
        const REMEDY: Stands = Stands::Remedy;
        &[
            Role { target: "gevent-log", system: GEVENT, stands: Stands::Original },
            Role { target: "pyramid-paste", system: PYRAMID, stands: Stands::Original },
            Role { target: "nodejs", system: NODE, stands: Stands::Original },
            Role { target: "nodejs-0.8", system: NODE, stands: Stands::StandIn("the oldest Node.js that npm has") },
            Role { target: "gevent", system: None, stands: REMEDY },
            Role { target: "gevent-nodelay", system: None, stands: REMEDY },
            Role { target: "gevent-monkey", system: None, stands: REMEDY },
            Role { target: "paste", system: None, stands: REMEDY },
            Role { target: "pyramid-gevent", system: None, stands: REMEDY },
            Role { target: "pyramid-gevent-monkey", system: None, stands: REMEDY },
            Role { target: "pyramid-gunicorn", system: None, stands: REMEDY },
            Role { target: "gunicorn-sync", system: None, stands: REMEDY },
            Role { target: "gunicorn-gthread", system: None, stands: REMEDY },
            Role { target: "bottle", system: None, stands: REMEDY },
            Role { target: "tornado", system: None, stands: REMEDY },
            Role { target: "meinheld", system: None, stands: REMEDY },
            Role { target: "eventlet", system: None, stands: REMEDY },
            Role { target: "uwsgi-nginx", system: None, stands: REMEDY },
            Role { target: "may-minihttp", system: GEVENT, stands: Stands::Mirror },
            Role { target: "std-pool", system: PYRAMID, stands: Stands::Mirror },
            Role { target: "axum", system: PYRAMID, stands: Stands::Mirror },
            Role { target: "tokio", system: NODE, stands: Stands::Mirror },
        ]
    }

    /// All that was published ran on one thread or in one process.
    fn workers(&self) -> Option<usize> {
        Some(1)
    }

    fn served(&self) -> &'static [&'static str] {
        &[
            "Then: how many bytes they were is not known here. gevent wrote its access log, and Pyramid ran on Paste, which is \
             what readers said was measured.",
            "Now: all the same response, 12 bytes of text, checked before and after every trial. Servers that would run one \
             worker per core have one, as all had then; pools keep their own number of threads.",
        ]
    }

    fn notes(&self, _replay: &Replay) -> Vec<String> {
        vec![
            "Remedies are what readers asked for under the comparison: the access log off, gevent under Pyramid instead of \
             Paste, gunicorn, monkey patching, other servers. What they reported is below, as theirs, each on a machine of \
             its own."
                .to_owned(),
            "ab closes every connection after one request, so that TCP_NODELAY changes little here; see a run in the shape \
             keep-alive for what it does there."
                .to_owned(),
        ]
    }

    fn plan(&self, quick: bool) -> Vec<Batch> {
        let requests = if quick { REQUESTS / 50 } else { REQUESTS };
        vec![Batch::of(vec![Part::Requests { requests, connections: CONNECTIONS, keep: false }], ROUNDS)]
    }

    fn tables(&self, replay: &Replay) -> Vec<Block> {
        let mut table =
            Table::of(&["target", "stands for", "published, req/s", "req/s", "min–max", "limit", "cost µs"]);
        for member in &replay.record.members {
            let target = member.name.as_str();
            let found = of(replay, target, |part| matches!(part, Part::Requests { .. }));
            let Some(all) = Summary::of(found.iter().map(|found| found.rps)) else { continue };
            table.rows.push(vec![
                target.into(),
                stands_for(self, target).into(),
                Cell::figure(published_of(self, target).and_then(|row| row.figure("value"))),
                rps(&found).into(),
                range(&all, thousands).into(),
                limit_words(&found).into(),
                cost(&found).into(),
            ]);
        }
        let heading = Block::Heading(format!("Requests per second over {CONNECTIONS} connections, median of {ROUNDS}"));
        let alone = published_alone(self, &table);
        [vec![heading, Block::Table(table)], alone].concat()
    }
}
