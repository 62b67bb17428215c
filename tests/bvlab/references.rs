//! Learners against scikit-learn, scipy and statsmodels on the same data: `tests/references/learners.py` wrote
//! down what those predict.

use bvlab::data::{Points, Training};
use bvlab::learner::{
    Components, CountLaw, Criterion, InputScale, KernelShape, Lasso, Learner, Local, NaiveBayes,
    Spline, SplineSetting, Tree, TreeSetting,
};
use serde::Deserialize;

use crate::setup::algorithm;

#[derive(Deserialize)]
struct References {
    case: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    learner: String,
    dimension: usize,
    #[serde(default)]
    scale: String,
    #[serde(default)]
    law: String,
    /// Of trees: how many points a leaf has at least, how many classes there are, and the leaves of
    /// every pruned tree.
    #[serde(default)]
    least: usize,
    #[serde(default)]
    classes: usize,
    #[serde(default)]
    leaves: Vec<usize>,
    inputs: Vec<f64>,
    labels: Vec<f64>,
    at: Vec<f64>,
    settings: Vec<f64>,
    predictions: Vec<f64>,
}

/// The cases of a learner.
fn references(learner: &str) -> Vec<Reference> {
    let text = include_str!("../references/learners.toml");
    let all: References = toml::from_str(text).expect("the references can be read");
    let cases = all.case.into_iter();
    let cases: Vec<Reference> = cases.filter(|case| case.learner == learner).collect();
    assert!(!cases.is_empty(), "{learner} has no reference");
    cases
}

impl Reference {
    fn scale(&self) -> InputScale {
        match self.scale.as_str() {
            "sd" => InputScale::Sd,
            _ => InputScale::None,
        }
    }

    /// The largest difference of a prediction from the reference.
    fn distance(&self, learner: &mut dyn Learner) -> f64 {
        let data = Training {
            inputs: Points::new(self.dimension, self.inputs.clone()),
            labels: self.labels.clone(),
        };
        learner.fit(&data, &algorithm(7));
        let mut found = vec![f64::NAN; self.predictions.len()];
        learner.predict(&Points::new(self.dimension, self.at.clone()), &mut found);
        let pairs = found.iter().zip(&self.predictions);
        let apart = pairs.map(|(found, wanted)| (found - wanted).abs() / (1.0 + wanted.abs()));
        apart.fold(0.0, |most, one| {
            if one > most || one.is_nan() {
                one
            } else {
                most
            }
        })
    }
}

/// Fails with how far a learner is from the reference in every case.
fn assert_agrees(name: &str, tolerance: f64, build: impl Fn(&Reference) -> Box<dyn Learner>) {
    for (i, case) in references(name).iter().enumerate() {
        let distance = case.distance(&mut *build(case));
        println!("{name}, case {i}: {distance:.1e}");
        assert!(distance < tolerance, "{name}, case {i}: {distance:e}");
    }
}

fn spline(case: &Reference) -> Box<dyn Learner> {
    let df = f64::INFINITY;
    let settings = case.settings.iter();
    let settings = settings.map(|&lambda| SplineSetting { lambda, df });
    Box::new(Spline::new(settings.collect()))
}

#[test]
fn spline_is_that_of_scipy() {
    assert_agrees("spline", 1e-8, spline);
    assert_agrees("spline-in-many-digits", 1e-12, spline);
}

#[test]
fn local_regression_is_that_of_statsmodels() {
    assert_agrees("local", 1e-9, |case| {
        Box::new(Local::new(case.settings.clone(), KernelShape::Gaussian))
    });
}

#[test]
fn lasso_is_that_of_scikit_learn() {
    assert_agrees("lasso", 1e-8, |case| {
        Box::new(Lasso::new(case.settings.clone(), true, case.scale()))
    });
}

#[test]
fn components_are_those_of_scikit_learn() {
    assert_agrees("components", 1e-10, |case| {
        let counts = case.settings.iter().map(|count| *count as usize);
        Box::new(Components::new(counts.collect(), case.scale()))
    });
}

fn tree(case: &Reference, settings: Vec<TreeSetting>) -> Box<dyn Learner> {
    Box::new(match case.classes {
        0 => Tree::new(settings),
        classes => Tree::classifier(settings, classes, Criterion::Gini),
    })
}

#[test]
fn pruned_trees_are_those_of_scikit_learn() {
    assert_agrees("tree", 1e-12, |case| {
        let settings = case.settings.iter().map(|&alpha| TreeSetting {
            alpha,
            min_leaf: case.least,
            ..Default::default()
        });
        tree(case, settings.collect())
    });
    // The same trees, by their numbers of leaves.
    assert_agrees("tree", 1e-12, |case| {
        let settings = case.leaves.iter().map(|&pruned_leaves| TreeSetting {
            pruned_leaves,
            min_leaf: case.least,
            ..Default::default()
        });
        tree(case, settings.collect())
    });
}

#[test]
fn naive_bayes_is_that_of_scikit_learn() {
    assert_agrees("naive-bayes", 1e-12, |case| {
        let law = match case.law.as_str() {
            "multinomial" => CountLaw::Multinomial,
            _ => CountLaw::Bernoulli,
        };
        Box::new(NaiveBayes::new(case.settings.clone(), law, case.classes))
    });
}
