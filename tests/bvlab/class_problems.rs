//! Problems whose labels are classes: where they come from, and what their noise is.

use bvlab::data::Training;
use bvlab::engine::{self, Unwatched};
use bvlab::outcome::Tables;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::setup::{Place, plan, run};

/// The noise of zero-one loss, Bayes' error, averaged over the test points, and its error.
fn bayes_error(classes: &str, test: &str) -> (f64, f64) {
    let (_, results) = run(&format!(
        r#"
        problem = {{ classes = {classes}, train = 3 }}
        learner = [{{ knn = {{ k = 1 }} }}]
        run = {{ resamples = 4, test = {test}, loss = "zero-one", split = "effects" }}
        "#
    ));
    let parts = &results.learners[0].decomposition.parts[0];
    (parts.noise, parts.noise_se)
}

fn phi(z: f64) -> f64 {
    Normal::standard().cdf(z)
}

#[test]
fn bayes_error_of_two_gaussians_is_the_closed_form() {
    // One covariance for both: with Δ² = (μ₁ - μ₀)ᵀ Σ⁻¹ (μ₁ - μ₀) and shares π, the classes meet
    // where a normal variable of mean ±Δ²/2 and variance Δ² is ln π₀/π₁.
    let closed = |delta: f64, share: f64| {
        let edge = ((1.0 - share) / share).ln();
        (1.0 - share) * phi(-(edge + delta * delta / 2.0) / delta)
            + share * phi((edge - delta * delta / 2.0) / delta)
    };
    assert!((closed(2.0, 0.5) - phi(-1.0)).abs() < 1e-12);
    // Σ = [[2, 0.6], [0.6, 0.5]] and μ₁ - μ₀ = (1, -0.5), by hand: |Σ| = 0.64.
    let delta2 = (0.5 * 1.0 + 2.0 * 0.6 * 0.5 + 2.0 * 0.25) / 0.64_f64;
    for share in [0.5, 0.2] {
        let classes = format!(
            "{{ gaussians = [{{ mean = [0, 0], covariance = [[2, 0.6], [0.6, 0.5]], share = {} }}, {{ mean = [1, -0.5], covariance = [[2, 0.6], [0.6, 0.5]], share = {share} }}] }}",
            1.0 - share
        );
        let right = closed(delta2.sqrt(), share);
        let (found, _) = bayes_error(&classes, "{ grid = 90000 }");
        // The grid ends at 3 sd.
        assert!((found - right).abs() < 0.004, "{found} for {right}");
        let (found, se) = bayes_error(&classes, "{ draw = 20000 }");
        assert!(
            (found - right).abs() < 4.0 * se,
            "{found} ± {se} for {right}"
        );
        assert!(se < 0.002);
    }
    // In five dimensions, spherical: Δ is the distance in sd.
    let classes = "{ gaussians = [{ mean = [0, 0, 0, 0, 0], covariance = 0.25 }, { mean = [0.5, 0.5, 0.5, 0.5, 0], covariance = 0.25 }] }";
    let (found, se) = bayes_error(classes, "{ draw = 20000 }");
    let right = phi(-1.0);
    assert!(
        (found - right).abs() < 4.0 * se,
        "{found} ± {se} for {right}"
    );
    // Two variances in one dimension: sd 1 and 2 around 0 meet at ±x with x² = (8/3) ln 2.
    let edge = (8.0 / 3.0 * 2.0_f64.ln()).sqrt();
    let right = 0.5 * (2.0 * phi(-edge)) + 0.5 * (2.0 * phi(edge / 2.0) - 1.0);
    let classes = "{ gaussians = [{ mean = [0] }, { mean = [0], covariance = 4 }] }";
    let (found, se) = bayes_error(classes, "{ draw = 20000 }");
    assert!(
        (found - right).abs() < 4.0 * se,
        "{found} ± {se} for {right}"
    );
}

