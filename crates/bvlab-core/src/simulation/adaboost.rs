//! AdaBoost with decision stumps, round by round.

use crate::data::Training;
use crate::learner::{AdaBoostSample, ClassNode, Impurity, Rounds, minority};
use crate::maths::exp;
use crate::stream::Stream;

/// A decision stump: one class up to a threshold of one coordinate, one class above it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stump {
    /// Which coordinate.
    pub feature: usize,
    /// Where it is cut; infinite where one class is said everywhere.
    pub threshold: f64,
    /// The class up to the threshold, −1 or 1.
    pub below: f64,
    /// The class above it.
    pub above: f64,
}

impl Stump {
    /// The stump of a tree with one split, or none.
    fn of(tree: &[ClassNode]) -> Self {
        let class = |node: usize| if tree[node].class == 1 { 1.0 } else { -1.0 };
        let [below, above] = match tree[0].left as usize {
            0 => [0; 2],
            left => [left, left + 1],
        };
        Stump {
            feature: tree[0].feature as usize,
            threshold: tree[0].threshold,
            below: class(below),
            above: class(above),
        }
    }

    /// The class that it gives to a value of its coordinate.
    pub fn class(&self, coordinate: f64) -> f64 {
        match coordinate <= self.threshold {
            true => self.below,
            false => self.above,
        }
    }
}

/// AdaBoost: F = Σ_t α_t h_t with stumps h_t, and the class of x is the sign of F(x).
///
/// Round t takes the stump of the least error ε_t under the weights w_i, gives it
/// α_t = ½ ln((1−ε_t)/ε_t), and divides the weights of what it got wrong by 2ε_t, those of what it
/// got right by 2(1−ε_t). Then w_i ∝ exp(−y_i F(x_i)), and for every training set
///
/// share of y_i F(x_i) ≤ 0  ≤  (1/n) Σ_i exp(−y_i F(x_i))  =  Π_t 2√(ε_t(1−ε_t)).
///
/// Among equal stumps one coordinate is chosen at random, and its smallest threshold. A stump without error
/// has infinite α: it decides alone, and the bound is 0. Where no stump is better than chance
/// (ε_t ≥ ½) its round does not count. Either way boosting ends there.
///
/// **Cost** of a round: O(d n), after one sort of every coordinate, O(d n log n).
///
/// **Reference**: Freund and Schapire, *A decision-theoretic generalization of on-line learning and
/// an application to boosting*, Journal of Computer and System Sciences 55 (1997), theorem 6 and
/// figure 3.
pub(super) struct BinaryAdaBoost<'a> {
    data: &'a Training,
    stream: &'a Stream,
    started: u64,
    rounds: Rounds,
    tree: Vec<ClassNode>,
    scores: Vec<f64>,
    bound: f64,
}

impl<'a> BinaryAdaBoost<'a> {
    /// Before the first round. The labels are −1 and 1; the stream chooses between equal stumps.
    pub fn new(data: &'a Training, stream: &'a Stream) -> Self {
        BinaryAdaBoost::with_impurity(data, stream, minority)
    }

    fn with_impurity(data: &'a Training, stream: &'a Stream, impurity: Impurity) -> Self {
        let mut rounds = Rounds::new(2, impurity);
        let classes = data.labels.iter().map(|label| u32::from(*label > 0.0));
        rounds.load(&data.inputs, classes);
        BinaryAdaBoost {
            data,
            stream,
            started: 0,
            rounds,
            tree: Vec::new(),
            scores: vec![0.0; data.len()],
            bound: 1.0,
        }
    }

    /// One round: its stump and α, or nothing where boosting has ended.
    pub fn round(&mut self) -> Option<(Stump, f64)> {
        self.tree.clear();
        let stream = self.stream.child(self.started);
        self.started += 1;
        let (inputs, sample) = (&self.data.inputs, AdaBoostSample::Reweight);
        let round = self
            .rounds
            .round(inputs, 1, sample, stream, &mut self.tree)?;
        let alpha = 0.5 * round.vote;
        self.bound *= 2.0 * (round.error * (1.0 - round.error)).sqrt();
        for (score, said) in self.scores.iter_mut().zip(self.rounds.predicted()) {
            *score += if *said == 1 { alpha } else { -alpha };
        }
        Some((Stump::of(&self.tree), alpha))
    }

