//! Numbers with their errors, and rows of cells.

use std::fmt::Write;

use bvlab_core::decompose::Estimate;
use bvlab_core::maths::log10;

/// Rows with their columns below each other.
pub fn table<const N: usize>(text: &mut String, rows: &[[String; N]]) -> std::fmt::Result {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..N).map(|column| width(column).unwrap_or(0)).collect();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"));
        writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    writeln!(text, "± is half of a 95 % interval; + and − are its ends\n")
}

/// `0.1234 ± 0.0056`, with as many digits as the error has to say.
pub fn plus_minus(estimate: Estimate, factor: f64) -> String {
    let reach = factor * estimate.se;
    match reach.is_nan() {
        true => alone(estimate.value),
        false => within(estimate.value, [reach; 2]),
    }
}

/// The same with the ends of its interval: `0.1234 +0.0060 −0.0051` where they are not as far away.
pub fn with_interval(estimate: Estimate) -> String {
    let value = estimate.value;
    match estimate.interval {
        Some([low, high]) if value >= low && value <= high => {
            within(value, [value - low, high - value])
        }
        // An estimate may lie outside of what is possible.
        Some([low, high]) => {
            let digits = |value: f64| match is_extreme(high.abs().max(value.abs())) {
                true => format!("{value:.3e}").replace('-', "−"),
                false => rounded(value, decimals(high - low, high).max(1)),
            };
            format!("{} ({} to {})", digits(value), digits(low), digits(high))
        }
        None => alone(value),
    }
}

/// A value that reaches so far down and up.
fn within(value: f64, reaches: [f64; 2]) -> String {
    // An error of rounding alone has no digits to show.
    let [down, up] = reaches.map(|reach| match reach < 1e-12 * value.abs() {
        true => 0.0,
        false => reach,
    });
    let reach = down.max(up);
    let size = value.abs().max(reach);
    let show = |number: f64| match is_extreme(size) {
        true => format!("{number:.3e}").replace('-', "−"),
        false => rounded(number, decimals(reach, value)),
    };
    match show(down) == show(up) || (down - up).abs() < 0.15 * reach {
        true => format!("{} ± {}", show(value), show((down + up) / 2.0)),
        false => format!("{} +{} −{}", show(value), show(up), show(down)),
    }
}

/// A number without an error.
pub fn alone(value: f64) -> String {
    match is_extreme(value.abs()) {
        true => format!("{value:.3e}").replace('-', "−"),
        false => rounded(value, decimals(0.0, value)),
    }
}

/// Whether a number of that size is written with a power of ten.
fn is_extreme(size: f64) -> bool {
    size >= 1e6 || (size > 0.0 && size < 1e-6)
}

/// Decimals that show two digits of the error.
fn decimals(reach: f64, value: f64) -> usize {
    let scale = match reach > 0.0 && reach.is_finite() {
        true => reach / 10.0,
        false => value.abs() / 1000.0,
    };
    match scale > 0.0 {
        true => (-log10(scale).floor()).clamp(0.0, 12.0) as usize,
        false => 1,
    }
}

fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        // Rounded to zero, a negative number keeps no sign.
        Some(digits) if digits.chars().all(|c| c == '0' || c == '.') => digits.to_owned(),
        _ => text.replace('-', "−"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_digits_as_their_error_has_to_say() {
        let text = |value: f64, se: f64| plus_minus(Estimate::new(value, se), 2.0);
        assert_eq!(text(0.123_456, 0.000_61), "0.1235 ± 0.0012");
        assert_eq!(text(-0.000_04, 0.001), "0.0000 ± 0.0020");
        assert_eq!(text(12.3, 4.0), "12.3 ± 8.0");
        assert_eq!(text(-2.5e9, 1e8), "−2.500e9 ± 2.000e8");
        assert_eq!(text(3e-27, 1e-28), "3.000e−27 ± 2.000e−28");
        assert_eq!(text(0.0, 0.0), "0.0 ± 0.0");
    }
}
