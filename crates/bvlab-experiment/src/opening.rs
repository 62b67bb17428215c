//! How a lesson begins on the live page: the table `[lab]`, checked. It changes no number.

use serde::Serialize;
use toml::Spanned;

use super::raw::lab::{CONTROLS, HIDDEN, RawLab, SCENES};
use super::raw::{Block, Value, expected, unknown, whole};
use super::source::SourceError;
use super::variant::Variant;
use bvlab_core::plan::{Curve, StudyDescription};
use bvlab_core::task::Description;
use bvlab_core::words::{did_you_mean, number, quoted};

/// The most panels that are drawn side by side.
const MOST_BESIDE: usize = 4;

/// The most training sets that a lesson can begin with.
const MOST_SETS: u64 = 10_000_000;

/// How a lesson begins. What is `None` is left to the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Opening {
    /// Which view is open.
    pub scene: Option<String>,
    /// Which of the figures is shown first, counted from 1.
    pub figure: Option<u64>,
    /// How many training sets are drawn.
    pub sets: Option<u64>,
    /// What is hidden until the class has answered.
    pub hide: Vec<String>,
    /// The number of the learner that is looked at.
    pub learner: Option<usize>,
    /// The values of its swept numbers, by axis, that are looked at.
    pub at: Option<Vec<f64>>,
    /// The test points that are looked at.
    pub x: Option<Vec<f64>>,
    /// What is drawn side by side.
    pub beside: Option<SideBySide>,
    /// The controls that are offered.
    pub controls: Option<Vec<String>>,
    /// The variants that are offered.
    pub variants: Option<Vec<String>>,
}

/// What is drawn side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SideBySide {
    /// These values of what is swept.
    Values(Vec<f64>),
    /// All learners: the word `learners`.
    Learners(&'static str),
}

/// Checks the table against what is computed.
pub(super) fn check(
    raw: &RawLab,
    description: &Description,
    figures: usize,
    variants: &[Variant],
) -> Result<Opening, SourceError> {
    let named = |name: &Spanned<String>| {
        let known = variants.iter().map(|variant| variant.name.as_str());
        one_of(name, "a variant", known)
    };
    let variants = raw.variants.as_ref().map(|list| {
        let names = list.get_ref().iter().map(named);
        names.collect::<Result<Vec<String>, _>>()
    });
    let mut opening = Opening {
        scene: match &raw.scene {
            Some(scene) => Some(one_of(scene, "a view", SCENES)?),
            None => None,
        },
        figure: match &raw.figure {
            Some(figure) => Some(whole(figure, "`figure`", 1, figures as u64)?),
            None => None,
        },
        hide: words(raw.hide.as_ref(), "something to hide", &HIDDEN)?.unwrap_or_default(),
        controls: words(raw.controls.as_ref(), "a control", &CONTROLS)?,
        variants: variants.transpose()?,
        ..Opening::default()
    };
    let study = match description {
        Description::Study(study) => study,
        Description::Simulation(_) => {
            no_learners(raw)?;
            return Ok(opening);
        }
    };
    if let Some(sets) = &raw.sets {
        opening.sets = Some(whole(sets, "`sets`", 0, MOST_SETS)?);
    }
    if let Some(name) = &raw.learner {
        let names = || study.curves.iter().map(|curve| curve.name.as_str());
        let chosen = one_of(name, "a learner", names())?;
        opening.learner = names().position(|name| name == chosen);
    }
    let curve = study.curves.get(opening.learner.unwrap_or(0));
    if let (Some(at), Some(curve)) = (&raw.at, curve) {
        opening.at = Some(places(at, curve)?);
    }
    if let Some(x) = &raw.x {
        opening.x = Some(points(x, study)?);
    }
    if let (Some(beside), Some(curve)) = (&raw.beside, curve) {
        opening.beside = Some(side_by_side(beside, curve, study)?);
    }
    Ok(opening)
}

/// Refuses what a simulation does not have.
fn no_learners(raw: &RawLab) -> Result<(), SourceError> {
    let RawLab {
        sets,
        learner,
        at,
        x,
        beside,
        ..
    } = raw;
    let given = [
        ("sets", sets.as_ref().map(Spanned::span)),
        ("learner", learner.as_ref().map(Spanned::span)),
        ("at", at.as_ref().map(Spanned::span)),
        ("x", x.as_ref().map(Spanned::span)),
        ("beside", beside.as_ref().map(Spanned::span)),
    ];
    for (key, span) in given {
        if let Some(span) = span {
            let message = format!("`{key}` needs learners, and a simulation has none");
            let help = "a simulation is shown by its figures";
            return Err(SourceError::new(span, message).help(help));
        }
    }
    Ok(())
}

