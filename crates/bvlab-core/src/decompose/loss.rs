//! Losses: how wrong a prediction is.
//!
//! For classes a prediction is a probability for each, for densities an estimate p of the density f at
//! a point. Every loss has a *score* of a prediction whose mean over training sets is all that its
//! parts follow from:
//!
//! | loss | score | of a label y |
//! |---|---|---|
//! | squared | p | Σₖ (pₖ - 1[y = k])² |
//! | cross-entropy | ln p, smoothed | -ln p_y |
//! | zero-one | 1[k = the most probable class] | 1[y is another class] |
//! | log | ln p and p | -ln p at an observed value |

use serde::{Deserialize, Serialize};

use crate::maths::{exp, ln};
use crate::probability::{Preference, smooth_logs};

/// The loss of a prediction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// (p - y)²; for classes the sum over them, Brier's score.
    #[default]
    Squared,
    /// -ln of the probability of the observed class. A prediction with a probability below
    /// ε/(1 + Kε) is smoothed to (p + ε)/(1 + Kε), so that no loss is infinite.
    CrossEntropy {
        /// ε.
        smoothing: f64,
    },
    /// 1 if the most probable class is not the observed one, else 0. Among equally probable
    /// classes a fit has its own [`Preference`].
    ZeroOne(Split),
    /// Of an estimate p of a density f: f ln(f/p) - f + p at every x, which is never negative and, over
    /// the whole line, integrates to Kullback and Leibler's divergence K(f‖p): to what the mean of
    /// -ln p(X) lies above that of -ln f(X). Where f is 0 it is p; elsewhere p must be above 0.
    Log,
}

/// The logarithm of an estimate of 0, where the density is 0, too: so low that the exponential of a
/// mean with one of them is 0, and finite, so that means stay numbers.
const LOG_OF_ZERO: f64 = -1e9;

/// Whose decomposition of zero-one loss is used. With p* the probabilities of the classes, q
/// the shares of the training sets whose fit votes for each, y* the class with the largest p* and
/// m, the main prediction, that with the largest q:
///
/// | | noise | bias | variance |
/// |---|---|---|---|
/// | Domingos | c₁ (1 - p*(y*)) | 1[m ≠ y*] | c₂ (1 - q(m)) |
/// | Kohavi and Wolpert | ½ (1 - Σ p*²) | ½ Σ (p* - q)² | ½ (1 - Σ q²) |
/// | effects | 1 - p*(y*) | p*(y*) - p*(m) | p*(m) - Σ p* q |
///
/// Each row sums to the risk 1 - Σ p* q. Domingos' factors are
/// c₁ = q(y*) - Σ_{k ≠ y*} q(k) p*(k) / (1 - p*(y*)), and c₂ = 1 where m = y*, else
/// -q(y*) / (1 - q(m)); without them his parts do not sum to anything. Where several classes have
/// the largest p* or the largest q, all parts are the mean over the choices between them.
///
/// **References**: Domingos, *A unified bias-variance decomposition and its applications*, ICML
/// 2000; Kohavi and Wolpert, *Bias plus variance decomposition for zero-one loss functions*, ICML
/// 1996; James, *Variance and bias for general loss functions*, Machine Learning 51 (2003).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Domingos' parts, times his factors.
    #[default]
    Domingos,
    /// Kohavi and Wolpert's parts.
    KohaviWolpert,
    /// Differences of risks.
    Effects,
}

impl Split {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Split::Domingos => "domingos",
            Split::KohaviWolpert => "kohavi-wolpert",
            Split::Effects => "effects",
        }
    }
}

