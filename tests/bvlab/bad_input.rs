//! Whatever a user types, the answer is a sentence that points at the token.

use bvlab::experiment::{Experiment, Source};

use crate::setup::plan;

const GOOD: &str = r#"title = "Good"

[problem]
truth  = "sin(x)"
inputs = { uniform = [0, 15] }
noise  = { normal = 0.5 }
train  = 100

[sweep]
depth = "1..16"

[[learner]]
tree = { min-leaf = 2 }

[run]
resamples = 100
seed = 1
test = { grid = 50 }

[[figure]]
tradeoff = { runs = 5 }
"#;

/// What is wrong with the good experiment after one replacement: message, token and help.
fn complaint(from: &str, to: &str) -> (String, String, String) {
    assert!(GOOD.contains(from), "the good experiment has no `{from}`");
    let text = GOOD.replacen(from, to, 1);
    match Experiment::read("bad", Source::new("bad.toml", &text, &[])) {
        Ok(_) => panic!("`{to}` instead of `{from}` was accepted"),
        Err(error) => (
            error.message().to_owned(),
            error.token().to_owned(),
            error.help().unwrap_or("").to_owned(),
        ),
    }
}

#[track_caller]
fn refuses(from: &str, to: &str, token: &str, message: &str, help: &str) {
    let (got_message, got_token, got_help) = complaint(from, to);
    let got = format!("{to}\n  message: {got_message}\n  token: {got_token}\n  help: {got_help}");
    assert!(got_message.contains(message), "{got}");
    assert_eq!(got_token, token, "{got}");
    assert!(got_help.contains(help), "{got}");
}

#[test]
fn the_good_experiment_is_good() {
    assert!(Experiment::read("good", Source::new("good.toml", GOOD, &[])).is_ok());
}

#[test]
fn text_that_is_not_toml() {
    refuses("[run]", "[run", "", "", "not valid TOML");
    refuses(
        "seed = 1",
        "seed = 1\nseed = 2",
        "seed",
        "",
        "not valid TOML",
    );
}

#[test]
fn unknown_keys_with_the_nearest_known_one() {
    refuses(
        "train  =",
        "trian  =",
        "trian",
        "`trian` is not known",
        "`train`",
    );
    refuses("[run]", "[runn]", "runn", "`runn` is not known", "`run`");
    refuses(
        "uniform",
        "unifrom",
        "unifrom",
        "`unifrom` is not known",
        "`uniform`",
    );
    refuses(
        "min-leaf",
        "min-leave",
        "min-leave",
        "`tree` has no `min-leave`",
        "`min-leaf`",
    );
    refuses("tree =", "tre =", "tre", "`tre` is not known", "`tree`");
    refuses(
        "tradeoff =",
        "trade-off =",
        "trade-off",
        "`trade-off` is not known",
        "`tradeoff`",
    );
    refuses(
        "runs = 5",
        "rums = 5",
        "rums",
        "`rums` is not known",
        "`runs`",
    );
    refuses(
        "{ grid = 50 }",
        "{ gird = 50 }",
        "{ gird = 50 }",
        "expected { grid = N }",
        "",
    );
    refuses(
        "title =",
        "banana =",
        "banana",
        "`banana` is not known",
        "expected",
    );
}

#[test]
fn values_of_the_wrong_type() {
    refuses(
        "train  = 100",
        "train  = \"many\"",
        "\"many\"",
        "expected a number",
        "",
    );
    refuses(
        "truth  = \"sin(x)\"",
        "truth  = 3",
        "3",
        "expected a string",
        "",
    );
    for from in ["\"sin(x)\"", "100", "\"1..16\""] {
        refuses(from, "2026-01-31", "2026-01-31", "a date or a time", "");
    }
    refuses("[0, 15]", "[0]", "[0]", "expected two numbers", "");
    refuses("[0, 15]", "15", "15", "expected two numbers", "");
    refuses(
        "normal = 0.5",
        "normal = [1]",
        "[1]",
        "expected a number, or an expression",
        "",
    );
    refuses(
        "min-leaf = 2",
        "min-leaf = \"two\"",
        "\"two\"",
        "expected a number",
        "",
    );
    refuses(
        "tree = { min-leaf = 2 }",
        "tree = 3",
        "3",
        "expected a table",
        "",
    );
    refuses("\"1..16\"", "[1, \"a\"]", "\"a\"", "expected a number", "");
    refuses(
        "\"1..16\"",
        "true",
        "true",
        "a sweep is over numbers",
        "1..16",
    );
    refuses(
        "tradeoff = { runs = 5 }",
        "tradeoff = { parts = [\"noize\"] }",
        "\"noize\"",
        "`noize` is not known",
        "`noise`",
    );
}

