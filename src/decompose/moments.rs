//! What is kept of the resamples: sums that can be joined, never the predictions themselves.

/// The sums of some resamples, for one learner: for every setting and test point the mean of
/// d = prediction - truth and the sum of its squared deviations, for every setting the sums of the
/// training and testing errors.
///
/// Memory does not depend on how many resamples were added. Adding and joining are done in a
/// fixed order, because floating-point sums depend on it.
#[derive(Clone, Debug, PartialEq)]
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
}

/// What one resample gave for one setting, averaged over x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// The mean of d² over the inputs' distribution: this fit's risk without the noise.
    pub excess: f64,
    /// The error on fresh noisy labels at the test points.
    pub test: f64,
}

impl Tally {
    /// An empty tally.
    pub fn new(settings: usize, points: usize) -> Self {
        Tally {
            points,
            count: 0,
            mean: vec![0.0; settings * points],
            squares: vec![0.0; settings * points],
            train: vec![0.0; settings],
            test: vec![0.0; settings],
            largest: vec![0.0; settings],
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
        ] {
            sums.fill(0.0);
        }
    }

    /// Begins another resample: what [`Tally::add`] adds belongs to it.
    pub fn begin(&mut self) {
        self.count += 1;
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
        let mean = &mut self.mean[range.clone()];
        let squares = &mut self.squares[range];
        let share = 1.0 / self.count as f64;
        let (mut excess, mut test) = (0.0, 0.0);
        let inputs = predictions.iter().zip(truth).zip(fresh).zip(weights);
        for ((((prediction, truth), fresh), weight), (mean, squares)) in
            inputs.zip(mean.iter_mut().zip(squares))
        {
            let distance = prediction - truth;
            // Welford's update: no large sums are subtracted from each other.
            let before = distance - *mean;
            *mean += before * share;
            *squares += before * (distance - *mean);
            excess += weight * distance * distance;
            test += weight * (distance - fresh) * (distance - fresh);
        }
        self.train[setting] += train;
        self.test[setting] += test;
        self.largest[setting] = self.largest[setting].max(excess);
        Observation { excess, test }
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
        for (sum, other) in self.train.iter_mut().zip(&other.train) {
            *sum += other;
        }
        for (sum, other) in self.test.iter_mut().zip(&other.test) {
            *sum += other;
        }
        for (most, other) in self.largest.iter_mut().zip(&other.largest) {
            *most = most.max(*other);
        }
        self.count += other.count;
    }
}
