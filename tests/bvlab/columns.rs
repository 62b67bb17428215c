//! Every column of every table is described, and the reference says what the description says.

use std::fs;
use std::path::Path;

use bvlab::experiment::shipped;
use bvlab::outcome::Table;
use bvlab::outcome::columns::{self, ColumnType, TABLES};

use crate::setup::Place;

#[test]
fn the_reference_of_columns_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/columns.md");
    if std::env::var_os("BVLAB_BLESS").is_some() {
        fs::write(&file, columns::reference()).unwrap();
        return;
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == columns::reference(),
        "docs/columns.md is stale; BVLAB_BLESS=1 cargo test --release columns rewrites it"
    );
}

#[test]
fn every_column_of_every_shipped_experiment_is_described() {
    let place = Place::new();
    for name in shipped::names() {
        let arguments = [
            "run",
            &name,
            "--resamples",
            "4",
            "--format",
            "svg",
            "--quiet",
        ];
        place.done(&arguments);
        for table in TABLES {
            let file = format!("results/{name}/{}.parquet", table.name);
            if !place.has(&file) {
                continue;
            }
            let found = Table::read_parquet(&place.path().join(file)).unwrap();
            let mut last = 0;
            for column in found.names() {
                let described = table.column(column);
                let described = described.unwrap_or_else(|| panic!("{}: {column}", table.name));
                let cells = match described.cells {
                    ColumnType::Text => found.texts(column).len(),
                    ColumnType::Number => found.numbers(column).len(),
                    ColumnType::Count => found.wholes(column).len(),
                };
                assert_eq!(cells, found.rows(), "{}: {column}", table.name);
                // They stand in the order of their description.
                let place = table.columns.iter().position(|c| c.name == described.name);
                assert!(place >= Some(last), "{}: {column}", table.name);
                last = place.unwrap();
            }
            // What is always there is there.
            for column in table
                .columns
                .iter()
                .filter(|column| column.present.is_empty())
            {
                let there = found.names().any(|name| column.describes(name));
                assert!(there, "{name} {}: no {}", table.name, column.name);
            }
        }
    }
}
