// @ts-check
// How a fit is made: where a tree splits, step by step, and whose labels a mean of neighbours is.

/**
 * Where a step function jumps, from the corners of its stairs: the places at which two corners lie above
 * each other.
 * @param {[ArrayLike<number>, ArrayLike<number>]} corners
 */
export function jumpsOf([xs, ys]) {
  const found = [];
  for (let i = 1; i < xs.length; i++) if (xs[i] === xs[i - 1] && ys[i] !== ys[i - 1]) found.push(xs[i]);
  return found;
}

/**
 * The splits of a tree that one with fewer does not have: a tree that is allowed more keeps all it had.
 * @param {number[]} now
 * @param {number[]} before
 */
export function newSplits(now, before) {
  const had = new Set(before);
  return now.filter((place) => !had.has(place));
}

/**
 * The k points that are nearest to x, by number; of equally near ones the first.
 * @param {number[]} inputs
 * @param {number} x
 * @param {number} k
 */
export function neighboursOf(inputs, x, k) {
  const order = inputs.map((_, i) => i);
  order.sort((a, b) => Math.abs(inputs[a] - x) - Math.abs(inputs[b] - x) || a - b);
  return order.slice(0, k);
}
