// The page as a teacher: `node teach.mjs URL OUTDIR` with the address that `bvlab lab` prints. Every question
// is about what is on the screen, courses are followed, the first visit, terms, and the presenter's window.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { Suite, addressed, counts, drawn, openBrowser, settled, words } from "./browser.mjs";

const [, , address, out] = process.argv;
const [lab, key] = address.split("#");
const at = (hash, search = "") => `${lab}${search}#${hash === "" ? "" : `${hash}&`}${key}`;
await mkdir(out, { recursive: true });
const browser = await openBrowser();
const suite = new Suite(browser, out);
const shoot = (page, name) => page.screenshot({ path: path.join(out, `${name}.png`) });

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

// Fewer training sets show the same things.
const FEW = ["run.resamples=24"];

const SIXTY = [
  "sine-sample",
  "knn-fits",
  "tree-train-test",
  "three-fits",
  "dartboards",
  "tree-tradeoff",
  "bagging-tradeoff",
  "descent-fits",
];

// Waits until the figure that the program draws is there.
async function figured(page) {
  await page.waitForFunction(() => {
    const image = document.getElementById("figure-image");
    return image ? image.complete && image.naturalWidth > 0 : document.getElementById("pictures").dataset.scene !== "6";
  });
}

// All words that can be seen beside the question: of the pictures, of a figure, of learners and sliders.
async function inSight(page, lesson) {
  const { texts, figure } = await page.evaluate(() => {
    const seen = (one) => one.checkVisibility();
    const texts = [...document.querySelectorAll("#pictures svg text")].filter(seen).map((one) => one.textContent);
    const image = document.getElementById("figure-image");
    const pictured = image && seen(image);
    if (pictured) texts.push(image.alt);
    for (const id of ["learners", "settings", "title"]) texts.push(document.getElementById(id).innerText);
    const choice = [...document.querySelectorAll("#server-figure .choice button")];
    return { texts, figure: pictured ? Math.max(0, choice.findIndex((one) => one.ariaPressed === "true")) : null };
  });
  return [...texts, ...(figure === null ? [] : [await figureWords(lesson, figure)])].join("\n");
}

// The words of a figure, as the program writes them.
async function figureWords(lesson, figure) {
  const headers = { "content-type": "application/json", "x-bvlab-key": key.replace("lecturer=", "") };
  const body = JSON.stringify({ lesson, set: FEW, what: "svg", figure });
  const svg = await (await fetch(`${lab}api/export`, { method: "POST", headers, body })).text();
  return [...svg.matchAll(/<text[^>]*>([^]*?)<\/text>/g)].map(([, text]) => text.replace(/<[^>]*>/g, "")).join("\n");
}

// What a question can refer to, and how it is written on the screen.
const REFERRED = [
  [/\bbias/i, /bias/i, "bias"],
  [/\bvariance\b/i, /variance/i, "variance"],
  [/\bnoise\b/i, /noise/i, "noise"],
  [/training error/i, /training error|training, mean|train risk/i, "training"],
  [/testing error/i, /test|measured/i, "risk"],
  [/\brisk\b/i, /risk/i, "risk"],
  [/\btree|\bstump/i, /tree|stump|leaf|leaves|depth/i],
  [/bagg/i, /bagg|bootstrap/i],
  [/\bboosting\b/i, /boost|rounds/i],
  [/forest/i, /forest|full trees|trees of full size|number of full/i],
  [/neighbour/i, /neighbour|knn/i],
  [/\bdepth\b/i, /depth/i],
  [/\bdegree\b/i, /degree/i],
  [/bandwidth/i, /bandwidth/i],
  [/λ|penalty/i, /λ|lambda|penalty/i],
  [/\bwidth\b/i, /width|hidden units/i],
  [/\bfeatures\b/i, /features|\bp\b/i],
  [/\bp = n\b|\bp ≥ n\b/i, /p = n|n = p/i],
  [/\bk = |which k\b/i, /\bk\b/],
  [/\bepochs\b/i, /epochs/i],
  [/\bboard\b/i, /→ x = /],
  [/exponential loss/i, /exponential/i],
  [/empirical risk/i, /empirical/i],
  [/population risk/i, /population/i],
  [/\bdiversity\b/i, /diversity/i],
];

