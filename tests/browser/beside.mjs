// Learners side by side, and all in one panel: `node beside.mjs URL TABLES OUTDIR` with the address that
// `bvlab lab FILE` prints, where FILE is a lesson of four learners that opens side by side with five training sets,
// and a folder of results of `bvlab run` with as many training sets as FEW says, to compare with.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { Suite, addressed, count, counts, drawing, drawn, openBrowser, same, says, settled, words } from "./browser.mjs";

const [, , address, tables, out] = process.argv;
const [lab, key] = address.split("#");
const at = (hash, search = "") => `${lab}${search}#${hash}&${key}`;
await mkdir(out, { recursive: true });
const browser = await openBrowser();
const suite = new Suite(browser, out);
const shoot = (page, name) => page.screenshot({ path: path.join(out, `beside-${name}.png`) });

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const FEW = `set=${encodeURIComponent("run.resamples=96")}`;
const beside = (lesson, more = "") => at(`lesson=${lesson}&scene=7&hide=none&${FEW}${more}`);

// The rows of a table of the program, by name of column.
async function curves(lesson) {
  const lines = (await readFile(path.join(tables, lesson, "curves.csv"), "utf8")).trim().split("\n");
  const cells = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell.replace(/^"|"$/g, "").replaceAll('""', '"'));
  const names = cells(lines[0]);
  return lines.slice(1).map((line) => Object.fromEntries(cells(line).map((cell, i) => [names[i], cell])));
}

// What every column shows: whose it is, its setting, and the numbers of its sum.
const columns = (page) =>
  page.locator(".column:visible > svg").evaluateAll((all) =>
    all.map((svg) => {
      const texts = [...svg.children].filter((one) => one.nodeName === "text").map((one) => one.textContent);
      const heading = [...svg.children].filter((one) => one.classList.contains("heading")).map((one) => one.textContent);
      const setting = svg.querySelector(".curves > text.heading")?.textContent ?? null;
      const after = (word) => texts[texts.indexOf(word) + 1];
      const sum = Object.fromEntries(["noise", "bias²", "variance", "risk", "measured"].map((word) => [word, after(word)]));
      return { name: heading.join(" "), setting, sum, fits: svg.querySelectorAll(".fits .curve.variance").length };
    }),
  );

const COLUMNS = { noise: "noise", "bias²": "bias2", variance: "variance", risk: "risk", measured: "test_risk" };

// The row of a column: of its learner, and of the setting that its marker names.
function rowOf(rows, { name, setting }) {
  const own = rows.filter((row) => row.learner === name);
  if (setting === null) return own[0];
  const [, axis, value] = /^(\S+) = (.+)$/.exec(setting);
  assert.equal(own[0].axis, axis);
  return own.reduce((best, row) => (Math.abs(row.value - value) < Math.abs(best.value - value) ? row : best));
}

async function agree(page, lesson) {
  const rows = await curves(lesson);
  const shown = await columns(page);
  for (const one of shown) {
    const row = rowOf(rows, one);
    assert.ok(row, `${lesson}: no row of ${one.name}`);
    assert.equal(row.resamples, "96");
    for (const [word, column] of Object.entries(COLUMNS)) {
      const text = one.sum[word].replace("−", "-");
      assert.match(text, /^-?[0-9.]+$/, `${lesson}, ${one.name}: ${word} is “${text}”`);
      const decimals = text.split(".")[1]?.length ?? 0;
      assert.equal(Number(text), Number(Number(row[column]).toFixed(decimals)), `${lesson}, ${one.name}, ${one.setting}: ${word}`);
    }
  }
  return shown;
}

