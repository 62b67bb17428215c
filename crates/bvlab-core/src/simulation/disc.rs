//! Two classes in the plane, for simulations of classifiers.

use rand::RngExt;

use crate::data::{Points, Training};
use crate::learner::Size;
use crate::problem::Inputs;
use crate::stream::Stream;

/// The square that points come from.
pub(super) const SQUARE: (f64, f64) = (-1.0, 1.0);

/// A disc in a square: x is uniform on [−1, 1]², its class is 1 within the disc x₁² + x₂² < 2/π,
/// which is half of the square, and −1 outside. No line divides them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disc {
    /// The number of training points.
    pub train: usize,
    /// The chance that a label is not the class but the other one.
    pub noise: f64,
}

impl Disc {
    /// What a learner is fitted to and asked for, with so many test points.
    pub fn size(&self, points: usize) -> Size {
        Size {
            train: self.train as f64,
            dimension: 2.0,
            points: points as f64,
            outputs: 1.0,
            members: false,
        }
    }

    /// Draws a training set: points and noise from a stream each, so that a smaller set is the
    /// beginning of a larger one.
    pub fn draw(&self, [inputs, noise]: [&mut Stream; 2], data: &mut Training) {
        points(self.train, inputs, &mut data.inputs);
        data.labels.clear();
        data.labels.extend(data.inputs.rows().map(|x| {
            let flipped = noise.random::<f64>() < self.noise;
            if flipped { -class(x) } else { class(x) }
        }));
    }
}

/// Draws points of the square.
pub(super) fn points(count: usize, stream: &mut Stream, points: &mut Points) {
    let (from, to) = SQUARE;
    Inputs::uniform(from, to).draw(count, 2, stream, points);
}

/// The class of a point.
pub(super) fn class(x: &[f64]) -> f64 {
    let within = x[0] * x[0] + x[1] * x[1] < std::f64::consts::FRAC_2_PI;
    if within { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Purpose;

    #[test]
    fn classes_are_halves_and_labels_are_flipped_as_often_as_said() {
        let disc = Disc {
            train: 100_000,
            noise: 0.2,
        };
        let [mut inputs, mut noise] =
            [Purpose::Inputs, Purpose::Noise].map(|purpose| Stream::new(1, purpose, 0));
        let mut data = Training::default();
        disc.draw([&mut inputs, &mut noise], &mut data);
        let share = |which: &dyn Fn(&[f64], f64) -> bool| {
            let pairs = data.inputs.rows().zip(&data.labels);
            pairs.filter(|(x, y)| which(x, **y)).count() as f64 / 1e5
        };
        // Five standard errors.
        assert!((share(&|x, _| class(x) > 0.0) - 0.5).abs() < 0.008);
        assert!((share(&|x, y| class(x) != y) - 0.2).abs() < 0.0064);
    }
}
