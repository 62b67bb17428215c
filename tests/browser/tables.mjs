// Tables in a real browser: `node tables.mjs URL OUTDIR TABLES`, where TABLES has what `bvlab run` wrote of iris-trees
// and diabetes-trees from 120 training sets.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Suite, addressed, afterRun, counts, drawn, openBrowser, says, settled, words } from "./browser.mjs";

const [, , address, tables, out] = process.argv;
const [lab, key] = address.split("#");
// The server computes, so that the numbers are those of this program.
const at = (hash) => `${lab}?engine=server#${hash}&${key}`;
await mkdir(out, { recursive: true });
const browser = await openBrowser();
const suite = new Suite(browser, out);
const shoot = async (page, name) => {
  await drawn(page);
  await page.screenshot({ path: path.join(out, `tables-${name}.png`) });
};
const axe = await readFile(fileURLToPath(new URL("node_modules/axe-core/axe.min.js", import.meta.url)), "utf8");

const IRIS = "lesson=iris-trees&set=run.resamples%3D120&drawn=all&hide=none";
const DIABETES = "lesson=diabetes-trees&set=run.resamples%3D120&drawn=all&hide=none";
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

async function faults(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
  );
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target} ${node.html.slice(0, 120)}`));
}

// A column of the program's table, for one learner.
async function written(lesson, learner) {
  const text = await readFile(path.join(tables, lesson, "curves.csv"), "utf8");
  const [head, ...rows] = text.trim().split("\n").map((line) => line.split(","));
  const own = rows.filter((row) => row[head.indexOf("learner")] === learner);
  return (name) => own.map((row) => Number(row[head.indexOf(name)]));
}

// The numbers that the page shows are those of the program's table, rounded; none of them is of the noise.
async function compareNumbers(page, lesson, learner) {
  const column = await written(lesson, learner);
  await page.keyboard.press("n");
  await page.waitForSelector("#dialog-numbers[open] tbody tr");
  const heads = await page.locator("#dialog-numbers thead th").allTextContents();
  assert.deepEqual(heads.slice(1, 4), ["bias² + noise", "variance", "risk"]);
  const rows = await page.locator("#dialog-numbers tbody tr").all();
  const all = ["bias2", "variance", "risk", "test_risk", "train_risk"].map((name) => [name, column(name)]);
  assert.equal(rows.length, all[0][1].length);
  for (const [i, row] of rows.entries()) {
    const cells = await row.locator("td").allTextContents();
    all.forEach(([name, values], place) => {
      const shown = cells[place].split(/ ± | \+| \(/)[0].replace("−", "-");
      const decimals = shown.split(".")[1]?.length ?? 0;
      assert.equal(Number(shown), Number(values[i].toFixed(decimals)) + 0, `${name} of row ${i}: ${cells[place]}`);
    });
  }
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector("dialog[open]") === null);
}

// How many rows are drawn with a class of mark.
const marks = (page, selector) =>
  page.locator(`#picture-fits ${selector}`).evaluateAll((all) => all.reduce((sum, one) => sum + one.getAttribute("d").split("M").length - 1, 0));
const inSet = (page) => marks(page, ".entry:not(.idle, .held)");
const idle = (page) => marks(page, ".entry.idle");
const held = (page) => marks(page, ".entry.held");

await suite.test("every row is drawn, by whether it is in the newest training set", async (open) => {
  const page = await open(at(`${DIABETES}&scene=1&at=2`));
  const told = /(\d+) to draw from, (\d+) of them in the newest training set, up to \d times; (\d+) held out/.exec(await words(page, "fits")).slice(1).map(Number);
  assert.deepEqual([told[0], told[2]], [309, 133]);
  assert.deepEqual([await inSet(page), await idle(page), await held(page)], [told[1], 309 - told[1], 133]);
  assert.match(await words(page, "fits"), /over bmi and ltg, coloured by progression, tree at depth = 2/);
  assert.match(await words(page, "identity"), /\(bias² \+ noise\) \+ variance = risk: \d+ \+ \d+ = \d+ ± \d+/);
  assert.equal((await page.textContent("#picture-tradeoff")).includes("bias² + noise"), true);
  await compareNumbers(page, "diabetes-trees", "tree");
  await page.keyboard.press("l");
  await says(page, "fits", /20 bagged trees/);
  await compareNumbers(page, "diabetes-trees", "20 bagged trees");
  await shoot(page, "numbers");
});

