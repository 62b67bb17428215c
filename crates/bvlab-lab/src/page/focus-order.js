// @ts-check
// Groups that have one place in the order of tabs, and arrow keys within it.

/**
 * The place that a key leads to from a place among so many; null for other keys.
 * @param {string} key
 * @param {number} place
 * @param {number} count
 * @returns {number | null}
 */
export function arrowTo(key, place, count) {
  if (key === "ArrowRight" || key === "ArrowDown") return (place + 1) % count;
  if (key === "ArrowLeft" || key === "ArrowUp") return (place + count - 1) % count;
  return key === "Home" ? 0 : key === "End" ? count - 1 : null;
}
