//! Words with numbers in them: what is written, and errors that point.

use bvlab::engine::{Options, Unwatched};
use bvlab::experiment::words::{ColumnErrors, quantities};
use bvlab::experiment::{Experiment, Source};
use bvlab::outcome::columns::{self, ColumnForm, ColumnType};
use bvlab::outcome::{Statements, Tables};
use rand::RngExt;

use crate::setup::{Place, algorithm, experiment};

const TWO: &str = r#"
[problem]
truth  = "sin(x)"
inputs = { uniform = [0, 15] }
noise  = { normal = 0.5 }
train  = 40

[sweep]
depth = [1, 3, 5]

[[learner]]
name = "tree"
tree = {}

[[learner]]
name = "bagged trees"
bagging = { base = { tree = {} }, members = 5 }

[run]
resamples = 48
test = { grid = 40 }
"#;

fn said(top: &str, rest: &str) -> Statements {
    let experiment = experiment(&format!("{top}\n{TWO}\n{rest}"));
    let options = Options::new(2, &Unwatched);
    let outcome = experiment.task.run(options).unwrap();
    let variants = experiment.variants.iter();
    let variants = variants.map(|one| one.experiment.task.run(options).unwrap());
    Statements::of(&experiment, &outcome, &variants.collect::<Vec<_>>())
}

fn number(text: &str) -> f64 {
    text.replace('−', "-").parse().unwrap()
}

#[test]
fn numbers_take_the_places_of_references() {
    let top = r#"
        title    = "{problem.train} points, {run.resamples} sets, seed {run.seed}, {{braces}}"
        look-for = "{risk@tree, depth=3}|{noise@tree, depth=3 + bias2@tree, depth=3 + variance@tree, depth=3}"
        question = "{best.depth@bagged trees}|{risk@bagged trees, best}|{min(risk@bagged trees, depth=1, min(risk@bagged trees, depth=3, risk@bagged trees, depth=5))}"
        answer   = "{learner.1.bagging.members} {problem.noise.normal} {1 / 3} {2 / 3 | percent} {1 / 3 | 1} {6 / 3 | times}"
    "#;
    let words = said(top, "").words;
    assert_eq!(words.title.unwrap(), "40 points, 48 sets, seed 1, {braces}");
    let look_for = words.look_for.unwrap();
    let (risk, sum) = look_for.split_once('|').unwrap();
    assert!((number(risk) - number(sum)).abs() < 1e-12, "{look_for}");
    let question = words.question.unwrap();
    let parts: Vec<f64> = question.split('|').map(number).collect();
    assert!([1.0, 3.0, 5.0].contains(&parts[0]), "{question}");
    assert!((parts[1] - parts[2]).abs() < 1e-12, "{question}");
    assert_eq!(words.answer.unwrap(), "5 0.500 0.333 67\u{a0}% 0.3 2 times");
}

#[test]
fn titles_and_notes_of_figures_have_numbers() {
    let rest = r#"
        [[figure]]
        title = "At {best.depth@tree}"
        tradeoff = { notes = [{ text = "{problem.train} points", at = [3, 0.5] }] }
        [[figure]]
        stack = [{ title = "{problem.train}", tradeoff = {} }, { tradeoff = {} }]
    "#;
    let found = said("title = 'T'", rest);
    let title = found.figures[0].title.as_deref().unwrap();
    assert!(["At 1", "At 3", "At 5"].contains(&title), "{title}");
    let options = found.figures[0]
        .kind
        .options::<bvlab::experiment::Tradeoff>()
        .unwrap();
    assert_eq!(options.notes[0].text, "40 points");
    let group = found.figures[1]
        .kind
        .options::<bvlab::experiment::Group>()
        .unwrap();
    assert_eq!(group.parts[0].title.as_deref(), Some("40"));
}

#[test]
fn before_a_run_an_ellipsis_stands_for_numbers() {
    let experiment = experiment(&format!("title = 'Best at {{best.depth@tree}}'\n{TWO}"));
    assert_eq!(experiment.heading(), "Best at …");
}

/// The message, the token that is shown and the help of what is wrong with an experiment.
fn wrong(text: &str) -> (String, String, String) {
    let error = Experiment::read("test", Source::new("test.toml", text, &[])).err();
    let error = error.unwrap_or_else(|| panic!("it is right: {text}"));
    let help = error.help().unwrap_or("").to_owned();
    (error.message().to_owned(), error.token().to_owned(), help)
}

