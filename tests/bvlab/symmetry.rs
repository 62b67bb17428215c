//! The order of the columns and the names of the classes mean nothing: no learner's errors depend on
//! them, but for chance.

use bvlab::data::Points;
use bvlab::decompose::{Estimate, Parts};
use bvlab::engine::{self, Results, Unwatched};
use bvlab::experiment::{Experiment, Source};
use bvlab::plan::{Plan, TestKind};
use bvlab::stream::{Purpose, Stream};
use bvlab::tables::FolderTables;
use rand::RngExt;

use crate::setup::{Place, changed};

/// `linear` with `features` is left out: it takes the first columns, as it says.
const OF_NUMBERS: &[&str] = &[
    "knn = { k = 3 }",
    "kernel = { bandwidth = 0.3 }",
    "kernel = { bandwidth = 0.5, shape = \"uniform\" }",
    "tree = {}",
    "tree = { depth = 2 }",
    "tree = { leaves = 4 }",
    "tree = { min-leaf = 3 }",
    "tree = { alpha = 0.05 }",
    "tree = { pruned-leaves = 4 }",
    "local = { bandwidth = 0.3 }",
    "local = { bandwidth = 0.4, shape = \"tricube\" }",
    "linear = { lambda = 0.1 }",
    "lasso = { lambda = 0.02 }",
    "lasso = { lambda = 0.1, scale = \"sd\" }",
    "components = { components = 1 }",
    "components = { components = 2, scale = \"sd\" }",
    "subset = { size = 1 }",
    "subset = { size = 1, search = \"backward\" }",
    "subset = { size = 2, search = \"best\" }",
    "fourier = { features = 5, scale = 2, lambda = 0.1 }",
    "network = { width = 3, epochs = 20 }",
    "bagging = { members = 3, base = { tree = {} } }",
    "bagging = { members = 2, sample = \"split\", base = { tree = { leaves = 3 } } }",
    "forest = { trees = 3, tries = 1 }",
    "forest = { trees = 2, tries = 2, bootstrap = false }",
    "boosting = { rounds = 4, rate = 0.5 }",
];

/// Even numbers of votes, and leaves of few points, so that classes are often equal.
const OF_CLASSES: &[&str] = &[
    "knn = { k = 2 }",
    "tree = {}",
    "tree = { depth = 2 }",
    "tree = { leaves = 4, criterion = \"entropy\" }",
    "tree = { alpha = 0.03 }",
    "tree = { pruned-leaves = 4, criterion = \"entropy\" }",
    "bagging = { members = 2, base = { tree = {} } }",
    "bagging = { members = 2, combine = \"vote\", base = { knn = { k = 2 } } }",
    "bagging = { members = 3, combine = \"vote\", base = { tree = { depth = 1 } } }",
    "forest = { trees = 2, tries = 1, combine = \"vote\" }",
    "logistic = { lambda = 0.1 }",
    "discriminant = { rung = 2 }",
    "discriminant = { rung = 4, shrink = 0.1 }",
    "naive-bayes = {}",
    "naive-bayes = { smoothing = 0.1, law = \"multinomial\" }",
    "adaboost = { rounds = 1 }",
    "adaboost = { rounds = 4 }",
    "adaboost = { rounds = 2, depth = 2, sample = \"resample\" }",
    "network = { width = 3, epochs = 20 }",
];

fn plan(place: &Place, problem: &str, learners: &[&str], how: &str) -> Plan {
    let named = |(i, learner): (usize, &&str)| format!("{{ name = \"{i}\", {learner} }}");
    let learners: Vec<String> = learners.iter().enumerate().map(named).collect();
    let text = format!(
        "problem = {{ {problem} }}\nlearner = [{}]\nrun = {{ resamples = 4000, keep = 1, {how} }}",
        learners.join(", ")
    );
    let tables = FolderTables::beside(&place.path().join("symmetry.toml"));
    let source = Source::new("symmetry.toml", &text, &[]).with_tables(tables);
    match Experiment::read("symmetry", source) {
        Ok(experiment) => experiment.plan().expect("it is a study").clone(),
        Err(error) => panic!("{:?}", miette::Report::new(*error)),
    }
}

/// What comes of it at the same test points, which then have no error of their own.
fn run(plan: &Plan) -> Results {
    let plan = changed(plan, |parts| parts.test.kind = TestKind::Grid);
    engine::run(&plan, 2, &Unwatched).unwrap()
}

/// The test points with their coordinates backwards.
fn turned(plan: &Plan) -> Plan {
    let points = &plan.test.points;
    let values = points.rows().flat_map(|x| x.iter().rev().copied());
    let turned = Points::new(points.dimension(), values.collect());
    changed(plan, |parts| parts.test.points = turned)
}

fn told(parts: &Parts) -> Vec<(&'static str, Estimate)> {
    let members = ["member_risk", "diversity"];
    let extra = parts
        .extra
        .iter()
        .filter(|(name, estimate)| members.contains(name) && estimate.value.is_finite());
    let mut told = vec![
        ("bias", parts.bias2),
        ("variance", parts.variance),
        ("risk", parts.risk),
        ("training error", parts.train),
    ];
    told.extend(extra.copied());
    told
}

