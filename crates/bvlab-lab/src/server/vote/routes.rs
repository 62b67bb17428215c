//! The requests about votes.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Answer, Presence, Question, Versions, Votes};
use crate::lessons::text_without_answers;
use crate::scene::Refusal;
use crate::server::identity::Client;
use crate::server::priority::run_aside;
use crate::server::{LONGEST_REQUEST, Lab, read_up_to, refuse};

/// The header that a page sends its token in: it is in no log that has addresses.
const TOKEN: HeaderName = HeaderName::from_static("x-bvlab-token");
/// The most bytes of an answer.
const LONGEST_ANSWER: usize = 1024;
/// The most bytes of what the class is shown: a scene, and how it is looked at.
const LONGEST_VIEW: usize = 16 * 1024;
/// After how long without news a stream sends an empty line.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How often the lecturer's page hears of new answers at most.
const PAUSE: Duration = Duration::from_millis(200);

/// What the lecturer does with a question.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", tag = "do")]
enum VoteAction {
    Open {
        lesson: String,
        #[serde(default)]
        choices: Vec<String>,
    },
    Close,
    Again,
    #[serde(rename_all = "camelCase")]
    Reveal {
        #[serde(default)]
        right: Vec<usize>,
        answer: Option<String>,
        look_for: Option<String>,
    },
    End,
}

/// The answer of a student.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerBody {
    number: u64,
    choice: usize,
}

/// What the lecturer's page shows; null leaves the class to itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ViewBody {
    view: Option<Map<String, Value>>,
}

fn told(result: Result<(), Refusal>) -> Response {
    match result {
        Ok(()) => axum::Json(json!({})).into_response(),
        Err(refusal) => refuse(&refusal),
    }
}

fn token_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(TOKEN)?.to_str().ok()
}

/// All of them.
pub fn routes() -> Router<Arc<Lab>> {
    Router::new()
        .route("/api/token", post(issue))
        .route("/api/answer", post(answer))
        .route("/api/vote", get(follow).post(act))
        .route("/api/view", post(show))
        .route("/api/counts", get(counts))
}

/// A token for whoever has joined.
async fn issue(State(lab): State<Arc<Lab>>, Extension(client): Extension<Client>) -> Response {
    match lab.votes.token(client.address) {
        Ok(token) => axum::Json(json!({ "token": token })).into_response(),
        Err(refusal) => refuse(&refusal),
    }
}

/// An answer.
async fn answer(State(lab): State<Arc<Lab>>, headers: HeaderMap, body: Body) -> Response {
    let AnswerBody { number, choice } = match read_up_to(body, LONGEST_ANSWER).await {
        Ok(answer) => answer,
        Err(response) => return response,
    };
    let token = token_of(&headers).unwrap_or_default();
    told(lab.votes.answer(token, number, choice))
}

/// What the lecturer does.
async fn act(
    State(lab): State<Arc<Lab>>,
    Extension(client): Extension<Client>,
    body: Body,
) -> Response {
    if !client.lecturer {
        return refuse(&only_lecturer());
    }
    let action: VoteAction = match read_up_to(body, LONGEST_REQUEST).await {
        Ok(action) => action,
        Err(response) => return response,
    };
    told(match action {
        VoteAction::Open { lesson, choices } => lab.votes.open(Question {
            options: lab.lessons.options(&lesson),
            lesson,
            choices,
        }),
        VoteAction::Close => lab.votes.close_round(),
        VoteAction::Again => lab.votes.again(),
        VoteAction::Reveal {
            right,
            answer,
            look_for,
        } => lab.votes.reveal(Answer {
            right,
            answer,
            look_for,
        }),
        VoteAction::End => lab.votes.end(),
    })
}

/// Shows the class what the lecturer sees.
async fn show(
    State(lab): State<Arc<Lab>>,
    Extension(client): Extension<Client>,
    body: Body,
) -> Response {
    if !client.lecturer {
        return refuse(&only_lecturer());
    }
    let ViewBody { mut view } = match read_up_to(body, LONGEST_VIEW).await {
        Ok(view) => view,
        Err(response) => return response,
    };
    // An experiment that the lecturer wrote may have a question for the class, too.
    if let Some(Value::String(text)) = view.as_mut().and_then(|view| view.get_mut("toml")) {
        let whole = std::mem::take(text);
        let stripped = run_aside(client, move || text_without_answers(&whole)).await;
        *text = stripped.unwrap_or_default();
    }
    lab.votes.show(view.map(Value::Object));
    told(Ok(()))
}

