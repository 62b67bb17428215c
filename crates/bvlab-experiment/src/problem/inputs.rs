//! The inputs: a law by its name, their dimension, and whether they are drawn once.

use toml::Spanned;

use crate::bounds::Bounds;
use crate::raw::{Block, Number, Value, expected, unknown, whole};
use crate::source::SourceError;
use bvlab_core::parameter::DataSize;
use bvlab_core::problem::{INPUT_LAWS, InputLaw, Inputs};

const FORM: &str = "a table, as in { uniform = [0, 15] }";

/// The inputs, how many coordinates they have, and whether they are fixed.
pub(super) fn check(
    raw: &Spanned<Value>,
    bounds: &Bounds,
) -> Result<(Inputs, usize, bool), SourceError> {
    let Value::Table(Block(entries)) = raw.get_ref() else {
        return Err(expected(FORM, raw));
    };
    let (mut laws, mut dimension, mut fixed) = (Vec::new(), 1, None);
    for (key, value) in entries {
        match key.get_ref().as_str() {
            "dimension" => {
                let Value::Number(number) = value.get_ref() else {
                    return Err(expected("a number", value));
                };
                let given = Spanned::new(value.span(), Number(*number));
                dimension = whole(&given, "`dimension`", 1, bounds.dimension)? as usize;
            }
            "fixed" => {
                let Value::Bool(flag) = value.get_ref() else {
                    return Err(expected("true or false", value));
                };
                fixed = Some((*flag, value));
            }
            name => match InputLaw::find(name) {
                Some(law) => laws.push((law, value)),
                None => {
                    let names = INPUT_LAWS.iter().map(|law| law.name);
                    let known = names.chain(["dimension", "fixed"]);
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
    Ok((inputs(law, value)?, dimension, fixed))
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
