//! What is swept, and what a curve over it is called.

use serde::{Deserialize, Serialize};

use crate::words::short;

/// How values are spread, or an axis is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal factors.
    Log,
}

/// A swept number.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct SweepAxis {
    /// Its name, such as `depth`.
    pub name: String,
    /// Its symbol in figures, such as `λ`; empty where its name serves.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub symbol: String,
    /// What it is, in a few words.
    pub about: String,
    /// Its values.
    pub values: Vec<f64>,
    /// How they are spread.
    pub scale: Scale,
}

impl SweepAxis {
    /// An axis for a learner of one's own.
    pub fn new(name: &str, values: &[f64]) -> Self {
        SweepAxis {
            name: name.to_owned(),
            symbol: String::new(),
            about: String::new(),
            values: values.to_vec(),
            scale: Scale::Linear,
        }
    }
}

/// A learner's name and what is swept: what its numbers are about, without the learner.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Curve {
    /// What it is called in tables and figures.
    pub name: String,
    /// Its colour where several share a panel.
    pub colour: Option<(u8, u8, u8)>,
    /// What is swept: nothing, one number or two.
    pub axes: Vec<SweepAxis>,
}

impl Curve {
    /// How many settings there are: every value of the first axis, for every value of the second.
    pub fn settings(&self) -> usize {
        self.axes.iter().map(|axis| axis.values.len()).product()
    }

    /// How many settings one value of the second axis has.
    pub fn row(&self) -> usize {
        self.axes.first().map_or(1, |axis| axis.values.len()).max(1)
    }

    /// The value of a setting on the first axis, which runs fastest; NaN where nothing is swept.
    pub fn value(&self, setting: usize) -> f64 {
        let axis = self.axes.first();
        axis.map_or(f64::NAN, |axis| axis.values[setting % axis.values.len()])
    }

    /// The value of a setting on the second axis; NaN where there is none.
    pub fn second(&self, setting: usize) -> f64 {
        match self.axes.as_slice() {
            [first, second] => second.values[setting / first.values.len()],
            _ => f64::NAN,
        }
    }

    /// A setting in words, as `depth = 5`; empty where nothing is swept.
    pub fn describe(&self, setting: usize) -> String {
        let values = [self.value(setting), self.second(setting)];
        let parts = self.axes.iter().zip(values);
        let parts = parts.map(|(axis, value)| format!("{} = {}", axis.name, short(value)));
        parts.collect::<Vec<_>>().join(", ")
    }
}