#[test]
fn flipped_labels_add_to_bayes_error_as_they_should() {
    for shape in ["moons = 0.3", "rings = 0.4", "xor = 0.7"] {
        let (plain, _) = bayes_error(&format!("{{ {shape} }}"), "{ grid = 900 }");
        let (flipped, _) = bayes_error(&format!("{{ {shape}, flip = 0.1 }}"), "{ grid = 900 }");
        // What was right is wrong one time in ten, and the other way round.
        let right = 0.9 * plain + 0.1 * (1.0 - plain);
        assert!(
            (flipped - right).abs() < 1e-12,
            "{shape}: {flipped} for {right}"
        );
        assert!(plain > 0.01 && plain < 0.3, "{shape}: {plain}");
    }
    // Far apart, three classes do not meet: the noise is the flips.
    let far = "{ gaussians = [{ mean = [0] }, { mean = [40] }, { mean = [80] }], flip = 0.3 }";
    let (found, _) = bayes_error(far, "{ draw = 100 }");
    assert!((found - 0.3).abs() < 1e-9);
}

/// The share of each class among labels, by where they are, against the probabilities there.
#[test]
fn labels_come_as_often_as_their_probabilities_say() {
    for classes in [
        "{ moons = 0.3 }",
        "{ rings = 0.3, flip = 0.1 }",
        "{ xor = 0.6 }",
        "{ gaussians = [{ mean = [0, 0], share = 3 }, { mean = [2, 0], covariance = [1, 2] }, { mean = [0, 2] }] }",
        "{ probabilities = [\"1 + x1\", \"x2^2\", \"2\"] }, inputs = { uniform = [0, 2], dimension = 2 }",
    ] {
        let plan = plan(&format!(
            r#"
            problem = {{ classes = {classes}, train = 40000 }}
            learner = [{{ knn = {{ k = 1 }} }}]
            "#
        ));
        let problem = plan.problem();
        let mut data = Training::default();
        problem.draw(5, 0, &mut data).unwrap();
        let mut p = vec![0.0; problem.classes()];
        // In every quarter of the plane: how many labels of each class, and how many to expect.
        let mut found = vec![[0.0; 3]; 4 * p.len()];
        for (x, label) in data.inputs.rows().zip(&data.labels) {
            problem.truth_at(x, &mut p).unwrap();
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let quarter = 2 * usize::from(x[0] > 0.5) + usize::from(x[1] > 0.5);
            for (class, p) in p.iter().enumerate() {
                let place = &mut found[quarter * problem.classes() + class];
                place[0] += f64::from(u8::from(*label as usize == class));
                place[1] += p;
                place[2] += p * (1.0 - p);
            }
        }
        for [count, expected, variance] in found {
            let limit = 4.5 * variance.sqrt() + 1e-9;
            assert!(
                (count - expected).abs() <= limit,
                "{classes}: {count} for {expected}"
            );
        }
    }
}

/// The inputs of a mixture are where its density says: Bayes' rule rests on it.
#[test]
fn inputs_of_classes_have_the_density() {
    for classes in ["{ moons = 0.25 }", "{ rings = 0.3 }", "{ xor = 0.5 }"] {
        let plan = plan(&format!(
            "problem = {{ classes = {classes}, train = 100000 }}\nlearner = [{{ knn = {{ k = 1 }} }}]"
        ));
        let problem = plan.problem();
        let mut data = Training::default();
        problem.draw(6, 0, &mut data).unwrap();
        let (from, to) = problem.inputs.range();
        let side = 120;
        let cell = (to - from) / f64::from(side);
        // Of 6 × 6 boxes, the share of inputs in each against the density's sum over its cells.
        let mut boxes = vec![[0.0; 2]; 36];
        let place = |x: f64, y: f64| {
            let at = |v: f64| ((v - from) / (to - from) * 6.0).floor();
            let (i, j) = (at(x), at(y));
            let inside = (0.0..6.0).contains(&i) && (0.0..6.0).contains(&j);
            inside.then_some((i * 6.0 + j) as usize)
        };
        for x in data.inputs.rows() {
            if let Some(place) = place(x[0], x[1]) {
                boxes[place][0] += 1e-5;
            }
        }
        for i in 0..side * side {
            let x = from + (f64::from(i / side) + 0.5) * cell;
            let y = from + (f64::from(i % side) + 0.5) * cell;
            if let Some(place) = place(x, y) {
                boxes[place][1] += problem.inputs.weight(&[x, y]) * cell * cell;
            }
        }
        let all: f64 = boxes.iter().map(|pair| pair[1]).sum();
        assert!((all - 1.0).abs() < 0.02, "{classes}: {all}");
        for [found, expected] in boxes {
            let limit = 4.5 * (expected / 1e5).sqrt() + 2e-3 * expected + 1e-5;
            assert!(
                (found - expected).abs() < limit,
                "{classes}: {found} for {expected}"
            );
        }
    }
}

