//! Linear regression on the inputs themselves.

use faer::MatRef;

use super::family::{Blueprint, Choice, Family, LAMBDA, rate};
use super::grouping::group_of;
use super::spectrum::{DescentFilter, Spectrum, diagnose, length};
use super::{
    Diagnosis, Expected, Learner, Remark, RiskMoments, Size, label_noise_bound, room, solving,
};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::square;
use crate::parameter::{Most, Parameter};
use crate::problem::{Labels, Problem, Truth};
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family::new(
    "linear",
    "linear regression on the first inputs: least squares, minimum norm, ridge or gradient descent",
    build,
)
.parameters(&[
    Parameter::whole("features", "how many of the inputs are used")
        .symbol("p")
        .least(1.0)
        .most(Most::Dimension)
        .default(f64::INFINITY),
    LAMBDA,
    Parameter::whole("epochs", "steps of gradient descent")
        .symbol("t")
        .up_to(1e15)
        .default(f64::INFINITY)
        .usual(1.0, 2000.0),
    rate(
        "step of gradient descent on half the mean squared error",
        1e12,
        0.1,
    ),
])
.choices(&[Choice::flag(
    "intercept",
    "whether a constant, which is not penalised, is fitted too",
)])
.capacity("lambda")
.one_fit("every λ and epoch of a number of features; minimum norm beyond p = n");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| LinearSetting {
        features: setting.whole("features"),
        lambda: setting.number("lambda"),
    });
    let settings = settings.collect();
    let steps = blueprint.settings().map(|setting| GradientSteps {
        epochs: setting.number("epochs"),
        rate: setting.number("rate"),
    });
    let steps = steps.collect();
    Box::new(Linear::new(settings, blueprint.flag("intercept")).descending(steps))
}

/// One setting of [`Linear`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearSetting {
    /// How many of the inputs are used, the first ones; all of them if there are fewer.
    pub features: usize,
    /// The penalty λ on the squared weights.
    pub lambda: f64,
}

/// How far gradient descent goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientSteps {
    /// t, the number of steps; infinite for the end of it.
    pub epochs: f64,
    /// The step η.
    pub rate: f64,
}

/// Linear regression on the first p coordinates: weights that minimise
/// Σ (y - c - Σ_{j ≤ p} w_j x_j)² + λ ‖w‖².
///
/// With more features than the data determine, λ = 0 takes the solution of minimum norm. The
/// constant c is not penalised, and left out with `intercept = false`. With `epochs` the weights are
/// those after t steps of gradient descent from zero on (‖y - Xw‖² + λ ‖w‖²)/(2n), with columns and
/// labels less their means where there is a constant.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `features` | p, the number of inputs used | 1 to the dimension | all |
/// | `lambda` | λ, against the *sum* of squared residuals | from 0 | 0 |
/// | `epochs` | t, steps of gradient descent | from 0 | no limit: the exact minimum |
/// | `rate` | η, the step | above 0 | 0.1 |
/// | `intercept` | whether a constant is fitted | `true` or `false` | `true` |
///
/// Steps of more than 2n/(s² + λ), with s the largest singular value, diverge, and the run warns.
///
/// **Cost** of a whole path: one SVD for every distinct `features` gives every λ and every epoch: after
/// t steps a direction with singular value s has the share 1 - (1 - η (s² + λ)/n)^t of its minimum.
///
/// **Reference**: Hoerl and Kennard (1970) for ridge; Hastie, Montanari, Rosset and Tibshirani,
/// *Surprises in high-dimensional ridgeless least squares interpolation*, Annals of Statistics 50
/// (2022), for what happens beyond p = n; Heckel and Yilmaz, *Early stopping in deep networks: double
/// descent and how to eliminate it* (2020), for what happens over epochs.
///
/// ```
/// use bvlab_core::learner::{Learner, Linear, LinearSetting};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(2, vec![1.0, 1.0]),
///     labels: vec![4.0],
/// };
/// let path = [1, 2].map(|features| LinearSetting { features, lambda: 0.0 });
/// let mut learner = Linear::new(path.to_vec(), false);
/// learner.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 2];
/// learner.predict(&Points::new(2, vec![1.0, 0.0]), &mut out);
/// assert!((out[0] - 4.0).abs() < 1e-12); // w = 4
/// assert!((out[1] - 2.0).abs() < 1e-12); // w = (2, 2), the shortest that fits
/// ```
#[derive(Clone, Debug)]
pub struct Linear {
    capacities: usize,
    intercept: bool,
    groups: Vec<LinearGroup>,
    columns: Vec<f64>,
    labels: Vec<f64>,
    /// How many points the last fit had.
    rows: usize,
    spectrum: Spectrum,
}

