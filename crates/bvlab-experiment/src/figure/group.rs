//! Several figures on one page.

use toml::Spanned;

use super::{FigureTable, Kind};
use crate::raw::{Value, expected};
use crate::source::SourceError;

use super::kind::FigureSubject;

/// The keys of groups: name, what it does, whether its parts stand one above the other.
pub(super) const GROUPS: [(&str, &str, bool); 2] = [
    ("stack", "Several figures one above the other", true),
    ("beside", "Several figures side by side", false),
];

/// More parts than that are too small to read.
pub(super) const MOST_PARTS: usize = 4;

/// Several figures on one page.
#[derive(Clone, Debug)]
pub struct Group {
    /// Whether one above the other, rather than side by side.
    pub stacked: bool,
    /// The figures.
    pub parts: Vec<GroupPart>,
}

/// One of several figures on a page.
#[derive(Clone, Debug)]
pub struct GroupPart {
    /// Its own heading.
    pub title: Option<String>,
    /// What is drawn.
    pub kind: Kind,
}

/// The parts as they are written.
pub(super) fn read(value: &Spanned<Value>) -> Result<Vec<FigureTable<'_>>, SourceError> {
    let Value::List(items) = value.get_ref() else {
        let form = "a list, as in [{ fits = {} }, { tradeoff = {} }]";
        return Err(expected(form, value));
    };
    let part = |item| match Spanned::get_ref(item) {
        Value::Table(block) => FigureTable::read(block, item.span()),
        _ => Err(expected("a table, as in { fits = {} }", item)),
    };
    items.iter().map(part).collect()
}

/// A checked group.
pub(super) fn check(
    stacked: bool,
    parts: &[FigureTable],
    whole: &FigureTable,
    subject: FigureSubject,
) -> Result<Group, SourceError> {
    let part = |part: &FigureTable| {
        if let Some(name) = part.beyond_a_part(stacked) {
            let message = format!("`{name}` cannot be given to a part of a figure");
            return Err(
                SourceError::new(part.span.clone(), message).help("give it to the whole figure")
            );
        }
        Ok(GroupPart {
            title: part.title(),
            kind: part.check(subject)?,
        })
    };
    let parts = parts.iter().map(part).collect::<Result<Vec<_>, _>>()?;
    let wrong = |message: &str| Err(SourceError::new(whole.span.clone(), message));
    match parts.len() {
        0 => wrong("a figure needs at least one part"),
        1..=MOST_PARTS => Ok(Group { stacked, parts }),
        _ => wrong("a figure can have at most four parts"),
    }
}
