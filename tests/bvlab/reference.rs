//! The reference pages say what the registries say.

use std::fs;
use std::path::Path;

use bvlab::experiment::reference;

/// With `BVLAB_BLESS=1` the pages are written anew.
#[test]
fn reference_pages_are_those_of_the_registry() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let bless = std::env::var_os("BVLAB_BLESS").is_some();
    for (name, wanted) in [
        ("learners.md", reference::learners(&bvlab::registry())),
        ("problems.md", reference::problems()),
        ("simulations.md", reference::simulations()),
    ] {
        let path = docs.join(name);
        if bless {
            fs::write(&path, &wanted).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        let differs = found.lines().zip(wanted.lines()).find(|(a, b)| a != b);
        assert!(
            found == wanted,
            "docs/{name} is stale at {differs:?}: run this test with BVLAB_BLESS=1"
        );
    }
}

/// Every name that an experiment can use is in the pages.
#[test]
fn reference_pages_have_every_parameter() {
    let page = reference::learners(&bvlab::registry());
    for family in bvlab::registry().families() {
        let section = page
            .split("\n## ")
            .find(|part| part.starts_with(family.name));
        let section = section.unwrap();
        for key in family.keys() {
            assert!(
                section.contains(&format!("`{key}`")),
                "{}: {key}",
                family.name
            );
        }
    }
}
