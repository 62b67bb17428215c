//! Reasons to doubt a mean over training sets, or its interval.

use super::Loss;

/// Why an average, or its interval, cannot be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Theory says that the mean over training sets is infinite.
    InfiniteMean,
    /// Theory says that the mean is finite but the variance is not, so that an interval means nothing.
    InfiniteSpread,
    /// One training set makes up so much of the mean that the mean may not exist.
    HeavyTail,
    /// The noise has no fourth moment, so that the error bars of variance and risk have no basis.
    HeavyNoise,
    /// There are too few resamples to estimate shares of votes.
    FewResamples,
    /// The average over x rests on few of the test points, which are a sample.
    FewPoints,
    /// The averages at other points than those of the test grid differ by more than chance.
    CoarseGrid,
}

impl Doubt {
    /// All of them, the most serious first.
    pub const ALL: [Doubt; 7] = [
        Doubt::InfiniteMean,
        Doubt::InfiniteSpread,
        Doubt::HeavyTail,
        Doubt::HeavyNoise,
        Doubt::FewResamples,
        Doubt::FewPoints,
        Doubt::CoarseGrid,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Doubt::InfiniteMean => "infinite-mean",
            Doubt::InfiniteSpread => "infinite-spread",
            Doubt::HeavyTail => "heavy-tail",
            Doubt::HeavyNoise => "heavy-noise",
            Doubt::FewResamples => "few-resamples",
            Doubt::FewPoints => "few-points",
            Doubt::CoarseGrid => "coarse-grid",
        }
    }

    /// Whether the mean may not exist: such a setting is not drawn as a mean, not checked, and never
    /// reported as the best.
    pub fn spoils_mean(self) -> bool {
        matches!(
            self,
            Doubt::InfiniteMean | Doubt::InfiniteSpread | Doubt::HeavyTail
        )
    }
}

/// Whether one resample makes up so large a share of the sum over all that the mean may not exist: its
/// expectation may be infinite, and its error bar means nothing. The limit is a tenth with 150 or more
/// resamples, and 15 over their number with fewer.
///
/// ```
/// use bvlab_core::decompose::heavy_tail;
/// assert!(heavy_tail(0.3, 1000) && !heavy_tail(0.02, 1000));
/// assert!(!heavy_tail(0.3, 20)); // too few to tell
/// ```
pub fn heavy_tail(largest_share: f64, resamples: u64) -> bool {
    largest_share > 0.1_f64.max(15.0 / resamples as f64)
}

impl Loss {
    /// Whether the loss is bounded, so that every mean exists. Squared loss is
    /// bounded where predictions are probabilities, and cross-entropy because none of them is 0.
    pub fn is_bounded(self, outputs: usize) -> bool {
        !matches!(self, Loss::Squared | Loss::Log) || outputs > 1
    }
}
