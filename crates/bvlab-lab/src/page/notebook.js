// Small things that this browser remembers, where it may: a page in a frame or a file may not.

export function readNote(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function writeNote(name, text) {
  try {
    localStorage.setItem(name, text);
  } catch {
    // It is forgotten with the page.
  }
}
