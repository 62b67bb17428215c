//! The inputs: a law by its name, their dimension and scales, and whether they are drawn once.

use toml::Spanned;

use crate::bounds::Bounds;
use crate::raw::{Block, Number, Value, expected, unknown, whole};
use crate::source::SourceError;
use bvlab_core::maths::pow;
use bvlab_core::parameter::DataSize;
use bvlab_core::problem::{INPUT_LAWS, InputLaw, Inputs};

const FORM: &str = "a table, as in { uniform = [0, 15] }";

/// The inputs, how many coordinates they have, and whether they are fixed. They have as many as are
/// given, or the most of a sweep.
pub(super) fn check(
    raw: &Spanned<Value>,
    swept: Option<usize>,
    bounds: &Bounds,
) -> Result<(Inputs, usize, bool), SourceError> {
    let Value::Table(Block(entries)) = raw.get_ref() else {
        return Err(expected(FORM, raw));
    };
    let (mut laws, mut dimension, mut fixed, mut sds) = (Vec::new(), None, None, None);
    for (key, value) in entries {
        match key.get_ref().as_str() {
            "dimension" => {
                let Value::Number(number) = value.get_ref() else {
                    return Err(expected("a number", value));
                };
                let given = Spanned::new(value.span(), Number(*number));
                let given = whole(&given, "`dimension`", 1, bounds.dimension)? as usize;
                dimension = Some((given, value));
            }
            "fixed" => {
                let Value::Bool(flag) = value.get_ref() else {
                    return Err(expected("true or false", value));
                };
                fixed = Some((*flag, value));
            }
            "sds" => sds = Some((key, value)),
            name => match InputLaw::find(name) {
                Some(law) => laws.push((law, value)),
                None => {
                    let names = INPUT_LAWS.iter().map(|law| law.name);
                    let known = names.chain(["dimension", "sds", "fixed"]);
                    return Err(unknown(key, known));
                }
            },
        }
    }
    let [(law, value)] = laws[..] else {
        let names: Vec<&str> = INPUT_LAWS.iter().map(|law| law.name).collect();
        let (last, first) = names.split_last().unwrap_or((&"", &[]));
        let message = format!(
            "`inputs` needs exactly one of {} and {last}",
            first.join(", ")
        );
        return Err(
            SourceError::new(raw.span(), message).help("as in `inputs = { uniform = [0, 15] }`")
        );
    };
    let fixed = match fixed {
        Some((false, at)) if law.is_design() => {
            let message = format!("a {} is the same in every resample", law.name);
            return Err(SourceError::new(at.span(), message)
                .help("leave out `fixed`, or use `uniform` inputs"));
        }
        Some((fixed, _)) => fixed,
        None => law.is_design(),
    };
    let inputs = inputs(law, value)?;
    let given = dimension.map_or(1, |(dimension, _)| dimension);
    let most = swept.unwrap_or(1).max(given);
    let Some((key, sds)) = sds else {
        return Ok((inputs, most, fixed));
    };
    let Some((mean, sd)) = inputs.as_normal() else {
        let message = format!("`sds` goes with normal inputs, not with {}", law.name);
        return Err(SourceError::new(key.span(), message)
            .help("as in `inputs = { normal = [0, 1], sds = [1, 0.15] }`"));
    };
    let dimension = swept.map(|_| (most, sds)).or(dimension);
    let scales = scales(sds, dimension, bounds)?;
    let dimension = scales.len();
    Ok((Inputs::scaled_normal(mean, sd, scales), dimension, fixed))
}

const SDS: &str =
    "as in `sds = [1, 0.15]`, `sds = { power = 1.5 }` or `sds = { spikes = 5, rest = 0.1 }`";

