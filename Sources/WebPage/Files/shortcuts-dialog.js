// The dialog with the keyboard shortcuts.
import "./later-words.js";

export class ShortcutsDialog {
  #dialog;

  constructor(dialog) {
    this.#dialog = dialog;
  }

  open() {
    this.#dialog.showModal();
  }
}
