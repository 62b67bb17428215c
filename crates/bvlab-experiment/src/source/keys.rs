//! Keys that are set on top of a text, and the bounds of what a text may hold.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::SourceError;

/// The most levels of lists and tables in a value, and the most keys that lead to one.
pub(super) const DEEPEST: usize = 16;

/// How a key is set.
pub(super) const FORM: &str = "write a key and its value, as in `--set problem.train=50`";

/// One bracket for what there is one of, two for what there can be several of.
pub(super) fn shape(root: &DeTable<'_>) -> Result<(), SourceError> {
    for (key, value) in root {
        let name: &str = key.get_ref();
        let wrong = match value.get_ref() {
            DeValue::Array(_) => ["problem", "sweep", "run"]
                .contains(&name)
                .then_some(("[", "]")),
            DeValue::Table(_) => ["learner", "figure", "claim", "variant"]
                .contains(&name)
                .then_some(("[[", "]]")),
            _ => None,
        };
        if let Some((open, close)) = wrong {
            let message = format!("`{name}` is written with {open}{name}{close}");
            return Err(SourceError::new(key.span(), message));
        }
    }
    Ok(())
}

/// Puts `key=value` into the table.
pub(super) fn set<'i>(
    root: &mut DeTable<'i>,
    offset: usize,
    line: &'i str,
) -> Result<(), SourceError> {
    let Some((path, text)) = line.split_once('=') else {
        let span = offset..offset + line.len();
        return Err(SourceError::new(span, "`--set` needs a `=`").help(FORM));
    };
    let lead = text.len() - text.trim_start().len();
    let value_offset = offset + path.len() + 1 + lead;
    let text = text.trim();
    let span = value_offset..value_offset + text.len();
    // What is not TOML is taken as a string, so that the shell's quotes are enough.
    let value = match DeValue::parse(text) {
        Ok(value) => shifted(
            checked(value).map_err(|trouble| SourceError {
                span: span.clone(),
                ..trouble
            })?,
            value_offset,
        ),
        Err(_) => Spanned::new(span, DeValue::String(text.into())),
    };
    let mut keys = Vec::new();
    let mut start = offset;
    for key in path.split('.') {
        let trimmed = key.trim();
        let lead = key.len() - key.trim_start().len();
        let span = start + lead..start + lead + trimmed.len();
        if trimmed.is_empty() {
            return Err(SourceError::new(span, "`--set` needs a key").help(FORM));
        }
        keys.push((trimmed, span));
        start += key.len() + 1;
    }
    put(root, &keys, value)
}

/// A key of a path, and where it stands.
type PathKey<'i> = (&'i str, Range<usize>);

/// Puts a value where a path of keys leads, and makes the tables on the way that are missing.
fn put<'i>(
    root: &mut DeTable<'i>,
    keys: &[PathKey<'i>],
    value: Spanned<DeValue<'i>>,
) -> Result<(), SourceError> {
    let (first, rest) = keys.split_first().expect("there is at least one key");
    let Some((last, between)) = rest.split_last() else {
        insert(root, first, value);
        return Ok(());
    };
    let (mut place, mut holder) = (entry(root, first), first);
    for key in between {
        place = match place {
            DeValue::Table(table) => entry(table, key),
            DeValue::Array(array) => item(array, holder, key)?.get_mut(),
            _ => return Err(single(holder)),
        };
        holder = key;
    }
    match place {
        DeValue::Table(table) => insert(table, last, value),
        DeValue::Array(array) => *item(array, holder, last)? = value,
        _ => return Err(single(holder)),
    }
    Ok(())
}

fn insert<'i>(table: &mut DeTable<'i>, (key, span): &PathKey<'i>, value: Spanned<DeValue<'i>>) {
    table.remove(*key);
    table.insert(Spanned::new(span.clone(), (*key).into()), value);
}

