//! From a checked experiment to its folder of results.
//!
//! [`compute`] runs an experiment, saves what is done as it goes and goes on from what a killed run
//! had saved; [`ComputedRun::write`] writes tables, figures and a manifest, and puts them in their place
//! whole. The commands `run`, `figures` and `merge` only call these.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use bvlab::experiment::{Experiment, Source};
//! use bvlab::make::{self, Format, NoReporter, RequestedFiles};
//!
//! let source = Source::shipped("tree-tradeoff", &[]).expect("it ships with bvlab");
//! let experiment = Experiment::read("tree-tradeoff", source)?;
//! let home = Path::new("results/tree-tradeoff");
//! let wanted = RequestedFiles { formats: &[Format::Png], page: false, overwrite: false };
//! let computed = make::compute(&experiment, home, 2, wanted, &NoReporter, &NoReporter)?;
//! let finished = computed.write(wanted.formats, None, &NoReporter)?;
//! println!("{}", finished.report.text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod runs;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use bvlab_core::decompose::interval_factor;
use bvlab_core::engine::{Observer, RunError, Shard};
use bvlab_core::task::{Description, Outcome, Task};
use bvlab_experiment::{Experiment, Figure};
use bvlab_figure::{self as figure, FigureError};
use bvlab_lab::Recorder;
use bvlab_outcome::files::{
    Manifest, OutcomeError, SavedGroups, ShardNote, Staging, TableNote, VariantNote, write_whole,
};
use bvlab_outcome::{CheckedClaim, Report, Statements, Tables, report};

/// The version that results are made by.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How often what is done is saved: every two seconds, or as the environment says.
pub fn save_every() -> Duration {
    let seconds = std::env::var("BVLAB_SAVE_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse::<f64>().ok());
    let seconds = seconds.filter(|seconds| (0.0..=86_400.0).contains(seconds));
    Duration::from_secs_f64(seconds.unwrap_or(2.0))
}

/// A format of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A bitmap, 1920 × 1080 for a slide.
    Png,
    /// A drawing with embedded fonts.
    Svg,
    /// A page for LaTeX, in which text stays text.
    Pdf,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 3] = [Format::Png, Format::Svg, Format::Pdf];

    /// What a file's name ends with.
    pub fn ending(self) -> &'static str {
        match self {
            Format::Png => "png",
            Format::Svg => "svg",
            Format::Pdf => "pdf",
        }
    }

    /// The file of a figure.
    pub fn file(self, figure: &str) -> String {
        format!("{figure}.{}", self.ending())
    }

    /// The files of all figures in all formats.
    pub fn files<'a>(
        formats: &'a [Format],
        figures: &'a [Figure],
    ) -> impl Iterator<Item = String> + 'a {
        let each = move |figure: &'a Figure| formats.iter().map(move |f| f.file(&figure.name));
        figures.iter().flat_map(each)
    }
}

/// Who asks for a result, and is told of what is not a number.
pub trait Reporter: Sync {
    /// A line for people: what is gone on from, what could not be saved.
    fn say(&self, line: &str) {
        let _ = line;
    }

    /// Whether the result is no longer wanted.
    fn stopped(&self) -> bool {
        false
    }

    /// Files are about to be put in their place, which must not be cut short, or were just put there.
    fn placing(&self, placing: bool) {
        let _ = placing;
    }
}

/// Nobody listens, nobody watches.
pub struct NoReporter;

impl Reporter for NoReporter {}

impl Observer for NoReporter {}

/// Why there is no result.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum MakeError {
    /// A folder or file could not be read or written.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Outcome(#[from] OutcomeError),
    /// The run did not end.
    #[error("{error}")]
    #[diagnostic(help("{help}"))]
    Run {
        /// Why not.
        error: RunError,
        /// What to do, and what became of an earlier result.
        help: String,
    },
    /// A figure could not be drawn.
    #[error("cannot draw `{figure}`: {error}")]
    Figure {
        /// Which.
        figure: String,
        /// Why not.
        error: FigureError,
    },
    /// A figure could not be written.
    #[error("cannot write {file}: {reason}")]
    #[diagnostic(help(
        "check write permission and free disk space; `bvlab draw DIR` draws the figures of saved tables"
    ))]
    FigureFile {
        /// The file.
        file: String,
        /// Why not.
        reason: String,
    },
    /// A simulation, or a run to a precision, has no shards.
    #[error("`{0}` cannot be divided into shards")]
    NoShards(String),
    /// The experiment's text has no hash, which should not happen.
    #[error("the experiment has no hash")]
    NoHash,
}

