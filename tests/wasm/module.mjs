// The module outside of a browser: what worker.js and workers.js do, one call after the other.
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";

// Compiles a module, packed or not, and looks at what it wants.
export async function compiled(file) {
  const bytes = await readFile(file);
  const module = await WebAssembly.compile(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes);
  const imports = WebAssembly.Module.imports(module).map((one) => `${one.module}.${one.name}`);
  if (imports.join() !== "bvlab.say") throw new Error(`the module imports ${imports.join(", ")}`);
  return module;
}

// One worker's module.
export class Instance {
  constructor(module, lessons) {
    this.lines = [];
    const say = (at, length) => this.lines.push(Buffer.from(this.memory, at, length).toString());
    this.calls = new WebAssembly.Instance(module, { bvlab: { say } }).exports;
    this.put(JSON.stringify(lessons));
    if (this.calls.bvlab_hand_in() !== 1) throw new Error(this.taken().toString());
  }

  get memory() {
    return this.calls.memory.buffer;
  }

  put(input) {
    const bytes = Buffer.from(input);
    const at = this.calls.bvlab_input(bytes.length);
    new Uint8Array(this.memory, at, bytes.length).set(bytes);
  }

  taken() {
    const at = this.calls.bvlab_output();
    return Buffer.from(new Uint8Array(this.memory, at, this.calls.bvlab_output_length()).slice());
  }

  refusal() {
    return JSON.parse(this.taken().toString());
  }

  export(request) {
    this.put(JSON.stringify(request));
    const code = this.calls.bvlab_export();
    return code === 1 ? this.taken() : code === 0 ? this.refusal() : null;
  }

  table(name, bytes) {
    this.put(Buffer.concat([Buffer.from(`${name}\0`), bytes]));
    this.calls.bvlab_hand_in_table();
  }
}

// Runs a scene on so many workers and one that joins. Returns that one, which has said all lines.
export function run(joiner, shares, scene) {
  const text = JSON.stringify(scene);
  joiner.lines.length = 0;
  joiner.put(text);
  const way = joiner.calls.bvlab_begin();
  if (way === 0) return joiner.refusal();
  let result = 1;
  if (way === 2) while (result === 1) result = joiner.calls.bvlab_run_whole();
  else {
    shares.forEach((share, i) => {
      share.put(text);
      if (share.calls.bvlab_share(i + 1, shares.length) !== 1) throw new Error(share.taken().toString());
    });
    while (result === 1) {
      const rounds = shares.map((share) => round(joiner, share));
      const failed = rounds.find((one) => one.failed);
      if (failed) return JSON.parse(failed.failed);
      for (const { groups } of rounds) {
        joiner.put(groups);
        joiner.calls.bvlab_join();
      }
      result = joiner.calls.bvlab_round();
    }
  }
  if (result === 2) joiner.calls.bvlab_end(1);
  return { result };
}

// A share until the end of its round; what it keeps goes to the one that joins.
function round(joiner, share) {
  for (;;) {
    switch (share.calls.bvlab_step()) {
      case 0:
        break;
      case 1:
        joiner.put(share.taken());
        joiner.calls.bvlab_keep();
        break;
      case 2:
        return { groups: share.taken() };
      case 4:
        return { failed: share.taken().toString() };
      default:
        throw new Error("the share ended before the run");
    }
  }
}
