//! The words of the shipped experiments: every number in them is computed, every statement that they
//! make of a run is a claim, and every claim holds.
//!
//! With every change the experiments that take less than a second are run. All of them, and each of
//! them with three seeds that were not used in writing the claims, take minutes:
//!
//! ```sh
//! BVLAB_SHIPPED_CLAIMS=all cargo test --release shipped_words
//! ```

use bvlab::experiment::{Course, Experiment, Source, shipped};
use serde_json::Value;

use crate::setup::Place;

/// Experiments that take less than a second.
const QUICK: [&str; 21] = [
    "ambiguity",
    "bagging-members",
    "bagging-tradeoff",
    "boosting-rounds",
    "bootstrap-share",
    "dartboards",
    "diversity-members",
    "estimators",
    "gaussian-ridge-fits",
    "gaussian-ridge-tradeoff",
    "iris-trees",
    "knn-fits",
    "knn-one-neighbour",
    "knn-tradeoff",
    "majority-vote",
    "member-dependence",
    "pointwise",
    "sine-sample",
    "three-fits",
    "tree-fits",
    "tree-train-test",
];

/// Seeds that were not used in writing the claims.
const OTHER_SEEDS: [&str; 3] = ["101", "102", "103"];

/// Decimals that may be typed: constants that no run computes and no key sets, each with a reason.
const CONSTANTS: [(&str, &str); 0] = [];

fn is_thorough() -> bool {
    std::env::var("BVLAB_SHIPPED_CLAIMS").is_ok_and(|value| value == "all")
}

/// Every text of an experiment that is read by people, with its key.
fn words(name: &str) -> Vec<(String, String)> {
    fn walk(key: &str, value: &toml::Value, found: &mut Vec<(String, String)>) {
        match value {
            toml::Value::String(text)
                if [
                    "title", "look-for", "question", "answer", "choices", "text", "note",
                ]
                .contains(&key) =>
            {
                found.push((key.to_owned(), text.clone()));
            }
            toml::Value::Array(items) => items.iter().for_each(|item| walk(key, item, found)),
            toml::Value::Table(table) => {
                table
                    .iter()
                    .for_each(|(key, value)| walk(key, value, found));
            }
            _ => {}
        }
    }
    let text = shipped::text(name).expect("it ships");
    let table: toml::Table = text.parse().expect("it is TOML");
    let mut found = Vec::new();
    table
        .iter()
        .for_each(|(key, value)| walk(key, value, &mut found));
    found
}

/// A text without what is computed in it: what stands between braces.
fn typed(text: &str) -> String {
    let mut depth = 0;
    let kept = text.chars().filter(|c| match c {
        '{' => {
            depth += 1;
            false
        }
        '}' => {
            depth -= 1;
            false
        }
        _ => depth == 0,
    });
    kept.collect()
}

/// The decimals and percentages that are typed in a text.
fn typed_numbers(text: &str) -> Vec<String> {
    let text: Vec<char> = typed(text).chars().collect();
    let is_digit = |at: usize| text.get(at).is_some_and(char::is_ascii_digit);
    let mut found = Vec::new();
    for (at, c) in text.iter().enumerate() {
        let decimal = ['.', ',', '·'].contains(c) && is_digit(at + 1) && at > 0 && is_digit(at - 1);
        let before = text[..at].iter().rposition(|c| !c.is_whitespace());
        let percent = *c == '%' && before.is_some_and(is_digit);
        if decimal || percent {
            let (from, to) = (at.saturating_sub(6), (at + 4).min(text.len()));
            found.push(text[from..to].iter().collect());
        }
    }
    found
}

#[test]
fn typed_decimals_and_percentages_are_found() {
    for wrong in ["about 0.73 of it", "63 % of", "63% of", "{risk@k=1} or 1.5"] {
        assert_eq!(typed_numbers(wrong).len(), 1, "{wrong}");
    }
    for right in [
        "k = 8, 20 and 1000.",
        "{risk@lambda=0.1} and {a | percent}",
        "1 − 1/e, 2√(ε(1 − ε))",
    ] {
        assert!(typed_numbers(right).is_empty(), "{right}");
    }
}

