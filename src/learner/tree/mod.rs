//! Regression trees: CART for squared error.

mod line;
mod space;

use std::cmp::Ordering;

use super::family::{Blueprint, DEPTH, Family, Most, Number, Task, whole};
use super::{Learner, Size};
use crate::problem::{Points, Training};
use crate::stream::Stream;
use line::Line;
use space::{Node, Space};

pub(super) const FAMILY: Family = Family {
    name: "tree",
    about: "a regression tree (CART for squared error)",
    numbers: &[
        DEPTH,
        Number {
            name: "leaves",
            about: "largest number of leaves, best splits first",
            least: 1.0,
            above: false,
            most: Most::Value(f64::INFINITY),
            whole: true,
            default: Some(f64::INFINITY),
        },
        Number {
            name: "min-leaf",
            about: "smallest number of training points in a leaf",
            least: 1.0,
            above: false,
            most: Most::Train,
            whole: true,
            default: Some(1.0),
        },
    ],
    choices: &[],
    has_base: false,
    one_dimensional: false,
    task: Task::Numbers,
    build: |Blueprint { settings, .. }| {
        let settings = settings.iter().map(|numbers| TreeSetting {
            depth: whole(numbers[0]),
            leaves: whole(numbers[1]),
            min_leaf: whole(numbers[2]),
            ..Default::default()
        });
        Box::new(Tree::new(settings.collect()))
    },
};

/// One setting of [`Tree`]; `usize::MAX` means no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeSetting {
    /// Largest number of splits on the way to a leaf.
    pub depth: usize,
    /// Largest number of leaves.
    pub leaves: usize,
    /// Smallest number of training points in a leaf.
    pub min_leaf: usize,
    /// Number of features looked at for every split; drawn anew for every node.
    pub tries: usize,
}

impl Default for TreeSetting {
    fn default() -> Self {
        TreeSetting {
            depth: usize::MAX,
            leaves: usize::MAX,
            min_leaf: 1,
            tries: usize::MAX,
        }
    }
}

/// A regression tree: the prediction is the mean label of the training points in x's leaf.
///
/// A node is split where the sum of squared errors falls most, at the midpoint between two
/// neighbouring inputs; points at the threshold go left. Ties go to the first feature, then to the
/// smallest threshold. A node is left alone when its labels are all equal, when its inputs are, or
/// when no split leaves `min-leaf` points on both sides. With `leaves` the split that gains most
/// is always made next.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `depth` | largest number of splits on the way to a leaf | from 0 | no limit |
/// | `leaves` | largest number of leaves, best splits first | from 1 | no limit |
/// | `min-leaf` | smallest number of training points in a leaf | 1 to n | 1 |
///
/// **Cost** of a whole path: one growth, O(d n log n + d n · depth), because a tree cut at depth d
/// *is* the tree grown to depth d, and best-first growth nests by leaves in the same way. Every
/// distinct `min-leaf` is a growth of its own, and so is every distinct `depth` beside a limit on
/// `leaves`. A tree without limits in one dimension need not be grown: every distinct input is a
/// leaf of its own.
///
/// **Reference**: Breiman, Friedman, Olshen and Stone, *Classification and Regression Trees* (1984).
///
/// ```
/// use bvlab::learner::{Learner, Tree, TreeSetting};
/// use bvlab::problem::{Points, Training};
/// use bvlab::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0, 2.0, 3.0]),
///     labels: vec![1.0, 1.0, 5.0, 7.0],
/// };
/// let path = (0..3).map(|depth| TreeSetting { depth, ..Default::default() });
/// let mut tree = Tree::new(path.collect());
/// tree.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// tree.predict(&Points::new(1, vec![2.6]), &mut out);
/// assert_eq!(out, [3.5, 6.0, 7.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Tree {
    capacities: usize,
    growths: Vec<Growth>,
    line: Line,
    space: Space,
}

