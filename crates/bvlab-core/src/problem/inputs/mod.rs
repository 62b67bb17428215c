//! Where the inputs of a training set come from: one file per law that an experiment can name.

mod equispaced;
mod normal;
mod test_grid;
mod uniform;

use std::sync::Arc;

use rand::RngExt;

use super::{Density, Mixture, ProblemError, Rows};
use crate::data::Points;
use crate::maths::{erfc, pow};
use crate::parameter::{DataSize, NamedValues, Parameter, ParameterError};
use crate::stream::Stream;

pub use normal::NORMAL_REACH;
pub use test_grid::TestGrid;

/// The distribution of the inputs: that of one coordinate, all having the same independently (normal ones
/// up to a scale), or a mixture of the classes' own.
#[derive(Clone, Debug, PartialEq)]
pub enum Inputs {
    /// A law that an experiment can name.
    Law(Coordinates),
    /// Every class has a distribution of its own.
    Mixture(Arc<Mixture>),
    /// The training rows of a table, each as likely.
    Rows(Arc<Rows>),
    /// Values of a density that is to be estimated.
    Density(Arc<Density>),
}

/// The law of every coordinate of an input, with values of its parameters.
#[derive(Clone, Debug)]
pub struct Coordinates {
    law: InputLaw,
    values: Vec<f64>,
    /// By coordinate, the factor of its sd; empty where there is none.
    scales: Vec<f64>,
}

/// A law of inputs that an experiment can name.
///
/// A new law is one new file with an `InputLaw` in it and one line in [`INPUT_LAWS`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct InputLaw {
    /// Its name in an experiment, such as `uniform`.
    pub name: &'static str,
    /// Its name in a menu.
    pub title: &'static str,
    /// What it is, in a line.
    pub meaning: &'static str,
    /// Its parameters, which an experiment gives as a list in this order.
    pub parameters: &'static [Parameter],
    /// How a coordinate comes about.
    pub coordinate: CoordinateRule,
    /// The range of a coordinate, over which test points are laid out.
    pub range: fn(NamedValues) -> (f64, f64),
    /// The density of a coordinate within the range, up to a factor.
    pub density: fn(NamedValues, f64) -> f64,
    /// The probability that a coordinate lies outside the range.
    pub outside: f64,
    /// What values must fulfil together, beyond the bounds of each and a range that is not empty.
    pub check: fn(NamedValues) -> Result<(), ProblemError>,
}

/// How the coordinates of inputs come about.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum CoordinateRule {
    /// Fills a slice with independent draws, one after the other: fewer draws are the beginning of
    /// more.
    Random(fn(NamedValues, &mut Stream, &mut [f64])),
    /// A fixed design: the place of cell `i` of `n` along an axis. Points are all combinations of
    /// these places, the same in every resample.
    Design(fn(NamedValues, usize, usize) -> f64),
}

/// Every law of inputs that an experiment can name.
pub const INPUT_LAWS: &[InputLaw] = &[uniform::LAW, normal::LAW, equispaced::LAW];

/// The parameters of a law between two ends.
const ENDS: &[Parameter] = &[
    Parameter::real("from", "lower end").unit("units of x"),
    Parameter::real("to", "upper end").unit("units of x"),
];

/// The range of a law between two ends.
fn ends(values: NamedValues) -> (f64, f64) {
    (values.number("from"), values.number("to"))
}

impl InputLaw {
    /// A law with the same density everywhere between two ends, `from` and `to`.
    pub const fn between(
        name: &'static str,
        title: &'static str,
        meaning: &'static str,
        coordinate: CoordinateRule,
    ) -> Self {
        InputLaw {
            name,
            title,
            meaning,
            parameters: ENDS,
            coordinate,
            range: ends,
            density: |_, _| 1.0,
            outside: 0.0,
            check: |_| Ok(()),
        }
    }

    /// The same with parameters of its own, and the range of a coordinate that follows from them.
    pub const fn parameters(
        mut self,
        parameters: &'static [Parameter],
        range: fn(NamedValues) -> (f64, f64),
    ) -> Self {
        self.parameters = parameters;
        self.range = range;
        self
    }

