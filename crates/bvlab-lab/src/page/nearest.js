// @ts-check
// Points under a pointer.

// A list leavingOut one of its values.
export const leavingOut = (/** @type {number[]} */ values, /** @type {number} */ at) => values.filter((_, i) => i !== at);

/**
 * The point that is nearest to a place, or -1 if none is within reach.
 * @param {number[]} xs places
 * @param {number[]} ys places
 * @param {[number, number]} place
 * @param {number} reach
 */
export function nearestPoint(xs, ys, [x, y], reach) {
  let [found, least] = [-1, reach];
  for (let i = 0; i < xs.length; i++) {
    const distance = Math.hypot(xs[i] - x, ys[i] - y);
    if (distance <= least) [found, least] = [i, distance];
  }
  return found;
}

/**
 * A number moved into a range, with as many digits as anybody reads.
 * @param {number} value
 * @param {[number, number]} range
 */
export function within(value, [low, high]) {
  return Number(Math.min(high, Math.max(low, value)).toPrecision(5));
}
