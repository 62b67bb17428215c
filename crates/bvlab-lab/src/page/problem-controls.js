// The controls of the problem: truth, noise, number of points, inputs.
import { app, byId, element, redraw } from "./app.js";
import { change, choose, experimentNow, panel, rangeNow, row, trainNow, typed, update } from "./fields.js";
import { extent } from "./scales.js";
import { makeSketch } from "./sketch.js";
import { PRESETS } from "./suggestions.js";

const SIZES = [4, 5, 8, 10, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000];
const BY_HAND = "drawn by hand";
const WEIGHTS = "given weights";

function truthName(truth) {
  if (typeof truth === "string") return PRESETS.find((preset) => preset.truth === truth)?.name ?? "an expression";
  if (truth?.points) return BY_HAND;
  if (truth?.weights) return WEIGHTS;
  return truth?.linear !== undefined ? "a random direction" : "an expression";
}

function inputsKind(inputs) {
  return app.lab.inputs.find(({ name }) => inputs?.[name])?.name ?? app.lab.inputs[0].name;
}

const noiseLaw = (name) => app.lab.noise.find((law) => law.name === name);

function noiseKind(noise) {
  return Object.keys(noise ?? {}).find(noiseLaw) ?? app.lab.noise[0].name;
}

// A value for a parameter of the noise.
const usualValue = (parameter) => parameter.default ?? parameter.usual?.[0] ?? 1;

// How many points a training set has.
export function trainRow() {
  const setTrain = (value) => change("control-train", [["problem.train", Math.round(Number(value))]]);
  const most = SIZES.findLastIndex((size) => size <= (app.lab.limits?.train ?? 2000));
  const train = element(
    "span",
    { class: "pair" },
    element("input", {
      id: "control-train-slider",
      type: "range",
      min: "0",
      max: String(most),
      step: "1",
      "aria-label": "points in a training set",
      oninput: (event) => {
        byId("control-train").value = String(SIZES[event.target.value]);
        setTrain(SIZES[event.target.value]);
      },
    }),
    element("input", {
      id: "control-train",
      type: "number",
      min: "1",
      step: "1",
      oninput: typed((field) => setTrain(field.value)),
      onchange: typed((field) => setTrain(field.value)),
    }),
  );
  update("control-train", () => experimentNow().problem?.train ?? "");
  update("control-train-slider", () =>
    SIZES.reduce((best, size, i) => (Math.abs(size - trainNow()) < Math.abs(SIZES[best] - trainNow()) ? i : best), 0),
  );
  panel.updates.push(() => {
    const swept = experimentNow().sweep?.train !== undefined;
    for (const id of ["control-train", "control-train-slider"]) byId(id).disabled = swept;
  });
  return row("control-train", "points n", train);
}

