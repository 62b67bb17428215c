//! CSV is written byte for byte as polars writes it, and read cell by cell as polars reads it.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bvlab::experiment::table::{Missing, TableError, TableUse, TestRows, read_rows};
use bvlab::outcome::files::parquet_contents;
use bvlab::outcome::{Column, Table};
use bvlab::problem::{Resample, Rows};
use bvlab::stream::Stream;
use polars::io::{SerReader, SerWriter};
use polars::prelude::{CsvParseOptions, CsvReadOptions, CsvWriter, DataFrame, NamedFrom, Series};
use rand::RngExt;

use crate::setup::{Place, algorithm};

fn table(columns: &[(String, Column)]) -> Table {
    let add = |table: Table, (name, column): &(String, Column)| match column {
        Column::Text(values) => table.text(name, values.clone()),
        Column::Number(values) => table.number(name, values.clone()),
        Column::Whole(values) => table.whole(name, values.clone()),
    };
    columns.iter().fold(Table::default(), add)
}

fn by_polars(columns: &[(String, Column)]) -> Vec<u8> {
    let series = columns.iter().map(|(name, column)| {
        let name = name.as_str().into();
        let series = match column {
            Column::Text(values) => {
                let texts = values.iter().map(|text| Some(&**text));
                let texts = texts.map(|text| text.filter(|text| !text.is_empty()));
                Series::new(name, texts.collect::<Vec<Option<&str>>>())
            }
            Column::Number(values) => {
                let numbers = values.iter().map(|&value| Some(value));
                let numbers = numbers.map(|value| value.filter(|value| !value.is_nan()));
                Series::new(name, numbers.collect::<Vec<Option<f64>>>())
            }
            Column::Whole(values) => Series::new(name, values),
        };
        series.into()
    });
    let rows = columns.first().map_or(0, |(_, column)| column.len());
    let mut frame = DataFrame::new(rows, series.collect()).unwrap();
    let mut bytes = Vec::new();
    CsvWriter::new(&mut bytes).finish(&mut frame).unwrap();
    bytes
}

fn assert_as_polars(columns: &[(String, Column)]) {
    let ours = table(columns).to_csv().unwrap();
    let theirs = by_polars(columns);
    if ours != theirs {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (ours, theirs) = (text(&ours), text(&theirs));
        let mut lines = ours.lines().zip(theirs.lines());
        let line = lines.find(|(ours, theirs)| ours != theirs);
        panic!("ours and polars': {line:?}");
    }
}

fn number(values: Vec<f64>) -> (String, Column) {
    ("x".to_owned(), Column::Number(values))
}

fn texts(values: &[String]) -> Column {
    Column::Text(values.iter().map(|text| Arc::from(text.as_str())).collect())
}

#[test]
fn numbers_are_written_as_polars_writes_them() {
    let mut random = algorithm(5000);
    // Every exponent, those of subnormal and infinite numbers and NaN included.
    let mut values: Vec<f64> = (0..0x800_u64)
        .flat_map(|exponent| [exponent; 24])
        .map(|exponent| {
            let sign = random.random_range(0..2_u64) << 63;
            f64::from_bits(sign | exponent << 52 | random.random::<u64>() >> 12)
        })
        .collect();
    // And the ends of each: powers of two and their neighbours.
    for exponent in 0..0x800_u64 {
        let power = exponent << 52;
        let near = [power.saturating_sub(1), power, power + 1];
        values.extend(near.map(f64::from_bits));
    }
    for exponent in -330..=310 {
        let power: f64 = format!("1e{exponent}").parse().unwrap();
        let digits = f64::from(random.random_range(1..1000_u32));
        let next = [power.next_down(), power, power.next_up()];
        values.extend(next.into_iter().chain([-power, digits * power]));
    }
    values.extend((0..2000).map(f64::from));
    values
        .extend((0..20_000).map(|_| (random.random::<u64>() >> random.random_range(0..64)) as f64));
    values.extend((0..20_000).map(|_| {
        let digits = random.random_range(-1_000_000..1_000_000);
        f64::from(digits) / 10_f64.powi(random.random_range(0..12))
    }));
    values.extend((0..20_000).map(|_| random.random::<f64>()));
    values.extend([
        0.0,
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -f64::NAN,
    ]);
    values.extend([f64::MIN, f64::MAX, f64::MIN_POSITIVE, f64::EPSILON]);
    assert!(values.len() > 100_000);
    assert_as_polars(&[number(values.clone())]);
    let counts = values.iter().map(|value| value.to_bits()).collect();
    assert_as_polars(&[("bits".to_owned(), Column::Whole(counts)), number(values)]);
}

