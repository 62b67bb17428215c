//! Mixtures of normals.

use super::density::{DensityEstimator, LEAST_SHARE};
use super::family::{Blueprint, Choice, Family, LabelKind};
use super::{Learner, Size};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{exp, square};
use crate::mixture_model::{EmSettings, GroupStart, MixtureCovariance, fit_mixture};
use crate::parameter::{Most, Parameter};
use crate::stream::Stream;

const COMPONENTS: Parameter = Parameter::whole("components", "number of normals")
    .symbol("K")
    .least(1.0)
    .most(Most::Train)
    .usual(1.0, 12.0);

const RESTARTS: Parameter = Parameter::whole(
    "restarts",
    "number of starts of EM; the one with the largest likelihood is kept",
)
.least(1.0)
.most(Most::Value(1000.0))
.default(3.0)
.usual(1.0, 10.0);

const FLOOR: Parameter = Parameter::number(
    "floor",
    "smallest standard deviation of a component, as a share of that of the sample",
)
.least(1e-4)
.most(Most::Value(1.0))
.default(0.05)
.usual(0.01, 0.3);

const COVARIANCE: Choice = Choice::new(
    "covariance",
    "whether every component has a variance of its own, or all have the same",
    &["full", "tied"],
);

pub(super) const FAMILY: Family = Family::new(
    "mixture",
    "a mixture of normals by maximum likelihood, found by EM",
    build,
)
.parameters(&[COMPONENTS, RESTARTS, FLOOR])
.choices(&[COVARIANCE])
.one_dimensional()
.labels(LabelKind::Density);

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| MixtureSetting {
        components: setting.whole(COMPONENTS.name),
        restarts: setting.whole(RESTARTS.name),
        floor: setting.number(FLOOR.name),
    });
    // On the line, a variance for every component is what the spherical form has.
    let forms = [
        ("full", MixtureCovariance::Spherical),
        ("tied", MixtureCovariance::Tied),
    ];
    let covariance = blueprint.chosen(COVARIANCE.name, &forms);
    let (from, to) = blueprint.range;
    let mixture = MixtureDensity::new(settings.collect(), covariance);
    Box::new(mixture.least_sd(LEAST_SHARE * (to - from)))
}

/// A setting of [`MixtureDensity`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixtureSetting {
    /// K, the number of components.
    pub components: usize,
    /// From how many starts EM is run.
    pub restarts: usize,
    /// The least standard deviation of a component, over that of the sample.
    pub floor: f64,
}

/// A mixture of K normals as an estimate of a density: f̂(x) = Σ_k π_k N(x; μ_k, σ_k²), whose weights,
/// means and variances maximise the log-likelihood Σ_i ln f̂(X_i) among the fits that EM finds.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `components` | K | 1 to n | must be given |
/// | `restarts` | starts of EM; the largest likelihood is kept | 1 to 1000 | 3 |
/// | `floor` | least σ_k, over the standard deviation of the sample | 0.0001 to 1 | 0.05 |
/// | `covariance` | `full`: every σ_k is free; `tied`: all are equal | | `full` |
///
/// A component on a single value would make the likelihood infinite: a smaller σ_k than the floor is
/// raised to it in every step of EM, which is the maximum under this constraint. The standard deviation of
/// the sample is the one with 1/n, and so is that of the only component of K = 1. For samples of equal
/// values, a component has at least a millionth of the range of x.
///
/// A start is k-means from centres by k-means++, and ends when a step of EM raises the log-likelihood by
/// less than 10⁻⁶ n, or after 200 steps. Start r of K components draws from the r-th child of the K-th child
/// of the stream, so that it does not depend on the other settings. The likelihood has many maxima, and the
/// one that is kept need not be the largest. A sample of fewer than K values has a component for each.
///
/// **Cost** of a setting: O(n K) for a step, O(m K) for the predictions at m points. Settings share nothing.
///
/// **Reference**: McLachlan and Peel, *Finite Mixture Models* (2000), chapters 2 and 3; Hathaway, *A
/// constrained formulation of maximum-likelihood estimation for normal mixture distributions*, Annals of
/// Statistics 13 (1985), for the floor.
///
/// ```
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::learner::{Learner, MixtureDensity, MixtureSetting};
/// use bvlab_core::mixture_model::MixtureCovariance;
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![-5.5, -4.5, 4.5, 5.5]),
///     labels: vec![0.0; 4],
/// };
/// let setting = |components| MixtureSetting { components, restarts: 3, floor: 0.05 };
/// let settings = vec![setting(1), setting(2)];
/// let mut mixture = MixtureDensity::new(settings, MixtureCovariance::Tied);
/// mixture.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 4];
/// mixture.predict(&Points::new(1, vec![0.0, 5.0]), &mut out);
/// assert!(out[0] > 0.07 && out[1] < out[0]); // one wide component around 0
/// assert!(out[2] < 1e-20 && (out[3] - 0.3989).abs() < 1e-4); // two, of sd 0.5, around -5 and 5
/// ```
#[derive(Clone, Debug)]
pub struct MixtureDensity {
    settings: Vec<MixtureSetting>,
    covariance: MixtureCovariance,
    least_sd: f64,
    /// The components of every setting, where it was fitted.
    fits: Vec<Vec<Bump>>,
}

