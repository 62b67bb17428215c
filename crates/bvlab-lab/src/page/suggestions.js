// @ts-check
// What the controls suggest: problems to choose from, and values for parameters that must be given or
// can be swept, by what the registry says of them.

export const PRESETS = [
  { name: "noisy sine", truth: "sin(x)", range: [0, 15], noise: 0.5 },
  { name: "sin(2πx)", truth: "sin(2*pi*x)", range: [0, 1], noise: 0.3 },
  { name: "step", truth: "(x > 5)", range: [0, 10], noise: 0.3 },
  { name: "two bumps", truth: "exp(-x^2) + 1.5*exp(-(x - 2)^2)", range: [-5, 5], noise: 0.1 },
  { name: "straight line", truth: "0.5*x", range: [0, 10], noise: 0.5 },
  { name: "parabola", truth: "x^2", range: [-1, 1], noise: 0.2 },
  { name: "corner", truth: "abs(x - 5)", range: [0, 10], noise: 0.5 },
  { name: "pure noise", truth: "0*x", range: [0, 10], noise: 1 },
];

function digits(value) {
  return Number(value.toPrecision(2));
}

// The largest value that the data allow; Infinity if there is none.
function largest(parameter, n, dimension) {
  const data = { train: n, dimension, "below-train": n - 1 }[parameter.mostBy] ?? Infinity;
  return Math.min(parameter.most ?? Infinity, data);
}

// What is measured along x is suggested by the width of the inputs' range.
const isLength = (parameter) => parameter.unit === "units of x";

// Numbers of features are most instructive around the number of training points.
const isFeatures = (parameter) => parameter.name === "features" && parameter.mostBy !== "dimension";

// Values to sweep a parameter over, for n training points on a range of that width.
export function sweepValues(parameter, n, width, dimension) {
  const log = (from, to) => ({ from: digits(from), to: digits(to), count: 25, scale: "log" });
  if (isLength(parameter)) return log(width / 200, width / 4);
  if (isFeatures(parameter)) return around(n);
  const most = largest(parameter, n, dimension);
  const [from, wanted] = parameter.usual ?? [parameter.least ?? 0, Number.isFinite(most) ? most : 10];
  const to = Math.max(from, Math.min(wanted, most));
  if (!parameter.whole)
    return from > 0 ? log(from, to) : { from: parameter.exclusive ? to / 20 : from, to, count: 21, scale: "linear" };
  return to - from > 40 ? roundNumbers(from, to) : `${from}..${to}`;
}

// The values that are suggested for a sweep over the data.
export const DATA_SWEEPS = {
  train: [10, 15, 20, 30, 50, 70, 100, 150, 200],
  noise: [0, 0.1, 0.2, 0.3, 0.5, 0.7, 1],
};

// 1, 2, 3, 5, 7, 10, 15, 20 and so on, between two ends.
function roundNumbers(from, to) {
  const values = [];
  for (let ten = 1; ten <= to; ten *= 10)
    for (const digit of [1, 1.5, 2, 3, 5, 7]) {
      const value = digit * ten;
      if (Number.isInteger(value) && value >= from && value <= to) values.push(value);
    }
  return values;
}

// Numbers of features through the threshold at n.
function around(n) {
  const shares = [0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20];
  return [...new Set(shares.map((share) => Math.max(1, Math.round(share * n))))];
}

// A value for a parameter that must be given.
export function neededValue(parameter, n, width, dimension) {
  if (isLength(parameter)) return digits(width / 25);
  if (isFeatures(parameter)) return 2 * n;
  // Frequencies at which n points are still told apart.
  if (parameter.unit === "radians per unit of x") return digits((Math.PI * n) / (2 * width));
  const most = largest(parameter, n, dimension);
  const [from, to] = parameter.usual ?? [parameter.least ?? 0, Number.isFinite(most) ? most : 1];
  const middle = Math.sqrt(Math.max(from, parameter.whole ? 1 : 0) * to) || to / 2;
  return Math.min(parameter.whole ? Math.max(1, Math.round(middle)) : digits(middle), most);
}

// Values of a sweep as a line of text, and back.
export function sweepText(values) {
  if (typeof values === "string") return values;
  if (Array.isArray(values)) return values.join(", ");
  if (values && typeof values === "object")
    return `${values.from} to ${values.to}, ${values.count} values, ${values.scale ?? "linear"}`;
  return String(values ?? "");
}

export function sweepFrom(text) {
  const span = /^\s*(\S+)\s+to\s+([^\s,]+)(?:\s*,?\s*(\d+)(?:\s+values)?)?(?:\s*,?\s*(log|linear))?\s*$/.exec(text);
  if (span)
    return { from: Number(span[1]), to: Number(span[2]), count: Number(span[3] ?? 20), scale: span[4] ?? "linear" };
  if (text.includes("..")) return text.trim();
  return text
    .split(/[\s,;]+/)
    .filter((part) => part !== "")
    .map(Number);
}
