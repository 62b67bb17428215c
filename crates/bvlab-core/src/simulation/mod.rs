//! Simulations: small experiments without a learner or without a problem of the usual kind.
//!
//! A simulation is a list of numbers that are observed once in every resample. Their means and
//! variances over resamples, with standard errors, are the rows of its one table, beside what
//! theory says. A new simulation is one new file with a [`Simulation`] in it and one line in
//! [`SIMULATIONS`].
//!
//! ```
//! use bvlab_core::engine::Unwatched;
//! use bvlab_core::simulation::{self, Setup};
//!
//! let vote = Setup {
//!     resamples: 2000,
//!     ..Setup::new(simulation::find("majority-vote").unwrap())
//! };
//! let rows = simulation::run(&vote, &Unwatched)?;
//! let eleven = rows.iter().find(|row| row.panel == "vote" && row.x == 11.0).unwrap();
//! assert!((eleven.theory - 0.078225).abs() < 1e-6);
//! assert!((eleven.value - eleven.theory).abs() < 4.0 * eleven.chance);
//! # Ok::<(), bvlab_core::engine::RunError>(())
//! ```

mod adaboost;
mod ambiguity;
mod bootstrap_estimates;
mod bootstrap_share;
mod correlation;
mod covariance_shapes;
mod curse_of_dimension;
mod cv_wrong_way;
mod disc;
mod effective_complexity;
mod em_rate;
mod em_steps;
mod empirical_or_population;
mod estimators;
mod evidence;
mod excess_risk;
mod exponential_bound;
mod finite_class;
mod gradient_descent;
mod hoeffding;
mod how_many_groups;
mod kmeans_or_mixture;
mod majority_vote;
mod member_dependence;
mod missing_values;
mod mixture_estimates;
mod moments;
mod no_free_lunch;
mod sampling;
mod scatter;
mod shrinkage;
mod simplex;
mod sine;
mod where_they_fail;

pub use crate::row::Row;
pub use correlation::dependent_from;
pub use moments::Moments;
pub use sampling::{Sampling, is_partial_count, run};
pub use scatter::{
    SCATTER_FIELD, SCATTER_POINTS, SCATTER_WRONG, scatter_group, scatter_line, scatter_share,
};

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::decompose::Estimate;
use crate::interrupt::{Interrupt, Interrupted};
use crate::parameter::{self, DataSize, Parameter, ParameterError};
use crate::plan::Scale;

/// A simulation: what an experiment may say of it, and how it is made.
#[derive(Debug)]
pub struct Simulation {
    /// Its name in an experiment, such as `majority-vote`.
    pub name: &'static str,
    /// What it is, in a line.
    pub meaning: &'static str,
    /// What resamples are, in the plural.
    pub resamples: &'static str,
    /// Where the theory comes from, in a few words.
    pub theory: &'static str,
    /// Whether theory holds in every resample to rounding, not only on average.
    pub identity: bool,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Makes it from the values of its parameters.
    pub build: fn(&Setup) -> Box<dyn Simulate>,
}

/// The number of training points, of simulations with learners.
const TRAIN: Parameter = Parameter::whole("train", "number of training points")
    .symbol("n")
    .least(1.0)
    .up_to(10_000.0)
    .default(100.0)
    .usual(10.0, 500.0);

/// Every simulation.
pub const SIMULATIONS: &[&Simulation] = &[
    &estimators::SIMULATION,
    &bootstrap_share::SIMULATION,
    &bootstrap_estimates::SIMULATION,
    &majority_vote::SIMULATION,
    &ambiguity::SIMULATION,
    &exponential_bound::SIMULATION,
    &member_dependence::SIMULATION,
    &shrinkage::SIMULATION,
    &empirical_or_population::SIMULATION,
    &hoeffding::SIMULATION,
    &finite_class::SIMULATION,
    &no_free_lunch::SIMULATION,
    &curse_of_dimension::SIMULATION,
    &cv_wrong_way::SIMULATION,
    &evidence::SIMULATION,
    &missing_values::SIMULATION,
    &excess_risk::SIMULATION,
    &gradient_descent::SIMULATION,
    &effective_complexity::SIMULATION,
    &em_steps::SIMULATION,
    &em_rate::SIMULATION,
    &kmeans_or_mixture::SIMULATION,
    &how_many_groups::SIMULATION,
    &where_they_fail::SIMULATION,
    &covariance_shapes::SIMULATION,
    &mixture_estimates::SIMULATION,
    &simplex::SIMULATION,
];

