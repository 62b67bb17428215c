//! The marginal likelihood of ridge regression on Gaussian bumps, beside its true risk.

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel};
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::cholesky;
use crate::maths::{exp, fill_normal, ln, sin, square};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "evidence",
    meaning: "marginal likelihood of Gaussian bumps over λ and over their number, beside BIC and the true risk",
    resamples: "training sets",
    theory: "exact",
    identity: false,
    parameters: &[
        Parameter::number(
            "lambdas",
            "penalties λ: weights are normal with variance σ²/λ",
        )
        .symbol("λ")
        .least(1e-6)
        .up_to(1e6)
        .list(
            60,
            &[
                0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0,
                20.0, 50.0, 100.0,
            ],
        ),
        Parameter::whole("count", "number of Gaussians where λ varies")
            .least(2.0)
            .up_to(40.0)
            .default(24.0)
            .usual(4.0, 40.0),
        Parameter::number(
            "width",
            "their standard deviation, as a multiple of their spacing",
        )
        .least(0.1)
        .up_to(3.0)
        .default(1.15)
        .usual(0.3, 2.5),
        Parameter::whole("counts", "numbers of Gaussians, where these vary")
            .symbol("p")
            .least(2.0)
            .up_to(40.0)
            .list(
                20,
                &[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 15.0, 18.0],
            ),
        Parameter::number("lambda", "penalty λ where their number varies")
            .symbol("λ")
            .least(1e-6)
            .up_to(1e6)
            .default(0.1)
            .usual(0.001, 100.0),
        Parameter::whole("train", "number n of training points")
            .symbol("n")
            .least(2.0)
            .up_to(60.0)
            .default(25.0)
            .usual(5.0, 60.0),
        Parameter::number("noise", "standard deviation σ of the noise, which is known")
            .symbol("σ")
            .above(0.0)
            .up_to(100.0)
            .default(0.3)
            .usual(0.05, 1.5),
    ],
    build: |setup| {
        let (train, noise) = (setup.whole("train"), setup.number("noise"));
        let width = setup.number("width");
        let model = |count: usize, lambda: f64| BumpModel::new(train, noise, count, width, lambda);
        let count = setup.whole("count");
        let lambdas = setup.list("lambdas").to_vec();
        let counts = setup.counts("counts");
        Box::new(BumpEvidence {
            by_penalty: lambdas.iter().map(|l| model(count, *l)).collect(),
            by_count: counts
                .iter()
                .map(|c| model(*c, setup.number("lambda")))
                .collect(),
            lambdas,
            counts,
            noise,
            labels: vec![0.0; train],
        })
    },
};

/// A resample is one set of labels y = sin(2πx) + N(0, σ²) at n equidistant inputs. The model is
/// y = Φw + N(0, σ²) with Gaussian bumps and a constant as the columns of Φ, and weights that are
/// independent and normal with variance σ²/λ. Then y is normal with covariance σ²K, K = I + ΦΦᵀ/λ, and
///
/// −ln p(y) = ½ n ln(2πσ²) + ½ ln |K| + yᵀK⁻¹y/(2σ²):
///
/// the evidence is known in closed form, and the mean of the weights given y is the ridge fit with
/// penalty λ. −ln p(y) is also the length, in nats, of the shortest message that tells the labels to
/// somebody who knows the inputs and the model, up to the precision of the labels. BIC approximates
/// it by the fit of least squares: ½ n ln(2πσ²) + RSS/(2σ²) + ½ k ln n with k weights.
///
/// With the labels' true mean f, E yᵀK⁻¹y = fᵀK⁻¹f + σ² tr K⁻¹ and E RSS = fᵀ(I − H)f + σ²(n − k), and
/// the risk of the ridge fit is that of a linear smoother: all means are known exactly.
///
/// **Reference**: MacKay, *Bayesian interpolation* (1992); Bishop, *Pattern Recognition and Machine
/// Learning*, section 3.5.
struct BumpEvidence {
    lambdas: Vec<f64>,
    counts: Vec<usize>,
    by_penalty: Vec<BumpModel>,
    by_count: Vec<BumpModel>,
    noise: f64,
    labels: Vec<f64>,
}

/// Cell midpoints of [0, 1] at which the risk is measured.
const PLACES: usize = 100;

fn midpoint(i: usize, of: usize) -> f64 {
    (i as f64 + 0.5) / of as f64
}

fn truth(x: f64) -> f64 {
    sin(std::f64::consts::TAU * x)
}

