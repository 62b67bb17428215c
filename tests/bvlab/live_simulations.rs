//! Simulations on the live page: their numbers, and their figures on the way.

use std::process::Command;

use bvlab_core::parameter::DataSize;
use bvlab_core::simulation::SIMULATIONS;
use serde_json::{Value, json};

use crate::lab::Server;

#[test]
fn figures_on_the_way_are_those_of_a_shorter_run() {
    let server = Server::start(&[]);
    let out = tempfile::tempdir().unwrap();
    let set = ["run.resamples=500", "with.error=0.45"];
    let scene = json!({ "lesson": "majority-vote", "set": set });
    // What the command line writes for so many resamples: its table, and its figure.
    let written = |count: u64| {
        let place = out.path().join(count.to_string());
        let status = Command::new(env!("CARGO_BIN_EXE_bvlab"))
            .args(["run", "majority-vote", "--quiet", "--overwrite", "--out"])
            .arg(&place)
            .args(["--set", set[1], "--format", "svg", "--resamples"])
            .arg(count.to_string())
            .status()
            .unwrap();
        assert!(status.success());
        ["csv", "svg"].map(|kind| {
            let file = place.join("majority-vote/simulation").with_extension(kind);
            std::fs::read_to_string(file).unwrap()
        })
    };
    let export = |what: &str, count: u64| {
        let mut asked = scene.clone();
        (asked["what"], asked["count"]) = (json!(what), json!(count));
        String::from_utf8(server.export(&asked)).unwrap()
    };
    // Once of a run that nobody asked for, then of one whose tables on the way are kept.
    for run in [false, true] {
        if run {
            assert_eq!(server.run(&scene).last().unwrap()["count"], 500);
        }
        for count in [4, 96, 100] {
            let [csv, svg] = written(count);
            assert_eq!(export("csv", count), csv, "{count}");
            assert!(export("svg", count) == svg, "{count}");
        }
    }
    // On dark paper it is the same run.
    let mut dark = scene.clone();
    dark["set"] = json!([set[0], set[1], "look.theme=dark"]);
    (dark["what"], dark["count"]) = (json!("svg"), json!(96));
    let drawn = String::from_utf8(server.export(&dark)).unwrap();
    assert!(drawn.starts_with("<svg") && drawn != export("svg", 96));
}

#[test]
fn a_page_learns_the_numbers_of_simulations() {
    let server = Server::start(&[]);
    let lab: Value = serde_json::from_slice(&server.get("/api/lab").body).unwrap();
    let simulations = lab["simulations"].as_array().unwrap();
    assert_eq!(simulations.len(), SIMULATIONS.len());
    for (told, simulation) in simulations.iter().zip(SIMULATIONS) {
        assert_eq!(told["name"], simulation.name);
        let parameters = told["parameters"].as_array().unwrap();
        for (told, parameter) in parameters.iter().zip(simulation.parameters) {
            assert_eq!(told["name"], parameter.name);
            assert_eq!(told["list"].is_null(), parameter.list.is_none());
            // A number has ends for a slider, between which every value is allowed.
            let ends = told["usual"].as_array().map(|ends| (&ends[0], &ends[1]));
            let (from, to) = ends.unwrap_or((&told["least"], &told["most"]));
            let (from, to) = (from.as_f64().unwrap(), to.as_f64().unwrap());
            assert!(from < to, "{} {}", simulation.name, parameter.name);
            assert!(parameter.check(to, DataSize::UNKNOWN).is_ok());
            assert!(parameter.exclusive || parameter.check(from, DataSize::UNKNOWN).is_ok());
        }
    }
    let vote = &simulations
        .iter()
        .find(|one| one["name"] == "majority-vote")
        .unwrap()["parameters"];
    assert_eq!(vote[0]["usual"], json!([0.05, 0.95]));
    assert_eq!(vote[1]["list"]["default"], json!([11.0, 21.0]));
}
