// Every lesson that is no simulation moves: `node everything.mjs ADDRESS OUTDIR`. On each page another seed is
// written into the controls, after which the picture is another one and the exported table is that of
// BVLAB_PROGRAM. (Simulations are in simulations.mjs.)
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Suite, afterRun, download, drawn, openBrowser, settled } from "./browser.mjs";

const [, , address, out] = process.argv;
await mkdir(out, { recursive: true });
const program = process.env.BVLAB_PROGRAM;
const folder = await mkdtemp(path.join(tmpdir(), "bvlab-"));
const browser = await openBrowser();
const suite = new Suite(browser, out);
const at = (query) => `${address}&${query}`;

// Few, so that all of it takes a minute: what is tested is that it moves, and to what.
const SETS = ["run.resamples=16"];

// What the program writes for a lesson with these keys.
async function written(lesson, sets) {
  const keys = sets.flatMap((set) => ["--set", set]);
  execFileSync(program, ["run", lesson, ...keys, "--set", "figure=[]", "--quiet", "--out", folder], { stdio: "ignore" });
  return readFile(path.join(folder, lesson, "curves.csv"), "utf8");
}

async function exported(page) {
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("e");
  await page.waitForSelector("#dialog-export[open]");
  const { bytes } = await download(page, "#export-csv", out);
  await page.keyboard.press("Escape");
  return bytes.toString();
}

// All that is drawn: the pictures of the page, or a figure.
const picture = (page) =>
  page.evaluate(() => document.getElementById("figure-image")?.src ?? document.getElementById("pictures").innerHTML);

await suite.test("every lesson moves, to the numbers of the program", async (open) => {
  const page = await open(at("lesson=tree-tradeoff"));
  const lessons = await page.evaluate(async () => {
    const key = localStorage.getItem("bvlab-key");
    const lab = await (await fetch("api/lab", { headers: { "x-bvlab-key": key } })).json();
    return lab.lessons.filter((one) => !one.pictured?.startsWith("A simulation")).map((one) => one.name);
  });
  assert.ok(lessons.length >= 60, `${lessons.length}`);
  for (const lesson of lessons) {
    const query = [...SETS.map((set) => `set=${encodeURIComponent(set)}`), "panel=controls"].join("&");
    await page.goto(at(`lesson=${lesson}&${query}`));
    await page.reload();
    await settled(page);
    const all = page.locator("#all-controls");
    if ((await all.count()) > 0) await all.click();
    const before = await picture(page);
    await page.waitForSelector("#control-seed").catch(() => assert.fail(`${lesson} has no seed`));
    await page.fill("#control-seed", "8");
    await afterRun(page, () => page.press("#control-seed", "Enter"));
    await page.waitForFunction(
      (old) => (document.getElementById("figure-image")?.src ?? document.getElementById("pictures").innerHTML) !== old,
      before,
    );
    // What is exported is what is drawn.
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("End");
    await drawn(page);
    const [ours, theirs] = [await exported(page), await written(lesson, [...SETS, "run.seed=8"])];
    assert.ok(ours === theirs, `${lesson}: ${ours.slice(0, 400)} … ${theirs.slice(0, 400)}`);
  }
});

await browser.close();
await rm(folder, { recursive: true });
console.log(`${suite.count} tests, ${suite.failed} failed`);
process.exit(suite.failed === 0 ? 0 : 1);