/// One growth and the settings that are read off it.
#[derive(Clone, Debug)]
struct Growth {
    min_leaf: usize,
    tries: usize,
    depth: usize,
    leaves: usize,
    /// Whether the levels count leaves rather than depth.
    best_first: bool,
    /// (level, setting), by rising level.
    levels: Vec<(usize, usize)>,
    /// The trees of the last fit: in one dimension what every level predicts at every site, in
    /// several the nodes.
    at_sites: Vec<f64>,
    nodes: Vec<Node>,
}

impl Tree {
    /// A path over `settings`, in any order.
    pub fn new(settings: Vec<TreeSetting>) -> Self {
        let mut growths: Vec<Growth> = Vec::new();
        for (c, setting) in settings.iter().enumerate() {
            let best_first = setting.leaves != usize::MAX;
            let level = match best_first {
                true => setting.leaves,
                false => setting.depth,
            };
            let shares = |growth: &&mut Growth| {
                growth.min_leaf == setting.min_leaf
                    && growth.tries == setting.tries
                    && growth.best_first == best_first
                    && (!best_first || growth.depth == setting.depth)
            };
            match growths.iter_mut().find(shares) {
                Some(growth) => {
                    growth.depth = growth.depth.max(setting.depth);
                    growth.leaves = growth.leaves.max(setting.leaves);
                    growth.levels.push((level, c));
                }
                None => growths.push(Growth {
                    min_leaf: setting.min_leaf,
                    tries: setting.tries,
                    depth: setting.depth,
                    leaves: setting.leaves,
                    best_first,
                    levels: vec![(level, c)],
                    at_sites: Vec::new(),
                    nodes: Vec::new(),
                }),
            }
        }
        for growth in &mut growths {
            growth.levels.sort_unstable();
        }
        Tree {
            capacities: settings.len(),
            growths,
            line: Line::default(),
            space: Space::default(),
        }
    }
}

impl Learner for Tree {
    fn capacities(&self) -> usize {
        self.capacities
    }

    fn fit(&mut self, data: &Training, stream: &Stream) {
        if data.inputs.dimension() == 1 {
            self.line.load(data);
            for growth in &mut self.growths {
                self.line.grow(growth);
            }
            return;
        }
        for growth in &mut self.growths {
            self.space.load(data);
            self.space.grow(growth, stream);
        }
    }

    fn predict(&mut self, points: &Points, out: &mut [f64]) {
        match points.dimension() {
            1 => self.line.predict(&self.growths, points, out),
            _ => self.space.predict(&self.growths, points, out),
        }
    }

    fn predict_training(&mut self, data: &Training, out: &mut [f64]) {
        match data.inputs.dimension() {
            1 => self.line.predict_training(&self.growths, &data.inputs, out),
            _ => self.predict(&data.inputs, out),
        }
    }

    fn work(&self, size: Size) -> f64 {
        self.growths.len() as f64 * size.tree() + self.capacities as f64 * size.predictions()
    }
}

/// A node of best-first growth that can be split: the larger gain goes first, then the older node.
#[derive(Clone, Copy, Debug)]
struct Candidate<T> {
    gain: f64,
    age: usize,
    node: T,
}

impl<T> Candidate<T> {
    /// The gain without its last digits, so that rounding does not decide between equal gains.
    fn rank(&self) -> u64 {
        self.gain.to_bits() >> 14
    }
}

impl<T> PartialEq for Candidate<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Candidate<T> {}

impl<T> PartialOrd for Candidate<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Candidate<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        let older = other.age.cmp(&self.age);
        self.rank().cmp(&other.rank()).then(older)
    }
}

/// A later split has to be better than an earlier one by more than rounding: by this share of the
/// node's sum of squared errors.
const MARGIN: f64 = 1e-12;

/// A threshold with `below` at or under it and `above` over it: the midpoint, or `below` itself
/// where rounding would push the midpoint onto `above` (or out of the numbers altogether).
pub(crate) fn between(below: f64, above: f64) -> f64 {
    let middle = below / 2.0 + above / 2.0;
    match below <= middle && middle < above {
        true => middle,
        false => below,
    }
}
