//! Claims: what holds, what is refuted, what stays undecided, and how often by mistake.

use bvlab::decompose::jackknife_error;
use bvlab::engine::{Options, Unwatched};
use bvlab::experiment::words::Statement;
use bvlab::experiment::{Experiment, Source};
use bvlab::outcome::{CheckedClaim, Evidence, Verdict, check_claims, check_claims_at};
use bvlab::task::Outcome;

use crate::setup::{Place, close, experiment};

const TREES: &str = r#"
    problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 60 }
    sweep   = { depth = "1..8" }
    learner = [{ tree = {} }]
    run     = { resamples = 240, seed = 3, test = { grid = 60 } }
    variant = [{ name = "600 points", set = ["problem.train=600"] }]
"#;

fn outcomes(experiment: &Experiment) -> (Outcome, Vec<Outcome>) {
    let options = Options::new(2, &Unwatched);
    let variants = experiment.variants.iter();
    let variants = variants.map(|one| one.experiment.task.run(options).unwrap());
    (experiment.task.run(options).unwrap(), variants.collect())
}

fn checked(text: &str, claims: &[&str]) -> Vec<CheckedClaim> {
    let claims = claims.iter().map(|claim| format!("[[claim]]\n{claim}\n"));
    let text = format!("{text}\n{}", claims.collect::<String>());
    let experiment = experiment(&text);
    let (outcome, variants) = outcomes(&experiment);
    let evidence = Evidence::of(&experiment, &outcome, &variants);
    check_claims(&experiment.claims, &evidence)
}

fn verdicts(text: &str, claims: &[&str]) -> Vec<(Verdict, CheckedClaim)> {
    let checked = checked(text, claims);
    checked.into_iter().map(|one| (one.verdict, one)).collect()
}

