//! Trees in one dimension.
//!
//! Here a node is a range of the sorted inputs, and a threshold lies midway between two neighbours
//! whatever the node: every distinct input, a site, has a cell of its own around it, in which all
//! trees are level. So a tree is a list of cuts in the order in which they take effect, its
//! predictions are one number for every site, refined in place cut by cut, and to predict at a point
//! is to look up its cell.

use std::collections::BinaryHeap;
use std::hint::select_unpredictable;
use std::ops::Range;

use super::{Candidate, Growth, MARGIN, between};
use crate::data::{Points, Training};
use crate::learner::room;

/// The distinct inputs of a training set by rising x, its sites; and memory that is kept from one
/// growth to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct LineTrees {
    x: Vec<f64>,
    /// By site: the mean label, the number of points, and how many points lie before it. The last
    /// has one number more, that of all points.
    mean: Vec<f64>,
    count: Vec<f64>,
    before: Vec<u32>,
    /// 1/k up to the number of points.
    inverse: Vec<f64>,
    gains: Vec<f64>,
    /// By site: where its cell ends.
    edges: Vec<f64>,
    /// Nodes that can be cut, where, and their depth.
    frontier: BinaryHeap<Candidate<(SiteRange, usize, usize)>>,
    cuts: Vec<Cut>,
    /// By point to be predicted: its site.
    cells: Vec<u32>,
}

/// A node that is split into two beyond a level; up to there it is a leaf. Levels count depth, or
/// in best-first growth the leaves of the whole tree.
#[derive(Clone, Copy, Debug)]
struct Cut {
    level: usize,
    left: SiteRange,
    right: SiteRange,
}

/// A range of sites, and the mean label of their points.
#[derive(Clone, Copy, Debug)]
struct SiteRange {
    start: u32,
    end: u32,
    mean: f64,
}

impl SiteRange {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl LineTrees {
    /// Takes in a training set.
    pub fn load(&mut self, data: &Training) {
        for numbers in [&mut self.x, &mut self.mean, &mut self.count] {
            numbers.clear();
            // A bootstrap has fewer sites than points, and another one may have more of them.
            numbers.reserve(data.len());
        }
        self.before.clear();
        self.before.reserve(data.len() + 1);
        self.cuts.clear();
        self.cuts.reserve(data.len());
        self.frontier.clear();
        self.frontier.reserve(data.len());
        room(&mut self.gains, data.len());
        let mut last = f64::NAN;
        for (place, &i) in (0..).zip(data.inputs.order()) {
            let (x, label) = (data.inputs.values()[i as usize], data.labels[i as usize]);
            if x != last {
                self.x.push(x);
                self.mean.push(label);
                self.count.push(1.0);
                self.before.push(place);
                last = x;
            } else if let (Some(mean), Some(count)) = (self.mean.last_mut(), self.count.last_mut())
            {
                *count += 1.0;
                *mean += (label - *mean) / *count;
            }
        }
        self.before.push(data.len() as u32);
        let more = self.inverse.len()..=data.len();
        self.inverse.extend(more.map(|k| 1.0 / k as f64));
    }

    /// Grows the tree of the loaded data, and writes down what every level predicts at every site.
    pub fn grow(&mut self, growth: &mut Growth) {
        let sites = self.x.len();
        let root = self.node(0, sites);
        self.cuts.clear();
        match growth.best_first {
            true => self.grow_best_first(growth, root),
            false => self.grow_by_depth(growth, root),
        }
        let knows_the_end = growth.knows_the_end();
        let points = self.before[sites] as usize;
        let rows = room(&mut growth.at_sites, growth.levels.len() * points);
        let mut cuts = self.cuts.iter().peekable();
        for (which, &(level, _)) in growth.levels.iter().enumerate() {
            let (done, rest) = rows.split_at_mut(which * sites);
            let row = &mut rest[..sites];
            if level == usize::MAX && knows_the_end {
                row.copy_from_slice(&self.mean);
                continue;
            }
            match which {
                0 => row.fill(root.mean),
                _ => row.copy_from_slice(&done[(which - 1) * sites..]),
            }
            while let Some(Cut { left, right, .. }) = cuts.next_if(|cut| cut.level < level) {
                let sites = left.range().start..right.range().end;
                for (site, prediction) in sites.clone().zip(&mut row[sites]) {
                    let on_the_left = site < left.range().end;
                    *prediction = select_unpredictable(on_the_left, left.mean, right.mean);
                }
            }
        }
    }

