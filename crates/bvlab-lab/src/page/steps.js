// The estimates from the first few training sets: the server makes them only when they are asked
// for, which is when the playhead stands among them.
import { app, redraw } from "./app.js";
import { FEWEST } from "./parts.js";
import { state } from "./state.js";
import { parseMessage } from "./protocol.js";
import { askExport } from "./wire.js";

const asked = new WeakSet();

// Whether estimates are missing where the playhead stands.
export function lacksSteps(run) {
  if (app.record || !run?.end || run.head.pictured || state.drawn === null) return false;
  return run.kept >= FEWEST && run.total > FEWEST && !run.frames.has(FEWEST);
}

export function fetchSteps() {
  const { run } = app;
  if (!lacksSteps(run) || asked.has(run)) return;
  asked.add(run);
  loadSteps(run);
}

async function loadSteps(run) {
  const root = document.documentElement;
  root.dataset.state = "running";
  try {
    const text = await (await askExport({ ...run.scene, what: "steps" })).text();
    for (const line of text.split("\n")) if (line.trim() !== "") run.take(parseMessage(line));
  } catch (error) {
    // The fits are there without them. A lab that is busy is asked again.
    if (error.passing || !error.status) setTimeout(() => askAgain(run), 1000 * (error.retryAfter ?? 2));
  }
  if (app.run !== run) return;
  if (root.dataset.state === "running") root.dataset.state = "done";
  redraw();
}

function askAgain(run) {
  asked.delete(run);
  redraw();
}
