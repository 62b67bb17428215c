// Whom the page talks to: a server, workers of its own, or nobody but a record. The rest of the page
// does not know.
import { parseMessage } from "./protocol.js";
import { exportFromServer, labOfServer, lessonsOfServer, runOnServer } from "./server.js";
import { canCompute, exportFromWorkers, runAside, runOnWorkers, startWorkers, workersRun } from "./workers.js";

const MODULE = "bvlab.wasm.gz";

const wire = { engine: "server", starting: null };

// "server", "worker" or "recording".
export function engineName() {
  return wire.engine;
}

// A part of a page in one file.
function inlined(id) {
  return document.getElementById(id)?.textContent ?? null;
}

// Whether everything is in one file.
export function isOneFile() {
  return inlined("recorded") !== null;
}

// Where the files of the page are: in a page of a static site, perhaps in the folder above.
function rootOf() {
  return document.documentElement.dataset.root ?? "";
}

async function fetched(file) {
  const response = await fetch(`${rootOf()}${file}`);
  if (!response.ok) throw new Error(`${file} cannot be loaded (${response.status})`);
  return response;
}

// What the workers are made from: in a page in one file its own parts, else files.
async function material(lessons) {
  const packed = inlined("module");
  if (packed !== null) {
    const bytes = Uint8Array.from(atob(packed.trim()), (letter) => letter.charCodeAt(0));
    const script = URL.createObjectURL(new Blob([inlined("worker")], { type: "text/javascript" }));
    return { script, bytes, lessons: JSON.stringify(lessons) };
  }
  const bytes = new Uint8Array(await (await fetched(MODULE)).arrayBuffer());
  return { script: `${rootOf()}worker.js`, bytes, lessons: JSON.stringify(lessons) };
}

// How many workers share a run, where the address says so: for measurements.
function workersAsked() {
  const count = Number(new URLSearchParams(location.search).get("workers"));
  return Number.isInteger(count) && count > 0 ? Math.min(count, 24) : null;
}

async function start(lessons) {
  await startWorkers({ ...(await material(lessons)), count: workersAsked() });
  wire.engine = "worker";
}

// The record in the page, or beside it in a page of a static site.
export async function readRecord() {
  const { site } = document.documentElement.dataset;
  if (site === undefined) {
    const text = inlined("recorded");
    return text === null ? null : parseMessage(text);
  }
  const textOf = async (asked) => parseMessage(await (await asked).text());
  const [lab, record] = await Promise.all([
    textOf(fetched("lab.json")),
    site === "lesson" ? textOf(fetch("record.json")) : { messages: null },
  ]);
  return { ...lab, ...record };
}

// Begins to make a page with a record one that computes, if it has what that takes. Resolves when it
// does; a page that cannot says why.
export async function computeHere(lessons) {
  const able = inlined("module") !== null || document.documentElement.dataset.site !== undefined;
  if (!able) {
    wire.engine = "recording";
    return null;
  }
  if (!canCompute()) {
    wire.engine = "recording";
    return "This browser does not support the WebAssembly that the page needs: it shows the recorded run and cannot compute.";
  }
  wire.engine = "worker";
  wire.starting = start(lessons);
  try {
    await wire.starting;
    return null;
  } catch (error) {
    wire.engine = "recording";
    return `This browser cannot compute (${error.message}): the page shows the recorded run.`;
  }
}

// Students compute by themselves where they can; the server does it until they do, for those who cannot,
// and for the lecturer. `?engine=worker` or `?engine=server` in the address chooses.
export async function computeForServer(lab) {
  const asked = new URLSearchParams(location.search).get("engine");
  const here = asked === "worker" || (asked !== "server" && !lab.lecturer);
  if (!lab.computes || !here || !canCompute()) return;
  try {
    await start(await lessonsOfServer());
  } catch {
    // The server goes on.
  }
}

// What there is: lessons, learners, limits.
export function askLab() {
  return labOfServer();
}

// Runs a scene; every message is handed over as it comes. Returns whether the end came.
export async function askRun(scene, signal, take) {
  if (wire.starting && !workersRun()) await wire.starting;
  signal?.throwIfAborted();
  return wire.engine === "server" ? runOnServer(scene, signal, take) : runOnWorkers(scene, signal, take);
}

// Runs a scene beside what is shown.
export async function askAside(scene, take) {
  if (wire.engine === "recording") throw new Error("this page cannot compute");
  if (wire.starting && !workersRun()) await wire.starting;
  return wire.engine === "server" ? runOnServer(scene, null, take) : runAside(scene, take);
}

// A file of a scene.
export async function askExport(body) {
  if (wire.starting && !workersRun()) await wire.starting;
  return wire.engine === "server" ? exportFromServer(body) : exportFromWorkers(body);
}
