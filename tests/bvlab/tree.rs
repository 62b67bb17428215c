//! Trees against an implementation that shares nothing with them: it tries every split of every
//! node anew, in exact arithmetic on whole-number labels. Also the choice between equal features.

use bvlab::data::{Points, Training};
use bvlab::learner::{Knn, Tree, TreeSetting};
use linfa::prelude::{Fit, Predict};

use crate::order::Place;
use crate::setup::{close, data, fit_predict, points, run};

/// A fraction with a positive denominator.
#[derive(Clone, Copy)]
struct Fraction(i128, i128);

impl Fraction {
    fn above(self, other: Fraction) -> bool {
        self.0 * other.1 > other.0 * self.1
    }
}

struct Node {
    members: Vec<usize>,
    place: Place,
    split: Option<Split>,
}

#[derive(Clone)]
struct Split {
    feature: usize,
    threshold: f64,
    gain: (i128, i128),
    children: Option<[usize; 2]>,
}

struct Reference<'a> {
    data: &'a Training,
    setting: TreeSetting,
    nodes: Vec<(Node, usize)>,
}

impl Reference<'_> {
    fn sum(&self, members: &[usize]) -> i128 {
        members.iter().map(|&i| self.data.labels[i] as i128).sum()
    }

    fn parts(&self, members: &[usize], feature: usize, threshold: f64) -> [Vec<usize>; 2] {
        let (left, right) = members
            .iter()
            .partition(|&&i| self.data.inputs.get(i, feature) <= threshold);
        [left, right]
    }

    /// The best split: s_l²/n_l + s_r²/n_r - s²/n, over a common denominator.
    fn best(&self, members: &[usize], place: Place) -> Option<Split> {
        let first = self.data.labels[members[0]];
        if members.iter().all(|&i| self.data.labels[i] == first) {
            return None;
        }
        let mut best: Option<Split> = None;
        let order = place.order(self.data.inputs.dimension());
        for (looked_at, feature) in order.into_iter().enumerate() {
            if looked_at >= self.setting.tries && best.is_some() {
                break;
            }
            let mut values: Vec<f64> = members
                .iter()
                .map(|&i| self.data.inputs.get(i, feature))
                .collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            for pair in values.windows(2) {
                let threshold = (pair[0] + pair[1]) / 2.0;
                let [left, right] = self.parts(members, feature, threshold);
                if left.len().min(right.len()) < self.setting.min_leaf {
                    continue;
                }
                let [nl, nr, n] = [left.len(), right.len(), members.len()].map(|n| n as i128);
                let [sl, sr, s] = [self.sum(&left), self.sum(&right), self.sum(members)];
                let gain = Fraction(
                    sl * sl * nr * n + sr * sr * nl * n - s * s * nl * nr,
                    nl * nr * n,
                );
                let better = match &best {
                    None => true,
                    Some(best) => gain.above(Fraction(best.gain.0, best.gain.1)),
                };
                if better {
                    best = Some(Split {
                        feature,
                        threshold,
                        gain: (gain.0, gain.1),
                        children: None,
                    });
                }
            }
        }
        best
    }

    fn add(&mut self, members: Vec<usize>, place: Place, depth: usize) -> usize {
        let split = match depth < self.setting.depth {
            true => self.best(&members, place),
            false => None,
        };
        let node = Node {
            members,
            place,
            split,
        };
        self.nodes.push((node, depth));
        self.nodes.len() - 1
    }

    fn grow(&mut self) {
        self.add((0..self.data.len()).collect(), Place::root(7), 0);
        let mut leaves = 1;
        while leaves < self.setting.leaves {
            // The largest gain; the oldest node among equals.
            let mut next: Option<usize> = None;
            for (i, (node, _)) in self.nodes.iter().enumerate() {
                let Some(split) = &node.split else { continue };
                if split.children.is_some() {
                    continue;
                }
                let better = next.is_none_or(|best| {
                    let (a, b) = (split.gain, self.nodes[best].0.split.as_ref().unwrap().gain);
                    Fraction(a.0, a.1).above(Fraction(b.0, b.1))
                });
                if better {
                    next = Some(i);
                }
            }
            let Some(next) = next else { break };
            let (node, depth) = &self.nodes[next];
            let depth = *depth;
            let split = node.split.clone().unwrap();
            let [left, right] = self.parts(&node.members, split.feature, split.threshold);
            let places = node.place.children();
            let children = [
                self.add(left, places[0], depth + 1),
                self.add(right, places[1], depth + 1),
            ];
            self.nodes[next].0.split.as_mut().unwrap().children = Some(children);
            leaves += 1;
        }
    }

    fn predict(&self, x: &[f64]) -> f64 {
        let mut at = 0;
        while let Some(Split {
            feature,
            threshold,
            children: Some([left, right]),
            ..
        }) = &self.nodes[at].0.split
        {
            at = if x[*feature] <= *threshold {
                *left
            } else {
                *right
            };
        }
        let members = &self.nodes[at].0.members;
        self.sum(members) as f64 / members.len() as f64
    }
}

