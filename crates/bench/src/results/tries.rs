//! Which slices of a run count: a disturbed block is measured again as a whole, every try is kept, and one is used.

use super::SliceRecord;

/// All slices of a run.
#[derive(Debug)]
pub struct Tries {
    /// Those of each block's last whole try, or of its first one if none is whole, in their order.
    pub slices: Vec<SliceRecord>,
    /// The others, in their order.
    pub replaced: Vec<SliceRecord>,
    /// How many blocks were measured again.
    pub blocks_again: usize,
}

/// Tells apart which slices count and which do not.
///
/// A run that ends amid a new try falls back on the one before. A try is never chosen by its figures.
pub fn counting(slices: Vec<SliceRecord>, cells: usize) -> Tries {
    let mut sizes = std::collections::BTreeMap::<(u32, u32), usize>::new();
    for slice in &slices {
        *sizes.entry((slice.block, slice.tried)).or_default() += 1;
    }
    let used = |block: u32| {
        let tries = sizes.range((block, 0)..=(block, u32::MAX));
        tries.filter(|(_, size)| **size >= cells).map(|((_, tried), _)| *tried).next_back().unwrap_or(0)
    };
    let blocks_again = sizes.keys().filter(|(_, tried)| *tried == 1).count();
    let (slices, replaced) = slices.into_iter().partition(|slice| slice.tried == used(slice.block));
    Tries { slices, replaced, blocks_again }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Shape;
    use crate::plan::Cell;
    use crate::results::{Failed, Outcome, SCHEMA, Stage};

    fn slice(block: u32, tried: u32, target: &str) -> SliceRecord {
        SliceRecord {
            schema: SCHEMA,
            block,
            tried,
            cell: Cell { target: target.into(), shape: Shape::Close, setting: None },
            began: String::new(),
            environment_padding: 0,
            command: Vec::new(),
            outcome: Outcome::Failed(Failed { stage: Stage::Load, reason: String::new(), seen: None }),
        }
    }

    fn used(slices: &[(u32, u32, &str)]) -> (Vec<(u32, u32)>, usize) {
        let slices: Vec<SliceRecord> =
            slices.iter().map(|(block, tried, target)| slice(*block, *tried, target)).collect();
        let count = slices.len();
        let tries = counting(slices, 2);
        assert_eq!(tries.slices.len() + tries.replaced.len(), count);
        (tries.slices.iter().map(|slice| (slice.block, slice.tried)).collect(), tries.blocks_again)
    }

    #[test]
    fn the_last_whole_try_of_each_block_counts() {
        let all = [(0, 0, "a"), (0, 0, "b"), (1, 0, "b"), (1, 0, "a"), (1, 1, "a"), (1, 1, "b"), (2, 0, "a")];
        assert_eq!(used(&all), (vec![(0, 0), (0, 0), (1, 1), (1, 1), (2, 0)], 1));
    }

    #[test]
    fn a_try_that_was_cut_off_does_not_count_where_there_is_a_whole_one() {
        let all = [(0, 0, "a"), (0, 0, "b"), (0, 1, "a"), (0, 1, "b"), (0, 2, "b")];
        assert_eq!(used(&all), (vec![(0, 1), (0, 1)], 1));
        assert_eq!(used(&all[..3]), (vec![(0, 0), (0, 0)], 1));
        assert_eq!(used(&all[..1]), (vec![(0, 0)], 0));
        assert_eq!(used(&[]), (vec![], 0));
    }
}
