//! How resamples are cut into work.
//!
//! A group's resamples are numbered 0, 1, 2, …; blocks end at positions 2, 4, 8, 16, 32, 64 and
//! then every 32. The ends do not depend on how many resamples there will be, so a run to a wanted
//! precision that stops at R gives the very table of a run of R. Blocks are computed from their
//! number, never listed: a run of 10¹² resamples has many.

use std::ops::Range;

/// The block length at which blocks stop growing.
const LONG: u64 = 32;

/// A stretch of one group's resamples.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ResampleBlock {
    /// The group.
    pub group: usize,
    /// The block's number within the group.
    pub index: usize,
    /// Positions within the group.
    pub positions: Range<u64>,
}

impl ResampleBlock {
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

/// The `number`-th block of a stretch of work that begins with block `first` of every group and
/// leads to `wanted` resamples: block by block, within a block group by group. `None` beyond the
/// last. Some blocks are empty where the groups' sizes differ.
pub(super) fn block(first: usize, number: u64, wanted: u64, groups: u64) -> Option<ResampleBlock> {
    let index = first + (number / groups) as usize;
    let group = number % groups;
    let start = match index {
        0 => 0,
        _ => boundary(index - 1),
    };
    if start.checked_mul(groups)? >= wanted {
        return None;
    }
    // Group g has the resamples g, g + G, g + 2G, … below the wanted number.
    let size = (wanted + groups - 1).saturating_sub(group) / groups;
    Some(ResampleBlock {
        group: group as usize,
        index,
        positions: start..boundary(index).min(size).max(start),
    })
}

/// How many resamples the first so many blocks of a group have, in a run of `total`; `None` if the
/// run has no such group, or not so many blocks.
pub(super) fn count(group: usize, blocks: usize, total: u64, groups: u64) -> Option<u64> {
    let group = u64::try_from(group).ok().filter(|group| *group < groups)?;
    // Every block but the last has a resample of the first group, so there are no more blocks.
    let last = match blocks {
        0 => return Some(0),
        _ => usize::try_from(total).map_or(blocks, |total| blocks.min(total)) - 1,
    };
    let begins = match last {
        0 => 0,
        _ => boundary(last - 1),
    };
    let there = last + 1 == blocks && begins.checked_mul(groups)? < total;
    let size = (total + groups - 1).saturating_sub(group) / groups;
    there.then(|| boundary(last).min(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(first: usize, wanted: u64, groups: u64) -> Vec<ResampleBlock> {
        (0..)
            .map_while(|number| block(first, number, wanted, groups))
            .collect()
    }

    #[test]
    fn every_resample_is_done_exactly_once() {
        for wanted in [1, 2, 39, 40, 47, 48, 49, 1000, 5000] {
            for groups in [1, 24, 39] {
                let blocks = all(0, wanted, groups);
                let mut done: Vec<u64> = blocks.iter().flat_map(|b| b.resamples(groups)).collect();
                done.sort_unstable();
                assert!(
                    done.iter().copied().eq(0..wanted),
                    "{wanted} in {groups} groups"
                );
            }
        }
    }

    #[test]
    fn a_group_has_the_resamples_of_its_blocks() {
        for wanted in [1, 2, 47, 49, 1000, 5000] {
            for groups in [1, 24, 39] {
                let mut done = vec![0; groups as usize];
                let blocks = all(0, wanted, groups);
                for block in &blocks {
                    let ResampleBlock { group, index, .. } = *block;
                    assert_eq!(count(group, index, wanted, groups), Some(done[group]));
                    done[group] += block.positions.end - block.positions.start;
                    assert_eq!(count(group, index + 1, wanted, groups), Some(done[group]));
                }
                let last = blocks.iter().map(|block| block.index).max().unwrap();
                for (group, blocks) in [
                    (0, last + 2),
                    (0, usize::MAX),
                    (groups as usize, 0),
                    (usize::MAX, 1),
                ] {
                    assert_eq!(count(group, blocks, wanted, groups), None);
                }
            }
        }
    }

    #[test]
    fn rounds_cut_where_one_long_run_does() {
        let whole = all(0, 24 * 96, 24);
        let rounds: Vec<ResampleBlock> = (0..7)
            .flat_map(|round| all(round, 24 * boundary(round), 24))
            .collect();
        assert_eq!(whole, rounds);
    }

    #[test]
    fn the_longest_run_has_a_last_block() {
        let wanted = 1_000_000_000_000;
        let last = block(0, wanted / LONG - 24 * 10, wanted, 24);
        assert!(last.is_some());
        assert_eq!(block(0, u64::MAX / 2, wanted, 24), None);
    }
}
