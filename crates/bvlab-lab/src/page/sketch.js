// A curve drawn by hand: with the mouse or a finger, or knot by knot with the arrow keys.
import { element } from "./app.js";
import { short } from "./numbers.js";
import { Pen, SVG, pathThrough } from "./pen.js";
import { Axis } from "./scales.js";

const KNOTS = 25;
const STEPS = 40;

// The truth as the first sketch: its heights at the knots.
function startingKnots(points, [from, to]) {
  const at = (x) => {
    const after = points.findIndex(([place]) => place >= x);
    if (after <= 0) return points[after === 0 ? 0 : points.length - 1][1];
    const [[x0, y0], [x1, y1]] = [points[after - 1], points[after]];
    return x1 > x0 ? y0 + ((y1 - y0) * (x - x0)) / (x1 - x0) : y1;
  };
  return Array.from({ length: KNOTS }, (_, i) => at(from + ((to - from) * i) / (KNOTS - 1)));
}

// A pad to draw on. `changed` gets the points.
export function makeSketch(points, range, heights, changed) {
  const knots = startingKnots(points, range);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("aria-hidden", "true");
  const pad = element("div", {
    id: "sketch",
    class: "picture",
    role: "group",
    "aria-label": "The curve, drawn by hand: knots from left to right, their height with the up and down arrows",
  });
  const x = (i) => range[0] + ((range[1] - range[0]) * i) / (KNOTS - 1);
  const pen = new Pen(svg);
  let focused = -1;
  const show = () => {
    pen.measure();
    if (!pen.begin()) return;
    const [across, up] = axes();
    const places = knots.map((_, i) => across.place(i));
    if (heights[0] < 0 && heights[1] > 0) pen.line("grid", 0, up.place(0), pen.width, up.place(0));
    pen.draw("path", {
      class: "curve truth bold",
      d: pathThrough(
        places,
        knots.map((knot) => up.place(knot)),
      ),
    });
    if (focused >= 0) pen.draw("circle", { class: "handle", cx: places[focused], cy: up.place(knots[focused]), r: 6 });
    pen.end();
  };
  const axes = () => [
    new Axis(false, [0, KNOTS - 1], [6, pen.width - 6]),
    new Axis(false, heights, [pen.height - 6, 6]),
  ];
  const tell = () => changed(knots.map((knot, i) => [Number(x(i).toPrecision(5)), Number(knot.toPrecision(4))]));
  const inputs = knots.map((knot, i) =>
    element("input", {
      type: "range",
      min: "0",
      max: String(STEPS),
      step: "1",
      "aria-label": `height at x = ${short(x(i))}`,
      value: String(Math.round(((knot - heights[0]) / (heights[1] - heights[0])) * STEPS)),
      onfocus: () => {
        focused = i;
        show();
      },
      onblur: () => {
        focused = -1;
        show();
      },
      oninput: (event) => {
        knots[i] = heights[0] + ((heights[1] - heights[0]) * Number(event.target.value)) / STEPS;
        show();
        tell();
      },
    }),
  );
  let last = null;
  const draw = (event) => {
    const box = pad.getBoundingClientRect();
    const [across, up] = axes();
    const here = [
      across.value(event.clientX - box.left),
      Math.min(heights[1], Math.max(heights[0], up.value(event.clientY - box.top))),
    ];
    const from = last ?? here;
    // All knots that the stroke has passed.
    const [low, high] = [Math.min(from[0], here[0]), Math.max(from[0], here[0])];
    for (let i = 0; i < KNOTS; i++) {
      if (i < low - 0.5 || i > high + 0.5) continue;
      const share = here[0] === from[0] ? 1 : Math.min(1, Math.max(0, (i - from[0]) / (here[0] - from[0])));
      knots[i] = from[1] + share * (here[1] - from[1]);
      inputs[i].value = String(Math.round(((knots[i] - heights[0]) / (heights[1] - heights[0])) * STEPS));
    }
    last = here;
    show();
  };
  pad.addEventListener("pointerdown", (event) => {
    pad.setPointerCapture(event.pointerId);
    last = null;
    draw(event);
    event.preventDefault();
  });
  pad.addEventListener("pointermove", (event) => {
    if (pad.hasPointerCapture(event.pointerId)) draw(event);
  });
  pad.addEventListener("pointerup", tell);
  pad.append(svg, element("div", { class: "knots" }, ...inputs));
  new ResizeObserver(show).observe(pad);
  return pad;
}
