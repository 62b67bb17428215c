//! Logistic regression on polynomials of the inputs, for two classes and for many.

use super::cholesky::{factorise, solve};
use super::family::{Blueprint, Family, LabelKind};
use super::{Basis, Learner, Remark, Size, class_label, room, softmax};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::{add_scaled, combine, dot};
use crate::maths::{exp, ln, ln_1p};
use crate::parameter::Parameter;
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family::new(
    "logistic",
    "logistic regression on polynomials of the inputs, with a ridge",
    build,
)
.parameters(&[
    Parameter::whole("degree", "degree of the polynomials")
        .up_to(9.0)
        .default(1.0),
    Parameter::number(
        "lambda",
        "penalty on the squared weights, against the sum of the losses",
    )
    .symbol("λ")
    .default(0.0)
    .usual(1e-4, 100.0),
])
.labels(LabelKind::Classes)
.one_fit("every λ and degree, one Newton iteration after the other");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| LogisticSetting {
        degree: setting.whole("degree"),
        lambda: setting.number("lambda"),
    });
    let settings = settings.collect();
    Box::new(Logistic::new(settings, blueprint.classes, blueprint.range))
}

/// One setting of [`Logistic`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogisticSetting {
    /// The degree of the polynomials.
    pub degree: usize,
    /// The penalty λ on the squared weights.
    pub lambda: f64,
}

/// Multinomial logistic regression: p_k(x) ∝ exp(c_k + w_k·φ(x)), where constants and weights
/// minimise Σ_i -ln p_{y_i}(x_i) + λ Σ_k ‖w_k‖².
///
/// The features φ are all products P_a(t_1) P_b(t_2) ⋯ of Legendre polynomials with a + b + ⋯ from 1
/// to `degree`, where t is x mapped from the inputs' range (mean ± 3 sd for normal inputs) to
/// \[-1, 1\] in every coordinate: they span the polynomials of that degree, and the penalty lives on
/// their weights. The constants c_k are not penalised. Degree 0 predicts the classes' shares.
///
/// Two classes have one weight vector w, p_1(x) = 1/(1 + exp(-c - w·φ(x))), with the penalty λ ‖w‖²:
/// that of the general form with 2λ, whose w_1 = -w_0 is half of w.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `degree` | degree of the polynomials | 0 to 9 | 1 |
/// | `lambda` | λ, against the *sum* of the losses | from 0 | 0 |
///
/// Where λ is below 10⁻¹⁰ n, that is taken instead, and the run says in how many training sets it
/// mattered because the classes could be told apart. It is far below what the data say, but classes that
/// a polynomial can tell apart without error would have infinite weights otherwise, and more
/// features than points no definite ones. A class that the training set lacks has
/// probability 0, and is left out of the fit.
///
/// **Cost**: Newton's method with a line search, from the classes' shares on, until a step promises
/// less than 10⁻¹⁰ of the objective, and at most 200 steps: some six where the classes overlap, up to
/// thirty where they do not. A step is O(n q² + q³) with q = (K - 1)(d + `degree` over d)
/// parameters. Every setting is a fit of its own, since a start from another would leave its
/// traces in the last digits; the features are shared. More than 4000 parameters
/// are refused: the predictions are NaN, which the engine reports.
///
/// **Reference**: Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning* (2009),
/// section 4.4; Böhning, *Multinomial logistic regression algorithm*, Annals of the Institute of
/// Statistical Mathematics 44 (1992).
///
/// ```
/// use bvlab_core::learner::{Learner, Logistic, LogisticSetting};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]),
///     labels: vec![0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0],
/// };
/// let path = [0, 1].map(|degree| LogisticSetting { degree, lambda: 0.0 });
/// let mut logistic = Logistic::new(path.to_vec(), 2, (0.0, 1.0));
/// logistic.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 4];
/// logistic.predict(&Points::new(1, vec![1.0]), &mut out);
/// assert!((out[1] - 4.0 / 7.0).abs() < 1e-9); // the share of class 1
/// assert!((out[3] - 3.0 / 4.0).abs() < 1e-6); // and its share where x = 1
/// ```
#[derive(Clone, Debug)]
pub struct Logistic {
    settings: Vec<LogisticSetting>,
    classes: usize,
    range: (f64, f64),
    features: Features,
    newton: Newton,
    /// The classes that the training set had.
    present: Vec<usize>,
    /// By setting: the weights of every class present but the first, less those of the first.
    weights: Vec<Vec<f64>>,
    /// By setting: whether the fit tells the classes apart without error, and only the least penalty
    /// keeps its weights finite.
    separated: Vec<bool>,
    scores: Vec<f64>,
    row: Vec<f64>,
}

