//! Arithmetic in x: `sin(x)`, `exp(-x^2) + 1.5*exp(-(x-2)^2)`, `x1*x2`, `0.1 + 0.2*(x > 3)`.
//!
//! The grammar is read with winnow's precedence parser. The ready-made evaluators were weighed
//! first: exmex reads `-x^2` as `(-x)^2`, which would silently turn `exp(-x^2)` into a function
//! that explodes; evalexpr's licence does not fit; meval and fasteval are no longer kept. None of
//! them tells where in the text an error is.

use std::ops::Range;

use winnow::combinator::{
    Infix, Prefix, alt, cut_err, delimited, expression, fail, opt, preceded, repeat, separated,
};
use winnow::error::{ContextError, ErrMode};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{any, one_of, take_while};

use crate::data::Points;
use crate::maths;

/// The longest expression that is read, in bytes.
pub const LONGEST: usize = 1000;

/// The most levels of an expression: brackets within brackets, signs before signs and powers of powers.
/// The parser calls itself once or twice for each.
const DEEPEST: usize = 100;

/// How many points [`Expression::at_all`] takes at a time.
const BLOCK: usize = 64;

/// A function of x, read from text and ready to be evaluated.
///
/// ```
/// use bvlab_core::problem::Expression;
/// let f = Expression::parse("exp(-x^2)", 1).unwrap();
/// assert_eq!(f.at(&[2.0]), bvlab_core::maths::exp(-4.0));
/// ```
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    steps: Vec<Step>,
    stack: usize,
}

