//! Choosing inputs before cross-validating, or within it.

use rand::RngExt;

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, most};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{fill_normal, square};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "cv-wrong-way",
    meaning: "cross-validation with inputs that are chosen before it or within it, on labels without any signal",
    resamples: "data sets",
    theory: "exact",
    identity: false,
    parameters: &[
        Parameter::whole("inputs", "numbers p of inputs to choose from")
            .symbol("p")
            .least(1.0)
            .up_to(10_000.0)
            .list(20, &[100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0]),
        Parameter::whole(
            "chosen",
            "number of inputs chosen, by their correlation with the label",
        )
        .least(1.0)
        .up_to(1000.0)
        .default(100.0)
        .usual(5.0, 300.0),
        Parameter::whole("train", "number n of points")
            .symbol("n")
            .least(4.0)
            .up_to(200.0)
            .default(50.0)
            .usual(10.0, 100.0),
        Parameter::whole("folds", "number of folds, at most n")
            .least(2.0)
            .up_to(20.0)
            .default(5.0)
            .usual(2.0, 10.0),
    ],
    build: |setup| {
        let train = setup.whole("train");
        Box::new(CvWrongWay {
            inputs: setup.counts("inputs"),
            chosen: setup.whole("chosen"),
            folds: setup.whole("folds").min(train),
            labels: vec![0.0; train],
            columns: Vec::new(),
            sums: Vec::new(),
            scores: Vec::new(),
            order: Vec::new(),
        })
    },
};

/// A resample is a data set of n points with p standard normal inputs and a label that is −1 or 1 with
/// probability ½ each, whatever the inputs are. Of the p inputs those with the largest absolute
/// correlation with the label are kept, and one nearest neighbour learns from these. Its error is
/// estimated by cross-validation
///
/// - the wrong way: the inputs are chosen from all points, and only then the points are divided into
///   folds, so that the labels that are left out have had a say in the choice,
/// - the right way: the inputs are chosen anew for every fold, from the points of the others.
///
/// A label is independent of everything that the right way predicts it from: its estimate is ½ on
/// average, exactly, which is also the error of any classifier here. Also observed: the mean, over the
/// inputs that are chosen, of the product of input and label in the fold that is left out, with the
/// sign of the correlation in the data that they were chosen from. The right way has 0 on average.
///
/// **Reference**: Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section
/// 7.10.2: n = 50, p = 5000, the best 100, one nearest neighbour: an average estimate of 3 %.
struct CvWrongWay {
    inputs: Vec<usize>,
    chosen: usize,
    folds: usize,
    labels: Vec<f64>,
    /// The inputs, column by column.
    columns: Vec<f64>,
    /// By column and fold: sums of x, x² and xy.
    sums: Vec<[f64; 3]>,
    /// By way of choosing, from all points or without a fold, and by column: the correlation with the
    /// label, times a factor that all columns share.
    scores: Vec<f64>,
    order: Vec<u32>,
}

/// Of one p: errors of the wrong and of the right way, and their correlations in the fold left out.
const OBSERVED: usize = 4;
const WAYS: [&str; 2] = ["wrong way", "right way"];

impl CvWrongWay {
    /// The fold of a point; points come in random order.
    fn fold(&self, point: usize) -> usize {
        point % self.folds
    }

    fn draw(&mut self, seed: u64, resample: u64, interrupt: &Interrupt) -> Result<(), Interrupted> {
        let n = self.labels.len();
        let wide = most(&self.inputs);
        let mut labels = Stream::new(seed, Purpose::Noise, resample);
        for label in &mut self.labels {
            *label = if labels.random::<f64>() < 0.5 {
                -1.0
            } else {
                1.0
            };
        }
        let mut inputs = Stream::new(seed, Purpose::Inputs, resample);
        self.columns.resize(wide * n, 0.0);
        self.sums.clear();
        self.sums.resize(wide * self.folds, [0.0; 3]);
        let rows = self.columns.chunks_exact_mut(n);
        for (column, sums) in rows.zip(self.sums.chunks_exact_mut(self.folds)) {
            interrupt.check(20 * n)?;
            fill_normal(&mut inputs, column);
            for (i, (x, y)) in column.iter().zip(&self.labels).enumerate() {
                let sum = &mut sums[i % self.folds];
                sum[0] += x;
                sum[1] += x * x;
                sum[2] += x * y;
            }
        }
        Ok(())
    }

