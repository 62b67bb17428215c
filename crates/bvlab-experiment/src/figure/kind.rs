//! What a kind of figure is.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use super::FIGURE_KINDS;
use super::group::GROUPS;
use super::option::{FigureOption, GivenOptions};
use crate::source::SourceError;
use bvlab_core::plan::StudyDescription;
use bvlab_core::simulation::SimulationPanel;
use bvlab_core::words::choice;

/// A kind of figure: its checked options, and how they are written and checked.
///
/// How it is drawn is said by `bvlab-figure`, in the file of the same name.
pub(crate) trait FigureKind: FigureOptions + Sized {
    /// Its key in `[[figure]]`.
    const NAME: &'static str;
    /// What it shows, in a sentence without its end.
    const MEANING: &'static str;
    /// What an experiment must have for it, in a sentence; empty if nothing.
    const NEEDS: &'static str = "";
    /// The shortest way to write it.
    const EXAMPLE: &'static str;
    /// Whether it draws a simulation, rather than learners on a problem.
    const OF_SIMULATION: bool = false;
    /// Its options.
    const OPTIONS: &'static [FigureOption];

    /// Checks the options against what there is to draw.
    fn check(given: &GivenOptions, subject: FigureSubject) -> Result<Self, SourceError>;
}

/// A kind of figure in the list of them.
#[derive(Clone, Copy, Debug)]
pub struct FigureEntry {
    /// Its key in `[[figure]]`.
    pub name: &'static str,
    /// What it shows, in a sentence without its end.
    pub meaning: &'static str,
    /// What an experiment must have for it, in a sentence; empty if nothing.
    pub needs: &'static str,
    /// The shortest way to write it.
    pub example: &'static str,
    /// Whether it draws a simulation, rather than learners on a problem.
    pub of_simulation: bool,
    /// Its options.
    pub options: &'static [FigureOption],
    pub(super) check: fn(&GivenOptions, FigureSubject) -> Result<Kind, SourceError>,
}

impl FigureEntry {
    pub(super) const fn of<K: FigureKind>() -> Self {
        FigureEntry {
            name: K::NAME,
            meaning: K::MEANING,
            needs: K::NEEDS,
            example: K::EXAMPLE,
            of_simulation: K::OF_SIMULATION,
            options: K::OPTIONS,
            check: |given, subject| Ok(Kind::new(K::NAME, K::check(given, subject)?)),
        }
    }
}

/// The checked options of some kind of figure.
pub(crate) trait FigureOptions: Any + Debug + Send + Sync {}

impl<T: Any + Debug + Send + Sync> FigureOptions for T {}

/// What a figure shows: a kind with its checked options.
#[derive(Clone, Debug)]
pub struct Kind {
    name: &'static str,
    options: Arc<dyn FigureOptions>,
}

impl Kind {
    pub(super) fn new(name: &'static str, options: impl FigureOptions) -> Self {
        Kind {
            name,
            options: Arc::new(options),
        }
    }

    /// The key of the kind, such as `tradeoff`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The options, if they are of that type.
    pub fn options<T: 'static>(&self) -> Option<&T> {
        let options: &dyn Any = &*self.options;
        options.downcast_ref()
    }
}

/// What there is to draw.
#[derive(Clone, Copy)]
pub(crate) enum FigureSubject<'a> {
    /// Learners on a problem.
    Study(&'a StudyDescription),
    /// A simulation with these panels.
    Simulation(&'a [SimulationPanel]),
}

impl<'a> FigureSubject<'a> {
    /// The study, which most kinds need.
    pub fn study(self, span: &Range<usize>) -> Result<&'a StudyDescription, SourceError> {
        match self {
            FigureSubject::Study(study) => Ok(study),
            FigureSubject::Simulation(_) => Err(simulation_alone(span)),
        }
    }

    /// The panels of a simulation.
    pub fn panels(self, span: &Range<usize>) -> Result<&'a [SimulationPanel], SourceError> {
        match self {
            FigureSubject::Simulation(panels) => Ok(panels),
            FigureSubject::Study(_) => {
                let message = "`simulation` draws a simulation, but this experiment is not one";
                let help = format!("draw {}", choice(study_kinds()));
                Err(SourceError::new(span.clone(), message).help(help))
            }
        }
    }
}

/// A simulation has one kind of figure.
pub(super) fn simulation_alone(span: &Range<usize>) -> SourceError {
    let message = "a simulation can only be drawn by `simulation = {}`";
    SourceError::new(span.clone(), message)
}

/// The keys that a figure of a study can have, those of groups included.
pub(super) fn study_kinds() -> impl Iterator<Item = &'static str> {
    let kinds = FIGURE_KINDS.iter().filter(|kind| !kind.of_simulation);
    kinds
        .map(|kind| kind.name)
        .chain(GROUPS.iter().map(|(name, ..)| *name))
}
