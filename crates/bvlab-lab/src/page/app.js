// What the parts of the page share, and how they ask each other: whoever changes something says
// so here, and main.js has said who listens.

export const app = {
  lab: null, // what there is
  record: null, // of a page that has nothing else
  figures: null, // that were recorded, for the scene that they are of
  incapable: null, // why it cannot compute, if so
  run: null, // the run that is shown
  opening: null, // the words of the lesson as it opens, with their numbers: { lesson, toml, words }
  playing: false,
  problem: null, // what went wrong with the last request: { message, help, passing }
  listeners: { redraw: () => {}, reload: () => {}, remember: () => {} },
};

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
    else if (value !== null) made.setAttribute(name, value);
  }
  made.append(...inside.filter((one) => one !== null));
  return made;
}

export function byId(id) {
  return document.getElementById(id);
}
