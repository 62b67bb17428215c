//! Predictions at other points, to judge averages over the test points.

use super::{BestPredictions, KeptResample, at_points};
use crate::decompose::{Loss, ProbePredictions, ProbeResult};
use crate::plan::Plan;
use crate::probability::Preference;
use crate::stream::{Purpose, Stream};

/// By learner and setting; `None` where nothing is known.
pub(super) type ProbedSettings = Vec<Vec<Option<ProbeResult>>>;

/// The probe points' truth and noise, and what was found.
pub(super) struct Probes {
    at: Option<BestPredictions>,
    /// The number of resamples behind it, and the result.
    found: Option<(usize, ProbedSettings)>,
}

impl Probes {
    pub fn new(plan: &Plan) -> Self {
        let probe = plan.test.probe.as_ref();
        // A truth that is not finite at a probe point is no reason to stop a run.
        let at = probe.and_then(|probe| at_points(plan, &probe.points).ok());
        Probes { at, found: None }
    }

    /// Judges from the kept ones of the first resamples.
    pub fn judge(
        &mut self,
        plan: &Plan,
        kept: &[KeptResample],
        resamples: u64,
    ) -> Option<&ProbedSettings> {
        let at = self.at.as_ref()?;
        let probe = plan.test.probe.as_ref()?;
        let wanted = probe.judging(resamples);
        let mut first: Vec<&KeptResample> =
            kept.iter().filter(|kept| kept.resample < wanted).collect();
        first.sort_by_key(|kept| kept.resample);
        let count = first.len();
        if self.found.as_ref().is_none_or(|(from, _)| *from != count) {
            self.found = Some((count, judge(plan, at, &first)));
        }
        self.found.as_ref().map(|(_, found)| found)
    }
}

fn judge(plan: &Plan, (truth, noise): &BestPredictions, first: &[&KeptResample]) -> ProbedSettings {
    let probe = plan.test.probe.as_ref();
    let (cells, lean) = probe.map_or((&[][..], &[][..]), |probe| (&*probe.cells, &*probe.lean));
    let has_own = probe.is_some_and(|probe| probe.has_own);
    let (loss, seed) = (plan.run.loss, plan.run.seed);
    let outputs = plan.problem().outputs();
    let paths = plan.paths.iter().enumerate();
    paths
        .map(|(which, path)| {
            let settings = path.problems().into_iter().enumerate();
            let each = settings.map(|(setting, problem)| {
                let scores: Option<Vec<Vec<f64>>> = first
                    .iter()
                    .map(|kept| {
                        let from = setting * truth.len();
                        let predictions = kept.fits[which].probe.get(from..from + truth.len())?;
                        let stream = Stream::new(seed, Purpose::Algorithm, kept.resample);
                        scores(loss, predictions, truth, outputs, Preference::of(&stream))
                    })
                    .collect();
                let at = ProbePredictions {
                    loss,
                    truth,
                    noise: &noise[problem],
                    cells,
                    lean,
                    has_own,
                    scores: &scores?,
                };
                at.judge()
                    .map(|found| found.times(plan.problem().measure()))
            });
            each.collect()
        })
        .collect()
}

/// Distances from the truth, or scores; `None` where one is not finite.
fn scores(
    loss: Loss,
    predictions: &[f64],
    truth: &[f64],
    outputs: usize,
    preference: Preference,
) -> Option<Vec<f64>> {
    let mut found: Vec<f64> = match loss {
        Loss::Squared => predictions.iter().zip(truth).map(|(p, f)| p - f).collect(),
        _ => vec![0.0; truth.len() / outputs * loss.scores(outputs)],
    };
    let mut excess = 0.0;
    if loss != Loss::Squared {
        let rows = predictions.chunks_exact(outputs);
        let rows = rows.zip(truth.chunks_exact(outputs));
        for (score, (row, truth)) in found.chunks_exact_mut(loss.scores(outputs)).zip(rows) {
            loss.score(row, preference, score);
            excess += loss.excess(score, truth);
        }
    }
    // Their squares are formed, and squares of these.
    let fine = found.iter().all(|score| score.abs() < 1e75) && excess.is_finite();
    fine.then_some(found)
}
