// Learners side by side: a column for each with its fits, its curves over what it sweeps and its sum, all of
// the same training sets and on the same scales, each at a setting of its own.
import { app, byId } from "./app.js";
import { alikeDecimals, columnHeight, columnParts, columnsInRow, inLines, shownLearners } from "./column-plan.js";
import { believedMean, drawFits, fitsWords, keyParts, longestParts } from "./fits.js";
import { HIDDEN_SUM, identityWords, lengthOf, numbersAt } from "./identity.js";
import { PARTS } from "./look.js";
import { hiddenColumns, isHidden } from "./opening.js";
import { learnerColour } from "./palette.js";
import { drawNotice, numbersRoom } from "./panel.js";
import { fitting } from "./parts.js";
import { Pen, textWidth, wrapText } from "./pen.js";
import { sharedRanges } from "./ranges.js";
import { Axis } from "./scales.js";
import { nearestPlace } from "./sliders.js";
import { state, store } from "./state.js";
import { drawSum, sumDecimals } from "./sum.js";
import { drawTradeoff, tradeoffWords } from "./tradeoff.js";
import { hasCurve, learnerOf, moveTo, settingOf, tradeoffOptions } from "./view.js";
import { cutApart } from "./words.js";

// A column of so many em has room for names beside the ends of its curves.
const ROOM_FOR_NAMES = 20;

// The lines of a learner's name.
const NAME_LINES = 2;

const view = { width: 0, key: null, keyHeight: "", columns: [], held: null };

function penOf(name) {
  return new Pen(byId(`picture-${name}`).querySelector("svg"));
}

// Which learners have columns now.
function shownNow(run) {
  const chosen = learnerOf(run);
  return isHidden("others") ? [chosen] : shownLearners(run.head.learners.length, chosen);
}

// What all columns are drawn with.
function planOf(run, shown, em) {
  const { learners } = run.head;
  const width = view.width / em;
  const row = columnsInRow(shown.length, width);
  const own = (width - (row - 1)) / row;
  const swept = shown.some((learner) => learners[learner].axes.length > 0);
  const wrapped = shown.map((learner) => wrapText(learners[learner].name, em, (own - 2) * em, 600));
  const parts = {
    lines: Math.min(NAME_LINES, Math.max(...wrapped.map((lines) => lines.length))),
    fits: hasCurve(run.head) && run.head.keep > 0,
    curves: swept,
  };
  const ranges = sharedRanges(run, shown, tradeoffOptions(run), state.scene);
  return { shown, row, own, parts, ranges, labelled: own >= ROOM_FOR_NAMES, hidden: hiddenColumns() };
}

// What the colours mean, above all columns: class, words, and the words at their longest.
function keyItems(run, plan) {
  const items = [];
  const chosen = learnerOf(run);
  if (plan.parts.fits) {
    const shown = run.shown(state.drawn);
    const { mean, count } = believedMean(run, state.drawn, chosen, settingOf(run, chosen));
    const withMean = isHidden("mean") || isHidden("fits") ? null : mean;
    const said = keyParts(count, shown, withMean, state.hide);
    longestParts(run).forEach((longest, i) => items.push([...(said[i] ?? ["", ""]), longest]));
  }
  if (plan.parts.curves && !plan.labelled) {
    const doubt = plan.shown.some((learner) => run.newest?.learners[learner].heavy.some((one) => one));
    for (const { column, name, label } of PARTS) {
      if (plan.hidden.includes(column) || (column === "risk_median" && !doubt)) continue;
      const words = column === "risk" ? "risk, ○ measured" : label;
      items.push([`ink-${name}`, words, words]);
    }
  }
  const beyond = run.head.learners.length - plan.shown.length;
  if (beyond > 0 && !isHidden("others")) {
    const words = `${plan.shown.length} of ${run.head.learners.length} learners: another one that is chosen takes the last place`;
    items.push(["soft", words, words]);
  }
  return items;
}