/// About 1000 comparisons are made here: one in 150 000 is further apart than 4.5 standard errors by
/// chance, a few more with errors that are estimated themselves.
fn assert_same(what: &str, learners: &[&str], plain: &Results, changed: &Results) {
    let mut apart = String::new();
    for (i, learner) in learners.iter().enumerate() {
        let [plain, changed] =
            [plain, changed].map(|results| told(&results.learners[i].decomposition.parts[0]));
        assert_eq!(plain.len(), changed.len());
        for ((part, a), (_, b)) in plain.iter().zip(&changed) {
            if (a.value - b.value).abs() > 4.5 * a.se.hypot(b.se) + 1e-9 {
                let [a, b] = [a, b].map(|e| format!("{:.6} ± {:.6}", e.value, e.se));
                apart += &format!("{learner}: {part} {a}, then {b}\n");
            }
        }
    }
    assert!(apart.is_empty(), "{what}\n{apart}");
}

const ZERO_ONE: &str = "loss = \"zero-one\", split = \"kohavi-wolpert\", diversity = true";

/// A number written in the coordinates with other names.
fn renamed(text: &str, dimension: usize, backwards: bool) -> String {
    (1..=2).fold(text.to_owned(), |text, i| {
        let to = if backwards { dimension + 1 - i } else { i };
        text.replace(&format!("x_{i}"), &format!("x{to}"))
    })
}

#[test]
fn problems_may_name_their_columns_and_classes_as_they_like() {
    let place = Place::new();
    for (dimension, classes) in [(2, 2), (5, 3)] {
        let rest = format!("inputs = {{ uniform = [0, 1], dimension = {dimension} }}, train = 12");
        let in_order = |backwards, problem: &str, learners, how: &str| {
            let how = format!("test = {{ draw = 30 }}, {how}");
            let plan = plan(&place, problem, learners, &how);
            run(&match backwards {
                true => turned(&plan),
                false => plan,
            })
        };
        let numbers = |backwards| {
            let truth = renamed("4*x_1 + sin(3*x_2)", dimension, backwards);
            let problem = format!("truth = \"{truth}\", noise = {{ normal = 0.1 }}, {rest}");
            in_order(backwards, &problem, OF_NUMBERS, "")
        };
        let what = format!("numbers in {dimension} dimensions");
        assert_same(&what, OF_NUMBERS, &numbers(false), &numbers(true));

        let of_classes = |backwards, turn| {
            let mut weights = ["3*x_1^2", "0.3 + 0.4*x_2", "0.6"][..classes].to_vec();
            weights.rotate_left(turn);
            let weights = renamed(&format!("{weights:?}"), dimension, backwards);
            let problem = format!("classes = {{ probabilities = {weights} }}, {rest}");
            in_order(backwards, &problem, OF_CLASSES, ZERO_ONE)
        };
        let plain = of_classes(false, 0);
        let what = |change| format!("{classes} classes in {dimension} dimensions, {change}");
        assert_same(&what("columns"), OF_CLASSES, &plain, &of_classes(true, 0));
        assert_same(&what("names"), OF_CLASSES, &plain, &of_classes(false, 1));
    }
}

/// Rows of inputs in eighths, so that many are equal, and labels in quarters; every third row is held
/// out.
fn table(dimension: usize, classes: usize, backwards: bool, turn: usize) -> String {
    let mut stream = Stream::new(5, Purpose::Inputs, 0);
    let mut order: Vec<usize> = (0..dimension).collect();
    if backwards {
        order.reverse();
    }
    let joined = |cells: &[String]| cells.join(",");
    let names: Vec<String> = order.iter().map(|k| format!("x{k}")).collect();
    let mut text = format!("{},y,held\n", joined(&names));
    for row in 0..36 {
        let x: Vec<f64> = (0..dimension)
            .map(|_| f64::from(stream.random_range(0..8_u8)) / 8.0)
            .collect();
        let noise = f64::from(stream.random_range(0..5_u8)) / 8.0;
        let label = (4.0 * (x[0] + noise)).round() / 4.0;
        let label = match classes {
            0 => label.to_string(),
            _ => {
                let class = (label / 1.51 * classes as f64).floor() as usize;
                ["red", "green", "blue"][(class + turn) % classes].to_owned()
            }
        };
        let cells: Vec<String> = order.iter().map(|k| x[*k].to_string()).collect();
        text += &format!("{},{label},{}\n", joined(&cells), u8::from(row % 3 == 0));
    }
    text
}

#[test]
fn tables_may_name_their_columns_and_classes_as_they_like() {
    for dimension in [2, 5] {
        let of_table = |classes, backwards, turn| {
            let text = table(dimension, classes, backwards, turn);
            let place = Place::with(&[("table.csv", &text)]);
            let problem = "table = \"table.csv\", target = \"y\", test = { column = \"held\" }";
            run(&match classes {
                0 => plan(&place, problem, OF_NUMBERS, ""),
                _ => plan(&place, problem, OF_CLASSES, ZERO_ONE),
            })
        };
        let what = format!("numbers in a table of {dimension} columns");
        let changed = of_table(0, true, 0);
        assert_same(&what, OF_NUMBERS, &of_table(0, false, 0), &changed);
        let classes = if dimension == 2 { 3 } else { 2 };
        let plain = of_table(classes, false, 0);
        let what =
            |change| format!("{classes} classes in a table of {dimension} columns, {change}");
        let changed = of_table(classes, true, 0);
        assert_same(&what("columns"), OF_CLASSES, &plain, &changed);
        let changed = of_table(classes, false, 1);
        assert_same(&what("names"), OF_CLASSES, &plain, &changed);
    }
}
