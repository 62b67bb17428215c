//! `docs/commands.md`, made from the help of every command.

use std::fmt::Write;
use std::path::Path;

use clap::CommandFactory;

use super::Arguments;

const HEAD: &str = "# Commands

Made from the program's own help by the test `reference_of_commands`, which fails when this page is stale.
`BVLAB_BLESS=1 cargo test --release reference` writes it anew.
";

fn reference() -> String {
    let mut all = Arguments::command().term_width(100);
    all.build();
    let mut page = String::from(HEAD);
    for command in all.get_subcommands_mut() {
        if command.is_hide_set() || command.get_name() == "help" {
            continue;
        }
        let help = command.render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        let name = command.get_name();
        let _ = write!(
            page,
            "\n## bvlab {name}\n\n```text\n{}\n```\n",
            lines.join("\n").trim_end()
        );
    }
    page
}

#[test]
fn reference_of_commands() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md");
    let page = reference();
    if std::env::var_os("BVLAB_BLESS").is_some() {
        std::fs::write(&path, &page).expect("docs/ can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/commands.md is stale: BVLAB_BLESS=1 cargo test --release reference"
    );
}
