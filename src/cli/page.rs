//! A page that shows results: one file of HTML that needs nothing else.

use std::fs;
use std::io::{self, Cursor};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::figures::{RunEntry, RunStatus};
use super::{Failure, Format};
use crate::experiment::ExperimentText;
use crate::experiment::words::Template;
use crate::outcome::files::{self, OutcomeError, write_whole};
use crate::outcome::{Table, Tables};
use bvlab_core::words::{number, thousands};

const TEMPLATE: &str = include_str!("page.html");

/// How many rows of a table are shown.
const ROWS: usize = 60;

/// How wide a small picture is at least, in pixels: twice what is shown, for fine screens.
const THUMBNAIL: usize = 400;

/// What every such page says, and nobody else's.
const MADE: &str = "made with bvlab";

/// Writes the page: under another name first, so that no half of one is ever there, and not over one
/// that bvlab did not make.
pub fn write(path: &Path, entries: &[RunEntry], overwrite: bool) -> Result<(), Failure> {
    let foreign = match fs::read(path) {
        Ok(there) => !there
            .windows(MADE.len())
            .any(|part| part == MADE.as_bytes()),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    };
    if foreign && !overwrite {
        return Err(Failure::failed(miette::miette!(
            help = "move it elsewhere, choose another folder with --out, or replace it with --overwrite",
            "bvlab did not make {}",
            path.display()
        )));
    }
    write_whole(path, page(entries)?.as_bytes()).map_err(Failure::failed)
}

fn page(entries: &[RunEntry]) -> Result<String, Failure> {
    let (mut contents, mut sections) = (String::new(), String::new());
    for entry in entries {
        let (thumbnail, section) = section(entry)?;
        contents.push_str(&thumbnail);
        sections.push_str(&section);
    }
    let about = format!(
        "{} experiments on bias and variance, {MADE} {}.",
        entries.len(),
        env!("CARGO_PKG_VERSION")
    );
    // Filled from the back, so that nothing filled in is searched for marks.
    let mut text = TEMPLATE.to_owned();
    for (mark, filling) in [
        ("{{experiments}}", sections),
        ("{{contents}}", contents),
        ("{{about}}", escape(&about)),
    ] {
        if let Some(at) = text.find(mark) {
            text.replace_range(at..at + mark.len(), &filling);
        }
    }
    Ok(text)
}

/// An experiment's line in the contents, and its part of the page.
fn section(entry: &RunEntry) -> Result<(String, String), Failure> {
    let name = escape(&entry.name);
    let mut shown = match &entry.experiment {
        Some(experiment) => experiment.words.clone(),
        None => ExperimentText::default(),
    };
    if let Ok(Some(words)) = files::read_words(&entry.home) {
        shown = words;
    }
    let heading = shown.title.as_deref().unwrap_or(&entry.name);
    let title = escape(heading);
    // Letters that mean something in an address have no place in one.
    let plain = |letter: char| match letter.is_alphanumeric() || "-_.".contains(letter) {
        true => letter,
        false => '-',
    };
    let id: String = entry.name.chars().map(plain).collect();
    let id = format!("e-{id}");
    let mut small = String::new();
    let mut body = String::new();
    match (&entry.experiment, &entry.ending) {
        (_, RunStatus::Failed(reason)) => {
            let reason = escape(reason);
            body.push_str(&format!(
                "<p class=\"failed\"><b>This experiment failed:</b> {reason}</p>\n"
            ));
        }
        (Some(experiment), _) => {
            for (i, figure) in experiment.figures.iter().enumerate() {
                let path = entry.home.join(Format::Png.file(&figure.name));
                let bytes = fs::read(&path).map_err(|error| {
                    let reason = error.to_string();
                    Failure::failed(OutcomeError::Read { path, reason })
                })?;
                let title = figure.title.as_ref().map(|title| {
                    let template = experiment.texts.figures.get(title);
                    template.map_or(title.clone(), Template::unrendered)
                });
                let heading = title.as_deref().unwrap_or(heading);
                let alt = alt(heading, &shown);
                if i == 0 {
                    let little = thumbnail(&bytes);
                    let source = data(little.as_deref().unwrap_or(&bytes));
                    small = format!("<img src=\"{source}\" alt=\"\">");
                }
                body.push_str(&format!(
                    "<figure><img src=\"{}\" alt=\"{alt}\"></figure>\n",
                    data(&bytes)
                ));
            }
            words(&shown, &mut body);
            let name = Tables::main(&experiment.task);
            let numbers = Table::read_parquet(&entry.home.join(format!("{name}.parquet")));
            let numbers = numbers.map_err(Failure::failed)?;
            let summary = format!("The numbers ({name}.csv)");
            body.push_str(&folded(&summary, &table(&numbers, name)));
        }
        (None, _) => {}
    }
    if let Some(experiment) = &entry.experiment {
        let mut text = experiment.source.file_text().trim_end().to_owned();
        for set in experiment.source.sets() {
            text.push_str(&format!("\n# --set {set}"));
        }
        let text = format!("<pre><code>{}</code></pre>", escape(&text));
        body.push_str(&folded("The experiment (TOML)", &text));
    }
    let contents = format!(
        "<li><a href=\"#{id}\"><span class=\"thumbnail\">{small}</span><span>{title}</span></a></li>\n"
    );
    let section = format!(
        "<section id=\"{id}\">\n<h2>{title}</h2>\n<p class=\"name\"><code>{name}</code></p>\n{body}</section>\n"
    );
    Ok((contents, section))
}

/// What the figure shows, in words.
fn alt(heading: &str, words: &ExperimentText) -> String {
    let mut text = heading.trim_end().to_owned();
    if !text.ends_with(['.', '!', '?', '…']) {
        text.push('.');
    }
    if let Some(look_for) = &words.look_for {
        text.push(' ');
        text.push_str(look_for);
    }
    escape(&text)
}

