//! From text to expressions and templates, or to a flaw that points.
//!
//! Names of learners may contain almost anything, so that they are not tokens: the parser knows the
//! names that there are, and takes the longest that fits.

mod places;

use std::ops::Range;

use super::expression::{Formula, Function, Node, Operation};
use super::reference::Reference;
use super::scope::Scope;
use super::template::NumberStyle;
use bvlab_core::words::{did_you_mean, quoted};

/// The longest expression or claim, in bytes.
pub(super) const LONGEST: usize = 1000;

/// The most levels of brackets, signs and calls in each other.
const DEEPEST: usize = 50;

/// The most significant digits that can be asked for.
const MOST_DIGITS: usize = 12;

/// What is wrong with a text, and where in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Flaw {
    pub message: String,
    pub help: Option<String>,
    pub span: Range<usize>,
}

impl Flaw {
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Flaw {
            message: message.into(),
            help: None,
            span,
        }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Reads a text from left to right.
pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
    scope: &'a Scope<'a>,
    depth: usize,
    /// How many calls are open, in which a comma separates arguments.
    calls: usize,
    references: Vec<Reference>,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, at: usize, scope: &'a Scope<'a>) -> Self {
        Parser {
            text,
            at,
            scope,
            depth: 0,
            calls: 0,
            references: Vec::new(),
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes a text that comes next, blanks before it left out.
    pub fn take(&mut self, expected: &str) -> bool {
        self.blank();
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    /// Takes a word that comes next and ends there.
    pub fn take_word(&mut self, expected: &str) -> bool {
        self.blank();
        let after = self.rest().strip_prefix(expected);
        let ends = after.is_some_and(|after| !after.starts_with(is_name_char));
        if ends {
            self.at += expected.len();
        }
        ends
    }

    pub fn expect(&mut self, expected: char, help: &str) -> Result<(), Flaw> {
        self.blank();
        match self.peek() {
            Some(found) if found == expected => {
                self.at += found.len_utf8();
                Ok(())
            }
            _ => Err(self.unexpected(help)),
        }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn is_at_end(&mut self) -> bool {
        self.blank();
        self.rest().is_empty()
    }

    /// What comes next does not belong there.
    pub fn unexpected(&mut self, help: &str) -> Flaw {
        self.blank();
        match self.peek() {
            None => {
                let last = self.text.char_indices().next_back();
                let start = last.map_or(0, |(start, _)| start);
                Flaw::new(start..self.text.len(), "the text ends too early").help(help)
            }
            Some(found) => {
                let span = self.at..self.at + found.len_utf8();
                Flaw::new(span, format!("`{found}` does not belong here")).help(help)
            }
        }
    }

    /// An expression, up to whatever cannot be part of one.
    pub fn formula(&mut self) -> Result<Formula, Flaw> {
        self.blank();
        let start = self.at;
        self.references = Vec::new();
        let node = self.sum()?;
        let text = self.text[start..self.at].trim();
        if text.len() > LONGEST {
            let message = format!("an expression has at most {LONGEST} bytes");
            return Err(Flaw::new(start..self.at, message));
        }
        Ok(Formula {
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            references: std::mem::take(&mut self.references),
            node,
        })
    }

    /// How a number is to be written, after a bar.
    pub fn style(&mut self) -> Result<NumberStyle, Flaw> {
        if !self.take("|") {
            return Ok(NumberStyle::Plain);
        }
        self.blank();
        let start = self.at;
        let word: String = self
            .rest()
            .chars()
            .take_while(|c| is_name_char(*c))
            .collect();
        self.at += word.len();
        let help = "expected `percent`, `times` or a number of significant digits";
        match (word.as_str(), word.parse::<usize>()) {
            ("percent", _) => Ok(NumberStyle::Percent),
            ("times", _) => Ok(NumberStyle::Times),
            (_, Ok(digits)) if (1..=MOST_DIGITS).contains(&digits) => {
                Ok(NumberStyle::Digits(digits))
            }
            (_, Ok(_)) => {
                let message = format!("between 1 and {MOST_DIGITS} digits can be asked for");
                Err(Flaw::new(start..self.at, message))
            }
            ("", _) => Err(self.unexpected(help)),
            (word, _) => {
                let message = format!("{} is no way to write a number", quoted(word));
                Err(Flaw::new(start..self.at, message).help(help))
            }
        }
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Flaw>) -> Result<T, Flaw> {
        if self.depth == DEEPEST {
            let message = format!("the expression is nested more than {DEEPEST} levels deep");
            let end = self.peek().map_or(0, char::len_utf8);
            return Err(Flaw::new(self.at..self.at + end, message)
                .help("remove unnecessary brackets and signs"));
        }
        self.depth += 1;
        let found = inner(self);
        self.depth -= 1;
        found
    }

    fn sum(&mut self) -> Result<Node, Flaw> {
        let signs = [('+', Operation::Plus), ('-', Operation::Minus)];
        self.chain(&signs, Self::product)
    }

    fn product(&mut self) -> Result<Node, Flaw> {
        let signs = [('*', Operation::Times), ('/', Operation::Over)];
        self.chain(&signs, Self::operand)
    }

    /// Operands joined by operators of one rank, from left to right.
    fn chain(
        &mut self,
        signs: &[(char, Operation)],
        operand: fn(&mut Self) -> Result<Node, Flaw>,
    ) -> Result<Node, Flaw> {
        let mut left = operand(self)?;
        let mut length = 0;
        loop {
            let before = self.at;
            self.blank();
            let sign = signs.iter().find(|(sign, _)| self.peek() == Some(*sign));
            let Some((sign, operation)) = sign else {
                self.at = before;
                return Ok(left);
            };
            // The tree of a long chain is as deep as the chain is long.
            length += 1;
            if length > LONGEST / 4 {
                return Err(self.unexpected("the expression is too long"));
            }
            self.at += sign.len_utf8();
            let right = operand(self)?;
            left = Node::Operation(*operation, Box::new([left, right]));
        }
    }

    fn operand(&mut self) -> Result<Node, Flaw> {
        self.blank();
        match self.peek() {
            Some('(') => self.deeper(|parser| {
                parser.at += 1;
                let calls = std::mem::take(&mut parser.calls);
                let inner = parser.sum()?;
                parser.calls = calls;
                parser.expect(')', "close the bracket")?;
                Ok(inner)
            }),
            Some('-') => self.deeper(|parser| {
                parser.at += 1;
                Ok(Node::Negative(Box::new(parser.operand()?)))
            }),
            Some('+') => self.deeper(|parser| {
                parser.at += 1;
                parser.operand()
            }),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number().map(Node::Number),
            Some(c) if c == '"' || is_name_char(c) => self.call_or_reference(),
            _ => Err(self.unexpected(
                "expected a number, a reference such as `risk@depth=5`, a function or a bracket",
            )),
        }
    }

    /// A number without a sign.
    fn number(&mut self) -> Result<f64, Flaw> {
        let length = number_length(self.rest());
        let span = self.at..self.at + length.max(1);
        let value = self.rest()[..length].parse::<f64>();
        match value.ok().filter(|value| value.is_finite()) {
            Some(value) => {
                self.at += length;
                Ok(value)
            }
            None => Err(Flaw::new(span, "this is not a number").help("as in 0.5 or 1e-3")),
        }
    }

    /// A number that may have a sign.
    pub fn signed(&mut self) -> Result<f64, Flaw> {
        let sign = match self.take("-") {
            true => -1.0,
            false => 1.0,
        };
        self.blank();
        match self.peek() {
            Some(c) if c.is_ascii_digit() || c == '.' => Ok(sign * self.number()?),
            _ => Err(self.unexpected("expected a number")),
        }
    }

    fn call_or_reference(&mut self) -> Result<Node, Flaw> {
        let word = self.word();
        let function = Function::ALL.iter().find(|(name, ..)| *name == word);
        let after = self.rest()[word.len()..].trim_start();
        if let (Some((name, function, count)), true) = (function, after.starts_with('(')) {
            return self.deeper(|parser| parser.call(name, *function, *count));
        }
        if after.starts_with('(') && !word.is_empty() {
            let names = Function::ALL.iter().map(|(name, ..)| *name);
            let message = format!("no function is called {}", quoted(word));
            let span = self.at..self.at + word.len();
            return Err(Flaw::new(span, message).help(did_you_mean(word, names)));
        }
        let reference = self.reference()?;
        let same = |known: &Reference| known.run == reference.run && known.what == reference.what;
        let which = match self.references.iter().position(same) {
            Some(which) => which,
            None => {
                self.references.push(reference);
                self.references.len() - 1
            }
        };
        Ok(Node::Reference(which))
    }

    fn call(&mut self, name: &str, function: Function, count: usize) -> Result<Node, Flaw> {
        let start = self.at;
        self.at += name.len();
        self.expect('(', "open the bracket")?;
        self.calls += 1;
        let mut arguments = vec![self.sum()?];
        while self.take(",") {
            arguments.push(self.sum()?);
            if arguments.len() > count {
                break;
            }
        }
        self.calls -= 1;
        if arguments.len() != count {
            let plural = if count == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {count} argument{plural}");
            return Err(Flaw::new(start..self.at, message));
        }
        self.expect(')', "close the bracket")?;
        Ok(Node::Call(function, arguments))
    }

    /// The name that comes next: letters, digits, `_`, and dots and dashes within.
    fn word(&self) -> &'a str {
        let rest = self.rest();
        let mut end = 0;
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            let within = ".-".contains(c) && at > 0 && next.is_some_and(is_name_char);
            if !is_name_char(c) && !within {
                break;
            }
            end = at + c.len_utf8();
        }
        &rest[..end]
    }

    /// A name in double quotes.
    fn quoted_name(&mut self) -> Result<Option<String>, Flaw> {
        let Some(inner) = self.rest().strip_prefix('"') else {
            return Ok(None);
        };
        match inner.find('"') {
            Some(length) => {
                self.at += length + 2;
                Ok(Some(inner[..length].to_owned()))
            }
            None => {
                let span = self.at..self.at + 1;
                Err(Flaw::new(span, "this quote is not closed"))
            }
        }
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '²'
}

/// How many bytes of a text are a number without a sign: `4..6` begins with the number 4.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or(&[]);
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'-' | b'+')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}
