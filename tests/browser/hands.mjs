// Hands on the data in a real browser: `node hands.mjs URL OUTDIR`.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Suite, afterRun, drawn, openBrowser, settled, words } from "./browser.mjs";

const [, , address, out] = process.argv;
const [lab, key] = address.split("#");
const at = (hash) => `${lab}#${hash}&${key}`;
const browser = await openBrowser();
const suite = new Suite(browser, out);
const axe = await readFile(fileURLToPath(new URL("node_modules/axe-core/axe.min.js", import.meta.url)), "utf8");

const numbers = (one) => new Float32Array(Uint8Array.from(Buffer.from(one.f4, "base64")).buffer);

// What `act` asks for, and the answer to it. (Chromium hands over no body that a page reads as a blob.)
async function refit(page, act) {
  let heard = null;
  const told = new Promise((done) => {
    heard = done;
  });
  await page.route("**/api/export", async (route) => {
    const response = await route.fetch();
    const body = await response.body();
    await route.fulfill({ response, body });
    const draw = JSON.parse(body.toString());
    const { data } = route.request().postDataJSON();
    heard({ data, risk: numbers(draw.risk[0]), train: numbers(draw.train[0]), fits: numbers(draw.fits[0]) });
  });
  await act();
  const answer = await told;
  await page.unroute("**/api/export");
  await drawn(page);
  return answer;
}

// The page writes its address a moment after a change, and would write over one that is set before.
const addressWritten = (page) => page.waitForTimeout(400);

const value = (page, id) => page.inputValue(`#${id}`).then(Number);
const fit = (page) => page.getAttribute("#picture-fits .curve.newest", "d");

