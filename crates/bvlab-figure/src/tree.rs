//! A drawing with its texts set in the fonts: what PNG and PDF are made from.

use std::sync::Arc;

use super::canvas::Drawing;
use super::error::FigureError;
use super::text::{FAMILY, REGULAR, SEMIBOLD};

impl Drawing {
    pub(super) fn tree(&self) -> Result<usvg::Tree, FigureError> {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_font_data(REGULAR.to_vec());
        fonts.load_font_data(SEMIBOLD.to_vec());
        let options = usvg::Options {
            font_family: FAMILY.to_owned(),
            fontdb: Arc::new(fonts),
            ..usvg::Options::default()
        };
        usvg::Tree::from_str(&self.svg, &options).map_err(FigureError::draw)
    }
}
