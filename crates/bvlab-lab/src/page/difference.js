// @ts-check
// Which lines of a text are new, and which are gone.

/** @typedef {{ kind: "same" | "added" | "removed", text: string }} MarkedLine */

/**
 * The lines of a text as they are now, among them those that were there before and are gone: what is
 * the same is a longest common subsequence.
 * @param {string[]} before
 * @param {string[]} now
 * @returns {MarkedLine[]}
 */
export function changedLines(before, now) {
  // The ends that are equal need no search.
  let head = 0;
  while (head < before.length && head < now.length && before[head] === now[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, now.length) - head;
  while (tail < most && before[before.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const [a, b] = [before.slice(head, before.length - tail), now.slice(head, now.length - tail)];
  /** @type {(text: string) => MarkedLine} */
  const same = (text) => ({ kind: "same", text });
  return [...now.slice(0, head).map(same), ...between(a, b), ...now.slice(now.length - tail).map(same)];
}

// More lines than this are not compared one by one.
const MOST_LINES = 2000;

/**
 * @param {string[]} a
 * @param {string[]} b
 * @returns {MarkedLine[]}
 */
function between(a, b) {
  /** @type {(text: string) => MarkedLine} */
  const removed = (text) => ({ kind: "removed", text });
  /** @type {(text: string) => MarkedLine} */
  const added = (text) => ({ kind: "added", text });
  if (a.length > MOST_LINES || b.length > MOST_LINES) return [...a.map(removed), ...b.map(added)];
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  /** @type {MarkedLine[]} */
  const lines = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ kind: "same", text: b[j] });
      i++;
      j++;
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) lines.push(removed(a[i++]));
    else lines.push(added(b[j++]));
  }
  return [...lines, ...a.slice(i).map(removed), ...b.slice(j).map(added)];
}