/// What a table has under a key: an empty table where it had nothing.
fn entry<'t, 'i>(table: &'t mut DeTable<'i>, (key, span): &PathKey<'i>) -> &'t mut DeValue<'i> {
    if !table.contains_key(*key) {
        let fresh = Spanned::new(span.clone(), DeValue::Table(DeTable::new()));
        table.insert(Spanned::new(span.clone(), (*key).into()), fresh);
    }
    let found = table.get_mut(*key).expect("it was just made sure of");
    found.get_mut()
}

/// An item of a list, by its number.
fn item<'a, 'i>(
    array: &'a mut DeArray<'i>,
    (holder, _): &PathKey<'i>,
    (index, span): &PathKey<'i>,
) -> Result<&'a mut Spanned<DeValue<'i>>, SourceError> {
    let length = array.len();
    let number = index.parse::<usize>().ok();
    number
        .and_then(|number| array.get_mut(number))
        .ok_or_else(|| {
            let message = format!("`{holder}` has no item `{index}`");
            let help = format!("`{holder}` is a list of {length}, counted from 0");
            SourceError::new(span.clone(), message).help(help)
        })
}

fn single((key, span): &PathKey) -> SourceError {
    let message = format!("`{key}` is a single value: nothing can be set inside it");
    SourceError::new(span.clone(), message).help("leave out what follows it")
}

/// A value that has no more than [`DEEPEST`] levels, and no whole number that takes more than 64 bits.
/// Any other is taken apart here, level by level: dropping it as a whole would recurse as deeply as it
/// is nested, and so would everything that reads it.
pub(super) fn checked(value: Spanned<DeValue<'_>>) -> Result<Spanned<DeValue<'_>>, SourceError> {
    let mut waiting = vec![(&value, 0)];
    let mut wrong = None;
    while wrong.is_none()
        && let Some((value, depth)) = waiting.pop()
    {
        match value.get_ref() {
            _ if depth > DEEPEST => {
                let message =
                    format!("lists and tables are nested more than {DEEPEST} levels deep");
                let help = "no key of an experiment is nested this deeply";
                wrong = Some(SourceError::new(value.span(), message).help(help));
            }
            DeValue::Array(array) => waiting.extend(array.iter().map(|item| (item, depth + 1))),
            DeValue::Table(table) => waiting.extend(table.values().map(|item| (item, depth + 1))),
            DeValue::Integer(number)
                if i64::from_str_radix(number.as_str(), number.radix()).is_err() =>
            {
                let message = format!("a whole number can be at most {}", i64::MAX);
                let help = "write a larger number with a power of ten, as in 1e20";
                wrong = Some(SourceError::new(value.span(), message).help(help));
            }
            _ => {}
        }
    }
    let Some(wrong) = wrong else {
        return Ok(value);
    };
    let mut waiting = vec![value.into_inner()];
    while let Some(value) = waiting.pop() {
        match value {
            DeValue::Array(array) => waiting.extend(array.into_iter().map(Spanned::into_inner)),
            DeValue::Table(table) => {
                waiting.extend(table.into_iter().map(|(_, item)| item.into_inner()));
            }
            _ => {}
        }
    }
    Err(wrong)
}

/// The same value with its places moved by `offset`.
fn shifted(value: Spanned<DeValue<'_>>, offset: usize) -> Spanned<DeValue<'_>> {
    let move_span = |span: Range<usize>| span.start + offset..span.end + offset;
    let span = move_span(value.span());
    let inner = match value.into_inner() {
        DeValue::Array(array) => DeValue::Array(
            array
                .into_iter()
                .map(|item| shifted(item, offset))
                .collect(),
        ),
        DeValue::Table(table) => DeValue::Table(
            table
                .into_iter()
                .map(|(key, item)| {
                    let span = move_span(key.span());
                    (Spanned::new(span, key.into_inner()), shifted(item, offset))
                })
                .collect(),
        ),
        other => other,
    };
    Spanned::new(span, inner)
}
