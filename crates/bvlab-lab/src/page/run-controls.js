// The controls of the run: seed, number of training sets, theory; and the experiment as TOML.
import { app, element, redraw, reload } from "./app.js";
import { lossRows } from "./class-controls.js";
import { saveToml } from "./export.js";
import { change, experimentNow, panel, row, typed, update } from "./fields.js";
import { enterLesson, state, store } from "./state.js";

export function runControls() {
  const run = () => experimentNow().run ?? {};
  const whole = (key, id) =>
    typed((field) => {
      if (field.value !== "") change(id, [[key, Math.round(Number(field.value))]]);
    });
  const setSeed = whole("run.seed", "control-seed");
  const seed = element(
    "span",
    { class: "pair" },
    element("input", { id: "control-seed", type: "number", min: "0", step: "1", oninput: setSeed, onchange: setSeed }),
    element(
      "button",
      {
        id: "new-seed",
        type: "button",
        onclick: () => change("control-seed", [["run.seed", (app.run?.head?.seed ?? 0) + 1]]),
      },
      "New",
    ),
  );
  update("control-seed", () => run().seed ?? app.run?.head?.seed ?? 1);
  const setResamples = whole("run.resamples", "control-resamples");
  const resamples = element("input", {
    id: "control-resamples",
    type: "number",
    min: "4",
    max: String(app.lab.limits?.resamples ?? ""),
    step: "1",
    oninput: setResamples,
    onchange: setResamples,
  });
  update("control-resamples", () => run().resamples ?? app.run?.head?.resamples);
  const theory = element("input", {
    id: "control-theory",
    type: "checkbox",
    onchange: (event) => {
      state.theory = event.target.checked;
    },
  });
  update("control-theory", () => state.theory);
  return [
    element("h2", {}, "Run"),
    element(
      "fieldset",
      {},
      row("control-seed", "seed", seed),
      row("control-resamples", app.run?.head?.simulation ? "resamples" : "training sets", resamples),
      ...(app.run?.head?.classes ? lossRows() : []),
      // On a figure it is where the lesson says so.
      app.run?.head?.pictured || app.run?.head?.plane || app.run?.head?.rows
        ? null
        : element("div", { class: "row check" }, element("label", {}, theory, " exact theory, where it is known (T)")),
    ),
  ];
}

export function tomlControls() {
  const area = element("textarea", {
    id: "control-toml",
    "aria-label": "An experiment as TOML",
    spellcheck: "false",
    placeholder: "Paste an experiment here.",
  });
  const open = (text) => {
    panel.touched = "control-toml";
    enterLesson(null, text);
    reload();
    redraw();
  };
  const file = element("input", {
    id: "control-file",
    type: "file",
    accept: ".toml,text/plain",
    class: "hidden",
    tabindex: "-1",
    "aria-hidden": "true",
    onchange: async (event) => {
      const [chosen] = event.target.files;
      if (!chosen) return;
      area.value = await chosen.text();
      event.target.value = "";
      open(area.value);
    },
  });
  return [
    element("h2", {}, "Experiment as TOML"),
    element(
      "fieldset",
      { "data-row": "control-toml" },
      area,
      element(
        "div",
        { class: "actions" },
        element("button", { id: "run-toml", type: "button", onclick: () => open(area.value) }, "Run this"),
        element("button", { id: "open-toml", type: "button", onclick: () => file.click() }, "Open a file…"),
        element("button", { id: "save-toml", type: "button", onclick: () => saveToml() }, "Save TOML"),
        file,
      ),
    ),
    element(
      "div",
      { class: "actions" },
      element(
        "button",
        {
          id: "undo-all",
          type: "button",
          onclick: () => {
            panel.sketching = false;
            store.act("as it opens", { sets: [], at: {} });
          },
        },
        "Undo all changes",
      ),
    ),
  ];
}
