//! Trees in several dimensions.

use std::cell::RefCell;
use std::collections::BinaryHeap;
use std::hint::select_unpredictable;
use std::ops::RangeInclusive;

use super::columns::{ColumnSplit, SortedColumns};
use super::measure::{ClassImpurity, Measure, NodeSummary, Squares};
use super::order::{FeatureOrder, child_key};
use super::prune::Pruner;
use super::table::RowTable;
use super::{Candidate, Criterion, Growth, MARGIN, between};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::stream::Stream;

thread_local! {
    /// One per thread: the members of an ensemble share the sorted rows, and memory that they use one
    /// after the other.
    pub(super) static SPACE: RefCell<Space> = RefCell::default();
}

/// A node of a tree: a leaf up to the level at which it is split. Levels count depth, or in best-first
/// growth the leaves of the whole tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeNode {
    /// The last level at which it is a leaf.
    pub split_level: usize,
    pub feature: u32,
    pub threshold: f64,
    /// The left child; the right one follows it. 0 where the node was never split.
    pub left: u32,
}

/// The points of a range of the index that reach a node; levels before `first` belong to its
/// ancestors.
#[derive(Clone, Copy, Debug)]
struct Descent {
    node: usize,
    start: usize,
    end: usize,
    first: usize,
}

impl Growth {
    /// Sends all points down the tree together, and writes the predictions of every level.
    fn spread(
        &self,
        points: &Points,
        index: &mut [u32],
        descents: &mut Vec<Descent>,
        out: &mut [f64],
    ) {
        descents.push(Descent {
            node: 0,
            start: 0,
            end: index.len(),
            first: 0,
        });
        while let Some(Descent {
            node,
            start,
            end,
            first,
        }) = descents.pop()
        {
            let value = &self.values[node * self.outputs..][..self.outputs];
            let node = self.nodes[node];
            let here = &mut index[start..end];
            let levels = &self.levels[first..];
            let ended = levels.partition_point(|&(level, _)| level <= node.split_level);
            for &(_, c) in &levels[..ended] {
                let length = points.len() * self.outputs;
                let out = &mut out[c * length..][..length];
                match *value {
                    [value] => here.iter().for_each(|&j| out[j as usize] = value),
                    _ => {
                        for &j in &*here {
                            let place = j as usize * value.len();
                            out[place..][..value.len()].copy_from_slice(value);
                        }
                    }
                }
            }
            if ended == levels.len() || here.is_empty() {
                continue;
            }
            let goes_left =
                |j: u32| points.get(j as usize, node.feature as usize) <= node.threshold;
            let middle = start + partition(here, goes_left);
            let first = first + ended;
            let [left, right] = [node.left as usize, node.left as usize + 1];
            descents.push(Descent {
                node: right,
                start: middle,
                end,
                first,
            });
            descents.push(Descent {
                node: left,
                start,
                end: middle,
                first,
            });
        }
    }
}

/// Moves those that satisfy the predicate to the front and returns their number.
fn partition(index: &mut [u32], mut goes_left: impl FnMut(u32) -> bool) -> usize {
    let mut middle = 0;
    for i in 0..index.len() {
        // In any case: among those that go right, order does not matter.
        let left = goes_left(index[i]);
        index.swap(i, middle);
        middle += usize::from(left);
    }
    middle
}

/// Where trees are grown; its memory is kept from one growth to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Space {
    table: RowTable,
    squares: Squares,
    gini: ClassImpurity<false>,
    entropy: ClassImpurity<true>,
    grower: TreeGrower,
    pruner: Pruner,
    /// Points on their way down.
    index: Vec<u32>,
    descents: Vec<Descent>,
}

impl Space {
    /// Grows the trees of a training set: for labels that are numbers, or for `classes`.
    pub fn grow(
        &mut self,
        growths: &mut [Growth],
        data: &Training,
        classes: usize,
        criterion: Criterion,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let Space {
            table,
            squares,
            gini,
            entropy,
            grower,
            descents,
            ..
        } = self;
        table.load(data);
        descents.reserve(data.len() + 1);
        let count = data.len();
        let key = stream.salt();
        match (classes, criterion) {
            (0, _) | (2, Criterion::Gini) => {
                grower.grow(growths, table, squares, count, key, interrupt)
            }
            (_, Criterion::Gini) => {
                grower.grow(growths, table, gini.of(classes), count, key, interrupt)
            }
            _ => grower.grow(growths, table, entropy.of(classes), count, key, interrupt),
        }
    }

    /// Prunes the trees that were grown of a training set.
    pub fn prune(
        &mut self,
        growths: &mut [Growth],
        data: &Training,
        classes: usize,
        criterion: Criterion,
    ) {
        for growth in growths {
            self.pruner.prune(growth, data, classes, criterion);
        }
    }

