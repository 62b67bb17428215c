// The class answers: `node answers.mjs URL OUTDIR` with the address that `bvlab lab` prints, for a lecturer and
// students, or with that of a page in one file (knn-fits), for one person. Writes pictures to OUTDIR.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Suite, afterRun, download, drawn, openBrowser, settled } from "./browser.mjs";

const [, , address, out] = process.argv;
const [lab, key] = address.split("#");
const at = (hash) => (key ? `${lab}#${hash}&${key}` : `${lab}#${hash}`);
// The server computes, so that the numbers of all pages are those of one run.
const student = (hash = "") => `${lab}?engine=server#${hash}`;
await mkdir(out, { recursive: true });
const browser = await openBrowser();
const suite = new Suite(browser, out);
const shoot = async (page, name) => {
  await drawn(page);
  await page.screenshot({ path: path.join(out, `answers-${name}.png`) });
};
const axe = await readFile(fileURLToPath(new URL("node_modules/axe-core/axe.min.js", import.meta.url)), "utf8");
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

async function faults(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
  );
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target} ${node.html.slice(0, 120)}`));
}

const said = (page) => page.textContent("#ballot-said");
async function says(page, pattern) {
  await page
    .waitForFunction((source) => new RegExp(source).test(document.getElementById("ballot-said").textContent), pattern.source)
    .catch(async () => assert.match(await said(page), pattern));
}
async function chosen(page) {
  await drawn(page);
  return page.evaluate(() => [...document.querySelectorAll("#ballot [role=radio]")].findIndex((one) => one.getAttribute("aria-checked") === "true"));
}
// How many answered what, by round, as the rows say it.
const counted = (page) =>
  page.evaluate(() => [...document.querySelectorAll("#ballot li")].map((row) => [...row.querySelectorAll("progress")].map((bar) => bar.value)));

// The lecturer's buttons take no second press at once.
const rested = (page) => page.waitForTimeout(800);

const seen = (page) => page.evaluate(() => location.hash);
async function until(page, pattern) {
  await page.waitForFunction((source) => new RegExp(source).test(location.hash), pattern.source).catch(async () => assert.match(await seen(page), pattern));
}
// Waits until the line above the page says so.
async function bar(page, words) {
  await page
    .waitForFunction((wanted) => document.getElementById("following").textContent.includes(wanted), words)
    .catch(async () => assert.equal(await page.textContent("#following"), words));
}

async function alone(open, address) {
  const page = await open(address);
  await page.waitForSelector("#ballot [role=radio]");
  assert.equal(await page.locator("#open-vote").count(), 0);
  await page.focus("#ballot [role=radio][tabindex='0']");
  await page.keyboard.press("ArrowDown");
  assert.equal(await chosen(page), 1);
  await says(page, /change your answer/);
  assert.deepEqual(await faults(page), []);
  await page.keyboard.press("a");
  await says(page, /^Your answer is right\. 1 of 1 right so far/);
  assert.match(await page.textContent("#ballot li.right"), /k = 1, and I would not use it.*right.*your answer/);
  assert.deepEqual(await faults(page), []);
  // What was seen is not answered anew.
  await page.keyboard.press("q");
  await page.locator("#ballot [data-option='3']").click();
  await page.keyboard.press("a");
  await says(page, /1 of 1 right so far/);
}

async function ended() {
  await browser.close();
  console.log(`${suite.count} tests, ${suite.failed} failed`);
  process.exit(suite.failed === 0 ? 0 : 1);
}

if (!address.startsWith("http")) {
  await suite.test("a page in one file has the question, and its own tally", (open) => alone(open, at("step=question")));
  await ended();
}

await suite.test("whoever is alone answers, and keeps a tally", (open) => alone(open, at("lesson=knn-fits&step=question")));

await suite.test("a class votes twice on choices, by keyboard and by touch", async (open) => {
  const lecturer = await open(at("lesson=knn-fits&step=question"));
  const first = await open(student());
  const second = await open(student(), PHONE);
  await lecturer.waitForSelector("#open-vote");
  await says(lecturer, /Pages connected: 2/);
  await lecturer.click("#open-vote");
  for (const page of [first, second]) {
    // The question comes to them.
    await page.waitForSelector("#ballot [role=radio]");
    await settled(page);
    await says(page, /Choose an answer/);
    assert.match(page.url(), /lesson=knn-fits/);
  }
  assert.ok(!(await first.textContent("#ballot")).includes("✓"));
  await first.focus("#ballot [role=radio][tabindex='0']");
  const marker = await first.evaluate(() => location.hash);
  for (const name of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"]) await first.keyboard.press(name);
  assert.equal(await chosen(first), 2);
  assert.equal(await first.evaluate(() => location.hash), marker, "the marker stays");
  await second.tap("#ballot [data-option='1']");
  for (const page of [first, second]) await says(page, /Your answer counts/);
  await says(lecturer, /Answers: 2/);
  assert.deepEqual(await counted(lecturer), [[], [], [], []], "only how many have answered");
  for (const page of [lecturer, first, second]) assert.deepEqual(await faults(page), []);
  await shoot(lecturer, "open");
  await shoot(first, "student");
  await shoot(second, "phone");
  // The answer belongs to the browser, not to the page.
  await first.reload();
  await settled(first);
  await first.waitForFunction(() => document.querySelector("#ballot [aria-checked='true']")?.dataset.option === "2");
  // Another button comes to where the first was: the second press is not for it.
  await lecturer.dblclick("#close-vote");
  await says(first, /Voting is closed/);
  await first.locator("#ballot [data-option='0']").click({ force: true });
  assert.equal(await chosen(first), 2, "too late");
  await lecturer.waitForSelector("#ballot progress");
  assert.deepEqual(await counted(lecturer), [[0], [1], [1], [0]]);
  assert.equal(await lecturer.locator("#ballot li.right").count(), 0);
  await shoot(lecturer, "closed");
  await rested(lecturer);
  await says(lecturer, /Voting is closed/);
  await lecturer.dblclick("#second-round");
  await says(first, /Second round/);
  assert.equal(await chosen(first), -1);
  await first.locator("#ballot [data-option='1']").click();
  await says(first, /Your answer counts/);
  await says(lecturer, /Answers: 1/);
  // Until the lecturer reveals it, the answer is in no page of a student.
  const told = async (page) =>
    page.evaluate(async () => {
      const texts = await Promise.all(["api/lab", "api/lessons"].map(async (file) => (await fetch(file)).text()));
      return [document.documentElement.innerHTML, ...texts].some((text) => /training error is exactly zero, because/.test(text));
    });
  assert.equal(await told(first), false);
  await rested(lecturer);
  await lecturer.keyboard.press("PageDown");
  await lecturer.waitForSelector("#reveal-vote");
  await rested(lecturer);
  await lecturer.click("#reveal-vote");
  for (const page of [first, second]) {
    await page.waitForSelector("#strip .answer");
    assert.match(await page.textContent("#strip .answer"), /training error is exactly zero, because.* risk is 0\.\d/);
    assert.match(await page.textContent("#ballot li.right"), /✓ right/);
    assert.deepEqual(await faults(page), []);
  }
  assert.match(await first.textContent("#ballot li.right"), /your answer/);
  await lecturer.waitForSelector("#ballot li.right");
  assert.deepEqual(await counted(lecturer), [[0, 0], [1, 1], [1, 0], [0, 0]]);
  await says(lecturer, /first round 50 % right of 2, second round 100 % right of 1/);
  assert.deepEqual(await faults(lecturer), []);
  await shoot(lecturer, "revealed");
  await shoot(second, "phone-revealed");
  const { bytes, name } = await download(lecturer, "#save-counts", out);
  assert.equal(name, "answers.csv");
  const lines = bytes.toString().trim().split("\n");
  assert.equal(lines.length, 1 + 2 * 4);
  assert.match(lines[6], /^1,knn-fits,2,2,.*,1,1$/);
});

await suite.test("a class guesses on the axis, and the guesses are marks on the curve", async (open) => {
  const lecturer = await open(at("lesson=tree-tradeoff&step=question&theme=dark"));
  const pages = [await open(student()), await open(student("theme=dark"), PHONE)];
  await says(lecturer, /Pages connected: 2/);
  await lecturer.click("#open-vote");
  for (const [i, page] of pages.entries()) {
    await page.waitForSelector("#guess:not(:disabled)");
    await settled(page);
    await page.focus("#guess");
    await page.keyboard.press("Home");
    for (let step = 0; step < 2 + 3 * i; step++) await page.keyboard.press("ArrowRight");
    assert.equal(await page.getAttribute("#guess", "aria-valuetext"), `depth = ${3 + 3 * i}`);
    await page.click("#send-guess");
    await says(page, /Your answer counts/);
    assert.deepEqual(await faults(page), []);
  }
  await shoot(pages[0], "guess-student");
  await shoot(pages[1], "guess-phone-dark");
  await says(lecturer, /Answers: 2/);
  await lecturer.click("#close-vote");
  await lecturer.waitForFunction(() => document.querySelectorAll("#guess-strip .guess").length === 2);
  assert.equal(await lecturer.locator("#picture-tradeoff .guess").count(), 0);
  await shoot(lecturer, "guess-closed");
  await lecturer.keyboard.press("a");
  await lecturer.waitForFunction(() => document.querySelectorAll("#picture-tradeoff .guess").length === 2);
  assert.deepEqual(await faults(lecturer), []);
  // The best is the program's, and the marks are where the guesses were.
  const { best, marks, curve } = await lecturer.evaluate(async () => {
    const key = localStorage.getItem("bvlab-key");
    const headers = { "content-type": "application/json", "x-bvlab-key": key };
    const text = await (await fetch("api/run", { method: "POST", headers, body: JSON.stringify({ lesson: "tree-tradeoff" }) })).text();
    const found = text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line)).find((one) => one.is === "best");
    const places = (selector) => [...document.querySelectorAll(selector)].map((one) => Number(one.getAttribute("cx")));
    return {
      best: found.learners[0],
      marks: places("#picture-tradeoff .guess"),
      curve: [...document.querySelector("#picture-tradeoff .curve.risk").getAttribute("d").matchAll(/[ML]([0-9.]+)/g)].map((one) => Number(one[1])),
    };
  });
  const label = await lecturer.getAttribute("#guess-strip svg", "aria-label");
  const right = [...new Set([best.setting, ...best.tied])].sort((a, b) => a - b).map((setting) => `depth = ${setting + 1}`);
  assert.ok(label.endsWith(`Best: ${right.join(", ")}.`), `${label}; ${right}`);
  marks.forEach((mark, i) => assert.ok(Math.abs(mark - curve[[2, 5][i]]) < 0.2, `${marks} on ${curve}`));
  await shoot(lecturer, "guess-revealed-dark");
  for (const page of pages) await page.waitForSelector("#strip .answer");
  await pages[0].waitForFunction(() => document.querySelectorAll("#picture-tradeoff .guess").length === 2);
  await shoot(pages[1], "guess-phone-revealed");
});

await suite.test("the clicker and the presenter's window lead a vote", async (open) => {
  const lecturer = await open(at("lesson=three-fits&step=question"));
  const page = await open(student("lesson=tree-fits"));
  await says(lecturer, /Pages connected: 1/);
  const [notes] = await Promise.all([lecturer.context().waitForEvent("page"), lecturer.keyboard.press("k")]);
  await notes.click("#open-vote");
  await page.waitForSelector("#ballot [role=radio]");
  // Answers that come in take nothing away: neither buttons nor their focus.
  await notes.waitForSelector("#close-vote");
  await notes.evaluate(() => {
    for (const one of document.querySelectorAll("button")) one.dataset.kept = "yes";
    document.getElementById("close-vote").focus();
  });
  await page.locator("#ballot [data-option='1']").click();
  await notes.waitForFunction(() => /Answers: 1/.test(document.getElementById("vote").textContent));
  const kept = await notes.evaluate(() => [document.querySelectorAll("button:not([data-kept])").length, document.activeElement.id]);
  assert.deepEqual(kept, [0, "close-vote"]);
  await rested(lecturer);
  // Nor does anything else, while a button is pressed.
  await notes.hover("#on");
  await notes.mouse.down();
  await lecturer.keyboard.press("PageDown");
  await says(page, /Voting is closed/);
  assert.match(lecturer.url(), /step=question/, "the first press closes the vote");
  await drawn(lecturer);
  await notes.mouse.up();
  await lecturer.waitForSelector("#strip .question");
  await notes.waitForFunction(() => /variance: degree 12: 1/.test(document.getElementById("vote").textContent));
  await shoot(notes, "presenter");
  await notes.close();
  for (let press = 0; press < 2; press++) {
    await lecturer.keyboard.press("PageDown");
    await drawn(lecturer);
  }
  await lecturer.waitForSelector("#strip .answer");
  await page.waitForSelector("#strip .answer");
});

await suite.test("a guess is not revealed before its best value is known", async (open) => {
  // Not the lesson as it opens: its run is another one.
  const lesson = "lesson=gaussian-ridge-tradeoff&step=question";
  const lecturer = await open(at(`${lesson}&set=run.seed%3D2`));
  const page = await open(student());
  await says(lecturer, /Pages connected: 1/);
  await lecturer.click("#open-vote");
  await page.waitForSelector("#guess:not(:disabled)");
  await settled(page);
  await page.focus("#guess");
  await page.keyboard.press("Home");
  await page.click("#send-guess");
  await says(lecturer, /Answers: 1/);
  await rested(lecturer);
  await lecturer.click("#close-vote");
  await lecturer.waitForSelector("#reveal-vote");
  await rested(lecturer);
  await lecturer.click("#reveal-vote");
  await says(lecturer, /^The best value is not known yet/);
  await rested(page);
  await says(page, /Voting is closed/);
  await shoot(lecturer, "too-early");
  await afterRun(lecturer, () =>
    lecturer.evaluate((hash) => {
      location.hash = `#${hash}`;
    }, lesson),
  );
  await says(lecturer, /Voting is closed/);
  await lecturer.click("#reveal-vote");
  for (const one of [lecturer, page]) await says(one, /% right of 1/);
  assert.match(await page.getAttribute("#guess-strip svg", "aria-label"), /Best: .*= .*\./);
});

