//! Model families: what an experiment may say of one, and how its learners are made.

use super::Learner;
use crate::parameter::{self, DataSize, NamedValues, Parameter, ParameterError, UnsuitableData};
use crate::problem::Problem;
use crate::words::{choice as choice_words, did_you_mean};

/// A setting that is one of a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// Its name in an experiment.
    pub name: &'static str,
    /// What it decides.
    pub meaning: &'static str,
    /// The words; the first is the default. `["true", "false"]` is written without quotes.
    pub options: &'static [&'static str],
    /// Whether it is for classes alone.
    pub classes_only: bool,
}

impl Choice {
    /// A choice among words, the first being the default.
    pub const fn new(
        name: &'static str,
        meaning: &'static str,
        options: &'static [&'static str],
    ) -> Self {
        Choice {
            name,
            meaning,
            options,
            classes_only: false,
        }
    }

    /// A choice between true, the default, and false.
    pub const fn flag(name: &'static str, meaning: &'static str) -> Self {
        Choice::new(name, meaning, &["true", "false"])
    }

    /// The same for classes alone.
    pub const fn for_classes(mut self) -> Self {
        self.classes_only = true;
        self
    }

    /// Whether it is between true and false.
    pub fn is_flag(&self) -> bool {
        self.options == ["true", "false"]
    }
}

/// The labels that a model family can learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// Numbers alone.
    Numbers,
    /// Classes alone.
    Classes,
    /// Both.
    Both,
    /// None: it estimates the density of the inputs.
    Density,
}

impl LabelKind {
    /// Whether it has numbers, or classes, in it.
    pub fn includes(self, classes: bool) -> bool {
        match self {
            LabelKind::Numbers => !classes,
            LabelKind::Classes => classes,
            LabelKind::Both => true,
            LabelKind::Density => false,
        }
    }

    /// Whether it suits the labels of a problem.
    pub fn suits(self, problem: &Problem) -> bool {
        match problem.density() {
            Some(_) => self == LabelKind::Density,
            None => self.includes(problem.classes() > 0),
        }
    }
}

/// A model family. One that is in a [`Registry`](super::Registry) can be used in experiments.
///
/// ```
/// use bvlab_core::learner::{Family, Knn, LabelKind};
/// use bvlab_core::parameter::{DataSize, Most, Parameter};
///
/// const NEAREST: Family = Family::new("nearest", "the mean label of the nearest points", |blueprint| {
///     let ks = blueprint.settings().map(|setting| setting.whole("k"));
///     Box::new(Knn::new(ks.collect()))
/// })
/// .parameters(&[Parameter::whole("k", "number of neighbours").least(1.0).most(Most::Train)]);
///
/// let size = DataSize { train: 50, dimension: 1 };
/// let learner = NEAREST.learner(NEAREST.blueprint(vec![NEAREST.setting(&[("k", 9.0)])?]), size)?;
/// assert_eq!(learner.capacities(), 1);
/// assert!(NEAREST.learner(NEAREST.blueprint(vec![vec![51.0]]), size).is_err());
/// # Ok::<(), bvlab_core::parameter::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Family {
    /// Its name in an experiment, such as `tree`.
    pub name: &'static str,
    /// What it is, in a line.
    pub meaning: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Its choices.
    pub choices: &'static [Choice],
    /// Whether it is made of copies of another learner, its `base`.
    pub has_base: bool,
    /// Whether it needs one-dimensional inputs.
    pub one_dimensional: bool,
    /// What it can learn.
    pub labels: LabelKind,
    /// The parameter that is swept first where a page offers the family; otherwise the first.
    pub capacity: Option<&'static str>,
    /// Which settings one fit gives beside each other, for the reference pages.
    pub one_fit: Option<&'static str>,
    /// Refuses data that it cannot learn from, given their size and the number of classes (0 where
    /// labels are numbers).
    pub suits: fn(DataSize, usize) -> Result<(), UnsuitableData>,
    /// Refuses choices that do not suit data of a size.
    pub allows: fn(&Blueprint, DataSize) -> Result<(), UnsuitableData>,
    /// Makes the learner.
    pub build: fn(Blueprint) -> Box<dyn Learner>,
}

impl Family {
    /// A family without parameters that learns numbers.
    pub const fn new(
        name: &'static str,
        meaning: &'static str,
        build: fn(Blueprint) -> Box<dyn Learner>,
    ) -> Self {
        Family {
            name,
            meaning,
            parameters: &[],
            choices: &[],
            has_base: false,
            one_dimensional: false,
            labels: LabelKind::Numbers,
            capacity: None,
            one_fit: None,
            suits: |_, _| Ok(()),
            allows: |_, _| Ok(()),
            build,
        }
    }

    /// The same with parameters.
    pub const fn parameters(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters = parameters;
        self
    }

    /// The same with choices.
    pub const fn choices(mut self, choices: &'static [Choice]) -> Self {
        self.choices = choices;
        self
    }

    /// The same for labels of that kind.
    pub const fn labels(mut self, labels: LabelKind) -> Self {
        self.labels = labels;
        self
    }

