// Whoever cannot see, hear or point, and whoever zooms: `node access.mjs URL OUTDIR` with the address that
// `bvlab lab` prints. axe-core looks for what is against WCAG; the rest is measured. Writes pictures to OUTDIR.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Suite, counts, drawn, openBrowser, says, settled } from "./browser.mjs";

const [, , address, out] = process.argv;
const [lab, key] = address.split("#");
const at = (hash) => `${lab}#${hash === "" ? "" : `${hash}&`}${key}`;
await mkdir(out, { recursive: true });
const browser = await openBrowser();
const suite = new Suite(browser, out);
const shoot = (page, name) => page.screenshot({ path: path.join(out, `access-${name}.png`) });
const axe = await readFile(fileURLToPath(new URL("node_modules/axe-core/axe.min.js", import.meta.url)), "utf8");

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

// What axe-core finds, by rule and place.
async function faults(page) {
  // By the browser's own protocol, which the page's policy does not concern.
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
  );
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target} ${node.html.slice(0, 120)}`));
}

for (const [name, hash, options] of [
  ["first view", "", {}],
  ["first view, dark", "theme=dark", {}],
  ["a phone", "", PHONE],
  ["a phone with a question", "step=question", PHONE],
  ["two learners and an answer", "lesson=bagging-tradeoff&scene=3&step=answer&look=on", {}],
  ["side by side", "lesson=bagging-tradeoff&scene=7&hide=none", {}],
  ["side by side on a phone, dark", "lesson=dartboards&scene=7&theme=dark", PHONE],
  ["one point", "scene=4", {}],
  ["controls", "panel=controls", {}],
  ["TOML", "panel=source", {}],
  ["numbers", "panel=numbers", {}],
  ["help", "panel=help", {}],
  ["export", "panel=export", {}],
  ["lessons", "panel=lessons", {}],
  ["a figure", "lesson=majority-vote", {}],
])
  await suite.test(`axe: ${name}`, async (open) => {
    const page = await open(at(hash), options);
    assert.deepEqual(await faults(page), []);
  });

await suite.test("axe: menus, and the page in German", async (open) => {
  const page = await open(`${lab}?lang=de#${key}`);
  assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
  await page.click("#open-more");
  assert.deepEqual(await faults(page), []);
  await page.click("#open-views");
  assert.deepEqual(await faults(page), []);
  // Every word of the frame is German.
  const english = await page.evaluate(() =>
    [...document.querySelectorAll("#top button, #player button")].map((one) => one.textContent.trim()).filter((text) => /\b(Question|More|Help|Play|Draw|All|Controls|Numbers|Fits|Figure)\b/.test(text)),
  );
  assert.deepEqual(english, []);
  await counts(page, /^alle 1000 Trainingsmengen gezogen/);
  assert.match(await page.textContent("#picture-tradeoff"), /Varianz.*Rauschen|Rauschen.*Varianz/);
  await shoot(page, "german");
});

// Zooms as a browser does: the same dots, twice as large.
async function zoom(page, width, height) {
  const session = await page.context().newCDPSession(page);
  const set = (factor) =>
    session.send("Emulation.setDeviceMetricsOverride", { width: width / factor, height: height / factor, deviceScaleFactor: factor, mobile: false });
  await set(1);
  await page.waitForFunction((wanted) => innerWidth === wanted, width);
  await drawn(page);
  const before = await page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  await set(2);
  await page.waitForFunction((wanted) => innerWidth === wanted, width / 2);
  await drawn(page);
  await drawn(page);
  const after = await page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  // Playwright's own picture would take the zoom back.
  const { data } = await session.send("Page.captureScreenshot", { format: "png" });
  await writeFile(path.join(out, `access-zoom-${width}.png`), Buffer.from(data, "base64"));
  return (2 * after) / before;
}

for (const [width, height] of [[1280, 720], [1920, 1080]])
  await suite.test(`a zoom of 200 % makes text twice as large at ${width} × ${height}`, async (open) => {
    const page = await open(at(""), { viewport: { width, height } });
    assert.ok(Math.abs((await zoom(page, width, height)) - 2) < 0.01);
    // Everything can be reached by scrolling in one direction.
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
    const beyond = await page.evaluate(() =>
      [...document.querySelectorAll("button, select, input, h1, output, .picture")]
        .filter((one) => one.getClientRects().length > 0)
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
        .map((one) => one.id),
    );
    assert.deepEqual(beyond, []);
    await page.click("#open-more");
    await page.click("#open-controls");
    await page.locator("#save-toml").scrollIntoViewIfNeeded();
    assert.ok(await page.locator("#save-toml").isVisible());
  });

await suite.test("the largest text on a key loses nothing", async (open) => {
  const page = await open(at("size=2"));
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  for (const id of ["title", "open-more", "play", "setting-0"]) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    assert.ok(await page.locator(`#${id}`).isVisible(), id);
  }
  await shoot(page, "largest");
});

// Where the things are that must not move.
const places = (page) =>
  page.evaluate(() => {
    const placeOf = (one) => {
      const box = one.getBoundingClientRect();
      return [box.left, box.top, box.width, box.height].map(Math.round).join();
    };
    const frames = [...document.querySelectorAll("#picture-fits .frame, #picture-tradeoff .frame")].slice(0, 2).map(placeOf);
    const chrome = ["play", "draw-one", "setting-0", "pictures", "count"].map((id) => placeOf(document.getElementById(id)));
    const order = [...document.querySelectorAll("#picture-tradeoff .label")].map((one) => one.textContent).join();
    return { frames, chrome, order };
  });

