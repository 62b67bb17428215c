// The messages of a run, as docs/lab-protocol.md has them, and refusals.

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

// Why a request is not carried out: a sentence, help, and when to try again.
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
