// Prints what the module gives in Node. A module without imports needs nothing else.
import { readFile } from "node:fs/promises";

const module = await WebAssembly.compile(await readFile(process.argv[2]));
const imports = WebAssembly.Module.imports(module);
if (imports.length > 0) {
  console.error("the module has imports:", imports);
  process.exit(1);
}
const { exports } = await WebAssembly.instantiate(module);
const [at, length] = [exports.text(), exports.length()];
process.stdout.write(Buffer.from(new Uint8Array(exports.memory.buffer, at, length)));
