//! How a class answers the question: choices, of which one is right, or a guess of the best value of what
//! is swept.

use toml::Spanned;

use super::parser::{Flaw, Parser};
use super::reference::Referent;
use super::scope::Scope;
use super::template::Template;
use super::{template, trouble};
use crate::raw::{RawExperiment, Value, expected};
use crate::source::{Source, SourceError};
use bvlab_core::task::Description;
use bvlab_core::words::{did_you_mean, number, quoted};

/// How many choices there can be: a class sees them all at once.
const CHOICES: std::ops::RangeInclusive<usize> = 2..=6;

/// The most characters of a choice.
const LONGEST_CHOICE: usize = 200;

/// What a guess stands for: its best value is what a run says of it.
const BEST: &str = "best.";

/// The axis of a learner whose best value is to be guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuessedAxis {
    /// The learner's number.
    pub learner: usize,
    /// The number of its axis.
    pub axis: usize,
}

/// What a class can answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ballot {
    /// What it can choose from; empty without choices.
    pub choices: Vec<Template>,
    /// Which of the choices is right.
    pub correct: Option<usize>,
    /// In place of choices: what is to be guessed.
    pub guess: Option<GuessedAxis>,
}

impl Ballot {
    /// Reads `choices` and `correct`, or `guess`.
    pub(super) fn read(
        raw: &RawExperiment,
        source: &Source,
        scope: &Scope,
    ) -> Result<Self, SourceError> {
        let first = raw.choices.as_ref().map(|list| ("choices", list.span()));
        let first = first.or_else(|| raw.guess.as_ref().map(|guess| ("guess", guess.span())));
        if let (Some((key, span)), None) = (first, &raw.question) {
            let message = format!("`{key}` needs a `question`");
            return Err(SourceError::new(span, message)
                .help("as in `question = \"Which depth would you choose?\"`"));
        }
        if let (Some(_), Some(guess)) = (&raw.choices, &raw.guess) {
            let message = "a question has either `choices` or a `guess`";
            return Err(SourceError::new(guess.span(), message).help("leave one of them out"));
        }
        match (&raw.choices, &raw.correct) {
            (Some(choices), Some(correct)) => Ok(Ballot {
                choices: read_choices(choices, source, scope)?,
                correct: Some(which(correct, choices.get_ref())?),
                guess: None,
            }),
            (Some(choices), None) => Err(SourceError::new(choices.span(), "`correct` is missing")
                .help("write which of the choices is right: `correct = 1`, or its text")),
            (None, Some(correct)) => {
                let message = "`correct` needs `choices`";
                Err(SourceError::new(correct.span(), message).help(
                    "as in `choices = [\"k = 1\", \"k = 8\"]`; a `guess` is checked against the run",
                ))
            }
            (None, None) => Ok(Ballot {
                guess: match &raw.guess {
                    Some(guess) => guessed(guess, source, scope)?,
                    None => None,
                },
                ..Ballot::default()
            }),
        }
    }

    /// Whether there is nothing to answer.
    pub fn is_empty(&self) -> bool {
        self.choices.is_empty() && self.guess.is_none()
    }
}

fn read_choices(
    list: &Spanned<Vec<Spanned<String>>>,
    source: &Source,
    scope: &Scope,
) -> Result<Vec<Template>, SourceError> {
    let choices = list.get_ref();
    if !CHOICES.contains(&choices.len()) {
        let (least, most) = (CHOICES.start(), CHOICES.end());
        let message = format!(
            "a question has from {least} to {most} choices, not {}",
            choices.len()
        );
        return Err(SourceError::new(list.span(), message));
    }
    let each = choices.iter().enumerate().map(|(at, choice)| {
        let text = choice.get_ref();
        let wrong = |message: String| Err(SourceError::new(choice.span(), message));
        if text.trim().is_empty() || text.chars().count() > LONGEST_CHOICE {
            return wrong(format!(
                "a choice has from 1 to {LONGEST_CHOICE} characters"
            ));
        }
        if text.contains(char::is_control) {
            return wrong("a choice is one line, without control characters".to_owned());
        }
        if choices[..at].iter().any(|other| other.get_ref() == text) {
            return wrong(format!("two choices are {}", quoted(text)));
        }
        template::read(text, scope).map_err(|flaw| trouble(flaw, choice, text, source))
    });
    each.collect()
}