/// The simulation of that name.
pub fn find(name: &str) -> Option<&'static Simulation> {
    let mut all = SIMULATIONS.iter().copied();
    all.find(|simulation| simulation.name == name)
}

/// A simulation and the values of its parameters, which are read by name.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Which simulation.
    pub simulation: &'static Simulation,
    /// The values of its parameters, in their order; lists in rising order.
    pub values: Vec<Vec<f64>>,
    /// How many resamples there are.
    pub resamples: u64,
    /// All random numbers follow from it.
    pub seed: u64,
}

impl Setup {
    /// A simulation with its default values, of 1000 resamples with seed 1.
    pub fn new(simulation: &'static Simulation) -> Self {
        let parameters = simulation.parameters.iter();
        Setup {
            simulation,
            values: parameters.map(Parameter::defaults).collect(),
            resamples: 1000,
            seed: 1,
        }
    }

    /// The same with other values of a parameter.
    ///
    /// # Errors
    ///
    /// If there is no such parameter, or a value is not allowed.
    pub fn with(mut self, name: &str, values: &[f64]) -> Result<Self, ParameterError> {
        let parameters = self.simulation.parameters;
        let place = parameter::find(parameters, name)?;
        parameters[place].check_all(values, DataSize::UNKNOWN)?;
        self.values[place] = values.to_vec();
        self.values[place].sort_by(f64::total_cmp);
        Ok(self)
    }

    /// The values of a parameter.
    ///
    /// # Panics
    ///
    /// If there is no parameter of that name: a mistake in the code that asks.
    pub fn list(&self, name: &str) -> &[f64] {
        &self.values[parameter::place(self.simulation.parameters, name)]
    }

    /// The value of a parameter that is one number.
    ///
    /// # Panics
    ///
    /// As [`Setup::list`].
    pub fn number(&self, name: &str) -> f64 {
        self.list(name)[0]
    }

    /// The value of a parameter that counts.
    ///
    /// # Panics
    ///
    /// As [`Setup::list`].
    pub fn whole(&self, name: &str) -> usize {
        self.number(name) as usize
    }

    /// The values of a parameter that counts.
    ///
    /// # Panics
    ///
    /// As [`Setup::list`].
    pub fn counts(&self, name: &str) -> Vec<usize> {
        self.list(name)
            .iter()
            .map(|value| *value as usize)
            .collect()
    }

    /// Checks the values, which a file's reader has checked already.
    ///
    /// # Errors
    ///
    /// The first that the simulation does not allow, in words.
    pub fn check(&self) -> Result<(), String> {
        let Simulation {
            name, parameters, ..
        } = self.simulation;
        if self.values.len() != parameters.len() {
            let (given, wanted) = (self.values.len(), parameters.len());
            return Err(format!("`{name}` has {wanted} parameters, not {given}"));
        }
        for (parameter, values) in parameters.iter().zip(&self.values) {
            let checked = parameter.check_all(values, DataSize::UNKNOWN);
            checked.map_err(|error| error.to_string())?;
        }
        match self.resamples {
            0..2 => Err("`resamples` must be at least 2".to_owned()),
            _ => Ok(()),
        }
    }

    /// The panels that it fills.
    pub fn panels(&self) -> Vec<SimulationPanel> {
        (self.simulation.build)(self).panels()
    }

    /// What its numbers are about.
    pub fn describe(&self) -> SimulationDescription {
        let Simulation {
            name,
            resamples,
            theory,
            ..
        } = self.simulation;
        SimulationDescription {
            name: (*name).to_owned(),
            panels: self.panels(),
            drawn: (*resamples).to_owned(),
            theory: (*theory).to_owned(),
            resamples: self.resamples,
            series: self.series(),
        }
    }

