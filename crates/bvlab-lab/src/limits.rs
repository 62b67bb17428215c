//! How much a client of the lab may ask for.
//!
//! The lecturer, who has the key, may ask for much; a student for what two hundred of
//! them can have at once.

use std::time::Duration;

use super::messages::{cells, outputs};
use super::partial::PartialTables;
use bvlab_core::decompose::GROUPS;
use bvlab_core::engine::Replay;
use bvlab_core::learner::{Learner, Size};
use bvlab_core::plan::Plan;
use bvlab_core::task::Task;
use bvlab_core::words::thousands;
use bvlab_experiment::{Bounds, Experiment, Variant};

/// The limits of a client.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// How large an experiment may be.
    pub bounds: Bounds,
    /// The most numbers of one resample's fits: settings of all learners × test points.
    pub cells: usize,
    /// The most operations that one training set, or one resample of a simulation, may take, by a
    /// rough count.
    pub work: f64,
    /// How long a run may compute.
    pub time: Duration,
    /// How many runs the client, which may be a whole class behind one address, may have under way.
    pub runs: usize,
}

impl Limits {
    /// For the lecturer.
    pub const LECTURER: Limits = Limits {
        bounds: Bounds {
            train: 100_000,
            test: 100_000,
            dimension: 1_000,
            settings: 20_000,
            learners: 12,
            resamples: 10_000_000,
            keep: 1_000,
        },
        cells: 1_000_000,
        work: 1e11,
        time: Duration::from_secs(600),
        runs: 16,
    };

    /// For a student.
    pub const STUDENT: Limits = Limits {
        bounds: Bounds {
            train: 2_000,
            test: 2_500,
            dimension: 100,
            settings: 2_000,
            learners: 6,
            resamples: 20_000,
            keep: 200,
        },
        cells: 200_000,
        work: 3e9,
        time: Duration::from_secs(20),
        runs: 100,
    };

    /// For a page that computes by itself: what the lecturer may ask for, as far as memory goes.
    pub const BROWSER: Limits = Limits::LECTURER;

    /// The most bytes that a run may hold in a page that computes by itself.
    pub const BROWSER_MEMORY: usize = 512 << 20;

    /// Whether a checked experiment is within them; a sentence that names the limit where not.
    pub fn allow(&self, experiment: &Experiment) -> Result<(), String> {
        let cells = cells(experiment);
        if cells > self.cells {
            return Err(format!(
                "settings × test points{} are {} here; the limit of this page is {}: sweep fewer values, or test at fewer points",
                if outputs(experiment) > 1 {
                    " × classes"
                } else {
                    ""
                },
                thousands(cells as u64),
                thousands(self.cells as u64)
            ));
        }
        let work = work(experiment);
        if work > self.work {
            let (what, smaller) = match experiment.task {
                Task::Simulation(_) => ("resample", "use smaller numbers in `with`"),
                Task::Study(_) => (
                    "training set",
                    "use smaller learners, fewer values or fewer points",
                ),
            };
            return Err(format!(
                "one {what} would take about {work:.0e} operations; the limit of this page is {:.0e}: {smaller}",
                self.work
            ));
        }
        Ok(())
    }

    /// The variants that are computed with an experiment, for its words to refer to: all of them for a
    /// lesson as it opens, if they are within the limits; none once a key is set on top of it.
    pub fn variants<'a>(&self, experiment: &'a Experiment) -> &'a [Variant] {
        let within = |variant: &Variant| {
            let experiment = &variant.experiment;
            self.allow(experiment).is_ok() && memory(experiment, 1) <= Limits::BROWSER_MEMORY
        };
        let opening = experiment.source.sets().is_empty();
        match opening && experiment.variants.iter().all(within) {
            true => &experiment.variants,
            false => &[],
        }
    }

    /// The limits in words.
    pub fn words(&self) -> Vec<String> {
        let Bounds {
            train,
            test,
            dimension,
            settings,
            learners,
            resamples,
            ..
        } = self.bounds;
        let counts = [
            (resamples, "training sets"),
            (train, "training points"),
            (test, "test points"),
            (dimension, "dimensions"),
            (settings, "settings of a learner"),
            (learners as u64, "learners"),
            (self.time.as_secs(), "seconds of computing"),
        ];
        let words = counts.map(|(most, what)| format!("at most {} {what}", thousands(most)));
        words.to_vec()
    }
}

/// About how many operations one training set takes, or one resample of a simulation.
fn work(experiment: &Experiment) -> f64 {
    match &experiment.task {
        Task::Simulation(setup) => setup.operations(),
        Task::Study(plan) => {
            let fits = if plan.run.sources { 8.0 } else { 1.0 };
            let each = stages(plan)
                .map(|(learner, size)| paths(plan, learner, size) * learner.operations(size));
            fits * each.sum::<f64>()
        }
    }
}

