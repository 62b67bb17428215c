//! The experiments that ship inside the program.

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "experiments/"]
struct Folder;

/// Their names, in alphabetical order.
pub fn names() -> Vec<String> {
    let mut names: Vec<String> = Folder::iter()
        .filter_map(|file| file.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// The text of one.
pub fn text(name: &str) -> Option<String> {
    let file = Folder::get(&format!("{name}.toml"))?;
    String::from_utf8(file.data.into_owned()).ok()
}
