//! What an experiment says of its figures; `bvlab-figure` draws them.
//!
//! A kind of figure is a file here, with its options and their checks, and one of the same name in
//! `kinds` of `bvlab-figure`, which draws it. Both are named in `mod.rs` of their folder and nowhere
//! else: this one declares the file, exports its type and has a line for it in [`FIGURE_KINDS`].

mod boundaries;
mod choice;
mod dartboard;
mod fits;
mod group;
mod heatmap;
mod kind;
mod labels;
mod note;
mod option;
mod pointwise;
mod reference;
mod schema;
mod selection;
mod shared;
mod simulation;
mod sources;
mod tradeoff;

use std::ops::Range;

use toml::Spanned;

use super::raw::figure::{RawFigure, RawLook};
use super::raw::{Block, Value, expected};
use super::source::SourceError;
use bvlab_core::parameter::Parameter;
use bvlab_core::plan::StudyDescription;
use bvlab_core::simulation::SimulationPanel;
use bvlab_core::words::{choice as one_of, printable};

pub use boundaries::Boundaries;
pub use choice::{Bands, CapacityMeasure, ChoiceWord, Lower, PanelBy, Part, Sample, Shape, Theme};
pub use dartboard::Dartboard;
pub use fits::Fits;
pub use group::{Group, GroupPart};
pub use heatmap::Heatmap;
pub use kind::{FigureEntry, Kind};
pub use labels::FigureLabels;
pub use note::{Anchor, Note};
pub use option::{FigureOption, OptionForm};
pub use pointwise::Pointwise;
pub use reference::figure_reference;
pub(super) use schema::add_definitions;
pub use selection::SelectionFigure;
pub use shared::Mark;
pub use simulation::SimulationFigure;
pub use sources::SourcesFigure;
pub use tradeoff::Tradeoff;

use choice::FigureChoice;
use group::GROUPS;
use kind::{FigureSubject, simulation_alone, study_kinds};
use option::{GivenOptions, unknown_key};
use shared::MOST;

/// The kinds of figure, in the order in which they are documented.
pub const FIGURE_KINDS: &[FigureEntry] = &[
    FigureEntry::of::<Tradeoff>(),
    FigureEntry::of::<Fits>(),
    FigureEntry::of::<Boundaries>(),
    FigureEntry::of::<Pointwise>(),
    FigureEntry::of::<Heatmap>(),
    FigureEntry::of::<SourcesFigure>(),
    FigureEntry::of::<SelectionFigure>(),
    FigureEntry::of::<Dartboard>(),
    FigureEntry::of::<SimulationFigure>(),
];

/// How a figure looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The page.
    pub shape: Shape,
    /// Its colours.
    pub theme: Theme,
    /// The factor by which text and lines are larger than usual.
    pub font_scale: f64,
}

/// A figure to draw.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The file's name, without ending.
    pub name: String,
    /// The heading.
    pub title: Option<String>,
    /// What is drawn.
    pub kind: Kind,
    /// How it looks.
    pub look: Look,
}

impl Figure {
    /// The same figure with every text that is written in it replaced by what a function makes of it.
    pub(super) fn with_texts(&self, finished: &mut dyn FnMut(&str) -> String) -> Figure {
        Figure {
            name: self.name.clone(),
            title: self.title.as_deref().map(&mut *finished),
            kind: with_texts(&self.kind, finished),
            look: self.look,
        }
    }
}

/// The same kind with other texts.
fn with_texts(kind: &Kind, finished: &mut dyn FnMut(&str) -> String) -> Kind {
    if let Some(tradeoff) = kind.options::<Tradeoff>() {
        let mut tradeoff = tradeoff.clone();
        for note in &mut tradeoff.notes {
            note.text = finished(&note.text);
        }
        return Kind::new(kind.name(), tradeoff);
    }
    if let Some(simulation) = kind.options::<SimulationFigure>() {
        let mut simulation = simulation.clone();
        for note in &mut simulation.notes {
            note.text = finished(&note.text);
        }
        for (_, title) in &mut simulation.titles {
            *title = finished(title);
        }
        return Kind::new(kind.name(), simulation);
    }
    if let Some(selection) = kind.options::<SelectionFigure>() {
        let mut selection = selection.clone();
        for note in &mut selection.notes {
            note.text = finished(&note.text);
        }
        return Kind::new(kind.name(), selection);
    }
    if let Some(group) = kind.options::<Group>() {
        let mut group = group.clone();
        for part in &mut group.parts {
            part.title = part.title.as_deref().map(&mut *finished);
            part.kind = with_texts(&part.kind, finished);
        }
        return Kind::new(kind.name(), group);
    }
    kind.clone()
}