/// All settings with the same number of features.
#[derive(Clone, Debug)]
struct LinearGroup {
    features: usize,
    settings: Vec<usize>,
    filters: Vec<DescentFilter>,
    means: Vec<f64>,
    mean_label: f64,
    weights: Vec<f64>,
    /// The largest singular value of the last fit.
    largest: f64,
}

impl Linear {
    /// A path over `settings`, in any order.
    pub fn new(settings: Vec<LinearSetting>, intercept: bool) -> Self {
        let mut groups: Vec<LinearGroup> = Vec::new();
        for (c, setting) in settings.iter().enumerate() {
            let same = |group: &LinearGroup| group.features == setting.features;
            let group = group_of(&mut groups, same, || LinearGroup {
                features: setting.features,
                settings: Vec::new(),
                filters: Vec::new(),
                means: Vec::new(),
                mean_label: 0.0,
                weights: Vec::new(),
                largest: 0.0,
            });
            group.settings.push(c);
            group.filters.push(DescentFilter {
                lambda: setting.lambda,
                epochs: f64::INFINITY,
                rate: 1.0,
            });
        }
        Linear {
            capacities: settings.len(),
            intercept,
            groups,
            columns: Vec::new(),
            labels: Vec::new(),
            rows: 0,
            spectrum: Spectrum::default(),
        }
    }

    /// The same with so many steps of gradient descent for every setting.
    pub fn descending(mut self, steps: Vec<GradientSteps>) -> Self {
        for group in &mut self.groups {
            for (&c, filter) in group.settings.iter().zip(&mut group.filters) {
                if let Some(steps) = steps.get(c) {
                    (filter.epochs, filter.rate) = (steps.epochs, steps.rate);
                }
            }
        }
        self
    }

    /// Whether every setting is at the end of gradient descent.
    fn is_minimum(&self) -> bool {
        let mut filters = self.groups.iter().flat_map(|group| &group.filters);
        filters.all(|filter| filter.epochs.is_infinite())
    }
}

impl LinearGroup {
    /// The design matrix, one column after the other; with an intercept less the columns' means,
    /// which are kept.
    fn fill<'a>(
        &mut self,
        inputs: &Points,
        intercept: bool,
        columns: &'a mut Vec<f64>,
    ) -> MatRef<'a, f64> {
        let (rows, features) = (inputs.len(), self.features.min(inputs.dimension()));
        let columns = room(columns, rows * features);
        self.means.clear();
        for (feature, column) in columns.chunks_exact_mut(rows).enumerate() {
            for (value, row) in column.iter_mut().zip(inputs.rows()) {
                *value = row[feature];
            }
            let mean = match intercept {
                true => column.iter().sum::<f64>() / rows as f64,
                false => 0.0,
            };
            column.iter_mut().for_each(|value| *value -= mean);
            self.means.push(mean);
        }
        MatRef::from_column_major_slice(columns, rows, features)
    }
}

impl Learner for Linear {
    fn capacities(&self) -> usize {
        self.capacities
    }

    fn try_fit(
        &mut self,
        data: &Training,
        _: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        for group in &mut self.groups {
            let design = group.fill(&data.inputs, self.intercept, &mut self.columns);
            group.mean_label = match self.intercept {
                true => data.labels.iter().sum::<f64>() / data.len() as f64,
                false => 0.0,
            };
            self.labels.clear();
            let labels = data.labels.iter().map(|y| y - group.mean_label);
            self.labels.extend(labels);
            interrupt.check(solving(data.len(), group.means.len()))?;
            let (filters, n) = (&group.filters, data.len());
            let filter = |c: usize, s: f64| filters[c].of(s, n);
            let weights = self
                .spectrum
                .filtered(design, &self.labels, filters.len(), filter);
            group.weights.clear();
            group.weights.extend_from_slice(weights);
            group.largest = self.spectrum.largest();
        }
        self.rows = data.len();
        Ok(())
    }