    /// The same made of copies of another learner.
    pub const fn with_base(mut self) -> Self {
        self.has_base = true;
        self
    }

    /// The same for one-dimensional inputs alone.
    pub const fn one_dimensional(mut self) -> Self {
        self.one_dimensional = true;
        self
    }

    /// The same with the parameter to sweep first.
    pub const fn capacity(mut self, name: &'static str) -> Self {
        self.capacity = Some(name);
        self
    }

    /// The same with words for which settings one fit gives.
    pub const fn one_fit(mut self, words: &'static str) -> Self {
        self.one_fit = Some(words);
        self
    }

    /// The same for data that pass this check alone: their size, and the number of classes (0 where
    /// labels are numbers).
    pub const fn suits(mut self, check: fn(DataSize, usize) -> Result<(), UnsuitableData>) -> Self {
        self.suits = check;
        self
    }

    /// The same with a check of what is chosen, for data of a size.
    pub const fn allows(
        mut self,
        check: fn(&Blueprint, DataSize) -> Result<(), UnsuitableData>,
    ) -> Self {
        self.allows = check;
        self
    }

    /// The names of what its table in an experiment may have.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> + Clone {
        let parameters = self.parameters.iter().map(|parameter| parameter.name);
        let choices = self.choices.iter().map(|choice| choice.name);
        let base = self.has_base.then_some("base");
        parameters.chain(choices).chain(base)
    }

    /// The values of all parameters, in the family's order: those that are given, and defaults for the
    /// others.
    ///
    /// # Errors
    ///
    /// If a name is not known, or a parameter without default is not given.
    pub fn setting(&self, given: &[(&str, f64)]) -> Result<Vec<f64>, ParameterError> {
        let mut values: Vec<Option<f64>> = self.parameters.iter().map(|p| p.default).collect();
        for (name, value) in given {
            values[parameter::find(self.parameters, name)?] = Some(*value);
        }
        let both = self.parameters.iter().zip(values);
        both.map(|(parameter, value)| {
            let name = parameter.name;
            value.ok_or(ParameterError::Missing { name })
        })
        .collect()
    }

    /// A blueprint with values of all parameters for every setting, in the family's order, and the
    /// first option of every choice.
    pub fn blueprint(&self, settings: Vec<Vec<f64>>) -> Blueprint {
        Blueprint {
            parameters: self.parameters,
            choices: self.choices,
            settings,
            chosen: vec![0; self.choices.len()],
            base: None,
            range: (0.0, 1.0),
            classes: 0,
        }
    }

    /// Makes a learner after checking its values; a default may be one that cannot be given, such as
    /// no limit.
    ///
    /// # Errors
    ///
    /// The first value that is not allowed, for data of that size; or if the data do not suit the
    /// family.
    pub fn learner(
        &self,
        blueprint: Blueprint,
        size: DataSize,
    ) -> Result<Box<dyn Learner>, ParameterError> {
        for setting in &blueprint.settings {
            for (i, parameter) in self.parameters.iter().enumerate() {
                match setting.get(i) {
                    None => {
                        let name = parameter.name;
                        return Err(ParameterError::Missing { name });
                    }
                    Some(value) if Some(*value) == parameter.default => {}
                    Some(value) => parameter.check(*value, size)?,
                }
            }
        }
        (self.suits)(size, blueprint.classes)?;
        (self.allows)(&blueprint, size)?;
        Ok((self.build)(blueprint))
    }
}

/// What a learner is made from: checked settings, read by name.
///
/// A name that the family does not have is a mistake in its `build` function, and a panic:
/// [`Registry::add`](super::Registry::add) tells how a test finds it.
#[derive(Clone)]
pub struct Blueprint {
    parameters: &'static [Parameter],
    choices: &'static [Choice],
    /// For every setting of the path, the values in the order of the parameters.
    settings: Vec<Vec<f64>>,
    /// By choice, which option.
    chosen: Vec<usize>,
    base: Option<(Box<dyn Learner>, Vec<usize>)>,
    /// The range of an input coordinate.
    pub range: (f64, f64),
    /// How many classes the labels have; 0 where they are numbers.
    pub classes: usize,
}

impl Blueprint {
    /// The same for inputs of that range.
    pub fn range(mut self, range: (f64, f64)) -> Self {
        self.range = range;
        self
    }

    /// The same for so many classes; 0 where labels are numbers.
    pub fn classes(mut self, classes: usize) -> Self {
        self.classes = classes;
        self
    }

    /// The same made of a base learner; `wants` says for every setting which of the base's settings
    /// it takes.
    pub fn base(mut self, base: Box<dyn Learner>, wants: Vec<usize>) -> Self {
        self.base = Some((base, wants));
        self
    }

    /// The same with one of a choice's options.
    ///
    /// # Errors
    ///
    /// If there is no such choice, or no such option.
    pub fn with(mut self, name: &str, option: &str) -> Result<Self, ChoiceError> {
        let names = self.choices.iter().map(|choice| choice.name);
        let Some(place) = names.clone().position(|known| known == name) else {
            let name = name.to_owned();
            let help = match self.choices {
                [] => "there are none".to_owned(),
                _ => did_you_mean(&name, names),
            };
            return Err(ChoiceError::Unknown { name, help });
        };
        self.chosen[place] = self.choices[place].option(option)?;
        Ok(self)
    }

