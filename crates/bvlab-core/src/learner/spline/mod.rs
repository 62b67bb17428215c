//! The cubic smoothing spline.

mod solve;

use super::family::{Blueprint, Family};
use super::{Learner, Size, room};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::parameter::Parameter;
use crate::stream::Stream;
use solve::SplineSolver;

pub(super) const FAMILY: Family = Family::new(
    "spline",
    "the cubic smoothing spline: least squares with a penalty on curvature",
    build,
)
.parameters(&[
    Parameter::number(
        "lambda",
        "penalty on ∫ f''(x)² dx, against the sum of squared residuals",
    )
    .symbol("λ")
    .unit("(units of x)³")
    .default(0.0)
    .usual(1e-6, 100.0),
    Parameter::number(
        "df",
        "largest effective degrees of freedom, reached by raising λ",
    )
    .least(2.0)
    .default(f64::INFINITY)
    .usual(2.0, 30.0),
])
.one_dimensional()
.one_fit("nothing but the sorted inputs: every λ is a pass over them");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| SplineSetting {
        lambda: setting.number("lambda"),
        df: setting.number("df"),
    });
    Box::new(Spline::new(settings.collect()))
}

/// One setting of [`Spline`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplineSetting {
    /// The penalty λ on the curvature.
    pub lambda: f64,
    /// The most effective degrees of freedom; infinity for no limit.
    pub df: f64,
}

/// The cubic smoothing spline in one dimension: the function f that minimises
/// Σ (y - f(x))² + λ ∫ f''(t)² dt.
///
/// It is a natural cubic spline with a knot at every distinct input, and a straight line outside of
/// them. λ = 0 interpolates the labels, or where inputs are equal their means; λ → ∞ is the line of
/// least squares. Inputs closer than 2⁻⁴⁰ of their range count as equal.
///
/// Given inputs, the fitted values are S y with a matrix S that depends on λ alone. Its trace, the
/// effective degrees of freedom, falls from the number of distinct inputs to 2 as λ grows. With `df`,
/// λ is raised until the trace is no larger. That depends on the inputs alone, so the spline stays a
/// linear smoother.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `lambda` | λ, against the *sum* of squared residuals, in (units of x)³ | from 0 | 0 |
/// | `df` | largest trace of S | from 2 | no limit |
///
/// **Cost** of a whole path: O(n) for every λ, about ten times as much for every `df`. The spline is
/// the solution of a least-squares problem in its values and slopes at the knots, which only couples
/// neighbours: orthogonal rotations solve it from left to right. Unlike the banded normal equations of
/// Reinsch, they do not square the condition number, and the trace follows from their factor.
///
/// **Reference**: Reinsch (1967); Green and Silverman, *Nonparametric Regression and Generalized Linear
/// Models* (1994), chapters 2 and 3; Paige and Saunders (1977) for the rotations.
///
/// ```
/// use bvlab_core::learner::{Learner, Spline, SplineSetting};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0, 2.0]),
///     labels: vec![0.0, 3.0, 0.0],
/// };
/// let path = [0.0, 1e30].map(|lambda| SplineSetting { lambda, df: f64::INFINITY });
/// let mut spline = Spline::new(path.to_vec());
/// spline.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 4];
/// spline.predict(&Points::new(1, vec![0.5, 1.0]), &mut out);
/// for (found, wanted) in out.iter().zip([2.0625, 3.0, 1.0, 1.0]) {
///     assert!((found - wanted).abs() < 1e-12); // through the labels; the line of least squares
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Spline {
    settings: Vec<SplineSetting>,
    sites: SplineSites,
    solver: SplineSolver,
    /// The λ of every setting that has a `df`, and the sites that they belong to.
    found: Vec<f64>,
    found_for: SplineSites,
    /// By setting and site: value and slope.
    knots: Vec<[f64; 2]>,
    places: Vec<KnotPlace>,
}

/// The distinct inputs, mapped to [0, 1].
#[derive(Debug, Default)]
struct SplineSites {
    /// The first input, and the length of their range, both halved: a range may be too large for a
    /// number.
    start: f64,
    half: f64,
    at: Vec<f64>,
    /// By site: the number of points, and their mean label.
    count: Vec<f64>,
    label: Vec<f64>,
}

