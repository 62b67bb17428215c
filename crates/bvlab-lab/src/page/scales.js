// @ts-check
// Where numbers lie on an axis, and which of them are written there.
import { power } from "./numbers.js";

function linearTicks(from, to, wanted, whole) {
  const rough = (to - from) / Math.max(1, wanted);
  if (!(rough > 0) || !Number.isFinite(rough)) return [from];
  const decade = 10 ** Math.floor(Math.log10(rough));
  let step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * decade).find((one) => one >= rough * (1 - 1e-9)) ?? 10 * decade;
  if (whole) {
    step = Math.max(step, 1);
    if (!Number.isInteger(step)) step = 5 * decade;
  }
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  if (!(last - first <= 100)) return [from];
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

function logTicks(from, to, wanted) {
  if (!(from > 0 && from < to && Number.isFinite(to))) return [];
  const [first, last] = [Math.floor(Math.log10(from)) - 1, Math.ceil(Math.log10(to))];
  const decades = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const within = (value) => value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9);
  for (const factors of [[1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]]) {
    // From text: 3 · 10⁻¹ must be 0.3 to the last digit.
    const ticks = decades.flatMap((decade) => factors.map((factor) => Number(`${factor}e${decade}`))).filter(within);
    if (ticks.length <= Math.max(2, wanted)) return ticks;
  }
  const inside = decades.filter((decade) => within(10 ** decade));
  const stride = Math.max(1, Math.ceil(inside.length / Math.max(2, wanted)));
  return inside.filter((_, i) => i % stride === 0).map((decade) => Number(`1e${decade}`));
}

// A number on an axis, with as many decimals as its neighbours need.
export function tickLabel(value, ticks, log) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const top = Math.max(0, ...ticks) >= 1e5 ? 1e4 : 1e5;
  if ((log && !(size >= 1e-3 && size < top)) || !(size >= 1e-5 && size < 1e7)) return power(value);
  if (log) return value.toFixed(Math.max(0, -Math.floor(Math.log10(size)))).replace("-", "−");
  const steps = ticks.slice(1).map((tick, i) => Math.abs(tick - ticks[i]));
  const step = Math.min(Infinity, ...steps);
  if (!Number.isFinite(step))
    return Number.isInteger(value) ? String(value).replace("-", "−") : value.toFixed(2).replace("-", "−");
  let decimals = 0;
  while (
    decimals < 7 &&
    Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6 * step * 10 ** decimals
  )
    decimals++;
  return value.toFixed(decimals).replace("-", "−");
}

// An axis: from numbers to places and back.
export class Axis {
  constructor(log, [from, to], [start, end]) {
    this.log = log;
    this.from = from;
    this.to = to > from ? to : log ? from * 10 : from + 1;
    this.start = start;
    this.end = end;
  }

  // The place of a number. On a logarithmic axis what is not above zero lies at its foot.
  place(value) {
    const share = this.log
      ? Math.log(Math.max(value, 1e-300) / this.from) / Math.log(this.to / this.from)
      : (value - this.from) / (this.to - this.from);
    // Far outside is far enough: drawings cannot take numbers of any size.
    const place = this.start + share * (this.end - this.start);
    return Math.max(-1e5, Math.min(1e5, place));
  }

  // The number at a place.
  value(place) {
    const share = (place - this.start) / (this.end - this.start);
    return this.log ? this.from * (this.to / this.from) ** share : this.from + share * (this.to - this.from);
  }

  ticks(wanted, whole = false) {
    if (this.log) return logTicks(this.from, this.to, wanted);
    // One number alone says nothing of the scale.
    for (let more = wanted; ; more++) {
      const ticks = linearTicks(this.from, this.to, more, whole);
      if (ticks.length > 1 || more > wanted + 6) return ticks;
    }
  }
}

// The least and the largest of the finite numbers.
export function extent(values, into = [Infinity, -Infinity]) {
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < into[0]) into[0] = value;
    if (value > into[1]) into[1] = value;
  }
  return into;
}
