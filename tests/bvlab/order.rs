//! The order in which the nodes of a tree look at features, written down a second time.

/// The finaliser of SplitMix64, and its step.
fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A node's place in a tree.
#[derive(Clone, Copy)]
pub struct Place(u64);

impl Place {
    /// The root of a tree that was fitted with [`crate::setup::algorithm`] of a seed: the words are
    /// seed, purpose, path, depth and resample.
    pub fn root(seed: u64) -> Self {
        let words = [seed, 2, 0, 0, 0];
        Place(
            words
                .iter()
                .fold(0, |salt: u64, word| mix(salt.wrapping_add(STEP) ^ word)),
        )
    }

    /// The left and the right child.
    pub fn children(self) -> [Self; 2] {
        [1, 2].map(|side| Place(mix(self.0 ^ side)))
    }

    /// So many features in the order in which they are looked at.
    pub fn order(self, count: usize) -> Vec<usize> {
        let mut features: Vec<usize> = (0..count).collect();
        let mut state = self.0;
        for i in 0..count {
            state = state.wrapping_add(STEP);
            let rest = (count - i) as u64;
            features.swap(i, i + (((mix(state) >> 32) * rest) >> 32) as usize);
        }
        features
    }
}
