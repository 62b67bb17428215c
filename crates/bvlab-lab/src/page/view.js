// What of a run is looked at: which learner, which setting of it, which test point.
import { short } from "./numbers.js";
import { extent } from "./scales.js";
import { state, store } from "./state.js";

// The learner that is looked at.
export function learnerOf(run) {
  return Math.min(state.learner, run.head.learners.length - 1);
}

function nearest(values, wanted) {
  let best = 0;
  for (let i = 1; i < values.length; i++) {
    if (Math.abs(values[i] - wanted) < Math.abs(values[best] - wanted)) best = i;
  }
  return best;
}

function lowest(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) {
    if (values[i] < values[best] || Number.isNaN(values[best])) best = i;
  }
  return best;
}

// The setting to look at first: the best one; before there are estimates, that of the first fits.
function firstSetting(run, learner) {
  if (run.newest) return run.bestsAt(run.newest)[learner].setting;
  return run.ready > 0 ? lowest(run.draws[0].risk[learner]) : 0;
}

// The best setting along the first axis, as the server decided it.
export function bestAlong(run, learner, frame) {
  const best = run.bestsAt(frame)[learner];
  return best.along[placesOf(run, learner)[1]] ?? best;
}

// The place on every axis of a learner that is looked at.
export function placesOf(run, learner) {
  const { axes } = run.head.learners[learner];
  const wanted = state.at[learner];
  if (wanted && wanted.length === axes.length) return axes.map((axis, i) => nearest(axis.values, wanted[i]));
  const best = firstSetting(run, learner);
  const first = axes.length > 0 ? axes[0].values.length : 1;
  return axes.map((_, i) => (i === 0 ? best % first : Math.floor(best / first)));
}

// The same as one number.
export function settingOf(run, learner) {
  const { axes } = run.head.learners[learner];
  const places = placesOf(run, learner);
  if (places.length === 0) return 0;
  return places[0] + (places.length > 1 ? places[1] * axes[0].values.length : 0);
}

// The settings along the first axis, the second staying where it is.
export function sliceOf(run, learner) {
  const { axes, settings } = run.head.learners[learner];
  if (axes.length === 0) return Array.from({ length: settings }, (_, i) => i);
  const first = axes[0].values.length;
  const offset = axes.length > 1 ? placesOf(run, learner)[1] * first : 0;
  return Array.from({ length: first }, (_, i) => i + offset);
}

// Moves along an axis; from now on the place is kept.
export function moveTo(run, learner, axis, place) {
  const { axes } = run.head.learners[learner];
  if (!axes[axis]) return;
  const places = placesOf(run, learner);
  places[axis] = Math.min(axes[axis].values.length - 1, Math.max(0, place));
  const values = places.map((one, i) => axes[i].values[one]);
  store.act("move", { learner, at: { ...state.at, [learner]: values } });
}

// `depth = 5`, or nothing where nothing is swept.
export function settingWords(run, learner) {
  const { axes } = run.head.learners[learner];
  return placesOf(run, learner)
    .map((place, i) => `${axes[i].name} = ${short(axes[i].values[place])}`)
    .join(", ");
}

// Whose fits stand side by side: learners, or places on the first axis of the one that is looked at.
export function panelsBeside(run) {
  if (state.scene !== 2 || state.beside === null || (!hasCurve(run.head) && !run.head.plane)) return [];
  if (state.beside === "learners") return run.head.learners.map((_, learner) => ({ learner, place: null })).slice(0, 4);
  const learner = learnerOf(run);
  const { axes } = run.head.learners[learner];
  if (axes.length === 0) return [];
  return state.beside.map((value) => ({ learner, place: nearest(axes[0].values, value) }));
}

// Whether fits are curves along one input.
export const hasCurve = ({ dimension, rows }) => dimension === 1 && !rows;

// How many test points can be looked at.
const countOf = ({ plane, rows, test }) => plane?.count ?? rows?.marked?.length ?? test.truth.length;

// The test points in the order of x.
export function orderOf(run) {
  if (!run.order) {
    const { x } = run.head.test;
    run.order = Array.from({ length: countOf(run.head) }, (_, i) => i);
    if (hasCurve(run.head)) run.order.sort((a, b) => x[a] - x[b]);
    // In the plane row by row.
    if (run.head.plane) run.order.sort((a, b) => x[2 * a + 1] - x[2 * b + 1] || x[2 * a] - x[2 * b]);
  }
  return run.order;
}

// The test point nearest to an x; in several dimensions the one of that number.
export function testPointAt(run, wanted) {
  if (!hasCurve(run.head)) return Math.min(countOf(run.head) - 1, Math.max(0, Math.round(wanted)));
  return nearest(run.head.test.x, wanted);
}

// The test point that is looked at, and the second one of the dartboard.
export function pointOf(run) {
  return testPointAt(run, state.x ?? suggestedPoint(run, 0));
}

export function secondPointOf(run) {
  return testPointAt(run, state.x2 ?? suggestedPoint(run, 1));
}

// Where a dartboard of the lesson looks; else at a third and at two thirds.
function suggestedPoint(run, which) {
  const board = (run.head.experiment.figure ?? []).find((figure) => figure.dartboard?.at);
  if (board) return board.dartboard.at[which];
  if (run.head.plane) return unsurePoint(run.head);
  if (run.head.rows) return middleRow(run.head.rows);
  const share = which === 0 ? 0.3 : 0.7;
  const [from, to] = run.head.range;
  return hasCurve(run.head) ? from + share * (to - from) : which === 0 ? 0 : 1;
}

// A row that is held out near the middle of the columns that are drawn first.
function middleRow({ columns, first, drawn, held, marked }) {
  const scaled = first.map((column) => {
    const { values } = columns[column];
    const [low, high] = extent(values);
    return (row) => (values[drawn + row] - (low + high) / 2) / (high - low || 1);
  });
  const away = (row) => scaled.reduce((sum, one) => sum + one(row) ** 2, 0);
  const all = marked ?? Array.from({ length: held }, (_, row) => row);
  return all.reduce((best, row, i) => (away(row) < away(all[best]) ? i : best), 0);
}

// A point near the middle of the plane where the classes are hard to tell apart.
function unsurePoint({ classes, plane, test }) {
  const [across, up] = plane.inSight;
  const away = (i) =>
    Math.hypot((test.x[2 * i] - (across[0] + across[1]) / 2) / (across[1] - across[0]), (test.x[2 * i + 1] - (up[0] + up[1]) / 2) / (up[1] - up[0]));
  const sure = (i) => Math.max(...test.truth.subarray(i * classes, (i + 1) * classes));
  let best = 0;
  for (let i = 1; i < plane.count; i++) if (sure(i) + away(i) < sure(best) + away(best)) best = i;
  return best;
}

// What the lesson's own trade-off figure says about axes and marks, wherever it is nested.
export function tradeoffOptions(run) {
  const search = (figures) => {
    for (const figure of figures) {
      if (figure.tradeoff) return figure.tradeoff;
      const inner = search(figure.stack ?? figure.beside ?? []);
      if (inner) return inner;
    }
    return null;
  };
  return search(Array.isArray(run.head.experiment.figure) ? run.head.experiment.figure : []) ?? {};
}
