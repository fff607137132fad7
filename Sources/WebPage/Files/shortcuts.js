// The keys that work wherever the focus is, except in fields and dialogs.
import { onKey } from "./key.js";

export class Shortcuts {
  #page;
  #composer;
  #parts;
  #dialogs;

  /** @param dialogs `palette`, and `shortcuts`, which shows the shortcuts */
  constructor(page, composer, parts, dialogs) {
    this.#page = page;
    this.#composer = composer;
    this.#parts = parts;
    this.#dialogs = dialogs;
    onKey(document, (key, { target }) => this.#key(key, target));
  }

  #key(key, target) {
    const page = this.#page;
    if (document.querySelector("dialog:modal")) return false;
    if (key === "Control+k") {
      this.#dialogs.palette.open();
      return true;
    }
    // The browser's own search finds only the rows in the window. With a second Ctrl+F it opens nevertheless.
    if (page.list && key === "Control+f" && target !== this.#parts.searchText) {
      page.search.open();
      return true;
    }
    if (target.matches("input, textarea") || page.cursor.ignores(key)) return false;
    if (page.session?.state === "gone") return false; // the keys were perhaps meant for the list
    return this.#undoOrRedo(key) || (page.list !== null && this.#act(key));
  }

  #undoOrRedo(key) {
    const { acts } = this.#page;
    if (key === "Control+z") acts.undo();
    else if (key === "Control+y" || key === "Control+Shift+z") acts.redo();
    else return false;
    return true;
  }

  #act(key) {
    switch (key) {
      case "?":
        this.#dialogs.shortcuts.open();
        return true;
      case "/":
        this.#page.search.open();
        return true;
      case "n":
        this.#composer.addTo(null);
        return true;
      default:
        return false;
    }
  }
}
