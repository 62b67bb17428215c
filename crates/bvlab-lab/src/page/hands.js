// Hands on the data: the points of the newest training set are moved, added and removed, and the fits
// follow. The fits come from where runs come from; everything else of the run stays as it is.
import { jumpsOf, neighboursOf, newSplits } from "./anatomy.js";
import { app, byId, element, redraw, refill } from "./app.js";
import { cornersOf, heightsOf } from "./fits.js";
import { drawKey } from "./headings.js";
import { leavingOut, nearestPoint, within } from "./nearest.js";
import { short, several } from "./numbers.js";
import { drawAxes, numbersRoom } from "./panel.js";
import { pathThrough } from "./pen.js";
import { pause } from "./player.js";
import { parseMessage } from "./protocol.js";
import { Axis } from "./scales.js";
import { state } from "./state.js";
import { hasCurve, learnerOf, orderOf, placesOf, pointOf, settingOf, settingWords } from "./view.js";
import { askExport } from "./wire.js";

// How many points there may be.
const MOST = 500;
// How near a point a finger or pointer must be to take it, in em.
const NEAR = 1.3;

/**
 * The points, the fits to them, and what is under way.
 * @typedef {{
 *   x: number[], y: number[], chosen: number, resample: number, run: any,
 *   draw: import("./protocol.js").Draw | null, problem: string, busy: boolean, again: boolean,
 * }} Hands
 */

/** @type {{ now: Hands | null, axes: { x: Axis, y: Axis, near: number, box: any } | null, held: boolean }} */
const hands = { now: null, axes: null, held: false };

// Whether this run has a training set that can be changed.
function canBegin(run) {
  return Boolean(run?.head && !run.head.pictured && hasCurve(run.head) && run.ready > 0);
}

// The points of a training set, as they were drawn.
function pointsOfDraw(run, resample) {
  const learner = learnerOf(run);
  const { x, y } = run.draws[resample].data[run.head.learners[learner].problem[settingOf(run, learner)] ?? 0];
  // Numbers for drawing have seven digits.
  const plain = (/** @type {ArrayLike<number>} */ values) => Array.from(values, (value) => Number(value.toPrecision(7)));
  return { x: plain(x), y: plain(y), resample, chosen: 0 };
}

function beginHands(run) {
  pause();
  const newest = Math.max(0, run.shown(state.drawn) - 1);
  hands.now = { ...pointsOfDraw(run, newest), run, draw: null, problem: "", busy: false, again: false };
  // The fits have to be in sight.
  if (![1, 2, 5].includes(state.scene)) state.scene = 1;
  askRefit();
}

export function handsAreOn() {
  return hands.now !== null;
}

export function toggleHands() {
  if (hands.now) hands.now = null;
  else if (canBegin(app.run)) beginHands(app.run);
  else if (app.run?.head)
    app.problem = { message: "Points can be moved in lessons with fits along one input, once a training set is drawn.", help: null, passing: false };
  redraw();
}

// The fits to the points as they are; one request at a time.
async function askRefit() {
  const { now } = hands;
  if (!now) return;
  const { run } = now;
  if (now.busy) {
    now.again = true;
    return;
  }
  now.busy = true;
  const data = { resample: now.resample, x: [...now.x], y: [...now.y] };
  try {
    const file = await askExport({ ...run.scene, what: "refit", data });
    const draw = parseMessage(await file.text());
    // Of another run it would have other learners and points; keepUp has asked again.
    if (now.run === run) Object.assign(now, { draw, problem: "" });
  } catch (error) {
    // The fits before it stay, and the next change asks again.
    if (now.run === run) now.problem = error instanceof Error ? error.message : String(error);
  }
  now.busy = false;
  if (hands.now !== now) return;
  if (now.again) {
    now.again = false;
    askRefit();
  }
  redraw();
}

// The points stay where they are when a control changes the run of the same lesson.
function keepUp(run) {
  const { now } = hands;
  if (!now || now.run === run || !run?.head) return;
  const same = run.scene.lesson === now.run.scene.lesson && run.scene.toml === now.run.scene.toml;
  if (!same || run.head.pictured || !hasCurve(run.head)) hands.now = null;
  else {
    now.run = run;
    now.draw = null;
    askRefit();
  }
}

function movePointTo(x, y) {
  const { now } = hands;
  if (!now || !hands.axes || now.chosen < 0) return;
  if (Number.isFinite(x)) now.x[now.chosen] = within(x, now.run.head.range);
  if (Number.isFinite(y)) now.y[now.chosen] = within(y, [hands.axes.y.from, hands.axes.y.to]);
  askRefit();
  redraw();
}

function addPoint(x, y) {
  const { now } = hands;
  if (!now || now.x.length >= MOST) return;
  now.x.push(x);
  now.y.push(y);
  now.chosen = now.x.length - 1;
  movePointTo(x, y);
}

