//! Courses: the order of lessons in the list, in the lab and on a site.

use serde_json::Value;

use crate::lab::{Answer, STUDENT, Server};
use crate::setup::Place;

const OWN: &str = r#"
title = "Mine"

[[unit]]
title   = "First"
minutes = 10
about   = "A sentence."
lessons = [{ name = "knn-fits", minutes = 5, notes = "Do not tell." }, "own/mine.toml"]

[[unit]]
title   = "Second"
lessons = ["bootstrap-share"]
"#;

const EXPERIMENT: &str = r#"
title   = "An experiment of one's own"
problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 30 }
sweep   = { depth = "1..3" }
learner = [{ tree = {} }]
run     = { resamples = 20 }
figure  = [{ tradeoff = {} }]
lab     = { sets = 2 }
"#;

fn place() -> Place {
    let place = Place::new();
    place.write("mine-course.toml", OWN);
    place.write("own/mine.toml", EXPERIMENT);
    place
}

#[test]
fn the_list_is_in_the_order_of_the_course() {
    let place = Place::new();
    let (out, _) = place.done(&["list"]);
    let line = |start: &str| {
        let found = out.lines().position(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("{start}: {out}"))
    };
    let order = [
        "# 1. Training error deceives",
        "sine-sample",
        "tree-train-test",
        "# 2. Estimators",
        "dartboards",
        "# 3. The decomposition",
        "tree-tradeoff",
        "# Courses",
        "course ",
        "sixty-minutes",
    ];
    assert!(order.map(line).is_sorted(), "{out}");
}

#[test]
fn mistakes_in_a_course_are_shown_with_their_place() {
    let place = place();
    place.write("wrong.toml", &OWN.replace("knn-fits", "knn-fit"));
    for command in [&["lab", "--no-open"][..], &["site", "out"]] {
        let (code, _, err) = place.run(&[command, &["--course", "wrong.toml"]].concat());
        assert_eq!(code, 2, "{err}");
        assert!(err.contains("no lesson is called `knn-fit`"), "{err}");
        assert!(err.contains("wrong.toml:8:"), "{err}");
        assert!(err.contains("did you mean `knn-fits`?"), "{err}");
    }
    let (code, _, err) = place.run(&["lab", "--no-open", "--course", "sixty-minute"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("did you mean sixty-minutes?"), "{err}");
    place.write("lost.toml", &OWN.replace("own/mine", "own/lost"));
    let (code, _, err) = place.run(&["lab", "--no-open", "--course", "lost.toml"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("lost.toml"), "{err}");
}

#[test]
fn the_lab_follows_a_course_and_keeps_its_notes_for_the_lecturer() {
    let place = place();
    let file = place.path().join("mine-course.toml");
    let server = Server::start(&["--course", file.to_str().unwrap()]);
    let told = |answer: Answer| -> Value { serde_json::from_slice(&answer.body).unwrap() };
    let lab = told(server.get("/api/lab"));
    assert_eq!(lab["open"], "knn-fits");
    let names = lab["lessons"].as_array().unwrap().iter();
    let names: Vec<&str> = names.filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names[..3], ["knn-fits", "mine", "bootstrap-share"]);
    assert!(names.contains(&"tree-tradeoff"));
    assert_eq!(lab["lessons"][1]["group"], "First");
    assert_eq!(lab["lessons"][1]["opening"]["sets"], 2);
    assert_eq!(lab["lessons"][3]["group"], "Other lessons");
    let first = &lab["courses"][0];
    assert_eq!(first["title"], "Mine");
    assert_eq!(first["units"][0]["lessons"][0]["notes"], "Do not tell.");
    assert_eq!(lab["courses"].as_array().unwrap().len(), 3);
    let student = told(server.get_with(STUDENT, "/api/lab", ""));
    assert_eq!(student["courses"][0]["title"], "Mine");
    assert!(!student.to_string().contains("Do not tell."));
}

#[test]
fn a_site_has_the_lessons_of_a_course_in_its_units() {
    let place = place();
    let few = ["--resamples", "20", "--quiet"];
    place.done(&[&["site", "out", "--course", "mine-course.toml"], &few[..]].concat());
    let page = place.read("out/index.html");
    let places = [
        "<h1>Mine</h1>",
        "1. First",
        "A sentence. 10 minutes.",
        "lessons/knn-fits/",
        "lessons/mine/",
        "2. Second",
        "lessons/bootstrap-share/",
    ]
    .map(|part| page.find(part).unwrap_or_else(|| panic!("{part}: {page}")));
    assert!(places.is_sorted(), "{page}");
    assert!(!page.contains("lessons/tree-tradeoff/"));
    let lab: Value = serde_json::from_str(&place.read("out/lab.json")).unwrap();
    assert_eq!(lab["lab"]["courses"][0]["name"], "mine-course");
    assert_eq!(lab["lab"]["open"], "knn-fits");
}
