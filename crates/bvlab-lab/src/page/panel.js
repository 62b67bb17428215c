// A panel: axes with their numbers and titles, and labels beside the ends of curves.
import { textWidth } from "./pen.js";
import { tickLabel } from "./scales.js";

// The room that the numbers of an upright axis need.
export function numbersRoom(pen, axis) {
  const ticks = axis.ticks(upright(pen, axis));
  return Math.max(...ticks.map((tick) => textWidth(tickLabel(tick, ticks, axis.log), pen.em)), pen.em) + 0.5 * pen.em;
}

function upright(pen, axis) {
  return Math.max(2, Math.floor(Math.abs(axis.end - axis.start) / (2.4 * pen.em)));
}

// Draws the frame of a panel. `titles`: x and y; `marks`: the values that may be numbered on x;
// `zero`: where on a logarithmic axis a zero stands.
export function drawAxes(pen, box, x, y, titles, marks = null, numbered = true, zero = null) {
  const rows = y.ticks(upright(pen, y));
  for (const tick of rows) {
    const place = y.place(tick);
    pen.line("grid", box.left, place, box.right, place);
    pen.text("number", box.left - 0.45 * pen.em, place + 0.35 * pen.em, tickLabel(tick, rows, y.log), pen.em, "end");
  }
  pen.line("frame", box.left, box.top, box.left, box.bottom);
  pen.line("frame", box.left, box.bottom, box.right, box.bottom);
  if (numbered) drawNumbers(pen, box, x, marks, zero);
  // A title that is longer than its axis would stand on what is above and below.
  if (titles.y && textWidth(titles.y, pen.em) < box.bottom - box.top + 2 * pen.em) {
    const [left, middle] = [0.95 * pen.em, (box.top + box.bottom) / 2];
    pen.draw(
      "text",
      {
        class: "title",
        transform: `translate(${left + (titles.left ?? 0)} ${middle}) rotate(-90)`,
        "font-size": pen.em,
        "text-anchor": "middle",
      },
      titles.y,
    );
  }
  if (titles.x) {
    const fitting =
      [titles.x].flat().find((title) => textWidth(title, pen.em) < box.right - box.left) ?? [titles.x].flat().pop();
    pen.text("title", (box.left + box.right) / 2, box.bottom + 2.55 * pen.em, fitting, pen.em, "middle");
  }
}

function drawNumbers(pen, box, x, marks, zero) {
  const wanted = Math.max(2, Math.floor((box.right - box.left) / (3.6 * pen.em)));
  // Swept values are numbered themselves if there is room for all of them.
  const own = marks && !x.log && marks.length <= 24 && marks.length * 2.1 * pen.em < box.right - box.left;
  const ticks = own ? [...marks] : x.ticks(wanted, marks !== null && marks.every(Number.isInteger));
  let free = -Infinity;
  const shown =
    zero === null ? ticks : [zero, ...ticks.filter((tick) => marks.some((mark) => mark > zero && mark <= tick))];
  for (const tick of shown) {
    const [place, label] = [x.place(tick), tick === zero ? "0" : tickLabel(tick, ticks, x.log)];
    const half = textWidth(label, pen.em) / 2;
    pen.line("frame", place, box.bottom, place, box.bottom + 0.25 * pen.em);
    if (place - half < free) continue;
    pen.text("number", place, box.bottom + 1.25 * pen.em, label, pen.em, "middle");
    free = place + half + 0.4 * pen.em;
  }
}

// Labels beside the ends of curves, moved apart, with a thin line where one had to move.
export function drawLabels(pen, x, labels, top, bottom) {
  const gap = 1.12 * pen.em;
  // Their order is that of the whole run, so that they do not change places while it comes in.
  const rankOf = (label) => (Number.isFinite(label.rank) ? label.rank : label.y);
  const sorted = labels.filter((label) => Number.isFinite(label.y)).sort((a, b) => rankOf(a) - rankOf(b));
  const places = sorted.map((label) => Math.min(bottom, Math.max(top, label.y)));
  for (let round = 0; round < 40; round++) {
    for (let i = 1; i < places.length; i++) {
      const lacking = gap - (places[i] - places[i - 1]);
      if (lacking <= 0) continue;
      places[i - 1] -= lacking / 2;
      places[i] += lacking / 2;
    }
    if (places.length > 0) {
      places[0] = Math.max(top, places[0]);
      places[places.length - 1] = Math.min(bottom, places[places.length - 1]);
    }
  }
  sorted.forEach((label, i) => {
    const end = Math.min(bottom, Math.max(top, label.y));
    if (Math.abs(places[i] - end) > 0.3 * pen.em)
      pen.draw("line", { class: "leader", x1: x + 2, y1: end, x2: x + 0.55 * pen.em, y2: places[i] });
    const place = { x: x + 0.65 * pen.em, y: places[i] + 0.35 * pen.em, "font-size": pen.em };
    // A learner's colour is its own; a part's comes from the style sheet.
    if (label.colour) pen.draw("text", { class: "label", fill: label.colour, ...place }, label.text);
    else pen.draw("text", { class: `label ink-${label.name}`, ...place }, label.text);
  });
}

// The room that labels need.
export function labelsRoom(pen, texts) {
  return Math.max(0, ...texts.map((text) => textWidth(text, pen.em, 600))) + 0.9 * pen.em;
}

// A sentence in the middle of a picture that has nothing to show.
export function drawNotice(pen, box, lines) {
  const middle = (box.top + box.bottom) / 2 - (lines.length - 1) * 0.65 * pen.em;
  pen.lines("notice", (box.left + box.right) / 2, middle, lines, pen.em, "middle");
}
