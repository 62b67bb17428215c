//! No free lunch: averaged over all concepts, every learner is right half of the time.

use rand::seq::SliceRandom;

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::binomial;
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "no-free-lunch",
    meaning: "accuracy of several learners away from their training points, over all concepts of a small domain",
    resamples: "choices of training points",
    theory: "exact",
    identity: false,
    parameters: &[
        Parameter::whole("points", "number N of points of the domain, on a line")
            .symbol("N")
            .least(2.0)
            .up_to(12.0)
            .default(8.0)
            .usual(2.0, 8.0),
        Parameter::whole(
            "train",
            "number m of training points, for the accuracy by concept",
        )
        .symbol("m")
        .least(1.0)
        .up_to(11.0)
        .default(4.0)
        .usual(1.0, 7.0),
    ],
    build: |setup| {
        let points = setup.whole("points");
        Box::new(NoFreeLunch {
            points,
            train: setup.whole("train").min(points - 1),
            order: (0..points).collect(),
            ones: (0..points).collect(),
        })
    },
};

/// The domain is N points 0, …, N−1; a concept is one of the 2^N ways to label them by 0 and 1,
/// without noise. A resample is an order of the points, of which the first m are the training set,
/// and for every number of ones a concept that has as many. Observed: how often a learner is right at
/// the other points,
///
/// - by the number of ones, for that one concept; theory is the average over all concepts that have
///   as many, the same for every training set,
/// - by m, averaged over all concepts: ½ for every learner and every training set. The labels seen
///   say nothing about the others as long as every concept counts the same.
///
/// On domains of at most eight points the accuracy at every concept, averaged over all training sets
/// of m points, is exact; concepts stand in the order of how often neighbours differ.
///
/// **Reference**: Wolpert, *The lack of a priori distinctions between learning algorithms*, Neural
/// Computation 8 (1996).
struct NoFreeLunch {
    points: usize,
    train: usize,
    order: Vec<usize>,
    /// The points in the order in which concepts label them by 1.
    ones: Vec<usize>,
}

/// The largest domain whose concepts are shown one by one.
const MOST_POINTS: usize = 8;

/// A learner predicts one label from the labels of the training points.
struct Guesser {
    name: &'static str,
    predict: fn(&[usize], u32, usize) -> u32,
}

/// Whether a concept labels a point by 1.
fn label(concept: u32, point: usize) -> u32 {
    concept >> point & 1
}

/// How many of the training points a concept labels by 1, beyond half of them; ties count as few.
fn is_mostly_one(seen: &[usize], concept: u32) -> bool {
    let ones: u32 = seen.iter().map(|point| label(concept, *point)).sum();
    2 * ones as usize > seen.len()
}

const GUESSERS: [Guesser; 4] = [
    Guesser {
        name: "nearest neighbour",
        predict: |seen, concept, at| {
            let nearest = seen
                .iter()
                .min_by_key(|point| (point.abs_diff(at), **point));
            nearest.map_or(0, |point| label(concept, *point))
        },
    },
    Guesser {
        name: "majority",
        predict: |seen, concept, _| u32::from(is_mostly_one(seen, concept)),
    },
    Guesser {
        name: "minority",
        predict: |seen, concept, _| u32::from(!is_mostly_one(seen, concept)),
    },
    Guesser {
        name: "always 1",
        predict: |_, _, _| 1,
    },
];

impl NoFreeLunch {
    /// At how many points away from the training points a learner is right.
    fn right(&self, learner: &Guesser, train: usize, concept: u32) -> u64 {
        let (seen, unseen) = self.order.split_at(train);
        let right = |at: &&usize| (learner.predict)(seen, concept, **at) == label(concept, **at);
        unseen.iter().filter(right).count() as u64
    }

    /// The same summed over all concepts, by their number of ones. Whole numbers, so that their
    /// average is one half without any rounding.
    fn count(&self, learner: &Guesser, train: usize) -> Vec<u64> {
        let mut counts = vec![0; self.by_ones()];
        for concept in 0..1_u32 << self.points {
            counts[concept.count_ones() as usize] += self.right(learner, train, concept);
        }
        counts
    }

