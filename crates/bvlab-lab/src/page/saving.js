// Files that are downloaded.
import { element } from "./app.js";

// Hands a file to the browser.
export function saveBlob(blob, name) {
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
