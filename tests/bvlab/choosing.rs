//! Tables of selection, recomputed from single training sets.

use bvlab::outcome::Tables;

use crate::setup::{close, run};

/// Least squares whose model is right, with all training sets kept.
const LEAST_SQUARES: &str = r#"
    problem = { truth = { linear = 1.0 }, inputs = { normal = [0, 1], dimension = 10 }, noise = { normal = 1 }, train = 24 }
    sweep   = { features = [5, 10] }
    learner = [{ linear = { intercept = false } }]
    run     = { resamples = 400, keep = 400, test = { draw = 200 }, select = ["5-fold", "loo", "nested-5-fold"] }
"#;

/// The estimates of a method and the true risks of the fits, by training set.
fn pairs(tables: &Tables, method: &str, value: f64) -> Vec<[f64; 2]> {
    let (estimates, runs) = (&tables.estimates, &tables.runs);
    let own = (0..estimates.rows()).filter(|i| {
        *estimates.texts("method")[*i] == *method && estimates.numbers("value")[*i] == value
    });
    let risk = |resample: u64| {
        let same = |j: &usize| {
            runs.wholes("resample")[*j] == resample && runs.numbers("value")[*j] == value
        };
        let row = (0..runs.rows()).find(same).expect("every fit has a risk");
        runs.numbers("risk")[row]
    };
    own.map(|i| {
        let resample = estimates.wholes("resample")[i];
        [estimates.numbers("estimate")[i], risk(resample)]
    })
    .collect()
}

/// The columns of Bates, Hastie and Tibshirani, recomputed from single training sets. Where the model is
/// right, the residuals of least squares are independent of its weights given the inputs, so that
/// cross-validation says nothing about the risk of this very fit (their theorem 1): the correlation is
/// next to none, and the estimate is nearer to the expected risk than to that of the fit.
#[test]
fn cross_validation_is_nearer_to_the_expected_risk_than_to_that_of_the_fit() {
    let (plan, results) = run(LEAST_SQUARES);
    let tables = Tables::new(&plan, &results);
    let selection = &tables.selection;
    for i in 0..selection.rows() {
        let (method, value) = (
            selection.texts("method")[i].to_string(),
            selection.numbers("value")[i],
        );
        let pairs = pairs(&tables, &method, value);
        assert_eq!(pairs.len(), 400);
        let mean = |of: &dyn Fn(&[f64; 2]) -> f64| pairs.iter().map(of).sum::<f64>() / 400.0;
        let [e, r] = [0, 1].map(|k: usize| mean(&|pair| pair[k]));
        let spread = |k: usize, m: f64| mean(&|pair| (pair[k] - m).powi(2));
        let along = mean(&|pair| (pair[0] - e) * (pair[1] - r));
        let recomputed = [
            (
                "correlation_fit",
                along / (spread(0, e) * spread(1, r)).sqrt(),
            ),
            ("distance_fit", mean(&|pair| (pair[0] - pair[1]).powi(2))),
            ("distance_expected", mean(&|pair| (pair[0] - r).powi(2))),
            ("spread", (spread(0, e) * 400.0 / 399.0).sqrt()),
        ];
        for (name, wanted) in recomputed {
            let found = selection.numbers(name)[i];
            assert!(close(found, wanted, 1e-9), "{name}: {found} {wanted}");
        }
        let at = |name: &str| selection.numbers(name)[i];
        assert!(at("correlation_fit").abs() < 4.0 * at("correlation_fit_se"));
        let apart = at("distance_fit") - at("distance_expected");
        assert!(apart > 0.0 && close(apart, spread(1, r) - 2.0 * along, 1e-9));
        // The naive interval takes the losses of all points for independent.
        assert!(at("coverage") + 3.0 * at("coverage_se") < 0.95);
    }
}

/// Without noise a fit to other labels at the same inputs is the same fit.
#[test]
fn averaging_over_labels_changes_nothing_where_there_is_no_noise() {
    let (plan, results) = run(r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 1e-7 }, train = 40 }
        sweep   = { k = [1, 4] }
        learner = [{ knn = {} }]
        run     = { resamples = 200, test = { grid = 100 }, select = ["loo"] }
    "#);
    let tables = Tables::new(&plan, &results);
    for name in ["correlation_fit", "correlation_inputs"] {
        assert!(tables.selection.numbers(name)[1] > 0.3, "{name}");
    }
    for i in 0..2 {
        let at = |name: &str| tables.selection.numbers(name)[i];
        let apart = (at("correlation_fit") - at("correlation_inputs")).abs();
        assert!(apart < 1e-4, "{apart}");
    }
}

/// The lowest of several estimates is too low for the setting that it belongs to; an outer
/// cross-validation of the whole choice is not.
#[test]
fn nested_cross_validation_is_not_optimistic_about_its_choice() {
    let (plan, results) = run(LEAST_SQUARES);
    let choices = Tables::new(&plan, &results).choices;
    let at = |name: &str, i: usize| choices.numbers(name)[i];
    assert_eq!(choices.texts("method").len(), 3);
    // 5-fold, leave-one-out, nested.
    for i in [0, 1] {
        assert!(at("claimed_bias", i) + 2.0 * at("claimed_bias_se", i) < 0.0);
    }
    assert!(at("claimed_bias", 2) > -2.0 * at("claimed_bias_se", 2));
    // It chooses as 5-fold does. Both regrets are measured from the best fixed setting.
    assert_eq!(at("risk", 0), at("risk", 2));
    for i in 0..3 {
        let gap = at("one_se_risk", i) - at("one_se_regret", i);
        assert!(close(gap, at("risk", i) - at("regret", i), 1e-12));
        assert!(at("regret_own", i) >= at("regret", i));
    }
}