/// What a setting needs of every set of labels, found once.
struct BumpModel {
    weights: usize,
    noise: f64,
    /// L of LLᵀ = K.
    factor: Vec<f64>,
    /// ½ n ln(2πσ²) + ½ ln |K|.
    constant: f64,
    /// By place: the weights of the labels in the ridge fit.
    smoother: Vec<f64>,
    /// R with RᵀR = H, the projection of least squares; by weight. None where there are n weights or
    /// more.
    projection: Vec<f64>,
}

impl BumpModel {
    fn new(train: usize, noise: f64, count: usize, width: f64, lambda: f64) -> Self {
        let spacing = 1.0 / (count - 1) as f64;
        let bump = |x: f64, j: usize| match j < count {
            true => exp(-0.5 * square((x - j as f64 * spacing) / (width * spacing))),
            false => 1.0,
        };
        let weights = count + 1;
        let product = |a: f64, b: f64| (0..weights).map(|j| bump(a, j) * bump(b, j)).sum::<f64>();
        let x = |i: usize| midpoint(i, train);
        let mut factor = vec![0.0; train * train];
        for i in 0..train {
            for j in 0..=i {
                let one = f64::from(u8::from(i == j));
                factor[i * train + j] = one + product(x(i), x(j)) / lambda;
            }
        }
        cholesky::factorise(&mut factor, train, |_| 1.0);
        let diagonal = (0..train).map(|i| ln(factor[i * train + i]));
        let n = train as f64;
        let constant = 0.5 * n * ln(std::f64::consts::TAU * noise * noise) + diagonal.sum::<f64>();
        let mut smoother = Vec::with_capacity(PLACES * train);
        for place in 0..PLACES {
            let at = midpoint(place, PLACES);
            let first = smoother.len();
            smoother.extend((0..train).map(|i| product(at, x(i)) / lambda));
            cholesky::solve(&factor, &mut smoother[first..]);
        }
        let mut projection = Vec::new();
        if weights < train {
            // L⁻¹Φᵀ with LLᵀ = ΦᵀΦ, column by column of Φᵀ.
            let mut gram = vec![0.0; weights * weights];
            for a in 0..weights {
                for b in 0..=a {
                    gram[a * weights + b] = (0..train).map(|i| bump(x(i), a) * bump(x(i), b)).sum();
                }
            }
            let whole: Vec<f64> = (0..weights).map(|a| gram[a * weights + a]).collect();
            cholesky::factorise(&mut gram, weights, |a| 1e-12 * whole[a]);
            for i in 0..train {
                let first = projection.len();
                projection.extend((0..weights).map(|a| bump(x(i), a)));
                cholesky::forward(&gram, &mut projection[first..]);
            }
        }
        BumpModel {
            weights,
            noise,
            factor,
            constant,
            smoother,
            projection,
        }
    }

    /// yᵀK⁻¹y.
    fn form(&self, y: &[f64]) -> f64 {
        let mut solved = y.to_vec();
        cholesky::forward(&self.factor, &mut solved);
        solved.iter().map(|z| z * z).sum()
    }

    /// yᵀHy; none where least squares interpolates.
    fn explained(&self, y: &[f64]) -> Option<f64> {
        let mut sums = vec![0.0; self.weights];
        for (row, y) in self.projection.chunks_exact(self.weights).zip(y) {
            sums.iter_mut().zip(row).for_each(|(sum, r)| *sum += r * y);
        }
        let any = !self.projection.is_empty();
        any.then(|| sums.iter().map(|sum| sum * sum).sum())
    }

    fn description_length(&self, y: &[f64]) -> f64 {
        self.constant + 0.5 * self.form(y) / square(self.noise)
    }

    /// Half of BIC, from the residual sum of squares.
    fn half_bic(&self, n: f64, rss: f64) -> f64 {
        let variance = square(self.noise);
        let fit = n * ln(std::f64::consts::TAU * variance) + rss / variance;
        0.5 * (fit + self.weights as f64 * ln(n))
    }

    fn bic(&self, y: &[f64]) -> f64 {
        let all: f64 = y.iter().map(|y| y * y).sum();
        let explained = self.explained(y).unwrap_or(f64::NAN);
        self.half_bic(y.len() as f64, all - explained)
    }

    /// The true risk of the fit to these labels.
    fn risk(&self, y: &[f64]) -> f64 {
        let rows = self.smoother.chunks_exact(y.len()).enumerate();
        let errors = rows.map(|(place, row)| {
            let fit: f64 = row.iter().zip(y).map(|(w, y)| w * y).sum();
            square(fit - truth(midpoint(place, PLACES)))
        });
        square(self.noise) + errors.sum::<f64>() / PLACES as f64
    }

