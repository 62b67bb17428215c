//! A capacity path is nothing but a faster loop: every setting of every family gives bit for bit
//! what a learner with that one setting gives.

use bvlab::learner::{
    Activation, Bagging, BaggingSetting, Basis, Boosting, BoostingSetting, Components, Fourier,
    FourierSetting, Gaussians, GaussiansSetting, InputScale, Kernel, KernelShape, Knn, Lasso,
    Learner, Linear, LinearSetting, Local, Network, NetworkSetting, Optimiser, Polynomial,
    PolynomialSetting, Search, Spline, SplineSetting, Subset, Tree, TreeSetting, forest,
};

use bvlab::data::Training;

use crate::setup::{algorithm, close, data, fit_predict, points};

fn assert_path_is_loop(
    path: &mut dyn Learner,
    single: impl Fn(usize) -> Box<dyn Learner>,
    dimensions: &[usize],
) {
    for &dimension in dimensions {
        for seed in 0..6 {
            let values = [None, Some(5)][seed as usize % 2];
            let data = data(seed, 23, dimension, values);
            let points = points(seed, 40, dimension, values.map_or(1.0, f64::from));
            let together = fit_predict(path, &data, &points);
            for (c, got) in together.iter().enumerate() {
                let alone = fit_predict(&mut *single(c), &data, &points);
                assert_eq!(
                    got, &alone[0],
                    "setting {c}, seed {seed}, {dimension} dimensions"
                );
            }
            let fitted = fitted_values(path, &data);
            let inside = fit_predict(path, &data, &data.inputs);
            for (a, b) in fitted.iter().zip(inside.iter().flatten()) {
                assert!(close(*a, *b, 1e-9), "fitted {a}, predicted {b}");
            }
        }
    }
}

/// What the learner says of the training points themselves, setting by setting.
fn fitted_values(learner: &mut dyn Learner, data: &Training) -> Vec<f64> {
    learner.fit(data, &algorithm(7));
    let mut out = vec![f64::NAN; learner.capacities() * data.len()];
    learner.predict_training(data, &mut out);
    out
}

#[test]
fn fourier_knows_its_fitted_values() {
    let data = data(1, 30, 2, None);
    let settings = [5, 29, 200].map(|features| FourierSetting {
        features,
        scale: 3.0,
        lambda: 0.0,
        epochs: f64::INFINITY,
        rate: 0.5,
    });
    let mut learner = Fourier::new(settings.to_vec());
    let fitted = fitted_values(&mut learner, &data);
    let inside = fit_predict(&mut learner, &data, &data.inputs);
    for (a, b) in fitted.iter().zip(inside.iter().flatten()) {
        assert!(close(*a, *b, 1e-8), "fitted {a}, predicted {b}");
    }
}

#[test]
fn knn() {
    // In no particular order, and one twice.
    let ks = [5, 1, 23, 2, 8, 2];
    assert_path_is_loop(
        &mut Knn::new(ks.to_vec()),
        |c| Box::new(Knn::new(vec![ks[c]])),
        &[1, 3],
    );
}

#[test]
fn tree_over_depth_leaves_and_min_leaf() {
    let mut settings = Vec::new();
    for depth in [3, 0, 1, 2, 7, usize::MAX] {
        for min_leaf in [1, 4] {
            settings.push(TreeSetting {
                depth,
                min_leaf,
                ..Default::default()
            });
        }
    }
    for leaves in [1, 9, 2, 3, 17, 100] {
        for depth in [2, usize::MAX] {
            for tries in [usize::MAX, 2, 1] {
                settings.push(TreeSetting {
                    depth,
                    leaves,
                    tries,
                    ..Default::default()
                });
            }
        }
    }
    let single = |c: usize| -> Box<dyn Learner> { Box::new(Tree::new(vec![settings[c]])) };
    assert_path_is_loop(&mut Tree::new(settings.clone()), single, &[1, 2, 4]);
}

#[test]
fn tree_over_pruning() {
    let mut settings = vec![TreeSetting::default()];
    for (alpha, pruned_leaves) in [(0.01, usize::MAX), (0.0, 5), (0.3, 3), (1e9, 100), (0.0, 1)] {
        for (depth, leaves, min_leaf) in [
            (usize::MAX, usize::MAX, 1),
            (4, usize::MAX, 1),
            (usize::MAX, 9, 2),
            (usize::MAX, 15, 2),
        ] {
            settings.push(TreeSetting {
                alpha,
                pruned_leaves,
                depth,
                leaves,
                min_leaf,
                ..Default::default()
            });
        }
    }
    let single = |c: usize| -> Box<dyn Learner> { Box::new(Tree::new(vec![settings[c]])) };
    assert_path_is_loop(&mut Tree::new(settings.clone()), single, &[1, 2, 4]);
}