#[test]
fn values_out_of_range() {
    refuses("train  = 100", "train  = 0", "0", "at least 1, not 0", "");
    refuses(
        "train  = 100",
        "train  = 2.5",
        "2.5",
        "whole number, not 2.5",
        "",
    );
    refuses("[0, 15]", "[15, 0]", "[15, 0]", "range is empty", "");
    refuses("[0, 15]", "[0, inf]", "inf", "`to` must be finite", "");
    refuses(
        "uniform = [0, 15]",
        "normal = [0, -1]",
        "-1",
        "`sd` must be above 0",
        "",
    );
    refuses(
        "normal = 0.5",
        "normal = -1",
        "-1",
        "the noise's sd is -1",
        "",
    );
    refuses(
        "min-leaf = 2",
        "min-leaf = 0",
        "0",
        "`min-leaf` must be at least 1",
        "",
    );
    refuses(
        "min-leaf = 2",
        "min-leaf = 101",
        "101",
        "at most 100, not 101: there are 100 training points",
        "",
    );
    refuses("min-leaf = 2", "min-leaf = 1.5", "1.5", "whole number", "");
    refuses("resamples = 100", "resamples = 1", "1", "at least 4", "");
    refuses("resamples = 100", "resamples = 1e20", "1e20", "at most", "");
    refuses("seed = 1", "seed = -1", "-1", "at least 0", "");
    refuses("grid = 50", "grid = 0", "{ grid = 0 }", "at least 1", "");
    refuses("runs = 5", "runs = -5", "-5", "at least 0", "");
    refuses("runs = 5", "y-max = 0", "0", "above 0", "");
    refuses(
        "{ normal = 0.5 }",
        "{ student-t = 0.5, degrees = 2 }",
        "2",
        "above 2",
        "no standard deviation",
    );
    refuses(
        "{ normal = 0.5 }",
        "{ student-t = 0.5 }",
        "0.5",
        "needs `degrees`",
        "degrees = 5",
    );
    refuses(
        "{ normal = 0.5 }",
        "{ normal = 0.5, degrees = 3 }",
        "3",
        "`student-t` only",
        "",
    );
}

#[test]
fn more_neighbours_than_points() {
    let knn = |sweep: &str| {
        let text = GOOD.replace("tree = { min-leaf = 2 }", "knn = {}");
        let text = text.replace("depth = \"1..16\"", sweep);
        *Experiment::read("bad", Source::new("bad.toml", &text, &[]))
            .err()
            .unwrap()
    };
    let error = knn("k = [1, 101, 5]");
    assert_eq!(error.token(), "101");
    assert_eq!(
        error.message(),
        "`k` can be at most 100, not 101: there are 100 training points"
    );
    assert_eq!(knn("k = \"1..200\"").token(), "\"1..200\"");
    assert_eq!(knn("k = [0]").message(), "`k` must be at least 1, not 0");
}

#[test]
fn expressions_that_do_not_parse() {
    refuses(
        "\"sin(x)\"",
        "\"sinn(x)\"",
        "sinn",
        "`sinn` is not known",
        "`sin`",
    );
    refuses("\"sin(x)\"", "\"sin(y)\"", "y", "`y` is not known", "`x`");
    refuses("\"sin(x)\"", "\"2x\"", "x", "does not belong", "2*x");
    refuses("\"sin(x)\"", "\"sin(x\"", "x", "ends too early", "");
    refuses("\"sin(x)\"", "\"\"", "\"\"", "ends too early", "");
    refuses(
        "normal = 0.5",
        "normal = \"0.1*z\"",
        "z",
        "`z` is not known",
        "",
    );
    // With an escape in the string the whole of it is shown.
    refuses(
        "\"sin(x)\"",
        "\"sin(\\u0079)\"",
        "\"sin(\\u0079)\"",
        "`y` is not known",
        "",
    );
}

#[test]
fn truths_that_are_no_expression() {
    let is = |truth: &str, token: &str, message: &str, help: &str| {
        refuses("\"sin(x)\"", truth, token, message, help);
    };
    is(
        "true",
        "true",
        "expected a string or a table",
        "linear = 1.0",
    );
    is("[[0, 1]]", "[[0, 1]]", "expected a string", "points = [[");
    is("{ liner = 1 }", "liner", "`liner` is not known", "`linear`");
    is(
        "{ polygon = [] }",
        "polygon",
        "`polygon` is not known",
        "expected `linear`, `weights` or `points`",
    );
    is(
        "{}",
        "{}",
        "exactly one of linear, weights and points",
        "as in",
    );
    is(
        "{ linear = 1, points = [[0, 1], [2, 3]] }",
        "points",
        "exactly one of linear, weights and points",
        "",
    );
    is("{ linear = \"1\" }", "\"1\"", "expected a number", "");
    is("{ linear = -1 }", "-1", "at least 0, not -1", "random");
    is("{ linear = inf }", "inf", "must be finite, not inf", "");
    is("{ linear = nan }", "nan", "must be finite, not NaN", "");
}

