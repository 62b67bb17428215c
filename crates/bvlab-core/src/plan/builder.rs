//! A plan made in Rust, without a file.

use super::{CapacityPath, Length, Plan, PlanError, PlanParts, Run, SweepAxis, Test, TestPoints};
use crate::decompose::Loss;
use crate::learner::Learner;
use crate::problem::Problem;
use crate::selection::Method;

/// Makes a [`Plan`] for one problem. The defaults are those of an experiment's file: 1000 resamples,
/// seed 1, squared loss, a grid of test points in one and two dimensions.
#[derive(Clone)]
pub struct PlanBuilder {
    problem: Problem,
    test: Option<TestPoints>,
    paths: Vec<CapacityPath>,
    run: Run,
    keep_asked: bool,
}

impl PlanBuilder {
    pub(super) fn new(problem: Problem) -> Self {
        PlanBuilder {
            problem,
            test: None,
            paths: Vec::new(),
            run: Run::default(),
            keep_asked: false,
        }
    }

    /// Adds a learner whose settings are the values of an axis.
    #[must_use]
    pub fn learner(mut self, name: &str, axis: SweepAxis, learner: impl Learner + 'static) -> Self {
        let path = CapacityPath::new(name, axis, Box::new(learner));
        self.paths.push(path);
        self
    }

    /// Where the error is measured.
    #[must_use]
    pub fn test(mut self, points: TestPoints) -> Self {
        self.test = Some(points);
        self
    }

    /// The number of training sets to draw.
    #[must_use]
    pub fn resamples(mut self, resamples: u64) -> Self {
        self.run.length = Length::Resamples(resamples);
        self
    }

    /// Draws until every risk's standard error is below a share of the risk, up to `most` training sets.
    #[must_use]
    pub fn precision(mut self, share: f64, most: u64) -> Self {
        self.run.length = Length::Precision { share, most };
        self
    }

    /// All random numbers follow from it.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.run.seed = seed;
        self
    }

    /// The number of resamples whose data and fits are kept.
    #[must_use]
    pub fn keep(mut self, keep: u64) -> Self {
        (self.run.keep, self.keep_asked) = (keep, true);
        self
    }

    /// How wrong a prediction is.
    #[must_use]
    pub fn loss(mut self, loss: Loss) -> Self {
        self.run.loss = loss;
        self
    }

    /// Splits the variance by source: inputs, noise and algorithm.
    #[must_use]
    pub fn sources(mut self) -> Self {
        self.run.sources = true;
        self
    }

    /// Looks at the members of ensembles.
    #[must_use]
    pub fn diversity(mut self) -> Self {
        self.run.diversity = true;
        self
    }

    /// Adds a method that selects a setting from every training set.
    #[must_use]
    pub fn select(mut self, method: Method) -> Self {
        self.run.select.push(method);
        self
    }

    /// Measures degrees of freedom and optimism.
    #[must_use]
    pub fn degrees_of_freedom(mut self) -> Self {
        self.run.df = true;
        self
    }

    /// The plan.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with it.
    pub fn build(self) -> Result<Plan, PlanError> {
        self.problem.check()?;
        let wanted = self.test;
        let wanted = wanted.unwrap_or_else(|| TestPoints::default_for(&self.problem));
        let problems = vec![self.problem];
        let test = Test::new(wanted, &problems, self.run.seed)?;
        Plan::new(PlanParts {
            problems,
            test,
            paths: self.paths,
            run: self.run,
            keep_asked: self.keep_asked,
        })
    }
}
