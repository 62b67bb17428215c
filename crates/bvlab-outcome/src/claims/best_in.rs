//! Claims on where the best setting is.

use super::{ClaimFinding, ClaimTest, ROUNDING, Verdict};
use crate::best::exact_risks;
use bvlab_core::decompose::{Decomposition, Doubt};
use bvlab_core::plan::Curve;
use bvlab_experiment::words::HeldAxis;

/// What a setting is compared by.
struct SettingRisks<'a> {
    all: &'a Decomposition,
    /// Of all settings, or `None`.
    exact: Option<Vec<f64>>,
}

/// By how much one setting is worse than another.
struct Worse {
    by: f64,
    se: f64,
}

impl SettingRisks<'_> {
    fn of(&self, setting: usize) -> f64 {
        match &self.exact {
            Some(exact) => exact[setting],
            None => self.all.parts[setting].risk.value,
        }
    }

    /// Whether theory says that the mean of a setting is infinite: it is worse than any other.
    fn is_infinite(&self, setting: usize) -> bool {
        match &self.exact {
            Some(exact) => exact[setting] == f64::INFINITY,
            None => self.all.parts[setting]
                .doubts
                .contains(&Doubt::InfiniteMean),
        }
    }

    /// Whether the risk of a setting can be compared.
    fn is_sound(&self, setting: usize) -> bool {
        match &self.exact {
            Some(_) => !self.is_infinite(setting),
            None => !self.all.parts[setting].is_spoiled(),
        }
    }

    fn worse(&self, setting: usize, than: usize) -> Worse {
        match &self.exact {
            Some(exact) => Worse {
                by: exact[setting] - exact[than],
                se: 0.0,
            },
            None => {
                let apart = self.all.risk_minus(setting, self.all, than);
                Worse {
                    by: apart.value,
                    se: apart.se,
                }
            }
        }
    }
}

impl ClaimTest<'_> {
    /// Holds if every setting outside is worse than the best inside; refuted if one outside is better
    /// than every one inside.
    pub(super) fn best_in(
        &self,
        run: usize,
        learner: usize,
        axis: usize,
        held: Option<HeldAxis>,
        is_inside: &[bool],
    ) -> ClaimFinding {
        let nothing = |why: &str| ClaimFinding::undecided(f64::NAN, f64::NAN, f64::NAN, why);
        let run = self.evidence.run(run);
        let Some((plan, results, all)) = run.and_then(|run| run.learner(learner)) else {
            return nothing("the variant was not computed");
        };
        let risks = SettingRisks {
            all,
            exact: exact_risks(plan, &results.learners[learner]),
        };
        let (inside, outside) = sides(&plan.paths[learner].curve, axis, held, is_inside);
        let sound = |setting: &&usize| risks.is_sound(**setting);
        let lowest = |settings: &[usize]| {
            let sound = settings.iter().filter(sound);
            sound
                .copied()
                .min_by(|a, b| risks.of(*a).total_cmp(&risks.of(*b)))
        };
        let Some(best) = lowest(&inside) else {
            return nothing("no mean inside the range can be trusted (heavy tails)");
        };
        let beats = |worse: &Worse, shared: usize, scale: f64| {
            worse.by > (self.reach(shared) * worse.se).max(ROUNDING * scale.abs())
        };
        // The setting outside that comes nearest to the best inside.
        let nearest = outside.iter().filter(sound).map(|setting| {
            let worse = risks.worse(*setting, best);
            (worse.by / worse.se.max(f64::MIN_POSITIVE), *setting, worse)
        });
        let nearest = nearest.min_by(|a, b| a.0.total_cmp(&b.0));
        let finding = |verdict, reason: Option<&str>| ClaimFinding {
            left: risks.of(best),
            right: nearest
                .as_ref()
                .map_or(f64::NAN, |(_, setting, _)| risks.of(*setting)),
            se: nearest.as_ref().map_or(f64::NAN, |(.., worse)| worse.se),
            verdict,
            reason: reason.map(str::to_owned),
        };
        let better = |setting: &&usize| {
            inside.iter().all(|other| {
                risks.is_infinite(*other)
                    || risks.is_sound(*other)
                        && beats(
                            &risks.worse(*other, **setting),
                            outside.len(),
                            risks.of(*other),
                        )
            })
        };
        if outside.iter().filter(sound).any(|setting| better(&setting)) {
            return finding(Verdict::Refuted, None);
        }
        let doubtful = |setting: &usize| !risks.is_sound(*setting) && !risks.is_infinite(*setting);
        if outside.iter().any(doubtful) {
            let why = "a mean outside the range cannot be trusted (heavy tails)";
            return finding(Verdict::Undecided, Some(why));
        }
        let worse = |setting: &usize| {
            risks.is_infinite(*setting)
                || beats(&risks.worse(*setting, best), outside.len(), risks.of(best))
        };
        match outside.iter().all(worse) {
            true => finding(Verdict::Holds, None),
            false => finding(Verdict::Undecided, None),
        }
    }
}

/// The settings whose value on an axis is inside, and the others; only those at the held value of
/// the other axis, where it is held.
fn sides(
    curve: &Curve,
    axis: usize,
    held: Option<HeldAxis>,
    is_inside: &[bool],
) -> (Vec<usize>, Vec<usize>) {
    let row = curve.row();
    let place = |setting: usize, axis: usize| match axis {
        0 => setting % row,
        _ => setting / row,
    };
    let kept = |setting: &usize| held.is_none_or(|held| place(*setting, held.axis) == held.value);
    let settings = (0..curve.settings()).filter(kept);
    settings.partition(|setting| is_inside.get(place(*setting, axis)) == Some(&true))
}
