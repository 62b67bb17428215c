//! Effective model complexity: the largest training set that a procedure still fits.

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, most};
use crate::data::{Points, Training};
use crate::decompose::Estimate;
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::{Learner, Registry, Size};
use crate::maths::{fill_normal, hypot, power, sin, square};
use crate::parameter::{DataSize, Parameter};
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "effective-complexity",
    meaning: "effective complexity of trees, random features and networks: the largest training set that they still fit",
    resamples: "training sets",
    theory: "none",
    identity: false,
    parameters: &[
        Parameter::whole("sizes", "numbers n of training points")
            .least(2.0)
            .up_to(500.0)
            .list(30, &[5.0, 7.0, 10.0, 14.0, 20.0, 28.0, 40.0, 56.0, 80.0]),
        Parameter::number(
            "tolerance",
            "training error up to which a set counts as fitted",
        )
        .symbol("ε")
        .above(0.0)
        .up_to(1.0)
        .default(0.05)
        .usual(0.01, 0.3),
        Parameter::number("noise", "standard deviation of the noise")
            .symbol("σ")
            .least(0.0)
            .up_to(10.0)
            .default(0.5)
            .usual(0.0, 1.5),
        Parameter::whole("depth", "depths of trees")
            .least(0.0)
            .up_to(30.0)
            .list(10, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        Parameter::whole("features", "numbers p of random features")
            .symbol("p")
            .least(1.0)
            .up_to(500.0)
            .list(10, &[5.0, 10.0, 20.0, 30.0, 40.0]),
        Parameter::whole("width", "widths H of networks")
            .symbol("H")
            .least(1.0)
            .up_to(50.0)
            .list(10, &[1.0, 2.0, 4.0, 6.0, 8.0]),
        Parameter::whole(
            "epochs",
            "steps t of training, of networks with four hidden units",
        )
        .symbol("t")
        .least(1.0)
        .up_to(10_000.0)
        .list(10, &[50.0, 100.0, 200.0, 400.0, 800.0, 1600.0]),
    ],
    build: |setup| Box::new(EffectiveComplexity::new(setup)),
};

/// Inputs are standard normal in five dimensions, y = sin(2x₁) + x₂/2 + σe. A resample is a training
/// set, of which the first n points are a training set of n. Observed: the training error of every
/// procedure and n, and the risk of one setting of each.
///
/// The effective complexity of a procedure is the largest n whose training error is on average at
/// most ε; between two sizes the training error is taken to be linear in n. Trees are grown to a depth,
/// random cosines fitted with minimum norm, networks trained by 1000 steps of Adam, or with four
/// hidden units by t steps.
///
/// **Reference**: Nakkiran, Kaplun, Bansal, Yang, Barak and Sutskever, *Deep double descent: where
/// bigger models and more data hurt*, ICLR (2020).
struct EffectiveComplexity {
    sizes: Vec<usize>,
    tolerance: f64,
    noise: f64,
    procedures: Vec<Procedure>,
    test: Points,
    truth: Vec<f64>,
}

/// A way to learn, with several settings.
struct Procedure {
    panel: &'static str,
    title: &'static str,
    axis: &'static str,
    settings: Vec<f64>,
    learner: Box<dyn Learner>,
    /// What a setting's complexity is compared with, and what that is called.
    count: fn(f64) -> f64,
    counted: &'static str,
}

const DIMENSION: usize = 5;
const TEST: usize = 200;
/// The width of networks whose epochs vary, and the epochs of those whose width does.
const WIDTH: f64 = 4.0;
const EPOCHS: f64 = 1000.0;
/// The spread of the frequencies of random cosines.
const SPREAD: f64 = 0.6;

/// The parameters of a network of some width.
fn parameters(width: f64) -> f64 {
    width * (DIMENSION as f64 + 2.0) + 1.0
}

