// The sliders and switches around the pictures: scenes, learners, the swept numbers, test points,
// and those of the double-descent scene.
import { app, byId, element, refill } from "./app.js";
import { arrowTo } from "./focus-order.js";
import { closeMenus } from "./menus.js";
import { learnerColour } from "./palette.js";
import { pointWords } from "./point.js";
import { showColumnKnobs } from "./table-controls.js";
import { showSimulationKnobs } from "./simulation-controls.js";
import { short } from "./numbers.js";
import { say } from "./strings.js";
import { SCENES, hasScene, putSet, state, store } from "./state.js";
import { toml } from "./toml.js";
import { hasCurve, learnerOf, moveTo, orderOf, placesOf, pointOf, secondPointOf } from "./view.js";

const RIDGES = [0, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

// Whether a scene can be shown: of a record without a server nothing but what is in it.
function isThere(scene) {
  return hasScene(app.run, scene) && !(app.record && scene === 6 && !app.run?.head?.pictured);
}

// Goes to a scene, if what is shown has it.
export function goToScene(scene) {
  if (scene < 1 || scene > SCENES.length || !isThere(scene)) return;
  store.act("view", { scene });
}

export function switchLearner(learner) {
  const count = app.run?.head?.learners?.length ?? 1;
  store.act("learner", { learner: ((learner % count) + count) % count });
}

// Arrow keys go from one to the next of a group that has one place in the order of tabs.
function onArrows(event, choose) {
  const all = [...event.currentTarget.parentElement.querySelectorAll("[role=tab]:not(:disabled), [role=radio]")];
  const shown = all.filter((one) => !one.hidden);
  const to = arrowTo(event.key, shown.indexOf(event.currentTarget), shown.length);
  if (to === null) return;
  event.preventDefault();
  event.stopPropagation();
  choose(shown[to]);
  shown[to].focus();
}

export function setUpKnobs() {
  const go = (tab) => goToScene(Number(tab.dataset.scene));
  byId("tabs").append(
    ...SCENES.map((name, i) =>
      element(
        "button",
        {
          id: `tab-${i + 1}`,
          type: "button",
          role: "tab",
          "data-scene": String(i + 1),
          "aria-controls": "pictures",
          title: `${name} (${i + 1})`,
          onclick: (event) => {
            go(event.currentTarget);
            closeMenus();
          },
          onkeydown: (event) => onArrows(event, go),
        },
        element("b", {}, String(i + 1)),
        name,
      ),
    ),
  );
}

export function showKnobs() {
  const { run } = app;
  SCENES.forEach((_, i) => {
    const tab = byId(`tab-${i + 1}`);
    const chosen = state.scene === i + 1;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    tab.disabled = !isThere(i + 1);
    tab.hidden = !isThere(i + 1) && (i + 1 === 5 || i + 1 === 7 || app.record !== null);
  });
  byId("view-name").textContent = say(SCENES[state.scene - 1]);
  byId("pictures").setAttribute("aria-labelledby", `tab-${state.scene}`);
  if (!run?.head || run.head.pictured) {
    refill(byId("learners"), null, () => []);
    if (run?.head?.simulation && showSimulationKnobs(byId("settings"))) return;
    // The controls say it too.
    const why = (state.panel !== "controls" && run?.head?.pictured) || "";
    refill(byId("settings"), why, () => (why ? [element("p", { class: "pictured" }, why)] : []));
    return;
  }
  showLearners(run);
  showSettings(run);
  if (run.head.rows) showColumnKnobs(run);
  if (state.scene === 4) showPointKnobs(run);
  if (state.scene === 5) showDescentKnobs(run);
}

function showLearners(run) {
  const { learners } = run.head;
  const chosen = learnerOf(run);
  const holder = byId("learners");
  const overlay = state.scene === 3 && learners.filter((one) => one.axes.length > 0).length > 1;
  const from = [learners.map((one) => one.name), overlay, document.documentElement.dataset.theme];
  refill(holder, from, () => {
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
          onkeydown: (event) => onArrows(event, (button) => switchLearner(Number(button.dataset.learner))),
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
  for (const button of holder.querySelectorAll("[data-learner]")) {
    const isChosen = Number(button.dataset.learner) === chosen;
    button.setAttribute("aria-checked", String(isChosen));
    button.tabIndex = isChosen ? 0 : -1;
  }
  holder.querySelector("#overlay")?.setAttribute("aria-pressed", String(state.overlay));
}

export function toggleOverlay() {
  state.overlay = !state.overlay;
}

// A slider over the places of an axis.
function showSettings(run) {
  byId("settings").classList.remove("many");
  const learner = learnerOf(run);
  const { axes } = run.head.learners[learner];
  const holder = byId("settings");
  const from = [learner, axes.map((axis) => [axis.name, axis.values.length])];
  refill(holder, from, () =>
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
  const from = [order.length, run.head.dimension, run.head.plane !== undefined, run.head.rows !== undefined, state.board];
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
          state[name] = hasCurve(head) ? head.test.x[place] : place;
        },
      }),
    );
  refill(holder, from, () => [
    slider("x", "test point"),
    ...(state.board ? [slider("x2", "second test point")] : []),
    run.head.plane || run.head.rows ? null : element(
      "button",
      { id: "toggle-board", type: "button", title: "Strip and histogram, or dartboard (V)", onclick: toggleBoard },
      state.board ? "Show one point" : "Show dartboard",
    ),
  ].filter((one) => one !== null));
  const places = state.board ? [pointOf(run), secondPointOf(run)] : [pointOf(run)];
  places.forEach((point, i) => {
    const [words, input] = [pointWords(run, point), holder.children[i].lastChild];
    holder.children[i].firstChild.textContent = say(words);
    const place = String(order.indexOf(point));
    if (input.value !== place) input.value = place;
    input.setAttribute("aria-valuetext", words);
  });
}

