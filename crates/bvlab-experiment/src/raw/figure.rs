//! Figures as they are written.

use bvlab_core::plan::Scale;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::forms::ScaleForm;
use super::{Num, Pair};

/// A figure: exactly one of the kinds, and what all kinds have.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawFigure {
    /// The file's name, without ending (default: the kind).
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// The heading (default: the experiment's title).
    pub title: Option<String>,
    /// Noise, bias², variance and risk over the sweep.
    pub tradeoff: Option<RawTradeoff>,
    /// Data, truth, refits and their mean, one panel per sweep value.
    pub fits: Option<RawFits>,
    /// Where the most probable class changes in the plane: refits, all of them, and Bayes' rule.
    pub boundaries: Option<RawBoundaries>,
    /// The parts of the error along x, fits above.
    pub pointwise: Option<RawPointwise>,
    /// A part of the error over both axes of a two-way sweep, as colours.
    pub heatmap: Option<RawHeatmap>,
    /// The variance by source over the sweep, stacked; needs `run.sources`.
    pub sources: Option<RawSources>,
    /// Predictions at two test points as darts, one board per learner.
    pub dartboard: Option<RawDartboard>,
    /// The panels of a simulation.
    pub simulation: Option<RawSimulation>,
    /// Several figures one above the other.
    #[schemars(with = "Option<Vec<RawFigure>>")]
    pub stack: Option<Vec<Spanned<RawFigure>>>,
    /// Several figures side by side.
    #[schemars(with = "Option<Vec<RawFigure>>")]
    pub beside: Option<Vec<Spanned<RawFigure>>>,
    /// The page: slide (16:9), paper (a column of 3.4 inches) or square.
    pub shape: Option<Shape>,
    /// Light or dark.
    pub theme: Option<Theme>,
    /// How much larger than usual text and lines are.
    #[schemars(with = "Option<f64>")]
    pub font_scale: Option<Spanned<Num>>,
}

