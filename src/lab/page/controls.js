// The controls: problem, learners, run. They say what the experiment that is shown has, and set its
// keys. A mistake is shown beside the control that made it.
import { app, byId, element, redraw, reload } from "./app.js";
import { saveToml } from "./export.js";
import { makeSketch } from "./sketch.js";
import { dropSet, putSet, sceneAsked, state } from "./state.js";
import { PRESETS, mainNumber, neededValue, sweepFrom, sweepText, sweepValues } from "./suggestions.js";
import { toml } from "./toml.js";
import { extent } from "./scales.js";

const SIZES = [4, 5, 8, 10, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000];
const BY_HAND = "drawn by hand";
const TYPING = 500;
const SWEEP_FORMS = "1..40, or 1, 2, 5, or 0.01 to 10, 30 values, log";

const panel = { key: "", updates: [], touched: "", learners: null, sketching: false, timer: 0 };

const experimentNow = () => app.run?.head?.experiment ?? {};

const rangeNow = () => app.run?.head?.range ?? [0, 1];

function trainNow() {
  const train = experimentNow().problem?.train;
  return typeof train === "number" ? train : 50;
}

const widthNow = () => rangeNow()[1] - rangeNow()[0];

const familyCalled = (name) => app.lab.families.find((family) => family.name === name) ?? null;

// Sets keys and runs the experiment anew.
function change(id, pairs) {
  panel.touched = id;
  for (const [key, value] of pairs) {
    if (value === null) dropSet(key);
    else putSet(key, toml(value));
  }
  reload();
  redraw();
}

// Waits until the typing has paused.
function typed(act) {
  return (event) => {
    clearTimeout(panel.timer);
    panel.timer = setTimeout(() => act(event.target), event.type === "change" ? 0 : TYPING);
  };
}

function row(id, label, control, extra = {}) {
  return element("div", { class: "row", "data-row": id, ...extra }, element("label", { for: id }, label), control);
}

function choose(id, options, onchange) {
  return element("select", { id, onchange: (event) => onchange(event.target.value) }, ...options.map(([value, text]) => element("option", { value }, text)));
}

// Shows what the experiment has, except in the control that is being used.
function update(id, get) {
  panel.updates.push(() => {
    const control = byId(id);
    if (!control || control === document.activeElement) return;
    const value = get();
    if (control.type === "checkbox") control.checked = Boolean(value);
    else if (value !== undefined && control.value !== String(value)) control.value = String(value);
  });
}

// Problem

function truthName(truth) {
  if (typeof truth === "string") return PRESETS.find((preset) => preset.truth === truth)?.name ?? "an expression";
  if (truth?.points) return BY_HAND;
  return truth?.linear !== undefined ? "a random direction" : "an expression";
}

function inputsKind(inputs) {
  return ["uniform", "grid", "normal"].find((kind) => inputs?.[kind]) ?? "uniform";
}

function noiseKind(noise) {
  return Object.keys(noise ?? {}).find((kind) => kind !== "degrees") ?? "normal";
}

