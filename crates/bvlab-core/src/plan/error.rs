//! What is wrong with a plan.

use crate::problem::{NotFinite, ProblemError};
use crate::words::{number, thousands};

/// What to do where labels have no log-loss.
pub const LOSS_OF_LABELS: &str =
    "write `loss = \"squared\"`, or for classes `loss = \"cross-entropy\"`";

/// What is wrong with a plan: a message, and with [`PlanError::help`] what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// There is no problem.
    #[error("a plan needs a problem")]
    NoProblem,
    /// A problem cannot be drawn from.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// Truth or noise has no finite value at an input.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
    /// The problems of a plan differ in more than their size and noise.
    #[error("the problems of a plan differ in more than size and noise")]
    UnlikeProblems,
    /// There is no learner.
    #[error("the experiment has no learner")]
    NoLearner,
    /// Two learners have one name.
    #[error("two learners are called `{0}`")]
    SameName(String),
    /// An axis without values, or more than two axes.
    #[error("`{0}` must be swept over one or two parameters, each with at least one value")]
    Axes(String),
    /// A learner's capacity path is not as long as what is swept.
    #[error("`{learner}` has {capacities} settings, but its axes have {settings}")]
    Settings {
        /// Which learner.
        learner: String,
        /// How many settings its stages have.
        capacities: usize,
        /// How many the axes have.
        settings: usize,
    },
    /// A stage of a learner refers to a problem that does not exist.
    #[error("`{0}` is fitted to a problem that the plan does not have")]
    Stage(String),
    /// A stage has settings of several slabs, which are computed one after the other.
    #[error("a stage of `{0}` has settings of several slabs")]
    Slab(String),
    /// Too few resamples for a variance and its error.
    #[error("`resamples` must be at least {least}, not {given}")]
    FewResamples {
        /// The fewest.
        least: u64,
        /// How many were asked for.
        given: u64,
    },
    /// A precision that is not between 0 and 1.
    #[error("`precision` must be between 0 and 1")]
    Precision(f64),
    /// A seed that TOML and JSON cannot hold.
    #[error("`seed` can be at most {most}, not {given}")]
    Seed {
        /// The largest.
        most: u64,
        /// What was asked for.
        given: u64,
    },
    /// No resample is to be kept.
    #[error("`keep` must be at least 1, not 0")]
    Keep,
    /// More fits to keep than memory holds.
    #[error("too many fits to keep: at most {0} here")]
    KeepTooMany(u64),
    /// A loss of classes for labels that are numbers.
    #[error("{0} loss needs classes, but the labels are numbers")]
    LossOfClasses(&'static str),
    /// Log-loss of labels.
    #[error("log-loss needs a density to be estimated, but the problem has labels")]
    LossOfDensity,
    /// Log-loss of an estimate that can be 0.
    #[error("`{learner}`{at} can be 0 where the density is not: its log-loss would be infinite")]
    Vanishes {
        /// Its place among the learners.
        which: usize,
        /// Which learner.
        learner: String,
        /// At which setting: empty, or ` at ` and its parameters.
        at: String,
        /// What to do.
        help: &'static str,
    },
    /// Members of ensembles under log-loss.
    #[error("`diversity` and log-loss exclude each other")]
    LogAndDiversity,
    /// Cross-entropy of a learner whose predictions are not probabilities.
    #[error("cross-entropy needs probabilities, and `{0}` predicts scores")]
    EntropyOfScores(String),
    /// Sources of variance under another loss.
    #[error("sources of variance can be separated only under squared loss, not {0}")]
    SourcesLoss(&'static str),
    /// Sources of variance of a table.
    #[error("inputs and noise of a table cannot be drawn separately")]
    SourcesOfTable,
    /// Sources of variance of an estimated density.
    #[error("values of a density have no labels: all variance comes from the inputs")]
    SourcesOfDensity,
    /// A learner of densities for labels, or the other way round.
    #[error(
        "`{learner}` {}",
        match estimates {
            true => "learns labels, but the problem is a density to be estimated",
            false => "estimates densities, but the problem has labels",
        }
    )]
    Densities {
        /// Which learner.
        learner: String,
        /// Whether the problem is a density.
        estimates: bool,
    },
    /// Test points other than a grid for a density.
    #[error("the error of an estimated density is integrated over a grid")]
    TestOfDensity,
    /// Sources and diversity at once.
    #[error("`diversity` and `sources` exclude each other")]
    SourcesAndDiversity,
    /// Selection and sources at once.
    #[error("`select` and `sources` exclude each other")]
    SelectAndSources,
    /// Degrees of freedom and sources at once.
    #[error("`df` and `sources` exclude each other")]
    DegreesAndSources,
    /// Degrees of freedom of an estimated density.
    #[error("degrees of freedom and optimism need labels, which values of a density do not have")]
    DegreesOfDensity,
    /// Degrees of freedom of a table.
    #[error("degrees of freedom and optimism need the truth, which nobody knows of a table")]
    DegreesOfTable,
    /// Selection from training sets in which rows stand several times.
    #[error(
        "capacity cannot be selected from bootstraps: the same row would be learned from and tested on"
    )]
    SelectFromBootstrap,
    /// Selection over a number that is not the learner's.
    #[error("`{learner}` is swept over `{axis}`, which cannot be selected from one training set")]
    SelectAmongData {
        /// Which learner.
        learner: String,
        /// What is swept first.
        axis: String,
    },
    /// A method that is listed twice.
    #[error("`{method}` is listed twice")]
    SameMethod {
        /// Its place in the list.
        which: usize,
        /// Its name.
        method: String,
    },
    /// A method that does not suit a learner.
    #[error("`{method}` cannot select the capacity of `{learner}`: it {reason}")]
    Method {
        /// Its place in the list.
        which: usize,
        /// Its name.
        method: String,
        /// Which learner.
        learner: String,
        /// What is missing.
        reason: String,
        /// What to do.
        help: String,
    },
    /// Slabs of a run to a precision.
    #[error("`slab` and `precision` exclude each other")]
    SlabAndPrecision,
    /// A grid of test points in three or more dimensions.
    #[error("a test grid needs one or two dimensions")]
    TestGridDimension,
    /// A grid in two dimensions whose number of points is not a square.
    #[error("a grid in two dimensions needs a square number of points, not {0}")]
    TestGridCount(usize),
    /// A sample of one test point.
    #[error("a sample of test points needs at least 2")]
    TestDrawCount,
    /// A grid over inputs that are whole numbers.
    #[error("a grid does not stand for discrete inputs")]
    TestGridDiscrete,
    /// A sample of inputs that are a grid.
    #[error("grid inputs are not a distribution to draw from")]
    TestDrawFromGrid,
    /// Testing at inputs that change.
    #[error("testing at the inputs needs inputs that are fixed")]
    TestInputsNotFixed,
    /// Testing at inputs whose number is swept.
    #[error("testing at the inputs needs training sets of one size")]
    TestInputsOfSeveralSizes,
    /// Test points without weights, or of another dimension than the inputs.
    #[error("test points need one weight each, and the dimension of the inputs")]
    TestShape,
    /// More settings and test points than memory holds.
    #[error("{} settings at {} test points are more than memory can hold", thousands(*.settings), thousands(*.points))]
    TooLarge {
        /// How many settings.
        settings: u64,
        /// How many test points.
        points: u64,
        /// How many settings there can be.
        most: u64,
        /// Whether the run is to a precision, which is computed all at once.
        all_at_once: bool,
    },
    /// More training points than memory holds.
    #[error("training sets of all sizes together are more than memory can hold")]
    TrainTooLarge,
}

