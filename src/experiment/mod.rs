//! What the user asked for: an experiment file, read and checked once, at the door.
//!
//! [`Experiment::read`] turns the text into checked values or into an [`ExperimentError`] that
//! shows the line and the token. Nothing further down checks again.

mod classes;
mod excerpt;
mod figure;
mod learners;
mod problem;
mod raw;
mod run;
mod simulation;
mod slabs;
mod source;
mod sweep;
mod table;
mod truth;

pub use figure::{
    Dartboard, Figure, Fits, Group, GroupPart, Heatmap, Kind, Look, Lower, Mark, Note, Part,
    Pointwise, Sample, Shape, SimulationFigure, SourcesFigure, Theme, Tradeoff,
};
pub use raw::Scale;
pub use slabs::Slab;
pub use source::{ExperimentError, LONGEST_TEXT, Source};
pub use table::{Files, TableFile};

use toml::Spanned;

use crate::decompose::{Loss, Probe};
use crate::learner::Learner;
use crate::problem::{Points, Problem, Resample};
use crate::simulation::Setup;
use crate::words::{number, printable, short, thousands};
use raw::{Num, RawExperiment};
use source::Trouble;

/// How large an experiment may be. A command line takes what memory can hold; a server that many
/// share takes less. What is larger is refused before anything is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The most training points.
    pub train: u64,
    /// The most test points.
    pub test: u64,
    /// The most coordinates of an input.
    pub dimension: u64,
    /// The most settings of one learner, of all axes together.
    pub settings: u64,
    /// The most learners.
    pub learners: usize,
    /// The most resamples.
    pub resamples: u64,
    /// The most resamples that are kept for drawing.
    pub keep: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            train: 10_000_000,
            test: 10_000_000,
            dimension: 10_000,
            settings: 1_000_000,
            learners: usize::MAX,
            resamples: 1_000_000_000_000,
            keep: 10_000,
        }
    }
}

/// A checked experiment.
#[derive(Clone)]
pub struct Experiment {
    /// Its name: that of its file, and of its folder of results.
    pub name: String,
    /// The text it was read from.
    pub source: Source,
    /// The heading of its figures.
    pub title: Option<String>,
    /// What to look for.
    pub look_for: Option<String>,
    /// A question for the class.
    pub question: Option<String>,
    /// Its answer.
    pub answer: Option<String>,
    /// The simulation that it is, in place of problems, test points and learners: it then has none.
    pub simulation: Option<Setup>,
    /// Where the data come from: one problem, or several where `train` or `noise` is swept, which
    /// differ in nothing else.
    pub problems: Vec<Problem>,
    /// Where the error is measured.
    pub test: Test,
    /// The learners, each with its capacity path.
    pub curves: Vec<Curve>,
    /// How it is run.
    pub run: Run,
    /// What is drawn.
    pub figures: Vec<Figure>,
}

/// A learner and what is swept.
#[derive(Clone)]
pub struct Curve {
    /// What it is called in tables and figures.
    pub name: String,
    /// Its colour where several share a panel.
    pub colour: Option<(u8, u8, u8)>,
    /// What is swept: nothing, one number or two.
    pub axes: Vec<Axis>,
    /// The learner's capacity path, once for every problem that it is fitted to.
    pub stages: Vec<Stage>,
}

/// A capacity path that is fitted to the data of one problem.
#[derive(Clone)]
pub struct Stage {
    /// Which of the experiment's problems.
    pub problem: usize,
    /// The learner.
    pub learner: Box<dyn Learner>,
    /// For every setting of the learner, its number among the curve's settings.
    pub settings: Vec<usize>,
}

impl Curve {
    /// A learner that is fitted to the data of the experiment's first problem, its settings being
    /// the values of one axis.
    pub fn new(name: &str, axis: Axis, learner: Box<dyn Learner>) -> Self {
        Curve {
            name: name.to_owned(),
            colour: None,
            axes: vec![axis],
            stages: vec![Stage {
                problem: 0,
                settings: (0..learner.capacities()).collect(),
                learner,
            }],
        }
    }

    /// How many settings there are: every value of the first axis, for every value of the second.
    pub fn settings(&self) -> usize {
        self.axes.iter().map(|axis| axis.values.len()).product()
    }

    /// The value of a setting on the first axis, which runs fastest; NaN where nothing is swept.
    pub fn value(&self, setting: usize) -> f64 {
        let axis = self.axes.first();
        axis.map_or(f64::NAN, |axis| axis.values[setting % axis.values.len()])
    }

    /// The value of a setting on the second axis; NaN where there is none.
    pub fn second(&self, setting: usize) -> f64 {
        match self.axes.as_slice() {
            [first, second] => second.values[setting / first.values.len()],
            _ => f64::NAN,
        }
    }

