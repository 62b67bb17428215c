// The words above a picture of fits.
import { short } from "./numbers.js";
import { textWidth } from "./pen.js";
import { settingWords } from "./view.js";

// The words above the picture: what is fitted, and which colour is what. They are laid out in
// lines; returns where the picture may begin. Every part has the room of what it says at the end, so
// that nothing moves while training sets come in.
export function drawKey(pen, box, heading, parts, longest, chosen = false) {
  const size = pen.em;
  const width = box.right - box.left;
  let y = box.top + 1.1 * size;
  const apart = 1.1 * size;
  const lengths = longest.map((text) => textWidth(text, size, 600) + apart);
  const all = lengths.reduce((sum, one) => sum + one, 0);
  const title = textWidth(heading, size * 1.1, 600);
  pen.text(chosen ? "heading chosen" : "heading", box.left, y, heading, title > width ? (size * 1.1 * width) / title : size * 1.1);
  let x = box.right - all + apart;
  if (title + 2 * apart + all > width) {
    y += 1.35 * size;
    x = box.left;
  }
  longest.forEach((_, i) => {
    if (x > box.left && x + lengths[i] - apart > box.right + 1) {
      x = box.left;
      y += 1.3 * size;
    }
    if (parts[i]) pen.text(parts[i][0], x, y, parts[i][1], size);
    x += lengths[i];
  });
  return y + 0.55 * size;
}

// The words of a setting: of the one that is looked at, or of a place on the first axis.
export function wordsAt(run, learner, place) {
  const axis = run.head.learners[learner].axes[0];
  return place === null || !axis ? settingWords(run, learner) : `${axis.name} = ${short(axis.values[place])}`;
}

export function headingOf(run, learner, place) {
  const name = run.head.learners[learner].name;
  const words = wordsAt(run, learner, place);
  return words === "" ? name : `${name}, ${words}`;
}
