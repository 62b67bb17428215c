// The page's pure functions, in Node's test runner: `node --test unit.mjs`.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const page = fileURLToPath(new URL("../../crates/bvlab-lab/src/page/", import.meta.url));
// The page's files are modules because index.html says so; for Node a package has to.
const folder = await mkdtemp(path.join(tmpdir(), "bvlab-page-"));
await cp(page, folder, { recursive: true });
await writeFile(path.join(folder, "package.json"), '{ "type": "module" }');
after(() => rm(folder, { recursive: true }));
const load = (name) => import(pathToFileURL(path.join(folder, name)).href);

const { Store, equal } = await load("store.js");
const { changedLines } = await load("difference.js");
const { halfways, isStairs, nearestStairs, stairs } = await load("stairs.js");
const { cutApart, distinctParts } = await load("words.js");
const { isZoomed, textSize } = await load("text-size.js");
const { arrowTo } = await load("focus-order.js");
const { plannedLearners, freshLearner } = await load("learner-plan.js");
const { firstHeights, rangesOf } = await load("ranges.js");
const { sweepFrom, sweepText, sweepValues } = await load("suggestions.js");
const { readAddress, state, store, withKeys, writeAddress } = await load("state.js");
const { several, short, withInterval } = await load("numbers.js");
const { LANGUAGES, languageOf, translator } = await load("strings.js");
const { toml } = await load("toml.js");

test("equal compares plain data by what is in it", () => {
  assert.ok(equal({ a: [1, { b: NaN }] }, { a: [1, { b: NaN }] }));
  assert.ok(!equal({ a: 1 }, { a: 1, b: undefined }));
  assert.ok(!equal([1], { 0: 1, length: 1 }));
  assert.ok(!equal(new Map(), new Map()), "anything else by identity");
});

test("the store: actions, listeners, undo and redo", () => {
  let clock = 0;
  const made = new Store({ a: 1, b: [1], seen: 0 }, ["a", "b"], () => clock);
  const heard = [];
  const leave = made.subscribe(({ name, keys }) => heard.push(`${name}: ${keys}`));
  assert.equal(made.act("none", { a: 1, b: [1] }), false);
  made.act("first", { a: 2 });
  made.state.b = [2];
  made.state.seen = 5;
  assert.deepEqual(heard, ["first: a", "set b: b", "set seen: seen"]);
  assert.ok(made.undo() && made.undo());
  assert.deepEqual([made.state.a, made.state.b, made.state.seen], [1, [1], 5], "what is not undoable stays");
  assert.equal(made.undo(), false);
  assert.ok(made.redo());
  assert.equal(made.state.a, 2);
  clock = 10_000;
  made.act("other", { a: 7 });
  assert.equal(made.redo(), false, "a new way has no way forward");
  leave();
  made.act("unheard", { a: 8 });
  assert.equal(heard.at(-1), "other: a");
});

test("the store: a slider is one step, and two uses of it are two", () => {
  let clock = 0;
  const made = new Store({ a: 0 }, ["a"], () => clock);
  for (const a of [1, 2, 3]) {
    made.act("slide", { a });
    clock += 100;
  }
  clock += 2000;
  made.act("slide", { a: 4 });
  made.undo();
  assert.equal(made.state.a, 3);
  made.undo();
  assert.equal(made.state.a, 0);
  made.act("slide", { a: 9 });
  made.undo();
  assert.equal(made.state.a, 0, "what follows an undo is a step of its own");
});

test("an address holds the whole view", () => {
  store.act("test", { lesson: "a b", sets: ["x=1", 'y="&"'], at: { 0: [3], 2: [1, 0.5] }, x: -1.5, drawn: 0, theme: "dark", step: "answer", size: 1.4 });
  const read = readAddress(writeAddress());
  assert.deepEqual({ ...read }, { ...state });
  const wrong = readAddress("#scene=99&panel=nowhere&theme=pink&speed=3&drawn=x&step=all");
  assert.deepEqual([wrong.scene, wrong.panel, wrong.theme, wrong.speed, wrong.drawn, wrong.step], [1, "", "", 4, null, ""]);
});

