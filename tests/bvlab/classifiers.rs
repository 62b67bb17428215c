//! Classifiers against implementations that share nothing with them.

use bvlab::data::{Points, Training};
use bvlab::interrupt::Interrupt;
use bvlab::learner::{
    Bagging, BaggingSample, BaggingSetting, Combine, Criterion, Knn, Learner, Tree, TreeSetting,
    forest_classifier,
};
use bvlab::probability::{Preference, largest};
use linfa::prelude::{Fit, Predict};
use linfa_trees::{DecisionTree, SplitQuality};

use crate::order::Place;
use crate::setup::{algorithm, close, data, points};

/// Random inputs with labels of K classes that go with them, more or less.
fn classes(seed: u64, count: usize, dimension: usize, values: Option<u32>, k: usize) -> Training {
    let mut data = data(seed, count, dimension, values);
    let reach = values.map_or(1.0, f64::from);
    let Training { inputs, labels } = &mut data;
    for (x, label) in inputs.rows().zip(labels) {
        let mean = x.iter().sum::<f64>() / (reach * dimension as f64);
        let mixed = (mean + 0.5 * *label / reach) % 1.0;
        *label = (mixed * k as f64).floor().min(k as f64 - 1.0);
    }
    data
}

/// Fits and predicts: `result[c][j]` is the row of probabilities of setting c at point j.
fn probabilities(
    learner: &mut dyn Learner,
    data: &Training,
    points: &Points,
    k: usize,
) -> Vec<Vec<Vec<f64>>> {
    learner.fit(data, &algorithm(7));
    let mut out = vec![f64::NAN; learner.capacities() * points.len() * k];
    learner.predict(points, &mut out);
    rows(&out, points.len(), k)
}

fn rows(out: &[f64], points: usize, k: usize) -> Vec<Vec<Vec<f64>>> {
    let settings = out.chunks_exact(points * k);
    let rows = |setting: &[f64]| setting.chunks_exact(k).map(<[f64]>::to_vec).collect();
    settings.map(rows).collect()
}

/// n times the impurity of a list of classes.
fn impurity(labels: &[usize], k: usize, criterion: Criterion) -> f64 {
    let n = labels.len() as f64;
    let shares = (0..k).map(|class| labels.iter().filter(|l| **l == class).count() as f64 / n);
    match criterion {
        Criterion::Gini => n * (1.0 - shares.map(|p| p * p).sum::<f64>()),
        Criterion::Entropy => {
            let shares = shares.filter(|p| *p > 0.0);
            -n * shares.map(|p| p * p.log2()).sum::<f64>()
        }
    }
}

/// A tree that tries every split of every node anew.
struct Slow<'a> {
    data: &'a Training,
    k: usize,
    criterion: Criterion,
    setting: TreeSetting,
    nodes: Vec<SlowNode>,
}

struct SlowNode {
    members: Vec<usize>,
    place: Place,
    depth: usize,
    split: Option<(f64, usize, f64)>,
    children: Option<[usize; 2]>,
}

