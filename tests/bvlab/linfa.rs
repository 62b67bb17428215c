//! Models of linfa behind the adapter.

use bvlab::data::Training;
use bvlab::engine::{self, RunError, Unwatched};
use bvlab::learner::{FromLinfa, Learner, Linear, LinearSetting};
use linfa_elasticnet::{ElasticNet, ElasticNetParams};

use crate::setup::{algorithm, changed, close, data, fit_predict, plan, points};

fn lasso(penalty: f64) -> ElasticNetParams<f64> {
    // linfa centres the labels for its intercept but not the inputs, so it is not least squares.
    ElasticNet::lasso()
        .penalty(penalty)
        .with_intercept(false)
        .tolerance(1e-14)
        .max_iterations(100_000)
}

#[test]
fn with_a_tiny_penalty_the_elastic_net_is_least_squares() {
    let data = data(3, 40, 4, None);
    let points = points(4, 25, 4, 1.0);
    let tiny = ElasticNetParams::l1_ratio(lasso(1e-12), 0.5);
    let theirs = fit_predict(&mut FromLinfa::new([tiny]), &data, &points);
    let setting = LinearSetting {
        features: 4,
        lambda: 0.0,
    };
    let ours = fit_predict(&mut Linear::new(vec![setting], false), &data, &points);
    for (theirs, ours) in theirs[0].iter().zip(&ours[0]) {
        assert!(close(*theirs, *ours, 1e-8), "{theirs} is not {ours}");
    }
}

const LASSO: &str = r#"
    [problem]
    truth  = "x1 - 0.5*x2"
    inputs = { normal = [0, 1], dimension = 10 }
    noise  = { normal = 1 }
    train  = 30
    [[learner]]
    name = "lasso"
    linear = {}
    sweep = { lambda = [0.001, 0.1, 0.3, 0.9] }
    [run]
    resamples = 200
    test = { draw = 200 }
"#;

#[test]
fn along_the_lasso_path_bias_rises_and_variance_falls() {
    let penalties = [0.001, 0.1, 0.3, 0.9];
    let plan = changed(&plan(LASSO), |parts| {
        parts.paths[0].stages[0].learner = Box::new(FromLinfa::new(penalties.map(lasso)));
    });
    let results = engine::run(&plan, 2, &Unwatched).unwrap();
    let parts = &results.learners[0].decomposition.parts;
    for pair in parts.windows(2) {
        let (less, more) = (&pair[0], &pair[1]);
        assert!(more.bias2.value > less.bias2.value + 3.0 * more.bias2.se);
        assert!(more.variance.value < less.variance.value - 3.0 * less.variance.se);
    }
    for parts in parts {
        assert!((parts.test.value - parts.risk.value).abs() < 5.0 * parts.gap.se);
    }
}

#[test]
fn a_fit_that_linfa_refuses_is_reported_and_can_be_asked_why() {
    let mut learner = FromLinfa::new([0.1, 0.2, -1.0, 0.3].map(lasso));
    let plan = changed(&plan(LASSO), |parts| {
        parts.paths[0].stages[0].learner = Box::new(learner.clone());
    });
    let error = engine::run(&plan, 2, &Unwatched).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`lasso` at lambda = 0.3: 200 of 200 predictions are not finite in resample 0 (in 1 of 4 settings): invalid penalty -1"
    );
    let RunError::Learner { resample, .. } = error else {
        panic!("{error} is not the learner's")
    };
    let mut data = Training::default();
    let seed = plan.run.seed;
    plan.problem().draw(seed, resample, &mut data).unwrap();
    learner.fit(&data, &algorithm(seed));
    assert_eq!(learner.refusal(1), None);
    let reason = learner.refusal(2).unwrap();
    assert!(reason.contains("penalty"), "{reason}");
}
