// Classes over two inputs: the regions that refits choose, their boundaries piling up faintly, the boundary of
// all of them together and that of Bayes' rule, and the newest training set.
import { drawKey, headingOf, wordsAt } from "./headings.js";
import { togetherName } from "./losses.js";
import { several, short, thousands } from "./numbers.js";
import { classColour, classInk } from "./palette.js";
import { drawAxes, drawNotice, numbersRoom } from "./panel.js";
import { textWidth } from "./pen.js";
import { AGREEMENTS, boundariesOf, runsOf, shadesOf, votesOf } from "./regions.js";
import { Axis } from "./scales.js";
import { settingOf, sliceOf } from "./view.js";

// How strong a region is drawn, by how far the refits agree.
const SHADES = [0.05, 0.1, 0.16, 0.24];

// More classes than this are not named beside the picture.
const MOST_NAMED = 8;

const gridPoints = ({ plane, rows }) => rows?.held ?? plane.xs.length * plane.ys.length;

// The classes that a draw's fit chooses at all test points: of the grid, or rows that are held out.
export function labelsOf(run, resample, learner, setting) {
  const points = gridPoints(run.head);
  return run.draws[resample].labels[learner].subarray(setting * points, (setting + 1) * points);
}

// The classes that all fits together choose, as the engine says; null before there are estimates.
function mainOf(run, frame, learner, setting) {
  const main = frame?.learners[learner].main;
  const points = gridPoints(run.head);
  return main ? main.subarray(setting * points, (setting + 1) * points) : null;
}

// Votes of the shown refits, by point and class.
function shownVotes(run, shown, learner, setting) {
  const key = `votes ${shown}/${learner}/${setting}`;
  let votes = run.means.get(key);
  if (!votes) {
    const fits = Array.from({ length: shown }, (_, draw) => labelsOf(run, draw, learner, setting));
    votes = votesOf(fits, gridPoints(run.head), run.head.classes);
    if (run.means.size > 400) run.means.clear();
    run.means.set(key, votes);
  }
  return votes;
}

// The place in the grid, or among held-out rows, of one of the points whose probabilities are here.
export function gridIndex(head, point) {
  if (head.rows) return head.rows.marked[point];
  const { xs, ys } = head.plane;
  const near = (all, value) => all.reduce((best, one, i) => (Math.abs(one - value) < Math.abs(all[best] - value) ? i : best), 0);
  return near(xs, head.test.x[2 * point]) * ys.length + near(ys, head.test.x[2 * point + 1]);
}

// The nearest of those points to a place on the page.
export function markedAt(run, { x, y }, left, top) {
  const all = run.head.test.x;
  let best = 0;
  let least = Infinity;
  for (let i = 0; i < run.head.plane.count; i++) {
    const away = Math.hypot(x.place(all[2 * i]) - left, y.place(all[2 * i + 1]) - top);
    if (away < least) [best, least] = [i, away];
  }
  return best;
}

// Both axes, with the same scale unless the ranges differ too much.
function axesIn(box, [[x1, x2], [y1, y2]]) {
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const [across, up] = [width / (x2 - x1), height / (y2 - y1)];
  const scale = Math.min(across, up);
  const same = Math.max(across, up) < 4 * scale;
  const [used, high] = same ? [scale * (x2 - x1), scale * (y2 - y1)] : [width, height];
  const left = box.left + (width - used) / 2;
  const top = box.top + (height - high) / 2;
  const inner = { left, right: left + used, top, bottom: top + high };
  return { inner, x: new Axis(false, [x1, x2], [inner.left, inner.right]), y: new Axis(false, [y1, y2], [inner.bottom, inner.top]) };
}

function partsOf(run, shown, main, frame, hidden) {
  const together = togetherName(run.head);
  return [
    hidden.includes("truth") ? null : ["ink-truth", "Bayes’ rule"],
    shown > 0 && !hidden.includes("fits") ? ["ink-variance", shown === 1 ? "a fit" : `${thousands(shown)} refits`] : null,
    main ? ["ink-bias", `${together} of ${thousands(frame.count)}`] : null,
  ];
}

function longestOf(run) {
  return ["Bayes’ rule", `${thousands(Math.max(10, run.kept))} refits`, `${togetherName(run.head)} of ${thousands(run.total)}`];
}

// What classes look like: rings, dots and, from the third on, other shapes.
const SHAPES = ["○", "●", "▲", "■", "✚"];
const shapeOf = (k) => SHAPES[Math.min(k, SHAPES.length - 1)];

// The names of the classes in their colours. Returns where the picture may begin.
function drawClasses(pen, box, top, classes) {
  if (classes > MOST_NAMED) return top;
  let [x, y] = [box.left, top + pen.em];
  for (let k = 0; k < classes; k++) {
    const text = `${shapeOf(k)} class ${k}`;
    const width = textWidth(text, pen.em, 600);
    if (x > box.left && x + width > box.right) [x, y] = [box.left, y + 1.3 * pen.em];
    pen.draw("text", { class: "label", x, y, "font-size": pen.em, fill: classInk(k) }, text);
    x += width + 1.1 * pen.em;
  }
  return y + 0.5 * pen.em;
}

