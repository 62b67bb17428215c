//! Real tables: reading, splitting, resampling, and what is made of them.

use std::sync::Arc;

use bvlab::data::Training;
use bvlab::engine::{self, Unwatched};
use bvlab::experiment::shipped;
use bvlab::experiment::table::{
    Key, Missing, ShippedTables, TableError, TableUse, TestRows, read_rows,
};
use bvlab::experiment::{Experiment, ExperimentError, Source};
use bvlab::outcome::files::parquet_contents;
use bvlab::outcome::{Table, Tables};
use bvlab::plan::Plan;
use bvlab::problem::{Inputs, Labels, Problem, Resample, Rows};
use bvlab::stream::{Purpose, Stream};
use bvlab::tables::FolderTables;

use crate::setup::Place;

fn wanted(target: &str) -> TableUse {
    TableUse {
        target: target.to_owned(),
        classes: None,
        columns: None,
        missing: Missing::Refuse,
        test: TestRows::Share(0.3),
        resample: Resample::Bootstrap,
    }
}

fn rows(file: &str, bytes: &[u8], seed: u64, wanted: &TableUse) -> Result<Rows, TableError> {
    read_rows(file, bytes, &parquet_contents, seed, wanted)
}

fn read(text: &str, wanted: &TableUse) -> Result<Rows, TableError> {
    rows("t.csv", text.as_bytes(), 1, wanted)
}

fn error(text: &str, wanted: &TableUse) -> TableError {
    read(text, wanted).expect_err(text)
}

/// What is wrong, what is said about it, and which key is blamed.
#[test]
fn every_error_names_file_line_and_column() {
    let y = wanted("y");
    let classes = TableUse {
        classes: Some(true),
        ..y.clone()
    };
    let numbers = TableUse {
        classes: Some(false),
        ..y.clone()
    };
    let with = |columns: &[&str]| TableUse {
        columns: Some(columns.iter().map(|name| name.to_string()).collect()),
        ..y.clone()
    };
    let marked = TableUse {
        test: TestRows::Column("t".to_owned()),
        ..y.clone()
    };
    let many: String = (0..101).map(|i| format!("{i},{i}\n")).collect();
    let cases = [
        ("", y.clone(), "t.csv has no rows", Key::File),
        ("\n \n", y.clone(), "t.csv has no rows", Key::File),
        ("x,y\n", y.clone(), "t.csv has no rows", Key::File),
        ("x,y\n1,2\n", y.clone(), "t.csv has only 1 row", Key::File),
        (
            "x,y\n1,2\n2,3\n",
            y.clone(),
            "t.csv has only 2 rows",
            Key::File,
        ),
        (
            "x,x,y\n1,2,3\n",
            y.clone(),
            "t.csv has two columns called `x`",
            Key::File,
        ),
        (
            ",x,y\n0,1,2\n",
            y.clone(),
            "column 1 of t.csv has no name",
            Key::File,
        ),
        (
            "x,y\n1,2\n\n3\n",
            y.clone(),
            "t.csv, line 4 has 1 cells, not 2",
            Key::File,
        ),
        (
            "x,y\n1,2,3\n",
            y.clone(),
            "t.csv, line 2 has 3 cells, not 2",
            Key::File,
        ),
        (
            "x,Y\n1,2\n2,3\n3,5\n",
            y.clone(),
            "t.csv has no column `y`",
            Key::Target,
        ),
        (
            "y\n1\n2\n3\n",
            y.clone(),
            "t.csv has no column to predict `y` from",
            Key::Columns(None),
        ),
        (
            "x,y\n1,2\n\n2,\n3,4\n",
            y.clone(),
            "t.csv, line 4: the target `y` is missing",
            Key::Target,
        ),
        (
            "x,y\n1,2\n,3\n3,4\n",
            y.clone(),
            "t.csv, line 3: `x` is missing",
            Key::File,
        ),
        (
            "x,y\n1,2\nNA,3\n3,4\n",
            y.clone(),
            "t.csv, line 3: `x` is missing",
            Key::File,
        ),
        (
            "x,y\n1,2\nnan,3\n3,4\n",
            y.clone(),
            "t.csv, line 3: `x` is missing",
            Key::File,
        ),
        (
            "x,y\n1,2\ninf,3\n3,4\n",
            y.clone(),
            "t.csv, line 3: `x` is inf",
            Key::Columns(None),
        ),
        (
            "x,y\n1,2\n1e999,3\n3,4\n",
            y.clone(),
            "t.csv, line 3: `x` is inf",
            Key::Columns(None),
        ),
        (
            "x,y\n1,2\n2,-inf\n3,4\n",
            y.clone(),
            "t.csv, line 3: `y` is -inf",
            Key::Target,
        ),
        (
            "x,y\n1,2\nred,3\n3,4\n",
            y.clone(),
            "t.csv, line 3: `x` is `red`, not a number",
            Key::Columns(None),
        ),
        (
            "x,y\n\"a\nb\",2\n2,3\nred,4\n",
            with(&["x"]),
            "t.csv, line 2: `x` is `a\nb`, not a number",
            Key::Columns(Some(0)),
        ),
        (
            "x,y\n1,2\n2,red\n3,4\n",
            y.clone(),
            "t.csv, line 3: `y` is `red`, not a number",
            Key::Target,
        ),
        (
            "x,y\n1,a\n2,b\n3,a\n",
            numbers.clone(),
            "t.csv, line 2: `y` is `a`, not a number",
            Key::Target,
        ),
        (
            "x,y\n1,1\n2,1.5\n3,2\n",
            classes.clone(),
            "t.csv, line 3: `y` is `1.5`, which is not a class",
            Key::Classes,
        ),
        (
            "x,y\n1,4\n2,4\n3,4\n",
            y.clone(),
            "`y` is the same in every row of t.csv",
            Key::Target,
        ),
        (
            "x,y\n1,a\n2,a\n3,a\n",
            y.clone(),
            "`y` is the same in every row of t.csv",
            Key::Target,
        ),
        (
            "x,t,y\n1,0,4\n2,0,4\n3,1,5\n",
            marked.clone(),
            "`y` is the same in every row to train on of t.csv",
            Key::Test,
        ),
        (
            "x,t,y\n1,0,4\n2,2,4\n3,1,5\n",
            marked.clone(),
            "t.csv, line 3: `t` is `2`, not 0 or 1",
            Key::Test,
        ),
        (
            "x,t,y\n1,0,4\n2,,4\n3,1,5\n",
            marked.clone(),
            "t.csv, line 3: `t` is missing, not 0 or 1",
            Key::Test,
        ),
        (
            "x,t,y\n1,0,4\n2,0,5\n3,0,5\n",
            marked.clone(),
            "t.csv has 3 rows to train on and 0 to test on",
            Key::Test,
        ),
        (
            "x,t,y\n1,1,4\n2,1,5\n3,0,5\n",
            marked.clone(),
            "t.csv has 1 rows to train on and 2 to test on",
            Key::Test,
        ),
        (
            "x,y\n1,4\n2,5\n3,6\n",
            marked.clone(),
            "t.csv has no column `t`",
            Key::Test,
        ),
        (
            "x,y\n1,4\n2,5\n3,6\n",
            with(&["x", "z"]),
            "t.csv has no column `z`",
            Key::Columns(Some(1)),
        ),
        (
            "x,y\n1,4\n2,5\n3,6\n",
            with(&["x", "y"]),
            "`y` is the target",
            Key::Columns(Some(1)),
        ),
        (
            "x,y\n1,4\n2,5\n3,6\n",
            with(&["x", "x"]),
            "`x` is named twice",
            Key::Columns(Some(1)),
        ),
        (
            "x,y\n1,4\n2,5\n3,6\n",
            with(&[]),
            "t.csv has no column to predict `y` from",
            Key::Columns(None),
        ),
    ];
    for (text, wanted, message, key) in cases {
        let error = error(text, &wanted);
        assert_eq!(
            (error.message.as_str(), error.key),
            (message, key),
            "{text}"
        );
        assert!(error.help.is_some(), "{text}");
    }
    let many = error(&format!("x,y\n{many}"), &classes);
    assert_eq!(many.message, "`y` has 101 classes");
    let near = error("x,Y\n1,2\n2,3\n3,5\n", &y);
    assert_eq!(near.help.as_deref(), Some("did you mean `Y`?"));
}

