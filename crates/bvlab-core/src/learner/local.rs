//! Local linear regression.

use super::family::{Blueprint, Family};
use super::kernel::{BANDWIDTH, KernelShape, SHAPE, unit_of};
use super::symmetric::SymmetricSolver;
use super::{Learner, Size, room};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::dot;
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family::new(
    "local",
    "local linear regression: a plane by least squares, weighted by proximity",
    build,
)
.parameters(&[BANDWIDTH])
.choices(&[SHAPE])
.one_fit("every bandwidth, from one set of distances");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings();
    let bandwidths = settings
        .map(|setting| setting.number(BANDWIDTH.name))
        .collect();
    Box::new(Local::new(bandwidths, KernelShape::chosen(&blueprint)))
}

/// Local linear regression: the prediction at x is the constant c of the plane that minimises
/// Σ K(‖x - x_i‖/h) (y_i - c - b·(x_i - x))².
///
/// The kernel K is one of those of [`Kernel`](super::Kernel), which predicts the weighted mean alone.
/// Where the points that have weight do not determine all slopes, as fewer than two distinct points
/// in one dimension do not, the slopes b of least norm are taken: with one distinct point that is the
/// weighted mean. Where none has weight, the prediction is the label of the nearest point. A Gaussian's
/// weights are taken relative to the nearest point's, so that there is always one; weights
/// below 10⁻²⁸⁰ of it do not count.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `bandwidth` | h, in units of x | above 0 | must be given |
/// | `shape` | `gaussian`, `epanechnikov`, `tricube` or `uniform` | | `gaussian` |
///
/// **Cost** of a whole path: O(n) distances per test point, and O(n d² + d³) per test point and
/// bandwidth in d dimensions.
///
/// **Reference**: Cleveland (1979); Fan and Gijbels, *Local Polynomial Modelling and Its Applications*
/// (1996); Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 6.1.1.
///
/// ```
/// use bvlab_core::learner::{KernelShape, Learner, Local};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0, 5.0]),
///     labels: vec![10.0, 20.0, 60.0],
/// };
/// let mut local = Local::new(vec![0.5, 2.0, 100.0], KernelShape::Uniform);
/// local.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// local.predict(&Points::new(1, vec![0.8]), &mut out);
/// assert!((out[0] - 20.0).abs() < 1e-12); // one point is in reach
/// assert!((out[1] - 18.0).abs() < 1e-12); // and here, as everywhere, labels lie on a line
/// assert!((out[2] - 18.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct Local {
    bandwidths: Vec<f64>,
    shape: KernelShape,
    data: Training,
    squares: Vec<f64>,
    weights: Vec<f64>,
    /// The inputs relative to the nearest one, and then to their weighted mean; column by column.
    offsets: Vec<f64>,
    reach: f64,
    centred: Vec<f64>,
    /// The same times the weights.
    weighted: Vec<f64>,
    /// The labels less their weighted mean.
    labels: Vec<f64>,
    moments: Vec<f64>,
    slopes: Vec<f64>,
    shift: Vec<f64>,
    solver: SymmetricSolver,
}

impl Local {
    /// A path over `bandwidths`.
    pub fn new(bandwidths: Vec<f64>, shape: KernelShape) -> Self {
        Local {
            bandwidths,
            shape,
            data: Training::default(),
            squares: Vec::new(),
            weights: Vec::new(),
            offsets: Vec::new(),
            reach: 1.0,
            centred: Vec::new(),
            weighted: Vec::new(),
            labels: Vec::new(),
            moments: Vec::new(),
            slopes: Vec::new(),
            shift: Vec::new(),
            solver: SymmetricSolver::default(),
        }
    }

    /// Distances from a point, in units of `unit`; returns the nearest training point.
    fn look_from(&mut self, x: &[f64], unit: f64) -> usize {
        let inputs = &self.data.inputs;
        self.squares.clear();
        self.squares.extend(inputs.rows().map(|row| {
            let along = row.iter().zip(x).map(|(a, b)| (a - b) / unit);
            along.map(|d| d * d).sum::<f64>()
        }));
        let mut nearest = (f64::INFINITY, 0);
        for (i, square) in self.squares.iter().enumerate() {
            if *square < nearest.0 {
                nearest = (*square, i);
            }
        }
        let (count, from) = (inputs.len(), nearest.1);
        let offsets = room(&mut self.offsets, count * x.len());
        let mut reach = 0.0_f64;
        for (k, column) in offsets.chunks_exact_mut(count).enumerate() {
            let origin = inputs.get(from, k);
            for (offset, row) in column.iter_mut().zip(inputs.rows()) {
                *offset = (row[k] - origin) / unit;
                reach = reach.max(offset.abs());
            }
        }
        // As shares of the largest, so that squares of small ones do not vanish.
        self.reach = if reach > 0.0 { reach } else { 1.0 };
        let reach = self.reach;
        offsets.iter_mut().for_each(|offset| *offset /= reach);
        from
    }

