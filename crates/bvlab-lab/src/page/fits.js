// Fits: training points, the truth, the refits piling up faintly, their mean bold. In several
// dimensions, where there is no curve to draw: predictions against the truth.
import { drawKey, headingOf, wordsAt } from "./headings.js";
import { short, several, thousands } from "./numbers.js";
import { drawAxes, drawNotice, numbersRoom } from "./panel.js";
import { pathThrough, wrapText } from "./pen.js";
import { drawPlane, planeWords } from "./plane.js";
import { drawRows, drawsAgainst, rowsWords } from "./rows.js";
import { Axis, extent } from "./scales.js";
import { halfways, isStairs, nearestStairs, stairs } from "./stairs.js";
import { hasCurve, orderOf, settingOf, sliceOf } from "./view.js";

// More points than this on a curve cannot be told apart.
const FINEST = 700;

// The heights that are shown: the truth with the reach of its noise. They do not depend on the
// fits, so that dragging does not move the axis.
export function heightsOf(run) {
  if (!run.heights) {
    const [low, high] = extent(run.head.test.truth);
    const sd = Math.sqrt(Math.max(0, ...run.head.noise.map((noise) => extent(noise)[1])));
    const room = Math.max(2.6 * (Number.isFinite(sd) ? sd : 0), 0.12 * (high - low), 1e-9);
    run.heights = [low - room, high + room];
  }
  return run.heights;
}

// The mean fit, but none where a mean may not exist.
export function believedMean(run, drawn, learner, setting) {
  const heavy = run.frameAt(drawn)?.learners[learner].heavy[setting] ?? false;
  return heavy ? { mean: null, count: 0 } : run.meanFit(drawn, learner, setting);
}

// What is said of the truth, the fits, their mean and the data; null what is not there.
export function keyParts(count, shown, mean, hidden) {
  return [
    hidden.includes("truth") ? null : ["ink-truth", "truth"],
    shown > 0 && !hidden.includes("fits") ? ["ink-variance", shown === 1 ? "fit" : `${thousands(shown)} refits`] : null,
    mean && count > 1 ? ["ink-bias", count > shown ? `mean of ${thousands(count)}` : "mean fit"] : null,
    shown > 0 ? ["ink-data", shown === 1 ? "● data" : "● newest data"] : null,
  ];
}

// The same at its longest.
export function longestParts(run) {
  return ["truth", `${thousands(run.kept)} refits`, `mean of ${thousands(run.total)}`, "● newest data"];
}

// The corners of a fit to a training set: steps of those that have steps.
export function cornersOf(places, values, data, error) {
  if (error === 0) {
    const nearest = nearestStairs(places, values, data);
    if (nearest) return nearest;
  }
  return isStairs(values) ? stairs(places, values, halfways(data.x)) : [places, values];
}

