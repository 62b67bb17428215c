//! A learner's table: its model family with the parameters and choices that are given.

use std::ops::Range;

use toml::Spanned;

use crate::raw::{Block, Value, expected};
use crate::source::SourceError;
use bvlab_core::learner::{Family, LabelKind, Registry};
use bvlab_core::parameter::{DataSize, Parameter};
use bvlab_core::problem::Problem;
use bvlab_core::words::{choice, did_you_mean};

/// A model family as the file sets it: checked, except for the parameters that are swept.
pub struct Spec {
    pub family: Family,
    pub span: Range<usize>,
    /// The family's parameters, where given.
    pub given: Vec<Option<f64>>,
    /// By choice of the family, which option.
    pub choices: Vec<usize>,
    pub base: Option<Box<Spec>>,
}

impl Spec {
    /// The learner, its base, the base's base, and so on.
    pub fn levels(&self) -> impl Iterator<Item = &Spec> {
        std::iter::successors(Some(self), |spec| spec.base.as_deref())
    }
}

/// A key and its value.
pub type KeyValue<'a> = (&'a Spanned<String>, &'a Spanned<Value>);

/// Reads specifications: with which families, for which data.
#[derive(Clone, Copy)]
pub struct SpecReader<'a> {
    pub registry: &'a Registry,
    pub problem: &'a Problem,
}