await suite.test("a vote leaves those who follow, and one page of the lecturer leads", async (open) => {
  const lecturer = await open(at("lesson=knn-fits&step=question"));
  const page = await open(student());
  await says(lecturer, /Pages connected: 1/);
  await lecturer.click("#open-vote");
  await page.waitForSelector("#ballot [role=radio]");
  await lecturer.keyboard.press("s");
  await bar(page, "Following the lecturer");
  // Who comes while voting is open follows, too.
  const late = await open(student());
  await late.waitForSelector("#ballot [role=radio]");
  await bar(late, "Following the lecturer");
  // Another window of the lecturer's leads nobody.
  const other = await open(at("lesson=three-fits&step=question"));
  await says(other, /Pages connected: 2/);
  assert.equal(await other.locator("#following").isVisible(), false);
  // The answer stays where it was revealed.
  await rested(lecturer);
  await lecturer.keyboard.press("a");
  for (const one of [page, late]) await one.waitForSelector("#strip .answer");
  await lecturer.keyboard.press("3");
  for (const one of [page, late]) {
    await until(one, /scene=3/);
    assert.equal(await one.locator("#strip .answer").count(), 1);
    assert.match(await seen(one), /lesson=knn-fits/);
  }
  await lecturer.click("#change-following");
  for (const one of [page, late]) await one.waitForSelector("#following", { state: "hidden" });
  // States that were made before that change nothing.
  await rested(lecturer);
  assert.equal(await lecturer.locator("#following").isVisible(), false);
  assert.equal(await page.locator("#following").isVisible(), false);
  await lecturer.keyboard.press("s");
  for (const one of [page, late]) await bar(one, "Following the lecturer");
  await lecturer.click("#change-following");
  for (const one of [page, late]) await one.waitForSelector("#following", { state: "hidden" });
});

