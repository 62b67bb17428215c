// Runs the scene: asks the server, gives up what nobody waits for any more, tries again when the
// line breaks, and keeps the last picture until there is a new one.
import { app, redraw } from "./app.js";
import { Run } from "./run.js";
import { hasScene, sceneAsked, state, store } from "./state.js";
import { lacksSteps } from "./steps.js";
import { equal } from "./store.js";
import { Refusal } from "./protocol.js";
import { askRun, engineName } from "./wire.js";

// A new picture is shown once it has so many fits, so that nothing flashes;
const ENOUGH = 8;
// or after so many milliseconds.
const PATIENCE = 250;
const LONGEST_WAIT = 15;

const session = { abort: null, timer: 0, tries: 0, lastScene: "" };

function setState(word) {
  document.documentElement.dataset.state = word;
  redraw();
}

function stale(on) {
  document.documentElement.dataset.stale = on ? "on" : "off";
}

// Whether a run has enough to replace the picture.
function presentable(run) {
  if (!run.head) return false;
  if (run.head.pictured || run.end) return true;
  if (app.run === null) return run.ready > 0 || run.newest !== null;
  if (state.drawn !== null && state.drawn < 4) return run.ready >= Math.min(state.drawn, run.head.keep);
  return run.newest !== null && run.ready >= Math.min(ENOUGH, run.head.keep);
}

// Shows a run in place of the one before; one that has figures alone, in their scene.
function present(run) {
  const before = app.run;
  const same = before?.head && before.scene.lesson === run.scene.lesson && before.scene.toml === run.scene.toml;
  // What was shown before the last change stays in sight, faintly.
  app.ghost = same && before !== run && !before.head.pictured && !run.head.pictured ? before : null;
  app.run = run;
  keepWords(run);
  // The dartboard is for numbers with a truth: for classes the cloud is the board.
  if (run.head.plane || run.head.rows) store.follow("no board", { board: false });
  if (run.head.pictured) store.follow("figures alone", { scene: 6 });
  else if (!hasScene(run, state.scene)) store.follow("no such view", { scene: 1 });
}

// Words describe the lesson as it opens, whatever is changed later.
function keepWords(run) {
  if (run.words && run.scene.set.length === 0) {
    app.opening = { lesson: run.scene.lesson ?? null, toml: run.scene.toml ?? null, words: run.words };
  }
}

// Runs the scene after so many milliseconds, in place of any earlier request.
export function runScene(delay = 0) {
  clearTimeout(session.timer);
  session.tries = 0;
  session.timer = setTimeout(runNow, delay);
}

// A record has it all at once.
export function playRecord(record) {
  const run = new Run(record.scene);
  for (const message of record.messages) run.take(message);
  present(run);
  setState("done");
  redraw();
}

async function runNow() {
  session.abort?.abort();
  const abort = new AbortController();
  session.abort = abort;
  const scene = sceneAsked();
  const run = new Run(scene);
  setState("loading");
  const dim = setTimeout(() => stale(app.run !== null && app.run !== run), 150);
  let patience = 0;
  const show = () => {
    if (abort.signal.aborted) return;
    clearTimeout(dim);
    stale(false);
    if (app.run !== run) {
      present(run);
      app.problem = null;
      setState(run.end && !lacksSteps(run) ? "done" : "running");
    }
    redraw();
  };
  const take = (message) => {
    run.take(message);
    if (message.is === "words") keepWords(run);
    if (message.is === "head") patience = setTimeout(() => run.ready + run.counts.length > 0 && show(), PATIENCE);
    if (app.run === run || presentable(run)) show();
  };
  try {
    const ended = await askRun(scene, abort.signal, take);
    if (abort.signal.aborted) return;
    if (!ended) throw new TypeError("The connection was lost.");
    // It had to make room for others.
    if (run.failure?.passing) throw new Refusal(503, run.failure, null);
    session.tries = 0;
    if (run.failure) {
      if (run.head) show();
      fail({ message: run.failure.message, help: run.failure.help, passing: false });
    } else {
      app.problem = null;
      setState(lacksSteps(run) ? "running" : "done");
      show();
    }
  } catch (error) {
    if (abort.signal.aborted) return;
    stale(false);
    again(error, scene);
  } finally {
    clearTimeout(dim);
    clearTimeout(patience);
  }
}

function fail(problem) {
  app.problem = problem;
  setState("error");
  redraw();
}

// A mistake in the scene is shown; anything that may pass is tried again, less and less often.
function again(error, asked) {
  if (error.status && !error.passing) {
    fail({ message: error.message, help: error.help, token: error.token, line: error.line, passing: false });
    return;
  }
  const wait = Math.max(error.retryAfter ?? 0, Math.min(LONGEST_WAIT, 2 ** session.tries));
  session.tries++;
  const broken = engineName() === "server" ? "The connection to the lab was lost." : `The page cannot compute (${error.message}).`;
  const message = error.status ? error.message : broken;
  fail({ message, help: `Trying again in ${Math.ceil(wait)} s.`, passing: true });
  session.timer = setTimeout(() => {
    if (equal(sceneAsked(), asked)) runNow();
  }, wait * 1000);
}
