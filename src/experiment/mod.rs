//! What the user asked for: an experiment file, read and checked once, at the door.
//!
//! [`Experiment::read`] turns the text into checked values or into an [`ExperimentError`] that
//! shows the line and the token. Nothing further down checks again.

mod figure;
mod learners;
mod raw;
mod simulation;
mod source;
mod sweep;
mod truth;

pub use figure::{
    Dartboard, Figure, Fits, Group, GroupPart, Heatmap, Kind, Look, Lower, Mark, Note, Part,
    Pointwise, Sample, Shape, SimulationFigure, SourcesFigure, Theme, Tradeoff,
};
pub use raw::Scale;
pub use source::{ExperimentError, Source};

use std::ops::Range;

use toml::Spanned;

use crate::learner::Learner;
use crate::problem::{self, Expression, Inputs, Noise, NotFinite, Points, Problem, grid, side};
use crate::simulation::Setup;
use crate::stream::{Purpose, Stream};
use crate::words::{choice, number, short, thousands};
use raw::{Num, Only, RawExperiment, RawInputs, RawNoise, RawProblem, RawRun, RawTest};
use source::Trouble;

/// The most training points, test points or kept resamples.
const MOST_POINTS: u64 = 10_000_000;
/// The fewest resamples: with one left out, the others still need a variance and its spread.
const FEWEST_RESAMPLES: u64 = 4;
/// The most resamples.
const MOST_RESAMPLES: u64 = 1_000_000_000_000;
/// Seeds up to here survive the way through TOML and JSON.
const MOST_SEED: u64 = 1 << 53;

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
    /// Whether inputs, noise and algorithm are crossed, to split the variance by source.
    pub sources: bool,
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
        check(name, &source).map_err(|trouble| source.explain(trouble))
    }
}

/// The JSON schema of an experiment file, for editors.
pub fn schema() -> serde_json::Value {
    raw::schema()
}

fn check(name: &str, source: &Source) -> Result<Experiment, Trouble> {
    let raw: RawExperiment = source.read()?;
    let mut run = check_run(&raw.run)?;
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
    let problem = check_problem(raw_problem, run.seed)?;
    if raw.learner.is_empty() {
        return Err(Trouble::new(0..0, "the experiment has no learner")
            .help("add for example `[[learner]]` with `tree = {}`"));
    }
    let (curves, problems) = learners::check(&raw, raw_problem.span(), &problem)?;
    let largest = problems.iter().max_by_key(|problem| problem.train);
    let largest = largest.expect("every learner has a problem");
    let test = check_test(raw.run.test.as_ref(), &problems, largest, run.seed)?;
    check_size(&raw.run, &curves, &problems, &test, &mut run)?;
    check_finite(raw_problem, largest, &test, run.seed)?;
    let figures = figure::check(&raw.figure, &raw.look, &curves, largest, run.sources)?;
    Ok(Experiment {
        problems,
        test,
        curves,
        run,
        figures,
        ..told(name, source, raw)
    })
}

/// An experiment with what its file tells to people, and nothing else yet.
fn told(name: &str, source: &Source, raw: RawExperiment) -> Experiment {
    Experiment {
        name: name.to_owned(),
        source: source.clone(),
        title: raw.title.map(|title| title.replace(char::is_control, " ")),
        look_for: raw.look_for,
        question: raw.question,
        answer: raw.answer,
        simulation: None,
        problems: Vec::new(),
        test: Test {
            points: Points::default(),
            weights: Vec::new(),
            kind: TestKind::Grid,
        },
        curves: Vec::new(),
        run: Run {
            length: Length::Resamples(0),
            seed: 0,
            keep: 0,
            keep_data: 0,
            keep_fits: 0,
            sources: false,
        },
        figures: Vec::new(),
    }
}

