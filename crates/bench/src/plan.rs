//! The plan of a run: which slice comes when. Fixed before the run, from a seed that is recorded.

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::load::Shape;
use crate::stats::{Rules, units_needed};

/// Environment sizes are drawn below this, one page.
const MAX_PADDING: usize = 4096;

/// One slice to be: which target, in which shape, at which step of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// The target's name.
    pub target: String,
    /// How connections are used.
    pub shape: Shape,
    /// The step, in a sweep.
    #[serde(default, rename = "step", skip_serializing_if = "Option::is_none")]
    pub setting: Option<Setting>,
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.target, self.shape)?;
        self.setting.map_or(Ok(()), |setting| write!(f, " {setting}"))
    }
}

/// What a sweep changes from step to step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Knob {
    /// Connections open at once.
    Connections,
    /// Requests per second that are sent.
    Rate,
    /// Threads of the target that may run requests at once.
    Workers,
}

impl std::fmt::Display for Knob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connections => "connections",
            Self::Rate => "rate",
            Self::Workers => "workers",
        })
    }
}

/// One step of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Setting {
    /// What is set.
    pub knob: Knob,
    /// To what.
    pub value: u32,
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.value, self.knob)
    }
}

/// One slice in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Block, from 0.
    pub block: u32,
    /// What is measured.
    pub cell: Cell,
    /// Bytes that are added to the server's environment.
    pub environment_padding: usize,
}

/// Blocks without which no verdict on `targets` (the baseline is one of them) is possible in one shape, whatever comes
/// out. Every slice has a freshly started server, so that each block is an independent unit.
pub fn blocks_needed(targets: usize, rules: &Rules) -> u32 {
    u32::try_from(units_needed(targets.saturating_sub(1), rules.alpha())).unwrap_or(u32::MAX)
}

/// Blocks of a run that was not given a number: twice those that it takes, so that enough are left if neighbours must
/// be averaged. For eleven or twelve targets these are 18.
pub fn default_blocks(targets: usize, rules: &Rules) -> u32 {
    blocks_needed(targets, rules).saturating_mul(2)
}

/// Every step of a run in its order: each block holds every cell once, in a fresh random order.
pub fn plan(cells: &[Cell], blocks: u32, seed: u64) -> Vec<Step> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..blocks)
        .flat_map(|block| {
            let mut order = cells.to_vec();
            order.shuffle(&mut random);
            order
                .into_iter()
                .map(|cell| Step { block, cell, environment_padding: random.random_range(0..MAX_PADDING) })
                .collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells() -> Vec<Cell> {
        let targets = ["a", "b", "c", "d", "e"];
        targets
            .iter()
            .flat_map(|target| {
                [Shape::KeepAlive, Shape::Close].map(|shape| Cell { target: (*target).into(), shape, setting: None })
            })
            .collect()
    }

    #[test]
    fn every_block_holds_every_cell_once() {
        let mut wanted = cells();
        wanted.sort();
        let steps = plan(&cells(), 7, 1);
        assert_eq!(steps.len(), 70);
        for (block, steps) in steps.chunks(10).enumerate() {
            assert!(steps.iter().all(|step| step.block as usize == block));
            let mut held: Vec<Cell> = steps.iter().map(|step| step.cell.clone()).collect();
            held.sort();
            assert_eq!(held, wanted);
        }
    }

    #[test]
    fn a_default_run_has_twice_the_blocks_that_verdicts_take() {
        let rules = Rules::default();
        assert_eq!([1, 2, 3, 11, 40].map(|targets| blocks_needed(targets, &rules)), [6, 6, 7, 9, 11]);
        assert_eq!([1, 2, 11].map(|targets| default_blocks(targets, &rules)), [12, 12, 18]);
    }

    #[test]
    fn the_seed_alone_decides_and_blocks_differ() {
        assert_eq!(plan(&cells(), 5, 42), plan(&cells(), 5, 42));
        assert_ne!(plan(&cells(), 5, 42), plan(&cells(), 5, 43));
        let steps = plan(&cells(), 2, 42);
        let order = |block: usize| -> Vec<&Cell> { steps[block * 10..][..10].iter().map(|step| &step.cell).collect() };
        assert_ne!(order(0), order(1));
    }

    #[test]
    fn a_seed_means_the_same_order_for_ever() {
        let order: Vec<String> =
            plan(&cells(), 1, 2026).iter().map(|step| format!("{}-{:?}", step.cell.target, step.cell.shape)).collect();
        insta::assert_snapshot!(order.join(" "));
    }
}
