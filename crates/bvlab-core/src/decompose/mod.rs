//! From predictions to noise, bias² and variance, with error bars.
//!
//! With p_r(x) the prediction of resample r of R, d_r = p_r - f its distance from the truth, m the
//! mean of d_r and v their unbiased variance,
//!
//! - variance V = v,
//! - bias² B = m² - v/R, because m² alone is too large by v/R on average,
//! - B + V = mean of d_r², exactly,
//! - risk = noise + B + V.
//!
//! B can come out negative where the true bias is near zero; it is never clipped.
//!
//! Averages over x are weighted by the inputs' distribution. Their error bars come from the spread
//! over *resamples*, never over test points, because the predictions of one resample at different
//! x are correlated: resamples are divided into groups, each group is left out in turn, and the
//! jackknife's standard error is used with Student's t on (groups - 1) degrees of freedom.
//!
//! For classes, d and its parts are those of every class's probability, and summed over the classes;
//! other losses have parts of their own ([`Loss`]).
//!
//! Where capacity is selected from every training set, the tally counts the choices too
//! ([`SelectionTally`]).
//!
//! Where the mean over training sets does not exist, a histogram of their risks gives the median
//! and the quartiles. With crossed draws the variance is split by source ([`Sources`]).

mod bars;
mod classes;
mod diversity;
mod doubt;
mod estimate;
mod histogram;
mod interval;
mod jackknife;
mod loss;
mod moments;
mod probe;
mod selection;
mod sources;
mod squared;

pub use diversity::{MemberTally, Members, NAMES as DIVERSITY};
pub use doubt::{Doubt, heavy_tail};
pub use estimate::{
    Averaged, Decomposition, Estimate, GROUPS, Parts, TestSetup, decompose, groups_for,
};
pub use histogram::Histogram;
pub use loss::{Loss, Split};
pub use moments::{Observation, Tally};
pub use probe::{MOST_PROBES, Probe, ProbePredictions, ProbeResult};
pub use selection::{
    ChoiceSummary, Chosen, ClaimedRisk, FitRisk, MethodSummary, SelectionTally, ValueSummary,
};
pub use sources::{CELLS, SOURCES, Sources, VarianceSource};

pub use crate::maths::student_quantile;

/// The standard error of a number from its values with one group of resamples left out each.
///
/// ```
/// // The mean of 1, 2, 3 and 6, one left out in turn.
/// let se = bvlab_core::decompose::jackknife_error(&[11.0 / 3.0, 10.0 / 3.0, 3.0, 2.0]);
/// assert!((se * se - 14.0 / 3.0 / 4.0).abs() < 1e-12);
/// ```
pub fn jackknife_error(left_out: &[f64]) -> f64 {
    jackknife::jackknife(left_out.iter().copied())
}

/// The half-width of an interval of the given level in standard errors, from that many groups: the
/// quantile of Student's t on (groups - 1) degrees of freedom.
///
/// ```
/// let t = bvlab_core::decompose::interval_factor(0.95, 24);
/// assert!((t - 2.0687).abs() < 1e-4);
/// ```
pub fn interval_factor(level: f64, groups: usize) -> f64 {
    let degrees = groups.saturating_sub(1).max(1) as f64;
    student_quantile(0.5 + level / 2.0, degrees)
}
