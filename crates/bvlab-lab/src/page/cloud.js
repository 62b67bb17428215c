// One point of the plane: the cloud of predicted probabilities there, on a segment for two classes, in a
// triangle for three, else on a line for every class; with their means, the truth and Bayes' choice.
import { className, classWords, lossNamed, togetherName } from "./losses.js";
import { plain, several, short } from "./numbers.js";
import { classInk } from "./palette.js";
import { drawNotice } from "./panel.js";
import { textWidth, wrapText } from "./pen.js";
import { gridIndex, labelsOf } from "./plane.js";
import { meansOf } from "./regions.js";
import { labelWords } from "./rows.js";
import { Axis, extent } from "./scales.js";
import { settingOf, settingWords } from "./view.js";

// `x = (0.5, −0.25)`, or which row it is.
export function planePointWords(run, point) {
  if (run.head.rows) return `held-out row ${point + 1}`;
  const [a, b] = [run.head.test.x[2 * point], run.head.test.x[2 * point + 1]];
  return `x = (${short(a)}, ${short(b)})`;
}

// What is known of the predictions at a point: those of the shown fits with their means, and from all training
// sets the parts.
export function cloudAt(run, learner, drawn, point) {
  const { head } = run;
  const { classes } = head;
  const setting = settingOf(run, learner);
  const shown = run.shown(drawn);
  const points = head.plane?.count ?? head.rows.marked.length;
  const rows = Array.from({ length: shown }, (_, draw) => {
    const from = (setting * points + point) * (classes - 1);
    const others = Array.from(run.draws[draw].fits[learner].subarray(from, from + classes - 1));
    return [1 - others.reduce((sum, p) => sum + p, 0), ...others];
  });
  const truth = Array.from(head.test.truth.subarray(point * classes, (point + 1) * classes));
  const index = gridIndex(head, point);
  const votes = new Array(classes).fill(0);
  for (let draw = 0; draw < shown; draw++) votes[labelsOf(run, draw, learner, setting)[index]]++;
  const all = run.points?.[learner];
  const at = setting * points + point;
  const parts = all && run.complete(drawn) ? { noise: all.noise[at], bias2: all.bias2[at], variance: all.variance[at], count: run.total } : null;
  const centre = parts ? Array.from(all.mean.subarray(at * classes, (at + 1) * classes)) : null;
  return { rows, point, truth, votes, bayes: head.plane?.bayes[index], ...meansOf(rows, head.loss.smoothing), parts, centre };
}

const decimalsOf = (row) => row.map((p) => p.toFixed(3)).join(", ");

// The numbers of a row of probabilities: of two classes that of class 1 says it all.
const told = (row) => (row.length === 2 ? row[1].toFixed(3) : `(${decimalsOf(row)})`);

// More classes than this have no room for all their probabilities: the largest one stands for them.
const MOST_TOLD = 5;

function toldIn(head, row) {
  if (row.length <= MOST_TOLD) return told(row);
  const best = row.indexOf(Math.max(...row));
  return `${row[best].toFixed(3)} for ${classWords(head, best)}`;
}

// Predictions that are no probabilities, below zero, have no geometric mean.
const isKnown = (row) => row.every(Number.isFinite);