#[test]
fn curves_that_cannot_be_drawn() {
    let points = |points: &str, token: &str, message: &str, help: &str| {
        let truth = format!("{{ points = {points} }}");
        refuses("\"sin(x)\"", &truth, token, message, help);
    };
    points("3", "3", "expected a list of points", "");
    points("[]", "[]", "at least 2 points, not 0", "");
    points("[[0, 1]]", "[[0, 1]]", "at least 2 points, not 1", "");
    points("[0, 1]", "0", "expected a point [x, y]", "");
    points("[[0, 1], [2]]", "[2]", "expected a point [x, y]", "");
    points(
        "[[0, 1], [2, 3, 4]]",
        "[2, 3, 4]",
        "expected a point [x, y]",
        "",
    );
    points("[[0, 1], [2, \"b\"]]", "\"b\"", "expected a number", "");
    points("[[0, 1], [nan, 2]]", "nan", "x must be finite", "");
    points("[[0, -inf], [1, 2]]", "-inf", "y must be finite", "");
    points(
        "[[5, 1], [2, 3], [5.0, 4]]",
        "[5.0, 4]",
        "two points are at x = 5",
        "the other is [5, 1]",
    );
    points(
        "[[-0.0, 1], [0, 3]]",
        "[0, 3]",
        "two points are at x = -0",
        "",
    );
    points(
        "[[-1e308, 1], [1e308, 3]]",
        "[[-1e308, 1], [1e308, 3]]",
        "not finite",
        "",
    );
    let many = |count: usize| {
        let points: Vec<String> = (0..count).map(|x| format!("[{x}, 0]")).collect();
        format!("[{}]", points.join(", "))
    };
    let good = GOOD.replace("\"sin(x)\"", &format!("{{ points = {} }}", many(10_000)));
    assert!(Experiment::read("good", Source::new("good.toml", &good, &[])).is_ok());
    points(
        &many(10_001),
        &many(10_001),
        "at most 10\u{a0}000 points",
        "",
    );
    let text = GOOD
        .replace("\"sin(x)\"", "{ points = [[0, 1], [2, 3]] }")
        .replace("[0, 15] }", "[0, 15], dimension = 2 }");
    let error = Experiment::read("bad", Source::new("bad.toml", &text, &[]))
        .err()
        .unwrap();
    assert_eq!(
        (error.message(), error.token()),
        ("`points` needs inputs of one dimension, not 2", "points")
    );
}

/// The place, as a person sees it.
#[test]
fn a_point_that_is_there_twice_is_shown() {
    let truth = "{ points = [\n    [0, 1],\n    [5, 3],\n    [5, 4],\n] }";
    let text = GOOD.replace("\"sin(x)\"", truth);
    let error = *Experiment::read("bad", Source::new("bad.toml", &text, &[]))
        .err()
        .unwrap();
    let mut shown = String::new();
    miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
        .render_report(&mut shown, &error)
        .unwrap();
    insta::assert_snapshot!(shown, @r"
     × two points are at x = 5
      ╭─[bad.toml:7:5]
    6 │     [5, 3],
    7 │     [5, 4],
      ·     ───┬──
      ·        ╰── here
    8 │ ] }
      ╰────
     help: the other is [5, 3]
    ");
}

#[test]
fn functions_that_are_not_finite_on_the_inputs() {
    refuses(
        "\"sin(x)\"",
        "\"ln(x - 5)\"",
        "\"ln(x - 5)\"",
        "the truth is NaN at x = 0.15",
        "finite",
    );
    refuses(
        "\"sin(x)\"",
        "\"1/(x > 20)\"",
        "\"1/(x > 20)\"",
        "the truth is inf",
        "finite",
    );
    refuses(
        "normal = 0.5",
        "normal = \"1 - x\"",
        "\"1 - x\"",
        "the noise's sd is -",
        "not negative",
    );
}

#[test]
fn sweeps_that_are_empty_or_do_not_fit() {
    refuses("\"1..16\"", "[]", "[]", "the sweep is empty", "1..16");
    refuses(
        "\"1..16\"",
        "\"16..1\"",
        "\"16..1\"",
        "16 is above 1",
        "smaller end first",
    );
    refuses("\"1..16\"", "\"one\"", "\"one\"", "not a range", "1..16");
    refuses(
        "\"1..16\"",
        "[1, 2, 1]",
        "[1, 2, 1]",
        "the value 1 twice",
        "",
    );
    refuses(
        "\"1..16\"",
        "\"1..100000\"",
        "\"1..100000\"",
        "at most 10000",
        "",
    );
    refuses(
        "\"1..16\"",
        "{ from = 1, to = 5 }",
        "{ from = 1, to = 5 }",
        "`count` is missing",
        "",
    );
    refuses(
        "\"1..16\"",
        "{ from = 0, to = 5, count = 3, scale = \"log\" }",
        "0",
        "above 0",
        "",
    );
    refuses(
        "\"1..16\"",
        "{ from = 1, to = 5, cuont = 3 }",
        "cuont",
        "not known",
        "`count`",
    );
    refuses(
        "\"1..16\"",
        "{ from = 5, to = 1, count = 3 }",
        "1",
        "5 is above 1",
        "",
    );
    refuses(
        "depth =",
        "dept =",
        "dept",
        "`tree` has no parameter `dept`",
        "`depth`",
    );
    refuses(
        "depth = \"1..16\"",
        "k = \"1..16\"",
        "tree",
        "`tree` has no parameter `k`",
        "reference = true",
    );
    refuses(
        "depth = \"1..16\"",
        "depth = 3\nleaves = 4\nmin-leaf = 2",
        "min-leaf",
        "over one parameter, or over two",
        "",
    );
    refuses(
        "min-leaf = 2",
        "depth = 2",
        "tree",
        "both given and swept",
        "",
    );
    refuses("\"1..16\"", "[0.5]", "0.5", "whole number", "");
    refuses("\"1..16\"", "[nan]", "nan", "NaN cannot be swept", "");
}

