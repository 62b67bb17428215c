//! A question that the whole class answers within ten seconds, while it computes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Counts, Visitor, answered, print_times, request_with, roll};

/// A lesson with a question, and how many choices it has.
const LESSON: &str = "knn-fits";
const CHOICES: u64 = 4;
/// Within how many milliseconds a class answers.
const ANSWERS: u64 = 10_000;

/// Opens a question after a third of the time, has everybody answer it twice, and counts what arrived:
/// of every student the second answer, once.
pub async fn whole_class(
    lecturer: Visitor,
    students: Vec<Visitor>,
    opens: Instant,
    counts: Arc<Counts>,
) {
    let answering: Vec<_> = students
        .into_iter()
        .enumerate()
        .map(|(number, student)| tokio::spawn(answer_twice(student, number as u64, opens)))
        .collect();
    let voters = answering.len() as u64;
    tokio::time::sleep_until(opens.into()).await;
    let open = format!("{{\"do\": \"open\", \"lesson\": \"{LESSON}\"}}");
    let mut failed = send(&lecturer, "POST", "/api/vote", "", &open).await.err();
    let mut times = Vec::new();
    for answers in answering {
        match answers.await {
            Ok(Ok(took)) => times.extend(took),
            Ok(Err(error)) => failed = Some(error),
            Err(error) => failed = Some(error.to_string()),
        }
    }
    let close = send(&lecturer, "POST", "/api/vote", "", "{\"do\": \"close\"}").await;
    let counted = send(&lecturer, "GET", "/api/counts", "", "").await;
    let counted = match close.and(counted) {
        Ok(csv) => counted_in(&csv),
        Err(error) => {
            failed = Some(error);
            Vec::new()
        }
    };
    let expected: Vec<u64> = (0..CHOICES)
        .map(|choice| (0..voters).filter(|n| n % CHOICES == choice).count() as u64)
        .collect();
    println!("votes: {voters} students, counted by choice {counted:?}, expected {expected:?}");
    print_times("votes, an answer", times.into_iter());
    if let Some(error) = &failed {
        eprintln!("votes: {error}");
    }
    if failed.is_some() || counted != expected {
        counts.errors.fetch_add(1, Ordering::Relaxed);
    }
}

/// Takes a token and answers twice; how long both answers took.
async fn answer_twice(
    student: Visitor,
    number: u64,
    opens: Instant,
) -> Result<Vec<Duration>, String> {
    let mut dice = number.wrapping_mul(0xd1b5_4a32_d192_ed03) | 1;
    let early = Duration::from_millis(2000 + roll(&mut dice) % 3000);
    tokio::time::sleep_until((opens - early).into()).await;
    let issued = send(&student, "POST", "/api/token", "", "{}").await?;
    let token = issued.split('"').nth(3).unwrap_or_default().to_owned();
    let header = format!("X-Bvlab-Token: {token}\r\n");
    // The question is open a moment after that.
    let mut at = opens + Duration::from_millis(1000 + roll(&mut dice) % (ANSWERS / 2));
    let mut took = Vec::new();
    for choice in [number + 1, number] {
        tokio::time::sleep_until(at.into()).await;
        let begun = Instant::now();
        let body = format!("{{\"number\": 1, \"choice\": {}}}", choice % CHOICES);
        send(&student, "POST", "/api/answer", &header, &body).await?;
        took.push(begun.elapsed());
        at += Duration::from_millis(roll(&mut dice) % (ANSWERS / 2));
    }
    Ok(took)
}

/// The last column of the counts.
fn counted_in(csv: &str) -> Vec<u64> {
    let lines = csv.lines().skip(1);
    let last = lines.filter_map(|line| line.rsplit(',').next()?.trim().parse().ok());
    last.collect()
}

/// The body of an answer whose status is 200.
async fn send(
    visitor: &Visitor,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> Result<String, String> {
    let request = request_with(visitor, method, path, headers, body);
    let answer = answered(visitor, path, &request).await?;
    let answer = String::from_utf8_lossy(&answer);
    match answer.split_once("\r\n\r\n") {
        Some((head, body)) if head.starts_with("HTTP/1.1 200") => Ok(body.to_owned()),
        _ => Err(format!("{path}: {answer}")),
    }
}
