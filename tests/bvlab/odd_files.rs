//! Files that are not what they should be: without an end, with very long lines, with characters that
//! steer a terminal, with names that no file system or spreadsheet takes well.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::setup::{Place, answer};

const GOOD: &str = r#"
    problem = { truth = "sin(x)", inputs = { uniform = [0, 6] }, noise = { normal = 0.3 }, train = 12 }
    learner = [{ name = "near", knn = {} }]
    sweep   = { k = [1, 3, 9] }
    run     = { resamples = 20, test = { grid = 40 } }
    figure  = [{ name = "picture", tradeoff = {} }]
"#;

/// Exit code and words of a command that must end by itself.
#[track_caller]
fn told(place: &Place, arguments: &[&str]) -> (i32, String) {
    let mut child = place
        .command(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let reading = std::thread::spawn(move || {
        let (mut out, mut err) = (String::new(), String::new());
        std::io::Read::read_to_string(&mut output.1, &mut err).unwrap();
        std::io::Read::read_to_string(&mut output.0, &mut out).unwrap();
        out + &err
    });
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let code = child.wait().unwrap().code().unwrap_or(-1);
    (code, reading.join().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn what_may_have_no_end_is_not_read() {
    let place = Place::with(&[("good.toml", GOOD)]);
    let pipe = |name: &str| {
        let made = Command::new("mkfifo").arg(place.path().join(name)).status();
        assert!(made.unwrap().success());
    };
    pipe("pipe.toml");
    for file in ["/dev/zero", "/dev/tty0", "pipe.toml"] {
        if !std::path::Path::new(file).exists() && file.starts_with('/') {
            continue;
        }
        let (code, words) = told(&place, &["check", file]);
        assert_eq!(code, 2, "{file}: {words}");
        let reason = format!("cannot read {file}: it is a device or a pipe");
        assert!(words.contains(&reason), "{words}");
    }
    let large = fs::File::create(place.path().join("large.toml")).unwrap();
    large.set_len(1 << 40).unwrap();
    let (code, words) = told(&place, &["check", "large.toml"]);
    assert_eq!(code, 2);
    assert!(
        words.contains("too large") && words.contains("at most 1 MB"),
        "{words}"
    );
    // A table is a file too.
    let text = "problem = { table = \"pipe.csv\", target = \"y\" }\nlearner = [{ tree = {} }]";
    place.write("table.toml", text);
    pipe("pipe.csv");
    let (code, words) = told(&place, &["check", "table.toml"]);
    assert_eq!(code, 2);
    assert!(words.contains("it is not a file"), "{words}");
    place.done(&["run", "good.toml", "--quiet"]);
    let (code, words) = told(&place, &["draw", "results/good", "--figures", "pipe.toml"]);
    assert_eq!(code, 2);
    assert!(words.contains("it is a device or a pipe"), "{words}");
}

#[test]
fn errors_far_to_the_right_show_what_is_around_them() {
    let long = "a".repeat(65_530);
    let huge = "b".repeat(450_000);
    let cases = [
        (format!("title = \"{long}\" y"), 65_542),
        (format!("title = \"{huge}\" y"), 450_012),
        (format!("# {huge}\ntitle = 1 y\n# {huge}"), 9),
        (format!("{long} = 1"), 1),
        (format!("run = {{ seed = \"{huge}\" }}"), 16),
        (format!("title = \"{}", "é".repeat(40_000)), 80_010),
    ];
    let place = Place::new();
    for (i, (text, column)) in cases.into_iter().enumerate() {
        place.write("long.toml", &text);
        let (code, words) = told(&place, &["check", "long.toml"]);
        assert_eq!(code, 2, "case {i}: {words}");
        assert!(words.len() < 8000, "case {i}: {} bytes", words.len());
        assert!(words.contains('…'), "case {i}: {words}");
        let line = if i == 2 { 2 } else { 1 };
        let place = format!("[long.toml:{line}:{column}]");
        assert!(words.contains(&place), "case {i}: no {place} in {words}");
    }
}

#[test]
fn an_error_shows_the_lines_beside_it_and_its_column() {
    let place = Place::with(&[(
        "wrong.toml",
        "title = \"x\"\n\nrun.seeed = 1\n\nlook-for = \"\"",
    )]);
    let (code, words) = told(&place, &["check", "wrong.toml"]);
    assert_eq!(code, 2);
    assert!(words.contains("[wrong.toml:3:5]"), "{words}");
    assert!(words.contains("3 │ run.seeed = 1"), "{words}");
    assert!(words.contains("did you mean `seed`?"), "{words}");
    // Lines that end as on Windows, the last line without its end, and an empty file.
    for (text, head) in [
        ("\r\ntitle = 1\r\n", "[wrong.toml:2:9]"),
        ("\n\nrun = 1", "[wrong.toml:3:7]"),
        ("", "[wrong.toml:1:1]"),
    ] {
        place.write("wrong.toml", text);
        let (code, words) = told(&place, &["check", "wrong.toml"]);
        assert_eq!(code, 2);
        assert!(words.contains(head) && !words.contains('␍'), "{words}");
    }
}

/// What a terminal would take for a command.
fn steers(words: &str) -> bool {
    words.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}')
}

#[test]
fn no_message_steers_the_terminal() {
    let place = Place::new();
    let red = "\u{1b}[31m\u{1b}]0;title\u{7}\u{202e}\u{9b}1m";
    let table = |name: &str, columns: &str| {
        place.write(&format!("{name}.csv"), columns);
        format!(
            "problem = {{ table = \"{name}.csv\", target = \"y\" }}\nlearner = [{{ tree = {{}} }}]"
        )
    };
    let texts = [
        // Raw bytes in the file, and escapes in a key, a value and a name.
        format!("title = {red}"),
        format!("# {red}\ntitle = 1"),
        "\"\\u001b[31m\" = 1".to_owned(),
        "simulation = \"\\u001b[31m\"".to_owned(),
        GOOD.replace("near", "\\u001b[31m"),
        GOOD.replace("picture", "\\u001b[31m"),
        GOOD.replace("sin(x)", "\\u001b[31m"),
        GOOD.replace("k = [1, 3, 9]", "\"\\u001b[31m\" = [1]"),
        GOOD.replace("problem = {", "problem = { table = \"\\u001b[31m.csv\", "),
        table("a", &format!("{red},y\n1,2\n,4\n5,6\n7,8\n")),
        table("b", &format!("x,z{red}\n1,2\n3,4\n5,6\n7,8\n")),
        table("c", &format!("x,y\n1,2\n{red},4\n5,6\n7,8\n")),
    ];
    for (i, text) in texts.iter().enumerate() {
        place.write("odd.toml", text);
        let (code, words) = told(&place, &["check", "odd.toml"]);
        assert_eq!(code, 2, "case {i}: {words}");
        assert!(!steers(&words), "case {i}: {words:?}");
    }
    for name in [&format!("{red}.toml"), "a\nb.toml", "a\tb.toml"] {
        let (code, words) = told(&place, &["check", name]);
        assert_eq!(code, 2);
        assert!(!steers(&words.replace('\t', " ")), "{words:?}");
        place.write(name, GOOD);
        let (code, words) = told(&place, &["check", name]);
        assert_eq!(code, 2, "{words}");
        assert!(!steers(&words.replace('\t', " ")), "{words:?}");
        assert!(words.contains("cannot contain"), "{words}");
        fs::remove_file(place.path().join(name)).unwrap();
    }
    for arguments in [
        ["run", red, "--quiet"],
        ["draw", red, "--quiet"],
        ["figures", red, "--quiet"],
        ["list", "--show", red],
        ["check", "tree-tradeoff", &format!("--set={red}=1")],
    ] {
        let (code, words) = told(&place, &arguments);
        assert!(code == 2 || code == 1, "{arguments:?}: {words}");
        assert!(!steers(&words), "{arguments:?}: {words:?}");
    }
}

#[test]
fn names_that_become_names_of_files_are_checked_before_anything_is_computed() {
    let place = Place::new();
    for (name, ok) in [
        ("a".repeat(200), true),
        ("a".repeat(201), false),
        ("é".repeat(150), false),
        ("a.b".to_owned(), false),
        ("a/b".to_owned(), false),
    ] {
        place.write("named.toml", &GOOD.replace("picture", &name));
        let (code, words) = told(&place, &["check", "named.toml"]);
        assert_eq!(code == 0, ok, "{name}: {words}");
        assert!(ok || words.contains("in at most 200 bytes"), "{words}");
    }
    place.write("named.toml", &GOOD.replace("picture", &"a".repeat(200)));
    place.done(&["run", "named.toml", "--quiet"]);
    let both = "figure = [{ name = \"Loss\", tradeoff = {} }, { name = \"loss\", tradeoff = {} }]";
    let text = GOOD.replace("figure  = [{ name = \"picture\", tradeoff = {} }]", both);
    place.write("named.toml", &text);
    let (code, words) = told(&place, &["check", "named.toml"]);
    assert_eq!(code, 2);
    assert!(words.contains("two figures are called `loss`"), "{words}");
    let long = format!("{}.toml", "n".repeat(240));
    place.write(&long, GOOD);
    let (code, words) = told(&place, &["check", &long]);
    assert_eq!(code, 2);
    assert!(words.contains("at most 200 bytes"), "{words}");
}

#[test]
fn names_that_a_spreadsheet_would_take_for_formulas_are_refused() {
    let place = Place::new();
    for name in [
        "=HYPERLINK(1)",
        "+1",
        "-tree",
        "@SUM(A1)",
        " =1",
        "a;=1+1",
        "a; @x",
    ] {
        place.write("sheet.toml", &GOOD.replace("near", name));
        let (code, words) = told(&place, &["check", "sheet.toml"]);
        assert_eq!(code, 2, "{name}");
        assert!(
            words.contains("a learner's name cannot begin with"),
            "{words}"
        );
        assert!(words.contains("spreadsheet"), "{words}");
    }
    for name in ["knn = 3", "a-b", "−1", "k+1; tree", "mail@home", "'=1"] {
        place.write("sheet.toml", &GOOD.replace("near", name));
        assert_eq!(told(&place, &["check", "sheet.toml"]).0, 0, "{name}");
    }
}

/// Without memory to begin with nothing can be said, but nothing must be left half written.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_ends_with_a_code_that_the_documentation_names() {
    for kilobytes in [20_000, 150_000, 200_000, 400_000, 4_000_000] {
        let place = Place::with(&[("good.toml", GOOD)]);
        let limit = format!("ulimit -v {kilobytes}");
        let mut run = place.after(&limit, &["run", "good.toml", "--threads", "1"]);
        let output = run.output().unwrap();
        use std::os::unix::process::ExitStatusExt;
        let signal = output.status.signal();
        let (code, out, err) = answer(output);
        let known =
            [Some(6), Some(9), Some(11)].contains(&signal) || [0, 1, 126, 127].contains(&code);
        assert!(known, "{kilobytes}: {code} {signal:?} {out}{err}");
        assert!(code == 0 || !place.has("results/good/manifest.json"));
    }
}
