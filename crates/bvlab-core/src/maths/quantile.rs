//! Quantiles of the normal distribution and of Student's t.

use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

use super::{erfc, exp, ln, ln_1p, square};

/// The quantile of the standard normal distribution; -∞ at 0, ∞ at 1 and NaN outside [0, 1].
///
/// From a rational approximation by three of Newton's steps on the logarithm of the tail.
///
/// ```
/// use bvlab_core::maths::normal_quantile;
///
/// assert!((normal_quantile(0.975) - 1.959963984540054).abs() < 1e-14);
/// ```
pub fn normal_quantile(probability: f64) -> f64 {
    both_sides(probability, upper_normal)
}

/// The quantile of Student's t with any number ν > 0 of degrees of freedom, infinite for the normal
/// distribution; -∞ at 0, ∞ at 1 and NaN outside [0, 1] or for ν that is not above 0.
///
/// Right to about 10⁻¹³ of itself. It takes a few microseconds: a few of Newton's steps, each with the
/// distribution function from the series or the continued fraction of the incomplete beta function;
/// for large ν, Cornish and Fisher's expansion.
///
/// ```
/// use bvlab_core::maths::student_quantile;
///
/// assert!((student_quantile(0.975, 23.0) - 2.06865761041905).abs() < 1e-13);
/// assert!((student_quantile(0.75, 1.0) - 1.0).abs() < 1e-14);
/// ```
pub fn student_quantile(probability: f64, degrees: f64) -> f64 {
    match degrees > 0.0 {
        true => both_sides(probability, |centre, tail| {
            upper_student(centre, tail, degrees)
        }),
        false => f64::NAN,
    }
}

/// The quantile of a symmetric distribution from that of its upper half, which is given the
/// probabilities |p - ½| of the centre and min(p, 1-p) of the tail.
fn both_sides(probability: f64, upper: impl Fn(f64, f64) -> f64) -> f64 {
    let centre = (probability - 0.5).abs();
    let tail = probability.min(1.0 - probability);
    let found = match (probability, tail) {
        _ if !(0.0..=1.0).contains(&probability) => return f64::NAN,
        (_, 0.0) => f64::INFINITY,
        (0.5, _) => 0.0,
        _ => upper(centre, tail),
    };
    if probability < 0.5 { -found } else { found }
}

fn upper_normal(_: f64, tail: f64) -> f64 {
    // Abramowitz and Stegun 26.2.23, to 4.5·10⁻⁴.
    let t = (-2.0 * ln(tail)).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut z = t - above / below;
    for _ in 0..3 {
        let found = 0.5 * erfc(z * FRAC_1_SQRT_2);
        let density = exp(-0.5 * z * z) / TAU.sqrt();
        z += ln(found / tail) * found / density;
    }
    z
}

fn upper_student(centre: f64, tail: f64, degrees: f64) -> f64 {
    let z = upper_normal(centre, tail);
    if degrees > 1000.0 * square(z).max(1.0) {
        return cornish_fisher(z, degrees);
    }
    let ratio = gamma_ratio(0.5 * degrees) / PI.sqrt();
    // In units of √ν: a tail is reached from the normal quantile, which is below; the centre from
    // the tangent at 0.
    let in_tail = tail < 0.1;
    let mut u = match in_tail {
        true => z / degrees.sqrt(),
        false => centre / ratio,
    };
    for _ in 0..100 {
        let (slope, own_centre, own_tail) = student(u, degrees, ratio);
        // On the logarithms of t and of the tail, which are nearly a straight line; else plain.
        let step = match in_tail {
            true => ln(own_tail / tail) * own_tail / slope,
            false => ln_1p((centre - own_centre) / slope),
        };
        u *= exp(step);
        // The error of a step is the square of the one before.
        if step.abs() < 1e-9 || u.is_infinite() {
            break;
        }
    }
    u * degrees.sqrt()
}

