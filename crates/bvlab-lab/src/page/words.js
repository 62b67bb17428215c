// @ts-check
// Pure functions on words.

/**
 * Names without the words that all of them begin or end with, as far as each keeps a word: what tells
 * them apart.
 * @param {string[]} names
 * @returns {string[]}
 */
export function distinctParts(names) {
  if (names.length < 2) return names;
  const words = names.map((name) => name.split(" "));
  const fewest = Math.min(...words.map((one) => one.length));
  let head = 0;
  while (head < fewest - 1 && words.every((one) => one[head] === words[0][head])) head++;
  let tail = 0;
  while (tail < fewest - head - 1 && words.every((one) => one.at(-1 - tail) === words[0].at(-1 - tail))) tail++;
  return words.map((one) => one.slice(head, one.length - tail).join(" "));
}

/**
 * Names cut to what fits; where they could then not be told apart, the words that they share go first.
 * @param {string[]} names
 * @param {(name: string) => string} cut
 * @returns {string[]}
 */
export function cutApart(names, cut) {
  const whole = names.map(cut);
  if (whole.every((name, i) => name === names[i])) return whole;
  if (new Set(whole).size === new Set(names).size && !whole.some((name) => name.length < 6)) return whole;
  return distinctParts(names).map(cut);
}
