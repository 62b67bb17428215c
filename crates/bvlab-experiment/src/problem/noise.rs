//! The noise: a law by its name, with a standard deviation and the law's parameters.

use std::ops::Range;

use toml::Spanned;

use super::expression;
use crate::raw::{Block, Value, expected, unknown};
use crate::source::SourceError;
use bvlab_core::parameter::{DataSize, Parameter};
use bvlab_core::problem::{Expression, NOISE_LAWS, Noise, NoiseLaw};
use bvlab_core::words::{choice, number};

const FORM: &str = "a table, as in { normal = 0.5 }";

type OwnedKeyValue = (Spanned<String>, Spanned<Value>);

pub(super) fn check(raw: &Spanned<Value>, dimension: usize) -> Result<Noise, SourceError> {
    let Value::Table(Block(entries)) = raw.get_ref() else {
        return Err(expected(FORM, raw));
    };
    let parameters = || NOISE_LAWS.iter().flat_map(|law| law.parameters);
    let names = NOISE_LAWS.iter().map(|law| law.name);
    let is_known = |name: &str| {
        NoiseLaw::find(name).is_some() || parameters().any(|parameter| parameter.name == name)
    };
    if let Some((key, _)) = entries.iter().find(|(key, _)| !is_known(key.get_ref())) {
        let known: Vec<&str> = names.chain(parameters().map(|one| one.name)).collect();
        return Err(unknown(key, known));
    }
    let mut laws = laws(entries);
    let (Some((law, sd)), None) = (laws.next(), laws.next()) else {
        let message = format!("`noise` needs exactly one of {}", choice(names));
        return Err(SourceError::new(raw.span(), message)
            .help("as in `noise = { normal = 0.5 }`, by its sd"));
    };
    let mut values = Vec::with_capacity(law.parameters.len());
    for parameter in law.parameters {
        let given = entries
            .iter()
            .find(|(key, _)| key.get_ref() == parameter.name);
        values.push(match (given, parameter.default) {
            (Some((_, value)), _) => parameter_value(parameter, value)?,
            (None, Some(default)) => default,
            (None, None) => return Err(missing(&law, parameter, sd)),
        });
    }
    let foreign = |(key, _): &&OwnedKeyValue| {
        let name = key.get_ref();
        name != law.name && law.parameters.iter().all(|one| one.name != name)
    };
    if let Some((key, value)) = entries.iter().find(foreign) {
        let name = key.get_ref();
        let has = |law: &&NoiseLaw| law.parameters.iter().any(|one| one.name == name);
        let owners = NOISE_LAWS.iter().filter(has).map(|law| law.name);
        let message = format!("`{name}` belongs to {} only", choice(owners));
        return Err(SourceError::new(value.span(), message));
    }
    let sd = sd_expression(sd, dimension)?;
    Ok(Noise { law, values, sd })
}

/// The laws that are named, and their standard deviations.
fn laws(entries: &[OwnedKeyValue]) -> impl Iterator<Item = (NoiseLaw, &Spanned<Value>)> {
    entries
        .iter()
        .filter_map(|(key, sd)| Some((NoiseLaw::find(key.get_ref())?, sd)))
}

fn sd_expression(sd: &Spanned<Value>, dimension: usize) -> Result<Expression, SourceError> {
    match sd.get_ref() {
        Value::Number(value) => expression(&sd.span(), &value.to_string(), dimension),
        Value::Text(text) => expression(&sd.span(), text, dimension),
        _ => Err(expected("a number, or an expression in quotes", sd)),
    }
}

fn parameter_value(parameter: &Parameter, value: &Spanned<Value>) -> Result<f64, SourceError> {
    let Value::Number(given) = value.get_ref() else {
        return Err(expected("a number", value));
    };
    let checked = parameter.check(*given, DataSize::UNKNOWN);
    checked.map_err(|error| {
        SourceError::new(value.span(), error.to_string()).help(parameter.meaning.to_owned())
    })?;
    Ok(*given)
}

fn missing(law: &NoiseLaw, parameter: &Parameter, sd: &Spanned<Value>) -> SourceError {
    let name = parameter.name;
    let example = parameter.usual.map_or(1.0, |(from, _)| from);
    let message = format!("{} needs `{name}`", law.title);
    SourceError::new(sd.span(), message).help(format!(
        "as in `noise = {{ {} = 0.5, {name} = {} }}`",
        law.name,
        number(example)
    ))
}

/// Where the standard deviation stands, of a noise that was checked.
pub(super) fn sd_span(raw: &Spanned<Value>) -> Range<usize> {
    let sd = match raw.get_ref() {
        Value::Table(Block(entries)) => laws(entries).next().map(|(_, sd)| sd.span()),
        _ => None,
    };
    sd.unwrap_or(raw.span())
}