// What a question speaks of without pointing at it.
const KNOWN = {
  "boosting-rounds": [/bagg/i], // the lesson before it
  "majority-vote": [/bagg/i, /\btree/i], // where the picture is to be applied
  "no-free-lunch": [/neighbour/i],
  "bootstrap-share": [/bagg/i],
  "degrees-of-freedom": [/depth/i], // one tree among the learners of the figure, over degrees of freedom
};

// The values that are named with what they are values of.
const VALUES = [
  [/depth (?:of )?(\d+)/gi, "depth"],
  [/\bk = (\d+)/g, "k"],
  [/degree (\d+)/gi, "degree"],
  [/(\d+) features/gi, "features"],
];

// The lessons of the menu, in order.
const lessonsOf = (page) => page.locator("[data-lesson]").evaluateAll((all) => all.map((one) => one.dataset.lesson));

await suite.test("the menu has the lessons in the order of the course", async (open) => {
  const page = await open(at("panel=lessons"));
  const lessons = await lessonsOf(page);
  assert.ok(lessons.length >= 50, `only ${lessons.length}`);
  assert.equal(new Set(lessons).size, lessons.length);
  const units = await page.locator("#dialog-lessons h3").allTextContents();
  assert.equal(units[0], "1. Training error deceives");
  assert.ok(!units.includes("Other lessons"), "a lesson is in no unit");
  assert.equal(lessons[0], "sine-sample");
  await page.click("[data-course=sixty-minutes]");
  assert.deepEqual(await lessonsOf(page), SIXTY);
  assert.match(await page.textContent("#dialog-lessons .progress"), /0 of 8 lessons done/);
  await shoot(page, "teach-menu");
});

await suite.test("every question is about what is on the screen", async (open) => {
  const page = await open(at("panel=lessons"));
  const lessons = await lessonsOf(page);
  assert.ok(lessons.length >= 50, `only ${lessons.length}`);
  page.setDefaultTimeout(120_000);
  const wrong = [];
  for (const lesson of lessons) {
    await page.goto("about:blank");
    await page.goto(at(`lesson=${lesson}&step=question&set=${encodeURIComponent(FEW[0])}`));
    await settled(page).catch(() => wrong.push(`${lesson}: it does not open`));
    await figured(page).catch(() => wrong.push(`${lesson}: its figure does not come`));
    const question = await page.textContent("#card .question");
    const sight = await inSight(page, lesson);
    const hidden = await page.evaluate(() => document.getElementById("show-hidden").dataset.words ?? "");
    const lacks = (what) => wrong.push(`${lesson}: ${what} of “${question}” cannot be seen`);
    for (const [asked, shown, part] of REFERRED) {
      if (!asked.test(question) || shown.test(sight)) continue;
      if (part && hidden.split(",").includes(part)) continue;
      // The training error is the distance of a fit from its points.
      const near = async (name) => (await page.locator(`#picture-fits ${name}`).count()) > 0;
      if (part === "training" && (await near(".data")) && (await near(".curve.variance"))) continue;
      if (KNOWN[lesson]?.some((one) => one.source === asked.source || one.test(question.match(asked)[0]))) continue;
      lacks(asked.source);
    }
    for (const [pattern, name] of VALUES)
      for (const [, value] of question.matchAll(pattern)) {
        const named = sight.includes(`${name} = ${value}`);
        const axis = await page.locator("#picture-tradeoff svg, #server-figure img").first().isVisible();
        if (!named && !axis && !(await page.locator("#server-figure img").isVisible())) lacks(`${name} ${value}`);
      }
    if (/\bthe three\b|all three/i.test(question)) {
      const panels = await page.locator("#picture-fits text.heading").count();
      if (panels !== 3) lacks(`${panels} of three panels`);
    }
    // Nothing lies over the picture, and it is large enough to be looked at.
    const room = await page.evaluate(() => {
      const one = [...document.querySelectorAll("#pictures > :is(.picture, #server-figure)")].find((it) => it.checkVisibility());
      const box = one?.getBoundingClientRect();
      if (!box) return "nothing is shown";
      const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      if (!one.contains(top)) return `${top?.id || top?.nodeName} lies over it`;
      return box.height >= 180 ? "" : `it is ${Math.round(box.height)} pixels high`;
    });
    if (room) wrong.push(`${lesson}: ${room}`);
  }
  assert.deepEqual(wrong, []);
});

