// The server of a lab: who asks, what there is, runs and exports.
import { parseMessage, Refusal } from "./protocol.js";

async function refuse(response) {
  let error = { message: `The lab answered ${response.status}.` };
  try {
    error = (await response.json()).error ?? error;
  } catch {
    // The sentence above must do.
  }
  const seconds = Number(response.headers.get("retry-after"));
  return new Refusal(response.status, error, seconds > 0 ? seconds : null);
}

// What the server knows this page by: the lecturer's key, or the one that a student got for the code.
const KEPT_KEY = "bvlab-key";
const door = { key: null, askCode: null, joining: null };

function keepKey(key) {
  door.key = key;
  try {
    if (key === null) localStorage.removeItem(KEPT_KEY);
    else localStorage.setItem(KEPT_KEY, key);
  } catch {
    // Without a place to keep it, it is known until the page is closed.
  }
}

// Takes the lecturer's key out of the address, before anyone sees it there or shares it; else the key
// that was kept. Says how a student is asked for the code: `ask` resolves when one was right.
export function setUpDoor(ask) {
  door.askCode = ask;
  const query = new URLSearchParams(location.hash.replace(/^#/, ""));
  const key = query.get("lecturer");
  if (key !== null) {
    query.delete("lecturer");
    history.replaceState(null, "", `${location.pathname}${location.search}${query.size > 0 ? `#${query}` : ""}`);
    keepKey(key);
    return;
  }
  try {
    door.key = localStorage.getItem(KEPT_KEY);
  } catch {
    // See above.
  }
}

// Joins with a code.
export async function sendCode(code) {
  const headers = { "content-type": "application/json" };
  const response = await fetch("api/join", { method: "POST", headers, body: JSON.stringify({ code }) });
  if (!response.ok) throw await refuse(response);
  keepKey((await response.json()).key);
}

// Asks the server, as whoever has the key; where a code is needed, once it was given.
async function request(path, options = {}) {
  for (;;) {
    const { key } = door;
    const headers = key === null ? { ...options.headers } : { ...options.headers, "x-bvlab-key": key };
    const response = await fetch(path, { ...options, headers });
    if (response.ok) return response;
    if (response.status !== 401) throw await refuse(response);
    // Another request may have joined meanwhile.
    if (door.key !== key) continue;
    keepKey(null);
    door.joining ??= door.askCode().finally(() => {
      door.joining = null;
    });
    await door.joining;
  }
}

function post(path, body, signal) {
  const headers = { "content-type": "application/json" };
  return request(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

// What there is: lessons, learners, limits.
export async function labOfServer() {
  const response = await request("api/lab");
  return parseMessage(await response.text());
}

// The texts and tables of all lessons, for a page that computes by itself.
export async function lessonsOfServer() {
  const response = await request("api/lessons");
  return response.json();
}

// Hands over every line of an answer as it comes.
async function eachLine(response, take) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.trim() !== "") take(line);
    if (done) return;
  }
}

// Runs a scene; every message is handed over as it comes. Returns whether the end came.
export async function runOnServer(scene, signal, take) {
  const response = await post("api/run", scene, signal);
  let ended = false;
  await eachLine(response, (line) => {
    const message = parseMessage(line);
    ended = ended || message.is === "end" || message.is === "error";
    take(message);
  });
  return ended;
}

// A token, which answers belong to.
export async function newToken() {
  return (await (await post("api/token", {})).json()).token;
}

const withToken = (token) => (token === null ? {} : { "x-bvlab-token": token });

// The state of the vote and every change of it, until the connection ends.
export async function streamVotes(token, signal, take) {
  const response = await request("api/vote", { headers: withToken(token), signal });
  await eachLine(response, (line) => take(JSON.parse(line)));
}

// An answer of a student.
export async function sendAnswer(token, answer) {
  const headers = { "content-type": "application/json", ...withToken(token) };
  const response = await request("api/answer", { method: "POST", headers, body: JSON.stringify(answer) });
  await response.text();
}

// What the lecturer does with the vote.
export async function sendVote(action) {
  await (await post("api/vote", action)).text();
}

// Shows the class what the lecturer's page shows; null leaves it to itself.
export async function sendView(view) {
  await (await post("api/view", { view })).text();
}

// The counts of all votes as CSV.
export async function countsFromServer() {
  return (await request("api/counts")).blob();
}

// A file made by the server.
export async function exportFromServer(body) {
  const response = await post("api/export", body);
  return response.blob();
}
