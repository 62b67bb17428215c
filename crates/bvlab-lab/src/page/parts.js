// Words about the parts of the error.
import { thousands } from "./numbers.js";
import { textWidth } from "./pen.js";
import { say } from "./strings.js";

// Fewer training sets give no error bars.
export const FEWEST = 4;

// What is said as long as there are no estimates.
export function waitingWords(run, drawn) {
  const have = drawn ?? run.ready;
  if (have === 0) return ["Nothing is drawn yet."];
  const lacking = FEWEST - have;
  if (lacking > 0) return [`${thousands(lacking)} more for error bars`];
  return ["The first estimates are being computed."];
}

// A text cut to a width.
export function fitting(said, width, em) {
  const text = say(said);
  if (textWidth(text, em, 600) <= width) return text;
  let cut = text;
  while (cut.length > 2 && textWidth(`${cut}…`, em, 600) > width) cut = cut.slice(0, -1);
  return `${cut}…`;
}
