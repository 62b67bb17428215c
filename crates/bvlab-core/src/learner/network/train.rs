//! Gradients, steps and evaluation.

use pulp::{Simd, WithSimd};

use rand::seq::SliceRandom;

use super::data::{InputBlocks, LANES, LaneBlock, TrainingBuffers, pick};
use super::{Activation, EpochPath, Optimiser};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{fast_tanh, weight_exp};
use crate::stream::Stream;

/// An activation, as code that is compiled into the loops.
trait ActivationFunction {
    /// act(z).
    fn value(z: f64) -> f64;
    /// act'(z), from a = act(z).
    fn slope(a: f64) -> f64;
}

struct Tanh;

impl ActivationFunction for Tanh {
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
impl ActivationFunction for Relu {
    #[inline(always)]
    fn value(z: f64) -> f64 {
        if z < 0.0 { 0.0 } else { z }
    }

    #[inline(always)]
    fn slope(a: f64) -> f64 {
        if a <= 0.0 { 0.0 } else { 1.0 }
    }
}

/// What training minimises, a mean over the points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Objective {
    /// (f(x) - y)²/2
    Numbers,
    /// -ln p_y(x), with the probabilities of this many outputs.
    Entropy(usize),
    /// Σ_k (f_k(x) - \[y = k\])²/2, over this many outputs.
    OneHot(usize),
}

impl Objective {
    /// How many outputs a network for it has.
    pub fn outputs(self) -> usize {
        match self {
            Objective::Numbers => 1,
            Objective::Entropy(classes) | Objective::OneHot(classes) => classes,
        }
    }
}

/// One training: the parameters at every stop. What is called from here on is inlined, so that all
/// of it is compiled for the vectors of the processor at hand.
pub(super) struct Train<'a> {
    pub objective: Objective,
    pub activation: Activation,
    pub optimiser: Optimiser,
    pub path: &'a EpochPath,
    pub inputs: &'a InputBlocks,
    pub work: &'a mut TrainingBuffers,
    pub at_stops: &'a mut [Vec<f64>],
    /// What the order of mini-batches is drawn from.
    pub shuffles: Stream,
    pub interrupt: &'a Interrupt<'a>,
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
fn train<A: ActivationFunction>(task: Train) -> Result<(), Interrupted> {
    let Train {
        objective,
        optimiser,
        path,
        inputs,
        work,
        at_stops,
        mut shuffles,
        interrupt,
        ..
    } = task;
    let parameters = work.parameters.len();
    let batch = path.batch.min(inputs.count).max(1);
    let shape = NetworkShape {
        objective,
        front: path.front(inputs.dimension),
    };
    let layer = [
        path.last_inputs(inputs.dimension),
        path.last_width(),
        objective.outputs(),
    ];
    work.make_room(batch.div_ceil(LANES), layer, parameters);
    work.order.clear();
    work.order.extend(0..inputs.count as u32);
    let labels = std::mem::take(&mut work.labels);
    let mut picked = std::mem::take(&mut work.batch);
    let mut adam = Adam::new(path.rate);
    let mut done = 0;
    for &(epochs, setting) in &path.stops {
        for _ in done..epochs {
            let whole = batch == inputs.count;
            if !whole {
                work.order.shuffle(&mut shuffles);
            }
            for start in (0..inputs.count).step_by(batch) {
                let end = (start + batch).min(inputs.count);
                interrupt.check(parameters.saturating_mul(6 * (end - start)))?;
                let (inputs, labels) = match whole {
                    true => (inputs, &labels),
                    false => {
                        let (batch, its_labels) = &mut picked;
                        let which = &work.order[start..end];
                        batch.pick(inputs, which);
                        its_labels.resize(batch.len(), [0.0; LANES]);
                        pick(&labels, which, its_labels);
                        (&*batch, &*its_labels)
                    }
                };
                slopes::<A>(shape, inputs, labels, work);
                if path.decay > 0.0 {
                    shape.decay(path.decay, [inputs.dimension, layer[0]], work);
                }
                match optimiser {
                    Optimiser::Adam => adam.step(work),
                    Optimiser::Descent => {
                        for (parameter, slope) in work.parameters.iter_mut().zip(&work.gradient) {
                            *parameter -= path.rate * slope;
                        }
                    }
                }
            }
        }
        done = epochs;
        at_stops[setting].clone_from(&work.parameters);
    }
    (work.labels, work.batch) = (labels, picked);
    Ok(())
}

