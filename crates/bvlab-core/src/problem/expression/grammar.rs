//! From text to a syntax tree, or to an error that points.

use std::ops::Range;

use winnow::combinator::{
    Infix, Prefix, alt, cut_err, delimited, expression, fail, opt, preceded, repeat, separated,
};
use winnow::error::{ContextError, ErrMode};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{any, one_of, take_while};

use super::ExpressionError;
use super::functions::{
    ABOVE, AT_LEAST, AT_MOST, BELOW, BinaryFunction, FUNCTIONS, FUNCTIONS_OF_TWO, MINUS, OVER,
    PLUS, POWER, TIMES,
};

/// The most levels of an expression: brackets within brackets, signs before signs and powers of powers.
/// The parser calls itself once or twice for each.
pub(super) const DEEPEST: usize = 100;

#[derive(Clone, Debug)]
pub(super) enum SyntaxTree {
    Number(f64),
    Name(String, Range<usize>),
    Call(String, Range<usize>, Vec<SyntaxTree>),
    Operator(&'static BinaryFunction, Box<[SyntaxTree; 2]>),
    Negative(Box<SyntaxTree>),
}

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Result<SyntaxTree, ExpressionError> {
    if let Some(at) = too_deep(text) {
        return Err(ExpressionError {
            message: format!("the expression is nested more than {DEEPEST} levels deep"),
            help: Some("remove unnecessary brackets and signs".to_owned()),
            span: at..at + 1,
        });
    }
    whole
        .parse(LocatingSlice::new(text))
        .map_err(|error| syntax_error(text, error.offset()))
}

/// What is wrong at the place where the parser stopped.
fn syntax_error(text: &str, offset: usize) -> ExpressionError {
    let rest = &text[offset..];
    let skipped = rest.len() - rest.trim_start().len();
    let start = offset + skipped;
    match text[start..].chars().next() {
        None => ExpressionError {
            message: "the expression ends too early".to_owned(),
            help: Some("a number, an input, a function or a closing bracket is missing".to_owned()),
            span: text.char_indices().next_back().map_or(0, |(last, _)| last)..text.len(),
        },
        Some(found) => {
            let help = if "<>".contains(found) {
                "comparisons cannot be chained: write `(0 < x)*(x < 5)`"
            } else if "&|=!".contains(found) {
                "conditions are numbers: `(x > 1)*(x < 5)` is 1 where both hold"
            } else if let Some(function) = function_before(&text[..start]) {
                return ExpressionError {
                    message: format!("`{function}` needs brackets"),
                    help: Some(format!("write `{function}(…)`")),
                    span: start..start + found.len_utf8(),
                };
            } else if found.is_alphabetic() || found == '(' {
                "between two factors write `*`: `2*x`, not `2x`"
            } else {
                "expected a number, an input, a function, an operator or a bracket"
            };
            ExpressionError {
                message: format!("`{found}` does not belong here"),
                help: Some(help.to_owned()),
                span: start..start + found.len_utf8(),
            }
        }
    }
}

/// Where a text exceeds [`DEEPEST`] levels; it need not be a valid expression. The count is never below
/// the parser's own depth, except that a sign within a number such as `1e-5` counts as a difference.
fn too_deep(text: &str) -> Option<usize> {
    // By open bracket: the signs and powers since the last operator that ends them. `depth` is their
    // total plus the number of brackets.
    let mut open = vec![0];
    let mut depth = 0;
    let mut after_operand = false;
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let [before, next] = [at.wrapping_sub(1), at + 1].map(|i| bytes.get(i).copied());
        let bracketed = open.len() > 1;
        let level = open.last_mut().expect("there is one outside all brackets");
        match byte {
            b'(' => {
                depth += 1;
                open.push(0);
            }
            b')' if bracketed => depth -= 1 + open.pop().unwrap_or(0),
            // The second half of `**`.
            b'*' if before == Some(b'*') => {}
            b'*' | b'^' if byte == b'^' || next == Some(b'*') => {
                depth += 1;
                *level += 1;
            }
            b'+' | b'-' if !after_operand => {
                depth += 1;
                *level += 1;
            }
            b'+' | b'-' | b'*' | b'/' | b'<' | b'>' | b'=' | b',' => {
                depth -= *level;
                *level = 0;
            }
            _ => {}
        }
        if depth > DEEPEST {
            return Some(at);
        }
        if !byte.is_ascii_whitespace() {
            after_operand = !b"(^+-*/<>=,".contains(&byte);
        }
    }
    None
}

