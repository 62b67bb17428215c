//! The lab's address as a QR code.

use qrcode::QrCode;
use qrcode::render::{svg, unicode};

/// For a terminal: half blocks, dark on light or light on dark as the terminal is; most cameras read
/// both.
pub fn text(address: &str) -> Option<String> {
    let code = QrCode::new(address).ok()?;
    let mut text = code.render::<unicode::Dense1x2>();
    // Terminals are mostly dark: the code's dark squares are drawn as gaps.
    let text = text
        .quiet_zone(true)
        .dark_color(unicode::Dense1x2::Light)
        .light_color(unicode::Dense1x2::Dark);
    Some(text.build())
}

/// For the page: black on white.
pub fn svg(address: &str) -> Option<String> {
    let code = QrCode::new(address).ok()?;
    let mut picture = code.render::<svg::Color<'_>>();
    Some(picture.quiet_zone(true).min_dimensions(200, 200).build())
}
