//! The panels of a simulation.

use super::choice::{FigureChoice, PanelBy};
use super::kind::{FigureKind, FigureSubject};
use super::labels::{FigureLabels, LABELS, X_LABEL, Y_LABEL, plain};
use super::note::{NOTES, Note, Targets, notes};
use super::option::{FigureOption, GivenOptions, OptionForm};
use super::shared::named;
use crate::source::SourceError;
use bvlab_core::plan::Scale;
use bvlab_core::simulation::PanelStyle;

/// Panels of a simulation, side by side.
#[derive(Clone, Debug)]
pub struct SimulationFigure {
    /// The names of the panels drawn.
    pub panels: Vec<String>,
    /// What makes a panel.
    pub by: PanelBy,
    /// Headings of panels, by the name of what makes them.
    pub titles: Vec<(String, String)>,
    /// The panels whose values are squared.
    pub square: Vec<String>,
    /// Whether all panels have one vertical range.
    pub same_y: bool,
    /// The vertical axis; `None` for that of the simulation.
    pub y_scale: Option<Scale>,
    /// Two series between which the gap is shaded.
    pub shade: Option<(String, String)>,
    /// Texts with leaders.
    pub notes: Vec<Note>,
    /// Words of one's own.
    pub labels: FigureLabels,
}

const PANELS: FigureOption = FigureOption::new(
    "panels",
    OptionForm::Names,
    "all",
    "The panels drawn, by name",
);
const BY: FigureOption = FigureOption::new(
    "by",
    OptionForm::Choice(PanelBy::WORDS),
    "panel",
    "What makes a panel",
);
const TITLES: FigureOption = FigureOption::new(
    "titles",
    OptionForm::Labels,
    "those of the simulation",
    "The headings of panels, as in `{ vote = \"the vote\" }`",
);
const SQUARE: FigureOption = FigureOption::new(
    "square",
    OptionForm::Names,
    "none",
    "The panels whose values are drawn squared, such as a bias",
);
const SAME_Y: FigureOption = FigureOption::new(
    "same-y",
    OptionForm::Flag(false),
    "",
    "Whether all panels have one vertical range",
);
const Y_SCALE: FigureOption = FigureOption::new(
    "y-scale",
    OptionForm::Choice(Scale::WORDS),
    "that of the simulation",
    "The vertical axis",
);
const SHADE: FigureOption = FigureOption::new(
    "shade",
    OptionForm::Names,
    "none",
    "Two series between which the gap is shaded",
);

impl FigureKind for SimulationFigure {
    const NAME: &'static str = "simulation";
    const MEANING: &'static str = "The panels of a simulation, side by side";
    const NEEDS: &'static str =
        "It is the only kind of figure for a simulation, and for no other experiment.";
    const EXAMPLE: &'static str = "simulation = {}";
    const OF_SIMULATION: bool = true;
    const OPTIONS: &'static [FigureOption] = &[
        PANELS, BY, TITLES, SQUARE, SAME_Y, Y_SCALE, SHADE, NOTES, X_LABEL, Y_LABEL, LABELS,
    ];

    fn check(given: &GivenOptions, subject: FigureSubject) -> Result<Self, SourceError> {
        let all = subject.panels(&given.span)?;
        let names = || all.iter().map(|panel| panel.name.as_str());
        let list = |option: &FigureOption| match given.names(option) {
            None => Ok(None),
            Some(chosen) => named(&chosen, option, "panel", names).map(Some),
        };
        let panels = list(&PANELS)?.unwrap_or_else(|| names().map(str::to_owned).collect());
        let by: PanelBy = given.choice(&BY).unwrap_or_default();
        let curves = |name: &String| {
            let mut all = all.iter().filter(|panel| panel.name == *name);
            all.all(|panel| panel.look == PanelStyle::Curves)
        };
        if by == PanelBy::Series && !panels.iter().all(curves) {
            let message = "only panels of curves can be drawn by series";
            return Err(
                SourceError::new(given.place(&BY), message).help("choose some with `panels`")
            );
        }
        let shade = match given.names(&SHADE) {
            None => None,
            Some(pair) => match pair.get_ref().as_slice() {
                [one, other] => Some((one.get_ref().clone(), other.get_ref().clone())),
                _ => {
                    let message = "`shade` needs two series";
                    return Err(SourceError::new(pair.span(), message));
                }
            },
        };
        let titles = given.labels(&TITLES).into_iter();
        let targets = Targets {
            curves: Vec::new(),
            panels: match by {
                PanelBy::Panel => names().collect(),
                PanelBy::Series => Vec::new(),
            },
            range: None,
        };
        Ok(SimulationFigure {
            panels,
            by,
            titles: titles
                .map(|(name, title)| (name.into_inner(), plain(&title)))
                .collect(),
            square: list(&SQUARE)?.unwrap_or_default(),
            same_y: given.flag(&SAME_Y),
            y_scale: given.choice(&Y_SCALE),
            shade,
            notes: notes(given, &targets)?,
            labels: FigureLabels::unchecked(given)?,
        })
    }
}
