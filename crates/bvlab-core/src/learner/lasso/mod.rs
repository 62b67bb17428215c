//! The lasso.

mod path;

use super::design::{Design, InputScale, SCALE};
use super::family::{Blueprint, Choice, Family};
use super::{Learner, Size};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::parameter::Parameter;
use crate::stream::Stream;
use path::LassoPath;

pub(super) const FAMILY: Family = Family::new(
    "lasso",
    "linear regression with a penalty on the absolute weights, which makes many of them zero",
    build,
)
.parameters(&[Parameter::number(
    "lambda",
    "penalty on the sum of the absolute weights, against half the mean of the squared residuals",
)
.symbol("λ")
.usual(1e-3, 1.0)])
.choices(&[
    Choice::flag(
        "intercept",
        "whether a constant, which is not penalised, is fitted too",
    ),
    SCALE,
])
.one_fit("every λ, from the path with exact knots");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings();
    let lambdas = settings.map(|setting| setting.number("lambda")).collect();
    let scale = InputScale::chosen(&blueprint);
    Box::new(Lasso::new(lambdas, blueprint.flag("intercept"), scale))
}

/// The lasso: weights that minimise 1/(2n) Σ (y - c - w·x)² + λ Σ |w_j|.
///
/// The constant c is not penalised, and left out with `intercept = false`. The inputs are taken as they
/// are, or with `scale = "sd"` divided by their standard deviations in the training set (with
/// 1/n), and the penalty is on the weights of what is then the input. λ = 0 is the end of the path:
/// least squares, or where the data do not determine the weights, some that fit with the least
/// Σ |w_j|.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `lambda` | λ, against *half the mean* of squared residuals | from 0 | must be given |
/// | `intercept` | whether a constant is fitted | `true` or `false` | `true` |
/// | `scale` | what inputs are divided by | `none` or `sd` | `none` |
///
/// **Cost** of a whole path: the weights are piecewise linear in λ, and the path is followed from the
/// largest λ to the smallest that is asked for, from one knot to the next, where a weight becomes
/// zero or ceases to be (least-angle regression with the lasso's modification). A knot takes
/// O(n p) where an input comes in for the first time, and O(p k) with k weights that are not zero;
/// most paths have about as many knots as inputs. Where several events coincide so that
/// rounding decides, the optimality conditions are checked and coordinate descent finishes.
///
/// **Reference**: Tibshirani (1996); Osborne, Presnell and Turlach (2000); Efron, Hastie, Johnstone and
/// Tibshirani, *Least angle regression*, Annals of Statistics 32 (2004).
///
/// ```
/// use bvlab_core::learner::{InputScale, Lasso, Learner};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![-1.0, 1.0]),
///     labels: vec![1.0, 5.0], // 3 + 2x
/// };
/// let mut lasso = Lasso::new(vec![0.0, 0.5, 9.0], true, InputScale::None);
/// lasso.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// lasso.predict(&Points::new(1, vec![1.0]), &mut out);
/// assert_eq!(out, [5.0, 4.5, 3.0]); // a weight of 2, less λ, but not below 0
/// ```
#[derive(Clone, Debug)]
pub struct Lasso {
    lambdas: Vec<f64>,
    intercept: bool,
    scale: InputScale,
    /// The settings by falling λ.
    order: Vec<usize>,
    design: Design,
    path: LassoPath,
    weights: Vec<f64>,
}

impl Lasso {
    /// A path over `lambdas`, in any order.
    pub fn new(lambdas: Vec<f64>, intercept: bool, scale: InputScale) -> Self {
        let mut order: Vec<usize> = (0..lambdas.len()).collect();
        order.sort_by(|&a, &b| lambdas[b].total_cmp(&lambdas[a]));
        Lasso {
            lambdas,
            intercept,
            scale,
            order,
            design: Design::default(),
            path: LassoPath::default(),
            weights: Vec::new(),
        }
    }
}

impl Learner for Lasso {
    fn capacities(&self) -> usize {
        self.lambdas.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        _: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.design.load(data, self.intercept, self.scale);
        let width = self.design.width();
        self.weights.clear();
        self.weights.resize(width * self.lambdas.len(), 0.0);
        // Inputs that are divided by their own sd have no unit; others have the common one.
        let unit = match self.scale {
            InputScale::None => self.design.scales.first().copied().unwrap_or(1.0),
            InputScale::Sd => 1.0,
        };
        let Design { unit: label, .. } = self.design;
        let order = self.order.iter();
        let wanted = order.map(|&c| (self.lambdas[c] / unit / label, c));
        self.path
            .follow(&self.design, wanted, &mut self.weights, interrupt)
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        interrupt.check(out.len() * self.design.width())?;
        self.design.predict(&self.weights, points, out);
        Ok(())
    }

    fn operations(&self, size: Size) -> f64 {
        let knots = size.train.min(size.dimension);
        let path = size.dimension * knots * (size.train + 4.0 * knots);
        path + self.capacities() as f64 * size.dimension * size.predictions()
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let columns = size.train + size.train.min(size.dimension) + 6.0;
        size.dimension * (columns + self.capacities() as f64)
    }
}
