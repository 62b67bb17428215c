//! Draws from the normal distribution, Laplace's and Student's t.
//!
//! `rand_distr` has them too, but computes with the functions of `num-traits`, which come from the
//! standard library or from `libm` depending on what other crates of the build ask for.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};
use std::sync::LazyLock;

use rand::Rng;

use super::{erfc, exp, ln, pow};
use crate::stream::Stream;

/// How many layers of equal area the density is cut into.
const LAYERS: usize = 256;

/// Where the tail begins, for 256 layers.
const TAIL: f64 = 3.654_152_885_361_009;

/// 2⁵³: signed numerators of uniform numbers are below.
const UNITS: f64 = (1_u64 << 53) as f64;

/// A layer of the ziggurat.
#[derive(Clone, Copy, Default)]
struct Layer {
    /// Its width, in units of 2⁻⁵³.
    width: f64,
    /// The numerators below which a point of the layer is under the density whatever its height.
    inside: u64,
    /// The density f(x) = exp(-x²/2) at the layer's outer and inner edge.
    density: [f64; 2],
}

/// Layer 0 holds the tail, the last one the peak.
static ZIGGURAT: LazyLock<[Layer; LAYERS]> = LazyLock::new(|| {
    let density = |x: f64| exp(-0.5 * x * x);
    // The area of every layer: a rectangle up to the tail, and the tail.
    let area = TAIL * density(TAIL) + (PI / 2.0).sqrt() * erfc(TAIL * FRAC_1_SQRT_2);
    let mut layers = [Layer::default(); LAYERS];
    let (mut outer, mut inner) = (area / density(TAIL), TAIL);
    for (i, layer) in layers.iter_mut().enumerate() {
        *layer = Layer {
            width: outer / UNITS,
            inside: (inner / outer * UNITS) as u64,
            density: [density(outer), density(inner)],
        };
        outer = inner;
        inner = match i + 2 < LAYERS {
            true => (-2.0 * ln(area / outer + density(outer))).sqrt(),
            false => 0.0,
        };
    }
    layers
});

/// A draw from the standard normal distribution.
///
/// By the ziggurat of Marsaglia and Tsang, *The ziggurat method for generating random variables*,
/// Journal of Statistical Software 5(8), 2000. One word serves for 98.8 % of the draws: 8 of its bits
/// choose a layer, and 53 others a place, since bits that serve for both correlate (Doornik, *An
/// improved ziggurat method to generate normal random samples*, 2005).
pub fn normal(stream: &mut Stream) -> f64 {
    draw(&ZIGGURAT, stream)
}

/// Fills a slice with independent draws of [`normal`], one after the other.
pub fn fill_normal(stream: &mut Stream, draws: &mut [f64]) {
    let layers = &*ZIGGURAT;
    for place in draws {
        *place = draw(layers, stream);
    }
}

#[inline(always)]
fn draw(layers: &[Layer; LAYERS], stream: &mut Stream) -> f64 {
    let word = stream.next_u64();
    let layer = &layers[word as usize % LAYERS];
    // Odd, from 1 - 2⁵³ to 2⁵³ - 1: as many below 0 as above, and never 0.
    let numerator = (word as i64 >> 10) | 1;
    let x = numerator as f64 * layer.width;
    match numerator.unsigned_abs() < layer.inside {
        true => x,
        false => beyond(layers, word, x, stream),
    }
}

/// The draw whose first word was not enough.
#[cold]
#[inline(never)]
fn beyond(layers: &[Layer; LAYERS], mut word: u64, mut x: f64, stream: &mut Stream) -> f64 {
    loop {
        let which = word as usize % LAYERS;
        if which == 0 {
            return tail(stream).copysign(x);
        }
        let [low, high] = layers[which].density;
        if low + unit(stream.next_u64()) * (high - low) < exp(-0.5 * x * x) {
            return x;
        }
        word = stream.next_u64();
        let layer = &layers[word as usize % LAYERS];
        let numerator = (word as i64 >> 10) | 1;
        x = numerator as f64 * layer.width;
        if numerator.unsigned_abs() < layer.inside {
            return x;
        }
    }
}

