//! Labels that are classes: by probabilities, or by where the inputs of each class lie.

use std::sync::Arc;

use toml::Spanned;

use super::{discrete, expression};
use crate::bounds::Bounds;
use crate::raw::forms::CLASS_FORMS;
use crate::raw::{Block, Value, expected, unknown};
use crate::source::SourceError;
use bvlab_core::problem::{ClassLaw, Classes, Cloud, Component, Gaussian, MOST_CLASSES, Mixture};
use bvlab_core::words::{choice, number};

/// What classes can be given by.
fn laws() -> impl Iterator<Item = &'static str> + Clone {
    CLASS_FORMS.iter().map(|form| form.name)
}

const FORMS: &str = "as in `{ probability = \"1/(1 + exp(-x))\" }`, `{ moons = 0.2 }` or \
                     `{ gaussians = [{ mean = [0, 0] }, { mean = [2, 0] }] }`";

/// Checks classes; `dimension` is that of the inputs, where they are given.
pub(super) fn check(
    raw: &Spanned<Value>,
    dimension: Option<usize>,
    bounds: &Bounds,
) -> Result<Classes, SourceError> {
    let Value::Table(Block(entries)) = raw.get_ref() else {
        return Err(expected("a table", raw).help(FORMS));
    };
    let mut law = None;
    let mut flip = 0.0;
    for (key, value) in entries {
        let name = key.get_ref().as_str();
        if name == "flip" {
            flip = share_of_labels(value)?;
            continue;
        }
        if !laws().any(|law| law == name) {
            let known = laws().chain(["flip"]);
            return Err(unknown(key, known));
        }
        if law.is_some() {
            let message = format!("`classes` needs exactly one of {}", choice(laws()));
            return Err(SourceError::new(key.span(), message).help(FORMS));
        }
        law = Some((key, law_of(key, value, dimension, bounds)?));
    }
    let Some((key, law)) = law else {
        let message = format!("`classes` needs exactly one of {}", choice(laws()));
        return Err(SourceError::new(raw.span(), message).help(FORMS));
    };
    let name = key.get_ref();
    match (&law, dimension) {
        (ClassLaw::Mixture(_), Some(_)) => {
            let message =
                format!("`{name}` already defines the inputs, so `inputs` cannot be given too");
            Err(SourceError::new(key.span(), message)
                .help("leave out `inputs`; to choose the inputs yourself, use `probability`"))
        }
        (ClassLaw::Probability(_) | ClassLaw::Weights(_), None) => {
            let message = "`inputs` is missing";
            Err(SourceError::new(key.span(), message)
                .help("give their distribution, as in `inputs = { uniform = [0, 1] }`"))
        }
        _ => Ok(Classes { law, flip }),
    }
}

fn law_of(
    key: &Spanned<String>,
    value: &Spanned<Value>,
    dimension: Option<usize>,
    bounds: &Bounds,
) -> Result<ClassLaw, SourceError> {
    let dimension = dimension.unwrap_or(1);
    let mixture = |mixture: Mixture| ClassLaw::Mixture(Arc::new(mixture));
    Ok(match key.get_ref().as_str() {
        "probability" => ClassLaw::Probability(expression_of(value, dimension)?),
        "probabilities" => {
            let Value::List(items) = value.get_ref() else {
                return Err(expected(
                    "a list of expressions, one for every class",
                    value,
                ));
            };
            count_of_classes(value, items.len())?;
            let weights = items.iter().map(|item| expression_of(item, dimension));
            ClassLaw::Weights(weights.collect::<Result<_, _>>()?)
        }
        "gaussians" => mixture(gaussians(value, bounds)?),
        "moons" => mixture(Mixture::moons(sd(value)?)),
        "rings" => mixture(Mixture::rings(sd(value)?)),
        "bernoulli" => mixture(discrete::bernoulli(value, bounds)?),
        "multinomial" => mixture(discrete::multinomial(value, bounds)?),
        _ => mixture(Mixture::xor(sd(value)?)),
    })
}

fn expression_of(
    value: &Spanned<Value>,
    dimension: usize,
) -> Result<bvlab_core::problem::Expression, SourceError> {
    match value.get_ref() {
        Value::Text(text) => expression(&value.span(), text, dimension),
        Value::Number(number) => expression(&value.span(), &number.to_string(), dimension),
        _ => Err(expected("a number, or an expression in quotes", value)),
    }
}

pub(super) fn count_of_classes(value: &Spanned<Value>, count: usize) -> Result<(), SourceError> {
    if (2..=MOST_CLASSES).contains(&count) {
        return Ok(());
    }
    let message = format!("there are 2 to {MOST_CLASSES} classes, not {count}");
    Err(SourceError::new(value.span(), message))
}

/// The sd of noise around a shape: not so small that the shape is a line to rounding.
fn sd(value: &Spanned<Value>) -> Result<f64, SourceError> {
    let given = number_of(value)?;
    match (0.01..=100.0).contains(&given) {
        true => Ok(given),
        false => {
            let message = format!("the sd must be from 0.01 to 100, not {}", number(given));
            Err(SourceError::new(value.span(), message))
        }
    }
}

fn share_of_labels(value: &Spanned<Value>) -> Result<f64, SourceError> {
    let share = number_of(value)?;
    match (0.0..=1.0).contains(&share) {
        true => Ok(share),
        false => {
            let message = format!("`flip` must be from 0 to 1, not {}", number(share));
            Err(SourceError::new(value.span(), message)
                .help("0.1 replaces every tenth label by another class"))
        }
    }
}

