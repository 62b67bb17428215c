//! A path allocates nothing once it has seen a training set of that size: what it needs is kept.

use allocation_counter::measure;
use bvlab::data::{Points, Training};
use bvlab::learner::{
    Bagging, BaggingSample, BaggingSetting, Basis, Boosting, BoostingSetting, Combine, Components,
    CountLaw, Criterion, Fourier, FourierSetting, Gaussians, GaussiansSetting, InputScale, Kernel,
    KernelShape, Knn, Lasso, Learner, Linear, LinearSetting, Local, NaiveBayes, Polynomial,
    PolynomialSetting, Search, Spline, SplineSetting, Subset, Tree, TreeSetting, forest,
    forest_classifier,
};

use crate::setup::{algorithm, data, points};

/// How often fits and predictions of new training sets allocate, after some to warm up with. A
/// prediction is so many numbers.
fn allocations(
    learner: &mut dyn Learner,
    sets: &[Training],
    points: &Points,
    outputs: usize,
) -> u64 {
    let mut at_points = vec![0.0; learner.capacities() * points.len() * outputs];
    let mut at_inputs = vec![0.0; learner.capacities() * sets[0].len() * outputs];
    let mut work = |sets: &[Training], seed: u64| {
        for (data, seed) in sets.iter().zip(seed..) {
            learner.fit(data, &algorithm(seed));
            learner.predict(points, &mut at_points);
            learner.predict_training(data, &mut at_inputs);
        }
    };
    let (warm_up, measured) = sets.split_at(sets.len() / 2);
    work(warm_up, 0);
    measure(|| work(measured, 100)).count_total
}

fn trees(dimension: usize) -> Vec<TreeSetting> {
    let depths = (1..8).map(|depth| TreeSetting {
        depth,
        ..Default::default()
    });
    let leaves = (1..20).map(|leaves| TreeSetting {
        leaves,
        tries: dimension,
        ..Default::default()
    });
    let pruned = (1..5).map(|pruned_leaves| TreeSetting {
        pruned_leaves,
        alpha: 0.01,
        ..Default::default()
    });
    depths.chain(leaves).chain(pruned).collect()
}

fn fourier(features: &[usize], lambda: f64, epochs: f64) -> Fourier {
    let setting = |&features: &usize| FourierSetting {
        features,
        scale: 60.0,
        lambda,
        epochs,
        rate: 0.5,
    };
    Fourier::new(features.iter().map(setting).collect())
}

