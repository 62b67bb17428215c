//! Students who compute in their own browsers: what their pages ask the lab for.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Answer, Counts, Visitor, answered, ask, good_will, request_with, roll};

/// Within how many milliseconds a class opens the page.
const ARRIVAL: u64 = 10_000;
/// One student in so many has a browser that cannot compute.
const INCAPABLE: u64 = 20;
/// What the page runs first, on the server, since its module is not there yet.
const FIRST: &str = "{\"lesson\": \"tree-tradeoff\", \"set\": []}";

/// Opens the page as a browser does, and computes there from then on, which asks the lab for nothing. Some
/// browsers cannot: the lab computes for them whenever they move a slider.
pub async fn open_page(student: Visitor, number: u64, end: Instant, counts: Arc<Counts>) {
    let mut dice = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let arrival = Duration::from_millis(roll(&mut dice) % ARRIVAL);
    tokio::time::sleep(arrival).await;
    let capable = number % INCAPABLE != INCAPABLE - 1;
    let begun = Instant::now();
    if let Err(error) = visit(&student, capable, begun, &counts).await {
        eprintln!("student {number}: {error}");
        counts.errors.fetch_add(1, Ordering::Relaxed);
    }
    if !capable {
        good_will(student, number, end, counts).await;
    }
}

/// The page with all its files, the first run, and what a page needs to compute.
async fn visit(
    student: &Visitor,
    capable: bool,
    begun: Instant,
    counts: &Counts,
) -> Result<(), String> {
    let (mut known, mut next) = (BTreeSet::new(), vec![String::new()]);
    while let Some(file) = next.pop() {
        let text = get(student, &file, counts).await?;
        let text = String::from_utf8_lossy(&text);
        next.extend(named(&text).filter(|name| known.insert(name.clone())));
    }
    get(student, "api/lab", counts).await?;
    match ask(student, FIRST, counts).await? {
        Answer::Run { .. } => counts.note(&counts.pictures, begun),
        Answer::Refused => return Err("the first run was refused".to_owned()),
    }
    if capable {
        for file in ["bvlab.wasm.gz", "api/lessons", "worker.js"] {
            get(student, file, counts).await?;
        }
        counts.note(&counts.engines, begun);
    }
    Ok(())
}

/// The files that a page, a script or a sheet names.
fn named(text: &str) -> impl Iterator<Item = String> + '_ {
    let quoted = text.split('"').skip(1).step_by(2);
    quoted.filter_map(|name| {
        let name = name.strip_prefix("./").unwrap_or(name);
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-.".contains(&b);
        let (stem, kind) = name.rsplit_once('.')?;
        let is_file = !stem.is_empty() && ["js", "css", "otf"].contains(&kind);
        let starts_by_itself = name == "worker.js";
        (is_file && !starts_by_itself && name.bytes().all(plain)).then(|| name.to_owned())
    })
}

/// A file of the lab.
async fn get(student: &Visitor, file: &str, counts: &Counts) -> Result<Vec<u8>, String> {
    let path = format!("/{file}");
    let request = request_with(student, "GET", &path, "", "");
    let answer = answered(student, &path, &request).await?;
    counts
        .bytes
        .fetch_add(answer.len() as u64, Ordering::Relaxed);
    counts.files.fetch_add(1, Ordering::Relaxed);
    match answer.starts_with(b"HTTP/1.1 200") {
        true => Ok(answer),
        false => Err(format!(
            "{path}: {}",
            String::from_utf8_lossy(&answer[..answer.len().min(100)])
        )),
    }
}
