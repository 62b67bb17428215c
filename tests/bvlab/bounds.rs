//! Text that is too deep, too long or too much is refused with a sentence, and soon: never by a stack
//! that overflows.

use std::time::{Duration, Instant};

use bvlab::experiment::{Experiment, ExperimentError, Source};
use bvlab::problem::{Expression, LONGEST};

use crate::setup::{PROGRAM, Place};

const SMALL: &str = r#"
problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 30 }
sweep   = { depth = "1..4" }
learner = [{ tree = {} }]
run     = { resamples = 10, test = { grid = 20 } }
"#;

/// Does something on a stack of so many bytes; one that overflows would end the whole program.
fn on_a_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes);
        thread.spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

/// A hang guard, no measurement.
const SOON: Duration = Duration::from_secs(60);

/// The stack of the threads that read what clients send.
const OF_A_SERVER: usize = 2 << 20;

/// How a text with keys set on top of it is refused.
fn refused(stack: usize, text: &str, sets: &[String]) -> Box<ExperimentError> {
    let started = Instant::now();
    let error = on_a_stack(stack, || {
        let source = Source::new("bad.toml", text, sets);
        // All that looks at a text on its way, hashes included.
        let _ = (source.run_hash(), source.merged_text());
        match Experiment::read("bad", source) {
            Ok(_) => panic!("it was accepted"),
            Err(error) => error,
        }
    });
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    error
}

#[test]
fn keys_that_are_set_are_neither_deep_nor_long_nor_many() {
    let deep = |levels: usize| format!("a{}=1", ".a".repeat(levels - 1));
    let nested = |open: &str, close: &str, levels: usize| {
        format!("a={}1{}", open.repeat(levels), close.repeat(levels))
    };
    // As many dots as a value's key may have in TOML, in as many tables as may be in each other.
    let dotted = format!("a{} = {{ ", ".a".repeat(78)).repeat(78);
    let dotted = format!("b={{ {dotted}{}", "}".repeat(79));
    let cases = [
        (deep(17), "at most 16 levels deep, not 17"),
        (deep(500), "at most 16 levels deep, not 500"),
        (deep(4000), "at most 1000 bytes, not 7999"),
        (deep(50_000), "at most 1000 bytes, not 99\u{a0}999"),
        (format!("{}=1", "a".repeat(250_000)), "at most 1000 bytes"),
        ("a".repeat(250_000), "at most 1000 bytes"),
        (
            format!("title={}", "a".repeat(70_000)),
            "at most 65\u{a0}536 bytes",
        ),
        (nested("[", "]", 17), "more than 16 levels"),
        (nested("[", "]", 60), "more than 16 levels"),
        (nested("{ a = ", "}", 60), "more than 16 levels"),
        (dotted, "more than 16 levels"),
        // Deeper still, these are no TOML, and then words.
        (nested("[", "]", 30_000), "`a` is not known here"),
        (nested("{ a = ", "}", 8_000), "`a` is not known here"),
    ];
    for (set, words) in cases {
        let error = refused(256 << 10, SMALL, &[set]);
        let message = error.message();
        assert!(message.contains(words) && message.len() < 300, "{message}");
        assert!(error.help().is_some_and(|help| help.len() < 300));
        // The line that is shown is cut.
        let told = format!("{:?}", miette::Report::new(*error));
        assert!(told.len() < 3000, "{told}");
    }
    let many = vec!["run.seed=1".to_owned(); 101];
    let error = refused(256 << 10, SMALL, &many);
    assert!(error.message().contains("at most 100 keys"), "{error}");
}

