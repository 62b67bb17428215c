//! The experiment file as it is written: types that mirror the TOML, nothing checked yet.

pub mod figure;
pub mod forms;
pub mod lab;
mod schema;
mod value;

pub(super) use schema::{parameter_schema, schema};
pub use value::Number;
pub(super) use value::{Block, Value, expected, unknown, whole};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use toml::Spanned;

use figure::{RawFigure, RawLook};
use forms::{
    ClassesForm, CorrectForm, DensityTable, HeldForm, InputsForm, MissingForm, NoiseForm,
    ResampleForm, ScaleForm, SplitForm, TruthForm,
};
use lab::RawLab;
use schema::LearnerForm;

/// A bvlab experiment: a problem, learners, what is swept, and the figures to draw; or a simulation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawExperiment {
    /// The heading of its figures.
    #[schemars(with = "Option<String>")]
    pub title: Option<Spanned<String>>,
    /// What to look for in the figure. In all words, `{risk@depth=5}` stands for a number of the run.
    #[schemars(with = "Option<String>")]
    pub look_for: Option<Spanned<String>>,
    /// A question for the class.
    #[schemars(with = "Option<String>")]
    pub question: Option<Spanned<String>>,
    /// Its answer.
    #[schemars(with = "Option<String>")]
    pub answer: Option<Spanned<String>>,
    /// What a class can choose from as its answer.
    #[schemars(with = "Option<Vec<String>>", length(min = 2, max = 6))]
    pub choices: Option<Spanned<Vec<Spanned<String>>>>,
    /// Which of the choices is right: its number, counted from 1, or its text.
    #[schemars(with = "Option<CorrectForm>")]
    pub correct: Option<Spanned<Value>>,
    /// In place of choices: the swept parameter whose best value a class is to guess, as in `depth`
    /// or, where there are several learners, `depth@tree`.
    #[schemars(with = "Option<String>")]
    pub guess: Option<Spanned<String>>,
    /// A simulation, in place of problem and learners: `bvlab list --simulations` lists them.
    #[schemars(with = "Option<String>")]
    pub simulation: Option<Spanned<String>>,
    /// The parameters of the simulation.
    #[schemars(with = "Option<AnyTable>")]
    pub with: Option<Spanned<Block>>,
    #[schemars(with = "Option<RawProblem>")]
    pub problem: Option<Spanned<RawProblem>>,
    /// The parameter that is swept and its values, for every learner that has it; or two of them.
    pub sweep: Option<RawSweep>,
    /// The learners that are compared, on the same training sets.
    #[serde(default)]
    #[schemars(with = "Vec<LearnerForm>")]
    pub learner: Vec<Spanned<Block>>,
    #[serde(default)]
    pub run: RawRun,
    /// The look of all figures.
    #[serde(default)]
    pub look: RawLook,
    #[serde(default)]
    #[schemars(with = "Vec<RawFigure>")]
    pub figure: Vec<Spanned<RawFigure>>,
    /// The experiment with other keys, computed beside it: words and claims can refer to it.
    #[serde(default)]
    #[schemars(with = "Vec<RawVariant>", length(max = 3))]
    pub variant: Vec<Spanned<RawVariant>>,
    /// Statements that every run checks.
    #[serde(default)]
    #[schemars(with = "Vec<RawClaim>", length(max = 100))]
    pub claim: Vec<Spanned<RawClaim>>,
    /// How the lesson begins on the live page.
    #[serde(default)]
    pub lab: RawLab,
}

/// The experiment with other keys.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawVariant {
    /// What references call it, as in `risk@1000 points: depth=5`.
    #[schemars(with = "String", length(min = 1, max = 60))]
    pub name: Spanned<String>,
    /// The keys that are set, as in `["problem.train=1000"]`.
    #[schemars(with = "Vec<String>", length(min = 1))]
    pub set: Spanned<Vec<Spanned<String>>>,
}

