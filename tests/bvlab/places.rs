//! Who the lecturer is, and that nobody can keep the lab from them, whatever they do.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::Command;

use serde_json::{Value, json};

use crate::lab::{Answer, LECTURER, STUDENT, Server, request};

/// What the lecturer asks for again and again.
fn lecturer_is_answered(server: &Server, seed: u64) {
    let seed = format!("run.seed={seed}");
    let scene = json!({ "lesson": "tree-tradeoff", "set": ["run.resamples=50", seed] });
    let messages = server.run(&scene);
    assert_eq!(messages.last().unwrap()["is"], "end");
}

fn student(number: usize) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 7, 1 + number as u8)
}

/// Sends a request and does not read the answer.
fn begin(server: &Server, from: Ipv4Addr, path: &str, body: &Value) -> TcpStream {
    let mut stream = server.connect(from);
    let request = request(path, &server.host(), "", &body.to_string());
    stream.write_all(&request).unwrap();
    stream
}

/// Reads what has come; whether the answer is complete.
fn has_ended(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
            Err(_) => return true,
        }
    }
}

/// The first line of a streamed answer that is going on.
fn has_begun(stream: &mut TcpStream) -> bool {
    let mut line = [0; 15];
    stream.read_exact(&mut line).unwrap();
    &line == b"HTTP/1.1 200 OK"
}

fn about(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text());
    serde_json::from_slice(&answer.body).unwrap()
}

/// Lets this process have so many files; returns how many it may have.
#[cfg(unix)]
fn files(wanted: u64) -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let current = limit.maximum.map_or(wanted, |most| most.min(wanted));
    let current = current.max(limit.current.unwrap_or(u64::MAX).min(wanted));
    let raised = Rlimit {
        current: Some(current),
        ..limit
    };
    setrlimit(Resource::Nofile, raised).unwrap();
    current
}

#[cfg(unix)]
#[test]
fn idle_connections_do_not_keep_the_lecturer_out() {
    let server = Server::start(&[]);
    let most = files(3000) as usize - 300;
    // More than the lab has places, from 33 addresses, some with half a request.
    let mut held = Vec::new();
    for number in 0..2112.min(most) {
        let mut stream = server.connect(student(number % 33));
        if number % 2 == 0 {
            let _ = stream.write_all(b"GET / HTT");
        }
        held.push(stream);
    }
    for seed in 0..16 {
        lecturer_is_answered(&server, seed);
    }
    // A student with one connection is not in the way of anybody either.
    let scene = json!({ "lesson": "tree-tradeoff", "set": ["run.resamples=20"] });
    assert_eq!(server.post(STUDENT, "/api/run", &scene).status, 200);
    drop(held);
}

#[cfg(unix)]
#[test]
fn few_files_mean_few_connections_and_never_none() {
    let mut limited = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_bvlab");
    limited.args(["-c", "ulimit -n 256; exec \"$0\" \"$@\"", program]);
    let server = Server::start_by(limited, &[]);
    let mut held: Vec<TcpStream> = (0..400)
        .map(|number| {
            let mut stream = server.connect(student(number % 5));
            let _ = stream.write_all(b"GET / HTT");
            stream
        })
        .collect();
    for seed in 0..16 {
        lecturer_is_answered(&server, seed);
    }
    // The first ones were given up for the last ones.
    assert!(has_ended(&mut held[0]));
    drop(held);
}

#[test]
fn students_cannot_fill_the_lecturers_memory() {
    let server = Server::start(&["--threads", "2"]);
    // Each would go on for as long as a student's run may, and holds much.
    let large = |seed: usize| {
        let seed = format!("run.seed={seed}");
        let sets = [
            "run.keep=100",
            "run.resamples=20_000",
            "sweep={ depth = \"1..60\" }",
            "run.test={ grid = 2500 }",
            "problem.train=2000",
            &seed,
        ];
        json!({ "lesson": "tree-tradeoff", "set": sets })
    };
    let mut asked: Vec<TcpStream> = (0..12)
        .map(|number| begin(&server, student(number), "/api/run", &large(number)))
        .collect();
    assert!(asked.iter_mut().all(has_begun));
    lecturer_is_answered(&server, 1);
    // Also with a run that holds as much as one of theirs.
    let mut mine = large(99);
    mine["set"].as_array_mut().unwrap()[1] = json!("run.resamples=10");
    assert_eq!(server.run(&mine).last().unwrap()["is"], "end");
    assert!(
        !asked.iter_mut().any(has_ended),
        "the lecturer had to wait for a student's run"
    );
}

