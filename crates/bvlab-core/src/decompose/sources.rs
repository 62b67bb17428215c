//! Where variance comes from: inputs, label noise, the algorithm's own draws.
//!
//! Every resample is a cube of 2 × 2 × 2 fits: two draws of the inputs, two of the noise, two of
//! the algorithm's randomness, in all combinations. At a test point, with d the distance of a
//! prediction from the truth, the cube's eight values have a mean t_∅ and seven contrasts
//! t_T = ⅛ Σ_cells ± d, the sign being the parity of the cell's second draws among the sources T.
//! With q_T the mean of t_T² over cubes and v_∅ the unbiased variance of t_∅,
//!
//! - C_S = v_∅ + Σ_{T ≠ ∅} (-1)^|T \ S| q_T is the covariance of two fits that share exactly the
//!   sources S, estimated without bias,
//! - V_S = Σ_{∅ ≠ S' ⊆ S} (-1)^|S \ S'| C_S' is what S adds beyond its subsets,
//! - Σ_S V_S = v_∅ + Σ_T q_T is the variance, exactly.
//!
//! A tree in several dimensions has randomness of its own, too: it chooses at random between
//! features that part a node equally well. So do ensembles of trees, and boosting.

use super::Estimate;

/// A draw that can be crossed with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum VarianceSource {
    /// The inputs of a training set.
    Inputs = 1,
    /// The noise in its labels.
    Noise = 2,
    /// The algorithm's own draws, such as features, bootstraps, or the choice between equal splits
    /// of a tree.
    Algorithm = 4,
}

/// The number of crossed fits per resample.
pub const CELLS: usize = 8;

/// The parts of the variance and what they are called in tables, single sources first. A part is a
/// set of sources, one bit each.
pub const SOURCES: [(usize, &str); 7] = [
    (1, "inputs"),
    (2, "noise"),
    (4, "algorithm"),
    (3, "inputs_noise"),
    (5, "inputs_algorithm"),
    (6, "noise_algorithm"),
    (7, "inputs_noise_algorithm"),
];

/// The variance of one setting by source, averaged over x.
#[derive(Clone, Debug, PartialEq)]
pub struct Sources {
    /// The parts, in the order of [`SOURCES`]; they sum to the variance.
    pub parts: [Estimate; 7],
    /// For a mean of M members: the correlation ρ of two of them over training sets. With
    /// ρ t² what the data make of the variance and (1-ρ) t²/M what the algorithm does.
    pub correlation: Option<Estimate>,
}

impl Sources {
    /// The variance due to the data alone: ρ t² of an ensemble.
    pub fn data(&self) -> f64 {
        data_and_algorithm(&self.parts.map(|part| part.value)).0
    }

    /// The variance due to the algorithm, alone or together with the data: (1-ρ) t²/M of an ensemble.
    pub fn algorithm(&self) -> f64 {
        data_and_algorithm(&self.parts.map(|part| part.value)).1
    }
}

/// The sums of the parts without the algorithm, and of those with it.
fn data_and_algorithm(parts: &[f64; 7]) -> (f64, f64) {
    let (mut data, mut algorithm) = (0.0, 0.0);
    for ((set, _), part) in SOURCES.iter().zip(parts) {
        match set & VarianceSource::Algorithm as usize {
            0 => data += part,
            _ => algorithm += part,
        }
    }
    (data, algorithm)
}

/// The correlation of M members from the parts' values.
pub(super) fn correlation(parts: &[f64; 7], members: usize) -> f64 {
    let (data, algorithm) = data_and_algorithm(parts);
    data / (data + members as f64 * algorithm)
}

/// The mean t_∅ of the eight crossed fits, and their seven contrasts at 1 to 7.
#[inline]
pub(super) fn contrasts(mut cells: [f64; CELLS]) -> [f64; CELLS] {
    for source in [1, 2, 4] {
        for cell in (0..CELLS).filter(|cell| cell & source == 0) {
            let (first, second) = (cells[cell], cells[cell | source]);
            cells[cell] = 0.5 * (first + second);
            cells[cell | source] = 0.5 * (first - second);
        }
    }
    cells
}

/// The parts V_S, in the order of [`SOURCES`], from v_∅ and the means q_1 to q_7 of the squared
/// contrasts. A source that changes nothing has no contrast at all, and no part.
pub(super) fn parts(between: f64, squares: &[f64; 7], active: usize) -> [f64; 7] {
    let sign = |set: usize| match set.count_ones() % 2 {
        0 => 1.0,
        _ => -1.0,
    };
    let covariance = |shared: usize| {
        let terms = (1..CELLS).map(|set| sign(set & !shared) * squares[set - 1]);
        between + terms.sum::<f64>()
    };
    SOURCES.map(|(set, _)| match set & !active {
        0 => (1..CELLS)
            .filter(|inner| inner & !set == 0)
            .map(|inner| sign(set & !inner) * covariance(inner))
            .sum(),
        _ => 0.0,
    })
}

/// The sources that some contrast is not zero for, one bit each.
pub(super) fn active(squares: &[f64; 7]) -> usize {
    (1..CELLS)
        .filter(|set| squares[set - 1] > 0.0)
        .fold(0, |active, set| active | set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrasts_are_signed_means() {
        let cells = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        let found = contrasts(cells);
        for (set, found) in found.into_iter().enumerate() {
            let signed =
                cells
                    .iter()
                    .enumerate()
                    .map(|(cell, value)| match (cell & set).count_ones() % 2 {
                        0 => *value,
                        _ => -value,
                    });
            assert!((found - signed.sum::<f64>() / 8.0).abs() < 1e-15);
        }
    }

    #[test]
    fn the_parts_sum_to_the_variance_and_idle_sources_have_none() {
        let squares = [0.3, 0.2, 0.1, 0.0, 0.0, 0.0, 0.0];
        let active = active(&squares);
        assert_eq!(active, 3);
        let parts = parts(0.7, &squares, active);
        assert!((parts.iter().sum::<f64>() - 1.3).abs() < 1e-12);
        assert!(
            SOURCES
                .iter()
                .zip(&parts)
                .all(|((set, _), part)| set & 4 == 0 || *part == 0.0)
        );
    }
}
