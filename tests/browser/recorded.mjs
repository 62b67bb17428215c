// A page in one file that cannot compute: `node recorded.mjs FILE.html OUTDIR`. The file is opened from
// the disk, in a browser without WebAssembly.
import assert from "node:assert/strict";
import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Suite, addressed, counts, count, download, drawing, drawn, openBrowser, pngSize, same, says, words } from "./browser.mjs";

const [, , file, out] = process.argv;
const address = pathToFileURL(path.resolve(file)).href;
await mkdir(out, { recursive: true });
const browser = await openBrowser();
const suite = new Suite(browser, out);
const shoot = (page, name) => page.screenshot({ path: path.join(out, `recorded-${name}.png`) });

const incapable = {
  before: () => {
    delete window.WebAssembly;
  },
};

// Nothing may be asked of anyone.
function forbid(page) {
  const asked = [];
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) asked.push(request.url());
  });
  return asked;
}

await suite.test("the record shows its run at once, and asks nobody", async (open) => {
  const page = await open(address);
  const asked = forbid(page);
  await page.reload();
  await counts(page, /^all /);
  assert.match(await words(page, "identity"), /noise \+ bias² \+ variance = risk|median risk/);
  for (const id of ["open-lessons", "open-controls", "open-join", "tab-6"])
    assert.equal(await page.locator(`#${id}`).isVisible(), false, id);
  await shoot(page, "lab");
  for (const key of ["2", "3", "4", "v", "1", "c", "m", "6"]) {
    await page.keyboard.press(key);
    await drawn(page);
  }
  assert.equal(await page.locator("#controls").isVisible(), false);
  assert.equal(await page.locator("dialog[open]").count(), 0);
  assert.deepEqual(asked, []);
  assert.ok((await stat(file)).size < 5_000_000, "at most a few MB");
}, incapable);

await suite.test("draw, play, drag, look at a point", async (open) => {
  const page = await open(address);
  await page.keyboard.press("Space");
  await counts(page, /^1 of/);
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  await page.keyboard.press("p");
  await counts(page, /^(9|[1-9][0-9]+) of/);
  await page.keyboard.press("End");
  await counts(page, /^all/);
  const swept = await page.locator("#setting-0").count();
  if (swept > 0) {
    const before = await words(page, "identity");
    await page.keyboard.press("Home");
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(
      (old) => document.querySelector("#picture-identity > svg").getAttribute("aria-label") !== old,
      before,
    );
  }
  const box = await page.locator("#picture-fits").boundingBox();
  await page.mouse.click(box.x + box.width * 0.4, box.y + box.height * 0.5);
  await says(page, "point", /Predictions at/);
  await shoot(page, "point");
}, incapable);

await suite.test("a link within the file restores the scene", async (open) => {
  const page = await open(address);
  for (const key of ["4", ".", "ArrowRight", "d", "r", "Space", "Space", "Space", "Space", "Space"]) {
    await page.keyboard.press(key);
    await drawn(page);
  }
  await addressed(page, /drawn=5/);
  const other = await open(page.url());
  same(await drawing(other), await drawing(page));
  assert.equal(await count(other), await count(page));
}, incapable);

await suite.test("exports without a server", async (open) => {
  const page = await open(address);
  await page.keyboard.press("e");
  await page.waitForSelector("#dialog-export[open]");
  assert.match((await download(page, "#export-csv", out)).bytes.toString(), /^[^\n]*risk_se/);
  assert.match((await download(page, "#export-toml", out)).bytes.toString(), /\[problem\]/);
  assert.match((await download(page, "#export-scene-svg", out)).bytes.toString(), /^<svg/);
  assert.ok(pngSize((await download(page, "#export-scene-png", out)).bytes)[0] > 2000);
  assert.equal(await page.locator("#export-png").count(), 0);
}, incapable);

await suite.test("on a phone", async (open) => {
  const page = await open(address, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  await page.tap("#draw-one");
  await counts(page, /^1 of/);
  await shoot(page, "phone");
}, incapable);

await browser.close();
console.log(`${suite.count} tests, ${suite.failed} failed`);
process.exit(suite.failed === 0 ? 0 : 1);
