//! The experiments that ship inside the program, and the tables that they are about.

use std::borrow::Cow;

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../../experiments/"]
struct ShippedFiles;

/// Their names, in alphabetical order.
pub fn names() -> Vec<String> {
    let mut names: Vec<String> = ShippedFiles::iter()
        .filter_map(|file| file.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// The text of one.
pub fn text(name: &str) -> Option<String> {
    let file = ShippedFiles::get(&format!("{name}.toml"))?;
    String::from_utf8(file.data.into_owned()).ok()
}

/// The content of a table, by its place beside the experiments: `data/iris.csv`.
pub fn table(file: &str) -> Option<Cow<'static, [u8]>> {
    let within = file.starts_with("data/") && file.ends_with(".csv");
    within
        .then(|| ShippedFiles::get(file))
        .flatten()
        .map(|file| file.data)
}
