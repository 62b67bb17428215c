//! Functions of one or two numbers from `libm`, and powers.

macro_rules! from_libm {
    ($($(#[$docs:meta])* $name:ident = $function:ident($($x:ident),+);)+) => {
        $($(#[$docs])* #[inline]
        pub fn $name($($x: f64),+) -> f64 {
            libm::$function($($x),+)
        })+
    };
}

from_libm! {
    /// The tangent.
    tan = tan(x);
    /// The arc sine, in [-π/2, π/2]; NaN outside [-1, 1].
    asin = asin(x);
    /// The arc cosine, in [0, π]; NaN outside [-1, 1].
    acos = acos(x);
    /// The arc tangent, in [-π/2, π/2].
    atan = atan(x);
    /// The angle of the point (x, y), in [-π, π]. The first argument is y.
    atan2 = atan2(y, x);
    /// The hyperbolic sine.
    sinh = sinh(x);
    /// The hyperbolic cosine.
    cosh = cosh(x);
    /// The hyperbolic tangent.
    tanh = tanh(x);
    /// e^x - 1, accurate near 0.
    exp_m1 = expm1(x);
    /// The natural logarithm; -∞ at 0 and NaN below.
    ln = log(x);
    /// ln(1 + x), accurate near 0.
    ln_1p = log1p(x);
    /// The logarithm to base 2.
    log2 = log2(x);
    /// The logarithm to base 10.
    log10 = log10(x);
    /// √(x² + y²) without overflow on the way.
    hypot = hypot(x, y);
    /// The complementary error function 2/√π ∫_x^∞ exp(-t²) dt.
    erfc = erfc(x);
}

/// x^y. A square is a product, which is exact to half an ulp and fast.
///
/// ```
/// use bvlab_core::maths::pow;
///
/// assert_eq!(pow(2.0, 0.5), 2.0_f64.sqrt());
/// assert!(pow(-8.0, 1.0 / 3.0).is_nan());
/// ```
#[inline]
pub fn pow(x: f64, y: f64) -> f64 {
    match y == 2.0 {
        true => x * x,
        false => libm::pow(x, y),
    }
}

/// x².
#[inline(always)]
pub fn square(x: f64) -> f64 {
    x * x
}

/// x^n by repeated squaring, from the lowest bit of n on.
///
/// ```
/// use bvlab_core::maths::power;
///
/// assert_eq!(power(-3.0, 5), -243.0);
/// assert_eq!(power(0.0, 0), 1.0);
/// ```
#[inline]
pub fn power(x: f64, mut n: u32) -> f64 {
    let (mut factor, mut product) = (x, 1.0);
    while n > 0 {
        if n & 1 == 1 {
            product *= factor;
        }
        n >>= 1;
        if n > 0 {
            factor *= factor;
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::super::recorded::{spread, ulps_apart};
    use super::*;

    type OfOne = fn(f64) -> f64;

    #[test]
    fn they_are_the_standard_librarys_to_about_an_ulp() {
        let cases: [(&str, OfOne, OfOne, [f64; 2], u64); 13] = [
            ("tan", tan, f64::tan, [-1e4, 1e4], 1),
            ("asin", asin, f64::asin, [-1.0, 1.0], 1),
            ("acos", acos, f64::acos, [-1.0, 1.0], 1),
            ("atan", atan, f64::atan, [-50.0, 50.0], 1),
            ("sinh", sinh, f64::sinh, [-700.0, 700.0], 2),
            ("cosh", cosh, f64::cosh, [-700.0, 700.0], 2),
            ("tanh", tanh, f64::tanh, [-20.0, 20.0], 2),
            ("exp_m1", exp_m1, f64::exp_m1, [-40.0, 700.0], 1),
            ("ln", ln, f64::ln, [0.0, 1e3], 1),
            ("ln_1p", ln_1p, f64::ln_1p, [-1.0, 10.0], 1),
            ("log2", log2, f64::log2, [0.0, 1e3], 1),
            ("log10", log10, f64::log10, [0.0, 1e3], 2),
            ("root", |x| pow(x, 0.5), |x| x.powf(0.5), [0.0, 1e3], 1),
        ];
        for (name, ours, theirs, [from, to], most) in cases {
            let middle = f64::midpoint(from, to);
            let near = spread(
                middle - 1e-3 * (to - from),
                middle + 1e-3 * (to - from),
                20_000,
            );
            for x in spread(from, to, 100_000).chain(near) {
                let apart = ulps_apart(ours(x), theirs(x));
                assert!(apart <= most, "{name} {x}: {apart} ulp");
            }
            for x in [0.0, -0.0, 5e-324, 1e-310, -1e-310, 1e300, -1e300, 1.0, -1.0] {
                let (ours, theirs) = (ours(x), theirs(x));
                assert!(
                    ours.is_nan() && theirs.is_nan() || ulps_apart(ours, theirs) <= most,
                    "{name} {x}: {ours} {theirs}"
                );
                assert!(ours.is_nan() || ours.is_sign_negative() == theirs.is_sign_negative());
            }
            for x in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
                let (ours, theirs) = (ours(x), theirs(x));
                assert!(
                    ours == theirs || ours.is_nan() && theirs.is_nan(),
                    "{name} {x}"
                );
            }
        }
    }

    #[test]
    fn functions_of_two_are_the_standard_librarys() {
        for x in spread(-30.0, 30.0, 301) {
            for y in spread(-7.0, 9.0, 177) {
                assert!(ulps_apart(atan2(y, x), y.atan2(x)) <= 1, "atan2 {y} {x}");
                assert!(ulps_apart(hypot(x, y), x.hypot(y)) <= 1, "hypot {x} {y}");
                let apart = ulps_apart(pow(x.abs(), y), x.abs().powf(y));
                assert!(apart <= 1, "{x} to the {y}: {apart}");
            }
            for n in -5..=9 {
                let n = f64::from(n);
                assert!(ulps_apart(pow(x, n), x.powf(n)) <= 1, "{x} to the {n}");
            }
        }
        for (x, y) in [
            (0.0, 0.0),
            (0.0, -1.0),
            (-0.0, -3.0),
            (-0.0, 2.0),
            (1.0, f64::NAN),
        ] {
            assert_eq!(pow(x, y), x.powf(y));
        }
        for (x, y) in [(-2.0, 0.5), (f64::NAN, 2.0), (0.0, f64::NAN)] {
            assert!(pow(x, y).is_nan() && x.powf(y).is_nan());
        }
        assert_eq!(pow(f64::INFINITY, -1.0), 0.0);
        assert_eq!(pow(f64::NEG_INFINITY, 3.0), f64::NEG_INFINITY);
        assert_eq!(hypot(1e300, 1e300), 1e300 * 2.0_f64.sqrt());
        assert_eq!(hypot(f64::INFINITY, f64::NAN), f64::INFINITY);
        assert_eq!(atan2(-0.0, -1.0), -std::f64::consts::PI);
    }

    #[test]
    fn whole_powers_are_products() {
        for x in [-1.5, 0.0, 0.3, 2.0, f64::INFINITY] {
            let mut product = 1.0;
            for n in 0..6 {
                let found = power(x, n);
                assert!(
                    found == product || ulps_apart(found, product) <= 3,
                    "{x} {n}"
                );
                product *= x;
            }
        }
        assert_eq!(power(2.0, 1023), 2.0_f64.powi(1023));
    }

    #[test]
    fn the_error_function_is_that_of_statrs_and_mpmath() {
        for (x, known) in [
            (-1.42, 1.955376178640896),
            (0.3, 0.6713732405408726),
            (2.5, 0.0004069520174449589),
            (20.0, 5.395865611607901e-176),
        ] {
            assert!(ulps_apart(erfc(x), known) <= 1, "{x}");
        }
        for x in spread(-5.0, 5.0, 1001) {
            let known = statrs::function::erf::erfc(x);
            assert!((erfc(x) - known).abs() <= 1e-9 * known, "{x}");
        }
    }
}
