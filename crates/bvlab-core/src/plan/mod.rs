//! What the engine runs: problems, test points, learners with their capacity paths, and how.
//!
//! A [`Plan`] is checked when it is made, by [`Plan::builder`] or [`Plan::new`]; nothing further
//! down checks again. Its [`StudyDescription`] says what its numbers are about without any learner, so
//! that tables can be drawn when the plan is gone.

mod axis;
mod builder;
mod description;
mod error;
mod select;
mod size;
mod slabs;
mod test;
#[cfg(test)]
mod tests;

pub use axis::{Curve, Scale, SweepAxis};
pub use builder::PlanBuilder;
pub use description::{MethodDescription, StudyDescription, TableDescription};
pub use error::{LOSS_OF_LABELS, PlanError, Subject};
pub use size::default_slab;
pub use slabs::Slab;
pub use test::{Test, TestKind, TestPoints};

use std::ops::Deref;

use crate::decompose::Loss;
use crate::learner::Learner;
use crate::problem::{Labels, Problem};
use crate::selection::Method;

/// The fewest resamples: a variance and its error need a few.
pub const FEWEST_RESAMPLES: u64 = 4;

/// The largest seed: whole numbers up to here are the same in TOML, JSON and 64-bit floats.
pub const MOST_SEED: u64 = 1 << 53;

/// The parts of a plan, not checked yet.
#[derive(Clone)]
pub struct PlanParts {
    /// Where the data come from: one problem, or several where `train` or `noise` is swept, which
    /// differ in nothing else.
    pub problems: Vec<Problem>,
    /// Where the error is measured.
    pub test: Test,
    /// The learners, each with its capacity path.
    pub paths: Vec<CapacityPath>,
    /// How it is run.
    pub run: Run,
    /// Whether `run.keep` was asked for; otherwise fewer are kept where they are large.
    pub keep_asked: bool,
}

/// A checked plan. Its parts are those of [`PlanParts`].
#[derive(Clone)]
pub struct Plan {
    parts: PlanParts,
}

impl Deref for Plan {
    type Target = PlanParts;

    fn deref(&self) -> &PlanParts {
        &self.parts
    }
}

/// A learner with its capacity path.
#[derive(Clone)]
pub struct CapacityPath {
    /// Its name and what is swept.
    pub curve: Curve,
    /// The path, once for every problem that it is fitted to.
    pub stages: Vec<Stage>,
}

/// A capacity path that is fitted to the data of one problem.
#[derive(Clone)]
pub struct Stage {
    /// Which of the plan's problems.
    pub problem: usize,
    /// The learner.
    pub learner: Box<dyn Learner>,
    /// For every setting of the learner, its number among the curve's settings.
    pub settings: Vec<usize>,
}

impl CapacityPath {
    /// A learner that is fitted to the data of the plan's first problem, its settings being the
    /// values of one axis.
    pub fn new(name: &str, axis: SweepAxis, learner: Box<dyn Learner>) -> Self {
        CapacityPath {
            curve: Curve {
                name: name.to_owned(),
                colour: None,
                axes: vec![axis],
            },
            stages: vec![Stage {
                problem: 0,
                settings: (0..learner.capacities()).collect(),
                learner,
            }],
        }
    }

    /// Which of the plan's problems every setting is fitted to.
    pub fn problems(&self) -> Vec<usize> {
        let mut problems = vec![0; self.curve.settings()];
        for stage in &self.stages {
            for &setting in &stage.settings {
                problems[setting] = stage.problem;
            }
        }
        problems
    }

    /// Whether every prediction is a weighted sum of the labels.
    pub fn is_smoother(&self) -> bool {
        self.stages.iter().all(|stage| stage.learner.is_smoother())
    }

