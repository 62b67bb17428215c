//! Any TOML value with its place in the text, and what is said of one that is not as expected.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

use crate::source::SourceError;
use bvlab_core::words::{did_you_mean, number, quoted};

/// Any value, with the place of everything in it.
#[derive(Clone, Debug)]
pub enum Value {
    Number(f64),
    Text(String),
    Bool(bool),
    List(Vec<Spanned<Value>>),
    Table(Block),
}

impl Value {
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Number(_) => "a number",
            Value::Text(_) => "a string",
            Value::Bool(_) => "a boolean",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// In the form of serde's own messages, which the source puts into sentences.
    pub(super) fn instead_of(&self, expected: &str) -> String {
        let kind = self.kind().trim_start_matches("a ");
        format!("invalid type: {kind}, expected {expected}")
    }
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Block(pub Vec<(Spanned<String>, Spanned<Value>)>);

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Table(block) => Ok(block),
            other => Err(D::Error::custom(other.instead_of("a table"))),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a string, a boolean, a list or a table")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            list.push(entry);
        }
        Ok(Value::Table(Block(list)))
    }
}

/// A number, whole or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Number(value) => Ok(Number(value)),
            other => Err(D::Error::custom(other.instead_of("a number"))),
        }
    }
}

/// A whole number within limits.
pub fn whole(
    value: &Spanned<Number>,
    name: &str,
    least: u64,
    most: u64,
) -> Result<u64, SourceError> {
    let Number(given) = *value.get_ref();
    let trouble = |message: String| Err(SourceError::new(value.span(), message));
    if given.fract() != 0.0 || !given.is_finite() {
        return trouble(format!(
            "{name} must be a whole number, not {}",
            number(given)
        ));
    }
    if given < least as f64 {
        return trouble(format!(
            "{name} must be at least {least}, not {}",
            number(given)
        ));
    }
    if given > most as f64 {
        return trouble(format!(
            "{name} can be at most {most}, not {}",
            number(given)
        ));
    }
    Ok(given as u64)
}

/// What is said of a value of another form.
pub fn expected(form: &str, value: &Spanned<Value>) -> SourceError {
    SourceError::new(value.span(), format!("expected {form}"))
        .label(format!("this is {}", value.get_ref().kind()))
}

/// What is said of a key that is not known.
pub fn unknown<'a>(
    key: &Spanned<String>,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> SourceError {
    let name = key.get_ref();
    SourceError::new(key.span(), format!("{} is not known here", quoted(name)))
        .label("unknown key")
        .help(did_you_mean(name, known))
}