/// The factors of the coordinates' standard deviations: a list, j^(-power/2), or 1 for the first few and
/// `rest` for the others.
fn scales(
    value: &Spanned<Value>,
    dimension: Option<(usize, &Spanned<Value>)>,
    bounds: &Bounds,
) -> Result<Vec<f64>, SourceError> {
    let entries = match value.get_ref() {
        Value::List(items) => {
            let longest = bounds.dimension as usize;
            if items.is_empty() || items.len() > longest {
                let message = format!("`sds` needs 1 to {longest} numbers, not {}", items.len());
                return Err(SourceError::new(value.span(), message).help(SDS));
            }
            if let Some((given, at)) = dimension
                && given != items.len()
            {
                let message = format!("`dimension` is {given}, but there are {} sds", items.len());
                return Err(SourceError::new(at.span(), message).help("leave out `dimension`"));
            }
            return items.iter().map(|item| at_least(item, 0.0, true)).collect();
        }
        Value::Table(Block(entries)) => entries,
        _ => return Err(expected("a list or a table", value).help(SDS)),
    };
    let Some((dimension, _)) = dimension else {
        let message = "a spectrum needs the number of coordinates";
        return Err(SourceError::new(value.span(), message).help("add `dimension = 100`"));
    };
    let (mut power, mut spikes, mut rest) = (None, None, None);
    for (key, item) in entries {
        match key.get_ref().as_str() {
            "power" => power = Some(at_least(item, 0.0, false)?),
            "rest" => rest = Some(at_least(item, 0.0, true)?),
            "spikes" => {
                let Value::Number(number) = item.get_ref() else {
                    return Err(expected("a number", item));
                };
                let given = Spanned::new(item.span(), Number(*number));
                spikes = Some(whole(&given, "`spikes`", 1, dimension as u64)? as usize);
            }
            _ => return Err(unknown(key, ["power", "spikes", "rest"])),
        }
    }
    let coordinates = 0..dimension;
    match (power, spikes, rest) {
        (Some(power), None, None) => Ok(coordinates
            .map(|j| pow(j as f64 + 1.0, -0.5 * power))
            .collect()),
        (None, Some(spikes), Some(rest)) => Ok(coordinates
            .map(|j| if j < spikes { 1.0 } else { rest })
            .collect()),
        _ => {
            let message = "`sds` needs `power`, or both `spikes` and `rest`";
            Err(SourceError::new(value.span(), message).help(SDS))
        }
    }
}

/// A finite number from 0 on, or above it.
fn at_least(item: &Spanned<Value>, least: f64, exclusive: bool) -> Result<f64, SourceError> {
    let Value::Number(given) = item.get_ref() else {
        return Err(expected("a number", item));
    };
    let fine = given.is_finite() && (*given > least || !exclusive && *given == least);
    match fine {
        true => Ok(*given),
        false => {
            let above = if exclusive { "above" } else { "at least" };
            let message = format!("expected a finite number {above} {least}, not {given}");
            Err(SourceError::new(item.span(), message))
        }
    }
}

/// Inputs of a law by its list of values.
fn inputs(law: &InputLaw, value: &Spanned<Value>) -> Result<Inputs, SourceError> {
    let names: Vec<&str> = law.parameters.iter().map(|one| one.name).collect();
    let form = format!("[{}]", names.join(", "));
    let count = match names.len() {
        2 => "two".to_owned(),
        count => count.to_string(),
    };
    let wrong = || expected(&format!("{count} numbers, {form}"), value);
    let Value::List(items) = value.get_ref() else {
        return Err(wrong());
    };
    if items.len() != law.parameters.len() {
        return Err(wrong());
    }
    let mut values = Vec::with_capacity(items.len());
    for (parameter, item) in law.parameters.iter().zip(items) {
        let Value::Number(given) = item.get_ref() else {
            return Err(wrong());
        };
        let checked = parameter.check(*given, DataSize::UNKNOWN);
        checked.map_err(|error| {
            SourceError::new(item.span(), error.to_string()).help(format!("expected {form}"))
        })?;
        values.push(*given);
    }
    let inputs = law.inputs(&values);
    inputs.map_err(|error| {
        SourceError::new(value.span(), error.to_string()).label(format!("expected {form}"))
    })
}
