//! Points in input space, and training sets made of them.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// A list of points in one or several dimensions, stored row by row.
///
/// In one dimension the points also carry their sorted order, because almost every
/// one-dimensional learner needs it and all learners of an experiment share the same
/// training set.
#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Points {
    dimension: usize,
    values: Vec<f64>,
    order: Vec<u32>,
    /// Whether they stand in that order already.
    sorted: bool,
    /// Memory of the sort, empty between sorts.
    #[serde(skip)]
    keys: Vec<u64>,
    /// Memory of [`Training::resample_into`], empty between calls.
    #[serde(skip)]
    counts: Vec<u32>,
}

impl Points {
    /// Points from their coordinates, row by row.
    ///
    /// # Panics
    ///
    /// If the number of coordinates is not a multiple of the dimension.
    pub fn new(dimension: usize, values: Vec<f64>) -> Self {
        let mut points = Points {
            dimension,
            values,
            ..Default::default()
        };
        points.reorder();
        points
    }

    /// Replaces the coordinates, keeping the memory.
    pub fn refill(&mut self, dimension: usize, fill: impl FnOnce(&mut Vec<f64>)) {
        self.dimension = dimension;
        self.values.clear();
        fill(&mut self.values);
        self.reorder();
    }

    fn reorder(&mut self) {
        assert!(
            self.dimension > 0 && self.values.len().is_multiple_of(self.dimension),
            "coordinates do not fill whole points"
        );
        self.order.clear();
        self.sorted = self.dimension == 1 && self.values.is_sorted_by(|a, b| key(*a) <= key(*b));
        if self.sorted {
            self.order.extend(0..self.values.len() as u32);
        } else if self.dimension == 1 {
            self.sort();
        }
    }

    /// Sorts numbers that hold most of a value and, in their lowest bits, its index: to compare two
    /// of them takes no branch. Values that differ only where the index stands are sorted after.
    fn sort(&mut self) {
        let Points {
            values,
            order,
            keys,
            ..
        } = self;
        let index = values.len().next_power_of_two() as u64 - 1;
        let all = values.iter().zip(0_u64..);
        keys.extend(all.map(|(x, i)| key(*x) & !index | i));
        keys.sort_unstable();
        order.extend(keys.iter().map(|key| (key & index) as u32));
        let mut start = 0;
        for alike in keys.chunk_by(|a, b| a & !index == b & !index) {
            let order = &mut order[start..start + alike.len()];
            if order.len() > 1 {
                order.sort_unstable_by_key(|&i| (key(values[i as usize]), i));
            }
            start += order.len();
        }
        keys.clear();
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.values.len() / self.dimension.max(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How many coordinates a point has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// All coordinates, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The coordinates of one point.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.values[index * self.dimension..][..self.dimension]
    }

    /// One point after the other.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.dimension.max(1))
    }

    /// Coordinate `feature` of point `index`.
    pub fn get(&self, index: usize, feature: usize) -> f64 {
        self.values[index * self.dimension + feature]
    }

    /// Whether two of the points are equal.
    pub fn has_repeats(&self) -> bool {
        if self.dimension == 1 {
            let x = |i: &u32| self.values[*i as usize];
            return self.order.windows(2).any(|pair| x(&pair[0]) == x(&pair[1]));
        }
        let mut rows: Vec<&[f64]> = self.rows().collect();
        rows.sort_unstable_by(|a, b| {
            let mut pairs = a.iter().zip(*b).map(|(a, b)| a.total_cmp(b));
            pairs.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        });
        rows.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// In one dimension: the points' indices by increasing coordinate, equal ones by index.
    /// Empty in several dimensions.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Whether the points of one dimension stand by increasing coordinate already.
    pub fn is_sorted(&self) -> bool {
        self.sorted
    }
}

// By hand, because the derived `clone_from` would not keep the memory.
impl Clone for Points {
    fn clone(&self) -> Self {
        let mut points = Points::default();
        points.clone_from(self);
        points
    }

    fn clone_from(&mut self, other: &Self) {
        self.dimension = other.dimension;
        self.values.clone_from(&other.values);
        self.order.clone_from(&other.order);
        self.sorted = other.sorted;
    }
}

/// A whole number that rises with x, in the order of [`f64::total_cmp`].
fn key(x: f64) -> u64 {
    let bits = x.to_bits();
    // All bits of a negative number are flipped, of a positive one the sign.
    bits ^ ((bits as i64 >> 63) as u64 | 1 << 63)
}

/// A training set: inputs and their noisy labels.
#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Training {
    /// The inputs x.
    pub inputs: Points,
    /// The labels y = f(x) + e.
    pub labels: Vec<f64>,
}

