// The identity: noise + bias² + variance = risk, as a stacked bar beside the testing error that was
// measured on fresh labels, with error bars, for the current setting.
import { lossNamed } from "./losses.js";
import { decimalsFor, plain, rounded, short, several, withInterval } from "./numbers.js";
import { textWidth, wrapText } from "./pen.js";
import { Axis } from "./scales.js";
import { say } from "./strings.js";
import { hasCurve, settingOf, settingWords, sliceOf } from "./view.js";
import { FEWEST } from "./parts.js";

export const STACK = [
  ["noise", "noise", "noise"],
  ["bias2", "bias", "bias²"],
  ["variance", "variance", "variance"],
];

// The parts that are known: of a table the noise is not.
export const stackOf = (head) => (head.rows ? STACK.slice(1) : STACK);

// The numbers of a setting: values and 95 % intervals.
export function numbersAt(run, learner, drawn) {
  const frame = run.frameAt(drawn);
  if (!frame) return null;
  const setting = settingOf(run, learner);
  const own = frame.learners[learner];
  const get = (name) => {
    const value = own[name][setting];
    const [low, high] = ["low", "high"].map((end) => own[`${name}_${end}`]?.[setting] ?? NaN);
    return { value, low, high, half: (high - low) / 2 };
  };
  return {
    count: frame.count,
    heavy: own.heavy[setting],
    noise: get("noise"),
    bias2: get("bias2"),
    variance: get("variance"),
    risk: get("risk"),
    test: get("test_risk"),
    median: own.risk_median[setting],
    q25: own.risk_q25[setting],
    q75: own.risk_q75[setting],
  };
}

// The length of the bars' scale: that of the largest risk in sight, or a few times the usual one,
// so that one bad setting does not squeeze all others.
export function lengthOf(run, learner, numbers) {
  const value = numbers.heavy
    ? numbers.q75
    : Math.max(numbers.risk.high, numbers.test.high, run.head.classes ? costsOf(run.head, numbers) : 0);
  const own = run.newest.learners[learner];
  const risks = sliceOf(run, learner).map((i) => (own.heavy[i] ? own.risk_median[i] : own.risk[i]));
  const sorted = risks.filter(Number.isFinite).sort((a, b) => a - b);
  const usual = sorted[Math.floor(sorted.length / 4)] ?? 1;
  const top = Math.min(sorted[sorted.length - 1] ?? 1, 4 * usual);
  return 1.08 * Math.max(top, Number.isFinite(value) ? value : 0, 1e-12);
}

// What the parts cost without what others give back.
const costsOf = (head, numbers) => stackOf(head).reduce((sum, [column]) => sum + Math.max(0, numbers[column].value), 0);

function equationParts(head, numbers) {
  const { noise, bias2, variance, risk, test } = numbers;
  const first = [["ink-noise strong", "noise "], ["", plain(noise.value)]];
  return [
    ...(head.rows ? [] : [first]),
    [
      ...(head.rows ? [] : [["soft", "+ "]]),
      ["ink-bias strong", lossNamed(head, "bias² ")],
      ["", withInterval(bias2.value, bias2.low, bias2.high)],
    ],
    [
      ["soft", "+ "],
      ["ink-variance strong", "variance "],
      ["", withInterval(variance.value, variance.low, variance.high)],
    ],
    [
      ["soft", "= "],
      ["ink-risk strong", "risk "],
      ["strong", withInterval(risk.value, risk.low, risk.high)],
    ],
    [
      ["ink-risk strong", "measured "],
      ["strong", withInterval(test.value, test.low, test.high)],
    ],
  ];
}

function flow(pen, box, groups) {
  const em = pen.em;
  const width = (group) =>
    group.reduce((sum, [name, text]) => sum + textWidth(text, em, name.includes("strong") ? 600 : 400), 0);
  let [x, y] = [box.left, box.top + em];
  for (const group of groups) {
    const length = width(group);
    if (x > box.left && x + length > box.right) {
      x = box.left;
      y += 1.35 * em;
    }
    pen.words(x, y, group);
    // Single words of a sentence stand closer than the parts of the sum.
    x += length + (group.length === 1 && group[0][0] === "soft" ? 0.28 : 0.55) * em;
  }
  return y;
}

