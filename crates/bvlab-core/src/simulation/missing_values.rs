//! Four ways to fit a line to data with gaps.

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel};
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::cholesky;
use crate::maths::{fill_normal, square};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "missing-values",
    meaning: "bias² and variance of least squares where an input is missing: dropping, mean, regression, indicator",
    resamples: "pairs of training sets",
    theory: "exact",
    identity: false,
    parameters: &[
        Parameter::number("shares", "shares of the points whose second input is missing")
            .least(0.0)
            .up_to(0.8)
            .list(20, &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),
        Parameter::whole(
            "gaps",
            "where: 0 completely at random, 1 rather where the other input is large, 2 rather where the label is large",
        )
        .least(0.0)
        .up_to(2.0)
        .default(0.0),
        Parameter::real("correlation", "correlation ρ of the two inputs")
            .symbol("ρ")
            .least(-0.99)
            .up_to(0.99)
            .default(0.7)
            .usual(-0.95, 0.95),
        Parameter::number("noise", "standard deviation of the noise")
            .symbol("σ")
            .least(0.0)
            .up_to(100.0)
            .default(1.0)
            .usual(0.0, 3.0),
        Parameter::whole("train", "number n of training points")
            .symbol("n")
            .least(50.0)
            .up_to(10_000.0)
            .default(100.0)
            .usual(50.0, 1_000.0),
    ],
    build: |setup| {
        let train = setup.whole("train");
        Box::new(MissingValues {
            shares: setup.list("shares").to_vec(),
            gaps: setup.whole("gaps"),
            correlation: setup.number("correlation"),
            noise: setup.number("noise"),
            points: Vec::with_capacity(train),
            train,
        })
    },
};

/// A resample is two training sets of n points with y = x₁ + x₂ + N(0, σ²), where x₁ and x₂ are
/// standard normal with correlation ρ. Of a share of the points x₂ is missing: completely at random,
/// or rather where x₁ is large, or rather where y is large (of x₁, or of y divided by its standard
/// deviation, plus a standard normal number, the largest). Least squares with a constant is fitted to
///
/// - the complete points alone (dropping),
/// - all points, with the mean of the known x₂ for those that are missing (mean),
/// - all points, with x₂ predicted from x₁ by least squares on the complete points (regression),
/// - as with the mean, and a further input that is 1 where x₂ is missing (indicator).
///
/// The error of such a fit is measured at points without gaps. With c the constant, d the error of
/// both weights and Σ the covariance of the inputs it is c² + dᵀΣd, averaged over all inputs, exactly.
/// From the two training sets, bias² = cc' + dᵀΣd' and variance = ½ ((c − c')² + (d − d')ᵀΣ(d − d')),
/// both unbiased.
///
/// With gaps at random, dropping is unbiased and has variance σ² ((m+1)(m−2)/(m(m−4)) − 1) with m
/// complete points; mean and indicator have a bias that more data do not remove: with a share q of
/// complete points, bias² = ρ²(1−q)²(1−ρ²)/(1−qρ²)².
///
/// **Reference**: Little and Rubin, *Statistical Analysis with Missing Data*; Jones, *Indicator and
/// stratification methods for missing explanatory variables* (1996).
struct MissingValues {
    shares: Vec<f64>,
    gaps: usize,
    correlation: f64,
    noise: f64,
    train: usize,
    points: Vec<GappyPoint>,
}

/// A point, and how early its second input goes missing.
#[derive(Clone, Copy)]
struct GappyPoint {
    x: [f64; 2],
    y: f64,
    order: f64,
}

/// Of one way: bias², variance and their sum.
const OBSERVED: usize = 3;

const WAYS: [&str; 4] = ["dropping", "mean", "regression", "indicator"];

/// Constant and two weights of a fit, less those of the truth.
type LineError = [f64; 3];

/// The weights of least squares with a constant, on rows of inputs.
fn least_squares<const K: usize>(rows: &[([f64; K], f64)]) -> ([f64; K], f64) {
    let n = rows.len() as f64;
    let mut means = [0.0; K];
    let mut label = 0.0;
    for (x, y) in rows {
        (0..K).for_each(|k| means[k] += x[k] / n);
        label += y / n;
    }
    let (mut moments, mut weights) = (vec![0.0; K * K], [0.0; K]);
    for (x, y) in rows {
        for k in 0..K {
            for l in 0..=k {
                moments[k * K + l] += (x[k] - means[k]) * (x[l] - means[l]);
            }
            weights[k] += (x[k] - means[k]) * (y - label);
        }
    }
    // An input that is constant gets no weight.
    cholesky::factorise(&mut moments, K, |_| 1e-12 * n);
    cholesky::solve(&moments, &mut weights);
    let constant = label - (0..K).map(|k| weights[k] * means[k]).sum::<f64>();
    (weights, constant)
}