const MOONS: &str = r#"
    problem = { classes = { moons = 0.3, flip = 0.1 }, train = 40 }
    learner = [
        { tree = {}, sweep = { depth = "1..5" } },
        { knn = {}, sweep = { k = [1, 5, 20] } },
        { name = "bag", bagging = { combine = "geometric", base = { tree = {} } }, sweep = { members = [1, 4] } },
    ]
    run = { resamples = 100, test = { grid = 100 }, keep = 5, LOSS }
"#;

/// How the loss is written.
const LOSSES: [&str; 5] = [
    "loss = \"squared\"",
    "loss = \"cross-entropy\", diversity = true",
    "loss = \"zero-one\"",
    "loss = \"zero-one\", split = \"kohavi-wolpert\"",
    "loss = \"zero-one\", split = \"effects\", diversity = true",
];

#[test]
fn every_loss_gives_the_same_bytes_on_any_number_of_threads() {
    for loss in LOSSES {
        let plan = plan(&MOONS.replace("LOSS", loss));
        let tables = [1, 2, 3].map(|threads| {
            let results = engine::run(&plan, threads, &Unwatched).unwrap();
            // NaN is not equal to itself.
            format!("{:?}", Tables::new(&plan, &results))
        });
        assert!(tables[0] == tables[1] && tables[1] == tables[2], "{loss}");
    }
}

#[test]
fn shards_of_every_loss_join_to_the_bytes_of_one_run() {
    for loss in LOSSES {
        let place = Place::new();
        place.write("moons.toml", &MOONS.replace("LOSS", loss));
        place.done(&["run", "moons.toml"]);
        let whole = place.tables("results/moons");
        for shard in ["1/3", "2/3", "3/3"] {
            place.done(&["run", "moons.toml", "--shard", shard, "--out", "parts"]);
        }
        let shards = [1, 2, 3].map(|shard| format!("parts/moons/shard-{shard}-of-3"));
        let [a, b, c] = shards.each_ref().map(String::as_str);
        place.done(&["merge", a, b, c, "--out", "joined"]);
        assert!(place.tables("joined/moons") == whole, "{loss}");
    }
}

#[test]
fn parts_and_risk_of_every_loss_agree_with_fresh_labels() {
    for loss in LOSSES {
        let text = MOONS
            .replace("LOSS", loss)
            .replace("resamples = 100", "resamples = 2000");
        let (_, results) = run(&text);
        let limit = bvlab::decompose::interval_factor(1.0 - 1e-4, 24);
        for learner in &results.learners {
            for parts in &learner.decomposition.parts {
                let sum = parts.noise + parts.bias2.value + parts.variance.value;
                assert!((sum - parts.risk.value).abs() < 1e-12, "{loss}");
                assert!(
                    parts.gap.value.abs() < limit * parts.gap.se,
                    "{loss}: {:?}",
                    parts.gap
                );
            }
        }
    }
}

