//! The lab's server: the same numbers as the command line, and nothing for strangers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The program, serving.
pub struct Server {
    pub child: Child,
    pub port: u16,
    /// The lecturer's key.
    pub key: String,
}

impl Server {
    pub fn start(arguments: &[&str]) -> Server {
        Server::start_by(Command::new(env!("CARGO_BIN_EXE_bvlab")), arguments)
    }

    /// Starts it by a command that runs the program.
    pub fn start_by(mut command: Command, arguments: &[&str]) -> Server {
        let mut child = command
            .args(["lab", "--no-open", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let (address, key) = line
            .trim_end()
            .split_once("/#lecturer=")
            .unwrap_or_else(|| panic!("no key in {line:?}"));
        let port = address
            .rsplit(':')
            .next()
            .and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("no port in {line:?}"));
        let key = key.to_owned();
        Server { child, port, key }
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The header that makes a request the lecturer's.
    pub fn key_header(&self) -> String {
        format!("X-Bvlab-Key: {}\r\n", self.key)
    }

    /// Connects from an address of the loopback network.
    pub fn connect(&self, from: Ipv4Addr) -> TcpStream {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let stream = runtime.block_on(async {
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind(SocketAddr::new(IpAddr::V4(from), 0)).unwrap();
            let to = SocketAddr::from(([127, 0, 0, 1], self.port));
            socket.connect(to).await.unwrap().into_std().unwrap()
        });
        stream.set_nonblocking(false).unwrap();
        // Only so that a server that hangs fails the test instead of holding it up.
        stream
            .set_read_timeout(Some(Duration::from_secs(120)))
            .unwrap();
        stream
    }

    /// Sends a request as it stands.
    pub fn raw(&self, from: Ipv4Addr, request: &[u8]) -> Answer {
        let mut stream = self.connect(from);
        // A server that refuses may close before it has read everything.
        let _ = stream.write_all(request);
        Answer::read(stream)
    }

    /// Asks as the lecturer.
    pub fn get(&self, path: &str) -> Answer {
        self.get_with(LECTURER, path, &self.key_header())
    }

    /// Asks with other headers.
    pub fn get_with(&self, from: Ipv4Addr, path: &str, headers: &str) -> Answer {
        let host = self.host();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n");
        self.raw(from, request.as_bytes())
    }

    /// Asks as the lecturer from their address, and as a student from any other.
    pub fn post(&self, from: Ipv4Addr, path: &str, body: &Value) -> Answer {
        match from {
            LECTURER => self.post_with(from, path, &self.key_header(), body),
            _ => self.post_with(from, path, "", body),
        }
    }

    /// Asks with other headers.
    pub fn post_with(&self, from: Ipv4Addr, path: &str, headers: &str, body: &Value) -> Answer {
        let host = self.host();
        self.raw(from, &request(path, &host, headers, &body.to_string()))
    }

    pub fn export(&self, body: &Value) -> Vec<u8> {
        let answer = self.post(LECTURER, "/api/export", body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.body
    }

    /// The messages of a run.
    pub fn run(&self, body: &Value) -> Vec<Value> {
        let answer = self.post(LECTURER, "/api/run", body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let lines = answer.text();
        let lines = lines.lines().filter(|line| !line.is_empty());
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub const LECTURER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 1);
pub const STUDENT: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

pub fn request(path: &str, host: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .into_bytes()
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn read(mut stream: TcpStream) -> Answer {
        let mut bytes = Vec::new();
        // A connection that is reset may still have answered.
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let Some(end) = end else {
            let head = String::from_utf8_lossy(&bytes).into_owned();
            return Answer {
                status: 0,
                head,
                body: Vec::new(),
            };
        };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let body = &bytes[end + 4..];
        let body = match head.contains("transfer-encoding: chunked") {
            true => unchunked(body),
            false => body.to_vec(),
        };
        Answer { status, head, body }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The sentence of a refusal.
    pub fn message(&self) -> String {
        let told: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        told["error"]["message"].as_str().unwrap_or("").to_owned()
    }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = rest
            .windows(2)
            .position(|two| two == b"\r\n")
            .expect("a chunk has a size");
        let size = std::str::from_utf8(&rest[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        rest = &rest[end + 2..];
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&rest[..size]);
        rest = &rest[size + 2..];
    }
}

/// The numbers of an array, in full or for drawing.
pub fn numbers(value: &Value) -> Vec<f64> {
    if let Some(text) = value["f8"].as_str() {
        let bytes = STANDARD.decode(text).unwrap();
        let numbers = bytes
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes(b.try_into().unwrap()));
        return numbers.collect();
    }
    let bytes = STANDARD.decode(value["f4"].as_str().unwrap()).unwrap();
    let numbers = bytes
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()));
    numbers.map(f64::from).collect()
}

/// A column of a table as the command line writes it.
pub fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut lines = csv.lines();
    let place = lines
        .next()
        .unwrap()
        .split(',')
        .position(|known| known == name);
    let place = place.unwrap_or_else(|| panic!("no column {name}"));
    let cells = lines.map(|line| line.split(',').nth(place).unwrap().to_owned());
    cells.map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()
}

/// The table that `bvlab run` writes.
pub fn command_line(out: &Path, experiment: &str, arguments: &[&str]) -> String {
    let status = Command::new(env!("CARGO_BIN_EXE_bvlab"))
        .args(["run", experiment, "--quiet", "--out"])
        .arg(out)
        .args(arguments)
        .status()
        .unwrap();
    assert!(status.success());
    let name = Path::new(experiment).file_stem().unwrap();
    std::fs::read_to_string(out.join(name).join("curves.csv")).unwrap()
}

pub fn of<'a>(messages: &'a [Value], kind: &str) -> Vec<&'a Value> {
    messages
        .iter()
        .filter(|message| message["is"] == kind)
        .collect()
}

