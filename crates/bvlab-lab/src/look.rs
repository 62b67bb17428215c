//! The look of the page, written from the theme of the figures: `look.css` and `look.js`.

use std::fmt::Write;
use std::sync::LazyLock;

use serde_json::json;

use bvlab_figure::{Colour, PageLook};

/// The style sheet with colours, widths, dashes and opacities, on light and on dark paper.
pub static CSS: LazyLock<String> = LazyLock::new(css);

/// The module with what scripts draw with: the colours of learners, and the parts of the error.
pub static JS: LazyLock<String> = LazyLock::new(js);

fn rgb((r, g, b): Colour) -> String {
    format!("rgb({r}, {g}, {b})")
}

fn css() -> String {
    let mut text = String::from("/* Written from the theme of the figures. */\n");
    let [light, dark] = [false, true].map(PageLook::new);
    let rem = |size: f64| format!("{:.3}rem", size);
    let mut sizes = String::new();
    for (name, width) in PageLook::widths() {
        let _ = writeln!(sizes, "  --width-{name}: {};", rem(width));
    }
    for (name, dash, gap) in PageLook::dashes() {
        let _ = writeln!(sizes, "  --dash-{name}: {} {};", rem(dash), rem(gap));
    }
    for (name, opacity) in PageLook::opacities() {
        let _ = writeln!(sizes, "  --opacity-{name}: {opacity};");
    }
    for (selector, scheme, look, sizes) in [
        (":root", "light", light, sizes.as_str()),
        (":root[data-theme=\"dark\"]", "dark", dark, ""),
    ] {
        let _ = writeln!(text, "\n{selector} {{");
        for (name, colour) in &look.colours {
            let _ = writeln!(text, "  --{name}: {};", rgb(*colour));
        }
        let _ = writeln!(text, "{sizes}  color-scheme: {scheme};\n}}");
    }
    text
}

fn js() -> String {
    let learners = |dark: bool| {
        let colours = PageLook::new(dark).learners.into_iter();
        let colours = colours.map(|(line, text)| json!({ "line": rgb(line), "text": rgb(text) }));
        colours.collect::<Vec<_>>()
    };
    let colours = json!({ "light": learners(false), "dark": learners(true) });
    let (share, (black, white), grey) = PageLook::on_dark();
    let dark = json!({ "share": share, "black": black, "white": white, "grey": grey });
    let parts = PageLook::parts().into_iter().map(|part| {
        json!({
            "column": part.column,
            "name": part.colour,
            "label": part.label,
            "brief": part.brief,
            "exact": part.exact,
            "dashed": part.dashed,
        })
    });
    let parts = serde_json::Value::from(parts.collect::<Vec<_>>());
    format!(
        "// Written from the theme of the figures.\n\n\
         // The colours of learners by their number: of lines, and of text.\n\
         export const LEARNER_COLOURS = {colours};\n\n\
         // How colours are painted on dark paper.\n\
         export const DARK_PAPER = {dark};\n\n\
         // The parts of the error: column in a frame, name of the colour, words, short words.\n\
         export const PARTS = {parts};\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of custom properties that follow a mark in a text.
    fn names(text: &str, mark: &str) -> Vec<String> {
        let rest = text.split(mark).skip(1);
        let name = |rest: &str| -> String {
            let plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
            rest.chars().take_while(plain).collect()
        };
        rest.map(name).collect()
    }

    #[test]
    fn the_style_sheet_uses_no_colour_that_the_theme_does_not_have() {
        let defined = names(&CSS, "  --");
        assert!(defined.len() > 50, "{defined:?}");
        // Those that scripts or the style sheet itself set.
        let own = [
            "size", "base", "panels", "boards", "player", "beside", "rows", "columns", "column",
            "key",
        ];
        for used in names(include_str!("page/style.css"), "var(--") {
            let known = defined.contains(&used) || own.contains(&used.as_str());
            assert!(known, "--{used}");
        }
    }

    #[test]
    fn the_page_has_no_colours_of_its_own() {
        let files = [
            include_str!("page/style.css"),
            include_str!("page/palette.js"),
            include_str!("page/parts.js"),
            include_str!("page/tradeoff.js"),
        ];
        // Black and white may be written: shadows, a blank screen, the ground of a QR code.
        let plain = ["rgb(0, 0, 0)", "rgb(255, 255, 255)", "rgb(0 0 0 / 45%)"];
        for file in files {
            let found = file.match_indices("rgb(").map(|(at, _)| &file[at..]);
            let own: Vec<&str> = found
                .filter(|rest| !plain.iter().any(|plain| rest.starts_with(plain)))
                .filter(|rest| !rest.starts_with("rgb(${"))
                .map(|rest| rest.split_once(')').map_or(rest, |(colour, _)| colour))
                .collect();
            assert!(own.is_empty(), "{own:?}");
        }
    }
}
