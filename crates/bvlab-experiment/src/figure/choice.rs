//! Options that are one of a few words.

use bvlab_core::plan::Scale;

/// One of the words that an option can have.
#[derive(Clone, Copy, Debug)]
pub struct ChoiceWord {
    /// As it is written.
    pub name: &'static str,
    /// What it chooses.
    pub meaning: &'static str,
}

/// A type with a word for each of its values.
pub(crate) trait FigureChoice: Copy + 'static {
    /// The values, in the order of the words.
    const ALL: &'static [Self];
    /// Their words.
    const WORDS: &'static [ChoiceWord];

    /// The word of a value.
    fn word(&self) -> &'static str
    where
        Self: PartialEq,
    {
        let place = Self::ALL.iter().position(|value| value == self);
        place.map_or("", |place| Self::WORDS[place].name)
    }

    /// The value of a word.
    fn named(name: &str) -> Option<Self> {
        let place = Self::WORDS.iter().position(|word| word.name == name)?;
        Self::ALL.get(place).copied()
    }
}

/// Values with their words, once.
macro_rules! choice {
    ($type:ident { $($value:ident = $name:literal: $meaning:literal,)+ }) => {
        impl FigureChoice for $type {
            const ALL: &'static [Self] = &[$($type::$value),+];
            const WORDS: &'static [ChoiceWord] = &[$(ChoiceWord { name: $name, meaning: $meaning }),+];
        }
    };
}

/// A curve of a trade-off figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The variance of the noise.
    Noise,
    /// The squared distance of the mean prediction from the truth.
    Bias2,
    /// The spread of the predictions over training sets.
    Variance,
    /// noise + bias² + variance.
    Risk,
    /// The error measured on fresh labels.
    Test,
    /// The error on the training set itself.
    Train,
    /// The median of the risks of single training sets.
    Median,
    /// Of ensembles: the mean risk of their members.
    MemberRisk,
    /// Of ensembles: the bias of a member.
    AverageBias,
    /// Of ensembles: the variance of a member.
    AverageVariance,
    /// Of ensembles: how much the members' disagreement lowers the risk.
    Diversity,
    /// The error on other labels at the training inputs, less that on the training labels.
    Optimism,
    /// A lower bound on the label noise's part of the variance.
    NoiseBound,
}

choice!(Part {
    Noise = "noise": "The variance of the noise, which no learner can avoid.",
    Bias2 = "bias2": "The squared distance of the mean prediction from the truth.",
    Variance = "variance": "The spread of the predictions over training sets.",
    Risk = "risk": "noise + bias² + variance.",
    Test = "test": "The error measured on fresh labels.",
    Train = "train": "The error on the training set itself.",
    Median = "median": "The median of the risks of single training sets, which exists where their mean does not.",
    MemberRisk = "member-risk": "Of ensembles, with `run.diversity`: the mean risk of their members.",
    AverageBias = "average-bias": "Of ensembles, with `run.diversity`: the bias of a member.",
    AverageVariance = "average-variance": "Of ensembles, with `run.diversity`: the variance of a member.",
    Diversity = "diversity": "Of ensembles, with `run.diversity`: how much the members' disagreement lowers the risk.",
    Optimism = "optimism": "With `run.df`: the error on other labels at the training inputs, less that on the training labels.",
    NoiseBound = "noise-bound": "Of least squares of minimum norm at drawn inputs and test points: a lower bound on the part of the variance due to label noise, for features of full rank.",
});

/// What the horizontal axis of a trade-off measures, in place of the swept parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapacityMeasure {
    /// Degrees of freedom.
    Df,
    /// Effective parameters at the test points.
    EffectiveParameters,
    /// The norm of the weights.
    WeightNorm,
    /// The training error.
    TrainRisk,
}

choice!(CapacityMeasure {
    Df = "df": "Degrees of freedom, with `run.df`.",
    EffectiveParameters = "effective-parameters": "Effective parameters at the test points, of linear smoothers with `run.df`.",
    WeightNorm = "weight-norm": "The norm of the weights, of learners that solve for them.",
    TrainRisk = "train-risk": "The error on the training set.",
});

impl Part {
    /// The word that an experiment has for it.
    pub fn name(self) -> &'static str {
        self.word()
    }
}

impl Lower {
    /// The word that an experiment has for it.
    pub fn name(self) -> &'static str {
        self.word()
    }
}

/// A diagnostic of solving for weights, below a trade-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lower {
    /// The length of the weights.
    WeightNorm,
    /// The condition number of the design matrix.
    Condition,
    /// Its numerical rank.
    Rank,
}

choice!(Lower {
    WeightNorm = "weight-norm": "The length of the weights.",
    Condition = "condition": "The condition number of the design matrix.",
    Rank = "rank": "Its numerical rank.",
});

/// What the bands around curves are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bands {
    /// Each curve's own interval.
    Own,
    /// Around the risk, the interval of its difference from the best setting's.
    Paired,
    /// There are none.
    None,
}

choice!(Bands {
    Own = "own": "Every curve has its own 95 % interval.",
    Paired = "paired": "The risk has the 95 % interval of its difference from the best setting's, on the same training sets and test points.",
    None = "none": "There are none.",
});

/// What a panel before all fits shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// The first training set.
    Data,
    /// The first training set and the truth.
    Truth,
}

choice!(Sample {
    Data = "data": "The first training set.",
    Truth = "truth": "The first training set and the truth.",
});

/// What makes a panel of a simulation's figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PanelBy {
    /// A quantity, with all its series.
    #[default]
    Panel,
    /// A series, with all its quantities.
    Series,
}

choice!(PanelBy {
    Panel = "panel": "A quantity, with all its series.",
    Series = "series": "A series, with all its quantities.",
});

/// The page of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// 16:9.
    #[default]
    Slide,
    /// A printed column, 3.4 inches wide.
    Paper,
    /// As high as it is wide.
    Square,
}

choice!(Shape {
    Slide = "slide": "16:9.",
    Paper = "paper": "A printed column, 3.4 inches wide.",
    Square = "square": "As high as it is wide.",
});

/// The colours of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

choice!(Theme {
    Light = "light": "Dark on white.",
    Dark = "dark": "Light on dark.",
});

choice!(Scale {
    Linear = "linear": "Equal steps.",
    Log = "log": "Equal factors.",
});
