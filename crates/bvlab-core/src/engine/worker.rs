//! One thread's share of a run: draws, fits and adds up one resample after the other.

use super::{Kept, KeptFit, NotNumbers, RunError};
use rand::RngExt;

use crate::data::Training;
use crate::decompose::{CELLS, Loss, Members, Observation, Source, Tally};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::squared_distance;
use crate::learner::Learner;
use crate::plan::{Plan, PlanParts};
use crate::probability::Preference;
use crate::problem::{MOST_CLASSES, class_at};
use crate::stream::{Purpose, Stream};

/// How many of the first resamples the learners' solving is looked into: the singular values cost
/// more than the fit.
pub(super) const DIAGNOSED: u64 = 24;

/// The second draw of a resample's cube, where draws are crossed: a resample that is never run.
const SECOND: u64 = 1 << 63;

/// Why a resample has no result. What was added up of it is in no tally that lives on.
pub(super) enum Unfinished {
    /// The run is to stop.
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
pub(super) struct Worker<'a> {
    plan: &'a Plan,
    /// By test point and output.
    truth: &'a [f64],
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
            let tally = Tally::new(curve.settings(), points * outputs, plan.run.sources);
            match plan.run.diversity {
                true => tally.with_company(outputs),
                false => tally,
            }
        })
        .collect()
}

impl<'a> Worker<'a> {
    pub fn new(plan: &'a Plan, truth: &'a [f64], noise: &[Vec<f64>]) -> Self {
        let outputs = plan.problem().outputs();
        let weights = &plan.test.weights;
        let each = |weight: &f64| std::iter::repeat_n(*weight, outputs);
        let average = |noise: &Vec<f64>| noise.iter().zip(weights).map(|(n, w)| n * w).sum();
        let learners = plan.paths.iter().map(|path| {
            let stages = path.stages.iter();
            stages.map(|stage| stage.learner.clone()).collect()
        });
        Worker {
            plan,
            truth,
            outputs,
            weights: weights.iter().flat_map(each).collect(),
            sd: standard_deviations(noise),
            noise: noise.iter().map(average).collect(),
            learners: learners.collect(),
            tallies: tallies(plan),
            data: vec![Default::default(); plan.problems.len()],
            unit: vec![0.0; truth.len()],
            fresh: vec![vec![0.0; truth.len()]; plan.problems.len()],
            classes: vec![0; weights.len()],
            scores: vec![0.0; truth.len()],
            members: Vec::new(),
            at_test: Vec::new(),
            at_train: Vec::new(),
            at_probe: Vec::new(),
            train_error: Vec::new(),
            first_train_error: Vec::new(),
        }
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
    ) -> Result<Option<Kept>, Unfinished> {
        self.draw(resample)?;
        let plan = self.plan;
        let mut kept = (resample < most_kept(plan)).then(|| Kept {
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
                self.stage(which, stage, resample, fit.as_mut(), interrupt)?;
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
                let level = |source: Source| match set & source as usize {
                    0 => resample,
                    _ => second,
                };
                let draws = [level(Source::Inputs), level(Source::Noise)];
                problem
                    .draw_crossed(run.seed, draws, data)
                    .map_err(|error| RunError::Problem(error, resample))?;
            }
        }
        match self.plan.problem().classes() {
            0 => fresh_noise(
                self.plan,
                resample,
                &self.sd,
                &mut self.unit,
                &mut self.fresh,
            ),
            classes => self.fresh_classes(resample, classes),
        }
        Ok(())
    }

    /// Draws the fresh labels of a resample where they are classes. All problems share them.
    fn fresh_classes(&mut self, resample: u64, count: usize) {
        let mut stream = Stream::new(self.plan.run.seed, Purpose::Test, resample);
        let points = self.truth.chunks_exact(count).zip(&mut self.classes);
        for (j, (p, class)) in points.enumerate() {
            *class = class_at(p, stream.random());
            for fresh in &mut self.fresh {
                let fresh = &mut fresh[j * count..][..count];
                for (k, (fresh, p)) in fresh.iter_mut().zip(p).enumerate() {
                    *fresh = f64::from(u8::from(k == *class)) - p;
                }
            }
        }
    }

