//! Polynomials in one input: least squares over every degree, ridge over every λ.

mod beyond;
mod orthonormal;
mod ridge;

use super::family::{Blueprint, Choice, Family, LAMBDA};
use super::{Diagnosis, Learner, Remark, Size};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::wide;
use crate::parameter::Parameter;
use crate::problem::Problem;
use crate::stream::Stream;
use beyond::Beyond;
use orthonormal::Orthonormal;
use ridge::Ridge;

pub(super) const FAMILY: Family = Family::new(
    "polynomial",
    "a polynomial in x by least squares, minimum norm, or ridge where lambda is above 0",
    build,
)
.parameters(&[
    Parameter::whole("degree", "degree of the polynomial")
        .up_to(1000.0)
        .usual(0.0, 15.0),
    LAMBDA,
])
.choices(&[Choice::new(
    "basis",
    "the basis whose weights lambda penalises, and whose norm is minimal where degree ≥ n",
    &["legendre", "monomial", "chebyshev"],
)])
.one_dimensional()
.one_fit(
    "every degree: at λ = 0 from one orthogonalisation (from n on, a growing Gram matrix), at any other λ from one Cholesky factor",
);

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| PolynomialSetting {
        degree: setting.whole("degree"),
        lambda: setting.number("lambda"),
    });
    let settings = settings.collect();
    let bases = [
        ("legendre", Basis::Legendre),
        ("monomial", Basis::Monomial),
        ("chebyshev", Basis::Chebyshev),
    ];
    let basis = blueprint.chosen("basis", &bases);
    Box::new(Polynomial::new(settings, basis, blueprint.range))
}

/// One setting of [`Polynomial`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolynomialSetting {
    /// The degree.
    pub degree: usize,
    /// The penalty λ on the squared weights.
    pub lambda: f64,
}

/// The basis whose weights are penalised, or smallest; it makes no difference where λ = 0 and the
/// degree is below the number of points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// Legendre polynomials P_1, P_2, … of t.
    Legendre,
    /// Powers t, t², …
    Monomial,
    /// Chebyshev polynomials T_1, T_2, … of t, of the first kind.
    Chebyshev,
}

/// A polynomial in x, with weights that minimise Σ (y - c - Σ_j w_j φ_j(t))² + λ ‖w‖².
///
/// t is x mapped from the inputs' range (mean ± 3 sd for normal inputs) to \[-1, 1\], and φ_j are
/// Legendre polynomials of t (with P_j(1) = 1), its Chebyshev polynomials or its powers. The constant c
/// is not penalised.
///
/// For λ = 0 and a degree below the number n of points the basis does not matter, and a degree at or
/// beyond the number of distinct inputs (as in a bootstrap) adds nothing to the interpolant that is
/// already reached. From degree n on, many polynomials hit all points, and the one with the smallest
/// ‖w‖ is taken: the norm is that of the weights of φ_1, …, φ_d in the chosen basis, without the
/// constant, which is the limit of ridge as λ falls to 0. Singular values up to max(n, d) ε s_max count
/// as zero. Powers of t become numerically dependent soon: the fit then leaves out directions and misses
/// points, and the run warns. Inputs outside the range, such as normal ones beyond 3 sd, make high
/// degrees overflow.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `degree` | degree | 0 to 1000 | must be given |
/// | `lambda` | λ, against the *sum* of squared residuals | from 0 | 0 |
/// | `basis` | `legendre`, `monomial` or `chebyshev` | | `legendre` |
///
/// **Cost** of a whole path: for λ = 0 one orthogonalisation of the polynomials on the inputs,
/// O(n d²), gives every degree below n, each one more term than the last. From n on, ΦΦᵀ grows from degree
/// to degree and is factored by Cholesky, its solution refined until it interpolates; where Φ comes near
/// losing rank, an SVD of that degree is taken. For λ > 0 one matrix of products
/// ΦᵀΦ, O(n d²), serves every degree and every λ: with LLᵀ = ΦᵀΦ + λI, the first rows of L are the
/// factor of a lower degree, so one factorisation for every λ gives every degree. Where λ is so small
/// beside ΦᵀΦ that this would cost digits, an SVD of that degree is taken instead.
///
/// **Reference**: Forsythe (1957) for least squares in discrete orthonormal polynomials; Brubeck,
/// Nakatsukasa and Trefethen, *Vandermonde with Arnoldi*, SIAM Review 63 (2021), for doing it
/// stably; Hoerl and Kennard (1970) for ridge.
///
/// ```
/// use bvlab_core::learner::{Basis, Learner, Polynomial, PolynomialSetting};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0, 2.0]),
///     labels: vec![1.0, 2.0, 5.0], // 1 + x²
/// };
/// let path = (0..3).map(|degree| PolynomialSetting { degree, lambda: 0.0 });
/// let mut fit = Polynomial::new(path.collect(), Basis::Legendre, (0.0, 2.0));
/// fit.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// fit.predict(&Points::new(1, vec![3.0]), &mut out);
/// assert!((out[2] - 10.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct Polynomial {
    settings: Vec<PolynomialSetting>,
    basis: Basis,
    range: (f64, f64),
    /// The settings with λ = 0, by rising degree.
    plain_settings: Vec<usize>,
    plain: Orthonormal,
    beyond: Beyond,
    ridge: Ridge,
    places: Vec<f64>,
}