function removePoint() {
  const { now } = hands;
  if (!now || now.x.length <= 1 || now.chosen < 0) return;
  now.x = leavingOut(now.x, now.chosen);
  now.y = leavingOut(now.y, now.chosen);
  now.chosen = Math.min(now.chosen, now.x.length - 1);
  askRefit();
  redraw();
}

function asDrawn() {
  const { now } = hands;
  if (!now?.run.draws[now.resample]) return;
  Object.assign(now, pointsOfDraw(now.run, now.resample));
  askRefit();
  redraw();
}

// Training error and risk of the fit, where it is there.
function errorsOf(now, run) {
  const learner = learnerOf(run);
  const setting = settingOf(run, learner);
  const { train, risk } = now.draw ?? {};
  if (!train || !risk) return "";
  return `training error ${short(train[learner][setting])}, risk ${short(risk[learner][setting])}`;
}

// The corners of the fit of a setting to the points.
function fitCorners(now, run, learner, setting) {
  const points = run.head.test.truth.length;
  const fit = now.draw.fits[learner].subarray(setting * points, (setting + 1) * points);
  const order = orderOf(run);
  const inputs = order.map((i) => run.head.test.x[i]);
  return cornersOf(inputs, order.map((i) => fit[i]), now.draw.data[0], now.draw.train[learner][setting]);
}

// Where a tree splits, and where the setting before it on the axis does not.
function splitsOf(now, run, learner) {
  const { family, axes } = run.head.learners[learner];
  if (family !== "tree" || !now.draw || axes.length !== 1) return null;
  const [place] = placesOf(run, learner);
  const jumps = (/** @type {number} */ setting) => jumpsOf(fitCorners(now, run, learner, setting));
  const all = jumps(place);
  return { all, fresh: place === 0 ? all : newSplits(all, jumps(place - 1)) };
}

// The neighbours whose mean label is the fit at the test point that is looked at.
function neighboursAt(now, run, learner) {
  const { family, axes } = run.head.learners[learner];
  if (family !== "knn") return null;
  const swept = axes.findIndex((axis) => axis.name === "k");
  const k = swept >= 0 ? axes[swept].values[placesOf(run, learner)[swept]] : run.head.experiment.learner[learner].knn.k;
  if (!(k >= 1)) return null;
  const at = run.head.test.x[pointOf(run)];
  const which = neighboursOf(now.x, at, k);
  return { at, which, mean: which.reduce((sum, i) => sum + now.y[i], 0) / which.length };
}

// How the fit is made, in words.
function anatomyWords(now, run) {
  const learner = learnerOf(run);
  const splits = splitsOf(now, run, learner);
  if (splits) return `splits: ${splits.all.length}, of which new at ${settingWords(run, learner)}: ${splits.fresh.length}`;
  const near = neighboursAt(now, run, learner);
  if (near) return `mean of the ${near.which.length} nearest labels at x = ${short(near.at)}: ${short(near.mean)}`;
  return "";
}

function drawAnatomy(pen, now, run, learner, x, y, box) {
  const splits = splitsOf(now, run, learner);
  for (const place of splits?.all ?? []) {
    const name = splits.fresh.includes(place) ? "mark fresh" : "mark";
    pen.line(name, x.place(place), box.top, x.place(place), box.bottom);
  }
  const near = neighboursAt(now, run, learner);
  if (!near) return;
  pen.line("mark", x.place(near.at), box.top, x.place(near.at), box.bottom);
  for (const i of near.which)
    pen.draw("line", { class: "leader", x1: x.place(now.x[i]), y1: y.place(now.y[i]), x2: x.place(near.at), y2: y.place(near.mean) });
  pen.draw("circle", { class: "handle", cx: x.place(near.at), cy: y.place(near.mean), r: 0.45 * pen.em });
}

// Draws the points and the fit to them in place of the refits.
export function drawHands(pen, outer, run) {
  const { now } = hands;
  if (!now) return;
  const { head } = run;
  const learner = learnerOf(run);
  const setting = settingOf(run, learner);
  const words = settingWords(run, learner);
  const name = head.learners[learner].name;
  const hidden = state.hide.includes("truth");
  const parts = [hidden ? null : ["ink-truth", "truth"], ["ink-variance", "fit"], ["ink-data", "● your points"]];
  const top = drawKey(
    pen,
    { ...outer, left: outer.left + 0.3 * pen.em, right: outer.right - pen.em },
    words === "" ? name : `${name}, ${words}`,
    parts,
    ["truth", "fit", "● your points"],
  );
  const box = { left: outer.left, right: outer.right - 0.8 * pen.em, top, bottom: outer.bottom - 2.9 * pen.em };
  const y = new Axis(false, heightsOf(run), [box.bottom, top + 0.3 * pen.em]);
  box.left += numbersRoom(pen, y);
  const x = new Axis(false, head.range, [box.left, box.right]);
  hands.axes = { x, y, near: NEAR * pen.em, box };
  drawAxes(pen, box, x, y, { x: "x" });
  const order = orderOf(run);
  const inputs = order.map((i) => head.test.x[i]);
  const through = (at, values) => pathThrough(Array.from(at, (one) => x.place(one)), Array.from(values, (one) => y.place(one)));
  pen.clip(box);
  if (!hidden) pen.draw("path", { class: "curve truth bold", d: through(inputs, order.map((i) => head.test.truth[i])) });
  drawAnatomy(pen, now, run, learner, x, y, box);
  if (now.draw) pen.draw("path", { class: "curve variance newest", d: through(...fitCorners(now, run, learner, setting)) });
  const dots = now.x.map((at, i) => `M${x.place(at).toFixed(1)} ${y.place(now.y[i]).toFixed(1)}h0`).join("");
  pen.draw("path", { class: "data", d: dots, "stroke-width": 0.6 * pen.em });
  pen.close();
  const { chosen } = now;
  if (chosen >= 0 && chosen < now.x.length)
    pen.draw("circle", { class: "ring", cx: x.place(now.x[chosen]), cy: y.place(now.y[chosen]), r: 0.6 * pen.em });
}

