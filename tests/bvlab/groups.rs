//! EM and k-means against scikit-learn, and the simulations of groups.

use bvlab::data::Points;
use bvlab::engine::Unwatched;
use bvlab::interrupt::Interrupt;
use bvlab::mixture_model::{
    Em, EmSettings, GaussianMixture, KMeans, MixtureComponent, MixtureCovariance, aic, bic,
    hard_labels, silhouette,
};
use bvlab::simulation::{self, Row, Setup};
use serde::Deserialize;

#[derive(Deserialize)]
struct GroupReference {
    dimension: usize,
    points: Vec<f64>,
    means: Vec<f64>,
    covariance: Vec<f64>,
    kind: String,
    steps: usize,
    log_likelihood: f64,
    shares: Vec<f64>,
    aic: f64,
    bic: f64,
    silhouette: f64,
    inertia: f64,
    labels: Vec<usize>,
    groups_silhouette: f64,
}

/// scikit-learn from the same start, after as many steps: `tests/references/groups.py`.
#[test]
fn scikit_learn_finds_the_same() {
    let text = include_str!("../references/groups.json");
    let all: Vec<GroupReference> = serde_json::from_str(text).unwrap();
    assert_eq!(all.len(), 8);
    for case in all {
        let size = case.dimension;
        let points = Points::new(size, case.points);
        let place = MixtureCovariance::WORDS
            .iter()
            .position(|word| *word == case.kind);
        let settings = EmSettings {
            covariance: MixtureCovariance::ALL[place.unwrap()],
            floor: 0.0,
            ..EmSettings::default()
        };
        let groups = case.means.len() / size;
        let part = |mean: &[f64]| {
            MixtureComponent::new(1.0 / groups as f64, mean.to_vec(), &case.covariance, 0.0)
        };
        let start = GaussianMixture {
            components: case.means.chunks_exact(size).map(part).collect(),
        };
        let mut em = Em::new(&points, start, &settings, &Interrupt::never()).unwrap();
        for _ in 0..case.steps {
            em.step(&Interrupt::never()).unwrap();
        }
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-8, "{}: {a} {b}", case.kind);
        close(em.log_likelihood(), case.log_likelihood);
        em.shares()
            .iter()
            .zip(&case.shares)
            .for_each(|(a, b)| close(*a, *b));
        let parameters = settings.covariance.parameters(groups, size);
        close(aic(em.log_likelihood(), parameters), case.aic);
        close(bic(em.log_likelihood(), parameters, points.len()), case.bic);
        let labels = hard_labels(em.shares(), groups);
        close(
            silhouette(&points, &labels, &Interrupt::never()).unwrap(),
            case.silhouette,
        );
        let mut means = KMeans::new(&points, case.means, &Interrupt::never()).unwrap();
        means.run(300, &Interrupt::never()).unwrap();
        assert_eq!(means.labels(), case.labels);
        close(means.objective(), case.inertia);
        let own = silhouette(&points, means.labels(), &Interrupt::never()).unwrap();
        close(own, case.groups_silhouette);
    }
}

/// Runs a simulation with some of its parameters set.
fn simulate(name: &str, with: &[(&str, &[f64])], resamples: u64, seed: u64) -> Vec<Row> {
    let setup = Setup {
        resamples,
        seed,
        ..Setup::new(simulation::find(name).unwrap())
    };
    let setup = with.iter().fold(setup, |setup, (name, values)| {
        setup.with(name, values).unwrap()
    });
    simulation::run(&setup, &Unwatched).unwrap()
}

fn find<'a>(rows: &'a [Row], panel: &str, series: &str, x: f64) -> &'a Row {
    let mut rows = rows.iter();
    rows.find(|row| row.panel == panel && row.series == series && row.x == x)
        .unwrap_or_else(|| panic!("no {series} at {x} in {panel}"))
}

