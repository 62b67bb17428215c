//! Bagging: the mean of many copies of a learner, each fitted to a bootstrap of the data.

use rand::RngExt;
use rand::seq::SliceRandom;

use super::family::{Blueprint, COMBINE, Choice, Family, LabelKind};
use super::{Learner, Size, room};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::parameter::{Parameter, UnsuitableData};
use crate::probability::{Preference, SMOOTHING, smooth_logs, softmax};
use crate::problem::MOST_CLASSES;
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family::new(
    "bagging",
    "the mean of copies of a base learner, each fitted to a bootstrap or to a share of the data",
    build,
)
.parameters(&[Parameter::whole("members", "number of copies")
    .symbol("M")
    .least(1.0)
    .up_to(10_000.0)
    .default(50.0)
    .usual(1.0, 50.0)])
.choices(&[
    Choice::new(
        "sample",
        "whether every copy sees a bootstrap of the data, or its share of the data divided among all",
        &["bootstrap", "split"],
    ),
    COMBINE,
])
.with_base()
.labels(LabelKind::Both)
.allows(|blueprint, _| {
    let scored = blueprint.base_learner().is_some_and(|base| base.predicts_scores());
    match scored && Combine::chosen(blueprint) == Combine::Geometric {
        false => Ok(()),
        true => Err(UnsuitableData {
            message: "`combine = \"geometric\"` needs probabilities, and the base predicts scores"
                .to_owned(),
            help: "choose `combine = \"probability\"`, the mean of the scores, or `\"vote\"`".to_owned(),
        }),
    }
})
.one_fit("every smaller number of members, at every setting of the base");

fn build(mut blueprint: Blueprint) -> Box<dyn Learner> {
    let (base, wants) = blueprint.take_base();
    let settings = blueprint
        .settings()
        .zip(wants)
        .map(|(setting, base)| BaggingSetting {
            members: setting.whole("members"),
            base,
        });
    let samples = [
        ("bootstrap", BaggingSample::Bootstrap),
        ("split", BaggingSample::Split),
    ];
    let sample = blueprint.chosen("sample", &samples);
    let mut bagging = Bagging::with_sample(settings.collect(), base, sample);
    bagging.classes = blueprint.classes;
    bagging.combine = Combine::chosen(&blueprint);
    Box::new(bagging)
}

/// One setting of [`Bagging`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaggingSetting {
    /// How many members are averaged.
    pub members: usize,
    /// Which setting of the base learner they have.
    pub base: usize,
}

/// What the members of [`Bagging`] are fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaggingSample {
    /// Each to n pairs drawn with replacement.
    Bootstrap,
    /// Each to its share of the data, which are divided at random among all of them.
    Split,
    /// Each to all data, so that only its own randomness makes it differ.
    All,
}

/// How the members of an ensemble of classifiers make one prediction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    /// The mean of their probabilities, the centroid for squared error.
    #[default]
    Probability,
    /// The shares of their votes: each is for its most probable class, and among equals by its own
    /// [`Preference`].
    Vote,
    /// The geometric mean of their probabilities, made to sum to 1: the centroid for cross-entropy.
    /// A member's probabilities are [smoothed](smooth_logs) first, so that none is zero.
    Geometric,
}

impl Combine {
    /// That of a family with the choice [`COMBINE`].
    pub(super) fn chosen(blueprint: &Blueprint) -> Self {
        let ways = [
            ("probability", Combine::Probability),
            ("vote", Combine::Vote),
            ("geometric", Combine::Geometric),
        ];
        blueprint.chosen(COMBINE.name, &ways)
    }
}

