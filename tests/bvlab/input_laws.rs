//! Laws of inputs: draws against the density that test points are weighted by.

use bvlab::data::Points;
use bvlab::problem::{INPUT_LAWS, Inputs, grid, side};
use bvlab::stream::{Purpose, Stream};

/// Inputs of every law, with values that any law between two ends, or of mean and sd, allows.
fn every_law() -> Vec<(&'static str, Inputs)> {
    let inputs = INPUT_LAWS.iter().map(|law| {
        let values = law.parameters.iter().map(|parameter| match parameter.name {
            "from" | "mean" => -1.0,
            "to" => 2.0,
            _ => parameter.default.unwrap_or(1.5),
        });
        let inputs = law.inputs(&values.collect::<Vec<f64>>());
        (law.name, inputs.expect("these values are allowed"))
    });
    inputs.collect()
}

fn drawn(inputs: &Inputs, count: usize, dimension: usize) -> Points {
    let mut points = Points::default();
    let mut stream = Stream::new(1, Purpose::Inputs, 0);
    inputs.draw(count, dimension, &mut stream, &mut points);
    points
}

#[test]
fn draws_have_the_density_that_test_points_are_weighted_by() {
    for (name, inputs) in every_law() {
        let (from, to) = inputs.range();
        let draws = drawn(&inputs, 200_000, 1);
        let within = draws.values().iter().copied();
        let within: Vec<f64> = within.filter(|x| (from..=to).contains(x)).collect();
        let fine = grid(from, to, 100_000, 1);
        let weights: Vec<f64> = fine.values().iter().map(|x| inputs.weight(&[*x])).collect();
        let total: f64 = weights.iter().sum();
        for power in 1..=3 {
            let of = |x: &f64| x.powi(power);
            let count = within.len() as f64;
            let mean = within.iter().map(of).sum::<f64>() / count;
            let square = within.iter().map(|x| of(x).powi(2)).sum::<f64>() / count;
            let se = ((square - mean * mean) / count).sqrt();
            let terms = fine.values().iter().zip(&weights).map(|(x, w)| of(x) * w);
            let expected = terms.sum::<f64>() / total;
            assert!(
                (mean - expected).abs() < 4.0 * se + 1e-9,
                "{name}, power {power}: {mean} ± {se} against {expected}"
            );
        }
    }
}

#[test]
fn as_many_draws_lie_outside_the_range_as_the_law_says() {
    for law in INPUT_LAWS {
        let (_, inputs) = every_law()
            .into_iter()
            .find(|(name, _)| *name == law.name)
            .expect("every law is there");
        let (from, to) = inputs.range();
        let count = 200_000;
        let draws = drawn(&inputs, count, 1);
        let outside = draws.values().iter().filter(|x| !(from..=to).contains(*x));
        let share = outside.count() as f64 / count as f64;
        let se = (law.outside * (1.0 - law.outside) / count as f64).sqrt();
        assert!(
            (share - law.outside).abs() <= 4.0 * se,
            "{}: {share}",
            law.name
        );
    }
}

#[test]
fn fewer_draws_are_the_beginning_of_more_and_designs_are_the_same_every_time() {
    for (name, inputs) in every_law() {
        let (few, many) = (drawn(&inputs, 9, 2), drawn(&inputs, 25, 2));
        if inputs.is_design() {
            let mut again = Points::default();
            let mut other = Stream::new(2, Purpose::Inputs, 7);
            inputs.draw(25, 2, &mut other, &mut again);
            assert_eq!(again, many, "{name}");
            assert_eq!(side(25, 2), Some(5));
        } else {
            assert_eq!(few.values(), &many.values()[..18], "{name}");
        }
    }
}

#[test]
fn laws_by_name_are_those_by_constructor() {
    let by_name = |name: &str, values: &[f64]| {
        let law = bvlab::problem::InputLaw::find(name).expect("it is a law");
        law.inputs(values).expect("the values are allowed")
    };
    assert_eq!(by_name("uniform", &[0.0, 15.0]), Inputs::uniform(0.0, 15.0));
    assert_eq!(by_name("normal", &[1.0, 2.0]), Inputs::normal(1.0, 2.0));
    assert_eq!(by_name("grid", &[0.0, 1.0]), Inputs::grid(0.0, 1.0));
    assert_ne!(Inputs::uniform(0.0, 1.0), Inputs::grid(0.0, 1.0));
    assert_eq!(Inputs::normal(1.0, 2.0).as_normal(), Some((1.0, 2.0)));
    assert_eq!(Inputs::uniform(1.0, 2.0).as_normal(), None);
}
