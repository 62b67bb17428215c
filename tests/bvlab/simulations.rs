//! Simulations against their theory, and against reference values that do not come from this code.

use bvlab::engine::{Observer, RunError, Unwatched};
use bvlab::experiment::{Experiment, Source};
use bvlab::figure;
use bvlab::outcome::Tables;
use bvlab::simulation::{self, Row, SIMULATIONS, Setup};

use crate::setup::{Place, experiment};

/// Runs a simulation with some of its numbers set.
fn simulate(name: &str, with: &str, resamples: u64, seed: u64) -> Vec<Row> {
    let text = format!("simulation = \"{name}\"\nwith = {{ {with} }}\n");
    let experiment = experiment(&text);
    let setup = Setup {
        resamples,
        seed,
        ..experiment.task.simulation().unwrap().clone()
    };
    simulation::run(&setup, &Unwatched).unwrap()
}

fn find<'a>(rows: &'a [Row], panel: &str, series: &str, x: f64) -> &'a Row {
    let mut rows = rows.iter();
    rows.find(|row| row.panel == panel && row.series == series && row.x == x)
        .unwrap_or_else(|| panic!("no {series} at {x} in {panel}"))
}

/// Every row within five standard errors of theory, and the rows as a whole as far off as chance
/// makes them: neither too far nor too near.
#[track_caller]
fn agrees(rows: &[Row]) {
    let known: Vec<&Row> = rows.iter().filter(|row| row.theory.is_finite()).collect();
    for row in &known {
        assert!(row.apart() < 5.0, "{row:?}");
    }
    // What is rare, or certain, is not normal.
    let common = known
        .iter()
        .filter(|row| row.theory != row.value && row.theory.abs() > 1e-3);
    let squares: Vec<f64> = common.map(|row| row.apart().powi(2)).collect();
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    assert!((0.1..3.0).contains(&mean), "mean squared distance {mean}");
}

#[test]
fn estimators_have_the_bias_and_variance_of_theory() {
    let rows = simulate("estimators", "sigma = 2, sizes = [2, 3, 10, 50]", 20_000, 3);
    agrees(&rows);
    // σ² = 4.
    for (n, bias, variance) in [(2.0, -2.0, 8.0), (10.0, -0.4, 2.88), (50.0, -0.08, 0.6272)] {
        let mean = find(&rows, "bias", "sample mean", n);
        assert_eq!(mean.theory, 0.0);
        let mean = find(&rows, "variance", "sample mean", n);
        assert!((mean.theory - 4.0 / n).abs() < 1e-12);
        let row = find(&rows, "bias", "1/N variance", n);
        assert!((row.theory - bias).abs() < 1e-12, "{row:?}");
        assert!((row.value - bias).abs() < 4.0 * row.se, "{row:?}");
        let row = find(&rows, "variance", "1/N variance", n);
        assert!((row.theory - variance).abs() < 1e-12, "{row:?}");
        assert!((row.value - variance).abs() < 4.5 * row.se, "{row:?}");
    }
}

#[test]
fn a_bootstrap_has_the_share_of_theory() {
    let with = "sizes = [1, 10, 100], points = 20, bootstraps = \"1..4\"";
    let rows = simulate("bootstrap-share", with, 20_000, 4);
    agrees(&rows);
    for (n, share) in [(1.0, 1.0), (10.0, 0.65132), (100.0, 0.63397)] {
        let row = find(&rows, "share", "in the bootstrap", n);
        assert!((row.theory - share).abs() < 5e-6, "{row:?}");
        assert!((row.value - share).abs() <= 4.0 * row.se + 5e-6, "{row:?}");
    }
    for m in 1..=4 {
        let row = find(&rows, "missed", "in none", f64::from(m));
        assert!(
            (row.theory - 0.95_f64.powi(20 * m)).abs() < 1e-12,
            "{row:?}"
        );
        // What is missed by one bootstrap is what is not in it.
        assert!((row.value - row.theory).abs() < 4.0 * row.se, "{row:?}");
    }
    // The error that theory gives is the one that is seen.
    for row in rows.iter().filter(|row| row.se > 0.0) {
        assert!(row.chance < 1.05 * row.se, "{row:?}");
    }
}