/// The look of all figures that do not say otherwise.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawLook {
    /// The page: slide (16:9), paper (a column of 3.4 inches) or square.
    pub shape: Option<Shape>,
    /// Light or dark.
    pub theme: Option<Theme>,
    /// How much larger than usual text and lines are.
    #[schemars(with = "Option<f64>")]
    pub font_scale: Option<Spanned<Num>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as in `dartboard = { at = [2, 9] }`"
)]
pub struct RawDartboard {
    /// The two test points whose predictions are a dart.
    #[schemars(with = "[f64; 2]")]
    pub at: Spanned<Pair>,
    /// The learners drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    pub learners: Option<Spanned<Vec<Spanned<String>>>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as in `simulation = {}`"
)]
pub struct RawSimulation {
    /// The panels drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    pub panels: Option<Spanned<Vec<Spanned<String>>>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as in `tradeoff = {}`"
)]
pub struct RawTradeoff {
    /// The learners drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    pub learners: Option<Spanned<Vec<Spanned<String>>>>,
    /// The curves drawn (default: noise, bias2, variance and risk).
    #[schemars(with = "Option<Vec<Part>>")]
    pub parts: Option<Spanned<Vec<Part>>>,
    /// How many single resamples are drawn faintly behind the means (default 0).
    #[schemars(with = "Option<u64>")]
    pub runs: Option<Spanned<Num>>,
    /// All learners in one panel, one colour each, rather than one panel each (default false).
    #[serde(default)]
    pub overlay: bool,
    /// The horizontal axis (default: as the sweep is spread).
    #[schemars(with = "Option<ScaleForm>")]
    pub x_scale: Option<Scale>,
    /// The vertical axis (default linear).
    #[schemars(with = "Option<ScaleForm>")]
    pub y_scale: Option<Scale>,
    /// Where the vertical axis ends (default: where the curves do).
    #[schemars(with = "Option<f64>")]
    pub y_max: Option<Spanned<Num>>,
    /// Where a log axis begins (default: where the curves do, within limits).
    #[schemars(with = "Option<f64>")]
    pub y_min: Option<Spanned<Num>>,
    /// In a two-way sweep: the values of the second number that are drawn (default: all).
    #[schemars(with = "Option<Vec<f64>>")]
    pub second: Option<Spanned<Vec<Spanned<Num>>>>,
    /// What the solving for weights met with, in a panel below: of weight-norm, condition and rank.
    #[schemars(with = "Option<Vec<Lower>>")]
    pub below: Option<Spanned<Vec<Lower>>>,
    /// Upright lines with a text, as in [{ at = 40, text = "p = n" }].
    #[serde(default)]
    #[schemars(with = "Vec<RawMark>")]
    pub marks: Vec<Spanned<RawMark>>,
    /// Texts with an arrow, as in [{ text = "over-fit", at = [12, 0.6], to = [14, 0.5] }].
    #[serde(default)]
    #[schemars(with = "Vec<RawNote>")]
    pub notes: Vec<Spanned<RawNote>>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawNote {
    /// What is written.
    pub text: String,
    /// Where: [x, y].
    #[schemars(with = "[f64; 2]")]
    pub at: Spanned<Pair>,
    /// Where an arrow leads from there: [x, y].
    #[schemars(with = "Option<[f64; 2]>")]
    pub to: Option<Spanned<Pair>>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawMark {
    /// Where on the horizontal axis.
    #[schemars(with = "f64")]
    pub at: Spanned<Num>,
    /// What is written there.
    pub text: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as in `heatmap = {}`"
)]
pub struct RawHeatmap {
    /// The learners drawn, by name (default: all with a two-way sweep).
    #[schemars(with = "Option<Vec<String>>")]
    pub learners: Option<Spanned<Vec<Spanned<String>>>>,
    /// What is drawn, a panel each (default: risk).
    #[schemars(with = "Option<Vec<Part>>")]
    pub parts: Option<Spanned<Vec<Part>>>,
    /// The horizontal axis (default: as the sweep is spread).
    #[schemars(with = "Option<ScaleForm>")]
    pub x_scale: Option<Scale>,
    /// The vertical axis (default: as the sweep is spread).
    #[schemars(with = "Option<ScaleForm>")]
    pub y_scale: Option<Scale>,
    /// How colours are spread (default: log where values differ by more than a factor of 30).
    #[schemars(with = "Option<ScaleForm>")]
    pub scale: Option<Scale>,
    /// Where the colours end: all above has the last one (default: at the largest value).
    #[schemars(with = "Option<f64>")]
    pub max: Option<Spanned<Num>>,
    /// Upright lines with a text, as in [{ at = 40, text = "p = n" }].
    #[serde(default)]
    #[schemars(with = "Vec<RawMark>")]
    pub marks: Vec<Spanned<RawMark>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as in `sources = {}`"
)]
pub struct RawSources {
    /// The learners drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    pub learners: Option<Spanned<Vec<Spanned<String>>>>,
    /// In a two-way sweep: the values of the second number that are drawn (default: all).
    #[schemars(with = "Option<Vec<f64>>")]
    pub second: Option<Spanned<Vec<Spanned<Num>>>>,
    /// Shares of the variance rather than the variance itself (default false).
    #[serde(default)]
    pub share: bool,
    /// The horizontal axis (default: as the sweep is spread).
    #[schemars(with = "Option<ScaleForm>")]
    pub x_scale: Option<Scale>,
    /// Where the vertical axis ends (default: where the curves do).
    #[schemars(with = "Option<f64>")]
    pub y_max: Option<Spanned<Num>>,
    /// Upright lines with a text, as in [{ at = 40, text = "p = n" }].
    #[serde(default)]
    #[schemars(with = "Vec<RawMark>")]
    pub marks: Vec<Spanned<RawMark>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as in `fits = {}`"
)]
pub struct RawFits {
    /// The learners drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    pub learners: Option<Spanned<Vec<Spanned<String>>>>,
    /// The sweep values drawn (default: the first, the best and the last; of several learners the
    /// best of each).
    #[schemars(with = "Option<Vec<f64>>")]
    pub values: Option<Spanned<Vec<Spanned<Num>>>>,
    /// How many refits are drawn (default 20).
    #[schemars(with = "Option<u64>")]
    pub refits: Option<Spanned<Num>>,
    /// In a two-way sweep: the value of the second number (default: the best).
    #[schemars(with = "Option<f64>")]
    pub second: Option<Spanned<Num>>,
    /// Whether the mean of all refits is drawn (default true).
    #[serde(default = "yes")]
    pub mean: bool,
    /// Whether the first training set is drawn (default true).
    #[serde(default = "yes")]
    pub data: bool,
    /// Whether the refits are drawn above and their mean below (default false: in one panel).
    #[serde(default)]
    pub split: bool,
    /// A panel before all fits, with the first training set alone or with the truth.
    pub sample: Option<Sample>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as in `boundaries = {}`"
)]
pub struct RawBoundaries {
    /// The learners drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    pub learners: Option<Spanned<Vec<Spanned<String>>>>,
    /// The sweep values drawn (default: the first, the best and the last; of several learners the
    /// best of each).
    #[schemars(with = "Option<Vec<f64>>")]
    pub values: Option<Spanned<Vec<Spanned<Num>>>>,
    /// How many refits are drawn (default 20).
    #[schemars(with = "Option<u64>")]
    pub refits: Option<Spanned<Num>>,
    /// In a two-way sweep: the value of the second number (default: the best).
    #[schemars(with = "Option<f64>")]
    pub second: Option<Spanned<Num>>,
    /// Whether the boundary of all refits together is drawn (default true).
    #[serde(default = "yes")]
    pub mean: bool,
    /// Whether the first training set is drawn (default true).
    #[serde(default = "yes")]
    pub data: bool,
}

