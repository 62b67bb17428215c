//! Lasso, components and subsets against their definitions.

use bvlab::data::Points;
use bvlab::data::Training;
use bvlab::learner::{
    Components, InputScale, Lasso, Learner, Linear, LinearSetting, Search, Subset,
};
use faer::Mat;
use faer::linalg::solvers::SolveLstsq;

use crate::setup::{close, data, experiment, fit_predict, points};

/// The weights of a linear learner, from its predictions at zero and at unit vectors.
fn weights(learner: &mut dyn Learner, data: &Training) -> Vec<Vec<f64>> {
    let dimension = data.inputs.dimension();
    let mut places = vec![0.0; (dimension + 1) * dimension];
    (0..dimension).for_each(|j| places[(j + 1) * dimension + j] = 1.0);
    let found = fit_predict(learner, data, &Points::new(dimension, places));
    let of = |found: &Vec<f64>| found[1..].iter().map(|p| p - found[0]).collect();
    found.iter().map(of).collect()
}

/// The gradient of the mean squared residual, halved: X'(y - c - Xw)/n with centred columns.
fn gradient(data: &Training, weights: &[f64]) -> Vec<f64> {
    let n = data.len() as f64;
    let dimension = data.inputs.dimension();
    let mean = |of: &dyn Fn(usize) -> f64| (0..data.len()).map(of).sum::<f64>() / n;
    let means: Vec<f64> = (0..dimension)
        .map(|k| mean(&|i| data.inputs.get(i, k)))
        .collect();
    let label = mean(&|i| data.labels[i]);
    let residual = |i: usize| {
        let terms = (0..dimension).map(|k| weights[k] * (data.inputs.get(i, k) - means[k]));
        data.labels[i] - label - terms.sum::<f64>()
    };
    let along = |k: usize| mean(&|i| (data.inputs.get(i, k) - means[k]) * residual(i));
    (0..dimension).map(along).collect()
}

/// |gradient| ≤ λ, with equality and the weight's sign where it is not zero: what makes a lasso optimal.
/// Also where columns are few whole numbers, so that many events of the path coincide, and where some are
/// equal or constant.
#[test]
fn lasso_satisfies_its_optimality_conditions() {
    let lambdas = [0.0, 1e-6, 1e-3, 0.02, 0.1, 0.3, 1.0, 5.0];
    for (seed, (count, dimension, values)) in [
        (40, 5, None),
        (15, 30, None),
        (40, 6, Some(3)),
        (12, 20, Some(2)),
        (9, 40, Some(3)),
        (30, 4, Some(5)),
    ]
    .into_iter()
    .enumerate()
    {
        for copy in [false, true] {
            let mut data = data(seed as u64, count, dimension, values);
            if copy {
                let mut rows: Vec<f64> = data.inputs.values().to_vec();
                for row in rows.chunks_exact_mut(dimension) {
                    row[1] = row[0];
                    row[2] = 0.7;
                    row[3] = 2.0 * row[0];
                }
                data.inputs = Points::new(dimension, rows);
            }
            let mut lasso = Lasso::new(lambdas.to_vec(), true, InputScale::None);
            let found = weights(&mut lasso, &data);
            for (lambda, weights) in lambdas.iter().zip(&found) {
                let what = format!("{count} × {dimension} of {values:?}, λ = {lambda}");
                for (gradient, weight) in gradient(&data, weights).iter().zip(weights) {
                    let steep = gradient.abs() <= lambda + 1e-8;
                    assert!(steep, "{what}: {gradient} {weight}");
                    let tight = (gradient - lambda * weight.signum()).abs() < 1e-8;
                    assert!(weight.abs() < 1e-10 || tight, "{what}: {gradient} {weight}");
                }
            }
            // The norm of the weights falls as λ grows.
            let norms = found.iter().map(|w| w.iter().map(|w| w.abs()).sum::<f64>());
            let norms: Vec<f64> = norms.collect();
            let falls = norms.windows(2).all(|pair| pair[1] <= pair[0] + 1e-8);
            assert!(falls, "{norms:?}");
        }
    }
}

#[test]
fn lasso_without_penalty_and_all_components_are_least_squares() {
    let data = data(3, 30, 6, None);
    let points = points(3, 20, 6, 1.0);
    let least = LinearSetting {
        features: 6,
        lambda: 0.0,
    };
    let wanted = fit_predict(&mut Linear::new(vec![least], true), &data, &points);
    for scale in [InputScale::None, InputScale::Sd] {
        let mut learners: [Box<dyn Learner>; 2] = [
            Box::new(Lasso::new(vec![0.0], true, scale)),
            Box::new(Components::new(vec![6], scale)),
        ];
        for learner in &mut learners {
            let found = fit_predict(&mut **learner, &data, &points);
            for (found, wanted) in found[0].iter().zip(&wanted[0]) {
                assert!(close(*found, *wanted, 1e-10), "{found} {wanted}");
            }
        }
    }
    // And without a constant.
    let wanted = fit_predict(&mut Linear::new(vec![least], false), &data, &points);
    let mut lasso = Lasso::new(vec![0.0], false, InputScale::None);
    let found = fit_predict(&mut lasso, &data, &points);
    for (found, wanted) in found[0].iter().zip(&wanted[0]) {
        assert!(close(*found, *wanted, 1e-10), "{found} {wanted}");
    }
}

