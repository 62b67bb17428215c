//! AdaBoost: a weighted vote of trees, each giving more weight to points that the earlier ones
//! misclassified.

mod rounds;
mod weak;

use super::family::{BOOSTED_DEPTH, Blueprint, Choice, Family, LabelKind, ROUNDS};
use super::grouping::staged;
use super::{Learner, Size, class_label, room, softmax};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{pow, power};
use crate::stream::Stream;
pub(crate) use rounds::Rounds;
use weak::class_of;
pub(crate) use weak::{ClassNode, Impurity, gini, minority};

pub(super) const FAMILY: Family = Family::new(
    "adaboost",
    "a weighted vote of small trees, each giving more weight to points that the earlier ones misclassified",
    build,
)
.parameters(&[ROUNDS.least(1.0), BOOSTED_DEPTH.default(1.0)])
.choices(&[Choice::new(
    "sample",
    "whether a tree sees all points with their weights, or a sample drawn by them",
    &["reweight", "resample"],
)
.for_classes()])
.labels(LabelKind::Classes)
.one_fit("every smaller number of rounds");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| AdaBoostSetting {
        rounds: setting.whole("rounds"),
        depth: setting.whole("depth"),
    });
    let samples = [
        ("reweight", AdaBoostSample::Reweight),
        ("resample", AdaBoostSample::Resample),
    ];
    let sample = blueprint.chosen("sample", &samples);
    Box::new(AdaBoost::new(settings.collect(), blueprint.classes, sample))
}

/// One setting of [`AdaBoost`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaBoostSetting {
    /// How many trees.
    pub rounds: usize,
    /// Their depth.
    pub depth: usize,
}

/// How the trees of [`AdaBoost`] come to know the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdaBoostSample {
    /// Every tree is grown on all points with their weights.
    Reweight,
    /// Every tree is grown on n points, drawn with replacement by their weights.
    Resample,
}

/// AdaBoost for K classes (SAMME): trees h_t that vote with α_t.
///
/// All weights w_i are 1/n at first. Round t grows a tree of the given depth, measures its error
/// ε_t = Σ_i w_i \[h_t(x_i) ≠ y_i\] on the whole training set, gives it
/// α_t = ln((1-ε_t)/ε_t) + ln(K-1), multiplies the weights of what it got wrong by exp(α_t), and
/// brings their sum back to 1. The probabilities are
///
/// p_k(x) ∝ exp(F_k(x)), F_k(x) = Σ_t α_t \[h_t(x) = k\],
///
/// which is exp(f_k/(K-1)) of the additive model f that minimises the exponential loss. With two
/// classes this is discrete AdaBoost: its F is half of F_1 - F_0, p_1 = 1/(1 + exp(-2F)), and
///
/// training error ≤ (1/n) Σ_i exp(-y_i F(x_i)) = Π_t 2 √(ε_t(1-ε_t)),
///
/// where y is 1 or -1, whichever way the trees were found; see [`AdaBoost::bound`].
///
/// A node is split where the weighted Gini impurity Σ_k w_k (1 - w_k/Σ_j w_j) falls most, at the
/// midpoint between two neighbouring inputs. Ties between features are broken at random, as in a
/// [`Tree`](super::Tree), those between thresholds of one feature go to the smallest. The leaf says
/// the class of the largest weight; among equals it chooses by the round's own
/// [`Preference`](crate::probability::Preference).
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `rounds` | number of trees | 1 to 10 000 | 100 |
/// | `depth` | their depth | from 1 | 1 |
///
/// | choice | options | default |
/// |---|---|---|
/// | `sample` | `reweight`: a tree sees all points with their weights; `resample`: n points drawn by them | `reweight` |
///
/// A tree without error has an infinite vote: it decides alone, and boosting ends. A tree that is no
/// better than chance, ε_t ≥ 1 - 1/K, does not vote: with `reweight` boosting ends there; with
/// `resample` the next round draws another sample by the same weights. Rounds after the end change
/// nothing.
///
/// **Cost** of a whole path: one run of the most rounds for every distinct `depth` gives every smaller
/// number of rounds. A round is O(d n · depth), after one sort of every coordinate.
///
/// **Reference**: Freund and Schapire, *A decision-theoretic generalization of on-line learning and
/// an application to boosting*, Journal of Computer and System Sciences 55 (1997); Zhu, Zou, Rosset
/// and Hastie, *Multi-class AdaBoost*, Statistics and Its Interface 2 (2009).
///
/// ```
/// use bvlab_core::learner::{AdaBoost, AdaBoostSample, AdaBoostSetting, Learner};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0, 2.0, 3.0]),
///     labels: vec![0.0, 1.0, 1.0, 0.0],
/// };
/// let path = [1, 3].map(|rounds| AdaBoostSetting { rounds, depth: 1 });
/// let mut boosting = AdaBoost::new(path.to_vec(), 2, AdaBoostSample::Reweight);
/// boosting.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 4];
/// boosting.predict(&Points::new(1, vec![3.0]), &mut out);
/// assert!((out[1] - 0.75).abs() < 1e-12); // the first stump errs in one of four points
/// assert!(out[3] < 0.5); // three of them are right everywhere
/// assert!((boosting.bound(0) - 0.75_f64.sqrt()).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct AdaBoost {
    capacities: usize,
    classes: usize,
    sample: AdaBoostSample,
    chains: Vec<AdaBoostChain>,
    rounds: Rounds,
    votes: Vec<f64>,
}

