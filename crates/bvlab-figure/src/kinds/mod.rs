//! The kinds of figure, a file each, and groups of them on one page.
//!
//! A new kind is declared here and has a line in [`PICTURES`]; nothing else names it.

mod boundaries;
mod dartboard;
mod fits;
mod heatmap;
mod level;
mod pointwise;
mod selection;
mod simulation;
mod sources;
mod tradeoff;

use crate::canvas::{Canvas, Side};
use crate::error::FigureError;
use crate::panel::{BELOW, Frame};
use crate::picture::{FigureData, Picture, Within};
use crate::select::ShownAt;
use crate::text::shortened;
use crate::theme;
use bvlab_experiment::{
    Boundaries, Dartboard, Fits, Group, Heatmap, Kind, Pointwise, SelectionFigure,
    SimulationFigure, SourcesFigure, Tradeoff,
};

/// From the options of a figure to its picture, if they are of one kind.
type AsPicture = fn(&Kind) -> Option<&dyn Picture>;

/// How every kind of figure is drawn.
const PICTURES: &[AsPicture] = &[
    of::<Tradeoff>,
    of::<Fits>,
    of::<Boundaries>,
    of::<Pointwise>,
    of::<Heatmap>,
    of::<SourcesFigure>,
    of::<SelectionFigure>,
    of::<Dartboard>,
    of::<SimulationFigure>,
    of::<Group>,
];

fn of<K: Picture + 'static>(kind: &Kind) -> Option<&dyn Picture> {
    kind.options::<K>().map(|options| options as &dyn Picture)
}

/// How a figure is drawn.
pub fn picture(kind: &Kind) -> Result<&dyn Picture, FigureError> {
    let found = PICTURES.iter().find_map(|as_picture| as_picture(kind));
    found.ok_or_else(|| FigureError::Draw(format!("`{}` is not in the list of kinds", kind.name())))
}

/// The room between parts side by side.
const GAP: f64 = 24.0;

/// The height of a part's own heading.
const PART: f64 = 34.0;

impl Picture for Group {
    fn caption(&self, data: &FigureData) -> Result<String, FigureError> {
        // What all parts have in common is said once.
        let mut said: Vec<String> = Vec::new();
        for part in &self.parts {
            let caption = picture(&part.kind)?.caption(data)?;
            let new = caption.split("; ").map(str::to_owned);
            let new: Vec<String> = new.filter(|words| !said.contains(words)).collect();
            said.extend(new);
        }
        Ok(said.join("; "))
    }

    fn footer(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let mut said: Vec<String> = Vec::new();
        for part in &self.parts {
            let footer = picture(&part.kind)?.footer(data)?.into_iter();
            let new: Vec<String> = footer.filter(|words| !said.contains(words)).collect();
            said.extend(new);
        }
        Ok(said)
    }

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        let count = self.parts.len();
        let width = frame.right - frame.left;
        // With their axes and labels, parts need twice as much as a panel.
        let each = (width - GAP * (count as f64 - 1.0)) / count as f64;
        if !self.stacked && each < 2.0 * canvas.page.slim {
            if !canvas.page.is_tall() {
                return Err(FigureError::Room);
            }
            let turned = Group {
                stacked: true,
                ..self.clone()
            };
            return turned.draw(canvas, frame, data);
        }
        let frames = self.frames(canvas, frame, data)?;
        let insets = match self.stacked {
            true => self.common_insets(canvas, &frames, data)?,
            false => (0.0, 0.0),
        };
        let shared = self.shares_axis(data)?;
        let last = self.parts.len() - 1;
        for (i, (part, mut frame)) in self.parts.iter().zip(frames).enumerate() {
            if let Some(title) = &part.title {
                let width = frame.right - frame.left;
                let title = shortened(title, theme::LABEL, true, width);
                let (place, style) = ((frame.left, frame.top + 10.0), (theme::LABEL, true));
                canvas.text(place, &title, style, theme::INK, Side::Right)?;
                frame.top += PART;
            }
            let within = Within {
                insets,
                shares_axis: shared && i < last,
            };
            picture(&part.kind)?.draw(canvas, frame, &FigureData { within, ..*data })?;
        }
        Ok(())
    }

    fn settings<'a>(&self, data: &FigureData<'a>) -> Result<ShownAt<'a>, FigureError> {
        let mut all = Vec::new();
        for part in &self.parts {
            // What one part cannot find is missed when it is drawn.
            all.extend(picture(&part.kind)?.settings(data).unwrap_or_default());
        }
        Ok(all)
    }

    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let mut said = Vec::new();
        for part in &self.parts {
            said.extend(part.title.iter().map(|title| format!("{title}.")));
            said.extend(picture(&part.kind)?.describe(data)?);
        }
        Ok(said)
    }
}

/// How the parts of a group stand to each other.
trait Arrange {
    /// The room of every part, without that for its horizontal axis.
    fn frames(
        &self,
        canvas: &Canvas,
        frame: Frame,
        data: &FigureData,
    ) -> Result<Vec<Frame>, FigureError>;

    /// Whether all parts of a stack have the same horizontal axis.
    fn shares_axis(&self, data: &FigureData) -> Result<bool, FigureError>;

    /// The room left and right that makes the panels of a stack stand under each other.
    fn common_insets(
        &self,
        canvas: &Canvas,
        frames: &[Frame],
        data: &FigureData,
    ) -> Result<(f64, f64), FigureError>;
}

impl Arrange for Group {
    fn frames(
        &self,
        canvas: &Canvas,
        frame: Frame,
        data: &FigureData,
    ) -> Result<Vec<Frame>, FigureError> {
        let whole = Frame {
            bottom: frame.bottom + BELOW,
            ..frame
        };
        let count = self.parts.len();
        if !self.stacked {
            let mut frames = whole.columns(count, GAP);
            frames.iter_mut().for_each(|frame| frame.bottom -= BELOW);
            return Ok(frames);
        }
        // Parts that share an axis need no room for it but at the bottom.
        let gap = match self.shares_axis(data)? {
            true => 26.0,
            false => BELOW + 14.0,
        };
        // Rows of panels need more room than a panel.
        let mut shares = Vec::new();
        for part in &self.parts {
            let rows = picture(&part.kind)?.rows(canvas, frame, data)?;
            shares.push(1.0 + 0.35 * (rows as f64 - 1.0));
        }
        Ok(frame.stack_by(&shares, gap))
    }

    fn shares_axis(&self, data: &FigureData) -> Result<bool, FigureError> {
        let mut axes = Vec::new();
        for part in &self.parts {
            axes.push(picture(&part.kind)?.axis(data)?);
        }
        let same = |axis: &Option<String>| axis.is_some() && *axis == axes[0];
        Ok(self.stacked && axes.iter().all(same))
    }

    fn common_insets(
        &self,
        canvas: &Canvas,
        frames: &[Frame],
        data: &FigureData,
    ) -> Result<(f64, f64), FigureError> {
        let (mut left, mut right): (f64, f64) = (0.0, 0.0);
        for (part, frame) in self.parts.iter().zip(frames) {
            // A part that does not say what it needs stands by itself.
            let Some(insets) = picture(&part.kind)?.insets(canvas, *frame, data)? else {
                return Ok((0.0, 0.0));
            };
            (left, right) = (left.max(insets.0), right.max(insets.1));
        }
        Ok((left, right))
    }
}
