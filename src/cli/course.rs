//! Courses that the user names: a file, or one that ships inside the program.

use std::path::Path;

use super::Failure;
use super::load::{Changes, read_text};
use crate::experiment::{Course, Experiment, shipped};
use crate::learner::Registry;
use bvlab_core::words::nearest;

/// A course, and the experiments of its own that it names.
pub struct LoadedCourse {
    /// The course.
    pub course: Course,
    /// Experiments in files beside it.
    pub own: Vec<Experiment>,
}

impl LoadedCourse {
    /// Reads a course from a file, or by its name if it ships with bvlab; `changes` are made to the
    /// experiments beside it.
    pub fn load(
        file: &str,
        changes: &Changes,
        registry: &Registry,
    ) -> Result<LoadedCourse, Failure> {
        let path = Path::new(file);
        let known = shipped::names();
        let (name, text) = match shipped::course_text(file) {
            Some(text) if !path.is_file() => (file.to_owned(), text),
            _ => {
                let text = read_text(path).map_err(|unread| {
                    let names = shipped::courses();
                    let near = nearest(file, names.iter().map(String::as_str));
                    let help = match (unread.help, near) {
                        (Some(help), _) => help.to_owned(),
                        (None, Some(near)) => format!("did you mean {near}?"),
                        (None, None) => format!(
                            "give a file, or a course that ships with bvlab: {}",
                            names.join(", ")
                        ),
                    };
                    let reason = unread.reason;
                    Failure::wrong(miette::miette!(help = help, "cannot read {file}: {reason}"))
                })?;
                let stem = path.file_stem();
                let name = stem.map(|stem| stem.to_string_lossy().into_owned());
                (name.unwrap_or_default(), text)
            }
        };
        let course =
            Course::read(&name, file, &text, &known).map_err(|error| Failure::wrong(*error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let own = course.lessons().filter_map(|lesson| lesson.file.as_ref());
        let own = own.map(|file| {
            let path = folder.join(file);
            changes.load(&path.to_string_lossy(), registry)
        });
        let own = own.collect::<Result<Vec<_>, _>>()?;
        Ok(LoadedCourse { course, own })
    }

    /// This course before those that ship.
    pub fn before_shipped(&self) -> Vec<Course> {
        let others = Course::all_shipped().into_iter();
        let others = others.filter(|other| other.name != self.course.name);
        std::iter::once(self.course.clone()).chain(others).collect()
    }
}
