//! The files of the page, which are inside the program.

use std::borrow::Cow;

use rust_embed::RustEmbed;

use super::look;

#[derive(RustEmbed)]
#[folder = "src/page/"]
struct PageFiles;

/// The name of the module.
pub const MODULE: &str = "bvlab.wasm.gz";

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
        "gz" => "application/gzip",
        _ => return None,
    };
    match look {
        Some(text) => Some((Cow::Borrowed(text.as_bytes()), kind)),
        None => Some((PageFiles::get(name)?.data, kind)),
    }
}

/// The module that computes in a browser, in gzip. A program that was built without it has pages that
/// only replay, and leaves all computing to its server.
pub fn module() -> Option<Cow<'static, [u8]>> {
    Some(PageFiles::get(MODULE)?.data)
}

/// The names of all files of the page.
pub fn names() -> Vec<String> {
    let files = PageFiles::iter().map(Cow::into_owned);
    let fonts = FONTS.iter().map(|(font, _)| *font);
    let made = fonts.chain(["look.css", "look.js"]).map(str::to_owned);
    files.chain(made).collect()
}

/// A file of text.
pub fn text(name: &str) -> Option<String> {
    let (bytes, _) = get(name)?;
    String::from_utf8(bytes.into_owned()).ok()
}
