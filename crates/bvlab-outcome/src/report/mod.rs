//! What a run prints: the best capacity of every learner, the identity, and paired differences.

mod simulated;

use std::fmt::Write;

use bvlab_core::decompose::{Decomposition, Doubt, Estimate, Loss, Parts, Split, interval_factor};
use bvlab_core::engine::{LearnerResults, Results};
use bvlab_core::learner::Remark;
use bvlab_core::maths::log10;
use bvlab_core::plan::{CapacityPath, Curve, Length, Plan, TestKind};
use bvlab_core::problem::NORMAL_REACH;
use bvlab_core::task::{Outcome, Task};
use bvlab_core::words::{short, thousands};

/// How often a correct program may say that the identity fails: once in a thousand runs.
pub(crate) const FALSE_ALARM: f64 = 0.001;

/// How many standard errors the largest of so many differences may be, by chance. Half of the false
/// alarms are set aside for what makes a standard error from few groups less certain than Student's t
/// says: skewed differences, and groups of unequal size.
fn allowed(values: f64, groups: usize) -> f64 {
    interval_factor(1.0 - 0.5 * FALSE_ALARM / values, groups)
}

/// What a run has to say.
#[derive(Debug, Default)]
pub struct Report {
    /// The results, for stdout.
    pub text: String,
    /// What is to be doubted, for stderr.
    pub warnings: Vec<String>,
    /// How well risk = noise + bias² + variance agrees with the testing error, where that can be
    /// told.
    pub agreement: Option<Agreement>,
}

/// How far noise + bias² + variance and the error measured on fresh labels are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// The largest difference, in standard errors.
    pub largest: f64,
    /// What chance allows, once in a thousand runs.
    pub allowed: f64,
    /// At how many values it was looked at.
    pub values: u64,
}

/// The report of a run; empty if the outcome is that of another task.
pub fn report(heading: &str, task: &Task, outcome: &Outcome, seconds: f64) -> Report {
    match (task, outcome) {
        (Task::Study(plan), Outcome::Study(results)) => {
            study_report(heading, plan, results, seconds)
        }
        (Task::Simulation(setup), Outcome::Simulation { rows, resamples }) => {
            simulated::report(heading, setup, rows, *resamples, seconds)
        }
        _ => Report::default(),
    }
}

/// The report of a study.
pub fn study_report(heading: &str, plan: &Plan, results: &Results, seconds: f64) -> Report {
    let mut report = Report::default();
    let _ = write(&mut report.text, heading, plan, results, seconds);
    report.warnings.extend(remarks(plan, results));
    report.warnings.extend(doubts(plan, results));
    let (said, agreement) = identity(plan, results).unzip();
    report.agreement = agreement;
    let said = [said, theory(plan, results), precision(plan, results)];
    for said in said {
        match said {
            Some(Ok(fact)) => report.text.push_str(&(fact + "\n")),
            Some(Err(doubt)) => report.warnings.push(doubt),
            None => {}
        }
    }
    report
}

fn write(
    text: &mut String,
    heading: &str,
    plan: &Plan,
    results: &Results,
    seconds: f64,
) -> std::fmt::Result {
    writeln!(text, "{heading}")?;
    let points = match plan.test.kind {
        TestKind::Rows => "rows held out",
        _ => "test points",
    };
    writeln!(
        text,
        "{}, {} {points}, {:.2} s\n",
        plan.describe().drawn(results.resamples),
        thousands(plan.test.points.len() as u64),
        seconds
    )?;
    if plan.test.left_out > 0.0 {
        writeln!(
            text,
            "(averages over x within {NORMAL_REACH} sd of the inputs' means, which leaves out {} % of them; \
             {{ draw = N }} has no such limit)\n",
            short(100.0 * plan.test.left_out)
        )?;
    }
    let learners = plan.paths.iter().zip(&results.learners);
    let best: Vec<Best> = learners
        .filter_map(|(path, learner)| Best::of(path, learner))
        .collect();
    bests(text, &best, plan.run.loss)?;
    table_in_words(text, plan)?;
    loss_in_words(text, plan, results)?;
    for (i, a) in best.iter().enumerate() {
        // Between different training sets or noise there is nothing to compare.
        let same = |b: &&Best| a.problem == b.problem;
        for b in best[..i].iter().filter(same) {
            let difference = a.all.risk_minus(a.setting, b.all, b.setting);
            writeln!(
                text,
                "{} − {}, both at their best: risk differs by {} (paired, 95 %)",
                a.curve.name,
                b.curve.name,
                with_interval(difference)
            )?;
        }
    }
    Ok(())
}