await suite.test("training sets come in as weights", async (open) => {
  const page = await open(at(`${DIABETES}&scene=2&at=4`));
  await page.keyboard.press("r");
  await counts(page, /^0 of 120/);
  await says(page, "fits", /309 to draw from, 133 held out; nothing drawn yet/);
  assert.equal(await inSet(page), 0);
  await page.keyboard.press("Space");
  await counts(page, /^1 of 120/);
  const first = await words(page, "fits");
  assert.ok((await inSet(page)) > 150);
  await page.keyboard.press("Space");
  await counts(page, /^2 of 120/);
  assert.notEqual(await words(page, "fits"), first, "another training set");
  for (let i = 0; i < 3; i++) await page.keyboard.press("Space");
  await says(page, "identity", /from 5 training sets/);
});

await suite.test("columns are chosen, and are in the address", async (open) => {
  const page = await open(at(`${DIABETES}&scene=2`));
  const place = () => page.locator("#picture-fits .entry.held").first().getAttribute("d");
  const before = await place();
  const options = await page.locator("#column-upward option").allTextContents();
  assert.equal(options.length, 11);
  assert.equal(options.at(-1), "progression");
  await page.selectOption("#column-across", { label: "age" });
  await says(page, "fits", /over age and ltg/);
  assert.notEqual(await place(), before);
  await page.selectOption("#column-upward", { label: "progression" });
  await says(page, "fits", /over age and progression/);
  await addressed(page, /columns=0,10/);
  await page.reload();
  await settled(page);
  assert.match(await words(page, "fits"), /over age and progression/);
  await page.selectOption("#column-across", { label: "predictions against labels" });
  await says(page, "fits", /Predictions against the labels of the held-out rows/);
  assert.equal(await page.locator("#column-upward").isDisabled(), true);
  await addressed(page, /columns=against/);
  await shoot(page, "against");
  await page.locator("#stage").focus();
  await page.keyboard.press("Control+z");
  await says(page, "fits", /over age and progression/);
});

await suite.test("a held-out row is looked at, with the program's numbers", async (open) => {
  const page = await open(at(`${DIABETES}&scene=2&at=2`));
  const svg = await page.locator("#picture-fits svg").first().boundingBox();
  await page.mouse.click(svg.x + svg.width * 0.5, svg.y + svg.height * 0.5);
  await drawn(page);
  assert.equal(await page.getAttribute("#tab-4", "aria-selected"), "true");
  const told = await page.evaluate(async () => {
    const key = localStorage.getItem("bvlab-key");
    const headers = { "content-type": "application/json", "x-bvlab-key": key };
    const asked = { lesson: "diabetes-trees", set: ["run.resamples=120"] };
    const text = await (await fetch("api/run", { method: "POST", headers, body: JSON.stringify(asked) })).text();
    const messages = text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
    const unpack = ({ f4, f8 }) => {
      const bytes = Uint8Array.from(atob(f4 ?? f8), (one) => one.charCodeAt(0));
      return [...(f4 ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer))];
    };
    const points = messages.find((one) => one.is === "points").learners[0];
    return { truth: unpack(messages[0].test.truth), mean: unpack(points.mean), variance: unpack(points.variance) };
  });
  const check = async () => {
    const said = await words(page, "point");
    const [row, label, mean, bias, variance, risk] =
      /held-out row (\d+): .*label (\S+), mean (\S+), bias .*\(Bias² \+ noise\) (\S+) \+ variance (\S+) = risk (\S+),/.exec(said).slice(1).map((text) => Number(text.replace("−", "-")));
    const here = 133 + row - 1;
    for (const [shown, exact] of [[label, told.truth[row - 1]], [mean, told.mean[here]], [variance, told.variance[here]]])
      assert.ok(Math.abs(shown - exact) <= 1e-3 * Math.abs(exact), `${shown} and ${exact}: ${said}`);
    assert.ok(Math.abs(bias + variance - risk) <= 2e-3 * risk, said);
    return row;
  };
  const row = await check();
  await page.keyboard.press(".");
  await drawn(page);
  assert.equal(await check(), row + 1);
  await page.keyboard.press(",");
  await drawn(page);
  assert.equal(await check(), row);
  assert.equal(await page.locator("#toggle-board").count(), 0);
  assert.equal((await page.textContent("#picture-point")).includes("label"), true);
  assert.deepEqual(await faults(page), []);
  await shoot(page, "row");
});

