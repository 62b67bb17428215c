//! Texts of tables: as a file has them, and in one form for hashes.

/// A key as it stands in a file: in quotes where it must.
pub(super) fn key_text(key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !key.is_empty() && key.chars().all(plain) {
        true => key.to_owned(),
        false => toml::Value::String(key.to_owned()).to_string(),
    }
}

/// A table as a text that is the same for all ways to write it, and for no other table.
pub(super) fn canonical(table: &toml::Table) -> String {
    fn write(value: &toml::Value, in_order: bool, text: &mut String) {
        match value {
            // Words with their length, so that none can be taken for what follows it.
            toml::Value::String(words) => text.push_str(&format!("s{}:{words}", words.len())),
            toml::Value::Integer(number) => text.push_str(&format!("i{number};")),
            toml::Value::Float(number) => text.push_str(&format!("f{:x};", number.to_bits())),
            toml::Value::Boolean(yes) => text.push_str(&format!("b{yes};")),
            toml::Value::Datetime(time) => text.push_str(&format!("d{time};")),
            toml::Value::Array(items) => {
                text.push('[');
                items.iter().for_each(|item| write(item, false, text));
                text.push(']');
            }
            toml::Value::Table(table) => {
                let mut entries: Vec<(&String, &toml::Value)> = table.iter().collect();
                if !in_order {
                    entries.sort_by_key(|(key, _)| *key);
                }
                text.push('{');
                for (key, value) in entries {
                    text.push_str(&format!("k{}:{key}", key.len()));
                    write(value, key == "sweep", text);
                }
                text.push('}');
            }
        }
    }
    let mut text = String::new();
    write(&toml::Value::Table(table.clone()), false, &mut text);
    text
}

/// A text with an ellipsis in the place of every `{number}`; doubled braces stay.
pub(super) fn without_numbers(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = rest.split_at(at);
        shown.push_str(before);
        let doubled = ["{{", "}}"].into_iter().find(|two| brace.starts_with(two));
        rest = match (doubled, brace.find('}')) {
            (Some(two), _) => {
                shown.push_str(two);
                &brace[2..]
            }
            (None, Some(end)) => {
                shown.push('…');
                &brace[end + 1..]
            }
            (None, None) => {
                shown.push_str(brace);
                ""
            }
        };
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn numbers_become_an_ellipsis_and_doubled_braces_stay() {
        for (text, shown) in [
            ("best at {best.depth | 2}, {{a}}", "best at …, {{a}}"),
            ("no number", "no number"),
            ("{a}{b}", "……"),
            ("open {a", "open {a"),
        ] {
            assert_eq!(without_numbers(text), shown);
        }
    }
}