impl Polynomial {
    /// A path over `settings`, in any order, for inputs of that range.
    pub fn new(settings: Vec<PolynomialSetting>, basis: Basis, range: (f64, f64)) -> Self {
        let (mut plain, penalised): (Vec<usize>, Vec<usize>) =
            (0..settings.len()).partition(|&c| settings[c].lambda == 0.0);
        plain.sort_by_key(|&c| settings[c].degree);
        Polynomial {
            plain: Orthonormal::new(plain.last().map(|&c| settings[c].degree)),
            plain_settings: plain,
            beyond: Beyond::default(),
            ridge: Ridge::new(&settings, penalised),
            settings,
            basis,
            range,
            places: Vec::new(),
        }
    }

    /// Whether a setting without penalty has a degree of at least n.
    fn goes_beyond(&self, n: usize) -> bool {
        let highest = self.plain_settings.last();
        highest.is_some_and(|&c| self.settings[c].degree >= n)
    }

    fn scale(&mut self, points: &Points) {
        let (from, to) = self.range;
        let place = |x: &f64| (2.0 * x - from - to) / (to - from);
        self.places.clear();
        self.places.extend(points.values().iter().map(place));
    }
}

impl Learner for Polynomial {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        _: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.scale(&data.inputs);
        self.plain.fit(&self.places, &data.labels, interrupt)?;
        let settings = self.plain_settings.iter();
        let settings = settings.map(|&c| (c, self.settings[c].degree));
        let beyond = settings.filter(|(_, degree)| *degree >= data.len());
        self.beyond
            .fit(beyond, self.basis, &self.places, &data.labels, interrupt)?;
        self.ridge
            .fit(self.basis, &self.places, &data.labels, interrupt)
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.scale(points);
        let total = points.len();
        interrupt.check(total * self.settings.len())?;
        let settings = &self.settings;
        let mut next = self.plain_settings.iter().peekable();
        self.plain.predict(&self.places, |degree, sums| {
            while let Some(&c) = next.next_if(|&&c| settings[c].degree == degree) {
                out[c * total..][..total].copy_from_slice(sums);
            }
        });
        self.beyond.predict(self.basis, &self.places, out);
        self.ridge.predict(self.basis, &self.places, out);
        Ok(())
    }

    fn remarks(&self) -> Option<Vec<Option<Remark>>> {
        let mut remarks = vec![None; self.settings.len()];
        for c in self.beyond.without_rank() {
            remarks[c] = Some(Remark::LostRank);
        }
        Some(remarks)
    }

    fn refusal(&self, setting: usize) -> Option<&str> {
        self.beyond.includes(setting).then_some(
            "polynomials of high degree overflow at points outside the range of the inputs; choose a lower degree \
             or bounded inputs",
        )
    }

    fn solves(&self) -> bool {
        true
    }

    /// Below n no weights are solved for: the polynomials are orthonormal on the inputs.
    fn solves_for(&self, problem: &Problem) -> bool {
        self.goes_beyond(problem.train)
    }

    fn diagnose(
        &mut self,
        data: &Training,
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<Diagnosis>>, Interrupted> {
        if !self.goes_beyond(data.len()) {
            return Ok(None);
        }
        self.scale(&data.inputs);
        let data = (&self.places[..], &data.labels[..]);
        let path = &self.settings;
        let mut found = self.beyond.diagnose(self.basis, path, data, interrupt)?;
        for (c, norm) in self.ridge.weight_norms() {
            found[c].weight_norm = norm;
        }
        Ok(Some(found))
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
        let total = data.len();
        let settings = &self.settings;
        let mut next = self.plain_settings.iter().peekable();
        self.plain.leverages(|degree, sums| {
            while let Some(&c) = next.next_if(|&&c| settings[c].degree == degree) {
                out[c * total..][..total].copy_from_slice(sums);
            }
        });
        self.scale(&data.inputs);
        self.beyond
            .leverages(self.basis, &self.places, out, interrupt)?;
        self.ridge.leverages(total, out, interrupt)?;
        Ok(true)
    }

    fn residuals_leave_one_out(&self) -> bool {
        true
    }

    fn operations(&self, size: Size) -> f64 {
        let degree = self.settings.iter().map(|setting| setting.degree).max();
        let columns = degree.unwrap_or(0) as f64 + 1.0;
        let ridge = self.settings.iter().filter(|setting| setting.lambda > 0.0);
        let solves = ridge.map(|setting| size.solve(setting.degree as f64 + 1.0));
        // Every power up to n is made orthogonal to all those before it, twice.
        let below = columns.min(size.train);
        let degrees = self.settings.iter().map(|setting| setting.degree as f64);
        let beyond = degrees.filter(|degree| *degree >= size.train).count() as f64;
        let plain = 2.0 * size.train * below * below
            + size.train * size.train * (columns + 4.0 * beyond * size.train);
        plain + solves.sum::<f64>() + size.predictions() * (columns + self.capacities() as f64)
    }
}