#[test]
fn files_that_are_no_tables_are_refused() {
    let of = |file: &str, bytes: &[u8]| {
        let error = rows(file, bytes, 1, &wanted("y")).expect_err(file);
        assert_eq!(error.key, Key::File);
        error.message
    };
    assert_eq!(of("t.xlsx", b"x"), "t.xlsx is neither CSV nor Parquet");
    assert_eq!(
        of("t.csv.gz", b"x,y\n1,2\n"),
        "cannot read t.csv.gz: it is not a whole gzip file of at most 256 MB"
    );
    assert_eq!(
        of("t.csv", b"x,y\n1,2\n\xff,3"),
        "t.csv, line 3 is not text in UTF-8"
    );
    assert!(of("t.parquet", b"PAR1 this is not PAR1").starts_with("cannot read t.parquet"));
    assert!(of("t.parquet", b"").starts_with("cannot read t.parquet"));
    let wide = vec![b','; 6_000_000];
    let rows = [
        &wide[..],
        b"\n",
        &wide,
        b"\n",
        &wide,
        b"\n",
        &wide,
        b"\n",
        &wide,
    ]
    .concat();
    assert_eq!(of("t.csv", &rows), "t.csv is too large");
}

#[test]
fn a_table_is_read_whatever_its_separators_quotes_and_line_ends() {
    let y = TableUse {
        test: TestRows::Column("t".to_owned()),
        ..wanted("y")
    };
    let plain = "x,z,t,y\n1,2.5,0,4\n2,-1e-3,0,5\n3,0,1,6\n4,7,0,7\n";
    let rows = read(plain, &y).unwrap();
    assert_eq!(rows.names, ["x", "z"]);
    assert_eq!(rows.train.inputs.values(), [1.0, 2.5, 2.0, -1e-3, 4.0, 7.0]);
    assert_eq!(rows.train.labels, [4.0, 5.0, 7.0]);
    assert_eq!(rows.test.inputs.values(), [3.0, 0.0]);
    assert_eq!((rows.test.labels[0], rows.imputed), (6.0, 0));
    for text in [
        plain.replace('\n', "\r\n"),
        plain.replace(',', ";"),
        plain.replace(',', "\t"),
        plain.replace(',', " , "),
        plain.replace("0,4", "\"0\",\"4\""),
        plain.replace('\n', "\n\n"),
        format!("\u{feff}{plain}"),
        plain.trim_end().to_owned(),
        plain.replace(",0,", ",false,").replace(",1,", ",True,"),
    ] {
        assert_eq!(read(&text, &y), Ok(rows.clone()), "{text:?}");
    }
    let chosen = TableUse {
        columns: Some(vec!["z".to_owned()]),
        ..y
    };
    assert_eq!(
        read(plain, &chosen).unwrap().train.inputs.values(),
        [2.5, -1e-3, 7.0]
    );
}

