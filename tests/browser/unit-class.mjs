// Following and votes in Node's test runner, against a lab that is played here. unit.mjs runs it, too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageModules } from "./modules.mjs";

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Waits until it holds.
async function until(holds, words) {
  for (let tries = 0; tries < 300; tries++) {
    if (holds()) return;
    await pause(10);
  }
  assert.fail(words);
}

function storage() {
  const held = new Map();
  return {
    getItem: (name) => held.get(name) ?? null,
    setItem: (name, text) => held.set(name, text),
    removeItem: (name) => held.delete(name),
  };
}

const answered = (body = {}) => new Response(JSON.stringify(body));
const refused = (status, message = "no") => new Response(JSON.stringify({ error: { message } }), { status });

// A page and its lab. `answers`: by path, what the lab says to what is sent; the rest is answered with {}.
async function pageOf(answers = {}, { lecturer = false } = {}) {
  const { load } = await pageModules();
  const asked = [];
  let stream = null;
  const put = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  put("document", { hidden: false, addEventListener: () => {}, removeEventListener: () => {} });
  put("localStorage", storage());
  put("sessionStorage", storage());
  put("fetch", async (where, { method = "GET", headers = {}, body = null } = {}) => {
    const what = { path: where, token: headers["x-bvlab-token"] ?? null, body: body === null ? null : JSON.parse(body) };
    asked.push(what);
    if (method === "GET") return new Response(new ReadableStream({ start: (control) => void (stream = control) }));
    return (await answers[where]?.(what)) ?? answered();
  });
  const [{ app }, { state, store }, follow, own] = await Promise.all(["app.js", "state.js", "follow.js", "class.js"].map(load));
  app.lab = { lecturer, lessons: [] };
  const say = (message) => stream.enqueue(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  const sent = (where) => asked.filter((one) => one.path === where && one.body !== null);
  // Follows the votes from now on.
  const join = async (onOpen = () => {}) => {
    own.followClass(onOpen, () => {});
    await until(() => stream !== null, "the votes were not asked for");
  };
  const hear = async (message) => {
    const before = app.vote;
    say({ is: "vote", ...message });
    await until(() => app.vote !== before, "the vote did not arrive");
  };
  return { app, state, store, follow, own, load, asked, sent, say, join, hear };
}

const open = (number, more = {}) => ({ number, phase: "open", lesson: "one", choices: ["a", "b", "c", "d"], options: 4, round: 1, ...more });

test("a page that follows keeps an answer that it sees, for as long as the lesson is the same", async () => {
  const { follow } = await pageOf();
  const view = { lesson: "one", toml: null, step: "picture", scene: 2, unknown: 1 };
  const now = { lesson: "one", toml: null, step: "answer", scene: 1 };
  assert.deepEqual(follow.takenOf(view, now), { lesson: "one", toml: null, scene: 2 });
  for (const step of ["", "question"]) assert.equal(follow.takenOf({ ...view, step }, now).step, step);
  assert.equal(follow.takenOf(view, { ...now, lesson: "two" }).step, "picture");
  assert.equal(follow.takenOf(view, { ...now, step: "question" }).step, "picture");
});

test("what the class is led to is no change of a student's own", async () => {
  const { app, state, store, follow } = await pageOf();
  const lead = () => follow.asLed(() => store.act("open", { lesson: "voted", sets: [] }));
  lead();
  assert.equal(store.canUndo, false);
  follow.takeView({ lesson: "shown", step: "question" });
  assert.ok(app.following && state.lesson === "shown");
  follow.takeView(null);
  // What was changed stays undoable, and is asked about.
  state.scene = 3;
  lead();
  store.undo();
  assert.equal(state.lesson, "shown");
  assert.ok(store.canUndo);
  follow.takeView({ lesson: "other" });
  assert.ok(!app.following && state.lesson === "shown");
});

test("a student who joins while a vote is open and the class is led follows", async () => {
  const { app, state, store, say, join, hear } = await pageOf();
  await join((vote) => store.act("open", { lesson: vote.lesson, step: "question" }));
  await hear(open(1));
  say({ is: "view", view: { lesson: "one", toml: null, step: "question", scene: 3 } });
  await until(() => app.view !== null, "the view did not arrive");
  assert.ok(app.following);
  assert.equal(state.scene, 3);
});

test("only a page that led before it was reloaded leads on", async () => {
  const other = await pageOf({}, { lecturer: true });
  other.follow.keepLeading(true);
  assert.equal(other.app.leading, false, "another window");
  const page = await pageOf({}, { lecturer: true });
  sessionStorage.setItem("bvlab-leads", "yes");
  page.follow.keepLeading(true);
  assert.equal(page.app.leading, true);
  await until(() => page.sent("api/view").length === 1, "nothing was shown");
  await page.follow.toggleLead();
  assert.equal(page.sent("api/view").at(-1).body.view, null);
  // A state from before that arrives late.
  page.follow.keepLeading(true);
  assert.equal(page.app.leading, false);
  assert.equal(sessionStorage.getItem("bvlab-leads"), null);
  // Whoever led when nobody was shown anything any more does not begin by itself.
  const late = await pageOf({}, { lecturer: true });
  sessionStorage.setItem("bvlab-leads", "yes");
  for (const shown of [false, true]) late.follow.keepLeading(shown);
  assert.equal(late.app.leading, false);
});

test("what the class is shown arrives in order, and the end of it last", async () => {
  const arrived = [];
  const slow = async ({ body }) => {
    await pause(body.view === null ? 0 : 60);
    arrived.push(body.view?.scene ?? null);
  };
  const { state, follow } = await pageOf({ "api/view": slow }, { lecturer: true });
  state.scene = 2;
  const begun = follow.toggleLead();
  state.scene = 4;
  await follow.toggleLead();
  await begun;
  state.scene = 5;
  await follow.toggleLead();
  assert.deepEqual(arrived, [2, null, 5]);
});

test("the lecturer's second press is not another action, and an answer that is shown is not lost", async () => {
  const { own, sent } = await pageOf({ "api/vote": () => pause(50) }, { lecturer: true });
  const done = () => sent("api/vote").map(({ body }) => body.do);
  const first = own.actOnVote({ do: "close" });
  await own.actOnVote({ do: "again" });
  assert.ok(own.isActing());
  await first;
  await own.actOnVote({ do: "again" });
  await own.actOnVote({ do: "reveal", right: [1] });
  assert.deepEqual(done(), ["close"]);
  await until(() => done().length > 1, "the answer was not revealed");
  assert.deepEqual(done(), ["close", "reveal"]);
  await until(() => !own.isActing(), "it does not end");
  await own.actOnVote({ do: "open" });
  assert.deepEqual(done(), ["close", "reveal", "open"]);
});

test("what is sent is what was chosen, for the question that it was chosen for", async () => {
  const { app, own, sent, join, hear } = await pageOf({ "api/token": () => answered({ token: "t" }) });
  await join();
  await hear(open(1));
  own.answerVote(0);
  own.answerVote(2);
  assert.equal(app.vote.mine, 2);
  // The state comes again, as when the connection was lost.
  await hear(open(1, { here: 1 }));
  assert.equal(app.vote.mine, 2);
  await until(() => app.vote.kept === 2, "the answer was not sent");
  assert.deepEqual(sent("api/answer").map(({ token, body }) => [token, body]), [["t", { number: 1, choice: 2 }]]);
  // Another round begins, or voting closes, before it is sent.
  own.answerVote(1);
  await hear(open(2));
  assert.equal(app.vote.mine, null);
  own.answerVote(3);
  await hear({ ...open(2), phase: "closed" });
  assert.equal(app.vote.mine, null);
  await pause(400);
  assert.equal(sent("api/answer").length, 1);
});

test("without a token a page sees the votes, and it asks for one when it answers", async () => {
  let free = false;
  const tokens = ["first", "second"];
  const page = await pageOf({
    "api/token": () => (free ? answered({ token: tokens.shift() }) : refused(429)),
    "api/answer": ({ token }) => (token === "second" ? answered() : refused(403)),
  });
  const { app, own, asked, sent, say, join, hear } = page;
  await join();
  assert.equal(asked.find(({ path }) => path === "api/vote").token, null);
  await hear(open(1));
  say({ is: "view", view: { lesson: "one" } });
  await until(() => app.view !== null, "the view did not arrive");
  own.answerVote(1);
  await until(() => app.voteTrouble !== null, "nothing is said");
  assert.equal(app.vote.mine, null);
  // One that the lab does not know is replaced, once.
  free = true;
  own.answerVote(1);
  await until(() => app.vote.kept === 1, "the answer was not taken");
  assert.deepEqual(sent("api/answer").map(({ token }) => token), ["first", "second"]);
  assert.equal(app.voteTrouble, null);
  assert.equal(localStorage.getItem("bvlab-token"), "second");
  // The stream, which was asked for without it, does not know the answer.
  await hear({ ...open(1, { mine: null }), phase: "closed" });
  assert.equal(app.vote.mine, 1);
  await hear(open(2, { mine: null }));
  assert.equal(app.vote.mine, null);
});

test("a lesson or a word in an address may be called as what every object has", async () => {
  const { app, state, own, load } = await pageOf();
  const { hiddenColumns } = await load("opening.js");
  state.lesson = "constructor";
  assert.equal(own.answeredAlone(), null);
  own.markAlone([1]);
  assert.deepEqual(app.marked, {});
  own.answerAlone(1);
  assert.equal(own.answeredAlone(), 1);
  own.markAlone([1]);
  assert.deepEqual(app.marked, { constructor: true });
  state.hide = ["toString", "bias"];
  assert.deepEqual(hiddenColumns(), ["bias2"]);
});
