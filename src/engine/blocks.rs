//! How resamples are cut into work.
//!
//! A group's resamples are numbered 0, 1, 2, …; blocks end at positions 2, 4, 8, 16, 32, 64 and
//! then every 32. The ends do not depend on how many resamples there will be, so a run to a wanted
//! precision that stops at R gives the very table of a run of R.

use std::ops::Range;

/// The block length at which blocks stop growing.
const LONG: u64 = 32;

/// A stretch of one group's resamples.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    /// The group.
    pub group: usize,
    /// The block's number within the group.
    pub index: usize,
    /// Positions within the group.
    pub positions: Range<u64>,
}

impl Block {
    /// The resamples it is made of.
    pub fn resamples(&self, groups: u64) -> impl Iterator<Item = u64> + use<> {
        let group = self.group as u64;
        self.positions
            .clone()
            .map(move |position| position * groups + group)
    }
}

/// Where the block with that number ends.
pub(super) fn boundary(index: usize) -> u64 {
    let index = index as u64;
    match index {
        0..=5 => 2 << index,
        _ => 2 * LONG + (index - 5) * LONG,
    }
}

/// The blocks that lead from `done` to `wanted` resamples, the earliest first. `done` is zero or
/// the end of a round.
pub(super) fn between(done: u64, wanted: u64, groups: u64) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut index, mut start) = (0, 0);
    while start * groups < wanted {
        let end = boundary(index);
        if end * groups > done {
            for group in 0..groups {
                // Group g has the resamples g, g + G, g + 2G, … below the wanted number.
                let size = (wanted + groups - 1).saturating_sub(group) / groups;
                let positions = start..end.min(size);
                if !positions.is_empty() {
                    let group = group as usize;
                    blocks.push(Block {
                        group,
                        index,
                        positions,
                    });
                }
            }
        }
        (index, start) = (index + 1, end);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resample_is_done_exactly_once() {
        for wanted in [1, 2, 39, 40, 47, 48, 49, 1000, 5000] {
            for groups in [1, 24, 39] {
                let blocks = between(0, wanted, groups);
                let mut all: Vec<u64> = blocks.iter().flat_map(|b| b.resamples(groups)).collect();
                all.sort_unstable();
                assert!(
                    all.iter().copied().eq(0..wanted),
                    "{wanted} in {groups} groups"
                );
            }
        }
    }

    #[test]
    fn rounds_cut_where_one_long_run_does() {
        let whole = between(0, 24 * 96, 24);
        let mut rounds = Vec::new();
        let mut done = 0;
        for index in 0..7 {
            let wanted = 24 * boundary(index);
            rounds.extend(between(done, wanted, 24));
            done = wanted;
        }
        assert_eq!(done, 24 * 96);
        assert_eq!(whole, rounds);
    }
}