#[test]
fn a_majority_errs_as_theory_says() {
    let rows = simulate("majority-vote", "sizes = [1, 2, 11, 21, 51]", 50_000, 5);
    agrees(&rows);
    // Of two voters one error is a tie, which counts as wrong.
    for (m, error) in [
        (1, 0.3),
        (2, 0.51),
        (11, 0.078225),
        (21, 0.026390),
        (51, 0.001364),
    ] {
        let row = find(&rows, "vote", "vote", f64::from(m));
        assert!((row.theory - error).abs() < 5e-7, "{row:?}");
        assert!((row.value - error).abs() < 4.0 * row.chance, "{row:?}");
    }
    for m in [11, 21] {
        let panel = format!("{m} voters");
        let own = || rows.iter().filter(|row| row.panel == panel);
        assert_eq!(own().count(), m + 1);
        let (seen, known): (f64, f64) = own()
            .map(|row| (row.value, row.theory))
            .fold((0.0, 0.0), |(seen, known), (value, theory)| {
                (seen + value, known + theory)
            });
        assert!((seen - 1.0).abs() < 1e-9 && (known - 1.0).abs() < 1e-9);
        // The coloured bars are the votes that are wrong, seen and known.
        let wrong = own().filter(|row| row.x > m as f64 / 2.0);
        let wrong: f64 = wrong.map(|row| row.value).sum();
        let vote = find(&rows, "vote", "vote", m as f64);
        assert!((wrong - vote.value).abs() < 1e-9);
    }
}

#[test]
fn an_ensemble_is_better_by_just_its_diversity_on_every_training_set() {
    // Four resamples are the fewest; a difference on one of them would show in their mean.
    for seed in 0..20 {
        let rows = simulate("ambiguity", "members = [1, 2, 7], train = 30", 4, seed);
        for m in [1.0, 2.0, 7.0] {
            let member = find(&rows, "error", "average member", m).value;
            let ensemble = find(&rows, "error", "ensemble", m);
            let diversity = find(&rows, "gap", "diversity", m);
            assert!((ensemble.value - (member - diversity.value)).abs() < 1e-13 * member);
            assert!(ensemble.apart() < 1e-2 && diversity.apart() < 1e-2);
            assert_eq!(diversity.value > 0.0, m > 1.0);
        }
    }
}

/// The members are those of the learner `bagging` under the same seed, so the ensemble's error is
/// the risk that the engine finds.
#[test]
fn the_ensemble_of_ambiguity_is_the_learner_bagging() {
    let rows = simulate(
        "ambiguity",
        "members = [1, 3, 10], train = 40, noise = 0.7",
        60,
        9,
    );
    let (_, results) = crate::setup::run(
        r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.7 }, train = 40 }
        sweep   = { members = [1, 3, 10] }
        learner = [{ bagging = { base = { tree = {} } } }]
        run     = { resamples = 60, seed = 9, test = { grid = 200 } }
    "#,
    );
    for (m, parts) in [1.0, 3.0, 10.0]
        .iter()
        .zip(&results.learners[0].decomposition.parts)
    {
        let ensemble = find(&rows, "error", "ensemble", *m);
        let away = (ensemble.value - parts.risk.value).abs();
        assert!(away < 1e-12, "{m} members: {away}");
    }
}

#[test]
fn the_training_error_of_adaboost_lies_under_its_bound_at_every_round() {
    // Four resamples are the fewest. The theory of a row is the bound, or the training error where
    // that were larger in any of them.
    for seed in 0..10 {
        for noise in [0.0, 0.1, 0.5] {
            let with = format!("rounds = \"1..60\", train = 25, noise = {noise}");
            let rows = simulate("exponential-bound", &with, 4, seed);
            let mut before = 1.0;
            for t in 1..=60 {
                let row = |series| find(&rows, "rounds", series, f64::from(t));
                let (loss, training) = (row("exponential"), row("0/1"));
                assert!(loss.apart() < 0.1, "{loss:?}");
                assert!(training.value <= loss.theory, "{training:?} {loss:?}");
                assert!(loss.value <= before, "{loss:?}");
                before = loss.value;
                // Half of all labels flipped leaves nothing to learn.
                let testing = row("0/1, testing").value;
                assert!(testing >= noise && (noise < 0.5 || testing == 0.5));
            }
        }
    }
}

