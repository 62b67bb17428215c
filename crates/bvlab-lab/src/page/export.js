// Export: the picture of the scene as SVG and PNG with its colours written in, the server's figure,
// the table, the experiment, and the link.
import { app, element } from "./app.js";
import { dialogHead } from "./dialogs.js";
import { countInSight, figureInSight, figureScene, recordedFigure } from "./figure.js";
import { sceneAsked, state, writeAddress } from "./state.js";
import { SVG } from "./pen.js";
import { picturesInSight } from "./stage.js";
import { saveBlob } from "./saving.js";
import { say } from "./strings.js";
import { askExport, isOneFile } from "./wire.js";
import { pngOf } from "./workers.js";

const WRITTEN = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "font-size",
  "font-weight",
  "font-family",
  "text-anchor",
  "paint-order",
  "opacity",
];

function nameOf() {
  return (app.run?.head?.name ?? state.lesson ?? "lab").replace(/[^A-Za-z0-9_-]+/g, "-") || "lab";
}

// Writes the colours of the style sheet into a copy.
function written(original) {
  const copy = original.cloneNode(true);
  const [from, to] = [
    [original, ...original.querySelectorAll("*")],
    [copy, ...copy.querySelectorAll("*")],
  ];
  from.forEach((one, i) => {
    const style = getComputedStyle(one);
    for (const name of WRITTEN) {
      const value = style.getPropertyValue(name);
      if (value) to[i].setAttribute(name, value);
    }
    to[i].removeAttribute("class");
    // Where the font is missing another one takes the same room.
    if (
      (one.nodeName === "text" || one.nodeName === "tspan") &&
      one.children.length === 0 &&
      one.textContent.trim() !== ""
    ) {
      to[i].setAttribute("textLength", String(Math.round(one.getComputedTextLength() * 10) / 10));
      to[i].setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
  });
  return copy;
}

const fonts = { rules: null };

// The page's font, written into the picture; a page without a server has none.
async function fontRules() {
  if (isOneFile()) return "";
  fonts.rules ??= Promise.all(
    [
      ["Inter-Regular.otf", 400],
      ["Inter-SemiBold.otf", 600],
    ].map(async ([file, weight]) => {
      const blob = await (await fetch(`${document.documentElement.dataset.root ?? ""}${file}`)).blob();
      const bytes = new Uint8Array(await blob.arrayBuffer());
      const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
      return `@font-face{font-family:Inter;font-weight:${weight};src:url(data:font/otf;base64,${btoa(text)})}`;
    }),
  ).then((rules) => rules.join(""));
  try {
    return await fonts.rules;
  } catch {
    // Without it another font takes its room.
    fonts.rules = null;
    return "";
  }
}

// The pictures of the scene in one, on paper, below the title.
async function sceneAsSvg() {
  const rules = await fontRules();
  const pictures = picturesInSight();
  const boxes = pictures.map((svg) => svg.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const page = getComputedStyle(document.documentElement);
  const em = Number.parseFloat(page.fontSize);
  const [margin, heading] = [em, 2.6 * em];
  const width = Math.max(...boxes.map((box) => box.right)) - left + 2 * margin;
  const height = Math.max(...boxes.map((box) => box.bottom)) - top + heading + margin;
  const all = document.createElementNS(SVG, "svg");
  const put = (holder, tag, attributes, text = null) => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    if (text !== null) made.textContent = text;
    holder.appendChild(made);
  };
  for (const [name, value] of Object.entries({ xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` }))
    all.setAttribute(name, String(value));
  if (rules) put(all, "style", {}, rules);
  put(all, "title", {}, app.run.head.title ?? app.run.head.name);
  put(all, "desc", {}, pictures.map((svg) => svg.getAttribute("aria-label")).join(" "));
  put(all, "rect", { width, height, fill: page.getPropertyValue("--paper").trim() });
  put(
    all,
    "text",
    {
      x: margin,
      y: 1.7 * em,
      "font-size": 1.3 * em,
      "font-weight": 600,
      "font-family": "Inter, system-ui, sans-serif",
      fill: page.getPropertyValue("--ink").trim(),
    },
    document.getElementById("title").textContent,
  );
  pictures.forEach((svg, i) => {
    const copy = written(svg);
    for (const name of ["role", "aria-label"]) copy.removeAttribute(name);
    copy.setAttribute("x", String(boxes[i].left - left + margin));
    copy.setAttribute("y", String(boxes[i].top - top + heading));
    copy.setAttribute("width", String(boxes[i].width));
    copy.setAttribute("height", String(boxes[i].height));
    all.appendChild(copy);
  });
  return { text: new XMLSerializer().serializeToString(all), width, height };
}

async function sceneAsPng() {
  const { text } = await sceneAsSvg();
  return pngOf(new Blob([text], { type: "image/svg+xml" }));
}

// How many training sets are shown; null for all, as the experiment has them.
function shownCount() {
  const { run } = app;
  if (!run?.streams || app.record || run.complete(state.drawn)) return null;
  return run.frameAt(state.drawn)?.count ?? null;
}

async function fromServer(what) {
  const count = shownCount();
  const figure = what === "svg" || what === "png";
  const body = figure ? figureScene(what, figureInSight()) : { ...sceneAsked(), what };
  return askExport(count === null ? body : { ...body, count });
}

async function csv() {
  return app.record ? new Blob([app.record.csv], { type: "text/csv" }) : fromServer("csv");
}

async function experimentToml() {
  return app.record
    ? new Blob([app.record.toml], { type: "application/toml" })
    : askExport({ ...sceneAsked(), what: "toml" });
}

export async function saveToml() {
  try {
    saveBlob(await experimentToml(), `${nameOf()}.toml`);
  } catch (error) {
    app.problem = { message: error.message, help: error.help ?? null, passing: false };
    app.listeners.redraw();
  }
}

// The address of this scene without the frame around it.
function embedAddress() {
  const { origin, pathname, protocol } = location;
  // A file is embedded by a page beside it.
  const place = protocol === "file:" ? pathname.slice(pathname.lastIndexOf("/") + 1) : `${origin}${pathname}`;
  return `${place}?embed${writeAddress()}`;
}

// What to paste into slides or a page.
function embedding(said) {
  const quoted = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const title = quoted(document.getElementById("title").textContent);
  const address = quoted(embedAddress());
  const text = `<iframe src="${address}" title="${title}" width="960" height="600" style="border:0" loading="lazy"></iframe>`;
  const area = element("textarea", { id: "embed", readonly: "", rows: "3", "aria-label": "Snippet to embed this scene" });
  area.value = text;
  area.addEventListener("focus", () => area.select());
  const button = element(
    "button",
    {
      id: "copy-embed",
      type: "button",
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(text);
          said.textContent = say("Snippet copied.");
        } catch {
          area.focus();
          said.textContent = say("Copy the selected snippet.");
        }
      },
    },
    "Copy snippet",
  );
  return [element("h3", {}, "Embed"), area, element("div", { class: "actions" }, button)];
}

export function fillExport(dialog) {
  const said = element("p", { class: "said", role: "status" });
  const button = (id, label, name, make) =>
    element(
      "button",
      {
        id,
        type: "button",
        onclick: async () => {
          said.textContent = "…";
          try {
            saveBlob(await make(), name());
            said.textContent = say(`${name()} is saved.`);
          } catch (error) {
            said.textContent = error.message;
          }
        },
      },
      label,
    );
  const link = element("input", {
    id: "link",
    type: "text",
    readonly: "",
    "aria-label": "Link to this scene",
    value: location.href,
    onfocus: (event) => event.target.select(),
  });
  const copy = element(
    "button",
    {
      id: "copy-link",
      type: "button",
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(location.href);
          said.textContent = say("Link copied.");
        } catch {
          // Not every page may use the clipboard: the link is marked for copying by hand.
          link.focus();
          link.select();
          said.textContent = say("Copy the selected link.");
        }
      },
    },
    "Copy link",
  );
  const drawn = state.scene !== 6 && app.run?.head && !app.run.head.pictured;
  const count = shownCount();
  const sections = [];
  if (drawn)
    sections.push(
      element("h3", {}, "This scene"),
      element(
        "div",
        { class: "actions" },
        button("export-scene-png", "Picture (PNG)", () => `${nameOf()}-scene.png`, sceneAsPng),
        button(
          "export-scene-svg",
          "Picture (SVG)",
          () => `${nameOf()}-scene.svg`,
          async () => new Blob([(await sceneAsSvg()).text], { type: "image/svg+xml" }),
        ),
      ),
    );
  const svg = () =>
    button(
      "export-svg",
      "Figure (SVG)",
      () => `${nameOf()}.svg`,
      async () => recordedFigure(figureInSight(), countInSight(app.run)) ?? fromServer("svg"),
    );
  const png = () =>
    button(
      "export-png",
      "Figure (PNG)",
      () => `${nameOf()}.png`,
      () => fromServer("png"),
    );
  if (!app.record || app.run.head.pictured)
    sections.push(
      element("h3", {}, "The lesson's figure"),
      element("div", { class: "actions" }, ...(app.record ? [svg()] : [png(), svg()])),
    );
  sections.push(
    element("h3", {}, "Numbers and experiment"),
    element(
      "div",
      { class: "actions" },
      button(
        "export-csv",
        count === null ? "Table (CSV)" : `Table of ${count} ${app.run.head.simulation ? "resamples" : "training sets"} (CSV)`,
        () => `${nameOf()}.csv`,
        csv,
      ),
      button("export-toml", "Experiment (TOML)", () => `${nameOf()}.toml`, experimentToml),
    ),
  );
  sections.push(element("h3", {}, "Link"), link, element("div", { class: "actions" }, copy));
  sections.push(...embedding(said));
  dialog.replaceChildren(dialogHead("Export"), ...sections, said);
}
