// The stage: which pictures a scene has, drawn again whenever something has changed, and what the
// pointer does on them.
import { app, byId, redraw } from "./app.js";
import { guessesOnCurve } from "./ballot.js";
import { drawColumns, setUpColumns } from "./columns.js";
import { boardsHeight, dartboardWords, drawDartboards } from "./dartboard.js";
import { drawFits, fitsWords } from "./fits.js";
import { drawHands, handsAreOn, handsWords, setUpHands } from "./hands.js";
import { HIDDEN_SUM, drawIdentity, identityWords } from "./identity.js";
import { lossNamed } from "./losses.js";
import { drawNorm, normRoom, normWords } from "./norm.js";
import { hiddenColumns, isHidden } from "./opening.js";
import { Pen } from "./pen.js";
import { markedAt } from "./plane.js";
import { drawPoint, pointSummary } from "./point.js";
import { pointAt } from "./rows.js";
import { state, store } from "./state.js";
import { drawTradeoff, overlayWords, tradeoffWords } from "./tradeoff.js";
import { hasCurve, learnerOf, moveTo, orderOf, panelsBeside, placesOf, pointOf, secondPointOf } from "./view.js";

const ALL_PARTS = ["noise", "bias2", "variance", "risk", "train_risk", "test_risk", "risk_median"];
// In the double-descent scene the split is in the identity beside it.
const DESCENT_PARTS = ["noise", "risk", "train_risk", "risk_median"];

const stage = { pens: {}, measured: null, fits: null, beside: null, panels: [] };

function pen(name) {
  stage.pens[name] ??= new Pen(byId(`picture-${name}`).querySelector("svg"));
  return stage.pens[name];
}

const PICTURES = ["fits", "tradeoff", "point", "board", "norm", "identity"];

// Measures all pictures. Training sets that come in change no sizes: to measure then would make the browser lay
// out the page twice for every one of them. Returns the size of text, and whether it is fresh.
function measurePictures(run) {
  const { scene, size, learner, board, beside, hide } = state;
  const view = [scene, size, learner, board, beside, hide, document.documentElement.dataset.tour].join("/");
  const fresh = !app.playing || stage.measured?.run !== run || stage.measured.view !== view;
  if (fresh) {
    const em = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    for (const name of PICTURES) pen(name).measure(em);
    stage.measured = { run, view, em };
  }
  return { em: stage.measured.em, fresh };
}

// Draws a picture if it is in sight, and says in words what it shows.
function picture(name, draw, words) {
  const tool = pen(name);
  if (!tool.begin()) return;
  draw(tool, { left: 0, top: 0, right: tool.width, bottom: tool.height });
  tool.end();
  tool.describe(words, app.playing);
}

export function drawStage() {
  const { run } = app;
  const pictures = byId("pictures");
  pictures.dataset.scene = String(state.scene);
  if (!run?.head || run.head.pictured) return;
  // More than two boards need the room of the fits.
  if (state.board) pictures.dataset.board = run.head.learners.length > 2 || !hasCurve(run.head) ? "many" : "few";
  else delete pictures.dataset.board;
  pictures.toggleAttribute("data-rows", Boolean(run.head.rows));
  const learner = learnerOf(run);
  const { drawn } = state;
  layOutPanels(run, learner);
  const { em, fresh } = measurePictures(run);
  if (state.scene === 7) drawColumns(run, em, fresh);
  const pressed = hasCurve(run.head) || run.head.plane || run.head.rows;
  const points = state.scene !== 4 ? [] : state.board ? [pointOf(run), secondPointOf(run)] : [pointOf(run)];
  byId("picture-fits").toggleAttribute("data-clickable", Boolean(pressed));
  stage.fits = null;
  stage.beside = null;
  pictures.toggleAttribute("data-beside", panelsBeside(run).length > 0);
  stage.panels = [];
  picture(
    "fits",
    (tool, box) => {
      const panels = panelsBeside(run);
      if (handsAreOn()) drawHands(tool, box, run);
      else if (panels.length > 0) drawBeside(tool, box, run, panels);
      else stage.fits = drawFits(tool, box, run, learner, drawn, points, state.scene !== 5, { hidden: state.hide, ghost: app.ghost });
    },
    () => (handsAreOn() ? handsWords(run) : fitsAloud(run, learner)),
  );
  picture(
    "tradeoff",
    (tool, box) => drawPanels(tool, box, run, learner),
    () => tradeoffAloud(run, learner),
  );
  picture(
    "point",
    (tool, box) => drawPoint(tool, box, run, learner, drawn, points[0]),
    () => pointSummary(run, learner, drawn, points[0]),
  );
  picture(
    "board",
    (tool, box) => drawDartboards(tool, box, run, learner, drawn, points),
    () => dartboardWords(run, learner, drawn, points),
  );
  picture(
    "norm",
    (tool) => {
      const panel = stage.panels[0];
      if (panel) drawNorm(tool, run, learner, tool.width - panel.box.right, panel.box.left, panel.x);
    },
    () => normWords(run, learner),
  );
  picture(
    "identity",
    (tool, box) => drawIdentity(tool, box, run, learner, drawn, state.scene === 4, hiddenColumns().length > 0),
    () => (hiddenColumns().length > 0 ? lossNamed(run.head, HIDDEN_SUM) : identityWords(run, learner, drawn)),
  );
  sayAloud(run);
}

