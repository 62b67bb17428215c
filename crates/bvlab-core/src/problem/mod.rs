//! Where data come from: inputs x of a known distribution, and labels that are numbers,
//! y = f(x) + s(x)·e with the truth f and noise e of unit variance, or classes whose probabilities
//! p(y|x) are known. Because all of it is known, noise, bias and variance can be told apart. Or a
//! table of real data, of which nobody knows the truth: [`Rows`]. Or inputs without labels, whose
//! density is to be estimated: [`Density`].

mod classes;
mod density;
mod discrete;
mod error;
mod expression;
mod inputs;
mod mixture;
mod noise;
mod rows;
mod truth;

pub use classes::{ClassLaw, Classes, MOST_CLASSES, class_at};
pub use density::{DENSITY_REACH, Density, DensityForm, DensityPart, MARRON_WAND, MOST_PARTS};
pub use discrete::{Bernoulli, Multinomial};
pub use error::ProblemError;
pub use expression::{Expression, ExpressionError, LONGEST};
pub use inputs::{
    CoordinateRule, Coordinates, INPUT_LAWS, InputLaw, Inputs, NORMAL_REACH, TestGrid, grid, side,
};
pub use mixture::{Arc, Cloud, Component, Gaussian, Mixture};
pub use noise::{NOISE_LAWS, Noise, NoiseLaw};
pub use rows::{Resample, Rows};
pub use truth::Truth;

use rand::RngExt;

use crate::data::{Points, Training};
use crate::stream::{Purpose, Stream};

/// A problem: the distribution that every training set is drawn from.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What the labels are.
    pub labels: Labels,
    /// The distribution of the inputs.
    pub inputs: Inputs,
    /// Whether all resamples share one draw of the inputs. Always true for a grid.
    pub fixed: bool,
    /// How many coordinates an input has.
    pub dimension: usize,
    /// How many points a training set has.
    pub train: usize,
}

/// What the labels of a problem are.
#[derive(Clone, Debug)]
pub enum Labels {
    /// Numbers: y = f(x) + s(x)·e.
    Numbers {
        /// The function f to be learned.
        truth: Truth,
        /// The noise.
        noise: Noise,
    },
    /// Classes, drawn by their probabilities.
    Classes(Classes),
    /// Those of a table of real data, which come with their inputs.
    Rows(std::sync::Arc<Rows>),
    /// None: the density of the inputs is to be estimated, and takes the place of the truth.
    Density(std::sync::Arc<Density>),
}

/// A function of the problem that has no finite value, a negative sd, or no probability, at some
/// point.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} is {value} at {place}")]
pub struct NotFinite {
    /// Which function: the truth, the noise's sd or a class's probability.
    pub what: &'static str,
    /// What it gave.
    pub value: f64,
    /// Where, as text: `x = 0.5`.
    pub place: String,
}

impl Problem {
    /// Training sets of values of a density, without labels.
    ///
    /// # Errors
    ///
    /// If `train` is 0.
    pub fn of_density(density: Density, train: usize) -> Result<Self, ProblemError> {
        let density = std::sync::Arc::new(density);
        let problem = Problem {
            inputs: Inputs::Density(density.clone()),
            labels: Labels::Density(density),
            fixed: false,
            dimension: 1,
            train,
        };
        problem.check()?;
        Ok(problem)
    }

    /// Labels that are numbers, y = f(x) + s(x)·e, at fresh inputs of one dimension; a grid is fixed.
    ///
    /// # Errors
    ///
    /// If the truth is no expression, or the problem cannot be drawn from.
    pub fn numbers(
        truth: &str,
        inputs: Inputs,
        noise: Noise,
        train: usize,
    ) -> Result<Self, ProblemError> {
        let truth = Expression::parse(truth, 1).map_err(ProblemError::Truth)?;
        let problem = Problem {
            labels: Labels::Numbers {
                truth: Truth::Expression(truth),
                noise,
            },
            fixed: inputs.is_design(),
            inputs,
            dimension: 1,
            train,
        };
        problem.check()?;
        Ok(problem)
    }

