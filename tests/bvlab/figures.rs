//! Figures are drawn from tables alone and carry what they should.

use bvlab::engine::{Options, Unwatched};
use bvlab::experiment::shipped;
use bvlab::experiment::{Experiment, Figure, Source};
use bvlab::figure::{self, FigureError};
use bvlab::outcome::{Table, Tables};
use bvlab::simulation::Setup;
use bvlab::task::Task;

use crate::setup::experiment;

fn tables(task: &Task) -> Tables {
    let outcome = task.run(Options::new(2, &Unwatched)).unwrap();
    Tables::of(task, &outcome)
}

fn draw(
    experiment: &Experiment,
    figure: &Figure,
    tables: &Tables,
) -> Result<figure::Drawing, FigureError> {
    let description = experiment.task.describe();
    figure::draw(experiment.heading(), &description, figure, tables)
}

fn drawings(text: &str) -> Vec<(String, figure::Drawing)> {
    let experiment = experiment(text);
    let tables = tables(&experiment.task);
    let draw = |f: &Figure| (f.name.clone(), draw(&experiment, f, &tables).unwrap());
    experiment.figures.iter().map(draw).collect()
}

/// A drawing's content, without the fonts that it carries.
fn content(svg: &str) -> &str {
    svg.split_once("</style>").unwrap().1
}

/// The width and height that a PNG's header gives.
fn size(png: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!(&png[1..4], b"PNG");
    (number(16), number(20))
}

#[test]
fn every_shipped_experiment_has_its_words() {
    for name in shipped::names() {
        let source = Source::shipped(&name, &[]).unwrap();
        let e = Experiment::read(&name, source).unwrap();
        assert!(
            e.words.title.is_some() && e.words.look_for.is_some(),
            "{name} has no title or look-for"
        );
        assert!(
            e.words.question.is_some() && e.words.answer.is_some(),
            "{name} has no question or answer"
        );
        assert!(!e.figures.is_empty(), "{name} has no figure");
    }
}

const THREE: &str = r#"
    title = "Squares & <tags>"

    [problem]
    truth  = "sin(x)"
    inputs = { uniform = [0, 10], fixed = true }
    noise  = { normal = 0.4 }
    train  = 25

    [[learner]]
    sweep = { k = "1..20" }
    knn = {}

    [[learner]]
    name = "stump"
    tree = { depth = 1 }

    [run]
    resamples = 60
    test = { grid = 50 }

    [[figure]]
    tradeoff = { parts = ["noise", "bias2", "variance", "risk", "test", "train"], runs = 10 }

    [[figure]]
    tradeoff = { overlay = true, y-scale = "log" }

    [[figure]]
    fits = { learners = ["knn"], values = [1, 20] }

    [[figure]]
    name = "along"
    title = "Along x"
    pointwise = {}
"#;

#[test]
fn drawings_say_what_they_show() {
    let all = drawings(THREE);
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["tradeoff", "tradeoff-2", "fits", "along"]);
    let svgs: Vec<String> = all.iter().map(|(_, drawing)| drawing.to_svg()).collect();
    let says = |svg: &str, words: &[&str]| {
        for word in words {
            assert!(svg.contains(&format!(">\n{word}")), "no `{word}`");
        }
    };
    let parts = [
        "noise",
        "bias²",
        "variance",
        "risk",
        "testing error",
        "training error",
    ];
    says(&svgs[0], &parts);
    says(
        &svgs[0],
        &[
            "Squares &amp; &lt;tags&gt;",
            "stump",
            "number of neighbours, k",
            "best at k = ",
        ],
    );
    says(
        &svgs[0],
        &[
            "60 training sets of 25 points",
            "dots: simulated, with 95 % intervals  ·  lines: exact  ·  faint: 10",
        ],
    );
    says(&svgs[1], &["knn", "stump"]);
    says(
        &svgs[2],
        &["k = 1", "k = 20", "truth", "refits", "mean fit"],
    );
    says(&svgs[3], &["Along x", "stump"]);
    for svg in &svgs {
        assert!(
            svg.contains("@font-face"),
            "the drawing does not carry its fonts"
        );
        assert!(
            !content(svg).contains("NaN") && !content(svg).contains("inf"),
            "a place is not a number"
        );
    }
}

