// Lessons: the menu, the question that is shown first, the answer that is revealed, and the steps
// that a clicker goes through.
import { app, byId, element, refill, redraw, reload, turnPage } from "./app.js";
import { setUpBallot, showBallot, tellAnswer, closeVote } from "./ballot.js";
import { followClass } from "./class.js";
import { courseKey, courseLine, fillCourse, lessonsInOrder, neighbourLesson, noteDone } from "./course.js";
import { openPanel } from "./dialogs.js";
import { withTerms } from "./glossary.js";
import { askedAbout, beginLesson, offeredVariants, revealHidden } from "./opening.js";
import { drawAll, pause, play } from "./player.js";
import { openPresenter } from "./presenter.js";
import { enterLesson, state, store, withKeys } from "./state.js";
import { say } from "./strings.js";

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
    choices: [said?.choices, listed?.choices, own?.choices].find((one) => one?.length > 0) ?? [],
    correct: listed?.correct ?? own?.correct ?? null,
    guess: listed?.guess ?? own?.guess ?? null,
    pictured: (own ?? listed)?.pictured ?? null,
    streams: own ? Boolean(app.run?.streams) : !listed?.pictured,
    claims: said?.claims ?? [],
    variants: offeredVariants(own?.variants ?? []),
  };
}

// Applies the keys that a variant sets, on top of the lesson as it opens.
function tryVariant(variant) {
  const pairs = variant.set.map((one) => one.split(/=(.*)/s, 2).map((part) => part.trim()));
  store.act("variant", { sets: withKeys([], pairs) });
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
  // What a lesson asks about is in the scene that it names, or in the first.
  store.follow("open", { scene: lesson?.pictured ? 6 : 1 });
  beginLesson();
  if (step === "answer") drawEverything();
  state.panel = state.panel === "controls" ? "controls" : "";
  turnPage();
  reload();
  redraw();
}

// A clicker's way: question, training sets streaming in, everything, answer, next lesson.
export function nextStep() {
  const words = wordsOf();
  if (state.step === "" && words.question) askQuestion();
  else if (state.step === "question" && closeVote()) return;
  else if (state.step === "question" || state.step === "") {
    state.step = "picture";
    revealHidden();
    if (words.streams) {
      state.drawn = 0;
      play();
    }
  } else if (state.step === "picture" && (app.playing || state.drawn !== null)) drawAll();
  else if (state.step === "picture" && words.answer) {
    state.step = "answer";
    tellAnswer();
  } else {
    const next = neighbourLesson(1);
    if (next) openLesson(next.name, next.question ? "question" : "");
  }
  redraw();
}

// The way back.
export function previousStep() {
  const words = wordsOf();
  if (state.step === "answer") state.step = "picture";
  else if (state.step === "picture" && words.question) {
    askQuestion();
  } else {
    const before = neighbourLesson(-1);
    if (before) openLesson(before.name, before.answer ? "answer" : "");
  }
  redraw();
}

// The question is asked about the lesson as it begins.
function askQuestion() {
  pause();
  askedAbout();
  state.step = "question";
}

// What the answer speaks of can be seen.
function drawEverything() {
  revealHidden();
  state.drawn = null;
}

export function toggleQuestion() {
  if (!wordsOf().question) return;
  if (state.step === "question") state.step = "picture";
  else askQuestion();
  redraw();
}

export function toggleAnswer() {
  if (!wordsOf().answer) return;
  if (state.step !== "answer") revealHidden();
  state.step = state.step === "answer" ? "picture" : "answer";
  if (state.step === "answer") tellAnswer();
  redraw();
}

// The answer as the lecturer's button shows it.
function showAnswer() {
  if (state.step !== "answer" && wordsOf().answer) toggleAnswer();
  else tellAnswer();
}

// A student's page goes to the question that the class votes on, unless something was changed on it.
function goToVote(vote) {
  if (state.toml !== null || state.sets.length > 0) return;
  if (state.lesson !== vote.lesson) openLesson(vote.lesson, "question");
  else if (state.step !== "question") askQuestion();
}

// The class sees the answer.
function goToAnswer(vote) {
  if (state.toml !== null || state.lesson !== vote.lesson) return;
  revealHidden();
  state.step = "answer";
}

// Takes part in the votes of a lab.
export function joinClass() {
  setUpBallot(wordsOf, showAnswer);
  if (document.documentElement.dataset.embed === undefined) followClass(goToVote, goToAnswer);
}

export function toggleLook() {
  state.look = !state.look;
  redraw();
}

// Makes title, card and strip agree with the state.
export function showLesson() {
  const words = wordsOf();
  const changed = state.sets.length > 0 ? " (changed)" : "";
  byId("title").textContent = say(`${words.title}${changed}`);
  byId("title").title = words.title;
  byId("title").classList.toggle("long", words.title.length > 48);
  document.title = `${words.title}${changed} – bvlab`;
  byId("ask").disabled = !words.question;
  byId("ask").setAttribute("aria-pressed", String(state.step !== ""));
  const card = byId("card");
  const asking = state.step === "question" && words.question;
  const begin = words.pictured ? "Go on" : "Draw training sets";
  fill(card, asking ? [words.question, begin] : null, () => [
    element(
      "button",
      { id: "leave-question", class: "icon", type: "button", "aria-label": "Close the question", onclick: toggleQuestion },
      "✕",
    ),
    element("h2", {}, "Question"),
    element("p", { class: "question" }, ...withTerms(words.question)),
    element("button", { id: "begin", class: "first", type: "button", onclick: nextStep }, begin),
    element("p", { class: "hint" }, "What do you expect? Decide before you continue."),
  ]);
  showBallot(words, (lesson) => openLesson(lesson, "question"));
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
  const answered = state.step === "answer";
  if (answered) noteDone();
  const key = [parts, reveal, claims, variants, state.sets, courseKey()];
  fill(strip, parts.length > 0 ? key : null, () => [
    ...parts.map(([name, label, text]) => {
      const line = element("p", { class: name }, element("b", {}, label), ...withTerms(text));
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
    ...(answered ? courseLine(openLesson) : []),
  ]);
}

// Fills an element if what it shows has changed; empty, it is hidden.
function fill(holder, from, make) {
  holder.hidden = from === null;
  refill(holder, from, () => (from === null ? [] : make()));
}

export function fillLessons(dialog) {
  fillCourse(dialog, (lesson) => {
    openPanel("");
    openLesson(lesson.name, lesson.question ? "question" : "");
  });
}

// The presenter's window, on the lesson that is shown.
export function presentLesson() {
  openPresenter({ next: nextStep, previous: previousStep, words: wordsOf });
}

// The first lesson of the course.
export function beginCourse() {
  const first = lessonsInOrder().find(({ unit }) => unit !== null)?.lesson;
  if (first) openLesson(first.name, first.question ? "question" : "");
}