/// What a [`PlanError`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// The problem.
    Problem,
    /// The learners and what is swept.
    Learners,
    /// The learner with that place among them.
    Learner(usize),
    /// Where the error is measured.
    Test,
    /// How many fits are kept.
    Keep,
    /// The methods of selection: all of them, or that with a place in the list.
    Select(Option<usize>),
    /// Degrees of freedom.
    Degrees,
    /// The diversity of ensembles.
    Diversity,
    /// Anything else about how it is run.
    Run,
}

impl PlanError {
    /// What it is about.
    pub fn subject(&self) -> Subject {
        match self {
            PlanError::NoProblem
            | PlanError::Problem(_)
            | PlanError::NotFinite(_)
            | PlanError::UnlikeProblems => Subject::Problem,
            PlanError::EntropyOfScores(_)
            | PlanError::NoLearner
            | PlanError::SameName(_)
            | PlanError::Axes(_)
            | PlanError::Settings { .. }
            | PlanError::Stage(_)
            | PlanError::Densities { .. }
            | PlanError::Slab(_) => Subject::Learners,
            PlanError::Vanishes { which, .. } => Subject::Learner(*which),
            PlanError::TestGridDimension
            | PlanError::TestGridCount(_)
            | PlanError::TestDrawCount
            | PlanError::TestDrawFromGrid
            | PlanError::TestGridDiscrete
            | PlanError::TestInputsNotFixed
            | PlanError::TestInputsOfSeveralSizes
            | PlanError::TestShape
            | PlanError::TestOfDensity
            | PlanError::TooLarge { .. }
            | PlanError::TrainTooLarge => Subject::Test,
            PlanError::Keep | PlanError::KeepTooMany(_) => Subject::Keep,
            PlanError::SelectAndSources
            | PlanError::SelectFromBootstrap
            | PlanError::SelectAmongData { .. } => Subject::Select(None),
            PlanError::SameMethod { which, .. } | PlanError::Method { which, .. } => {
                Subject::Select(Some(*which))
            }
            PlanError::DegreesAndSources
            | PlanError::DegreesOfTable
            | PlanError::DegreesOfDensity => Subject::Degrees,
            PlanError::LogAndDiversity => Subject::Diversity,
            _ => Subject::Run,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let words = match self {
            PlanError::NoLearner => "add for example `[[learner]]` with `tree = {}`",
            PlanError::SameName(_) => "give one of them another name, as in `name = \"deep tree\"`",
            PlanError::Precision(_) => "0.02 asks for standard errors below 2 % of the risk",
            PlanError::LossOfClasses(_) => {
                "write `loss = \"squared\"`, or a problem with `classes` in place of `truth` and `noise`"
            }
            PlanError::LossOfDensity => LOSS_OF_LABELS,
            PlanError::Vanishes { help, .. } => help,
            PlanError::LogAndDiversity => "leave out `diversity`",
            PlanError::EntropyOfScores(_) => {
                "write `loss = \"zero-one\"` or `loss = \"squared\"`, or take a learner that predicts probabilities"
            }
            PlanError::SourcesOfTable | PlanError::SourcesOfDensity => "leave out `sources`",
            PlanError::Densities {
                estimates: true, ..
            } => "densities are estimated by `histogram`, `kernel-density` and `mixture`",
            PlanError::Densities { .. } => {
                "write `density = { normal = [0, 1] }` in place of truth, inputs and noise"
            }
            PlanError::TestOfDensity => "write `test = { grid = 400 }`",
            PlanError::SourcesAndDiversity
            | PlanError::SelectAndSources
            | PlanError::DegreesAndSources => "run the experiment twice",
            PlanError::DegreesOfTable | PlanError::DegreesOfDensity => "leave out `df`",
            PlanError::SelectFromBootstrap => "write `resample = \"halves\"` in the problem",
            PlanError::SelectAmongData { .. } => {
                "sweep a parameter of the learner first, and `train` or `noise` second"
            }
            PlanError::SameMethod { .. } => "leave one of them out",
            PlanError::Method { help, .. } => return Some(help.clone()),
            PlanError::SlabAndPrecision => {
                "all slabs together decide when to stop: give a number of `resamples`"
            }
            PlanError::TestGridDimension => "write `test = { draw = 1000 }`",
            PlanError::TestGridCount(0) => "a grid has at least one point",
            PlanError::TestGridCount(count) => {
                let root = (*count as f64).sqrt().floor() as usize;
                return Some(format!(
                    "the nearest squares are {} and {}",
                    root * root,
                    (root + 1) * (root + 1)
                ));
            }
            PlanError::TestGridDiscrete => "write `test = { draw = 1000 }`",
            PlanError::TestDrawFromGrid => "write `test = { grid = 200 }` or `test = \"inputs\"`",
            PlanError::TestInputsNotFixed => "add `fixed = true` to the inputs, or use a grid",
            PlanError::TestInputsOfSeveralSizes => {
                "`train` is swept: write `test = { grid = 200 }` or `{ draw = 1000 }`"
            }
            PlanError::TooLarge {
                most, all_at_once, ..
            } => {
                return Some(format!(
                    "with this many test points there can be at most {} settings{}: sweep fewer values, or use fewer test points",
                    thousands(*most),
                    match all_at_once {
                        true => ", because a run to a precision is computed all at once",
                        false => "",
                    }
                ));
            }
            PlanError::TrainTooLarge => "sweep over fewer or smaller values of `train`",
            PlanError::Seed { most, .. } => {
                return Some(format!("use a whole number up to {}", number(*most as f64)));
            }
            _ => return None,
        };
        Some(words.to_owned())
    }
}
