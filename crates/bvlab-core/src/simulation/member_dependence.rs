//! Which members of a bagging err together, and what that does to their vote.

use super::correlation::phi;
use super::disc::{self, Disc};
use super::majority_vote::half;
use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, TRAIN, most};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::{Learner, Tree, TreeSetting, bootstrap};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "member-dependence",
    meaning: "which pairs of bagged trees err dependently, and the error of their vote",
    resamples: "test points",
    theory: "independent voters",
    identity: false,
    parameters: &[
        Parameter::whole("members", "number of members, for the pairs")
            .least(2.0)
            .up_to(100.0)
            .default(50.0),
        Parameter::whole("sizes", "numbers M of members who vote")
            .least(1.0)
            .up_to(101.0)
            .list(
                100,
                &[
                    1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 15.0, 21.0, 27.0, 33.0, 41.0, 49.0,
                ],
            ),
        TRAIN,
        Parameter::number("noise", "chance that a training label is flipped")
            .up_to(0.5)
            .default(0.2),
    ],
    build: |setup| {
        let (members, sizes) = (setup.whole("members"), setup.counts("sizes"));
        Box::new(MemberDependence {
            members,
            trees: members.max(most(&sizes)),
            sizes,
            problem: Disc {
                train: setup.whole("train"),
                noise: setup.number("noise"),
            },
            grown: None,
            drawn: Points::default(),
            two: Points::default(),
        })
    },
};

/// Trees of one seed's training sets, each without limits on a bootstrap of n pairs of the
/// [`Disc`]: once all on bootstraps of the same training set, which is bagging, and once each on a
/// bootstrap of a training set of its own.
///
/// A resample is a test point, and a tree errs where it does not give the point its class.
/// Observed:
///
/// - whether a tree errs, and whether two of the same kind err both: their correlation φ,
/// - whether at least half of the first M of a kind err, which makes their vote wrong,
/// - the same for bagged trees of which each judges a test point of its own. These err
///   independently, as often as before: with their errors ε_i the number that err is the sum of
///   independent chances ε_i (Poisson's binomial law), and the vote its tail.
struct MemberDependence {
    members: usize,
    sizes: Vec<usize>,
    problem: Disc,
    /// How many trees there are of each kind.
    trees: usize,
    grown: Option<GrownTree>,
    drawn: Points,
    two: Points,
}

struct GrownTree {
    seed: u64,
    bagged: Vec<Tree>,
    own: Vec<Tree>,
}

/// Bagged members, members with training sets of their own, bagged members at points of their own.
const KINDS: usize = 3;

const PAIRS: &str = "pairs";
const VOTE: &str = "vote";
const NAMES: [&str; KINDS] = ["bagged", "own data", "independent"];

