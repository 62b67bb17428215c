//! Reference pages in Markdown, written from the registries: `docs/learners.md`, `docs/problems.md`
//! and `docs/simulations.md` are these texts.

use std::fmt::Write;

use crate::raw::forms::{CLASS_FORMS, DENSITY_FORMS, ProblemForm, TRUTH_FORMS};
use bvlab_core::learner::{Choice, Family, LabelKind, Registry};
use bvlab_core::parameter::Parameter;
use bvlab_core::problem::{INPUT_LAWS, MARRON_WAND, NOISE_LAWS};
use bvlab_core::simulation::SIMULATIONS;

/// What every page begins with.
const NOTE: &str = "<!-- Written from the registry: `BVLAB_BLESS=1 cargo test --release --test bvlab reference` \
                    writes it anew. -->\n";

/// A cell of a table: no bar may end it.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A table with a heading, if it has rows.
fn table(page: &mut String, heading: &[&str], rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    let mut line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
        writeln!(page, "| {} |", cells.join(" | ")).unwrap_or_default();
    };
    line(
        &heading
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>(),
    );
    line(&vec!["---".to_owned(); heading.len()]);
    rows.iter().for_each(|row| line(row));
    page.push('\n');
}

fn parameters(page: &mut String, parameters: &[Parameter], or_swept: bool) {
    let rows = parameters.iter().map(|parameter| {
        let given = match or_swept {
            true => "must be given or swept",
            false => "must be given",
        };
        let default = parameter.default_words();
        let unit = parameter
            .unit
            .filter(|unit| !parameter.meaning.contains(unit));
        vec![
            format!("`{}`", parameter.name),
            parameter.symbol.unwrap_or("").to_owned(),
            match unit {
                None => parameter.meaning.to_owned(),
                Some(unit) => format!("{}, in {unit}", parameter.meaning),
            },
            parameter.bounds(),
            default.unwrap_or_else(|| given.to_owned()),
        ]
    });
    let heading = ["parameter", "symbol", "meaning", "range", "default"];
    table(page, &heading, &rows.collect::<Vec<_>>());
}

fn choices(page: &mut String, choices: &[Choice]) {
    let rows = choices.iter().map(|choice| {
        let options = choice.options.iter().map(|option| format!("`{option}`"));
        vec![
            format!("`{}`", choice.name),
            match choice.classes_only {
                true => format!("for classes: {}", choice.meaning),
                false => choice.meaning.to_owned(),
            },
            options.collect::<Vec<_>>().join(", "),
        ]
    });
    let heading = ["choice", "meaning", "options, the first is the default"];
    table(page, &heading, &rows.collect::<Vec<_>>());
}

/// A sentence from a meaning: a capital and a full stop.
fn sentence(meaning: &str) -> String {
    let mut rest = meaning.chars();
    let first = rest.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), rest.as_str())
}

/// The model families of a registry.
pub fn learners(registry: &Registry) -> String {
    let mut page = format!("{NOTE}# Learners\n\n");
    page.push_str(
        "Every parameter can be swept, also one of the base (`base.members` where both have it). In an experiment a\n\
         learner is one of these keys, as in `tree = { depth = 3 }`. λ multiplies ‖w‖², against the *sum* of squared\n\
         residuals, except in `lasso` and `spline`, which say what it multiplies; the constant is not penalised, except in\n\
         `gaussians`. `cargo doc --open` has objective, cost and reference of each.\n\n",
    );
    let labels = |family: &Family| match family.labels {
        LabelKind::Numbers => "numbers",
        LabelKind::Classes => "classes",
        LabelKind::Both => "numbers and classes",
        LabelKind::Density => "densities",
    };
    let rows = registry.families().iter().map(|family| {
        vec![
            format!("[`{0}`](#{0})", family.name),
            family.meaning.to_owned(),
            labels(family).to_owned(),
        ]
    });
    table(
        &mut page,
        &["learner", "meaning", "labels"],
        &rows.collect::<Vec<_>>(),
    );
    for family in registry.families() {
        let _ = write!(page, "## {}\n\n{}", family.name, sentence(family.meaning));
        let verb = match family.labels {
            LabelKind::Density => "Estimates",
            _ => "Learns",
        };
        let _ = write!(page, " {verb} {}", labels(family));
        page.push_str(match family.one_dimensional {
            true => ", from inputs of one dimension.\n\n",
            false => ".\n\n",
        });
        parameters(&mut page, family.parameters, true);
        choices(&mut page, family.choices);
        if family.has_base {
            page.push_str(
                "`base` is the learner that it is made of, as in `base = { tree = {} }`.\n\n",
            );
        }
        if let Some(words) = family.one_fit {
            let _ = write!(page, "One fit gives {words}.\n\n");
        }
    }
    trimmed(page)
}

