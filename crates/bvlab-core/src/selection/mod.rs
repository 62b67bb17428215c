//! Estimating the risk, and choosing a capacity, from one training set alone.
//!
//! A [`Method`] estimates the risk of every setting of a capacity path from the training set that the
//! path was fitted to, and so chooses a setting. The engine knows the true risk of every fit, and sets
//! the two side by side (see [`crate::decompose::SelectionTally`]).
//!
//! Every fit to a part of the training set is a whole path. The learner's own draws, such as random
//! features, are those of the fit to the whole training set; folds and bootstraps come from a stream
//! of their own, the same for all learners.
//!
//! A new family of methods is one file with a [`MethodFamily`] in it, and a line in [`FAMILIES`].

mod bootstrap;
mod choice;
mod criteria;
mod density;
mod folds;
mod leave_one_out;
mod parts;
#[cfg(test)]
mod tests;

pub(crate) use choice::choose;
pub(crate) use parts::Room;

use std::fmt::{Debug, Formatter};
use std::sync::Arc;

use crate::data::Training;
use crate::decompose::{ClaimedRisk, Loss};
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::Learner;
use crate::probability::Preference;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::words::did_you_mean;

/// All families of methods.
pub const FAMILIES: &[MethodFamily] = &[
    folds::VALIDATION,
    folds::K_FOLD,
    folds::NESTED,
    leave_one_out::FAMILY,
    criteria::GCV,
    criteria::CP,
    criteria::AIC,
    criteria::BIC,
    criteria::ADJUSTED_R2,
    bootstrap::PLAIN,
    bootstrap::PLUS,
    density::LSCV,
    density::STURGES,
    density::SCOTT,
    density::SILVERMAN,
];

/// Methods that differ by a number in their name at most.
#[derive(Clone, Copy)]
pub struct MethodFamily {
    /// The name, with `K` in the place of a number.
    pub name: &'static str,
    /// What figures call it, with `K` in the place of a number.
    pub label: &'static str,
    /// What it does, in a few words.
    pub meaning: &'static str,
    /// Makes the method of that name, with the number where there is one.
    make: fn(usize) -> Arc<dyn Estimator>,
}

impl MethodFamily {
    /// The number in a name, or 0 where the family has none; `None` for a name of another family.
    fn number(&self, name: &str) -> Option<usize> {
        let Some((before, after)) = self.name.split_once('K') else {
            return (name == self.name).then_some(0);
        };
        let digits = name.strip_prefix(before)?.strip_suffix(after)?;
        let plain = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
        digits.parse().ok().filter(|_| plain)
    }
}

/// A method that estimates the risk of every setting from one training set.
#[derive(Clone)]
pub struct Method {
    name: String,
    label: String,
    estimator: Arc<dyn Estimator>,
}

