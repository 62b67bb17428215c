//! Axes: from values to places, and where the numbers stand.

use bvlab_core::plan::Scale;

/// An axis: a range of values laid out between two places.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Linear or logarithmic.
    pub scale: Scale,
    /// The first value shown.
    pub from: f64,
    /// The last value shown.
    pub to: f64,
    start: f64,
    end: f64,
}

impl Axis {
    /// An axis from `from` at place `start` to `to` at place `end`.
    pub fn new(scale: Scale, (from, to): (f64, f64), (start, end): (f64, f64)) -> Self {
        Axis {
            scale,
            from,
            to,
            start,
            end,
        }
    }

    /// The place of a value.
    pub fn place(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            // What has no logarithm lies far below the axis.
            Scale::Log => {
                (value.max(f64::MIN_POSITIVE) / self.from).ln() / (self.to / self.from).ln()
            }
        };
        self.start + (self.end - self.start) * share
    }

    /// The places between which the axis runs.
    pub fn ends(&self) -> (f64, f64) {
        (self.start, self.end)
    }

    /// Round values to put numbers at: at most about `wanted` of them.
    pub fn ticks(&self, wanted: usize, whole: bool) -> Vec<f64> {
        match self.scale {
            Scale::Linear => linear_ticks(self.from, self.to, wanted, whole),
            Scale::Log => log_ticks(self.from, self.to, wanted, whole),
        }
    }
}

/// Values whose range is a smaller share of their size differ by rounding alone.
const ROUNDING: f64 = 1e-12;

/// The range that shows all values, with a little room.
pub fn room(values: impl Iterator<Item = f64>, scale: Scale, share: f64) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|value| value.is_finite()) {
        (low, high) = (low.min(value), high.max(value));
    }
    if low > high {
        return (0.0, 1.0);
    }
    match scale {
        Scale::Linear if high - low <= ROUNDING * low.abs().max(high.abs()) => {
            let margin = if low == 0.0 { 1.0 } else { low.abs() / 2.0 };
            (low - margin, high + margin)
        }
        Scale::Linear => {
            let margin = (high - low) * share;
            (low - margin, high + margin)
        }
        Scale::Log => {
            let factor = (high / low)
                .powf(share)
                .max(if low == high { 2.0 } else { 1.0 });
            (low / factor, high * factor)
        }
    }
}

fn linear_ticks(from: f64, to: f64, wanted: usize, whole: bool) -> Vec<f64> {
    let rough = (to - from) / wanted.max(1) as f64;
    if !(rough > 0.0 && rough.is_finite()) {
        return vec![from];
    }
    let decade = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * decade);
    let mut step = steps
        .into_iter()
        .find(|step| *step >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0 * decade);
    if whole {
        step = step.max(1.0);
        if step.fract() != 0.0 {
            step = 5.0 * decade;
        }
    }
    let first = (from / step - 1e-9).ceil();
    let last = (to / step + 1e-9).floor();
    // Between numbers that differ by little more than rounding there is no room for ticks.
    match last - first <= 100.0 {
        true => (0..=(last - first) as i64)
            .map(|i| (first + i as f64) * step)
            .collect(),
        false => vec![from],
    }
}

/// A log axis that spans a smaller factor has the numbers of a linear one.
const SHORT: f64 = 3.0;

fn log_ticks(from: f64, to: f64, wanted: usize, whole: bool) -> Vec<f64> {
    if !(from > 0.0 && from < to && to.is_finite()) {
        return Vec::new();
    }
    if to / from < SHORT {
        return linear_ticks(from, to, wanted, whole);
    }
    let [first, last] = [from.log10().floor() as i32 - 1, to.log10().ceil() as i32];
    let within = |value: f64| value >= from * (1.0 - 1e-9) && value <= to * (1.0 + 1e-9);
    for factors in [
        &[1.0, 2.0, 3.0, 5.0, 7.0][..],
        &[1.0, 2.0, 5.0],
        &[1.0, 3.0],
        &[1.0],
    ] {
        let ticks: Vec<f64> = (first..=last)
            .flat_map(|decade| {
                factors
                    .iter()
                    .map(move |factor| factor * 10_f64.powi(decade))
            })
            .filter(|value| within(*value))
            .collect();
        if ticks.len() <= wanted.max(2) {
            return ticks;
        }
    }
    let decades: Vec<i32> = (first..=last).filter(|d| within(10_f64.powi(*d))).collect();
    let stride = decades.len().div_ceil(wanted.max(2));
    decades
        .iter()
        .step_by(stride.max(1))
        .map(|d| 10_f64.powi(*d))
        .collect()
}