function problemControls() {
  const problem = () => experimentNow().problem ?? {};
  const inputs = () => problem().inputs ?? { uniform: [0, 1] };
  const truth = choose("control-truth", [...PRESETS.map(({ name }) => [name, name]), ["an expression", "an expression"], ["a random direction", "a random direction"], [BY_HAND, BY_HAND]], (name) => {
    const preset = PRESETS.find((one) => one.name === name);
    panel.sketching = name === BY_HAND;
    if (preset) {
      const kind = inputsKind(inputs()) === "normal" ? "uniform" : inputsKind(inputs());
      const fixed = inputs().fixed ? { fixed: true } : {};
      change("control-truth", [["problem.truth", preset.truth], ["problem.inputs", { [kind]: preset.range, ...fixed }], ["problem.noise", { normal: preset.noise }]]);
    } else if (name === "a random direction") change("control-truth", [["problem.truth", { linear: 1 }]]);
    else if (name === BY_HAND) startSketch();
    else byId("control-expression")?.focus();
    showControls();
  });
  update("control-truth", () => (panel.sketching ? BY_HAND : truthName(problem().truth)));

  const expression = element("input", { id: "control-expression", type: "text", spellcheck: "false", autocomplete: "off", oninput: typed(setExpression), onchange: typed(setExpression) });
  update("control-expression", () => (typeof problem().truth === "string" ? problem().truth : ""));

  const setNoise = (value) => {
    const number = Number(value);
    const sd = value !== "" && Number.isFinite(number) ? number : value;
    const degrees = problem().noise?.degrees;
    change("control-noise", [["problem.noise", { [noiseKind(problem().noise)]: sd, degrees }]]);
  };
  const sd = () => Object.values({ ...problem().noise, degrees: undefined }).find((value) => value !== undefined);
  const noise = element("span", { class: "pair" },
    element("input", { id: "control-noise-slider", type: "range", min: "0", max: "2", step: "0.05", "aria-label": "noise", oninput: (event) => { byId("control-noise").value = event.target.value; setNoise(event.target.value); } }),
    element("input", { id: "control-noise", type: "text", inputmode: "decimal", oninput: typed((field) => setNoise(field.value.trim())), onchange: typed((field) => setNoise(field.value.trim())) }));
  update("control-noise", () => sd() ?? "");
  update("control-noise-slider", () => (typeof sd() === "number" ? sd() : 0));
  const kind = choose("control-noise-kind", [["normal", "normal"], ["uniform", "uniform"], ["laplace", "Laplace"], ["student-t", "Student's t, 5 degrees"]], (value) => change("control-noise-kind", [["problem.noise", { [value]: sd() ?? 0.5, degrees: value === "student-t" ? 5 : undefined }]]));
  update("control-noise-kind", () => noiseKind(problem().noise));

  const setTrain = (value) => change("control-train", [["problem.train", Math.round(Number(value))]]);
  const most = SIZES.findLastIndex((size) => size <= (app.lab.limits?.train ?? 2000));
  const train = element("span", { class: "pair" },
    element("input", { id: "control-train-slider", type: "range", min: "0", max: String(most), step: "1", "aria-label": "points in a training set", oninput: (event) => { byId("control-train").value = String(SIZES[event.target.value]); setTrain(SIZES[event.target.value]); } }),
    element("input", { id: "control-train", type: "number", min: "1", step: "1", oninput: typed((field) => setTrain(field.value)), onchange: typed((field) => setTrain(field.value)) }));
  update("control-train", () => problem().train ?? "");
  update("control-train-slider", () => SIZES.reduce((best, size, i) => (Math.abs(size - trainNow()) < Math.abs(SIZES[best] - trainNow()) ? i : best), 0));
  panel.updates.push(() => {
    const swept = experimentNow().sweep?.train !== undefined;
    for (const id of ["control-train", "control-train-slider"]) byId(id).disabled = swept;
  });

  const setInputs = (id, changed) => {
    const now = inputs();
    const place = inputsKind(now);
    const next = { kind: place, ends: now[place] ?? [0, 1], dimension: now.dimension, fixed: now.fixed, ...changed };
    if (next.kind !== place && (next.kind === "normal" || place === "normal")) {
      // Mean ± 3 sd covers what a range did, and the other way round.
      const [from, to] = rangeNow();
      next.ends = next.kind === "normal" ? [(from + to) / 2, (to - from) / 6] : [from, to];
    }
    const fixed = next.kind === "grid" ? undefined : next.fixed || undefined;
    change(id, [["problem.inputs", { [next.kind]: next.ends, dimension: next.dimension > 1 ? next.dimension : undefined, fixed }]]);
  };
  const where = choose("control-inputs", [["uniform", "uniform at random"], ["grid", "evenly spaced"], ["normal", "normal at random"]], (value) => setInputs("control-inputs", { kind: value }));
  update("control-inputs", () => inputsKind(inputs()));
  const setEnds = typed(() => setInputs("control-from", { ends: [Number(byId("control-from").value), Number(byId("control-to").value)] }));
  const ends = element("span", { class: "pair even" },
    element("input", { id: "control-from", type: "number", step: "any", oninput: setEnds, onchange: setEnds }),
    element("input", { id: "control-to", type: "number", step: "any", "aria-label": "to, or standard deviation", oninput: setEnds, onchange: setEnds }));
  update("control-from", () => inputs()[inputsKind(inputs())]?.[0]);
  update("control-to", () => inputs()[inputsKind(inputs())]?.[1]);
  panel.updates.push(() => { byId("controls").querySelector("[data-row='control-from'] label").textContent = inputsKind(inputs()) === "normal" ? "mean, sd" : "from, to"; });
  const setDimension = typed((field) => setInputs("control-dimension", { dimension: Math.max(1, Math.round(Number(field.value))) }));
  const dimension = element("input", { id: "control-dimension", type: "number", min: "1", max: "100", oninput: setDimension, onchange: setDimension });
  update("control-dimension", () => inputs().dimension ?? 1);
  const fixed = element("input", { id: "control-fixed", type: "checkbox", onchange: (event) => setInputs("control-fixed", { fixed: event.target.checked }) });
  update("control-fixed", () => inputs().fixed || inputs().grid);
  panel.updates.push(() => { byId("control-fixed").disabled = Boolean(inputs().grid); });

  return [
    element("h2", {}, "Problem"),
    element("fieldset", {},
      row("control-truth", "truth", truth),
      row("control-expression", "f(x) =", expression),
      element("div", { id: "sketch-place" }),
      row("control-noise", "noise sd", noise),
      row("control-noise-kind", "noise is", kind),
      row("control-train", "points n", train),
      row("control-inputs", "inputs", where),
      row("control-from", "from, to", ends),
      row("control-dimension", "dimensions", dimension),
      element("div", { class: "row check", "data-row": "control-fixed" }, element("label", {}, fixed, " the same inputs in every training set"))),
  ];
}

