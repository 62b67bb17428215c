// The trade-off: the parts of the error over what is swept, with error bands, the exact forms
// through them, and a marker at the current setting.
import { drawLearnerBars } from "./bars.js";
import { PARTS } from "./look.js";
import { errorName, lossNamed } from "./losses.js";
import { several, short, withInterval } from "./numbers.js";
import { learnerColour, learnerInk } from "./palette.js";
import { drawAxes, drawLabels, drawNotice, labelsRoom, numbersRoom } from "./panel.js";
import { fitting, waitingWords } from "./parts.js";
import { bandBetween, pathThrough, textWidth, wrapText } from "./pen.js";
import { firstHeights, rangesOf, sharedRanges } from "./ranges.js";
import { Axis } from "./scales.js";
import { cutApart } from "./words.js";
import { bestAlong, placesOf, settingWords, sliceOf, tradeoffOptions } from "./view.js";

function pick(values, slice) {
  return slice.map((i) => values[i]);
}

function heavyOf(frame, learner, slice) {
  return pick(frame.learners[learner].heavy, slice);
}

// Where the parts of a learner lie, in its panel.
function drawCurves(pen, box, x, y, ranges, run, learner, frame, shownParts, withTheory) {
  const slice = sliceOf(run, learner);
  const own = frame.learners[learner];
  const heavy = heavyOf(frame, learner, slice);
  const doubt = heavy.some((one) => one);
  const xs = ranges.places.map((value) => x.place(value));
  const theory = withTheory ? (run.theory?.[learner] ?? null) : null;
  const labels = [];
  const foot = (value) => (Number.isNaN(value) ? NaN : y.place(y.log && value <= y.from ? y.from : value));
  for (const part of PARTS) {
    if (!shownParts.includes(part.column)) continue;
    if (part.column === "risk_median" && !doubt) continue;
    const isMean = part.column !== "risk_median" && part.column !== "noise";
    const values = pick(own[part.column], slice);
    // Where a mean is not to be believed it is left out: median and quartiles stand for it.
    const believed = values.map((value, i) => (isMean && part.column !== "train_risk" && heavy[i] ? NaN : value));
    const [low, high] =
      part.column === "risk_median"
        ? [pick(own.risk_q25, slice), pick(own.risk_q75, slice)]
        : part.column === "noise"
          ? [null, null]
          : ["low", "high"].map((end) => bandOf(believed, pick(own[`${part.column}_${end}`], slice)));
    const ys = believed.map(foot);
    const exact =
      theory && part.exact
        ? pick(theory[part.exact], slice)
        : theory && part.column === "risk"
          ? slice.map((i) => own.noise[i] + theory.bias2_exact[i] + theory.variance_exact[i])
          : null;
    const finite = exact?.map((value) => (Number.isFinite(value) ? value : NaN));
    if (finite && finite.some((value) => !Number.isNaN(value))) {
      pen.draw("path", { class: `curve exact ${part.name}`, d: pathThrough(xs, finite.map(foot)) });
      drawDots(pen, part.name, xs, ys, low.map(foot), high.map(foot));
    } else {
      if (low) pen.draw("path", { class: `band ${part.name}`, d: bandBetween(xs, low.map(foot), high.map(foot)) });
      pen.draw("path", {
        class: `curve ${part.name}${part.dashed ? " dashed" : ""}`,
        d: pathThrough(xs, ys),
      });
      if (xs.length === 1) pen.draw("circle", { class: `dot ${part.name}`, cx: xs[0], cy: ys[0], r: 0.3 * pen.em });
    }
    if (part.column === "risk" && xs.length > 1) {
      const best = slice.indexOf(bestAlong(run, learner, frame).setting);
      if (Number.isFinite(ys[best]))
        pen.draw("circle", { class: "lowest", cx: xs[best], cy: ys[best], r: 0.45 * pen.em });
    }
    const last = ys
      .map((place, i) => [place, i])
      .filter(([place]) => Number.isFinite(place))
      .pop();
    const final = run.newest.learners[learner][part.column][slice[last?.[1] ?? 0]];
    if (last) labels.push({ y: last[0], rank: foot(final), text: lossNamed(run.head, labelOf(part, box.narrow, shownParts)), name: part.name });
  }
  if (shownParts.includes("test_risk")) {
    const dots = slice.map((i, at) => (heavy[at] ? NaN : foot(own.test_risk[i])));
    dots.forEach((place, at) => {
      if (Number.isFinite(place)) pen.draw("circle", { class: "measured", cx: xs[at], cy: place, r: 0.2 * pen.em });
    });
  }
  return labels;
}

