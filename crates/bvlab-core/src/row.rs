//! A row of the table that a simulation makes.

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The name of its panel.
    pub panel: String,
    /// The curve within the panel.
    pub series: String,
    /// The place on the horizontal axis.
    pub x: f64,
    /// What was seen.
    pub value: f64,
    /// Its standard error.
    pub se: f64,
    /// What theory says; NaN where it says nothing.
    pub theory: f64,
    /// The standard error of value − theory, for comparing the two; what rounding may do where they
    /// are the same in every resample.
    pub chance: f64,
}