function setExpression(field) {
  panel.sketching = false;
  if (field.value.trim() !== "") change("control-expression", [["problem.truth", field.value.trim()]]);
}

// The pad begins with the truth that is shown.
function startSketch() {
  const { head } = app.run;
  const [low, high] = extent(head.test.truth);
  const room = Math.max(0.35 * (high - low), 0.5);
  const order = Array.from(head.test.truth, (_, i) => i).sort((a, b) => head.test.x[a] - head.test.x[b]);
  const points = head.dimension === 1 ? order.map((i) => [head.test.x[i], head.test.truth[i]]) : [[0, 0], [1, 0]];
  const range = head.dimension === 1 ? head.range : [0, 1];
  byId("sketch-place").replaceChildren(makeSketch(points, range, [low - room, high + room], (drawn) => {
    const pairs = [["problem.truth", { points: drawn }]];
    if (app.run.head.dimension !== 1) pairs.push(["problem.inputs", { uniform: [0, 1] }]);
    change("control-truth", pairs);
  }), element("small", {}, "Draw with mouse or finger. With keys: Tab from knot to knot, ↑ and ↓."));
}

// Learners

function learnersNow() {
  return panel.learners ?? experimentNow().learner ?? [];
}

function familyOf(learner) {
  return app.lab.families.find((family) => learner?.[family.name] !== undefined) ?? null;
}

const bare = (name) => name.replace(/^base\./, "");

// What is swept for a learner: by a sweep of its own, or by that of all.
function sweptOf(learner) {
  return Object.keys(learner?.sweep ?? experimentNow().sweep ?? {}).map(bare);
}

// A learner of a family with what must be given, unless it is swept.
function freshLearner(family, swept) {
  const numbers = {};
  for (const number of family.numbers) {
    if (number.default === null && !swept.includes(number.name)) numbers[number.name] = neededValue(number.name, family.name, trainNow(), widthNow());
  }
  if (family.base) numbers.base = { tree: {} };
  return { [family.name]: numbers };
}

