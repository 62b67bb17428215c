// Classes over two inputs in a real browser: `node classes.mjs URL OUTDIR TABLES`, where TABLES/LOSS/moons-zero-one has
// what `bvlab run` wrote under a loss, from 120 training sets.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { Suite, addressed, afterRun, count, counts, drawn, openBrowser, says, settled, words } from "./browser.mjs";

const [, , address, tables, out] = process.argv;
const [lab, key] = address.split("#");
const at = (hash) => `${lab}#${hash}&${key}`;
await mkdir(out, { recursive: true });
const browser = await openBrowser();
const suite = new Suite(browser, out);
const shoot = (page, name) => page.screenshot({ path: path.join(out, `${name}.png`) });

const MOONS = "lesson=moons-zero-one&set=run.resamples%3D120&drawn=all&hide=none";
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

// A table of the program, as columns of numbers.
async function written(loss) {
  const text = await readFile(path.join(tables, loss, "moons-zero-one", "curves.csv"), "utf8");
  const [head, ...rows] = text.trim().split("\n").map((line) => line.split(","));
  return (name) => rows.map((row) => Number(row[head.indexOf(name)]));
}

// The numbers that the page shows are those of the program's table, rounded.
async function compareNumbers(page, loss) {
  const column = await written(loss);
  await page.keyboard.press("n");
  await page.waitForSelector("#dialog-numbers[open] tbody tr");
  const heads = await page.locator("#dialog-numbers thead th").allTextContents();
  assert.equal(heads[2], "bias");
  const rows = await page.locator("#dialog-numbers tbody tr").all();
  const all = ["noise", "bias2", "variance", "risk", "test_risk", "train_risk"].map((name) => [name, column(name)]);
  assert.equal(rows.length, all[0][1].length);
  for (const [i, row] of rows.entries()) {
    const cells = await row.locator("td").allTextContents();
    all.forEach(([name, values], at) => {
      const shown = cells[at].split(/ ± | \+| \(/)[0].replace("−", "-");
      // Powers of ten stand for what is next to nothing.
      if (/10[⁻⁰¹²³⁴-⁹]/u.test(shown)) {
        assert.ok(Math.abs(values[i]) < 1e-5, `${name} of row ${i}: ${cells[at]}`);
        return;
      }
      const decimals = shown.split(".")[1]?.length ?? 0;
      assert.equal(Number(shown), Number(values[i].toFixed(decimals)) + 0, `${name} of row ${i}: ${cells[at]}`);
    });
  }
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector("dialog[open]") === null);
}

const newest = (page) => page.locator("#picture-fits .curve.variance.newest").getAttribute("d");
const vote = (page) => page.locator("#picture-fits .curve.bias.bold").getAttribute("d");

await suite.test("the marker is dragged and the boundaries follow, with the numbers of the program", async (open) => {
  const page = await open(at(`${MOONS}&scene=1&at=1`));
  assert.match(await words(page, "fits"), /2 classes by knn at k = 1: Bayes’ rule, 16 refits and the vote of 120 training sets, which chooses another class than Bayes’ rule at [\d.]+ %/);
  assert.equal(await page.locator("#picture-fits .curve.variance").count(), 16);
  assert.match(await page.textContent("#picture-tradeoff"), /share of errors/);
  assert.match(await words(page, "identity"), /noise \+ bias \+ variance = risk/);
  await shoot(page, "classes-lab");
  let requests = 0;
  page.on("request", () => requests++);
  const before = { newest: await newest(page), vote: await vote(page), regions: await page.locator("#picture-fits .region").count() };
  assert.ok(before.regions >= 4);
  const box = await page.locator("#picture-tradeoff .handle").first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 70);
  await page.mouse.down();
  await page.mouse.move(box.x + 250, box.y + 70, { steps: 6 });
  await drawn(page);
  assert.notEqual(await newest(page), before.newest);
  assert.notEqual(await vote(page), before.vote);
  await page.mouse.up();
  assert.match(await words(page, "fits"), /at k = (?!1:)/);
  assert.equal(requests, 0, "a request while dragging");
  await compareNumbers(page, "zero-one");
});

await suite.test("training sets stream in one by one, with estimates from the fourth on", async (open) => {
  const page = await open(at(`${MOONS}&scene=2&at=9`));
  await page.keyboard.press("r");
  await counts(page, /^0 of 120/);
  assert.match(await words(page, "fits"), /nothing drawn yet; Bayes’ rule alone/);
  await page.keyboard.press("Space");
  await counts(page, /^1 of 120/);
  assert.equal(await page.locator("#picture-fits .curve.variance").count(), 1);
  const points = await page.locator("#picture-fits .case").evaluateAll((all) => all.map((one) => one.getAttribute("d").split("M").length - 1));
  assert.equal(points.reduce((sum, one) => sum + one, 0), 100, "every training point is drawn");
  for (let i = 0; i < 4; i++) await page.keyboard.press("Space");
  await counts(page, /^5 of 120/);
  await says(page, "fits", /5 refits and the vote of 5 training sets/);
  await says(page, "identity", /from 5 training sets/);
  await shoot(page, "classes-five");
});

