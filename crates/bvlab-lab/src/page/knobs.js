// The sliders and switches around the pictures: scenes, learners, the swept numbers, test points,
// and those of the double-descent scene.
import { app, byId, element, redraw, reload, turnPage } from "./app.js";
import { learnerColour } from "./palette.js";
import { pause } from "./player.js";
import { pointWords } from "./point.js";
import { short } from "./numbers.js";
import { SCENES, enterLesson, putSet, state } from "./state.js";
import { toml } from "./toml.js";
import { learnerOf, moveTo, orderOf, placesOf, pointOf, secondPointOf } from "./view.js";

const ONE_DIMENSION = "descent-fits";
const TEN_DIMENSIONS = "descent-features";
const RIDGES = [0, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

// The lesson that was left for the double-descent scene, to come back to.
const left = { state: null };

// Another lesson was chosen: there is nothing to come back to.
export function forgetLeft() {
  left.state = null;
}

// The lessons that the double-descent scene is made for.
export function isDescentLesson(name) {
  return name === ONE_DIMENSION || name === TEN_DIMENSIONS;
}

function isDescent() {
  const head = app.run?.head;
  const right = head && (head.name === state.lesson || state.toml !== null || app.record);
  return right ? head.learners?.[0]?.axes[0]?.name === "features" : isDescentLesson(state.lesson);
}

// Whether a page without a server cannot show a scene.
function isMissing(scene) {
  return (scene === 6 && !app.run?.head?.pictured) || (scene === 5 && !isDescent());
}

// Goes to a scene; to that of double descent with a lesson that shows it.
export function goToScene(scene) {
  if (scene < 1 || scene > SCENES.length || scene === state.scene) return;
  if (app.record && isMissing(scene)) return;
  if (app.run?.head?.pictured && scene < 5) return;
  const from = state.scene;
  if (scene === 5 && !isDescent()) {
    left.state = {
      lesson: state.lesson,
      toml: state.toml,
      sets: state.sets,
      at: state.at,
      learner: state.learner,
      x: state.x,
      x2: state.x2,
      drawn: state.drawn,
    };
    openDescent(ONE_DIMENSION);
    return;
  }
  if (from === 5 && left.state && scene !== 5) {
    pause();
    Object.assign(state, left.state, { step: "", look: false });
    left.state = null;
    state.scene = scene;
    turnPage();
    reload();
  }
  state.scene = scene;
  redraw();
}

function openDescent(name) {
  pause();
  enterLesson(name);
  state.scene = 5;
  turnPage();
  reload();
  redraw();
}

export function switchLearner(learner) {
  const count = app.run?.head?.learners?.length ?? 1;
  state.learner = ((learner % count) + count) % count;
  redraw();
}

export function setUpKnobs() {
  byId("tabs").append(
    ...SCENES.map((name, i) =>
      element(
        "button",
        {
          id: `tab-${i + 1}`,
          type: "button",
          role: "tab",
          "aria-controls": "pictures",
          title: `${name} (${i + 1})`,
          onclick: () => goToScene(i + 1),
          onkeydown: (event) => {
            const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (!by) return;
            event.preventDefault();
            event.stopPropagation();
            goToScene(((i + by + SCENES.length) % SCENES.length) + 1);
            byId(`tab-${state.scene}`).focus();
          },
        },
        element("b", {}, String(i + 1)),
        name,
      ),
    ),
  );
}

// Fills an element anew only if what it is made of has changed.
function rebuild(holder, key, make) {
  if (holder.dataset.key === key) return false;
  holder.dataset.key = key;
  holder.replaceChildren(...make());
  return true;
}

export function showKnobs() {
  const { run } = app;
  SCENES.forEach((_, i) => {
    const tab = byId(`tab-${i + 1}`);
    const chosen = state.scene === i + 1;
    // On a phone the row of tabs is wider than the screen.
    if (chosen && tab.getAttribute("aria-selected") !== "true")
      byId("tabs").scrollLeft = tab.offsetLeft - byId("tabs").offsetLeft - 40;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    tab.disabled = Boolean(run?.head?.pictured) && i < 4;
    tab.hidden = app.record !== null && isMissing(i + 1);
  });
  byId("pictures").setAttribute("aria-labelledby", `tab-${state.scene}`);
  if (!run?.head || run.head.pictured) {
    byId("learners").replaceChildren();
    delete byId("learners").dataset.key;
    // The controls say it too.
    const why = (state.panel !== "controls" && run?.head?.pictured) || "";
    rebuild(byId("settings"), JSON.stringify(why), () => (why ? [element("p", { class: "pictured" }, why)] : []));
    return;
  }
  showLearners(run);
  showSettings(run);
  if (state.scene === 4) showPointKnobs(run);
  if (state.scene === 5) showDescentKnobs(run);
}

function showLearners(run) {
  const { learners } = run.head;
  const chosen = learnerOf(run);
  const holder = byId("learners");
  const overlay = state.scene === 3 && learners.filter((one) => one.axes.length > 0).length > 1;
  const key = JSON.stringify([learners.map((one) => one.name), overlay, document.documentElement.dataset.theme]);
  rebuild(holder, key, () => {
    if (learners.length < 2) return [];
    const buttons = learners.map((one, i) => {
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = learnerColour(run.head, i);
      return element(
        "button",
        {
          type: "button",
          role: "radio",
          "data-learner": String(i),
          title: `${one.name} (L)`,
          onclick: () => switchLearner(i),
        },
        swatch,
        element("span", {}, one.name),
      );
    });
    const both = element(
      "button",
      { id: "overlay", type: "button", title: "All learners' risks in one picture (O)", onclick: toggleOverlay },
      "Overlay",
    );
    return overlay ? [...buttons, both] : buttons;
  });
  for (const button of holder.querySelectorAll("[data-learner]"))
    button.setAttribute("aria-checked", String(Number(button.dataset.learner) === chosen));
  holder.querySelector("#overlay")?.setAttribute("aria-pressed", String(state.overlay));
}

export function toggleOverlay() {
  state.overlay = !state.overlay;
  redraw();
}

// A slider over the places of an axis.
function showSettings(run) {
  const learner = learnerOf(run);
  const { axes } = run.head.learners[learner];
  const holder = byId("settings");
  const key = JSON.stringify([learner, axes.map((axis) => [axis.name, axis.values.length])]);
  rebuild(holder, key, () =>
    axes.map((axis, i) =>
      element(
        "label",
        {},
        element("span", {}),
        element("input", {
          type: "range",
          id: `setting-${i}`,
          min: "0",
          max: String(axis.values.length - 1),
          step: "1",
          "aria-label": axis.about ? `${axis.name}: ${axis.about}` : axis.name,
          oninput: (event) => {
            if (!app.run?.head) return;
            moveTo(app.run, learnerOf(app.run), i, Number(event.target.value));
            redraw();
          },
        }),
      ),
    ),
  );
  placesOf(run, learner).forEach((place, i) => {
    const label = holder.children[i];
    const words = `${axes[i].name} = ${short(axes[i].values[place])}`;
    label.firstChild.textContent = words;
    const input = label.lastChild;
    if (Number(input.value) !== place) input.value = String(place);
    input.setAttribute("aria-valuetext", words);
  });
}

function showPointKnobs(run) {
  const holder = byId("point-knobs");
  const order = orderOf(run);
  const key = JSON.stringify([order.length, run.head.dimension, state.board]);
  const slider = (name, label) =>
    element(
      "label",
      {},
      element("span", {}),
      element("input", {
        type: "range",
        id: `point-${name}`,
        min: "0",
        max: String(order.length - 1),
        step: "1",
        "aria-label": label,
        oninput: (event) => {
          const { head } = app.run;
          const place = orderOf(app.run)[Number(event.target.value)];
          state[name] = head.dimension === 1 ? head.test.x[place] : place;
          redraw();
        },
      }),
    );
  rebuild(holder, key, () => [
    slider("x", "test point"),
    ...(state.board ? [slider("x2", "second test point")] : []),
    element(
      "button",
      { id: "toggle-board", type: "button", title: "Strip and histogram, or dartboard (V)", onclick: toggleBoard },
      state.board ? "Show one point" : "Show dartboard",
    ),
  ]);
  const places = state.board ? [pointOf(run), secondPointOf(run)] : [pointOf(run)];
  places.forEach((point, i) => {
    const [words, input] = [pointWords(run, point), holder.children[i].lastChild];
    holder.children[i].firstChild.textContent = words;
    const place = String(order.indexOf(point));
    if (input.value !== place) input.value = place;
    input.setAttribute("aria-valuetext", words);
  });
}

export function toggleBoard() {
  if (state.scene !== 4) {
    goToScene(4);
    if (state.scene !== 4) return;
    state.board = true;
  } else state.board = !state.board;
  redraw();
}

function showDescentKnobs(run) {
  const holder = byId("descent-knobs");
  const learner = run.head.experiment.learner?.[0] ?? {};
  const family = run.head.learners[0].family;
  const swept = run.head.learners[0].axes.map((axis) => axis.name);
  const own = learner[family] ?? {};
  const noise = run.head.experiment.problem?.noise ?? {};
  const key = JSON.stringify([state.lesson, family, swept, app.record !== null]);
  rebuild(holder, key, () => [
    element(
      "div",
      { class: "switch online", role: "group", "aria-label": "Dimensions" },
      element(
        "button",
        {
          id: "one-dimension",
          type: "button",
          "aria-pressed": String(state.lesson === ONE_DIMENSION),
          onclick: () => openDescent(ONE_DIMENSION),
        },
        "1 dimension",
      ),
      element(
        "button",
        {
          id: "ten-dimensions",
          type: "button",
          "aria-pressed": String(state.lesson === TEN_DIMENSIONS),
          onclick: () => openDescent(TEN_DIMENSIONS),
        },
        "10 dimensions",
      ),
    ),
    element(
      "label",
      { class: "online" },
      element("span", {}),
      element("input", {
        type: "range",
        id: "ridge",
        min: "0",
        max: String(RIDGES.length - 1),
        step: "1",
        "aria-label": "ridge penalty λ",
        oninput: (event) => {
          putSet(`learner.0.${family}.lambda`, toml(RIDGES[Number(event.target.value)]));
          reload();
          redraw();
        },
      }),
    ),
    element(
      "label",
      { class: "online" },
      element("span", {}),
      element("input", {
        type: "range",
        id: "descent-noise",
        min: "0",
        max: "1",
        step: "0.05",
        "aria-label": "standard deviation of the noise",
        oninput: (event) => {
          putSet("problem.noise", toml({ normal: Number(event.target.value) }));
          reload();
          redraw();
        },
      }),
    ),
  ]);
  const wanted = wantedDescent(family, own.lambda ?? 0, Object.values(noise)[0]);
  const [, ridge, sd] = holder.children;
  const place = RIDGES.reduce(
    (best, one, i) => (Math.abs(one - wanted.lambda) < Math.abs(RIDGES[best] - wanted.lambda) ? i : best),
    0,
  );
  setSlider(ridge, place, `ridge λ = ${short(wanted.lambda)}`);
  ridge.lastChild.disabled = swept.includes("lambda");
  setSlider(
    sd,
    typeof wanted.noise === "number" ? wanted.noise : 0,
    `noise sd = ${typeof wanted.noise === "number" ? short(wanted.noise) : wanted.noise}`,
  );
}

function setSlider(label, value, words) {
  label.firstChild.textContent = words;
  const input = label.lastChild;
  if (Number(input.value) !== value) input.value = String(value);
  input.setAttribute("aria-valuetext", words);
}

// What is asked for, which may be ahead of the run that is shown.
function wantedDescent(family, lambda, noise) {
  const asked = (key) =>
    state.sets
      .filter((set) => set.startsWith(`${key}=`))
      .pop()
      ?.slice(key.length + 1);
  const ridge = asked(`learner.0.${family}.lambda`);
  const sd = /normal = ([0-9.e-]+)/.exec(asked("problem.noise") ?? "")?.[1];
  return { lambda: ridge === undefined ? lambda : Number(ridge), noise: sd === undefined ? noise : Number(sd) };
}