/// A learner at the setting with the lowest risk, among those whose mean means something; where
/// there is none, at that with the lowest median.
struct Best<'a> {
    curve: &'a Curve,
    all: &'a Decomposition,
    setting: usize,
    /// Which of the plan's problems it is fitted to.
    problem: usize,
}

impl<'a> Best<'a> {
    fn of(path: &'a CapacityPath, learner: &'a LearnerResults) -> Option<Self> {
        let all = &learner.decomposition;
        let lowest = |settings: &mut dyn Iterator<Item = usize>, risk: fn(&Parts) -> f64| {
            let risk = |setting: usize| risk(&all.parts[setting]);
            settings.min_by(|a, b| risk(*a).total_cmp(&risk(*b)))
        };
        let every = 0..all.parts.len();
        let mut sound = every
            .clone()
            .filter(|setting| !all.parts[*setting].is_spoiled());
        let setting = lowest(&mut sound, |parts| parts.risk.value)
            .or_else(|| lowest(&mut every.clone(), |parts| parts.risk_quartiles[1]))?;
        Some(Best {
            curve: &path.curve,
            all,
            setting,
            problem: path.problems()[setting],
        })
    }
}

/// One row per learner, at its best.
fn bests(text: &mut String, best: &[Best], loss: Loss) -> std::fmt::Result {
    let head = [
        "learner",
        "best at",
        "noise",
        loss.bias_name(),
        "variance",
        "risk",
        "testing error",
        "training error",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    for Best {
        curve,
        all,
        setting,
        ..
    } in best
    {
        let parts = &all.parts[*setting];
        let at = match curve.describe(*setting) {
            at if at.is_empty() => "–".to_owned(),
            at => at,
        };
        let cell = |estimate: Estimate| match parts.is_spoiled() {
            true => "no mean".to_owned(),
            false => with_interval(estimate),
        };
        let at = match parts.is_spoiled() {
            true => format!("{at} (by the median)"),
            false => at,
        };
        rows.push([
            curve.name.clone(),
            at,
            match parts.noise.is_nan() {
                true => "unknown".to_owned(),
                false if parts.noise_se > 1e-12 * parts.noise => {
                    plus_minus(Estimate::new(parts.noise, parts.noise_se), 1.96)
                }
                false => alone(parts.noise),
            },
            cell(parts.bias2),
            cell(parts.variance),
            cell(parts.risk),
            cell(parts.test),
            with_interval(parts.train),
        ]);
    }
    table(text, &rows)
}

/// What has to be said of a table of real data.
fn table_in_words(text: &mut String, plan: &Plan) -> std::fmt::Result {
    let Some(rows) = plan.problem().rows() else {
        return Ok(());
    };
    let bias = plan.run.loss.bias_name();
    writeln!(
        text,
        "nobody knows the noise of a table: it is part of the {bias}, and training sets that share \
         rows differ less than new ones would"
    )?;
    match rows.imputed {
        0 => writeln!(text),
        some => writeln!(
            text,
            "missing inputs made up from their columns: {}\n",
            thousands(some as u64)
        ),
    }
}

/// What has to be said of a loss of classes.
fn loss_in_words(text: &mut String, plan: &Plan, results: &Results) -> std::fmt::Result {
    let parts = || results.learners.iter().flat_map(|l| &l.decomposition.parts);
    match plan.run.loss {
        Loss::Squared if plan.problem().classes() > 0 => writeln!(
            text,
            "squared loss of probabilities, summed over the classes (Brier's score)\n"
        ),
        Loss::Squared => Ok(()),
        Loss::CrossEntropy { smoothing } => {
            let zeros = parts().map(|parts| parts.zeros).fold(0.0, f64::max);
            writeln!(
                text,
                "cross-entropy in nats, with predictions that are too sure smoothed to (p + ε)/(1 + Kε), ε = {smoothing:e}: \
                 up to {} % of a learner's probabilities were exactly 0\n",
                short((1000.0 * zeros).round() / 10.0)
            )
        }
        Loss::ZeroOne(split) => {
            let whose = match split {
                Split::Domingos => {
                    "noise and variance are Domingos' times his factors, which alone make them add up"
                }
                Split::KohaviWolpert => "the parts are Kohavi and Wolpert's",
                Split::Effects => "the parts are effects: differences of risks",
            };
            writeln!(
                text,
                "zero-one loss; {whose} (run.split = \"{}\"); curves.csv has all three, by name\n",
                split.name()
            )
        }
    }
}

/// Rows with their columns below each other.
pub(crate) fn table<const N: usize>(text: &mut String, rows: &[[String; N]]) -> std::fmt::Result {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..N).map(|column| width(column).unwrap_or(0)).collect();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"));
        writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    writeln!(text, "± is half of a 95 % interval; + and − are its ends\n")
}