await suite.test("every column has the numbers of the program, at every setting", async (open) => {
  const page = await open(beside("bagging-tradeoff"));
  const first = await agree(page, "bagging-tradeoff");
  assert.deepEqual(first.map(({ name, setting }) => [name, setting?.split(" =")[0]]), [["tree", "depth"], ["bagged trees", "depth"]]);
  const seen = new Set();
  for (let i = 0; i < 4; i++) {
    await page.keyboard.press("ArrowLeft");
    await drawn(page);
    seen.add((await agree(page, "bagging-tradeoff"))[0].setting);
  }
  assert.equal(seen.size, 4, [...seen].join());
  await shoot(page, "bagging");
  const boards = await open(beside("dartboards"));
  assert.equal((await agree(boards, "dartboards")).length, 4);
  assert.equal(await boards.locator(".column .curves").count(), 0, "nothing is swept");
  await shoot(boards, "dartboards");
});

await suite.test("beyond four learners it says so, and one that is chosen takes the last place", async (open) => {
  const page = await open(beside("degrees-of-freedom"));
  const names = async () => (await agree(page, "degrees-of-freedom")).map(({ name }) => name);
  assert.deepEqual(await names(), ["knn", "kernel", "ridge", "polynomial"]);
  assert.match(await page.textContent("#picture-key"), /4 of 5 learners/);
  await page.click("#learners [data-learner='4']");
  await drawn(page);
  assert.deepEqual(await names(), ["knn", "kernel", "ridge", "tree"]);
  await shoot(page, "five");
});

await suite.test("one play head draws in all columns", async (open) => {
  const page = await open(beside("bagging-tradeoff", "&drawn=2"));
  const fits = async () => (await columns(page)).map((one) => one.fits);
  assert.deepEqual(await fits(), [2, 2]);
  await page.keyboard.press(" ");
  await counts(page, /^3 of/);
  await drawn(page);
  assert.deepEqual(await fits(), [3, 3]);
  assert.match(await page.textContent("#picture-column-1"), /error bars need 1 more training set/);
  await page.keyboard.press("p");
  await counts(page, /^[5-9] of/);
  await page.keyboard.press("p");
  await drawn(page);
  const now = Number.parseInt(await count(page), 10);
  assert.deepEqual(await fits(), [now, now]);
  // The sums of so few, as of the first of a longer run.
  assert.match((await columns(page))[1].sum.risk, /^0\.[0-9]+$/);
});