#[test]
fn the_exponential_loss_lies_over_the_others_and_all_meet_at_0() {
    let rows = simulate("exponential-bound", "rounds = 1", 4, 1);
    let own = || rows.iter().filter(|row| row.panel == "losses");
    for row in own().filter(|row| row.series == "exponential") {
        let at = |series| find(&rows, "losses", series, row.x).value;
        assert!((row.value - (-row.x).exp()).abs() < 1e-15);
        assert!(at("0/1") == f64::from(u8::from(row.x <= 0.0)));
        assert!(row.value >= at("0/1") && at("logistic") >= at("0/1"));
        // ln(1 + e⁻ᵐ) is that of logistic regression, up to its base.
        let logistic = (1.0 + (-row.x).exp()).log2();
        assert!((at("logistic") - logistic).abs() < 1e-12);
    }
    for series in ["exponential", "0/1", "logistic"] {
        assert!((find(&rows, "losses", series, 0.0).value - 1.0).abs() < 1e-15);
    }
}

#[test]
fn bagged_members_err_together_and_their_vote_is_worse_than_theory() {
    let with = "members = 12, sizes = [1, 5, 11, 21], train = 80";
    for seed in 1..4 {
        let rows = simulate("member-dependence", with, 4000, seed);
        agrees(&rows);
        let mean = |bagged: bool| {
            let own = rows.iter().filter(|row| {
                let member = row.series.strip_prefix("member ").map(str::parse::<f64>);
                member.is_some_and(|member| (row.x > member.unwrap()) == bagged)
            });
            let values: Vec<f64> = own.map(|row| row.value).collect();
            assert_eq!(values.len(), 66);
            values.iter().sum::<f64>() / 66.0
        };
        assert!(
            mean(true) > 0.15 && mean(true) > mean(false) + 0.1,
            "{seed}"
        );
        let vote = |series| find(&rows, "vote", series, 21.0);
        let independent = vote("independent").theory;
        assert!(vote("bagged").value > 4.0 * independent, "{seed}");
        assert!(vote("bagged").value > vote("own data").value, "{seed}");
    }
    // What of two members is said does not depend on how many there are.
    let few = simulate("member-dependence", "members = 2, sizes = 3", 100, 1);
    let more = simulate("member-dependence", "members = 9, sizes = [3, 15]", 100, 1);
    for (panel, series, x) in [("pairs", "member 1", 2.0), ("pairs", "member 2", 1.0)] {
        let at = |rows| find(rows, panel, series, x).value;
        assert_eq!(at(&few), at(&more), "{series}");
    }
}

#[test]
fn results_follow_from_the_seed_alone() {
    for simulation in SIMULATIONS {
        let run = |seed| {
            let setup = Setup {
                resamples: 50,
                seed,
                ..Setup::new(simulation)
            };
            let rows = simulation::run(&setup, &Unwatched).unwrap();
            Tables::of_simulation(&rows)
                .simulation
                .numbers("value")
                .to_vec()
        };
        let [first, again, other] = [1, 1, 2].map(|seed| {
            let values = run(seed).into_iter();
            values.map(f64::to_bits).collect::<Vec<_>>()
        });
        assert_eq!(first, again, "{}", simulation.name);
        assert_ne!(first, other, "{}", simulation.name);
    }
    // Fewer sizes do not change what is drawn for the others.
    let few = simulate("estimators", "sizes = [5, 20]", 50, 1);
    let more = simulate("estimators", "sizes = [3, 5, 7, 20]", 50, 1);
    let seen = |rows: &[Row]| find(rows, "bias", "1/N variance", 20.0).value;
    assert!((seen(&few) - seen(&more)).abs() < 1e-15);
}

