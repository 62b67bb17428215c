//! Trees: CART for squared error, and for classes.

mod columns;
mod line;
mod measure;
mod order;
mod prune;
mod space;
mod table;

use std::cmp::Ordering;

use super::family::{Blueprint, CRITERION, DEPTH, Family, LEAVES, LabelKind};
use super::grouping::group_of;
use super::{Learner, Size};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::parameter::{Most, Parameter};
use crate::probability::both_of_two;
use crate::stream::Stream;
pub(crate) use columns::{ColumnSplit, SortedColumns};
use line::LineTrees;
pub(crate) use order::{FeatureOrder, child_key};
use prune::PrunedSetting;
use space::{SPACE, TreeNode};

pub(super) const FAMILY: Family = Family::new(
    "tree",
    "a tree of splits (CART): the mean label of a leaf, or its shares of classes",
    build,
)
.parameters(&[
    DEPTH,
    LEAVES,
    Parameter::whole("min-leaf", "smallest number of training points in a leaf")
        .least(1.0)
        .most(Most::Train)
        .default(1.0)
        .usual(1.0, 30.0),
    Parameter::number(
        "alpha",
        "cost of a leaf in pruning, against the mean squared error or the mean impurity",
    )
    .symbol("α")
    .default(0.0)
    .usual(1e-4, 1.0),
    Parameter::whole(
        "pruned-leaves",
        "largest number of leaves after pruning, the weakest links cut first",
    )
    .least(1.0)
    .default(f64::INFINITY)
    .usual(1.0, 30.0),
])
.choices(&[CRITERION])
.labels(LabelKind::Both)
.one_fit("every depth, or every number of leaves; and every pruned tree");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| TreeSetting {
        depth: setting.whole("depth"),
        leaves: setting.whole("leaves"),
        min_leaf: setting.whole("min-leaf"),
        alpha: setting.number("alpha"),
        pruned_leaves: setting.whole("pruned-leaves"),
        ..Default::default()
    });
    let settings = settings.collect();
    let criterion = Criterion::chosen(&blueprint);
    Box::new(Tree::grown_for(settings, blueprint.classes, criterion))
}

/// What a tree for classes is grown to lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// The Gini impurity 1 - Σ_k p_k².
    #[default]
    Gini,
    /// The entropy -Σ_k p_k ln p_k.
    Entropy,
}

impl Criterion {
    /// That of a family with the choice [`CRITERION`].
    pub(super) fn chosen(blueprint: &Blueprint) -> Self {
        let criteria = [("gini", Criterion::Gini), ("entropy", Criterion::Entropy)];
        blueprint.chosen(CRITERION.name, &criteria)
    }
}

/// One setting of [`Tree`]; `usize::MAX` means no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeSetting {
    /// Largest number of splits on the way to a leaf.
    pub depth: usize,
    /// Largest number of leaves.
    pub leaves: usize,
    /// Smallest number of training points in a leaf.
    pub min_leaf: usize,
    /// Number of features looked at for every split, the first ones in the node's own order; where
    /// none of them can be split, more are looked at until one can.
    pub tries: usize,
    /// What a leaf costs when the tree is pruned; 0 for no pruning.
    pub alpha: f64,
    /// Largest number of leaves after pruning.
    pub pruned_leaves: usize,
}

impl TreeSetting {
    fn is_pruned(&self) -> bool {
        self.alpha > 0.0 || self.pruned_leaves != usize::MAX
    }
}

impl Default for TreeSetting {
    fn default() -> Self {
        TreeSetting {
            depth: usize::MAX,
            leaves: usize::MAX,
            min_leaf: 1,
            tries: usize::MAX,
            alpha: 0.0,
            pruned_leaves: usize::MAX,
        }
    }
}

