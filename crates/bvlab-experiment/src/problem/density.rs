//! A density to be estimated.

use toml::Spanned;

use super::classes::{numbers_of, share_of_inputs};
use crate::raw::forms::DENSITY_FORMS;
use crate::raw::{Block, Value, expected, unknown};
use crate::source::SourceError;
use bvlab_core::problem::{Density, DensityForm, DensityPart, MOST_PARTS};
use bvlab_core::words::choice;

const FORMS: &str = "as in `{ normal = [0, 1] }`, `{ uniform = [0, 1] }`, `{ normals = [{ mean = 0 }, \
                     { mean = 3, sd = 0.5 }] }` or `{ marron-wand = \"claw\" }`";

/// What a density can be given by.
fn laws() -> impl Iterator<Item = &'static str> + Clone {
    DENSITY_FORMS.iter().map(|form| form.name)
}

pub(super) fn check(raw: &Spanned<Value>) -> Result<Density, SourceError> {
    let Value::Table(Block(entries)) = raw.get_ref() else {
        return Err(expected("a table", raw).help(FORMS));
    };
    let (mut density, mut range) = (None, None);
    for (key, value) in entries {
        let name = key.get_ref().as_str();
        if name == "range" {
            range = Some((value, pair(value, "[from, to]")?));
            continue;
        }
        if !laws().any(|law| law == name) {
            return Err(unknown(key, laws().chain(["range"])));
        }
        if density.is_some() {
            let message = format!("`density` needs exactly one of {}", choice(laws()));
            return Err(SourceError::new(key.span(), message).help(FORMS));
        }
        density = Some(density_of(name, value)?);
    }
    let Some(density) = density else {
        let message = format!("`density` needs exactly one of {}", choice(laws()));
        return Err(SourceError::new(raw.span(), message).help(FORMS));
    };
    match range {
        None => Ok(density),
        Some((value, range)) => density
            .over(range)
            .map_err(|error| SourceError::new(value.span(), error.to_string())),
    }
}

fn density_of(name: &str, value: &Spanned<Value>) -> Result<Density, SourceError> {
    let one = |form: DensityForm| vec![DensityPart { share: 1.0, form }];
    let parts = match name {
        "marron-wand" => {
            let Value::Text(text) = value.get_ref() else {
                return Err(expected("a name, as in \"claw\"", value));
            };
            return Density::marron_wand(text).map_err(|help| {
                let message = format!("`{text}` is no density of Marron and Wand");
                SourceError::new(value.span(), message).help(help)
            });
        }
        "normal" => {
            let (mean, sd) = pair(value, "[mean, sd]")?;
            one(DensityForm::Normal { mean, sd })
        }
        "uniform" => {
            let (from, to) = pair(value, "[from, to]")?;
            one(DensityForm::Uniform { from, to })
        }
        _ => normals(value)?,
    };
    Density::new(parts).map_err(|error| SourceError::new(value.span(), error.to_string()))
}

fn normals(value: &Spanned<Value>) -> Result<Vec<DensityPart>, SourceError> {
    let form = "a list, as in [{ mean = 0 }, { mean = 3, sd = 0.5, share = 2 }]";
    let Value::List(items) = value.get_ref() else {
        return Err(expected(form, value));
    };
    if !(1..=MOST_PARTS).contains(&items.len()) {
        let message = format!("there are 1 to {MOST_PARTS} parts, not {}", items.len());
        return Err(SourceError::new(value.span(), message));
    }
    let part = |item: &Spanned<Value>| {
        let Value::Table(Block(entries)) = item.get_ref() else {
            return Err(expected("a table, as in { mean = 3, sd = 0.5 }", item));
        };
        let (mut mean, mut sd, mut share) = (None, 1.0, 1.0);
        for (key, value) in entries {
            match key.get_ref().as_str() {
                "mean" => mean = Some(number(value)?),
                "sd" => sd = number(value)?,
                "share" => share = share_of_inputs(value)?,
                _ => return Err(unknown(key, ["mean", "sd", "share"])),
            }
        }
        let mean = mean.ok_or_else(|| {
            SourceError::new(item.span(), "`mean` is missing").help("as in { mean = 3, sd = 0.5 }")
        })?;
        let form = DensityForm::Normal { mean, sd };
        Ok(DensityPart { share, form })
    };
    items.iter().map(part).collect()
}

fn number(value: &Spanned<Value>) -> Result<f64, SourceError> {
    match value.get_ref() {
        Value::Number(number) => Ok(*number),
        _ => Err(expected("a number", value)),
    }
}

fn pair(value: &Spanned<Value>, form: &str) -> Result<(f64, f64), SourceError> {
    match numbers_of(value, &format!("two numbers, {form}"))?[..] {
        [a, b] => Ok((a, b)),
        _ => Err(expected(&format!("two numbers, {form}"), value)),
    }
}