#[test]
fn the_report_of_pairs_is_two_lines() {
    let text = "simulation = \"member-dependence\"\nwith = { members = 20 }\n";
    let place = Place::with(&[("pairs.toml", text)]);
    let said = place.done(&["run", "pairs.toml", "--resamples", "3000"]).0;
    for words in [
        "own data     all 190 pairs",
        "bagged       all 190 pairs",
        " on average, ",
        " % dependent",
        "simulation and theory (independent voters) agree at all 12 values",
    ] {
        assert!(said.contains(words), "no `{words}` in\n{said}");
    }
    assert_eq!(said.matches("\npairs  ").count(), 2, "{said}");
}

#[test]
fn a_simulation_stops_when_told() {
    struct Impatient;
    impl Observer for Impatient {
        fn stopped(&self) -> bool {
            true
        }
    }
    for simulation in SIMULATIONS {
        let setup = Setup {
            resamples: 1_000_000,
            seed: 1,
            ..Setup::new(simulation)
        };
        let stopped = simulation::run(&setup, &Impatient);
        // Long resamples stop within the first.
        let Err(RunError::Stopped { done: 0..=1, total }) = stopped else {
            panic!("{} went on", simulation.name);
        };
        assert_eq!(total, 1_000_000);
    }
}

const GOOD: &str = r#"title = "Votes"
simulation = "majority-vote"
with = { error = 0.3, voters = [11, 21] }

[run]
resamples = 200
seed = 1

[[figure]]
simulation = { panels = ["11 voters", "vote"] }
"#;

#[track_caller]
fn refuses(from: &str, to: &str, token: &str, message: &str, help: &str) {
    assert!(GOOD.contains(from), "no `{from}`");
    let text = GOOD.replacen(from, to, 1);
    let Err(error) = Experiment::read("bad", Source::new("bad.toml", &text, &[])) else {
        panic!("`{to}` instead of `{from}` was accepted");
    };
    let got_help = error.help().unwrap_or("");
    let got = format!(
        "{}\n token: {}\n help: {got_help}",
        error.message(),
        error.token()
    );
    assert!(error.message().contains(message), "{got}");
    assert_eq!(error.token(), token, "{got}");
    assert!(got_help.contains(help), "{got}");
}

#[test]
fn bad_simulations_are_refused_at_the_token() {
    assert!(experiment(GOOD).task.simulation().is_some());
    let name = "\"majority-vote\"";
    refuses(
        name,
        "\"majority-votes\"",
        "\"majority-votes\"",
        "no simulation",
        "`majority-vote`",
    );
    refuses(
        name,
        "\"banana\"",
        "\"banana\"",
        "no simulation",
        "`ambiguity`",
    );
    refuses(name, "7", "7", "expected a string", "");
    let range = "`error`: above 0 to 0.99; default 0.3";
    refuses(
        "error =",
        "eror =",
        "eror",
        "`majority-vote` has no `eror`",
        "did you mean `error`?",
    );
    refuses("error =", "banana =", "banana", "has no `banana`", range);
    refuses("0.3", "0", "0", "`error` must be above 0, not 0", range);
    refuses(
        "0.3",
        "1.5",
        "1.5",
        "`error` can be at most 0.99, not 1.5",
        range,
    );
    refuses("0.3", "nan", "nan", "must be finite", range);
    refuses("0.3", "[0.3]", "[0.3]", "expected a number", range);
    refuses("0.3", "\"much\"", "\"much\"", "expected a number", range);
    let list = "`voters`: a list, whole, from 1 to 100; default [11, 21]";
    refuses(
        "[11, 21]",
        "[11, 2.5]",
        "2.5",
        "`voters` must be a whole number",
        list,
    );
    refuses(
        "[11, 21]",
        "[11, 101]",
        "101",
        "`voters` can be at most 100",
        list,
    );
    refuses(
        "[11, 21]",
        "[0, 21]",
        "0",
        "`voters` must be at least 1",
        list,
    );
    refuses("[11, 21]", "[]", "[]", "empty", "");
    refuses("[11, 21]", "[11, 11]", "[11, 11]", "twice", "");
    refuses("[11, 21]", "[11, \"x\"]", "\"x\"", "expected a number", "");
    refuses(
        "[11, 21]",
        "\"1..9\"",
        "\"1..9\"",
        "has 9 values; the maximum is 4",
        "",
    );
    refuses(
        "{ error = 0.3, voters = [11, 21] }",
        "3",
        "3",
        "expected a table",
        "",
    );
}

