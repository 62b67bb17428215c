//! The live page in real browsers: Chromium and Firefox, driven by the scripts in tests/browser.
//!
//! Where there is no Chromium, Firefox, Node.js or what drives them these tests say so and pass; with
//! `BVLAB_BROWSER=required` they fail.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::lab::Server;

/// A browser, if there is one, and with it everything that drives it.
fn browser() -> Option<&'static Path> {
    static FOUND: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOUND.get_or_init(prepare) {
        Ok(browser) => Some(browser),
        Err(missing) => {
            let required = std::env::var("BVLAB_BROWSER").is_ok_and(|word| word == "required");
            assert!(!required, "{missing}");
            eprintln!("not tested in a browser: {missing}");
            None
        }
    }
}

fn prepare() -> Result<PathBuf, String> {
    let named = std::env::var_os("BVLAB_CHROMIUM").map(PathBuf::from);
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let browser = named.or_else(|| names.iter().find_map(|name| on_path(name)));
    let browser =
        browser.ok_or("there is no Chromium: install it, or name it in BVLAB_CHROMIUM")?;
    on_path("node").ok_or("there is no Node.js")?;
    let drivers = [
        "playwright-core",
        "puppeteer-core",
        "axe-core",
        "typescript",
    ];
    let has = |driver: &str| scripts().join("node_modules").join(driver).is_dir();
    if !drivers.into_iter().all(has) {
        let npm = on_path("npm").ok_or("there is no npm")?;
        let mut install = Command::new(npm);
        install.args(["ci", "--no-audit", "--no-fund", "--silent"]);
        let installed = install.current_dir(scripts()).status();
        if !installed.is_ok_and(|status| status.success()) {
            return Err("`npm ci` in tests/browser failed".to_owned());
        }
    }
    Ok(browser)
}

fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&folders).map(|folder| folder.join(name));
    files.find(|file| file.is_file())
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser")
}

/// Runs a script on a page; its pictures go to target/browser, to be looked at.
fn drive(browser: &Path, script: &str, page: &str) {
    drive_with(browser, script, &[page.as_ref()]);
}

/// The same with more than a page.
fn drive_with(browser: &Path, script: &str, arguments: &[&OsStr]) {
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    std::fs::create_dir_all(&pictures).unwrap();
    let output = Command::new("node")
        .arg(scripts().join(script))
        .args(arguments)
        .arg(&pictures)
        .env("BVLAB_CHROMIUM", browser)
        .env("BVLAB_PROGRAM", env!("CARGO_BIN_EXE_bvlab"))
        .output()
        .unwrap();
    let words = [output.stdout, output.stderr].concat();
    let words = String::from_utf8_lossy(&words).into_owned();
    assert!(output.status.success(), "{script}:\n{words}");
    println!("{words}");
}

#[test]
fn the_live_page_works_in_a_browser() {
    let Some(browser) = browser() else { return };
    let server = Server::start(&[]);
    drive(
        browser,
        "lab.mjs",
        &format!("http://127.0.0.1:{}/#lecturer={}", server.port, server.key),
    );
}

#[test]
fn the_live_page_teaches_in_a_browser() {
    let Some(browser) = browser() else { return };
    let server = Server::start(&[]);
    drive(
        browser,
        "teach.mjs",
        &format!("http://127.0.0.1:{}/#lecturer={}", server.port, server.key),
    );
}

#[test]
fn simulations_move_in_a_browser() {
    let Some(browser) = browser() else { return };
    let server = Server::start(&[]);
    drive(
        browser,
        "simulations.mjs",
        &format!("http://127.0.0.1:{}/#lecturer={}", server.port, server.key),
    );
}

#[test]
fn every_lesson_moves_to_the_numbers_of_the_program() {
    let Some(browser) = browser() else { return };
    let server = Server::start(&[]);
    drive(
        browser,
        "everything.mjs",
        &format!("http://127.0.0.1:{}/#lecturer={}", server.port, server.key),
    );
}