#[test]
fn what_the_page_shows_and_exports_is_what_the_command_line_writes() {
    let server = Server::start(&[]);
    let out = tempfile::tempdir().unwrap();
    let scene = json!({ "lesson": "tree-tradeoff", "set": ["problem.train=60", "run.seed=5"] });
    let sets = ["--set", "problem.train=60", "--seed", "5"];
    let messages = server.run(&scene);
    let mut frames: Vec<Value> = of(&messages, "frame").into_iter().cloned().collect();
    // The first ones, one more at a time, come when they are asked for.
    let mut steps = scene.clone();
    steps["what"] = json!("steps");
    let steps = String::from_utf8(server.export(&steps)).unwrap();
    frames.extend(
        steps
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()),
    );
    // Every training set up to those that are sent, then where all groups have done as much.
    let mut counts: Vec<u64> = frames
        .iter()
        .map(|f| f["count"].as_u64().unwrap())
        .collect();
    counts.sort_unstable();
    counts.dedup();
    let expected: Vec<u64> = (4..=40).chain([48, 96, 192, 384, 768, 1000]).collect();
    assert_eq!(counts, expected);
    for count in [4, 11, 39, 40, 48, 192, 1000] {
        let resamples = count.to_string();
        let arguments: Vec<&str> = sets
            .into_iter()
            .chain(["--resamples", &resamples])
            .collect();
        let csv = command_line(out.path(), "tree-tradeoff", &arguments);
        let frame = frames.iter().find(|frame| frame["count"] == count).unwrap();
        for name in [
            "noise",
            "bias2",
            "bias2_se",
            "variance",
            "variance_se",
            "risk",
            "risk_se",
            "train_risk",
            "train_risk_se",
            "test_risk",
            "test_risk_se",
            "risk_q25",
            "risk_median",
            "risk_median_se",
            "risk_q75",
            "largest_share",
        ] {
            let shown = numbers(&frame["learners"][0][name]);
            let written = column(&csv, name);
            // In full from the first round on, before that in the 32 bits that drawing needs.
            let rounded = |v: &f64| if count < 48 { f64::from(*v as f32) } else { *v };
            let written: Vec<f64> = written.iter().map(rounded).collect();
            assert_eq!(shown, written, "{name} of {count}");
        }
        let mut asked = scene.clone();
        asked["what"] = json!("csv");
        asked["count"] = json!(count);
        assert_eq!(
            String::from_utf8(server.export(&asked)).unwrap(),
            csv,
            "{count}"
        );
    }
    // The kept training sets and fits are those of the tables.
    let draws = of(&messages, "draw");
    assert_eq!(draws.len(), 40);
    let table = |name: &str| {
        let file = out.path().join("tree-tradeoff").join(name);
        bvlab::outcome::Table::read_parquet(&file.with_extension("parquet")).unwrap()
    };
    let draw = draws.iter().find(|draw| draw["resample"] == 7).unwrap();
    let sevenths = |table: &bvlab::outcome::Table, name: &str| -> Vec<f64> {
        let rows = table.wholes("resample").iter().zip(table.numbers(name));
        let rows = rows.filter(|(resample, _)| **resample == 7);
        rows.map(|(_, value)| f64::from(*value as f32)).collect()
    };
    assert!(numbers(&draw["data"][0]["y"]) == sevenths(&table("training"), "y"));
    assert!(numbers(&draw["fits"][0]) == sevenths(&table("fits"), "prediction"));
    let points = of(&messages, "points")[0];
    let written = table("points");
    let written = written.numbers("variance").iter();
    let written: Vec<f64> = written.map(|v| f64::from(*v as f32)).collect();
    assert!(numbers(&points["learners"][0]["variance"]) == written);
    assert_eq!(messages.last().unwrap()["is"], "end");
}