    /// The same with a density within the range, up to a factor, and the probability of all that
    /// lies outside.
    pub const fn density(mut self, density: fn(NamedValues, f64) -> f64, outside: f64) -> Self {
        self.density = density;
        self.outside = outside;
        self
    }

    /// The same with something that values must fulfil together.
    pub const fn check(mut self, check: fn(NamedValues) -> Result<(), ProblemError>) -> Self {
        self.check = check;
        self
    }

    /// The law of that name.
    pub fn find(name: &str) -> Option<&'static InputLaw> {
        INPUT_LAWS.iter().find(|law| law.name == name)
    }

    /// Whether the inputs are the same in every resample.
    pub fn is_design(&self) -> bool {
        matches!(self.coordinate, CoordinateRule::Design(_))
    }

    /// Inputs of that law, with values of its parameters in their order.
    ///
    /// # Errors
    ///
    /// If a value is missing or not allowed, or they leave nothing to draw.
    pub fn inputs(&self, values: &[f64]) -> Result<Inputs, ProblemError> {
        for (i, parameter) in self.parameters.iter().enumerate() {
            let name = parameter.name;
            let value = values.get(i).copied();
            let value = value.ok_or(ProblemError::Inputs(ParameterError::Missing { name }))?;
            let checked = parameter.check(value, DataSize::UNKNOWN);
            checked.map_err(ProblemError::Inputs)?;
        }
        let inputs = Inputs::of(*self, values);
        inputs.check()?;
        Ok(inputs)
    }
}

impl Coordinates {
    /// The law.
    pub fn law(&self) -> &InputLaw {
        &self.law
    }

    /// The values of its parameters, by name.
    pub fn values(&self) -> NamedValues<'_> {
        NamedValues::new(self.law.parameters, &self.values)
    }

    /// The factors of the coordinates' standard deviations; empty where all are 1.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// That of the widest coordinate.
    fn range(&self) -> (f64, f64) {
        let (from, to) = (self.law.range)(self.values());
        match self.scales.iter().copied().reduce(f64::max) {
            Some(widest) => {
                let (middle, half) = (0.5 * (from + to), 0.5 * (to - from) * widest);
                (middle - half, middle + half)
            }
            None => (from, to),
        }
    }
}

impl PartialEq for Coordinates {
    fn eq(&self, other: &Self) -> bool {
        self.law.name == other.law.name
            && self.values == other.values
            && self.scales == other.scales
    }
}

impl Inputs {
    fn of(law: InputLaw, values: &[f64]) -> Self {
        Inputs::Law(Coordinates {
            law,
            values: values.to_vec(),
            scales: Vec::new(),
        })
    }

    /// Uniform inputs, the same range for every coordinate.
    pub fn uniform(from: f64, to: f64) -> Self {
        Inputs::of(uniform::LAW, &[from, to])
    }

    /// Normal inputs, the same mean and standard deviation for every coordinate.
    pub fn normal(mean: f64, sd: f64) -> Self {
        Inputs::of(normal::LAW, &[mean, sd])
    }

    /// Normal inputs whose coordinates have standard deviations of their own: sd times these factors.
    pub fn scaled_normal(mean: f64, sd: f64, scales: Vec<f64>) -> Self {
        Inputs::Law(Coordinates {
            law: normal::LAW,
            values: vec![mean, sd],
            scales,
        })
    }

    /// A fixed design: the midpoints of equal cells, (i + ½)/n of the range.
    pub fn grid(from: f64, to: f64) -> Self {
        Inputs::of(equispaced::LAW, &[from, to])
    }

    /// Mean and standard deviation of normal inputs that are the same in every coordinate, which have
    /// exact forms; `None` for others.
    pub fn as_normal(&self) -> Option<(f64, f64)> {
        let (mean, sd, scales) = self.normal_scales()?;
        scales.is_empty().then_some((mean, sd))
    }

    /// Mean and standard deviation of normal inputs, and by coordinate the factor of the latter, which
    /// are empty where all are 1; `None` for others.
    pub fn normal_scales(&self) -> Option<(f64, f64, &[f64])> {
        match self {
            Inputs::Law(law) if law.law.name == normal::LAW.name => {
                let values = law.values();
                Some((values.number("mean"), values.number("sd"), law.scales()))
            }
            _ => None,
        }
    }