impl RawBoundaries {
    /// It has the keys of fits but for those of panels along x.
    pub fn as_fits(&self) -> RawFits {
        RawFits {
            learners: self.learners.clone(),
            values: self.values.clone(),
            refits: self.refits.clone(),
            second: self.second.clone(),
            mean: self.mean,
            data: self.data,
            split: false,
            sample: None,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as in `pointwise = {}`"
)]
pub struct RawPointwise {
    /// The learners drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    pub learners: Option<Spanned<Vec<Spanned<String>>>>,
    /// The sweep value drawn (default: the best).
    #[schemars(with = "Option<f64>")]
    pub value: Option<Spanned<Num>>,
    /// In a two-way sweep: the value of the second number (default: the best).
    #[schemars(with = "Option<f64>")]
    pub second: Option<Spanned<Num>>,
    /// How many refits are drawn above (default 20; 0 leaves them out).
    #[schemars(with = "Option<u64>")]
    pub refits: Option<Spanned<Num>>,
}

fn yes() -> bool {
    true
}

/// A curve of a trade-off figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The noise's variance, which no learner can avoid.
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
    /// The median of the risks of single training sets, which exists where their mean does not.
    Median,
    /// Of ensembles, with `run.diversity`: the mean risk of their members.
    MemberRisk,
    /// The bias of a member.
    AverageBias,
    /// The variance of a member.
    AverageVariance,
    /// What the members' disagreement takes off the risk.
    Diversity,
}

/// What the solving for weights met with, below a trade-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lower {
    /// The length of the weights.
    WeightNorm,
    /// The condition number of the design matrix.
    Condition,
    /// Its numerical rank.
    Rank,
}

/// What a panel before all fits shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sample {
    /// The first training set.
    Data,
    /// The first training set and the truth.
    Truth,
}

/// The page of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// 16:9.
    #[default]
    Slide,
    /// A column of print, 3.4 inches wide.
    Paper,
    /// As high as wide.
    Square,
}

/// Its colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}
