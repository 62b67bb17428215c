//! Histograms.

use super::density::{DensityEstimator, Smoothing, check_width};
use super::family::{Blueprint, Family, LabelKind};
use super::{Learner, Size};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{log2, square};
use crate::parameter::{DataSize, Most, Parameter, UnsuitableData};
use crate::problem::Density;
use crate::stream::Stream;

const BINS: Parameter = Parameter::whole("bins", "number of bins")
    .least(1.0)
    .most(Most::Value(1e6))
    .default(f64::INFINITY)
    .usual(1.0, 60.0);

const WIDTH: Parameter = Parameter::number("width", "width of a bin, in place of `bins`")
    .symbol("h")
    .unit("units of x")
    .above(0.0)
    .default(f64::INFINITY);

const ORIGIN: Parameter = Parameter::number(
    "origin",
    "where an edge lies beyond the lower end of the range, in bins",
)
.most(Most::Value(1.0))
.default(0.0)
.usual(0.0, 1.0);

const SMOOTHING: Parameter = Parameter::number(
    "smoothing",
    "values that are added to every bin of the range",
)
.symbol("a")
.least(0.0)
.most(Most::Value(1e6))
.default(0.0)
.usual(0.0, 5.0);

pub(super) const FAMILY: Family = Family::new(
    "histogram",
    "the share of the sample in a bin, divided by its width",
    |blueprint| {
        let added = blueprint.settings();
        let added = added.map(|setting| setting.number(SMOOTHING.name));
        let histogram = HistogramDensity::new(settings(&blueprint).collect());
        Box::new(histogram.smoothed(added.collect(), blueprint.range))
    },
)
.parameters(&[BINS, WIDTH, ORIGIN, SMOOTHING])
.one_dimensional()
.labels(LabelKind::Density)
.one_fit(
    "every number of bins, from one sorted sample; either `bins` or `width` must be given or swept",
)
.allows(allows);

/// The cells of every setting.
fn settings(blueprint: &Blueprint) -> impl Iterator<Item = CellSetting> {
    let (from, to) = blueprint.range;
    blueprint.settings().map(move |setting| {
        let width = match setting.number(WIDTH.name) {
            width if width.is_finite() => width,
            _ => (to - from) / setting.number(BINS.name),
        };
        CellSetting {
            width,
            origin: from + setting.number(ORIGIN.name) * width,
        }
    })
}

fn allows(blueprint: &Blueprint, _: DataSize) -> Result<(), UnsuitableData> {
    for setting in blueprint.settings() {
        let given = [BINS, WIDTH].map(|one| setting.number(one.name).is_finite());
        if given[0] == given[1] {
            return Err(UnsuitableData {
                message: "`histogram` needs either `bins` or `width`".to_owned(),
                help: "give one of them, as in `histogram = { bins = 20 }`, or sweep over it"
                    .to_owned(),
            });
        }
    }
    let mut cells = settings(blueprint);
    cells.try_for_each(|cells| check_width(WIDTH.name, cells.width, blueprint.range))
}

/// The cells of a histogram: from `origin + k width` to `origin + (k + 1) width` for every whole k, the
/// upper end not included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellSetting {
    /// The width of a cell.
    pub width: f64,
    /// An edge.
    pub origin: f64,
}

impl CellSetting {
    /// The number k of the cell that holds x, and its ends.
    fn around(self, x: f64) -> (f64, (f64, f64)) {
        let edge = |k: f64| self.origin + k * self.width;
        let mut k = ((x - self.origin) / self.width).floor();
        // The quotient may have been rounded across an edge.
        if x < edge(k) {
            k -= 1.0;
        } else if x >= edge(k + 1.0) {
            k += 1.0;
        }
        (k, (edge(k), edge(k + 1.0)))
    }
}

/// What is added to the counts of a histogram.
#[derive(Clone, Copy, Debug)]
struct AddedCounts {
    /// To every cell of the range.
    each: f64,
    /// The numbers of the first and the last of them.
    first: f64,
    last: f64,
}