/// How many times a path is fitted to one training set: once, and as often as methods of selection and
/// degrees of freedom ask for.
fn paths(plan: &Plan, learner: &dyn Learner, size: Size) -> f64 {
    let methods = plan.run.select.iter();
    let by_methods: f64 = methods.map(|m| m.paths(learner, size.train as usize)).sum();
    // Other labels at the same inputs, for the risk averaged over labels.
    let twin = if plan.run.select.is_empty() { 0.0 } else { 1.0 };
    let units = match plan.run.df && learner.is_smoother() {
        // The effective parameters of the first training sets, and leverages that have no formula.
        true if learner.is_linear() => 2.0,
        true => size.train,
        false => 0.0,
    };
    1.0 + by_methods + twin + units
}

/// Every learner, and what it is fitted to and asked for.
fn stages(plan: &Plan) -> impl Iterator<Item = (&dyn Learner, Size)> {
    let stages = plan.paths.iter().flat_map(|path| &path.stages);
    stages.map(|stage| {
        let problem = &plan.problems[stage.problem];
        let size = Size {
            members: plan.run.diversity,
            ..Size::of(problem, plan.test.points.len())
        };
        (&*stage.learner, size)
    })
}

/// About how many bytes a run holds while it goes: sums for every group and worker, what is kept of
/// the first resamples, and their copy for the frames of few; what every worker's learners hold and
/// predict; what a simulation holds; and the rows of a table.
pub fn memory(experiment: &Experiment, threads: usize) -> usize {
    let numbers = match &experiment.task {
        Task::Simulation(setup) => setup.numbers_held() + (PartialTables::MOST_BYTES / 8) as f64,
        Task::Study(plan) => numbers_held(plan, threads),
    };
    (8.0 * numbers + 1e6) as usize
}

fn numbers_held(plan: &Plan, threads: usize) -> f64 {
    let run = &plan.run;
    let sums = if run.sources { 9 } else { 2 } + if run.diversity { 3 } else { 0 };
    let groups = GROUPS + 2 * threads + Replay::MOST;
    let kept = run.keep_fits.min(plan.most_resamples()) as f64;
    let data: usize = plan
        .problems
        .iter()
        .map(|p| p.train * (p.dimension + 1))
        .sum();
    let cubes = if run.sources { 8.0 } else { 1.0 };
    // Of selection: leverages, losses and predictions of the rest, and the fit to other labels.
    let selected = !run.select.is_empty();
    let (losses, twins) = if selected || run.df {
        (4.0, 1.0)
    } else {
        (0.0, 0.0)
    };
    let each = fits_held(plan, 1.0 + losses, cubes + twins);
    let rows = plan.problem().rows().map_or(0, |rows| {
        (rows.train.len() + rows.test.len()) * (rows.names.len() + 1)
    });
    let probed = plan.test.probe.as_ref().map_or(0, |probe| {
        let each = plan.settings() * probe.points.len() * plan.problem().outputs();
        each * probe.resamples.min(plan.most_resamples()) as usize
    });
    let cells = plan.settings() * plan.test.points.len() * plan.problem().outputs();
    probed as f64
        + cells as f64 * ((sums * groups) as f64 + 2.0 * kept)
        + data as f64 * (2.0 * kept + threads as f64)
        + threads as f64 * each
        + rows as f64
}

/// The numbers that all learners hold, and the most predictions of one of them: for every setting, so
/// many at the training points and so many at the test points.
fn fits_held(plan: &Plan, at_train: f64, at_test: f64) -> f64 {
    let learners: f64 = stages(plan)
        .map(|(learner, size)| learner.numbers_held(size))
        .sum();
    let predictions = stages(plan).map(|(learner, size)| {
        let points = at_train * size.train + at_test * size.points;
        learner.capacities() as f64 * points * size.outputs
    });
    learners + predictions.fold(0.0, f64::max)
}

