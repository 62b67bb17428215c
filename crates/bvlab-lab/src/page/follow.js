// The class follows the lecturer's page, if it wishes: what is sent, what is taken, and who goes a way of their
// own. Whatever a student changes ends it, until they come back.
import { app, byId, element, redraw, refill } from "./app.js";
import { sendView } from "./server.js";
import { FOLLOWED, state, store } from "./state.js";

// A slider sends many changes, and a run that is played many more: so many milliseconds lie between two views.
const PAUSE = 250;

// Kept by window: that the class follows this one.
const LEADS = "bvlab-leads";

const lead = { timer: 0, busy: false, led: 0, trouble: null, last: Promise.resolve(), begun: false };

function noteLead() {
  try {
    if (app.leading) sessionStorage.setItem(LEADS, "yes");
    else sessionStorage.removeItem(LEADS);
  } catch {
    // A page that may not remember does not lead on when it is reloaded.
  }
}

function hasLed() {
  try {
    return sessionStorage.getItem(LEADS) !== null;
  } catch {
    return false;
  }
}

function viewHere() {
  const view = Object.fromEntries(FOLLOWED.map((key) => [key, state[key]]));
  // The answer comes to those who may see it with the vote.
  return { ...view, step: view.step === "answer" ? "picture" : view.step };
}

// What was shown last arrives last.
function postView(view) {
  lead.last = lead.last.catch(() => {}).then(() => sendView(view));
  return lead.last;
}

async function sendNow() {
  lead.timer = 0;
  if (!app.leading) return;
  lead.busy = true;
  try {
    await postView(viewHere());
    lead.trouble = null;
  } catch (error) {
    lead.trouble = error.status === 413 ? "This experiment is too long for the class to follow." : "The lab does not respond.";
    redraw();
  }
  lead.busy = false;
}

function sendSoon() {
  if (lead.timer === 0) lead.timer = setTimeout(() => (lead.busy ? ((lead.timer = 0), sendSoon()) : sendNow()), PAUSE);
}

// The lecturer lets the class follow, or leaves it to itself.
export async function toggleLead() {
  app.leading = !app.leading;
  noteLead();
  if (app.leading) await sendNow();
  else {
    clearTimeout(lead.timer);
    lead.timer = 0;
    await postView(null).catch(() => {});
  }
  redraw();
}

// A page that was reloaded leads on, if it led before: the first state of the vote says whether anyone is shown
// anything. Later ones may be older than what was pressed here.
export function keepLeading(shown) {
  if (lead.begun) return;
  lead.begun = true;
  if (app.leading) return;
  app.leading = Boolean(shown) && hasLed();
  noteLead();
  if (app.leading) sendSoon();
}

// Carries out what is not of this page's reader: it ends no following, and does not count as a change of theirs.
export function asLed(act) {
  const untouched = !store.canUndo;
  lead.led++;
  try {
    act();
  } finally {
    lead.led--;
    if (untouched && store.canUndo) store.forget();
  }
}

/**
 * What a page takes of a view: what it knows. No view has the answer, which stays where it is seen.
 * @param {Record<string, any>} view
 * @param {Record<string, any>} now what the page shows
 */
export function takenOf(view, now) {
  const taken = Object.fromEntries(FOLLOWED.filter((key) => key in view).map((key) => [key, view[key]]));
  const same = view.lesson === now.lesson && view.toml === now.toml;
  if (same && taken.step === "picture" && now.step === "answer") delete taken.step;
  return taken;
}

function keepBeside() {
  const { view } = app;
  if (!view || !app.following) return;
  app.playing = false;
  asLed(() => store.follow("lead", takenOf(view, state)));
}

// What the lecturer's page shows now.
export function takeView(view) {
  // Whoever has changed something before is asked first.
  if (app.view === null) app.following = !store.canUndo;
  app.view = view;
  keepBeside();
  redraw();
}

function setFollowing(on) {
  app.following = on;
  keepBeside();
  redraw();
}

function noteOwnWay({ keys, follows }) {
  if (follows || lead.led > 0 || !keys.some((key) => FOLLOWED.includes(key))) return;
  if (app.view !== null && app.following) app.following = false;
}

// The line that says who follows whom, with the way out.
export function showFollowing() {
  const bar = byId("following");
  const button = byId("toggle-lead");
  button.hidden = !app.lab?.lecturer || app.vote === null;
  button.setAttribute("aria-pressed", String(app.leading));
  const shown = app.leading ? "leading" : app.view === null ? "" : app.following ? "following" : "alone";
  bar.hidden = shown === "";
  const [words, act, press] = {
    "": ["", "", () => {}],
    leading: ["The class follows this page.", "Stop", toggleLead],
    following: ["Following the lecturer.", "Explore on my own", () => setFollowing(false)],
    alone: ["Exploring on your own.", "Follow the lecturer", () => setFollowing(true)],
  }[shown];
  refill(bar, [shown, lead.trouble], () => [
    element("span", {}, words),
    shown === "leading" && lead.trouble ? element("span", { class: "alarm" }, lead.trouble) : null,
    element("button", { id: "change-following", type: "button", onclick: press }, act),
  ].filter((one) => one !== null));
}

export function setUpFollowing() {
  byId("toggle-lead").addEventListener("click", toggleLead);
  store.subscribe(noteOwnWay);
  store.subscribe(({ keys }) => {
    if (app.leading && keys.some((key) => FOLLOWED.includes(key))) sendSoon();
  });
}
