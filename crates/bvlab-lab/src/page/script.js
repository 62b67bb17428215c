// The way in for scripts that embed or test the page, and for files that are dropped on it.
import { app, redraw, reload, turnPage } from "./app.js";
import { pause } from "./player.js";
import { enterLesson, state, store } from "./state.js";
import { askAside, askExport, engineName } from "./wire.js";
import { giveTable } from "./workers.js";

// The most bytes of a file that is dropped.
const MOST_DROPPED = 16 << 20;

// Runs an experiment beside what is shown, and gives its table.
async function runForScript({ lesson, toml: text, set = [], resamples, seed } = {}) {
  const scene = text === undefined ? { lesson: lesson ?? state.lesson } : { toml: text };
  scene.set = [...set];
  if (resamples !== undefined) scene.set.push(`run.resamples=${resamples}`);
  if (seed !== undefined) scene.set.push(`run.seed=${seed}`);
  let last = null;
  await askAside(scene, (message) => {
    if (message.is === "end" || message.is === "error") last = message;
  });
  if (last?.is !== "end") throw new Error(last?.message ?? "the run did not end");
  const table = await (await askExport({ ...scene, what: "csv" })).text();
  return { csv: table, claims: last.claims ?? null, seconds: last.seconds, engine: engineName() };
}

// `window.bvlab`; `opened` is ready when the page can be asked.
export function offerScripts(opened) {
  window.bvlab = {
    ready: opened.then(() => {}),
    get engine() {
      return engineName();
    },
    run: async (asked) => {
      await opened;
      return runForScript(asked);
    },
  };
}

function complain(message, help = null) {
  app.problem = { message, help, passing: false };
  redraw();
}

async function takeAll(files) {
  for (const file of files) if (file.size > MOST_DROPPED) return complain(`${file.name} is too large for the page.`);
  const tables = files.filter((file) => /\.(csv|tsv|txt)(\.gz)?$/i.test(file.name));
  const texts = files.filter((file) => /\.toml$/i.test(file.name));
  if (tables.length + texts.length === 0) return complain("Drop an experiment (TOML), and a table (CSV) with it.");
  if (tables.length > 0 && engineName() !== "worker")
    return complain("This page is computed by a server, which does not accept tables.", "`bvlab lab FILE` opens an experiment with its table.");
  for (const file of tables) giveTable(file.name, new Uint8Array(await file.arrayBuffer()));
  if (texts.length > 0) {
    pause();
    enterLesson(null, await texts[0].text());
    store.follow("open", { scene: 1 });
    turnPage();
  }
  app.problem = null;
  reload();
  redraw();
}

// Takes experiments and tables that are dropped; nothing of them leaves a page that computes by itself.
export function takeFiles() {
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0 || app.record) return;
    takeAll(files).catch((error) => complain(`The file cannot be read (${error.message}).`));
  });
}
