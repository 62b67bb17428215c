// One test point: the cloud of predictions there as a strip and a histogram, with the truth, the
// mean, the bias between them and ± sd, and the split in numbers.
import { lossNamed } from "./losses.js";
import { cloudWords, drawCloud, planePointWords } from "./cloud.js";
import { decimalsFor, plain, plusMinus, rounded, short, several } from "./numbers.js";
import { drawAxes, drawLabels, drawNotice, labelsRoom, numbersRoom } from "./panel.js";
import { textWidth } from "./pen.js";
import { rowWords } from "./rows.js";
import { Axis } from "./scales.js";
import { hasCurve, settingOf, settingWords } from "./view.js";

// `x = 1.57`, or the number of the test point in several dimensions.
export function pointWords(run, point) {
  const { head } = run;
  if (head.plane) return planePointWords(run, point);
  if (head.rows) return `held-out row ${point + 1}`;
  if (hasCurve(head)) return `x = ${short(head.test.x[point])}`;
  return `test point ${point + 1}`;
}

// What is known there: the truth, or the label of a row.
const measuredName = (head) => (head.rows ? "label" : "truth");

// The split at a test point: from all training sets once all are drawn, from the shown ones before.
export function splitAt(run, learner, drawn, point) {
  const { head } = run;
  const setting = settingOf(run, learner);
  const truth = head.test.truth[point];
  const noise = head.noise[head.learners[learner].problem[setting] ?? 0][point];
  const predictions = run.predictions(drawn, learner, setting, point);
  const here = head.test.truth.length * setting + point;
  const points = run.points?.[learner];
  if (points && run.complete(drawn)) {
    const [mean, bias2, variance] = [points.mean[here], points.bias2[here], points.variance[here]];
    return { truth, noise, predictions, mean, bias2, variance, count: run.total, biasHalf: NaN, varianceHalf: NaN };
  }
  const count = predictions.length;
  const mean = predictions.reduce((sum, one) => sum + one, 0) / count;
  const square = predictions.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const fourth = predictions.reduce((sum, one) => sum + (one - mean) ** 4, 0) / count;
  const variance = count > 1 ? square / (count - 1) : NaN;
  const t95 = run.frameAt(drawn)?.t95 ?? NaN;
  return {
    truth,
    noise,
    predictions,
    mean,
    count,
    variance,
    // The mean's own scatter is taken off, so that bias² is right on average.
    bias2: (mean - truth) ** 2 - variance / count,
    biasHalf: t95 * 2 * Math.abs(mean - truth) * Math.sqrt(variance / count),
    varianceHalf: t95 * Math.sqrt(Math.max(0, fourth - variance ** 2) / count),
  };
}

// The heights: nearly all predictions of the run, so that they stay as training sets come in.
function heightsAt(run, learner, point) {
  const setting = settingOf(run, learner);
  const all = Array.from({ length: run.ready }, (_, draw) => run.fit(draw, learner, setting)[point])
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const truth = run.head.test.truth[point];
  const at = (share) => all[Math.round(share * (all.length - 1))] ?? truth;
  // A few wild fits must not squeeze the rest.
  const spread = at(0.75) - at(0.25);
  const low = Math.min(truth, Math.max(at(0), at(0.25) - 4 * spread));
  const high = Math.max(truth, Math.min(at(1), at(0.75) + 4 * spread));
  const room = Math.max(0.1 * (high - low), 1e-6 * Math.max(1, Math.abs(truth)));
  return [low - room, high + room];
}

