//! Trees in several dimensions.

use std::cell::RefCell;
use std::collections::BinaryHeap;
use std::hint::select_unpredictable;
use std::ops::RangeInclusive;

use super::measure::{Classes, Look, Measure, Squares};
use super::order::{FeatureOrder, child_key};
use super::table::Table;
use super::{Candidate, Criterion, Growth, MARGIN, between};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::stream::Stream;

thread_local! {
    /// Every thread grows its trees in one place: the members of an ensemble then know each other's
    /// rows, and need not hold memory that they use one after the other.
    pub(super) static SPACE: RefCell<Space> = RefCell::default();
}

/// A node is where the way of its points ends, up to the level at which it is split, its `death`.
/// Levels count depth, or in best-first growth the leaves of the whole tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    death: usize,
    feature: u32,
    threshold: f64,
    /// The left child; the right one follows it. 0 where the node was never split.
    left: u32,
}

/// The points of a range of the index that reach a node; levels before `first` belong to its
/// ancestors.
#[derive(Clone, Copy, Debug)]
struct Way {
    node: usize,
    start: usize,
    end: usize,
    first: usize,
}

impl Growth {
    /// Sends all points down the tree together, and writes the predictions of every level.
    fn spread(&self, points: &Points, index: &mut [u32], ways: &mut Vec<Way>, out: &mut [f64]) {
        ways.push(Way {
            node: 0,
            start: 0,
            end: index.len(),
            first: 0,
        });
        while let Some(Way {
            node,
            start,
            end,
            first,
        }) = ways.pop()
        {
            let value = &self.values[node * self.outputs..][..self.outputs];
            let node = self.nodes[node];
            let here = &mut index[start..end];
            let levels = &self.levels[first..];
            let ended = levels.partition_point(|&(level, _)| level <= node.death);
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
            ways.push(Way {
                node: right,
                start: middle,
                end,
                first,
            });
            ways.push(Way {
                node: left,
                start,
                end: middle,
                first,
            });
        }
    }
}

/// Moves those that satisfy the predicate to the front and tells how many they are.
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
    table: Table,
    squares: Squares,
    gini: Classes<false>,
    entropy: Classes<true>,
    grower: Grower,
    /// Points on their way down.
    index: Vec<u32>,
    ways: Vec<Way>,
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
            ways,
            ..
        } = self;
        table.load(data);
        ways.reserve(data.len() + 1);
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

    /// Predicts with all growths.
    pub fn predict(&mut self, growths: &[Growth], points: &Points, out: &mut [f64]) {
        self.index.clear();
        self.index.extend(0..points.len() as u32);
        for growth in growths {
            growth.spread(points, &mut self.index, &mut self.ways, out);
        }
    }
}

/// The growing of a tree. A site is a row of the table, with all points of the training set that
/// are like it.
#[derive(Clone, Debug, Default)]
struct Grower {
    /// For every feature the sites by rising x. A node owns one range of all of them; nodes of even
    /// depth in one copy, their children in the other.
    columns: [Vec<u32>; 2],
    sites: usize,
    goes_left: Vec<bool>,
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
    split: Split,
    key: u64,
}

/// A node to be: its range of sites and its place in the tree.
#[derive(Clone, Copy, Debug)]
struct Seedling {
    node: usize,
    start: usize,
    end: usize,
    points: u32,
    depth: usize,
    key: u64,
}

#[derive(Clone, Copy, Debug)]
struct Split {
    gain: f64,
    feature: usize,
    threshold: f64,
    middle: usize,
}

/// A node of more sites is large.
const LARGE: usize = 256;

