// The page's pure functions, in Node's test runner: `node --test unit.mjs`.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { pageModules } from "./modules.mjs";
import "./unit-class.mjs";

const { folder, load } = await pageModules();

const { Store, equal } = await load("store.js");
const { changedLines } = await load("difference.js");
const { halfways, isStairs, nearestStairs, stairs } = await load("stairs.js");
const { cutApart, distinctParts } = await load("words.js");
const { isZoomed, textSize } = await load("text-size.js");
const { arrowTo } = await load("focus-order.js");
const { plannedLearners, freshLearner } = await load("learner-plan.js");
const { firstHeights, rangesOf, sharedRanges } = await load("ranges.js");
const plan = await load("column-plan.js");
const { boundariesOf, meansOf, roundedLine, runsOf, shadesOf, votesOf } = await load("regions.js");
const { errorName, lossNamed, togetherName } = await load("losses.js");
const { parseMessage } = await load("protocol.js");
const { sweepFrom, sweepText, sweepValues } = await load("suggestions.js");
const { Run } = await load("run.js");
const { nearestPlace, sliderValues } = await load("sliders.js");
const { askedNumber, listPairs, listedValues } = await load("simulation-plan.js");
const { readAddress, state, store, withKeys, writeAddress } = await load("state.js");
const { several, short, withInterval } = await load("numbers.js");
const { LANGUAGES, languageOf, translator } = await load("strings.js");
const { toml } = await load("toml.js");
const { askedOf, dotColumns, optionTexts, percentOf, rightCount, rightOptions, tallyOf } = await load("votes.js");

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
  assert.deepEqual(firstHeights(run, [0], false), [0, 1]);
});

test("learners side by side share their axes", () => {
  const numbers = (...values) => Float64Array.from(values);
  const own = (...risks) => {
    const risk = numbers(...risks);
    const zeros = risk.map(() => 0);
    return { risk, risk_high: risk, risk_median: risk, risk_q75: risk, train_risk: zeros, noise: zeros, bias2: zeros, variance: risk, heavy: risks.map(() => false) };
  };
  const axis = (name, ...values) => [{ name, values: numbers(...values) }];
  const log = (name, ...values) => [{ name, scale: "log", values: numbers(...values) }];
  const axes = [axis("depth", 1, 2), axis("depth", 2, 9), log("lambda", 0, 0.1, 1), log("lambda", 0.001, 10), []];
  const run = {
    head: { threshold: null, learners: axes.map((one) => ({ axes: one })) },
    newest: { learners: [own(1, 2), own(3, 4), own(1, 1, 1), own(1, 1), own(5)] },
    ready: 0,
    draws: [],
  };
  const shared = sharedRanges(run, [0, 1, 2, 3, 4], {}, 7);
  assert.deepEqual([...shared.keys()], [0, 1, 2, 3], "who sweeps nothing has no axis");
  for (const ranges of shared.values()) assert.deepEqual(ranges.y, [0, 1.07 * 5]);
  assert.deepEqual([shared.get(0).x, shared.get(1).x], [[1, 9], [1, 9]]);
  assert.deepEqual(shared.get(0).places, [1, 2], "values stay");
  const [some, other] = [shared.get(2), shared.get(3)];
  assert.deepEqual(some.x, other.x);
  assert.ok(some.x[0] <= 0.001 && some.x[1] === 10);
  assert.equal(some.places[0], some.zero, "zero stands where its number is");
  assert.equal(other.zero, null);
});

test("columns: who is shown, how many in a row, and what is where", () => {
  assert.deepEqual(plan.shownLearners(3, 2), [0, 1, 2]);
  assert.deepEqual(plan.shownLearners(6, 1), [0, 1, 2, 3]);
  assert.deepEqual(plan.shownLearners(6, 5), [0, 1, 2, 5]);
  assert.deepEqual([plan.columnsInRow(4, 71), plan.columnsInRow(4, 50), plan.columnsInRow(3, 40), plan.columnsInRow(4, 10)], [4, 2, 2, 1]);
  for (const [fits, curves] of [[true, true], [true, false], [false, true], [false, false]])
    for (const height of [5, 20, 40]) {
      const parts = plan.columnParts(height, { lines: 2, fits, curves });
      const ends = [parts.fits, parts.curves, parts.sum].filter((one) => one !== null);
      ends.forEach((one, i) => {
        assert.ok(one.bottom >= one.top);
        if (i > 0) assert.equal(one.top, ends[i - 1].bottom);
      });
      if (height >= 20) assert.ok(parts.sum.bottom <= height + 1e-9, `${parts.sum.bottom} of ${height}`);
      assert.equal(parts.fits !== null, fits);
      assert.equal(parts.curves !== null, curves);
    }
  const column = { lines: 1, fits: true, curves: true };
  const natural = plan.columnParts(plan.columnHeight(column), column);
  assert.ok(Math.abs(natural.fits.bottom - natural.fits.top - 13.9) < 1e-9, "as high as was asked for");
  assert.deepEqual(plan.inLines([4, 4, 4], 10, 1), [{ line: 0, x: 0 }, { line: 0, x: 5 }, { line: 1, x: 0 }]);
  assert.deepEqual([plan.alikeDecimals([3, 4, NaN]), plan.alikeDecimals([1, 3]), plan.alikeDecimals([NaN])], [4, null, null]);
});