/// A word that is known.
fn one_of<'a>(
    word: &Spanned<String>,
    what: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> Result<String, SourceError> {
    let text = word.get_ref();
    match known.clone().into_iter().any(|one| one == text) {
        true => Ok(text.clone()),
        false => {
            let message = format!("{} is not {what} here", quoted(text));
            Err(SourceError::new(word.span(), message).help(did_you_mean(text, known)))
        }
    }
}

/// A list of words that are known, each once.
fn words(
    list: Option<&Spanned<Vec<Spanned<String>>>>,
    what: &str,
    known: &[&'static str],
) -> Result<Option<Vec<String>>, SourceError> {
    let Some(list) = list else {
        return Ok(None);
    };
    let mut found: Vec<String> = Vec::new();
    for word in list.get_ref() {
        let word = one_of(word, what, known.iter().copied())?;
        if !found.contains(&word) {
            found.push(word);
        }
    }
    Ok(Some(found))
}

/// Whether a value lies on an axis.
fn on_axis(value: f64, values: &[f64]) -> bool {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (least..=most).contains(&value)
}

fn not_swept(span: std::ops::Range<usize>, value: f64, name: &str, values: &[f64]) -> SourceError {
    let message = format!("`{name}` is not swept as far as {}", number(value));
    let ends = match (values.first(), values.last()) {
        (Some(first), Some(last)) => format!("from {} to {}", number(*first), number(*last)),
        _ => "over no value".to_owned(),
    };
    SourceError::new(span, message).help(format!("it is swept {ends}"))
}

/// The place of the marker on every axis.
fn places(at: &Spanned<Block>, curve: &Curve) -> Result<Vec<f64>, SourceError> {
    let Block(entries) = at.get_ref();
    let known = || curve.axes.iter().map(|axis| axis.name.as_str());
    if curve.axes.is_empty() {
        let message = format!("nothing is swept for {}", quoted(&curve.name));
        return Err(SourceError::new(at.span(), message).help("leave `at` out"));
    }
    for (key, _) in entries {
        if !known().any(|name| name == key.get_ref()) {
            return Err(unknown(key, known().collect::<Vec<_>>()));
        }
    }
    let each = curve.axes.iter().map(|axis| {
        let entry = entries.iter().find(|(key, _)| *key.get_ref() == axis.name);
        let Some((_, value)) = entry else {
            let message = format!("`at` lacks `{}`", axis.name);
            return Err(SourceError::new(at.span(), message)
                .help("it has a value for every swept number, or is left out"));
        };
        let Value::Number(given) = *value.get_ref() else {
            return Err(expected("a number", value));
        };
        match on_axis(given, &axis.values) {
            true => Ok(given),
            false => Err(not_swept(value.span(), given, &axis.name, &axis.values)),
        }
    });
    each.collect()
}

/// The numbers of a list.
fn numbers(list: &[Spanned<Value>]) -> Result<Vec<f64>, SourceError> {
    let each = list.iter().map(|value| match *value.get_ref() {
        Value::Number(number) if number.is_finite() => Ok(number),
        _ => Err(expected("a number", value)),
    });
    each.collect()
}

/// The test points that are looked at: x, or in several dimensions their numbers.
fn points(x: &Spanned<Value>, study: &StudyDescription) -> Result<Vec<f64>, SourceError> {
    let form = "a number, or two as in [1.5, 7.8]";
    let found = match x.get_ref() {
        Value::Number(one) => vec![*one],
        Value::List(list) if (1..=2).contains(&list.len()) => numbers(list)?,
        _ => return Err(expected(form, x)),
    };
    let (from, to) = study.range;
    let outside = |one: &&f64| study.dimension == 1 && !(from..=to).contains(*one);
    match found.iter().find(outside) {
        None => Ok(found),
        Some(one) => {
            let message = format!("no input is near {}", number(*one));
            let help = format!("inputs are from {} to {}", number(from), number(to));
            Err(SourceError::new(x.span(), message).help(help))
        }
    }
}

/// What is drawn side by side.
fn side_by_side(
    beside: &Spanned<Value>,
    curve: &Curve,
    study: &StudyDescription,
) -> Result<SideBySide, SourceError> {
    let form = "values of what is swept, as in [1, 4, 12], or \"learners\"";
    let count = |count: usize| match (2..=MOST_BESIDE).contains(&count) {
        true => Ok(()),
        false => {
            let message = format!("from 2 to {MOST_BESIDE} panels stand side by side, not {count}");
            Err(SourceError::new(beside.span(), message))
        }
    };
    match beside.get_ref() {
        Value::Text(word) if word == "learners" => {
            count(study.curves.len())?;
            Ok(SideBySide::Learners("learners"))
        }
        Value::List(list) => {
            let values = numbers(list)?;
            count(values.len())?;
            let Some(axis) = curve.axes.first() else {
                let message = format!("nothing is swept for {}", quoted(&curve.name));
                return Err(SourceError::new(beside.span(), message).help(
                    "values side by side need a sweep; write `beside = \"learners\"` for learners",
                ));
            };
            let wrong = values.iter().position(|one| !on_axis(*one, &axis.values));
            match wrong.and_then(|at| list.get(at).zip(values.get(at))) {
                Some((place, value)) => {
                    Err(not_swept(place.span(), *value, &axis.name, &axis.values))
                }
                None => Ok(SideBySide::Values(values)),
            }
        }
        _ => Err(expected(form, beside)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Experiment, Source};

    const TEXT: &str = r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 50 }
        sweep   = { depth = "1..8" }
        learner = [{ tree = {} }, { name = "bag", bagging = { members = 3, base = { tree = {} } } }]
        run     = { resamples = 20 }
        variant = [{ name = "more", set = ["problem.train=60"] }]
    "#;

    fn read(lab: &str) -> Result<Opening, String> {
        let text = format!("{TEXT}\n[lab]\n{lab}\n");
        Experiment::read("one", Source::new("one.toml", &text, &[]))
            .map(|experiment| experiment.opening)
            .map_err(|error| format!("{}|{}", error.token(), error.message()))
    }

    #[test]
    fn a_table_is_read() {
        let opening = read(
            r#"scene = "fits"
            sets = 3
            hide = ["truth", "truth"]
            learner = "bag"
            at = { depth = 5 }
            x = [1.5, 7]
            beside = [1, 5]
            controls = ["train"]
            variants = ["more"]"#,
        );
        let opening = opening.unwrap();
        assert_eq!(opening.scene.as_deref(), Some("fits"));
        assert_eq!(opening.sets, Some(3));
        assert_eq!(opening.hide, ["truth"]);
        assert_eq!(opening.learner, Some(1));
        assert_eq!(opening.at, Some(vec![5.0]));
        assert_eq!(opening.x, Some(vec![1.5, 7.0]));
        assert_eq!(opening.beside, Some(SideBySide::Values(vec![1.0, 5.0])));
        assert_eq!(opening.variants, Some(vec!["more".to_owned()]));
        assert_eq!(read("").unwrap(), Opening::default());
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        for (lab, token, words) in [
            ("scene = \"fit\"", "\"fit\"", "is not a view"),
            ("sets = -1", "-1", "at least 0"),
            ("sets = 1.5", "1.5", "whole number"),
            ("figure = 2", "2", "at most 0"),
            ("hide = [\"true\"]", "\"true\"", "something to hide"),
            ("learner = \"trees\"", "\"trees\"", "is not a learner"),
            ("at = { k = 3 }", "k", "not known"),
            ("at = { depth = 9 }", "9", "not swept as far as 9"),
            ("at = {}", "{}", "lacks `depth`"),
            ("x = 16", "16", "no input is near 16"),
            ("x = [1, 2, 3]", "[1, 2, 3]", "expected a number"),
            ("beside = [1]", "[1]", "side by side"),
            ("beside = [1, 20]", "20", "not swept as far"),
            ("beside = \"all\"", "\"all\"", "expected values"),
            ("controls = [\"sped\"]", "\"sped\"", "is not a control"),
            ("variants = [\"mor\"]", "\"mor\"", "is not a variant"),
            ("show = 1", "show", "not known"),
        ] {
            let error = read(lab).unwrap_err();
            let (at, message) = error.split_once('|').unwrap();
            assert_eq!(at, token, "{lab}: {message}");
            assert!(message.contains(words), "{lab}: {message}");
        }
    }

    #[test]
    fn it_changes_neither_the_run_nor_the_figures() {
        let source = |lab: &str| Source::new("one.toml", &format!("{TEXT}\n{lab}"), &[]);
        let (without, with) = (source(""), source("[lab]\nsets = 3"));
        assert!(without.same_run(&with));
        assert_eq!(without.run_hash(), with.run_hash());
        assert_eq!(without.figure_hash(), with.figure_hash());
    }

    #[test]
    fn keys_set_on_top_may_take_away_what_it_is_about() {
        let text = format!("{TEXT}\n[lab]\nat = {{ depth = 8 }}\n");
        let sets = ["sweep.depth=\"1..4\"".to_owned()];
        let read = Experiment::read("one", Source::new("one.toml", &text, &sets));
        assert_eq!(read.unwrap().opening, Opening::default());
    }
}
