//! linfa-trees: decision trees for classes.

use std::sync::Arc;

use bvlab_core::learner::{
    Blueprint, Choice, Family, FromLinfa, LabelKind, Learner, LinfaModel, LinfaTraining, Size,
};
use bvlab_core::parameter::{Most, Parameter};
use linfa::Dataset;
use linfa::traits::{Fit, Predict};
use linfa_trees::{DecisionTree, SplitQuality};
use ndarray::Array1;

use crate::label::{OrderedLabel, ranks};

/// linfa grows its trees by recursion, and on inputs that differ by rounding alone without end; so deep
/// a tree fits on the stack of a thread.
const DEEPEST: f64 = 1000.0;

/// linfa's decision tree: the most frequent class of the training points in x's leaf.
///
/// The model is that of linfa-trees 0.8: inputs closer than 10⁻⁵ to each other are not split, at equal
/// gains the first feature and the lowest threshold win, and impurities are computed in single
/// precision. linfa decides by chance between equally frequent classes of a leaf. Here an order of the
/// classes that is drawn for every training set decides, so that a run can be repeated.
///
/// **Cost** of a setting: O(nodes · d n).
pub(crate) const FAMILY: Family = Family::new(
    "linfa-tree",
    "linfa's decision tree: the most frequent class of a leaf",
    build,
)
.parameters(&[
    Parameter::whole("depth", "largest number of splits on the way to a leaf")
        .up_to(DEEPEST)
        .default(DEEPEST)
        .usual(1.0, 12.0),
    Parameter::whole("min-leaf", "smallest number of training points in a leaf")
        .least(1.0)
        .most(Most::Train)
        .default(1.0)
        .usual(1.0, 30.0),
])
.choices(&[Choice::new(
    "criterion",
    "what a split minimises: Gini impurity or entropy",
    &["gini", "entropy"],
)])
.labels(LabelKind::Classes);

#[derive(Clone, Copy)]
struct TreeLimits {
    depth: usize,
    min_leaf: usize,
}

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let criteria = [
        ("gini", SplitQuality::Gini),
        ("entropy", SplitQuality::Entropy),
    ];
    let criterion = blueprint.chosen("criterion", &criteria);
    let classes = blueprint.classes;
    let settings = blueprint.settings().map(|setting| TreeLimits {
        depth: setting.whole("depth"),
        min_leaf: setting.whole("min-leaf"),
    });
    let settings: Vec<TreeLimits> = settings.collect();
    let fits = settings.clone().into_iter().map(move |limits| {
        move |training: &LinfaTraining| fit(limits, criterion, classes, training)
    });
    let operations = move |size: Size| {
        let each = settings.iter().map(|limits| {
            let leaves = (1_u64 << limits.depth.min(60)) as f64;
            let leaves = leaves.min(size.train / limits.min_leaf as f64);
            // Every node looks at all training points, and counts classes in hash tables.
            20.0 * leaves * size.train * size.dimension
        });
        each.sum()
    };
    Box::new(FromLinfa::by(fits, classes).with_operations(operations))
}

fn fit(
    limits: TreeLimits,
    criterion: SplitQuality,
    classes: usize,
    training: &LinfaTraining,
) -> Result<LinfaModel, String> {
    let ranks = ranks(classes, training.stream);
    let label = |class: usize| OrderedLabel::new(ranks[class], classes);
    let labels: Array1<OrderedLabel> = training.classes().map(label).collect();
    let mut class_of = vec![0; classes];
    for (class, rank) in ranks.iter().enumerate() {
        class_of[*rank] = class;
    }
    let tree = DecisionTree::params()
        .split_quality(criterion)
        .max_depth(Some(limits.depth))
        .min_weight_leaf(limits.min_leaf as f32)
        .fit(&Dataset::new(training.inputs.clone(), labels))
        .map_err(|error| error.to_string())?;
    Ok(Arc::new(move |inputs, out| {
        out.fill(0.0);
        for (row, label) in out.chunks_exact_mut(classes).zip(tree.predict(inputs)) {
            row[class_of[usize::from(label.rank)]] = 1.0;
        }
    }))
}