impl GrownTree {
    fn new(
        seed: u64,
        trees: usize,
        problem: Disc,
        interrupt: &Interrupt,
    ) -> Result<Self, Interrupted> {
        let [inputs, noise, algorithm] = [Purpose::Inputs, Purpose::Noise, Purpose::Algorithm]
            .map(|purpose| Stream::new(seed, purpose, 0));
        let mut shared = Training::default();
        problem.draw([&mut inputs.child(0), &mut noise.child(0)], &mut shared);
        let (mut own, mut sample, mut counts) = (Training::default(), Training::default(), vec![]);
        let mut grow = |data: &Training, mut stream: Stream| {
            bootstrap(data, &mut stream, &mut counts, &mut sample);
            let mut tree = Tree::new(vec![TreeSetting::default()]);
            tree.try_fit(&sample, &stream.child(0), interrupt)?;
            Ok(tree)
        };
        let other = Stream::new(seed, Purpose::Algorithm, 1);
        Ok(GrownTree {
            seed,
            bagged: (0..trees as u64)
                .map(|i| grow(&shared, algorithm.child(i)))
                .collect::<Result<_, _>>()?,
            own: (0..trees as u64)
                .map(|i| {
                    let streams = [&mut inputs.child(i + 1), &mut noise.child(i + 1)];
                    problem.draw(streams, &mut own);
                    grow(&own, other.child(i))
                })
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Chances p_i of independent events: the law of how many happen.
fn law(chances: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut law = vec![1.0];
    for p in chances {
        law.push(0.0);
        for k in (0..law.len()).rev() {
            let before = if k > 0 { law[k - 1] } else { 0.0 };
            law[k] = law[k] * (1.0 - p) + before * p;
        }
    }
    law
}

/// The error v of the vote of independent voters with these errors, and the variance of (a vote is
/// wrong) − v where the errors themselves are estimated from the same votes.
///
/// A voter's error moves v by the chance that the others are in balance without it, g_i. To first
/// order what is left is the vote without its projection on the single voters,
/// v(1−v) − Σ g_i² ε_i(1−ε_i).
fn vote(errors: &[f64]) -> [f64; 2] {
    let needed = half(errors.len());
    let wrong: f64 = law(errors.iter().copied())[needed..].iter().rev().sum();
    let explained = errors.iter().enumerate().map(|(i, error)| {
        let others = errors.iter().enumerate().filter(|(j, _)| *j != i);
        let balance = law(others.map(|(_, error)| *error))[needed - 1];
        balance * balance * error * (1.0 - error)
    });
    let left = wrong * (1.0 - wrong) - explained.sum::<f64>();
    [wrong, left.max(0.0)]
}

impl MemberDependence {
    fn pairs(&self) -> usize {
        self.members * (self.members - 1) / 2
    }

    /// Where the pair i < j stands among all pairs.
    fn pair(&self, i: usize, j: usize) -> usize {
        i * (2 * self.members - i - 1) / 2 + j - i - 1
    }

    /// Of every kind: which trees err at the points that were drawn, the first for all.
    fn judge(&mut self, errs: &mut [f64]) {
        let (trees, drawn, two) = (self.trees, &self.drawn, &mut self.two);
        let Some(grown) = &mut self.grown else {
            return;
        };
        let (bagged, rest) = errs.split_at_mut(trees);
        let (own, alone) = rest.split_at_mut(trees);
        for i in 0..trees {
            two.refill(2, |values| {
                values.extend([drawn.row(0), drawn.row(i + 1)].concat());
            });
            let mut said = [0.0; 2];
            let errs =
                |k: usize, said: f64| f64::from(u8::from(said * disc::class(two.row(k)) <= 0.0));
            grown.own[i].predict(two, &mut said);
            own[i] = errs(0, said[0]);
            grown.bagged[i].predict(two, &mut said);
            bagged[i] = errs(0, said[0]);
            alone[i] = errs(1, said[1]);
        }
    }
}

impl Simulate for MemberDependence {
    fn panels(&self) -> Vec<SimulationPanel> {
        vec![
            SimulationPanel {
                name: PAIRS.to_owned(),
                title: "correlation of errors".to_owned(),
                x: "member".to_owned(),
                y: "member".to_owned(),
                x_scale: Scale::Linear,
                y_scale: Scale::Linear,
                look: PanelStyle::Correlations {
                    above: NAMES[1].to_owned(),
                    below: NAMES[0].to_owned(),
                },
                levels: Vec::new(),
            },
            SimulationPanel {
                name: VOTE.to_owned(),
                title: "error of the vote".to_owned(),
                x: "M (number of members)".to_owned(),
                y: "error".to_owned(),
                x_scale: Scale::Linear,
                y_scale: Scale::Log,
                look: PanelStyle::Curves,
                levels: Vec::new(),
            },
        ]
    }

    fn observations(&self) -> usize {
        KINDS * (self.trees + self.sizes.len()) + 2 * self.pairs()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        if self.grown.as_ref().is_none_or(|grown| grown.seed != seed) {
            self.grown = Some(GrownTree::new(seed, self.trees, self.problem, interrupt)?);
        }
        let mut stream = Stream::new(seed, Purpose::TestPoints, resample);
        disc::points(self.trees + 1, &mut stream, &mut self.drawn);
        let (errs, rest) = out.split_at_mut(KINDS * self.trees);
        self.judge(errs);
        let (votes, both) = rest.split_at_mut(KINDS * self.sizes.len());
        let of_kind = || errs.chunks_exact(self.trees);
        for (errs, votes) in of_kind().zip(votes.chunks_exact_mut(self.sizes.len())) {
            for (&size, vote) in self.sizes.iter().zip(votes) {
                let wrong: f64 = errs[..size].iter().sum();
                *vote = f64::from(u8::from(wrong >= half(size) as f64));
            }
        }
        for (errs, both) in of_kind().zip(both.chunks_exact_mut(self.pairs())) {
            let pairs = (0..self.members).flat_map(|i| (i + 1..self.members).map(move |j| (i, j)));
            for ((i, j), both) in pairs.zip(both) {
                *both = errs[i] * errs[j];
            }
        }
        interrupt.check(out.len())
    }

    /// The first test point waits for all trees to be grown.
    fn operations(&self) -> f64 {
        let size = self.problem.size(2);
        let tree = Tree::new(vec![TreeSetting::default()]);
        let trees = 2.0 * self.trees as f64 * (tree.operations(size) + 20.0 * size.train);
        trees + 10.0 * self.observations() as f64
    }

    fn numbers_held(&self) -> f64 {
        let tree = Tree::new(vec![TreeSetting::default()]);
        2.0 * self.trees as f64 * tree.numbers_held(self.problem.size(2))
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let (errors, rest) = seen.split_at(KINDS * self.trees);
        let (votes, both) = rest.split_at(KINDS * self.sizes.len());
        let errors: Vec<f64> = errors.iter().map(|seen| seen.mean().value).collect();
        let count = seen[0].count();
        let mut rows = Vec::new();
        for y in 0..self.members {
            let series = format!("member {}", y + 1);
            for x in (0..self.members).filter(|x| *x != y) {
                let kind = usize::from(x < y);
                let pair = self.pair(x.min(y), x.max(y));
                let both = both[kind * self.pairs() + pair].mean().value;
                let errors = [x, y].map(|i| errors[kind * self.trees + i]);
                let phi = phi(errors, both, count);
                rows.push(Row::new(PAIRS, series.as_str(), (x + 1) as f64, phi));
            }
        }
        let votes = votes.chunks_exact(self.sizes.len());
        for ((kind, name), votes) in NAMES.iter().enumerate().zip(votes) {
            for (&size, seen) in self.sizes.iter().zip(votes) {
                let row = Row::new(VOTE, *name, size as f64, seen.mean());
                rows.push(match kind {
                    2 => {
                        let [theory, spread] = vote(&errors[2 * self.trees..][..size]);
                        // A single wrong vote more or less is no difference.
                        let chance = (spread / count).sqrt().max(1.0 / count);
                        Row {
                            theory,
                            chance,
                            ..row
                        }
                    }
                    _ => row,
                });
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::{Bagging, BaggingSetting};
    use statrs::distribution::{Binomial, Discrete};

    fn simulation(members: usize, sizes: &[usize]) -> MemberDependence {
        MemberDependence {
            members,
            trees: members.max(most(sizes)),
            sizes: sizes.to_vec(),
            problem: Disc {
                train: 60,
                noise: 0.2,
            },
            grown: None,
            drawn: Points::default(),
            two: Points::default(),
        }
    }

    /// What is observed at every test point, and the rows.
    fn run(mut simulation: MemberDependence, points: u64) -> (Vec<Vec<f64>>, Vec<Row>) {
        let mut seen = vec![Moments::default(); simulation.observations()];
        let all: Vec<Vec<f64>> = (0..points)
            .map(|point| {
                let mut out = vec![f64::NAN; seen.len()];
                let interrupt = Interrupt::never();
                simulation.observe(3, point, &mut out, &interrupt).unwrap();
                seen.iter_mut().zip(&out).for_each(|(m, v)| m.add(*v));
                out
            })
            .collect();
        let rows = simulation.rows(&seen);
        (all, rows)
    }

    #[test]
    fn equal_voters_are_a_binomial_and_others_what_counting_says() {
        let same = law([0.3; 21].into_iter());
        let binomial = Binomial::new(0.3, 21).unwrap();
        for (k, chance) in same.iter().enumerate() {
            assert!((chance - binomial.pmf(k as u64)).abs() < 1e-13);
        }
        assert!((vote(&[0.3; 11])[0] - 0.078225).abs() < 1e-6);
        // All outcomes of six voters, and of the vote less its best guess from single voters.
        let errors = [0.1, 0.5, 0.35, 0.2, 0.9, 0.02];
        for size in 1..=errors.len() {
            let errors = &errors[..size];
            let (mut wrong, mut with) = (0.0, vec![0.0; size]);
            for outcome in 0..1_u32 << size {
                let errs = |i: usize| outcome >> i & 1 == 1;
                let chance: f64 = (0..size)
                    .map(|i| if errs(i) { errors[i] } else { 1.0 - errors[i] })
                    .product();
                if 2 * outcome.count_ones() as usize >= size {
                    wrong += chance;
                    for (i, with) in with.iter_mut().enumerate() {
                        *with += if errs(i) { chance } else { 0.0 };
                    }
                }
            }
            // The covariance of vote and voter over the voter's variance is its slope.
            let explained: f64 = errors
                .iter()
                .zip(&with)
                .map(|(p, with)| (with - wrong * p).powi(2) / (p * (1.0 - p)))
                .sum();
            let [chance, left] = vote(errors);
            assert!((chance - wrong).abs() < 1e-14, "{size}");
            let wanted = wrong * (1.0 - wrong) - explained;
            assert!((left - wanted).abs() < 1e-14, "{size}");
        }
    }

    #[test]
    fn the_chance_that_theory_gives_is_the_one_that_is_seen() {
        // Many short runs: how far the vote is from its theory, in units of what it should be.
        let mut simulation = simulation(2, &[3, 5]);
        let mut away = [Moments::default(); 2];
        for run in 0..400 {
            let mut seen = vec![Moments::default(); simulation.observations()];
            let mut out = vec![0.0; seen.len()];
            for point in 0..300 {
                let (point, interrupt) = (300 * run + point, Interrupt::never());
                simulation.observe(5, point, &mut out, &interrupt).unwrap();
                seen.iter_mut().zip(&out).for_each(|(m, v)| m.add(*v));
            }
            let rows = simulation.rows(&seen);
            let own = rows.iter().filter(|row| row.series == "independent");
            for (row, away) in own.zip(&mut away) {
                away.add((row.value - row.theory) / row.chance);
            }
        }
        for away in away {
            let (mean, spread) = (away.mean(), away.variance());
            assert!(mean.value.abs() < 4.0 * mean.se, "{mean:?}");
            assert!((0.75..1.25).contains(&spread.value), "{spread:?}");
        }
    }

    #[test]
    fn pairs_and_votes_are_what_the_errors_of_all_points_say() {
        let (all, rows) = run(simulation(4, &[1, 3, 6]), 500);
        let n = all.len() as f64;
        let trees = 6;
        let mean = |of: &dyn Fn(&[f64]) -> f64| all.iter().map(|out| of(out)).sum::<f64>() / n;
        let own = rows.iter().filter(|row| row.panel == PAIRS);
        assert_eq!(own.clone().count(), 12);
        for row in own {
            let member: usize = row.series["member ".len()..].parse().unwrap();
            let (i, j) = (member - 1, row.x as usize - 1);
            // Bagged trees below the diagonal, the others above it.
            let first = if j > i { 0 } else { trees };
            let [a, b] = [i, j].map(|i| mean(&|out| out[first + i]));
            let product = mean(&|out| (out[first + i] - a) * (out[first + j] - b));
            let sd = |p: f64| (p * (1.0 - p)).sqrt();
            assert!(
                (row.value - product / (sd(a) * sd(b))).abs() < 1e-10,
                "{row:?}"
            );
        }
        for (kind, name) in NAMES.iter().enumerate() {
            for size in [1, 3, 6] {
                let wrong = mean(&|out| {
                    let errs: f64 = out[kind * trees..][..size].iter().sum();
                    // A tie counts as wrong.
                    f64::from(u8::from(2.0 * errs >= size as f64))
                });
                let row = |row: &&Row| row.series == *name && row.x == size as f64;
                let row = rows.iter().find(row).unwrap();
                assert!((row.value - wrong).abs() < 1e-12, "{row:?}");
            }
        }
    }

    /// The members are those of the learner `bagging` on the same data: full trees say −1 or 1, and
    /// the sign of their mean is their vote.
    #[test]
    fn the_vote_of_bagged_members_is_the_learner_bagging() {
        let (all, _) = run(simulation(2, &[7]), 200);
        let problem = simulation(2, &[7]).problem;
        let stream = |purpose| Stream::new(3, purpose, 0);
        let mut data = Training::default();
        problem.draw(
            [
                &mut stream(Purpose::Inputs).child(0),
                &mut stream(Purpose::Noise).child(0),
            ],
            &mut data,
        );
        let setting = BaggingSetting {
            members: 7,
            base: 0,
        };
        let tree = Tree::new(vec![TreeSetting::default()]);
        let mut bagging = Bagging::new(vec![setting], Box::new(tree));
        bagging.fit(&data, &stream(Purpose::Algorithm));
        let mut seen = 0.0;
        for (point, out) in all.iter().enumerate() {
            let mut drawn = Points::default();
            let mut stream = Stream::new(3, Purpose::TestPoints, point as u64);
            disc::points(1, &mut stream, &mut drawn);
            let mut mean = [0.0];
            bagging.predict(&drawn, &mut mean);
            let wrong = mean[0] * disc::class(drawn.row(0)) <= 0.0;
            assert_eq!(out[KINDS * 7] == 1.0, wrong, "point {point}");
            seen += out[KINDS * 7];
        }
        assert!(seen > 5.0);
    }
}
