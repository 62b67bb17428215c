//! The best setting is decided once: report, figures, page, manifest and tables name the same.

use std::collections::HashSet;

use bvlab::experiment::{
    Boundaries, Dartboard, Experiment, Figure, Fits, Group, Kind, Part, Pointwise, Source,
    Tradeoff, shipped,
};
use bvlab::outcome::files::{self, Manifest};
use bvlab::outcome::{BestStatus, Bests, LearnerBest, SelectionCriterion, Tables, columns};
use bvlab::plan::Curve;
use serde_json::Value;

use crate::setup::{Place, run};

const RESAMPLES: &str = "48";

/// What a figure may write of the best settings of a learner.
fn written(curve: &Curve, best: &LearnerBest) -> HashSet<String> {
    let (curve, best) = (&symbolic(curve), &with_symbols(curve, best));
    let along = best.along.iter().map(|best| (best, true));
    let all = along.chain([(&best.best, false)]);
    let texts = all.flat_map(|(best, along)| {
        [
            best.words(curve, along),
            best.label(curve, along),
            best.place(curve, along),
        ]
    });
    texts.collect()
}

/// The curve with its axes called by their symbols, as figures call them.
fn symbolic(curve: &Curve) -> Curve {
    let mut curve = curve.clone();
    for axis in curve.axes.iter_mut().filter(|axis| !axis.symbol.is_empty()) {
        axis.name.clone_from(&axis.symbol);
    }
    curve
}

/// The same for its best settings.
fn with_symbols(curve: &Curve, best: &LearnerBest) -> LearnerBest {
    let (curve, mut named) = (symbolic(curve), best.clone());
    for best in named.along.iter_mut().chain([&mut named.best]) {
        for (at, axis) in best.at.iter_mut().zip(&curve.axes) {
            at.axis.clone_from(&axis.name);
        }
    }
    named
}

/// Whether a line of a figure is about a best setting.
fn is_claim(line: &str) -> bool {
    let starts = ["best at ", "best near ", "lowest at ", "lowest median at "];
    starts.iter().any(|start| line.starts_with(start))
}

/// Every kind in a figure, those of its parts included.
fn kinds(kind: &Kind) -> Vec<&Kind> {
    match kind.options::<Group>() {
        Some(group) => group
            .parts
            .iter()
            .flat_map(|part| kinds(&part.kind))
            .collect(),
        None => vec![kind],
    }
}

/// The learners that a figure shows at their best, and must name there.
fn named(kind: &Kind) -> &[String] {
    if let Some(options) = kind.options::<Tradeoff>()
        && !options.overlay
        && options.x.is_none()
        && options.categories.is_empty()
        && options.parts.contains(&Part::Risk)
    {
        return &options.learners;
    }
    let fits = kind.options::<Fits>();
    let boundaries = kind.options::<Boundaries>().map(|Boundaries(fits)| fits);
    if let Some(options) = fits.or(boundaries).filter(|fits| fits.values.is_none()) {
        return &options.learners;
    }
    let pointwise = kind.options::<Pointwise>();
    if let Some(options) = pointwise.filter(|options| options.value.is_none()) {
        return &options.learners;
    }
    kind.options::<Dartboard>()
        .map_or(&[], |options| &options.learners)
}

/// Compares a figure with the manifest; returns how many settings it names.
fn check_figure(name: &str, figure: &Figure, svg: &str, curves: &[&Curve], best: &Bests) -> usize {
    let lines: HashSet<&str> = svg.lines().map(str::trim).collect();
    let texts = |curve: &&Curve| written(curve, best.of_learner(&curve.name).unwrap());
    let known: HashSet<String> = curves.iter().flat_map(texts).collect();
    for line in lines.iter().filter(|line| is_claim(line)) {
        assert!(known.contains(*line), "{name}, {}: {line}", figure.name);
    }
    let mut count = 0;
    for learner in kinds(&figure.kind).into_iter().flat_map(named) {
        let curve = curves.iter().find(|curve| curve.name == *learner).unwrap();
        let known = best.of_learner(&curve.name).unwrap();
        let texts = texts(curve);
        let shown = texts.iter().any(|text| lines.contains(text.as_str()));
        // A trade-off rings a setting only where it is claimed as the best.
        let mut bests = known.along.iter().chain([&known.best]);
        let claimed = bests.any(|best| best.standing == BestStatus::Claimed);
        let mut kinds = kinds(&figure.kind).into_iter();
        if !claimed && kinds.any(|kind| kind.name() == "tradeoff") {
            let mut claims = lines.iter().filter(|line| is_claim(line));
            assert!(
                !claims.any(|line| texts.contains(*line) && curves.len() == 1),
                "{name}"
            );
            count += 1;
            continue;
        }
        assert!(
            curve.axes.is_empty() || shown,
            "{name}, {}: none of {texts:?}",
            figure.name
        );
        count += usize::from(!curve.axes.is_empty());
    }
    count
}

