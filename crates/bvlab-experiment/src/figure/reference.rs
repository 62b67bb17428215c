//! The reference of figure kinds and their keys, as a page of documentation.

use std::fmt::Write;

use super::choice::{Bands, ChoiceWord, FigureChoice, Lower, PanelBy, Part, Sample, Shape, Theme};
use super::group::{GROUPS, MOST_PARTS};
use super::option::{FigureOption, OptionForm};
use super::{COMMON, FIGURE_KINDS, LOOK};

/// All kinds of figure with their keys, in Markdown: `docs/figures.md`.
pub fn figure_reference() -> String {
    let mut page = String::from(HEAD);
    let mut say = |text: &str| page.push_str(text);
    say("\n| kind | shows |\n|---|---|\n");
    for kind in FIGURE_KINDS {
        let name = kind.name;
        say(&format!("| [`{name}`](#{name}) | {} |\n", kind.meaning));
    }
    for (name, meaning, _) in GROUPS {
        say(&format!("| [`{name}`](#groups) | {meaning} |\n"));
    }
    for kind in FIGURE_KINDS {
        say(&format!("\n## `{}`\n\n{}.", kind.name, kind.meaning));
        if !kind.needs.is_empty() {
            say(&format!(" {}", kind.needs));
        }
        say(&format!(
            "\n\n```toml\n[[figure]]\n{}\n```\n\n",
            kind.example
        ));
        say(&table(kind.options));
    }
    say(&format!(
        "\n## Groups\n\n{GROUPS_TEXT} A group has at most {MOST_PARTS} parts.\n"
    ));
    say("\n## Every figure\n\nThese keys go beside the kind.\n\n");
    say(&table(COMMON));
    say("\n## `[look]`\n\nThe look of all figures, unless a figure sets its own.\n\n");
    say(&table(LOOK));
    say("\n## Words\n");
    say(&words("Parts of the error", Part::WORDS));
    say(&words("Diagnostics in `below`", Lower::WORDS));
    say(&words("Bands", Bands::WORDS));
    say(&words("Panels of a simulation, `by`", PanelBy::WORDS));
    say(&words("Panels in `sample`", Sample::WORDS));
    say(&words("Shapes", Shape::WORDS));
    say(&words("Themes", Theme::WORDS));
    page
}

const HEAD: &str = "\
# Figures

<!-- FigureTable by `BVLAB_BLESS=1 cargo test --release --test bvlab figure_kinds`: do not edit. -->

Every `[[figure]]` of an experiment has one kind, whose options are the keys of its table:

```toml
[[figure]]
title = \"Trees of three depths\"
fits = { learners = [\"tree\"], values = [3, 5, 16] }
```

`bvlab draw results/NAME` draws the figures of a finished run again, also with options that have changed:

```sh
bvlab draw results/tree-tradeoff --set figure.0.tradeoff.y-scale=log --set look.theme=dark --format pdf
```

Every SVG has a title and a description with the numbers that matter, which screen readers read.
";

const GROUPS_TEXT: &str = "\
`stack = [{ fits = {} }, { tradeoff = {} }]` puts figures one above the other, `beside` puts them side by side. Each
part has one kind and may have a `title`; a part of a `stack` may be a `beside`, and the other way round.";

fn table(options: &[FigureOption]) -> String {
    let mut text = String::from("| key | value | default | meaning |\n|---|---|---|---|\n");
    for option in options {
        let default = match option.required {
            true => "must be given".to_owned(),
            false => option.default_words().unwrap_or_default(),
        };
        let name = option.name;
        let form = form(&option.form);
        let _ = writeln!(
            text,
            "| `{name}` | {form} | {default} | {} |",
            option.meaning
        );
    }
    text
}

/// What may be written for an option, in words.
fn form(form: &OptionForm) -> String {
    let names = |words: &[ChoiceWord]| {
        let names: Vec<String> = words
            .iter()
            .map(|word| format!("`{}`", word.name))
            .collect();
        names.join(", ")
    };
    match form {
        OptionForm::Flag(_) => "`true` or `false`".to_owned(),
        OptionForm::Number(parameter) => format!("a number, {}", parameter.bounds()),
        OptionForm::Choice(words) => names(words),
        OptionForm::Choices(words) => format!("a list of {}", names(words)),
        OptionForm::Text => "a text".to_owned(),
        OptionForm::Names => "a list of names".to_owned(),
        OptionForm::Value => "a value of the sweep".to_owned(),
        OptionForm::Values => "a list of values of the sweep".to_owned(),
        OptionForm::Pair => "two numbers".to_owned(),
        OptionForm::Labels => "a table of names and texts".to_owned(),
        OptionForm::Tables(options) => {
            let keys = options.iter().map(|option| match option.required {
                true => format!("`{}`", option.name),
                false => format!("`{}` (optional)", option.name),
            });
            let keys: Vec<String> = keys.collect();
            format!("a list of tables with {}", keys.join(", "))
        }
    }
}

fn words(heading: &str, words: &[ChoiceWord]) -> String {
    let mut text = format!("\n{heading}:\n\n");
    for ChoiceWord { name, meaning } in words {
        let _ = writeln!(text, "- `{name}`: {meaning}");
    }
    text
}
