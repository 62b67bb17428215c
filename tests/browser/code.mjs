// The lecturer's key and the class's code in a real browser: `node code.mjs URL OUTDIR` with the address
// that `bvlab lab --code='Room 42' --url http://192.168.1.5:7878` prints.
import assert from "node:assert/strict";
import path from "node:path";
import { openBrowser, settled } from "./browser.mjs";

const [, , address, out] = process.argv;
const [lab, key] = address.split("#lecturer=");
const browser = await openBrowser();
const visit = async (where) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(where);
  return page;
};
const limit = (page) => page.evaluate(async () => (await (await fetch("api/lab")).json()).error?.message ?? "open");

// The lecturer is let in, and the key is nowhere to be seen.
const lecturer = await visit(`${lab}#lesson=knn-tradeoff&lecturer=${key}`);
const keyed = [];
lecturer.on("request", (request) => keyed.push([request.url(), request.headers()["x-bvlab-key"] ?? null]));
await settled(lecturer);
assert.match(lecturer.url(), /lesson=knn-tradeoff/);
const hidden = async () => {
  assert.ok(!lecturer.url().includes(key), lecturer.url());
  assert.ok(!(await lecturer.content()).includes(key));
  assert.equal(await lecturer.locator("#dialog-code[open]").count(), 0);
};
await hidden();
await lecturer.keyboard.press("j");
await lecturer.waitForSelector("#dialog-join[open]");
assert.match(await lecturer.textContent("#dialog-join"), /http:\/\/192\.168\.1\.5:7878\/Code: ROOM42/);
await lecturer.screenshot({ path: path.join(out, "class-code.png") });
await lecturer.keyboard.press("Escape");
await lecturer.keyboard.press("e");
await lecturer.waitForSelector("#dialog-export[open]");
assert.ok(!(await lecturer.inputValue("#link")).includes(key));
await lecturer.keyboard.press("Escape");
await lecturer.goBack().catch(() => {});
assert.ok(!lecturer.url().includes(key));
await lecturer.goto(lab);
await settled(lecturer);
await hidden();
assert.ok(keyed.some(([url, sent]) => url.endsWith("/api/run") && sent === key));
assert.ok(keyed.every(([url]) => !url.includes(key)));

// A student is asked, and only until the code is right.
const student = await visit(`${lab}#lesson=tree-tradeoff`);
await student.waitForSelector("#dialog-code[open]");
assert.equal(await limit(student), "this lab has a code");
await student.keyboard.press("Escape");
assert.equal(await student.locator("#dialog-code[open]").count(), 1);
await student.fill("#code", "room 41");
await student.keyboard.press("Enter");
await student.waitForFunction(() => /wrong code/i.test(document.querySelector("#dialog-code .said").textContent));
await student.screenshot({ path: path.join(out, "code.png") });
await student.fill("#code", "room 42");
await student.click("#dialog-code button");
await settled(student);
assert.equal(await student.locator("#dialog-code[open]").count(), 0);
await student.reload();
await settled(student);
assert.equal(await student.locator("#dialog-code[open]").count(), 0);

// A key of another day is worth nothing, and the code still is.
const stale = await visit(`${lab}#lecturer=AAAAAAAAAAAAAAAAAAAAAA`);
await stale.waitForSelector("#dialog-code[open]");
await stale.fill("#code", "ROOM42");
await stale.keyboard.press("Enter");
await settled(stale);

await browser.close();
console.log("the key is hidden, and the code lets students in");
