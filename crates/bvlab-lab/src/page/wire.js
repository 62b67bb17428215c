// What goes over the wire: reading the server's messages, and the record of a page without a server.

// Numbers that JSON cannot hold come as these words.
const NOT_FINITE = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };

// Numbers in base64, little-endian, as every machine with a browser has them.
function unpack(text, Numbers) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Numbers(bytes.buffer);
}

function revive(_key, value) {
  if (typeof value === "string") return value in NOT_FINITE ? NOT_FINITE[value] : value;
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  if (typeof value.f8 === "string") return unpack(value.f8, Float64Array);
  if (typeof value.f4 === "string") return unpack(value.f4, Float32Array);
  return value;
}

// A message from its text.
export function parseMessage(text) {
  return JSON.parse(text, revive);
}

// What the server said against a request: its sentence, its help, and when to try again.
export class Refusal extends Error {
  constructor(status, error, retryAfter) {
    super(error.message);
    this.status = status;
    this.help = error.help ?? null;
    this.token = error.token ?? null;
    this.line = error.line ?? null;
    this.retryAfter = retryAfter;
  }

  // Whether the same request may succeed later.
  get passing() {
    return this.status === 429 || this.status >= 500;
  }
}

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
    history.replaceState(null, "", `${location.pathname}${query.size > 0 ? `#${query}` : ""}`);
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
export async function askLab() {
  const response = await request("api/lab");
  return parseMessage(await response.text());
}

// Runs a scene; every message is handed over as it comes. Returns whether the end came.
export async function askRun(scene, signal, take) {
  const response = await post("api/run", scene, signal);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let ended = false;
  for (;;) {
    const { done, value } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.trim() === "") continue;
      const message = parseMessage(line);
      ended = ended || message.is === "end" || message.is === "error";
      take(message);
    }
    if (done) return ended;
  }
}

// A file made by the server.
export async function askExport(body) {
  const response = await post("api/export", body);
  return response.blob();
}

// The record in a page without a server.
export function readRecord() {
  const element = document.getElementById("recorded");
  return element ? parseMessage(element.textContent) : null;
}
