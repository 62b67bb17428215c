//! What is kept of the resamples: sums that can be joined, never the predictions themselves.

use serde::{Deserialize, Serialize};

use super::sources::{CELLS, contrasts};
use super::{Histogram, MemberTally, Members, SelectionTally};
use crate::lanes::{LANES, Lanes, wide};

/// The sums of some resamples, for one learner: for every setting and test point the mean of
/// d = prediction - truth and the sum of its squared deviations, for every setting the sums of the
/// training and testing errors and a histogram of the risks.
///
/// Of classes, every probability counts as a test point of its own. Under cross-entropy and zero-one
/// loss the mean is that of a prediction's score ([`super::Loss`]).
///
/// A resample is one fit, or a cube of fits with crossed draws (see [`super::Sources`]); then the
/// mean of the cube takes the place of d, and the squares of its contrasts are summed too.
///
/// Memory does not depend on how many resamples were added. Adding and joining are done in a
/// fixed order, because floating-point sums depend on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    points: usize,
    pub(super) count: u64,
    /// By setting and test point.
    pub(super) mean: Vec<f64>,
    pub(super) squares: Vec<f64>,
    /// By setting: sums over resamples.
    pub(super) train: Vec<f64>,
    pub(super) test: Vec<f64>,
    /// By setting: the largest risk (without the noise) of a single resample.
    pub(super) largest: Vec<f64>,
    /// By setting: the risks of single resamples, without the noise.
    pub(super) risks: Vec<Histogram>,
    /// Settings and risks that were added but not counted yet: that is for the tally which this one
    /// is joined to.
    recent: Vec<(usize, f64)>,
    /// By setting, set of sources and test point: sums of squared contrasts. Empty without cubes.
    pub(super) contrasts: Vec<f64>,
    /// By setting: how many probabilities were exactly 0, under cross-entropy.
    zeros: Vec<f64>,
    /// Of ensembles, where their diversity is wanted: sums over members.
    pub(super) member_tally: Option<Box<MemberTally>>,
    /// By setting, where they are wanted: sums of degrees of freedom and of the optimism; else empty.
    pub(super) degrees: Vec<[f64; 2]>,
    /// Where capacity is selected from the training set: sums over estimates and choices.
    pub(super) selection: Option<Box<SelectionTally>>,
}

/// Of so many resamples a tally keeps the risks before it counts them. The engine's blocks are no
/// longer, so that every risk is counted once, in its group.
const MOST_RECENT: usize = 32;

/// What one resample gave for one setting, averaged over x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// The mean of d² over the inputs' distribution: this fit's risk without the noise.
    pub excess: f64,
    /// The error on fresh noisy labels at the test points.
    pub test: f64,
}

impl Tally {
    /// An empty tally, of single fits or of cubes.
    pub fn new(settings: usize, points: usize, cubes: bool) -> Self {
        let contrasts = if cubes { CELLS - 1 } else { 0 };
        Tally {
            points,
            count: 0,
            mean: vec![0.0; settings * points],
            squares: vec![0.0; settings * points],
            train: vec![0.0; settings],
            test: vec![0.0; settings],
            largest: vec![0.0; settings],
            risks: vec![Histogram::default(); settings],
            recent: Vec::new(),
            contrasts: vec![0.0; contrasts * settings * points],
            zeros: vec![0.0; settings],
            member_tally: None,
            degrees: Vec::new(),
            selection: None,
        }
    }

    /// The same, with degrees of freedom and optimism.
    #[must_use]
    pub fn with_degrees(mut self) -> Self {
        self.degrees = vec![[0.0; 2]; self.train.len()];
        self
    }

    /// The same, with so many methods of selection among the settings of rows of that length.
    #[must_use]
    pub fn with_selection(mut self, row: usize, methods: usize) -> Self {
        let selection = SelectionTally::new(self.train.len(), row, methods);
        self.selection = Some(Box::new(selection));
        self
    }

    /// Adds the degrees of freedom of one setting and its optimism, in the resample that was begun.
    pub fn add_degrees(&mut self, setting: usize, degrees: f64, optimism: f64) {
        if let Some([degrees_sum, optimism_sum]) = self.degrees.get_mut(setting) {
            *degrees_sum += degrees;
            *optimism_sum += optimism;
        }
    }

    /// What is counted of selection, if anything is.
    pub fn selection(&mut self) -> Option<&mut SelectionTally> {
        self.selection.as_deref_mut()
    }

    /// The same, with the members of ensembles; a prediction has that many outputs.
    pub fn with_members(mut self, outputs: usize) -> Self {
        let member_tally = MemberTally::new(self.train.len(), self.points / outputs, outputs);
        self.member_tally = Some(Box::new(member_tally));
        self
    }

    /// Adds the members of one setting's ensemble, in the resample that was begun.
    pub fn add_members(&mut self, setting: usize, members: &Members) {
        if let Some(member_tally) = &mut self.member_tally {
            member_tally.add(setting, members, self.count);
        }
    }