function bandOf(values, ends) {
  return ends.map((end, i) => (Number.isNaN(values[i]) ? NaN : end));
}

// Simulated values as dots with error bars, for the exact curve to run through.
function drawDots(pen, name, xs, ys, lows, highs) {
  const bars = xs
    .map((x, i) => (Number.isNaN(lows[i]) ? "" : `M${x.toFixed(1)} ${lows[i].toFixed(1)}V${highs[i].toFixed(1)}`))
    .join("");
  pen.draw("path", { class: `whisker ${name}`, d: bars });
  const dots = xs.map((x, i) => (Number.isNaN(ys[i]) ? "" : `M${x.toFixed(1)} ${ys[i].toFixed(1)}h0`)).join("");
  pen.draw("path", { class: `points ${name}`, d: dots, "stroke-width": 0.42 * pen.em });
}

// Single training sets: their risks, faint; the newest one stands out.
function drawSingles(pen, run, learner, drawn, x, y, ranges, all) {
  const slice = sliceOf(run, learner);
  const shown = run.shown(drawn);
  const xs = ranges.places.map((value) => x.place(value));
  const place = [x.start, x.end, x.from, x.to, y.start, y.end, y.from, y.to, y.log].join();
  const path = (draw) =>
    run.path(`risks ${learner}`, place, `${slice[0]}/${draw}`, () =>
      pathThrough(xs, pick(run.draws[draw].risk[learner], slice).map((value) => y.place(value))),
    );
  const newest = shown > 0 && drawn !== null && drawn <= run.ready;
  pen.pile(!all ? 0 : newest ? shown - 1 : shown, (draw) => pen.draw("path", { class: "single", d: path(draw) }));
  if (newest) pen.draw("path", { class: "single newest", d: path(shown - 1) });
}

function axisTitles(axis) {
  return axis.about ? [`${axis.name} (${axis.about})`, axis.name] : [axis.name];
}

// What is shown, and what it is made of. Returns where the panel below may begin.
function drawHeading(pen, outer, run, learner, frame, options, look) {
  const { em } = pen;
  const top = outer.top + 1.1 * em;
  if (look.titled === false) return top + 0.6 * em;
  const own = run.head.learners[learner];
  const second = own.axes[1];
  const name = second ? `${own.name}, ${second.name} = ${short(second.values[placesOf(run, learner)[1]])}` : own.name;
  const heading = look.overlay ? "risk of all learners" : name;
  const width = outer.right - outer.left;
  const size = Math.min(1.1 * em, (1.1 * em * width) / Math.max(1, textWidth(heading, 1.1 * em, 600)));
  pen.text(look.chosen ? "heading chosen" : "heading", outer.left + 0.3 * em, top, heading, size);
  const room = width - textWidth(heading, size, 600) - 2 * em;
  pen.text("soft", outer.right - 0.4 * em, top, captionFor(run, learner, frame, options, look, room, em), em, "end");
  return top + 1.95 * em;
}

