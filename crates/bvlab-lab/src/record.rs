//! The page in one file: a finished run, and the module that computes others.
//!
//! Browsers load no modules from a file, so they are joined into one script: without their imports
//! and without the word `export`, each after those that it imports. That works because the page's
//! modules keep to whole lines of `import { a, b } from "./x.js";` and never use a name twice; a
//! bundler would be a second tool chain for the sake of twenty lines.

use std::collections::HashSet;
use std::sync::Mutex;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::lessons::{Lessons, welcome};
use super::limits::Limits;
use super::partial::PartialTables;
use super::scene::Scene;
use super::sequence::steps;
use super::{assets, messages};
use bvlab_core::decompose::Decomposition;
use bvlab_core::engine::{Observer, Results};
use bvlab_core::plan::Plan;
use bvlab_core::simulation::Row;
use bvlab_core::task::Outcome;
use bvlab_experiment::Experiment;
use bvlab_figure as figure;
use bvlab_outcome::{Statements, Tables, report};

/// The most bytes of training sets and fits in a recording.
const MOST_DRAWN: usize = 550_000;

/// The most bytes of a page. The last of the training sets are left out if that makes it so small.
const MOST_PAGE: usize = 3_000_000;

/// Watches a run for its page, and passes everything on.
pub struct Recorder<'a> {
    observer: &'a dyn Observer,
    /// What the page is about; nothing where it shows figures alone.
    plan: Option<Plan>,
    frames: Mutex<Vec<Value>>,
    /// Of a simulation: its tables on the way.
    partial: Mutex<PartialTables>,
    simulated: bool,
}

impl<'a> Recorder<'a> {
    /// Stands before another observer of an experiment's run.
    pub fn new(experiment: &Experiment, observer: &'a dyn Observer) -> Self {
        Recorder {
            observer,
            plan: match messages::pictured(experiment) {
                None => experiment.plan().cloned(),
                Some(_) => None,
            },
            frames: Mutex::default(),
            partial: Mutex::default(),
            simulated: experiment.plan().is_none(),
        }
    }

    /// The page of the finished run, whose tables are what figures are drawn from.
    pub fn page(
        &self,
        experiment: &Experiment,
        found: (&Outcome, &Statements),
        tables: &Tables,
        seconds: f64,
    ) -> String {
        let mut recorded = self.recording(experiment, found, tables, seconds);
        let lessons = Lessons::only(experiment);
        let mut told = welcome(&lessons, &experiment.name, true, &Limits::BROWSER);
        match assets::module() {
            Some(_) => recorded["lessons"] = json!(lessons.handed_out()),
            // There is nothing to control.
            None => told["families"] = json!([]),
        }
        recorded["lab"] = told;
        let page = inlined(&recorded);
        match page.len().checked_sub(MOST_PAGE) {
            None | Some(0) => page,
            Some(excess) => {
                leave_out(&mut recorded, excess);
                inlined(&recorded)
            }
        }
    }

    /// Of a simulation: its figures on the way, by the number of resamples; as many as there is room for
    /// in a file.
    fn partial_figures(&self, experiment: &Experiment) -> Vec<(u64, Vec<Option<String>>)> {
        let Ok(partial) = self.partial.lock() else {
            return Vec::new();
        };
        let drawn =
            |count: u64| Some((count, figures_after(experiment, &partial.outcome(count)?)?));
        let size = |figures: &[Option<String>]| figures.iter().flatten().map(String::len).sum();
        let counts: Vec<u64> = partial.counts().collect();
        let Some(last) = counts.last().and_then(|count| drawn(*count)) else {
            return Vec::new();
        };
        let each: usize = size(&last.1);
        let room = MOST_DRAWN / each.max(1);
        // Spread over all of them, the last included.
        let apart = counts.len().div_ceil(room.max(1)).max(1);
        let wanted = counts.iter().rev().step_by(apart).take(room);
        let mut wanted: Vec<u64> = wanted.copied().collect();
        wanted.reverse();
        wanted.into_iter().filter_map(drawn).collect()
    }