await suite.test("classes have the names of the table, and rings where refits are wrong", async (open) => {
  const page = await open(at(`${IRIS}&scene=1&at=12`));
  assert.match(await page.textContent("#picture-fits"), /● setosa.*■ versicolor.*▲ virginica/);
  const wrong = Number(/most of \d+ refits call (\d+) wrong/.exec(await words(page, "fits"))[1]);
  assert.ok(wrong > 5 && wrong < 30, `${wrong}`);
  assert.ok((await marks(page, ".wrong")) >= wrong);
  await compareNumbers(page, "iris-trees", "tree");
  await page.locator("#stage").focus();
  await page.keyboard.press("4");
  await drawn(page);
  const told = await words(page, "point");
  assert.match(told, /label (setosa|versicolor|virginica), arithmetic mean \([\d., ]+\)/);
  const [, votes, refits] = [...told.match(/Votes: (\d+ setosa, \d+ versicolor, \d+ virginica)/), /of (\d+) refits/.exec(told)[1]];
  assert.equal(votes.match(/\d+/g).reduce((sum, one) => sum + Number(one), 0), Number(refits));
  assert.equal(await page.locator("#picture-point .dart").count(), Number(refits));
  assert.equal(told.includes("Bayes"), false);
  assert.deepEqual(await faults(page), []);
  await shoot(page, "classes");
});

await suite.test("what applies to a table is changed on the page", async (open) => {
  const page = await open(at(`${IRIS}&scene=1&panel=controls`));
  for (const id of ["truth", "noise", "classes", "inputs"]) assert.equal(await page.locator(`#control-${id}`).count(), 0, id);
  await afterRun(page, () => page.selectOption("#control-resample", "halves"));
  await says(page, "fits", /105 to draw from, 52 of them in the newest training set;/);
  await afterRun(page, async () => {
    await page.fill("#control-held", "0.5");
    await page.keyboard.press("Enter");
  });
  await says(page, "fits", /75 held out/);
  await afterRun(page, () => page.selectOption("#control-loss", "zero-one"));
  await says(page, "identity", /\(bias \+ noise\) \+ variance = risk/);
  const families = await page.locator("#control-learner-0 option").allTextContents();
  assert.ok(families.includes("logistic") && !families.includes("polynomial"), families.join());
  assert.deepEqual(await faults(page), []);
  await shoot(page, "controls");
});

await suite.test("tables in the dark, on a phone and in every scene", async (open) => {
  const dark = await open(at(`${DIABETES}&scene=4`), { colorScheme: "dark" });
  assert.deepEqual(await faults(dark), []);
  await shoot(dark, "dark");
  for (const hash of [IRIS, DIABETES]) {
    const phone = await open(at(`${hash}&scene=4`), PHONE);
    assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
    assert.deepEqual(await faults(phone), []);
    await shoot(phone, `phone-${hash.slice(7, 11)}`);
  }
  for (const hash of [IRIS, DIABETES, "lesson=pca-capacity&set=run.resamples%3D60", "lesson=descent-digits&set=run.resamples%3D4"]) {
    const page = await open(at(hash));
    for (const scene of ["1", "2", "3", "4", "5", "7"]) {
      await page.keyboard.press(scene);
      await drawn(page);
    }
    assert.equal((await page.textContent("#pictures")).includes("NaN"), false, hash);
    assert.equal((await page.content()).includes("undefined"), false, hash);
  }
});

await browser.close();
console.log(`${suite.count} tests, ${suite.failed} failed`);
process.exit(suite.failed === 0 ? 0 : 1);
