//! The tables of a result, from what the engine gave.

use std::sync::Arc;

use super::table::Table;
use bvlab_core::decompose::{Estimate, Loss, SOURCES, Sources};
use bvlab_core::engine::{Kept, LearnerResults, Results};
use bvlab_core::plan::{CapacityPath, Curve, Plan};
use bvlab_core::simulation::Row;
use bvlab_core::task::{Outcome, Task};

/// All tables of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    /// One row per learner and sweep value: the parts of the error, averaged over x.
    pub curves: Table,
    /// One row per learner, value and test point: the parts of the error at that point.
    pub points: Table,
    /// The training sets of the resamples that were kept.
    pub training: Table,
    /// Their fits.
    pub fits: Table,
    /// Their risks.
    pub runs: Table,
    /// In place of all others: what a simulation gave, one row per panel, series and x.
    pub simulation: Table,
}

/// A learner and one of its settings, by their numbers.
pub type Place = (usize, usize);

/// About how many rows a row group of a large table has.
const ROW_GROUP: usize = 1 << 18;

impl Tables {
    /// The tables of a run.
    pub fn new(plan: &Plan, results: &Results) -> Self {
        Tables::small(plan, results).with_places(plan, results, &places(plan))
    }

    /// Those that are never large: all but `points` and `fits`.
    pub(super) fn small(plan: &Plan, results: &Results) -> Self {
        Tables {
            curves: curves(plan, results),
            training: training(plan, results),
            runs: runs(plan, results),
            ..Tables::default()
        }
    }

    /// The same with the rows of `points` and `fits` for some settings: all of them may be many more
    /// than memory holds.
    pub fn with_places(self, plan: &Plan, results: &Results, at: &[Place]) -> Self {
        Tables {
            points: points(plan, results, at),
            fits: fits(plan, results, at),
            ..self
        }
    }

    /// The table of averages alone.
    pub fn curves(plan: &Plan, results: &Results) -> Table {
        curves(plan, results)
    }

    /// The one table of a simulation.
    pub fn of_simulation(rows: &[Row]) -> Self {
        let number = |get: fn(&Row) -> f64| rows.iter().map(get).collect();
        let simulation = Table::default()
            .text(
                "panel",
                rows.iter().map(|row| row.panel.as_str().into()).collect(),
            )
            .text(
                "series",
                rows.iter().map(|row| row.series.as_str().into()).collect(),
            )
            .number("x", number(|row| row.x))
            .number("value", number(|row| row.value))
            .number("se", number(|row| row.se))
            .number("theory", number(|row| row.theory));
        Tables {
            simulation,
            ..Tables::default()
        }
    }

    /// All tables of what a task gave; empty ones if the outcome is that of another task.
    pub fn of(task: &Task, outcome: &Outcome) -> Self {
        match (task, outcome) {
            (Task::Study(plan), Outcome::Study(results)) => Tables::new(plan, results),
            (_, Outcome::Simulation { rows, .. }) => Tables::of_simulation(rows),
            (Task::Simulation(_), Outcome::Study(_)) => Tables::default(),
        }
    }

    /// The one table that is also written as CSV: `curves`, or `simulation`.
    pub fn main_table(task: &Task, outcome: &Outcome) -> Table {
        match (task, outcome) {
            (Task::Study(plan), Outcome::Study(results)) => Tables::curves(plan, results),
            (_, Outcome::Simulation { rows, .. }) => Tables::of_simulation(rows).simulation,
            (Task::Simulation(_), Outcome::Study(_)) => Table::default(),
        }
    }

    /// The name of that table.
    pub fn main(task: &Task) -> &'static str {
        match task {
            Task::Simulation(_) => Self::SIMULATION,
            Task::Study(_) => Self::NAMES[0],
        }
    }

    /// What the table of a simulation is called.
    pub const SIMULATION: &str = "simulation";

    /// The names of the others, as files are called.
    pub const NAMES: [&str; 5] = ["curves", "points", "training", "fits", "runs"];
}

