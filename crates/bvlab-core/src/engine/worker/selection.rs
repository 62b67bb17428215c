//! Selection of capacity from the training set, degrees of freedom and optimism, in one resample.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Deref;

use super::stage::StageFit;
use super::{DIAGNOSED, SECOND, Unfinished, Worker};
use crate::data::Training;
use crate::decompose::{FitRisk, Loss};
use crate::engine::{KeptFit, RunError};
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::Learner;
use crate::maths::square;
use crate::plan::Plan;
use crate::probability::Preference;
use crate::problem::{Labels, MOST_CLASSES, Problem};
use crate::selection::{Bench, RiskEstimates, Room};
use crate::stream::{Purpose, Stream};

/// The memory that selection needs.
#[derive(Default)]
pub(super) struct SelectionMemory {
    room: Room,
    estimates: RiskEstimates,
    /// By setting of a stage and pair; of fixed inputs they are found once for every path and stage.
    leverages: Vec<f64>,
    known: HashMap<(usize, usize), Vec<f64>>,
    /// By setting of a stage: the true risks of its fits.
    pub risks: Vec<FitRisk>,
    /// The training set with other labels, and predictions of the fit to it.
    twin: Training,
    twin_predictions: Vec<f64>,
    scores: Vec<f64>,
}

/// Whether other labels can be drawn at the inputs of a training set, and inputs differ between
/// training sets.
fn has_twins(problem: &Problem) -> bool {
    !problem.fixed && !matches!(problem.labels, Labels::Rows(_) | Labels::Density(_))
}

/// Fits a smoother to labels of which one is 1 and all others are 0, each in turn, and calls `visit`
/// with its number and the learner.
fn fit_units(
    learner: &mut dyn Learner,
    data: &Training,
    stream: &Stream,
    interrupt: &Interrupt,
    mut visit: impl FnMut(usize, &mut dyn Learner, &Training) -> Result<(), Interrupted>,
) -> Result<(), Interrupted> {
    let mut unit = data.clone();
    unit.labels.fill(0.0);
    for i in 0..data.len() {
        unit.labels[i] = 1.0;
        learner.try_fit(&unit, stream, interrupt)?;
        visit(i, learner, &unit)?;
        unit.labels[i] = 0.0;
    }
    learner.try_fit(data, stream, interrupt)
}

impl<P: Deref<Target = Plan>> Worker<P> {
    /// What follows from a fitted stage besides its errors: degrees of freedom and optimism, and the
    /// choices of the methods of selection. The learner may hold another fit afterwards.
    pub(super) fn look_further(
        &mut self,
        fit: StageFit,
        mut kept: Option<&mut KeptFit>,
        interrupt: &Interrupt,
    ) -> Result<(), Unfinished> {
        let run = &fit.plan.run;
        let learner = &*self.learners[fit.path][fit.stage];
        let by_methods = run.select.iter().any(|m| m.needs_leverages(learner));
        let smooths = learner.is_smoother() && self.outputs == 1;
        if smooths && (run.df || by_methods) {
            self.find_leverages(fit, interrupt)?;
        } else {
            self.selection.leverages.clear();
        }
        if run.df {
            self.add_degrees(fit)?;
            if let Some(kept) = kept.as_deref_mut() {
                self.keep_effective(fit, kept, interrupt)?;
            }
        }
        if !run.select.is_empty() {
            self.fit_twin(fit, interrupt)?;
            self.select(fit, kept, interrupt)?;
        }
        Ok(())
    }

    fn find_leverages(&mut self, fit: StageFit, interrupt: &Interrupt) -> Result<(), Unfinished> {
        let stage = fit.of();
        let learner = &mut *self.learners[fit.path][fit.stage];
        let data = &self.data[stage.problem][0];
        let memory = &mut self.selection;
        let place = (fit.path, fit.stage);
        if let Some(known) = memory.known.get(&place) {
            memory.leverages.clone_from(known);
            return Ok(());
        }
        let (pairs, settings) = (data.len(), learner.capacities());
        let leverages = &mut memory.leverages;
        leverages.clear();
        leverages.resize(settings * pairs, 0.0);
        if !learner.try_leverages(data, leverages, interrupt)? {
            let stream = fit.stream();
            let mut fitted = vec![0.0; settings * pairs];
            fit_units(learner, data, &stream, interrupt, |i, learner, unit| {
                learner.try_predict_training(unit, &mut fitted, interrupt)?;
                for c in 0..settings {
                    leverages[c * pairs + i] = fitted[c * pairs + i];
                }
                Ok(())
            })?;
        }
        if fit.plan.problems[stage.problem].fixed && learner.is_linear() {
            memory.known.insert(place, leverages.clone());
        }
        Ok(())
    }

