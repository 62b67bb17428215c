//! k-means by Lloyd's steps.

use std::borrow::Cow;

use rand::RngExt;

use super::bounded;
use crate::data::Points;
use crate::interrupt::{Interrupt, Interruptible};
use crate::stream::Stream;

/// Where the centres of groups begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum GroupStart {
    /// k-means++: the first centre is a random point, each further one a point drawn with probability proportional to
    /// its squared distance from the nearest centre so far.
    #[default]
    PlusPlus,
    /// Random points, each at most once while there are enough.
    Random,
    /// These centres, row by row.
    Given(Vec<f64>),
}

impl GroupStart {
    /// The centres, row by row.
    pub fn centres(&self, points: &Points, groups: usize, stream: &mut Stream) -> Vec<f64> {
        let points = bounded(points);
        let (count, size) = (points.len(), points.dimension());
        if let GroupStart::Given(centres) = self {
            let mut centres = centres.clone();
            centres.truncate(groups * size);
            let whole = centres.len() / size.max(1) * size;
            centres.truncate(whole);
            return centres;
        }
        let mut centres: Vec<f64> = Vec::new();
        // Of every point, the weight with which it is drawn.
        let mut weights = vec![1.0; count];
        for _ in 0..groups.min(count) {
            let total: f64 = weights.iter().sum();
            let mut left = total * stream.random::<f64>();
            let next = match total > 0.0 {
                true => weights.iter().position(|weight| {
                    left -= weight;
                    left < 0.0
                }),
                // All points are centres already.
                false => Some(stream.random_range(0..count)),
            };
            let next = next.unwrap_or(count - 1);
            let centre = points.row(next);
            centres.extend_from_slice(centre);
            match self {
                GroupStart::Random => weights[next] = 0.0,
                _ => {
                    let first = centres.len() == size;
                    for (weight, x) in weights.iter_mut().zip(points.rows()) {
                        let own = apart(x, centre);
                        *weight = if first { own } else { weight.min(own) };
                    }
                }
            }
        }
        centres
    }
}

/// The squared distance of two points.
pub(super) fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// k-means at work: centres, and for every point the group of the nearest one.
///
/// A step moves every centre to the mean of its group and assigns the points anew, to the group they are in where two
/// centres are equally near. So the objective Σ_i ‖x_i - c‖² never rises, and after finitely many steps nothing changes.
/// A group without points keeps its centre.
///
/// k-means is the limit of EM for a mixture of equal weights and equal spherical covariances σ²I as σ → 0.
///
/// **Cost** of a step: O(n K d).
///
/// **Reference**: Lloyd, *Least squares quantization in PCM*, IEEE Transactions on Information Theory 28 (1982); Arthur &
/// Vassilvitskii, *k-means++: the advantages of careful seeding*, SODA 2007.
#[derive(Clone, Debug)]
pub struct KMeans<'a> {
    points: Cow<'a, Points>,
    centres: Vec<f64>,
    labels: Vec<usize>,
    objective: f64,
    steps: usize,
}

impl<'a> KMeans<'a> {
    /// k-means that begins with centres, row by row.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    pub fn new(
        points: &'a Points,
        centres: Vec<f64>,
        interrupt: &Interrupt,
    ) -> Interruptible<Self> {
        let mut groups = KMeans {
            labels: vec![0; points.len()],
            points: bounded(points),
            centres,
            objective: 0.0,
            steps: 0,
        };
        groups.assign(interrupt)?;
        Ok(groups)
    }

    /// Assigns every point to its nearest centre; returns whether any has changed its group.
    fn assign(&mut self, interrupt: &Interrupt) -> Interruptible<bool> {
        let size = self.points.dimension().max(1);
        let (mut changed, mut objective) = (false, 0.0);
        for (x, label) in self.points.rows().zip(&mut self.labels) {
            interrupt.check(4 + 3 * self.centres.len())?;
            let Some(own) = self.centres.get(*label * size..(*label + 1) * size) else {
                continue;
            };
            let (mut best, mut least) = (*label, apart(x, own));
            for (k, centre) in self.centres.chunks_exact(size).enumerate() {
                let distance = apart(x, centre);
                if distance < least {
                    (best, least) = (k, distance);
                }
            }
            changed |= best != *label;
            *label = best;
            objective += least;
        }
        self.objective = objective;
        Ok(changed)
    }

    /// One step; returns whether any point has changed its group.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    pub fn step(&mut self, interrupt: &Interrupt) -> Interruptible<bool> {
        let size = self.points.dimension().max(1);
        let groups = self.centres.len() / size;
        let mut counts = vec![0.0; groups];
        self.labels.iter().for_each(|label| counts[*label] += 1.0);
        for (centre, count) in self.centres.chunks_exact_mut(size).zip(&counts) {
            if *count > 0.0 {
                centre.fill(0.0);
            }
        }
        for (x, label) in self.points.rows().zip(&self.labels) {
            let centre = &mut self.centres[label * size..][..size];
            for (mean, x) in centre.iter_mut().zip(x) {
                *mean += x / counts[*label];
            }
        }
        self.steps += 1;
        self.assign(interrupt)
    }

    /// Steps until nothing changes, at most so many.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    pub fn run(&mut self, steps: usize, interrupt: &Interrupt) -> Interruptible {
        for _ in 0..steps {
            if !self.step(interrupt)? {
                break;
            }
        }
        Ok(())
    }

    /// The centres, row by row.
    pub fn centres(&self) -> &[f64] {
        &self.centres
    }

    /// The group of every point.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// Σ_i ‖x_i - c‖², with c the centre of the group of x_i.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// How many steps there were.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

/// The most steps of k-means from one start.
const MOST_STEPS: usize = 300;

/// The groups with the smallest objective among several starts, of at most 300 steps each. Start r draws from the r-th
/// child of the stream.
///
/// # Errors
///
/// If it was interrupted.
pub fn fit_kmeans<'a>(
    points: &'a Points,
    groups: usize,
    start: &GroupStart,
    starts: usize,
    stream: &Stream,
    interrupt: &Interrupt,
) -> Interruptible<KMeans<'a>> {
    let mut best: Option<KMeans<'a>> = None;
    for r in 0..starts.max(1) {
        let centres = start.centres(points, groups, &mut stream.child(r as u64));
        let mut own = KMeans::new(points, centres, interrupt)?;
        own.run(MOST_STEPS, interrupt)?;
        if best
            .as_ref()
            .is_none_or(|best| own.objective < best.objective)
        {
            best = Some(own);
        }
    }
    match best {
        Some(best) => Ok(best),
        None => KMeans::new(points, Vec::new(), interrupt),
    }
}
