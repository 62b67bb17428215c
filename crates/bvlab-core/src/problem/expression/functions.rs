//! The functions, operators and constants of expressions.

use crate::maths;

/// Named numbers.
pub(super) const CONSTANTS: [(&str, f64); 4] = [
    ("pi", std::f64::consts::PI),
    ("π", std::f64::consts::PI),
    ("tau", std::f64::consts::TAU),
    ("e", std::f64::consts::E),
];

/// A function of one number.
#[derive(Debug)]
pub(super) struct UnaryFunction {
    pub name: &'static str,
    pub at: fn(f64) -> f64,
    /// Replaces every number x by f(x), with the bits of `at`.
    pub all: fn(&mut [f64]),
}

/// A function of two numbers, or an operator.
#[derive(Debug)]
pub(super) struct BinaryFunction {
    pub name: &'static str,
    pub at: fn(f64, f64) -> f64,
    /// Replaces every number a of the first slice by f(a, b), with b from the second.
    pub all: fn(&mut [f64], &[f64]),
}

macro_rules! of_one {
    ($name:literal, $function:expr) => {
        of_one!($name, $function, |numbers| numbers
            .iter_mut()
            .for_each(|x| *x = $function(*x)))
    };
    ($name:literal, $function:expr, $all:expr) => {
        UnaryFunction {
            name: $name,
            at: $function,
            all: $all,
        }
    };
}

macro_rules! of_two {
    ($name:literal, $function:expr) => {
        BinaryFunction {
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

pub(super) static FUNCTIONS: [UnaryFunction; 19] = [
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

pub(super) static NEGATIVE: UnaryFunction = of_one!("-", |x: f64| -x);

pub(super) static FUNCTIONS_OF_TWO: [BinaryFunction; 3] = [
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

pub(super) static POWER: BinaryFunction = of_two!("^", maths::pow);
pub(super) static TIMES: BinaryFunction = of_two!("*", |a: f64, b: f64| a * b);
pub(super) static OVER: BinaryFunction = of_two!("/", |a: f64, b: f64| a / b);
pub(super) static PLUS: BinaryFunction = of_two!("+", |a: f64, b: f64| a + b);
pub(super) static MINUS: BinaryFunction = of_two!("-", |a: f64, b: f64| a - b);
pub(super) static BELOW: BinaryFunction = of_two!("<", |a: f64, b: f64| comparison(a, b, a < b));
pub(super) static ABOVE: BinaryFunction = of_two!(">", |a: f64, b: f64| comparison(a, b, a > b));
pub(super) static AT_MOST: BinaryFunction =
    of_two!("<=", |a: f64, b: f64| comparison(a, b, a <= b));
pub(super) static AT_LEAST: BinaryFunction =
    of_two!(">=", |a: f64, b: f64| comparison(a, b, a >= b));

fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// 1 or 0 for a comparison, NaN where a side is not a number.
fn comparison(a: f64, b: f64, holds: bool) -> f64 {
    match a.is_nan() || b.is_nan() {
        true => f64::NAN,
        false => f64::from(holds),
    }
}
