//! From a checked experiment to its folder of results.
//!
//! [`compute`] runs an experiment, saves what is done as it goes and goes on from what a killed run
//! had saved; [`Computed::write`] writes tables, figures and a manifest, and puts them in their place
//! whole. The commands `run`, `figures` and `merge` only call these.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use bvlab::experiment::{Experiment, Source};
//! use bvlab::make::{self, Format, Silent, Wanted};
//!
//! let source = Source::shipped("tree-tradeoff", &[]).expect("it ships with bvlab");
//! let experiment = Experiment::read("tree-tradeoff", source)?;
//! let home = Path::new("results/tree-tradeoff");
//! let wanted = Wanted { formats: &[Format::Png], page: false, overwrite: false };
//! let computed = make::compute(&experiment, home, 2, wanted, &Silent, &Silent)?;
//! let finished = computed.write(wanted.formats, None, &Silent)?;
//! println!("{}", finished.report.text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use bvlab_core::decompose::{Tally, interval_factor};
use bvlab_core::engine::{self, GroupState, Observer, Options, RunError, Shard};
use bvlab_core::task::{Description, Outcome, Task};
use bvlab_core::words::thousands;
use bvlab_experiment::{Experiment, Figure};
use bvlab_figure::{self as figure, FigureError};
use bvlab_lab::Recorder;
use bvlab_outcome::files::{
    Manifest, OutcomeError, Parts, Saving, ShardNote, Staging, TableNote, write_whole,
};
use bvlab_outcome::{Report, Tables, report};

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
    /// A bitmap, of 1920 × 1080 for a slide.
    Png,
    /// A drawing that carries its fonts.
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
pub trait Teller: Sync {
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
pub struct Silent;

impl Teller for Silent {}

impl Observer for Silent {}

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
    #[error("`{0}` has no shards")]
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
                format!("the same command goes on from what is done; {kept}")
            }
            RunError::Problem(..) => {
                format!("make truth and noise finite wherever an input can fall; {kept}")
            }
            RunError::Learner { .. } => {
                format!("try a less extreme setting, or another scale of the data; {kept}")
            }
            RunError::Threads(_) => format!("ask for fewer with --threads; {kept}"),
            RunError::Setup(_) => format!("take other values in `with`; {kept}"),
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
pub struct Computed<'a> {
    experiment: &'a Experiment,
    home: PathBuf,
    staging: Staging,
    outcome: Outcome,
    started: String,
    seconds: f64,
    threads: usize,
}

/// A result in its place.
pub struct Finished {
    /// Its files.
    pub files: Vec<String>,
    /// What the run has to say.
    pub report: Report,
}

/// Which files a result is to have.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The formats of figures.
    pub formats: &'a [Format],
    /// Whether there is a page.
    pub page: bool,
    /// Whether files of the same names are replaced that bvlab did not make.
    pub overwrite: bool,
}

impl Wanted<'_> {
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
    wanted: Wanted,
    teller: &dyn Teller,
    observer: &dyn Observer,
) -> Result<Computed<'a>, MakeError> {
    let parts = match experiment.task {
        Task::Study(_) => Parts::going_on(home, experiment, VERSION),
        Task::Simulation(_) => None,
    };
    let Some(parts) = &parts else {
        let options = Options::new(threads, observer);
        return compute_with(experiment, home, wanted, options);
    };
    parts.refuse_link()?;
    let begun = |slab: usize| go_on(experiment, &parts.of_slab(slab), slab, teller);
    let name = &experiment.name;
    let warn = |error: &OutcomeError| teller.say(&format!("warning: {name}: {error}"));
    let saving = Saving::new(observer, parts, save_every(), &warn);
    let options = Options {
        threads,
        observer: &saving,
        begun: Some(&begun),
    };
    compute_with(experiment, home, wanted, options)
}

