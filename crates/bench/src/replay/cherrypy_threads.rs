//! `cherrypy-threads` (2009): CherryPy's own benchmark, which has ab ask for a small page from 25 to 400 "client threads",
//! against a server with 10 threads, under four versions of Python; and its memory by the size of a thread's stack.
//!
//! A client thread is a connection of ab: ab has one thread, and keeps so many connections going (`ab -k -n 1000 -c N`,
//! as CherryPy's `cherrypy/test/benchmark.py` has it, whose columns these are).

use super::document::{Block, Cell, NONE, Table};
use super::pages::{marked, or_none, rps, stands_for};
use super::published::Comparison;
use super::record::{Found, Part, Replay};
use super::trial::HELD;
use super::{Batch, Experiment, Role, Stands};
use crate::report::units::mebibytes;

const REQUESTS: u64 = 1000;
const THREADS: [u32; 5] = [25, 50, 100, 200, 400];
/// Sizes of stacks in KiB, the default first: as published 32 and 64, and some around them.
const STACKS: [Option<u32>; 7] = [None, Some(1024), Some(256), Some(128), Some(64), Some(32), Some(16)];

/// The target that is a version of the period, with its ways.
const OF_THE_PERIOD: &str = "cherrypy-3.1";

/// See the module.
pub struct CherrypyThreads;

impl Experiment for CherrypyThreads {
    fn name(&self) -> &'static str {
        "cherrypy-threads"
    }

    fn about(&self) -> &'static str {
        "CherryPy's own benchmark (ab -k -n 1000 with 25 to 400 connections against 10 threads), then memory by stack size"
    }

    fn cast(&self) -> &'static [Role] {
        const CHERRYPY: Option<&str> = Some("CherryPy on Python 3.2 (svn)");
        const BEFORE: Option<&str> = Some("CherryPy on Python 2.7 (svn)");
        &[
            Role { target: "cherrypy", system: CHERRYPY, stands: Stands::Original },
            Role { target: "cherrypy-3.9", system: CHERRYPY, stands: Stands::Original },
            Role { target: "cherrypy-3.10", system: CHERRYPY, stands: Stands::Original },
            Role { target: "cherrypy-3.11", system: CHERRYPY, stands: Stands::Original },
            Role { target: "cherrypy-3.12", system: CHERRYPY, stands: Stands::Original },
            Role { target: "cherrypy-3.13", system: CHERRYPY, stands: Stands::Original },
            Role { target: OF_THE_PERIOD, system: BEFORE, stands: Stands::Original },
            Role { target: "std-pool", system: CHERRYPY, stands: Stands::Mirror },
            Role { target: "std-threads", system: None, stands: Stands::Mirror },
            Role { target: "std-sequential", system: None, stands: Stands::Mirror },
            Role { target: "may-minihttp", system: None, stands: Stands::Mirror },
        ]
    }

    fn served(&self) -> &'static [&'static str] {
        &[
            "Then: 14 bytes of text.",
            "Now: all the same response, 12 bytes of text, checked before and after every trial.",
        ]
    }

    fn notes(&self, replay: &Replay) -> Vec<String> {
        let mut notes = vec![
            "A client thread is no thread: it is one of the connections that ab, which has a single thread, keeps going at \
             once. The server has 10 threads however many there are (std-pool too; std-threads has one for each connection)."
                .to_owned(),
            "msec/req: time / requests, over all connections at once, as CherryPy's benchmark prints it. KB/sec: heads and \
             bodies. Average: of the five rows above it."
                .to_owned(),
            "A fast server answers 1000 requests in a few hundredths of a second: that is mostly a beginning, and ab tells \
             thousandths, so that its figures are coarse."
                .to_owned(),
            format!(
                "Memory: right after 1000 requests over 25 connections, while {HELD} connections are open that were answered \
                 once each, so that a thread per connection has {HELD} threads as well. virtual: the address space, of which \
                 a stack takes its whole size; resident: what is really used, which its size hardly changes."
            ),
            "Most of what is virtual today is neither: on 64 bits glibc reserves 64 MiB of address space for each thread \
             that allocates (an arena, malloc(3)), of which hardly a page is touched. Compare the rows of one target: \
             may-minihttp keeps up to 1000 coroutines for the next connections, each with its stack; std-sequential serves on \
             its first thread by default, and on a further one, with an arena, if the size is chosen."
                .to_owned(),
            "Stack sizes: std-threads, std-pool and std-sequential set that of the threads that serve (default: 2 MiB, of \
             Rust's std); may-minihttp that of its coroutines (default: 32 KiB, of may); CherryPy calls threading.stack_size (default: the limit of \
             the shell, ulimit -s). A stack that is too small is failed, with what the server said of it."
                .to_owned(),
        ];
        if replay.record.members.iter().any(|member| member.name == OF_THE_PERIOD) {
            notes.push(format!(
                "{OF_THE_PERIOD} leaves a thread with its connection until that ends, or was silent for 10 s and is sent a 408. \
                 ab asks on every connection, closes none that is kept, and waits for all: with more connections than \
                 threads some get that 408, which voids the row."
            ));
        }
        notes
    }

    fn plan(&self, quick: bool) -> Vec<Batch> {
        let requests = if quick { u64::from(THREADS[4]) } else { REQUESTS };
        let load = THREADS.map(|connections| Part::Requests { requests, connections, keep: true }).to_vec();
        let stacks = if quick { vec![None, Some(256)] } else { STACKS.to_vec() };
        let memory = stacks.into_iter().map(|kib| Part::Stack { kib }).collect();
        vec![Batch::of(load, 1), Batch { only_stacks: true, ..Batch::of(memory, 1) }]
    }

    fn tables(&self, replay: &Replay) -> Vec<Block> {
        let mut blocks = vec![
            Block::Heading("Requests per second by client threads".to_owned()),
            Block::Table(by_threads(self, replay)),
        ];
        for member in &replay.record.members {
            if let Some(table) = of_one(replay, &member.name) {
                blocks.push(Block::Heading(format!("{}: as CherryPy's benchmark prints it", member.name)));
                blocks.push(Block::Table(table));
            }
        }
        blocks.push(Block::Heading("Memory by the size of a thread's stack".to_owned()));
        blocks.push(Block::Table(memory(replay)));
        blocks
    }
}

