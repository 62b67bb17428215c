//! The bits of every function and of the first draws of every law, as they were when the digits were
//! decided: a changed dependency, compiler or platform that computes differently fails here.

use super::*;
use crate::stream::{Purpose, Stream};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

type OfOne = fn(f64) -> f64;
type OfTwo = fn(f64, f64) -> f64;

/// So many numbers from one end to the other, both included.
pub(super) fn spread(from: f64, to: f64, count: u32) -> impl Iterator<Item = f64> {
    let step = (to - from) / f64::from(count - 1);
    (0..count).map(move |i| from + f64::from(i) * step)
}

/// How many numbers apart two numbers are; none between the zeros.
pub(super) fn ulps_apart(a: f64, b: f64) -> u64 {
    let place = |x: f64| match x.to_bits() as i64 {
        bits if bits < 0 => i64::MIN.wrapping_sub(bits),
        bits => bits,
    };
    match a.is_nan() || b.is_nan() {
        true if a.is_nan() && b.is_nan() => 0,
        true => u64::MAX,
        false => place(a).abs_diff(place(b)),
    }
}

/// The largest distance between a distribution function and the shares of draws below.
pub(super) fn kolmogorov(mut draws: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    draws.sort_by(f64::total_cmp);
    let n = draws.len() as f64;
    let apart = draws.iter().enumerate().map(|(i, draw)| {
        let p = cdf(*draw);
        (p - i as f64 / n).abs().max(((i + 1) as f64 / n - p).abs())
    });
    apart.fold(0.0, f64::max)
}

/// A line of a few numbers, and of all bits of many others folded into one word.
fn line(name: &str, values: impl Iterator<Item = f64>) -> String {
    let mut text = format!("{name:<17}");
    let mut folded = 0;
    for (i, value) in values.enumerate() {
        if i < 3 {
            text += &format!(" {:016x}", value.to_bits());
        }
        // NaN is one number here, whatever its bits are.
        let bits = if value.is_nan() { 1 } else { value.to_bits() };
        folded = crate::stream::mix(folded ^ bits);
    }
    text + &format!(" {folded:016x}\n")
}

fn lines() -> String {
    let mut text = String::new();
    let of_one: [(&str, OfOne, [f64; 2]); 20] = [
        ("sin", sin, [0.3, 400.0]),
        ("cos", cos, [0.3, 400.0]),
        ("sin of large", sin, [-1e15, 1e15]),
        ("cos of large", cos, [-1e15, 1e15]),
        ("tan", tan, [0.3, 30.0]),
        ("asin", asin, [-0.9, 1.0]),
        ("acos", acos, [-0.9, 1.0]),
        ("atan", atan, [-0.9, 30.0]),
        ("sinh", sinh, [0.3, 30.0]),
        ("cosh", cosh, [0.3, 30.0]),
        ("tanh", tanh, [-0.3, 3.0]),
        ("exp", exp, [-740.0, 709.0]),
        ("exp_m1", exp_m1, [-2.0, 3.0]),
        ("ln", ln, [0.3, 1e4]),
        ("ln_1p", ln_1p, [-0.3, 2.0]),
        ("log2", log2, [0.3, 1e4]),
        ("log10", log10, [0.3, 1e4]),
        ("erfc", erfc, [-3.0, 10.0]),
        ("fast_tanh", fast_tanh, [-3.0, 3.0]),
        ("weight_exp", weight_exp, [-710.0, 0.0]),
    ];
    for (name, function, [from, to]) in of_one {
        text += &line(name, spread(from, to, 1000).map(function));
    }
    let mut cosines: Vec<f64> = spread(-50.0, 50.0, 1000).collect();
    fast_cosines(&mut cosines);
    text += &line("fast_cosines", cosines.into_iter());
    let of_two: [(&str, OfTwo); 3] = [("pow", pow), ("atan2", atan2), ("hypot", hypot)];
    for (name, function) in of_two {
        let pairs = spread(0.1, 9.0, 1000).zip(spread(7.0, -11.0, 1000));
        text += &line(name, pairs.map(|(x, y)| function(x, y)));
    }
    let powers = spread(0.5, 1.5, 200).zip(0..);
    text += &line("power", powers.map(|(x, n)| power(x, n)));
    text += &line("binomial", binomial(200, 0.3).into_iter());
    let probabilities = || spread(0.001, 0.999, 500);
    text += &line("normal_quantile", probabilities().map(normal_quantile));
    for degrees in [0.6, 23.0, 1e5] {
        let quantiles = probabilities().map(|p| student_quantile(p, degrees));
        text += &line(&format!("student {degrees}"), quantiles);
    }
    let stream = || Stream::new(20, Purpose::Noise, 26);
    let draws = |draw: &dyn Fn(&mut Stream) -> f64| {
        let mut stream = stream();
        let draws: Vec<f64> = (0..10_000).map(|_| draw(&mut stream)).collect();
        draws.into_iter()
    };
    text += &line("word", draws(&|stream| (stream.next_u64() >> 11) as f64));
    text += &line("uniform", draws(&|stream| stream.random()));
    text += &line("range", draws(&|stream| stream.random_range(-1.5..0.25)));
    text += &line(
        "index",
        draws(&|stream| stream.random_range(0..1000_usize) as f64),
    );
    let mut order: Vec<u32> = (0..1000).collect();
    order.shuffle(&mut stream());
    text += &line("shuffle", order.into_iter().map(f64::from));
    text += &line("normal", draws(&normal));
    text += &line("laplace", draws(&laplace));
    text += &line("student_t 2.5", draws(&|stream| student_t(stream, 2.5)));
    text += &line("student_t 9", draws(&|stream| student_t(stream, 9.0)));
    text
}

#[test]
fn every_bit_is_the_recorded_one() {
    let (found, recorded) = (lines(), include_str!("recorded.txt"));
    for (found, recorded) in found.lines().zip(recorded.lines()) {
        assert_eq!(found, recorded);
    }
    assert_eq!(found.lines().count(), recorded.lines().count(), "\n{found}");
}
