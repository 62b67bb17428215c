//! Runs a plan: resamples × threads.
//!
//! Resample r belongs to group r mod G. A group adds its resamples in order, in blocks whose ends
//! are fixed once and for all; blocks are joined in order, and groups are joined in order. Threads
//! only decide who computes which block, so tables are the same to the last bit on any number of
//! them.

mod blocks;
mod exact;
mod executor;
mod observer;
mod pass;
mod pool;
mod probe;
mod refit;
mod replay;
mod results;
mod share;
mod slabs;
mod state;
mod summary;
mod worker;

pub use exact::{Exact, exact};
pub use observer::{Observer, Unwatched};
pub use refit::refit;
pub use replay::Replay;
pub use results::{
    KeptFit, KeptResample, LearnerResults, NotNumbers, RemarkCount, Results, RunError,
};
pub use share::{JoinedShares, RoundEstimates, Share, ShareStep};
pub use slabs::{run_shard, run_with};
pub use state::{EarlierGroups, GroupState, Shard};

use crate::data::Points;
use crate::maths::square;
use crate::plan::Plan;
use crate::problem::Labels;

/// How a run is carried out. None of it changes the results in any bit.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The number of threads.
    pub threads: usize,
    /// What watches the run.
    pub observer: &'a dyn Observer,
    /// The saved groups of an earlier run, by slab.
    pub begun: Option<&'a EarlierGroups<'a>>,
}

impl<'a> Options<'a> {
    /// For a run from the beginning.
    pub fn new(threads: usize, observer: &'a dyn Observer) -> Self {
        Options {
            threads,
            observer,
            begun: None,
        }
    }
}

/// Runs a plan on this many threads.
///
/// # Errors
///
/// If it is stopped, or if the problem or a learner returns a value that is not finite.
pub fn run(plan: &Plan, threads: usize, observer: &dyn Observer) -> Result<Results, RunError> {
    run_with(plan, Options::new(threads, observer))
}

/// The best possible prediction at the test points, by point and output, and by problem the noise
/// there: the least risk.
type BestPredictions = (Vec<f64>, Vec<Vec<f64>>);

fn at_test_points(plan: &Plan) -> Result<BestPredictions, RunError> {
    at_points(plan, &plan.test.points)
}

/// The same at other points.
fn at_points(plan: &Plan, points: &Points) -> Result<BestPredictions, RunError> {
    let problem_error = |error| RunError::Problem(error, 0);
    let outputs = plan.problem().outputs();
    let truth = plan.problem().truth_of(points);
    let truth = truth.map_err(problem_error)?;
    let loss = plan.run.loss;
    let mut noise: Vec<Vec<f64>> = Vec::new();
    for problem in &plan.problems {
        noise.push(match problem.labels {
            Labels::Numbers { .. } => {
                let variances = points.rows().map(|x| Ok(square(problem.sd_at(x)?)));
                variances.collect::<Result<_, _>>().map_err(problem_error)?
            }
            Labels::Classes(_) => truth.chunks_exact(outputs).map(|p| loss.least(p)).collect(),
            Labels::Rows(_) | Labels::Density(_) => vec![0.0; points.len()],
        });
    }
    Ok((truth, noise))
}
