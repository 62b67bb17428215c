// Pages that compute by themselves, in Chromium or Firefox:
// `node live.mjs chrome|firefox PAGE.html SITE TABLES OUTDIR`. PAGE is what `bvlab run tree-tradeoff
// --page` wrote, SITE a folder of `bvlab site`, TABLES a folder of results of `bvlab run` to compare
// with. BVLAB_PROGRAM is the program.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Runner, anotherRun, counts, frameIsDone, framing, launch, notes, pause, processorSeconds, scripted, serveFolder, setKey, settled, textOf, until } from "./puppet.mjs";

const [, , kind, file, site, tables, out] = process.argv;
const runner = new Runner(kind, await launch(kind), out);
const test = (...given) => runner.test(...given);
const shoot = (...given) => runner.shoot(...given);
const PREFIX = "/~somebody/some where/lab";
const serve = () => serveFolder(site, PREFIX);
const native = (name) => readFile(path.join(tables, name, "curves.csv"), "utf8");

// What a download would have got.
const keepDownloads = () => {
  window.saved = [];
  const made = URL.createObjectURL.bind(URL);
  URL.createObjectURL = (blob) => {
    const url = made(blob);
    window.saved.push(blob);
    return url;
  };
  HTMLAnchorElement.prototype.click = function click() {};
};

async function exported(page, id) {
  await page.evaluate(() => window.saved.splice(0));
  await page.$eval(id, (button) => button.click());
  await until(page, () => / is saved\.$/.test(document.querySelector("#dialog-export .said").textContent));
  return page.evaluate(async () => {
    const blob = window.saved.at(-1);
    return { type: blob.type, size: blob.size, text: /png/.test(blob.type) ? "" : await blob.text() };
  });
}

// Drops files on the page.
const drop = (page, files) =>
  page.evaluate((given) => {
    const data = new DataTransfer();
    for (const [name, text] of given) data.items.add(new File([text], name));
    window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files);

const local = pathToFileURL(path.resolve(file)).href;

await test("one file from the disk: the record at once, then every control is live", async (open) => {
  const page = await open(local);
  await counts(page, /^all 1,?000 training sets drawn/);
  await page.evaluate(() => window.bvlab.ready);
  assert.equal(await page.evaluate(() => window.bvlab.engine), "worker");
  await shoot(page, "file");
  await page.keyboard.press(" ");
  await counts(page, /^1 of/);
  await page.keyboard.press("p");
  await counts(page, /^([5-9]|[1-9][0-9]+) of/);
  await page.keyboard.press("End");
  await counts(page, /^all/);
  // A dragged marker chooses another depth.
  const box = await (await page.$("#picture-tradeoff")).boundingBox();
  const before = await textOf(page, "#picture-identity");
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, box.y + box.height * 0.5, { steps: 5 });
  await page.mouse.up();
  await until(page, (old) => document.getElementById("picture-identity").textContent !== old, before);
  // A control that needs another run.
  await page.keyboard.press("c");
  await page.waitForSelector("#controls:not([hidden])");
  await anotherRun(page, () => setKey(page, "problem.train=25"));
  assert.match(await page.title(), /changed/);
  await shoot(page, "file-controls");
});

await test("the numbers are the program's", async (open) => {
  const page = await open(local);
  const { csv, engine, seconds } = await scripted(page, { lesson: "tree-tradeoff", resamples: 48 });
  assert.equal(engine, "worker");
  assert.ok(seconds > 0);
  assert.equal(csv, await native("tree-tradeoff"));
  for (const workers of [1, 3]) {
    const other = await open(local.replace(/$/, `?workers=${workers}`));
    assert.equal((await scripted(other, { lesson: "tree-tradeoff", resamples: 48 })).csv, csv);
  }
});

