// A page that computes by itself: as many workers as the machine has cores share a run, one more
// joins it. They have no memory in common, because few hosts send the headers for that.
import { parseMessage, Refusal } from "./protocol.js";
import { pageFonts, withFonts } from "./svg-fonts.js";

// The most workers that share a run: it has 24 groups.
const MOST_WORKERS = 8;
// How many rounds a share may be ahead of the one that is joined.
const AHEAD = 2;
// After so many milliseconds a run is slow: the frames of its first training sets come one by one.
const SLOW_RUN = 150;
// How long a worker may take to stop before it is replaced, in milliseconds.
const STOPPING = 500;
// How long a run in one piece, which cannot be paused, goes on in a page that nobody sees, in milliseconds.
const UNSEEN = 10_000;
// The most bytes that all workers of a run may hold together: fewer of them share a large one.
const MOST_TOGETHER = 1536 << 20;
// A worker that holds more bytes than this after a run is replaced, because memory is never given back.
const MOST_HELD = 400 << 20;

const pool = { material: null, joiner: null, shares: [], run: null, runs: 0, asks: new Map(), asked: 0, deaths: new Map(), tables: new Map(), unseen: 0 };

// Unpacks gzip; what a server has unpacked already stays as it is.
export async function unzipped(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Whether this browser can compute: with vectors of 128 bits, as the module has them.
export function canCompute() {
  if (typeof WebAssembly !== "object" || typeof Worker !== "function" || typeof DecompressionStream !== "function")
    return false;
  // A function that returns i8x16.splat(0)'s first lane.
  const vectors = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];
  return WebAssembly.validate(new Uint8Array(vectors));
}

class PageWorker {
  constructor(kind) {
    this.kind = kind;
    this.dead = false;
    this.isOpen = false;
    this.stopping = new Map();
    this.worker = new Worker(pool.material.script);
    this.ready = new Promise((done, fail) => {
      this.opened = done;
      this.failed = fail;
    });
    // Whoever waits for it hears of a failure; nobody may wait.
    this.ready.catch(() => {});
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => {
      event.preventDefault?.();
      this.die(event.message || "it cannot be started");
    };
    const { module, lessons } = pool.material;
    this.send({ do: "open", module, lessons });
    for (const [name, bytes] of pool.tables) this.send({ do: "table", name, bytes });
    if (document.hidden) this.send({ do: "pause", on: true });
  }

  send(message, transfer = []) {
    this.worker.postMessage(message, transfer);
  }

  hear(message) {
    if (message.is === "ready") {
      this.isOpen = true;
      this.opened();
    }
    else if (message.is === "died") this.die(message.message);
    else if (message.is === "stopped") {
      clearTimeout(this.stopping.get(message.stop));
      this.stopping.delete(message.stop);
      if (message.memory > MOST_HELD) replaceWorker(this);
    } else if (message.is === "exported") {
      pool.asks.get(message.ask)?.done(message);
      pool.asks.delete(message.ask);
    } else if (pool.run && message.id === pool.run.id) pool.run.hear(this, message);
  }

  // Gives up what it does; one that does not answer is replaced.
  stop() {
    const stop = ++pool.asked;
    this.stopping.set(stop, setTimeout(() => replaceWorker(this), STOPPING));
    this.send({ do: "stop", stop });
  }

  end() {
    this.dead = true;
    for (const timer of this.stopping.values()) clearTimeout(timer);
    this.worker.terminate();
  }

  die(message) {
    if (this.dead) return;
    this.failed(new Error(message));
    const words = "A worker of this page failed and was started again";
    if (this.kind === "joiner") {
      for (const { fail } of pool.asks.values()) fail(new Refusal(500, { message: `${words}.` }, null));
      pool.asks.clear();
    }
    // One that could not even be started would fail again: another is made when it is needed.
    if (this.isOpen) replaceWorker(this);
    else {
      this.end();
      pool.shares = pool.shares.filter((one) => one !== this);
    }
    pool.run?.failBy(message, words);
  }
}

