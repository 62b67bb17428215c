// Terms explained where they stand: in the words of a lesson, on the labels of the pictures, and all of
// them in the help. Pointing at one lights up its parts in all pictures.
import { byId, element } from "./app.js";
import { TERMS } from "./terms.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";

// The classes of labels in the pictures, by the term that explains them.
const LABELS = {
  "ink-risk": "risk",
  "ink-bias": "bias",
  "ink-variance": "variance",
  "ink-noise": "noise",
  "ink-truth": "truth",
  "ink-train": "training-error",
  "ink-median": "median-risk",
  "ink-data": "training-set",
};

const glossary = { pattern: null, byWord: new Map(), shown: null, timer: 0, pinned: false };

const termCalled = (id) => TERMS.find((term) => term.id === id);

// Finds terms in texts: longer words first, whole words only.
function patternOfTerms() {
  if (!glossary.pattern) {
    for (const term of TERMS) for (const word of term.words) glossary.byWord.set(word.toLowerCase(), term);
    const words = [...glossary.byWord.keys()].sort((a, b) => b.length - a.length);
    const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
    glossary.pattern = new RegExp(`(?<![\\p{L}\\p{N}-])(?:${escaped.join("|")})(?![\\p{L}\\p{N}²])`, "giu");
  }
  return glossary.pattern;
}

// A text as nodes, in which the first use of every term can be asked for.
export function withTerms(text) {
  const nodes = [];
  const used = new Set();
  let from = 0;
  for (const match of text.matchAll(patternOfTerms())) {
    const term = glossary.byWord.get(match[0].toLowerCase());
    if (used.has(term.id)) continue;
    used.add(term.id);
    nodes.push(text.slice(from, match.index), termButton(term, match[0]));
    from = match.index + match[0].length;
  }
  return [...nodes, text.slice(from)].filter((node) => node !== "");
}

function termButton(term, word) {
  return element("button", { type: "button", class: "term", "data-term": term.id }, word);
}

// A formula, as the browser draws it.
function formulaOf(term) {
  if (!term.formula) return null;
  const text = `<math xmlns="${MATHML}" display="block">${term.formula}</math>`;
  return document.importNode(new DOMParser().parseFromString(text, "text/xml").documentElement, true);
}

const capitalised = (word) => word.charAt(0).toUpperCase() + word.slice(1);

const nameOfTerm = (term) => capitalised(term.id === "bias" ? "bias²" : term.id.replaceAll("-", " "));

// All terms, for the help.
export function allTerms() {
  const entries = [...TERMS]
    .sort((a, b) => nameOfTerm(a).localeCompare(nameOfTerm(b)))
    .flatMap((term) => [
      element("dt", {}, termButton(term, nameOfTerm(term))),
      element("dd", {}, term.says, formulaOf(term)),
    ]);
  return element("details", { id: "all-terms" }, element("summary", {}, `Terms (${TERMS.length})`), element("dl", {}, ...entries));
}

// Lights up the parts of a term in all pictures; null: everything.
function light(term) {
  const root = document.documentElement;
  if (term?.lights) root.dataset.lit = term.lights.join(" ");
  else delete root.dataset.lit;
}

function explain(term, target) {
  clearTimeout(glossary.timer);
  const box = bubble();
  if (glossary.shown !== target) {
    glossary.shown?.removeAttribute("aria-describedby");
    glossary.shown = target;
    box.replaceChildren(...[element("b", {}, nameOfTerm(term)), formulaOf(term), element("p", {}, term.says)].filter((one) => one !== null));
    if (target instanceof HTMLElement) target.setAttribute("aria-describedby", "term");
  }
  light(term);
  // Above everything, also above an open dialog.
  const holder = target.closest("dialog") ?? document.body;
  if (box.parentElement !== holder) holder.append(box);
  box.hidden = false;
  place(box, target.getBoundingClientRect());
}

function bubble() {
  return byId("term") ?? element("div", { id: "term", role: "tooltip", hidden: true });
}

// Below the word, or above it; always on the screen.
function place(box, at) {
  const own = box.getBoundingClientRect();
  const [width, height] = [document.documentElement.clientWidth, window.innerHeight];
  const left = Math.max(8, Math.min(width - own.width - 8, at.left + at.width / 2 - own.width / 2));
  const below = at.bottom + 6 + own.height < height - 8;
  box.style.left = `${left}px`;
  box.style.top = `${Math.max(8, below ? at.bottom + 6 : at.top - own.height - 6)}px`;
}

// Takes the explanation away.
export function hideTerm() {
  if (!glossary.shown) return false;
  clearTimeout(glossary.timer);
  glossary.shown.removeAttribute("aria-describedby");
  glossary.shown = null;
  glossary.pinned = false;
  bubble().hidden = true;
  light(null);
  return true;
}

// The term that is pointed at, and where it stands.
function pointedAt(event) {
  if (!(event.target instanceof Element)) return null;
  const button = event.target.closest("[data-term]");
  if (button) return { term: termCalled(button.dataset.term), target: button };
  const label = event.target.closest("#pictures text");
  const part = event.target.closest("#pictures tspan") ?? label;
  for (const one of [part, label])
    for (const name of one?.classList ?? []) if (LABELS[name]) return { term: termCalled(LABELS[name]), target: one };
  return null;
}

function soonHide() {
  clearTimeout(glossary.timer);
  glossary.timer = setTimeout(() => {
    if (!glossary.pinned) hideTerm();
  }, 180);
}

export function setUpTerms() {
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const found = pointedAt(event);
    if (found) explain(found.term, found.target);
    else if (event.target instanceof Element && event.target.closest("#term")) clearTimeout(glossary.timer);
    else if (glossary.shown && !glossary.pinned) soonHide();
  });
  document.addEventListener("focusin", (event) => {
    const found = pointedAt(event);
    if (found) explain(found.term, found.target);
    else hideTerm();
  });
  document.addEventListener("focusout", (event) => {
    if (event.target === glossary.shown) soonHide();
  });
  document.addEventListener("click", (event) => {
    const found = pointedAt(event);
    if (found) {
      glossary.pinned = true;
      explain(found.term, found.target);
    } else if (glossary.shown && !(event.target instanceof Element && event.target.closest("#term"))) hideTerm();
  });
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !hideTerm()) return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
  window.addEventListener("resize", hideTerm);
  document.addEventListener("scroll", () => glossary.shown && hideTerm(), true);
}
