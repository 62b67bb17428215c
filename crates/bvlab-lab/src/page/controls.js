// The panel of controls. It says what the experiment that is shown has, and sets its keys. A mistake
// is shown beside the control that made it.
import { app, byId, element, isStale } from "./app.js";
import { classControls, hasClasses } from "./class-controls.js";
import { experimentNow, panel } from "./fields.js";
import { familyOf, learnersNow, learnersSection } from "./learner-controls.js";
import { problemControls } from "./problem-controls.js";
import { offerControls } from "./opening.js";
import { runControls, tomlControls } from "./run-controls.js";
import { simulationControls, simulationNow } from "./simulation-controls.js";
import { sceneAsked, state } from "./state.js";
import { equal } from "./store.js";
import { tableControls } from "./table-controls.js";

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
  const head = app.run?.head;
  const why = head?.pictured ?? null;
  const shape = (learner) => [
    familyOf(learner)?.name,
    familyOf(learner?.[familyOf(learner)?.name]?.base)?.name,
    learner?.name,
  ];
  const from = [
    state.lesson,
    state.toml,
    why,
    simulationNow()?.name,
    hasClasses(),
    Boolean(head?.rows),
    learnersNow().map(shape),
    learnersNow().map((learner) => Object.keys(learner.sweep ?? {})),
    Object.keys(experiment.sweep ?? {}),
  ];
  if (app.run && isStale(holder, from)) {
    panel.updates = [];
    const focused = holder.contains(document.activeElement) ? document.activeElement.id : "";
    const sketch = panel.sketching ? byId("sketch-place") : null;
    const parts =
      why === null
        ? [...problemNow(head), ...learnersSection(), ...runControls(), ...tomlControls()]
        : [...(head.simulation ? simulationControls() : [element("p", { class: "why" }, why)]), ...runControls(), ...tomlControls()];
    holder.replaceChildren(...parts);
    if (sketch?.firstChild && byId("sketch-place")) byId("sketch-place").replaceWith(sketch);
    if (focused) byId(focused)?.focus();
  }
  // Until the new run is here the controls are ahead of the picture.
  if (app.run && equal(app.run.scene, sceneAsked())) for (const one of panel.updates) one();
  if (!panel.sketching) byId("sketch-place")?.replaceChildren();
  offerControls(holder);
  showMistake(holder);
}

// The controls of the problem, whichever it is.
function problemNow(head) {
  if (head.rows) return tableControls();
  return hasClasses() ? classControls() : problemControls();
}

function showMistake(holder) {
  const problem = app.problem && !app.problem.passing ? app.problem : null;
  const mistake = problem ? [problem.message, problem.help, panel.touched] : null;
  if (equal(panel.mistake, mistake) && (mistake === null || holder.querySelector(".mistake"))) return;
  panel.mistake = mistake;
  for (const old of holder.querySelectorAll(".mistake")) old.remove();
  for (const old of holder.querySelectorAll("[aria-invalid]")) old.removeAttribute("aria-invalid");
  if (!problem) return;
  const place = holder.querySelector(`[data-row="${CSS.escape(panel.touched)}"]`) ?? holder.firstElementChild;
  place?.append(
    element(
      "p",
      { class: "mistake", role: "alert" },
      problem.line ? `line ${problem.line}: ${problem.message}` : problem.message,
      ...(problem.help ? [element("small", {}, problem.help)] : []),
    ),
  );
  byId(panel.touched)?.setAttribute("aria-invalid", "true");
}

// Whether a mistake is shown beside a control.
export function mistakeIsShown() {
  return state.panel === "controls" && panel.touched !== "";
}