    /// The curves of its table: those that it would have before the first resample.
    fn series(&self) -> Vec<SeriesDescription> {
        let simulation = (self.simulation.build)(self);
        let unseen = vec![Moments::default(); simulation.observations()];
        // Points in the plane have places of their own.
        let panels = simulation.panels().into_iter();
        let points = panels.filter(|panel| panel.look == PanelStyle::Scatter);
        let points: Vec<String> = points.map(|panel| panel.name).collect();
        let mut found: Vec<SeriesDescription> = Vec::new();
        let mut places: HashMap<(String, String), usize> = HashMap::new();
        for Row {
            panel, series, x, ..
        } in simulation.rows(&unseen)
        {
            if points.contains(&panel) {
                continue;
            }
            let place = *places
                .entry((panel.clone(), series.clone()))
                .or_insert(found.len());
            match found.get_mut(place) {
                Some(known) => known.x.push(x),
                None => found.push(SeriesDescription {
                    panel,
                    name: series,
                    x: vec![x],
                }),
            }
        }
        found
    }

    /// About how many operations the longest resample takes; see [`Simulate::operations`].
    pub fn operations(&self) -> f64 {
        (self.simulation.build)(self).operations()
    }

    /// About how many numbers it holds while it runs: its own, and the moments of what it observes.
    pub fn numbers_held(&self) -> f64 {
        let simulation = (self.simulation.build)(self);
        simulation.numbers_held() + 8.0 * simulation.observations() as f64
    }
}

/// What the table of a simulation is about: enough to draw it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct SimulationDescription {
    /// The simulation's name, such as `majority-vote`.
    pub name: String,
    /// The panels that its rows belong to.
    pub panels: Vec<SimulationPanel>,
    /// What resamples are, in the plural.
    pub drawn: String,
    /// Where the theory comes from, in a few words.
    pub theory: String,
    /// How many resamples there are.
    pub resamples: u64,
    /// The curves of its table and the places of their rows. Results of earlier versions have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<SeriesDescription>,
}

/// A curve of a simulation's table, without its numbers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct SeriesDescription {
    /// The panel.
    pub panel: String,
    /// Its name.
    pub name: String,
    /// The places of its rows on the horizontal axis.
    pub x: Vec<f64>,
}

/// A simulation at work.
pub trait Simulate {
    /// The panels that its rows belong to.
    fn panels(&self) -> Vec<SimulationPanel>;

    /// How many numbers are observed in a resample.
    fn observations(&self) -> usize;

    /// One resample: fills in what was observed. All randomness comes from the streams of (seed,
    /// resample). A resample that may take more than a few milliseconds checks `interrupt` as it
    /// goes.
    ///
    /// # Errors
    ///
    /// If it was interrupted; what was filled in is then of no use.
    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted>;

    /// About how many operations the longest resample takes, as a rough measure of its time.
    fn operations(&self) -> f64;

    /// About how many numbers it holds from one resample to the next, where these are many.
    fn numbers_held(&self) -> f64 {
        0.0
    }

    /// The rows of the table, from the moments of everything observed.
    fn rows(&self, seen: &[Moments]) -> Vec<Row>;
}

/// A panel of a simulation: what its axes are, and how its rows are drawn.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct SimulationPanel {
    /// Its name in the table, and where a figure chooses among panels.
    pub name: String,
    /// What is written above it.
    pub title: String,
    /// The horizontal axis.
    pub x: String,
    /// The vertical axis.
    pub y: String,
    /// The scale of the horizontal axis.
    pub x_scale: Scale,
    /// The scale of the vertical axis.
    pub y_scale: Scale,
    /// How rows are drawn.
    pub look: PanelStyle,
    /// Level lines: a value and a text.
    pub levels: Vec<(f64, String)>,
}

