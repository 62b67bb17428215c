//! Classification trees for weighted points.
//!
//! Columns and their splits, the order of features and thresholds are those of [`Tree`](super::super::Tree).
//! The search for a split is not: weights are real numbers that change every round, so that neither the
//! counts of equal rows nor the tables of 1/n and n ln n serve, a stump needs no parted columns, and a
//! last split has to lower the impurity.

use crate::data::Points;
use crate::learner::{ColumnSplit, FeatureOrder, SortedColumns, between, child_key};
use crate::probability::Preference;
use crate::stream::Stream;

/// The impurity of a node, from the weight of every class: between 0 and the whole weight.
pub(crate) type Impurity = fn(&[f64]) -> f64;

/// Gini: the weight times the chance that two points drawn by weight differ in class.
pub(crate) fn gini(leaf: &[f64]) -> f64 {
    let weight: f64 = leaf.iter().sum();
    match weight > 0.0 {
        true => weight - leaf.iter().map(|part| part * part).sum::<f64>() / weight,
        false => 0.0,
    }
}

/// The weight of what is not in the majority: a stump with the least of it has the least error.
pub(crate) fn minority(leaf: &[f64]) -> f64 {
    leaf.iter().sum::<f64>() - leaf.iter().copied().fold(0.0, f64::max)
}

/// A node of a tree, whose first is the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ClassNode {
    /// The majority class, which is the prediction if this is a leaf.
    pub class: u32,
    pub feature: u32,
    pub threshold: f64,
    /// The left child, for points up to the threshold; the right one follows it. 0 for a leaf.
    pub left: u32,
}

impl ClassNode {
    fn leaf(class: u32) -> Self {
        ClassNode {
            class,
            feature: 0,
            threshold: f64::INFINITY,
            left: 0,
        }
    }
}

/// The class that a tree gives to a point.
pub(super) fn class_of(nodes: &[ClassNode], x: &[f64]) -> u32 {
    let mut node = &nodes[0];
    while node.left > 0 {
        let goes_left = x[node.feature as usize] <= node.threshold;
        node = &nodes[node.left as usize + usize::from(!goes_left)];
    }
    node.class
}

/// A later split has to be better than an earlier one by more than rounding: by this share of the
/// node's weight.
pub(super) const MARGIN: f64 = 1e-12;

/// Grows trees on one set of points with changing weights; its memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct WeightedGrower {
    /// By feature: the points by rising coordinate.
    orders: Vec<Vec<u32>>,
    /// Those of them that have weight.
    columns: SortedColumns,
    waiting: Vec<PendingNode>,
    order: FeatureOrder,
    preference: Preference,
    all: Vec<f64>,
    under: Vec<f64>,
    over: Vec<f64>,
}

/// Labelled points with weights.
#[derive(Clone, Copy)]
pub(super) struct WeightedPoints<'a> {
    pub inputs: &'a Points,
    pub members: &'a [u32],
    pub weights: &'a [f64],
}

#[derive(Clone, Copy, Debug)]
struct PendingNode {
    node: usize,
    start: usize,
    end: usize,
    depth: usize,
    key: u64,
}

impl WeightedGrower {
    /// Sorts the points by every coordinate.
    pub fn load(&mut self, inputs: &Points, classes: usize) {
        let count = inputs.len();
        self.orders.resize_with(inputs.dimension(), Vec::new);
        for leaf in [&mut self.all, &mut self.under, &mut self.over] {
            leaf.resize(classes, 0.0);
        }
        for (feature, order) in self.orders.iter_mut().enumerate() {
            order.clear();
            if inputs.dimension() == 1 {
                order.extend_from_slice(inputs.order());
                continue;
            }
            order.extend(0..count as u32);
            let at = |i: u32| inputs.get(i as usize, feature);
            order.sort_unstable_by(|a, b| at(*a).total_cmp(&at(*b)).then(a.cmp(b)));
        }
    }

