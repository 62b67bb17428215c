// What the browser tests share: a browser, pages that note every complaint, and a small runner.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { chromium } from "playwright-core";

const OPTIONS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// The browser that is named, or one that is installed.
function browserFile() {
  if (process.env.BVLAB_CHROMIUM) return process.env.BVLAB_CHROMIUM;
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const files = folders.flatMap((folder) => ["chromium", "chromium-browser"].map((name) => path.join(folder, name)));
  return files.find((file) => existsSync(file)) ?? assert.fail("there is no Chromium: name it in BVLAB_CHROMIUM");
}

export async function openBrowser() {
  return chromium.launch({ executablePath: browserFile(), args: OPTIONS });
}

// Runs tests one after the other, each on pages of its own; says which failed.
export class Suite {
  constructor(browser, out) {
    this.browser = browser;
    this.out = out;
    this.failed = 0;
    this.count = 0;
    this.only = process.env.BVLAB_BROWSER_TEST ?? "";
  }

  async test(name, act, options = {}) {
    if (!name.includes(this.only)) return;
    this.count++;
    const complaints = [];
    const contexts = [];
    const open = async (address, more = {}) => {
      const context = await this.browser.newContext({
        viewport: { width: 1280, height: 720 },
        locale: "en-US",
        colorScheme: "light",
        acceptDownloads: true,
        ...options,
        before: undefined,
        first: undefined,
        ...more,
      });
      contexts.push(context);
      // Whoever tests the page has been there before, but for the first visit.
      if (!options.first) await context.addInitScript(visited);
      if (options.before) await context.addInitScript(options.before);
      const page = await context.newPage();
      page.setDefaultTimeout(Number(process.env.BVLAB_PATIENCE ?? 30_000));
      listen(page, complaints, options.mistakes ?? false);
      await page.goto(address);
      await settled(page);
      return page;
    };
    const began = Date.now();
    try {
      await act(open);
      assert.deepEqual(complaints, [], "the browser complained");
      console.log(`ok ${this.count} - ${name} (${Date.now() - began} ms)`);
    } catch (error) {
      this.failed++;
      console.log(`not ok ${this.count} - ${name}\n${error.stack}\n${complaints.join("\n")}`);
      const last = contexts.at(-1)?.pages()[0];
      await last?.screenshot({ path: path.join(this.out, `failed-${this.count}.png`) }).catch(() => {});
    } finally {
      for (const context of contexts) await context.close();
    }
  }
}

function visited() {
  try {
    localStorage.setItem("bvlab-tour", "seen");
  } catch {
    // A page that may not remember shows the first steps.
  }
}

function listen(page, complaints, mistakes) {
  page.on("console", (message) => {
    // A wrong experiment is answered with 400, a busy lab with 503, which the browser itself notes.
    if (mistakes && /status of (400|503)/.test(message.text())) return;
    complaints.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.stack}`));
  page.on("requestfailed", (request) => {
    // The page gives up runs and figures that nobody waits for any more,
    // and leaves the stream of votes when it is left itself.
    if (/\/api\/(run|vote|export)$/.test(request.url()) && request.failure().errorText === "net::ERR_ABORTED") return;
    complaints.push(`failed request: ${request.url()} ${request.failure().errorText}`);
  });
}

// Waits until the run is complete and drawn.
export async function settled(page) {
  await page.waitForFunction(
    () => document.documentElement.dataset.state === "done" && document.getElementById("count").textContent !== "",
  );
  await drawn(page);
}

// Waits until what was asked for last is on the screen.
export async function drawn(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

// Waits until a run other than the one that is shown has come in, after `act`.
export async function afterRun(page, act) {
  const answered = page.waitForResponse((response) => response.url().endsWith("/api/run") && response.status() === 200);
  await act();
  await answered;
  await settled(page);
}

// Waits until a picture's words say so.
export async function says(page, name, pattern) {
  const wanted = { name, source: pattern.source };
  await page
    .waitForFunction(
      ({ name: one, source }) =>
        new RegExp(source).test(document.querySelector(`#picture-${one} > svg`).getAttribute("aria-label")),
      wanted,
    )
    .catch(async () => {
      assert.match(await words(page, name), pattern);
    });
}

export async function words(page, name) {
  return page.getAttribute(`#picture-${name} > svg`, "aria-label");
}

export async function count(page) {
  return page.textContent("#count");
}

export async function counts(page, pattern) {
  await page
    .waitForFunction((source) => new RegExp(source).test(document.getElementById("count").textContent), pattern.source)
    .catch(async () => {
      assert.match(await count(page), pattern);
    });
}

// Waits until the address bar says so.
export async function addressed(page, pattern) {
  await page
    .waitForFunction(
      (source) => new RegExp(source).test(decodeURIComponent(location.hash.replaceAll("+", " "))),
      pattern.source,
    )
    .catch(() => {
      assert.match(page.url(), pattern);
    });
}

// The pictures as they are drawn, to the last point.
export async function drawing(page) {
  await drawn(page);
  return page.evaluate(() => {
    // The order of attributes tells nothing.
    const write = (one) =>
      `<${one.nodeName} ${[...one.attributes]
        .map((it) => `${it.name}="${it.value}"`)
        .sort()
        .join(" ")}>${one.children.length > 0 ? [...one.children].map(write).join("") : one.textContent}`;
    return [...document.querySelectorAll("#pictures > .picture")].filter((one) => one.offsetParent !== null).map(write);
  });
}

// The pictures are long: only the first difference is said.
export function same(one, other) {
  assert.equal(one.length, other.length);
  one.forEach((text, i) => {
    if (text === other[i]) return;
    const place = [...text].findIndex((letter, at) => letter !== other[i][at]);
    assert.fail(
      `the pictures differ: …${text.slice(place - 60, place + 80)}… against …${other[i].slice(place - 60, place + 80)}…`,
    );
  });
}

// Saves what a click downloads; returns its bytes and its name.
export async function download(page, selector, out) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  const place = path.join(out, file.suggestedFilename());
  await file.saveAs(place);
  return { bytes: await readFile(place), name: file.suggestedFilename() };
}

// The size of a PNG, from its head.
export function pngSize(bytes) {
  assert.equal(bytes.subarray(1, 4).toString("latin1"), "PNG");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}