/// A draw above [`TAIL`]: an exponential one, thinned out (Marsaglia 1964).
fn tail(stream: &mut Stream) -> f64 {
    loop {
        let x = -ln(unit(stream.next_u64())) / TAIL;
        let y = -ln(unit(stream.next_u64()));
        if y + y >= x * x {
            return TAIL + x;
        }
    }
}

/// A number in (0, 1] from the upper 53 bits of a word.
#[inline(always)]
fn unit(word: u64) -> f64 {
    ((word >> 11) + 1) as f64 / UNITS
}

/// A draw from Laplace's distribution with mean 0 and variance 1, density exp(-√2 |x|)/√2: by
/// inversion, the sign being the lowest bit of the word.
pub fn laplace(stream: &mut Stream) -> f64 {
    let word = stream.next_u64();
    let magnitude = -ln(unit(word)) / SQRT_2;
    match word & 1 == 1 {
        true => magnitude,
        false => -magnitude,
    }
}

/// Fills a slice with independent draws of [`laplace`], one after the other.
pub fn fill_laplace(stream: &mut Stream, draws: &mut [f64]) {
    draws.fill_with(|| laplace(stream));
}

/// A draw from Student's t with ν > 0 degrees of freedom: a normal one over √(χ²/ν).
pub fn student_t(stream: &mut Stream, degrees: f64) -> f64 {
    let z = normal(stream);
    z * (degrees / chi_squared(stream, degrees)).sqrt()
}

/// A draw from χ² with ν > 0 degrees of freedom, twice a gamma variable of shape ν/2: the cube of a
/// normal one, thinned out (Marsaglia and Tsang, *A simple method for generating gamma variables*, ACM
/// Transactions on Mathematical Software 26, 2000).
fn chi_squared(stream: &mut Stream, degrees: f64) -> f64 {
    let shape = 0.5 * degrees;
    if shape < 1.0 {
        let power = pow(unit(stream.next_u64()), 1.0 / shape);
        return power * chi_squared(stream, degrees + 2.0);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(stream);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let cube = root * root * root;
        let even = unit(stream.next_u64());
        let square = x * x;
        // Nearly always enough, and without logarithms.
        let surely = even < 1.0 - 0.0331 * square * square;
        if surely || ln(even) < 0.5 * square + d * (1.0 - cube + ln(cube)) {
            return 2.0 * d * cube;
        }
    }
}

/// Fills a slice with independent draws of [`student_t`], one after the other.
pub fn fill_student_t(stream: &mut Stream, degrees: f64, draws: &mut [f64]) {
    draws.fill_with(|| student_t(stream, degrees));
}

#[cfg(test)]
mod tests {
    use super::super::recorded::kolmogorov;
    use super::*;
    use crate::stream::Purpose;
    use rand_distr::Distribution;
    use statrs::distribution::{ContinuousCDF, StudentsT};

    fn stream(resample: u64) -> Stream {
        Stream::new(7, Purpose::Noise, resample)
    }

    /// Draws have the distribution function: the largest difference D of n of them is below
    /// 2.5/√n, but for a chance of 2 exp(-2·2.5²) = 7·10⁻⁶.
    fn follow(draw: impl Fn(&mut Stream) -> f64, cdf: impl Fn(f64) -> f64) {
        let mut stream = stream(0);
        let draws: Vec<f64> = (0..400_000).map(|_| draw(&mut stream)).collect();
        let most = 2.5 / (draws.len() as f64).sqrt();
        let apart = kolmogorov(draws, cdf);
        assert!(apart < most, "{apart} > {most}");
    }

    #[test]
    fn draws_have_their_distribution_functions() {
        follow(normal, |x| 0.5 * erfc(-x * FRAC_1_SQRT_2));
        follow(laplace, |x| match x < 0.0 {
            true => 0.5 * (SQRT_2 * x).exp(),
            false => 1.0 - 0.5 * (-SQRT_2 * x).exp(),
        });
        for degrees in [0.5, 1.0, 2.5, 9.0, 200.0] {
            let law = StudentsT::new(0.0, 1.0, degrees).unwrap();
            follow(|stream| student_t(stream, degrees), |x| law.cdf(x));
        }
    }