    /// Adds degrees of freedom and optimism to the tally. With e the noise of the labels, f the truth
    /// and p the fitted values, given the inputs: df = E Σ e (p - f)/σ², optimism = E (2/n) Σ e (p - f).
    fn add_degrees(&mut self, fit: StageFit) -> Result<(), Unfinished> {
        let stage = fit.of();
        let problem = &fit.plan.problems[stage.problem];
        let data = &self.data[stage.problem][0];
        let (pairs, outputs) = (data.len(), self.outputs);
        let failed = |error| RunError::Problem(error, fit.resample);
        let mut truth = vec![0.0; pairs * outputs];
        let mut variances = vec![0.0; pairs];
        for (i, x) in data.inputs.rows().enumerate() {
            let truth = &mut truth[i * outputs..][..outputs];
            problem.truth_at(x, truth).map_err(failed)?;
            variances[i] = square(problem.sd_at(x).map_err(failed)?);
        }
        let preference = Preference::of(&fit.stream());
        for (c, &setting) in stage.settings.iter().enumerate() {
            let fitted = &self.at_train[c * pairs * outputs..][..pairs * outputs];
            let (degrees, optimism) = match outputs {
                1 => {
                    let (mut degrees, mut optimism) = (0.0, 0.0);
                    for i in 0..pairs {
                        let product = (data.labels[i] - truth[i]) * (fitted[i] - truth[i]);
                        degrees += product / variances[i];
                        optimism += 2.0 * product / pairs as f64;
                    }
                    let exact = self.selection.leverages.get(c * pairs..(c + 1) * pairs);
                    let exact = exact.map(|leverages| leverages.iter().sum());
                    (exact.unwrap_or(degrees), optimism)
                }
                _ => {
                    let loss = fit.plan.run.loss;
                    let optimism = optimism(loss, fitted, preference, &truth, &data.labels);
                    (0.0, optimism)
                }
            };
            self.tallies[fit.path].add_degrees(setting, degrees, optimism);
        }
        Ok(())
    }

    /// Keeps the effective parameters n Σ_j ω_j ‖w(x_j)‖² of a smoother at the test points x_j, whose
    /// weights ω_j sum to 1, for the first resamples; on fixed inputs one says it all.
    fn keep_effective(
        &mut self,
        fit: StageFit,
        kept: &mut KeptFit,
        interrupt: &Interrupt,
    ) -> Result<(), Unfinished> {
        let stage = fit.of();
        let learner = &mut *self.learners[fit.path][fit.stage];
        let fixed = fit.plan.problems[stage.problem].fixed && learner.is_linear();
        let most = if fixed { 1 } else { DIAGNOSED };
        if fit.resample >= most || !learner.is_smoother() || self.outputs > 1 {
            return Ok(());
        }
        let test = &fit.plan.test;
        let data = &self.data[stage.problem][0];
        let mut sums = vec![0.0; learner.capacities()];
        let mut weights = vec![0.0; sums.len() * test.points.len()];
        fit_units(learner, data, &fit.stream(), interrupt, |_, learner, _| {
            learner.try_predict(&test.points, &mut weights, interrupt)?;
            let each = weights.chunks_exact(test.points.len());
            for (sum, weights) in sums.iter_mut().zip(each) {
                let squares = weights.iter().zip(&test.weights);
                *sum += squares.map(|(w, share)| share * w * w).sum::<f64>();
            }
            Ok(())
        })?;
        for (sum, &setting) in sums.iter().zip(&stage.settings) {
            kept.effective[setting] = data.len() as f64 * sum;
        }
        Ok(())
    }