await suite.test("each column has its own marker: by mouse, by keys, shared, undone", async (open) => {
  const page = await open(beside("bagging-tradeoff", "&at=5&at1=5"));
  const settings = async () => (await columns(page)).map((one) => one.setting);
  assert.deepEqual(await settings(), ["depth = 5", "depth = 5"]);
  const box = await page.locator("#picture-column-1 .grip").boundingBox();
  const axis = await page.locator("#picture-column-1 .curves .marker").boundingBox();
  await page.mouse.move(axis.x, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await drawn(page);
  assert.deepEqual(await settings(), ["depth = 5", "depth = 12"]);
  assert.equal(await page.getAttribute("#learners [data-learner='1']", "aria-checked"), "true", "what is dragged is chosen");
  await says(page, "column-1", /^Fits along x of bagged trees at depth = 12.*bagged trees, depth = 12: noise \+ bias² \+ variance = risk/);
  await agree(page, "bagging-tradeoff");
  await page.keyboard.press("ArrowLeft");
  await drawn(page);
  assert.deepEqual(await settings(), ["depth = 5", "depth = 11"]);
  // A click on another column gives it the keys.
  const fits = await page.locator("#picture-column-0 .fits").boundingBox();
  await page.mouse.click(fits.x + fits.width / 2, fits.y + fits.height / 2);
  await page.keyboard.press("ArrowRight");
  await drawn(page);
  assert.deepEqual(await settings(), ["depth = 6", "depth = 11"]);
  assert.equal(await page.locator("#picture-column-0 .heading.chosen").count(), 1);
  await addressed(page, /scene=7.*at=6&at1=11|at=6&at1=11.*scene=7/);
  const again = await open(page.url().replace("#", `#${key}&`));
  same(await drawing(again), await drawing(page));
  await page.keyboard.press("Control+z");
  await drawn(page);
  assert.deepEqual(await settings(), ["depth = 5", "depth = 11"]);
});

await suite.test("it is in the menu and on a key, can be undone, and is not where there is one learner", async (open) => {
  const page = await open(at("lesson=bagging-tradeoff"));
  const scene = () => page.getAttribute("#pictures", "data-scene");
  const pressable = () => page.locator("button:visible, select:visible, input:visible").evaluateAll((all) => all.map((one) => one.id || one.textContent).sort());
  const before = await pressable();
  await page.keyboard.press("7");
  await drawn(page);
  assert.equal(await scene(), "7");
  assert.equal(await page.locator(".column:visible").count(), 1, "the lesson hides the other learner");
  await page.click("#show-hidden");
  await drawn(page);
  assert.equal(await page.locator(".column:visible").count(), 2);
  const now = (await pressable()).filter((one) => !["undo", "redo"].includes(one));
  assert.deepEqual(now.filter((one) => !before.includes(one)), [], "nothing more to press than in the lab");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await drawn(page);
  assert.equal(await scene(), "1");
  await page.keyboard.press("Control+Shift+z");
  await drawn(page);
  assert.equal(await scene(), "7");
  await page.keyboard.press("1");
  await page.click("#open-views");
  await page.click("#tab-7");
  await drawn(page);
  assert.equal(await scene(), "7");
  assert.equal(await page.textContent("#view-name"), "Side by side");
  // A lesson with one learner, by link and by menu.
  const single = await open(at("lesson=tree-tradeoff&scene=7"));
  assert.equal(await single.getAttribute("#pictures", "data-scene"), "1");
  await single.click("#open-views");
  assert.equal(await single.locator("#tab-7").isVisible(), false);
});

await suite.test("columns share their axes", async (open) => {
  const page = await open(beside("degrees-of-freedom"));
  const axes = await page.locator(".column:visible > svg").evaluateAll((all) =>
    all.map((svg) => {
      const numbers = (part) => [...svg.querySelectorAll(`${part} > .number[text-anchor=end]`)].map((one) => [one.textContent, one.getAttribute("x"), one.getAttribute("y")].join());
      const noise = svg.querySelector(".curves .curve.noise").getAttribute("d").match(/^M[0-9.]+ ([0-9.]+)/)[1];
      return JSON.stringify([numbers(".fits"), numbers(".curves"), noise]);
    }),
  );
  assert.equal(axes.length, 4);
  assert.equal(new Set(axes).size, 1, axes.join("\n"));
  assert.match(axes[0], /0\.5/);
  // The bars, too: the noise is the same in all experiments with these labels.
  const bars = await page.locator(".column:visible .fill.noise").evaluateAll((all) => all.map((one) => Number(one.getAttribute("width"))));
  assert.ok(bars.length === 8 && bars[0] > 5 && bars.every((one) => Math.abs(one - bars[0]) < 0.1), bars.join());
});

await suite.test("without inputs on a line there are no fits; what is hidden stays hidden", async (open) => {
  const page = await open(at(`lesson=descent-bound&scene=7&${FEW}`));
  assert.equal(await page.locator(".column:visible").count(), 3);
  assert.equal(await page.locator(".column .fits").count(), 0);
  assert.equal(await page.locator(".column .curves .marker").count(), 3);
  const hidden = await open(at(`lesson=bagging-tradeoff&scene=7&hide=variance,truth&${FEW}`));
  assert.equal(await hidden.locator(".column .curves .variance, .column .truth").count(), 0);
  assert.match(await hidden.textContent("#picture-column-0"), /what do you expect\?/);
  assert.doesNotMatch(await words(hidden, "column-0"), /risk 0\./);
});

await suite.test("on a phone one column is below the other, and fingers drag", async (open) => {
  const page = await open(beside("bagging-tradeoff"), PHONE);
  const boxes = await page.locator(".column:visible").evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ left, top, width, height }) => ({ left, top, width, height })));
  assert.ok(boxes[1].top >= boxes[0].top + boxes[0].height && boxes[0].left === boxes[1].left);
  assert.ok(boxes.every(({ width, height }) => width > 340 && height > 550), JSON.stringify(boxes));
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  await page.locator("#picture-column-0 .grip").scrollIntoViewIfNeeded();
  const marker = await page.locator("#picture-column-0 .curves .marker").boundingBox();
  const before = (await columns(page))[0].setting;
  await page.touchscreen.tap(marker.x > 200 ? 90 : 280, marker.y + marker.height / 2);
  await drawn(page);
  assert.notEqual((await columns(page))[0].setting, before);
  await agree(page, "bagging-tradeoff");
  await shoot(page, "phone");
  for (const size of [{ width: 844, height: 390 }, { width: 640, height: 360 }]) {
    await page.setViewportSize(size);
    await drawn(page);
    await drawn(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  }
});