function drawColumnsKey(run, plan) {
  const tool = view.key;
  const { em } = tool;
  const items = keyItems(run, plan);
  const width = ([, , longest]) => textWidth(longest, em, 600);
  const places = inLines(items.map(width), view.width - 0.6 * em, 1.1 * em);
  const height = items.length === 0 ? "0rem" : `${1.35 * (places.at(-1).line + 1) + 0.45}rem`;
  if (view.keyHeight !== height) {
    view.keyHeight = height;
    byId("columns").style.setProperty("--key", height);
    byId("picture-key").hidden = items.length === 0;
    for (const one of [tool, ...view.columns.map((column) => column.tool)]) one.measure(em);
  }
  if (!tool.begin()) return;
  items.forEach(([name, words], i) => {
    const { line, x } = places[i];
    if (words !== "") tool.text(name, 0.3 * em + x, (1.35 * line + 1) * em, words);
  });
  tool.end();
  tool.describe(() => `Key: ${items.map(([, words]) => words).filter((words) => words !== "").join(", ")}`, app.playing);
}

// The numbers of all uprights have the same room, so that what is above each other agrees.
function roomFor(tool, run, plan, parts) {
  const { em } = tool;
  const heights = [...plan.ranges.values()].find((ranges) => ranges.y);
  const upright = (log, range, part) => numbersRoom(tool, new Axis(log, range, [(part.bottom - 3) * em, part.top * em]));
  return heights && parts.curves ? upright(heights.log.y, heights.y, parts.curves) + 1.4 * em : 0;
}

// The name of a learner with the dot of its colour, in at most so many lines.
function drawName(tool, run, learner, plan, chosen) {
  const { em } = tool;
  const room = tool.width - 2 * em;
  const cut = (name) => {
    const lines = wrapText(name, em, room, 600);
    return lines.length <= plan.parts.lines ? name : [...lines.slice(0, plan.parts.lines - 1), fitting(lines.slice(plan.parts.lines - 1).join(" "), room, em)].join(" ");
  };
  const names = cutApart(plan.shown.map((one) => run.head.learners[one].name), cut);
  tool.draw("circle", { class: "swatch", cx: 0.8 * em, cy: 0.7 * em, r: 0.4 * em, fill: learnerColour(run.head, learner) });
  const lines = wrapText(names[plan.shown.indexOf(learner)], em, room, 600).slice(0, plan.parts.lines);
  tool.lines(chosen ? "heading chosen" : "heading", 1.6 * em, 1.05 * em, lines, em);
}

// How the curves of a column look.
function lookOf(plan) {
  return {
    scene: state.scene,
    theory: state.theory,
    parts: PARTS.map(({ column }) => column).concat("test_risk").filter((part) => !plan.hidden.includes(part)),
    others: false,
    singles: !isHidden("risk"),
    overlay: false,
    titled: false,
    labelled: plan.labelled,
    together: plan.shown,
    ghost: app.ghost,
  };
}

function drawColumn(tool, run, learner, plan, scale) {
  const { em } = tool;
  const { drawn } = state;
  const axes = run.head.learners[learner].axes;
  const parts = columnParts(tool.height / em, plan.parts);
  const room = roomFor(tool, run, plan, parts);
  const boxOf = (part) => ({ left: 0, right: tool.width, top: part.top * em, bottom: part.bottom * em });
  drawName(tool, run, learner, plan, learner === learnerOf(run));
  if (parts.fits) {
    tool.open("g", { class: "fits" });
    drawFits(tool, boxOf(parts.fits), run, learner, drawn, [], false, { hidden: state.hide, bare: true, room, ghost: app.ghost });
    tool.close();
  }
  let panel = null;
  if (parts.curves) {
    const box = boxOf(parts.curves);
    tool.open("g", { class: "curves" });
    if (axes.length > 0) {
      panel = drawTradeoff(tool, box, run, learner, drawn, { ...lookOf(plan), room: room - 1.4 * em, ranges: plan.ranges.get(learner) });
      tool.draw("rect", { class: "grip", x: 0, y: box.top, width: tool.width, height: Math.max(0, box.bottom - box.top) });
    } else drawNotice(tool, box, ["Nothing is swept here."]);
    tool.close();
  }
  const sum = { left: 0.3 * em, right: tool.width - 0.8 * em, top: parts.sum.top * em + 0.2 * em };
  drawSum(tool, sum, parts.sum.row * em, run, learner, drawn, scale, plan.hidden.length > 0);
  return panel && { ...panel, part: boxOf(parts.curves) };
}

