// The dialog with the settings of a list.
import { Problem } from "./client.js";
import { connection } from "./connection.js";
import { fits } from "./rename.js";
import { quoted, reason } from "./words.js";

export class SettingsDialog {
  #dialog;
  #form;
  #page = null;
  /** The values of the fields when the dialog was opened. */
  #opened = {};
  #notes;
  #lists;

  /** @param lists the index of all lists */
  constructor(dialog, notes, lists) {
    this.#lists = lists;
    this.#dialog = dialog;
    this.#form = dialog.querySelector("form");
    this.#notes = notes;
    this.#form.addEventListener("submit", (event) => {
      if (event.submitter?.value === "save") this.#save(event);
    });
    dialog.querySelector("[data-part=deleteList]").addEventListener("click", () => this.#delete());
    dialog.querySelector("[data-part=place]").addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button) lists.stepList(this.#page.list.id, Number(button.value));
    });
    dialog.querySelector("[data-part=cancel]").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }

  /** @param page the list's page: it applies the step, and closes the dialog before it shows another list */
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

  close() {
    this.#dialog.close();
  }

  /** The settings in the fields. */
  #settings() {
    const fields = this.#form.elements;
    return {
      title: fields.title.value,
      elementsOffset: Math.trunc(fields.elementsOffset.valueAsNumber) || 0,
      collapseSubElements: fields.collapseSubElements.checked,
      moves: fields.siblings.checked ? "siblings" : "anywhere",
    };
  }

  /** Sends only the settings that were changed here. Other people may have changed the other settings in the meantime. */
  #save(event) {
    const wanted = this.#settings();
    if (!fits(wanted.title, (text) => this.#notes.notify(text))) {
      event.preventDefault();
      return;
    }
    const changed = Object.entries(wanted).filter(([name, value]) => this.#opened[name] !== value);
    if (changed.length > 0) this.#page.do({ kind: "list", set: Object.fromEntries(changed) });
  }

  /** Deletes the list. The button asks for confirmation, because the list disappears for everybody. */
  async #delete() {
    const button = this.#dialog.querySelector("[data-part=deleteList]");
    if (button.textContent !== "Really delete it, for everybody?") {
      button.textContent = "Really delete it, for everybody?";
      return;
    }
    const { id, tree } = this.#page.list;
    const title = tree?.settings.title || "Untitled";
    try {
      await connection.send("DELETE", `/lists/${encodeURIComponent(id)}`);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) {
        this.#notes.notify("The server can’t be reached.");
        return;
      }
    }
    this.#lists.deleted(id);
    if (location.hash.slice(1) !== id) return; // another list is shown
    this.close();
    location.hash = "";
    // The page shows the index now, which hides earlier notes.
    addEventListener("hashchange", () => this.#offerToRestore(id, title), { once: true });
  }

  #offerToRestore(id, title) {
    const run = async () => {
      try {
        await connection.send("POST", `/lists/${encodeURIComponent(id)}/restore`);
        location.hash = id;
      } catch (error) {
        const isKnown = error instanceof Problem;
        this.#notes.notify(
          isKnown ? reason(error.code, error.detail) : "The server can’t be reached.",
        );
      }
    };
    this.#notes.notify(`Deleted ${quoted(title)}`, { action: { label: "Undo", run } });
  }
}
