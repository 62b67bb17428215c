// The fingerprint of the sources that the module is made from: the crates in it, what they depend on,
// and how they are compiled; not the compiler.
//
//   node fingerprint.mjs --pack MODULE.wasm MODULE.wasm.gz   writes it into the module, and packs that
//   node fingerprint.mjs --check MODULE.wasm.gz              compares it with the sources
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), "../..");
const CRATES = ["core", "experiment", "outcome", "figure", "lab", "wasm"];
// Parts of these crates that are left out of the module.
const LEFT_OUT =
  /^crates\/(bvlab-lab\/src\/((page|server)\/|(assets|record|site)\.rs$)|bvlab-outcome\/src\/files\/)|\/tests(\.rs|\/)/;
const SECTION = "bvlab-sources";

function sources() {
  const files = ["Cargo.toml", "Cargo.lock", ".ci/wasm"];
  for (const name of CRATES) {
    const crate = `crates/bvlab-${name}`;
    files.push(`${crate}/Cargo.toml`);
    const inside = readdirSync(path.join(ROOT, crate, "src"), { recursive: true, withFileTypes: true });
    for (const one of inside)
      if (one.isFile()) files.push(path.relative(ROOT, path.join(one.parentPath, one.name)).replaceAll("\\", "/"));
  }
  return files.filter((file) => !LEFT_OUT.test(file)).sort();
}

function fingerprint() {
  const all = createHash("sha256");
  for (const file of sources()) {
    const own = createHash("sha256").update(readFileSync(path.join(ROOT, file))).digest("hex");
    all.update(`${own}  ${file}\n`);
  }
  return all.digest("hex");
}

// A number as WebAssembly writes lengths.
function leb(value) {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

// Gzipped by Debian's `zopfli`, which saves 5 % over zlib, or by zlib where it is not installed.
function smallest(bytes) {
  const folder = mkdtempSync(path.join(tmpdir(), "bvlab-"));
  try {
    const file = path.join(folder, "module");
    writeFileSync(file, bytes);
    const { error, status } = spawnSync("zopfli", ["--i5", file]);
    return error || status !== 0 ? gzipSync(bytes, { level: 9 }) : readFileSync(`${file}.gz`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function pack(from, to) {
  const module = readFileSync(from);
  const name = Buffer.from(SECTION);
  const inside = Buffer.concat([leb(name.length), name, Buffer.from(fingerprint())]);
  const packed = smallest(Buffer.concat([module, Buffer.from([0]), leb(inside.length), inside]));
  writeFileSync(to, packed);
  console.log(`${path.relative(process.cwd(), to)}: ${Math.round(packed.length / 1000)} kB, ${Math.round(module.length / 1000)} kB unpacked`);
}

function check(file) {
  const module = new WebAssembly.Module(gunzipSync(readFileSync(file)));
  const [section] = WebAssembly.Module.customSections(module, SECTION);
  const found = section ? Buffer.from(section).toString() : "none";
  const wanted = fingerprint();
  if (found === wanted) return;
  console.error(`${file} was made from other sources (${found.slice(0, 12)}, now ${wanted.slice(0, 12)}): crates/bvlab-wasm/build.sh makes it anew`);
  process.exit(1);
}

const [, , what, ...files] = process.argv;
if (what === "--pack" && files.length === 2) pack(...files);
else if (what === "--check" && files.length === 1) check(files[0]);
else {
  console.error("usage: fingerprint.mjs --pack MODULE.wasm MODULE.wasm.gz | --check MODULE.wasm.gz");
  process.exit(2);
}