await test("exports without a server", async (open) => {
  const page = await open(local, { before: keepDownloads });
  await page.evaluate(() => window.bvlab.ready);
  await page.keyboard.press("e");
  await page.waitForSelector("#dialog-export[open]");
  assert.match((await exported(page, "#export-toml")).text, /\[problem\]/);
  assert.match((await exported(page, "#export-csv")).text, /^learner,[^\n]*\n[^\n]*,1000,/);
  // With both fonts in it, which the module only names.
  const svg = (await exported(page, "#export-svg")).text;
  assert.match(svg, /^<svg[\s\S]*<\/svg>\s*$/);
  assert.equal([...svg.matchAll(/src:url\(data:font\/otf;base64,T1RUTw/g)].length, 2);
  assert.ok(!svg.includes("bvlab-font"));
  assert.ok((await exported(page, "#export-png")).size > 20_000);
  assert.ok((await exported(page, "#export-scene-png")).size > 20_000);
  assert.match(await page.$eval("#embed", (area) => area.value), /^<iframe src="page\.html\?embed#/);
});

const OWN = `
title = "Mine"
problem = { table = "data/own.csv", target = "y", test = 0.3, resample = "bootstrap" }
sweep = { depth = "1..4" }
learner = [{ tree = {} }]
run = { resamples = 48 }
[[figure]]
tradeoff = {}
`;
const SIMULATION = `
simulation = "majority-vote"
with = { error = 0.3, voters = [11, 99] }
run = { resamples = 9000000 }
`;
const ROWS = ["a,b,y", ...Array.from({ length: 80 }, (_, i) => `${i % 9},${(i * 7) % 11},${(i % 9) * 2 + ((i * 7) % 11)}`)].join("\n");

await test("a TOML and a CSV are dropped; a wrong one is refused in the program's words", async (open) => {
  const page = await open(local);
  await page.evaluate(() => window.bvlab.ready);
  await drop(page, [["mine.toml", "[problem]\ntruth = \"sin(x)\"\ntrain = \"many\"\n"]]);
  await until(page, () => document.documentElement.dataset.state === "error");
  assert.match(await textOf(page, "#notes"), /Line 3, .*many.*: expected a number/);
  await drop(page, [["mine.toml", OWN], ["own.csv", ROWS]]);
  await until(page, () => /Mine/.test(document.getElementById("title").textContent));
  await settled(page);
  // Rows that are drawn, or its figure from a module that knows none.
  await page.waitForSelector("#picture-fits .entry.held, #figure-image", { timeout: 120_000 });
  await shoot(page, "dropped");
});

await test("a page that cannot compute says so and replays", async (open) => {
  const page = await open(local, {
    before: () => {
      delete window.WebAssembly;
    },
  });
  await counts(page, /^all/);
  assert.equal(await page.evaluate(() => window.bvlab.engine), "recording");
  assert.match(await textOf(page, "#notes"), /does not support the WebAssembly/);
  await page.keyboard.press(" ");
  await counts(page, /^1 of/);
});

await test("a site in a sub-folder, and then without a network", async (open) => {
  const server = await serve();
  try {
    const page = await open(`${server.address}/lab/`);
    await page.evaluate(() => window.bvlab.ready);
    assert.ok(server.asked.length > 10 && server.asked.every((name) => name.startsWith(PREFIX)), server.asked.join(" "));
    await shoot(page, "site");
    await server.close();
    // Another lesson, with several learners.
    await page.evaluate(() => {
      location.hash = "#lesson=dartboards";
    });
    await until(page, () => document.querySelectorAll("#learners [role=radio]").length > 1);
    await settled(page);
    const before = await textOf(page, "#picture-identity");
    await page.$$eval("#learners [role=radio]", (buttons) => buttons[1].click());
    await until(page, (old) => document.getElementById("picture-identity").textContent !== old, before);
    const { csv } = await scripted(page, { lesson: "knn-tradeoff", resamples: 48 });
    assert.equal(csv, await native("knn-tradeoff"));
  } finally {
    await server.close().catch(() => {});
  }
});

await test("lesson, gallery, embedding and phone", async (open) => {
  const server = await serve();
  try {
    const lesson = await open(`${server.address}/lessons/tree-tradeoff/`);
    await counts(lesson, /^all 1,?000/);
    await lesson.evaluate(() => window.bvlab.ready);
    await anotherRun(lesson, () => setKey(lesson, "problem.train=25"));
    const gallery = await open(`${server.address}/`, { settle: false });
    assert.ok((await gallery.$$(".card")).length >= 3);
    await shoot(gallery, "gallery");
    const phone = await open(`${server.address}/lessons/tree-tradeoff/`, { width: 390, height: 844 });
    assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
    await phone.$eval("#draw-one", (button) => button.click());
    await counts(phone, /^1 of/);
    await shoot(phone, "phone");
    const embedded = await open(`${server.address}/lessons/tree-tradeoff/?embed#scene=3`, { width: 720, height: 450 });
    assert.equal(await embedded.$eval("#top", (top) => getComputedStyle(top).display), "none");
    await shoot(embedded, "embed");
    // In a frame of another origin.
    server.outer = framing(`${server.address}/lessons/tree-tradeoff/?embed`);
    const outer = await open(`${server.address.replace("127.0.0.1", "localhost")}/outer.html`, { settle: false });
    assert.ok(await frameIsDone(outer, "?embed", 60_000), "the frame shows the lesson");
    assert.ok(server.asked.every((name) => name.startsWith(PREFIX)), server.asked.join(" "));
  } finally {
    await server.close().catch(() => {});
  }
});

// The last worker gets its module much later than the others, and what is asked of it before that.
const lateWorker = () => {
  let count = 0;
  window.Worker = class extends Worker {
    which = count++;
    postMessage(message, ...more) {
      if (message.do === "open" && this.which === 3) setTimeout(() => super.postMessage(message, ...more), 1000);
      else super.postMessage(message, ...more);
    }
  };
};

await test("a worker that is slow to start takes its share when it is there", async (open) => {
  const page = await open(local.replace(/$/, "?workers=3"), { before: lateWorker });
  assert.equal((await scripted(page, { lesson: "tree-tradeoff", resamples: 48 })).csv, await native("tree-tradeoff"));
  assert.equal(await textOf(page, "#notes"), "");
});

// Hands the workers to the test: the one that joins comes first.
const keepWorkers = () => {
  window.workers = [];
  window.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      window.workers.push(this);
    }
  };
};