/// How the rows of a panel are drawn.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PanelStyle {
    /// Dots with intervals, and a dashed line for theory.
    Curves,
    /// Lines without dots, for what is exact.
    Lines,
    /// Steps of an algorithm: a dot at every row, joined in their order. The series `loss` is a line,
    /// and those whose name begins with `contour` are thin ones without a name.
    Steps,
    /// A row of coloured cells for every series, from white at 0 to dark at 1, with its mean beside
    /// it.
    Cells,
    /// Bars, and dots for theory.
    Bars {
        /// Bars from here on are coloured and summed.
        from: f64,
        /// What their sum is.
        text: String,
    },
    /// A square of coloured cells: the correlations of what was seen of some things in pairs. A
    /// series is a row of the square, from below; grey is what chance alone explains, as
    /// [`dependent_from`] says.
    Correlations {
        /// What is above the diagonal, where x is less than the row's number.
        above: String,
        /// What is below it.
        below: String,
    },
    /// Points in the plane, whose colour is that of the groups they belong to, and lines in the colour
    /// of a group: [`SCATTER_POINTS`], [`scatter_share`], [`scatter_line`] and the others say which series
    /// are what.
    Scatter,
}

impl Row {
    /// A row without theory.
    fn new(panel: &str, series: impl Into<String>, x: f64, seen: Estimate) -> Self {
        Row {
            panel: panel.to_owned(),
            series: series.into(),
            x,
            value: seen.value,
            se: seen.se,
            theory: f64::NAN,
            chance: f64::NAN,
        }
    }

    /// A row of a curve that is known exactly, such as a bound: drawn as a line without dots, in the
    /// colour of the series before the colon of its name where there is one.
    fn exact(panel: &str, series: impl Into<String>, x: f64, value: f64) -> Self {
        Row::new(panel, series, x, Estimate::new(value, 0.0))
    }

    /// A row for how often something happened, which theory says has chance p.
    fn share(panel: &str, series: impl Into<String>, x: f64, seen: &Moments, p: f64) -> Self {
        let se = (p * (1.0 - p).max(0.0) / seen.count()).sqrt();
        Row::new(panel, series, x, seen.mean()).theory(p, se)
    }

    /// The same with what theory says of the value and of its standard error. Both errors are
    /// estimates of one thing, and for what is rare the one that was seen may be far too small:
    /// the larger one counts.
    fn theory(self, value: f64, se: f64) -> Self {
        Row {
            theory: value,
            chance: self.se.max(se),
            ..self
        }
    }

    /// The same with what it must be in every resample, computed from numbers of some size.
    fn identity(self, value: f64, size: f64) -> Self {
        Row {
            theory: value,
            chance: 1e-10 * size,
            ..self
        }
    }

    /// How many standard errors value and theory are apart, rounding aside.
    pub fn apart(&self) -> f64 {
        let rounding = 1e-12 * self.theory.abs().max(self.value.abs());
        let scale = self.chance.max(rounding).max(f64::MIN_POSITIVE);
        (self.value - self.theory).abs() / scale
    }
}

/// The largest of a list of counts.
fn most(counts: &[usize]) -> usize {
    counts.iter().copied().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{RunError, Unwatched};

    #[test]
    fn values_that_are_not_allowed_are_an_error_and_no_panic() {
        for simulation in SIMULATIONS {
            let good = Setup {
                resamples: 4,
                ..Setup::new(simulation)
            };
            assert!(run(&good, &Unwatched).is_ok(), "{}", simulation.name);
            let refused = |change: &dyn Fn(&mut Setup)| {
                let mut setup = good.clone();
                change(&mut setup);
                match run(&setup, &Unwatched) {
                    Err(RunError::Setup(words)) => assert!(!words.is_empty()),
                    other => panic!("{}: {other:?}", simulation.name),
                }
            };
            refused(&|setup| setup.resamples = 1);
            refused(&|setup| setup.values.push(vec![1.0]));
            refused(&|setup| setup.values[0].clear());
            refused(&|setup| setup.values[0] = vec![f64::NAN]);
            refused(&|setup| setup.values[0] = vec![-1e300]);
            refused(&|setup| setup.values[0] = vec![1.0; 1 << 20]);
        }
    }
}