#[test]
fn learners_that_are_none_or_two() {
    refuses(
        "tree = { min-leaf = 2 }",
        "",
        "[[learner]]",
        "exactly one model family",
        "`tree`",
    );
    refuses(
        "tree = { min-leaf = 2 }",
        "tree = {}\nknn = {}",
        "knn",
        "exactly one model family",
        "",
    );
    refuses(
        "[[learner]]\ntree = { min-leaf = 2 }",
        "",
        "",
        "no learner",
        "[[learner]]",
    );
    refuses(
        "[[learner]]",
        "[[learner]]\ntree = {}\n[[learner]]",
        "[[learner]]",
        "two learners are called `tree`",
        "name =",
    );
    refuses(
        "tree = { min-leaf = 2 }",
        "bagging = {}",
        "bagging",
        "needs a `base`",
        "base = { tree",
    );
    refuses(
        "tree = { min-leaf = 2 }",
        "bagging = { base = { tre = {} } }",
        "tre",
        "not known",
        "`tree`",
    );
    refuses(
        "tree = { min-leaf = 2 }",
        "bagging = { base = {} }",
        "{}",
        "exactly one model family",
        "",
    );
    refuses(
        "tree = { min-leaf = 2 }",
        "name = \"\"\ntree = {}",
        "\"\"",
        "1 to 60 characters",
        "",
    );
    refuses(
        "tree = { min-leaf = 2 }",
        "reference = true\ntree = {}",
        "tree",
        "has the swept parameter",
        "",
    );
    let polynomial = "polynomial = { basis = \"legendree\" }\nsweep = { degree = 2 }";
    refuses(
        "tree = { min-leaf = 2 }",
        polynomial,
        "\"legendree\"",
        "`legendree` is not known",
        "`legendre`",
    );
    refuses(
        "tree = { min-leaf = 2 }",
        "knn = {}\nsweep = { kk = 3 }",
        "kk",
        "no parameter `kk`",
        "`k`",
    );
}

#[test]
fn a_number_that_is_neither_given_nor_swept() {
    let text = GOOD.replace("tree = { min-leaf = 2 }", "reference = true\nknn = {}");
    let error = Experiment::read("bad", Source::new("bad.toml", &text, &[]))
        .err()
        .unwrap();
    assert_eq!((error.message(), error.token()), ("`knn` needs `k`", "knn"));
}

#[test]
fn parts_of_the_run_that_exclude_each_other() {
    refuses(
        "resamples = 100",
        "precision = 0.1",
        "0.1",
        "needs `max-resamples`",
        "max-resamples =",
    );
    refuses(
        "resamples = 100",
        "max-resamples = 10",
        "10",
        "needs `precision`",
        "",
    );
    refuses(
        "seed = 1",
        "precision = 0.1\nmax-resamples = 10",
        "100",
        "exclude each other",
        "",
    );
    refuses(
        "resamples = 100",
        "precision = 2\nmax-resamples = 10",
        "2",
        "between 0 and 1",
        "0.02",
    );
    refuses(
        "{ grid = 50 }",
        "\"inputs\"",
        "\"inputs\"",
        "inputs that are fixed",
        "fixed = true",
    );
    refuses(
        "{ grid = 50 }",
        "\"input\"",
        "\"input\"",
        "expected { grid = N }",
        "",
    );
    refuses(
        "{ uniform = [0, 15] }",
        "{ grid = [0, 15], fixed = false }",
        "false",
        "same in every resample",
        "",
    );
}

#[test]
fn things_that_need_one_dimension() {
    refuses(
        "[0, 15] }",
        "[0, 15], dimension = 2 }",
        "x",
        "`x` is not known",
        "`x1` to `x2`",
    );
    let two = |from: &str, to: &str| {
        let text = GOOD
            .replace("[0, 15] }", "[0, 15], dimension = 2 }")
            .replace("sin(x)", "x1*x2");
        let text = text.replace("{ grid = 50 }", "{ grid = 49 }");
        assert!(text.contains(from));
        let text = text.replace(from, to);
        *Experiment::read("bad", Source::new("bad.toml", &text, &[]))
            .err()
            .unwrap()
    };
    assert!(
        two("tradeoff = { runs = 5 }", "fits = {}")
            .message()
            .contains("one-dimensional")
    );
    assert!(
        two("grid = 49", "grid = 50")
            .help()
            .unwrap()
            .contains("49 and 64")
    );
    let error = two(
        "tree = { min-leaf = 2 }",
        "sweep = { degree = 3 }\npolynomial = {}",
    );
    assert_eq!(
        (error.message(), error.token()),
        ("`polynomial` needs one-dimensional inputs", "polynomial")
    );
    let error = two("uniform = [0, 15]", "grid = [0, 15], fixed = false");
    assert!(error.message().contains("same in every resample"));
}

