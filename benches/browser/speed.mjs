// One worker of a browser against one thread of the native program, and two workers against one: the
// same experiments in one run, in turn, the median of five. Prints a table.
//
//   node speed.mjs PROGRAM SITE [chrome|firefox] [ROUNDS] [TASK]
//
// SITE is a folder of `bvlab site`. Times are those in which the processor computed (Linux tells them by
// thread): others on the machine change them little. Of two workers it is the one that computed longer,
// which on an idle machine is how long they take. Beside it is what the clock said. The start of program
// and page is not counted.
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { launch, scripted, serveFolder, settled, threadSeconds } from "../../tests/browser/puppet.mjs";

const [, , program, site, kind = "chrome", rounds = "5", only = ""] = process.argv;

const SINE = 'problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 100 }';
const UNIT = 'problem = { truth = "sin(2*pi*x)", inputs = { uniform = [0, 1] }, noise = { normal = 0.3 }, train = 50 }';
const GRID = 'problem = { truth = "sin(2*pi*x)", inputs = { grid = [0, 1] }, noise = { normal = 0.3 }, train = 100 }';

// The tasks of benches/peers, and networks: problem, sweep, learner, training sets, and how many times the
// native time a worker should take at most.
const TASKS = [
  ["bagging of 50 full trees, n = 100", SINE, "members = [50]", "bagging = { base = { tree = {} } }", 5000, 1.3],
  ["trees, n = 100, depth 1–16", SINE, 'depth = "1..16"', "tree = {}", 40_000, 2],
  ["kNN, n = 100, k 1–50", SINE, 'k = "1..50"', "knn = {}", 20_000, 2],
  ["polynomials, n = 50, degree 0–15", UNIT, 'degree = "0..15"', "polynomial = {}", 40_000, 2],
  ["networks, n = 100, 5 and 20 units, 1000 steps", SINE, "width = [5, 20]", "network = { epochs = 1000, rate = 0.03 }", 96, 2],
  ["random features, n = 100, 60 values of p to 1000", GRID, 'features = { from = 1, to = 1000, count = 60, scale = "log" }', "fourier = { scale = 236 }", 384, 2.5],
].filter(([name]) => name.includes(only));

const textOf = ([, problem, sweep, learner, resamples]) => `${problem}
sweep = { ${sweep} }
learner = [{ ${learner} }]
run = { resamples = ${resamples}, test = { grid = 200 }, keep = 1 }
`;

// What one run of the program took, by the processor and by the clock.
async function runNative(text, folder) {
  const file = path.join(folder, "task.toml");
  await writeFile(file, text);
  const command = `TIMEFORMAT='%U %S'; time "$0" run "$1" --threads 1 --quiet --out "$2"`;
  const { status, stderr } = spawnSync("bash", ["-c", command, program, file, folder], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  const [user, system] = stderr.trim().split("\n").pop().split(" ").map(Number);
  const manifest = JSON.parse(await readFile(path.join(folder, "task", "manifest.json"), "utf8"));
  return { busy: user + system, clock: manifest.seconds };
}

// Without what a run of few training sets takes, which is starting and writing.
async function native(task, folder) {
  const few = await runNative(textOf([...task.slice(0, 4), 24]), folder);
  const all = await runNative(textOf(task), folder);
  return { busy: ((all.busy - few.busy) * task[4]) / (task[4] - 24), clock: all.clock };
}

// A browser of its own for every number of workers: a page in the background would not compute.
async function opened(address, workers) {
  const browser = await launch(kind);
  const page = await browser.newPage();
  await page.goto(`${address}/lab/?workers=${workers}`);
  await settled(page);
  await page.evaluate(() => window.bvlab.ready);
  const run = async (task) => {
    const before = threadSeconds(browser);
    const { seconds } = await scripted(page, { toml: textOf(task) });
    const spent = [...threadSeconds(browser)].map(([thread, time]) => time - (before.get(thread) ?? 0));
    return { busy: Math.max(...spent), clock: seconds };
  };
  return { browser, run };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const perSet = (seconds, task) => {
  const micro = (seconds / task[4]) * 1e6;
  return micro < 1000 ? `${micro.toFixed(0)} µs` : `${(micro / 1000).toFixed(1)} ms`;
};

const folder = await mkdtemp(path.join(tmpdir(), "bvlab-speed-"));
const server = await serveFolder(site, "/site");
const [one, two] = [await opened(server.address, 1), await opened(server.address, 2)];
try {
  console.log("| per training set | one thread | one worker | ratio | goal | two workers | times as fast | by the clock |");
  console.log("|---|---|---|---|---|---|---|---|");
  for (const task of TASKS) {
    // The first run is compiled while it runs.
    for (const page of [one, two]) await page.run(task);
    const times = [[], [], []];
    for (let i = 0; i < Number(rounds); i++) {
      times[0].push(await native(task, folder));
      times[1].push(await one.run(task));
      times[2].push(await two.run(task));
    }
    const ratios = (above, below, what) => median(times[above].map((time, i) => time[what] / times[below][i][what])).toFixed(2);
    const [thread, worker, workers] = times.map((all) => perSet(median(all.map(({ busy }) => busy)), task));
    const clock = `${ratios(1, 0, "clock")}, ${ratios(1, 2, "clock")}`;
    const cells = [task[0], thread, worker, ratios(1, 0, "busy"), task[5], workers, ratios(1, 2, "busy"), clock];
    console.log(`| ${cells.join(" | ")} |`);
  }
  console.log(`\nMedians of ${rounds} runs that took turns, ratios run by run, in ${await one.browser.version()}; load average ${loadavg()[0].toFixed(1)} at the end.`);
} finally {
  await Promise.all([one.browser.close(), two.browser.close(), server.close()]);
  await rm(folder, { recursive: true });
}
