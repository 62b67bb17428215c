//! From a checked experiment to its folder of results: what `run` and `figures` share.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use super::progress::{interrupted, uninterrupted};
use super::report::{self, Report};
use super::run::draw_all;
use super::{Failure, Format};
use crate::decompose::{groups_for, interval_factor};
use crate::engine::{self, Observer, Results, RunError};
use crate::experiment::{Experiment, Length};
use crate::outcome::{Manifest, Staging, Tables};

/// The version that results are made by.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The most resamples that a run can take.
pub fn most_resamples(experiment: &Experiment) -> u64 {
    match experiment.run.length {
        Length::Resamples(count) => count,
        Length::Precision { most, .. } => most,
    }
}

/// An experiment that was computed; its tables and figures are yet to be written.
pub struct Computed<'a> {
    experiment: &'a Experiment,
    home: PathBuf,
    staging: Staging,
    results: Results,
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

/// Runs an experiment whose results are to go to the folder `home`.
pub fn compute<'a>(
    experiment: &'a Experiment,
    home: &Path,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Computed<'a>, Failure> {
    let staging = Staging::open(home).map_err(Failure::failed)?;
    let started = chrono::DateTime::<chrono::Utc>::from(SystemTime::now());
    let clock = Instant::now();
    let results = engine::run(experiment, threads, observer);
    Ok(Computed {
        experiment,
        home: home.to_owned(),
        staging,
        results: results.map_err(|error| explain(&error, home))?,
        started: started.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        seconds: clock.elapsed().as_secs_f64(),
        threads,
    })
}

impl Computed<'_> {
    /// Writes tables and figures, and puts them in their place.
    pub fn write(self, formats: &[Format]) -> Result<Finished, Failure> {
        let Computed {
            experiment,
            home,
            mut staging,
            results,
            started,
            seconds,
            threads,
        } = self;
        let tables = Tables::new(experiment, &results);
        staging.write_tables(&tables).map_err(Failure::failed)?;
        let figures = &experiment.figures;
        draw_all(experiment, figures, &tables, formats, &mut staging)?;
        if interrupted() {
            let (done, total) = (results.resamples, most_resamples(experiment));
            return Err(explain(&RunError::Stopped { done, total }, &home));
        }
        let groups = groups_for(results.resamples);
        let manifest = Manifest {
            bvlab: VERSION.to_owned(),
            name: experiment.name.clone(),
            experiment: experiment.source.file_text().to_owned(),
            set: experiment.source.sets(),
            seed: experiment.run.seed,
            resamples: results.resamples,
            groups,
            t95: interval_factor(0.95, groups),
            precision: results.reached,
            started,
            seconds,
            threads,
            files: Vec::new(),
            run_hash: experiment.source.run_hash(),
            figure_hash: experiment.source.figure_hash(),
        };
        let files = uninterrupted(|| staging.finish(manifest)).map_err(Failure::failed)?;
        let report = report::report(experiment, &results, seconds);
        Ok(Finished { files, report })
    }
}

fn explain(error: &RunError, home: &Path) -> Failure {
    let kept = match home.join("manifest.json").exists() {
        true => format!(
            "nothing was written; {} still holds the result of an earlier run",
            home.display()
        ),
        false => "nothing was written".to_owned(),
    };
    let help = match error {
        RunError::Stopped { .. } => kept,
        RunError::Problem(..) => {
            format!("make truth and noise finite wherever an input can fall; {kept}")
        }
        RunError::Learner { .. } => {
            format!("try a less extreme setting, or another scale of the data; {kept}")
        }
        RunError::Threads(_) => format!("ask for fewer with --threads; {kept}"),
    };
    Failure::failed(miette::miette!(help = help, "{error}"))
}
