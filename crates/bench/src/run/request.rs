//! What a run is asked for, and what that is for each of its slices.

use std::path::PathBuf;
use std::time::Duration;

use crate::container::Launcher;
use crate::load::{Extent, Job, LoadTool, Manner, Shape};
use crate::plan::{Cell, Knob, Setting};
use crate::process::Containers;
use crate::results::VersusRecord;
use crate::stats::Rules;
use crate::targets::Target;

/// What the user wants measured, and how.
#[derive(Clone)]
pub struct Request {
    /// Who.
    pub targets: Vec<Target>,
    /// The name of the one of them that ratios are taken against.
    pub baseline: String,
    /// When a difference counts, and what is equivalent.
    pub rules: Rules,
    /// The load tool.
    pub tool: &'static dyn LoadTool,
    /// In which shapes.
    pub shapes: Vec<Shape>,
    /// Requests under way on each connection, in the pipelined shape.
    pub depth: u32,
    /// Requests per second, in the fixed-rate shape.
    pub rate: u32,
    /// What is swept, and its steps; none in a plain run.
    pub sweep: Vec<Setting>,
    /// Connections open at once.
    pub connections: u32,
    /// Threads of the load tool.
    pub threads: u32,
    /// How many blocks.
    pub blocks: u32,
    /// When a slice ends.
    pub extent: Extent,
    /// The workers of every target that can choose.
    pub workers: Option<usize>,
    /// From which the order is drawn.
    pub seed: u64,
    /// Where the result goes, if not to a new folder under `results/`.
    pub out: Option<PathBuf>,
    /// The files that targets of the user's own came from.
    pub target_files: Vec<PathBuf>,
    /// The two commits that are compared, if that is what this run is for.
    pub versus: Option<VersusRecord>,
    /// How targets are put into containers, if they are.
    pub containers: Option<Containers>,
}

impl Request {
    /// Everyone that takes part: the targets, and the baseline once more under its second name; a sweep compares
    /// nobody.
    pub fn measured(&self) -> Vec<Target> {
        let mut measured = self.targets.clone();
        if self.sweep.is_empty() {
            measured.extend(self.targets.iter().find(|target| target.name() == self.baseline).map(Target::again));
        }
        measured
    }

    /// What starts the targets.
    pub fn launcher(&self) -> Launcher {
        self.containers.as_ref().map_or(Launcher::Native, Containers::launcher)
    }

    /// The most targets that meet in one shape, by what they say of themselves.
    pub fn most_in_a_shape(&self) -> usize {
        let in_shape = |shape| self.targets.iter().filter(|target| target.description.holds(shape)).count();
        self.shapes.iter().map(|shape| in_shape(*shape)).max().unwrap_or(0)
    }

    /// What the load tool is asked to do in one slice.
    pub fn job(&self, url: String, cell: &Cell) -> Job {
        let at = |knob, otherwise| match cell.setting {
            Some(setting) if setting.knob == knob => setting.value,
            _ => otherwise,
        };
        let connections = at(Knob::Connections, self.connections);
        Job {
            url,
            manner: match cell.shape {
                Shape::KeepAlive => Manner::KeepAlive,
                Shape::Close => Manner::Close,
                Shape::Pipelined => Manner::Pipelined { depth: self.depth },
                Shape::FixedRate => Manner::FixedRate { rate: at(Knob::Rate, self.rate) },
            },
            connections,
            // A sweep may begin with fewer connections than the tool has threads.
            threads: if cell.setting.is_some() { self.threads.min(connections) } else { self.threads },
            extent: self.extent,
            timeout: crate::check::TIMEOUT,
        }
    }

    /// The workers of every target that can choose, at a step.
    pub fn workers_at(&self, setting: Option<Setting>) -> Option<usize> {
        match setting {
            Some(Setting { knob: Knob::Workers, value }) => usize::try_from(value).ok(),
            _ => self.workers,
        }
    }

    /// What one block holds: every target in every shape that it can hold, at every step.
    pub fn cells(&self) -> Vec<Cell> {
        let steps: Vec<Option<Setting>> =
            if self.sweep.is_empty() { vec![None] } else { self.sweep.iter().copied().map(Some).collect() };
        let mut cells = Vec::new();
        for target in &self.measured() {
            for shape in self.shapes.iter().copied().filter(|shape| target.description.holds(*shape)) {
                let cell =
                    |setting: &Option<Setting>| Cell { target: target.name().to_owned(), shape, setting: *setting };
                cells.extend(steps.iter().map(cell));
            }
        }
        cells
    }

    /// The most connections that any slice opens.
    pub(super) fn most_connections(&self) -> u32 {
        let swept = self.sweep.iter().filter(|setting| setting.knob == Knob::Connections).map(|setting| setting.value);
        swept.max().unwrap_or(self.connections)
    }
}

/// A seed for a run that was not given one.
pub fn fresh_seed() -> u64 {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    // Nanoseconds, below 2^53 so that every JSON reader keeps all digits.
    u64::try_from(time.as_nanos() % (1 << 53)).unwrap_or_default() ^ u64::from(std::process::id())
}
