//! k nearest neighbours.

mod crowd;
mod leave_one_out;

#[cfg(feature = "linfa")]
use linfa_nn::distance::L2Dist;
#[cfg(feature = "linfa")]
use linfa_nn::{CommonNearestNeighbour, NearestNeighbour};
#[cfg(feature = "linfa")]
use ndarray::{ArrayView1, ArrayView2};

use super::family::{Blueprint, Family, LabelKind};
use super::{Learner, Size, room};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::wide;
use crate::parameter::{Most, Parameter};
use crate::probability::both_of_two;
use crate::stream::Stream;
use crowd::Crowd;

pub(super) const FAMILY: Family = Family::new(
    "knn",
    "the mean label of the k nearest training points, or their shares of classes",
    build,
)
.parameters(&[Parameter::whole("k", "number of neighbours")
    .symbol("k")
    .least(1.0)
    .most(Most::Train)
    .usual(1.0, 40.0)])
.labels(LabelKind::Both)
.one_fit("every k: windows of the sorted inputs, one comparison for each larger k; in several dimensions the distances from all inputs, or linfa-nn's k-d tree where they are many");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let ks = blueprint.settings().map(|setting| setting.whole("k"));
    Box::new(Knn::for_labels(ks.collect(), blueprint.classes))
}

/// k nearest neighbours: the prediction at x is the mean label of the k training points nearest
/// to x in Euclidean distance; of a [`Knn::classifier`], the probability of a class is its share of
/// their k votes.
///
/// Ties are broken by (distance, index in the training set), so the answer is always the same.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `k` | number of neighbours | 1 to n | must be given |
///
/// **Cost** of a whole path, per test point: O(log n + k_max) in one dimension, where the k nearest
/// are k neighbours in the sorted inputs, and one more neighbour is found by one comparison; in
/// several O(n d) for the distances from all inputs, or for more than 2000 inputs of few dimensions
/// one k_max-query of linfa-nn's k-d tree.
///
/// **Reference**: Fix and Hodges (1951); Hastie, Tibshirani and Friedman, *The Elements of
/// Statistical Learning*, section 2.3.
///
/// ```
/// use bvlab_core::learner::{Knn, Learner};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
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
    path: Path,
    data: Training,
    line: SortedLine,
    crowd: Crowd,
    nearest: Vec<f64>,
    /// By test point: how many inputs lie below its neighbours so far.
    below: Vec<u32>,
    sums: Vec<f64>,
    means: Vec<f64>,
    /// For more than two classes: the shares of one of them, and the labels.
    shares: Vec<f64>,
    labels: Vec<f64>,
}

/// The settings, and what they make of the labels of neighbours.
#[derive(Clone, Debug)]
struct Path {
    /// The k of every setting, and by increasing k which settings want it.
    ks: Vec<usize>,
    rising: Vec<usize>,
    /// How many classes there are; 0 where labels are numbers.
    classes: usize,
    /// By class: the votes so far.
    votes: Vec<f64>,
}

impl Path {
    /// The largest k.
    fn largest(&self) -> usize {
        self.ks.iter().copied().max().unwrap_or(0)
    }

    /// Whether labels are averaged as they are. On labels 0 and 1 the mean is the share of class 1.
    fn averages(&self) -> bool {
        matches!(self.classes, 0 | 2)
    }

    /// Writes what the first labels of the nearest say as the predictions at point j of `total`.
    fn conclude(&mut self, nearest: &[f64], j: usize, total: usize, out: &mut [f64]) {
        match self.averages() {
            true => self.average(nearest, j, total, out),
            false => self.vote(nearest, j, total, out),
        }
    }

    /// The mean.
    fn average(&self, nearest: &[f64], j: usize, total: usize, out: &mut [f64]) {
        let (mut sum, mut taken) = (0.0, 0);
        for &c in &self.rising {
            let k = self.ks[c].min(nearest.len());
            for label in &nearest[taken..k] {
                sum += label;
            }
            taken = k;
            out[c * total + j] = sum / k as f64;
        }
    }

