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
mod course;
mod excerpt;
mod figure;
mod hash;
mod learners;
mod opening;
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
mod variant;
pub mod words;

pub use bounds::Bounds;
pub use course::{Course, CourseLesson, CourseUnit};
pub use figure::*;
pub use opening::{Opening, SideBySide};
pub use source::{ExperimentError, LONGEST_TEXT, Source};
pub use variant::{MOST_VARIANTS, Variant};
pub use words::{Claim, ExperimentText, Texts};

use bvlab_core::learner::Registry;
use bvlab_core::plan::{Plan, PlanParts, default_slab};
use bvlab_core::task::{Description, Task};

use raw::RawExperiment;
use source::SourceError;
use words::Scope;

/// A checked experiment.
#[derive(Clone)]
pub struct Experiment {
    /// Its name: that of its file, and of its folder of results.
    pub name: String,
    /// The text it was read from.
    pub source: Source,
    /// What it says to people, with an ellipsis in the place of numbers that a run computes.
    pub words: ExperimentText,
    /// The same with the places of these numbers.
    pub texts: Texts,
    /// What is computed.
    pub task: Task,
    /// What is computed beside it, for words and claims to refer to.
    pub variants: Vec<Variant>,
    /// What every run checks.
    pub claims: Vec<Claim>,
    /// What is drawn.
    pub figures: Vec<Figure>,
    /// How it begins on the live page.
    pub opening: Opening,
    /// The model families that it was read with.
    pub registry: Registry,
}

/// What is shown of a result: the part of an experiment that can change without computing anew.
#[derive(Clone, Debug)]
pub struct Presentation {
    /// What is said to people.
    pub texts: Texts,
    /// What is drawn.
    pub figures: Vec<Figure>,
}

/// What is known of a result whose presentation is read.
#[derive(Clone, Copy, Debug)]
pub struct Described<'a> {
    /// What its tables contain.
    pub description: &'a Description,
    /// The names of its variants, and what their tables contain.
    pub variants: &'a [(&'a str, &'a Description)],
    /// How many resamples there were.
    pub resamples: u64,
    /// The seed.
    pub seed: u64,
}

impl Presentation {
    /// Reads what is to be shown of a result, of which its description is known; problem and
    /// learners of the text are not looked at.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place in the text.
    pub fn read(source: &Source, result: Described) -> Result<Presentation, Box<ExperimentError>> {
        let read = |source: &Source| {
            let raw: RawExperiment = source.read()?;
            let figures = match result.description {
                Description::Study(study) => figure::check(&raw.figure, &raw.look, study)?,
                Description::Simulation(simulation) => {
                    figure::check_simulation(&raw.figure, &raw.look, &simulation.panels)?
                }
            };
            let counts = (result.resamples, result.seed);
            let scope =
                Scope::of_result(result.description, result.variants, source.merged(), counts);
            Ok(Presentation {
                texts: leniently(source, scope, false, |scope| {
                    Texts::read(&raw, source, scope)
                })?,
                figures,
            })
        };
        read(source).map_err(|trouble| source.explain(trouble))
    }
}

/// Reads what refers to numbers of a run. Keys that are set on top of a file may take away what its
/// words are about, and so may a variant that is left out (`lacks`): then references in the file to
/// what is gone are let pass.
fn leniently<T>(
    source: &Source,
    mut scope: Scope,
    lacks: bool,
    read: impl Fn(&Scope) -> Result<T, SourceError>,
) -> Result<T, SourceError> {
    match read(&scope) {
        Err(trouble) => {
            let in_file = source.set_number(trouble.span.start).is_none();
            scope.lenient = lacks || source.has_sets() && in_file;
            match scope.lenient {
                true => read(&scope),
                false => Err(trouble),
            }
        }
        read => read,
    }
}

impl Experiment {
    /// Its title, or its name where it has none.
    pub fn heading(&self) -> &str {
        self.words.title.as_deref().unwrap_or(&self.name)
    }

