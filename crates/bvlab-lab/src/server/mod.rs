//! The server: axum's routes, behind an accept loop that bounds connections and how long they may stall.
//!
//! - `scheduler`: runs for many clients, fairly; `export`: files of them.
//! - `guard`, `patience`: protection against other sites and slow clients; `identity`: who asks;
//!   `connections`, `turns`, `priority`: how connections, reading, drawing and cores are shared;
//!   `vote`: the answers of a class.

pub mod code;
mod connections;
mod export;
mod guard;
mod identity;
mod patience;
mod priority;
mod scheduler;
mod turns;
mod vote;

pub use identity::{Access, AccessError};

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Extension, Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::StreamExt;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use bvlab_experiment::Experiment;

use crate::scene::{Refusal, Scene};
use crate::{Lessons, assets, welcome};
use connections::{ConnectionSlot, Connections};
use identity::{Client, JoinError};
use patience::TimeoutStream;
use priority::run_aside;
use scheduler::Scheduler;
use turns::Turns;
use vote::Votes;

/// The most bytes in a request: an experiment is a page of text.
const LONGEST_REQUEST: usize = 256 * 1024;
/// How long a client may take to send the head of a request, and then its body.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a client may leave a waiting answer unread.
const STALLED: Duration = Duration::from_secs(30);
/// How long connections may take to end after the lab has closed.
const CLOSING: Duration = Duration::from_millis(300);
/// How long to wait when the system has no room for another connection.
const NO_ROOM: Duration = Duration::from_millis(10);
/// The most students' exports that are drawn at once.
const MOST_DRAWN: usize = 2;

/// The content security policy: only the page's own files. Which pages may embed it is added.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
     img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; \
     form-action 'none'";

/// The lab: its lessons, how it is reached, and its runs.
pub struct Lab {
    /// The experiments that it offers.
    pub lessons: Lessons,
    /// The same for students, without the answers that are not revealed.
    asked: Lessons,
    /// The votes on their questions.
    votes: Arc<Votes>,
    /// The lesson that the page opens with.
    pub open: String,
    /// Host names that it accepts besides IP addresses and `localhost`.
    pub hosts: Vec<String>,
    /// Other sites whose pages may show the lab in a frame.
    pub embedders: Vec<String>,
    /// Its address for the class, if it listens on the network.
    pub address: Option<String>,
    /// The proxy whose `X-Forwarded-For` is trusted.
    pub proxy: Option<IpAddr>,
    /// Who has access, and as what.
    pub access: Access,
    /// All runs.
    pub scheduler: Arc<Scheduler>,
    reading: Arc<Turns>,
    drawing: Arc<Turns>,
}

impl Lab {
    /// A lab with these lessons, on this many cores.
    pub fn new(lessons: Lessons, open: String, cores: usize, access: Access) -> Self {
        Lab {
            asked: lessons.without_answers(),
            votes: Votes::new(),
            lessons,
            open,
            hosts: Vec::new(),
            embedders: Vec::new(),
            address: None,
            proxy: None,
            access,
            scheduler: Scheduler::new(cores),
            // Reading more at once than there are cores would not be faster.
            reading: Turns::new(cores),
            drawing: Turns::new(MOST_DRAWN),
        }
    }

    /// The lessons as a client may see them.
    fn lessons_for(&self, client: Client) -> &Lessons {
        match client.lecturer {
            true => &self.lessons,
            false => &self.asked,
        }
    }
}

/// Serves until `stop` is ready, then lets connections end.
pub async fn serve(listener: TcpListener, lab: Arc<Lab>, stop: impl Future<Output = ()>) {
    let router = router(lab.clone());
    let slots = Connections::new(connections::most());
    let mut tasks = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Most likely there are no file handles left.
                if !is_of_connection(&error) {
                    slots.make_room();
                    tokio::time::sleep(NO_ROOM).await;
                }
                continue;
            }
        };
        let Some(slot) = slots.enter(peer.ip()).await else {
            continue;
        };
        let router = router.clone();
        tasks.spawn(async move {
            tokio::select! {
                () = connection(stream, slot.clone(), router) => {}
                () = slot.closed() => {}
            }
        });
    }
    drop(listener);
    // The runs end, and with them the answers that stream them.
    lab.scheduler.close();
    lab.votes.close();
    let rest = async { while tasks.join_next().await.is_some() {} };
    let _ = timeout(CLOSING, rest).await;
}

/// Whether an error while accepting concerns that connection alone.
fn is_of_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

async fn connection(stream: TcpStream, slot: Arc<ConnectionSlot>, router: Router) {
    let _ = stream.set_nodelay(true);
    let stream = TokioIo::new(TimeoutStream::new(stream, STALLED));
    let service = TowerToHyperService::new(router.layer(Extension(slot)));
    // A client that disconnects or violates the protocol ends only its own connection.
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(64 * 1024)
        .serve_connection(stream, service)
        .await;
}

