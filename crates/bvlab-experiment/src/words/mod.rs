//! Words that a run completes: references to its numbers, expressions, templates and claims.
//!
//! A text is checked here against what the run will have: its learners, axes, columns and variants.
//! The numbers are put in by `bvlab-outcome`, once they are known.

mod ballot;
mod claim;
mod expression;
mod parser;
mod quantity;
mod reference;
mod scope;
mod template;

pub use ballot::{Ballot, GuessedAxis};
pub use claim::{Claim, Statement};
pub use expression::Formula;
pub use quantity::{ColumnErrors, quantities};
pub use reference::{HeldAxis, Reference, Referent, SelectionPlace, SettingPlace};
pub use scope::Scope;
pub use template::{NumberStyle, Piece, Template};

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::figure::Figure;
use super::raw::{Block, RawClaim, RawExperiment, Value};
use super::source::{Source, SourceError};
use bvlab_core::words::printable;

/// The most claims of an experiment.
const MOST_CLAIMS: usize = 100;

/// The keys of figures whose texts may have numbers in them.
const FIGURE_TEXTS: [&str; 2] = ["title", "text"];

/// The key of a table whose texts may have numbers in them: the headings of panels.
const PANEL_TITLES: &str = "titles";

/// What an experiment says to people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExperimentText {
    /// The heading of its figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to look for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look_for: Option<String>,
    /// A question for the class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// What a class can choose from as its answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

/// What an experiment says to people, with the places of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    /// The heading of its figures.
    pub title: Option<Template>,
    /// What to look for.
    pub look_for: Option<Template>,
    /// A question for the class.
    pub question: Option<Template>,
    /// Its answer.
    pub answer: Option<Template>,
    /// How a class answers.
    pub ballot: Ballot,
    /// Titles and notes of figures, by the text as it is written.
    pub figures: BTreeMap<String, Template>,
}

impl Texts {
    /// Reads all texts of an experiment.
    pub(super) fn read(
        raw: &RawExperiment,
        source: &Source,
        scope: &Scope,
    ) -> Result<Self, SourceError> {
        let read = |text: &Option<Spanned<String>>| {
            let read = |text: &Spanned<String>| template(text, text.get_ref(), source, scope);
            text.as_ref().map(read).transpose()
        };
        // A title is one line.
        let title = raw.title.as_ref().map(|title| {
            let line = title.get_ref().replace(char::is_control, " ");
            template(title, &printable(&line), source, scope)
        });
        let mut figures = BTreeMap::new();
        for figure in &raw.figure {
            for (text, span) in figure_texts(&figure.get_ref().0) {
                let spanned = Spanned::new(span, text.clone());
                // As figures have it: some keep control characters, others do not.
                let shown = printable(&text).into_owned();
                let line = text.replace(char::is_control, " ");
                for text in [text, shown, line] {
                    let found = template(&spanned, &text, source, scope)?;
                    figures.insert(text, found);
                }
            }
        }
        Ok(Texts {
            title: title.transpose()?,
            look_for: read(&raw.look_for)?,
            question: read(&raw.question)?,
            answer: read(&raw.answer)?,
            ballot: Ballot::read(raw, source, scope)?,
            figures,
        })
    }

    /// All texts.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let words = [&self.title, &self.look_for, &self.question, &self.answer];
        let words = words.into_iter().flatten();
        words
            .chain(&self.ballot.choices)
            .chain(self.figures.values())
    }

    /// The words with something in the place of every number.
    pub fn words(&self, mut number: impl FnMut(&Formula, NumberStyle) -> String) -> ExperimentText {
        let choices = self.ballot.choices.iter();
        let choices = choices.map(|choice| choice.with(&mut number)).collect();
        let mut with = |text: &Option<Template>| text.as_ref().map(|text| text.with(&mut number));
        ExperimentText {
            title: with(&self.title),
            look_for: with(&self.look_for),
            question: with(&self.question),
            answer: with(&self.answer),
            choices,
        }
    }

    /// Figures with something in the place of every number in their texts.
    pub fn figures(
        &self,
        figures: &[Figure],
        mut number: impl FnMut(&Formula, NumberStyle) -> String,
    ) -> Vec<Figure> {
        let mut finished = |text: &str| match self.figures.get(text) {
            Some(template) => template.with(&mut number),
            None => text.to_owned(),
        };
        let figures = figures.iter();
        figures
            .map(|figure| figure.with_texts(&mut finished))
            .collect()
    }
}