    /// Moments up to the eighth, which the tail decides, and the share beyond where it begins.
    #[test]
    fn the_tail_of_the_normal_draws_is_as_heavy_as_it_should_be() {
        let count = 4_000_000;
        let mut draws = vec![0.0; count];
        fill_normal(&mut stream(1), &mut draws);
        let n = count as f64;
        for (power, moment, next) in [
            (1, 0.0, 1.0),
            (2, 1.0, 3.0),
            (3, 0.0, 15.0),
            (4, 3.0, 105.0),
            (6, 15.0, 10_395.0),
            (8, 105.0, 2_027_025.0),
        ] {
            let mean = draws.iter().map(|z| z.powi(power)).sum::<f64>() / n;
            let se = ((next - moment * moment) / n).sqrt();
            assert!((mean - moment).abs() < 4.0 * se, "E z^{power} = {mean}");
        }
        for sign in [1.0, -1.0] {
            let beyond = draws.iter().filter(|z| sign * **z > TAIL).count() as f64;
            let chance = 0.5 * erfc(TAIL * FRAC_1_SQRT_2);
            assert!(
                (beyond - n * chance).abs() < 4.0 * (n * chance).sqrt(),
                "{beyond}"
            );
        }
        assert!(draws.iter().all(|z| *z != 0.0));
    }

    /// Those of `rand_distr`, another implementation, have the same distribution: two samples of n
    /// differ by less than 2.5 √(2/n).
    #[test]
    fn draws_are_distributed_as_those_of_rand_distr() {
        let count = 200_000;
        let mut theirs: Vec<f64> = rand_distr::StandardNormal
            .sample_iter(&mut stream(2))
            .take(count)
            .collect();
        theirs.sort_by(f64::total_cmp);
        let mut ours = vec![0.0; count];
        fill_normal(&mut stream(3), &mut ours);
        let cdf = |x: f64| theirs.partition_point(|z| *z <= x) as f64 / count as f64;
        assert!(kolmogorov(ours, cdf) < 2.5 * (2.0 / count as f64).sqrt());
    }

    #[test]
    fn layers_have_equal_areas_and_meet_at_the_peak() {
        let layers = &*ZIGGURAT;
        let area = layers[1].width * UNITS * (layers[1].density[1] - layers[1].density[0]);
        for (i, layer) in layers.iter().enumerate().skip(1) {
            let own = layer.width * UNITS * (layer.density[1] - layer.density[0]);
            assert!((own / area - 1.0).abs() < 1e-9, "layer {i}: {own} {area}");
        }
        assert_eq!(layers[LAYERS - 1].density[1], 1.0);
        assert_eq!(layers[LAYERS - 1].inside, 0);
    }

    #[test]
    fn neighbours_are_independent() {
        let mut draws = vec![0.0; 1_000_000];
        fill_normal(&mut stream(4), &mut draws);
        let n = draws.len() as f64;
        for lag in 1..4 {
            let pairs = || draws.iter().zip(&draws[lag..]);
            let product = pairs().map(|(a, b)| a * b).sum::<f64>() / n;
            assert!(product.abs() < 4.0 / n.sqrt());
            let squares = pairs()
                .map(|(a, b)| (a * a - 1.0) * (b * b - 1.0))
                .sum::<f64>()
                / n;
            assert!(squares.abs() < 4.0 * 2.0 / n.sqrt());
        }
    }

    #[test]
    fn a_slice_is_filled_one_by_one() {
        let mut draws = vec![0.0; 5000];
        let mut batch = stream(5);
        fill_normal(&mut batch, &mut draws);
        let mut single = stream(5);
        assert!(draws.iter().all(|draw| *draw == normal(&mut single)));
        assert_eq!(batch.next_u64(), single.next_u64());
    }
}