    /// Which of the experiment's problems every setting is fitted to.
    pub fn problems(&self) -> Vec<usize> {
        let mut problems = vec![0; self.settings()];
        for stage in &self.stages {
            for &setting in &stage.settings {
                problems[setting] = stage.problem;
            }
        }
        problems
    }

    /// A setting in words, as `depth = 5`; empty where nothing is swept.
    pub fn describe(&self, setting: usize) -> String {
        let values = [self.value(setting), self.second(setting)];
        let parts = self.axes.iter().zip(values);
        let parts = parts.map(|(axis, value)| format!("{} = {}", axis.name, short(value)));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// A swept number.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its name, such as `depth`.
    pub name: String,
    /// What it is, in a few words.
    pub about: String,
    /// Its values.
    pub values: Vec<f64>,
    /// How they are spread.
    pub scale: Scale,
}

impl Axis {
    /// An axis for a learner of one's own.
    pub fn new(name: &str, values: &[f64]) -> Self {
        Axis {
            name: name.to_owned(),
            about: String::new(),
            values: values.to_vec(),
            scale: Scale::Linear,
        }
    }
}

/// Where the error is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The test points.
    pub points: Points,
    /// How much each counts in an average over the inputs' distribution; they sum to 1.
    pub weights: Vec<f64>,
    /// Where they come from.
    pub kind: TestKind,
    /// Other points, which tell how far averages over these may be off; none where the test points
    /// are all that counts, or all there are.
    pub probe: Option<Probe>,
    /// Which share of the inputs' distribution lies beyond a grid.
    pub left_out: f64,
}

/// Where test points come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestKind {
    /// Cell midpoints over the range of the inputs, weighted by their distribution.
    Grid,
    /// A random sample of the inputs, drawn once; averages over it have an error of their own.
    Drawn,
    /// The training inputs, which are fixed.
    Inputs,
    /// The rows of a table that are held out: a sample, with labels in place of the truth.
    Rows,
}

/// How an experiment is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// When to stop.
    pub length: Length,
    /// All random numbers follow from it.
    pub seed: u64,
    /// How many resamples' risks are kept for drawing.
    pub keep: u64,
    /// How many resamples' training sets are kept; fewer where they are very large.
    pub keep_data: u64,
    /// How many resamples' fits are kept; fewer where there are very many settings.
    pub keep_fits: u64,
    /// How wrong a prediction is.
    pub loss: Loss,
    /// Whether the members of ensembles are looked at, for their diversity.
    pub diversity: bool,
    /// Whether inputs, noise and algorithm are crossed, to split the variance by source.
    pub sources: bool,
    /// How many settings are computed at a time, if not all: see [`Experiment::slabs`].
    pub slab: Option<usize>,
}

/// When a run stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// After so many resamples.
    Resamples(u64),
    /// When every risk's standard error is below a share of it.
    Precision {
        /// The share.
        share: f64,
        /// The most resamples.
        most: u64,
    },
}

impl Experiment {
    /// What was drawn, in words: `1000 training sets of 40 points`.
    pub fn drawn(&self, resamples: u64) -> String {
        let sizes = self.train_sizes();
        if let Some(rows) = self.problems.first().and_then(Problem::rows) {
            let how = match rows.resample {
                Resample::Bootstrap => "bootstraps",
                Resample::Halves => "random halves",
            };
            let (count, all) = (thousands(resamples), thousands(rows.train.len() as u64));
            return format!("{count} {how}, {sizes} of {all} rows");
        }
        let points = if sizes == "1" { "point" } else { "points" };
        let count = thousands(resamples);
        match self.run.sources {
            true => format!("{count} cubes of 8 fits to 4 training sets of {sizes} {points}"),
            false => format!("{count} training sets of {sizes} {points}"),
        }
    }

    /// The first problem, for what all problems share: truth, inputs and dimension.
    ///
    /// # Panics
    ///
    /// If the experiment is a simulation, which has none.
    pub fn problem(&self) -> &Problem {
        &self.problems[0]
    }

    /// The number of points in a training set, in words: `100`, or `10 to 500` where it is swept.
    pub fn train_sizes(&self) -> String {
        let sizes = || self.problems.iter().map(|problem| problem.train as u64);
        let [least, most] = [sizes().min(), sizes().max()].map(|size| size.unwrap_or(0));
        match least == most {
            true => thousands(most),
            false => format!("{} to {}", thousands(least), thousands(most)),
        }
    }

    /// Reads and checks an experiment.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place in the text.
    pub fn read(name: &str, source: Source) -> Result<Experiment, Box<ExperimentError>> {
        Experiment::read_within(name, source, &Bounds::default())
    }