    /// The correlations of all columns with the label, on the points that are not in a fold; on all
    /// points where there is no such fold.
    fn score(&mut self, left_out: usize) {
        let points = || (0..self.labels.len()).filter(|i| self.fold(*i) != left_out);
        let count = points().count() as f64;
        let label: f64 = points().map(|i| self.labels[i]).sum();
        let wide = self.sums.len() / self.folds;
        let folds = self.folds;
        let scores = &mut self.scores[left_out * wide..][..wide];
        for (score, sums) in scores.iter_mut().zip(self.sums.chunks_exact(folds)) {
            let mut sum = [0.0; 3];
            for (fold, sums) in sums.iter().enumerate() {
                if fold != left_out {
                    (0..3).for_each(|k| sum[k] += sums[k]);
                }
            }
            let spread = sum[1] - sum[0] * sum[0] / count;
            *score = (sum[2] - sum[0] * label / count) / spread.max(f64::MIN_POSITIVE).sqrt();
        }
    }

    /// Puts the inputs that are chosen among the first p at the front of `order`.
    fn choose(&mut self, left_out: usize, p: usize) {
        let wide = self.sums.len() / self.folds;
        let scores = &self.scores[left_out * wide..][..p];
        let kept = self.chosen.min(p);
        self.order.clear();
        self.order.extend(0..p as u32);
        let larger = |a: &u32, b: &u32| {
            let [first, second] = [a, b].map(|j| scores[*j as usize].abs());
            second.total_cmp(&first).then(a.cmp(b))
        };
        if kept < p {
            self.order.select_nth_unstable_by(kept, larger);
        }
        self.order[..kept].sort_unstable();
    }

    /// Of one fold, predicted from all others with the inputs that are chosen: how many labels are
    /// missed, and the mean product of input and label.
    fn judge(&self, chosen: &[u32], fold: usize, chosen_without: usize) -> [f64; 2] {
        let n = self.labels.len();
        let wide = self.sums.len() / self.folds;
        let mut missed = 0.0;
        let held = (0..n).filter(|i| self.fold(*i) == fold);
        for i in held.clone() {
            let mut nearest = (f64::INFINITY, 0.0);
            for j in (0..n).filter(|j| self.fold(*j) != fold) {
                let apart = chosen.iter().map(|&k| {
                    let column = &self.columns[k as usize * n..][..n];
                    square(column[i] - column[j])
                });
                let apart: f64 = apart.sum();
                if apart < nearest.0 {
                    nearest = (apart, self.labels[j]);
                }
            }
            missed += f64::from(u8::from(nearest.1 != self.labels[i]));
        }
        let signed = chosen.iter().map(|&k| {
            let k = k as usize;
            let score = self.scores[chosen_without * wide + k];
            self.sums[k * self.folds + fold][2] * score.signum()
        });
        let products = signed.sum::<f64>() / chosen.len() as f64;
        [missed, products / held.count() as f64]
    }
}

