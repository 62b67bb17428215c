// The votes of the class: what the server says of them, and what the lecturer does. Where there is no class,
// the answers of one person, which are forgotten with the page.
import { app, redraw } from "./app.js";
import { asLed, keepLeading, takeView } from "./follow.js";
import { readNote, writeNote } from "./notebook.js";
import { newToken, sendAnswer, sendVote, streamVotes } from "./server.js";
import { state } from "./state.js";

const TOKEN_NOTE = "bvlab-token";
// Arrow keys go through several answers: the last of a few is sent.
const CHOOSING = 250;
const LONGEST_PAUSE = 30;
// After how many milliseconds a page that is not seen lets go of its connection.
const LONGEST_UNSEEN = 10_000;

const votes = { token: null, timer: 0, busy: false, waiting: false, onOpen: () => {}, onReveal: () => {} };

// Who answers here: "alone", a "student", or nobody but the class of a "lecturer".
export function roleHere() {
  if (app.vote === null) return "alone";
  if (!app.lab?.lecturer) return "student";
  return app.lab.address || app.vote.here > 0 || app.vote.phase !== "none" ? "lecturer" : "alone";
}

// The vote on the lesson that is shown, if there is one.
export function voteHere() {
  const { vote } = app;
  return vote && vote.phase !== "none" && vote.lesson === state.lesson && state.lesson !== null ? vote : null;
}

// Does something for as long as a student's page is in sight: browsers have few connections to a server, which
// tabs in the background would use up.
async function whileSeen(act) {
  while (!app.lab.lecturer && document.hidden)
    await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
  const abort = new AbortController();
  let timer = 0;
  const watch = () => {
    clearTimeout(timer);
    if (!app.lab.lecturer && document.hidden) timer = setTimeout(() => abort.abort(), LONGEST_UNSEEN);
  };
  document.addEventListener("visibilitychange", watch);
  try {
    await act(abort.signal);
  } finally {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", watch);
  }
}

async function takeToken() {
  votes.token = await newToken();
  writeNote(TOKEN_NOTE, votes.token);
}

function takeVote(message) {
  const before = app.vote;
  const opened = message.phase === "open" && message.number !== before?.number;
  const revealed = message.phase === "revealed" && (before?.phase !== "revealed" || before.number !== message.number);
  app.voteTrouble = null;
  app.vote = { ...message, kept: message.mine ?? null };
  if (!app.lab?.lecturer) {
    if (opened) asLed(() => votes.onOpen(message));
    if (revealed) {
      // From now on the lesson has its answer here, too.
      const told = app.lab?.lessons.find((one) => one.name === message.lesson);
      if (told) Object.assign(told, { answer: message.answer, lookFor: message.lookFor });
      asLed(() => votes.onReveal(message));
    }
  } else keepLeading(message.shown);
  redraw();
}

// Follows the votes of a lab for as long as the page is open. `onOpen` and `onReveal` are for students.
export async function followClass(onOpen, onReveal) {
  Object.assign(votes, { onOpen, onReveal, token: readNote(TOKEN_NOTE) });
  app.vote = { number: 0, phase: "none", here: 0 };
  for (let pause = 1; ; pause = Math.min(LONGEST_PAUSE, 2 * pause)) {
    try {
      if (!app.lab.lecturer && votes.token === null) await takeToken();
      await whileSeen((signal) =>
        streamVotes(app.lab.lecturer ? null : votes.token, signal, (message) => {
          pause = 1;
          if (message.is === "view") takeView(message.view);
          else takeVote(message);
        }),
      );
    } catch (error) {
      // A token of another day is worth nothing.
      if (error.status === 403) votes.token = null;
    }
    // Not all of a class at the same moment.
    await new Promise((done) => setTimeout(done, 1000 * pause * (0.5 + Math.random())));
  }
}

// Answers the question that is open; the last answer counts.
export function answerVote(option) {
  if (app.vote?.phase !== "open") return;
  app.vote = { ...app.vote, mine: option };
  clearTimeout(votes.timer);
  votes.timer = setTimeout(flushAnswer, CHOOSING);
}

async function flushAnswer() {
  if (votes.busy) {
    votes.waiting = true;
    return;
  }
  votes.busy = true;
  const { number, mine } = app.vote;
  try {
    await sendAnswer(votes.token, { number, choice: mine });
    app.voteTrouble = null;
    if (app.vote.number === number) app.vote = { ...app.vote, kept: mine };
  } catch (error) {
    // What counts is what the server has.
    if (app.vote.number === number && app.vote.mine === mine) app.vote = { ...app.vote, mine: app.vote.kept ?? null };
    app.voteTrouble = error.status ? error.message : "The lab does not respond.";
  }
  votes.busy = false;
  if (votes.waiting) {
    votes.waiting = false;
    flushAnswer();
  }
}

// What the lecturer does with the vote. A mistake is shown beside it.
export async function actOnVote(action) {
  try {
    await sendVote(action);
    app.voteTrouble = null;
  } catch (error) {
    app.voteTrouble = error.status ? error.message : "The lab does not respond.";
  }
  redraw();
}

// The answer of whoever is alone.
export function answerAlone(option) {
  app.own = { ...app.own, [state.lesson ?? ""]: option };
}

// Marks it, once, when the answer is seen.
export function markAlone(right) {
  const lesson = state.lesson ?? "";
  if (lesson in app.own && !(lesson in app.marked) && right.length > 0)
    app.marked = { ...app.marked, [lesson]: right.includes(app.own[lesson]) };
}