    /// Whether its words, figures or claims refer to numbers of a run.
    pub fn speaks(&self) -> bool {
        let mut templates = self.texts.templates();
        !self.claims.is_empty() || templates.any(|template| !template.is_plain())
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
) -> Result<Experiment, SourceError> {
    let raw: RawExperiment = source.read()?;
    figure::check_keys(&raw.figure, &raw.look)?;
    let mut experiment = check_task(name, source, &raw, registry, bounds, true)?;
    let may_lack = source.has_sets() || *bounds != Bounds::default();
    let variants = variant::check(
        &raw.variant,
        source,
        &experiment.task,
        may_lack,
        &|source| {
            let raw: RawExperiment = source.read()?;
            check_task(name, source, &raw, registry, bounds, false)
        },
    )?;
    let descriptions = variants.iter().map(|variant| {
        let description = variant.experiment.task.describe();
        (variant.name.as_str(), description)
    });
    let descriptions: Vec<(&str, Description)> = descriptions.collect();
    let main = experiment.task.describe();
    let variants_known = descriptions.iter().map(|(name, run)| (*name, run));
    let scope = || Scope {
        runs: [("", &main)]
            .into_iter()
            .chain(variants_known.clone())
            .collect(),
        settings: source.merged(),
        defaults: [experiment.task.most_resamples(), experiment.task.seed()].map(|n| n as f64),
        lenient: false,
    };
    let lacks = variants.len() < raw.variant.len();
    let texts = leniently(source, scope(), lacks, |scope| {
        Texts::read(&raw, source, scope)
    })?;
    let claims = leniently(source, scope(), lacks, |scope| {
        words::read_claims(&raw.claim, source, scope)
    })?;
    // What is set on top of a file may take away what its table is about.
    let opening = match opening::check(&raw.lab, &main, experiment.figures.len(), &variants) {
        Err(trouble) if may_lack && source.set_number(trouble.span.start).is_none() => {
            Opening::default()
        }
        checked => checked?,
    };
    experiment.opening = opening;
    experiment.words = texts.words(|_, _| "…".to_owned());
    (experiment.texts, experiment.claims) = (texts, claims);
    experiment.variants = variants;
    Ok(experiment)
}

/// What is computed and drawn, without words, claims and variants.
fn check_task(
    name: &str,
    source: &Source,
    raw: &RawExperiment,
    registry: &Registry,
    bounds: &Bounds,
    drawn: bool,
) -> Result<Experiment, SourceError> {
    let run = run::check_run(&raw.run, bounds)?;
    let experiment = |source: Source, task: Task, figures: Vec<Figure>| Experiment {
        name: name.to_owned(),
        source,
        words: ExperimentText::default(),
        texts: Texts::default(),
        task,
        variants: Vec::new(),
        claims: Vec::new(),
        figures,
        opening: Opening::default(),
        registry: registry.clone(),
    };
    if let Some(simulation) = &raw.simulation {
        let setup = simulation::check(simulation, raw, &run)?;
        let figures = match drawn {
            true => figure::check_simulation(&raw.figure, &raw.look, &setup.panels())?,
            false => Vec::new(),
        };
        return Ok(experiment(source.clone(), Task::Simulation(setup), figures));
    }
    if let Some(with) = &raw.with {
        return Err(
            SourceError::new(with.span(), "`with` needs `simulation`").help(
                "as in `simulation = \"majority-vote\"`; parameters of a learner belong in its own table",
            ),
        );
    }
    let (plan, source) = check_study(source, raw, run, bounds, registry)?;
    let figures = match drawn {
        true => figure::check(&raw.figure, &raw.look, &plan.describe())?,
        false => Vec::new(),
    };
    let task = Task::Study(std::sync::Arc::new(plan));
    Ok(experiment(source, task, figures))
}

/// The plan of learners on a problem, and the source with the table that it is about.
fn check_study(
    source: &Source,
    raw: &RawExperiment,
    mut run: bvlab_core::plan::Run,
    bounds: &Bounds,
    registry: &Registry,
) -> Result<(Plan, Source), SourceError> {
    let Some(raw_problem) = &raw.problem else {
        return Err(SourceError::new(0..0, "`problem` is missing").help(
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
        None => {
            let swept = learners::largest_dimension(raw, bounds)?;
            let problem = problem::check_problem(raw_problem, swept, run.seed, bounds)?;
            (problem, None)
        }
    };
    run.loss = run::check_loss(&raw.run, &problem)?;
    if raw.learner.is_empty() {
        return Err(SourceError::new(0..0, "the experiment has no learner")
            .help("add for example `[[learner]]` with `tree = {}`"));
    }
    if let Some(learner) = raw.learner.get(bounds.learners) {
        let message = format!("there can be at most {} learners", bounds.learners);
        return Err(SourceError::new(learner.span(), message));
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
