//! Courses: lessons in the order in which they are taught, in units.

use serde::{Deserialize, Deserializer, Serialize};
use toml::Spanned;

use super::raw::{Number, Value, whole};
use super::source::{ExperimentError, Source, SourceError};
use bvlab_core::words::{did_you_mean, quoted};

/// The most units of a course, and the most lessons of a unit.
const MOST: usize = 100;

/// The most minutes of a unit or a lesson.
const LONGEST: u64 = 1000;

/// The most characters of a title, and of a sentence or a note.
const LONGEST_TITLE: usize = 200;
const LONGEST_WORDS: usize = 2000;

/// Lessons in units, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Course {
    /// Its name: that of its file.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// A sentence about it.
    pub about: Option<String>,
    /// Its parts.
    pub units: Vec<CourseUnit>,
}

/// A part of a course.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CourseUnit {
    /// What it is called.
    pub title: String,
    /// How long it takes.
    pub minutes: Option<u64>,
    /// A sentence about it.
    pub about: Option<String>,
    /// Its lessons, in order.
    pub lessons: Vec<CourseLesson>,
}

/// A lesson's place in a course.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CourseLesson {
    /// The name of the experiment.
    pub name: String,
    /// How long it takes.
    pub minutes: Option<u64>,
    /// What the lecturer wants to remember.
    pub notes: Option<String>,
    /// The file of an experiment of one's own, as the course names it.
    #[serde(skip)]
    pub file: Option<String>,
}

/// A course as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawCourse {
    title: Option<Spanned<String>>,
    about: Option<Spanned<String>>,
    #[serde(default)]
    unit: Vec<Spanned<RawUnit>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawUnit {
    title: Option<Spanned<String>>,
    minutes: Option<Spanned<Number>>,
    about: Option<Spanned<String>>,
    lessons: Option<Spanned<Vec<Spanned<RawLesson>>>>,
}

/// A lesson: its name, or a table with more.
#[derive(Debug)]
struct RawLesson {
    name: Option<Spanned<String>>,
    minutes: Option<Spanned<Number>>,
    notes: Option<Spanned<String>>,
    /// The first key that is wrong: the library that reads TOML gives the place of the whole list.
    wrong: Option<Spanned<String>>,
}

const LESSON_FORMS: &str =
    "a lesson is its name, or `{ name = \"tree-tradeoff\", minutes = 5, notes = \"…\" }`";

impl<'de> Deserialize<'de> for RawLesson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut lesson = RawLesson {
            name: None,
            minutes: None,
            notes: None,
            wrong: None,
        };
        match Value::deserialize(deserializer)? {
            Value::Text(text) => lesson.name = Some(Spanned::new(0..0, text)),
            Value::Table(block) => {
                for (key, value) in block.0 {
                    let span = value.span();
                    match (key.get_ref().as_str(), value.into_inner()) {
                        ("name", Value::Text(text)) => lesson.name = Some(Spanned::new(span, text)),
                        ("notes", Value::Text(text)) => {
                            lesson.notes = Some(Spanned::new(span, text));
                        }
                        ("minutes", Value::Number(number)) => {
                            lesson.minutes = Some(Spanned::new(span, Number(number)));
                        }
                        (name @ ("name" | "notes" | "minutes"), other) => {
                            let wanted = if name == "minutes" {
                                "a number"
                            } else {
                                "a text"
                            };
                            let message = format!("`{name}` is {wanted}, not {}", other.kind());
                            lesson.wrong.get_or_insert(Spanned::new(span, message));
                        }
                        (name, _) => {
                            let message = format!("a lesson has no key {}", quoted(name));
                            lesson
                                .wrong
                                .get_or_insert(Spanned::new(key.span(), message));
                        }
                    }
                }
            }
            other => {
                let message = format!("a lesson is a text or a table, not {}", other.kind());
                lesson.wrong = Some(Spanned::new(0..0, message));
            }
        }
        Ok(lesson)
    }
}

impl Course {
    /// Reads a course whose lessons are among those that are known, or files beside it: names that
    /// end with `.toml`. `file` is what errors call it.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place in the text.
    pub fn read(
        name: &str,
        file: &str,
        text: &str,
        known: &[String],
    ) -> Result<Course, Box<ExperimentError>> {
        let source = Source::new(file, text, &[]);
        check(name, &source, known).map_err(|trouble| source.explain(trouble))
    }

    /// One that ships with bvlab.
    #[cfg(feature = "shipped")]
    pub fn shipped(name: &str) -> Option<Course> {
        let text = crate::shipped::course_text(name)?;
        Course::read(name, name, &text, &crate::shipped::names()).ok()
    }

    /// All that ship with bvlab; the one with the most lessons first.
    #[cfg(feature = "shipped")]
    pub fn all_shipped() -> Vec<Course> {
        let names = crate::shipped::courses();
        let courses = names.iter().filter_map(|name| Course::shipped(name));
        let mut courses: Vec<Course> = courses.collect();
        courses.sort_by_key(|course| std::cmp::Reverse(course.lessons().count()));
        courses
    }

