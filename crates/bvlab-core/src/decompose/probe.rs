//! The error of an average over the test points, judged at other points.
//!
//! An average over a grid, or over a sample of the inputs, is not the average over their
//! distribution. How far apart the two are cannot be told from the test points alone: a sample that
//! missed the few places where a learner errs most looks tame, and a grid that falls in step with
//! the truth or with the training inputs sees one phase of it only. So the fits of the first few
//! resamples also predict at [`Probe`] points, whose averages are compared with those of the test
//! points, or whose spread says how far a sample of them may be off.

use super::Loss;
use super::jackknife::Unbiased;
use crate::data::Points;

/// How many of the first resamples predict at the probe points.
const PROBED: u64 = 12;

/// How many do at most where test points are drawn: a bias that is confined to a few places, which the
/// points can miss, is small beside the fluctuations of a few fits.
const MOST_PROBED: u64 = 120;

/// Fewer drawn test points are few: all of the first resamples predict at the probe points then.
pub(super) const FEW_POINTS: usize = 50;

/// Otherwise one in so many does, because the error of the points matters only beside a small error of the
/// resamples.
const ONE_IN: u64 = 8;

/// The same where the training inputs are a grid, too: the mean fit has a corner at every input then, and
/// keeps them however many resamples there are.
const MOST_AT_CORNERS: u64 = 48;
const ONE_AT_CORNERS: u64 = 24;

/// The most predictions that are held for them, 160 MB of them; a few resamples' are held in any case.
const MOST_HELD: u64 = 20_000_000;

/// Into how many blocks the resamples are divided to judge their own part in what is found.
const BLOCKS: usize = 12;

/// How many more points are drawn where test points are a sample.
pub const MOST_PROBES: usize = 400;

/// More points to predict at.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Drawn from the inputs' distribution; or, for cells of a grid, three for each: the test point,
    /// and two that lie in the cell as mirror images of each other.
    pub points: Points,
    /// For cells of a grid, how much each counts; they sum to 1. Empty for a sample.
    pub cells: Vec<f64>,
    /// For cells of a grid along one axis, how far the test point lies from the middle between the other
    /// two, in units of their distance; 0 where that is not known.
    pub lean: Vec<f64>,
    /// Whether the grid has the error that its cells differ by, beyond their slopes.
    pub has_own: bool,
    /// How many of the first resamples predict there, at most.
    pub resamples: u64,
    /// One in so many of all resamples, but no fewer than the first few.
    one_in: u64,
}

impl Probe {
    /// Points drawn from the inputs' distribution, beside so many test points drawn from it.
    pub fn of_sample(points: Points, test_points: usize) -> Self {
        Probe {
            points,
            cells: Vec::new(),
            lean: Vec::new(),
            has_own: false,
            resamples: MOST_PROBED,
            one_in: match test_points < FEW_POINTS {
                true => 1,
                false => ONE_IN,
            },
        }
    }

    /// Has fewer resamples predict, where so many settings of all learners, each with so many outputs,
    /// would hold too many numbers, or the run has fewer.
    pub fn limit(&mut self, settings: usize, outputs: usize, resamples: u64) {
        let each = settings as u64 * outputs as u64 * self.points.len() as u64;
        let most = (MOST_HELD / each.max(1)).min(resamples / self.one_in);
        self.resamples = self.resamples.min(most.max(PROBED));
    }

    /// How many of the first resamples judge, where there are so many. It follows from their number alone,
    /// so that a run to a precision judges as one of as many resamples.
    pub fn judging(&self, resamples: u64) -> u64 {
        let share = (resamples / self.one_in).max(PROBED);
        share.min(self.resamples).min(resamples)
    }

