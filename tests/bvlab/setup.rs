//! What several tests need.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use bvlab::data::{Points, Training};
use bvlab::engine::{self, Results, Unwatched};
use bvlab::experiment::{Experiment, Source};
use bvlab::learner::Learner;
use bvlab::plan::{CapacityPath, Plan, PlanParts, SweepAxis};
use bvlab::stream::{Purpose, Stream};
use rand::RngExt;

/// The stream that a learner in a test draws from.
pub fn algorithm(seed: u64) -> Stream {
    Stream::new(seed, Purpose::Algorithm, 0)
}

/// Fits and predicts: `result[c][j]` is setting c at point j.
pub fn fit_predict(learner: &mut dyn Learner, data: &Training, points: &Points) -> Vec<Vec<f64>> {
    learner.fit(data, &algorithm(7));
    let mut out = vec![f64::NAN; learner.capacities() * points.len()];
    learner.predict(points, &mut out);
    out.chunks_exact(points.len())
        .map(<[f64]>::to_vec)
        .collect()
}

/// Random data. Whole numbers with few values make ties, duplicates and constant columns.
pub fn data(seed: u64, count: usize, dimension: usize, values: Option<u32>) -> Training {
    let mut stream = Stream::new(seed, Purpose::Inputs, 0);
    let mut draw = || match values {
        Some(values) => f64::from(stream.random_range(0..values)),
        None => stream.random::<f64>(),
    };
    let inputs = (0..count * dimension).map(|_| draw()).collect();
    let labels = (0..count).map(|_| draw()).collect();
    Training {
        inputs: Points::new(dimension, inputs),
        labels,
    }
}

/// Random points, some of them on whole and half numbers.
pub fn points(seed: u64, count: usize, dimension: usize, reach: f64) -> Points {
    let mut stream = Stream::new(seed, Purpose::TestPoints, 0);
    let values = (0..count * dimension).map(|_| {
        let x = reach * (1.2 * stream.random::<f64>() - 0.1);
        if stream.random() {
            (2.0 * x).round() / 2.0
        } else {
            x
        }
    });
    Points::new(dimension, values.collect())
}

pub fn experiment(text: &str) -> Experiment {
    match Experiment::read("test", Source::new("test.toml", text, &[])) {
        Ok(experiment) => experiment,
        Err(error) => panic!("{:?}", miette::Report::new(*error)),
    }
}

/// The plan of a study.
pub fn plan(text: &str) -> Plan {
    experiment(text).plan().expect("it is a study").clone()
}

/// The same plan with some parts changed.
pub fn changed(plan: &Plan, change: impl FnOnce(&mut PlanParts)) -> Plan {
    let mut parts = plan.clone().into_parts();
    change(&mut parts);
    Plan::new(parts).expect("the plan is right")
}

/// The same plan with another learner in place of its own.
pub fn with_learner(
    plan: &Plan,
    name: &str,
    axis: SweepAxis,
    learner: impl Learner + 'static,
) -> Plan {
    changed(plan, |parts| {
        parts.paths = vec![CapacityPath::new(name, axis, Box::new(learner))];
    })
}

pub fn run(text: &str) -> (Plan, Results) {
    let plan = plan(text);
    let results = engine::run(&plan, 2, &Unwatched).unwrap();
    (plan, results)
}

pub fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_bvlab");

/// A folder of its own to run the program in.
pub struct Place {
    folder: tempfile::TempDir,
    environment: Vec<(&'static str, String)>,
}

impl Place {
    /// An empty folder.
    pub fn new() -> Self {
        Place::with(&[])
    }

    /// A folder with some files in it.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let place = Place {
            folder: tempfile::tempdir().unwrap(),
            environment: Vec::new(),
        };
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    /// The same folder, for a program that sees a variable.
    pub fn and(mut self, variable: &'static str, value: &str) -> Self {
        self.environment.push((variable, value.to_owned()));
        self
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        self.sees(Command::new(PROGRAM), arguments)
    }

    /// Another program that has bvlab's command line.
    pub fn command_of(&self, program: &Path, arguments: &[&str]) -> Command {
        self.sees(Command::new(program), arguments)
    }

    /// The program as a shell runs it after some commands, which set limits for example.
    pub fn after(&self, commands: &str, arguments: &[&str]) -> Command {
        let script = format!("{commands}\nexec \"$@\"");
        let shell = ["-c", &script, "bash", PROGRAM];
        self.sees(Command::new("bash"), &[&shell, arguments].concat())
    }

    fn sees(&self, mut command: Command, arguments: &[&str]) -> Command {
        command
            .current_dir(self.path())
            .args(arguments)
            .stdin(Stdio::null())
            .env("NO_COLOR", "1")
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Exit code, stdout and stderr.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        answer(self.command(arguments).output().unwrap())
    }

    /// Stdout and stderr of a run that must succeed.
    #[track_caller]
    pub fn done(&self, arguments: &[&str]) -> (String, String) {
        let (code, out, err) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {out}{err}");
        (out, err)
    }

    /// Writes a file; its folder is made where there is none.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    #[track_caller]
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        match fs::read(self.path().join(name)) {
            Ok(bytes) => bytes,
            Err(error) => panic!("{name}: {error}"),
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    /// Every file below the folder, hidden ones too.
    pub fn files(&self) -> Vec<String> {
        fn walk(folder: &Path, base: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    walk(&path, base, found);
                }
                found.push(path.strip_prefix(base).unwrap().display().to_string());
            }
        }
        let mut found = Vec::new();
        walk(self.path(), self.path(), &mut found);
        found.sort();
        found
    }

    /// The most memory that a run which must succeed held at a time, in bytes; `None` where GNU time
    /// is missing.
    pub fn peak(&self, arguments: &[&str]) -> Option<u64> {
        let mut command = Command::new("/usr/bin/time");
        command.args(["-f", "peak %M", PROGRAM]);
        let output = self.sees(command, arguments).output().ok()?;
        let (code, out, err) = answer(output);
        assert_eq!(code, 0, "{arguments:?}: {out}{err}");
        let peak = err.lines().find_map(|line| line.strip_prefix("peak "));
        Some(peak?.parse::<u64>().unwrap() * 1024)
    }

    /// The tables of a result, byte for byte.
    #[track_caller]
    pub fn tables(&self, home: &str) -> Vec<Vec<u8>> {
        let names = ["curves", "points", "training", "fits", "runs"];
        let files = names.map(|name| format!("{home}/{name}.parquet"));
        let files = files.iter().map(|file| self.bytes(file));
        let csv = self.bytes(&format!("{home}/curves.csv"));
        files.chain([csv]).collect()
    }
}

/// Exit code, stdout and stderr.
pub fn answer(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap_or(-1),
        text(output.stdout),
        text(output.stderr),
    )
}
