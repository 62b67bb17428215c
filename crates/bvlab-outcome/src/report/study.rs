//! What a study prints: every learner at its lowest risk, and paired differences.

use std::fmt::{Result, Write};

use super::numbers::{alone, plus_minus, table, with_interval};
use crate::best::{Bests, LearnerBest};
use bvlab_core::decompose::{Decomposition, Estimate, Loss, Split};
use bvlab_core::engine::Results;
use bvlab_core::plan::{Curve, Plan, TestKind};
use bvlab_core::problem::NORMAL_REACH;
use bvlab_core::words::{short, thousands};

/// A learner at its best setting.
struct BestRow<'a> {
    curve: &'a Curve,
    all: &'a Decomposition,
    best: &'a LearnerBest,
    /// Which of the plan's problems it is fitted to there.
    problem: usize,
}

impl BestRow<'_> {
    fn setting(&self) -> usize {
        self.best.best.setting
    }
}

/// Writes the heading, the table of learners and what has to be said of it.
pub fn write(
    text: &mut String,
    heading: &str,
    plan: &Plan,
    results: &Results,
    seconds: f64,
) -> Result {
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
    if plan.test.left_out > 0.0 && plan.problem().density().is_some() {
        let (from, to) = plan.problem().inputs.range();
        writeln!(
            text,
            "(integrals over x from {} to {}, which leaves out {} % of the density; a wider `range` has more)\n",
            short(from),
            short(to),
            short(100.0 * plan.test.left_out)
        )?;
    } else if plan.test.left_out > 0.0 {
        writeln!(
            text,
            "(averages over x within {NORMAL_REACH} sd of the inputs' means, which leaves out {} % of the \
             inputs; `test = {{ draw = N }}` has no such limit)\n",
            short(100.0 * plan.test.left_out)
        )?;
    }
    let bests = Bests::of(plan, results);
    let learners = plan
        .paths
        .iter()
        .zip(&results.learners)
        .zip(&bests.learners);
    let rows = learners.map(|((path, learner), best)| BestRow {
        curve: &path.curve,
        all: &learner.decomposition,
        best,
        problem: path.problems()[best.best.setting],
    });
    let rows: Vec<BestRow> = rows.collect();
    learners_table(text, &rows, plan.run.loss)?;
    bests_in_words(text, &rows)?;
    table_in_words(text, plan)?;
    loss_in_words(text, plan, results)?;
    for (i, a) in rows.iter().enumerate() {
        // Between different training sets or noise there is nothing to compare.
        let same = |b: &&BestRow| a.problem == b.problem;
        for b in rows[..i].iter().filter(same) {
            let difference = a.all.risk_minus(a.setting(), b.all, b.setting());
            writeln!(
                text,
                "{} − {}, each at its lowest risk: risk differs by {} (paired, 95 %)",
                a.curve.name,
                b.curve.name,
                with_interval(difference)
            )?;
        }
    }
    if let Some(overall) = &bests.overall {
        writeln!(text, "{}", overall.words())?;
    }
    Ok(())
}

/// One row per learner, at its lowest risk.
fn learners_table(text: &mut String, rows: &[BestRow], loss: Loss) -> Result {
    let head = [
        "learner",
        "lowest at",
        "noise",
        loss.bias_name(),
        "variance",
        "risk",
        "testing error",
        "training error",
    ];
    let mut lines = vec![head.map(str::to_owned)];
    for row in rows {
        let parts = &row.all.parts[row.setting()];
        let spoiled = parts.is_spoiled();
        let at = match row.curve.describe(row.setting()) {
            at if at.is_empty() => "–".to_owned(),
            at if spoiled => format!("{at} (by the median)"),
            at => at,
        };
        let cell = |estimate: Estimate| match spoiled {
            true => "no mean".to_owned(),
            false => with_interval(estimate),
        };
        lines.push([
            row.curve.name.clone(),
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
            match parts.train.value.is_nan() {
                true => "–".to_owned(),
                false => with_interval(parts.train),
            },
        ]);
    }
    table(text, &lines)
}

/// What is known of the best settings, one line per learner that has several.
fn bests_in_words(text: &mut String, rows: &[BestRow]) -> Result {
    let words = rows
        .iter()
        .map(|row| (row, row.best.best.words(row.curve, false)));
    let words: Vec<_> = words.filter(|(_, words)| !words.is_empty()).collect();
    for (row, words) in &words {
        writeln!(text, "{}: {words}", row.curve.name)?;
    }
    match words.is_empty() {
        true => Ok(()),
        false => writeln!(text),
    }
}

/// What has to be said of a table of real data.
fn table_in_words(text: &mut String, plan: &Plan) -> Result {
    let Some(rows) = plan.problem().rows() else {
        return Ok(());
    };
    let bias = plan.run.loss.bias_name();
    writeln!(
        text,
        "the noise of a table is unknown and part of the {bias}; training sets that share rows differ \
         less than new ones would"
    )?;
    match rows.imputed {
        0 => writeln!(text),
        some => writeln!(
            text,
            "missing inputs filled in from their columns: {}\n",
            thousands(some as u64)
        ),
    }
}

/// What has to be said of a loss of classes or densities.
fn loss_in_words(text: &mut String, plan: &Plan, results: &Results) -> Result {
    let parts = || results.learners.iter().flat_map(|l| &l.decomposition.parts);
    match plan.run.loss {
        Loss::Squared if plan.problem().classes() > 0 => writeln!(
            text,
            "squared loss of probabilities, summed over the classes (the Brier score)\n"
        ),
        Loss::Squared => match plan.problem().density() {
            Some(density) => {
                let (from, to) = density.range();
                writeln!(
                    text,
                    "squared error of the density, integrated over x from {} to {}; there are no labels, \
                     and no noise\n",
                    short(from),
                    short(to)
                )
            }
            None => Ok(()),
        },
        Loss::Log => {
            let (from, to) = plan.problem().inputs.range();
            writeln!(
                text,
                "log-loss in nats: the Kullback–Leibler divergence K(f‖p) = ∫ (f ln(f/p) - f + p) dx of an estimate p \
                 from the true density f, over x from {} to {}; where neither has mass beyond, it is by how much \
                 E[-ln p(X)] lies above that of f; bias is K(f‖g) and variance E K(g‖p), with g = exp(E ln p)\n",
                short(from),
                short(to)
            )
        }
        Loss::CrossEntropy { smoothing } => {
            let zeros = parts().map(|parts| parts.zeros).fold(0.0, f64::max);
            writeln!(
                text,
                "cross-entropy in nats; probabilities are smoothed to (p + ε)/(1 + Kε) with ε = {smoothing:e}; \
                 up to {} % of a learner's probabilities were exactly 0\n",
                short((1000.0 * zeros).round() / 10.0)
            )
        }
        Loss::ZeroOne(split) => {
            let whose = match split {
                Split::Domingos => {
                    "noise and variance are Domingos', multiplied by his factors so that the parts add up"
                }
                Split::KohaviWolpert => "the parts are Kohavi and Wolpert's",
                Split::Effects => "the parts are effects, that is differences of risks",
            };
            writeln!(
                text,
                "zero-one loss; {whose} (run.split = \"{}\"); curves.csv has the parts of all three splits\n",
                split.name()
            )
        }
    }
}
