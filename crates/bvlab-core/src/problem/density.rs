//! A density to be estimated: a mixture of normal and uniform parts on the line.

use rand::RngExt;

use super::ProblemError;
use crate::maths::{erfc, exp, normal, power, square};
use crate::stream::Stream;
use crate::words::did_you_mean;

/// How many standard deviations around its mean a normal part of a density reaches, for the range of
/// x that the error is integrated over where none is given.
pub const DENSITY_REACH: f64 = 4.0;

/// The most parts that a density may have.
pub const MOST_PARTS: usize = 100;

/// A density on the line, and the range of x that errors of its estimates are integrated over.
///
/// ```
/// use bvlab_core::problem::Density;
///
/// let claw = Density::marron_wand("claw").unwrap();
/// assert_eq!(claw.parts().len(), 6);
/// assert_eq!(claw.range(), (-4.0, 4.0));
/// assert!((claw.probability(-100.0, 100.0) - 1.0).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Density {
    parts: Vec<DensityPart>,
    range: (f64, f64),
}

/// A part of a density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DensityPart {
    /// Its share; those of a density sum to 1.
    pub share: f64,
    /// Its form.
    pub form: DensityForm,
}

/// The form of a part of a density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DensityForm {
    /// Normal.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        sd: f64,
    },
    /// The same everywhere between two ends.
    Uniform {
        /// The lower end.
        from: f64,
        /// The upper end.
        to: f64,
    },
}

/// The names of the densities of Marron and Wand (1992), in their order.
pub const MARRON_WAND: [&str; 15] = [
    "gaussian",
    "skewed-unimodal",
    "strongly-skewed",
    "kurtotic-unimodal",
    "outlier",
    "bimodal",
    "separated-bimodal",
    "skewed-bimodal",
    "trimodal",
    "claw",
    "double-claw",
    "asymmetric-claw",
    "asymmetric-double-claw",
    "smooth-comb",
    "discrete-comb",
];

/// P(Z > z) of a standard normal Z.
fn upper(z: f64) -> f64 {
    0.5 * erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}

/// P(a < Z < b) of a standard normal Z, without loss of digits in the tails.
fn normal_between(a: f64, b: f64) -> f64 {
    match a > 0.0 {
        true => upper(a) - upper(b),
        false => upper(-b) - upper(-a),
    }
}

/// The normal density.
fn normal_density(x: f64, sd: f64) -> f64 {
    // 1/√(2π).
    const PEAK: f64 = 0.398_942_280_401_432_7;
    PEAK / sd * exp(-0.5 * square(x / sd))
}

impl DensityForm {
    fn at(self, x: f64) -> f64 {
        match self {
            DensityForm::Normal { mean, sd } => normal_density(x - mean, sd),
            DensityForm::Uniform { from, to } => match (from..to).contains(&x) {
                true => 1.0 / (to - from),
                false => 0.0,
            },
        }
    }

    fn probability(self, a: f64, b: f64) -> f64 {
        match self {
            DensityForm::Normal { mean, sd } => normal_between((a - mean) / sd, (b - mean) / sd),
            DensityForm::Uniform { from, to } => {
                (b.clamp(from, to) - a.clamp(from, to)) / (to - from)
            }
        }
    }

    fn smoothed(self, x: f64, h: f64) -> f64 {
        match self {
            DensityForm::Normal { mean, sd } => {
                normal_density(x - mean, (square(sd) + square(h)).sqrt())
            }
            DensityForm::Uniform { from, to } => {
                normal_between((x - to) / h, (x - from) / h) / (to - from)
            }
        }
    }

    fn draw(self, stream: &mut Stream) -> f64 {
        match self {
            DensityForm::Normal { mean, sd } => mean + sd * normal(stream),
            DensityForm::Uniform { from, to } => from + (to - from) * stream.random::<f64>(),
        }
    }

    fn range(self) -> (f64, f64) {
        match self {
            DensityForm::Normal { mean, sd } => {
                (mean - DENSITY_REACH * sd, mean + DENSITY_REACH * sd)
            }
            DensityForm::Uniform { from, to } => (from, to),
        }
    }