/// At t = u√ν: t times the density, and the probabilities of (0, t) and of (t, ∞). `ratio` is
/// Γ((ν+1)/2)/(Γ(ν/2) √π).
fn student(u: f64, degrees: f64, ratio: f64) -> (f64, f64, f64) {
    let a = 0.5 * degrees;
    let square = u * u;
    // ln(1 + u²), also where u² is too large for a number.
    let log = match u > 1e8 {
        true => 2.0 * ln(u),
        false => ln_1p(square),
    };
    let slope = ratio / (1.0 + 1.0 / square).sqrt() * exp(-a * log);
    let x = 1.0 / (1.0 + square);
    match x < (a + 1.0) / (a + 2.5) {
        true => {
            let tail = slope * beta_fraction(x, a) / degrees;
            (slope, 0.5 - tail, tail)
        }
        false => {
            let centre = slope * beta_series(square * x, a);
            (slope, centre, 0.5 - centre)
        }
    }
}

/// Σ_k y^k (a+½)_k/(3/2)_k, the series of the incomplete beta function I_y(½, a).
fn beta_series(y: f64, a: f64) -> f64 {
    let (mut sum, mut term, mut k) = (1.0, 1.0, 0.0);
    while term > 1e-17 * sum {
        term *= y * (a + 0.5 + k) / (1.5 + k);
        sum += term;
        k += 1.0;
    }
    sum
}

/// The continued fraction of the incomplete beta function I_x(a, ½) (Abramowitz and Stegun 26.5.8),
/// by Lentz's method.
fn beta_fraction(x: f64, a: f64) -> f64 {
    const B: f64 = 0.5;
    let guard = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + B) * x / (a + 1.0));
    let mut found = d;
    for m in 1..100_000 {
        let m = f64::from(m);
        let even = m * (B - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + B + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for part in [even, odd] {
            d = 1.0 / guard(1.0 + part * d);
            c = guard(1.0 + part / c);
            change = c * d;
            found *= change;
        }
        if (change - 1.0).abs() < 2e-16 {
            break;
        }
    }
    found
}

/// Γ(a + ½)/Γ(a).
///
/// With w = a - ¼ its logarithm is ½ ln w - Σ_m E_2m/(m 4^(2m+1) w^(2m)), E_2m being Euler's numbers;
/// the argument is first raised by Γ(a+½)/Γ(a) = Γ(a+3/2)/Γ(a+1) · a/(a+½).
fn gamma_ratio(mut a: f64) -> f64 {
    let mut factor = 1.0;
    while a < 20.25 {
        factor *= a / (a + 0.5);
        a += 1.0;
    }
    let w = a - 0.25;
    let inverse = 1.0 / (w * w);
    let terms = [
        50_521.0 / 20_971_520.0,
        -1385.0 / 1_048_576.0,
        61.0 / 49_152.0,
        -5.0 / 2048.0,
        1.0 / 64.0,
    ];
    factor * w.sqrt() * exp(super::horner(&terms, inverse) * inverse)
}