    /// The share of every class.
    fn vote(&mut self, nearest: &[f64], j: usize, total: usize, out: &mut [f64]) {
        let mut taken = 0;
        self.votes.fill(0.0);
        for &c in &self.rising {
            let k = self.ks[c].min(nearest.len());
            for label in &nearest[taken..k] {
                self.votes[*label as usize] += 1.0;
            }
            taken = k;
            let row = &mut out[(c * total + j) * self.classes..][..self.classes];
            for (share, votes) in row.iter_mut().zip(&self.votes) {
                *share = votes / k as f64;
            }
        }
    }
}

/// The training set in one dimension, by rising x, between walls at -∞ and +∞. Among equal x the
/// indices rise on the way up, and fall for the way down: the earliest is met first on both.
#[derive(Clone, Debug, Default)]
struct SortedLine {
    x: Vec<f64>,
    labels: Vec<f64>,
    up: Vec<u32>,
    down: Vec<u32>,
    /// Whether equal x have equal labels, as in a bootstrap of different x.
    plain: bool,
}

impl SortedLine {
    fn load(&mut self, data: &Training) {
        let order = data.inputs.order();
        let x = |i: &u32| data.inputs.values()[*i as usize];
        self.x.clear();
        self.x.push(f64::NEG_INFINITY);
        self.x.extend(order.iter().map(x));
        self.x.push(f64::INFINITY);
        self.labels.clear();
        self.labels
            .extend(order.iter().map(|i| data.labels[*i as usize]));
        self.up.clear();
        self.up.extend_from_slice(order);
        self.down.clear();
        self.down.extend_from_slice(order);
        self.plain = true;
        let mut start = 0;
        for equal in self.down.chunk_by_mut(|a, b| x(a) == x(b)) {
            let labels = &self.labels[start..start + equal.len()];
            self.plain &= labels.iter().all(|label| *label == labels[0]);
            start += equal.len();
            equal.reverse();
        }
    }

    /// How many inputs lie below a point.
    fn below(&self, x: f64) -> usize {
        let inputs = &self.x[1..self.x.len() - 1];
        inputs.partition_point(|input| *input < x)
    }

    /// The same for many points, in one sweep.
    fn begin(&self, points: &Points, below: &mut Vec<u32>) {
        below.resize(points.len(), 0);
        let mut passed = 0;
        for &j in points.order() {
            let x = points.values()[j as usize];
            while self.x[passed + 1] < x {
                passed += 1;
            }
            below[j as usize] = passed as u32;
        }
    }

    /// Which of two neighbours as far from a point comes first; behind a wall there is none.
    #[cold]
    fn earlier_is_below(&self, place: usize, count: usize) -> bool {
        let under = place.checked_sub(1).map(|place| self.down[place]);
        match (under, self.up.get(place + count)) {
            (Some(under), Some(over)) => under < *over,
            (under, _) => under.is_some(),
        }
    }

    /// Grows the windows of `count` nearest inputs of many points by one more input each: `below`
    /// says where a point's window begins, and `write` hears where it begins now. No branch depends
    /// on the data but for ties.
    #[inline(always)]
    fn grow<T>(
        &self,
        count: usize,
        points: &[f64],
        below: &mut [u32],
        out: impl IntoIterator<Item = T>,
        write: impl Fn(T, usize),
    ) {
        let over = &self.x[count + 1..];
        let under = &self.x[..over.len()];
        for ((x, below), out) in points.iter().zip(below).zip(out) {
            let place = *below as usize;
            let [under, over] = [x - under[place], over[place] - x];
            let mut goes_down = under < over;
            if under == over {
                goes_down = self.earlier_is_below(place, count);
            }
            *below -= u32::from(goes_down);
            write(out, *below as usize);
        }
    }
}