    /// Three points for each of some cells of a grid, how much each cell counts, how far its test point
    /// lies from the middle of the others; whether the grid has the error that the cells differ by, and whether
    /// the training inputs are a grid, too.
    pub fn of_grid(
        points: Points,
        cells: Vec<f64>,
        lean: Vec<f64>,
        has_own: bool,
        at_grid: bool,
    ) -> Self {
        let (resamples, one_in) = match at_grid {
            true => (MOST_AT_CORNERS, ONE_AT_CORNERS),
            false => (PROBED, 1),
        };
        Probe {
            points,
            cells,
            lean,
            has_own,
            resamples,
            one_in,
        }
    }
}

/// What follows from the probe points for bias², variance, risk and noise, in this order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProbeResult {
    /// Of a sample: the variance of each over x, and its skewness.
    Sample {
        /// The variances.
        variance: [f64; 4],
        /// The absolute values of the skewness.
        skewness: [f64; 4],
    },
    /// Of a grid: by how much each average is off, where that is more than chance.
    Grid {
        /// The absolute values of the differences.
        error: [f64; 4],
    },
}

impl ProbeResult {
    /// What follows where the weights of the test points sum to `measure` in place of 1.
    pub(crate) fn times(self, measure: f64) -> Self {
        match self {
            ProbeResult::Grid { error } => ProbeResult::Grid {
                error: error.map(|error| measure * error),
            },
            sample @ ProbeResult::Sample { .. } => sample,
        }
    }
}

/// The predictions of one setting at the probe points, in the first resamples.
#[derive(Clone, Copy, Debug)]
pub struct ProbePredictions<'a> {
    /// The loss.
    pub loss: Loss,
    /// By point and output: the best possible prediction.
    pub truth: &'a [f64],
    /// By point: the noise.
    pub noise: &'a [f64],
    /// For cells of a grid, how much each counts.
    pub cells: &'a [f64],
    /// For cells of a grid, how far the test point lies from the middle between the other two.
    pub lean: &'a [f64],
    /// Whether the grid has the error that its cells differ by, beyond their slopes.
    pub has_own: bool,
    /// By resample, point and output: distances from the truth, or scores.
    pub scores: &'a [Vec<f64>],
}

/// By part, a number for every point.
type ProbeParts = [Vec<f64>; 4];

impl ProbePredictions<'_> {
    /// What follows from them; `None` with fewer than three resamples.
    pub fn judge(&self) -> Option<ProbeResult> {
        let resamples = self.scores.len();
        if resamples < 3 {
            return None;
        }
        let all = self.parts(None);
        let blocks = 0..BLOCKS.min(resamples);
        let without: Vec<ProbeParts> = blocks.map(|block| self.parts(Some(block))).collect();
        Some(match self.cells {
            [] => self.sample(&all, &without),
            cells => grid((cells, self.lean, self.has_own), &all, &without),
        })
    }

    /// The parts at every point, from all resamples but those of one block.
    fn parts(&self, without: Option<usize>) -> ProbeParts {
        let outputs = self.truth.len() / self.noise.len().max(1);
        let used = self.scores.iter().enumerate();
        let used = used.filter(|(r, _)| Some(*r % BLOCKS) != without);
        let count = used.clone().count() as f64;
        let mut parts = ProbeParts::default();
        let scores = self.loss.scores(outputs);
        let mut mean = vec![0.0; scores];
        for (j, truth) in self.truth.chunks_exact(outputs).enumerate() {
            let at = |k: usize| used.clone().map(move |(_, all)| all[j * scores + k]);
            for (k, mean) in mean.iter_mut().enumerate() {
                *mean = at(k).sum::<f64>() / count;
            }
            let [noise, bias2, variance] = match self.loss {
                Loss::Squared => {
                    let mut both = [self.noise[j], 0.0, 0.0];
                    for (k, mean) in mean.iter().enumerate() {
                        let squares = at(k).map(|d| (d - mean) * (d - mean)).sum();
                        let split = Unbiased::of(*mean, squares, count);
                        both[1] += split.bias2;
                        both[2] += split.variance;
                    }
                    both
                }
                loss => loss.three(truth, &mean, count),
            };
            let here = [bias2, variance, noise + bias2 + variance, noise];
            for (list, value) in parts.iter_mut().zip(here) {
                list.push(value);
            }
        }
        parts
    }

    fn sample(&self, all: &ProbeParts, without: &[ProbeParts]) -> ProbeResult {
        let points = self.noise.len() as f64;
        let (mut variance, mut skewness) = ([0.0; 4], [0.0; 4]);
        for i in 0..4 {
            let spread = Spread::of(&all[i]);
            let averages = without.iter().map(|parts| average(&parts[i]));
            let (_, of_average) = jackknifed(averages);
            let at = |j: usize| jackknifed(without.iter().map(|parts| parts[i][j])).1;
            let of_points = (0..all[i].len()).map(at).sum::<f64>() / points;
            // The resamples make the points differ more than they do.
            variance[i] = (spread.variance - (of_points - of_average)).max(0.0);
            skewness[i] = spread.skewness;
        }
        ProbeResult::Sample { variance, skewness }
    }
}