for (const [which, name] of [[0, "joins"], [1, "shares"]])
  await test(`a worker that ${name} fails and is started again, and the page says so`, async (open) => {
    const page = await open(local, { before: keepWorkers });
    await page.evaluate(() => window.bvlab.ready);
    const had = await page.evaluate(() => window.workers.length);
    // In the midst of a long run.
    await setKey(page, "run.resamples=200000");
    await until(page, () => document.documentElement.dataset.state === "running");
    await page.evaluate((one) => window.workers[one].postMessage({ do: "die" }), which);
    await notes(page, /failed and was started again/);
    assert.ok((await page.evaluate(() => window.workers.length)) > had);
    await setKey(page, "run.resamples=96");
    await counts(page, /^all 96/);
  });

// What the program itself says of a text: the message, and the line it points at.
async function program(text) {
  const wrong = path.join(out, `wrong-${kind}.toml`);
  await writeFile(wrong, text);
  const { stderr } = spawnSync(process.env.BVLAB_PROGRAM, ["run", wrong, "--out", path.join(out, "wrong")], { encoding: "utf8" });
  const [, message] = /×([\s\S]*?)(?:╭─|help:)/.exec(stderr) ?? assert.fail(stderr);
  return { message: message.replace(/[│\s]+/g, " ").trim(), line: /╭─\[.*:(\d+):\d+\]/.exec(stderr)?.[1] };
}