await suite.test("a point is dragged, one is added and one removed, and the fit follows", async (open) => {
  const page = await open(at("lesson=knn-one-neighbour"));
  await page.click("#open-more");
  const first = await refit(page, () => page.click("#open-hands"));
  assert.equal(first.data.x.length, 20);
  // One neighbour: the fit goes through every point.
  assert.equal(first.train[0], 0);
  assert.match(await words(page, "fits"), /Your 20 points and the fit of .*: training error 0, risk 0\.\d+/);
  // The chosen point, by the ring around it.
  const box = await page.locator("#picture-fits .ring").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const before = await fit(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  const moved = await refit(page, () => page.mouse.move(x + 30, y - 40));
  await page.mouse.up();
  assert.notEqual(await fit(page), before);
  const changed = moved.data.y.filter((one, i) => one !== first.data.y[i]);
  assert.equal(changed.length, 1);
  assert.ok(moved.fits.includes(Math.fround(changed[0])), "the nearest test points have its label");
  await page.screenshot({ path: path.join(out, "hands.png") });
  // By keyboard, to an exact number.
  const typed = await refit(page, async () => {
    await page.fill("#hands-y", "1.25");
    await page.keyboard.press("Enter");
  });
  assert.ok(typed.data.y.includes(1.25) && typed.fits.includes(1.25));
  assert.equal(await value(page, "hands-y"), 1.25);
  // Where there is no point one is added.
  const picture = await page.locator("#picture-fits").boundingBox();
  const added = await refit(page, () => page.mouse.click(picture.x + picture.width / 2, picture.y + 0.85 * picture.height));
  assert.equal(added.data.x.length, 21);
  const fewer = await refit(page, () => page.click("#hands-remove"));
  assert.deepEqual(fewer.data, typed.data);
  const again = await refit(page, () => page.click("#hands-drawn"));
  assert.deepEqual(again.data, first.data);
  // What is on the screen is an experiment again.
  await page.click("#hands-done");
  await drawn(page);
  assert.match(await words(page, "fits"), /refit/);
});

await suite.test("the marker chooses among the fits to the points, and controls keep them", async (open) => {
  const page = await open(at("lesson=tree-tradeoff"));
  const first = await refit(page, () => page.keyboard.press("g"));
  const before = await fit(page);
  await page.keyboard.press("ArrowRight");
  await drawn(page);
  assert.notEqual(await fit(page), before);
  await addressWritten(page);
  // Another noise: the same points.
  const other = await refit(page, () =>
    page.evaluate(() => {
      location.hash = `${location.hash}&set=problem.noise%3D%7B%20normal%20%3D%201%20%7D`;
    }),
  );
  await settled(page);
  assert.deepEqual(other.data, first.data);
  // Another lesson: the points are gone.
  await page.evaluate(() => {
    location.hash = "#lesson=bagging-tradeoff";
  });
  await page.waitForSelector("#hands", { state: "hidden" });
});

await suite.test("the fits to the points of one run are not drawn into another", async (open) => {
  const page = await open(at("lesson=tree-tradeoff"));
  // Answers wait until they are let go.
  const held = [];
  const come = async (count) => {
    for (let tries = 0; held.length < count && tries < 200; tries++) await page.waitForTimeout(50);
    assert.equal(held.length, count);
  };
  await page.route("**/api/export", (route) => {
    if (route.request().postDataJSON().what === "refit") held.push(route);
    else route.continue();
  });
  await page.keyboard.press("g");
  await come(1);
  await addressWritten(page);
  await afterRun(page, () =>
    page.evaluate(() => {
      location.hash = `${location.hash}&set=problem.noise%3D%7B%20normal%20%3D%201%20%7D`;
    }),
  );
  await held[0].continue();
  // The first answer is here, and the fits to the same points are asked for anew.
  await come(2);
  await drawn(page);
  assert.equal(await page.locator("#picture-fits .curve.newest").count(), 0);
  await held[1].continue();
  await page.waitForSelector("#picture-fits .curve.newest", { state: "attached" });
  assert.deepEqual(held[1].request().postDataJSON().set, ["problem.noise={ normal = 1 }"]);
});

await suite.test("a tree is walked through split by split, and neighbours are joined to their mean", async (open) => {
  const page = await open(at("lesson=tree-tradeoff&scene=2&at=1"));
  await refit(page, () => page.keyboard.press("g"));
  const splits = async () => /splits: (\d+), of which new at depth = \d+: (\d+)/.exec(await words(page, "fits")).slice(1).map(Number);
  assert.deepEqual(await splits(), [1, 1]);
  let before = 1;
  for (const depth of [2, 3]) {
    await page.keyboard.press("ArrowRight");
    await drawn(page);
    const [all, fresh] = await splits();
    assert.ok(all <= 2 ** depth - 1 && fresh === all - before, `${all} splits at depth ${depth}, ${fresh} new`);
    assert.equal(await page.locator("#picture-fits .mark").count(), all);
    assert.equal(await page.locator("#picture-fits .mark.fresh").count(), fresh);
    before = all;
  }
  await page.screenshot({ path: path.join(out, "hands-tree.png") });
  const knn = await open(at("lesson=knn-fits&at=8"));
  const { data } = await refit(knn, () => knn.keyboard.press("g"));
  const [, k, x, mean] = /mean of the (\d+) nearest labels at x = (\S+): (\S+)\./.exec(await words(knn, "fits"));
  const order = data.x.map((_, i) => i).sort((a, b) => Math.abs(data.x[a] - x) - Math.abs(data.x[b] - x)).slice(0, Number(k));
  const own = order.reduce((sum, i) => sum + data.y[i], 0) / order.length;
  assert.ok(Math.abs(own - Number(mean.replace("−", "-"))) < 0.006, `${mean}, ${own}`);
  assert.equal(await knn.locator("#picture-fits .leader").count(), Number(k));
  await knn.screenshot({ path: path.join(out, "hands-neighbours.png") });
});

await suite.test("it can be used with a phone, in the dark and without a pointer, and axe finds nothing", async (open) => {
  const page = await open(at("lesson=tree-tradeoff&theme=dark"), { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await refit(page, () => page.evaluate(() => document.getElementById("open-hands").click()));
  await page.screenshot({ path: path.join(out, "hands-phone.png") });
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]), []);
  const taken = await refit(page, async () => {
    await page.fill("#hands-point", "3");
    await page.keyboard.press("Enter");
    await page.fill("#hands-x", "7.5");
    await page.keyboard.press("Enter");
  });
  assert.equal(taken.data.x[2], 7.5);
});

await browser.close();
console.log(`${suite.count} tests, ${suite.failed} failed`);
process.exit(suite.failed === 0 ? 0 : 1);