/// All settings with the same depth.
#[derive(Clone, Debug)]
struct AdaBoostChain {
    depth: usize,
    /// (rounds, setting), by rising rounds.
    settings: Vec<(usize, usize)>,
    nodes: Vec<ClassNode>,
    members: Vec<Member>,
}

/// A tree that votes.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// Where its nodes end; they begin where those of the one before it end.
    end: usize,
    /// 0 where a round has none.
    vote: f64,
    /// The product of the normalisers up to here.
    bound: f64,
}

impl AdaBoost {
    /// A path over `settings`, in any order, for this many classes.
    pub fn new(settings: Vec<AdaBoostSetting>, classes: usize, sample: AdaBoostSample) -> Self {
        let same = |a: &AdaBoostSetting, b: &AdaBoostSetting| a.depth == b.depth;
        let chains = staged(&settings, same, |setting| setting.rounds);
        let chains = chains.into_iter().map(|(first, settings)| AdaBoostChain {
            depth: first.depth,
            settings,
            nodes: Vec::new(),
            members: Vec::new(),
        });
        let chains = chains.collect();
        AdaBoost {
            capacities: settings.len(),
            classes,
            sample,
            chains,
            rounds: Rounds::new(classes, gini),
            votes: Vec::new(),
        }
    }

    /// The mean exponential loss (1/n) Σ_i exp(-f_y(x_i)/(K-1)) of a setting on the training set it
    /// was fitted to last, y being the class of point i: the product over the rounds of
    /// Z_t = K (ε_t/(K-1))^{1-1/K} (1-ε_t)^{1/K}. With two classes that is 2 √(ε_t(1-ε_t)), and the
    /// product lies over the training error.
    pub fn bound(&self, setting: usize) -> f64 {
        let mut settings = self.chains.iter().flat_map(|chain| {
            let settings = chain.settings.iter();
            settings.map(move |(rounds, c)| (chain, *rounds, *c))
        });
        let Some((chain, rounds, _)) = settings.find(|(_, _, c)| *c == setting) else {
            return 1.0;
        };
        let mut members = chain.members.iter().take(rounds);
        members.next_back().map_or(1.0, |member| member.bound)
    }
}

impl Learner for AdaBoost {
    fn capacities(&self) -> usize {
        self.capacities
    }

    fn try_fit(
        &mut self,
        data: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let members = data.labels.iter().map(|label| class_label(*label) as u32);
        self.rounds.load(&data.inputs, members);
        let classes = self.classes as f64;
        for chain in &mut self.chains {
            self.rounds.restart();
            chain.nodes.clear();
            chain.members.clear();
            let rounds = chain.settings.last().map_or(0, |(rounds, _)| *rounds);
            // Enough for small trees, so that none allocates that grows larger than those before.
            chain
                .nodes
                .reserve(rounds * (2 * data.len()).min(2 << chain.depth.min(3)));
            chain.members.reserve(rounds);
            let mut bound = 1.0;
            let step = data.inputs.values().len() * chain.depth.min(64) * 4;
            for t in 0..rounds {
                interrupt.check(step)?;
                let found = self.rounds.round(
                    &data.inputs,
                    chain.depth,
                    self.sample,
                    stream.child(t as u64),
                    &mut chain.nodes,
                );
                let mut vote = 0.0;
                if let Some(round) = found {
                    vote = round.vote;
                    bound *= classes
                        * pow(round.error / (classes - 1.0), 1.0 - 1.0 / classes)
                        * pow(1.0 - round.error, 1.0 / classes);
                }
                chain.members.push(Member {
                    end: chain.nodes.len(),
                    vote,
                    bound,
                });
                if self.rounds.ended() {
                    break;
                }
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
        let (count, classes) = (points.len(), self.classes);
        let votes = room(&mut self.votes, count * classes);
        for chain in &self.chains {
            votes.fill(0.0);
            let (mut done, mut start) = (0, 0);
            for &(rounds, c) in &chain.settings {
                let rounds = rounds.min(chain.members.len());
                for member in &chain.members[done..rounds] {
                    let tree = &chain.nodes[start..member.end];
                    start = member.end;
                    if member.vote == 0.0 {
                        continue;
                    }
                    interrupt.check(count * chain.depth.min(64))?;
                    for (x, votes) in points.rows().zip(votes.chunks_exact_mut(classes)) {
                        votes[class_of(tree, x) as usize] += member.vote;
                    }
                }
                done = rounds;
                let out = &mut out[c * count * classes..][..count * classes];
                let rows = out.chunks_exact_mut(classes);
                for (votes, out) in votes.chunks_exact(classes).zip(rows) {
                    softmax(votes, out);
                }
            }
        }
        Ok(())
    }

    fn operations(&self, size: Size) -> f64 {
        let each = |chain: &AdaBoostChain| {
            let rounds = chain.settings.last().map_or(0, |(rounds, _)| *rounds) as f64;
            let depth = chain.depth.min(64) as f64;
            let growth = size.dimension * size.train * (self.classes as f64 + 4.0);
            rounds * depth * (growth + size.predictions())
        };
        let sort = size.tree();
        sort + self.chains.iter().map(each).sum::<f64>()
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let each = |chain: &AdaBoostChain| {
            let rounds = chain.settings.last().map_or(0, |(rounds, _)| *rounds) as f64;
            let nodes = power(2.0, chain.depth.min(60) as u32 + 1);
            rounds * (4.0 * nodes.min(2.0 * size.train) + 3.0)
        };
        let votes = self.capacities as f64 * size.predictions() * size.outputs;
        let data = 4.0 * size.train * (size.dimension + 2.0);
        data + votes + self.chains.iter().map(each).sum::<f64>()
    }
}
