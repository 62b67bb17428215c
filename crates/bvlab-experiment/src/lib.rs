//! What the user asked for: an experiment file, read and checked once, at the door.
//!
//! [`Experiment::read`] turns the text into a [`Task`] for the engine, words for people and figures
//! to draw, or into an [`ExperimentError`] that shows the line and the token. Nothing further down
//! checks again. No file is opened here: a [`Source`] is a text, and tables are handed in by a
//! [`table::TableSource`].
//!
//! # Features
//!
//! - `shipped` (default): the experiments that ship with bvlab, and their tables.
//! - `threads`, `linfa` (default): those of `bvlab-core`.
//!
//! ```
//! use bvlab_core::engine::{Options, Unwatched};
//! use bvlab_core::task::Outcome;
//! use bvlab_experiment::{Experiment, Source};
//!
//! let text = r#"
//!     problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 50 }
//!     sweep   = { k = "1..20" }
//!     learner = [{ knn = {} }]
//!     run     = { resamples = 100 }
//! "#;
//! let experiment = Experiment::read("example", Source::new("example.toml", text, &[]))?;
//! let Outcome::Study(results) = experiment.task.run(Options::new(1, &Unwatched))? else {
//!     unreachable!("it is no simulation");
//! };
//! assert_eq!(results.learners[0].decomposition.parts.len(), 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounds;
mod excerpt;
mod figure;
mod hash;
mod learners;
mod problem;
mod raw;
pub mod reference;
mod run;
#[cfg(feature = "shipped")]
pub mod shipped;
mod simulation;
mod source;
mod sweep;
pub mod table;

pub use bounds::Bounds;
pub use figure::*;
pub use source::{ExperimentError, LONGEST_TEXT, Source};

use bvlab_core::learner::Registry;
use bvlab_core::plan::{Plan, PlanParts, default_slab};
use bvlab_core::task::{Description, Task};
use bvlab_core::words::printable;

use raw::RawExperiment;
use source::Trouble;

/// A checked experiment.
#[derive(Clone)]
pub struct Experiment {
    /// Its name: that of its file, and of its folder of results.
    pub name: String,
    /// The text it was read from.
    pub source: Source,
    /// What it says to people.
    pub words: Words,
    /// What is computed.
    pub task: Task,
    /// What is drawn.
    pub figures: Vec<Figure>,
    /// The model families that it was read with.
    pub registry: Registry,
}

/// What an experiment says to people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The heading of its figures.
    pub title: Option<String>,
    /// What to look for.
    pub look_for: Option<String>,
    /// A question for the class.
    pub question: Option<String>,
    /// Its answer.
    pub answer: Option<String>,
}

/// What is shown of a result: the part of an experiment that can change without computing anew.
#[derive(Clone, Debug)]
pub struct Presentation {
    /// What is said to people.
    pub words: Words,
    /// What is drawn.
    pub figures: Vec<Figure>,
}

impl Presentation {
    /// Reads what is to be shown of a result, of which its description is known; problem and
    /// learners of the text are not looked at.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place in the text.
    pub fn read(
        source: &Source,
        description: &Description,
    ) -> Result<Presentation, Box<ExperimentError>> {
        let read = |source: &Source| {
            let raw: RawExperiment = source.read()?;
            let figures = match description {
                Description::Study(study) => figure::check(&raw.figure, &raw.look, study)?,
                Description::Simulation(simulation) => {
                    figure::check_simulation(&raw.figure, &raw.look, &simulation.panels)?
                }
            };
            Ok(Presentation {
                words: Words::of(raw),
                figures,
            })
        };
        read(source).map_err(|trouble| source.explain(trouble))
    }
}

impl Words {
    fn of(raw: RawExperiment) -> Self {
        let title = raw.title;
        Words {
            title: title.map(|title| printable(&title.replace(char::is_control, " ")).into_owned()),
            look_for: raw.look_for,
            question: raw.question,
            answer: raw.answer,
        }
    }
}

impl Experiment {
    /// Its title, or its name where it has none.
    pub fn heading(&self) -> &str {
        self.words.title.as_deref().unwrap_or(&self.name)
    }

    /// The plan, if it is a study.
    pub fn plan(&self) -> Option<&Plan> {
        self.task.plan()
    }