/// Inputs that are closer, as a share of their range, count as one.
const CLOSE: f64 = 1.0 / (1_u64 << 40) as f64;

impl SplineSites {
    fn load(&mut self, data: &Training) {
        let SplineSites {
            start,
            half,
            at,
            count,
            label,
        } = self;
        for numbers in [&mut *at, &mut *count, &mut *label] {
            numbers.clear();
            numbers.reserve(data.len());
        }
        let inputs = data.inputs.values();
        let halved = |i: u32| inputs[i as usize] / 2.0;
        let order = data.inputs.order();
        let (first, last) = (order[0], order[order.len() - 1]);
        *start = halved(first);
        *half = halved(last) - halved(first);
        for &i in order {
            let y = data.labels[i as usize];
            let place = match *half > 0.0 {
                true => (halved(i) - *start) / *half,
                false => 0.0,
            };
            match (at.last(), count.last_mut(), label.last_mut()) {
                (Some(last), Some(count), Some(mean)) if place - last <= CLOSE => {
                    *count += 1.0;
                    *mean += (y - *mean) / *count;
                }
                _ => {
                    at.push(place);
                    count.push(1.0);
                    label.push(y);
                }
            }
        }
    }

    /// λ where the range of the inputs is 1.
    fn scaled(&self, lambda: f64) -> f64 {
        let range = 2.0 * self.half;
        lambda / range / range / range
    }

    fn place(&self, x: f64) -> f64 {
        // Far beyond what a line can be followed to, but not infinite.
        ((x / 2.0 - self.start) / self.half).clamp(-1e100, 1e100)
    }

    fn same_inputs(&self, other: &SplineSites) -> bool {
        self.half == other.half && self.at == other.at && self.count == other.count
    }
}

// By hand, because the derived `clone_from` would not keep the memory.
impl Clone for SplineSites {
    fn clone(&self) -> Self {
        let mut sites = SplineSites::default();
        sites.clone_from(self);
        sites
    }

    fn clone_from(&mut self, other: &Self) {
        self.start = other.start;
        self.half = other.half;
        self.at.clone_from(&other.at);
        self.count.clone_from(&other.count);
        self.label.clone_from(&other.label);
    }
}

/// Where a point lies: the prediction there is v_i + rise (v_{i+1} - v_i) + left s_i + right s_{i+1},
/// with the values v and slopes s of its two sites.
#[derive(Clone, Copy, Debug, Default)]
struct KnotPlace {
    site: u32,
    rise: f64,
    left: f64,
    right: f64,
}

impl KnotPlace {
    /// The place of t among at least two sites.
    fn find(at: &[f64], site: &mut usize, t: f64) -> Self {
        let last = at.len() - 1;
        while *site + 1 < last && t >= at[*site + 1] {
            *site += 1;
        }
        let i = *site;
        let (from, h) = (at[i], at[i + 1] - at[i]);
        let here = |rise, left, right| KnotPlace {
            site: i as u32,
            rise,
            left,
            right,
        };
        if t < from {
            return here(0.0, t - from, 0.0);
        }
        if t >= at[last] {
            return here(1.0, 0.0, t - at[last]);
        }
        let u = (t - from) / h;
        let bump = h * u * (1.0 - u);
        here(u * u * (3.0 - 2.0 * u), bump * (1.0 - u), -bump * u)
    }
}

impl Spline {
    /// A path over `settings`, in any order.
    pub fn new(settings: Vec<SplineSetting>) -> Self {
        Spline {
            settings,
            sites: SplineSites::default(),
            solver: SplineSolver::default(),
            found: Vec::new(),
            found_for: SplineSites::default(),
            knots: Vec::new(),
            places: Vec::new(),
        }
    }

