//! Numbers as JSON carries them.
//!
//! Arrays of numbers travel as base64 of their bytes, `{"f8": …}` for 64 bits and `{"f4": …}` for
//! 32: JSON knows neither infinities nor NaN, and drawing needs no more than 32 bits. Single numbers
//! that are not finite are strings.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Numbers in full.
pub fn f8(values: &[f64]) -> Value {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    json!({ "f8": STANDARD.encode(bytes) })
}

/// Numbers for drawing.
pub fn f4(values: impl Iterator<Item = f64>) -> Value {
    let bytes: Vec<u8> = values.flat_map(|v| (v as f32).to_le_bytes()).collect();
    json!({ "f4": STANDARD.encode(bytes) })
}

/// A single number, which JSON may not know.
pub fn number(value: f64) -> Value {
    match value {
        value if value.is_finite() => json!(value),
        value if value.is_nan() => json!("NaN"),
        value if value > 0.0 => json!("Infinity"),
        _ => json!("-Infinity"),
    }
}

/// How many bits a label takes: 1, 2, 4 or 8.
pub fn bits(classes: usize) -> usize {
    [1, 2, 4]
        .into_iter()
        .find(|bits| classes <= 1 << bits)
        .unwrap_or(8)
}

/// Labels of so many classes, packed into bytes from the lowest bit.
pub fn labels(classes: usize, labels: impl Iterator<Item = usize>) -> Value {
    let bits = bits(classes);
    let mut bytes = Vec::new();
    for (i, label) in labels.enumerate() {
        let place = i * bits % 8;
        if place == 0 {
            bytes.push(0);
        }
        if let Some(last) = bytes.last_mut() {
            *last |= (label as u8) << place;
        }
    }
    json!({ (format!("u{bits}")): STANDARD.encode(bytes) })
}

/// Small whole numbers, in as few bits as hold the largest of them.
pub fn counts(all: &[u32]) -> Value {
    let most = all.iter().copied().max().unwrap_or(0) as usize;
    match most {
        0..256 => labels(most + 1, all.iter().map(|count| *count as usize)),
        _ => f4(all.iter().map(|count| f64::from(*count))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_packed_from_the_lowest_bit() {
        let packed = |classes: usize, all: &[usize]| labels(classes, all.iter().copied());
        let base64 = |bytes: &[u8]| STANDARD.encode(bytes);
        let two = packed(2, &[1, 0, 1, 1, 0, 0, 0, 0, 1]);
        assert_eq!(two, json!({ "u1": base64(&[0b1101, 1]) }));
        assert_eq!(
            packed(3, &[2, 1, 0, 0, 2]),
            json!({ "u2": base64(&[0b0110, 2]) })
        );
        assert_eq!(packed(16, &[15, 3, 1]), json!({ "u4": base64(&[0x3f, 1]) }));
        assert_eq!(packed(17, &[16, 3]), json!({ "u8": base64(&[16, 3]) }));
    }

    #[test]
    fn counts_take_the_bits_of_the_largest() {
        assert_eq!(
            counts(&[3, 0, 1]),
            json!({ "u2": STANDARD.encode([0b0001_0011]) })
        );
        assert!(counts(&[256, 1])["f4"].is_string());
    }
}
