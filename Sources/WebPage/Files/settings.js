// The dialogs with the settings of a list, and with the limit of a section.
import { restore } from "./bin.js";
import { Problem } from "./client.js";
import { connection } from "./connection.js";
import { closeBeside } from "./dialogs.js";
import { fits } from "./rename.js";
import { rights } from "./rights.js";
import { quoted } from "./words.js";

/** What can be done with all tasks of a list, and what it is called afterwards. */
const inBulk = {
  title: [
    (id) => connection.sort(id, { by: "title", locale: navigator.language, recursive: true }),
    "Sorted by title",
  ],
  done: [(id) => connection.sort(id, { by: "done", recursive: true }), "Completed tasks are last"],
  reverse: [(id) => connection.reverse(id, { recursive: true }), "The order is reversed"],
  remove: [(id) => connection.removeDone(id), "Deleted the completed tasks"],
};

const limits = ["maxDepth", "maxTasksPerSection", "tasksPerParent"];

/** The limit in a field; null if the field is empty. */
function limitIn({ valueAsNumber, max }) {
  if (Number.isNaN(valueAsNumber)) return null;
  return Math.min(Math.max(1, Math.trunc(valueAsNumber)), Number(max) || Number.MAX_SAFE_INTEGER);
}

export class LimitDialog {
  #dialog;
  #field;
  #save = () => {};

  constructor(dialog) {
    this.#dialog = dialog;
    this.#field = dialog.querySelector("input");
    const form = dialog.querySelector("form");
    form.addEventListener("submit", () => this.#save(limitIn(this.#field)));
    dialog.querySelector("[data-part=cancel]").addEventListener("click", () => dialog.close());
    closeBeside(dialog);
  }

  /** @param save gets the new limit; null: the section has none of its own */
  open(limit, save) {
    this.#field.value = limit ?? "";
    this.#save = save;
    this.#dialog.showModal();
  }
}

export class SettingsDialog {
  #dialog;
  #form;
  #page = null;
  /** The values of the fields when the dialog was opened. */
  #opened = {};
  /** The chosen place among the lists; null if it cannot be chosen. */
  #placing = null;
  #notes;
  #lists;
  #confirming;

  /**
   * @param lists the index of all lists
   * @param past the dialog with the history of a list
   * @param sharing the dialog with the links to a list
   * @param confirming asks before the list is deleted
   */
  constructor(dialog, notes, lists, past, sharing, confirming) {
    this.#confirming = confirming;
    this.#lists = lists;
    this.#dialog = dialog;
    this.#form = dialog.querySelector("form");
    this.#notes = notes;
    this.#form.addEventListener("submit", (event) => {
      if (event.submitter?.value === "save") this.#save(event);
    });
    this.#part("deleteList").addEventListener("click", () => this.#delete());
    this.#part("openHistory").addEventListener("click", () => {
      this.close();
      past.open(this.#page.list.id);
    });
    this.#part("openSharing").addEventListener("click", () => {
      this.close();
      sharing.open(this.#page.list.id);
    });
    this.#part("inBulk").addEventListener("click", ({ target }) => {
      if (target.value in inBulk) this.#doInBulk(...inBulk[target.value]);
    });
    this.#part("place").addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button) this.#step(Number(button.value));
    });
    this.#part("cancel").addEventListener("click", () => dialog.close());
    closeBeside(dialog);
  }

  /** @param page the list's page: it applies the step, and closes the dialog before it shows another list */
  open(page) {
    this.#page = page;
    const { title, elementsOffset, collapseSubElements, moves, ...values } = page.list.settings;
    const fields = this.#form.elements;
    fields.title.value = title;
    fields.elementsOffset.value = elementsOffset;
    fields.collapseSubElements.checked = collapseSubElements;
    fields.siblings.checked = moves === "siblings";
    for (const name of limits) fields[name].value = values[name] ?? "";
    this.#opened = this.#settings();
    this.#part("deleteList").hidden = !rights.mayOwn(page.list.id);
    this.#part("openSharing").hidden = !rights.mayShare(page.list.id);
    this.#dialog.showModal();
    this.#showPlace();
  }

  #part(name) {
    return this.#dialog.querySelector(`[data-part=${name}]`);
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
      ...Object.fromEntries(limits.map((name) => [name, limitIn(fields[name])])),
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
    if (this.#placing?.place) this.#lists.place(this.#placing);
  }

  /** The server does it, so that it is one change for everybody. */
  async #doInBulk(run, text) {
    const { id } = this.#page.list;
    this.close();
    try {
      const { changed } = await run(id);
      const undo = { label: "Undo", run: () => this.#page.acts.undo() };
      const isShown = this.#page.session?.id === id;
      if (changed) this.#notes.notify(text, isShown ? { action: undo } : {});
      else this.#notes.notify("Nothing to do: the list is like that already.");
    } catch (error) {
      this.#notes.complain(error);
    }
  }

  // MARK: The place among the lists

  async #showPlace() {
    const { id } = this.#page.list;
    this.#placing = null;
    this.#part("place").hidden = true;
    const placing = await this.#lists.placing(id);
    if (!placing || !this.#dialog.open || this.#page.list?.id !== id) return;
    this.#placing = placing;
    this.#part("place").hidden = false;
    this.#part("placeText").textContent = placing.text;
  }

  #step(direction) {
    const isMoved = this.#placing.step(direction);
    const { text } = this.#placing;
    this.#part("placeText").textContent = text;
    const end = `Can’t go further ${direction > 0 ? "down" : "up"}.`;
    this.#notes.notify(isMoved ? `Place ${text}` : end, { isQuiet: true });
  }

  // MARK: Deletion

  /** Deletes the list, after a question, because it disappears for everybody. */
  async #delete() {
    const { id, settings, tasks } = this.#page.list;
    const title = settings.title || "Untitled";
    const what = tasks.size === 1 ? "It has 1 task." : `It has ${tasks.size} tasks.`;
    const text = `${what} The list disappears for everybody. “Deleted lists…” can bring it back for some time.`;
    if (!(await this.#confirming.ask(`Delete ${quoted(title)}?`, text, "Delete the list"))) return;
    try {
      await connection.deleteList(id);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) {
        this.#notes.complain(error);
        return;
      }
    }
    this.#lists.deleted(id);
    if (location.hash.slice(1) !== id) return; // another list is shown
    this.close();
    location.hash = "";
    // The page shows the index now, which hides earlier notes.
    const undo = { label: "Undo", run: () => restore(id, this.#notes) };
    const announce = () => this.#notes.notify(`Deleted ${quoted(title)}`, { action: undo });
    addEventListener("hashchange", announce, { once: true });
  }
}
