//! Options of figures: what may be written for each, and reading what was written.

use std::ops::Range;

use toml::Spanned;

use super::choice::{ChoiceWord, FigureChoice};
use crate::raw::{Block, Value, expected, unknown};
use crate::source::SourceError;
use bvlab_core::parameter::{DataSize, Parameter};
use bvlab_core::words::{did_you_mean, quoted};

/// An option of a figure, as it is documented and checked.
#[derive(Clone, Copy, Debug)]
pub struct FigureOption {
    /// Its key.
    pub name: &'static str,
    /// What it does, in a sentence without its end.
    pub meaning: &'static str,
    /// What may be written for it.
    pub form: OptionForm,
    /// Whether it must be given.
    pub required: bool,
    default: &'static str,
}

/// What may be written for an option.
#[derive(Clone, Copy, Debug)]
pub enum OptionForm {
    /// `true` or `false`, and which of them where it is left out.
    Flag(bool),
    /// A number.
    Number(Parameter),
    /// One of some words.
    Choice(&'static [ChoiceWord]),
    /// A list of such words.
    Choices(&'static [ChoiceWord]),
    /// A text.
    Text,
    /// A list of names.
    Names,
    /// A value of the sweep.
    Value,
    /// A list of values of the sweep.
    Values,
    /// Two numbers.
    Pair,
    /// A table of names and what they are called.
    Labels,
    /// A list of tables with options of their own.
    Tables(&'static [FigureOption]),
}

impl FigureOption {
    /// An option with what holds where it is left out, in words; empty if its form says so.
    pub(crate) const fn new(
        name: &'static str,
        form: OptionForm,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        FigureOption {
            name,
            meaning,
            form,
            required: false,
            default,
        }
    }

    /// A number, with what holds where it is left out, in words; empty if that is its default.
    pub(crate) const fn number(parameter: Parameter, default: &'static str) -> Self {
        let form = OptionForm::Number(parameter);
        FigureOption::new(parameter.name, form, default, parameter.meaning)
    }

    /// How many of something, up to a million.
    pub(crate) const fn count(name: &'static str, default: f64, meaning: &'static str) -> Self {
        let parameter = Parameter::whole(name, meaning).up_to(1e6).default(default);
        FigureOption::number(parameter, "")
    }

    /// A number above zero.
    pub(crate) const fn positive(
        name: &'static str,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        FigureOption::number(Parameter::number(name, meaning).above(0.0), default)
    }

    /// The same, but it must be given.
    pub(crate) const fn required(self) -> Self {
        FigureOption {
            required: true,
            ..self
        }
    }

    /// What holds where it is left out, in words; `None` if it must be given or does nothing then.
    pub fn default_words(&self) -> Option<String> {
        match (self.default, self.form) {
            ("", OptionForm::Flag(default)) => Some(default.to_string()),
            ("", OptionForm::Number(parameter)) => parameter.default_words(),
            ("", _) => None,
            (words, _) => Some(words.to_owned()),
        }
    }
}

/// The options that were given in one table.
pub(crate) struct GivenOptions<'a> {
    entries: Vec<(&'static str, &'a Spanned<Value>)>,
    /// What errors about the whole point at.
    pub span: Range<usize>,
}

impl<'a> GivenOptions<'a> {
    /// Reads a table: its keys must be among the options, and what they are set to of their form.
    pub fn read(
        block: &'a Block,
        options: &'static [FigureOption],
        span: Range<usize>,
    ) -> Result<Self, SourceError> {
        let entries: Vec<_> = block.0.iter().map(|(key, value)| (key, value)).collect();
        GivenOptions::of(&entries, options, span)
    }

    /// The same of some keys of a table.
    pub fn of(
        entries: &[(&'a Spanned<String>, &'a Spanned<Value>)],
        options: &'static [FigureOption],
        span: Range<usize>,
    ) -> Result<Self, SourceError> {
        let known = |(key, value): &(&'a Spanned<String>, &'a Spanned<Value>)| {
            let option = options.iter().find(|option| option.name == key.get_ref());
            let names = options.iter().map(|option| option.name);
            let option = option.ok_or_else(|| unknown_key(key, names))?;
            option.form.check(value)?;
            Ok((option.name, *value))
        };
        let entries = entries.iter().map(known).collect::<Result<_, _>>()?;
        let given = GivenOptions { entries, span };
        let missing = |option: &&FigureOption| option.required && !given.has(option);
        match options.iter().find(missing) {
            None => Ok(given),
            Some(option) => {
                let message = format!("`{}` is missing", option.name);
                Err(SourceError::new(given.span, message)
                    .label("from this table")
                    .help("`bvlab new NAME` writes an example with every key"))
            }
        }
    }

    fn get(&self, option: &FigureOption) -> Option<&'a Spanned<Value>> {
        let mut entries = self.entries.iter();
        let found = entries.find(|(name, _)| *name == option.name);
        found.map(|(_, value)| *value)
    }

    /// Whether it is given at all.
    pub fn has(&self, option: &FigureOption) -> bool {
        self.get(option).is_some()
    }

    /// Where the option is set.
    pub fn place(&self, option: &FigureOption) -> Range<usize> {
        self.get(option).map_or(self.span.clone(), Spanned::span)
    }

    /// A flag.
    pub fn flag(&self, option: &FigureOption) -> bool {
        match (self.get(option).map(Spanned::get_ref), option.form) {
            (Some(Value::Bool(flag)), _) => *flag,
            (_, OptionForm::Flag(default)) => default,
            _ => false,
        }
    }

    /// A number within its range.
    pub fn number(&self, option: &FigureOption) -> Result<Option<f64>, SourceError> {
        let OptionForm::Number(parameter) = option.form else {
            return Ok(None);
        };
        let Some(value) = self.value(option) else {
            return Ok(parameter.default);
        };
        match parameter.check(*value.get_ref(), DataSize::UNKNOWN) {
            Ok(()) => Ok(Some(value.into_inner())),
            Err(error) => Err(SourceError::new(value.span(), error.to_string())),
        }
    }

    /// How many of something.
    pub fn count(&self, option: &FigureOption) -> Result<usize, SourceError> {
        let count = self.number(option)?;
        Ok(count.map_or(0, |count| count as usize))
    }

    /// A number of the sweep, or a place on an axis.
    pub fn value(&self, option: &FigureOption) -> Option<Spanned<f64>> {
        as_number(self.get(option)?)
    }

    /// Several of them.
    pub fn values(&self, option: &FigureOption) -> Option<Spanned<Vec<Spanned<f64>>>> {
        self.list(option, as_number)
    }

    /// Two numbers.
    pub fn pair(&self, option: &FigureOption) -> Option<Spanned<(f64, f64)>> {
        let given = self.get(option)?;
        let pair = pair(given.get_ref())?;
        Some(Spanned::new(given.span(), pair))
    }

    /// A text.
    pub fn text(&self, option: &FigureOption) -> Option<Spanned<String>> {
        as_text(self.get(option)?)
    }

    /// Several names.
    pub fn names(&self, option: &FigureOption) -> Option<Spanned<Vec<Spanned<String>>>> {
        self.list(option, as_text)
    }

    /// One of some words.
    pub fn choice<T: FigureChoice>(&self, option: &FigureOption) -> Option<T> {
        T::named(self.text(option)?.get_ref())
    }

    /// Several words.
    pub fn choices<T: FigureChoice>(&self, option: &FigureOption) -> Option<Spanned<Vec<T>>> {
        let words = self.list(option, |item| T::named(as_text(item)?.get_ref()))?;
        Some(words)
    }

    /// Names and what they are called, in the order in which they are written.
    pub fn labels(&self, option: &FigureOption) -> Vec<(Spanned<String>, String)> {
        match self.get(option).map(Spanned::get_ref) {
            Some(Value::Table(block)) => {
                let entries = block.0.iter().filter_map(|(name, label)| {
                    let name = Spanned::new(name.span(), name.get_ref().clone());
                    Some((name, as_text(label)?.into_inner()))
                });
                entries.collect()
            }
            _ => Vec::new(),
        }
    }

    /// The tables of a list of them.
    pub fn tables(&self, option: &FigureOption) -> Result<Vec<GivenOptions<'a>>, SourceError> {
        let (Some(given), OptionForm::Tables(options)) = (self.get(option), option.form) else {
            return Ok(Vec::new());
        };
        let Value::List(items) = given.get_ref() else {
            return Ok(Vec::new());
        };
        let tables = items.iter().filter_map(|item| match item.get_ref() {
            Value::Table(block) => Some(GivenOptions::read(block, options, item.span())),
            _ => None,
        });
        tables.collect()
    }

