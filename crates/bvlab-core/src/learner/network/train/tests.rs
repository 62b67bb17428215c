use pulp::Arch;
use rand::RngExt;

use super::super::data::Standardisation;
use super::super::draw;
use super::*;
use crate::data::Points;
use crate::stream::{Purpose, Stream};

#[test]
fn nan_goes_through_a_unit() {
    assert!(Tanh::value(f64::NAN).is_nan());
    assert!(Relu::value(f64::NAN).is_nan());
}

/// The objective, by the function that also predicts.
fn objective<A: ActivationFunction>(
    shape: NetworkShape,
    inputs: &InputBlocks,
    labels: &[LaneBlock],
    work: &mut TrainingBuffers,
) -> f64 {
    let TrainingBuffers {
        parameters,
        hidden,
        outputs,
        first,
        ..
    } = work;
    let blocks = inputs.len();
    evaluate::<A>(Evaluate {
        activation: Activation::Tanh,
        front: shape.front,
        first,
        parameters,
        inputs,
        hidden: &mut hidden[..blocks],
        outputs,
    });
    let count = inputs.count as f64;
    let outputs: Vec<&[f64]> = outputs
        .chunks_exact(blocks)
        .map(<[LaneBlock]>::as_flattened)
        .collect();
    let each = labels.as_flattened().iter().take(inputs.count).enumerate();
    match shape.objective {
        Objective::Numbers => {
            let squares = each.map(|(i, y)| (outputs[0][i] - y).powi(2));
            squares.sum::<f64>() / (2.0 * count)
        }
        Objective::OneHot(_) => {
            let squares = each.flat_map(|(i, y)| {
                let hot = |k: usize| f64::from(u8::from(k as f64 == *y));
                let outputs = outputs.iter().enumerate();
                outputs.map(move |(k, output)| (output[i] - hot(k)).powi(2))
            });
            squares.sum::<f64>() / (2.0 * count)
        }
        Objective::Entropy(_) => {
            let losses = each.map(|(i, y)| {
                let total: f64 = outputs.iter().map(|output| output[i].exp()).sum();
                total.ln() - outputs[*y as usize][i]
            });
            losses.sum::<f64>() / count
        }
    }
}

fn path(width: usize, second: usize) -> EpochPath {
    EpochPath {
        width,
        second,
        rate: 0.02,
        decay: 0.0,
        batch: usize::MAX,
        stops: vec![(300, 0)],
    }
}

/// Also with the penalty of weight decay, which is written out here.
fn assert_slopes_are_differences<A: ActivationFunction>(
    objective_: Objective,
    [count, dimension, width]: [usize; 3],
    second: usize,
    decay: f64,
) {
    let mut stream = Stream::new(1, Purpose::Inputs, 0);
    let values = (0..count * dimension).map(|_| stream.random());
    let points = Points::new(dimension, values.collect());
    let mut inputs = InputBlocks::default();
    inputs.fill(
        &points,
        &vec![Standardisation { mean: 0.5, sd: 0.3 }; dimension],
    );
    let mut work = TrainingBuffers::default();
    let outputs = objective_.outputs();
    let path = path(width, second);
    draw(&path, dimension, outputs, &stream, &mut work.parameters);
    // Constants of the second layer begin at 0, where a ReLU of no input has its kink.
    for parameter in &mut work.parameters {
        *parameter += 0.2 * stream.random::<f64>() - 0.1;
    }
    let layer = [path.last_inputs(dimension), path.last_width(), outputs];
    work.make_room(inputs.len(), layer, work.parameters.len());
    let mut label = || match objective_ {
        Objective::Numbers => stream.random(),
        _ => stream.random_range(0..outputs) as f64,
    };
    let labels = (0..inputs.len()).map(|_| std::array::from_fn(|_| label()));
    let labels: Vec<LaneBlock> = labels.collect();
    let shape = NetworkShape {
        objective: objective_,
        front: path.front(dimension),
    };
    slopes::<A>(shape, &inputs, &labels, &mut work);
    shape.decay(decay, [dimension, layer[0]], &mut work);
    // By parameter: whether it is a weight, and no constant.
    let mut weights = Vec::new();
    let unit = |weights: &mut Vec<bool>, inputs: usize, more: usize| {
        weights.extend(vec![true; inputs]);
        weights.push(false);
        weights.extend(vec![true; more]);
    };
    for _ in 0..width {
        let more = if second == 0 { outputs } else { 0 };
        unit(&mut weights, dimension, more);
    }
    (0..second).for_each(|_| unit(&mut weights, width, outputs));
    weights.extend(vec![false; outputs]);
    assert_eq!(weights.len(), work.parameters.len());
    let slopes = work.gradient.clone();
    for (p, slope) in slopes.iter().enumerate() {
        let here = work.parameters[p];
        let mut at = |parameter: f64| {
            work.parameters[p] = parameter;
            let penalised = work.parameters.iter().zip(&weights);
            let squares = penalised.map(|(w, counts)| if *counts { w * w } else { 0.0 });
            let penalty = decay / 2.0 * squares.sum::<f64>();
            objective::<A>(shape, &inputs, &labels, &mut work) + penalty
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
    let mut inputs = InputBlocks::default();
    inputs.fill(&points, &[Standardisation { mean: 0.5, sd: 0.3 }; 3]);
    let numbers = [0.5, -1.0, 0.0, 2.0, 1.0, -0.3, 0.1, -2.0];
    let three = [0.0, 1.0, 2.0, 0.0, 1.0, 1.0, 2.0, 1.0];
    for (activation, objective, labels, second) in [
        (Activation::Tanh, Objective::Numbers, numbers, 0),
        (Activation::Relu, Objective::Numbers, numbers, 0),
        (Activation::Tanh, Objective::Entropy(3), three, 0),
        (Activation::Relu, Objective::Entropy(3), three, 0),
        (Activation::Relu, Objective::OneHot(3), three, 5),
        (Activation::Tanh, Objective::OneHot(3), three, 5),
    ] {
        let path = EpochPath {
            decay: 0.01,
            batch: if second == 0 { 20 } else { 7 },
            ..path(11, second)
        };
        let run = |with: &dyn Fn(Train) -> Result<(), Interrupted>| {
            let mut work = TrainingBuffers {
                labels: vec![labels; 3],
                ..TrainingBuffers::default()
            };
            let parameters = &mut work.parameters;
            draw(&path, 3, objective.outputs(), &stream, parameters);
            let mut at_stops = vec![Vec::new()];
            let trained = with(Train {
                objective,
                activation,
                optimiser: Optimiser::Adam,
                path: &path,
                inputs: &inputs,
                work: &mut work,
                at_stops: &mut at_stops,
                shuffles: stream.child(7),
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
        for objective in [
            Objective::Numbers,
            Objective::Entropy(1),
            Objective::Entropy(2),
            Objective::Entropy(5),
            Objective::OneHot(1),
            Objective::OneHot(4),
        ] {
            for (second, decay) in [(0, 0.0), (3, 0.0), (0, 0.3), (2, 0.7)] {
                assert_slopes_are_differences::<Tanh>(objective, size, second, decay);
                assert_slopes_are_differences::<Relu>(objective, size, second, decay);
            }
        }
    }
}