// Sets all learners. A learner that has none of the swept numbers gets a sweep of its own.
function setLearners(id, learners, wantedSweep = null) {
  const families = learners.map(familyOf);
  const has = (i, name) => ["train", "noise"].includes(name) || (families[i] && numbersOf(families[i], [learners[i]]).some((number) => number.name === bare(name)));
  let sweep = wantedSweep ?? experimentNow().sweep ?? {};
  const had = Object.keys(sweep).length > 0;
  sweep = Object.fromEntries(Object.entries(sweep).filter(([name]) => learners.some((_, i) => has(i, name))));
  if (had && Object.keys(sweep).length === 0) sweep = ownSweep(families[0]);
  const swept = Object.keys(sweep);
  const cleaned = learners.map((learner, i) => {
    const { sweep: own, ...rest } = learner;
    if (swept.length === 0) return cleanLearner(own ? learner : rest, Object.keys(own ?? {}).map(bare));
    if (swept.every((name) => has(i, name))) return cleanLearner(rest, swept.map(bare));
    if (learner.reference) return cleanLearner(rest, []);
    const its = own && Object.keys(own).every((name) => has(i, name)) ? own : ownSweep(families[i]);
    return cleanLearner({ ...rest, sweep: its }, Object.keys(its).map(bare));
  });
  panel.learners = cleaned;
  state.at = {};
  const pairs = [["learner", cleaned]];
  if (swept.length > 0) pairs.push(["sweep", sweep]);
  const any = swept.length > 0 || cleaned.some((learner) => learner.sweep);
  change(id, [...pairs, ["figure", any ? [{ tradeoff: {} }] : []]]);
}

function ownSweep(family) {
  const name = family ? mainNumber(family) : null;
  return name ? { [name]: sweepValues(name, family.name, trainNow(), widthNow(), app.run.head.dimension) } : {};
}

// The numbers of a family, and of the base of the learners that are made of it.
function numbersOf(family, learners) {
  const bases = family.base ? learners.map((learner) => learner[family.name]?.base).filter(Boolean).map(familyOf).filter(Boolean) : [];
  return [...family.numbers, ...bases.flatMap((base) => base.numbers)];
}

// A swept number is not given too; one that is no longer swept must be given.
function cleanLearner(learner, swept) {
  const family = familyOf(learner);
  if (!family) return learner;
  const fix = (one, numbers) => {
    const result = { ...numbers };
    for (const number of one.numbers) {
      if (swept.includes(number.name)) delete result[number.name];
      else if (number.default === null && result[number.name] === undefined) result[number.name] = neededValue(number.name, one.name, trainNow(), widthNow());
    }
    const base = result.base ? familyOf(result.base) : null;
    if (base) result.base = { [base.name]: fix(base, result.base[base.name]) };
    return result;
  };
  return { ...learner, [family.name]: fix(family, learner[family.name]) };
}

function numberField(id, number, path, get) {
  const swept = sweptOf(learnersNow()[path[1]]).includes(number.name);
  const limits = number.default === null ? "" : number.default === Infinity ? "no limit" : String(number.default);
  const set = typed((field) => {
    if (field.value.trim() === "") {
      // Back to what it is without: the learners are said anew.
      const learners = structuredClone(learnersNow());
      const holder = path.slice(1, -1).reduce((at, name) => at?.[name], learners);
      if (holder) delete holder[number.name];
      setLearners(id, learners, experimentNow().sweep ?? {});
    } else change(id, [[path.join("."), Number(field.value)]]);
  });
  const field = element("input", { id, type: "number", step: number.whole ? "1" : "any", placeholder: swept ? "swept" : limits, title: number.about, oninput: set, onchange: set });
  field.disabled = swept;
  update(id, () => get()?.[number.name] ?? "");
  return row(id, number.name, field, { title: number.about });
}

function choiceField(id, option, path, get) {
  const select = choose(id, option.options.map((one) => [String(one), String(one)]), (value) => change(id, [[path.join("."), value === "true" ? true : value === "false" ? false : value]]));
  update(id, () => String(get()?.[option.name] ?? option.options[0]));
  return row(id, option.name, select, { title: option.about });
}

function fieldsOf(prefix, family, path, get) {
  return [
    ...family.numbers.map((number) => numberField(`${prefix}-${number.name}`, number, [...path, number.name], get)),
    ...family.choices.map((option) => choiceField(`${prefix}-${option.name}`, option, [...path, option.name], get)),
  ];
}

