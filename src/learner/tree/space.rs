//! Trees in several dimensions.

use std::collections::BinaryHeap;

use rand::RngExt;

use super::{Candidate, Growth, MARGIN, between};
use crate::problem::{Points, Training};
use crate::stream::{Stream, mix};

/// A node is where the way of its points ends, up to the level at which it is split, its `death`.
/// Levels count depth, or in best-first growth the leaves of the whole tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    mean: f64,
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
            let node = self.nodes[node];
            let here = &mut index[start..end];
            let levels = &self.levels[first..];
            let ended = levels.partition_point(|&(level, _)| level <= node.death);
            for &(_, c) in &levels[..ended] {
                let out = &mut out[c * points.len()..][..points.len()];
                for &j in &*here {
                    out[j as usize] = node.mean;
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
        if goes_left(index[i]) {
            index.swap(i, middle);
            middle += 1;
        }
    }
    middle
}

/// Where trees are grown; its memory is kept from one growth to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Space {
    /// For every feature the samples by rising x. A node owns one range of all of them.
    columns: Vec<Vec<Sample>>,
    spare: Vec<Sample>,
    goes_left: Vec<bool>,
    features: Vec<usize>,
    frontier: BinaryHeap<Candidate<Splittable>>,
    waiting: Vec<Splittable>,
    /// Points on their way down.
    index: Vec<u32>,
    ways: Vec<Way>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    x: f64,
    y: f64,
    id: u32,
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

/// A node to be: its range of samples and its place in the tree.
#[derive(Clone, Copy, Debug)]
struct Seedling {
    start: usize,
    end: usize,
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

impl Space {
    /// Predicts with all growths.
    pub fn predict(&mut self, growths: &[Growth], points: &Points, out: &mut [f64]) {
        self.index.clear();
        self.index.extend(0..points.len() as u32);
        for growth in growths {
            growth.spread(points, &mut self.index, &mut self.ways, out);
        }
    }

    /// Sorts a training set by every feature.
    pub fn load(&mut self, data: &Training) {
        let (inputs, count) = (&data.inputs, data.len());
        self.columns.resize_with(inputs.dimension(), Vec::new);
        self.goes_left.resize(count, false);
        for (feature, column) in self.columns.iter_mut().enumerate() {
            let sample = |id: u32| Sample {
                x: inputs.get(id as usize, feature),
                y: data.labels[id as usize],
                id,
            };
            column.clear();
            column.extend((0..count as u32).map(sample));
            column.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.id.cmp(&b.id)));
        }
    }

    /// Grows the tree of the loaded data.
    pub fn grow(&mut self, growth: &mut Growth, stream: &Stream) {
        let count = self.columns.first().map_or(0, Vec::len);
        growth.nodes.clear();
        self.frontier.clear();
        self.waiting.clear();
        // Enough for every tree of so many points, so that none allocates that grows larger than
        // those before it.
        growth.nodes.reserve(2 * count);
        self.frontier.reserve(count);
        self.waiting.reserve(count);
        self.spare.clear();
        self.spare.reserve(count);
        self.ways.reserve(count + 1);
        let root = Seedling {
            start: 0,
            end: count,
            depth: 0,
            key: 1,
        };
        self.plant(growth, root, stream);
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
            self.part(start, end, &split);
            splits += 1;
            let left = growth.nodes.len() as u32;
            let parent = &mut growth.nodes[node];
            parent.feature = split.feature as u32;
            parent.threshold = split.threshold;
            parent.left = left;
            parent.death = if growth.best_first { splits } else { depth };
            // A node's key says where in the tree it is, not when it was grown, so that every
            // cut of the tree looked at the same features.
            for (side, start, end) in [(1, start, split.middle), (2, split.middle, end)] {
                let seedling = Seedling {
                    start,
                    end,
                    depth: depth + 1,
                    key: mix(key ^ mix(side)),
                };
                self.plant(growth, seedling, stream);
            }
        }
    }

    /// Adds the node of a range of samples, and queues it if it can be split.
    fn plant(&mut self, growth: &mut Growth, seedling: Seedling, stream: &Stream) {
        let Seedling {
            start,
            end,
            depth,
            key,
        } = seedling;
        let samples = &self.columns[0][start..end];
        let first = samples[0].y;
        let (mut sum, mut pure) = (0.0, true);
        for sample in samples {
            sum += sample.y - first;
            pure &= sample.y == first;
        }
        // Relative to one label, so that equal labels give back exactly that label.
        let mean = first + sum / samples.len() as f64;
        let node = growth.nodes.len();
        growth.nodes.push(Node {
            mean,
            death: usize::MAX,
            feature: 0,
            threshold: 0.0,
            left: 0,
        });
        if pure || depth >= growth.depth {
            return;
        }
        self.choose_features(growth.tries, key, stream);
        if let Some(split) = self.best_split(start, end, mean, growth) {
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
    }

    /// Puts the features in the order in which a node looks at them: all of them in turn, or the
    /// tries in turn and then the others.
    fn choose_features(&mut self, tries: usize, key: u64, stream: &Stream) {
        let count = self.columns.len();
        self.features.clear();
        self.features.extend(0..count);
        if tries < count {
            let mut stream = stream.child(key);
            for i in 0..count {
                let j = stream.random_range(i..count);
                self.features.swap(i, j);
            }
            self.features[..tries].sort_unstable();
        }
    }

    /// The split with the largest fall of the sum of squared errors. With labels centred at the
    /// node's mean and s the sum of the left ones, that is s² n / (n_left n_right).
    fn best_split(&self, start: usize, end: usize, mean: f64, growth: &Growth) -> Option<Split> {
        let (count, min_leaf) = (end - start, growth.min_leaf);
        if count < 2 * min_leaf {
            return None;
        }
        let squares = self.columns[0][start..end]
            .iter()
            .map(|s| (s.y - mean).powi(2));
        let margin = MARGIN * squares.sum::<f64>();
        let mut best: Option<Split> = None;
        for (looked_at, &feature) in self.features.iter().enumerate() {
            // Beyond the tries, features are looked at only until one can be split at all.
            if looked_at >= growth.tries && best.is_some() {
                break;
            }
            let samples = &self.columns[feature][start..end];
            let mut sum = 0.0;
            for (i, pair) in samples.windows(2).enumerate() {
                let [here, next] = [pair[0], pair[1]];
                sum += here.y - mean;
                let below = i + 1;
                if here.x == next.x || below < min_leaf || count - below < min_leaf {
                    continue;
                }
                let gain = sum * sum * count as f64 / (below * (count - below)) as f64;
                if best.is_none_or(|best| gain > best.gain + margin) {
                    best = Some(Split {
                        gain,
                        feature,
                        threshold: between(here.x, next.x),
                        middle: start + below,
                    });
                }
            }
        }
        best
    }

    /// Parts every column's range at the split, each side keeping its order.
    fn part(&mut self, start: usize, end: usize, split: &Split) {
        for (place, sample) in (start..).zip(&self.columns[split.feature][start..end]) {
            self.goes_left[sample.id as usize] = place < split.middle;
        }
        for (feature, column) in self.columns.iter_mut().enumerate() {
            if feature == split.feature {
                continue;
            }
            self.spare.clear();
            let samples = &mut column[start..end];
            let mut kept = 0;
            for i in 0..samples.len() {
                let sample = samples[i];
                if self.goes_left[sample.id as usize] {
                    samples[kept] = sample;
                    kept += 1;
                } else {
                    self.spare.push(sample);
                }
            }
            samples[kept..].copy_from_slice(&self.spare);
        }
    }
}
