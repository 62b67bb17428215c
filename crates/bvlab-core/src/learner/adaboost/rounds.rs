//! AdaBoost round by round.

use rand::RngExt;

use super::AdaBoostSample;
use super::weak::{ClassNode, Impurity, MARGIN, WeightedGrower, WeightedPoints, class_of};
use crate::data::Points;
use crate::maths::ln;
use crate::stream::Stream;

/// The weights of a training set, and what a round makes of them.
#[derive(Clone, Debug)]
pub(crate) struct Rounds {
    classes: usize,
    impurity: Impurity,
    grower: WeightedGrower,
    members: Vec<u32>,
    weights: Vec<f64>,
    ended: bool,
    /// The class that the last tree predicts for every point.
    predicted: Vec<u32>,
    sums: Vec<f64>,
    drawn: Vec<f64>,
}

/// The result of a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Round {
    /// α = ln((1−ε)/ε) + ln(K−1); infinite without error.
    pub vote: f64,
    /// ε, the error under the weights before.
    pub error: f64,
}

impl Rounds {
    pub fn new(classes: usize, impurity: Impurity) -> Self {
        Rounds {
            classes,
            impurity,
            grower: WeightedGrower::default(),
            members: Vec::new(),
            weights: Vec::new(),
            ended: false,
            predicted: Vec::new(),
            sums: Vec::new(),
            drawn: Vec::new(),
        }
    }

    /// Takes a training set.
    pub fn load(&mut self, inputs: &Points, members: impl Iterator<Item = u32>) {
        self.members.clear();
        self.members.extend(members);
        self.grower.load(inputs, self.classes);
        self.restart();
    }

    /// Begins again, with equal weights.
    pub fn restart(&mut self) {
        let count = self.members.len();
        self.weights.clear();
        self.weights.resize(count, 1.0 / count as f64);
        self.ended = false;
    }

    /// Whether no round will change anything any more.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The weights of the points, whose sum is 1.
    #[cfg(test)]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The class that the last tree predicts for every point.
    pub fn predicted(&self) -> &[u32] {
        &self.predicted
    }

    /// One round: its tree is added to `nodes`. Nothing, and no tree, where boosting has ended or
    /// where the tree is no better than chance. The stream belongs to this round alone.
    pub fn round(
        &mut self,
        inputs: &Points,
        depth: usize,
        sample: AdaBoostSample,
        stream: Stream,
        nodes: &mut Vec<ClassNode>,
    ) -> Option<Round> {
        if self.ended {
            return None;
        }
        let resampled = sample == AdaBoostSample::Resample;
        let mut stream = stream;
        if resampled {
            self.draw(&mut stream);
        }
        let data = WeightedPoints {
            inputs,
            members: &self.members,
            weights: match resampled {
                true => &self.drawn,
                false => &self.weights,
            },
        };
        let first = nodes.len();
        self.grower.grow(data, depth, self.impurity, &stream, nodes);
        let tree = &nodes[first..];
        self.predicted.clear();
        self.predicted
            .extend(inputs.rows().map(|x| class_of(tree, x)));

        // What is wrong and right, each summed up: together they are 1 but for rounding.
        let [mut wrong, mut right] = [0.0; 2];
        let outcomes = self.predicted.iter().zip(&self.members);
        for ((predicted, member), weight) in outcomes.zip(&self.weights) {
            match predicted == member {
                true => right += weight,
                false => wrong += weight,
            }
        }
        let others = self.classes as f64 - 1.0;
        let chance = wrong >= others * right * (1.0 - MARGIN);
        // A tree on all points would find as little again, one on another sample need not.
        self.ended = wrong == 0.0 || chance && !resampled;
        if chance && wrong > 0.0 {
            nodes.truncate(first);
            return None;
        }
        let classes = self.classes as f64;
        let outcomes = self.predicted.iter().zip(&self.members);
        for ((predicted, member), weight) in outcomes.zip(&mut self.weights) {
            *weight /= match predicted == member {
                true => classes * right,
                false => classes * wrong / others,
            };
        }
        Some(Round {
            vote: ln(right / wrong) + ln(others),
            error: wrong / (wrong + right),
        })
    }

    /// n points drawn by weight: how often each was, over n.
    fn draw(&mut self, stream: &mut Stream) {
        let count = self.weights.len();
        self.sums.clear();
        let mut total = 0.0;
        for weight in &self.weights {
            total += weight;
            self.sums.push(total);
        }
        self.drawn.clear();
        self.drawn.resize(count, 0.0);
        for _ in 0..count {
            let place = total * stream.random::<f64>();
            let i = self.sums.partition_point(|sum| *sum <= place);
            self.drawn[i.min(count - 1)] += 1.0 / count as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::weak::gini;
    use super::*;
    use crate::stream::Purpose;

    #[test]
    fn points_are_drawn_by_their_weights() {
        let mut rounds = Rounds::new(2, gini);
        rounds.weights = vec![0.0, 0.5, 0.0, 0.3, 0.2, 0.0];
        let mut means = [0.0; 6];
        for resample in 0..4000 {
            rounds.draw(&mut Stream::new(1, Purpose::Algorithm, resample));
            assert!((rounds.drawn.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for (mean, drawn) in means.iter_mut().zip(&rounds.drawn) {
                *mean += drawn / 4000.0;
            }
        }
        for (mean, weight) in means.iter().zip(&rounds.weights) {
            // Five standard errors of the largest, √(½ · ½/24 000).
            assert!((mean - weight).abs() < 0.017, "{means:?}");
            assert!(*weight > 0.0 || *mean == 0.0, "{means:?}");
        }
    }
}
