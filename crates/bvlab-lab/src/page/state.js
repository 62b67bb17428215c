// @ts-check
// What is shown now. All of it is in the address bar, so that a link restores the exact scene.
import { Store } from "./store.js";

export const SCENES = ["Lab", "Fits", "Trade-off", "One point", "Double descent", "Figure", "Side by side"];

// Which scenes a run has: the one of double descent where a sweep goes through p = n, learners side by side
// where there are several, and of what is only pictured the figures.
export function hasScene(run, scene) {
  if (!run?.head) return true;
  if (run.head.pictured) return scene === 6;
  if (scene === 7) return run.head.learners.length > 1 && !run.head.classes;
  return scene !== 5 || run.head.threshold !== null;
}

// How many training sets a second are drawn in play.
export const SPEEDS = [1, 2, 4, 8, 16, 32];

/**
 * @typedef {{
 *   lesson: string | null, toml: string | null, sets: string[], scene: number, learner: number,
 *   at: Record<string, number[]>, x: number | null, x2: number | null, drawn: number | null, columns: number[] | string | null, speed: number,
 *   theory: boolean, board: boolean, overlay: boolean, step: string, look: boolean, panel: string,
 *   theme: string, size: number, hide: string[], beside: number[] | string | null, course: string,
 *   allControls: boolean,
 * }} View
 */

/** @type {View} */
const BEGINNING = {
  lesson: null, // the name of the lesson,
  toml: null, // or the text of an experiment
  sets: [], // keys set on top of it
  scene: 1,
  learner: 0,
  at: {}, // by learner: the values of its swept numbers
  x: null, // the test point that is looked at (in several dimensions its number),
  x2: null, // and the second one of the dartboard
  columns: null, // of a table: the two that are drawn, or "against", predictions against labels
  drawn: null, // how many training sets are drawn; null: all
  speed: 4,
  theory: true,
  board: false,
  overlay: false,
  hide: [], // what is hidden until the class has answered
  beside: null, // whose fits stand side by side: values of what is swept, or "learners"
  course: "", // the course that is followed; "": the first
  allControls: false, // also those that the lesson does not offer
  step: "", // of the lesson: "" just opened, "question", "picture", "answer"
  look: false, // whether it says what to look for
  panel: "", // which panel is open
  theme: "", // "": as the system
  size: 1,
};

// What undo takes back: the experiment, and what of it is looked at.
const UNDOABLE = ["lesson", "toml", "sets", "scene", "learner", "at", "x", "x2", "board", "overlay", "theory", "hide", "beside", "columns"];

// What pages have in common that follow another.
export const FOLLOWED = [...UNDOABLE, "drawn", "step"];

export const store = new Store(BEGINNING, UNDOABLE);

/** @type {View} */
export const state = store.state;

// How the lesson begins, where it says so: opening.js knows.
/** @type {{ of: () => Partial<View> }} */
export const basis = { of: () => ({}) };

// What is written of a list, and read.
const listed = (/** @type {string | any[] | null} */ value) => (value === null || value.length === 0 ? "none" : typeof value === "string" ? value : value.join());

function flag(value, fallback) {
  return value === null ? fallback : value === "on";
}

function finite(text) {
  const value = Number(text);
  return text !== null && text !== "" && Number.isFinite(value) ? value : null;
}

/**
 * The state that an address stands for.
 * @param {string} hash
 * @returns {View}
 */