#[test]
fn learners_stand_side_by_side_with_the_numbers_of_the_program() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let lesson = folder.path().join("four.toml");
    let shipped = std::fs::read_to_string("experiments/dartboards.toml").unwrap();
    let (experiment, _) = shipped.split_once("\n[lab]\n").unwrap();
    let opening = "[lab]\nscene = \"side-by-side\"\nsets = 5\n";
    std::fs::write(&lesson, format!("{experiment}\n{opening}")).unwrap();
    let tables = folder.path().join("tables");
    let lessons = ["bagging-tradeoff", "dartboards", "degrees-of-freedom"];
    let few = ["--resamples", "96", "--quiet", "--out"];
    bvlab(&[&["run"], &lessons[..], &few[..]].concat(), &tables);
    let server = Server::start(&[lesson.to_str().unwrap()]);
    let address = format!("http://127.0.0.1:{}/#lecturer={}", server.port, server.key);
    drive_with(browser, "beside.mjs", &[address.as_ref(), tables.as_ref()]);
}

#[test]
fn everybody_can_use_the_live_page() {
    let Some(browser) = browser() else { return };
    let server = Server::start(&[]);
    drive(
        browser,
        "access.mjs",
        &format!("http://127.0.0.1:{}/#lecturer={}", server.port, server.key),
    );
}

#[test]
fn points_are_moved_by_hand_in_a_browser() {
    let Some(browser) = browser() else { return };
    let server = Server::start(&[]);
    drive(
        browser,
        "hands.mjs",
        &format!("http://127.0.0.1:{}/#lecturer={}", server.port, server.key),
    );
}

#[test]
fn a_class_answers_in_a_browser() {
    let Some(browser) = browser() else { return };
    let server = Server::start(&[]);
    let lab = format!("http://127.0.0.1:{}/#lecturer={}", server.port, server.key);
    drive(browser, "answers.mjs", &lab);
    let out = tempfile::tempdir().unwrap();
    bvlab(
        &["run", "knn-fits", "--page", "--quiet", "--out"],
        out.path(),
    );
    let page = out.path().join("knn-fits/page.html");
    let page = format!("file://{}", page.display());
    drive(browser, "answers.mjs", &page);
}

#[test]
fn classes_move_in_a_browser() {
    let Some(browser) = browser() else { return };
    let server = Server::start(&[]);
    let tables = tempfile::tempdir().unwrap();
    for loss in ["zero-one", "cross-entropy"] {
        let set = format!("run.loss={loss}");
        let out = tables.path().join(loss);
        let few = ["--resamples", "120", "--quiet", "--out"];
        let run = ["run", "moons-zero-one", "--set", &set];
        bvlab(&[&run[..], &few[..]].concat(), &out);
    }
    let address = format!("http://127.0.0.1:{}/#lecturer={}", server.port, server.key);
    drive_with(
        browser,
        "classes.mjs",
        &[address.as_ref(), tables.path().as_ref()],
    );
}

#[test]
fn tables_move_in_a_browser() {
    let Some(browser) = browser() else { return };
    let server = Server::start(&[]);
    let tables = tempfile::tempdir().unwrap();
    let lessons = ["run", "iris-trees", "diabetes-trees"];
    let few = ["--resamples", "120", "--quiet", "--out"];
    bvlab(&[&lessons[..], &few[..]].concat(), tables.path());
    let address = format!("http://127.0.0.1:{}/#lecturer={}", server.port, server.key);
    drive_with(
        browser,
        "tables.mjs",
        &[address.as_ref(), tables.path().as_ref()],
    );
}

/// Runs Node.js in tests/browser, which has to succeed.
fn node(arguments: &[&str]) {
    let run = Command::new("node")
        .args(arguments)
        .current_dir(scripts())
        .output()
        .unwrap();
    let words = [run.stdout, run.stderr].concat();
    let words = String::from_utf8_lossy(&words).into_owned();
    assert!(run.status.success(), "{arguments:?}:\n{words}");
}

#[test]
fn the_pure_functions_of_the_page_hold() {
    if browser().is_some() {
        node(&["--test", "unit.mjs"]);
    }
}

#[test]
fn the_types_of_the_page_agree() {
    if browser().is_some() {
        node(&["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"]);
    }
}

