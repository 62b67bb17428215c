//! Random numbers that do not depend on who draws them, or when.
//!
//! Every resample owns a family of streams, one per purpose, each a pure function of
//! (seed, purpose, resample). Threads, shards and the order of work therefore cannot change
//! a draw, and one purpose can be held while another is drawn anew.

use chacha20::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// What a stream of random numbers is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The inputs of a training set.
    Inputs,
    /// The noise in its labels.
    Noise,
    /// The learner's own randomness, such as a bootstrap.
    Algorithm,
    /// The fresh labels that the testing error is measured on.
    Test,
    /// Test points that are drawn once for a whole experiment.
    TestPoints,
    /// A truth that is drawn once for a whole experiment.
    Truth,
    /// Points at which averages over the test points are judged.
    Probe,
    /// Folds, splits and bootstraps of a training set from which capacity is selected.
    Selection,
}

/// One stream of random numbers: ChaCha with 8 rounds, a counter-based generator.
#[derive(Debug)]
pub struct Stream {
    key: [u64; 4],
    resample: u64,
    rng: ChaCha8Rng,
}

impl Stream {
    /// The stream of one resample for one purpose.
    pub fn new(seed: u64, purpose: Purpose, resample: u64) -> Self {
        Stream::with_key([seed, purpose as u64, 0, 0], resample)
    }

    fn with_key(key: [u64; 4], resample: u64) -> Self {
        let mut bytes = [0; 32];
        for (place, word) in bytes.chunks_exact_mut(8).zip(key) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let mut rng = ChaCha8Rng::from_seed(bytes);
        rng.set_stream(resample);
        Stream { key, resample, rng }
    }

    /// An independent stream for the `index`-th part of this stream's work, for example one
    /// member of an ensemble. What was already drawn from this stream does not matter.
    pub fn child(&self, index: u64) -> Self {
        let [seed, purpose, path, depth] = self.key;
        // The path is folded through a bijection, so that children of different parents do not
        // meet by adding up to the same number.
        let path = mix(path ^ mix(index.wrapping_add(1)));
        Stream::with_key([seed, purpose, path, depth + 1], self.resample)
    }

    /// A number that belongs to this stream, for choices too many and too small for streams of
    /// their own. What was already drawn from this stream does not matter.
    pub(crate) fn salt(&self) -> u64 {
        let words = self.key.into_iter().chain([self.resample]);
        words.fold(0, |salt, word| mix(salt.wrapping_add(GOLDEN) ^ word))
    }
}

/// 2⁶⁴ over the golden ratio, by which SplitMix64 steps.
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A bijection of the 64-bit words without visible pattern: the finaliser of SplitMix64.
pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl rand::TryRng for Stream {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(self.rng.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(self.rng.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.rng.fill_bytes(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_a_function_of_its_key() {
        let draw = |seed, purpose, resample| Stream::new(seed, purpose, resample).next_u64();
        assert_eq!(draw(1, Purpose::Noise, 7), draw(1, Purpose::Noise, 7));
        let all = [
            draw(1, Purpose::Noise, 7),
            draw(2, Purpose::Noise, 7),
            draw(1, Purpose::Inputs, 7),
            draw(1, Purpose::Noise, 8),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|b| a != b));
        }
    }

    #[test]
    fn a_child_does_not_depend_on_what_its_parent_drew() {
        let mut parent = Stream::new(1, Purpose::Algorithm, 0);
        let before = parent.child(3).next_u64();
        parent.next_u64();
        assert_eq!(before, parent.child(3).next_u64());
        assert_ne!(before, parent.child(4).next_u64());
        assert_ne!(before, parent.child(3).child(0).next_u64());
    }

    #[test]
    fn every_stream_has_a_salt_of_its_own() {
        let mut salts = Vec::new();
        for seed in 0..4 {
            for purpose in [Purpose::Inputs, Purpose::Algorithm] {
                for resample in [0, 1, 2, 1 << 63] {
                    let mut stream = Stream::new(seed, purpose, resample);
                    salts.push(stream.salt());
                    stream.next_u64();
                    assert_eq!(salts.last(), Some(&stream.salt()));
                    salts.extend((0..4).map(|index| stream.child(index).salt()));
                    salts.push(stream.child(1).child(0).salt());
                }
            }
        }
        let all = salts.len();
        salts.sort_unstable();
        salts.dedup();
        assert_eq!(salts.len(), all);
    }
}