await suite.test("a lesson opens as its table says, and a link says only what is other", async (open) => {
  const page = await open(at("lesson=sine-sample"));
  await counts(page, /^1 of 50/);
  assert.equal(await page.locator("#picture-fits .truth").count(), 0);
  assert.equal(await page.locator("#picture-fits .curve.variance").count(), 0);
  assert.match(await words(page, "fits"), /the training points alone/);
  await addressed(page, /^#lesson=sine-sample$/);
  await page.click("#show-hidden");
  await drawn(page);
  assert.equal(await page.locator("#picture-fits .curve.truth").count(), 1);
  await addressed(page, /hide=none/);
  await page.keyboard.press("End");
  await counts(page, /^all 50/);
  await addressed(page, /drawn=all/);
  // The link restores what was seen, not the opening.
  const again = await open(page.url().replace("#", `#${key}&`));
  await counts(again, /^all 50/);
  assert.equal(await again.locator("#picture-fits .curve.truth").count(), 1);
  // What the address says comes before the table.
  const other = await open(at("lesson=three-fits&scene=1&drawn=all"));
  await counts(other, /^all 200/);
  assert.equal(await other.getAttribute("#pictures", "data-scene"), "1");
});

await suite.test("fits stand side by side, and a click looks at one of them", async (open) => {
  const page = await open(at("lesson=three-fits"));
  assert.deepEqual(await page.locator("#picture-fits text.heading").allTextContents(), [
    "polynomial, degree = 1",
    "polynomial, degree = 4",
    "polynomial, degree = 12",
  ]);
  // As many fits in each as training sets are drawn.
  assert.equal(await page.locator("#picture-fits .curve.variance").count(), 3 * 5);
  const box = await page.locator("#picture-fits").boundingBox();
  await page.mouse.click(box.x + 0.85 * box.width, box.y + box.height / 2);
  await page.waitForFunction(() => /degree = 12/.test(document.getElementById("settings").textContent));
  await shoot(page, "teach-three-fits");
});

await suite.test("the clicker's two keys go through the course of sixty minutes", async (open) => {
  const page = await open(at("course=sixty-minutes&lesson=sine-sample"));
  const lessonNow = () => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("lesson"));
  for (const [i, lesson] of SIXTY.entries()) {
    if (i === 0) await page.keyboard.press("PageDown");
    await addressed(page, new RegExp(`lesson=${lesson}&.*step=question|lesson=${lesson}.*step=question`));
    await settled(page);
    assert.equal(await lessonNow(), lesson);
    assert.ok(await page.isVisible("#card .question"));
    await page.keyboard.press("PageDown");
    await page.waitForSelector("#show-hidden", { state: "hidden" });
    await page.keyboard.press("PageDown");
    await counts(page, /^all/);
    await page.keyboard.press("PageDown");
    await page.waitForSelector("#strip .answer");
    await page.waitForFunction(() => !document.querySelector("#strip .answer").textContent.includes("…"));
    assert.match(await page.textContent("#strip .course"), new RegExp(`Lesson ${i + 1} of 8`));
    await page.keyboard.press("PageDown");
  }
  // The way back.
  await page.keyboard.press("PageUp");
  await page.waitForSelector("#strip .answer", { state: "detached" });
  await page.keyboard.press("PageUp");
  await page.waitForSelector("#card .question");
  await page.keyboard.press("PageUp");
  await addressed(page, /lesson=bagging-tradeoff.*step=answer/);
  // What was answered is done.
  await page.keyboard.press("m");
  assert.match(await page.textContent("#dialog-lessons .progress"), /8 of 8 lessons done/);
  await addressed(page, /panel=lessons/);
  await page.reload();
  await settled(page);
  assert.match(await page.textContent("#dialog-lessons .progress"), /8 of 8 lessons done/);
});