impl MakeError {
    /// What a run that did not end means for the results in a folder.
    pub fn of_run(error: RunError, home: &Path) -> Self {
        let kept = match home.join("manifest.json").exists() {
            true => format!(
                "nothing was written; {} still holds the result of an earlier run",
                home.display()
            ),
            false => "nothing was written".to_owned(),
        };
        let help = match &error {
            RunError::Stopped { .. } => {
                format!("run the same command again to continue; {kept}")
            }
            RunError::Problem(..) => {
                format!("make truth and noise finite wherever an input can fall; {kept}")
            }
            RunError::Learner { .. } => {
                format!("try a less extreme setting, or another scale of the data; {kept}")
            }
            RunError::Threads(_) => format!("use fewer, with --threads; {kept}"),
            RunError::Setup(_) => format!("choose other values in `with`; {kept}"),
        };
        MakeError::Run { error, help }
    }

    /// Whether it was stopped, rather than failed.
    pub fn is_stopped(&self) -> bool {
        matches!(
            self,
            MakeError::Run {
                error: RunError::Stopped { .. },
                ..
            }
        )
    }
}

/// An experiment that was computed; its tables and figures are yet to be written.
pub struct ComputedRun<'a> {
    experiment: &'a Experiment,
    home: PathBuf,
    staging: Staging,
    outcome: Outcome,
    variants: Vec<Outcome>,
    started: String,
    seconds: f64,
    threads: usize,
}

/// A result in its place.
pub struct FinishedResult {
    /// Its files.
    pub files: Vec<String>,
    /// What the run has to say.
    pub report: Report,
    /// What became of the experiment's claims.
    pub claims: Vec<CheckedClaim>,
}

/// Which files a result is to have.
#[derive(Clone, Copy, Debug)]
pub struct RequestedFiles<'a> {
    /// The formats of figures.
    pub formats: &'a [Format],
    /// Whether there is a page.
    pub page: bool,
    /// Whether files of the same names are replaced that bvlab did not make.
    pub overwrite: bool,
}

impl RequestedFiles<'_> {
    /// The names of all files.
    fn files(&self, experiment: &Experiment) -> Vec<String> {
        let page = self.page.then(|| "page.html".to_owned());
        let tables = Tables::files(experiment).into_iter();
        let figures = Format::files(self.formats, &experiment.figures);
        tables.chain(figures).chain(page).collect()
    }
}

/// Runs an experiment whose results are to go to the folder `home`.
///
/// What is done is saved as the run goes, and what a killed run had saved is gone on from.
///
/// # Errors
///
/// If the folder cannot be used, or the run does not end.
pub fn compute<'a>(
    experiment: &'a Experiment,
    home: &Path,
    threads: usize,
    wanted: RequestedFiles,
    teller: &dyn Reporter,
    observer: &dyn Observer,
) -> Result<ComputedRun<'a>, MakeError> {
    let parts = match experiment.task {
        Task::Study(_) => SavedGroups::going_on(home, experiment, VERSION),
        Task::Simulation(_) => None,
    };
    if let Some(parts) = &parts {
        parts.refuse_link()?;
    }
    compute_with(experiment, home, wanted, threads, &|which| match which {
        None => runs::run_saving(experiment, parts.as_ref(), threads, teller, observer),
        Some(number) => {
            let variant = &experiment.variants[number].experiment;
            let parts = parts
                .as_ref()
                .and_then(|parts| parts.of_variant(number, variant));
            let aside = runs::SavedRun(observer);
            runs::run_saving(variant, parts.as_ref(), threads, teller, &aside)
        }
    })
}

/// Runs an experiment, or the variant of a number.
pub type RunOne<'a> = &'a dyn Fn(Option<usize>) -> Result<Outcome, RunError>;

