//! The files of the page, which are inside the program.

use std::borrow::Cow;

use rust_embed::RustEmbed;

use super::look;

#[derive(RustEmbed)]
#[folder = "src/page/"]
struct Folder;

/// The page's fonts are the figures'.
const FONTS: [(&str, &[u8]); 2] = [
    ("Inter-Regular.otf", bvlab_figure::REGULAR),
    ("Inter-SemiBold.otf", bvlab_figure::SEMIBOLD),
];

/// A file and its type; `None` if the page has no such file. The look comes from the figures' theme.
pub fn get(name: &str) -> Option<(Cow<'static, [u8]>, &'static str)> {
    if let Some((_, bytes)) = FONTS.iter().find(|(font, _)| *font == name) {
        return Some((Cow::Borrowed(bytes), "font/otf"));
    }
    let look = match name {
        "look.css" => Some(&*look::CSS),
        "look.js" => Some(&*look::JS),
        _ => None,
    };
    let kind = match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => return None,
    };
    match look {
        Some(text) => Some((Cow::Borrowed(text.as_bytes()), kind)),
        None => Some((Folder::get(name)?.data, kind)),
    }
}

/// A file of text.
pub fn text(name: &str) -> Option<String> {
    let (bytes, _) = get(name)?;
    String::from_utf8(bytes.into_owned()).ok()
}
