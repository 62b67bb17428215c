//! Random experiments, written as files: what holds for one that was thought of holds for all.

use std::sync::Mutex;

use bvlab::decompose::{Parts, interval_factor};
use bvlab::engine::{self, GroupState, Options, Results, RunError, Shard, Unwatched};
use bvlab::outcome::Tables;
use bvlab::plan::Plan;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use crate::going_on::SavesAlways;
use crate::setup::{close, plan};

/// A learner with its sweep: the axes by name and values, and the rest of its table.
#[derive(Clone, Debug)]
struct Chosen {
    axes: Vec<(String, Vec<f64>)>,
    table: String,
    /// Whether its whole path gives the very bits of a loop over its values.
    exactly: bool,
}

#[derive(Clone, Debug)]
struct Random {
    problem: String,
    learners: Vec<Chosen>,
    run: String,
    resamples: u64,
}

impl Random {
    fn text(&self, more: &str) -> String {
        let learner = |(i, learner): (usize, &Chosen)| {
            let axis = |(name, values): &(String, Vec<f64>)| format!("{name} = {values:?}");
            let axes: Vec<String> = learner.axes.iter().map(axis).collect();
            let sweep = match axes.is_empty() {
                true => String::new(),
                false => format!("sweep = {{ {} }}\n", axes.join(", ")),
            };
            format!("[[learner]]\nname = \"{i}\"\n{sweep}{}\n", learner.table)
        };
        let learners: String = self.learners.iter().enumerate().map(learner).collect();
        format!(
            "[problem]\n{}\n{learners}[run]\nresamples = {}\nkeep = {}\n{}\n{more}\n",
            self.problem, self.resamples, self.resamples, self.run
        )
    }
}

fn learner(dimension: usize, train: usize) -> impl Strategy<Value = Chosen> {
    let k = move |values: &[usize]| -> Vec<f64> {
        let mut ks: Vec<usize> = values.iter().map(|k| 1 + k % train).collect();
        ks.sort_unstable();
        ks.dedup();
        ks.into_iter().map(|k| k as f64).collect()
    };
    let numbers = prop::collection::vec(0_usize..40, 1..4);
    let kind = select((0..10).collect::<Vec<usize>>());
    let second = select(vec!["none", "own", "train", "noise"]);
    (kind, numbers, second).prop_map(move |(kind, numbers, second)| {
        let mut some: Vec<f64> = numbers.iter().map(|n| *n as f64).collect();
        some.sort_by(f64::total_cmp);
        some.dedup();
        let above = |values: &[f64]| values.iter().map(|v| v + 1.0).collect::<Vec<f64>>();
        let flat = dimension == 1;
        let (first, own, table, exactly): (_, Option<(&str, Vec<f64>)>, &str, bool) = match kind {
            0 => (("k", k(&numbers)), None, "knn = {}", true),
            1 => (
                ("depth", some.clone()),
                Some(("min-leaf", k(&[0, 2]))),
                "tree = {}",
                true,
            ),
            2 => (("leaves", above(&some)), None, "tree = {}", true),
            3 => (("bandwidth", above(&some)), None, "kernel = {}", true),
            4 if flat => {
                let most = (train - 1).min(5) as f64;
                let mut degrees: Vec<f64> = some.iter().map(|d| d.min(most)).collect();
                degrees.dedup();
                (
                    ("degree", degrees),
                    Some(("lambda", vec![0.0, 0.5])),
                    "polynomial = {}",
                    true,
                )
            }
            5 if flat => {
                let table = "gaussians = { count = 4, width = 1 }";
                (("lambda", above(&some)), None, table, true)
            }
            6 => (
                ("members", above(&some)),
                Some(("base.depth", vec![1.0, 4.0])),
                "bagging = { base = { tree = {} } }",
                true,
            ),
            7 => (
                ("rounds", some.clone()),
                Some(("rate", vec![0.1, 1.0])),
                "boosting = {}",
                true,
            ),
            8 => {
                let table = "fourier = { scale = 1, lambda = 0.1 }";
                (("features", above(&some)), None, table, false)
            }
            9 => (
                ("epochs", some.clone()),
                None,
                "network = { width = 2 }",
                true,
            ),
            _ => (("lambda", some.clone()), None, "linear = {}", true),
        };
        let mut axes = vec![(first.0.to_owned(), first.1)];
        match (second, own) {
            ("own", Some((name, values))) => axes.push((name.to_owned(), values)),
            ("train", _) => axes.push(("train".to_owned(), vec![train as f64, train as f64 + 3.0])),
            ("noise", _) => axes.push(("noise".to_owned(), vec![0.0, 0.7])),
            _ => {}
        }
        Chosen {
            axes,
            table: table.to_owned(),
            exactly,
        }
    })
}

