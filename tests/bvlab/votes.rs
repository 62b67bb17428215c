//! The votes of a class: every answer counts once, and nothing else does.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::lab::{Answer, LECTURER, STUDENT, Server};

const LESSON: &str = "knn-fits";
/// How many choices it has.
const CHOICES: usize = 4;

fn ok(answer: &Answer) {
    assert_eq!(answer.status, 200, "{}", answer.text());
}

/// What the lecturer does.
fn act(server: &Server, action: &Value) -> Answer {
    server.post(LECTURER, "/api/vote", action)
}

fn token(server: &Server, from: Ipv4Addr) -> String {
    let answer = server.post(from, "/api/token", &json!({}));
    ok(&answer);
    let told: Value = serde_json::from_slice(&answer.body).unwrap();
    told["token"].as_str().unwrap().to_owned()
}

fn answer(server: &Server, from: Ipv4Addr, token: &str, body: &Value) -> Answer {
    let header = format!("X-Bvlab-Token: {token}\r\n");
    server.post_with(from, "/api/answer", &header, body)
}

/// A stream of states.
struct Follower(BufReader<TcpStream>);

impl Follower {
    fn new(server: &Server, from: Ipv4Addr, headers: &str) -> Self {
        let mut stream = server.connect(from);
        let host = server.host();
        let request = format!("GET /api/vote HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        Follower(BufReader::new(stream))
    }

    /// The next state of which something holds.
    fn until(&mut self, holds: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            let length = self.0.read_line(&mut line).unwrap();
            assert!(length > 0, "the stream has ended");
            if line.starts_with('{') {
                let state = serde_json::from_str(&line).unwrap();
                if holds(&state) {
                    return state;
                }
            }
        }
    }
}

/// The address of a student: most are behind one, as in a class.
fn address(student: usize) -> Ipv4Addr {
    match student % 4 {
        0 => Ipv4Addr::new(127, 0, 1, student as u8),
        _ => STUDENT,
    }
}

#[test]
fn two_hundred_students_answer_and_every_answer_counts_once() {
    const STUDENTS: usize = 200;
    let server = Server::start(&[]);
    let mut lecturer = Follower::new(&server, LECTURER, &server.key_header());
    ok(&act(&server, &json!({ "do": "open", "lesson": LESSON })));
    let number = lecturer.until(|state| state["phase"] == "open")["number"].clone();
    let barrier = Barrier::new(STUDENTS);
    let began = Instant::now();
    let pages = std::thread::scope(|scope| {
        let student = |student: usize| {
            let (server, barrier, number) = (&server, &barrier, &number);
            scope.spawn(move || {
                let from = address(student);
                let own = token(server, from);
                let header = format!("X-Bvlab-Token: {own}\r\n");
                let mut page = Follower::new(server, from, &header);
                page.until(|state| state["phase"] == "open");
                barrier.wait();
                // Everybody changes an answer once: four requests each, and no more.
                for choice in [(student + 1) % CHOICES, student % CHOICES] {
                    let body = json!({ "number": number, "choice": choice });
                    ok(&answer(server, from, &own, &body));
                }
                (student, page)
            })
        };
        let threads: Vec<_> = (0..STUDENTS).map(student).collect();
        let pages = threads.into_iter().map(|thread| thread.join().unwrap());
        pages.collect::<Vec<_>>()
    });
    let took = began.elapsed();
    println!("{STUDENTS} students answered in {took:?}");
    // A hang guard; with nothing else to do it takes about a second.
    assert!(took < Duration::from_secs(60), "{took:?}");
    let state = lecturer.until(|state| state["answered"] == STUDENTS);
    assert_eq!(state["here"], STUDENTS);
    ok(&act(&server, &json!({ "do": "close" })));
    let closed = lecturer.until(|state| state["phase"] == "closed");
    assert_eq!(closed["rounds"], json!([[50, 50, 50, 50]]));
    // Each page has heard of it, with its own answer and nobody else's.
    for (student, mut page) in pages {
        let state = page.until(|state| state["phase"] == "closed");
        assert_eq!(state["mine"], student % CHOICES);
        for hidden in ["rounds", "right", "answer", "answered", "here"] {
            assert!(state[hidden].is_null(), "{hidden}: {state}");
        }
    }
    let late = answer(
        &server,
        STUDENT,
        &token(&server, STUDENT),
        &json!({ "number": number, "choice": 0 }),
    );
    assert_eq!((late.status, &*late.message()), (409, "voting is closed"));
}

