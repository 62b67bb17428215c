// The code of the class: asks for it until the server takes one.
import { byId, element } from "./app.js";
import { sendCode } from "./server.js";

const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

export function askCode() {
  const dialog = byId("dialog-code");
  const input = element("input", {
    id: "code",
    type: "text",
    "aria-label": "Code",
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    maxlength: "100",
  });
  const said = element("p", { class: "said", role: "status" });
  const send = element("button", { type: "submit" }, "Join");
  return new Promise((done) => {
    const form = element(
      "form",
      {
        onsubmit: async (event) => {
          event.preventDefault();
          send.disabled = true;
          try {
            await sendCode(input.value);
            dialog.close();
            dialog.replaceChildren();
            done();
          } catch (error) {
            said.textContent = error.status ? `${capital(error.message)}.` : "The lab does not respond.";
            input.select();
          }
          send.disabled = false;
        },
      },
      input,
      send,
    );
    dialog.replaceChildren(element("h2", {}, "Type the code that your lecturer shows"), form, said);
    // Without it there is nothing to go back to.
    dialog.oncancel = (event) => event.preventDefault();
    dialog.showModal();
    input.focus();
  });
}