// Draws the fits of a learner, of the setting that is looked at or of a place on its first axis, without
// what is hidden, over the `ghost` of the setting before; `bare`: what is drawn is said elsewhere; `panel`:
// which one of several it is. Returns the axes, for the pointer; null where there are none.
export function drawFits(pen, outer, run, learner, drawn, points, titled = true, options = {}) {
  const { place = null, hidden = [], chosen = false, ghost = null, bare = false, panel = 0 } = options;
  const { head } = run;
  if (head.plane) return drawPlane(pen, outer, run, learner, drawn, points, titled, options);
  if (head.rows && !drawsAgainst(run)) return drawRows(pen, outer, run, learner, drawn, points, titled, options);
  if (!hasCurve(head)) return drawAgainst(pen, outer, run, learner, drawn, points[0] ?? null, titled);
  const setting = place === null ? settingOf(run, learner) : sliceOf(run, learner)[place];
  const shown = run.shown(drawn);
  const believed = believedMean(run, drawn, learner, setting);
  const mean = hidden.includes("mean") || hidden.includes("fits") ? null : believed.mean;
  const { count } = believed;
  const said = keyParts(count, shown, mean, hidden);
  // Side by side there is no room to keep for what is not there.
  const parts = place === null ? said : said.filter((part) => part !== null);
  const longest = place === null ? longestParts(run) : parts.map(([, text]) => text);
  const inside = { ...outer, left: outer.left + 0.3 * pen.em, right: outer.right - pen.em };
  const heading = hidden.includes("fits") ? "training points" : headingOf(run, learner, place);
  const top = bare ? outer.top + 0.3 * pen.em : drawKey(pen, inside, heading, parts, longest, chosen);
  const bottom = outer.bottom - (titled ? 2.9 : 1.6) * pen.em;
  const y = new Axis(false, heightsOf(run), [bottom, top + 0.3 * pen.em]);
  const left = outer.left + Math.max(options.room ?? 0, numbersRoom(pen, y));
  const box = { left, right: outer.right - 0.8 * pen.em, top, bottom };
  const x = new Axis(false, head.range, [box.left, box.right]);
  drawAxes(pen, box, x, y, titled ? { x: "x" } : {});

  const order = orderOf(run);
  const stride = Math.max(1, Math.ceil(order.length / FINEST));
  const places = order.filter((_, i) => i % stride === 0);
  const inputs = places.map((i) => head.test.x[i]);
  const through = (at, values) => pathThrough(Array.from(at, (one) => x.place(one)), Array.from(values, (one) => y.place(one)));
  const curve = (values) => through(inputs, places.map((i) => values[i]));
  const dataOf = (draw) => run.draws[draw].data[head.learners[learner].problem[setting] ?? 0];
  const fitted = (draw) =>
    run.path(`fits ${panel}`, [box.left, box.right, y.start, y.end, y.from, y.to].join(), `${learner}/${setting}/${draw}`, () => {
      const fit = run.fit(draw, learner, setting);
      const values = places.map((i) => fit[i]);
      return through(...cornersOf(inputs, values, dataOf(draw), run.draws[draw].train?.[learner]?.[setting] ?? NaN));
    });
  pen.clip(box);
  for (const point of points) {
    const place = x.place(head.test.x[point]);
    pen.line("mark", place, box.top, place, box.bottom);
  }
  const newest = shown - 1;
  // In few steps, so that not every line changes with every training set.
  const faint = [0.5, 0.4, 0.3, 0.2, 0.15].find((one) => one <= 4 / Math.max(1, shown)) ?? 0.1;
  const look = { class: "curve variance", "stroke-opacity": String(faint) };
  pen.pile(hidden.includes("fits") ? 0 : newest, (draw) => pen.draw("path", { ...look, d: fitted(draw) }));
  if (!hidden.includes("truth")) pen.draw("path", { class: "curve truth bold", d: curve(head.test.truth) });
  if (newest >= 0) {
    const data = dataOf(newest);
    const dots = Array.from(data.x, (at, i) => `M${x.place(at).toFixed(1)} ${y.place(data.y[i]).toFixed(1)}h0`).join(
      "",
    );
    // Many points are small, or they would hide what they are about.
    const size = 0.42 * Math.min(1, Math.max(0.35, Math.sqrt(150 / data.x.length)));
    pen.draw("path", { class: "data", d: dots, "stroke-width": size * pen.em });
    if (!hidden.includes("fits")) pen.draw("path", { class: "curve variance newest", d: fitted(newest) });
  }
  drawGhost(pen, ghost, run, learner, setting, x, y);
  if (mean && count > 1) pen.draw("path", { class: "curve bias bold", d: curve(mean) });
  pen.close();
  if (shown === 0 && !mean) drawNotice(pen, box, emptyWords(run));
  return { box, x, y };
}

// The mean fit before the last change, if the experiment still has such a learner and setting.
function drawGhost(pen, ghost, run, learner, setting, x, y) {
  const own = ghost?.head?.learners?.[learner];
  if (!own || !hasCurve(ghost.head) || own.name !== run.head.learners[learner].name || setting >= own.settings) return;
  const { mean, count } = ghost.meanFit(null, learner, setting);
  if (!mean || count < 2) return;
  const order = orderOf(ghost);
  const xs = order.map((i) => x.place(ghost.head.test.x[i]));
  pen.draw("path", { class: "ghost bias", d: pathThrough(xs, order.map((i) => y.place(mean[i]))) });
}

function emptyWords(run) {
  if (run.head.keep === 0) return ["The fits of this experiment are", "too many to be sent to the page."];
  return ["Space draws a training set."];
}

