//! What is known of a learner that estimates the density of the inputs.

use crate::data::Points;
use crate::interrupt::{Interrupt, Interrupted};
use crate::parameter::UnsuitableData;
use crate::problem::Density;
use crate::words::number;

/// A learner that estimates the density of the inputs: its predictions are densities, and it never
/// looks at labels.
pub trait DensityEstimator {
    /// What its settings differ in.
    fn smoothing(&self) -> Smoothing {
        Smoothing::Other
    }

    /// For an estimate that is the mean of one number for every value of a sample of n, k(x, X_i): the
    /// exact E k(x, X) and E k(x, X)², by setting and point; `None` where no closed form is known. The
    /// first is the mean of the estimate, and its variance is (E k² - (E k)²)/n.
    fn moments(&self, density: &Density, n: usize, points: &Points) -> Option<Vec<[f64; 2]>> {
        let _ = (density, n, points);
        None
    }

    /// The first setting whose estimate can be 0 within the range of x, and what to do about that,
    /// because its log-loss is infinite; `None` where none can.
    fn can_vanish(&self) -> Option<(usize, &'static str)> {
        None
    }

    /// Whether [`DensityEstimator::try_cross_validate`] has a closed form.
    fn cross_validates(&self) -> bool {
        false
    }

    /// By setting: least-squares cross-validation, ∫ f̂² - (2/n) Σ f̂_{-i}(X_i), for the sample that it
    /// was fitted to last; f̂_{-i} is the estimate without the value X_i. Its mean over samples is that
    /// of the integrated squared error, minus ∫ f². `None` where no closed form is known.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    fn try_cross_validate(&self, interrupt: &Interrupt) -> Result<Option<Vec<f64>>, Interrupted> {
        let _ = interrupt;
        Ok(None)
    }
}

/// What the settings of an estimate of a density differ in.
#[derive(Clone, Debug, PartialEq)]
pub enum Smoothing {
    /// The width of cells.
    Cells(Vec<f64>),
    /// The standard deviation of a normal kernel.
    Gaussian(Vec<f64>),
    /// Something else.
    Other,
}

/// The widths of cells, and bandwidths, are at least this share of the range of x: below, estimates
/// are spikes that a grid of test points does not see.
pub(super) const LEAST_SHARE: f64 = 1e-6;

/// Refuses a width that is tiny beside the range of x.
pub(super) fn check_width(name: &str, width: f64, range: (f64, f64)) -> Result<(), UnsuitableData> {
    let least = LEAST_SHARE * (range.1 - range.0);
    match width >= least {
        true => Ok(()),
        false => Err(UnsuitableData {
            message: format!("`{name}` can be at least {} here", number(least)),
            help: "that is a millionth of the range of x".to_owned(),
        }),
    }
}
