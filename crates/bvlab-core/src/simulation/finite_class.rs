//! The best of |F| classifiers that only guess: how far its training error deceives.

use rand::RngExt;

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, most};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{binomial, exp, ln, ln_1p};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};
use crate::words::number;

pub(super) const SIMULATION: Simulation = Simulation {
    name: "finite-class-bound",
    meaning: "the worst gap between training error and true error among |F| classifiers that guess, below its bound",
    resamples: "training sets",
    theory: "exact",
    identity: false,
    parameters: &[
        Parameter::whole("classifiers", "numbers |F| of classifiers")
            .least(1.0)
            .up_to(100_000.0)
            .list(6, &[1.0, 10.0, 100.0, 1000.0, 10_000.0]),
        Parameter::whole("sizes", "numbers n of training points")
            .least(1.0)
            .up_to(10_000.0)
            .list(30, &[50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0]),
        Parameter::whole("train", "number n of training points, for the best of |F|")
            .symbol("n")
            .least(1.0)
            .up_to(10_000.0)
            .default(100.0)
            .usual(20.0, 2_000.0),
        Parameter::number("delta", "chance δ that the bound fails")
            .symbol("δ")
            .above(0.0)
            .up_to(0.5)
            .default(0.05)
            .usual(0.01, 0.3),
    ],
    build: |setup| {
        let train = setup.whole("train");
        let mut sizes = setup.counts("sizes");
        sizes.push(train);
        sizes.sort_unstable();
        sizes.dedup();
        Box::new(FiniteClass {
            classifiers: setup.counts("classifiers"),
            wanted: setup.counts("sizes"),
            sizes,
            train,
            delta: setup.number("delta"),
        })
    },
};

/// A resample is a training set of labels that are independent of the inputs, and a row of
/// classifiers that guess: each errs on each point with probability ½, independently. The first |F|
/// of them are a class of |F|, the first n points a training set of n. Observed, for every |F| and n:
/// the fewest errors in training, M. The true error of every classifier is ½, so the worst gap
/// max (R − R̂) is ½ − M/n.
///
/// Exactly, P(M ≥ k) = P(B ≥ k)^|F| with B binomial. By Hoeffding's inequality and the union bound
/// R ≤ R̂ + √((ln|F| + ln(1/δ))/(2n)) for all of them at once, with a chance of at least 1 − δ.
struct FiniteClass {
    classifiers: Vec<usize>,
    /// The sizes that the first panel shows.
    wanted: Vec<usize>,
    /// These and `train`, rising.
    sizes: Vec<usize>,
    train: usize,
    delta: f64,
}

/// The gap that is not exceeded by any of |F| classifiers, except with chance δ.
fn bound(classifiers: f64, n: f64, delta: f64) -> f64 {
    ((ln(classifiers) + ln(1.0 / delta)) / (2.0 * n)).sqrt()
}

/// Mean and variance of the fewest errors of |F| classifiers among n points.
fn fewest(classifiers: usize, n: usize) -> [f64; 2] {
    let (mut mean, mut squares, mut below) = (0.0, 0.0, 0.0);
    let law = binomial(n, 0.5);
    for k in 1..=n {
        // P(B < k), and P(M ≥ k) = (1 − P(B < k))^|F|.
        below += law[k - 1];
        let all = match below < 1.0 {
            true => exp(classifiers as f64 * ln_1p(-below)),
            false => 0.0,
        };
        mean += all;
        squares += (2 * k - 1) as f64 * all;
    }
    [mean, (squares - mean * mean).max(0.0)]
}

fn class_name(classifiers: usize) -> String {
    format!("|F| = {classifiers}")
}

impl FiniteClass {
    /// Where the observation of a class and a size stands.
    fn place(&self, class: usize, size: usize) -> usize {
        class * self.sizes.len() + size
    }

    /// The errors of one classifier among the first points, for every size.
    fn guess(&self, stream: &mut Stream, errors: &mut [usize]) {
        let (mut counted, mut drawn) = (0, 0);
        let mut word: u64 = 0;
        for (&size, errors) in self.sizes.iter().zip(errors) {
            while drawn < size {
                counted += word.count_ones() as usize;
                word = stream.random();
                drawn += 64;
            }
            // Sizes rise, so the end of the sample lies among the 64 points of the last word.
            let beyond = drawn - size;
            *errors = counted + (word << beyond).count_ones() as usize;
        }
    }
}

