// The page's modules, for Node.
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const page = fileURLToPath(new URL("../../crates/bvlab-lab/src/page/", import.meta.url));

// A copy of the page, with modules of its own: its folder, and what loads one of them.
export async function pageModules() {
  // The page's files are modules because index.html says so; for Node a package has to.
  const folder = await mkdtemp(path.join(tmpdir(), "bvlab-page-"));
  await cp(page, folder, { recursive: true, filter: (file) => !file.endsWith(".gz") });
  await writeFile(path.join(folder, "package.json"), '{ "type": "module" }');
  after(() => rm(folder, { recursive: true }));
  return { folder, load: (name) => import(pathToFileURL(path.join(folder, name)).href) };
}
