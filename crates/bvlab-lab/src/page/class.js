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
// A second press so soon (in milliseconds) is one too many: other buttons may have taken the place of the first.
const ONE_PRESS = 500;

const votes = {
  token: null,
  streamed: null, // the token that the stream was asked with
  asking: null, // the request for a token, while there is one
  pending: null, // the answer that is on its way: { number, choice }
  timer: 0,
  busy: false,
  waiting: false,
  acting: false, // whether the lecturer has just done something,
  later: null, // and what is done after it
  onOpen: () => {},
  onReveal: () => {},
};

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

// Asks for a token; one request for all who wait.
function takeToken() {
  const take = (token) => {
    votes.token = token;
    writeNote(TOKEN_NOTE, token);
  };
  votes.asking ??= newToken()
    .then(take)
    .finally(() => {
      votes.asking = null;
    });
  return votes.asking;
}

const isOpenFor = (pending, vote) => pending !== null && vote.phase === "open" && vote.number === pending.number;

// The answer that is shown: the one that is on its way, else what the lab has.
const withMine = (vote) => ({ ...vote, mine: isOpenFor(votes.pending, vote) ? votes.pending.choice : (vote.kept ?? null) });

function takeVote(message) {
  const before = app.vote;
  const opened = message.phase === "open" && message.number !== before?.number;
  const revealed = message.phase === "revealed" && (before?.phase !== "revealed" || before.number !== message.number);
  app.voteTrouble = null;
  // A stream that began without this token does not know what was answered with it.
  const known = votes.streamed !== votes.token && before?.number === message.number ? before.kept : null;
  app.vote = withMine({ ...message, kept: message.mine ?? known ?? null });
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
      // Whoever gets none now can see and follow, and asks again when they answer.
      if (!app.lab.lecturer && votes.token === null) await takeToken().catch(() => {});
      await whileSeen((signal) => {
        votes.streamed = app.lab.lecturer ? null : votes.token;
        return streamVotes(votes.streamed, signal, (message) => {
          pause = 1;
          if (message.is === "view") takeView(message.view);
          else takeVote(message);
        });
      });
    } catch (error) {
      // A token of another day is worth nothing.
      if (error.status === 403 && votes.token === votes.streamed) votes.token = null;
    }
    // Not all of a class at the same moment.
    await new Promise((done) => setTimeout(done, 1000 * pause * (0.5 + Math.random())));
  }
}

// Answers the question that is open; the last answer counts.
export function answerVote(option) {
  if (app.vote?.phase !== "open") return;
  votes.pending = { number: app.vote.number, choice: option };
  app.vote = withMine(app.vote);
  clearTimeout(votes.timer);
  votes.timer = setTimeout(flushAnswer, CHOOSING);
}

// Sends an answer with a token; one that the lab does not know is replaced, once.
async function sendWithToken(answer) {
  // Another window of this browser may have got one.
  votes.token ??= readNote(TOKEN_NOTE);
  if (votes.token === null) await takeToken();
  const { token } = votes;
  try {
    await sendAnswer(token, answer);
  } catch (error) {
    if (error.status !== 403) throw error;
    if (votes.token === null || votes.token === token) await takeToken();
    await sendAnswer(votes.token, answer);
  }
}

async function flushAnswer() {
  if (votes.busy) {
    votes.waiting = true;
    return;
  }
  const { pending } = votes;
  // What was chosen for another question, or too late, answers nothing.
  if (!isOpenFor(pending, app.vote)) {
    votes.pending = null;
    return;
  }
  votes.busy = true;
  try {
    await sendWithToken(pending);
    app.voteTrouble = null;
    if (app.vote.number === pending.number) app.vote = { ...app.vote, kept: pending.choice };
  } catch (error) {
    app.voteTrouble = error.status ? error.message : "The lab does not respond.";
  }
  // What counts is what the lab has.
  if (votes.pending === pending) votes.pending = null;
  app.vote = withMine(app.vote);
  votes.busy = false;
  if (votes.waiting) {
    votes.waiting = false;
    flushAnswer();
  }
}

// Whether the lecturer has just done something: a second press would be one too many.
export function isActing() {
  return votes.acting;
}

// What the lecturer does with the vote, one thing at a time. A mistake is shown beside it.
export async function actOnVote(action) {
  if (votes.acting) {
    // An answer that the lecturer's page shows must come to the class.
    if (action.do === "reveal") votes.later = action;
    return;
  }
  votes.acting = true;
  try {
    await sendVote(action);
    app.voteTrouble = null;
  } catch (error) {
    app.voteTrouble = error.status ? error.message : "The lab does not respond.";
  } finally {
    setTimeout(goOn, ONE_PRESS);
  }
  redraw();
}

function goOn() {
  const { later } = votes;
  Object.assign(votes, { acting: false, later: null });
  if (later) actOnVote(later);
}

// The answer of whoever is alone.
export function answerAlone(option) {
  app.own = { ...app.own, [state.lesson ?? ""]: option };
}

// What they answered to the question of the lesson that is shown, or null.
export function answeredAlone() {
  const lesson = state.lesson ?? "";
  return Object.hasOwn(app.own, lesson) ? app.own[lesson] : null;
}

// Marks it, once, when the answer is seen.
export function markAlone(right) {
  const lesson = state.lesson ?? "";
  const answer = answeredAlone();
  if (answer !== null && !Object.hasOwn(app.marked, lesson) && right.length > 0)
    app.marked = { ...app.marked, [lesson]: right.includes(answer) };
}
