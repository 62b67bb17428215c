//! What can go wrong with a figure.

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// The tables do not hold what is to be drawn.
    #[error("the tables do not contain {0}: run the experiment again")]
    Missing(String),
    /// A panel would have no room.
    #[error(
        "there is no room for its panels: use fewer panels, a larger shape or a smaller font-scale"
    )]
    Room,
    /// The picture could not be made.
    #[error("the picture cannot be made: {0}")]
    Draw(String),
}

impl FigureError {
    pub(crate) fn draw(error: impl std::fmt::Display) -> Self {
        FigureError::Draw(error.to_string())
    }
}
