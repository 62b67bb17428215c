// The rows of a table over two of its columns: those of the newest training set by how often they are in it,
// those that are not in it, and those that are held out.
import { drawKey, headingOf, wordsAt } from "./headings.js";
import { className, classWords } from "./losses.js";
import { several, short, thousands } from "./numbers.js";
import { classColour, classInk, shadeColours } from "./palette.js";
import { drawAxes, numbersRoom } from "./panel.js";
import { textWidth, wrapText } from "./pen.js";
import { labelsOf } from "./plane.js";
import { Axis, extent } from "./scales.js";
import { state } from "./state.js";
import { settingOf } from "./view.js";

// More classes than this are not named beside the picture.
const MOST_NAMED_ROWS = 10;

// Rings of rows that refits call wrong, by the share of them: from, and how wide.
const WRONG = [[0.02, 0.06], [0.25, 0.11], [0.5, 0.17], [0.75, 0.24]];

// The values of a column; the one behind the last is what is predicted.
const valuesOf = ({ rows }, column) => rows.columns[column]?.values ?? rows.labels;

export const columnName = ({ rows }, column) => rows.columns[column]?.name ?? rows.target;

// The columns that can be chosen across, and those upward.
export function columnChoices({ rows, classes }) {
  const all = rows.columns.map((_, i) => i);
  return [all, classes && all.length > 1 ? all : [...all, all.length]];
}

// The columns that are drawn.
export function columnsOf(run) {
  const { head } = run;
  const { first, columns } = head.rows;
  const wanted = Array.isArray(state.columns) ? state.columns : [first[0], first[1] ?? columns.length];
  return columnChoices(head).map((choices, i) => (choices.includes(wanted[i]) ? wanted[i] : choices.at(i - 1)));
}

// Whether predictions against labels are drawn instead.
export const drawsAgainst = (run) => Boolean(run.head.rows) && !run.head.classes && state.columns === "against";

// The row of a test point: held-out rows come after the others.
const rowOf = ({ rows }, point) => rows.drawn + (rows.marked?.[point] ?? point);

// What is known of a row: its class, or its label.
export function labelWords(head, point) {
  const label = head.rows.labels[rowOf(head, point)];
  return head.classes ? classWords(head, label) : short(label);
}

// A row with the values of the columns that are drawn.
export function rowWords(run, point) {
  const { head } = run;
  const columns = columnsOf(run).filter((column) => column < head.rows.columns.length);
  const values = columns.map((column) => `${columnName(head, column)} ${short(valuesOf(head, column)[rowOf(head, point)])}`);
  return `held-out row ${point + 1}: ${values.join(", ")}`;
}

// How many of the shown refits call every held-out row wrong.
function wrongOf(run, shown, learner, setting) {
  const { rows } = run.head;
  const key = `wrong ${shown}/${learner}/${setting}`;
  let wrong = run.means.get(key);
  if (!wrong) {
    wrong = new Float64Array(rows.held);
    for (let draw = 0; draw < shown; draw++) {
      const labels = labelsOf(run, draw, learner, setting);
      for (let i = 0; i < rows.held; i++) if (labels[i] !== rows.labels[rows.drawn + i]) wrong[i]++;
    }
    if (run.means.size > 400) run.means.clear();
    run.means.set(key, wrong);
  }
  return wrong;
}

// The colour of every row, as a number, and all colours.
function coloursOf(head) {
  const { labels } = head.rows;
  if (head.classes) return { at: (i) => labels[i], colours: Array.from({ length: head.classes }, (_, k) => classColour(k)) };
  const colours = shadeColours();
  const [low, high] = extent(labels);
  const at = (i) => Math.min(colours.length - 1, Math.floor(((labels[i] - low) / (high - low || 1)) * colours.length));
  return { at, colours, low, high };
}

// What colours mean. Returns where the picture may begin.
function drawColours(pen, box, top, head, { colours, low, high }) {
  const { em } = pen;
  const y = top + em;
  if (!head.classes) {
    const words = `${head.rows.target} ${short(low)}`;
    let x = box.left;
    pen.text("soft", x, y, words);
    x += textWidth(words, em) + 0.4 * em;
    colours.forEach((fill, i) => pen.draw("rect", { class: "shade", x: x + 1.3 * em * i, y: y - 0.8 * em, width: 1.3 * em, height: 0.9 * em, fill }));
    pen.text("soft", x + 1.3 * em * colours.length + 0.4 * em, y, short(high));
    return y + 0.5 * em;
  }
  if (head.classes > MOST_NAMED_ROWS) return top;
  let [x, line] = [box.left, y];
  for (let k = 0; k < head.classes; k++) {
    const text = `${"●■▲✚"[Math.min(k, 3)]} ${className(head, k)}`;
    const width = textWidth(text, em, 600);
    if (x > box.left && x + width > box.right) [x, line] = [box.left, line + 1.3 * em];
    pen.draw("text", { class: "label", x, y: line, "font-size": em, fill: classInk(k) }, text);
    x += width + 1.1 * em;
  }
  return line + 0.5 * em;
}

