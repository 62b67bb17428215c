//! Kernel smoothing.

use super::family::{Blueprint, Choice, Family};
use super::{Learner, Size};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::{LANES, Lanes, wide};
use crate::maths::{power, weight_exp};
use crate::parameter::Parameter;
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family::new(
    "kernel",
    "the mean label, weighted by proximity (Nadaraya–Watson)",
    build,
)
.parameters(&[BANDWIDTH])
.choices(&[SHAPE])
.one_fit("every bandwidth, from one set of distances");

/// The bandwidth, here and in local regression.
pub(super) const BANDWIDTH: Parameter = Parameter::number("bandwidth", "bandwidth of the kernel")
    .symbol("h")
    .unit("units of x")
    .above(0.0);

/// How a kernel's weight falls, here and in local regression.
pub(super) const SHAPE: Choice = Choice::new(
    "shape",
    "how the weight falls with distance",
    &["gaussian", "epanechnikov", "tricube", "uniform"],
);

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings();
    let bandwidths = settings
        .map(|setting| setting.number(BANDWIDTH.name))
        .collect();
    Box::new(Kernel::new(bandwidths, KernelShape::chosen(&blueprint)))
}

/// How a kernel's weight falls with u, the distance in bandwidths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KernelShape {
    /// exp(-u²/2): the bandwidth is its standard deviation.
    Gaussian,
    /// 1 - u² up to u = 1.
    Epanechnikov,
    /// (1 - u³)³ up to u = 1.
    Tricube,
    /// 1 up to u = 1.
    Uniform,
}

/// The Nadaraya–Watson smoother: the prediction at x is Σ K(‖x - x_i‖/h) y_i / Σ K(‖x - x_i‖/h).
///
/// A point that no training point reaches in a compact kernel gets the label of the nearest one
/// (the earliest, if several are as near). A Gaussian kernel reaches everywhere, and its weights
/// are taken relative to the nearest point's, so that none of them vanishes by rounding: as h
/// shrinks, it becomes the nearest neighbour too.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `bandwidth` | h, in units of x | above 0 | must be given |
/// | `shape` | `gaussian`, `epanechnikov`, `tricube` or `uniform` | | `gaussian` |
///
/// **Cost** of a whole path: O(n) distances and O(n) weights per test point and bandwidth.
///
/// **Reference**: Nadaraya (1964); Watson (1964); Hastie, Tibshirani and Friedman, *The Elements
/// of Statistical Learning*, section 6.1.
///
/// ```
/// use bvlab_core::learner::{Kernel, KernelShape, Learner};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0, 5.0]),
///     labels: vec![10.0, 20.0, 60.0],
/// };
/// let mut kernel = Kernel::new(vec![0.1, 2.0, 100.0], KernelShape::Uniform);
/// kernel.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// kernel.predict(&Points::new(1, vec![0.8]), &mut out);
/// assert_eq!(out, [20.0, 15.0, 30.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Kernel {
    bandwidths: Vec<f64>,
    shape: KernelShape,
    data: Training,
    squares: Vec<f64>,
}

impl Kernel {
    /// A path over `bandwidths`.
    pub fn new(bandwidths: Vec<f64>, shape: KernelShape) -> Self {
        Kernel {
            bandwidths,
            shape,
            data: Training::default(),
            squares: Vec::new(),
        }
    }
}

impl Learner for Kernel {
    fn capacities(&self) -> usize {
        self.bandwidths.len()
    }

    fn try_fit(&mut self, data: &Training, _: &Stream, _: &Interrupt) -> Result<(), Interrupted> {
        self.data.clone_from(data);
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let unit = unit_of(self.data.inputs.values(), points.values());
        let each = points.dimension() + 5 * self.bandwidths.len();
        for (j, x) in points.rows().enumerate() {
            interrupt.check(self.data.len() * each)?;
            self.squares.clear();
            self.squares.extend(self.data.inputs.rows().map(|row| {
                let along = row.iter().zip(x).map(|(a, b)| (a - b) / unit);
                along.map(|d| d * d).sum::<f64>()
            }));
            let mut nearest = (f64::INFINITY, 0.0);
            for (square, label) in self.squares.iter().zip(&self.data.labels) {
                if *square < nearest.0 {
                    nearest = (*square, *label);
                }
            }
            for (c, h) in self.bandwidths.iter().enumerate() {
                let (squares, labels) = (&self.squares, &self.data.labels);
                let [total, sum] = self.shape.sums(squares, labels, nearest.0, *h / unit);
                out[c * points.len() + j] = match total > 0.0 {
                    true => sum / total,
                    false => nearest.1,
                };
            }
        }
        Ok(())
    }

    fn is_linear(&self) -> bool {
        true
    }