#[test]
fn figures_that_show_what_is_not_there() {
    refuses(
        "runs = 5",
        "learners = [\"tere\"]",
        "\"tere\"",
        "no learner is called `tere`",
        "`tree`",
    );
    refuses(
        "tradeoff = { runs = 5 }",
        "fits = { values = [40] }",
        "40",
        "not a value of the sweep",
        "depth = 16",
    );
    refuses(
        "tradeoff = { runs = 5 }",
        "",
        "[[figure]]",
        "exactly one kind",
        "`tradeoff`",
    );
    refuses(
        "tradeoff = { runs = 5 }",
        "name = \"a/b\"\nfits = {}",
        "\"a/b\"",
        "letters, digits",
        "",
    );
    refuses(
        "[sweep]\ndepth = \"1..16\"",
        "",
        "[[figure]]",
        "needs a sweep",
        "[sweep]",
    );
    let zero = GOOD
        .replace("1..16", "0..16")
        .replace("runs = 5", "x-scale = \"log\"");
    let error = Experiment::read("bad", Source::new("bad.toml", &zero, &[]))
        .err()
        .unwrap();
    assert!(
        error.message().contains("starts at 0"),
        "{}",
        error.message()
    );
}

#[test]
fn figures_that_could_not_be_read() {
    let fits = "tradeoff = { runs = 5 }";
    refuses(
        fits,
        "fits = { values = [] }",
        "[]",
        "`values` is empty",
        "leave it out",
    );
    refuses(
        fits,
        "fits = { learners = [] }",
        "[]",
        "`learners` is empty",
        "",
    );
    refuses(
        fits,
        "tradeoff = { parts = [] }",
        "[]",
        "`parts` is empty",
        "",
    );
    refuses(
        fits,
        "fits = { values = [1, 2, 3, 4, 5, 6, 7] }",
        "[[figure]]",
        "7 panels",
        "`values`",
    );
    let both = "tradeoff = { overlay = true, parts = [\"risk\", \"variance\"] }";
    refuses(
        fits,
        both,
        "[\"risk\", \"variance\"]",
        "one part of every learner",
        "noise",
    );
    refuses(fits, "tradeoff = { y-max = inf }", "inf", "finite", "");
    let other = "tree = { min-leaf = 2 }\n[[learner]]\nknn = {}\nsweep = { k = [1, 2] }";
    let text = GOOD
        .replace("tree = { min-leaf = 2 }", other)
        .replace("runs = 5", "overlay = true");
    let error = Experiment::read("bad", Source::new("bad.toml", &text, &[]))
        .err()
        .unwrap();
    assert!(
        error.message().contains("swept over `depth` and `k`"),
        "{}",
        error.message()
    );
}

#[test]
fn brackets_names_and_numbers_gone_wrong() {
    refuses(
        "[[learner]]",
        "[learner]",
        "learner",
        "written with [[learner]]",
        "",
    );
    refuses(
        "[[figure]]",
        "[figure]",
        "figure",
        "written with [[figure]]",
        "",
    );
    refuses(
        "[problem]",
        "[[problem]]",
        "problem",
        "written with [problem]",
        "",
    );
    refuses(
        "{ normal = 0.5 }",
        "0.5",
        "0.5",
        "expected a table, as in { normal = 0.5 }",
        "",
    );
    refuses(
        "{ uniform = [0, 15] }",
        "[0, 15]",
        "[0, 15]",
        "expected",
        "",
    );
    refuses(
        "seed = 1",
        "seed = 99999999999999999999",
        "99999999999999999999",
        "at most",
        "",
    );
    let long = format!("name = \"{}\"\ntree = {{}}", "x".repeat(61));
    refuses(
        "tree = { min-leaf = 2 }",
        &long,
        &format!("\"{}\"", "x".repeat(61)),
        "1 to 60",
        "",
    );
    refuses(
        "tree = { min-leaf = 2 }",
        "name = \"a\\nb\"\ntree = {}",
        "\"a\\nb\"",
        "one line",
        "",
    );
    refuses("\"sin(x)\"", "\"sin(π\"", "π", "ends too early", "");
    refuses(
        "\"sin(x)\"",
        "\"0 < x < 5\"",
        "<",
        "does not belong",
        "chained",
    );
    refuses(
        "runs = 5",
        "parts = \"risk\"",
        "\"risk\"",
        "expected a list",
        "",
    );
}