/// A tree: the prediction is the mean label of the training points in x's leaf; of a
/// [`Tree::classifier`], the probability of a class is its share of them.
///
/// A node is split where the sum of squared errors falls most, or for classes n times the
/// [impurity](Criterion), at the midpoint between two neighbouring inputs; points at the threshold
/// go left. The best split is made even if it gains nothing, as the first one of an exclusive or. A
/// node is left alone when its labels are all equal, when its inputs are, or when no split leaves
/// `min-leaf` points on both sides. With `leaves` the split that gains most is always made next.
///
/// Ties between features are broken at random, those between thresholds of one feature go to the
/// smallest. Such ties are common, since every feature parts two points equally well: a rule such as
/// "the first feature" would favour columns by their order. Every node looks at the features in an
/// order of its own, which depends on the stream and on the node's place in the tree but not on the
/// settings, so that one growth still gives every depth and every number of leaves. The choice is
/// randomness of the algorithm, and a part of the variance. In one dimension there is nothing to
/// choose.
///
/// A tree that was grown may be pruned: of all trees that are left when some of its splits are undone,
/// the one that minimises error + α leaves is taken, the smaller one of two. The error is the mean
/// squared error on the training set, or for classes the mean impurity of the points' leaves. As α grows,
/// splits are undone one after the other, always those below the node where a leaf is worth least
/// (the weakest link). With `pruned-leaves`, α is raised until no more leaves are left; one number
/// may lead to several fewer.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `depth` | largest number of splits on the way to a leaf | from 0 | no limit |
/// | `leaves` | largest number of leaves, best splits first | from 1 | no limit |
/// | `min-leaf` | smallest number of training points in a leaf | 1 to n | 1 |
/// | `alpha` | α, the cost of a leaf in pruning | from 0 | 0: not pruned |
/// | `pruned-leaves` | largest number of leaves after pruning | from 1 | no limit |
/// | `criterion` | for classes: what a split is to lower | `gini` or `entropy` | `gini` |
///
/// **Cost** of a whole path: one growth, O(d n log n + d n · depth), because a tree cut at depth d
/// *is* the tree grown to depth d, and best-first growth nests by leaves in the same way. Every
/// distinct `min-leaf` is a growth of its own, and so is every distinct `depth` beside a limit on
/// `leaves`. One growth also gives every pruned tree with the same limits: to send the training
/// set down once, O(n · depth), and to undo one split after the other, O(n · depth · log n) at worst.
/// A tree without limits in one dimension need not be grown: every distinct input is a
/// leaf of its own. Rows that a thread's last trees saw need not be sorted again, and equal rows are
/// one row of more weight: a bootstrap of known rows costs O(d n · depth) alone.
///
/// **Reference**: Breiman, Friedman, Olshen and Stone, *Classification and Regression Trees* (1984).
///
/// ```
/// use bvlab_core::learner::{Learner, Tree, TreeSetting};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
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
///
/// Three classes:
///
/// ```
/// use bvlab_core::learner::{Criterion, Learner, Tree, TreeSetting};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0, 2.0, 3.0]),
///     labels: vec![0.0, 0.0, 1.0, 2.0],
/// };
/// let path = (0..2).map(|depth| TreeSetting { depth, ..Default::default() });
/// let mut tree = Tree::classifier(path.collect(), 3, Criterion::Gini);
/// tree.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 6];
/// tree.predict(&Points::new(1, vec![2.6]), &mut out);
/// assert_eq!(out, [0.5, 0.25, 0.25, 0.0, 0.5, 0.5]);
/// ```
#[derive(Clone, Debug)]
pub struct Tree {
    capacities: usize,
    growths: Vec<Growth>,
    /// Those that are pruned. They have nodes, on a line too.
    pruned: Vec<Growth>,
    /// How many classes there are; 0 where labels are numbers.
    classes: usize,
    criterion: Criterion,
    line: LineTrees,
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
    /// The settings that prune it; their levels depend on the data.
    wanted: Vec<PrunedSetting>,
    /// The trees of the last fit: in one dimension what every level predicts at every site, in
    /// several the nodes and what they predict, so many numbers each.
    at_sites: Vec<f64>,
    nodes: Vec<TreeNode>,
    values: Vec<f64>,
    outputs: usize,
}

impl Tree {
    /// A path over `settings`, in any order, for labels that are numbers.
    pub fn new(settings: Vec<TreeSetting>) -> Self {
        Tree::grown_for(settings, 0, Criterion::default())
    }

    /// The same for labels that are classes 0, 1, …, K - 1.
    pub fn classifier(settings: Vec<TreeSetting>, classes: usize, criterion: Criterion) -> Self {
        Tree::grown_for(settings, classes.max(1), criterion)
    }

