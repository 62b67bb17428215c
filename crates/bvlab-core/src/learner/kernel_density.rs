//! Kernel estimates of a density.

use super::density::{DensityEstimator, Smoothing, check_width};
use super::family::{Blueprint, Choice, Family, LabelKind};
use super::histogram::sort_into;
use super::kernel::BANDWIDTH;
use super::{Learner, Size};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::{LANES, Lanes, wide};
use crate::maths::{power, square, weight_exp};
use crate::problem::Density;
use crate::stream::Stream;

const SHAPE: Choice = Choice::new(
    "shape",
    "how the kernel falls with distance",
    &["gaussian", "epanechnikov", "uniform"],
);

pub(super) const FAMILY: Family = Family::new(
    "kernel-density",
    "the mean of kernels that stand on the values of the sample",
    build,
)
.parameters(&[BANDWIDTH])
.choices(&[SHAPE])
.one_dimensional()
.labels(LabelKind::Density)
.one_fit("every bandwidth, from one sorted sample")
.allows(|blueprint, _| {
    let mut settings = blueprint.settings();
    settings.try_for_each(|setting| {
        check_width(
            BANDWIDTH.name,
            setting.number(BANDWIDTH.name),
            blueprint.range,
        )
    })
});

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings();
    let bandwidths = settings.map(|setting| setting.number(BANDWIDTH.name));
    let shapes = [
        ("gaussian", DensityKernel::Gaussian),
        ("epanechnikov", DensityKernel::Epanechnikov),
        ("uniform", DensityKernel::Uniform),
    ];
    let shape = blueprint.chosen(SHAPE.name, &shapes);
    Box::new(KernelDensity::new(bandwidths.collect(), shape))
}

/// The kernel K(u), u being the distance in bandwidths. It integrates to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DensityKernel {
    /// exp(-u²/2)/√(2π): the bandwidth is its standard deviation.
    Gaussian,
    /// ¾(1 - u²) up to u = 1.
    Epanechnikov,
    /// ½ up to u = 1.
    Uniform,
}

/// 1/√(2π).
const PEAK: f64 = 0.398_942_280_401_432_7;

impl DensityKernel {
    /// Beyond this distance in bandwidths it is 0, or rounded to 0.
    fn reach(self) -> f64 {
        match self {
            DensityKernel::Gaussian => 38.0,
            DensityKernel::Epanechnikov | DensityKernel::Uniform => 1.0,
        }
    }

    /// K(0).
    fn peak(self) -> f64 {
        match self {
            DensityKernel::Gaussian => PEAK,
            DensityKernel::Epanechnikov => 0.75,
            DensityKernel::Uniform => 0.5,
        }
    }

    /// Σ K((x - x_i)/h) over values within reach.
    fn sum(self, near: &[f64], x: f64, h: f64) -> f64 {
        match self {
            DensityKernel::Gaussian => PEAK * gaussian_sum(near, x, 1.0 / h),
            DensityKernel::Epanechnikov => {
                let each = near.iter().map(|value| square((x - value) / h));
                0.75 * each.map(|u2| (1.0 - u2).max(0.0)).sum::<f64>()
            }
            DensityKernel::Uniform => 0.5 * near.len() as f64,
        }
    }

    /// Σ (K ∗ K)((x - x_i)/h): the convolution of the kernel with itself, which reaches twice as far.
    fn convolved_sum(self, near: &[f64], x: f64, h: f64) -> f64 {
        let u = |value: &f64| ((x - value) / h).abs();
        match self {
            DensityKernel::Gaussian => {
                let wide = std::f64::consts::SQRT_2;
                PEAK / wide * gaussian_sum(near, x, 1.0 / (wide * h))
            }
            DensityKernel::Epanechnikov => {
                let each = near.iter().map(u).filter(|u| *u < 2.0);
                let each = each.map(|u| power(2.0 - u, 3) * (u * u + 6.0 * u + 4.0));
                3.0 / 160.0 * each.sum::<f64>()
            }
            DensityKernel::Uniform => near.iter().map(|v| 0.25 * (2.0 - u(v)).max(0.0)).sum(),
        }
    }
}

/// Σ exp(-((x - x_i) scale)²/2).
fn gaussian_sum(near: &[f64], x: f64, scale: f64) -> f64 {
    wide(
        #[inline(always)]
        || {
            let mut total = Lanes::all(0.0);
            let (whole, rest) = near.as_chunks::<LANES>();
            for values in whole {
                let mut weights = *values;
                for weight in &mut weights {
                    let u = (x - *weight) * scale;
                    *weight = weight_exp(-0.5 * (u * u));
                }
                total = total + Lanes(weights);
            }
            let mut weights = [0.0; LANES];
            for (weight, value) in weights.iter_mut().zip(rest) {
                let u = (x - value) * scale;
                *weight = weight_exp(-0.5 * (u * u));
            }
            (total + Lanes(weights)).total()
        },
    )
}