#[test]
fn what_memory_could_not_hold() {
    refuses(
        "grid = 50",
        "grid = 10_000_000",
        "{ grid = 10_000_000 }",
        "memory",
        "at most",
    );
    refuses(
        "test = { grid = 50 }",
        "test = { grid = 5000 }\nkeep = 10000",
        "10000",
        "at most 250 here",
        "",
    );
    refuses(
        "train  = 100",
        "train  = 10_000_000\n[problem.x]",
        "x",
        "not known",
        "",
    );
    let bags = "bagging = { members = 10000, base = { bagging = { members = 10000, base = { tree = {} } } } }";
    refuses(
        "tree = { min-leaf = 2 }",
        bags,
        "bagging",
        "do not fit in memory",
        "members ×",
    );
    refuses(
        "[0, 15] }",
        "[0, 15], dimension = 10000 }\n#",
        "x",
        "not known",
        "",
    );
    // Where nobody asked for a number of kept fits, the default gives way.
    let read = |text: &str| plan(text).run.clone();
    let run = read(GOOD);
    assert_eq!((run.keep, run.keep_data, run.keep_fits), (50, 50, 50));
    let run = read(&GOOD.replace("grid = 50", "grid = 20_000"));
    assert_eq!((run.keep, run.keep_data, run.keep_fits), (50, 50, 2));
    let run = read(&GOOD.replace("train  = 100", "train = 100_000"));
    assert_eq!((run.keep, run.keep_data, run.keep_fits), (50, 10, 50));
}

#[test]
fn keys_that_are_set_from_outside() {
    let read =
        |set: &str| Experiment::read("set", Source::new("set.toml", GOOD, &[set.to_owned()]));
    let good = |set: &str| {
        let experiment = read(set).unwrap_or_else(|error| panic!("{set}: {error}"));
        experiment.plan().expect("it is a study").clone()
    };
    assert_eq!(good("problem.train=50").problem().train, 50);
    for (set, value) in [
        ("problem.truth=cos(x)", 1_f64.cos()),
        ("problem.truth=\"cos(x)\"", 1_f64.cos()),
        ("problem.truth={ points = [[2, 9], [0, 5]] }", 7.0),
    ] {
        let mut truth = [0.0];
        good(set).problem().truth_at(&[1.0], &mut truth).unwrap();
        assert_eq!(truth, [value], "{set}");
    }
    let depths = &good("sweep.depth=1..4").paths[0].curve.axes[0].values;
    assert_eq!(depths.len(), 4);
    assert_eq!(good(" run.seed = 9 ").run.seed, 9);
    assert_eq!(good("learner.0.name=oak").paths[0].curve.name, "oak");
    assert_eq!(
        good("problem.inputs={ normal = [0, 1] }")
            .problem()
            .inputs
            .range(),
        (-3.0, 3.0)
    );
    assert_eq!(good("run.keep=3").run.keep, 3);
    // A number of the base, and values in any order.
    let bags = "learner=[{ bagging = { base = { tree = {} } } }]";
    let source = |sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        Experiment::read("base", Source::new("base.toml", GOOD, &sets)).unwrap()
    };
    let axis = |sets: &[&str]| {
        let experiment = source(sets);
        let plan = experiment.plan().expect("it is a study");
        plan.paths[0].curve.axes[0].clone()
    };
    assert_eq!(axis(&[bags]).name, "depth");
    let sets = [bags, "sweep={ base.depth = [4, 1, 2] }"];
    assert_eq!(
        (axis(&sets).name.as_str(), axis(&sets).values),
        ("base.depth", vec![1.0, 2.0, 4.0])
    );
    assert_eq!(
        axis(&[bags, "sweep={ members = [5, 2] }"]).values,
        [2.0, 5.0]
    );
    for (set, token, message) in [
        ("problem.trian=50", "trian", "`trian` is not known"),
        ("problem.train=x", "x", "expected a number"),
        ("problem.train", "problem.train", "needs a `=`"),
        ("=3", "", "needs a key"),
        ("problem..train=3", "", "needs a key"),
        ("learner.3.name=oak", "3", "no item `3`"),
        ("title.text=3", "title", "single value"),
        ("problem.truth=sin(y)", "y", "`y` is not known"),
        ("sweep.depth=[1, -1]", "-1", "at least 0"),
    ] {
        let error = read(set)
            .err()
            .unwrap_or_else(|| panic!("{set} was accepted"));
        assert!(
            error.message().contains(message),
            "{set}: {}",
            error.message()
        );
        assert_eq!(error.token(), token, "{set}");
    }
}

