// Simulations on the live page: `node simulations.mjs ADDRESS OUTDIR`; BVLAB_PROGRAM is the program, whose
// numbers and pictures the page has to show.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Suite, addressed, afterRun, count, counts, download, drawn, openBrowser, settled } from "./browser.mjs";

const [, , address, out] = process.argv;
await mkdir(out, { recursive: true });
const program = process.env.BVLAB_PROGRAM;
const folder = await mkdtemp(path.join(tmpdir(), "bvlab-"));
const browser = await openBrowser();
const suite = new Suite(browser, out);
const at = (query) => `${address}${address.includes("#") ? "&" : "#"}${query}`;
const shoot = (page, name) => page.screenshot({ path: path.join(out, `simulation-${name}.png`) });

let runs = 0;

// What the program writes for a lesson with these keys: its table, and its figures.
async function written(lesson, sets, resamples) {
  const place = path.join(folder, String(runs++));
  const keys = sets.flatMap((set) => ["--set", set]);
  const more = ["--resamples", String(resamples), "--format", "svg", "--quiet", "--out", place];
  execFileSync(program, ["run", lesson, ...keys, ...more]);
  const file = (name) => readFile(path.join(place, lesson, name), "utf8");
  return { csv: await file("simulation.csv"), svg: await file("simulation.svg") };
}

// Moves a slider to a place, as a finger does.
async function slide(page, selector, place) {
  await page.locator(selector).evaluate((input, to) => {
    input.value = String(to);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, place);
}

// Waits until the figure that was asked for last is there.
async function pictured(page) {
  await page.waitForFunction(() => {
    const holder = document.getElementById("server-figure");
    const image = document.getElementById("figure-image");
    return !holder.hasAttribute("data-old") && image !== null && image.complete;
  });
  await drawn(page);
}

const source = (page) => page.getAttribute("#figure-image", "src");

// The policy of the page allows nobody to fetch a picture, so that its text is kept when it is made.
const keepsPictures = {
  before: () => {
    window.made = new Map();
    const make = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob) => {
      const url = make(blob);
      window.made.set(url, blob);
      return url;
    };
  },
};
const svgOf = async (page) => page.evaluate((url) => window.made.get(url).text(), await source(page));

async function exported(page, id) {
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("e");
  await page.waitForSelector("#dialog-export[open]");
  const { bytes } = await download(page, `#export-${id}`, out);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector("dialog[open]") === null);
  // Keys go to the page again, not to the button in the closed dialog.
  await page.evaluate(() => document.activeElement.blur());
  return bytes.toString();
}

for (const [lesson, slider, place, key] of [
  ["majority-vote", "#with-error", 12, "with.error"],
  ["hoeffding", "#with-tolerance", 30, "with.tolerance"],
  ["finite-class-bound", "#with-train", 20, "with.train"],
  ["empirical-or-population", "#with-noise", 5, "with.noise"],
]) {
  await suite.test(`a slider of ${lesson} changes what the program would`, async (open) => {
    const page = await open(at(`lesson=${lesson}&set=run.resamples%3D400`));
    await pictured(page);
    const before = await source(page);
    await afterRun(page, () => slide(page, slider, place));
    await page.waitForFunction((old) => document.getElementById("figure-image").src !== old, before);
    await pictured(page);
    await addressed(page, new RegExp(key.replace(".", "\\.")));
    const words = await page.getAttribute(slider, "aria-valuetext");
    const [name, value] = words.split(" = ");
    assert.equal(`with.${name}`, key);
    const wanted = await written(lesson, [`${key}=${value}`], 400);
    assert.equal(await exported(page, "csv"), wanted.csv);
    assert.ok((await svgOf(page)) === wanted.svg);
    await shoot(page, lesson);
    // Undo is as it opened, redo as it was moved.
    const moved = await source(page);
    await afterRun(page, () => page.keyboard.press("Control+z"));
    await page.waitForFunction((old) => document.getElementById("figure-image").src !== old, moved);
    await pictured(page);
    assert.equal(await exported(page, "csv"), (await written(lesson, [], 400)).csv);
    await afterRun(page, () => page.keyboard.press("Control+Shift+z"));
    await addressed(page, new RegExp(key.replace(".", "\\.")));
  }, keepsPictures);
}