fn router(lab: Arc<Lab>) -> Router {
    Router::new()
        .route(
            "/",
            get(async |headers: HeaderMap| asset("index.html", &headers)),
        )
        .route(
            "/{file}",
            get(async |Path(file): Path<String>, headers: HeaderMap| asset(&file, &headers)),
        )
        .route("/api/lab", get(about))
        .route("/api/lessons", get(handed_out))
        .route("/api/join", post(join))
        .route("/api/run", post(run))
        .route("/api/export", post(export::export))
        .merge(vote::routes::routes())
        .fallback(async || refuse(&Refusal::Missing("no such page".to_owned())))
        .method_not_allowed_fallback(async || {
            let message = "this address does not support the method; the page is read with GET, experiments are sent with POST";
            (StatusCode::METHOD_NOT_ALLOWED, message).into_response()
        })
        .layer(middleware::from_fn_with_state(lab.clone(), check))
        .with_state(lab)
}

/// Accepts only requests of the lab's own page, identifies the client, and adds the security headers
/// to every answer.
async fn check(
    State(lab): State<Arc<Lab>>,
    Extension(slot): Extension<Arc<ConnectionSlot>>,
    mut request: Request,
    next: Next,
) -> Response {
    let address = identity::origin(slot.peer, lab.proxy, request.headers());
    let known = lab.access.client(address, request.headers());
    let client = known.unwrap_or(Client::at(address));
    slot.belongs_to(client);
    request.extensions_mut().insert(client);
    // The page itself is open to everybody, since it asks for the code.
    let path = request.uri().path();
    let joined = known.is_some() || !path.starts_with("/api/") || path == "/api/join";
    let mut response = match allowed(&lab, &request) {
        Ok(()) if joined => next.run(request).await,
        Ok(()) => refuse(&Refusal::NotJoined("this lab has a code".to_owned())),
        Err((status, message)) => (status, message).into_response(),
    };
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::try_from(policy(&lab.embedders)) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let once = HeaderValue::from_static("no-store");
    headers.entry(header::CACHE_CONTROL).or_insert(once);
    response
}

/// The rules for browsers, with the sites that may show the page in a frame.
fn policy(embedders: &[String]) -> String {
    match embedders {
        [] => format!("{POLICY}; frame-ancestors 'none'"),
        sites => format!("{POLICY}; frame-ancestors 'self' {}", sites.join(" ")),
    }
}

fn allowed(lab: &Lab, request: &Request) -> Result<(), (StatusCode, &'static str)> {
    let text = |name: &HeaderName| {
        let value = request.headers().get(name)?;
        Some(value.to_str().unwrap_or("?"))
    };
    let host = text(&header::HOST).unwrap_or("");
    if !guard::knows_host(host, &lab.hosts) {
        let message = "unknown host name; start the lab with `bvlab lab --host NAME` to allow it\n";
        return Err((StatusCode::MISDIRECTED_REQUEST, message));
    }
    if text(&header::ORIGIN).is_some_and(|origin| !guard::same_site(origin, host)) {
        return Err((
            StatusCode::FORBIDDEN,
            "pages of other sites have no access to the lab\n",
        ));
    }
    let site = text(&HeaderName::from_static("sec-fetch-site"));
    let asks = request.method() != Method::GET;
    if asks && site.is_some_and(|site| !["same-origin", "none"].contains(&site)) {
        return Err((
            StatusCode::FORBIDDEN,
            "pages of other sites have no access to the lab\n",
        ));
    }
    let kind = text(&header::CONTENT_TYPE).unwrap_or("");
    if request.method() == Method::POST && !kind.starts_with("application/json") {
        let message = "the Content-Type must be application/json\n";
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    Ok(())
}

/// A file of the page. Browsers revalidate it every time, because the program may have been updated,
/// but receive it only if it has changed.
fn asset(name: &str, headers: &HeaderMap) -> Response {
    let Some((bytes, kind)) = assets::get(name) else {
        return refuse(&Refusal::Missing("the page has no such file".to_owned()));
    };
    let tag = format!("\"{:08x}-{}\"", crc32fast::hash(&bytes), bytes.len());
    let known = headers.get(header::IF_NONE_MATCH);
    let kept = [
        (header::CACHE_CONTROL, "no-cache".to_owned()),
        (header::ETAG, tag.clone()),
    ];
    match known.is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        true => (StatusCode::NOT_MODIFIED, kept).into_response(),
        false => (kept, [(header::CONTENT_TYPE, kind)], bytes.into_owned()).into_response(),
    }
}

fn refuse(refusal: &Refusal) -> Response {
    let (status, body) = refusal.parts();
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, axum::Json(body)).into_response();
    if let Refusal::TooMany(_) | Refusal::Busy(_) = refusal {
        let headers = response.headers_mut();
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
    }
    response
}

