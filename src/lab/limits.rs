//! How much a client of the lab may ask for.
//!
//! The lecturer, who sits at the machine itself, may ask for much; a student for what two hundred of
//! them can have at once.

use std::time::Duration;

use super::messages::cells;
use crate::engine::{Replay, most_resamples};
use crate::experiment::{Bounds, Experiment};
use crate::learner::Size;
use crate::words::thousands;

/// The limits of a client.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// How large an experiment may be.
    pub bounds: Bounds,
    /// The most numbers of one resample's fits: settings of all learners × test points.
    pub cells: usize,
    /// The most operations that one training set may take, by a rough count.
    pub work: f64,
    /// How long a run may compute.
    pub time: Duration,
    /// How many runs the client may have at once.
    pub runs: usize,
}

impl Limits {
    /// For the lecturer.
    pub const LECTURER: Limits = Limits {
        bounds: Bounds {
            train: 100_000,
            test: 100_000,
            dimension: 1_000,
            settings: 20_000,
            learners: 12,
            resamples: 10_000_000,
            keep: 1_000,
        },
        cells: 1_000_000,
        work: 1e11,
        time: Duration::from_secs(600),
        runs: 16,
    };

    /// For a student.
    pub const STUDENT: Limits = Limits {
        bounds: Bounds {
            train: 2_000,
            test: 2_000,
            dimension: 100,
            settings: 2_000,
            learners: 6,
            resamples: 20_000,
            keep: 200,
        },
        cells: 200_000,
        work: 3e9,
        time: Duration::from_secs(20),
        runs: 4,
    };

    /// Whether a checked experiment is within them; a sentence that names the limit where not.
    pub fn allow(&self, experiment: &Experiment) -> Result<(), String> {
        let cells = cells(experiment);
        if cells > self.cells {
            return Err(format!(
                "settings × test points are {} here, and this page takes at most {}: sweep fewer values, or test at fewer points",
                thousands(cells as u64),
                thousands(self.cells as u64)
            ));
        }
        let work = work(experiment);
        if work > self.work {
            return Err(format!(
                "one training set would take about {work:.0e} operations, and this page takes at most {:.0e}: take smaller learners, fewer values or fewer points",
                self.work
            ));
        }
        Ok(())
    }

    /// The limits in words.
    pub fn words(&self) -> Vec<String> {
        let Bounds {
            train,
            test,
            dimension,
            settings,
            learners,
            resamples,
            ..
        } = self.bounds;
        let counts = [
            (resamples, "training sets"),
            (train, "training points"),
            (test, "test points"),
            (dimension, "dimensions"),
            (settings, "settings of a learner"),
            (learners as u64, "learners"),
            (self.time.as_secs(), "seconds of computing"),
        ];
        let words = counts.map(|(most, what)| format!("at most {} {what}", thousands(most)));
        words.to_vec()
    }
}

/// About how many operations one training set takes.
fn work(experiment: &Experiment) -> f64 {
    let points = experiment.test.points.len() as f64;
    let fits = if experiment.run.sources { 8.0 } else { 1.0 };
    let stages = experiment.curves.iter().flat_map(|curve| &curve.stages);
    let each = stages.map(|stage| {
        let problem = &experiment.problems[stage.problem];
        stage.learner.work(Size {
            train: problem.train as f64,
            dimension: problem.dimension as f64,
            points,
        })
    });
    fits * each.sum::<f64>()
}

/// About how many bytes a run holds while it goes: sums for every group and worker, what is kept of
/// the first resamples, and their copy for the frames of few.
pub fn memory(experiment: &Experiment, threads: usize) -> usize {
    let sums = if experiment.run.sources { 9 } else { 2 };
    let groups = 24 + 2 * threads + Replay::MOST;
    let kept = experiment.run.keep_fits.min(most_resamples(experiment)) as usize;
    let data: usize = experiment
        .problems
        .iter()
        .map(|p| p.train * p.dimension)
        .sum();
    8 * cells(experiment) * (sums * groups + 2 * kept) + 8 * data * (2 * kept + threads) + (1 << 20)
}