    /// Forgets everything but its size.
    pub fn clear(&mut self) {
        self.count = 0;
        for sums in [
            &mut self.mean,
            &mut self.squares,
            &mut self.train,
            &mut self.test,
            &mut self.largest,
            &mut self.contrasts,
            &mut self.zeros,
        ] {
            sums.fill(0.0);
        }
        if let Some(member_tally) = &mut self.member_tally {
            member_tally.clear();
        }
        self.degrees.fill([0.0; 2]);
        if let Some(selection) = &mut self.selection {
            selection.clear();
        }
        self.risks.iter_mut().for_each(Histogram::clear);
        self.recent.clear();
    }

    /// How many resamples were added.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether another tally has the same size, so that the two can be joined.
    pub fn fits(&self, other: &Tally) -> bool {
        let sizes = |tally: &Tally| {
            let sums = [
                &tally.mean,
                &tally.squares,
                &tally.train,
                &tally.test,
                &tally.largest,
                &tally.contrasts,
                &tally.zeros,
            ];
            let member_tally = tally
                .member_tally
                .as_ref()
                .map(|member_tally| member_tally.sizes());
            (
                tally.points,
                sums.map(Vec::len),
                tally.risks.len(),
                member_tally,
                tally.degrees.len(),
                tally.selection.as_ref().map(|selection| selection.sizes()),
            )
        };
        sizes(self) == sizes(other)
    }

    /// Whether what it counts agrees with its size; a tally that was read from a file may not.
    pub(crate) fn is_sound(&self) -> bool {
        let settings = self.risks.len();
        self.recent.iter().all(|(setting, _)| *setting < settings)
            && self.risks.iter().all(Histogram::is_sound)
    }

    /// The sums of squared contrasts of one setting at every test point, set of sources by set;
    /// nothing without cubes.
    pub(super) fn contrasts_of(&self, setting: usize) -> std::slice::ChunksExact<'_, f64> {
        let sets = self.contrasts.len() / self.mean.len().max(1);
        let length = sets * self.points;
        self.contrasts[setting * length..][..length].chunks_exact(self.points.max(1))
    }

    /// Begins another resample: what [`Tally::add`] adds belongs to it.
    pub fn begin(&mut self) {
        if self.recent.len() >= MOST_RECENT * self.risks.len() {
            self.count_risks();
        }
        self.count += 1;
        if let Some(selection) = &mut self.selection {
            selection.begin();
        }
    }

    /// Counts the risks that were added, in the histograms.
    fn count_risks(&mut self) {
        for (setting, risk) in self.recent.drain(..) {
            self.risks[setting].add(risk);
        }
    }

    /// Adds the predictions of one setting in the resample that was begun. `fresh` is the noise of
    /// the fresh labels at the test points, `train` the error on the training set.
    pub fn add(
        &mut self,
        setting: usize,
        predictions: &[f64],
        truth: &[f64],
        fresh: &[f64],
        weights: &[f64],
        train: f64,
    ) -> Observation {
        let range = setting * self.points..(setting + 1) * self.points;
        let resample = ResampleErrors {
            predictions,
            truth,
            fresh,
            weights,
            share: 1.0 / self.count as f64,
        };
        let seen = resample.add_to(&mut self.mean[range.clone()], &mut self.squares[range]);
        self.recent.push((setting, seen.excess));
        self.finish(setting, seen, train)
    }

    /// Adds the scores of one setting's predictions in the resample that was begun, with their
    /// errors; `zeros` of the probabilities were exactly 0.
    pub fn add_scores(
        &mut self,
        setting: usize,
        scores: &[f64],
        seen: Observation,
        train: f64,
        zeros: usize,
    ) {
        let share = 1.0 / self.count as f64;
        let means = &mut self.mean[setting * self.points..][..self.points];
        for (mean, score) in means.iter_mut().zip(scores) {
            *mean += (score - *mean) * share;
        }
        self.zeros[setting] += zeros as f64;
        self.recent.push((setting, seen.excess));
        self.finish(setting, seen, train);
    }

    /// The share of the probabilities of one setting that were exactly 0.
    pub(super) fn zeros_of(&self, setting: usize) -> f64 {
        self.zeros[setting] / (self.count as f64 * self.points as f64)
    }

    /// Adds the predictions of a cube of one setting, in the resample that was begun. The errors
    /// are the means over its fits; the histogram counts the first.
    pub fn add_cube(
        &mut self,
        setting: usize,
        cells: [&[f64]; CELLS],
        truth: &[f64],
        fresh: &[f64],
        weights: &[f64],
        train: f64,
    ) -> Observation {
        let points = self.points;
        let at = setting * points;
        let share = 1.0 / self.count as f64;
        let (mut excess, mut first, mut test) = (0.0, 0.0, 0.0);
        for j in 0..points {
            let distances = cells.map(|cell| cell[j] - truth[j]);
            let mean_of = |value: &dyn Fn(f64) -> f64| {
                distances.iter().map(|d| value(*d)).sum::<f64>() / CELLS as f64
            };
            excess += weights[j] * mean_of(&|d| d * d);
            test += weights[j] * mean_of(&|d| (d - fresh[j]) * (d - fresh[j]));
            first += weights[j] * distances[0] * distances[0];
            let [distance, contrasts @ ..] = contrasts(distances);
            let before = distance - self.mean[at + j];
            self.mean[at + j] += before * share;
            self.squares[at + j] += before * (distance - self.mean[at + j]);
            for (set, contrast) in contrasts.iter().enumerate() {
                let place = (setting * (CELLS - 1) + set) * points + j;
                self.contrasts[place] += contrast * contrast;
            }
        }
        self.recent.push((setting, first));
        self.finish(setting, Observation { excess, test }, train)
    }

    fn finish(&mut self, setting: usize, seen: Observation, train: f64) -> Observation {
        self.train[setting] += train;
        self.test[setting] += seen.test;
        self.largest[setting] = self.largest[setting].max(seen.excess);
        seen
    }

    /// Adds another tally's resamples after this one's.
    pub fn join(&mut self, other: &Tally) {
        if other.count == 0 {
            return;
        }
        let [here, there] = [self.count as f64, other.count as f64];
        let all = here + there;
        let sums = self.mean.iter_mut().zip(&mut self.squares);
        for ((mean, squares), (other_mean, other_squares)) in
            sums.zip(other.mean.iter().zip(&other.squares))
        {
            let apart = other_mean - *mean;
            *mean += apart * (there / all);
            *squares += other_squares + apart * apart * (here * there / all);
        }
        for (sums, others) in [
            (&mut self.train, &other.train),
            (&mut self.test, &other.test),
            (&mut self.contrasts, &other.contrasts),
            (&mut self.zeros, &other.zeros),
        ] {
            for (sum, other) in sums.iter_mut().zip(others) {
                *sum += other;
            }
        }
        if let (Some(mine), Some(theirs)) = (&mut self.member_tally, &other.member_tally) {
            mine.join(theirs, here, there);
        }
        for (mine, theirs) in self.degrees.iter_mut().zip(&other.degrees) {
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.selection, &other.selection) {
            mine.join(theirs);
        }
        self.count_risks();
        for (risks, others) in self.risks.iter_mut().zip(&other.risks) {
            risks.join(others);
        }
        for &(setting, risk) in &other.recent {
            self.risks[setting].add(risk);
        }
        for (most, other) in self.largest.iter_mut().zip(&other.largest) {
            *most = most.max(*other);
        }
        self.count += other.count;
    }
}