export function drawPoint(pen, outer, run, learner, drawn, point) {
  if (run.head.classes) return drawCloud(pen, outer, run, learner, drawn, point);
  const em = pen.em;
  const setting = settingWords(run, learner);
  const split = splitAt(run, learner, drawn, point);
  const count = split.predictions.length;
  const heading = `predictions at ${pointWords(run, point)}${setting === "" ? "" : ` (${setting})`}`;
  const size = Math.min(
    1.1 * em,
    (1.1 * em * (outer.right - outer.left - 0.6 * em)) / textWidth(heading, 1.1 * em, 600),
  );
  pen.text("heading", outer.left + 0.3 * em, outer.top + 1.1 * em, heading, size);
  const below = splitLines(pen, outer, run, split, pointWords(run, point));
  const box = { left: 0, right: 0, top: outer.top + 2 * em, bottom: outer.bottom - below.length * 1.4 * em - 0.9 * em };
  const y = new Axis(false, heightsAt(run, learner, point), [box.bottom, box.top]);
  box.left = outer.left + numbersRoom(pen, y) + 1.4 * em;
  const labels = [{ y: y.place(split.truth), text: measuredName(run.head), name: "truth" }];
  if (count > 0) labels.push({ y: y.place(split.mean), text: "mean", name: "bias" });
  box.right = outer.right - labelsRoom(pen, [measuredName(run.head), "bias +0.00"]);
  const strip = box.left + 0.3 * (box.right - box.left);
  const x = new Axis(false, [0, 1], [box.left, box.right]);
  drawAxes(pen, box, x, y, { y: "prediction", left: outer.left }, null, false);
  if (count === 0) {
    drawNotice(
      pen,
      box,
      run.head.keep === 0
        ? ["The fits of this experiment are", "too many to be sent to the page."]
        : ["Space draws a training set."],
    );
  }
  pen.clip(box);
  drawHistogram(pen, { ...box, left: strip + 0.5 * em, right: box.right - 3.2 * em }, y, split.predictions);
  pen.line("curve truth bold", box.left, y.place(split.truth), box.right, y.place(split.truth));
  split.predictions.forEach((prediction, i) => {
    // Beside each other in a fixed disorder, so that equal ones can be told apart.
    const across = box.left + em + ((i * 0.618034) % 1) * (strip - box.left - 1.6 * em);
    const newest = i === count - 1 && drawn !== null && drawn <= run.ready;
    pen.draw("circle", {
      class: newest ? "dart newest" : "dart",
      cx: across,
      cy: y.place(prediction),
      r: (newest ? 0.36 : 0.24) * em,
    });
  });
  if (count > 0) pen.line("curve bias bold", box.left, y.place(split.mean), box.right, y.place(split.mean));
  const sd = Math.sqrt(split.variance);
  if (count > 1 && Number.isFinite(sd)) {
    const [at, half] = [box.right - 2.5 * em, 0.35 * em];
    const [low, high] = [y.place(split.mean - sd), y.place(split.mean + sd)];
    pen.draw("path", {
      class: "curve variance",
      d: `M${at} ${low}V${high}M${at - half} ${low}h${2 * half}M${at - half} ${high}h${2 * half}`,
    });
    pen.text("ink-variance strong", at - 0.5 * em, Math.max(box.top + em, high - 0.25 * em), "± sd", em, "middle");
  }
  if (count > 0) {
    const at = box.right - 0.9 * em;
    const [from, to] = [y.place(split.truth), y.place(split.mean)];
    const tip = Math.min(0.45 * em, Math.abs(to - from)) * Math.sign(to - from);
    pen.draw("path", {
      class: "curve bias",
      d: `M${at} ${from}V${to}m${-Math.abs(tip)} ${-tip}L${at} ${to}l${Math.abs(tip)} ${-tip}`,
    });
  }
  pen.close();
  if (count > 0) {
    const bias = split.mean - split.truth;
    const middle = (y.place(split.truth) + y.place(split.mean)) / 2;
    labels.push({
      y: middle,
      text: `bias ${bias < 0 ? "" : "+"}${rounded(bias, Math.max(1, decimalsFor(Math.abs(bias) / 10, bias, 1)))}`.replace(
        /(\.\d{3})\d+/,
        "$1",
      ),
      name: "bias",
    });
  }
  drawLabels(pen, box.right, labels, box.top + 0.4 * em, box.bottom - 0.2 * em);
  let at = outer.bottom - (below.length - 1) * 1.4 * em - 0.35 * em;
  for (const line of below) {
    pen.words(outer.left + 0.3 * em, at, line);
    at += 1.4 * em;
  }
  return null;
}

