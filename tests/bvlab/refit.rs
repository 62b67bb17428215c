//! Fits to a training set that was changed by hand.

use std::net::Ipv4Addr;

use bvlab::data::{Points, Training};
use bvlab::engine::{KeptFit, RunError, refit};
use bvlab::interrupt::Interrupt;
use serde_json::{Value, json};

use crate::lab::{LECTURER, STUDENT, Server};
use crate::setup::{plan, run};

/// Learners with and without random numbers of their own, and what a refit leaves out: methods of selection.
const LEARNERS: &str = r#"
problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 30 }
run = { resamples = 40, seed = 3, keep = 4, test = { grid = 25 }, select = ["5-fold"] }
learner = [
  { knn = {}, sweep = { k = [1, 2, 24] } },
  { bagging = { members = 3, base = { tree = {} } }, sweep = { depth = "1..4" } },
  { network = { epochs = 20 }, sweep = { width = [1, 3] } },
]
"#;

fn numbers(fit: &KeptFit) -> [&Vec<f64>; 3] {
    [&fit.predictions, &fit.risk, &fit.train]
}

#[test]
fn the_drawn_points_have_the_fits_of_the_run_to_the_last_bit() {
    let (plan, results) = run(LEARNERS);
    for kept in results.kept.iter().take(4) {
        let again = refit(&plan, kept.resample, &kept.data[0], &Interrupt::never()).unwrap();
        assert_eq!(again.data, kept.data);
        for (one, other) in again.fits.iter().zip(&kept.fits) {
            assert_eq!(numbers(one), numbers(other));
        }
    }
}

#[test]
fn moved_points_are_what_is_fitted() {
    let plan = plan(LEARNERS);
    let x: Vec<f64> = (0..30).map(|i| 0.5 * f64::from(i)).collect();
    let y: Vec<f64> = (0..30).map(|i| f64::from(i * 7 % 11)).collect();
    let data = Training {
        inputs: Points::new(1, x.clone()),
        labels: y.clone(),
    };
    let fits = refit(&plan, 2, &data, &Interrupt::never()).unwrap().fits;
    // The nearest neighbours by search; no test point is half-way between two points.
    for (j, at) in plan.test.points.values().iter().enumerate() {
        let mut order: Vec<usize> = (0..30).collect();
        order.sort_by(|a, b| (x[*a] - at).abs().total_cmp(&(x[*b] - at).abs()));
        for (setting, k) in [1, 2, 24].into_iter().enumerate() {
            let mean = order[..k].iter().map(|i| y[*i]).sum::<f64>() / k as f64;
            let found = fits[0].predictions[setting * 25 + j];
            assert!(
                (found - mean).abs() < 1e-12,
                "k = {k} at {at}: {found}, {mean}"
            );
        }
    }
}

#[test]
fn labels_that_are_no_class_are_refused() {
    let plan = plan(
        r#"
        problem = { classes = { moons = 0.3 }, train = 4 }
        learner = [{ knn = { k = 1 } }]
        run = { resamples = 10, test = { draw = 5 } }
        "#,
    );
    let with = |label: f64| {
        let data = Training {
            inputs: Points::new(2, vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
            labels: vec![0.0, 1.0, label, 0.0],
        };
        refit(&plan, 0, &data, &Interrupt::never()).map_err(|error| error.to_string())
    };
    assert!(with(1.0).is_ok());
    for wrong in [2.0, -1.0, 0.5, f64::NAN] {
        let error = with(wrong).expect_err("it is no class");
        assert!(error.contains("expected the labels 0 to 1"), "{error}");
    }
}

#[test]
fn a_long_fit_can_be_stopped() {
    let plan = plan(
        r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 200 }
        learner = [{ bagging = { members = 2000, base = { tree = {} } } }]
        run = { resamples = 10, test = { grid = 50 } }
        "#,
    );
    let data = Training {
        inputs: Points::new(1, (0..200).map(f64::from).collect()),
        labels: (0..200).map(|i| f64::from(i * 7 % 11)).collect(),
    };
    let stopped = refit(&plan, 0, &data, &Interrupt::new(&|| true));
    assert!(matches!(stopped, Err(RunError::Stopped { .. })));
}

fn refitted(server: &Server, from: Ipv4Addr, lesson: &str, data: &Value) -> (u16, Value) {
    let body = json!({ "lesson": lesson, "set": [], "what": "refit", "data": data });
    let answer = server.post(from, "/api/export", &body);
    let value = serde_json::from_slice(&answer.body).unwrap_or_default();
    (answer.status, value)
}

#[test]
fn a_page_is_given_the_fits_to_its_points_or_told_why_not() {
    let server = Server::start(&[]);
    let points = |count: usize| {
        let x: Vec<f64> = (0..count).map(|i| 0.1 * i as f64).collect();
        json!({ "resample": 0, "x": x, "y": x })
    };
    for from in [LECTURER, STUDENT] {
        let (status, draw) = refitted(&server, from, "tree-tradeoff", &points(12));
        assert_eq!((status, &draw["is"]), (200, &json!("draw")));
        // One point more or less than the lesson has is as good.
        assert_eq!(
            refitted(&server, from, "tree-tradeoff", &points(101)).0,
            200
        );
    }
    let far = json!({ "resample": 0, "x": [0.0, 1.0], "y": [1.0, 1e308] });
    let uneven = json!({ "resample": 0, "x": [0.0, 1.0], "y": [1.0] });
    let late = json!({ "resample": 1_000_000, "x": [0.0], "y": [1.0] });
    for (lesson, data, words) in [
        ("tree-tradeoff", points(0), "train"),
        ("tree-tradeoff", points(2001), "2000"),
        ("knn-tradeoff", points(3), "k"),
        ("tree-tradeoff", uneven, "same length"),
        ("tree-tradeoff", late, "no such training set"),
        ("moons-zero-one", points(200), "along one input"),
        ("em-steps", points(40), "problem"),
        ("tree-tradeoff", json!({ "x": [1.0] }), "missing field"),
        ("tree-tradeoff", Value::Null, "needs `data`"),
    ] {
        let (status, told) = refitted(&server, STUDENT, lesson, &data);
        let message = told["error"]["message"].as_str().unwrap_or_default();
        assert!(
            status == 400 && message.contains(words),
            "{lesson}: {status}, {told}"
        );
    }
    // Labels whose squares are too large for any number.
    let (status, told) = refitted(&server, STUDENT, "tree-tradeoff", &far);
    assert!(
        status == 200 || told["error"]["message"].is_string(),
        "{told}"
    );
}