impl Loss {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Loss::Squared => "squared",
            Loss::CrossEntropy { .. } => "cross-entropy",
            Loss::ZeroOne(_) => "zero-one",
            Loss::Log => "log",
        }
    }

    /// How many numbers the score of a prediction of so many numbers has.
    pub fn scores(self, outputs: usize) -> usize {
        match self {
            Loss::Log => 2,
            _ => outputs,
        }
    }

    /// What its bias is called: a square, or not.
    pub fn bias_name(self) -> &'static str {
        match self {
            Loss::Squared | Loss::ZeroOne(Split::KohaviWolpert) => "bias²",
            Loss::CrossEntropy { .. } | Loss::ZeroOne(_) | Loss::Log => "bias",
        }
    }

    /// The least risk that any prediction can have, from the probabilities of the classes:
    /// Σ p*(1 - p*), the entropy, or Bayes' error. Errors of densities are what they lie above it.
    pub fn least(self, truth: &[f64]) -> f64 {
        match self {
            Loss::Squared => truth.iter().map(|p| p * (1.0 - p)).sum(),
            Loss::CrossEntropy { .. } => truth.iter().map(|&p| -times_log(p, p)).sum(),
            Loss::ZeroOne(_) => 1.0 - most(truth),
            Loss::Log => 0.0,
        }
    }

    /// Turns a stored mean into the prediction that it represents: the mean prediction, the
    /// normalised geometric mean, the geometric mean, or the shares of votes.
    pub fn mean_prediction(self, truth: &[f64], mean: &mut [f64]) {
        match self {
            Loss::Squared => mean
                .iter_mut()
                .zip(truth)
                .for_each(|(m, truth)| *m += truth),
            Loss::CrossEntropy { .. } => {
                let most = mean.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                mean.iter_mut().for_each(|m| *m = exp(*m - most));
                let sum: f64 = mean.iter().sum();
                mean.iter_mut().for_each(|m| *m /= sum);
            }
            Loss::ZeroOne(_) | Loss::Log => {}
        }
    }

    /// Writes the score of a prediction; returns how many of its probabilities were exactly 0 and
    /// smoothed. The preference is that of the fit that made the prediction.
    pub fn score(self, prediction: &[f64], preference: Preference, score: &mut [f64]) -> usize {
        match self {
            Loss::Squared => score.copy_from_slice(prediction),
            Loss::CrossEntropy { smoothing } => {
                smooth_logs(prediction, smoothing, score);
                return prediction.iter().filter(|p| **p == 0.0).count();
            }
            // A prediction that is not a number must not become a vote: the run ends with an error.
            Loss::ZeroOne(_) if prediction.iter().any(|p| p.is_nan()) => score.fill(f64::NAN),
            Loss::ZeroOne(_) => {
                score.fill(0.0);
                score[preference.choose(prediction)] = 1.0;
            }
            Loss::Log => {
                let p = prediction[0];
                score.copy_from_slice(&[ln(p).max(LOG_OF_ZERO), p]);
            }
        }
        0
    }

    /// The loss of a score for an observed class.
    pub fn of(self, score: &[f64], class: usize) -> f64 {
        match self {
            Loss::Squared => {
                let squares: f64 = score.iter().map(|p| p * p).sum();
                squares - 2.0 * score[class] + 1.0
            }
            Loss::CrossEntropy { .. } => -score[class],
            Loss::ZeroOne(_) => 1.0 - score[class],
            Loss::Log => -score[0],
        }
    }

    /// The risk of a score above the least risk; infinite where an estimate is 0 and the density is not.
    pub fn excess(self, score: &[f64], truth: &[f64]) -> f64 {
        let both = score.iter().zip(truth);
        match self {
            Loss::Squared => both.map(|(p, truth)| (p - truth) * (p - truth)).sum(),
            Loss::CrossEntropy { .. } => both
                .map(|(score, &p)| times_log(p, p) - if p > 0.0 { p * score } else { 0.0 })
                .sum(),
            Loss::ZeroOne(_) => {
                let right: f64 = both.map(|(vote, p)| vote * p).sum();
                most(truth) - right
            }
            Loss::Log => match (truth[0], score[1]) {
                (f, p) if f <= 0.0 => p,
                (f, p) if p > 0.0 => f * (ln(f) - score[0] - 1.0) + p,
                _ => f64::INFINITY,
            },
        }
    }
}

/// The largest probability.
pub(super) fn most(truth: &[f64]) -> f64 {
    truth.iter().copied().fold(0.0, f64::max)
}

/// p ln q, which is 0 where p is.
pub(super) fn times_log(p: f64, q: f64) -> f64 {
    match p > 0.0 {
        true => p * ln(q),
        false => 0.0,
    }
}