// Fits side by side, below each other on a phone.
function drawBeside(tool, box, run, panels) {
  const upright = tool.width < 40 * tool.em;
  byId("pictures").style.setProperty("--beside", `${17 * panels.length}rem`);
  stage.beside = panels.map(({ learner, place }, i) => {
    const part = partOf(box, i, panels.length, upright, tool.em);
    const chosen = learner === learnerOf(run) && (place === null || place === placesOf(run, learner)[0]);
    drawFits(tool, part, run, learner, state.drawn, [], true, { place, hidden: state.hide, chosen, panel: i });
    return { learner, place, part };
  });
}

function fitsAloud(run, learner) {
  const panels = panelsBeside(run);
  if (panels.length === 0) return fitsWords(run, learner, state.drawn, { hidden: state.hide });
  return panels
    .map((panel) => fitsWords(run, panel.learner, state.drawn, { place: panel.place, hidden: state.hide }))
    .join(" ");
}

// The part of a box for one of several panels of one size.
function partOf(box, i, count, upright, em) {
  const height = (box.bottom - box.top) / count;
  if (upright) return { ...box, top: box.top + i * height, bottom: box.top + (i + 1) * height - 0.5 * em };
  const gap = 0.8 * em;
  const width = (box.right - box.left - gap * (count - 1)) / count;
  const left = box.left + i * (width + gap);
  return { ...box, left, right: left + width };
}

// The learners whose trade-offs stand beside each other.
function panelsOf(run, learner) {
  const swept = run.head.learners.map((_, i) => i).filter((i) => run.head.learners[i].axes.length > 0);
  const several = state.scene === 3 && !state.overlay && swept.length > 1 && swept.length <= 3 && swept.includes(learner);
  return { swept, several, shown: several ? swept : [learner] };
}

// Whose axis an overlay of all learners has; null where there is none.
function overlayCarrier(run, learner) {
  const { swept } = panelsOf(run, learner);
  if (state.scene !== 3 || !state.overlay || swept.length < 2) return null;
  return swept.includes(learner) ? learner : swept[0];
}

function tradeoffAloud(run, learner) {
  if (hiddenColumns().length > 0) return `Trade-off of ${run.head.learners[learner].name}, partly hidden.`;
  const carrier = overlayCarrier(run, learner);
  return carrier === null ? tradeoffWords(run, learner, state.drawn) : overlayWords(run, carrier, state.drawn);
}

// How high pictures are that a phone shows one below the other.
function layOutPanels(run, learner) {
  const style = byId("pictures").style;
  style.setProperty("--panels", `${21 * panelsOf(run, learner).shown.length}rem`);
  style.setProperty("--boards", `${boardsHeight(run.head.learners.length)}rem`);
}

// Alone, or in the large scene side by side for all learners; below each other on a phone.
function drawPanels(tool, box, run, learner) {
  const { several, shown } = panelsOf(run, learner);
  const look = {
    scene: state.scene,
    theory: state.theory,
    parts: (state.scene === 5 ? DESCENT_PARTS : ALL_PARTS).filter((part) => !hiddenColumns().includes(part)),
    others: state.scene === 1 && !isHidden("others"),
    singles: !isHidden("risk"),
    overlay: false,
    ghost: app.ghost,
  };
  if (state.scene === 5) {
    // Where there are weights, the panel below has the numbers of both.
    const numbered = !run.solving?.[learner];
    const room = Math.max(normRoom(tool, run, learner, pen("norm").height), 0);
    stage.panels.push(
      drawTradeoff(tool, box, run, learner, state.drawn, { ...look, numbered, titled: false, room, singles: false }),
    );
    return;
  }
  const carrier = overlayCarrier(run, learner);
  if (carrier !== null) {
    const panel = drawTradeoff(tool, box, run, carrier, state.drawn, { ...look, overlay: true });
    stage.panels.push({ ...panel, learner: carrier });
    return;
  }
  const upright = tool.width < 40 * tool.em;
  shown.forEach((one, i) => {
    const part = partOf(box, i, shown.length, upright, tool.em);
    const panel = drawTradeoff(tool, part, run, one, state.drawn, { ...look, guesses: guessesOnCurve(one), chosen: several && one === learner });
    if (panel) stage.panels.push({ ...panel, learner: one, part });
  });
}

// The numbers for those who hear the page; not more often than they can be listened to.
const speech = { timer: 0, text: "" };