/// The problem as it is given; `train` is 0 where it is left to the sweep.
fn check_problem(raw: &Spanned<RawProblem>, seed: u64) -> Result<Problem, Trouble> {
    let raw = raw.get_ref();
    let (inputs, dimension, fixed) = check_inputs(&raw.inputs)?;
    let train = match &raw.train {
        Some(train) => check_train(train, inputs, dimension)?,
        None => 0,
    };
    Ok(Problem {
        truth: truth::check(&raw.truth, dimension, seed)?,
        inputs,
        fixed,
        dimension,
        noise: check_noise(&raw.noise, dimension)?,
        train,
    })
}

/// A number of training points, given or swept.
fn check_train(raw: &Spanned<Num>, inputs: Inputs, dimension: usize) -> Result<usize, Trouble> {
    let train = whole(raw, "`train`", 1, MOST_POINTS)? as usize;
    if train * dimension > 10 * MOST_POINTS as usize {
        let message =
            format!("{train} points in {dimension} dimensions are more than memory can hold");
        return Err(Trouble::new(raw.span(), message));
    }
    if let Inputs::Grid { .. } = inputs
        && side(train, dimension).is_none()
    {
        let root = (train as f64).powf(1.0 / dimension as f64).floor() as usize;
        let power = |side: usize| match side.checked_pow(dimension as u32) {
            Some(power) => thousands(power as u64),
            None => "more than can be counted".to_owned(),
        };
        let message = format!("a grid in {dimension} dimensions cannot have {train} points");
        return Err(Trouble::new(raw.span(), message).help(format!(
            "the nearest that can be laid out evenly are {} and {}",
            power(root.max(1)),
            power(root + 1)
        )));
    }
    Ok(train)
}

fn check_inputs(raw: &Spanned<Only<RawInputs>>) -> Result<(Inputs, usize, bool), Trouble> {
    let span = raw.span();
    let Only(raw) = raw.get_ref();
    let ends = |pair: &Spanned<raw::Pair>| {
        let raw::Pair(from, to) = *pair.get_ref();
        match (
            from.is_finite() && to.is_finite() && (to - from).is_finite(),
            from < to,
        ) {
            (true, true) => Ok((from, to)),
            (false, _) => Err(Trouble::new(pair.span(), "the range is not finite")),
            (true, false) => Err(Trouble::new(pair.span(), "the range is empty")
                .label("expected [from, to] with from below to")),
        }
    };
    let (inputs, at) = match (&raw.uniform, &raw.normal, &raw.grid) {
        (Some(pair), None, None) => {
            let (from, to) = ends(pair)?;
            (Inputs::Uniform { from, to }, pair)
        }
        (None, None, Some(pair)) => {
            let (from, to) = ends(pair)?;
            (Inputs::Grid { from, to }, pair)
        }
        (None, Some(pair), None) => {
            let raw::Pair(mean, sd) = *pair.get_ref();
            if sd.is_nan() || sd <= 0.0 {
                return Err(Trouble::new(pair.span(), "the sd must be above 0")
                    .label("expected [mean, sd]"));
            }
            // No draw is ever forty standard deviations out; a tiny sd must not be lost in rounding.
            if !(mean - 40.0 * sd).is_finite()
                || !(mean + 40.0 * sd).is_finite()
                || mean + 1e-6 * sd == mean && mean != 0.0
            {
                return Err(Trouble::new(
                    pair.span(),
                    "numbers of this size leave no room to draw",
                )
                .label("expected [mean, sd]"));
            }
            (Inputs::Normal { mean, sd }, pair)
        }
        _ => {
            return Err(
                Trouble::new(span, "inputs are exactly one of uniform, normal and grid")
                    .help("as in `inputs = { uniform = [0, 15] }`"),
            );
        }
    };
    let dimension = match &raw.dimension {
        Some(value) => whole(value, "`dimension`", 1, 10_000)? as usize,
        None => 1,
    };
    let grid = matches!(inputs, Inputs::Grid { .. });
    let fixed = match &raw.fixed {
        Some(fixed) if grid && !fixed.get_ref() => {
            return Err(
                Trouble::new(fixed.span(), "a grid is the same in every resample")
                    .help("leave out `fixed`, or take `uniform` inputs"),
            );
        }
        Some(fixed) => *fixed.get_ref(),
        None => grid,
    };
    let (from, to) = inputs.range();
    if !(from.is_finite() && to.is_finite()) {
        return Err(Trouble::new(at.span(), "the range is not finite"));
    }
    Ok((inputs, dimension, fixed))
}