impl Grower {
    fn grow<M: Measure>(
        &mut self,
        growths: &mut [Growth],
        table: &Table,
        measure: &mut M,
        count: usize,
        key: u64,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        measure.load(table.sites(), table.rows(), count);
        self.sites = table.sites().len();
        // Enough for every tree of so many points, so that none allocates that grows larger than
        // those before it.
        for columns in &mut self.columns {
            columns.clear();
            columns.reserve(count * table.dimension());
            columns.resize(self.sites * table.dimension(), 0);
        }
        self.frontier.reserve(count);
        self.waiting.reserve(count);
        let rows = self.goes_left.len().max(2 * count).max(table.rows());
        self.goes_left.resize(rows, false);
        for growth in growths {
            let columns = self.columns[0].chunks_exact_mut(self.sites.max(1));
            for (feature, column) in columns.enumerate() {
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

    /// A range of the sites by one feature, as nodes of that depth see them.
    fn column(&self, depth: usize, feature: usize, start: usize, end: usize) -> &[u32] {
        &self.columns[depth % 2][feature * self.sites..][start..end]
    }

    fn grow_one<M: Measure>(
        &mut self,
        growth: &mut Growth,
        table: &Table,
        measure: &mut M,
        key: u64,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.frontier.clear();
        self.waiting.clear();
        let (root, open) = self.plant(growth, measure, 0, [0, self.sites], 0, key);
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
            parent.death = if growth.best_first { splits } else { depth };
            let mut child = |side, start, end| {
                let key = child_key(key, side);
                self.plant(growth, measure, split.feature, [start, end], depth + 1, key)
            };
            let (left, left_open) = child(1, start, split.middle);
            let (right, right_open) = child(2, split.middle, end);
            if splits + 1 >= growth.leaves || !(left_open || right_open) {
                continue;
            }
            self.part(depth, start, end, &split);
            if left_open {
                self.offer(growth, table, measure, left);
            }
            if right_open {
                self.offer(growth, table, measure, right);
            }
        }
        Ok(())
    }

    /// Adds the node of a range of the sites by one feature, and tells whether it may be split.
    fn plant<M: Measure>(
        &self,
        growth: &mut Growth,
        measure: &mut M,
        feature: usize,
        [start, end]: [usize; 2],
        depth: usize,
        key: u64,
    ) -> (Seedling, bool) {
        // The parent's column is parted already where it was split.
        let sites = self.column(depth.saturating_sub(1), feature, start, end);
        let Look { points, pure } = measure.look(sites, &mut growth.values);
        let node = growth.nodes.len();
        growth.nodes.push(Node {
            death: usize::MAX,
            feature: 0,
            threshold: 0.0,
            left: 0,
        });
        let large = points as usize / 2 >= growth.min_leaf;
        let seedling = Seedling {
            node,
            start,
            end,
            points,
            depth,
            key,
        };
        (seedling, !pure && large && depth < growth.depth)
    }

    /// Queues a node if it can be split.
    fn offer<M: Measure>(
        &mut self,
        growth: &Growth,
        table: &Table,
        measure: &mut M,
        seedling: Seedling,
    ) {
        let Seedling {
            node,
            start,
            end,
            depth,
            key,
            ..
        } = seedling;
        let mut order = std::mem::take(&mut self.order);
        order.begin(table.dimension(), key);
        let split = self.best_split(growth, table, measure, seedling, &mut order);
        self.order = order;
        let Some(split) = split else {
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
                gain: split.gain,
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
        table: &Table,
        measure: &mut M,
        seedling: Seedling,
        order: &mut FeatureOrder,
    ) -> Option<Split> {
        let Seedling {
            node,
            start,
            end,
            points,
            depth,
            ..
        } = seedling;
        let value = &growth.values[node * growth.outputs..][..growth.outputs];
        let most = measure.enter(self.column(depth, 0, start, end), points, value);
        let margin = MARGIN * most;
        let mut best: Option<(f64, Scan)> = None;
        for (looked_at, feature) in order.enumerate() {
            // Beyond the tries, features are looked at only until one can be split at all.
            if looked_at >= growth.tries && best.is_some() {
                break;
            }
            let scan = Scan {
                feature,
                sites: self.column(depth, feature, start, end),
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
        Some(Split {
            gain,
            feature: scan.feature,
            threshold: between(x(here), x(next)),
            middle: start + place + 1,
        })
    }

    /// Parts every column's range at the split, for nodes of the next depth, each side keeping its
    /// order.
    fn part(&mut self, depth: usize, start: usize, end: usize, split: &Split) {
        let [even, odd] = &mut self.columns;
        let (from, to) = match depth % 2 {
            0 => (even, odd),
            _ => (odd, even),
        };
        let split_column = &from[split.feature * self.sites..][start..end];
        for (place, &site) in (start..).zip(split_column) {
            self.goes_left[site as usize] = place < split.middle;
        }
        let columns = from
            .chunks_exact(self.sites)
            .zip(to.chunks_exact_mut(self.sites));
        for (from, to) in columns {
            let to = &mut to[start..end];
            let (mut left, mut right) = (0, split.middle - start);
            for &site in &from[start..end] {
                // No branch depends on the data.
                let goes_left = self.goes_left[site as usize];
                to[select_unpredictable(goes_left, left, right)] = site;
                left += usize::from(goes_left);
                right += usize::from(!goes_left);
            }
        }
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