    /// Fits to other labels at the same inputs, for the risk of that fit.
    fn fit_twin(&mut self, fit: StageFit, interrupt: &Interrupt) -> Result<(), Unfinished> {
        let stage = fit.of();
        let problem = &fit.plan.problems[stage.problem];
        if !has_twins(problem) {
            return Ok(());
        }
        let (plan, points) = (fit.plan, fit.plan.test.points.len() * self.outputs);
        let memory = &mut self.selection;
        let draws = [fit.resample, fit.resample | SECOND];
        problem
            .draw_crossed(plan.run.seed, draws, &mut memory.twin)
            .map_err(|error| RunError::Problem(error, fit.resample))?;
        let learner = &mut self.learners[fit.path][fit.stage];
        learner.try_fit(&memory.twin, &fit.stream(), interrupt)?;
        memory.twin_predictions.clear();
        memory
            .twin_predictions
            .resize(learner.capacities() * points, 0.0);
        learner.try_predict(&plan.test.points, &mut memory.twin_predictions, interrupt)?;
        let preference = Preference::of(&fit.stream());
        memory.scores.resize(self.outputs, 0.0);
        let each = memory.twin_predictions.chunks_exact(points);
        for (risks, predictions) in memory.risks.iter_mut().zip(each) {
            let rows = predictions.chunks_exact(self.outputs);
            let truth = self.truth.chunks_exact(self.outputs);
            let mut excess = 0.0;
            for ((prediction, truth), weight) in rows.zip(truth).zip(&plan.test.weights) {
                plan.run
                    .loss
                    .score(prediction, preference, &mut memory.scores);
                excess += weight * plan.run.loss.excess(&memory.scores, truth);
            }
            risks.twin = self.noise[stage.problem] + excess;
        }
        Ok(())
    }

    /// Lets every method estimate and choose.
    fn select(
        &mut self,
        fit: StageFit,
        mut kept: Option<&mut KeptFit>,
        interrupt: &Interrupt,
    ) -> Result<(), Unfinished> {
        let (stage, run) = (fit.of(), &fit.plan.run);
        let length = fit.plan.paths[fit.path].curve.row();
        let settings = &stage.settings;
        let numbered: Vec<usize> = (0..settings.len()).collect();
        let rows = numbered.chunk_by(|a, b| settings[*a] / length == settings[*b] / length);
        let rows: Vec<Vec<usize>> = rows.map(<[usize]>::to_vec).collect();
        let memory = &mut self.selection;
        let Some(tally) = self.tallies[fit.path].selection() else {
            return Ok(());
        };
        for (&setting, &risk) in settings.iter().zip(&memory.risks) {
            tally.add_risk(setting, risk);
        }
        let stream = fit.stream();
        let draws = Stream::new(run.seed, Purpose::Selection, fit.resample);
        let mut bench = Bench {
            learner: &mut *self.learners[fit.path][fit.stage],
            data: &self.data[stage.problem][0],
            fitted: &self.at_train,
            train_error: &self.train_error,
            leverages: &memory.leverages,
            rows: &rows,
            stream: &stream,
            draws: &draws,
            loss: run.loss,
            outputs: self.outputs,
            preference: Preference::of(&stream),
            interrupt,
            room: &mut memory.room,
        };
        let place = |setting: usize| {
            // The stage has whole rows, by rising number.
            settings.partition_point(|other| *other < setting)
        };
        for (which, method) in run.select.iter().enumerate() {
            method.estimate(&mut bench, &mut memory.estimates)?;
            let claims = memory.estimates.claims.iter().zip(settings);
            for ((&claim, &setting), &risk) in claims.zip(&memory.risks) {
                tally.add_claim(which, setting, claim, risk);
                if let Some(kept) = kept.as_deref_mut() {
                    kept.estimates[setting * run.select.len() + which] = claim.estimate;
                }
            }
            for (number, row) in rows.iter().enumerate() {
                let error = &self.train_error;
                let mut chosen = method.choice(&memory.estimates, number, row, error);
                chosen.setting = settings[chosen.setting];
                chosen.one_se = chosen.one_se.map(|c| settings[c]);
                let risk = |setting: usize| memory.risks[place(setting)].risk;
                tally.add_choice(which, chosen, risk);
                if let Some(kept) = kept.as_deref_mut() {
                    let row = chosen.setting / length;
                    kept.chosen[row * run.select.len() + which] = (chosen.setting % length) as u32;
                }
            }
        }
        Ok(())
    }
}

/// The expected loss of fitted values on other labels at the same inputs, less that on their own.
fn optimism(
    loss: Loss,
    fitted: &[f64],
    preference: Preference,
    truth: &[f64],
    labels: &[f64],
) -> f64 {
    let outputs = truth.len() / labels.len().max(1);
    let mut room = [0.0; MOST_CLASSES];
    let score = &mut room[..outputs];
    let points = fitted
        .chunks_exact(outputs)
        .zip(truth.chunks_exact(outputs));
    let gaps = points.zip(labels).map(|((prediction, truth), label)| {
        loss.score(prediction, preference, score);
        loss.least(truth) + loss.excess(score, truth) - loss.of(score, *label as usize)
    });
    gaps.sum::<f64>() / labels.len() as f64
}
