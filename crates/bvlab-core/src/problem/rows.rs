//! A table of real data in place of a known truth.

use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::data::Training;
use crate::stream::Stream;

/// How training sets are made from the training rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resample {
    /// Rows are drawn with replacement, by default as many as there are.
    #[default]
    Bootstrap,
    /// Half of the rows, rounded down, drawn without replacement.
    Halves,
    /// The rows are parted at random among training sets, so that no two share a row. They are then as
    /// independent as rows of the table are, and the variance over them is unbiased (Yang et al.,
    /// *Rethinking bias-variance trade-off for generalization of neural networks*, ICML 2020), while
    /// training sets that share rows are more alike than training sets of new data would be. When the
    /// N rows are used up, they are parted anew: with more than N/n training sets of n rows, two of
    /// them share n²/N rows on average, and the variance is too small by a share of up to about n/N.
    Disjoint,
}

/// A table of real data: rows to draw training sets from, and rows to measure the error on.
///
/// Nobody knows the truth behind real data. The label of a test row takes its place: what is called
/// bias² then holds the noise of the labels, which cannot be told apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// The column to be predicted.
    pub target: String,
    /// The columns it is predicted from.
    pub names: Vec<String>,
    /// The classes' names, by their labels 0, 1, …; none where the target is a number.
    pub classes: Vec<String>,
    /// The rows that training sets are drawn from, in the order of the file.
    pub train: Training,
    /// The rows that the error is measured on.
    pub test: Training,
    /// How training sets are drawn.
    pub resample: Resample,
    /// How many missing inputs were made up.
    pub imputed: usize,
}

impl Rows {
    /// How many rows a training set has, unless told otherwise.
    pub fn size(&self) -> usize {
        match self.resample {
            Resample::Bootstrap | Resample::Disjoint => self.train.len(),
            Resample::Halves => self.train.len() / 2,
        }
    }

    /// The least and the largest of all inputs.
    pub fn range(&self) -> (f64, f64) {
        let all = [&self.train, &self.test].map(|part| part.inputs.values());
        let all = all.iter().copied().flatten().copied();
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| {
            (least.min(x), most.max(x))
        })
    }

    /// What takes the place of the truth at the test rows: their labels; of classes, by row and
    /// class, 1 for the class that came and 0 for the others.
    pub fn truth(&self) -> Vec<f64> {
        match self.classes.len() {
            0 => self.test.labels.clone(),
            classes => {
                let mut truth = vec![0.0; self.test.len() * classes];
                for (truth, label) in truth.chunks_exact_mut(classes).zip(&self.test.labels) {
                    truth[*label as usize] = 1.0;
                }
                truth
            }
        }
    }

    /// Draws a training set of `size` rows; they stand in the order of the table. A smaller
    /// bootstrap is part of a larger one from the same stream. Of disjoint training sets it is the first.
    ///
    /// # Panics
    ///
    /// If more rows are to be drawn without replacement than there are.
    pub fn draw(&self, size: usize, stream: &mut Stream, data: &mut Training) {
        self.draw_part(size, 0, stream, data);
    }

    /// As [`Rows::draw`]; of disjoint training sets it is that with a number, all of them from one
    /// stream.
    ///
    /// # Panics
    ///
    /// As [`Rows::draw`], or if there are not so many disjoint training sets.
    pub fn draw_part(&self, size: usize, part: usize, stream: &mut Stream, data: &mut Training) {
        self.train
            .resample_into(data, |counts| self.count_part(size, part, stream, counts));
    }

    /// How often every training row is in the training set of [`Rows::draw_part`], added to zeros.
    ///
    /// # Panics
    ///
    /// As [`Rows::draw_part`], or if there are not as many counts as training rows.
    pub fn count_part(&self, size: usize, part: usize, stream: &mut Stream, counts: &mut [u32]) {
        let rows = self.train.len();
        match self.resample {
            Resample::Bootstrap => {
                for _ in 0..size {
                    counts[stream.random_range(0..rows)] += 1;
                }
            }
            Resample::Halves => {
                // Floyd's algorithm: the j-th draw is among the first j + 1 rows, and stands for
                // row j where that row was drawn before.
                assert!(size <= rows, "there are only {rows} rows");
                for j in rows - size..rows {
                    let row = stream.random_range(0..=j);
                    counts[if counts[row] == 0 { row } else { j }] = 1;
                }
            }
            Resample::Disjoint => {
                let mut order: Vec<u32> = (0..rows as u32).collect();
                order.shuffle(stream);
                for row in &order[part * size..][..size] {
                    counts[*row as usize] = 1;
                }
            }
        }
    }
}