fn truth_at(x: &[f64]) -> f64 {
    sin(2.0 * x[0]) + 0.5 * x[1]
}

/// A learner whose settings are those values of a parameter, besides others that are given.
fn learner(family: &str, name: &str, values: &[f64], given: &[(&str, f64)]) -> Box<dyn Learner> {
    let registry = Registry::standard();
    let family = registry.family(family).expect("it is in the list");
    let setting = |value: &f64| {
        let given: Vec<(&str, f64)> = given.iter().copied().chain([(name, *value)]).collect();
        family.setting(&given).expect("the others have defaults")
    };
    let blueprint = family.blueprint(values.iter().map(setting).collect());
    let size = DataSize {
        train: usize::MAX,
        dimension: DIMENSION,
    };
    let made = family.learner(blueprint, size);
    made.expect("the simulation allows no more than the family")
}

impl EffectiveComplexity {
    fn new(setup: &super::Setup) -> Self {
        let settings = |name: &str| setup.list(name).to_vec();
        let mut test = vec![0.0; TEST * DIMENSION];
        fill_normal(
            &mut Stream::new(setup.seed, Purpose::TestPoints, 0),
            &mut test,
        );
        let test = Points::new(DIMENSION, test);
        let procedure = |panel, title, axis, family: &str, given: &[(&str, f64)]| {
            let settings = settings(panel);
            Procedure {
                panel,
                title,
                axis,
                learner: learner(family, panel, &settings, given),
                settings,
                count: |_| parameters(WIDTH),
                counted: "number of parameters",
            }
        };
        let network = [("epochs", EPOCHS)];
        let procedures = vec![
            Procedure {
                count: |depth| power(2.0, depth as u32),
                counted: "most leaves",
                ..procedure("depth", "trees", "d (depth)", "tree", &[])
            },
            Procedure {
                count: |features| features,
                counted: "number of features",
                ..procedure(
                    "features",
                    "random features",
                    "p (number of features)",
                    "fourier",
                    &[("scale", SPREAD)],
                )
            },
            Procedure {
                count: parameters,
                ..procedure(
                    "width",
                    "networks, 1000 steps",
                    "H (hidden units)",
                    "network",
                    &network,
                )
            },
            procedure(
                "epochs",
                "networks, four hidden units",
                "t (steps of training)",
                "network",
                &[("width", WIDTH)],
            ),
        ];
        EffectiveComplexity {
            sizes: setup.counts("sizes"),
            tolerance: setup.number("tolerance"),
            noise: setup.number("noise"),
            procedures,
            truth: test.rows().map(truth_at).collect(),
            test,
        }
    }

    /// The complexity, from the training error by size.
    fn complexity(&self, errors: &[Estimate]) -> Estimate {
        let reached = |error: &Estimate| error.value <= self.tolerance;
        let Some(last) = errors.iter().rposition(reached) else {
            return Estimate::new(f64::NAN, f64::NAN);
        };
        let from = self.sizes[last] as f64;
        let Some(beyond) = errors.get(last + 1) else {
            return Estimate::new(from, 0.0);
        };
        let width = self.sizes[last + 1] as f64 - from;
        let rise = beyond.value - errors[last].value;
        let share = (self.tolerance - errors[last].value) / rise;
        let se = hypot((1.0 - share) * errors[last].se, share * beyond.se);
        Estimate::new(from + share * width, width * se / rise)
    }

    /// The numbers observed of a procedure: training errors by size and setting, and risks by size.
    fn observed_of(&self, procedure: &Procedure) -> usize {
        self.sizes.len() * (procedure.settings.len() + 1)
    }
}

impl Procedure {
    /// The setting whose risk is shown.
    fn shown(&self) -> usize {
        self.settings.len() / 2
    }

    fn shown_name(&self) -> String {
        let value = self.settings[self.shown()];
        match self.panel {
            "depth" => format!("trees of depth {value}"),
            "features" => format!("{value} features"),
            "width" => format!("{value} hidden units"),
            _ => format!("{value} steps"),
        }
    }
}