/// The record in a page of one file.
fn record(page: &str) -> Value {
    let start = "<script type=\"application/json\" id=\"recorded\">";
    let (_, rest) = page.split_once(start).unwrap();
    let (record, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(record).unwrap()
}

/// Compares the recorded page with the manifest; returns whether it names settings.
fn check_page(name: &str, page: &str, curves: &[&Curve], best: &Bests) -> bool {
    let record = record(page);
    let messages = record["messages"].as_array().unwrap();
    let Some(message) = messages.iter().find(|message| message["is"] == "best") else {
        // Figures alone, which are compared themselves.
        assert!(messages[0]["pictured"].is_string(), "{name}");
        return false;
    };
    let pairs = curves.iter().zip(&best.learners);
    for ((curve, best), found) in pairs.zip(message["learners"].as_array().unwrap()) {
        assert_eq!(found["setting"], best.best.setting, "{name}");
        assert_eq!(found["words"], best.best.words(curve, false), "{name}");
        for (along, found) in best.along.iter().zip(found["along"].as_array().unwrap()) {
            assert_eq!(found["setting"], along.setting, "{name}");
            assert_eq!(found["words"], along.words(curve, true), "{name}");
        }
    }
    true
}

/// Compares the table of curves with the manifest.
fn check_table(name: &str, tables: &Tables, curves: &[&Curve], best: &Bests) {
    let marks = tables.curves.texts(columns::BEST);
    let above = tables.curves.numbers(columns::RISK_ABOVE_BEST);
    let mut from = 0;
    for (curve, best) in curves.iter().zip(&best.learners) {
        let rows = from..from + curve.settings();
        from = rows.end;
        let marked = |mark: &str| marks[rows.clone()].iter().position(|m| &**m == mark);
        let setting = marked("best").or(marked("lowest"));
        assert_eq!(setting, Some(best.best.setting), "{name}");
        let tied = marks[rows.clone()].iter().filter(|mark| &***mark == "tied");
        assert_eq!(tied.count(), best.best.tied.len(), "{name}");
        if best.best.by != SelectionCriterion::Median {
            assert_eq!(above[rows.start + best.best.setting], 0.0, "{name}");
            let lower = above[rows].iter().filter(|above| **above < 0.0);
            assert_eq!(lower.count(), 0, "{name}");
        }
    }
}

#[test]
fn report_figures_page_manifest_and_tables_name_the_same_setting() {
    let place = Place::new();
    let (mut in_figures, mut pages, mut standings) = (0, 0, HashSet::new());
    for name in shipped::names() {
        let arguments = ["run", &name, "--resamples", RESAMPLES, "--format", "svg"];
        let (out, _) = place.done(&[&arguments[..], &["--page"]].concat());
        let home = format!("results/{name}");
        let (manifest, tables) = files::read(&place.path().join(&home)).unwrap();
        let source = Source::shipped(&name, &[]).unwrap();
        let experiment = Experiment::read(&name, source).unwrap();
        let Some(plan) = experiment.plan() else {
            assert_eq!(manifest.best, None, "{name}");
            continue;
        };
        let best = manifest.best.unwrap();
        let curves: Vec<&Curve> = plan.curves().collect();
        assert_eq!(best.learners.len(), curves.len(), "{name}");
        for (curve, best) in curves.iter().zip(&best.learners) {
            assert_eq!(curve.name, best.learner);
            standings.insert(best.best.standing);
            let at = best.best.place(curve, false);
            let row = out.lines().find(|line| {
                let rest = line.strip_prefix(curve.name.as_str());
                rest.is_some_and(|rest| rest.starts_with("  ") && rest.contains(&at))
            });
            assert!(
                row.is_some(),
                "{name}: no row of {} at {at}\n{out}",
                curve.name
            );
            let words = best.best.words(curve, false);
            let line = format!("{}: {words}", curve.name);
            assert!(
                words.is_empty() || out.lines().any(|l| l == line),
                "{name}: {line}\n{out}"
            );
        }
        if let Some(overall) = &best.overall {
            assert!(out.contains(&overall.words()), "{name}");
        }
        check_table(&name, &tables, &curves, &best);
        for figure in &experiment.figures {
            let svg = place.read(&format!("{home}/{}.svg", figure.name));
            in_figures += check_figure(&name, figure, &svg, &curves, &best);
        }
        let page = place.read(&format!("{home}/page.html"));
        pages += usize::from(check_page(&name, &page, &curves, &best));
    }
    assert!(in_figures > 20 && pages > 15, "{in_figures} {pages}");
    // The experiments that ship show every standing of a new result.
    assert!(standings.len() >= 4, "{standings:?}");
}

#[test]
fn shards_and_drawing_anew_keep_the_best_setting() {
    let place = Place::new();
    for name in ["tree-tradeoff", "gaussian-ridge-tradeoff", "moons-zero-one"] {
        let run = [
            "run",
            name,
            "--resamples",
            RESAMPLES,
            "--format",
            "svg",
            "--quiet",
        ];
        place.done(&run);
        let home = format!("results/{name}");
        let manifest = || -> Manifest {
            serde_json::from_str(&place.read(&format!("{home}/manifest.json"))).unwrap()
        };
        let whole = manifest().best.unwrap();
        place.done(&["draw", &home, "--format", "svg", "--quiet"]);
        assert_eq!(manifest().best.unwrap(), whole);
        for shard in ["1/2", "2/2"] {
            place.done(&[&run[..4], &["--quiet", "--shard", shard]].concat());
        }
        let shards = [1, 2].map(|i| format!("{home}/shard-{i}-of-2"));
        place.done(&[
            "merge", &shards[0], &shards[1], "--format", "svg", "--quiet",
        ]);
        assert_eq!(manifest().best.unwrap(), whole, "{name}");
    }
}

#[test]
fn a_result_of_an_earlier_version_is_drawn_at_its_lowest_risk() {
    let place = Place::new();
    let name = "tree-tradeoff";
    place.done(&[
        "run",
        name,
        "--resamples",
        RESAMPLES,
        "--format",
        "svg",
        "--quiet",
    ]);
    let file = format!("results/{name}/manifest.json");
    let mut manifest: Value = serde_json::from_str(&place.read(&file)).unwrap();
    let depth = manifest["best"]["learners"][0]["best"]["at"][0]["value"].clone();
    manifest.as_object_mut().unwrap().remove("best");
    place.write(&file, &manifest.to_string());
    place.done(&[
        "draw",
        &format!("results/{name}"),
        "--format",
        "svg",
        "--quiet",
    ]);
    let svg = place.read(&format!("results/{name}/tradeoff.svg"));
    let line = format!("lowest at depth = {depth}").replace(".0", "");
    assert!(svg.lines().any(|text| text.trim() == line), "{line}");
}

#[test]
fn a_best_setting_that_no_learner_has_is_not_drawn() {
    let place = Place::new();
    let name = "tree-tradeoff";
    place.done(&[
        "run",
        name,
        "--resamples",
        RESAMPLES,
        "--format",
        "svg",
        "--quiet",
    ]);
    let file = format!("results/{name}/manifest.json");
    let mut manifest: Value = serde_json::from_str(&place.read(&file)).unwrap();
    manifest["best"]["learners"][0]["best"]["tied"] = serde_json::json!([1_000_000]);
    place.write(&file, &manifest.to_string());
    place.done(&[
        "draw",
        &format!("results/{name}"),
        "--format",
        "svg",
        "--quiet",
    ]);
}

/// The best settings of an experiment.
fn bests(text: &str) -> Bests {
    let (plan, results) = run(text);
    Bests::of(&plan, &results)
}

const KNN: &str = r#"
    problem = { truth = "sin(2*pi*x)", inputs = { uniform = [0, 1] }, noise = { normal = 0.3 }, train = 40 }
    learner = [{ knn = {} }]
"#;

#[test]
fn a_minimum_inside_the_sweep_is_claimed_and_one_at_its_end_is_not() {
    let with = |sweep: &str| {
        let best = bests(&format!(
            "{KNN}\nsweep = {sweep}\nrun = {{ resamples = 400 }}"
        ));
        best.learners[0].best.clone()
    };
    let inside = with("{ k = [1, 5, 40] }");
    assert_eq!((inside.setting, inside.standing), (1, BestStatus::Claimed));
    assert_eq!(inside.by, SelectionCriterion::Estimate);
    let end = with("{ k = [5, 20, 40] }");
    assert_eq!((end.setting, end.standing), (0, BestStatus::AtEnd));
    let single = with("{ k = [5] }");
    assert_eq!((single.setting, single.standing), (0, BestStatus::Single));
}

#[test]
fn settings_within_one_standard_error_are_tied() {
    // The risk is flat around its minimum, and the training sets are few.
    let text = r#"
        problem = { truth = "sin(2*pi*x)", inputs = { uniform = [0, 1] }, noise = { normal = 0.3 }, train = 100 }
        learner = [{ knn = {} }]
        sweep   = { k = "4..18" }
        run     = { resamples = 20 }
    "#;
    let (plan, results) = run(text);
    let best = Bests::of(&plan, &results).learners[0].best.clone();
    assert_eq!(best.standing, BestStatus::Tied, "{best:?}");
    let all = &results.learners[0].decomposition;
    for setting in (0..15).filter(|setting| *setting != best.setting) {
        let apart = all.risk_minus(setting, all, best.setting);
        assert!(apart.value >= 0.0);
        assert_eq!(
            best.tied.contains(&setting),
            apart.value <= apart.se,
            "{setting}"
        );
    }
}

#[test]
fn exact_risks_decide_where_all_settings_have_them() {
    let text = r#"
        problem = { truth = "sin(2*pi*x)", inputs = { grid = [0, 1] }, noise = { normal = 0.5 }, train = 30 }
        learner = [{ knn = {} }]
        sweep   = { k = "1..15" }
        run     = { resamples = 5 }
    "#;
    let (plan, results) = run(text);
    let best = Bests::of(&plan, &results).learners[0].best.clone();
    assert_eq!(
        (best.by, best.standing),
        (SelectionCriterion::Exact, BestStatus::Claimed)
    );
    let table = Tables::curves(&plan, &results);
    let [noise, bias2, variance] = [
        columns::NOISE,
        columns::BIAS2_EXACT,
        columns::VARIANCE_EXACT,
    ]
    .map(|n| table.numbers(n));
    let risk = |i: &usize| noise[*i] + bias2[*i] + variance[*i];
    let lowest = (0..15).min_by(|a, b| risk(a).total_cmp(&risk(b)));
    assert_eq!(Some(best.setting), lowest);
    assert_eq!(best.risk, lowest.map(|i| risk(&i)));
}

#[test]
fn heavy_tails_leave_the_best_setting_open() {
    // Least squares with as many features as points: its risk has no mean.
    let text = r#"
        problem = { truth = { linear = 1 }, inputs = { normal = [0, 1], dimension = 12 }, noise = { normal = 1 }, train = 10 }
        learner = [{ linear = {} }]
        sweep   = { features = [9, 10, 11] }
        run     = { resamples = 60 }
    "#;
    let best = bests(text).learners[0].best.clone();
    assert_eq!(
        (best.by, best.standing),
        (SelectionCriterion::Median, BestStatus::Doubtful),
        "{best:?}"
    );
    assert!(best.tied.is_empty());
}

#[test]
fn two_way_sweeps_have_a_best_along_their_first_axis() {
    let text = r#"
        problem = { truth = "sin(2*pi*x)", inputs = { uniform = [0, 1] }, noise = { normal = 0.3 }, train = 20 }
        learner = [{ polynomial = {} }]
        sweep   = { degree = [1, 3, 5, 9], lambda = [0.0001, 0.01, 1] }
        run     = { resamples = 100 }
    "#;
    let (plan, results) = run(text);
    let best = Bests::of(&plan, &results).learners[0].clone();
    let parts = &results.learners[0].decomposition.parts;
    assert_eq!(best.along.len(), 3);
    for (slice, along) in best.along.iter().enumerate() {
        let settings = (slice * 4..slice * 4 + 4).filter(|i| !parts[*i].is_spoiled());
        let lowest = settings.min_by(|a, b| parts[*a].risk.value.total_cmp(&parts[*b].risk.value));
        assert_eq!(Some(along.setting), lowest);
        assert!(along.tied.iter().all(|tied| tied / 4 == slice));
    }
    let risk = |best: &bvlab::outcome::Best| best.risk.unwrap();
    let least = best.along.iter().map(risk).fold(f64::INFINITY, f64::min);
    assert_eq!(risk(&best.best), least);
}

#[test]
fn learners_are_compared_in_pairs_at_their_best() {
    let text = r#"
        problem = { truth = "sin(2*pi*x)", inputs = { uniform = [0, 1] }, noise = { normal = 0.3 }, train = 40 }
        learner = [{ knn = {} }, { name = "again", knn = {} }, { name = "line", polynomial = { degree = 1 }, reference = true }]
        sweep   = { k = [1, 5, 20] }
        run     = { resamples = 200 }
    "#;
    let best = bests(text).overall.unwrap();
    assert_eq!(best.learner, "knn");
    assert_eq!(best.standing, BestStatus::Tied);
    assert_eq!(best.tied, ["again"]);
}
