//! Files of a scene: its table, its experiment, its figures.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::connections::ConnectionSlot;
use super::identity::Client;
use super::priority::run_aside;
use super::scheduler::Scheduler;
use super::{Lab, experiment, read, refuse};
use crate::HandMadeData;
use crate::scene::{Refusal, Scene};
use crate::sequence;
use bvlab_core::interrupt::Interrupt;
use bvlab_core::task::Outcome;
use bvlab_experiment::Experiment;
use bvlab_figure as figure;
use bvlab_outcome::{Statements, Tables};

/// How long fits to points that were moved by hand may compute: whoever drags a point waits for them.
const LONGEST_REFIT: Duration = Duration::from_secs(10);

/// A scene, and the file to be made of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportBody {
    lesson: Option<String>,
    toml: Option<String>,
    #[serde(default)]
    set: Vec<String>,
    what: ExportFormat,
    /// Which figure.
    #[serde(default)]
    figure: usize,
    /// The number of training sets that the page shows.
    count: Option<u64>,
    /// A training set that was changed by hand.
    data: Option<HandMadeData>,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ExportFormat {
    Csv,
    Toml,
    Svg,
    Png,
    /// The frames of the first training sets, one more at a time.
    Steps,
    /// The fits to `data`, which need no run.
    Refit,
}

/// Makes a file, from a run of its own if there is none.
pub(super) async fn export(
    State(lab): State<Arc<Lab>>,
    Extension(client): Extension<Client>,
    Extension(slot): Extension<Arc<ConnectionSlot>>,
    body: Body,
) -> Response {
    let asked: ExportBody = match read(body).await {
        Ok(asked) => asked,
        Err(response) => return response,
    };
    let _busy = slot.busy();
    match exported(&lab, asked, client).await {
        Ok(file) => file,
        Err(refusal) => refuse(&refusal),
    }
}

async fn exported(lab: &Arc<Lab>, asked: ExportBody, client: Client) -> Result<Response, Refusal> {
    let ExportBody {
        lesson,
        toml,
        mut set,
        what,
        figure,
        count,
        data,
    } = asked;
    let plain = Scene {
        lesson: lesson.clone(),
        toml: toml.clone(),
        set: set.clone(),
    };
    set.extend(count.map(|count| format!("run.resamples={count}")));
    let scene = Scene { lesson, toml, set };
    let scene = match &data {
        Some(data) => data.scene(scene),
        None => scene,
    };
    let experiment = experiment(lab, scene, client).await?;
    let file = |kind: &'static str, bytes: Vec<u8>| {
        ([(header::CONTENT_TYPE, kind)], bytes).into_response()
    };
    if what == ExportFormat::Toml {
        let text = experiment.source.merged_text().unwrap_or_default();
        return Ok(file("application/toml; charset=utf-8", text.into_bytes()));
    }
    if what == ExportFormat::Refit {
        let data = data.ok_or_else(no_data)?;
        let turn = lab.drawing.take(client).await;
        let (wanted, waits) = wanted();
        let begun = Instant::now();
        let made = run_aside(client, move || {
            let _turn = turn;
            let stop = || begun.elapsed() > LONGEST_REFIT || !wanted();
            data.refit(&experiment, &Interrupt::new(&stop))
        });
        let _waits = waits;
        return Ok(file("application/json", made.await.unwrap_or_else(broken)?));
    }
    if [ExportFormat::Svg, ExportFormat::Png].contains(&what)
        && experiment.figures.get(figure).is_none()
    {
        return Err(Refusal::Missing(
            "the experiment has no such figure".to_owned(),
        ));
    }
    let partial = match (count, experiment.plan()) {
        (Some(count), None) => partial(lab, plain, count, client).await?,
        _ => None,
    };
    let shown = experiment.clone();
    let listener = match partial {
        Some(_) => None,
        None => {
            let ask =
                move |scheduler: &Arc<Scheduler>| scheduler.request_numbers(experiment, client);
            let listener = aside(lab, client, ask).await??;
            listener.finished().await;
            Some(listener)
        }
    };
    let turn = lab.drawing.take(client).await;
    let made = run_aside(client, move || {
        // Held until the file is made, even if the client has disconnected.
        let _turn = turn;
        match (&partial, &listener) {
            (Some(outcome), _) => make(&shown, (outcome, &[]), what, figure),
            (None, Some(listener)) => make(&shown, listener.outcome()?, what, figure),
            (None, None) => Err(Refusal::Failed("the run did not finish".to_owned())),
        }
    });
    let made = made.await.unwrap_or_else(broken);
    let kind = match what {
        ExportFormat::Csv => "text/csv; charset=utf-8",
        ExportFormat::Toml | ExportFormat::Refit => "application/octet-stream",
        ExportFormat::Steps => "application/x-ndjson",
        ExportFormat::Svg => "image/svg+xml",
        ExportFormat::Png => "image/png",
    };
    Ok(file(kind, made?))
}

