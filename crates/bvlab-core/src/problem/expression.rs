//! Arithmetic in x: `sin(x)`, `exp(-x^2) + 1.5*exp(-(x-2)^2)`, `x1*x2`, `0.1 + 0.2*(x > 3)`.
//!
//! The grammar is read with winnow's precedence parser. Existing evaluators do not fit: exmex reads
//! `-x^2` as `(-x)^2`, which would silently turn `exp(-x^2)` into a function that explodes; evalexpr's
//! licence is incompatible; meval and fasteval are no longer maintained. None of them reports where in
//! the text an error is.

mod functions;
mod grammar;

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::data::Points;
use functions::{BinaryFunction, CONSTANTS, FUNCTIONS, FUNCTIONS_OF_TWO, NEGATIVE, UnaryFunction};
use grammar::SyntaxTree;

/// The longest expression that is read, in bytes.
pub const LONGEST: usize = 1000;

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

/// Why a text is not an expression, and which part of it is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Number(f64),
    Input(usize),
    One(&'static UnaryFunction),
    Two(&'static BinaryFunction),
}

impl Expression {
    /// Reads an expression in `dimension` inputs: `x` in one dimension, `x1`, `x2`, … in several
    /// (`x1` works in one dimension too).
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
        let tree = grammar::parse(text)?;
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

    /// The number of coordinates that an input must have.
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

    /// Calls `receive` with the index of every point and the value there, which has the bits of
    /// [`Expression::at`]. Every step is done for a block of points at a time, which is faster than
    /// point by point.
    pub fn at_all(&self, points: &Points, mut receive: impl FnMut(usize, f64)) {
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
                receive(i, *value);
            }
        }
    }

    fn compile(
        &mut self,
        tree: &SyntaxTree,
        dimension: usize,
        depth: usize,
    ) -> Result<(), ExpressionError> {
        match tree {
            SyntaxTree::Number(value) => self.steps.push(Step::Number(*value)),
            SyntaxTree::Name(name, span) => {
                let step =
                    resolve(name, dimension).ok_or_else(|| unknown(name, span, dimension))?;
                self.steps.push(step);
            }
            SyntaxTree::Negative(inner) => {
                self.compile(inner, dimension, depth)?;
                self.steps.push(Step::One(&NEGATIVE));
            }
            SyntaxTree::Operator(function, sides) => {
                self.compile(&sides[0], dimension, depth)?;
                self.compile(&sides[1], dimension, depth + 1)?;
                self.steps.push(Step::Two(function));
            }
            SyntaxTree::Call(name, span, arguments) => {
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