test("what follows from something else is no step of its own", () => {
  const made = new Store({ lesson: "a", scene: 1 }, ["lesson", "scene"]);
  const heard = [];
  made.subscribe(({ keys }) => heard.push(String(keys)));
  made.act("open", { lesson: "b" });
  made.follow("begin", { scene: 7 });
  made.follow("begin", { scene: 7 });
  assert.deepEqual(heard, ["lesson", "scene"]);
  made.undo();
  assert.deepEqual({ ...made.values }, { lesson: "a", scene: 1 });
  assert.equal(made.canUndo, false);
});

test("numbers as a person would write them", () => {
  assert.equal(short(0.00012345), "1.23·10⁻⁴");
  assert.equal(several(1, "set", "sets"), "1 set");
  assert.equal(withInterval(0.1234, 0.11, 0.14), "0.123 +0.017 −0.013");
});

test("a question is answered by choices or by a guess, and what is right follows", () => {
  assert.equal(askedOf({ choices: [], guess: null }), null);
  const choices = askedOf({ choices: ["a", "…"], correct: 1 }, ["a", "5"]);
  assert.deepEqual(optionTexts(choices, String), ["a", "5"], "as the lecturer's page shows them");
  assert.deepEqual(rightOptions(choices, null, 1), [1]);
  assert.deepEqual(rightOptions(askedOf({ choices: ["a", "b"] }), null, 1), [], "what is withheld is not known");
  const guess = askedOf({ guess: { learner: 0, axis: 0, name: "depth", values: [1, 2, 4] } });
  assert.deepEqual(optionTexts(guess, String), ["depth = 1", "depth = 2", "depth = 4"]);
  assert.deepEqual(rightOptions(guess, { setting: 2, tied: [1] }, 3), [1, 2], "those that are tied are right, too");
  assert.deepEqual(rightOptions(guess, null, 3), []);
  // In a two-way sweep settings go along the first axis first.
  const second = askedOf({ guess: { learner: 0, axis: 1, name: "lambda", values: [0, 1] } });
  assert.deepEqual(rightOptions(second, { setting: 4, tied: [3] }, 3), [1]);
});

test("answers are counted, shared out, and drawn as dots that fit", () => {
  assert.equal(percentOf(1, 3), "33 %");
  assert.equal(percentOf(0, 0), "–");
  assert.equal(rightCount([3, 4, 5], [0, 2]), 8);
  assert.deepEqual(dotColumns([0, 3, 10], 10), { each: 1, columns: [0, 3, 10] });
  assert.deepEqual(dotColumns([0, 3, 21], 10), { each: 3, columns: [0, 1, 7] });
  assert.deepEqual(dotColumns([], 0), { each: 1, columns: [] });
  assert.deepEqual(tallyOf({ one: true, two: false }), { answered: 2, right: 1 });
});

