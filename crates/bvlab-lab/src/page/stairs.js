// @ts-check
// Step functions drawn as such. A fit is known at the test points alone; where it jumps between two of
// them is known better from its training set: trees and nearest neighbours change halfway between
// training points.

// A step function has the value of a neighbour at most places; a smooth one nearly nowhere.
const LEVEL_SHARE = 0.6;

/**
 * Whether values at places in order are those of a step function.
 * @param {ArrayLike<number>} values
 */
export function isStairs(values) {
  let level = 0;
  for (let i = 0; i < values.length; i++)
    if (values[i] === values[i - 1] || values[i] === values[i + 1]) level++;
  return values.length > 2 && level >= LEVEL_SHARE * values.length;
}

/**
 * The places halfway between neighbouring training points, in order.
 * @param {ArrayLike<number>} inputs
 */
export function halfways(inputs) {
  const sorted = Array.from(inputs).sort((a, b) => a - b);
  return sorted.slice(1).map((x, i) => (x + sorted[i]) / 2).filter((x, i) => x !== sorted[i]);
}

/**
 * The corners of a step function with these values at places in order.
 * @param {ArrayLike<number>} places
 * @param {ArrayLike<number>} values
 * @param {number[]} jumps where it may jump, in order
 * @returns {[number[], number[]]}
 */
export function stairs(places, values, jumps) {
  /** @type {[number[], number[]]} */
  const [xs, ys] = [[], []];
  let next = 0;
  for (let i = 0; i < values.length; i++) {
    xs.push(places[i]);
    ys.push(values[i]);
    if (i + 1 === values.length || values[i] === values[i + 1]) continue;
    while (next < jumps.length && jumps[next] <= places[i]) next++;
    let last = next;
    while (last < jumps.length && jumps[last] < places[i + 1]) last++;
    const at = last > next ? jumps[(next + last - 1) >> 1] : (places[i] + places[i + 1]) / 2;
    xs.push(at, at);
    ys.push(values[i], values[i + 1]);
  }
  return [xs, ys];
}

/**
 * The corners of the step function that takes everywhere the label of the nearest training point, as a
 * full tree and one nearest neighbour do; null if the fit does not.
 * @param {ArrayLike<number>} places
 * @param {ArrayLike<number>} values
 * @param {{ x: ArrayLike<number>, y: ArrayLike<number> }} data
 * @returns {[number[], number[]] | null}
 */
export function nearestStairs(places, values, data) {
  const order = Array.from(data.x, (_, i) => i).sort((a, b) => data.x[a] - data.x[b]);
  if (order.length === 0) return null;
  const [xs, ys] = [order.map((i) => data.x[i]), order.map((i) => data.y[i])];
  const turns = xs.slice(1).map((x, i) => (x + xs[i]) / 2);
  let [at, missed] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    while (at < turns.length && places[i] > turns[at]) at++;
    if (Math.abs(values[i] - ys[at]) > 1e-5 * (1 + Math.abs(ys[at]))) missed++;
  }
  if (missed > 0.03 * values.length) return null;
  const first = Math.min(places[0], xs[0]);
  const last = Math.max(places[places.length - 1], xs[xs.length - 1]);
  return [
    ys.flatMap((_, i) => [i === 0 ? first : turns[i - 1], i === turns.length ? last : turns[i]]),
    ys.flatMap((y) => [y, y]),
  ];
}
