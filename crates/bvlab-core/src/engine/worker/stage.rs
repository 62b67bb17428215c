//! One stage of a learner in one resample: fits, predictions and errors.

use std::ops::Deref;

use super::{DIAGNOSED, SECOND, Unfinished, Worker};
use crate::decompose::{CELLS, FitRisk, Loss, Members, Observation, VarianceSource};
use crate::engine::{KeptFit, NotNumbers, RunError};
use crate::interrupt::Interrupt;
use crate::lanes::squared_distance;
use crate::plan::{Plan, Stage};
use crate::probability::Preference;
use crate::problem::MOST_CLASSES;
use crate::stream::{Purpose, Stream};

/// Why an estimate of a density has no finite log-loss.
const VANISHES: &str = "its estimate is 0, or too small for a number, where the density is not, and the \
                        log-loss infinite; smooth more, or give the density a narrower `range`";

/// A stage of a path, in one resample.
#[derive(Clone, Copy)]
pub(super) struct StageFit<'a> {
    pub plan: &'a Plan,
    pub path: usize,
    pub stage: usize,
    pub resample: u64,
}

impl<'a> StageFit<'a> {
    pub fn of(self) -> &'a Stage {
        &self.plan.paths[self.path].stages[self.stage]
    }

    /// The stream that learners are fitted with.
    pub fn stream(self) -> Stream {
        Stream::new(self.plan.run.seed, Purpose::Algorithm, self.resample)
    }
}

impl<P: Deref<Target = Plan>> Worker<P> {
    /// The number of predictions of one setting at the test points. Every probability of a class
    /// counts as a point of its own.
    fn points(&self) -> usize {
        self.plan.test.points.len() * self.outputs
    }

    /// Fits one stage of one learner, and adds up its errors.
    pub(super) fn fit_stage(
        &mut self,
        fit: StageFit,
        mut kept: Option<&mut KeptFit>,
        interrupt: &Interrupt,
    ) -> Result<(), Unfinished> {
        let (stage, run) = (fit.of(), &fit.plan.run);
        let settings = self.learners[fit.path][fit.stage].capacities();
        let train = self.data[stage.problem][0].len() * self.outputs;
        let cells = match run.sources {
            true => CELLS,
            false => 1,
        };
        let length = settings * self.points();
        self.at_test.resize(cells * length, 0.0);
        self.at_train.resize(settings * train, 0.0);
        self.train_error.clear();
        self.train_error.resize(settings, 0.0);
        // Fixed inputs have no second draw.
        let fixed = fit.plan.problems[stage.problem].fixed;
        let distinct = if fixed { cells.div_ceil(2) } else { cells };
        for cell in 0..cells {
            if fixed && cell & VarianceSource::Inputs as usize != 0 {
                let same = (cell ^ VarianceSource::Inputs as usize) * length;
                self.at_test.copy_within(same..same + length, cell * length);
                continue;
            }
            self.fit_cell(fit, cell, distinct, interrupt)?;
            if cell == 0 {
                self.first_train_error.clone_from(&self.train_error);
                let all = self.first_train_error.iter_mut();
                all.for_each(|error| *error *= distinct as f64);
                if let Some(kept) = kept.as_deref_mut() {
                    self.keep_diagnostics(fit, kept, interrupt)?;
                }
            }
        }
        let preference = Preference::of(&Stream::new(run.seed, Purpose::Algorithm, fit.resample));
        if run.diversity {
            self.add_members(fit, preference, interrupt)?;
        }
        self.selection.risks.clear();
        for (c, &setting) in stage.settings.iter().enumerate() {
            let seen = self.add_errors(fit, c, setting, preference)?;
            if let Some(kept) = kept.as_deref_mut() {
                self.keep_setting(fit, c, setting, seen, kept);
            }
            if !run.select.is_empty() {
                self.selection.risks.push(FitRisk {
                    risk: self.noise[stage.problem] + seen.excess,
                    twin: f64::NAN,
                });
            }
        }
        if run.df || !run.select.is_empty() {
            self.look_further(fit, kept, interrupt)?;
        }
        Ok(())
    }