    /// Every setting of the path: the values of its parameters, by name.
    pub fn settings(&self) -> impl Iterator<Item = NamedValues<'_>> {
        let parameters = self.parameters;
        let settings = self.settings.iter();
        settings.map(move |values| NamedValues::new(parameters, values))
    }

    /// The option of a choice.
    ///
    /// # Panics
    ///
    /// If the family has no such choice.
    pub fn choice(&self, name: &str) -> &'static str {
        let names = self.choices.iter().map(|choice| choice.name);
        let mut found = names.clone().zip(self.choices.iter().zip(&self.chosen));
        match found.find(|(known, _)| *known == name) {
            Some((_, (choice, chosen))) => choice.options[*chosen],
            None => panic!("there is no choice `{name}`; {}", did_you_mean(name, names)),
        }
    }

    /// What an option of a choice stands for.
    ///
    /// # Panics
    ///
    /// If the family has no such choice, or the option stands for nothing.
    pub fn chosen<T: Copy>(&self, name: &str, meanings: &[(&str, T)]) -> T {
        let option = self.choice(name);
        match meanings.iter().find(|(word, _)| *word == option) {
            Some((_, meaning)) => *meaning,
            None => panic!("option `{option}` of `{name}` has no meaning"),
        }
    }

    /// Whether a choice between true and false is true.
    ///
    /// # Panics
    ///
    /// As [`Blueprint::chosen`].
    pub fn flag(&self, name: &str) -> bool {
        self.chosen(name, &[("true", true), ("false", false)])
    }

    /// The base learner, where there is one.
    pub(super) fn base_learner(&self) -> Option<&dyn Learner> {
        self.base.as_ref().map(|(base, _)| &**base)
    }

    /// Takes the base learner out, and for every setting which of the base's settings it takes.
    ///
    /// # Panics
    ///
    /// If there is none: that of a family which has a base is always given.
    pub fn take_base(&mut self) -> (Box<dyn Learner>, Vec<usize>) {
        self.base
            .take()
            .expect("a family that is made of a base is given one")
    }
}

/// Why an option is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// There is no such choice.
    #[error("there is no choice `{name}`; {help}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// A name that looks like it, or all names.
        help: String,
    },
    /// The choice has no such option.
    #[error("`{name}` cannot be `{option}`; expected {}", choice_words(options.iter().copied()))]
    Option {
        /// The choice.
        name: &'static str,
        /// What was asked for.
        option: String,
        /// What there is.
        options: &'static [&'static str],
    },
}

impl Choice {
    /// Which option a word is.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn option(&self, word: &str) -> Result<usize, ChoiceError> {
        let found = self.options.iter().position(|option| *option == word);
        found.ok_or_else(|| ChoiceError::Option {
            name: self.name,
            option: word.to_owned(),
            options: self.options,
        })
    }
}

/// The penalty λ, which is the same for every learner that has one.
pub(super) const LAMBDA: Parameter = Parameter::number(
    "lambda",
    "penalty on the squared weights, against the sum of squared residuals",
)
.symbol("λ")
.default(0.0)
.usual(1e-4, 100.0);

/// The depth that a tree may grow to, alone or in a forest.
pub(super) const DEPTH: Parameter =
    Parameter::whole("depth", "largest number of splits on the way to a leaf")
        .default(f64::INFINITY)
        .usual(1.0, 12.0);

/// The leaves that a tree may have, alone or in a forest.
pub(super) const LEAVES: Parameter = Parameter::whole(
    "leaves",
    "largest number of leaves of a tree, best splits first",
)
.least(1.0)
.default(f64::INFINITY)
.usual(1.0, 30.0);

/// How many trees are boosted.
pub(super) const ROUNDS: Parameter = Parameter::whole("rounds", "number of trees")
    .symbol("M")
    .up_to(10_000.0)
    .default(100.0)
    .usual(1.0, 200.0);

/// The depth of every boosted tree.
pub(super) const BOOSTED_DEPTH: Parameter = Parameter::whole("depth", "depth of the trees")
    .least(1.0)
    .usual(1.0, 12.0);

/// The rate η of a learner that approaches its fit step by step.
pub(super) const fn rate(meaning: &'static str, largest: f64, default: f64) -> Parameter {
    Parameter::number("rate", meaning)
        .symbol("η")
        .above(0.0)
        .up_to(largest)
        .default(default)
        .usual(0.01, 1.0)
}

/// What trees for classes are grown to lower, alone or in a forest.
pub(super) const CRITERION: Choice = Choice::new(
    "criterion",
    "what a split minimises: Gini impurity or entropy",
    &["gini", "entropy"],
)
.for_classes();

/// How ensembles of classifiers make one prediction of their members'.
pub(super) const COMBINE: Choice = Choice::new(
    "combine",
    "whether members' probabilities are averaged, their votes counted, or the probabilities' geometric mean taken",
    &["probability", "vote", "geometric"],
)
.for_classes();