/// Why a text is not an expression, and which part of it is to blame.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The bytes of the text that are to blame.
    pub span: Range<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Number(f64),
    Input(usize),
    One(&'static OfOne),
    Two(&'static OfTwo),
}

#[derive(Clone, Debug)]
enum Tree {
    Number(f64),
    Name(String, Range<usize>),
    Call(String, Range<usize>, Vec<Tree>),
    Operator(&'static OfTwo, Box<[Tree; 2]>),
    Negative(Box<Tree>),
}

const CONSTANTS: [(&str, f64); 4] = [
    ("pi", std::f64::consts::PI),
    ("π", std::f64::consts::PI),
    ("tau", std::f64::consts::TAU),
    ("e", std::f64::consts::E),
];

/// A function of one number.
#[derive(Debug)]
struct OfOne {
    name: &'static str,
    at: fn(f64) -> f64,
    /// Replaces every number by its value, with the bits of `at`.
    all: fn(&mut [f64]),
}

/// A function of two numbers, or an operator.
#[derive(Debug)]
struct OfTwo {
    name: &'static str,
    at: fn(f64, f64) -> f64,
    /// Replaces every number of the first slice by its value with that of the second.
    all: fn(&mut [f64], &[f64]),
}

macro_rules! of_one {
    ($name:literal, $function:expr) => {
        of_one!($name, $function, |numbers| numbers
            .iter_mut()
            .for_each(|x| *x = $function(*x)))
    };
    ($name:literal, $function:expr, $all:expr) => {
        OfOne {
            name: $name,
            at: $function,
            all: $all,
        }
    };
}

macro_rules! of_two {
    ($name:literal, $function:expr) => {
        OfTwo {
            name: $name,
            at: $function,
            all: |numbers, others| {
                for (a, b) in numbers.iter_mut().zip(others) {
                    *a = $function(*a, *b);
                }
            },
        }
    };
}

static FUNCTIONS: [OfOne; 19] = [
    of_one!("sin", maths::sin, maths::sin_all),
    of_one!("cos", maths::cos, maths::cos_all),
    of_one!("tan", maths::tan),
    of_one!("asin", maths::asin),
    of_one!("acos", maths::acos),
    of_one!("atan", maths::atan),
    of_one!("sinh", maths::sinh),
    of_one!("cosh", maths::cosh),
    of_one!("tanh", maths::tanh),
    of_one!("exp", maths::exp, maths::exp_all),
    of_one!("ln", maths::ln),
    of_one!("log10", maths::log10),
    of_one!("log2", maths::log2),
    of_one!("sqrt", f64::sqrt),
    of_one!("abs", f64::abs),
    of_one!("sign", sign),
    of_one!("floor", f64::floor),
    of_one!("ceil", f64::ceil),
    of_one!("round", f64::round),
];

static NEGATIVE: OfOne = of_one!("-", |x: f64| -x);

static FUNCTIONS_OF_TWO: [OfTwo; 3] = [
    // Unlike the standard library's, these do not hide a NaN, and which zero they choose does not
    // depend on the processor.
    of_two!("min", |a: f64, b: f64| if a.is_nan() || a < b {
        a
    } else {
        b
    }),
    of_two!("max", |a: f64, b: f64| if a.is_nan() || a > b {
        a
    } else {
        b
    }),
    of_two!("atan2", maths::atan2),
];

static POWER: OfTwo = of_two!("^", maths::pow);
static TIMES: OfTwo = of_two!("*", |a: f64, b: f64| a * b);
static OVER: OfTwo = of_two!("/", |a: f64, b: f64| a / b);
static PLUS: OfTwo = of_two!("+", |a: f64, b: f64| a + b);
static MINUS: OfTwo = of_two!("-", |a: f64, b: f64| a - b);
static BELOW: OfTwo = of_two!("<", |a: f64, b: f64| both(a, b, a < b));
static ABOVE: OfTwo = of_two!(">", |a: f64, b: f64| both(a, b, a > b));
static AT_MOST: OfTwo = of_two!("<=", |a: f64, b: f64| both(a, b, a <= b));
static AT_LEAST: OfTwo = of_two!(">=", |a: f64, b: f64| both(a, b, a >= b));

fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// 1 or 0 for a comparison, NaN where a side is not a number.
fn both(a: f64, b: f64, holds: bool) -> f64 {
    match a.is_nan() || b.is_nan() {
        true => f64::NAN,
        false => f64::from(holds),
    }
}

impl Expression {
    /// Reads an expression in `dimension` inputs: `x` in one dimension, `x1`, `x2`, … in several
    /// (`x1` is understood in one dimension too).
    ///
    /// # Errors
    ///
    /// Says what is wrong and where: a character that does not belong, an unknown name, a function
    /// with the wrong number of arguments, or a text longer than [`LONGEST`].
    pub fn parse(text: &str, dimension: usize) -> Result<Self, ExpressionError> {
        if text.len() > LONGEST {
            return Err(ExpressionError {
                message: format!("the expression is longer than {LONGEST} characters"),
                help: None,
                span: 0..text.len(),
            });
        }
        if let Some(place) = too_deep(text) {
            return Err(ExpressionError {
                message: format!("the expression is nested in more than {DEEPEST} levels"),
                help: Some("leave out brackets and signs that change nothing".to_owned()),
                span: place..place + 1,
            });
        }
        let tree = whole
            .parse(LocatingSlice::new(text))
            .map_err(|error| complaint(text, error.offset()))?;
        let mut expression = Expression {
            text: text.to_owned(),
            steps: Vec::new(),
            stack: 0,
        };
        expression.compile(&tree, dimension, 0)?;
        Ok(expression)
    }

    /// The same number everywhere.
    pub fn constant(value: f64) -> Self {
        Expression {
            text: value.to_string(),
            steps: vec![Step::Number(value)],
            stack: 1,
        }
    }

    /// Whether it is the same everywhere.
    pub fn is_constant(&self) -> bool {
        !self.steps.iter().any(|step| matches!(step, Step::Input(_)))
    }

    /// How many coordinates an input must have for it.
    pub fn dimension(&self) -> usize {
        let inputs = self.steps.iter().map(|step| match step {
            Step::Input(index) => index + 1,
            _ => 0,
        });
        inputs.max().unwrap_or(0)
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value at one point.
    pub fn at(&self, x: &[f64]) -> f64 {
        let mut small = [0.0; 16];
        let mut large;
        let stack: &mut [f64] = if self.stack <= small.len() {
            &mut small
        } else {
            large = vec![0.0; self.stack];
            &mut large
        };
        let mut top = 0;
        for step in &self.steps {
            match *step {
                Step::Number(value) => {
                    stack[top] = value;
                    top += 1;
                }
                Step::Input(index) => {
                    stack[top] = x[index];
                    top += 1;
                }
                Step::One(function) => stack[top - 1] = (function.at)(stack[top - 1]),
                Step::Two(function) => {
                    top -= 1;
                    stack[top - 1] = (function.at)(stack[top - 1], stack[top]);
                }
            }
        }
        stack[0]
    }

    /// Calls `tell` with the index of every point and the value there, which has the bits of
    /// [`Expression::at`]. Step by step for a block of points at a time, which is faster than point
    /// by point.
    pub fn at_all(&self, points: &Points, mut tell: impl FnMut(usize, f64)) {
        let mut small = [[0.0; BLOCK]; 4];
        let mut large;
        let stack: &mut [[f64; BLOCK]] = if self.stack <= small.len() {
            &mut small
        } else {
            large = vec![[0.0; BLOCK]; self.stack];
            &mut large
        };
        let dimension = points.dimension();
        for (block, coordinates) in points.values().chunks(BLOCK * dimension).enumerate() {
            let length = coordinates.len() / dimension;
            let mut top = 0;
            for step in &self.steps {
                match *step {
                    Step::Number(value) => {
                        stack[top][..length].fill(value);
                        top += 1;
                    }
                    Step::Input(index) => {
                        let inputs = coordinates.iter().skip(index).step_by(dimension);
                        for (place, input) in stack[top].iter_mut().zip(inputs) {
                            *place = *input;
                        }
                        top += 1;
                    }
                    Step::One(function) => (function.all)(&mut stack[top - 1][..length]),
                    Step::Two(function) => {
                        top -= 1;
                        let (below, above) = stack.split_at_mut(top);
                        (function.all)(&mut below[top - 1][..length], &above[0][..length]);
                    }
                }
            }
            for (value, i) in stack[0][..length].iter().zip(block * BLOCK..) {
                tell(i, *value);
            }
        }
    }

    fn compile(
        &mut self,
        tree: &Tree,
        dimension: usize,
        depth: usize,
    ) -> Result<(), ExpressionError> {
        match tree {
            Tree::Number(value) => self.steps.push(Step::Number(*value)),
            Tree::Name(name, span) => {
                let step =
                    resolve(name, dimension).ok_or_else(|| unknown(name, span, dimension))?;
                self.steps.push(step);
            }
            Tree::Negative(inner) => {
                self.compile(inner, dimension, depth)?;
                self.steps.push(Step::One(&NEGATIVE));
            }
            Tree::Operator(function, sides) => {
                self.compile(&sides[0], dimension, depth)?;
                self.compile(&sides[1], dimension, depth + 1)?;
                self.steps.push(Step::Two(function));
            }
            Tree::Call(name, span, arguments) => {
                let one = FUNCTIONS.iter().find(|known| known.name == name);
                let two = FUNCTIONS_OF_TWO.iter().find(|known| known.name == name);
                let (step, wanted) = match (one, two) {
                    (Some(function), _) => (Step::One(function), 1),
                    (None, Some(function)) => (Step::Two(function), 2),
                    (None, None) => return Err(unknown(name, span, dimension)),
                };
                if arguments.len() != wanted {
                    return Err(ExpressionError {
                        message: format!(
                            "`{name}` takes {wanted} argument{}, not {}",
                            if wanted == 1 { "" } else { "s" },
                            arguments.len()
                        ),
                        help: None,
                        span: span.clone(),
                    });
                }
                for (place, argument) in arguments.iter().enumerate() {
                    self.compile(argument, dimension, depth + place)?;
                }
                self.steps.push(step);
            }
        }
        self.stack = self.stack.max(depth + 1);
        Ok(())
    }
}

fn resolve(name: &str, dimension: usize) -> Option<Step> {
    if let Some((_, value)) = CONSTANTS.iter().find(|(known, _)| *known == name) {
        return Some(Step::Number(*value));
    }
    let number = name.strip_prefix('x')?;
    if number.is_empty() {
        return (dimension == 1).then_some(Step::Input(0));
    }
    let index: usize = number.parse().ok()?;
    (number == index.to_string() && (1..=dimension).contains(&index))
        .then(|| Step::Input(index - 1))
}

fn unknown(name: &str, span: &Range<usize>, dimension: usize) -> ExpressionError {
    let inputs = match dimension {
        1 => "the input is called `x`".to_owned(),
        d => format!("the inputs are called `x1` to `x{d}`"),
    };
    let functions = FUNCTIONS
        .iter()
        .map(|known| known.name)
        .chain(FUNCTIONS_OF_TWO.iter().map(|known| known.name));
    let help = if name == "log" {
        "write `ln` for the natural logarithm, or `log10`".to_owned()
    } else if functions.clone().any(|known| known == name) {
        format!("`{name}` is a function: write `{name}(…)`")
    } else {
        let names = functions.chain(CONSTANTS.iter().map(|(known, _)| *known));
        match crate::words::nearest(name, names) {
            Some(near) if name.len() > 1 => format!("did you mean `{near}`? {inputs}"),
            _ => inputs,
        }
    };
    ExpressionError {
        message: format!("`{name}` is not known here"),
        help: Some(help),
        span: span.clone(),
    }
}

fn complaint(text: &str, offset: usize) -> ExpressionError {
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

/// Where a text goes beyond [`DEEPEST`] levels. It need not be an expression: of one that is, no fewer
/// levels are counted than its parser takes, but for signs within numbers such as `1e-5`, which are
/// taken for differences.
fn too_deep(text: &str) -> Option<usize> {
    // The signs and powers since the last operator that ends them, within every open bracket; and
    // what they and the brackets are in all.
    let mut open = vec![0];
    let mut depth = 0;
    let mut after_operand = false;
    let bytes = text.as_bytes();
    for (place, &byte) in bytes.iter().enumerate() {
        let [before, next] = [place.wrapping_sub(1), place + 1].map(|i| bytes.get(i).copied());
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
            return Some(place);
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

type Input<'i> = LocatingSlice<&'i str>;
type Failure = ErrMode<ContextError>;

fn whole(input: &mut Input) -> ModalResult<Tree> {
    (sum, blank).map(|(tree, ())| tree).parse_next(input)
}

fn blank(input: &mut Input) -> ModalResult<()> {
    take_while(0.., char::is_whitespace)
        .void()
        .parse_next(input)
}

fn sum(input: &mut Input) -> ModalResult<Tree> {
    expression(operand)
        // Below the power and above the product: -x^2 is -(x^2), and 2^-x is 2^(-x).
        .prefix(preceded(blank, one_of(['-', '+'])).map(|sign| {
            if sign == '-' {
                Prefix(25, |_: &mut _, inner| Ok(Tree::Negative(Box::new(inner))))
            } else {
                Prefix(25, |_: &mut _, inner| Ok(inner))
            }
        }))
        .infix(preceded(blank, operator))
        .parse_next(input)
}

fn operator<'i>(input: &mut Input<'i>) -> ModalResult<Infix<Input<'i>, Tree, Failure>> {
    fn node(function: &'static OfTwo, left: Tree, right: Tree) -> Result<Tree, Failure> {
        Ok(Tree::Operator(function, Box::new([left, right])))
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

fn operand(input: &mut Input) -> ModalResult<Tree> {
    preceded(blank, alt((number, bracket, name_or_call))).parse_next(input)
}

fn bracket(input: &mut Input) -> ModalResult<Tree> {
    delimited('(', cut_err(sum), cut_err((blank, ')'))).parse_next(input)
}

fn number(input: &mut Input) -> ModalResult<Tree> {
    let digits = |least| take_while(least.., |c: char| c.is_ascii_digit());
    let mantissa = alt((
        (digits(1), opt(('.', digits(0)))).void(),
        ('.', digits(1)).void(),
    ));
    let exponent = (one_of(['e', 'E']), opt(one_of(['-', '+'])), digits(1));
    (mantissa, opt(exponent))
        .take()
        .try_map(|text: &str| text.parse().map(Tree::Number))
        .parse_next(input)
}

fn name_or_call(input: &mut Input) -> ModalResult<Tree> {
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
        Some((arguments, (), _)) => Tree::Call(name, span, arguments),
        None => Tree::Name(name, span),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, x: f64) -> f64 {
        Expression::parse(text, 1).unwrap().at(&[x])
    }

    fn fails(text: &str) -> ExpressionError {
        Expression::parse(text, 1).unwrap_err()
    }

    #[test]
    fn operators_bind_as_on_paper() {
        for (text, value) in [
            ("1 + 2*3", 7.0),
            ("-x^2", -9.0),
            ("2^-x", 0.125),
            ("2^3^2", 512.0),
            ("10 - 3 - 2", 5.0),
            ("12/3/2", 2.0),
            ("-2*-x", 6.0),
            ("+x - -1", 4.0),
            ("(1 + x)*2", 8.0),
            ("x**2", 9.0),
            ("x > 2", 1.0),
            ("x <= 2", 0.0),
            ("1.5e-1 + .5 + 2.", 2.65),
            ("max(x, 7) - min(1, x)", 6.0),
            ("sin(pi/2) + cos(0)", 2.0),
            ("e", std::f64::consts::E),
            ("x1", 3.0),
            ("sign(-x)*abs(-2)", -2.0),
        ] {
            let got = at(text, 3.0);
            assert!((got - value).abs() < 1e-12, "{text}: {got}, not {value}");
        }
    }

    #[test]
    fn several_inputs_are_numbered() {
        let f = Expression::parse("x1 + 10*x2 + 100*x12", 12).unwrap();
        let x: Vec<f64> = (1..=12).map(f64::from).collect();
        assert_eq!(f.at(&x), 1.0 + 20.0 + 1200.0);
        let error = Expression::parse("x + x1", 2).unwrap_err();
        assert_eq!(error.span, 0..1);
        assert_eq!(error.help.unwrap(), "the inputs are called `x1` to `x2`");
        assert!(Expression::parse("x3", 2).is_err());
        assert!(Expression::parse("x01", 2).is_err());
    }

    #[test]
    fn errors_point_at_the_token() {
        let cases = [
            ("sin(x", 4..5, "the expression ends too early"),
            ("2x", 1..2, "`x` does not belong here"),
            ("sin x", 4..5, "`sin` needs brackets"),
            ("sin(π", 4..6, "the expression ends too early"),
            ("0 < x < 5", 6..7, "`<` does not belong here"),
            ("x > 1 && x < 2", 6..7, "`&` does not belong here"),
            ("sinn(x)", 0..4, "`sinn` is not known here"),
            ("3 + y", 4..5, "`y` is not known here"),
            ("x + * 2", 4..5, "`*` does not belong here"),
            ("x $ 2", 2..3, "`$` does not belong here"),
            ("max(x)", 0..3, "`max` takes 2 arguments, not 1"),
            ("sin(x, 2)", 0..3, "`sin` takes 1 argument, not 2"),
            ("(x))", 3..4, "`)` does not belong here"),
        ];
        for (text, span, message) in cases {
            let error = fails(text);
            assert_eq!(
                (error.span, error.message.as_str()),
                (span, message),
                "{text}"
            );
        }
        assert_eq!(fails("").message, "the expression ends too early");
        assert_eq!(
            fails("log(x)").help.unwrap(),
            "write `ln` for the natural logarithm, or `log10`"
        );
        assert!(at("max(ln(-x), 0)", 3.0).is_nan() && at("ln(-x) < 0", 3.0).is_nan());
        assert!(fails("sinn(x)").help.unwrap().contains("`sin`"));
        assert!(fails("sin").help.unwrap().contains("sin(…)"));
    }

    #[test]
    fn deep_nesting_is_bounded_and_does_not_overflow() {
        let around = |count: usize, open: &str, close: &str| {
            format!("{}x{}", open.repeat(count), close.repeat(count))
        };
        for (count, open, close, value) in [
            (DEEPEST, "(", ")", 2.0),
            (DEEPEST, "abs(", ")", 2.0),
            (DEEPEST, "1^", "", 1.0),
            (DEEPEST, "-", "", 2.0),
            (DEEPEST / 2, "-(", ")", 2.0),
            (DEEPEST / 2, "1^-", "", 1.0),
            (DEEPEST, "1**", "", 1.0),
        ] {
            assert_eq!(at(&around(count, open, close), 2.0), value, "{open}");
            let error = fails(&around(count + 1, open, close));
            assert!(error.message.contains("100 levels"), "{open}");
            assert!(error.span.end <= error.span.start + 1, "{open}");
        }
        // What stands side by side is not deep.
        let wide = ["x^2 - (-x)^3"; 60].join(" + ");
        assert_eq!(at(&wide, 1.0), 120.0);
        assert!(fails(&"(".repeat(LONGEST + 1)).message.contains("longer"));
    }

    #[test]
    fn many_points_at_once_have_the_bits_of_each() {
        let names = FUNCTIONS.iter().map(|function| function.name);
        let mut texts: Vec<String> = names.map(|name| format!("{name}(3*x1 - x2)")).collect();
        texts.extend(
            [
                "4",
                "x2",
                "-x1^2 + x1**0.5/x2",
                "min(x1, x2) - max(x1, 0)*atan2(x2, x1)",
                "(x1 < x2) + (x1 <= 0)*(x2 >= 1) - (x2 > x1)",
                "1 - (2 - (3 - (4 - (5 - (6 - x1*(7 - x2))))))",
            ]
            .map(str::to_owned),
        );
        for text in texts {
            let expression = Expression::parse(&text, 2).unwrap();
            for count in [0, 1, 63, 64, 65, 200] {
                let place = |i: u32| f64::from(i * i % 97) / 9.0 - 4.0;
                let points = Points::new(2, (0..2 * count).map(place).collect());
                let mut found = Vec::new();
                expression.at_all(&points, |i, value| {
                    assert_eq!(i, found.len());
                    found.push(value);
                });
                assert_eq!(found.len(), points.len());
                for (x, found) in points.rows().zip(found) {
                    let one = expression.at(x);
                    let same = one.to_bits() == found.to_bits() || one.is_nan() && found.is_nan();
                    assert!(same, "{text} at {x:?}: {one} {found}");
                }
            }
        }
    }
}