    /// Whether they are a fixed design, the same in every resample.
    pub fn is_design(&self) -> bool {
        matches!(self, Inputs::Law(law) if law.law.is_design())
    }

    /// Whether inputs are whole numbers, which no grid stands for.
    pub fn is_discrete(&self) -> bool {
        matches!(self, Inputs::Mixture(mixture) if mixture.is_discrete())
    }

    /// Checks that inputs can be drawn.
    ///
    /// # Errors
    ///
    /// If the range is empty or not finite, or normal inputs have no room to vary.
    pub(super) fn check(&self) -> Result<(), ProblemError> {
        let Inputs::Law(law) = self else {
            return Ok(());
        };
        (law.law.check)(law.values())?;
        let odd = |scale: &&f64| !(scale.is_finite() && **scale > 0.0);
        if let Some(scale) = law.scales.iter().find(odd) {
            return Err(ProblemError::NoSpread(*scale));
        }
        let (from, to) = law.range();
        if !(from.is_finite() && to.is_finite() && (to - from).is_finite()) {
            return Err(ProblemError::InfiniteRange { from, to });
        }
        match from < to {
            true => Ok(()),
            false => Err(ProblemError::EmptyRange { from, to }),
        }
    }

    /// The range of a coordinate, such as its ends, or mean ± [`NORMAL_REACH`] sd; of a mixture or a
    /// table, what holds that of every class and coordinate.
    pub fn range(&self) -> (f64, f64) {
        match self {
            Inputs::Law(law) => law.range(),
            Inputs::Mixture(mixture) => mixture.range(),
            Inputs::Rows(rows) => rows.range(),
            Inputs::Density(density) => density.range(),
        }
    }

    /// Fills `points` with `count` points. Drawn one after the other, so that a longer sample
    /// begins with the shorter one.
    ///
    /// # Panics
    ///
    /// If the inputs are a fixed design and `count` is not a whole number to the power of the
    /// dimension; [`side`] tells.
    pub fn draw(&self, count: usize, dimension: usize, stream: &mut Stream, points: &mut Points) {
        points.refill(dimension, |coordinates| match self {
            Inputs::Law(law) => match law.law.coordinate {
                CoordinateRule::Random(draw) => {
                    let start = coordinates.len();
                    coordinates.resize(start + count * dimension, 0.0);
                    draw(law.values(), stream, &mut coordinates[start..]);
                    if !law.scales.is_empty() {
                        let mean = law.values().number("mean");
                        for point in coordinates[start..].chunks_exact_mut(dimension) {
                            for (x, scale) in point.iter_mut().zip(&law.scales) {
                                *x = mean + scale * (*x - mean);
                            }
                        }
                    }
                }
                CoordinateRule::Design(place) => {
                    let values = law.values();
                    let place = |cell, cells| place(values, cell, cells);
                    fill_design(count, dimension, place, coordinates);
                }
            },
            Inputs::Mixture(mixture) => (0..count).for_each(|_| mixture.draw(stream, coordinates)),
            Inputs::Density(density) => {
                coordinates.extend((0..count).map(|_| density.draw(stream)));
            }
            Inputs::Rows(rows) => {
                let inputs = &rows.train.inputs;
                for _ in 0..count {
                    coordinates.extend_from_slice(inputs.row(stream.random_range(0..inputs.len())));
                }
            }
        });
    }

    /// The density at a point up to a factor: how much a test point on a grid counts when errors are
    /// averaged over the inputs' distribution. Errors of estimates of a density are integrated over x,
    /// where every point counts the same.
    pub fn weight(&self, x: &[f64]) -> f64 {
        match self {
            Inputs::Law(law) if law.scales.is_empty() => {
                let density = |x: &f64| (law.law.density)(law.values(), *x);
                x.iter().map(density).product()
            }
            Inputs::Law(law) => {
                let mean = law.values().number("mean");
                let density = |(x, scale): (&f64, &f64)| {
                    (law.law.density)(law.values(), mean + (x - mean) / scale)
                };
                x.iter().zip(&law.scales).map(density).product()
            }
            Inputs::Mixture(mixture) => mixture.density(x),
            Inputs::Rows(_) | Inputs::Density(_) => 1.0,
        }
    }

