//! Criteria that add a penalty for degrees of freedom to the training error.
//!
//! With n pairs, the residual sum of squares RSS, the total sum of squares TSS about the mean label
//! and the degrees of freedom d = tr S of a linear smoother:
//!
//! | name | |
//! |---|---|
//! | `gcv` | (RSS/n) / (1 - d/n)² |
//! | `cp` | (RSS + 2 d σ̂²)/n |
//! | `bic` | (RSS + ln(n) d σ̂²)/n |
//! | `aic` | n ln(RSS/n) + 2 d |
//! | `adjusted-r2` | 1 - (RSS/(n - d)) / (TSS/(n - 1)), the largest of which is the best |
//!
//! σ̂² = RSS/(n - d) of the setting with the most degrees of freedom up to n/2 among those that
//! compete, or with the fewest where all have more. A setting that leaves less than one degree of
//! freedom to the residuals has none of these numbers, and is never chosen.
//!
//! **Reference**: Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, sections
//! 7.5 to 7.7 and 7.10.

use std::sync::Arc;

use super::{Bench, Estimator, MethodFamily, MethodRefusal, RiskEstimates};
use crate::decompose::ClaimedRisk;
use crate::interrupt::Interrupted;
use crate::learner::Learner;
use crate::maths::{ln, square};
use crate::problem::Problem;

pub(super) const GCV: MethodFamily = MethodFamily {
    name: "gcv",
    label: "GCV",
    meaning: "generalised cross-validation: (RSS/n)/(1 - d/n)²",
    make: |_| Arc::new(RiskCriterion::Gcv),
};
pub(super) const CP: MethodFamily = MethodFamily {
    name: "cp",
    label: "Mallows’ Cp",
    meaning: "Mallows' C_p: (RSS + 2 d σ̂²)/n",
    make: |_| Arc::new(RiskCriterion::Cp),
};
pub(super) const AIC: MethodFamily = MethodFamily {
    name: "aic",
    label: "AIC",
    meaning: "Akaike's criterion for normal errors: n ln(RSS/n) + 2 d",
    make: |_| Arc::new(RiskCriterion::Aic),
};
pub(super) const BIC: MethodFamily = MethodFamily {
    name: "bic",
    label: "BIC",
    meaning: "Schwarz' criterion: (RSS + ln(n) d σ̂²)/n",
    make: |_| Arc::new(RiskCriterion::Bic),
};
pub(super) const ADJUSTED_R2: MethodFamily = MethodFamily {
    name: "adjusted-r2",
    label: "adjusted R²",
    meaning: "adjusted R²: 1 - (RSS/(n - d))/(TSS/(n - 1))",
    make: |_| Arc::new(RiskCriterion::AdjustedR2),
};

/// Which criterion.
#[derive(Clone, Copy, PartialEq)]
enum RiskCriterion {
    Gcv,
    Cp,
    Aic,
    Bic,
    AdjustedR2,
}

/// What the criteria are made of.
#[derive(Clone, Copy)]
struct Residuals {
    pairs: f64,
    rss: f64,
    degrees: f64,
}

impl Residuals {
    fn of(bench: &Bench, setting: usize) -> Self {
        let pairs = bench.pairs();
        let leverages = bench.leverages.get(setting * pairs..(setting + 1) * pairs);
        Residuals {
            pairs: pairs as f64,
            rss: bench.train_error[setting] * pairs as f64,
            degrees: leverages.map_or(f64::NAN, |leverages| leverages.iter().sum()),
        }
    }

    /// The degrees of freedom that are left to the residuals; NaN below one.
    fn rest(&self) -> f64 {
        // Rounding must not decide about whole numbers.
        match self.pairs - self.degrees >= 1.0 - 1e-9 {
            true => self.pairs - self.degrees,
            false => f64::NAN,
        }
    }
}

/// σ̂² from the settings of a row.
fn noise_variance(residuals: &[Residuals]) -> f64 {
    let half = |one: &&Residuals| one.degrees <= one.pairs / 2.0 * (1.0 + 1e-9);
    let most = residuals.iter().filter(half).reduce(|most, one| {
        if one.degrees > most.degrees {
            one
        } else {
            most
        }
    });
    let fewest = residuals.iter().reduce(|fewest, one| {
        if one.degrees < fewest.degrees {
            one
        } else {
            fewest
        }
    });
    let taken = most.or(fewest);
    taken.map_or(f64::NAN, |taken| taken.rss / taken.rest())
}

impl RiskCriterion {
    fn of(self, residuals: Residuals, noise: f64, total: f64) -> f64 {
        let Residuals {
            pairs,
            rss,
            degrees,
        } = residuals;
        let rest = residuals.rest();
        if rest.is_nan() {
            return f64::NAN;
        }
        match self {
            RiskCriterion::Gcv => rss / pairs / square(rest / pairs),
            RiskCriterion::Cp => (rss + 2.0 * degrees * noise) / pairs,
            RiskCriterion::Bic => (rss + ln(pairs) * degrees * noise) / pairs,
            RiskCriterion::Aic => pairs * ln(rss / pairs) + 2.0 * degrees,
            RiskCriterion::AdjustedR2 => 1.0 - (rss / rest) / (total / (pairs - 1.0)),
        }
    }
}

impl Estimator for RiskCriterion {
    fn estimate(&self, bench: &mut Bench, out: &mut RiskEstimates) -> Result<(), Interrupted> {
        let labels = &bench.data.labels;
        let mean = labels.iter().sum::<f64>() / labels.len() as f64;
        let total = labels.iter().map(|label| square(label - mean)).sum();
        for row in bench.rows {
            let residuals = row.iter().map(|c| Residuals::of(bench, *c));
            let residuals: Vec<Residuals> = residuals.collect();
            let noise = noise_variance(&residuals);
            for (&c, residuals) in row.iter().zip(residuals) {
                out.claims[c] = ClaimedRisk {
                    estimate: self.of(residuals, noise, total),
                    se: f64::NAN,
                };
            }
        }
        Ok(())
    }

    fn estimates_risk(&self) -> bool {
        matches!(self, RiskCriterion::Gcv | RiskCriterion::Cp)
    }

    fn prefers_large(&self) -> bool {
        *self == RiskCriterion::AdjustedR2
    }

    fn needs_leverages(&self, _: &dyn Learner) -> bool {
        true
    }

    fn paths(&self, learner: &dyn Learner, train: usize) -> f64 {
        match learner.is_linear() {
            true => 1.0,
            false => train as f64,
        }
    }

    fn refusal(&self, learner: &dyn Learner, problem: &Problem) -> Option<MethodRefusal> {
        let help = "take `10-fold`, which needs no degrees of freedom";
        if problem.classes() > 0 {
            return MethodRefusal::new("needs labels that are numbers", help);
        }
        if !learner.is_smoother() {
            return MethodRefusal::new(
                "needs degrees of freedom, which are known for linear smoothers alone",
                help,
            );
        }
        match problem.train < 3 {
            true => MethodRefusal::new(
                "needs at least 3 training points",
                "take larger training sets",
            ),
            false => None,
        }
    }
}