#[test]
fn keys_within_the_bounds_are_set() {
    let read = |sets: &[String]| {
        let source = Source::new("", SMALL, sets);
        source.merged().cloned()
    };
    let deep = format!("a{}=1", ".a".repeat(15));
    let mut place = toml::Value::Table(read(&[deep]).unwrap());
    for _ in 0..16 {
        place = place.get("a").unwrap().clone();
    }
    assert_eq!(place, toml::Value::Integer(1));
    let nested = format!("a={}{}", "[".repeat(16), "]".repeat(16));
    assert!(read(&[nested]).is_some());
    let figures = |count: usize| SMALL.to_owned() + &"[[figure]]\ntradeoff = {}\n".repeat(count);
    assert!(Experiment::read("", Source::new("", &figures(100), &[])).is_ok());
    let error = refused(OF_A_SERVER, &figures(101), &[]);
    assert!(error.message().contains("at most 100 figures"), "{error}");
    let many = vec!["run.seed=7".to_owned(); 100];
    assert_eq!(read(&many).unwrap()["run"]["seed"].as_integer(), Some(7));
}

#[test]
fn toml_is_not_deep() {
    let nested = |open: &str, close: &str, levels: usize| {
        format!("a = {}1{}", open.repeat(levels), close.repeat(levels))
    };
    let keys = |levels: usize| format!("a{}", ".a".repeat(levels - 1));
    // The parser bounds the keys of one line and the brackets of one value, not their product.
    let product = format!("{} = {{ ", keys(79)).repeat(78) + "a = 1" + &" }".repeat(78);
    let cases = [
        nested("[", "]", 17),
        nested("[", "]", 100_000),
        nested("{ a = ", " }", 17),
        nested("{ a = ", " }", 30_000),
        nested("[{ a = ", " }]", 30_000),
        format!("{} = 1", keys(18)),
        format!("{} = 1", keys(100_000)),
        format!("[{}]\nx = 1", keys(18)),
        format!("[{}]\nx = 1", keys(100_000)),
        format!("[[{}]]\nx = 1", keys(100_000)),
        format!("[[{}]]\nx = 1", keys(79)),
        product.clone(),
        format!("[{}]\n{product}", keys(79)),
        // Not TOML after all: what was read until then is dropped by the parser.
        format!("{product}\n="),
        format!("[{}]\n{product}\n[x", keys(79)),
    ];
    for text in cases {
        for text in [text.clone(), format!("{SMALL}\n[more]\n{text}")] {
            let error = refused(OF_A_SERVER, &text, &[]);
            let known = error.message().contains("16 levels")
                || error.help() == Some("this is not valid TOML");
            assert!(known, "{error}");
        }
    }
}