    /// Predicts with all growths.
    pub fn predict(&mut self, growths: &[Growth], points: &Points, out: &mut [f64]) {
        self.index.clear();
        self.index.extend(0..points.len() as u32);
        for growth in growths {
            growth.spread(points, &mut self.index, &mut self.descents, out);
        }
    }
}

/// The growing of a tree. A site is a row of the table, with all points of the training set that
/// are like it.
#[derive(Clone, Debug, Default)]
struct TreeGrower {
    /// The sites.
    columns: SortedColumns,
    order: FeatureOrder,
    frontier: BinaryHeap<Candidate<Splittable>>,
    waiting: Vec<Splittable>,
}

/// A node that can be split, and how.
#[derive(Clone, Copy, Debug)]
struct Splittable {
    node: usize,
    depth: usize,
    start: usize,
    end: usize,
    split: ColumnSplit,
    key: u64,
}

/// A node that was just added: its range of sites and its place in the tree.
#[derive(Clone, Copy, Debug)]
struct NewNode {
    node: usize,
    start: usize,
    end: usize,
    points: u32,
    depth: usize,
    key: u64,
}

/// A node of more sites is large.
const LARGE: usize = 256;

impl TreeGrower {
    fn grow<M: Measure>(
        &mut self,
        growths: &mut [Growth],
        table: &RowTable,
        measure: &mut M,
        count: usize,
        key: u64,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        measure.load(table.sites(), table.rows(), count);
        // Enough for every tree of that many points, so that a larger tree than before allocates
        // nothing.
        let (sites, rows) = (table.sites().len(), table.rows().max(2 * count));
        self.columns.resize(table.dimension(), sites, rows, count);
        self.frontier.reserve(count);
        self.waiting.reserve(count);
        for growth in growths {
            for (feature, column) in self.columns.root_mut().enumerate() {
                table.sorted(feature, column);
            }
            growth.nodes.clear();
            growth.nodes.reserve(2 * count);
            growth.values.clear();
            growth.values.reserve(2 * count * growth.outputs);
            interrupt.check(8 * count * table.dimension())?;
            self.grow_one(growth, table, measure, key, interrupt)?;
        }
        Ok(())
    }

    fn grow_one<M: Measure>(
        &mut self,
        growth: &mut Growth,
        table: &RowTable,
        measure: &mut M,
        key: u64,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.frontier.clear();
        self.waiting.clear();
        let (root, open) = self.add_node(growth, measure, 0, [0, self.columns.len()], 0, key);
        if open && growth.leaves > 1 {
            self.offer(growth, table, measure, root);
        }
        let mut splits = 0;
        while splits + 1 < growth.leaves {
            let next = match growth.best_first {
                true => self.frontier.pop().map(|candidate| candidate.node),
                false => self.waiting.pop(),
            };
            let Some(Splittable {
                node,
                depth,
                start,
                end,
                split,
                key,
            }) = next
            else {
                break;
            };
            splits += 1;
            // Small nodes are counted with the whole tree.
            if end - start > LARGE {
                interrupt.check(4 * (end - start) * table.dimension())?;
            }
            let left = growth.nodes.len() as u32;
            let parent = &mut growth.nodes[node];
            parent.feature = split.feature as u32;
            parent.threshold = split.threshold;
            parent.left = left;
            parent.split_level = if growth.best_first { splits } else { depth };
            let mut child = |side, start, end| {
                let key = child_key(key, side);
                self.add_node(growth, measure, split.feature, [start, end], depth + 1, key)
            };
            let (left, left_open) = child(1, start, split.middle);
            let (right, right_open) = child(2, split.middle, end);
            if splits + 1 >= growth.leaves || !(left_open || right_open) {
                continue;
            }
            self.columns.part(depth, start, end, &split);
            if left_open {
                self.offer(growth, table, measure, left);
            }
            if right_open {
                self.offer(growth, table, measure, right);
            }
        }
        Ok(())
    }

    /// Adds the node of a range of the sites by one feature, and returns whether it may be split.
    fn add_node<M: Measure>(
        &self,
        growth: &mut Growth,
        measure: &mut M,
        feature: usize,
        [start, end]: [usize; 2],
        depth: usize,
        key: u64,
    ) -> (NewNode, bool) {
        // The parent's column is parted already where it was split.
        let sites = self
            .columns
            .range(depth.saturating_sub(1), feature, start, end);
        let NodeSummary { points, pure } = measure.summarise(sites, &mut growth.values);
        let node = growth.nodes.len();
        growth.nodes.push(TreeNode {
            split_level: usize::MAX,
            feature: 0,
            threshold: 0.0,
            left: 0,
        });
        let large = points as usize / 2 >= growth.min_leaf;
        let new = NewNode {
            node,
            start,
            end,
            points,
            depth,
            key,
        };
        (new, !pure && large && depth < growth.depth)
    }

