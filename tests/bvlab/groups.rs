//! EM and k-means against scikit-learn, and the simulations of groups.

use bvlab::data::Points;
use bvlab::interrupt::Interrupt;
use bvlab::mixture_model::{
    Em, EmSettings, GaussianMixture, KMeans, MixtureComponent, MixtureCovariance, aic, bic,
    hard_labels, silhouette,
};
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
