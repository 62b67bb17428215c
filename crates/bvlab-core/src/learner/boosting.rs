//! Gradient boosting of regression trees for squared error.

use super::family::{BOOSTED_DEPTH, Blueprint, Family, ROUNDS, rate};
use super::grouping::staged;
use super::{Learner, Size, Tree, TreeSetting, room};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family::new(
    "boosting",
    "trees fitted one after the other to the residuals",
    build,
)
.parameters(&[
    ROUNDS,
    rate(
        "learning rate: the share of every tree that is added",
        1.0,
        0.1,
    ),
    BOOSTED_DEPTH.default(2.0),
])
.one_fit("every smaller number of rounds");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| BoostingSetting {
        rounds: setting.whole("rounds"),
        rate: setting.number("rate"),
        depth: setting.whole("depth"),
    });
    Box::new(Boosting::new(settings.collect()))
}

/// One setting of [`Boosting`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoostingSetting {
    /// How many trees.
    pub rounds: usize,
    /// The learning rate: the share of every tree that is added.
    pub rate: f64,
    /// The depth of the trees.
    pub depth: usize,
}

/// Gradient boosting for squared error: F_0 is the mean label, and F_m = F_{m-1} + η T_m, where
/// the tree T_m of the given depth is fitted to the residuals y - F_{m-1}(x). Every round chooses
/// between equal features anew; see [`Tree`].
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `rounds` | number of trees | 0 to 10 000 | 100 |
/// | `rate` | η, the learning rate: the share of every tree that is added | above 0, to 1 | 0.1 |
/// | `depth` | depth of the trees | from 1 | 2 |
///
/// **Cost** of a whole path: one run of the most rounds for every distinct (`rate`, `depth`) gives
/// every smaller number of rounds.
///
/// **Reference**: Friedman, *Greedy function approximation: a gradient boosting machine*, Annals of
/// Statistics 29 (2001).
///
/// ```
/// use bvlab_core::learner::{Boosting, BoostingSetting, Learner};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0]),
///     labels: vec![0.0, 8.0],
/// };
/// let path = [0, 1, 2].map(|rounds| BoostingSetting { rounds, rate: 0.5, depth: 1 });
/// let mut boosting = Boosting::new(path.to_vec());
/// boosting.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// boosting.predict(&Points::new(1, vec![1.0]), &mut out);
/// assert_eq!(out, [4.0, 6.0, 7.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Boosting {
    capacities: usize,
    chains: Vec<BoostingChain>,
    residuals: Training,
    predictions: Vec<f64>,
    sums: Vec<f64>,
}

/// All settings with the same rate and depth.
#[derive(Clone, Debug)]
struct BoostingChain {
    rate: f64,
    depth: usize,
    /// (rounds, setting), by rising rounds.
    settings: Vec<(usize, usize)>,
    start: f64,
    trees: Vec<Tree>,
}

impl Boosting {
    /// A path over `settings`, in any order.
    pub fn new(settings: Vec<BoostingSetting>) -> Self {
        let same =
            |a: &BoostingSetting, b: &BoostingSetting| a.rate == b.rate && a.depth == b.depth;
        let chains = staged(&settings, same, |setting| setting.rounds);
        let chains = chains.into_iter().map(|(first, settings)| BoostingChain {
            rate: first.rate,
            depth: first.depth,
            settings,
            start: 0.0,
            trees: Vec::new(),
        });
        Boosting {
            capacities: settings.len(),
            chains: chains.collect(),
            residuals: Training::default(),
            predictions: Vec::new(),
            sums: Vec::new(),
        }
    }
}

impl Learner for Boosting {
    fn capacities(&self) -> usize {
        self.capacities
    }

    fn try_fit(
        &mut self,
        data: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let predictions = room(&mut self.predictions, data.len());
        for chain in &mut self.chains {
            let rounds = chain.settings.last().map_or(0, |(rounds, _)| *rounds);
            let setting = TreeSetting {
                depth: chain.depth,
                ..Default::default()
            };
            chain.trees.resize_with(rounds, || Tree::new(vec![setting]));
            chain.start = data.labels.iter().sum::<f64>() / data.len() as f64;
            self.residuals.clone_from(data);
            self.residuals
                .labels
                .iter_mut()
                .for_each(|y| *y -= chain.start);
            for (round, tree) in (0..).zip(&mut chain.trees) {
                tree.try_fit(&self.residuals, &stream.child(round), interrupt)?;
                tree.try_predict_training(&self.residuals, predictions, interrupt)?;
                for (residual, step) in self.residuals.labels.iter_mut().zip(&*predictions) {
                    *residual -= chain.rate * step;
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
        let count = points.len();
        let predictions = room(&mut self.predictions, count);
        let sums = room(&mut self.sums, count);
        for chain in &mut self.chains {
            sums.fill(chain.start);
            let mut done = 0;
            for &(rounds, c) in &chain.settings {
                for tree in &mut chain.trees[done..rounds] {
                    tree.try_predict(points, predictions, interrupt)?;
                    for (sum, step) in sums.iter_mut().zip(&*predictions) {
                        *sum += chain.rate * step;
                    }
                }
                done = rounds;
                out[c * count..][..count].copy_from_slice(sums);
            }
        }
        Ok(())
    }

    fn operations(&self, size: Size) -> f64 {
        let each = |chain: &BoostingChain| {
            let rounds = chain.settings.last().map_or(0, |(rounds, _)| *rounds);
            let walk = size.predictions() * chain.depth.min(64) as f64;
            rounds as f64 * (size.tree() + walk)
        };
        self.chains.iter().map(each).sum()
    }
}
