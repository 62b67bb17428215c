//! The lab under load: a class of 200 on this machine's loopback, and the lecturer among them.
//!
//! ```sh
//! cargo bench --bench load                 # 200 students for 60 seconds
//! cargo bench --bench load -- 50 20        # 50 students for 20 seconds
//! ```
//!
//! Every student has an address of its own in 127.0.0.0/8 (which needs Linux), moves a slider, watches
//! the run to its end, thinks for about two seconds, and goes on. The lecturer, at 127.0.0.1, asks for a
//! new setting every second. Printed are requests, refusals, errors, the lecturer's waiting times and
//! the server's memory; any error makes the exit code 1.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpSocket;

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
}

fn main() -> ExitCode {
    // `cargo bench` adds a word of its own.
    let numbers = std::env::args().filter_map(|word| word.parse::<u64>().ok());
    let numbers: Vec<u64> = numbers.collect();
    let students = numbers.first().copied().unwrap_or(200);
    let seconds = numbers.get(1).copied().unwrap_or(60);
    let mut server = Command::new(env!("CARGO_BIN_EXE_bvlab"))
        .args(["lab", "--no-open", "--listen", "0.0.0.0", "--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program was built");
    let out = server.stdout.take().expect("its output is a pipe");
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line)
        .expect("it says where it is");
    let port = line.trim_end().trim_end_matches('/').rsplit(':').next();
    let port: u16 = port
        .and_then(|port| port.parse().ok())
        .expect("with its port");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("threads can be started");
    let failed = runtime.block_on(class(port, server.id(), students, seconds));
    let _ = server.kill();
    let _ = server.wait();
    match failed {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

async fn class(port: u16, server: u32, students: u64, seconds: u64) -> bool {
    let counts = Arc::new(Counts::default());
    let end = Instant::now() + Duration::from_secs(seconds);
    let at_first = memory(server);
    println!("{students} students for {seconds} s; the server holds {at_first} MB at first");
    for number in 0..students {
        let counts = counts.clone();
        tokio::spawn(async move {
            let from = Ipv4Addr::new(127, 0, 1 + (number / 250) as u8, 1 + (number % 250) as u8);
            let mut dice = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            while Instant::now() < end {
                let answer = ask(from, port, &scene(&mut dice), &counts).await;
                let count = match answer {
                    Ok(Answer::Run { .. }) => &counts.runs,
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
        });
    }
    let (mut waits, mut dice, mut told) = (Vec::new(), 0x1234_5678_9abc_def1, Instant::now());
    let half = Instant::now() + Duration::from_secs(seconds / 2);
    let mut in_the_middle = None;
    while Instant::now() < end {
        match ask(Ipv4Addr::LOCALHOST, port, &scene(&mut dice), &counts).await {
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
    tokio::time::sleep(Duration::from_secs(3)).await;
    let [runs, refused, errors, bytes] =
        [&counts.runs, &counts.refused, &counts.errors, &counts.bytes]
            .map(|count| count.load(Ordering::Relaxed));
    println!(
        "students: {runs} runs to their end, {refused} refusals, {errors} errors, {} MB",
        bytes >> 20
    );
    for (what, pick) in [("first message", 0), ("whole run", 1)] {
        let mut times: Vec<u128> = waits
            .iter()
            .map(|(first, last)| [first, last][pick].as_millis())
            .collect();
        times.sort_unstable();
        let at = |share: usize| {
            times
                .get((times.len().max(1) - 1) * share / 100)
                .copied()
                .unwrap_or(0)
        };
        println!(
            "lecturer, {what}: median {} ms, 95 % {} ms, longest {} ms of {}",
            at(50),
            at(95),
            at(100),
            times.len()
        );
    }
    let (middle, last) = (in_the_middle.unwrap_or(0), memory(server));
    println!("memory: {at_first} MB at first, {middle} MB half way, {last} MB at the end");
    errors > 0
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

async fn ask(from: Ipv4Addr, port: u16, body: &str, counts: &Counts) -> Result<Answer, String> {
    let asked =
        tokio::time::timeout(Duration::from_secs(60), asked(from, port, body, counts)).await;
    match asked {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(_) => Err("no end within 60 s".to_owned()),
    }
}

async fn asked(from: Ipv4Addr, port: u16, body: &str, counts: &Counts) -> std::io::Result<Answer> {
    let wrong = |what: String| std::io::Error::other(what);
    let begun = Instant::now();
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((from, 0)))?;
    let stream = socket
        .connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .await?;
    let mut stream = BufReader::new(stream);
    let request = format!(
        "POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
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
