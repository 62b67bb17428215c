// @ts-check
// Numbers as a person would write them, with as many digits as their error has to say. The same
// rules as in the tables of `bvlab run`, so that what is shown is their rounding.

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

function minus(text) {
  return text.replace("-", "−");
}

function unsaid(value) {
  if (Number.isNaN(value)) return "unknown";
  return value > 0 ? "∞" : "−∞";
}

// `2·10⁻⁷`.
export function power(value) {
  const [mantissa, exponent] = Number(value.toPrecision(4)).toExponential().split("e");
  const raised = [...exponent.replace("+", "")].map((digit) => RAISED[digit]).join("");
  return mantissa === "1" ? `10${raised}` : `${minus(mantissa)}·10${raised}`;
}

// With that many decimals; a negative number that is rounded to zero keeps no sign.
export function rounded(value, decimals) {
  if (!Number.isFinite(value)) return unsaid(value);
  const text = value.toFixed(decimals);
  return /^-[0.]*$/.test(text) ? text.slice(1) : minus(text);
}

// Decimals that show so many digits of the error; without one, four digits of the value.
export function decimalsFor(half, value, digits) {
  const known = half > 0 && Number.isFinite(half);
  const scale = known ? half / 10 ** (digits - 1) : Math.abs(value) / 1000;
  if (!(scale > 0) || !Number.isFinite(scale)) return 1;
  return Math.min(12, Math.max(0, -Math.floor(Math.log10(scale))));
}

// A number alone, four digits of it.
export function plain(value) {
  if (!Number.isFinite(value)) return unsaid(value);
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-6)) return power(value);
  return rounded(value, decimalsFor(0, value, 2));
}

// `0.1234 ± 0.0056`.
export function plusMinus(value, half) {
  if (!Number.isFinite(value)) return unsaid(value);
  if (Number.isNaN(half)) return plain(value);
  const reach = half < 1e-12 * Math.abs(value) ? 0 : half;
  const size = Math.max(Math.abs(value), Number.isFinite(reach) ? reach : 0);
  if (size >= 1e6 || (size > 0 && size < 1e-6)) {
    return `${power(value)} ± ${Number.isFinite(reach) ? power(reach) : "∞"}`;
  }
  const decimals = decimalsFor(reach, value, 2);
  return `${rounded(value, decimals)} ± ${rounded(reach, decimals)}`;
}

// The same with the ends of an interval: `0.1234 +0.0060 −0.0051` where they are not as far away.
export function withInterval(value, low, high) {
  if (!Number.isFinite(value)) return unsaid(value);
  if (Number.isNaN(low) || Number.isNaN(high)) return plain(value);
  if (value < low || value > high) {
    const decimals = Math.max(1, decimalsFor(high - low, high, 2));
    const [a, b, c] = [value, low, high].map((number) => rounded(number, decimals));
    return `${a} (${b} to ${c})`;
  }
  const [down, up] = [value - low, high - value].map((reach) => (reach < 1e-12 * Math.abs(value) ? 0 : reach));
  const reach = Math.max(down, up);
  const size = Math.max(Math.abs(value), Number.isFinite(reach) ? reach : 0);
  const extreme = size >= 1e6 || (size > 0 && size < 1e-6);
  const decimals = decimalsFor(reach, value, 2);
  const show = (number) => (extreme ? power(number) : rounded(number, decimals));
  if (show(down) === show(up) || Math.abs(down - up) < 0.15 * reach)
    return `${show(value)} ± ${show((down + up) / 2)}`;
  return `${show(value)} +${show(up)} −${show(down)}`;
}

// A setting or a coordinate: three digits, as far as it is not whole.
export function short(value) {
  if (!Number.isFinite(value)) return unsaid(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e5) return minus(String(value));
  const near = Number(value.toPrecision(3));
  const size = Math.abs(near);
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? power(near) : minus(String(near));
}

// A count with its thousands apart.
export function thousands(count) {
  const text = String(count);
  return text.length > 4 ? text.replace(/\B(?=(\d{3})+$)/g, "\u00a0") : text;
}

// `1 training set`, `2 training sets`.
export function several(count, one, many) {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}