/// Compares noise + bias² + variance with the error measured on fresh labels, everywhere: a fact
/// where they agree, a doubt where they differ by more than chance allows.
fn identity(plan: &Plan, results: &Results) -> Option<(Result<String, String>, Agreement)> {
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
            "{} of {} values (the others' tails are too heavy)",
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
    if apart <= limit {
        let fact = format!(
            "{sum} agrees with the testing error at {values}: \
             largest difference {apart:.1} standard errors, chance allows {limit:.1}"
        );
        return Some((Ok(fact), agreement));
    }
    let place = match curve.describe(setting) {
        place if place.is_empty() => place,
        place => format!(" at {place}"),
    };
    let doubt = format!(
        "{sum} DISAGREES with the testing error for `{}`{place}: \
         {} against {}, {apart:.1} standard errors where chance allows {limit:.1}. \
         Do not trust these numbers: a heavy tail or a mistake is at work.",
        curve.name,
        short(parts.risk.value),
        short(parts.test.value)
    );
    Some((Err(doubt), agreement))
}

/// Compares bias² and variance with their exact forms, where there are any.
fn theory(plan: &Plan, results: &Results) -> Option<Result<String, String>> {
    let weights = &plan.test.weights;
    let average = |all: &[f64], setting: usize| {
        let at = &all[setting * weights.len()..][..weights.len()];
        at.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>()
    };
    let groups = results.learners.first()?.decomposition.groups;
    let mut looked_at = 0;
    let mut worst: Option<(f64, &Curve, usize, &str, [f64; 2])> = None;
    for (curve, learner) in plan.curves().zip(&results.learners) {
        for (setting, parts) in learner.decomposition.parts.iter().enumerate() {
            let (exact, of_all_inputs) = match (&learner.exact, &learner.expected) {
                (Some(exact), _) => {
                    let both = [&exact.bias2, &exact.variance];
                    (both.map(|all| average(all, setting)), false)
                }
                (None, Some(expected)) => {
                    let expected = expected[setting];
                    ([expected.bias2, expected.variance], true)
                }
                (None, None) => continue,
            };
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
    let place = match curve.describe(setting) {
        place if place.is_empty() => place,
        place => format!(" at {place}"),
    };
    Some(Err(format!(
        "the {name} of `{}`{place} DISAGREES with theory: {} against {}, {apart:.1} standard errors \
         where chance allows {limit:.1}. Do not trust these numbers: a heavy tail or a mistake is at work.",
        curve.name,
        short(found),
        short(exact)
    )))
}

/// What is to be doubted, in words: one sentence for every learner and reason.
fn doubts(plan: &Plan, results: &Results) -> Vec<String> {
    let mut warnings = Vec::new();
    for doubt in Doubt::ALL {
        for (curve, learner) in plan.curves().zip(&results.learners) {
            let all = &learner.decomposition.parts;
            // A fit that diverged is no heavy tail.
            let diverged = |setting: usize| {
                let remarked = learner.remarks[setting];
                remarked.is_some_and(|remarked| remarked.remark == Remark::Diverged)
            };
            let settings: Vec<usize> = (0..all.len())
                .filter(|setting| all[*setting].doubts.contains(&doubt))
                .filter(|setting| doubt != Doubt::HeavyTail || !diverged(*setting))
                .collect();
            if settings.is_empty() {
                continue;
            }
            let what = format!("`{}`{}", curve.name, places(curve, &settings));
            let one = match plan.run.sources {
                true => "cube of fits",
                false => "training set",
            };
            let share = |setting: &usize| all[*setting].largest_share;
            let most = settings.iter().map(share).fold(0.0, f64::max);
            warnings.push(match doubt {
                Doubt::InfiniteMean => format!(
                    "the risk of {what} has no finite mean over training sets: whatever a finite number \
                     of them averages to means nothing. Use risk_median and the quartiles of \
                     curves.csv there."
                ),
                Doubt::InfiniteSpread => format!(
                    "the risk of {what} has a mean over training sets but no finite variance, so that \
                     error bars and intervals mean nothing there. Use risk_median and the quartiles of \
                     curves.csv."
                ),
                Doubt::HeavyTail => format!(
                    "the means of {what} may not exist: a single {one} makes up {} % of them. With so \
                     heavy a tail an error bar means nothing; use risk_median and the quartiles of \
                     curves.csv there.",
                    short((100.0 * most).round())
                ),
                Doubt::HeavyNoise if warnings.iter().any(|said: &String| said.starts_with("the noise")) => {
                    continue;
                }
                Doubt::HeavyNoise => "the noise has no fourth moment (Student's t with 4 degrees of \
                     freedom or fewer): error bars and intervals of variance, risk and testing error \
                     cannot be trusted, and the testing error is not compared with the sum of the \
                     parts. Use risk_median and the quartiles of curves.csv."
                    .to_owned(),
                Doubt::FewResamples => format!(
                    "{} training sets are too few for the intervals of {what}: shares of so few votes \
                     are too coarse. Use 100 or more.",
                    thousands(results.resamples),
                ),
                Doubt::FewPoints => format!(
                    "the averages of {what} over x rest on few of the {} {}",
                    thousands(plan.test.points.len() as u64),
                    match plan.test.kind {
                        TestKind::Rows =>
                            "rows held out, and their intervals cannot be trusted: hold out more rows.",
                        _ =>
                            "test points, and their intervals cannot be trusted: draw more test \
                             points, or test on a grid.",
                    }
                ),
                Doubt::CoarseGrid => format!(
                    "the test grid of {} points is too coarse for {what}: averages at other points of \
                     its cells differ by {}, which is included in the error bars. Use a finer grid, or \
                     `test = {{ draw = 1000 }}`.",
                    thousands(plan.test.points.len() as u64),
                    short(settings.iter().map(|s| all[*s].grid_error()).fold(0.0, f64::max))
                ),
            });
        }
    }
    warnings
}

/// What fits to the first training sets gave cause to remark, one sentence for every learner and
/// remark.
fn remarks(plan: &Plan, results: &Results) -> Vec<String> {
    let mut warnings = Vec::new();
    for remark in [Remark::Diverged, Remark::Separated] {
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
                Remark::Separated => format!(
                    "{what} tells the classes apart without error ({often}): without a penalty the \
                     weights would be infinite, and λ = 1e-10 n is used instead. Choose a larger \
                     `lambda`, or fewer features."
                ),
            });
        }
    }
    warnings
}

