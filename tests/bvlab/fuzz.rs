//! Text that nobody would write: the readers answer with a sentence, never with a panic, and soon.
//!
//! `BVLAB_FUZZ_CASES=1000000 cargo test --release fuzz` runs longer than the default.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bvlab::experiment::shipped;
use bvlab::experiment::{Experiment, Source};
use bvlab::problem::{Expression, LONGEST};
use bvlab::stream::Stream;
use rand::RngExt;

use crate::setup::{Place, algorithm};

pub fn cases(default: u64) -> u64 {
    let cases = std::env::var("BVLAB_FUZZ_CASES").ok();
    cases.map_or(default, |cases| cases.parse().unwrap())
}

/// Runs every case on all cores; how many of them say yes.
pub fn in_parallel(default: u64, case: impl Fn(u64) -> bool + Sync) -> u64 {
    let (next, yes, total) = (AtomicU64::new(0), AtomicU64::new(0), cases(default));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= total {
                return;
            }
            if case(number) {
                yes.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        (0..threads).for_each(|_| {
            scope.spawn(work);
        });
    });
    yes.into_inner()
}

fn pick<'a, T: ?Sized>(random: &mut Stream, from: &[&'a T]) -> &'a T {
    from[random.random_range(0..from.len())]
}

/// Numbers and words that are wrong in most places, and now and then right.
const PIECES: [&str; 44] = [
    "0",
    "-1",
    "1",
    "2.5",
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "-inf",
    "99999999999999999999",
    "9007199254740993",
    "\"\"",
    "\"x\"",
    "\"1..5\"",
    "\"5..1\"",
    "\"1..1e9\"",
    "\"é\u{301}∞\"",
    "true",
    "[]",
    "[1]",
    "[1, 1]",
    "[[0, 1], [2, 3]]",
    "{}",
    "{ x = 1 }",
    "{ from = 1, to = 9, count = 3 }",
    "{ from = 0, to = 1, count = 5, scale = \"log\" }",
    "{ tree = {} }",
    "{ knn = { k = 1 } }",
    "{ grid = 3 }",
    "{ draw = 7 }",
    "\"inputs\"",
    "{ normal = 0 }",
    "{ student-t = 1, degrees = 3 }",
    "{ uniform = [0, 1], dimension = 3 }",
    "{ grid = [0, 1], fixed = true }",
    "{ linear = 1 }",
    "{ points = [[0, 1], [5, 3]] }",
    "1979-05-27",
    "0x10",
    "'''\n'''",
    "\"sin(x)\"",
    "\"1/x\"",
    "[[]]",
];

/// Changes a text a little: at the level of lines, of values, or of characters.
fn mutated(random: &mut Stream, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..random.random_range(1..5) {
        if lines.is_empty() {
            break;
        }
        let at = random.random_range(0..lines.len());
        let other = random.random_range(0..lines.len());
        match random.random_range(0..9) {
            0 => {
                lines.remove(at);
            }
            1 => lines.insert(at, lines[other].clone()),
            2 => lines.swap(at, other),
            3 | 4 => {
                if let Some((key, _)) = lines[at].split_once('=') {
                    lines[at] = format!("{key}= {}", pick(random, &PIECES));
                }
            }
            5 => {
                // Any number in the line.
                let digits: Vec<usize> = lines[at]
                    .char_indices()
                    .filter(|(_, c)| c.is_ascii_digit())
                    .map(|(i, _)| i)
                    .collect();
                if !digits.is_empty() {
                    let digit = digits[random.random_range(0..digits.len())];
                    lines[at].replace_range(digit..=digit, pick(random, &PIECES));
                }
            }
            6 => {
                let characters: Vec<char> = lines[at].chars().collect();
                if !characters.is_empty() {
                    let cut = random.random_range(0..characters.len());
                    lines[at] = characters[..cut].iter().collect();
                }
            }
            7 => {
                let mut characters: Vec<char> = lines[at].chars().collect();
                let place = random.random_range(0..=characters.len());
                let odd = [
                    '"', '\'', '[', ']', '{', '}', '=', '.', '#', ',', '\\', '\0', '\u{feff}', '∞',
                    '-', '\u{1b}', '\u{202e}',
                ];
                characters.insert(place, odd[random.random_range(0..odd.len())]);
                lines[at] = characters.into_iter().collect();
            }
            _ => lines.truncate(at),
        }
    }
    lines.join("\n")
}

/// The experiments that ship.
fn texts() -> Vec<String> {
    let names = shipped::names();
    let texts = names.iter().filter_map(|name| shipped::text(name));
    texts.collect()
}

/// Reading takes a moment, whatever is read.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn experiments_that_are_damaged_in_any_way_are_read_or_refused() {
    let texts = texts();
    let total = cases(20_000);
    let read = in_parallel(20_000, |case| read_or_refused(case, &texts));
    let refused = total - read;
    assert!(
        read > total / 20 && refused > total / 20,
        "{read} read, {refused} refused"
    );
}

