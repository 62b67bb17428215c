//! k nearest neighbours.

use linfa_nn::distance::L2Dist;
use linfa_nn::{CommonNearestNeighbour, NearestNeighbour};
use ndarray::{ArrayView1, ArrayView2};

use super::family::{Blueprint, Family, Most, Number, whole};
use super::{Learner, Size};
use crate::problem::{Points, Training};
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family {
    name: "knn",
    about: "the mean label of the k nearest training points",
    numbers: &[Number {
        name: "k",
        about: "number of neighbours",
        least: 1.0,
        above: false,
        most: Most::Train,
        whole: true,
        default: None,
    }],
    choices: &[],
    has_base: false,
    one_dimensional: false,
    build: |Blueprint { settings, .. }| {
        Box::new(Knn::new(settings.iter().map(|s| whole(s[0])).collect()))
    },
};

/// k nearest neighbours: the prediction at x is the mean label of the k training points nearest
/// to x in Euclidean distance.
///
/// Ties are broken by (distance, index in the training set), so the answer is always the same.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `k` | number of neighbours | 1 to n | must be given |
///
/// **Cost** of a whole path, per test point: O(log n + k_max) in one dimension, where the
/// neighbours are met on a walk outward from x in the sorted inputs; one k_max-query of linfa-nn's
/// k-d tree in several.
///
/// **Reference**: Fix and Hodges (1951); Hastie, Tibshirani and Friedman, *The Elements of
/// Statistical Learning*, section 2.3.
///
/// ```
/// use bvlab::learner::{Knn, Learner};
/// use bvlab::problem::{Points, Training};
/// use bvlab::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0, 3.0]),
///     labels: vec![10.0, 20.0, 60.0],
/// };
/// let mut knn = Knn::new(vec![1, 2, 3]);
/// knn.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// knn.predict(&Points::new(1, vec![0.9]), &mut out);
/// assert_eq!(out, [20.0, 15.0, 30.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Knn {
    /// The k of every setting, and by increasing k which settings want it.
    ks: Vec<usize>,
    rising: Vec<usize>,
    data: Training,
    /// One dimension: x, label and index by rising x; among equal x by rising index on the way
    /// up, by falling index for the way down.
    up: Vec<(f64, f64, u32)>,
    down: Vec<(f64, f64, u32)>,
    nearest: Vec<f64>,
}

impl Knn {
    /// A path over `ks`, in any order.
    pub fn new(ks: Vec<usize>) -> Self {
        let mut rising: Vec<usize> = (0..ks.len()).collect();
        rising.sort_by_key(|&c| ks[c]);
        Knn {
            ks,
            rising,
            data: Training::default(),
            up: Vec::new(),
            down: Vec::new(),
            nearest: Vec::new(),
        }
    }

    fn largest(&self) -> usize {
        let k = self.ks.iter().copied().max().unwrap_or(0);
        k.min(self.data.len())
    }

    /// Fills `nearest` with the labels of the nearest neighbours of x, nearest first.
    fn walk(&mut self, x: f64, count: usize) {
        self.nearest.clear();
        let mut right = self.up.partition_point(|&(place, ..)| place < x);
        let mut left = right;
        while self.nearest.len() < count {
            let below = left.checked_sub(1).map(|i| self.down[i]);
            let above = self.up.get(right).copied();
            let go_left = match (below, above) {
                (Some((a, _, i)), Some((b, _, j))) => (x - a, i) < (b - x, j),
                (below, _) => below.is_some(),
            };
            let (_, label, _) = if go_left {
                left -= 1;
                self.down[left]
            } else {
                right += 1;
                self.up[right - 1]
            };
            self.nearest.push(label);
        }
    }
}

impl Learner for Knn {
    fn capacities(&self) -> usize {
        self.ks.len()
    }

    fn fit(&mut self, data: &Training, _: &Stream) {
        self.data.clone_from(data);
        self.up.clear();
        self.down.clear();
        if data.inputs.dimension() == 1 {
            let x = data.inputs.values();
            self.up.extend(
                data.inputs
                    .order()
                    .iter()
                    .map(|&i| (x[i as usize], data.labels[i as usize], i)),
            );
            self.down.extend_from_slice(&self.up);
            for equal in self.down.chunk_by_mut(|a, b| a.0 == b.0) {
                equal.reverse();
            }
        }
    }

    fn predict(&mut self, points: &Points, out: &mut [f64]) {
        let count = self.largest();
        let total = points.len();
        let averages =
            |ks: &[usize], rising: &[usize], nearest: &[f64], j: usize, out: &mut [f64]| {
                let (mut sum, mut taken) = (0.0, 0);
                for &c in rising {
                    let k = ks[c].min(nearest.len());
                    for label in &nearest[taken..k] {
                        sum += label;
                    }
                    taken = k;
                    out[c * total + j] = sum / k as f64;
                }
            };
        if points.dimension() == 1 {
            for (j, &x) in points.values().iter().enumerate() {
                self.walk(x, count);
                averages(&self.ks, &self.rising, &self.nearest, j, out);
            }
            return;
        }
        let inputs = &self.data.inputs;
        let batch = ArrayView2::from_shape((inputs.len(), inputs.dimension()), inputs.values())
            .expect("points fill whole rows");
        let index = CommonNearestNeighbour::KdTree
            .from_batch(&batch, L2Dist)
            .expect("inputs have at least one coordinate");
        let mut ranked: Vec<(f64, usize)> = Vec::new();
        for (j, x) in points.rows().enumerate() {
            let distance = |i: usize| {
                let squares = inputs.row(i).iter().zip(x).map(|(a, b)| (a - b) * (a - b));
                squares.sum::<f64>()
            };
            let query = ArrayView1::from(x);
            let found = index.k_nearest(query, count).expect("dimensions agree");
            let reach = found.iter().map(|&(_, i)| distance(i)).fold(0.0, f64::max);
            // linfa-nn promises no order among equal distances: take everyone as near as the last
            // (a little wider, for its own rounding), and rank them here.
            let wide = reach.sqrt() * (1.0 + 1e-9) + f64::MIN_POSITIVE;
            let found = index.within_range(query, wide).expect("dimensions agree");
            ranked.clear();
            ranked.extend(found.iter().map(|&(_, i)| (distance(i), i)));
            ranked.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            self.nearest.clear();
            let labels = ranked.iter().take(count).map(|&(_, i)| self.data.labels[i]);
            self.nearest.extend(labels);
            averages(&self.ks, &self.rising, &self.nearest, j, out);
        }
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn work(&self, size: Size) -> f64 {
        let search = match size.dimension {
            1.0 => 0.0,
            dimension => dimension * size.train,
        };
        size.predictions() * (self.capacities() as f64 + search)
    }
}