impl MissingValues {
    fn draw(&mut self, seed: u64, sample: u64) {
        let mut draws = [0.0; 4];
        let mut stream = Stream::new(seed, Purpose::Inputs, sample);
        let across = (1.0 - square(self.correlation)).sqrt();
        let spread = (2.0 + 2.0 * self.correlation + square(self.noise)).sqrt();
        self.points.clear();
        for i in 0..self.train {
            fill_normal(&mut stream, &mut draws);
            let x = [draws[0], self.correlation * draws[0] + across * draws[1]];
            let y = x[0] + x[1] + self.noise * draws[2];
            let order = match self.gaps {
                0 => i as f64,
                1 => x[0] + draws[3],
                _ => y / spread.max(f64::MIN_POSITIVE) + draws[3],
            };
            self.points.push(GappyPoint { x, y, order });
        }
        // Those that go missing first come first.
        self.points.sort_by(|a, b| b.order.total_cmp(&a.order));
    }

    fn missing(&self, share: f64) -> usize {
        (share * self.train as f64).round() as usize
    }

    /// The errors of all ways where the second input of so many points is missing.
    fn fit(&self, missing: usize) -> [LineError; 4] {
        let (gaps, complete) = self.points.split_at(missing);
        let whole: Vec<([f64; 2], f64)> = complete.iter().map(|p| (p.x, p.y)).collect();
        let known = complete.len() as f64;
        let mean = complete.iter().map(|p| p.x[1]).sum::<f64>() / known;
        let line: Vec<([f64; 1], f64)> = complete.iter().map(|p| ([p.x[0]], p.x[1])).collect();
        let ([slope], start) = least_squares(&line);
        let filled = |fill: &dyn Fn(f64) -> f64| {
            let gaps = gaps.iter().map(|p| ([p.x[0], fill(p.x[0])], p.y));
            least_squares(&gaps.chain(whole.iter().copied()).collect::<Vec<_>>())
        };
        let marked = gaps.iter().map(|p| ([p.x[0], mean, 1.0], p.y));
        let rest = complete.iter().map(|p| ([p.x[0], p.x[1], 0.0], p.y));
        let ([first, second, _], constant) = least_squares(&marked.chain(rest).collect::<Vec<_>>());
        let fits = [
            least_squares(&whole),
            filled(&|_| mean),
            filled(&|x| start + slope * x),
            ([first, second], constant),
        ];
        fits.map(|(weights, constant)| [constant, weights[0] - 1.0, weights[1] - 1.0])
    }

    /// cc' + dᵀΣd'.
    fn product(&self, a: LineError, b: LineError) -> f64 {
        let across = a[1] * b[2] + a[2] * b[1];
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + self.correlation * across
    }

    /// Bias² of mean and indicator in large samples, with gaps at random.
    fn limit(&self, missing: usize) -> f64 {
        let gone = missing as f64 / self.train as f64;
        let squared = square(self.correlation);
        squared * square(gone) * (1.0 - squared) / square(1.0 - (1.0 - gone) * squared)
    }
}

