// The live lab: the entry. Reads the address, asks what there is, and keeps page, state and address
// in agreement.
import { app, byId, element, redraw, refill, shared } from "./app.js";
import { mistakeIsShown, showControls } from "./controls.js";
import { dialogHead, fillDialog, setUpDialogs, showDialogs } from "./dialogs.js";
import { askCode } from "./door.js";
import { fillExport } from "./export.js";
import { showFigure } from "./figure.js";
import { setUpFollowing, showFollowing } from "./follow.js";
import { showHands } from "./hands.js";
import { fillHelp, setUpKeys, showTravel } from "./keys.js";
import { setUpKnobs, showKnobs } from "./knobs.js";
import { setUpTerms } from "./glossary.js";
import { beginCourse, fillLessons, joinClass, showLesson } from "./lessons.js";
import { beginLesson, keysGiven, showHidden } from "./opening.js";
import { setUpMenus } from "./menus.js";
import { forgetWidths } from "./pen.js";
import { setUpPlayer, showPlayer } from "./player.js";
import { showPresenter } from "./presenter.js";
import { playRecord, runScene } from "./session.js";
import { showSource } from "./source.js";
import { drawStage, setUpStage } from "./stage.js";
import { readAddress, sceneAsked, state, store, writeAddress } from "./state.js";
import { equal } from "./store.js";
import { fetchSteps } from "./steps.js";
import { fillNumbers, numbersFrom } from "./table.js";
import { languageOf, speak } from "./strings.js";
import { setUpTextSize } from "./text-size.js";
import { setUpDoor } from "./server.js";
import { offerScripts, takeFiles } from "./script.js";
import { isFirstVisit, showTour, startTour } from "./tour.js";
import { askLab, computeForServer, computeHere, engineName, readRecord } from "./wire.js";

// A slider sends many changes: only the last of a few is asked for.
const SETTLING = 40;
// Browsers do not take a new address at every frame.
const REMEMBERING = 250;

const page = { frame: 0, timer: 0, written: "", record: null, begun: false };

const dark = window.matchMedia("(prefers-color-scheme: dark)");

function show() {
  page.frame = 0;
  const root = document.documentElement;
  root.dataset.theme = state.theme || (dark.matches ? "dark" : "light");
  root.style.setProperty("--size", String(state.size));
  byId("open-presenter").hidden = !app.lab?.lecturer;
  showTour();
  showFollowing();
  showHidden();
  showLesson();
  showKnobs();
  showHands();
  showPlayer();
  showControls();
  showSource();
  showBusy();
  showTravel();
  showNotes();
  showDialogs();
  drawStage();
  showFigure();
  fetchSteps();
  showPresenter();
}

// How far the run has come, for as long as it takes more than a moment.
function showBusy() {
  const bar = byId("busy");
  const { run } = app;
  const word = document.documentElement.dataset.state;
  bar.hidden = word !== "loading" && word !== "running";
  const done = run?.progress ?? run?.newest?.count ?? null;
  if (word === "running" && run?.head && !run.end && done !== null) bar.value = Math.min(1, done / run.total);
  else bar.removeAttribute("value");
}

// What is worth a note: mistakes, warnings, limits.
function showNotes() {
  const notes = [];
  if (app.incapable) notes.push(["note", app.incapable]);
  if (app.problem && (app.problem.passing || !mistakeIsShown())) notes.push(["alarm", withHelp(app.problem)]);
  const end = app.run?.end;
  if (end?.stopped) notes.push(["note", end.stopped]);
  const warnings = end && !page.hushed?.has(app.run) ? (end.warnings ?? []) : [];
  if (warnings.length > 0) notes.push(["remarks", warnings.join("\n")]);
  const undo = undoButton();
  refill(byId("notes"), [notes, undo !== null], () =>
    notes.map(([name, text]) =>
      element(
        "p",
        { class: name },
        name === "remarks"
          ? element("details", {}, element("summary", {}, "Some of these estimates need care"), text)
          : element("span", { title: text, onclick: (event) => event.target.classList.toggle("whole") }, text),
        name !== "alarm"
          ? element("button", { type: "button", "aria-label": "Hide this note", onclick: hush }, "✕")
          : undo,
      ),
    ),
  );
}

function withHelp({ message, help, line, token }) {
  // Of a text that is not in sight the place is said.
  const placed = state.toml !== null && line ? `Line ${line}${token ? `, ${token}` : ""}: ${message}` : message;
  if (!help) return placed;
  return /[.!?]$/.test(message) ? `${placed} ${help}` : `${placed}: ${help}`;
}

// A link to an experiment that cannot be run must not be a dead end.
function undoButton() {
  if (app.run !== null || state.sets.length === 0 || app.problem?.passing) return null;
  return element(
    "button",
    {
      id: "undo-link",
      type: "button",
      onclick: () => {
        state.sets = [];
      },
    },
    "Open the lesson as it is",
  );
}

function hush() {
  app.incapable = null;
  page.hushed ??= new WeakSet();
  page.hushed.add(app.run);
  redraw();
}

function writeNow(push) {
  clearTimeout(page.timer);
  page.timer = 0;
  const address = writeAddress();
  if (address === page.written) return;
  page.written = address;
  try {
    if (push) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  } catch {
    // Firefox takes no address of a megabyte, as a large experiment has it: then the old one stays.
  }
}

// Writes the address: at once for another lesson, else when things have settled.
function remember(push) {
  if (!app.lab) return;
  if (push) writeNow(true);
  else if (!page.timer) {
    page.timer = setTimeout(() => {
      page.timer = 0;
      // While training sets stream in the address would change at every step.
      if (!app.playing) writeNow(false);
    }, REMEMBERING);
  }
}