const DESCENT: &str = r#"
    [problem]
    truth  = { linear = 1.0 }
    inputs = { normal = [0, 1], dimension = 3 }
    noise  = { normal = 0.3 }
    train  = 12

    [sweep]
    features = [3, 6, 10, 12, 14, 20, 40]
    lambda   = [0, 0.1]

    [[learner]]
    fourier = { scale = 0.5 }

    [run]
    resamples = 200
    sources = true
    test = { draw = 50 }

    [[figure]]
    tradeoff = { parts = ["bias2", "variance", "risk", "median", "train"], x-scale = "log", y-scale = "log", below = ["weight-norm", "condition", "rank"], marks = [{ at = 12, text = "p = n" }] }

    [[figure]]
    tradeoff = { overlay = true, parts = ["median"], second = [0.1], below = ["weight-norm"] }

    [[figure]]
    heatmap = { parts = ["risk", "train", "median"], marks = [{ at = 12, text = "threshold" }] }

    [[figure]]
    sources = { second = [0] }

    [[figure]]
    name = "share"
    sources = { second = [0, 0.1], share = true }
"#;

#[test]
fn drawings_of_double_descent_say_what_they_show() {
    let all = drawings(DESCENT);
    let svgs: Vec<String> = all.iter().map(|(_, drawing)| drawing.to_svg()).collect();
    let expected: [&[&str]; 5] = [
        &[
            "λ = 0",
            "λ = 0.1",
            "p = n",
            "median risk",
            "weight norm",
            "condition number",
            "rank",
            "200 resamples of 8 crossed fits to training sets of 12 points",
            "bands: 95 % intervals (median: quartiles)",
        ],
        &["λ = 0.1", "bands: from quartile", "weight norm"],
        &[
            "risk",
            "training error",
            "median risk",
            "threshold",
            "λ",
            "crossed out",
        ],
        &[
            "inputs × algorithm",
            "all three",
            "variance",
            "200 resamples of 8 crossed fits",
        ],
        &["share of the variance", "λ = 0.1"],
    ];
    for ((svg, words), (name, _)) in svgs.iter().zip(expected).zip(&all) {
        for word in words {
            assert!(svg.contains(word), "{name}: no `{word}`");
        }
        let content = content(svg);
        assert!(
            !content.contains("NaN") && !content.contains("inf\""),
            "{name}"
        );
    }
    assert!(!svgs[1].contains("λ = 0<") && !svgs[1].contains("heavy tail"));
}

const LOOKS: &str = r##"
    title = "Looks"

    [problem]
    truth  = "sin(x)"
    inputs = { uniform = [0, 10] }
    noise  = { normal = 0.4 }
    train  = 25

    [sweep]
    depth = "1..6"

    [[learner]]
    colour = "#12ab34"
    tree = {}

    [[learner]]
    name = "low bias: forest"
    forest = { trees = 5 }

    [run]
    resamples = 60
    test = { grid = 50 }

    [look]
    theme = "dark"

    [[figure]]
    tradeoff = { overlay = true, notes = [{ text = "here", at = [3, 0.5], to = [4, 0.4] }, { text = "there", x = 2, on = "tree" }] }

    [[figure]]
    shape = "paper"
    theme = "light"
    font-scale = 1.25
    title = ""
    tradeoff = { learners = ["tree"] }

    [[figure]]
    shape = "square"
    stack = [
        { title = "above", fits = { learners = ["tree"], values = [2], sample = "truth", split = true } },
        { beside = [{ tradeoff = { learners = ["tree"] } }, { dartboard = { at = [1, 5] } }] },
    ]
"##;

#[test]
fn figures_come_in_shapes_themes_and_groups() {
    let all = drawings(LOOKS);
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["tradeoff", "tradeoff-2", "stack"]);
    let pixels: Vec<_> = all
        .iter()
        .map(|(_, d)| size(&d.to_png().unwrap()))
        .collect();
    assert_eq!(pixels, [(1920, 1080), (2040, 1530), (1350, 1350)]);
    let [dark, paper, square] = [0, 1, 2].map(|i| all[i].1.to_svg());
    // The learner's colour, made lighter for dark paper; the note and its arrow.
    assert!(
        dark.contains("#181A1E") && dark.contains("\nhere") && dark.contains("\nthere"),
        "dark paper"
    );
    assert!(dark.contains("#54C26C"), "the learner's own colour");
    assert!(
        paper.contains("#FFFFFF") && !paper.contains("Looks"),
        "no heading"
    );
    for word in ["above", "data and truth", "low bias", "forest", "bias² "] {
        assert!(square.contains(word), "no `{word}`");
    }
}

