//! References such as `risk@tree,depth=5`: quantities, and where they are read.

use std::ops::Range;

use super::{Flaw, Parser, is_name_char};
use crate::words::reference::Reference;
use crate::words::scope::{Quantity, ReferencePlace};
use bvlab_core::words::{did_you_mean, quoted};

impl<'a> Parser<'a> {
    pub(super) fn reference(&mut self) -> Result<Reference, Flaw> {
        let start = self.at;
        let quoted_name = self.quoted_name()?;
        let is_quoted = quoted_name.is_some();
        let series = self.scope.series_names();
        let name = match quoted_name {
            Some(name) => name,
            None => match self.known(&series, &|after| after.starts_with(['@', '.'])) {
                Some(name) => {
                    self.at += name.len();
                    name.to_owned()
                }
                None => {
                    let word = self.word();
                    self.at += word.len();
                    word.to_owned()
                }
            },
        };
        let mut quantity = Quantity {
            name,
            theory: false,
            is_quoted,
            span: start..self.at,
        };
        if is_quoted || series.contains(&quantity.name.as_str()) {
            quantity.theory = self.take_suffix(".theory");
            let _ = !quantity.theory && self.take_suffix(".value");
        }
        let place = match self.take_suffix("@") {
            true => Some(self.place()?),
            false => None,
        };
        let text = self.text[start..self.at].trim().to_owned();
        self.scope.resolve(&quantity, place, text, start..self.at)
    }

    /// Takes what must follow without a blank.
    fn take_suffix(&mut self, suffix: &str) -> bool {
        let found = self.rest().starts_with(suffix);
        if found {
            self.at += suffix.len();
        }
        found
    }

    /// The longest of some names that comes next and ends there.
    /// `or_ends` says where else it may end.
    fn known<'n>(&self, names: &[&'n str], or_ends: &dyn Fn(&str) -> bool) -> Option<&'n str> {
        let rest = self.rest();
        let ends = |after: &str| ends_name(after) || or_ends(after);
        let fits = |name: &&&str| rest.strip_prefix(**name).is_some_and(ends);
        let found = names.iter().filter(fits);
        found.max_by_key(|name| name.len()).copied()
    }

    /// Where a quantity is read, after `@`.
    fn place(&mut self) -> Result<ReferencePlace, Flaw> {
        let mut place = ReferencePlace::default();
        let before = self.at;
        self.blank();
        let start = self.at;
        self.variant(&mut place)?;
        // A blank before an operator belongs to the end of the reference.
        let rest = match self.at == start {
            true => &self.text[before..],
            false => self.rest(),
        };
        if ends_name(rest) {
            self.at = self.text.len() - rest.len();
            return Ok(place);
        }
        let mut comma = None;
        loop {
            self.blank();
            if !self.part(&mut place)? {
                // Within a call the comma may separate arguments.
                if let Some(comma) = comma.filter(|_| self.calls > 0) {
                    self.at = comma;
                    return Ok(place);
                }
                let token = self.unknown_token();
                if !self.scope.lenient || token.is_empty() {
                    return Err(self.unknown_part(&place));
                }
                // What was taken away from outside had a name, too.
                let span = self.at..self.at + token.len();
                self.at = span.end;
                place.names.push((token.to_owned(), span));
            }
            let end = self.at;
            if !self.take(",") {
                self.at = end;
                return Ok(place);
            }
            comma = Some(end);
        }
    }

    /// The name of a variant and a colon, if they come next.
    fn variant(&mut self, place: &mut ReferencePlace) -> Result<(), Flaw> {
        let start = self.at;
        let names = self.scope.variant_names();
        let fits = |name: &&&str| {
            let after = self.rest().strip_prefix(**name);
            after.is_some_and(|after| after.trim_start().starts_with(':'))
        };
        let found = names.iter().filter(fits).max_by_key(|name| name.len());
        if let Some(name) = found {
            self.at += name.len();
            self.take(":");
            place.variant = Some(((*name).to_owned(), start..start + name.len()));
            return Ok(());
        }
        let quoted = self.quoted_name()?;
        match quoted {
            Some(name) if self.take(":") => {
                let span = start..start + name.len() + 2;
                self.known_variant(&name, &span)?;
                place.variant = Some((name, span));
            }
            Some(_) => self.at = start,
            None => {
                // An unknown variant is named as such.
                let colon = self.rest().find(':');
                let stop = self.rest().find(['@', ',', '=', '}', '|', '<', '>']);
                if let Some(colon) = colon.filter(|colon| stop.is_none_or(|stop| *colon < stop)) {
                    let name = self.rest()[..colon].trim().to_owned();
                    let span = start..start + name.len();
                    self.known_variant(&name, &span)?;
                    place.variant = Some((name, span));
                    self.at += colon + 1;
                }
            }
        }
        Ok(())
    }

    /// Refuses a variant that there is not.
    fn known_variant(&self, name: &str, span: &Range<usize>) -> Result<(), Flaw> {
        match self.scope.lenient || self.scope.variant_names().contains(&name) {
            true => Ok(()),
            false => Err(self.scope.unknown_variant(name, span.clone())),
        }
    }

    /// One part of a place: an axis with its value, `best`, or the name of a learner.
    fn part(&mut self, place: &mut ReferencePlace) -> Result<bool, Flaw> {
        let start = self.at;
        if let Some(name) = self.quoted_name()? {
            place.names.push((name, start..self.at));
            return Ok(true);
        }
        let word = self.word();
        if !word.is_empty() && self.rest()[word.len()..].starts_with('=') {
            self.at += word.len() + 1;
            let value = self.signed()?;
            place.values.push((word.to_owned(), value, start..self.at));
            return Ok(true);
        }
        let names = self.scope.place_names(place);
        if let Some(name) = self.known(&names, &|_| false) {
            self.at += name.len();
            place.names.push((name.to_owned(), start..self.at));
            return Ok(true);
        }
        if word == "best" && ends_name(&self.rest()[word.len()..]) {
            self.at += word.len();
            place.best = Some(start..self.at);
            return Ok(true);
        }
        Ok(false)
    }

    /// A part that is nothing known, up to what looks like its end.
    fn unknown_token(&self) -> &'a str {
        let rest = self.rest();
        let stops = [
            " <", " >", " =", " in ", " within ", " - ", " + ", " * ", " / ",
        ];
        let ends = stops.iter().filter_map(|stop| rest.find(stop));
        let ends = ends.chain(rest.find([',', '}', '|', ')']));
        let length = ends.min().unwrap_or(rest.len());
        rest[..length].trim_end()
    }

    /// What is said of a part that is nothing known.
    fn unknown_part(&self, place: &ReferencePlace) -> Flaw {
        let (rest, token) = (self.rest(), self.unknown_token());
        let span = self.at..self.at + token.len().max(1).min(rest.len());
        let known = self.scope.part_examples(place);
        let known = || known.iter().map(String::as_str);
        Flaw::new(span, format!("{} is not known here", quoted(token)))
            .help(did_you_mean(token, known()))
    }
}

/// Whether a name that stands before this text ends there.
fn ends_name(after: &str) -> bool {
    let trimmed = after.trim_start();
    let blank = trimmed.len() < after.len();
    let word = |word: &str| {
        let rest = trimmed.strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(is_name_char))
    };
    trimmed.is_empty()
        || trimmed.starts_with([',', ')', '}', '|'])
        || blank && trimmed.starts_with(['+', '-', '*', '/', '<', '>', '='])
        || blank && (word("in") || word("within"))
}