/// One setting's predictions in one resample, and what they are measured against.
struct ResampleErrors<'a> {
    predictions: &'a [f64],
    truth: &'a [f64],
    fresh: &'a [f64],
    weights: &'a [f64],
    /// One over the number of resamples, this one included.
    share: f64,
}

impl ResampleErrors<'_> {
    /// Updates the mean of d = prediction - truth and the sum of its squared deviations at every
    /// test point, and averages the errors over them. This runs for every setting of every
    /// resample, and is most of what a cheap learner costs.
    fn add_to(&self, mean: &mut [f64], squares: &mut [f64]) -> Observation {
        wide(
            #[inline(always)]
            || {
                let (means, last_mean) = mean.as_chunks_mut();
                let (all_squares, last_squares) = squares.as_chunks_mut();
                let [predictions, truth, fresh, weights] =
                    self.inputs().map(|all| all.as_chunks().0);
                let mut errors = [Lanes::all(0.0); 2];
                let inputs = predictions.iter().zip(truth).zip(fresh).zip(weights);
                for ((((prediction, truth), fresh), weight), (mean, squares)) in
                    inputs.zip(means.iter_mut().zip(all_squares))
                {
                    let inputs = [prediction, truth, fresh, weight].map(|lanes| Lanes(*lanes));
                    let sums = self.step(inputs, [Lanes(*mean), Lanes(*squares)], &mut errors);
                    [*mean, *squares] = sums.map(|sums| sums.0);
                }
                if !last_mean.is_empty() {
                    let inputs = self.inputs().map(|all| all.as_chunks::<LANES>().1);
                    let sums = [Lanes::padded(last_mean), Lanes::padded(last_squares)];
                    let [mean, squares] = self.step(inputs.map(Lanes::padded), sums, &mut errors);
                    last_mean.copy_from_slice(&mean.0[..last_mean.len()]);
                    last_squares.copy_from_slice(&squares.0[..last_squares.len()]);
                }
                let [excess, test] = errors.map(Lanes::total);
                Observation { excess, test }
            },
        )
    }

    #[inline(always)]
    fn inputs(&self) -> [&[f64]; 4] {
        [self.predictions, self.truth, self.fresh, self.weights]
    }

    /// The new mean and sum of squares of some test points, side by side.
    #[inline(always)]
    fn step(
        &self,
        [prediction, truth, fresh, weight]: [Lanes; 4],
        [mean, squares]: [Lanes; 2],
        [excess, test]: &mut [Lanes; 2],
    ) -> [Lanes; 2] {
        let distance = prediction - truth;
        let away = distance - fresh;
        *excess = *excess + weight * distance * distance;
        *test = *test + weight * away * away;
        // Welford's update: no large sums are subtracted from each other.
        let before = distance - mean;
        let mean = mean + before * Lanes::all(self.share);
        [mean, squares + before * (distance - mean)]
    }
}