#[test]
fn classes_have_names_in_order() {
    let held = TableUse {
        test: TestRows::Column("t".to_owned()),
        ..wanted("y")
    };
    let of = |labels: [&str; 4], wanted: &TableUse| {
        let [a, b, c, d] = labels;
        let rows = read(
            &format!("x,t,y\n1,0,{a}\n2,0,{b}\n3,0,{c}\n4,1,{d}\n"),
            wanted,
        )
        .unwrap();
        (rows.classes, [rows.train.labels, rows.test.labels].concat())
    };
    assert_eq!(of(["b", "a", "c", "a"], &held).0, ["a", "b", "c"]);
    assert_eq!(of(["b", "a", "c", "a"], &held).1, [1.0, 0.0, 2.0, 0.0]);
    assert_eq!(
        of(["true", "false", "true", "true"], &held).1,
        [1.0, 0.0, 1.0, 1.0]
    );
    assert_eq!(of(["10", "2", "10", "-3"], &held).0, [""; 0]);
    let asked = TableUse {
        classes: Some(true),
        ..held
    };
    let (names, labels) = of(["10", "2", "10", "-3"], &asked);
    assert_eq!(names, ["-3", "2", "10"]);
    assert_eq!(labels, [2.0, 1.0, 2.0, 0.0]);
}

/// From the rows to train on alone: those held out must not be seen.
#[test]
fn missing_inputs_become_mean_or_median_of_the_training_rows() {
    let text = "x,t,y\n1,0,1\n,0,2\n10,0,3\n4,0,4\n,1,5\n1000,1,6\n";
    let of = |missing| {
        let test = TestRows::Column("t".to_owned());
        read(
            text,
            &TableUse {
                missing,
                test,
                ..wanted("y")
            },
        )
        .unwrap()
    };
    let mean = of(Missing::Mean);
    assert_eq!(mean.train.inputs.values(), [1.0, 5.0, 10.0, 4.0]);
    assert_eq!(mean.test.inputs.values(), [5.0, 1000.0]);
    assert_eq!(mean.imputed, 2);
    assert_eq!(
        of(Missing::Median).train.inputs.values(),
        [1.0, 4.0, 10.0, 4.0]
    );
    let none = "x,t,y\n,0,1\n,0,2\n3,1,4\n";
    let test = TestRows::Column("t".to_owned());
    let error = error(
        none,
        &TableUse {
            missing: Missing::Mean,
            test,
            ..wanted("y")
        },
    );
    assert_eq!(error.message, "`x` is missing in every row to train on");
}

#[test]
fn rows_are_held_out_by_their_share_and_the_seed() {
    let iris = shipped::table("data/iris.csv").unwrap();
    let of = |seed, share| {
        let wanted = TableUse {
            test: TestRows::Share(share),
            ..wanted("species")
        };
        rows("iris.csv", &iris, seed, &wanted).unwrap()
    };
    let rows = of(1, 0.3);
    assert_eq!(rows.classes, ["setosa", "versicolor", "virginica"]);
    assert_eq!((rows.train.len(), rows.test.len()), (105, 45));
    assert_eq!(rows, of(1, 0.3));
    assert_ne!(rows, of(2, 0.3));
    assert_eq!(of(1, 1e-9).test.len(), 1);
    assert_eq!(of(1, 0.999).train.len(), 2);
    let mut all: Vec<Vec<u64>> = Vec::new();
    for part in [&rows.train, &rows.test] {
        all.extend(
            part.inputs
                .rows()
                .map(|row| row.iter().map(|x| x.to_bits()).collect()),
        );
    }
    let whole = of(7, 0.5);
    let mut same: Vec<Vec<u64>> = Vec::new();
    for part in [&whole.train, &whole.test] {
        same.extend(
            part.inputs
                .rows()
                .map(|row| row.iter().map(|x| x.to_bits()).collect()),
        );
    }
    all.sort();
    same.sort();
    assert_eq!(all, same);
}

/// A table of n rows whose label is the number of the row.
fn numbered(n: usize, resample: Resample) -> Rows {
    let lines: String = (0..n).map(|i| format!("{i},{},0,{i}\n", 2 * i)).collect();
    let text = format!("a,b,t,y\n{lines}0,0,1,0\n");
    let test = TestRows::Column("t".to_owned());
    read(
        &text,
        &TableUse {
            resample,
            test,
            ..wanted("y")
        },
    )
    .unwrap()
}