/// The least λ, for every training point.
const LEAST_PENALTY: f64 = 1e-10;

/// The most parameters: their Hessian takes 128 MB.
const MOST: f64 = 4000.0;

impl Logistic {
    /// A path over `settings`, in any order, for so many classes and for inputs of that range.
    pub fn new(settings: Vec<LogisticSetting>, classes: usize, range: (f64, f64)) -> Self {
        Logistic {
            weights: vec![Vec::new(); settings.len()],
            separated: vec![false; settings.len()],
            settings,
            classes,
            range,
            features: Features::default(),
            newton: Newton::default(),
            present: Vec::new(),
            scores: Vec::new(),
            row: Vec::new(),
        }
    }

    /// The features of the largest degree at some points.
    fn fill(&mut self, points: &Points) {
        let dimension = points.dimension() as f64;
        let allowed = |degree: &usize| parameters(self.classes, dimension, *degree) <= MOST;
        let degrees = self.settings.iter().map(|setting| setting.degree);
        let degree = degrees.filter(allowed).max().unwrap_or(0);
        self.features.fill(points, degree, self.range);
    }
}

impl Learner for Logistic {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        _: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.fill(&data.inputs);
        self.newton.load(&data.labels, &mut self.present);
        // In the form of the present classes, less the first, two classes would have half of it.
        let factor = if self.classes == 2 { 2.0 } else { 1.0 };
        let least = LEAST_PENALTY * data.len() as f64;
        let found = self.weights.iter_mut().zip(&mut self.separated);
        for (setting, (weights, separated)) in self.settings.iter().zip(found) {
            weights.clear();
            *separated = false;
            if let Some(columns) = self.features.up_to(setting.degree) {
                let lambda = setting.lambda.max(least);
                self.newton
                    .fit(columns, factor * lambda, weights, interrupt)?;
                *separated = setting.lambda < least && self.newton.separates();
            }
        }
        Ok(())
    }

    fn remarks(&self) -> Option<Vec<Option<Remark>>> {
        let remark = |separated: &bool| separated.then_some(Remark::Separated);
        Some(self.separated.iter().map(remark).collect())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.fill(points);
        let (count, classes) = (points.len(), self.classes);
        let vectors = self.present.len().saturating_sub(1);
        let scores = room(&mut self.scores, vectors * count);
        self.row.resize(classes, 0.0);
        for (c, (setting, weights)) in self.settings.iter().zip(&self.weights).enumerate() {
            let out = &mut out[c * count * classes..][..count * classes];
            let Some(columns) = self.features.up_to(setting.degree) else {
                out.fill(f64::NAN);
                continue;
            };
            let each = weights.len() / vectors.max(1);
            interrupt.check(weights.len() * count)?;
            for (k, scores) in scores.chunks_exact_mut(count).enumerate() {
                combine(scores, 0.0, columns, &weights[k * each..][..each]);
            }
            for (j, out) in out.chunks_exact_mut(classes).enumerate() {
                self.row.fill(f64::NEG_INFINITY);
                for (place, &k) in self.present.iter().enumerate() {
                    self.row[k] = match place {
                        0 => 0.0,
                        _ => scores[(place - 1) * count + j],
                    };
                }
                softmax(&self.row, out);
            }
        }
        Ok(())
    }

    fn operations(&self, size: Size) -> f64 {
        let each = |setting: &LogisticSetting| {
            let all = parameters(self.classes, size.dimension, setting.degree);
            let step = all * all * (size.train + all / 3.0);
            12.0 * step + all * size.predictions()
        };
        self.settings.iter().map(each).sum()
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let degrees = self.settings.iter().map(|setting| setting.degree);
        let all = degrees.map(|degree| parameters(self.classes, size.dimension, degree));
        let all = all.fold(0.0, f64::max).min(MOST);
        // The Hessian; features at all points, and twice at those of the training set; scores,
        // shares and the like.
        let features = all / (self.classes as f64 - 1.0).max(1.0);
        all * (all + self.settings.len() as f64)
            + size.predictions() * (2.0 * features + 6.0 * size.outputs)
    }
}