const NAME: FigureOption = FigureOption::new(
    "name",
    OptionForm::Text,
    "the kind",
    "The name of its file, without the extension",
);
const TITLE: FigureOption = FigureOption::new(
    "title",
    OptionForm::Text,
    "the experiment's title",
    "The heading; `\"\"` omits heading and caption",
);
const SHAPE: FigureOption = FigureOption::new(
    "shape",
    OptionForm::Choice(Shape::WORDS),
    "slide",
    "The page",
);
const THEME: FigureOption = FigureOption::new(
    "theme",
    OptionForm::Choice(Theme::WORDS),
    "light",
    "The colours",
);
const FONT_SCALE: FigureOption = FigureOption::number(
    Parameter::number(
        "font-scale",
        "The factor by which text and lines are larger than usual",
    )
    .least(0.5)
    .up_to(2.0),
    "1",
);

/// What `[look]` can say of all figures.
const LOOK: &[FigureOption] = &[SHAPE, THEME, FONT_SCALE];
/// What every figure can have beside its kind.
const COMMON: &[FigureOption] = &[NAME, TITLE, SHAPE, THEME, FONT_SCALE];

/// Checks keys and forms of what is written, before it is known what there is to draw.
pub(super) fn check_keys(raw: &[Spanned<RawFigure>], all: &RawLook) -> Result<(), SourceError> {
    GivenOptions::read(&all.0, LOOK, 0..0)?;
    for figure in raw {
        FigureTable::read(&figure.get_ref().0, figure.span())?;
    }
    Ok(())
}

/// The figures of a study.
pub(super) fn check(
    raw: &[Spanned<RawFigure>],
    all: &RawLook,
    study: &StudyDescription,
) -> Result<Vec<Figure>, SourceError> {
    check_all(raw, all, FigureSubject::Study(study))
}

/// The figures of a simulation with these panels.
pub(super) fn check_simulation(
    raw: &[Spanned<RawFigure>],
    all: &RawLook,
    panels: &[SimulationPanel],
) -> Result<Vec<Figure>, SourceError> {
    check_all(raw, all, FigureSubject::Simulation(panels))
}

/// A figure as it is written: what all have, and the kinds that are given.
struct FigureTable<'a> {
    common: GivenOptions<'a>,
    kinds: Vec<(&'static FigureEntry, GivenOptions<'a>)>,
    groups: Vec<(&'static str, bool, Vec<FigureTable<'a>>)>,
    span: Range<usize>,
}

impl<'a> FigureTable<'a> {
    fn read(block: &'a Block, span: Range<usize>) -> Result<Self, SourceError> {
        let (mut kinds, mut groups) = (Vec::new(), Vec::new());
        let mut common = Vec::new();
        for (key, value) in &block.0 {
            let name = key.get_ref().as_str();
            if let Some(entry) = FIGURE_KINDS.iter().find(|entry| entry.name == name) {
                let Value::Table(options) = value.get_ref() else {
                    let form = format!("a table, as in `{}`", entry.example);
                    return Err(expected(&form, value));
                };
                kinds.push((
                    entry,
                    GivenOptions::read(options, entry.options, value.span())?,
                ));
            } else if let Some((name, _, stacked)) = GROUPS.iter().find(|group| group.0 == name) {
                groups.push((*name, *stacked, group::read(value)?));
            } else if COMMON.iter().any(|option| option.name == name) {
                common.push((key, value));
            } else {
                let known = COMMON.iter().map(|option| option.name);
                let known = known
                    .chain(FIGURE_KINDS.iter().map(|entry| entry.name))
                    .chain(GROUPS.iter().map(|group| group.0));
                return Err(unknown_key(key, known));
            }
        }
        // Errors of a kind that are about the whole point at the figure.
        for (_, given) in &mut kinds {
            given.span = span.clone();
        }
        Ok(FigureTable {
            common: GivenOptions::of(&common, COMMON, span.clone())?,
            kinds,
            groups,
            span,
        })
    }

    /// The one kind that a figure has, checked.
    fn check(&self, subject: FigureSubject) -> Result<Kind, SourceError> {
        match (self.kinds.as_slice(), self.groups.as_slice(), subject) {
            (.., FigureSubject::Simulation(_)) if self.kinds.len() + self.groups.len() != 1 => {
                Err(simulation_alone(&self.span))
            }
            ([(entry, given)], [], _) => (entry.check)(given, subject),
            ([], [(name, stacked, parts)], _) => {
                subject.study(&self.span)?;
                Ok(Kind::new(
                    name,
                    group::check(*stacked, parts, self, subject)?,
                ))
            }
            _ => {
                let message = "a figure has exactly one kind";
                Err(SourceError::new(self.span.clone(), message).help(format!(
                    "give it one of {}, as in `tradeoff = {{}}`",
                    one_of(study_kinds())
                )))
            }
        }
    }

    /// What it has that only a whole figure can have, or a part of the other direction.
    fn beyond_a_part(&self, stacked: bool) -> Option<&'static str> {
        let outer = [&NAME, &SHAPE, &THEME, &FONT_SCALE];
        let outer = outer.into_iter().find(|option| self.common.has(option));
        let nested = self.groups.iter().find(|group| group.1 == stacked);
        outer
            .map(|option| option.name)
            .or(nested.map(|group| group.0))
    }

    fn title(&self) -> Option<String> {
        let title = self.common.text(&TITLE)?;
        Some(title.into_inner())
    }
}