/// The same risks, told apart in other ways.
#[test]
fn the_risk_of_zero_one_loss_does_not_depend_on_the_split() {
    let risks = |split: &str| {
        let (_, results) =
            run(&MOONS.replace("LOSS", &format!("loss = \"zero-one\", split = \"{split}\"")));
        let parts = results.learners.iter().flat_map(|l| &l.decomposition.parts);
        parts.map(|parts| parts.risk.value).collect::<Vec<f64>>()
    };
    let [a, b, c] = ["domingos", "kohavi-wolpert", "effects"].map(risks);
    for ((a, b), c) in a.iter().zip(&b).zip(&c) {
        assert!((a - b).abs() < 1e-12 && (b - c).abs() < 1e-12);
    }
}

#[test]
fn points_are_told_with_every_class() {
    let (plan, results) = run(&MOONS.replace("LOSS", "loss = \"zero-one\""));
    let tables = Tables::new(&plan, &results);
    let [no, yes] = ["mean_0", "mean_1"].map(|name| tables.points.numbers(name));
    assert_eq!(no.len(), 100 * (5 + 3 + 2));
    assert!(no.iter().zip(yes).all(|(a, b)| (a + b - 1.0).abs() < 1e-12));
    // Shares of 100 votes.
    assert!(
        yes.iter()
            .all(|share| (100.0 * share - (100.0 * share).round()).abs() < 1e-9)
    );
    let [truth, predicted] = [
        tables.points.numbers("truth_1"),
        tables.fits.numbers("prediction_1"),
    ];
    assert!(
        truth
            .iter()
            .chain(predicted)
            .all(|p| (0.0..=1.0).contains(p))
    );
    assert_eq!(predicted.len(), 5 * no.len());
    let labels = tables.training.numbers("y");
    assert!(labels.iter().all(|y| *y == 0.0 || *y == 1.0) && labels.contains(&1.0));
}

/// What is wrong with an experiment on classes: the token, and what is said of it.
fn wrong(problem: &str, learner: &str, run: &str) -> (String, String) {
    let text = format!(
        "problem = {{ {problem} }}\nlearner = [{{ {learner} }}]\nrun = {{ resamples = 10, {run} }}\n"
    );
    let source = bvlab::experiment::Source::new("wrong.toml", &text, &[]);
    let error = match bvlab::experiment::Experiment::read("wrong", source) {
        Err(error) => error,
        Ok(_) => panic!("it is taken: {text}"),
    };
    (error.token().to_owned(), error.message().to_owned())
}