    fn list<T>(
        &self,
        option: &FigureOption,
        read: impl Fn(&Spanned<Value>) -> Option<T>,
    ) -> Option<Spanned<Vec<T>>> {
        let given = self.get(option)?;
        let Value::List(items) = given.get_ref() else {
            return None;
        };
        let items = items.iter().filter_map(read).collect();
        Some(Spanned::new(given.span(), items))
    }
}

fn as_number(value: &Spanned<Value>) -> Option<Spanned<f64>> {
    match value.get_ref() {
        Value::Number(number) => Some(Spanned::new(value.span(), *number)),
        _ => None,
    }
}

fn as_text(value: &Spanned<Value>) -> Option<Spanned<String>> {
    match value.get_ref() {
        Value::Text(text) => Some(Spanned::new(value.span(), text.clone())),
        _ => None,
    }
}

fn pair(value: &Value) -> Option<(f64, f64)> {
    let Value::List(items) = value else {
        return None;
    };
    match items.as_slice() {
        [a, b] => Some((as_number(a)?.into_inner(), as_number(b)?.into_inner())),
        _ => None,
    }
}

/// A key that nobody knows.
pub(super) fn unknown_key(
    key: &Spanned<String>,
    known: impl Iterator<Item = &'static str> + Clone,
) -> SourceError {
    // The way in which a date reaches a table of keys is an internal matter of the TOML reader.
    if key.get_ref().contains("__toml_private_datetime") {
        return SourceError::new(key.span(), "a date or a time is not allowed here");
    }
    unknown(key, known)
}

