//! Whether memory can hold a plan.

use super::{Curve, Length, PlanError, PlanParts, Run};
use crate::decompose::GROUPS;
use crate::problem::Problem;

/// The most rows of kept fits.
const MOST_ROWS: u64 = 20_000_000;

/// The most numbers of training sets or fits that are kept unasked: writing more takes longer than
/// many a run.
const FREE_NUMBERS: u64 = 3_000_000;

/// The most numbers of training sets that a thread may hold in memory, 800 MB of them.
const MOST_HELD: u64 = 100_000_000;

/// The most numbers that a run may hold in memory, 4 GB of them.
const MOST_NUMBERS: u64 = 500_000_000;

/// The most numbers that a run of a two-way sweep holds at a time unasked, 320 MB of them.
const SLAB_NUMBERS: u64 = 40_000_000;

/// What is left of a setting at a test point when its slab is done: mean, bias² and variance, two
/// exact forms, and a prediction for drawing.
const LEFT: u64 = 6;

/// How many settings fit into that many numbers. A prediction at a test point is one number, or one
/// for every class.
fn room(numbers: u64, run: &Run, predictions: u64) -> u64 {
    // Mean and squares, and seven contrasts of a cube, for every group, and the table of points.
    let sums = if run.sources { 9 } else { 2 } + if run.diversity { 3 } else { 0 };
    let scores = run.loss.scores(1) as u64;
    let each = scores * sums * GROUPS as u64 + 10;
    numbers / each / predictions.max(1)
}

/// How many settings are best computed at a time, where that is fewer than there are. `predictions`
/// is the number of test points, times the number of classes.
pub fn default_slab<'a>(
    curves: impl Iterator<Item = &'a Curve> + Clone,
    run: &Run,
    predictions: usize,
) -> Option<usize> {
    let settings: u64 = curves.clone().map(|curve| curve.settings() as u64).sum();
    let fixed = matches!(run.length, Length::Resamples(_));
    let two_way = curves.clone().any(|curve| curve.axes.len() > 1);
    let most = room(SLAB_NUMBERS, run, predictions as u64);
    (fixed && two_way && settings > most).then_some(most.max(1) as usize)
}

/// Checks that memory can hold a run, and fills in how much of it is kept.
pub(super) fn check(parts: &mut PlanParts) -> Result<(), PlanError> {
    let PlanParts {
        problems,
        test,
        paths,
        run,
        keep_asked,
    } = parts;
    let curves = || paths.iter().map(|path| &path.curve);
    let settings: u64 = curves().map(|curve| curve.settings() as u64).sum();
    // A class has a number of its own at every point.
    let outputs = problems.first().map_or(1, Problem::outputs);
    if let Some(probe) = &mut test.probe {
        probe.limit(settings as usize, outputs, run.most_resamples());
    }
    let predictions = test.points.len() as u64 * outputs as u64;
    let room = |numbers: u64| room(numbers, run, predictions);
    let held = match run.slab {
        Some(slab) => {
            let at_once = curves().map(|curve| curve.row() * curve.rows_at_once(slab));
            at_once.max().unwrap_or(0).max(slab) as u64
        }
        None => settings,
    };
    let held = held.min(settings);
    let most = match run.slab {
        Some(_) => MOST_NUMBERS / LEFT / predictions.max(1),
        None => room(MOST_NUMBERS),
    };
    if held > room(MOST_NUMBERS) || settings > most {
        let two_way = curves().any(|curve| curve.axes.len() > 1);
        return Err(PlanError::TooLarge {
            settings,
            points: test.points.len() as u64,
            most: most.min(room(MOST_NUMBERS).max(1) * settings / held.max(1)),
            all_at_once: two_way && matches!(run.length, Length::Precision { .. }),
        });
    }
    // Every thread holds a training set of every size, four with crossed draws.
    let sets = if run.sources { 4 } else { 1 };
    let coordinates = test.points.dimension() as u64 + 2;
    let train = problems.iter().map(|problem| problem.train as u64);
    let held = train.clone().map(|train| train * coordinates * sets);
    if held.sum::<u64>() > MOST_HELD {
        return Err(PlanError::TrainTooLarge);
    }
    let places = settings.saturating_mul(predictions).max(1);
    if *keep_asked {
        let most = (MOST_ROWS / places).max(1);
        if run.keep > most {
            return Err(PlanError::KeepTooMany(most));
        }
        (run.keep_fits, run.keep_data) = (run.keep, run.keep);
        return Ok(());
    }
    let free = |rows: u64, columns: usize| {
        (FREE_NUMBERS / rows.saturating_mul(columns as u64).max(1)).clamp(1, run.keep)
    };
    let dimension = test.points.dimension();
    (run.keep_fits, run.keep_data) = (
        free(places, dimension + 3),
        free(train.sum(), dimension + 2),
    );
    Ok(())
}
