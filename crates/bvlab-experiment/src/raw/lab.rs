//! The table `[lab]` as it is written: how a lesson of the live page begins.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use toml::Spanned;

use super::{Block, Number, Value};

/// How the lesson begins on the live page. It changes no number.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(rename = "Lab")]
pub(crate) struct RawLab {
    /// Which view is open (default lab).
    #[schemars(with = "Option<SceneForm>")]
    pub scene: Option<Spanned<String>>,
    /// Which of the figures is shown first, counted from 1 (default: the first).
    #[schemars(with = "Option<u64>")]
    pub figure: Option<Spanned<Number>>,
    /// How many training sets are drawn at first (default: all).
    #[schemars(with = "Option<u64>")]
    pub sets: Option<Spanned<Number>>,
    /// What is hidden until the class has answered: the truth, the fits, their mean, parts of the error,
    /// the curves of other learners.
    #[schemars(with = "Option<Vec<HiddenForm>>")]
    pub hide: Option<Spanned<Vec<Spanned<String>>>>,
    /// The learner that is looked at, by its name (default: the first).
    #[schemars(with = "Option<String>")]
    pub learner: Option<Spanned<String>>,
    /// Where the marker is: the values of the swept numbers (default: at the best setting).
    #[schemars(with = "Option<std::collections::BTreeMap<String, f64>>")]
    pub at: Option<Spanned<Block>>,
    /// The test point that is looked at, or the two of the dartboard.
    #[schemars(with = "Option<PointsForm>")]
    pub x: Option<Spanned<Value>>,
    /// Fits side by side: of these values of what is swept, or of all learners.
    #[schemars(with = "Option<BesideForm>")]
    pub beside: Option<Spanned<Value>>,
    /// The controls that are offered (default: all).
    #[schemars(with = "Option<Vec<ControlForm>>")]
    pub controls: Option<Spanned<Vec<Spanned<String>>>>,
    /// The variants that are offered, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    pub variants: Option<Spanned<Vec<Spanned<String>>>>,
}

/// The views of the page.
pub(crate) const SCENES: [&str; 8] = [
    "lab",
    "fits",
    "tradeoff",
    "point",
    "dartboard",
    "descent",
    "side-by-side",
    "figure",
];

/// What can be hidden.
pub(crate) const HIDDEN: [&str; 9] = [
    "truth", "fits", "mean", "noise", "bias", "variance", "risk", "training", "others",
];

/// The controls of the page.
pub(crate) const CONTROLS: [&str; 9] = [
    "truth",
    "noise",
    "train",
    "inputs",
    "learners",
    "seed",
    "resamples",
    "loss",
    "toml",
];

/// A choice among words, for the schema.
macro_rules! words_form {
    ($form:ident, $name:literal, $words:expr) => {
        struct $form;

        impl JsonSchema for $form {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "enum": $words })
            }
        }
    };
}

words_form!(SceneForm, "Scene", SCENES);
words_form!(HiddenForm, "Hidden", HIDDEN);
words_form!(ControlForm, "Control", CONTROLS);

/// One test point or two.
struct PointsForm;

impl JsonSchema for PointsForm {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Points".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "number" },
            { "type": "array", "items": { "type": "number" }, "minItems": 1, "maxItems": 2 }
        ]})
    }
}

/// Values of what is swept, or all learners.
struct BesideForm;

impl JsonSchema for BesideForm {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Beside".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "const": "learners" },
            { "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 4 }
        ]})
    }
}