/// A number on an axis, with as many decimals as its neighbours need; powers of ten where they
/// are shorter.
pub fn tick_label(value: f64, ticks: &[f64], scale: Scale) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    // Where one number is a power of ten, its neighbour is one too.
    let largest = ticks.iter().copied().fold(0.0, f64::max);
    let top = if largest >= 1e5 { 1e4 } else { 1e5 };
    if scale == Scale::Log && !(1e-3..top).contains(&size) || !(1e-5..1e7).contains(&size) {
        return power(value);
    }
    // A short log axis has evenly spaced numbers, as a linear one.
    let even = |three: &[f64]| (three[2] - 2.0 * three[1] + three[0]).abs() < 1e-9 * largest;
    let scale = match ticks.len() > 2 && ticks.windows(3).all(even) {
        true => Scale::Linear,
        false => scale,
    };
    let decimals = match scale {
        // Two numbers of a short axis need not be round ones.
        Scale::Log => (0..8)
            .find(|decimals| is_round(size * 10_f64.powi(*decimals)))
            .unwrap_or(3) as usize,
        Scale::Linear => {
            let step = ticks
                .windows(2)
                .map(|pair| (pair[1] - pair[0]).abs())
                .fold(f64::INFINITY, f64::min);
            match step.is_finite() {
                true => (0..8)
                    .find(|d| {
                        let scaled = step * 10_f64.powi(*d);
                        (scaled - scaled.round()).abs() < 1e-6 * scaled.abs().max(1e-12)
                    })
                    .unwrap_or(3) as usize,
                false if value.fract() == 0.0 => 0,
                false => 2,
            }
        }
    };
    format!("{value:.decimals$}").replace('-', "−")
}

/// Whether a number is whole but for rounding.
fn is_round(value: f64) -> bool {
    (value - value.round()).abs() < 1e-6 * value.abs()
}

fn power(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    let text = format!("{rounded:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let raised: String = exponent.chars().filter_map(superscript).collect();
    let mantissa = mantissa.replace('-', "−");
    match mantissa.as_str() {
        "1" => format!("10{raised}"),
        _ => format!("{mantissa}·10{raised}"),
    }
}

fn superscript(digit: char) -> Option<char> {
    let index = "-0123456789".find(digit)?;
    "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, from: f64, to: f64, wanted: usize, whole: bool) -> Vec<String> {
        let ticks = Axis::new(scale, (from, to), (0.0, 1.0)).ticks(wanted, whole);
        ticks
            .iter()
            .map(|tick| tick_label(*tick, &ticks, scale))
            .collect()
    }

    #[test]
    fn rounding_errors_are_not_spread_over_the_whole_axis() {
        let half = [0.5, 0.5_f64.next_up(), 0.5_f64.next_down()];
        let (low, high) = room(half.into_iter(), Scale::Linear, 0.06);
        assert!(low < 0.3 && high > 0.7, "{low} to {high}");
        let (low, high) = room([0.5, 0.5 + 1e-9].into_iter(), Scale::Linear, 0.06);
        assert!(high - low < 2e-9, "{low} to {high}");
    }

    #[test]
    fn linear_numbers_are_round() {
        assert_eq!(
            labels(Scale::Linear, 0.0, 1.03, 5, false),
            ["0", "0.25", "0.50", "0.75", "1.00"]
        );
        assert_eq!(
            labels(Scale::Linear, 1.0, 16.0, 8, true),
            ["2", "4", "6", "8", "10", "12", "14", "16"]
        );
        assert_eq!(labels(Scale::Linear, -1.5, 1.5, 4, false), ["−1", "0", "1"]);
        assert_eq!(labels(Scale::Linear, 0.8, 3.2, 12, true), ["1", "2", "3"]);
    }

    #[test]
    fn logarithmic_numbers_keep_to_the_decades() {
        assert_eq!(
            labels(Scale::Log, 1.0, 100.0, 8, false),
            ["1", "2", "5", "10", "20", "50", "100"]
        );
        assert_eq!(
            labels(Scale::Log, 1.1, 1.9, 4, false),
            ["1.2", "1.4", "1.6", "1.8"]
        );
        assert_eq!(power(3.0 * 10_f64.powi(-4)), "3·10⁻⁴");
        assert_eq!(
            labels(Scale::Log, 1e-6, 1e2, 5, false),
            ["10⁻⁶", "10⁻⁴", "0.01", "1", "100"]
        );
    }
}