    /// Reads and checks an experiment that uses the model families that come with bvlab.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place in the text.
    pub fn read(name: &str, source: Source) -> Result<Experiment, Box<ExperimentError>> {
        Experiment::read_with(name, source, &Registry::standard(), &Bounds::default())
    }

    /// Reads and checks an experiment that uses the model families of a registry, and may be only so
    /// large.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place in the text.
    pub fn read_with(
        name: &str,
        source: Source,
        registry: &Registry,
        bounds: &Bounds,
    ) -> Result<Experiment, Box<ExperimentError>> {
        check(name, &source, registry, bounds).map_err(|trouble| source.explain(trouble))
    }
}

/// The JSON schema of an experiment file with the model families of a registry, for editors.
pub fn schema(registry: &Registry) -> serde_json::Value {
    let mut schema = raw::schema(registry);
    figure::add_definitions(&mut schema);
    schema
}

fn check(
    name: &str,
    source: &Source,
    registry: &Registry,
    bounds: &Bounds,
) -> Result<Experiment, Trouble> {
    let raw: RawExperiment = source.read()?;
    figure::check_keys(&raw.figure, &raw.look)?;
    let run = run::check_run(&raw.run, bounds)?;
    let experiment = |source: Source, raw: RawExperiment, task: Task, figures: Vec<Figure>| {
        let name = name.to_owned();
        let words = Words::of(raw);
        Experiment {
            name,
            source,
            words,
            task,
            figures,
            registry: registry.clone(),
        }
    };
    if let Some(simulation) = &raw.simulation {
        let (setup, figures) = simulation::check(simulation, &raw, &run)?;
        let task = Task::Simulation(setup);
        return Ok(experiment(source.clone(), raw, task, figures));
    }
    if let Some(with) = &raw.with {
        return Err(
            Trouble::new(with.span(), "`with` goes with `simulation`").help(
                "as in `simulation = \"majority-vote\"`; parameters of a learner stand in its table",
            ),
        );
    }
    let (plan, source) = check_study(source, &raw, run, bounds, registry)?;
    let figures = figure::check(&raw.figure, &raw.look, &plan.describe())?;
    Ok(experiment(
        source,
        raw,
        Task::Study(std::sync::Arc::new(plan)),
        figures,
    ))
}

/// The plan of learners on a problem, and the source with the table that it is about.
fn check_study(
    source: &Source,
    raw: &RawExperiment,
    mut run: bvlab_core::plan::Run,
    bounds: &Bounds,
    registry: &Registry,
) -> Result<(Plan, Source), Trouble> {
    let Some(raw_problem) = &raw.problem else {
        return Err(Trouble::new(0..0, "`problem` is missing").help(
            "`bvlab new NAME` writes an example with every key; an experiment without a problem is a `simulation`",
        ));
    };
    let (problem, table) = match &raw_problem.get_ref().table {
        Some(table) => {
            let wanted = (&raw.run, run.seed);
            let (problem, table) =
                problem::check_table(table, raw_problem, source, wanted, bounds)?;
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
    let learners =
        |slab| learners::check(raw, raw_problem.span(), &problem, bounds, slab, registry);
    let (mut paths, problems) = learners(run.slab)?;
    let test = run::check_test(raw.run.test.as_ref(), &problems, run.seed, bounds)?;
    if run.slab.is_none() {
        let curves = paths.iter().map(|path| &path.curve);
        let predictions = test.points.len().saturating_mul(problem.outputs());
        run.slab = default_slab(curves, &run, predictions);
        if run.slab.is_some() {
            (paths, _) = learners(run.slab)?;
        }
    }
    let parts = PlanParts {
        problems,
        test,
        paths,
        run,
        keep_asked: raw.run.keep.is_some(),
    };
    // Whether memory can hold it is asked before anything is computed.
    let largest = parts.problems.iter().max_by_key(|problem| problem.train);
    let largest = largest.cloned();
    let plan = run::check_plan(parts, raw)?;
    if let (Some(largest), None) = (largest, problem.rows()) {
        problem::check_finite(raw_problem, &largest, &plan.test, plan.run.seed)?;
    }
    let mut source = source.clone();
    source.table = table;
    Ok((plan, source))
}
