//! Whether the numbers of a study agree with each other, with theory, and with what was asked for.

use super::Agreement;
use crate::best::exact_parts;
use bvlab_core::decompose::{Doubt, Parts, interval_factor};
use bvlab_core::engine::Results;
use bvlab_core::plan::{Curve, Length, Plan};
use bvlab_core::words::{short, thousands};

/// How often a correct program may say that the identity fails: once in a thousand runs.
pub const FALSE_ALARM: f64 = 0.001;

/// How many standard errors the largest of so many differences may be, by chance. Half of the false
/// alarms are set aside for what makes a standard error from few groups less certain than Student's t
/// says: skewed differences, and groups of unequal size.
fn allowed(values: f64, groups: usize) -> f64 {
    interval_factor(1.0 - 0.5 * FALSE_ALARM / values, groups)
}

/// A fact where numbers agree, a warning where they do not.
pub type Finding = Result<String, String>;

/// Compares noise + bias² + variance with the error measured on fresh labels, everywhere: a fact
/// where they agree, a doubt where they differ by more than chance allows.
pub fn identity(plan: &Plan, results: &Results) -> Option<(Finding, Agreement)> {
    let groups = results.learners.first()?.decomposition.groups;
    let (mut looked_at, mut left_out) = (0, 0);
    let mut worst: Option<(f64, &Curve, usize, &Parts)> = None;
    for (curve, learner) in plan.curves().zip(&results.learners) {
        for (setting, parts) in learner.decomposition.parts.iter().enumerate() {
            // Of a mean that may not exist nothing can be checked, nor with labels whose squares
            // have no variance.
            if parts.is_spoiled() || parts.doubts.contains(&Doubt::HeavyNoise) {
                left_out += 1;
                continue;
            }
            looked_at += 1;
            // Without noise the two are the same number but for rounding.
            let rounding = 1e-9 * parts.risk.value.abs();
            let apart = parts.gap.value.abs() / parts.gap.se.max(rounding).max(f64::MIN_POSITIVE);
            if worst.as_ref().is_none_or(|(most, ..)| apart > *most) {
                worst = Some((apart, curve, setting, parts));
            }
        }
    }
    let (apart, curve, setting, parts) = worst?;
    let limit = allowed(looked_at as f64, groups);
    let values = match looked_at {
        1 if left_out == 0 => "the one value".to_owned(),
        n if left_out == 0 => format!("all {} values", thousands(n)),
        n => format!(
            "{} of {} values (the others have heavy tails)",
            thousands(n),
            thousands(n + left_out)
        ),
    };
    let bias = plan.run.loss.bias_name();
    let sum = match plan.problem().rows() {
        Some(_) => format!("risk = {bias} + variance"),
        None => format!("risk = noise + {bias} + variance"),
    };
    let agreement = Agreement {
        largest: apart,
        allowed: limit,
        values: looked_at,
    };
    if apart <= limit && plan.problem().density().is_some() {
        // There are no labels: both are averages of the same errors.
        let fact =
            format!("{sum} is the mean error of the estimates at {values}, but for rounding");
        return Some((Ok(fact), agreement));
    }
    if apart <= limit {
        let fact = format!(
            "{sum} agrees with the testing error at {values}: \
             largest difference {apart:.1} standard errors, chance allows {limit:.1}"
        );
        return Some((Ok(fact), agreement));
    }
    let place = at(curve, setting);
    let doubt = format!(
        "{sum} DISAGREES with the testing error for `{}`{place}: \
         {} against {}, {apart:.1} standard errors where chance allows {limit:.1}. \
         Do not trust these numbers: the cause is a heavy tail or a bug.",
        curve.name,
        short(parts.risk.value),
        short(parts.test.value)
    );
    Some((Err(doubt), agreement))
}

