// The controls of a problem of classes: which one, how far its clouds spread, how many labels are flipped; and
// of its run: the loss, and the split of zero-one loss.
import { app, byId, element } from "./app.js";
import { change, choose, experimentNow, panel, row, typed, update } from "./fields.js";
import { trainRow } from "./problem-controls.js";

// What has a spread of its own, and how much of it is usual.
const SPREADS = { moons: 0.3, rings: 0.3, xor: 0.5 };

const GAUSSIANS = {
  "two Gaussians": [{ mean: [0, 0] }, { mean: [1.5, 1], covariance: [[1, 0.5], [0.5, 1]] }],
  "three Gaussians": [{ mean: [0, 0] }, { mean: [2.2, 0] }, { mean: [1.1, 1.9] }],
  "four Gaussians": [{ mean: [0, 0] }, { mean: [2.2, 0] }, { mean: [0, 2.2] }, { mean: [2.2, 2.2] }],
};

const WAVE = "a probability";
const GIVEN = "as in the TOML";
const LOSSES = [["squared", "squared (Brier)"], ["cross-entropy", "cross-entropy"], ["zero-one", "zero-one"]];
const SPLITS = [["domingos", "Domingos"], ["kohavi-wolpert", "Kohavi and Wolpert"], ["effects", "effects"]];

const classesNow = () => experimentNow().problem?.classes ?? {};

// Whether the labels of the experiment that is shown are classes.
export const hasClasses = () => experimentNow().problem?.classes !== undefined || Boolean(app.run?.head?.classes);

const lawNow = () => Object.keys(SPREADS).find((name) => classesNow()[name] !== undefined) ?? null;

function lawName() {
  const { gaussians, probability } = classesNow();
  const named = Object.keys(GAUSSIANS).find((name) => JSON.stringify(GAUSSIANS[name]) === JSON.stringify(gaussians));
  return lawNow() ?? named ?? (typeof probability === "string" ? WAVE : GIVEN);
}

// The problem anew: inputs belong to some laws and not to others.
function setClasses(id, classes, inputs = undefined) {
  const { train, resample } = experimentNow().problem ?? {};
  const { flip } = classesNow();
  change(id, [["problem", { classes: { ...classes, flip }, inputs, train, resample }]]);
}

function chooseLaw(name) {
  if (name in SPREADS) setClasses("control-classes", { [name]: SPREADS[name] });
  else if (name in GAUSSIANS) setClasses("control-classes", { gaussians: GAUSSIANS[name] });
  else if (name === WAVE) {
    const inputs = { uniform: [-2, 2], dimension: 2 };
    setClasses("control-classes", { probability: "1/(1 + exp(-4*(x2 - sin(2*x1))))" }, inputs);
  }
}

// A number with a slider before it.
function classNumberRow(id, label, most, get, set) {
  const slider = element("input", {
    id: `${id}-slider`,
    type: "range",
    min: "0",
    max: String(most),
    step: "0.01",
    "aria-label": label,
    oninput: (event) => {
      byId(id).value = event.target.value;
      set(Number(event.target.value));
    },
  });
  const given = typed((field) => {
    if (field.value !== "") set(Number(field.value));
  });
  const field = element("input", { id, type: "number", min: "0", max: String(most), step: "any", oninput: given, onchange: given });
  update(id, () => get() ?? "");
  update(`${id}-slider`, () => get() ?? 0);
  return row(id, label, element("span", { class: "pair" }, slider, field));
}

export function classControls() {
  const given = lawName() === GIVEN ? [GIVEN] : [];
  const names = [...Object.keys(SPREADS), ...Object.keys(GAUSSIANS), WAVE, ...given];
  const law = choose("control-classes", names.map((name) => [name, name]), chooseLaw);
  update("control-classes", lawName);
  const probability = typed((field) => {
    if (field.value.trim() !== "") change("control-probability", [["problem.classes.probability", field.value.trim()]]);
  });
  const expression = element("input", { id: "control-probability", type: "text", spellcheck: "false", autocomplete: "off", oninput: probability, onchange: probability });
  update("control-probability", () => classesNow().probability ?? "");
  panel.updates.push(() => {
    byId("controls").querySelector("[data-row='control-probability']").hidden = lawName() !== WAVE;
    byId("controls").querySelector("[data-row='control-spread']").hidden = lawNow() === null;
  });
  return [
    element("h2", {}, "Problem"),
    element(
      "fieldset",
      {},
      row("control-classes", "classes", law),
      row("control-probability", "p(1|x) =", expression),
      classNumberRow("control-spread", "spread sd", 1.5, () => classesNow()[lawNow()], (sd) => change("control-spread", [[`problem.classes.${lawNow()}`, sd]])),
      classNumberRow("control-flip", "flipped labels", 0.5, () => classesNow().flip ?? 0, (flip) => change("control-flip", [["problem.classes.flip", flip]])),
      trainRow(),
    ),
  ];
}

// The rows of the loss and its split, for the controls of the run.
export function lossRows() {
  const run = () => experimentNow().run ?? {};
  const loss = choose("control-loss", LOSSES, (name) => {
    // What belongs to another loss is left out, which needs the whole table.
    const { split, smoothing, ...rest } = run();
    const own = split !== undefined || smoothing !== undefined;
    change("control-loss", own ? [["run", { ...rest, loss: name }]] : [["run.loss", name]]);
  });
  update("control-loss", () => run().loss ?? "squared");
  const split = choose("control-split", SPLITS, (name) => change("control-split", [["run.split", name]]));
  update("control-split", () => run().split ?? "domingos");
  panel.updates.push(() => {
    byId("control-split").disabled = run().loss !== "zero-one";
  });
  return [row("control-loss", "loss", loss), row("control-split", "split", split)];
}

// The families of learners for the labels of the experiment that is shown.
export function familiesNow() {
  return app.lab.families.filter((family) => (hasClasses() ? family.classes : family.numbers !== false));
}