export const HIDDEN_SUM = "noise + bias² + variance = risk: what do you expect?";

// What is said where there are no numbers.
export function insteadOfSum(run, drawn, hidden) {
  const lacking = FEWEST - (drawn ?? run.ready);
  if (run.head.rows) return insteadOfRows(lacking, hidden);
  if (hidden) return HIDDEN_SUM;
  if (lacking <= 0) return "noise + bias² + variance = risk: the first estimates are being computed.";
  return `noise + bias² + variance = risk: error bars need ${several(lacking, "more training set", "more training sets")}.`;
}

// The same of a table, whose noise nobody knows.
function insteadOfRows(lacking, hidden) {
  if (hidden) return "(bias² + noise) + variance = risk: what do you expect?";
  if (lacking <= 0) return "(bias² + noise) + variance = risk: the first estimates are being computed.";
  return `(bias² + noise) + variance = risk: error bars need ${several(lacking, "more training set", "more training sets")}.`;
}

// The line where the bars begin: it stays where it was lowest for this run and width, so that the bars do
// not jump when the words above them need a line more.
function steadyLine(run, width, em, y) {
  const key = `${Math.round(width)}/${em}`;
  if (run.identityLine?.key !== key) run.identityLine = { key, y };
  return (run.identityLine.y = Math.max(run.identityLine.y, y));
}

// `average`: another identity is in sight, and this one must say what it is of; `hidden`: without numbers.
export function drawIdentity(pen, outer, run, learner, drawn, average = false, hidden = false) {
  const em = pen.em;
  const box = {
    left: outer.left + 0.3 * em,
    right: outer.right - 0.6 * em,
    top: outer.top + 0.2 * em,
    bottom: outer.bottom - 0.3 * em,
  };
  const numbers = hidden ? null : numbersAt(run, learner, drawn);
  if (!numbers) {
    const words = say(lossNamed(run.head, insteadOfSum(run, drawn, hidden))).split(" ");
    flow(
      pen,
      box,
      words.map((word) => [["soft", word]]),
    );
    return;
  }
  drawDoubt(pen, box, run, learner, drawn);
  const words = numbers.heavy ? heavyParts(numbers) : equationParts(run.head, numbers);
  const named = [[["strong", hasCurve(run.head) ? "average over all x:" : run.head.rows ? "average over all held-out rows:" : "average over all test points:"]]];
  const below = steadyLine(run, outer.right, em, flow(pen, box, average ? [...named, ...words] : words)) + 0.5 * em;
  const left = box.left + textWidth("measured", em) + 0.6 * em;
  const x = new Axis(false, [0, lengthOf(run, learner, numbers)], [left, box.right]);
  const gap = 0.35 * em;
  const height = Math.max(0.55 * em, Math.min(2.2 * em, (box.bottom - below - gap) / 2));
  if (numbers.heavy) {
    drawQuartiles(pen, box, x, numbers, below, height);
    return;
  }
  pen.text("soft", box.left, below + height / 2 + 0.35 * em, "sum");
  pen.text("soft", box.left, below + gap + 1.5 * height + 0.35 * em, "measured");
  let from = 0;
  for (const [column, name, called] of stackOf(run.head)) {
    const label = lossNamed(run.head, called);
    const part = numbers[column].value;
    // Under zero-one loss a part can give back what others cost.
    const taken = part < 0 && run.head.classes;
    const [start, end] = taken ? [x.place(from + part), x.place(from)] : [x.place(from), x.place(from + Math.max(0, part))];
    pen.draw("rect", { class: taken ? `fill ${name} taken` : `fill ${name}`, x: start, y: below, width: Math.max(0, end - start), height });
    if (height > 0.9 * em && end - start > textWidth(label, em) + 0.6 * em)
      pen.text("inside", (start + end) / 2, below + height / 2 + 0.35 * em, label, em, "middle");
    from += taken ? part : Math.max(0, part);
  }
  errorBar(pen, x, numbers.risk, below + height / 2, 0.3 * height);
  const second = below + height + gap;
  pen.draw("rect", {
    class: "fill measuredbar",
    x: x.place(0),
    y: second,
    width: Math.max(0, x.place(numbers.test.value) - x.place(0)),
    height,
  });
  errorBar(pen, x, numbers.test, second + height / 2, 0.3 * height);
}

