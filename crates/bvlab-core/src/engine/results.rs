//! What a run returns.

use super::Exact;
use serde::{Deserialize, Serialize};

use crate::data::Training;
use crate::decompose::{Decomposition, Estimate, Parts};
use crate::learner::{Diagnosis, Expected, Remark};
use crate::problem::NotFinite;

/// The results of a run.
#[derive(Clone, Debug)]
pub struct Results {
    /// The number of training sets.
    pub resamples: u64,
    /// The best possible prediction at the test points: the truth, or the probabilities of the
    /// classes, one after the other.
    pub truth: Vec<f64>,
    /// By problem: the noise at the test points, its variance or the least risk that there can be.
    pub noise: Vec<Vec<f64>>,
    /// One per learner, in the plan's order.
    pub learners: Vec<LearnerResults>,
    /// The first resamples, kept for figures and diagnoses.
    pub kept: Vec<KeptResample>,
    /// For a run to a precision: the largest relative standard error of the risk over all settings
    /// without heavy tails; `None` if there are none, or for a fixed number of resamples.
    pub reached: Option<f64>,
}

impl Results {
    /// By setting of a learner: the averages over x.
    ///
    /// # Panics
    ///
    /// If there is no learner with that index.
    pub fn parts(&self, learner: usize) -> &[Parts] {
        &self.learners[learner].decomposition.parts
    }
}

/// The results of one learner.
#[derive(Clone, Debug)]
pub struct LearnerResults {
    /// The estimates.
    pub decomposition: Decomposition,
    /// The exact forms, where there are any.
    pub exact: Option<Exact>,
    /// By setting, the exact averages over x, where only these are known.
    pub expected: Option<Vec<Expected>>,
    /// By setting, for learners that solve for weights: the medians of the diagnoses over the first
    /// training sets.
    pub diagnoses: Option<Vec<Diagnosis>>,
    /// By setting, for smoothers where degrees of freedom were asked for: the effective parameters at
    /// the test points, averaged over the first training sets.
    pub effective: Option<Vec<Estimate>>,
    /// By setting: the remark on fits to the first training sets, if any, and their number.
    pub remarks: Vec<Option<RemarkCount>>,
}

/// A remark on some of the first training sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemarkCount {
    /// The remark.
    pub remark: Remark,
    /// On how many training sets.
    pub count: usize,
    /// Of how many.
    pub of: usize,
}

/// A resample that is kept whole.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct KeptResample {
    /// Its number, from 0.
    pub resample: u64,
    /// Its training set, by problem; empty where training sets are not kept.
    pub data: Vec<Training>,
    /// One per learner.
    pub fits: Vec<KeptFit>,
}

/// One learner's fit to a kept resample.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct KeptFit {
    /// By setting, test point and output; empty where fits are not kept.
    pub predictions: Vec<f64>,
    /// By setting: the risk of this fit, noise included.
    pub risk: Vec<f64>,
    /// By setting: its error on its training set.
    pub train: Vec<f64>,
    /// By setting: the diversity of this ensemble; empty unless it was asked for.
    pub diversity: Vec<f64>,
    /// By setting and method of selection: its estimate; empty unless selection was asked for.
    pub estimates: Vec<f64>,
    /// By row of settings that compete and method: the place of the chosen setting in its row.
    pub chosen: Vec<u32>,
    /// By setting: the effective parameters at the test points, for the first few resamples of a
    /// smoother; empty unless degrees of freedom were asked for.
    pub(crate) effective: Vec<f64>,
    /// By setting: rank, condition and weights of the fit, for the first few resamples.
    pub diagnoses: Vec<Option<Diagnosis>>,
    /// By setting: the remark on the fit, for the first few resamples.
    pub(crate) remarks: Vec<Option<Remark>>,
    /// By setting, point and output: predictions at the probe points, for the first few resamples.
    pub(crate) probe: Vec<f64>,
}

/// Why a run did not finish.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RunError {
    /// Its observer stopped it.
    #[error("stopped after {done} of {total} resamples")]
    Stopped {
        /// How many resamples were finished.
        done: u64,
        /// How many there would have been.
        total: u64,
    },
    /// The system did not start the threads.
    #[error("cannot start the threads: {0}")]
    Threads(String),
    /// A simulation was given values that it does not allow.
    #[error("{0}")]
    Setup(String),
    /// Truth or noise has no finite value at an input.
    #[error("{0} (resample {1})")]
    Problem(NotFinite, u64),
    /// A learner returned something that is not a finite number.
    #[error("`{learner}`{setting}: {} in resample {resample}{}{reason}", count.what(), count.further())]
    Learner {
        /// Which learner.
        learner: String,
        /// Which setting, as text: the first.
        setting: String,
        /// In which resample.
        resample: u64,
        /// How many there were.
        count: Box<NotNumbers>,
        /// Why, as far as the learner knows: empty, or `: ` and the reason.
        reason: String,
    },
}

/// How many results of a learner in one resample are not finite. None of them was averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotNumbers {
    /// How many predictions of the setting at test points are not finite; 0 if only their squared
    /// errors, or predictions at training points, are not.
    pub predictions: usize,
    /// Of how many.
    pub of: usize,
    /// How many settings of the learner are affected.
    pub settings: usize,
    /// Of how many that are fitted together.
    pub of_settings: usize,
}

impl NotNumbers {
    fn what(&self) -> String {
        match (self.predictions, self.of) {
            (0, _) => "errors are not finite".to_owned(),
            (1, 1) => "the prediction is not finite".to_owned(),
            (some, of) => format!("{some} of {of} predictions are not finite"),
        }
    }

    fn further(&self) -> String {
        match (self.settings, self.of_settings) {
            (_, 1) => String::new(),
            (some, of) => format!(" (in {some} of {of} settings)"),
        }
    }
}
