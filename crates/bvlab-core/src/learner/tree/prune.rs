//! Cost-complexity pruning: the weakest link first.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::{Criterion, Growth};
use crate::data::Training;
use crate::maths::ln;

/// A setting that prunes a growth.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrunedSetting {
    /// What a leaf costs.
    pub alpha: f64,
    /// The most leaves.
    pub leaves: usize,
    /// Which setting of the path it is.
    pub setting: usize,
}

/// Where trees are pruned; its memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Pruner {
    nodes: Vec<Link>,
    queue: BinaryHeap<Reverse<Weakest>>,
    steps: Vec<PruneStep>,
    inside: Vec<usize>,
}

/// A node, while its tree is pruned.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    parent: usize,
    points: f64,
    /// The node's error as a leaf, and that of the leaves below it, per training point.
    error: f64,
    below: f64,
    leaves: usize,
    /// The α at which it becomes a leaf, as things stand; 0 for a leaf.
    alpha: f64,
    /// The step in which it became a leaf; 0 as long as it is none.
    step: usize,
}

impl Link {
    /// How much less error a leaf below the node is worth, (R(t) - R(T_t))/(leaves - 1).
    fn strength(&self) -> f64 {
        (self.error - self.below).max(0.0) / (self.leaves - 1) as f64
    }
}

/// A step of pruning: the α at which it is made, and the leaves that are left.
#[derive(Clone, Copy, Debug)]
struct PruneStep {
    alpha: f64,
    leaves: usize,
}

/// A node in the queue: the smallest α comes first, and among equals the first node.
#[derive(Clone, Copy, Debug)]
struct Weakest {
    alpha: f64,
    node: usize,
}

impl Ord for Weakest {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_alpha = self.alpha.total_cmp(&other.alpha);
        by_alpha.then(self.node.cmp(&other.node))
    }
}

impl PartialOrd for Weakest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Weakest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Weakest {}

/// Steps whose α differ by less, as a share of the root's error, are one: rounding does not
/// decide which comes first.
const MARGIN: f64 = 1e-12;

impl Pruner {
    /// Prunes a growth of that training set: its levels become those of the sequence of pruned trees.
    ///
    /// With K steps from the whole tree to the root, the tree after k of them has level K - k, and a
    /// node that becomes a leaf in step k is one up to level K - k.
    pub fn prune(
        &mut self,
        growth: &mut Growth,
        data: &Training,
        classes: usize,
        criterion: Criterion,
    ) {
        self.weigh(growth, data, classes, criterion);
        self.queue.clear();
        self.queue.reserve(data.len());
        for (node, link) in self.nodes.iter().enumerate() {
            if link.leaves > 1 {
                let alpha = link.alpha;
                self.queue.push(Reverse(Weakest { alpha, node }));
            }
        }
        self.steps.clear();
        self.steps.reserve(data.len());
        self.inside.reserve(data.len());
        while let Some(Reverse(Weakest { alpha, node })) = self.queue.pop() {
            let link = self.nodes[node];
            if link.step > 0 {
                continue;
            }
            // What is cut below a node only makes it stronger.
            match link.alpha > alpha {
                true => {
                    let alpha = link.alpha;
                    self.queue.push(Reverse(Weakest { alpha, node }));
                }
                false => self.collapse(growth, node),
            }
        }
        let steps = self.steps.len();
        for (node, link) in growth.nodes.iter_mut().zip(&self.nodes) {
            if link.step > 0 {
                node.split_level = steps - link.step;
            }
        }
        growth.levels.clear();
        for wanted in &growth.wanted {
            let level = steps - self.steps_for(*wanted);
            growth.levels.push((level, wanted.setting));
        }
        growth.levels.sort_unstable();
    }

    /// Errors and leaves of every node, from the bottom to the root.
    fn weigh(&mut self, growth: &Growth, data: &Training, classes: usize, criterion: Criterion) {
        self.nodes.clear();
        self.nodes.reserve(2 * data.len());
        self.nodes.resize(growth.nodes.len(), Link::default());
        for (x, y) in data.inputs.rows().zip(&data.labels) {
            let mut at = 0;
            loop {
                let (node, link) = (growth.nodes[at], &mut self.nodes[at]);
                link.points += 1.0;
                if classes == 0 {
                    let away = y - growth.values[at];
                    link.error += away * away;
                }
                if node.left == 0 {
                    break;
                }
                let right = x[node.feature as usize] > node.threshold;
                at = node.left as usize + usize::from(right);
            }
        }
        for at in (0..self.nodes.len()).rev() {
            let link = &mut self.nodes[at];
            if classes > 0 {
                let shares = &growth.values[at * growth.outputs..][..growth.outputs];
                link.error = link.points * impurity(shares, criterion);
            }
            link.error /= data.len() as f64;
            match growth.nodes[at].left as usize {
                0 => {
                    link.below = link.error;
                    link.leaves = 1;
                }
                left => self.join(at, left),
            }
        }
    }

    /// What a node has below it, from its children.
    fn join(&mut self, at: usize, left: usize) {
        let [a, b] = [self.nodes[left], self.nodes[left + 1]];
        self.nodes[left].parent = at;
        self.nodes[left + 1].parent = at;
        let link = &mut self.nodes[at];
        link.below = a.below + b.below;
        link.leaves = a.leaves + b.leaves;
        link.alpha = link.strength();
    }

    /// Makes a leaf of a node, and tells its ancestors.
    fn collapse(&mut self, growth: &Growth, node: usize) {
        let step = self.steps.len() + 1;
        let last = self.steps.last().map_or(0.0, |step| step.alpha);
        let alpha = self.nodes[node].alpha.max(last);
        self.inside.clear();
        self.inside.push(node);
        while let Some(at) = self.inside.pop() {
            let left = growth.nodes[at].left as usize;
            if left > 0 && self.nodes[at].step == 0 {
                self.nodes[at].step = step;
                self.inside.extend([left, left + 1]);
            }
        }
        let link = &mut self.nodes[node];
        link.below = link.error;
        link.leaves = 1;
        let mut at = node;
        while at > 0 {
            at = self.nodes[at].parent;
            self.join(at, growth.nodes[at].left as usize);
        }
        let leaves = self.nodes[0].leaves;
        self.steps.push(PruneStep { alpha, leaves });
    }

    /// How many steps a setting takes.
    fn steps_for(&self, wanted: PrunedSetting) -> usize {
        let cheap = self
            .steps
            .partition_point(|step| step.alpha <= wanted.alpha);
        // A binary tree has one leaf more than other nodes.
        let all = self.nodes.len().div_ceil(2);
        let many = |step: &PruneStep| step.leaves > wanted.leaves;
        let mut steps = match all > wanted.leaves {
            true => (self.steps.partition_point(many) + 1).min(self.steps.len()),
            false => 0,
        };
        let margin = MARGIN * self.nodes.first().map_or(0.0, |root| root.error);
        while steps > 0
            && let Some(next) = self.steps.get(steps)
            && next.alpha <= self.steps[steps - 1].alpha + margin
        {
            steps += 1;
        }
        steps.max(cheap)
    }
}

/// Gini impurity or entropy of a node with these shares of classes; of two classes the share of one is
/// enough.
fn impurity(shares: &[f64], criterion: Criterion) -> f64 {
    let of = |share: f64| match criterion {
        Criterion::Gini => share * (1.0 - share),
        Criterion::Entropy if share > 0.0 => -share * ln(share),
        Criterion::Entropy => 0.0,
    };
    match shares {
        [share] => of(*share) + of(1.0 - share),
        _ => shares.iter().map(|share| of(*share)).sum(),
    }
}