/// All settings of all learners, in the order of the tables.
pub(super) fn places(plan: &Plan) -> Vec<Place> {
    let curves = plan.curves().enumerate();
    curves
        .flat_map(|(which, curve)| (0..curve.settings()).map(move |setting| (which, setting)))
        .collect()
}

/// The rows of a large table in pieces, setting by setting; where they are cut follows from the
/// experiment alone.
fn pieces<'a>(
    plan: &'a Plan,
    results: &'a Results,
    rows: fn(&Plan, &Results, &[Place]) -> Table,
    rows_of_one: usize,
) -> (Table, impl Iterator<Item = Table> + 'a) {
    let places = places(plan);
    let step = (ROW_GROUP / rows_of_one.max(1)).max(1);
    let first = rows(plan, results, &places[..step.min(places.len())]);
    let starts = (step..places.len()).step_by(step);
    let more = starts.map(move |start| {
        let end = (start + step).min(places.len());
        rows(plan, results, &places[start..end])
    });
    (first, more)
}

impl Tables {
    /// The rows of `points` in pieces of a size that memory can hold: the first, and the others.
    pub fn points_in_pieces<'a>(
        plan: &'a Plan,
        results: &'a Results,
    ) -> (Table, impl Iterator<Item = Table> + 'a) {
        pieces(plan, results, points, plan.test.points.len())
    }

    /// The same of `fits`.
    pub fn fits_in_pieces<'a>(
        plan: &'a Plan,
        results: &'a Results,
    ) -> (Table, impl Iterator<Item = Table> + 'a) {
        let kept = results.resamples.min(plan.run.keep_fits) as usize;
        pieces(plan, results, fits, plan.test.points.len() * kept)
    }
}

/// The columns that say which setting a row is about: the learner, what is swept, its value, and
/// the same of a second axis where an experiment has one.
#[derive(Default)]
struct Settings {
    learner: Vec<Arc<str>>,
    axes: [Vec<Arc<str>>; 2],
    values: [Vec<f64>; 2],
}

impl Settings {
    fn push(&mut self, names: &Names, curve: &Curve, setting: usize) {
        self.learner.push(names.learner.clone());
        for (axes, name) in self.axes.iter_mut().zip(&names.axes) {
            axes.push(name.clone());
        }
        self.values[0].push(curve.value(setting));
        self.values[1].push(curve.second(setting));
    }

    /// The table that begins with these columns; the names of the axes can be left out.
    fn table(self, plan: &Plan, with_axes: bool) -> Table {
        let two = plan.curves().any(|curve| curve.axes.len() > 1);
        let mut table = Table::default().text("learner", self.learner);
        let axes = self.axes.into_iter().zip(self.values);
        for ((names, values), end) in axes.zip(["", "2"]).take(if two { 2 } else { 1 }) {
            if with_axes {
                table = table.text(&format!("axis{end}"), names);
            }
            table = table.number(format!("value{end}"), values);
        }
        table
    }
}

/// A learner's name and those of its axes, for every row of it.
struct Names {
    learner: Arc<str>,
    axes: [Arc<str>; 2],
}

impl Names {
    fn of(curve: &Curve) -> Self {
        let axis = |i: usize| curve.axes.get(i).map_or("", |axis| &axis.name).into();
        Names {
            learner: curve.name.as_str().into(),
            axes: [axis(0), axis(1)],
        }
    }
}

/// The columns of the test points or inputs: `x`, or `x1`, `x2`, … in several dimensions.
fn add_inputs(mut table: Table, dimension: usize, columns: Vec<Vec<f64>>) -> Table {
    for (i, column) in columns.into_iter().enumerate() {
        let name = match dimension {
            1 => "x".to_owned(),
            _ => format!("x{}", i + 1),
        };
        table = table.number(name, column);
    }
    table
}