/// A normal density times a weight.
#[derive(Clone, Copy, Debug)]
struct Bump {
    /// Its height.
    peak: f64,
    mean: f64,
    sd: f64,
}

/// 1/√(2π).
const PEAK: f64 = 0.398_942_280_401_432_7;

impl Bump {
    fn at(self, x: f64) -> f64 {
        self.peak * exp(-0.5 * square((x - self.mean) / self.sd))
    }
}

impl MixtureDensity {
    /// A path over settings.
    pub fn new(settings: Vec<MixtureSetting>, covariance: MixtureCovariance) -> Self {
        MixtureDensity {
            settings,
            covariance,
            least_sd: LEAST_SHARE,
            fits: Vec::new(),
        }
    }

    /// The same with another least standard deviation of a component, in units of x, for samples without
    /// spread. It is 10⁻⁶ otherwise.
    pub fn least_sd(mut self, least: f64) -> Self {
        self.least_sd = least;
        self
    }

    fn fit_one(
        &self,
        setting: MixtureSetting,
        sample: &Standardised,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<Vec<Bump>, Interrupted> {
        let least = (self.least_sd / sample.scale).min(1.0);
        let rules = EmSettings {
            covariance: self.covariance,
            floor: square(setting.floor.max(least)),
            ..EmSettings::default()
        };
        let fit = fit_mixture(
            &sample.values,
            setting.components,
            &rules,
            &GroupStart::PlusPlus,
            setting.restarts,
            &stream.child(setting.components as u64),
            interrupt,
        )?;
        let parts = fit.mixture().components.iter();
        let parts = parts.filter(|part| part.weight > 0.0);
        let bumps = parts.map(|part| {
            let sd = sample.scale * part.variances[0].sqrt();
            Bump {
                peak: PEAK * part.weight / sd,
                mean: sample.mean + sample.scale * part.mean[0],
                sd,
            }
        });
        Ok(bumps.collect())
    }
}

/// A sample minus its mean, over its standard deviation.
struct Standardised {
    values: Points,
    mean: f64,
    scale: f64,
}

impl Standardised {
    /// The scale is at least `least`.
    fn new(values: &[f64], least: f64) -> Self {
        let count = values.len() as f64;
        let mean: f64 = values.iter().map(|x| x / count).sum();
        let away = || values.iter().map(|x| x - mean);
        // Squares of large or tiny values would overflow or vanish.
        let most = away().fold(0.0, |most: f64, away| most.max(away.abs()));
        let sd = match most > 0.0 {
            true => most * (away().map(|x| square(x / most)).sum::<f64>() / count).sqrt(),
            false => 0.0,
        };
        let scale = sd.max(least).max(f64::MIN_POSITIVE);
        Standardised {
            values: Points::new(1, away().map(|x| x / scale).collect()),
            mean,
            scale,
        }
    }
}

impl Learner for MixtureDensity {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.fits.clear();
        let sample = Standardised::new(data.inputs.values(), self.least_sd);
        let settings = self.settings.iter();
        let fits = settings.map(|setting| self.fit_one(*setting, &sample, stream, interrupt));
        self.fits = fits.collect::<Result<_, _>>()?;
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let rows = out.chunks_exact_mut(points.len());
        for (fit, out) in self.fits.iter().zip(rows) {
            for (x, out) in points.values().iter().zip(out) {
                interrupt.check(15 * fit.len())?;
                *out = fit.iter().map(|bump| bump.at(*x)).sum();
            }
        }
        Ok(())
    }

    fn as_density(&self) -> Option<&dyn DensityEstimator> {
        Some(self)
    }

    fn operations(&self, size: Size) -> f64 {
        let each = self.settings.iter().map(|setting| {
            let components = (setting.components as f64).min(size.train);
            let steps = setting.restarts as f64 * size.train * STEPS * 30.0;
            components * (steps + 15.0 * size.predictions())
        });
        each.sum()
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let most = self.settings.iter().map(|setting| setting.components).max();
        size.train * (size.dimension + 4.0 + most.unwrap_or(0) as f64)
    }
}