/// What to look for, and the question with its answer.
fn words(words: &ExperimentText, body: &mut String) {
    if let Some(look_for) = &words.look_for {
        let look_for = escape(look_for);
        body.push_str(&format!(
            "<p class=\"look-for\"><b>Look for:</b> {look_for}</p>\n"
        ));
    }
    if let Some(question) = &words.question {
        let question = escape(question);
        body.push_str(&format!(
            "<p class=\"question\"><b>Question:</b> {question}</p>\n"
        ));
    }
    if !words.choices.is_empty() {
        let choices = words.choices.iter();
        let items = choices.map(|choice| format!("<li>{}</li>\n", escape(choice)));
        body.push_str(&format!(
            "<ol type=\"A\">\n{}</ol>\n",
            items.collect::<String>()
        ));
    }
    if let Some(answer) = &words.answer {
        let answer = format!("<p>{}</p>", escape(answer));
        body.push_str(&folded("The answer", &answer));
    }
}

fn folded(summary: &str, inside: &str) -> String {
    format!("<details><summary>{summary}</summary>\n{inside}\n</details>\n")
}

/// The first rows of a table, its numbers in four digits. Columns without any value are left out.
fn table(table: &Table, file: &str) -> String {
    let mut columns: Vec<(&str, bool, Vec<String>)> = Vec::new();
    for name in table.names() {
        let texts = table.texts(name).iter().map(|word| escape(word));
        let wholes = table.wholes(name).iter().map(|count| count.to_string());
        let numbers = table.numbers(name).iter().map(|value| rounded(*value));
        let cells: Vec<String> = texts.chain(wholes).chain(numbers).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            columns.push((name, table.texts(name).is_empty(), cells));
        }
    }
    let mut text = String::from("<div class=\"wide\"><table>\n<thead><tr>");
    let class = |number: bool| if number { " class=\"n\"" } else { "" };
    for (name, number, _) in &columns {
        let (class, name) = (class(*number), escape(name));
        text.push_str(&format!("<th scope=\"col\"{class}>{name}</th>"));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for row in 0..table.rows().min(ROWS) {
        text.push_str("<tr>");
        for (_, number, cells) in &columns {
            let class = class(*number);
            let cell = cells.get(row).map_or("", String::as_str);
            text.push_str(&format!("<td{class}>{cell}</td>"));
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody></table></div>");
    if table.rows() > ROWS {
        text.push_str(&format!(
            "\n<p class=\"note\">The first {ROWS} of {} rows; {file}.csv has all of them.</p>",
            thousands(table.rows() as u64)
        ));
    }
    text
}

/// A number in four digits; nothing for a missing one.
fn rounded(value: f64) -> String {
    if value.is_nan() {
        return String::new();
    }
    let value = format!("{value:.3e}").parse().unwrap_or(value);
    number(value).replace('-', "−")
}

/// A picture as an address that holds it.
fn data(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

/// The same picture in small: every pixel the mean of a square. `None` if it is no picture.
pub fn thumbnail(png: &[u8]) -> Option<Vec<u8>> {
    let mut decoder = png::Decoder::new(Cursor::new(png));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    let channels = info.color_type.samples();
    let (wide, high) = (info.width as usize, info.height as usize);
    let step = (wide / THUMBNAIL).max(1);
    let (small_wide, small_high) = (wide / step, high / step);
    let mut small = Vec::with_capacity(small_wide * small_high * channels);
    for y in 0..small_high {
        for x in 0..small_wide {
            for channel in 0..channels {
                let square = (0..step * step).map(|i| {
                    let (row, column) = (y * step + i / step, x * step + i % step);
                    usize::from(pixels[row * info.line_size + column * channels + channel])
                });
                small.push((square.sum::<usize>() / (step * step)) as u8);
            }
        }
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, small_wide as u32, small_high as u32);
    encoder.set_color(info.color_type);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&small).ok()?;
    writer.finish().ok()?;
    Some(bytes)
}

/// A text as HTML shows it, also within quotes.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!(rounded(0.123_456), "0.1235");
        assert_eq!(rounded(-12_345.6), "−12350");
        assert_eq!(rounded(1.234_56e-9), "1.235e−9");
        assert_eq!(rounded(3.0), "3");
        assert_eq!(rounded(f64::NAN), "");
    }

    #[test]
    fn a_long_table_is_cut_and_says_so() {
        let values = |rows: usize| (0..rows).map(|row| row as f64).collect::<Vec<f64>>();
        let long = table(&Table::default().number("<a>", values(61)), "curves");
        assert_eq!(long.matches("<tr>").count(), 61);
        assert!(long.contains("The first 60 of 61 rows") && long.contains("&lt;a&gt;"));
        assert!(!table(&Table::default().number("a", values(60)), "curves").contains("The first"));
    }

    #[test]
    fn thumbnails_are_means_and_nonsense_has_none() {
        let mut bytes = Vec::new();
        let (wide, high) = (2 * THUMBNAIL, 4);
        let mut encoder = png::Encoder::new(&mut bytes, wide as u32, high);
        encoder.set_color(png::ColorType::Grayscale);
        let mut writer = encoder.write_header().unwrap();
        let pixels: Vec<u8> = (0..wide * 4).map(|i| (i % 2 * 100) as u8).collect();
        writer.write_image_data(&pixels).unwrap();
        writer.finish().unwrap();
        let small = thumbnail(&bytes).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(small)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (THUMBNAIL as u32, 2));
        assert!(pixels.iter().all(|pixel| *pixel == 50));
        assert_eq!(thumbnail(b"no picture"), None);
    }
}
