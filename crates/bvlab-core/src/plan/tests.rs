use std::sync::Arc;

use super::*;
use crate::data::{Points, Training};
use crate::decompose::Split;
use crate::engine::{self, RunError, Unwatched};
use crate::learner::Knn;
use crate::problem::{Expression, Inputs, Noise, NoiseLaw, ProblemError, Resample, Rows, Truth};

fn unit() -> Inputs {
    Inputs::uniform(0.0, 1.0)
}

fn noise() -> Noise {
    Noise::normal(0.5).unwrap()
}

fn problem() -> Problem {
    Problem::numbers("sin(x)", unit(), noise(), 20).unwrap()
}

fn builder() -> PlanBuilder {
    let axis = SweepAxis::new("k", &[1.0, 3.0]);
    Plan::builder(problem()).learner("knn", axis, Knn::new(vec![1, 3]))
}

fn parts() -> PlanParts {
    builder().build().unwrap().into_parts()
}

fn refused(change: impl FnOnce(&mut PlanParts)) -> PlanError {
    let mut parts = parts();
    change(&mut parts);
    let Err(error) = Plan::new(parts) else {
        panic!("the plan is wrong");
    };
    assert!(!error.to_string().is_empty());
    assert_ne!(error.help().as_deref(), Some(""));
    error
}

#[test]
fn a_plan_built_in_rust_runs() {
    let plan = builder()
        .resamples(40)
        .seed(7)
        .test(TestPoints::Grid(9))
        .build()
        .unwrap();
    assert_eq!(plan.most_resamples(), 40);
    assert_eq!((plan.settings(), plan.slab_count()), (2, 1));
    let results = engine::run(&plan, 2, &Unwatched).unwrap();
    assert_eq!(results.resamples, 40);
    let drawn = plan.describe().drawn(40);
    assert_eq!(drawn, "40 training sets of 20 points");
}

#[test]
fn how_it_is_run_is_checked() {
    let error = refused(|parts| parts.run.length = Length::Resamples(2));
    assert_eq!(error, PlanError::FewResamples { least: 4, given: 2 });
    for share in [0.0, 1.0, -1.0, f64::NAN] {
        let error = refused(|p| p.run.length = Length::Precision { share, most: 100 });
        assert!(matches!(error, PlanError::Precision(_)), "{share}");
    }
    let error = refused(|parts| {
        parts.run.length = Length::Precision {
            share: 0.1,
            most: 100,
        };
        parts.run.slab = Some(1);
    });
    assert_eq!(error, PlanError::SlabAndPrecision);
    let error = refused(|parts| parts.run.seed = MOST_SEED + 1);
    assert!(matches!(error, PlanError::Seed { .. }));
    assert_eq!(refused(|parts| parts.run.keep = 0), PlanError::Keep);
    let error = refused(|parts| (parts.run.keep, parts.keep_asked) = (1 << 40, true));
    assert!(matches!(error, PlanError::KeepTooMany(most) if most == 20_000_000 / 400));
    let error = refused(|parts| parts.run.loss = Loss::ZeroOne(Split::Domingos));
    assert_eq!(error, PlanError::LossOfClasses("zero-one"));
    let error = refused(|parts| (parts.run.sources, parts.run.diversity) = (true, true));
    assert_eq!(error, PlanError::SourcesAndDiversity);
    let error = refused(|parts| {
        parts.run.sources = true;
        parts.run.loss = Loss::CrossEntropy { smoothing: 1e-6 };
    });
    assert_eq!(error, PlanError::SourcesLoss("cross-entropy"));
}

