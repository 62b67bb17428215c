//! What a run saves as it goes, and how it is shared between shards.

use serde::{Deserialize, Serialize};

use super::blocks;
use crate::decompose::{Tally, groups_for};
use crate::plan::Plan;

/// The tallies of a group so far: what a run saves as it goes, and what a later run can resume from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupState {
    /// Which group.
    pub group: usize,
    /// How many of its blocks are finished: always the first ones.
    pub blocks: usize,
    /// One tally per learner.
    pub tallies: Vec<Tally>,
}

impl GroupState {
    /// An upper bound on the bytes of a saved group of a plan.
    pub fn most_bytes(plan: &Plan) -> u64 {
        let values = plan.test.points.len() as u64 * plan.problem().outputs() as u64;
        // Mean, squares, seven contrasts, and three sums over members, of 8 bytes each.
        let sums = values.saturating_mul(12 * 8);
        // As many bins of a histogram as there are resamples, or as there are numbers of its precision.
        let total = plan.most_resamples();
        let group = total.div_ceil(groups_for(total).max(1) as u64);
        let bins = group.min(1 << 19).saturating_mul(15);
        // The risks of a block that are not counted yet, and single numbers.
        let rest = 32 * 20 + 256;
        // Of selection: eight sums over claims of a method, and at most nine over its choices; four
        // over risks; degrees of freedom and optimism.
        let selection = 8 * (17 * plan.run.select.len() as u64 + 6);
        let each = sums.saturating_add(bins).saturating_add(rest + selection);
        let curves = 1024 * plan.paths.len() as u64;
        (plan.settings() as u64)
            .saturating_mul(each)
            .saturating_add(curves)
    }

    /// Whether a run of `total` resamples can have saved it: it has the size of `empty`, and as many
    /// resamples as its blocks. A file may contain anything.
    pub(super) fn fits(&self, empty: &[Tally], total: u64) -> bool {
        let count = blocks::count(self.group, self.blocks, total, groups_for(total) as u64);
        self.tallies.len() == empty.len()
            && self.tallies.iter().zip(empty).all(|(mine, empty)| {
                mine.fits(empty) && mine.is_sound() && Some(mine.count()) == count
            })
    }
}

/// One of several parts of a run; it owns every `of`-th group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 1.
    pub index: usize,
    /// Of how many.
    pub of: usize,
}

impl Shard {
    /// Whether a group belongs to it.
    pub fn owns(&self, group: usize) -> bool {
        group.checked_rem(self.of).map(|rest| rest + 1) == Some(self.index)
    }
}

/// The groups of a slab that an earlier run of the same plan has saved.
pub type EarlierGroups<'a> = dyn Fn(usize) -> Vec<GroupState> + 'a;
