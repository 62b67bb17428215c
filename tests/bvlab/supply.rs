//! What is built into bvlab is what `deny.toml` allows: licences, versions and sources.
//!
//! cargo-deny checks the same and more, but takes minutes to build: see `.ci/run`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn rules() -> toml::Table {
    let text = fs::read_to_string(root().join("deny.toml")).unwrap();
    text.parse().unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All crates of Cargo.lock, for all platforms.
fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Whether the licences of a list are enough for an expression of SPDX: `AND` binds more than `OR`, and
/// an old form writes `/` for it.
fn allowed(expression: &str, list: &BTreeSet<String>) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let enough = either(&mut words, list);
    assert_eq!(words.next(), None, "{expression}");
    enough
}

type ExperimentText<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn either(words: &mut ExperimentText<'_>, list: &BTreeSet<String>) -> bool {
    let mut enough = both(words, list);
    while words.next_if_eq(&"OR").is_some() {
        enough |= both(words, list);
    }
    enough
}

fn both(words: &mut ExperimentText<'_>, list: &BTreeSet<String>) -> bool {
    let mut enough = one(words, list);
    while words.next_if_eq(&"AND").is_some() {
        enough &= one(words, list);
    }
    enough
}

fn one(words: &mut ExperimentText<'_>, list: &BTreeSet<String>) -> bool {
    let word = words.next().expect("a licence");
    if word == "(" {
        let enough = either(words, list);
        assert_eq!(words.next(), Some(")"));
        return enough;
    }
    let mut name = word.to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        name = format!("{name} WITH {}", words.next().expect("an exception"));
    }
    list.contains(&name)
}

fn allowed_licences() -> BTreeSet<String> {
    let rules = rules();
    let list = rules["licenses"]["allow"].as_array().unwrap().iter();
    list.map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn licences_are_read_as_spdx_has_them() {
    let list = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"];
    let list = list.map(str::to_owned).into_iter().collect();
    for (expression, enough) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("MIT AND (GPL-3.0 OR ISC)", true),
        ("ISC OR MIT AND GPL-3.0", true),
        ("Apache-2.0", false),
        ("Apache-2.0 WITH LLVM-exception", true),
    ] {
        assert_eq!(allowed(expression, &list), enough, "{expression}");
    }
}

/// Whether a crate is part of this repository.
fn is_ours(name: &str) -> bool {
    let crates = [
        "core",
        "experiment",
        "outcome",
        "figure",
        "lab",
        "linfa",
        "wasm",
        "digits",
    ];
    let mut parts = crates.iter();
    name == "bvlab" || parts.any(|part| name.strip_prefix("bvlab-") == Some(part))
}

#[test]
fn every_crate_has_a_licence_that_is_accepted_and_comes_from_the_registry() {
    let list = allowed_licences();
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str();
        let licence = licence.unwrap_or_else(|| panic!("{name} has no licence"));
        assert!(
            allowed(licence, &list),
            "{name}: {licence} is not in deny.toml"
        );
        match package["source"].as_str() {
            None => assert!(is_ours(name), "{name}"),
            Some(source) => assert!(source.starts_with("registry+"), "{name}: {source}"),
        }
    }
    // Whatever is locked has a checksum.
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let lock: toml::Table = lock.parse().unwrap();
    for package in lock["package"].as_array().unwrap() {
        let ours = package["name"].as_str().is_some_and(is_ours);
        assert!(ours || package.get("checksum").is_some(), "{package}");
    }
}

#[test]
fn every_second_version_of_a_crate_is_known() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        let text = |key: &str| package[key].as_str().unwrap().to_owned();
        versions
            .entry(text("name"))
            .or_default()
            .insert(text("version"));
    }
    let rules = rules();
    for skipped in rules["bans"]["skip"].as_array().unwrap() {
        let name = skipped["crate"].as_str().unwrap();
        let (name, version) = name.split_once('@').unwrap_or((name, ""));
        let several = versions.get(name).is_some_and(|found| found.len() > 1);
        assert!(
            several,
            "deny.toml names {name}, of which there is only one version"
        );
        let found = versions.get_mut(name).unwrap();
        match version {
            "" => found.clear(),
            version => assert!(
                found.remove(version),
                "there is no {name} {version} any more"
            ),
        }
    }
    for (name, versions) in versions {
        assert!(versions.len() < 2, "{name} in the versions {versions:?}");
    }
}

/// What is embedded and was made by others has its licence beside it.
#[test]
fn data_and_fonts_have_their_licences_beside_them() {
    let third = fs::read_to_string(root().join("THIRD-PARTY.md")).unwrap();
    for (folder, endings, licence, words) in [
        (
            "experiments/data",
            &["csv"][..],
            "LICENSE-scikit-learn.txt",
            "BSD 3-Clause License",
        ),
        (
            "crates/bvlab-figure/src/font",
            &["otf", "ttf", "woff2"],
            "OFL.txt",
            "SIL Open Font License, Version 1.1",
        ),
    ] {
        let text = fs::read_to_string(root().join(folder).join(licence)).unwrap();
        assert!(text.contains(words) && text.contains("Copyright"));
        assert!(third.contains(&format!("{folder}/{licence}")));
        for entry in fs::read_dir(root().join(folder)).unwrap().flatten() {
            let path = entry.path();
            let ending = path.extension().unwrap_or_default().to_string_lossy();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if endings.contains(&&*ending) {
                let told = text.contains(&name);
                assert!(told, "{folder}/{licence} says nothing of {name}");
            }
        }
    }
}
