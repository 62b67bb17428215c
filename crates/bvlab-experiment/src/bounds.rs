//! How large an experiment may be.

/// How large an experiment may be. A command line takes what memory can hold; a server that many
/// share takes less. What is larger is refused before anything is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The most training points.
    pub train: u64,
    /// The most test points.
    pub test: u64,
    /// The most coordinates of an input.
    pub dimension: u64,
    /// The most settings of one learner, of all axes together.
    pub settings: u64,
    /// The most learners.
    pub learners: usize,
    /// The most resamples.
    pub resamples: u64,
    /// The most resamples that are kept for drawing.
    pub keep: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            train: 10_000_000,
            test: 10_000_000,
            dimension: 10_000,
            settings: 1_000_000,
            learners: usize::MAX,
            resamples: 1_000_000_000_000,
            keep: 10_000,
        }
    }
}