#[test]
fn classes_that_cannot_be_are_refused_by_name() {
    let knn = "knn = { k = 1 }";
    let line = "inputs = { uniform = [0, 1] }, train = 9";
    for (problem, token, message) in [
        (format!("classes = {{}}, {line}"), "{}", "exactly one of"),
        (format!("classes = 3, {line}"), "3", "expected a table"),
        (format!("classes = {{ moon = 0.3 }}, {line}"), "moon", "`moon` is not known"),
        ("classes = { moons = 0.3, rings = 0.3 }, train = 9".to_owned(), "rings", "exactly one of"),
        (format!("classes = {{ moons = 0.3 }}, {line}"), "moons", "already defines the inputs"),
        ("classes = { moons = 0 }, train = 9".to_owned(), "0", "from 0.01 to 100"),
        ("classes = { moons = 0.3, flip = 1.5 }, train = 9".to_owned(), "1.5", "from 0 to 1"),
        ("classes = { probability = \"x\" }, train = 9".to_owned(), "probability", "`inputs` is missing"),
        (format!("classes = {{ probability = \"2*x\" }}, {line}"), "{ probability = \"2*x\" }", "the probability of a class is"),
        (format!("classes = {{ probabilities = [\"x\"] }}, {line}"), "[\"x\"]", "2 to 100 classes"),
        (format!("classes = {{ probabilities = [\"x\", \"-x\"] }}, {line}"), "{ probabilities = [\"x\", \"-x\"] }", "a class's weight is -"),
        (format!("classes = {{ probabilities = [\"x\", \"y\"] }}, {line}"), "y", "`y` is not known"),
        (format!("classes = {{ probability = 0.5 }}, noise = {{ normal = 1 }}, {line}"), "{ normal = 1 }", "`noise` and `classes` exclude"),
        ("classes = { gaussians = [{ mean = [0] }] }, train = 9".to_owned(), "[{ mean = [0] }]", "2 to 100 classes"),
        ("classes = { gaussians = [{ mean = [0] }, { mean = [0, 1] }] }, train = 9".to_owned(), "[0, 1]", "class 0 has 1 coordinates"),
        ("classes = { gaussians = [{ mean = [0] }, { share = 1 }] }, train = 9".to_owned(), "{ share = 1 }", "`mean` is missing"),
        ("classes = { gaussians = [{ mean = [0] }, { mean = [1], covariance = -1 }] }, train = 9".to_owned(), "-1", "not positive definite"),
        ("classes = { gaussians = [{ mean = [0, 0] }, { mean = [1, 1], covariance = [[1, 2], [2, 1]] }] }, train = 9".to_owned(), "[[1, 2], [2, 1]]", "not positive definite"),
        ("classes = { gaussians = [{ mean = [0, 0] }, { mean = [1, 1], covariance = [[1, 0.1], [0.2, 1]] }] }, train = 9".to_owned(), "[[1, 0.1], [0.2, 1]]", "not symmetric"),
        ("classes = { gaussians = [{ mean = [0] }, { mean = [1], shares = 2 }] }, train = 9".to_owned(), "shares", "`shares` is not known"),
    ] {
        let (found, said) = wrong(&problem, knn, "");
        assert!(said.contains(message), "{problem}: {said}");
        assert_eq!(found, token, "{problem}: {said}");
    }
}

#[test]
fn losses_and_learners_that_do_not_fit_the_labels_are_refused() {
    let moons = "classes = { moons = 0.3 }, train = 9";
    let numbers = "truth = \"x\", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 9";
    let knn = "knn = { k = 1 }";
    for (problem, learner, run, token, message) in [
        (
            moons,
            "polynomial = { degree = 1 }",
            "",
            "polynomial",
            "learns numbers",
        ),
        (numbers, "logistic = {}", "", "logistic", "learns classes"),
        (
            numbers,
            "tree = { criterion = \"entropy\" }",
            "",
            "criterion",
            "is for classes",
        ),
        (
            moons,
            "tree = { criterion = \"squared\" }",
            "",
            "\"squared\"",
            "not known here",
        ),
        (
            numbers,
            knn,
            "loss = \"zero-one\"",
            "\"zero-one\"",
            "loss needs classes",
        ),
        (moons, knn, "loss = \"0-1\"", "\"0-1\"", "unknown loss"),
        (
            moons,
            knn,
            "split = \"effects\"",
            "\"effects\"",
            "needs `loss",
        ),
        (
            moons,
            knn,
            "loss = \"zero-one\", split = \"mine\"",
            "\"mine\"",
            "not known here",
        ),
        (moons, knn, "smoothing = 0.1", "0.1", "needs `loss"),
        (
            moons,
            knn,
            "loss = \"cross-entropy\", smoothing = 0",
            "0",
            "above 0",
        ),
        (
            moons,
            knn,
            "loss = \"zero-one\", sources = true",
            "true",
            "under squared loss",
        ),
        (
            numbers,
            knn,
            "sources = true, diversity = true",
            "true",
            "exclude each other",
        ),
        (
            moons,
            "knn = {}, sweep = { noise = [1, 2] }",
            "",
            "[1, 2]",
            "noise has no sd",
        ),
    ] {
        let (found, said) = wrong(problem, learner, run);
        assert!(said.contains(message), "{learner} {run}: {said}");
        assert_eq!(found, token, "{learner} {run}: {said}");
    }
}