    /// Queues a node if it can be split.
    fn offer<M: Measure>(
        &mut self,
        growth: &Growth,
        table: &RowTable,
        measure: &mut M,
        new: NewNode,
    ) {
        let NewNode {
            node,
            start,
            end,
            depth,
            key,
            ..
        } = new;
        let mut order = std::mem::take(&mut self.order);
        order.begin(table.dimension(), key);
        let split = self.best_split(growth, table, measure, new, &mut order);
        self.order = order;
        let Some((gain, split)) = split else {
            return;
        };
        let splittable = Splittable {
            node,
            depth,
            start,
            end,
            split,
            key,
        };
        match growth.best_first {
            true => self.frontier.push(Candidate {
                gain,
                age: node,
                node: splittable,
            }),
            false => self.waiting.push(splittable),
        }
    }

    /// The split that gains most; among equals that of the feature which comes first in the node's
    /// order, at the smallest threshold.
    fn best_split<M: Measure>(
        &self,
        growth: &Growth,
        table: &RowTable,
        measure: &mut M,
        new: NewNode,
        order: &mut FeatureOrder,
    ) -> Option<(f64, ColumnSplit)> {
        let NewNode {
            node,
            start,
            end,
            points,
            depth,
            ..
        } = new;
        let value = &growth.values[node * growth.outputs..][..growth.outputs];
        let most = measure.enter(self.columns.range(depth, 0, start, end), points, value);
        let margin = MARGIN * most;
        let mut best: Option<(f64, Scan)> = None;
        for (looked_at, feature) in order.enumerate() {
            // Beyond the tries, features are looked at only until one can be split at all.
            if looked_at >= growth.tries && best.is_some() {
                break;
            }
            let scan = Scan {
                feature,
                sites: self.columns.range(depth, feature, start, end),
                ranks: table.ranks(feature),
                anywhere: table.is_distinct(feature) && growth.min_leaf == 1,
                sides: growth.min_leaf as u32..=points - growth.min_leaf as u32,
            };
            let gain = scan.largest(measure);
            if gain
                > best
                    .as_ref()
                    .map_or(f64::NEG_INFINITY, |(best, _)| best + margin)
            {
                best = Some((gain, scan));
            }
            // None can be better: most nodes are small, and a few sites are easily parted.
            if gain >= most - margin {
                break;
            }
        }
        let (gain, scan) = best?;
        let place = scan.first(measure, gain - margin)?;
        let [here, next] = [scan.sites[place], scan.sites[place + 1]];
        let x = |site| table.x(site, scan.feature);
        let split = ColumnSplit {
            feature: scan.feature,
            threshold: between(x(here), x(next)),
            middle: start + place + 1,
        };
        Some((gain, split))
    }
}

/// The sites of a node by rising x of one feature, and where they may be split.
struct Scan<'a> {
    feature: usize,
    sites: &'a [u32],
    ranks: &'a [u32],
    /// Whether they may be split everywhere.
    anywhere: bool,
    /// How many points the left side may have.
    sides: RangeInclusive<u32>,
}

impl Scan<'_> {
    /// The largest gain; minus infinity where there is no split.
    fn largest<M: Measure>(&self, measure: &mut M) -> f64 {
        let mut step = measure.walk();
        let mut largest = f64::NEG_INFINITY;
        if self.anywhere {
            for &site in &self.sites[..self.sites.len() - 1] {
                let (_, gain) = step(site);
                largest = if gain > largest { gain } else { largest };
            }
            return largest;
        }
        for pair in self.sites.windows(2) {
            let (left, gain) = step(pair[0]);
            let gain = select_unpredictable(self.allows(pair, left), gain, f64::NEG_INFINITY);
            largest = if gain > largest { gain } else { largest };
        }
        largest
    }

    /// After which site a gain first reaches the bar.
    fn first<M: Measure>(&self, measure: &mut M, bar: f64) -> Option<usize> {
        let mut step = measure.walk();
        self.sites.windows(2).position(|pair| {
            let (left, gain) = step(pair[0]);
            gain >= bar && self.allows(pair, left)
        })
    }

    #[inline(always)]
    fn allows(&self, pair: &[u32], left: u32) -> bool {
        let [here, next] = [pair[0], pair[1]].map(|site| self.ranks[site as usize]);
        (here != next) & self.sides.contains(&left)
    }
}