    /// Weights, offsets from their weighted mean and its distance from x, and the matrix of the moments,
    /// for one bandwidth in units of `unit`; returns the sum of the weights. Where it is 0, nothing else
    /// is filled in.
    fn weigh(&mut self, x: &[f64], unit: f64, nearest: usize, h: f64) -> f64 {
        let (count, dimension) = (self.data.len(), x.len());
        let weights = room(&mut self.weights, count);
        let squares = &self.squares[..count];
        self.shape.weights(squares, squares[nearest], h, weights);
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return 0.0;
        }
        let offsets = &self.offsets[..count * dimension];
        let centred = room(&mut self.centred, count * dimension);
        let weighted = room(&mut self.weighted, count * dimension);
        let shift = room(&mut self.shift, dimension);
        for k in 0..dimension {
            let column = k * count..(k + 1) * count;
            let offsets = &offsets[column.clone()];
            let middle = dot(weights, offsets) / total;
            let here = (x[k] - self.data.inputs.get(nearest, k)) / unit / self.reach;
            shift[k] = here - middle;
            let both = centred[column.clone()]
                .iter_mut()
                .zip(&mut weighted[column]);
            for ((centred, weighted), (offset, weight)) in both.zip(offsets.iter().zip(&*weights)) {
                *centred = offset - middle;
                *weighted = weight * *centred;
            }
        }
        let moments = room(&mut self.moments, dimension * dimension);
        for (k, weighted) in weighted.chunks_exact(count).enumerate() {
            for (l, centred) in centred.chunks_exact(count).take(k + 1).enumerate() {
                let moment = dot(weighted, centred);
                moments[k * dimension + l] = moment;
                moments[l * dimension + k] = moment;
            }
        }
        total
    }

    /// The prediction at x with one bandwidth in units of `unit`.
    fn predict_at(&mut self, x: &[f64], unit: f64, nearest: usize, h: f64) -> f64 {
        let (count, dimension) = (self.data.len(), x.len());
        let origin = self.data.labels[nearest];
        let total = self.weigh(x, unit, nearest, h);
        if total <= 0.0 {
            return origin;
        }
        let weights = &self.weights[..count];
        let labels = room(&mut self.labels, count);
        for (label, y) in labels.iter_mut().zip(&self.data.labels) {
            *label = y - origin;
        }
        let mean = dot(weights, labels) / total;
        labels.iter_mut().for_each(|label| *label -= mean);
        let slopes = room(&mut self.slopes, dimension);
        let weighted = self.weighted[..count * dimension].chunks_exact(count);
        for (slope, weighted) in slopes.iter_mut().zip(weighted) {
            *slope = dot(weighted, labels);
        }
        let moments = &mut self.moments[..dimension * dimension];
        self.solver.solve(moments, slopes);
        origin + (mean + dot(slopes, &self.shift[..dimension]))
    }

    /// The leverage of pair i: w/Σw + w cᵀA⁻¹c with its weight w, its offset c from the weighted mean and
    /// the matrix A of the moments.
    fn leverage_at(&mut self, i: usize, unit: f64, nearest: usize, h: f64) -> f64 {
        let x = self.data.inputs.row(i).to_vec();
        let total = self.weigh(&x, unit, nearest, h);
        if total <= 0.0 {
            return f64::from(i == nearest);
        }
        let slopes = room(&mut self.slopes, x.len());
        let shift = &self.shift[..x.len()];
        slopes.copy_from_slice(shift);
        self.solver
            .solve(&mut self.moments[..x.len() * x.len()], slopes);
        self.weights[i] * (1.0 / total + dot(slopes, shift))
    }
}

impl Learner for Local {
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
        let dimension = points.dimension();
        let each = dimension + self.bandwidths.len() * (8 + dimension * (dimension + 3));
        for (j, x) in points.rows().enumerate() {
            interrupt.check(self.data.len() * each)?;
            let nearest = self.look_from(x, unit);
            for c in 0..self.bandwidths.len() {
                let h = self.bandwidths[c] / unit;
                out[c * points.len() + j] = self.predict_at(x, unit, nearest, h);
            }
        }
        Ok(())
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn try_leverages(
        &mut self,
        data: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<bool, Interrupted> {
        let (count, dimension) = (data.len(), data.inputs.dimension());
        self.data.clone_from(data);
        let unit = unit_of(data.inputs.values(), &[]);
        let each = dimension + self.bandwidths.len() * (8 + dimension * (dimension + 3));
        for i in 0..count {
            interrupt.check(count * each)?;
            let nearest = self.look_from(data.inputs.row(i), unit);
            for c in 0..self.bandwidths.len() {
                let h = self.bandwidths[c] / unit;
                out[c * count + i] = self.leverage_at(i, unit, nearest, h);
            }
        }
        Ok(true)
    }

    fn residuals_leave_one_out(&self) -> bool {
        true
    }

    fn operations(&self, size: Size) -> f64 {
        let each = 8.0 + size.dimension * (size.dimension + 3.0);
        let path = size.dimension + self.capacities() as f64 * each;
        size.predictions() * size.train * path
    }

    fn numbers_held(&self, size: Size) -> f64 {
        size.train * (4.0 * size.dimension + 5.0)
    }
}
