//! How good groups are: criteria, silhouettes, scatter, and errors against known labels.

use super::kmeans::apart;
use crate::data::Points;
use crate::interrupt::{Interrupt, Interruptible};
use crate::maths::ln;

/// Akaike's criterion 2p - 2 ln L, of p parameters.
pub fn aic(log_likelihood: f64, parameters: f64) -> f64 {
    2.0 * parameters - 2.0 * log_likelihood
}

/// The Bayesian criterion p ln n - 2 ln L, of p parameters and n points.
pub fn bic(log_likelihood: f64, parameters: f64, points: usize) -> f64 {
    parameters * ln(points as f64) - 2.0 * log_likelihood
}

/// The mean over points of (b - a)/max(a, b): a is the mean distance from the other points of its group, b the smallest
/// mean distance from the points of another. It is 0 for a point that is alone, and if there is one group only.
///
/// **Cost**: O(n² d).
///
/// # Errors
///
/// If it was interrupted.
pub fn silhouette(points: &Points, labels: &[usize], interrupt: &Interrupt) -> Interruptible<f64> {
    let groups = labels.iter().max().map_or(0, |most| most + 1);
    let mut counts = vec![0.0; groups];
    labels.iter().for_each(|label| counts[*label] += 1.0);
    let mut total = 0.0;
    let mut sums = vec![0.0; groups];
    for (x, own) in points.rows().zip(labels) {
        interrupt.check(points.len() * (6 + 3 * points.dimension()))?;
        sums.fill(0.0);
        for (other, label) in points.rows().zip(labels) {
            sums[*label] += apart(x, other).sqrt();
        }
        let inside = sums[*own] / (counts[*own] - 1.0);
        let others = (0..groups).filter(|k| k != own && counts[*k] > 0.0);
        let outside = others.map(|k| sums[k] / counts[k]);
        let outside = outside.fold(f64::INFINITY, f64::min);
        let most = inside.max(outside);
        if counts[*own] > 1.0 && most > 0.0 && most < f64::INFINITY {
            total += (outside - inside) / most;
        }
    }
    Ok(total / points.len().max(1) as f64)
}

/// Sums of squared distances: of points from the mean of their group, of these means, each as often as its group has
/// points, from the mean of all, and of points from the mean of all. The first two sum to the third.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scatter {
    /// Within groups.
    pub within: f64,
    /// Between groups.
    pub between: f64,
    /// In total.
    pub total: f64,
}

impl Scatter {
    /// The scatter of labelled points.
    pub fn of(points: &Points, labels: &[usize]) -> Self {
        let groups = labels.iter().max().map_or(0, |most| most + 1);
        let size = points.dimension().max(1);
        let mut counts = vec![0.0; groups + 1];
        let mut means = vec![0.0; (groups + 1) * size];
        // The last mean is that of all.
        let both = |label: usize| [label, groups];
        let each = || points.rows().zip(labels);
        each().for_each(|(_, label)| both(*label).iter().for_each(|k| counts[*k] += 1.0));
        for (x, label) in each() {
            for k in both(*label) {
                let mean = means[k * size..][..size].iter_mut();
                mean.zip(x).for_each(|(mean, x)| *mean += x / counts[k]);
            }
        }
        let mean = |k: usize| &means[k * size..][..size];
        let sum =
            |from: &dyn Fn(&[f64], usize) -> f64| each().map(|(x, label)| from(x, *label)).sum();
        Scatter {
            within: sum(&|x, label| apart(x, mean(label))),
            between: sum(&|_, label| apart(mean(label), mean(groups))),
            total: sum(&|x, _| apart(x, mean(groups))),
        }
    }
}

/// Which group is which class: group `matched[k]` belongs to class k, so that as few points as possible are in the
/// wrong one. Groups have no names of their own. At most 16 groups; others stay as they are.
pub fn matched(labels: &[usize], classes: &[usize], groups: usize) -> Vec<usize> {
    if groups > 16 {
        return (0..groups).collect();
    }
    let mut counts = vec![0_u64; groups * groups];
    for (label, class) in labels.iter().zip(classes) {
        if *label < groups && *class < groups {
            counts[class * groups + label] += 1;
        }
    }
    // The most points that the first classes can have right with a set of groups, and the last group taken.
    let mut best = vec![(0_u64, 0_usize); 1 << groups];
    for set in 1..best.len() {
        let class = set.count_ones() as usize - 1;
        let taken = (0..groups).filter(|group| set >> group & 1 == 1);
        let choice = taken.map(|group| {
            let right = best[set & !(1 << group)].0 + counts[class * groups + group];
            (right, group)
        });
        // The first of equals.
        best[set] = choice
            .rev()
            .max_by_key(|(right, _)| *right)
            .unwrap_or((0, 0));
    }
    let mut set = best.len() - 1;
    let mut matched = vec![0; groups];
    for class in (0..groups).rev() {
        matched[class] = best[set].1;
        set &= !(1 << matched[class]);
    }
    matched
}
