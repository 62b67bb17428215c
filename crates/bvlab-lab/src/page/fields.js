// What the controls are made of: rows and fields, what they read from the experiment that is shown,
// and how they set its keys.
import { app, byId, element, redraw, reload } from "./app.js";
import { state, store, withKeys } from "./state.js";
import { toml } from "./toml.js";

const TYPING = 500;

export const panel = { mistake: null, updates: [], touched: "", learners: null, sketching: false, timer: 0 };

export const experimentNow = () => app.run?.head?.experiment ?? {};

export const rangeNow = () => app.run?.head?.range ?? [0, 1];

export function trainNow() {
  const train = experimentNow().problem?.train;
  return typeof train === "number" ? train : 50;
}

export const widthNow = () => rangeNow()[1] - rangeNow()[0];

export const familyCalled = (name) => app.lab.families.find((family) => family.name === name) ?? null;

// Sets keys and runs the experiment anew; `more` is what else changes with them.
export function change(id, pairs, more = {}) {
  panel.touched = id;
  const written = pairs.map(([key, value]) => [key, value === null ? null : toml(value)]);
  store.act(`change ${id}`, { sets: withKeys(state.sets, written), ...more });
  // The same again, as after a mistake, is tried again.
  reload();
  redraw();
}

// Waits until the typing has paused.
export function typed(act) {
  return (event) => {
    clearTimeout(panel.timer);
    panel.timer = setTimeout(() => act(event.target), event.type === "change" ? 0 : TYPING);
  };
}

export function row(id, label, control, extra = {}) {
  return element("div", { class: "row", "data-row": id, ...extra }, element("label", { for: id }, label), control);
}

export function choose(id, options, onchange) {
  return element(
    "select",
    { id, onchange: (event) => onchange(event.target.value) },
    ...options.map(([value, text]) => element("option", { value }, text)),
  );
}

// Shows what the experiment has, except in the control that is being used.
export function update(id, get) {
  panel.updates.push(() => {
    const control = byId(id);
    if (!control || control === document.activeElement) return;
    const value = get();
    if (control.type === "checkbox") control.checked = Boolean(value);
    else if (value !== undefined && control.value !== String(value)) control.value = String(value);
  });
}
