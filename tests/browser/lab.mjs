// The live lab in a real browser: `node lab.mjs URL OUTDIR` with the address that `bvlab lab` prints.
// Writes pictures to OUTDIR. BVLAB_CHROMIUM is the browser; BVLAB_BROWSER_TEST runs only tests whose name has it.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { Suite, addressed, afterRun, count, counts, download, drawing, drawn, openBrowser, pngSize, same, says, settled, words } from "./browser.mjs";

const [, , address, out] = process.argv;
// The lecturer's key comes with every page, because every test has a browser profile of its own.
const [lab, key] = address.split("#");
const at = (hash) => `${lab}#${hash === "" ? "" : `${hash}&`}${key}`;
await mkdir(out, { recursive: true });
const browser = await openBrowser();
const suite = new Suite(browser, out);
const shoot = (page, name) => page.screenshot({ path: path.join(out, `${name}.png`) });

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

// Sets a slider as a hand would.
async function slide(page, selector, value) {
  await page.locator(selector).evaluate((slider, wanted) => {
    slider.value = String(wanted);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, value);
}

// Chooses a scene from its menu.
async function view(page, scene) {
  await page.click("#open-views");
  await page.click(`#tab-${scene}`);
}

async function handle(page) {
  const box = await page.locator("#picture-tradeoff .handle").first().boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

await suite.test("the first picture is complete", async (open) => {
  const page = await open(at(""));
  assert.equal(await page.textContent("#title"), "Deeper trees: less bias, in the end more variance");
  assert.match(await words(page, "fits"), /40 refits and their mean/);
  assert.match(await words(page, "tradeoff"), /Risk 0\.4021 ± 0\.0023, best at depth = 5/);
  assert.match(await words(page, "identity"), /0\.250 \+ 0\.003 \+ 0\.149 = 0\.402 ± 0\.002, measured 0\.403 ± 0\.003/);
  assert.equal(await count(page), "all 1000 training sets drawn");
  // Each colour is where it belongs.
  const stroke = (name) =>
    page
      .locator(`#picture-tradeoff .curve.${name}`)
      .first()
      .evaluate((one) => getComputedStyle(one).stroke);
  assert.equal(await stroke("bias"), "rgb(0, 104, 172)");
  assert.equal(await stroke("variance"), "rgb(213, 84, 0)");
  // The summary for those who hear the page.
  await page.waitForFunction(() => document.getElementById("summary").textContent.includes("0.403"));
  await shoot(page, "lab-light");
});

await suite.test("space draws one training set, and held they stream in", async (open) => {
  const page = await open(at(""));
  await page.keyboard.press("Space");
  await counts(page, /^1 of 1000/);
  assert.match(await words(page, "fits"), /1 refit and/);
  assert.match(await page.textContent("#picture-tradeoff"), /3 more for error bars/);
  await page.keyboard.press("Space");
  await page.keyboard.press("Space");
  await page.keyboard.press("Space");
  await counts(page, /^4 of/);
  await says(page, "identity", /from 4 training sets/);
  await page.keyboard.down("Space");
  await page.keyboard.down("Space");
  await page.waitForFunction(() => Number.parseInt(document.getElementById("count").textContent, 10) >= 8);
  await page.keyboard.up("Space");
  await page.waitForFunction(() => document.getElementById("play").getAttribute("aria-pressed") === "false");
  const stopped = await count(page);
  await drawn(page);
  assert.equal(await count(page), stopped);
  // The shown fits are those drawn so far, the newest among them.
  const shown = Number.parseInt(stopped, 10);
  assert.equal(await page.locator("#picture-fits .curve.variance").count(), shown);
  assert.equal(await page.locator("#picture-fits .curve.variance.newest").count(), 1);
  await page.keyboard.press("Backspace");
  await counts(page, new RegExp(`^${shown - 1} of`));
});

await suite.test("play goes through the draws and on to all training sets", async (open) => {
  const page = await open(at("speed=32"));
  await page.keyboard.press("r");
  await counts(page, /^0 of 1000/);
  assert.match(await words(page, "fits"), /nothing drawn yet/);
  await page.keyboard.press("p");
  const seen = await page.evaluate(
    () =>
      new Promise((done) => {
        const counted = new Set();
        const look = () => {
          const text = document.getElementById("count").textContent;
          counted.add(text);
          if (text.startsWith("all")) done([...counted]);
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  assert.ok(seen.length > 20, `only saw ${seen}`);
  assert.ok(
    seen.some((text) => text.startsWith("96 of")),
    "the steps beyond the kept draws",
  );
  assert.equal(await page.getAttribute("#play", "aria-pressed"), "false");
  await page.click("#reset");
  await counts(page, /^0 of/);
  await page.keyboard.press("End");
  await counts(page, /^all 1000/);
  await page.keyboard.press("Backspace");
  await counts(page, /^768 of 1000/);
  await says(page, "identity", /from 768 training sets/);
});

await suite.test("error bands tighten as training sets arrive", async (open) => {
  const page = await open(at("drawn=8"));
  const half = async () => Number(/± ([0-9.]+), measured/.exec(await words(page, "identity"))[1]);
  const early = await half();
  await page.keyboard.press("End");
  await counts(page, /^all/);
  assert.ok((await half()) < early / 3);
});

await suite.test("the marker is dragged with the mouse and the arrow keys, without a request", async (open) => {
  const page = await open(at(""));
  let requests = 0;
  page.on("request", () => requests++);
  const curve = () => page.locator("#picture-fits .curve.variance").nth(3).getAttribute("d");
  const before = { curve: await curve(), identity: await words(page, "identity") };
  const [x, y] = await handle(page);
  await page.mouse.move(x, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + 150, y + 60, { steps: 5 });
  await drawn(page);
  assert.notEqual(await curve(), before.curve, "fits follow while dragging");
  assert.notEqual(await words(page, "identity"), before.identity);
  await page.mouse.up();
  const moved = Number(await page.inputValue("#setting-0"));
  assert.ok(moved > 6, `moved to ${moved}`);
  await page.mouse.move(x, y + 60);
  await drawn(page);
  assert.equal(Number(await page.inputValue("#setting-0")), moved, "let go");
  await page.keyboard.press("ArrowLeft");
  await says(page, "identity", new RegExp(`depth = ${moved}:`));
  await page.keyboard.press("ArrowRight");
  await says(page, "identity", new RegExp(`depth = ${moved + 1}:`));
  assert.equal(requests, 0, "all fits are already on the page");
  await addressed(page, new RegExp(`at=${moved + 1}`));
});

await suite.test("a click on the fits looks at one test point", async (open) => {
  const page = await open(at(""));
  const box = await page.locator("#picture-fits").boundingBox();
  await page.mouse.click(box.x + box.width * 0.55, box.y + box.height * 0.5);
  await says(page, "point", /Predictions at x = [78]\./);
  assert.equal(await page.getAttribute("#tab-4", "aria-selected"), "true");
  const said = await words(page, "point");
  const number = (name) => Number(new RegExp(`${name} (−?[0-9.]+)`, "i").exec(said)[1].replace("−", "-"));
  const [noise, bias2, variance, risk] = ["noise", "bias²", "variance", "risk"].map(number);
  assert.ok(Math.abs(noise + bias2 + variance - risk) < 2e-4, said);
  assert.ok(Math.abs(number("mean") - number("truth") - number("bias")) < 2e-3, said);
  assert.equal(await page.locator("#picture-point .dart").count(), 40);
  assert.ok((await page.locator("#picture-point .histogram").count()) >= 6);
  for (const text of ["truth", "mean", "bias", "± sd"])
    assert.ok((await page.textContent("#picture-point")).includes(text), text);
  await shoot(page, "point");
  const before = await words(page, "point");
  await page.keyboard.press(".");
  await page.waitForFunction(
    (old) => document.querySelector("#picture-point > svg").getAttribute("aria-label") !== old,
    before,
  );
  await slide(page, "#point-x", 10);
  await says(page, "point", /x = 0\.78[78]/);
});

await suite.test("the dartboard has a dart for every draw", async (open) => {
  const page = await open(at("lesson=dartboards&scene=4&board=off"));
  await page.click("#toggle-board");
  await says(page, "board", /darts; the mean misses/);
  assert.equal(await page.locator("#picture-board .bull").count(), 4);
  const darts = Number(/([0-9]+) darts/.exec(await words(page, "board"))[1]);
  assert.ok(darts >= 20, `${darts} darts`);
  assert.equal(await page.locator("#picture-board .dart").count(), 4 * darts);
  const before = await words(page, "board");
  await slide(page, "#point-x2", 3);
  await page.waitForFunction(
    (old) => document.querySelector("#picture-board > svg").getAttribute("aria-label") !== old,
    before,
  );
  await shoot(page, "dartboards");
});

await suite.test("two learners, each with its own setting", async (open) => {
  const page = await open(at("lesson=bagging-tradeoff"));
  assert.match(await words(page, "fits"), /of tree at depth/);
  await page.keyboard.press("l");
  await says(page, "fits", /of bagged trees/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await drawn(page);
  const bagged = await page.inputValue("#setting-0");
  await page.click("#learners [data-learner='0']");
  await says(page, "identity", /^tree/);
  assert.notEqual(await page.inputValue("#setting-0"), bagged);
  await page.keyboard.press("3");
  await drawn(page);
  assert.equal(await page.locator("#picture-tradeoff .handle").count(), 2, "side by side");
  await shoot(page, "two-learners");
  await page.click("#overlay");
  await page.waitForFunction(() => document.querySelectorAll("#picture-tradeoff .handle").length === 1);
  assert.match(await page.textContent("#picture-tradeoff"), /risk of all learners/);
  await shoot(page, "overlay");
});

await suite.test("theory runs through the dots and can be switched off", async (open) => {
  const page = await open(at("lesson=knn-tradeoff&scene=3"));
  assert.equal(await page.locator("#picture-tradeoff .curve.exact").count(), 3);
  await shoot(page, "theory");
  await page.keyboard.press("t");
  await page.waitForFunction(() => document.querySelectorAll("#picture-tradeoff .curve.exact").length === 0);
  await addressed(page, /theory=off/);
});

await suite.test("noise and n are changed with sliders", async (open) => {
  const page = await open(at("panel=controls"));
  await afterRun(page, () => slide(page, "#control-noise-slider", 0.2));
  await says(page, "identity", /: 0\.0400? \+/);
  await addressed(page, /problem\.noise=\{ normal = 0\.2 \}/);
  await afterRun(page, () => slide(page, "#control-train-slider", 17));
  await addressed(page, /problem\.train=1000/);
  await says(page, "tradeoff", /best (at|near) depth = (7|8|9|10)/);
  assert.equal(await page.inputValue("#control-train"), "1000");
  await shoot(page, "controls");
  await afterRun(page, () => page.click("#undo-all"));
  await says(page, "identity", /0\.250 \+ 0\.003/);
});

await suite.test("the controls never cover the picture", async (open) => {
  const page = await open(at("panel=controls"));
  const [panel, picture] = await Promise.all(["#controls", "#pictures"].map((one) => page.locator(one).boundingBox()));
  assert.ok(panel.x + panel.width <= picture.x + 1);
  assert.ok(picture.x + picture.width <= 1281 && picture.width > 800);
});

await suite.test(
  "any expression, and a wrong one is named beside its field",
  async (open) => {
    const page = await open(at("panel=controls"));
    await afterRun(page, async () => {
      await page.fill("#control-expression", "abs(x - 7)");
      await page.press("#control-expression", "Enter");
    });
    await addressed(page, /problem\.truth="abs\(x - 7\)"/);
    const picture = await words(page, "tradeoff");
    await page.fill("#control-expression", "sinn(x)");
    await page.press("#control-expression", "Enter");
    await page.waitForSelector("[data-row='control-expression'] .mistake");
    assert.match(await page.textContent("[data-row='control-expression'] .mistake"), /sinn/);
    assert.equal(await page.getAttribute("#control-expression", "aria-invalid"), "true");
    assert.equal(await words(page, "tradeoff"), picture, "the picture stays");
    await shoot(page, "mistake");
    await page.fill("#control-expression", "sin(x)/2");
    await page.press("#control-expression", "Enter");
    await settled(page);
    await page.waitForFunction(() => document.querySelector(".mistake") === null);
  },
  { mistakes: true },
);

await suite.test("a preset, a curve drawn by hand, inputs held fixed", async (open) => {
  const page = await open(at("panel=controls"));
  await afterRun(page, () => page.selectOption("#control-truth", "two bumps"));
  assert.equal(await page.inputValue("#control-from"), "-5");
  await page.selectOption("#control-truth", "drawn by hand");
  const pad = await page.locator("#sketch").boundingBox();
  await afterRun(page, async () => {
    await page.mouse.move(pad.x + 5, pad.y + pad.height * 0.8);
    await page.mouse.down();
    await page.mouse.move(pad.x + pad.width / 2, pad.y + pad.height * 0.2, { steps: 8 });
    await page.mouse.move(pad.x + pad.width - 5, pad.y + pad.height * 0.8, { steps: 8 });
    await page.mouse.up();
  });
  await addressed(page, /problem\.truth=\{ points = \[\[-5, /);
  await shoot(page, "by-hand");
  // And with keys alone.
  const before = await page.evaluate(() => location.hash);
  await page.locator("#sketch input").nth(3).focus();
  await afterRun(page, () => page.keyboard.press("ArrowUp"));
  await page.waitForFunction((old) => location.hash !== old, before);
  await afterRun(page, () => page.check("#control-fixed"));
  await addressed(page, /fixed = true/);
  await page.waitForFunction(() => document.documentElement.dataset.state === "done");
});

await suite.test("learners: another family, its numbers, a second one, what is swept", async (open) => {
  const page = await open(at("panel=controls"));
  await afterRun(page, () => page.selectOption("#control-learner-0", "knn"));
  await says(page, "tradeoff", /risk of knn over k/);
  await afterRun(page, () => page.click("#add-learner"));
  await page.waitForSelector("#learners [data-learner='1']");
  assert.equal(await page.locator("fieldset.learner").count(), 2);
  // It has no k: it gets a sweep of its own.
  await page.click("#learners [data-learner='1']");
  await says(page, "tradeoff", /of tree over depth/);
  await afterRun(page, async () => {
    await page.fill("#control-learner-1-sweep-values", "1, 2, 3");
    await page.press("#control-learner-1-sweep-values", "Enter");
  });
  await page.waitForFunction(() => document.getElementById("setting-0").max === "2");
  await afterRun(page, async () => {
    await page.fill("#control-learner-1-min-leaf", "5");
    await page.press("#control-learner-1-min-leaf", "Enter");
  });
  await addressed(page, /learner\.1\.tree\.min-leaf=5/);
  await afterRun(page, () => page.selectOption("#control-sweep-0", "train"));
  await says(page, "tradeoff", /of tree over train/);
  await afterRun(page, () => page.selectOption("#control-sweep-0", "depth"));
  await says(page, "tradeoff", /of tree over depth/);
  await afterRun(page, async () => {
    await page.fill("#control-sweep-0-values", "1, 2, 4, 8");
    await page.press("#control-sweep-0-values", "Enter");
  });
  await page.waitForFunction(() => document.getElementById("setting-0").max === "3");
  await afterRun(page, () => page.click("#control-learner-0-remove"));
  await page.waitForFunction(() => document.querySelectorAll("fieldset.learner").length === 1);
  await afterRun(page, () => page.selectOption("#control-learner-0", "bagging"));
  await says(page, "tradeoff", /of bagging over depth/);
});

await suite.test("every family of learners can be chosen", async (open) => {
  const page = await open(at("panel=controls&set=run.resamples%3D20&set=problem.train%3D20"));
  const families = await page
    .locator("#control-learner-0 option")
    .evaluateAll((options) => options.map((option) => option.value));
  assert.ok(families.length >= 11, families.join());
  for (const family of families) {
    if (family === "tree" || family === "network") continue;
    await afterRun(page, () => page.selectOption("#control-learner-0", family));
    await says(page, "tradeoff", new RegExp(`of ${family} over`));
  }
});

await suite.test("seed and number of training sets", async (open) => {
  const page = await open(at("panel=controls"));
  const before = await words(page, "identity");
  await afterRun(page, () => page.click("#new-seed"));
  await page.waitForFunction(
    (old) => document.querySelector("#picture-identity > svg").getAttribute("aria-label") !== old,
    before,
  );
  await addressed(page, /run\.seed=2/);
  await afterRun(page, async () => {
    await page.fill("#control-resamples", "50");
    await page.press("#control-resamples", "Enter");
  });
  await counts(page, /^all 50 training sets/);
});

await suite.test(
  "an experiment is pasted as TOML and saved",
  async (open) => {
    const page = await open(at("panel=controls"));
    const text =
      'title = "Mine"\n[problem]\ntruth = "x"\ninputs = { uniform = [0, 1] }\nnoise = { normal = 0.1 }\ntrain = 12\n[sweep]\nk = "1..6"\n[[learner]]\nknn = {}\n[run]\nresamples = 30\n[[figure]]\ntradeoff = {}\n';
    await page.fill("#control-toml", text);
    await afterRun(page, () => page.click("#run-toml"));
    await page.waitForFunction(() => document.getElementById("title").textContent === "Mine");
    await counts(page, /^all 30/);
    const saved = await download(page, "#save-toml", out);
    assert.match(saved.bytes.toString(), /truth = "x"/);
    assert.match(saved.name, /\.toml$/);
    await page.fill("#control-toml", text.replace("knn", "knnn"));
    await page.click("#run-toml");
    await page.waitForSelector("[data-row='control-toml'] .mistake");
    assert.match(await page.textContent(".mistake"), /line 10/);
  },
  { mistakes: true },
);

await suite.test("double descent: through the threshold, and the peak comes and goes", async (open) => {
  // It is a scene of lessons that have a threshold, and of no others.
  const other = await open(at(""));
  await other.keyboard.press("5");
  await drawn(other);
  assert.equal(await other.getAttribute("#pictures", "data-scene"), "1");
  assert.match(await other.textContent("#title"), /Deeper trees/);
  await other.click("#open-views");
  assert.equal(await other.locator("#tab-5").isVisible(), false);
  const page = await open(at("lesson=descent-fits&drawn=all"));
  await page.keyboard.press("5");
  await drawn(page);
  assert.equal(await page.textContent("#title"), "Fits before, at and beyond the interpolation threshold");
  assert.match(await page.textContent("#picture-tradeoff"), /p = n/);
  await says(page, "norm", /Length of the weights over features: largest/);
  const places = await page.locator("#setting-0").evaluate((slider) => Number(slider.max) + 1);
  const median = async () => Number(/median risk ([0-9.]+)/.exec(await words(page, "identity"))[1]);
  const go = async (features) => {
    for (let place = 0; place < places; place++) {
      await slide(page, "#setting-0", place);
      await drawn(page);
      if ((await page.textContent("#settings")) === `features = ${features}`) return;
    }
    assert.fail(`no ${features} features`);
  };
  await go(20);
  await says(page, "identity", /features = 20: median risk .*A mean may not exist/);
  const peak = await median();
  await shoot(page, "double-descent");
  // A penalty takes the peak away.
  await afterRun(page, () => slide(page, "#ridge", 9));
  await addressed(page, /learner\.0\.fourier\.lambda=1/);
  await page.waitForFunction(
    () => !/median/.test(document.querySelector("#picture-identity > svg").getAttribute("aria-label")),
  );
  const [, calm] = /= ([0-9.]+) ±/.exec(await words(page, "identity"));
  assert.ok(Number(calm) < peak / 4, `${calm} against ${peak}`);
  await afterRun(page, () => slide(page, "#ridge", 0));
  await says(page, "identity", /median risk/);
  // So does the lack of noise.
  await afterRun(page, () => slide(page, "#descent-sd", 0));
  await says(page, "identity", /features = 20/);
  await page.waitForFunction(() =>
    /noise sd = 0$/.test(document.querySelector("#descent-knobs").children[1].textContent),
  );
  const quiet = await words(page, "identity");
  const [, low] = /(?:median risk|=) ([0-9.·⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)(?:,| ±)/.exec(quiet.replace(/features = \d+/, ""));
  assert.ok(/⁻/.test(low) || Number(low) < peak / 4, quiet);
  // Ten dimensions, where means exist away from the threshold.
  const ten = await open(at("lesson=descent-features&scene=5"));
  assert.match(await ten.textContent("#title"), /explodes/);
  await says(ten, "fits", /Predictions against the truth/);
  await shoot(ten, "double-descent-ten");
});

await suite.test("the menu has all lessons, by group", async (open) => {
  const page = await open(at(""));
  await page.keyboard.press("m");
  await page.waitForSelector("#dialog-lessons[open]");
  assert.ok((await page.locator("#dialog-lessons [data-lesson]").count()) >= 35);
  assert.deepEqual((await page.locator("#dialog-lessons h3").allTextContents()).slice(0, 3), [
    "1. Training error deceives",
    "2. Estimators",
    "3. The decomposition",
  ]);
  await shoot(page, "menu");
  await afterRun(page, () => page.click("[data-lesson='knn-tradeoff']"));
  await page.waitForFunction(() => /Nearest neighbours/.test(document.getElementById("title").textContent));
  assert.equal(await page.locator("#dialog-lessons[open]").count(), 0);
  await afterRun(page, () => page.goBack());
  await page.waitForFunction(() => /Deeper trees/.test(document.getElementById("title").textContent));
});

await suite.test("question first, answer revealed", async (open) => {
  const page = await open(at(""));
  const answer = /More data lower the variance/;
  assert.doesNotMatch(await page.textContent("body"), answer);
  await page.keyboard.press("q");
  await page.waitForSelector("#card:not([hidden])");
  assert.match(await page.textContent("#card"), /Which depth would you choose/);
  assert.doesNotMatch(await page.textContent("body"), answer);
  const size = await page
    .locator("#card .question")
    .evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize));
  assert.ok(size >= 720 / 20, `the question is large: ${size}`);
  await shoot(page, "question");
  await page.click("#begin");
  await page.waitForSelector("#card", { state: "hidden" });
  await page.waitForSelector("#reveal");
  assert.doesNotMatch(await page.textContent("body"), answer);
  await page.click("#reveal");
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.getElementById("strip").textContent),
    answer.source,
  );
  await shoot(page, "answer");
  await page.keyboard.press("a");
  await page.waitForFunction((source) => !new RegExp(source).test(document.body.textContent), answer.source);
  await page.keyboard.press("w");
  await page.waitForFunction(() => /Look for/.test(document.getElementById("strip").textContent));
});

await suite.test("a clicker goes through a lesson and on to the next, and back", async (open) => {
  const page = await open(at("lesson=tree-tradeoff&speed=2"));
  const shown = () =>
    page.evaluate(() => [
      !document.getElementById("card").hidden,
      /More data lower the variance/.test(document.getElementById("strip").textContent),
    ]);
  const press = async (key) => {
    await page.keyboard.press(key);
    await drawn(page);
  };
  await press("PageDown");
  assert.deepEqual(await shown(), [true, false], "question");
  await press("PageDown");
  assert.deepEqual(await shown(), [false, false], "draws");
  await page.waitForFunction(() => /^[1-9][0-9]* of 1000/.test(document.getElementById("count").textContent));
  assert.equal(await page.getAttribute("#play", "aria-pressed"), "true");
  await press("PageDown");
  await counts(page, /^all/);
  assert.deepEqual(await shown(), [false, false], "everything");
  await press("PageDown");
  assert.deepEqual(await shown(), [false, true], "answer");
  await afterRun(page, () => page.keyboard.press("PageDown"));
  assert.equal((await shown())[0], true, "next question");
  assert.doesNotMatch(await page.textContent("#title"), /Deeper trees/);
  await afterRun(page, () => page.keyboard.press("PageUp"));
  assert.match(await page.textContent("#title"), /Deeper trees/);
  assert.deepEqual(await shown(), [false, true], "back at the answer");
  await press("PageUp");
  assert.deepEqual(await shown(), [false, false]);
  await press("PageUp");
  assert.deepEqual(await shown(), [true, false], "back at the question");
});

await suite.test("a link restores the exact scene", async (open) => {
  const page = await open(at("lesson=bagging-tradeoff"));
  for (const key of [
    "l",
    "ArrowRight",
    "ArrowRight",
    "4",
    ".",
    ".",
    "d",
    "+",
    "r",
    "Space",
    "Space",
    "Space",
    "Space",
    "Space",
  ]) {
    await page.keyboard.press(key);
    await drawn(page);
  }
  await addressed(page, /drawn=5/);
  await addressed(page, /theme=dark/);
  const [link, picture] = [page.url(), await drawing(page)];
  const other = await open(link);
  same(await drawing(other), picture);
  assert.equal(await count(other), await count(page));
  // Changed keys, an open panel, a two-way sweep, a two-point board.
  for (const hash of [
    "lesson=descent-ridge&scene=3&at=40,0.01&panel=controls",
    "lesson=tree-tradeoff&set=problem.train%3D50&set=problem.noise%3D%7B+normal+%3D+0.3+%7D&scene=4&board=on&x=3&x2=9&size=1.2&step=answer&look=on",
  ]) {
    const first = await open(at(hash));
    const again = await open(first.url());
    same(await drawing(again), await drawing(first));
    const parts = (one) => [...new URLSearchParams(new URL(one.url()).hash.slice(1))].map(String).sort();
    assert.deepEqual(parts(again), parts(first));
  }
});

await suite.test("a two-way sweep has two sliders and shows a slice", async (open) => {
  const page = await open(at("lesson=descent-ridge&scene=1"));
  const curve = () => page.locator("#picture-tradeoff .curve.train").getAttribute("d");
  const before = await curve();
  await slide(page, "#setting-1", 0);
  await page.waitForFunction(() => /lambda = 0$/.test(document.querySelector("#settings").lastChild.textContent));
  await drawn(page);
  assert.notEqual(await curve(), before);
  await page.keyboard.press("ArrowUp");
  await says(page, "identity", /lambda = 10⁻⁴/);
});

await suite.test("exports: what is saved is what is shown", async (open) => {
  const page = await open(at("lesson=tree-tradeoff&panel=export"));
  const csv = (await download(page, "#export-csv", out)).bytes.toString();
  const [head, ...rows] = csv
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  const column = (name) => rows.map((row) => Number(row[head.indexOf(name)]));
  assert.equal(rows.length, 16);
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await page.waitForSelector("#dialog-numbers[open]");
  const table = await page
    .locator("#dialog-numbers tbody tr")
    .evaluateAll((lines) => lines.map((line) => [...line.children].map((cell) => cell.textContent)));
  // Digit for digit: the shown numbers are the rounding of the table's.
  const columns = { 2: "bias2", 3: "variance", 4: "risk", 5: "test_risk", 6: "train_risk", 7: "risk_median" };
  for (const [place, name] of Object.entries(columns)) {
    column(name).forEach((value, i) => {
      const [shown, ...reaches] = table[i][place].split(/ ± | \+| −| \(| to |\)/).filter((text) => text !== "");
      const digits = reaches.map((reach) => reach.replace(".", "").replace(/^0+/, "").length);
      assert.equal(Math.max(...digits), 2, `two digits of the error: ${table[i][place]}`);
      const decimals = (shown.split(".")[1] ?? "").length;
      assert.equal(Number(shown.replace("−", "-")), Number(value.toFixed(decimals)), `${name} at ${table[i][0]}`);
    });
  }
  await page.keyboard.press("Escape");
  await page.keyboard.press("e");
  await page.waitForSelector("#dialog-export[open]");
  const toml = (await download(page, "#export-toml", out)).bytes.toString();
  assert.match(toml, /truth = "sin\(x\)"/);
  const svg = (await download(page, "#export-scene-svg", out)).bytes.toString();
  assert.match(svg, /^<svg[^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.match(svg, /rgb\(0, 104, 172\)/);
  assert.doesNotMatch(svg, /class=|var\(--/);
  const png = (await download(page, "#export-scene-png", out)).bytes;
  const [width, height] = pngSize(png);
  assert.ok(width > 2000 && height > 900 && png.length > 50_000, `${width} × ${height}, ${png.length} bytes`);
  assert.match((await download(page, "#export-svg", out)).bytes.toString(), /<svg/);
  assert.deepEqual(pngSize((await download(page, "#export-png", out)).bytes), [1920, 1080]);
  assert.match(await page.inputValue("#link"), /#lesson=tree-tradeoff/);
  await shoot(page, "export");
});

await suite.test("the table of a part is that of as many training sets", async (open) => {
  const page = await open(at("lesson=tree-tradeoff&drawn=10&panel=export"));
  const csv = (await download(page, "#export-csv", out)).bytes.toString();
  const [head, ...rows] = csv
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  const risk = Number(rows[4][head.indexOf("risk")]);
  await page.keyboard.press("Escape");
  await says(page, "identity", /from 10 training sets/);
  await page.keyboard.press("n");
  const cell = await page.locator("#dialog-numbers tbody tr").nth(4).locator("td").nth(3).textContent();
  const shown = cell.split(/ ± | \+/)[0];
  assert.equal(Number(shown), Number(risk.toFixed(shown.split(".")[1].length)));
});

await suite.test("the server's figure, and a simulation has only that", async (open) => {
  const page = await open(at("lesson=tree-tradeoff&scene=6"));
  await page.waitForFunction(() => document.getElementById("figure-image")?.naturalWidth > 0);
  await shoot(page, "figure");
  const simulation = await open(at("lesson=majority-vote"));
  await simulation.waitForFunction(() => document.getElementById("figure-image")?.naturalWidth > 0);
  assert.equal(await simulation.getAttribute("#tab-6", "aria-selected"), "true");
  await simulation.keyboard.press("1");
  await drawn(simulation);
  assert.equal(await simulation.getAttribute("#tab-6", "aria-selected"), "true");
  await shoot(simulation, "simulation");
});

await suite.test("classes in many dimensions are shown by their figures, and nothing moves", async (open) => {
  const why = /here there are 20: the page shows the figures/;
  const figure = (page) => page.waitForFunction(() => document.getElementById("figure-image")?.naturalWidth > 0);
  const page = await open(at("scene=3"));
  await page.keyboard.press("m");
  await page.waitForSelector("#dialog-lessons[open]");
  assert.ok((await page.locator("#dialog-lessons h3").allTextContents()).includes("5. Classes and losses"));
  await afterRun(page, () => page.click("[data-lesson='split-or-bootstrap-bayes']"));
  await figure(page);
  assert.equal(await page.textContent("#title"), "Averaging helps trees, and hardly helps naive Bayes");
  assert.match(await page.textContent("#settings"), why);
  assert.equal(await count(page), "all 200 training sets drawn");
  await shoot(page, "classes");
  for (const id of ["tab-1", "tab-2", "tab-3", "tab-4", "reset", "draw-one", "play", "draw-all"])
    assert.equal(await page.locator(`#${id}`).isDisabled(), true, id);
  for (const key of ["1", "Space", "p", "r", "ArrowRight", ".", "l", "v", "Home", "PageDown", "PageDown", "a"]) {
    await page.keyboard.press(key);
    await drawn(page);
  }
  assert.equal(await page.getAttribute("#tab-6", "aria-selected"), "true");
  assert.equal(await count(page), "all 200 training sets drawn");
  // The other figure.
  const first = await page.getAttribute("#figure-image", "src");
  await page.click("#server-figure .choice button:nth-child(2)");
  await page.waitForFunction((old) => document.getElementById("figure-image").src !== old, first);
  await page.keyboard.press("n");
  await page.waitForSelector("#dialog-numbers[open]");
  assert.match(await page.textContent("#dialog-numbers"), /Export/);
  await page.keyboard.press("Escape");
  // Seed and number of training sets can be changed, the rest says why not.
  await page.waitForFunction(() => document.querySelector("dialog[open]") === null);
  await page.keyboard.press("c");
  await page.waitForSelector("#controls .why");
  await drawn(page);
  assert.match(await page.textContent("#controls"), why);
  assert.equal(await page.textContent("#settings"), "");
  assert.equal(await page.locator("#control-theory, #control-train, #controls select").count(), 0);
  await afterRun(page, async () => {
    await page.fill("#control-resamples", "90");
    await page.press("#control-resamples", "Enter");
  });
  await counts(page, /^all 90 training sets drawn/);
  await afterRun(page, () => page.click("#new-seed"));
  await addressed(page, /run\.seed=2/);
  await page.keyboard.press("e");
  await page.waitForSelector("#dialog-export[open]");
  const csv = (await download(page, "#export-csv", out)).bytes.toString();
  assert.match(csv, /^[^\n]*risk_se/);
  assert.match((await download(page, "#export-svg", out)).bytes.toString(), /^<svg/);
  // A text of one's own has its figure too, wherever its link leads.
  const toml =
    '[problem]\nclasses = { rings = 0.5 }\ntrain = 40\n[[learner]]\nknn = { k = 3 }\n[run]\nresamples = 20\nloss = "zero-one"\n';
  const bare = await open(at(`toml=${encodeURIComponent(toml)}&scene=6`));
  assert.match(await bare.textContent("#server-figure"), /no figure/);
  const phone = await open(at("lesson=split-or-bootstrap-bayes&set=run.resamples%3D60"), PHONE);
  await figure(phone);
  assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  assert.equal(await phone.locator("#settings .pictured").isVisible(), true);
  await shoot(phone, "classes-phone");
});

await suite.test("every lesson of one dimension or many opens in every scene", async (open) => {
  const page = await open(at(""));
  for (const lesson of [
    "pointwise",
    "three-fits",
    "descent-epochs",
    "gaussian-ridge-tradeoff",
    "forest-or-bagging",
    "descent-samples",
    "sine-sample",
  ]) {
    await page.keyboard.press("m");
    await afterRun(page, () => page.click(`[data-lesson='${lesson}']`));
    for (const scene of ["2", "3", "4", "v", "7", "1"]) {
      await page.keyboard.press(scene);
      await drawn(page);
    }
    assert.equal((await page.textContent("#pictures")).includes("NaN"), false, lesson);
    assert.equal((await page.content()).includes("undefined"), false, lesson);
  }
});

await suite.test("dark and light", async (open) => {
  const page = await open(at(""));
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  assert.equal(await paper(), "rgb(255, 255, 255)");
  await page.keyboard.press("d");
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  assert.equal(await paper(), "rgb(24, 26, 30)");
  await shoot(page, "lab-dark");
  const other = await open(at(""), { colorScheme: "dark" });
  assert.equal(await other.evaluate(() => document.documentElement.dataset.theme), "dark");
});

await suite.test("text can be read: sizes and contrast, in both themes", async (open) => {
  for (const theme of ["light", "dark"]) {
    for (const hash of [
      "",
      "lesson=bagging-tradeoff&scene=3",
      "lesson=descent-fits&scene=5",
      "lesson=tree-tradeoff&scene=4",
      "lesson=bagging-tradeoff&scene=7&hide=none",
      "lesson=degrees-of-freedom&scene=7",
    ]) {
      const page = await open(at(`${hash}&theme=${theme}`));
      const faults = await page.evaluate(() => {
        const light = (colour) => {
          const [r, g, b] = colour.match(/[0-9.]+/g).map((part) => {
            const share = Number(part) / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
        const paper = getComputedStyle(document.documentElement).backgroundColor;
        const found = [];
        for (const text of document.querySelectorAll("#pictures text, #pictures tspan")) {
          if (text.closest(".picture").offsetParent === null || text.classList.contains("inside")) continue;
          const style = getComputedStyle(text);
          const size = Number.parseFloat(style.fontSize);
          if (size < innerHeight / 40 - 0.1) found.push(`${text.textContent}: ${size} px`);
          // Semi-bold text of this size counts as large.
          const least = Number(style.fontWeight) >= 600 && size > 18.6 ? 3 : 4.5;
          if (contrast(style.fill, paper) < (text.hasAttribute("fill") ? 3 : least))
            found.push(`${text.textContent}: ${contrast(style.fill, paper).toFixed(2)}`);
        }
        for (const button of document.querySelectorAll("button, label, output, h1")) {
          if (button.offsetParent === null || button.disabled) continue;
          const style = getComputedStyle(button);
          const ground = style.backgroundColor === "rgba(0, 0, 0, 0)" ? paper : style.backgroundColor;
          if (contrast(style.color, ground) < 4.5)
            found.push(`${button.id}: ${contrast(style.color, ground).toFixed(2)}`);
        }
        return found;
      });
      assert.deepEqual(faults, [], `${theme} ${hash}`);
    }
  }
});

await suite.test("no scrolling at 1280 × 720 and 1920 × 1080, and larger text on a key", async (open) => {
  for (const viewport of [
    { width: 1280, height: 720 },
    { width: 1920, height: 1080 },
  ]) {
    const page = await open(at("lesson=descent-fits"), { viewport });
    for (const scene of ["1", "2", "3", "4", "5", "6", "c"]) {
      await page.keyboard.press(scene);
      await drawn(page);
      const over = await page.evaluate(() => [
        document.documentElement.scrollHeight - innerHeight,
        document.documentElement.scrollWidth - innerWidth,
      ]);
      assert.ok(over[0] <= 0 && over[1] <= 0, `scene ${scene}: ${over}`);
    }
    await page.keyboard.press("c");
    await page.keyboard.press("1");
    const before = await page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    await page.waitForFunction(
      (old) => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) > old * 1.15,
      before,
    );
    await addressed(page, /size=1\.2/);
    await shoot(page, `larger-${viewport.width}`);
  }
});

await suite.test("a phone: no sideways scrolling, everything in reach, fingers draw and drag", async (open) => {
  const page = await open(at(""), PHONE);
  const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await shoot(page, "phone");
  assert.ok((await sideways()) <= 0);
  const beyond = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input, svg, h1, output")]
      .filter((one) => one.getClientRects().length > 0 && !one.closest(".tools, #tabs, #learners"))
      .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
      .map((one) => one.id || one.nodeName),
  );
  assert.deepEqual(beyond, [], "beyond the edge of the screen");
  await page.tap("#draw-one");
  await counts(page, /^1 of/);
  const small = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input")]
      .filter((one) => one.offsetParent !== null && one.type !== "checkbox")
      .filter((one) => {
        const box = one.getBoundingClientRect();
        return box.height < 40 || box.width < 40;
      })
      .map((one) => one.id || one.textContent),
  );
  assert.deepEqual(small, []);
  // A finger on the trade-off moves the marker.
  await page.locator("#picture-tradeoff").scrollIntoViewIfNeeded();
  await page.evaluate(() => document.getElementById("picture-tradeoff").scrollIntoView({ block: "start" }));
  const before = await page.inputValue("#setting-0");
  const box = await page.locator("#picture-tradeoff").boundingBox();
  await page.touchscreen.tap(box.x + box.width * 0.7, box.y + box.height * 0.5);
  await page.waitForFunction((old) => document.getElementById("setting-0").value !== old, before);
  for (const scene of [2, 3, 4, 6]) {
    await page.locator("#open-views").tap();
    await page.locator(`#tab-${scene}`).tap();
    await drawn(page);
    assert.ok((await sideways()) <= 0, `scene ${scene}`);
    await shoot(page, `phone-${scene}`);
  }
  await page.locator("#open-views").tap();
  await page.locator("#tab-1").tap();
  await settled(page);
  await page.locator("#open-more").tap();
  await page.locator("#open-controls").tap();
  await page.waitForSelector("#controls:not([hidden])");
  await page.locator("#save-toml").scrollIntoViewIfNeeded();
  assert.ok(await page.locator("#save-toml").isVisible());
  await page.locator("#control-noise-slider").scrollIntoViewIfNeeded();
  await afterRun(page, () => slide(page, "#control-noise-slider", 0.1));
  await shoot(page, "phone-controls");
  assert.ok((await sideways()) <= 0);
});

await suite.test("by keyboard alone", async (open) => {
  const page = await open(at("lesson=bagging-tradeoff"));
  const order = [];
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    const focus = await page.evaluate(() => {
      const one = document.activeElement;
      const style = getComputedStyle(one);
      const named = one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.[0]?.textContent.trim();
      return {
        id: one.id || one.dataset.learner || one.tagName,
        seen: style.outlineStyle !== "none",
        named: Boolean(named),
      };
    });
    if (focus.id === "BODY") break;
    assert.ok(focus.seen, `focus on ${focus.id} cannot be seen`);
    assert.ok(focus.named, `${focus.id} has no name`);
    order.push(focus.id);
  }
  const wanted = [
    "open-lessons",
    "ask",
    "open-views",
    "open-more",
    "0",
    "play",
    "draw-one",
    "show-hidden",
    "setting-0",
  ];
  assert.deepEqual(order, wanted);
  // A menu by keyboard, and arrows within a group.
  await page.locator("#open-more").focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.id === "open-controls");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement.id === "open-more" && document.getElementById("more").hidden);
  await page.locator("#learners [data-learner='0']").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.activeElement.getAttribute("aria-checked") === "true");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.learner), "1");
  await says(page, "fits", /of bagged trees/);
  await page.keyboard.press("ArrowRight");
  await says(page, "fits", /of tree at/);
  // Space on a focused button presses it; elsewhere it draws.
  await page.locator("#draw-one").focus();
  await page.keyboard.press("Space");
  await counts(page, /^1 of/);
  await page.locator("#draw-all").focus();
  await page.keyboard.press("Space");
  await counts(page, /^all/);
  await page.keyboard.press("?");
  await page.waitForSelector("#dialog-help[open]");
  for (const text of ["PageDown", "draw one training set", "full screen"])
    assert.ok((await page.textContent("#dialog-help")).includes(text), text);
  await shoot(page, "help");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#dialog-help", { state: "hidden" });
  await page.locator("#open-views").focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.id === "tab-1");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(
    () => document.activeElement.id === "tab-2" && document.getElementById("pictures").dataset.scene === "2",
  );
  await page.keyboard.press("Escape");
  await page.keyboard.press("c");
  await page.waitForSelector("#controls:not([hidden])");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#controls", { state: "hidden" });
  await page.keyboard.press("m");
  await page.waitForSelector("#dialog-lessons[open]");
  await page.keyboard.press("Tab");
  await afterRun(page, () => page.keyboard.press("Enter"));
  assert.doesNotMatch(await page.textContent("#title"), /One tree against/);
  await page.keyboard.press("b");
  await page.waitForSelector("#blank:not([hidden])");
  await page.keyboard.press("b");
  await page.waitForSelector("#blank", { state: "hidden" });
});

await suite.test("after a click with the mouse the space bar draws", async (open) => {
  const page = await open(at(""));
  await view(page, 2);
  await page.keyboard.press("Space");
  await counts(page, /^1 of/);
  assert.equal(await page.getAttribute("#tab-2", "aria-selected"), "true");
});

await suite.test("without motion play goes on in steps", async (open) => {
  const page = await open(at("speed=16"), { reducedMotion: "reduce" });
  await page.keyboard.press("r");
  await counts(page, /^0 of/);
  await page.keyboard.press("p");
  const seen = await page.evaluate(
    () =>
      new Promise((done) => {
        const counted = [];
        const look = () => {
          const shown = Number.parseInt(document.getElementById("count").textContent, 10);
          if (counted.at(-1) !== shown) counted.push(shown);
          if (counted.length >= 3) done(counted);
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  assert.ok(seen[1] - seen[0] >= 8 && seen[2] - seen[1] >= 8, `steps: ${seen}`);
  assert.equal(
    await page.evaluate(() => getComputedStyle(document.getElementById("pictures")).transitionDuration),
    "0s",
  );
});

await suite.test(
  "the line breaks: it says so, keeps the picture and tries again",
  async (open) => {
    const page = await open(at(""));
    const before = await words(page, "fits");
    let broken = 0;
    await page.route("**/api/run", async (route) => {
      broken++;
      if (broken === 1)
        await route.fulfill({
          status: 503,
          headers: { "retry-after": "1", "content-type": "application/json" },
          body: JSON.stringify({ error: { message: "The lab is busy.", help: null } }),
        });
      else await route.continue();
    });
    await page.keyboard.press("c");
    await slide(page, "#control-noise-slider", 0.2);
    await page.waitForFunction(() => /The lab is busy/.test(document.getElementById("notes").textContent));
    assert.equal(await words(page, "fits"), before);
    await settled(page);
    await says(page, "identity", /: 0\.0400? \+/);
    assert.equal(broken, 2);
    assert.equal(await page.textContent("#notes"), "");
  },
  { mistakes: true },
);

await suite.test("a stream that breaks off is asked for again", async (open) => {
  const page = await open(at(""));
  let asked = 0;
  await page.route("**/api/run", async (route) => {
    asked++;
    // The first answer ends after its head.
    if (asked > 1) return route.continue();
    const response = await route.fetch();
    const [head] = (await response.text()).split("\n");
    return route.fulfill({ response, body: `${head}\n` });
  });
  await page.keyboard.press("m");
  await page.click("[data-lesson='knn-tradeoff']");
  await page.waitForFunction(() => /The connection to the lab was lost/.test(document.getElementById("notes").textContent));
  await settled(page);
  await says(page, "tradeoff", /of knn over k/);
  assert.equal(asked, 2);
});

await suite.test("the class address and full screen", async (open) => {
  const page = await open(at(""));
  await page.keyboard.press("f");
  await page.waitForFunction(() => document.fullscreenElement !== null);
  await page.keyboard.press("f");
  await page.waitForFunction(() => document.fullscreenElement === null);
  await page.route("**/api/lab", async (route) => {
    const response = await route.fetch();
    const qr =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><rect width="2" height="2" fill="#fff"/><path d="M0 0h1v1h-1z"/></svg>';
    await route.fulfill({ json: { ...(await response.json()), address: "http://192.168.1.5:7878/", qr } });
  });
  await page.reload();
  await settled(page);
  await page.keyboard.press("j");
  await page.waitForSelector("#dialog-join[open]");
  assert.match(await page.textContent("#dialog-join"), /http:\/\/192\.168\.1\.5:7878\//);
  await page.waitForFunction(() => document.querySelector("#dialog-join img").naturalWidth > 0);
  await shoot(page, "class");
});

await suite.test("undo and redo, by buttons and by keys, and the title says what is changed", async (open) => {
  const page = await open(at("panel=controls"));
  const title = () => page.textContent("#title");
  assert.equal(await page.locator("#undo").isVisible(), false, "nothing to undo");
  const opened = await words(page, "identity");
  await page.keyboard.press("ArrowRight");
  await says(page, "identity", /depth = 6:/);
  await afterRun(page, () => slide(page, "#control-noise-slider", 0.2));
  await page.waitForFunction(() => / \(changed\)$/.test(document.getElementById("title").textContent));
  await afterRun(page, () => page.click("#new-seed"));
  await addressed(page, /run\.seed=2/);
  await afterRun(page, () => page.keyboard.press("Control+z"));
  await says(page, "identity", /depth = 6: .*: 0\.0400? \+/);
  assert.doesNotMatch(page.url(), /seed=2/);
  await afterRun(page, () => page.click("#undo"));
  await page.waitForFunction(() => !/changed/.test(document.getElementById("title").textContent));
  await page.click("#undo");
  await page.waitForFunction((old) => document.querySelector("#picture-identity > svg").getAttribute("aria-label") === old, opened);
  assert.equal(await page.locator("#undo").isDisabled(), true);
  await page.keyboard.press("Control+Shift+z");
  await says(page, "identity", /depth = 6:/);
  await afterRun(page, () => page.click("#redo"));
  await says(page, "identity", /: 0\.0400? \+/);
  assert.match(await title(), /changed/);
  // A slider that is dragged is one step.
  await page.waitForTimeout(1000);
  await page.locator("#control-noise-slider").evaluate((slider) => {
    for (const sd of [0.3, 0.4, 0.6]) {
      slider.value = String(sd);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
  await settled(page);
  await says(page, "identity", /: 0\.3600? \+/);
  await afterRun(page, () => page.keyboard.press("Control+z"));
  await says(page, "identity", /: 0\.0400? \+/);
  // A text field undoes its own letters.
  await page.fill("#control-expression", "sin(x) + 1");
  await page.locator("#control-expression").focus();
  await page.keyboard.press("Control+z");
  await drawn(page);
  assert.match(await title(), /changed/);
});

await suite.test("the table of numbers follows the run, and play waits behind a dialog", async (open) => {
  const page = await open(at("drawn=8&panel=numbers&speed=8"));
  assert.match(await page.textContent("#dialog-numbers"), /From 8 training sets/);
  await page.evaluate(() => {
    location.hash = location.hash.replace("drawn=8", "drawn=12");
  });
  await page.waitForFunction(() => /From 12 training sets/.test(document.getElementById("dialog-numbers").textContent));
  await page.keyboard.press("Escape");
  await page.keyboard.press("p");
  await page.waitForFunction(() => document.getElementById("play").getAttribute("aria-pressed") === "true");
  await page.keyboard.press("e");
  await page.waitForSelector("#dialog-export[open]");
  assert.equal(await page.getAttribute("#play", "aria-pressed"), "false");
  const stopped = await count(page);
  await page.waitForTimeout(400);
  assert.equal(await count(page), stopped);
});

await suite.test("at first sight there are seven things to press, and single keys can be switched off", async (open) => {
  const page = await open(at(""));
  const pressed = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input, a, summary")]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }))
      .map((one) => one.id),
  );
  assert.ok(pressed.length <= 7, pressed.join(" "));
  await page.keyboard.press("?");
  await page.waitForSelector("#dialog-help[open]");
  await page.uncheck("#character-keys");
  await page.keyboard.press("Escape");
  for (const key of ["d", "2", "c", "."]) await page.keyboard.press(key);
  await drawn(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  assert.equal(await page.getAttribute("#pictures", "data-scene"), "1");
  assert.equal(await page.locator("#controls").isVisible(), false);
  await page.keyboard.press("Space");
  await counts(page, /^1 of/);
  await page.reload();
  await settled(page);
  await page.keyboard.press("d");
  await drawn(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light", "it is remembered");
});

await suite.test("the experiment as TOML beside the picture, with what is changed", async (open) => {
  const page = await open(at("panel=source"));
  await page.waitForFunction(() => /\[problem\]/.test(document.querySelector("#source pre")?.textContent ?? ""));
  assert.equal(await page.locator("#source ins, #source del").count(), 0);
  const [text, picture] = await Promise.all(["#source", "#pictures"].map((one) => page.locator(one).boundingBox()));
  assert.ok(picture.x + picture.width <= text.x + 1 && text.x + text.width <= 1281);
  await afterRun(page, () =>
    page.evaluate(() => {
      location.hash = `${location.hash}&set=${encodeURIComponent("problem.train=50")}`;
    }),
  );
  await page.waitForSelector("#source ins");
  assert.deepEqual(await page.locator("#source ins").allTextContents(), ["train = 50"]);
  assert.deepEqual(await page.locator("#source del").allTextContents(), ["train = 100"]);
  assert.match(await page.textContent("#source-changed"), /1 line changed/);
  await shoot(page, "source");
});

await suite.test("hostile words stay words", async (open) => {
  const toml =
    'title = "<img src=x onerror=alert(1)>"\nquestion = "<b>bold</b>"\n[problem]\ntruth = "x"\ninputs = { uniform = [0, 1] }\nnoise = { normal = 0.1 }\ntrain = 12\n[[learner]]\nname = "<script>1</script>"\nknn = { k = 2 }\n[run]\nresamples = 10\n';
  const page = await open(at(`toml=${encodeURIComponent(toml)}&step=question`));
  assert.equal(await page.textContent("#title"), "<img src=x onerror=alert(1)>");
  assert.equal(await page.locator("#title img, #card b, #learners script").count(), 0);
});

await browser.close();
console.log(`${suite.count} tests, ${suite.failed} failed`);
process.exit(suite.failed === 0 ? 0 : 1);