/// The figures with so many connections.
fn at<'a>(replay: &'a Replay, target: &'a str, threads: u32) -> Option<&'a Found> {
    let wanted = move |part| matches!(part, Part::Requests { connections, .. } if connections == threads);
    replay.found(target, wanted).next()
}

fn by_threads(replayed: &CherrypyThreads, replay: &Replay) -> Table {
    let mut table = Table::of(&["target", "stands for"]);
    table.heads.extend(THREADS.iter().map(ToString::to_string));
    table.heads.extend(["average", "cost µs"].map(String::from));
    for row in &Comparison::of(replayed.name()).rows {
        let mut cells = vec![Cell::Published(format!("published: {}", row.system)), NONE.into()];
        cells.extend(row.all("rps").iter().map(|figure| Cell::figure(Some(*figure))));
        cells.extend([Cell::figure(row.figure("average")), NONE.into()]);
        table.rows.push(cells);
    }
    for member in &replay.record.members {
        let found = THREADS.map(|threads| at(replay, &member.name, threads));
        if found.iter().all(Option::is_none) {
            continue;
        }
        let mut cells = vec![member.name.as_str().into(), stands_for(replayed, &member.name).into()];
        cells.extend(found.map(|found| rps(found.as_slice()).into()));
        let there: Vec<&Found> = found.into_iter().flatten().collect();
        cells
            .push(average(&there, |found| found.rps).map_or_else(|| NONE.to_owned(), |rps| marked(rps, &there)).into());
        cells.push(or_none(average(&there, |found| found.cost_us)));
        table.rows.push(cells);
    }
    table
}

/// The mean over all five steps: without one of them it would be another thing.
fn average(found: &[&Found], figure: impl Fn(&Found) -> f64) -> Option<f64> {
    let sum: f64 = found.iter().map(|found| figure(found)).sum();
    (found.len() == THREADS.len()).then(|| sum / found.len() as f64)
}

fn of_one(replay: &Replay, target: &str) -> Option<Table> {
    let mut table = Table::of(&["threads", "Completed", "Failed", "req/sec", "msec/req", "KB/sec"]);
    let mut there = Vec::new();
    for threads in THREADS {
        let Some(found) = at(replay, target, threads) else { continue };
        table.rows.push(line(&threads.to_string(), found.requests as f64, found.rps, kilobytes(found)));
        there.push(found);
    }
    if there.is_empty() {
        return None;
    }
    if let Some(completed) = average(&there, |found| found.requests as f64) {
        let rps = average(&there, |found| found.rps)?;
        let bytes: Option<f64> = there.iter().map(|found| kilobytes(found)).sum();
        let mut row = line("Average", completed, rps, bytes.map(|sum| sum / there.len() as f64));
        // The mean of the rows, as they are; not its reciprocal.
        row[4] = milliseconds(average(&there, |found| 1e3 / found.rps)?).into();
        table.rows.push(row);
    }
    Some(table)
}

/// A row that has completed so many requests, and none failed: with one that did, it would be no row.
fn line(name: &str, completed: f64, rps: f64, kilobytes: Option<f64>) -> Vec<Cell> {
    let figures = [completed.to_string(), "0".into(), format!("{rps:.2}"), milliseconds(1e3 / rps)];
    let mut cells = vec![Cell::from(name)];
    cells.extend(figures.map(Cell::from));
    cells.push(or_none(kilobytes));
    cells
}

/// As CherryPy's benchmark prints them.
fn milliseconds(ms: f64) -> String {
    format!("{ms:.3}")
}

/// Received per second, in KiB.
fn kilobytes(found: &Found) -> Option<f64> {
    Some(found.received_bytes? as f64 / 1024.0 / found.duration_s)
}

fn memory(replay: &Replay) -> Table {
    let mut table = Table::of(&["target", "stack", "virtual MiB", "resident MiB", "threads"]);
    for row in &Comparison::of("cherrypy-threads").memory {
        let note = row.note.as_ref().map_or(String::new(), |note| format!(" ({note})"));
        let mut cells = vec![Cell::Published(format!("published, in MB: {}{note}", row.system)), NONE.into()];
        cells.extend(["virtual_mb", "resident_mb"].map(|name| Cell::figure(row.figure(name))));
        cells.push(NONE.into());
        table.rows.push(cells);
    }
    for member in &replay.record.members {
        for kib in STACKS {
            let found = replay.found(&member.name, move |part| part == Part::Stack { kib }).next();
            let Some(memory) = found.and_then(|found| found.memory) else { continue };
            table.rows.push(vec![
                member.name.as_str().into(),
                kib.map_or_else(|| "default".to_owned(), |kib| format!("{kib} KiB")).into(),
                mebibytes(memory.virtual_bytes as f64).into(),
                mebibytes(memory.resident_bytes as f64).into(),
                memory.threads.to_string().into(),
            ]);
        }
    }
    table
}
