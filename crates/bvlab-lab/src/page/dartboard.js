// Dartboards: predictions at two test points as darts, across and up. The truth is the bull's eye,
// the cross is the mean: its distance from the middle is the bias, the scatter the variance.
import { plain, short } from "./numbers.js";
import { wrapText } from "./pen.js";
import { pointWords, splitAt } from "./point.js";
import { settingWords } from "./view.js";

const RINGS = 5;

const MOST_BOARDS = 4;

function boardOf(run, learner, drawn, points) {
  const [first, second] = points.map((point) => splitAt(run, learner, drawn, point));
  const darts = Array.from(first.predictions, (one, i) => [one - first.truth, second.predictions[i] - second.truth]);
  return {
    learner,
    darts,
    mean: [first.mean - first.truth, second.mean - second.truth],
    bias2: first.bias2 + second.bias2,
    variance: first.variance + second.variance,
  };
}

// One scale for all boards, that of the whole run: nearly all darts are on the board.
function reachOf(run, learners, points) {
  const sizes = learners.flatMap((learner) => boardOf(run, learner, null, points).darts.flat().map(Math.abs));
  sizes.sort((a, b) => a - b);
  return 1.1 * (sizes[Math.floor(0.97 * (sizes.length - 1))] || 1);
}

// How high the boards are on a phone, in the heights of its text: two beside each other.
export function boardsHeight(learners) {
  return Math.ceil(Math.min(learners, MOST_BOARDS) / 2) * 18.5;
}

export function drawDartboards(pen, outer, run, chosen, drawn, points) {
  const em = pen.em;
  const all = run.head.learners.map((_, i) => i);
  // The chosen learner is always among those shown.
  const learners =
    all.length <= MOST_BOARDS ? all : [...new Set([chosen, ...all])].slice(0, MOST_BOARDS).sort((a, b) => a - b);
  const reach = reachOf(run, learners, points);
  const [width, height] = [outer.right - outer.left, outer.bottom - outer.top];
  const across = (rows) => width / Math.ceil(learners.length / rows);
  const titles = (rows) => Math.max(...learners.map((learner) => titleLines(run, learner, em, across(rows)).length));
  // What is said below a board has two lines, or four of half the width.
  const below = (rows) => (across(rows) > 15 * em ? 3.4 : 6);
  const size = (rows) => Math.min(across(rows) - em, height / rows - (below(rows) + 1.25 * titles(rows)) * em);
  // In as many rows as make the boards largest, but not so narrow that their numbers overlap.
  const rows = [1, 2, 3, 4]
    .filter((one) => one <= learners.length && (one === learners.length || across(one) > 10 * em))
    .reduce((a, b) => (size(b) > size(a) ? b : a));
  const columns = Math.ceil(learners.length / rows);
  const [cellWidth, cellHeight] = [width / columns, height / rows];
  learners.forEach((learner, i) => {
    const [column, row] = [i % columns, Math.floor(i / columns)];
    const cell = { left: outer.left + column * cellWidth, top: outer.top + row * cellHeight };
    drawBoard(
      pen,
      cell,
      cellWidth,
      Math.max(30, size(rows)),
      run,
      boardOf(run, learner, drawn, points),
      reach,
      points,
      learner === chosen && learners.length > 1,
      titles(rows),
    );
  });
}

function titleLines(run, learner, em, width) {
  const setting = settingWords(run, learner);
  return wrapText(`${run.head.learners[learner].name}${setting === "" ? "" : `, ${setting}`}`, em, width - em, 600);
}

function drawBoard(pen, cell, width, size, run, board, reach, points, chosen, titles) {
  const em = pen.em;
  const middle = cell.left + width / 2;
  const lines = titleLines(run, board.learner, em, width);
  lines.forEach((line, i) =>
    pen.text(chosen ? "heading chosen" : "heading", middle, cell.top + em + 1.25 * i * em, line, em, "middle"),
  );
  const radius = size / 2;
  const top = cell.top + (0.4 + 1.25 * titles) * em;
  const [cx, cy] = [middle, top + radius];
  for (let ring = RINGS; ring >= 1; ring--) pen.draw("circle", { class: "board", cx, cy, r: (radius * ring) / RINGS });
  pen.draw("circle", { class: "bull", cx, cy, r: 0.25 * em });
  const place = ([across, up]) => [cx + (across / reach) * radius, cy - (up / reach) * radius];
  const edge = { left: cx - radius, right: cx + radius, top: cy - radius, bottom: cy + radius };
  pen.clip(edge);
  board.darts.forEach((dart) => {
    const [x, y] = place(dart);
    pen.draw("circle", { class: "dart", cx: x, cy: y, r: 0.2 * em });
  });
  if (board.darts.length > 0) {
    const [x, y] = place(board.mean);
    const arm = 0.6 * em;
    pen.draw("path", {
      class: "curve bias bold",
      d: `M${x - arm} ${y - arm}L${x + arm} ${y + arm}M${x - arm} ${y + arm}L${x + arm} ${y - arm}`,
    });
  }
  pen.close();
  const [across, up] = [`→ ${pointWords(run, points[0])}`, `↑ ${pointWords(run, points[1])}`];
  const narrow = width <= 15 * em;
  let y = top + size + 1.1 * em;
  const places = narrow ? [across, up] : [`${across}\u2003${up}`];
  y = pen.lines("soft", middle, y, places, em, "middle");
  if (board.darts.length < 2) return;
  const bias = [
    ["ink-bias strong", "bias² "],
    ["", short(board.bias2)],
  ];
  const variance = [
    ["ink-variance strong", "variance "],
    ["", short(board.variance)],
  ];
  if (narrow) {
    pen.words(middle, y, bias, em, "middle");
    pen.words(middle, y + 1.3 * em, variance, em, "middle");
  } else pen.words(middle, y, [...bias, ["", "\u2003"], ...variance], em, "middle");
}

// The picture in words.
export function dartboardWords(run, chosen, drawn, points) {
  const board = boardOf(run, chosen, drawn, points);
  const where = points.map((point) => pointWords(run, point)).join(" and ");
  if (board.darts.length === 0) return `Dartboard of ${run.head.learners[chosen].name} at ${where}: nothing drawn yet.`;
  return `Dartboard of ${run.head.learners[chosen].name} at ${where}: ${board.darts.length} darts; the mean misses by ${plain(board.mean[0])} across and ${plain(board.mean[1])} up; bias² ${plain(board.bias2)}, variance ${plain(board.variance)}.`;
}