function replaceWorker(old) {
  if (old.dead) return;
  old.end();
  if (old.kind === "joiner") {
    pool.joiner = new PageWorker("joiner");
    for (const [ask, { request }] of pool.asks) pool.joiner.send({ do: "export", ask, request });
  } else pool.shares = pool.shares.map((one) => (one === old ? new PageWorker("share") : one));
}

// One that could not be started is tried again when something is asked of it.
function needJoiner() {
  // As long as there is a network.
  pageFonts();
  if (pool.joiner.dead) pool.joiner = new PageWorker("joiner");
}

// One run on all workers.
class SharedScene {
  constructor(scene, signal, take) {
    Object.assign(this, { scene, signal, take, id: ++pool.runs, began: performance.now() });
    this.text = JSON.stringify(scene);
    this.groups = new Map();
    this.joined = 0;
    this.whole = false;
    // Whether it is in one piece and waits for the page to be seen.
    this.waits = false;
    this.finished = new Promise((done, fail) => {
      this.done = done;
      this.fail = fail;
    });
    signal?.addEventListener("abort", () => this.cancel(new DOMException("given up", "AbortError")), { once: true });
  }

  start() {
    needJoiner();
    pool.joiner.send({ do: "begin", id: this.id, scene: this.text });
    return this.finished;
  }

  begun({ way, memory, refusal }) {
    if (refusal) {
      this.leave();
      this.fail(new Refusal(refusal.status, refusal.error, null));
    } else if (way === 2) {
      this.whole = true;
      this.waits = document.hidden;
      if (!this.waits) pool.joiner.send({ do: "whole", id: this.id });
    } else {
      const { id, text } = this;
      if (pool.shares.length === 0) pool.shares = [new PageWorker("share")];
      this.of = Math.max(1, Math.min(pool.shares.length, Math.floor(MOST_TOGETHER / memory)));
      pool.shares.slice(0, this.of).forEach((share, i) => {
        share.send({ do: "share", id, scene: text, index: i + 1, of: this.of, most: AHEAD });
      });
    }
  }

  // A run in one piece is given up by a page that nobody sees, and begins again when it is seen.
  unseen() {
    if (!this.whole || this.waits) return;
    this.waits = true;
    replaceWorker(pool.joiner);
  }

  seen() {
    if (!this.waits) return;
    this.waits = false;
    this.start();
  }

  hear(worker, message) {
    switch (message.is) {
      case "line":
        this.line(message.line);
        break;
      case "begun":
        this.begun(message);
        break;
      case "kept": {
        const slow = performance.now() - this.began > SLOW_RUN;
        pool.joiner.send({ do: "keep", id: this.id, bytes: message.bytes, slow }, [message.bytes.buffer]);
        break;
      }
      case "round":
        this.collect(message);
        break;
      case "joined":
        this.advance(message.result);
        break;
      default:
    }
  }

  // The states of a round go to the one that joins when all shares are there.
  collect({ round, bytes }) {
    const states = this.groups.get(round) ?? [];
    states.push(bytes);
    this.groups.set(round, states);
    if (states.length < this.of) return;
    this.groups.delete(round);
    const buffers = states.map((state) => state.buffer);
    pool.joiner.send({ do: "round", id: this.id, groups: states }, buffers);
  }

  advance(result) {
    this.joined++;
    if (result === 1) for (const share of pool.shares) share.send({ do: "more", id: this.id, most: this.joined + AHEAD });
    else if (result === 2) {
      const seconds = (performance.now() - this.began) / 1000;
      pool.joiner.send({ do: "end", id: this.id, seconds });
    } else if (result === 0) this.failBy("a round is not complete", "The workers of this page do not agree");
  }

  line(text) {
    const message = parseMessage(text);
    const last = message.is === "end" || message.is === "error";
    if (last) this.leave();
    this.take(message);
    if (last) this.done(true);
  }

  // No longer hears of its workers.
  leave() {
    if (pool.run === this) pool.run = null;
    for (const share of pool.shares) share.stop();
  }

  cancel(reason) {
    if (pool.run === this) {
      this.leave();
      pool.joiner.stop();
    }
    this.fail(reason);
  }

