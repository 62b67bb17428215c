//! Small helpers for sentences shown to people.

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

/// `a`, `b` or `c`: names as a choice within a sentence.
pub fn choice<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
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
}