proptest::proptest! {
    /// Whatever stands in the file, reading it ends in an experiment or in an error, never in a
    /// panic.
    #[test]
    fn no_text_makes_the_reader_panic(
        cut in 0..GOOD.len(),
        length in 0..12_usize,
        junk in "[ -~\\n\"\\[\\]{}=.0-9é]{0,12}",
    ) {
        let boundary = |mut at: usize| { while !GOOD.is_char_boundary(at) { at -= 1; } at };
        let (start, end) = (boundary(cut), boundary((cut + length).min(GOOD.len())));
        let text = format!("{}{junk}{}", &GOOD[..start], &GOOD[end..]);
        if let Err(error) = Experiment::read("fuzz", Source::new("fuzz.toml", &text, &[])) {
            proptest::prop_assert!(!error.message().is_empty());
            let _ = format!("{:?}", miette::Report::new(*error));
        }
    }

    /// The same for keys set from outside.
    #[test]
    fn no_set_makes_the_reader_panic(set in "[a-z]{0,7}[.a-z0-9=]{0,12}[ -~é]{0,12}") {
        let sets = [set, "run.seed=2".to_owned()];
        if let Err(error) = Experiment::read("fuzz", Source::new("fuzz.toml", GOOD, &sets)) {
            let _ = format!("{:?}", miette::Report::new(*error));
        }
    }
}

#[test]
fn sweeps_over_the_problem_and_over_two_numbers() {
    let sweep = "depth = \"1..16\"";
    refuses(
        sweep,
        "trian = [5]",
        "trian",
        "no parameter `trian`",
        "`train`",
    );
    refuses(
        sweep,
        "train = \"100000..109999\"",
        "{ grid = 50 }",
        "more than memory",
        "fewer",
    );
    refuses(sweep, "train = [0, 5]", "0", "at least 1", "");
    refuses(sweep, "train = [2.5]", "2.5", "whole number", "");
    refuses(sweep, "noise = [0.1, -1]", "-1", "at least 0", "");
    refuses(
        "noise  = { normal = 0.5 }",
        "noise  = { normal = \"x\" }\ntrain2 = 1",
        "train2",
        "not known",
        "train",
    );
    let (message, _, help) = complaint(
        "noise  = { normal = 0.5 }\ntrain  = 100\n\n[sweep]\ndepth = \"1..16\"",
        "noise  = { normal = \"x\" }\ntrain  = 100\n\n[sweep]\nnoise = [1, 2]",
    );
    assert!(
        message.contains("varies with x") && help.contains("sd"),
        "{message}"
    );
    let bags = "bagging = { base = { tree = {} } }\nsweep = { depth = [1], base.depth = [2] }";
    refuses("tree = { min-leaf = 2 }", bags, "base", "swept twice", "");
    refuses(
        "train  = 100\n",
        "",
        "[problem]",
        "`train` is missing",
        "sweep over",
    );
    // What the data must allow is asked of the smallest training set.
    refuses(
        "tree = { min-leaf = 2 }",
        "sweep = { train = [5, 50] }\nknn = { k = 6 }",
        "6",
        "at most 5, not 6: there are 5 training points",
        "",
    );
    refuses(
        "tree = { min-leaf = 2 }",
        "reference = true\ntree = { min-leaf = 2 }",
        "tree",
        "has the swept parameter `depth`",
        "reference",
    );
    let text = GOOD
        .replace("uniform = [0, 15]", "grid = [0, 15]")
        .replace("depth = \"1..16\"", "depth = [1]\ntrain = [10, 20]")
        .replace("{ grid = 50 }", "\"inputs\"");
    let error = Experiment::read("bad", Source::new("bad.toml", &text, &[]));
    let error = error.err().unwrap();
    assert!(error.message().contains("training sets of one size"));
    assert_eq!(error.token(), "\"inputs\"");
}

#[test]
fn figures_that_need_what_is_not_there() {
    let figure = "tradeoff = { runs = 5 }";
    refuses(
        figure,
        "heatmap = {}",
        "[[figure]]",
        "over two parameters",
        "[sweep]",
    );
    refuses(figure, "sources = {}", "[[figure]]", "run.sources", "[run]");
    refuses(
        figure,
        "tradeoff = { second = [3] }",
        "3",
        "not a value of the sweep",
        "no second parameter",
    );
    refuses(
        figure,
        "tradeoff = { below = [\"condition\"] }",
        "[\"condition\"]",
        "solves for weights",
        "fourier",
    );
    refuses(
        figure,
        "tradeoff = { below = [\"norm\"] }",
        "\"norm\"",
        "norm",
        "weight-norm",
    );
    refuses(
        figure,
        "tradeoff = { marks = [{ at = inf }] }",
        "inf",
        "must be finite",
        "",
    );
    refuses(
        figure,
        "heatmap = { max = -1 }",
        "[[figure]]",
        "over two parameters",
        "",
    );
    refuses(
        figure,
        "fits = { second = 2 }",
        "2",
        "not a value of the sweep",
        "",
    );
    refuses(
        figure,
        "fits = { sample = \"all\" }",
        "\"all\"",
        "all",
        "data",
    );
    refuses(
        "depth = \"1..16\"",
        "depth = \"1..16\"\nmin-leaf = [1, 2, 3, 4, 5, 6, 7]",
        "tree",
        "both given and swept",
        "",
    );
    let text = GOOD
        .replace("tree = { min-leaf = 2 }", "tree = {}")
        .replace(
            "depth = \"1..16\"",
            "depth = \"1..16\"\nmin-leaf = \"1..7\"",
        );
    let read = |text: &str| Experiment::read("two", Source::new("two.toml", text, &[]));
    let error = read(&text).err().unwrap();
    assert!(error.message().contains("7 panels"), "{}", error.message());
    let error = read(&text.replace("{ runs = 5 }", "{ overlay = true }"))
        .err()
        .unwrap();
    assert!(error.message().contains("6 curves"), "{}", error.message());
    assert!(read(&text.replace("{ runs = 5 }", "{ overlay = true, second = [1, 7] }")).is_ok());
    assert!(read(&text.replace("tradeoff = { runs = 5 }", "heatmap = {}")).is_ok());
}