#[test]
fn a_saved_scene_runs_to_the_same_table() {
    let server = Server::start(&[]);
    let out = tempfile::tempdir().unwrap();
    let scene = json!({
        "lesson": "descent-epochs", "what": "toml",
        "set": ["sweep.features=[10, 40, 60]", "sweep.epochs=[10, 1e4]", "run.resamples=50",
            "problem.noise={ normal = 0.1 }", "figure=[{ heatmap = {} }]"],
    });
    let text = String::from_utf8(server.export(&scene)).unwrap();
    let file = out.path().join("saved.toml");
    std::fs::write(&file, &text).unwrap();
    let ours = command_line(out.path(), file.to_str().unwrap(), &[]);
    let mut asked = scene.clone();
    asked["what"] = json!("csv");
    let page = String::from_utf8(server.export(&asked)).unwrap();
    assert_eq!(page, ours, "{text}");
    // The order of the two axes is part of the experiment.
    assert!(
        text.find("\nfeatures = ").unwrap() < text.find("\nepochs = ").unwrap(),
        "{text}"
    );
}

#[test]
fn infinities_reach_the_page() {
    let server = Server::start(&[]);
    let messages = server.run(&json!({ "lesson": "descent-samples", "set": ["run.resamples=40"] }));
    let theory = of(&messages, "theory")[0];
    let variance = numbers(&theory["learners"][0]["variance_exact"]);
    assert!(variance.contains(&f64::INFINITY), "{variance:?}");
    let solving = of(&messages, "solving")[0];
    assert!(
        numbers(&solving["learners"][0]["weight_norm"])
            .iter()
            .all(|norm| *norm > 0.0)
    );
}

#[test]
fn a_simulation_is_its_figure() {
    let server = Server::start(&[]);
    let scene = json!({ "lesson": "majority-vote", "set": ["run.resamples=2000"] });
    let messages = server.run(&scene);
    // How far its figures are: twice in every doubling.
    let frames = of(&messages, "frame");
    let counts: Vec<u64> = frames
        .iter()
        .filter_map(|one| one["count"].as_u64())
        .collect();
    assert_eq!(counts[..6], [4, 6, 8, 12, 16, 24]);
    assert_eq!(counts.last(), Some(&1536));
    assert_eq!(
        messages.len(),
        counts.len() + of(&messages, "progress").len() + 3
    );
    assert_eq!(messages.last().unwrap()["is"], "end");
    for (what, begin) in [
        ("svg", &b"<svg"[..]),
        ("png", &b"\x89PNG"[..]),
        ("csv", &b"panel,"[..]),
    ] {
        let mut asked = scene.clone();
        asked["what"] = json!(what);
        assert!(server.export(&asked).starts_with(begin), "{what}");
    }
}

/// The kinds of a run's messages, without words and those that say how far it is.
pub fn kinds(messages: &[Value]) -> Vec<&str> {
    let kinds = messages.iter().filter_map(|message| message["is"].as_str());
    kinds
        .filter(|kind| !["progress", "words"].contains(kind))
        .collect()
}

#[test]
fn classes_in_many_dimensions_are_shown_by_their_figures_alone() {
    let server = Server::start(&[]);
    let out = tempfile::tempdir().unwrap();
    let scene =
        json!({ "lesson": "covariance-ladder", "set": ["run.resamples=120", "run.seed=9"] });
    let answer = server.post(STUDENT, "/api/run", &scene);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.body.len() < 10_000, "{} bytes", answer.body.len());
    let messages = server.run(&scene);
    assert_eq!(kinds(&messages), ["head", "end"]);
    let head = &messages[0];
    let why = head["pictured"].as_str().unwrap();
    assert!(why.contains("here there are 5"), "{why}");
    assert_eq!(head["figures"].as_array().unwrap().len(), 1);
    assert_eq!(messages.last().unwrap()["count"], 120);
    // Tables and figures are those of the command line, to the last byte.
    let arguments = ["--resamples", "120", "--seed", "9", "--format", "svg"];
    let csv = command_line(out.path(), "covariance-ladder", &arguments);
    let export = |what: &str, figure: usize| {
        let mut asked = scene.clone();
        asked["what"] = json!(what);
        asked["figure"] = json!(figure);
        String::from_utf8(server.export(&asked)).unwrap()
    };
    assert_eq!(export("csv", 0), csv);
    assert_eq!(export("steps", 0), "");
    let written = out.path().join("covariance-ladder/tradeoff.svg");
    let written = std::fs::read_to_string(written).unwrap();
    assert!(export("svg", 0) == written);
    let saved = out.path().join("saved.toml");
    std::fs::write(&saved, export("toml", 0)).unwrap();
    assert_eq!(command_line(out.path(), saved.to_str().unwrap(), &[]), csv);
    // In the menu they have a place of their own, and a lesson of numbers is shown as ever.
    let lab: Value = serde_json::from_slice(&server.get("/api/lab").body).unwrap();
    let lesson = |name: &str| {
        let mut lessons = lab["lessons"].as_array().unwrap().iter();
        lessons.find(|lesson| lesson["name"] == name).unwrap()
    };
    assert_eq!(lesson("moons-zero-one")["group"], "Classes and losses");
    assert_eq!(lesson("moons-zero-one")["pictured"], Value::Null);
    assert_eq!(lesson("covariance-ladder")["pictured"], why);
    assert_eq!(lesson("tree-tradeoff")["pictured"], Value::Null);
    assert!(lesson("majority-vote")["pictured"].is_string());
}

