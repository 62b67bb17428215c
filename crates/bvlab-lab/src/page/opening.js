// How a lesson begins: its table [lab] as a part of the state. What the address says comes before it.
import { app, byId, element, redraw } from "./app.js";
import { lossNamed, togetherName } from "./losses.js";
import { basis, state, store } from "./state.js";
import { say } from "./strings.js";

// The scenes of the table by their numbers.
const SCENE_NUMBERS = { lab: 1, fits: 2, tradeoff: 3, point: 4, dartboard: 4, descent: 5, figure: 6, "side-by-side": 7 };

// The columns of the error that a word hides.
const HIDDEN_COLUMNS = {
  noise: ["noise"],
  bias: ["bias2"],
  variance: ["variance"],
  risk: ["risk", "test_risk", "risk_median"],
  training: ["train_risk"],
};

// The table of the lesson that is shown, if it has one.
export function openingTable() {
  if (state.toml !== null) return app.run?.scene.toml === state.toml ? (app.run.head?.opening ?? null) : null;
  return app.lab?.lessons.find((lesson) => lesson.name === state.lesson)?.opening ?? null;
}

// The part of the state that a table stands for.
export function openingState(table) {
  const begun = {};
  if (!table) return begun;
  if (table.scene) begun.scene = SCENE_NUMBERS[table.scene] ?? 1;
  if (table.scene === "dartboard") begun.board = true;
  if (table.sets !== null && table.sets !== undefined) begun.drawn = table.sets;
  if (table.learner) begun.learner = table.learner;
  if (table.at) begun.at = { [table.learner ?? 0]: table.at };
  if (table.x) [begun.x, begun.x2] = [table.x[0], table.x[1] ?? null];
  if (table.hide?.length > 0) begun.hide = table.hide;
  if (table.beside) begun.beside = table.beside;
  return begun;
}

// Makes the lesson begin as its table says, but for the keys that are named.
export function beginLesson(given = []) {
  const begun = Object.entries(openingState(openingTable())).filter(([key]) => !given.includes(key));
  store.follow("begin", Object.fromEntries(begun));
  if (state.step === "question" && !given.includes("hide")) hideGuessed();
}

// What would tell the best value, where it is to be guessed: the curves, and the marker that stands there.
const TELLING = ["risk", "bias", "variance", "noise", "training", "others"];

function hideGuessed() {
  const guess = state.toml === null ? app.lab?.lessons.find((one) => one.name === state.lesson)?.guess : null;
  if (!guess || state.sets.length > 0) return;
  state.hide = [...new Set([...state.hide, ...TELLING])];
  if (guess.axis === 0 && !(guess.learner in state.at)) state.at = { ...state.at, [guess.learner]: [Number(guess.values[0])] };
}

// The keys of the state that an address has.
export function keysGiven(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  return [...query.keys()].map((key) => (/^at[0-9]*$/.test(key) ? "at" : key));
}

basis.of = () => openingState(openingTable());

// What the question is asked about: the lesson as it begins.
export function askedAbout() {
  const { scene, drawn = null, hide = [], beside = null, board } = openingState(openingTable());
  Object.assign(state, { drawn, hide, beside });
  if (scene !== undefined) store.follow("question", { scene });
  if (board !== undefined) state.board = board;
  hideGuessed();
}

// Whether something is hidden.
export function isHidden(word) {
  return state.hide.includes(word);
}

// The columns of the error that are hidden.
export function hiddenColumns() {
  return state.hide.flatMap((word) => (Object.hasOwn(HIDDEN_COLUMNS, word) ? HIDDEN_COLUMNS[word] : []));
}

// Shows what was hidden.
export function revealHidden() {
  // The marker, which was away from the best value, goes back there.
  if (state.hide.length >= TELLING.length && !openingTable()?.at) state.at = {};
  if (state.hide.length > 0) state.hide = [];
}

// The variants that the lesson offers.
export function offeredVariants(variants) {
  const wanted = openingTable()?.variants ?? null;
  return wanted === null ? variants : variants.filter((variant) => wanted.includes(variant.name));
}

// The rows of the controls by the words of the table.
const CONTROL_ROWS = {
  truth: ["control-truth", "control-expression", "control-classes", "control-probability"],
  noise: ["control-noise", "control-noise-kind", "control-spread", "control-flip"],
  train: ["control-train", "control-held", "control-resample"],
  inputs: ["control-inputs", "control-from", "control-dimension", "control-fixed"],
  seed: ["control-seed"],
  resamples: ["control-resamples"],
  loss: ["control-loss", "control-split"],
  toml: ["control-toml"],
};

// Whether the lesson offers a row of the controls.
export function offersControl(row) {
  const wanted = openingTable()?.controls ?? null;
  if (wanted === null || state.allControls) return true;
  const word = Object.keys(CONTROL_ROWS).find((one) => CONTROL_ROWS[one].includes(row)) ?? "learners";
  return wanted.includes(word);
}

// Leaves in the panel of controls what the lesson offers, with a way to the others.
export function offerControls(holder) {
  const rows = [...holder.querySelectorAll("[data-row]")];
  for (const row of rows) row.classList.toggle("withheld", !offersControl(row.dataset.row));
  for (const heading of holder.querySelectorAll("h2")) {
    const own = [];
    for (let next = heading.nextElementSibling; next && next.nodeName !== "H2"; next = next.nextElementSibling)
      own.push(...[next, ...next.querySelectorAll("[data-row]")].filter((one) => one.dataset.row));
    heading.classList.toggle("withheld", own.length > 0 && own.every((one) => one.classList.contains("withheld")));
  }
  const some = rows.some((row) => row.classList.contains("withheld"));
  const there = byId("all-controls");
  if (!some) there?.remove();
  if (!some || there) return;
  const all = () => {
    state.allControls = true;
    redraw();
  };
  holder.append(element("button", { id: "all-controls", type: "button", onclick: all }, "All controls"));
}

const HIDDEN_WORDS = {
  truth: "the truth",
  fits: "the fits",
  mean: "the mean",
  noise: "the noise",
  bias: "bias²",
  variance: "the variance",
  risk: "the risk",
  training: "the training error",
  others: "the other learners",
};

function hiddenWords(word) {
  const head = app.run?.head;
  if (head?.plane && word === "mean") return `the ${togetherName(head)}`;
  return Object.hasOwn(HIDDEN_WORDS, word) ? lossNamed(head, HIDDEN_WORDS[word]) : undefined;
}

// The button that shows what is hidden.
export function showHidden() {
  const button = byId("show-hidden");
  const words = state.hide.map((word) => hiddenWords(word)).filter((word) => word !== undefined);
  button.hidden = words.length === 0 || !app.run?.head || Boolean(app.run.head.pictured) || state.scene === 6;
  button.onclick = () => {
    revealHidden();
    redraw();
  };
  button.dataset.words = state.hide.join();
  button.textContent = say(words.length > 2 ? "Show what is hidden" : `Show ${words.join(" and ")}`);
}