    /// By learner and concept: how often it is right at points that are not in the training set, on
    /// average over all training sets of m points. Smooth concepts come first.
    fn matrix(&self) -> Vec<Row> {
        if self.points > MOST_POINTS {
            return Vec::new();
        }
        let changes = |concept: u32| {
            let pairs = (1..self.points).map(|i| label(concept, i - 1) ^ label(concept, i));
            pairs.sum::<u32>()
        };
        let mut concepts: Vec<u32> = (0..1 << self.points).collect();
        concepts.sort_by_key(|concept| (changes(*concept), concept.count_ones(), *concept));
        let mut sums = vec![vec![0_u64; concepts.len()]; GUESSERS.len()];
        let mut own = NoFreeLunch {
            order: Vec::new(),
            ones: Vec::new(),
            ..*self
        };
        let mut sets: u64 = 0;
        for set in (0..1_u32 << self.points).filter(|set| set.count_ones() as usize == self.train) {
            let split = |inside: u32| (0..self.points).filter(move |at| label(set, *at) == inside);
            own.order = split(1).chain(split(0)).collect();
            sets += 1;
            for (learner, sums) in GUESSERS.iter().zip(&mut sums) {
                for (sum, concept) in sums.iter_mut().zip(&concepts) {
                    *sum += own.right(learner, self.train, *concept);
                }
            }
        }
        let all = (sets * (self.points - self.train) as u64) as f64;
        let rows = GUESSERS.iter().zip(&sums).flat_map(|(learner, sums)| {
            let cells = (1..).zip(sums);
            cells.map(move |(x, sum)| {
                Row::exact("matrix", learner.name, f64::from(x), *sum as f64 / all)
            })
        });
        rows.collect()
    }

    fn by_ones(&self) -> usize {
        self.points + 1
    }
}

impl Simulate for NoFreeLunch {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, title: String, x: &str| SimulationPanel {
            name: name.to_owned(),
            title,
            x: x.to_owned(),
            y: "accuracy at the other points".to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            look: PanelStyle::Curves,
            levels: vec![(0.5, "½".to_owned())],
        };
        let Self { points, train, .. } = self;
        let matrix = SimulationPanel {
            look: PanelStyle::Cells,
            levels: Vec::new(),
            ..panel(
                "matrix",
                format!(
                    "all {} concepts, {train} of {points} points seen",
                    1_u32 << points
                ),
                "concepts, from those whose neighbours agree to those whose neighbours differ",
            )
        };
        let shown = (*points <= MOST_POINTS).then_some(matrix);
        let mut panels = vec![
            panel(
                "concepts",
                format!("by concept, {train} of {points} points seen"),
                "ones among the labels of the concept",
            ),
            panel(
                "average",
                format!("average over all {} concepts", 1_u32 << points),
                "m (number of training points)",
            ),
        ];
        panels.extend(shown);
        panels
    }

    fn observations(&self) -> usize {
        GUESSERS.len() * (self.by_ones() + self.points - 1)
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut stream = Stream::new(seed, Purpose::Algorithm, resample);
        for order in [&mut self.order, &mut self.ones] {
            order.sort_unstable();
            order.shuffle(&mut stream);
        }
        let (by_concept, averages) = out.split_at_mut(GUESSERS.len() * self.by_ones());
        let outs = by_concept.chunks_exact_mut(self.by_ones());
        let outs = outs.zip(averages.chunks_exact_mut(self.points - 1));
        for (learner, (by_concept, averages)) in GUESSERS.iter().zip(outs) {
            let unseen = (self.points - self.train) as f64;
            for (ones, out) in by_concept.iter_mut().enumerate() {
                let concept = self.ones[..ones].iter().fold(0, |set, at| set | 1 << at);
                *out = self.right(learner, self.train, concept) as f64 / unseen;
            }
            for (train, out) in (1..).zip(averages) {
                let right: u64 = self.count(learner, train).iter().sum();
                interrupt.check((10 * self.points * self.points) << self.points)?;
                *out = right as f64 / ((self.points - train) << self.points) as f64;
            }
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        let concepts = f64::from(1_u32 << self.points);
        GUESSERS.len() as f64 * 5.0 * concepts * crate::maths::power(self.points as f64, 3)
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let (by_concept, averages) = seen.split_at(GUESSERS.len() * self.by_ones());
        let concepts = f64::from(1_u32 << self.points);
        let concepts = binomial(self.points, 0.5)
            .iter()
            .map(|share| (share * concepts).round())
            .collect::<Vec<f64>>();
        let unseen = (self.points - self.train) as f64;
        let mut rows = Vec::new();
        for (learner, seen) in GUESSERS.iter().zip(by_concept.chunks_exact(self.by_ones())) {
            let right = self.count(learner, self.train);
            for (ones, seen) in seen.iter().enumerate() {
                let exact = right[ones] as f64 / (unseen * concepts[ones]);
                let row = Row::new("concepts", learner.name, ones as f64, seen.mean());
                rows.push(row.theory(exact, 0.0));
            }
        }
        for (learner, seen) in GUESSERS.iter().zip(averages.chunks_exact(self.points - 1)) {
            for (train, seen) in (1..).zip(seen) {
                let row = Row::new("average", learner.name, f64::from(train), seen.mean());
                rows.push(row.identity(0.5, 1.0));
            }
        }
        rows.extend(self.matrix());
        rows
    }
}
