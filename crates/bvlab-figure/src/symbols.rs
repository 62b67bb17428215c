//! Symbols in place of the names of parameters.

use bvlab_core::task::Description;

/// The same description with every axis called by its symbol, if it has one: `λ = 0.1` is easier to
/// read in a figure than `lambda = 0.1`.
pub fn symbolic(description: &Description) -> Description {
    let mut description = description.clone();
    if let Description::Study(study) = &mut description {
        let axes = study.curves.iter_mut().flat_map(|curve| &mut curve.axes);
        for axis in axes.filter(|axis| !axis.symbol.is_empty()) {
            axis.name.clone_from(&axis.symbol);
        }
    }
    description
}

/// The name of the i-th coordinate of an input, from 1: `x₁`.
pub fn coordinate(i: usize) -> String {
    let below = |digit: char| char::from_u32(0x2080 + digit.to_digit(10)?);
    format!(
        "x{}",
        i.to_string().chars().filter_map(below).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_small_numbers() {
        assert_eq!(coordinate(1), "x₁");
        assert_eq!(coordinate(20), "x₂₀");
    }
}
