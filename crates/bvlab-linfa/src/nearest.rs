//! linfa-nn: nearest neighbours.

use bvlab_core::data::{Points, Training};
use bvlab_core::interrupt::{Interrupt, Interrupted};
use bvlab_core::learner::{Blueprint, Choice, Family, LabelKind, Learner, Size};
use bvlab_core::parameter::{Most, Parameter};
use bvlab_core::stream::Stream;
use linfa_nn::distance::L2Dist;
use linfa_nn::{CommonNearestNeighbour, NearestNeighbour};
use ndarray::{ArrayView1, ArrayView2};

/// The mean label, or the shares of classes, of the `k` training points that linfa-nn finds nearest
/// to x. At equal distances linfa chooses, and which it takes depends on the order of the training
/// points and on the search; `knn` takes the earliest.
///
/// **Cost** of a whole path: one search for the largest k for every test point.
pub(crate) const FAMILY: Family = Family::new(
    "linfa-knn",
    "the mean label, or the shares of classes, of the nearest points by linfa's search",
    build,
)
.parameters(&[Parameter::whole("k", "number of neighbours")
    .least(1.0)
    .most(Most::Train)])
.choices(&[Choice::new(
    "search",
    "how linfa finds them: by a k-d tree or by comparing all points",
    &["kd-tree", "linear"],
)])
.labels(LabelKind::Both);

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    // linfa's ball tree is as deep as there are equal points, which can overflow the stack.
    let search = match blueprint.choice("search") {
        "kd-tree" => CommonNearestNeighbour::KdTree,
        _ => CommonNearestNeighbour::LinearSearch,
    };
    let ks: Vec<usize> = blueprint
        .settings()
        .map(|setting| setting.whole("k"))
        .collect();
    let mut order: Vec<usize> = (0..ks.len()).collect();
    order.sort_by_key(|setting| ks[*setting]);
    Box::new(Nearest {
        ks,
        order,
        classes: blueprint.classes,
        search,
        data: Training::default(),
    })
}

#[derive(Clone)]
struct Nearest {
    ks: Vec<usize>,
    /// The settings by increasing k.
    order: Vec<usize>,
    /// 0 where labels are numbers.
    classes: usize,
    search: CommonNearestNeighbour,
    data: Training,
}

impl Nearest {
    fn largest(&self) -> usize {
        self.ks.iter().copied().max().unwrap_or(1)
    }

    /// Writes the predictions of every setting at point j of `total`, from the labels of its
    /// neighbours by increasing distance.
    fn conclude(
        &self,
        labels: &[f64],
        (j, total): (usize, usize),
        sums: &mut [f64],
        out: &mut [f64],
    ) {
        let outputs = sums.len();
        sums.fill(0.0);
        let mut seen = 0;
        for &setting in &self.order {
            let k = self.ks[setting].min(labels.len());
            for label in &labels[seen..k] {
                match self.classes {
                    0 => sums[0] += label,
                    _ => sums[*label as usize] += 1.0,
                }
            }
            seen = k;
            let place = (setting * total + j) * outputs;
            let predictions = &mut out[place..place + outputs];
            predictions
                .iter_mut()
                .zip(&*sums)
                .for_each(|(p, sum)| *p = sum / k as f64);
        }
    }
}

impl Learner for Nearest {
    fn capacities(&self) -> usize {
        self.ks.len()
    }

    fn try_fit(&mut self, data: &Training, _: &Stream, _: &Interrupt) -> Result<(), Interrupted> {
        self.data.clone_from(data);
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let inputs = &self.data.inputs;
        let finite = |points: &Points| points.values().iter().all(|x| x.is_finite());
        let shape = (inputs.len(), inputs.dimension());
        // linfa's tree panics at coordinates that are not finite.
        let batch = match finite(inputs) && finite(points) {
            true => ArrayView2::from_shape(shape, inputs.values()).ok(),
            false => None,
        };
        let index = batch
            .as_ref()
            .map(|batch| self.search.from_batch(batch, L2Dist));
        let Some(Ok(index)) = index else {
            out.fill(f64::NAN);
            return Ok(());
        };
        let (count, total) = (self.largest(), points.len());
        let mut sums = vec![0.0; self.classes.max(1)];
        let mut labels = Vec::with_capacity(count);
        let step = match self.search {
            CommonNearestNeighbour::LinearSearch => 10 * inputs.values().len(),
            _ => 20 * (count + 20) * inputs.dimension(),
        };
        for (j, x) in points.rows().enumerate() {
            interrupt.check(step)?;
            labels.clear();
            let found = index.k_nearest(ArrayView1::from(x), count);
            let found = found.unwrap_or_default();
            labels.extend(found.iter().map(|(_, i)| self.data.labels[*i]));
            self.conclude(&labels, (j, total), &mut sums, out);
        }
        Ok(())
    }

    fn is_linear(&self) -> bool {
        self.classes == 0
    }

    fn operations(&self, size: Size) -> f64 {
        let search = match self.search {
            CommonNearestNeighbour::LinearSearch => 10.0 * size.train * size.dimension,
            _ => 20.0 * (self.largest() as f64 + 20.0) * size.dimension,
        };
        size.predictions() * (search + self.capacities() as f64 * size.outputs)
    }

    fn numbers_held(&self, size: Size) -> f64 {
        3.0 * size.train * (size.dimension + 2.0)
    }
}
