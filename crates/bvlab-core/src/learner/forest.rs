//! Random forests: bagged trees that look at a few features for every split.

use super::family::{
    Blueprint, COMBINE, CRITERION, Choice, DEPTH, Family, Most, Number, Task, whole,
};
use super::{
    Bagging, BaggingSample, BaggingSetting, Combine, Criterion, Learner, Tree, TreeSetting,
};

pub(super) const FAMILY: Family = Family {
    name: "forest",
    about: "the mean of trees that look at a few random features for every split",
    numbers: &[
        Number {
            name: "trees",
            about: "number of trees",
            least: 1.0,
            above: false,
            most: Most::Value(10_000.0),
            whole: true,
            default: Some(50.0),
        },
        DEPTH,
        Number {
            name: "leaves",
            about: "largest number of leaves of a tree, best splits first",
            least: 1.0,
            above: false,
            most: Most::Value(f64::INFINITY),
            whole: true,
            default: Some(f64::INFINITY),
        },
        Number {
            name: "tries",
            about: "number of features looked at for every split",
            least: 1.0,
            above: false,
            most: Most::Dimension,
            whole: true,
            default: Some(f64::INFINITY),
        },
    ],
    choices: &[
        Choice {
            name: "bootstrap",
            about: "whether every tree sees a bootstrap of the data, or all of it",
            options: &["true", "false"],
            classes_only: false,
        },
        CRITERION,
        COMBINE,
    ],
    has_base: false,
    one_dimensional: false,
    task: Task::Both,
    build: |Blueprint {
                settings,
                choices,
                classes,
                ..
            }| {
        let settings: Vec<(usize, TreeSetting)> = settings
            .iter()
            .map(|numbers| {
                let tree = TreeSetting {
                    depth: whole(numbers[1]),
                    leaves: whole(numbers[2]),
                    tries: whole(numbers[3]),
                    ..Default::default()
                };
                (whole(numbers[0]), tree)
            })
            .collect();
        let bootstrap = choices[0] == 0;
        if classes == 0 {
            return forest(&settings, bootstrap);
        }
        let criterion = Criterion::chosen(choices[1]);
        let combine = Combine::chosen(choices[2]);
        forest_classifier(&settings, bootstrap, classes, criterion, combine)
    },
};

/// A random forest: [`Bagging`] of a [`Tree`] with `tries`.
///
/// For every setting (number of trees, tree) the prediction is the mean over the trees. With
/// `bootstrap` each tree is grown on n pairs drawn with replacement, else on all data, so that the
/// trees differ by the features they looked at, and by the choice between equal ones, alone. With all features tried and bootstrap it *is*
/// bagging.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `trees` | number of trees | 1 to 10 000 | 50 |
/// | `depth` | largest number of splits on the way to a leaf | from 0 | no limit |
/// | `leaves` | largest number of leaves, best splits first | from 1 | no limit |
/// | `tries` | features looked at for every split | 1 to the dimension | all |
/// | `bootstrap` | whether every tree sees a bootstrap | `true` or `false` | `true` |
/// | `criterion` | for classes: what a split is to lower | `gini` or `entropy` | `gini` |
/// | `combine` | for classes: how trees make one prediction | `probability`, `vote` or `geometric` | `probability` |
///
/// **Cost** of a whole path: one forest of the most trees gives every smaller number, and each of
/// its trees every depth or every number of leaves.
///
/// **Reference**: Breiman, *Random forests*, Machine Learning 45 (2001).
///
/// ```
/// use bvlab_core::learner::{Learner, TreeSetting, forest};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(2, vec![0.0, 0.0, 1.0, 1.0]),
///     labels: vec![3.0, 5.0],
/// };
/// let tree = TreeSetting { tries: 1, ..Default::default() };
/// let mut forest = forest(&[(10, tree)], false);
/// forest.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0];
/// forest.predict(&Points::new(2, vec![0.9, 0.9]), &mut out);
/// assert_eq!(out, [5.0]);
/// ```
pub fn forest(settings: &[(usize, TreeSetting)], bootstrap: bool) -> Box<dyn Learner> {
    let (bags, trees, sample) = bags(settings, bootstrap);
    let trees = Box::new(Tree::new(trees));
    Box::new(Bagging::with_sample(bags, trees, sample))
}

/// A [`forest`] for labels that are classes 0, 1, …, K - 1: [`Bagging::classifier`] of a
/// [`Tree::classifier`].
pub fn forest_classifier(
    settings: &[(usize, TreeSetting)],
    bootstrap: bool,
    classes: usize,
    criterion: Criterion,
    combine: Combine,
) -> Box<dyn Learner> {
    let (bags, trees, sample) = bags(settings, bootstrap);
    let trees = Box::new(Tree::classifier(trees, classes, criterion));
    Box::new(Bagging::classifier(bags, trees, sample, classes, combine))
}

/// The settings of the bagging and of its trees, equal trees but once.
fn bags(
    settings: &[(usize, TreeSetting)],
    bootstrap: bool,
) -> (Vec<BaggingSetting>, Vec<TreeSetting>, BaggingSample) {
    let mut trees: Vec<TreeSetting> = Vec::new();
    let mut bags = Vec::new();
    for &(members, tree) in settings {
        let base = trees
            .iter()
            .position(|known| *known == tree)
            .unwrap_or_else(|| {
                trees.push(tree);
                trees.len() - 1
            });
        bags.push(BaggingSetting { members, base });
    }
    let sample = match bootstrap {
        true => BaggingSample::Bootstrap,
        false => BaggingSample::All,
    };
    (bags, trees, sample)
}
