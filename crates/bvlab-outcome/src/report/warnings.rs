//! What a study warns of.

use bvlab_core::decompose::{Doubt, Loss, Parts};
use bvlab_core::engine::{LearnerResults, Results};
use bvlab_core::learner::Remark;
use bvlab_core::plan::{Curve, Plan, TestKind};
use bvlab_core::words::{short, thousands};

/// Reasons to doubt the numbers: one sentence for every learner and reason.
pub fn doubts(plan: &Plan, results: &Results) -> Vec<String> {
    let mut warnings = Vec::new();
    for doubt in Doubt::ALL {
        for (curve, learner) in plan.curves().zip(&results.learners) {
            let settings = doubted(doubt, learner);
            if settings.is_empty() {
                continue;
            }
            let what = format!("`{}`{}", curve.name, places(curve, &settings));
            let warning = sentence(doubt, &what, &settings, plan, learner);
            // Heavy noise is that of all learners.
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    warnings.extend(beyond_the_range(plan, results));
    warnings
}

/// How much of its log-loss an estimate of a density may be spared by mass beyond the range of x
/// before a run says so, and how much mass that must be: bins that end between the test points seem to
/// have a little more or less.
const SPARED: f64 = 0.05;
const LEAST_BEYOND: f64 = 0.01;

/// Under log-loss, estimates that have mass where it is not looked for: one sentence for every learner.
/// Such mass is missing where the density is, and adds nothing where it lies.
fn beyond_the_range(plan: &Plan, results: &Results) -> Vec<String> {
    if plan.run.loss != Loss::Log {
        return Vec::new();
    }
    let weights = &plan.test.weights;
    let points = weights.len();
    let mut warnings = Vec::new();
    for (curve, learner) in plan.curves().zip(&results.learners) {
        let split = &learner.decomposition;
        let beyond = |setting: usize| {
            // The geometric mean and the variance sum to the mean estimate.
            let at = setting * points..(setting + 1) * points;
            let estimates = split.mean[at.clone()].iter().zip(&split.variance[at]);
            let inside = estimates.zip(weights).map(|((g, v), w)| w * (g + v));
            1.0 - plan.test.left_out - inside.sum::<f64>()
        };
        let spared = |setting: &usize| {
            let least = SPARED * split.parts[*setting].risk.value;
            beyond(*setting) > least.max(LEAST_BEYOND)
        };
        let settings: Vec<usize> = (0..split.parts.len()).filter(spared).collect();
        if settings.is_empty() {
            continue;
        }
        let most = settings.iter().map(|setting| beyond(*setting));
        let (from, to) = plan.problem().inputs.range();
        warnings.push(format!(
            "estimates of `{}`{} have up to {} % of their mass outside {} to {}, where it costs nothing: their \
             log-loss on the whole line is larger. Give the density a wider `range`.",
            curve.name,
            places(curve, &settings),
            short((1000.0 * most.fold(0.0, f64::max)).round() / 10.0),
            short(from),
            short(to)
        ));
    }
    warnings
}

/// The settings of a learner that there is such a reason to doubt.
fn doubted(doubt: Doubt, learner: &LearnerResults) -> Vec<usize> {
    let all = &learner.decomposition.parts;
    // A fit that diverged is no heavy tail.
    let diverged = |setting: usize| {
        let remarked = learner.remarks[setting];
        remarked.is_some_and(|remarked| remarked.remark == Remark::Diverged)
    };
    (0..all.len())
        .filter(|setting| all[*setting].doubts.contains(&doubt))
        .filter(|setting| doubt != Doubt::HeavyTail || !diverged(*setting))
        .collect()
}

fn sentence(
    doubt: Doubt,
    what: &str,
    settings: &[usize],
    plan: &Plan,
    learner: &LearnerResults,
) -> String {
    let all = &learner.decomposition.parts;
    let points = thousands(plan.test.points.len() as u64);
    let most = |of: fn(&Parts) -> f64| {
        let settings = settings.iter().map(|setting| of(&all[*setting]));
        settings.fold(0.0, f64::max)
    };
    let instead = "Use risk_median and the quartiles in curves.csv instead.";
    match doubt {
        Doubt::InfiniteMean => format!(
            "the risk of {what} has no finite mean over training sets, so any average of it is \
             meaningless. {instead}"
        ),
        Doubt::InfiniteSpread => format!(
            "the risk of {what} has a finite mean over training sets but no finite variance, so its \
             error bars and intervals are meaningless. {instead}"
        ),
        Doubt::HeavyTail => format!(
            "the means of {what} may not exist: a single {} makes up {} % of them, so their error \
             bars are meaningless. {instead}",
            match plan.run.sources {
                true => "set of crossed fits",
                false => "training set",
            },
            short((100.0 * most(|parts| parts.largest_share)).round())
        ),
        Doubt::HeavyNoise => format!(
            "the noise has no fourth moment (Student's t with 4 degrees of freedom or fewer): error \
             bars and intervals of variance, risk and testing error cannot be trusted, and the \
             testing error is not compared with the sum of the parts. {instead}"
        ),
        Doubt::FewResamples => format!(
            "{} training sets are too few for the intervals of {what}, because they rest on shares \
             of votes. Use 100 or more.",
            thousands(learner.decomposition.resamples),
        ),
        Doubt::FewPoints => format!(
            "the averages of {what} over x rest on few of the {points} {}",
            match plan.test.kind {
                TestKind::Rows =>
                    "rows held out, so their intervals cannot be trusted. Hold out more rows.",
                _ =>
                    "test points, so their intervals cannot be trusted. Draw more test points, or \
                     test on a grid.",
            }
        ),
        Doubt::CoarseGrid => format!(
            "the test grid of {points} points is too coarse for {what}: averages over other points \
             of its cells differ by {}, which the error bars include. Use a finer grid, or \
             `test = {{ draw = 1000 }}`.",
            short(most(Parts::grid_error))
        ),
    }
}

/// Remarks on the fits to the first training sets: one sentence for every learner and remark.
pub fn remarks(plan: &Plan, results: &Results) -> Vec<String> {
    let mut warnings = Vec::new();
    for remark in [Remark::Diverged, Remark::LostRank, Remark::Separated] {
        for (curve, learner) in plan.curves().zip(&results.learners) {
            let found = learner.remarks.iter().enumerate();
            let found = found.filter_map(|(setting, remarked)| Some((setting, (*remarked)?)));
            let found = found.filter(|(_, remarked)| remarked.remark == remark);
            let (settings, remarked): (Vec<usize>, Vec<_>) = found.unzip();
            let Some(most) = remarked.iter().max_by_key(|remarked| remarked.count) else {
                continue;
            };
            let what = format!("`{}`{}", curve.name, places(curve, &settings));
            let often = format!("in {} of the first {} training sets", most.count, most.of);
            warnings.push(match remark {
                Remark::Diverged => format!(
                    "gradient descent of {what} diverges ({often}): its steps are too long for the \
                     penalty. Choose a smaller `rate` or `lambda`."
                ),
                Remark::LostRank => format!(
                    "the features of {what} are numerically dependent ({often}): the fit of minimum \
                     norm leaves out directions and may miss training points. Look at `rank` in \
                     curves.csv, and choose another basis or a penalty."
                ),
                Remark::Separated => format!(
                    "{what} separates the classes perfectly ({often}): without a penalty the weights \
                     would be infinite, so λ = 1e-10 n is used instead. Choose a larger `lambda`, or \
                     fewer features."
                ),
            });
        }
    }
    warnings
}

/// ` at depth = 5, 6` of some settings; nothing where nothing is swept.
fn places(curve: &Curve, settings: &[usize]) -> String {
    match curve.axes.as_slice() {
        [] => String::new(),
        [axis] => {
            let values = settings.iter().map(|setting| short(curve.value(*setting)));
            format!(" at {} = {}", axis.name, few(values.collect()))
        }
        _ => {
            let places = settings.iter().map(|setting| curve.describe(*setting));
            format!(" at {}", few(places.map(|at| format!("({at})")).collect()))
        }
    }
}

/// The first of a list, and how many more there are.
fn few(mut list: Vec<String>) -> String {
    let more = list.len().saturating_sub(12);
    list.truncate(12);
    let list = list.join(", ");
    match more {
        0 => list,
        _ => format!("{list} and {more} more"),
    }
}
