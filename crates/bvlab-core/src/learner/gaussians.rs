//! Ridge regression on evenly spaced Gaussians.

use faer::MatRef;

use super::family::{Blueprint, Family, LAMBDA};
use super::grouping::group_of;
use super::spectrum::Spectrum;
use super::{Learner, Size, room, solving};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::combine;
use crate::maths::{exp_all, square};
use crate::parameter::Parameter;
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family::new(
    "gaussians",
    "ridge on evenly spaced Gaussian bumps and a constant",
    build,
)
.parameters(&[
    Parameter::whole(
        "count",
        "number of Gaussians, from end to end of the inputs' range",
    )
    .symbol("p")
    .least(1.0)
    .up_to(2000.0)
    .default(24.0)
    .usual(2.0, 48.0),
    Parameter::number("width", "standard deviation of a Gaussian, in units of x")
        .symbol("s")
        .unit("units of x")
        .above(0.0),
    LAMBDA,
])
.one_dimensional()
.capacity("lambda")
.one_fit("every λ of a basis, from one SVD");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| GaussiansSetting {
        count: setting.whole("count"),
        width: setting.number("width"),
        lambda: setting.number("lambda"),
    });
    Box::new(Gaussians::new(settings.collect(), blueprint.range))
}

/// One setting of [`Gaussians`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaussiansSetting {
    /// How many Gaussians.
    pub count: usize,
    /// Their standard deviation.
    pub width: f64,
    /// The penalty λ on the squared weights.
    pub lambda: f64,
}

/// Ridge regression on a constant and Gaussians exp(-(x - μ_j)²/(2 w²)), whose centres μ_j run
/// evenly from one end of the inputs' range to the other (a single one stands in the middle).
///
/// The weights minimise Σ (y - Σ_j w_j φ_j(x))² + λ ‖w‖². The constant is penalised like all
/// others. At λ = 0 the solution of minimum norm is taken.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `count` | number of Gaussians | 1 to 2000 | 24 |
/// | `width` | their standard deviation w, in units of x | above 0 | must be given |
/// | `lambda` | λ, against the *sum* of squared residuals | from 0 | 0 |
///
/// **Cost** of a whole path: one SVD for every distinct (`count`, `width`) gives every λ.
///
/// **Reference**: Bishop, *Pattern Recognition and Machine Learning* (2006), section 3.2.
///
/// ```
/// use bvlab_core::learner::{Gaussians, GaussiansSetting, Learner};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.1, 0.5, 0.9]),
///     labels: vec![1.0, 2.0, 3.0],
/// };
/// let path = [0.0, 1e9].map(|lambda| GaussiansSetting { count: 5, width: 0.2, lambda });
/// let mut learner = Gaussians::new(path.to_vec(), (0.0, 1.0));
/// learner.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 2];
/// learner.predict(&Points::new(1, vec![0.5]), &mut out);
/// assert!((out[0] - 2.0).abs() < 1e-9 && out[1].abs() < 1e-6);
/// ```
#[derive(Clone, Debug)]
pub struct Gaussians {
    capacities: usize,
    bases: Vec<GaussianBasis>,
    columns: Vec<f64>,
    spectrum: Spectrum,
}

/// All settings of one basis.
#[derive(Clone, Debug)]
struct GaussianBasis {
    centres: Vec<f64>,
    count: usize,
    width: f64,
    settings: Vec<usize>,
    lambdas: Vec<f64>,
    weights: Vec<f64>,
}

impl Gaussians {
    /// A path over `settings`, in any order, for inputs of that range.
    pub fn new(settings: Vec<GaussiansSetting>, (from, to): (f64, f64)) -> Self {
        let mut bases: Vec<GaussianBasis> = Vec::new();
        for (c, setting) in settings.iter().enumerate() {
            let same = |basis: &GaussianBasis| {
                basis.count == setting.count && basis.width == setting.width
            };
            let centre = |j: usize| match setting.count {
                1 => (from + to) / 2.0,
                count => from + (to - from) * j as f64 / (count - 1) as f64,
            };
            let basis = group_of(&mut bases, same, || GaussianBasis {
                centres: (0..setting.count).map(centre).collect(),
                count: setting.count,
                width: setting.width,
                settings: Vec::new(),
                lambdas: Vec::new(),
                weights: Vec::new(),
            });
            basis.settings.push(c);
            basis.lambdas.push(setting.lambda);
        }
        Gaussians {
            capacities: settings.len(),
            bases,
            columns: Vec::new(),
            spectrum: Spectrum::default(),
        }
    }
}

impl GaussianBasis {
    /// φ_1, φ_2, … at many places, one after the other, the constant last.
    fn fill<'a>(&self, x: &[f64], columns: &'a mut Vec<f64>) -> &'a [f64] {
        let columns = room(columns, (self.count + 1) * x.len());
        let (bumps, constant) = columns.split_at_mut(self.count * x.len());
        for (column, centre) in bumps.chunks_exact_mut(x.len()).zip(&self.centres) {
            for (value, x) in column.iter_mut().zip(x) {
                *value = -0.5 * square((x - centre) / self.width);
            }
        }
        exp_all(bumps);
        constant.fill(1.0);
        columns
    }
}

impl Learner for Gaussians {
    fn capacities(&self) -> usize {
        self.capacities
    }

    fn try_fit(
        &mut self,
        data: &Training,
        _: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let x = data.inputs.values();
        for basis in &mut self.bases {
            let columns = basis.fill(x, &mut self.columns);
            let design = MatRef::from_column_major_slice(columns, x.len(), basis.count + 1);
            interrupt.check(solving(x.len(), basis.count + 1))?;
            let weights = self.spectrum.ridge(design, &data.labels, &basis.lambdas);
            basis.weights.clear();
            basis.weights.extend_from_slice(weights);
        }
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let x = points.values();
        for basis in &self.bases {
            let columns = basis.fill(x, &mut self.columns);
            let weights = basis.weights.chunks_exact(basis.count + 1);
            for (weights, &c) in weights.zip(&basis.settings) {
                interrupt.check(columns.len())?;
                combine(&mut out[c * x.len()..][..x.len()], 0.0, columns, weights);
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
        let x = data.inputs.values();
        for basis in &self.bases {
            let columns = basis.fill(x, &mut self.columns);
            let design = MatRef::from_column_major_slice(columns, x.len(), basis.count + 1);
            interrupt.check(solving(x.len(), basis.count + 1))?;
            let filter = |c: usize, s: f64| s / (s * s + basis.lambdas[c]);
            let found = self.spectrum.leverages(design, basis.lambdas.len(), filter);
            for (found, &c) in found.chunks_exact(x.len()).zip(&basis.settings) {
                out[c * x.len()..][..x.len()].copy_from_slice(found);
            }
        }
        Ok(true)
    }

    fn residuals_leave_one_out(&self) -> bool {
        true
    }

    fn operations(&self, size: Size) -> f64 {
        let bases = self.bases.iter().map(|basis| basis.count as f64 + 1.0);
        let each = |columns: f64| size.solve(columns) + 10.0 * columns * size.predictions();
        bases.map(each).sum::<f64>() + self.capacities as f64 * size.predictions()
    }
}
