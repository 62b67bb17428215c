// The playhead: how many training sets are drawn. The run is on the page long before all of it is
// shown; drawing only moves the playhead on.
import { app, byId, element } from "./app.js";
import { several, thousands } from "./numbers.js";
import { SPEEDS, state } from "./state.js";
import { say } from "./strings.js";

// Beyond the kept training sets every step doubles their number: so many steps a second at most.
const FASTEST_DOUBLING = 3;

// Who wants no motion gets a step a second, of as many training sets as else come in a second.
const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

const player = { timer: 0, last: 0, held: false, begun: false };

// One step on. From the end it begins again. False if the next one has not come yet.
export function drawOne() {
  const { run } = app;
  if (!run?.streams) return false;
  const from = run.complete(state.drawn) ? 0 : state.drawn;
  const next = run.next(from);
  if (next === null) {
    if (!run.end) return false;
    state.drawn = null;
  } else if (next <= run.kept && next > run.ready) return false;
  else state.drawn = run.end && next >= run.total && next > run.kept ? null : next;
  return true;
}

// One step back.
export function undoOne() {
  const { run } = app;
  if (!run?.streams) return;
  pause();
  const before = run.previous(state.drawn);
  state.drawn = run.first === null ? null : Math.max(run.first, before);
}

export function drawNone() {
  const { run } = app;
  if (run?.head && !run.streams) return;
  pause();
  state.drawn = run?.head ? run.first : 0;
}

export function drawAll() {
  pause();
  state.drawn = null;
}

function tick(now) {
  if (!app.playing) return;
  const { run } = app;
  const beyond = run && state.drawn !== null && state.drawn >= run.kept;
  const pace = calm.matches ? 1 : beyond ? Math.min(FASTEST_DOUBLING, state.speed) : state.speed;
  if (now - player.last >= 1000 / pace) {
    // From when it was due, so that screens of any rate show as many a second; who lags behind catches up by one.
    const step = 1000 / pace;
    player.last = Number.isFinite(player.last) ? Math.max(player.last + step, now - step) : now;
    const begun = state.drawn !== null;
    drawOne();
    for (let more = 1; calm.matches && more < state.speed && state.drawn !== null && state.drawn < run.kept; more++)
      drawOne();
    if (run && begun && run.complete(state.drawn)) {
      state.drawn = null;
      pause();
      return;
    }
  }
  player.timer = requestAnimationFrame(tick);
}

export function play() {
  if (app.playing || (app.run?.head && !app.run.streams)) return;
  app.playing = true;
  // A simulation has no picture of nothing.
  if (app.run?.complete(state.drawn) && !app.run.head?.simulation) state.drawn = 0;
  player.last = -Infinity;
  player.timer = requestAnimationFrame(tick);
}

export function pause() {
  if (!app.playing) return;
  app.playing = false;
  player.held = false;
  cancelAnimationFrame(player.timer);
}

export function togglePlay() {
  if (app.playing) pause();
  else play();
}

// The space bar, or a finger on the button: one at once; held down, they stream in.
export function hold() {
  if (player.held || app.playing) return;
  player.held = true;
  play();
}

export function letGo() {
  if (player.held) pause();
}

export function changeSpeed(by) {
  const place = SPEEDS.indexOf(state.speed) + by;
  state.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, place))];
}

// How far a simulation is that is shown.
function simulationWords(run) {
  const all = several(run.total, "resample", "resamples");
  const shown = run.complete(state.drawn) ? null : (run.frameAt(state.drawn)?.count ?? 0);
  if (shown !== null) return `${thousands(shown)} of ${all}`;
  if (run.end) return `all ${all}`;
  return `${thousands(Math.max(run.progress ?? 0, run.newest?.count ?? 0))} of ${all} so far`;
}

// How many are drawn, in words.
export function countWords(run) {
  if (!run?.head) return "";
  if (run.head.simulation) return simulationWords(run);
  if (run.head.pictured) {
    const sets = several(run.total, "training set", "training sets");
    if (run.end) return `all ${sets} drawn`;
    return run.progress === null ? sets : `${thousands(run.progress)} of ${sets} so far`;
  }
  if (run.complete(state.drawn)) {
    const have = run.end ? run.total : (run.newest?.count ?? run.ready);
    return run.end
      ? `all ${several(have, "training set", "training sets")} drawn`
      : `${thousands(have)} of ${several(run.total, "training set", "training sets")} so far`;
  }
  return `${thousands(state.drawn)} of ${several(run.total, "training set", "training sets")}`;
}

export function setUpPlayer() {
  byId("speed").append(...SPEEDS.map((speed) => element("option", { value: String(speed) }, `${speed} / s`)));
  byId("speed").addEventListener("change", (event) => {
    state.speed = Number(event.target.value);
    // After a choice with the mouse the space bar draws again.
    if (!event.target.matches(":focus-visible")) event.target.blur();
  });
  byId("reset").addEventListener("click", drawNone);
  byId("play").addEventListener("click", togglePlay);
  byId("draw-all").addEventListener("click", drawAll);
  const one = byId("draw-one");
  let holding = 0;
  let streamed = false;
  one.addEventListener("pointerdown", () => {
    streamed = false;
    holding = setTimeout(() => {
      streamed = true;
      hold();
    }, 450);
  });
  const stop = () => {
    clearTimeout(holding);
    letGo();
  };
  for (const name of ["pointerup", "pointerleave", "pointercancel"]) one.addEventListener(name, stop);
  one.addEventListener("click", () => {
    if (streamed) return;
    pause();
    drawOne();
  });
}

export function showPlayer() {
  const { run } = app;
  byId("count").textContent = say(countWords(run));
  byId("play").textContent = say(app.playing ? "❚❚ Pause" : "▶ Play");
  // What is of use once something is drawn is shown from then on.
  player.begun ||= app.playing || state.drawn !== null;
  byId("player").classList.toggle("fresh", !player.begun);
  byId("draw-one").textContent = say(run?.head?.simulation ? "Draw more" : "Draw one");
  byId("play").setAttribute("aria-pressed", String(app.playing));
  byId("pictures").toggleAttribute("data-playing", app.playing);
  byId("speed").value = String(state.speed);
  for (const id of ["reset", "draw-one", "play", "draw-all", "speed"]) byId(id).disabled = !run || (Boolean(run.head) && !run.streams);
}
