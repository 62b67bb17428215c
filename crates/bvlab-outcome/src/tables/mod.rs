//! The tables of a result, from what the engine gave.

mod curves;
mod selection;

use std::sync::Arc;

use super::best::Bests;
use super::columns;
use super::table::Table;
use bvlab_core::engine::{KeptResample, Results};
use bvlab_core::plan::{Curve, Plan};
use bvlab_core::simulation::Row;
use bvlab_core::task::{Outcome, Task};
use bvlab_experiment::Variant;

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
    /// Of methods of selection: one row per learner, method and value; empty unless asked for.
    pub selection: Table,
    /// One row per learner and method.
    pub choices: Table,
    /// The estimates from the training sets that were kept.
    pub estimates: Table,
    /// In place of all others: what a simulation gave, one row per panel, series and x.
    pub simulation: Table,
    /// Where an experiment has variants: the main table of each, below each other.
    pub variants: Table,
    /// The best settings, as `manifest.json` has them; none of a simulation, nor of a result of an
    /// earlier version.
    pub best: Bests,
}

/// A learner and one of its settings, by their numbers.
pub type SettingNumber = (usize, usize);

/// About how many rows a row group of a large table has.
const ROW_GROUP: usize = 1 << 18;

impl Tables {
    /// The tables of a run.
    pub fn new(plan: &Plan, results: &Results) -> Self {
        Tables::small(plan, results).with_places(plan, results, &places(plan))
    }

    /// Those that are never large: all but `points` and `fits`.
    pub(super) fn small(plan: &Plan, results: &Results) -> Self {
        let best = Bests::of(plan, results);
        Tables {
            curves: curves::curves(plan, results, &best),
            best,
            training: training(plan, results),
            runs: runs(plan, results),
            selection: selection::selection(plan, results),
            choices: selection::choices(plan, results),
            estimates: selection::estimates(plan, results),
            ..Tables::default()
        }
    }

    /// The same with the rows of `points` and `fits` for some settings: all of them may be many more
    /// than memory holds.
    pub fn with_places(self, plan: &Plan, results: &Results, at: &[SettingNumber]) -> Self {
        Tables {
            points: points(plan, results, at),
            fits: fits(plan, results, at),
            ..self
        }
    }

    /// The table of averages alone.
    pub fn curves(plan: &Plan, results: &Results) -> Table {
        curves::curves(plan, results, &Bests::of(plan, results))
    }

    /// The one table of a simulation.
    pub fn of_simulation(rows: &[Row]) -> Self {
        let number = |get: fn(&Row) -> f64| rows.iter().map(get).collect();
        let simulation = Table::default()
            .text(
                columns::PANEL,
                rows.iter().map(|row| row.panel.as_str().into()).collect(),
            )
            .text(
                columns::SERIES,
                rows.iter().map(|row| row.series.as_str().into()).collect(),
            )
            .number(columns::X, number(|row| row.x))
            .number(columns::VALUE, number(|row| row.value))
            .number(columns::SE, number(|row| row.se))
            .number(columns::THEORY, number(|row| row.theory));
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

    /// The main tables of variants below each other, and the name of that table.
    pub fn of_variants(variants: &[Variant], outcomes: &[Outcome]) -> (&'static str, Table) {
        let called = match variants.first().map(|one| &one.experiment.task) {
            Some(Task::Simulation(_)) => columns::SIMULATION_VARIANTS,
            _ => columns::VARIANTS,
        };
        let tables = variants.iter().zip(outcomes).map(|(one, outcome)| {
            let table = Tables::main_table(&one.experiment.task, outcome);
            (one.name.as_str(), table)
        });
        let tables: Vec<(&str, Table)> = tables.collect();
        let mut names: Vec<String> = Vec::new();
        for (_, table) in &tables {
            let new = table
                .names()
                .filter(|name| !names.iter().any(|known| known == name));
            let new: Vec<String> = new.map(str::to_owned).collect();
            names.extend(new);
        }
        let described = columns::table(called);
        names.sort_by_key(|name| {
            let columns = described.map_or(&[][..], |table| table.columns);
            columns.iter().position(|column| column.describes(name))
        });
        (called, Table::joined(columns::VARIANT, &tables, &names))
    }

    /// The name of that table.
    pub fn main(task: &Task) -> &'static str {
        match task {
            Task::Simulation(_) => Self::SIMULATION,
            Task::Study(_) => Self::NAMES[0],
        }
    }

    /// What methods of selection did; empty of a run without them.
    pub(crate) fn selection_and_choices(plan: &Plan, results: &Results) -> [Table; 2] {
        [
            selection::selection(plan, results),
            selection::choices(plan, results),
        ]
    }

    /// What the table of a simulation is called.
    pub const SIMULATION: &str = columns::SIMULATION;

    /// The names of the others, as files are called.
    pub const NAMES: [&str; 5] = [
        columns::CURVES,
        columns::POINTS,
        columns::TRAINING,
        columns::FITS,
        columns::RUNS,
    ];

