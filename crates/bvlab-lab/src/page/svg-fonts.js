// @ts-check
// The fonts within SVG. The module that computes only names them: the page has them anyway.

/** @type {Record<string, string>} */
const FONT_FILES = { 400: "Inter-Regular.otf", 600: "Inter-SemiBold.otf" };

/** @type {Promise<[string, string][]> | null} */
let fontsFound = null;

/** @param {Blob} blob */
function fontAddress(blob) {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(`data:font/otf;base64,${String(reader.result).split(",")[1]}`);
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** @returns {CSSFontFaceRule[]} */
function fontFaces() {
  const faces = [];
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules) if (rule instanceof CSSFontFaceRule) faces.push(rule);
  return faces;
}

/**
 * The fonts of the page by name, each as an address that holds it.
 * @returns {Promise<[string, string][]>}
 */
export function pageFonts() {
  fontsFound ??= Promise.all(
    fontFaces().map(async (face) => {
      const name = FONT_FILES[face.style.getPropertyValue("font-weight")] ?? "";
      const source = /url\("?([^")]+)/.exec(face.style.getPropertyValue("src"))?.[1] ?? "";
      if (source.startsWith("data:")) return /** @type {[string, string]} */ ([name, source]);
      const response = await fetch(new URL(source, face.parentStyleSheet?.href ?? document.baseURI));
      return /** @type {[string, string]} */ ([name, await fontAddress(await response.blob())]);
    }),
  ).catch(() => {
    // Without them a figure has the system's fonts.
    fontsFound = null;
    return [];
  });
  return fontsFound;
}

/**
 * An SVG of the module with its fonts in it.
 * @param {string} svg
 */
export async function withFonts(svg) {
  let text = svg;
  for (const [name, address] of await pageFonts()) text = text.replace(`bvlab-font:${name}`, () => address);
  return text;
}