#[test]
fn a_long_run_of_classes_says_how_far_it_is() {
    let server = Server::start(&[]);
    let scene = json!({ "lesson": "covariance-ladder", "set": ["run.resamples=8000"] });
    let messages = server.run(&scene);
    let progress = of(&messages, "progress");
    let counts: Vec<u64> = progress
        .iter()
        .map(|message| message["count"].as_u64().unwrap())
        .collect();
    assert!(!counts.is_empty());
    assert!(counts.iter().all(|count| *count <= 8000), "{counts:?}");
}

/// A folder with an experiment about a table beside it.
fn flowers() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let iris = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/data/iris.csv");
    std::fs::copy(iris, folder.path().join("flowers.csv")).unwrap();
    let text = "[problem]\ntable = \"flowers.csv\"\ntarget = \"species\"\n[sweep]\nk = [1, 5, 15]\n[[learner]]\nknn = {}\n[run]\nresamples = 60\nloss = \"zero-one\"\n[[figure]]\ntradeoff = {}\n";
    std::fs::write(folder.path().join("flowers.toml"), text).unwrap();
    (folder, text.to_owned())
}

#[test]
fn a_table_that_the_lecturer_opens_is_read_once() {
    let (folder, text) = flowers();
    let file = folder.path().join("flowers.toml");
    let csv = command_line(folder.path(), file.to_str().unwrap(), &["--seed", "3"]);
    let server = Server::start(&[file.to_str().unwrap()]);
    std::fs::remove_file(folder.path().join("flowers.csv")).unwrap();
    let seed = ["run.seed=3"];
    let messages = server.run(&json!({ "lesson": "flowers", "set": seed }));
    assert!(messages[0]["pictured"].is_null());
    assert_eq!(messages[0]["rows"]["target"], "species");
    assert_eq!(messages[0]["rows"]["classes"][0], "setosa");
    // The same experiment, changed as a text, is about the same table.
    for scene in [
        json!({ "lesson": "flowers", "set": seed, "what": "csv" }),
        json!({ "toml": text, "set": seed, "what": "csv" }),
    ] {
        assert_eq!(String::from_utf8(server.export(&scene)).unwrap(), csv);
    }
    let figure = json!({ "lesson": "flowers", "set": seed, "what": "svg" });
    assert!(server.export(&figure).starts_with(b"<svg"));
}