impl Simulate for FiniteClass {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, title: String, x: &str, y: &str, y_scale| SimulationPanel {
            name: name.to_owned(),
            title,
            x: x.to_owned(),
            y: y.to_owned(),
            x_scale: Scale::Log,
            y_scale,
            look: PanelStyle::Curves,
            levels: Vec::new(),
        };
        let bounded = format!("worst gap, δ = {}", number(self.delta));
        let best = format!("the best of |F|, n = {}", self.train);
        let n = "n (number of training points)";
        let class = "|F| (number of classifiers)";
        vec![
            panel("gap", bounded, n, "true − training error", Scale::Log),
            panel("best", best, class, "error", Scale::Linear),
        ]
    }

    fn observations(&self) -> usize {
        self.classifiers.len() * self.sizes.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut stream = Stream::new(seed, Purpose::Algorithm, resample);
        let mut least = self.sizes.clone();
        let mut errors = vec![0; self.sizes.len()];
        let mut guessed = 0;
        for (class, &classifiers) in self.classifiers.iter().enumerate() {
            while guessed < classifiers {
                self.guess(&mut stream, &mut errors);
                for (least, errors) in least.iter_mut().zip(&errors) {
                    *least = (*least).min(*errors);
                }
                guessed += 1;
                interrupt.check(10 + most(&self.sizes) / 10)?;
            }
            for (size, (least, &n)) in least.iter().zip(&self.sizes).enumerate() {
                out[self.place(class, size)] = *least as f64 / n as f64;
            }
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        most(&self.classifiers) as f64 * (10.0 + most(&self.sizes) as f64 / 10.0)
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        let place = |n: usize| self.sizes.iter().position(|size| *size == n);
        let known = |class: usize, n: usize, size: usize| {
            let moments = &seen[self.place(class, size)];
            let [mean, variance] = fewest(self.classifiers[class], n);
            let n = n as f64;
            let se = (variance / (n * n) / moments.count()).sqrt();
            (moments.mean(), mean / n, se)
        };
        for (class, &classifiers) in self.classifiers.iter().enumerate() {
            let name = class_name(classifiers);
            let sizes = || self.wanted.iter().filter_map(|n| Some((*n, place(*n)?)));
            for (n, size) in sizes() {
                let (mut gap, error, se) = known(class, n, size);
                gap.value = 0.5 - gap.value;
                rows.push(Row::new("gap", &name, n as f64, gap).theory(0.5 - error, se));
            }
            for (n, _) in sizes() {
                let promised = bound(classifiers as f64, n as f64, self.delta);
                rows.push(Row::exact(
                    "gap",
                    format!("{name}: bound"),
                    n as f64,
                    promised,
                ));
            }
        }
        if let Some(size) = place(self.train) {
            for (class, &classifiers) in self.classifiers.iter().enumerate() {
                let (found, error, se) = known(class, self.train, size);
                let x = classifiers as f64;
                rows.push(Row::new("best", "its training error", x, found).theory(error, se));
            }
            for &classifiers in &self.classifiers {
                rows.push(Row::exact(
                    "best",
                    "its true error",
                    classifiers as f64,
                    0.5,
                ));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_has_a_known_value() {
        assert!((bound(1e4, 2000.0, 0.01) - 0.0588).abs() < 5e-5);
    }

    /// Of two classifiers and two points: M is 0 with 7/16, 1 with 8/16, 2 with 1/16.
    #[test]
    fn the_fewest_errors_are_those_counted_by_hand() {
        let [mean, variance] = fewest(2, 2);
        assert!((mean - 10.0 / 16.0).abs() < 1e-15);
        assert!((variance - (12.0 / 16.0 - 100.0 / 256.0)).abs() < 1e-15);
        assert_eq!(fewest(1, 1), [0.5, 0.25]);
    }

    #[test]
    fn errors_among_more_points_contain_those_among_fewer() {
        let sizes = vec![1, 63, 64, 65, 128, 130, 1000];
        let class = FiniteClass {
            classifiers: vec![1],
            wanted: sizes.clone(),
            sizes: sizes.clone(),
            train: 1,
            delta: 0.05,
        };
        let mut stream = Stream::new(1, Purpose::Algorithm, 0);
        let mut errors = vec![0; sizes.len()];
        for _ in 0..100 {
            class.guess(&mut stream, &mut errors);
            for i in 1..sizes.len() {
                let (more, points) = (errors[i] - errors[i - 1], sizes[i] - sizes[i - 1]);
                assert!(more <= points, "{errors:?}");
            }
        }
    }
}