/// Where on its axes some settings of a learner are, for a sentence; nothing where it has no axis.
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

/// Whether the wanted precision was reached.
fn precision(plan: &Plan, results: &Results) -> Option<Result<String, String>> {
    let Length::Precision { share, most } = plan.run.length else {
        return None;
    };
    let percent = |share: f64| format!("{} %", short(100.0 * share));
    let Some(reached) = results.reached else {
        return Some(Err(format!(
            "the wanted precision was not reached after max-resamples = {most}: no mean can be believed"
        )));
    };
    let all = || results.learners.iter().flat_map(|l| &l.decomposition.parts);
    let every = match all().filter(|parts| parts.is_spoiled()).count() {
        0 => "every risk is known".to_owned(),
        left_out => format!(
            "{} of {} risks are known (the others' tails are too heavy)",
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

/// `0.1234 ± 0.0056`, with as many digits as the error has to say.
pub(crate) fn plus_minus(estimate: Estimate, factor: f64) -> String {
    let reach = factor * estimate.se;
    match reach.is_nan() {
        true => alone(estimate.value),
        false => within(estimate.value, [reach; 2]),
    }
}

/// The same with the ends of its interval: `0.1234 +0.0060 −0.0051` where they are not as far away.
fn with_interval(estimate: Estimate) -> String {
    let value = estimate.value;
    match estimate.interval {
        Some([low, high]) if value >= low && value <= high => {
            within(value, [value - low, high - value])
        }
        // An estimate may lie outside of what is possible.
        Some([low, high]) => {
            let digits = |value: f64| match is_extreme(high.abs().max(value.abs())) {
                true => format!("{value:.3e}").replace('-', "−"),
                false => rounded(value, decimals(high - low, high).max(1)),
            };
            format!("{} ({} to {})", digits(value), digits(low), digits(high))
        }
        None => alone(value),
    }
}

/// A value that reaches so far down and up.
fn within(value: f64, reaches: [f64; 2]) -> String {
    // An error of rounding alone has no digits to show.
    let [down, up] = reaches.map(|reach| match reach < 1e-12 * value.abs() {
        true => 0.0,
        false => reach,
    });
    let reach = down.max(up);
    let size = value.abs().max(reach);
    let show = |number: f64| match is_extreme(size) {
        true => format!("{number:.3e}").replace('-', "−"),
        false => rounded(number, decimals(reach, value)),
    };
    match show(down) == show(up) || (down - up).abs() < 0.15 * reach {
        true => format!("{} ± {}", show(value), show((down + up) / 2.0)),
        false => format!("{} +{} −{}", show(value), show(up), show(down)),
    }
}

/// A number without an error.
fn alone(value: f64) -> String {
    match is_extreme(value.abs()) {
        true => format!("{value:.3e}").replace('-', "−"),
        false => rounded(value, decimals(0.0, value)),
    }
}

/// Whether a number of that size is written with a power of ten.
fn is_extreme(size: f64) -> bool {
    size >= 1e6 || (size > 0.0 && size < 1e-6)
}

/// Decimals that show two digits of the error.
fn decimals(reach: f64, value: f64) -> usize {
    let scale = match reach > 0.0 && reach.is_finite() {
        true => reach / 10.0,
        false => value.abs() / 1000.0,
    };
    match scale > 0.0 {
        true => (-log10(scale).floor()).clamp(0.0, 12.0) as usize,
        false => 1,
    }
}

fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        // Rounded to zero, a negative number keeps no sign.
        Some(digits) if digits.chars().all(|c| c == '0' || c == '.') => digits.to_owned(),
        _ => text.replace('-', "−"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bvlab_core::engine::{self, Unwatched};
    use bvlab_experiment::{Experiment, Source};

    #[test]
    fn numbers_have_as_many_digits_as_their_error_has_to_say() {
        let text = |value: f64, se: f64| plus_minus(Estimate::new(value, se), 2.0);
        assert_eq!(text(0.123_456, 0.000_61), "0.1235 ± 0.0012");
        assert_eq!(text(-0.000_04, 0.001), "0.0000 ± 0.0020");
        assert_eq!(text(12.3, 4.0), "12.3 ± 8.0");
        assert_eq!(text(-2.5e9, 1e8), "−2.500e9 ± 2.000e8");
        assert_eq!(text(3e-27, 1e-28), "3.000e−27 ± 2.000e−28");
        assert_eq!(text(0.0, 0.0), "0.0 ± 0.0");
    }

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