    /// Level by level. The cuts that were made are the queue of those whose parts are next.
    fn grow_by_depth(&mut self, growth: &Growth, root: SiteRange) {
        let deepest = match growth.knows_the_end() {
            true => growth.deepest_limit(),
            false => growth.depth,
        };
        self.cut_at(0, root, growth.min_leaf, deepest);
        let mut next = 0;
        while let Some(&Cut { level, left, right }) = self.cuts.get(next) {
            self.cut_at(level + 1, left, growth.min_leaf, deepest);
            self.cut_at(level + 1, right, growth.min_leaf, deepest);
            next += 1;
        }
    }

    fn cut_at(&mut self, level: usize, node: SiteRange, min_leaf: usize, deepest: usize) {
        if level >= deepest {
            return;
        }
        let Range { start, end } = node.range();
        let middle = match end - start {
            // There is nothing to choose between two sites, and half of all cuts are such.
            2 if min_leaf == 1 => (self.mean[start] != self.mean[start + 1]).then_some(start + 1),
            _ => self.best_cut(node, min_leaf).map(|(middle, _)| middle),
        };
        if let Some(middle) = middle {
            let [left, right] = self.parts(node, middle);
            self.cuts.push(Cut { level, left, right });
        }
    }

    /// The best cut first.
    fn grow_best_first(&mut self, growth: &Growth, root: SiteRange) {
        self.frontier.clear();
        self.offer(growth, root, 0, 0);
        while self.cuts.len() + 1 < growth.leaves
            && let Some(best) = self.frontier.pop()
        {
            let (node, middle, depth) = best.node;
            let level = self.cuts.len() + 1;
            let [left, right] = self.parts(node, middle);
            self.cuts.push(Cut { level, left, right });
            self.offer(growth, left, depth + 1, 2 * level);
            self.offer(growth, right, depth + 1, 2 * level + 1);
        }
    }

    fn offer(&mut self, growth: &Growth, node: SiteRange, depth: usize, age: usize) {
        if depth < growth.depth
            && let Some((middle, gain)) = self.best_cut(node, growth.min_leaf)
        {
            let node = (node, middle, depth);
            self.frontier.push(Candidate { gain, age, node });
        }
    }

    fn parts(&self, node: SiteRange, middle: usize) -> [SiteRange; 2] {
        let Range { start, end } = node.range();
        [self.node(start, middle), self.node(middle, end)]
    }

    /// The node of a range of sites.
    fn node(&self, start: usize, end: usize) -> SiteRange {
        // Relative to one label, so that equal labels give back exactly that label.
        let first = self.mean[start];
        let others = self.mean[start + 1..end].iter();
        let counts = &self.count[start + 1..end];
        let sum: f64 = others
            .zip(counts)
            .map(|(mean, count)| count * (mean - first))
            .sum();
        let count = self.before[end] - self.before[start];
        SiteRange {
            start: start as u32,
            end: end as u32,
            mean: first + sum * self.inverse[count as usize],
        }
    }

    /// Where a node is cut best, and how much the sum of squared errors falls there: most, and
    /// first among equals. With labels centred at the node's mean and s the sum of the left ones,
    /// it falls by s² (1/n_left + 1/n_right).
    fn best_cut(&mut self, node: SiteRange, min_leaf: usize) -> Option<(usize, f64)> {
        let Range { start, end } = node.range();
        if end - start < 2 {
            return None;
        }
        let means = &self.mean[start..end];
        let total = (self.before[end] - self.before[start]) as usize;
        let inverse = &self.inverse[..=total];
        let gains = &mut self.gains[..means.len() - 1];
        let bar = if total == means.len() && min_leaf == 1 {
            // Every site is one point.
            let parts = inverse[1..total].iter().zip(inverse[1..total].iter().rev());
            let sites = means.iter().zip(parts);
            let sites = sites.map(|(mean, (left, right))| (*mean, 1.0, left + right));
            weigh(node.mean, sites, gains)?
        } else {
            let ends = self.before[start + 1..end].iter();
            let sites = means.iter().zip(&self.count[start..end]).zip(ends);
            let sites = sites.map(|((mean, count), end)| {
                let left = (end - self.before[start]) as usize;
                let factor = match left.min(total - left) >= min_leaf {
                    true => inverse[left] + inverse[total - left],
                    false => f64::NAN,
                };
                (*mean, *count, factor)
            });
            weigh(node.mean, sites, gains)?
        };
        let best = gains.iter().position(|gain| *gain >= bar)?;
        Some((start + 1 + best, gains[best]))
    }

