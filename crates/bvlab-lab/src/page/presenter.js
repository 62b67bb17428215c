// The presenter's window: notes, clock, what comes next, the answer. The page writes into a window of
// its own, which works from a file, too; the class sees none of it.
import { app, element, redraw } from "./app.js";
import { voteForPresenter } from "./ballot.js";
import { courseNow, neighbourLesson, placeNow } from "./course.js";
import { state } from "./state.js";

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

function section(title, text, name = "") {
  if (!text) return null;
  return element("section", { class: name }, element("h2", {}, title), element("p", {}, text));
}

// How many have answered, and what can be done next.
function voteSection(button) {
  const vote = voteForPresenter();
  if (!vote) return null;
  const acts = vote.acts.map(([id, label, act]) => button(id, label, act));
  return element("section", { id: "vote" }, element("h2", {}, "Vote"), element("p", {}, vote.said), element("div", { class: "row" }, ...acts));
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
  const next = neighbourLesson(1);
  const [whole, own] = [Date.now() - presenter.began, Date.now() - presenter.entered];
  const planned = plannedMinutes(place);
  const late = place?.minutes && own > place.minutes * 60_000;
  const where = place ? `Lesson ${place.number} of ${place.count}${place.unit ? ` · ${place.unit.title}` : ""}` : "";
  const button = (id, label, go) => element("button", { id, type: "button", onclick: go }, label);
  const keep = opened.document.activeElement?.id ?? "";
  opened.document.body.replaceChildren(
    ...[
      element("p", {}, where),
      element("h1", {}, words.title),
      element(
        "div",
        { class: "row" },
        element("span", { id: "clock", class: "clock" }, clock(whole)),
        element("span", {}, planned),
        element("span", { id: "lesson-clock", class: late ? "late" : "" }, `this lesson ${clock(own)}${place?.minutes ? ` of ${place.minutes} min` : ""}`),
        element("span", { class: "step" }, `The class sees ${STEP_WORDS[state.step] ?? "the picture"}.`),
      ),
      element("div", { class: "row" }, button("back", "← Back", act.previous), button("on", "Next step →", act.next)),
      voteSection(button),
      section("Notes", place?.notes, "notes"),
      section("Question", words.question),
      section("Answer", words.answer, "answer"),
      section("Look for", words.lookFor),
      section("Next lesson", next?.title),
    ].filter((one) => one !== null),
  );
  if (keep) opened.document.getElementById(keep)?.focus();
}

// Without its page the window could show nothing.
window.addEventListener("pagehide", () => presenter.window?.close());