    /// The λ, for inputs of range 1, at which the degrees of freedom are no more than asked for. It is
    /// kept for training sets with the same inputs.
    fn find_penalties(&mut self, interrupt: &Interrupt) -> Result<(), Interrupted> {
        let known = self.found.len() == self.settings.len();
        if known && self.sites.same_inputs(&self.found_for) {
            return Ok(());
        }
        self.found.clear();
        for setting in &self.settings {
            let sites = &self.sites;
            let limited = setting.df < sites.at.len() as f64;
            let lambda = match limited {
                true => {
                    interrupt.check(1000 * sites.at.len())?;
                    self.solver.penalty(&sites.at, &sites.count, setting.df)
                }
                false => 0.0,
            };
            self.found.push(lambda);
        }
        self.found_for.clone_from(&self.sites);
        Ok(())
    }
}

impl Learner for Spline {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        _: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.sites.load(data);
        if let Err(interrupted) = self.find_penalties(interrupt) {
            self.found.clear();
            return Err(interrupted);
        }
        self.knots.clear();
        self.knots.reserve(self.settings.len() * data.len());
        for (setting, found) in self.settings.iter().zip(&self.found) {
            interrupt.check(60 * self.sites.at.len())?;
            let SplineSites {
                at, count, label, ..
            } = &self.sites;
            let lambda = self.sites.scaled(setting.lambda).max(*found);
            self.solver.solve(at, count, label, lambda, &mut self.knots);
        }
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        interrupt.check((20 + 5 * self.settings.len()) * points.len())?;
        let sites = self.sites.at.len();
        let rows = out.chunks_exact_mut(points.len());
        if sites == 1 {
            for (row, knot) in rows.zip(&self.knots) {
                row.fill(knot[0]);
            }
            return Ok(());
        }
        self.places.clear();
        self.places.resize(points.len(), KnotPlace::default());
        let mut site = 0;
        for &j in points.order() {
            let t = self.sites.place(points.values()[j as usize]);
            self.places[j as usize] = KnotPlace::find(&self.sites.at, &mut site, t);
        }
        for (row, knots) in rows.zip(self.knots.chunks_exact(sites)) {
            for (prediction, place) in row.iter_mut().zip(&self.places) {
                let site = place.site as usize;
                let [left, right] = [knots[site], knots[site + 1]];
                let line = left[0] + place.rise * (right[0] - left[0]);
                *prediction = line + (place.left * left[1] + place.right * right[1]);
            }
        }
        Ok(())
    }

    fn is_linear(&self) -> bool {
        true
    }

    /// A pair's leverage is the variance of the value at its site, in units of the noise of a label.
    fn try_leverages(
        &mut self,
        data: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<bool, Interrupted> {
        self.sites.load(data);
        self.find_penalties(interrupt)?;
        let SplineSites { at, count, .. } = &self.sites;
        let site = |x: f64| {
            let place = match self.sites.half > 0.0 {
                true => (x / 2.0 - self.sites.start) / self.sites.half,
                false => 0.0,
            };
            at.partition_point(|site| *site <= place).max(1) - 1
        };
        let sites: Vec<usize> = data.inputs.values().iter().map(|x| site(*x)).collect();
        let mut variances = vec![0.0; at.len()];
        let paths = self.settings.iter().zip(&self.found);
        for ((setting, found), out) in paths.zip(out.chunks_exact_mut(data.len())) {
            interrupt.check(60 * at.len())?;
            let lambda = self.sites.scaled(setting.lambda).max(*found);
            self.solver.variances(at, count, lambda, &mut variances);
            for (leverage, site) in out.iter_mut().zip(&sites) {
                *leverage = variances[*site];
            }
        }
        Ok(true)
    }

    /// At a given λ; a limit on the degrees of freedom gives another λ where a pair is left out.
    fn residuals_leave_one_out(&self) -> bool {
        self.settings.iter().all(|setting| setting.df.is_infinite())
    }

    fn operations(&self, size: Size) -> f64 {
        let each = |setting: &SplineSetting| match setting.df.is_finite() {
            true => 1000.0,
            false => 60.0,
        };
        let fits: f64 = self.settings.iter().map(each).sum();
        size.train * (fits + 10.0) + 5.0 * self.capacities() as f64 * size.predictions()
    }

    fn numbers_held(&self, size: Size) -> f64 {
        size.train * (2.0 * self.capacities() as f64 + 20.0) + 4.0 * size.predictions()
    }
}

#[cfg(test)]
mod tests;
