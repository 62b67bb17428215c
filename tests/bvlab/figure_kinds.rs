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

/// The figures of `tree-tradeoff` with others in their place, read.
fn read(name: &str, figure: &str) -> Result<Experiment, String> {
    let sets = [
        format!("figure=[{{ {figure} }}]"),
        "run.resamples=30".to_owned(),
    ];
    let source = Source::shipped(name, &sets).unwrap();
    let experiment = Experiment::read(name, source);
    experiment.map_err(|error| format!("{error} {:?}", error))
}

fn svg(name: &str, figure: &str) -> String {
    let experiment = read(name, figure).unwrap();
    let outcome = experiment.task.run(Options::new(2, &Unwatched)).unwrap();
    let tables = Tables::of(&experiment.task, &outcome);
    let description = experiment.task.describe();
    let drawing = figure::draw("title", &description, &experiment.figures[0], &tables);
    drawing.unwrap().to_svg()
}

#[test]
fn words_of_ones_own_take_the_place_of_the_usual_ones() {
    let tree = svg(
        "tree-tradeoff",
        "tradeoff = { x-label = \"splits\", y-label = \"loss\", labels = { risk = \"all\" }, \
         notes = [{ text = \"too stiff\", x = 2, on = \"risk\" }, { text = \"apart\", x = 10.5, between = [\"bias2\", \"risk\"] }] }",
    );
    for word in ["splits", "loss", "all", "too stiff", "apart"] {
        assert!(tree.contains(&format!(">\n{word}\n<")), "no `{word}`");
    }
    assert!(!tree.contains(">\nrisk\n<") && !tree.contains("squared error"));
    let fits = svg(
        "tree-fits",
        "fits = { set = 3, refits = 1, x-label = \"time\", labels = { truth = \"signal\", refits = \"model\" } }",
    );
    for word in ["time", "signal", "model"] {
        assert!(fits.contains(&format!(">\n{word}\n<")), "no `{word}`");
    }
    let other = svg("tree-fits", "fits = { refits = 1 }");
    assert!(fits != other, "another training set is another picture");
}

#[test]
fn learners_joined_end_to_end_share_one_axis() {
    let options = "parts = [\"risk\"], x-scale = \"log\"";
    let joined = svg(
        "descent-forest",
        &format!("tradeoff = {{ join = true, {options} }}"),
    );
    let apart = svg("descent-forest", &format!("tradeoff = {{ {options} }}"));
    // The learners' names stand below the axis rather than above the panels.
    let height = |svg: &str| -> f64 {
        let (before, _) = svg.split_once(">\nleaves of one tree\n<").unwrap();
        let element = before.rsplit("<text").next().unwrap();
        let y = element.split(" y=\"").nth(1).unwrap();
        y.split('"').next().unwrap().parse().unwrap()
    };
    assert!(height(&joined) > 2.0 * height(&apart));
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let one = |note: &str| format!("tradeoff = {{ notes = [{{ text = \"a\", {note} }}] }}");
    for (figure, said) in [
        (
            one("x = 2, on = \"risks\""),
            "no curve here is called `risks`",
        ),
        (one("x = 99, on = \"risk\""), "99 lies outside the sweep"),
        (one("on = \"risk\""), "need `x`"),
        (one("x = 2"), "`x` needs `on` or `between`"),
        (one("x = 2, between = [\"risk\"]"), "needs two curves"),
        (
            one("panel = \"forest\", at = [2, 0.1]"),
            "no panel here is called `forest`",
        ),
        (
            "tradeoff = { join = true }".to_owned(),
            "`join` needs two curves",
        ),
        (
            "tradeoff = { labels = { forest = \"a\" } }".to_owned(),
            "nothing here is called `forest`",
        ),
        (
            "tradeoff = { labels = { risk = 3 } }".to_owned(),
            "expected a string",
        ),
        (
            "tradeoff = { categories = [\"a\"] }".to_owned(),
            "1 names do not fit",
        ),
        (
            "tradeoff = { shade = [\"risk\"] }".to_owned(),
            "`shade` needs two",
        ),
        (
            "fits = { set = 1000000 }".to_owned(),
            "training sets are kept",
        ),
    ] {
        let error = read("tree-tradeoff", &figure).err().unwrap_or_default();
        assert!(error.contains(said), "{figure}: `{error}` has no `{said}`");
    }
}

/// Bands of settings that share their test points are those of the differences from the best.
#[test]
fn paired_bands_have_no_width_at_the_best_setting() {
    let band = |bands: &str| {
        let figure = format!("tradeoff = {{ parts = [\"risk\"], bands = \"{bands}\" }}");
        svg("iris-trees", &figure).matches("<polygon").count()
    };
    assert_eq!([band("own"), band("paired"), band("none")], [1, 1, 0]);
    assert!(svg("iris-trees", "tradeoff = {}").contains("difference from the best, paired"));
}