#[test]
fn a_simulation_is_not_mixed_with_a_problem() {
    let either = "either a `simulation`";
    let problem = "[problem]\ntruth = \"x\"\ninputs = { uniform = [0, 1] }\nnoise = { normal = 1 }\ntrain = 9\n[run]";
    refuses(
        "[run]",
        problem,
        "[problem]",
        "a simulation has no `problem`",
        either,
    );
    refuses(
        "[run]",
        "[[learner]]\ntree = {}\n[run]",
        "[[learner]]",
        "no `learner`",
        either,
    );
    refuses(
        "[run]",
        "[sweep]\nk = \"1..3\"\n[run]",
        "k",
        "no `sweep`",
        either,
    );
    refuses(
        "seed = 1",
        "test = \"inputs\"",
        "\"inputs\"",
        "no `test`",
        either,
    );
    refuses("seed = 1", "keep = 3", "3", "no `keep`", either);
    refuses("seed = 1", "sources = true", "true", "no `sources`", either);
    refuses(
        "resamples = 200",
        "precision = 0.1\nmax-resamples = 100",
        "0.1",
        "no `precision`",
        either,
    );
    refuses(
        "simulation = \"majority-vote\"\n",
        "",
        "{ error = 0.3, voters = [11, 21] }",
        "`with`",
        "",
    );
    let nothing = "simulation = \"majority-vote\"\nwith = { error = 0.3, voters = [11, 21] }\n";
    refuses(nothing, "", "", "`problem` is missing", "`simulation`");
    refuses(
        "simulation = {",
        "tradeoff = {} #",
        "[[figure]]",
        "only be drawn by `simulation = {}`",
        "",
    );
    refuses(
        "\"vote\"]",
        "\"votes\"]",
        "\"votes\"",
        "no panel is called `votes`",
        "`vote`",
    );
    refuses(
        "[\"11 voters\", \"vote\"]",
        "[]",
        "[]",
        "`panels` is empty",
        "",
    );
    let usual = r#"
        problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 9 }
        learner = [{ tree = {} }]
        figure  = [{ simulation = {} }]
    "#;
    let Err(error) = Experiment::read("bad", Source::new("bad.toml", usual, &[])) else {
        panic!("a simulation without one is drawn");
    };
    assert!(error.message().contains("this experiment is not one"));
    let divided = usual
        .replace(
            "tree = {}",
            "bagging = { sample = \"split\", members = 10, base = { tree = {} } }",
        )
        .replace("simulation = {}", "pointwise = {}");
    let Err(error) = Experiment::read("bad", Source::new("bad.toml", &divided, &[])) else {
        panic!("9 points are divided among 10");
    };
    assert_eq!(error.token(), "bagging");
    assert!(
        error
            .message()
            .contains("9 training points cannot be divided among 10 members")
    );
}

