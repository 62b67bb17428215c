//! The noisy sine that simulations with learners are about.

use crate::data::Points;
use crate::problem::{Expression, Inputs, Labels, Noise, Problem, Truth, grid};

/// y = sin(x) + N(0, noise²) with x ~ U(0, 15), and where its error is measured.
pub(super) struct Sine {
    pub problem: Problem,
    /// 200 cell midpoints.
    pub test: Points,
    /// sin(x) there.
    pub truth: Vec<f64>,
}

impl Sine {
    pub fn new(train: usize, noise: f64) -> Self {
        let sine = Expression::parse("sin(x)", 1).expect("a sine is an expression");
        let truth = Truth::Expression(sine);
        let (from, to) = (0.0, 15.0);
        let test = grid(from, to, 200, 1);
        Sine {
            truth: test.rows().map(|x| truth.at(x)).collect(),
            test,
            problem: Problem {
                labels: Labels::Numbers {
                    truth,
                    noise: Noise::normal_by(Expression::constant(noise)),
                },
                inputs: Inputs::uniform(from, to),
                fixed: false,
                dimension: 1,
                train,
            },
        }
    }
}
