//! From a checked experiment to its folder of results: what `run` and `figures` share.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use super::progress::{Progress, interrupted, uninterrupted};
use super::run::draw_all;
use super::{Failure, Format};
use crate::decompose::{Tally, interval_factor};
use crate::engine::{GroupState, Observer, Options, RunError, Save, most_resamples};
use crate::experiment::Experiment;
use crate::figure;
use crate::lab::Recorder;
use crate::outcome::report::{self, Report};
use crate::outcome::{Done, Manifest, OutcomeError, Parts, Staging, TableNote, Tables};
use crate::words::thousands;

/// The version that results are made by.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How often what is done is saved: every two seconds, or as the environment says.
pub fn save_every() -> Duration {
    let seconds = std::env::var("BVLAB_SAVE_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse::<f64>().ok());
    let seconds = seconds.filter(|seconds| (0.0..=86_400.0).contains(seconds));
    Duration::from_secs_f64(seconds.unwrap_or(2.0))
}

/// An experiment that was computed; its tables and figures are yet to be written.
pub struct Computed<'a> {
    experiment: &'a Experiment,
    home: PathBuf,
    staging: Staging,
    done: Done,
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

impl Finished {
    /// Prints what the run has to say of an experiment, and where the files are.
    pub fn tell(&self, name: &str, home: &Path, quiet: bool) -> Result<(), Failure> {
        if !quiet {
            io::stdout().write_all(self.report.text.as_bytes())?;
            io::stdout().write_all(report::files(home, &self.files).as_bytes())?;
        }
        for warning in &self.report.warnings {
            writeln!(io::stderr(), "warning: {name}: {warning}")?;
        }
        Ok(())
    }
}

/// Which files a result is to have.
#[derive(Clone, Copy)]
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
pub fn compute<'a>(
    experiment: &'a Experiment,
    home: &Path,
    threads: usize,
    wanted: Wanted,
    progress: &Progress,
    observer: &dyn Observer,
) -> Result<Computed<'a>, Failure> {
    let parts = Parts::going_on(home, experiment, VERSION);
    if let Some(parts) = &parts {
        parts.refuse_link().map_err(Failure::failed)?;
    }
    let begun = |slab: usize| {
        let parts = parts.as_ref().map(|parts| parts.of_slab(slab));
        parts.map_or(Vec::new(), |parts| {
            go_on(experiment, &parts, slab, progress)
        })
    };
    let begun = Begun {
        states: &begun,
        parts: parts.as_ref(),
    };
    compute_from(experiment, home, threads, wanted, begun, progress, observer)
}

/// What an earlier run of the same experiment had done of a slab; says so.
pub fn go_on(
    experiment: &Experiment,
    parts: &Parts,
    slab: usize,
    progress: &Progress,
) -> Vec<GroupState> {
    let name = &experiment.name;
    let found = parts.find();
    if !found.damaged.is_empty() {
        let damaged = found.damaged.len();
        progress.say(&format!(
            "{name}: {damaged} saved groups are damaged and computed anew"
        ));
    }
    // The first slab shows what the others are of, too.
    if found.foreign > 0 && slab == 0 {
        progress.say(&format!(
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
    let total = most_resamples(experiment);
    if slab > 0 && done > 0 && done < total {
        progress.say(&format!(
            "{name}: going on after {slab} slabs and {} of {} resamples",
            thousands(done),
            thousands(total)
        ));
    } else if slab == 0 && done > 0 {
        progress.say(&format!(
            "{name}: going on after {} of {} resamples",
            thousands(done),
            thousands(total)
        ));
    }
    found.states
}

/// What is done already of a run, and where more is saved.
#[derive(Clone, Copy)]
pub struct Begun<'a> {
    /// The groups of a slab.
    pub states: &'a dyn Fn(usize) -> Vec<GroupState>,
    /// Where they are saved as they grow, if anywhere.
    pub parts: Option<&'a Parts>,
}

/// The same, beginning with groups that are done already.
pub fn compute_from<'a>(
    experiment: &'a Experiment,
    home: &Path,
    threads: usize,
    wanted: Wanted,
    begun: Begun,
    progress: &Progress,
    observer: &dyn Observer,
) -> Result<Computed<'a>, Failure> {
    let Begun { states, parts } = begun;
    let files = wanted.files(experiment);
    let staging = Staging::open(home, &files, wanted.overwrite).map_err(Failure::failed)?;
    let started = chrono::DateTime::<chrono::Utc>::from(SystemTime::now());
    let clock = Instant::now();
    // A simulation runs on one thread.
    let threads = match experiment.simulation {
        Some(_) => 1,
        None => threads,
    };
    // A full disk must not end a run that may still finish.
    let failed = AtomicBool::new(false);
    let save = |slab: usize, state: &GroupState| {
        let parts = parts.map(|parts| parts.of_slab(slab));
        let saved = parts.map_or(Ok(()), |parts| parts.save(state));
        if let Err(error) = saved
            && !failed.swap(true, Ordering::Relaxed)
        {
            progress.say(&format!("warning: {}: {error}", experiment.name));
        }
    };
    let saves = saves(experiment, &save);
    let done = Done::make(experiment, observer, &|slab| Options {
        threads,
        observer,
        begun: states(slab),
        save: parts.map(|_| (&*saves[slab], save_every())),
    });
    Ok(Computed {
        experiment,
        home: home.to_owned(),
        staging,
        done: done.map_err(|error| explain(&error, home))?,
        started: started.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        seconds: clock.elapsed().as_secs_f64(),
        threads,
    })
}

