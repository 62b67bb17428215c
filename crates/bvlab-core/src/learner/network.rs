//! A network with one hidden layer or two, trained by gradient steps.

mod data;
mod train;

use pulp::Arch;
use rand::RngExt;

use super::family::{Blueprint, Choice, Family, LabelKind, rate};
use super::grouping::staged;
use super::{Learner, Size, softmax};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::normal;
use crate::parameter::Parameter;
use crate::stream::Stream;
use data::{InputBlocks, LANES, Standardisation, TrainingBuffers};
use train::{Evaluate, Objective, Train};

pub(super) const FAMILY: Family = Family::new(
    "network",
    "a neural network with one or two hidden layers",
    build,
)
.parameters(&[
    Parameter::whole("width", "number of hidden units")
        .symbol("H")
        .least(1.0)
        .up_to(10_000.0)
        .usual(1.0, 50.0),
    Parameter::whole("epochs", "passes of training over all points")
        .symbol("t")
        .up_to(1e9)
        .default(2000.0)
        .usual(10.0, 2000.0),
    rate("size of a step", 1000.0, 0.01),
    Parameter::whole(
        "second",
        "number of units of a second hidden layer; 0 for none",
    )
    .up_to(1000.0)
    .default(0.0)
    .usual(1.0, 50.0),
    Parameter::number(
        "decay",
        "weight decay: penalty on half the squared weights, against the mean loss",
    )
    .up_to(1e6)
    .default(0.0)
    .usual(1e-5, 0.1),
    Parameter::whole(
        "batch",
        "points of a mini-batch, one step each; without it all points",
    )
    .least(1.0)
    .up_to(1e9)
    .default(f64::INFINITY)
    .usual(1.0, 100.0),
])
.choices(&[
    Choice::new(
        "activation",
        "activation function of a hidden unit",
        &["tanh", "relu"],
    ),
    Choice::new(
        "optimiser",
        "how a step is computed from the gradient",
        &["adam", "descent"],
    ),
    Choice::new(
        "objective",
        "what is minimised: cross-entropy, or squared loss on one-hot labels",
        &["cross-entropy", "squared"],
    )
    .for_classes(),
])
.labels(LabelKind::Both)
.one_fit("every epoch of a width");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| NetworkSetting {
        width: setting.whole("width"),
        epochs: setting.whole("epochs"),
        rate: setting.number("rate"),
        second: setting.whole("second"),
        decay: setting.number("decay"),
        batch: setting.whole("batch"),
    });
    let settings = settings.collect();
    let activations = [("tanh", Activation::Tanh), ("relu", Activation::Relu)];
    let activation = blueprint.chosen("activation", &activations);
    let optimisers = [("adam", Optimiser::Adam), ("descent", Optimiser::Descent)];
    let optimiser = blueprint.chosen("optimiser", &optimisers);
    let network = Network::classifier(settings, blueprint.classes, activation, optimiser);
    Box::new(match blueprint.choice("objective") {
        "squared" => network.squared(),
        _ => network,
    })
}

/// One setting of [`Network`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkSetting {
    /// H, the number of hidden units.
    pub width: usize,
    /// Steps of training.
    pub epochs: usize,
    /// The size η of a step.
    pub rate: f64,
    /// The number of units of a second hidden layer; 0 for none.
    pub second: usize,
    /// The penalty on half the squared weights, against the mean loss.
    pub decay: f64,
    /// The points of a mini-batch; any number from that of the points on means all.
    pub batch: usize,
}

impl Default for NetworkSetting {
    /// One hidden unit, no second layer, no decay, full batches.
    fn default() -> Self {
        NetworkSetting {
            width: 1,
            epochs: 2000,
            rate: 0.01,
            second: 0,
            decay: 0.0,
            batch: usize::MAX,
        }
    }
}

/// What a hidden unit of a [`Network`] does with its sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// The hyperbolic tangent.
    Tanh,
    /// max(z, 0), with slope 0 at 0.
    Relu,
}

/// How a step of training follows from the gradient g.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimiser {
    /// -η m̂/(√ŝ + 10⁻⁸), with running means m̂ of g and ŝ of g² (β₁ = 0.9 and β₂ = 0.999),
    /// corrected for their start at zero.
    Adam,
    /// -η g.
    Descent,
}

