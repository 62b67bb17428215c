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

async function post(path, body, signal) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!response.ok) throw await refuse(response);
  return response;
}

// What there is: lessons, learners, limits.
export async function askLab() {
  const response = await fetch("api/lab");
  if (!response.ok) throw await refuse(response);
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