// The same in words.
function wordsOfColumn(run, learner, plan) {
  const words = [];
  if (plan.parts.fits) words.push(fitsWords(run, learner, state.drawn, { hidden: state.hide }));
  if (plan.hidden.length > 0) words.push(HIDDEN_SUM);
  else {
    if (run.head.learners[learner].axes.length > 0) words.push(tradeoffWords(run, learner, state.drawn));
    words.push(identityWords(run, learner, state.drawn));
  }
  return words.join(" ");
}

// What all sums share: the risk at the end of their bars, and their decimals.
function commonScale(run, plan) {
  const all = plan.hidden.length > 0 ? [] : plan.shown.map((learner) => numbersAt(run, learner, state.drawn));
  const lengths = all.map((numbers, i) => (numbers ? lengthOf(run, plan.shown[i], numbers) : 0));
  const decimals = all.map((numbers) => (numbers && !numbers.heavy ? sumDecimals(numbers) : NaN));
  return { length: Math.max(...lengths, 1e-12), decimals: alikeDecimals(decimals) };
}

// Draws all columns; `em`: the size of text; `fresh`: sizes may be others than they were.
export function drawColumns(run, em, fresh) {
  const holder = byId("columns");
  view.key ??= penOf("key");
  const shown = shownNow(run);
  shown.forEach((_, i) => (view.columns[i] ??= { tool: penOf(`column-${i}`), learner: null, panel: null }));
  holder.querySelectorAll(".column").forEach((one, i) => one.toggleAttribute("hidden", i >= shown.length));
  view.key.em = em;
  if (fresh) view.width = Math.floor(holder.getBoundingClientRect().width);
  const plan = planOf(run, shown, em);
  holder.style.setProperty("--columns", String(plan.row));
  holder.style.setProperty("--column", `${columnHeight(plan.parts)}rem`);
  byId("pictures").style.setProperty("--rows", String(Math.ceil(shown.length / plan.row)));
  drawColumnsKey(run, plan);
  const columns = view.columns.slice(0, shown.length);
  if (fresh) for (const { tool } of [{ tool: view.key }, ...columns]) tool.measure(em);
  const scale = commonScale(run, plan);
  columns.forEach((column, i) => {
    Object.assign(column, { learner: shown[i], panel: null });
    if (!column.tool.begin()) return;
    column.panel = drawColumn(column.tool, run, shown[i], plan, scale);
    column.tool.end();
    column.tool.describe(() => wordsOfColumn(run, shown[i], plan), app.playing);
  });
}

// A column is chosen by a click; on its curves the marker is dragged.
export function setUpColumns() {
  byId("columns").querySelectorAll(".column > svg").forEach((svg, i) => {
    const place = (event) => {
      const box = svg.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const move = (x) => {
      const { learner, panel } = view.columns[i];
      moveTo(app.run, learner, 0, nearestPlace(panel.places, x));
    };
    svg.addEventListener("pointerdown", (event) => {
      const part = view.columns[i]?.panel?.part;
      if (event.button !== 0 || !app.run?.head || !part) return;
      const [x, y] = place(event);
      if (y < part.top || y > part.bottom) return;
      view.held = i;
      svg.setPointerCapture(event.pointerId);
      move(x);
    });
    svg.addEventListener("pointermove", (event) => {
      if (view.held === i && view.columns[i].panel) move(place(event)[0]);
    });
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"])
      svg.addEventListener(name, () => {
        view.held = null;
      });
    svg.addEventListener("click", () => {
      if (app.run?.head && view.columns[i]) store.act("learner", { learner: view.columns[i].learner });
    });
  });
}