    /// The finished run as a page shows it at once.
    pub fn recording(
        &self,
        experiment: &Experiment,
        (outcome, statements): (&Outcome, &Statements),
        tables: &Tables,
        seconds: f64,
    ) -> Value {
        let heading = statements.heading(&experiment.name);
        let mut said = vec![messages::head(experiment)];
        let curves = Tables::main_table(&experiment.task, outcome);
        let mut figures = Vec::new();
        let mut partial = Vec::new();
        if self.plan.is_none() {
            let description = experiment.task.describe();
            // One that cannot be drawn is missing here as it is beside the page.
            let drawn = statements
                .figures
                .iter()
                .map(|one| figure::draw(heading, &description, one, tables));
            figures.extend(drawn.map(|drawn| drawn.map(|drawn| drawn.to_svg()).ok()));
            partial = self.partial_figures(experiment);
            let counts = partial.iter().map(|(count, _)| messages::partial(*count));
            said.extend(counts);
        } else if let (Some(plan), Outcome::Study(results)) = (experiment.plan(), outcome) {
            let draws = draws(experiment, plan, results);
            said[0]["keep"] = json!(draws.len());
            said.extend(draws);
            said.extend(steps(experiment, outcome));
            let frames = self.frames.lock();
            said.extend(
                frames
                    .unwrap_or_else(|poison| poison.into_inner())
                    .iter()
                    .cloned(),
            );
            said.push(messages::best(plan, results));
            said.extend(messages::theory(experiment, &curves));
            said.extend(messages::solving(experiment, &curves));
            said.extend(messages::points(experiment, results));
        }
        let report = report(heading, &experiment.task, outcome, seconds);
        if experiment.speaks() {
            said.push(messages::words(statements));
        }
        said.push(messages::end(outcome.counts().0, seconds, &report));
        let csv = curves.to_csv().ok();
        let csv = csv.and_then(|csv| String::from_utf8(csv).ok());
        json!({
            "scene": { "lesson": experiment.name, "set": [] },
            "messages": said,
            "figures": figures,
            "partial": partial,
            "csv": csv,
            "toml": experiment.source.merged_text().unwrap_or_default(),
        })
    }
}

/// The figures of a simulation after so many resamples, as the page asks for them; `None` for one that
/// cannot be drawn.
fn figures_after(experiment: &Experiment, outcome: &Outcome) -> Option<Vec<Option<String>>> {
    let (count, _) = outcome.counts();
    let scene = Scene {
        lesson: Some(experiment.name.clone()),
        set: vec![format!("run.resamples={count}")],
        ..Scene::default()
    };
    let lessons = Lessons::only(experiment);
    let shorter = scene.read(&lessons, &Limits::LECTURER).ok()?;
    let statements = Statements::of(&shorter, outcome, &[]);
    let heading = statements.heading(&shorter.name);
    let tables = Tables::of(&shorter.task, outcome);
    let description = shorter.task.describe();
    let drawn = statements.figures.iter().map(|one| {
        let drawn = figure::draw(heading, &description, one, &tables).ok();
        drawn.map(|drawn| drawn.to_svg())
    });
    Some(drawn.collect())
}

/// The first training sets with their fits, as many as there is room for in a file.
fn draws(experiment: &Experiment, plan: &Plan, results: &Results) -> Vec<Value> {
    let sent = messages::sent(experiment) as u64;
    let kept = results.kept.iter().filter(|kept| kept.resample < sent);
    let mut room = MOST_DRAWN;
    let all = kept.map(|kept| messages::draw(plan, kept));
    let fitting = all.take_while(|draw| {
        let size = draw.to_string().len();
        let fits = size <= room;
        room = room.saturating_sub(size);
        fits
    });
    fitting.collect()
}

/// Leaves out the last of a recording's training sets, and with them at least so many bytes if it has
/// them. One always stays.
fn leave_out(recorded: &mut Value, bytes: usize) {
    let Some(messages) = recorded["messages"].as_array_mut() else {
        return;
    };
    let mut kept = messages[0]["keep"].as_u64().unwrap_or(0) as usize;
    let mut left_out = 0;
    // They follow the first message.
    while kept > 1 && left_out < bytes {
        left_out += messages.remove(kept).to_string().len();
        kept -= 1;
    }
    messages[0]["keep"] = json!(kept);
}

impl Observer for Recorder<'_> {
    fn next(&self) -> Option<&dyn Observer> {
        Some(self.observer)
    }

    fn watches(&self) -> bool {
        self.plan.is_some() || self.simulated
    }

    fn table(&self, count: u64, rows: &[Row]) {
        if let Ok(mut partial) = self.partial.lock() {
            partial.keep(count, rows);
        }
        self.observer.table(count, rows);
    }

    fn frame(&self, count: u64, learners: &[Decomposition]) {
        if let (Some(plan), Ok(mut frames)) = (&self.plan, self.frames.lock()) {
            frames.push(messages::frame(count, plan, learners, true));
        }
        self.observer.frame(count, learners);
    }
}

