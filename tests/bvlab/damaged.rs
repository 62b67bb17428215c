//! Tables that are damaged, or made to do harm: read, or refused by an error that names the file. Never
//! a panic, the end of the process, or a wait.
//!
//! `BVLAB_FUZZ_CASES=1000000 cargo test --release damaged` runs longer than the default.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bvlab::experiment::table::{Missing, TableError, TableUse, TestRows, read_rows};
use bvlab::outcome::Table;
use bvlab::outcome::files::parquet_contents;
use bvlab::problem::{Resample, Rows};
use bvlab::stream::Stream;
use rand::RngExt;

use crate::fuzz::in_parallel;
use crate::setup::{Place, algorithm};

/// A guard against waiting for ever; a table takes milliseconds.
const SOON: Duration = Duration::from_secs(60);

fn wanted() -> TableUse {
    TableUse {
        target: "y".to_owned(),
        classes: None,
        columns: Some(vec!["x".to_owned(), "count".to_owned()]),
        missing: Missing::Mean,
        test: TestRows::Share(0.3),
        resample: Resample::Bootstrap,
    }
}

/// Numbers, counts and words, with gaps.
fn table(rows: usize) -> Table {
    let number = |i: usize| match i % 7 {
        3 => f64::NAN,
        _ => (i * i % 101) as f64 / 8.0,
    };
    let words = ["red", "green", "a blue that has a long name", ""];
    Table::default()
        .number("x", (0..rows).map(number).collect())
        .whole("count", (0..rows as u64).map(|i| i % 5).collect())
        .text("word", (0..rows).map(|i| Arc::from(words[i % 4])).collect())
        .number("y", (0..rows).map(|i| i as f64 / 3.0).collect())
}

fn parquet(name: &str, write: impl Fn(&Path)) -> Vec<u8> {
    let place = Place::new();
    let path = place.path().join(name);
    write(&path);
    fs::read(path).unwrap()
}

/// Parquet files of several shapes: one group of rows, several, many columns.
fn parquets() -> Vec<Vec<u8>> {
    let wide = (0..60).fold(table(12), |table, i| {
        table.number(format!("z{i}"), (0..12).map(|j| f64::from(i * j)).collect())
    });
    let groups = || (0..3).map(|_| table(40));
    vec![
        parquet("t.parquet", |path| table(90).write_parquet(path).unwrap()),
        parquet("t.parquet", |path| wide.write_parquet(path).unwrap()),
        parquet("t.parquet", |path| {
            Table::write_row_groups(table(40), groups(), path).unwrap();
        }),
    ]
}