/// A network with one hidden layer, f(x) = c + Σ_h v_h act(w_h·x + b_h), whose weights minimise
/// Σ_i (f(x_i) - y_i)²/(2n) by steps on all n points at once.
///
/// For K classes it has as many outputs, f_k(x) = c_k + Σ_h v_hk act(w_h·x + b_h), the probabilities
/// p_k(x) = exp f_k(x)/Σ_j exp f_j(x), and the objective -Σ_i ln p_{y_i}(x_i)/n, the cross-entropy. With
/// `objective = "squared"` it is Σ_i Σ_k (f_k(x_i) - \[y_i = k\])²/(2n) instead, and the predictions are
/// the scores f_k(x), of which the largest is the class.
///
/// With `second` units in a second hidden layer, f(x) = c + Σ_g v_g act(u_g·a + d_g), where a are the
/// activations act(w_h·x + b_h) of the first. With `decay` the objective has `decay`/2 times the
/// sum of all squared weights added to it (w, u and v, not the constants b, d and c): scikit-learn's
/// `alpha` divided by n. With `batch` the points are shuffled in every epoch, and each batch of that
/// many, the last of which may be smaller, is one step.
///
/// Inputs and labels are first standardised to mean 0 and standard deviation 1 over the training set, so
/// that nothing depends on units; the objective is that of the standardised labels. A constant
/// coordinate is only centred. Classes stay as they are.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `width` | H, the number of hidden units | 1 to 10 000 | must be given |
/// | `epochs` | passes over all points; 0 for the network as it was drawn | 0 to 10⁹ | 2000 |
/// | `rate` | η, the size of a step | above 0, to 1000 | 0.01, for Adam |
/// | `second` | number of units of a second hidden layer | 0 to 1000 | 0: none |
/// | `decay` | penalty on half the squared weights | 0 to 10⁶ | 0 |
/// | `batch` | points of a mini-batch | 1 to 10⁹ | all points |
///
/// | choice | options | default |
/// |---|---|---|
/// | `activation` | `tanh`, `relu` | `tanh` |
/// | `optimiser` | `adam`, `descent` | `adam` |
/// | `objective` | for classes: `cross-entropy`, `squared` | `cross-entropy` |
///
/// The start is random: w_h ~ N(0, 2²/d) in every one of d coordinates, b_h = -w_h·t_h with a point
/// t_h uniform in [-√3, √3]^d, where standardised inputs lie, so that the units change sign all over
/// the data; v_h ~ N(0, 1/H), c = 0. Every unit has its own stream: except for the factor 1/H, the
/// first units are the same for every width. There are H(d + 2) + 1 parameters, or
/// H(d + 1 + K) + K. A second layer of G units starts with u_g ~ N(0, 2/H), d_g = 0 and v_g ~ N(0, 1/G).
///
/// Nothing is clipped. Separable classes have no finite optimum: there the number of epochs is what keeps
/// the probabilities away from 0 and 1. Descent with too large a rate diverges, which ends the run with an
/// error that names the value and the resample.
///
/// **Cost** of a step: n H activations and 2 n H d multiplications, in loops over the points that
/// use the vectors of the processor at hand; about half a microsecond per unit with n = 100 and
/// d = 10. Settings that differ in `epochs` alone are stops on the way of one training; any other
/// difference is a training of its own. It is written by hand because such steps are small:
/// candle 0.11, which allocates a tensor for every operation and records a graph, needs 65 times as
/// long at width 1 and 12 to 15 times from width 10 to 1000, on one core in double precision.
///
/// **Reference**: Rumelhart, Hinton and Williams, *Learning representations by back-propagating
/// errors*, Nature 323 (1986); Kingma and Ba, *Adam: a method for stochastic optimization* (2015).
///
/// ```
/// use bvlab_core::learner::{Activation, Learner, Network, NetworkSetting, Optimiser};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0, 2.0]),
///     labels: vec![1.0, -2.0, 3.0],
/// };
/// let setting = NetworkSetting { width: 20, ..NetworkSetting::default() };
/// let mut network = Network::new(vec![setting], Activation::Tanh, Optimiser::Adam);
/// network.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// network.predict(&data.inputs, &mut out);
/// assert!(out.iter().zip(&data.labels).all(|(p, y)| (p - y).abs() < 1e-3)); // it interpolates
///
/// let classes = Training { labels: vec![1.0, 0.0, 1.0], ..data };
/// let mut network = Network::classifier(vec![setting], 2, Activation::Tanh, Optimiser::Adam);
/// network.fit(&classes, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 6];
/// network.predict(&classes.inputs, &mut out);
/// assert!(out[1] > 0.99 && out[2] > 0.99 && out[5] > 0.99);
/// ```
#[derive(Clone, Debug)]
pub struct Network {
    objective: Objective,
    activation: Activation,
    optimiser: Optimiser,
    paths: Vec<EpochPath>,
    /// By setting: the parameters at its epoch.
    parameters: Vec<Vec<f64>>,
    inputs: InputBlocks,
    input_scales: Vec<Standardisation>,
    label_scale: Standardisation,
    work: TrainingBuffers,
    row: Vec<f64>,
}