/// How many steps EM takes from a start, roughly.
const STEPS: f64 = 100.0;

impl DensityEstimator for MixtureDensity {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Density, grid};
    use crate::stream::Purpose;

    const FORMS: [MixtureCovariance; 2] = [MixtureCovariance::Spherical, MixtureCovariance::Tied];

    fn setting(components: usize, restarts: usize) -> MixtureSetting {
        MixtureSetting {
            components,
            restarts,
            floor: 0.05,
        }
    }

    fn stream(resample: u64) -> Stream {
        Stream::new(3, Purpose::Algorithm, resample)
    }

    fn sample(values: Vec<f64>) -> Training {
        Training {
            labels: vec![0.0; values.len()],
            inputs: Points::new(1, values),
        }
    }

    fn drawn(name: &str, count: usize, resample: u64) -> Training {
        let density = Density::marron_wand(name).unwrap();
        let mut stream = Stream::new(5, Purpose::Inputs, resample);
        sample((0..count).map(|_| density.draw(&mut stream)).collect())
    }

    fn predicted(
        settings: &[MixtureSetting],
        covariance: MixtureCovariance,
        data: &Training,
        points: &Points,
    ) -> Vec<Vec<f64>> {
        let mut mixture = MixtureDensity::new(settings.to_vec(), covariance);
        mixture.fit(data, &stream(0));
        let mut out = vec![f64::NAN; settings.len() * points.len()];
        mixture.predict(points, &mut out);
        out.chunks_exact(points.len())
            .map(<[f64]>::to_vec)
            .collect()
    }

    fn log_likelihood(
        setting: MixtureSetting,
        covariance: MixtureCovariance,
        data: &Training,
    ) -> f64 {
        let at = predicted(&[setting], covariance, data, &data.inputs);
        at[0].iter().map(|f| crate::maths::ln(*f)).sum()
    }

    #[test]
    fn one_component_is_the_normal_density_of_mean_and_variance() {
        let points = grid(-4.0, 4.0, 81, 1);
        for data in [drawn("claw", 50, 0), drawn("outlier", 3, 1)] {
            let values = data.inputs.values();
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let variance = values.iter().map(|x| square(x - mean)).sum::<f64>() / count;
            for covariance in FORMS {
                let found = predicted(&[setting(1, 2)], covariance, &data, &points);
                for (x, found) in points.values().iter().zip(&found[0]) {
                    let expected = (-0.5 * square(x - mean) / variance).exp()
                        / (std::f64::consts::TAU * variance).sqrt();
                    assert!((found - expected).abs() < 1e-12, "{x}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn more_starts_are_never_less_likely() {
        let mut better = 0;
        for resample in 0..4 {
            let data = drawn("claw", 80, resample);
            for covariance in FORMS {
                for components in [3, 8] {
                    let of =
                        |restarts| log_likelihood(setting(components, restarts), covariance, &data);
                    let (one, two, five) = (of(1), of(2), of(5));
                    let rounding = 1e-9 * one.abs();
                    assert!(two >= one - rounding && five >= two - rounding);
                    better += usize::from(five > one + 1e-3);
                }
            }
        }
        assert!(better > 0);
    }

    #[test]
    fn estimates_integrate_to_one() {
        let points = grid(-60.0, 60.0, 30_000, 1);
        let settings = [setting(1, 1), setting(3, 2), setting(12, 1)];
        for data in [
            drawn("asymmetric-claw", 60, 0),
            drawn("skewed-unimodal", 10, 1),
            sample(vec![-7.0, 0.1, 0.1, 7.9]),
        ] {
            for covariance in FORMS {
                for row in predicted(&settings, covariance, &data, &points) {
                    assert!(row.iter().all(|f| *f >= 0.0));
                    let total = row.iter().sum::<f64>() * 4e-3;
                    assert!((total - 1.0).abs() < 1e-9, "{total}");
                }
            }
        }
    }

    #[test]
    fn a_path_is_made_of_single_fits() {
        let data = drawn("claw", 40, 2);
        let points = grid(-4.0, 4.0, 50, 1);
        let wide = MixtureSetting {
            floor: 0.4,
            ..setting(4, 2)
        };
        let settings = [
            setting(7, 1),
            setting(1, 3),
            setting(4, 2),
            wide,
            setting(7, 5),
        ];
        for covariance in FORMS {
            let all = predicted(&settings, covariance, &data, &points);
            for (setting, row) in settings.iter().zip(&all) {
                let one = predicted(&[*setting], covariance, &data, &points);
                assert_eq!(one[0], *row);
            }
        }
    }

    #[test]
    fn no_component_is_narrower_than_the_floor() {
        let data = drawn("discrete-comb", 60, 0);
        let own = Standardised::new(data.inputs.values(), 0.0);
        for covariance in FORMS {
            for floor in [1e-4, 0.05, 0.5, 1.0] {
                let setting = MixtureSetting {
                    floor,
                    ..setting(20, 2)
                };
                let mut mixture = MixtureDensity::new(vec![setting], covariance);
                mixture.fit(&data, &stream(0));
                let sds = mixture.fits[0].iter().map(|bump| bump.sd);
                let least = sds.clone().fold(f64::INFINITY, f64::min);
                let most = sds.fold(0.0, f64::max);
                assert!(least >= floor * own.scale * (1.0 - 1e-12));
                if covariance == MixtureCovariance::Tied {
                    assert!(most - least <= 1e-12 * most);
                }
            }
        }
    }

    #[test]
    fn two_distant_groups_are_found() {
        let data = drawn("separated-bimodal", 400, 0);
        for covariance in FORMS {
            let mut mixture = MixtureDensity::new(vec![setting(2, 3)], covariance);
            mixture.fit(&data, &stream(0));
            let mut means: Vec<f64> = mixture.fits[0].iter().map(|bump| bump.mean).collect();
            means.sort_by(f64::total_cmp);
            let near = (means[0] + 1.5).abs() < 0.15 && (means[1] - 1.5).abs() < 0.15;
            assert!(near, "{means:?}");
            let sds = mixture.fits[0].iter().map(|bump| bump.sd);
            assert!(sds.into_iter().all(|sd| (sd - 0.5).abs() < 0.1));
        }
    }

    #[test]
    fn samples_without_spread_or_with_few_values_have_finite_estimates() {
        let at = Points::new(
            1,
            vec![-f64::MAX, -2.0, 1.5, 1.5 + 1e-7, 7.0, 1e200, f64::MAX],
        );
        let settings = [setting(1, 2), setting(4, 3), setting(30, 2)];
        for values in [
            vec![0.0],
            vec![1.5; 9],
            vec![1.5, 1.5, 1.5, 7.0],
            vec![-2.0, 1.5],
            vec![1e200, 1.5, -1e200],
            vec![1e-200, 2e-200, 7e-200],
            vec![1e15, 1e15 + 1.0],
            vec![f64::MAX, -f64::MAX, 1.0],
        ] {
            let data = sample(values);
            for covariance in FORMS {
                for row in predicted(&settings, covariance, &data, &at) {
                    let fine = row.iter().all(|f| f.is_finite() && *f >= 0.0);
                    assert!(fine, "{:?}: {row:?}", data.inputs.values());
                }
            }
        }
        // Equal values: a normal density of the least sd.
        let mut mixture = MixtureDensity::new(settings.to_vec(), FORMS[0]).least_sd(0.01);
        mixture.fit(&sample(vec![1.5; 9]), &stream(0));
        let mut out = [0.0; 3];
        mixture.predict(&Points::new(1, vec![1.5]), &mut out);
        assert!(
            out.iter().all(|f| (f - PEAK / 0.01).abs() < 1e-9),
            "{out:?}"
        );
    }

    /// By a power of two, so that nothing is rounded.
    #[test]
    fn values_of_any_size_give_the_same_estimates() {
        let data = drawn("claw", 30, 3);
        let points = grid(-3.0, 3.0, 20, 1);
        let settings = [setting(1, 1), setting(5, 2)];
        for by in [2.0_f64.powi(-300), 4.0, 2.0_f64.powi(300)] {
            let scaled = |values: &[f64]| values.iter().map(|x| by * x).collect::<Vec<_>>();
            let larger = sample(scaled(data.inputs.values()));
            let places = Points::new(1, scaled(points.values()));
            for covariance in FORMS {
                let estimates = |data, points| {
                    let mut mixture =
                        MixtureDensity::new(settings.to_vec(), covariance).least_sd(0.0);
                    mixture.fit(data, &stream(0));
                    let mut out = vec![0.0; 2 * 20];
                    mixture.predict(points, &mut out);
                    out
                };
                let scaled = estimates(&larger, &places);
                for (own, scaled) in estimates(&data, &points).iter().zip(scaled) {
                    assert_eq!(*own, by * scaled);
                }
            }
        }
    }

    #[test]
    fn a_fit_can_be_interrupted() {
        let data = drawn("claw", 2000, 0);
        let mut mixture = MixtureDensity::new(vec![setting(20, 50)], FORMS[0]);
        let stop = Interrupt::new(&|| true);
        assert!(mixture.try_fit(&data, &stream(0), &stop).is_err());
        assert!(mixture.fits.is_empty());
    }
}