fn check_noise(raw: &Spanned<Only<RawNoise>>, dimension: usize) -> Result<Noise, Trouble> {
    let span = raw.span();
    let Only(raw) = raw.get_ref();
    let shapes = [
        (&raw.normal, problem::Shape::Normal),
        (&raw.uniform, problem::Shape::Uniform),
        (&raw.laplace, problem::Shape::Laplace),
        (&raw.student_t, problem::Shape::StudentT { degrees: 0.0 }),
    ];
    let mut given = shapes
        .iter()
        .filter_map(|(sd, shape)| Some((sd.as_ref()?, *shape)));
    let (Some((sd, shape)), None) = (given.next(), given.next()) else {
        let names = ["normal", "uniform", "laplace", "student-t"];
        let message = format!("noise is exactly one of {}", choice(names));
        return Err(Trouble::new(span, message).help("as in `noise = { normal = 0.5 }`, by its sd"));
    };
    let shape = match (shape, &raw.degrees) {
        (problem::Shape::StudentT { .. }, Some(degrees)) => {
            let value = degrees.get_ref().0;
            if !(value > 2.0 && value.is_finite()) {
                let message = format!("`degrees` must be above 2, not {}", number(value));
                return Err(Trouble::new(degrees.span(), message)
                    .help("with 2 or fewer the noise has no standard deviation"));
            }
            problem::Shape::StudentT { degrees: value }
        }
        (problem::Shape::StudentT { .. }, None) => {
            return Err(Trouble::new(sd.span(), "Student's t needs `degrees`")
                .help("as in `noise = { student-t = 0.5, degrees = 5 }`"));
        }
        (_, Some(degrees)) => {
            let message = "`degrees` belongs to `student-t` only";
            return Err(Trouble::new(degrees.span(), message));
        }
        (shape, None) => shape,
    };
    let sd = expression(&sd.span(), &sd.get_ref().0, dimension)?;
    Ok(Noise { shape, sd })
}

fn expression(span: &Range<usize>, text: &str, dimension: usize) -> Result<Expression, Trouble> {
    Expression::parse(text, dimension).map_err(|error| {
        // The expression stands between quotes, or bare behind `--set`, unless something in it is
        // escaped; then all of it is shown.
        let start = match span.len().checked_sub(text.len()) {
            Some(2) => Some(span.start + 1),
            Some(0) => Some(span.start),
            _ => None,
        };
        let span = match start.filter(|_| !error.span.is_empty()) {
            Some(start) => start + error.span.start..start + error.span.end,
            None => span.clone(),
        };
        let trouble = Trouble::new(span, error.message);
        match error.help {
            Some(help) => trouble.help(help),
            None => trouble,
        }
    })
}