await suite.test("a point of the plane is a cloud of probabilities", async (open) => {
  const page = await open(at(`${MOONS}&scene=2&at=9`));
  const svg = await page.locator("#picture-fits svg").first().boundingBox();
  await page.mouse.click(svg.x + svg.width * 0.5, svg.y + svg.height * 0.5);
  await drawn(page);
  assert.equal(await page.getAttribute("#tab-4", "aria-selected"), "true");
  assert.equal(await page.locator("#picture-point .dart").count(), 16);
  const told = await words(page, "point");
  assert.match(told, /truth 0\.\d{3}, arithmetic mean [01]\.\d{3}, geometric mean [01]\.\d{3} of 16 refits; vote of all [01]\.\d{3}/);
  const [noise, bias, variance, risk] = /Noise (\S+) \+ bias (\S+) \+ variance (\S+) = risk (\S+),/.exec(told).slice(1).map((text) => Number(text.replace("−", "-")));
  assert.ok(Math.abs(noise + bias + variance - risk) < 1e-3, told);
  // The arithmetic mean is that of the darts, which lie on a scale from 0 to 1.
  const places = await page.locator("#picture-point .dart").evaluateAll((all) => all.map((one) => Number(one.getAttribute("cx"))));
  const ends = await page.locator("#picture-point .frame").first().evaluate((one) => [Number(one.getAttribute("x1")), Number(one.getAttribute("x2"))]);
  const mean = places.reduce((sum, one) => sum + (one - ends[0]) / (ends[1] - ends[0]) / places.length, 0);
  assert.ok(Math.abs(mean - Number(/arithmetic mean ([\d.]+)/.exec(told)[1])) < 2e-3, `${mean}: ${told}`);
  await shoot(page, "classes-cloud");
  await page.keyboard.press(".");
  await drawn(page);
  assert.notEqual(await words(page, "point"), told, "the next point");
  assert.equal(await page.locator("#toggle-board").count(), 0);
});

await suite.test("loss and split are switched on the page", async (open) => {
  const page = await open(at(`${MOONS}&scene=1&at=9&panel=controls`));
  assert.equal(await page.inputValue("#control-loss"), "zero-one");
  assert.equal(await page.inputValue("#control-classes"), "moons");
  await afterRun(page, () => page.selectOption("#control-split", "effects"));
  await addressed(page, /run\.split/);
  await says(page, "identity", /noise \+ bias \+ variance = risk/);
  await page.keyboard.press("Control+z");
  await settled(page);
  await afterRun(page, () => page.selectOption("#control-loss", "cross-entropy"));
  await says(page, "fits", /and the geometric mean of 120 training sets/);
  assert.match(await page.textContent("#picture-tradeoff"), /cross-entropy/);
  assert.equal(await page.locator("#control-split").isDisabled(), true);
  await page.locator("#stage").focus();
  await compareNumbers(page, "cross-entropy");
  await page.keyboard.press("c");
  await afterRun(page, () => page.selectOption("#control-loss", "squared"));
  await says(page, "identity", /noise \+ bias² \+ variance = risk/);
});

await suite.test("three classes, other learners", async (open) => {
  const page = await open(at(`${MOONS}&scene=2&panel=controls`));
  await afterRun(page, () => page.selectOption("#control-classes", "three Gaussians"));
  await says(page, "fits", /of 3 classes/);
  assert.match(await page.textContent("#picture-fits"), /○ class 0.*● class 1.*▲ class 2/);
  const families = await page.locator("#control-learner-0 option").allTextContents();
  for (const family of ["logistic", "discriminant", "tree", "forest", "adaboost"]) assert.ok(families.includes(family), family);
  assert.ok(!families.includes("polynomial"), families.join());
  await afterRun(page, () => page.selectOption("#control-learner-0", "logistic"));
  await says(page, "fits", /by logistic/);
  await page.keyboard.press("Escape");
  await page.locator("#stage").focus();
  await page.keyboard.press("4");
  await drawn(page);
  assert.match(await words(page, "point"), /of the probabilities of the classes, truth \([\d., ]+\)/);
  assert.equal(await page.locator("#picture-point .outline").count(), 1);
  await shoot(page, "classes-three");
});

await suite.test("lessons begin on the plane, in the dark and on a phone", async (open) => {
  const page = await open(at("lesson=diversity-votes&set=run.resamples%3D60"), { colorScheme: "dark" });
  assert.match(await count(page), /^10 of 60/);
  assert.match(await words(page, "fits"), /by full trees.*by stumps/);
  await shoot(page, "classes-beside-dark");
  const phone = await open(at(`${MOONS}&scene=1`), PHONE);
  assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  assert.equal((await phone.content()).includes("undefined"), false);
  await shoot(phone, "classes-phone");
  for (const lesson of ["moons-squared", "moons-cross-entropy", "diversity-capacity"]) {
    const other = await open(at(`lesson=${lesson}&set=run.resamples%3D60`));
    for (const scene of ["1", "2", "3", "4"]) {
      await other.keyboard.press(scene);
      await drawn(other);
    }
    assert.equal((await other.textContent("#pictures")).includes("NaN"), false, lesson);
    assert.equal((await other.content()).includes("undefined"), false, lesson);
  }
});

await browser.close();
console.log(`${suite.count} tests, ${suite.failed} failed`);
process.exit(suite.failed === 0 ? 0 : 1);