/// A text as HTML shows it, also within quotes.
pub(crate) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON as it can stand in a script: there a `<` is in strings alone, where it may be written so, and
/// no tag can end the script.
fn in_script(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// The page with everything in it.
fn inlined(recorded: &Value) -> String {
    let [look, style] =
        ["look.css", "style.css"].map(|name| assets::text(name).unwrap_or_default());
    let fonts = fonts_inside(&assets::text("fonts.css").unwrap_or_default());
    let script = joined("main.js", &mut HashSet::new());
    let recorded = in_script(recorded);
    let module = assets::module().map(|module| {
        let worker = assets::text("worker.js").unwrap_or_default();
        let module = STANDARD.encode(module);
        format!(
            "<script type=\"text/plain\" id=\"module\">{module}</script>\n<script type=\"text/plain\" id=\"worker\">\n{worker}</script>\n"
        )
    });
    let module = module.unwrap_or_default();
    let page = assets::text("index.html").unwrap_or_default();
    let lines = page.lines().map(|line| match line.trim() {
        line if line.contains("href=\"fonts.css\"") => format!("<style>\n{fonts}</style>"),
        line if line.contains("href=\"look.css\"") => format!("<style>\n{look}</style>"),
        line if line.contains("href=\"style.css\"") => format!("<style>\n{style}</style>"),
        line if line.contains("src=\"main.js\"") => format!(
            "<script type=\"application/json\" id=\"recorded\">{recorded}</script>\n<script type=\"module\">\n{script}</script>"
        ),
        // Last, so that the rest does not wait for it.
        "</body>" => format!("{module}</body>"),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// The style sheet of the fonts with the fonts in it.
fn fonts_inside(sheet: &str) -> String {
    let mut pieces = sheet.split("url(\"");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once('"').unwrap_or((piece, ""));
        let font = assets::get(name).map(|(bytes, _)| STANDARD.encode(bytes));
        let font = font.unwrap_or_default();
        text.push_str(&format!("url(\"data:font/otf;base64,{font}\"{rest}"));
    }
    text
}

/// Whether a line is nothing but a comment. `inside` is whether it is within one of several lines, and
/// afterwards whether the next is.
fn is_comment(line: &str, inside: &mut bool) -> bool {
    let line = line.trim();
    if *inside {
        *inside = !line.ends_with("*/");
        return true;
    }
    if line.starts_with("/**") {
        // A cast has code after its comment.
        *inside = !line.contains("*/");
        return *inside || line.ends_with("*/");
    }
    line.starts_with("//")
}

/// A module after all that it imports, without those that came before, and without its comments: the
/// file is large enough.
fn joined(name: &str, known: &mut HashSet<String>) -> String {
    if !known.insert(name.to_owned()) {
        return String::new();
    }
    let text = assets::text(name).unwrap_or_default();
    let (mut before, mut own) = (String::new(), String::new());
    let mut inside = false;
    for line in text.lines() {
        if is_comment(line, &mut inside) {
            continue;
        }
        let imported = line
            .strip_prefix("import ")
            .and_then(|rest| rest.split_once("from \"./"))
            .and_then(|(_, file)| file.strip_suffix("\";"));
        match imported {
            Some(file) => before.push_str(&joined(file, known)),
            None => {
                own.push_str(line.strip_prefix("export ").unwrap_or(line));
                own.push('\n');
            }
        }
    }
    before + &own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_in_one_file_has_its_fonts() {
        let sheet = fonts_inside(&assets::text("fonts.css").unwrap());
        assert_eq!(
            sheet.matches("url(\"data:font/otf;base64,T1RUTw").count(),
            2
        );
        assert!(!sheet.contains("Inter-"), "{}", &sheet[..200]);
        assert_eq!(sheet.matches("font-display").count(), 2);
    }

    #[test]
    fn a_page_that_is_too_large_has_fewer_training_sets() {
        let set = json!({ "is": "data", "inputs": "x".repeat(1000) });
        let mut recorded = json!({
            "messages": [{ "is": "run", "keep": 3 }, set, set, set, { "is": "best" }],
        });
        leave_out(&mut recorded, 1);
        assert_eq!(recorded["messages"].as_array().map(Vec::len), Some(4));
        assert_eq!(recorded["messages"][0]["keep"], 2);
        leave_out(&mut recorded, 1_000_000);
        assert_eq!(recorded["messages"].as_array().map(Vec::len), Some(3));
        assert_eq!(recorded["messages"][2]["is"], "best");
    }

    #[test]
    fn comments_are_left_out_and_code_stays() {
        let text =
            "// a\n/** b */\nlet c = 1;\n/**\n * d\n */\n  /** @type {e} */ (f)();\ng(\"//\");";
        let mut inside = false;
        let left = text.lines().filter(|line| !is_comment(line, &mut inside));
        assert_eq!(
            left.collect::<Vec<_>>(),
            ["let c = 1;", "  /** @type {e} */ (f)();", "g(\"//\");"]
        );
        assert!(!joined("main.js", &mut HashSet::new()).contains("\n//"));
    }

    #[test]
    fn no_two_modules_use_a_name() {
        let script = joined("main.js", &mut HashSet::new());
        let mut names = HashSet::new();
        for line in script.lines() {
            let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let declared = match words.next() {
                Some("async") => words.nth(1),
                Some("function" | "const" | "let" | "class") => words.next(),
                _ => None,
            };
            if let Some(name) = declared.filter(|name| !name.is_empty()) {
                assert!(names.insert(name.to_owned()), "`{name}` is declared twice");
            }
        }
        assert!(
            names.contains("LEARNER_COLOURS") && names.len() > 200,
            "{}",
            names.len()
        );
    }
}
