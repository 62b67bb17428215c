//! A network with one hidden layer, trained by full-batch steps.

use pulp::{Arch, Simd, WithSimd};
use rand::RngExt;

use super::family::{Blueprint, Choice, Family, LabelKind};
use super::{Learner, Size, softmax};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{fast_tanh, normal, weight_exp};
use crate::parameter::Parameter;
use crate::stream::Stream;

pub(super) const FAMILY: Family =
    Family::new("network", "a neural network with one hidden layer", build)
        .parameters(&[
            Parameter::whole("width", "number of hidden units")
                .symbol("H")
                .least(1.0)
                .up_to(10_000.0)
                .usual(1.0, 50.0),
            Parameter::whole("epochs", "steps of training, each on all points")
                .symbol("t")
                .up_to(1e9)
                .default(2000.0)
                .usual(10.0, 2000.0),
            Parameter::number("rate", "size of a step")
                .symbol("η")
                .above(0.0)
                .up_to(1000.0)
                .default(0.01)
                .usual(0.01, 1.0),
        ])
        .choices(&[
            Choice::new(
                "activation",
                "what a hidden unit does with its sum",
                &["tanh", "relu"],
            ),
            Choice::new(
                "optimiser",
                "how a step follows from the gradient",
                &["adam", "descent"],
            ),
        ])
        .labels(LabelKind::Both)
        .one_fit("every epoch of a width");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| NetworkSetting {
        width: setting.whole("width"),
        epochs: setting.whole("epochs"),
        rate: setting.number("rate"),
    });
    let settings = settings.collect();
    let activations = [("tanh", Activation::Tanh), ("relu", Activation::Relu)];
    let activation = blueprint.chosen("activation", &activations);
    let optimisers = [("adam", Optimiser::Adam), ("descent", Optimiser::Descent)];
    let optimiser = blueprint.chosen("optimiser", &optimisers);
    Box::new(match blueprint.classes {
        0 => Network::new(settings, activation, optimiser),
        classes => Network::classifier(settings, classes, activation, optimiser),
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
/// p_k(x) = exp f_k(x)/Σ_j exp f_j(x), and the objective -Σ_i ln p_{y_i}(x_i)/n, the cross-entropy.
///
/// Inputs and labels are first brought to mean 0 and standard deviation 1, by those of the training
/// set itself, so that nothing depends on units; the objective is that of the standardised labels. A
/// coordinate that is constant is only centred. Classes stay as they are.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `width` | H, the number of hidden units | 1 to 10 000 | must be given |
/// | `epochs` | steps of training; 0 for the network as it was drawn | 0 to 10⁹ | 2000 |
/// | `rate` | η, the size of a step | above 0, to 1000 | 0.01, for Adam |
///
/// | choice | options | default |
/// |---|---|---|
/// | `activation` | `tanh`, `relu` | `tanh` |
/// | `optimiser` | `adam`, `descent` | `adam` |
///
/// The start is random: w_h ~ N(0, 2²/d) in every one of d coordinates, b_h = -w_h·t_h with a point
/// t_h uniform in [-√3, √3]^d, where standardised inputs lie, so that the units change sign all over
/// the data; v_h ~ N(0, 1/H), c = 0. Every unit has a stream of its own: but for the 1/H, the
/// first units are the same whatever the width is. There are H(d + 2) + 1 parameters, or
/// H(d + 1 + K) + K.
///
/// Nothing is clipped. Classes that can be told apart without error have no finite optimum: there
/// the number of epochs is what keeps the probabilities off 0 and 1. Descent with too large a rate runs off to infinity, which ends the run with
/// an error that names the value and the resample.
///
/// **Cost** of a step: n H activations and 2 n H d multiplications, in loops over the points that
/// use the vectors of the processor at hand; about half a microsecond per unit with n = 100 and
/// d = 10. Settings that differ in `epochs` alone are stops on the way of one training; every width
/// and every rate is a training of its own. It is written by hand because such steps are small:
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
/// let setting = NetworkSetting { width: 20, epochs: 2000, rate: 0.01 };
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
    /// 0 for numbers.
    classes: usize,
    activation: Activation,
    optimiser: Optimiser,
    courses: Vec<Course>,
    /// By setting: the parameters at its epoch.
    parameters: Vec<Vec<f64>>,
    inputs: Blocks,
    input_scales: Vec<Scale>,
    label_scale: Scale,
    work: Work,
    row: Vec<f64>,
}

/// All settings with the same width and rate.
#[derive(Clone, Debug)]
struct Course {
    width: usize,
    rate: f64,
    /// (epochs, setting), by rising epochs.
    stops: Vec<(usize, usize)>,
}

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

    /// A path over `settings`, in any order, for so many classes; 0 where labels are numbers.
    pub fn classifier(
        settings: Vec<NetworkSetting>,
        classes: usize,
        activation: Activation,
        optimiser: Optimiser,
    ) -> Self {
        let mut courses: Vec<Course> = Vec::new();
        for (c, setting) in settings.iter().enumerate() {
            let same =
                |course: &&mut Course| course.width == setting.width && course.rate == setting.rate;
            match courses.iter_mut().find(same) {
                Some(course) => course.stops.push((setting.epochs, c)),
                None => courses.push(Course {
                    width: setting.width,
                    rate: setting.rate,
                    stops: vec![(setting.epochs, c)],
                }),
            }
        }
        for course in &mut courses {
            course.stops.sort_unstable();
        }
        Network {
            classes,
            activation,
            optimiser,
            courses,
            parameters: vec![Vec::new(); settings.len()],
            inputs: Blocks::default(),
            input_scales: Vec::new(),
            label_scale: Scale::default(),
            work: Work::default(),
            row: Vec::new(),
        }
    }

    /// The parameters of a setting after the last fit, for standardised inputs and labels: the
    /// weights w_h, then b_h, then v_h of one unit after the other, and c at the end. For classes
    /// v_h and c are K numbers.
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
        let scale = |k: usize| Scale::of(data.inputs.rows().map(|row| row[k]));
        self.input_scales.extend((0..dimension).map(scale));
        self.label_scale = match self.classes {
            0 => Scale::of(data.labels.iter().copied()),
            _ => Scale { mean: 0.0, sd: 1.0 },
        };
        self.inputs.fill(&data.inputs, &self.input_scales);
        self.work.labels.clear();
        self.work.labels.resize(self.inputs.len(), [0.0; LANES]);
        let standard = self.work.labels.as_flattened_mut();
        for (standard, y) in standard.iter_mut().zip(&data.labels) {
            *standard = self.label_scale.standard(*y);
        }

        for course in &self.courses {
            let outputs = self.classes.max(1);
            let parameters = &mut self.work.parameters;
            draw(course.width, dimension, outputs, stream, parameters);
            Arch::new().dispatch(Train {
                classes: self.classes,
                activation: self.activation,
                optimiser: self.optimiser,
                course,
                inputs: &self.inputs,
                work: &mut self.work,
                at_stops: &mut self.parameters,
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
        let (count, each) = (points.len(), self.classes.max(1));
        self.work.make_room(&self.inputs, 1, each, 0);
        for (c, parameters) in self.parameters.iter().enumerate() {
            let Work {
                hidden, outputs, ..
            } = &mut self.work;
            interrupt.check(parameters.len() * count)?;
            Arch::new().dispatch(Evaluate {
                activation: self.activation,
                parameters,
                inputs: &self.inputs,
                hidden,
                outputs,
            });
            let out = &mut out[c * count * each..][..count * each];
            if self.classes == 0 {
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
                softmax(&self.row, out);
            }
        }
        Ok(())
    }

    fn operations(&self, size: Size) -> f64 {
        let each = |course: &Course| {
            let epochs = course.stops.last().map_or(0, |(epochs, _)| *epochs);
            let each = size.dimension + 1.0 + self.classes.max(1) as f64;
            let step = course.width as f64 * each;
            let stops = course.stops.len() as f64;
            step * (6.0 * size.train * epochs as f64 + stops * size.predictions())
        };
        self.courses.iter().map(each).sum()
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let each = |course: &Course| {
            let weights = course.width as f64 * (size.dimension + 1.0 + size.outputs);
            (course.stops.len() as f64 + 4.0) * weights
        };
        let widths = self.courses.iter().map(|course| course.width);
        let activations = widths.max().unwrap_or(0) as f64 + size.outputs;
        let weights = self.courses.iter().map(each).sum::<f64>();
        weights + 2.0 * activations * size.predictions()
    }
}

/// The parameters at the start of training.
fn draw(
    width: usize,
    dimension: usize,
    outputs: usize,
    stream: &Stream,
    parameters: &mut Vec<f64>,
) {
    let edge = 3.0_f64.sqrt();
    let spread = SPREAD / (dimension as f64).sqrt();
    parameters.clear();
    for h in 0..width {
        let mut stream = stream.child(h as u64);
        let mut bias = 0.0;
        for _ in 0..dimension {
            let weight = spread * normal(&mut stream);
            bias -= weight * stream.random_range(-edge..edge);
            parameters.push(weight);
        }
        parameters.push(bias);
        for _ in 0..outputs {
            parameters.push(normal(&mut stream) / (width as f64).sqrt());
        }
    }
    parameters.extend((0..outputs).map(|_| 0.0));
}

/// Mean and standard deviation of a coordinate or of the labels.
#[derive(Clone, Copy, Debug, Default)]
struct Scale {
    mean: f64,
    sd: f64,
}

impl Scale {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let count = values.clone().count() as f64;
        // Taken from the first value on, so that constant values have exactly no spread.
        let first = values.clone().next().unwrap_or(0.0);
        let mean = first + values.clone().map(|x| x - first).sum::<f64>() / count;
        let variance = values.map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
        let sd = if variance == 0.0 {
            1.0
        } else {
            variance.sqrt()
        };
        Scale { mean, sd }
    }

    fn standard(&self, value: f64) -> f64 {
        (value - self.mean) / self.sd
    }
}

/// The numbers that are computed side by side. It is fixed, since it decides the order of sums:
/// processors with narrower and wider vectors give the same bits.
const LANES: usize = 8;
type Lanes = [f64; LANES];

/// Standardised points: all their first coordinates, then all their second ones, and so on, each in
/// blocks of lanes, the last of which is filled up with zeros.
#[derive(Clone, Debug, Default)]
struct Blocks {
    dimension: usize,
    count: usize,
    values: Vec<Lanes>,
}

impl Blocks {
    fn fill(&mut self, points: &Points, scales: &[Scale]) {
        self.dimension = points.dimension();
        self.count = points.len();
        self.values.clear();
        self.values
            .resize(self.len() * self.dimension, [0.0; LANES]);
        let blocks = self.len();
        let columns = self.values.chunks_exact_mut(blocks);
        for (k, (column, scale)) in columns.zip(scales).enumerate() {
            for (x, row) in column.as_flattened_mut().iter_mut().zip(points.rows()) {
                *x = scale.standard(row[k]);
            }
        }
    }

    /// The points' coordinates, one after the other.
    #[inline(always)]
    fn columns(&self) -> std::slice::ChunksExact<'_, Lanes> {
        self.values.chunks_exact(self.len())
    }

    /// How many blocks there are.
    fn len(&self) -> usize {
        self.count.div_ceil(LANES)
    }
}