#[test]
fn students_join_with_a_code_in_a_browser() {
    let Some(browser) = browser() else { return };
    let server = Server::start(&["--code=Room 42", "--url", "http://192.168.1.5:7878"]);
    drive(
        browser,
        "code.mjs",
        &format!("http://127.0.0.1:{}/#lecturer={}", server.port, server.key),
    );
}

/// Runs the program, which has to succeed.
fn bvlab(arguments: &[&str], out: &Path) {
    let run = Command::new(env!("CARGO_BIN_EXE_bvlab"))
        .args(arguments)
        .arg(out)
        .status()
        .unwrap();
    assert!(run.success(), "{arguments:?}");
}

/// Firefox, if there is one.
fn firefox() -> Option<PathBuf> {
    let named = std::env::var_os("BVLAB_FIREFOX").map(PathBuf::from);
    let found = named.or_else(|| {
        ["firefox-esr", "firefox"]
            .iter()
            .find_map(|name| on_path(name))
    });
    let required = std::env::var("BVLAB_BROWSER").is_ok_and(|word| word == "required");
    assert!(found.is_some() || !required, "there is no Firefox");
    found
}

/// Runs a script in Chromium and, where there is one, in Firefox.
fn in_both(chromium: &Path, script: &str, arguments: &[&Path]) {
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    std::fs::create_dir_all(&pictures).unwrap();
    let firefox = firefox();
    let browsers = [("chrome", Some(chromium)), ("firefox", firefox.as_deref())];
    for (kind, found) in browsers {
        let Some(found) = found else { continue };
        let output = Command::new("node")
            .arg(scripts().join(script))
            .arg(kind)
            .args(arguments)
            .arg(&pictures)
            .env("BVLAB_CHROMIUM", chromium)
            .env("BVLAB_FIREFOX", found)
            .env("BVLAB_PROGRAM", env!("CARGO_BIN_EXE_bvlab"))
            .output()
            .unwrap();
        let words = [output.stdout, output.stderr].concat();
        let words = String::from_utf8_lossy(&words).into_owned();
        assert!(output.status.success(), "{script}, {kind}:\n{words}");
        println!("{words}");
    }
}

#[test]
fn pages_that_compute_work_in_chromium_and_firefox() {
    let Some(chromium) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let [page, site, tables] = ["page", "site", "tables"].map(|name| folder.path().join(name));
    bvlab(
        &["run", "tree-tradeoff", "--page", "--quiet", "--out"],
        &page,
    );
    let only = "tree-tradeoff,knn-tradeoff,dartboards";
    bvlab(&["site", "--only", only, "--quiet"], &site);
    let few = ["--resamples", "48", "--quiet", "--out"];
    bvlab(
        &[&["run", "tree-tradeoff", "knn-tradeoff"], &few[..]].concat(),
        &tables,
    );
    let page = page.join("tree-tradeoff/page.html");
    let size = std::fs::metadata(&page).unwrap().len();
    assert!(size <= 3_000_000, "{size} bytes");
    in_both(chromium, "live.mjs", &[&page, &site, &tables]);
}

#[test]
fn a_class_computes_and_embeds_in_chromium_and_firefox() {
    let Some(chromium) = browser() else { return };
    let tables = tempfile::tempdir().unwrap();
    let few = ["run", "tree-tradeoff", "--resamples", "48", "--quiet"];
    bvlab(&[&few[..], &["--out"]].concat(), tables.path());
    let program = Path::new(env!("CARGO_BIN_EXE_bvlab"));
    in_both(chromium, "class.mjs", &[program, tables.path()]);
}

#[test]
fn the_page_without_a_server_works_in_a_browser() {
    let Some(browser) = browser() else { return };
    for (lesson, script) in [
        ("tree-tradeoff", "recorded.mjs"),
        ("covariance-ladder", "figures.mjs"),
    ] {
        let out = tempfile::tempdir().unwrap();
        let run = Command::new(env!("CARGO_BIN_EXE_bvlab"))
            .args(["run", lesson, "--page", "--quiet", "--out"])
            .arg(out.path())
            .status()
            .unwrap();
        assert!(run.success());
        let page = out.path().join(lesson).join("page.html");
        drive(browser, script, page.to_str().unwrap());
    }
}