    /// Which share of the distribution lies beyond a grid, on which the densities sum to `total`.
    pub fn beyond(&self, grid: &TestGrid, total: f64) -> f64 {
        match self {
            Inputs::Law(law) => {
                let widest = law.scales.iter().copied().fold(0.0, f64::max);
                let inside = |axis: usize| match law.scales.get(axis) {
                    // The grid goes as far along every axis as the widest coordinate.
                    Some(scale) => {
                        let reach = NORMAL_REACH * widest / scale;
                        1.0 - erfc(reach / std::f64::consts::SQRT_2)
                    }
                    None => 1.0 - law.law.outside,
                };
                1.0 - (0..grid.dimension()).map(inside).product::<f64>()
            }
            Inputs::Mixture(_) => (1.0 - total * grid.volume()).max(0.0),
            Inputs::Rows(_) => 0.0,
            Inputs::Density(density) => {
                let (from, to) = density.range();
                (1.0 - density.probability(from, to)).max(0.0)
            }
        }
    }
}

/// The number of cells along each axis of a grid of `count` points, where it is whole.
pub fn side(count: usize, dimension: usize) -> Option<usize> {
    let guess = pow(count as f64, 1.0 / dimension as f64).round() as usize;
    (u32::try_from(dimension)
        .ok()
        .and_then(|d| guess.checked_pow(d))
        == Some(count))
    .then_some(guess)
}

/// The midpoints of a grid of `count` cells over the range, the last coordinate running fastest.
pub fn grid(from: f64, to: f64, count: usize, dimension: usize) -> Points {
    let mut values = Vec::new();
    let place = |cell, cells| equispaced::midpoint(from, to, cell, cells);
    fill_design(count, dimension, place, &mut values);
    Points::new(dimension, values)
}

/// All combinations of the places along each axis, the last coordinate running fastest.
fn fill_design(
    count: usize,
    dimension: usize,
    place: impl Fn(usize, usize) -> f64,
    coordinates: &mut Vec<f64>,
) {
    let side = side(count, dimension).expect("a grid's size is checked with the experiment");
    for point in 0..count {
        for axis in (0..dimension).rev() {
            coordinates.push(place(point / side.pow(axis as u32) % side, side));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Purpose;

    #[test]
    fn a_grid_is_made_of_cell_midpoints() {
        assert_eq!(grid(0.0, 4.0, 4, 1).values(), [0.5, 1.5, 2.5, 3.5]);
        let square = grid(0.0, 2.0, 4, 2);
        assert_eq!(square.values(), [0.5, 0.5, 0.5, 1.5, 1.5, 0.5, 1.5, 1.5]);
        assert_eq!(side(27, 3), Some(3));
        assert_eq!(side(28, 3), None);
    }

    #[test]
    fn test_points_meet_every_phase_of_a_grid_of_inputs() {
        let inputs = Inputs::grid(0.0, 1.0);
        // As many as there are inputs: midpoints would be the inputs themselves.
        let points = TestGrid::new(&inputs, 200, 1).points();
        let mut phases: Vec<f64> = points
            .values()
            .iter()
            .map(|x| (200.0 * x).fract())
            .collect();
        phases.sort_by(f64::total_cmp);
        let largest = phases.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(largest.fold(phases[0], f64::max) < 0.02);
        assert!(points.is_sorted());
        let uniform = Inputs::uniform(0.0, 2.0);
        let square = TestGrid::new(&uniform, 4, 2).points();
        assert_eq!(square, grid(0.0, 2.0, 4, 2));
    }

    #[test]
    fn a_longer_sample_begins_with_the_shorter_one() {
        for inputs in [Inputs::uniform(-1.0, 2.0), Inputs::normal(1.0, 2.0)] {
            let draw = |count| {
                let mut points = Points::default();
                inputs.draw(
                    count,
                    2,
                    &mut Stream::new(1, Purpose::Inputs, 0),
                    &mut points,
                );
                points.values().to_vec()
            };
            assert_eq!(draw(10)[..], draw(25)[..20]);
        }
    }
}
