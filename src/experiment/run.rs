//! How an experiment is run and where its error is measured, within what memory can hold.

use rand::RngExt;
use rand::seq::SliceRandom;
use toml::Spanned;

use super::raw::{Num, RawRun, RawTest};
use super::source::Trouble;
use super::{Bounds, Curve, Length, Run, Test, TestKind, whole};
use crate::decompose::{Loss, MOST_PROBES, Probe, Split};
use crate::learner::probability::SMOOTHING;
use crate::problem::{Inputs, Points, Problem, TestGrid, side};
use crate::stream::{Purpose, Stream};
use crate::words::{did_you_mean, thousands};

/// The fewest resamples: with one left out, the others still need a variance and its spread.
const FEWEST_RESAMPLES: u64 = 4;
/// Seeds up to here survive the way through TOML and JSON.
const MOST_SEED: u64 = 1 << 53;

pub(super) fn check_run(raw: &RawRun, bounds: &Bounds) -> Result<Run, Trouble> {
    let length = match (&raw.precision, &raw.max_resamples) {
        (None, None) => Length::Resamples(match &raw.resamples {
            Some(value) => whole(value, "`resamples`", FEWEST_RESAMPLES, bounds.resamples)?,
            None => 1000,
        }),
        (None, Some(most)) => {
            return Err(
                Trouble::new(most.span(), "`max-resamples` goes with `precision`")
                    .help("for a fixed number write `resamples`"),
            );
        }
        (Some(precision), None) => {
            return Err(
                Trouble::new(precision.span(), "`precision` needs `max-resamples`")
                    .help("say how long it may go on, as in `max-resamples = 100_000`"),
            );
        }
        (Some(precision), Some(most)) => {
            if let Some(resamples) = &raw.resamples {
                let message = "`resamples` and `precision` exclude each other";
                return Err(Trouble::new(resamples.span(), message).help("leave one of them out"));
            }
            let share = precision.get_ref().0;
            if !(share > 0.0 && share < 1.0) {
                let message = "`precision` must be between 0 and 1";
                return Err(Trouble::new(precision.span(), message)
                    .help("0.02 asks for standard errors below 2 % of the risk"));
            }
            let most = whole(most, "`max-resamples`", FEWEST_RESAMPLES, bounds.resamples)?;
            Length::Precision { share, most }
        }
    };
    let seed = match &raw.seed {
        Some(value) => whole(value, "`seed`", 0, MOST_SEED)?,
        None => 1,
    };
    let slab = match (&raw.slab, length) {
        (Some(slab), Length::Precision { .. }) => {
            let message = "`slab` and `precision` exclude each other";
            return Err(Trouble::new(slab.span(), message)
                .help("all slabs together decide when to stop: give a number of `resamples`"));
        }
        (Some(slab), _) => Some(whole(slab, "`slab`", 1, 1 << 32)? as usize),
        (None, _) => None,
    };
    let keep = match &raw.keep {
        Some(value) => whole(value, "`keep`", 1, bounds.keep)?,
        None => 50.min(bounds.keep),
    };
    Ok(Run {
        length,
        seed,
        keep,
        keep_data: keep,
        keep_fits: keep,
        loss: Loss::Squared,
        diversity: raw
            .diversity
            .as_ref()
            .is_some_and(|diversity| *diversity.get_ref()),
        sources: raw
            .sources
            .as_ref()
            .is_some_and(|sources| *sources.get_ref()),
        slab,
    })
}