/// K - 1 for each of the d + degree over d polynomials of d variables.
fn parameters(classes: usize, dimension: f64, degree: usize) -> f64 {
    let factors = (1..=degree).map(|i| (dimension + i as f64) / i as f64);
    (classes as f64 - 1.0) * factors.product::<f64>()
}

/// The constant and the products of Legendre polynomials at some points, by rising degree: those of
/// a lower degree are the first ones.
#[derive(Clone, Debug, Default)]
struct Features {
    dimension: usize,
    degree: usize,
    /// All but the constant.
    terms: Vec<Term>,
    /// By degree: how many columns there are up to it.
    ends: Vec<usize>,
    count: usize,
    /// P_1, P_2, … of the first coordinate, of the second, and so on.
    factors: Vec<f64>,
    places: Vec<f64>,
    columns: Vec<f64>,
}

/// A column is an earlier one times P_power of a coordinate that comes after all of that one's.
#[derive(Clone, Copy, Debug)]
struct Term {
    parent: usize,
    coordinate: usize,
    power: usize,
}

impl Features {
    fn list(&mut self, dimension: usize, degree: usize) {
        (self.dimension, self.degree) = (dimension, degree);
        self.terms.clear();
        self.ends.clear();
        self.ends.push(1);
        for total in 1..=degree {
            for power in 1..=total {
                let before = total - power;
                let start = before.checked_sub(1).map_or(0, |below| self.ends[below]);
                for parent in start..self.ends[before] {
                    let free = match parent {
                        0 => 0,
                        _ => self.terms[parent - 1].coordinate + 1,
                    };
                    self.terms.extend((free..dimension).map(|coordinate| Term {
                        parent,
                        coordinate,
                        power,
                    }));
                }
            }
            self.ends.push(self.terms.len() + 1);
        }
    }

    fn fill(&mut self, points: &Points, degree: usize, (from, to): (f64, f64)) {
        let (dimension, count) = (points.dimension(), points.len());
        if self.ends.is_empty() || (dimension, degree) != (self.dimension, self.degree) {
            self.list(dimension, degree);
        }
        self.count = count;
        let factors = room(&mut self.factors, dimension * degree * count);
        for (coordinate, factors) in factors
            .chunks_exact_mut((degree * count).max(1))
            .enumerate()
        {
            let place = |row: &[f64]| (2.0 * row[coordinate] - from - to) / (to - from);
            self.places.clear();
            self.places.extend(points.rows().map(place));
            Basis::Legendre.columns(&self.places, factors);
        }
        let columns = room(&mut self.columns, (self.terms.len() + 1) * count);
        columns[..count].fill(1.0);
        for (i, term) in self.terms.iter().enumerate() {
            let (done, rest) = columns.split_at_mut((i + 1) * count);
            let parent = &done[term.parent * count..][..count];
            let which = term.coordinate * degree + term.power - 1;
            let factor = &factors[which * count..][..count];
            for ((product, a), b) in rest[..count].iter_mut().zip(parent).zip(factor) {
                *product = a * b;
            }
        }
    }

    /// The columns up to a degree, where that was not too much.
    fn up_to(&self, degree: usize) -> Option<&[f64]> {
        let end = *self.ends.get(degree)?;
        Some(&self.columns[..end * self.count])
    }
}

/// Newton's method, for weights u_k = w_k - w_0 of every class present but the first. With the common
/// shift that makes it least, the penalty is λ (Σ_k ‖u_k‖² - ‖Σ_k u_k‖²/K).
///
/// With classes that are told apart almost surely, what is left of a probability of 1 is summed up
/// from the others, so that it keeps its digits.
#[derive(Clone, Debug, Default)]
struct Newton {
    /// By point, its class among those present; and how many points these have.
    members: Vec<usize>,
    sizes: Vec<usize>,
    /// u_k·φ(x) of every point, class by class; how much a whole step takes off; and a trial.
    scores: Vec<f64>,
    falls: Vec<f64>,
    trial: Vec<f64>,
    trial_weights: Vec<f64>,
    /// p_k and 1 - p_k of every point, class by class.
    shares: Vec<f64>,
    rests: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    hessian: Vec<f64>,
    curvatures: Vec<f64>,
    weighted: Vec<f64>,
}

/// A step that promises less than this share of the objective is the last one.
const TOLERANCE: f64 = 1e-10;
const MOST_STEPS: usize = 200;