/// Whether somebody still waits for an answer, which ends with the second part.
fn wanted() -> (impl Fn() -> bool, Arc<()>) {
    let waits = Arc::new(());
    let seen = Arc::downgrade(&waits);
    (move || seen.strong_count() > 0, waits)
}

fn broken() -> Result<Vec<u8>, Refusal> {
    Err(Refusal::Failed(
        "making the file failed because of a bug in bvlab; please report it".to_owned(),
    ))
}

fn no_data() -> Refusal {
    Refusal::Asked("`refit` needs `data`".to_owned())
}

/// Of a simulation: what its run, which may be under way, had after so many resamples, if that was kept.
async fn partial(
    lab: &Arc<Lab>,
    scene: Scene,
    count: u64,
    client: Client,
) -> Result<Option<Outcome>, Refusal> {
    let whole = experiment(lab, scene, client).await?;
    let find = move |scheduler: &Arc<Scheduler>| scheduler.alike(&whole, client)?.partial(count);
    aside(lab, client, find).await
}

/// Asks the scheduler something on a thread that serves no connections: the key of a run takes a while for a
/// long text.
pub(super) async fn aside<T: Send + 'static>(
    lab: &Arc<Lab>,
    client: Client,
    ask: impl FnOnce(&Arc<Scheduler>) -> T + Send + 'static,
) -> Result<T, Refusal> {
    let turn = lab.reading.take(client).await;
    let scheduler = lab.scheduler.clone();
    let asked = run_aside(client, move || {
        let _turn = turn;
        ask(&scheduler)
    });
    asked.await.ok_or_else(|| {
        let message = "starting the run failed because of a bug in bvlab; please report it";
        Refusal::Failed(message.to_owned())
    })
}

fn make(
    experiment: &Experiment,
    (outcome, variants): (&Outcome, &[Outcome]),
    what: ExportFormat,
    which: usize,
) -> Result<Vec<u8>, Refusal> {
    let failed = |error: &dyn std::fmt::Display| Refusal::Failed(error.to_string());
    let drawing = || {
        let tables = Tables::of(&experiment.task, outcome);
        let statements = Statements::of(experiment, outcome, variants);
        let figure = &statements.figures[which];
        let description = experiment.task.describe();
        let heading = statements.heading(&experiment.name);
        let drawing = figure::draw(heading, &description, figure, &tables);
        drawing.map_err(|error| failed(&error))
    };
    match what {
        // These were made without a run.
        ExportFormat::Toml | ExportFormat::Refit => Err(no_data()),
        ExportFormat::Csv => {
            let table = Tables::main_table(&experiment.task, outcome);
            table.to_csv().map_err(|error| failed(&error))
        }
        ExportFormat::Steps => {
            let steps = sequence::steps(experiment, outcome);
            let lines = steps.iter().map(|frame| format!("{frame}\n"));
            Ok(lines.collect::<String>().into_bytes())
        }
        ExportFormat::Png => drawing()?.to_png().map_err(|error| failed(&error)),
        ExportFormat::Svg => Ok(drawing()?.to_svg().into_bytes()),
    }
}
