//! The lab under load: a class of 200 on this machine's loopback, hostile clients among them, and the
//! lecturer.
//!
//! ```sh
//! cargo bench --bench load                        # 200 clients, 20 of them hostile, for 60 seconds
//! cargo bench --bench load -- 200 180             # for 3 minutes
//! cargo bench --bench load -- 50 20 0             # 50 clients for 20 seconds, none of them hostile
//! cargo bench --bench load -- 200 30 0 own        # 200 who compute in their own browsers
//! ```
//!
//! Clients have addresses in 127.0.0.0/8 (which needs Linux). Those of good will each move a slider,
//! watch the run to its end, think for about two seconds, and go on; thirty of them share one address,
//! as behind NAT. The hostile ones each keep doing one of five things: they hold idle connections, 2100
//! in all; fill the memory that runs may have; ask for lessons with names of 250 000 letters; begin
//! runs by the dozen and leave; ask for large pictures. The lecturer asks for a new setting every
//! second. After a third of the time the lecturer opens a question, which everybody of good will answers
//! within ten seconds, and answers otherwise (`votes.rs`): an answer that is not counted, or counted twice, is an
//! error. Printed are runs, refusals and errors of good will, how long runs took at the shared address
//! and at others, the lecturer's waiting times, and the server's memory up to a minute after all have
//! left. A refusal or an error makes the exit code 1.
//!
//! With the word `own`, those of good will do what the pages of students ask for (`pages.rs`): all open the
//! page within ten seconds, fetch its files, have the first run computed by the server, fetch module and
//! lessons, and ask for nothing more; one in twenty has a browser that cannot compute, and goes on as above.

mod pages;
mod votes;

use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

/// How many clients of good will share one address.
const BEHIND_NAT: u64 = 30;
/// How many idle connections the hostile clients hold together: more than the lab has places.
const IDLE: u64 = 2100;
/// How long the server's memory is watched after all have left.
const REST: Duration = Duration::from_secs(60);

/// What a request came to.
enum Answer {
    /// When the first and the last message came.
    Run { first: Duration, last: Duration },
    /// The lab was busy.
    Refused,
}

#[derive(Default)]
struct Counts {
    runs: AtomicU64,
    refused: AtomicU64,
    errors: AtomicU64,
    bytes: AtomicU64,
    files: AtomicU64,
    /// When pages that were opened had their first run, and all that they need to compute.
    pictures: Mutex<Vec<Duration>>,
    engines: Mutex<Vec<Duration>>,
    /// How long whole runs took, at the shared address and at others.
    took: [Mutex<Vec<Duration>>; 2],
}

impl Counts {
    /// Adds the time since a moment.
    fn note(&self, times: &Mutex<Vec<Duration>>, since: Instant) {
        if let Ok(mut times) = times.lock() {
            times.push(since.elapsed());
        }
    }
}

/// A client, and how it finds the lab.
#[derive(Clone)]
struct Visitor {
    address: Ipv4Addr,
    port: u16,
    /// The lecturer's key.
    key: Option<String>,
}

