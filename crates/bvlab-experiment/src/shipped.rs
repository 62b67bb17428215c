//! The experiments that ship inside the program, the tables that they are about, and the courses that
//! put them in order.

use std::borrow::Cow;

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../../experiments/"]
struct ShippedFiles;

#[derive(RustEmbed)]
#[folder = "../../courses/"]
struct ShippedCourses;

/// The names of the courses, in alphabetical order.
pub fn courses() -> Vec<String> {
    let files = ShippedCourses::iter();
    let mut names: Vec<String> = files
        .filter_map(|file| file.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// The text of a course.
pub fn course_text(name: &str) -> Option<String> {
    let file = ShippedCourses::get(&format!("{name}.toml"))?;
    String::from_utf8(file.data.into_owned()).ok()
}

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
    let csv = file.strip_suffix(".gz").unwrap_or(file).ends_with(".csv");
    let within = file.starts_with("data/") && csv;
    within
        .then(|| ShippedFiles::get(file))
        .flatten()
        .map(|file| file.data)
}