function learnerControls(learner, i, count) {
  const family = familyOf(learner);
  const id = `control-learner-${i}`;
  const flat = (app.run?.head?.dimension ?? 1) === 1;
  const select = choose(id, app.lab.families.filter((one) => flat || !one.oneDimensional).map((one) => [one.name, one.name]), (name) => {
    const learners = structuredClone(learnersNow());
    const own = learners[i].reference ? { reference: true } : {};
    learners[i] = { ...own, ...freshLearner(familyCalled(name), []) };
    setLearners(id, learners);
  });
  update(id, () => familyOf(learnersNow()[i])?.name);
  const get = () => experimentNow().learner?.[i]?.[family?.name];
  const inside = family ? fieldsOf(id, family, ["learner", i, family.name], get) : [];
  if (family?.base) {
    const base = familyOf(learner[family.name]?.base);
    const baseId = `${id}-base`;
    inside.push(row(baseId, "made of", choose(baseId, app.lab.families.filter((one) => !one.base && (flat || !one.oneDimensional)).map((one) => [one.name, one.name]), (name) => {
      const learners = structuredClone(learnersNow());
      learners[i][family.name].base = freshLearner(familyCalled(name), []);
      setLearners(baseId, learners);
    })));
    update(baseId, () => familyOf(experimentNow().learner?.[i]?.[family.name]?.base)?.name);
    if (base) inside.push(...fieldsOf(baseId, base, ["learner", i, family.name, "base", base.name], () => get()?.base?.[base.name]));
  }
  if (learner.sweep) inside.push(...ownSweepFields(id, i, family));
  const remove = count < 2 ? null : element("button", { type: "button", id: `${id}-remove`, onclick: () => {
    state.learner = 0;
    setLearners(id, structuredClone(learnersNow()).filter((_, at) => at !== i));
  } }, "Remove");
  const name = learner.name ?? family?.name ?? "learner";
  return element("fieldset", { class: "learner" }, element("legend", { class: "hidden" }, `Learner ${i + 1}: ${name}`), row(id, count > 1 ? `learner ${i + 1}` : "learner", select, { title: family?.about ?? null }), ...inside, remove);
}

// The sweep of a learner that has one of its own.
function ownSweepFields(id, i, family) {
  const sweep = () => Object.entries(experimentNow().learner?.[i]?.sweep ?? {});
  const set = (at, pair) => {
    const learners = structuredClone(learnersNow());
    learners[i].sweep = Object.fromEntries([pair]);
    setLearners(at, learners, experimentNow().sweep ?? {});
  };
  const nameId = `${id}-sweep`;
  const valuesId = `${id}-sweep-values`;
  const names = family ? numbersOf(family, [learnersNow()[i]]).map((number) => number.name) : [];
  update(nameId, () => bare(sweep()[0]?.[0] ?? ""));
  update(valuesId, () => sweepText(sweep()[0]?.[1] ?? ""));
  return [
    row(nameId, "swept", choose(nameId, names.map((name) => [name, name]), (name) => set(nameId, [name, sweepValues(name, family.name, trainNow(), widthNow(), app.run.head.dimension)]))),
    row(valuesId, "values", element("input", { id: valuesId, type: "text", spellcheck: "false", title: SWEEP_FORMS, onchange: typed((field) => set(valuesId, [sweep()[0][0], sweepFrom(field.value)])) })),
  ];
}