await suite.test("nothing jumps while training sets come in", async (open) => {
  const page = await open(at("speed=32&drawn=6"));
  const before = await places(page);
  await page.keyboard.press("p");
  for (let i = 0; i < 12; i++) {
    await page.waitForTimeout(60);
    assert.deepEqual(await places(page), before);
  }
  await counts(page, /^all/);
  await drawn(page);
  assert.deepEqual(await places(page), before);
});

await suite.test("a bar is shown while it computes, and steps aside", async (open) => {
  const page = await open(at(""));
  assert.equal(await page.locator("#busy").isVisible(), false);
  const before = await page.locator("#pictures").boundingBox();
  await page.route("**/api/run", async (route) => {
    await new Promise((done) => setTimeout(done, 1500));
    await route.continue();
  });
  await page.evaluate(() => {
    location.hash = `${location.hash}&set=${encodeURIComponent("run.seed=3")}`;
  });
  await page.waitForSelector("#busy", { state: "visible" });
  assert.deepEqual(await page.locator("#pictures").boundingBox(), before, "nothing moves");
  await settled(page);
  await page.waitForSelector("#busy", { state: "hidden" });
});

await suite.test("a full tree goes through its points, in upright steps", async (open) => {
  const page = await open(at("scene=2&at=16&drawn=1"));
  const { missed, sloped } = await page.evaluate(() => {
    const numbers = (text) => text.match(/-?[0-9.]+/g).map(Number);
    const line = document.querySelector("#picture-fits .curve.variance.newest").getAttribute("d");
    const corners = line.match(/[ML][^ML]+/g).map(numbers);
    const dots = document.querySelector("#picture-fits .data").getAttribute("d").match(/M[^h]+/g).map(numbers);
    const near = ([x, y]) =>
      corners.some(([x1, y1], i) => {
        const [x2, y2] = corners[i + 1] ?? [x1, y1];
        return Math.min(x1, x2) - 0.2 <= x && x <= Math.max(x1, x2) + 0.2 && Math.min(y1, y2) - 0.2 <= y && y <= Math.max(y1, y2) + 0.2;
      });
    return {
      missed: dots.filter((dot) => !near(dot)).length,
      sloped: corners.filter(([x, y], i) => i > 0 && x !== corners[i - 1][0] && y !== corners[i - 1][1]).length,
    };
  });
  assert.deepEqual({ missed, sloped }, { missed: 0, sloped: 0 });
});

await suite.test("the setting before the last change stays as a ghost, and no learner is dropped", async (open) => {
  const page = await open(at("panel=controls"));
  assert.equal(await page.locator(".ghost").count(), 0);
  await page.locator("#control-train-slider").evaluate((slider) => {
    slider.value = "17";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await page.waitForSelector("#picture-tradeoff .ghost.risk", { state: "attached" });
  await settled(page);
  assert.match(await page.textContent("#picture-tradeoff"), /thin: before the last change/);
  await shoot(page, "ghost");
  // A learner that sweeps something else is a level at its best.
  const toml =
    'title = "Both"\n[problem]\ntruth = "sin(x)"\ninputs = { uniform = [0, 15] }\nnoise = { normal = 0.5 }\ntrain = 100\n[sweep]\ndepth = "1..8"\n[[learner]]\ntree = {}\n[[learner]]\nknn = {}\nsweep = { k = "1..20" }\n[run]\nresamples = 60\n[[figure]]\ntradeoff = {}\n';
  const other = await open(at(`toml=${encodeURIComponent(toml)}&scene=3&overlay=on`));
  assert.match(await other.textContent("#picture-tradeoff"), /knn, best k \d+/);
  assert.match(await other.textContent("#picture-tradeoff"), /sweeps another parameter/);
  await shoot(other, "overlay");
  await other.keyboard.press("l");
  await drawn(other);
  assert.match(await other.textContent("#picture-tradeoff"), /tree, best depth \d+/);
  await says(other, "tradeoff", /of knn over k/);
});

await suite.test("a phone: boards of use, a figure that can be read, a question with a way back", async (open) => {
  const boards = await open(at("lesson=dartboards&scene=4&board=on"), PHONE);
  const radii = await boards.locator("#picture-board .board").evaluateAll((all) => all.map((one) => Number(one.getAttribute("r"))));
  assert.ok(Math.max(...radii) >= 55, `${radii}`);
  await shoot(boards, "boards");
  const question = await open(at("step=question"), PHONE);
  await question.tap("#leave-question");
  await question.waitForSelector("#card", { state: "hidden" });
  const figure = await open(at("lesson=tree-tradeoff&scene=6"), PHONE);
  await figure.waitForFunction(() => document.getElementById("figure-image")?.naturalWidth > 0);
  const { width, natural } = await figure.evaluate(() => {
    const image = document.getElementById("figure-image");
    return { width: image.getBoundingClientRect().width, natural: [image.naturalWidth, image.naturalHeight] };
  });
  // Numbers of axes are 24 units high.
  assert.ok((24 * width) / natural[0] >= 11, `${width} of ${natural}`);
  await shoot(figure, "figure");
});

await browser.close();
console.log(`${suite.count} tests, ${suite.failed} failed`);
process.exit(suite.failed === 0 ? 0 : 1);