    fn grown_for(settings: Vec<TreeSetting>, classes: usize, criterion: Criterion) -> Self {
        // Of two classes the probability of one is enough.
        let outputs = match classes {
            0..=2 => 1,
            more => more,
        };
        let (mut growths, mut pruned): (Vec<Growth>, Vec<Growth>) = Default::default();
        for (c, setting) in settings.iter().enumerate() {
            let best_first = setting.leaves != usize::MAX;
            let is_pruned = setting.is_pruned();
            let level = match best_first {
                true => setting.leaves,
                false => setting.depth,
            };
            let shares = |growth: &Growth| {
                growth.min_leaf == setting.min_leaf
                    && growth.tries == setting.tries
                    && growth.best_first == best_first
                    && (!(best_first || is_pruned) || growth.depth == setting.depth)
                    && (!is_pruned || growth.leaves == setting.leaves)
            };
            let growths = match is_pruned {
                true => &mut pruned,
                false => &mut growths,
            };
            let growth = group_of(growths, shares, || Growth {
                min_leaf: setting.min_leaf,
                tries: setting.tries,
                depth: setting.depth,
                leaves: setting.leaves,
                best_first,
                levels: Vec::new(),
                wanted: Vec::new(),
                at_sites: Vec::new(),
                nodes: Vec::new(),
                values: Vec::new(),
                outputs,
            });
            growth.depth = growth.depth.max(setting.depth);
            growth.leaves = growth.leaves.max(setting.leaves);
            match is_pruned {
                true => growth.wanted.push(PrunedSetting {
                    alpha: setting.alpha,
                    leaves: setting.pruned_leaves,
                    setting: c,
                }),
                false => growth.levels.push((level, c)),
            }
        }
        for growth in &mut growths {
            growth.levels.sort_unstable();
        }
        Tree {
            capacities: settings.len(),
            growths,
            pruned,
            classes,
            criterion,
            line: LineTrees::default(),
        }
    }

    /// Grows and prunes the trees that are pruned.
    fn fit_pruned(
        &mut self,
        data: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        if self.pruned.is_empty() {
            return Ok(());
        }
        let (growths, classes, criterion) = (&mut self.pruned, self.classes, self.criterion);
        SPACE.with_borrow_mut(|space| {
            space.grow(growths, data, classes, criterion, stream, interrupt)?;
            interrupt.check(20 * growths.len() * data.len())?;
            space.prune(growths, data, classes, criterion);
            Ok(())
        })
    }

    fn predict_pruned(&self, points: &Points, out: &mut [f64]) {
        if !self.pruned.is_empty() {
            SPACE.with_borrow_mut(|space| space.predict(&self.pruned, points, out));
        }
    }

    /// Whether inputs of that dimension need nothing but the line. On labels 0 and 1 the mean is the
    /// share of class 1, and squared error is Gini impurity.
    fn on_a_line(&self, dimension: usize) -> bool {
        let numbers = self.classes == 0 || (self.classes == 2 && self.criterion == Criterion::Gini);
        dimension == 1 && numbers
    }

    /// Makes rows of probabilities of what was predicted, if there are two classes.
    fn finish(&self, out: &mut [f64]) {
        if self.classes == 2 {
            both_of_two(out);
        }
    }
}

impl Learner for Tree {
    fn capacities(&self) -> usize {
        self.capacities
    }

    fn try_fit(
        &mut self,
        data: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.fit_pruned(data, stream, interrupt)?;
        if self.growths.is_empty() {
            return Ok(());
        }
        if self.on_a_line(data.inputs.dimension()) {
            self.line.load(data);
            for growth in &mut self.growths {
                let each = 10 * data.len().max(1).ilog2() as usize + growth.levels.len();
                interrupt.check(data.len() * each)?;
                self.line.grow(growth);
            }
            return Ok(());
        }
        let (growths, classes, criterion) = (&mut self.growths, self.classes, self.criterion);
        SPACE.with_borrow_mut(|space| {
            space.grow(growths, data, classes, criterion, stream, interrupt)
        })
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        match self.on_a_line(points.dimension()) {
            _ if self.growths.is_empty() => {}
            true => self.line.predict(&self.growths, points, out),
            false => SPACE.with_borrow_mut(|space| space.predict(&self.growths, points, out)),
        }
        self.predict_pruned(points, out);
        self.finish(out);
        interrupt.check(out.len() + 10 * points.len())
    }

    fn try_predict_training(
        &mut self,
        data: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        if self.on_a_line(data.inputs.dimension()) {
            if !self.growths.is_empty() {
                self.line.predict_training(&self.growths, &data.inputs, out);
            }
            self.predict_pruned(&data.inputs, out);
            self.finish(out);
            interrupt.check(out.len())
        } else {
            self.try_predict(&data.inputs, out, interrupt)
        }
    }

    fn operations(&self, size: Size) -> f64 {
        let predictions = size.predictions() * size.outputs;
        let growths = self.growths.len() as f64 + 2.0 * self.pruned.len() as f64;
        growths * size.tree() + self.capacities as f64 * predictions
    }

    fn numbers_held(&self, size: Size) -> f64 {
        // On a line what every setting predicts, else up to two nodes for every point.
        let growths = self.growths.len() + self.pruned.len();
        let nodes = 2.0 * growths as f64 * (size.outputs + 4.0);
        size.train * nodes.max(self.capacities as f64)
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