/// The test point may lie so many times the distance of the other two from their middle, for the line
/// through these to say what is due to that.
const MOST_LEAN: f64 = 2.0;

/// Compares the average over cells, each by two mirror images, with that over their test points.
fn grid(
    (cells, lean, has_own): (&[f64], &[f64], bool),
    all: &ProbeParts,
    without: &[ProbeParts],
) -> ProbeResult {
    let apart = |each: &[f64]| each.iter().zip(cells).map(|(d, w)| d * w).sum::<f64>();
    let of_part = |parts: &ProbeParts, i: usize| apart(&by_cell(&parts[i]));
    let error = std::array::from_fn(|i| {
        let found = of_part(all, i);
        let (_, of_resamples) = jackknifed(without.iter().map(|parts| of_part(parts, i)));
        let bent = bends(lean, &all[i]);
        let mean = known_mean(cells, &bent, |j| bent[j]);
        let of_places = known_mean(cells, &bent, |j| {
            cells[j] * (bent[j] - mean) * (bent[j] - mean)
        });
        // The resamples make the cells differ more than they do.
        let without: Vec<Vec<f64>> = without.iter().map(|parts| bends(lean, &parts[i])).collect();
        let of_cell = |j: usize| jackknifed(without.iter().map(|each| each[j])).1;
        let by_chance = known_mean(cells, &bent, |j| cells[j] * of_cell(j));
        let own = match has_own {
            true => (of_places - by_chance).max(0.0),
            false => 0.0,
        };
        let beyond = (found * found - 4.0 * (of_resamples + of_places)).max(0.0);
        let scale = average(&all[i]).abs();
        // Rounding is no error.
        match own + beyond {
            more if more.sqrt() > 1e-12 * scale => more.sqrt(),
            _ => 0.0,
        }
    });
    ProbeResult::Grid { error }
}

/// By cell, by how much the average of the mirror images differs from the test point.
fn by_cell(values: &[f64]) -> Vec<f64> {
    let triples = values.chunks_exact(3);
    triples.map(|at| 0.5 * (at[1] + at[2]) - at[0]).collect()
}

/// The same without what is due to the slope between the mirror images: they have no error along a line,
/// and test points that do not stand in the middle differ from theirs by an error of the grid. Not a
/// number where the slope cannot tell.
fn bends(lean: &[f64], values: &[f64]) -> Vec<f64> {
    let triples = values.chunks_exact(3).zip(by_cell(values)).zip(lean);
    let bends = triples.map(|((at, d), lean)| match lean.abs() <= MOST_LEAN {
        true => d + lean * (at[2] - at[1]),
        false => f64::NAN,
    });
    bends.collect()
}