    /// Grows a tree of that depth into `nodes`. The stream belongs to this tree alone, and chooses
    /// between equal features and equal classes.
    pub fn grow(
        &mut self,
        data: WeightedPoints,
        depth: usize,
        impurity: Impurity,
        stream: &Stream,
        nodes: &mut Vec<ClassNode>,
    ) {
        let points = data.weights.len();
        let end = data.weights.iter().filter(|weight| **weight > 0.0).count();
        self.columns.resize(self.orders.len(), end, points, points);
        for (column, order) in self.columns.root_mut().zip(&self.orders) {
            let heavy = order.iter().filter(|i| data.weights[**i as usize] > 0.0);
            for (place, i) in column.iter_mut().zip(heavy) {
                *place = *i;
            }
        }
        self.preference = Preference::of(stream);
        self.waiting.clear();
        self.waiting.reserve(end);
        let first = nodes.len();
        nodes.push(ClassNode::leaf(0));
        self.waiting.push(PendingNode {
            node: first,
            start: 0,
            end,
            depth: 0,
            key: stream.salt(),
        });
        while let Some(pending) = self.waiting.pop() {
            self.weigh(data, pending);
            nodes[pending.node].class = self.majority(&self.all);
            let pure = self.all.iter().filter(|weight| **weight > 0.0).count() < 2;
            if pure || pending.depth >= depth {
                continue;
            }
            let last = pending.depth + 1 == depth;
            let Some((split, classes)) = self.best_split(data, pending, impurity, last) else {
                continue;
            };
            let left = nodes.len();
            let node = &mut nodes[pending.node];
            node.feature = split.feature as u32;
            node.threshold = split.threshold;
            node.left = (left - first) as u32;
            nodes.extend(classes.map(ClassNode::leaf));
            if last {
                continue;
            }
            let PendingNode {
                start, end, depth, ..
            } = pending;
            self.columns.part(depth, start, end, &split);
            for (side, start, end) in [(1, split.middle, end), (0, start, split.middle)] {
                self.waiting.push(PendingNode {
                    node: left + side,
                    start,
                    end,
                    depth: pending.depth + 1,
                    key: child_key(pending.key, 1 + side as u64),
                });
            }
        }
    }

    /// The class of the largest weight.
    fn majority(&self, leaf: &[f64]) -> u32 {
        self.preference.choose(leaf) as u32
    }

    /// The weight of every class in a node.
    fn weigh(&mut self, data: WeightedPoints, pending: PendingNode) {
        self.all.fill(0.0);
        let PendingNode {
            start, end, depth, ..
        } = pending;
        for &i in self.columns.range(depth, 0, start, end) {
            self.all[data.members[i as usize] as usize] += data.weights[i as usize];
        }
    }

    /// The split of the least impurity, and the classes of its sides; among equals that of the feature
    /// which comes first in the node's order, at the smallest threshold. A split into leaves has to lower
    /// the impurity; further up any split will do, since the next ones may.
    fn best_split(
        &mut self,
        data: WeightedPoints,
        pending: PendingNode,
        impurity: Impurity,
        last: bool,
    ) -> Option<(ColumnSplit, [u32; 2])> {
        let PendingNode {
            start, end, depth, ..
        } = pending;
        let margin = MARGIN * self.all.iter().sum::<f64>();
        let mut least = match last {
            true => impurity(&self.all),
            false => f64::INFINITY,
        };
        let mut best = None;
        self.order.begin(self.orders.len(), pending.key);
        for feature in self.order.by_ref() {
            let column = self.columns.range(depth, feature, start, end);
            self.under.fill(0.0);
            for (middle, pair) in (start + 1..).zip(column.windows(2)) {
                let [i, next] = [pair[0], pair[1]].map(|i| i as usize);
                self.under[data.members[i] as usize] += data.weights[i];
                let [here, there] = [i, next].map(|i| data.inputs.get(i, feature));
                if here == there {
                    continue;
                }
                let sides = self.all.iter().zip(&self.under);
                for (over, (all, under)) in self.over.iter_mut().zip(sides) {
                    *over = f64::max(all - under, 0.0);
                }
                let found = impurity(&self.under) + impurity(&self.over);
                if found < least - margin {
                    least = found;
                    let split = ColumnSplit {
                        feature,
                        threshold: between(here, there),
                        middle,
                    };
                    let sides = [&self.under, &self.over];
                    best = Some((split, sides.map(|leaf| self.preference.choose(leaf) as u32)));
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Purpose;

    #[test]
    fn a_point_without_weight_does_not_move_a_threshold() {
        let inputs = Points::new(1, vec![0.0, 1.0, 2.0, 5.0]);
        let mut grower = WeightedGrower::default();
        grower.load(&inputs, 2);
        for (weights, threshold) in [([0.5, 0.0, 0.5, 0.0], 1.0), ([0.5, 0.0, 0.0, 0.5], 2.5)] {
            let data = WeightedPoints {
                inputs: &inputs,
                members: &[0, 0, 1, 1],
                weights: &weights,
            };
            let mut nodes = Vec::new();
            let stream = Stream::new(1, Purpose::Algorithm, 0);
            grower.grow(data, 1, gini, &stream, &mut nodes);
            assert_eq!((nodes[0].threshold, nodes.len()), (threshold, 3));
            assert_eq!((nodes[1].class, nodes[2].class), (0, 1));
        }
    }
}
