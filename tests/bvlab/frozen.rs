//! Tables are frozen: every column of every shipped experiment keeps its bits.
//!
//! `frozen.txt` holds, for every experiment with 48 resamples, a hash of the bits of each column of
//! each table. A column that comes later is no change; it is recorded with
//!
//! ```sh
//! BVLAB_BLESS=1 cargo test --release frozen
//! ```
//!
//! Experiments that rest on faer are compared where faer's kernels give the recorded bits, which
//! depends on the processor; everywhere else `recorded.rs` holds them to 10⁻⁹.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use bvlab::experiment::shipped;
use bvlab::outcome::Table;
use faer::Mat;

use crate::setup::Place;

const RESAMPLES: &str = "48";

/// Experiments whose learners call faer, one per line.
const FAER: &str = include_str!("../faer.txt");

/// The 64-bit FNV-1a hash.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// A hash of what faer computes on this processor.
fn kernels() -> u64 {
    let matrix = Mat::from_fn(60, 40, |i, j| {
        ((7 * i + 13 * j) % 31) as f64 / 31.0 + 1.0 / (1 + i + j) as f64
    });
    let mut hash = Hash::new();
    let mut add = |matrix: faer::MatRef<f64>| {
        for column in matrix.col_iter() {
            column
                .iter()
                .for_each(|x| hash.add(&x.to_bits().to_le_bytes()));
        }
    };
    let product = matrix.transpose() * &matrix;
    add(product.as_ref());
    add(matrix.qr().thin_R());
    let svd = matrix.thin_svd().expect("it converges");
    add(svd.U());
    add(svd.V());
    hash.0
}

/// By column of a table: the hash of its bits.
fn columns(table: &Table) -> Vec<(String, u64)> {
    let hashes = table.names().map(|name| {
        let mut hash = Hash::new();
        for word in table.texts(name) {
            hash.add(word.as_bytes());
            hash.add(&[0]);
        }
        for count in table.wholes(name) {
            hash.add(&count.to_le_bytes());
        }
        for value in table.numbers(name) {
            // The sign and payload of a NaN are left to the processor.
            let bits = if value.is_nan() { 0 } else { value.to_bits() };
            hash.add(&bits.to_le_bytes());
        }
        (name.to_owned(), hash.0)
    });
    hashes.collect()
}

/// All columns of all tables in a folder of results, as `experiment table column` and hash.
fn recorded(place: &Place, home: &str, name: &str, found: &mut BTreeMap<String, u64>) {
    for table in [
        "curves",
        "points",
        "training",
        "fits",
        "runs",
        "simulation",
        "selection",
        "choices",
        "estimates",
    ] {
        let path = place.path().join(home).join(format!("{table}.parquet"));
        if path.exists() {
            let columns = columns(&Table::read_parquet(&path).expect("the table can be read"));
            let keyed = columns
                .into_iter()
                .map(|(column, hash)| (format!("{name} {table} {column}"), hash));
            found.extend(keyed);
        }
    }
}

fn record_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bvlab/frozen.txt")
}

fn read_record() -> BTreeMap<String, u64> {
    let text = fs::read_to_string(record_file()).expect("there is a record");
    let entries = text.lines().map(|line| {
        let (key, hash) = line.rsplit_once(' ').expect("a line has a hash");
        let hash = u64::from_str_radix(hash, 16).expect("a hash is hexadecimal");
        (key.to_owned(), hash)
    });
    entries.collect()
}

/// What differs from the record, where the two can be compared.
fn differences(found: &BTreeMap<String, u64>, record: &BTreeMap<String, u64>) -> Vec<String> {
    let same_kernels = record.get("kernels") == Some(&kernels());
    let comparable = |key: &str| {
        let name = key.split(' ').next().unwrap_or_default();
        same_kernels || !FAER.lines().any(|faer| faer == name)
    };
    let names: Vec<&str> = found
        .keys()
        .filter_map(|key| key.split(' ').next())
        .collect();
    let expected = record
        .iter()
        .filter(|(key, _)| names.contains(&key.split(' ').next().unwrap_or_default()))
        .filter(|(key, _)| comparable(key));
    let differing = expected.filter(|(key, hash)| found.get(*key) != Some(hash));
    differing.map(|(key, _)| key.clone()).collect()
}

#[test]
fn every_column_of_every_shipped_experiment_is_the_recorded_one() {
    let place = Place::new();
    let mut found = BTreeMap::new();
    for name in shipped::names() {
        place.done(&[
            "run",
            &name,
            "--resamples",
            RESAMPLES,
            "--format",
            "svg",
            "--quiet",
        ]);
        recorded(&place, &format!("results/{name}"), &name, &mut found);
    }
    if std::env::var_os("BVLAB_BLESS").is_some() {
        found.insert("kernels".to_owned(), kernels());
        let mut text = String::new();
        for (key, hash) in &found {
            let _ = writeln!(text, "{key} {hash:016x}");
        }
        fs::write(record_file(), text).expect("the record can be written");
        return;
    }
    let record = read_record();
    let differing = differences(&found, &record);
    assert!(differing.is_empty(), "changed or missing: {differing:#?}");
    let new: Vec<&String> = found
        .keys()
        .filter(|key| !record.contains_key(*key))
        .collect();
    assert!(new.is_empty(), "not on record yet: {new:#?}");
}

#[test]
fn shards_and_slabs_give_the_recorded_columns() {
    let place = Place::new();
    let record = read_record();
    let mut found = BTreeMap::new();
    let studies = shipped::names();
    let studies = studies
        .iter()
        .filter(|name| record.contains_key(&format!("{name} curves risk")));
    for name in studies {
        let all = [
            "run",
            name,
            "--resamples",
            RESAMPLES,
            "--set",
            "run.slab=1",
            "--quiet",
        ];
        for shard in ["1/2", "2/2"] {
            place.done(&[&all[..], &["--shard", shard]].concat());
        }
        let home = format!("results/{name}");
        let shards = [1, 2].map(|i| format!("{home}/shard-{i}-of-2"));
        place.done(&[
            "merge", &shards[0], &shards[1], "--format", "svg", "--quiet",
        ]);
        recorded(&place, &home, name, &mut found);
    }
    assert!(found.len() > 1000, "{}", found.len());
    let differing = differences(&found, &record);
    assert!(differing.is_empty(), "changed or missing: {differing:#?}");
}

#[test]
fn the_list_of_experiments_that_call_faer_names_shipped_ones() {
    let shipped = shipped::names();
    for name in FAER.lines() {
        assert!(shipped.iter().any(|one| one == name), "{name}");
    }
}
