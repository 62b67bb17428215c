// @ts-check
// From where to where the axes of a trade-off reach.
import { extent } from "./scales.js";

// How the axes of a run are: logarithmic or not, and from where to where. They follow the newest
// estimates, not the playhead, so that nothing moves while training sets come in. `same`: which axes must be
// logarithmic, or must not, since others are.
export function rangesOf(run, learner, options, scene, same = {}) {
  const own = run.head.learners[learner];
  const frame = run.newest;
  const log = {
    x:
      same.x ??
      (scene === 5 ||
      own.axes[0]?.scale === "log" ||
      options["x-scale"] === "log" ||
      (options["x-scale"] === undefined && run.head.threshold !== null)),
    y:
      same.y ??
      (scene === 5 ||
      options["y-scale"] === "log" ||
      (options["y-scale"] === undefined &&
        options["y-max"] === undefined &&
        (own.axes.length > 1 || run.head.threshold !== null) &&
        frame !== null &&
        isWide(frame))),
  };
  const values = own.axes.length > 0 ? Array.from(own.axes[0].values) : [];
  const above = values.filter((value) => value > 0);
  if (above.length < 2) log.x = false;
  // Zero has no place on a logarithmic axis: it stands a step before the rest.
  const zero = log.x && above.length < values.length ? above[0] / (above[1] / above[0]) ** 2 : null;
  const places = values.map((value) => (zero !== null && value <= 0 ? zero : value));
  let x = extent(places);
  if (!(x[1] > x[0])) x = log.x ? [x[0] / 2, x[0] * 2] : [x[0] - 1, x[0] + 1];
  return { log, places, x, zero, y: frame ? heightRange(run, frame, options, log.y) : null };
}

// The axes of learners that stand side by side, by learner: one scale for the heights, and one for every number
// that several of them sweep.
export function sharedRanges(run, learners, options, scene) {
  const swept = learners.filter((learner) => run.head.learners[learner].axes.length > 0);
  const nameOf = (learner) => run.head.learners[learner].axes[0].name;
  const alone = new Map(swept.map((learner) => [learner, rangesOf(run, learner, options, scene)]));
  const y = [...alone.values()].some(({ log }) => log.y);
  const shared = new Map();
  for (const name of new Set(swept.map(nameOf))) {
    const group = swept.filter((learner) => nameOf(learner) === name);
    const x = group.every((learner) => alone.get(learner).log.x);
    const own = group.map((learner) => rangesOf(run, learner, options, scene, { x, y }));
    const zeros = own.flatMap(({ zero }) => (zero === null ? [] : [zero]));
    const zero = zeros.length > 0 ? Math.min(...zeros) : null;
    const reach = extent(own.flatMap((ranges) => [...ranges.x, ...zeros]));
    group.forEach((learner, i) => {
      const places = own[i].places.map((place) => (place === own[i].zero ? zero : place));
      shared.set(learner, { ...own[i], places, zero: own[i].zero === null ? null : zero, x: reach });
    });
  }
  return shared;
}

// Whether risks differ so much that the small ones could not be told apart on a linear axis.
function isWide(frame) {
  const [low, high] = extent(frame.learners.flatMap((own) => Array.from(own.risk_median)));
  return low > 0 && high > 25 * low;
}

function heightRange(run, frame, options, log) {
  // All learners and slices share the heights, so that they can be compared.
  let [top, low, falling] = [0, Infinity, Infinity];
  run.head.learners.forEach((_, learner) => {
    const own = frame.learners[learner];
    const doubt = own.heavy.some((one) => one);
    for (let i = 0; i < own.risk.length; i++) {
      const tops = own.heavy[i] ? [] : [own.risk_high[i], own.risk[i]];
      if (doubt) tops.push(own.risk_q75[i], own.risk_median[i]);
      top = Math.max(top, own.train_risk[i] || 0, ...tops.filter(Number.isFinite));
      for (const value of [
        own.noise[i],
        doubt ? own.risk_median[i] : own.risk[i],
        own.heavy[i] ? NaN : own.variance[i],
      ])
        if (value > 0) low = Math.min(low, value);
      for (const value of [own.bias2[i], own.train_risk[i]]) if (value > 0) falling = Math.min(falling, value);
    }
  });
  top = options["y-max"] ?? 1.07 * top;
  if (!(top > 0)) top = 1;
  // What noise and variance give back under zero-one loss is below zero.
  if (!log) return [lowestPart(run, frame) < -0.01 * top ? 1.1 * lowestPart(run, frame) : 0, top];
  // Bias² and training error may come arbitrarily near to zero: a few decades are enough.
  low = options["y-min"] ?? (Number.isFinite(low) ? Math.min(low, Math.max(falling, low * 0.1)) / 1.3 : top * 1e-3);
  return low < top ? [low, top * 1.4] : [top * 1e-3, top];
}

// The lowest part of the error of classes; 0 for numbers, whose parts are squares.
function lowestPart(run, frame) {
  if (!run.head.classes) return 0;
  return extent(frame.learners.flatMap((own) => [...own.noise, ...own.bias2, ...own.variance]), [0, 0])[0];
}

// The heights to show before there are estimates: those of the single training sets so far.
export function firstHeights(run, learners, log) {
  const risks = [];
  for (let draw = 0; draw < run.ready; draw++) for (const learner of learners) risks.push(...run.draws[draw].risk[learner]);
  const sorted = risks.filter(Number.isFinite).sort((a, b) => a - b);
  const top = sorted.length > 0 ? sorted[Math.floor(0.95 * (sorted.length - 1))] * 1.1 : 1;
  return log ? [Math.max(1e-9, (sorted[0] ?? top) / 10), top] : [0, top];
}
