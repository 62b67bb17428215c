//! Forests and boosting against what they are made of.

use bvlab::learner::{
    Bagging, BaggingSetting, Boosting, BoostingSetting, Learner, Tree, TreeSetting, forest,
};

use crate::setup::{algorithm, close, data, fit_predict, points, run};

#[test]
fn a_forest_that_tries_all_features_is_bagging() {
    let tree = TreeSetting::default();
    let data = data(4, 50, 3, None);
    let points = points(4, 80, 3, 1.0);
    let setting = BaggingSetting {
        members: 12,
        base: 0,
    };
    let mut bagging = Bagging::new(vec![setting], Box::new(Tree::new(vec![tree])));
    let wanted = fit_predict(&mut bagging, &data, &points);
    assert_eq!(
        wanted,
        fit_predict(&mut *forest(&[(12, tree)], true), &data, &points)
    );
    let three = TreeSetting { tries: 3, ..tree };
    assert_eq!(
        wanted,
        fit_predict(&mut *forest(&[(12, three)], true), &data, &points)
    );
    let one = TreeSetting { tries: 1, ..tree };
    assert_ne!(
        wanted,
        fit_predict(&mut *forest(&[(12, one)], true), &data, &points)
    );
}

#[test]
fn without_bootstrap_and_with_all_features_every_tree_is_the_tree() {
    let data = data(4, 50, 3, None);
    let points = points(4, 80, 3, 1.0);
    // Nodes of few points may part equally well by several features.
    let tree = TreeSetting {
        depth: 2,
        ..Default::default()
    };
    let alone = fit_predict(&mut Tree::new(vec![tree]), &data, &points);
    let forest = fit_predict(&mut *forest(&[(3, tree)], false), &data, &points);
    for (a, b) in alone[0].iter().zip(&forest[0]) {
        assert!(close(*a, *b, 1e-12));
    }
}

#[test]
fn every_feature_is_tried_as_often_as_any_other() {
    // One split, one try: the share of trees that split on each of four equally good features.
    let mut data = data(1, 40, 4, None);
    for (i, y) in data.labels.iter_mut().enumerate() {
        *y = i as f64;
    }
    // Points that differ from the centre in one coordinate alone show which one was split on.
    let mut counts = [0; 4];
    let tree = TreeSetting {
        depth: 1,
        tries: 1,
        ..Default::default()
    };
    for i in 0..4000 {
        let mut learner = Tree::new(vec![tree]);
        let stream = bvlab::stream::Stream::new(1, bvlab::stream::Purpose::Algorithm, i);
        learner.fit(&data, &stream);
        let mut values = Vec::new();
        for feature in 0..4 {
            for end in [-1.0, 2.0] {
                let mut x = [0.5; 4];
                x[feature] = end;
                values.extend(x);
            }
        }
        let mut out = [0.0; 8];
        learner.predict(&bvlab::data::Points::new(4, values), &mut out);
        for feature in 0..4 {
            if out[2 * feature] != out[2 * feature + 1] {
                counts[feature] += 1;
            }
        }
    }
    // 1000 each, with a standard deviation of 27.
    assert_eq!(counts.iter().sum::<i32>(), 4000);
    assert!(
        counts.iter().all(|count| (count - 1000).abs() < 4 * 27),
        "{counts:?}"
    );
}

#[test]
fn boosting_is_explicit_residual_fitting() {
    for (rate, depth) in [(1.0, 1), (0.25, 3)] {
        let data = data(8, 60, 2, None);
        let points = points(8, 50, 2, 1.0);
        let setting = BoostingSetting {
            rounds: 15,
            rate,
            depth,
        };
        let got = fit_predict(&mut Boosting::new(vec![setting]), &data, &points);
        let mean = data.labels.iter().sum::<f64>() / 60.0;
        let mut left = data.clone();
        left.labels.iter_mut().for_each(|y| *y -= mean);
        let mut wanted = vec![mean; 50];
        for round in 0..15 {
            let mut tree = Tree::new(vec![TreeSetting {
                depth,
                ..Default::default()
            }]);
            tree.fit(&left, &algorithm(7).child(round));
            let (mut step, mut inside) = ([0.0; 50], [0.0; 60]);
            tree.predict(&points, &mut step);
            tree.predict(&data.inputs, &mut inside);
            wanted
                .iter_mut()
                .zip(step)
                .for_each(|(w, s)| *w += rate * s);
            let left = left.labels.iter_mut();
            left.zip(inside).for_each(|(y, s)| *y -= rate * s);
        }
        for (got, wanted) in got[0].iter().zip(&wanted) {
            assert!(close(*got, *wanted, 1e-12));
        }
    }
}

#[test]
fn boosting_trades_bias_for_variance_and_a_forest_beats_its_trees() {
    let (_, results) = run(r#"
        [problem]
        truth  = "sin(3*x1) + x2*x3"
        inputs = { uniform = [-1, 1], dimension = 5 }
        noise  = { normal = 0.3 }
        train  = 60
        [[learner]]
        sweep = { rounds = [1, 10, 100] }
        boosting = { rate = 0.3 }
        [[learner]]
        sweep = { trees = [1, 30] }
        forest = { tries = 2 }
        [run]
        resamples = 120
        test = { draw = 200 }
    "#);
    let parts = |learner: usize| &results.learners[learner].decomposition.parts;
    for pair in parts(0).windows(2) {
        assert!(
            pair[1].bias2.value
                < pair[0].bias2.value - 3.0 * pair[0].bias2.se.min(pair[1].bias2.se)
        );
        assert!(pair[1].variance.value > pair[0].variance.value);
        assert!(pair[1].train.value < pair[0].train.value);
    }
    let [one, many] = [&parts(1)[0], &parts(1)[1]];
    assert!(many.variance.value < 0.4 * one.variance.value);
    let apart = (many.bias2.value - one.bias2.value) / many.bias2.se.hypot(one.bias2.se);
    assert!(
        apart.abs() < 4.0,
        "more trees do not change the bias: {apart}"
    );
}
