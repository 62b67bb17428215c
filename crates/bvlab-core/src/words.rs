//! Small helpers for sentences shown to people.

use std::borrow::Cow;

/// How many characters of names are compared, and how many names: comparing two takes as long as the
/// product of their lengths.
const COMPARED: usize = 100;
const MOST_NAMES: usize = 1000;

/// The most names that a sentence lists.
const MOST_LISTED: usize = 60;

/// The known name that looks most like `word`, if any looks like it at all. Of long names the
/// beginnings are compared, and of very many names the first.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let beginning = |name: &str| -> String {
        let lower = name.chars().flat_map(char::to_lowercase);
        lower.take(COMPARED).collect()
    };
    let word = beginning(word);
    let length = word.chars().count();
    let compared = |name: &'a str| {
        let beginning = beginning(name);
        let count = beginning.chars().count();
        let most = 1.max(count / 3);
        // Names that differ so much in length are further apart, whatever they are.
        if count.abs_diff(length) > most {
            return None;
        }
        let distance = strsim::damerau_levenshtein(&word, &beginning);
        (distance <= most).then_some((distance, name))
    };
    let known = known.into_iter().take(MOST_NAMES);
    let found = known.filter_map(compared);
    found
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// `a`, `b` or `c`: names as a choice within a sentence. Of very many, the first.
pub fn choice<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut rest = names.into_iter();
    let names = rest.by_ref().take(MOST_LISTED);
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

/// The beginning of a text that may be long, as a sentence has it.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(COMPARED) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The same in quotes.
pub fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text))
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

/// A share in per cent, with two digits that say something.
pub fn percent(share: f64) -> String {
    let hundredths = 100.0 * share;
    let mut decimals = 1;
    let mut first = hundredths;
    while first > 0.0 && first < 1.0 && decimals < 9 {
        first *= 10.0;
        decimals += 1;
    }
    format!("{hundredths:.decimals$} %")
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
        // Case does not matter, nor do letters that are swapped.
        assert_eq!(nearest("DPETH", ["depth", "leaves"]), Some("depth"));
    }

    #[test]
    fn long_names_and_many_names_cost_no_more_than_short_and_few() {
        // As a whole, each comparison would take some ten billion steps.
        let long = "a".repeat(100_000);
        let longer = format!("{long}a");
        assert_eq!(nearest(&long, [longer.as_str()]), Some(longer.as_str()));
        assert_eq!(nearest(&long, ["depth"]), None);
        assert_eq!(nearest("depth", [longer.as_str(), "dept"]), Some("dept"));
        assert_eq!(quoted(&long).chars().count(), COMPARED + 3);
        assert_eq!(quoted("dépth"), "`dépth`");
        let many: Vec<String> = (0..1_000_000).map(|i| format!("column {i}")).collect();
        let many = || many.iter().map(String::as_str);
        assert_eq!(nearest("colum 7", many()), Some("column 7"));
        let told = did_you_mean("y", many());
        assert!(told.ends_with("or one of 999\u{a0}940 others"), "{told}");
        assert!(told.len() < 2000);
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
}