await suite.test("the class follows the lecturer's page until it goes a way of its own", async (open) => {
  const lecturer = await open(at("lesson=tree-tradeoff"));
  const [page, phone, busy] = [await open(student()), await open(student(), PHONE), await open(student("lesson=knn-fits"))];
  await busy.click("#draw-all");
  await busy.keyboard.press("ArrowRight");
  await lecturer.keyboard.press("s");
  await bar(lecturer, "The class follows this page");
  for (const one of [page, phone]) {
    await until(one, /lesson=tree-tradeoff/);
    await bar(one, "Following the lecturer");
  }
  // Whoever has changed something is asked.
  await busy.waitForSelector("#following:not([hidden])");
  await bar(busy, "Exploring on your own");
  assert.match(await seen(busy), /lesson=knn-fits/);
  // Another scene, a setting, a changed number and few training sets arrive.
  await lecturer.keyboard.press("3");
  await lecturer.keyboard.press("ArrowRight");
  await until(lecturer, /scene=3.*at=/);
  await lecturer.evaluate(() => {
    location.hash = `${location.hash}&set=problem.train%3D20`;
  });
  await settled(lecturer);
  await lecturer.keyboard.press("Home");
  for (const one of [page, phone]) {
    await until(one, /set=problem.train%3D20.*scene=3.*drawn=/);
    await settled(one);
    const [theirs, ours] = [new URLSearchParams((await seen(lecturer)).slice(1)), new URLSearchParams((await seen(one)).slice(1))];
    for (const key of ["lesson", "set", "scene", "at", "drawn"]) assert.equal(ours.get(key), theirs.get(key), key);
    assert.deepEqual(await faults(one), []);
  }
  assert.deepEqual(await faults(lecturer), []);
  await shoot(lecturer, "leading");
  await shoot(phone, "following-phone");
  // A touch ends it; one press takes it up again.
  await page.keyboard.press("1");
  await bar(page, "Exploring on your own");
  await lecturer.keyboard.press("2");
  await until(phone, /scene=2/);
  assert.doesNotMatch(await seen(page), /scene=/);
  await page.click("#change-following");
  await until(page, /scene=2/);
  // A page that was reloaded leads on, and a vote does not end it.
  await lecturer.reload();
  await settled(lecturer);
  await lecturer.waitForSelector("#following:not([hidden])");
  await lecturer.keyboard.press("q");
  await lecturer.click("#open-vote");
  await page.waitForSelector("#guess:not(:disabled)");
  await bar(page, "Following the lecturer");
  await lecturer.click("#change-following");
  await page.waitForSelector("#following", { state: "hidden" });
});

await ended();