/// About how many bytes the fits to one training set hold.
pub fn fit_memory(plan: &Plan) -> usize {
    let kept = plan.settings() * plan.test.points.len() * plan.problem().outputs();
    (8.0 * (fits_held(plan, 1.0, 1.0) + kept as f64)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use bvlab_core::learner::Registry;
    use bvlab_core::simulation::SIMULATIONS;
    use bvlab_experiment::Source;
    use bvlab_experiment::shipped;

    const MEGABYTE: usize = 1 << 20;

    fn read(text: &str, sets: &[&str]) -> Experiment {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let source = Source::new("", text, &sets);
        Experiment::read_with(
            "test",
            source,
            &Registry::standard(),
            &Limits::LECTURER.bounds,
        )
        .unwrap()
    }

    #[test]
    fn a_student_can_open_every_lesson_but_the_large_ones() {
        let limits = &Limits::STUDENT;
        let mut refused = Vec::new();
        for name in shipped::names() {
            let source = Source::shipped(&name, &[]).unwrap();
            match Experiment::read_with(&name, source, &Registry::standard(), &limits.bounds) {
                Ok(experiment) if limits.allow(&experiment).is_ok() => {
                    let memory = memory(&experiment, 1) / MEGABYTE;
                    assert!(memory < 400, "{name}: {memory} MB");
                }
                _ => refused.push(name),
            }
        }
        let large = [
            "descent-epochs-linear",
            "descent-network",
            "descent-spectrum",
            "early-stopping",
            "majority-vote",
        ];
        assert_eq!(refused, large);
    }

    /// A hundred classes in the plane.
    fn crowd(learner: &str) -> String {
        let each = (0..100).map(|k| format!("{{ mean = [{k}, 0] }}"));
        let each = each.collect::<Vec<_>>().join(", ");
        format!(
            "[problem]\nclasses = {{ gaussians = [{each}] }}\ntrain = 500\n[[learner]]\n{learner}\n[run]\nloss = \"cross-entropy\"\nresamples = 50\ntest = {{ grid = 100 }}\n"
        )
    }

    #[test]
    fn every_class_counts() {
        let text = crowd("tree = {}");
        let few = read(&text, &["sweep={ depth = \"1..20\" }"]);
        assert_eq!(cells(&few), 20 * 100 * 100);
        assert_eq!(Limits::STUDENT.allow(&few), Ok(()));
        let many = read(&text, &["sweep={ depth = \"1..21\" }"]);
        let refused = Limits::STUDENT.allow(&many).unwrap_err();
        let count = thousands(210_000);
        let words = format!("× classes are {count} here");
        assert!(refused.contains(&words), "{refused}");
        // Probabilities at the training points are the larger part here.
        let long = read(
            &text,
            &["sweep={ depth = \"1..20\" }", "problem.train=50_000"],
        );
        assert!(memory(&long, 1) > 8 * 20 * 50_000 * 100);
    }

    #[test]
    fn what_learners_hold_counts() {
        let forest = |members: u32, train: u32| {
            let text = crowd(&format!("forest = {{ trees = {members} }}"));
            memory(&read(&text, &[&format!("problem.train={train}")]), 1)
        };
        // Two nodes a point, in every tree.
        assert!(forest(500, 2000) > 500 * 2 * 2000 * 100 * 8);
        assert!(forest(500, 2000) < 4 * 500 * 2 * 2000 * 100 * 8);
        let logistic = memory(&read(&crowd("logistic = { degree = 7 }"), &[]), 2);
        assert!(logistic > 2 * 8 * 3500 * 3500, "a Hessian on every thread");
    }

    /// A simulation with some numbers, and how it is refused.
    fn simulated(name: &str, with: &str, limits: &Limits) -> Result<(), String> {
        let text =
            format!("simulation = \"{name}\"\nwith = {{ {with} }}\nrun = {{ resamples = 10 }}");
        limits.allow(&read(&text, &[]))
    }

    #[test]
    fn simulations_are_held_to_the_work_of_a_training_set() {
        let (student, lecturer) = (&Limits::STUDENT, &Limits::LECTURER);
        let large = "train = 10000, rounds = 1000, depths = [100]";
        let refused = simulated("bootstrap-estimates", large, student).unwrap_err();
        assert!(
            refused.contains("one resample would take about"),
            "{refused}"
        );
        assert!(
            refused.contains("the limit of this page is 3e9") && refused.contains("`with`"),
            "{refused}"
        );
        assert_eq!(simulated("bootstrap-estimates", large, lecturer), Ok(()));
        let large = "train = 10000, rounds = [10000]";
        assert!(simulated("exponential-bound", large, student).is_err());
        for simulation in SIMULATIONS {
            let name = simulation.name;
            assert_eq!(simulated(name, "", student), Ok(()), "{name}");
        }
        // What it holds counts, too: two hundred trees of 20 000 nodes.
        let text = "simulation = \"member-dependence\"\nwith = { train = 10000, members = 100 }";
        assert!(memory(&read(text, &[]), 1) > 200 * 20_000 * 5 * 8);
    }

    #[test]
    fn members_that_are_looked_at_count() {
        let text = crowd("bagging = { base = { tree = { depth = 1 } } }");
        let sweep = "sweep={ members = \"1..40\" }";
        let off = read(&text, &[sweep, "run.test={ grid = 400 }"]);
        let on = read(
            &text,
            &[sweep, "run.test={ grid = 400 }", "run.diversity=true"],
        );
        assert!(memory(&on, 1) > 3 * memory(&off, 1) / 2);
        assert!(work(&on) > work(&off) + 820.0 * 400.0 * 100.0);
    }
}
