// Pages that compute by themselves, in Chromium or Firefox:
// `node live.mjs chrome|firefox PAGE.html SITE TABLES OUTDIR`. PAGE is what `bvlab run tree-tradeoff
// --page` wrote, SITE a folder of `bvlab site`, TABLES a folder of results of `bvlab run` to compare
// with.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [, , kind, file, site, tables, out] = process.argv;
const FILES = { chrome: process.env.BVLAB_CHROMIUM ?? "/usr/bin/chromium", firefox: process.env.BVLAB_FIREFOX ?? "/usr/bin/firefox-esr" };
const browser = await puppeteer.launch({
  browser: kind,
  executablePath: FILES[kind],
  headless: true,
  args: kind === "chrome" ? ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] : [],
});
const only = process.env.BVLAB_BROWSER_TEST ?? "";
const PREFIX = "/~somebody/some where/lab";
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png" };

// A static server that knows nothing but files, below a folder; and what it was asked for.
async function serve() {
  const [asked, served] = [[], { outer: "" }];
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://x").pathname);
    asked.push(name);
    try {
      if (!name.startsWith(`${PREFIX}/`)) throw new Error("outside");
      const inside = name.slice(PREFIX.length) + (name.endsWith("/") ? "index.html" : "");
      const bytes = inside === "/outer.html" ? served.outer : await readFile(path.join(site, inside));
      response.writeHead(200, { "content-type": TYPES[path.extname(inside)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, done));
  const address = `http://127.0.0.1:${server.address().port}${encodeURI(PREFIX)}`;
  const close = () => new Promise((done) => {
    server.close(done);
    server.closeAllConnections();
  });
  return Object.assign(served, { address, asked, close });
}

let [count, failed] = [0, 0];
async function test(name, act) {
  if (!name.includes(only)) return;
  count++;
  const complaints = [];
  const pages = [];
  const open = async (address, { before = null, width = 1280, height = 720, settle = true } = {}) => {
    const page = await browser.newPage();
    pages.push(page);
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
    page.on("request", (request) => {
      const own = /^(file|data|blob|about):/.test(request.url()) || /^http:\/\/(127\.0\.0\.1|localhost):/.test(request.url());
      if (!own) complaints.push(`asked for ${request.url()}`);
    });
    await page.setViewport({ width, height });
    if (before) await page.evaluateOnNewDocument(before);
    await page.goto(address);
    if (settle) {
      await settled(page);
      // The page writes its address a moment later.
      await until(page, () => /lesson=|toml=/.test(location.hash));
    }
    return page;
  };
  const began = Date.now();
  try {
    await act(open);
    assert.deepEqual(complaints, [], "the browser complained");
    console.log(`ok ${count} - ${kind}: ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed++;
    console.log(`not ok ${count} - ${kind}: ${name}\n${error.stack}\n${complaints.join("\n")}`);
    await pages.at(-1)?.screenshot({ path: path.join(out, `failed-${kind}-${count}.png`) }).catch(() => {});
  } finally {
    for (const page of pages) await page.close().catch(() => {});
  }
}

const PATIENCE = { timeout: 120_000 };
const until = (page, act, ...more) => page.waitForFunction(act, PATIENCE, ...more);
const settled = (page) =>
  until(page, () => document.documentElement.dataset.state === "done" && document.getElementById("count").textContent !== "");
const shoot = (page, name) => page.screenshot({ path: path.join(out, `live-${kind}-${name}.png`) });
const counts = (page, pattern) => until(page, (source) => new RegExp(source).test(document.getElementById("count").textContent), pattern.source);
const textOf = (page, selector) => page.$eval(selector, (one) => one.textContent);
const scripted = (page, request) => page.evaluate((asked) => window.bvlab.run(asked), request);
const native = (name) => readFile(path.join(tables, name, "curves.csv"), "utf8");

// Waits for another run than the one that is shown, after `act`.
async function anotherRun(page, act) {
  const before = await page.$eval("#picture-identity > svg", (svg) => svg.getAttribute("aria-label"));
  await act();
  await until(page, (old) => document.querySelector("#picture-identity > svg").getAttribute("aria-label") !== old, before);
  await settled(page);
}

// What a download would have got.
const keepDownloads = () => {
  window.saved = [];
  const made = URL.createObjectURL.bind(URL);
  URL.createObjectURL = (blob) => {
    const url = made(blob);
    window.saved.push(blob);
    return url;
  };
  HTMLAnchorElement.prototype.click = function click() {};
};

async function exported(page, id) {
  await page.evaluate(() => window.saved.splice(0));
  await page.$eval(id, (button) => button.click());
  await until(page, () => / is saved\.$/.test(document.querySelector("#dialog-export .said").textContent));
  return page.evaluate(async () => {
    const blob = window.saved.at(-1);
    return { type: blob.type, size: blob.size, text: /png/.test(blob.type) ? "" : await blob.text() };
  });
}

// Drops files on the page.
const drop = (page, files) =>
  page.evaluate((given) => {
    const data = new DataTransfer();
    for (const [name, text] of given) data.items.add(new File([text], name));
    window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files);

const local = pathToFileURL(path.resolve(file)).href;

await test("one file from the disk: the record at once, then every control is live", async (open) => {
  const page = await open(local);
  await counts(page, /^all 1,?000 training sets drawn/);
  await page.evaluate(() => window.bvlab.ready);
  assert.equal(await page.evaluate(() => window.bvlab.engine), "worker");
  await shoot(page, "file");
  await page.keyboard.press(" ");
  await counts(page, /^1 of/);
  await page.keyboard.press("p");
  await counts(page, /^([5-9]|[1-9][0-9]+) of/);
  await page.keyboard.press("End");
  await counts(page, /^all/);
  // A dragged marker chooses another depth.
  const box = await (await page.$("#picture-tradeoff")).boundingBox();
  const before = await textOf(page, "#picture-identity");
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, box.y + box.height * 0.5, { steps: 5 });
  await page.mouse.up();
  await until(page, (old) => document.getElementById("picture-identity").textContent !== old, before);
  // A control that needs another run.
  await page.keyboard.press("c");
  await page.waitForSelector("#controls:not([hidden])");
  await anotherRun(page, () =>
    page.evaluate(() => {
      location.hash = `${location.hash}&set=${encodeURIComponent("problem.train=25")}`;
    }),
  );
  assert.match(await page.title(), /changed/);
  await shoot(page, "file-controls");
});

await test("the numbers are the program's", async (open) => {
  const page = await open(local);
  const { csv, engine, seconds } = await scripted(page, { lesson: "tree-tradeoff", resamples: 48 });
  assert.equal(engine, "worker");
  assert.ok(seconds > 0);
  assert.equal(csv, await native("tree-tradeoff"));
  for (const workers of [1, 3]) {
    const other = await open(local.replace(/$/, `?workers=${workers}`));
    assert.equal((await scripted(other, { lesson: "tree-tradeoff", resamples: 48 })).csv, csv);
  }
});

await test("exports without a server", async (open) => {
  const page = await open(local, { before: keepDownloads });
  await page.evaluate(() => window.bvlab.ready);
  await page.keyboard.press("e");
  await page.waitForSelector("#dialog-export[open]");
  assert.match((await exported(page, "#export-toml")).text, /\[problem\]/);
  assert.match((await exported(page, "#export-csv")).text, /^learner,[^\n]*\n[^\n]*,1000,/);
  assert.match((await exported(page, "#export-svg")).text, /^<svg[\s\S]*<\/svg>\s*$/);
  assert.ok((await exported(page, "#export-png")).size > 20_000);
  assert.ok((await exported(page, "#export-scene-png")).size > 20_000);
  assert.match(await page.$eval("#embed", (area) => area.value), /^<iframe src="page\.html\?embed#/);
});

const OWN = `
title = "Mine"
problem = { table = "data/own.csv", target = "y", test = 0.3, resample = "bootstrap" }
sweep = { depth = "1..4" }
learner = [{ tree = {} }]
run = { resamples = 48 }
[[figure]]
tradeoff = {}
`;
const ROWS = ["a,b,y", ...Array.from({ length: 80 }, (_, i) => `${i % 9},${(i * 7) % 11},${(i % 9) * 2 + ((i * 7) % 11)}`)].join("\n");

await test("a TOML and a CSV are dropped; a wrong one is refused in the program's words", async (open) => {
  const page = await open(local);
  await page.evaluate(() => window.bvlab.ready);
  await drop(page, [["mine.toml", "[problem]\ntruth = \"sin(x)\"\ntrain = \"many\"\n"]]);
  await until(page, () => document.documentElement.dataset.state === "error");
  assert.match(await textOf(page, "#notes"), /Line 3, .*many.*: expected a number/);
  await drop(page, [["mine.toml", OWN], ["own.csv", ROWS]]);
  await until(page, () => /Mine/.test(document.getElementById("title").textContent));
  await settled(page);
  await page.waitForSelector("#figure-image", PATIENCE);
  await shoot(page, "dropped");
});

await test("a page that cannot compute says so and replays", async (open) => {
  const page = await open(local, {
    before: () => {
      delete window.WebAssembly;
    },
  });
  await counts(page, /^all/);
  assert.equal(await page.evaluate(() => window.bvlab.engine), "recording");
  assert.match(await textOf(page, "#notes"), /no WebAssembly/);
  await page.keyboard.press(" ");
  await counts(page, /^1 of/);
});

await test("a site in a sub-folder, and then without a network", async (open) => {
  const server = await serve();
  try {
    const page = await open(`${server.address}/lab/`);
    await page.evaluate(() => window.bvlab.ready);
    assert.ok(server.asked.length > 10 && server.asked.every((name) => name.startsWith(PREFIX)), server.asked.join(" "));
    await shoot(page, "site");
    await server.close();
    // Another lesson, with several learners.
    await page.evaluate(() => {
      location.hash = "#lesson=dartboards";
    });
    await until(page, () => document.querySelectorAll("#learners [role=radio]").length > 1);
    await settled(page);
    const before = await textOf(page, "#picture-identity");
    await page.$$eval("#learners [role=radio]", (buttons) => buttons[1].click());
    await until(page, (old) => document.getElementById("picture-identity").textContent !== old, before);
    const { csv } = await scripted(page, { lesson: "knn-tradeoff", resamples: 48 });
    assert.equal(csv, await native("knn-tradeoff"));
  } finally {
    await server.close().catch(() => {});
  }
});

await test("lesson, gallery, embedding and phone", async (open) => {
  const server = await serve();
  try {
    const lesson = await open(`${server.address}/lessons/tree-tradeoff/`);
    await counts(lesson, /^all 1,?000/);
    await lesson.evaluate(() => window.bvlab.ready);
    await anotherRun(lesson, () =>
      lesson.evaluate(() => {
        location.hash = `${location.hash}&set=${encodeURIComponent("problem.train=25")}`;
      }),
    );
    const gallery = await open(`${server.address}/`, { settle: false });
    assert.ok((await gallery.$$(".card")).length >= 3);
    await shoot(gallery, "gallery");
    const phone = await open(`${server.address}/lessons/tree-tradeoff/`, { width: 390, height: 844 });
    assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
    await phone.$eval("#draw-one", (button) => button.click());
    await counts(phone, /^1 of/);
    await shoot(phone, "phone");
    const embedded = await open(`${server.address}/lessons/tree-tradeoff/?embed#scene=3`, { width: 720, height: 450 });
    assert.equal(await embedded.$eval("#top", (top) => getComputedStyle(top).display), "none");
    await shoot(embedded, "embed");
    // In a frame of another origin.
    server.outer = `<!doctype html><link rel="icon" href="data:,"><iframe src="${server.address}/lessons/tree-tradeoff/?embed" width="800" height="500"></iframe>`;
    const outer = await open(`${server.address.replace("127.0.0.1", "localhost")}/outer.html`, { settle: false });
    const inside = () => outer.frames().find((one) => one.url().includes("?embed"));
    for (let wait = 0; wait < 600; wait++) {
      const state = await inside()?.evaluate(() => document.documentElement.dataset.state).catch(() => null);
      if (state === "done") break;
      assert.ok(wait < 599, `the frame is ${state}`);
      await new Promise((done) => setTimeout(done, 100));
    }
    assert.ok(server.asked.every((name) => name.startsWith(PREFIX)), server.asked.join(" "));
  } finally {
    await server.close().catch(() => {});
  }
});

await test("a worker that fails is started again, and the page says so", async (open) => {
  const page = await open(local, {
    // Hands the workers to the test.
    before: () => {
      window.workers = [];
      window.Worker = class extends Worker {
        constructor(...given) {
          super(...given);
          window.workers.push(this);
        }
      };
    },
  });
  await page.evaluate(() => window.bvlab.ready);
  const had = await page.evaluate(() => window.workers.length);
  // In the midst of a long run.
  await page.evaluate(() => {
    location.hash = `${location.hash}&set=${encodeURIComponent("run.resamples=200000")}`;
  });
  await until(page, () => document.documentElement.dataset.state === "running");
  await page.evaluate(() => window.workers[1].postMessage({ do: "die" }));
  await until(page, () => /failed and was started again/.test(document.getElementById("notes").textContent));
  assert.ok((await page.evaluate(() => window.workers.length)) > had);
  await page.evaluate(() => {
    location.hash = location.hash.replace(/&set=[^&]*/, `&set=${encodeURIComponent("run.resamples=96")}`);
  });
  await counts(page, /^all 96/);
});

await browser.close();
console.log(`${count} tests in ${kind}, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
