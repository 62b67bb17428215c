// Compares the module with the native program: `node digits.mjs MODULE NATIVE [NAME …]`, where NATIVE is
// what `bvlab-digits` prints, a line of JSON for every shipped experiment, and names choose some of them.
// One worker, two and four have to give the same bytes; those the native ones, where only Rust's own
// arithmetic is used.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Instance, compiled, run } from "./module.mjs";

const [, , moduleFile, nativeFile, ...names] = process.argv;
const module = await compiled(moduleFile);
const experiments = (await readFile(nativeFile, "utf8")).trim().split("\n").map((line) => JSON.parse(line));
const lessons = experiments.map(({ handed }) => handed);

// The largest difference between two tables of numbers, relative to the largest number of its column: the
// training error of a fit through all points is nothing but rounding. The condition number of a matrix that
// is nearly singular has lost as many digits as it is large, and is compared to a millionth.
function difference(mine, theirs) {
  const [one, other] = [mine, theirs].map((text) => text.trim().split("\n").map((line) => line.split(",")));
  assert.equal(one.length, other.length, "tables of the same size");
  let largest = 0;
  one[0].forEach((column, c) => {
    const most = Math.max(...other.slice(1).map((row) => Math.abs(Number(row[c]))).filter(Number.isFinite), 0);
    const allowed = column === "condition" ? 1e-6 : 1e-9;
    for (let i = 0; i < one.length; i++) {
      if (one[i][c] === other[i][c]) continue;
      const [a, b] = [Number(one[i][c]), Number(other[i][c])];
      assert.ok(Number.isFinite(a) && Number.isFinite(b), `${column}: ${one[i][c]} and ${other[i][c]}`);
      const apart = Math.abs(a - b) / most;
      assert.ok(apart < allowed, `${column}: ${a} and ${b}`);
      if (column !== "condition") largest = Math.max(largest, apart);
    }
  });
  return largest;
}

// Fails with the first line in which two texts differ, not with megabytes of both.
function sameText(mine, theirs, what) {
  if (mine === theirs) return;
  const [one, other] = [mine, theirs].map((text) => text.split("\n"));
  const line = one.findIndex((text, i) => text !== other[i]);
  let from = 0;
  while (one[line]?.[from] === other[line]?.[from] && from < one[line]?.length) from++;
  const shown = (lines) => String(lines[line]).slice(Math.max(0, from - 60), from + 60);
  assert.fail(`${what}, line ${line + 1}: …${shown(one)}… where the program has …${shown(other)}…`);
}

const counts = [1, 2, 4];
const joiners = counts.map(() => new Instance(module, lessons));
const shares = Array.from({ length: 4 }, () => new Instance(module, lessons));
let [exact, near, worst] = [0, 0, 0];
for (const { handed, sets, faer, csv, head, svg } of experiments) {
  const { name } = handed;
  if (names.length > 0 && !names.includes(name)) continue;
  const scene = { lesson: name, set: sets };
  const made = counts.map((count, i) => {
    const joiner = joiners[i];
    const ended = run(joiner, shares.slice(0, count), scene);
    assert.equal(ended.result, 2, `${name}: ${JSON.stringify(ended)}`);
    const figures = svg.map((_, figure) => joiner.export({ ...scene, what: "svg", figure }).toString());
    return { csv: joiner.export({ ...scene, what: "csv" }).toString(), lines: [...joiner.lines].sort(), figures };
  });
  for (const other of made.slice(1)) assert.deepEqual(other, made[0], `${name}: another number of workers`);
  const [mine] = made;
  const first = mine.lines.map((line) => JSON.parse(line)).find((message) => message.is === "head");
  assert.deepEqual(first, JSON.parse(head), `${name}: the head`);
  assert.ok(mine.lines.some((line) => JSON.parse(line).is === "end"), `${name}: an end`);
  if (faer) {
    worst = Math.max(worst, difference(mine.csv, csv));
    near++;
  } else {
    sameText(mine.csv, csv, `${name}: the table`);
    svg.forEach((figure, i) => sameText(mine.figures[i], figure, `${name}: figure ${i + 1}`));
    exact++;
  }
}
console.log(`${exact} experiments have the same tables and figures in WebAssembly to the last bit,`);
console.log(`${near}, which use faer, to ${worst.toExponential(1)}; on one worker, two and four`);
assert.ok(exact >= 40 || names.length > 0);