/// Memory kept between fits.
#[derive(Clone, Debug, Default)]
struct Work {
    labels: Vec<Lanes>,
    parameters: Vec<f64>,
    gradient: Vec<f64>,
    /// Adam's running means of the gradient and of its square.
    means: Vec<f64>,
    squares: Vec<f64>,
    /// act(w_h·x + b_h), unit by unit.
    hidden: Vec<Lanes>,
    /// f(x), and in training then the objective's slopes with respect to it; output by output.
    outputs: Vec<Lanes>,
    /// The objective's slopes with respect to w_h·x + b_h, of one unit.
    slopes: Vec<Lanes>,
    /// What every lane has of that unit's gradient.
    parts: Vec<Lanes>,
}

impl Work {
    /// Room for the points in `inputs`, for the activations of so many units, for so many outputs and
    /// for the gradient of so many parameters.
    fn make_room(&mut self, inputs: &Blocks, units: usize, outputs: usize, parameters: usize) {
        let blocks = inputs.len();
        for (lanes, length) in [
            (&mut self.hidden, units * blocks),
            (&mut self.outputs, outputs * blocks),
            (&mut self.slopes, blocks),
            (&mut self.parts, inputs.dimension + 1 + outputs),
        ] {
            lanes.resize(length, [0.0; LANES]);
        }
        for numbers in [&mut self.gradient, &mut self.means, &mut self.squares] {
            numbers.clear();
            numbers.resize(parameters, 0.0);
        }
    }
}

