// A worker of a page that computes by itself: holds one module, and does what workers.js asks for.
// One worker joins a run, the others share its groups; see crates/bvlab-wasm/src/lib.rs. A script of
// its own, without imports, so that it can also be started from a text.
"use strict";

// How many milliseconds a worker computes before it looks for messages.
const SLICE = 12;

const held = { calls: null, memory: null, id: 0, running: false, whole: false, paused: false, scheduled: false, rounds: 0, most: 0 };

// What was asked before the module was there.
let waiting = [];

function reply(message, bytes = null) {
  if (bytes) self.postMessage({ ...message, bytes }, [bytes.buffer]);
  else self.postMessage(message);
}

// A line that the module says, which goes on at once.
function say(at, length) {
  const line = new TextDecoder().decode(new Uint8Array(held.memory.buffer, at, length));
  reply({ is: "line", id: held.id, line });
}

function put(bytes) {
  const at = held.calls.bvlab_input(bytes.length);
  new Uint8Array(held.memory.buffer, at, bytes.length).set(bytes);
}

function putText(text) {
  put(new TextEncoder().encode(text));
}

function taken() {
  const at = held.calls.bvlab_output();
  return new Uint8Array(held.memory.buffer, at, held.calls.bvlab_output_length()).slice();
}

function refusal() {
  return JSON.parse(new TextDecoder().decode(taken()));
}

async function open({ module, lessons }) {
  const made = await WebAssembly.instantiate(module, { bvlab: { say } });
  // From bytes comes a module and an instance of it, from a module an instance.
  const { exports } = made.instance ?? made;
  held.calls = exports;
  held.memory = exports.memory;
  putText(lessons);
  if (exports.bvlab_hand_in() !== 1) throw new Error(refusal().error.message);
  reply({ is: "ready" });
  for (const message of waiting.splice(0)) DOES[message.do](message);
}

// Other messages have their turn between two slices; a timer would wait too long.
const next = new MessageChannel();
next.port1.onmessage = () => {
  held.scheduled = false;
  guarded(held.whole ? wholeSlice : slice);
};

function schedule() {
  if (held.scheduled) return;
  held.scheduled = true;
  next.port2.postMessage(null);
}

// One slice of the share: resamples until its time is over, or until it is far enough ahead.
function slice() {
  const { id } = held;
  const until = performance.now() + SLICE;
  while (held.running && !held.paused && held.rounds < held.most) {
    switch (held.calls.bvlab_step()) {
      case 0:
        break;
      case 1:
        reply({ is: "kept", id }, taken());
        break;
      case 2:
        reply({ is: "round", id, round: held.rounds++ }, taken());
        break;
      case 3:
        held.running = false;
        break;
      default:
        held.running = false;
        reply({ is: "line", id, line: new TextDecoder().decode(taken()) });
    }
    if (performance.now() >= until) {
      schedule();
      return;
    }
  }
}

// The same of a run in one piece: of a simulation a call is a resample.
function wholeSlice() {
  const { id } = held;
  const until = performance.now() + SLICE;
  let result = 1;
  while (result === 1 && performance.now() < until) result = held.calls.bvlab_run_whole();
  if (result === 1) schedule();
  else {
    held.whole = false;
    reply({ is: "joined", id, result });
  }
}

function begin(message) {
  Object.assign(held, { id: message.id, running: false, whole: false });
  putText(message.scene);
  const way = held.calls.bvlab_begin();
  const memory = held.calls.bvlab_memory();
  reply({ is: "begun", id: held.id, way, memory, refusal: way === 0 ? refusal() : null });
}

function share(message) {
  Object.assign(held, { id: message.id, rounds: 0, most: message.most, running: false });
  putText(message.scene);
  if (held.calls.bvlab_share(message.index, message.of) !== 1) return;
  held.running = true;
  schedule();
}

function keep(message) {
  if (message.id !== held.id) return;
  put(message.bytes);
  held.calls.bvlab_keep();
  if (message.slow) held.calls.bvlab_catch_up();
}

function round(message) {
  if (message.id !== held.id) return;
  for (const bytes of message.groups) {
    put(bytes);
    held.calls.bvlab_join();
  }
  reply({ is: "joined", id: held.id, result: held.calls.bvlab_round() });
}

function makeFile(message) {
  putText(message.request);
  const code = held.calls.bvlab_export();
  const { ask } = message;
  if (code === 1) reply({ is: "exported", ask, code }, taken());
  else reply({ is: "exported", ask, code, refusal: code === 0 ? refusal() : null });
}

const DOES = {
  open,
  begin,
  share,
  keep,
  round,
  export: makeFile,
  table: ({ name, bytes }) => {
    const start = new TextEncoder().encode(`${name}\0`);
    const all = new Uint8Array(start.length + bytes.length);
    all.set(start);
    all.set(bytes, start.length);
    put(all);
    held.calls.bvlab_hand_in_table();
  },
  more: ({ id, most }) => {
    if (id !== held.id) return;
    held.most = most;
    schedule();
  },
  whole: ({ id }) => {
    if (id !== held.id) return;
    held.whole = true;
    schedule();
  },
  end: ({ id, seconds }) => {
    if (id === held.id) held.calls.bvlab_end(seconds);
  },
  pause: ({ on }) => {
    held.paused = on;
    schedule();
  },
  stop: ({ stop }) => {
    Object.assign(held, { running: false, whole: false });
    // Of what waits, all that belongs to a run.
    waiting = waiting.filter(({ id }) => id === undefined);
    held.calls?.bvlab_stop();
    reply({ is: "stopped", stop, memory: held.memory?.buffer.byteLength ?? 0 });
  },
  // For a test of what a page does then.
  die: () => {
    throw new Error("asked to");
  },
};

// A module that fails in the midst of a call cannot be used again: the page starts another worker.
async function guarded(act) {
  try {
    await act();
  } catch (error) {
    reply({ is: "died", id: held.id, message: String(error?.message ?? error) });
    self.close();
  }
}

// What can be done without the module.
const AT_ONCE = ["open", "stop", "die"];

self.onmessage = ({ data }) =>
  guarded(() => {
    if (held.calls || AT_ONCE.includes(data.do)) return DOES[data.do](data);
    waiting.push(data);
  });
