//! Bagging against what is known of the bootstrap.

use bvlab::learner::{Bagging, BaggingSetting, Knn};
use bvlab::problem::{Points, Training};

use crate::setup::fit_predict;

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