    /// Checks that training sets can be drawn from it.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with it.
    pub fn check(&self) -> Result<(), ProblemError> {
        if self.train == 0 {
            return Err(ProblemError::NoTraining);
        }
        if self.dimension == 0 {
            return Err(ProblemError::NoDimension);
        }
        self.inputs.check()?;
        let dimension = match &self.inputs {
            Inputs::Law(law) if !law.scales().is_empty() => law.scales().len(),
            Inputs::Law(law) if !law.law().is_design() => self.dimension,
            Inputs::Law(_) if !self.fixed => return Err(ProblemError::GridNotFixed),
            Inputs::Law(_) => match side(self.train, self.dimension) {
                Some(_) => self.dimension,
                None => {
                    return Err(ProblemError::GridCount {
                        train: self.train,
                        dimension: self.dimension,
                    });
                }
            },
            Inputs::Mixture(mixture) => mixture.dimension(),
            Inputs::Rows(rows) => rows.train.inputs.dimension(),
            Inputs::Density(_) => 1,
        };
        let dimension = match &self.labels {
            Labels::Numbers { truth, noise } => {
                noise.check()?;
                let needed = match truth {
                    Truth::Expression(truth) => truth.dimension(),
                    Truth::Linear(coefficients) => coefficients.len(),
                    Truth::Points(_) => 1,
                };
                if needed.max(noise.sd.dimension()) > dimension {
                    return Err(ProblemError::TruthDimension { needed, dimension });
                }
                dimension
            }
            Labels::Classes(_) | Labels::Density(_) => dimension,
            Labels::Rows(rows) => match rows.resample {
                Resample::Halves | Resample::Disjoint if self.train > rows.train.len() => {
                    return Err(ProblemError::FewRows {
                        train: self.train,
                        rows: rows.train.len(),
                    });
                }
                _ if rows.train.is_empty() || rows.test.is_empty() => {
                    return Err(ProblemError::NoTraining);
                }
                _ => rows.train.inputs.dimension(),
            },
        };
        match dimension == self.dimension {
            true => Ok(()),
            false => Err(ProblemError::Dimension {
                given: self.dimension,
                inputs: dimension,
            }),
        }
    }

    /// Draws the training set of one resample into `data`. With fixed inputs only the labels are
    /// drawn anew.
    ///
    /// # Errors
    ///
    /// If truth or noise has no finite value at an input.
    pub fn draw(&self, seed: u64, resample: u64, data: &mut Training) -> Result<(), NotFinite> {
        self.draw_crossed(seed, [resample; 2], data)
    }

    /// Where the rows of a resample are drawn from: disjoint training sets are parts of one draw, as long
    /// as there are rows.
    fn row_stream(&self, rows: &Rows, seed: u64, resample: u64) -> (Stream, usize) {
        let parts = match rows.resample {
            Resample::Disjoint => (rows.train.len() / self.train.max(1)).max(1) as u64,
            _ => 1,
        };
        let stream = Stream::new(seed, Purpose::Inputs, resample / parts);
        (stream, (resample % parts) as usize)
    }

    /// How often every training row of a table is in the training set of a resample; `None` where there
    /// is no table.
    pub fn row_counts(&self, seed: u64, resample: u64) -> Option<Vec<u32>> {
        let rows = self.rows()?;
        let (mut stream, part) = self.row_stream(rows, seed, resample);
        let mut counts = vec![0; rows.train.len()];
        rows.count_part(self.train, part, &mut stream, &mut counts);
        Some(counts)
    }

    /// Draws a training set with the inputs of one resample and the noise of another. Both are
    /// drawn point by point: a smaller training set is the beginning of a larger one, and noise of
    /// another sd is the same noise made to another size.
    ///
    /// # Errors
    ///
    /// If truth or noise has no finite value at an input.
    pub fn draw_crossed(
        &self,
        seed: u64,
        [inputs, noise]: [u64; 2],
        data: &mut Training,
    ) -> Result<(), NotFinite> {
        if let Labels::Rows(rows) = &self.labels {
            let (mut stream, part) = self.row_stream(rows, seed, inputs);
            rows.draw_part(self.train, part, &mut stream, data);
            return Ok(());
        }
        let drawn = if self.fixed { 0 } else { inputs };
        let mut stream = Stream::new(seed, Purpose::Inputs, drawn);
        self.inputs
            .draw(self.train, self.dimension, &mut stream, &mut data.inputs);
        data.labels.resize(self.train, 0.0);
        let mut stream = Stream::new(seed, Purpose::Noise, noise);
        let (truth, noise) = match &self.labels {
            Labels::Numbers { truth, noise } => (truth, noise),
            Labels::Classes(classes) => return draw_classes(classes, &mut stream, data),
            Labels::Density(_) => {
                data.labels.fill(0.0);
                return Ok(());
            }
            Labels::Rows(_) => unreachable!("rows are drawn above"),
        };
        noise.draw_unit(&mut stream, &mut data.labels);
        let Training { inputs, labels } = data;
        let mut wrong = None;
        match inputs.rows().next() {
            Some(x) if noise.sd.is_constant() => {
                let sd = sd_at(noise, x)?;
                labels.iter_mut().for_each(|label| *label *= sd);
            }
            _ => noise.sd.at_all(inputs, |i, sd| {
                labels[i] *= sd;
                if !is_sd(sd) && wrong.is_none() {
                    wrong = Some((SD, sd, i));
                }
            }),
        }
        truth.at_all(inputs, |i, value| {
            labels[i] += value;
            if !value.is_finite() && wrong.is_none() {
                wrong = Some((TRUTH, value, i));
            }
        });
        match wrong {
            Some((what, value, i)) => Err(not_finite(what, value, inputs.row(i))),
            None => Ok(()),
        }
    }