/// An activation, as code that is compiled into the loops.
trait Shape {
    /// act(z).
    fn value(z: f64) -> f64;
    /// act'(z), from a = act(z).
    fn slope(a: f64) -> f64;
}

struct Tanh;

impl Shape for Tanh {
    #[inline(always)]
    fn value(z: f64) -> f64 {
        fast_tanh(z)
    }

    #[inline(always)]
    fn slope(a: f64) -> f64 {
        1.0 - a * a
    }
}

struct Relu;

// The comparisons are such that NaN stays NaN.
impl Shape for Relu {
    #[inline(always)]
    fn value(z: f64) -> f64 {
        if z < 0.0 { 0.0 } else { z }
    }

    #[inline(always)]
    fn slope(a: f64) -> f64 {
        if a <= 0.0 { 0.0 } else { 1.0 }
    }
}

/// One training: the parameters at every stop. What is called from here on is inlined, so that all
/// of it is compiled for the vectors of the processor at hand.
struct Train<'a> {
    classes: usize,
    activation: Activation,
    optimiser: Optimiser,
    course: &'a Course,
    inputs: &'a Blocks,
    work: &'a mut Work,
    at_stops: &'a mut [Vec<f64>],
    interrupt: &'a Interrupt<'a>,
}

impl WithSimd for Train<'_> {
    type Output = Result<(), Interrupted>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        match self.activation {
            Activation::Tanh => train::<Tanh>(self),
            Activation::Relu => train::<Relu>(self),
        }
    }
}