#[test]
fn a_bootstrap_draws_every_row_equally_often_and_keeps_their_order() {
    let rows = numbered(20, Resample::Bootstrap);
    let (mut data, mut counts, mut distinct) = (Training::default(), vec![0_u32; 20], 0);
    let rounds = 4000;
    for round in 0..rounds {
        rows.draw(
            rows.size(),
            &mut Stream::new(1, Purpose::Inputs, round),
            &mut data,
        );
        assert_eq!(data.len(), 20);
        assert!(data.labels.is_sorted());
        for (row, label) in data.inputs.rows().zip(&data.labels) {
            assert_eq!(row, [*label, 2.0 * label]);
            counts[*label as usize] += 1;
        }
        distinct += 1 + data
            .labels
            .windows(2)
            .filter(|pair| pair[0] != pair[1])
            .count();
    }
    // A row's count is binomial, with variance 0.95 per round.
    let far = 5.0 * (0.95 * rounds as f64).sqrt();
    for count in counts {
        assert!((f64::from(count) - rounds as f64).abs() < far, "{count}");
    }
    let share = distinct as f64 / (20.0 * rounds as f64);
    assert!((share - (1.0 - 0.95_f64.powi(20))).abs() < 0.005, "{share}");
}

#[test]
fn halves_are_drawn_without_replacement_and_all_are_as_likely() {
    let rows = numbered(5, Resample::Halves);
    assert_eq!(rows.size(), 2);
    let (mut data, mut pairs) = (Training::default(), std::collections::BTreeMap::new());
    let rounds = 10_000;
    for round in 0..rounds {
        rows.draw(
            rows.size(),
            &mut Stream::new(1, Purpose::Inputs, round),
            &mut data,
        );
        assert!(data.labels[0] < data.labels[1]);
        *pairs
            .entry([data.labels[0] as u32, data.labels[1] as u32])
            .or_insert(0) += 1;
    }
    assert_eq!(pairs.len(), 10);
    for (pair, count) in pairs {
        // Binomial with mean 1000 and sd 30.
        assert!((count - 1000_i32).abs() < 150, "{pair:?}: {count}");
    }
}

/// Against brute force: all training sets of a round are a partition of the table, and what is left over
/// differs from round to round.
#[test]
fn disjoint_training_sets_share_no_row_until_all_are_used() {
    let rows = Arc::new(numbered(20, Resample::Disjoint));
    let problem = Problem {
        labels: Labels::Rows(rows.clone()),
        inputs: Inputs::Rows(rows),
        fixed: false,
        dimension: 2,
        train: 6,
    };
    problem.check().unwrap();
    let (mut data, mut rounds) = (Training::default(), Vec::new());
    for round in 0..40 {
        let mut seen: Vec<f64> = Vec::new();
        for part in 0..3 {
            problem.draw(1, 3 * round + part, &mut data).unwrap();
            assert_eq!(data.len(), 6);
            assert!(data.labels.is_sorted());
            for (row, label) in data.inputs.rows().zip(&data.labels) {
                assert_eq!(row, [*label, 2.0 * label]);
            }
            seen.extend(&data.labels);
        }
        seen.sort_by(f64::total_cmp);
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
        rounds.push(seen);
    }
    // Every row is left out in a tenth of the rounds: binomial with mean 4 and sd 1.9.
    for row in 0..20 {
        let used = rounds.iter().filter(|seen| seen.contains(&f64::from(row)));
        let left_out = 40 - used.count();
        assert!(left_out < 14, "{row}: {left_out}");
    }
    assert!(rounds.iter().any(|seen| *seen != rounds[0]));
    // The same draws whatever came before.
    let first = data.clone();
    problem.draw(1, 7, &mut data).unwrap();
    problem.draw(1, 119, &mut data).unwrap();
    assert_eq!(data, first);
    let more = Problem {
        train: 21,
        ..problem
    };
    assert!(more.check().is_err());
}

/// The mean of n labels of N rows that are draws of variance σ² has the variance σ²/n over training sets
/// of new rows. Disjoint training sets show it on average over tables; those that are drawn from one
/// table again and again, without replacement, show σ²/n (1 - n/N).
#[test]
fn the_variance_of_disjoint_training_sets_is_unbiased() {
    let (count, train) = (24, 12);
    let (mut disjoint, mut shared) = (0.0, 0.0);
    let tables = 400;
    for table in 0..tables {
        let labels = crate::setup::data(table, count, 1, None).labels;
        let mut text = "x,y,held\n".to_owned();
        for (i, label) in labels.iter().enumerate() {
            text.push_str(&format!("{i},{label},0\n"));
        }
        text.push_str("0,0,1\n");
        let variance = |resample, sets: u64| {
            let wanted = TableUse {
                resample,
                test: TestRows::Column("held".to_owned()),
                ..wanted("y")
            };
            let rows = Arc::new(rows("t.csv", text.as_bytes(), 1, &wanted).unwrap());
            let problem = Problem {
                labels: Labels::Rows(rows.clone()),
                inputs: Inputs::Rows(rows),
                fixed: false,
                dimension: 1,
                train,
            };
            let mut data = Training::default();
            let means: Vec<f64> = (0..sets)
                .map(|set| {
                    problem.draw(5000 + table, set, &mut data).unwrap();
                    data.labels.iter().sum::<f64>() / train as f64
                })
                .collect();
            let mean = means.iter().sum::<f64>() / sets as f64;
            let squares = means.iter().map(|m| (m - mean).powi(2));
            squares.sum::<f64>() / (sets - 1) as f64
        };
        disjoint += variance(Resample::Disjoint, 2) / tables as f64;
        shared += variance(Resample::Halves, 40) / tables as f64;
    }
    let all: Vec<f64> = (0..tables)
        .flat_map(|table| crate::setup::data(table, count, 1, None).labels)
        .collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let sigma2 = all.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / all.len() as f64;
    let wanted = sigma2 / train as f64;
    // The square of a normal difference has a relative sd of √2: over 400 tables 0.07.
    assert!(
        (disjoint / wanted - 1.0).abs() < 0.25,
        "{disjoint} {wanted}"
    );
    assert!((shared / wanted - 0.5).abs() < 0.1, "{shared} {wanted}");
}

