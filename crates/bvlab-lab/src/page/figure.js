// The lesson's own figures, as the server draws them.
import { app, byId, element, redraw, refill } from "./app.js";
import { sceneAsked, state } from "./state.js";
import { equal } from "./store.js";
import { toml } from "./toml.js";
import { askExport } from "./wire.js";

// The first pictures of a simulation are shown after so many milliseconds: one that is fast is shown as a whole.
const FIRST_PICTURE = 200;

const shown = { body: null, url: null, lesson: "", figure: 0, panel: null, asked: 0, loading: null, crowded: null, run: null, since: 0, timer: 0 };

function wantedFigure(run) {
  return Math.min(shown.figure, Math.max(0, run.head.figures.length - 1));
}

// The panels of a figure of a simulation, which can be looked at one by one: a filmstrip step by step.
function panelsIn(run, figure) {
  const panels = run.head.experiment.figure?.[figure]?.simulation?.panels ?? [];
  return run.head.simulation && !app.record && panels.length > 1 ? panels : [];
}

// The keys that leave one panel of a figure, with the notes in it.
export function singlePanel(figure, options, panel) {
  const notes = (options.notes ?? []).filter((note) => note.panel === panel);
  const key = `figure.${figure}.simulation`;
  const found = [`${key}.panels=${toml([panel])}`];
  if (options.notes) found.push(`${key}.notes=${toml(notes)}`);
  return found;
}

// The figure that is looked at, or the first.
export function figureInSight() {
  return state.scene === 6 && app.run?.head ? wantedFigure(app.run) : 0;
}

// Of how many resamples a figure of a simulation is: null for all, undefined where there is none yet.
export function countInSight(run) {
  if (!run?.head?.simulation) return null;
  if (!run.complete(state.drawn)) return run.frameAt(state.drawn)?.count ?? (run.end ? null : undefined);
  return run.end ? null : run.newest?.count;
}

// A figure that was recorded, of the scene that is shown and of so many resamples.
export function recordedFigure(figure, count) {
  const { figures } = app;
  const same = figures && equal(figures.scene, sceneAsked());
  // What can compute draws on dark paper, too.
  const fits = same && (app.record || document.documentElement.dataset.theme !== "dark");
  const partial = (figures?.partial ?? []).find(([known]) => known === count)?.[1];
  const drawn = fits ? (count === null ? figures.drawn : partial)?.[figure] : null;
  return drawn ? new Blob([drawn], { type: "image/svg+xml" }) : null;
}

// A narrow screen has a figure of its own shape, with larger text where there is room for it.
const NARROW = ["look.shape=square", "look.font-scale=1.5"];

// Whether the panels of a figure leave little room for text.
function isCrowded(figure) {
  const { experiment, simulation } = app.run?.head ?? {};
  return Boolean(simulation) && shown.panel === null && experiment.figure?.[figure]?.simulation?.panels?.length !== 1;
}

// The scene as the figure needs it: on dark paper if the page is dark.
export function figureScene(what, figure) {
  const scene = sceneAsked();
  if (document.documentElement.dataset.theme === "dark") scene.set.push("look.theme=dark");
  if (what === "svg" && state.scene === 6 && byId("server-figure").clientWidth < 600)
    scene.set.push(...(isCrowded(figure) ? NARROW.slice(0, 1) : NARROW));
  const panel = state.scene === 6 && app.run?.head ? panelsIn(app.run, figure)[shown.panel ?? -1] : undefined;
  if (panel !== undefined) scene.set.push(...singlePanel(figure, app.run.head.experiment.figure[figure].simulation, panel));
  return { ...scene, what, figure };
}

export function showFigure() {
  const { run } = app;
  const holder = byId("server-figure");
  if (state.scene !== 6 || !run?.head) return;
  if (shown.lesson !== run.head.name) Object.assign(shown, { lesson: run.head.name, figure: (run.head.opening?.figure ?? 1) - 1, panel: null });
  const figure = wantedFigure(run);
  const scene = figureScene("svg", figure);
  const awaited = !equal(run.scene, sceneAsked());
  // What is still there of another experiment is dimmed when it stays.
  holder.toggleAttribute("data-old", awaited || !equal(shown.drawn, scene));
  // Nothing is asked while the experiment is still being changed or run.
  if (awaited) return;
  const count = countInSight(run);
  if (count === undefined || isTooEarly(run)) return;
  const body = count === null ? scene : { ...scene, count };
  if (equal(shown.body, body)) return;
  // One picture of a simulation after the other; the last does not wait.
  if (shown.loading && equal(shown.loading, scene) && count !== null) return;
  shown.body = body;
  if (run.head.figures.length === 0) {
    shown.asked++;
    holder.replaceChildren(element("p", {}, "This experiment has no figure: add one to its TOML, as [[figure]]."));
    return;
  }
  load(run, body, holder, { figure, count, scene });
}

