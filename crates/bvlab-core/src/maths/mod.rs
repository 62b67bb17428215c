//! Elementary functions and random draws with the same bits on every platform.
//!
//! Whatever ends in a table is computed with the functions of this module. The standard library's
//! `f64::sin`, `f64::exp` and so on call the C library of the platform, whose last digit differs
//! between glibc, macOS, Windows and WebAssembly, and between processors with and without fused
//! multiply-add. `clippy.toml` disallows them; only code that draws or prints may call them.
//!
//! | functions | implementation | error |
//! |---|---|---|
//! | `+ - * /`, `sqrt`, `abs`, `floor`, `ceil`, `round`, `mul_add` | the processor, correctly rounded by IEEE 754 | ½ ulp |
//! | [`sin`], [`cos`], [`exp`], and of whole slices [`sin_all`], [`cos_all`], [`exp_all`] | here, in branch-free arithmetic; a slice has the bits of its numbers one by one | below 1 ulp |
//! | [`tan`], [`asin`], [`acos`], [`atan`], [`atan2`], [`sinh`], [`cosh`], [`tanh`], [`exp_m1`], [`ln`], [`ln_1p`], [`log2`], [`log10`], [`pow`], [`hypot`], [`erfc`] | the crate `libm`, plain Rust | about 1 ulp |
//! | [`power`], [`square`] | products in a fixed order | ½ ulp per product |
//! | [`weight_exp`] | [`exp`] for x ≤ 0, and 0 below -700 | below 1 ulp |
//! | the cosine of Fourier features and the hyperbolic tangent of networks | here, where speed counts | 5·10⁻¹⁶, absolute |
//! | [`normal`], [`laplace`], [`student_t`] | here, from the words of a [`Stream`](crate::stream::Stream) | |
//! | [`normal_quantile`], [`student_quantile`], [`binomial`] | here | about 10⁻¹⁴ |
//!
//! The version of `libm` is pinned in `Cargo.toml`, and tests hold the bits of every function and of
//! the first draws of every law. `libm` itself chooses between instructions and software only where
//! the result is exact (square root, rounding, fused multiply-add).
//!
//! # Whole numbers
//!
//! What `rand` 0.10 draws does not depend on the width of a pointer:
//!
//! - `random_range` over `usize` draws a `u32` whenever the upper end is below 2³², on 64 bits too
//!   (`UniformUsize` in `distr/uniform_int.rs`); larger ends do not exist on 32 bits.
//! - `shuffle` draws `u32` indices for slices shorter than 2³² (`seq/increasing_uniform.rs`).
//! - `random::<f64>()` is the upper 53 bits of a `u64`; `random_range` over `f64` is plain arithmetic.
//! - The feature `unbiased` of `rand`, which nothing here asks for, would change what `random_range`
//!   consumes; a test with recorded draws would notice.
//! - `ChaCha8Rng` fills a buffer of four blocks on every platform, whatever instructions it uses.
//!
//! # What may differ
//!
//! The factorisations and products of `faer` use fused multiply-add where the processor has it, and
//! sum in an order that depends on the width of its vectors. The sign and payload of a NaN, which no
//! table shows, are left to the processor, and so is which zero `f64::min` and `f64::max` choose
//! between 0 and -0.

mod binomial;
mod exponential;
mod fast;
mod functions;
mod normal;
mod quantile;
mod waves;

#[cfg(test)]
mod recorded;

pub use binomial::binomial;
pub use exponential::{exp, exp_all, weight_exp};
pub use functions::{
    acos, asin, atan, atan2, cosh, erfc, exp_m1, hypot, ln, ln_1p, log2, log10, pow, power, sinh,
    square, tan, tanh,
};
pub use normal::{fill_laplace, fill_normal, fill_student_t, laplace, normal, student_t};
pub use quantile::{normal_quantile, student_quantile};
pub use waves::{cos, cos_all, sin, sin_all};

pub(crate) use fast::{fast_cosines, fast_tanh};

/// Added to a number below 2⁵¹, it leaves the nearest whole number in the lowest bits.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// 2^q for a number q + [`WHOLE`] with q from -1022 to 1023.
#[inline(always)]
fn power_of_two(shifted: f64) -> f64 {
    // q stands in the lowest bits: moved to where a number's exponent is, it is 2^q.
    f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()))
}

/// The terms of a power series from the highest, for Horner's rule: (-1)^(i·alternating)/(from + i·step)!
/// for i = N-1, …, 0.
const fn series<const N: usize>(from: u32, step: u32, alternating: bool) -> [f64; N] {
    let mut terms = [0.0; N];
    let mut i = 0;
    while i < N {
        let (mut factorial, mut k) = (1.0, 1);
        // Exact up to 22!; beyond, a rounding of the smallest terms does not matter.
        while k <= from + i as u32 * step {
            factorial *= k as f64;
            k += 1;
        }
        let sign = if alternating && i % 2 == 1 { -1.0 } else { 1.0 };
        terms[N - 1 - i] = sign / factorial;
        i += 1;
    }
    terms
}

/// A polynomial, from its highest coefficient.
#[inline(always)]
fn horner<const N: usize>(terms: &[f64; N], x: f64) -> f64 {
    let mut sum = terms[0];
    for term in &terms[1..] {
        sum = sum * x + term;
    }
    sum
}
