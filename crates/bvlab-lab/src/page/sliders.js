// @ts-check
// Sliders for numbers: the places that one has, from what the registry says of the number.

/** @typedef {import("./protocol.js").Parameter} Parameter */

// About how many places a slider has.
const PLACES = 60;
// From which ratio of its ends on its places are equally far apart as ratios.
const WIDE = 30;

// A step of 1, 2 or 5 times a power of ten that is not below this.
function niceStep(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  const digit = [1, 2, 5, 10].find((one) => one * power >= step * (1 - 1e-9)) ?? 10;
  return digit * power;
}

// Without the last digits that come from adding up.
const tidy = (value) => Number(value.toPrecision(10));

function linear(from, to, step) {
  const places = [from];
  for (let i = Math.floor(from / step + 1e-9) + 1; tidy(i * step) < to; i++) places.push(tidy(i * step));
  return [...places, to];
}

function logarithmic(from, to) {
  const ratio = (to / from) ** (1 / PLACES);
  const places = Array.from({ length: PLACES - 1 }, (_, i) => Number((from * ratio ** (i + 1)).toPrecision(2)));
  return [from, ...places.filter((value) => value > from && value < to), to];
}

/**
 * The values of a slider, rising: between the ends that are most instructive, and to the value that it has.
 * Empty where there are no ends.
 * @param {Parameter} parameter
 * @param {number | null} value
 * @returns {number[]}
 */
export function sliderValues(parameter, value) {
  const { least = null, most = null, usual = null, whole = false, exclusive = false } = parameter;
  let [from, to] = usual ?? [least, most];
  if (from === null || to === null || !(to > from)) return [];
  if (exclusive && from === least) from += (to - from) / PLACES;
  if (value !== null && Number.isFinite(value)) [from, to] = [Math.min(from, value), Math.max(to, value)];
  const wide = from > 0 && to / from >= WIDE;
  const step = whole ? Math.max(1, niceStep((to - from) / (2 * PLACES))) : niceStep((to - from) / PLACES);
  const places = wide && (!whole || step > 1) ? logarithmic(from, to) : linear(from, to, step);
  return [...new Set(whole ? places.map(Math.round) : places)];
}

/**
 * The place of the value that is nearest.
 * @param {number[]} values
 * @param {number} wanted
 */
export function nearestPlace(values, wanted) {
  return values.reduce((best, one, i) => (Math.abs(one - wanted) < Math.abs(values[best] - wanted) ? i : best), 0);
}
