//! What stands in the schema for values that are read by hand.

use bvlab_core::problem::MOST_CLASSES;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// The most points of a truth that goes through points.
pub const MOST_TRUTH_POINTS: usize = 10_000;

/// The classes as they are written, for the schema.
pub struct ClassesForm;

impl JsonSchema for ClassesForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Classes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let sd = |about: &str| json_schema!({ "type": "number", "exclusiveMinimum": 0, "description": about });
        let numbers = json_schema!({ "type": "array", "items": { "type": "number" } });
        json_schema!({
            "type": ["object", "boolean"],
            "description": "Labels that are classes: exactly one of probability, probabilities, gaussians, moons, rings and xor; and flip. With a table: whether whole numbers are classes.",
            "additionalProperties": false,
            "properties": {
                "probability": {
                    "type": ["number", "string"],
                    "description": "Of class 1 of two: an expression in x (x1, x2, … in several dimensions)."
                },
                "probabilities": {
                    "type": "array", "minItems": 2, "maxItems": MOST_CLASSES,
                    "items": { "type": ["number", "string"] },
                    "description": "An expression for every class; they are divided by their sum."
                },
                "gaussians": {
                    "type": "array", "minItems": 2, "maxItems": MOST_CLASSES,
                    "description": "Normal inputs, one distribution for every class.",
                    "items": {
                        "type": "object", "required": ["mean"], "additionalProperties": false,
                        "properties": {
                            "mean": numbers,
                            "covariance": {
                                "anyOf": [
                                    { "type": "number" },
                                    numbers,
                                    { "type": "array", "items": numbers }
                                ],
                                "description": "One variance, one for every coordinate, or a matrix (default 1)."
                            },
                            "share": { "type": "number", "exclusiveMinimum": 0, "description": "How many of all inputs, relative to the others (default 1)." }
                        }
                    }
                },
                "moons": sd("Two interleaved half circles, with noise of this sd."),
                "rings": sd("Circles of radius 1 and 2, with noise of this sd."),
                "xor": sd("Clouds of this sd around (±1, ±1); class 1 where one coordinate is positive."),
                "flip": {
                    "type": "number", "minimum": 0, "maximum": 1,
                    "description": "The share of labels that are replaced by another class (default 0)."
                }
            }
        })
    }
}

/// The truth as it is written, for the schema.
pub struct TruthForm;

impl JsonSchema for TruthForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Truth".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let only = |name: &str, about: &str, rule: Schema| {
            json_schema!({
                "type": "object", "description": about, "required": [name],
                "additionalProperties": false, "properties": { name: rule }
            })
        };
        json_schema!({ "oneOf": [
            { "type": "string", "description": "An expression in x (x1, x2, … in several dimensions)." },
            only(
                "linear",
                "A linear function whose coefficients are a random direction of this norm.",
                json_schema!({ "type": "number", "minimum": 0 }),
            ),
            only(
                "points",
                "A curve drawn through points [x, y], straight between them; one dimension.",
                json_schema!({
                    "type": "array", "minItems": 2, "maxItems": MOST_TRUTH_POINTS,
                    "items": {
                        "type": "array", "minItems": 2, "maxItems": 2, "items": { "type": "number" }
                    }
                }),
            )
        ] })
    }
}

/// The form of `missing`, for the schema.
pub struct MissingForm;

/// The form of `test`, for the schema.
pub struct HeldForm;

/// The form of `resample`, for the schema.
pub struct ResampleForm;

impl JsonSchema for MissingForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Missing".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": ["refuse", "mean", "median"] })
    }
}

impl JsonSchema for ResampleForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Resample".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": ["bootstrap", "halves"] })
    }
}

impl JsonSchema for HeldForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HeldOut".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [
            { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 },
            {
                "type": "object", "required": ["column"], "additionalProperties": false,
                "properties": { "column": { "type": "string" } }
            }
        ] })
    }
}

/// How values are spread, or an axis is drawn.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Scale")]
#[expect(dead_code, reason = "it stands for `Scale` in the schema")]
pub enum ScaleForm {
    /// Even steps.
    Linear,
    /// Even factors.
    Log,
}

/// How the loss of a vote is split.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Split")]
#[expect(dead_code, reason = "it stands for `Split` in the schema")]
pub enum SplitForm {
    /// Domingos' parts, times his factors.
    Domingos,
    /// Kohavi and Wolpert's parts.
    KohaviWolpert,
    /// Differences of risks.
    Effects,
}