#[test]
fn a_wrong_reference_is_an_error_with_its_place() {
    let cases = [
        ("{rsik@tree, depth=3}", "rsik", "did you mean `risk`?"),
        ("{risk@tre, depth=3}", "tre", "did you mean `tree`?"),
        ("{risk@depth=3}", "risk@depth=3", "`tree` or `bagged trees`"),
        ("{risk@tree, depth=4}", "depth=4", "the nearest is"),
        ("{risk@tree, leaves=4}", "leaves=4", "`depth`"),
        ("{risk@tree}", "risk@tree", "add `depth=…`"),
        ("{risk@tree, depth=3, depth=5}", "depth=5", ""),
        ("{risk@tree, bagged trees, depth=3}", "bagged trees", ""),
        ("{risk@many: tree, depth=3}", "many", "has no `[[variant]]`"),
        ("{best.leaves@tree}", "best.leaves", "best.depth"),
        ("{best.depth@tree, depth=3}", "depth=3", "leave it out"),
        (
            "{problem.trian}",
            "problem.trian",
            "did you mean `problem.train`?",
        ),
        ("{problem.truth}", "problem.truth", "single numbers"),
        ("{diversity@tree, depth=3}", "diversity", "run.diversity"),
        ("{bayes_error@tree, depth=3}", "bayes_error", "zero-one"),
        ("{risk@tree, depth=3 | precent}", "precent", "percent"),
        ("{risk@tree, depth=3", "3", "`}`"),
        ("a } b", "}", "`}}`"),
        ("{1 +}", "}", "expected a number"),
        ("{sqr(2)}", "sqr", "did you mean `sqrt`?"),
        ("{max(1)}", "max(1", ""),
        ("{\"tree}", "\"", ""),
        ("{}", "}", "expected a number"),
    ];
    for (answer, token, help) in cases {
        for quote in ["'", "'''", "\"\"\""] {
            if answer.contains('"') && quote == "\"\"\"" {
                continue;
            }
            let text = format!("title = \"é\"\nanswer = {quote}Ä {answer}{quote}\n{TWO}");
            let (message, found, helped) = wrong(&text);
            assert_eq!(found, token, "{answer}: {message}");
            assert!(helped.contains(help), "{answer}: {message}; {helped}");
        }
    }
    let (_, token, _) = wrong(&format!(
        "answer = \"\\\"a\\\" {{rsik@tree, best}}\"\n{TWO}"
    ));
    assert_eq!(token, "rsik");
}

