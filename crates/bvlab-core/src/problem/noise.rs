//! The noise in the labels.

use rand::RngExt;

use super::{Expression, ProblemError};
use crate::maths::{fill_laplace, fill_normal, fill_student_t};
use crate::stream::Stream;

/// The shape of the noise. Its size is given apart, by its standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Gaussian.
    Normal,
    /// Uniform on ±√3 sd.
    Uniform,
    /// Laplace, with scale sd/√2.
    Laplace,
    /// Student's t, shrunk by √((ν-2)/ν) so that its sd is what was asked for.
    StudentT {
        /// ν, above 2.
        degrees: f64,
    },
}

/// Noise with mean zero: a shape times a standard deviation that may depend on x.
#[derive(Clone, Debug)]
pub struct Noise {
    /// The shape, of unit variance.
    pub shape: Shape,
    /// The standard deviation s(x).
    pub sd: Expression,
}

impl Noise {
    /// Gaussian noise.
    ///
    /// # Errors
    ///
    /// If the standard deviation is negative or not finite.
    pub fn normal(sd: f64) -> Result<Self, ProblemError> {
        Noise::new(Shape::Normal, sd)
    }

    /// Noise of any shape and a standard deviation that does not depend on x.
    ///
    /// # Errors
    ///
    /// If the standard deviation is negative or not finite, or Student's t has 2 degrees of freedom
    /// or fewer.
    pub fn new(shape: Shape, sd: f64) -> Result<Self, ProblemError> {
        if !(sd >= 0.0 && sd.is_finite()) {
            return Err(ProblemError::Sd(sd));
        }
        let noise = Noise {
            shape,
            sd: Expression::constant(sd),
        };
        noise.check()?;
        Ok(noise)
    }

    /// Whether it has a variance. Its standard deviation is checked where it is used, because it may
    /// depend on x.
    pub(super) fn check(&self) -> Result<(), ProblemError> {
        if let Shape::StudentT { degrees } = self.shape
            && !(degrees > 2.0 && degrees.is_finite())
        {
            return Err(ProblemError::Degrees(degrees));
        }
        Ok(())
    }

    /// The degrees of freedom of Student's t: it has moments below that order only. `None` where all
    /// moments exist.
    pub fn degrees(&self) -> Option<f64> {
        match self.shape {
            Shape::StudentT { degrees } => Some(degrees),
            Shape::Normal | Shape::Uniform | Shape::Laplace => None,
        }
    }

    /// Fills `draws` with independent noise of unit variance; [`Noise::sd`] makes it to size.
    pub fn draw_unit(&self, stream: &mut Stream, draws: &mut [f64]) {
        match self.shape {
            Shape::Normal => fill_normal(stream, draws),
            Shape::Uniform => {
                draws.fill_with(|| 3.0_f64.sqrt() * (2.0 * stream.random::<f64>() - 1.0))
            }
            Shape::Laplace => fill_laplace(stream, draws),
            Shape::StudentT { degrees } => {
                fill_student_t(stream, degrees, draws);
                let shrink = ((degrees - 2.0) / degrees).sqrt();
                draws.iter_mut().for_each(|draw| *draw *= shrink);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Purpose;

    #[test]
    fn every_shape_has_mean_zero_and_unit_variance() {
        let shapes = [
            Shape::Normal,
            Shape::Uniform,
            Shape::Laplace,
            Shape::StudentT { degrees: 9.0 },
        ];
        for shape in shapes {
            let noise = Noise {
                shape,
                sd: Expression::parse("1", 1).unwrap(),
            };
            let count = 200_000;
            let mut draws = vec![0.0; count];
            noise.draw_unit(&mut Stream::new(1, Purpose::Noise, 0), &mut draws);
            let mean = |power: i32| draws.iter().map(|e| e.powi(power)).sum::<f64>() / count as f64;
            let se = |power: i32| ((mean(2 * power) - mean(power).powi(2)) / count as f64).sqrt();
            assert!(mean(1).abs() < 4.0 * se(1), "{shape:?}: mean {}", mean(1));
            assert!(
                (mean(2) - 1.0).abs() < 4.0 * se(2),
                "{shape:?}: variance {}",
                mean(2)
            );
        }
    }
}