/// Damages an experiment; whether it is still a good one.
fn read_or_refused(case: u64, texts: &[String]) -> bool {
    let mut random = algorithm(1_000_000 + case);
    let text = &texts[random.random_range(0..texts.len())];
    let text = mutated(&mut random, text);
    let mut sets = Vec::new();
    if random.random_bool(0.3) {
        let key = pick(
            &mut random,
            &[
                "run.seed",
                "learner.0.tree.depth",
                "figure.0",
                "problem",
                "",
                "a.b.c.9",
                "sweep.k",
                "run.test.grid",
            ],
        );
        sets.push(format!("{key}={}", pick(&mut random, &PIECES)));
    }
    let started = Instant::now();
    let source = Source::new("fuzz.toml", &text, &sets);
    let good = match Experiment::read("fuzz", source.clone()) {
        Ok(experiment) => {
            let slabs = experiment.plan().map_or(0, |plan| plan.slabs().count());
            assert!(slabs > 0 || experiment.task.simulation().is_some());
            // What is good stays the same when it is read again.
            let again =
                Experiment::read("fuzz", Source::new("", source.file_text(), &source.sets()));
            let again = again.unwrap_or_else(|error| panic!("{error:?}:\n{text}"));
            assert_eq!(experiment.source.run_hash(), again.source.run_hash());
            true
        }
        // What is said must be printable, wherever it points.
        Err(error) => {
            assert!(!error.message().is_empty(), "{text}");
            // With changes from outside, the text that it points into is another.
            let token = error.token().to_owned();
            assert!(
                !sets.is_empty() || text.contains(&token),
                "{token:?} in\n{text}"
            );
            let told = format!("{:?}", miette::Report::new(*error));
            assert!(told.contains("fuzz.toml") || !sets.is_empty(), "{told}");
            let steers = |c: char| c.is_control() && c != '\n' && c != '\u{1b}';
            assert!(!told.contains(steers), "{told:?}");
            false
        }
    };
    assert!(
        started.elapsed() < SOON,
        "case {case} took {:?}:\n{text}\n{sets:?}",
        started.elapsed()
    );
    good
}

/// The same through the real program, which ends with 0 or 2, and names every file.
#[test]
fn the_program_survives_damaged_experiments() {
    let texts = texts();
    let place = Place::new();
    let mut arguments = vec!["check".to_owned()];
    for case in 0..300 {
        let mut random = algorithm(2_000_000 + case);
        let text = &texts[random.random_range(0..texts.len())];
        place.write(&format!("{case}.toml"), &mutated(&mut random, text));
        arguments.push(format!("{case}.toml"));
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (code, out, err) = place.run(&arguments);
    assert_eq!(code, 2, "{err}");
    assert!(!err.contains("panicked"), "{err}");
    for case in 0..300 {
        let file = format!("{case}.toml");
        let good = out
            .lines()
            .any(|line| line.starts_with(&format!("{file}: ok")));
        assert!(good || err.contains(&format!("[{file}:")), "{file}: {err}");
    }
}

/// A random expression of the grammar.
fn grown(random: &mut Stream, depth: u32) -> String {
    let one = [
        "sin", "cos", "exp", "ln", "sqrt", "abs", "floor", "sign", "tanh", "atan",
    ];
    let two = ["min", "max", "atan2"];
    let signs = [" + ", " - ", "*", "/", "^", " < ", " >= "];
    match random.random_range(0..if depth == 0 { 3 } else { 9 }) {
        0 => "x".to_owned(),
        1 => format!("{}", f64::from(random.random_range(0..2000)) / 16.0),
        2 => pick(random, &["pi", "e", "tau", "1e3", ".5", "2."]).to_owned(),
        3 => format!("-{}", grown(random, depth - 1)),
        4 => format!("({})", grown(random, depth - 1)),
        5 => format!("{}({})", pick(random, &one), grown(random, depth - 1)),
        6 => format!(
            "{}({}, {})",
            pick(random, &two),
            grown(random, depth - 1),
            grown(random, depth - 1)
        ),
        _ => {
            let sign = pick(random, &signs);
            let side = |random: &mut Stream| format!("({})", grown(random, depth - 1));
            format!("{}{sign}{}", side(random), side(random))
        }
    }
}

fn bits(expression: &Expression) -> Vec<u64> {
    let at = |x: f64| expression.at(&[x]).to_bits();
    [-3.5, -1.0, 0.0, 0.25, 1.0, 7.0, 1e300].map(at).to_vec()
}

#[test]
fn expressions_of_the_grammar_are_read_and_brackets_and_spaces_do_not_matter() {
    let mut random = algorithm(22);
    for _ in 0..cases(4000) {
        let text = grown(&mut random, 4);
        let Ok(expression) = Expression::parse(&text, 1) else {
            // A number such as `2.` may be none; what is too long is refused.
            assert!(
                text.len() > LONGEST || text.contains("2.") || text.contains(".5"),
                "{text}"
            );
            continue;
        };
        let values = bits(&expression);
        for same in [
            format!("({text})"),
            format!("  {text}\t"),
            text.replace("(", "( ").replace(")", " )"),
        ] {
            if same.len() <= LONGEST {
                let same =
                    Expression::parse(&same, 1).unwrap_or_else(|e| panic!("{}: {same}", e.message));
                assert_eq!(bits(&same), values, "{text}");
            }
        }
    }
}

#[test]
fn any_text_is_an_expression_or_a_complaint_about_a_part_of_it() {
    let mut random = algorithm(23);
    let pieces = [
        "x", "x1", "x2", "1", "1e", "e", "pi", "(", ")", "((", "+", "-", "*", "/", "^", "<", "<=",
        "==", ",", ".", "..", "sin", "sin(", "max(", "log", " ", "é", "∞", "\n", "\0", "--", "2x",
        "1e999", "x^", "&&",
    ];
    let mut good = 0;
    for _ in 0..cases(20_000) {
        let count = random.random_range(0..12);
        let text: String = (0..count).map(|_| pick(&mut random, &pieces)).collect();
        let text = text.repeat(if random.random_bool(0.02) { 100 } else { 1 });
        match Expression::parse(&text, 2) {
            Ok(expression) => {
                good += 1;
                let _ = expression.at(&[0.5, -2.0]);
            }
            Err(error) => {
                assert!(!error.message.is_empty());
                let inside = text.get(error.span.clone()).is_some();
                assert!(inside, "{:?} of {text:?}", error.span);
            }
        }
    }
    assert!(good > 100, "{good}");
}

/// What a key set to a value makes of a table; `None` where it cannot be set.
fn set_in(place: &mut toml::Value, keys: &[&str], value: &toml::Value) -> Option<()> {
    let Some((key, rest)) = keys.split_first() else {
        *place = value.clone();
        return Some(());
    };
    let inner = match place {
        toml::Value::Table(table) => {
            let missing = || toml::Value::Table(toml::Table::new());
            table.entry(*key).or_insert_with(missing)
        }
        toml::Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?)?,
        _ => return None,
    };
    set_in(inner, rest, value)
}

