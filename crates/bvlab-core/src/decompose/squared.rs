//! The parts of squared error.

use std::ops::Range;

use super::bars::{Average, Bars, PointDeviations};
use super::estimate::{AgainstTheory, LeftOutAverages, Parts, TestSetup};
use super::interval::{Fluctuation, deviations};
use super::jackknife::{LeaveGroupOut, PointsError, Unbiased, jackknife};
use super::{Decomposition, Estimate, Sources, Tally, diversity, sources};
use crate::maths::hypot;

/// Splits the error of one learner; `all` joins all groups.
pub(super) fn decompose(groups: &[&Tally], all: Tally, tested: TestSetup) -> Decomposition {
    let TestSetup {
        weights,
        drawn,
        outputs,
        ..
    } = tested;
    let count = all.count as f64;
    let numbers = (weights.len() * outputs).max(1);
    let (mut bias2, mut variance) = (Vec::new(), Vec::new());
    for (place, (mean, squares)) in all.mean.iter().zip(&all.squares).enumerate() {
        let split = Unbiased::of(*mean, *squares, count);
        let contrasts = all.contrasts_of(place / numbers);
        let crossed: f64 = contrasts.map(|sums| sums[place % numbers]).sum();
        let all_variance = split.variance + crossed / count;
        match place % outputs {
            0 => {
                bias2.push(split.bias2);
                variance.push(all_variance);
            }
            // The parts at a point are those of all classes together.
            _ => {
                if let (Some(b), Some(v)) = (bias2.last_mut(), variance.last_mut()) {
                    *b += split.bias2;
                    *v += all_variance;
                }
            }
        }
    }
    let points = PointsError {
        weights: weights.to_vec(),
        drawn,
    };
    let mut whole = Decomposition {
        resamples: all.count,
        groups: groups.len(),
        parts: Vec::new(),
        mean: Vec::new(),
        noise: None,
        selection: None,
        bias2,
        variance,
        points,
    };
    whole.parts = (0..all.train.len())
        .map(|setting| whole.parts_of(setting, &all, groups, tested))
        .collect();
    whole.mean = all.mean;
    whole
}

/// The averages of one setting over x, with each group left out in turn.
#[derive(Default)]
struct GroupsLeftOut {
    bias2: Vec<f64>,
    variance: Vec<f64>,
    risk: Vec<f64>,
    train: Vec<f64>,
    test: Vec<f64>,
    gap: Vec<f64>,
    /// With crossed draws: the variance between cubes, and the squared contrasts.
    sources: Vec<(f64, [f64; 7])>,
    pointwise: PointDeviations,
}

/// One setting of all that was tallied.
struct SettingSums<'a> {
    index: usize,
    all: &'a Tally,
    groups: &'a [&'a Tally],
    tested: TestSetup<'a>,
    /// Its test points among those of all settings.
    at: Range<usize>,
    /// Its numbers, one for every test point and output, among those of all settings.
    numbers: Range<usize>,
    /// The noise averaged over x.
    noise: f64,
    /// With crossed draws: the sums of squared contrasts averaged over x.
    contrasts: Option<[f64; 7]>,
}