/// The same, with options of one's own: what was done before, and who saves.
///
/// # Errors
///
/// As [`compute`].
pub fn compute_with<'a>(
    experiment: &'a Experiment,
    home: &Path,
    wanted: Wanted,
    options: Options,
) -> Result<Computed<'a>, MakeError> {
    let files = wanted.files(experiment);
    let staging = Staging::open(home, &files, wanted.overwrite)?;
    let started = chrono::DateTime::<chrono::Utc>::from(SystemTime::now());
    let clock = Instant::now();
    let outcome = experiment.task.run(options);
    Ok(Computed {
        experiment,
        home: home.to_owned(),
        staging,
        outcome: outcome.map_err(|error| MakeError::of_run(error, home))?,
        started: started.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        seconds: clock.elapsed().as_secs_f64(),
        threads: match experiment.task {
            Task::Study(_) => options.threads,
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
    (teller, observer): (&dyn Teller, &dyn Observer),
) -> Result<(), MakeError> {
    let plan = experiment.plan();
    let plan = plan.ok_or_else(|| MakeError::NoShards(experiment.name.clone()))?;
    let parts = Parts::new(folder, experiment, VERSION).ok_or(MakeError::NoHash)?;
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
    let begun = |slab: usize| go_on(experiment, &parts.of_slab(slab), slab, teller);
    let saving = Saving::new(observer, &parts, save_every(), &|_| {});
    let options = Options {
        threads,
        observer: &saving,
        begun: Some(&begun),
    };
    let done = engine::run_shard(plan, shard, options);
    done.map_err(|error| MakeError::of_run(error, home))?;
    // A shard that could not be saved is no shard.
    if let Some(error) = saving.into_failure() {
        return Err(error.into());
    }
    note.complete = true;
    note.write(folder)?;
    Ok(())
}

/// What an earlier run of the same experiment had done of a slab; says so.
fn go_on(
    experiment: &Experiment,
    parts: &Parts,
    slab: usize,
    teller: &dyn Teller,
) -> Vec<GroupState> {
    let name = &experiment.name;
    let found = parts.find();
    if !found.damaged.is_empty() {
        let damaged = found.damaged.len();
        teller.say(&format!(
            "{name}: {damaged} saved groups are damaged and computed anew"
        ));
    }
    // The first slab shows what the others are of, too.
    if found.foreign > 0 && slab == 0 {
        teller.say(&format!(
            "{name}: what an interrupted run left is of another experiment or version; starting afresh"
        ));
        parts.remove();
    }
    let done = found
        .states
        .iter()
        .filter_map(|state| state.tallies.first());
    // What a file says is not to be trusted with a sum.
    let done = done.map(Tally::count).fold(0, u64::saturating_add);
    let total = experiment.task.most_resamples();
    if slab > 0 && done > 0 && done < total {
        teller.say(&format!(
            "{name}: going on after {slab} slabs and {} of {} resamples",
            thousands(done),
            thousands(total)
        ));
    } else if slab == 0 && done > 0 {
        teller.say(&format!(
            "{name}: going on after {} of {} resamples",
            thousands(done),
            thousands(total)
        ));
    }
    found.states
}

impl Computed<'_> {
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
        teller: &dyn Teller,
    ) -> Result<Finished, MakeError> {
        let Computed {
            experiment,
            home,
            mut staging,
            outcome,
            started,
            seconds,
            threads,
        } = self;
        let task = &experiment.task;
        let description = task.describe();
        let tables = write_tables(experiment, &description, &outcome, &mut staging)?;
        let shown = Shown {
            title: experiment.heading(),
            description: &description,
            figures: &experiment.figures,
        };
        let drawn = draw_all(shown, &tables, formats, &mut staging);
        if let Some(recorder) = recorder {
            let page = recorder.page(experiment, &outcome, &tables, seconds);
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
            run_hash: experiment.source.run_hash(),
            figure_hash: experiment.source.figure_hash(),
        };
        teller.placing(true);
        let files = staging.finish(manifest);
        teller.placing(false);
        let files = files?;
        if let Some(parts) = Parts::going_on(&home, experiment, VERSION) {
            parts.remove();
        }
        drawn?;
        let report = report(experiment.heading(), task, &outcome, seconds);
        Ok(Finished { files, report })
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
pub struct Shown<'a> {
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
    shown: Shown,
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