    /// Reads and checks an experiment that may be only so large.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place in the text.
    pub fn read_within(
        name: &str,
        source: Source,
        bounds: &Bounds,
    ) -> Result<Experiment, Box<ExperimentError>> {
        check(name, &source, bounds).map_err(|trouble| source.explain(trouble))
    }
}

/// The JSON schema of an experiment file, for editors.
pub fn schema() -> serde_json::Value {
    raw::schema()
}

fn check(name: &str, source: &Source, bounds: &Bounds) -> Result<Experiment, Trouble> {
    let raw: RawExperiment = source.read()?;
    let mut run = run::check_run(&raw.run, bounds)?;
    if let Some(simulation) = &raw.simulation {
        let (setup, figures) = simulation::check(simulation, &raw)?;
        return Ok(Experiment {
            simulation: Some(setup),
            run,
            figures,
            ..told(name, source, raw)
        });
    }
    if let Some(with) = &raw.with {
        return Err(
            Trouble::new(with.span(), "`with` goes with `simulation`").help(
                "as in `simulation = \"majority-vote\"`; numbers of a learner stand in its table",
            ),
        );
    }
    let Some(raw_problem) = &raw.problem else {
        return Err(Trouble::new(0..0, "`problem` is missing").help(
            "`bvlab new NAME` writes an example with every key; an experiment without a problem is a `simulation`",
        ));
    };
    let (problem, table) = match &raw_problem.get_ref().table {
        Some(table) => {
            let (problem, table) = table::check(table, raw_problem, source, &raw.run, bounds)?;
            (problem, Some(table))
        }
        None => (problem::check_problem(raw_problem, run.seed, bounds)?, None),
    };
    run.loss = run::check_loss(&raw.run, &problem)?;
    if raw.learner.is_empty() {
        return Err(Trouble::new(0..0, "the experiment has no learner")
            .help("add for example `[[learner]]` with `tree = {}`"));
    }
    if let Some(learner) = raw.learner.get(bounds.learners) {
        let message = format!("there can be at most {} learners", bounds.learners);
        return Err(Trouble::new(learner.span(), message));
    }
    let learners = |slab| learners::check(&raw, raw_problem.span(), &problem, bounds, slab);
    let (mut curves, problems) = learners(run.slab)?;
    let largest = problems.iter().max_by_key(|problem| problem.train);
    let largest = largest.expect("every learner has a problem");
    let mut test = match problem.rows() {
        Some(rows) => table::test(rows),
        None => run::check_test(raw.run.test.as_ref(), &problems, largest, run.seed, bounds)?,
    };
    let given = run.slab;
    run::check_size(&raw.run, &curves, &problems, &mut test, &mut run)?;
    if run.slab != given {
        (curves, _) = learners(run.slab)?;
    }
    if problem.rows().is_none() {
        problem::check_finite(raw_problem, largest, &test, run.seed)?;
    }
    let computed = figure::Computed {
        sources: run.sources,
        diversity: run.diversity,
    };
    let figures = figure::check(
        &raw.figure,
        &raw.look,
        &curves,
        (largest, test.kind),
        computed,
    )?;
    let mut source = source.clone();
    source.table = table;
    Ok(Experiment {
        problems,
        test,
        curves,
        run,
        figures,
        ..told(name, &source, raw)
    })
}

/// An experiment with what its file tells to people, and nothing else yet.
fn told(name: &str, source: &Source, raw: RawExperiment) -> Experiment {
    Experiment {
        name: name.to_owned(),
        source: source.clone(),
        title: raw
            .title
            .map(|title| printable(&title.replace(char::is_control, " ")).into_owned()),
        look_for: raw.look_for,
        question: raw.question,
        answer: raw.answer,
        simulation: None,
        problems: Vec::new(),
        test: Test {
            points: Points::default(),
            weights: Vec::new(),
            kind: TestKind::Grid,
            probe: None,
            left_out: 0.0,
        },
        curves: Vec::new(),
        run: Run {
            length: Length::Resamples(0),
            seed: 0,
            keep: 0,
            keep_data: 0,
            keep_fits: 0,
            loss: Loss::Squared,
            diversity: false,
            sources: false,
            slab: None,
        },
        figures: Vec::new(),
    }
}

/// A whole number within limits.
fn whole(value: &Spanned<Num>, name: &str, least: u64, most: u64) -> Result<u64, Trouble> {
    let Num(given) = *value.get_ref();
    let trouble = |message: String| Err(Trouble::new(value.span(), message));
    if given.fract() != 0.0 || !given.is_finite() {
        return trouble(format!(
            "{name} must be a whole number, not {}",
            number(given)
        ));
    }
    if given < least as f64 {
        return trouble(format!(
            "{name} must be at least {least}, not {}",
            number(given)
        ));
    }
    if given > most as f64 {
        return trouble(format!(
            "{name} can be at most {most}, not {}",
            number(given)
        ));
    }
    Ok(given as u64)
}