#[test]
fn whoever_comes_through_a_forward_is_a_student() {
    let server = Server::start(&[]);
    // From the lecturer's own address, as through `ssh -L`, `socat` or a proxy on this machine.
    let told = about(&server.get_with(LECTURER, "/api/lab", ""));
    assert_eq!(told["lecturer"], false);
    assert_eq!(told["limits"]["resamples"], 20_000);
    for wrong in ["X-Bvlab-Key: \r\n", "X-Bvlab-Key: lecturer\r\n"] {
        let told = about(&server.get_with(LECTURER, "/api/lab", wrong));
        assert_eq!(told["lecturer"], false, "{wrong}");
    }
    let claimed = "X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\n";
    let told = about(&server.get_with(STUDENT, "/api/lab", claimed));
    assert_eq!(told["lecturer"], false);
    // They share the address, not the lecturer's count of runs.
    let mut asked: Vec<TcpStream> = (0..30)
        .map(|seed| {
            let set = [
                "run.resamples=20_000".to_owned(),
                format!("run.seed={seed}"),
            ];
            let scene = json!({ "lesson": "tree-tradeoff", "set": set });
            begin(&server, LECTURER, "/api/run", &scene)
        })
        .collect();
    assert!(asked.iter_mut().all(has_begun));
    lecturer_is_answered(&server, 77);
    assert_eq!(about(&server.get("/api/lab"))["lecturer"], true);
    // The key opens the lab from anywhere.
    let told = about(&server.get_with(STUDENT, "/api/lab", &server.key_header()));
    assert_eq!(told["lecturer"], true);
}

#[test]
fn a_class_behind_one_address_is_refused_nothing() {
    let server = Server::start(&["--threads", "1"]);
    let mut asked: Vec<TcpStream> = (0..60)
        .map(|seed| {
            let set = ["run.resamples=2_000".to_owned(), format!("run.seed={seed}")];
            let scene = json!({ "lesson": "tree-tradeoff", "set": set });
            begin(&server, STUDENT, "/api/run", &scene)
        })
        .collect();
    assert!(asked.iter_mut().all(has_begun), "nobody gets a 429");
    lecturer_is_answered(&server, 1);
    // Someone at another address does not wait until they have all ended.
    let scene = json!({ "lesson": "tree-tradeoff", "set": ["run.resamples=20"] });
    assert_eq!(server.post(student(1), "/api/run", &scene).status, 200);
    assert!(asked.iter_mut().any(|stream| !has_ended(stream)));
}

#[test]
fn slow_requests_do_not_take_the_lecturers_reader() {
    let server = Server::start(&[]);
    // As long a name as a request can have: looking for similar ones is the longest read there is.
    let name = "abcdefghij".repeat(25_000);
    let asked: Vec<TcpStream> = (0..60)
        .map(|number| {
            let from = student(number % 20);
            begin(&server, from, "/api/run", &json!({ "lesson": name }))
        })
        .collect();
    for seed in 0..4 {
        lecturer_is_answered(&server, seed);
    }
    drop(asked);
}

#[test]
fn pictures_of_students_do_not_keep_the_lecturers_waiting() {
    let server = Server::start(&[]);
    let picture = |seed: usize| {
        let seed = format!("run.seed={}", seed % 10);
        json!({ "lesson": "tree-tradeoff", "set": ["run.resamples=20", seed], "what": "png" })
    };
    let mut asked: Vec<TcpStream> = (0..300)
        .map(|number| {
            begin(
                &server,
                student(number % 20),
                "/api/export",
                &picture(number),
            )
        })
        .collect();
    let answer = server.post(LECTURER, "/api/export", &picture(5));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(asked.iter_mut().any(|stream| !has_ended(stream)));
}