    fn remarks(&self) -> Option<Vec<Option<Remark>>> {
        if self.is_minimum() {
            return None;
        }
        let mut remarks = vec![None; self.capacities];
        for group in &self.groups {
            for (&c, filter) in group.settings.iter().zip(&group.filters) {
                let diverged = filter.diverges(group.largest, self.rows);
                remarks[c] = diverged.then_some(Remark::Diverged);
            }
        }
        Some(remarks)
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        for group in &self.groups {
            let columns = group.means.len();
            for (weights, &c) in group.weights.chunks_exact(columns).zip(&group.settings) {
                interrupt.check(columns * points.len())?;
                for (j, x) in points.rows().enumerate() {
                    let terms = x.iter().zip(&group.means).zip(weights);
                    let sum: f64 = terms.map(|((x, mean), w)| (x - mean) * w).sum();
                    out[c * points.len() + j] = group.mean_label + sum;
                }
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
        let rows = data.len();
        // The constant is the mean label, to which every label contributes.
        let constant = match self.intercept {
            true => 1.0 / rows as f64,
            false => 0.0,
        };
        for group in &mut self.groups {
            let design = group.fill(&data.inputs, self.intercept, &mut self.columns);
            interrupt.check(solving(rows, group.means.len()))?;
            let filters = &group.filters;
            let filter = |c: usize, s: f64| filters[c].of(s, rows);
            let found = self.spectrum.leverages(design, filters.len(), filter);
            for (found, &c) in found.chunks_exact(rows).zip(&group.settings) {
                let out = &mut out[c * rows..][..rows];
                out.iter_mut()
                    .zip(found)
                    .for_each(|(out, h)| *out = constant + h);
            }
        }
        Ok(true)
    }

    fn residuals_leave_one_out(&self) -> bool {
        self.is_minimum()
    }

    fn expected(&self, problem: &Problem) -> Option<Vec<Expected>> {
        let Labels::Numbers {
            truth: Truth::Linear(weights),
            noise,
        } = &problem.labels
        else {
            return None;
        };
        let (mean, sd, scales) = problem.inputs.normal_scales()?;
        let mut filters = self.groups.iter().flat_map(|group| &group.filters);
        let plain = filters.all(|filter| filter.is_plain());
        let even = noise.sd.is_constant() && mean == 0.0;
        if self.intercept || problem.fixed || !plain || !even {
            return None;
        }
        let noise = square(noise.sd.at(&[]));
        let n = problem.train as f64;
        let mut expected = vec![Expected::default(); self.capacities];
        for group in &self.groups {
            let used = group.features.min(weights.len());
            let size = |which: std::ops::Range<usize>| {
                let parts = which.map(|j| scales.get(j).map_or(weights[j], |s| s * weights[j]));
                square(sd * length(&parts.collect::<Vec<f64>>()))
            };
            let (inside, outside) = (size(0..used), size(used..weights.len()));
            let mut form = isotropic(n, used as f64, inside, outside, noise);
            // Least squares is the same in any coordinates, but the shortest weights are not: beyond
            // the threshold the form holds for coordinates of one scale alone.
            let even = scales[..used.min(scales.len())].iter();
            if used as f64 > n && even.clone().any(|scale| *scale != scales[0]) {
                form = Expected {
                    bias2: f64::NAN,
                    variance: f64::NAN,
                };
            }
            for &c in &group.settings {
                expected[c] = form;
            }
        }
        Some(expected)
    }

    /// Normal inputs have full rank with probability 1.
    fn label_noise_bound(&self, problem: &Problem) -> Option<Vec<f64>> {
        problem.inputs.normal_scales()?;
        let mut counts = vec![None; self.capacities];
        for group in &self.groups {
            for (&c, filter) in group.settings.iter().zip(&group.filters) {
                let known = filter.is_plain() && !self.intercept;
                counts[c] = known.then_some(group.features.min(problem.dimension));
            }
        }
        label_noise_bound(problem, counts.into_iter())
    }

    /// On normal inputs, of any scales, the risk of least squares has a mean for |p - n| ≥ 2 and a mean square for
    /// |p - n| ≥ 4; a constant takes one from n.
    fn moments(&self, problem: &Problem) -> Option<Vec<RiskMoments>> {
        if problem.fixed || problem.inputs.normal_scales().is_none() {
            return None;
        }
        let exact = self.expected(problem);
        let rows = problem.train.saturating_sub(usize::from(self.intercept));
        let mut moments = vec![RiskMoments::Enough; self.capacities];
        for group in &self.groups {
            let used = group.features.min(problem.dimension);
            for (&c, filter) in group.settings.iter().zip(&group.filters) {
                // Without noise, and with all of the truth within reach, nothing is fitted wrongly.
                let certain = exact.as_ref().is_some_and(|exact| exact[c].variance == 0.0);
                moments[c] = match used.abs_diff(rows) {
                    _ if !filter.is_plain() || certain => RiskMoments::Enough,
                    0 | 1 => RiskMoments::NoMean,
                    2 | 3 => RiskMoments::NoSpread,
                    _ => RiskMoments::Enough,
                };
            }
        }
        Some(moments)
    }

    fn solves(&self) -> bool {
        true
    }

    fn diagnose(
        &mut self,
        data: &Training,
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<Diagnosis>>, Interrupted> {
        let mut found = vec![None; self.capacities];
        for group in &mut self.groups {
            interrupt.check(solving(data.len(), group.means.len()))?;
            let design = group.fill(&data.inputs, self.intercept, &mut self.columns);
            // Taking the means off costs a rank.
            let full = data
                .len()
                .saturating_sub(usize::from(self.intercept))
                .max(1);
            let matrix = diagnose(design, None, full);
            let weights = group.weights.chunks_exact(group.means.len());
            for (weights, &c) in weights.zip(&group.settings) {
                found[c] = Some(Diagnosis {
                    weight_norm: length(weights),
                    ..matrix
                });
            }
        }
        Ok(found.into_iter().collect())
    }

    fn operations(&self, size: Size) -> f64 {
        let groups = self.groups.iter();
        let each = |group: &LinearGroup| {
            let columns = size.dimension.min(group.features as f64);
            size.solve(columns) + group.settings.len() as f64 * columns * size.predictions()
        };
        groups.map(each).sum()
    }
}

/// Least squares without a constant on p of the coordinates of isotropic normal inputs (of any
/// scales where p < n), exact for every n and p: with r_i² of the truth's squared length in the coordinates that are used and r_o²
/// outside,
///
/// - p < n - 1: bias² r_o², variance (σ² + r_o²) p/(n - p - 1),
/// - p > n + 1, g = n/p: bias² r_i² (1-g)² + r_o², variance r_i² g (1-g) + (σ² + r_o²) n/(p - n - 1),
/// - in between: no finite variance.
///
/// Sources: Breiman and Freedman (1983) below the threshold, Belkin, Hsu and Xu (2020) beyond.
fn isotropic(n: f64, p: f64, inside: f64, outside: f64, noise: f64) -> Expected {
    let unexplained = noise + outside;
    if p < n - 1.0 {
        Expected {
            bias2: outside,
            variance: unexplained * p / (n - p - 1.0),
        }
    } else if p > n + 1.0 {
        let share = n / p;
        Expected {
            bias2: inside * square(1.0 - share) + outside,
            variance: inside * share * (1.0 - share) + unexplained * n / (p - n - 1.0),
        }
    } else if unexplained == 0.0 && p <= n {
        // Nothing is left to be fitted wrongly.
        Expected::default()
    } else {
        Expected {
            bias2: f64::NAN,
            variance: f64::INFINITY,
        }
    }
}
