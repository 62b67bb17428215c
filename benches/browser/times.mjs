// How long a page that computes by itself keeps its reader waiting, in Chromium and in Firefox: from the
// navigation to the first picture, to the first picture that was computed and not recorded, and after
// a slider was moved. Every time is the median of five visits, each in a fresh profile.
//
//   node times.mjs PAGE.html SITE [VISITS]
//
// PAGE is what `bvlab run tree-tradeoff --page` wrote, SITE a folder of `bvlab site` with that lesson.
import { loadavg } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { launch, serveFolder, until } from "../../tests/browser/puppet.mjs";

const [, , file, site, visits = "5"] = process.argv;
const CHANGED = `#lesson=tree-tradeoff&set=${encodeURIComponent("problem.train=60")}`;

// Notes when the trade-off is on the screen: a frame after its curves are in the page.
const watch = () => {
  const look = () => {
    if (!document.querySelector("#picture-tradeoff .curve")) return requestAnimationFrame(look);
    requestAnimationFrame(() => {
      window.pictured = performance.now();
    });
  };
  requestAnimationFrame(look);
};

async function visit(browser, address, act) {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    await page.setViewport({ width: 1280, height: 720 });
    await page.evaluateOnNewDocument(watch);
    await page.goto(address);
    await until(page, () => window.pictured > 0);
    return await act(page);
  } finally {
    await context.close();
  }
}

const first = (page) => page.evaluate(() => window.pictured);

// Moves the slider of the training points: milliseconds until another run is on the screen, and until it is
// complete.
async function slide(page) {
  await page.evaluate(() => window.bvlab.ready);
  await page.keyboard.press("c");
  await page.waitForSelector("#control-train-slider");
  // The first change is not like the others: workers compile what they run.
  const moves = [];
  for (const by of [-1, 1, -2, 2, -3]) {
    const took = await page.evaluate(
      (step) =>
        new Promise((done) => {
          const slider = document.getElementById("control-train-slider");
          const label = () => document.querySelector("#picture-identity > svg").getAttribute("aria-label");
          const [before, began] = [label(), performance.now()];
          let shown = null;
          slider.value = String(Number(slider.value) + step);
          slider.dispatchEvent(new Event("input", { bubbles: true }));
          const look = () => {
            if (shown === null && label() !== before) shown = performance.now() - began;
            if (shown !== null && document.documentElement.dataset.state === "done") done([shown, performance.now() - began]);
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        }),
      by,
    );
    moves.push(took);
  }
  return moves.slice(1);
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const milliseconds = (numbers) => `${Math.round(median(numbers))} ms`;

const server = await serveFolder(site, "/site");
const page = pathToFileURL(path.resolve(file)).href;
const lesson = `${server.address}/lessons/tree-tradeoff/`;
console.log("| | aim | page in one file, Chromium | Firefox | site, Chromium | Firefox |");
console.log("|---|---|---|---|---|---|");
const rows = [["navigation to the first picture", "500 ms"], ["navigation to the first computed picture", "1500 ms"], ["slider to another picture", "150 ms"], ["slider to all 1000 training sets", ""]];
const versions = [];
const columns = [];
for (const address of [page, lesson])
  for (const kind of ["chrome", "firefox"]) {
    const browser = await launch(kind);
    versions.push(await browser.version());
    const times = [[], [], [], []];
    for (let i = 0; i < Number(visits); i++) {
      times[0].push(await visit(browser, address, first));
      times[1].push(await visit(browser, `${address}${CHANGED}`, first));
      for (const [shown, complete] of await visit(browser, address, slide)) {
        times[2].push(shown);
        times[3].push(complete);
      }
    }
    columns.push(times.map(milliseconds));
    await browser.close();
  }
rows.forEach((row, i) => console.log(`| ${[...row, ...columns.map((column) => column[i])].join(" | ")} |`));
console.log(`\nMedians of ${visits} visits in ${[...new Set(versions)].join(" and ")}; load average ${loadavg()[0].toFixed(1)} at the end.`);
await server.close();