impl Slow<'_> {
    fn labels(&self, members: &[usize]) -> Vec<usize> {
        let labels = members.iter().map(|&i| self.data.labels[i] as usize);
        labels.collect()
    }

    fn impurity(&self, members: &[usize]) -> f64 {
        impurity(&self.labels(members), self.k, self.criterion)
    }

    fn parts(&self, members: &[usize], feature: usize, threshold: f64) -> [Vec<usize>; 2] {
        let goes_left = |i: &&usize| self.data.inputs.get(**i, feature) <= threshold;
        let (left, right) = members.iter().partition(goes_left);
        [left, right]
    }

    fn best(&self, members: &[usize], place: Place) -> Option<(f64, usize, f64)> {
        let whole = self.impurity(members);
        if whole == 0.0 {
            return None;
        }
        let mut best: Option<(f64, usize, f64)> = None;
        let order = place.order(self.data.inputs.dimension());
        for (looked_at, feature) in order.into_iter().enumerate() {
            if looked_at >= self.setting.tries && best.is_some() {
                break;
            }
            let x = members.iter().map(|&i| self.data.inputs.get(i, feature));
            let mut x: Vec<f64> = x.collect();
            x.sort_by(f64::total_cmp);
            x.dedup();
            for pair in x.windows(2) {
                let threshold = (pair[0] + pair[1]) / 2.0;
                let [left, right] = self.parts(members, feature, threshold);
                if left.len().min(right.len()) < self.setting.min_leaf {
                    continue;
                }
                let gain = whole - self.impurity(&left) - self.impurity(&right);
                if best.is_none_or(|(best, ..)| gain > best + 1e-9) {
                    best = Some((gain, feature, threshold));
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
        self.nodes.push(SlowNode {
            members,
            place,
            depth,
            split,
            children: None,
        });
        self.nodes.len() - 1
    }

    fn grow(&mut self) {
        self.add((0..self.data.len()).collect(), Place::root(7), 0);
        let mut leaves = 1;
        while leaves < self.setting.leaves {
            let mut next: Option<(f64, usize)> = None;
            for (i, node) in self.nodes.iter().enumerate() {
                if let (Some((gain, ..)), None) = (node.split, node.children)
                    && next.is_none_or(|(best, _)| gain > best + 1e-9)
                {
                    next = Some((gain, i));
                }
            }
            let Some((_, next)) = next else { break };
            let SlowNode {
                members,
                place,
                depth,
                ..
            } = &self.nodes[next];
            let places = place.children();
            let (_, feature, threshold) = self.nodes[next].split.unwrap();
            let depth = depth + 1;
            let [left, right] = self.parts(members, feature, threshold);
            let children = [
                self.add(left, places[0], depth),
                self.add(right, places[1], depth),
            ];
            self.nodes[next].children = Some(children);
            leaves += 1;
        }
    }

    fn predict(&self, x: &[f64]) -> Vec<f64> {
        let mut at = &self.nodes[0];
        while let (Some((_, feature, threshold)), Some([left, right])) = (at.split, at.children) {
            at = &self.nodes[if x[feature] <= threshold { left } else { right }];
        }
        let labels = self.labels(&at.members);
        let count = |class| labels.iter().filter(|l| **l == class).count();
        let shares = (0..self.k).map(|class| count(class) as f64 / labels.len() as f64);
        shares.collect()
    }
}

#[test]
fn trees_agree_with_brute_force() {
    let mut settings = Vec::new();
    for (min_leaf, tries) in [(1, usize::MAX), (3, usize::MAX), (1, 1)] {
        let plain = TreeSetting {
            min_leaf,
            tries,
            ..Default::default()
        };
        for depth in [0, 1, 2, 3, 4, usize::MAX] {
            settings.push(TreeSetting { depth, ..plain });
        }
        for leaves in [1, 2, 3, 5, 8] {
            for depth in [3, usize::MAX] {
                settings.push(TreeSetting {
                    leaves,
                    depth,
                    ..plain
                });
            }
        }
    }
    for seed in 0..24 {
        let k = [3, 2, 3, 5][seed as usize % 4];
        let dimension = [2, 1, 3][seed as usize % 3];
        let values = [None, Some(4), Some(9)][(seed / 2) as usize % 3];
        let data = classes(seed, 24, dimension, values, k);
        let at = points(seed, 40, dimension, values.map_or(1.0, f64::from));
        for criterion in [Criterion::Gini, Criterion::Entropy] {
            let mut tree = Tree::classifier(settings.clone(), k, criterion);
            let got = probabilities(&mut tree, &data, &at, k);
            for (setting, got) in settings.iter().zip(&got) {
                let mut slow = Slow {
                    data: &data,
                    k,
                    criterion,
                    setting: *setting,
                    nodes: Vec::new(),
                };
                slow.grow();
                for (x, got) in at.rows().zip(got) {
                    for (got, wanted) in got.iter().zip(slow.predict(x)) {
                        assert!(
                            close(*got, wanted, 1e-12),
                            "{criterion:?}, {setting:?}, seed {seed}, at {x:?}: {got}, not {wanted}"
                        );
                    }
                }
            }
        }
    }
}

/// No first split of an exclusive or gains anything; the second ones gain all.
#[test]
fn a_split_that_gains_nothing_is_made_where_the_node_is_not_pure() {
    let data = Training {
        inputs: Points::new(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]),
        labels: vec![0.0, 1.0, 1.0, 0.0],
    };
    let settings = [1, 2].map(|depth| TreeSetting {
        depth,
        ..Default::default()
    });
    for k in [2, 3] {
        for criterion in [Criterion::Gini, Criterion::Entropy] {
            let mut tree = Tree::classifier(settings.to_vec(), k, criterion);
            let got = probabilities(&mut tree, &data, &data.inputs, k);
            for (row, label) in got[1].iter().zip(&data.labels) {
                assert_eq!(row[*label as usize], 1.0, "{k} classes, {criterion:?}");
            }
            assert!(got[0].iter().all(|row| row[..2] == [0.5, 0.5]));
        }
    }
}

/// linfa sets a threshold midway to the next training point whether or not that is in the node, so
/// below the root its thresholds are others; but they part the training points as ours do. It tells
/// inputs apart from 1e-5 on, and equal gains by chance; its leaves predict classes.
#[test]
fn trees_part_the_training_points_as_linfa_does() {
    for seed in 0..10 {
        let mut data = classes(seed, 300, 3, None, 3);
        let x = |i: usize, feature| data.inputs.get(i, feature);
        let rank = |i: usize, feature| (0..300).filter(|j| x(*j, feature) < x(i, feature)).count();
        let ranks = (0..900).map(|place| rank(place / 3, place % 3) as f64);
        data.inputs = Points::new(3, ranks.collect());
        let inputs = data.inputs.values().to_vec();
        let inputs = ndarray::Array2::from_shape_vec((300, 3), inputs).unwrap();
        let labels = data.labels.iter().map(|y| *y as usize);
        let dataset = linfa::Dataset::new(inputs.clone(), labels.collect::<ndarray::Array1<_>>());
        for (criterion, quality) in [
            (Criterion::Gini, SplitQuality::Gini),
            (Criterion::Entropy, SplitQuality::Entropy),
        ] {
            for depth in 1..=3 {
                let setting = TreeSetting {
                    depth,
                    ..Default::default()
                };
                let mut tree = Tree::classifier(vec![setting], 3, criterion);
                let ours = probabilities(&mut tree, &data, &data.inputs, 3);
                let theirs = DecisionTree::params()
                    .max_depth(Some(depth))
                    .split_quality(quality)
                    .fit(&dataset)
                    .unwrap()
                    .predict(&inputs);
                for (ours, theirs) in ours[0].iter().zip(theirs.iter()) {
                    let mut most = largest(ours);
                    assert!(
                        most.any(|k| k == *theirs),
                        "{criterion:?} {depth}, seed {seed}"
                    );
                }
            }
        }
    }
}

#[test]
fn neighbours_vote_as_in_brute_force() {
    for seed in 0..24 {
        let k = [2, 3, 5][seed as usize % 3];
        let dimension = [1, 1, 2, 4][seed as usize % 4];
        let values = [None, Some(3), Some(8)][(seed / 4) as usize % 3];
        let data = classes(seed, 30, dimension, values, k);
        let at = points(seed, 40, dimension, values.map_or(1.0, f64::from));
        let ks = [7, 1, 30, 2, 12, 2];
        let got = probabilities(&mut Knn::classifier(ks.to_vec(), k), &data, &at, k);
        for (count, got) in ks.iter().zip(&got) {
            for (x, got) in at.rows().zip(got) {
                let distance = |i: &usize| {
                    let pairs = data.inputs.row(*i).iter().zip(x);
                    pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
                };
                let mut order: Vec<usize> = (0..30).collect();
                order.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
                for (class, got) in got.iter().enumerate() {
                    let votes = order[..*count]
                        .iter()
                        .filter(|&&i| data.labels[i] == class as f64);
                    let wanted = votes.count() as f64 / *count as f64;
                    assert!(
                        close(*got, wanted, 1e-12),
                        "{count} neighbours, {k} classes, seed {seed}: {got}, not {wanted}"
                    );
                }
            }
        }
    }
}

/// What an ensemble says of its members, by setting and member.
fn members(learner: &mut dyn Learner, at: &Points) -> Vec<Vec<Vec<f64>>> {
    let mut heard = vec![Vec::new(); learner.capacities()];
    let never = Interrupt::never();
    let is_ensemble = learner.predict_members(at, &never, &mut |setting, member, predictions| {
        assert_eq!(heard[setting].len(), member);
        heard[setting].push(predictions.to_vec());
    });
    assert_eq!(is_ensemble, Ok(true));
    heard
}

/// One row of probabilities for all members' rows.
fn combined(rows: Vec<&[f64]>, combine: Combine) -> Vec<f64> {
    let k = rows[0].len();
    let part = |member: usize, class: usize| match (combine, rows[member]) {
        (Combine::Probability, row) => row[class],
        (Combine::Vote, row) => {
            let most = row.iter().copied().fold(0.0, f64::max);
            let equals: Vec<usize> = (0..k).filter(|class| row[*class] == most).collect();
            let vote = match equals[..] {
                [only] => only,
                _ => Preference::of(&algorithm(7)).of_member(member).choose(row),
            };
            assert!(equals.contains(&vote));
            f64::from(vote == class)
        }
        (Combine::Geometric, row) => {
            // Moved away from 0 by ε, if anything is nearer.
            let near = row.iter().any(|p| *p < 0.99e-6);
            let p = row[class];
            let p = if near {
                (p + 1e-6) / (1.0 + 1e-6 * k as f64)
            } else {
                p
            };
            p.ln()
        }
    };
    let members = 0..rows.len();
    let mean = |class| {
        let parts = members.clone().map(|member| part(member, class));
        parts.sum::<f64>() / rows.len() as f64
    };
    let mut row: Vec<f64> = (0..k).map(mean).collect();
    if combine == Combine::Geometric {
        row.iter_mut().for_each(|mean| *mean = mean.exp());
        let total: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= total);
    }
    row
}