/// The loss, which for labels that are numbers is squared.
pub(super) fn check_loss(raw: &RawRun, problem: &Problem) -> Result<Loss, Trouble> {
    let mut loss = match &raw.loss {
        None => Loss::Squared,
        Some(name) => match name.get_ref().as_str() {
            "squared" => Loss::Squared,
            "cross-entropy" => Loss::CrossEntropy {
                smoothing: SMOOTHING,
            },
            "zero-one" => Loss::ZeroOne(Split::default()),
            other => {
                let message = format!("`{other}` is no loss");
                return Err(Trouble::new(name.span(), message).help(did_you_mean(
                    other,
                    ["squared", "cross-entropy", "zero-one"],
                )));
            }
        },
    };
    if let (Some(name), true) = (&raw.loss, problem.classes() == 0)
        && loss != Loss::Squared
    {
        let message = format!(
            "{} is a loss of classes, and the labels are numbers",
            loss.name()
        );
        return Err(Trouble::new(name.span(), message).help(
            "write `loss = \"squared\"`, or a problem with `classes` in place of `truth` and `noise`",
        ));
    }
    if let Some(name) = &raw.split {
        let splits = [Split::Domingos, Split::KohaviWolpert, Split::Effects];
        let found = splits
            .into_iter()
            .find(|split| split.name() == name.get_ref());
        loss = match (found, loss) {
            (Some(split), Loss::ZeroOne(_)) => Loss::ZeroOne(split),
            (Some(_), _) => {
                let message = "`split` goes with `loss = \"zero-one\"`";
                return Err(Trouble::new(name.span(), message));
            }
            (None, _) => {
                let message = format!("`{}` is not known here", name.get_ref());
                let known = splits.map(Split::name);
                return Err(
                    Trouble::new(name.span(), message).help(did_you_mean(name.get_ref(), known))
                );
            }
        };
    }
    if let Some(given) = &raw.smoothing {
        let Num(smoothing) = *given.get_ref();
        if !matches!(loss, Loss::CrossEntropy { .. }) {
            let message = "`smoothing` goes with `loss = \"cross-entropy\"`";
            return Err(Trouble::new(given.span(), message));
        }
        if !(1e-300..=1.0).contains(&smoothing) {
            let message = "`smoothing` must be above 0 and at most 1";
            return Err(Trouble::new(given.span(), message).help(
                "a probability of exactly 0 that comes true would be infinitely wrong: 1e-6 makes that a loss of 14",
            ));
        }
        loss = Loss::CrossEntropy { smoothing };
    }
    if let (Some(sources), Some(diversity)) = (&raw.sources, &raw.diversity)
        && *sources.get_ref()
        && *diversity.get_ref()
    {
        let message = "`diversity` and `sources` exclude each other";
        return Err(Trouble::new(diversity.span(), message).help("run the experiment twice"));
    }
    if let Some(sources) = &raw.sources
        && *sources.get_ref()
        && loss != Loss::Squared
    {
        let message = format!(
            "sources of variance are told apart under squared loss, not {}",
            loss.name()
        );
        return Err(Trouble::new(sources.span(), message));
    }
    Ok(loss)
}

