// Lessons: the menu, the question that is shown first, the answer that is revealed, and the steps
// that a clicker goes through.
import { app, byId, element, redraw, reload, turnPage } from "./app.js";
import { dialogHead, openPanel } from "./dialogs.js";
import { forgetLeft, isDescentLesson } from "./knobs.js";
import { drawAll, pause, play } from "./player.js";
import { enterLesson, putSet, state } from "./state.js";

const MOVED = "The words describe the lesson as it opens; you have changed it.";

// The words of the experiment that is shown: from its run, or from the list until that is there.
function wordsOf() {
  const listed = app.lab?.lessons.find((lesson) => lesson.name === state.lesson);
  const head = app.run?.head;
  const own = head && (state.toml !== null || head.name === state.lesson || app.record) ? head : null;
  const { opening } = app;
  const said = opening && opening.lesson === state.lesson && opening.toml === state.toml ? opening.words : null;
  const word = (name) => said?.[name] ?? own?.[name] ?? listed?.[name] ?? null;
  return {
    title: word("title") ?? own?.name ?? state.lesson ?? "Your own experiment",
    lookFor: word("lookFor"),
    question: word("question"),
    answer: word("answer"),
    pictured: (own ?? listed)?.pictured ?? null,
    claims: said?.claims ?? [],
    variants: own?.variants ?? [],
  };
}

// Applies the keys that a variant sets, on top of the lesson as it opens.
function tryVariant(variant) {
  state.sets = [];
  for (const one of variant.set) {
    const at = one.indexOf("=");
    putSet(one.slice(0, at).trim(), one.slice(at + 1).trim());
  }
  forgetLeft();
  reload();
  redraw();
}

// Whether the keys that a variant sets are those that are set.
function isTried(variant) {
  const plain = (set) => set.replace(/\s*=\s*/, "=").trim();
  return variant.set.length === state.sets.length && variant.set.every((one) => state.sets.includes(plain(one)));
}

// The buttons that try variants, and the one that goes back.
function tryLine(variants) {
  const back = element(
    "button",
    {
      type: "button",
      class: "try",
      "data-variant": "",
      disabled: state.sets.length === 0,
      onclick: () => tryVariant({ set: [] }),
    },
    "as it opens",
  );
  const buttons = variants.map((variant) =>
    element(
      "button",
      {
        type: "button",
        class: "try",
        "data-variant": variant.name,
        "aria-pressed": String(isTried(variant)),
        onclick: () => tryVariant(variant),
      },
      variant.name,
    ),
  );
  return element("p", { class: "variants" }, element("b", {}, "Try it"), ...buttons, back);
}

// What the run of the lesson says of its claims.
function claimsLine(claims) {
  const lines = claims.map((claim) =>
    element(
      "li",
      { class: claim.verdict, title: claim.reason ?? null },
      element("code", {}, claim.claim),
      ` ${claim.verdict}`,
    ),
  );
  const held = claims.filter((claim) => claim.verdict === "holds").length;
  const summary = `This run checked ${claims.length} statements: ${held === claims.length ? "all hold" : `${held} hold`}`;
  return element("details", { class: "claims" }, element("summary", {}, summary), element("ul", {}, ...lines));
}

// Opens a lesson, at a step of it.
export function openLesson(name, step = "") {
  pause();
  enterLesson(name);
  state.step = step;
  const lesson = app.lab.lessons.find((one) => one.name === name);
  if (lesson?.pictured) state.scene = 6;
  else if (state.scene === 6 || (state.scene === 5 && !isDescentLesson(name))) state.scene = 1;
  forgetLeft();
  state.panel = state.panel === "controls" ? "controls" : "";
  turnPage();
  reload();
  redraw();
}

function neighbour(by) {
  const { lessons } = app.lab;
  const place = lessons.findIndex((lesson) => lesson.name === state.lesson);
  return lessons[place + by] ?? null;
}

// A clicker's way: question, training sets streaming in, everything, answer, next lesson.
export function nextStep() {
  const words = wordsOf();
  if (state.step === "" && words.question) state.step = "question";
  else if (state.step === "question" || state.step === "") {
    state.step = "picture";
    if (!words.pictured) {
      state.drawn = 0;
      play();
    }
  } else if (state.step === "picture" && (app.playing || state.drawn !== null)) drawAll();
  else if (state.step === "picture" && words.answer) state.step = "answer";
  else {
    const next = neighbour(1);
    if (next) openLesson(next.name, next.question ? "question" : "");
  }
  redraw();
}