// A path with the shape of a class around every place.
function marksOf(k, places, size) {
  const r = size.toFixed(2);
  const shapes = [
    `m-${r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 -${2 * r} 0z`,
    `m-${r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 -${2 * r} 0z`,
    `m0 ${-1.2 * r}l${1.1 * r} ${1.9 * r}h${-2.2 * r}z`,
    `m-${r} -${r}h${2 * r}v${2 * r}h${-2 * r}z`,
    `m${-0.4 * r} ${-1.2 * r}h${0.8 * r}v${0.8 * r}h${0.8 * r}v${0.8 * r}h${-0.8 * r}v${0.8 * r}h${-0.8 * r}v${-0.8 * r}h${-0.8 * r}v${-0.8 * r}h${0.8 * r}z`,
  ];
  const shape = shapes[Math.min(k, shapes.length - 1)];
  return places.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}${shape}`).join("");
}

function drawPoints(pen, run, data, x, y) {
  const { classes } = run.head;
  const count = data.y.length;
  const size = 0.24 * pen.em * Math.min(1, Math.max(0.5, Math.sqrt(150 / count)));
  for (let k = 0; k < classes; k++) {
    const places = [];
    for (let i = 0; i < count; i++) if (data.y[i] === k) places.push([x.place(data.x[2 * i]), y.place(data.x[2 * i + 1])]);
    const d = marksOf(k, places, size);
    const colour = classColour(k);
    pen.draw("path", k === 0 ? { class: "case open", d, stroke: colour } : { class: "case", d, fill: colour });
  }
}

// The regions: the class that most of the shown refits choose, the stronger the more they agree.
function drawRegions(pen, run, shown, learner, setting, x, y) {
  const { xs, ys } = run.head.plane;
  const runs = runsOf(shadesOf(shownVotes(run, shown, learner, setting), run.head.classes), ys.length);
  const step = (all, i) => (all[Math.min(i + 1, all.length - 1)] - all[Math.max(i - 1, 0)]) / (i > 0 && i + 1 < all.length ? 4 : 2);
  const shades = run.head.classes * AGREEMENTS;
  for (let shade = 0; shade < shades; shade++) {
    const place = [x.start, x.end, x.from, x.to, y.start, y.end, y.from, y.to].join();
    const d = run.path("regions", place, `${learner}/${setting}/${shown}/${shade}`, () =>
      (runs.get(shade) ?? [])
        .map(([from, to]) => {
          const i = Math.floor(from / ys.length);
          const [low, high] = [from % ys.length, to % ys.length];
          const [left, right] = [x.place(xs[i] - step(xs, i)), x.place(xs[i] + step(xs, i))];
          const [bottom, top] = [y.place(ys[low] - step(ys, low)), y.place(ys[high] + step(ys, high))];
          return `M${left.toFixed(1)} ${bottom.toFixed(1)}H${right.toFixed(1)}V${top.toFixed(1)}H${left.toFixed(1)}Z`;
        })
        .join(""),
    );
    if (d === "") continue;
    const colour = classColour(Math.floor(shade / AGREEMENTS));
    pen.draw("path", { class: "region", d, fill: colour, "fill-opacity": String(SHADES[shade % AGREEMENTS]), "shape-rendering": "crispEdges" });
  }
}

// Draws the plane of a learner, as `drawFits` does the fits along x. Returns the axes, for the pointer.
export function drawPlane(pen, outer, run, learner, drawn, points, titled, options) {
  const { place = null, hidden = [], chosen = false, ghost = null } = options;
  const { head } = run;
  const { em } = pen;
  const { xs, ys } = head.plane;
  const setting = place === null ? settingOf(run, learner) : sliceOf(run, learner)[place];
  const shown = run.shown(drawn);
  const fits = !hidden.includes("fits");
  const frame = run.frameAt(drawn);
  const main = fits && !hidden.includes("mean") ? mainOf(run, frame, learner, setting) : null;
  const said = partsOf(run, shown, main, frame, hidden);
  const parts = place === null ? said : said.filter((part) => part !== null);
  const longest = place === null ? longestOf(run) : parts.map(([, text]) => text);
  const around = { ...outer, left: outer.left + 0.3 * em, right: outer.right - em };
  const heading = fits ? headingOf(run, learner, place) : "training points";
  const below = drawKey(pen, around, heading, parts, longest, chosen);
  const top = drawClasses(pen, around, below, head.classes) + 0.3 * em;
  const bottom = outer.bottom - (titled ? 2.9 : 1.6) * em;
  const room = numbersRoom(pen, new Axis(false, head.plane.inSight[1], [bottom, top])) + (titled ? 1.4 * em : 0);
  const { inner: box, x, y } = axesIn({ left: outer.left + room, right: outer.right - 0.8 * em, top, bottom }, head.plane.inSight);
  drawAxes(pen, box, x, y, titled ? { x: "x₁", y: "x₂", left: box.left - room } : {});
  const where = [box.left, box.right, box.top, box.bottom].join();
  const line = (key, labels, owner = run, probabilities = null) =>
    owner.path("boundaries", where, key, () =>
      boundariesOf(xs, ys, labels, head.classes, probabilities)
        .map((one) => one.map(([a, b], i) => `${i === 0 ? "M" : "L"}${x.place(a).toFixed(1)} ${y.place(b).toFixed(1)}`).join(""))
        .join(""),
    );
  const fitted = (draw) => line(`${learner}/${setting}/${draw}`, labelsOf(run, draw, learner, setting));
  pen.clip(box);
  if (fits && shown > 0) drawRegions(pen, run, shown, learner, setting, x, y);
  const newest = shown - 1;
  // In few steps, so that not every line changes with every training set.
  const faint = [0.6, 0.5, 0.4, 0.3].find((one) => one <= 5 / Math.max(1, shown)) ?? 0.22;
  for (let draw = 0; draw < (fits ? newest : 0); draw++)
    pen.draw("path", { class: "curve variance", d: fitted(draw), "stroke-opacity": String(faint) });
  if (newest >= 0 && fits) pen.draw("path", { class: "curve variance newest", d: fitted(newest) });
  const before = ghostLabels(ghost, run, learner, setting);
  if (before) pen.draw("path", { class: "ghost bias", d: line(`ghost ${learner}/${setting}`, before, ghost) });
  if (!hidden.includes("truth")) pen.draw("path", { class: "curve truth bold", d: line("bayes", head.plane.bayes, run, head.plane.truth) });
  if (main) pen.draw("path", { class: "curve bias bold", d: line(`main ${learner}/${setting}/${frame.count}`, main) });
  if (newest >= 0) drawPoints(pen, run, run.draws[newest].data[head.learners[learner].problem[setting] ?? 0], x, y);
  for (const point of points)
    pen.draw("circle", { class: "ring", cx: x.place(head.test.x[2 * point]), cy: y.place(head.test.x[2 * point + 1]), r: 0.55 * em });
  pen.close();
  if (shown === 0 && !main)
    drawNotice(pen, box, head.keep === 0 ? ["The fits of this experiment are", "too many to be sent to the page."] : ["Space draws a training set."]);
  return { box, x, y };
}

// Where the fits together had their boundary before the last change, if the plane is the same.
function ghostLabels(ghost, run, learner, setting) {
  const own = ghost?.head?.learners?.[learner];
  const same = own?.name === run.head.learners[learner].name && setting < own.settings;
  const planes = same && ghost.head.plane && [ghost, run].map(({ head }) => `${head.classes}/${Array.from(head.plane.xs)}/${Array.from(head.plane.ys)}`);
  return planes && planes[0] === planes[1] ? mainOf(ghost, ghost.newest, learner, setting) : null;
}

// At which share of the test points all fits together choose another class than Bayes' rule.
export function wrongShare(run, drawn, learner, setting) {
  const main = mainOf(run, run.frameAt(drawn), learner, setting);
  if (!main) return NaN;
  const { bayes } = run.head.plane;
  let wrong = 0;
  for (let j = 0; j < main.length; j++) if (main[j] !== bayes[j]) wrong++;
  return wrong / main.length;
}

// The picture in words.
export function planeWords(run, learner, drawn, { place = null, hidden = [] } = {}) {
  const setting = place === null ? settingOf(run, learner) : sliceOf(run, learner)[place];
  const shown = run.shown(drawn);
  const words = wordsAt(run, learner, place);
  const [[x1, x2], [y1, y2]] = run.head.plane.inSight.map((range) => range.map(short));
  const where = `x₁ from ${x1} to ${x2}, x₂ from ${y1} to ${y2}`;
  const what = `Boundaries of ${run.head.classes} classes by ${run.head.learners[learner].name}${words === "" ? "" : ` at ${words}`}`;
  if (shown === 0 && !run.frameAt(drawn)) return `${what}: nothing drawn yet; Bayes’ rule alone.`;
  if (hidden.includes("fits")) return `${what}: the training points alone, for ${where}.`;
  const truth = hidden.includes("truth") ? "" : "Bayes’ rule, ";
  const share = wrongShare(run, drawn, learner, setting);
  const together = togetherName(run.head);
  if (Number.isNaN(share) || hidden.length > 0) return `${what}: ${truth}${several(shown, "refit", "refits")}, for ${where}.`;
  const { count } = run.frameAt(drawn);
  return `${what}: ${truth}${several(shown, "refit", "refits")} and the ${together} of ${several(count, "training set", "training sets")}, which chooses another class than Bayes’ rule at ${short(100 * share)} % of the test points; for ${where}.`;
}