#[test]
fn learners_have_as_many_settings_as_their_axes() {
    let path = |values: &[f64], ks: Vec<usize>| {
        CapacityPath::new("knn", SweepAxis::new("k", values), Box::new(Knn::new(ks)))
    };
    for (values, ks) in [
        (&[1.0][..], vec![1, 3]),
        (&[1.0, 2.0, 3.0], vec![1, 3]),
        (&[1.0], vec![]),
    ] {
        let error = refused(|parts| parts.paths = vec![path(values, ks.clone())]);
        assert!(matches!(error, PlanError::Settings { .. }), "{error}");
    }
    let error = refused(|parts| parts.paths[0].curve.axes[0].values.clear());
    assert_eq!(error, PlanError::Axes("knn".to_owned()));
    let error = refused(|parts| {
        let axis = parts.paths[0].curve.axes[0].clone();
        parts.paths[0].curve.axes.extend([axis.clone(), axis]);
    });
    assert_eq!(error, PlanError::Axes("knn".to_owned()));
    let error = refused(|parts| parts.paths[0].stages[0].settings = vec![0, 0]);
    assert!(matches!(error, PlanError::Settings { .. }), "{error}");
    let error = refused(|parts| parts.paths[0].stages[0].problem = 1);
    assert_eq!(error, PlanError::Stage("knn".to_owned()));
    let error = refused(|parts| parts.paths.push(path(&[1.0], vec![1])));
    assert_eq!(error, PlanError::SameName("knn".to_owned()));
    assert_eq!(refused(|parts| parts.paths.clear()), PlanError::NoLearner);
    // One fit for two values of the second axis cannot be computed one after the other.
    let error = refused(|parts| {
        let second = SweepAxis::new("again", &[1.0, 2.0]);
        parts.paths = vec![path(&[1.0, 3.0], vec![1, 3, 1, 3])];
        parts.paths[0].curve.axes.push(second);
        parts.run.slab = Some(2);
    });
    assert_eq!(error, PlanError::Slab("knn".to_owned()));
}

#[test]
fn test_points_are_checked() {
    let plane = |inputs: Inputs| Problem {
        dimension: 2,
        ..Problem {
            inputs,
            ..problem()
        }
    };
    let of = |problem: &Problem, points| Test::new(points, std::slice::from_ref(problem), 1);
    let plane = plane(unit());
    let seven = of(&plane, TestPoints::Grid(7)).unwrap_err();
    assert_eq!(seven, PlanError::TestGridCount(7));
    assert!(seven.help().unwrap().contains("4 and 9"));
    let none = of(&plane, TestPoints::Grid(0)).unwrap_err();
    assert_eq!(none, PlanError::TestGridCount(0));
    let space = Problem {
        dimension: 3,
        ..problem()
    };
    let cube = of(&space, TestPoints::Grid(8)).unwrap_err();
    assert_eq!(cube, PlanError::TestGridDimension);
    let one = of(&problem(), TestPoints::Draw(1)).unwrap_err();
    assert_eq!(one, PlanError::TestDrawCount);
    let moving = of(&problem(), TestPoints::Inputs).unwrap_err();
    assert_eq!(moving, PlanError::TestInputsNotFixed);
    let grid = Inputs::grid(0.0, 1.0);
    let fixed = Problem::numbers("x", grid, noise(), 20).unwrap();
    let drawn = of(&fixed, TestPoints::Draw(20)).unwrap_err();
    assert_eq!(drawn, PlanError::TestDrawFromGrid);
    let larger = Problem {
        train: 30,
        ..fixed.clone()
    };
    let sizes = Test::new(TestPoints::Inputs, &[fixed, larger], 1).unwrap_err();
    assert_eq!(sizes, PlanError::TestInputsOfSeveralSizes);
    assert_eq!(
        Test::new(TestPoints::Grid(9), &[], 1).unwrap_err(),
        PlanError::NoProblem
    );
    assert_eq!(
        refused(|parts| parts.test.weights.truncate(1)),
        PlanError::TestShape
    );
    assert_eq!(
        refused(|parts| parts.test.points = Points::new(2, vec![0.0; 400])),
        PlanError::TestShape
    );
    assert_eq!(
        refused(|parts| parts.test.points = Points::default()),
        PlanError::TestShape
    );
}

#[test]
fn more_than_memory_holds_is_refused_before_it_is_made() {
    let error = refused(|parts| {
        let count = 9_000_000;
        parts.test.points = Points::new(1, vec![0.5; count]);
        parts.test.weights = vec![1.0 / count as f64; count];
    });
    assert!(matches!(error, PlanError::TooLarge { settings: 2, .. }));
    assert_eq!(error.subject(), Subject::Test);
    let error = refused(|parts| parts.problems[0].train = 200_000_000);
    assert_eq!(error, PlanError::TrainTooLarge);
}