/// Adds one more label to the sum of every window, and takes the means of what are now k.
fn mean_labels(labels: &[f64], k: usize, sums: &mut [f64], means: &mut [f64]) {
    let share = 1.0 / k as f64;
    wide(
        #[inline(always)]
        || {
            let sums = sums.iter_mut().zip(labels);
            for (mean, (sum, label)) in means.iter_mut().zip(sums) {
                *sum += label;
                *mean = *sum * share;
            }
        },
    );
}

impl Knn {
    /// A path over `ks`, in any order, for labels that are numbers.
    pub fn new(ks: Vec<usize>) -> Self {
        Knn::for_labels(ks, 0)
    }

    /// The same for labels that are classes 0, 1, …, K - 1.
    pub fn classifier(ks: Vec<usize>, classes: usize) -> Self {
        Knn::for_labels(ks, classes.max(1))
    }

    pub(super) fn for_labels(ks: Vec<usize>, classes: usize) -> Self {
        let mut rising: Vec<usize> = (0..ks.len()).collect();
        rising.sort_by_key(|&c| ks[c]);
        Knn {
            path: Path {
                ks,
                rising,
                classes,
                votes: vec![0.0; classes],
            },
            data: Training::default(),
            line: SortedLine::default(),
            crowd: Crowd::default(),
            nearest: Vec::new(),
            below: Vec::new(),
            sums: Vec::new(),
            means: Vec::new(),
            shares: Vec::new(),
            labels: Vec::new(),
        }
    }

    fn largest(&self) -> usize {
        self.path.largest().min(self.data.len())
    }

    /// Predicts where equal inputs have equal labels: then it does not matter which of them are
    /// taken, and the k nearest are k inputs in a row. For k + 1 that window grows at one of its
    /// ends, so what is kept of a point is where its window begins. `below` holds that for k = 0.
    fn slide(
        &mut self,
        x: &[f64],
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let largest = self.largest();
        let Knn {
            path: Path { ks, rising, .. },
            line,
            below,
            sums,
            means,
            ..
        } = self;
        let inputs = line.labels.len();
        sums.clear();
        sums.resize(inputs, 0.0);
        means.resize(inputs, 0.0);
        let mut settings = rising.iter().peekable();
        for k in 1..=largest {
            interrupt.check(inputs + x.len())?;
            let windows = inputs + 1 - k;
            let (sums, means) = (&mut sums[..windows], &mut means[..windows]);
            mean_labels(&line.labels[k - 1..], k, sums, means);
            let Some(&c) = settings.next_if(|&&c| ks[c].min(inputs) == k) else {
                line.grow(k - 1, x, below, std::iter::repeat(()), |_, _| ());
                continue;
            };
            let row = c * x.len()..(c + 1) * x.len();
            line.grow(k - 1, x, below, &mut out[row.clone()], |out, place| {
                *out = means[place];
            });
            while let Some(&same) = settings.next_if(|&&c| ks[c].min(inputs) == k) {
                out.copy_within(row.clone(), same * x.len());
            }
        }
        Ok(())
    }

    /// Fills `nearest` with the labels of the nearest neighbours of x, nearest first.
    fn walk(&mut self, x: f64) {
        let line = &self.line;
        self.nearest.clear();
        let mut below = [line.below(x) as u32];
        for count in 0..self.largest() {
            let before = below[0];
            line.grow(count, &[x], &mut below, [()], |_, _| ());
            let index = match below[0] < before {
                true => line.down[below[0] as usize],
                false => line.up[before as usize + count],
            };
            self.nearest.push(self.data.labels[index as usize]);
        }
    }

    /// The same for classes, each of which is the label 1 for itself and 0 for all others in turn.
    fn slide_classes(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let (length, classes) = (self.capacities() * points.len(), self.path.classes);
        // The labels themselves come back at the end.
        let mut shares = std::mem::take(&mut self.shares);
        let mut labels = std::mem::take(&mut self.labels);
        labels.clone_from(&self.line.labels);
        let mut slid = Ok(());
        for class in 0..classes {
            let votes = labels.iter().map(|l| f64::from(*l == class as f64));
            self.line.labels.clear();
            self.line.labels.extend(votes);
            self.line.begin(points, &mut self.below);
            let shares = room(&mut shares, length);
            slid = self.slide(points.values(), shares, interrupt);
            if slid.is_err() {
                break;
            }
            let places = out.iter_mut().skip(class).step_by(classes);
            places.zip(shares).for_each(|(p, share)| *p = *share);
        }
        std::mem::swap(&mut self.line.labels, &mut labels);
        (self.shares, self.labels) = (shares, labels);
        slid
    }

