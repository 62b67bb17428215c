//! The panels of a simulation.

use super::kind::{FigureKind, Subject};
use super::option::{FigureOption, Given, OptionForm};
use super::shared::named;
use crate::source::Trouble;

/// Panels of a simulation, side by side.
#[derive(Clone, Debug)]
pub struct SimulationFigure {
    /// The names of the panels drawn.
    pub panels: Vec<String>,
}

const PANELS: FigureOption = FigureOption::new(
    "panels",
    OptionForm::Names,
    "all",
    "The panels drawn, by name",
);

impl FigureKind for SimulationFigure {
    const NAME: &'static str = "simulation";
    const MEANING: &'static str = "The panels of a simulation, side by side";
    const NEEDS: &'static str =
        "It is the one kind of figure of a simulation, and of nothing else.";
    const EXAMPLE: &'static str = "simulation = {}";
    const OF_SIMULATION: bool = true;
    const OPTIONS: &'static [FigureOption] = &[PANELS];

    fn check(given: &Given, subject: Subject) -> Result<Self, Trouble> {
        let panels = subject.panels(&given.span)?;
        let names = || panels.iter().map(|panel| panel.name.as_str());
        let panels = match given.names(&PANELS) {
            None => names().map(str::to_owned).collect(),
            Some(chosen) => named(&chosen, &PANELS, "panel", names)?,
        };
        Ok(SimulationFigure { panels })
    }
}