    /// The means of description length, BIC and risk over all sets of labels.
    fn expected(&self, f: &[f64]) -> [f64; 3] {
        let (n, variance) = (f.len(), square(self.noise));
        let unit = |i: usize| {
            (0..n)
                .map(|j| f64::from(u8::from(i == j)))
                .collect::<Vec<_>>()
        };
        let trace: f64 = (0..n).map(|i| self.form(&unit(i))).sum();
        let length = self.constant + 0.5 * (self.form(f) / variance + trace);
        let all: f64 = f.iter().map(|f| f * f).sum();
        let rest = all - self.explained(f).unwrap_or(f64::NAN);
        let rss = rest + variance * (n as f64 - self.weights as f64);
        let spread: f64 = self.smoother.iter().map(|w| w * w).sum();
        let risk = self.risk(f) + variance * spread / PLACES as f64;
        [length, self.half_bic(n as f64, rss), risk]
    }
}

/// Of one λ: description length, risk, whether it has the shortest, and whether it has the least
/// risk. Of one count: description length, BIC and risk.
const BY_PENALTY: usize = 4;
const BY_COUNT: usize = 3;

/// The place of the smallest number.
fn least(numbers: impl Iterator<Item = f64>) -> usize {
    let smallest = numbers.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    smallest.map_or(0, |(place, _)| place)
}

