//! Newton's method for multinomial logistic regression.

use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::{add_scaled, combine, dot};
use crate::learner::cholesky::{factorise, solve};
use crate::learner::class_label;
use crate::learner::room;
use crate::maths::{exp, ln, ln_1p};

/// Newton's method, for weights u_k = w_k - w_0 of every class present but the first. With the common
/// shift that makes it least, the penalty is λ (Σ_k ‖u_k‖² - ‖Σ_k u_k‖²/K).
///
/// 1 - p_k is summed up from the other probabilities, so that it keeps its digits where p_k is almost 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
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
    pub fn load(&mut self, labels: &[f64], present: &mut Vec<usize>) {
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
    pub fn fit(
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
    pub fn separates(&self) -> bool {
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
