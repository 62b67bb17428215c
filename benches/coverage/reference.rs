//! True values.

use bvlab::engine::exact;
use bvlab::engine::{self, Unwatched};
use bvlab::plan::Plan;

use super::design::{Setup, TestPoints, TrueValues};

/// A seed that no run of the study has.
const SEED: u64 = 1_000_000_007;

/// How fine the grid is. On inputs that are fixed the parts jump from place to place and need a fine
/// one; averaged over fresh inputs they are smooth.
const FIXED_GRID: usize = 1001;
const FRESH_GRID: usize = 400;

/// How many resamples a long run has beside exact forms.
const BESIDE_EXACT: u64 = 300_000;

/// The true bias², variance and risk of a learner.
#[derive(Clone, Copy, Debug)]
pub struct True {
    pub values: [f64; 3],
    /// Their own standard errors: 0 for exact forms.
    pub errors: [f64; 3],
}

/// By learner; `None` where the true values are not known.
type ByLearner = Vec<Option<True>>;

/// The true values of one setup.
pub enum Reference {
    Once(ByLearner),
    BySeed,
}

impl Reference {
    pub fn new(setup: &Setup) -> Self {
        match setup.true_values {
            TrueValues::Unknown => Reference::Once(Vec::new()),
            TrueValues::ExactBySeed => Reference::BySeed,
            TrueValues::LongRun(resamples) => {
                Reference::Once(long_run(setup, resamples, FRESH_GRID))
            }
            TrueValues::ExactOnce => {
                let mut all = exact_forms(setup, SEED);
                let others = setup.with_learners(|learner| all[learner].is_none());
                let estimated = long_run(&others, BESIDE_EXACT, FIXED_GRID);
                let missing = all.iter_mut().filter(|known| known.is_none());
                missing.zip(estimated).for_each(|(gap, found)| *gap = found);
                Reference::Once(all)
            }
        }
    }

    /// The true values for the runs of one seed.
    pub fn of_seed(&self, setup: &Setup, seed: u64) -> ByLearner {
        match self {
            Reference::Once(values) => values.clone(),
            Reference::BySeed => exact_forms(setup, seed),
        }
    }
}

fn long_run(setup: &Setup, resamples: u64, grid: usize) -> ByLearner {
    let plan = setup.plan(TestPoints::Grid(grid), resamples, SEED);
    let results = match engine::run(&plan, 1, &Unwatched) {
        Ok(results) => results,
        Err(error) => panic!("{}: {error}", setup.name()),
    };
    let learners = results.learners.iter();
    learners
        .map(|learner| {
            let parts = &learner.decomposition.parts[0];
            let all = [parts.bias2, parts.variance, parts.risk];
            Some(True {
                values: all.map(|estimate| estimate.value),
                errors: all.map(|estimate| estimate.se),
            })
        })
        .collect()
}

/// Averages of the exact forms over a fine grid, for the inputs of one seed.
fn exact_forms(setup: &Setup, seed: u64) -> ByLearner {
    let plan = setup.plan(TestPoints::Grid(FIXED_GRID), 40, seed);
    let noise = mean_noise(&plan);
    let paths = plan.paths.iter();
    paths
        .map(|path| {
            let learner = &*path.stages[0].learner;
            let points = &plan.test.points;
            let found = exact(learner, plan.problem(), seed, points, &|| false);
            let found = found.expect("truth and noise are finite")?;
            let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
            let [bias2, variance] = [mean(&found.bias2), mean(&found.variance)];
            Some(True {
                values: [bias2, variance, noise + bias2 + variance],
                errors: [0.0; 3],
            })
        })
        .collect()
}

/// The noise's variance, averaged over the test points.
fn mean_noise(plan: &Plan) -> f64 {
    let points = &plan.test.points;
    let variances = points.rows().map(|x| {
        let sd = plan.problem().sd_at(x);
        bvlab::maths::square(sd.expect("the noise is finite"))
    });
    variances.sum::<f64>() / points.len() as f64
}