    /// Π_t 2√(ε_t(1−ε_t)), from the errors of the rounds.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// (1/n) Σ_i exp(−y_i F(x_i)), from the training set.
    pub fn exponential_loss(&self) -> f64 {
        self.mean(|margin| exp(-margin))
    }

    /// The share of y_i F(x_i) ≤ 0 in the training set.
    pub fn training_error(&self) -> f64 {
        self.mean(zero_one)
    }

    fn mean(&self, loss: impl Fn(f64) -> f64) -> f64 {
        let pairs = self.scores.iter().zip(&self.data.labels);
        let sum: f64 = pairs.map(|(score, label)| loss(label * score)).sum();
        sum / self.data.len() as f64
    }
}

/// The 0/1 loss at a margin y F(x): a score of 0 has no class, and counts as wrong.
pub(super) fn zero_one(margin: f64) -> f64 {
    f64::from(u8::from(margin <= 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Points;
    use crate::learner::gini;
    use crate::stream::Purpose;

    fn algorithm() -> Stream {
        Stream::new(1, Purpose::Algorithm, 0)
    }

    /// Whole numbers from a linear congruence over 2^bits, two classes by a disc, every tenth label
    /// wrong: easily made elsewhere.
    fn data(seed: u64, count: usize, dimension: usize, bits: u32) -> Training {
        let mut state = seed;
        let mut draw = || {
            state = (state * 1_103_515_245 + 12_345) % (1 << 31);
            ((state >> 16) % (1 << bits)) as f64 / f64::from(1 << bits)
        };
        let values = (0..count * dimension).map(|_| draw()).collect();
        let inputs = Points::new(dimension, values);
        let label = |(i, x): (usize, &[f64])| {
            let inside = (x[0] - 0.5).powi(2) + (x[1] - 0.5).powi(2) < 0.16;
            if inside == (i % 10 != 0) { 1.0 } else { -1.0 }
        };
        let labels = inputs.rows().enumerate().map(label).collect();
        Training { inputs, labels }
    }

    const ROUNDS: [usize; 8] = [1, 2, 3, 5, 10, 20, 50, 100];

    /// Values of scikit-learn 1.9.1, `AdaBoostClassifier(base, n_estimators=100)`: how many training
    /// points `staged_predict` has wrong after `ROUNDS`, and Π 2√(ε(1−ε)) of `estimator_errors_`
    /// after rounds 1, 10 and 100. With Gini the base is `DecisionTreeClassifier(max_depth=1)`,
    /// otherwise a stump of the least weighted error that tries every split.
    #[test]
    fn rounds_are_those_of_scikit_learn() {
        type Case = ((u64, usize, usize, u32), Impurity, [usize; 8], [f64; 3]);
        let cases: [Case; 6] = [
            (
                (1, 40, 2, 10),
                minority,
                [12, 12, 7, 6, 7, 4, 0, 0],
                [0.916515139, 0.6102982195, 0.1291353839],
            ),
            (
                (1, 40, 2, 10),
                gini,
                [12, 12, 7, 4, 5, 4, 1, 0],
                [0.916515139, 0.6174823246, 0.1593738297],
            ),
            (
                (2, 80, 3, 10),
                minority,
                [21, 21, 16, 17, 13, 8, 4, 0],
                [0.8799857953, 0.6318727659, 0.1723099504],
            ),
            (
                (2, 80, 3, 10),
                gini,
                [22, 22, 15, 17, 11, 9, 6, 4],
                [0.893028555, 0.6676144873, 0.2760797961],
            ),
            // Sixteen values of a coordinate: many points cannot be told apart.
            (
                (3, 60, 2, 4),
                minority,
                [16, 16, 12, 12, 10, 9, 7, 5],
                [0.8844332774, 0.70806624, 0.4544252728],
            ),
            (
                (3, 60, 2, 4),
                gini,
                [16, 16, 12, 12, 11, 11, 5, 7],
                [0.8844332774, 0.727345872, 0.5119340074],
            ),
        ];
        for ((seed, count, dimension, bits), impurity, wrong, bounds) in cases {
            let data = data(seed, count, dimension, bits);
            let stream = algorithm();
            let mut boost = BinaryAdaBoost::with_impurity(&data, &stream, impurity);
            let (mut seen, mut products) = (Vec::new(), Vec::new());
            for t in 1..=100 {
                assert!(boost.round().is_some());
                if ROUNDS.contains(&t) {
                    seen.push((boost.training_error() * count as f64).round() as usize);
                }
                if [1, 10, 100].contains(&t) {
                    products.push(boost.bound());
                }
            }
            assert_eq!(seen, wrong, "data {seed}");
            for (product, bound) in products.iter().zip(bounds) {
                assert!((product - bound).abs() < 1e-9, "data {seed}: {product}");
            }
        }
    }

    #[test]
    fn the_bound_is_the_exponential_loss_and_lies_over_the_training_error() {
        let stream = algorithm();
        for seed in 1..40 {
            let data = data(seed, 10 + 3 * seed as usize, 2, 3 + seed as u32 % 8);
            let mut boost = BinaryAdaBoost::new(&data, &stream);
            for t in 1..=200 {
                let before = boost.bound();
                boost.round();
                let (bound, loss) = (boost.bound(), boost.exponential_loss());
                assert!((bound - loss).abs() <= 1e-11 * loss, "{seed}, {t}");
                assert!(
                    boost.training_error() <= bound * (1.0 + 1e-12),
                    "{seed}, {t}"
                );
                assert!(bound <= before, "{seed}, {t}");
                let sum: f64 = boost.rounds.weights().iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{seed}, {t}");
                // The weights are the exponential losses of the points.
                for (i, weight) in boost.rounds.weights().iter().enumerate() {
                    let own = (-data.labels[i] * boost.scores[i]).exp();
                    let wanted = own / (loss * data.len() as f64);
                    assert!((weight - wanted).abs() < 1e-10, "{seed}, {t}");
                }
            }
        }
    }

    #[test]
    fn a_stump_has_the_least_error_of_all() {
        let stream = algorithm();
        for seed in 1..30 {
            let data = data(seed, 25, 3, 4);
            let mut boost = BinaryAdaBoost::new(&data, &stream);
            for _ in 0..15 {
                let weights = boost.rounds.weights().to_vec();
                let error = |stump: &Stump| -> f64 {
                    let wrong = (0..data.len()).filter(|i| {
                        stump.class(data.inputs.get(*i, stump.feature)) != data.labels[*i]
                    });
                    wrong.map(|i| weights[i]).sum()
                };
                let mut least = f64::INFINITY;
                for feature in 0..3 {
                    for i in 0..data.len() {
                        for (below, above) in [(1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0)] {
                            least = least.min(error(&Stump {
                                feature,
                                threshold: data.inputs.get(i, feature),
                                below,
                                above,
                            }));
                        }
                    }
                }
                let (found, _) = boost.round().unwrap();
                assert!((error(&found) - least).abs() < 1e-12, "{seed}");
            }
        }
    }

    #[test]
    fn boosting_ends_with_a_perfect_stump_and_where_none_is_better_than_chance() {
        let stream = algorithm();
        let line = |labels: &[f64]| Training {
            inputs: Points::new(1, (0..labels.len()).map(|i| i as f64).collect()),
            labels: labels.to_vec(),
        };
        let data = line(&[-1.0, -1.0, 1.0]);
        let mut boost = BinaryAdaBoost::new(&data, &stream);
        let (stump, alpha) = boost.round().unwrap();
        assert_eq!((stump.threshold, alpha), (1.5, f64::INFINITY));
        assert_eq!((boost.bound(), boost.exponential_loss()), (0.0, 0.0));
        assert_eq!(boost.training_error(), 0.0);
        assert_eq!(boost.round(), None);
        // One class alone is such a case, too.
        let data = line(&[1.0]);
        let mut boost = BinaryAdaBoost::new(&data, &stream);
        assert_eq!(boost.round().unwrap().1, f64::INFINITY);
        // Two points in one place with two labels: every stump errs in half.
        let data = Training {
            inputs: Points::new(1, vec![0.5, 0.5]),
            labels: vec![1.0, -1.0],
        };
        let mut boost = BinaryAdaBoost::new(&data, &stream);
        assert_eq!(boost.round(), None);
        assert_eq!((boost.bound(), boost.exponential_loss()), (1.0, 1.0));
        assert_eq!(boost.training_error(), 1.0);
    }
}
