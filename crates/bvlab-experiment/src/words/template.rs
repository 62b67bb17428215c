//! Texts with numbers that a run computes.

use super::expression::Formula;
use super::parser::{Flaw, Parser};
use super::scope::Scope;

/// The most numbers in one text.
const MOST_NUMBERS: usize = 100;

/// A text in which expressions between braces stand for numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    /// What it is made of, in order.
    pub pieces: Vec<Piece>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Text as it stands.
    Text(String),
    /// A number, and how it is written.
    Number(Formula, NumberStyle),
}

/// How a number is written in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumberStyle {
    /// As its error allows.
    #[default]
    Plain,
    /// With so many significant digits at most.
    Digits(usize),
    /// In per cent.
    Percent,
    /// As in "3.1 times".
    Times,
}

impl Template {
    /// The text with something in the place of every number.
    pub fn with(&self, mut number: impl FnMut(&Formula, NumberStyle) -> String) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Number(formula, style) => number(formula, *style),
        });
        pieces.collect()
    }

    /// The text with an ellipsis in the place of every number, for showing it before a run.
    pub fn unrendered(&self) -> String {
        self.with(|_, _| "…".to_owned())
    }

    /// Whether it is the text as it is written: without numbers, and without doubled braces.
    pub fn is_plain(&self) -> bool {
        self.pieces.iter().all(|piece| match piece {
            Piece::Text(text) => !text.contains(['{', '}']),
            Piece::Number(..) => false,
        })
    }

    /// The expressions in it.
    pub fn formulas(&self) -> impl Iterator<Item = &Formula> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Number(formula, _) => Some(formula),
            Piece::Text(_) => None,
        })
    }
}

/// Reads a text with numbers between braces.
pub(super) fn read(text: &str, scope: &Scope) -> Result<Template, Flaw> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let (mut at, mut numbers) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        let end = at + c.len_utf8();
        let doubled = text[end..].starts_with(c);
        match c {
            '{' | '}' if doubled => {
                plain.push(c);
                at = end + 1;
            }
            '}' => {
                return Err(Flaw::new(at..end, "`}` without `{`")
                    .help("write `}}` for a brace in the text"));
            }
            '{' => {
                numbers += 1;
                if numbers > MOST_NUMBERS {
                    let message = format!("a text has at most {MOST_NUMBERS} numbers");
                    return Err(Flaw::new(at..end, message));
                }
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                let mut parser = Parser::new(text, end, scope);
                let formula = parser.formula()?;
                let style = parser.style()?;
                parser.expect('}', "write `}` after the expression, and `{{` for a brace")?;
                pieces.push(Piece::Number(formula, style));
                at = parser.at();
            }
            c => {
                plain.push(c);
                at = end;
            }
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(Template { pieces })
}
