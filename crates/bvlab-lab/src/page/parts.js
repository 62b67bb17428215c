// The parts of the error: their colours and words.
import { thousands } from "./numbers.js";
import { textWidth } from "./pen.js";

// Fewer training sets give no error bars.
export const FEWEST = 4;

// The parts: column in a frame, name of the colour, words, short words.
export const PARTS = [
  { column: "noise", name: "noise", label: "noise", brief: "noise" },
  { column: "bias2", name: "bias", label: "bias²", brief: "bias²", exact: "bias2_exact" },
  { column: "variance", name: "variance", label: "variance", brief: "variance", exact: "variance_exact" },
  { column: "risk", name: "risk", label: "risk", brief: "risk" },
  { column: "train_risk", name: "train", label: "training error", brief: "training" },
  { column: "risk_median", name: "median", label: "median risk", brief: "median" },
];

// What is said as long as there are no estimates.
export function waitingWords(run, drawn) {
  const have = drawn ?? run.ready;
  if (have === 0) return ["Nothing is drawn yet."];
  const lacking = FEWEST - have;
  if (lacking > 0) return [`${thousands(lacking)} more for error bars`];
  return ["The first estimates are on their way."];
}

// A text cut to a width.
export function fitting(text, width, em) {
  if (textWidth(text, em, 600) <= width) return text;
  let cut = text;
  while (cut.length > 2 && textWidth(`${cut}…`, em, 600) > width) cut = cut.slice(0, -1);
  return `${cut}…`;
}