impl Method {
    /// The method of a name such as `10-fold`.
    ///
    /// # Errors
    ///
    /// What to write instead.
    pub fn named(name: &str) -> Result<Method, String> {
        let found = FAMILIES
            .iter()
            .find_map(|family| Some((family, family.number(name)?)));
        match found {
            Some((family, number)) => Ok(Method {
                name: name.to_owned(),
                label: family.label.replace('K', &number.to_string()),
                estimator: (family.make)(number),
            }),
            None => {
                let known = FAMILIES.iter().map(|family| family.name.replace('K', "5"));
                let known: Vec<String> = known.collect();
                Err(did_you_mean(name, known.iter().map(String::as_str)))
            }
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What figures call it, such as `leave-one-out`.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Whether it estimates the risk, in units of the loss; else it only ranks settings.
    pub fn estimates_risk(&self) -> bool {
        self.estimator.estimates_risk()
    }

    /// Whether the largest estimate is the best.
    pub fn prefers_large(&self) -> bool {
        self.estimator.prefers_large()
    }

    /// About how many fits of a whole path to the training set it takes.
    pub fn paths(&self, learner: &dyn Learner, train: usize) -> f64 {
        self.estimator.paths(learner, train)
    }

    /// Why it cannot be used with a learner on a problem.
    pub(crate) fn refusal(
        &self,
        learner: &dyn Learner,
        problem: &Problem,
    ) -> Option<MethodRefusal> {
        match (problem.density().is_some(), self.estimator.for_densities()) {
            (true, false) => MethodRefusal::new(
                "compares predictions with labels, which values of a density do not have",
                "take `lscv`, `sturges`, `scott` or `silverman`",
            ),
            (false, true) => MethodRefusal::new(
                "is for estimates of a density, but the problem has labels",
                "take `10-fold`",
            ),
            _ => self.estimator.refusal(learner, problem),
        }
    }

    pub(crate) fn needs_leverages(&self, learner: &dyn Learner) -> bool {
        self.estimator.needs_leverages(learner)
    }

    pub(crate) fn estimate(
        &self,
        bench: &mut Bench,
        out: &mut RiskEstimates,
    ) -> Result<(), Interrupted> {
        out.begin(bench.learner.capacities());
        self.estimator.estimate(bench, out)
    }
}

impl Debug for Method {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "Method({})", self.name)
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Method) -> bool {
        self.name == other.name
    }
}

/// Why a method cannot be used: what is missing, as the end of a sentence that names the method and
/// the learner, and what to do.
pub(crate) struct MethodRefusal {
    pub reason: String,
    pub help: String,
}

impl MethodRefusal {
    fn new(reason: impl Into<String>, help: impl Into<String>) -> Option<Self> {
        Some(MethodRefusal {
            reason: reason.into(),
            help: help.into(),
        })
    }
}

/// How a method estimates.
trait Estimator: Send + Sync {
    /// Estimates the risk of every setting.
    fn estimate(&self, bench: &mut Bench, out: &mut RiskEstimates) -> Result<(), Interrupted>;

    fn estimates_risk(&self) -> bool {
        true
    }

    fn prefers_large(&self) -> bool {
        false
    }

    /// Whether it is for estimates of a density, and for nothing else.
    fn for_densities(&self) -> bool {
        false
    }

    fn needs_leverages(&self, learner: &dyn Learner) -> bool {
        let _ = learner;
        false
    }

    fn paths(&self, learner: &dyn Learner, train: usize) -> f64;

    fn refusal(&self, learner: &dyn Learner, problem: &Problem) -> Option<MethodRefusal>;
}

/// A learner that was just fitted to a training set, and what methods need to go on from there. They
/// may fit it again.
pub(crate) struct Bench<'a> {
    pub learner: &'a mut dyn Learner,
    pub data: &'a Training,
    /// By setting, pair and output: what the fit predicts at its own inputs.
    pub fitted: &'a [f64],
    /// By setting: the error on the training set.
    pub train_error: &'a [f64],
    /// By setting and pair: the leverages of a smoother, where a method needs them; else empty.
    pub leverages: &'a [f64],
    /// Settings that compete with each other, by their numbers.
    pub rows: &'a [Vec<usize>],
    /// The stream that the learner was fitted with.
    pub stream: &'a Stream,
    /// Where folds and bootstraps come from.
    pub draws: &'a Stream,
    pub loss: Loss,
    pub outputs: usize,
    pub preference: Preference,
    pub interrupt: &'a Interrupt<'a>,
    pub room: &'a mut Room,
}

/// What a method says of every setting.
#[derive(Clone, Debug, Default)]
pub(crate) struct RiskEstimates {
    /// By setting.
    pub claims: Vec<ClaimedRisk>,
    /// By row of settings that compete: what is said of the chosen one, where that is not the claim
    /// of its setting.
    pub of_choice: Vec<ClaimedRisk>,
}

impl RiskEstimates {
    fn begin(&mut self, settings: usize) {
        self.claims.clear();
        self.claims.resize(settings, ClaimedRisk::NONE);
        self.of_choice.clear();
    }
}