pub(super) fn check_test(
    raw: Option<&Spanned<RawTest>>,
    problems: &[Problem],
    problem: &Problem,
    seed: u64,
    bounds: &Bounds,
) -> Result<Test, Trouble> {
    let dimension = problem.dimension;
    let span = raw.map_or(0..0, Spanned::span);
    let count = |count: &Num| {
        whole(
            &Spanned::new(span.clone(), *count),
            "the number of test points",
            1,
            bounds.test,
        )
    };
    let default = match dimension {
        3.. if matches!(problem.inputs, Inputs::Grid { .. }) => RawTest::Inputs,
        1 => RawTest::Grid(Num(200.0)),
        2 => RawTest::Grid(Num(400.0)),
        _ => RawTest::Draw(Num(1000.0)),
    };
    match raw.map_or(&default, Spanned::get_ref) {
        RawTest::Grid(number) => {
            let count = count(number)? as usize;
            if dimension > 2 {
                let message = "a test grid needs one or two dimensions";
                return Err(Trouble::new(span, message).help("write `test = { draw = 1000 }`"));
            }
            if side(count, dimension).is_none() {
                let root = (count as f64).sqrt().floor() as usize;
                let message = format!("a grid in two dimensions cannot have {count} points");
                return Err(Trouble::new(span, message).help(format!(
                    "the nearest squares are {} and {}",
                    root * root,
                    (root + 1) * (root + 1)
                )));
            }
            let grid = TestGrid::new(&problem.inputs, count, dimension);
            let points = grid.points();
            let densities: Vec<f64> = points.rows().map(|x| problem.inputs.weight(x)).collect();
            let total: f64 = densities.iter().sum();
            let weights: Vec<f64> = densities.iter().map(|density| density / total).collect();
            let probe = probe_of(&grid, &points, &weights, seed);
            Ok(Test {
                points,
                weights,
                kind: TestKind::Grid,
                probe: Some(probe),
                left_out: problem.inputs.beyond(&grid, total),
            })
        }
        RawTest::Draw(number) => {
            let count = count(number)? as usize;
            if count < 2 {
                let message = "a sample of test points needs at least 2";
                return Err(Trouble::new(span, message));
            }
            if let Inputs::Grid { .. } = problem.inputs {
                let message = "grid inputs are not a distribution to draw from";
                return Err(Trouble::new(span, message)
                    .help("write `test = { grid = 200 }` or `test = \"inputs\"`"));
            }
            let mut points = Points::default();
            let mut stream = Stream::new(seed, Purpose::TestPoints, 0);
            problem
                .inputs
                .draw(count, dimension, &mut stream, &mut points);
            if dimension == 1 {
                // In rising order, so that curves along x can be drawn through them.
                let sorted = points.order().iter().map(|&i| points.values()[i as usize]);
                points = Points::new(1, sorted.collect());
            }
            let weights = vec![1.0 / count as f64; count];
            let mut more = Points::default();
            let mut stream = Stream::new(seed, Purpose::Probe, 0);
            let inputs = &problem.inputs;
            inputs.draw(MOST_PROBES, dimension, &mut stream, &mut more);
            Ok(Test {
                points,
                weights,
                kind: TestKind::Drawn,
                probe: Some(Probe::of_sample(more, count)),
                left_out: 0.0,
            })
        }
        RawTest::Inputs => {
            if !problem.fixed {
                let message = "testing at the inputs needs inputs that are fixed";
                return Err(Trouble::new(span, message)
                    .help("add `fixed = true` to the inputs, or take a grid"));
            }
            if problems.iter().any(|other| other.train != problem.train) {
                let message = "testing at the inputs needs training sets of one size";
                return Err(Trouble::new(span, message)
                    .help("`train` is swept: write `test = { grid = 200 }` or `{ draw = 1000 }`"));
            }
            let mut points = Points::default();
            let mut stream = Stream::new(seed, Purpose::Inputs, 0);
            problem
                .inputs
                .draw(problem.train, dimension, &mut stream, &mut points);
            let weights = vec![1.0 / problem.train as f64; problem.train];
            Ok(Test {
                points,
                weights,
                kind: TestKind::Inputs,
                probe: None,
                left_out: 0.0,
            })
        }
    }
}

/// The points at which a grid is judged: of every cell, or of a random part of them where they are
/// many, its test point, a random place and that place's mirror image.
fn probe_of(grid: &TestGrid, points: &Points, weights: &[f64], seed: u64) -> Probe {
    let mut stream = Stream::new(seed, Purpose::Probe, 0);
    let most = MOST_PROBES / 2;
    let mut cells: Vec<usize> = (0..points.len()).collect();
    if cells.len() > most {
        cells.shuffle(&mut stream);
        cells.truncate(most);
        cells.sort_unstable();
    }
    let mut values = Vec::new();
    for &cell in &cells {
        values.extend_from_slice(points.row(cell));
        let place: Vec<f64> = (0..points.dimension()).map(|_| stream.random()).collect();
        values.extend(grid.within(cell, &place));
        let mirrored: Vec<f64> = place.iter().map(|along| 1.0 - along).collect();
        values.extend(grid.within(cell, &mirrored));
    }
    let total: f64 = cells.iter().map(|&cell| weights[cell]).sum();
    let counts = cells.iter().map(|&cell| weights[cell] / total).collect();
    Probe::of_grid(Points::new(points.dimension(), values), counts)
}

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