// Draws the panel of one learner. Returns its axes and places, for the pointer.
export function drawTradeoff(pen, outer, run, learner, drawn, look) {
  const { head } = run;
  const own = head.learners[learner];
  if (own.axes.length === 0) return drawLearnerBars(pen, outer, run, drawn);
  const options = tradeoffOptions(run);
  // Learners in one panel that sweep the same number see all of its values.
  const together = look.overlay ? sharedRanges(run, [...head.learners.keys()], options, look.scene) : null;
  const ranges = look.ranges ?? together?.get(learner) ?? rangesOf(run, learner, options, look.scene);
  const frame = run.frameAt(drawn);
  const em = pen.em;
  const others = look.overlay ? [] : head.learners.map((_, i) => i).filter((i) => i !== learner && look.others);
  const narrow = outer.right - outer.left < 27 * em;

  const place = placesOf(run, learner)[0];
  const top = drawHeading(pen, outer, run, learner, frame, options, look);

  const notes = tradeoffNotes(run, learner, frame, ranges, look);
  // What there is no room for is said in the table of the numbers too.
  const wrapped = notes.flatMap((note) => wrapText(note, em, outer.right - outer.left - em));
  const noteLines = outer.bottom - top - (2.9 + 1.25 * wrapped.length) * em > 8 * em ? wrapped : [];
  const bottom = outer.bottom - (look.numbered === false ? 0.5 : 2.9) * em - noteLines.length * 1.25 * em;
  const heights = ranges.y ?? firstHeights(run, look.together ?? [learner], ranges.log.y);
  const y = new Axis(ranges.log.y, heights, [bottom, top + 0.35 * em]);
  const room = Math.min(labelsRoom(pen, endNames(run, learner, frame, others, look, narrow)), 0.36 * (outer.right - outer.left));
  const box = {
    left: outer.left + Math.max(numbersRoom(pen, y), look.room ?? 0) + 1.4 * em,
    right: outer.right - room,
    top,
    bottom,
    narrow,
  };
  const x = new Axis(ranges.log.x, ranges.x, [box.left + 0.6 * em, box.right - 0.6 * em]);
  drawAxes(
    pen,
    box,
    x,
    y,
    { x: look.numbered === false ? null : axisTitles(own.axes[0]), y: look.unit ?? errorName(head), left: outer.left },
    ranges.places,
    look.numbered !== false,
    ranges.zero,
  );

  drawMarks(pen, box, x, options.marks ?? [], head.threshold);
  pen.clip({ left: box.left, right: outer.right, top: box.top, bottom: box.bottom + 0.3 * em });
  const labels = [];
  if (look.overlay && frame) labels.push(...drawOverlay(pen, run, learner, frame, x, y, together));
  else {
    const singles = !frame || (options.runs ?? 0) > 0;
    if (look.singles !== false) drawSingles(pen, run, learner, drawn, x, y, ranges, singles);
    drawBefore(pen, look.ghost, run, learner, x, y);
    if (frame) {
      for (const other of others) labels.push(...drawOther(pen, run, frame, other, learner, x, y));
      labels.push(...drawCurves(pen, box, x, y, ranges, run, learner, frame, look.parts, look.theory));
      drawGuesses(pen, look.guesses ?? [], ranges.places.map((value) => x.place(value)), pick(riskOf(frame, learner), sliceOf(run, learner)).map((value) => y.place(value)));
    }
  }
  pen.close();
  if (look.labelled !== false) drawEnds(pen, box, labels, room);
  const at = x.place(ranges.places[place]);
  drawMarker(
    pen,
    box,
    at,
    look.overlay || own.axes.length === 1
      ? settingWords(run, learner)
      : `${own.axes[0].name} = ${short(own.axes[0].values[place])}`,
    outer,
  );
  if (!frame) drawNotice(pen, { ...box, bottom: (box.top + box.bottom) / 2 }, waitingWords(run, drawn));
  pen.lines("soft", outer.left + 0.5 * em, bottom + (look.numbered === false ? 0.5 : 2.9) * em + em, noteLines, em);
  return { box, x, y, places: ranges.places.map((value) => x.place(value)) };
}

// What will be said beside the ends of curves.
function endNames(run, learner, frame, others, look, narrow) {
  if (look.labelled === false) return [];
  const { learners } = run.head;
  const flat = { start: 0, end: 1, place: () => 0 };
  if (look.overlay) return learners.map((_, i) => (frame ? alongAxis(run, frame, i, learners[learner].axes[0].name, flat).text : ""));
  const parts = PARTS.filter((part) => look.parts.includes(part.column)).map((part) => lossNamed(run.head, labelOf(part, narrow, look.parts)));
  return [...parts, ...others.map((i) => learners[i].name)];
}

// The names of the curves beside their ends, in so much room.
function drawEnds(pen, box, labels, room) {
  const { em } = pen;
  const cut = cutApart(
    labels.map((label) => label.text),
    (text) => fitting(text, room - 0.2 * em, em),
  );
  drawLabels(
    pen,
    box.right - 0.5 * em,
    labels.map((label, i) => ({ ...label, text: cut[i] })),
    box.top + 0.5 * em,
    box.bottom - 0.3 * em,
  );
}

// What the picture is made of, as far as there is room to say it.
function captionFor(run, learner, frame, options, look, width, em) {
  if (!frame) return "";
  const parts = [several(frame.count, "training set", "training sets")];
  if (look.ghost && hasBefore(look.ghost, run, learner) && !look.overlay) parts.push("thin: before the last change");
  if (look.theory && !look.overlay && run.theory?.[learner]) parts.push("dashed: exact");
  parts.push("bands: 95 %");
  if ((options.runs ?? 0) > 0 && !look.overlay) parts.push("faint: single ones");
  while (parts.length > 0 && textWidth(parts.join("; "), em) > width) parts.pop();
  return parts.join("; ");
}

// Guesses as marks on the curve of the risk: a disc for every value, as large as it was guessed often; those of
// an earlier round as rings.
function drawGuesses(pen, rounds, xs, ys) {
  rounds.forEach((counts, round) => {
    const most = Math.max(1, ...counts);
    counts.forEach((count, i) => {
      if (count === 0 || !Number.isFinite(ys[i])) return;
      const last = round === rounds.length - 1;
      pen.draw("circle", { class: last ? "guess" : "guess before", cx: xs[i], cy: ys[i], r: (0.25 + 0.45 * Math.sqrt(count / most)) * pen.em });
    });
  });
}