#[inline(always)]
fn train<A: Shape>(task: Train) -> Result<(), Interrupted> {
    let Train {
        classes,
        optimiser,
        course,
        inputs,
        work,
        at_stops,
        interrupt,
        ..
    } = task;
    let step = 6 * work.parameters.len() * inputs.count;
    work.make_room(inputs, course.width, classes.max(1), work.parameters.len());
    let mut adam = Adam::new(course.rate);
    let mut done = 0;
    for &(epochs, setting) in &course.stops {
        for _ in done..epochs {
            interrupt.check(step)?;
            gradient::<A>(classes, inputs, work);
            match optimiser {
                Optimiser::Adam => adam.step(work),
                Optimiser::Descent => {
                    for (parameter, slope) in work.parameters.iter_mut().zip(&work.gradient) {
                        *parameter -= course.rate * slope;
                    }
                }
            }
        }
        done = epochs;
        at_stops[setting].clone_from(&work.parameters);
    }
    Ok(())
}

struct Adam {
    rate: f64,
    /// β₁ᵗ and β₂ᵗ.
    powers: (f64, f64),
}

impl Adam {
    const BETA: (f64, f64) = (0.9, 0.999);
    const EPSILON: f64 = 1e-8;

    fn new(rate: f64) -> Self {
        Adam {
            rate,
            powers: (1.0, 1.0),
        }
    }

    #[inline(always)]
    fn step(&mut self, work: &mut Work) {
        let beta = Self::BETA;
        self.powers = (self.powers.0 * beta.0, self.powers.1 * beta.1);
        // m̂ = m/(1 - β₁ᵗ) and ŝ = s/(1 - β₂ᵗ), with both factors taken out of the loop.
        let root = (1.0 - self.powers.1).sqrt();
        let rate = self.rate * root / (1.0 - self.powers.0);
        let epsilon = Self::EPSILON * root;
        let moments = work.means.iter_mut().zip(&mut work.squares);
        let each = work.parameters.iter_mut().zip(&work.gradient).zip(moments);
        for ((parameter, slope), (mean, square)) in each {
            *mean = beta.0 * *mean + (1.0 - beta.0) * slope;
            *square = beta.1 * *square + (1.0 - beta.1) * slope * slope;
            *parameter -= rate * *mean / (square.sqrt() + epsilon);
        }
    }
}