/// Compares bias² and variance with their exact forms, where there are any.
pub fn theory(plan: &Plan, results: &Results) -> Option<Finding> {
    let weights = &plan.test.weights;
    let groups = results.learners.first()?.decomposition.groups;
    let mut looked_at = 0;
    let mut worst: Option<(f64, &Curve, usize, &str, [f64; 2])> = None;
    for (curve, learner) in plan.curves().zip(&results.learners) {
        for (setting, parts) in learner.decomposition.parts.iter().enumerate() {
            let Some(exact) = exact_parts(learner, weights, setting) else {
                continue;
            };
            // Averages over x alone are those over the inputs' distribution.
            let of_all_inputs = learner.exact.is_none();
            let finite = exact.iter().all(|value| value.is_finite());
            if !finite || parts.is_spoiled() || parts.doubts.contains(&Doubt::HeavyNoise) {
                continue;
            }
            let apart = parts.apart_from(exact[0], exact[1], of_all_inputs);
            let found = [parts.bias2.value, parts.variance.value];
            for (i, name) in ["bias²", "variance"].into_iter().enumerate() {
                looked_at += 1;
                let apart = apart[i].abs();
                if worst.as_ref().is_none_or(|(most, ..)| apart > *most) {
                    worst = Some((apart, curve, setting, name, [found[i], exact[i]]));
                }
            }
        }
    }
    let (apart, curve, setting, name, [found, exact]) = worst?;
    let limit = allowed(f64::from(looked_at), groups);
    if apart <= limit {
        return Some(Ok(format!(
            "bias² and variance agree with theory: largest difference {apart:.1} standard errors, \
             chance allows {limit:.1}"
        )));
    }
    let place = at(curve, setting);
    Some(Err(format!(
        "the {name} of `{}`{place} DISAGREES with theory: {} against {}, {apart:.1} standard errors \
         where chance allows {limit:.1}. Do not trust these numbers: the cause is a heavy tail or a \
         bug.",
        curve.name,
        short(found),
        short(exact)
    )))
}

/// Whether the wanted precision was reached.
pub fn precision(plan: &Plan, results: &Results) -> Option<Finding> {
    let Length::Precision { share, most } = plan.run.length else {
        return None;
    };
    let percent = |share: f64| format!("{} %", short(100.0 * share));
    let Some(reached) = results.reached else {
        return Some(Err(format!(
            "the wanted precision was not reached after max-resamples = {most}: every setting has heavy \
             tails"
        )));
    };
    let all = || results.learners.iter().flat_map(|l| &l.decomposition.parts);
    let every = match all().filter(|parts| parts.is_spoiled()).count() {
        0 => "every risk is known".to_owned(),
        left_out => format!(
            "{} of {} risks are known (the others have heavy tails)",
            thousands((all().count() - left_out) as u64),
            thousands(all().count() as u64)
        ),
    };
    Some(match reached <= share {
        true => Ok(format!(
            "{every} to {} of itself (wanted {}), after {} training sets",
            percent(reached),
            percent(share),
            thousands(results.resamples)
        )),
        false => Err(format!(
            "the wanted precision was not reached: the worst risk is known to {} of itself \
             (wanted {}) after max-resamples = {most}",
            percent(reached),
            percent(share)
        )),
    })
}

/// ` at depth = 5`, or nothing where nothing is swept.
fn at(curve: &Curve, setting: usize) -> String {
    match curve.describe(setting) {
        place if place.is_empty() => place,
        place => format!(" at {place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bvlab_core::engine::{self, Unwatched};
    use bvlab_experiment::{Experiment, Source};

    #[test]
    fn a_wrong_decomposition_is_called_wrong() {
        let text = r#"
            problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 9 }
            learner = [{ knn = {} }]
            sweep   = { k = [1, 5] }
            run     = { resamples = 500 }
        "#;
        let experiment = Experiment::read("identity", Source::new("", text, &[])).unwrap();
        let plan = experiment.plan().unwrap();
        let good = engine::run(plan, 1, &Unwatched).unwrap();
        assert!(matches!(identity(plan, &good), Some((Ok(_), _))));
        // A noise that is a tenth too small, as when 49/50 of it is mistaken for all.
        let groups = |scale: f64| {
            let mut parts = plan.clone().into_parts();
            let bvlab_core::problem::Labels::Numbers { noise, .. } = &mut parts.problems[0].labels
            else {
                panic!("the labels are numbers");
            };
            noise.sd = bvlab_core::problem::Expression::parse(&scale.to_string(), 1).unwrap();
            let plan = Plan::new(parts).unwrap();
            let other = engine::run(&plan, 1, &Unwatched).unwrap();
            other.learners[0].decomposition.parts[0].risk.value
        };
        let mut bad = good.clone();
        let parts = &mut bad.learners[0].decomposition.parts[0];
        parts.gap.value += parts.risk.value - groups(0.9);
        let Some((Err(doubt), _)) = identity(plan, &bad) else {
            panic!("not called wrong");
        };
        assert!(
            doubt.contains("DISAGREES") && doubt.contains("k = 1"),
            "{doubt}"
        );
    }
}
