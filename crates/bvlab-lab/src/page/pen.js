// Draws into an SVG again and again, keeping the elements: only what has changed is written, so
// that dragging stays smooth.

import { say } from "./strings.js";

export const SVG = "http://www.w3.org/2000/svg";

const kept = new WeakMap();

// So many of a pile are painted together.
const PILE = 10;

const measuring = { context: null, known: new Map() };

// How wide a text is, in pixels.
export function textWidth(said, size, weight = 400) {
  const text = say(said);
  const key = `${weight}/${size}/${text}`;
  if (!measuring.known.has(key)) {
    measuring.context ??= document.createElement("canvas").getContext("2d");
    measuring.context.font = `${weight} ${size}px Inter, system-ui, sans-serif`;
    if (measuring.known.size > 3000) measuring.known.clear();
    measuring.known.set(key, measuring.context.measureText(text).width);
  }
  return measuring.known.get(key);
}

// Widths change once when the page's font has come.
export function forgetWidths() {
  measuring.known.clear();
}

// Breaks a text into lines of at most that width.
export function wrapText(said, size, width, weight = 400) {
  const lines = [];
  let line = "";
  for (const word of say(said).split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && textWidth(longer, size, weight) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

export class Pen {
  constructor(svg) {
    this.svg = svg;
    this.places = [];
  }

  // Says in words what the picture shows. While training sets come in, not more often than anybody could hear it.
  describe(words, moving) {
    const now = performance.now();
    if (moving && now - (this.described ?? -Infinity) < 500) return;
    this.described = now;
    const said = words();
    if (this.said !== said) this.svg.setAttribute("aria-label", said);
    this.said = said;
  }

  // Measures the element that the SVG fills. All pictures are measured before one of them is drawn: a
  // drawing makes the browser lay out the page anew for whoever measures next.
  measure(em = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)) {
    const box = this.svg.parentElement.getBoundingClientRect();
    this.em = em;
    this.width = Math.floor(box.width);
    this.height = Math.floor(box.height);
  }

  // Begins a drawing of that size. False if it cannot be seen.
  begin() {
    if (this.width < 40 || this.height < 30) return false;
    this.places = [{ parent: this.svg, next: 0 }];
    this.write(this.svg, { viewBox: `0 0 ${this.width} ${this.height}` });
    return true;
  }

  write(element, attributes) {
    let old = kept.get(element);
    if (!old) kept.set(element, (old = {}));
    for (const name in attributes) {
      const value = attributes[name];
      const shown = typeof value === "number" ? Math.round(value * 100) / 100 : value;
      if (old[name] === shown) continue;
      old[name] = shown;
      element.setAttribute(name, String(shown));
    }
    for (const name in old) {
      if (name !== "#text" && !(name in attributes)) {
        delete old[name];
        element.removeAttribute(name);
      }
    }
    return old;
  }

  place(tag) {
    const here = this.places[this.places.length - 1];
    let element = here.parent.childNodes[here.next] ?? null;
    if (!element || element.nodeName !== tag) {
      const fresh = document.createElementNS(SVG, tag);
      if (element) here.parent.replaceChild(fresh, element);
      else here.parent.appendChild(fresh);
      element = fresh;
    }
    here.next++;
    return element;
  }

  draw(tag, attributes, text = null) {
    const element = this.place(tag);
    const old = this.write(element, attributes);
    if (old["#text"] !== text) {
      old["#text"] = text;
      element.textContent = text === null ? "" : say(text);
    }
    return element;
  }

  open(tag, attributes) {
    const element = this.place(tag);
    this.write(element, attributes)["#text"] = undefined;
    this.places.push({ parent: element, next: 0 });
    return element;
  }

  close() {
    const { parent, next } = this.places.pop();
    while (parent.childNodes.length > next) parent.lastChild.remove();
  }

  end() {
    while (this.places.length > 0) this.close();
  }

  // Things of which more and more come in, drawn one by one, in groups: a group that is complete is painted once and
  // kept by the browser (style.css), and what is drawn after the pile keeps its elements.
  pile(count, draw) {
    this.open("g", {});
    for (let from = 0; from < count; from += PILE) {
      this.open("g", { class: "pile" });
      for (let i = from; i < Math.min(count, from + PILE); i++) draw(i);
      this.close();
    }
    this.close();
  }

  // What is drawn until `close` is cut off at this rectangle.
  clip({ left, top, right, bottom }) {
    // Without room nothing is shown.
    const [width, height] = [Math.max(0, right - left), Math.max(0, bottom - top)];
    this.open("svg", { x: left, y: top, width, height, viewBox: `${left} ${top} ${width} ${height}` });
  }

  line(name, x1, y1, x2, y2) {
    return this.draw("line", { class: name, x1, y1, x2, y2 });
  }

  text(name, x, y, text, size = this.em, anchor = "start") {
    return this.draw("text", { class: name, x, y, "font-size": size, "text-anchor": anchor }, text);
  }

  // Texts one after the other on a line, each with its class.
  words(x, y, parts, size = this.em, anchor = "start") {
    this.open("text", { x, y, "font-size": size, "text-anchor": anchor });
    for (const [name, text] of parts) this.draw("tspan", { class: name }, text);
    this.close();
  }

  // Lines of text, from y downward. Returns where the next would be.
  lines(name, x, y, lines, size = this.em, anchor = "start") {
    for (const line of lines) {
      this.text(name, x, y, line, size, anchor);
      y += 1.3 * size;
    }
    return y;
  }
}

// A place to a tenth of a pixel; quicker than toFixed, of which dragging would need thousands.
function tenth(place) {
  return Math.round(place * 10) / 10;
}

// The path through points; there are gaps where one is not a number.
export function pathThrough(xs, ys) {
  let path = "";
  let down = false;
  let waiting = false;
  let lastX = 0;
  let lastY = 0;
  for (let i = 0; i < xs.length; i++) {
    const x = tenth(xs[i]);
    const y = tenth(ys[i]);
    if (x !== x || y !== y) {
      if (waiting) path += `L${lastX} ${lastY}`;
      down = false;
      waiting = false;
    } else if (down && y === lastY) {
      // Along a level stretch only its ends count.
      lastX = x;
      waiting = true;
    } else {
      if (waiting) path += `L${lastX} ${lastY}`;
      path += `${down ? "L" : "M"}${x} ${y}`;
      down = true;
      waiting = false;
      lastX = x;
      lastY = y;
    }
  }
  return waiting ? `${path}L${lastX} ${lastY}` : path;
}

// The outline of a band between two curves, in pieces where there are gaps.
export function bandBetween(xs, lows, highs) {
  let path = "";
  let piece = [];
  const finish = () => {
    if (piece.length > 1) {
      const there = piece.map((i) => `${xs[i].toFixed(1)} ${highs[i].toFixed(1)}`);
      const back = piece.reverse().map((i) => `${xs[i].toFixed(1)} ${lows[i].toFixed(1)}`);
      path += `M${there.join("L")}L${back.join("L")}Z`;
    }
    piece = [];
  };
  for (let i = 0; i < xs.length; i++) {
    if (Number.isNaN(lows[i]) || Number.isNaN(highs[i])) finish();
    else piece.push(i);
  }
  finish();
  return path;
}
