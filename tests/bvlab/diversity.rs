//! The members of ensembles: against sums by hand, and against the other way to their correlation.

use bvlab::data::Training;
use bvlab::decompose::{Estimate, Parts, interval_factor};
use bvlab::engine::Results;
use bvlab::interrupt::Interrupt;
use bvlab::plan::Plan;
use bvlab::stream::{Purpose, Stream};

use crate::setup::run;

fn told(parts: &Parts, name: &str) -> Estimate {
    let found = parts.extra.iter().find(|(other, _)| *other == name);
    found
        .unwrap_or_else(|| panic!("nothing is told of {name}"))
        .1
}

const NUMBERS: &str = r#"
    problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 30 }
    learner = [{ bagging = { base = { tree = {} } }, sweep = { members = [1, 2, 7] } }]
    run = { resamples = 60, test = { grid = 20 }, diversity = true }
"#;

const MOONS: &str = r#"
    problem = { classes = { moons = 0.3, flip = 0.1 }, train = 40 }
    learner = [{ bagging = { COMBINE base = { tree = { depth = 2 } } }, sweep = { members = [1, 2, 7] } }]
    run = { resamples = 60, test = { grid = 25 }, diversity = true, LOSS }
"#;

fn moons(combine: &str, loss: &str) -> (Plan, Results) {
    let combine = format!("combine = \"{combine}\",");
    run(&MOONS
        .replace("COMBINE", &combine)
        .replace("LOSS", &format!("loss = \"{loss}\"")))
}

fn parts((_, results): &(Plan, Results)) -> &[Parts] {
    &results.learners[0].decomposition.parts
}

/// Whether the risk is noise + average bias + average variance - diversity, to rounding.
fn adds_up(parts: &Parts) -> bool {
    let value = |name: &str| told(parts, name).value;
    let least =
        told(parts, "member_risk").value - value("average_bias") - value("average_variance");
    let sum = least + value("average_bias") + value("average_variance") - value("diversity");
    let gap = value("diversity_gap");
    assert!(
        (sum + gap - parts.risk.value).abs() < 1e-11,
        "{sum} + {gap} for {}",
        parts.risk.value
    );
    gap.abs() < 1e-11
}

#[test]
fn with_its_own_centroid_every_loss_adds_up() {
    assert!(parts(&run(NUMBERS)).iter().all(adds_up));
    assert!(parts(&moons("probability", "squared")).iter().all(adds_up));
    assert!(
        parts(&moons("geometric", "cross-entropy"))
            .iter()
            .all(adds_up)
    );
    for combine in ["vote", "probability", "geometric"] {
        assert!(
            parts(&moons(combine, "zero-one")).iter().all(adds_up),
            "{combine}"
        );
    }
    // A single member is its own centroid whatever the combiner; several are not.
    for (combine, loss) in [("probability", "cross-entropy"), ("vote", "squared")] {
        let found = moons(combine, loss);
        let several = &parts(&found)[1..];
        assert!(!several.iter().any(adds_up), "{combine} under {loss}");
    }
}

/// Everything again from the members' predictions, training set by training set.
#[test]
fn sums_over_members_are_those_by_hand() {
    let (plan, results) = run(NUMBERS);
    let mut learner = plan.paths[0].stages[0].learner.clone();
    let points = &plan.test.points;
    let truth: Vec<f64> = points.values().iter().map(|x| x.sin()).collect();
    let mut sums = [[0.0; 2]; 3];
    for resample in 0..60 {
        let mut data = Training::default();
        plan.problem().draw(1, resample, &mut data).unwrap();
        learner.fit(&data, &Stream::new(1, Purpose::Algorithm, resample));
        let mut members: Vec<Vec<Vec<f64>>> = vec![Vec::new(); 3];
        let never = Interrupt::never();
        let asked = learner.predict_members(points, &never, &mut |setting, member, prediction| {
            assert_eq!(member, members[setting].len());
            members[setting].push(prediction.to_vec());
        });
        assert_eq!(asked, Ok(true));
        for (setting, members) in members.iter().enumerate() {
            assert_eq!(members.len(), [1, 2, 7][setting]);
            let count = members.len() as f64;
            for (j, truth) in truth.iter().enumerate() {
                let mean = members.iter().map(|m| m[j]).sum::<f64>() / count;
                let squares =
                    |from: f64| members.iter().map(|m| (m[j] - from).powi(2)).sum::<f64>();
                sums[setting][0] += squares(*truth) / count / 20.0 / 60.0;
                sums[setting][1] += squares(mean) / count / 20.0 / 60.0;
            }
        }
        if resample < 4 {
            let kept = &results.kept[resample as usize].fits[0].diversity;
            let of_seven: f64 = (0..20)
                .map(|j| {
                    let mean = members[2].iter().map(|m| m[j]).sum::<f64>() / 7.0;
                    members[2]
                        .iter()
                        .map(|m| (m[j] - mean).powi(2))
                        .sum::<f64>()
                        / 7.0
                        / 20.0
                })
                .sum();
            assert!((kept[2] - of_seven).abs() < 1e-12);
            assert!(kept[0].abs() < 1e-12);
        }
    }
    for (parts, [risk, diversity]) in results.learners[0].decomposition.parts.iter().zip(sums) {
        assert!((told(parts, "member_risk").value - 0.25 - risk).abs() < 1e-12);
        assert!((told(parts, "diversity").value - diversity).abs() < 1e-12);
    }
}

#[test]
fn the_correlation_of_members_is_found_in_two_ways() {
    let text = r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 30 }
        learner = [{ bagging = { members = 6, base = { tree = {} } } }]
        run = { resamples = 1500, test = { grid = 40 }, HOW }
    "#;
    let members = run(&text.replace("HOW", "diversity = true"));
    let crossed = run(&text.replace("HOW", "sources = true, seed = 2"));
    let a = told(&parts(&members)[0], "member_correlation");
    let b = parts(&crossed)[0]
        .sources
        .as_ref()
        .unwrap()
        .correlation
        .unwrap();
    let limit = interval_factor(1.0 - 1e-4, 24) * a.se.hypot(b.se);
    assert!((a.value - b.value).abs() < limit, "{a:?} and {b:?}");
    assert!(a.se < 0.05 && a.value > 0.1 && a.value < 0.9, "{a:?}");
}

#[test]
fn what_is_no_ensemble_has_no_diversity() {
    let text = NUMBERS.replace(
        "bagging = { base = { tree = {} } }, sweep = { members = [1, 2, 7] }",
        "tree = {}",
    );
    let found = run(&text);
    assert!(told(&parts(&found)[0], "diversity").value.is_nan());
}
