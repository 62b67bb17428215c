//! Choosing the smoothing of an estimated density: by cross-validation, or by a rule of thumb.
//!
//! With n values, their standard deviation s, interquartile range q and range r:
//!
//! | name | for | |
//! |---|---|---|
//! | `lscv` | `histogram`, `kernel-density` | least-squares cross-validation: ∫ f̂² - (2/n) Σ f̂_{-i}(X_i) |
//! | `sturges` | `histogram` | cells of width r/(1 + log₂ n) |
//! | `scott` | `histogram` | cells of width 3.49 s n^(-1/3) |
//! | `scott` | `kernel-density` | a bandwidth of 1.06 s n^(-1/5) |
//! | `silverman` | `kernel-density` | a bandwidth of 0.9 min(s, q/1.34) n^(-1/5) |
//!
//! Rules of thumb take the setting nearest to theirs, by ratio; their numbers are |ln(h/h_rule)|. Those
//! for bandwidths are for Gaussian kernels.
//!
//! **Reference**: Sturges (1926); Scott (1979); Silverman, *Density Estimation for Statistics and Data
//! Analysis* (1986), sections 3.4.2 and 3.4.3; Rudemo (1982), Bowman (1984).

use std::sync::Arc;

use super::{Bench, Estimator, MethodFamily, MethodRefusal, RiskEstimates};
use crate::decompose::ClaimedRisk;
use crate::interrupt::Interrupted;
use crate::learner::{Learner, Smoothing};
use crate::maths::{ln, log2, pow, square};
use crate::problem::Problem;

pub(super) const LSCV: MethodFamily = MethodFamily {
    name: "lscv",
    label: "cross-validation",
    meaning: "least-squares cross-validation of a density: ∫ f̂² - (2/n) Σ f̂₋ᵢ(Xᵢ)",
    make: |_| Arc::new(DensityRule::CrossValidation),
};
pub(super) const STURGES: MethodFamily = MethodFamily {
    name: "sturges",
    label: "Sturges’ rule",
    meaning: "Sturges' rule: 1 + log₂ n cells of a histogram",
    make: |_| Arc::new(DensityRule::Sturges),
};
pub(super) const SCOTT: MethodFamily = MethodFamily {
    name: "scott",
    label: "Scott’s rule",
    meaning: "Scott's rule: cells of width 3.49 s n^(-1/3), or a bandwidth of 1.06 s n^(-1/5)",
    make: |_| Arc::new(DensityRule::Scott),
};
pub(super) const SILVERMAN: MethodFamily = MethodFamily {
    name: "silverman",
    label: "Silverman’s rule",
    meaning: "Silverman's rule: a bandwidth of 0.9 min(s, q/1.34) n^(-1/5)",
    make: |_| Arc::new(DensityRule::Silverman),
};

/// How the smoothing is chosen.
#[derive(Clone, Copy, PartialEq)]
enum DensityRule {
    CrossValidation,
    Sturges,
    Scott,
    Silverman,
}

/// A quantile of sorted values, straight between them.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor();
    let [low, high] = [below, place.ceil()].map(|place| sorted[place as usize]);
    low + (place - below) * (high - low)
}

impl DensityRule {
    /// The width or bandwidth that the rule takes for at least two values; NaN where it has none.
    fn width(self, smoothing: &Smoothing, values: &[f64]) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len() as f64;
        let mean = sorted.iter().sum::<f64>() / count;
        let squares = sorted.iter().map(|x| square(x - mean)).sum::<f64>();
        let sd = (squares / (count - 1.0)).sqrt();
        match (self, smoothing) {
            (DensityRule::Sturges, _) => {
                (sorted[sorted.len() - 1] - sorted[0]) / (1.0 + log2(count))
            }
            (DensityRule::Scott, Smoothing::Cells(_)) => 3.49 * sd / pow(count, 1.0 / 3.0),
            (DensityRule::Scott, _) => 1.06 * sd / pow(count, 0.2),
            (DensityRule::Silverman, _) => {
                let middle = quantile(&sorted, 0.75) - quantile(&sorted, 0.25);
                0.9 * sd.min(middle / 1.34) / pow(count, 0.2)
            }
            (DensityRule::CrossValidation, _) => f64::NAN,
        }
    }
}

impl Estimator for DensityRule {
    fn estimate(&self, bench: &mut Bench, out: &mut RiskEstimates) -> Result<(), Interrupted> {
        let estimates = match self {
            DensityRule::CrossValidation => {
                // Other methods may have fitted it to a part.
                let learner = &mut *bench.learner;
                learner.try_fit(bench.data, bench.stream, bench.interrupt)?;
                match learner.as_density() {
                    Some(density) => density.try_cross_validate(bench.interrupt)?,
                    None => None,
                }
            }
            rule => bench.learner.as_density().and_then(|density| {
                let smoothing = density.smoothing();
                let wanted = rule.width(&smoothing, bench.data.inputs.values());
                match smoothing {
                    Smoothing::Cells(widths) | Smoothing::Gaussian(widths) => {
                        Some(widths.iter().map(|h| ln(h / wanted).abs()).collect())
                    }
                    Smoothing::Other => None,
                }
            }),
        };
        for (claim, estimate) in out.claims.iter_mut().zip(estimates.unwrap_or_default()) {
            *claim = ClaimedRisk {
                estimate,
                se: f64::NAN,
            };
        }
        Ok(())
    }

    fn for_densities(&self) -> bool {
        true
    }

    fn estimates_risk(&self) -> bool {
        false
    }

    fn paths(&self, _: &dyn Learner, _: usize) -> f64 {
        match self {
            DensityRule::CrossValidation => 3.0,
            _ => 0.0,
        }
    }

    fn refusal(&self, learner: &dyn Learner, problem: &Problem) -> Option<MethodRefusal> {
        let smoothing = learner.as_density().map(|density| density.smoothing());
        let suits = match (self, &smoothing) {
            (_, None) => false,
            (DensityRule::CrossValidation, _) => learner
                .as_density()
                .is_some_and(|density| density.cross_validates()),
            (DensityRule::Sturges, Some(smoothing)) => matches!(smoothing, Smoothing::Cells(_)),
            (DensityRule::Scott, Some(smoothing)) => *smoothing != Smoothing::Other,
            (DensityRule::Silverman, Some(smoothing)) => {
                matches!(smoothing, Smoothing::Gaussian(_))
            }
        };
        if !suits {
            return MethodRefusal::new(
                match self {
                    DensityRule::Sturges => "is a rule for histograms",
                    DensityRule::Silverman => "is a rule for Gaussian kernels",
                    DensityRule::CrossValidation => {
                        "has a closed form for histograms and kernels alone"
                    }
                    _ => "is a rule for histograms and Gaussian kernels",
                },
                match learner.as_density() {
                    Some(density) if !density.cross_validates() => "leave it out",
                    _ => "take `lscv`, which suits all kernels and histograms",
                },
            );
        }
        match problem.train < 2 {
            true => MethodRefusal::new(
                "needs at least 2 training points",
                "take larger training sets",
            ),
            false => None,
        }
    }
}