await test("what is wrong, too large or not a number is refused in the program's words", async (open) => {
  const page = await open(local);
  await page.evaluate(() => window.bvlab.ready);
  const start = '[problem]\ntruth = "sin(x)"\ninputs = { uniform = [0, 15] }\n';
  const rest = "train = 50\n[sweep]\ndepth = '1..4'\n[[learner]]\ntree = {}\n";
  for (const text of [
    `${start}noise = { normal = 0.5 }\ntrain = nan\n`,
    `${start}noise = { normal = nan }\n${rest}`,
    `${start}noise = { normal = -1 }\n${rest}`,
    `${start}noise = { normal = 0.5 }\n${rest.replace("depth", "dept")}`,
    `${start}noise = { normal = 0.5 }\n${rest.replace("train = 50", "train = -1")}`,
    `${start.replace("sin(x)", "sin(x")}noise = { normal = 0.5 }\n${rest}`,
    "[problem\n",
  ]) {
    const { message, line } = await program(text);
    await drop(page, [["mine.toml", text]]);
    await until(page, (said, at) => {
      const words = document.getElementById("notes").textContent;
      return words.startsWith(`Line ${at}`) && words.includes(said);
    }, message, line).catch(async () => assert.fail(`${await textOf(page, "#notes")} is not: line ${line}, ${message}`));
  }
  await drop(page, [["large.toml", `# ${"x".repeat(2 << 20)}\n`]]);
  await notes(page, /2\s097\s155 bytes; the maximum is 1\s048\s576/);
  await drop(page, [["mine.toml", OWN.replace("own.csv", "nowhere.csv")]]);
  await notes(page, /nowhere\.csv/);
  // A script hears of it, too.
  const refused = (request) => scripted(page, request).then(() => assert.fail("it was accepted"), (error) => error.message);
  assert.match(await refused({ lesson: "tree-tradeof" }), /did you mean `tree-tradeoff`/);
  assert.match(await refused({ lesson: "tree-tradeoff", set: ["problem.train=1000000"] }), /at most 100\s?000/);
  assert.equal((await scripted(page, { lesson: "tree-tradeoff", resamples: 48 })).csv, await native("tree-tradeoff"));
});

await test("a run that needs too much memory is refused with the limit and what to change", async (open) => {
  const page = await open(local);
  await page.evaluate(() => window.bvlab.ready);
  await setKey(page, "run.test={ grid = 50000 }");
  await notes(page, /about \d+ MB of memory; the limit of a page is 512 MB: keep fewer fits, sweep fewer values, or test at fewer points/);
  await setKey(page, "run.resamples=96");
  await counts(page, /^all 96/);
});

// Seconds of computing by the browser while one second passes.
async function load(browser) {
  const before = processorSeconds(browser);
  await pause(1000);
  return processorSeconds(browser) - before;
}

// A run by shares, and one in one piece, which is given up after a while.
for (const [name, set, patience] of [
  ["a run", "run.resamples=9000000", 300],
  ["a simulation", "", 13_000],
])
  await test(`${name} in the background stops, and goes on when it is looked at`, async (open) => {
    const page = await open(local);
    await page.evaluate(() => window.bvlab.ready);
    if (set) await setKey(page, set);
    else await drop(page, [["long.toml", SIMULATION]]);
    await until(page, () => document.documentElement.dataset.state === "running");
    const busy = await load(runner.browser);
    const front = await open("about:blank", { settle: false });
    await front.bringToFront();
    await until(page, () => document.hidden);
    await pause(patience);
    let hidden = await load(runner.browser);
    // On a busy machine it may take longer to stop.
    for (let tries = 0; hidden >= 0.3 * busy && tries < 3; tries++) hidden = await load(runner.browser);
    await page.bringToFront();
    await until(page, () => !document.hidden);
    await pause(500);
    const again = await load(runner.browser);
    // Others on the machine may leave little of it.
    assert.ok(busy > 0.1 && hidden < 0.3 * busy && again > 0.1, `busy ${busy}, hidden ${hidden}, again ${again}`);
  });

await runner.end();