/// All settings that differ in their epochs alone.
#[derive(Clone, Debug)]
struct EpochPath {
    width: usize,
    second: usize,
    rate: f64,
    decay: f64,
    batch: usize,
    /// (epochs, setting), by rising epochs.
    stops: Vec<(usize, usize)>,
}

impl EpochPath {
    /// How many parameters the first of two hidden layers has; 0 where there is one.
    fn front(&self, dimension: usize) -> usize {
        match self.second {
            0 => 0,
            _ => self.width * (dimension + 1),
        }
    }

    /// How many inputs the last hidden layer has.
    fn last_inputs(&self, dimension: usize) -> usize {
        match self.second {
            0 => dimension,
            _ => self.width,
        }
    }

    /// How many units the last hidden layer has.
    fn last_width(&self) -> usize {
        match self.second {
            0 => self.width,
            second => second,
        }
    }
}

/// The children of a fit's stream from here on are for units of the second layer.
const SECOND_LAYER: u64 = 1 << 32;

/// The child of a fit's stream that mini-batches are drawn from.
const BATCHES: u64 = u64::MAX;

/// Spread of w_h·x over standardised inputs at the start. The usual one is 1; units that start
/// steeper follow many peaks after fewer steps.
const SPREAD: f64 = 2.0;

impl Network {
    /// A path over `settings`, in any order, for labels that are numbers.
    pub fn new(
        settings: Vec<NetworkSetting>,
        activation: Activation,
        optimiser: Optimiser,
    ) -> Self {
        Network::classifier(settings, 0, activation, optimiser)
    }

    /// A path over `settings`, in any order, for this many classes; 0 where labels are numbers.
    pub fn classifier(
        settings: Vec<NetworkSetting>,
        classes: usize,
        activation: Activation,
        optimiser: Optimiser,
    ) -> Self {
        let same = |a: &NetworkSetting, b: &NetworkSetting| {
            let epochs = a.epochs;
            *a == NetworkSetting { epochs, ..*b }
        };
        let paths = staged(&settings, same, |setting| setting.epochs);
        let paths = paths.into_iter().map(|(first, stops)| EpochPath {
            width: first.width,
            second: first.second,
            rate: first.rate,
            decay: first.decay,
            batch: first.batch,
            stops,
        });
        let paths = paths.collect();
        Network {
            objective: match classes {
                0 => Objective::Numbers,
                _ => Objective::Entropy(classes),
            },
            activation,
            optimiser,
            paths,
            parameters: vec![Vec::new(); settings.len()],
            inputs: InputBlocks::default(),
            input_scales: Vec::new(),
            label_scale: Standardisation::default(),
            work: TrainingBuffers::default(),
            row: Vec::new(),
        }
    }

    /// The same for squared loss on one-hot labels in place of cross-entropy, where labels are classes.
    pub fn squared(mut self) -> Self {
        if let Objective::Entropy(classes) = self.objective {
            self.objective = Objective::OneHot(classes);
        }
        self
    }

    /// The parameters of a setting after the last fit, for standardised inputs and labels: the
    /// weights w_h, then b_h, then v_h of one unit after the other, and c at the end. For classes
    /// v_h and c are K numbers. With a second layer w_h and b_h of all units come first, then u_g, d_g and
    /// v_g of one unit after the other.
    pub fn parameters(&self, setting: usize) -> &[f64] {
        &self.parameters[setting]
    }
}