/// A run must fit into memory: sums for every group, setting and test point, and the fits that are
/// kept. Where `keep` is not given, training sets and fits give way, and so do predictions at probe
/// points. A two-way sweep that is large is computed in slabs of its second axis.
pub(super) fn check_size(
    raw: &RawRun,
    curves: &[Curve],
    problems: &[Problem],
    test: &mut Test,
    run: &mut Run,
) -> Result<(), Trouble> {
    let settings: usize = curves.iter().map(Curve::settings).sum();
    // A class has a number of its own at every point.
    let outputs = problems.first().map_or(1, Problem::outputs);
    if let Some(probe) = &mut test.probe {
        probe.limit(settings, outputs);
    }
    let points = test.points.len() * outputs;
    let places = (settings * points) as u64;
    // Mean and squares, and seven contrasts of a cube, for every group, and the table of points.
    let sums = if run.sources { 9 } else { 2 } + if run.diversity { 3 } else { 0 };
    let each = sums * crate::decompose::GROUPS as u64 + 10;
    let fixed = matches!(run.length, Length::Resamples(_));
    let two_way = curves.iter().any(|curve| curve.axes.len() > 1);
    let room = |numbers: u64| numbers / each / points.max(1) as u64;
    if fixed && two_way && run.slab.is_none() && settings as u64 > room(SLAB_NUMBERS) {
        run.slab = Some(room(SLAB_NUMBERS).max(1) as usize);
    }
    let held = match run.slab {
        Some(slab) => {
            let at_once = curves
                .iter()
                .map(|curve| curve.row() * curve.rows_at_once(slab));
            at_once.max().unwrap_or(0).max(slab.min(settings)) as u64
        }
        None => settings as u64,
    };
    let most = match run.slab {
        Some(_) => MOST_NUMBERS / LEFT / points.max(1) as u64,
        None => room(MOST_NUMBERS),
    };
    if held > room(MOST_NUMBERS) || settings as u64 > most {
        let message = format!(
            "{} settings at {} test points are more than memory can hold",
            thousands(settings as u64),
            thousands(test.points.len() as u64)
        );
        let span = raw.test.as_ref().map_or(0..0, Spanned::span);
        return Err(Trouble::new(span, message).help(format!(
            "at so many test points there can be at most {} settings{}: sweep fewer values, or test at fewer points",
            thousands(most.min(room(MOST_NUMBERS).max(1) * settings as u64 / held)),
            match (two_way, fixed) {
                (true, false) => ", because a run to a precision is computed all at once",
                _ => "",
            }
        )));
    }
    // Every thread holds a training set of every size, four with crossed draws.
    let sets = if run.sources { 4 } else { 1 };
    let coordinates = test.points.dimension() as u64 + 2;
    let held = problems
        .iter()
        .map(|problem| problem.train as u64 * coordinates * sets);
    if held.sum::<u64>() > MOST_HELD {
        let message = "training sets of all sizes together are more than memory can hold";
        let span = raw.test.as_ref().map_or(0..0, Spanned::span);
        return Err(
            Trouble::new(span, message).help("sweep over fewer or smaller values of `train`")
        );
    }
    let rows = |most: u64| (most / places.max(1)).max(1);
    match &raw.keep {
        Some(keep) if run.keep > rows(MOST_ROWS) => Err(Trouble::new(
            keep.span(),
            format!(
                "so many fits are too many to keep: at most {} here",
                rows(MOST_ROWS)
            ),
        )),
        Some(_) => Ok(()),
        None => {
            let free = |rows: u64, columns: usize| {
                (FREE_NUMBERS / rows.saturating_mul(columns as u64).max(1)).clamp(1, run.keep)
            };
            let dimension = test.points.dimension();
            run.keep_fits = free(places, dimension + 3);
            let points = problems.iter().map(|problem| problem.train as u64);
            run.keep_data = free(points.sum(), dimension + 2);
            Ok(())
        }
    }
}