#[test]
fn a_code_lets_students_in_and_the_lecturer_needs_none() {
    let server = Server::start(&["--code=Room 42"]);
    let host = server.host();
    // The page itself is there, and asks; what it would ask for is not.
    assert_eq!(server.get_with(STUDENT, "/", "").status, 200);
    assert_eq!(server.get_with(STUDENT, "/main.js", "").status, 200);
    let scene = json!({ "lesson": "tree-tradeoff", "set": ["run.resamples=20"] });
    let mut picture = scene.clone();
    picture["what"] = json!("csv");
    assert_eq!(server.get_with(STUDENT, "/api/lab", "").status, 401);
    assert_eq!(server.post(STUDENT, "/api/run", &scene).status, 401);
    assert_eq!(server.post(STUDENT, "/api/export", &picture).status, 401);
    let join =
        |from: Ipv4Addr, code: &str| server.post(from, "/api/join", &json!({ "code": code }));
    assert_eq!(join(STUDENT, "room 43").status, 401);
    let answer = join(STUDENT, "room-42");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let told: Value = serde_json::from_slice(&answer.body).unwrap();
    let key = format!("X-Bvlab-Key: {}\r\n", told["key"].as_str().unwrap());
    let told = about(&server.get_with(STUDENT, "/api/lab", &key));
    assert_eq!(
        (&told["lecturer"], &told["code"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(
        server.post_with(STUDENT, "/api/run", &key, &scene).status,
        200
    );
    // Whoever guesses is held up, and nobody else.
    let guesses = (0..60).map(|guess| join(student(1), &format!("room {guess}x")).status);
    let guesses: Vec<u16> = guesses.collect();
    assert_eq!(guesses[0], 401);
    let answer = join(student(1), "room 42");
    assert_eq!(answer.status, 429, "{guesses:?}");
    assert!(answer.head.contains("retry-after: "));
    assert_eq!(join(student(2), "room 42").status, 200);
    // The lecturer sees the code.
    assert_eq!(about(&server.get("/api/lab"))["code"], "ROOM42");
    assert_eq!(server.post(LECTURER, "/api/run", &scene).status, 200);
    // A page of another site cannot guess with a student's browser.
    let headers = "Origin: http://evil.example\r\n";
    let body = json!({ "code": "room 42" }).to_string();
    let answer = server.raw(STUDENT, &request("/api/join", &host, headers, &body));
    assert_eq!(answer.status, 403);
    assert_eq!(
        Server::start(&[])
            .post(STUDENT, "/api/join", &json!({ "code": "room 42" }))
            .status,
        404
    );
}

#[test]
fn only_the_proxy_says_who_asks() {
    let server = Server::start(&["--code=Room 42", "--behind-proxy"]);
    let join = |from: Ipv4Addr, forwarded: &str, code: &str| {
        let header = format!("X-Forwarded-For: {forwarded}\r\n");
        let body = json!({ "code": code });
        server.post_with(from, "/api/join", &header, &body).status
    };
    for _ in 0..60 {
        join(LECTURER, "192.0.2.1", "wrong");
    }
    assert_eq!(join(LECTURER, "192.0.2.1", "room 42"), 429);
    // What a client has written itself, before what the proxy adds, changes nothing.
    assert_eq!(join(LECTURER, "198.51.100.9, 192.0.2.1", "room 42"), 429);
    assert_eq!(join(LECTURER, "192.0.2.1, 198.51.100.9", "room 42"), 200);
    // Who does not come from the proxy is counted by the address they come from.
    for guess in 0..60 {
        join(STUDENT, &format!("203.0.113.{guess}"), "wrong");
    }
    assert_eq!(join(STUDENT, "203.0.113.99", "room 42"), 429);
    // The lecturer at the machine goes past the proxy.
    lecturer_is_answered(&server, 1);
}

#[test]
fn the_class_is_told_an_address_without_the_key() {
    let server = Server::start(&["--url", "https://lab.example.edu", "--code"]);
    let told = about(&server.get("/api/lab"));
    assert_eq!(told["address"], "https://lab.example.edu/");
    assert!(!told.to_string().contains(&server.key));
    let code = told["code"].as_str().unwrap();
    assert_eq!(code.len(), 6, "{code}");
    // The page may be asked for under that name.
    let asked = format!(
        "GET /api/lab HTTP/1.1\r\nHost: lab.example.edu\r\nOrigin: https://lab.example.edu\r\nConnection: close\r\n{}\r\n",
        server.key_header()
    );
    assert_eq!(server.raw(STUDENT, asked.as_bytes()).status, 200);
    for (arguments, word) in [
        (&["--code=abc"][..], "4 to 64 letters"),
        (&["--url", "lab.example.edu"], "https://lab.example.edu/"),
        (&["--url", "https://lab.example.edu/#x"], "such as"),
        (&["--behind-proxy=nginx"], "nginx"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_bvlab"))
            .args(["lab", "--no-open", "--port", "0"])
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(words.contains(word), "{words}");
    }
}