/// The gradient of the objective at `work.parameters`, into `work.gradient`.
#[inline(always)]
fn gradient<A: Shape>(classes: usize, inputs: &Blocks, work: &mut Work) {
    let Work {
        labels,
        parameters,
        gradient,
        hidden,
        outputs,
        slopes,
        parts,
        ..
    } = work;
    let (dimension, blocks) = (inputs.dimension, inputs.len());
    let each = dimension + 1 + classes.max(1);
    let constants = parameters.len() - classes.max(1);
    let units = parameters.chunks_exact(each);
    for (output, constant) in outputs
        .chunks_exact_mut(blocks)
        .zip(&parameters[constants..])
    {
        output.fill([*constant; LANES]);
    }
    for (unit, hidden) in units.clone().zip(hidden.chunks_exact_mut(blocks)) {
        add_unit::<A>(unit, inputs, hidden, outputs);
    }

    let share = 1.0 / inputs.count as f64;
    match classes {
        0 => differences(share, labels, outputs),
        _ => excesses(share, labels, outputs),
    }
    let residuals = outputs;
    for residuals in residuals.chunks_exact_mut(blocks) {
        residuals.as_flattened_mut()[inputs.count..].fill(0.0);
    }

    let hidden = hidden.chunks_exact(blocks);
    let gradients = gradient.chunks_exact_mut(each);
    for ((unit, hidden), gradient) in units.zip(hidden).zip(gradients) {
        let residuals = residuals.chunks_exact(blocks);
        for (k, (v, residuals)) in unit[dimension + 1..].iter().zip(residuals).enumerate() {
            let each = hidden.as_flattened().iter().zip(residuals.as_flattened());
            let each = slopes.as_flattened_mut().iter_mut().zip(each);
            match k {
                0 => {
                    for (slope, (a, r)) in each {
                        *slope = v * r * A::slope(*a);
                    }
                }
                _ => {
                    for (slope, (a, r)) in each {
                        *slope += v * r * A::slope(*a);
                    }
                }
            }
            parts[dimension + 1 + k] = products(hidden, residuals);
        }
        // Every lane's part of the sums first: added up at once, they would not stay in vectors.
        for (part, column) in parts[..dimension].iter_mut().zip(inputs.columns()) {
            *part = products(column, slopes);
        }
        parts[dimension] = totals(slopes);
        for (gradient, part) in gradient.iter_mut().zip(&*parts) {
            *gradient = sum(*part);
        }
    }
    let residuals = residuals.chunks_exact(blocks);
    for (gradient, residuals) in gradient[constants..].iter_mut().zip(residuals) {
        *gradient = sum(totals(residuals));
    }
}

/// From f(x) to (f(x) - y)/n.
#[inline(always)]
fn differences(share: f64, labels: &[Lanes], outputs: &mut [Lanes]) {
    for (output, labels) in outputs.iter_mut().zip(labels) {
        for l in 0..LANES {
            output[l] = share * (output[l] - labels[l]);
        }
    }
}

/// From f_k(x) to (p_k(x) - \[y = k\])/n.
#[inline(always)]
fn excesses(share: f64, labels: &[Lanes], outputs: &mut [Lanes]) {
    let blocks = labels.len();
    for (block, labels) in labels.iter().enumerate() {
        let mut top = outputs[block];
        for output in outputs[block..].iter().step_by(blocks) {
            for l in 0..LANES {
                top[l] = if output[l] > top[l] {
                    output[l]
                } else {
                    top[l]
                };
            }
        }
        let mut total = [0.0; LANES];
        for output in outputs[block..].iter_mut().step_by(blocks) {
            for l in 0..LANES {
                output[l] = weight_exp(output[l] - top[l]);
                total[l] += output[l];
            }
        }
        for (k, output) in outputs[block..].iter_mut().step_by(blocks).enumerate() {
            for l in 0..LANES {
                let own = if labels[l] == k as f64 { 1.0 } else { 0.0 };
                output[l] = share * (output[l] / total[l] - own);
            }
        }
    }
}