// The words beside the end of a curve.
function labelOf(part, narrow, parts) {
  if (part.column === "risk" && parts.includes("test_risk")) return narrow ? "risk ○" : "risk, ○ measured";
  return narrow ? part.brief : part.label;
}

// What must be said below the picture.
function tradeoffNotes(run, learner, frame, ranges, look) {
  if (!frame || look.titled === false) return [];
  const notes = [];
  const slice = sliceOf(run, learner);
  const own = frame.learners[learner];
  if (heavyOf(frame, learner, slice).some((one) => one))
    notes.push("Gaps: means may not exist there. Brown: median and quartiles of single training sets.");
  const others = run.head.learners.some((one) => one.axes.length > 0 && one.axes[0].name !== run.head.learners[learner].axes[0]?.name);
  if (others && (look.overlay || look.others))
    notes.push("Dashed level: a learner that sweeps another parameter, at its best setting.");
  if (look.overlay) return notes;
  if (ranges.log.y && look.parts.includes("bias2") && slice.some((i) => own.bias2[i] <= 0))
    notes.push(lossNamed(run.head, "Bias² estimated at or below 0 is drawn at the bottom."));
  return notes;
}

function drawMarks(pen, box, x, marks, threshold) {
  const all = marks.map(({ at, text }) => ({ at, text }));
  if (threshold !== null && !all.some((mark) => mark.at === threshold)) all.push({ at: threshold, text: "p = n" });
  for (const { at, text } of all) {
    const place = x.place(at);
    if (!(place >= box.left && place <= box.right)) continue;
    pen.line("threshold", place, box.top, place, box.bottom);
    const width = textWidth(text, pen.em) + pen.em;
    const right = place + width < box.right;
    // Where there is no room on either side, the line alone is drawn.
    if (!right && place - width < box.left) continue;
    pen.text(
      "soft",
      place + (right ? 0.35 : -0.35) * pen.em,
      box.top + 1.1 * pen.em,
      text,
      pen.em,
      right ? "start" : "end",
    );
  }
}

function drawMarker(pen, box, at, words, outer) {
  const half = textWidth(words, pen.em, 600) / 2 + 0.3 * pen.em;
  pen.line("marker", at, box.top, at, box.bottom);
  pen.draw("circle", { class: "handle", cx: at, cy: box.top, r: 0.42 * pen.em });
  const middle = Math.max(outer.left + half, Math.min(outer.right - half, at));
  pen.text("heading", middle, box.top - 0.62 * pen.em, words, pen.em, "middle");
}

// Whether the run before the last change has the same learner over the same axis.
function hasBefore(ghost, run, learner) {
  const [own, before] = [run.head.learners[learner], ghost?.head?.learners?.[learner]];
  return Boolean(ghost?.newest) && before?.name === own.name && before.axes[0]?.name === own.axes[0]?.name;
}

// The parts as they were before the last change.
function drawBefore(pen, ghost, run, learner, x, y) {
  if (!hasBefore(ghost, run, learner)) return;
  const slice = sliceOf(ghost, learner);
  const own = ghost.newest.learners[learner];
  const xs = Array.from(ghost.head.learners[learner].axes[0].values, (value) => x.place(value));
  for (const [column, name] of [["bias2", "bias"], ["variance", "variance"], ["risk", "risk"]]) {
    const ys = slice.map((i) => (own.heavy[i] ? NaN : y.place(own[column][i])));
    pen.draw("path", { class: `ghost ${name}`, d: pathThrough(xs, ys) });
  }
}

// Where the risk of a learner lies on the axis of another: a curve over the same parameter, else a level,
// at its best setting if it sweeps something else. Returns the settings, places and words.
function alongAxis(run, frame, learner, axis, x, ranges = null) {
  const own = run.head.learners[learner];
  if (own.axes[0]?.name === axis) {
    const values = Array.from(ranges?.places ?? own.axes[0].values, (one) => x.place(one));
    return { settings: sliceOf(run, learner), xs: values, text: own.name };
  }
  if (own.axes.length === 0) return { settings: [0, 0], xs: [x.start, x.end], text: own.name };
  const { setting } = bestAlong(run, learner, frame);
  const value = own.axes[0].values[setting % own.axes[0].values.length];
  const text = `${own.name}, best ${own.axes[0].name} ${short(value)}`;
  return { settings: [setting, setting], xs: [x.start, x.end], text, best: true };
}

