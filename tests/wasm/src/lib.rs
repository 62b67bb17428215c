//! What shipped experiments give natively, for a comparison with the module for browsers.
//!
//! `tests/wasm/run.sh` prints it and has `digits.mjs` compare.

use serde_json::{Value, json};

use bvlab_core::engine::{Options, Unwatched};
use bvlab_experiment::{Experiment, Source, shipped};
use bvlab_figure as figure;
use bvlab_lab::{Lessons, messages};
use bvlab_outcome::{Statements, Tables};

/// Experiments whose learners call faer, one per line: its kernels differ in the last digit between
/// machines.
const FAER: &str = include_str!("../../faer.txt");

/// How many resamples each has.
const RESAMPLES: &str = "run.resamples=48";

/// By shipped experiment: what a page is handed of it, its head, its table and its figures.
///
/// # Errors
///
/// If one cannot be read, run or drawn.
pub fn digits() -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    shipped::names()
        .iter()
        .map(|name| digits_of(name))
        .collect()
}

fn digits_of(name: &str) -> Result<Value, Box<dyn std::error::Error>> {
    let whole = Source::shipped(name, &[]).ok_or("it does not ship")?;
    let lesson = Lessons::only(&Experiment::read(name, whole)?).handed_out();
    let sets = [RESAMPLES.to_owned()];
    let source = Source::shipped(name, &sets).ok_or("it does not ship")?;
    let experiment = Experiment::read(name, source)?;
    let outcome = experiment.task.run(Options::new(1, &Unwatched))?;
    let tables = Tables::of(&experiment.task, &outcome);
    let csv = Tables::main_table(&experiment.task, &outcome).to_csv()?;
    let description = experiment.task.describe();
    // As on a page with a key set on top, no variant is computed.
    let statements = Statements::of(&experiment, &outcome, &[]);
    let heading = statements.heading(name);
    let mut svg = Vec::new();
    for one in &statements.figures {
        let drawing = figure::draw(heading, &description, one, &tables)?;
        svg.push(drawing.to_svg());
    }
    Ok(json!({
        "handed": lesson.first(),
        "sets": sets,
        "faer": FAER.lines().any(|faer| faer == name),
        "head": messages::head(&experiment).to_string(),
        "csv": String::from_utf8(csv)?,
        "svg": svg,
    }))
}
