//! Replays: the experiments of the five first comparisons (2007 to 2011), made again on this machine. One file each says
//! what was done then, of whom, and how today's figures are set beside the published ones; the rest is shared.
//!
//! No figure of the two machines is ever divided by the other: between them lie a decade of hardware and other responses,
//! and a quotient would be taken for something about the software.

mod chart;
mod cherrypy_threads;
mod document;
mod jruby_mongrel;
mod lab;
mod listing;
mod pages;
mod published;
mod pyramid_node_gevent;
mod record;
mod run;
mod said;
mod stack;
#[cfg(test)]
mod tests;
mod tools;
mod trial;
mod twisted_tornado;
mod wsgi_runtimes;

use anyhow::{Result, bail};

pub use document::{Block, Cell, Document, Table};
pub use listing::{is_one, list};
pub use published::Comparison;
pub use record::{Found, Outcome, Part, Replay, TrialRecord};
pub use run::{Request, again, run};

/// A published comparison that can be made again.
pub trait Experiment: Sync {
    /// Its name, as in `published.toml`.
    fn name(&self) -> &'static str;

    /// What is done, in one line.
    fn about(&self) -> &'static str;

    /// Who takes part, unless others are named.
    fn cast(&self) -> &'static [Role];

    /// What the original served then, as against the agreed response: lines.
    fn served(&self) -> &'static [&'static str];

    /// What a reader must know to read the tables: lines.
    fn notes(&self, replay: &Replay) -> Vec<String>;

    /// What is tried, batch by batch.
    fn plan(&self, quick: bool) -> Vec<Batch>;

    /// How many workers those have that can choose, and would otherwise have one per core.
    fn workers(&self) -> Option<usize> {
        None
    }

    /// Today's tables, with the published figures in them.
    fn tables(&self, replay: &Replay) -> Vec<Block>;

    /// Pictures beside the report: file name, SVG.
    fn pictures(&self, _replay: &Replay) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// Every replay.
pub const REPLAYS: [&dyn Experiment; 5] = [
    &wsgi_runtimes::WsgiRuntimes,
    &jruby_mongrel::JrubyMongrel,
    &cherrypy_threads::CherrypyThreads,
    &pyramid_node_gevent::PyramidNodeGevent,
    &twisted_tornado::TwistedTornado,
];

/// The replay of that name.
///
/// # Errors
/// For a name that none has, with those that there are.
pub fn named(name: &str) -> Result<&'static dyn Experiment> {
    let Some(found) = REPLAYS.into_iter().find(|replay| replay.name() == name) else {
        bail!("no replay is called {name:?}; there are {}", REPLAYS.map(Experiment::name).join(", "));
    };
    Ok(found)
}

/// Who takes part in a replay, and for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// The target.
    pub target: &'static str,
    /// The published system that it is set beside, in the words of `published.toml`, if there is one.
    pub system: Option<&'static str>,
    /// What it is to that.
    pub stands: Stands,
}

/// What a target is to a published system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// The same software, in its current version.
    Original,
    /// Other software in its place, since it cannot be had; with what that is.
    StandIn(&'static str),
    /// What readers of the comparison asked for.
    Remedy,
    /// The Rust target of the same concurrency model.
    Mirror,
}

impl Stands {
    /// As it stands in a table.
    pub fn words(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::StandIn(_) => "stand-in",
            Self::Remedy => "asked for by readers",
            Self::Mirror => "Rust mirror",
        }
    }
}

/// Trials that are made in random order, of every target, so often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// What is tried.
    pub parts: Vec<Part>,
    /// How often.
    pub rounds: u32,
    /// The number of requests that takes the place of the published one where a [`Part::Look`] showed that this takes
    /// under [`TOO_SHORT_S`].
    pub longer: Option<u64>,
    /// Whether only targets take part whose threads' stacks can be chosen.
    pub only_stacks: bool,
}

/// A run shorter than this, in seconds, is mostly its own beginning and end.
pub const TOO_SHORT_S: f64 = 0.5;

impl Batch {
    /// These parts, so often, of everybody.
    pub fn of(parts: Vec<Part>, rounds: u32) -> Self {
        Self { parts, rounds, longer: None, only_stacks: false }
    }
}
