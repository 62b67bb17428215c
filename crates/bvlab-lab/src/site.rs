//! The page as files of a static site: any host, any folder, no server of ours.

use std::borrow::Cow;

use serde_json::json;

use super::lessons::{Lessons, welcome};
use super::limits::Limits;
use super::{assets, record};

/// Nothing but the site's own files.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
     style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; \
     form-action 'none'";

/// Whether this program has the module that computes in a browser, without which a site is of no use.
pub fn can_compute() -> bool {
    assets::module().is_some()
}

/// The files that all pages of a site share, by their names.
pub fn shared_files() -> Vec<(String, Cow<'static, [u8]>)> {
    let names = assets::names().into_iter();
    let names = names.filter(|name| !name.ends_with(".html"));
    let files = names.map(|name| assets::get(&name).map(|(bytes, _)| (name, bytes)));
    files.flatten().collect()
}

/// What there is, with the texts and tables of all lessons: `lab.json`.
pub fn lab(lessons: &Lessons, open: &str) -> String {
    let told = json!({
        "lab": welcome(lessons, open, true, &Limits::BROWSER),
        "lessons": lessons.handed_out(),
    });
    told.to_string()
}

/// A page of a site: `root` leads from it to the shared files, and a page of a lesson has a
/// `record.json` beside it.
pub fn page(root: &str, title: &str, lesson: bool) -> String {
    let page = assets::text("index.html").unwrap_or_default();
    let site = if lesson { "lesson" } else { "lab" };
    let title = record::escaped(title);
    page.replace(
        "<html lang=\"en-GB\"",
        &format!("<html lang=\"en-GB\" data-site=\"{site}\" data-root=\"{root}\""),
    )
    .replace(
        "<title>bvlab</title>",
        &format!(
            "<title>{title} – bvlab</title>\n<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">"
        ),
    )
    .replace("href=\"fonts.css\"", &format!("href=\"{root}fonts.css\""))
    .replace("href=\"look.css\"", &format!("href=\"{root}look.css\""))
    .replace("href=\"style.css\"", &format!("href=\"{root}style.css\""))
    .replace("src=\"main.js\"", &format!("src=\"{root}main.js\""))
}