impl Basis {
    /// φ_1, φ_2, … at many places, one after the other.
    pub(super) fn columns(self, t: &[f64], columns: &mut [f64]) {
        for k in 0..columns.len() / t.len().max(1) {
            let (done, rest) = columns.split_at_mut(k * t.len());
            let column = &mut rest[..t.len()];
            let [here, before] = [1, 2].map(|back| match k.checked_sub(back) {
                Some(j) => &done[j * t.len()..][..t.len()],
                None => &[],
            });
            match (self, k) {
                (_, 0) => column.copy_from_slice(t),
                (Basis::Monomial, _) => wide(
                    #[inline(always)]
                    || {
                        for ((next, t), here) in column.iter_mut().zip(t).zip(here) {
                            *next = t * here;
                        }
                    },
                ),
                // k P_k = (2k - 1) t P_{k-1} - (k - 1) P_{k-2}, and here P_k is column k - 1.
                // T_k = 2 t T_{k-1} - T_{k-2}.
                (Basis::Legendre | Basis::Chebyshev, _) => {
                    let degree = (k + 1) as f64;
                    let [along, back] = match self {
                        Basis::Chebyshev => [2.0, 1.0],
                        _ => [2.0 * degree - 1.0, degree - 1.0].map(|part| part / degree),
                    };
                    wide(
                        #[inline(always)]
                        || {
                            for ((next, t), here) in column.iter_mut().zip(t).zip(here) {
                                *next = along * t * here;
                            }
                            match k {
                                1 => column.iter_mut().for_each(|next| *next -= back),
                                _ => {
                                    for (next, before) in column.iter_mut().zip(before) {
                                        *next -= back * before;
                                    }
                                }
                            }
                        },
                    );
                }
            }
        }
    }
}
