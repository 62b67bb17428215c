//! The noise in the labels: one file per law.

mod laplace;
mod normal;
mod student_t;
mod uniform;

use super::{Expression, ProblemError};
use crate::parameter::{DataSize, NamedValues, Parameter, ParameterError};
use crate::stream::Stream;

/// A law of noise with mean 0 and variance 1. Its size is given apart, by a standard deviation.
///
/// A new law is one new file with a `NoiseLaw` in it and one line in [`NOISE_LAWS`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NoiseLaw {
    /// Its name in an experiment, such as `student-t`.
    pub name: &'static str,
    /// Its name in sentences, such as Student's t.
    pub title: &'static str,
    /// What it is, in a line.
    pub meaning: &'static str,
    /// Its parameters, beside the standard deviation.
    pub parameters: &'static [Parameter],
    /// Fills a slice with independent draws, point by point: fewer draws are the beginning of more.
    pub draw: fn(NamedValues, &mut Stream, &mut [f64]),
    /// The order below which moments exist; infinite if all do.
    pub moments: fn(NamedValues) -> f64,
}

/// Every law of noise.
pub const NOISE_LAWS: &[NoiseLaw] = &[normal::LAW, uniform::LAW, laplace::LAW, student_t::LAW];

impl NoiseLaw {
    /// A law without parameters, all of whose moments exist.
    pub const fn new(
        name: &'static str,
        title: &'static str,
        meaning: &'static str,
        draw: fn(NamedValues, &mut Stream, &mut [f64]),
    ) -> Self {
        NoiseLaw {
            name,
            title,
            meaning,
            parameters: &[],
            draw,
            moments: |_| f64::INFINITY,
        }
    }

    /// The same with parameters.
    pub const fn parameters(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters = parameters;
        self
    }

    /// The same with an order below which moments exist.
    pub const fn moments(mut self, moments: fn(NamedValues) -> f64) -> Self {
        self.moments = moments;
        self
    }

    /// The law of that name.
    pub fn find(name: &str) -> Option<NoiseLaw> {
        NOISE_LAWS.iter().find(|law| law.name == name).copied()
    }
}

/// Noise with mean zero: draws of a law times a standard deviation that may depend on x.
///
/// ```
/// use bvlab_core::problem::{Noise, NoiseLaw};
///
/// let law = NoiseLaw::find("student-t").unwrap();
/// assert!(Noise::new(law, &[5.0], 0.5).is_ok());
/// let error = Noise::new(law, &[2.0], 0.5).unwrap_err();
/// assert_eq!(error.to_string(), "the noise: `degrees` must be above 2, not 2");
/// ```
#[derive(Clone, Debug)]
pub struct Noise {
    /// The law, of unit variance.
    pub law: NoiseLaw,
    /// The values of its parameters, in their order.
    pub values: Vec<f64>,
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
        Noise::new(normal::LAW, &[], sd)
    }

    /// Gaussian noise whose standard deviation may depend on x.
    pub fn normal_by(sd: Expression) -> Self {
        Noise {
            law: normal::LAW,
            values: Vec::new(),
            sd,
        }
    }

    /// Noise of any law, with values of its parameters in their order, and a standard deviation that
    /// does not depend on x.
    ///
    /// # Errors
    ///
    /// If the standard deviation is negative or not finite, or a value is not allowed.
    pub fn new(law: NoiseLaw, values: &[f64], sd: f64) -> Result<Self, ProblemError> {
        if !(sd >= 0.0 && sd.is_finite()) {
            return Err(ProblemError::Sd(sd));
        }
        let noise = Noise {
            law,
            values: values.to_vec(),
            sd: Expression::constant(sd),
        };
        noise.check()?;
        Ok(noise)
    }

    /// Whether every parameter has a value that is allowed. The standard deviation is checked where
    /// it is used, because it may depend on x.
    pub(super) fn check(&self) -> Result<(), ProblemError> {
        for (i, parameter) in self.law.parameters.iter().enumerate() {
            let name = parameter.name;
            let value = self.values.get(i).copied();
            let value = value.ok_or(ProblemError::Noise(ParameterError::Missing { name }))?;
            let checked = parameter.check(value, DataSize::UNKNOWN);
            checked.map_err(ProblemError::Noise)?;
        }
        Ok(())
    }

    fn named(&self) -> NamedValues<'_> {
        NamedValues::new(self.law.parameters, &self.values)
    }

    /// The order below which its moments exist, such as the degrees of freedom of Student's t. `None`
    /// where all exist.
    pub fn degrees(&self) -> Option<f64> {
        Some((self.law.moments)(self.named())).filter(|order| order.is_finite())
    }

    /// Fills `draws` with independent noise of unit variance; [`Noise::sd`] makes it to size.
    pub fn draw_unit(&self, stream: &mut Stream, draws: &mut [f64]) {
        (self.law.draw)(self.named(), stream, draws);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Purpose;

    /// Parameters at which enough moments exist for the error bars below.
    fn noise(law: NoiseLaw) -> Noise {
        let values = law
            .parameters
            .iter()
            .map(|parameter| 9.0_f64.max(2.0 * parameter.least));
        Noise::new(law, &values.collect::<Vec<f64>>(), 1.0).unwrap()
    }

    #[test]
    fn every_law_has_mean_zero_and_unit_variance() {
        for law in NOISE_LAWS {
            let count = 200_000;
            let mut draws = vec![0.0; count];
            noise(*law).draw_unit(&mut Stream::new(1, Purpose::Noise, 0), &mut draws);
            let mean = |power: i32| draws.iter().map(|e| e.powi(power)).sum::<f64>() / count as f64;
            let se = |power: i32| ((mean(2 * power) - mean(power).powi(2)) / count as f64).sqrt();
            assert!(
                mean(1).abs() < 4.0 * se(1),
                "{}: mean {}",
                law.name,
                mean(1)
            );
            let variance = mean(2);
            assert!(
                (variance - 1.0).abs() < 4.0 * se(2),
                "{}: variance {variance}",
                law.name
            );
        }
    }

    #[test]
    fn fewer_draws_are_the_beginning_of_more() {
        for law in NOISE_LAWS {
            let draw = |count: usize| {
                let mut draws = vec![0.0; count];
                noise(*law).draw_unit(&mut Stream::new(1, Purpose::Noise, 0), &mut draws);
                draws
            };
            assert_eq!(draw(7), draw(100)[..7], "{}", law.name);
        }
    }
}