fn curves(plan: &Plan, results: &Results) -> Table {
    let mut settings = Settings::default();
    let mut train: Vec<u64> = Vec::new();
    let mut doubts: Vec<Arc<str>> = Vec::new();
    // The columns of numbers, in the order in which the first row names them.
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    let weights = &plan.test.weights;
    let points = weights.len();
    let learners = || plan.paths.iter().zip(&results.learners);
    let exact = learners().any(|(_, result)| result.exact.is_some() || result.expected.is_some());
    let diagnosed = learners().any(|(_, result)| result.diagnoses.is_some());
    let members = |result: &LearnerResults| {
        let sources = result.decomposition.parts.first()?.sources.as_ref()?;
        sources.correlation
    };
    let averaged = learners().any(|(_, result)| members(result).is_some());
    for (path, result) in learners() {
        let curve = &path.curve;
        let (names, problems) = (Names::of(curve), path.problems());
        let formula = from_members(path, result);
        let last = result.decomposition.parts.last();
        let last = last.and_then(|parts| parts.sources.as_ref());
        let floor = last.map_or(f64::NAN, Sources::data);
        for (setting, parts) in result.decomposition.parts.iter().enumerate() {
            settings.push(&names, curve, setting);
            train.push(plan.problems[problems[setting]].train as u64);
            let names_of = parts.doubts.iter().map(|doubt| doubt.name());
            doubts.push(names_of.collect::<Vec<_>>().join(" ").into());
            let mut row: Vec<(String, f64)> = vec![("noise".to_owned(), parts.noise)];
            let mut add = |name: &str, value: f64| row.push((name.to_owned(), value));
            add("noise_se", parts.noise_se);
            for (name, estimate) in [
                ("bias2", parts.bias2),
                ("variance", parts.variance),
                ("risk", parts.risk),
                ("train_risk", parts.train),
                ("test_risk", parts.test),
            ] {
                add(name, estimate.value);
                add(&format!("{name}_se"), estimate.se);
                let [low, high] = estimate.interval.unwrap_or([f64::NAN; 2]);
                add(&format!("{name}_low"), low);
                add(&format!("{name}_high"), high);
            }
            let [lower, median, upper] = parts.risk_quartiles;
            add("risk_q25", lower);
            add("risk_median", median);
            add("risk_median_se", parts.risk_median_se);
            add("risk_q75", upper);
            add("largest_share", parts.largest_share);
            if plan.test.left_out > 0.0 {
                add("left_out", plan.test.left_out);
            }
            if let Loss::CrossEntropy { .. } = plan.run.loss {
                add("zero_share", parts.zeros);
            }
            for (name, estimate) in &parts.extra {
                add(name, estimate.value);
                add(&format!("{name}_se"), estimate.se);
            }
            if exact {
                let average = |all: &[f64]| {
                    let at = &all[setting * points..][..points];
                    at.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>()
                };
                let [bias2, variance] = match (&result.exact, &result.expected) {
                    (Some(exact), _) => [&exact.bias2, &exact.variance].map(|all| average(all)),
                    (None, Some(expected)) => [expected[setting].bias2, expected[setting].variance],
                    (None, None) => [f64::NAN; 2],
                };
                add("bias2_exact", bias2);
                add("variance_exact", variance);
            }
            if diagnosed {
                let found = result.diagnoses.as_ref().map(|found| found[setting]);
                add("rank", found.map_or(f64::NAN, |found| found.rank));
                add("condition", found.map_or(f64::NAN, |found| found.condition));
                add(
                    "weight_norm",
                    found.map_or(f64::NAN, |found| found.weight_norm),
                );
            }
            if let Some(sources) = &parts.sources {
                for ((_, name), part) in SOURCES.iter().zip(&sources.parts) {
                    add(&format!("variance_{name}"), part.value);
                    add(&format!("variance_{name}_se"), part.se);
                }
                if averaged {
                    let none = Estimate::new(f64::NAN, f64::NAN);
                    let correlation = sources.correlation.unwrap_or(none);
                    add("member_correlation", correlation.value);
                    add("member_correlation_se", correlation.se);
                    let shared = if formula.is_empty() { f64::NAN } else { floor };
                    add("variance_shared", shared);
                    add(
                        "variance_from_members",
                        formula.get(setting).copied().unwrap_or(f64::NAN),
                    );
                }
            }
            if columns.is_empty() {
                columns.extend(row.iter().map(|(name, _)| (name.clone(), Vec::new())));
            }
            for ((_, column), (_, value)) in columns.iter_mut().zip(row) {
                column.push(value);
            }
        }
    }
    let rows = train.len();
    let mut table = settings
        .table(plan, true)
        .whole("train", train)
        .whole("resamples", vec![results.resamples; rows]);
    for (name, column) in columns {
        table = table.number(name, column);
    }
    table.text("doubt", doubts)
}