    /// A pair's own weight, which is 1 before it is divided by the sum of all.
    fn try_leverages(
        &mut self,
        data: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<bool, Interrupted> {
        let unit = unit_of(data.inputs.values(), &[]);
        let each = data.inputs.dimension() + 5 * self.bandwidths.len();
        for (j, x) in data.inputs.rows().enumerate() {
            interrupt.check(data.len() * each)?;
            self.squares.clear();
            self.squares.extend(data.inputs.rows().map(|row| {
                let along = row.iter().zip(x).map(|(a, b)| (a - b) / unit);
                along.map(|d| d * d).sum::<f64>()
            }));
            for (c, h) in self.bandwidths.iter().enumerate() {
                let [total, _] = self.shape.sums(&self.squares, &data.labels, 0.0, *h / unit);
                out[c * data.len() + j] = 1.0 / total;
            }
        }
        Ok(true)
    }

    fn residuals_leave_one_out(&self) -> bool {
        true
    }

    fn operations(&self, size: Size) -> f64 {
        let distances = size.dimension + 5.0 * self.capacities() as f64;
        size.predictions() * size.train * distances
    }
}

/// A power of two that distances are measured in: 1, but where the inputs are so large or so small
/// that squared distances would leave the range of numbers.
pub(super) fn unit_of(inputs: &[f64], points: &[f64]) -> f64 {
    let most = |all: &[f64]| all.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let size = most(inputs).max(most(points));
    match size == 0.0 || (1e-100..1e100).contains(&size) {
        true => 1.0,
        false => f64::from_bits(size.to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE),
    }
}

impl KernelShape {
    /// That of a family with the choice [`SHAPE`].
    pub(super) fn chosen(blueprint: &Blueprint) -> Self {
        let shapes = [
            ("gaussian", KernelShape::Gaussian),
            ("epanechnikov", KernelShape::Epanechnikov),
            ("tricube", KernelShape::Tricube),
            ("uniform", KernelShape::Uniform),
        ];
        blueprint.chosen(SHAPE.name, &shapes)
    }

    /// Writes the weight of every point: those of a Gaussian relative to the nearest point's, whose
    /// squared distance is `least`.
    pub(super) fn weights(self, squares: &[f64], least: f64, h: f64, out: &mut [f64]) {
        let scale = 0.5 / h / h;
        let points = out.iter_mut().zip(squares);
        match self {
            KernelShape::Gaussian if scale.is_finite() => wide(
                #[inline(always)]
                || points.for_each(|(out, square)| *out = weight_exp((least - square) * scale)),
            ),
            KernelShape::Gaussian => {
                points.for_each(|(out, square)| *out = f64::from(*square <= least));
            }
            _ => points.for_each(|(out, square)| *out = self.weight(square.sqrt() / h)),
        }
    }

    /// The sum of the weights, and that of the weighted labels, of points at squared distances of
    /// which the smallest is `least`.
    fn sums(self, squares: &[f64], labels: &[f64], least: f64, h: f64) -> [f64; 2] {
        let scale = 0.5 / h / h;
        let points = squares.iter().zip(labels);
        let add = |[total, sum]: [f64; 2], (weight, label): (f64, &f64)| {
            [total + weight, sum + weight * label]
        };
        match self {
            // Relative to the nearest point's weight: far from all points none would be left.
            KernelShape::Gaussian if scale.is_finite() => weighted(squares, labels, least, scale),
            KernelShape::Gaussian => points
                .map(|(square, label)| (f64::from(*square <= least), label))
                .fold([0.0; 2], add),
            _ => points
                .map(|(square, label)| (self.weight(square.sqrt() / h), label))
                .fold([0.0; 2], add),
        }
    }

    /// The weight at a distance in bandwidths, for shapes of bounded support.
    fn weight(self, u: f64) -> f64 {
        match self {
            _ if u > 1.0 => 0.0,
            KernelShape::Epanechnikov => 1.0 - u * u,
            KernelShape::Tricube => power(1.0 - u * u * u, 3),
            KernelShape::Gaussian | KernelShape::Uniform => 1.0,
        }
    }
}

/// Σ w and Σ w y over the points, with weights w = exp(-scale · (d² - least)) at squared distances
/// d² ≥ least and labels y. A weight
/// below e^-700 is 0.
fn weighted(squares: &[f64], labels: &[f64], least: f64, scale: f64) -> [f64; 2] {
    wide(
        #[inline(always)]
        || {
            let (mut totals, mut sums) = (Lanes::all(0.0), Lanes::all(0.0));
            let (whole, rest) = squares.as_chunks::<LANES>();
            let (whole_labels, rest_labels) = labels.as_chunks::<LANES>();
            for (squares, labels) in whole.iter().zip(whole_labels) {
                let mut weights = *squares;
                for weight in &mut weights {
                    *weight = weight_exp((least - *weight) * scale);
                }
                totals = totals + Lanes(weights);
                sums = sums + Lanes(weights) * Lanes(*labels);
            }
            let mut weights = [0.0; LANES];
            for (weight, square) in weights.iter_mut().zip(rest) {
                *weight = weight_exp((least - square) * scale);
            }
            totals = totals + Lanes(weights);
            sums = sums + Lanes(weights) * Lanes::padded(rest_labels);
            [totals, sums].map(Lanes::total)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_plain_loop() {
        for count in [1, 7, 8, 9, 100, 1003] {
            let squares: Vec<f64> = (0..count).map(|i| 0.5 + 0.37 * f64::from(i)).collect();
            let labels: Vec<f64> = squares.iter().map(|square| square.sin() + 2.0).collect();
            let weights = squares.iter().map(|square| (-0.1 * (square - 0.5)).exp());
            let total: f64 = weights.clone().sum();
            let sum: f64 = weights
                .zip(&labels)
                .map(|(weight, label)| weight * label)
                .sum();
            let found = weighted(&squares, &labels, 0.5, 0.1);
            assert!((found[0] - total).abs() < 1e-14 * total, "{count}");
            assert!((found[1] - sum).abs() < 1e-14 * sum, "{count}");
        }
    }
}
