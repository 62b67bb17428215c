//! Naive Bayes for inputs that are 0 or 1, or counts.

use super::family::{Blueprint, Choice, Family, LabelKind};
use super::{Learner, Size, class_label, room, softmax};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::dot;
use crate::maths::ln;
use crate::parameter::Parameter;
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family::new(
    "naive-bayes",
    "inputs that are 0 or 1, or counts, independent of each other in every class",
    build,
)
.parameters(&[Parameter::number(
    "smoothing",
    "number of points added to every count (Laplace smoothing)",
)
.symbol("α")
.above(0.0)
.up_to(1e15)
.default(1.0)
.usual(0.01, 100.0)])
.choices(&[Choice::new(
    "law",
    "whether an input is 0 or 1, or how often something occurs",
    &["bernoulli", "multinomial"],
)])
.labels(LabelKind::Classes)
.one_fit("every smoothing, from one set of counts");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings();
    let smoothing = settings.map(|setting| setting.number("smoothing"));
    let laws = [
        ("bernoulli", CountLaw::Bernoulli),
        ("multinomial", CountLaw::Multinomial),
    ];
    let law = blueprint.chosen("law", &laws);
    Box::new(NaiveBayes::new(smoothing.collect(), law, blueprint.classes))
}

/// What [`NaiveBayes`] takes the inputs of a class for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountLaw {
    /// Each is 1 with a probability of its own, or else 0; whatever is above 0 counts as 1.
    #[default]
    Bernoulli,
    /// How often each of several things occurs, in a number of draws with probabilities of their own.
    Multinomial,
}

/// Naive Bayes for discrete inputs: p_k(x) ∝ π_k Π_j p(x_j | k), with the class's share π_k = n_k/n and
/// inputs that are independent given the class.
///
/// - Bernoulli: p(x_j = 1 | k) = (n_kj + α)/(n_k + 2α), where n_kj of the class's n_k points have
///   x_j above 0.
/// - Multinomial: p(x | k) ∝ Π_j θ_kj^x_j with θ_kj = (s_kj + α)/(s_k + αd), where s_kj is the sum of
///   x_j over the class's points, s_k that of all d inputs. Inputs below 0 or above 10¹⁵ are refused.
///
/// The smoothing α is the mean of so many further points of each kind: as it grows, the inputs are ignored,
/// and what is left is π_k (Bernoulli) or the same for every class that has as many counts. A
/// class without points has probability 0.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `smoothing` | α | above 0 | 1 |
/// | `law` | what inputs are | `bernoulli` or `multinomial` | `bernoulli` |
///
/// **Cost** of a whole path: the counts, O(n d), serve every α; each takes O(d K) logarithms, and O(d K)
/// for a prediction.
///
/// **Reference**: Maron (1961); McCallum and Nigam, *A comparison of event models for naive Bayes text
/// classification* (1998).
///
/// ```
/// use bvlab_core::learner::{CountLaw, Learner, NaiveBayes};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![1.0, 1.0, 0.0, 0.0]),
///     labels: vec![0.0, 0.0, 1.0, 1.0],
/// };
/// let mut bayes = NaiveBayes::new(vec![1.0, 1e9], CountLaw::Bernoulli, 2);
/// bayes.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 4];
/// bayes.predict(&Points::new(1, vec![1.0]), &mut out);
/// assert!((out[0] - 0.75).abs() < 1e-12); // (2 + 1)/(2 + 2) against (0 + 1)/(2 + 2)
/// assert!((out[2] - 0.5).abs() < 1e-8);
/// ```
#[derive(Clone, Debug)]
pub struct NaiveBayes {
    smoothing: Vec<f64>,
    law: CountLaw,
    classes: usize,
    /// By class: how many points it has; and by class and input the counts.
    points: Vec<f64>,
    counts: Vec<f64>,
    /// By setting and class: the score at 0, and what every input adds.
    base: Vec<f64>,
    weights: Vec<f64>,
    row: Vec<f64>,
    scores: Vec<f64>,
    refused: bool,
}

/// The largest input of the multinomial law.
const MOST_COUNT: f64 = 1e15;

