// What is shown now. All of it is in the address bar, so that a link restores the exact scene.

export const SCENES = ["Lab", "Fits", "Trade-off", "One point", "Double descent", "Figure"];

// How many training sets a second are drawn in play.
export const SPEEDS = [1, 2, 4, 8, 16, 32];

const BEGINNING = {
  lesson: null, // the name of the lesson,
  toml: null, // or the text of an experiment
  sets: [], // keys set on top of it
  scene: 1,
  learner: 0,
  at: {}, // by learner: the values of its swept numbers
  x: null, // the test point that is looked at (in several dimensions its number),
  x2: null, // and the second one of the dartboard
  drawn: null, // how many training sets are drawn; null: all
  speed: 4,
  theory: true,
  board: false,
  overlay: false,
  step: "", // of the lesson: "" just opened, "question", "picture", "answer"
  look: false, // whether it says what to look for
  panel: "", // which panel is open
  theme: "", // "": as the system
  size: 1,
};

export const state = { ...BEGINNING };

function flag(value, fallback) {
  return value === null ? fallback : value === "on";
}

function finite(text) {
  const value = Number(text);
  return text !== null && text !== "" && Number.isFinite(value) ? value : null;
}

// The state that an address stands for.
export function readAddress(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const read = { ...BEGINNING, at: {} };
  read.lesson = query.get("lesson");
  read.toml = query.get("toml");
  if (read.toml !== null) read.lesson = null;
  read.sets = query.getAll("set");
  const scene = finite(query.get("scene"));
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
  const speed = finite(query.get("speed"));
  if (SPEEDS.includes(speed)) read.speed = speed;
  read.theory = flag(query.get("theory"), true);
  read.board = flag(query.get("board"), false);
  read.overlay = flag(query.get("overlay"), false);
  if (["question", "picture", "answer"].includes(query.get("step"))) read.step = query.get("step");
  read.look = flag(query.get("look"), false);
  if (["controls", "lessons", "help", "export", "join", "numbers"].includes(query.get("panel")))
    read.panel = query.get("panel");
  if (["light", "dark"].includes(query.get("theme"))) read.theme = query.get("theme");
  const size = finite(query.get("size"));
  if (size !== null) read.size = Math.min(2, Math.max(0.6, size));
  return read;
}

// The address of the state.
export function writeAddress() {
  const query = new URLSearchParams();
  if (state.toml !== null) query.set("toml", state.toml);
  else if (state.lesson !== null) query.set("lesson", state.lesson);
  for (const one of state.sets) query.append("set", one);
  if (state.scene !== 1) query.set("scene", String(state.scene));
  if (state.learner !== 0) query.set("learner", String(state.learner));
  for (const [learner, values] of Object.entries(state.at)) {
    query.set(learner === "0" ? "at" : `at${learner}`, values.join(","));
  }
  for (const key of ["x", "x2", "drawn"]) if (state[key] !== null) query.set(key, String(state[key]));
  if (state.speed !== BEGINNING.speed) query.set("speed", String(state.speed));
  if (!state.theory) query.set("theory", "off");
  for (const key of ["board", "overlay", "look"]) if (state[key]) query.set(key, "on");
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

// Sets a key: what was said of it, or of a part of it, holds no longer.
export function putSet(key, value) {
  const others = state.sets.filter((set) => keyOf(set) !== key && !keyOf(set).startsWith(`${key}.`));
  state.sets = [...others, `${key}=${value}`];
}

// Takes a key back to what the lesson says.
export function dropSet(key) {
  state.sets = state.sets.filter((set) => keyOf(set) !== key && !keyOf(set).startsWith(`${key}.`));
}

// Goes to another lesson: what belongs to the old one is forgotten, how it is shown is kept.
export function enterLesson(name) {
  Object.assign(state, {
    lesson: name,
    toml: null,
    sets: [],
    learner: 0,
    at: {},
    x: null,
    x2: null,
    drawn: null,
    board: false,
    overlay: false,
    step: "",
    look: false,
  });
}