function sayAloud(run) {
  if (speech.timer !== 0) return;
  speech.timer = setTimeout(() => {
    speech.timer = 0;
    if (app.run !== run || app.playing || hiddenColumns().length > 0) return;
    const text = identityWords(run, learnerOf(run), state.drawn);
    if (text === speech.text) return;
    speech.text = text;
    byId("summary").textContent = text;
  }, 900);
}

function placeOn(svg, event) {
  const box = svg.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

// Drags the marker of the trade-off to the nearest value.
function dragMarker(event, held) {
  const { run } = app;
  const [x, y] = placeOn(pen("tradeoff").svg, event);
  const inside = (panel) =>
    !panel.part || (x >= panel.part.left && x <= panel.part.right && y >= panel.part.top && y <= panel.part.bottom);
  const panel = held ?? stage.panels.filter((one) => one).find(inside);
  if (!panel) return null;
  const learner = panel.learner ?? learnerOf(run);
  const place = panel.places.reduce(
    (best, at, i) => (Math.abs(at - x) < Math.abs(panel.places[best] - x) ? i : best),
    0,
  );
  moveTo(run, learner, 0, place);
  return panel;
}

export function setUpStage() {
  const trade = pen("tradeoff").svg;
  let held = null;
  trade.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !app.run?.head) return;
    held = dragMarker(event, null);
    if (held) trade.setPointerCapture(event.pointerId);
  });
  trade.addEventListener("pointermove", (event) => {
    if (held) dragMarker(event, held);
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"])
    trade.addEventListener(name, () => {
      held = null;
    });

  // A click on the fits looks at that x; with Shift at the second one of the dartboard.
  const fits = pen("fits").svg;
  let looking = false;
  setUpHands(fits);
  const look = (event) => {
    if (!stage.fits || !app.run?.head) return;
    const [x, y] = placeOn(fits, event);
    if (app.run.head.plane) {
      store.act("look at x", { x: markedAt(app.run, stage.fits, x, y) });
      return;
    }
    if (app.run.head.rows) {
      store.act("look at x", { x: pointAt(app.run, stage.fits, x, y) });
      return;
    }
    const value = Math.min(app.run.head.range[1], Math.max(app.run.head.range[0], stage.fits.x.value(x)));
    const key = state.board && (event.shiftKey || nearerSecond(value)) ? "x2" : "x";
    store.act(`look at ${key}`, { [key]: Number(value.toPrecision(4)) });
  };
  fits.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || state.scene !== 4) return;
    looking = true;
    fits.setPointerCapture(event.pointerId);
    look(event);
  });
  fits.addEventListener("pointermove", (event) => {
    if (looking) look(event);
  });
  for (const name of ["pointerup", "pointercancel"])
    fits.addEventListener(name, () => {
      looking = false;
    });
  fits.addEventListener("click", (event) => {
    if (handsAreOn()) return;
    if (stage.beside) chooseBeside(event);
    if (state.scene === 4 || !stage.fits) return;
    store.act("one point", { scene: 4, board: false });
    look(event);
  });
  setUpColumns();
  new ResizeObserver(() => {
    stage.measured = null;
    redraw();
  }).observe(byId("pictures"));
}

// A click on one of several panels looks at its setting.
function chooseBeside(event) {
  const [x, y] = placeOn(pen("fits").svg, event);
  const inside = ({ part }) => x >= part.left && x <= part.right && y >= part.top && y <= part.bottom;
  const chosen = stage.beside.find(inside);
  if (!chosen) return;
  state.learner = chosen.learner;
  if (chosen.place !== null) moveTo(app.run, chosen.learner, 0, chosen.place);
  redraw();
}

// On the dartboard view a click moves the nearer of the two points.
function nearerSecond(value) {
  const { x } = app.run.head.test;
  return Math.abs(x[secondPointOf(app.run)] - value) < Math.abs(x[pointOf(app.run)] - value);
}

// Moves the test point by so many places.
export function movePoint(by) {
  const { run } = app;
  if (!run?.head || run.head.pictured) return;
  const { x, truth } = run.head.test;
  if (run.head.plane || run.head.rows) {
    const order = orderOf(run);
    state.x = order[Math.min(order.length - 1, Math.max(0, order.indexOf(pointOf(run)) + by))];
  } else if (!hasCurve(run.head)) state.x = Math.min(truth.length - 1, Math.max(0, pointOf(run) + by));
  else {
    const step = (run.head.range[1] - run.head.range[0]) / 100;
    const moved = x[pointOf(run)] + by * Math.max(step, 1e-12);
    state.x = Number(Math.min(run.head.range[1], Math.max(run.head.range[0], moved)).toPrecision(6));
  }
}

// The pictures that are in sight, for export.
export function picturesInSight() {
  return [...document.querySelectorAll("#pictures .picture")]
    .filter((one) => one.offsetParent !== null)
    .map((one) => one.querySelector("svg"));
}