/// The function whose name the text ends with.
fn function_before(text: &str) -> Option<&'static str> {
    let plain = |c: char| c.is_alphanumeric() || c == '_';
    let name = text.trim_end().rsplit(|c| !plain(c)).next()?;
    let functions = FUNCTIONS.iter().map(|known| known.name);
    functions
        .chain(FUNCTIONS_OF_TWO.iter().map(|known| known.name))
        .find(|known| *known == name)
}

type Located<'i> = LocatingSlice<&'i str>;
type ParseFailure = ErrMode<ContextError>;

fn whole(input: &mut Located) -> ModalResult<SyntaxTree> {
    (sum, blank).map(|(tree, ())| tree).parse_next(input)
}

fn blank(input: &mut Located) -> ModalResult<()> {
    take_while(0.., char::is_whitespace)
        .void()
        .parse_next(input)
}

fn sum(input: &mut Located) -> ModalResult<SyntaxTree> {
    expression(operand)
        // Below the power and above the product: -x^2 is -(x^2), and 2^-x is 2^(-x).
        .prefix(preceded(blank, one_of(['-', '+'])).map(|sign| {
            if sign == '-' {
                Prefix(25, |_: &mut _, inner| {
                    Ok(SyntaxTree::Negative(Box::new(inner)))
                })
            } else {
                Prefix(25, |_: &mut _, inner| Ok(inner))
            }
        }))
        .infix(preceded(blank, operator))
        .parse_next(input)
}

fn operator<'i>(
    input: &mut Located<'i>,
) -> ModalResult<Infix<Located<'i>, SyntaxTree, ParseFailure>> {
    fn node(
        function: &'static BinaryFunction,
        left: SyntaxTree,
        right: SyntaxTree,
    ) -> Result<SyntaxTree, ParseFailure> {
        Ok(SyntaxTree::Operator(function, Box::new([left, right])))
    }
    let symbol = alt((
        "**",
        "<=",
        ">=",
        one_of(['+', '-', '*', '/', '^', '<', '>']).take(),
    ))
    .parse_next(input)?;
    Ok(match symbol {
        "^" | "**" => Infix::Right(30, |_, a, b| node(&POWER, a, b)),
        "*" => Infix::Left(20, |_, a, b| node(&TIMES, a, b)),
        "/" => Infix::Left(20, |_, a, b| node(&OVER, a, b)),
        "+" => Infix::Left(10, |_, a, b| node(&PLUS, a, b)),
        "-" => Infix::Left(10, |_, a, b| node(&MINUS, a, b)),
        // Not chained: 0 < x < 5 would compare a truth value with 5.
        "<" => Infix::Neither(5, |_, a, b| node(&BELOW, a, b)),
        ">" => Infix::Neither(5, |_, a, b| node(&ABOVE, a, b)),
        "<=" => Infix::Neither(5, |_, a, b| node(&AT_MOST, a, b)),
        ">=" => Infix::Neither(5, |_, a, b| node(&AT_LEAST, a, b)),
        _ => return fail.parse_next(input),
    })
}

fn operand(input: &mut Located) -> ModalResult<SyntaxTree> {
    preceded(blank, alt((number, bracket, name_or_call))).parse_next(input)
}

fn bracket(input: &mut Located) -> ModalResult<SyntaxTree> {
    delimited('(', cut_err(sum), cut_err((blank, ')'))).parse_next(input)
}

fn number(input: &mut Located) -> ModalResult<SyntaxTree> {
    let digits = |least| take_while(least.., |c: char| c.is_ascii_digit());
    let mantissa = alt((
        (digits(1), opt(('.', digits(0)))).void(),
        ('.', digits(1)).void(),
    ));
    let exponent = (one_of(['e', 'E']), opt(one_of(['-', '+'])), digits(1));
    (mantissa, opt(exponent))
        .take()
        .try_map(|text: &str| text.parse().map(SyntaxTree::Number))
        .parse_next(input)
}

fn name_or_call(input: &mut Located) -> ModalResult<SyntaxTree> {
    let start = input.current_token_start();
    let name: String = (
        one_of(|c: char| c.is_alphabetic() || c == '_'),
        repeat::<_, _, (), _, _>(0.., any.verify(|c: &char| c.is_alphanumeric() || *c == '_')),
    )
        .take()
        .map(|text: &str| text.to_owned())
        .parse_next(input)?;
    let span = start..start + name.len();
    let arguments = opt(preceded(
        (blank, '('),
        cut_err((separated(0.., sum, (blank, ',')), blank, ')')),
    ))
    .parse_next(input)?;
    Ok(match arguments {
        Some((arguments, (), _)) => SyntaxTree::Call(name, span, arguments),
        None => SyntaxTree::Name(name, span),
    })
}