impl AddedCounts {
    fn new(each: f64, cells: CellSetting, (from, to): (f64, f64)) -> Self {
        let place = |x: f64| (x - cells.origin) / cells.width;
        // An edge that lies at an end of the range but for rounding lies there.
        AddedCounts {
            each,
            first: (place(from) + 1e-9).floor(),
            last: (place(to) - 1e-9).ceil() - 1.0,
        }
    }

    /// To the cell with that number.
    fn to(self, k: f64) -> f64 {
        match (self.first..=self.last).contains(&k) {
            true => self.each,
            false => 0.0,
        }
    }

    fn total(self) -> f64 {
        match self.each > 0.0 {
            true => self.each * (self.last - self.first + 1.0),
            false => 0.0,
        }
    }
}

/// The histogram as an estimate of a density: N/(n h) in a cell of width h that holds N of n values.
/// Cells cover the whole line, also beyond the range of the problem, so that no value is lost.
///
/// With smoothing a above 0 it is (N + a)/((n + aB) h) in the B cells that reach into the range, and
/// N/((n + aB) h) beyond (Laplace's rule has a = 1): no cell of the range is empty, and the log-loss
/// is finite.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `bins` | number of bins | 1 to 10⁶ | this or `width` |
/// | `width` | h, in units of x | above 0 | this or `bins` |
/// | `origin` | where an edge lies beyond the lower end of the range, in cells | 0 to 1 | 0 |
/// | `smoothing` | a, the values that are added to every cell of the range | from 0 | 0 |
///
/// With the probability p of a cell, the mean of the estimate is (np + a)/((n + aB) h), and its variance
/// np(1 - p)/((n + aB) h)².
///
/// **Cost** of a whole path: O(n log n), and O(m log n) for every setting with m cells.
///
/// **Reference**: Scott, *On optimal and data-based histograms*, Biometrika 66 (1979); Rudemo,
/// *Empirical choice of histograms and kernel density estimators*, Scandinavian Journal of Statistics
/// 9 (1982), for the formula of cross-validation.
///
/// ```
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::learner::{CellSetting, HistogramDensity, Learner};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.1, 0.9, 0.2, 1.5]),
///     labels: vec![0.0; 4],
/// };
/// let mut histogram = HistogramDensity::new(vec![CellSetting { width: 0.5, origin: 0.0 }]);
/// histogram.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 4];
/// histogram.predict(&Points::new(1, vec![0.0, 0.5, 1.2, 9.0]), &mut out);
/// assert_eq!(out, [1.0, 0.5, 0.0, 0.0]);
/// ```
#[derive(Clone, Debug)]
pub struct HistogramDensity {
    settings: Vec<CellSetting>,
    added: Vec<AddedCounts>,
    sorted: Vec<f64>,
}

impl HistogramDensity {
    /// A path over cells.
    pub fn new(settings: Vec<CellSetting>) -> Self {
        let none = vec![0.0; settings.len()];
        let empty = HistogramDensity {
            settings,
            added: Vec::new(),
            sorted: Vec::new(),
        };
        empty.smoothed(none, (0.0, 1.0))
    }

    /// The same with so many values added to every cell of a range, by setting.
    #[must_use]
    pub fn smoothed(mut self, added: Vec<f64>, range: (f64, f64)) -> Self {
        let each = added.into_iter().zip(&self.settings);
        let each = each.map(|(each, cells)| AddedCounts::new(each, *cells, range));
        self.added = each.collect();
        self
    }

    fn cells(&self) -> impl Iterator<Item = (CellSetting, AddedCounts)> {
        self.settings
            .iter()
            .copied()
            .zip(self.added.iter().copied())
    }

    fn below(&self, x: f64) -> usize {
        self.sorted.partition_point(|value| *value < x)
    }
}