/// The same with runs of one's own: what was done before, and who saves.
///
/// # Errors
///
/// As [`compute`].
pub fn compute_with<'a>(
    experiment: &'a Experiment,
    home: &Path,
    wanted: RequestedFiles,
    threads: usize,
    run: RunOne,
) -> Result<ComputedRun<'a>, MakeError> {
    let files = wanted.files(experiment);
    let staging = Staging::open(home, &files, wanted.overwrite)?;
    let started = chrono::DateTime::<chrono::Utc>::from(SystemTime::now());
    let clock = Instant::now();
    let of_run = |error| MakeError::of_run(error, home);
    let outcome = run(None).map_err(of_run)?;
    let variants = 0..experiment.variants.len();
    let variants = variants.map(|number| run(Some(number)).map_err(of_run));
    Ok(ComputedRun {
        experiment,
        home: home.to_owned(),
        staging,
        outcome,
        variants: variants.collect::<Result<_, _>>()?,
        started: started.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        seconds: clock.elapsed().as_secs_f64(),
        threads: match experiment.task {
            Task::Study(_) => threads,
            // A simulation runs on one thread.
            Task::Simulation(_) => 1,
        },
    })
}

/// Runs one shard of an experiment, whose groups are saved in `folder` for `bvlab merge`.
///
/// # Errors
///
/// If the experiment has no shards, the folder cannot be used, or the run does not end.
pub fn compute_shard(
    experiment: &Experiment,
    shard: Shard,
    (home, folder): (&Path, &Path),
    threads: usize,
    overwrite: bool,
    (teller, observer): (&dyn Reporter, &dyn Observer),
) -> Result<(), MakeError> {
    let plan = experiment.plan();
    let plan = plan.ok_or_else(|| MakeError::NoShards(experiment.name.clone()))?;
    let parts = SavedGroups::new(folder, experiment, VERSION).ok_or(MakeError::NoHash)?;
    let mut note = ShardNote {
        bvlab: VERSION.to_owned(),
        name: experiment.name.clone(),
        experiment: experiment.source.file_text().to_owned(),
        set: experiment.source.sets(),
        shard: shard.index,
        of: shard.of,
        complete: false,
    };
    let table = experiment.source.table();
    let copies: Vec<String> = table.map(|table| table.copy_name()).into_iter().collect();
    ShardNote::refuse_foreign(folder, &copies, overwrite)?;
    note.write(folder)?;
    if let Some(table) = table {
        write_whole(&folder.join(table.copy_name()), &table.bytes)?;
    }
    runs::run_shard_saving(
        (experiment, plan),
        shard,
        &parts,
        threads,
        (teller, observer),
    )
    .map_err(|error| error.or_of_run(home))?;
    for (number, variant) in experiment.variants.iter().enumerate() {
        let variant = &variant.experiment;
        let parts = parts.of_variant(number, variant).ok_or(MakeError::NoHash)?;
        let plan = variant.plan();
        let plan = plan.ok_or_else(|| MakeError::NoShards(experiment.name.clone()))?;
        let aside = runs::SavedRun(observer);
        runs::run_shard_saving((variant, plan), shard, &parts, threads, (teller, &aside))
            .map_err(|error| error.or_of_run(home))?;
    }
    note.complete = true;
    note.write(folder)?;
    Ok(())
}