#[test]
fn polynomial_over_degree_and_lambda() {
    let mut settings = Vec::new();
    for degree in [4, 0, 1, 9, 22] {
        for lambda in [0.0, 10.0, 1e-6, 1.0] {
            settings.push(PolynomialSetting { degree, lambda });
        }
    }
    for basis in [Basis::Legendre, Basis::Monomial] {
        let new = |settings| Polynomial::new(settings, basis, (0.0, 5.0));
        let single = |c: usize| -> Box<dyn Learner> { Box::new(new(vec![settings[c]])) };
        assert_path_is_loop(&mut new(settings.clone()), single, &[1]);
    }
}

#[test]
fn bagging_over_members_of_any_base() {
    let depths = |depths: &[usize]| -> Box<dyn Learner> {
        let settings = depths.iter().map(|&depth| TreeSetting {
            depth,
            ..Default::default()
        });
        Box::new(Tree::new(settings.collect()))
    };
    let setting = |members, base| BaggingSetting { members, base };
    let wanted = [(3, 1), (1, 0), (10, 2), (10, 0), (7, 1)];
    let settings = wanted
        .map(|(members, base)| setting(members, base))
        .to_vec();
    let bases = [1, 2, 9];
    assert_path_is_loop(
        &mut Bagging::new(settings, depths(&bases)),
        |c| {
            let (members, base) = wanted[c];
            Box::new(Bagging::new(
                vec![setting(members, 0)],
                depths(&bases[base..=base]),
            ))
        },
        &[1, 2],
    );
}

#[test]
fn nested_bagging() {
    let inner = |members: &[usize]| -> Box<dyn Learner> {
        let settings = members
            .iter()
            .map(|&members| BaggingSetting { members, base: 0 });
        Box::new(Bagging::new(
            settings.collect(),
            Box::new(Knn::new(vec![2])),
        ))
    };
    let outer = |settings: &[(usize, usize)], inner| {
        let settings = settings
            .iter()
            .map(|&(members, base)| BaggingSetting { members, base });
        Bagging::new(settings.collect(), inner)
    };
    let wanted = [(4, 0), (2, 1), (4, 1)];
    let members = [3, 5];
    assert_path_is_loop(
        &mut outer(&wanted, inner(&members)),
        |c| {
            let (outer_members, base) = wanted[c];
            Box::new(outer(&[(outer_members, 0)], inner(&members[base..=base])))
        },
        &[1, 2],
    );
}

#[test]
fn kernel_over_bandwidth() {
    for shape in [
        KernelShape::Gaussian,
        KernelShape::Epanechnikov,
        KernelShape::Tricube,
        KernelShape::Uniform,
    ] {
        let bandwidths = [0.5, 1e-3, 2.0, 1e6];
        let new = |bandwidths: &[f64]| Kernel::new(bandwidths.to_vec(), shape);
        let single = |c: usize| -> Box<dyn Learner> { Box::new(new(&bandwidths[c..=c])) };
        assert_path_is_loop(&mut new(&bandwidths), single, &[1, 3]);
    }
}

#[test]
fn local_over_bandwidth() {
    for shape in [KernelShape::Gaussian, KernelShape::Tricube] {
        let bandwidths = [0.5, 1e-3, 2.0, 1e6];
        let new = |bandwidths: &[f64]| Local::new(bandwidths.to_vec(), shape);
        let single = |c: usize| -> Box<dyn Learner> { Box::new(new(&bandwidths[c..=c])) };
        assert_path_is_loop(&mut new(&bandwidths), single, &[1, 3]);
    }
}

#[test]
fn spline_over_lambda_and_df() {
    let mut settings = Vec::new();
    for lambda in [1.0, 0.0, 1e-6, 1e30] {
        for df in [f64::INFINITY, 4.0, 2.0, 60.0] {
            settings.push(SplineSetting { lambda, df });
        }
    }
    let single = |c: usize| -> Box<dyn Learner> { Box::new(Spline::new(vec![settings[c]])) };
    assert_path_is_loop(&mut Spline::new(settings.clone()), single, &[1]);
}

#[test]
fn lasso_over_lambda() {
    let lambdas = [0.1, 0.0, 1e-3, 9.0, 0.02, 0.1, 1e-9];
    for scale in [InputScale::None, InputScale::Sd] {
        for intercept in [true, false] {
            let new = |lambdas: &[f64]| Lasso::new(lambdas.to_vec(), intercept, scale);
            let single = |c: usize| -> Box<dyn Learner> { Box::new(new(&lambdas[c..=c])) };
            assert_path_is_loop(&mut new(&lambdas), single, &[1, 4, 40]);
        }
    }
}

