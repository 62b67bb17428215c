//! What a page asks of a finished run: tables, figures, steps.

use serde::Deserialize;

use bvlab_core::interrupt::Interrupt;
use bvlab_core::task::Outcome;
use bvlab_experiment::Experiment;
use bvlab_figure as figure;
use bvlab_lab::{HandMadeData, Refusal, Scene, steps};
use bvlab_outcome::{Statements, Tables};

/// What is to be made of a finished run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    lesson: Option<String>,
    toml: Option<String>,
    #[serde(default)]
    set: Vec<String>,
    pub(crate) what: ExportKind,
    #[serde(default)]
    pub(crate) figure: usize,
    pub(crate) count: Option<u64>,
    /// A training set that was changed by hand.
    data: Option<HandMadeData>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportKind {
    Csv,
    Toml,
    Svg,
    Steps,
    /// The fits to `data`, which need no run.
    Refit,
}

impl ExportRequest {
    /// The scene; `counted` after the resamples that are asked for.
    pub(crate) fn scene(&self, counted: bool) -> Scene {
        let count = self.count.filter(|_| counted);
        let count = count.map(|count| format!("run.resamples={count}"));
        let scene = Scene {
            lesson: self.lesson.clone(),
            toml: self.toml.clone(),
            set: self.set.iter().cloned().chain(count).collect(),
        };
        match &self.data {
            Some(data) => data.scene(scene),
            None => scene,
        }
    }

    /// The fits to the data of the request.
    pub(crate) fn refit(&self, experiment: &Experiment) -> Result<Vec<u8>, Refusal> {
        self.data
            .as_ref()
            .ok_or_else(no_data)?
            .refit(experiment, &Interrupt::never())
    }
}

/// The file that is asked for, of a run.
pub(crate) fn make(
    experiment: &Experiment,
    (outcome, variants): (&Outcome, &[Outcome]),
    request: &ExportRequest,
) -> Result<Vec<u8>, Refusal> {
    let failed = |error: &dyn std::fmt::Display| Refusal::Failed(error.to_string());
    match request.what {
        ExportKind::Csv | ExportKind::Toml => {
            let table = Tables::main_table(&experiment.task, outcome);
            table.to_csv().map_err(|error| failed(&error))
        }
        // Neither needs a run.
        ExportKind::Refit => Err(no_data()),
        ExportKind::Steps => {
            let steps = steps(experiment, outcome);
            let lines = steps.iter().map(|frame| format!("{frame}\n"));
            Ok(lines.collect::<String>().into_bytes())
        }
        ExportKind::Svg => {
            let tables = Tables::of(&experiment.task, outcome);
            let description = experiment.task.describe();
            let statements = Statements::of(experiment, outcome, variants);
            let figure = &statements.figures[request.figure];
            let heading = statements.heading(&experiment.name);
            let drawing = figure::draw(heading, &description, figure, &tables);
            let drawing = drawing.map_err(|error| failed(&error))?;
            Ok(drawing.to_svg().into_bytes())
        }
    }
}

fn no_data() -> Refusal {
    Refusal::Asked("`refit` needs `data`".to_owned())
}
