// Menus below a button: they close when something else is pressed, by Escape, and after a choice.
import { byId } from "./app.js";

const MENUS = [
  ["open-views", "tabs"],
  ["open-more", "more"],
];

function showMenu(button, list, open) {
  byId(list).hidden = !open;
  byId(button).setAttribute("aria-expanded", String(open));
}

// Closes all menus. True if one was open.
export function closeMenus(except = "") {
  let closed = false;
  for (const [button, list] of MENUS) {
    if (list === except || byId(list).hidden) continue;
    // Who came by keyboard goes back to the button; after a click the keys are the page's again.
    const inside = byId(list).contains(document.activeElement);
    const byKeys = inside && document.activeElement.matches(":focus-visible");
    showMenu(button, list, false);
    if (byKeys) byId(button).focus();
    closed = true;
  }
  return closed;
}

export function setUpMenus() {
  for (const [button, list] of MENUS) {
    byId(button).addEventListener("click", () => {
      const open = byId(list).hidden;
      closeMenus();
      showMenu(button, list, open);
      // Who came by keyboard goes on in the menu.
      if (open && byId(button).matches(":focus-visible"))
        byId(list).querySelector("[aria-selected=true], button:not([hidden])")?.focus();
    });
  }
  byId("more").addEventListener("click", () => closeMenus());
  document.addEventListener("pointerdown", (event) => {
    const menu = event.target instanceof Element ? event.target.closest(".menu") : null;
    closeMenus(menu?.querySelector(".list")?.id);
  });
}