impl Simulate for CvWrongWay {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, title: &str, y: &str, level: (f64, &str)| SimulationPanel {
            name: name.to_owned(),
            title: title.to_owned(),
            x: "p (number of inputs)".to_owned(),
            y: y.to_owned(),
            x_scale: Scale::Log,
            y_scale: Scale::Linear,
            look: PanelStyle::Curves,
            levels: vec![(level.0, level.1.to_owned())],
        };
        vec![
            panel(
                "error",
                "estimate of the error",
                "error rate",
                (0.5, "true error"),
            ),
            panel(
                "correlation",
                "chosen inputs, in the fold left out",
                "correlation with the label",
                (0.0, "true correlation"),
            ),
        ]
    }

    fn observations(&self) -> usize {
        OBSERVED * self.inputs.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.draw(seed, resample, interrupt)?;
        let (n, folds) = (self.labels.len(), self.folds);
        let wide = most(&self.inputs);
        self.scores.resize((folds + 1) * wide, 0.0);
        for left_out in 0..=folds {
            interrupt.check(10 * wide * folds)?;
            self.score(left_out);
        }
        out.fill(0.0);
        for (place, out) in out.chunks_exact_mut(OBSERVED).enumerate() {
            let p = self.inputs[place];
            for way in 0..WAYS.len() {
                for fold in 0..folds {
                    // No point is in the fold that the wrong way leaves out.
                    let without = if way == 0 { folds } else { fold };
                    interrupt.check(10 * p + n * n / folds * self.chosen.min(p))?;
                    if way == 1 || fold == 0 {
                        self.choose(without, p);
                    }
                    let kept = self.chosen.min(p);
                    let [missed, product] = self.judge(&self.order[..kept], fold, without);
                    out[way] += missed / n as f64;
                    out[2 + way] += product / folds as f64;
                }
            }
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        let (n, folds) = (self.labels.len() as f64, self.folds as f64);
        let all = (most(&self.inputs) as f64) * (20.0 * n + 10.0 * folds * folds);
        let of = |p: &usize| 10.0 * folds * *p as f64 + 4.0 * n * n * self.chosen.min(*p) as f64;
        all + self.inputs.iter().map(of).sum::<f64>()
    }

    fn numbers_held(&self) -> f64 {
        let each = self.labels.len() + 4 * self.folds + 2;
        most(&self.inputs) as f64 * each as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        for (which, (panel, truth)) in [("error", 0.5), ("correlation", 0.0)].iter().enumerate() {
            for (way, name) in WAYS.iter().enumerate() {
                for (place, &p) in self.inputs.iter().enumerate() {
                    let moments = &seen[place * OBSERVED + 2 * which + way];
                    let row = Row::new(panel, *name, p as f64, moments.mean());
                    rows.push(match way {
                        1 => row.theory(*truth, 0.0),
                        _ => row,
                    });
                }
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn correlation(pairs: &[(f64, f64)]) -> f64 {
        let n = pairs.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
        let [x, y] = [mean(&|p| p.0), mean(&|p| p.1)];
        let cross = mean(&|p| (p.0 - x) * (p.1 - y));
        cross / (mean(&|p| (p.0 - x).powi(2)) * mean(&|p| (p.1 - y).powi(2))).sqrt()
    }

    /// Both ways from their definition: correlations on the points that take part, all inputs sorted by
    /// them, and neighbours by distances.
    #[test]
    fn both_ways_are_those_of_their_definition() {
        let (n, folds, chosen) = (23, 4, 5);
        let mut simulation = CvWrongWay {
            inputs: vec![5, 40],
            chosen,
            folds,
            labels: vec![0.0; n],
            columns: Vec::new(),
            sums: Vec::new(),
            scores: Vec::new(),
            order: Vec::new(),
        };
        let mut differ = false;
        for resample in 0..30 {
            let mut out = vec![f64::NAN; simulation.observations()];
            let interrupt = Interrupt::never();
            simulation
                .observe(7, resample, &mut out, &interrupt)
                .unwrap();
            let x = |i: usize, k: usize| simulation.columns[k * n + i];
            let y = &simulation.labels;
            for (p, out) in [5, 40].into_iter().zip(out.chunks_exact(OBSERVED)) {
                let mut wanted = [0.0; OBSERVED];
                for fold in 0..folds {
                    for way in 0..2 {
                        let takes_part = |i: &usize| way == 0 || i % folds != fold;
                        let r = |k: usize| {
                            let points = (0..n).filter(takes_part);
                            correlation(&points.map(|i| (x(i, k), y[i])).collect::<Vec<_>>())
                        };
                        let mut all: Vec<usize> = (0..p).collect();
                        all.sort_by(|a, b| r(*b).abs().total_cmp(&r(*a).abs()));
                        all.truncate(chosen);
                        let held = (0..n).filter(|i| i % folds == fold);
                        let size = held.clone().count() as f64;
                        for i in held {
                            let apart = |j: &usize| {
                                let terms = all.iter().map(|&k| (x(i, k) - x(*j, k)).powi(2));
                                terms.sum::<f64>()
                            };
                            let others = (0..n).filter(|j| j % folds != fold);
                            let nearest = others.min_by(|a, b| apart(a).total_cmp(&apart(b)));
                            wanted[way] += f64::from(u8::from(y[nearest.unwrap()] != y[i]));
                            let signed = all.iter().map(|&k| r(k).signum() * x(i, k) * y[i]);
                            wanted[2 + way] += signed.sum::<f64>() / chosen as f64 / size;
                        }
                    }
                }
                for (k, (found, wanted)) in out.iter().zip(&wanted).enumerate() {
                    let wanted = wanted / if k < 2 { n } else { folds } as f64;
                    assert!((found - wanted).abs() < 1e-12, "{p} {k}: {found} {wanted}");
                }
                differ |= out[0] != out[1];
            }
        }
        assert!(differ);
    }
}