#[test]
fn a_wrong_claim_or_variant_is_an_error_with_its_place() {
    let claim = |that: &str| format!("{TWO}\n[[claim]]\nthat = '{that}'\n");
    for (that, token, help) in [
        ("risk@tree, depth=3", "3", "published"),
        ("risk@tree, depth=3 = 1", "1", "within"),
        ("risk@tree, depth=3 = 1 within 0", "0", "within 0.002"),
        ("risk@tree, depth=3 <= 1", "=", "`<=`"),
        ("1 < risk@tree, depth=3 > 0", ">", "two claims"),
        ("1 < 2", "1 < 2", "risk@depth=5"),
        (
            "best.depth@tree > 2",
            "best.depth@tree > 2",
            "`best.depth in 4..6`",
        ),
        ("best.depth@tree in 1..5", "1..5", ""),
        ("best.depth@tree in 7..9", "7..9", ""),
        ("best.depth@tree in [4]", "4", ""),
        ("best.depth@tree in 5..3", "3", ""),
        ("risk@tree, depth=3 in [1, 2]", "[1, 2]", "range"),
        ("risk@tree, depth=3 > 1 and more", "a", "end here"),
    ] {
        let (message, found, helped) = wrong(&claim(that));
        assert_eq!(found, token, "{that}: {message}");
        assert!(helped.contains(help), "{that}: {message}; {helped}");
    }
    let published = format!("{}published = 0.25\n", claim("risk@tree, depth=3"));
    assert_eq!(wrong(&published).1, "0.25");
    for (variant, token) in [
        (r#"name = "a", set = ["run.seed=2"]"#, r#""run.seed=2""#),
        (
            r#"name = "a", set = ["run.resamples=2"]"#,
            r#""run.resamples=2""#,
        ),
        (r#"name = "a", set = ["title=b"]"#, r#""title=b""#),
        (r#"name = "a", set = ["claim=b"]"#, r#""claim=b""#),
        (
            r#"name = "a", set = ["problem.train=0"]"#,
            r#""problem.train=0""#,
        ),
        (
            r#"name = "a", set = ["problem.trian=5"]"#,
            r#""problem.trian=5""#,
        ),
        (r#"name = "a", set = []"#, "[]"),
        (r#"name = "a:b", set = ["problem.train=5"]"#, r#""a:b""#),
        (r#"name = "", set = ["problem.train=5"]"#, r#""""#),
    ] {
        let text = format!("variant = [{{ {variant} }}]\n{TWO}");
        let (message, found, _) = wrong(&text);
        assert_eq!(found, token, "{variant}: {message}");
    }
    let one = r#"{ name = "NAME", set = ["problem.train=5"] }"#;
    let four = ["a", "b", "c", "d"]
        .map(|name| one.replace("NAME", name))
        .join(", ");
    let (message, ..) = wrong(&format!("variant = [{four}]\n{TWO}"));
    assert_eq!(message, "there can be at most 3 variants");
    let same = ["a", "a"].map(|name| one.replace("NAME", name)).join(", ");
    assert_eq!(wrong(&format!("variant = [{same}]\n{TWO}")).1, r#""a""#);
}

/// One learner and two methods of selection.
const SELECTED: &str = r#"
problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 40 }
sweep   = { k = [1, 4, 8] }
learner = [{ knn = {} }]
run     = { resamples = 48, test = { grid = 40 }, select = ["5-fold", "loo"] }
"#;

#[test]
fn numbers_of_methods_of_selection_are_those_of_their_tables() {
    let text = r#"
        answer = "{estimate@5-fold, k=4 | 12}|{spread@loo, k=8 | 12}|{regret@loo | 12}|{risk@knn, 5-fold | 12}|{risk@k=4 | 12}"
    "#;
    let experiment = experiment(&format!("{text}{SELECTED}"));
    let outcome = experiment.task.run(Options::new(2, &Unwatched)).unwrap();
    let answer = Statements::of(&experiment, &outcome, &[]).words.answer;
    let found: Vec<f64> = answer.unwrap().split('|').map(number).collect();
    let tables = Tables::of(&experiment.task, &outcome);
    let (selection, choices) = (&tables.selection, &tables.choices);
    // Method by method, value by value.
    let wanted = [
        selection.numbers("estimate")[1],
        selection.numbers("spread")[3 + 2],
        choices.numbers("regret")[1],
        choices.numbers("risk")[0],
        tables.curves.numbers("risk")[1],
    ];
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        // As far as their errors allow.
        assert!(
            (found - wanted).abs() < 0.1 * wanted.abs(),
            "{found} {wanted}"
        );
    }
}

#[test]
fn wrong_references_to_methods_of_selection_say_what_is_missing() {
    for (reference, token, help) in [
        ("{regret@k=4}", "regret", "add `5-fold`"),
        ("{estimate@5-fold}", "estimate@5-fold", "add `k=…`"),
        (
            "{regret@5-fold, k=4}",
            "regret@5-fold, k=4",
            "leave `k=…` out",
        ),
        ("{regrets@5-fold}", "regrets", "did you mean `regret`?"),
        ("{regret@6-fold}", "6-fold", "`5-fold`"),
        ("{estimate@5-fold, loo, k=4}", "loo", ""),
        ("{estimate@5-fold, best}", "best", "give a value"),
    ] {
        let text = format!("answer = '{reference}'\n{SELECTED}");
        let (message, found, helped) = wrong(&text);
        assert_eq!(found, token, "{reference}: {message}");
        assert!(helped.contains(help), "{reference}: {message}; {helped}");
    }
}

#[test]
fn check_shows_the_line_of_a_wrong_reference() {
    let text = format!("answer = '{{variance@tree, depth=7}}'\n{TWO}");
    let place = Place::with(&[("mine.toml", &text)]);
    let (code, _, err) = place.run(&["check", "mine.toml"]);
    assert_eq!(code, 2);
    for part in [
        "mine.toml:1:",
        "depth=7",
        "`depth` does not have the value 7",
    ] {
        assert!(err.contains(part), "{part}: {err}");
    }
}

#[test]
fn names_are_matched_the_longest_first_and_may_be_quoted() {
    let text = TWO.replace("name = \"tree\"", "name = \"trees - a\"");
    let text = text.replace("name = \"bagged trees\"", "name = \"trees\"");
    let top = "answer = '{risk@trees - a, depth=3 - risk@trees, depth=3}{risk@\"trees - a\", depth=3 - risk@trees, depth=3}'";
    let experiment = experiment(&format!("{top}\n{text}"));
    let outcome = experiment.task.run(Options::new(2, &Unwatched)).unwrap();
    let answer = Statements::of(&experiment, &outcome, &[])
        .words
        .answer
        .unwrap();
    let half = answer.len() / 2;
    assert_eq!(answer[..half], answer[half..], "{answer}");
}

#[test]
fn two_way_sweeps_name_both_axes() {
    let text = TWO.replace("depth = [1, 3, 5]", "depth = [1, 3, 5]\ntrain = [20, 80]");
    let text = text.replace("train  = 40\n", "");
    let top = "answer = '{risk@tree, depth=3, train=80} {best.depth@tree, train=80} {best.train@tree, depth=3} {risk@tree, train=80, best} {best.train@tree} {train@tree, train=20, depth=1}'";
    let experiment = experiment(&format!("{top}\n{text}"));
    let outcome = experiment.task.run(Options::new(2, &Unwatched)).unwrap();
    let answer = Statements::of(&experiment, &outcome, &[])
        .words
        .answer
        .unwrap();
    let parts: Vec<f64> = answer.split(' ').map(number).collect();
    assert!(parts[3] <= parts[0], "{answer}");
    // More points are better.
    assert_eq!(
        [parts[2], parts[4], parts[5]],
        [80.0, 80.0, 20.0],
        "{answer}"
    );
}

#[test]
fn texts_can_refer_to_all_numbers_of_curves() {
    let curves = columns::table(columns::CURVES).unwrap();
    let places = ["learner", "axis", "value", "axis2", "value2"];
    let mut described: Vec<(&str, ColumnErrors)> = Vec::new();
    for column in curves.columns {
        if column.cells == ColumnType::Text || places.contains(&column.name) {
            continue;
        }
        // Some errors are described as columns of their own.
        if let Some(name) = column.name.strip_suffix("_se") {
            let known = described.iter_mut().find(|one| one.0 == name).unwrap();
            known.1 = ColumnErrors::Error;
            continue;
        }
        let errors = match column.form {
            ColumnForm::WithError => ColumnErrors::Error,
            ColumnForm::WithInterval => ColumnErrors::Interval,
            _ => ColumnErrors::None,
        };
        described.push((column.name, errors));
    }
    let mut known: Vec<(&str, ColumnErrors)> = quantities().collect();
    known.sort_by_key(|one| one.0);
    described.sort_by_key(|one| one.0);
    assert_eq!(known, described);
}

#[test]
fn no_text_makes_the_parser_panic_or_recurse_without_end() {
    let pieces = [
        "{",
        "}",
        "{{",
        "}}",
        "(",
        ")",
        "[",
        "]",
        "risk",
        "@",
        "tree",
        "bagged trees",
        "depth",
        "=",
        "3",
        "..",
        ".",
        ",",
        " ",
        " - ",
        "+",
        "*",
        "/",
        "|",
        "percent",
        "best",
        "best.",
        "in",
        "within",
        "<",
        ">",
        "\"",
        ":",
        "max(",
        "sqrt(",
        "1e5",
        "1e999",
        "-",
        "é",
        "²",
        "problem.train",
        "variance_se",
        "\n",
        "e",
        "0",
    ];
    use std::fmt::Write;
    let mut stream = algorithm(17);
    let mut right = 0;
    for round in 0..3000 {
        let mut text = String::new();
        for _ in 0..1 + round % 24 {
            let _ = write!(text, "{}", pieces[stream.random_range(0..pieces.len())]);
        }
        let quoted = toml::Value::String(text.clone()).to_string();
        let braced = toml::Value::String(format!("{{{text}}}")).to_string();
        for key in [
            format!("answer = {quoted}\n{TWO}"),
            format!("answer = {braced}\n{TWO}"),
            format!("{TWO}\n[[claim]]\nthat = {quoted}\n"),
        ] {
            let read = Experiment::read("test", Source::new("test.toml", &key, &[]));
            match read {
                Ok(_) => right += 1,
                Err(error) => assert!(!error.message().is_empty(), "{text}"),
            }
        }
    }
    assert!(right > 100, "{right}");
    for deep in ["(", "-", "sqrt(", "max(1, ", "+"] {
        for length in [60, 900, 100_000] {
            let (message, ..) = wrong(&format!("answer = '{{{}'\n{TWO}", deep.repeat(length)));
            assert!(message.contains("levels deep"), "{message}");
        }
    }
    let long = vec!["1"; 100_000].join(" + ");
    let (_, _, help) = wrong(&format!("answer = '{{{long}}}'\n{TWO}"));
    assert!(help.contains("too long"), "{help}");
    let many = "{1} ".repeat(101);
    let (message, ..) = wrong(&format!("answer = '{many}'\n{TWO}"));
    assert!(message.contains("at most 100 numbers"), "{message}");
    let claims = "[[claim]]\nthat = 'risk@tree, depth=3 > 0'\n".repeat(101);
    let (message, ..) = wrong(&format!("{TWO}\n{claims}"));
    assert!(message.contains("at most 100 claims"), "{message}");
}