#[test]
fn the_tables_that_ship_can_be_read() {
    let iris = shipped::table("data/iris.csv").unwrap();
    let iris = rows("iris.csv", &iris, 1, &wanted("species")).unwrap();
    assert_eq!((iris.names.len(), iris.classes.len()), (4, 3));
    let diabetes = shipped::table("data/diabetes.csv").unwrap();
    let diabetes = rows("diabetes.csv", &diabetes, 1, &wanted("progression")).unwrap();
    assert_eq!(diabetes.names.len(), 10);
    assert_eq!(diabetes.train.len() + diabetes.test.len(), 442);
    let digits = shipped::table("data/digits.csv.gz").unwrap();
    assert!(digits.len() < 200_000);
    let classes = TableUse {
        classes: Some(true),
        ..wanted("digit")
    };
    let digits = rows("digits.csv.gz", &digits, 1, &classes).unwrap();
    assert_eq!((digits.names.len(), digits.classes.len()), (64, 10));
    assert_eq!(digits.train.len() + digits.test.len(), 1797);
    // `load_digits().data.sum()` of scikit-learn.
    let parts = [&digits.train, &digits.test].map(|part| part.inputs.values().iter().sum::<f64>());
    assert_eq!(parts[0] + parts[1], 561_718.0);
    for none in [
        "data/README.md",
        "tree-tradeoff.toml",
        "data/../tree-tradeoff.toml",
        "/etc/hosts",
    ] {
        assert!(shipped::table(none).is_none(), "{none}");
    }
}

#[test]
fn parquet_is_read_like_csv() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let table = Table::default()
        .number("x", vec![1.0, 2.0, f64::NAN, 4.0])
        .text("y", ["b", "a", "b", "a"].map(Into::into).to_vec())
        .whole("t", vec![0, 0, 0, 1]);
    table.write_parquet(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let test = TestRows::Column("t".to_owned());
    let marked = TableUse {
        test,
        ..wanted("y")
    };
    let error = rows("t.parquet", &bytes, 1, &marked).unwrap_err();
    assert_eq!(error.message, "t.parquet, row 3: `x` is missing");
    let made_up = TableUse {
        missing: Missing::Mean,
        ..marked
    };
    let csv = "x,y,t\n1,b,0\n2,a,0\n,b,0\n4,a,1\n";
    let rows = rows("t.parquet", &bytes, 1, &made_up);
    assert_eq!(rows, read(csv, &made_up));
}

/// A small table: two classes, and a number that rises with x.
const SMALL: &str = "x,z,kind,size,held\n\
    1,0.5,a,1.1,0\n2,0.1,a,1.9,0\n3,0.9,b,3.2,1\n4,0.4,a,3.8,0\n5,0.7,b,5.1,0\n\
    6,0.2,b,6.2,1\n7,0.3,a,6.8,0\n8,0.8,b,8.1,0\n9,0.6,b,9.3,0\n10,0.2,a,9.9,1\n";

const EXPERIMENT: &str = r#"
title = "Small"
[problem]
table   = "small.csv"
target  = "size"
columns = ["x", "z"]
test    = { column = "held" }
[sweep]
depth = "1..3"
[[learner]]
tree = {}
[run]
resamples = 60
[[figure]]
tradeoff = {}
"#;

fn place() -> Place {
    Place::with(&[("small.csv", SMALL), ("small.toml", EXPERIMENT)])
}

fn checked(place: &Place, text: &str) -> Result<Experiment, Box<ExperimentError>> {
    let source = Source::new("small.toml", text, &[]);
    let tables = FolderTables::beside(&place.path().join("small.toml"));
    Experiment::read("small", source.with_tables(tables))
}

fn plan(place: &Place, text: &str) -> Plan {
    let experiment = checked(place, text).unwrap();
    experiment.plan().expect("it is a study").clone()
}

