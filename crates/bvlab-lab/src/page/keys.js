// Keys for everything, and the help that lists them.
import { app, byId, element, redraw } from "./app.js";
import { dialogHead, openPanel, togglePanel } from "./dialogs.js";
import { goToScene, switchLearner, toggleBoard, toggleOverlay } from "./knobs.js";
import { nextStep, previousStep, toggleAnswer, toggleLook, toggleQuestion } from "./lessons.js";
import { changeSpeed, drawAll, drawNone, drawOne, hold, letGo, pause, togglePlay, undoOne } from "./player.js";
import { movePoint } from "./stage.js";
import { state } from "./state.js";
import { learnerOf, moveTo, placesOf } from "./view.js";

export function toggleTheme() {
  state.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  redraw();
}

export function toggleFull() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => {});
}

function changeSize(by) {
  const wanted = by === 0 ? 1 : state.size + by;
  state.size = Math.round(Math.min(2, Math.max(0.6, wanted)) * 10) / 10;
  redraw();
}

function move(axis, by) {
  const { run } = app;
  if (!run?.head || run.head.pictured) return;
  const learner = learnerOf(run);
  const places = placesOf(run, learner);
  if (axis < places.length) moveTo(run, learner, axis, places[axis] + by);
  redraw();
}

function toggleBlank() {
  byId("blank").hidden = !byId("blank").hidden;
}

function toggleTheory() {
  state.theory = !state.theory;
  redraw();
}

const whileOnline = (act) => () => {
  if (!app.record) act();
};

const KEYS = [
  [
    "Draw",
    [
      [["Space"], "draw one training set; hold for more", null],
      [["p"], "play and pause", togglePlay],
      [["[", "]"], "slower, faster", null],
      [["Backspace"], "one training set back", undoOne],
      [["r", "Home"], "start again with nothing drawn", drawNone],
      [["End"], "show all", drawAll],
    ],
  ],
  [
    "Look",
    [
      [["1 – 6"], "scenes: Lab, Fits, Trade-off, One point, Double descent, Figure", null],
      [["←", "→"], "move the marker along the sweep", null],
      [["↑", "↓"], "the second parameter of a two-way sweep", null],
      [[",", "."], "move the test point (Shift + arrow keys too)", null],
      [["l"], "next learner", () => switchLearner(state.learner + 1)],
      [["o"], "overlay the learners (scene 3)", toggleOverlay],
      [["v"], "dartboard", toggleBoard],
      [["t"], "exact theory on and off", toggleTheory],
      [["n"], "a table of the numbers", () => togglePanel("numbers")],
    ],
  ],
  [
    "Teach",
    [
      [
        ["PageDown", "PageUp"],
        "step through a lesson with a clicker: question, training sets one by one, all of them, answer, next lesson – and back",
        null,
      ],
      [["q"], "the question, large", toggleQuestion],
      [["a"], "reveal the answer", toggleAnswer],
      [["w"], "what to look for", toggleLook],
      [["m"], "the menu of lessons", whileOnline(() => togglePanel("lessons"))],
      [["b"], "black screen", toggleBlank],
      [["j"], "the address for the class", whileOnline(() => app.lab?.address && togglePanel("join"))],
    ],
  ],
  [
    "Page",
    [
      [["c"], "controls: problem, learners, seed", whileOnline(() => togglePanel("controls"))],
      [["e"], "export: pictures, table, TOML, link", () => togglePanel("export")],
      [["f"], "full screen", toggleFull],
      [["d"], "dark and light", toggleTheme],
      [["+", "-", "0"], "larger, smaller, normal text", null],
      [["?", "h"], "this help", () => togglePanel("help")],
      [["Esc"], "close", null],
    ],
  ],
];