impl OptionForm {
    /// Whether a value is of the form; whether a number is in its range is asked when it is used.
    fn check(&self, value: &Spanned<Value>) -> Result<(), SourceError> {
        let right = |right: bool, form: &str| match right {
            true => Ok(()),
            false => Err(expected(form, value)),
        };
        let items =
            |form: &str, check: &dyn Fn(&Spanned<Value>) -> Result<(), SourceError>| match value
                .get_ref()
            {
                Value::List(items) => items.iter().try_for_each(check),
                _ => Err(expected(form, value)),
            };
        match self {
            OptionForm::Flag(_) => right(matches!(value.get_ref(), Value::Bool(_)), "a boolean"),
            OptionForm::Number(_) | OptionForm::Value => is_number(value),
            OptionForm::Text => is_text(value),
            OptionForm::Pair => right(
                pair(value.get_ref()).is_some(),
                "two numbers, as in [0, 15]",
            ),
            OptionForm::Choice(words) => is_word(value, words),
            OptionForm::Choices(words) => {
                items("a list, as in [\"a\", \"b\"]", &|item| is_word(item, words))
            }
            OptionForm::Names => items("a list, as in [\"a\", \"b\"]", &is_text),
            OptionForm::Values => items("a list, as in [1, 2]", &is_number),
            OptionForm::Labels => match value.get_ref() {
                Value::Table(block) => block.0.iter().try_for_each(|(_, label)| is_text(label)),
                _ => Err(expected("a table, as in { tree = \"one tree\" }", value)),
            },
            OptionForm::Tables(options) => {
                items("a list of tables", &|item| match item.get_ref() {
                    Value::Table(block) => {
                        GivenOptions::read(block, options, item.span()).map(|_| ())
                    }
                    _ => Err(expected("a table", item)),
                })
            }
        }
    }
}

fn is_number(value: &Spanned<Value>) -> Result<(), SourceError> {
    match value.get_ref() {
        Value::Number(_) => Ok(()),
        _ => Err(expected("a number", value)),
    }
}

fn is_text(value: &Spanned<Value>) -> Result<(), SourceError> {
    match value.get_ref() {
        Value::Text(_) => Ok(()),
        _ => Err(expected("a string", value)),
    }
}

fn is_word(value: &Spanned<Value>, words: &'static [ChoiceWord]) -> Result<(), SourceError> {
    is_text(value)?;
    let names = words.iter().map(|word| word.name);
    match value.get_ref() {
        Value::Text(text) if !names.clone().any(|name| name == text) => {
            let message = format!("{} is not known here", quoted(text));
            Err(SourceError::new(value.span(), message).help(did_you_mean(text, names)))
        }
        _ => Ok(()),
    }
}