impl Simulate for EffectiveComplexity {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, title: &str, x: &str, y: &str, y_scale| SimulationPanel {
            name: name.to_owned(),
            title: title.to_owned(),
            x: x.to_owned(),
            y: y.to_owned(),
            x_scale: Scale::Log,
            y_scale,
            look: PanelStyle::Curves,
            levels: Vec::new(),
        };
        let complexities = self.procedures.iter().map(|procedure| {
            let of = procedure;
            let scale = match of.panel {
                "depth" => Scale::Linear,
                _ => Scale::Log,
            };
            SimulationPanel {
                x_scale: scale,
                ..panel(of.panel, of.title, of.axis, "training points", Scale::Log)
            }
        });
        let mut panels: Vec<SimulationPanel> = complexities.collect();
        let risk = "squared error";
        panels.push(panel(
            "ratio",
            "risk over n / EMC",
            "n / EMC",
            risk,
            Scale::Log,
        ));
        panels.push(panel(
            "sizes",
            "risk over n",
            "n (number of training points)",
            risk,
            Scale::Log,
        ));
        panels
    }

    fn observations(&self) -> usize {
        self.procedures
            .iter()
            .map(|one| self.observed_of(one))
            .sum()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let largest = most(&self.sizes);
        let (mut inputs, mut noise) = (vec![0.0; largest * DIMENSION], vec![0.0; largest]);
        fill_normal(
            &mut Stream::new(seed, Purpose::Inputs, resample),
            &mut inputs,
        );
        fill_normal(&mut Stream::new(seed, Purpose::Noise, resample), &mut noise);
        let labels = inputs.chunks_exact(DIMENSION).zip(&noise);
        let labels: Vec<f64> = labels.map(|(x, e)| truth_at(x) + self.noise * e).collect();
        let stream = Stream::new(seed, Purpose::Algorithm, resample);
        let mut rest = out;
        for procedure in &mut self.procedures {
            let (settings, shown) = (procedure.settings.len(), procedure.shown());
            let (own, others) = rest.split_at_mut(self.sizes.len() * (settings + 1));
            rest = others;
            let mut fitted = vec![0.0; settings * largest];
            let mut predicted = vec![0.0; settings * TEST];
            for (&size, out) in self.sizes.iter().zip(own.chunks_exact_mut(settings + 1)) {
                let data = Training {
                    inputs: Points::new(DIMENSION, inputs[..size * DIMENSION].to_vec()),
                    labels: labels[..size].to_vec(),
                };
                let learner = &mut procedure.learner;
                learner.try_fit(&data, &stream, interrupt)?;
                let fitted = &mut fitted[..settings * size];
                learner.try_predict_training(&data, fitted, interrupt)?;
                learner.try_predict(&self.test, &mut predicted, interrupt)?;
                let mean = |a: &[f64], b: &[f64]| {
                    let pairs = a.iter().zip(b);
                    pairs.map(|(a, b)| square(a - b)).sum::<f64>() / b.len() as f64
                };
                for (out, fitted) in out.iter_mut().zip(fitted.chunks_exact(size)) {
                    *out = mean(fitted, &data.labels);
                }
                let excess = mean(&predicted[shown * TEST..][..TEST], &self.truth);
                out[settings] = square(self.noise) + excess;
            }
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        let sizes = self.sizes.iter().map(|size| {
            let of = Size {
                train: *size as f64,
                dimension: DIMENSION as f64,
                points: TEST as f64,
                outputs: 1.0,
                members: false,
            };
            let all = self.procedures.iter();
            all.map(|one| one.learner.operations(of)).sum::<f64>()
        });
        sizes.sum()
    }

    fn numbers_held(&self) -> f64 {
        let settings = self
            .procedures
            .iter()
            .map(|one| one.settings.len())
            .sum::<usize>();
        (settings * (most(&self.sizes) + TEST)) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        let (mut ratios, mut risks) = (Vec::new(), Vec::new());
        let mut rest = seen;
        for procedure in &self.procedures {
            let (own, others) = rest.split_at(self.observed_of(procedure));
            rest = others;
            let settings = procedure.settings.len();
            let found: Vec<Estimate> = (0..settings)
                .map(|setting| {
                    let sizes = own.chunks_exact(settings + 1);
                    let errors: Vec<Estimate> = sizes.map(|seen| seen[setting].mean()).collect();
                    self.complexity(&errors)
                })
                .collect();
            for (x, found) in procedure.settings.iter().zip(&found) {
                rows.push(Row::new(procedure.panel, "EMC", *x, *found));
            }
            for x in &procedure.settings {
                let count = (procedure.count)(*x);
                rows.push(Row::exact(procedure.panel, procedure.counted, *x, count));
            }
            let name = procedure.shown_name();
            let complexity = found[procedure.shown()].value;
            for (&size, seen) in self.sizes.iter().zip(own.chunks_exact(settings + 1)) {
                let (n, risk) = (size as f64, seen[settings].mean());
                ratios.push(Row::new("ratio", &name, n / complexity, risk));
                risks.push(Row::new("sizes", &name, n, risk));
            }
        }
        rows.extend(ratios);
        rows.extend(risks);
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Unwatched;
    use crate::simulation::{Setup, run};

    fn setup() -> Setup {
        let setup = Setup::new(&SIMULATION);
        let setup = setup.with("epochs", &[10.0, 20.0]).unwrap();
        setup.with("width", &[1.0, 2.0]).unwrap()
    }

    /// Least squares with p features leaves (1 − p/n) of the noise: ε is reached at n = p/(1 − ε).
    #[test]
    fn a_known_training_error_has_a_known_complexity() {
        let simulation = EffectiveComplexity::new(&setup());
        let errors = simulation.sizes.iter().map(|n| {
            let error = (1.0 - 20.0 / *n as f64).max(0.0);
            Estimate::new(error, 0.0)
        });
        let errors: Vec<Estimate> = errors.collect();
        let found = simulation.complexity(&errors).value;
        // Between the sizes 20 and 28 the error is close to linear.
        assert!((found - 20.0 / 0.95).abs() < 0.5, "{found}");
        let never = vec![Estimate::new(1.0, 0.1); errors.len()];
        assert!(simulation.complexity(&never).value.is_nan());
        let always = vec![Estimate::new(0.0, 0.0); errors.len()];
        assert_eq!(simulation.complexity(&always).value, 80.0);
    }

    #[test]
    fn features_fit_as_many_points_and_noisy_trees_hardly_more_than_leaves() {
        let setup = Setup {
            resamples: 20,
            ..setup().with("noise", &[2.0]).unwrap()
        };
        let rows = run(&setup, &Unwatched).unwrap();
        let found = |panel: &str| -> Vec<(f64, f64)> {
            let own = rows
                .iter()
                .filter(|row| row.panel == panel && row.series == "EMC");
            own.map(|row| (row.x, row.value)).collect()
        };
        // With noise of variance 4 a tolerance of 0.05 adds little.
        let sizes = setup.list("sizes");
        for (features, complexity) in found("features") {
            // Between two sizes the error is taken to be linear.
            let below = sizes.iter().rfind(|size| **size <= features);
            let least = below.copied().expect("a size is smaller");
            let most = 1.35 * features + 1.0;
            assert!(
                complexity >= least && complexity <= most,
                "{features} {complexity}"
            );
        }
        for (depth, complexity) in found("depth") {
            let leaves = power(2.0, depth as u32);
            assert!(
                complexity.is_nan() || complexity <= 1.35 * leaves,
                "{depth} {complexity}"
            );
        }
    }
}