/// The texts of a figure and of its parts, with their places.
fn figure_texts(block: &Block) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    let mut waiting = vec![(block, false)];
    while let Some((Block(entries), titles)) = waiting.pop() {
        for (key, value) in entries {
            let key = key.get_ref().as_str();
            match value.get_ref() {
                Value::Text(text) if titles || FIGURE_TEXTS.contains(&key) => {
                    found.push((text.clone(), value.span()));
                }
                Value::Table(inner) => waiting.push((inner, key == PANEL_TITLES)),
                Value::List(items) => {
                    waiting.extend(items.iter().filter_map(|item| match item.get_ref() {
                        Value::Table(inner) => Some((inner, false)),
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
    }
    found
}

fn template(
    spanned: &Spanned<String>,
    text: &str,
    source: &Source,
    scope: &Scope,
) -> Result<Template, SourceError> {
    template::read(text, scope).map_err(|flaw| trouble(flaw, spanned, text, source))
}

/// Reads the claims of an experiment.
pub(super) fn read_claims(
    raw: &[Spanned<RawClaim>],
    source: &Source,
    scope: &Scope,
) -> Result<Vec<Claim>, SourceError> {
    if let Some(claim) = raw.get(MOST_CLAIMS) {
        let message = format!("there can be at most {MOST_CLAIMS} claims");
        return Err(SourceError::new(claim.span(), message));
    }
    raw.iter()
        .map(|raw| read_claim(raw, source, scope))
        .collect()
}

fn read_claim(
    spanned: &Spanned<RawClaim>,
    source: &Source,
    scope: &Scope,
) -> Result<Claim, SourceError> {
    let raw = spanned.get_ref();
    let published = raw.published.as_ref();
    let se = raw.published_se.as_ref();
    if let (None, Some(place)) = (published, se.map(Spanned::span)) {
        let message = "`published-se` goes with `published`";
        return Err(SourceError::new(place, message));
    }
    if let (Some(published), None) = (published, &raw.source) {
        let message = "a published value needs its `source`";
        return Err(SourceError::new(published.span(), message)
            .help("as in `source = \"scikit-learn, plot_bias_variance\"`"));
    }
    for number in published.into_iter().chain(se) {
        if !number.get_ref().0.is_finite() {
            return Err(SourceError::new(number.span(), "expected a finite number"));
        }
    }
    if let Some(se) = se.filter(|se| se.get_ref().0 < 0.0) {
        return Err(SourceError::new(
            se.span(),
            "a standard error is at least 0",
        ));
    }
    let published = published.map(|published| claim::Published {
        value: published.get_ref().0,
        digits: source.slice(published.span()).to_owned(),
        se: se.map(|se| se.get_ref().0),
    });
    let text = raw.that.get_ref();
    let statement = claim::claim(text, scope, published.as_ref());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(Claim {
        text: printable(&words).into_owned(),
        statement: statement.map_err(|flaw| trouble(flaw, &raw.that, text, source))?,
        source: raw.source.clone(),
    })
}

/// Reads one expression, as `bvlab value` takes it.
///
/// # Errors
///
/// What is wrong with it, and what to do.
pub fn read_formula(text: &str, scope: &Scope) -> Result<Formula, (String, Option<String>)> {
    let read = || {
        let mut parser = parser::Parser::new(text, 0, scope);
        let formula = parser.formula()?;
        match parser.is_at_end() {
            true => Ok(formula),
            false => Err(parser.unexpected("the expression should end here")),
        }
    };
    read().map_err(|flaw: parser::Flaw| (flaw.message, flaw.help))
}

/// A flaw in a text of the experiment, at its place in the file.
fn trouble(
    flaw: parser::Flaw,
    spanned: &Spanned<String>,
    text: &str,
    source: &Source,
) -> SourceError {
    let span = place(
        flaw.span,
        spanned.span(),
        text,
        source.slice(spanned.span()),
    );
    let trouble = SourceError::new(span, flaw.message);
    match flaw.help {
        Some(help) => trouble.help(help),
        None => trouble,
    }
}

/// Where a part of a text stands in the file. A string is the file's text between quotes, unless
/// something in it is escaped; then the part is looked for.
fn place(part: Range<usize>, whole: Range<usize>, text: &str, written: &str) -> Range<usize> {
    let token = text.get(part.clone()).unwrap_or("");
    let starts = [1, 3, 4, 5, 0]
        .into_iter()
        .map(|quotes| quotes + part.start);
    let mut starts =
        starts.filter(|start| written.get(*start..*start + token.len()) == Some(token));
    let found = match token.is_empty() {
        true => None,
        false => starts.next().or_else(|| written.find(token)),
    };
    match found {
        Some(start) => whole.start + start..whole.start + start + token.len(),
        None => whole,
    }
}