/// For a sweep over the number of members with crossed draws: the variance ρ t² + (1-ρ) t²/M that
/// the parts of the largest ensemble predict for every M. Empty for others.
fn from_members(path: &CapacityPath, result: &LearnerResults) -> Vec<f64> {
    let ([axis], [stage]) = (path.curve.axes.as_slice(), path.stages.as_slice()) else {
        return Vec::new();
    };
    let Some(members) = stage.learner.members() else {
        return Vec::new();
    };
    let same = axis
        .values
        .iter()
        .zip(&members)
        .all(|(v, m)| *v == *m as f64);
    let largest = result.decomposition.parts.last();
    let sources = largest.and_then(|parts| parts.sources.as_ref());
    match (same, sources, members.last()) {
        (true, Some(sources), Some(&most)) => {
            let one = sources.algorithm() * most as f64;
            let variance = |members: &usize| sources.data() + one / *members as f64;
            members.iter().map(variance).collect()
        }
        _ => Vec::new(),
    }
}

fn points(plan: &Plan, results: &Results, places: &[Place]) -> Table {
    let test = &plan.test.points;
    let dimension = test.dimension();
    let mut settings = Settings::default();
    let mut inputs = vec![Vec::new(); dimension];
    let outputs = plan.problem().outputs();
    let names_of = |what: &str| outputs_called(what, plan);
    let mut columns: Vec<String> = names_of("truth");
    columns.push("noise".to_owned());
    columns.extend(names_of("mean"));
    columns.extend(["bias2", "variance"].map(str::to_owned));
    let mut numbers: Vec<Vec<f64>> = vec![Vec::new(); columns.len()];
    let mut mean = vec![0.0; outputs];
    for places in places.chunk_by(|a, b| a.0 == b.0) {
        let which = places[0].0;
        let path = &plan.paths[which];
        let curve = &path.curve;
        let (names, problems) = (Names::of(curve), path.problems());
        let split = &results.learners[which].decomposition;
        for &(_, setting) in places {
            let noise = &results.noise[problems[setting]];
            let unknown = plan.problem().rows().is_some();
            for (j, x) in test.rows().enumerate() {
                settings.push(&names, curve, setting);
                for (column, x) in inputs.iter_mut().zip(x) {
                    column.push(*x);
                }
                let at = setting * test.len() + j;
                let truth = &results.truth[j * outputs..][..outputs];
                mean.copy_from_slice(&split.mean[at * outputs..][..outputs]);
                plan.run.loss.mean_prediction(truth, &mut mean);
                let noise = match &split.noise {
                    _ if unknown => f64::NAN,
                    Some(noise) => noise[at],
                    None => noise[j],
                };
                let parts = [split.bias2[at], split.variance[at]];
                let row = truth.iter().chain([&noise]).chain(&mean).chain(&parts);
                for (column, number) in numbers.iter_mut().zip(row) {
                    column.push(*number);
                }
            }
        }
    }
    let mut table = add_inputs(settings.table(plan, true), dimension, inputs);
    for (name, column) in columns.into_iter().zip(numbers) {
        table = table.number(name, column);
    }
    table
}