/// After one replacement: the token that is blamed, the message and the help.
#[test]
fn mistakes_are_shown_where_they_are() {
    let place = place();
    assert!(checked(&place, EXPERIMENT).is_ok());
    for (from, to, token, message, help) in [
        (
            "small.csv",
            "smal.csv",
            "\"smal.csv\"",
            "cannot read smal.csv",
            "did you mean `small.csv`?",
        ),
        (
            "small.csv",
            "other/y.csv",
            "\"other/y.csv\"",
            "cannot read other/y.csv",
            "relative to",
        ),
        (
            "small.csv",
            ".",
            "\".\"",
            "it is not a file",
            "CSV or Parquet",
        ),
        (
            "small.csv",
            "small.toml",
            "\"small.toml\"",
            "neither CSV nor Parquet",
            ".csv",
        ),
        (
            "\"size\"",
            "\"sise\"",
            "\"sise\"",
            "no column `sise`",
            "did you mean `size`?",
        ),
        (
            "target  = \"size\"",
            "",
            "\"small.csv\"",
            "`target` is missing",
            "target =",
        ),
        ("\"z\"]", "\"q\"]", "\"q\"", "no column `q`", "did you mean"),
        (
            "[\"x\", \"z\"]",
            "[\"x\", \"kind\"]",
            "\"kind\"",
            "`kind` is `a`, not a number",
            "leave `kind` out",
        ),
        (
            "{ column = \"held\" }",
            "{ column = \"kind\" }",
            "{ column = \"kind\" }",
            "`kind` is `a`, not 0 or 1",
            "1 marks",
        ),
        (
            "{ column = \"held\" }",
            "1.5",
            "1.5",
            "between 0 and 1",
            "0.3",
        ),
        (
            "{ column = \"held\" }",
            "\"held\"",
            "\"held\"",
            "expected a share, or a column",
            "test = 0.3",
        ),
        (
            "{ column = \"held\" }",
            "{ column = 3 }",
            "3",
            "the name of a column",
            "",
        ),
        (
            "[sweep]",
            "truth = \"x\"\n[sweep]",
            "\"x\"",
            "`truth` and `table` exclude",
            "its own inputs",
        ),
        (
            "[sweep]",
            "inputs = { uniform = [0, 1] }\n[sweep]",
            "{ uniform = [0, 1] }",
            "`inputs` and `table` exclude",
            "",
        ),
        (
            "[sweep]",
            "noise = { normal = 1 }\n[sweep]",
            "{ normal = 1 }",
            "`noise` and `table` exclude",
            "",
        ),
        (
            "[sweep]",
            "classes = { moons = 1 }\n[sweep]",
            "{ moons = 1 }",
            "`classes` is true or false",
            "values of the target",
        ),
        (
            "[sweep]",
            "classes = true\n[sweep]",
            "true",
            "`size` is `1.1`, which is not a class",
            "words or whole numbers",
        ),
        (
            "[sweep]",
            "missing = \"mode\"\n[sweep]",
            "\"mode\"",
            "`mode` is not known",
            "`mean`",
        ),
        (
            "[sweep]",
            "resample = \"half\"\n[sweep]",
            "\"half\"",
            "`half` is not known",
            "`halves`",
        ),
        (
            "[sweep]",
            "resample = \"halves\"\ntrain = 3\n[sweep]",
            "3",
            "`train` and `resample",
            "half of the rows",
        ),
        (
            "[sweep]",
            "resample = \"disjoint\"\n[sweep]",
            "\"disjoint\"",
            "needs `train`",
            "`train = 100`",
        ),
        (
            "depth = \"1..3\"",
            "noise = [1, 2]",
            "[1, 2]",
            "noise of a table is unknown",
            "",
        ),
        (
            "resamples = 60",
            "test = { grid = 20 }",
            "{ grid = 20 }",
            "tested on its own rows",
            "[problem]",
        ),
        (
            "resamples = 60",
            "sources = true",
            "true",
            "cannot be drawn separately",
            "leave out",
        ),
        ("tradeoff = {}", "fits = {}", "", "not known", "tradeoff"),
        (
            "table   = \"small.csv\"",
            "truth = \"x\"",
            "\"size\"",
            "`target` needs `table`",
            "table =",
        ),
    ] {
        assert!(EXPERIMENT.contains(from), "{from}");
        let text = EXPERIMENT.replacen(from, to, 1);
        let Err(error) = checked(&place, &text) else {
            panic!("`{to}` instead of `{from}` was accepted");
        };
        let got = format!(
            "{to}: {} [{}] {:?}",
            error.message(),
            error.token(),
            error.help()
        );
        assert!(error.message().contains(message), "{got}");
        assert!(token.is_empty() || error.token() == token, "{got}");
        assert!(error.help().unwrap_or("").contains(help), "{got}");
    }
    // A text without a place of its own names no file of this machine.
    let text = EXPERIMENT.replace(
        "small.csv",
        place.path().join("small.csv").to_str().unwrap(),
    );
    let error = Experiment::read("small", Source::new("", &text, &[]))
        .map(|_| ())
        .unwrap_err();
    assert_eq!(error.message(), "tables cannot be read here");
    let shipped = Source::new("", &text, &[]).with_tables(Arc::new(ShippedTables));
    let error = Experiment::read("small", shipped).map(|_| ()).unwrap_err();
    assert!(
        error.message().contains("does not ship"),
        "{}",
        error.message()
    );
}

