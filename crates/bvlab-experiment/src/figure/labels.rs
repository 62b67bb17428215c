//! Words of one's own for the axes and curves of a figure.

use toml::Spanned;

use super::option::{FigureOption, GivenOptions, OptionForm};
use super::shared::MOST;
use crate::source::SourceError;
use bvlab_core::words::{did_you_mean, printable};

/// The title of the horizontal axis.
pub(super) const X_LABEL: FigureOption = FigureOption::new(
    "x-label",
    OptionForm::Text,
    "what is on it, and its symbol",
    "The title of the horizontal axis",
);

/// The title of the vertical axis.
pub(super) const Y_LABEL: FigureOption = FigureOption::new(
    "y-label",
    OptionForm::Text,
    "what is on it",
    "The title of the vertical axis",
);

/// The names of curves.
pub(super) const LABELS: FigureOption = FigureOption::new(
    "labels",
    OptionForm::Labels,
    "their names",
    "What learners, curves or parts are called, as in `{ tree = \"one tree\" }`",
);

/// The words of a figure that replace the usual ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FigureLabels {
    /// The title of the horizontal axis.
    pub x: Option<String>,
    /// The title of the vertical axis.
    pub y: Option<String>,
    /// Names, and what stands in their place.
    pub names: Vec<(String, String)>,
}

impl FigureLabels {
    /// What a curve is called.
    pub fn of<'a>(&'a self, name: &'a str) -> &'a str {
        self.given(name).unwrap_or(name)
    }

    /// What a curve is called, where something was given for it.
    pub fn given(&self, name: &str) -> Option<&str> {
        let mut names = self.names.iter();
        let found = names.find(|(known, _)| known == name);
        found.map(|(_, label)| label.as_str())
    }

    /// The words of the axes, and of curves whatever they are called: those of a simulation are
    /// known once it has run.
    pub(super) fn unchecked(given: &GivenOptions) -> Result<Self, SourceError> {
        let names = given.labels(&LABELS);
        if names.len() > MOST {
            let message = format!("`labels` has more than {MOST} entries");
            return Err(SourceError::new(given.place(&LABELS), message));
        }
        let text = |option| {
            let text = given.text(option).map(Spanned::into_inner);
            text.map(|text| plain(&text))
        };
        Ok(FigureLabels {
            x: text(&X_LABEL),
            y: text(&Y_LABEL),
            names: names
                .into_iter()
                .map(|(name, label)| (name.into_inner(), plain(&label)))
                .collect(),
        })
    }

    /// The same where the names are known.
    pub(super) fn read<'a, I: Iterator<Item = &'a str> + Clone>(
        given: &GivenOptions,
        known: I,
    ) -> Result<Self, SourceError> {
        for (name, _) in given.labels(&LABELS) {
            if !known.clone().any(|known| known == name.get_ref()) {
                let message = format!("nothing here is called `{}`", name.get_ref());
                let help = did_you_mean(name.get_ref(), known);
                return Err(SourceError::new(name.span(), message).help(help));
            }
        }
        FigureLabels::unchecked(given)
    }
}

/// A text on one line.
pub(super) fn plain(text: &str) -> String {
    printable(text).replace(char::is_control, " ")
}