#[test]
fn figures_of_simulations_say_what_they_show() {
    let draw = |text: &str| {
        let e = experiment(text);
        let setup = Setup {
            resamples: 200,
            seed: 1,
            ..e.task.simulation().unwrap().clone()
        };
        let rows = simulation::run(&setup, &Unwatched).unwrap();
        let tables = Tables::of_simulation(&rows);
        let drawing = figure::draw(e.heading(), &e.task.describe(), &e.figures[0], &tables);
        let svg = drawing.unwrap().to_svg();
        svg.split_once("</style>").unwrap().1.to_owned()
    };
    let svg = draw(GOOD);
    for words in [
        "Votes",
        "200 votes",
        "bars, and dots without bars: simulated, with 95 % intervals",
        "dots on bars, and lines: binomial",
        "11 voters",
        "error of the vote",
        "vote wrong: 7.8 %",
        "voters who err",
    ] {
        assert!(svg.contains(words), "no `{words}`");
    }
    assert!(!svg.contains("21 voters"), "a panel that was not asked for");
    let svg = draw(
        "simulation = \"member-dependence\"\nwith = { members = 5 }\nrun = { resamples = 200 }\nfigure = [{ simulation = {} }]\n",
    );
    for words in [
        "200 test points",
        "lines through open dots: independent voters  ·  grey: no more than chance",
        "own data: mean ",
        "bagged: mean ",
        "error of the vote",
    ] {
        assert!(svg.contains(words), "no `{words}`");
    }
    // Extreme numbers are drawn too.
    for (name, with) in [
        ("majority-vote", "error = 1e-9, voters = 1, sizes = 1"),
        (
            "majority-vote",
            "error = 0.99, voters = [1, 2, 99, 100], sizes = [2, 1000]",
        ),
        ("estimators", "sigma = 1e-6, sizes = 2"),
        (
            "estimators",
            "sigma = 1e6, sizes = { from = 2, to = 3000, count = 5, scale = \"log\" }",
        ),
        ("bootstrap-share", "sizes = 1, points = 2, bootstraps = 100"),
        ("ambiguity", "members = 1, train = 1, noise = 0"),
        ("exponential-bound", "rounds = 1, train = 1, noise = 0"),
        (
            "exponential-bound",
            "rounds = [2, 500], train = 3, noise = 0.5",
        ),
    ] {
        let text = format!(
            "simulation = \"{name}\"\nwith = {{ {with} }}\nfigure = [{{ simulation = {{}} }}]\n"
        );
        let svg = draw(&text);
        assert!(
            !svg.contains("NaN") && !svg.contains("inf"),
            "{name} {with}"
        );
    }
}

#[test]
fn a_run_leaves_one_table_that_can_be_redrawn() {
    let place = Place::with(&[("votes.toml", GOOD)]);
    let bvlab = |arguments: &[&str]| place.done(arguments).0;
    let said = bvlab(&[
        "run",
        "votes.toml",
        "--resamples",
        "20000",
        "--threads",
        "2",
    ]);
    for words in [
        "20\u{a0}000 votes",
        "11 voters  vote wrong  6 or more",
        " 7.8 %\n",
        " 2.6 %\n",
        "simulation and theory (binomial) agree at all 46 values: largest difference",
        "chance allows 4.2",
        "simulation.csv, simulation.parquet, simulation.png",
    ] {
        assert!(said.contains(words), "no `{words}` in\n{said}");
    }
    let table = || place.bytes("results/votes/simulation.csv");
    let first = table();
    assert!(first.starts_with(b"panel,series,x,value,se,theory\n11 voters,votes,0.0,"));
    let picture = place.bytes("results/votes/simulation.png");
    bvlab(&["draw", "results/votes"]);
    assert_eq!(place.bytes("results/votes/simulation.png"), picture);
    bvlab(&[
        "run",
        "votes.toml",
        "--resamples",
        "20000",
        "--threads",
        "1",
    ]);
    assert_eq!(table(), first);
    let checked = bvlab(&["check", "votes.toml"]);
    assert!(
        checked.contains("ok, majority-vote; 200 votes"),
        "{checked}"
    );
    let listed = bvlab(&["list", "--simulations"]);
    for simulation in SIMULATIONS {
        assert!(
            listed.contains(&format!("{}: ", simulation.name)),
            "{listed}"
        );
    }
    // None of the tables of a problem with learners is there.
    let files = place.files();
    let names: Vec<_> = files
        .iter()
        .filter_map(|file| file.strip_prefix("results/votes/"))
        .collect();
    let wanted = [
        "manifest.json",
        "simulation.csv",
        "simulation.parquet",
        "simulation.png",
    ];
    assert_eq!(names, wanted);
}

