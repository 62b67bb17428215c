// The identity in a column: its terms one below the other, each with its number and its part of the bar.
import { errorBar, insteadOfSum, numbersAt, stackOf } from "./identity.js";
import { lossNamed } from "./losses.js";
import { decimalsFor, rounded, short } from "./numbers.js";
import { textWidth, wrapText } from "./pen.js";
import { Axis } from "./scales.js";

// Where there is less room than this for bars, in em, they have the room of what is after ±: their whiskers say it.
const BARS = 6;

// How many decimals the error of the risk allows.
export function sumDecimals({ risk }) {
  return decimalsFor(risk.half, risk.value, 1);
}

// The texts of the rows: class and word, value, and what is after ±.
function sumRows(head, numbers, decimals) {
  const { risk, test } = numbers;
  const extreme = !(Math.abs(risk.value) < 1e5) || decimals > 6;
  const show = (value) => (extreme ? short(value) : rounded(value, decimals));
  const half = (one) => (Number.isFinite(one.half) ? `± ${show(one.half)}` : "");
  return [
    ...stackOf(head).map(([column, name, label]) => ({ name: `ink-${name}`, label: lossNamed(head, label), value: show(numbers[column].value), half: "" })),
    { name: "ink-risk", label: "risk", value: show(risk.value), half: half(risk) },
    { name: "ink-risk", label: "measured", value: show(test.value), half: half(test) },
  ];
}

// Bars begin where they did before: the room for the numbers only grows.
function steadyRoom(run, em, room) {
  const key = String(em);
  if (run.sumRoom?.key !== key) run.sumRoom = { key, value: 0, half: 0 };
  for (const one of ["value", "half"]) run.sumRoom[one] = Math.max(run.sumRoom[one], room[one]);
  return run.sumRoom;
}

// `length`: the risk at the end of the bars, the same for all columns; `decimals`: null for those of its own.
export function drawSum(pen, box, row, run, learner, drawn, { length, decimals }, hidden) {
  const { em } = pen;
  const numbers = hidden ? null : numbersAt(run, learner, drawn);
  if (!numbers) {
    const words = wrapText(lossNamed(run.head, insteadOfSum(run, drawn, hidden)), em, box.right - box.left);
    pen.lines("soft", box.left, box.top + em, words, em);
    return;
  }
  if (numbers.heavy) {
    drawHeavy(pen, box, row, numbers, length);
    return;
  }
  const rows = sumRows(run.head, numbers, decimals ?? sumDecimals(numbers));
  // As wide as with the widest digits.
  const widest = (key, weight) => Math.max(...rows.map((one) => textWidth(one[key].replace(/[0-9]/g, "0"), em, weight)));
  const room = steadyRoom(run, em, { value: widest("value", 600), half: widest("half", 400) });
  const names = Math.max(...rows.map((one) => textWidth(one.label, em, 600)));
  const end = box.left + names + 0.6 * em + room.value;
  const full = end + 0.35 * em + room.half + 0.7 * em;
  const halves = box.right - full >= BARS * em;
  const x = new Axis(false, [0, length], [halves ? full : end + 0.7 * em, box.right]);
  let from = 0;
  const stack = stackOf(run.head);
  rows.forEach((one, i) => {
    const middle = box.top + (i + 0.5) * row;
    pen.text(`${one.name} strong`, box.left, middle + 0.35 * em, one.label);
    pen.text(i < stack.length ? "" : "strong", end, middle + 0.35 * em, one.value, em, "end");
    if (halves && one.half !== "") pen.text("soft", end + 0.35 * em, middle + 0.35 * em, one.half);
    from = drawRow(pen, x, stack, numbers, i, from, middle, Math.min(0.78 * row, 1.1 * em));
  });
}

function bar(pen, name, x, from, to, middle, height) {
  const [start, end] = [x.place(from), x.place(to)];
  pen.draw("rect", { class: name, x: start, y: middle - height / 2, width: Math.max(0, end - start), height });
}

// A term begins where the one before it ends; the risk is all of them. Returns where it ends.
function drawRow(pen, x, stack, numbers, i, from, middle, height) {
  if (i < stack.length) {
    const [column, name] = stack[i];
    const to = from + Math.max(0, numbers[column].value);
    bar(pen, `fill ${name}`, x, from, to, middle, height);
    return to;
  }
  if (i === stack.length) {
    let start = 0;
    for (const [column, name] of stack) {
      const to = start + Math.max(0, numbers[column].value);
      bar(pen, `fill ${name}`, x, start, to, middle, height);
      start = to;
    }
    errorBar(pen, x, numbers.risk, middle, 0.3 * height);
  } else {
    bar(pen, "fill measuredbar", x, 0, numbers.test.value, middle, height);
    errorBar(pen, x, numbers.test, middle, 0.3 * height);
  }
  return from;
}

// Median and quartiles where a mean may not exist.
function drawHeavy(pen, box, row, numbers, length) {
  const { em } = pen;
  pen.words(box.left, box.top + em, [["ink-median strong", "median risk "], ["strong", short(numbers.median)]]);
  pen.text("ink-median", box.left, box.top + row + em, `quartiles ${short(numbers.q25)} and ${short(numbers.q75)}`);
  const x = new Axis(false, [0, length], [box.left, box.right]);
  const [low, middle, high] = [numbers.q25, numbers.median, numbers.q75].map((value) => x.place(value));
  const [top, height] = [box.top + 2.1 * row, 0.8 * row];
  pen.draw("rect", { class: "band median", x: low, y: top, width: Math.max(1, high - low), height });
  pen.line("curve median", middle, top, middle, top + height);
  pen.line("frame", x.place(0), top, x.place(0), top + height);
  const words = wrapText("A mean may not exist here.", em, box.right - box.left);
  pen.lines("soft", box.left, box.top + 3 * row + em, words, em);
}
