//! Least squares on a subset of the inputs.

mod search;

use super::design::{Design, InputScale};
use super::family::{Blueprint, Choice, Family};
use super::{Learner, Size, room};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::{add_scaled, dot};
use crate::maths::pow;
use crate::parameter::{DataSize, Most, Parameter, UnsuitableData};
use crate::stream::Stream;
use search::SubsetSearch;

pub(super) const FAMILY: Family = Family::new(
    "subset",
    "least squares on a few of the inputs, chosen by the training error",
    build,
)
.parameters(&[Parameter::whole("size", "number of inputs chosen")
    .symbol("k")
    .most(Most::Dimension)])
.choices(&[Choice::new(
    "search",
    "how inputs are chosen: added one by one, dropped one by one, or the best of all subsets",
    &["forward", "backward", "best"],
)])
.allows(|blueprint, size| match searched(blueprint) {
    Search::Best => few_enough(size),
    Search::Forward | Search::Backward => Ok(()),
})
.one_fit("every size, from one search");

fn searched(blueprint: &Blueprint) -> Search {
    let searches = [
        ("forward", Search::Forward),
        ("backward", Search::Backward),
        ("best", Search::Best),
    ];
    blueprint.chosen("search", &searches)
}

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings();
    let sizes = settings.map(|setting| setting.whole("size")).collect();
    Box::new(Subset::new(sizes, searched(&blueprint)))
}

/// The most inputs of which all subsets are looked at.
const MOST_INPUTS: usize = 20;

fn few_enough(size: DataSize) -> Result<(), UnsuitableData> {
    match size.dimension > MOST_INPUTS {
        true => Err(UnsuitableData {
            message: format!(
                "`search = \"best\"` takes at most {MOST_INPUTS} inputs, not {}",
                size.dimension
            ),
            help: "take `search = \"forward\"` or \"backward\", or fewer inputs".to_owned(),
        }),
        false => Ok(()),
    }
}

/// How [`Subset`] chooses inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// Beginning with none, the input that lowers the sum of squared residuals most is added.
    #[default]
    Forward,
    /// Beginning with all, the input without which the sum of squared residuals grows least is dropped.
    Backward,
    /// Of all subsets of a size, the one with the smallest sum of squared residuals.
    Best,
}

/// Subset selection: least squares with a constant on k of the inputs.
///
/// A [`Search`] chooses them by the sum of squared residuals on the training set. Inputs that are linear
/// combinations of others in the training set are not chosen beside them: a size beyond the rank adds
/// nothing. Backward search then begins with as many independent inputs as there are, the least
/// dependent ones first.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `size` | k, the number of inputs chosen | 0 to the dimension | must be given |
/// | `search` | `forward`, `backward` or `best`, the last for up to 20 inputs | | `forward` |
///
/// **Cost** of a whole path: one search gives every size. Forward O(n p) for every input that is added;
/// backward O(n p² + p³); best O(n p² + 2^p): all subsets are visited so that each one adds an input
/// to one before, and what is left of the products of the remaining inputs is updated. Half of
/// all subsets add the last input, for which nothing is left to update, a quarter the last but one,
/// and so on, so that it takes a few operations per subset whatever p.
///
/// **Reference**: Miller, *Subset Selection in Regression* (2002); Hastie, Tibshirani and Friedman, *The
/// Elements of Statistical Learning*, section 3.3.
///
/// ```
/// use bvlab_core::learner::{Learner, Search, Subset};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(2, vec![0.0, 1.0, 1.0, 3.0, 2.0, 1.0, 3.0, 3.0]),
///     labels: vec![1.0, 3.5, 2.0, 4.5], // (x_1 + 2 x_2)/2
/// };
/// let mut subset = Subset::new(vec![0, 1, 2], Search::Best);
/// subset.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// subset.predict(&Points::new(2, vec![4.0, 1.0]), &mut out);
/// for (found, wanted) in out.iter().zip([2.75, 1.5, 3.0]) {
///     assert!((found - wanted).abs() < 1e-12); // the mean; x_2 alone; both
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Subset {
    sizes: Vec<usize>,
    how: Search,
    design: Design,
    search: SubsetSearch,
    triangle: Triangle,
    weights: Vec<f64>,
}

impl Subset {
    /// A path over sizes, in any order.
    ///
    /// # Panics
    ///
    /// When it is fitted by [`Search::Best`] to more than 20 inputs; a [`Family`] refuses that.
    pub fn new(sizes: Vec<usize>, how: Search) -> Self {
        Subset {
            sizes,
            how,
            design: Design::default(),
            search: SubsetSearch::default(),
            triangle: Triangle::default(),
            weights: Vec::new(),
        }
    }
}