test("keys that are set replace what was said of them and of their parts", () => {
  const sets = ["problem.train=50", "learner.0.tree.depth=3", "run.seed=2"];
  assert.deepEqual(withKeys(sets, [["learner", "[]"], ["run.seed", null]]), ["problem.train=50", "learner=[]"]);
  assert.deepEqual(withKeys(sets, [["problem.train", "9"]]).at(-1), "problem.train=9");
});

// Every line of the old text is the same or gone, every line of the new one the same or added.
test("changed lines, against all texts of a few lines", () => {
  const texts = [[]];
  for (let i = 0; i < texts.length; i++) if (texts[i].length < 4) for (const line of "abc") texts.push([...texts[i], line]);
  const longest = (a, b) => {
    if (a.length === 0 || b.length === 0) return 0;
    if (a[0] === b[0]) return 1 + longest(a.slice(1), b.slice(1));
    return Math.max(longest(a.slice(1), b), longest(a, b.slice(1)));
  };
  for (const before of texts)
    for (const now of texts) {
      const lines = changedLines(before, now);
      const of = (...kinds) => lines.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text);
      assert.deepEqual(of("same", "removed"), before);
      assert.deepEqual(of("same", "added"), now);
      assert.equal(of("same").length, longest(before, now), `${before} ${now}`);
    }
});

// A full tree in one dimension: the label of the nearest training point.
function nearestLabel(data, x) {
  let best = 0;
  data.x.forEach((one, i) => {
    if (Math.abs(one - x) < Math.abs(data.x[best] - x)) best = i;
  });
  return data.y[best];
}

const heightAt = ([xs, ys], x) => ys[xs.findLastIndex((one) => one < x)];

test("a fit that interpolates goes through all its points, however close they are", () => {
  const data = { x: [0.4, 3.001, 3.002, 7.5, 9.1], y: [1, -2, 5, 0.5, 3] };
  const places = Array.from({ length: 50 }, (_, i) => (i * 10) / 49);
  const values = places.map((x) => nearestLabel(data, x));
  const corners = nearestStairs(places, values, data);
  data.x.forEach((x, i) => assert.equal(heightAt(corners, x), data.y[i]));
  for (let x = 0.013; x < 10; x += 0.0171) assert.equal(heightAt(corners, x), nearestLabel(data, x), `at ${x}`);
  assert.equal(nearestStairs(places, places.map(Math.sin), data), null, "another fit does not");
});

test("steps jump at once, where training points let them", () => {
  const values = [1, 1, 1, 4, 4, 2, 2, 2];
  assert.ok(isStairs(values));
  assert.ok(!isStairs(values.map((_, i) => Math.sin(i))));
  const [xs, ys] = stairs([0, 1, 2, 3, 4, 5, 6, 7], values, halfways([0.5, 1.7, 2.7, 5.5]));
  for (let i = 1; i < xs.length; i++) assert.ok(xs[i] === xs[i - 1] || ys[i] === ys[i - 1], "level or upright");
  assert.equal(heightAt([xs, ys], 2.19), 1);
  assert.equal(heightAt([xs, ys], 2.21), 4, "halfway between 1.7 and 2.7");
  assert.equal(heightAt([xs, ys], 4.2), 2, "halfway between 2.7 and 5.5");
});

test("names are cut where they do not differ", () => {
  assert.deepEqual(distinctParts(["bagged trees, 10 members", "bagged trees, 50 members"]), ["10", "50"]);
  assert.deepEqual(distinctParts(["tree", "forest"]), ["tree", "forest"]);
  assert.deepEqual(distinctParts(["a b", "a b"]), ["b", "b"], "a word stays");
  const cut = (name) => (name.length > 14 ? `${name.slice(0, 13)}…` : name);
  assert.deepEqual(cutApart(["bagged trees, 10", "bagged trees, 50"], cut), ["10", "50"]);
  assert.deepEqual(cutApart(["tree", "a name that is long"], cut), ["tree", "a name that i…"]);
});

