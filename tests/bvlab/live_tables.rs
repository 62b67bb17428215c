//! What the live page is told of experiments on tables: rows, training sets as weights of rows, and fits at the
//! rows that are held out are those of the files that the command line writes.

use serde_json::{Value, json};

use crate::boundaries::{by_class, newest, single, unpacked};
use crate::lab::{Server, column, command_line, numbers, of};
use bvlab::outcome::Table;

/// An experiment on a table, run on the page and by the command line.
struct Both {
    messages: Vec<Value>,
    csv: String,
    fits: Table,
    training: Table,
    points: Table,
}

impl Both {
    fn of(lesson: &str, resamples: &str) -> Self {
        let out = tempfile::tempdir().unwrap();
        let csv = command_line(out.path(), lesson, &["--resamples", resamples]);
        let folder = out.path().join(lesson);
        let table = |name: &str| Table::read_parquet(&folder.join(name)).unwrap();
        let server = Server::start(&[]);
        let set = [format!("run.resamples={resamples}")];
        Both {
            messages: server.run(&json!({ "lesson": lesson, "set": set })),
            csv,
            fits: table("fits.parquet"),
            training: table("training.parquet"),
            points: table("points.parquet"),
        }
    }

    fn head(&self) -> &Value {
        &self.messages[0]
    }

    /// The values of every row, its label last; those that can be drawn come first.
    fn rows(&self) -> Vec<Vec<f64>> {
        let rows = &self.head()["rows"];
        let columns = rows["columns"].as_array().unwrap().iter();
        let mut columns: Vec<Vec<f64>> = columns.map(|column| numbers(&column["values"])).collect();
        columns.push(numbers(&rows["labels"]));
        (0..columns[0].len())
            .map(|i| columns.iter().map(|column| column[i]).collect())
            .collect()
    }

    /// Training sets as weights of rows are those of the file.
    fn check_weights(&self, drawn: usize, size: usize) {
        let rows = self.rows();
        assert_eq!(self.head()["rows"]["drawn"], drawn);
        assert_eq!(self.head()["rows"]["held"], rows.len() - drawn);
        let inputs = rows[0].len() - 1;
        let written = self.training.wholes("resample");
        for draw in of(&self.messages, "draw") {
            assert_eq!(draw["data"], Value::Null);
            let weights = unpacked(&draw["weights"][0]);
            assert_eq!(weights.iter().sum::<usize>(), size);
            assert!(weights[drawn..].iter().all(|weight| *weight == 0));
            let repeated = weights.iter().zip(&rows);
            let repeated = repeated.flat_map(|(weight, row)| vec![row.clone(); *weight]);
            let mut told: Vec<Vec<f64>> = repeated.collect();
            let resample = draw["resample"].as_u64().unwrap();
            let names = (1..=inputs).map(|i| format!("x{i}"));
            let columns: Vec<Vec<f64>> = names
                .chain(["y".to_owned()])
                .map(|name| single(self.training.numbers(&name)))
                .collect();
            let of_this = (0..written.len()).filter(|i| written[*i] == resample);
            let mut found: Vec<Vec<f64>> = of_this
                .map(|i| columns.iter().map(|column| column[i]).collect())
                .collect();
            let order = |a: &Vec<f64>, b: &Vec<f64>| a.partial_cmp(b).unwrap();
            told.sort_by(order);
            found.sort_by(order);
            assert_eq!(told, found, "training set {resample}");
        }
    }

    /// Of the estimates those of curves.csv, and nothing is said of the noise.
    fn check_estimates(&self) {
        let last = &newest(&self.messages)["learners"];
        let told = |name: &str| -> Vec<f64> {
            let learners = last.as_array().unwrap().iter();
            learners
                .flat_map(|learner| numbers(&learner[name]))
                .collect()
        };
        for name in ["bias2", "variance", "risk", "risk_se", "test_risk"] {
            assert_eq!(told(name), column(&self.csv, name), "{name}");
        }
        assert!(told("noise").iter().all(|noise| noise.is_nan()));
        let noise = numbers(&self.head()["noise"][0]);
        assert!(noise.iter().all(|noise| noise.is_nan()));
    }
}

