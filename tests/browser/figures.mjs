// A page in one file that shows figures alone and cannot compute: `node figures.mjs FILE.html OUTDIR`.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Suite, count, download, drawn, openBrowser } from "./browser.mjs";

const [, , file, out] = process.argv;
const address = pathToFileURL(path.resolve(file)).href;
await mkdir(out, { recursive: true });
const browser = await openBrowser();
const suite = new Suite(browser, out);
const incapable = {
  before: () => {
    delete window.WebAssembly;
  },
};

await suite.test("the record shows its figures, and says why nothing moves", async (open) => {
  const page = await open(address);
  await page.waitForFunction(() => document.getElementById("figure-image")?.naturalWidth > 0);
  assert.match(await count(page), /^all \d+ training sets drawn$/);
  assert.match(await page.textContent("#settings"), /the page shows the figures/);
  for (const key of ["1", "5", "Space", "c", "m"]) {
    await page.keyboard.press(key);
    await drawn(page);
  }
  assert.equal(await page.getAttribute("#tab-6", "aria-selected"), "true");
  assert.equal(await page.locator("#tab-5").isVisible(), false);
  await page.screenshot({ path: path.join(out, "recorded-figures.png") });
  await page.keyboard.press("e");
  assert.match((await download(page, "#export-svg", out)).bytes.toString(), /^<svg/);
  assert.match((await download(page, "#export-csv", out)).bytes.toString(), /^[^\n]*risk_se/);
  assert.equal(await page.locator("#export-png, #export-scene-svg").count(), 0);
}, incapable);

await browser.close();
console.log(`${suite.count} tests, ${suite.failed} failed`);
process.exit(suite.failed === 0 ? 0 : 1);
