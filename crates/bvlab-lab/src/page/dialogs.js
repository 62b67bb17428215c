// Panels over the page: opening, closing, and which is open, as the address bar has it.
import { app, byId, element, isStale } from "./app.js";
import { pause } from "./player.js";
import { state } from "./state.js";

const DIALOGS = ["lessons", "help", "export", "join", "numbers"];

const fillers = {};

// Says how a dialog is filled when it is opened, and again while it is open when what it is made from
// changes.
export function fillDialog(name, fill, madeFrom = () => null) {
  fillers[name] = { fill, madeFrom };
}

// The head of a dialog: its title, and a button to close it.
export function dialogHead(title) {
  return element(
    "div",
    { class: "head" },
    element("h2", {}, title),
    element("button", { type: "button", "aria-label": "Close", class: "icon", onclick: () => openPanel("") }, "✕"),
  );
}

// Opens a panel, and closes any other; "" closes all.
export function openPanel(name) {
  // Nobody sees what goes on behind a dialog.
  if (DIALOGS.includes(name)) pause();
  state.panel = name;
}

export function togglePanel(name) {
  openPanel(state.panel === name ? "" : name);
}

// Makes the page agree with the state.
export function showDialogs() {
  document.body.dataset.panel = state.panel;
  for (const name of DIALOGS) {
    const dialog = byId(`dialog-${name}`);
    const wanted = state.panel === name && app.lab !== null && (fillers[name] ?? null) !== null;
    if (wanted && !dialog.open) {
      isStale(dialog, fillers[name].madeFrom());
      fillers[name].fill(dialog);
      dialog.showModal();
    } else if (wanted && isStale(dialog, fillers[name].madeFrom())) {
      const focused = dialog.contains(document.activeElement);
      fillers[name].fill(dialog);
      if (focused) dialog.querySelector("button")?.focus();
    } else if (!wanted && dialog.open) dialog.close();
  }
}

export function setUpDialogs() {
  for (const name of DIALOGS) {
    const dialog = byId(`dialog-${name}`);
    dialog.addEventListener("close", () => {
      if (state.panel === name) openPanel("");
    });
    // A click beside it closes it.
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) openPanel("");
    });
    const button = byId(`open-${name}`);
    button.addEventListener("click", () => togglePanel(name));
  }
  for (const name of ["controls", "source"]) byId(`open-${name}`).addEventListener("click", () => togglePanel(name));
}