impl Clone for Training {
    fn clone(&self) -> Self {
        Training {
            inputs: self.inputs.clone(),
            labels: self.labels.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.inputs.clone_from(&other.inputs);
        self.labels.clone_from(&other.labels);
    }
}

impl Training {
    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Writes into `sample` the set in which pair i stands as often as `draw` counts it, beginning
    /// with zeros; as [`Training::repeat_into`], without memory of its own.
    pub fn resample_into(&self, sample: &mut Training, draw: impl FnOnce(&mut [u32])) {
        let mut counts = std::mem::take(&mut sample.inputs.counts);
        counts.resize(self.len(), 0);
        draw(&mut counts);
        self.repeat_into(&counts, sample);
        counts.clear();
        sample.inputs.counts = counts;
    }

    /// Writes into `sample` the set in which pair i stands `counts[i]` times: by increasing x in
    /// one dimension, where this set's order then spares a sort, else in the order of i.
    pub fn repeat_into(&self, counts: &[u32], sample: &mut Training) {
        let Training { inputs, labels } = sample;
        inputs.dimension = self.inputs.dimension;
        inputs.sorted = inputs.dimension == 1;
        inputs.order.clear();
        if inputs.dimension == 1 {
            let pairs = self.inputs.order.iter().map(|&i| {
                let i = i as usize;
                (counts[i] as usize, self.inputs.values[i], self.labels[i])
            });
            repeat(pairs, &mut inputs.values, labels);
            inputs.order.extend(0..labels.len() as u32);
            return;
        }
        inputs.values.clear();
        labels.clear();
        for (i, count) in counts.iter().enumerate() {
            for _ in 0..*count {
                inputs.values.extend_from_slice(self.inputs.row(i));
                labels.push(self.labels[i]);
            }
        }
    }
}

/// Writes every x and y as often as its count says. How often that is cannot be foreseen in a
/// bootstrap, so a few copies are written in any case, and the next pair overwrites what was too
/// many.
fn repeat(
    pairs: impl Iterator<Item = (usize, f64, f64)> + Clone,
    xs: &mut Vec<f64>,
    ys: &mut Vec<f64>,
) {
    const FEW: usize = 4;
    let total: usize = pairs.clone().map(|(count, ..)| count).sum();
    xs.resize(total + FEW, 0.0);
    ys.resize(total + FEW, 0.0);
    let mut next = 0;
    for (count, x, y) in pairs {
        xs[next..next + FEW].fill(x);
        ys[next..next + FEW].fill(y);
        if count > FEW {
            xs[next..next + count].fill(x);
            ys[next..next + count].fill(y);
        }
        next += count;
    }
    xs.truncate(total);
    ys.truncate(total);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_coordinates_keep_their_index_order() {
        let points = Points::new(1, vec![2.0, 1.0, 2.0, 1.0, 0.0]);
        assert_eq!(points.order(), [4, 1, 3, 0, 2]);
    }

    #[test]
    fn the_order_is_that_of_total_comparison() {
        let values = [
            0.0,
            -0.0,
            1e-310,
            f64::INFINITY,
            -1.5,
            f64::MIN,
            -1e-310,
            2.0_f64.next_up(),
            2.0,
            -1.5,
        ];
        let points = Points::new(1, values.to_vec());
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        order.sort_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
        assert_eq!(points.order(), order);
        assert!(!points.is_sorted());
        let sorted = order.iter().map(|&i| values[i as usize]).collect();
        assert!(Points::new(1, sorted).is_sorted());
    }

    #[test]
    fn a_repeated_set_has_the_order_that_sorting_would_give() {
        let data = Training {
            inputs: Points::new(1, vec![3.0, 1.0, 1.0, 2.0]),
            labels: vec![0.0, 1.0, 2.0, 3.0],
        };
        let mut sample = Training::default();
        data.repeat_into(&[2, 0, 1, 3], &mut sample);
        assert_eq!(sample.labels, [2.0, 3.0, 3.0, 3.0, 0.0, 0.0]);
        let sorted = Points::new(1, sample.inputs.values().to_vec());
        assert_eq!(sample.inputs, sorted);
        data.repeat_into(&[0, 7, 1, 0], &mut sample);
        assert_eq!(sample.inputs.values(), [1.0; 8]);
        assert_eq!(sample.labels, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0]);
    }
}
