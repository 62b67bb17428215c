//! What stands in the schema for values that are read by hand.

use bvlab_core::problem::{INPUT_LAWS, MARRON_WAND, MOST_CLASSES, MOST_PARTS, NOISE_LAWS};
use bvlab_core::words::choice;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::schema::parameter_schema;

/// The most points of a truth that goes through points.
pub const MOST_TRUTH_POINTS: usize = 10_000;

/// A way to write a part of a problem.
pub struct ProblemForm {
    /// The key, or empty for a text.
    pub name: &'static str,
    /// As it stands in an experiment.
    pub example: &'static str,
    /// What it is, in a sentence.
    pub meaning: &'static str,
}

const fn form(name: &'static str, example: &'static str, meaning: &'static str) -> ProblemForm {
    ProblemForm {
        name,
        example,
        meaning,
    }
}

/// The ways to write a truth.
pub const TRUTH_FORMS: [ProblemForm; 4] = [
    form(
        "",
        "truth = \"sin(x)\"",
        "An expression in x (x1, x2, … in several dimensions).",
    ),
    form(
        "linear",
        "truth = { linear = 1.0 }",
        "A linear function whose coefficients are a random direction of this norm, drawn once from the seed.",
    ),
    form(
        "weights",
        "truth = { weights = [0.45, 3] }",
        "A linear function with these coefficients; coordinates beyond the list have the coefficient 0.",
    ),
    form(
        "points",
        "truth = { points = [[0, 1], [5, 3], [9, 2]] }",
        "A curve drawn through points [x, y], straight between them and level beyond them; one dimension.",
    ),
];

/// The ways to write classes.
pub const CLASS_FORMS: [ProblemForm; 8] = [
    form(
        "probability",
        "classes = { probability = \"1/(1 + exp(-x))\" }",
        "The probability of class 1 of two: an expression in x (x1, x2, … in several dimensions).",
    ),
    form(
        "probabilities",
        "classes = { probabilities = [\"1\", \"x\", \"x^2\"] }",
        "An expression for every class; they are divided by their sum.",
    ),
    form(
        "gaussians",
        "classes = { gaussians = [{ mean = [0, 0] }, { mean = [2, 0], covariance = 0.5, share = 2 }] }",
        "Normal inputs, one distribution for every class.",
    ),
    form(
        "moons",
        "classes = { moons = 0.2 }",
        "Two interleaved half circles, with noise of this sd.",
    ),
    form(
        "rings",
        "classes = { rings = 0.2 }",
        "Circles of radius 1 and 2, with noise of this sd.",
    ),
    form(
        "xor",
        "classes = { xor = 0.3 }",
        "Clouds of this sd around (±1, ±1); class 1 where one coordinate is positive.",
    ),
    form(
        "bernoulli",
        "classes = { bernoulli = [{ ones = [0.2, 0.5] }, { ones = [0.6, 0.5], share = 2 }] }",
        "Inputs that are 0 or 1, independent in every class: the probability of a 1 in every coordinate.",
    ),
    form(
        "multinomial",
        "classes = { multinomial = [{ counts = [5, 3, 2] }, { counts = [2, 3, 5] }] }",
        "Inputs that are counts: how often each of several things is expected. Their sum, the number of trials, is whole and the same for all classes.",
    ),
];

/// The ways to write a density to be estimated.
pub const DENSITY_FORMS: [ProblemForm; 4] = [
    form(
        "normal",
        "density = { normal = [0, 1] }",
        "Normal, by mean and standard deviation.",
    ),
    form(
        "normals",
        "density = { normals = [{ mean = 0 }, { mean = 3, sd = 0.5, share = 2 }] }",
        "A mixture of normal densities; sd and share are 1 where they are left out, and shares are divided by their sum.",
    ),
    form(
        "uniform",
        "density = { uniform = [0, 1] }",
        "The same everywhere between two ends.",
    ),
    form(
        "marron-wand",
        "density = { marron-wand = \"claw\" }",
        "One of the fifteen normal mixtures of Marron and Wand (1992).",
    ),
];

/// What a key of a form means.
fn meaning(forms: &[ProblemForm], name: &str) -> &'static str {
    let found = forms.iter().find(|form| form.name == name);
    found.map_or("", |form| form.meaning)
}

/// The classes as they are written, for the schema.
pub struct ClassesForm;

impl JsonSchema for ClassesForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Classes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let about = |name: &str| meaning(&CLASS_FORMS, name);
        let names = CLASS_FORMS.iter().map(|form| form.name);
        let sd = |name: &str| json_schema!({ "type": "number", "exclusiveMinimum": 0, "description": about(name) });
        let numbers = json_schema!({ "type": "array", "items": { "type": "number" } });
        let discrete = |name: &str, key: &str| {
            json_schema!({
                "type": "array", "minItems": 2, "maxItems": MOST_CLASSES,
                "description": about(name),
                "items": {
                    "type": "object", "required": [key], "additionalProperties": false,
                    "properties": {
                        key: { "type": "array", "minItems": 1, "items": { "type": "number", "exclusiveMinimum": 0 } },
                        "share": { "type": "number", "exclusiveMinimum": 0, "description": "How many of all inputs, relative to the others (default 1)." }
                    }
                }
            })
        };
        json_schema!({
            "type": ["object", "boolean"],
            "description": format!("Labels that are classes: exactly one of {}; and flip. With a table: whether whole numbers are classes.", choice(names)),
            "additionalProperties": false,
            "properties": {
                "probability": {
                    "type": ["number", "string"],
                    "description": about("probability")
                },
                "probabilities": {
                    "type": "array", "minItems": 2, "maxItems": MOST_CLASSES,
                    "items": { "type": ["number", "string"] },
                    "description": about("probabilities")
                },
                "gaussians": {
                    "type": "array", "minItems": 2, "maxItems": MOST_CLASSES,
                    "description": about("gaussians"),
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
                "moons": sd("moons"),
                "rings": sd("rings"),
                "xor": sd("xor"),
                "bernoulli": discrete("bernoulli", "ones"),
                "multinomial": discrete("multinomial", "counts"),
                "flip": {
                    "type": "number", "minimum": 0, "maximum": 1,
                    "description": "The share of labels that are replaced by another class (default 0)."
                }
            }
        })
    }
}