/// Reads a request's JSON, within limits of size and time.
async fn read<T: DeserializeOwned>(body: Body) -> Result<T, Response> {
    read_up_to(body, LONGEST_REQUEST).await
}

async fn read_up_to<T: DeserializeOwned>(body: Body, longest: usize) -> Result<T, Response> {
    let plain = |status: StatusCode, message: String| {
        let body =
            json!({ "error": { "message": message, "help": null, "token": null, "line": null } });
        (status, axum::Json(body)).into_response()
    };
    let bytes: Bytes = match timeout(PATIENCE, to_bytes(body, longest)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => {
            let message = format!("the request is too long; the limit is {longest} bytes");
            return Err(plain(StatusCode::PAYLOAD_TOO_LARGE, message));
        }
        Err(_) => {
            let message = "the request took too long to arrive".to_owned();
            return Err(plain(StatusCode::REQUEST_TIMEOUT, message));
        }
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        plain(
            StatusCode::BAD_REQUEST,
            format!("the request is not valid: {error}"),
        )
    })
}

/// The lessons, limits and address of the lab.
async fn about(State(lab): State<Arc<Lab>>, Extension(client): Extension<Client>) -> Response {
    let Lab { open, address, .. } = &*lab;
    let mut about = welcome(
        lab.lessons_for(client),
        open,
        client.lecturer,
        client.limits(),
    );
    let told = about["lessons"].as_array_mut().into_iter().flatten();
    told.for_each(|told| lab.votes.tell_revealed(told));
    about["address"] = json!(address);
    about["qr"] = json!(address.as_deref().and_then(code::svg));
    about["computes"] = json!(assets::module().is_some());
    if client.lecturer {
        about["code"] = json!(lab.access.code());
    }
    axum::Json(about).into_response()
}

/// The texts and tables of all lessons, for pages that compute by themselves.
async fn handed_out(State(lab): State<Arc<Lab>>, Extension(client): Extension<Client>) -> Response {
    axum::Json(lab.lessons_for(client).handed_out()).into_response()
}

/// The request of a student who joins.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Join {
    code: String,
}

/// Exchanges the code for the class key.
async fn join(
    State(lab): State<Arc<Lab>>,
    Extension(client): Extension<Client>,
    body: Body,
) -> Response {
    let Join { code } = match read(body).await {
        Ok(join) => join,
        Err(response) => return response,
    };
    match lab.access.join(client.address, &code) {
        Ok(key) => axum::Json(json!({ "key": key })).into_response(),
        Err(JoinError::NoCode) => refuse(&Refusal::Missing("this lab has no code".to_owned())),
        Err(JoinError::Wrong) => refuse(&Refusal::NotJoined("wrong code".to_owned())),
        Err(JoinError::TooMany) => refuse(&Refusal::TooMany(
            "too many wrong codes from your network: wait a few seconds and try again".to_owned(),
        )),
    }
}

/// Reads the experiment that a scene asks for, on a thread that serves no connections.
async fn experiment(lab: &Arc<Lab>, scene: Scene, client: Client) -> Result<Experiment, Refusal> {
    let turn = lab.reading.take(client).await;
    let lab = lab.clone();
    let read = move || {
        // Held until the experiment is read, even if the client has disconnected.
        let _turn = turn;
        scene.read(lab.lessons_for(client), client.limits())
    };
    let read = run_aside(client, read).await;
    read.unwrap_or_else(|| {
        Err(Refusal::Failed(
            "reading the experiment failed because of a bug in bvlab; please report it".to_owned(),
        ))
    })
}

/// Runs an experiment and streams its messages.
async fn run(
    State(lab): State<Arc<Lab>>,
    Extension(client): Extension<Client>,
    Extension(slot): Extension<Arc<ConnectionSlot>>,
    body: Body,
) -> Response {
    let scene: Scene = match read(body).await {
        Ok(scene) => scene,
        Err(response) => return response,
    };
    let busy = slot.busy();
    let listener = match experiment(&lab, scene, client).await {
        Ok(experiment) => {
            let ask = move |scheduler: &Arc<Scheduler>| scheduler.request(experiment, client);
            export::aside(&lab, client, ask).await.flatten()
        }
        Err(refusal) => Err(refusal),
    };
    match listener {
        Ok(listener) => {
            let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
            // Otherwise a proxy such as nginx would buffer the lines.
            let unbuffered = [(HeaderName::from_static("x-accel-buffering"), "no")];
            let lines = listener.stream().inspect(move |_| {
                let _until_the_end = &busy;
            });
            (kind, unbuffered, Body::from_stream(lines)).into_response()
        }
        Err(refusal) => refuse(&refusal),
    }
}