    /// Fits to one of the crossed training sets, and adds its training error to that of all
    /// `distinct` fits.
    fn fit_cell(
        &mut self,
        fit: StageFit,
        cell: usize,
        distinct: usize,
        interrupt: &Interrupt,
    ) -> Result<(), Unfinished> {
        let (stage, run) = (fit.of(), &fit.plan.run);
        let learner = &mut self.learners[fit.path][fit.stage];
        let data = &self.data[stage.problem][cell & 3];
        let draw = match cell & VarianceSource::Algorithm as usize {
            0 => fit.resample,
            _ => fit.resample | SECOND,
        };
        // Every learner starts the same stream: with equal bootstraps, differences are real.
        let stream = Stream::new(run.seed, Purpose::Algorithm, draw);
        let preference = Preference::of(&stream);
        learner.try_fit(data, &stream, interrupt)?;
        let length = learner.capacities() * fit.plan.test.points.len() * self.outputs;
        let at_test = &mut self.at_test[cell * length..][..length];
        learner.try_predict(&fit.plan.test.points, at_test, interrupt)?;
        learner.try_predict_training(data, &mut self.at_train, interrupt)?;
        let predictions = self
            .at_train
            .chunks_exact((data.len() * self.outputs).max(1));
        for (sum, predictions) in self.train_error.iter_mut().zip(predictions) {
            let error = match self.outputs {
                1 => squared_distance(predictions, &data.labels),
                classes => distance(run.loss, classes, predictions, preference, &data.labels),
            };
            *sum += error / data.len() as f64 / distinct as f64;
        }
        Ok(())
    }

    /// Keeps what the last fit predicts at the probe points, and its remarks and diagnoses.
    fn keep_diagnostics(
        &mut self,
        fit: StageFit,
        kept: &mut KeptFit,
        interrupt: &Interrupt,
    ) -> Result<(), Unfinished> {
        let stage = fit.of();
        let learner = &mut self.learners[fit.path][fit.stage];
        if let Some(probe) = &fit.plan.test.probe
            && !kept.probe.is_empty()
        {
            let length = probe.points.len() * self.outputs;
            self.at_probe.resize(learner.capacities() * length, 0.0);
            learner.try_predict(&probe.points, &mut self.at_probe, interrupt)?;
            let each = self.at_probe.chunks_exact(length.max(1));
            for (predictions, &setting) in each.zip(&stage.settings) {
                kept.probe[setting * length..][..length].copy_from_slice(predictions);
            }
        }
        if fit.resample >= DIAGNOSED {
            return Ok(());
        }
        if let Some(remarks) = learner.remarks() {
            for (remark, &setting) in remarks.into_iter().zip(&stage.settings) {
                kept.remarks[setting] = remark;
            }
        }
        let data = &self.data[stage.problem][0];
        if let Some(diagnoses) = learner.diagnose(data, interrupt)? {
            for (diagnosis, &setting) in diagnoses.into_iter().zip(&stage.settings) {
                kept.diagnoses[setting] = Some(diagnosis);
            }
        }
        Ok(())
    }

    /// Adds up the errors of the members of an ensemble.
    fn add_members(
        &mut self,
        fit: StageFit,
        preference: Preference,
        interrupt: &Interrupt,
    ) -> Result<(), Unfinished> {
        let points = self.points();
        let (test, run) = (&fit.plan.test, &fit.plan.run);
        let (truth, outputs) = (&*self.truth, self.outputs);
        let learner = &mut self.learners[fit.path][fit.stage];
        self.members
            .resize_with(learner.capacities(), Members::default);
        for members in &mut self.members {
            members.begin(test.points.len(), outputs);
        }
        let (members, at_test) = (&mut self.members, &self.at_test);
        let room = &mut self.scores;
        let length = room.len();
        room.resize(length.max(2 * outputs), 0.0);
        learner.predict_members(&test.points, interrupt, &mut |c, member, prediction| {
            let member = (prediction, preference.of_member(member));
            let ensemble = (&at_test[c * points..][..points], preference);
            members[c].add(run.loss, member, ensemble, truth, room);
        })?;
        room.truncate(length);
        Ok(())
    }