impl Learner for HistogramDensity {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn try_fit(&mut self, data: &Training, _: &Stream, _: &Interrupt) -> Result<(), Interrupted> {
        sort_into(data, &mut self.sorted);
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let count = self.sorted.len() as f64;
        for ((cells, added), out) in self.cells().zip(out.chunks_exact_mut(points.len())) {
            let count = count + added.total();
            interrupt.check(8 * points.len())?;
            // Test points of a grid rise: those of a cell come one after the other.
            let (mut ends, mut height) = ((f64::NAN, f64::NAN), 0.0);
            for (x, out) in points.values().iter().zip(out) {
                if !(*x >= ends.0 && *x < ends.1) {
                    let k;
                    (k, ends) = cells.around(*x);
                    let inside = self.below(ends.1) - self.below(ends.0).min(self.below(ends.1));
                    height = (inside as f64 + added.to(k)) / (count * cells.width);
                }
                *out = height;
            }
        }
        Ok(())
    }

    fn as_density(&self) -> Option<&dyn DensityEstimator> {
        Some(self)
    }

    fn operations(&self, size: Size) -> f64 {
        self.capacities() as f64 * size.predictions() * 2.0 * log2(size.train.max(2.0))
    }
}

impl DensityEstimator for HistogramDensity {
    fn smoothing(&self) -> Smoothing {
        Smoothing::Cells(self.settings.iter().map(|cells| cells.width).collect())
    }

    fn moments(&self, density: &Density, n: usize, points: &Points) -> Option<Vec<[f64; 2]>> {
        let each = self.cells().flat_map(|(cells, added)| {
            let count = n as f64 + added.total();
            // k(x, X) is (s + b)/h where X is in the cell, and b/h elsewhere.
            let s = n as f64 / count;
            points.values().iter().map(move |x| {
                let (k, (from, to)) = cells.around(*x);
                let p = density.probability(from, to);
                let b = added.to(k) / count;
                let second = s * s * p + (2.0 * s * p + b) * b;
                [(s * p + b) / cells.width, second / square(cells.width)]
            })
        });
        Some(each.collect())
    }

    fn can_vanish(&self) -> Option<(usize, &'static str)> {
        let bare = self.added.iter().position(|added| added.each == 0.0)?;
        Some((bare, "smooth it, as in `histogram = { smoothing = 0.5 }`"))
    }

    fn cross_validates(&self) -> bool {
        true
    }

    /// 2/((n - 1) h) - (n + 1)/((n - 1) n² h) Σ N²; with smoothing, m values in the range, S = Σ N² and
    /// s = n + aB, (S + 2am + a²B)/(s² h) - 2(S - n + am)/(n (s - 1) h).
    fn try_cross_validate(&self, interrupt: &Interrupt) -> Result<Option<Vec<f64>>, Interrupted> {
        let count = self.sorted.len() as f64;
        let mut found = Vec::with_capacity(self.settings.len());
        for (cells, added) in self.cells() {
            interrupt.check(8 * self.sorted.len())?;
            let (mut squares, mut rest) = (0.0, &self.sorted[..]);
            // a times the values in the range.
            let mut joined = 0.0;
            while let [first, ..] = rest {
                let (k, (_, end)) = cells.around(*first);
                let inside = rest.partition_point(|value| *value < end).max(1);
                squares += square(inside as f64);
                joined += added.to(k) * inside as f64;
                rest = &rest[inside..];
            }
            if added.each > 0.0 {
                let total = count + added.total();
                let whole = squares + 2.0 * joined + added.each * added.total();
                let left_out = 2.0 * (squares - count + joined) / (count * (total - 1.0));
                found.push((whole / square(total) - left_out) / cells.width);
                continue;
            }
            let all = 2.0 - (count + 1.0) / square(count) * squares;
            found.push(all / ((count - 1.0) * cells.width));
        }
        Ok(Some(found))
    }
}

/// The sample in rising order.
pub(super) fn sort_into(data: &Training, sorted: &mut Vec<f64>) {
    let values = data.inputs.values();
    sorted.clear();
    sorted.extend(data.inputs.order().iter().map(|i| values[*i as usize]));
}
