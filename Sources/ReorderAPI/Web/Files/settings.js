// What holds for a list as a whole, in a dialog.
import { Problem, send } from "./api.js";
import { fits } from "./rename.js";

export class SettingsDialog {
  #dialog;
  #form;
  #page = null;
  /** What the fields said when the dialog was opened. */
  #opened = {};
  #notes;

  constructor(dialog, notes) {
    this.#dialog = dialog;
    this.#form = dialog.querySelector("form");
    this.#notes = notes;
    this.#form.addEventListener("submit", (event) => {
      if (event.submitter?.value === "save") this.#save(event);
    });
    dialog.querySelector("[data-part=deleteList]").addEventListener("click", () => this.#delete());
    dialog.querySelector("[data-part=cancel]").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }

  /** @param page the list's: it does the step, and closes the dialog before it shows another list */
  open(page) {
    this.#page = page;
    const { title, elementsOffset, collapseSubElements, moves } = page.list.settings;
    const fields = this.#form.elements;
    fields.title.value = title;
    fields.elementsOffset.value = elementsOffset;
    fields.collapseSubElements.checked = collapseSubElements;
    fields.siblings.checked = moves === "siblings";
    this.#opened = this.#settings();
    this.#dialog.querySelector("[data-part=deleteList]").textContent = "Delete this list";
    this.#dialog.showModal();
  }

  close() { this.#dialog.close(); }

  /** The settings as the fields say. */
  #settings() {
    const fields = this.#form.elements;
    return {
      title: fields.title.value, elementsOffset: Math.trunc(fields.elementsOffset.valueAsNumber) || 0,
      collapseSubElements: fields.collapseSubElements.checked,
      moves: fields.siblings.checked ? "siblings" : "anywhere",
    };
  }

  /** Sends what was changed here only: others may have changed the rest meanwhile. */
  #save(event) {
    const wanted = this.#settings();
    if (!fits(wanted.title, (text) => this.#notes.tell(text))) {
      event.preventDefault();
      return;
    }
    const changed = Object.entries(wanted).filter(([name, value]) => this.#opened[name] !== value);
    if (changed.length > 0) this.#page.do({ kind: "list", set: Object.fromEntries(changed) });
  }

  /** Asks once more on the button itself: this is the one step that can't be undone. */
  async #delete() {
    const button = this.#dialog.querySelector("[data-part=deleteList]");
    if (button.textContent !== "Really delete it, for everybody?") {
      button.textContent = "Really delete it, for everybody?";
      return;
    }
    const { id } = this.#page.list;
    try {
      await send("DELETE", `/lists/${encodeURIComponent(id)}`);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) {
        this.#notes.tell("The server can’t be reached.");
        return;
      }
    }
    if (location.hash.slice(1) !== id) return; // another list is shown by now
    this.close();
    location.hash = "";
  }
}