// In a high and narrow place, as beside the double descent, there is room to say what gaps mean.
function drawDoubt(pen, box, run, learner, drawn) {
  const em = pen.em;
  const { heavy } = run.frameAt(drawn).learners[learner];
  if (box.bottom - box.top < 13 * em || !sliceOf(run, learner).some((i) => heavy[i])) return;
  const words =
    "Where the black line has gaps, means may not exist. Brown: median and quartiles of single training sets.";
  const lines = wrapText(words, em, box.right - box.left);
  pen.lines("soft", box.left, box.bottom - (lines.length - 1) * 1.3 * em - 0.3 * em, lines);
}

export function errorBar(pen, x, ends, y, size) {
  if (!Number.isFinite(ends.low) || !Number.isFinite(ends.high)) return;
  const [low, high] = [x.place(ends.low), x.place(ends.high)];
  pen.draw("path", {
    class: "errorbar",
    d: `M${low} ${y}H${high}M${low} ${y - size}v${2 * size}M${high} ${y - size}v${2 * size}`,
  });
}

function heavyParts(numbers) {
  return [
    [
      ["ink-median strong", "median risk "],
      ["strong", short(numbers.median)],
    ],
    [["ink-median", `quartiles ${short(numbers.q25)} and ${short(numbers.q75)}`]],
    ..."The mean may not exist here: single training sets dominate it.".split(" ").map((word) => [["soft", word]]),
  ];
}

function drawQuartiles(pen, box, x, numbers, top, height) {
  const [low, middle, high] = [numbers.q25, numbers.median, numbers.q75].map((value) => x.place(value));
  pen.text("soft", box.left, top + height / 2 + 0.35 * pen.em, "risk");
  pen.draw("rect", { class: "band median", x: low, y: top, width: Math.max(1, high - low), height });
  pen.line("curve median", middle, top, middle, top + height);
  pen.line("frame", x.place(0), top, x.place(0), top + height);
}

// The identity as one sentence: `0.250 + 0.004 + 0.149 = 0.403 ± 0.003, measured 0.403 ± 0.004`.
export function identityWords(run, learner, drawn) {
  const numbers = numbersAt(run, learner, drawn);
  const name = run.head.learners[learner].name;
  const setting = settingWords(run, learner);
  const who = setting === "" ? name : `${name}, ${setting}`;
  const sum = lossNamed(run.head, "noise + bias² + variance = risk");
  if (!numbers) return `${who}: ${sum}; no estimates yet.`;
  const from = several(numbers.count, "training set", "training sets");
  if (numbers.heavy)
    return `${who}: median risk ${short(numbers.median)}, quartiles ${short(numbers.q25)} and ${short(numbers.q75)}, from ${from}. A mean may not exist here.`;
  const decimals = decimalsFor(numbers.risk.half, numbers.risk.value, 1);
  const say = ({ value }) => rounded(value, decimals);
  const both = ({ value, half }) => `${rounded(value, decimals)} ± ${rounded(half, decimals)}`;
  const noise = run.head.rows ? "" : `${say(numbers.noise)} + `;
  return `${who}: ${sum}: ${noise}${say(numbers.bias2)} + ${say(numbers.variance)} = ${both(numbers.risk)}, measured ${both(numbers.test)}, from ${from}.`;
}
