//! The kinds of figure, a file each, and groups of them on one page.
//!
//! A new kind is declared here and has a line in [`PICTURES`]; nothing else names it.

mod boundaries;
mod dartboard;
mod fits;
mod heatmap;
mod pointwise;
mod simulation;
mod sources;
mod tradeoff;

use crate::canvas::{Canvas, Side};
use crate::error::FigureError;
use crate::panel::{BELOW, Frame};
use crate::picture::{FigureData, Picture};
use crate::select::ShownAt;
use crate::text::shortened;
use crate::theme;
use bvlab_experiment::{
    Boundaries, Dartboard, Fits, Group, Heatmap, Kind, Pointwise, SimulationFigure, SourcesFigure,
    Tradeoff,
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

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        let whole = Frame {
            bottom: frame.bottom + BELOW,
            ..frame
        };
        let count = self.parts.len();
        let frames = match self.stacked {
            true => whole.stack(count, 14.0),
            false => whole.columns(count, 24.0),
        };
        for (part, mut frame) in self.parts.iter().zip(frames) {
            frame.bottom -= BELOW;
            if let Some(title) = &part.title {
                let width = frame.right - frame.left;
                let title = shortened(title, theme::LABEL, true, width);
                let (place, style) = ((frame.left, frame.top + 10.0), (theme::LABEL, true));
                canvas.text(place, &title, style, theme::INK, Side::Right)?;
                frame.top += PART;
            }
            picture(&part.kind)?.draw(canvas, frame, data)?;
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
