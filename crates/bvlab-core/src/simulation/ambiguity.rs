//! Ambiguity: an ensemble is better than its members by just their spread around it.

use super::sine::Sine;
use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, TRAIN, most};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::{Learner, Size, Tree, TreeSetting, bootstrap};
use crate::maths::square;
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::problem::Problem;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "ambiguity",
    meaning: "bagged trees on a noisy sine: average member error, ensemble error and diversity",
    resamples: "training sets",
    theory: "by the identity ensemble = average member − diversity",
    identity: true,
    parameters: &[
        Parameter::whole("members", "numbers M of members")
            .least(1.0)
            .up_to(1000.0)
            .list(100, &[1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 30.0, 50.0]),
        TRAIN,
        Parameter::number("noise", "standard deviation of the noise")
            .up_to(1e6)
            .default(0.5)
            .usual(0.0, 2.0),
    ],
    build: |setup| {
        let noise = setup.number("noise");
        let Sine {
            problem,
            test,
            truth,
        } = Sine::new(setup.whole("train"), noise);
        Box::new(Ambiguity {
            members: setup.counts("members"),
            noise: noise * noise,
            truth,
            predictions: Vec::new(),
            tree: Tree::new(vec![TreeSetting::default()]),
            problem,
            test,
        })
    },
};

/// A resample is a training set of the noisy sine and M full trees, each grown on a bootstrap of
/// it: the very members of bagging under the same seed. With p_i the prediction of member i, p̄
/// their mean and y a fresh label,
///
/// (p̄ − y)² = mean_i (p_i − y)² − mean_i (p_i − p̄)²
///
/// at every point of every training set: the error of the ensemble is the average error of its
/// members less their diversity. Observed, averaged over x and y: these three.
///
/// **Reference**: Krogh and Vedelsby, *Neural network ensembles, cross validation, and active
/// learning*, NIPS (1994).
struct Ambiguity {
    members: Vec<usize>,
    /// The noise's variance, which every error has.
    noise: f64,
    problem: Problem,
    test: Points,
    truth: Vec<f64>,
    tree: Tree,
    /// By member and test point.
    predictions: Vec<f64>,
}

impl Ambiguity {
    /// Average member error, ensemble error and diversity of the first members, each summed up on
    /// its own.
    fn split(&self, members: usize) -> [f64; 3] {
        let points = self.test.len();
        let of_member = |i: usize, j: usize| self.predictions[i * points + j];
        let [mut member, mut ensemble, mut diversity] = [0.0; 3];
        for (j, truth) in self.truth.iter().enumerate() {
            let all = || (0..members).map(|i| of_member(i, j));
            let mean = all().sum::<f64>() / members as f64;
            member += all().map(|p| square(p - truth)).sum::<f64>() / members as f64;
            ensemble += square(mean - truth);
            diversity += all().map(|p| square(p - mean)).sum::<f64>() / members as f64;
        }
        let [member, ensemble, diversity] =
            [member, ensemble, diversity].map(|sum| sum / points as f64);
        [self.noise + member, self.noise + ensemble, diversity]
    }
}

impl Simulate for Ambiguity {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, title: &str, y: &str, levels| SimulationPanel {
            name: name.to_owned(),
            title: title.to_owned(),
            x: "M (number of members)".to_owned(),
            y: y.to_owned(),
            x_scale: Scale::Log,
            y_scale: Scale::Linear,
            look: PanelStyle::Curves,
            levels,
        };
        let noise = vec![(self.noise, "noise".to_owned())];
        vec![
            panel("error", "errors", "squared error", noise),
            panel(
                "gap",
                "diversity, and the gap (dashed)",
                "spread around the ensemble",
                Vec::new(),
            ),
        ]
    }

    fn observations(&self) -> usize {
        3 * self.members.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut data = Training::default();
        self.problem
            .draw(seed, resample, &mut data)
            .expect("a sine with constant noise is finite everywhere");
        let stream = Stream::new(seed, Purpose::Algorithm, resample);
        let (members, points) = (most(&self.members), self.test.len());
        self.predictions.resize(members * points, 0.0);
        let (mut counts, mut sample) = (Vec::new(), Training::default());
        for (i, predictions) in self.predictions.chunks_exact_mut(points).enumerate() {
            let mut stream = stream.child(i as u64);
            bootstrap(&data, &mut stream, &mut counts, &mut sample);
            self.tree.try_fit(&sample, &stream.child(0), interrupt)?;
            self.tree.try_predict(&self.test, predictions, interrupt)?;
        }
        for (&members, out) in self.members.iter().zip(out.chunks_exact_mut(3)) {
            interrupt.check(8 * members * points)?;
            out.copy_from_slice(&self.split(members));
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        let size = Size::of(&self.problem, self.test.len());
        let trees = most(&self.members) as f64 * (self.tree.operations(size) + size.train);
        let splits = self.members.iter().sum::<usize>() as f64;
        trees + 8.0 * splits * size.points
    }

    fn numbers_held(&self) -> f64 {
        (most(&self.members) * self.test.len()) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let at = |i: usize, which: usize| seen[3 * i + which].mean();
        let places = || self.members.iter().map(|m| *m as f64).enumerate();
        let members = places().map(|(i, m)| Row::new("error", "average member", m, at(i, 0)));
        let ensembles = places().map(|(i, m)| {
            let theory = at(i, 0).value - at(i, 2).value;
            Row::new("error", "ensemble", m, at(i, 1)).identity(theory, at(i, 0).value)
        });
        let diversities = places().map(|(i, m)| {
            let gap = at(i, 0).value - at(i, 1).value;
            Row::new("gap", "diversity", m, at(i, 2)).identity(gap, at(i, 0).value)
        });
        members.chain(ensembles).chain(diversities).collect()
    }
}
