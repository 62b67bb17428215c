// @ts-check
// How large the text is. It grows with the screen, so that it can be read from the last row; but who
// zooms in wants larger text, and a zoomed page has a smaller screen: its text keeps its size in rem.
import { redraw } from "./app.js";

/**
 * A window: its size in CSS pixels, and how many dots of the screen one of them has.
 * @typedef {{ width: number, height: number, ratio: number }} WindowSize
 */

/**
 * The height of text for a window: 1/40 of its height, but not too small for a phone or a desk.
 * @param {WindowSize} size
 */
export function textSize({ width, height }) {
  const least = width < 480 ? 16 : 18;
  return Math.max(least, Math.min(90, height / 40, 0.039 * width));
}

/**
 * Whether a window has become another by zooming: it has as many dots as before.
 * @param {WindowSize} before
 * @param {WindowSize} now
 */
export function isZoomed(before, now) {
  const near = (/** @type {number} */ a, /** @type {number} */ b) => Math.abs(a / b - 1) < 0.06;
  const dots = near(before.width * before.ratio, now.width * now.ratio);
  return before.ratio !== now.ratio && dots && near(before.height * before.ratio, now.height * now.ratio);
}

/** @type {{ seen: WindowSize | null, base: number }} */
const textBase = { seen: null, base: 18 };

function measureWindow() {
  const now = { width: innerWidth, height: innerHeight, ratio: devicePixelRatio };
  if (!textBase.seen || !isZoomed(textBase.seen, now)) textBase.base = textSize(now);
  textBase.seen = now;
  document.documentElement.style.setProperty("--base", `${textBase.base}px`);
}

export function setUpTextSize() {
  measureWindow();
  window.addEventListener("resize", () => {
    measureWindow();
    redraw();
  });
  // The bar at the bottom of a phone covers as much as it is high.
  const player = /** @type {HTMLElement} */ (document.getElementById("player"));
  new ResizeObserver(() => {
    document.documentElement.style.setProperty("--player", `${player.offsetHeight}px`);
  }).observe(player);
}