/// The share of a class in all inputs, relative to the others.
pub(super) fn share_of_inputs(value: &Spanned<Value>) -> Result<f64, SourceError> {
    let share = number_of(value)?;
    if share <= 0.0 || share > 1e9 {
        let message = format!("`share` must be above 0, not {}", number(share));
        return Err(SourceError::new(value.span(), message).help("shares are divided by their sum"));
    }
    Ok(share)
}

fn number_of(value: &Spanned<Value>) -> Result<f64, SourceError> {
    match value.get_ref() {
        Value::Number(number) if number.is_finite() => Ok(*number),
        Value::Number(number) => {
            let message = format!("expected a finite number, not {number}");
            Err(SourceError::new(value.span(), message))
        }
        _ => Err(expected("a number", value)),
    }
}

pub(super) fn numbers_of(value: &Spanned<Value>, about: &str) -> Result<Vec<f64>, SourceError> {
    match value.get_ref() {
        Value::List(items) => items.iter().map(number_of).collect(),
        _ => Err(expected(about, value)),
    }
}

fn gaussians(value: &Spanned<Value>, bounds: &Bounds) -> Result<Mixture, SourceError> {
    let form = "a list of classes, as in [{ mean = [0, 0] }, { mean = [2, 0], covariance = 0.5 }]";
    let Value::List(items) = value.get_ref() else {
        return Err(expected(form, value));
    };
    count_of_classes(value, items.len())?;
    let mut components: Vec<Component> = Vec::new();
    let mut dimension = 0;
    for (class, item) in items.iter().enumerate() {
        let Value::Table(Block(entries)) = item.get_ref() else {
            return Err(expected(
                "a table, as in { mean = [0, 0], covariance = 0.5 }",
                item,
            ));
        };
        let (mut mean, mut covariance, mut share) = (None, None, 1.0);
        for (key, value) in entries {
            match key.get_ref().as_str() {
                "mean" => mean = Some((value, numbers_of(value, "a list, as in [0, 0]")?)),
                "covariance" => covariance = Some(value),
                "share" => share = share_of_inputs(value)?,
                _ => return Err(unknown(key, ["mean", "covariance", "share"])),
            }
        }
        let Some((at, mean)) = mean else {
            return Err(SourceError::new(item.span(), "`mean` is missing")
                .help("as in { mean = [0, 0], covariance = [[1, 0.5], [0.5, 1]] }"));
        };
        if class == 0 {
            dimension = mean.len();
        }
        if mean.len() != dimension || dimension == 0 || dimension as u64 > bounds.dimension.min(100)
        {
            let message = match class {
                0 => format!("a mean has 1 to {} coordinates", bounds.dimension.min(100)),
                _ => format!(
                    "the mean of class 0 has {dimension} coordinates, this has {}",
                    mean.len()
                ),
            };
            return Err(SourceError::new(at.span(), message));
        }
        let matrix = match covariance {
            Some(value) => matrix(value, dimension)?,
            None => diagonal(&vec![1.0; dimension]),
        };
        let Some(gaussian) = Gaussian::new(mean, &matrix) else {
            let span = covariance.map_or(item.span(), Spanned::span);
            return Err(
                SourceError::new(span, "the covariance is not positive definite")
                    .help("variances are above 0, and correlations between -1 and 1"),
            );
        };
        components.push(Component {
            class,
            share,
            cloud: Cloud::Gaussian(gaussian),
        });
    }
    let mixture = Mixture::new(components, dimension);
    let (from, to) = mixture.range();
    if !(from.is_finite() && to.is_finite() && (to - from).is_finite()) {
        return Err(SourceError::new(
            value.span(),
            "the range of the inputs is not finite",
        ));
    }
    Ok(mixture)
}

fn diagonal(variances: &[f64]) -> Vec<f64> {
    let d = variances.len();
    let mut matrix = vec![0.0; d * d];
    for (i, variance) in variances.iter().enumerate() {
        matrix[i * d + i] = *variance;
    }
    matrix
}

/// One variance, one for every coordinate, or all covariances.
fn matrix(value: &Spanned<Value>, dimension: usize) -> Result<Vec<f64>, SourceError> {
    let forms = "one variance, a list of them, or a matrix as in [[1, 0.5], [0.5, 1]]";
    let wrong =
        |what: String| Err(SourceError::new(value.span(), what).help(format!("write {forms}")));
    match value.get_ref() {
        Value::Number(_) => Ok(diagonal(&vec![number_of(value)?; dimension])),
        Value::List(rows)
            if rows
                .iter()
                .all(|row| matches!(row.get_ref(), Value::List(_))) =>
        {
            let mut matrix = Vec::new();
            for row in rows {
                let row = numbers_of(row, forms)?;
                if row.len() != dimension {
                    return wrong(format!(
                        "a row of the covariance has {dimension} numbers, not {}",
                        row.len()
                    ));
                }
                matrix.extend(row);
            }
            if rows.len() != dimension {
                return wrong(format!(
                    "the covariance has {dimension} rows, not {}",
                    rows.len()
                ));
            }
            let mirrored =
                |i: usize| matrix[i] == matrix[i % dimension * dimension + i / dimension];
            match (0..matrix.len()).all(mirrored) {
                true => Ok(matrix),
                false => wrong("the covariance is not symmetric".to_owned()),
            }
        }
        Value::List(_) => {
            let variances = numbers_of(value, forms)?;
            match variances.len() == dimension {
                true => Ok(diagonal(&variances)),
                false => wrong(format!(
                    "there are {dimension} variances, not {}",
                    variances.len()
                )),
            }
        }
        _ => Err(expected(forms, value)),
    }
}