await suite.test("a lesson offers the controls and variants that it names", async (open) => {
  const toml = await (await fetch(`${lab}api/lessons`, { headers: { "X-Bvlab-Key": key.replace("lecturer=", "") } })).json();
  const { text } = toml.find((lesson) => lesson.name === "tree-tradeoff");
  const own = `${text.replace(/\n\[lab\][^]*$/, "\n")}\n[lab]\ncontrols = ["train"]\nvariants = []\n`;
  const page = await open(at(`toml=${encodeURIComponent(own)}&panel=controls&step=answer`));
  assert.ok(await page.isVisible("#control-train"));
  for (const id of ["control-noise", "control-truth", "control-seed", "control-toml"])
    assert.equal(await page.isVisible(`#${id}`), false, id);
  assert.equal(await page.locator("#strip .variants").count(), 0);
  await page.click("#all-controls");
  await page.waitForSelector("#control-noise");
  assert.equal(await page.locator("#all-controls").count(), 0);
});

const FIRST = { first: true };

await suite.test(
  "the first visit: one training set, one sentence, one button; by keyboard alone",
  async (open) => {
    const page = await open(at(""));
    assert.match(await page.textContent("#tour"), /Noisy measurements of an unknown function/);
    assert.equal(await page.locator("#picture-fits .curve.variance").count(), 1);
    const pressable = await page.locator("button:visible:not(.term)").allTextContents();
    assert.deepEqual(pressable, ["▶ Play", "Skip"]);
    await shoot(page, "teach-first");
    await page.keyboard.press("Enter");
    const seen = await page.evaluate(
      () =>
        new Promise((done) => {
          const captions = [];
          const look = () => {
            const text = document.querySelector("#tour p")?.textContent ?? "";
            if (captions.at(-1) !== text) captions.push(text);
            if (document.getElementById("tour-course")) done(captions);
            else requestAnimationFrame(look);
          };
          look();
        }),
    );
    assert.ok(seen.some((text) => /Each orange line is a fit to another training set/.test(text)), seen.join("|"));
    assert.ok(seen.some((text) => /The spread of orange is the variance/.test(text)), seen.join("|"));
    assert.ok(await page.isVisible("#picture-tradeoff"));
    await page.keyboard.press("Enter");
    await addressed(page, /lesson=sine-sample.*step=question/);
    // It is remembered.
    await page.goto("about:blank");
    await page.goto(at(""));
    await settled(page);
    assert.equal(await page.isVisible("#tour"), false);
    await counts(page, /^all 1000/);
  },
  FIRST,
);

await suite.test(
  "the first visit can be skipped, and neither links nor frames have it",
  async (open) => {
    for (const address of [at("lesson=knn-fits"), at("lesson=tree-tradeoff&drawn=4"), at("", "?embed")]) {
      const page = await open(address);
      assert.equal(await page.isVisible("#tour"), false, address);
    }
    const page = await open(at(""), { reducedMotion: "reduce" });
    await page.click("#tour-skip");
    await counts(page, /^all 1000/);
    assert.equal(await page.isVisible("#tour"), false);
    assert.ok(await page.isVisible("#picture-tradeoff"));
    const small = await open(at(""), PHONE);
    assert.ok(await small.isVisible("#tour-play"));
    await shoot(small, "teach-first-phone");
  },
  FIRST,
);