/// A pivot of the Hessian is at least this share of its diagonal.
const LEAST_PIVOT: f64 = 1e-14;

impl Newton {
    /// Takes the labels, and finds which classes are there.
    fn load(&mut self, labels: &[f64], present: &mut Vec<usize>) {
        present.clear();
        present.extend(labels.iter().map(|label| class_label(*label)));
        present.sort_unstable();
        present.dedup();
        self.members.clear();
        self.sizes.clear();
        self.sizes.resize(present.len(), 0);
        for label in labels {
            let class = present.partition_point(|k| *k < class_label(*label));
            self.members.push(class);
            self.sizes[class] += 1;
        }
    }

    /// The weights for one λ: the constant and the others of one class after the other.
    fn fit(
        &mut self,
        columns: &[f64],
        lambda: f64,
        weights: &mut Vec<f64>,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let count = self.members.len();
        let each = columns.len() / count;
        let vectors = self.sizes.len() - 1;
        if vectors == 0 {
            return Ok(());
        }
        weights.resize(vectors * each, 0.0);
        for (k, scores) in room(&mut self.scores, vectors * count)
            .chunks_exact_mut(count)
            .enumerate()
        {
            let constant = ln(self.sizes[k + 1] as f64 / self.sizes[0] as f64);
            weights[k * each] = constant;
            scores.fill(constant);
        }
        let mut value = self.loss(&self.scores) + self.penalty(weights, each, lambda);
        for _ in 0..MOST_STEPS {
            interrupt.check(weights.len() * weights.len() * (count + weights.len()))?;
            self.find_shares();
            self.find_gradient(columns, weights, lambda);
            self.find_hessian(columns, lambda);
            let (size, hessian) = (weights.len(), &mut self.hessian);
            self.curvatures.clear();
            self.curvatures
                .extend((0..size).map(|i| hessian[i * size + i]));
            factorise(hessian, size, |i| LEAST_PIVOT * self.curvatures[i]);
            self.step.clear();
            self.step.extend_from_slice(&self.gradient[..size]);
            solve(hessian, &mut self.step);
            let promise = dot(&self.gradient[..size], &self.step);
            let falls = room(&mut self.falls, vectors * count);
            for (falls, step) in falls
                .chunks_exact_mut(count)
                .zip(self.step.chunks_exact(each))
            {
                combine(falls, 0.0, columns, step);
            }
            let last = promise <= TOLERANCE * value;
            let Some(found) = self.search(weights, lambda, value, promise, last) else {
                break;
            };
            value = found;
            if last {
                break;
            }
        }
        Ok(())
    }

    /// Takes the step, or half of it, a quarter and so on until the objective falls by a part of what
    /// the step promises; its new value. Without a search the whole step is taken.
    fn search(
        &mut self,
        weights: &mut [f64],
        lambda: f64,
        value: f64,
        promise: f64,
        whole: bool,
    ) -> Option<f64> {
        const LEAST_PART: f64 = 1e-4;
        let each = weights.len() / (self.sizes.len() - 1);
        let mut length = 1.0;
        for _ in 0..50 {
            self.trial_weights.clear();
            self.trial_weights.extend_from_slice(weights);
            add_scaled(&mut self.trial_weights, -length, &self.step);
            self.trial.clear();
            let total = self.members.len() * (self.sizes.len() - 1);
            self.trial.extend_from_slice(&self.scores[..total]);
            add_scaled(&mut self.trial, -length, &self.falls[..total]);
            let found = self.loss(&self.trial) + self.penalty(&self.trial_weights, each, lambda);
            if whole || found <= value - LEAST_PART * length * promise {
                weights.copy_from_slice(&self.trial_weights);
                self.scores[..total].copy_from_slice(&self.trial);
                return Some(found);
            }
            length /= 2.0;
        }
        None
    }

    /// Whether the last fit gives every training point's own class the largest score.
    fn separates(&self) -> bool {
        let count = self.members.len();
        let classes = self.sizes.len();
        let score = |k: usize, i: usize| match k {
            0 => 0.0,
            _ => self.scores[(k - 1) * count + i],
        };
        let right = |(i, &own): (usize, &usize)| {
            (0..classes).all(|k| k == own || score(k, i) < score(own, i))
        };
        classes > 1 && self.members.iter().enumerate().all(right)
    }