/// The parts of a problem: truths, inputs, noise and classes.
pub fn problems() -> String {
    let mut page = format!("{NOTE}# Problems\n\n");
    page.push_str(
        "Labels are numbers, y = truth(x) + noise, or `classes`; or there are none, and a `density` is estimated. Training\n\
         sets are drawn from the problem; `train` says how many points each has.\n\n",
    );
    let written = |page: &mut String, forms: &[ProblemForm]| {
        let rows = forms
            .iter()
            .map(|form| vec![format!("`{}`", form.example), form.meaning.to_owned()]);
        table(page, &["form", "meaning"], &rows.collect::<Vec<_>>());
    };
    page.push_str("## Truths\n\n");
    written(&mut page, &TRUTH_FORMS);
    page.push_str("## Inputs\n\n");
    for law in INPUT_LAWS {
        let names: Vec<&str> = law.parameters.iter().map(|one| one.name).collect();
        let form = format!("inputs = {{ {} = [{}] }}", law.name, names.join(", "));
        let _ = write!(page, "### {}\n\n`{form}`: {}.\n\n", law.name, law.meaning);
        parameters(&mut page, law.parameters, false);
    }
    page.push_str(
        "`dimension` says how many coordinates an input has (1 by default), all with the same distribution;\n\
         `fixed = true` lets all training sets share one draw of the inputs. A sweep over `dimension` gives learners the\n\
         first coordinates of inputs that have as many as its largest value; the truth depends on those that all have.\n\n\
         Coordinates of normal inputs can have scales of their own: `sds` multiplies their standard deviations. It is a\n\
         list, as in `{ normal = [0, 1], sds = [1, 0.15] }`, or a spectrum for any `dimension`: with `sds = { power = a }`\n\
         coordinate j has the variance j^-a, and with `sds = { spikes = k, rest = s }` the first k have the factor 1 and\n\
         the others s.\n\n## Noise\n\n\
         Noise has mean 0 and is given by its standard deviation, a number or an expression in x. A sweep over `noise`\n\
         is one over the standard deviation.\n\n",
    );
    for law in NOISE_LAWS {
        let more = law
            .parameters
            .iter()
            .map(|one| format!(", {} = {}", one.name, one.name));
        let form = format!(
            "noise = {{ {} = sd{} }}",
            law.name,
            more.collect::<String>()
        );
        let _ = write!(page, "### {}\n\n`{form}`: {}.\n\n", law.name, law.meaning);
        parameters(&mut page, law.parameters, false);
    }
    page.push_str("## Classes\n\n");
    written(&mut page, &CLASS_FORMS);
    page.push_str(
        "`flip = 0.1` beside any of them replaces that share of the labels by another class. `probability` and\n\
         `probabilities` need `inputs`; the others say where the inputs lie.\n\n## Densities\n\n",
    );
    written(&mut page, &DENSITY_FORMS);
    let names = MARRON_WAND.map(|name| format!("`{name}`"));
    let _ = write!(
        page,
        "The densities of Marron and Wand are {}.\n\n",
        names.join(", ")
    );
    page.push_str(
        "Training sets are values of the density, in one dimension and without labels. Learners estimate the density;\n\
         their squared error is integrated over x: bias² + variance is the mean integrated squared error, and there is no\n\
         noise. `range = [from, to]` beside any of them says between which x; the default is 4 standard deviations around\n\
         every normal part, or the ends of a uniform density.\n",
    );
    trimmed(page)
}

/// The simulations.
pub fn simulations() -> String {
    let mut page = format!("{NOTE}# Simulations\n\n");
    page.push_str(
        "A simulation takes the place of problem and learners: `simulation = \"majority-vote\"`, with its parameters in\n\
         `with`. A list is written as in a sweep.\n\n",
    );
    for simulation in SIMULATIONS {
        let _ = write!(
            page,
            "## {}\n\n{}",
            simulation.name,
            sentence(simulation.meaning)
        );
        let _ = write!(
            page,
            " Resamples are {}; theory: {}.\n\n",
            simulation.resamples, simulation.theory
        );
        parameters(&mut page, simulation.parameters, false);
    }
    trimmed(page)
}

/// One line break at the end.
fn trimmed(page: String) -> String {
    page.trim_end().to_owned() + "\n"
}