#[test]
fn hostile_answers_are_refused() {
    let server = Server::start(&[]);
    let body = |choice: Value| json!({ "number": 1, "choice": choice });
    let own = token(&server, STUDENT);
    let early = answer(&server, STUDENT, &own, &body(json!(0)));
    assert_eq!(early.status, 409, "{}", early.text());
    ok(&act(&server, &json!({ "do": "open", "lesson": LESSON })));
    let stranger = "A".repeat(22);
    let long = "A".repeat(50_000);
    for (token, body, status, words) in [
        ("", body(json!(0)), 403, "ask for a new one"),
        (&*stranger, body(json!(0)), 403, "ask for a new one"),
        (&long, body(json!(0)), 403, "ask for a new one"),
        (&own, body(json!(CHOICES)), 400, "has 4 answers"),
        (&own, body(json!(-1)), 400, "not valid"),
        (&own, body(json!("1")), 400, "not valid"),
        (&own, body(json!(1e300)), 400, "not valid"),
        (
            &own,
            json!({ "number": 2, "choice": 0 }),
            409,
            "another question",
        ),
        (&own, json!({ "choice": 0 }), 400, "number"),
        (
            &own,
            json!({ "number": 1, "choice": 0, "lesson": "x" }),
            400,
            "lesson",
        ),
        (
            &own,
            json!({ "number": 1, "choice": "x".repeat(2000) }),
            413,
            "1024 bytes",
        ),
    ] {
        let answer = answer(&server, STUDENT, token, &body);
        assert_eq!(answer.status, status, "{}", answer.text());
        assert!(answer.message().contains(words), "{}", answer.text());
    }
    // A flood counts as one answer, and is slowed down.
    let header = format!("X-Bvlab-Token: {own}\r\n");
    let host = server.host();
    let one = crate::lab::request("/api/answer", &host, &header, &body(json!(2)).to_string());
    let one = String::from_utf8(one)
        .unwrap()
        .replace("Connection: close\r\n", "");
    let last = format!("GET /api/nothing HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let flood = server.raw(STUDENT, format!("{}{last}", one.repeat(1000)).as_bytes());
    let text = format!("{} {}", flood.head, flood.text().to_lowercase());
    let slowed = text.matches("429 too many").count();
    assert!(slowed > 900, "{slowed} of a thousand were slowed down");
    let mut lecturer = Follower::new(&server, LECTURER, &server.key_header());
    let state = lecturer.until(|state| state["phase"] == "open");
    assert_eq!(state["answered"], 1);
    // Only the lecturer acts.
    for action in ["open", "close", "again", "reveal", "end"] {
        let body = json!({ "do": action, "lesson": LESSON });
        let refused = server.post(STUDENT, "/api/vote", &body);
        assert_eq!(refused.status, 403, "{}", refused.text());
    }
    assert_eq!(server.get_with(STUDENT, "/api/counts", "").status, 403);
    for (action, status, words) in [
        (
            json!({ "do": "open", "lesson": "nothing" }),
            400,
            "no question to vote on",
        ),
        (
            json!({ "do": "open", "lesson": "pointwise" }),
            400,
            "no question to vote on",
        ),
        (
            json!({ "do": "open", "lesson": LESSON, "choices": ["a"] }),
            400,
            "4 choices",
        ),
        (json!({ "do": "reveal", "right": [9] }), 400, "below 4"),
        (json!({ "do": "dance" }), 400, "dance"),
    ] {
        let refused = act(&server, &action);
        assert_eq!(refused.status, status, "{action}: {}", refused.text());
        assert!(
            refused.message().contains(words),
            "{action}: {}",
            refused.text()
        );
    }
    // A network has so many tokens at once.
    let from = Ipv4Addr::new(127, 0, 0, 9);
    let mut refused = None;
    for _ in 0..420 {
        let answer = server.post(from, "/api/token", &json!({}));
        if answer.status != 200 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("somebody took 420 tokens");
    assert_eq!(refused.status, 429);
    assert!(refused.head.contains("retry-after"), "{}", refused.head);
    token(&server, STUDENT);
}

/// Whether a text gives away the answer of the lesson.
fn tells(text: &str) -> bool {
    text.contains("its training error is exactly zero") || text.contains("risk@k=8 < risk@k=20")
}

#[test]
fn the_answer_is_the_lecturers_until_it_is_revealed() {
    let server = Server::start(&[]);
    let scene = json!({ "lesson": LESSON });
    let mut export = scene.clone();
    export["what"] = json!("toml");
    let seen = |from: Ipv4Addr, headers: &str| {
        let mut texts: Vec<String> = ["/api/lab", "/api/lessons"]
            .map(|path| server.get_with(from, path, headers).text())
            .to_vec();
        for (path, body) in [("/api/run", &scene), ("/api/export", &export)] {
            let answer = server.post_with(from, path, headers, body);
            ok(&answer);
            texts.push(answer.text());
        }
        texts
    };
    // The lecturer first, so that there would be a finished run to share.
    let lecturers = seen(LECTURER, &server.key_header());
    assert!(lecturers.iter().all(|text| tells(text)));
    let students = seen(STUDENT, "");
    for text in &students {
        assert!(!tells(text), "{}", &text[..200]);
    }
    let lesson = |text: &str| {
        let lab: Value = serde_json::from_str(text).unwrap();
        let lessons = lab["lessons"].as_array().unwrap();
        let mut lessons = lessons.iter();
        lessons.find(|one| one["name"] == LESSON).unwrap().clone()
    };
    let told = lesson(&students[0]);
    assert_eq!(told["choices"].as_array().map(Vec::len), Some(CHOICES));
    assert!(told["correct"].is_null() && told["answer"].is_null());
    assert_eq!(lesson(&lecturers[0])["correct"], 1);
    let merged: toml::Table = students[3].parse().unwrap();
    assert!(!merged.contains_key("correct") && merged.contains_key("question"));
    // What is computed is the same.
    let csv = |from: Ipv4Addr, headers: &str| {
        let mut body = scene.clone();
        body["what"] = json!("csv");
        server.post_with(from, "/api/export", headers, &body).text()
    };
    assert_eq!(csv(LECTURER, &server.key_header()), csv(STUDENT, ""));
    // Another lesson, on which nobody votes, keeps its answer.
    let lab: Value = serde_json::from_str(&students[0]).unwrap();
    let lessons = lab["lessons"].as_array().unwrap();
    let other = lessons.iter().find(|one| one["name"] == "pointwise");
    assert!(other.unwrap()["answer"].is_string());

    let mut page = Follower::new(&server, STUDENT, "");
    ok(&act(&server, &json!({ "do": "open", "lesson": LESSON })));
    let own = token(&server, STUDENT);
    ok(&answer(
        &server,
        STUDENT,
        &own,
        &json!({ "number": 1, "choice": 3 }),
    ));
    ok(&act(&server, &json!({ "do": "again" })));
    ok(&answer(
        &server,
        STUDENT,
        &own,
        &json!({ "number": 2, "choice": 1 }),
    ));
    let words = "k = 1: its training error is exactly zero";
    ok(&act(
        &server,
        &json!({ "do": "reveal", "right": [1], "answer": words, "lookFor": null }),
    ));
    let state = page.until(|state| state["phase"] == "revealed");
    assert_eq!(state["rounds"], json!([[0, 0, 0, 1], [0, 1, 0, 0]]));
    assert_eq!(
        (&state["right"], &state["answer"]),
        (&json!([1]), &json!(words))
    );
    let about = server.get_with(STUDENT, "/api/lab", "").text();
    assert_eq!(lesson(&about)["answer"], words);
    // The counts, for whoever wants to keep them.
    ok(&act(&server, &json!({ "do": "end" })));
    let counts = server.get("/api/counts").text();
    let lines: Vec<&str> = counts.lines().collect();
    assert_eq!(lines[0], "question,lesson,round,option,text,right,answers");
    assert_eq!(lines.len(), 1 + 2 * CHOICES);
    assert_eq!(
        lines[4],
        "1,knn-fits,1,4,\"k = 20, and I would not use it\",0,1"
    );
    assert_eq!(
        lines[6],
        "1,knn-fits,2,2,\"k = 1, and I would not use it\",1,1"
    );
    assert!(!counts.contains(&own));
}

#[test]
fn a_code_is_needed_for_a_token_too_and_old_tokens_are_known_as_such() {
    let server = Server::start(&["--code=Room 42"]);
    let refused = server.post(STUDENT, "/api/token", &json!({}));
    assert_eq!(
        (refused.status, &*refused.message()),
        (401, "this lab has a code")
    );
    let joined = server.post(STUDENT, "/api/join", &json!({ "code": "room42" }));
    let key: Value = serde_json::from_slice(&joined.body).unwrap();
    let key = format!("X-Bvlab-Key: {}\r\n", key["key"].as_str().unwrap());
    ok(&server.post_with(STUDENT, "/api/token", &key, &json!({})));
    let old = format!("{key}X-Bvlab-Token: {}\r\n", "A".repeat(22));
    let refused = server.get_with(STUDENT, "/api/vote", &old);
    assert_eq!(refused.status, 403);
    assert!(refused.message().contains("ask for a new one"));
}

#[test]
fn the_class_follows_the_lecturer_alone() {
    let server = Server::start(&[]);
    let show = |view: &Value| server.post(LECTURER, "/api/view", view);
    let own = token(&server, STUDENT);
    let header = format!("X-Bvlab-Token: {own}\r\n");
    let mut page = Follower::new(&server, STUDENT, &header);
    let first = page.until(|_| true);
    assert_eq!(
        (&first["is"], &first["shown"]),
        (&json!("vote"), &Value::Null)
    );
    let view = json!({ "view": { "lesson": "knn-fits", "sets": [], "drawn": 3 } });
    ok(&show(&view));
    let shown = page.until(|message| message["is"] == "view");
    assert_eq!(shown["view"], view["view"]);
    // Whoever comes later sees it at once.
    let mut late = Follower::new(&server, address(4), &header);
    assert_eq!(
        late.until(|message| message["is"] == "view")["view"],
        view["view"]
    );
    // The answer to a question that the lecturer wrote is not shown along.
    let text = "question = \"Which?\"\nchoices = [\"a\", \"b\"]\ncorrect = 2\nanswer = \"It is b.\"\nproblem = { truth = \"x\", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 9 }\n[[learner]]\nknn = { k = 2 }\n";
    ok(&show(&json!({ "view": { "toml": text } })));
    let shown = page.until(|message| message["is"] == "view")["view"]["toml"].to_string();
    assert!(shown.contains("Which?") && shown.contains("knn"), "{shown}");
    assert!(
        !shown.contains("It is b.") && !shown.contains("correct"),
        "{shown}"
    );
    // Nobody else shows anything, and nothing that is no view or too long is shown.
    let from_student = server.post(STUDENT, "/api/view", &view);
    assert_eq!(from_student.status, 403, "{}", from_student.text());
    let long = json!({ "view": { "toml": "#".repeat(20_000) } });
    for (wrong, status) in [(long, 413), (json!({ "view": 3 }), 400), (json!([]), 400)] {
        assert_eq!(show(&wrong).status, status, "{wrong}");
    }
    ok(&show(&json!({ "view": null })));
    assert_eq!(
        page.until(|message| message["is"] == "view")["view"],
        Value::Null
    );
}
