//! The registry: every model family with its numbers, their ranges and defaults.
//!
//! An experiment's file is checked against these tables, so a learner never sees a value it did
//! not allow, and every number can be swept without code of its own.

use super::Learner;

/// A number of a model family: what may be set, and swept.
#[derive(Debug)]
pub struct Number {
    /// Its name in an experiment, such as `depth`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// The smallest value allowed.
    pub least: f64,
    /// Whether it must lie above that value.
    pub above: bool,
    /// The largest value allowed.
    pub most: Most,
    /// Whether only whole numbers are allowed.
    pub whole: bool,
    /// Its value where an experiment does not give one; `None` if it must be given or swept.
    /// Infinity means no limit.
    pub default: Option<f64>,
}

/// The largest value that a number may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Most {
    /// A fixed one; infinity for none.
    Value(f64),
    /// The number of training points.
    Train,
    /// The number of coordinates of an input.
    Dimension,
    /// One less than the number of training points, and at most this.
    BelowTrain(f64),
}

/// A setting that is one of a few words.
#[derive(Debug)]
pub struct Choice {
    /// Its name in an experiment.
    pub name: &'static str,
    /// What it decides.
    pub about: &'static str,
    /// The words; the first is the default.
    pub options: &'static [&'static str],
    /// Whether it is for classes alone.
    pub classes_only: bool,
}

/// What a model family can learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Numbers alone.
    Numbers,
    /// Classes alone.
    Classes,
    /// Both.
    Both,
}

impl Task {
    /// Whether it has numbers, or classes, in it.
    pub fn includes(self, classes: bool) -> bool {
        match self {
            Task::Numbers => !classes,
            Task::Classes => classes,
            Task::Both => true,
        }
    }
}

/// A model family: what an experiment may say of it, and how it is made.
#[derive(Debug)]
pub struct Family {
    /// Its name in an experiment, such as `tree`.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Its numbers.
    pub numbers: &'static [Number],
    /// Its choices.
    pub choices: &'static [Choice],
    /// Whether it is made of copies of another learner, its `base`.
    pub has_base: bool,
    /// Whether it needs one-dimensional inputs.
    pub one_dimensional: bool,
    /// What it can learn.
    pub task: Task,
    /// Makes the learner.
    pub build: fn(Blueprint) -> Box<dyn Learner>,
}

/// What a learner is made from: checked settings.
pub struct Blueprint {
    /// For every setting of the path, the family's numbers in the family's order.
    pub settings: Vec<Vec<f64>>,
    /// The chosen option of every choice, in the family's order.
    pub choices: Vec<usize>,
    /// The base learner, and for every setting which of the base's settings it takes.
    pub base: Option<(Box<dyn Learner>, Vec<usize>)>,
    /// The range of an input coordinate.
    pub range: (f64, f64),
    /// How many classes there are to be told apart; 0 where labels are numbers.
    pub classes: usize,
}

/// The penalty λ, which is the same for every learner that has one.
pub(super) const LAMBDA: Number = Number {
    name: "lambda",
    about: "penalty on the squared weights, against the sum of squared residuals",
    least: 0.0,
    above: false,
    most: Most::Value(f64::MAX),
    whole: false,
    default: Some(0.0),
};

/// The depth that a tree may grow to, alone or in a forest.
pub(super) const DEPTH: Number = Number {
    name: "depth",
    about: "largest number of splits on the way to a leaf",
    least: 0.0,
    above: false,
    most: Most::Value(f64::INFINITY),
    whole: true,
    default: Some(f64::INFINITY),
};

/// What trees for classes are grown to lower, alone or in a forest.
pub(super) const CRITERION: Choice = Choice {
    name: "criterion",
    about: "what a split is to lower: Gini impurity or entropy",
    options: &["gini", "entropy"],
    classes_only: true,
};

/// How ensembles of classifiers make one prediction of their members'.
pub(super) const COMBINE: Choice = Choice {
    name: "combine",
    about: "whether members' probabilities are averaged, their votes counted, or the probabilities' geometric mean taken",
    options: &["probability", "vote", "geometric"],
    classes_only: true,
};

/// Every model family.
pub const FAMILIES: &[&Family] = &[
    &super::knn::FAMILY,
    &super::tree::FAMILY,
    &super::kernel::FAMILY,
    &super::polynomial::FAMILY,
    &super::gaussians::FAMILY,
    &super::linear::FAMILY,
    &super::fourier::FAMILY,
    &super::network::FAMILY,
    &super::bagging::FAMILY,
    &super::forest::FAMILY,
    &super::boosting::FAMILY,
    &super::logistic::FAMILY,
    &super::discriminant::FAMILY,
    &super::adaboost::FAMILY,
];

/// The family of that name.
pub fn family(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().copied().find(|family| family.name == name)
}

/// A whole number of a checked setting; infinity becomes the largest.
pub(super) fn whole(value: f64) -> usize {
    value as usize
}