#[test]
fn noise_that_nobody_knows_is_not_called_zero() {
    let place = place();
    let (out, _) = place.done(&["run", "small.toml"]);
    for words in [
        "60 bootstraps of 7 rows, 3 rows held out",
        "unknown",
        "the noise of a table is unknown and part of the bias²",
        "risk = bias² + variance agrees",
    ] {
        assert!(out.contains(words), "no `{words}` in:\n{out}");
    }
    let csv = place.read("results/small/curves.csv");
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| names.iter().position(|known| *known == name).unwrap();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |name: &str| cells[at(name)].parse::<f64>().unwrap();
        assert_eq!(cells[at("noise")], "");
        assert!((number("bias2") + number("variance") - number("risk")).abs() < 1e-9);
        assert!((number("test_risk") - number("risk")).abs() < 1e-9);
    }
    let manifest: serde_json::Value =
        serde_json::from_str(&place.read("results/small/manifest.json")).unwrap();
    let table = &manifest["table"];
    assert_eq!(table["columns"], serde_json::json!(["x", "z"]));
    assert_eq!(
        (&table["train_rows"], &table["test_rows"]),
        (&7.into(), &3.into())
    );
    assert_eq!(table["noise"], "unknown: bias2 contains it");
    assert_eq!(place.read("results/small/table.csv"), SMALL);
    let zero_one = EXPERIMENT
        .replace("\"size\"", "\"kind\"")
        .replace("resamples = 60", "resamples = 60\nloss = \"zero-one\"");
    let plan = plan(&place, &zero_one);
    let results = engine::run(&plan, 1, &Unwatched).unwrap();
    let tables = Tables::new(&plan, &results);
    for name in [
        "noise",
        "bayes_error",
        "domingos_noise",
        "kw_noise",
        "effect_noise",
    ] {
        let column = tables.curves.numbers(name);
        assert!(
            column.len() == 3 && column.iter().all(|value| value.is_nan()),
            "{name}"
        );
    }
    assert!(
        tables
            .points
            .numbers("noise")
            .iter()
            .all(|value| value.is_nan())
    );
}

#[test]
fn a_result_is_redrawn_and_shards_are_merged_without_the_table() {
    let place = place();
    place.done(&["run", "small.toml"]);
    for shard in ["1/2", "2/2"] {
        place.done(&["run", "small.toml", "--shard", shard, "--out", "parts"]);
    }
    std::fs::remove_file(place.path().join("small.csv")).unwrap();
    place.done(&["draw", "results/small", "--format", "svg"]);
    let shards = ["parts/small/shard-1-of-2", "parts/small/shard-2-of-2"];
    place.done(&["merge", shards[0], shards[1], "--out", "merged"]);
    assert_eq!(
        place.read("merged/small/curves.csv"),
        place.read("results/small/curves.csv")
    );
    // A shard of another table is of another run.
    let (code, _, _) = place.run(&["run", "small.toml"]);
    assert_eq!(code, 2);
    place.write("small.csv", &SMALL.replace("9.3", "9.4"));
    place.done(&["run", "small.toml", "--shard", "2/2", "--out", "parts"]);
    let (code, _, error) = place.run(&["merge", shards[0], shards[1], "--out", "merged"]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("another experiment or seed"), "{error}");
}

#[test]
fn a_table_that_changed_makes_its_figures_stale() {
    let place = place();
    let figures = || place.done(&["figures", "small.toml"]).0;
    assert!(figures().contains("1 made"));
    assert!(figures().contains("1 reused"));
    place.write("small.csv", &SMALL.replace("9.3", "9.4"));
    assert!(figures().contains("1 made"));
    let hash = |text: &str| {
        place.write("small.csv", text);
        checked(&place, EXPERIMENT)
            .unwrap()
            .source
            .run_hash()
            .unwrap()
    };
    assert_ne!(hash(SMALL), hash(&SMALL.replace("9.3", "9.4")));
    assert_eq!(hash(SMALL), hash(SMALL));
}

#[test]
fn shipped_tables_go_wherever_the_program_goes() {
    let place = Place::new();
    let (out, _) = place.done(&["check", "iris-trees", "diabetes-trees"]);
    assert!(
        out.contains("iris-trees: ok") && out.contains("diabetes-trees: ok"),
        "{out}"
    );
    place.done(&["run", "iris-trees", "--resamples", "20"]);
    assert!(
        place
            .read("results/iris-trees/curves.csv")
            .starts_with("learner,axis,value")
    );
    let (listed, _) = place.done(&["list"]);
    assert!(listed.contains("Trees on real data"), "{listed}");
}

#[test]
fn bootstraps_of_a_table_have_any_size_and_halves_one() {
    let place = place();
    let sizes = EXPERIMENT.replace("depth = \"1..3\"", "train = [2, 7, 40]");
    let swept = plan(&place, &sizes);
    let results = engine::run(&swept, 1, &Unwatched).unwrap();
    let tables = Tables::new(&swept, &results);
    assert_eq!(tables.curves.wholes("train"), [2, 7, 40]);
    let halves = EXPERIMENT.replace("[sweep]", "resample = \"halves\"\n[sweep]");
    let plan = plan(&place, &halves);
    assert_eq!(plan.describe().drawn(60), "60 random halves, 3 of 7 rows");
    let results = engine::run(&plan, 1, &Unwatched).unwrap();
    assert!(results.kept.iter().all(|kept| kept.data[0].len() == 3));
    let refused = halves.replace("depth = \"1..3\"", "train = [2, 7]");
    let error = checked(&place, &refused).map(|_| ()).unwrap_err();
    assert!(
        error.message().contains("the same size"),
        "{}",
        error.message()
    );
}