    /// Σ -ln p_y.
    fn loss(&self, scores: &[f64]) -> f64 {
        let count = self.members.len();
        let score = |k: usize, i: usize| match k {
            0 => 0.0,
            _ => scores[(k - 1) * count + i],
        };
        let classes = self.sizes.len();
        let mut sum = 0.0;
        for (i, &own) in self.members.iter().enumerate() {
            let others = || (0..classes).filter(|k| *k != own);
            let over = |k: usize| score(k, i) - score(own, i);
            let top = others().map(over).fold(0.0, f64::max);
            sum += match top > 0.0 {
                true => {
                    let rest: f64 = others().map(|k| exp(over(k) - top)).sum();
                    top + ln(exp(-top) + rest)
                }
                false => ln_1p(others().map(|k| exp(over(k))).sum()),
            };
        }
        sum
    }

    fn penalty(&self, weights: &[f64], each: usize, lambda: f64) -> f64 {
        let mut sum = 0.0;
        for a in 1..each {
            let (mut total, mut squares) = (0.0, 0.0);
            for vector in weights.chunks_exact(each) {
                total += vector[a];
                squares += vector[a] * vector[a];
            }
            sum += squares - total * total / self.sizes.len() as f64;
        }
        lambda * sum
    }

    /// p_k and 1 - p_k of every point, from the scores.
    fn find_shares(&mut self) {
        let (count, classes) = (self.members.len(), self.sizes.len());
        let shares = room(&mut self.shares, classes * count);
        let rests = room(&mut self.rests, classes * count);
        for i in 0..count {
            let score = |k: usize| match k {
                0 => 0.0,
                _ => self.scores[(k - 1) * count + i],
            };
            let top = (0..classes).map(score).fold(0.0, f64::max);
            let mut total = 0.0;
            for k in 0..classes {
                let share = exp(score(k) - top);
                shares[k * count + i] = share;
                total += share;
            }
            for k in 0..classes {
                shares[k * count + i] /= total;
            }
            for k in 0..classes {
                let others = (0..classes).filter(|other| *other != k);
                rests[k * count + i] = others.map(|other| shares[other * count + i]).sum();
            }
        }
    }

    fn find_gradient(&mut self, columns: &[f64], weights: &[f64], lambda: f64) {
        let count = self.members.len();
        let each = columns.len() / count;
        let classes = self.sizes.len();
        let gradient = room(&mut self.gradient, weights.len());
        let residuals = room(&mut self.weighted, count);
        for (k, gradient) in (1..classes).zip(gradient.chunks_exact_mut(each)) {
            for (i, residual) in residuals.iter_mut().enumerate() {
                *residual = match self.members[i] == k {
                    true => -self.rests[k * count + i],
                    false => self.shares[k * count + i],
                };
            }
            for (a, (slope, column)) in gradient
                .iter_mut()
                .zip(columns.chunks_exact(count))
                .enumerate()
            {
                *slope = dot(residuals, column);
                if a > 0 {
                    let total: f64 = weights[a..].iter().step_by(each).sum();
                    let own = weights[(k - 1) * each + a];
                    *slope += 2.0 * lambda * (own - total / classes as f64);
                }
            }
        }
    }

    /// Its lower half, row by row.
    fn find_hessian(&mut self, columns: &[f64], lambda: f64) {
        let (count, classes) = (self.members.len(), self.sizes.len());
        let each = columns.len() / count;
        let size = (classes - 1) * each;
        let hessian = room(&mut self.hessian, size * size);
        let (shares, rests) = (&self.shares, &self.rests);
        let weighted = room(&mut self.weighted, count);
        for k in 1..classes {
            for l in 1..=k {
                let penalty = 2.0 * lambda * (f64::from(u8::from(k == l)) - 1.0 / classes as f64);
                for a in 0..each {
                    let column = &columns[a * count..][..count];
                    for i in 0..count {
                        let share = shares[k * count + i];
                        weighted[i] = column[i]
                            * match k == l {
                                true => share * rests[k * count + i],
                                false => -share * shares[l * count + i],
                            };
                    }
                    for b in 0..=a {
                        let mut sum = dot(weighted, &columns[b * count..][..count]);
                        if a == b && a > 0 {
                            sum += penalty;
                        }
                        let [k, l] = [k - 1, l - 1];
                        hessian[(k * each + a) * size + l * each + b] = sum;
                        hessian[(k * each + b) * size + l * each + a] = sum;
                    }
                }
            }
        }
    }
}