// The way back.
export function previousStep() {
  const words = wordsOf();
  if (state.step === "answer") state.step = "picture";
  else if (state.step === "picture" && words.question) {
    drawAll();
    state.step = "question";
  } else {
    const before = neighbour(-1);
    if (before) openLesson(before.name, before.answer ? "answer" : "");
  }
  redraw();
}

export function toggleQuestion() {
  if (!wordsOf().question) return;
  state.step = state.step === "question" ? "picture" : "question";
  redraw();
}

export function toggleAnswer() {
  if (!wordsOf().answer) return;
  state.step = state.step === "answer" ? "picture" : "answer";
  redraw();
}

export function toggleLook() {
  state.look = !state.look;
  redraw();
}

// Makes title, card and strip agree with the state.
export function showLesson() {
  const words = wordsOf();
  const changed = state.sets.length > 0 ? " (changed)" : "";
  byId("title").textContent = words.title;
  byId("title").title = words.title;
  byId("title").classList.toggle("long", words.title.length > 48);
  document.title = `${words.title}${changed} – bvlab`;
  byId("ask").disabled = !words.question;
  byId("ask").setAttribute("aria-pressed", String(state.step !== ""));
  const card = byId("card");
  const asking = state.step === "question" && words.question;
  const begin = words.pictured ? "Show the figure" : "Draw training sets";
  fill(card, asking ? JSON.stringify([words.question, begin]) : "", () => [
    element("h2", {}, "Question"),
    element("p", { class: "question" }, words.question),
    element("button", { id: "begin", class: "first", type: "button", onclick: nextStep }, begin),
    element("p", { class: "hint" }, "What do you expect? Decide before you continue."),
  ]);
  const strip = byId("strip");
  const parts = [];
  if (state.look && words.lookFor) parts.push(["look", "Look for", words.lookFor]);
  if ((state.step === "picture" || state.step === "answer") && words.question)
    parts.push(["question", "Question", words.question]);
  if (state.step === "answer" && words.answer) parts.push(["answer", "Answer", words.answer]);
  const reveal = state.step === "picture" && words.answer !== null;
  const moved = state.sets.length > 0;
  const claims = state.step === "answer" ? words.claims : [];
  const variants = state.step === "answer" ? words.variants : [];
  const key = [parts, reveal, claims, variants, state.sets];
  fill(strip, parts.length > 0 ? JSON.stringify(key) : "", () => [
    ...parts.map(([name, label, text]) => {
      const line = element("p", { class: name }, element("b", {}, label), text);
      if (name !== "question" || !reveal) return line;
      return element(
        "div",
        { class: "after" },
        line,
        element(
          "button",
          { id: "reveal", type: "button", title: "Reveal the answer (A)", onclick: toggleAnswer },
          "Reveal answer",
        ),
      );
    }),
    ...(claims.length > 0 ? [claimsLine(claims)] : []),
    ...(variants.length > 0 ? [tryLine(variants)] : []),
    ...(moved ? [element("p", { class: "moved" }, MOVED)] : []),
  ]);
}

// Fills an element if what it shows has changed; empty, it is hidden.
function fill(holder, key, make) {
  if (holder.dataset.key === key) return;
  holder.dataset.key = key;
  holder.hidden = key === "";
  holder.replaceChildren(...(key === "" ? [] : make()));
}

export function fillLessons(dialog) {
  const groups = new Map();
  for (const lesson of app.lab.lessons) {
    if (!groups.has(lesson.group)) groups.set(lesson.group, []);
    groups.get(lesson.group).push(lesson);
  }
  const sections = [...groups].flatMap(([group, lessons]) => [
    element("h3", {}, group),
    element(
      "ul",
      {},
      ...lessons.map((lesson) =>
        element(
          "li",
          {},
          element(
            "button",
            {
              type: "button",
              "data-lesson": lesson.name,
              "aria-current": lesson.name === state.lesson ? "true" : null,
              autofocus: lesson.name === state.lesson ? "" : null,
              onclick: () => {
                openPanel("");
                openLesson(lesson.name);
              },
            },
            lesson.title,
            element("small", {}, lesson.name),
          ),
        ),
      ),
    ),
  ]);
  dialog.replaceChildren(dialogHead("Lessons"), ...sections);
}