    fn check(self) -> Result<(), ProblemError> {
        match self {
            // No draw is ever forty standard deviations out; a tiny sd must not be lost in rounding.
            DensityForm::Normal { mean, sd } if sd > 0.0 && sd.is_finite() => {
                let lost = mean + 1e-6 * sd == mean && mean != 0.0;
                let room = (mean.abs() + 40.0 * sd).is_finite() && sd > 1e-150 && !lost;
                room.then_some(()).ok_or(ProblemError::NoRoom { mean, sd })
            }
            DensityForm::Normal { sd, .. } => Err(ProblemError::NoSpread(sd)),
            DensityForm::Uniform { from, to } => check_range((from, to)),
        }
    }
}

fn check_range((from, to): (f64, f64)) -> Result<(), ProblemError> {
    if !(from.is_finite() && to.is_finite() && (to - from).is_finite()) {
        return Err(ProblemError::InfiniteRange { from, to });
    }
    match from < to && to - from > 1e-150 {
        true => Ok(()),
        false => Err(ProblemError::EmptyRange { from, to }),
    }
}

impl Density {
    /// A mixture of parts, whose shares are divided by their sum.
    ///
    /// # Errors
    ///
    /// If there is no part, a share is not above 0, or a part leaves nothing to draw.
    pub fn new(mut parts: Vec<DensityPart>) -> Result<Self, ProblemError> {
        let total: f64 = parts.iter().map(|part| part.share).sum();
        if !(total > 0.0 && total.is_finite()) || parts.len() > MOST_PARTS {
            return Err(ProblemError::NoDensity);
        }
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for part in &mut parts {
            if part.share.is_nan() || part.share <= 0.0 {
                return Err(ProblemError::NoDensity);
            }
            part.form.check()?;
            part.share /= total;
            let (from, to) = part.form.range();
            range = (range.0.min(from), range.1.max(to));
        }
        Density { parts, range }.over(range)
    }

    /// The same with another range of x that errors are integrated over.
    ///
    /// # Errors
    ///
    /// If the range is empty or not finite.
    pub fn over(mut self, range: (f64, f64)) -> Result<Self, ProblemError> {
        check_range(range)?;
        self.range = range;
        Ok(self)
    }

    /// The density of that name in Table 1 of Marron and Wand, *Exact mean integrated squared error*,
    /// Annals of Statistics 20 (1992).
    ///
    /// # Errors
    ///
    /// A name that looks like it, or all names.
    pub fn marron_wand(name: &str) -> Result<Self, String> {
        let number = MARRON_WAND.iter().position(|known| *known == name);
        let number = number.ok_or_else(|| did_you_mean(name, MARRON_WAND))?;
        let part = |share: f64, mean: f64, sd: f64| DensityPart {
            share,
            form: DensityForm::Normal { mean, sd },
        };
        let thirds = |l: u32| power(2.0 / 3.0, l);
        let halves = |l: u32| power(0.5, l);
        let parts: Vec<DensityPart> = match number {
            0 => vec![part(1.0, 0.0, 1.0)],
            1 => vec![
                part(0.2, 0.0, 1.0),
                part(0.2, 0.5, 2.0 / 3.0),
                part(0.6, 13.0 / 12.0, 5.0 / 9.0),
            ],
            2 => (0..8)
                .map(|l| part(1.0, 3.0 * (thirds(l) - 1.0), thirds(l)))
                .collect(),
            3 => vec![part(2.0, 0.0, 1.0), part(1.0, 0.0, 0.1)],
            4 => vec![part(1.0, 0.0, 1.0), part(9.0, 0.0, 0.1)],
            5 => [-1.0, 1.0].map(|mean| part(1.0, mean, 2.0 / 3.0)).to_vec(),
            6 => [-1.5, 1.5].map(|mean| part(1.0, mean, 0.5)).to_vec(),
            7 => vec![part(3.0, 0.0, 1.0), part(1.0, 1.5, 1.0 / 3.0)],
            8 => vec![
                part(9.0, -1.2, 0.6),
                part(9.0, 1.2, 0.6),
                part(2.0, 0.0, 0.25),
            ],
            9 => std::iter::once(part(0.5, 0.0, 1.0))
                .chain((0..5).map(|l| part(0.1, f64::from(l) / 2.0 - 1.0, 0.1)))
                .collect(),
            10 => [-1.0, 1.0]
                .map(|mean| part(0.49, mean, 2.0 / 3.0))
                .into_iter()
                .chain((0..7).map(|l| part(1.0 / 350.0, f64::from(l - 3) / 2.0, 0.01)))
                .collect(),
            11 => std::iter::once(part(0.5, 0.0, 1.0))
                .chain((0..5).map(|l| {
                    // l - 2 runs from -2 to 2.
                    let half = 4.0 * halves(l);
                    part(2.0 * half / 31.0, f64::from(l) - 2.0 + 0.5, half / 10.0)
                }))
                .collect(),
            12 => [-1.0, 1.0]
                .map(|mean| part(0.46, mean, 2.0 / 3.0))
                .into_iter()
                .chain((1..4).map(|l| part(1.0 / 300.0, -f64::from(l) / 2.0, 0.01)))
                .chain((1..4).map(|l| part(7.0 / 300.0, f64::from(l) / 2.0, 0.07)))
                .collect(),
            13 => (0..6)
                .map(|l| {
                    let mean = (65.0 - 96.0 * halves(l)) / 21.0;
                    part(halves(l), mean, 32.0 / 63.0 * halves(l))
                })
                .collect(),
            _ => (0..3)
                .map(|l| part(6.0, (12.0 * f64::from(l) - 15.0) / 7.0, 2.0 / 7.0))
                .chain((8..11).map(|l| part(1.0, 2.0 * f64::from(l) / 7.0, 1.0 / 21.0)))
                .collect(),
        };
        Density::new(parts).map_err(|error| error.to_string())
    }

