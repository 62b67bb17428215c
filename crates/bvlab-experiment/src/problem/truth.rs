//! The truth: an expression, a linear function, or a drawn curve.

use toml::Spanned;

use super::expression;
use crate::raw::forms::MOST_TRUTH_POINTS;
use crate::raw::{Block, Value, expected, unknown};
use crate::source::SourceError;
use bvlab_core::problem::Truth;
use bvlab_core::words::{number, thousands};

const FORMS: &str = "as in `\"sin(x)\"`, `{ linear = 1.0 }`, `{ weights = [0.5, 3] }` or `{ points = [[0, 1], [5, 3]] }`";

pub(super) fn check(
    raw: &Spanned<Value>,
    dimension: usize,
    seed: u64,
) -> Result<Truth, SourceError> {
    let entries = match raw.get_ref() {
        Value::Text(text) => {
            return expression(&raw.span(), text, dimension).map(Truth::Expression);
        }
        Value::Table(Block(entries)) => entries,
        _ => return Err(expected("a string or a table", raw).help(FORMS)),
    };
    let known = ["linear", "weights", "points"];
    let other = |key: &&Spanned<String>| !known.contains(&key.get_ref().as_str());
    if let Some(key) = entries.iter().map(|(key, _)| key).find(other) {
        return Err(unknown(key, known));
    }
    let [(key, value)] = entries.as_slice() else {
        let span = entries.get(1).map_or(raw.span(), |(key, _)| key.span());
        let message = "`truth` needs exactly one of linear, weights and points";
        return Err(SourceError::new(span, message).help(FORMS));
    };
    match key.get_ref().as_str() {
        "linear" => Ok(Truth::direction(norm(value)?, dimension, seed)),
        "weights" => weights(value, dimension),
        _ if dimension > 1 => {
            let message = format!("`points` needs inputs of one dimension, not {dimension}");
            Err(SourceError::new(key.span(), message)
                .help("write an expression in x1, x2, …, or `{ linear = 1.0 }`"))
        }
        _ => points(value),
    }
}

fn norm(value: &Spanned<Value>) -> Result<f64, SourceError> {
    let norm = finite(value, "the norm")?;
    if norm < 0.0 {
        let message = format!("the norm must be at least 0, not {}", number(norm));
        return Err(SourceError::new(value.span(), message)
            .help("the direction is random: only its length is given"));
    }
    Ok(norm)
}

/// β·x; coordinates beyond the list have the weight 0.
fn weights(value: &Spanned<Value>, dimension: usize) -> Result<Truth, SourceError> {
    let Value::List(items) = value.get_ref() else {
        return Err(expected("a list of numbers, as in [0.5, 3]", value));
    };
    if items.is_empty() || items.len() > dimension {
        let count = items.len();
        let message = format!("expected a weight for each of {dimension} coordinates, not {count}");
        return Err(SourceError::new(value.span(), message)
            .help("there may be fewer: the other weights are 0; see `dimension` of `inputs`"));
    }
    let given = items.iter().map(|item| finite(item, "a weight"));
    let mut weights = given.collect::<Result<Vec<f64>, SourceError>>()?;
    weights.resize(dimension, 0.0);
    Ok(Truth::Linear(weights))
}

fn points(value: &Spanned<Value>) -> Result<Truth, SourceError> {
    let Value::List(items) = value.get_ref() else {
        let form = "a list of points, as in [[0, 1], [5, 3]]";
        return Err(expected(form, value));
    };
    let wrong = match items.len() {
        0 | 1 => Some("needs at least 2 points".to_owned()),
        2..=MOST_TRUTH_POINTS => None,
        _ => Some(format!(
            "can have at most {} points",
            thousands(MOST_TRUTH_POINTS as u64)
        )),
    };
    if let Some(wrong) = wrong {
        let count = thousands(items.len() as u64);
        let message = format!("a curve {wrong}, not {count}");
        return Err(SourceError::new(value.span(), message));
    }
    let mut placed = Vec::with_capacity(items.len());
    for item in items {
        let (x, y) = match item.get_ref() {
            Value::List(pair) if pair.len() == 2 => (&pair[0], &pair[1]),
            Value::List(pair) => {
                return Err(SourceError::new(item.span(), "expected a point [x, y]")
                    .label(format!("this has {} numbers", pair.len())));
            }
            _ => return Err(expected("a point [x, y]", item)),
        };
        placed.push((finite(x, "x")?, finite(y, "y")?, item));
    }
    // A stable sort: of two points at one x, the later in the text comes second.
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let Some([(x, y, _), (.., again)]) = placed.array_windows().find(|[a, b]| a.0 == b.0) {
        let message = format!("two points are at x = {}", number(*x));
        return Err(SourceError::new(again.span(), message).help(format!(
            "the other is [{}, {}]",
            number(*x),
            number(*y)
        )));
    }
    if let [(first, ..), .., (last, ..)] = placed[..]
        && !(last - first).is_finite()
    {
        return Err(SourceError::new(value.span(), "the range is not finite"));
    }
    Ok(Truth::through(
        placed.iter().map(|&(x, y, _)| (x, y)).collect(),
    ))
}

fn finite(value: &Spanned<Value>, name: &str) -> Result<f64, SourceError> {
    match value.get_ref() {
        Value::Number(given) if given.is_finite() => Ok(*given),
        Value::Number(given) => {
            let message = format!("{name} must be finite, not {given}");
            Err(SourceError::new(value.span(), message))
        }
        _ => Err(expected("a number", value)),
    }
}