/// The kernel estimate of a density: f̂(x) = 1/(n h) Σ K((x - x_i)/h).
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `bandwidth` | h, in units of x | above 0 | must be given |
/// | `shape` | `gaussian`, `epanechnikov` or `uniform` | | `gaussian` |
///
/// Exact means and variances are known for Gaussian and uniform kernels.
///
/// **Cost** of a whole path: O(n log n), and for every test point and bandwidth a search and the values
/// within reach, which for a Gaussian kernel are nearly all.
///
/// **Reference**: Rosenblatt (1956); Parzen (1962); Wand and Jones, *Kernel Smoothing*, chapters 2 and 3.
///
/// ```
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::learner::{DensityKernel, KernelDensity, Learner};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0]),
///     labels: vec![0.0; 2],
/// };
/// let mut kernel = KernelDensity::new(vec![0.5, 2.0], DensityKernel::Uniform);
/// kernel.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 2];
/// kernel.predict(&Points::new(1, vec![0.1]), &mut out);
/// assert_eq!(out, [0.5, 0.25]);
/// ```
#[derive(Clone, Debug)]
pub struct KernelDensity {
    bandwidths: Vec<f64>,
    shape: DensityKernel,
    sorted: Vec<f64>,
}

impl KernelDensity {
    /// A path over `bandwidths`.
    pub fn new(bandwidths: Vec<f64>, shape: DensityKernel) -> Self {
        KernelDensity {
            bandwidths,
            shape,
            sorted: Vec::new(),
        }
    }

    /// The values of the sample that are at most `reach` away from x.
    fn near(&self, x: f64, reach: f64) -> &[f64] {
        let from = self.sorted.partition_point(|value| *value < x - reach);
        let rest = &self.sorted[from..];
        &rest[..rest.partition_point(|value| *value <= x + reach)]
    }
}

impl Learner for KernelDensity {
    fn capacities(&self) -> usize {
        self.bandwidths.len()
    }

    fn try_fit(&mut self, data: &Training, _: &Stream, _: &Interrupt) -> Result<(), Interrupted> {
        sort_into(data, &mut self.sorted);
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let count = self.sorted.len() as f64;
        let rows = out.chunks_exact_mut(points.len());
        for (h, out) in self.bandwidths.iter().zip(rows) {
            let scale = 1.0 / (count * h);
            for (x, out) in points.values().iter().zip(out) {
                let near = self.near(*x, self.shape.reach() * h);
                interrupt.check(5 * near.len() + 16)?;
                *out = scale * self.shape.sum(near, *x, *h);
            }
        }
        Ok(())
    }

    fn as_density(&self) -> Option<&dyn DensityEstimator> {
        Some(self)
    }

    fn operations(&self, size: Size) -> f64 {
        5.0 * self.capacities() as f64 * size.predictions() * size.train
    }
}

impl DensityEstimator for KernelDensity {
    fn smoothing(&self) -> Smoothing {
        match self.shape {
            DensityKernel::Gaussian => Smoothing::Gaussian(self.bandwidths.clone()),
            DensityKernel::Epanechnikov | DensityKernel::Uniform => Smoothing::Other,
        }
    }

    fn moments(&self, density: &Density, _: usize, points: &Points) -> Option<Vec<[f64; 2]>> {
        // ∫ K² = 1/(2√π) of the Gaussian kernel, the square of which is one of sd 1/√2.
        let roughness = PEAK * std::f64::consts::FRAC_1_SQRT_2;
        let of = |x: f64, h: f64| match self.shape {
            DensityKernel::Gaussian => {
                let narrow = density.smoothed(x, h * std::f64::consts::FRAC_1_SQRT_2);
                Some([density.smoothed(x, h), roughness / h * narrow])
            }
            DensityKernel::Uniform => {
                let p = density.probability(x - h, x + h);
                Some([p / (2.0 * h), p / square(2.0 * h)])
            }
            DensityKernel::Epanechnikov => None,
        };
        let each = self.bandwidths.iter();
        let each = each.flat_map(|h| points.values().iter().map(|x| of(*x, *h)));
        each.collect()
    }

    fn can_vanish(&self) -> Option<(usize, &'static str)> {
        let bounded = self.shape != DensityKernel::Gaussian;
        bounded.then_some((
            0,
            "take `shape = \"gaussian\"`, which is above 0 everywhere",
        ))
    }

    fn cross_validates(&self) -> bool {
        true
    }

    fn try_cross_validate(&self, interrupt: &Interrupt) -> Result<Option<Vec<f64>>, Interrupted> {
        let count = self.sorted.len() as f64;
        let reach = self.shape.reach();
        let mut found = Vec::with_capacity(self.bandwidths.len());
        for h in &self.bandwidths {
            let (mut squares, mut others) = (0.0, 0.0);
            for x in &self.sorted {
                let near = self.near(*x, 2.0 * reach * h);
                interrupt.check(10 * near.len() + 16)?;
                squares += self.shape.convolved_sum(near, *x, *h);
                others += self.shape.sum(self.near(*x, reach * h), *x, *h) - self.shape.peak();
            }
            let left_out = 2.0 * others / (count * (count - 1.0));
            found.push((squares / square(count) - left_out) / h);
        }
        Ok(Some(found))
    }
}