    /// Fits one stage of one learner, and adds up its errors.
    fn stage(
        &mut self,
        which: usize,
        stage_index: usize,
        resample: u64,
        mut kept: Option<&mut KeptFit>,
        interrupt: &Interrupt,
    ) -> Result<(), Unfinished> {
        let PlanParts {
            paths, test, run, ..
        } = &**self.plan;
        let stage = &paths[which].stages[stage_index];
        let learner = &mut self.learners[which][stage_index];
        let sets = &self.data[stage.problem];
        // Every probability of a class counts as a point of its own.
        let (points, train) = (
            test.points.len() * self.outputs,
            sets[0].len() * self.outputs,
        );
        let settings = learner.capacities();
        let cells = match run.sources {
            true => CELLS,
            false => 1,
        };
        let length = settings * points;
        self.at_test.resize(cells * length, 0.0);
        self.at_train.resize(settings * train, 0.0);
        self.train_error.clear();
        self.train_error.resize(settings, 0.0);
        // Fixed inputs have no second draw.
        let fixed = self.plan.problems[stage.problem].fixed;
        for cell in 0..cells {
            if fixed && cell & Source::Inputs as usize != 0 {
                let same = (cell ^ Source::Inputs as usize) * length;
                self.at_test.copy_within(same..same + length, cell * length);
                continue;
            }
            let data = &sets[cell & 3];
            let draw = match cell & Source::Algorithm as usize {
                0 => resample,
                _ => resample | SECOND,
            };
            // Every learner begins the same stream: equal bootstraps make differences real.
            let stream = Stream::new(run.seed, Purpose::Algorithm, draw);
            let preference = Preference::of(&stream);
            learner.try_fit(data, &stream, interrupt)?;
            let at_test = &mut self.at_test[cell * length..][..length];
            learner.try_predict(&test.points, at_test, interrupt)?;
            learner.try_predict_training(data, &mut self.at_train, interrupt)?;
            if let (Some(kept), 0, Some(probe)) = (&mut kept, cell, &test.probe)
                && !kept.probe.is_empty()
            {
                let length = probe.points.len() * self.outputs;
                self.at_probe.resize(settings * length, 0.0);
                learner.try_predict(&probe.points, &mut self.at_probe, interrupt)?;
                let each = self.at_probe.chunks_exact(length.max(1));
                for (predictions, &setting) in each.zip(&stage.settings) {
                    kept.probe[setting * length..][..length].copy_from_slice(predictions);
                }
            }
            if let (Some(kept), 0) = (&mut kept, cell)
                && resample < DIAGNOSED
                && let Some(remarks) = learner.remarks()
            {
                for (remark, &setting) in remarks.into_iter().zip(&stage.settings) {
                    kept.remarks[setting] = remark;
                }
            }
            if let (Some(kept), 0) = (&mut kept, cell)
                && resample < DIAGNOSED
                && let Some(diagnoses) = learner.diagnose(data, interrupt)?
            {
                for (diagnosis, &setting) in diagnoses.into_iter().zip(&stage.settings) {
                    kept.diagnoses[setting] = Some(diagnosis);
                }
            }
            let distinct = if fixed { cells.div_ceil(2) } else { cells };
            let predictions = self.at_train.chunks_exact(train.max(1));
            for (sum, predictions) in self.train_error.iter_mut().zip(predictions) {
                let error = match self.outputs {
                    1 => squared_distance(predictions, &data.labels),
                    classes => distance(run.loss, classes, predictions, preference, &data.labels),
                };
                *sum += error / data.len() as f64 / distinct as f64;
            }
            if cell == 0 {
                self.first_train_error.clone_from(&self.train_error);
                let all = self.first_train_error.iter_mut();
                all.for_each(|error| *error *= distinct as f64);
            }
        }
        let preference = Preference::of(&Stream::new(run.seed, Purpose::Algorithm, resample));
        if run.diversity {
            let (truth, outputs) = (self.truth, self.outputs);
            self.members.resize_with(settings, Members::default);
            for members in &mut self.members {
                members.begin(test.points.len(), outputs);
            }
            let (members, at_test) = (&mut self.members, &self.at_test);
            let room = &mut self.scores;
            room.resize(truth.len().max(2 * outputs), 0.0);
            learner.predict_members(&test.points, interrupt, &mut |c, member, prediction| {
                let member = (prediction, preference.of_member(member));
                let ensemble = (&at_test[c * points..][..points], preference);
                members[c].add(run.loss, member, ensemble, truth, room);
            })?;
            room.truncate(truth.len());
        }
        let tally = &mut self.tallies[which];
        let fresh = &self.fresh[stage.problem];
        for (c, &setting) in stage.settings.iter().enumerate() {
            let at = |cell: usize| &self.at_test[cell * length + c * points..][..points];
            let train_error = self.train_error[c];
            let (truth, weights) = (self.truth, &self.weights);
            let seen = match run.sources {
                false if run.loss != Loss::Squared => {
                    let (seen, zeros) = scored(
                        run.loss,
                        (at(0), preference),
                        truth,
                        &self.classes,
                        &test.weights,
                        &mut self.scores,
                    );
                    tally.add_scores(setting, &self.scores, seen, train_error, zeros);
                    seen
                }
                false => tally.add(setting, at(0), truth, fresh, weights, train_error),
                true => {
                    let cells = std::array::from_fn(at);
                    tally.add_cube(setting, cells, truth, fresh, weights, train_error)
                }
            };
            if !(seen.excess.is_finite() && seen.test.is_finite() && train_error.is_finite()) {
                return Err(self.not_numbers(which, stage_index, c, resample).into());
            }
            if run.diversity {
                tally.add_members(setting, &self.members[c]);
            }
            if let Some(kept) = &mut kept {
                if run.diversity && self.members[c].count > 0 {
                    kept.diversity[setting] = self.members[c].diversity(&test.weights);
                }
                let predictions = at(0);
                let place = setting * points..(setting + 1) * points;
                if let Some(kept) = kept.predictions.get_mut(place) {
                    kept.copy_from_slice(predictions);
                }
                let excess = match run.loss {
                    Loss::Squared => {
                        let distances = predictions.iter().zip(truth).zip(weights);
                        distances.map(|((p, f), w)| w * (p - f) * (p - f)).sum()
                    }
                    _ => seen.excess,
                };
                kept.risk[setting] = self.noise[stage.problem] + excess;
                kept.train[setting] = self.first_train_error[c];
            }
        }
        Ok(())
    }