// Keys whose action depends on the key itself.
const OTHER = {
  "[": () => changeSpeed(-1),
  "]": () => changeSpeed(1),
  ArrowLeft: (event) => (event.shiftKey ? movePoint(-1) : move(0, -1)),
  ArrowRight: (event) => (event.shiftKey ? movePoint(1) : move(0, 1)),
  ArrowUp: () => move(1, 1),
  ArrowDown: () => move(1, -1),
  ",": () => movePoint(-1),
  ".": () => movePoint(1),
  "<": () => movePoint(-10),
  ">": () => movePoint(10),
  PageDown: nextStep,
  PageUp: previousStep,
  "+": () => changeSize(0.1),
  "=": () => changeSize(0.1),
  "-": () => changeSize(-0.1),
  0: () => changeSize(0),
};

function actionOf(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key in OTHER) return OTHER[key];
  if (/^[1-6]$/.test(key)) return () => goToScene(Number(key));
  for (const [, entries] of KEYS) {
    for (const [names, , act] of entries) if (act && names.includes(key)) return act;
  }
  return null;
}

function onKeyDown(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const { target } = event;
  const writing =
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !["range", "checkbox", "radio"].includes(target.type));
  const inDialog = target instanceof Element && target.closest("dialog") !== null;
  if (event.key === "Escape") {
    if (!byId("blank").hidden) byId("blank").hidden = true;
    else if (state.panel === "controls") openPanel("");
    else if (state.step === "question") toggleQuestion();
    return;
  }
  if (!byId("blank").hidden && event.key.toLowerCase() !== "b") byId("blank").hidden = true;
  const paging = event.key === "PageDown" || event.key === "PageUp";
  if (writing || (inDialog && !paging && !/^[a-z?]$/i.test(event.key))) return;
  if (event.key === " ") {
    // A focused button keeps its space bar.
    if (target instanceof HTMLButtonElement || (target instanceof HTMLInputElement && target.type !== "range")) return;
    event.preventDefault();
    if (event.repeat) hold();
    else {
      pause();
      drawOne();
    }
    return;
  }
  // A focused slider keeps its arrows and its ends.
  const sliding = target instanceof HTMLInputElement && target.type === "range";
  if (sliding && (/^Arrow/.test(event.key) || event.key === "Home" || event.key === "End")) return;
  const act = actionOf(event);
  if (!act) return;
  event.preventDefault();
  if (paging && inDialog) openPanel("");
  act(event);
}

export function fillHelp(dialog) {
  const shown = (name) => element("kbd", {}, name.length === 1 ? name.toUpperCase() : name);
  const sections = KEYS.map(([title, entries]) =>
    element(
      "div",
      {},
      element("h3", {}, title),
      element(
        "dl",
        {},
        ...entries.flatMap(([names, words]) => [
          element("dt", {}, ...names.flatMap((name, i) => (i === 0 ? [shown(name)] : [" ", shown(name)]))),
          element("dd", {}, words),
        ]),
      ),
    ),
  );
  const words = [
    "The picture opens with everything drawn. Space starts again with one training set. Drag on the trade-off to change what is swept; click on the fits to look at one x. The address bar always has the exact scene.",
  ];
  if (app.record)
    words.push("This page is a record of one experiment: it needs no server, and cannot change the experiment.");
  else if (app.lab.limits?.words?.length) words.push(`Limits of this lab: ${app.lab.limits.words.join("; ")}.`);
  dialog.replaceChildren(
    dialogHead("Help"),
    ...words.map((text) => element("p", {}, text)),
    element("div", { class: "columns" }, ...sections),
    element("p", {}, `bvlab ${app.lab.version}`),
  );
}

export function setUpKeys() {
  document.addEventListener("keydown", onKeyDown);
  document.addEventListener("keyup", (event) => {
    if (event.key === " ") letGo();
  });
  window.addEventListener("blur", letGo);
  // After a click with the mouse the space bar draws again.
  document.addEventListener("click", (event) => {
    const button =
      event.target instanceof Element ? event.target.closest("button, input[type=range], input[type=checkbox]") : null;
    if (button && event.detail > 0 && !button.closest("dialog")) button.blur();
  });
  byId("toggle-theme").addEventListener("click", toggleTheme);
  byId("toggle-full").addEventListener("click", toggleFull);
  byId("ask").addEventListener("click", toggleQuestion);
  byId("blank").addEventListener("click", toggleBlank);
}