    /// The names of those that only selection makes.
    pub const SELECTION_NAMES: [&str; 3] =
        [columns::SELECTION, columns::CHOICES, columns::ESTIMATES];

    /// Which of these are written as CSV, too.
    pub const SELECTION_CSV: [&str; 2] = [columns::SELECTION, columns::CHOICES];

    /// The table of that name, if it is one that only selection makes.
    pub fn of_selection(&self, name: &str) -> Option<&Table> {
        match name {
            columns::SELECTION => Some(&self.selection),
            columns::CHOICES => Some(&self.choices),
            columns::ESTIMATES => Some(&self.estimates),
            _ => None,
        }
    }
}

/// All settings of all learners, in the order of the tables.
pub(super) fn places(plan: &Plan) -> Vec<SettingNumber> {
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
    rows: fn(&Plan, &Results, &[SettingNumber]) -> Table,
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
    fn push(&mut self, names: &LearnerNames, curve: &Curve, setting: usize) {
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
        let mut table = Table::default().text(columns::LEARNER, self.learner);
        let axes = self.axes.into_iter().zip(self.values);
        let called = [
            (columns::AXIS, columns::VALUE),
            (columns::AXIS2, columns::VALUE2),
        ];
        for ((names, values), (axis, value)) in axes.zip(called).take(if two { 2 } else { 1 }) {
            if with_axes {
                table = table.text(axis, names);
            }
            table = table.number(value, values);
        }
        table
    }
}

/// A learner's name and those of its axes, for every row of it.
struct LearnerNames {
    learner: Arc<str>,
    axes: [Arc<str>; 2],
}

impl LearnerNames {
    fn of(curve: &Curve) -> Self {
        let axis = |i: usize| curve.axes.get(i).map_or("", |axis| &axis.name).into();
        LearnerNames {
            learner: curve.name.as_str().into(),
            axes: [axis(0), axis(1)],
        }
    }
}

/// The columns of the test points or inputs: `x`, or `x1`, `x2`, … in several dimensions.
fn add_inputs(mut table: Table, dimension: usize, columns: Vec<Vec<f64>>) -> Table {
    for (i, column) in columns.into_iter().enumerate() {
        table = table.number(columns::input(dimension, i), column);
    }
    table
}

fn points(plan: &Plan, results: &Results, places: &[SettingNumber]) -> Table {
    let test = &plan.test.points;
    let dimension = test.dimension();
    let mut settings = Settings::default();
    let mut inputs = vec![Vec::new(); dimension];
    let outputs = plan.problem().outputs();
    let outputs_of = |name: &str| columns::outputs(name, plan.problem().classes());
    let mut called: Vec<String> = outputs_of(columns::TRUTH);
    called.push(columns::NOISE.to_owned());
    called.extend(outputs_of(columns::MEAN));
    called.extend([columns::BIAS2, columns::VARIANCE].map(str::to_owned));
    let mut numbers: Vec<Vec<f64>> = vec![Vec::new(); called.len()];
    let mut mean = vec![0.0; outputs];
    for places in places.chunk_by(|a, b| a.0 == b.0) {
        let which = places[0].0;
        let path = &plan.paths[which];
        let curve = &path.curve;
        let (names, problems) = (LearnerNames::of(curve), path.problems());
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
    for (name, column) in called.into_iter().zip(numbers) {
        table = table.number(name, column);
    }
    table
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
    let mut table = Table::default().whole(columns::RESAMPLE, resample);
    if plan.problems.len() > 1 {
        table = table
            .whole(columns::TRAIN, train)
            .number(columns::NOISE_SD, sd);
    }
    add_inputs(table, dimension, inputs).number(columns::Y, labels)
}

fn fits(plan: &Plan, results: &Results, places: &[SettingNumber]) -> Table {
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
        let names = LearnerNames::of(curve);
        for &(_, setting) in places {
            let with_fits = |kept: &&KeptResample| kept.resample < plan.run.keep_fits;
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
    let table = settings
        .table(plan, false)
        .whole(columns::RESAMPLE, resample);
    let mut table = add_inputs(table, dimension, inputs);
    let names = columns::outputs(columns::PREDICTION, plan.problem().classes());
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
        let names = LearnerNames::of(curve);
        for setting in 0..curve.settings() {
            let with_risk = |kept: &&KeptResample| kept.resample < plan.run.keep;
            for kept in results.kept.iter().filter(with_risk) {
                settings.push(&names, curve, setting);
                resample.push(kept.resample);
                risk.push(kept.fits[which].risk[setting]);
                // Without labels there is no training error.
                train.push(match plan.problem().density() {
                    Some(_) => f64::NAN,
                    None => kept.fits[which].train[setting],
                });
                diversity.extend(kept.fits[which].diversity.get(setting));
            }
        }
    }
    let table = settings
        .table(plan, false)
        .whole(columns::RESAMPLE, resample)
        .number(columns::RISK, risk)
        .number(columns::TRAIN_RISK, train);
    match plan.run.diversity {
        true => table.number(columns::DIVERSITY, diversity),
        false => table,
    }
}