fn random() -> impl Strategy<Value = Random> {
    let shape = (1_usize..3, 1_usize..20);
    shape.prop_flat_map(|(dimension, train)| {
        let truths = match dimension {
            1 => vec!["\"sin(x)\"", "\"0\"", "\"3*(x > 1)\"", "{ points = [[0, 1], [2, -1]] }"],
            _ => vec!["\"x1*x2\"", "{ linear = 2.0 }"],
        };
        let inputs = match dimension {
            1 => vec!["uniform = [-1, 4]", "normal = [0, 2]", "grid = [0, 5]", "uniform = [0, 1], fixed = true"],
            _ => vec!["uniform = [-1, 4], dimension = 2", "normal = [0, 1], dimension = 2"],
        };
        let noises = vec!["normal = 0.5", "laplace = 1", "uniform = 0.2", "student-t = 1, degrees = 5", "normal = 0"];
        let tests = vec!["{ grid = 9 }", "{ grid = 1 }"];
        let learners = prop::collection::vec(learner(dimension, train), 1..4);
        let run = (4_u64..90, any::<bool>(), 0_u32..1000, select(tests));
        (select(truths), select(inputs), select(noises), learners, run).prop_map(
            move |(truth, inputs, noise, learners, (resamples, sources, seed, test))| Random {
                problem: format!(
                    "truth = {truth}\ninputs = {{ {inputs} }}\nnoise = {{ {noise} }}\ntrain = {train}"
                ),
                learners,
                run: format!("sources = {sources}\nseed = {seed}\ntest = {test}"),
                resamples,
            },
        )
    })
}

/// All numbers in a form in which a missing one equals itself.
fn bits(parts: &Parts) -> String {
    format!("{parts:?}")
}

fn tables(plan: &Plan, results: &Results) -> String {
    format!("{:?}", Tables::new(plan, results))
}

/// Runs shards that save their groups, and a run that begins with all of these.
fn sharded(plan: &Plan, shards: usize) -> Result<Results, RunError> {
    let slabs = plan.slab_count();
    let saved: Vec<Mutex<Vec<GroupState>>> = (0..slabs).map(|_| Mutex::new(Vec::new())).collect();
    let save = |slab: usize, state: &GroupState| {
        let mut saved = saved[slab].lock().unwrap();
        saved.retain(|other| other.group != state.group);
        saved.push(state.clone());
    };
    let saves = SavesAlways {
        observer: &Unwatched,
        save: &save,
    };
    for index in 1..=shards {
        let shard = Shard { index, of: shards };
        engine::run_shard(plan, shard, Options::new(1 + index % 2, &saves))?;
    }
    let begun = |slab: usize| saved[slab].lock().unwrap().clone();
    engine::run_with(
        plan,
        Options {
            begun: Some(&begun),
            ..Options::new(2, &Unwatched)
        },
    )
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: cases.map_or(60, |cases| cases.parse().unwrap()),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(6),
        ..ProptestConfig::default()
    }
}