// Predictions against the truth, or the label of a row, one dot per test point. What lies on the green line is right.
function drawAgainst(pen, outer, run, learner, drawn, point, titled) {
  const { head } = run;
  const setting = settingOf(run, learner);
  const shown = run.shown(drawn);
  const { mean, count } = believedMean(run, drawn, learner, setting);
  const right = titled ? "right" : head.rows ? "right: prediction = label" : "right: prediction = truth";
  const parts = [
    ["ink-truth", right],
    shown > 0 ? ["ink-variance", "newest fit"] : null,
    mean && count > 1 ? ["ink-bias", `mean of ${thousands(count)}`] : null,
  ];
  const inner = { ...outer, left: outer.left + 0.3 * pen.em, right: outer.right - pen.em };
  let top = drawKey(pen, inner, headingOf(run, learner, null), parts, [right, "newest fit", `mean of ${thousands(run.total)}`]);
  const roomy = outer.bottom - outer.top > 16 * pen.em;
  if (roomy) {
    const words = head.rows ? "Each dot is a row that is held out: its prediction against its label." : `Inputs of ${head.dimension} dimensions cannot be drawn as a curve. Each dot is a test point: its prediction against its truth.`;
    top =
      pen.lines("soft", inner.left, top + 0.9 * pen.em, wrapText(words, pen.em, inner.right - inner.left), pen.em) -
      0.5 * pen.em;
  }
  const bottom = outer.bottom - (titled ? 2.9 : 1.6) * pen.em;
  const [low, high] = extent(head.test.truth);
  const room = 0.3 * (high - low) + 0.5 * Math.sqrt(head.noise[0][0] || 0) + 1e-9;
  const y = new Axis(false, [low - room, high + room], [bottom, top + 0.3 * pen.em]);
  const box = {
    left: outer.left + numbersRoom(pen, y) + (titled ? 1.4 * pen.em : 0),
    right: outer.right - 0.8 * pen.em,
    top,
    bottom,
  };
  const x = new Axis(false, extent(head.test.truth), [box.left + 0.5 * pen.em, box.right - 0.5 * pen.em]);
  drawAxes(pen, box, x, y, {
    x: titled ? (head.rows ? [`${head.rows.target} of the held-out row`, "label"] : ["truth at the test point", "truth"]) : null,
    y: titled ? "prediction" : null,
    left: outer.left,
  });
  pen.clip(box);
  pen.line("curve truth bold", x.place(x.from), y.place(x.from), x.place(x.to), y.place(x.to));
  const dots = (values) =>
    Array.from(head.test.truth, (truth, i) => `M${x.place(truth).toFixed(1)} ${y.place(values[i]).toFixed(1)}h0`).join(
      "",
    );
  if (shown > 0)
    pen.draw("path", {
      class: "cloud variance",
      d: dots(run.fit(shown - 1, learner, setting)),
      "stroke-width": 0.32 * pen.em,
    });
  if (mean && count > 1) pen.draw("path", { class: "cloud bias", d: dots(mean), "stroke-width": 0.36 * pen.em });
  if (point !== null && mean)
    pen.draw("circle", {
      class: "ring",
      cx: x.place(head.test.truth[point]),
      cy: y.place(mean[point]),
      r: 0.55 * pen.em,
    });
  pen.close();
  if (shown === 0 && !mean) drawNotice(pen, box, emptyWords(run));
  return head.rows && mean ? { box, x, y, at: (i) => [x.place(head.test.truth[i]), y.place(mean[i])] } : null;
}

// The picture in words.
export function fitsWords(run, learner, drawn, { place = null, hidden = [] } = {}) {
  if (run.head.plane) return planeWords(run, learner, drawn, { place, hidden });
  if (run.head.rows && !drawsAgainst(run)) return rowsWords(run, learner, drawn, { hidden });
  const shown = run.shown(drawn);
  const against = run.head.rows ? "Predictions against the labels of the held-out rows" : "Predictions against the truth at the test points";
  const kind = hasCurve(run.head) ? "Fits along x" : against;
  const words = wordsAt(run, learner, place);
  const what = `${kind} of ${run.head.learners[learner].name}${words === "" ? "" : ` at ${words}`}`;
  if (shown === 0) return `${what}: nothing drawn yet${run.head.rows ? "" : "; the truth alone"}.`;
  const range =
    hasCurve(run.head) ? `, for x from ${short(run.head.range[0])} to ${short(run.head.range[1])}` : "";
  if (hidden.includes("fits")) return `${what}: the training points alone${range}.`;
  const truth = hidden.includes("truth") || run.head.rows ? "" : "the truth, ";
  return `${what}: ${truth}${several(shown, "refit", "refits")} and their mean${range}.`;
}