#[test]
fn problems_that_cannot_be_drawn_from_are_refused() {
    for degrees in [-1.0, 0.0, 2.0, f64::NAN, f64::INFINITY] {
        let student = NoiseLaw::find("student-t").unwrap();
        let noise = Noise::new(student, &[degrees], 1.0);
        assert!(matches!(noise, Err(ProblemError::Noise(_))), "{degrees}");
        let error = refused(|parts| {
            if let Labels::Numbers { noise, .. } = &mut parts.problems[0].labels {
                noise.law = student;
                noise.values = vec![degrees];
            }
        });
        assert!(matches!(error, PlanError::Problem(_)), "{degrees}");
    }
    for sd in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(
            matches!(Noise::normal(sd), Err(ProblemError::Sd(_))),
            "{sd}"
        );
    }
    let of = |change: &dyn Fn(&mut Problem)| {
        let mut problem = problem();
        change(&mut problem);
        problem.check().unwrap_err()
    };
    assert_eq!(of(&|p| p.train = 0), ProblemError::NoTraining);
    assert_eq!(of(&|p| p.dimension = 0), ProblemError::NoDimension);
    let range = of(&|p| p.inputs = Inputs::uniform(1.0, 1.0));
    assert!(matches!(range, ProblemError::EmptyRange { .. }));
    let spread = of(&|p| p.inputs = Inputs::normal(0.0, 0.0));
    assert!(matches!(spread, ProblemError::NoSpread(_)));
    let grid = Inputs::grid(0.0, 1.0);
    let moving = of(&|p| p.inputs = grid.clone());
    assert_eq!(moving, ProblemError::GridNotFixed);
    let seven = of(&|p| {
        *p = Problem {
            inputs: grid.clone(),
            fixed: true,
            dimension: 2,
            train: 7,
            ..p.clone()
        }
    });
    assert!(matches!(seven, ProblemError::GridCount { train: 7, .. }));
    let truth = |text: &str, dimension| Labels::Numbers {
        truth: Truth::Expression(Expression::parse(text, dimension).unwrap()),
        noise: noise(),
    };
    let wide = of(&|p| p.labels = truth("x1 + x2", 2));
    assert!(matches!(
        wide,
        ProblemError::TruthDimension { needed: 2, .. }
    ));
    assert!(Problem::numbers("sin(", unit(), noise(), 9).is_err());
    let error = refused(|parts| {
        let other = Problem {
            inputs: Inputs::uniform(0.0, 2.0),
            ..problem()
        };
        parts.problems.push(other);
    });
    assert_eq!(error, PlanError::UnlikeProblems);
}

#[test]
fn rows_that_are_too_few_are_refused() {
    let rows = Arc::new(Rows {
        target: "y".to_owned(),
        names: vec!["x".to_owned()],
        classes: Vec::new(),
        train: Training {
            inputs: Points::new(1, vec![0.0, 1.0, 2.0]),
            labels: vec![0.0, 1.0, 4.0],
        },
        test: Training {
            inputs: Points::new(1, vec![1.5]),
            labels: vec![2.0],
        },
        resample: Resample::Halves,
        imputed: 0,
    });
    let of = |train: usize| Problem {
        labels: Labels::Rows(rows.clone()),
        inputs: Inputs::Rows(rows.clone()),
        fixed: false,
        dimension: 1,
        train,
    };
    assert_eq!(of(3).check(), Ok(()));
    let few = ProblemError::FewRows { train: 4, rows: 3 };
    assert_eq!(of(4).check(), Err(few));
    let axis = || SweepAxis::new("k", &[1.0]);
    let plan = Plan::builder(of(3)).learner("knn", axis(), Knn::new(vec![1]));
    assert_eq!(
        plan.clone().build().map(|plan| plan.settings()).ok(),
        Some(1)
    );
    let error = plan.sources().build().err();
    assert_eq!(error, Some(PlanError::SourcesOfTable));
}

#[test]
fn a_noise_that_becomes_negative_is_an_error_of_the_run() {
    let mut parts = parts();
    parts.problems[0].labels = Labels::Numbers {
        truth: Truth::Expression(Expression::parse("x", 1).unwrap()),
        noise: Noise::normal_by(Expression::parse("x - 0.5", 1).unwrap()),
    };
    let plan = Plan::new(parts).unwrap();
    let error = engine::run(&plan, 1, &Unwatched).unwrap_err();
    assert!(matches!(error, RunError::Problem(..)), "{error}");
}