test("the language is the one that is asked for, or preferred, if there is one", () => {
  assert.equal(languageOf("de", ["en"]), "de");
  assert.equal(languageOf("xx", ["de"]), "en");
  assert.equal(languageOf(null, ["cs", "de-AT", "en"]), "de");
  assert.equal(languageOf("constructor", ["de"]), "en");
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

const { leavingOut, nearestPoint, within } = await load("nearest.js");

test("a pointer takes the nearest point within reach, or none", () => {
  const [xs, ys] = [[0, 10, 20], [0, 0, 5]];
  assert.equal(nearestPoint(xs, ys, [11, 1], 5), 1);
  assert.equal(nearestPoint(xs, ys, [15, 2.5], 6), 2);
  assert.equal(nearestPoint(xs, ys, [11, 9], 5), -1);
  assert.equal(nearestPoint([], [], [0, 0], 5), -1);
  assert.deepEqual(leavingOut([1, 2, 3], 1), [1, 3]);
  assert.equal(within(16.00001234, [0, 15]), 15);
  assert.equal(within(1.23456789, [0, 15]), 1.2346);
});

const { jumpsOf, neighboursOf, newSplits } = await load("anatomy.js");

test("splits are where stairs jump, and neighbours are the nearest points", () => {
  const corners = stairs([0, 1, 2, 3, 4, 5], [7, 7, 7, 9, 9, 4], [2.5, 4.25]);
  assert.deepEqual(jumpsOf(corners), [2.5, 4.25]);
  assert.deepEqual(newSplits([1, 2.5, 4.25], [2.5]), [1, 4.25]);
  assert.deepEqual(neighboursOf([5, 1, 3, 2], 2.4, 2), [3, 2]);
  // Of two that are equally near the first comes first.
  assert.deepEqual(neighboursOf([1, 3, 9], 2, 1), [0]);
});

test("a slider goes from end to end in steps that a person would take", () => {
  const share = sliderValues({ name: "error", default: 0.3, usual: [0.05, 0.95] }, 0.3);
  assert.deepEqual([share[0], share[1], share.at(-1)], [0.05, 0.06, 0.95]);
  assert.ok(share.includes(0.3) && share.every((value, i) => i === 0 || value > share[i - 1]));
  // Whole numbers are whole, also where there are many.
  const whole = { name: "train", default: 100, whole: true, least: 1, most: 10_000 };
  assert.deepEqual(sliderValues({ ...whole, usual: [2, 6] }, 4), [2, 3, 4, 5, 6]);
  for (const usual of [[10, 500], [1, 100_000], [7, 3333]]) {
    const values = sliderValues({ ...whole, usual }, 100);
    assert.ok(values.every(Number.isInteger) && new Set(values).size === values.length, `${usual}`);
    assert.deepEqual([values[0], values.at(-1)], usual);
    assert.ok(values.length > 20 && values.length < 150, `${values.length}`);
  }
  // Ends far apart are far apart as ratios, and zero can be reached where it is an end.
  const wide = sliderValues({ name: "lambda", default: 0.1, usual: [0.001, 100] }, 0.1);
  assert.ok(wide[30] > 0.1 && wide[30] < 1, `${wide[30]}`);
  assert.equal(sliderValues({ name: "noise", default: 0.5, usual: [0, 2] }, 0.5)[0], 0);
  // A value beyond the ends can be kept; without a usual range all that is allowed is offered.
  assert.equal(sliderValues({ name: "noise", default: 0.5, usual: [0, 2] }, 7).at(-1), 7);
  assert.deepEqual(sliderValues({ name: "gaps", default: 0, whole: true, least: 0, most: 2 }, 0), [0, 1, 2]);
  const open = sliderValues({ name: "ears", default: 0.3, least: 0, exclusive: true, most: 1 }, 0.3);
  assert.ok(open[0] > 0 && open.at(-1) === 1);
  assert.deepEqual(sliderValues({ name: "size", default: 1, least: 0, most: null }, 1), []);
  assert.equal(nearestPlace([1, 2, 5], 4), 2);
  assert.deepEqual([nearestPlace([10, 20, 40], 29), nearestPlace([10, 20, 40], 31), nearestPlace([10], 99)], [1, 2, 0]);
});

test("a list of a simulation takes its figures along", () => {
  const figures = [
    { title: "two", simulation: { panels: ["n = 20", "n = 200"] } },
    { simulation: { panels: ["parts"], labels: { "from -5.5": "from −5.5" } } },
    { simulation: {} },
  ];
  assert.deepEqual(listPairs("sizes", [20, 60, 200], [20, 200], figures), [["with.sizes", [20, 200]]]);
  assert.deepEqual(listPairs("sizes", [20, 60, 200], [30, 200], figures), [
    ["with.sizes", [30, 200]],
    ["figure.0.simulation", {}],
  ]);
  assert.deepEqual(listPairs("starts", [-5.5, 5.5], [5.5], figures)[1], ["figure.1.simulation", {}]);
  assert.equal(listPairs("starts", [-5.5, 5.5], [-5.5], figures).length, 1);
  assert.deepEqual(listedValues("2..5"), [2, 3, 4, 5]);
  assert.deepEqual(listedValues({ from: 1, to: 2, count: 3 }), []);
  assert.equal(askedNumber(["with.error=0.2", "with.error=0.4", "with.errors=1"], "with.error"), 0.4);
  assert.equal(askedNumber(["with.sizes=[1]"], "with.sizes"), null);
  assert.equal(askedNumber([], "with.error"), null);
});

test("a simulation goes from figure to figure", () => {
  const run = new Run({ lesson: "votes", set: [] });
  assert.equal(run.streams, false);
  run.take({ is: "head", pictured: "A simulation", simulation: true, resamples: 9 });
  assert.deepEqual([run.streams, run.first, run.frameAt(null)], [true, null, null]);
  for (const count of [4, 6, 8]) run.take({ is: "frame", count });
  run.take({ is: "end", count: 9, seconds: 1 });
  assert.deepEqual([run.next(0), run.next(4), run.next(8), run.previous(null), run.previous(6)], [4, 6, null, 8, 4]);
  assert.deepEqual([run.first, run.frameAt(7).count, run.complete(8), run.complete(null)], [4, 6, false, true]);
});

// Points 0, 1, 2, … along a side.
const side = (count) => Array.from({ length: count }, (_, i) => i);
const gridOf = (count, label) => side(count).flatMap((i) => side(count).map((j) => label(i, j)));

test("a disc has one closed boundary at its radius", () => {
  const labels = gridOf(41, (i, j) => (Math.hypot(i - 20, j - 20) < 13 ? 1 : 0));
  const lines = boundariesOf(side(41), side(41), labels, 2);
  assert.equal(lines.length, 1);
  assert.deepEqual(lines[0][0], lines[0].at(-1));
  for (const [x, y] of lines[0]) assert.ok(Math.abs(Math.hypot(x - 20, y - 20) - 13) < 0.8, `${x}, ${y}`);
});

test("a straight boundary runs from border to border, halfway between points", () => {
  const lines = boundariesOf(side(11), side(11), gridOf(11, (i) => (i > 3 ? 1 : 0)), 2);
  assert.equal(lines.length, 1);
  assert.ok(lines[0].every(([x]) => x === 3.5));
  assert.deepEqual([lines[0][0][1], lines[0].at(-1)[1]].sort((a, b) => a - b), [0, 10]);
  assert.deepEqual(boundariesOf(side(5), side(5), gridOf(5, () => 1), 2), []);
  // Of three classes every one has its own.
  const three = gridOf(12, (i) => Math.floor(i / 4));
  assert.deepEqual(boundariesOf(side(12), side(12), three, 3).map((line) => line[0][0]).sort(), [3.5, 3.5, 7.5, 7.5]);
});

test("every neighbours' change of class is crossed by a boundary once", () => {
  // Against brute force: an edge between unlike neighbours has one crossing before corners are cut.
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const labels = gridOf(9, () => (random() < 0.5 ? 1 : 0));
  let changes = 0;
  for (let i = 0; i < 9; i++)
    for (let j = 0; j < 9; j++) {
      if (i < 8 && labels[9 * i + j] !== labels[9 * i + 9 + j]) changes++;
      if (j < 8 && labels[9 * i + j] !== labels[9 * i + j + 1]) changes++;
    }
  // A closed line of n crossings becomes one of 4 n points and the first again; an open one of 4 n points.
  const crossings = boundariesOf(side(9), side(9), labels, 2).map((line) => {
    const closed = line[0].join() === line.at(-1).join();
    return closed ? (line.length - 1) / 4 : line.length === 2 ? 2 : line.length / 4;
  });
  assert.equal(crossings.reduce((sum, one) => sum + one, 0), changes);
});

test("corners are cut, ends stay", () => {
  assert.deepEqual(roundedLine([[0, 0], [4, 0]]), [[0, 0], [4, 0]]);
  const cut = roundedLine([[0, 0], [4, 0], [4, 4]]);
  assert.deepEqual([cut[0], cut.at(-1)], [[0, 0], [4, 4]]);
  assert.ok(!cut.some(([x, y]) => x === 4 && y === 0));
});

test("where probabilities are known a boundary is where they are equal", () => {
  // p = 0.5 on the line x = 3.25, whatever the grid.
  const labels = gridOf(9, (i) => (i > 3.25 ? 1 : 0));
  const truth = gridOf(9, (i) => 0.5 + (i - 3.25) / 20);
  const [line] = boundariesOf(side(9), side(9), labels, 2, truth);
  assert.ok(line.every(([x]) => Math.abs(x - 3.25) < 1e-12), line.join(" "));
  const disc = gridOf(41, (i, j) => 0.5 + (13 - Math.hypot(i - 20, j - 20)) / 50);
  const [round] = boundariesOf(side(41), side(41), disc.map((p) => (p > 0.5 ? 1 : 0)), 2, disc);
  for (const [x, y] of round) assert.ok(Math.abs(Math.hypot(x - 20, y - 20) - 13) < 0.06, `${x}, ${y}`);
});

test("votes make shades, and shades runs along a column", () => {
  const votes = votesOf([[0, 1, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0], [0, 1, 1, 1]], 4, 2);
  assert.deepEqual([...votes], [4, 0, 0, 4, 1, 3, 1, 3]);
  const shades = shadesOf(votes, 2);
  assert.deepEqual([...shades], [3, 7, 5, 5]);
  assert.deepEqual([...runsOf(shades, 2)], [[3, [[0, 0]]], [7, [[1, 1]]], [5, [[2, 3]]]]);
});

test("the means of probabilities are those of the engine's definitions", () => {
  const { arithmetic, geometric } = meansOf([[0.2, 0.8], [0.5, 0.5]], 1e-6);
  assert.ok(Math.abs(arithmetic[1] - 0.65) < 1e-12);
  // √(0.8 · 0.5) against √(0.2 · 0.5).
  assert.ok(Math.abs(geometric[1] - 2 / 3) < 1e-12);
  // A zero is raised to ε/(1 + 2ε), and the rest with it.
  const sure = meansOf([[0, 1], [0.5, 0.5]], 1e-6).geometric;
  const raised = Math.sqrt(1e-6 / (1 + 1e-6));
  assert.ok(Math.abs(sure[0] - raised / (1 + raised)) < 1e-12);
});

test("parts are called as the loss calls them", () => {
  const zeroOne = { loss: { name: "zero-one", split: "domingos", bias: "bias", error: "share of errors" } };
  assert.equal(lossNamed(zeroOne, "noise + bias² + variance"), "noise + bias + variance");
  assert.equal(lossNamed(zeroOne, "Bias² is"), "Bias is");
  assert.equal(lossNamed({}, "bias²"), "bias²");
  assert.deepEqual([errorName(zeroOne), errorName({}), togetherName(zeroOne), togetherName({})], ["share of errors", "squared error", "vote", "mean"]);
});

test("labels are unpacked from the lowest bit", () => {
  const packed = (bytes) => btoa(String.fromCharCode(...bytes));
  assert.deepEqual([...parseMessage(`{"u1":"${packed([0b1101])}"}`)], [1, 0, 1, 1, 0, 0, 0, 0]);
  assert.deepEqual([...parseMessage(`{"u2":"${packed([0b0110, 2])}"}`)], [2, 1, 0, 0, 2, 0, 0, 0]);
  assert.deepEqual([...parseMessage(`{"u8":"${packed([16, 3])}"}`)], [16, 3]);
});

test("names of a message stay what they are, and numbers that JSON cannot hold are numbers", () => {
  const names = ["constructor", "toString", "hasOwnProperty", "__proto__"];
  assert.deepEqual(parseMessage(JSON.stringify({ names })), { names });
  assert.deepEqual(parseMessage('["NaN", "Infinity", "-Infinity"]'), [NaN, Infinity, -Infinity]);
});

test("modules import each other in one direction, so that a page in one file can hold them", async () => {
  const folder = new URL("../../crates/bvlab-lab/src/page/", import.meta.url);
  const texts = new Map();
  for (const name of await readdir(folder))
    if (name.endsWith(".js")) texts.set(name, await readFile(new URL(name, folder), "utf8"));
  const below = (name) => [...(texts.get(name) ?? "").matchAll(/ from "\.\/([^"]+)"/g)].map((match) => match[1]);
  const visited = new Set();
  const visit = (name, above) => {
    assert.ok(!above.includes(name), `${above.join(" → ")} → ${name}`);
    if (visited.has(name)) return;
    visited.add(name);
    for (const one of below(name)) visit(one, [...above, name]);
  };
  for (const name of texts.keys()) visit(name, []);
});