#[test]
fn no_request_makes_the_lab_read_a_file() {
    let (folder, text) = flowers();
    let lesson = folder.path().join("flowers.toml");
    let other = folder.path().join("other.csv");
    std::fs::copy(folder.path().join("flowers.csv"), &other).unwrap();
    let other = other.to_str().unwrap();
    let absent = folder.path().join("absent.csv");
    let absent = absent.to_str().unwrap();
    let server = Server::start(&[lesson.to_str().unwrap()]);
    let bare = Server::start(&[]);
    for table in [
        other,
        absent,
        "other.csv",
        "./flowers.csv",
        "/etc/passwd",
        "/dev/zero",
        "../flowers.csv",
        "experiments/data/iris.csv",
        "data/../data/iris.csv",
        "data/README.md",
        "moons-squared.toml",
        "",
    ] {
        let toml = text.replace("flowers.csv", table);
        let set = format!("problem.table=\"{table}\"");
        // On top of a lesson of another kind nothing is left of that.
        let instead = format!("problem={{ table = \"{table}\", target = \"species\" }}");
        for (server, scene) in [
            (&server, json!({ "toml": toml })),
            (&bare, json!({ "toml": toml })),
            (&server, json!({ "toml": text, "set": [set] })),
            (&server, json!({ "lesson": "flowers", "set": [set] })),
            (
                &bare,
                json!({ "lesson": "moons-squared", "set": [instead, "run.test=0"] }),
            ),
            (
                &bare,
                json!({ "lesson": "moons-squared", "set": [instead] }),
            ),
            (&bare, json!({ "lesson": "tree-tradeoff", "set": [set] })),
        ] {
            for (from, path) in [
                (LECTURER, "/api/run"),
                (STUDENT, "/api/run"),
                (STUDENT, "/api/export"),
            ] {
                let mut scene = scene.clone();
                if path == "/api/export" {
                    scene["what"] = json!("csv");
                }
                let answer = server.post(from, path, &scene);
                assert_eq!(answer.status, 400, "{scene}: {}", answer.text());
                // A file that is there and one that is not are refused alike.
                let words = answer.text();
                assert!(!words.contains("No such file"), "{scene}: {words}");
                assert!(!words.contains("did you mean `"), "{scene}: {words}");
            }
        }
        let answer = server.post(STUDENT, "/api/run", &json!({ "toml": toml }));
        assert!(
            answer.message().contains("the live page reads no files"),
            "{table}: {}",
            answer.message()
        );
    }
    // What ships is inside the program, and its lessons are in the menu.
    let lab: Value = serde_json::from_slice(&bare.get("/api/lab").body).unwrap();
    let lessons = lab["lessons"].as_array().unwrap();
    let group = |name: &str| {
        let mut found = lessons.iter().filter(|lesson| lesson["name"] == name);
        found.next().unwrap()["group"].clone()
    };
    assert_eq!(group("iris-trees"), "Choosing");
    assert_eq!(group("diabetes-trees"), "Choosing");
    let scene = json!({ "lesson": "diabetes-trees", "set": ["run.resamples=20"] });
    assert_eq!(bare.run(&scene)[0]["rows"]["target"], "progression");
    let toml = text.replace("flowers.csv", "data/iris.csv");
    let messages = bare.run(&json!({ "toml": toml }));
    assert_eq!(messages[0]["rows"]["target"], "species");
    // Without the lecturer's experiment its table is no lesson's.
    let answer = bare.post(LECTURER, "/api/run", &json!({ "toml": text }));
    assert_eq!(answer.status, 400);
}

#[test]
fn a_page_of_figures_holds_them() {
    let folder = tempfile::tempdir().unwrap();
    for (experiment, figures) in [
        ("covariance-ladder", vec!["tradeoff"]),
        ("majority-vote", vec!["simulation"]),
    ] {
        let name = Path::new(experiment).file_stem().unwrap();
        let home = folder.path().join(name);
        let status = Command::new(env!("CARGO_BIN_EXE_bvlab"))
            .args(["run", experiment, "--quiet", "--page", "--format", "svg"])
            .args(["--resamples", "60", "--out"])
            .arg(folder.path())
            .status()
            .unwrap();
        assert!(status.success());
        let page = std::fs::read_to_string(home.join("page.html")).unwrap();
        assert!(page.len() < 4_000_000, "{experiment}: {}", page.len());
        let recorded = recorded(&page);
        let messages = recorded["messages"].as_array().unwrap();
        // A simulation also says after how many resamples there are figures.
        let mut others = kinds(messages);
        others.retain(|kind| *kind != "frame" || experiment != "majority-vote");
        assert_eq!(others, ["head", "end"], "{experiment}");
        assert_eq!(recorded["figures"].as_array().unwrap().len(), figures.len());
        for (figure, name) in recorded["figures"].as_array().unwrap().iter().zip(&figures) {
            let written = home.join(name).with_extension("svg");
            let written = std::fs::read_to_string(written).unwrap();
            assert!(*figure == written, "{experiment}: {name}");
        }
    }
}

#[test]
fn a_page_of_a_table_has_its_rows_and_training_sets() {
    let (folder, _) = flowers();
    let file = folder.path().join("flowers.toml");
    let csv = command_line(folder.path(), file.to_str().unwrap(), &["--page"]);
    let page = std::fs::read_to_string(folder.path().join("flowers/page.html")).unwrap();
    let recorded = recorded(&page);
    assert_eq!(recorded["csv"], csv);
    let messages = recorded["messages"].as_array().unwrap();
    assert_eq!(messages[0]["rows"]["drawn"], 105);
    let draws = of(messages, "draw");
    assert!(draws.len() >= 8, "{}", draws.len());
    assert_eq!(messages[0]["keep"], draws.len());
    assert!(draws[0]["weights"][0].is_object());
    assert_eq!(messages.last().unwrap()["is"], "end");
}

/// What is recorded in a page without a server.
fn recorded(page: &str) -> Value {
    let start = page.find("id=\"recorded\">").unwrap() + "id=\"recorded\">".len();
    let end = start + page[start..].find("</script>").unwrap();
    serde_json::from_str(&page[start..end]).unwrap()
}