/// A density as it is written, for the schema.
pub struct DensityTable;

impl JsonSchema for DensityTable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Density".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let about = |name: &str| meaning(&DENSITY_FORMS, name);
        let pair = |words: &str| {
            json!({
                "type": "array", "minItems": 2, "maxItems": 2, "items": { "type": "number" },
                "description": words
            })
        };
        json_schema!({
            "type": "object",
            "description": "The density that training sets are drawn from, without labels.",
            "additionalProperties": false,
            "properties": {
                "normal": pair(about("normal")),
                "uniform": pair(about("uniform")),
                "normals": {
                    "type": "array", "minItems": 1, "maxItems": MOST_PARTS,
                    "description": about("normals"),
                    "items": {
                        "type": "object", "required": ["mean"], "additionalProperties": false,
                        "properties": {
                            "mean": { "type": "number" },
                            "sd": { "type": "number", "exclusiveMinimum": 0 },
                            "share": { "type": "number", "exclusiveMinimum": 0 }
                        }
                    }
                },
                "marron-wand": { "enum": MARRON_WAND, "description": about("marron-wand") },
                "range": pair("Between which x squared errors are integrated (default: 4 sd around every normal part, or the ends).")
            },
            "oneOf": one_of(DENSITY_FORMS.iter().map(|form| form.name))
        })
    }
}

/// Which choice is right, for the schema.
pub struct CorrectForm;

impl JsonSchema for CorrectForm {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Correct".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1, "maximum": 6 }, { "type": "string" }] })
    }
}

/// The law of the inputs, for the schema.
pub struct InputsForm;

impl JsonSchema for InputsForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Inputs".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut properties = json!({
            "dimension": {
                "type": "integer", "minimum": 1,
                "description": "How many coordinates an input has (default 1); all have the same distribution, up to the factors in sds."
            },
            "sds": {
                "anyOf": [
                    { "type": "array", "minItems": 1, "items": { "type": "number", "exclusiveMinimum": 0 } },
                    {
                        "type": "object", "additionalProperties": false,
                        "properties": {
                            "power": { "type": "number", "minimum": 0, "description": "Coordinate j has the variance j^-power." },
                            "spikes": { "type": "integer", "minimum": 1, "description": "How many coordinates have the factor 1." },
                            "rest": { "type": "number", "exclusiveMinimum": 0, "description": "The factor of the others." }
                        }
                    }
                ],
                "description": "Of normal inputs: by coordinate, the factor of its standard deviation (default 1)."
            },
            "fixed": {
                "type": "boolean",
                "description": "Whether all resamples share one draw of the inputs (default false)."
            }
        });
        for law in INPUT_LAWS {
            let names: Vec<&str> = law.parameters.iter().map(|one| one.name).collect();
            let count = law.parameters.len();
            properties[law.name] = json!({
                "type": "array", "minItems": count, "maxItems": count,
                "items": { "type": "number" },
                "description": format!("[{}]: {}.", names.join(", "), law.meaning)
            });
        }
        let names = INPUT_LAWS.iter().map(|law| law.name);
        json_schema!({
            "type": "object",
            "description": format!("The distribution of the inputs: exactly one of {}.", choice(names.clone())),
            "additionalProperties": false, "properties": properties, "oneOf": one_of(names)
        })
    }
}

/// The law of the noise, for the schema.
pub struct NoiseForm;

impl JsonSchema for NoiseForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Noise".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut properties = json!({});
        for law in NOISE_LAWS {
            properties[law.name] = json!({
                "type": ["number", "string"],
                "description": format!("{}, of this sd.", law.meaning)
            });
            for parameter in law.parameters {
                properties[parameter.name] = parameter_schema(parameter);
            }
        }
        let names = NOISE_LAWS.iter().map(|law| law.name);
        json_schema!({
            "type": "object",
            "description": "The noise in the labels, by its standard deviation: a number or an expression in x.",
            "additionalProperties": false, "properties": properties, "oneOf": one_of(names)
        })
    }
}

/// Exactly one of these keys is there.
fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Value> {
    names.map(|name| json!({ "required": [name] })).collect()
}

/// The truth as it is written, for the schema.
pub struct TruthForm;

impl JsonSchema for TruthForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Truth".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let only = |name: &str, rule: Schema| {
            json_schema!({
                "type": "object", "description": meaning(&TRUTH_FORMS, name), "required": [name],
                "additionalProperties": false, "properties": { name: rule }
            })
        };
        json_schema!({ "oneOf": [
            { "type": "string", "description": meaning(&TRUTH_FORMS, "") },
            only(
                "linear",
                json_schema!({ "type": "number", "minimum": 0 }),
            ),
            only(
                "weights",
                json_schema!({ "type": "array", "minItems": 1, "items": { "type": "number" } }),
            ),
            only(
                "points",
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
        json_schema!({ "enum": ["bootstrap", "halves", "disjoint"] })
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
    /// Equal steps.
    Linear,
    /// Equal factors.
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
