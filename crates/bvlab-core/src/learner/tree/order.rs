//! The order in which a node looks at the features.

use crate::stream::{GOLDEN, mix};

/// All features in random order, found one by one: most nodes look at a few only. Each order of
/// the features is as likely as any other, so whichever comes first among equals is a fair choice
/// between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct FeatureOrder {
    features: Vec<u32>,
    next: usize,
    state: u64,
}

impl FeatureOrder {
    /// Begins the order of a node, which is a function of the node's key.
    pub fn begin(&mut self, count: usize, key: u64) {
        self.features.clear();
        self.features.extend(0..count as u32);
        self.next = 0;
        self.state = key;
    }
}

impl Iterator for FeatureOrder {
    type Item = usize;

    /// One step of Fisher and Yates.
    fn next(&mut self) -> Option<usize> {
        let rest = self.features.get_mut(self.next..)?;
        self.state = self.state.wrapping_add(GOLDEN);
        let place = ((mix(self.state) >> 32) * rest.len() as u64) >> 32;
        let feature = *rest.get(place as usize)?;
        rest.swap(0, place as usize);
        self.next += 1;
        Some(feature as usize)
    }
}

/// The key of a node's left (1) or right (2) child. It says where in the tree the child is, not when
/// it was grown, so that every cut of the tree looked at the same features. A root has the salt of
/// its tree's stream.
pub(crate) fn child_key(key: u64, side: u64) -> u64 {
    mix(key ^ side)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All 24 orders of four features, and all pairs of orders of a node and its children.
    #[test]
    fn all_orders_are_as_likely_and_nodes_do_not_share_them() {
        const KEYS: u64 = 48_000;
        let mut order = FeatureOrder::default();
        let mut of = |key: u64| {
            order.begin(4, key);
            let all: Vec<usize> = order.by_ref().collect();
            let mut sorted = all.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
            all.iter().fold(0, |number, feature| 4 * number + feature)
        };
        let mut alone = [0_u64; 256];
        let mut shared = [0_u64; 3];
        for i in 0..KEYS {
            let root = mix(i.wrapping_mul(GOLDEN));
            let [left, right] = [1, 2].map(|side| of(child_key(root, side)));
            let root = of(root);
            alone[root] += 1;
            for (count, same) in shared
                .iter_mut()
                .zip([root == left, root == right, left == right])
            {
                *count += u64::from(same);
            }
        }
        let seen = alone.iter().filter(|count| **count > 0);
        assert_eq!(seen.count(), 24);
        // Five standard deviations of a count with mean 2000.
        for count in alone.into_iter().filter(|count| *count > 0).chain(shared) {
            assert!(count.abs_diff(KEYS / 24) < 220, "{alone:?} {shared:?}");
        }
    }

    #[test]
    fn no_features_have_an_order_too() {
        let mut order = FeatureOrder::default();
        order.begin(0, 1);
        assert_eq!(order.next(), None);
    }
}