    /// Checks that no estimate of a density can be 0; `which` is its place among the learners.
    fn check_positive(&self, which: usize) -> Result<(), PlanError> {
        for stage in &self.stages {
            let density = stage.learner.as_density();
            if let Some((setting, help)) = density.and_then(|density| density.can_vanish()) {
                return Err(PlanError::Vanishes {
                    which,
                    learner: self.curve.name.clone(),
                    at: match self.curve.describe(stage.settings[setting]).as_str() {
                        "" => String::new(),
                        at => format!(" at {at}"),
                    },
                    help,
                });
            }
        }
        Ok(())
    }

    fn check(&self, problems: usize) -> Result<(), PlanError> {
        let Curve { name, axes, .. } = &self.curve;
        if axes.len() > 2 || axes.iter().any(|axis| axis.values.is_empty()) {
            return Err(PlanError::Axes(name.clone()));
        }
        if self.stages.iter().any(|stage| stage.problem >= problems) {
            return Err(PlanError::Stage(name.clone()));
        }
        let settings = self.curve.settings();
        let mut all: Vec<usize> = self
            .stages
            .iter()
            .flat_map(|stage| stage.settings.iter().copied())
            .collect();
        all.sort_unstable();
        let fitted: usize = self
            .stages
            .iter()
            .map(|stage| stage.learner.capacities())
            .sum();
        let each = self
            .stages
            .iter()
            .all(|stage| stage.settings.len() == stage.learner.capacities());
        match each && all.into_iter().eq(0..settings) {
            true => Ok(()),
            false => Err(PlanError::Settings {
                learner: name.clone(),
                capacities: fitted,
                settings,
            }),
        }
    }
}

/// How a plan is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// When to stop.
    pub length: Length,
    /// All random numbers follow from it.
    pub seed: u64,
    /// How many resamples' risks are kept for drawing.
    pub keep: u64,
    /// How many resamples' training sets are kept; fewer where they are very large.
    pub keep_data: u64,
    /// How many resamples' fits are kept; fewer where there are very many settings.
    pub keep_fits: u64,
    /// The loss.
    pub loss: Loss,
    /// Whether the diversity of ensembles is measured.
    pub diversity: bool,
    /// Whether inputs, noise and algorithm are crossed, to split the variance by source.
    pub sources: bool,
    /// How many settings are computed at a time, if not all: see [`Plan::slabs`].
    pub slab: Option<usize>,
    /// The methods that select a setting from every training set.
    pub select: Vec<Method>,
    /// Whether degrees of freedom and optimism are measured.
    pub df: bool,
}

impl Default for Run {
    fn default() -> Self {
        Run {
            length: Length::Resamples(1000),
            seed: 1,
            keep: 50,
            keep_data: 50,
            keep_fits: 50,
            loss: Loss::Squared,
            diversity: false,
            sources: false,
            slab: None,
            select: Vec::new(),
            df: false,
        }
    }
}

impl Run {
    /// The most resamples that it can take.
    pub fn most_resamples(&self) -> u64 {
        match self.length {
            Length::Resamples(count) => count,
            Length::Precision { most, .. } => most,
        }
    }

    fn check(&self) -> Result<(), PlanError> {
        let resamples = self.most_resamples();
        if resamples < FEWEST_RESAMPLES {
            return Err(PlanError::FewResamples {
                least: FEWEST_RESAMPLES,
                given: resamples,
            });
        }
        if let Length::Precision { share, .. } = self.length
            && !(share > 0.0 && share < 1.0)
        {
            return Err(PlanError::Precision(share));
        }
        if self.slab.is_some() && matches!(self.length, Length::Precision { .. }) {
            return Err(PlanError::SlabAndPrecision);
        }
        if self.seed > MOST_SEED {
            return Err(PlanError::Seed {
                most: MOST_SEED,
                given: self.seed,
            });
        }
        if self.keep == 0 {
            return Err(PlanError::Keep);
        }
        if self.sources && self.diversity {
            return Err(PlanError::SourcesAndDiversity);
        }
        if self.sources && self.loss != Loss::Squared {
            return Err(PlanError::SourcesLoss(self.loss.name()));
        }
        Ok(())
    }
}