#[test]
fn means_of_tosses_are_off_as_often_as_theory_says_and_less_than_hoeffding_allows() {
    let with = "chance = 0.1, tolerance = 0.05, sizes = [50, 100, 200, 1000]";
    let rows = simulate("hoeffding", with, 20_000, 3);
    agrees(&rows);
    for n in [50.0, 100.0, 200.0, 1000.0] {
        let seen = find(&rows, "failure", "samples", n);
        let bound = find(&rows, "failure", "Hoeffding's bound", n);
        assert!(seen.theory < bound.value, "{seen:?} {bound:?}");
        // The bound on the tolerance holds for the exact one.
        for delta in ["0.01", "0.05"] {
            let exact = find(&rows, "tolerance", &format!("δ = {delta}"), n);
            let bound = find(&rows, "tolerance", &format!("δ = {delta}: bound"), n);
            assert!(exact.value < bound.value, "{exact:?} {bound:?}");
        }
    }
    let known = find(&rows, "failure", "Hoeffding's bound", 1000.0);
    assert!((known.value - 0.01348).abs() < 5e-6);
    let known = find(&rows, "points", "δ = 0.05: bound", 0.02);
    assert_eq!(known.value.ceil(), 4612.0);
    // Of 50 tosses with p = .1, means of at most 2 or at least 8 heads are off by .05 or more.
    let law = statrs::distribution::Binomial::new(0.1, 50).unwrap();
    use statrs::distribution::DiscreteCDF;
    let off = law.cdf(2) + 1.0 - law.cdf(7);
    let seen = find(&rows, "failure", "samples", 50.0);
    assert!((seen.theory - off).abs() < 1e-12, "{seen:?} {off}");
}

#[test]
fn the_best_of_many_guesses_looks_as_good_as_theory_says() {
    let with = "classifiers = [1, 10, 1000], sizes = [20, 100, 300], train = 50";
    let rows = simulate("finite-class-bound", with, 2000, 4);
    agrees(&rows);
    for class in ["|F| = 1", "|F| = 10", "|F| = 1000"] {
        for n in [20.0, 100.0, 300.0] {
            let gap = find(&rows, "gap", class, n);
            let bound = find(&rows, "gap", &format!("{class}: bound"), n);
            assert!(gap.theory < bound.value, "{gap:?} {bound:?}");
        }
    }
    // More classifiers, a lower training error; the true error stays ½.
    let [one, many] = [1.0, 1000.0].map(|x| find(&rows, "best", "its training error", x).theory);
    assert!((one - 0.5).abs() < 1e-12 && many < 0.3, "{one} {many}");
    assert_eq!(find(&rows, "best", "its true error", 1000.0).value, 0.5);
}

#[test]
fn james_and_stein_beat_the_mean_at_every_theta() {
    for (dimension, seed) in [(3, 5), (10, 6)] {
        let with = format!("dimension = {dimension}, lengths = [0, 1, 3, 10]");
        let rows = simulate("shrinkage", &with, 20_000, seed);
        agrees(&rows);
        let at = |series: &str, x: f64| find(&rows, "risk", series, x);
        assert!((at("James–Stein", 0.0).theory - 2.0).abs() < 1e-9);
        for x in [0.0, 1.0, 3.0, 10.0] {
            assert!(at("James–Stein", x).theory < at("mean", x).theory);
            assert!(at("positive part", x).value <= at("James–Stein", x).value);
        }
    }
}

#[test]
fn every_learner_is_right_half_of_the_time_over_all_concepts() {
    let rows = simulate("no-free-lunch", "points = 6, train = 3", 50, 7);
    let averages: Vec<&Row> = rows.iter().filter(|row| row.panel == "average").collect();
    assert_eq!(averages.len(), 4 * 5);
    for row in averages {
        assert_eq!((row.value, row.se), (0.5, 0.0), "{row:?}");
    }
    agrees(&rows);
    // The exact average over concepts by their number of ones, weighted by how many there are, is ½ too.
    for learner in ["nearest neighbour", "majority", "minority", "always 1"] {
        let concepts = [1.0, 6.0, 15.0, 20.0, 15.0, 6.0, 1.0].iter().enumerate();
        let sum: f64 = concepts
            .map(|(ones, count)| count * find(&rows, "concepts", learner, ones as f64).theory)
            .sum();
        assert!((sum / 64.0 - 0.5).abs() < 1e-12, "{learner}");
    }
    // Of a constant concept the majority is always right.
    assert_eq!(find(&rows, "concepts", "majority", 6.0).value, 1.0);
    assert_eq!(find(&rows, "concepts", "minority", 6.0).value, 0.0);
}