await suite.test("terms are explained on hover, focus and tap, and light up their parts", async (open) => {
  const page = await open(at("lesson=three-fits&step=question&scene=1"));
  const opacity = (selector) =>
    page
      .locator(selector)
      .first()
      .evaluate((one) => getComputedStyle(one).opacity);
  await page.hover("#card [data-term=variance]");
  await page.waitForSelector("#term:visible");
  assert.match(await page.textContent("#term"), /scatter around their own mean/);
  assert.equal(await page.locator("#term math").count(), 1);
  // In both panels.
  assert.equal(await opacity("#picture-fits .curve.variance"), "1");
  assert.equal(await opacity("#picture-tradeoff .curve.variance"), "1");
  assert.notEqual(await opacity("#picture-fits .curve.truth"), "1");
  assert.notEqual(await opacity("#picture-tradeoff .curve.bias"), "1");
  await shoot(page, "teach-term");
  await page.mouse.move(5, 700);
  await page.waitForSelector("#term", { state: "hidden" });
  assert.equal(await opacity("#picture-fits .curve.truth"), "1");
  // By keyboard.
  await page.focus("#card [data-term=bias]");
  await page.waitForSelector("#term:visible");
  assert.equal(await page.getAttribute("#card [data-term=bias]", "aria-describedby"), "term");
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible("#term"), false);
  assert.ok(await page.isVisible("#card"), "Escape took away the term only");
  // On a label of a picture.
  await page.hover("#picture-tradeoff text.ink-noise");
  await page.waitForSelector("#term:visible");
  assert.match(await page.textContent("#term"), /no learner can predict/);
  // All of them, each with what it says; formulas are well formed.
  await page.mouse.move(5, 700);
  await page.keyboard.press("?");
  await page.click("#all-terms summary");
  assert.ok((await page.locator("#all-terms dt").count()) >= 30);
  assert.ok((await page.locator("#all-terms math").count()) >= 20);
  assert.equal(await page.locator("#all-terms parsererror").count(), 0);
  const tall = await page.locator("#all-terms math").evaluateAll((all) => all.every((one) => one.getBoundingClientRect().height > 8));
  assert.ok(tall, "a formula has no size");
  const phone = await open(at("lesson=three-fits&step=question"), PHONE);
  await phone.tap("#card [data-term=variance]");
  await phone.waitForSelector("#term:visible");
  await shoot(phone, "teach-term-phone");
  await phone.tap("#title");
  await phone.waitForSelector("#term", { state: "hidden" });
});

await suite.test("the presenter's window has notes, clock, the next lesson and the answer", async (open) => {
  const page = await open(at("course=sixty-minutes&lesson=three-fits&step=question"));
  const [notes] = await Promise.all([page.context().waitForEvent("page"), page.keyboard.press("k")]);
  await notes.waitForSelector("#clock");
  const text = () => notes.textContent("body");
  assert.match(await text(), /Lesson 4 of 8/);
  assert.match(await text(), /Name the two kinds of error/);
  assert.match(await text(), /The straight line has the bias/);
  assert.match(await text(), /of 60 min/);
  assert.match(await text(), /Four learners at the dartboard/);
  // The class sees none of it.
  const seen = await page.evaluate(() => document.body.innerText);
  assert.ok(!/The straight line has the bias|Name the two kinds/.test(seen));
  await notes.waitForFunction(() => document.getElementById("clock").textContent !== "0:00");
  // It goes on from there, by button and by key.
  await notes.click("#on");
  await page.waitForSelector("#card", { state: "hidden" });
  await notes.keyboard.press("PageDown");
  await notes.keyboard.press("PageDown");
  await page.waitForSelector("#strip .answer");
  await notes.waitForFunction(() => /The class sees the answer/.test(document.body.textContent));
  await shoot(notes, "teach-presenter");
  await notes.close();
  await page.keyboard.press("PageDown");
  await addressed(page, /lesson=dartboards/);
});

await suite.test("a phone shows question, panels and menu", async (open) => {
  const page = await open(at("lesson=three-fits&step=question"), PHONE);
  assert.ok(await page.isVisible("#card .question"));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
  assert.ok(wide, "the page is wider than the phone");
  await shoot(page, "teach-phone-question");
  await page.locator("#picture-fits").scrollIntoViewIfNeeded();
  const box = await page.locator("#picture-fits").boundingBox();
  assert.ok(box.height > 600, `three panels in ${box.height} pixels`);
});

await browser.close();
console.log(`${suite.count} tests, ${suite.failed} failed`);
process.exit(suite.failed === 0 ? 0 : 1);
