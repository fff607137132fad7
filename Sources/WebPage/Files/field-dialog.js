// The dialog that asks for one value: a title, a name, a number, a date.
import { element } from "./app.js";
import { closeBeside } from "./dialogs.js";

/** The limit in a field; null if the field is empty. */
export function limitIn({ valueAsNumber, max }) {
  if (Number.isNaN(valueAsNumber)) return null;
  return Math.min(Math.max(1, Math.trunc(valueAsNumber)), Number(max) || Number.MAX_SAFE_INTEGER);
}

export class FieldDialog {
  #dialog;
  /** Gets the field. If it returns false, the dialog stays open. */
  #save = () => {};

  constructor(dialog) {
    this.#dialog = dialog;
    dialog.querySelector("form").addEventListener("submit", (event) => {
      if (this.#save(dialog.querySelector("input")) === false) event.preventDefault();
    });
    closeBeside(dialog);
  }

  /**
   * @param kind the class of the dialog
   * @param label of the field
   * @param hint a sentence below the field
   * @param field the properties of the field
   */
  ask(kind, { title, label, hint = "", ...field }, save) {
    const part = (name) => this.#dialog.querySelector(name);
    this.#dialog.className = kind;
    part("h2").textContent = title;
    const input = element("input", { autocomplete: "off", ...field });
    part("label").replaceChildren(`${label} `, input);
    part(".hint").textContent = hint;
    part(".hint").hidden = hint === "";
    this.#save = save;
    this.#dialog.showModal();
    input.select();
  }
}