/// The weights of least squares with a constant on some of the inputs, and the sum of squared residuals.
fn least_squares(data: &Training, chosen: &[usize]) -> (Vec<f64>, f64) {
    let columns = chosen.len() + 1;
    let design = Mat::from_fn(data.len(), columns, |i, k| match k {
        0 => 1.0,
        _ => data.inputs.get(i, chosen[k - 1]),
    });
    let labels = Mat::from_fn(data.len(), 1, |i, _| data.labels[i]);
    let solved = design.qr().solve_lstsq(&labels);
    let residuals = &design * &solved - &labels;
    let mut weights = vec![0.0; data.inputs.dimension()];
    for (k, &j) in chosen.iter().enumerate() {
        weights[j] = solved[(k + 1, 0)];
    }
    (weights, residuals.squared_norm_l2())
}

/// All subsets of a size.
fn subsets(dimension: usize, size: usize) -> Vec<Vec<usize>> {
    let masks = (0_u32..1 << dimension).filter(|mask| mask.count_ones() as usize == size);
    let of = |mask: u32| (0..dimension).filter(|j| mask >> j & 1 == 1).collect();
    masks.map(of).collect()
}

/// The subsets of every size, by trying.
fn by_trying(data: &Training, search: Search) -> Vec<Vec<f64>> {
    let dimension = data.inputs.dimension();
    let best = |choices: Vec<Vec<usize>>| {
        let rss = |chosen: &Vec<usize>| least_squares(data, chosen).1;
        let by_rss = |a: &Vec<usize>, b: &Vec<usize>| rss(a).total_cmp(&rss(b));
        choices.into_iter().min_by(by_rss).unwrap()
    };
    let mut found: Vec<Vec<usize>> = Vec::new();
    match search {
        Search::Best => found.extend((0..=dimension).map(|size| best(subsets(dimension, size)))),
        Search::Forward => {
            found.push(Vec::new());
            while found.len() <= dimension {
                let last = found[found.len() - 1].clone();
                let others = (0..dimension).filter(|j| !last.contains(j));
                let longer = others.map(|j| [&last[..], &[j]].concat());
                found.push(best(longer.collect()));
            }
        }
        Search::Backward => {
            found.push((0..dimension).collect());
            while found.len() <= dimension {
                let last = found[found.len() - 1].clone();
                let without = |out: usize| last.iter().copied().filter(|j| *j != out).collect();
                let shorter = last.iter().map(|out| without(*out));
                found.push(best(shorter.collect()));
            }
            found.reverse();
        }
    }
    found.iter().map(|set| least_squares(data, set).0).collect()
}

#[test]
fn subsets_are_those_found_by_trying() {
    let mut differ = 0;
    for seed in 0..4 {
        let mut data = data(seed, 25, 8, None);
        // Inputs that explain the labels together but not alone.
        let mut rows: Vec<f64> = data.inputs.values().to_vec();
        for (row, label) in rows.chunks_exact_mut(8).zip(&mut data.labels) {
            row[1] += 3.0 * row[0];
            row[5] -= 2.0 * row[4] + row[0];
            *label += 3.0 * row[0] - row[1] + row[5];
        }
        data.inputs = Points::new(8, rows);
        let all = [Search::Forward, Search::Backward, Search::Best].map(|search| {
            let mut subset = Subset::new((0..=8).collect(), search);
            let found = weights(&mut subset, &data);
            let wanted = by_trying(&data, search);
            for (size, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
                let same = found.iter().zip(wanted).all(|(a, b)| close(*a, *b, 1e-9));
                assert!(same, "{search:?} {size}: {found:?}, not {wanted:?}");
            }
            wanted
        });
        differ += usize::from(all[0] != all[2]) + usize::from(all[1] != all[2]);
    }
    assert!(differ > 2, "the searches hardly differ");
}

/// More inputs than points, copies and constants: every size up to the rank uses that many inputs, and the
/// training error falls to zero.
#[test]
fn subsets_end_where_the_rank_does() {
    let mut data = data(5, 7, 10, None);
    let mut rows: Vec<f64> = data.inputs.values().to_vec();
    for row in rows.chunks_exact_mut(10) {
        row[3] = 5.0;
        row[4] = -row[2];
    }
    data.inputs = Points::new(10, rows);
    for search in [Search::Forward, Search::Backward, Search::Best] {
        let mut subset = Subset::new((0..=10).collect(), search);
        let used = weights(&mut subset, &data);
        let used = used.iter().map(|w| w.iter().filter(|w| **w != 0.0).count());
        let used: Vec<usize> = used.collect();
        assert_eq!(used, [0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6], "{search:?}");
        let fitted = fit_predict(&mut subset, &data, &data.inputs);
        for (fitted, label) in fitted[6].iter().zip(&data.labels) {
            assert!(close(*fitted, *label, 1e-8), "{search:?}: {fitted} {label}");
        }
    }
}

#[test]
fn best_subsets_of_many_inputs_are_refused() {
    let text = r#"
        problem = { truth = "x1", inputs = { normal = [0, 1], dimension = DIMENSION }, noise = { normal = 1 }, train = 40 }
        learner = [{ subset = { size = 2, search = "best" } }]
        run = { resamples = 4, test = { draw = 9 } }
    "#;
    experiment(&text.replace("DIMENSION", "20"));
    let text = text.replace("DIMENSION", "21");
    let source = bvlab::experiment::Source::new("test.toml", &text, &[]);
    let error = bvlab::experiment::Experiment::read("test", source)
        .err()
        .expect("it is refused");
    let words = format!("{:?}", miette::Report::new(*error));
    assert!(words.contains("takes at most 20 inputs, not 21"), "{words}");
    assert!(words.contains("\"forward\""), "{words}");
}