/// Bootstrap aggregation: the prediction is the mean over M members of the base learner, member i
/// fitted to n pairs drawn with replacement from the training set.
///
/// Any learner can be the base, another bagging included. Member i draws from a stream of its own,
/// so the first members are the same whatever M is: one run of the largest M gives every smaller
/// M, and every setting of the base shares the same bootstraps.
///
/// With `sample = "split"` the data are divided at random among the M members instead: shares of
/// n/M pairs, rounded down or up, that do not meet and together are all data. Shares of another M
/// are others, so every M is an ensemble of its own. Members beyond the n-th would have no data and
/// are left out.
///
/// Of classifiers, `combine` says what is made of the members' probabilities: their mean, the shares
/// of their votes, or their normalised geometric mean; see [`Combine`].
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `members` | number M of copies | 1 to 10 000 | 50 |
/// | `sample` | what a copy is fitted to | `bootstrap` or `split` | `bootstrap` |
/// | `combine` | for classes: how members make one prediction | `probability`, `vote` or `geometric` | `probability` |
///
/// **Cost** of a whole path: M_max paths of the base learner; with `split` one for every member of
/// every M, on n/M pairs each.
///
/// **Reference**: Breiman, *Bagging predictors*, Machine Learning 24 (1996).
///
/// ```
/// use bvlab_core::learner::{Bagging, BaggingSetting, Knn, Learner};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0, 2.0]),
///     labels: vec![7.0, 7.0, 7.0],
/// };
/// let path = [1, 10, 100].map(|members| BaggingSetting { members, base: 0 });
/// let mut bagging = Bagging::new(path.to_vec(), Box::new(Knn::new(vec![1])));
/// bagging.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// bagging.predict(&Points::new(1, vec![0.2]), &mut out);
/// assert_eq!(out, [7.0; 3]);
/// ```
#[derive(Clone)]
pub struct Bagging {
    settings: Vec<BaggingSetting>,
    sample: BaggingSample,
    base: Box<dyn Learner>,
    /// How many classes there are; 0 where labels are numbers.
    classes: usize,
    combine: Combine,
    preference: Preference,
    members: Vec<Box<dyn Learner>>,
    /// With [`BaggingSample::Split`]: for every M, how many members it has.
    ensembles: Vec<(usize, usize)>,
    drawn: Training,
    counts: Vec<u32>,
    sums: Vec<f64>,
    predictions: Vec<f64>,
}

impl Bagging {
    /// A path over `settings` of copies of `base`.
    pub fn new(settings: Vec<BaggingSetting>, base: Box<dyn Learner>) -> Self {
        Bagging::with_sample(settings, base, BaggingSample::Bootstrap)
    }

    /// The same, with members that are fitted to other samples.
    pub fn with_sample(
        settings: Vec<BaggingSetting>,
        base: Box<dyn Learner>,
        sample: BaggingSample,
    ) -> Self {
        Bagging {
            settings,
            sample,
            base,
            classes: 0,
            combine: Combine::default(),
            preference: Preference::default(),
            members: Vec::new(),
            ensembles: Vec::new(),
            drawn: Training::default(),
            counts: Vec::new(),
            sums: Vec::new(),
            predictions: Vec::new(),
        }
    }

    /// The same for labels that are classes 0, 1, …, K - 1, with a base for as many.
    pub fn classifier(
        settings: Vec<BaggingSetting>,
        base: Box<dyn Learner>,
        sample: BaggingSample,
        classes: usize,
        combine: Combine,
    ) -> Self {
        Bagging {
            classes: classes.max(1),
            combine,
            ..Bagging::with_sample(settings, base, sample)
        }
    }

    /// Predicts with one member after the other.
    fn ask_members(
        &mut self,
        points: &Points,
        interrupt: &Interrupt,
        mut hear: impl FnMut(MemberIndex, &[f64]),
    ) -> Result<(), Interrupted> {
        let outputs = points.len() * self.classes.max(1);
        let predictions = room(&mut self.predictions, self.base.capacities() * outputs);
        // Bootstrapped members are one ensemble, whose beginnings are the smaller ones; of an
        // ensemble that divides the data only all members together are of use.
        let one = [(0, self.members.len())];
        let ensembles = match self.sample {
            BaggingSample::Split => self.ensembles.as_slice(),
            _ => &one,
        };
        let mut members = self.members.iter_mut();
        for &(size, count) in ensembles {
            for (member, learner) in members.by_ref().take(count).enumerate() {
                learner.try_predict(points, predictions, interrupt)?;
                let turn = MemberIndex {
                    size,
                    count,
                    member,
                };
                hear(turn, predictions);
            }
        }
        Ok(())
    }