#[test]
fn no_path_allocates_after_a_warm_up() {
    let range = (0.0, 1.0);
    let polynomial = |lambda: f64, basis: Basis| {
        let settings = (0..10).map(|degree| PolynomialSetting { degree, lambda });
        Box::new(Polynomial::new(settings.collect(), basis, range))
    };
    let gaussians = [0.0, 1e-3, 1.0].map(|lambda| GaussiansSetting {
        count: 12,
        width: 0.1,
        lambda,
    });
    let linear =
        [(1, 0.0), (1, 0.1), (3, 0.0)].map(|(features, lambda)| LinearSetting { features, lambda });
    let splines = [(0.0, f64::INFINITY), (0.1, f64::INFINITY), (0.0, 5.0)];
    let splines = splines.map(|(lambda, df)| SplineSetting { lambda, df });
    let boosting = [10, 30].map(|rounds| BoostingSetting {
        rounds,
        rate: 0.1,
        depth: 2,
    });
    let bags = [3, 10].map(|members| BaggingSetting { members, base: 0 });
    let full = || Tree::new(vec![TreeSetting::default()]);
    let shallow = TreeSetting {
        tries: 1,
        ..Default::default()
    };
    let on_a_line: Vec<(&str, Box<dyn Learner>)> = vec![
        ("knn", Box::new(Knn::new((1..20).collect()))),
        ("tree", Box::new(Tree::new(trees(1)))),
        ("full tree", Box::new(full())),
        (
            "kernel",
            Box::new(Kernel::new(vec![0.1, 1.0], KernelShape::Gaussian)),
        ),
        (
            "local",
            Box::new(Local::new(vec![0.1, 1.0], KernelShape::Gaussian)),
        ),
        ("spline", Box::new(Spline::new(splines.to_vec()))),
        ("least squares", polynomial(0.0, Basis::Legendre)),
        ("ridge", polynomial(0.1, Basis::Monomial)),
        ("ridge by its SVD", polynomial(1e-9, Basis::Legendre)),
        (
            "gaussians",
            Box::new(Gaussians::new(gaussians.to_vec(), range)),
        ),
        ("linear", Box::new(Linear::new(linear.to_vec(), true))),
        (
            "bagging",
            Box::new(Bagging::new(bags.to_vec(), Box::new(full()))),
        ),
        (
            "bagged knn",
            Box::new(Bagging::new(bags.to_vec(), Box::new(Knn::new(vec![1, 5])))),
        ),
        ("forest", forest(&[(10, shallow)], true)),
        ("boosting", Box::new(Boosting::new(boosting.to_vec()))),
        (
            "fourier",
            Box::new(fourier(&[1, 10, 30, 45, 60, 200], 0.0, f64::INFINITY)),
        ),
        (
            "fourier with ridge",
            Box::new(fourier(&[10, 60], 0.1, f64::INFINITY)),
        ),
        (
            "fourier by descent",
            Box::new(fourier(&[10, 60], 0.0, 100.0)),
        ),
    ];
    let in_space: Vec<(&str, Box<dyn Learner>)> = vec![
        (
            "local",
            Box::new(Local::new(vec![0.1, 1.0], KernelShape::Tricube)),
        ),
        (
            "lasso",
            Box::new(Lasso::new(vec![0.0, 0.01, 0.1], true, InputScale::Sd)),
        ),
        (
            "components",
            Box::new(Components::new(vec![0, 1, 3], InputScale::None)),
        ),
        (
            "forward",
            Box::new(Subset::new(vec![1, 3], Search::Forward)),
        ),
        (
            "backward",
            Box::new(Subset::new(vec![1, 3], Search::Backward)),
        ),
        ("best", Box::new(Subset::new(vec![1, 3], Search::Best))),
        ("knn", Box::new(Knn::new((1..20).collect()))),
        ("tree", Box::new(Tree::new(trees(3)))),
        (
            "kernel",
            Box::new(Kernel::new(vec![0.1, 1.0], KernelShape::Tricube)),
        ),
        ("linear", Box::new(Linear::new(linear.to_vec(), true))),
        ("forest", forest(&[(10, shallow)], true)),
        ("boosting", Box::new(Boosting::new(boosting.to_vec()))),
        (
            "fourier",
            Box::new(fourier(&[1, 10, 30, 200], 0.0, f64::INFINITY)),
        ),
    ];
    let mut found = Vec::new();
    for (dimension, learners) in [(1, on_a_line), (3, in_space)] {
        let sets: Vec<Training> = (0..40)
            .map(|seed| data(seed, 40, dimension, None))
            .collect();
        let points = points(1, 50, dimension, 1.0);
        for (name, mut learner) in learners {
            let count = allocations(&mut *learner, &sets, &points, 1);
            if count > 0 {
                found.push(format!("{name} in {dimension}: {count}"));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn no_classifier_allocates_after_a_warm_up() {
    let shallow = TreeSetting {
        tries: 1,
        ..Default::default()
    };
    let bags = [3, 10].map(|members| BaggingSetting { members, base: 0 });
    let mut found = Vec::new();
    for (dimension, classes) in [(1, 2), (1, 3), (3, 2), (3, 3)] {
        let tree = |criterion| Box::new(Tree::classifier(trees(dimension), classes, criterion));
        let knn = || Box::new(Knn::classifier((1..20).collect(), classes));
        let forest =
            |combine| forest_classifier(&[(10, shallow)], true, classes, Criterion::Gini, combine);
        let bootstrap = BaggingSample::Bootstrap;
        let learners: Vec<(&str, Box<dyn Learner>)> = vec![
            ("tree by Gini", tree(Criterion::Gini)),
            ("tree by entropy", tree(Criterion::Entropy)),
            ("knn", knn()),
            (
                "naive Bayes",
                Box::new(NaiveBayes::new(
                    vec![0.1, 1.0],
                    CountLaw::Multinomial,
                    classes,
                )),
            ),
            ("forest", forest(Combine::Probability)),
            ("forest that votes", forest(Combine::Vote)),
            (
                "bagged knn",
                Box::new(Bagging::classifier(
                    bags.to_vec(),
                    knn(),
                    bootstrap,
                    classes,
                    Combine::Geometric,
                )),
            ),
        ];
        let sets: Vec<Training> = (0..40)
            .map(|seed| {
                let mut data = data(seed, 40, dimension, None);
                let labels = data.labels.iter_mut();
                labels.for_each(|y| *y = (*y * classes as f64).floor());
                data
            })
            .collect();
        let points = points(1, 50, dimension, 1.0);
        for (name, mut learner) in learners {
            let count = allocations(&mut *learner, &sets, &points, classes);
            if count > 0 {
                found.push(format!("{name}, {classes} classes in {dimension}: {count}"));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
}
