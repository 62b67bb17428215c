// The experiment as TOML beside the picture, with the lines marked that were changed.
import { app, byId, element, refill } from "./app.js";
import { changedLines } from "./difference.js";
import { openPanel } from "./dialogs.js";
import { sceneAsked, state } from "./state.js";
import { equal } from "./store.js";
import { askExport } from "./wire.js";

// The texts of the lesson as it opens and as it is now, for the scene that they are of.
const sourceTexts = { scene: null, before: null, now: null, failed: null };

async function sourceOf(scene) {
  if (app.record) return app.record.toml;
  return (await askExport({ ...scene, what: "toml" })).text();
}

async function loadSource(scene) {
  Object.assign(sourceTexts, { scene, failed: null });
  try {
    const now = await sourceOf(scene);
    const before = scene.set.length === 0 ? now : await sourceOf({ ...scene, set: [] });
    if (sourceTexts.scene === scene) Object.assign(sourceTexts, { before, now });
  } catch (error) {
    if (sourceTexts.scene === scene) sourceTexts.failed = error.message;
  }
  showSource();
}

// Words have the numbers of the lesson as it opens in them, and gaps for those that are not computed
// yet: a line of words is the same line with other numbers.
const WORDS = /^(title|look-for|question|answer) = /;

// The text of a changed experiment has no claims, no variants, no table [lab] and none of the answers that its
// question offers: they are of the lesson as it opens.
const OPENING_KEYS = /^(choices|correct|guess) = /;
const OPENING_SECTIONS = /^\[(\[(claim|variant)|lab\b)/;

function withoutStatements(lines) {
  let inside = false;
  return lines.filter((line) => {
    if (line.startsWith("[")) inside = OPENING_SECTIONS.test(line);
    return !inside && !OPENING_KEYS.test(line);
  });
}

function sameWords(before, now) {
  const lineOf = (text) => now.find((line) => WORDS.exec(line)?.[1] === WORDS.exec(text)[1]);
  return before.map((line) => (WORDS.test(line) ? (lineOf(line) ?? line) : line));
}

function markedLines(before, now) {
  const [old, lines] = [before.split("\n"), now.split("\n")];
  return changedLines(before === now ? lines : sameWords(withoutStatements(old), lines), lines);
}

const LINES = { same: "span", added: "ins", removed: "del" };

export function showSource() {
  const holder = byId("source");
  const open = state.panel === "source";
  holder.hidden = !open;
  byId("open-source").setAttribute("aria-expanded", String(open));
  if (!open || !app.run?.head) return;
  // What is shown is of the run that is shown.
  if (!equal(sourceTexts.scene, sceneAsked()) && equal(app.run.scene, sceneAsked())) loadSource(sceneAsked());
  const { before, now, failed } = sourceTexts;
  const fresh = refill(holder, [before, now, failed], () => {
    const lines = now === null ? [] : markedLines(before, now);
    const changed = lines.filter(({ kind }) => kind === "added").length;
    const words = changed === 0 ? "as the lesson opens" : changed === 1 ? "1 line changed" : `${changed} lines changed`;
    const close = { type: "button", class: "icon", "aria-label": "Close", onclick: () => openPanel("") };
    return [
      element("h2", {}, "TOML", element("small", { id: "source-changed" }, failed ?? words), element("button", close, "✕")),
      element(
        "pre",
        { tabindex: "0", role: "region", "aria-label": "The experiment as TOML" },
        ...lines.map(({ kind, text }) => element(LINES[kind], {}, text === "" ? "\u00a0" : text)),
      ),
    ];
  });
  // What is changed is in sight.
  const first = fresh ? holder.querySelector("ins, del") : null;
  if (first) holder.scrollTop = first.offsetTop - holder.clientHeight / 3;
}
