// The length of the weights over what is swept: it is largest where the risk is.
import { short } from "./numbers.js";
import { drawAxes, drawLabels, drawNotice, labelsRoom, numbersRoom } from "./panel.js";
import { pathThrough } from "./pen.js";
import { Axis, extent } from "./scales.js";
import { placesOf, sliceOf } from "./view.js";

function normsOf(run, learner) {
  const norms = run.solving?.[learner]?.weight_norm;
  return norms ? sliceOf(run, learner).map((i) => norms[i]) : null;
}

// The room that the numbers of its upright axis need, so that panels above can line up with it.
export function normRoom(pen, run, learner, height) {
  const norms = normsOf(run, learner);
  return norms ? numbersRoom(pen, heights(norms, height, pen.em)) : 0;
}

function heights(norms, height, em) {
  const [low, high] = extent(norms.filter((norm) => norm > 0));
  return new Axis(true, Number.isFinite(low) ? [low / 1.3, high * 1.3] : [0.1, 10], [height - 2.9 * em, 0.5 * em]);
}

export function drawNorm(pen, run, learner, rightRoom, leftRoom, x) {
  const em = pen.em;
  const norms = normsOf(run, learner);
  const own = run.head.learners[learner];
  const whole = { left: 0, right: pen.width, top: 0, bottom: pen.height };
  if (!norms || own.axes.length === 0) {
    drawNotice(
      pen,
      whole,
      run.end ? ["There are no weights to show for this learner."] : ["The weights are being computed."],
    );
    return;
  }
  const y = heights(norms, pen.height, em);
  const box = {
    left: leftRoom,
    right: pen.width - Math.max(rightRoom, labelsRoom(pen, ["weights"])),
    top: y.end,
    bottom: y.start,
  };
  const across = new Axis(x.log, [x.from, x.to], [box.left + 0.6 * em, box.right - 0.6 * em]);
  const values = Array.from(own.axes[0].values);
  const axis = own.axes[0];
  drawAxes(
    pen,
    box,
    across,
    y,
    { x: axis.about ? [`${axis.name} (${axis.about})`, axis.name] : [axis.name], y: "‖w‖" },
    values,
  );
  if (run.head.threshold !== null) {
    const place = across.place(run.head.threshold);
    pen.line("threshold", place, box.top, place, box.bottom);
  }
  const xs = values.map((value) => across.place(value));
  const ys = norms.map((norm) => (norm > 0 ? y.place(norm) : NaN));
  pen.clip(box);
  pen.draw("path", { class: "curve weights", d: pathThrough(xs, ys) });
  pen.close();
  drawLabels(
    pen,
    box.right - 0.5 * em,
    [{ y: ys.filter(Number.isFinite).pop(), text: "weights", name: "weights" }],
    box.top,
    box.bottom,
  );
  const place = across.place(values[placesOf(run, learner)[0]]);
  pen.line("marker", place, box.top, place, box.bottom);
}

export function normWords(run, learner) {
  const norms = normsOf(run, learner);
  if (!norms) return "Length of the weights: not known.";
  const most = norms.reduce((a, norm, i) => (norm > norms[a] ? i : a), 0);
  const { axes } = run.head.learners[learner];
  return `Length of the weights over ${axes[0]?.name}: largest, ${short(norms[most])}, at ${short(axes[0]?.values[most])}.`;
}