    /// What is not a number of what a stage gave, beginning with its setting c.
    fn not_numbers(&self, which: usize, stage: usize, c: usize, resample: u64) -> RunError {
        let path = &self.plan.paths[which];
        let settings = &path.stages[stage].settings;
        let points = self.truth.len();
        let cells = self.at_test.len() / (settings.len() * points).max(1);
        let of_setting = |c: usize| {
            let cell = move |cell: usize| (cell * settings.len() + c) * points;
            (0..cells).flat_map(move |i| self.at_test[cell(i)..][..points].iter().zip(self.truth))
        };
        let failed = |c: &usize| {
            let squares = of_setting(*c).map(|(p, f)| (p - f) * (p - f)).sum::<f64>();
            !(squares.is_finite() && self.train_error[*c].is_finite())
        };
        let described = path.curve.describe(settings[c]);
        RunError::Learner {
            learner: path.curve.name.clone(),
            setting: match described.as_str() {
                "" => described,
                setting => format!(" at {setting}"),
            },
            resample,
            count: NotNumbers {
                predictions: of_setting(c).filter(|(p, _)| !p.is_finite()).count(),
                of: cells * points,
                settings: (0..settings.len()).filter(failed).count(),
                of_settings: settings.len(),
            },
            reason: match self.learners[which][stage].refusal(c) {
                Some(reason) => format!(": {reason}"),
                None => String::new(),
            },
        }
    }
}

/// The summed errors of predictions of classes.
fn distance(
    loss: Loss,
    classes: usize,
    predictions: &[f64],
    preference: Preference,
    labels: &[f64],
) -> f64 {
    let mut room = [0.0; MOST_CLASSES];
    let score = &mut room[..classes];
    let points = predictions.chunks_exact(classes).zip(labels);
    let errors = points.map(|(prediction, label)| {
        loss.score(prediction, preference, score);
        loss.of(score, *label as usize)
    });
    errors.sum()
}

/// Scores one setting's predictions of classes, and averages their errors over x. Also returns how
/// many probabilities were exactly 0.
fn scored(
    loss: Loss,
    (predictions, preference): (&[f64], Preference),
    truth: &[f64],
    classes: &[usize],
    weights: &[f64],
    scores: &mut [f64],
) -> (Observation, usize) {
    let outputs = truth.len() / classes.len().max(1);
    let mut zeros = 0;
    let mut seen = Observation {
        excess: 0.0,
        test: 0.0,
    };
    for (j, (class, weight)) in classes.iter().zip(weights).enumerate() {
        let at = j * outputs..(j + 1) * outputs;
        let score = &mut scores[at.clone()];
        zeros += loss.score(&predictions[at.clone()], preference, score);
        seen.excess += weight * loss.excess(score, &truth[at]);
        seen.test += weight * loss.of(score, *class);
    }
    (seen, zeros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::{Knn, Learner, Registry};
    use crate::parameter::DataSize;
    use crate::plan::{Axis, CapacityPath, TestPoints};
    use crate::problem::{Inputs, Noise, Problem};
    use allocation_counter::measure;

    #[test]
    fn a_resample_allocates_nothing_after_a_warm_up() {
        let list =
            |range: std::ops::RangeInclusive<i32>| -> Vec<f64> { range.map(f64::from).collect() };
        let inputs = Inputs::Uniform {
            from: 0.0,
            to: 15.0,
        };
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
                Axis::new("k", &list(1..=20)),
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
                Axis::new("depth", &list(1..=8)),
                learner("tree", list(1..=8)),
            ),
            (
                "polynomial",
                Axis::new("degree", &list(0..=9)),
                learner("polynomial", list(0..=9)),
            ),
            (
                "bagging",
                Axis::new("members", &[5.0]),
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