/// The table that ships, with a column that marks the rows held out as tests/mlxtend/reference.py
/// does.
fn marked(file: &str) -> String {
    let bytes = shipped::table(&format!("data/{file}")).unwrap();
    let text = String::from_utf8(bytes.into_owned()).unwrap();
    let lines = text.lines().enumerate().map(|(i, line)| match i {
        0 => format!("{line},held\n"),
        row => format!(
            "{line},{}\n",
            u8::from([2, 5, 8].contains(&((row - 1) % 10)))
        ),
    });
    lines.collect()
}

/// Expected loss, bias and variance by mlxtend's definitions, from several seeds: means and
/// standard errors.
fn ours(file: &str, learner: &str, columns: &str) -> [[f64; 2]; 3] {
    const SEEDS: usize = 8;
    let resamples = if file == "iris.csv" { 2000 } else { 500 };
    let place = Place::with(&[("table.csv", &marked(file))]);
    let (target, loss) = match file {
        "iris.csv" => ("species", "loss = \"zero-one\""),
        _ => ("progression", ""),
    };
    let all: Vec<[f64; 3]> = (1..=SEEDS)
        .map(|seed| {
            let text = format!(
                "problem = {{ table = \"table.csv\", target = \"{target}\", {columns}test = {{ column = \"held\" }} }}\n\
                 learner = [{{ {learner} }}]\n\
                 [run]\nresamples = {resamples}\nseed = {seed}\nkeep = 1\n{loss}\n"
            );
            let plan = plan(&place, &text);
            let results = engine::run(&plan, 2, &Unwatched).unwrap();
            let parts = &results.learners[0].decomposition.parts[0];
            let extra = |name: &str| parts.extra.iter().find(|(known, _)| *known == name);
            let of = |name: &str, plain: f64| extra(name).map_or(plain, |(_, e)| e.value);
            [
                parts.risk.value,
                of("domingos_bias", parts.bias2.value),
                of("domingos_variance", parts.variance.value),
            ]
        })
        .collect();
    [0, 1, 2].map(|which| {
        let values = || all.iter().map(|parts| parts[which]);
        let mean = values().sum::<f64>() / SEEDS as f64;
        let squares: f64 = values().map(|value| (value - mean).powi(2)).sum();
        [mean, (squares / (SEEDS * (SEEDS - 1)) as f64).sqrt()]
    })
}

/// In mlxtend's 0-1 loss bias is the share of rows whose most frequent prediction is wrong, and
/// variance the mean share of predictions that are not the most frequent: Domingos' parts without
/// his factors, which do not add up to the loss.
#[test]
fn the_same_numbers_as_mlxtend() {
    let reference = include_str!("../mlxtend/reference.csv");
    const ROUNDS: f64 = 2000.0;
    for line in reference.lines().skip(1) {
        let [file, name, numbers] = line.splitn(3, '"').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let file = file.trim_end_matches(',');
        let numbers: Vec<f64> = numbers
            .split(',')
            .skip(1)
            .map(|number| number.parse().unwrap())
            .collect();
        let (learner, columns) = match name {
            "tree, depth 1" => ("tree = { depth = 1 }", ""),
            "tree, depth 2" => ("tree = { depth = 2 }", ""),
            "tree, depth 3" => ("tree = { depth = 3 }", ""),
            "tree" => ("tree = {}", ""),
            "tree of petal_length" => ("tree = {}", "columns = [\"petal_length\"], "),
            "tree of bmi" => ("tree = {}", "columns = [\"bmi\"], "),
            "knn, k = 1" => ("knn = { k = 1 }", ""),
            "knn, k = 15" => ("knn = { k = 15 }", ""),
            "knn, k = 5" => ("knn = { k = 5 }", ""),
            "linear" => ("linear = {}", ""),
            other => panic!("{other}"),
        };
        let mut ours = ours(file, learner, columns);
        if file == "diabetes.csv" {
            // What a finite number of rounds does to mlxtend's estimates.
            let variance = ours[2][0];
            ours[1][0] += variance / ROUNDS;
            ours[2][0] -= variance / ROUNDS;
        }
        let what = ["loss", "bias", "variance"];
        for ((what, [value, se]), theirs) in what.into_iter().zip(ours).zip(numbers.chunks(2)) {
            let chance = 4.5 * se.hypot(theirs[1]);
            // A flower with nearly even votes may count this way or that.
            let even = match (file, what) {
                ("iris.csv", "bias") => 0.5 / 45.0,
                _ => 0.0,
            };
            assert!(
                (value - theirs[0]).abs() < chance + even,
                "{file}, {name}: {what} {value} ± {se}, by mlxtend {} ± {}",
                theirs[0],
                theirs[1]
            );
        }
    }
}
