//! A number that a run computes, or that the experiment sets.

/// A number that a text refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// As it is written.
    pub text: String,
    /// Which run it is from: 0 for the experiment's own, 1 for its first variant and so on.
    pub run: usize,
    /// Which number of that run.
    pub what: Referent,
}

/// What a reference stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Referent {
    /// A column of `curves` at one setting of a learner.
    Column {
        /// The column.
        name: String,
        /// The learner's number.
        learner: usize,
        /// The setting.
        at: SettingPlace,
    },
    /// A column of `selection` at one setting of a learner, or of `choices`.
    Selection {
        /// The column.
        name: String,
        /// The learner's number.
        learner: usize,
        /// The method of selection.
        method: String,
        /// Where.
        at: SelectionPlace,
    },
    /// The value of a swept parameter at the best setting of a learner.
    Best {
        /// The learner's number.
        learner: usize,
        /// The number of the parameter's axis.
        axis: usize,
        /// In a two-way sweep: the other axis and the number of its value, where it is held.
        held: Option<HeldAxis>,
    },
    /// A row of the table of a simulation.
    Series {
        /// The panel.
        panel: String,
        /// The curve.
        series: String,
        /// The place on the horizontal axis.
        x: f64,
        /// Whether theory is meant rather than what was simulated.
        theory: bool,
    },
    /// A key of the experiment.
    Setting(f64),
    /// Nothing, because a key that was set on top of the experiment has taken it away; says why.
    Missing(String),
}

/// An axis and the number of the value at which it is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldAxis {
    /// The axis' number.
    pub axis: usize,
    /// The number of the value.
    pub value: usize,
}

/// Which setting of a learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingPlace {
    /// The one with this number.
    Number(usize),
    /// The best, of all or of those at one value of an axis.
    Best(Option<HeldAxis>),
}

/// Which row of a method of selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionPlace {
    /// The setting with this number, in `selection`.
    Setting(usize),
    /// The choice among the values of the first axis, at the value of the second with this number, in
    /// `choices`.
    Choice(usize),
}

impl Reference {
    /// Whether its value is a number of the experiment, and not of a run.
    pub fn is_setting(&self) -> bool {
        matches!(self.what, Referent::Setting(_))
    }
}