/// A statement that every run checks.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawClaim {
    /// The statement: `variance@depth=16 > variance@depth=1`, `best.depth in 4..6`, `bias2@k=1 = 0
    /// within 0.001`, or an expression whose value was published.
    #[schemars(with = "String")]
    pub that: Spanned<String>,
    /// The value that was published, with all its digits.
    #[schemars(with = "Option<f64>")]
    pub published: Option<Spanned<Number>>,
    /// The standard error that was published with it, if any.
    #[schemars(with = "Option<f64>", range(min = 0.0))]
    pub published_se: Option<Spanned<Number>>,
    /// Where it was published.
    pub source: Option<String>,
}

/// Where the data come from: y = truth(x) + noise, or classes, or a density to be estimated.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawProblem {
    /// The true function: an expression, { linear = norm } or { points = [[x, y], …] }.
    #[schemars(with = "Option<TruthForm>")]
    pub truth: Option<Spanned<Value>>,
    #[schemars(with = "Option<InputsForm>")]
    pub inputs: Option<Spanned<Value>>,
    #[schemars(with = "Option<NoiseForm>")]
    pub noise: Option<Spanned<Value>>,
    /// In place of truth and noise: labels that are classes.
    #[schemars(with = "Option<ClassesForm>")]
    pub classes: Option<Spanned<Value>>,
    /// In place of truth, inputs and noise: a density to be estimated from values without labels.
    #[schemars(with = "Option<DensityTable>")]
    pub density: Option<Spanned<Value>>,
    /// How many points a training set has; may be left out where it is swept. With a table: how
    /// many rows a bootstrap has (default: all of them).
    #[schemars(with = "Option<u64>")]
    pub train: Option<Spanned<Number>>,
    /// In place of truth, inputs and noise: a table of real data, a CSV or Parquet file; its path
    /// begins where the experiment's file is.
    #[schemars(with = "Option<String>")]
    pub table: Option<Spanned<String>>,
    /// The column of the table to be predicted.
    #[schemars(with = "Option<String>")]
    pub target: Option<Spanned<String>>,
    /// The columns of the table to predict from (default: all others).
    #[schemars(with = "Option<Vec<String>>")]
    pub columns: Option<Spanned<Vec<Spanned<String>>>>,
    /// What is done about inputs that are missing in the table (default: they are an error).
    #[schemars(with = "Option<MissingForm>")]
    pub missing: Option<Spanned<String>>,
    /// Which rows of the table the error is measured on: a share of them, or { column = "…" },
    /// which marks them by 1 (default 0.3).
    #[schemars(with = "Option<HeldForm>")]
    pub test: Option<Spanned<Value>>,
    /// How training sets are drawn from the others (default bootstrap).
    #[schemars(with = "Option<ResampleForm>")]
    pub resample: Option<Spanned<String>>,
}

/// How the experiment is run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawRun {
    /// How many training sets are drawn (default 1000).
    #[schemars(with = "Option<u64>")]
    pub resamples: Option<Spanned<Number>>,
    /// Instead of a count: go on until the standard error of every risk is below this share of it.
    #[schemars(with = "Option<f64>")]
    pub precision: Option<Spanned<Number>>,
    /// With precision: the most training sets that are drawn.
    #[schemars(with = "Option<u64>")]
    pub max_resamples: Option<Spanned<Number>>,
    /// All random numbers follow from it (default 1).
    #[schemars(with = "Option<u64>")]
    pub seed: Option<Spanned<Number>>,
    /// Where the error is measured: { grid = N }, { draw = N } or "inputs".
    #[schemars(with = "Option<RawTest>")]
    pub test: Option<Spanned<RawTest>>,
    /// How many resamples' data and fits are kept for drawing (default 50).
    #[schemars(with = "Option<u64>")]
    pub keep: Option<Spanned<Number>>,
    /// How wrong a prediction is: squared (default), for classes cross-entropy or zero-one, and for
    /// densities log.
    #[schemars(with = "Option<LossName>")]
    pub loss: Option<Spanned<String>>,
    /// With zero-one loss: whose noise, bias and variance (default domingos).
    #[schemars(with = "Option<SplitForm>")]
    pub split: Option<Spanned<String>>,
    /// With cross-entropy: the ε of probabilities (p + ε)/(1 + Kε), which are then never 0 (default
    /// 1e-6).
    #[schemars(with = "Option<f64>")]
    pub smoothing: Option<Spanned<Number>>,
    /// How many settings of a two-way sweep are computed at a time, where memory is short (default:
    /// as many as fit in about 1 GB).
    #[schemars(with = "Option<u64>")]
    pub slab: Option<Spanned<Number>>,
    /// Whether to look at the members of ensembles: their risk, average bias and variance, and
    /// diversity (default false).
    #[schemars(with = "Option<bool>")]
    pub diversity: Option<Spanned<bool>>,
    /// Whether to split the variance by source: inputs, label noise and the algorithm's own draws
    /// (default false; eight fits take the place of one).
    #[schemars(with = "Option<bool>")]
    pub sources: Option<Spanned<bool>>,
    /// Methods that select a capacity from every training set: validation, K-fold (as 10-fold), loo,
    /// gcv, cp, aic, bic, adjusted-r2, bootstrap-632, bootstrap-632+, nested-K-fold; for densities
    /// lscv, sturges, scott, silverman.
    #[schemars(with = "Option<Vec<String>>")]
    pub select: Option<Spanned<Vec<Spanned<String>>>>,
    /// Whether to measure degrees of freedom and optimism, and of linear smoothers the effective
    /// parameters (default false).
    #[schemars(with = "Option<bool>")]
    pub df: Option<Spanned<bool>>,
}