impl Simulate for BumpEvidence {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, title: &str, y: &str, over_penalty: bool| SimulationPanel {
            name: name.to_owned(),
            title: title.to_owned(),
            x: match over_penalty {
                true => "λ (penalty)".to_owned(),
                false => "p (number of Gaussians)".to_owned(),
            },
            y: y.to_owned(),
            x_scale: match over_penalty {
                true => Scale::Log,
                false => Scale::Linear,
            },
            y_scale: Scale::Linear,
            look: PanelStyle::Curves,
            levels: Vec::new(),
        };
        vec![
            panel("length", "description length", "−ln p(y), nats", true),
            panel("risk", "true risk", "squared error", true),
            panel("choices", "how often a λ is best", "share", true),
            panel("count-length", "description length", "nats", false),
            panel("count-risk", "true risk", "squared error", false),
        ]
    }

    fn observations(&self) -> usize {
        BY_PENALTY * self.lambdas.len() + BY_COUNT * self.counts.len() + 1
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let n = self.labels.len();
        let mut stream = Stream::new(seed, Purpose::Noise, resample);
        fill_normal(&mut stream, &mut self.labels);
        for (i, label) in self.labels.iter_mut().enumerate() {
            *label = truth(midpoint(i, n)) + self.noise * *label;
        }
        let y = &self.labels;
        let (penalties, rest) = out.split_at_mut(BY_PENALTY * self.lambdas.len());
        for (out, model) in penalties.chunks_exact_mut(BY_PENALTY).zip(&self.by_penalty) {
            interrupt.check(n * (n + PLACES))?;
            out.copy_from_slice(&[model.description_length(y), model.risk(y), 0.0, 0.0]);
        }
        let rows = || penalties.chunks_exact(BY_PENALTY);
        let shortest = least(rows().map(|row| row[0]));
        let best = least(rows().map(|row| row[1]));
        let chosen = penalties[BY_PENALTY * shortest + 1];
        penalties[BY_PENALTY * shortest + 2] = 1.0;
        penalties[BY_PENALTY * best + 3] = 1.0;
        let (counts, last) = rest.split_at_mut(BY_COUNT * self.counts.len());
        for (out, model) in counts.chunks_exact_mut(BY_COUNT).zip(&self.by_count) {
            interrupt.check(n * (2 * n + PLACES))?;
            let bic = model.bic(y);
            // Where there is none, its row is left out.
            let bic = if bic.is_nan() { 0.0 } else { bic };
            out.copy_from_slice(&[model.description_length(y), bic, model.risk(y)]);
        }
        last[0] = chosen;
        Ok(())
    }

    fn operations(&self) -> f64 {
        let n = self.labels.len() as f64;
        let settings = (self.lambdas.len() + self.counts.len()) as f64;
        settings * n * (3.0 * n + PLACES as f64)
    }

    fn numbers_held(&self) -> f64 {
        let n = self.labels.len() as f64;
        let settings = (self.lambdas.len() + self.counts.len()) as f64;
        settings * n * (2.0 * n + PLACES as f64)
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let n = self.labels.len();
        let f: Vec<f64> = (0..n).map(|i| truth(midpoint(i, n))).collect();
        let mut rows = Vec::new();
        let known = |models: &[BumpModel]| -> Vec<[f64; 3]> {
            models.iter().map(|model| model.expected(&f)).collect()
        };
        let by_penalty = known(&self.by_penalty);
        let at = |place: usize, which: usize| seen[BY_PENALTY * place + which].mean();
        let penalties = || self.lambdas.iter().enumerate();
        for (place, &x) in penalties() {
            let row = Row::new("length", "evidence", x, at(place, 0));
            rows.push(row.theory(by_penalty[place][0], 0.0));
        }
        for (place, &x) in penalties() {
            let row = Row::new("risk", "risk", x, at(place, 1));
            rows.push(row.theory(by_penalty[place][2], 0.0));
        }
        let last = seen[seen.len() - 1].mean();
        rows.extend(penalties().map(|(_, &x)| Row::new("risk", "λ by evidence", x, last)));
        for (which, name) in [(2, "by evidence"), (3, "by the true risk")] {
            let all = penalties();
            rows.extend(all.map(|(place, &x)| Row::new("choices", name, x, at(place, which))));
        }
        let first = BY_PENALTY * self.lambdas.len();
        let by_count = known(&self.by_count);
        let of = [
            ("count-length", "evidence", 0),
            ("count-length", "half of BIC", 1),
            ("count-risk", "risk of p", 2),
        ];
        for (panel, name, which) in of {
            for (place, &count) in self.counts.iter().enumerate() {
                let theory = by_count[place][which];
                let seen = seen[first + BY_COUNT * place + which].mean();
                if theory.is_finite() {
                    let row = Row::new(panel, name, count as f64, seen);
                    rows.push(row.theory(theory, 0.0));
                }
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The evidence by its definition: chances of the labels one after the other, each given those
    /// before it, from the normal equations of the weights; and BIC and risk by a fit of its own.
    #[test]
    fn the_evidence_is_the_product_of_predictive_densities() {
        let (train, noise, count, width, lambda) = (12, 0.4, 5, 1.2, 0.7);
        let model = BumpModel::new(train, noise, count, width, lambda);
        let bump = |x: f64, j: usize| match j < count {
            true => (-0.5 * ((x - j as f64 / 4.0) / (width / 4.0)).powi(2)).exp(),
            false => 1.0,
        };
        let y: Vec<f64> = (0..train).map(|i| ((7 * i) % 5) as f64 - 1.7).collect();
        let weights = count + 1;
        let mut total = 0.0;
        // Mean and precision of the weights, updated label by label (Kalman's filter).
        let mut mean = vec![0.0; weights];
        let mut cov = vec![vec![0.0; weights]; weights];
        (0..weights).for_each(|a| cov[a][a] = noise * noise / lambda);
        for (i, y) in y.iter().enumerate() {
            let phi: Vec<f64> = (0..weights).map(|j| bump(midpoint(i, train), j)).collect();
            let gain: Vec<f64> = (0..weights)
                .map(|a| (0..weights).map(|b| cov[a][b] * phi[b]).sum())
                .collect();
            let dot = |v: &[f64]| v.iter().zip(&phi).map(|(v, p)| v * p).sum::<f64>();
            let variance = noise * noise + dot(&gain);
            let away = y - dot(&mean);
            total += 0.5 * (std::f64::consts::TAU * variance).ln() + 0.5 * away * away / variance;
            for a in 0..weights {
                mean[a] += gain[a] * away / variance;
                for b in 0..weights {
                    cov[a][b] -= gain[a] * gain[b] / variance;
                }
            }
        }
        let found = model.description_length(&y);
        assert!(
            (found - total).abs() < 1e-9 * total.abs(),
            "{found} {total}"
        );
        // The mean of the weights is the ridge fit.
        let fit = |x: f64| (0..weights).map(|j| mean[j] * bump(x, j)).sum::<f64>();
        for place in 0..PLACES {
            let row = &model.smoother[place * train..][..train];
            let found: f64 = row.iter().zip(&y).map(|(w, y)| w * y).sum();
            assert!((found - fit(midpoint(place, PLACES))).abs() < 1e-9);
        }
        // Least squares is the limit of a small λ.
        let loose = BumpModel::new(train, noise, count, width, 1e-9);
        let all: f64 = y.iter().map(|y| y * y).sum();
        let rss = all - model.explained(&y).unwrap();
        let limit = loose.form(&y);
        // What λ ‖w‖² adds to it; the weights are large, because the bumps are nearly dependent.
        let added = limit - rss;
        assert!((-1e-6..1e-4).contains(&added), "{rss} {limit}");
    }
}
