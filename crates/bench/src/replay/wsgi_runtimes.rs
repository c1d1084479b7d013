//! `wsgi-runtimes` (2009): the same small WSGI application on several runtimes, and servers of other kinds beside it, by
//! `ab -n 1000 -c 10`, of which the best of three was published.
//!
//! Best of three hides how far the three lie apart: it is printed beside the median and the range of the same runs.

use super::document::{Block, Cell, Table};
use super::pages::{cost, limit_words, of, or_none, published_alone, published_of, rps, stands_for};
use super::record::{Found, Part, Replay};
use super::{Batch, Experiment, Role, Stands};
use crate::report::units::{digits, range, thousands};
use crate::stats::Summary;

const REQUESTS: u64 = 1000;
/// As published for the fastest; here wherever the smaller number would be answered too soon.
const LONGER: u64 = 10_000;
const CONNECTIONS: u32 = 10;
const ROUNDS: u32 = 3;

const HEADS: [&str; 10] = [
    "target",
    "stands for",
    "published, ms",
    "best of 3, ms",
    "median, ms",
    "min–max, ms",
    "req/s",
    "limit",
    "cost µs",
    "requests",
];

/// See the module.
pub struct WsgiRuntimes;

impl Experiment for WsgiRuntimes {
    fn name(&self) -> &'static str {
        "wsgi-runtimes"
    }

    fn about(&self) -> &'static str {
        "one WSGI application on several runtimes, Tomcat and nginx beside it: ab -n 1000 -c 10, best of three"
    }

    fn cast(&self) -> &'static [Role] {
        const CPYTHON: Option<&str> = Some("wsgiref on CPython 2.5");
        const TOMCAT: Option<&str> = Some("Scala servlet on Tomcat 5.5");
        &[
            Role { target: "wsgiref", system: CPYTHON, stands: Stands::Original },
            Role { target: "wsgiref-pypy", system: None, stands: Stands::StandIn("the same application on PyPy") },
            Role { target: "wsgiref-jython", system: Some("wsgiref on Jython 2.5 beta 3"), stands: Stands::Original },
            Role {
                target: "mono-httplistener",
                system: Some("wsgiref on IronPython 2.0 alpha (Mono 1.9.1)"),
                stands: Stands::StandIn("Mono's HttpListener in C#, which shows the runtime and no Python"),
            },
            Role {
                target: "scala-httpserver",
                system: Some("tiscaf 0.2.4 on Scala 2.7.3"),
                stands: Stands::StandIn("Scala on the JDK's HttpServer"),
            },
            Role {
                target: "tomcat-scala",
                system: TOMCAT,
                stands: Stands::StandIn("the same servlet on a current Tomcat"),
            },
            Role { target: "modjy", system: Some("modjy on Tomcat 5.5"), stands: Stands::Original },
            Role { target: "nginx-memcached", system: Some("nginx from memcached"), stands: Stands::Original },
            Role { target: "std-sequential", system: CPYTHON, stands: Stands::Mirror },
            Role { target: "axum", system: TOMCAT, stands: Stands::Mirror },
            Role { target: "actix-web", system: TOMCAT, stands: Stands::Mirror },
            Role { target: "hyper", system: None, stands: Stands::Mirror },
            Role { target: "hyper-smol", system: None, stands: Stands::Mirror },
            Role { target: "hyper-async-io", system: None, stands: Stands::Mirror },
        ]
    }

    fn served(&self) -> &'static [&'static str] {
        &[
            "Then: not the same. tiscaf sent a whole directory listing, gzipped; the Scala servlet computed and printed the \
             time; nginx sent what memcached held. How many bytes they were is not known here.",
            "Now: all the same response, 12 bytes of text, checked before and after every trial.",
        ]
    }

    fn notes(&self, replay: &Replay) -> Vec<String> {
        let mut notes = vec![
            "ms per request: connections × time / requests, the first of ab's two lines of that name; which of the two was \
             published, the source does not say. The other one is the reciprocal of req/s."
                .to_owned(),
            "Best of three is what was published. It is the luckiest run, and its distance from the median is what it hides."
                .to_owned(),
            "ab closes every connection after one request and speaks HTTP/1.0.".to_owned(),
        ];
        if !replay.record.quick {
            notes.push(format!(
                "{} requests where a look beforehand, which is not counted, answered {REQUESTS} in under half a second.",
                thousands(LONGER as f64)
            ));
        }
        notes
    }

    fn plan(&self, quick: bool) -> Vec<Batch> {
        let requests = if quick { REQUESTS / 5 } else { REQUESTS };
        let counted = Part::Requests { requests, connections: CONNECTIONS, keep: false };
        if quick {
            return vec![Batch::of(vec![counted], ROUNDS)];
        }
        let look = Batch::of(vec![Part::Look { requests, connections: CONNECTIONS }], 1);
        vec![look, Batch { longer: Some(LONGER), ..Batch::of(vec![counted], ROUNDS) }]
    }

    fn tables(&self, replay: &Replay) -> Vec<Block> {
        let mut table = Table::of(&HEADS);
        for member in &replay.record.members {
            let target = member.name.as_str();
            let found = of(replay, target, |part| matches!(part, Part::Requests { .. }));
            let Some(ms) = Summary::of(found.iter().map(|found| ms(found))) else { continue };
            table.rows.push(vec![
                target.into(),
                stands_for(self, target).into(),
                Cell::figure(published_of(self, target).and_then(|row| row.figure("value"))),
                best(&ms, found.len()).into(),
                or_none(Some(ms.median)),
                range(&ms, digits).into(),
                rps(&found).into(),
                limit_words(&found).into(),
                cost(&found).into(),
                found.first().map_or(String::new(), |found| found.requests.to_string()).into(),
            ]);
        }
        let heading = Block::Heading("Time per request over 10 connections".to_owned());
        let alone = published_alone(self, &table);
        [vec![heading, Block::Table(table)], alone].concat()
    }
}

/// The best time; of how many, if they are not as many as there should be.
fn best(ms: &Summary, count: usize) -> String {
    let words = digits(ms.min);
    if count < ROUNDS as usize { format!("{words} (of {count})") } else { words }
}

/// What ab calls the time per request, in ms.
fn ms(found: &Found) -> f64 {
    f64::from(CONNECTIONS) * found.duration_s * 1e3 / found.requests as f64
}
