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
    classes: usize,
    inputs: &InputBlocks,
    work: &mut TrainingBuffers,
) -> f64 {
    let TrainingBuffers {
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
        .map(<[LaneBlock]>::as_flattened)
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

fn assert_slopes_are_differences<A: ActivationFunction>(
    classes: usize,
    [count, dimension, width]: [usize; 3],
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
    let mut inputs = InputBlocks::default();
    inputs.fill(&points, &[Standardisation { mean: 0.5, sd: 0.3 }; 3]);
    let path = EpochPath {
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
            let mut work = TrainingBuffers {
                labels: vec![labels; 3],
                ..TrainingBuffers::default()
            };
            let parameters = &mut work.parameters;
            draw(path.width, 3, classes.max(1), &stream, parameters);
            let mut at_stops = vec![Vec::new()];
            let trained = with(Train {
                classes,
                activation,
                optimiser: Optimiser::Adam,
                path: &path,
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
