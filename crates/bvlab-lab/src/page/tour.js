// The first visit: one training set, one sentence, one large button. Captions appear as things do.
import { app, byId, element, redraw } from "./app.js";
import { withTerms } from "./glossary.js";
import { readNote, writeNote } from "./notebook.js";
import { drawAll, play } from "./player.js";
import { state } from "./state.js";
import { say } from "./strings.js";

const SEEN = "bvlab-tour";

// From how many training sets on which caption is said, and how much of the page is there with it.
const CAPTIONS = [
  { from: 0, name: "one", words: "Noisy measurements of an unknown function, and a curve that was fitted to them. What if we had measured again?" },
  { from: 2, name: "again", words: "Each orange line is a fit to another training set. Only the measurements differ." },
  { from: 7, name: "spread", words: "The spread of orange is the variance: how much the fit depends on the training set." },
  { from: 15, name: "mean", words: "Blue is the mean of the fits. Its distance from the truth, in green, is the bias." },
  { from: 26, name: "sum", words: "Both are errors: noise + bias² + variance = risk." },
  { from: 40, name: "curves", words: "More capacity means less bias and more variance. The risk is lowest in between." },
];

const END = "Drag the marker, and see which part of the error changes.";

const tour = { on: false, ended: false, shown: "", begin: () => {} };

export function isTouring() {
  return tour.on;
}

// Whether this is a first visit, to the page and not to a scene of it. A frame of another page is none.
export function isFirstVisit(hash, search) {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const scene = [...query.keys()].some((key) => key !== "lecturer");
  return !scene && !new URLSearchParams(search).has("embed") && window.top === window && readNote(SEEN) === null;
}

// Begins it. `begin` opens the first lesson of the course.
export function startTour(begin) {
  // A lesson that begins in a way of its own speaks for itself.
  const lesson = app.lab.lessons.find((one) => one.name === state.lesson);
  if (app.record || !lesson || lesson.pictured || lesson.dimension !== 1 || lesson.opening?.scene) return;
  Object.assign(tour, { on: true, ended: false, begin });
  Object.assign(state, { drawn: 1, scene: 1, speed: 4 });
  redraw();
}

// Everything is there from now on; it is not shown again.
export function endTour() {
  if (!tour.on) return;
  tour.on = false;
  writeNote(SEEN, "seen");
  delete document.documentElement.dataset.tour;
  redraw();
}

function captionNow() {
  const { run } = app;
  const all = run?.complete(state.drawn) ?? false;
  const drawn = all ? Infinity : (state.drawn ?? 0);
  return CAPTIONS.filter((caption) => caption.from <= drawn).pop() ?? CAPTIONS[0];
}

function buttons(caption, done) {
  const skip = element("button", { id: "tour-skip", type: "button", onclick: leave }, done ? "Explore" : "Skip");
  if (done)
    return [
      element("button", { id: "tour-course", class: "first", type: "button", onclick: followCourse }, "Begin the course"),
      skip,
    ];
  if (app.playing) return [skip];
  const label = caption.name === "one" ? "▶ Play" : "▶ Go on";
  return [element("button", { id: "tour-play", class: "first", type: "button", onclick: play }, label), skip];
}

function leave() {
  endTour();
  drawAll();
}

function followCourse() {
  endTour();
  tour.begin();
}

// Makes the caption agree with what is drawn.
export function showTour() {
  const root = document.documentElement;
  const holder = byId("tour");
  // Whoever opens another lesson, a question or a panel has found the way.
  if (tour.on && (state.step !== "" || state.panel !== "" || state.sets.length > 0 || state.scene !== 1)) endTour();
  holder.hidden = !tour.on || !app.run?.head;
  if (holder.hidden) return;
  const caption = captionNow();
  const done = caption === CAPTIONS.at(-1) && !app.playing && app.run.complete(state.drawn);
  root.dataset.tour = caption.name;
  const key = `${caption.name}/${app.playing}/${done}`;
  if (tour.shown === key) return;
  const focused = holder.contains(document.activeElement);
  tour.shown = key;
  holder.replaceChildren(
    element("p", {}, ...withTerms(done ? `${say(caption.words)} ${say(END)}` : say(caption.words))),
    element("div", { class: "actions" }, ...buttons(caption, done)),
  );
  if (focused || caption.name === "one") holder.querySelector("button.first, #tour-skip")?.focus({ preventScroll: true });
}