#[test]
fn no_decimal_is_typed_in_the_words_of_shipped_experiments() {
    for name in shipped::names() {
        for (key, text) in words(&name) {
            let mut found = typed_numbers(&text);
            found.retain(|number| {
                let mut constants = CONSTANTS.iter();
                !constants.any(|(constant, _)| number.contains(constant))
            });
            assert!(
                found.is_empty(),
                "{name}, {key}: {found:?} should be computed, as in {{risk@depth=5}}"
            );
        }
    }
}

#[test]
fn no_command_line_is_in_the_words_of_shipped_experiments() {
    for name in shipped::names() {
        for (key, text) in words(&name) {
            for command in ["--set", "bvlab run", "`", "--seed", ".toml"] {
                assert!(!text.contains(command), "{name}, {key}: {command}");
            }
        }
    }
}

#[test]
fn shipped_experiments_have_all_their_words_and_claims() {
    let mut with_claims = 0;
    for name in shipped::names() {
        let keys: Vec<String> = words(&name).into_iter().map(|(key, _)| key).collect();
        for key in ["title", "look-for", "question", "answer"] {
            assert!(keys.iter().any(|known| known == key), "{name} has no {key}");
        }
        let text = shipped::text(&name).expect("it ships");
        let table: toml::Table = text.parse().expect("it is TOML");
        let claims = table.get("claim").and_then(toml::Value::as_array);
        with_claims += usize::from(claims.is_some_and(|claims| !claims.is_empty()));
    }
    assert!(with_claims >= 40, "only {with_claims} have claims");
}

/// Runs an experiment, and tells what has become of its claims and words.
fn verdicts(place: &Place, name: &str, seed: &[&str]) -> (Vec<(String, String)>, Value) {
    let (code, out, err) = place.run(&[&["run", name, "--strict", "--overwrite"], seed].concat());
    assert_eq!(code, 0, "{name} {seed:?}: {out}{err}");
    let manifest = place.read(&format!("results/{name}/manifest.json"));
    let manifest: Value = serde_json::from_str(&manifest).expect("a manifest is JSON");
    let claims = manifest["claims"].as_array().expect("there are claims");
    let text = |claim: &Value, key: &str| claim[key].as_str().unwrap_or_default().to_owned();
    let verdicts = claims
        .iter()
        .map(|claim| (text(claim, "claim"), text(claim, "verdict")));
    (verdicts.collect(), manifest["words"].clone())
}

#[test]
fn every_shipped_claim_holds_on_the_shipped_seed() {
    let place = Place::new();
    let names = match is_thorough() {
        true => shipped::names(),
        false => QUICK.map(str::to_owned).to_vec(),
    };
    for name in names {
        let (claims, words) = verdicts(&place, &name, &[]);
        for (claim, verdict) in claims {
            assert_eq!(verdict, "holds", "{name}: {claim}");
        }
        for key in ["title", "look-for", "question", "answer"] {
            let text = words[key].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{name} has no {key}");
            assert!(!text.contains(['{', '}', '…']), "{name}, {key}: {text}");
        }
    }
}

#[test]
fn no_shipped_claim_is_refuted_on_other_seeds() {
    if !is_thorough() {
        return;
    }
    let place = Place::new();
    for name in shipped::names() {
        for seed in OTHER_SEEDS {
            let (claims, _) = verdicts(&place, &name, &["--seed", seed]);
            for (claim, verdict) in claims {
                assert_ne!(verdict, "refuted", "{name} with seed {seed}: {claim}");
            }
        }
    }
}

#[test]
fn a_class_can_answer_the_questions_of_ten_experiments() {
    let mut asked = Vec::new();
    for name in shipped::names() {
        let source = Source::shipped(&name, &[]).expect("it ships");
        let experiment = Experiment::read(&name, source).expect("it can be read");
        if !experiment.texts.ballot.is_empty() {
            asked.push(name);
        }
    }
    assert!(asked.len() >= 10, "{asked:?}");
    let course = Course::all_shipped();
    let short = course.iter().find(|course| course.name == "sixty-minutes");
    for lesson in short.expect("it ships").lessons() {
        assert!(asked.contains(&lesson.name), "{} asks nothing", lesson.name);
    }
}
