// The presenter's window: notes, clock, what comes next, the answer. The page writes into a window of
// its own, which works from a file, too; the class sees none of it.
import { app, element, redraw, refill } from "./app.js";
import { voteForPresenter } from "./ballot.js";
import { courseNow, neighbourLesson, placeNow } from "./course.js";
import { state } from "./state.js";
import { say } from "./strings.js";

const STYLE = `
  :root { color-scheme: light dark; font: 400 18px/1.45 Inter, system-ui, sans-serif; }
  body { margin: 0; padding: 1rem 1.3rem; display: grid; gap: .8rem; max-width: 60rem; }
  h1 { font-size: 1.25rem; margin: 0; } h2 { font-size: .8rem; margin: 0 0 .15rem; opacity: .7; font-weight: 600; }
  p { margin: 0; } .clock { font-size: 2rem; font-variant-numeric: tabular-nums; font-weight: 600; }
  .late { text-decoration: underline; } .row { display: flex; gap: 1.5rem; flex-wrap: wrap; align-items: baseline; }
  .notes { font-size: 1.15rem; } button { font: inherit; padding: .3rem .9rem; min-height: 44px; }
  section { border-left: .25rem solid; padding-left: .7rem; }
  .step { font-weight: 600; }
`;

const STEP_WORDS = { "": "the picture", question: "the question", picture: "the picture", answer: "the answer" };

const presenter = { window: null, began: 0, lesson: "", entered: 0, timer: 0, act: null };

const clock = (milliseconds) => {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};

// Opens the window, or brings it to the front. `act`: next, previous, and the words of the lesson.
export function openPresenter(act) {
  presenter.act = act;
  if (presenter.window && !presenter.window.closed) {
    presenter.window.focus();
    return;
  }
  const opened = window.open("", "", "popup,width=760,height=640");
  let page = null;
  try {
    page = opened?.document ?? null;
  } catch {
    // A browser that keeps the two apart.
  }
  if (!page) {
    opened?.close();
    app.problem = {
      message: "The browser did not open the presenter’s window.",
      help: "Allow pop-up windows for this page, and press K again.",
      passing: true,
    };
    redraw();
    return;
  }
  Object.assign(presenter, { window: opened, began: Date.now(), lesson: "", entered: Date.now() });
  page.title = "Presenter – bvlab";
  page.documentElement.lang = "en-GB";
  const sheet = new opened.CSSStyleSheet();
  sheet.replaceSync(STYLE);
  page.adoptedStyleSheets = [sheet];
  page.addEventListener("keydown", (event) => {
    if (event.key === "PageDown" || event.key === "ArrowRight") act.next();
    else if (event.key === "PageUp" || event.key === "ArrowLeft") act.previous();
    else return;
    event.preventDefault();
  });
  clearInterval(presenter.timer);
  presenter.timer = setInterval(showPresenter, 1000);
  showPresenter();
}

function section(title, text, name) {
  if (!text) return null;
  return element("section", { class: name }, element("h2", {}, title), element("p", {}, text));
}

// How many have answered, which changes more often than the rest, and what can be done next.
function voteSection(vote, button) {
  if (!vote) return null;
  const acts = vote.acts.map(([id, label, act]) => button(id, label, act));
  return element("section", { id: "vote" }, element("h2", {}, "Vote"), element("p", { id: "vote-said" }), element("div", { class: "row" }, ...acts));
}

// How long the course may take; of a course for a term, the unit.
function plannedMinutes(place) {
  const whole = (courseNow()?.units ?? []).reduce((sum, unit) => sum + (unit.minutes ?? 0), 0);
  if (whole > 0 && whole <= 180) return `of ${whole} min`;
  return place?.unit?.minutes ? `the unit: ${place.unit.minutes} min` : "";
}

// Makes the window agree with the page.
export function showPresenter() {
  const { window: opened, act } = presenter;
  if (!opened) return;
  if (opened.closed) {
    clearInterval(presenter.timer);
    presenter.window = null;
    return;
  }
  if (presenter.lesson !== state.lesson) Object.assign(presenter, { lesson: state.lesson, entered: Date.now() });
  const words = act.words();
  const place = placeNow();
  const vote = voteForPresenter();
  const shown = {
    where: place ? `Lesson ${place.number} of ${place.count}${place.unit ? ` · ${place.unit.title}` : ""}` : "",
    title: words.title,
    planned: plannedMinutes(place),
    step: STEP_WORDS[state.step] ?? "the picture",
    sections: [
      ["Notes", place?.notes ?? null, "notes"],
      ["Question", words.question, ""],
      ["Answer", words.answer, "answer"],
      ["Look for", words.lookFor, ""],
      ["Next lesson", neighbourLesson(1)?.title ?? null, ""],
    ],
  };
  const { body } = opened.document;
  // A button that is replaced while it is pressed is not clicked, and one that is replaced has no focus.
  if (!opened.document.querySelector("button:active")) {
    const keep = opened.document.activeElement?.id ?? "";
    const from = [shown, vote?.acts.map(([id, label]) => [id, label]) ?? null];
    if (refill(body, from, () => presenterParts(shown, vote)) && keep) opened.document.getElementById(keep)?.focus();
  }
  const [whole, own] = [Date.now() - presenter.began, Date.now() - presenter.entered];
  write("clock", clock(whole));
  write("lesson-clock", `this lesson ${clock(own)}${place?.minutes ? ` of ${place.minutes} min` : ""}`);
  const late = place?.minutes && own > place.minutes * 60_000;
  opened.document.getElementById("lesson-clock").className = late ? "late" : "";
  if (vote) write("vote-said", vote.said);
}

// What is in the window, but for what changes all the time.
function presenterParts(shown, vote) {
  const { act } = presenter;
  const button = (id, label, go) => element("button", { id, type: "button", onclick: go }, label);
  return [
    element("p", {}, shown.where),
    element("h1", {}, shown.title),
    element(
      "div",
      { class: "row" },
      element("span", { id: "clock", class: "clock" }),
      element("span", {}, shown.planned),
      element("span", { id: "lesson-clock" }),
      element("span", { class: "step" }, `The class sees ${shown.step}.`),
    ),
    element("div", { class: "row" }, button("back", "← Back", act.previous), button("on", "Next step →", act.next)),
    voteSection(vote, button),
    ...shown.sections.map(([title, text, name]) => section(title, text, name)),
  ].filter((one) => one !== null);
}

function write(id, words) {
  const holder = presenter.window.document.getElementById(id);
  const said = say(words);
  if (holder && holder.textContent !== said) holder.textContent = said;
}

// Without its page the window could show nothing.
window.addEventListener("pagehide", () => presenter.window?.close());
