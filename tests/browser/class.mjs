// A class at a lab, in Chromium or Firefox: who computes, and who may embed the page.
// `node class.mjs chrome|firefox PROGRAM TABLES OUTDIR`. PROGRAM is bvlab, which this script starts;
// TABLES is a folder of results of `bvlab run` to compare with.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { Runner, anotherRun, engineOf, frameIsDone, framing, launch, scripted, serveFolder, setKey, until } from "./puppet.mjs";

const [, , kind, program, tables, out] = process.argv;
const runner = new Runner(kind, await launch(kind), out);
const native = await readFile(path.join(tables, "tree-tradeoff", "curves.csv"), "utf8");

async function startLab(...more) {
  const child = spawn(program, ["lab", "--no-open", "--port", "0", ...more], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface(child.stdout), "line");
  const [, address, key] = /(http:\S+?)#lecturer=(\S+)/.exec(line) ?? assert.fail(line);
  return { address, key, end: () => child.kill() };
}

// The requests of a page that make the server compute.
function askedOf(page) {
  const asked = [];
  page.on("request", (request) => {
    if (/\/api\/(run|export)$/.test(request.url())) asked.push(request.url());
  });
  return asked;
}

// Moves a slider, and looks at a table.
async function useIt(page) {
  await anotherRun(page, () => setKey(page, "problem.train=30"));
  const { csv, engine } = await scripted(page, { lesson: "tree-tradeoff", resamples: 48 });
  assert.equal(csv, native);
  return engine;
}

const noWebAssembly = () => {
  delete window.WebAssembly;
};

const lab = await startLab();
const lecturers = (query = "") => `${lab.address}${query}#lesson=tree-tradeoff&lecturer=${lab.key}`;
const forgetKey = async (open) => {
  const page = await open(lab.address, { settle: false });
  await page.evaluate(() => localStorage.clear());
};

await runner.test("a student computes in the own browser, and goes on when the lab is closed", async (open) => {
  const own = await startLab();
  try {
    const page = await open(own.address);
    assert.equal(await engineOf(page), "worker");
    const asked = askedOf(page);
    assert.equal(await useIt(page), "worker");
    assert.deepEqual(asked, [], "the server computed");
    own.end();
    await anotherRun(page, () => setKey(page, "problem.train=35"));
    assert.deepEqual(asked, []);
    await runner.shoot(page, "student");
  } finally {
    own.end();
  }
  // The stream of votes ends with the lab, and is asked for again.
}, /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|NetworkError/);

await runner.test("the server computes for a student whose browser cannot", async (open) => {
  const page = await open(lab.address, { before: noWebAssembly });
  assert.equal(await engineOf(page), "server");
  const asked = askedOf(page);
  assert.equal(await useIt(page), "server");
  assert.ok(asked.length >= 2, asked.join());
});

await runner.test("the server computes for a student whose module does not arrive", async (open) => {
  const page = await open(lab.address, {
    before: () => {
      const real = window.fetch;
      window.fetch = (file, ...more) => (/wasm/.test(file) ? Promise.reject(new TypeError("the line broke")) : real(file, ...more));
    },
  });
  assert.equal(await engineOf(page), "server");
  assert.equal(await useIt(page), "server");
});

await runner.test("the server computes for the lecturer, or the browser if that is asked for", async (open) => {
  const page = await open(lecturers());
  assert.equal(await engineOf(page), "server");
  assert.equal(await useIt(page), "server");
  const here = await open(lecturers("?engine=worker"));
  assert.equal(await engineOf(here), "worker");
  assert.ok(!here.url().includes(lab.key) && here.url().includes("?engine=worker"), here.url());
  const asked = askedOf(here);
  assert.equal(await useIt(here), "worker");
  assert.deepEqual(asked, []);
  await forgetKey(open);
  const student = await open(`${lab.address}?engine=server`);
  assert.equal(await engineOf(student), "server");
});

await runner.test("a TOML is run for a student, by either engine, and a wrong one refused with its line", async (open) => {
  for (const before of [null, noWebAssembly]) {
    const page = await open(lab.address, { before });
    await engineOf(page);
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["[problem]\ntruth = \"sin(x)\"\ntrain = \"many\"\n"], "mine.toml"));
      window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await until(page, () => /^Line 3, .*many.*: expected a number/.test(document.getElementById("notes").textContent));
  }
}, /status of 400/);

await runner.test("only a page of an origin that is named may have the lab in a frame", async (open) => {
  const server = await serveFolder(out, "/slides");
  const named = `http://localhost:${server.port}`;
  const embeddable = await startLab("--allow-embed", named);
  try {
    const addresses = [`${named}/slides/outer.html`, `${server.address}/outer.html`];
    const framed = async (address, within, patience) => {
      server.outer = framing(`${address}?embed#lesson=tree-tradeoff`);
      const outer = await open(within, { settle: false });
      return frameIsDone(outer, address, patience);
    };
    assert.ok(await framed(embeddable.address, addresses[0], 60_000), "a page of the named origin");
    assert.ok(!(await framed(embeddable.address, addresses[1], 3000)), "a page of another");
    assert.ok(!(await framed(lab.address, addresses[0], 3000)), "a lab that names none");
    // In a frame, too, students compute by themselves.
    server.outer = framing(`${embeddable.address}?embed#lesson=tree-tradeoff`);
    const outer = await open(addresses[0], { settle: false });
    assert.ok(await frameIsDone(outer, embeddable.address, 60_000));
    const inside = outer.frames().find((one) => one.url().startsWith(embeddable.address));
    assert.equal(await inside.evaluate(() => window.bvlab.ready.then(() => window.bvlab.engine)), "worker");
    const { csv } = await inside.evaluate(() => window.bvlab.run({ lesson: "tree-tradeoff", resamples: 48 }));
    assert.equal(csv, native);
    await runner.shoot(outer, "framed");
  } finally {
    embeddable.end();
    await server.close();
  }
}, /frame-ancestors|X-Frame-Options|refused to (connect|display)|can.t open this page/i);

lab.end();
await runner.end();