impl<'a> SettingSums<'a> {
    fn new(index: usize, all: &'a Tally, groups: &'a [&'a Tally], tested: TestSetup<'a>) -> Self {
        let TestSetup {
            weights, outputs, ..
        } = tested;
        let noise = tested.noise[index];
        let points = weights.len();
        let at = index * points..(index + 1) * points;
        // Relative to one of them, so that constant noise comes out as just that number.
        let first = noise.first().copied().unwrap_or(0.0);
        let above: Vec<f64> = noise.iter().map(|noise| noise - first).collect();
        SettingSums {
            index,
            all,
            groups,
            tested,
            numbers: at.start * outputs..at.end * outputs,
            at,
            noise: first + average(&above, weights),
            contrasts: contrasts(all, index, weights, outputs),
        }
    }

    /// `bias2` and `variance` are those of all groups at the test points.
    fn leave_out(&self, bias2: &[f64], variance: &[f64], needs_points: bool) -> GroupsLeftOut {
        let SettingSums { index, all, .. } = *self;
        let TestSetup {
            weights, outputs, ..
        } = self.tested;
        let [mean, squares] = [&all.mean, &all.squares].map(|all| &all[self.numbers.clone()]);
        let mut left_out = GroupsLeftOut {
            pointwise: match needs_points {
                true => PointDeviations::new(self.groups.len(), weights.len()),
                false => PointDeviations::default(),
            },
            ..GroupsLeftOut::default()
        };
        for group in self.groups {
            let rest = LeaveGroupOut::new(all.count as f64, group.count as f64);
            let (mut b, mut v) = (0.0, 0.0);
            let theirs = group.mean[self.numbers.clone()]
                .iter()
                .zip(&group.squares[self.numbers.clone()]);
            let mut sums = mean.iter().zip(squares).zip(theirs);
            for (j, weight) in weights.iter().enumerate() {
                let (mut at_b, mut at_v) = (0.0, 0.0);
                for ((m, s), (gm, gs)) in sums.by_ref().take(outputs) {
                    let without = rest.split(*m, *s, *gm, *gs);
                    at_b += without.bias2;
                    at_v += without.variance;
                }
                b += weight * at_b;
                v += weight * at_v;
                if needs_points {
                    let apart = [at_b - bias2[j], at_v - variance[j]];
                    left_out.pointwise.add(j, apart);
                }
            }
            if let Some(sums) = &self.contrasts {
                let theirs = contrasts(group, index, weights, outputs).unwrap_or([0.0; 7]);
                let means = std::array::from_fn(|set| rest.mean(sums[set], theirs[set]));
                left_out.sources.push((v, means));
                v += means.iter().sum::<f64>();
            }
            let test = rest.mean(all.test[index], group.test[index]);
            let risk = self.noise + b + v;
            left_out.bias2.push(b);
            left_out.variance.push(v);
            left_out.risk.push(risk);
            let train = rest.mean(all.train[index], group.train[index]);
            left_out.train.push(train);
            left_out.test.push(test);
            left_out.gap.push(test - risk);
        }
        left_out
    }

    /// How bias² fluctuates over resamples.
    fn fluctuation(&self) -> Fluctuation {
        let TestSetup {
            weights, outputs, ..
        } = self.tested;
        let roots: Vec<f64> = weights
            .iter()
            .flat_map(|weight| std::iter::repeat_n(weight.sqrt(), outputs))
            .collect();
        let apart = deviations(self.all, self.groups, self.numbers.clone(), &roots);
        let mean = &self.all.mean[self.numbers.clone()];
        let mean: Vec<f64> = mean.iter().zip(&roots).map(|(m, root)| root * m).collect();
        let counts: Vec<f64> = self.groups.iter().map(|group| group.count as f64).collect();
        Fluctuation::new(&apart, &mean, &counts)
    }
}

/// An average over x.
fn average(values: &[f64], weights: &[f64]) -> f64 {
    values.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>()
}

impl Decomposition {
    /// The averages of one setting over x.
    fn parts_of(&self, index: usize, all: &Tally, groups: &[&Tally], tested: TestSetup) -> Parts {
        let setting = SettingSums::new(index, all, groups, tested);
        let (noise, weights) = (tested.noise[index], tested.weights);
        let count = all.count as f64;
        let [bias2, variance] = [&self.bias2, &self.variance].map(|all| &all[setting.at.clone()]);
        let bars = Bars::new(tested, index, groups.len(), count);
        let left_out = setting.leave_out(bias2, variance, bars.needs_points());
        let [b, v] = [bias2, variance].map(|values| average(values, weights));
        let risk = setting.noise + b + v;
        let [train, test] = [&all.train, &all.test].map(|all| all[index] / count);
        let risks: Vec<f64> = (0..weights.len())
            .map(|j| noise[j] + bias2[j] + variance[j])
            .collect();
        let se = |left_out: &[f64]| jackknife(left_out.iter().copied());
        let (v_se, risk_se) = (se(&left_out.variance), se(&left_out.risk));
        let fluctuation = setting.fluctuation();
        let pointwise = &left_out.pointwise;
        let of_bias2 = bars.points(Average::Bias2, bias2, pointwise, fluctuation.se());
        let of_variance = bars.points(Average::Variance, variance, pointwise, v_se);
        let of_risk = bars.points(Average::Risk, &risks, pointwise, risk_se);
        let of_noise = bars.points(Average::Noise, noise, pointwise, 0.0);
        let bias2 = bars.squared_mean(b, se(&left_out.bias2), Some(fluctuation), of_bias2);
        let variance = bars.above(0.0, v, &left_out.variance, of_variance);
        let sources = setting.contrasts.map(|sums| {
            let members = tested.members.map(|members| members[index]);
            let active = sources::active(&sums);
            self.sources(
                index,
                all,
                tested.outputs,
                active,
                &left_out.sources,
                members,
            )
        });
        let extra = diversity::of_setting(
            index,
            all,
            groups,
            tested,
            (variance.value, &left_out.variance),
            setting.noise,
        );
        let of_risks = Parts::of_risks(all, index, setting.noise, b + v, of_risk.se);
        let estimate = bars.above(setting.noise, risk, &left_out.risk, of_risk);
        let parts = [
            (bias2, of_bias2),
            (variance, of_variance),
            (estimate, of_risk),
        ];
        let shape = (of_risks.largest_share, fluctuation.rank());
        Parts {
            against_theory: AgainstTheory {
                fluctuation,
                variance_se: v_se,
                points: [of_bias2.se, of_variance.se],
            },
            doubts: bars.doubts(index, all, shape, parts),
            noise: setting.noise,
            noise_se: of_noise.se,
            bias2,
            variance,
            risk: estimate,
            train: bars.above(0.0, train, &left_out.train, Default::default()),
            test: bars.above(0.0, test, &left_out.test, of_risk),
            gap: Estimate::new(test - risk, se(&left_out.gap)),
            risk_resampling_se: risk_se,
            sources,
            extra,
            left_out: LeftOutAverages {
                noise: Vec::new(),
                bias2: left_out.bias2,
                variance: left_out.variance,
                risk: left_out.risk,
                train: left_out.train,
                test: left_out.test,
            },
            ..of_risks
        }
    }
}

impl Decomposition {
    /// The variance of one setting by source; `active` are those that vary, one bit each.
    fn sources(
        &self,
        setting: usize,
        all: &Tally,
        outputs: usize,
        active: usize,
        left_out: &[(f64, [f64; 7])],
        members: Option<usize>,
    ) -> Sources {
        let points = self.points.weights.len();
        let count = all.count as f64;
        let at_point = |j: usize| {
            let here = j * outputs..(j + 1) * outputs;
            let sum = |all: &[f64]| all[here.clone()].iter().sum::<f64>();
            let between = sum(&all.squares[setting * points * outputs..]) / (count - 1.0);
            let mut squares = [0.0; 7];
            for (square, sums) in squares.iter_mut().zip(all.contrasts_of(setting)) {
                *square = sum(sums) / count;
            }
            sources::parts(between, &squares, active)
        };
        let by_point: Vec<[f64; 7]> = (0..points).map(at_point).collect();
        let left_out: Vec<[f64; 7]> = left_out
            .iter()
            .map(|(between, squares)| sources::parts(*between, squares, active))
            .collect();
        let mut values = [0.0; 7];
        for (parts, weight) in by_point.iter().zip(&self.points.weights) {
            for (value, part) in values.iter_mut().zip(parts) {
                *value += weight * part;
            }
        }
        let parts = std::array::from_fn(|i| {
            let along: Vec<f64> = by_point.iter().map(|parts| parts[i]).collect();
            let se = jackknife(left_out.iter().map(|parts| parts[i]));
            Estimate::new(values[i], hypot(se, self.points.of(&along, values[i])))
        });
        let correlation = members.map(|members| {
            let left_out = left_out.iter();
            let without = left_out.map(|parts| sources::correlation(parts, members));
            Estimate::new(sources::correlation(&values, members), jackknife(without))
        });
        Sources { parts, correlation }
    }
}

/// Sums of squared contrasts of one setting, averaged over x; `None` where nothing was crossed.
fn contrasts(tally: &Tally, setting: usize, weights: &[f64], outputs: usize) -> Option<[f64; 7]> {
    let average = |sums: &[f64]| {
        let points = sums.chunks_exact(outputs).zip(weights);
        points
            .flat_map(|(sums, w)| sums.iter().map(move |v| v * w))
            .sum::<f64>()
    };
    let sums: Vec<f64> = tally.contrasts_of(setting).map(average).collect();
    sums.try_into().ok()
}