#[test]
fn texts_of_any_kind_are_read_or_refused_soon() {
    let many = |line: &dyn Fn(usize) -> String, count: usize| -> String {
        (0..count).map(|i| line(i) + "\n").collect()
    };
    let list = |item: &str, count: usize| vec![item; count].join(", ");
    // About as long as a text can be, or as a request can be.
    let cases = [
        ("keys", many(&|i| format!("k{i} = 1"), 90_000)),
        ("tables", many(&|i| format!("[t{i}]"), 90_000)),
        (
            "learners",
            SMALL.replace("tree = {}", "tree = {} }, { tree = {} ") + &"\n".repeat(9),
        ),
        (
            "many learners",
            SMALL.replace(
                "[{ tree = {} }]",
                &format!("[{}]", list("{ tree = {} }", 60_000)),
            ),
        ),
        (
            "named learners",
            SMALL.replace(
                "[{ tree = {} }]",
                &format!(
                    "[{}]",
                    (0..20_000)
                        .map(|i| format!("{{ name = \"n{i}\", tree = {{}} }}"))
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            ),
        ),
        (
            "sweeps",
            SMALL.replace(
                "depth = \"1..4\"",
                &(0..50_000)
                    .map(|i| format!("d{i} = [1]"))
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
        ),
        (
            "values",
            SMALL.replace("\"1..4\"", &format!("[{}]", list("1", 200_000))),
        ),
        (
            "numbers",
            SMALL.replace(
                "tree = {}",
                &format!(
                    "tree = {{ {} }}",
                    (0..50_000)
                        .map(|i| format!("d{i} = 1"))
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            ),
        ),
        (
            "figures",
            SMALL.to_owned() + &many(&|_| "[[figure]]\ntradeoff = {}".to_owned(), 30_000),
        ),
        (
            "kinds of figures",
            SMALL.to_owned() + "[[figure]]\n" + &many(&|i| format!("kind{i} = {{}}"), 60_000),
        ),
        (
            "classes",
            format!(
                "[problem]\nclasses = {{ gaussians = [{}] }}\ntrain = 10\n",
                list("{ mean = [0, 1] }", 50_000)
            ),
        ),
        (
            "probabilities",
            format!(
                "[problem]\nclasses = {{ probabilities = [{}] }}\ntrain = 10\n",
                list("\"x\"", 150_000)
            ),
        ),
        (
            "points",
            format!(
                "[problem]\ntruth = {{ points = [{}] }}\n",
                list("[0, 1]", 100_000)
            ),
        ),
        (
            "with",
            format!(
                "simulation = \"majority-vote\"\nwith = {{ {} }}",
                (0..60_000)
                    .map(|i| format!("d{i} = 1"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        ),
        (
            "sizes",
            format!(
                "simulation = \"majority-vote\"\nwith = {{ sizes = [{}] }}",
                list("1", 300_000)
            ),
        ),
        ("a long key", format!("{} = 1", "a".repeat(1 << 19))),
        (
            "a long name",
            format!("simulation = \"{}\"", "a".repeat(1 << 19)),
        ),
        (
            "a long loss",
            SMALL.replace(
                "resamples",
                &format!("loss = \"{}\", resamples", "a".repeat(1 << 19)),
            ),
        ),
        ("a long text", "a".repeat((1 << 20) + 1)),
        ("errors", "=\n".repeat(1 << 18)),
        ("quotes", "\"".repeat(1 << 18)),
        ("dates", many(&|i| format!("d{i} = 1979-05-27"), 40_000)),
    ];
    for (what, text) in cases {
        let started = Instant::now();
        on_a_stack(OF_A_SERVER, || {
            let _ = Experiment::read("bad", Source::new("bad.toml", &text, &[]));
        });
        let took = started.elapsed();
        // For those who look: `cargo test texts_of_any_kind -- --nocapture`.
        println!("{what}: {} bytes in {took:?}", text.len());
        assert!(took < SOON, "{what}: {took:?}");
    }
}

#[test]
fn the_command_line_refuses_what_is_too_deep() {
    let place = Place::with(&[("small.toml", SMALL)]);
    let deep = format!("a{}=1", ".a".repeat(50_000));
    let out = place
        .command(&["check", "small.toml", "--set", &deep])
        .output()
        .unwrap_or_else(|error| panic!("{PROGRAM}: {error}"));
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{said}");
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("a key has at most 1000 bytes"), "{said}");
    assert!(words.contains("--set problem.train=50"), "{said}");
}

#[test]
fn expressions_need_little_of_the_stack() {
    let around = |open: &str, close: &str| {
        let count = (LONGEST - 1) / (open.len() + close.len());
        format!("{}x{}", open.repeat(count), close.repeat(count))
    };
    for text in [
        around("(", ")"),
        around("((", ""),
        around("-", ""),
        around("+-", ""),
        around("-(", ")"),
        around("abs(", ")"),
        around("max(1,", ")"),
        around("1^", ""),
        around("1-", ""),
        around("", "-1"),
        around("", "^1"),
        around("(1<", ")"),
        around("sin(-(", "))"),
        around("1^-", ""),
    ] {
        on_a_stack(1 << 20, || {
            if let Ok(expression) = Expression::parse(&text, 1) {
                let copy = expression.clone();
                assert!(!format!("{copy:?}").is_empty());
                let _ = expression.at(&[0.5]);
            }
        });
    }
}