#[test]
fn any_experiment_opens_as_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    let text = "title = \"Mine\"\n[problem]\ntruth = \"x\"\ninputs = { uniform = [0, 1] }\nnoise = { normal = 1 }\ntrain = 9\n[[learner]]\nknn = { k = 3 }\n";
    std::fs::write(&file, text).unwrap();
    let server = Server::start(&[file.to_str().unwrap(), "--set", "problem.train=12"]);
    let lab: Value = serde_json::from_slice(&server.get("/api/lab").body).unwrap();
    assert_eq!(lab["open"], "mine");
    assert_eq!(lab["lessons"][0]["title"], "Mine");
    assert_eq!(lab["lessons"][0]["group"], "Yours");
    assert_eq!(lab["lecturer"], true);
    let messages = server.run(&json!({ "lesson": "mine" }));
    assert_eq!(messages[0]["train"], "12");
    // A text that was pasted is as good as a file.
    let messages = server.run(&json!({ "toml": text, "set": ["run.resamples=10"] }));
    assert_eq!(messages[0]["learners"][0]["family"], "knn");
    assert_eq!(messages.last().unwrap()["count"], 10);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let server = Server::start(&[]);
    let refused = |set: &str| {
        let body = json!({ "lesson": "tree-tradeoff", "set": [set] });
        let answer = server.post(LECTURER, "/api/run", &body);
        assert_eq!(answer.status, 400, "{set}");
        let told: Value = serde_json::from_slice(&answer.body).unwrap();
        told["error"].clone()
    };
    let error = refused("problem.truth=sin(x");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("ends too early"),
        "{error}"
    );
    let error = refused("problem.trian=5");
    assert_eq!(error["token"], "trian");
    assert!(
        error["help"].as_str().unwrap().contains("`train`"),
        "{error}"
    );
    let answer = server.post(LECTURER, "/api/run", &json!({ "lesson": "tree-tradeof" }));
    assert_eq!(answer.status, 404);
    assert!(
        answer.message().contains("tree-tradeoff"),
        "{}",
        answer.message()
    );
    let text = "[problem]\ntruth = 5 5\n";
    let answer = server.post(LECTURER, "/api/run", &json!({ "toml": text }));
    let told: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(told["error"]["line"], 2, "{told}");
    for body in [
        "{",
        "[]",
        "{}",
        "{\"lesson\": 5}",
        "{\"lesson\": \"a\", \"toml\": \"b\"}",
        "{\"what\": 1}",
    ] {
        let answer = server.raw(LECTURER, &request("/api/run", &server.host(), "", body));
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.message().len() > 20, "{body}: {}", answer.message());
    }
}

#[test]
fn only_the_page_and_its_files_are_served() {
    let server = Server::start(&[]);
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert!(page.text().contains("main.js"));
    assert!(
        page.head
            .contains("content-security-policy: default-src 'none'; script-src 'self'")
    );
    for (file, kind) in [
        ("main.js", "javascript"),
        ("style.css", "css"),
        ("Inter-Regular.otf", "font"),
    ] {
        let answer = server.get(&format!("/{file}"));
        assert_eq!(answer.status, 200, "{file}");
        assert!(answer.head.contains(kind), "{file}: {}", answer.head);
    }
    // A browser that has a file is not sent it again.
    let first = server.get("/main.js");
    let tag = first.head.split("etag: ").nth(1).unwrap();
    let tag = tag.lines().next().unwrap();
    let host = server.host();
    let again = format!(
        "GET /main.js HTTP/1.1\r\nHost: {host}\r\nIf-None-Match: {tag}\r\nConnection: close\r\n\r\n"
    );
    let again = server.raw(LECTURER, again.as_bytes());
    assert_eq!((again.status, again.body.len()), (304, 0));
    for path in [
        "/Cargo.toml",
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2fCargo.toml",
        "/..%5cCargo.toml",
        "/page/main.js",
        "//etc/passwd",
        "/etc/passwd",
        "/%00",
        "/.git/config",
        "/api/",
        "/api/lab/x",
        "/main.js/",
        "/tree-tradeoff.toml",
    ] {
        let answer = server.get(path);
        assert!(
            [400, 404].contains(&answer.status),
            "{path}: {}",
            answer.status
        );
        assert!(!answer.body.is_empty(), "{path} is refused without a word");
    }
    assert_eq!(server.get("/api/run").status, 405);
    assert_eq!(server.post(LECTURER, "/", &json!({})).status, 405);
}