/// polars and bvlab could change together.
#[test]
fn numbers_are_written_as_they_always_were() {
    let values = [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        (-1.25e17, "-1.25e+17"),
        (1e-5, "0.00001"),
        (1.5e-5, "0.000015"),
        (1e-6, "1e-6"),
        (1.5e-7, "1.5e-7"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
        (f64::NAN, ""),
    ];
    let (numbers, words): (Vec<f64>, Vec<&str>) = values.into_iter().unzip();
    let csv = Table::default().number("x", numbers).to_csv().unwrap();
    let csv = String::from_utf8(csv).unwrap();
    assert_eq!(csv.lines().skip(1).collect::<Vec<_>>(), words);
}

const AWKWARD: [&str; 34] = [
    "",
    " ",
    "a",
    " a",
    "a ",
    "\ta\t",
    ",",
    ";",
    "a,b",
    "\"",
    "\"\"",
    "\"a\"",
    "a\"b",
    "\"a",
    "a\"",
    "a\"\"b",
    ",\"",
    "\"\n\"",
    "\n",
    "\r",
    "\r\n",
    "a\rb",
    "#",
    "# a comment",
    "'a'",
    "=1+1",
    "null",
    "NaN",
    "1.5",
    "true",
    "\\",
    "\0",
    "\u{feff}é",
    "σ², 雪 and\u{2028}lines",
];

fn any_text(random: &mut Stream, alphabet: &[char], most: usize) -> String {
    let length = random.random_range(0..=most);
    let mut any = || alphabet[random.random_range(0..alphabet.len())];
    (0..length).map(|_| any()).collect()
}

#[test]
fn texts_and_names_are_quoted_as_polars_quotes_them() {
    let all = AWKWARD.map(str::to_owned);
    let rows = all.len();
    assert_as_polars(&[("word".to_owned(), texts(&all))]);
    let by_name = all.iter().map(|name| (name.clone(), texts(&all)));
    assert_as_polars(&by_name.collect::<Vec<_>>());
    for name in &all {
        assert_as_polars(&[(name.clone(), Column::Whole(vec![0, u64::MAX]))]);
        assert_as_polars(&[(name.clone(), Column::Number(vec![]))]);
    }
    assert_as_polars(&[]);
    let alphabet: Vec<char> = "aé \t,;\"'\n\r#\\".chars().collect();
    for case in 0..300 {
        let mut random = algorithm(5100 + case);
        let mut columns = vec![number((0..rows).map(|_| random.random()).collect())];
        for i in 0..4 {
            // Unlike the others by its end.
            let name = format!("{}{i}", any_text(&mut random, &alphabet, 8));
            let values: Vec<String> = (0..rows)
                .map(|_| any_text(&mut random, &alphabet, 12))
                .collect();
            columns.push((name, texts(&values)));
        }
        assert_as_polars(&columns);
    }
}

#[test]
fn a_file_of_csv_has_the_same_bytes() {
    let table = Table::default()
        .text("a,b", vec!["x".into(), "".into(), "\"".into()])
        .number("c", vec![1.0, f64::NAN, 1e300])
        .whole("", vec![1, 2, 3]);
    let expected = "\"a,b\",c,\"\"\nx,1.0,1\n,,2\n\"\"\"\",1e+300,3\n";
    assert_eq!(table.to_csv().unwrap(), expected.as_bytes());
    let place = Place::new();
    let path = place.path().join("t.csv");
    table.write_csv(&path).unwrap();
    assert_eq!(place.bytes("t.csv"), expected.as_bytes());
}

#[test]
fn columns_that_do_not_fit_together_are_not_written() {
    let twice = Table::default()
        .number("x", vec![1.0])
        .number("x", vec![2.0]);
    assert!(twice.to_csv().unwrap_err().contains("`x`"));
    let uneven = Table::default()
        .number("x", vec![1.0])
        .number("y", vec![1.0, 2.0]);
    assert!(
        uneven
            .to_csv()
            .unwrap_err()
            .contains("`y` has 2 rows, not 1")
    );
    let place = Place::new();
    assert!(uneven.write_csv(&place.path().join("t.csv")).is_err());
}

/// The rows marked by 1 in `t` are held out, the others stay in their order.
fn read(text: &str) -> Result<Rows, TableError> {
    let wanted = TableUse {
        target: "y".to_owned(),
        classes: Some(true),
        columns: None,
        missing: Missing::Refuse,
        test: TestRows::Column("t".to_owned()),
        resample: Resample::Bootstrap,
    };
    read_rows("t.csv", text.as_bytes(), &parquet_contents, 1, &wanted)
}

/// The name of the first column, and the words of the last: first those to train on.
fn words_of(rows: &Rows) -> (String, Vec<String>) {
    let labels = rows.train.labels.iter().chain(&rows.test.labels);
    let words = labels.map(|&label| rows.classes[label as usize].clone());
    (rows.names[0].clone(), words.collect())
}

/// All cells by polars, column by column; `None` if it refuses the file.
fn cells_of_polars(text: &str, separator: char) -> Option<Vec<Vec<String>>> {
    let options = CsvReadOptions::default()
        .with_has_header(false)
        .with_infer_schema_length(Some(0))
        .with_n_threads(Some(1))
        .with_parse_options(CsvParseOptions::default().with_separator(separator as u8));
    let reader = options.into_reader_with_file_handle(Cursor::new(text.to_owned()));
    let frame = catch_unwind(AssertUnwindSafe(|| reader.finish()));
    let frame = frame.ok()?.ok()?;
    let columns = frame.columns().iter().map(|column| {
        let cells = column.str().unwrap().iter();
        cells.map(|cell| cell.unwrap_or("").to_owned()).collect()
    });
    Some(columns.collect())
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text with a letter in it, so that it is no number and not missing.
fn word(random: &mut Stream, alphabet: &[char]) -> String {
    let before = any_text(random, alphabet, 6);
    format!("{before}w{}", any_text(random, alphabet, 6))
}

/// A table with a column of a random name, `t`, `z`, and `y` of random words.
fn random_table(
    random: &mut Stream,
    separator: char,
    cell: impl Fn(&mut Stream) -> String,
) -> String {
    let line_end = ["\n", "\r\n"][random.random_range(0..2)];
    let join = |cells: [String; 4]| cells.join(&separator.to_string()) + line_end;
    let mut text = String::new();
    // The separator is guessed from the first line.
    let name = cell(random).replace('\n', "");
    text += &join([name, "t".into(), "z".into(), "y".into()]);
    let rows = random.random_range(4..9);
    for row in 0..rows {
        let held = u8::from(row + 1 == rows);
        text += &join([row.to_string(), held.to_string(), quoted("1"), cell(random)]);
    }
    text
}

const SEPARATORS: [char; 3] = [',', ';', '\t'];

fn assert_read_as_polars(text: &str, separator: char, rows: &Rows) {
    let (name, words) = words_of(rows);
    let cells = cells_of_polars(text, separator).unwrap_or_else(|| panic!("{text:?}"));
    let trimmed = |cell: &String| cell.trim().to_owned();
    assert_eq!(name, trimmed(&cells[0][0]), "{text:?}");
    let theirs: Vec<String> = cells[3][1..].iter().map(trimmed).collect();
    assert_eq!(words, theirs, "{text:?}");
}

#[test]
fn quoted_tables_are_read_as_polars_reads_them() {
    for case in 0..3000 {
        let mut random = algorithm(5500 + case);
        let separator = SEPARATORS[case as usize % 3];
        let mut alphabet: Vec<char> = "abé \"'\n\r#\\".chars().collect();
        alphabet.push(separator);
        let text = random_table(&mut random, separator, |random| {
            let word = word(random, &alphabet);
            match word.contains(['"', '\n', '\r', separator]) {
                true => quoted(&word),
                false => word,
            }
        });
        let rows = read(&text).unwrap_or_else(|error| panic!("{text:?}: {}", error.message));
        assert_read_as_polars(&text, separator, &rows);
    }
}

/// Quotes anywhere: what is read at all is read as polars reads it.
#[test]
fn badly_quoted_tables_are_refused_or_read_as_polars_reads_them() {
    let (mut read_too, mut refused) = (0, 0);
    for case in 0..20_000 {
        let mut random = algorithm(9000 + case);
        let separator = SEPARATORS[case as usize % 3];
        let mut alphabet: Vec<char> = "ab \"\r".chars().collect();
        alphabet.push(separator);
        let text = random_table(&mut random, separator, |random| {
            let word = word(random, &alphabet);
            match random.random_range(0..8) {
                0 => word,
                1 => format!("\"{word}\""),
                2 => format!("\"{word}\n\""),
                3 => word.replace(separator, ""),
                4 => word.replace('"', ""),
                _ => quoted(&word),
            }
        });
        match read(&text) {
            Ok(rows) => {
                read_too += 1;
                assert_read_as_polars(&text, separator, &rows);
            }
            Err(_) => refused += 1,
        }
    }
    assert!(read_too > 500 && refused > 500, "{read_too}, {refused}");
}

#[test]
fn quotes_that_do_not_match_are_refused_with_their_line() {
    let lines = |cell: &str| format!("x,t,y\n0,0,b\n\n1,0,{cell}\n2,0,c\n3,1,b\n");
    for (cell, what) in [
        ("\"a", "never closed"),
        ("\"a\"\"", "never closed"),
        ("\"", "never closed"),
        ("a\"", "opened in a cell"),
        ("\"a\" b", "text behind the end"),
        ("\"a\"b\"c\"", "text behind the end"),
        ("\"a\" ", "a space behind the end"),
        ("\"\"a", "text behind the end"),
    ] {
        // A quote that stays open takes in the rest of the file: cells are counted up to there.
        let message = read(&lines(cell)).expect_err(what).message;
        assert_eq!(
            message, "cannot read t.csv: the quotes of line 4 do not match",
            "{cell}: {what}"
        );
    }
    // Where quotes hide separators, a line has too few cells.
    let hidden = read("x,t,y\n0,0,b\n1\",0\",a\n2,0,c\n3,1,b\n").unwrap_err();
    assert_eq!(hidden.message, "t.csv, line 3 has 2 cells, not 3");
    let opened = read("x,t,y\n0,0,b\n\"1,0,a\n2,0,c\n3,1,b\n").unwrap_err();
    assert_eq!(opened.message, "t.csv, line 3 has 1 cells, not 3");
    let name = read("x,t,\"y\"s\n0,0,b\n1,0,a\n2,1,c\n").unwrap_err();
    assert_eq!(
        name.message,
        "cannot read t.csv: the quotes of line 1 do not match"
    );
    // Pairs of quotes within a cell are part of it.
    let inches = read("x,t,y\n0,0,6\" x 7\"\n1,0,a\n2,1,\"b\"\n").unwrap();
    assert_eq!(inches.classes, ["6\" x 7\"", "a", "b"]);
}