function returnTo() {
  if (location.hash === page.written) return;
  page.written = location.hash;
  clearTimeout(page.timer);
  page.timer = 0;
  app.playing = false;
  store.act("address", readAddress(location.hash));
  begin();
}

// An address without a lesson is the beginning.
function begin() {
  if (app.record) takeScene(app.record.scene);
  else if (state.lesson === null && state.toml === null) {
    if (page.record?.scene) takeScene(page.record.scene);
    else state.lesson = app.lab.open;
  }
  const lesson = app.lab.lessons.find((one) => one.name === state.lesson);
  beginLesson(keysGiven(location.hash));
  if (lesson?.pictured) state.scene = 6;
}

// From here on changes are those of a reader, who can undo them.
function openToReaders() {
  store.forget();
  page.begun = true;
}

function takeScene(scene) {
  store.act("record", { lesson: scene.lesson ?? null, toml: scene.toml ?? null, sets: scene.set ?? [] });
}

function fillJoin(dialog) {
  const { address, code, qr } = app.lab;
  const inside = [dialogHead("Open this address")];
  if (qr)
    inside.push(element("img", { src: `data:image/svg+xml,${encodeURIComponent(qr)}`, alt: `QR code of ${address}` }));
  inside.push(
    element("p", {}, address ?? "Only this computer can open this lab. Start it with --listen for the class."),
  );
  if (code) inside.push(element("p", {}, "Code: ", element("strong", { id: "class-code" }, code)));
  dialog.replaceChildren(...inside);
}

async function ask() {
  for (let wait = 1; ; wait = Math.min(15, 2 * wait)) {
    try {
      app.lab = await askLab();
      app.problem = null;
      return;
    } catch (error) {
      const seconds = Math.max(wait, error.retryAfter ?? 0);
      app.problem = {
        message: error.status ? error.message : "The lab does not respond.",
        help: `Trying again in ${seconds} s.`,
        passing: true,
      };
      document.documentElement.dataset.state = "error";
      redraw();
      await new Promise((done) => setTimeout(done, seconds * 1000));
    }
  }
}

// A page that has a record, and computes if it can: the record is shown at once.
function openRecord() {
  const { record } = page;
  app.lab = record.lab;
  if (record.figures) app.figures = { scene: record.scene, drawn: record.figures, partial: record.partial };
  const capable = computeHere(record.lessons ?? []);
  if (engineName() === "recording") onlyRecord();
  else fillDialog("lessons", fillLessons);
  begin();
  if (page.first) startTour(beginCourse);
  openToReaders();
  if (record.messages && equal(sceneAsked(), record.scene)) playRecord(record);
  else runScene();
  return capable.then((why) => {
    app.incapable = why;
    if (engineName() === "recording" && !app.record) {
      onlyRecord();
      begin();
      if (record.messages) playRecord(record);
    }
    redraw();
  });
}

// Nothing can be computed: controls are hidden, and what was recorded is shown.
function onlyRecord() {
  if (!page.record.messages) return;
  document.documentElement.dataset.recorded = "";
  app.record = page.record;
}

async function openServer() {
  fillDialog("lessons", fillLessons);
  fillDialog("join", fillJoin);
  // What is in the address can be run before the list of lessons is here.
  const early = state.lesson !== null || state.toml !== null;
  if (early) runScene();
  await ask();
  begin();
  if (page.first) startTour(beginCourse);
  openToReaders();
  joinClass();
  byId("open-join").hidden = !app.lab.address;
  if (!early) runScene();
  redraw();
  await computeForServer(app.lab);
}

async function openPage() {
  app.listeners = {
    redraw: () => {
      page.frame ||= requestAnimationFrame(show);
    },
    reload: () => {
      if (!app.record) runScene(SETTLING);
    },
    remember,
  };
  if (new URLSearchParams(location.search).has("embed")) document.documentElement.dataset.embed = "";
  speak(languageOf(new URLSearchParams(location.search).get("lang"), navigator.languages ?? []));
  setUpTextSize();
  setUpKnobs();
  setUpPlayer();
  setUpDialogs();
  setUpStage();
  setUpKeys();
  setUpMenus();
  setUpTerms();
  setUpFollowing();
  fillDialog("help", fillHelp);
  fillDialog("export", fillExport);
  fillDialog("numbers", fillNumbers, numbersFrom);
  dark.addEventListener("change", redraw);
  window.addEventListener("popstate", returnTo);
  window.addEventListener("hashchange", returnTo);
  document.fonts?.addEventListener("loadingdone", () => {
    forgetWidths();
    redraw();
  });
  takeFiles();
  page.record = await findRecord();
  if (!page.record) setUpDoor(askCode);
  store.act("address", readAddress(location.hash));
  page.written = location.hash;
  page.first = isFirstVisit(location.hash, location.search) && !page.record?.messages;
  store.subscribe(heed);
  shared.subscribe(redraw);
  const opened = page.record ? openRecord() : openServer();
  await opened;
}

// What is shown has changed: an experiment is run, and everything is drawn again.
function heed({ keys }) {
  const asked = keys.some((key) => key === "lesson" || key === "toml" || key === "sets");
  if (asked && page.begun) app.listeners.reload();
  redraw();
}

// The record of this page, if it has one.
async function findRecord() {
  for (;;) {
    try {
      return await readRecord();
    } catch (error) {
      app.problem = { message: `${error.message}.`, help: "Trying again in 3 s.", passing: true };
      document.documentElement.dataset.state = "error";
      redraw();
      await new Promise((done) => setTimeout(done, 3000));
    }
  }
}

offerScripts(openPage());