/// The quantile from that of the normal distribution, for ν far above z² (Abramowitz and Stegun
/// 26.7.5).
fn cornish_fisher(z: f64, degrees: f64) -> f64 {
    let s = z * z;
    let terms = [
        ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92_160.0,
        (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0,
        ((5.0 * s + 16.0) * s + 3.0) / 96.0,
        (s + 1.0) / 4.0,
        1.0,
    ];
    z * super::horner(&terms, 1.0 / degrees)
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

    const PROBABILITIES: [f64; 12] = [
        1e-10, 1e-5, 0.005, 0.025, 0.2, 0.49, 0.500001, 0.51, 0.75, 0.9, 0.975, 0.9999995,
    ];

    fn close(a: f64, b: f64, relative: f64) -> bool {
        (a - b).abs() <= relative * b.abs()
    }

    #[test]
    fn normal_quantiles_are_those_of_statrs() {
        let known = Normal::standard();
        for p in PROBABILITIES {
            let found = normal_quantile(p);
            assert!(close(found, known.inverse_cdf(p), 1e-10), "{p}: {found}");
            assert!(close(0.5 * erfc(-found * FRAC_1_SQRT_2), p, 1e-14), "{p}");
            assert_eq!(normal_quantile(0.5), 0.0);
        }
    }

    #[test]
    fn quantiles_have_the_probability_that_statrs_says() {
        for degrees in [0.1, 0.7, 1.5, 3.0, 4.2, 23.0, 99.5, 999.0] {
            let known = StudentsT::new(0.0, 1.0, degrees).unwrap();
            for p in PROBABILITIES {
                let found = student_quantile(p, degrees);
                let own = known.cdf(found);
                // Near the centre, as for more degrees of freedom, it is statrs that loses digits.
                let near = (p - 0.5).abs() < 0.1;
                assert!(
                    near || close(own, p, 2e-12),
                    "ν {degrees}, p {p}: {found}, {own}"
                );
                let other = student_quantile(1.0 - p, degrees);
                assert!(p < 1e-3 || close(-other, found, 1e-9), "ν {degrees}, p {p}");
            }
        }
    }

    #[test]
    fn closed_forms_hold() {
        for p in PROBABILITIES {
            let away = p - 0.5;
            let one = match p {
                ..0.25 => -1.0 / (PI * p).tan(),
                0.75.. => 1.0 / (PI * (1.0 - p)).tan(),
                _ => (PI * away).tan(),
            };
            let product = p * (1.0 - p);
            let two = 2.0 * away * (0.5 / product).sqrt();
            assert!(close(student_quantile(p, 1.0), one, 1e-13), "{p}");
            assert!(close(student_quantile(p, 2.0), two, 1e-13), "{p}");
            let many = student_quantile(p, 1e300);
            assert!(close(many, normal_quantile(p), 1e-14));
            assert_eq!(student_quantile(p, f64::INFINITY), normal_quantile(p));
        }
    }

    #[test]
    fn quantiles_of_mpmath_with_fifty_digits() {
        for (p, degrees, known) in [
            (0.975, 23.0, 2.068657610419048),
            (0.95, 0.1, 1642931922.60255),
            (0.75, 0.01, 6.364181928400607e+28),
            (0.9999, 0.5, 10284911.563165652),
            (0.999, 3.7, 7.795183875029164),
            (0.6, 7.25, 0.2628227594267798),
            (0.50001, 11.0, 2.5641699096461985e-05),
            (0.975, 199.0, 1.9719565442517535),
            (0.9995, 2500.0, 3.294422808445366),
            (0.975, 1000000.0, 1.9599663568141068),
            (1e-10, 5000.0, -6.374553536615104),
            (1e-10, 1e5, -6.3620004198436915),
            (1e-12, 4.0, -1316.0727465592565),
            (1e-12, 60.5, -8.800469803317968),
            (1e-100, 1000.0, -23.930617087826445),
        ] {
            let found = student_quantile(p, degrees);
            assert!(close(found, known, 4e-14), "ν {degrees}, p {p}: {found}");
        }
    }

    #[test]
    fn the_expansion_goes_on_where_the_fraction_ends() {
        for p in [0.6, 0.75, 0.975, 0.999, 0.9999995] {
            let z = normal_quantile(p);
            let degrees = 1000.0 * square(z).max(1.0);
            let below = student_quantile(p, degrees * (1.0 - 1e-15));
            let above = student_quantile(p, degrees * (1.0 + 1e-15));
            assert!(close(below, above, 1e-13), "{p}: {below} {above}");
        }
        // What the expansion leaves out falls with ν⁵.
        let z = normal_quantile(0.9);
        for (degrees, apart) in [(100.0, 6e-12), (200.0, 2e-13)] {
            let known = student_quantile(0.9, degrees);
            assert!(close(cornish_fisher(z, degrees), known, apart), "{degrees}");
        }
    }

    #[test]
    fn edges_are_infinite_and_nonsense_is_nan() {
        for degrees in [0.5, 3.0, 1e9] {
            assert_eq!(student_quantile(0.0, degrees), f64::NEG_INFINITY);
            assert_eq!(student_quantile(1.0, degrees), f64::INFINITY);
            assert_eq!(student_quantile(0.5, degrees), 0.0);
            assert!(student_quantile(-0.1, degrees).is_nan());
            assert!(student_quantile(f64::NAN, degrees).is_nan());
        }
        for degrees in [0.0, -1.0, f64::NAN] {
            assert!(student_quantile(0.9, degrees).is_nan());
        }
        // Beyond every number, and still no NaN.
        assert_eq!(student_quantile(1e-9, 0.01), f64::NEG_INFINITY);
    }
}