impl NaiveBayes {
    /// A path over α, in any order, for labels 0, 1, …, K - 1.
    pub fn new(smoothing: Vec<f64>, law: CountLaw, classes: usize) -> Self {
        NaiveBayes {
            smoothing,
            law,
            classes: classes.max(1),
            points: Vec::new(),
            counts: Vec::new(),
            base: Vec::new(),
            weights: Vec::new(),
            row: Vec::new(),
            scores: Vec::new(),
            refused: false,
        }
    }

    /// Whether the law has such inputs.
    fn takes(&self, points: &Points) -> bool {
        let counts = |x: &f64| (0.0..=MOST_COUNT).contains(x);
        self.law == CountLaw::Bernoulli || points.values().iter().all(counts)
    }

    fn count(&mut self, data: &Training) {
        let dimension = data.inputs.dimension();
        self.points.clear();
        self.points.resize(self.classes, 0.0);
        self.counts.clear();
        self.counts.resize(self.classes * dimension, 0.0);
        for (x, label) in data.inputs.rows().zip(&data.labels) {
            let class = class_label(*label).min(self.classes - 1);
            self.points[class] += 1.0;
            let counts = &mut self.counts[class * dimension..][..dimension];
            for (count, x) in counts.iter_mut().zip(x) {
                *count += self.law.of(*x);
            }
        }
    }
}

impl CountLaw {
    /// What an input counts.
    fn of(self, x: f64) -> f64 {
        match self {
            CountLaw::Bernoulli => f64::from(x > 0.0),
            CountLaw::Multinomial => x,
        }
    }
}

impl Learner for NaiveBayes {
    fn capacities(&self) -> usize {
        self.smoothing.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        _: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.refused = !self.takes(&data.inputs);
        let dimension = data.inputs.dimension();
        interrupt.check(4 * data.len() * dimension)?;
        self.count(data);
        self.base.clear();
        self.weights.clear();
        self.weights
            .reserve(self.smoothing.len() * self.counts.len());
        for alpha in &self.smoothing {
            interrupt.check(40 * self.counts.len())?;
            let classes = self.points.iter().zip(self.counts.chunks_exact(dimension));
            for (points, counts) in classes {
                let mut base = ln(points / data.len() as f64);
                match self.law {
                    CountLaw::Bernoulli => {
                        for count in counts {
                            // Of both, the divisor is n_k + 2α.
                            let [one, none] = [count + alpha, points - count + alpha];
                            base += ln(none / (one + none));
                            self.weights.push(ln(one / none));
                        }
                    }
                    CountLaw::Multinomial => {
                        let sum: f64 = counts.iter().map(|count| count + alpha).sum();
                        let logs = counts.iter().map(|count| ln((count + alpha) / sum));
                        self.weights.extend(logs);
                    }
                }
                self.base.push(base);
            }
        }
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.refused |= !self.takes(points);
        if self.refused {
            out.fill(f64::NAN);
            return Ok(());
        }
        let (dimension, classes) = (points.dimension(), self.classes);
        let scores = room(&mut self.scores, classes);
        for (j, x) in points.rows().enumerate() {
            interrupt.check(self.weights.len())?;
            self.row.clear();
            self.row.extend(x.iter().map(|x| self.law.of(*x)));
            let settings = self.weights.chunks_exact(classes * dimension);
            for (c, weights) in settings.enumerate() {
                let of_class = weights.chunks_exact(dimension);
                for ((score, weights), k) in scores.iter_mut().zip(of_class).zip(0..) {
                    *score = match self.points[k] > 0.0 {
                        true => self.base[c * classes + k] + dot(&self.row, weights),
                        false => f64::NEG_INFINITY,
                    };
                }
                let place = (c * points.len() + j) * classes;
                softmax(scores, &mut out[place..place + classes]);
            }
        }
        Ok(())
    }

    fn refusal(&self, _: usize) -> Option<&str> {
        let words = "`law = \"multinomial\"` takes counts from 0 to 1e15 as inputs";
        self.refused.then_some(words)
    }

    fn operations(&self, size: Size) -> f64 {
        let each = size.dimension * size.outputs;
        let path = self.capacities() as f64 * each;
        4.0 * size.train * size.dimension + path * (40.0 + size.predictions())
    }

    fn numbers_held(&self, size: Size) -> f64 {
        (self.capacities() as f64 + 1.0) * size.outputs * (size.dimension + 2.0)
    }
}
