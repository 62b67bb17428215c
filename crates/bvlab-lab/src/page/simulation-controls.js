// The controls of a simulation: a slider for each of its numbers, and its lists.
import { app, element, refill } from "./app.js";
import { change, experimentNow, panel, row, typed, update } from "./fields.js";
import { short } from "./numbers.js";
import { askedNumber, listPairs } from "./simulation-plan.js";
import { parameterLabel } from "./learner-controls.js";
import { nearestPlace, sliderValues } from "./sliders.js";
import { state } from "./state.js";
import { sweepFrom, sweepText } from "./suggestions.js";

const LIST_FORMS = "1..40, or 1, 2, 5, or 0.01 to 10, 30 values, log";

// What the registry says of the simulation that is shown.
export function simulationNow() {
  const name = experimentNow().simulation;
  return (app.lab?.simulations ?? []).find((one) => one.name === name) ?? null;
}

const idOf = (parameter) => `control-with-${parameter.name}`;
const keyOfNumber = (parameter) => `with.${parameter.name}`;

// What it is in the experiment that is shown.
function valueNow(parameter) {
  const own = experimentNow().with?.[parameter.name];
  return own ?? (parameter.list ? parameter.list.default : parameter.default);
}

// The number that is asked for.
function numberNow(parameter) {
  return askedNumber(state.sets, keyOfNumber(parameter)) ?? valueNow(parameter);
}

const setNumber = (parameter, value) => change(idOf(parameter), [[keyOfNumber(parameter), value]]);

// A slider over the values of a number. They stay as they are while it is used.
function slider(parameter, id) {
  const places = { values: sliderValues(parameter, numberNow(parameter)) };
  const input = element("input", {
    id,
    type: "range",
    min: "0",
    step: "1",
    "aria-label": `${parameterLabel(parameter)}: ${parameter.meaning}`,
    oninput: () => setNumber(parameter, places.values[Number(input.value)]),
  });
  const show = () => {
    const value = numberNow(parameter);
    if (input !== document.activeElement) places.values = sliderValues(parameter, value);
    input.max = String(Math.max(0, places.values.length - 1));
    const place = String(nearestPlace(places.values, value));
    if (input.value !== place) input.value = place;
    input.setAttribute("aria-valuetext", `${parameter.name} = ${short(value)}`);
  };
  show();
  return { input, show };
}

function numberRow(parameter) {
  const id = idOf(parameter);
  const { input, show } = slider(parameter, `${id}-slider`);
  const set = typed((field) => {
    if (field.value.trim() !== "") setNumber(parameter, Number(field.value));
  });
  const field = element("input", {
    id,
    type: "number",
    step: parameter.whole ? "1" : "any",
    min: parameter.least,
    max: parameter.most,
    oninput: set,
    onchange: set,
  });
  update(id, () => numberNow(parameter));
  panel.updates.push(show);
  // What has no ends has no slider.
  const control = sliderValues(parameter, null).length > 1 ? element("span", { class: "pair" }, input, field) : field;
  return row(id, parameterLabel(parameter), control, { title: parameter.meaning });
}

// A field with the values of a list.
function listField(parameter, id, more = {}) {
  const set = (field) => {
    if (field.value.trim() === "") return;
    const figures = experimentNow().figure;
    const pairs = listPairs(parameter.name, valueNow(parameter), sweepFrom(field.value), Array.isArray(figures) ? figures : []);
    change(idOf(parameter), pairs);
  };
  return element("input", { id, type: "text", spellcheck: "false", title: LIST_FORMS, onchange: typed(set), ...more });
}

function listRow(parameter) {
  const id = idOf(parameter);
  update(id, () => sweepText(valueNow(parameter)));
  return row(id, parameterLabel(parameter), listField(parameter, id), { title: parameter.meaning });
}

// The rows of the panel.
export function simulationControls() {
  const simulation = simulationNow();
  if (!simulation) return [];
  return [
    element("h2", { title: simulation.meaning }, "Simulation"),
    element("fieldset", {}, ...simulation.parameters.map((one) => (one.list ? listRow(one) : numberRow(one)))),
  ];
}

const knobs = { shows: [] };

// A slider below the picture, with its value before it.
function numberKnob(parameter) {
  const { input, show } = slider(parameter, `with-${parameter.name}`);
  const words = element("span", {});
  const both = () => {
    words.textContent = `${parameterLabel(parameter)} = ${short(numberNow(parameter))}`;
    show();
  };
  return { label: element("label", { title: parameter.meaning }, words, input), both };
}

function listKnob(parameter) {
  const field = listField(parameter, `with-${parameter.name}`, { "aria-label": `${parameterLabel(parameter)}: ${parameter.meaning}` });
  const both = () => {
    if (field !== document.activeElement) field.value = sweepText(valueNow(parameter));
  };
  return { label: element("label", { title: parameter.meaning }, element("span", {}, parameterLabel(parameter)), field), both };
}

// The sliders below the picture, or the lists of a simulation that has nothing else; false if there are none.
export function showSimulationKnobs(holder) {
  const simulation = app.record ? null : simulationNow();
  if (!simulation) return false;
  const numbers = simulation.parameters.filter((one) => !one.list && sliderValues(one, null).length > 1);
  const shown = numbers.length > 0 ? numbers : simulation.parameters.filter((one) => one.list);
  if (shown.length === 0) return false;
  refill(holder, [state.lesson, state.toml, simulation.name], () => {
    const each = shown.map((parameter) => (parameter.list ? listKnob(parameter) : numberKnob(parameter)));
    each.slice(2).forEach(({ label }) => label.classList.add("more"));
    // Many have a line of their own.
    holder.classList.toggle("many", each.length > 2);
    knobs.shows = each.map(({ both }) => both);
    return each.map(({ label }) => label);
  });
  for (const show of knobs.shows) show();
  return true;
}