fn only_lecturer() -> Refusal {
    Refusal::Forbidden("only the lecturer leads votes and the class".to_owned())
}

/// The state of the vote, and every change of it: to students what everybody sees, to the lecturer how
/// many have answered.
async fn follow(
    State(lab): State<Arc<Lab>>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
) -> Response {
    let token = token_of(&headers).map(str::to_owned);
    if let Some(token) = &token
        && !client.lecturer
        && let Err(refusal) = lab.votes.check(token)
    {
        return refuse(&refusal);
    }
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    let unbuffered = [(HeaderName::from_static("x-accel-buffering"), "no")];
    let lines = lines(lab.votes.clone(), client.lecturer, token);
    (kind, unbuffered, Body::from_stream(lines)).into_response()
}

fn lines(
    votes: Arc<Votes>,
    lecturer: bool,
    token: Option<String>,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let news = match lecturer {
        true => votes.count.subscribe(),
        false => votes.stage.subscribe(),
    };
    let presence = Presence((!lecturer).then(|| votes.clone()));
    if !lecturer {
        votes.room().here += 1;
        votes.tell(false);
    }
    unfold(
        (votes, news, presence, token, None),
        move |(votes, mut news, presence, token, seen)| async move {
            if lecturer && seen.is_some() {
                tokio::time::sleep(PAUSE).await;
            }
            if seen.is_some() {
                // An error means that the lab ends, which its state says.
                let _ = tokio::time::timeout(KEEP_ALIVE, news.changed()).await;
            }
            let now = *news.borrow_and_update();
            let text = text(&votes, lecturer, token.as_deref(), seen, now)?;
            let seen = Some(now);
            Some((Ok(Bytes::from(text)), (votes, news, presence, token, seen)))
        },
    )
}

/// What a page has not been told yet, in lines; an empty one if there is nothing. `None` at the end.
fn text(
    votes: &Votes,
    lecturer: bool,
    token: Option<&str>,
    seen: Option<Versions>,
    now: Versions,
) -> Option<String> {
    let mut text = String::new();
    if seen.is_none_or(|seen| seen.vote != now.vote) {
        text.push_str(&format!("{}\n", votes.state(lecturer, token)?));
    }
    if !lecturer && seen.unwrap_or_default().view != now.view {
        text.push_str(&format!("{}\n", votes.view()));
    }
    if text.is_empty() {
        text.push('\n');
    }
    Some(text)
}

/// The counts of all rounds as CSV.
async fn counts(State(lab): State<Arc<Lab>>, Extension(client): Extension<Client>) -> Response {
    if !client.lecturer {
        return refuse(&only_lecturer());
    }
    let kind = [(header::CONTENT_TYPE, "text/csv; charset=utf-8")];
    (kind, csv(&lab)).into_response()
}

/// One line for every answer of every round that has ended.
fn csv(lab: &Lab) -> String {
    let mut text = "question,lesson,round,option,text,right,answers\n".to_owned();
    for (number, ended) in lab.votes.ended().iter().enumerate() {
        let lesson = quoted(&ended.question.lesson);
        let told = lab.lessons.told_of(&ended.question.lesson);
        for (round, counts) in ended.rounds.iter().enumerate() {
            for (option, count) in counts.iter().enumerate() {
                let words = quoted(&option_text(told, &ended.question, option));
                let right = match ended.right.is_empty() {
                    true => "",
                    false if ended.right.contains(&option) => "1",
                    false => "0",
                };
                let (number, round, option) = (number + 1, round + 1, option + 1);
                text.push_str(&format!(
                    "{number},{lesson},{round},{option},{words},{right},{count}\n"
                ));
            }
        }
    }
    text
}

/// A choice, or the value that was guessed.
fn option_text(told: Option<&Value>, question: &Question, option: usize) -> String {
    if let Some(choice) = question.choices.get(option) {
        return choice.clone();
    }
    let told = told.unwrap_or(&Value::Null);
    match (&told["choices"][option], &told["guess"]["values"][option]) {
        (Value::String(choice), _) => choice.clone(),
        (_, Value::String(value)) => value.clone(),
        (_, value) => value.to_string(),
    }
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
