//! Principal components regression.

use faer::MatRef;

use super::design::{Design, InputScale, SCALE};
use super::family::{Blueprint, Family};
use super::spectrum::Spectrum;
use super::{Learner, Size, solving};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::parameter::{Most, Parameter};
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family::new(
    "components",
    "least squares on the principal components of the inputs",
    build,
)
.parameters(&[
    Parameter::whole("components", "number of principal components used")
        .symbol("m")
        .most(Most::Dimension),
])
.choices(&[SCALE])
.one_fit("every number of components, from one SVD");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings();
    let counts = settings.map(|setting| setting.whole("components"));
    let scale = InputScale::chosen(&blueprint);
    Box::new(Components::new(counts.collect(), scale))
}

/// Principal components regression: least squares with a constant on the m directions in which the
/// inputs of the training set vary most.
///
/// With the centred inputs X = U diag(s) Vᵀ, s falling, the weights are Σ_{k ≤ m} v_k (u_k·y)/s_k. m = 0
/// is the mean label, and m = p least squares; singular values up to max(n, p) ε s_1 count as zero,
/// so that components beyond the rank add nothing, and the last fit is the one of least norm. The
/// inputs are taken as they are, or with `scale = "sd"` divided by their standard deviations in the
/// training set. Given the inputs, predictions are linear in the labels.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `components` | m, the number of components | 0 to the dimension | must be given |
/// | `scale` | what inputs are divided by | `none` or `sd` | `none` |
///
/// **Cost** of a whole path: one SVD, O(n p min(n, p)), gives every m.
///
/// **Reference**: Massy (1965); Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*,
/// section 3.5.1.
///
/// ```
/// use bvlab_core::learner::{Components, InputScale, Learner};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(2, vec![-2.0, 0.0, 2.0, 0.0, 0.0, -1.0, 0.0, 1.0]),
///     labels: vec![1.0, 5.0, 2.0, 4.0], // 3 + x_1 + x_2
/// };
/// let mut learner = Components::new(vec![0, 1, 2], InputScale::None);
/// learner.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// learner.predict(&Points::new(2, vec![10.0, 5.0]), &mut out);
/// for (found, wanted) in out.iter().zip([3.0, 13.0, 18.0]) {
///     assert!((found - wanted).abs() < 1e-12);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Components {
    counts: Vec<usize>,
    scale: InputScale,
    design: Design,
    spectrum: Spectrum,
    weights: Vec<f64>,
}

impl Components {
    /// A path over numbers of components, in any order.
    pub fn new(counts: Vec<usize>, scale: InputScale) -> Self {
        Components {
            counts,
            scale,
            design: Design::default(),
            spectrum: Spectrum::default(),
            weights: Vec::new(),
        }
    }
}

impl Learner for Components {
    fn capacities(&self) -> usize {
        self.counts.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        _: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.design.load(data, true, self.scale);
        let (rows, width) = (self.design.rows, self.design.width());
        interrupt.check(solving(rows, width))?;
        let matrix = MatRef::from_column_major_slice(self.design.columns(), rows, width);
        let labels = &self.design.labels;
        let weights = self.spectrum.leading(matrix, labels, &self.counts);
        self.weights.clear();
        self.weights.extend_from_slice(weights);
        Ok(())
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

    fn is_linear(&self) -> bool {
        true
    }

    fn operations(&self, size: Size) -> f64 {
        let path = self.capacities() as f64 * size.dimension * size.predictions();
        size.solve(size.dimension) + path
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let vectors = (size.train + size.dimension) * size.train.min(size.dimension);
        size.train * size.dimension + vectors + self.capacities() as f64 * size.dimension
    }
}
