//! The values of a sweep: `"1..16"`, a list, or `{ from, to, count, scale }`.

use std::ops::Range;

use toml::Spanned;

use super::raw::Value;
use super::source::SourceError;
use bvlab_core::maths::pow;
use bvlab_core::plan::Scale;
use bvlab_core::words::{did_you_mean, number};

/// The most values a sweep may have.
const MOST: usize = 10_000;

/// A value and the place in the text that it comes from.
type LocatedValue = (f64, Range<usize>);

/// The values of a swept number.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub values: Vec<LocatedValue>,
    scale: Scale,
}

impl Values {
    pub fn read(value: &Spanned<Value>) -> Result<Self, SourceError> {
        let span = value.span();
        let (values, scale) = match value.get_ref() {
            Value::Number(one) => (vec![(*one, span.clone())], Scale::Linear),
            Value::Text(text) => (range(text, &span)?, Scale::Linear),
            Value::List(items) => (list(items)?, Scale::Linear),
            Value::Table(block) => spread(&block.0, &span)?,
            Value::Bool(_) => {
                return Err(SourceError::new(span, "a sweep is over numbers").help(FORMS));
            }
        };
        if values.is_empty() {
            return Err(SourceError::new(span, "the sweep is empty").help(FORMS));
        }
        if let Some((value, span)) = values.iter().find(|(value, _)| !value.is_finite()) {
            return Err(SourceError::new(
                span.clone(),
                format!("{value} cannot be swept over"),
            ));
        }
        let mut seen: Vec<f64> = values.iter().map(|(value, _)| *value).collect();
        seen.sort_by(f64::total_cmp);
        if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("the sweep has the value {} twice", number(pair[0]));
            return Err(SourceError::new(span, message));
        }
        // In rising order, whatever order they were written in.
        let mut values = values;
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Values { values, scale })
    }

    /// How they are spread; what was rounded down to 0 has no place on a logarithmic axis.
    pub fn scale(&self) -> Scale {
        match self.values.iter().all(|(value, _)| *value > 0.0) {
            true => self.scale,
            false => Scale::Linear,
        }
    }

    /// The same values as whole numbers, nearby ones falling together; for numbers that count.
    pub fn rounded(mut self) -> Self {
        for (value, _) in &mut self.values {
            *value = value.round();
        }
        self.values.dedup_by(|a, b| a.0 == b.0);
        self
    }
}

const FORMS: &str =
    "write \"1..16\" (both ends), a list, or { from = 1, to = 1000, count = 60, scale = \"log\" }";

fn range(text: &str, span: &Range<usize>) -> Result<Vec<LocatedValue>, SourceError> {
    let ends = text.split_once("..").and_then(|(from, to)| {
        Some((
            from.trim().parse::<i64>().ok()?,
            to.trim().parse::<i64>().ok()?,
        ))
    });
    let Some((from, to)) = ends else {
        let message = "this is not a range of whole numbers";
        return Err(SourceError::new(span.clone(), message).help(FORMS));
    };
    if from > to {
        let message = format!("the sweep is empty: {from} is above {to}");
        return Err(SourceError::new(span.clone(), message).help("write the smaller end first"));
    }
    if to.saturating_sub(from) >= MOST as i64 {
        return Err(too_many(span));
    }
    Ok((from..=to)
        .map(|value| (value as f64, span.clone()))
        .collect())
}

fn list(items: &[Spanned<Value>]) -> Result<Vec<LocatedValue>, SourceError> {
    if let Some(item) = items.get(MOST) {
        return Err(too_many(&item.span()));
    }
    items
        .iter()
        .map(|item| match item.get_ref() {
            Value::Number(value) => Ok((*value, item.span())),
            other => Err(SourceError::new(item.span(), "expected a number")
                .label(format!("this is {}", other.kind()))),
        })
        .collect()
}

type Entries = [(Spanned<String>, Spanned<Value>)];

fn spread(
    entries: &Entries,
    span: &Range<usize>,
) -> Result<(Vec<LocatedValue>, Scale), SourceError> {
    let keys = ["from", "to", "count", "scale"];
    if let Some((key, _)) = entries
        .iter()
        .find(|(key, _)| !keys.contains(&key.get_ref().as_str()))
    {
        let message = format!("`{}` is not known here", key.get_ref());
        return Err(SourceError::new(key.span(), message).help(did_you_mean(key.get_ref(), keys)));
    }
    let find = |name: &str| entries.iter().find(|(key, _)| key.get_ref() == name);
    let number_of = |name: &str| match find(name) {
        Some((_, value)) => match value.get_ref() {
            Value::Number(number) if number.is_finite() => Ok((*number, value.span())),
            other => Err(SourceError::new(
                value.span(),
                format!("`{name}` must be a finite number"),
            )
            .label(format!("this is {}", other.kind()))),
        },
        None => Err(SourceError::new(span.clone(), format!("`{name}` is missing")).help(FORMS)),
    };
    let (from, from_span) = number_of("from")?;
    let (to, to_span) = number_of("to")?;
    let (count, count_span) = number_of("count")?;
    let scale = match find("scale") {
        None => Scale::Linear,
        Some((_, value)) => match value.get_ref() {
            Value::Text(text) if text == "linear" => Scale::Linear,
            Value::Text(text) if text == "log" => Scale::Log,
            _ => {
                let message = "`scale` is \"linear\" or \"log\"";
                return Err(SourceError::new(value.span(), message));
            }
        },
    };
    if count.fract() != 0.0 || count < 1.0 {
        return Err(SourceError::new(
            count_span,
            "`count` must be a whole number of at least 1",
        ));
    }
    if count > MOST as f64 {
        return Err(too_many(&count_span));
    }
    if from > to {
        let message = format!(
            "the sweep is empty: {} is above {}",
            number(from),
            number(to)
        );
        return Err(SourceError::new(to_span, message).help("write the smaller end first"));
    }
    if scale == Scale::Log && from <= 0.0 {
        let message = "a log sweep must start above 0";
        return Err(SourceError::new(from_span, message));
    }
    let last = (count - 1.0).max(1.0);
    let value = |i: f64| match scale {
        _ if i == 0.0 => from,
        _ if i == last => to,
        Scale::Linear => from + (to - from) * i / last,
        Scale::Log => from * pow(to / from, i / last),
    };
    let values = (0..count as usize).map(|i| (value(i as f64), span.clone()));
    Ok((values.collect(), scale))
}

fn too_many(span: &Range<usize>) -> SourceError {
    SourceError::new(span.clone(), format!("a sweep has at most {MOST} values"))
}