test("text is 1/40 of the screen, and zoom enlarges it", () => {
  assert.equal(textSize({ width: 1280, height: 720, ratio: 1 }), 18);
  assert.equal(textSize({ width: 1920, height: 1080, ratio: 1 }), 27);
  assert.equal(textSize({ width: 390, height: 844, ratio: 3 }), 16);
  assert.ok(isZoomed({ width: 1920, height: 1080, ratio: 1 }, { width: 960, height: 540, ratio: 2 }));
  assert.ok(!isZoomed({ width: 1920, height: 1080, ratio: 1 }, { width: 960, height: 540, ratio: 1 }), "a smaller window");
  assert.ok(!isZoomed({ width: 1920, height: 1080, ratio: 1 }, { width: 1920, height: 1080, ratio: 2 }), "a finer screen");
});

test("arrows go around", () => {
  assert.equal(arrowTo("ArrowRight", 2, 3), 0);
  assert.equal(arrowTo("ArrowUp", 0, 3), 2);
  assert.equal(arrowTo("End", 0, 3), 2);
  assert.equal(arrowTo("x", 0, 3), null);
});

const parameter = (name, more = {}) => ({ name, default: null, ...more });
const material = {
  families: [
    { name: "tree", parameters: [parameter("depth", { default: Infinity }), parameter("min-leaf", { default: 1 })], choices: [], capacity: "depth" },
    { name: "knn", parameters: [parameter("k")], choices: [], capacity: "k" },
    { name: "bagging", parameters: [parameter("members")], choices: [], base: true, capacity: "members" },
  ],
  needed: () => 7,
  suggested: (name) => `values of ${name}`,
  data: ["train"],
};

test("learners keep a sweep that they share, and get one of their own where they do not", () => {
  const both = plannedLearners(material, [{ tree: { depth: 3 } }, { knn: {} }], { depth: "1..4" });
  assert.deepEqual(both, { learners: [{ tree: {} }, { knn: {}, sweep: { k: "values of k" } }], sweep: { depth: "1..4" } });
  const lost = plannedLearners(material, [{ knn: { k: 2 } }], { depth: "1..4" });
  assert.deepEqual(lost, { learners: [{ knn: {} }], sweep: { k: "values of k" } }, "nobody has a depth");
  const data = plannedLearners(material, [{ knn: {}, sweep: { k: "1..3" } }], { train: [1, 2] });
  assert.deepEqual(data, { learners: [{ knn: { k: 7 } }], sweep: { train: [1, 2] } }, "what is not swept is given");
  const base = plannedLearners(material, [{ bagging: { members: 5, base: { tree: { depth: 2 } } } }], { "base.depth": "1..4" });
  assert.deepEqual(base.learners, [{ bagging: { members: 5, base: { tree: {} } } }]);
  const reference = plannedLearners(material, [{ tree: {} }, { reference: true, knn: { k: 3 } }], { depth: "1..4" });
  assert.deepEqual(reference.learners[1], { reference: true, knn: { k: 3 } });
  assert.deepEqual(freshLearner(material.families[2], () => 9), { bagging: { members: 9, base: { tree: {} } } });
});

test("sweeps are written and read alike", () => {
  for (const values of ["1..40", [1, 2, 5], { from: 0.01, to: 10, count: 30, scale: "log" }])
    assert.deepEqual(sweepFrom(sweepText(values)), values);
  assert.equal(sweepValues({ name: "depth", whole: true, least: 1, usual: [1, 16] }, 100, 15, 1), "1..16");
  assert.equal(toml({ a: [1, "x"], b: Infinity, c: null }), '{ a = [1, "x"], b = inf }');
});