    /// Fits an ensemble of its own for every M, to shares of the data in one random order.
    fn fit_shares(
        &mut self,
        data: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut order: Vec<usize> = (0..data.len()).collect();
        order.shuffle(&mut stream.child(0));
        let mut sizes: Vec<usize> = self.settings.iter().map(|s| s.members).collect();
        sizes.sort_unstable();
        sizes.dedup();
        self.ensembles.clear();
        let mut next = 0;
        for &size in &sizes {
            let stream = stream.child(size as u64);
            let shares = shares(&order, size);
            self.ensembles.push((size, shares.len()));
            for (i, share) in shares.into_iter().enumerate() {
                if next == self.members.len() {
                    self.members.push(self.base.clone());
                }
                self.counts.clear();
                self.counts.resize(data.len(), 0);
                share.iter().for_each(|&pair| self.counts[pair] = 1);
                data.repeat_into(&self.counts, &mut self.drawn);
                interrupt.check(data.len())?;
                self.members[next].try_fit(&self.drawn, &stream.child(i as u64), interrupt)?;
                next += 1;
            }
        }
        self.members.truncate(next);
        Ok(())
    }
}

/// The shares of `members` members of an order of the data, those without any data left out.
fn shares(order: &[usize], members: usize) -> Vec<&[usize]> {
    let end = |i: usize| i * order.len() / members;
    let shares = (0..members).map(|i| &order[end(i)..end(i + 1)]);
    shares.filter(|share| !share.is_empty()).collect()
}

/// Draws n of n pairs with replacement; `counts` is memory that is kept between calls.
pub(crate) fn bootstrap(
    data: &Training,
    stream: &mut Stream,
    counts: &mut Vec<u32>,
    sample: &mut Training,
) {
    counts.clear();
    counts.resize(data.len(), 0);
    for _ in 0..data.len() {
        counts[stream.random_range(0..data.len())] += 1;
    }
    data.repeat_into(counts, sample);
}

/// Where a member stands in its ensemble.
#[derive(Clone, Copy)]
struct MemberIndex {
    /// The number of members that the ensemble is for; 0 where it is for any.
    size: usize,
    /// How many it has.
    count: usize,
    member: usize,
}

impl MemberIndex {
    /// Whether a setting with that many members has this one.
    fn belongs_to(self, members: usize) -> bool {
        match self.size {
            0 => self.member < members,
            size => members == size,
        }
    }

    /// Whether it is the last one of such a setting.
    fn completes(self, members: usize) -> bool {
        let last = match self.size {
            0 => members,
            _ => self.count,
        };
        self.belongs_to(members) && self.member + 1 == last
    }
}

impl Combine {
    /// Adds a member's predictions to the sums.
    fn add(self, predictions: &[f64], member: Preference, classes: usize, sums: &mut [f64]) {
        let each = sums.iter_mut().zip(predictions);
        match self {
            Combine::Probability => each.for_each(|(sum, p)| *sum += p),
            Combine::Geometric => {
                let rows = predictions.chunks_exact(classes.max(1));
                let mut room = [0.0; MOST_CLASSES];
                for (sums, row) in sums.chunks_exact_mut(classes.max(1)).zip(rows) {
                    smooth_logs(row, SMOOTHING, &mut room);
                    sums.iter_mut()
                        .zip(&room)
                        .for_each(|(sum, log)| *sum += log);
                }
            }
            Combine::Vote => {
                let rows = predictions.chunks_exact(classes.max(1));
                for (sums, row) in sums.chunks_exact_mut(classes.max(1)).zip(rows) {
                    sums[member.choose(row)] += 1.0;
                }
            }
        }
    }

    /// Turns sums over that many members into predictions.
    fn conclude(self, sums: &[f64], members: usize, classes: usize, out: &mut [f64]) {
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = sum / members as f64;
        }
        if self == Combine::Geometric {
            out.chunks_exact_mut(classes.max(1)).for_each(softmax);
        }
    }
}