impl Learner for Network {
    fn capacities(&self) -> usize {
        self.parameters.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let dimension = data.inputs.dimension();
        self.input_scales.clear();
        let scale = |k: usize| Standardisation::of(data.inputs.rows().map(|row| row[k]));
        self.input_scales.extend((0..dimension).map(scale));
        self.label_scale = match self.objective {
            Objective::Numbers => Standardisation::of(data.labels.iter().copied()),
            _ => Standardisation { mean: 0.0, sd: 1.0 },
        };
        self.inputs.fill(&data.inputs, &self.input_scales);
        self.work.labels.clear();
        self.work.labels.resize(self.inputs.len(), [0.0; LANES]);
        let standard = self.work.labels.as_flattened_mut();
        for (standard, y) in standard.iter_mut().zip(&data.labels) {
            *standard = self.label_scale.standard(*y);
        }

        for path in &self.paths {
            let outputs = self.objective.outputs();
            let parameters = &mut self.work.parameters;
            draw(path, dimension, outputs, stream, parameters);
            Arch::new().dispatch(Train {
                objective: self.objective,
                activation: self.activation,
                optimiser: self.optimiser,
                path,
                inputs: &self.inputs,
                work: &mut self.work,
                at_stops: &mut self.parameters,
                shuffles: stream.child(BATCHES),
                interrupt,
            })?;
        }
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.inputs.fill(points, &self.input_scales);
        let (count, each) = (points.len(), self.objective.outputs());
        self.work.make_room(self.inputs.len(), [0, 1, each], 0);
        for path in &self.paths {
            for &(_, c) in &path.stops {
                let parameters = &self.parameters[c];
                let TrainingBuffers {
                    hidden,
                    outputs,
                    first,
                    ..
                } = &mut self.work;
                interrupt.check(parameters.len() * count)?;
                Arch::new().dispatch(Evaluate {
                    activation: self.activation,
                    front: path.front(points.dimension()),
                    first,
                    parameters,
                    inputs: &self.inputs,
                    hidden,
                    outputs,
                });
                let out = &mut out[c * count * each..][..count * each];
                if self.objective == Objective::Numbers {
                    for (out, f) in out.iter_mut().zip(outputs.as_flattened()) {
                        *out = self.label_scale.mean + self.label_scale.sd * f;
                    }
                    continue;
                }
                let outputs = outputs.chunks_exact(self.inputs.len());
                for (j, out) in out.chunks_exact_mut(each).enumerate() {
                    self.row.clear();
                    self.row
                        .extend(outputs.clone().map(|output| output.as_flattened()[j]));
                    match self.objective {
                        Objective::OneHot(_) => out.copy_from_slice(&self.row),
                        _ => softmax(&self.row, out),
                    }
                }
            }
        }
        Ok(())
    }

    fn predicts_scores(&self) -> bool {
        matches!(self.objective, Objective::OneHot(_))
    }

    fn operations(&self, size: Size) -> f64 {
        let each = |path: &EpochPath| {
            let epochs = path.stops.last().map_or(0, |(epochs, _)| *epochs);
            let step = self.weights(path, size);
            let stops = path.stops.len() as f64;
            step * (6.0 * size.train * epochs as f64 + stops * size.predictions())
        };
        self.paths.iter().map(each).sum()
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let each = |path: &EpochPath| (path.stops.len() as f64 + 4.0) * self.weights(path, size);
        let widths = self.paths.iter().map(|path| match path.second {
            0 => path.width,
            second => 2 * path.width + second,
        });
        let activations = widths.max().unwrap_or(0) as f64 + size.outputs;
        let weights = self.paths.iter().map(each).sum::<f64>();
        weights + 2.0 * activations * size.predictions()
    }
}

impl Network {
    /// The number of parameters of the units, without the constants of the outputs.
    fn weights(&self, path: &EpochPath, size: Size) -> f64 {
        let outputs = self.objective.outputs() as f64;
        let (width, second) = (path.width as f64, path.second as f64);
        match path.second {
            0 => width * (size.dimension + 1.0 + outputs),
            _ => width * (size.dimension + 1.0) + second * (width + 1.0 + outputs),
        }
    }
}

/// The parameters at the start of training.
fn draw(
    path: &EpochPath,
    dimension: usize,
    outputs: usize,
    stream: &Stream,
    parameters: &mut Vec<f64>,
) {
    let edge = 3.0_f64.sqrt();
    let spread = SPREAD / (dimension as f64).sqrt();
    parameters.clear();
    for h in 0..path.width {
        let mut stream = stream.child(h as u64);
        let mut bias = 0.0;
        for _ in 0..dimension {
            let weight = spread * normal(&mut stream);
            bias -= weight * stream.random_range(-edge..edge);
            parameters.push(weight);
        }
        parameters.push(bias);
        if path.second == 0 {
            last_weights(path, outputs, &mut stream, parameters);
        }
    }
    for g in 0..path.second {
        let mut stream = stream.child(SECOND_LAYER + g as u64);
        let spread = (2.0 / path.width as f64).sqrt();
        parameters.extend((0..path.width).map(|_| spread * normal(&mut stream)));
        parameters.push(0.0);
        last_weights(path, outputs, &mut stream, parameters);
    }
    parameters.extend((0..outputs).map(|_| 0.0));
}

/// The weights of the outputs from one unit.
fn last_weights(path: &EpochPath, outputs: usize, stream: &mut Stream, parameters: &mut Vec<f64>) {
    let root = (path.last_width() as f64).sqrt();
    parameters.extend((0..outputs).map(|_| normal(stream) / root));
}
