//! The experiments there are, and those among them that a user asks for.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Failure;
use super::load::{Changes, suggestion};
use crate::experiment::table::ShippedTables;
use crate::experiment::{Experiment, shipped};
use crate::learner::Registry;
use bvlab_core::words::nearest;

/// Where an experiment is found.
#[derive(Clone, Debug, PartialEq)]
pub enum ExperimentLocation {
    /// Inside the program.
    Shipped,
    /// In a file.
    File(PathBuf),
}

impl ExperimentLocation {
    /// Reads the experiment of that name.
    pub fn load(
        &self,
        name: &str,
        changes: &Changes,
        registry: &Registry,
    ) -> Result<Experiment, Failure> {
        match self {
            ExperimentLocation::Shipped => {
                let text = shipped::text(name).unwrap_or_default();
                changes.read(name, name, &text, Arc::new(ShippedTables), registry)
            }
            ExperimentLocation::File(path) => changes.load(&path.to_string_lossy(), registry),
        }
    }
}

/// Experiments by name.
#[derive(Debug)]
pub struct Catalogue {
    known: BTreeMap<String, ExperimentLocation>,
}

impl Catalogue {
    /// What ships inside the program, and the TOML files of a folder, which come before it.
    pub fn new(folder: Option<&Path>) -> Result<Self, Failure> {
        let shipped = shipped::names().into_iter();
        let mut known: BTreeMap<String, ExperimentLocation> = shipped
            .map(|name| (name, ExperimentLocation::Shipped))
            .collect();
        if let Some(folder) = folder {
            let cannot = |error: std::io::Error| {
                Failure::wrong(miette::miette!(
                    help = "--from names a folder of experiments, which are TOML files",
                    "cannot read the folder {}: {error}",
                    folder.display()
                ))
            };
            for entry in fs::read_dir(folder).map_err(cannot)? {
                let path = entry.map_err(cannot)?.path();
                let toml = path.extension().is_some_and(|ending| ending == "toml");
                let name = name_of(&path);
                if toml && path.is_file() && !name.starts_with('.') {
                    known.insert(name, ExperimentLocation::File(path));
                }
            }
        }
        Ok(Catalogue { known })
    }

    /// The experiments that are asked for by name, pattern or path, without doubles; all if none
    /// is named.
    pub fn choose(&self, wanted: &[String]) -> Result<Vec<(String, ExperimentLocation)>, Failure> {
        let all = || {
            self.known
                .iter()
                .map(|(name, at)| (name.clone(), at.clone()))
        };
        if wanted.is_empty() {
            return Ok(all().collect());
        }
        let mut chosen: Vec<(String, ExperimentLocation)> = Vec::new();
        for word in wanted {
            let mut found: Vec<_> = all().filter(|(name, _)| matches(word, name)).collect();
            let path = Path::new(word);
            if found.is_empty() && path.is_file() {
                found.push((name_of(path), ExperimentLocation::File(path.to_owned())));
            }
            if found.is_empty() {
                return Err(self.unknown(word));
            }
            for (name, place) in found {
                match chosen.iter().find(|(known, _)| *known == name) {
                    None => chosen.push((name, place)),
                    Some((_, known)) if same(known, &place) => {}
                    Some(_) => {
                        return Err(Failure::wrong(miette::miette!(
                            help =
                                "rename one of them: results are stored in a folder of that name",
                            "two experiments are called `{name}`"
                        )));
                    }
                }
            }
        }
        Ok(chosen)
    }

    fn unknown(&self, word: &str) -> Failure {
        let path = Path::new(word);
        let help = if word.contains(['*', '?']) {
            // The patterns that would have found something: `descent-*` for `decsent-*`.
            let families = self.known.keys().filter_map(|name| name.split_once('-'));
            let families: Vec<String> = families.map(|(head, _)| format!("{head}-*")).collect();
            match nearest(word, families.iter().map(String::as_str)) {
                Some(near) => format!("did you mean '{near}'?"),
                None => "* matches any characters and ? a single one; `bvlab list` shows the experiments that ship with bvlab".to_owned(),
            }
        } else {
            match nearest(word, self.known.keys().map(String::as_str)) {
                Some(near) => format!("did you mean {near}?"),
                None => suggestion(path, Some(&name_of(path))),
            }
        };
        Failure::wrong(miette::miette!(
            help = help,
            "no experiment is called `{word}`"
        ))
    }
}

/// Whether two places are one, though perhaps written in two ways.
fn same(a: &ExperimentLocation, b: &ExperimentLocation) -> bool {
    match (a, b) {
        (ExperimentLocation::File(a), ExperimentLocation::File(b)) => {
            let real = |path: &Path| fs::canonicalize(path).ok();
            a == b || (real(a).is_some() && real(a) == real(b))
        }
        _ => a == b,
    }
}

/// A file's name without its ending.
fn name_of(path: &Path) -> String {
    path.file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Whether a name fits a pattern, in which `*` stands for any letters and `?` for one.
fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    // The last star, and the first letter that it does not stand for.
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match &mut star {
                None => return false,
                Some((at, end)) => {
                    *end += 1;
                    (p, n) = (*at + 1, *end);
                }
            },
        }
    }
    pattern[p..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name) in [
            ("descent-*", "descent-ridge"),
            ("*", ""),
            ("*-fits", "knn-fits"),
            ("*e*e*", "tree-fits"),
            ("k?n-*", "knn-fits"),
            ("knn-fits", "knn-fits"),
            ("größ?", "größe"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("descent-*", "my-descent-ridge"),
            ("knn", "knn-fits"),
            ("k?n", "kn"),
            ("*x", "knn"),
            ("", "knn"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