/// The average over those cells of which something is known.
fn known_mean(cells: &[f64], known: &[f64], of: impl Fn(usize) -> f64) -> f64 {
    let (mut weight, mut sum) = (0.0, 0.0);
    for (j, w) in cells
        .iter()
        .enumerate()
        .filter(|(j, _)| !known[*j].is_nan())
    {
        weight += w;
        sum += w * of(j);
    }
    sum / weight
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The mean of values with one block of resamples left out each, and the jackknife's variance.
fn jackknifed(left_out: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = left_out.clone().count() as f64;
    let mean = left_out.clone().sum::<f64>() / count;
    let squares: f64 = left_out.map(|value| (value - mean) * (value - mean)).sum();
    (mean, (count - 1.0) / count * squares)
}

/// How far numbers lie apart.
pub(super) struct Spread {
    /// Their unbiased variance.
    pub variance: f64,
    /// The absolute value of their skewness.
    pub skewness: f64,
}

impl Spread {
    pub fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = average(values);
        let unit = super::jackknife::unit(values.iter().map(|value| value - mean));
        let (mut second, mut third) = (0.0, 0.0);
        for value in values {
            let away = (value - mean) / unit;
            second += away * away;
            third += away * away * away;
        }
        let [mean_second, mean_third] = [second, third].map(|sum: f64| sum / count);
        Spread {
            variance: unit * unit * second / (count - 1.0).max(1.0),
            skewness: match mean_second > 0.0 {
                true => (mean_third / (mean_second * mean_second.sqrt())).abs(),
                false => 0.0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(cells: &[f64], truth: &[f64], scores: &[Vec<f64>]) -> ProbeResult {
        let noise = vec![0.5; truth.len()];
        let at = ProbePredictions {
            loss: Loss::Squared,
            truth,
            noise: &noise,
            cells,
            lean: &vec![0.0; cells.len()],
            has_own: false,
            scores,
        };
        at.judge().expect("there are resamples enough")
    }

    #[test]
    fn a_grid_in_step_with_the_truth_is_found_out() {
        // Two cells, three points each: the bias is 0 at the test point and 1 beside it.
        let scores: Vec<Vec<f64>> = (0..12)
            .map(|r| {
                let wobble = 0.01 * f64::from(r % 3);
                [0.0, 1.0, -1.0, 0.0, 1.0, 1.0]
                    .map(|bias| bias + wobble)
                    .to_vec()
            })
            .collect();
        let ProbeResult::Grid { error } = judge(&[0.5, 0.5], &[0.0; 6], &scores) else {
            panic!("cells are a grid");
        };
        assert!((error[0] - 1.0).abs() < 0.05, "{error:?}");
        assert_eq!([error[1], error[3]], [0.0; 2]);
    }

    #[test]
    fn the_spread_over_x_is_that_of_the_points_alone() {
        // Points alike, whose estimates differ by chance: nothing is left.
        let scores: Vec<Vec<f64>> = (0..12)
            .map(|r| {
                (0..50)
                    .map(|j| f64::from((r * 7 + j * 5) % 12) - 5.5)
                    .collect()
            })
            .collect();
        let ProbeResult::Sample { variance, .. } = judge(&[], &[0.0; 50], &scores) else {
            panic!("no cells are a sample");
        };
        assert!(variance[1] < 1e-9 && variance[3] == 0.0, "{variance:?}");
        let slope: Vec<Vec<f64>> = scores
            .iter()
            .map(|row| (0..).zip(row).map(|(j, d)| d * f64::from(j)).collect())
            .collect();
        let ProbeResult::Sample { variance, skewness } = judge(&[], &[0.0; 50], &slope) else {
            panic!("no cells are a sample");
        };
        // v(j) = 13 j² exactly, whose variance over j = 0 … 49 is known.
        let squares: Vec<f64> = (0..50).map(|j| 13.0 * f64::from(j * j)).collect();
        let right = Spread::of(&squares);
        assert!(
            (variance[1] / right.variance - 1.0).abs() < 0.2,
            "{variance:?}"
        );
        assert!((skewness[1] - right.skewness).abs() < 1e-9);
    }
}
