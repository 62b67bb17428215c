//! Small helpers for sentences shown to people.

use std::borrow::Cow;

/// The known name that looks most like `word`, if any looks like it at all.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    known
        .into_iter()
        .map(|name| {
            (
                strsim::damerau_levenshtein(&word, &name.to_lowercase()),
                name,
            )
        })
        .filter(|(distance, name)| *distance <= 1.max(name.chars().count() / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The most names that a sentence lists.
const MOST_NAMES: usize = 60;

/// `a`, `b` or `c`: names as a choice within a sentence. Of very many, the first.
pub fn choice<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut rest = names.into_iter();
    let names = rest.by_ref().take(MOST_NAMES);
    let mut names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match rest.count() {
        0 => {}
        more => names.push(format!("one of {} others", thousands(more as u64))),
    }
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

/// A help sentence for a name that is not known: the nearest one, or all of them.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(word, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected {}", choice(known)),
    }
}

/// A number as a person would write it: `0.5`, `100`, `1e-9`.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-4..1e7).contains(&size) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// A number in three digits, as far as it is not whole.
pub fn short(value: f64) -> String {
    match value.fract() == 0.0 {
        true => number(value),
        false => number(format!("{value:.2e}").parse().unwrap_or(value)),
    }
}

/// A count with its thousands apart: `10 000`.
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}

/// What stands for a character that would steer a terminal instead of being shown, or would change
/// the order of those around it.
pub fn visible(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => None,
        // The pictures of control characters, as ␛ for the one that begins a terminal's commands.
        '\0'..=' ' => char::from_u32(0x2400 + c as u32).filter(|_| c != ' '),
        '\u{7f}' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}' => Some('\u{fffd}'),
        '\u{61c}' | '\u{200e}' | '\u{200f}' => Some('\u{fffd}'),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some('\u{fffd}'),
        _ => None,
    }
}

/// The most characters of a message.
const MOST_CHARACTERS: usize = 1200;

/// A text as a terminal can show it.
pub fn printable(text: &str) -> Cow<'_, str> {
    match text.chars().any(|c| visible(c).is_some()) {
        false => Cow::Borrowed(text),
        true => Cow::Owned(text.chars().map(|c| visible(c).unwrap_or(c)).collect()),
    }
}

/// A message as a terminal can show it, cut if it is very long.
pub fn message(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        None => printable(text).into_owned(),
        Some((at, _)) => printable(&text[..at]).into_owned() + "…",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        assert_eq!(nearest("dept", ["depth", "leaves"]), Some("depth"));
        assert_eq!(nearest("leafs", ["depth", "leaves"]), Some("leaves"));
        assert_eq!(nearest("banana", ["depth", "leaves"]), None);
        assert_eq!(choice(["a", "b", "c"]), "`a`, `b` or `c`");
    }

    #[test]
    fn what_is_shown_steers_no_terminal_and_has_an_end() {
        assert_eq!(printable("größe\tof\nx"), "größe\tof\nx");
        assert_eq!(printable("a\u{1b}[31m\u{7}\r"), "a␛[31m␇␍");
        assert_eq!(
            printable("\u{9b}1m\u{202e}x\u{7f}\0"),
            "\u{fffd}1m\u{fffd}x␡␀"
        );
        let long = message(&"é".repeat(1_000_000));
        assert_eq!(long.chars().count(), MOST_CHARACTERS + 1);
        assert!(long.ends_with("é…"));
    }

    #[test]
    fn of_very_many_names_the_first_are_listed() {
        let names: Vec<String> = (0..1060).map(|i| i.to_string()).collect();
        let listed = choice(names.iter().map(String::as_str));
        assert!(listed.starts_with("`0`, `1`") && listed.ends_with("`59` or one of 1000 others"));
    }
}