export function readAddress(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const read = { ...BEGINNING, at: {} };
  read.lesson = query.get("lesson");
  read.toml = query.get("toml");
  if (read.toml !== null) read.lesson = null;
  read.sets = query.getAll("set");
  const scene = finite(query.get("scene")) ?? 0;
  if (scene >= 1 && scene <= SCENES.length) read.scene = Math.round(scene);
  read.learner = Math.max(0, Math.round(finite(query.get("learner")) ?? 0));
  for (const [key, value] of query) {
    const match = /^at([0-9]*)$/.exec(key);
    if (match) read.at[Number(match[1] || 0)] = value.split(",").map(Number);
  }
  read.x = finite(query.get("x"));
  read.x2 = finite(query.get("x2"));
  const drawn = finite(query.get("drawn"));
  read.drawn = drawn === null ? null : Math.max(0, Math.round(drawn));
  const speed = finite(query.get("speed")) ?? 0;
  if (SPEEDS.includes(speed)) read.speed = speed;
  read.theory = flag(query.get("theory"), true);
  read.board = flag(query.get("board"), false);
  read.overlay = flag(query.get("overlay"), false);
  const hidden = query.get("hide") ?? "none";
  read.hide = hidden === "none" ? [] : hidden.split(",");
  const side = query.get("beside") ?? "none";
  if (side === "learners") read.beside = side;
  else if (side !== "none") read.beside = side.split(",").map(Number).filter(Number.isFinite).slice(0, 4);
  const columns = query.get("columns");
  const places = (columns ?? "").split(",").map(Number);
  if (columns === "against") read.columns = columns;
  else if (columns !== null && places.length === 2 && places.every(Number.isInteger)) read.columns = places;
  read.course = query.get("course") ?? "";
  // What is none of the words is as if nothing were said.
  const among = (/** @type {string} */ key, /** @type {string[]} */ words) => words.find((word) => word === query.get(key)) ?? "";
  read.step = among("step", ["question", "picture", "answer"]);
  read.look = flag(query.get("look"), false);
  read.panel = among("panel", ["controls", "source", "lessons", "help", "export", "join", "numbers"]);
  read.theme = among("theme", ["light", "dark"]);
  const size = finite(query.get("size"));
  if (size !== null) read.size = Math.min(2, Math.max(0.6, size));
  return read;
}

// The address of the state.
export function writeAddress() {
  const query = new URLSearchParams();
  const base = { ...BEGINNING, ...basis.of() };
  if (state.toml !== null) query.set("toml", state.toml);
  else if (state.lesson !== null) query.set("lesson", state.lesson);
  for (const one of state.sets) query.append("set", one);
  if (state.scene !== base.scene) query.set("scene", String(state.scene));
  if (state.learner !== base.learner) query.set("learner", String(state.learner));
  for (const [learner, values] of Object.entries(state.at)) {
    if (values.join() === base.at[learner]?.join()) continue;
    query.set(learner === "0" ? "at" : `at${learner}`, values.join(","));
  }
  for (const key of ["x", "x2"]) if (state[key] !== base[key] && state[key] !== null) query.set(key, String(state[key]));
  if (state.drawn !== base.drawn) query.set("drawn", state.drawn === null ? "all" : String(state.drawn));
  for (const key of ["hide", "beside"])
    if (listed(state[key]) !== listed(base[key])) query.set(key, listed(state[key]));
  if (state.columns !== null) query.set("columns", String(state.columns));
  if (state.course !== "") query.set("course", state.course);
  if (state.board !== base.board) query.set("board", state.board ? "on" : "off");
  if (state.speed !== BEGINNING.speed) query.set("speed", String(state.speed));
  if (!state.theory) query.set("theory", "off");
  for (const key of ["overlay", "look"]) if (state[key]) query.set(key, "on");
  for (const key of ["step", "panel", "theme"]) if (state[key] !== "") query.set(key, state[key]);
  if (state.size !== 1) query.set("size", String(state.size));
  return `#${query}`;
}

// The scene as the server is asked for it.
export function sceneAsked() {
  const scene = state.toml === null ? { lesson: state.lesson } : { toml: state.toml };
  return { ...scene, set: [...state.sets] };
}

function keyOf(set) {
  return set.slice(0, set.indexOf("=")).trim();
}

// The sets without a key: what was said of it, or of a part of it.
function without(sets, key) {
  return sets.filter((set) => keyOf(set) !== key && !keyOf(set).startsWith(`${key}.`));
}

// The sets with keys set to other values; null takes a key back to what the lesson says.
export function withKeys(sets, pairs) {
  return pairs.reduce((all, [key, value]) => [...without(all, key), ...(value === null ? [] : [`${key}=${value}`])], sets);
}

// Sets a key: what was said of it, or of a part of it, holds no longer.
export function putSet(key, value) {
  store.act(`set ${key}`, { sets: withKeys(state.sets, [[key, value]]) });
}

// Goes to another lesson: what belongs to the old one is forgotten, how it is shown is kept.
export function enterLesson(name, toml = null) {
  store.act("open", {
    lesson: name,
    toml,
    sets: [],
    learner: 0,
    at: {},
    x: null,
    x2: null,
    drawn: null,
    board: false,
    overlay: false,
    hide: [],
    beside: null,
    columns: null,
    allControls: false,
    step: "",
    look: false,
  });
}