export function toggleBoard() {
  if (app.run?.head?.plane || app.run?.head?.rows) return;
  if (state.scene !== 4) {
    if (isThere(4)) store.act("dartboard", { scene: 4, board: true });
  } else state.board = !state.board;
}

function showDescentKnobs(run) {
  const holder = byId("descent-knobs");
  const learner = run.head.experiment.learner?.[0] ?? {};
  const family = run.head.learners[0].family;
  const swept = run.head.learners[0].axes.map((axis) => axis.name);
  const own = learner[family] ?? {};
  const noise = run.head.experiment.problem?.noise ?? {};
  refill(holder, [family, swept, app.record !== null, run.head.rows !== undefined], () => [
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
        },
      }),
    ),
    // Nobody sets the noise of a table.
    run.head.rows ? null : element(
      "label",
      { class: "online" },
      element("span", {}),
      element("input", {
        type: "range",
        id: "descent-sd",
        min: "0",
        max: "1",
        step: "0.05",
        "aria-label": "standard deviation of the noise",
        oninput: (event) => {
          putSet("problem.noise", toml({ normal: Number(event.target.value) }));
        },
      }),
    ),
  ].filter((one) => one !== null));
  const wanted = wantedDescent(family, own.lambda ?? 0, Object.values(noise)[0]);
  const [ridge, sd] = holder.children;
  const place = RIDGES.reduce(
    (best, one, i) => (Math.abs(one - wanted.lambda) < Math.abs(RIDGES[best] - wanted.lambda) ? i : best),
    0,
  );
  setSlider(ridge, place, `ridge λ = ${short(wanted.lambda)}`);
  ridge.lastChild.disabled = swept.includes("lambda");
  if (!sd) return;
  setSlider(
    sd,
    typeof wanted.noise === "number" ? wanted.noise : 0,
    `noise sd = ${typeof wanted.noise === "number" ? short(wanted.noise) : wanted.noise}`,
  );
}

function setSlider(label, value, words) {
  label.firstChild.textContent = say(words);
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