#[test]
fn a_page_without_room_is_an_error_and_no_panic() {
    let crowded = LOOKS.replace(
        "shape = \"square\"",
        "shape = \"paper\"\n    font-scale = 2",
    );
    let experiment = experiment(&crowded);
    let drawn = draw(
        &experiment,
        &experiment.figures[2],
        &tables(&experiment.task),
    );
    let error = drawn.unwrap_err();
    assert!(error.to_string().contains("no room"), "{error}");
    // Every shipped figure fits on every page, or says that it does not.
    let looks = ["slide", "paper", "square"].iter().flat_map(|shape| {
        ["1", "2"].map(|scale| {
            format!("look={{ shape = \"{shape}\", font-scale = {scale}, theme = \"dark\" }}")
        })
    });
    for (look, name) in looks.zip(
        ["pointwise", "descent-fits", "majority-vote"]
            .iter()
            .cycle(),
    ) {
        let sets = [look.clone(), "run.resamples=30".to_owned()];
        let source = Source::shipped(name, &sets).unwrap();
        let e = Experiment::read(name, source).unwrap();
        let tables = match &e.task {
            Task::Simulation(setup) => tables(&Task::Simulation(Setup {
                resamples: 30,
                seed: 1,
                ..setup.clone()
            })),
            task => tables(task),
        };
        for f in &e.figures {
            match draw(&e, f, &tables) {
                Ok(drawing) => assert!(drawing.to_png().is_ok()),
                Err(error) => assert!(error.to_string().contains("no room"), "{name} {look}"),
            }
        }
    }
}

#[test]
fn text_stays_text_in_a_pdf() {
    let (_, drawing) = &drawings(LOOKS)[0];
    let pdf = drawing.to_pdf().unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
    let find = |word: &[u8]| pdf.windows(word.len()).filter(|w| *w == word).count();
    // Both fonts are embedded, with the way back from their glyphs to letters.
    assert_eq!(find(b"/ToUnicode"), 2);
    assert!(find(b"Inter-Regular") > 0 && find(b"Inter-SemiBold") > 0);
    assert_eq!(
        find(b"/Subtype/Image") + find(b"/Subtype /Image"),
        0,
        "nothing is a bitmap"
    );
}

#[test]
fn what_is_infinite_or_leaves_the_axis_is_drawn_as_far_as_it_goes() {
    let (_, drawing) = &drawings(&THREE.replace("y-scale = \"log\"", "y-max = 0.05"))[1];
    assert!(!content(&drawing.to_svg()).contains("NaN"));
    for change in [
        ("test = { draw = 50 }", "test = { draw = 2 }"),
        ("noise  = { normal = 0.3 }", "noise  = { normal = 0 }"),
        ("resamples = 200", "resamples = 4"),
        (
            "sources = { second = [0] }",
            "sources = { second = [0], y-max = 0.01 }",
        ),
        ("features = [3, 6, 10, 12, 14, 20, 40]", "features = [12]"),
    ] {
        assert!(DESCENT.contains(change.0));
        for (name, drawing) in drawings(&DESCENT.replace(change.0, change.1)) {
            assert!(
                !content(&drawing.to_svg()).contains("NaN"),
                "{change:?} {name}"
            );
            assert!(drawing.to_png().is_ok());
        }
    }
}

#[test]
fn the_same_tables_give_the_same_picture_after_a_way_to_disk() {
    let experiment = experiment(THREE);
    let tables = tables(&experiment.task);
    let folder = tempfile::tempdir().unwrap();
    let again = |table: &Table| {
        let path = folder.path().join("table.parquet");
        table.write_parquet(&path).unwrap();
        Table::read_parquet(&path).unwrap()
    };
    let back = Tables {
        curves: again(&tables.curves),
        points: again(&tables.points),
        training: again(&tables.training),
        fits: again(&tables.fits),
        runs: again(&tables.runs),
        best: tables.best.clone(),
        ..Tables::default()
    };
    for f in &experiment.figures {
        let [a, b] = [&tables, &back].map(|tables| draw(&experiment, f, tables).unwrap());
        assert!(a == b, "{}", f.name);
    }
}

#[test]
fn degenerate_data_can_be_drawn() {
    for change in [
        ("noise  = { normal = 0.4 }", "noise  = { normal = 0 }"),
        ("truth  = \"sin(x)\"", "truth  = \"0\""),
        ("truth  = \"sin(x)\"", "truth  = \"1e150*sin(x)\""),
        ("truth  = \"sin(x)\"", "truth  = \"1e-150*sin(x)\""),
        ("resamples = 60", "resamples = 4"),
        ("grid = 50", "grid = 1"),
        ("uniform = [0, 10]", "uniform = [1e9, 1.000001e9]"),
    ] {
        assert!(THREE.contains(change.0));
        for (name, drawing) in drawings(&THREE.replace(change.0, change.1)) {
            assert!(
                !content(&drawing.to_svg()).contains("NaN"),
                "{change:?} {name}"
            );
            assert!(drawing.to_png().is_ok());
        }
    }
    let (from, to) = ("train  = 25", "train  = 1");
    let text = THREE
        .replace(from, to)
        .replace("1..20", "1..1")
        .replace("[1, 20]", "[1]");
    assert_eq!(drawings(&text).len(), 4);
}