    /// How many classes there are; 0 where labels are numbers.
    pub fn classes(&self) -> usize {
        match &self.labels {
            Labels::Numbers { .. } | Labels::Density(_) => 0,
            Labels::Classes(classes) => classes.count(),
            Labels::Rows(rows) => rows.classes.len(),
        }
    }

    /// How many numbers a prediction has: one, or a probability for every class.
    pub fn outputs(&self) -> usize {
        self.classes().max(1)
    }

    /// The noise, where labels are numbers.
    pub fn noise(&self) -> Option<&Noise> {
        match &self.labels {
            Labels::Numbers { noise, .. } => Some(noise),
            Labels::Classes(_) | Labels::Rows(_) | Labels::Density(_) => None,
        }
    }

    /// The table of real data, where the labels are those of one.
    pub fn rows(&self) -> Option<&Rows> {
        match &self.labels {
            Labels::Rows(rows) => Some(rows),
            Labels::Numbers { .. } | Labels::Classes(_) | Labels::Density(_) => None,
        }
    }

    /// The density to be estimated, where inputs have no labels.
    pub fn density(&self) -> Option<&Density> {
        match &self.labels {
            Labels::Density(density) => Some(density),
            Labels::Numbers { .. } | Labels::Classes(_) | Labels::Rows(_) => None,
        }
    }

    /// What the weights of a grid of test points sum to: 1, so that errors are averages over the inputs'
    /// distribution; for a density the length of its range, so that they are integrals over x.
    pub fn measure(&self) -> f64 {
        self.density().map_or(1.0, |density| {
            let (from, to) = density.range();
            to - from
        })
    }

    /// The best possible prediction at every test point, by point and output; of a table, the labels
    /// of the rows held out.
    ///
    /// # Errors
    ///
    /// If it is not finite, or no probability.
    pub fn truth_of(&self, points: &Points) -> Result<Vec<f64>, NotFinite> {
        if let Labels::Rows(rows) = &self.labels {
            return Ok(rows.truth());
        }
        let outputs = self.outputs();
        let mut truth = vec![0.0; points.len() * outputs];
        for (x, truth) in points.rows().zip(truth.chunks_exact_mut(outputs)) {
            self.truth_at(x, truth)?;
        }
        Ok(truth)
    }

    /// Writes the best possible prediction at x: the truth f(x), the density there, or the probability
    /// of every class.
    ///
    /// # Errors
    ///
    /// If it is not finite, or no probability; of a table nobody knows it.
    pub fn truth_at(&self, x: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        match &self.labels {
            Labels::Numbers { truth, .. } => out[0] = truth_at(truth, x)?,
            Labels::Classes(classes) => probabilities_at(classes, x, out)?,
            Labels::Density(density) => out[0] = density.at(x[0]),
            Labels::Rows(_) => return Err(not_finite(TRUTH, f64::NAN, x)),
        }
        Ok(())
    }

    /// The standard deviation s(x) of the noise; 0 where labels are classes, or of a table.
    ///
    /// # Errors
    ///
    /// If it is negative or not finite.
    pub fn sd_at(&self, x: &[f64]) -> Result<f64, NotFinite> {
        self.noise().map_or(Ok(0.0), |noise| sd_at(noise, x))
    }
}

const TRUTH: &str = "the truth";
const SD: &str = "the noise's sd";

fn is_sd(value: f64) -> bool {
    value >= 0.0 && value.is_finite()
}

fn truth_at(truth: &Truth, x: &[f64]) -> Result<f64, NotFinite> {
    let value = truth.at(x);
    match value.is_finite() {
        true => Ok(value),
        false => Err(not_finite(TRUTH, value, x)),
    }
}

fn sd_at(noise: &Noise, x: &[f64]) -> Result<f64, NotFinite> {
    let value = noise.sd.at(x);
    match is_sd(value) {
        true => Ok(value),
        false => Err(not_finite(SD, value, x)),
    }
}

fn probabilities_at(classes: &Classes, x: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
    let what = match &classes.law {
        ClassLaw::Weights(_) => "a class's weight",
        _ => "the probability of a class",
    };
    let written = classes.at(x, out);
    written.map_err(|value| not_finite(what, value, x))
}

/// Draws the class of every input of a training set.
fn draw_classes(
    classes: &Classes,
    stream: &mut Stream,
    data: &mut Training,
) -> Result<(), NotFinite> {
    let mut room = [0.0; MOST_CLASSES];
    let p = &mut room[..classes.count()];
    for (x, label) in data.inputs.rows().zip(&mut data.labels) {
        probabilities_at(classes, x, p)?;
        *label = class_at(p, stream.random()) as f64;
    }
    Ok(())
}

fn not_finite(what: &'static str, value: f64, x: &[f64]) -> NotFinite {
    let place = match x {
        [x] => format!("x = {x}"),
        _ => (1..)
            .zip(x)
            .map(|(i, x)| format!("x{i} = {x}"))
            .collect::<Vec<_>>()
            .join(", "),
    };
    NotFinite { what, value, place }
}
