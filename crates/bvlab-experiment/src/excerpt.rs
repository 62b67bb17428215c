//! The lines around a place of a text, as a terminal can show them.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use bvlab_core::words::visible;

/// The most bytes of a line that are shown whole.
const LONGEST_LINE: usize = 400;

/// How much of a longer line is shown before the place, and from there on.
const BEFORE: usize = 100;
const AFTER: usize = 200;

/// The line of a place and those beside it. Long lines are cut, since one line can be the whole
/// file, and nothing in them steers the terminal.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// What the text is called.
    pub name: String,
    /// The line of the place, counted from 0.
    pub line: usize,
    /// The byte of that line where the place begins, counted from 0.
    column: usize,
    /// The line, and those beside it.
    text: String,
    /// The first line of that.
    first: usize,
    /// The place in it.
    pub span: SourceSpan,
}

impl Excerpt {
    /// The lines around a place, which is within one line.
    pub fn new(name: &str, text: &str, place: Range<usize>) -> Self {
        let start = text.floor_char_boundary(place.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_of = |from: usize| {
            let rest = &text[from..];
            rest.split_once('\n').map_or(rest, |(line, _)| line)
        };
        let line = line_of(line_start);
        let number = text[..line_start].bytes().filter(|b| *b == b'\n').count();
        let mut shown = String::new();
        let mut first = number;
        if let Some(before) = text[..line_start].strip_suffix('\n') {
            let before = before.rsplit_once('\n').map_or(before, |(_, line)| line);
            first -= 1;
            cut(before, 0..0, &mut shown);
            shown.push('\n');
        }
        let column = start - line_start;
        let end = place.end.clamp(start, line_start + line.len().max(column));
        let span = cut(line, column..end - line_start, &mut shown);
        let next = line_start + line.len() + 1;
        if next <= text.len() {
            shown.push('\n');
            cut(line_of(next), 0..0, &mut shown);
        }
        Excerpt {
            name: name.to_owned(),
            line: number,
            column,
            text: shown,
            first,
            span: span.into(),
        }
    }
}

/// Appends what is shown of a line; returns where a place of it is then found.
fn cut(line: &str, place: Range<usize>, shown: &mut String) -> Range<usize> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let (from, to) = match line.len() <= LONGEST_LINE {
        true => (0, line.len()),
        false => (
            line.floor_char_boundary(place.start.saturating_sub(BEFORE)),
            line.floor_char_boundary(place.start.saturating_add(AFTER)),
        ),
    };
    if from > 0 {
        shown.push('…');
    }
    let (mut start, mut end) = (None, None);
    for (at, c) in line[from..to].char_indices() {
        if from + at >= place.start {
            start.get_or_insert(shown.len());
        }
        if from + at >= place.end {
            end.get_or_insert(shown.len());
        }
        shown.push(visible(c).unwrap_or(c));
    }
    let last = shown.len();
    if to < line.len() {
        shown.push('…');
    }
    let start = start.unwrap_or(last);
    start..end.unwrap_or(last).max(start)
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let read = self.text.read_span(span, before, after)?;
        // Without lines beside it, it is asked where the place is, for the head of the message.
        let column = match (before, after) {
            (0, 0) => self.column,
            _ => read.column(),
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            read.data(),
            *read.span(),
            self.first + read.line(),
            column,
            read.line_count(),
        )))
    }
}