/// What the parameters are: those of a first hidden layer, if there is another, and of the last.
#[derive(Clone, Copy)]
struct NetworkShape {
    objective: Objective,
    /// How many parameters the first of two hidden layers has: d + 1 per unit; 0 where there is one layer.
    front: usize,
}

impl NetworkShape {
    /// Adds to the gradient that of `decay`/2 times the sum of all squared weights, without the
    /// constants; `inputs` are those of the first and of the last layer.
    #[inline(always)]
    fn decay(self, decay: f64, inputs: [usize; 2], work: &mut TrainingBuffers) {
        let (parameters, gradient) = (&work.parameters, &mut work.gradient);
        let outputs = self.objective.outputs();
        let ends = [0, self.front, parameters.len() - outputs];
        for (layer, more) in [(0, 0), (1, outputs)] {
            let (part, bias) = (ends[layer]..ends[layer + 1], inputs[layer]);
            let units = parameters[part.clone()].chunks_exact(bias + 1 + more);
            let gradients = gradient[part].chunks_exact_mut(bias + 1 + more);
            for (unit, gradient) in units.zip(gradients) {
                for (k, (weight, slope)) in unit.iter().zip(gradient).enumerate() {
                    if k != bias {
                        *slope += decay * weight;
                    }
                }
            }
        }
    }
}

/// The gradient of the objective at `work.parameters`, into `work.gradient`.
#[inline(always)]
fn slopes<A: ActivationFunction>(
    shape: NetworkShape,
    inputs: &InputBlocks,
    labels: &[LaneBlock],
    work: &mut TrainingBuffers,
) {
    if shape.front == 0 {
        return gradient::<A>(shape, inputs, labels, work, None);
    }
    let mut first = std::mem::take(&mut work.first);
    let mut back = std::mem::take(&mut work.first_slopes);
    activations::<A>(&work.parameters[..shape.front], inputs, &mut first);
    back.clear();
    back.resize(first.values.len(), [0.0; LANES]);
    gradient::<A>(shape, &first, labels, work, Some(&mut back));
    let (blocks, each) = (inputs.len(), inputs.dimension + 1);
    let units = first.columns().zip(back.chunks_exact_mut(blocks));
    let gradients = work.gradient[..shape.front].chunks_exact_mut(each);
    for ((hidden, slopes), gradient) in units.zip(gradients) {
        let each = hidden.as_flattened().iter();
        for (slope, a) in slopes.as_flattened_mut().iter_mut().zip(each) {
            *slope *= A::slope(*a);
        }
        for (gradient, column) in gradient.iter_mut().zip(inputs.columns()) {
            *gradient = sum(products(column, slopes));
        }
        gradient[inputs.dimension] = sum(totals(slopes));
    }
    (work.first, work.first_slopes) = (first, back);
}