impl SpecReader<'_> {
    /// The one model family among the keys of a table, which may have `other_keys` too.
    pub fn read(
        &self,
        entries: &[KeyValue],
        span: &Range<usize>,
        other_keys: &[&str],
    ) -> Result<Spec, SourceError> {
        let (family, key, value) = self.family(entries, span, other_keys)?;
        let Value::Table(Block(entries)) = value.get_ref() else {
            return Err(expected("a table, as in `tree = { depth = 3 }`", value));
        };
        self.fits(&family, key)?;
        let mut spec = Spec {
            family,
            span: key.span(),
            given: vec![None; family.parameters.len()],
            choices: vec![0; family.choices.len()],
            base: None,
        };
        for (key, value) in entries {
            self.set(&mut spec, key, value)?;
        }
        if family.has_base && spec.base.is_none() {
            let message = format!("`{}` needs a `base`", family.name);
            return Err(SourceError::new(key.span(), message)
                .help("give its base learner, as in `base = { tree = {} }`"));
        }
        Ok(spec)
    }

    fn family<'e>(
        &self,
        entries: &[KeyValue<'e>],
        span: &Range<usize>,
        other_keys: &[&str],
    ) -> Result<(Family, &'e Spanned<String>, &'e Spanned<Value>), SourceError> {
        let names = || self.registry.names().map(|name| -> &str { name });
        let mut found = Vec::new();
        for (key, value) in entries {
            match self.registry.family(key.get_ref()) {
                Some(family) => found.push((*family, *key, *value)),
                None => {
                    let known: Vec<&str> = names().chain(other_keys.iter().copied()).collect();
                    let message = format!("`{}` is not known here", key.get_ref());
                    return Err(SourceError::new(key.span(), message)
                        .label("neither a learner nor a key of one")
                        .help(did_you_mean(key.get_ref(), known)));
                }
            }
        }
        match found[..] {
            [one] => Ok(one),
            _ => {
                let span = found.get(1).map_or(span.clone(), |(_, key, _)| key.span());
                let message = "a learner needs exactly one model family";
                Err(SourceError::new(span, message).help(format!(
                    "write one of {}, as in `tree = {{}}`",
                    choice(names())
                )))
            }
        }
    }

    /// Whether a family can learn the labels, from such inputs.
    fn fits(&self, family: &Family, key: &Spanned<String>) -> Result<(), SourceError> {
        if !family.labels.suits(self.problem) {
            let all = self.registry.families().iter();
            let fit = all.filter(|family| family.labels.suits(self.problem));
            let fit = choice(fit.map(|family| family.name));
            let here = match (self.problem.density(), self.problem.classes()) {
                (Some(_), _) => "densities",
                (None, 0) => "numbers",
                (None, _) => "classes",
            };
            let name = family.name;
            let message = match (family.labels, here) {
                (LabelKind::Density, _) => {
                    format!("`{name}` estimates densities, but the labels are {here}")
                }
                (_, "densities") => {
                    format!("`{name}` learns labels, but the problem is a density to be estimated")
                }
                (_, "classes") => format!("`{name}` learns numbers, but the labels are classes"),
                _ => format!("`{name}` learns classes, but the labels are numbers"),
            };
            let help = format!("for {here} there are {fit}");
            return Err(SourceError::new(key.span(), message).help(help));
        }
        if family.one_dimensional && self.problem.dimension > 1 {
            let message = format!("`{}` needs one-dimensional inputs", family.name);
            let label = format!("the inputs have {} dimensions", self.problem.dimension);
            return Err(SourceError::new(key.span(), message).label(label));
        }
        Ok(())
    }

    /// Sets a parameter, a choice or the base.
    fn set(
        &self,
        spec: &mut Spec,
        key: &Spanned<String>,
        value: &Spanned<Value>,
    ) -> Result<(), SourceError> {
        let family = spec.family;
        let name = key.get_ref().as_str();
        if let Some(index) = family.parameters.iter().position(|one| one.name == name) {
            let Value::Number(given) = value.get_ref() else {
                return Err(expected("a number", value));
            };
            check_value(
                &family.parameters[index],
                *given,
                &value.span(),
                self.problem,
            )?;
            spec.given[index] = Some(*given);
        } else if let Some(index) = family.choices.iter().position(|one| one.name == name) {
            spec.choices[index] = self.option(&family, index, key, value)?;
        } else if name == "base" && family.has_base {
            let Value::Table(Block(entries)) = value.get_ref() else {
                return Err(expected("a table, as in `base = { tree = {} }`", value));
            };
            let entries: Vec<KeyValue> = entries.iter().map(|(key, value)| (key, value)).collect();
            spec.base = Some(Box::new(self.read(&entries, &value.span(), &[])?));
        } else {
            let message = format!("`{}` has no `{name}`", family.name);
            return Err(SourceError::new(key.span(), message)
                .label("unknown key")
                .help(match family.keys().next() {
                    Some(_) => did_you_mean(name, family.keys()),
                    None => format!("write `{} = {{}}`: it has no keys", family.name),
                }));
        }
        Ok(())
    }

    /// Which option of a choice is given.
    fn option(
        &self,
        family: &Family,
        index: usize,
        key: &Spanned<String>,
        value: &Spanned<Value>,
    ) -> Result<usize, SourceError> {
        let of = &family.choices[index];
        if of.classes_only && self.problem.classes() == 0 {
            let message = format!("`{}` is for classes, but the labels are numbers", of.name);
            return Err(SourceError::new(key.span(), message));
        }
        let options = || choice(of.options.iter().copied());
        let word = match value.get_ref() {
            Value::Text(word) => word.as_str(),
            Value::Bool(true) => "true",
            Value::Bool(false) => "false",
            _ => return Err(expected(&options(), value)),
        };
        of.option(word).map_err(|_| {
            SourceError::new(value.span(), format!("`{word}` is not known here"))
                .help(format!("expected {}", options()))
        })
    }
}

/// Checks the value of a parameter, given or swept, against its range for the problem's data.
pub fn check_value(
    parameter: &Parameter,
    value: f64,
    span: &Range<usize>,
    problem: &Problem,
) -> Result<(), SourceError> {
    let size = DataSize {
        train: problem.train,
        dimension: problem.dimension,
    };
    let checked = parameter.check(value, size);
    checked.map_err(|error| SourceError::new(span.clone(), error.to_string()))
}
