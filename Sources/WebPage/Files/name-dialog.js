// Asks for the person's name.
import { storeName, storedName } from "./app.js";
import { words } from "./later-words.js";

const { title, field: label, hint } = words.name;
const mostCharacters = 60;

export class NameDialog {
  #dialog;

  /** @param dialog a `FieldDialog` */
  constructor(dialog) {
    this.#dialog = dialog;
  }

  open() {
    const field = {
      title,
      label,
      hint,
      dir: "auto",
      autocomplete: "nickname",
      maxLength: mostCharacters,
      value: storedName(),
    };
    this.#dialog.ask("name", field, ({ value }) => storeName(value));
  }
}