/// When a run stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// After this number of resamples.
    Resamples(u64),
    /// When every risk's standard error is below a share of it.
    Precision {
        /// The share.
        share: f64,
        /// The most resamples.
        most: u64,
    },
}

impl Plan {
    /// A plan for one problem, to which learners are added.
    pub fn builder(problem: Problem) -> PlanBuilder {
        PlanBuilder::new(problem)
    }

    /// Checks a plan.
    ///
    /// # Errors
    ///
    /// The first problem that is found.
    pub fn new(mut parts: PlanParts) -> Result<Plan, PlanError> {
        parts.run.check()?;
        let first = parts.problems.first().ok_or(PlanError::NoProblem)?;
        for problem in &parts.problems {
            problem.check()?;
            let alike = problem.dimension == first.dimension
                && problem.fixed == first.fixed
                && problem.inputs == first.inputs
                && problem.classes() == first.classes()
                && problem.rows().is_some() == first.rows().is_some()
                && problem.density() == first.density();
            if !alike {
                return Err(PlanError::UnlikeProblems);
            }
        }
        match parts.run.loss {
            Loss::Squared => {}
            Loss::Log if first.density().is_none() => return Err(PlanError::LossOfDensity),
            Loss::Log if parts.run.diversity => return Err(PlanError::LogAndDiversity),
            Loss::Log => {}
            loss if first.classes() == 0 => return Err(PlanError::LossOfClasses(loss.name())),
            _ => {}
        }
        if parts.run.sources && matches!(first.labels, Labels::Rows(_)) {
            return Err(PlanError::SourcesOfTable);
        }
        let estimates = first.density().is_some();
        if parts.run.sources && estimates {
            return Err(PlanError::SourcesOfDensity);
        }
        if parts.paths.is_empty() {
            return Err(PlanError::NoLearner);
        }
        for (i, path) in parts.paths.iter().enumerate() {
            let name = &path.curve.name;
            if parts.paths[..i].iter().any(|p| p.curve.name == *name) {
                return Err(PlanError::SameName(name.clone()));
            }
            path.check(parts.problems.len())?;
            let scores = |stage: &Stage| stage.learner.predicts_scores();
            if matches!(parts.run.loss, Loss::CrossEntropy { .. }) && path.stages.iter().any(scores)
            {
                return Err(PlanError::EntropyOfScores(name.clone()));
            }
            let mut stages = path.stages.iter();
            if stages.any(|stage| stage.learner.as_density().is_some() != estimates) {
                return Err(PlanError::Densities {
                    learner: name.clone(),
                    estimates,
                });
            }
            if parts.run.loss == Loss::Log {
                path.check_positive(i)?;
            }
            if let Some(slab) = parts.run.slab
                && !path.fits_slabs(slab)
            {
                return Err(PlanError::Slab(name.clone()));
            }
        }
        let test = &parts.test;
        if test.points.is_empty()
            || test.points.dimension() != first.dimension
            || test.weights.len() != test.points.len()
        {
            return Err(PlanError::TestShape);
        }
        select::check(&parts)?;
        size::check(&mut parts)?;
        Ok(Plan { parts })
    }

    /// The parts, to be changed and checked again.
    pub fn into_parts(self) -> PlanParts {
        self.parts
    }

    /// The curves of the learners, in their order.
    pub fn curves(&self) -> impl ExactSizeIterator<Item = &Curve> + Clone {
        self.parts.paths.iter().map(|path| &path.curve)
    }

    /// The first problem, for what all problems share: truth, inputs and dimension.
    pub fn problem(&self) -> &Problem {
        &self.parts.problems[0]
    }

    /// How many settings all learners have together.
    pub fn settings(&self) -> usize {
        self.curves().map(Curve::settings).sum()
    }

    /// The most resamples that a run can take.
    pub fn most_resamples(&self) -> u64 {
        self.parts.run.most_resamples()
    }
}