/// Changes some bytes: flipped, replaced, removed, repeated, or cut off.
fn damage(random: &mut Stream, bytes: &mut Vec<u8>) {
    for _ in 0..random.random_range(1..4) {
        if bytes.is_empty() {
            return;
        }
        let length = bytes.len();
        // Every second one hits the end of the file, where Parquet says what is where.
        let at = match random.random_bool(0.5) {
            true => random.random_range(0..length),
            false => length - 1 - random.random_range(0..length.min(700)),
        };
        match random.random_range(0..12) {
            0..6 => bytes[at] ^= 1 << random.random_range(0..8),
            6 => bytes[at] = [0, 0xff, 0x7f, 0x80, 0x19, 0x1c][random.random_range(0..6)],
            7 => {
                let end = (at + random.random_range(1..9)).min(length);
                bytes[at..end].fill(0xff);
            }
            8 => {
                bytes.remove(at);
            }
            9 => bytes.insert(at, random.random()),
            10 => {
                let end = (at + random.random_range(1..64)).min(length);
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            _ => bytes.truncate(at),
        }
    }
}

fn rows(file: &str, bytes: &[u8], wanted: &TableUse) -> Result<Rows, TableError> {
    read_rows(file, bytes, &parquet_contents, 1, wanted)
}

/// Reads a table; whether it was good.
fn read(file: &str, bytes: &[u8]) -> bool {
    let started = Instant::now();
    let read = rows(file, bytes, &wanted());
    assert!(started.elapsed() < SOON, "{file}: {:?}", started.elapsed());
    match read {
        Ok(rows) => {
            let cells = rows.train.inputs.values().len() + rows.test.inputs.values().len();
            let labels = rows.train.labels.len() + rows.test.labels.len();
            assert_eq!(cells, labels * rows.names.len());
            true
        }
        Err(error) => {
            // The file, or a column of it.
            let names = error.message.contains(file) || error.message.contains('`');
            assert!(names, "{}", error.message);
            false
        }
    }
}

#[test]
fn damaged_parquet_is_read_or_refused() {
    let files = parquets();
    let good = in_parallel(2000, |case| {
        let mut random = algorithm(1000 + case);
        let mut bytes = files[case as usize % files.len()].clone();
        damage(&mut random, &mut bytes);
        read("t.parquet", &bytes)
    });
    assert!(good > 0, "nothing was read");
}

#[test]
fn damaged_csv_is_read_or_refused() {
    let csv = String::from_utf8(table(60).to_csv().unwrap()).unwrap();
    let quoted = csv
        .replace("red", "\"re\"\"d\"")
        .replace("green", "\"gr,\neen\"");
    let texts = [
        csv.replace(',', ";"),
        quoted,
        csv.replace('\n', "\r\n"),
        csv,
    ];
    let good = in_parallel(1000, |case| {
        let mut random = algorithm(2000 + case);
        let mut bytes = texts[case as usize % texts.len()].clone().into_bytes();
        damage(&mut random, &mut bytes);
        read("t.csv", &bytes)
    });
    assert!(good > 0, "nothing was read");
}

#[test]
fn damaged_results_are_read_or_refused() {
    let files = parquets();
    in_parallel(500, |case| {
        let mut random = algorithm(3000 + case);
        let mut bytes = files[case as usize % files.len()].clone();
        damage(&mut random, &mut bytes);
        let place = Place::new();
        let path = place.path().join("curves.parquet");
        fs::write(&path, &bytes).unwrap();
        let rows = Table::rows_of_parquet(&path);
        let part = Table::read_parquet_rows(&path, &[0..5, 30..40]);
        let whole = Table::read_parquet(&path);
        for told in [
            rows.err(),
            part.err(),
            whole
                .as_ref()
                .err()
                .map(|_| Table::read_parquet(&path).unwrap_err()),
        ] {
            let told = told.map(|error| error.to_string());
            assert!(told.is_none_or(|told| told.contains("curves.parquet")));
        }
        whole.is_ok()
    });
}

/// A file with nothing but a footer.
fn with_footer(footer: &[u8]) -> Vec<u8> {
    let mut bytes = b"PAR1".to_vec();
    bytes.extend_from_slice(footer);
    bytes.extend_from_slice(&(footer.len() as u32).to_le_bytes());
    bytes.extend_from_slice(b"PAR1");
    bytes
}

/// A group of columns that has one child, in Thrift's compact protocol.
const GROUP: [u8; 5] = [0x48, 1, b'a', 0x15, 2];

#[test]
fn footers_that_announce_too_much_are_refused() {
    // The second field, a list of structures; of 2³¹ − 1 of them.
    let many = [0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07];
    // A list in a list in a list …
    let deep = [&[0x19][..], &[0x19; 3_000_000]].concat();
    // Structures, each in the one before.
    let nested = vec![0x1c; 3_000_000];
    // A text of 2⁶³ bytes.
    let long = [0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    // A column in a column in a column …
    let mut columns = vec![0x29, 0xfc];
    columns.extend([0xc0, 0x9a, 0x0c]);
    (0..200_000).for_each(|_| columns.extend([&GROUP[..], &[0]].concat()));
    columns.push(0);
    for footer in [&many[..], &deep, &nested, &long, &columns, &[], &[0]] {
        assert!(!read("t.parquet", &with_footer(footer)));
    }
    let mut bytes = with_footer(&[0]);
    let length = bytes.len();
    for size in [1_u32, 5, 6, 1 << 20, u32::MAX / 2, u32::MAX] {
        bytes[length - 8..length - 4].copy_from_slice(&size.to_le_bytes());
        assert!(!read("t.parquet", &bytes));
    }
    for short in [
        &b""[..],
        b"PAR1",
        b"PAR1PAR1",
        b"PAR1\0\0\0\0PAR",
        b"PAR1\0\0\0\0PAR1",
    ] {
        assert!(!read("t.parquet", short));
    }
}

const TABLE: &str = r#"
    problem = { table = "t.parquet", target = "y", missing = "mean", columns = ["x", "count"] }
    sweep   = { depth = "1..3" }
    learner = [{ tree = {} }]
    run     = { resamples = 10 }
"#;

#[test]
fn the_program_survives_damaged_parquet() {
    let files = parquets();
    let place = Place::new();
    let mut arguments = vec!["check".to_owned()];
    for case in 0..150_u64 {
        let mut bytes = files[case as usize % files.len()].clone();
        damage(&mut algorithm(1000 + case), &mut bytes);
        fs::write(place.path().join(format!("{case}.parquet")), bytes).unwrap();
        let text = TABLE.replace("t.parquet", &format!("{case}.parquet"));
        place.write(&format!("{case}.toml"), &text);
        arguments.push(format!("{case}.toml"));
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (code, out, err) = place.run(&arguments);
    assert_eq!(code, 2, "{err}");
    assert!(!err.contains("panicked"), "{err}");
    assert!(err.contains(".parquet: ") && err.contains("of 150 experiments have errors"));
    assert!(out.lines().count() + err.matches("×").count() == 151);
}

/// A short file can hold a table that takes more memory than there is. Rust ends a process that runs
/// out of memory: it must not be the program's.
#[cfg(target_os = "linux")]
#[test]
fn a_table_that_takes_too_much_memory_is_refused() {
    let place = Place::with(&[("bomb.toml", TABLE)]);
    let word: Arc<str> = "a".repeat(1 << 20).into();
    let bomb = Table::default()
        .text("x", vec![word; 200])
        .number("count", vec![1.0; 200])
        .number("y", (0..200).map(f64::from).collect());
    let path = place.path().join("t.parquet");
    bomb.write_parquet(&path).unwrap();
    assert!(fs::metadata(path).unwrap().len() < 1 << 20);
    let output = place
        .after("ulimit -v 300000", &["check", "bomb.toml"])
        .output();
    let (code, _, err) = crate::setup::answer(output.unwrap());
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("cannot read t.parquet: it is damaged, or takes too much memory"),
        "{err}"
    );
    assert!(!err.contains("memory allocation"), "{err}");
}

/// Results are Parquet too, and are read again to be drawn.
#[test]
fn damaged_results_are_drawn_or_refused() {
    let place = Place::with(&[("small.toml", SMALL)]);
    place.done(&["run", "small.toml", "--quiet"]);
    for (case, name) in (0..40).zip(
        ["curves", "points", "fits", "runs", "training"]
            .iter()
            .cycle(),
    ) {
        let file = format!("results/small/{name}.parquet");
        let whole = place.bytes(&file);
        let mut bytes = whole.clone();
        damage(&mut algorithm(4000 + case), &mut bytes);
        fs::write(place.path().join(&file), bytes).unwrap();
        let (code, _, err) = place.run(&["draw", "results/small", "--format", "svg"]);
        assert!([0, 1, 2].contains(&code), "case {case}: {code} {err}");
        assert!(!err.contains("panicked"), "{err}");
        if code != 0 && err.contains(&file) {
            let words: Vec<&str> = err.split_whitespace().collect();
            assert!(
                words.join(" ").contains("run the experiment again"),
                "{err}"
            );
        }
        fs::write(place.path().join(&file), whole).unwrap();
    }
}

const SMALL: &str = r#"
    problem = { truth = "sin(x)", inputs = { uniform = [0, 6] }, noise = { normal = 0.3 }, train = 12 }
    learner = [{ knn = {} }]
    sweep   = { k = [1, 3, 9] }
    run     = { resamples = 100, test = { grid = 40 } }
    figure  = [{ tradeoff = {} }, { fits = {} }]
"#;

/// 100 000 columns took more than a minute when every name was compared with every other.
#[test]
fn a_table_of_very_many_columns_is_read_soon() {
    let count = 100_000;
    let names: Vec<String> = (0..count).map(|i| format!("column{i}")).collect();
    let row = |shift: usize| (0..count).map(move |i| ((i + shift) % 10).to_string());
    let mut lines = vec![names.join(",")];
    lines.extend((0..3).map(|shift| row(shift).collect::<Vec<_>>().join(",")));
    let wanted = TableUse {
        target: "column7".to_owned(),
        columns: Some(names.iter().rev().take(count - 10).cloned().collect()),
        classes: Some(false),
        ..wanted()
    };
    let started = Instant::now();
    let found = rows("wide.csv", lines.join("\n").as_bytes(), &wanted).unwrap();
    assert_eq!(found.names.len(), count - 10);
    let twice = lines.join("\n").replacen("column99999\n", "column3\n", 1);
    let error = rows("wide.csv", twice.as_bytes(), &wanted).unwrap_err();
    assert_eq!(error.message, "wide.csv has two columns called `column3`");
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}
