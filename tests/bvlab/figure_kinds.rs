//! Kinds of figure: each is documented, can be drawn, and says in words what it shows.

use std::fs;
use std::path::Path;

use bvlab::engine::{Options, Unwatched};
use bvlab::experiment::{Experiment, FIGURE_KINDS, Source, figure_reference, shipped};
use bvlab::figure::{self, Drawing};
use bvlab::outcome::Tables;

/// `docs/figures.md` is what the options of the figures say. After a change, run
///
/// ```sh
/// BVLAB_BLESS=1 cargo test --release --test bvlab figure_kinds
/// ```
#[test]
fn the_reference_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/figures.md");
    let reference = figure_reference();
    if std::env::var_os("BVLAB_BLESS").is_some() {
        fs::write(&path, &reference).expect("the reference can be written");
    }
    let written = fs::read_to_string(&path).expect("there is a reference");
    assert!(
        written == reference,
        "docs/figures.md is stale: run with BVLAB_BLESS=1 and look at what has changed"
    );
    for kind in FIGURE_KINDS {
        for option in kind.options {
            let row = format!("| `{}` |", option.name);
            assert!(reference.contains(&row), "{}: {row}", kind.name);
        }
    }
}

/// A small run of the first shipped experiment that the figure suits, and its drawing.
fn drawn(figure: &str) -> Drawing {
    let sets = [
        format!("figure=[{{ {figure} }}]"),
        "run.resamples=8".to_owned(),
    ];
    let read = |name: &String| {
        let source = Source::shipped(name, &sets)?;
        Experiment::read(name, source).ok()
    };
    let names = shipped::names();
    let experiment = names.iter().find_map(read);
    let experiment = experiment.unwrap_or_else(|| panic!("no experiment suits `{figure}`"));
    let outcome = experiment.task.run(Options::new(2, &Unwatched)).unwrap();
    let tables = Tables::of(&experiment.task, &outcome);
    let description = experiment.task.describe();
    let drawing = figure::draw(
        experiment.heading(),
        &description,
        &experiment.figures[0],
        &tables,
    );
    drawing.unwrap_or_else(|error| panic!("{figure}: {error}"))
}

#[test]
fn every_kind_is_drawn_and_says_what_it_shows() {
    for kind in FIGURE_KINDS {
        let drawing = drawn(kind.example);
        let words = drawing.description();
        assert!(words.contains(|c: char| c.is_ascii_digit()), "{words}");
        assert!(words.ends_with('.') && !words.contains("NaN"), "{words}");
        let svg = drawing.to_svg();
        assert!(svg.contains("role=\"img\""), "{}", kind.name);
        let title = svg.split("<title>").nth(1).unwrap();
        assert!(
            title.starts_with(&escaped(drawing.title())),
            "{}",
            kind.name
        );
        let description = svg.split("<desc>").nth(1).unwrap();
        assert!(description.starts_with(&escaped(words)), "{}", kind.name);
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

#[test]
fn words_have_the_numbers_of_the_tables() {
    let sets = ["run.resamples=48".to_owned()];
    let source = Source::shipped("tree-tradeoff", &sets).unwrap();
    let experiment = Experiment::read("tree-tradeoff", source).unwrap();
    let outcome = experiment.task.run(Options::new(2, &Unwatched)).unwrap();
    let tables = Tables::of(&experiment.task, &outcome);
    let description = experiment.task.describe();
    let drawing = figure::draw("", &description, &experiment.figures[0], &tables).unwrap();
    let risks = tables.curves.numbers("risk");
    let digits = |value: f64| format!("{:.3}", value).trim_end_matches('0').to_owned();
    let (depth, lowest) = risks
        .iter()
        .enumerate()
        .min_by(|a, b| a.1.total_cmp(b.1))
        .map(|(i, risk)| (i + 1, *risk))
        .unwrap();
    let said = format!(
        "risk from {} at depth = 1 to {} at depth = 16, lowest {} at depth = {depth}",
        digits(risks[0]),
        digits(risks[15]),
        digits(lowest)
    );
    let words = drawing.description();
    assert!(words.contains(&said), "`{said}` is not in `{words}`");
    // Without a heading there is no title, but there are words.
    let svg = drawing.to_svg();
    assert!(!svg.contains("<title>") && svg.contains("<desc>"));
}