#[test]
fn strangers_are_refused() {
    let server = Server::start(&["--host", "lab.example.edu"]);
    let host = server.host();
    let body = "{\"lesson\": \"tree-tradeoff\", \"set\": [\"run.resamples=10\"]}";
    let ask = |host: &str, headers: &str| {
        server
            .raw(LECTURER, &request("/api/run", host, headers, body))
            .status
    };
    assert_eq!(ask(&host, ""), 200);
    assert_eq!(ask("lab.example.edu:7878", ""), 200);
    assert_eq!(
        ask(
            &host,
            &format!("Origin: http://{host}\r\nSec-Fetch-Site: same-origin\r\n")
        ),
        200
    );
    // A name of someone else's that points here.
    assert_eq!(ask("evil.example", ""), 421);
    assert_eq!(ask("", ""), 421);
    // A page of someone else's.
    assert_eq!(ask(&host, "Origin: http://evil.example\r\n"), 403);
    assert_eq!(ask(&host, "Origin: null\r\n"), 403);
    assert_eq!(ask(&host, "Sec-Fetch-Site: cross-site\r\n"), 403);
    // What a form can send without asking.
    let form = format!(
        "POST /api/run HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    assert_eq!(server.raw(LECTURER, form.as_bytes()).status, 415);
    let nameless = server.raw(LECTURER, b"GET / HTTP/1.0\r\n\r\n");
    assert_eq!(nameless.status, 421);
    let reading = format!(
        "GET /api/lab HTTP/1.1\r\nHost: evil.example:{}\r\nConnection: close\r\n\r\n",
        server.port
    );
    assert_eq!(server.raw(LECTURER, reading.as_bytes()).status, 421);
}

#[test]
fn what_is_too_much_is_refused_with_the_limit() {
    let server = Server::start(&[]);
    let refused = |from: Ipv4Addr, set: &str, limit: &str| {
        let body = json!({ "lesson": "tree-tradeoff", "set": [set] });
        let answer = server.post(from, "/api/run", &body);
        assert_eq!(
            answer.status,
            400,
            "{set}: {}",
            answer.text().chars().take(99).collect::<String>()
        );
        assert!(
            answer.message().contains(limit),
            "{set}: {}",
            answer.message()
        );
    };
    refused(STUDENT, "run.resamples=1_000_000_000", "20000");
    refused(LECTURER, "run.resamples=1_000_000_000", "10000000");
    refused(STUDENT, "problem.train=10_000_000", "2000");
    refused(STUDENT, "run.test={ grid = 10_000_000 }", "2500");
    refused(
        STUDENT,
        "problem.inputs={ normal = [0, 1], dimension = 5000 }",
        "100",
    );
    refused(STUDENT, "sweep={ depth = \"1..5000\" }", "2000");
    refused(STUDENT, "run.keep=5000", "200");
    let big = json!({ "lesson": "tree-tradeoff", "set": [
        "learner=[{ network = { epochs = 100000 } }]", "sweep={ width = [1000] }", "figure=[]" ] });
    let answer = server.post(STUDENT, "/api/run", &big);
    assert_eq!(answer.status, 400);
    assert!(
        answer.message().contains("the limit of this page is 3e9"),
        "{}",
        answer.message()
    );
    let many = vec!["run.seed=1"; 101];
    let answer = server.post(
        STUDENT,
        "/api/run",
        &json!({ "lesson": "tree-tradeoff", "set": many }),
    );
    assert!(
        answer.message().contains("at most 100 keys"),
        "{}",
        answer.message()
    );
    // Beyond the limits of one training set a run goes on no longer than it may, and says so: that
    // is tested where time can be short.
    assert_eq!(server.get("/api/lab").status, 200);
}

#[test]
fn hostile_requests_do_no_harm() {
    let server = Server::start(&[]);
    let host = server.host();
    // A body of 100 MB, announced or not.
    let announced = format!(
        "POST /api/run HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n"
    );
    let mut flood = announced.into_bytes();
    flood.resize(flood.len() + 2_000_000, b' ');
    let answer = server.raw(STUDENT, &flood);
    assert!([0, 413].contains(&answer.status), "{}", answer.status);
    // Brackets without end, in an expression and in TOML and in JSON.
    let deep = |open: &str| open.repeat(100_000);
    for set in [
        format!("problem.truth={}x", "(".repeat(990)),
        format!("problem.truth={}x{}", "(".repeat(490), ")".repeat(490)),
        format!("problem.truth={}x", "-".repeat(990)),
        format!("problem.truth={}", "sin(".repeat(240)),
        format!("problem.truth=x{}", "^x".repeat(480)),
        format!("run.test={}", deep("[")),
        format!("run.test={}", deep("{ a = ")),
        format!("{}=1", deep("a.")),
    ] {
        let body = json!({ "lesson": "tree-tradeoff", "set": [set, "run.resamples=10"] });
        let answer = server.post(STUDENT, "/api/run", &body);
        let start: String = set.chars().take(24).collect();
        assert!(
            [200, 400, 413].contains(&answer.status),
            "{start}: {}",
            answer.status
        );
    }
    let answer = server.raw(STUDENT, &request("/api/run", &host, "", &deep("[")));
    assert_eq!(answer.status, 400);
    // A client that asks and never reads.
    let mut stalled = server.connect(STUDENT);
    let body = json!({ "lesson": "tree-tradeoff" }).to_string();
    stalled
        .write_all(&request("/api/run", &host, "", &body))
        .unwrap();
    // Nonsense.
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"\r\n\r\n\r\n",
        b"GET\0/ HTTP/9.9\r\n\r\n",
    ] {
        let answer = server.raw(STUDENT, bytes);
        assert!([0, 400].contains(&answer.status), "{}", answer.status);
    }
    // All the while the lecturer is answered.
    let messages = server.run(&json!({ "lesson": "tree-tradeoff", "set": ["run.resamples=50"] }));
    assert_eq!(messages.last().unwrap()["is"], "end");
    drop(stalled);
}