  // A scene whose workers fail again and again is not tried for ever.
  failBy(message, words) {
    const deaths = (pool.deaths.get(this.text) ?? 0) + 1;
    pool.deaths.set(this.text, deaths);
    this.leave();
    const told = `${words} (${message}).`;
    const help = deaths < 2 ? null : "Use fewer training sets, values or points.";
    this.fail(new Refusal(deaths < 2 ? 500 : 400, { message: told, help }, null));
  }
}

// A page in the background computes nothing.
function lookedAt() {
  for (const share of pool.shares) share.send({ do: "pause", on: document.hidden });
  clearTimeout(pool.unseen);
  if (document.hidden) pool.unseen = setTimeout(() => pool.run?.unseen(), UNSEEN);
  else pool.run?.seen();
}

// Starts the workers. `material`: the script's address, the module's bytes, the lessons as JSON, and
// how many workers share a run if not as many as there are cores.
export async function startWorkers({ script, bytes, lessons, count = null }) {
  const module = await WebAssembly.compile(await unzipped(bytes));
  pool.material = { script, module, lessons };
  const cores = count ?? Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 2);
  pool.joiner = new PageWorker("joiner");
  pool.shares = Array.from({ length: cores }, () => new PageWorker("share"));
  document.addEventListener("visibilitychange", lookedAt);
  // One of them is enough to go on.
  await Promise.all([pool.joiner.ready, Promise.any(pool.shares.map((share) => share.ready))]);
}

export function workersRun() {
  return pool.joiner !== null;
}

// A table that was given to the page, for experiments in TOML.
export function giveTable(name, bytes) {
  pool.tables.set(name, bytes);
  for (const worker of [pool.joiner, ...pool.shares]) worker.send({ do: "table", name, bytes });
}

// Runs a scene; every message is handed over as it comes. Returns whether the end came.
export async function runOnWorkers(scene, signal, take) {
  pool.run?.cancel(new DOMException("another run came first", "AbortError"));
  pool.run = new SharedScene(scene, signal, take);
  return pool.run.start();
}

// Runs a scene when nothing else is run; given up for another, it begins again.
export async function runAside(scene, take = () => {}) {
  for (;;) {
    while (pool.run) await pool.run.finished.catch(() => {});
    const run = new SharedScene(scene, null, take);
    pool.run = run;
    try {
      return await run.start();
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }
}

function askJoiner(body) {
  const ask = ++pool.asked;
  const request = JSON.stringify(body);
  return new Promise((done, fail) => {
    pool.asks.set(ask, { done, fail, request });
    needJoiner();
    pool.joiner.send({ do: "export", ask, request });
  });
}

const FILE_KINDS = { csv: "text/csv", toml: "application/toml", svg: "image/svg+xml", steps: "application/x-ndjson", refit: "application/json" };

// A file made by the worker that joins; a run that it does not remember is run again.
export async function exportFromWorkers(body) {
  const { what, figure, count, ...scene } = body;
  const made = what === "png" ? "svg" : what;
  const wanted = Object.fromEntries(Object.entries({ ...scene, what: made, figure, count }).filter(([, one]) => one !== undefined));
  const counted = count === undefined ? scene : { ...scene, set: [...(scene.set ?? []), `run.resamples=${count}`] };
  for (let tries = 0; ; tries++) {
    const answer = await askJoiner(wanted);
    if (answer.code === 0) throw new Refusal(answer.refusal.status, answer.refusal.error, null);
    if (answer.code === 1) {
      const content = made === "svg" ? await withFonts(new TextDecoder().decode(answer.bytes)) : answer.bytes;
      const file = new Blob([content], { type: FILE_KINDS[made] });
      return what === "png" ? pngOf(file) : file;
    }
    if (tries === 2) throw new Refusal(500, { message: "The run did not end." }, null);
    let failure = null;
    await runAside(counted, (message) => {
      if (message.is === "error") failure = message;
    });
    if (failure) throw new Refusal(400, failure, null);
  }
}

// A picture in dots, twice as many as the SVG has units.
export async function pngOf(svg, sharpness = 2) {
  const url = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.naturalWidth * sharpness);
    canvas.height = Math.round(image.naturalHeight * sharpness);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}