#[test]
fn components_over_their_number() {
    let counts = [3, 0, 1, 40, 2, 22];
    for scale in [InputScale::None, InputScale::Sd] {
        let new = |counts: &[usize]| Components::new(counts.to_vec(), scale);
        let single = |c: usize| -> Box<dyn Learner> { Box::new(new(&counts[c..=c])) };
        assert_path_is_loop(&mut new(&counts), single, &[1, 4, 40]);
    }
}

#[test]
fn subset_over_size() {
    let sizes = [3, 0, 1, 12, 2, 8];
    for search in [Search::Forward, Search::Backward, Search::Best] {
        let dimensions: &[usize] = match search {
            Search::Best => &[1, 4, 12],
            _ => &[1, 4, 40],
        };
        let new = |sizes: &[usize]| Subset::new(sizes.to_vec(), search);
        let single = |c: usize| -> Box<dyn Learner> { Box::new(new(&sizes[c..=c])) };
        assert_path_is_loop(&mut new(&sizes), single, dimensions);
    }
}

#[test]
fn gaussians_over_count_width_and_lambda() {
    let mut settings = Vec::new();
    for count in [24, 1, 5] {
        for width in [0.2, 3.0] {
            for lambda in [1.0, 0.0, 1e-6] {
                settings.push(GaussiansSetting {
                    count,
                    width,
                    lambda,
                });
            }
        }
    }
    let new = |settings| Gaussians::new(settings, (0.0, 5.0));
    let single = |c: usize| -> Box<dyn Learner> { Box::new(new(vec![settings[c]])) };
    assert_path_is_loop(&mut new(settings.clone()), single, &[1]);
}

#[test]
fn linear_over_features_and_lambda() {
    let mut settings = Vec::new();
    for features in [3, 1, 40, usize::MAX] {
        for lambda in [0.0, 10.0, 1e-3] {
            settings.push(LinearSetting { features, lambda });
        }
    }
    for intercept in [true, false] {
        let new = |settings| Linear::new(settings, intercept);
        let single = |c: usize| -> Box<dyn Learner> { Box::new(new(vec![settings[c]])) };
        assert_path_is_loop(&mut new(settings.clone()), single, &[1, 4, 40]);
    }
}

#[test]
fn boosting_over_rounds_rate_and_depth() {
    let mut settings = Vec::new();
    for rounds in [10, 0, 1, 25] {
        for (rate, depth) in [(1.0, 1), (0.3, 2), (0.3, 1)] {
            settings.push(BoostingSetting {
                rounds,
                rate,
                depth,
            });
        }
    }
    let single = |c: usize| -> Box<dyn Learner> { Box::new(Boosting::new(vec![settings[c]])) };
    assert_path_is_loop(&mut Boosting::new(settings.clone()), single, &[1, 2]);
}

#[test]
fn forest_over_trees_depth_leaves_and_tries() {
    let mut settings = Vec::new();
    for trees in [7, 1, 3] {
        for tries in [1, 2, usize::MAX] {
            for (depth, leaves) in [(2, usize::MAX), (5, usize::MAX), (usize::MAX, 6), (3, 4)] {
                let tree = TreeSetting {
                    depth,
                    leaves,
                    tries,
                    ..Default::default()
                };
                settings.push((trees, tree));
            }
        }
    }
    for bootstrap in [true, false] {
        let single = |c: usize| forest(&settings[c..=c], bootstrap);
        assert_path_is_loop(&mut *forest(&settings, bootstrap), single, &[1, 3]);
    }
}

#[test]
fn network_over_width_epochs_and_rate() {
    let mut settings = Vec::new();
    for epochs in [30, 0, 1, 7, 7] {
        for (width, rate) in [(5, 0.01), (1, 0.01), (5, 0.03), (19, 0.03)] {
            settings.push(NetworkSetting {
                width,
                epochs,
                rate,
                ..NetworkSetting::default()
            });
        }
    }
    for activation in [Activation::Tanh, Activation::Relu] {
        for optimiser in [Optimiser::Adam, Optimiser::Descent] {
            let new = |settings| Network::new(settings, activation, optimiser);
            let single = |c: usize| -> Box<dyn Learner> { Box::new(new(vec![settings[c]])) };
            assert_path_is_loop(&mut new(settings.clone()), single, &[1, 3]);
        }
    }
}
