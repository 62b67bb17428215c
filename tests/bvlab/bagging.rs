//! Bagging against what is known of the bootstrap.

use bvlab::data::{Points, Training};
use bvlab::learner::{Bagging, BaggingSample, BaggingSetting, Knn, Learner, Tree, TreeSetting};

use crate::setup::{algorithm, close, data, fit_predict, points};

/// With its bootstraps held, bagged 1-NN is linear in the labels: a label of one among zeros gives
/// back the weight of that neighbour. Infinitely many members would give the j-th nearest the
/// weight (1 - (j-1)/n)^n - (1 - j/n)^n.
#[test]
fn bagged_nearest_neighbour_has_the_weights_of_theory() {
    for (n, squares) in [(10, 0.48923), (50, 0.46733)] {
        let members = 20_000;
        let inputs: Vec<f64> = (0..n).map(f64::from).collect();
        let setting = BaggingSetting { members, base: 0 };
        let mut learner = Bagging::new(vec![setting], Box::new(Knn::new(vec![1])));
        let at = Points::new(1, vec![-1.0]);
        let mut sum = 0.0;
        for j in 0..n as usize {
            let mut labels = vec![0.0; n as usize];
            labels[j] = 1.0;
            let data = Training {
                inputs: Points::new(1, inputs.clone()),
                labels,
            };
            let got = fit_predict(&mut learner, &data, &at)[0][0];
            let outside = |j: usize| (1.0 - j as f64 / f64::from(n)).powi(n);
            let wanted = outside(j) - outside(j + 1);
            let se = (wanted * (1.0 - wanted) / members as f64).sqrt();
            assert!(
                (got - wanted).abs() < 4.0 * se + 1e-4,
                "neighbour {j} of {n}: {got}, not {wanted}"
            );
            sum += got * got;
        }
        assert!((sum - squares).abs() < 0.01, "{sum}, not {squares}");
    }
}

/// With as many neighbours as points a member predicts the mean of its labels; the mean over shares
/// of equal size is then the mean of all labels, if no pair is missed or seen twice.
#[test]
fn divided_data_are_seen_once_each() {
    let data = data(3, 24, 1, None);
    let mean = data.labels.iter().sum::<f64>() / 24.0;
    let sizes = [1, 2, 3, 6, 8, 12, 24];
    let path = || {
        sizes
            .map(|members| BaggingSetting { members, base: 0 })
            .to_vec()
    };
    let base = || Box::new(Knn::new(vec![24]));
    let at = Points::new(1, vec![0.3]);
    let mut split = Bagging::with_sample(path(), base(), BaggingSample::Split);
    for (got, members) in fit_predict(&mut split, &data, &at).iter().zip(sizes) {
        assert!(close(got[0], mean, 1e-12), "{members} members: {}", got[0]);
    }
    let mut bootstraps = Bagging::new(path(), base());
    let off = fit_predict(&mut bootstraps, &data, &at);
    assert!(off.iter().all(|got| !close(got[0], mean, 1e-6)));
}

#[test]
fn a_share_of_one_member_is_all_data_and_members_without_data_are_left_out() {
    let data = data(5, 30, 2, None);
    let at = points(5, 40, 2, 1.0);
    let tree = || Box::new(Tree::new(vec![TreeSetting::default()]));
    let setting = |members| BaggingSetting { members, base: 0 };
    // The tree that chooses between equal features as the only member of its ensemble does.
    let mut alone = tree();
    alone.fit(&data, &algorithm(7).child(1).child(0));
    let mut wanted = vec![0.0; at.len()];
    alone.predict(&at, &mut wanted);
    let path = vec![setting(70), setting(1), setting(30)];
    let mut split = Bagging::with_sample(path, tree(), BaggingSample::Split);
    let got = fit_predict(&mut split, &data, &at);
    assert_eq!(got[1], wanted);
    // One pair each: every member predicts its label everywhere.
    let mean = data.labels.iter().sum::<f64>() / 30.0;
    for path in [&got[0], &got[2]] {
        assert!(path.iter().all(|value| close(*value, mean, 1e-12)));
    }
}

/// Every number of members is an ensemble of its own, whatever else is on the path.
#[test]
fn a_path_of_divided_data_is_that_of_single_settings() {
    let data = data(6, 25, 1, None);
    let at = points(6, 20, 1, 1.0);
    let trees = [2, 9].map(|depth| TreeSetting {
        depth,
        ..Default::default()
    });
    let all = [(4, 0), (1, 1), (25, 0), (4, 1), (7, 1)];
    let make = |settings: &[(usize, usize)]| {
        let settings = settings
            .iter()
            .map(|&(members, base)| BaggingSetting { members, base });
        let base = Box::new(Tree::new(trees.to_vec()));
        Bagging::with_sample(settings.collect(), base, BaggingSample::Split)
    };
    let path = fit_predict(&mut make(&all), &data, &at);
    for (setting, got) in all.iter().zip(path) {
        assert_eq!(fit_predict(&mut make(&[*setting]), &data, &at)[0], got);
    }
}
