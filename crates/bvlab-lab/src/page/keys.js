// Keys for everything, and the help that lists them.
import { app, byId, element } from "./app.js";
import { dialogHead, openPanel, togglePanel } from "./dialogs.js";
import { allTerms } from "./glossary.js";
import { toggleLead } from "./follow.js";
import { toggleHands } from "./hands.js";
import { goToScene, switchLearner, toggleBoard, toggleOverlay } from "./knobs.js";
import { closeMenus } from "./menus.js";
import { nextStep, presentLesson, previousStep, toggleAnswer, toggleLook, toggleQuestion } from "./lessons.js";
import { changeSpeed, drawAll, drawNone, drawOne, hold, letGo, pause, togglePlay, undoOne } from "./player.js";
import { movePoint } from "./stage.js";
import { state, store } from "./state.js";
import { learnerOf, moveTo, placesOf } from "./view.js";

export function toggleTheme() {
  state.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
}

export function toggleFull() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => {});
}

function changeSize(by) {
  const wanted = by === 0 ? 1 : state.size + by;
  state.size = Math.round(Math.min(2, Math.max(0.6, wanted)) * 10) / 10;
}

function move(axis, by) {
  const { run } = app;
  if (!run?.head || run.head.pictured) return;
  const learner = learnerOf(run);
  const places = placesOf(run, learner);
  if (axis < places.length) moveTo(run, learner, axis, places[axis] + by);
}

function toggleBlank() {
  byId("blank").hidden = !byId("blank").hidden;
}

function toggleTheory() {
  state.theory = !state.theory;
}

const whileOnline = (act) => () => {
  if (!app.record) act();
};

const whileLecturing = (act) => () => {
  if (app.lab?.lecturer) act();
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
      [["1 – 7"], "scenes: Lab, Fits, Trade-off, One point, Double descent (where there is one), Figure, Side by side (several learners)", null],
      [["←", "→"], "move the marker along the sweep", null],
      [["↑", "↓"], "the second parameter of a two-way sweep", null],
      [[",", "."], "move the test point (Shift + arrow keys too)", null],
      [["l"], "next learner", () => switchLearner(state.learner + 1)],
      [["o"], "overlay the learners (scene 3)", toggleOverlay],
      [["v"], "dartboard", toggleBoard],
      [["g"], "move, add and remove training points, and see the fit follow", whileOnline(toggleHands)],
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
      [["k"], "the presenter’s window: notes, clock, answer", whileLecturing(presentLesson)],
      [["s"], "let the class follow this page", whileLecturing(toggleLead)],
      [["j"], "the address for the class", whileOnline(() => app.lab?.address && togglePanel("join"))],
    ],
  ],
  [
    "Page",
    [
      [["c"], "controls: problem, learners, seed", whileOnline(() => togglePanel("controls"))],
      [["Ctrl + Z", "Ctrl + Shift + Z"], "undo, redo", null],
      [["x"], "the experiment as TOML, with what you have changed", () => togglePanel("source")],
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
  if (/^[1-7]$/.test(key)) return () => goToScene(Number(key));
  for (const [, entries] of KEYS) {
    for (const [names, , act] of entries) if (act && names.includes(key)) return act;
  }
  return null;
}

// Whether keys that are single characters do anything, as this browser remembers it.
const characterKeys = {
  name: "bvlab.character-keys",
  on: true,
  read() {
    try {
      this.on = localStorage.getItem(this.name) !== "off";
    } catch {
      // A page from a file may not be allowed to remember anything.
    }
  },
  write(on) {
    this.on = on;
    try {
      localStorage.setItem(this.name, on ? "on" : "off");
    } catch {
      // It holds until the page is closed.
    }
  },
};

// Ctrl + Z, Ctrl + Shift + Z and Ctrl + Y, but not where text is written, which has its own.
function travel(event) {
  const key = event.key.toLowerCase();
  if (event.altKey || !(event.ctrlKey || event.metaKey) || (key !== "z" && key !== "y")) return;
  event.preventDefault();
  if (key === "y" || event.shiftKey) store.redo();
  else store.undo();
}

function onKeyDown(event) {
  if (event.defaultPrevented) return;
  const { target } = event;
  const writing =
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !["range", "checkbox", "radio"].includes(target.type));
  if (event.ctrlKey || event.metaKey || event.altKey) {
    if (!writing) travel(event);
    return;
  }
  const inDialog = target instanceof Element && target.closest("dialog") !== null;
  if (event.key === "Escape") {
    if (!byId("blank").hidden) byId("blank").hidden = true;
    else if (closeMenus()) return;
    else if (state.panel === "controls" || state.panel === "source") openPanel("");
    else if (state.step === "question") toggleQuestion();
    return;
  }
  if (!byId("blank").hidden && event.key.toLowerCase() !== "b") byId("blank").hidden = true;
  if (!characterKeys.on && event.key.length === 1 && event.key !== " ") return;
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

// The buttons of undo and redo can be seen once there is something to undo.
export function showTravel() {
  byId("undo").disabled = !store.canUndo;
  byId("redo").disabled = !store.canRedo;
  byId("undo").parentElement.classList.toggle("unused", !store.canUndo && !store.canRedo);
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
    allTerms(),
    element(
      "p",
      {},
      element(
        "label",
        {},
        element("input", {
          id: "character-keys",
          type: "checkbox",
          checked: characterKeys.on,
          onchange: (event) => characterKeys.write(event.target.checked),
        }),
        " single letters, digits and signs are shortcuts (switch them off if you speak to your computer)",
      ),
    ),
    element("div", { class: "columns" }, ...sections),
    element("p", {}, `bvlab ${app.lab.version}`),
  );
}

export function setUpKeys() {
  characterKeys.read();
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
  byId("open-presenter").addEventListener("click", whileLecturing(presentLesson));
  byId("ask").addEventListener("click", toggleQuestion);
  byId("blank").addEventListener("click", toggleBlank);
  byId("undo").addEventListener("click", () => store.undo());
  byId("redo").addEventListener("click", () => store.redo());
}