function drawHistogram(pen, box, y, predictions) {
  if (predictions.length < 2) return;
  const bins = Math.max(6, Math.min(24, Math.round(1.6 * Math.sqrt(predictions.length) + 3)));
  const counts = new Array(bins).fill(0);
  for (const prediction of predictions) {
    const bin = Math.floor(((prediction - y.from) / (y.to - y.from)) * bins);
    if (bin >= 0 && bin < bins) counts[bin]++;
  }
  const most = Math.max(1, ...counts);
  const height = (y.start - y.end) / bins;
  counts.forEach((count, bin) => {
    pen.draw("rect", {
      class: "histogram",
      x: box.left,
      y: y.start - (bin + 1) * height + 0.5,
      width: ((box.right - box.left) * count) / most,
      height: Math.max(1, height - 1),
    });
  });
}

// The numbers below the picture, as lines of words with their classes.
function splitLines(pen, outer, run, split, where) {
  if (split.predictions.length === 0 && split.count === 0)
    return [[["soft", run.head.rows ? `label ${plain(split.truth)}` : `truth ${plain(split.truth)}, noise ${plain(split.noise)}`]]];
  if (!(split.count > 1))
    return [[["soft", `${measuredName(run.head)} ${plain(split.truth)}, prediction ${plain(split.mean)}: one more for a spread`]]];
  const { noise, bias2, variance } = split;
  const known = run.head.rows ? 0 : noise;
  const number = (value, half) => (Number.isFinite(half) ? plusMinus(value, half) : plain(value));
  const parts = [
    [["strong", `at ${where}: `]],
    ...(run.head.rows ? [] : [[["ink-noise strong", "noise "], ["", plain(noise)], ["soft", " + "]]]),
    [
      ["ink-bias strong", lossNamed(run.head, "bias² ")],
      ["", number(bias2, split.biasHalf)],
      ["soft", " + "],
    ],
    [
      ["ink-variance strong", "variance "],
      ["", number(variance, split.varianceHalf)],
      ["soft", " = "],
    ],
    [
      ["ink-risk strong", "risk "],
      ["strong", plain(known + bias2 + variance)],
    ],
  ];
  const width = (part) =>
    part.reduce((sum, [name, text]) => sum + textWidth(text, pen.em, name.includes("strong") ? 600 : 400), 0);
  const lines = [[]];
  let used = 0;
  for (const part of parts) {
    if (used > 0 && used + width(part) > outer.right - outer.left - pen.em) {
      lines.push([]);
      used = 0;
    }
    lines[lines.length - 1].push(...part);
    used += width(part);
  }
  const shown = split.predictions.length;
  const from =
    split.count > shown
      ? `split from ${several(split.count, "training set", "training sets")}; dots: ${shown} of them`
      : `from ${several(split.count, "training set", "training sets")}`;
  return [...lines, [["soft", from]]];
}

// The picture in words.
export function pointSummary(run, learner, drawn, point) {
  if (run.head.classes) return cloudWords(run, learner, drawn, point);
  const split = splitAt(run, learner, drawn, point);
  const where = pointWords(run, point);
  if (split.count === 0) return `Predictions at ${where}: nothing drawn yet. The ${measuredName(run.head)} is ${plain(split.truth)}.`;
  const sd = Number.isFinite(split.variance) ? ` and standard deviation ${plain(Math.sqrt(split.variance))}` : "";
  const { noise, bias2, variance } = split;
  const sum = run.head.rows ? `(Bias² + noise) ${plain(bias2)}` : `Noise ${plain(noise)} + bias² ${plain(bias2)}`;
  const risk = (run.head.rows ? 0 : noise) + bias2 + variance;
  return `Predictions at ${run.head.rows ? rowWords(run, point) : where}: ${measuredName(run.head)} ${plain(split.truth)}, mean ${plain(split.mean)}, bias ${plain(split.mean - split.truth)}${sd}. ${sum} + variance ${plain(variance)} = risk ${plain(risk)}, from ${several(split.count, "training set", "training sets")}.`;
}