await suite.test("the pictures on the way are those of shorter runs", async (open) => {
  const page = await open(at("lesson=majority-vote&set=run.resamples%3D1000"));
  await pictured(page);
  assert.equal(await count(page), "all 1000 resamples");
  for (const [key, many] of [["r", 4], ["Space", 6], ["Space", 8], ["Space", 12], ["Backspace", 8]]) {
    const old = await source(page);
    await page.keyboard.press(key);
    await counts(page, new RegExp(`^${many} of 1000 resamples`));
    await page.waitForFunction((one) => document.getElementById("figure-image").src !== one, old);
    await pictured(page);
    const wanted = await written("majority-vote", [], many);
    assert.ok((await svgOf(page)) === wanted.svg, `${many}`);
    assert.equal(await exported(page, "csv"), wanted.csv, `${many}`);
  }
  await addressed(page, /drawn=8/);
  await shoot(page, "on-the-way");
  // Play goes on to the end, and a link to the middle stands there.
  for (let i = 0; i < 3; i++) await page.keyboard.press("]");
  await page.keyboard.press("p");
  await counts(page, /^all 1000 resamples/);
  await page.waitForFunction(() => document.getElementById("play").textContent.includes("Play"));
  const linked = await open(at("lesson=majority-vote&set=run.resamples%3D1000&drawn=48"));
  await pictured(linked);
  assert.equal(await count(linked), "48 of 1000 resamples");
  assert.ok((await svgOf(linked)) === (await written("majority-vote", [], 48)).svg);
}, keepsPictures);

await suite.test("a slow simulation streams in", async (open) => {
  const page = await open(at("lesson=majority-vote"));
  await pictured(page);
  const seen = page.evaluate(
    () =>
      new Promise((done) => {
        const counted = [];
        const watch = new MutationObserver(() => {
          counted.push(document.getElementById("count").textContent);
          if (document.documentElement.dataset.state === "done" && counted.some((one) => /so far/.test(one))) {
            watch.disconnect();
            done({ counted });
          }
        });
        watch.observe(document.body, { subtree: true, childList: true, attributes: true });
        setTimeout(() => done({ counted }), 60_000);
      }),
  );
  const pictures = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/export")) pictures.push(JSON.parse(request.postData()).count ?? "all");
  });
  await page.keyboard.press("c");
  await page.fill("#control-resamples", "4000000");
  await page.press("#control-resamples", "Enter");
  const { counted } = await seen;
  assert.ok(counted.some((one) => / of 4.000.000 resamples so far/.test(one)), counted.slice(0, 20).join("; "));
  await counts(page, /^all 4.000.000 resamples/);
  await pictured(page);
  // Pictures on the way came one after the other, then that of all.
  assert.ok(pictures.length > 1 && pictures.at(-1) === "all", pictures.join());
  const rising = pictures.slice(0, -1);
  assert.deepEqual(rising, [...rising].sort((a, b) => a - b));
});

await suite.test(
  "numbers and lists of the controls, and what is refused",
  async (open) => {
    const page = await open(at("lesson=simplex&set=run.resamples%3D60"));
    await pictured(page);
    await page.keyboard.press("c");
    await page.waitForSelector("#control-with-sizes");
    // Figures that name panels of other sizes show all panels.
    await afterRun(page, async () => {
      await page.fill("#control-with-sizes", "30, 90");
      await page.press("#control-with-sizes", "Enter");
    });
    await pictured(page);
    assert.match(await page.getAttribute("#figure-image", "alt"), /n = 90/);
    assert.equal(
      await exported(page, "csv"),
      (await written("simplex", ["with.sizes=[30, 90]", "figure.0.simulation={}"], 60)).csv,
    );
    const other = await open(at("lesson=majority-vote&set=run.resamples%3D200&panel=controls"));
    await pictured(other);
    const old = await source(other);
    await other.fill("#control-with-error", "1.5");
    await other.press("#control-with-error", "Enter");
    await other.waitForSelector("[data-row='control-with-error'] .mistake");
    assert.match(await other.textContent("[data-row='control-with-error'] .mistake"), /`error` can be at most 0.99, not 1.5/);
    assert.equal(await source(other), old, "the picture stays");
    await shoot(other, "refused");
    await afterRun(other, async () => {
      await other.fill("#control-with-error", "0.45");
      await other.press("#control-with-error", "Enter");
    });
    await pictured(other);
    assert.equal(await other.locator(".mistake").count(), 0);
    assert.equal(await exported(other, "csv"), (await written("majority-vote", ["with.error=0.45"], 200)).csv);
    assert.match(await exported(other, "toml"), /error = 0\.45/);
  },
  { mistakes: true },
);

