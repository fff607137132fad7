// The keys that work wherever the focus is, except in fields and dialogs.
import { onKey } from "./key.js";

export class Shortcuts {
  #page;
  #composer;
  #parts;
  #dialog;

  /** @param dialog shows the shortcuts */
  constructor(page, composer, parts, dialog) {
    this.#page = page;
    this.#composer = composer;
    this.#parts = parts;
    this.#dialog = dialog;
    onKey(document, (key, { target }) => this.#key(key, target));
  }

  #key(key, target) {
    const page = this.#page;
    if (!page.list || document.querySelector("dialog:modal")) return false;
    // The browser's own search finds only the rows in the window. With a second Ctrl+F it opens nevertheless.
    if (key === "Control+f" && target !== this.#parts.searchText) {
      page.search.open();
      return true;
    }
    if (target.matches("input, textarea") || page.cursor.ignores(key)) return false;
    switch (key) {
      case "Control+z":
        page.acts.undo();
        return true;
      case "Control+y":
      case "Control+Shift+z":
        page.acts.redo();
        return true;
      case "?":
        this.#dialog.showModal();
        return true;
      case "/":
        page.search.open();
        return true;
      case "n":
        this.#composer.addTo(null);
        return true;
      default:
        return false;
    }
  }
}
