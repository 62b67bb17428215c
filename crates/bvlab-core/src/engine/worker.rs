//! One thread's share of a run: draws, fits and adds up one resample after the other.

mod selection;
mod stage;

use std::ops::Deref;

use rand::RngExt;

use super::{KeptFit, KeptResample, RunError};
use crate::data::Training;
use crate::decompose::{Members, Tally, VarianceSource};
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::Learner;
use crate::plan::{Plan, PlanParts};
use crate::problem::class_at;
use crate::stream::{Purpose, Stream};
use selection::SelectionMemory;
use stage::StageFit;
pub(super) use stage::scored;

/// How many of the first resamples are diagnosed: the singular values cost more than the fit.
pub(super) const DIAGNOSED: u64 = 24;

/// The second draw of a resample's cube, where draws are crossed: a resample that is never run.
const SECOND: u64 = 1 << 63;

/// Why a resample has no result. The block that it belongs to is dropped.
pub(super) enum Unfinished {
    /// The run must stop.
    Interrupted,
    /// The run fails.
    Failed(RunError),
}

impl From<Interrupted> for Unfinished {
    fn from(_: Interrupted) -> Self {
        Unfinished::Interrupted
    }
}

impl From<RunError> for Unfinished {
    fn from(error: RunError) -> Self {
        Unfinished::Failed(error)
    }
}

/// Copies of the learners and all the memory that a resample needs.
pub(super) struct Worker<P> {
    plan: P,
    /// By test point and output.
    truth: Vec<f64>,
    /// How many numbers a prediction has, and how much each counts.
    outputs: usize,
    weights: Vec<f64>,
    /// By problem: the noise's sd at the test points, and its mean variance.
    sd: Vec<Vec<f64>>,
    noise: Vec<f64>,
    /// By learner and stage.
    learners: Vec<Vec<Box<dyn Learner>>>,
    pub tallies: Vec<Tally>,
    /// By problem: the training set, or the four of a cube.
    data: Vec<[Training; 4]>,
    /// In place of the training set that is drawn.
    given: Option<Training>,
    unit: Vec<f64>,
    /// By problem: the noise of the fresh labels; of classes, by test point and class, what they lie
    /// above their probabilities.
    fresh: Vec<Vec<f64>>,
    /// Of classes: the fresh labels, and the score of a prediction.
    classes: Vec<usize>,
    scores: Vec<f64>,
    /// By setting: the members of an ensemble.
    members: Vec<Members>,
    /// By cell, setting, test point and output.
    at_test: Vec<f64>,
    at_train: Vec<f64>,
    at_probe: Vec<f64>,
    /// By setting: the training error, of all fits and of the first.
    train_error: Vec<f64>,
    first_train_error: Vec<f64>,
    selection: SelectionMemory,
}

/// How much every number of a prediction counts: as much as its test point.
pub(super) fn weights_of_outputs(plan: &Plan) -> Vec<f64> {
    let outputs = plan.problem().outputs();
    let each = |weight: &f64| std::iter::repeat_n(*weight, outputs);
    plan.test.weights.iter().flat_map(each).collect()
}

/// By problem, the noise's sd at the test points.
pub(super) fn standard_deviations(noise: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let roots = |noise: &Vec<f64>| noise.iter().map(|variance| variance.sqrt()).collect();
    noise.iter().map(roots).collect()
}

/// Draws the noise of a resample's fresh labels at the test points, for every problem.
pub(super) fn fresh_noise(
    plan: &Plan,
    resample: u64,
    sd: &[Vec<f64>],
    unit: &mut [f64],
    fresh: &mut [Vec<f64>],
) {
    let mut stream = Stream::new(plan.run.seed, Purpose::Test, resample);
    if let Some(noise) = plan.problem().noise() {
        noise.draw_unit(&mut stream, unit);
    }
    for (fresh, sd) in fresh.iter_mut().zip(sd) {
        for ((fresh, unit), sd) in fresh.iter_mut().zip(&*unit).zip(sd) {
            *fresh = unit * sd;
        }
    }
}

/// Draws the fresh labels of a resample at the test points where they are classes, and for every problem
/// what they lie above their probabilities.
pub(super) fn fresh_labels(
    plan: &Plan,
    resample: u64,
    truth: &[f64],
    classes: &mut [usize],
    fresh: &mut [Vec<f64>],
) {
    let count = plan.problem().classes();
    let mut stream = Stream::new(plan.run.seed, Purpose::Test, resample);
    let points = truth.chunks_exact(count).zip(classes);
    for (j, (p, class)) in points.enumerate() {
        *class = class_at(p, stream.random());
        for fresh in &mut *fresh {
            let fresh = &mut fresh[j * count..][..count];
            for (k, (fresh, p)) in fresh.iter_mut().zip(p).enumerate() {
                *fresh = f64::from(u8::from(k == *class)) - p;
            }
        }
    }
}