await suite.test("every simulation has something to move", async (open) => {
  const page = await open(at("lesson=estimators&set=run.resamples%3D50"));
  const lab = await page.evaluate(async () => {
    const key = localStorage.getItem("bvlab-key");
    return (await fetch("api/lab", { headers: key ? { "x-bvlab-key": key } : {} })).json();
  });
  assert.ok(lab.simulations.length >= 27);
  const lessons = lab.lessons.filter((one) => one.pictured?.startsWith("A simulation"));
  assert.ok(lessons.length >= 28, `${lessons.length}`);
  for (const { name } of lessons) {
    await page.goto(at(`lesson=${name}&set=run.resamples%3D12&panel=controls`));
    await page.reload();
    await settled(page);
    await pictured(page);
    const sliders = page.locator("#settings input[type=range]");
    const lists = page.locator("#controls [id^=control-with-][type=text]");
    assert.ok((await sliders.count()) + (await lists.count()) > 0, name);
    if ((await sliders.count()) === 0) continue;
    const old = await source(page);
    const end = Number(await sliders.first().getAttribute("max"));
    const now = Number(await sliders.first().inputValue());
    const moved = () => slide(page, "#settings input[type=range] >> nth=0", now < end ? now + 1 : now - 1);
    await afterRun(page, moved).catch(() => assert.fail(`${name} does not run`));
    await page
      .waitForFunction((one) => document.getElementById("figure-image")?.src !== one, old)
      .catch(() => assert.fail(`${name} shows no other figure`));
    await pictured(page);
    assert.equal(await page.locator("#server-figure .failed").count(), 0, name);
  }
});

await suite.test("a page that computes by itself has the same pictures and numbers", async (open) => {
  const page = await open(at("lesson=majority-vote&set=run.resamples%3D400").replace("/#", "/?engine=worker#"));
  await page.waitForFunction(() => window.bvlab.engine === "worker");
  await pictured(page);
  const before = await source(page);
  await slide(page, "#with-error", 12);
  await page.waitForFunction((old) => document.getElementById("figure-image").src !== old, before);
  await settled(page);
  await pictured(page);
  const [, value] = (await page.getAttribute("#with-error", "aria-valuetext")).split(" = ");
  const sets = [`with.error=${value}`];
  assert.equal(await exported(page, "csv"), (await written("majority-vote", sets, 400)).csv);
  for (const [key, many] of [["r", 4], ["Space", 6], ["Space", 8]]) {
    const old = await source(page);
    await page.keyboard.press(key);
    await counts(page, new RegExp(`^${many} of 400 resamples`));
    await page.waitForFunction((one) => document.getElementById("figure-image").src !== one, old);
    await pictured(page);
    assert.equal(await exported(page, "csv"), (await written("majority-vote", sets, many)).csv, `${many}`);
  }
});

await suite.test("on a phone and in the dark", async (open) => {
  for (const [name, more] of [
    ["phone", { viewport: { width: 390, height: 844 } }],
    ["dark", { colorScheme: "dark" }],
  ]) {
    const page = await open(at("lesson=missing-values&set=run.resamples%3D100"), more);
    await pictured(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
    const old = await source(page);
    await afterRun(page, () => slide(page, "#with-correlation", 3));
    await page.waitForFunction((one) => document.getElementById("figure-image").src !== one, old);
    await pictured(page);
    await shoot(page, name);
  }
});

await suite.test("the steps of EM are walked through panel by panel", async (open) => {
  const page = await open(at("lesson=em-steps"));
  await pictured(page);
  for (const panel of ["EM 0", "EM 1"]) {
    const before = await source(page);
    await page.click("#panel-after");
    await page.waitForFunction((old) => document.getElementById("figure-image").src !== old, before);
    await pictured(page);
    const sets = [`figure.0.simulation.panels=["${panel}"]`, "figure.0.simulation.notes=[]"];
    assert.ok((await svgOf(page)) === (await written("em-steps", sets, 300)).svg, panel);
  }
  await shoot(page, "em-step");
  assert.equal(await page.inputValue("#panel"), "1");
  const before = await source(page);
  await page.selectOption("#panel", "-1");
  await page.waitForFunction((old) => document.getElementById("figure-image").src !== old, before);
  await pictured(page);
  assert.ok((await svgOf(page)) === (await written("em-steps", [], 300)).svg);
}, keepsPictures);

await browser.close();
console.log(`${suite.count} tests, ${suite.failed} failed`);
process.exit(suite.failed === 0 ? 0 : 1);