function linesBelow(pen, run, cloud, width) {
  const { head } = run;
  const truth = head.rows ? [["ink-truth strong", "label "], ["", labelWords(head, cloud.point)]] : [["ink-truth strong", "truth "], ["", toldIn(head, cloud.truth)]];
  const parts = [truth];
  const rule = head.rows ? "" : `Bayes’ rule: class ${cloud.bayes}`;
  if (cloud.rows.length > 0) {
    parts.push([["ink-bias strong", "▬ arithmetic mean "], ["", toldIn(head, cloud.arithmetic)]]);
    if (isKnown(cloud.geometric)) parts.push([["ink-bias strong", "◆ geometric mean "], ["", toldIn(head, cloud.geometric)]]);
    const best = cloud.votes.indexOf(Math.max(...cloud.votes));
    parts.push([["soft", `${rule === "" ? "" : `${rule}; `}${cloud.votes[best]} of ${several(cloud.rows.length, "refit", "refits")}: ${classWords(head, best)}`]]);
  } else if (rule !== "") parts.push([["soft", rule]]);
  if (cloud.parts) {
    const { noise, bias2, variance, count } = cloud.parts;
    const known = head.rows ? [] : [["ink-noise strong", "noise "], ["", plain(noise)], ["soft", " + "]];
    parts.push([...known, ["ink-bias strong", lossNamed(head, "bias² ")], ["", plain(bias2)], ["soft", " + "]]);
    parts.push([["ink-variance strong", "variance "], ["", plain(variance)], ["soft", " = "], ["ink-risk strong", "risk "], ["strong", plain((head.rows ? 0 : noise) + bias2 + variance)]]);
    parts.push([["soft", `parts from ${several(count, "training set", "training sets")}`]]);
  }
  const wide = (part) => part.reduce((sum, [name, text]) => sum + textWidth(text, pen.em, name.includes("strong") ? 600 : 400), 0);
  const lines = [[]];
  let used = 0;
  for (const part of parts) {
    if (used > 0 && used + wide(part) > width) {
      lines.push([]);
      used = 0;
    } else if (used > 0 && !lines.at(-1).at(-1)[1].endsWith(" ")) lines.at(-1).push(["soft", "\u2002"]);
    lines.at(-1).push(...part);
    used += wide(part) + 0.5 * pen.em;
  }
  return lines;
}

// Marks of the means: a bar across, and a diamond.
function drawMeans(pen, cloud, place) {
  const r = 0.45 * pen.em;
  const [ax, ay] = place(cloud.arithmetic);
  pen.draw("rect", { class: "mean", x: ax - r, y: ay - 0.35 * r, width: 2 * r, height: 0.7 * r });
  if (!isKnown(cloud.geometric)) return;
  const [gx, gy] = place(cloud.geometric);
  pen.draw("path", { class: "mean", d: `M${gx} ${gy - r}L${gx + 0.75 * r} ${gy}L${gx} ${gy + r}L${gx - 0.75 * r} ${gy}Z` });
}

function drawDarts(pen, rows, newest, place) {
  rows.forEach((row, i) => {
    const [cx, cy] = place(row, i);
    const last = newest && i === rows.length - 1;
    pen.draw("circle", { class: last ? "dart newest" : "dart", cx, cy, r: (last ? 0.36 : 0.26) * pen.em });
  });
}

// Two classes: the probability of class 1 on a segment.
function drawSegment(pen, box, head, cloud, newest) {
  const { em } = pen;
  const x = new Axis(false, [0, 1], [box.left + em, box.right - em]);
  const [top, bottom] = [box.top + 1.4 * em, box.bottom - 2.9 * em];
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    pen.line(tick === 0.5 ? "threshold" : "grid", x.place(tick), top, x.place(tick), bottom);
    pen.text("number", x.place(tick), bottom + 1.3 * em, String(tick), em, "middle");
  }
  pen.line("frame", x.start, bottom, x.end, bottom);
  pen.text("title", (x.start + x.end) / 2, bottom + 2.5 * em, `predicted probability of ${className(head, 1)}`, em, "middle");
  for (const [k, share, anchor] of [[0, 0.02, "start"], [1, 0.98, "end"]])
    pen.draw("text", { class: "label", x: x.place(share), y: box.top + em, "font-size": em, fill: classInk(k), "text-anchor": anchor }, k === 0 ? `← ${className(head, 0)}` : `${className(head, 1)} →`);
  const strip = [top + 0.42 * (bottom - top), bottom - 0.7 * em];
  drawBars(pen, cloud.rows.map((row) => row[1]), x, top, strip[0] - 0.6 * em);
  // Below each other in a fixed disorder, so that equal ones can be told apart.
  drawDarts(pen, cloud.rows, newest, (row, i) => [x.place(row[1]), strip[0] + ((i * 0.618034) % 1) * (strip[1] - strip[0])]);
  pen.line("curve truth bold", x.place(cloud.truth[1]), top, x.place(cloud.truth[1]), bottom);
  if (cloud.rows.length === 0) return;
  pen.line("curve bias bold", x.place(cloud.arithmetic[1]), top, x.place(cloud.arithmetic[1]), bottom);
  if (isKnown(cloud.geometric)) pen.line("curve bias dashed", x.place(cloud.geometric[1]), top, x.place(cloud.geometric[1]), bottom);
  const height = { arithmetic: strip[0] - 0.2 * em, geometric: strip[0] + 0.8 * em };
  drawMeans(pen, cloud, (row) => [x.place(row[1]), row === cloud.arithmetic ? height.arithmetic : height.geometric]);
}

