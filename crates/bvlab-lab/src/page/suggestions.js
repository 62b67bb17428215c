// What the controls suggest: problems to choose from, and values for numbers that must be given or
// can be swept.

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

// The number that is swept when a learner is chosen.
const MAIN = {
  knn: "k",
  tree: "depth",
  kernel: "bandwidth",
  polynomial: "degree",
  gaussians: "lambda",
  linear: "lambda",
  fourier: "features",
  network: "width",
  bagging: "members",
  forest: "trees",
  boosting: "rounds",
};

export function mainNumber(family) {
  return MAIN[family.name] ?? family.numbers[0]?.name ?? null;
}

function digits(value) {
  return Number(value.toPrecision(2));
}

// Values to sweep a number over, for n training points on a range of that width.
export function sweepValues(name, family, n, width, dimension) {
  const log = (from, to) => ({ from: digits(from), to: digits(to), count: 25, scale: "log" });
  switch (name) {
    case "k":
      return `1..${Math.min(40, n)}`;
    case "depth":
      return "1..12";
    case "leaves":
      return "1..30";
    case "min-leaf":
      return `1..${Math.min(30, n)}`;
    case "bandwidth":
      return log(width / 200, width / 5);
    case "degree":
      return `0..${Math.max(0, Math.min(15, n - 1))}`;
    case "lambda":
      return log(1e-4, 100);
    case "count":
      return [2, 4, 6, 8, 12, 16, 24, 32, 48];
    case "width":
      return family === "network" ? [1, 2, 3, 5, 8, 12, 20, 30, 50] : log(width / 100, width / 3);
    case "features":
      return family === "linear" ? `1..${dimension}` : around(n);
    case "scale":
      return log(1, 100);
    case "epochs":
      return [10, 20, 50, 100, 200, 500, 1000, 2000];
    case "rate":
      return log(0.01, 1);
    case "members":
    case "trees":
      return [1, 2, 3, 5, 7, 10, 15, 20, 30, 50];
    case "tries":
      return `1..${dimension}`;
    case "rounds":
      return [1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200];
    case "train":
      return [10, 15, 20, 30, 50, 70, 100, 150, 200];
    case "noise":
      return [0, 0.1, 0.2, 0.3, 0.5, 0.7, 1];
    default:
      return "1..10";
  }
}

// Numbers of features through the threshold at n.
function around(n) {
  const shares = [0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20];
  return [...new Set(shares.map((share) => Math.max(1, Math.round(share * n))))];
}

// A value for a number that must be given.
export function neededValue(name, family, n, width) {
  switch (name) {
    case "k":
      return Math.min(8, n);
    case "bandwidth":
      return digits(width / 25);
    case "degree":
      return Math.min(4, n - 1);
    case "width":
      return family === "network" ? 10 : digits(width / 20);
    case "features":
      return 2 * n;
    case "scale":
      return digits((Math.PI * n) / (2 * width));
    default:
      return 1;
  }
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
