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