fn main() -> ExitCode {
    // `cargo bench` adds a word of its own.
    let numbers = std::env::args().filter_map(|word| word.parse::<u64>().ok());
    let numbers: Vec<u64> = numbers.collect();
    let number = |place: usize, default: u64| numbers.get(place).copied().unwrap_or(default);
    let clients = number(0, 200);
    let seconds = number(1, 60);
    let hostile = number(2, clients / 10).min(clients);
    let own = std::env::args().any(|word| word == "own");
    let plan = Class {
        clients,
        hostile,
        seconds,
        own,
    };
    let mut server = Command::new(env!("CARGO_BIN_EXE_bvlab"))
        .args(["lab", "--no-open", "--listen", "0.0.0.0", "--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program was built");
    raise_file_limit();
    let out = server.stdout.take().expect("its output is a pipe");
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line)
        .expect("it says where it is");
    let (address, key) = line
        .trim_end()
        .split_once("/#lecturer=")
        .expect("with the lecturer's key");
    let port = address.rsplit(':').next();
    let port: u16 = port
        .and_then(|port| port.parse().ok())
        .expect("with its port");
    let lecturer = Visitor {
        address: Ipv4Addr::LOCALHOST,
        port,
        key: Some(key.to_owned()),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("threads can be started");
    let failed = runtime.block_on(class(lecturer, server.id(), plan));
    let _ = server.kill();
    let _ = server.wait();
    match failed {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

/// Who comes, and for how long.
struct Class {
    clients: u64,
    hostile: u64,
    seconds: u64,
    /// Whether they compute in their own browsers.
    own: bool,
}

async fn class(lecturer: Visitor, server: u32, plan: Class) -> bool {
    let Class {
        clients,
        hostile,
        seconds,
        own,
    } = plan;
    let counts = Arc::new(Counts::default());
    let end = Instant::now() + Duration::from_secs(seconds);
    let at_first = memory(server);
    println!(
        "{clients} clients, {hostile} of them hostile, for {seconds} s; the server holds {at_first} MB at first"
    );
    let student = |number: u64| Visitor {
        address: match number < BEHIND_NAT {
            true => Ipv4Addr::new(127, 1, 0, 1),
            false => Ipv4Addr::new(127, 0, 1 + (number / 250) as u8, 1 + (number % 250) as u8),
        },
        port: lecturer.port,
        key: None,
    };
    let voters = (0..clients - hostile).map(student).collect();
    let opens = Instant::now() + Duration::from_secs((seconds / 3).max(6));
    let vote = votes::whole_class(lecturer.clone(), voters, opens, counts.clone());
    let vote = tokio::spawn(vote);
    let mut students = Vec::new();
    for number in 0..clients - hostile {
        let (student, counts) = (student(number), counts.clone());
        students.push(match own {
            true => tokio::spawn(pages::open_page(student, number, end, counts)),
            false => tokio::spawn(good_will(student, number, end, counts)),
        });
    }
    for number in clients - hostile..clients {
        let each = (IDLE / hostile.div_ceil(KINDS)) as usize;
        tokio::spawn(ill_will(student(number), number, each, end));
    }
    let (mut waits, mut dice, mut told) = (Vec::new(), 0x1234_5678_9abc_def1, Instant::now());
    let half = Instant::now() + Duration::from_secs(seconds / 2);
    let mut in_the_middle = None;
    while Instant::now() < end {
        match ask(&lecturer, &scene(&mut dice), &counts).await {
            Ok(Answer::Run { first, last }) => waits.push((first, last)),
            Ok(Answer::Refused) => {
                eprintln!("the lecturer was refused");
                counts.errors.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => {
                eprintln!("the lecturer: {error}");
                counts.errors.fetch_add(1, Ordering::Relaxed);
            }
        }
        if in_the_middle.is_none() && Instant::now() > half {
            in_the_middle = Some(memory(server));
        }
        if told.elapsed() > Duration::from_secs(10) {
            told = Instant::now();
            let runs = counts.runs.load(Ordering::Relaxed);
            println!("  {runs} runs, the server holds {} MB", memory(server));
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    // Those that are under way may end.
    for student in students {
        let _ = student.await;
    }
    let _ = vote.await;
    let at_end = memory(server);
    println!("the server has computed for {:.1} s", processor(server));
    if own {
        let files = counts.files.load(Ordering::Relaxed);
        println!("pages: {files} files");
        for (what, times) in [
            ("first run", &counts.pictures),
            ("page computes", &counts.engines),
        ] {
            let times = times.lock().map(|times| times.clone()).unwrap_or_default();
            print_times(what, times.into_iter());
        }
    }
    let [runs, refused, errors, bytes] =
        [&counts.runs, &counts.refused, &counts.errors, &counts.bytes]
            .map(|count| count.load(Ordering::Relaxed));
    println!(
        "good will: {runs} runs to their end, {refused} refusals, {errors} errors, {} MB",
        bytes >> 20
    );
    for (who, took) in ["shared address", "addresses of their own"]
        .iter()
        .zip(&counts.took)
    {
        let took = took.lock().map(|took| took.clone()).unwrap_or_default();
        print_times(who, took.into_iter());
    }
    print_times(
        "lecturer, first message",
        waits.iter().map(|(first, _)| *first),
    );
    print_times("lecturer, whole run", waits.iter().map(|(_, last)| *last));
    tokio::time::sleep(REST).await;
    let (middle, last) = (in_the_middle.unwrap_or(0), memory(server));
    println!(
        "memory: {at_first} MB at first, {middle} MB half way, {at_end} MB at the end, {last} MB {} s later",
        REST.as_secs()
    );
    errors > 0 || refused > 0
}

/// Prints what is to be known of some waiting times.
fn print_times(what: &str, times: impl Iterator<Item = Duration>) {
    let mut times: Vec<u128> = times.map(|time| time.as_millis()).collect();
    times.sort_unstable();
    let at = |share: usize| {
        let place = (times.len().max(1) - 1) * share / 100;
        times.get(place).copied().unwrap_or(0)
    };
    println!(
        "{what}: median {} ms, 95 % {} ms, longest {} ms of {}",
        at(50),
        at(95),
        at(100),
        times.len()
    );
}

/// Moves a slider, watches, thinks, and again.
async fn good_will(student: Visitor, number: u64, end: Instant, counts: Arc<Counts>) {
    let mut dice = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    while Instant::now() < end {
        let answer = ask(&student, &scene(&mut dice), &counts).await;
        let count = match answer {
            Ok(Answer::Run { last, .. }) => {
                let took = &counts.took[usize::from(number >= BEHIND_NAT)];
                if let Ok(mut took) = took.lock() {
                    took.push(last);
                }
                &counts.runs
            }
            Ok(Answer::Refused) => &counts.refused,
            Err(error) => {
                eprintln!("student {number}: {error}");
                &counts.errors
            }
        };
        count.fetch_add(1, Ordering::Relaxed);
        let thought = 1000 + roll(&mut dice) % 2000;
        tokio::time::sleep(Duration::from_millis(thought)).await;
    }
}

/// In how many ways clients are hostile.
const KINDS: u64 = 5;

/// Tries to keep the lab from others, in a way that depends on its number.
async fn ill_will(client: Visitor, number: u64, idle: usize, end: Instant) {
    let mut dice = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut held: Vec<TcpStream> = Vec::new();
    let begin = async |path: &'static str, body: String| -> Option<TcpStream> {
        let mut stream = connect(&client).await.ok()?;
        let request = request(&client, path, &body);
        stream.write_all(request.as_bytes()).await.ok()?;
        Some(stream)
    };
    while Instant::now() < end {
        let seed = roll(&mut dice);
        match number % KINDS {
            0 => {
                // Those that were given up are replaced.
                held.retain(|stream| stream.try_read(&mut [0; 64]).is_err_and(is_waiting));
                while held.len() < idle
                    && let Ok(stream) = connect(&client).await
                {
                    held.push(stream);
                }
            }
            1 => {
                let sets = format!(
                    "\"run.seed={seed}\", \"run.keep=100\", \"run.resamples=20000\", \"sweep={{ depth = \\\"1..60\\\" }}\", \"run.test={{ grid = 2500 }}\""
                );
                let body = format!("{{\"lesson\": \"tree-tradeoff\", \"set\": [{sets}]}}");
                held.extend(begin("/api/run", body).await);
                if held.len() > 20 {
                    held.remove(0);
                }
            }
            2 => {
                let body = format!("{{\"lesson\": \"{}\"}}", "abcdefghij".repeat(25_000));
                held.extend(begin("/api/run", body).await);
                if held.len() > 20 {
                    held.clear();
                }
            }
            3 => {
                for _ in 0..20 {
                    held.extend(begin("/api/run", scene(&mut dice)).await);
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
                held.clear();
            }
            _ => {
                let body = format!(
                    "{{\"lesson\": \"tree-tradeoff\", \"set\": [\"run.seed={}\"], \"what\": \"png\"}}",
                    seed % 10
                );
                held.extend(begin("/api/export", body).await);
                if held.len() > 40 {
                    held.remove(0);
                }
            }
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

fn is_waiting(error: std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::WouldBlock
}

/// So many connections need as many files.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        eprintln!("the limit of open files stays as it is: {error}");
    }
}

/// A lesson with some slider moved.
fn scene(dice: &mut u64) -> String {
    let lesson = match roll(dice) % 10 {
        0..5 => "tree-tradeoff",
        5 | 6 => "knn-tradeoff",
        7 | 8 => "gaussian-ridge-tradeoff",
        _ => "bagging-tradeoff",
    };
    let (train, noise, seed) = (50 + roll(dice) % 100, 1 + roll(dice) % 9, roll(dice) % 50);
    let sets = format!(
        "\"problem.train={train}\", \"problem.noise={{ normal = 0.{noise} }}\", \"run.seed={seed}\", \"run.resamples=300\""
    );
    format!("{{\"lesson\": \"{lesson}\", \"set\": [{sets}]}}")
}

/// The next of some numbers without pattern.
fn roll(dice: &mut u64) -> u64 {
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    *dice >> 16
}

async fn ask(visitor: &Visitor, body: &str, counts: &Counts) -> Result<Answer, String> {
    let asked = tokio::time::timeout(Duration::from_secs(60), asked(visitor, body, counts)).await;
    match asked {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(_) => Err("no end within 60 s".to_owned()),
    }
}

async fn connect(visitor: &Visitor) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((visitor.address, 0)))?;
    let lab = SocketAddr::from((Ipv4Addr::LOCALHOST, visitor.port));
    socket.connect(lab).await
}

fn request(visitor: &Visitor, path: &str, body: &str) -> String {
    request_with(visitor, "POST", path, "", body)
}

/// The same with another method, and more headers, each a line.
fn request_with(visitor: &Visitor, method: &str, path: &str, headers: &str, body: &str) -> String {
    let key = match &visitor.key {
        Some(key) => format!("X-Bvlab-Key: {key}\r\n"),
        None => String::new(),
    };
    format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{key}{headers}\r\n{body}",
        visitor.port,
        body.len()
    )
}

/// All that is answered to a request, which is about `path`.
async fn answered(visitor: &Visitor, path: &str, request: &str) -> Result<Vec<u8>, String> {
    let answer = async {
        let mut stream = connect(visitor).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        Ok::<_, std::io::Error>(answer)
    };
    let answer = tokio::time::timeout(Duration::from_secs(60), answer).await;
    let answer = answer.map_err(|_| format!("no {path} within 60 s"))?;
    answer.map_err(|error| format!("{path}: {error}"))
}

async fn asked(visitor: &Visitor, body: &str, counts: &Counts) -> std::io::Result<Answer> {
    let wrong = |what: String| std::io::Error::other(what);
    let begun = Instant::now();
    let mut stream = BufReader::new(connect(visitor).await?);
    let request = request(visitor, "/api/run", body);
    stream.write_all(request.as_bytes()).await?;
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let status = line.split(' ').nth(1).unwrap_or("").to_owned();
    let mut rest = Vec::new();
    let mut first = None;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            break;
        }
        first.get_or_insert_with(|| begun.elapsed());
        counts.bytes.fetch_add(read as u64, Ordering::Relaxed);
        rest.extend_from_slice(&buffer[..read]);
        // Only the end matters.
        if rest.len() > 4096 {
            rest.drain(..rest.len() - 2048);
        }
    }
    let rest = String::from_utf8_lossy(&rest);
    match status.as_str() {
        "200" if rest.contains("\"is\":\"end\"") && rest.ends_with("0\r\n\r\n") => {
            Ok(Answer::Run {
                first: first.unwrap_or_default(),
                last: begun.elapsed(),
            })
        }
        "429" | "503" => Ok(Answer::Refused),
        _ => Err(wrong(format!("status {status}, {rest}"))),
    }
}

/// The memory that a process holds, in MB; 0 where that cannot be told.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"));
    let status = status.unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    number.unwrap_or(0) >> 10
}

/// The seconds that a process has computed; 0 where that cannot be told.
fn processor(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // What follows the name of the program, in hundredths of a second.
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let numbers = fields.split(' ').skip(11).take(2);
    numbers
        .filter_map(|one| one.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}
