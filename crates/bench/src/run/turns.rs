//! Whose turn it is: the steps of the plan, and those of a disturbed block once more.
//!
//! Only what was seen beside the figures decides, never a figure, and a block is measured again as a whole: else the
//! slices that happened to be slow would be replaced, or one target compared with another of a better moment.

use std::collections::VecDeque;

use crate::plan::Step;

/// How often a disturbed block is measured again.
pub const AGAIN: u32 = 3;

/// In a run, one block is measured again for so many that it has, at the most: on a machine that is never quiet it takes
/// half as long again, and says so, and not four times as long.
pub const ONE_AGAIN_IN: u32 = 2;

/// One step, and which try of its block it belongs to, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The step.
    pub step: Step,
    /// The try.
    pub tried: u32,
}

/// A block that is measured again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Again {
    /// Which block, from 0.
    pub block: u32,
    /// How many slices it has.
    pub slices: usize,
}

/// The turns that are left.
#[derive(Debug)]
pub struct Turns {
    left: VecDeque<Turn>,
    /// The turns of the block that is being measured, as far as it has come.
    taken: Vec<Turn>,
    disturbed: bool,
    may_repeat: u32,
    again: usize,
}

impl Turns {
    /// Every step once, in its order.
    pub fn new(steps: Vec<Step>, blocks: u32) -> Self {
        let may_repeat = blocks.div_ceil(ONE_AGAIN_IN);
        let left = steps.into_iter().map(|step| Turn { step, tried: 0 }).collect();
        Self { left, taken: Vec::new(), disturbed: false, may_repeat, again: 0 }
    }

    /// How many are left, as far as is known now.
    pub fn len(&self) -> usize {
        self.left.len()
    }

    /// How many times a block was measured again, or is to be.
    pub fn again(&self) -> usize {
        self.again
    }

    /// The next one.
    pub fn next(&self) -> Option<&Turn> {
        self.left.front()
    }

    /// It was taken, and whether it was disturbed. If that ends its block, and the block is to be measured again, this
    /// says so, and its turns are the next.
    pub fn taken(&mut self, disturbed: bool) -> Option<Again> {
        let turn = self.left.pop_front()?;
        let Turn { step: Step { block, .. }, tried } = turn;
        self.disturbed |= disturbed;
        self.taken.push(turn);
        if self.left.front().is_some_and(|next| next.step.block == block) {
            return None;
        }
        let again = std::mem::take(&mut self.disturbed) && tried < AGAIN && self.may_repeat > 0;
        let taken = std::mem::take(&mut self.taken);
        if !again {
            return None;
        }
        self.may_repeat -= 1;
        self.again += 1;
        let slices = taken.len();
        for turn in taken.into_iter().rev() {
            self.left.push_front(Turn { tried: tried + 1, ..turn });
        }
        Some(Again { block, slices })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Shape;
    use crate::plan::{Cell, plan};

    /// Takes all turns of a run with three targets; gives the blocks and tries of them.
    fn turns(blocks: u32, mut disturbed: impl FnMut(&Turn) -> bool) -> Vec<(u32, u32, String)> {
        let cells = ["a", "b", "c"].map(|target| Cell { target: target.into(), shape: Shape::Close, setting: None });
        let mut turns = Turns::new(plan(&cells, blocks, 1), blocks);
        let mut taken = Vec::new();
        while let Some(turn) = turns.next().cloned() {
            turns.taken(disturbed(&turn));
            taken.push((turn.step.block, turn.tried, turn.step.cell.target));
        }
        taken
    }

    #[test]
    fn an_undisturbed_run_is_its_plan() {
        let taken = turns(4, |_| false);
        assert_eq!(taken.len(), 12);
        assert!(taken.iter().all(|(_, tried, _)| *tried == 0));
    }

    #[test]
    fn a_disturbed_block_is_measured_again_as_a_whole_and_in_the_same_order() {
        let taken = turns(4, |turn| turn.step.block == 2 && turn.tried == 0 && turn.step.cell.target == "a");
        assert_eq!(taken.len(), 15);
        let of = |tried: u32| -> Vec<&String> {
            let own = taken.iter().filter(|(block, is, _)| *block == 2 && *is == tried);
            own.map(|(_, _, target)| target).collect()
        };
        assert_eq!(of(0), of(1));
        assert!(taken.is_sorted_by_key(|(block, tried, _)| (*block, *tried)));
    }

    #[test]
    fn a_block_is_measured_again_at_most_three_times() {
        let taken = turns(20, |turn| turn.step.block == 5);
        assert_eq!(taken.iter().map(|(_, tried, _)| *tried).max(), Some(AGAIN));
        assert_eq!(taken.len(), 3 * (20 + 3));
    }

    #[test]
    fn a_machine_that_is_never_quiet_makes_a_run_half_as_long_again_at_most() {
        for (blocks, all) in [(1, 2), (2, 3), (10, 15), (21, 32)] {
            assert_eq!(turns(blocks, |_| true).len(), 3 * all);
        }
    }
}