/// f(x) at every point into `outputs`, with room in `hidden` for one unit.
struct Evaluate<'a> {
    activation: Activation,
    parameters: &'a [f64],
    inputs: &'a Blocks,
    hidden: &'a mut [Lanes],
    outputs: &'a mut [Lanes],
}

impl WithSimd for Evaluate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        match self.activation {
            Activation::Tanh => evaluate::<Tanh>(self),
            Activation::Relu => evaluate::<Relu>(self),
        }
    }
}

#[inline(always)]
fn evaluate<A: Shape>(task: Evaluate) {
    let blocks = task.inputs.len();
    let count = task.outputs.len() / blocks;
    let constants = &task.parameters[task.parameters.len() - count..];
    for (output, constant) in task.outputs.chunks_exact_mut(blocks).zip(constants) {
        output.fill([*constant; LANES]);
    }
    let each = task.inputs.dimension + 1 + count;
    for unit in task.parameters.chunks_exact(each) {
        add_unit::<A>(unit, task.inputs, task.hidden, task.outputs);
    }
}

/// act(w·x + b) of one unit at every point into `hidden`; v act(w·x + b) is added to every output.
#[inline(always)]
fn add_unit<A: Shape>(unit: &[f64], inputs: &Blocks, hidden: &mut [Lanes], outputs: &mut [Lanes]) {
    let (weights, last) = unit.split_at(inputs.dimension);
    let (bias, v) = (last[0], last[1]);
    let (first, others) = outputs.split_at_mut(hidden.len());
    hidden.fill([bias; LANES]);
    for (weight, column) in weights.iter().zip(inputs.columns()) {
        let each = hidden
            .as_flattened_mut()
            .iter_mut()
            .zip(column.as_flattened());
        for (z, x) in each {
            *z += weight * x;
        }
    }
    let (activations, first) = (hidden.as_flattened_mut(), first.as_flattened_mut());
    for (a, f) in activations.iter_mut().zip(first) {
        *a = A::value(*a);
        *f += v * *a;
    }
    for (v, output) in last[2..].iter().zip(others.chunks_exact_mut(hidden.len())) {
        let each = hidden.as_flattened().iter().zip(output.as_flattened_mut());
        for (a, f) in each {
            *f += v * a;
        }
    }
}

/// Σ a b over the blocks.
#[inline(always)]
fn products(a: &[Lanes], b: &[Lanes]) -> Lanes {
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for l in 0..LANES {
            sums[l] += a[l] * b[l];
        }
    }
    sums
}

/// Σ a over the blocks.
#[inline(always)]
fn totals(a: &[Lanes]) -> Lanes {
    let mut sums = [0.0; LANES];
    for a in a {
        for l in 0..LANES {
            sums[l] += a[l];
        }
    }
    sums
}