// The risk of another learner, thinner.
function drawOther(pen, run, frame, other, learner, x, y) {
  const risks = riskOf(frame, other);
  const { settings, xs, text, best } = alongAxis(run, frame, other, run.head.learners[learner].axes[0].name, x);
  const ys = settings.map((i) => y.place(risks[i]));
  const colour = learnerColour(run.head, other);
  pen.draw("path", { class: best ? "curve other dashed" : "curve other", stroke: colour, d: pathThrough(xs, ys) });
  const final = y.place(riskOf(run.newest, other)[settings.at(-1)]);
  return [{ y: ys[ys.length - 1], rank: final, text, name: "risk", colour: learnerInk(run.head, other) }];
}

// Means, or medians where a mean is not to be believed.
function riskOf(frame, learner) {
  const own = frame.learners[learner];
  return own.heavy.some((one) => one) ? own.risk_median : own.risk;
}

// The risks of all learners on one panel over the parameter of one of them, each in its colour.
function drawOverlay(pen, run, chosen, frame, x, y, together) {
  const labels = [];
  run.head.learners.forEach((_, learner) => {
    const { settings, xs, text, best } = alongAxis(run, frame, learner, run.head.learners[chosen].axes[0].name, x, together.get(learner));
    const risks = riskOf(frame, learner);
    const mine = frame.learners[learner];
    const heavy = mine.heavy.some((one) => one);
    const end = (i, sign) => {
      if (heavy) return risks[i] + sign * frame.t95 * mine.risk_median_se[i];
      return (sign < 0 ? mine.risk_low : sign > 0 ? mine.risk_high : risks)[i];
    };
    const ys = (sign) => settings.map((i) => y.place(end(i, sign)));
    const colour = learnerColour(run.head, learner);
    pen.draw("path", { class: "band", fill: colour, d: bandBetween(xs, ys(-1), ys(1)) });
    pen.draw("path", { class: best ? "curve dashed" : "curve", stroke: colour, d: pathThrough(xs, ys(0)) });
    const final = y.place(riskOf(run.newest, learner)[settings.at(-1)]);
    labels.push({ y: ys(0).filter(Number.isFinite).pop(), rank: final, text, name: "risk", colour: learnerInk(run.head, learner) });
  });
  const noise = frame.learners[chosen].noise;
  if (noise.every((value) => value === noise[0])) {
    pen.line("curve noise", x.start, y.place(noise[0]), x.end, y.place(noise[0]));
    labels.push({ y: y.place(noise[0]), text: "noise", name: "noise" });
  }
  return labels;
}

// The lowest risk of a learner, and where it is.
function lowestWords(run, learner, frame) {
  const values = frame.learners[learner];
  const { setting: best, words } = bestAlong(run, learner, frame);
  const where = words === "" ? "" : `, ${words}`;
  const risk = values.heavy[best]
    ? `median risk ${short(values.risk_median[best])}`
    : `risk ${withInterval(values.risk[best], values.risk_low[best], values.risk_high[best])}`;
  return `${risk}${where}`;
}

// All learners in one picture, in words: also who is a level there, and why.
export function overlayWords(run, learner, drawn) {
  const { learners } = run.head;
  const axis = learners[learner].axes[0].name;
  const frame = run.frameAt(drawn);
  if (!frame) return "Risk of all learners: no estimates yet; error bars need 4 training sets.";
  const of = learners.map((own, i) => {
    const why = own.axes.length === 0 ? " sweeps nothing, a level" : own.axes[0].name === axis ? "" : ` sweeps ${own.axes[0].name} instead, a level at its best`;
    return `${own.name}${why}: ${lowestWords(run, i, frame)}.`;
  });
  return `Risk of all learners on the axis of ${learners[learner].name} over ${axis}, from ${several(frame.count, "training set", "training sets")}. ${of.join(" ")}`;
}

// The picture in words.
export function tradeoffWords(run, learner, drawn) {
  const own = run.head.learners[learner];
  const frame = run.frameAt(drawn);
  if (!frame) return "Trade-off: no estimates yet; error bars need 4 training sets.";
  const over = own.axes.length > 0 ? ` over ${own.axes[0].name}` : "";
  const lowest = lowestWords(run, learner, frame).replace(/^./, (first) => first.toUpperCase());
  const parts = lossNamed(run.head, "Noise, bias², variance and risk");
  return `${parts} of ${own.name}${over}, from ${several(frame.count, "training set", "training sets")}. ${lowest}.`;
}
