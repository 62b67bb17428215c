// The lesson's own figures, as the server draws them.
import { app, byId, element, redraw } from "./app.js";
import { sceneAsked, state } from "./state.js";
import { equal } from "./store.js";
import { askExport } from "./wire.js";

const shown = { body: null, url: null, lesson: "", figure: 0, asked: 0 };

function wantedFigure(run) {
  return Math.min(shown.figure, Math.max(0, run.head.figures.length - 1));
}

// The figure that is looked at, or the first.
export function figureInSight() {
  return state.scene === 6 && app.run?.head ? wantedFigure(app.run) : 0;
}

// A figure that was recorded, of the scene that is shown.
export function recordedFigure(figure) {
  const { figures } = app;
  const same = figures && equal(figures.scene, sceneAsked());
  // What can compute draws on dark paper, too.
  const fits = same && (app.record || document.documentElement.dataset.theme !== "dark");
  const drawn = fits ? figures.drawn[figure] : null;
  return drawn ? new Blob([drawn], { type: "image/svg+xml" }) : null;
}

// The scene as the figure needs it: on dark paper if the page is dark.
export function figureScene(what, figure) {
  const scene = sceneAsked();
  if (document.documentElement.dataset.theme === "dark") scene.set.push("look.theme=dark");
  // A narrow screen has a figure of its own shape, with larger text.
  if (what === "svg" && state.scene === 6 && byId("server-figure").clientWidth < 600)
    scene.set.push("look.shape=square", "look.font-scale=1.5");
  return { ...scene, what, figure };
}

export function showFigure() {
  const { run } = app;
  const holder = byId("server-figure");
  if (state.scene !== 6 || !run?.head) return;
  if (shown.lesson !== run.head.name) Object.assign(shown, { lesson: run.head.name, figure: (run.head.opening?.figure ?? 1) - 1 });
  const figure = wantedFigure(run);
  const body = figureScene("svg", figure);
  // Nothing is asked while the experiment is still being changed or run.
  if (!equal(run.scene, sceneAsked())) return;
  if (equal(shown.body, body)) return;
  shown.body = body;
  if (run.head.figures.length === 0) {
    shown.asked++;
    holder.replaceChildren(element("p", {}, "This experiment has no figure: add one to its TOML, as [[figure]]."));
    return;
  }
  load(run, body, holder, figure);
}

// What there is to see in a figure: its description, which the program has written into it. It is parsed
// alone, because the page's policy forbids the style of the whole drawing.
function describedIn(svg) {
  const words = /<desc[^]*?<\/desc>/.exec(svg);
  return words ? new DOMParser().parseFromString(words[0], "text/xml").documentElement.textContent : null;
}

async function load(run, body, holder, figure) {
  const asked = ++shown.asked;
  const title = run.head.title ?? run.head.name;
  try {
    const blob = recordedFigure(figure) ?? (await askExport(body));
    if (asked !== shown.asked) return;
    if (shown.url) URL.revokeObjectURL(shown.url);
    shown.url = URL.createObjectURL(blob);
    const seen = describedIn(await blob.text()) ?? run.head.lookFor ?? "";
    if (asked !== shown.asked) return;
    const image = element("img", { id: "figure-image", src: shown.url, alt: `${title}. ${seen}` });
    const choice = element(
      "div",
      { class: "choice", role: "group", "aria-label": "Figures" },
      ...run.head.figures.map((one, i) =>
        element(
          "button",
          {
            type: "button",
            "aria-pressed": String(i === figure),
            onclick: () => {
              shown.figure = i;
              redraw();
            },
          },
          one.name,
        ),
      ),
    );
    holder.replaceChildren(image, ...(run.head.figures.length > 1 ? [choice] : []));
  } catch (error) {
    if (asked !== shown.asked) return;
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
  }
}