test("axes reach around all risks, and put a zero before a logarithmic axis", () => {
  const numbers = (...values) => Float64Array.from(values);
  const own = { risk: numbers(1, 2), risk_high: numbers(1.1, 2.2), risk_median: numbers(1, 2), risk_q75: numbers(1, 2), train_risk: numbers(0.5, 0), noise: numbers(0.5, 0.5), bias2: numbers(0.1, -0.01), variance: numbers(0.2, 1), heavy: [false, false] };
  const run = {
    head: { threshold: null, learners: [{ axes: [{ name: "lambda", scale: "log", values: numbers(0, 0.1, 1) }] }] },
    newest: { learners: [own] },
    ready: 0,
    draws: [],
  };
  const ranges = rangesOf(run, 0, {}, 3);
  assert.deepEqual(ranges.log, { x: true, y: false });
  assert.ok(Math.abs(ranges.zero - 0.001) < 1e-12 && ranges.places[0] === ranges.zero);
  assert.ok(ranges.y[0] === 0 && Math.abs(ranges.y[1] - 1.07 * 2.2) < 1e-12);
  assert.deepEqual(rangesOf(run, 0, { "y-max": 3 }, 3).y, [0, 3]);
  assert.deepEqual(firstHeights(run, 0, false), [0, 1]);
});

test("numbers as a person would write them", () => {
  assert.equal(short(0.00012345), "1.23·10⁻⁴");
  assert.equal(several(1, "set", "sets"), "1 set");
  assert.equal(withInterval(0.1234, 0.11, 0.14), "0.123 +0.017 −0.013");
});

test("the language is the one that is asked for, or preferred, if there is one", () => {
  assert.equal(languageOf("de", ["en"]), "de");
  assert.equal(languageOf("xx", ["de"]), "en");
  assert.equal(languageOf(null, ["cs", "de-AT", "en"]), "de");
  const say = translator(LANGUAGES.de);
  assert.equal(say("all 1000 training sets drawn"), "alle 1000 Trainingsmengen gezogen");
  assert.equal(say("96 of 1000 training sets so far"), "bisher 96 von 1000 Trainingsmengen");
  assert.equal(say("noise "), "Rauschen ", "spaces stay");
  assert.equal(say("constructor"), "constructor");
  assert.equal(say("What is this?"), "What is this?");
});

test("every entry of a language is something that the page says, and has its gaps", async () => {
  const names = (await readdir(folder)).filter((name) => /\.(js|html)$/.test(name) && name !== "strings.js");
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
  // The names of parts come from the program.
  const look = await readFile(new URL("../../crates/bvlab-figure/src/look.rs", import.meta.url), "utf8");
  const all = [...texts, look, await readFile(new URL("../../crates/bvlab-figure/src/theme.rs", import.meta.url), "utf8")].join("\n");
  for (const [language, table] of Object.entries(LANGUAGES))
    for (const [said, shown] of Object.entries(table)) {
      assert.equal(said.split("{").length, shown.split("{").length, `${language}: ${said}`);
      // What is put together from pieces is found word by word.
      const pieces = said.includes("{}") ? said.split(/[^\p{L}²]+/u).filter((word) => word.length > 2) : [said.trim()];
      for (const piece of pieces) assert.ok(all.includes(piece), `${language}: "${piece}" is nowhere said`);
    }
});

test("no lesson is named in the code", async () => {
  const lessons = (await readdir(new URL("../../experiments/", import.meta.url))).filter((name) => name.endsWith(".toml")).map((name) => name.replace(/\.toml$/, ""));
  assert.ok(lessons.length > 30);
  // Lessons may be called by terms of the field.
  for (const name of (await readdir(folder)).filter((one) => one.endsWith(".js") && one !== "terms.js")) {
    const text = await readFile(path.join(folder, name), "utf8");
    for (const lesson of lessons.filter((one) => one.includes("-"))) assert.ok(!text.includes(`"${lesson}"`), `${name}: ${lesson}`);
  }
});