#[test]
fn no_step_of_em_or_k_means_goes_the_wrong_way() {
    for covariance in [1.0, 2.0, 3.0, 4.0] {
        let with: [(&str, &[f64]); 2] = [("covariance", &[covariance]), ("points", &[50.0])];
        let rows = simulate("em-steps", &with, 20, 5);
        for series in ["EM", "k-means"] {
            assert_eq!(find(&rows, "wrong way", series, 20.0).value, 0.0);
        }
    }
}

#[test]
fn em_converges_at_the_rate_of_missing_information() {
    for seed in [3, 4] {
        let rows = simulate("em-rate", &[("separations", &[3.0, 4.0, 6.0])], 5, seed);
        let own: Vec<&Row> = rows.iter().filter(|row| row.panel == "rate").collect();
        assert_eq!(own.len(), 3);
        for row in own {
            assert!((row.value - row.theory).abs() < 1e-3, "{row:?}");
        }
    }
}

/// Components far apart are two samples: the bounds are π(1 − π)/n, 1/(πn) and 1/(2πn).
#[test]
fn the_bound_of_estimates_is_that_of_two_samples_far_apart() {
    let with: [(&str, &[f64]); 3] = [
        ("separation", &[16.0]),
        ("weight", &[0.3]),
        ("sizes", &[200.0]),
    ];
    let rows = simulate("mixture-estimates", &with, 400, 2);
    let names = ["weight", "mean", "standard deviation"];
    for (name, exact) in names.iter().zip([0.21, 1.0 / 0.3, 0.5 / 0.3]) {
        let bound = find(&rows, "variance", &format!("{name}: bound"), 200.0).value;
        assert!((bound * 200.0 - exact).abs() < 1e-6, "{name}: {bound}");
        // A tenth for the groups that differ in size.
        let seen = find(&rows, "variance", name, 200.0);
        assert!(
            (seen.value - bound).abs() < 4.0 * seen.se + 0.1 * bound,
            "{seen:?}"
        );
    }
}

#[test]
fn more_components_fit_better_and_every_criterion_chooses_one_of_them() {
    let with: [(&str, &[f64]); 1] = [("components", &[1.0, 2.0, 3.0, 5.0])];
    let rows = simulate("how-many-groups", &with, 10, 6);
    let fit = |k: f64| find(&rows, "criteria", "log-likelihood", k).value;
    assert!(fit(1.0) > fit(2.0) && fit(2.0) > fit(3.0) && fit(3.0) > fit(5.0));
    for criterion in ["log-likelihood", "AIC", "BIC", "held out", "silhouette"] {
        let shares = [1.0, 2.0, 3.0, 5.0].map(|k| find(&rows, "chosen", criterion, k).value);
        assert!(
            (shares.iter().sum::<f64>() - 1.0).abs() < 1e-12,
            "{criterion}"
        );
    }
    // p ln n − 2p = p (ln 200 − 2), of 17 parameters.
    let gap = find(&rows, "criteria", "BIC", 3.0).value - find(&rows, "criteria", "AIC", 3.0).value;
    assert!((gap - 17.0 * (200.0_f64.ln() - 2.0) / 200.0).abs() < 1e-9);
}

#[test]
fn cross_entropy_is_bias_and_variance_around_the_geometric_mean() {
    let rows = simulate("simplex", &[("sizes", &[15.0, 100.0])], 50, 7);
    for n in [15.0, 100.0] {
        let [risk, bias, variance] =
            ["risk", "bias", "variance"].map(|series| find(&rows, "parts", series, n).value);
        assert!(
            (risk - bias - variance).abs() < 1e-10,
            "{risk} {bias} {variance}"
        );
        assert!(bias > 0.0 && variance > 0.0);
    }
}

/// Nobody beats the rule that knows the groups, chance aside.
#[test]
fn groups_that_are_found_err_at_least_as_often_as_bayes() {
    let rows = simulate("kmeans-or-mixture", &[("sizes", &[0.3, 1.0])], 20, 8);
    for size in [0.3, 1.0] {
        let [means, mixture, bayes] =
            ["k-means", "mixture", "Bayes’ rule"].map(|series| find(&rows, "errors", series, size));
        assert!(bayes.value < means.value && bayes.value < mixture.value + 2.0 * mixture.se);
    }
}
