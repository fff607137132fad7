// The dialog with the title and the rules of a list.
import { fits } from "./app.js";
import { closeBeside } from "./dialogs.js";
import { limitIn } from "./field-dialog.js";

const limits = ["maxDepth", "maxTasksPerSection", "tasksPerParent"];

export class SettingsDialog {
  #dialog;
  #form;
  #page = null;
  /** The values of the fields when the dialog was opened. */
  #opened = {};
  #notes;

  constructor(dialog, notes) {
    this.#dialog = dialog;
    this.#form = dialog.querySelector("form");
    this.#notes = notes;
    this.#form.addEventListener("submit", (event) => this.#save(event));
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
    this.#dialog.showModal();
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
  }
}