function sweepControls() {
  const learners = learnersNow();
  const names = [...new Set(["train", "noise", ...learners.map(familyOf).filter(Boolean).flatMap((family) => numbersOf(family, learners).map((number) => number.name))])];
  const sweep = () => Object.entries(experimentNow().sweep ?? {});
  const rows = [0, 1].flatMap((which) => {
    const id = `control-sweep-${which}`;
    const set = (name, values) => {
      const next = sweep();
      if (name === "") next.splice(which, 1);
      else next[which] = [name, values];
      state.at = {};
      setLearners(id, structuredClone(learnersNow()), Object.fromEntries(next));
    };
    // A sweep can be changed, but not be taken from an experiment that has one.
    const none = which === 1 || Object.keys(experimentNow().sweep ?? {}).length === 0 ? [["", "nothing"]] : [];
    const select = choose(id, [...none, ...names.map((name) => [name, name])], (name) => {
      const owner = learners.map(familyOf).find((family) => family && numbersOf(family, learners).some((number) => number.name === name));
      set(name, name === "" ? null : sweepValues(name, owner?.name ?? "", trainNow(), widthNow(), app.run.head.dimension));
    });
    update(id, () => bare(sweep()[which]?.[0] ?? ""));
    const valuesId = `${id}-values`;
    const setValues = typed((field) => {
      const name = sweep()[which]?.[0];
      if (name) change(valuesId, [["sweep", Object.fromEntries(sweep().map(([one, values], at) => [one, at === which ? sweepFrom(field.value) : values]))], ["figure", [{ tradeoff: {} }]]]);
    });
    const values = element("input", { id: valuesId, type: "text", spellcheck: "false", title: SWEEP_FORMS, onchange: setValues });
    update(valuesId, () => sweepText(sweep()[which]?.[1] ?? ""));
    panel.updates.push(() => { byId(valuesId).disabled = sweep()[which] === undefined; byId(id).disabled = which === 1 && sweep().length === 0; });
    return [row(id, which === 0 ? "swept" : "and over", select), row(valuesId, "values", values)];
  });
  return rows;
}

function learnersSection() {
  const learners = learnersNow();
  return [
    element("h2", {}, "Learners", element("button", { id: "add-learner", type: "button", onclick: () => {
      const taken = learnersNow().map((learner) => familyOf(learner)?.name);
      const flat = (app.run?.head?.dimension ?? 1) === 1;
      const family = ["tree", "knn", "kernel", "forest"].map(familyCalled).find((one) => one && !taken.includes(one.name)) ?? app.lab.families.find((one) => flat || !one.oneDimensional);
      setLearners("add-learner", [...structuredClone(learnersNow()), freshLearner(family, [])], experimentNow().sweep ?? {});
    } }, "Add")),
    ...learners.map((learner, i) => learnerControls(learner, i, learners.length)),
    element("fieldset", {}, ...sweepControls()),
  ];
}

// Run

function runControls() {
  const run = () => experimentNow().run ?? {};
  const whole = (key, id) => typed((field) => {
    if (field.value !== "") change(id, [[key, Math.round(Number(field.value))]]);
  });
  const setSeed = whole("run.seed", "control-seed");
  const seed = element("span", { class: "pair" },
    element("input", { id: "control-seed", type: "number", min: "0", step: "1", oninput: setSeed, onchange: setSeed }),
    element("button", { id: "new-seed", type: "button", onclick: () => change("control-seed", [["run.seed", (app.run?.head?.seed ?? 0) + 1]]) }, "New"));
  update("control-seed", () => run().seed ?? app.run?.head?.seed ?? 1);
  const setResamples = whole("run.resamples", "control-resamples");
  const resamples = element("input", { id: "control-resamples", type: "number", min: "4", max: String(app.lab.limits?.resamples ?? ""), step: "1", oninput: setResamples, onchange: setResamples });
  update("control-resamples", () => run().resamples ?? app.run?.head?.resamples);
  const theory = element("input", { id: "control-theory", type: "checkbox", onchange: (event) => { state.theory = event.target.checked; redraw(); } });
  update("control-theory", () => state.theory);
  return [
    element("h2", {}, "Run"),
    element("fieldset", {},
      row("control-seed", "seed", seed),
      row("control-resamples", "training sets", resamples),
      element("div", { class: "row check" }, element("label", {}, theory, " exact theory, where it is known (T)"))),
  ];
}