#[test]
fn ensembles_combine_their_members_as_they_say() {
    let settings =
        [(1, 0), (9, 1), (4, 0), (9, 0)].map(|(members, base)| BaggingSetting { members, base });
    let depths = [1, 4].map(|depth| TreeSetting {
        depth,
        ..Default::default()
    });
    for k in [2, 3] {
        let data = classes(3, 40, 2, None, k);
        let at = points(3, 30, 2, 1.0);
        for combine in [Combine::Probability, Combine::Vote, Combine::Geometric] {
            for sample in [BaggingSample::Bootstrap, BaggingSample::Split] {
                let base = Tree::classifier(depths.to_vec(), k, Criterion::Gini);
                let mut bagging =
                    Bagging::classifier(settings.to_vec(), Box::new(base), sample, k, combine);
                let got = probabilities(&mut bagging, &data, &at, k);
                let members = members(&mut bagging, &at);
                for ((setting, got), members) in settings.iter().zip(&got).zip(&members) {
                    assert_eq!(members.len(), setting.members);
                    for (j, got) in got.iter().enumerate() {
                        let rows = members.iter().map(|member| &member[j * k..][..k]);
                        let wanted = combined(rows.collect(), combine);
                        for (got, wanted) in got.iter().zip(wanted) {
                            assert!(
                                close(*got, wanted, 1e-12),
                                "{combine:?} of {k} classes, {setting:?}: {got}, not {wanted}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn members_of_numbers_have_the_prediction_for_their_mean() {
    let data = data(3, 30, 2, None);
    let at = points(3, 20, 2, 1.0);
    let settings = [(5, 0), (2, 1)].map(|(members, base)| BaggingSetting { members, base });
    let base = Knn::new(vec![1, 4]);
    let mut bagging = Bagging::new(settings.to_vec(), Box::new(base));
    let got = crate::setup::fit_predict(&mut bagging, &data, &at);
    let members = members(&mut bagging, &at);
    for (got, members) in got.iter().zip(&members) {
        for (j, got) in got.iter().enumerate() {
            let mean = members.iter().map(|m| m[j]).sum::<f64>() / members.len() as f64;
            assert!(close(*got, mean, 1e-12), "{got}, not {mean}");
        }
    }
    assert_eq!(members.iter().map(Vec::len).collect::<Vec<_>>(), [5, 2]);
    let none = Knn::new(vec![1]).predict_members(&at, &Interrupt::never(), &mut |_, _, _| {
        panic!("it has none")
    });
    assert_eq!(none, Ok(false));
}

/// Every setting of a path gives bit for bit what a learner with that one setting gives.
#[test]
fn a_path_is_a_loop() {
    let mut trees = Vec::new();
    for tries in [1, usize::MAX] {
        for (depth, leaves) in [(2, usize::MAX), (0, usize::MAX), (usize::MAX, 6), (3, 4)] {
            trees.push(TreeSetting {
                depth,
                leaves,
                tries,
                ..Default::default()
            });
        }
    }
    let forests: Vec<(usize, TreeSetting)> = [7, 1, 3]
        .into_iter()
        .flat_map(|count| trees.iter().map(move |tree| (count, *tree)))
        .collect();
    for k in [2, 4] {
        for dimension in [1, 3] {
            let data = classes(5, 25, dimension, Some(8), k);
            let at = points(5, 30, dimension, 8.0);
            for (criterion, combine) in [
                (Criterion::Gini, Combine::Vote),
                (Criterion::Entropy, Combine::Geometric),
                (Criterion::Entropy, Combine::Probability),
            ] {
                let make = |settings: &[(usize, TreeSetting)]| {
                    forest_classifier(settings, true, k, criterion, combine)
                };
                let together = probabilities(&mut *make(&forests), &data, &at, k);
                for (c, got) in together.iter().enumerate() {
                    let alone = probabilities(&mut *make(&forests[c..=c]), &data, &at, k);
                    assert_eq!(*got, alone[0], "setting {c}, {k} classes");
                    for row in got {
                        assert!(close(row.iter().sum(), 1.0, 1e-12));
                        assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
                    }
                }
                let mut forest = make(&forests);
                let inside = probabilities(&mut *forest, &data, &data.inputs, k);
                let mut fitted = vec![f64::NAN; forest.capacities() * data.len() * k];
                forest.predict_training(&data, &mut fitted);
                assert_eq!(rows(&fitted, data.len(), k), inside);
            }
        }
    }
}