    /// Adds the errors of one setting, the c-th of the stage, to the tally of its learner.
    fn add_errors(
        &mut self,
        fit: StageFit,
        c: usize,
        setting: usize,
        preference: Preference,
    ) -> Result<Observation, Unfinished> {
        let (stage, run) = (fit.of(), &fit.plan.run);
        let points = self.points();
        let length = stage.settings.len() * points;
        let tally = &mut self.tallies[fit.path];
        let fresh = &self.fresh[stage.problem];
        let at = |cell: usize| &self.at_test[cell * length + c * points..][..points];
        let train_error = self.train_error[c];
        let (truth, weights) = (&*self.truth, &self.weights);
        let seen = match run.sources {
            false if run.loss != Loss::Squared => {
                let (seen, zeros) = scored(
                    run.loss,
                    (at(0), preference),
                    truth,
                    &self.classes,
                    &fit.plan.test.weights,
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
            return Err(self.not_numbers(fit, c).into());
        }
        if run.diversity {
            tally.add_members(setting, &self.members[c]);
        }
        Ok(seen)
    }

    /// Keeps the predictions and errors of one setting, the c-th of the stage.
    fn keep_setting(
        &self,
        fit: StageFit,
        c: usize,
        setting: usize,
        seen: Observation,
        kept: &mut KeptFit,
    ) {
        let (test, run) = (&fit.plan.test, &fit.plan.run);
        if run.diversity && self.members[c].count > 0 {
            kept.diversity[setting] = self.members[c].diversity(&test.weights);
        }
        let points = self.points();
        let predictions = &self.at_test[c * points..][..points];
        let place = setting * points..(setting + 1) * points;
        if let Some(kept) = kept.predictions.get_mut(place) {
            kept.copy_from_slice(predictions);
        }
        let excess = match run.loss {
            Loss::Squared => {
                let distances = predictions.iter().zip(&self.truth).zip(&self.weights);
                distances.map(|((p, f), w)| w * (p - f) * (p - f)).sum()
            }
            _ => seen.excess,
        };
        kept.risk[setting] = self.noise[fit.of().problem] + excess;
        kept.train[setting] = self.first_train_error[c];
    }

    /// The error for results that are not finite, first those of the c-th setting of the stage.
    fn not_numbers(&self, fit: StageFit, c: usize) -> RunError {
        let path = &fit.plan.paths[fit.path];
        let settings = &path.stages[fit.stage].settings;
        let points = self.truth.len();
        let cells = self.at_test.len() / (settings.len() * points).max(1);
        let of_setting = |c: usize| {
            let cell = move |cell: usize| (cell * settings.len() + c) * points;
            (0..cells).flat_map(move |i| self.at_test[cell(i)..][..points].iter().zip(&self.truth))
        };
        let log = fit.plan.run.loss == Loss::Log;
        let vanishes = |c: usize| log && of_setting(c).any(|(p, f)| *p == 0.0 && *f > 0.0);
        let failed = |c: &usize| {
            let squares = of_setting(*c).map(|(p, f)| (p - f) * (p - f)).sum::<f64>();
            !(squares.is_finite() && self.train_error[*c].is_finite()) || vanishes(*c)
        };
        let described = path.curve.describe(settings[c]);
        RunError::Learner {
            learner: path.curve.name.clone(),
            setting: match described.as_str() {
                "" => described,
                setting => format!(" at {setting}"),
            },
            resample: fit.resample,
            count: Box::new(NotNumbers {
                predictions: of_setting(c).filter(|(p, _)| !p.is_finite()).count(),
                of: cells * points,
                settings: (0..settings.len()).filter(failed).count(),
                of_settings: settings.len(),
            }),
            reason: match self.learners[fit.path][fit.stage].refusal(c) {
                Some(reason) => format!(": {reason}"),
                None if vanishes(c) => format!(": {VANISHES}"),
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

/// Scores one setting's predictions of classes or densities, and averages their errors over x. Also
/// returns how many probabilities were exactly 0.
pub(in crate::engine) fn scored(
    loss: Loss,
    (predictions, preference): (&[f64], Preference),
    truth: &[f64],
    classes: &[usize],
    weights: &[f64],
    scores: &mut [f64],
) -> (Observation, usize) {
    let points = weights.len().max(1);
    let outputs = truth.len() / points;
    let rows = scores.chunks_exact_mut((scores.len() / points).max(1));
    let mut zeros = 0;
    let mut seen = Observation {
        excess: 0.0,
        test: 0.0,
    };
    for (j, ((class, weight), score)) in classes.iter().zip(weights).zip(rows).enumerate() {
        let at = j * outputs..(j + 1) * outputs;
        zeros += loss.score(&predictions[at.clone()], preference, score);
        let excess = loss.excess(score, &truth[at]);
        seen.excess += weight * excess;
        // The truth takes the place of fresh values of a density.
        seen.test += weight
            * match loss {
                Loss::Log => excess,
                _ => loss.of(score, *class),
            };
    }
    (seen, zeros)
}
