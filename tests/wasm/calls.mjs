// What the module does with wrong input: `node calls.mjs MODULE NATIVE`.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Instance, compiled, run } from "./module.mjs";

const [, , moduleFile, nativeFile] = process.argv;
const module = await compiled(moduleFile);
const lessons = (await readFile(nativeFile, "utf8")).trim().split("\n").map((line) => JSON.parse(line).handed);
const joiner = new Instance(module, lessons);
const share = new Instance(module, lessons);
const refused = (scene) => {
  const { status, error } = run(joiner, [share], scene);
  assert.ok(status >= 400 && status < 500 && error.message.length > 0, JSON.stringify({ status, error }));
  return error;
};

// The program's own messages, with the line.
const wrong = refused({ toml: "[problem]\ntruth = \"sin(x)\"\ntrain = \"many\"\n" });
assert.equal(wrong.line, 3);
assert.match(refused({ toml: "[problem\n" }).message, /./);
assert.match(refused({ lesson: "tree-tradeof" }).message, /did you mean `tree-tradeoff`/);
assert.match(refused({ lesson: "tree-tradeoff", set: ["problem.train=nan"] }).message, /./);
assert.match(refused({ lesson: "tree-tradeoff", set: ["problem.train=100000000"] }).message, /at most|100/);
assert.match(refused({ lesson: "tree-tradeoff", set: ["run.test={ grid = 50000 }", "run.keep=1000"] }).message, /MB of memory|at most/);
assert.match(refused({}).message, /either a `lesson`/);
for (const text of ["", "null", "[]", "{\"lesson\": 7}", "\u0000", "{".repeat(100_000)]) {
  joiner.put(text);
  assert.equal(joiner.calls.bvlab_begin(), 0);
  assert.match(joiner.refusal().error.message, /./);
}

// A value that is not finite while it is computed.
const failed = run(joiner, [share], { toml: `
problem = { truth = "log(x)", inputs = { uniform = [-1, 1] }, noise = { normal = 1 }, train = 20 }
sweep = { k = "1..3" }
learner = [{ knn = {} }]
run = { resamples = 48, test = { grid = [0.5, 0.9, 5] } }
` });
assert.ok(failed.result !== 2, JSON.stringify(failed));

// A table that is handed in, by the name of its file.
const rows = ["a,b,y", ...Array.from({ length: 80 }, (_, i) => `${i % 9},${(i * 7) % 11},${(i % 9) * 2 + ((i * 7) % 11)}`)].join("\n");
const own = { toml: `
problem = { table = "data/own.csv", target = "y", test = 0.3, resample = "bootstrap" }
sweep = { depth = "1..4" }
learner = [{ tree = {} }]
run = { resamples = 48 }
` };
const missing = refused(own);
assert.match(missing.message, /own\.csv/);
for (const one of [joiner, share]) one.table("own.csv", Buffer.from(rows));
assert.equal(run(joiner, [share], own).result, 2, JSON.stringify(run(joiner, [share], own)));
assert.match(joiner.export({ ...own, what: "csv" }).toString(), /^learner,/);

// What is stopped leaves nothing, and the next run is as ever.
const scene = { lesson: "tree-tradeoff", set: ["run.resamples=96"] };
share.put(JSON.stringify(scene));
assert.equal(share.calls.bvlab_share(1, 1), 1);
for (let i = 0; i < 10; i++) share.calls.bvlab_step();
share.calls.bvlab_stop();
assert.equal(share.calls.bvlab_step(), 3);
joiner.calls.bvlab_stop();
assert.equal(joiner.calls.bvlab_round(), 0);
assert.equal(run(joiner, [share], scene).result, 2);
assert.equal(joiner.export({ lesson: "tree-tradeoff", set: ["run.resamples=97"], what: "csv" }), null);
assert.equal(joiner.export({ ...scene, what: "svg", figure: 99 }).status, 404);
assert.match(joiner.export({ ...scene, what: "toml" }).toString(), /resamples = 96/);
assert.equal(joiner.export({ ...scene, what: "steps" }).toString().trim().split("\n").length, 37);

// Hundreds of short runs do not make the memory grow.
const before = (run(joiner, [share], scene), joiner.memory.byteLength + share.memory.byteLength);
for (let i = 0; i < 300; i++) run(joiner, [share], { lesson: "tree-tradeoff", set: ["run.resamples=8", `run.seed=${i}`] });
const grown = joiner.memory.byteLength + share.memory.byteLength - before;
assert.ok(grown <= 4 << 20, `${grown} bytes`);
console.log("wrong input is refused with the program's words, a run can be stopped, memory is given back");