impl Learner for Subset {
    fn capacities(&self) -> usize {
        self.sizes.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        _: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.design.load(data, true, InputScale::None);
        let width = self.design.width();
        self.weights.clear();
        self.weights.resize(self.sizes.len() * width, 0.0);
        let most = self.sizes.iter().copied().max().unwrap_or(0);
        let most = most.min(width).min(data.len() - 1);
        self.search.load(&self.design);
        match self.how {
            Search::Forward => self.search.forward(&self.design, most, interrupt)?,
            Search::Backward => self.search.backward(&self.design, interrupt)?,
            Search::Best => {
                assert!(width <= MOST_INPUTS, "all subsets of {width} inputs");
                self.search.best(&self.design, most, interrupt)?;
            }
        }
        let rows = self.weights.chunks_exact_mut(width).zip(&self.sizes);
        if self.how == Search::Best {
            for (weights, &size) in rows {
                let chosen = self.search.best_of(size);
                interrupt.check(4 * data.len() * chosen.len() * chosen.len())?;
                self.triangle.load(&self.design, &self.search, chosen);
                self.triangle.solve(&self.search, chosen, weights);
            }
        } else {
            let order = &self.search.order[..self.search.order.len().min(most)];
            interrupt.check(4 * data.len() * order.len() * order.len())?;
            self.triangle.load(&self.design, &self.search, order);
            for (weights, &size) in rows {
                let chosen = &order[..size.min(order.len())];
                self.triangle.solve(&self.search, chosen, weights);
            }
        }
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        interrupt.check(out.len() * self.design.width())?;
        self.design.predict(&self.weights, points, out);
        Ok(())
    }

    fn operations(&self, size: Size) -> f64 {
        let p = size.dimension;
        let chosen = self.sizes.iter().copied().max().unwrap_or(0) as f64;
        let chosen = chosen.min(p).min(size.train);
        let search = match self.how {
            Search::Forward => 4.0 * size.train * p * chosen,
            Search::Backward => 4.0 * size.train * p * p + p * p * p,
            Search::Best => size.train * p * p + 10.0 * pow(2.0, p.min(MOST_INPUTS as f64)),
        };
        let solves = 4.0 * size.train * chosen * chosen;
        search + solves + self.capacities() as f64 * p * size.predictions()
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let p = size.dimension;
        let own = match self.how {
            Search::Forward => 0.0,
            Search::Backward => 3.0 * p * p,
            Search::Best => p * p * p / 3.0,
        };
        2.0 * size.train * p + own + self.capacities() as f64 * p
    }
}

/// Columns made orthonormal one after the other: X = QR, and Qᵀy.
#[derive(Clone, Debug, Default)]
struct Triangle {
    q: Vec<f64>,
    /// Column j of R: j + 1 numbers, after those of the columns before.
    r: Vec<f64>,
    z: Vec<f64>,
}

impl Triangle {
    /// Of the columns chosen, scaled to length 1.
    fn load(&mut self, design: &Design, search: &SubsetSearch, chosen: &[usize]) {
        let rows = design.rows;
        let q = room(&mut self.q, rows * chosen.len());
        self.r.clear();
        self.z.clear();
        for (place, &feature) in chosen.iter().enumerate() {
            let (done, rest) = q.split_at_mut(place * rows);
            let column = &mut rest[..rows];
            let length = search.lengths[feature];
            for (value, x) in column.iter_mut().zip(design.column(feature)) {
                *value = x / length;
            }
            let start = self.r.len();
            self.r.resize(start + place, 0.0);
            // Twice is enough.
            for _ in 0..2 {
                for (l, before) in done.chunks_exact(rows).enumerate() {
                    let along = dot(before, column);
                    add_scaled(column, -along, before);
                    self.r[start + l] += along;
                }
            }
            let left = dot(column, column).sqrt();
            column.iter_mut().for_each(|value| *value /= left);
            self.r.push(left);
            self.z.push(dot(column, &design.labels));
        }
    }

    /// The weights of the first columns, as many as are chosen.
    fn solve(&self, search: &SubsetSearch, chosen: &[usize], weights: &mut [f64]) {
        for i in (0..chosen.len()).rev() {
            let mut rest = self.z[i];
            for j in i + 1..chosen.len() {
                rest -= self.r[j * (j + 1) / 2 + i] * weights[chosen[j]];
            }
            weights[chosen[i]] = rest / self.r[i * (i + 1) / 2 + i];
        }
        for &j in chosen {
            weights[j] /= search.lengths[j];
        }
    }
}
