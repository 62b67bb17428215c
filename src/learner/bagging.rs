//! Bagging: the mean of many copies of a learner, each fitted to a bootstrap of the data.

use rand::RngExt;

use super::family::{Blueprint, Family, Most, Number, whole};
use super::{Learner, room};
use crate::problem::{Points, Training};
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family {
    name: "bagging",
    about: "the mean of copies of a base learner, each fitted to a bootstrap of the data",
    numbers: &[Number {
        name: "members",
        about: "number of bootstrapped copies",
        least: 1.0,
        above: false,
        most: Most::Value(10_000.0),
        whole: true,
        default: Some(50.0),
    }],
    choices: &[],
    has_base: true,
    one_dimensional: false,
    build: |Blueprint { settings, base, .. }| {
        let (base, wants) = base.expect("the checks give bagging its base");
        let settings = settings
            .iter()
            .zip(wants)
            .map(|(numbers, base)| BaggingSetting {
                members: whole(numbers[0]),
                base,
            });
        Box::new(Bagging::new(settings.collect(), base))
    },
};

/// One setting of [`Bagging`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaggingSetting {
    /// How many members are averaged.
    pub members: usize,
    /// Which setting of the base learner they have.
    pub base: usize,
}

/// Bootstrap aggregation: the prediction is the mean over M members of the base learner, member i
/// fitted to n pairs drawn with replacement from the training set.
///
/// Any learner can be the base, another bagging included. Member i draws from a stream of its own,
/// so the first members are the same whatever M is: one run of the largest M gives every smaller
/// M, and every setting of the base shares the same bootstraps.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `members` | number M of bootstrapped copies | 1 to 10 000 | 50 |
///
/// **Cost** of a whole path: M_max paths of the base learner.
///
/// **Reference**: Breiman, *Bagging predictors*, Machine Learning 24 (1996).
///
/// ```
/// use bvlab::learner::{Bagging, BaggingSetting, Knn, Learner};
/// use bvlab::problem::{Points, Training};
/// use bvlab::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0, 2.0]),
///     labels: vec![7.0, 7.0, 7.0],
/// };
/// let path = [1, 10, 100].map(|members| BaggingSetting { members, base: 0 });
/// let mut bagging = Bagging::new(path.to_vec(), Box::new(Knn::new(vec![1])));
/// bagging.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// bagging.predict(&Points::new(1, vec![0.2]), &mut out);
/// assert_eq!(out, [7.0; 3]);
/// ```
#[derive(Clone)]
pub struct Bagging {
    settings: Vec<BaggingSetting>,
    bootstrap: bool,
    base: Box<dyn Learner>,
    members: Vec<Box<dyn Learner>>,
    sample: Training,
    counts: Vec<u32>,
    sums: Vec<f64>,
    predictions: Vec<f64>,
}

impl Bagging {
    /// A path over `settings` of copies of `base`.
    pub fn new(settings: Vec<BaggingSetting>, base: Box<dyn Learner>) -> Self {
        Bagging::with_bootstrap(settings, base, true)
    }

    /// The same; without `bootstrap` every member sees all data, and only its own randomness makes
    /// it differ.
    pub fn with_bootstrap(
        settings: Vec<BaggingSetting>,
        base: Box<dyn Learner>,
        bootstrap: bool,
    ) -> Self {
        Bagging {
            settings,
            bootstrap,
            base,
            members: Vec::new(),
            sample: Training::default(),
            counts: Vec::new(),
            sums: Vec::new(),
            predictions: Vec::new(),
        }
    }
}

impl Learner for Bagging {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn fit(&mut self, data: &Training, stream: &Stream) {
        let most = self.settings.iter().map(|s| s.members).max().unwrap_or(0);
        self.members.resize_with(most, || self.base.clone());
        for (i, member) in self.members.iter_mut().enumerate() {
            let mut stream = stream.child(i as u64);
            if !self.bootstrap {
                member.fit(data, &stream.child(0));
                continue;
            }
            self.counts.clear();
            self.counts.resize(data.len(), 0);
            for _ in 0..data.len() {
                self.counts[stream.random_range(0..data.len())] += 1;
            }
            data.repeat_into(&self.counts, &mut self.sample);
            member.fit(&self.sample, &stream.child(0));
        }
    }

    fn predict(&mut self, points: &Points, out: &mut [f64]) {
        let total = points.len();
        let length = self.base.capacities() * total;
        let sums = room(&mut self.sums, length);
        sums.fill(0.0);
        let predictions = room(&mut self.predictions, length);
        for (i, member) in self.members.iter_mut().enumerate() {
            member.predict(points, predictions);
            for (sum, prediction) in sums.iter_mut().zip(&*predictions) {
                *sum += prediction;
            }
            for (c, setting) in self.settings.iter().enumerate() {
                if setting.members == i + 1 {
                    let sums = &sums[setting.base * total..][..total];
                    for (mean, sum) in out[c * total..][..total].iter_mut().zip(sums) {
                        *mean = sum / setting.members as f64;
                    }
                }
            }
        }
    }

    fn members(&self) -> Option<Vec<usize>> {
        Some(
            self.settings
                .iter()
                .map(|setting| setting.members)
                .collect(),
        )
    }
}