// The shape of a class as a path around a place; numbers are circles.
function entryShape(kind, r) {
  const a = r.toFixed(2);
  if (kind === "held") return `m0 ${-1.25 * r}l${1.25 * r} ${1.25 * r}l${-1.25 * r} ${1.25 * r}l${-1.25 * r} ${-1.25 * r}z`;
  if (kind === 1) return `m${-0.9 * r} ${-0.9 * r}h${1.8 * r}v${1.8 * r}h${-1.8 * r}z`;
  if (kind === 2) return `m0 ${-1.2 * r}l${1.1 * r} ${1.9 * r}h${-2.2 * r}z`;
  if (kind >= 3) {
    const [s, t] = [0.4 * r, 0.8 * r];
    return `m${-s} ${-1.2 * r}h${t}v${t}h${t}v${t}h${-t}v${t}h${-t}v${-t}h${-t}v${-t}h${t}z`;
  }
  return `m-${a} 0a${a} ${a} 0 1 0 ${(2 * r).toFixed(2)} 0a${a} ${a} 0 1 0 -${(2 * r).toFixed(2)} 0z`;
}

// Draws rows of one colour at a time, each row with a radius; 0 for those that are not drawn.
function drawEntries(pen, name, painted, from, to, radiusOf, place, kindOf) {
  const { at, colours } = painted;
  const paths = colours.map(() => []);
  for (let i = from; i < to; i++) {
    const r = radiusOf(i);
    if (r === 0) continue;
    const [x, y] = place(i);
    paths[at(i)]?.push(`M${x.toFixed(1)} ${y.toFixed(1)}${entryShape(kindOf(at(i)), r)}`);
  }
  const hollow = name.includes("idle");
  paths.forEach((path, k) => {
    if (path.length > 0) pen.draw("path", { class: name, d: path.join(""), ...(hollow ? { stroke: colours[k] } : { fill: colours[k] }) });
  });
}

function drawWrong(pen, run, shown, learner, setting, place, size) {
  const { rows } = run.head;
  const wrong = wrongOf(run, shown, learner, setting);
  WRONG.forEach(([least, width], step) => {
    const below = WRONG[step + 1]?.[0] ?? Infinity;
    const path = [];
    for (let i = 0; i < rows.held; i++) {
      const share = wrong[i] / shown;
      if (share < least || share >= below) continue;
      const [x, y] = place(rows.drawn + i);
      path.push(`M${x.toFixed(1)} ${y.toFixed(1)}${entryShape(0, 2.1 * size)}`);
    }
    if (path.length > 0) pen.draw("path", { class: "wrong", d: path.join(""), "stroke-width": (width * size) / 0.26 });
  });
}

function partsOfRows(run, shown) {
  return [
    shown > 0 ? ["ink-data", "● in the newest training set"] : null,
    ["soft", shown > 0 ? "○ not in it" : "○ to be drawn"],
    ["ink-data", "◆ held out"],
    run.head.classes && run.head.keep > 0 ? ["ink-risk", "◯ called wrong by refits"] : null,
  ];
}

const LONGEST = ["● in the newest training set", "○ not in it", "◆ held out"];

