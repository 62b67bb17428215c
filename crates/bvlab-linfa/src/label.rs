//! Classes that linfa meets in the same order in every fit.

use std::hash::{Hash, Hasher};

use bvlab_core::stream::Stream;
use rand::Rng;

/// A class for linfa, which counts classes in hash tables and prefers the last of equally frequent ones
/// that it meets there. The order of such a table depends on a key that is drawn for every table, so
/// that two fits to one training set could differ.
///
/// This label's hash ends in its rank, whatever the key: a table of all classes stands by rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OrderedLabel {
    /// From 0 up to the number of classes.
    pub rank: u8,
    /// How many places a table of all classes has: a power of two.
    places: u8,
}

/// After so many attempts for each place a hash is left as it is; that every one misses has a
/// probability of e⁻⁶⁴.
const ATTEMPTS: usize = 64;

impl OrderedLabel {
    pub fn new(rank: usize, classes: usize) -> Self {
        // The standard library's tables are at most 7/8 full, and have at least 4 places.
        let places = (classes * 8).div_ceil(7).next_power_of_two().max(4);
        OrderedLabel {
            rank: rank as u8,
            places: places as u8,
        }
    }
}

impl linfa::Label for OrderedLabel {}

impl Hash for OrderedLabel {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let last_bits = u64::from(self.places.saturating_sub(1));
        for _ in 0..ATTEMPTS * usize::from(self.places) {
            state.write_u8(self.rank);
            if state.finish() & last_bits == u64::from(self.rank) {
                break;
            }
        }
    }
}

/// A random order of the classes: `ranks[class]`. Over training sets no class is favoured.
pub(crate) fn ranks(classes: usize, stream: &Stream) -> Vec<usize> {
    let mut stream = stream.child(0);
    let mut ranks: Vec<usize> = (0..classes).collect();
    for last in (1..classes).rev() {
        ranks.swap(last, (stream.next_u64() % (last as u64 + 1)) as usize);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use bvlab_core::stream::Purpose;

    use super::*;

    #[test]
    fn every_table_of_classes_stands_in_one_order() {
        for classes in [2, 3, 4, 7, 8, 14, 15, 28, 29, 56, 57, 100] {
            let mut seen: Vec<Vec<u8>> = Vec::new();
            for _ in 0..20 {
                let labels = (0..classes)
                    .rev()
                    .map(|rank| (OrderedLabel::new(rank, classes), 0));
                let table: HashMap<OrderedLabel, i32> = labels.collect();
                let order = table.keys().map(|label| label.rank).collect();
                // The order of insertion does not matter where every class has a place of its own.
                seen.push(order);
            }
            let sorted: Vec<u8> = (0..classes as u8).collect();
            assert!(
                seen.iter().all(|order| *order == sorted),
                "{classes}: {seen:?}"
            );
            // A table of some of the classes may have fewer places, and is in one order all the same.
            for step in [2, 5] {
                let some = || {
                    let some = (0..classes).step_by(step);
                    let some = some.map(|rank| (OrderedLabel::new(rank, classes), 0));
                    let table: HashMap<OrderedLabel, i32> = some.collect();
                    table.keys().map(|label| label.rank).collect::<Vec<u8>>()
                };
                let first = some();
                assert!((0..20).all(|_| some() == first), "{classes} by {step}");
            }
        }
    }

    #[test]
    fn every_order_of_the_classes_is_as_probable() {
        let mut counts = HashMap::new();
        for resample in 0..6000 {
            let ranks = ranks(3, &Stream::new(1, Purpose::Algorithm, resample));
            *counts.entry(ranks).or_insert(0_usize) += 1;
        }
        // Five standard deviations.
        assert_eq!(counts.len(), 6);
        assert!(
            counts.values().all(|count| count.abs_diff(1000) < 145),
            "{counts:?}"
        );
    }
}