/// How many of the first resamples something is kept of.
pub(super) fn most_kept(plan: &Plan) -> u64 {
    let probe = plan.test.probe.as_ref();
    let probed = probe.map_or(0, |probe| probe.resamples);
    plan.run.keep.max(DIAGNOSED).max(probed)
}

/// An empty tally for every learner.
pub(super) fn tallies(plan: &Plan) -> Vec<Tally> {
    let points = plan.test.points.len();
    let outputs = plan.problem().outputs();
    plan.curves()
        .map(|curve| {
            let numbers = points * plan.run.loss.scores(outputs);
            let tally = Tally::new(curve.settings(), numbers, plan.run.sources);
            let tally = match plan.run.diversity {
                true => tally.with_members(outputs),
                false => tally,
            };
            let tally = match plan.run.df {
                true => tally.with_degrees(),
                false => tally,
            };
            match plan.run.select.len() {
                0 => tally,
                methods => tally.with_selection(curve.row(), methods),
            }
        })
        .collect()
}

impl<P: Deref<Target = Plan> + Clone> Worker<P> {
    pub fn new(plan: P, truth: &[f64], noise: &[Vec<f64>]) -> Self {
        let outputs = plan.problem().outputs();
        let weights = &plan.test.weights;
        let average = |noise: &Vec<f64>| noise.iter().zip(weights).map(|(n, w)| n * w).sum();
        let learners = plan.paths.iter().map(|path| {
            let stages = path.stages.iter();
            stages.map(|stage| stage.learner.clone()).collect()
        });
        Worker {
            outputs,
            weights: weights_of_outputs(&plan),
            sd: standard_deviations(noise),
            noise: noise.iter().map(average).collect(),
            learners: learners.collect(),
            tallies: tallies(&plan),
            data: vec![Default::default(); plan.problems.len()],
            given: None,
            unit: vec![0.0; truth.len()],
            fresh: vec![vec![0.0; truth.len()]; plan.problems.len()],
            classes: vec![0; weights.len()],
            scores: vec![0.0; weights.len() * plan.run.loss.scores(outputs)],
            truth: truth.to_vec(),
            plan,
            members: Vec::new(),
            at_test: Vec::new(),
            at_train: Vec::new(),
            at_probe: Vec::new(),
            train_error: Vec::new(),
            first_train_error: Vec::new(),
            selection: SelectionMemory::default(),
        }
    }

    /// From now on fits to this training set, whatever is drawn.
    pub fn give(&mut self, data: &Training) {
        self.given = Some(data.clone());
    }

    /// Starts a block.
    pub fn begin(&mut self) {
        self.tallies.iter_mut().for_each(Tally::clear);
    }

    /// Draws one training set for every problem, fits every learner to its own, and adds up the
    /// errors. After an error the block must not be used.
    pub fn resample(
        &mut self,
        resample: u64,
        interrupt: &Interrupt,
    ) -> Result<Option<KeptResample>, Unfinished> {
        self.draw(resample)?;
        let plan = self.plan.clone();
        let mut kept = (resample < most_kept(&plan)).then(|| KeptResample {
            resample,
            data: match resample < plan.run.keep_data {
                true => self.data.iter().map(|sets| sets[0].clone()).collect(),
                false => Vec::new(),
            },
            fits: Vec::new(),
        });
        for (which, path) in plan.paths.iter().enumerate() {
            let settings = path.curve.settings();
            let mut fit = kept.as_ref().map(|_| KeptFit {
                predictions: match resample < plan.run.keep_fits {
                    true => vec![0.0; settings * self.truth.len()],
                    false => Vec::new(),
                },
                risk: vec![0.0; settings],
                train: vec![0.0; settings],
                diversity: match plan.run.diversity {
                    true => vec![f64::NAN; settings],
                    false => Vec::new(),
                },
                estimates: vec![f64::NAN; settings * plan.run.select.len()],
                chosen: vec![0; settings / path.curve.row() * plan.run.select.len()],
                effective: match plan.run.df {
                    true => vec![f64::NAN; settings],
                    false => Vec::new(),
                },
                diagnoses: vec![None; settings],
                remarks: vec![None; settings],
                probe: match &plan.test.probe {
                    Some(probe) if resample < probe.resamples => {
                        vec![0.0; settings * probe.points.len() * self.outputs]
                    }
                    _ => Vec::new(),
                },
            });
            self.tallies[which].begin();
            for stage in 0..path.stages.len() {
                let stage = StageFit {
                    plan: &plan,
                    path: which,
                    stage,
                    resample,
                };
                self.fit_stage(stage, fit.as_mut(), interrupt)?;
            }
            if let (Some(kept), Some(fit)) = (&mut kept, fit) {
                kept.fits.push(fit);
            }
        }
        Ok(kept)
    }