    /// Its lessons, in order.
    pub fn lessons(&self) -> impl Iterator<Item = &CourseLesson> {
        self.units.iter().flat_map(|unit| &unit.lessons)
    }

    /// The place of a lesson, and the unit that it is in.
    pub fn find(&self, name: &str) -> Option<(usize, &CourseUnit)> {
        let place = self.lessons().position(|lesson| lesson.name == name)?;
        let has = |unit: &&CourseUnit| unit.lessons.iter().any(|lesson| lesson.name == name);
        Some((place, self.units.iter().find(has)?))
    }

    /// How long it takes, as far as its units say.
    pub fn minutes(&self) -> u64 {
        self.units.iter().filter_map(|unit| unit.minutes).sum()
    }

    /// The same without what only the lecturer is to see.
    pub fn without_notes(&self) -> Course {
        let mut course = self.clone();
        let lessons = course.units.iter_mut().flat_map(|unit| &mut unit.lessons);
        lessons.for_each(|lesson| lesson.notes = None);
        course
    }
}

fn check(name: &str, source: &Source, known: &[String]) -> Result<Course, SourceError> {
    let raw: RawCourse = source.read()?;
    let Some(title) = &raw.title else {
        return Err(
            SourceError::new(0..0, "the course has no title").help("begin it with `title = \"…\"`")
        );
    };
    if raw.unit.is_empty() {
        return Err(SourceError::new(title.span(), "the course has no unit")
            .help("add `[[unit]]` with `title = \"…\"` and `lessons = [\"tree-tradeoff\"]`"));
    }
    if let Some(unit) = raw.unit.get(MOST) {
        let message = format!("a course has at most {MOST} units");
        return Err(SourceError::new(unit.span(), message));
    }
    let mut course = Course {
        name: name.to_owned(),
        title: words(title, "a title", LONGEST_TITLE)?,
        about: sentence(raw.about.as_ref())?,
        units: Vec::new(),
    };
    for unit in &raw.unit {
        let unit = check_unit(unit, &course, known)?;
        course.units.push(unit);
    }
    Ok(course)
}

fn check_unit(
    raw: &Spanned<RawUnit>,
    course: &Course,
    known: &[String],
) -> Result<CourseUnit, SourceError> {
    let RawUnit {
        title,
        minutes,
        about,
        lessons,
    } = raw.get_ref();
    let Some(title) = title else {
        return Err(
            SourceError::new(raw.span(), "a unit has no title").help("add `title = \"…\"` to it")
        );
    };
    let Some(lessons) = lessons.as_ref().filter(|list| !list.get_ref().is_empty()) else {
        return Err(SourceError::new(title.span(), "a unit has no lessons")
            .help("add `lessons = [\"tree-tradeoff\"]`; `bvlab list` shows what there is"));
    };
    if let Some(lesson) = lessons.get_ref().get(MOST) {
        let message = format!("a unit has at most {MOST} lessons");
        return Err(SourceError::new(lesson.span(), message));
    }
    let mut unit = CourseUnit {
        title: words(title, "a title", LONGEST_TITLE)?,
        minutes: time(minutes.as_ref())?,
        about: sentence(about.as_ref())?,
        lessons: Vec::new(),
    };
    if course.units.iter().any(|other| other.title == unit.title) {
        let message = format!("two units are called {}", quoted(&unit.title));
        return Err(SourceError::new(title.span(), message));
    }
    for lesson in lessons.get_ref() {
        let one = check_lesson(lesson, known)?;
        let here = unit.lessons.iter().any(|other| other.name == one.name);
        if here || course.lessons().any(|other| other.name == one.name) {
            let message = format!("the lesson {} is in the course twice", quoted(&one.name));
            return Err(SourceError::new(lesson.span(), message));
        }
        unit.lessons.push(one);
    }
    Ok(unit)
}

fn check_lesson(raw: &Spanned<RawLesson>, known: &[String]) -> Result<CourseLesson, SourceError> {
    let lesson = raw.get_ref();
    if let Some(wrong) = &lesson.wrong {
        let span = match wrong.span() {
            span if span.is_empty() => raw.span(),
            span => span,
        };
        return Err(SourceError::new(span, wrong.get_ref()).help(LESSON_FORMS));
    }
    let Some(name) = &lesson.name else {
        return Err(SourceError::new(raw.span(), "a lesson has no name")
            .help("as in `{ name = \"tree-tradeoff\", minutes = 10 }`"));
    };
    // A lesson that is a name alone is its own place.
    let span = match name.span() {
        span if span.is_empty() => raw.span(),
        span => span,
    };
    let text = name.get_ref();
    let file = text.strip_suffix(".toml");
    if file.is_none() && !known.iter().any(|one| one == text) {
        let message = format!("no lesson is called {}", quoted(text));
        return Err(SourceError::new(span, message).help(format!(
            "{}; the file of an experiment of your own ends with `.toml`",
            did_you_mean(text, known.iter().map(String::as_str))
        )));
    }
    let stem = file.map(|file| file.rsplit(['/', '\\']).next().unwrap_or(file));
    Ok(CourseLesson {
        name: stem.unwrap_or(text).to_owned(),
        minutes: time(lesson.minutes.as_ref())?,
        notes: sentence(lesson.notes.as_ref())?,
        file: file.map(|_| text.clone()),
    })
}