proptest! {
    // The same cases every time; PROPTEST_CASES=10000 tries more.
    #![proptest_config(config())]

    #[test]
    fn random_experiments_give_the_same_whoever_computes_them(
        random in random(), shards in 1_usize..6, threads in 2_usize..5, slab in 1_usize..30,
    ) {
        let text = random.text("");
        let whole = plan(&text);
        let results = match engine::run(&whole, 1, &Unwatched) {
            Ok(results) => results,
            Err(error) => return Err(TestCaseError::fail(format!("{error}\n{text}"))),
        };
        let bytes = tables(&whole, &results);
        let again = engine::run(&whole, threads, &Unwatched).unwrap();
        prop_assert!(bytes == tables(&whole, &again), "{threads} threads\n{text}");
        let again = sharded(&whole, shards).unwrap();
        prop_assert!(bytes == tables(&whole, &again), "{shards} shards\n{text}");
        // Random features on the second axis are summed in another order.
        let features = |learner: &Chosen| learner.axes.get(1).is_some_and(|axis| axis.0 == "features");
        prop_assert!(!random.learners.iter().any(features));
        let slabs = plan(&random.text(&format!("slab = {slab}")));
        let again = sharded(&slabs, shards).unwrap();
        prop_assert!(bytes == tables(&slabs, &again), "slabs of {slab}\n{text}");
    }

    #[test]
    fn random_experiments_sum_up(random in random()) {
        let text = random.text("");
        let plan = plan(&text);
        let results = engine::run(&plan, 2, &Unwatched).unwrap();
        for (which, learner) in results.learners.iter().enumerate() {
            for (setting, parts) in learner.decomposition.parts.iter().enumerate() {
                let sum = parts.noise + parts.bias2.value + parts.variance.value;
                prop_assert!(close(sum, parts.risk.value, 1e-12), "{text}");
                prop_assert!(parts.variance.value >= 0.0, "{text}");
                if plan.run.sources {
                    let sources = parts.sources.as_ref().unwrap();
                    let sum: f64 = sources.parts.iter().map(|part| part.value).sum();
                    prop_assert!(close(sum, parts.variance.value, 1e-9), "{text}");
                } else {
                    // bias² + variance is the mean of the squared distances, exactly.
                    let risks = results.kept.iter().map(|kept| kept.fits[which].risk[setting]);
                    let mean = risks.sum::<f64>() / results.resamples as f64;
                    prop_assert!(close(mean, parts.risk.value, 1e-9), "{mean} {parts:?}\n{text}");
                }
                // Measured on fresh labels, it is the same but for chance.
                let gap = (parts.test.value - parts.risk.value).abs();
                let limit = interval_factor(1.0 - 1e-9, learner.decomposition.groups);
                let rounding = 1e-9 * (1.0 + parts.risk.value);
                prop_assert!(gap <= limit * parts.gap.se + rounding, "{parts:?}\n{text}");
            }
        }
    }

    #[test]
    fn random_paths_are_loops(random in random()) {
        let text = random.text("");
        let path = plan(&text);
        let results = engine::run(&path, 2, &Unwatched).unwrap();
        for (which, curve) in path.curves().enumerate() {
            // Three settings of every learner, each alone.
            let settings = curve.settings();
            for setting in [0, settings / 2, settings - 1] {
                let mut alone = random.clone();
                let mut chosen = random.learners[which].clone();
                for (axis, value) in chosen.axes.iter_mut().zip([curve.value(setting), curve.second(setting)]) {
                    axis.1 = vec![value];
                }
                alone.learners = vec![chosen];
                let text = alone.text("");
                let one = plan(&text);
                let found = engine::run(&one, 1, &Unwatched).unwrap();
                let [path, alone] = [&results.learners[which].decomposition, &found.learners[0].decomposition];
                let [path, alone] = [&path.parts[setting], &alone.parts[0]];
                match random.learners[which].exactly {
                    true => prop_assert!(bits(path) == bits(alone), "{path:?}\n{alone:?}\n{text}"),
                    false => {
                        let [path, alone] = [path.risk.value, alone.risk.value];
                        prop_assert!(close(path, alone, 1e-6), "{path} and {alone}\n{text}");
                    }
                }
            }
        }
    }
}
