//! Gradients, steps and evaluation.

use pulp::{Simd, WithSimd};

use super::data::{InputBlocks, LANES, LaneBlock, TrainingBuffers};
use super::{Activation, EpochPath, Optimiser};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{fast_tanh, weight_exp};

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

/// One training: the parameters at every stop. What is called from here on is inlined, so that all
/// of it is compiled for the vectors of the processor at hand.
pub(super) struct Train<'a> {
    pub classes: usize,
    pub activation: Activation,
    pub optimiser: Optimiser,
    pub path: &'a EpochPath,
    pub inputs: &'a InputBlocks,
    pub work: &'a mut TrainingBuffers,
    pub at_stops: &'a mut [Vec<f64>],
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
        classes,
        optimiser,
        path,
        inputs,
        work,
        at_stops,
        interrupt,
        ..
    } = task;
    let step = 6 * work.parameters.len() * inputs.count;
    work.make_room(inputs, path.width, classes.max(1), work.parameters.len());
    let mut adam = Adam::new(path.rate);
    let mut done = 0;
    for &(epochs, setting) in &path.stops {
        for _ in done..epochs {
            interrupt.check(step)?;
            gradient::<A>(classes, inputs, work);
            match optimiser {
                Optimiser::Adam => adam.step(work),
                Optimiser::Descent => {
                    for (parameter, slope) in work.parameters.iter_mut().zip(&work.gradient) {
                        *parameter -= path.rate * slope;
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

/// The gradient of the objective at `work.parameters`, into `work.gradient`.
#[inline(always)]
fn gradient<A: ActivationFunction>(
    classes: usize,
    inputs: &InputBlocks,
    work: &mut TrainingBuffers,
) {
    let TrainingBuffers {
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
fn differences(share: f64, labels: &[LaneBlock], outputs: &mut [LaneBlock]) {
    for (output, labels) in outputs.iter_mut().zip(labels) {
        for l in 0..LANES {
            output[l] = share * (output[l] - labels[l]);
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

/// f(x) at every point into `outputs`, with room in `hidden` for one unit.
pub(super) struct Evaluate<'a> {
    pub activation: Activation,
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
fn add_unit<A: ActivationFunction>(
    unit: &[f64],
    inputs: &InputBlocks,
    hidden: &mut [LaneBlock],
    outputs: &mut [LaneBlock],
) {
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
