// What the tests and measurements in both browsers share: Chromium or Firefox driven by puppeteer, pages
// that note every complaint, a small runner, and a server for files.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import puppeteer from "puppeteer-core";

const FILES = { chrome: process.env.BVLAB_CHROMIUM ?? "/usr/bin/chromium", firefox: process.env.BVLAB_FIREFOX ?? "/usr/bin/firefox-esr" };
const OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

export function launch(kind) {
  return puppeteer.launch({
    browser: kind,
    executablePath: FILES[kind],
    headless: true,
    args: kind === "chrome" ? OPTIONS : [],
  });
}

const PATIENCE = { timeout: Number(process.env.BVLAB_PATIENCE ?? 120_000) };
export const until = (page, act, ...more) => page.waitForFunction(act, PATIENCE, ...more);
export const settled = (page) =>
  until(page, () => document.documentElement.dataset.state === "done" && document.getElementById("count").textContent !== "");
export const counts = (page, pattern) =>
  until(page, (source) => new RegExp(source).test(document.getElementById("count").textContent), pattern.source);
export const notes = (page, pattern) =>
  until(page, (source) => new RegExp(source).test(document.getElementById("notes").textContent), pattern.source);
export const textOf = (page, selector) => page.$eval(selector, (one) => one.textContent);
export const scripted = (page, request) => page.evaluate((asked) => window.bvlab.run(asked), request);
export const engineOf = (page) => page.evaluate(() => window.bvlab.ready.then(() => window.bvlab.engine));
export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Waits for another run than the one that is shown, after `act`.
export async function anotherRun(page, act) {
  const before = await page.$eval("#picture-identity > svg", (svg) => svg.getAttribute("aria-label"));
  await act();
  await until(page, (old) => document.querySelector("#picture-identity > svg").getAttribute("aria-label") !== old, before);
  await settled(page);
}

// Sets a key of the experiment by the address, as a shared link does.
export const setKey = (page, set) =>
  page.evaluate((text) => {
    location.hash = `${location.hash.replace(/&set=[^&]*/g, "")}&set=${encodeURIComponent(text)}`;
  }, set);

// The processes that a browser has started, and itself, as Linux tells.
function processesOf(browser) {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    const fields = statOf(name);
    return fields ? [{ id: Number(name), parent: Number(fields[1]) }] : [];
  });
  const own = new Set([browser.process().pid]);
  for (let before = 0; before < own.size; ) {
    before = own.size;
    for (const { id, parent } of all) if (own.has(parent)) own.add(id);
  }
  return [...own];
}

// What follows the name of the program, which is in brackets and may contain anything.
function statOf(name) {
  try {
    return readFileSync(`/proc/${name}/stat`, "utf8").split(") ").pop().split(" ");
  } catch {
    return null;
  }
}

const secondsOf = (fields) => (fields ? (Number(fields[11]) + Number(fields[12])) / 100 : 0);

// Seconds that a browser has computed, with all processes that it started.
export function processorSeconds(browser) {
  return processesOf(browser).reduce((sum, id) => sum + secondsOf(statOf(id)), 0);
}

// The same by thread.
export function threadSeconds(browser) {
  const threads = processesOf(browser).flatMap((id) => {
    try {
      return readdirSync(`/proc/${id}/task`).map((thread) => `${id}/task/${thread}`);
    } catch {
      return [];
    }
  });
  return new Map(threads.map((thread) => [thread, secondsOf(statOf(thread))]));
}

// Runs tests one after the other, each on pages of its own; says which failed.
export class Runner {
  constructor(kind, browser, out) {
    Object.assign(this, { kind, browser, out, count: 0, failed: 0, only: process.env.BVLAB_BROWSER_TEST ?? "" });
  }

  // `expected`: complaints of the browser that belong to the test.
  async test(name, act, expected = null) {
    if (!name.includes(this.only)) return;
    this.count++;
    const [complaints, pages] = [[], []];
    const open = (address, options) => this.open(address, { complaints, pages, ...options });
    const began = Date.now();
    try {
      await act(open);
      const unexpected = complaints.filter((complaint) => !expected?.test(complaint));
      assert.deepEqual(unexpected, [], "the browser complained");
      console.log(`ok ${this.count} - ${this.kind}: ${name} (${Date.now() - began} ms)`);
    } catch (error) {
      this.failed++;
      console.log(`not ok ${this.count} - ${this.kind}: ${name}\n${error.stack}\n${complaints.join("\n")}`);
      const file = path.join(this.out, `failed-${this.kind}-${this.count}.png`);
      await pages.at(-1)?.screenshot({ path: file }).catch(() => {});
    } finally {
      for (const page of pages) await page.close().catch(() => {});
    }
  }

  async open(address, { complaints, pages, before = null, width = 1280, height = 720, settle = true }) {
    const page = await this.browser.newPage();
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
    // Whoever tests the page has been there before.
    await page.evaluateOnNewDocument(() => {
      try {
        localStorage.setItem("bvlab-tour", "seen");
      } catch {
        // A page that may not remember shows the first steps.
      }
    });
    if (before) await page.evaluateOnNewDocument(before);
    await page.goto(address);
    if (settle) {
      await settled(page);
      // The page writes its address a moment later.
      await until(page, () => /lesson=|toml=/.test(location.hash));
    }
    return page;
  }

  shoot(page, name) {
    return page.screenshot({ path: path.join(this.out, `live-${this.kind}-${name}.png`) });
  }

  async end() {
    await this.browser.close();
    console.log(`${this.count} tests in ${this.kind}, ${this.failed} failed`);
    process.exit(this.failed === 0 ? 0 : 1);
  }
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png" };

// A static server that knows nothing but the files of a folder, below a path; what it was asked for; and
// one page more, `outer.html`, whose text can be set.
export async function serveFolder(folder, prefix) {
  const [asked, served] = [[], { outer: "" }];
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://x").pathname);
    asked.push(name);
    try {
      if (!name.startsWith(`${prefix}/`)) throw new Error("outside");
      const inside = name.slice(prefix.length) + (name.endsWith("/") ? "index.html" : "");
      const bytes = inside === "/outer.html" ? served.outer : await readFile(path.join(folder, inside));
      response.writeHead(200, { "content-type": TYPES[path.extname(inside)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, done));
  const { port } = server.address();
  const close = () => new Promise((done) => {
    server.close(done);
    server.closeAllConnections();
  });
  return Object.assign(served, { port, address: `http://127.0.0.1:${port}${encodeURI(prefix)}`, asked, close });
}

// A page that has another in a frame.
export const framing = (address) =>
  `<!doctype html><link rel="icon" href="data:,"><iframe src="${address}" width="800" height="500"></iframe>`;

// Whether a page in a frame comes to its end within so many milliseconds.
export async function frameIsDone(outer, part, patience) {
  const end = Date.now() + patience;
  while (Date.now() < end) {
    const inside = outer.frames().find((one) => one.url().includes(part));
    const state = await inside?.evaluate(() => document.documentElement.dataset.state).catch(() => null);
    if (state === "done") return true;
    await pause(100);
  }
  return false;
}
