//! Selection and degrees of freedom from TOML to tables, files and figures.

use bvlab::engine::{self, Unwatched};
use bvlab::experiment::{Experiment, Source};
use bvlab::outcome::{Table, Tables};

use crate::setup::{Place, plan, run};

const STUDY: &str = r#"
    problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 30 }
    sweep   = { k = "1..8" }
    learner = [{ knn = {} }]
    run     = { resamples = 60, keep = 10, select = ["5-fold", "loo", "aic"], df = true, test = { grid = 40 } }
    figure  = [{ selection = { runs = 1, train = true } }, { tradeoff = { x = "df" } }]
"#;

/// Message, token and help for a text that is wrong.
fn complaint(text: &str) -> (String, String, String) {
    let error = match Experiment::read("bad", Source::new("bad.toml", text, &[])) {
        Ok(_) => panic!("it was accepted: {text}"),
        Err(error) => error,
    };
    let help = error.help().unwrap_or("").to_owned();
    (error.message().to_owned(), error.token().to_owned(), help)
}

#[track_caller]
fn refuses(from: &str, to: &str, token: &str, message: &str, help: &str) {
    assert!(STUDY.contains(from), "{from}");
    let found = complaint(&STUDY.replacen(from, to, 1));
    assert!(found.0.contains(message), "{found:?}");
    assert_eq!(found.1, token, "{found:?}");
    assert!(found.2.contains(help), "{found:?}");
}

#[test]
fn what_cannot_be_selected_is_refused_at_its_place() {
    let unknown = "unknown method of selection";
    refuses(
        "\"aic\"",
        "\"aci\"",
        "\"aci\"",
        unknown,
        "did you mean `aic`?",
    );
    refuses(
        "\"loo\"",
        "\"31-fold\"",
        "\"31-fold\"",
        "needs at least 31 training points",
        "loo",
    );
    refuses("\"aic\"", "\"loo\"", "\"loo\"", "listed twice", "leave");
    refuses(
        "[\"5-fold\", \"loo\", \"aic\"]",
        "[]",
        "[]",
        "is empty",
        "10-fold",
    );
    let learners = (
        "sweep   = { k = \"1..8\" }\n    learner = [{ knn = {} }]",
        "\
        sweep   = { depth = \"1..8\" }\n    learner = [{ tree = {} }]",
    );
    let wrong = "`aic` cannot select the capacity of `tree`";
    refuses(learners.0, learners.1, "\"aic\"", wrong, "10-fold");
    let list = "[\"5-fold\", \"loo\", \"aic\"]";
    let size = "{ train = \"20..22\" }";
    refuses(
        "{ k = \"1..8\" }\n    learner = [{ knn = {} }]",
        &format!("{size}\n    learner = [{{ knn = {{ k = 1 }} }}]"),
        list,
        "swept over `train`",
        "second",
    );
    refuses(
        "df = true",
        "sources = true",
        list,
        "exclude each other",
        "twice",
    );
    refuses(
        "{ x = \"df\" }",
        "{ x = \"weight-norm\" }",
        "\"weight-norm\"",
        "solves for weights",
        "fourier",
    );
    refuses(
        "df = true, ",
        "",
        "\"df\"",
        "`run.df = true`",
        "add `df = true`",
    );
    refuses(
        "select = [\"5-fold\", \"loo\", \"aic\"], ",
        "",
        "{ selection = { runs = 1, train = true } }",
        "`run.select` computes",
        "10-fold",
    );
}

#[test]
fn a_table_with_repeated_rows_is_refused() {
    let rows: Vec<String> = (0..40).map(|i| format!("{i},{}", i % 7)).collect();
    let table = format!("x,y\n{}\n", rows.join("\n"));
    let text = |resample: &str| {
        format!(
            "problem = {{ table = \"t.csv\", target = \"y\", resample = \"{resample}\" }}\nsweep = {{ k = \"1..4\" }}\n\
             learner = [{{ knn = {{}} }}]\nrun = {{ resamples = 40, select = [\"5-fold\"] }}\n"
        )
    };
    let place = Place::with(&[
        ("t.csv", &table),
        ("halves.toml", &text("halves")),
        ("all.toml", &text("bootstrap")),
    ]);
    place.done(&["run", "halves.toml"]);
    assert!(place.has("results/halves/choices.csv"));
    let (code, _, said) = place.run(&["check", "all.toml"]);
    assert!(code != 0 && said.contains("halves"), "{said}");
}

#[test]
fn tables_say_the_same_as_each_other() {
    let (plan, results) = run(STUDY);
    let tables = Tables::new(&plan, &results);
    let (curves, selection, choices) = (&tables.curves, &tables.selection, &tables.choices);
    assert_eq!(
        (selection.rows(), choices.rows(), tables.estimates.rows()),
        (24, 3, 240)
    );
    let risk = curves.numbers("risk");
    for i in 0..16 {
        let bias = selection.numbers("estimate")[i] - risk[i % 8];
        assert!((selection.numbers("bias")[i] - bias).abs() < 1e-12);
    }
    assert!(
        selection.numbers("bias")[16..]
            .iter()
            .all(|bias| bias.is_nan())
    );
    for (k, df) in (1..).zip(curves.numbers("df")) {
        assert!((df - 30.0 / f64::from(k)).abs() < 1e-9);
    }
    let shares = selection.numbers("chosen").chunks_exact(8);
    assert!(
        shares
            .into_iter()
            .all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12)
    );
    // Without being asked for, nothing is added.
    let plain = STUDY.replace("select = [\"5-fold\", \"loo\", \"aic\"], df = true, ", "");
    let plain = plain.replace(
        "figure  = [{ selection = { runs = 1, train = true } }, { tradeoff = { x = \"df\" } }]",
        "",
    );
    let (plan, results) = run(&plain);
    let without = Tables::new(&plan, &results);
    assert_eq!(without.selection, Table::default());
    assert!(
        !without
            .curves
            .names()
            .any(|name| ["df", "optimism"].contains(&name))
    );
    for name in without.curves.names() {
        let same = without
            .curves
            .numbers(name)
            .iter()
            .zip(curves.numbers(name));
        assert!(
            same.into_iter().all(|(a, b)| a == b || a.is_nan()),
            "{name}"
        );
    }
}

#[test]
fn slabs_threads_and_files_change_nothing() {
    let two = STUDY.replace("{ k = \"1..8\" }", "{ k = \"1..8\", train = [20, 30] }");
    let whole = plan(&two);
    let parts = plan(&two.replace("resamples = 60", "resamples = 60, slab = 8"));
    let of = |plan, threads| Tables::new(plan, &engine::run(plan, threads, &Unwatched).unwrap());
    let (one, other) = (of(&whole, 1), of(&parts, 2));
    assert_eq!(parts.slab_count(), 2);
    for name in Tables::SELECTION_NAMES {
        let [a, b] =
            [&one, &other].map(|tables| tables.of_selection(name).unwrap().to_csv().unwrap());
        assert!(a == b, "{name}");
    }
    assert_eq!(one.choices.rows(), 6);
    let place = Place::with(&[("mine.toml", &two)]);
    place.done(&["run", "mine.toml"]);
    let csv = std::fs::read(place.path().join("results/mine/choices.csv")).unwrap();
    assert!(csv == one.choices.to_csv().unwrap());
    place.done(&["draw", "results/mine", "--format", "svg"]);
    assert!(place.has("results/mine/selection.svg"));
    place.done(&["verify", "results/mine"]);
}
