//! What a kind of figure does with a result, and words that several kinds use.

use super::canvas::Canvas;
use super::error::FigureError;
use super::panel::Frame;
use super::select::ShownAt;
use bvlab_core::plan::StudyDescription;
use bvlab_core::task::Description;
use bvlab_core::words::short;
use bvlab_outcome::{Tables, columns};

/// What a figure is drawn from.
#[derive(Clone, Copy)]
pub struct FigureData<'a> {
    /// What the tables are about.
    pub description: &'a Description,
    /// The tables of the result.
    pub tables: &'a Tables,
    /// What the figures around it ask for.
    pub within: Within,
}

/// What a figure that is part of a group keeps to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Within {
    /// The least room left and right of the panels.
    pub insets: (f64, f64),
    /// Whether the numbers of the horizontal axis stand below another figure.
    pub shares_axis: bool,
}

impl<'a> FigureData<'a> {
    /// The study that most figures need.
    pub fn study(&self) -> Result<&'a StudyDescription, FigureError> {
        let study = self.description.study();
        study.ok_or_else(|| FigureError::Missing("a study".to_owned()))
    }

    /// How many resamples were drawn.
    pub fn resamples(&self) -> u64 {
        let counts = self.tables.curves.wholes(columns::RESAMPLES);
        counts.first().copied().unwrap_or(0)
    }

    /// How many training sets of how many points were drawn, in words.
    pub fn drawn(&self) -> Result<String, FigureError> {
        Ok(self.study()?.drawn(self.resamples()))
    }
}

/// A kind of figure with its options: what it shows of a result.
pub trait Picture {
    /// The line below the heading: the setting, that is what was drawn how often.
    fn caption(&self, data: &FigureData) -> Result<String, FigureError>;

    /// The line at the bottom: what dots, dashes and bands are. Empty for nothing.
    fn footer(&self, _: &FigureData) -> Result<Vec<String>, FigureError> {
        Ok(Vec::new())
    }

    /// The room that it needs left and right of its panels.
    fn insets(
        &self,
        _: &Canvas,
        _: Frame,
        _: &FigureData,
    ) -> Result<Option<(f64, f64)>, FigureError> {
        Ok(None)
    }

    /// How many panels it draws above each other on a narrow page.
    fn rows(&self, _: &Canvas, _: Frame, _: &FigureData) -> Result<usize, FigureError> {
        Ok(1)
    }

    /// What its horizontal axis shows, where it has one that others can share.
    fn axis(&self, _: &FigureData) -> Result<Option<String>, FigureError> {
        Ok(None)
    }

    /// Draws into a frame.
    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError>;

    /// The settings whose test points or fits it draws; the tables keep those of no others.
    fn settings<'a>(&self, _: &FigureData<'a>) -> Result<ShownAt<'a>, FigureError> {
        Ok(Vec::new())
    }

    /// What there is to see, for those who do not see it: sentences with the numbers that matter.
    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError>;
}

/// The course of a curve in words: its ends, and what lies beyond them on the way. `None` where it
/// has no finite value.
///
/// `risk from 0.52 at depth = 1 to 0.44 at depth = 16, lowest 0.31 at depth = 5`
pub fn course(name: &str, axis: &str, xs: &[f64], values: &[f64]) -> Option<String> {
    let finite = xs.iter().copied().zip(values.iter().copied());
    let finite: Vec<(f64, f64)> = finite.filter(|(_, value)| value.is_finite()).collect();
    let (first, last) = (*finite.first()?, *finite.last()?);
    let least = finite.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let most = finite.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    if short(least.1) == short(most.1) {
        return Some(format!("{name} {}", short(first.1)));
    }
    // The name alone of an axis that is explained in brackets.
    let axis = axis.split_once(" (").map_or(axis, |(name, _)| name);
    let at = |(x, value): &(f64, f64)| format!("{} at {axis} = {}", short(*value), short(*x));
    let ends = [short(first.1), short(last.1)];
    let beyond = |value: f64| !ends.contains(&short(value));
    let mut words = format!("{name} from {} to {}", at(&first), at(&last));
    if least.1 < first.1.min(last.1) && beyond(least.1) {
        words += &format!(", lowest {}", at(least));
    }
    if most.1 > first.1.max(last.1) && beyond(most.1) {
        words += &format!(", highest {}", at(most));
    }
    Some(words)
}

/// A sentence: a heading, if there is one, and what is said under it.
pub fn sentence(heading: &[String], said: &[String]) -> String {
    let said = said.join("; ");
    match heading.is_empty() {
        true => format!("{said}."),
        false => format!("{}: {said}.", heading.join(", ")),
    }
}

/// The mean of finite numbers; NaN where there is none.
pub fn mean(values: &[f64]) -> f64 {
    let finite = values.iter().filter(|value| value.is_finite());
    let (sum, count) = finite.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_names_its_ends_and_what_lies_beyond_them() {
        let xs = [1.0, 2.0, 3.0];
        let said = |values: &[f64]| course("risk", "k", &xs, values);
        assert_eq!(
            said(&[0.5, 0.3, 0.4]).unwrap(),
            "risk from 0.5 at k = 1 to 0.4 at k = 3, lowest 0.3 at k = 2"
        );
        assert_eq!(
            said(&[0.5, 0.9, 0.4]).unwrap(),
            "risk from 0.5 at k = 1 to 0.4 at k = 3, highest 0.9 at k = 2"
        );
        assert_eq!(said(&[f64::NAN, 0.3, f64::INFINITY]).unwrap(), "risk 0.3");
        // What shows in no digit is no extreme.
        assert_eq!(
            said(&[0.5, 0.50001, 0.4]).unwrap(),
            "risk from 0.5 at k = 1 to 0.4 at k = 3"
        );
        assert_eq!(said(&[0.25; 3]).unwrap(), "risk 0.25");
        assert_eq!(said(&[f64::NAN; 3]), None);
    }
}