#[test]
fn agrees_with_exact_brute_force_on_ties_duplicates_and_constant_columns() {
    let mut settings = Vec::new();
    for (min_leaf, tries) in [
        (1, usize::MAX),
        (2, usize::MAX),
        (5, usize::MAX),
        (1, 1),
        (2, 2),
    ] {
        let plain = TreeSetting {
            min_leaf,
            tries,
            ..Default::default()
        };
        for depth in [0, 1, 2, 3, 5, usize::MAX] {
            settings.push(TreeSetting { depth, ..plain });
        }
        for leaves in [1, 2, 3, 4, 7, 12] {
            settings.push(TreeSetting { leaves, ..plain });
            settings.push(TreeSetting {
                leaves,
                depth: 2,
                ..plain
            });
        }
    }
    for seed in 0..30 {
        // From constant columns to hardly any ties.
        let values = [1, 2, 3, 6, 40][seed as usize % 5];
        let dimension = 1 + seed as usize % 3;
        let mut data = data(seed, 25, dimension, Some(values));
        let labels = crate::setup::data(seed + 1000, 25, 1, Some(4 + values)).labels;
        data.labels = labels;
        let points = points(seed, 40, dimension, f64::from(values));
        let got = fit_predict(&mut Tree::new(settings.clone()), &data, &points);
        for (setting, got) in settings.iter().zip(&got) {
            let mut reference = Reference {
                data: &data,
                setting: *setting,
                nodes: Vec::new(),
            };
            reference.grow();
            for (x, got) in points.rows().zip(got) {
                let wanted = reference.predict(x);
                let what = format!("{setting:?}, seed {seed}, at {x:?}");
                assert!(close(*got, wanted, 1e-12), "{what}: {got}, not {wanted}");
            }
        }
    }
}

#[test]
fn fully_grown_in_one_dimension_it_is_the_nearest_neighbour() {
    for seed in 0..20 {
        let data = data(seed, 60, 1, None);
        let points = points(seed, 300, 1, 1.0);
        let tree = fit_predict(&mut Tree::new(vec![TreeSetting::default()]), &data, &points);
        let neighbour = fit_predict(&mut Knn::new(vec![1]), &data, &points);
        assert_eq!(tree, neighbour);
    }
}

#[test]
fn large_offsets_do_not_hide_the_splits() {
    let data = data(3, 40, 1, None);
    let points = points(3, 100, 1, 1.0);
    let settings: Vec<TreeSetting> = (0..6)
        .map(|depth| TreeSetting {
            depth,
            ..Default::default()
        })
        .collect();
    let near = fit_predict(&mut Tree::new(settings.clone()), &data, &points);
    let mut far = data.clone();
    far.labels.iter_mut().for_each(|y| *y += 1e6);
    let far = fit_predict(&mut Tree::new(settings), &far, &points);
    for (near, far) in near.iter().flatten().zip(far.iter().flatten()) {
        assert!((far - 1e6 - near).abs() < 1e-8, "{near} became {far}");
    }
}