#[test]
fn every_kind_of_claim_holds_is_refuted_or_stays_undecided() {
    use Verdict::{Holds, Refuted, Undecided};
    let cases = [
        (r#"that = "variance@depth=8 > variance@depth=1""#, Holds),
        (r#"that = "variance@depth=8 < variance@depth=1""#, Refuted),
        (
            r#"that = "bias2@depth=1 > bias2@depth=2 > bias2@depth=4""#,
            Holds,
        ),
        (
            r#"that = "bias2@depth=1 > bias2@depth=4 > bias2@depth=2""#,
            Refuted,
        ),
        (
            r#"that = "risk@depth=8 = risk@depth=8 within 0.001""#,
            Holds,
        ),
        (
            r#"that = "variance@depth=8 = variance@depth=1 within 0.001""#,
            Refuted,
        ),
        (
            r#"that = "risk@depth=5 = risk@depth=6 within 0.024""#,
            Undecided,
        ),
        (r#"that = "best.depth in 3..6""#, Holds),
        (r#"that = "best.depth in [1, 2]""#, Refuted),
        (r#"that = "best.depth in [8]""#, Refuted),
        (r#"that = "risk@depth=5 in 0.2..0.9""#, Holds),
        (r#"that = "risk@depth=5 in 0.9..1.9""#, Refuted),
        (r#"that = "risk@600 points: depth=5 < risk@depth=5""#, Holds),
        (
            r#"that = "risk@600 points: depth=5 > risk@depth=5""#,
            Refuted,
        ),
        (r#"that = "noise@depth=1 = 0.25 within 1e-9""#, Holds),
        (
            r#"that = "sqrt(noise@depth=1) = problem.noise.normal within 1e-9""#,
            Holds,
        ),
        (
            "that = \"bias2@depth=1\"\npublished = 0.5\nsource = \"a table\"",
            Refuted,
        ),
        (
            "that = \"noise@depth=1\"\npublished = 0.31\nsource = \"a table\"",
            Refuted,
        ),
        (
            "that = \"noise@depth=1\"\npublished = 0.25\nsource = \"a table\"",
            Holds,
        ),
    ];
    let claims = cases.map(|(claim, _)| claim);
    for ((claim, expected), (verdict, one)) in cases.iter().zip(verdicts(TREES, &claims)) {
        // The published value of the first case is only known to be wrong if it is far away.
        if claim.contains("published = 0.5")
            && one.left.is_some_and(|left| (left - 0.5).abs() < 0.1)
        {
            continue;
        }
        assert_eq!(verdict, *expected, "{claim}: {one:?}");
    }
}

#[test]
fn two_settings_that_are_alike_stay_undecided() {
    let text = TREES.replace("tree = {}", "tree = {}, name = \"a\"");
    let found = checked(&text, &[r#"that = "risk@depth=5 < risk@depth=6 + 0.0""#]);
    let [one] = found.as_slice() else { panic!() };
    let apart = (one.left.unwrap() - one.right.unwrap()).abs();
    let clear = apart > 5.0 * one.se.unwrap();
    assert!(clear || one.verdict == Verdict::Undecided, "{one:?}");
}

/// A learner with as many features as points: the mean does not exist, the median does.
#[test]
fn a_mean_that_may_not_exist_decides_nothing_and_a_median_does() {
    let text = r#"
        problem = { truth = { linear = 1.0 }, inputs = { normal = [0, 1], dimension = 20 }, noise = { normal = 0.5 }, train = 20 }
        learner = [{ linear = {} }]
        run     = { resamples = 200, test = { draw = 100 } }
    "#;
    let found = checked(
        text,
        &[
            r#"that = "risk@ > 0.1""#,
            r#"that = "risk_median@ > 0.1""#,
            r#"that = "risk@ - risk@ = 0 within 1""#,
        ],
    );
    assert_eq!(found[0].verdict, Verdict::Undecided, "{:?}", found[0]);
    let reason = found[0].reason.as_ref().unwrap();
    assert!(reason.contains("mean may not exist"), "{reason}");
    assert_eq!(found[1].verdict, Verdict::Holds, "{:?}", found[1]);
    assert_eq!(found[2].verdict, Verdict::Undecided, "{:?}", found[2]);
}

#[test]
fn simulations_make_claims_of_their_series() {
    let text = r#"
        simulation = "majority-vote"
        run = { resamples = 4000 }
    "#;
    let experiment = experiment(text);
    let description = experiment.task.describe();
    let series = &description.simulation().unwrap().series;
    let vote = series.iter().find(|one| one.panel == "vote").unwrap();
    let (first, last) = (vote.x[0], vote.x[vote.x.len() - 1]);
    let name = &vote.name;
    let claims = [
        format!("that = '\"{name}\"@vote, x={last} < \"{name}\"@vote, x={first}'"),
        format!("that = '\"{name}\"@vote, x={last} > \"{name}\"@vote, x={first}'"),
        format!(
            "that = '\"{name}\"@vote, x={first} = \"{name}\".theory@vote, x={first} within 0.1'"
        ),
    ];
    let claims: Vec<&str> = claims.iter().map(String::as_str).collect();
    let found = verdicts(text, &claims);
    let found: Vec<Verdict> = found.into_iter().map(|(verdict, _)| verdict).collect();
    assert_eq!(found, [Verdict::Holds, Verdict::Refuted, Verdict::Holds]);
}

/// The error of an expression against one from runs with each group of training sets left out, made
/// from single runs: with 30 resamples every resample is a group, and a run keeps all their risks.
#[test]
fn the_error_of_an_expression_is_the_jackknife_of_brute_force() {
    let text = r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 40 }
        sweep   = { k = [1, 5, 20] }
        learner = [{ knn = {} }]
        run     = { resamples = 30, keep = 30, test = { grid = 50 } }
        [[claim]]
        that = "risk@k=5 / risk@k=1 < 1"
        [[claim]]
        that = "ln(risk@k=20) - sqrt(risk@k=5) > 0"
    "#;
    let experiment = experiment(text);
    let (outcome, _) = outcomes(&experiment);
    let evidence = Evidence::of(&experiment, &outcome, &[]);
    let Outcome::Study(results) = &outcome else {
        panic!()
    };
    // The risk is the mean of the risks of single resamples.
    let risks = |setting: usize| -> Vec<f64> {
        let kept = results.kept.iter();
        kept.map(|kept| kept.fits[0].risk[setting]).collect()
    };
    let without = |setting: usize, left: usize| {
        let all = risks(setting);
        (all.iter().sum::<f64>() - all[left]) / (all.len() - 1) as f64
    };
    let expected = [
        (0..30)
            .map(|left| without(1, left) / without(0, left))
            .collect::<Vec<f64>>(),
        (0..30)
            .map(|left| without(2, left).ln() - without(1, left).sqrt())
            .collect(),
    ];
    for (claim, left_out) in experiment.claims.iter().zip(expected) {
        let Statement::Ordered { terms, .. } = &claim.statement else {
            panic!()
        };
        let found = evidence.value(&terms[0]);
        let mean = left_out.iter().sum::<f64>() / 30.0;
        let squares: f64 = left_out.iter().map(|v| (v - mean) * (v - mean)).sum();
        let se = (29.0 / 30.0 * squares).sqrt();
        assert!(close(found.se, se, 1e-9), "{} {se}", found.se);
        assert!(close(jackknife_error(&left_out), se, 1e-12));
        assert!(close(found.value, mean, 0.05), "{} {mean}", found.value);
    }
}

/// Paired differences of drawn test points have the error that the report has.
#[test]
fn differences_have_the_error_of_paired_comparisons() {
    for test in ["{ grid = 60 }", "{ draw = 60 }"] {
        let text = TREES.replace("{ grid = 60 }", test);
        let found = checked(&text, &[r#"that = "risk@depth=8 > risk@depth=3""#]);
        let experiment = experiment(&text);
        let (outcome, _) = outcomes(&experiment);
        let Outcome::Study(results) = &outcome else {
            panic!()
        };
        let all = &results.learners[0].decomposition;
        let apart = all.risk_minus(7, all, 2);
        assert!(
            close(found[0].se.unwrap(), apart.se, 1e-6),
            "{test}: {found:?} {apart:?}"
        );
        let difference = found[0].left.unwrap() - found[0].right.unwrap();
        assert!(close(difference, apart.value, 1e-12));
    }
}

/// How often a true statement is refuted: at a level of 0.1 about that often, and not much more.
#[test]
fn true_equalities_are_refuted_as_rarely_as_the_level_says() {
    let (level, runs) = (0.1, 300);
    let mut refuted = 0;
    for seed in 0..runs {
        let text = format!(
            r#"
            problem = {{ truth = "0", inputs = {{ uniform = [0, 1] }}, noise = {{ normal = 1 }}, train = 4 }}
            learner = [{{ knn = {{ k = 4 }} }}]
            run     = {{ resamples = 100, seed = {seed}, test = {{ grid = 5 }} }}
            [[claim]]
            that = "variance@ = 0.25 within 1e-9"
            "#
        );
        let experiment = experiment(&text);
        let (outcome, _) = outcomes(&experiment);
        let evidence = Evidence::of(&experiment, &outcome, &[]);
        let found = check_claims_at(level, &experiment.claims, &evidence);
        assert_ne!(found[0].verdict, Verdict::Holds);
        refuted += usize::from(found[0].verdict == Verdict::Refuted);
    }
    // 30 are expected, with a standard deviation of 5.2.
    assert!((10..=48).contains(&refuted), "{refuted}");
}

const SMALL: &str = r#"
title  = "Risk {risk@depth=3} at {best.depth}"
answer = "With 300 points {variance@300 points: depth=3}, {variance@depth=3 / variance@300 points: depth=3 | times} less."

[problem]
truth  = "sin(x)"
inputs = { uniform = [0, 15] }
noise  = { normal = 0.5 }
train  = 50

[sweep]
depth = "1..6"

[[learner]]
tree = {}

[run]
resamples = 96
test = { grid = 50 }

[[variant]]
name = "300 points"
set = ["problem.train=300"]

[[claim]]
that = "variance@depth=6 > variance@depth=1"

[[claim]]
that = "variance@300 points: depth=6 < variance@depth=6"
"#;

fn statements(place: &Place, home: &str) -> (Vec<Vec<u8>>, serde_json::Value) {
    let files = [
        "claims.csv",
        "claims.parquet",
        "variants.parquet",
        "curves.csv",
    ];
    let files = files.map(|file| place.bytes(&format!("{home}/{file}")));
    let manifest: serde_json::Value =
        serde_json::from_str(&place.read(&format!("{home}/manifest.json"))).unwrap();
    let kept = ["words", "claims", "values", "variants"];
    let kept = kept.map(|key| (key.to_owned(), manifest[key].clone()));
    (files.to_vec(), kept.into_iter().collect())
}

#[test]
fn variants_are_the_same_from_shards_and_after_a_kill() {
    let place = Place::with(&[("small.toml", SMALL)]);
    let (out, _) = place.done(&["run", "small.toml", "--format", "svg", "--out", "whole"]);
    assert!(out.contains("claims: 2 hold\n"), "{out}");
    let whole = statements(&place, "whole/small");
    let title = whole.1["words"]["title"].as_str().unwrap();
    assert!(title.starts_with("Risk 0."), "{title}");
    for shard in ["1/3", "2/3", "3/3"] {
        place.done(&["run", "small.toml", "--shard", shard, "--quiet"]);
    }
    let shards = ["1", "2", "3"].map(|shard| format!("results/small/shard-{shard}-of-3"));
    let mut merge = vec!["merge"];
    merge.extend(shards.iter().map(String::as_str));
    merge.extend(["--format", "svg", "--out", "merged"]);
    place.done(&merge);
    assert_eq!(statements(&place, "merged/small"), whole);
    // A shard without its variant's groups is not complete.
    std::fs::remove_dir_all(place.path().join("results/small/shard-2-of-3/variant-1")).unwrap();
    let (code, _, err) = place.run(&merge);
    assert_eq!(code, 2, "{err}");
    // Saved groups of experiment and variant are gone on from.
    let killed = place.path().join("killed/small/.parts");
    std::fs::create_dir_all(killed.join("variant-1")).unwrap();
    for (from, to) in [("", ""), ("variant-1", "variant-1")] {
        let folder = place.path().join("results/small/shard-1-of-3").join(from);
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let name = entry.file_name();
            if name.to_string_lossy().starts_with("group-") {
                std::fs::copy(entry.path(), killed.join(to).join(name)).unwrap();
            }
        }
    }
    let (_, err) = place.done(&["run", "small.toml", "--format", "svg", "--out", "killed"]);
    assert_eq!(err.matches("continuing after 32 of 96").count(), 2, "{err}");
    assert_eq!(statements(&place, "killed/small"), whole);
    assert!(!killed.exists());
}

#[test]
fn strict_runs_fail_where_a_claim_is_refuted() {
    let wrong = SMALL.replace("depth=6 > variance@depth=1", "depth=6 < variance@depth=1");
    let place = Place::with(&[("right.toml", SMALL), ("wrong.toml", &wrong)]);
    place.done(&["run", "right.toml", "--strict", "--format", "svg"]);
    let (out, err) = place.done(&["run", "wrong.toml", "--format", "svg"]);
    assert!(out.contains("claims: 1 holds, 1 refuted"), "{out}");
    assert!(
        err.contains("claim refuted: variance@depth=6 < variance@depth=1"),
        "{err}"
    );
    let (code, _, err) = place.run(&["run", "wrong.toml", "--strict", "--format", "svg"]);
    assert_eq!(code, 1);
    assert!(err.contains("1 of 2 claims refuted"), "{err}");
    let csv = place.read("results/wrong/claims.csv");
    assert!(csv.starts_with("claim,left,right,se,verdict\n"), "{csv}");
    assert!(
        csv.contains(",refuted\n") && csv.contains(",holds\n"),
        "{csv}"
    );
}

#[test]
fn claims_and_variants_make_a_result_stale_and_words_alone_do_not() {
    let place = Place::with(&[("small.toml", SMALL)]);
    let figures = || {
        let (out, _) = place.done(&["figures", "small.toml", "--format", "svg"]);
        out.lines().last().unwrap().to_owned()
    };
    let text = SMALL.to_owned() + "\n[[figure]]\ntradeoff = {}\n";
    place.write("small.toml", &text);
    assert!(figures().ends_with("1 made"));
    assert!(figures().ends_with("1 reused"));
    // Other words, of numbers that the tables have.
    let other = text.replace("Risk {risk@depth=3}", "Bias {bias2@300 points: depth=2}");
    place.write("small.toml", &other);
    assert!(figures().ends_with("1 redrawn"));
    let manifest = place.read("results/small/manifest.json");
    assert!(manifest.contains("Bias 0."), "{manifest}");
    let svg = place.read("results/small/tradeoff.svg");
    assert!(svg.contains("Bias 0."));
    // An expression whose error was not computed.
    place.write("small.toml", &other.replace("{bias2@300", "{2 * bias2@300"));
    assert!(figures().ends_with("1 made"));
    place.write(
        "small.toml",
        &text.replace("depth=6 > variance", "depth=5 > variance"),
    );
    assert!(figures().ends_with("1 made"));
    place.write("small.toml", &text.replace("train=300", "train=301"));
    assert!(figures().ends_with("1 made"));
}

#[test]
fn a_value_is_printed_with_its_error() {
    let place = Place::with(&[("small.toml", SMALL)]);
    place.done(&["run", "small.toml", "--format", "svg", "--quiet"]);
    let (out, _) = place.done(&["value", "small", "risk@depth=3"]);
    assert!(
        out.starts_with("0.") && out.contains("(standard error 0.0"),
        "{out}"
    );
    let (out, _) = place.done(&["value", "results/small", "problem.train"]);
    assert_eq!(out, "50\n");
    let (code, _, err) = place.run(&["value", "small", "risk@depht=3"]);
    assert_eq!(code, 2);
    assert!(err.contains("did you mean `depth`?"), "{err}");
}

#[test]
fn keys_set_on_top_may_take_away_what_words_are_about() {
    let sets = ["sweep={ depth = [1, 2] }".to_owned()];
    let read = Experiment::read("small", Source::new("small.toml", SMALL, &sets));
    let experiment = read.map_err(|error| error.to_string()).unwrap();
    let (outcome, variants) = outcomes(&experiment);
    let evidence = Evidence::of(&experiment, &outcome, &variants);
    let found = check_claims(&experiment.claims, &evidence);
    assert!(
        found.iter().all(|one| one.verdict == Verdict::Undecided),
        "{found:?}"
    );
    // A learner and a variant that are gone.
    let sets = [
        "learner=[{ knn = {} }]".to_owned(),
        "sweep={ k = [1, 2] }".to_owned(),
    ];
    let text = SMALL.replace("risk@depth=3", "risk@tree, depth=3");
    let read = Experiment::read("small", Source::new("small.toml", &text, &sets));
    assert!(read.is_ok(), "{}", read.err().unwrap());
    let reason = found[0].reason.as_ref().unwrap();
    assert!(
        reason.contains("`depth` does not have the value 6"),
        "{reason}"
    );
}