// Whether a run has just begun, so that it may soon be there as a whole.
function isTooEarly(run) {
  if (shown.run !== run) [shown.run, shown.since] = [run, performance.now()];
  const left = FIRST_PICTURE - (performance.now() - shown.since);
  if (run.end || !run.head.simulation || left <= 0) return false;
  clearTimeout(shown.timer);
  shown.timer = setTimeout(redraw, left + 1);
  return true;
}

// What there is to see in a figure: its description, which the program has written into it. It is parsed
// alone, because the page's policy forbids the style of the whole drawing.
function describedIn(svg) {
  const words = /<desc[^]*?<\/desc>/.exec(svg);
  return words ? new DOMParser().parseFromString(words[0], "text/xml").documentElement.textContent : null;
}

// A figure; one that has too many panels for large text has smaller text.
async function askFigure(body) {
  if (shown.crowded !== null && equal(shown.crowded, crowdOf(body))) return askExport(smaller(body));
  try {
    return await askExport(body);
  } catch (error) {
    if (!body.set.includes(NARROW[1]) || error.status !== 500) throw error;
    shown.crowded = crowdOf(body);
    return askExport(smaller(body));
  }
}

const crowdOf = ({ lesson, toml, figure, set }) => [lesson, toml, figure, set.includes(NARROW[1])];
const smaller = (body) => ({ ...body, set: body.set.filter((one) => one !== NARROW[1]) });

async function load(run, body, holder, { figure, count, scene }) {
  const asked = ++shown.asked;
  shown.loading = scene;
  const title = run.head.title ?? run.head.name;
  try {
    const blob = (shown.panel === null ? recordedFigure(figure, count) : null) ?? (await askFigure(body));
    if (asked !== shown.asked) return;
    const seen = describedIn(await blob.text()) ?? run.head.lookFor ?? "";
    if (asked !== shown.asked) return;
    const url = URL.createObjectURL(blob);
    const image = element("img", { id: "figure-image", src: url, alt: `${title}. ${seen}` });
    // Only what can be seen at once takes the place of the picture before.
    await image.decode().catch(() => {});
    if (asked !== shown.asked) {
      URL.revokeObjectURL(url);
      return;
    }
    if (shown.url) URL.revokeObjectURL(shown.url);
    Object.assign(shown, { url, drawn: scene });
    const old = byId("figure-image");
    const names = run.head.figures.map((one) => one.name);
    if (old) old.replaceWith(image);
    else holder.replaceChildren(image, element("div", { class: "choice", role: "group", "aria-label": "Figures" }));
    showChoice(holder.lastElementChild, names, figure, panelsIn(run, figure));
    holder.removeAttribute("data-old");
  } catch (error) {
    if (asked !== shown.asked) return;
    shown.drawn = scene;
    holder.removeAttribute("data-old");
    holder.replaceChildren(
      element("p", { class: "failed" }, error.message ?? "The figure could not be drawn."),
      element(
        "button",
        {
          type: "button",
          onclick: () => {
            shown.body = null;
            redraw();
          },
        },
        "Try again",
      ),
    );
  } finally {
    if (asked === shown.asked) {
      shown.loading = null;
      // Meanwhile there may be more to see.
      redraw();
    }
  }
}

// The figures to choose from, and the panels of the one that is looked at.
function showChoice(holder, names, figure, panels) {
  const choose = (i) => {
    Object.assign(shown, { figure: i, panel: null });
    redraw();
  };
  const look = (panel) => {
    shown.panel = panel < 0 || panel >= panels.length ? null : panel;
    redraw();
  };
  const step = (by) => look(shown.panel === null ? (by > 0 ? 0 : panels.length - 1) : shown.panel + by);
  refill(holder, [names, panels], () => [
    ...(names.length < 2 ? [] : names.map((name, i) => element("button", { type: "button", "data-figure": String(i), onclick: () => choose(i) }, name))),
    ...(panels.length === 0
      ? []
      : [
          element("button", { id: "panel-before", type: "button", "aria-label": "Panel before", onclick: () => step(-1) }, "◀"),
          element(
            "select",
            { id: "panel", "aria-label": "Panel", onchange: (event) => look(Number(event.target.value)) },
            element("option", { value: "-1" }, "all panels"),
            ...panels.map((name, i) => element("option", { value: String(i) }, name)),
          ),
          element("button", { id: "panel-after", type: "button", "aria-label": "Next panel", onclick: () => step(1) }, "▶"),
        ]),
  ]);
  for (const button of holder.querySelectorAll("[data-figure]")) button.setAttribute("aria-pressed", String(Number(button.dataset.figure) === figure));
  const select = holder.querySelector("select");
  if (select) select.value = String(shown.panel ?? -1);
}