/// On labels 0 and 1 squared error is Gini impurity, so linfa's classifier must find the same
/// splits. It votes where our tree averages.
#[test]
fn agrees_with_linfa_on_two_classes() {
    for seed in 0..10 {
        let mut data = data(seed, 300, 2, None);
        for (x, y) in data.inputs.rows().zip(&mut data.labels) {
            *y = f64::from(x[0] + 0.5 * (9.0 * x[1]).sin() + 0.6 * *y > 0.9);
        }
        let points = points(seed, 400, 2, 1.0);
        let matrix = |points: &Points| {
            ndarray::Array2::from_shape_vec((points.len(), 2), points.values().to_vec()).unwrap()
        };
        let classes = data
            .labels
            .iter()
            .map(|y| *y as usize)
            .collect::<ndarray::Array1<_>>();
        let dataset = linfa::Dataset::new(matrix(&data.inputs), classes);
        // Deeper, nodes have splits of exactly equal gain, between which linfa chooses by chance.
        for depth in [1, 2] {
            let setting = TreeSetting {
                depth,
                ..Default::default()
            };
            let ours = fit_predict(&mut Tree::new(vec![setting]), &data, &points);
            let theirs = linfa_trees::DecisionTree::params()
                .max_depth(Some(depth))
                .fit(&dataset)
                .unwrap()
                .predict(&matrix(&points));
            let same = ours[0]
                .iter()
                .zip(&theirs)
                .filter(|(p, class)| (**p > 0.5) == (**class == 1));
            let share = same.count() as f64 / points.len() as f64;
            assert!(
                share == 1.0,
                "depth {depth}, seed {seed}: only {share} agree"
            );
        }
    }
}

/// Nodes of two points part equally well by every feature. Values of scikit-learn 1.9.1 on the same
/// grid, whose trees choose between equal features by lot: the mean and standard error of both
/// problems together, from 8000 training sets, and from 2000 for 20 bagged trees.
#[test]
fn equal_features_have_equal_chances() {
    const BY_SCIKIT_LEARN: [[f64; 2]; 2] = [[0.010529, 0.000060], [0.006135, 0.000065]];
    let problem = |truth: &str| {
        let text = format!(
            r#"
            problem = {{ truth = "{truth}", inputs = {{ uniform = [0, 1], dimension = 2 }}, noise = {{ normal = 0.05 }}, train = 50 }}
            learner = [{{ tree = {{}} }}, {{ bagging = {{ members = 20, base = {{ tree = {{}} }} }} }}]
            run = {{ resamples = 4000, keep = 1, test = {{ grid = 1024 }} }}
            "#
        );
        let (_, results) = run(&text);
        [0, 1].map(|learner| {
            let parts = &results.learners[learner].decomposition.parts[0];
            (parts.bias2.value + parts.variance.value, parts.risk.se)
        })
    };
    let both = ["4*x1", "4*x2"].map(problem);
    for (learner, theirs) in BY_SCIKIT_LEARN.iter().enumerate() {
        let [(first, first_se), (second, second_se)] = [0, 1].map(|truth| both[truth][learner]);
        assert!(
            (first - second).abs() < 4.0 * first_se.hypot(second_se),
            "{first} ± {first_se} and {second} ± {second_se}"
        );
        let (mean, se) = ((first + second) / 2.0, first_se.hypot(second_se) / 2.0);
        assert!(
            (mean - theirs[0]).abs() < 4.0 * se.hypot(theirs[1]),
            "{mean} ± {se}, by scikit-learn {theirs:?}"
        );
    }
}