#[test]
fn keys_that_are_set_on_top_end_where_they_lead() {
    let text =
        "a = 1\nb = [1, [2, 3], { c = 4 }]\n[c]\na = { b = {} }\n[[d]]\na = 1\n[[d]]\nb = 2\n";
    let keys = ["a", "b", "c", "d", "0", "1", "2", "7", "-1", "e-f_9"];
    let values = [
        "1",
        "-2.5",
        "true",
        "[]",
        "[1, [2]]",
        "{}",
        "{ a.b = 1, c = [] }",
        "'x'",
        "words",
        "2 words",
        "[1",
        "",
    ];
    let mut random = algorithm(24);
    let [mut set, mut refused] = [0_u64; 2];
    let total = cases(20_000);
    for _ in 0..total {
        let mut wanted = Some(toml::Value::Table(text.parse().unwrap()));
        let mut sets = Vec::new();
        for _ in 0..random.random_range(1..6) {
            let levels = match random.random_range(0..10) {
                0 => random.random_range(14..20),
                _ => random.random_range(1..5),
            };
            let path: Vec<&str> = (0..levels).map(|_| pick(&mut random, &keys)).collect();
            let given = pick(&mut random, &values);
            let parsed = format!("v = {given}").parse::<toml::Table>();
            let value = match parsed {
                Ok(mut table) => table.remove("v").unwrap(),
                Err(_) => toml::Value::String(given.to_owned()),
            };
            let space = pick(&mut random, &["", "", " "]);
            let joined = path.join(pick(&mut random, &[".", ".", " . "]));
            sets.push(format!("{space}{joined}{space}={space}{given}{space}"));
            wanted = wanted.and_then(|mut all| {
                let allowed = levels <= 16;
                (allowed && set_in(&mut all, &path, &value).is_some()).then_some(all)
            });
        }
        let found = Source::new("", text, &sets).merged().cloned();
        assert_eq!(found.map(toml::Value::Table), wanted, "{sets:?}");
        match wanted.is_some() {
            true => set += 1,
            false => refused += 1,
        }
    }
    assert!(set > total / 10 && refused > total / 10, "{set}, {refused}");
}

#[test]
fn any_text_is_a_key_and_a_value_or_a_complaint() {
    let mut random = algorithm(25);
    let pieces = [
        "a", "problem", "train", ".", "..", "=", "==", " ", "0", "9", "[", "]", "{", "}", "\"",
        "'", "#", ",", "\n", "\r", "\0", "\\", "é", "\u{feff}", "{ a = ", "[[", "a.", "1e9", "nan",
    ];
    for _ in 0..cases(20_000) {
        let count = random.random_range(0..14);
        let set: String = (0..count).map(|_| pick(&mut random, &pieces)).collect();
        let set = set.repeat(match random.random_range(0..50) {
            0 => 1000,
            1 => 20,
            _ => 1,
        });
        let source = Source::new("", "[problem]\ntrain = 5\n", std::slice::from_ref(&set));
        if let Err(error) = Experiment::read("fuzz", source) {
            assert!(!error.message().is_empty());
            let told = format!("{:?}", miette::Report::new(*error));
            assert!(
                told.len() < 10_000,
                "{} for {} bytes",
                told.len(),
                set.len()
            );
        }
    }
}