/// The names of the losses, for the schema.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its schema is used")]
enum LossName {
    Squared,
    CrossEntropy,
    ZeroOne,
    Log,
}

/// Where the error is measured.
#[derive(Clone, Debug)]
pub(super) enum RawTest {
    Grid(Number),
    Draw(Number),
    Inputs,
}

impl<'de> Deserialize<'de> for RawTest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "{ grid = N }, { draw = N } or \"inputs\"";
        let value = Value::deserialize(deserializer)?;
        if let Value::Text(text) = &value
            && text == "inputs"
        {
            return Ok(RawTest::Inputs);
        }
        if let Value::Table(Block(entries)) = &value
            && let [(key, number)] = entries.as_slice()
            && let Value::Number(number) = number.get_ref()
        {
            match key.get_ref().as_str() {
                "grid" => return Ok(RawTest::Grid(Number(*number))),
                "draw" => return Ok(RawTest::Draw(Number(*number))),
                _ => {}
            }
        }
        Err(D::Error::custom(value.instead_of(expected)))
    }
}

impl JsonSchema for RawTest {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Test".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let count = |name: &str| {
            json_schema!({
                "type": "object", "required": [name], "additionalProperties": false,
                "properties": { name: { "type": "integer", "minimum": 1 } }
            })
        };
        json_schema!({ "oneOf": [count("grid"), count("draw"), { "const": "inputs" }] })
    }
}

/// The swept names and their values, in the order of the file.
#[derive(Clone, Debug)]
pub(super) struct RawSweep(pub Vec<(Spanned<String>, Spanned<Value>)>);

impl<'de> Deserialize<'de> for RawSweep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Block::deserialize(deserializer).map(|Block(entries)| RawSweep(entries))
    }
}

impl JsonSchema for RawSweep {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sweep".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let scale = generator.subschema_for::<ScaleForm>();
        json_schema!({
            "type": "object",
            "description": "One swept number or two, also train and noise, and their values: \"1..16\" (both ends), a list, or { from, to, count, scale }.",
            "additionalProperties": { "anyOf": [
                { "type": "string", "pattern": "^\\s*-?[0-9]+\\s*\\.\\.\\s*-?[0-9]+\\s*$" },
                { "type": "array", "items": { "type": "number" }, "minItems": 1 },
                { "type": "number" },
                {
                    "type": "object", "required": ["from", "to", "count"],
                    "additionalProperties": false,
                    "properties": {
                        "from": { "type": "number" },
                        "to": { "type": "number" },
                        "count": { "type": "integer", "minimum": 1 },
                        "scale": scale
                    }
                }
            ]}
        })
    }
}

/// A table whose keys depend on something else in the file.
pub(super) struct AnyTable;

impl JsonSchema for AnyTable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Table".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}