    /// Predicts in several dimensions by the distances to all training points.
    fn predict_by_all(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let count = self.largest();
        let step = self.data.inputs.values().len() + self.path.ks.len();
        for (j, x) in points.rows().enumerate() {
            interrupt.check(step)?;
            let nearest = self.crowd.nearest(x, count);
            let labels = nearest.map(|i| self.data.labels[i]);
            self.nearest.clear();
            self.nearest.extend(labels);
            self.path.conclude(&self.nearest, j, points.len(), out);
        }
        Ok(())
    }

    /// The same by a k-d tree.
    #[cfg(feature = "linfa")]
    fn predict_by_tree(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let (count, total) = (self.largest(), points.len());
        let inputs = &self.data.inputs;
        let batch = ArrayView2::from_shape((inputs.len(), inputs.dimension()), inputs.values())
            .expect("points fill whole rows");
        let index = CommonNearestNeighbour::KdTree
            .from_batch(&batch, L2Dist)
            .expect("inputs have at least one coordinate");
        let mut ranked: Vec<(f64, usize)> = Vec::new();
        let step = inputs.values().len() + self.path.ks.len();
        for (j, x) in points.rows().enumerate() {
            interrupt.check(step)?;
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
            self.path.conclude(&self.nearest, j, total, out);
        }
        Ok(())
    }
}

impl Learner for Knn {
    fn capacities(&self) -> usize {
        self.path.ks.len()
    }

    fn try_fit(&mut self, data: &Training, _: &Stream, _: &Interrupt) -> Result<(), Interrupted> {
        self.data.clone_from(data);
        if data.inputs.dimension() == 1 {
            self.line.load(data);
        } else if Crowd::suits(&data.inputs) {
            self.crowd.load(&data.inputs);
        }
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        if points.dimension() > 1 {
            match Crowd::suits(&self.data.inputs) {
                true => self.predict_by_all(points, out, interrupt)?,
                #[cfg(feature = "linfa")]
                false => self.predict_by_tree(points, out, interrupt)?,
                #[cfg(not(feature = "linfa"))]
                false => unreachable!("without a tree all are measured"),
            }
        } else if self.line.plain && self.path.averages() {
            self.line.begin(points, &mut self.below);
            self.slide(points.values(), out, interrupt)?;
        } else if self.line.plain {
            self.slide_classes(points, out, interrupt)?;
        } else {
            for (j, &x) in points.values().iter().enumerate() {
                interrupt.check(8 * self.largest())?;
                self.walk(x);
                self.path.conclude(&self.nearest, j, points.len(), out);
            }
        }
        if self.path.classes == 2 {
            both_of_two(out);
        }
        Ok(())
    }

    fn is_linear(&self) -> bool {
        self.path.classes == 0
    }

    fn try_leverages(
        &mut self,
        data: &Training,
        out: &mut [f64],
        _: &Interrupt,
    ) -> Result<bool, Interrupted> {
        Ok(self.leverages(data, out))
    }

    fn try_leave_one_out(
        &mut self,
        data: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<bool, Interrupted> {
        self.leave_one_out(data, out, interrupt)
    }

    fn operations(&self, size: Size) -> f64 {
        let search = match size.dimension {
            // The windows of all k up to the largest.
            1.0 => (self.path.classes.max(1) * self.path.largest()) as f64,
            dimension => dimension * size.train,
        };
        let outputs = (self.capacities() * self.path.classes.max(1)) as f64;
        size.predictions() * (outputs + search)
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let means = self.capacities() as f64 * size.predictions();
        2.0 * size.train * (size.dimension + 2.0) + means
    }
}