impl Learner for Bagging {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.preference = Preference::of(stream);
        if self.sample == BaggingSample::Split {
            return self.fit_shares(data, stream, interrupt);
        }
        let most = self.settings.iter().map(|s| s.members).max().unwrap_or(0);
        self.members.resize_with(most, || self.base.clone());
        for (i, member) in self.members.iter_mut().enumerate() {
            let mut stream = stream.child(i as u64);
            if self.sample == BaggingSample::All {
                member.try_fit(data, &stream.child(0), interrupt)?;
                continue;
            }
            bootstrap(data, &mut stream, &mut self.counts, &mut self.drawn);
            member.try_fit(&self.drawn, &stream.child(0), interrupt)?;
        }
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let (combine, preference, classes) = (self.combine, self.preference, self.classes);
        let length = points.len() * classes.max(1);
        let settings = std::mem::take(&mut self.settings);
        let mut kept = std::mem::take(&mut self.sums);
        let sums = room(&mut kept, self.base.capacities() * length);
        let asked = self.ask_members(points, interrupt, |turn, predictions| {
            if turn.member == 0 {
                sums.fill(0.0);
            }
            let member = preference.of_member(turn.member);
            combine.add(predictions, member, classes, sums);
            for (c, setting) in settings.iter().enumerate() {
                if turn.completes(setting.members) {
                    let sums = &sums[setting.base * length..][..length];
                    let out = &mut out[c * length..][..length];
                    combine.conclude(sums, turn.member + 1, classes, out);
                }
            }
        });
        (self.settings, self.sums) = (settings, kept);
        asked
    }

    fn predict_members(
        &mut self,
        points: &Points,
        interrupt: &Interrupt,
        visit: &mut dyn FnMut(usize, usize, &[f64]),
    ) -> Result<bool, Interrupted> {
        let length = points.len() * self.classes.max(1);
        let settings = std::mem::take(&mut self.settings);
        let asked = self.ask_members(points, interrupt, |turn, predictions| {
            for (c, setting) in settings.iter().enumerate() {
                if turn.belongs_to(setting.members) {
                    let predictions = &predictions[setting.base * length..][..length];
                    visit(c, turn.member, predictions);
                }
            }
        });
        self.settings = settings;
        asked.map(|()| true)
    }

    fn predicts_scores(&self) -> bool {
        self.combine == Combine::Probability && self.base.predicts_scores()
    }

    fn members(&self) -> Option<Vec<usize>> {
        // Members of another number would have other shares of the data, and a geometric mean is
        // none.
        let alike = self.sample != BaggingSample::Split && self.combine != Combine::Geometric;
        let members = self.settings.iter().map(|setting| setting.members);
        alike.then(|| members.collect())
    }

    fn operations(&self, size: Size) -> f64 {
        let members = self.settings.iter().map(|setting| setting.members).max();
        let fits = match self.sample {
            // Every number of members is an ensemble of its own.
            BaggingSample::Split => self.settings.len(),
            BaggingSample::Bootstrap | BaggingSample::All => members.unwrap_or(0),
        };
        let looks = match size.members {
            true => self.settings.iter().map(|setting| setting.members).sum(),
            false => 0,
        };
        let base = Size {
            members: false,
            ..size
        };
        fits as f64 * (self.base.operations(base) + size.train)
            + 5.0 * looks as f64 * size.points * size.outputs
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let members = self.settings.iter().map(|setting| setting.members).max();
        let each = match self.sample {
            // All members of an ensemble together have every point once.
            BaggingSample::Split => self.settings.len(),
            BaggingSample::Bootstrap | BaggingSample::All => members.unwrap_or(0),
        };
        let predictions = self.base.capacities() as f64 * size.predictions() * size.outputs;
        each as f64 * self.base.numbers_held(size) + 2.0 * predictions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_do_not_meet_and_together_are_all_data() {
        let order = [4, 0, 6, 2, 1, 5, 3];
        for members in 1..10 {
            let shares = shares(&order, members);
            assert_eq!(shares.concat(), order, "{members} members");
            assert_eq!(shares.len(), members.min(order.len()));
            let sizes = shares.iter().map(|share| share.len());
            let [least, most] = [sizes.clone().min(), sizes.max()].map(Option::unwrap);
            assert!(least >= 1 && most - least <= 1, "{members} members");
        }
        assert_eq!(shares(&order, 1), [order]);
    }
}
