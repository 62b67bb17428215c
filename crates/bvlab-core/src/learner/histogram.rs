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

const WIDTH: Parameter = Parameter::number("width", "width of a cell, in place of `bins`")
    .symbol("h")
    .unit("units of x")
    .above(0.0)
    .default(f64::INFINITY);

const ORIGIN: Parameter = Parameter::number(
    "origin",
    "where an edge lies beyond the lower end of the range, in cells",
)
.most(Most::Value(1.0))
.default(0.0)
.usual(0.0, 1.0);

pub(super) const FAMILY: Family = Family::new(
    "histogram",
    "the share of the sample in a cell, divided by its width",
    |blueprint| Box::new(HistogramDensity::new(settings(&blueprint).collect())),
)
.parameters(&[BINS, WIDTH, ORIGIN])
.one_dimensional()
.labels(LabelKind::Density)
.one_fit("every number of cells, from one sorted sample")
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
    /// The ends of the cell that holds x.
    fn around(self, x: f64) -> (f64, f64) {
        let edge = |k: f64| self.origin + k * self.width;
        let mut k = ((x - self.origin) / self.width).floor();
        // The quotient may have been rounded across an edge.
        if x < edge(k) {
            k -= 1.0;
        } else if x >= edge(k + 1.0) {
            k += 1.0;
        }
        (edge(k), edge(k + 1.0))
    }
}

/// The histogram as an estimate of a density: N/(n h) in a cell of width h that holds N of n values.
/// Cells cover the whole line, also beyond the range of the problem, so that no value is lost.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `bins` | number of bins | 1 to 10⁶ | this or `width` |
/// | `width` | h, in units of x | above 0 | this or `bins` |
/// | `origin` | where an edge lies beyond the lower end of the range, in cells | 0 to 1 | 0 |
///
/// With the probability p of a cell, the mean of the estimate is p/h, and its variance p(1 - p)/(n h²).
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
    sorted: Vec<f64>,
}

impl HistogramDensity {
    /// A path over cells.
    pub fn new(settings: Vec<CellSetting>) -> Self {
        HistogramDensity {
            settings,
            sorted: Vec::new(),
        }
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
        for (cells, out) in self.settings.iter().zip(out.chunks_exact_mut(points.len())) {
            interrupt.check(8 * points.len())?;
            // Test points of a grid rise: those of a cell come one after the other.
            let (mut ends, mut height) = ((f64::NAN, f64::NAN), 0.0);
            for (x, out) in points.values().iter().zip(out) {
                if !(*x >= ends.0 && *x < ends.1) {
                    ends = cells.around(*x);
                    let inside = self.below(ends.1) - self.below(ends.0).min(self.below(ends.1));
                    height = inside as f64 / (count * cells.width);
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

    fn moments(&self, density: &Density, points: &Points) -> Option<Vec<[f64; 2]>> {
        let each = self.settings.iter().flat_map(|cells| {
            points.values().iter().map(|x| {
                let (from, to) = cells.around(*x);
                let p = density.probability(from, to);
                [p / cells.width, p / square(cells.width)]
            })
        });
        Some(each.collect())
    }

    fn cross_validates(&self) -> bool {
        true
    }

    /// 2/((n - 1) h) - (n + 1)/((n - 1) n² h) Σ N².
    fn try_cross_validate(&self, interrupt: &Interrupt) -> Result<Option<Vec<f64>>, Interrupted> {
        let count = self.sorted.len() as f64;
        let mut found = Vec::with_capacity(self.settings.len());
        for cells in &self.settings {
            interrupt.check(8 * self.sorted.len())?;
            let (mut squares, mut rest) = (0.0, &self.sorted[..]);
            while let [first, ..] = rest {
                let (_, end) = cells.around(*first);
                let inside = rest.partition_point(|value| *value < end).max(1);
                squares += square(inside as f64);
                rest = &rest[inside..];
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