function tomlControls() {
  const area = element("textarea", { id: "control-toml", "aria-label": "An experiment as TOML", spellcheck: "false", placeholder: "Paste an experiment here." });
  const open = (text) => {
    panel.touched = "control-toml";
    Object.assign(state, { toml: text, lesson: null, sets: [], at: {}, learner: 0, x: null, x2: null, drawn: null, step: "" });
    reload();
    redraw();
  };
  const file = element("input", { id: "control-file", type: "file", accept: ".toml,text/plain", class: "hidden", tabindex: "-1", "aria-hidden": "true", onchange: async (event) => {
    const [chosen] = event.target.files;
    if (!chosen) return;
    area.value = await chosen.text();
    event.target.value = "";
    open(area.value);
  } });
  return [
    element("h2", {}, "Experiment as TOML"),
    element("fieldset", { "data-row": "control-toml" }, area,
      element("div", { class: "actions" },
        element("button", { id: "run-toml", type: "button", onclick: () => open(area.value) }, "Run this"),
        element("button", { id: "open-toml", type: "button", onclick: () => file.click() }, "Open a file…"),
        element("button", { id: "save-toml", type: "button", onclick: () => saveToml() }, "Save TOML"),
        file)),
    element("div", { class: "actions" }, element("button", { id: "undo-all", type: "button", onclick: () => {
      panel.sketching = false;
      state.sets = [];
      state.at = {};
      reload();
      redraw();
    } }, "Undo all changes")),
  ];
}

// Makes the panel agree with the state and with the experiment that is shown.
export function showControls() {
  const holder = byId("controls");
  const open = state.panel === "controls" && !app.record;
  holder.hidden = !open;
  byId("open-controls").setAttribute("aria-expanded", String(open));
  if (!open || !app.lab) return;
  const experiment = experimentNow();
  if (app.run && panel.run !== app.run) {
    panel.run = app.run;
    panel.learners = null;
  }
  const simulation = app.run?.head?.simulation ?? false;
  const shape = (learner) => [familyOf(learner)?.name, familyOf(learner?.[familyOf(learner)?.name]?.base)?.name, learner?.name];
  const key = JSON.stringify([state.lesson, state.toml, simulation, learnersNow().map(shape), learnersNow().map((learner) => Object.keys(learner.sweep ?? {})), Object.keys(experiment.sweep ?? {})]);
  if (panel.key !== key && app.run) {
    panel.key = key;
    panel.updates = [];
    const focused = holder.contains(document.activeElement) ? document.activeElement.id : "";
    const sketch = panel.sketching ? byId("sketch-place") : null;
    const parts = simulation
      ? [element("p", {}, "A simulation has no problem and no learner to change; its numbers are in the TOML."), ...tomlControls()]
      : [...problemControls(), ...learnersSection(), ...runControls(), ...tomlControls()];
    holder.replaceChildren(...parts);
    if (sketch?.firstChild && byId("sketch-place")) byId("sketch-place").replaceWith(sketch);
    if (focused) byId(focused)?.focus();
  }
  // Until the new run is here the controls are ahead of the picture.
  if (app.run && JSON.stringify(app.run.scene) === JSON.stringify(sceneAsked())) for (const one of panel.updates) one();
  if (!panel.sketching) byId("sketch-place")?.replaceChildren();
  showMistake(holder);
}

function showMistake(holder) {
  const problem = app.problem && !app.problem.passing ? app.problem : null;
  const text = problem ? JSON.stringify([problem.message, problem.help, panel.touched]) : "";
  if (holder.dataset.mistake === text && (text === "" || holder.querySelector(".mistake"))) return;
  holder.dataset.mistake = text;
  for (const old of holder.querySelectorAll(".mistake")) old.remove();
  for (const old of holder.querySelectorAll("[aria-invalid]")) old.removeAttribute("aria-invalid");
  if (!problem) return;
  const place = holder.querySelector(`[data-row="${CSS.escape(panel.touched)}"]`) ?? holder.firstElementChild;
  place?.append(element("p", { class: "mistake", role: "alert" }, problem.line ? `line ${problem.line}: ${problem.message}` : problem.message, ...(problem.help ? [element("small", {}, problem.help)] : [])));
  byId(panel.touched)?.setAttribute("aria-invalid", "true");
}

// Whether a mistake is shown beside a control.
export function mistakeIsShown() {
  return state.panel === "controls" && panel.touched !== "";
}
