//! Errors that point into the text of an experiment.

use std::ops::Range;

use miette::{Diagnostic, SourceSpan};

use crate::excerpt::Excerpt;
use bvlab_core::words::{did_you_mean, quoted, shortened};

/// What a key that was set on top of a text is called.
pub(super) const SET: &str = "--set";

/// Something wrong with an experiment: shows the file, the line and the token.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
pub struct ExperimentError {
    pub(super) message: String,
    #[help]
    pub(super) help: Option<String>,
    #[source_code]
    pub(super) excerpt: Excerpt,
    #[label("{label}")]
    pub(super) span: SourceSpan,
    pub(super) label: String,
    pub(super) token: String,
}

impl ExperimentError {
    /// What is wrong, in a sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The line that it is in, counted from 1; `None` if a key that was set on top of the text is
    /// to blame.
    pub fn line(&self) -> Option<usize> {
        (self.excerpt.name != SET).then_some(1 + self.excerpt.line)
    }

    /// The token that is to blame.
    pub fn token(&self) -> &str {
        &self.token
    }
}

/// Something wrong at a place of the text, before it is known which file that is.
#[derive(Clone, Debug)]
pub struct SourceError {
    pub message: String,
    pub label: String,
    pub help: Option<String>,
    pub span: Range<usize>,
}

impl SourceError {
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        SourceError {
            message: message.into(),
            label: "here".to_owned(),
            help: None,
            span,
        }
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Serde's words in ours.
pub(super) fn from_serde(error: toml::de::Error) -> SourceError {
    let span = error.span().unwrap_or(0..0);
    let message = error.message();
    // The way in which a date reaches serde is nobody's business.
    if message.contains("__toml_private_datetime") {
        return SourceError::new(span, "a date or a time is not allowed here");
    }
    let between: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match (message, between.split_first()) {
        (text, Some((name, known))) if text.starts_with("unknown field") => {
            SourceError::new(span, format!("{} is not known here", quoted(name)))
                .label("unknown key")
                .help(did_you_mean(name, known.iter().copied()))
        }
        (text, Some((name, known))) if text.starts_with("unknown variant") => {
            SourceError::new(span, format!("{} is not known here", quoted(name)))
                .help(did_you_mean(name, known.iter().copied()))
        }
        (text, Some((name, _))) if text.starts_with("missing field") => {
            SourceError::new(span, format!("`{name}` is missing"))
                .label("from this table")
                .help("`bvlab new NAME` writes an example with every key")
        }
        (text, _) => match text.split_once(", expected ") {
            Some((found, expected)) => {
                let found = found.strip_prefix("invalid type: ").unwrap_or(found);
                let found = found.strip_prefix("invalid value: ").unwrap_or(found);
                let plain = |words: &str| match words {
                    "a sequence" => "a list, as in [\"a\", \"b\"]".to_owned(),
                    "map" => "table".to_owned(),
                    "sequence" => "list".to_owned(),
                    other => other.to_owned(),
                };
                SourceError::new(span, format!("expected {}", plain(expected)))
                    .label(format!("this is {}", article(&plain(&shortened(found)))))
            }
            None => SourceError::new(span, first_upper(text)),
        },
    }
}

fn article(noun: &str) -> String {
    let an = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if an { "an" } else { "a" })
}

pub(super) fn first_upper(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}