await suite.test("a lesson opens side by side if its table says so; in German", async (open) => {
  const page = await open(`${lab}?lang=de#${key}`);
  assert.equal(await page.locator(".column:visible").count(), 4);
  await counts(page, /^5 von/);
  assert.equal(await page.textContent("#view-name"), "Nebeneinander");
  assert.match(await page.textContent("#picture-column-0"), /Rauschen.*Varianz.*Risiko.*gemessen/);
  await shoot(page, "german");
});

await suite.test("all in one panel: everybody is there, in words, too", async (open) => {
  const page = await open(at(`lesson=degrees-of-freedom&scene=3&overlay=on&${FEW}`));
  const texts = await page.locator("#picture-tradeoff .label").allTextContents();
  const rows = await curves("degrees-of-freedom");
  const aloud = await words(page, "tradeoff");
  for (const [name, parameter] of [["kernel", "bandwidth"], ["ridge", "lambda"], ["polynomial", "degree"], ["tree", "depth"]]) {
    assert.ok(texts.some((text) => text.startsWith(`${name}, best ${parameter}`)), `${name}: ${texts}`);
    const lowest = Math.min(...rows.filter((row) => row.learner === name).map((row) => Number(row.risk)));
    const said = new RegExp(`${name} sweeps ${parameter} instead, a level at its best: risk ([0-9.]+)`).exec(aloud)[1];
    assert.equal(Number(said), Number(lowest.toFixed(said.split(".")[1].length)), name);
  }
  assert.match(aloud, /on the axis of knn over k/);
  // Everybody's number can be the axis.
  await page.keyboard.press("l");
  await says(page, "tradeoff", /on the axis of kernel over bandwidth.*knn sweeps k instead/);
  assert.match((await page.locator("#picture-tradeoff .label").allTextContents()).join(), /knn, best k/);
  await shoot(page, "overlay");
  // One number with other values: all of them have room.
  const toml =
    'title = "Both"\n[problem]\ntruth = "sin(x)"\ninputs = { uniform = [0, 15] }\nnoise = { normal = 0.5 }\ntrain = 100\n[[learner]]\nname = "few"\ntree = {}\nsweep = { depth = "1..4" }\n[[learner]]\nname = "many"\ntree = {}\nsweep = { depth = "3..12" }\n[run]\nresamples = 60\n[[figure]]\ntradeoff = {}\n';
  const other = await open(at(`toml=${encodeURIComponent(toml)}&scene=3&overlay=on`));
  const ends = await other.locator("#picture-tradeoff svg .curve[stroke]").evaluateAll((all) => all.map((one) => one.getAttribute("d").match(/[0-9.]+(?= )/g).map(Number)));
  const frame = await other.locator("#picture-tradeoff .frame").nth(1).evaluate((one) => Number(one.getAttribute("x2")));
  assert.equal(ends.length, 2);
  assert.ok(ends[1].at(-1) > ends[0].at(-1) + 100 && ends[1].at(-1) <= frame, `${ends} in ${frame}`);
});

await browser.close();
console.log(`${suite.count} tests, ${suite.failed} failed`);
process.exit(suite.failed === 0 ? 0 : 1);