// The same in words.
export function handsWords(run) {
  const { now } = hands;
  if (!now) return "";
  const name = run.head.learners[learnerOf(run)].name;
  return `Your ${several(now.x.length, "point", "points")} and the fit of ${name} to them: ${said(now, run).join("; ")}.`;
}

// What is said of the fit.
const said = (now, run) => [errorsOf(now, run), anatomyWords(now, run)].filter((words) => words !== "");

function number(id, label, value, act) {
  return element(
    "label",
    {},
    `${label} `,
    element("input", {
      id,
      type: "number",
      step: "any",
      value: String(value),
      onchange: (event) => act(event.target.valueAsNumber),
    }),
  );
}

const button = (id, words, act, disabled = false) => element("button", { id, type: "button", disabled, onclick: act }, words);

// The strip of what can be done: every point can be reached without a pointer.
export function showHands() {
  keepUp(app.run);
  const { now } = hands;
  const strip = byId("hands");
  byId("open-hands").setAttribute("aria-pressed", String(now !== null));
  strip.hidden = now === null;
  if (!now) return;
  const count = now.x.length;
  const { chosen } = now;
  const focused = document.activeElement?.id;
  const filled = refill(strip, [chosen, count, now.x[chosen], now.y[chosen], now.problem, said(now, now.run)], () => [
    element("strong", {}, now.problem === "" ? "Drag points; press where there is none to add one." : now.problem),
    element("span", { class: "said" }, ...said(now, now.run).map((words) => element("span", {}, words))),
    number("hands-point", "point", chosen + 1, (value) => choosePoint(Math.round(value) - 1)),
    number("hands-x", "x", now.x[chosen], (value) => movePointTo(value, NaN)),
    number("hands-y", "y", now.y[chosen], (value) => movePointTo(NaN, value)),
    button("hands-add", "Add", () => addPoint((now.run.head.range[0] + now.run.head.range[1]) / 2, 0), count >= MOST),
    button("hands-remove", "Remove", removePoint, count <= 1),
    button("hands-drawn", "As drawn", asDrawn),
    button("hands-done", "Done", toggleHands),
  ]);
  if (filled && focused && !hands.held) strip.querySelector(`#${CSS.escape(focused)}`)?.focus();
}

function choosePoint(at) {
  const { now } = hands;
  if (!now || !(at >= 0)) return;
  now.chosen = Math.min(now.x.length - 1, at);
  redraw();
}

// What the pointer does on the picture of the fits.
export function setUpHands(svg) {
  byId("open-hands").addEventListener("click", toggleHands);
  const placeOf = (event) => {
    const box = svg.getBoundingClientRect();
    return /** @type {[number, number]} */ ([event.clientX - box.left, event.clientY - box.top]);
  };
  svg.addEventListener("pointerdown", (event) => {
    const { now, axes } = hands;
    if (!now || !axes || event.button !== 0) return;
    event.preventDefault();
    const place = placeOf(event);
    const { box } = axes;
    const found = nearestPoint(now.x.map((at) => axes.x.place(at)), now.y.map((at) => axes.y.place(at)), place, axes.near);
    const inside = place[0] >= box.left && place[0] <= box.right && place[1] >= box.top && place[1] <= box.bottom;
    if (found < 0 && !inside) return;
    hands.held = true;
    svg.setPointerCapture(event.pointerId);
    if (found < 0) addPoint(axes.x.value(place[0]), axes.y.value(place[1]));
    else choosePoint(found);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!hands.held || !hands.axes) return;
    const [x, y] = placeOf(event);
    movePointTo(hands.axes.x.value(x), hands.axes.y.value(y));
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"])
    svg.addEventListener(name, () => {
      hands.held = false;
    });
  document.addEventListener("keydown", (event) => {
    if (!hands.now || !["Delete", "Escape"].includes(event.key) || event.target instanceof HTMLInputElement) return;
    if (event.key === "Delete") removePoint();
    else if (document.querySelector("dialog[open]") === null) toggleHands();
  });
}