/// The activations of the first of two hidden layers, as inputs of the second.
#[inline(always)]
fn activations<A: ActivationFunction>(
    parameters: &[f64],
    inputs: &InputBlocks,
    first: &mut InputBlocks,
) {
    let (blocks, each) = (inputs.len(), inputs.dimension + 1);
    first.dimension = parameters.len() / each;
    first.count = inputs.count;
    first.values.resize(first.dimension * blocks, [0.0; LANES]);
    let units = parameters.chunks_exact(each);
    for (unit, hidden) in units.zip(first.values.chunks_exact_mut(blocks)) {
        add_unit::<A>(unit, inputs, hidden, &mut []);
    }
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
    fn step(&mut self, work: &mut TrainingBuffers) {
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

/// The gradient with respect to the last hidden layer and the outputs, whose inputs are given; that with
/// respect to these inputs is added to `back`.
#[inline(always)]
fn gradient<A: ActivationFunction>(
    shape: NetworkShape,
    inputs: &InputBlocks,
    labels: &[LaneBlock],
    work: &mut TrainingBuffers,
    mut back: Option<&mut [LaneBlock]>,
) {
    let TrainingBuffers {
        parameters,
        gradient,
        hidden,
        outputs,
        slopes,
        parts,
        ..
    } = work;
    let (dimension, blocks) = (inputs.dimension, inputs.len());
    let count = shape.objective.outputs();
    let (parameters, gradient) = (&parameters[shape.front..], &mut gradient[shape.front..]);
    let (outputs, slopes) = (&mut outputs[..count * blocks], &mut slopes[..blocks]);
    let each = dimension + 1 + count;
    let constants = parameters.len() - count;
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
    match shape.objective {
        Objective::Numbers => differences(share, labels, outputs),
        Objective::Entropy(_) => excesses(share, labels, outputs),
        Objective::OneHot(_) => one_hot_differences(share, labels, outputs),
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
        if let Some(back) = back.as_deref_mut() {
            for (weight, back) in unit[..dimension].iter().zip(back.chunks_exact_mut(blocks)) {
                let each = back
                    .as_flattened_mut()
                    .iter_mut()
                    .zip(slopes.as_flattened());
                each.for_each(|(back, slope)| *back += weight * slope);
            }
        }
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
fn differences(share: f64, labels: &[LaneBlock], outputs: &mut [LaneBlock]) {
    for (output, labels) in outputs.iter_mut().zip(labels) {
        for l in 0..LANES {
            output[l] = share * (output[l] - labels[l]);
        }
    }
}

/// From f_k(x) to (f_k(x) - \[y = k\])/n.
#[inline(always)]
fn one_hot_differences(share: f64, labels: &[LaneBlock], outputs: &mut [LaneBlock]) {
    for (k, outputs) in outputs.chunks_exact_mut(labels.len()).enumerate() {
        for (output, labels) in outputs.iter_mut().zip(labels) {
            for l in 0..LANES {
                let own = if labels[l] == k as f64 { 1.0 } else { 0.0 };
                output[l] = share * (output[l] - own);
            }
        }
    }
}

/// From f_k(x) to (p_k(x) - \[y = k\])/n.
#[inline(always)]
fn excesses(share: f64, labels: &[LaneBlock], outputs: &mut [LaneBlock]) {
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

/// f(x) at every point into `outputs`, with room in `hidden` for one unit and in `first` for the first of
/// two hidden layers, which has `front` parameters.
pub(super) struct Evaluate<'a> {
    pub activation: Activation,
    pub front: usize,
    pub first: &'a mut InputBlocks,
    pub parameters: &'a [f64],
    pub inputs: &'a InputBlocks,
    pub hidden: &'a mut [LaneBlock],
    pub outputs: &'a mut [LaneBlock],
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
fn evaluate<A: ActivationFunction>(task: Evaluate) {
    let blocks = task.inputs.len();
    let count = task.outputs.len() / blocks;
    let (front, parameters) = task.parameters.split_at(task.front);
    let inputs = match front {
        [] => task.inputs,
        _ => {
            activations::<A>(front, task.inputs, task.first);
            &*task.first
        }
    };
    let constants = &parameters[parameters.len() - count..];
    for (output, constant) in task.outputs.chunks_exact_mut(blocks).zip(constants) {
        output.fill([*constant; LANES]);
    }
    let each = inputs.dimension + 1 + count;
    for unit in parameters.chunks_exact(each) {
        add_unit::<A>(unit, inputs, task.hidden, task.outputs);
    }
}

/// act(w·x + b) of one unit at every point into `hidden`; v act(w·x + b) is added to every output, if
/// there are any.
#[inline(always)]
fn add_unit<A: ActivationFunction>(
    unit: &[f64],
    inputs: &InputBlocks,
    hidden: &mut [LaneBlock],
    outputs: &mut [LaneBlock],
) {
    let (weights, last) = unit.split_at(inputs.dimension);
    hidden.fill([last[0]; LANES]);
    for (weight, column) in weights.iter().zip(inputs.columns()) {
        let each = hidden
            .as_flattened_mut()
            .iter_mut()
            .zip(column.as_flattened());
        for (z, x) in each {
            *z += weight * x;
        }
    }
    for a in hidden.as_flattened_mut() {
        *a = A::value(*a);
    }
    for (v, output) in last[1..].iter().zip(outputs.chunks_exact_mut(hidden.len())) {
        let each = hidden.as_flattened().iter().zip(output.as_flattened_mut());
        for (a, f) in each {
            *f += v * a;
        }
    }
}

/// Σ a b over the blocks.
#[inline(always)]
fn products(a: &[LaneBlock], b: &[LaneBlock]) -> LaneBlock {
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
fn totals(a: &[LaneBlock]) -> LaneBlock {
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
fn sum(lanes: LaneBlock) -> f64 {
    let fours: [f64; 4] = std::array::from_fn(|l| lanes[l] + lanes[l + 4]);
    let twos: [f64; 2] = std::array::from_fn(|l| fours[l] + fours[l + 2]);
    twos[0] + twos[1]
}

#[cfg(test)]
mod tests;