#[test]
fn rows_with_numbers_are_those_of_the_files() {
    let both = Both::of("diabetes-trees", "60");
    let head = both.head();
    assert!(head["pictured"].is_null(), "{}", head["pictured"]);
    assert_eq!(head["rows"]["target"], "progression");
    assert_eq!(head["rows"]["columns"].as_array().unwrap().len(), 10);
    assert_eq!(head["rows"]["columns"][2]["name"], "bmi");
    assert_eq!(head["rows"]["first"], json!([2, 8]));
    let truth = numbers(&head["test"]["truth"]);
    assert_eq!(truth, both.points.numbers("truth")[..truth.len()]);
    let labels = both.rows()[309..]
        .iter()
        .map(|row| row[10])
        .collect::<Vec<_>>();
    assert_eq!(labels, single(&truth));
    both.check_weights(309, 309);
    both.check_estimates();
    let draws = of(&both.messages, "draw");
    assert_eq!(head["keep"], draws.len());
    assert!(draws.len() >= 30);
    let resamples = both.fits.wholes("resample");
    for draw in draws {
        let resample = draw["resample"].as_u64().unwrap();
        let predictions = both.fits.numbers("prediction").iter().zip(resamples);
        let of_this = predictions.filter(|(_, r)| **r == resample);
        let written: Vec<f64> = of_this.map(|(prediction, _)| *prediction).collect();
        let told = draw["fits"].as_array().unwrap().iter();
        let told: Vec<f64> = told.flat_map(numbers).collect();
        assert_eq!(told, single(&written), "of {resample}");
    }
}

#[test]
fn rows_with_classes_are_those_of_the_files() {
    let both = Both::of("iris-trees", "60");
    let head = both.head();
    assert!(head["pictured"].is_null(), "{}", head["pictured"]);
    assert_eq!(head["classes"], 3);
    assert_eq!(head["loss"]["bias"], "bias²");
    assert_eq!(
        head["rows"]["classes"],
        json!(["setosa", "versicolor", "virginica"])
    );
    assert_eq!(head["rows"]["first"], json!([0, 1]));
    let marked = head["rows"]["marked"].as_array().unwrap();
    assert_eq!(marked.len(), 45, "all of them");
    both.check_weights(105, 105);
    both.check_estimates();
    for draw in of(&both.messages, "draw") {
        let resample = draw["resample"].as_i64().unwrap();
        let written = by_class(&both.fits, "prediction", 3, Some(resample));
        let rows = (0..written[0].len()).flat_map(|i| [written[1][i], written[2][i]]);
        let told = numbers(&draw["fits"][0]);
        assert_eq!(told, single(&rows.collect::<Vec<_>>()), "of {resample}");
        // The class that is chosen is one of the most probable ones.
        let labels = unpacked(&draw["labels"][0]);
        for (i, label) in labels.iter().take(written[0].len()).enumerate() {
            let most = written.iter().map(|all| all[i]).fold(0.0, f64::max);
            assert_eq!(written[*label][i], most, "row {i} of {resample}");
        }
    }
    let told = &of(&both.messages, "points")[0]["learners"][0];
    for name in ["bias2", "variance"] {
        let written = single(both.points.numbers(name));
        assert_eq!(numbers(&told[name]), written, "{name}");
    }
    assert!(numbers(&told["noise"]).iter().all(|noise| noise.is_nan()));
}

#[test]
fn other_ways_to_draw_rows_are_told_as_weights() {
    let server = Server::start(&[]);
    let told = |lesson: &str, set: &[&str]| {
        let messages = server.run(&json!({ "lesson": lesson, "set": set }));
        let sums = of(&messages, "draw").into_iter().map(|draw| {
            let weights = unpacked(&draw["weights"][0]);
            (weights.iter().sum::<usize>(), weights)
        });
        (messages[0].clone(), sums.collect::<Vec<_>>())
    };
    let halves = ["problem.resample=\"halves\"", "run.resamples=20"];
    let (_, halves) = told("iris-trees", &halves);
    assert!(!halves.is_empty());
    assert!(halves.iter().all(|(sum, _)| *sum == 52));
    let disjoint = [
        "problem.resample=\"disjoint\"",
        "problem.train=20",
        "run.resamples=20",
    ];
    let (_, disjoint) = told("iris-trees", &disjoint);
    // Five of them have no row in common.
    let total = |i: usize| -> usize { disjoint[..5].iter().map(|(_, one)| one[i]).sum() };
    assert!((0..105).all(|i| total(i) <= 1));
    assert_eq!((0..105).map(total).sum::<usize>(), 100);
    // Of many columns those that tell most are sent.
    let few = ["run.resamples=4", "sweep={ width = [1, 2] }", "figure=[]"];
    let few = [&few[..], &["claim=[]"]].concat();
    let (head, _) = told("descent-digits-network", &few);
    assert_eq!(head["rows"]["columns"].as_array().unwrap().len(), 12);
    assert_eq!(head["rows"]["of"], 64);
}