/// The most bytes of a figure's name. That of a file has at most 255, its ending included.
const LONGEST_NAME: usize = 200;

fn check_all(
    raw: &[Spanned<RawFigure>],
    all: &RawLook,
    subject: FigureSubject,
) -> Result<Vec<Figure>, SourceError> {
    let plain = Look {
        shape: Shape::Slide,
        theme: Theme::Light,
        font_scale: 1.0,
    };
    let all = look(&GivenOptions::read(&all.0, LOOK, 0..0)?, &plain)?;
    if let Some(figure) = raw.get(MOST) {
        let message = format!("there can be at most {MOST} figures");
        return Err(
            SourceError::new(figure.span(), message).help("put the others into another experiment")
        );
    }
    let mut figures: Vec<Figure> = Vec::new();
    for raw in raw {
        let written = FigureTable::read(&raw.get_ref().0, raw.span())?;
        let kind = written.check(subject)?;
        figures.push(Figure {
            name: name(&written, &kind, &figures)?,
            title: written.title().map(|title| printable(&title).into_owned()),
            look: look(&written.common, &all)?,
            kind,
        });
    }
    Ok(figures)
}

/// The name of a figure's file: that given, or the kind's with a number where it is taken.
fn name(written: &FigureTable, kind: &Kind, figures: &[Figure]) -> Result<String, SourceError> {
    // Some file systems take `A` and `a` for the same name.
    let taken = |name: &str| {
        let name = name.to_lowercase();
        figures.iter().any(|f| f.name.to_lowercase() == name)
    };
    let Some(name) = written.common.text(&NAME) else {
        let kind = kind.name();
        let numbered = (2..=MOST + 1).map(|i| format!("{kind}-{i}"));
        let mut names = std::iter::once(kind.to_owned()).chain(numbered);
        // There are fewer figures than numbers.
        return Ok(names.find(|name| !taken(name)).unwrap_or_default());
    };
    let text = name.get_ref();
    let plain = |c: char| c.is_alphanumeric() || "-_".contains(c);
    if text.is_empty() || text.len() > LONGEST_NAME || !text.chars().all(plain) {
        let message = format!(
            "a figure's name is made of letters, digits, - and _, in at most {LONGEST_NAME} bytes"
        );
        return Err(SourceError::new(name.span(), message).help("it is the name of a file"));
    }
    if taken(text) {
        let message = format!("two figures are called `{text}`");
        return Err(SourceError::new(name.span(), message));
    }
    Ok(name.into_inner())
}

/// The look of a figure: its own, else that of all.
fn look(given: &GivenOptions, all: &Look) -> Result<Look, SourceError> {
    Ok(Look {
        shape: given.choice(&SHAPE).unwrap_or(all.shape),
        theme: given.choice(&THEME).unwrap_or(all.theme),
        font_scale: given.number(&FONT_SCALE)?.unwrap_or(all.font_scale),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_options() -> impl Iterator<Item = (&'static str, &'static [FigureOption])> {
        let kinds = FIGURE_KINDS.iter().map(|kind| (kind.name, kind.options));
        kinds.chain([("every figure", COMMON)])
    }

    #[test]
    fn names_are_given_once_and_in_lower_case() {
        let lower = |name: &str| {
            name.chars()
                .all(|c| c.is_ascii_lowercase() || "-2".contains(c))
        };
        let mut taken: Vec<&str> = COMMON.iter().map(|option| option.name).collect();
        taken.extend(GROUPS.iter().map(|group| group.0));
        for kind in FIGURE_KINDS {
            assert!(
                lower(kind.name) && !taken.contains(&kind.name),
                "{}",
                kind.name
            );
            taken.push(kind.name);
        }
        for (kind, options) in all_options() {
            for (i, option) in options.iter().enumerate() {
                let before = options[..i].iter().any(|other| other.name == option.name);
                assert!(lower(option.name) && !before, "{kind}: {}", option.name);
            }
        }
    }

    #[test]
    fn whoever_leaves_an_option_out_learns_what_holds() {
        for (kind, options) in all_options() {
            for option in options {
                let told = option.default_words().is_some();
                assert_ne!(told, option.required, "{kind}: {}", option.name);
                assert!(!option.meaning.ends_with('.'), "{kind}: {}", option.name);
            }
        }
    }

    #[test]
    fn examples_can_be_read() {
        for kind in FIGURE_KINDS {
            let raw: RawFigure = toml::from_str(kind.example).unwrap();
            let written = FigureTable::read(&raw.0, 0..0).map_err(|trouble| trouble.message);
            assert_eq!(written.unwrap().kinds[0].0.name, kind.name);
        }
    }
}