impl ComputedRun<'_> {
    /// Writes tables and figures, and the page if one was recorded, and puts them in their place.
    ///
    /// # Errors
    ///
    /// If something cannot be written, or nobody wants it any more. A figure that cannot be drawn
    /// does not cost the run: the result is then in its place without it.
    pub fn write(
        self,
        formats: &[Format],
        recorder: Option<&Recorder>,
        teller: &dyn Reporter,
    ) -> Result<FinishedResult, MakeError> {
        let ComputedRun {
            experiment,
            home,
            mut staging,
            outcome,
            variants,
            started,
            seconds,
            threads,
        } = self;
        let task = &experiment.task;
        let description = task.describe();
        let statements = Statements::of(experiment, &outcome, &variants);
        let tables = write_tables(experiment, &description, &outcome, &mut staging)?;
        if !variants.is_empty() {
            staging.write_variants(&experiment.variants, &variants)?;
        }
        if !statements.claims.is_empty() {
            staging.write_claims(&statements.claims)?;
        }
        let heading = statements.heading(&experiment.name);
        let shown = FigureSet {
            title: heading,
            description: &description,
            figures: &statements.figures,
        };
        let drawn = draw_all(shown, &tables, formats, &mut staging);
        if let Some(recorder) = recorder {
            let page = recorder.page(experiment, (&outcome, &statements), &tables, seconds);
            staging.write("page.html", page.as_bytes())?;
        }
        let (resamples, groups) = outcome.counts();
        if teller.stopped() {
            let (done, total) = (resamples, task.most_resamples());
            return Err(MakeError::of_run(RunError::Stopped { done, total }, &home));
        }
        let manifest = Manifest {
            bvlab: VERSION.to_owned(),
            name: experiment.name.clone(),
            experiment: experiment.source.file_text().to_owned(),
            set: experiment.source.sets(),
            seed: task.seed(),
            resamples,
            groups,
            t95: interval_factor(0.95, groups),
            precision: outcome.reached(),
            started,
            seconds,
            threads,
            files: Vec::new(),
            sha256: BTreeMap::new(),
            undrawn: Vec::new(),
            table: TableNote::of(experiment),
            description: Some(description.clone()),
            best: experiment.plan().map(|_| tables.best.clone()),
            words: experiment.speaks().then(|| statements.words.clone()),
            claims: statements.claims.clone(),
            values: statements.values.clone(),
            variants: {
                let variants = experiment.variants.iter().zip(&variants);
                variants
                    .map(|(one, outcome)| VariantNote::of(one, outcome))
                    .collect()
            },
            run_hash: experiment.source.run_hash(),
            figure_hash: experiment.source.figure_hash(),
        };
        teller.placing(true);
        let files = staging.finish(manifest);
        teller.placing(false);
        let files = files?;
        if let Some(parts) = SavedGroups::going_on(&home, experiment, VERSION) {
            parts.remove();
        }
        drawn?;
        let mut report = report(heading, task, &outcome, seconds);
        report.add_statements(&statements);
        Ok(FinishedResult {
            files,
            report,
            claims: statements.claims,
        })
    }
}

/// Writes all tables; returns what the figures look at.
fn write_tables(
    experiment: &Experiment,
    description: &Description,
    outcome: &Outcome,
    staging: &mut Staging,
) -> Result<Tables, OutcomeError> {
    if let Some(table) = experiment.source.table() {
        staging.write(&table.copy_name(), &table.bytes)?;
    }
    match (&experiment.task, outcome) {
        (Task::Study(plan), Outcome::Study(results)) => {
            let tables = staging.write_results(plan, results)?;
            let places = figure::looked_at(description, &experiment.figures, &tables);
            Ok(tables.with_places(plan, results, &places))
        }
        (task, outcome) => {
            let tables = Tables::of(task, outcome);
            staging.write_simulation(&tables)?;
            Ok(tables)
        }
    }
}

/// What is drawn, and of what.
#[derive(Clone, Copy)]
pub struct FigureSet<'a> {
    /// What stands above figures without a title of their own.
    pub title: &'a str,
    /// What the tables are about.
    pub description: &'a Description,
    /// The figures.
    pub figures: &'a [Figure],
}

/// Draws figures in some formats.
///
/// # Errors
///
/// If one cannot be drawn or written; those before it are.
pub fn draw_all(
    shown: FigureSet,
    tables: &Tables,
    formats: &[Format],
    staging: &mut Staging,
) -> Result<(), MakeError> {
    for figure in shown.figures {
        let failed = |error: FigureError| MakeError::Figure {
            figure: figure.name.clone(),
            error,
        };
        let drawing = figure::draw(shown.title, shown.description, figure, tables);
        let drawing = drawing.map_err(failed)?;
        for format in formats {
            let bytes = match format {
                Format::Png => drawing.to_png().map_err(failed)?,
                Format::Svg => drawing.to_svg().into_bytes(),
                Format::Pdf => drawing.to_pdf().map_err(failed)?,
            };
            let file = format.file(&figure.name);
            staging.write(&file, &bytes).map_err(|error| {
                let reason = std::error::Error::source(&error).map(ToString::to_string);
                MakeError::FigureFile {
                    file,
                    reason: reason.unwrap_or_default(),
                }
            })?;
        }
    }
    Ok(())
}