#[test]
fn dimensions_do_to_volumes_and_neighbours_what_is_known() {
    let with = "dimensions = [1, 2, 10], train = 200";
    let rows = simulate("curse-of-dimension", with, 2000, 8);
    let shell = find(&rows, "shell", "ε = 0.05", 10.0);
    assert!((shell.value - (1.0 - 0.95_f64.powi(10))).abs() < 1e-12);
    let edge = find(&rows, "edge", "D = 10", 0.1);
    assert!((edge.value - 0.1_f64.powf(0.1)).abs() < 1e-12);
    // Densities sum to one.
    for dimension in [1, 2, 10, 100] {
        let name = format!("D = {dimension}");
        let own = rows
            .iter()
            .filter(|row| row.panel == "radius" && row.series == name);
        let own: Vec<(f64, f64)> = own.map(|row| (row.x, row.value)).collect();
        let area: f64 = own
            .windows(2)
            .map(|pair| (pair[1].0 - pair[0].0) * (pair[1].1 + pair[0].1) / 2.0)
            .sum();
        assert!((area - 1.0).abs() < 0.01, "{name} {area}");
    }
    // In one dimension the distance of the nearest of n is U with P(U > u) = (1 − u)^n: by
    // quadrature, E exp(−8U²) − 1 and its square.
    let steps = 200_000;
    let (mut bias, mut risk) = (0.0, 0.0);
    for step in 0..steps {
        let u = (f64::from(step) + 0.5) / f64::from(steps);
        let density = 200.0 * (1.0 - u).powi(199) / f64::from(steps);
        let error = (-8.0 * u * u).exp() - 1.0;
        bias += density * error;
        risk += density * error * error;
    }
    let seen = find(&rows, "neighbour", "bias²", 1.0);
    assert!((seen.value - bias * bias).abs() < 4.0 * seen.se, "{seen:?}");
    let seen = find(&rows, "neighbour", "risk", 1.0);
    assert!((seen.value - risk).abs() < 5.0 * seen.se, "{seen:?}");
    // In ten dimensions hardly anything is near: the prediction is about 0, the error about 1.
    assert!(find(&rows, "neighbour", "bias²", 10.0).value > 0.9);
}

#[test]
fn the_least_empirical_risk_is_too_low_and_its_population_risk_too_high() {
    let with = "noise = 0.2, train = 20, sizes = [1, 10, 100, 1000]";
    let rows = simulate("empirical-or-population", with, 5000, 9);
    for n in [10.0, 100.0] {
        let low = find(&rows, "minima", "empirical risk", n);
        let high = find(&rows, "minima", "population risk", n);
        assert!(low.value + 5.0 * low.se < 0.2, "{low:?}");
        assert!(high.value - 5.0 * high.se > 0.2, "{high:?}");
    }
    // One point: no error in training, and a threshold at x/2 or (1 + x)/2, whichever interval is
    // the one where it is right: its distance from ½ is by hand 1/4 on average without noise.
    let one = find(&rows, "minima", "empirical risk", 1.0);
    assert_eq!(one.value, 0.0);
    let risk = find(&rows, "minima", "population risk", 1.0);
    // x uniform. Label 1 (threshold x/2): |x/2 − ½|; label 0: (1+x)/2 − ½ = x/2. Above ½ the label is 1
    // with .8, below with .2.
    let above = 0.8 * 0.125 + 0.2 * 0.375;
    let known = 0.2 + 0.6 * above;
    assert!(
        (risk.value - known).abs() < 4.0 * risk.se,
        "{risk:?} {known}"
    );
    let truth = find(&rows, "risks", "population risk", 0.25);
    assert!((truth.value - 0.35).abs() < 1e-12);
}
