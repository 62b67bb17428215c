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
