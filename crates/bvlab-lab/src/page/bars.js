// The parts of the error where nothing is swept: a stacked bar for every learner.
import { lossNamed } from "./losses.js";
import { short } from "./numbers.js";
import { drawNotice } from "./panel.js";
import { PARTS } from "./look.js";
import { fitting, waitingWords } from "./parts.js";
import { textWidth } from "./pen.js";
import { Axis } from "./scales.js";
import { settingOf } from "./view.js";

// Where nothing is swept there is no curve: a bar for every learner, stacked of its parts.
export function drawLearnerBars(pen, outer, run, drawn) {
  const frame = run.frameAt(drawn);
  const em = pen.em;
  pen.text(
    "heading",
    outer.left + 0.3 * em,
    outer.top + 1.1 * em,
    "nothing is swept: the parts of the error, by learner",
    Math.min(1.1 * em, (outer.right - outer.left) / 27),
  );
  const box = {
    left: outer.left + 0.3 * em,
    right: outer.right - em,
    top: outer.top + 2.2 * em,
    bottom: outer.bottom - 0.5 * em,
  };
  if (!frame) {
    drawNotice(pen, box, waitingWords(run, drawn));
    return null;
  }
  const top = Math.max(...run.newest.learners.flatMap((own) => [...riskAndTest(own)]).filter(Number.isFinite), 1e-12);
  const x = new Axis(false, [0, 1.05 * top], [box.left, box.right]);
  const row = Math.min(7.5 * em, (box.bottom - box.top) / run.head.learners.length);
  run.head.learners.forEach((own, learner) => {
    const setting = settingOf(run, learner);
    const values = frame.learners[learner];
    const y = box.top + learner * row;
    // Where there is room, the numbers stand below the bar.
    const numbered = row > 5.5 * em;
    const height = Math.min(2.6 * em, row - (numbered ? 3.3 : 1.9) * em);
    pen.text("label", box.left, y + em, fitting(own.name, box.right - box.left, em));
    if (values.heavy[setting]) {
      pen.text(
        "soft",
        box.left,
        y + 2.6 * em,
        `a mean may not exist here; median risk ${short(values.risk_median[setting])}`,
      );
      return;
    }
    let from = 0;
    for (const part of PARTS.slice(run.head.rows ? 1 : 0, 3)) {
      const value = Math.max(0, values[part.column][setting]);
      const [start, end] = [x.place(from), x.place(from + value)];
      pen.draw("rect", {
        class: `fill ${part.name}`,
        x: start,
        y: y + 1.5 * em,
        width: Math.max(0, end - start),
        height,
      });
      const label = lossNamed(run.head, part.label);
      if (end - start > textWidth(label, em, 600) + em)
        pen.text("inside", (start + end) / 2, y + 1.5 * em + height / 2 + 0.35 * em, label, em, "middle");
      from += value;
    }
    const middle = y + 1.5 * em + height / 2;
    const [low, high] = [values.risk_low[setting], values.risk_high[setting]];
    if (Number.isFinite(low)) pen.line("errorbar", x.place(low), middle, x.place(high), middle);
    pen.draw("circle", { class: "measured", cx: x.place(values.test_risk[setting]), cy: middle, r: 0.25 * em });
    if (numbered) {
      const number = (column) => short(values[column][setting]);
      pen.words(box.left, y + 2.7 * em + height, [
        ["ink-bias", lossNamed(run.head, "bias² ")],
        ["", `${number("bias2")}\u2003`],
        ["ink-variance", "variance "],
        ["", `${number("variance")}\u2003`],
        ["ink-risk", "risk "],
        ["", number("risk")],
      ]);
    }
  });
  return null;
}

function riskAndTest(own) {
  return Array.from(own.risk, (value, i) => (own.heavy[i] ? NaN : value));
}