    /// Draws the resample's data for every problem. All begin the same streams: a swept number of
    /// points or sd of the noise is all that differs.
    fn draw(&mut self, resample: u64) -> Result<(), RunError> {
        let PlanParts { problems, run, .. } = &**self.plan;
        let second = resample | SECOND;
        let sets = match run.sources {
            true => 4,
            false => 1,
        };
        for (problem, data) in problems.iter().zip(&mut self.data) {
            for (set, data) in data.iter_mut().enumerate().take(sets) {
                let level = |source: VarianceSource| match set & source as usize {
                    0 => resample,
                    _ => second,
                };
                let draws = [level(VarianceSource::Inputs), level(VarianceSource::Noise)];
                problem
                    .draw_crossed(run.seed, draws, data)
                    .map_err(|error| RunError::Problem(error, resample))?;
            }
        }
        if let Some(given) = &self.given {
            self.data
                .iter_mut()
                .for_each(|sets| sets[0].clone_from(given));
        }
        match self.plan.problem().classes() {
            0 => fresh_noise(
                &self.plan,
                resample,
                &self.sd,
                &mut self.unit,
                &mut self.fresh,
            ),
            _ => self.fresh_classes(resample),
        }
        Ok(())
    }

    /// Draws the fresh labels of a resample where they are classes. All problems share them.
    fn fresh_classes(&mut self, resample: u64) {
        let classes = &mut self.classes;
        fresh_labels(&self.plan, resample, &self.truth, classes, &mut self.fresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::{Knn, Learner, Registry};
    use crate::parameter::DataSize;
    use crate::plan::{CapacityPath, SweepAxis, TestPoints};
    use crate::problem::{Inputs, Noise, Problem};
    use allocation_counter::measure;

    #[test]
    fn a_resample_allocates_nothing_after_a_warm_up() {
        let list =
            |range: std::ops::RangeInclusive<i32>| -> Vec<f64> { range.map(f64::from).collect() };
        let inputs = Inputs::uniform(0.0, 15.0);
        let noise = Noise::normal(0.5).expect("0.5 is an sd");
        let problem = Problem::numbers("sin(x)", inputs, noise, 40).expect("the problem is right");
        let registry = Registry::standard();
        let size = DataSize {
            train: 40,
            dimension: 1,
        };
        let learner = |name: &str, settings: Vec<f64>| {
            let family = registry.family(name).expect("it is in the list");
            let first = family.parameters[0].name;
            let settings = settings
                .iter()
                .map(|value| family.setting(&[(first, *value)]));
            let settings = settings
                .collect::<Result<_, _>>()
                .expect("the rest has defaults");
            let blueprint = family.blueprint(settings).range((0.0, 15.0));
            family.learner(blueprint, size).expect("it is allowed")
        };
        let bagging = |base: Box<dyn Learner>| {
            let family = registry.family("bagging").expect("it is in the list");
            let blueprint = family.blueprint(vec![vec![5.0]]).base(base, vec![0]);
            family.learner(blueprint, size).expect("it is allowed")
        };
        let mut parts = Plan::builder(problem)
            .learner(
                "knn",
                SweepAxis::new("k", &list(1..=20)),
                Knn::new((1..=20).collect()),
            )
            .test(TestPoints::Grid(100))
            .keep(1)
            .build()
            .expect("the plan is right")
            .into_parts();
        for (name, axis, learner) in [
            (
                "tree",
                SweepAxis::new("depth", &list(1..=8)),
                learner("tree", list(1..=8)),
            ),
            (
                "polynomial",
                SweepAxis::new("degree", &list(0..=9)),
                learner("polynomial", list(0..=9)),
            ),
            (
                "bagging",
                SweepAxis::new("members", &[5.0]),
                bagging(learner("tree", vec![f64::INFINITY])),
            ),
        ] {
            parts.paths.push(CapacityPath::new(name, axis, learner));
        }
        let plan = Plan::new(parts).expect("the plan is right");
        let points = plan.test.points.values();
        let truth: Vec<f64> = points.iter().map(|x| x.sin()).collect();
        let mut worker = Worker::new(&plan, &truth, &[vec![0.25; truth.len()]]);
        let mut block = |resamples: std::ops::Range<u64>| {
            worker.begin();
            for resample in resamples {
                let kept = worker.resample(resample, &Interrupt::never());
                assert!(matches!(kept, Ok(None)));
            }
        };
        for start in 1..8 {
            block(32 * start..32 * (start + 1));
        }
        let measured = measure(|| block(256..288));
        assert_eq!(measured.count_total, 0);
    }
}
