//! The truth: an expression, a random direction, or a drawn curve.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use toml::Spanned;

use super::problem::expression;
use super::raw::{Block, Value};
use super::source::Trouble;
use crate::problem::Truth;
use crate::words::{did_you_mean, number, thousands};

/// The most points that a curve is drawn through.
const MOST: usize = 10_000;

const FORMS: &str = "as in `\"sin(x)\"`, `{ linear = 1.0 }` or `{ points = [[0, 1], [5, 3]] }`";

/// The truth as it is written, for the schema.
pub(super) struct TruthForm;

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
                    "type": "array", "minItems": 2, "maxItems": MOST,
                    "items": {
                        "type": "array", "minItems": 2, "maxItems": 2, "items": { "type": "number" }
                    }
                }),
            )
        ] })
    }
}

pub(super) fn check(raw: &Spanned<Value>, dimension: usize, seed: u64) -> Result<Truth, Trouble> {
    let entries = match raw.get_ref() {
        Value::Text(text) => {
            return expression(&raw.span(), text, dimension).map(Truth::Expression);
        }
        Value::Table(Block(entries)) => entries,
        other => return Err(expected(raw, "a string or a table", other).help(FORMS)),
    };
    let known = ["linear", "points"];
    let unknown = |key: &&Spanned<String>| !known.contains(&key.get_ref().as_str());
    if let Some(key) = entries.iter().map(|(key, _)| key).find(unknown) {
        return Err(
            Trouble::new(key.span(), format!("`{}` is not known here", key.get_ref()))
                .label("unknown key")
                .help(did_you_mean(key.get_ref(), known)),
        );
    }
    let [(key, value)] = entries.as_slice() else {
        let span = entries.get(1).map_or(raw.span(), |(key, _)| key.span());
        let message = "the truth is exactly one of linear and points";
        return Err(Trouble::new(span, message).help(FORMS));
    };
    match key.get_ref().as_str() {
        "linear" => Ok(Truth::direction(norm(value)?, dimension, seed)),
        _ if dimension > 1 => {
            let message = format!("a curve is drawn in one dimension, the inputs have {dimension}");
            Err(Trouble::new(key.span(), message)
                .help("write an expression in x1, x2, …, or `{ linear = 1.0 }`"))
        }
        _ => points(value),
    }
}

fn norm(value: &Spanned<Value>) -> Result<f64, Trouble> {
    let norm = finite(value, "the norm")?;
    if norm < 0.0 {
        let message = format!("the norm must be at least 0, not {}", number(norm));
        return Err(Trouble::new(value.span(), message)
            .help("the direction is random: only its length is given"));
    }
    Ok(norm)
}

fn points(value: &Spanned<Value>) -> Result<Truth, Trouble> {
    let Value::List(items) = value.get_ref() else {
        let form = "a list of points, as in [[0, 1], [5, 3]]";
        return Err(expected(value, form, value.get_ref()));
    };
    let wrong = match items.len() {
        0 | 1 => Some("needs at least 2 points".to_owned()),
        2..=MOST => None,
        _ => Some(format!(
            "can have at most {} points",
            thousands(MOST as u64)
        )),
    };
    if let Some(wrong) = wrong {
        let count = thousands(items.len() as u64);
        let message = format!("a curve {wrong}, not {count}");
        return Err(Trouble::new(value.span(), message));
    }
    let mut placed = Vec::with_capacity(items.len());
    for item in items {
        let (x, y) = match item.get_ref() {
            Value::List(pair) if pair.len() == 2 => (&pair[0], &pair[1]),
            Value::List(pair) => {
                return Err(Trouble::new(item.span(), "expected a point [x, y]")
                    .label(format!("this has {} numbers", pair.len())));
            }
            other => return Err(expected(item, "a point [x, y]", other)),
        };
        placed.push((finite(x, "x")?, finite(y, "y")?, item));
    }
    // A stable sort: of two points at one x, the later in the text comes second.
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let Some([(x, y, _), (.., again)]) = placed.array_windows().find(|[a, b]| a.0 == b.0) {
        let message = format!("two points are at x = {}", number(*x));
        return Err(Trouble::new(again.span(), message).help(format!(
            "the other is [{}, {}]",
            number(*x),
            number(*y)
        )));
    }
    if let [(first, ..), .., (last, ..)] = placed[..]
        && !(last - first).is_finite()
    {
        return Err(Trouble::new(value.span(), "the range is not finite"));
    }
    Ok(Truth::through(
        placed.iter().map(|&(x, y, _)| (x, y)).collect(),
    ))
}

fn finite(value: &Spanned<Value>, name: &str) -> Result<f64, Trouble> {
    match value.get_ref() {
        Value::Number(given) if given.is_finite() => Ok(*given),
        Value::Number(given) => {
            let message = format!("{name} must be finite, not {given}");
            Err(Trouble::new(value.span(), message))
        }
        other => Err(expected(value, "a number", other)),
    }
}

fn expected(at: &Spanned<Value>, form: &str, found: &Value) -> Trouble {
    Trouble::new(at.span(), format!("expected {form}")).label(format!("this is {}", found.kind()))
}
