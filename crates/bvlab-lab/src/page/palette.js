// The learners' colours, the same as in the figures, on light and on dark paper.
import { DARK_PAPER, LEARNER_COLOURS } from "./look.js";

function onDarkPaper() {
  return document.documentElement.dataset.theme === "dark";
}

// A colour that is not one of the theme, as the figures paint it.
function painted(parts) {
  if (!onDarkPaper()) return parts;
  const { share, black, white, grey } = DARK_PAPER;
  const [r, g, b] = parts;
  if (Math.abs(r - g) < grey && Math.abs(g - b) < grey) return parts.fill(Math.floor(black - (r * (black - white)) / 255));
  return parts.map((part) => Math.floor(part * share + 255 * (1 - share)));
}

function colourFor(head, learner, use) {
  const own = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(head.learners[learner].colour ?? "");
  if (own) return `rgb(${painted(own.slice(1).map((part) => Number.parseInt(part, 16))).join(", ")})`;
  const colours = LEARNER_COLOURS[onDarkPaper() ? "dark" : "light"];
  return colours[learner % colours.length][use];
}

// The colour of a learner: its own, or that of its number.
export function learnerColour(head, learner) {
  return colourFor(head, learner, "line");
}

// The same for text.
export function learnerInk(head, learner) {
  return colourFor(head, learner, "text");
}

// The colours of classes, as the figures have them: the first two change places with those of learners.
function classLook(k, use) {
  const colours = LEARNER_COLOURS[onDarkPaper() ? "dark" : "light"];
  return colours[k < 2 ? 1 - k : k % colours.length][use];
}

export const classColour = (k) => classLook(k, "line");

// Numbers from low to high, the high ones with more contrast to the paper.
const VALUE_SHADES = {
  light: ["#c58f1e", "#c0662a", "#b04242", "#8d2f66", "#5f2775", "#33205f"],
  dark: ["#8f76d6", "#bb74c4", "#e07a9c", "#f08f6d", "#f5b04e", "#f3dc5a"],
};

export const shadeColours = () => VALUE_SHADES[onDarkPaper() ? "dark" : "light"];

// The same for text.
export const classInk = (k) => classLook(k, "text");
