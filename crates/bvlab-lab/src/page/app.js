// What the parts of the page share, and how they ask each other: whoever changes something says
// so here, and main.js has said who listens.
import { Store, equal } from "./store.js";
import { isSaid, say } from "./strings.js";

// What has come from the server or the workers, and what goes on. What is shown of it is in state.js.
export const shared = new Store({
  lab: null, // what there is
  record: null, // of a page that has nothing else
  figures: null, // that were recorded, for the scene that they are of
  incapable: null, // why it cannot compute, if so
  run: null, // the run that is shown
  ghost: null, // the run before it, of the same lesson
  opening: null, // the words of the lesson as it opens, with their numbers: { lesson, toml, words }
  playing: false,
  vote: null, // the vote of the class, as the server says it; null without a class
  voteTrouble: null, // why an answer was not taken
  leading: false, // of the lecturer: whether the class is shown this page
  view: null, // of a student: what the lecturer's page shows, where that may be followed,
  following: true, // and whether it is
  own: {}, // of whoever is alone: the answers by lesson,
  marked: {}, // and whether they were right
  problem: null, // what went wrong with the last request: { message, help, passing }
  listeners: { redraw: () => {}, reload: () => {}, remember: () => {} },
});

export const app = shared.state;

// Something that is shown has changed.
export function redraw() {
  app.listeners.redraw();
  app.listeners.remember(false);
}

// The scene itself has changed: it must be run.
export function reload() {
  app.listeners.reload();
  app.listeners.remember(false);
}

// Another lesson: a step that the browser's Back takes back.
export function turnPage() {
  app.listeners.remember(true);
}

// An HTML element with its attributes, its listeners (on…) and what is in it.
export function element(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden") made[name] = value;
    else if (value !== null) made.setAttribute(name, isSaid(name) ? say(value) : value);
  }
  made.append(...inside.filter((one) => one !== null).map((one) => (typeof one === "string" ? say(one) : one)));
  return made;
}

const filledFrom = new WeakMap();

// Whether an element was filled from something else than this; from now on it is from this.
export function isStale(holder, from) {
  if (filledFrom.has(holder) && equal(filledFrom.get(holder), from)) return false;
  filledFrom.set(holder, from);
  return true;
}

// Fills an element anew only if what it is made from has changed.
export function refill(holder, from, make) {
  if (!isStale(holder, from)) return false;
  holder.replaceChildren(...make());
  return true;
}

export function byId(id) {
  return document.getElementById(id);
}