    /// Predicts with all growths.
    pub fn predict(&mut self, growths: &[Growth], points: &Points, out: &mut [f64]) {
        self.edges.clear();
        let pairs = self.x.windows(2);
        self.edges
            .extend(pairs.map(|pair| between(pair[0], pair[1])));
        self.edges.push(f64::INFINITY);
        self.cells.resize(points.len(), 0);
        let mut site = 0;
        let mut cell = |x: f64| {
            while x > self.edges[site] {
                site += 1;
            }
            site as u32
        };
        let values = points.values();
        if points.is_sorted() {
            for (place, x) in self.cells.iter_mut().zip(values) {
                *place = cell(*x);
            }
        } else {
            for &j in points.order() {
                self.cells[j as usize] = cell(values[j as usize]);
            }
        }
        self.look_up(growths, out);
    }

    /// Predicts at the loaded data: every point lies in the cell of its own site.
    pub fn predict_training(&mut self, growths: &[Growth], points: &Points, out: &mut [f64]) {
        self.cells.resize(points.len(), 0);
        let sites = self.before.windows(2);
        for (site, ends) in (0..).zip(sites) {
            for &j in &points.order()[ends[0] as usize..ends[1] as usize] {
                self.cells[j as usize] = site;
            }
        }
        self.look_up(growths, out);
    }

    /// Writes the predictions of every level for points of known cells, some points at a time: what
    /// their cells are is then read once for all levels.
    fn look_up(&self, growths: &[Growth], out: &mut [f64]) {
        const POINTS: usize = 8;
        let (sites, total) = (self.x.len(), self.cells.len());
        let (blocks, rest) = self.cells.as_chunks::<POINTS>();
        for growth in growths {
            let levels = || {
                growth
                    .levels
                    .iter()
                    .zip(growth.at_sites.chunks_exact(sites))
            };
            for (block, cells) in blocks.iter().enumerate() {
                for (&(_, c), row) in levels() {
                    let place = c * total + block * POINTS;
                    let predictions = cells.map(|site| row[site as usize]);
                    out[place..place + POINTS].copy_from_slice(&predictions);
                }
            }
            for (&(_, c), row) in levels() {
                let last = &mut out[c * total..][total - rest.len()..total];
                for (prediction, &site) in last.iter_mut().zip(rest) {
                    *prediction = row[site as usize];
                }
            }
        }
    }
}

/// Writes down the gain s² (1/n_left + 1/n_right) of a cut after every site, NaN where that factor
/// is, and returns the bar over which gains are the largest to rounding; `None` where all sites have
/// the node's mean. Sites come with mean, number of points and factor.
#[inline(always)]
fn weigh(
    node_mean: f64,
    sites: impl Iterator<Item = (f64, f64, f64)>,
    gains: &mut [f64],
) -> Option<f64> {
    let (mut sum, mut squares, mut largest) = (0.0, 0.0, f64::NEG_INFINITY);
    let mut varied = false;
    for ((mean, count, factor), gain) in sites.zip(gains) {
        let away = mean - node_mean;
        varied |= away != 0.0;
        squares += count * away * away;
        sum += count * away;
        *gain = sum * sum * factor;
        largest = if *gain > largest { *gain } else { largest };
    }
    // What is left is the last site, which makes up for all others.
    varied.then_some(largest - MARGIN * (squares + sum * sum))
}

impl Growth {
    /// Whether the tree without a limit is known without growing it: every site is a leaf.
    fn knows_the_end(&self) -> bool {
        !self.best_first && self.min_leaf == 1
    }

    /// The deepest of the settings that have a limit.
    fn deepest_limit(&self) -> usize {
        let levels = self.levels.iter().map(|(level, _)| *level);
        levels
            .filter(|level| *level < usize::MAX)
            .max()
            .unwrap_or(0)
    }
}
