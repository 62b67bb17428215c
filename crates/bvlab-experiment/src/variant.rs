//! Variants: the experiment with other keys, computed beside it.

use toml::Spanned;

use super::Experiment;
use super::raw::RawVariant;
use super::source::{Source, SourceError};
use bvlab_core::task::Task;
use bvlab_core::words::quoted;

/// The most variants of an experiment.
pub const MOST_VARIANTS: usize = 3;

/// The most characters of a variant's name.
const LONGEST_NAME: usize = 60;

/// What a variant cannot set: its numbers are paired with those of the experiment, and it says and
/// draws nothing of its own.
const KEPT: [&str; 18] = [
    "run",
    "run.seed",
    "run.resamples",
    "run.precision",
    "run.max-resamples",
    "title",
    "look-for",
    "question",
    "answer",
    "choices",
    "correct",
    "guess",
    "look",
    "figure",
    "claim",
    "variant",
    "simulation",
    "lab",
];

/// An experiment with other keys, of the same seed and as many resamples.
#[derive(Clone)]
pub struct Variant {
    /// What references call it.
    pub name: String,
    /// The keys that it sets, as `problem.train=1000`.
    pub set: Vec<String>,
    /// The experiment, without words, claims, figures and variants.
    pub experiment: Experiment,
}

/// Reads an experiment without its words.
type Read<'a> = &'a dyn Fn(&Source) -> Result<Experiment, SourceError>;

/// Checks all variants of an experiment; with `may_lack`, those that cannot be are left out.
pub(super) fn check(
    raw: &[Spanned<RawVariant>],
    source: &Source,
    main: &Task,
    may_lack: bool,
    read: Read,
) -> Result<Vec<Variant>, SourceError> {
    if let Some(variant) = raw.get(MOST_VARIANTS) {
        let message = format!("there can be at most {MOST_VARIANTS} variants");
        return Err(SourceError::new(variant.span(), message)
            .help("make an experiment of its own of what needs more"));
    }
    let mut variants: Vec<Variant> = Vec::new();
    for raw in raw {
        let RawVariant { name, set } = raw.get_ref();
        check_name(name, &variants)?;
        check_keys(set)?;
        let sets: Vec<String> = set
            .get_ref()
            .iter()
            .map(|set| set.get_ref().clone())
            .collect();
        let with = source.with_sets(&sets);
        let before = source.sets().len();
        let read = read(&with).map_err(|trouble| {
            // Its own keys are shown where they are written.
            let number = with.set_number(trouble.span.start);
            let own = number.and_then(|number| number.checked_sub(before));
            let own = own.and_then(|own| set.get_ref().get(own));
            let span = own.map_or_else(|| set.span(), Spanned::span);
            let message = format!("variant `{}`: {}", name.get_ref(), trouble.message);
            SourceError {
                span,
                message,
                ..trouble
            }
        });
        let experiment = match read {
            // What is set from outside may take away what the variant changes, and it may be larger than
            // a server or a page takes: the experiment is there without it.
            Err(_) if may_lack => continue,
            read => read?,
        };
        let same = matches!(
            (main, &experiment.task),
            (Task::Study(_), Task::Study(_)) | (Task::Simulation(_), Task::Simulation(_))
        );
        if !same {
            let message = "a variant of a simulation is a simulation, and of a study a study";
            return Err(SourceError::new(set.span(), message));
        }
        variants.push(Variant {
            name: name.get_ref().clone(),
            set: sets,
            experiment,
        });
    }
    Ok(variants)
}

fn check_name(name: &Spanned<String>, others: &[Variant]) -> Result<(), SourceError> {
    let text = name.get_ref();
    let wrong = |message: String| Err(SourceError::new(name.span(), message));
    if text.trim() != text || text.is_empty() || text.chars().count() > LONGEST_NAME {
        return wrong(format!(
            "a variant's name has from 1 to {LONGEST_NAME} characters, and no blanks around it"
        ));
    }
    if text.contains([':', '"', '{', '}', '@']) || text.contains(char::is_control) {
        return wrong("a variant's name has no colon, quote, brace or @".to_owned());
    }
    match others.iter().any(|other| other.name == *text) {
        true => wrong(format!("two variants are called {}", quoted(text))),
        false => Ok(()),
    }
}

fn check_keys(set: &Spanned<Vec<Spanned<String>>>) -> Result<(), SourceError> {
    if set.get_ref().is_empty() {
        let message = "a variant sets at least one key";
        return Err(
            SourceError::new(set.span(), message).help("as in `set = [\"problem.train=1000\"]`")
        );
    }
    for one in set.get_ref() {
        let path = one.get_ref().split('=').next().unwrap_or("");
        let path: Vec<&str> = path.split('.').map(str::trim).collect();
        let starts = |kept: &&&str| {
            let kept: Vec<&str> = kept.split('.').collect();
            match kept.as_slice() {
                ["run"] => path == kept,
                kept => path.starts_with(kept),
            }
        };
        if let Some(kept) = KEPT.iter().find(starts) {
            let message = format!("a variant cannot set `{kept}`");
            return Err(SourceError::new(one.span(), message).help(
                "it has the seed, the resamples, the words and the figures of its experiment",
            ));
        }
    }
    Ok(())
}