export function problemControls() {
  const problem = () => experimentNow().problem ?? {};
  const inputs = () => problem().inputs ?? { uniform: [0, 1] };
  const lawCalled = (law) => app.lab.inputs.find(({ name }) => name === law);
  const lawNow = () => lawCalled(inputsKind(inputs()));
  // A list of scales says how many coordinates there are.
  const dimensionNow = () => inputs().dimension ?? (Array.isArray(inputs().sds) ? inputs().sds.length : 1);
  const hasEnds = (law) => law.parameters.map(({ name }) => name).join() === "from,to";
  const truth = choose(
    "control-truth",
    [
      ...PRESETS.map(({ name }) => [name, name]),
      ["an expression", "an expression"],
      ["a random direction", "a random direction"],
      [WEIGHTS, WEIGHTS],
      [BY_HAND, BY_HAND],
    ],
    (name) => {
      const preset = PRESETS.find((one) => one.name === name);
      panel.sketching = name === BY_HAND;
      if (preset) {
        const kind = hasEnds(lawNow()) ? lawNow().name : "uniform";
        const fixed = inputs().fixed ? { fixed: true } : {};
        change("control-truth", [
          ["problem.truth", preset.truth],
          ["problem.inputs", { [kind]: preset.range, ...fixed }],
          ["problem.noise", { normal: preset.noise }],
        ]);
      } else if (name === "a random direction") change("control-truth", [["problem.truth", { linear: 1 }]]);
      else if (name === WEIGHTS) change("control-truth", [["problem.truth", { weights: Array(dimensionNow()).fill(1) }]]);
      else if (name === BY_HAND) startSketch();
      else byId("control-expression")?.focus();
      redraw();
    },
  );
  update("control-truth", () => (panel.sketching ? BY_HAND : truthName(problem().truth)));

  const expression = element("input", {
    id: "control-expression",
    type: "text",
    spellcheck: "false",
    autocomplete: "off",
    oninput: typed(setExpression),
    onchange: typed(setExpression),
  });
  update("control-expression", () => (typeof problem().truth === "string" ? problem().truth : ""));

  const setNoise = (value) => {
    const number = Number(value);
    const sd = value !== "" && Number.isFinite(number) ? number : value;
    change("control-noise", [["problem.noise", { ...problem().noise, [noiseKind(problem().noise)]: sd }]]);
  };
  const sd = () => problem().noise?.[noiseKind(problem().noise)];
  const noise = element(
    "span",
    { class: "pair" },
    element("input", {
      id: "control-noise-slider",
      type: "range",
      min: "0",
      max: "2",
      step: "0.05",
      "aria-label": "noise",
      oninput: (event) => {
        byId("control-noise").value = event.target.value;
        setNoise(event.target.value);
      },
    }),
    element("input", {
      id: "control-noise",
      type: "text",
      inputmode: "decimal",
      oninput: typed((field) => setNoise(field.value.trim())),
      onchange: typed((field) => setNoise(field.value.trim())),
    }),
  );
  update("control-noise", () => sd() ?? "");
  update("control-noise-slider", () => (typeof sd() === "number" ? sd() : 0));
  const kind = choose(
    "control-noise-kind",
    app.lab.noise.map(({ name, title, parameters }) => [
      name,
      [title, ...parameters.map((one) => `${usualValue(one)} ${one.name}`)].join(", "),
    ]),
    (value) => {
      const given = noiseLaw(value).parameters.map((one) => [one.name, usualValue(one)]);
      change("control-noise-kind", [["problem.noise", { [value]: sd() ?? 0.5, ...Object.fromEntries(given) }]]);
    },
  );
  update("control-noise-kind", () => noiseKind(problem().noise));

  const setInputs = (id, changed) => {
    const now = inputs();
    const place = inputsKind(now);
    const next = { kind: place, ends: now[place] ?? [0, 1], dimension: dimensionNow(), fixed: now.fixed, ...changed };
    const law = lawCalled(next.kind);
    if (next.kind !== place && !(hasEnds(law) && hasEnds(lawCalled(place)))) {
      // Mean ± 3 sd covers what a range did, and the other way round.
      const [from, to] = rangeNow();
      const covering = { from, to, mean: (from + to) / 2, sd: (to - from) / 6 };
      next.ends = law.parameters.map((parameter) => covering[parameter.name] ?? usualValue(parameter));
    }
    const fixed = law.fixed ? undefined : next.fixed || undefined;
    const scaled = next.kind === "normal" && (!Array.isArray(now.sds) || now.sds.length === next.dimension);
    change(id, [
      [
        "problem.inputs",
        {
          [next.kind]: next.ends,
          dimension: next.dimension > 1 ? next.dimension : undefined,
          sds: scaled ? now.sds : undefined,
          fixed,
        },
      ],
    ]);
  };
  const where = choose(
    "control-inputs",
    app.lab.inputs.map(({ name, title }) => [name, title]),
    (value) => setInputs("control-inputs", { kind: value }),
  );
  update("control-inputs", () => inputsKind(inputs()));
  // As many fields as the law with the most parameters needs.
  const fields = Math.max(...app.lab.inputs.map(({ parameters }) => parameters.length));
  const ids = Array.from({ length: fields }, (_, i) => ["control-from", "control-to"][i] ?? `control-inputs-${i}`);
  const setEnds = typed(() =>
    setInputs("control-from", { ends: lawNow().parameters.map((_, i) => Number(byId(ids[i]).value)) }),
  );
  const ends = element(
    "span",
    { class: "pair even" },
    ...ids.map((id) => element("input", { id, type: "number", step: "any", oninput: setEnds, onchange: setEnds })),
  );
  ids.forEach((id, i) => update(id, () => inputs()[inputsKind(inputs())]?.[i]));
  panel.updates.push(() => {
    const names = lawNow().parameters.map(({ name }) => name);
    byId("controls").querySelector("[data-row='control-from'] label").textContent = names.join(", ");
    ids.forEach((id, i) => {
      byId(id).hidden = i >= names.length;
      if (i > 0) byId(id).setAttribute("aria-label", names[i] ?? "");
    });
  });
  const setDimension = typed((field) =>
    setInputs("control-dimension", { dimension: Math.max(1, Math.round(Number(field.value))) }),
  );
  const dimension = element("input", {
    id: "control-dimension",
    type: "number",
    min: "1",
    max: "100",
    oninput: setDimension,
    onchange: setDimension,
  });
  update("control-dimension", dimensionNow);
  const fixed = element("input", {
    id: "control-fixed",
    type: "checkbox",
    onchange: (event) => setInputs("control-fixed", { fixed: event.target.checked }),
  });
  update("control-fixed", () => inputs().fixed || lawNow().fixed);
  panel.updates.push(() => {
    byId("control-fixed").disabled = lawNow().fixed;
  });

  return [
    element("h2", {}, "Problem"),
    element(
      "fieldset",
      {},
      row("control-truth", "truth", truth),
      row("control-expression", "f(x) =", expression),
      element("div", { id: "sketch-place" }),
      row("control-noise", "noise sd", noise),
      row("control-noise-kind", "noise is", kind),
      trainRow(),
      row("control-inputs", "inputs", where),
      row("control-from", "from, to", ends),
      row("control-dimension", "dimensions", dimension),
      element(
        "div",
        { class: "row check", "data-row": "control-fixed" },
        element("label", {}, fixed, " the same inputs in every training set"),
      ),
    ),
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
  const points =
    head.dimension === 1
      ? order.map((i) => [head.test.x[i], head.test.truth[i]])
      : [
          [0, 0],
          [1, 0],
        ];
  const range = head.dimension === 1 ? head.range : [0, 1];
  byId("sketch-place").replaceChildren(
    makeSketch(points, range, [low - room, high + room], (drawn) => {
      const pairs = [["problem.truth", { points: drawn }]];
      if (app.run.head.dimension !== 1) pairs.push(["problem.inputs", { uniform: [0, 1] }]);
      change("control-truth", pairs);
    }),
    element("small", {}, "Draw with mouse or finger. With keys: Tab from knot to knot, ↑ and ↓."),
  );
}