fn check_run(raw: &RawRun) -> Result<Run, Trouble> {
    let length = match (&raw.precision, &raw.max_resamples) {
        (None, None) => Length::Resamples(match &raw.resamples {
            Some(value) => whole(value, "`resamples`", FEWEST_RESAMPLES, MOST_RESAMPLES)?,
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
            let most = whole(most, "`max-resamples`", FEWEST_RESAMPLES, MOST_RESAMPLES)?;
            Length::Precision { share, most }
        }
    };
    let seed = match &raw.seed {
        Some(value) => whole(value, "`seed`", 0, MOST_SEED)?,
        None => 1,
    };
    let keep = match &raw.keep {
        Some(value) => whole(value, "`keep`", 1, 10_000)?,
        None => 50,
    };
    Ok(Run {
        length,
        seed,
        keep,
        keep_data: keep,
        keep_fits: keep,
        sources: raw
            .sources
            .as_ref()
            .is_some_and(|sources| *sources.get_ref()),
    })
}

fn check_test(
    raw: Option<&Spanned<RawTest>>,
    problems: &[Problem],
    problem: &Problem,
    seed: u64,
) -> Result<Test, Trouble> {
    let dimension = problem.dimension;
    let span = raw.map_or(0..0, Spanned::span);
    let count = |count: &Num| {
        whole(
            &Spanned::new(span.clone(), *count),
            "the number of test points",
            1,
            MOST_POINTS,
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
            let (from, to) = problem.inputs.range();
            let points = grid(from, to, count, dimension);
            let weight = |x: &[f64]| x.iter().map(|x| problem.inputs.weight(*x)).product::<f64>();
            let weights: Vec<f64> = points.rows().map(weight).collect();
            let total: f64 = weights.iter().sum();
            let weights = weights.into_iter().map(|weight| weight / total).collect();
            Ok(Test {
                points,
                weights,
                kind: TestKind::Grid,
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
            Ok(Test {
                points,
                weights,
                kind: TestKind::Drawn,
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
            })
        }
    }
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

/// A run must fit into memory: sums for every group, setting and test point, and the fits that are
/// kept. Where `keep` is not given, training sets and fits give way.
fn check_size(
    raw: &RawRun,
    curves: &[Curve],
    problems: &[Problem],
    test: &Test,
    run: &mut Run,
) -> Result<(), Trouble> {
    let settings: usize = curves.iter().map(Curve::settings).sum();
    let places = settings as u64 * test.points.len() as u64;
    // Mean and squares, and seven contrasts of a cube, for every group, and the table of points.
    let sums = if run.sources { 9 } else { 2 };
    let each = sums * crate::decompose::GROUPS as u64 + 10;
    let numbers = places.saturating_mul(each);
    if numbers > MOST_NUMBERS {
        let message = format!(
            "{} settings at {} test points are more than memory can hold",
            thousands(settings as u64),
            thousands(test.points.len() as u64)
        );
        let span = raw.test.as_ref().map_or(0..0, Spanned::span);
        return Err(Trouble::new(span, message).help(format!(
            "settings × test points can be at most {}: sweep fewer values, or test at fewer points",
            thousands(MOST_NUMBERS / each)
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

/// Truth and noise must be finite wherever an input can fall. That cannot be decided for every
/// expression, so it is tried: at the test points, at the first inputs to be drawn, and on a grid.
fn check_finite(
    raw: &Spanned<RawProblem>,
    problem: &Problem,
    test: &Test,
    seed: u64,
) -> Result<(), Trouble> {
    let blame = |error: NotFinite| {
        let raw = raw.get_ref();
        let Only(noise) = raw.noise.get_ref();
        let sds = [
            &noise.normal,
            &noise.uniform,
            &noise.laplace,
            &noise.student_t,
        ];
        let sd = sds.into_iter().flatten().next().map(Spanned::span);
        let span = match error.what {
            "the truth" => raw.truth.span(),
            _ => sd.unwrap_or(raw.noise.span()),
        };
        Trouble::new(span, error.to_string())
            .help("it must be finite (and an sd not negative) wherever an input can fall")
    };
    let mut tried = Points::default();
    if !matches!(problem.inputs, Inputs::Grid { .. }) {
        let mut stream = Stream::new(seed, Purpose::Inputs, 0);
        let (count, dimension) = (1000, problem.dimension);
        problem
            .inputs
            .draw(count, dimension, &mut stream, &mut tried);
    } else {
        problem.inputs.draw(
            problem.train,
            problem.dimension,
            &mut Stream::new(0, Purpose::Inputs, 0),
            &mut tried,
        );
    }
    let (from, to) = problem.inputs.range();
    let fine = match problem.dimension {
        1 => grid(from, to, 1000, 1),
        _ => Points::new(problem.dimension, Vec::new()),
    };
    for x in test.points.rows().chain(tried.rows()).chain(fine.rows()) {
        problem.truth_at(x).map_err(blame)?;
        problem.sd_at(x).map_err(blame)?;
    }
    Ok(())
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