impl Simulate for MissingValues {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, title: &str| SimulationPanel {
            name: name.to_owned(),
            title: title.to_owned(),
            x: "share of missing values".to_owned(),
            y: "squared error".to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            look: PanelStyle::Curves,
            levels: Vec::new(),
        };
        vec![
            panel("bias", "bias²"),
            panel("variance", "variance"),
            panel("sum", "bias² + variance"),
        ]
    }

    fn observations(&self) -> usize {
        OBSERVED * WAYS.len() * self.shares.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut fits = Vec::with_capacity(2 * self.shares.len());
        for which in 0..2 {
            self.draw(seed, 2 * resample + which);
            for &share in &self.shares {
                interrupt.check(100 * self.train)?;
                fits.push(self.fit(self.missing(share)));
            }
        }
        let (first, second) = fits.split_at(self.shares.len());
        let pairs = first.iter().flatten().zip(second.iter().flatten());
        for ((a, b), out) in pairs.zip(out.chunks_exact_mut(OBSERVED)) {
            let apart = [0, 1, 2].map(|k: usize| a[k] - b[k]);
            out[0] = self.product(*a, *b);
            out[1] = 0.5 * self.product(apart, apart);
            out[2] = out[0] + out[1];
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        200.0 * (self.train * self.shares.len()) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let at = |place: usize, way: usize, which: usize| {
            seen[OBSERVED * (place * WAYS.len() + way) + which].mean()
        };
        let mut rows = Vec::new();
        for (which, panel) in [(0, "bias"), (1, "variance"), (2, "sum")] {
            for (way, name) in WAYS.iter().enumerate() {
                for (place, &share) in self.shares.iter().enumerate() {
                    let row = Row::new(panel, *name, share, at(place, way, which));
                    let missing = self.missing(share);
                    let complete = (self.train - missing) as f64;
                    // With nothing missing all ways are the same.
                    let unbiased = missing == 0 || (way == 0 && self.gaps < 2);
                    let known = missing == 0 || (way == 0 && self.gaps == 0);
                    let factor = (complete + 1.0) * (complete - 2.0) / complete / (complete - 4.0);
                    rows.push(match which {
                        0 if unbiased => row.theory(0.0, 0.0),
                        1 | 2 if known => row.theory(square(self.noise) * (factor - 1.0), 0.0),
                        _ => row,
                    });
                }
            }
        }
        if self.gaps == 0 {
            for &share in &self.shares {
                let limit = self.limit(self.missing(share));
                rows.push(Row::exact("bias", "mean: in large samples", share, limit));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(gaps: usize, train: usize) -> MissingValues {
        MissingValues {
            shares: vec![0.4],
            gaps,
            correlation: 0.6,
            noise: 0.5,
            points: Vec::new(),
            train,
        }
    }

    #[test]
    fn least_squares_leaves_residuals_that_are_orthogonal() {
        let rows: Vec<([f64; 3], f64)> = (0..20)
            .map(|i| {
                let i = f64::from(i);
                ([i, (i * i) % 7.0, 4.0], (3.0 * i) % 5.0)
            })
            .collect();
        let (weights, constant) = least_squares(&rows);
        assert!(weights[2].abs() < 1e-12, "a constant input has no weight");
        let mut sums = [0.0; 4];
        for (x, y) in &rows {
            let rest = y - constant - (0..3).map(|k| weights[k] * x[k]).sum::<f64>();
            sums[3] += rest;
            (0..3).for_each(|k| sums[k] += rest * x[k]);
        }
        assert!(sums.iter().all(|sum| sum.abs() < 1e-9), "{sums:?}");
    }

    /// One large training set: what remains is bias.
    #[test]
    fn large_samples_have_the_bias_of_theory() {
        let mut simulation = setup(0, 10_000);
        let mut squares = [0.0; 4];
        for sample in 0..20 {
            simulation.draw(1, sample);
            for (sum, error) in squares.iter_mut().zip(simulation.fit(4000)) {
                *sum += simulation.product(error, error) / 20.0;
            }
        }
        let limit = simulation.limit(4000);
        assert!(limit > 0.02, "{limit}");
        for (way, wanted) in [0.0, limit, 0.0, limit].into_iter().enumerate() {
            let found = squares[way];
            assert!(
                (found - wanted).abs() < 0.05 * limit,
                "{way}: {found} {wanted}"
            );
        }
    }

    #[test]
    fn gaps_lie_where_they_should() {
        for gaps in 0..3 {
            let mut simulation = setup(gaps, 5000);
            simulation.draw(2, 0);
            let means = |of: &dyn Fn(&GappyPoint) -> f64| {
                let (gone, kept) = simulation.points.split_at(2000);
                let mean = |points: &[GappyPoint]| {
                    points.iter().map(of).sum::<f64>() / points.len() as f64
                };
                mean(gone) - mean(kept)
            };
            let [first, label] = [means(&|p| p.x[0]), means(&|p| p.y)];
            assert_eq!(first > 0.5, gaps > 0, "{gaps}: {first}");
            assert_eq!(label > 1.0, gaps > 0, "{gaps}: {label}");
            assert!(gaps != 0 || first.abs() < 0.15, "{first}");
        }
    }
}
