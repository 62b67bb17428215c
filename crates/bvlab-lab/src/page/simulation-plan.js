// @ts-check
// What changes with a number of a simulation: pure functions of the experiment as the TOML has it.

/** @typedef {import("./protocol.js").Parameter} Parameter */

// The numbers in a text, with a sign of their own.
function numbersIn(text) {
  const found = text.replaceAll("−", "-").matchAll(/(?:^|[^\w.])(-?\d+(?:\.\d+)?)/g);
  return Array.from(found, ([, number]) => Number(number));
}

// The texts of a figure that name panels and curves.
function namesIn(options) {
  const { panels = [], shade = [], square = [], titles = {}, labels = {}, notes = [] } = options ?? {};
  const noted = notes.flatMap((note) => [note.panel, note.on]).filter((one) => typeof one === "string");
  return [...panels, ...shade, ...square, ...Object.keys(titles), ...Object.keys(labels), ...noted];
}

// The values of a list, as far as they are written out.
export function listedValues(values) {
  if (typeof values === "number") return [values];
  if (Array.isArray(values)) return values.filter((one) => typeof one === "number");
  const span = /^\s*(-?\d+)\.\.(-?\d+)\s*$/.exec(typeof values === "string" ? values : "");
  if (!span) return [];
  const [from, to] = [Number(span[1]), Number(span[2])];
  return Array.from({ length: Math.max(0, Math.min(1000, to - from + 1)) }, (_, i) => from + i);
}

/**
 * The keys that are set with a list of a simulation: the list, and the figures that name panels or curves of
 * values that are no longer in it, which then show all panels.
 * @param {string} name
 * @param {any} before
 * @param {any} after
 * @param {Record<string, any>[]} figures
 * @returns {[string, any][]}
 */
export function listPairs(name, before, after, figures) {
  const stays = new Set(listedValues(after));
  const gone = new Set(listedValues(before).filter((value) => !stays.has(value)));
  const lost = figures.flatMap((figure, i) => {
    const named = namesIn(figure.simulation).flatMap(numbersIn);
    return named.some((value) => gone.has(value)) ? [/** @type {[string, any]} */ ([`figure.${i}.simulation`, {}])] : [];
  });
  return [[`with.${name}`, after], ...lost];
}

/**
 * What is asked for a key, which may be ahead of the run that is shown; null if nothing is.
 * @param {string[]} sets
 * @param {string} key
 */
export function askedNumber(sets, key) {
  const set = sets.filter((one) => one.startsWith(`${key}=`)).pop();
  const value = set === undefined ? NaN : Number(set.slice(key.length + 1));
  return Number.isFinite(value) ? value : null;
}