    /// The parts.
    pub fn parts(&self) -> &[DensityPart] {
        &self.parts
    }

    /// The range of x that errors are integrated over.
    pub fn range(&self) -> (f64, f64) {
        self.range
    }

    fn sum(&self, of: impl Fn(DensityForm) -> f64) -> f64 {
        let parts = self.parts.iter();
        parts.map(|part| part.share * of(part.form)).sum()
    }

    /// f(x).
    pub fn at(&self, x: f64) -> f64 {
        self.sum(|form| form.at(x))
    }

    /// The probability of the values from a to b.
    pub fn probability(&self, a: f64, b: f64) -> f64 {
        self.sum(|form| form.probability(a, b))
    }

    /// The density at x of a value plus independent normal noise of sd `h` above 0.
    pub fn smoothed(&self, x: f64, h: f64) -> f64 {
        self.sum(|form| form.smoothed(x, h))
    }

    /// Draws a value: first a part, then from that.
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        let mut rest: f64 = match self.parts.len() {
            1 => 0.0,
            _ => stream.random(),
        };
        let chosen = self.parts.iter().find(|part| {
            rest -= part.share;
            rest < 0.0
        });
        // Shares may sum to a little less than 1.
        let part = chosen.or(self.parts.last());
        part.map_or(f64::NAN, |part| part.form.draw(stream))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Purpose;

    fn all() -> Vec<Density> {
        let uniform = DensityPart {
            share: 3.0,
            form: DensityForm::Uniform {
                from: -1.0,
                to: 2.0,
            },
        };
        let bump = DensityPart {
            share: 1.0,
            form: DensityForm::Normal { mean: 1.0, sd: 0.2 },
        };
        let mut all: Vec<Density> = MARRON_WAND
            .iter()
            .map(|name| Density::marron_wand(name).unwrap())
            .collect();
        all.push(Density::new(vec![uniform]).unwrap());
        all.push(Density::new(vec![uniform, bump]).unwrap());
        all
    }

    /// The integral of the density by the midpoint rule is its probability; so is that of the
    /// smoothed one.
    #[test]
    fn densities_integrate_to_their_probabilities() {
        for density in all() {
            let (from, to, count) = (-12.0, 12.0, 48_000);
            let step = (to - from) / f64::from(count);
            let [mut whole, mut left, mut smooth] = [0.0; 3];
            for i in 0..count {
                let x = from + (f64::from(i) + 0.5) * step;
                whole += step * density.at(x);
                smooth += step * density.smoothed(x, 0.3);
                if x < 0.5 {
                    left += step * density.at(x);
                }
            }
            assert!((whole - 1.0).abs() < 1e-9, "{whole}");
            assert!((smooth - 1.0).abs() < 1e-9, "{smooth}");
            assert!((left - density.probability(-12.0, 0.5)).abs() < 1e-7);
        }
    }