#[test]
fn options_of_figures_gone_wrong() {
    let figure = "tradeoff = { runs = 5 }";
    refuses(
        figure,
        "tradeof = {}",
        "tradeof",
        "`tradeof` is not known here",
        "`tradeoff`",
    );
    refuses(
        figure,
        "tradeoff = { run = 5 }",
        "run",
        "`run` is not known here",
        "`runs`",
    );
    refuses(
        figure,
        "tradeoff = 5",
        "5",
        "expected a table, as in `tradeoff = {}`",
        "",
    );
    refuses(
        figure,
        "tradeoff = { runs = \"five\" }",
        "\"five\"",
        "expected a number",
        "",
    );
    refuses(
        figure,
        "tradeoff = { runs = 1.5 }",
        "1.5",
        "`runs` must be a whole number, not 1.5",
        "",
    );
    refuses(
        figure,
        "tradeoff = { overlay = 1 }",
        "1",
        "expected a boolean",
        "",
    );
    refuses(
        figure,
        "tradeoff = { parts = \"risk\" }",
        "\"risk\"",
        "expected a list",
        "",
    );
    refuses(
        figure,
        "tradeoff = { parts = [\"risc\"] }",
        "\"risc\"",
        "`risc` is not known here",
        "`risk`",
    );
    refuses(
        figure,
        "tradeoff = { notes = [{ text = \"a\" }] }",
        "{ text = \"a\" }",
        "a note needs a place",
        "over-fits",
    );
    refuses(
        figure,
        "tradeoff = { marks = [{ at = 3, txt = \"a\" }] }",
        "txt",
        "`txt` is not known here",
        "`text`",
    );
    refuses(figure, "dartboard = {}", "{}", "`at` is missing", "");
    refuses(figure, "tradeoff = 2020-01-01", "2020-01-01", "date", "");
    refuses(
        figure,
        "stack = {}",
        "{}",
        "expected a list, as in [{ fits = {} }",
        "",
    );
    refuses(
        figure,
        "stack = [{ name = \"a\", fits = {} }]",
        "{ name = \"a\", fits = {} }",
        "`name` cannot be given to a part",
        "whole figure",
    );
    refuses(
        figure,
        "simulation = {}",
        "[[figure]]",
        "this experiment is not one",
        "`tradeoff`",
    );
    refuses(
        "[[figure]]",
        "[look]\nfont-scale = 3\n[[figure]]",
        "3",
        "`font-scale` can be at most 2, not 3",
        "",
    );
    // What is wrong with the keys of a figure is said before anything is looked at.
    let text = GOOD
        .replace("sin(x)", "sin(")
        .replace("[run]", "[look]\ntheme = \"drak\"\n[run]");
    let error = Experiment::read("bad", Source::new("bad.toml", &text, &[]));
    let error = error.err().unwrap();
    assert_eq!(
        (error.token(), error.help()),
        ("\"drak\"", Some("did you mean `dark`?"))
    );
}

#[test]
fn scales_and_weights_that_do_not_fit() {
    let inputs = "inputs = { uniform = [0, 15] }";
    for (to, token, message, help) in [
        (
            "inputs = { uniform = [0, 15], sds = [1] }",
            "sds",
            "goes with normal inputs",
            "normal",
        ),
        (
            "inputs = { normal = [0, 1], sds = [1, 0] }",
            "0",
            "above 0",
            "",
        ),
        (
            "inputs = { normal = [0, 1], sds = [] }",
            "[]",
            "needs 1 to",
            "sds",
        ),
        (
            "inputs = { normal = [0, 1], sds = [1, 2], dimension = 3 }",
            "3",
            "there are 2 sds",
            "leave out",
        ),
        (
            "inputs = { normal = [0, 1], sds = { power = 2 } }",
            "{ power = 2 }",
            "number of coordinates",
            "dimension",
        ),
        (
            "inputs = { normal = [0, 1], sds = { spikes = 2 }, dimension = 3 }",
            "{ spikes = 2 }",
            "both `spikes` and `rest`",
            "as in",
        ),
        (
            "inputs = { normal = [0, 1], sds = { powr = 2 }, dimension = 3 }",
            "powr",
            "not known",
            "power",
        ),
    ] {
        refuses(inputs, to, token, message, help);
    }
}