fn time(minutes: Option<&Spanned<Number>>) -> Result<Option<u64>, SourceError> {
    let checked = minutes.map(|minutes| whole(minutes, "`minutes`", 1, LONGEST));
    checked.transpose()
}

fn sentence(text: Option<&Spanned<String>>) -> Result<Option<String>, SourceError> {
    let checked = text.map(|text| words(text, "a text", LONGEST_WORDS));
    checked.transpose()
}

fn words(text: &Spanned<String>, what: &str, longest: usize) -> Result<String, SourceError> {
    let given = text.get_ref().trim();
    match given.chars().count() {
        0 => Err(SourceError::new(text.span(), format!("{what} is empty"))),
        count if count > longest => {
            let message = format!("{what} has at most {longest} characters, not {count}");
            Err(SourceError::new(text.span(), message))
        }
        _ => Ok(given.to_owned()),
    }
}

#[cfg(all(test, feature = "shipped"))]
mod tests {
    use super::*;
    use crate::shipped;

    fn read(text: &str) -> Result<Course, String> {
        Course::read("mine", "mine.toml", text, &shipped::names())
            .map_err(|error| format!("{:?}|{}|{}", error.line(), error.token(), error.message()))
    }

    #[test]
    fn ten_lines_are_a_course() {
        let course = read(
            "title = \"My course\"\n\n[[unit]]\ntitle = \"First\"\nminutes = 20\nabout = \"A sentence.\"\n\
             lessons = [\"tree-tradeoff\", { name = \"knn-fits\", minutes = 5, notes = \"Wait.\" }]\n\n\
             [[unit]]\ntitle = \"Second\"\nlessons = [\"own/mine.toml\"]\n",
        )
        .unwrap();
        let names: Vec<&str> = course
            .lessons()
            .map(|lesson| lesson.name.as_str())
            .collect();
        assert_eq!(names, ["tree-tradeoff", "knn-fits", "mine"]);
        assert_eq!(course.minutes(), 20);
        assert_eq!(course.units[0].lessons[1].notes.as_deref(), Some("Wait."));
        assert_eq!(
            course.units[1].lessons[0].file.as_deref(),
            Some("own/mine.toml")
        );
        let (place, unit) = course.find("mine").unwrap();
        assert_eq!((place, unit.title.as_str()), (2, "Second"));
        assert!(
            course
                .without_notes()
                .lessons()
                .all(|one| one.notes.is_none())
        );
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        let unit = |rest: &str| format!("title = \"C\"\n[[unit]]\ntitle = \"U\"\n{rest}\n");
        for (text, line, token, words) in [
            ("".to_owned(), 1, "", "no title"),
            ("title = \"C\"".to_owned(), 1, "\"C\"", "no unit"),
            ("titel = \"C\"".to_owned(), 1, "titel", "not known"),
            (unit(""), 3, "\"U\"", "no lessons"),
            (unit("lessons = []"), 3, "\"U\"", "no lessons"),
            (
                unit("lessons = [\"tree-trade\"]"),
                4,
                "\"tree-trade\"",
                "no lesson is called",
            ),
            (
                unit("lessons = [\"pointwise\", \"pointwise\"]"),
                4,
                "\"pointwise\"",
                "twice",
            ),
            (
                unit("minutes = 0\nlessons = [\"pointwise\"]"),
                4,
                "0",
                "at least 1",
            ),
            (
                unit("lessons = [{ minutes = 3 }]"),
                4,
                "{ minutes = 3 }",
                "no name",
            ),
            (
                unit("lessons = [{ name = \"pointwise\", time = 3 }]"),
                4,
                "time",
                "no key `time`",
            ),
            (unit("lessons = [3]"), 4, "3", "not a number"),
        ] {
            let error = read(&text).unwrap_err();
            let mut parts = error.splitn(3, '|');
            let (at, blamed) = (parts.next().unwrap(), parts.next().unwrap());
            assert_eq!(at, format!("Some({line})"), "{text}: {error}");
            assert_eq!(blamed, token, "{text}: {error}");
            assert!(parts.next().unwrap().contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn every_shipped_experiment_has_its_place_in_the_course() {
        let course = Course::shipped("course").expect("the course can be read");
        let taught: Vec<&str> = course
            .lessons()
            .map(|lesson| lesson.name.as_str())
            .collect();
        let missing: Vec<String> = shipped::names()
            .into_iter()
            .filter(|name| !taught.contains(&name.as_str()))
            .collect();
        assert!(
            missing.is_empty(),
            "add to a unit of courses/course.toml: {missing:?}"
        );
        let quick = Course::shipped("sixty-minutes").expect("it can be read");
        assert_eq!(quick.minutes(), 60);
        let lessons: u64 = quick.lessons().filter_map(|lesson| lesson.minutes).sum();
        assert_eq!(lessons, 60);
        assert_eq!(Course::all_shipped()[0].name, "course");
    }
}