/// Which choice is right.
fn which(correct: &Spanned<Value>, choices: &[Spanned<String>]) -> Result<usize, SourceError> {
    let count = choices.len();
    match correct.get_ref() {
        Value::Number(given) if given.fract() == 0.0 && *given >= 1.0 && *given <= count as f64 => {
            Ok(*given as usize - 1)
        }
        Value::Number(given) => {
            let message = format!("there is no choice {}", number(*given));
            Err(SourceError::new(correct.span(), message)
                .help(format!("choices are counted from 1 to {count}")))
        }
        Value::Text(text) => {
            let texts = choices.iter().map(|choice| choice.get_ref().as_str());
            let found = texts.clone().position(|choice| choice == text);
            found.ok_or_else(|| {
                let message = format!("{} is not one of the choices", quoted(text));
                SourceError::new(correct.span(), message).help(did_you_mean(text, texts))
            })
        }
        _ => Err(expected("the number of a choice, or its text", correct)),
    }
}

/// What is to be guessed: read as the reference to its best value. `None` where a key that was set on
/// top of the experiment has taken it away.
fn guessed(
    guess: &Spanned<String>,
    source: &Source,
    scope: &Scope,
) -> Result<Option<GuessedAxis>, SourceError> {
    if let Some((_, Description::Simulation(_))) = scope.runs.first() {
        let message = "`guess` needs a sweep, and a simulation has none";
        return Err(SourceError::new(guess.span(), message).help("`choices` asks about anything"));
    }
    let own = guess.get_ref();
    let text = format!("{BEST}{own}");
    let form = "write the name of a swept parameter, as in `depth`, or `depth@tree` among learners";
    let read = || {
        let mut parser = Parser::new(&text, 0, scope);
        let formula = parser.formula()?;
        if !parser.is_at_end() {
            return Err(parser.unexpected(form));
        }
        let whole = || Flaw::new(0..text.len(), "expected the name of a swept parameter");
        let Some(reference) = formula.single() else {
            return Err(whole().help(form));
        };
        match &reference.what {
            Referent::Best { .. } if reference.run > 0 => {
                let message = "a guess is about the experiment itself, not about a variant";
                Err(Flaw::new(0..text.len(), message).help(form))
            }
            Referent::Best { held: Some(_), .. } => {
                let message = "a guess is about the best of all settings";
                Err(Flaw::new(0..text.len(), message).help(form))
            }
            Referent::Best { learner, axis, .. } => Ok(Some(GuessedAxis {
                learner: *learner,
                axis: *axis,
            })),
            Referent::Missing(_) => Ok(None),
            _ => Err(whole().help(form)),
        }
    };
    read().map_err(|flaw: Flaw| {
        // What is written begins after what was put before it.
        let start = flaw.span.start.saturating_sub(BEST.len());
        let end = flaw.span.end.saturating_sub(BEST.len()).max(start);
        let help = flaw.help.map(|help| help.replace(BEST, ""));
        let flaw = Flaw {
            span: start..end.min(own.len()),
            help,
            message: flaw.message.replace(BEST, ""),
        };
        trouble(flaw, guess, own, source)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;

    const TEXT: &str = r#"
[problem]
truth  = "sin(x)"
inputs = { uniform = [0, 15] }
noise  = { normal = 0.5 }
train  = 50
[run]
resamples = 20
[sweep]
depth = "1..8"
[[learner]]
tree = {}
"#;

    const TWO: &str =
        "[[learner]]\nname = \"bag\"\nbagging = { members = 3, base = { tree = {} } }\n";

    /// The ballot, or the token and the sentence of the error.
    fn read(keys: &str, more: &str) -> Result<Ballot, String> {
        let text = format!("{keys}\n{TEXT}{more}");
        let read = Experiment::read("one", Source::new("one.toml", &text, &[]));
        read.map(|experiment| experiment.texts.ballot)
            .map_err(|error| {
                let help = error.help().unwrap_or_default();
                format!("{}|{}; {help}", error.token(), error.message())
            })
    }

    #[test]
    fn choices_and_guesses_are_read() {
        let three = "question = \"Q?\"\nchoices = [\"a\", \"{best.depth}\", \"c\"]\n";
        for correct in ["3", "\"c\""] {
            let ballot = read(&format!("{three}correct = {correct}"), "").unwrap();
            assert_eq!((ballot.choices.len(), ballot.correct), (3, Some(2)));
            assert_eq!(ballot.choices[1].unrendered(), "…");
        }
        let guess = |learner| Some(GuessedAxis { learner, axis: 0 });
        let ballot = read("question = \"Q?\"\nguess = \"depth\"", "").unwrap();
        assert_eq!(ballot.guess, guess(0));
        let ballot = read("question = \"Q?\"\nguess = \"depth@bag\"", TWO).unwrap();
        assert_eq!(ballot.guess, guess(1));
        assert!(read("question = \"Q?\"", "").unwrap().is_empty());
    }

    #[test]
    fn errors_point() {
        let long = format!("choices = [\"a\", \"{}\"]\ncorrect = 1", "b".repeat(201));
        for (keys, token, words) in [
            (
                "choices = [\"a\", \"b\"]",
                "[\"a\", \"b\"]",
                "`correct` is missing",
            ),
            ("correct = 1", "1", "`correct` needs `choices`"),
            (
                "choices = [\"a\"]\ncorrect = 1",
                "[\"a\"]",
                "from 2 to 6 choices, not 1",
            ),
            (
                "choices = [\"a\", \"a\"]\ncorrect = 1",
                "\"a\"",
                "two choices are `a`",
            ),
            (
                "choices = [\"a\", \" \"]\ncorrect = 1",
                "\" \"",
                "from 1 to 200 characters",
            ),
            (&long, "", "from 1 to 200 characters"),
            (
                "choices = [\"a\", \"b\\nc\"]\ncorrect = 1",
                "\"b\\nc\"",
                "one line",
            ),
            ("choices = [\"a\", \"{rusk}\"]\ncorrect = 1", "rusk", ""),
            (
                "choices = [\"a\", \"b\"]\ncorrect = 3",
                "3",
                "counted from 1 to 2",
            ),
            (
                "choices = [\"a\", \"b\"]\ncorrect = 1.5",
                "1.5",
                "no choice 1.5",
            ),
            (
                "choices = [\"a\", \"bee\"]\ncorrect = \"be\"",
                "\"be\"",
                "did you mean `bee`?",
            ),
            (
                "choices = [\"a\", \"b\"]\ncorrect = [1]",
                "[1]",
                "the number of a choice",
            ),
            (
                "choices = [\"a\", \"b\"]\ncorrect = 1\nguess = \"depth\"",
                "\"depth\"",
                "either",
            ),
            ("guess = \"dept\"", "dept", "did you mean `depth`?"),
            (
                "guess = \"depth + 1\"",
                "depth + 1",
                "expected the name of a swept parameter",
            ),
            ("guess = \"depth=3\"", "=", "does not belong here"),
            ("guess = \"\"", "\"\"", ""),
        ] {
            let error = read(&format!("question = \"Q?\"\n{keys}"), "").unwrap_err();
            let (at, message) = error.split_once('|').unwrap();
            assert!(token.is_empty() || at == token, "{keys}: {error}");
            assert!(message.contains(words), "{keys}: {error}");
        }
        for key in ["choices = [\"a\", \"b\"]\ncorrect = 1", "guess = \"depth\""] {
            let error = read(key, "").unwrap_err();
            assert!(error.contains("needs a `question`"), "{error}");
        }
        let error = read("question = \"Q?\"\nguess = \"depth\"", TWO).unwrap_err();
        assert!(
            error.starts_with("depth|there are several learners"),
            "{error}"
        );
        let more = "[[variant]]\nname = \"more\"\nset = [\"problem.train=60\"]\n";
        let error = read("question = \"Q?\"\nguess = \"depth@more: tree\"", more).unwrap_err();
        assert!(error.contains("not about a variant"), "{error}");
        let sets = "[[variant]]\nname = \"more\"\nset = [\"correct=2\"]\n";
        let error = read("question = \"Q?\"\nguess = \"depth\"", sets).unwrap_err();
        assert!(error.contains("a variant cannot set `correct`"), "{error}");
        let simulation = "question = \"Q?\"\nguess = \"depth\"\nsimulation = \"majority-vote\"";
        let source = Source::new("one.toml", simulation, &[]);
        let error = Experiment::read("one", source).err().unwrap();
        assert!(error.message().contains("a simulation has none"), "{error}");
    }

    #[test]
    fn keys_set_on_top_may_take_away_what_is_guessed() {
        let text = format!("question = \"Q?\"\nguess = \"depth\"\n{TEXT}");
        let sets = ["sweep={ min-leaf = \"1..4\" }".to_owned()];
        let source = Source::new("one.toml", &text, &sets);
        let experiment = Experiment::read("one", source).unwrap();
        assert_eq!(experiment.texts.ballot, Ballot::default());
        // What is asked changes no number, and is not carried into a text with other settings.
        let plain = Source::new("one.toml", TEXT, &[]);
        let asked = Source::new("one.toml", &text, &[]);
        assert!(plain.same_run(&asked));
        assert!(asked.merged_text().unwrap().contains("guess"));
        assert!(!experiment.source.merged_text().unwrap().contains("guess"));
    }
}