impl Computed<'_> {
    /// Writes tables and figures, and the page if one was recorded, and puts them in their place.
    pub fn write(
        self,
        formats: &[Format],
        recorder: Option<&Recorder>,
    ) -> Result<Finished, Failure> {
        let Computed {
            experiment,
            home,
            mut staging,
            done,
            started,
            seconds,
            threads,
        } = self;
        let figures = &experiment.figures;
        let tables = write_tables(experiment, &done, &mut staging);
        let tables = tables.map_err(Failure::failed)?;
        // A figure that cannot be drawn does not cost the run.
        let drawn = draw_all(experiment, figures, &tables, formats, &mut staging);
        if let Some(recorder) = recorder {
            let page = recorder.page(experiment, &done, &tables, seconds);
            let written = staging.write("page.html", page.as_bytes());
            written.map_err(Failure::failed)?;
        }
        let (resamples, groups) = done.counts();
        if interrupted() {
            let (done, total) = (resamples, most_resamples(experiment));
            return Err(explain(&RunError::Stopped { done, total }, &home));
        }
        let manifest = Manifest {
            bvlab: VERSION.to_owned(),
            name: experiment.name.clone(),
            experiment: experiment.source.file_text().to_owned(),
            set: experiment.source.sets(),
            seed: experiment.run.seed,
            resamples,
            groups,
            t95: interval_factor(0.95, groups),
            precision: done.reached(),
            started,
            seconds,
            threads,
            files: Vec::new(),
            sha256: BTreeMap::new(),
            undrawn: Vec::new(),
            table: TableNote::of(experiment),
            run_hash: experiment.source.run_hash(),
            figure_hash: experiment.source.figure_hash(),
        };
        let files = uninterrupted(|| staging.finish(manifest)).map_err(Failure::failed)?;
        if let Some(parts) = Parts::going_on(&home, experiment, VERSION) {
            parts.remove();
        }
        drawn?;
        let report = done.report(experiment, seconds);
        Ok(Finished { files, report })
    }
}

/// For every slab, what saves its groups.
pub fn saves<'a>(
    experiment: &Experiment,
    save: &'a (dyn Fn(usize, &GroupState) + Sync),
) -> Vec<Box<Save<'a>>> {
    let of = |slab: usize| -> Box<Save<'a>> { Box::new(move |state| save(slab, state)) };
    (0..experiment.slabs().len()).map(of).collect()
}

/// Writes all tables; returns what the figures look at.
fn write_tables(
    experiment: &Experiment,
    done: &Done,
    staging: &mut Staging,
) -> Result<Tables, OutcomeError> {
    if let Some(table) = experiment.source.table() {
        staging.write(&table.copy_name(), &table.bytes)?;
    }
    match done {
        Done::Results(results) => {
            let tables = staging.write_results(experiment, results)?;
            let places = figure::looked_at(experiment, &experiment.figures, &tables);
            Ok(tables.with_places(experiment, results, &places))
        }
        Done::Simulated { rows, .. } => {
            let tables = Tables::of_simulation(rows);
            staging.write_simulation(&tables)?;
            Ok(tables)
        }
    }
}

pub fn explain(error: &RunError, home: &Path) -> Failure {
    let kept = match home.join("manifest.json").exists() {
        true => format!(
            "nothing was written; {} still holds the result of an earlier run",
            home.display()
        ),
        false => "nothing was written".to_owned(),
    };
    let help = match error {
        RunError::Stopped { .. } => format!("the same command goes on from what is done; {kept}"),
        RunError::Problem(..) => {
            format!("make truth and noise finite wherever an input can fall; {kept}")
        }
        RunError::Learner { .. } => {
            format!("try a less extreme setting, or another scale of the data; {kept}")
        }
        RunError::Threads(_) => format!("ask for fewer with --threads; {kept}"),
    };
    let report = miette::miette!(help = help, "{error}");
    match error {
        RunError::Stopped { .. } => Failure::Stopped(report),
        _ => Failure::Failed(report),
    }
}
