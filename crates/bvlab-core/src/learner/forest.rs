//! Random forests: bagged trees that try a few inputs at every split.

use super::family::{Blueprint, COMBINE, CRITERION, Choice, DEPTH, Family, LEAVES, LabelKind};
use super::{
    Bagging, BaggingSample, BaggingSetting, Combine, Criterion, Learner, Tree, TreeSetting,
};
use crate::parameter::{Most, Parameter};

pub(super) const FAMILY: Family = Family::new(
    "forest",
    "the mean of trees that try a few random inputs at every split (without `tries` all of them, as in bagging)",
    build,
)
.parameters(&[
    Parameter::whole("trees", "number of trees")
        .symbol("M")
        .least(1.0)
        .up_to(10_000.0)
        .default(50.0)
        .usual(1.0, 50.0),
    DEPTH,
    LEAVES,
    Parameter::whole("tries", "number of inputs tried at every split")
        .least(1.0)
        .most(Most::Dimension)
        .default(f64::INFINITY),
])
.choices(&[
    Choice::flag(
        "bootstrap",
        "whether every tree sees a bootstrap of the data, or all of it",
    ),
    CRITERION,
    COMBINE,
])
.labels(LabelKind::Both)
.one_fit("every smaller number of trees, every depth or number of leaves");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings: Vec<(usize, TreeSetting)> = blueprint
        .settings()
        .map(|setting| {
            let tree = TreeSetting {
                depth: setting.whole("depth"),
                leaves: setting.whole("leaves"),
                tries: setting.whole("tries"),
                ..Default::default()
            };
            (setting.whole("trees"), tree)
        })
        .collect();
    let bootstrap = blueprint.flag("bootstrap");
    let criterion = Criterion::chosen(&blueprint);
    let combine = Combine::chosen(&blueprint);
    match blueprint.classes {
        0 => forest(&settings, bootstrap),
        classes => forest_classifier(&settings, bootstrap, classes, criterion, combine),
    }
}

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
/// | `tries` | inputs tried at every split | 1 to the dimension | all |
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