/// The columns of a prediction: one, or one for every class, as `mean_0`, `mean_1`.
fn outputs_called(what: &str, plan: &Plan) -> Vec<String> {
    match plan.problem().classes() {
        0 => vec![what.to_owned()],
        classes => (0..classes).map(|k| format!("{what}_{k}")).collect(),
    }
}

/// The training sets; where there are several problems, with their number of points and the sd of
/// their noise.
fn training(plan: &Plan, results: &Results) -> Table {
    let dimension = plan.problem().dimension;
    let (mut resample, mut labels) = (Vec::new(), Vec::new());
    let (mut train, mut sd) = (Vec::new(), Vec::new());
    let mut inputs = vec![Vec::new(); dimension];
    for kept in &results.kept {
        for (problem, data) in plan.problems.iter().zip(&kept.data) {
            for (x, y) in data.inputs.rows().zip(&data.labels) {
                resample.push(kept.resample);
                train.push(problem.train as u64);
                sd.push(problem.noise().map_or(f64::NAN, |noise| noise.sd.at(x)));
                labels.push(*y);
                for (column, x) in inputs.iter_mut().zip(x) {
                    column.push(*x);
                }
            }
        }
    }
    let mut table = Table::default().whole("resample", resample);
    if plan.problems.len() > 1 {
        table = table.whole("train", train).number("noise_sd", sd);
    }
    add_inputs(table, dimension, inputs).number("y", labels)
}

fn fits(plan: &Plan, results: &Results, places: &[Place]) -> Table {
    let test = &plan.test.points;
    let dimension = test.dimension();
    let mut settings = Settings::default();
    let outputs = plan.problem().outputs();
    let mut resample = Vec::new();
    let mut predictions = vec![Vec::new(); outputs];
    let mut inputs = vec![Vec::new(); dimension];
    for places in places.chunk_by(|a, b| a.0 == b.0) {
        let which = places[0].0;
        let curve = &plan.paths[which].curve;
        let names = Names::of(curve);
        for &(_, setting) in places {
            let with_fits = |kept: &&Kept| kept.resample < plan.run.keep_fits;
            for kept in results.kept.iter().filter(with_fits) {
                let fit = &kept.fits[which].predictions[setting * test.len() * outputs..];
                for (x, prediction) in test.rows().zip(fit.chunks_exact(outputs)) {
                    settings.push(&names, curve, setting);
                    resample.push(kept.resample);
                    for (column, prediction) in predictions.iter_mut().zip(prediction) {
                        column.push(*prediction);
                    }
                    for (column, x) in inputs.iter_mut().zip(x) {
                        column.push(*x);
                    }
                }
            }
        }
    }
    let table = settings.table(plan, false).whole("resample", resample);
    let mut table = add_inputs(table, dimension, inputs);
    let names = outputs_called("prediction", plan);
    for (name, column) in names.into_iter().zip(predictions) {
        table = table.number(name, column);
    }
    table
}

fn runs(plan: &Plan, results: &Results) -> Table {
    let mut settings = Settings::default();
    let mut resample = Vec::new();
    let (mut risk, mut train, mut diversity) = (Vec::new(), Vec::new(), Vec::new());
    for (which, curve) in plan.curves().enumerate() {
        let names = Names::of(curve);
        for setting in 0..curve.settings() {
            let with_risk = |kept: &&Kept| kept.resample < plan.run.keep;
            for kept in results.kept.iter().filter(with_risk) {
                settings.push(&names, curve, setting);
                resample.push(kept.resample);
                risk.push(kept.fits[which].risk[setting]);
                train.push(kept.fits[which].train[setting]);
                diversity.extend(kept.fits[which].diversity.get(setting));
            }
        }
    }
    let table = settings
        .table(plan, false)
        .whole("resample", resample)
        .number("risk", risk)
        .number("train_risk", train);
    match plan.run.diversity {
        true => table.number("diversity", diversity),
        false => table,
    }
}