// A histogram that stands on a line.
function drawBars(pen, values, x, top, foot) {
  if (values.length < 2) return;
  const counts = new Array(20).fill(0);
  for (const value of values) counts[Math.min(19, Math.max(0, Math.floor(value * 20)))]++;
  const most = Math.max(...counts);
  counts.forEach((count, bin) => {
    const height = ((foot - top) * count) / most;
    const [left, right] = [x.place(bin / 20), x.place((bin + 1) / 20)];
    pen.draw("rect", { class: "histogram", x: left + 0.5, y: foot - height, width: Math.max(1, right - left - 1), height });
  });
}

// Three classes: a triangle whose corners are certainty.
function drawSimplex(pen, box, head, cloud, newest) {
  const { em } = pen;
  const room = { left: box.left + 3.5 * em, right: box.right - 3.5 * em, top: box.top + 1.6 * em, bottom: box.bottom - 1.8 * em };
  const side = Math.min(room.right - room.left, ((room.bottom - room.top) * 2) / Math.sqrt(3));
  const middle = (room.left + room.right) / 2;
  const foot = (room.top + room.bottom + (side * Math.sqrt(3)) / 2) / 2;
  const corners = [[middle - side / 2, foot], [middle + side / 2, foot], [middle, foot - (side * Math.sqrt(3)) / 2]];
  const place = (row) => [0, 1].map((axis) => row.reduce((sum, p, k) => sum + p * corners[k][axis], 0));
  pen.draw("path", { class: "outline", d: `M${corners.map((corner) => corner.join(" ")).join("L")}Z` });
  // Where another class is the most probable one.
  const centre = place([1 / 3, 1 / 3, 1 / 3]);
  for (const pair of [[0, 1], [1, 2], [0, 2]]) {
    const [from, to] = pair.map((k) => corners[k]);
    pen.line("threshold", ...centre, (from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
  }
  corners.forEach(([cx, cy], k) => {
    const label = { class: "label", x: cx, y: k === 2 ? cy - 0.6 * em : cy + 1.3 * em, "font-size": em, fill: classInk(k), "text-anchor": "middle" };
    pen.draw("text", label, className(head, k));
  });
  drawDarts(pen, cloud.rows, newest, place);
  const [tx, ty] = place(cloud.truth);
  pen.draw("circle", { class: "bull", cx: tx, cy: ty, r: 0.45 * em });
  if (cloud.rows.length > 0) drawMeans(pen, cloud, place);
}

// More classes: a line for every one of them.
function drawLines(pen, box, head, cloud, newest) {
  const { em } = pen;
  // Scores that are no probabilities can lie outside.
  const x = new Axis(false, extent(cloud.rows.flat(), [0, 1]), [box.left + 5 * em, box.right - em]);
  const bottom = box.bottom - 2.9 * em;
  const row = (bottom - box.top) / cloud.truth.length;
  for (const tick of [0, 0.5, 1]) {
    pen.line("grid", x.place(tick), box.top, x.place(tick), bottom);
    pen.text("number", x.place(tick), bottom + 1.3 * em, String(tick), em, "middle");
  }
  pen.text("title", (x.start + x.end) / 2, bottom + 2.5 * em, "predicted probability", em, "middle");
  cloud.truth.forEach((truth, k) => {
    const y = box.top + (k + 0.5) * row;
    if (row > 0.9 * em) pen.draw("text", { class: "label", x: box.left + 4.5 * em, y: y + 0.35 * em, "font-size": em, fill: classInk(k), "text-anchor": "end" }, className(head, k));
    pen.line("frame", x.start, y, x.end, y);
    drawDarts(pen, cloud.rows, newest, (one) => [x.place(one[k]), y]);
    pen.draw("circle", { class: "bull", cx: x.place(truth), cy: y, r: 0.35 * em });
    if (cloud.rows.length > 0) drawMeans(pen, cloud, (mean) => [x.place(mean[k]), y]);
  });
}

export function drawCloud(pen, outer, run, learner, drawn, point) {
  const { em } = pen;
  const cloud = cloudAt(run, learner, drawn, point);
  const setting = settingWords(run, learner);
  const heading = `probabilities at ${planePointWords(run, point)}${setting === "" ? "" : ` (${setting})`}`;
  const width = outer.right - outer.left - 0.6 * em;
  const size = Math.min(1.1 * em, (1.1 * em * width) / textWidth(heading, 1.1 * em, 600));
  pen.text("heading", outer.left + 0.3 * em, outer.top + 1.1 * em, heading, size);
  const below = linesBelow(pen, run, cloud, width);
  const box = { left: outer.left + 0.3 * em, right: outer.right - 0.3 * em, top: outer.top + 1.9 * em, bottom: outer.bottom - (below.length * 1.4 + 0.3) * em };
  const newest = drawn !== null && drawn <= run.ready;
  const draw = { 2: drawSegment, 3: drawSimplex }[run.head.classes] ?? drawLines;
  draw(pen, box, run.head, cloud, newest);
  if (cloud.rows.length === 0) {
    const words = run.head.keep === 0 ? ["The fits of this experiment are too", "many to be sent to the page."] : ["Space draws a training set."];
    drawNotice(pen, box, words.flatMap((one) => wrapText(one, em, width)));
  }
  let y = outer.bottom - (below.length - 1) * 1.4 * em - 0.35 * em;
  for (const line of below) {
    pen.words(outer.left + 0.3 * em, y, line);
    y += 1.4 * em;
  }
}

// The picture in words.
export function cloudWords(run, learner, drawn, point) {
  const cloud = cloudAt(run, learner, drawn, point);
  const { head } = run;
  const which = head.classes === 2 ? `the probability of ${className(head, 1)}` : "the probabilities of the classes";
  const truth = head.rows ? `label ${labelWords(head, point)}` : `truth ${toldIn(head, cloud.truth)}`;
  const begin = `Predicted probabilities at ${planePointWords(run, point)}: of ${which}, ${truth}`;
  const bayes = head.rows ? "" : ` Bayes’ rule chooses class ${cloud.bayes};`;
  if (cloud.rows.length === 0) return `${begin}${bayes.replace(/^ (.*);$/, "; $1")}. Nothing drawn yet.`;
  const votes = cloud.votes.map((count, k) => [count, classWords(head, k)])
    .filter(([count]) => count > 0 || head.classes <= MOST_TOLD)
    .map(([count, words]) => `${count} ${words}`)
    .join(", ");
  const geometric = isKnown(cloud.geometric) ? `, geometric mean ${toldIn(head, cloud.geometric)}` : "";
  const means = `arithmetic mean ${toldIn(head, cloud.arithmetic)}${geometric} of ${several(cloud.rows.length, "refit", "refits")}`;
  const centre = cloud.centre ? `; ${togetherName(run.head)} of all ${toldIn(head, cloud.centre)}` : "";
  const risk = cloud.parts ? (head.rows ? 0 : cloud.parts.noise) + cloud.parts.bias2 + cloud.parts.variance : NaN;
  const noise = !cloud.parts ? "" : head.rows ? "(Bias² + noise)" : `Noise ${plain(cloud.parts.noise)} + bias²`;
  const parts = cloud.parts
    ? lossNamed({ loss: head.loss }, ` ${noise} ${plain(cloud.parts.bias2)} + variance ${plain(cloud.parts.variance)} = risk ${plain(risk)}, from ${several(cloud.parts.count, "training set", "training sets")}.`)
    : "";
  return `${begin}, ${means}${centre}.${bayes}${head.rows ? " Votes" : " votes"}: ${votes}.${parts}`;
}