    /// Table 1 of Marron and Wand by its moments: means and variances computed by hand.
    #[test]
    fn the_collection_has_the_moments_of_its_table() {
        let moments = |name: &str| {
            let density = Density::marron_wand(name).unwrap();
            let moment = |power: i32| {
                density.sum(|form| match form {
                    DensityForm::Normal { mean, sd } if power == 2 => mean * mean + sd * sd,
                    DensityForm::Normal { mean, .. } => mean,
                    DensityForm::Uniform { .. } => f64::NAN,
                })
            };
            let mean = moment(1);
            (mean, moment(2) - mean * mean)
        };
        let close = |name: &str, mean: f64, variance: f64| {
            let found = moments(name);
            let near = (found.0 - mean).abs() < 1e-12 && (found.1 - variance).abs() < 1e-12;
            assert!(near, "{name}: {found:?}");
        };
        close("gaussian", 0.0, 1.0);
        close(
            "skewed-unimodal",
            0.75,
            0.2 + 0.2 * (0.25 + 4.0 / 9.0) + 0.6 * (169.0 / 144.0 + 25.0 / 81.0) - 0.5625,
        );
        close("kurtotic-unimodal", 0.0, 2.0 / 3.0 + 0.01 / 3.0);
        close("outlier", 0.0, 0.1 + 0.009);
        close("bimodal", 0.0, 1.0 + 4.0 / 9.0);
        close("separated-bimodal", 0.0, 2.5);
        close(
            "skewed-bimodal",
            0.375,
            0.75 + 0.25 * (2.25 + 1.0 / 9.0) - 0.140_625,
        );
        close("trimodal", 0.0, 0.9 * (1.44 + 0.36) + 0.1 * 0.0625);
        close("claw", 0.0, 0.5 + 0.5 * (0.5 + 0.01));
        close(
            "double-claw",
            0.0,
            0.98 * (1.0 + 4.0 / 9.0) + 7.0 / 350.0 * (1.0 + 1e-4),
        );
        // The five claws of the asymmetric one have shares 8, 4, 2, 1 and ½ of 15.5, halved.
        let claw = Density::marron_wand("asymmetric-claw").unwrap();
        let shares: Vec<f64> = claw.parts().iter().map(|part| part.share).collect();
        for (share, expected) in shares.iter().zip([15.5, 8.0, 4.0, 2.0, 1.0, 0.5]) {
            assert!((share - expected / 31.0).abs() < 1e-15);
        }
        let sds = |part: &DensityPart| match part.form {
            DensityForm::Normal { mean, sd } => (mean, sd),
            DensityForm::Uniform { .. } => (f64::NAN, f64::NAN),
        };
        assert_eq!(sds(&claw.parts()[1]), (-1.5, 0.4));
        assert_eq!(sds(&claw.parts()[5]), (2.5, 0.025));
    }

    /// Draws have the probabilities of the density, within four standard errors.
    #[test]
    fn draws_follow_the_density() {
        for (which, density) in all().into_iter().enumerate() {
            let mut stream = Stream::new(which as u64, Purpose::Inputs, 0);
            let count = 20_000;
            let draws: Vec<f64> = (0..count).map(|_| density.draw(&mut stream)).collect();
            for edge in [-1.2, -0.5, 0.0, 0.4, 1.1] {
                let p = density.probability(-100.0, edge);
                let found = draws.iter().filter(|x| **x < edge).count() as f64 / f64::from(count);
                let chance = 4.0 * (p * (1.0 - p) / f64::from(count)).sqrt();
                assert!((found - p).abs() <= chance, "{which} {edge} {p} {found}");
            }
        }
    }

    #[test]
    fn what_is_no_density_is_refused() {
        let part = |share, mean, sd| DensityPart {
            share,
            form: DensityForm::Normal { mean, sd },
        };
        for wrong in [
            vec![],
            vec![part(0.0, 0.0, 1.0)],
            vec![part(1.0, 0.0, 1.0), part(-0.5, 0.0, 1.0)],
            vec![part(1.0, 0.0, 0.0)],
            vec![part(1.0, f64::NAN, 1.0)],
            vec![part(1.0, 1e300, 1e-300)],
        ] {
            assert!(Density::new(wrong.clone()).is_err(), "{wrong:?}");
        }
        assert!(Density::marron_wand("clew").unwrap_err().contains("claw"));
        let fine = Density::marron_wand("claw").unwrap();
        assert!(fine.clone().over((1.0, 1.0)).is_err());
        assert_eq!(fine.over((-3.0, 3.0)).unwrap().range(), (-3.0, 3.0));
    }
}