// Draws the rows over two columns, as `drawFits` does the fits along x. Returns the axes, for the pointer.
export function drawRows(pen, outer, run, learner, drawn, points, titled, { hidden = [] } = {}) {
  const { head } = run;
  const { rows } = head;
  const { em } = pen;
  const setting = settingOf(run, learner);
  const shown = run.shown(drawn);
  const [across, upward] = columnsOf(run);
  const around = { ...outer, left: outer.left + 0.3 * em, right: outer.right - em };
  const longest = head.classes && head.keep > 0 ? [...LONGEST, "◯ called wrong by refits"] : LONGEST;
  const parts = partsOfRows(run, shown).slice(0, longest.length);
  const heading = hidden.includes("fits") ? "rows" : headingOf(run, learner, null);
  const painted = coloursOf(head);
  const top = drawColours(pen, around, drawKey(pen, around, heading, parts, longest), head, painted) + 0.3 * em;
  const bottom = outer.bottom - (titled ? 2.9 : 1.6) * em;
  const [xs, ys] = [valuesOf(head, across), valuesOf(head, upward)];
  const reach = (values) => {
    const [low, high] = extent(values);
    const room = 0.05 * (high - low) || 0.5;
    return [low - room, high + room];
  };
  const y = new Axis(false, reach(ys), [bottom, top]);
  const left = outer.left + numbersRoom(pen, y) + (titled ? 1.4 * em : 0);
  const box = { left, right: outer.right - 0.8 * em, top, bottom };
  const x = new Axis(false, reach(xs), [box.left, box.right]);
  drawAxes(pen, box, x, y, titled ? { x: columnName(head, across), y: columnName(head, upward), left: outer.left } : {});
  const place = (i) => [x.place(xs[i]), y.place(ys[i])];
  const size = 0.26 * em * Math.min(1, Math.max(0.5, Math.sqrt(200 / xs.length)));
  const weights = shown > 0 ? run.draws[shown - 1].weights[head.learners[learner].problem[setting] ?? 0] : null;
  const kindOf = (k) => (head.classes ? k : 0);
  pen.clip(box);
  drawEntries(pen, "entry idle", painted, 0, rows.drawn, (i) => (weights?.[i] ? 0 : 0.9 * size), place, kindOf);
  // Its area says how often a row is in the training set.
  if (weights) drawEntries(pen, "entry", painted, 0, rows.drawn, (i) => size * Math.sqrt(weights[i] ?? 0), place, kindOf);
  drawEntries(pen, "entry held", painted, rows.drawn, rows.drawn + rows.held, () => size, place, () => "held");
  if (head.classes && shown > 0 && !hidden.includes("fits")) drawWrong(pen, run, shown, learner, setting, place, size);
  for (const point of points) {
    const [cx, cy] = place(rowOf(head, point));
    pen.line("mark", cx, box.top, cx, box.bottom);
    pen.line("mark", box.left, cy, box.right, cy);
    pen.draw("circle", { class: "ring", cx, cy, r: 0.8 * em });
  }
  pen.close();
  if (shown === 0) {
    const words = head.keep === 0 ? "The fits of this experiment are too many to be sent to the page." : "Space draws a training set.";
    pen.lines("notice over", (box.left + box.right) / 2, box.top + 1.4 * em, wrapText(words, em, 0.8 * (box.right - box.left)), em, "middle");
  }
  return { box, x, y, at: (point) => place(rowOf(head, point)) };
}

// The nearest test point to a place on the page.
export function pointAt(run, { at }, left, top) {
  let best = 0;
  let least = Infinity;
  const count = run.head.rows.marked?.length ?? run.head.rows.held;
  for (let point = 0; point < count; point++) {
    const [x, y] = at(point);
    const away = Math.hypot(x - left, y - top);
    if (away < least) [best, least] = [point, away];
  }
  return best;
}

// The picture in words.
export function rowsWords(run, learner, drawn, { hidden = [] } = {}) {
  const { head } = run;
  const { rows } = head;
  const shown = run.shown(drawn);
  const setting = settingOf(run, learner);
  const words = wordsAt(run, learner, null);
  const [across, upward] = columnsOf(run).map((column) => columnName(head, column));
  const who = hidden.includes("fits") ? "" : `, ${head.learners[learner].name}${words === "" ? "" : ` at ${words}`}`;
  const begin = `Rows of a table over ${across} and ${upward}, coloured by ${rows.target}${who}: ${thousands(rows.drawn)} to draw from`;
  const held = `${thousands(rows.held)} held out`;
  if (shown === 0) return `${begin}, ${held}; nothing drawn yet.`;
  const weights = run.draws[shown - 1].weights[head.learners[learner].problem[setting] ?? 0].subarray(0, rows.drawn);
  const inside = weights.filter((weight) => weight > 0).length;
  const most = weights.reduce((all, weight) => Math.max(all, weight), 0);
  const told = `${begin}, ${thousands(inside)} of them in the newest training set${most > 1 ? `, up to ${most} times` : ""}; ${held}`;
  if (!head.classes || hidden.includes("fits")) return `${told}.`;
  const wrong = wrongOf(run, shown, learner, setting).filter((count) => 2 * count > shown).length;
  const callers = shown === 1 ? "the refit calls" : `most of ${several(shown, "refit", "refits")} call`;
  return `${told}, of which ${callers} ${thousands(wrong)} wrong.`;
}