/// The sum of the lanes, by halves.
#[inline(always)]
fn sum(lanes: Lanes) -> f64 {
    let fours: [f64; 4] = std::array::from_fn(|l| lanes[l] + lanes[l + 4]);
    let twos: [f64; 2] = std::array::from_fn(|l| fours[l] + fours[l + 2]);
    twos[0] + twos[1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Purpose;

    #[test]
    fn nan_goes_through_a_unit() {
        assert!(Tanh::value(f64::NAN).is_nan());
        assert!(Relu::value(f64::NAN).is_nan());
    }

    /// The objective, by the function that also predicts.
    fn objective<A: Shape>(classes: usize, inputs: &Blocks, work: &mut Work) -> f64 {
        let Work {
            parameters,
            hidden,
            outputs,
            labels,
            ..
        } = work;
        let blocks = inputs.len();
        evaluate::<A>(Evaluate {
            activation: Activation::Tanh,
            parameters,
            inputs,
            hidden: &mut hidden[..blocks],
            outputs,
        });
        let count = inputs.count as f64;
        let outputs: Vec<&[f64]> = outputs
            .chunks_exact(blocks)
            .map(<[Lanes]>::as_flattened)
            .collect();
        let each = labels.as_flattened().iter().take(inputs.count).enumerate();
        match classes {
            0 => {
                let squares = each.map(|(i, y)| (outputs[0][i] - y).powi(2));
                squares.sum::<f64>() / (2.0 * count)
            }
            _ => {
                let losses = each.map(|(i, y)| {
                    let total: f64 = outputs.iter().map(|output| output[i].exp()).sum();
                    total.ln() - outputs[*y as usize][i]
                });
                losses.sum::<f64>() / count
            }
        }
    }

    fn assert_slopes_are_differences<A: Shape>(
        classes: usize,
        [count, dimension, width]: [usize; 3],
    ) {
        let mut stream = Stream::new(1, Purpose::Inputs, 0);
        let values = (0..count * dimension).map(|_| stream.random());
        let points = Points::new(dimension, values.collect());
        let mut inputs = Blocks::default();
        inputs.fill(&points, &vec![Scale { mean: 0.5, sd: 0.3 }; dimension]);
        let mut work = Work::default();
        let outputs = classes.max(1);
        draw(width, dimension, outputs, &stream, &mut work.parameters);
        work.make_room(&inputs, width, outputs, work.parameters.len());
        let mut label = || match classes {
            0 => stream.random(),
            _ => stream.random_range(0..classes) as f64,
        };
        let labels = (0..inputs.len()).map(|_| std::array::from_fn(|_| label()));
        work.labels = labels.collect();
        gradient::<A>(classes, &inputs, &mut work);
        let slopes = work.gradient.clone();
        for (p, slope) in slopes.iter().enumerate() {
            let here = work.parameters[p];
            let mut at = |parameter: f64| {
                work.parameters[p] = parameter;
                objective::<A>(classes, &inputs, &mut work)
            };
            let difference = (at(here + 1e-6) - at(here - 1e-6)) / 2e-6;
            at(here);
            assert!(
                (slope - difference).abs() < 1e-8,
                "{p}: {slope} {difference}"
            );
        }
    }

    #[test]
    fn the_width_of_vectors_does_not_change_a_bit() {
        let mut stream = Stream::new(2, Purpose::Inputs, 0);
        let points = Points::new(3, (0..60).map(|_| stream.random()).collect());
        let mut inputs = Blocks::default();
        inputs.fill(&points, &[Scale { mean: 0.5, sd: 0.3 }; 3]);
        let course = Course {
            width: 11,
            rate: 0.02,
            stops: vec![(300, 0)],
        };
        let numbers = [0.5, -1.0, 0.0, 2.0, 1.0, -0.3, 0.1, -2.0];
        let three = [0.0, 1.0, 2.0, 0.0, 1.0, 1.0, 2.0, 1.0];
        for (activation, classes, labels) in [
            (Activation::Tanh, 0, numbers),
            (Activation::Relu, 0, numbers),
            (Activation::Tanh, 3, three),
            (Activation::Relu, 3, three),
        ] {
            let run = |with: &dyn Fn(Train) -> Result<(), Interrupted>| {
                let mut work = Work {
                    labels: vec![labels; 3],
                    ..Work::default()
                };
                let parameters = &mut work.parameters;
                draw(course.width, 3, classes.max(1), &stream, parameters);
                let mut at_stops = vec![Vec::new()];
                let trained = with(Train {
                    classes,
                    activation,
                    optimiser: Optimiser::Adam,
                    course: &course,
                    inputs: &inputs,
                    work: &mut work,
                    at_stops: &mut at_stops,
                    interrupt: &Interrupt::never(),
                });
                trained.unwrap();
                at_stops.remove(0)
            };
            let wide = run(&|train| Arch::new().dispatch(train));
            let narrow = run(&|train| train.with_simd(pulp::Scalar::new()));
            assert_eq!(wide, narrow);
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_objective() {
        for size in [[1, 1, 1], [8, 1, 3], [21, 4, 6], [5, 12, 2]] {
            for classes in [0, 1, 2, 5] {
                assert_slopes_are_differences::<Tanh>(classes, size);
                assert_slopes_are_differences::<Relu>(classes, size);
            }
        }
    }
}
