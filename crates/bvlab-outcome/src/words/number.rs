//! Numbers as words have them.

use bvlab_core::words::thousands;
use bvlab_experiment::words::NumberStyle;

/// How many digits a number without an error has.
const EXACT_DIGITS: i32 = 3;

/// Beyond so many decimals, or so many digits before them, a power of ten is written.
const MOST_DECIMALS: i32 = 6;
const MOST_DIGITS: i32 = 9;

/// A number rounded as its standard error allows: its last digit is that of the first digit of the
/// error. One without an error has three digits, and a whole one all of its own.
///
/// ```
/// use bvlab_experiment::words::NumberStyle;
/// use bvlab_outcome::written;
///
/// assert_eq!(written(0.14927, 0.0031, NumberStyle::Plain), "0.149");
/// assert_eq!(written(0.14927, 0.0031, NumberStyle::Digits(2)), "0.15");
/// assert_eq!(written(0.14927, 0.0031, NumberStyle::Percent), "14.9\u{a0}%");
/// assert_eq!(written(3.0817, 0.12, NumberStyle::Times), "3.1 times");
/// assert_eq!(written(5.0, 0.0, NumberStyle::Plain), "5");
/// ```
pub fn written(value: f64, se: f64, style: NumberStyle) -> String {
    match style {
        NumberStyle::Plain => digits(value, decimals(value, se)),
        NumberStyle::Digits(most) => {
            let most = most as i32 - 1 - exponent(value);
            digits(value, decimals(value, se).min(most))
        }
        NumberStyle::Times => format!("{} times", digits(value, decimals(value, se))),
        NumberStyle::Percent => {
            let [value, se] = [100.0 * value, 100.0 * se];
            // Without an error there are no decimals.
            let decimals = match se > 0.0 {
                true => decimals(value, se),
                false => 0,
            };
            format!("{}\u{a0}%", digits(value, decimals))
        }
    }
}

/// The power of ten of the first digit; 0 for zero.
fn exponent(value: f64) -> i32 {
    let text = format!("{:e}", value.abs());
    let power = text
        .split_once('e')
        .and_then(|(_, power)| power.parse().ok());
    power.unwrap_or(0)
}

/// How many decimals a number has; negative where even the last digits before them say nothing.
fn decimals(value: f64, se: f64) -> i32 {
    match se > 0.0 && se.is_finite() {
        true => -exponent(se),
        false if value.fract() == 0.0 => 0,
        false => EXACT_DIGITS - 1 - exponent(value),
    }
}

/// A number with so many decimals.
fn digits(value: f64, decimals: i32) -> String {
    if value.is_infinite() {
        return "infinite".to_owned();
    }
    let text = match decimals {
        0.. => {
            // A number has some 16 digits, whatever its error.
            let most = (15 - exponent(value)).clamp(0, 300);
            format!("{value:.*}", decimals.min(most) as usize)
        }
        _ => {
            // Rounded in decimals, as it is written.
            let kept = (exponent(value) + decimals).max(0) as usize;
            let rounded = match exponent(value) + decimals < 0 {
                // It is less than the digit that is shown.
                true => whole_steps(value, -decimals),
                false => format!("{value:.kept$e}").parse().unwrap_or(value),
            };
            format!("{rounded:.0}")
        }
    };
    let (sign, size) = match text.strip_prefix('-') {
        Some(size) if size.contains(|c: char| ('1'..='9').contains(&c)) => ("−", size),
        Some(size) => ("", size),
        None => ("", text.as_str()),
    };
    let (whole, fraction) = size.split_once('.').unwrap_or((size, ""));
    if decimals > MOST_DECIMALS && whole == "0" || whole.len() as i32 > MOST_DIGITS {
        return scientific(value, decimals);
    }
    let whole = whole.parse().map_or(whole.to_owned(), thousands);
    match fraction {
        "" => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    }
}

/// A number rounded to a whole multiple of a power of ten.
fn whole_steps(value: f64, power: i32) -> f64 {
    let step: f64 = format!("1e{power}").parse().unwrap_or(1.0);
    (value / step).round() * step
}

/// A number as 1.23·10⁻⁷.
fn scientific(value: f64, decimals: i32) -> String {
    let kept = (exponent(value) + decimals).clamp(0, 15) as usize;
    let text = format!("{value:.kept$e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let raised = power.chars().map(|c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => digit
            .to_digit(10)
            .and_then(|digit| char::from_u32(0x2070 + digit))
            .unwrap_or(digit),
    });
    let raised: String = raised.collect();
    format!("{}·10{raised}", mantissa.replace('-', "−"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use NumberStyle::{Digits, Percent, Plain, Times};

    #[test]
    fn numbers_are_rounded_as_their_errors_allow() {
        for (value, se, style, text) in [
            (0.148_96, 0.001_2, Plain, "0.149"),
            (0.148_96, 0.096, Plain, "0.15"),
            (0.148_96, 0.3, Plain, "0.1"),
            (0.148_96, 4.0, Plain, "0"),
            (-0.0003, 0.002, Plain, "0.000"),
            (-0.0123, 0.002, Plain, "−0.012"),
            (1234.6, 20.0, Plain, "1230"),
            (123_456.0, 200.0, Plain, "123\u{a0}500"),
            (96.0, 200.0, Plain, "100"),
            (160.0, 200.0, Plain, "200"),
            (0.999_96, 0.001, Plain, "1.000"),
            (1000.0, 0.0, Plain, "1000"),
            (0.5, 0.0, Plain, "0.500"),
            (2.0 / 3.0, 0.0, Plain, "0.667"),
            (12345.678, 0.0, Plain, "12\u{a0}300"),
            (0.0, 0.0, Plain, "0"),
            (3.0, f64::NAN, Plain, "3"),
            (0.148_96, 0.001_2, Digits(1), "0.1"),
            (0.148_96, 0.001_2, Digits(2), "0.15"),
            (0.148_96, 0.001_2, Digits(9), "0.149"),
            (1234.6, 0.1, Digits(2), "1200"),
            (0.4321, 0.0, Percent, "43\u{a0}%"),
            (0.4321, 0.03, Percent, "43\u{a0}%"),
            (0.4321, 0.003, Percent, "43.2\u{a0}%"),
            (0.4321, 0.2, Percent, "40\u{a0}%"),
            (3.152, 0.02, Times, "3.15 times"),
            (1.234e-8, 2e-10, Plain, "1.23·10⁻⁸"),
            (1.234e12, 2e10, Plain, "1.23·10¹²"),
            (f64::INFINITY, f64::NAN, Plain, "infinite"),
        ] {
            assert_eq!(written(value, se, style), text, "{value} ± {se} {style:?}");
        }
    }

    #[test]
    fn no_number_is_too_large_or_too_small_to_be_written() {
        let sizes = [
            0.0,
            1e-320,
            1e-300,
            1e-9,
            1.0,
            1e9,
            1e300,
            f64::MAX,
            f64::NAN,
        ];
        for value in sizes {
            for se in sizes {
                for style in [Plain, Digits(1), Digits(12), Percent, Times] {
                    for value in [value, -value] {
                        let text = written(value, se, style);
                        assert!(text.len() < 60, "{value} {se} {style:?}: {text}");
                    }
                }
            }
        }
    }
}