#[cfg(unix)]
#[test]
fn ctrl_c_closes_the_lab() {
    let mut server = Server::start(&[]);
    // A run that would take minutes is under way.
    let host = server.host();
    let mut stream = server.connect(LECTURER);
    let set = ["run.resamples=10_000_000"];
    let body = json!({ "lesson": "tree-tradeoff", "set": set }).to_string();
    stream
        .write_all(&request("/api/run", &host, &server.key_header(), &body))
        .unwrap();
    let mut first = [0; 64];
    stream.read_exact(&mut first).unwrap();
    let kill = Command::new("kill")
        .args(["-INT", &server.child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    let status = server.child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_bvlab"))
        .args(["lab", "--no-open", "--port", &port])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains(&port) && words.contains("--port"), "{words}");
}

#[test]
fn a_page_without_a_server_holds_everything() {
    let out = tempfile::tempdir().unwrap();
    let csv = command_line(
        out.path(),
        "knn-tradeoff",
        &["--page", "--resamples", "100"],
    );
    let page = std::fs::read_to_string(out.path().join("knn-tradeoff/page.html")).unwrap();
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
    // Nothing is fetched, and nothing is left of the modules.
    for word in [
        "import {",
        "\nexport ",
        "href=\"style.css\"",
        "src=\"main.js\"",
        "http://",
        "fonts.css",
    ] {
        let found = page
            .find(word)
            .map(|at| &page[at..(at + 80).min(page.len())]);
        let harmless = |text: &str| text.starts_with("http://www.w3.org/");
        assert!(found.is_none_or(harmless), "{word}: {found:?}");
    }
    let recorded = recorded(&page);
    assert_eq!(recorded["csv"], csv);
    let messages = recorded["messages"].as_array().unwrap();
    let last = of(messages, "frame")
        .into_iter()
        .rfind(|frame| frame["count"] == 100)
        .unwrap();
    assert_eq!(numbers(&last["learners"][0]["risk"]), column(&csv, "risk"));
    // As many training sets as fit.
    let draws = of(messages, "draw");
    assert!(draws.len() > 5 && page.len() + draws[0].to_string().len() > 3_000_000);
    let toml = recorded["toml"].as_str().unwrap();
    assert!(toml.contains("k = \"1..40\""), "{toml}");
}

#[test]
fn no_scene_ends_the_lab_or_holds_it_up() {
    let server = Server::start(&[]);
    let scene = |lesson: &str, set: &str| json!({ "lesson": lesson, "set": [set] });
    let deep = |levels: usize| format!("a{}=1", ".a".repeat(levels - 1));
    let nested = format!("a={}1{}", "{ a.a.a.a.a.a = ".repeat(60), " }".repeat(60));
    let json_deep = format!(
        r#"{{"set": {}{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let host = server.host();
    let answer = server.raw(STUDENT, &request("/api/run", &host, "", &json_deep));
    assert_eq!(answer.status, 400);
    for (body, words) in [
        (scene("tree-tradeoff", &deep(4000)), "at most 1000 bytes"),
        (scene("tree-tradeoff", &deep(400)), "at most 16 levels deep"),
        (scene("tree-tradeoff", &nested), "more than 16 levels"),
        (
            scene(&"a".repeat(250_000), "run.seed=1"),
            "at most 1000 bytes",
        ),
        (
            json!({ "toml": format!("{} = 1", "a.".repeat(60_000) + "a") }),
            "ecursion",
        ),
        (
            scene(
                "bootstrap-estimates",
                "with={ train = 10000, rounds = 1000, depths = [100] }",
            ),
            "the limit of this page is 3e9",
        ),
    ] {
        for path in ["/api/run", "/api/export"] {
            let mut body = body.clone();
            if path == "/api/export" {
                body["what"] = json!("csv");
            }
            let answer = server.post(STUDENT, path, &body);
            assert_eq!(answer.status, 400, "{words}: {}", answer.message());
            assert!(answer.message().contains(words), "{}", answer.message());
        }
    }
    // The lab is still there.
    let body = json!({ "lesson": "tree-tradeoff", "set": ["run.resamples=20"] });
    assert!(!server.run(&body).is_empty());
}
