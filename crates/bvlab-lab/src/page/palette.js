// The learners' colours, the same as in the figures, on light and on dark paper.

const COLOURS = [
  [0, 104, 172],
  [213, 84, 0],
  [0, 145, 105],
  [190, 90, 150],
  [178, 130, 0],
  [80, 160, 210],
];

// On dark paper colours get lighter.
function painted(colour) {
  const dark = document.documentElement.dataset.theme === "dark";
  const parts = dark ? colour.map((part) => Math.floor(part * 0.72 + 255 * 0.28)) : colour;
  return `rgb(${parts.join(",")})`;
}

// The colour of a learner: its own, or that of its number.
export function learnerColour(head, learner) {
  const own = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(head.learners[learner].colour ?? "");
  return painted(own ? own.slice(1).map((part) => Number.parseInt(part, 16)) : COLOURS[learner % COLOURS.length]);
}
