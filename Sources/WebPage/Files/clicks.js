// Clicks in the list, and copying selected rows.
import { depthOf, rootsOf, subtree } from "./client.js";
import { words } from "./language.js";
import { markdownOf } from "./pasted.js";
import { names } from "./words.js";

export class Clicks {
  #page;
  #keys;
  #composer;

  constructor(page, keys, composer, canvas) {
    this.#page = page;
    this.#keys = keys;
    this.#composer = composer;
    canvas.addEventListener("click", (event) => this.#click(event));
    canvas.addEventListener("dblclick", ({ target }) => {
      const row = target.closest("[data-key]");
      if (row && target.matches(".title")) page.actions.rename(row.dataset.key);
    });
    // The drag prevents the menu of a long press.
    canvas.closest("main").addEventListener("contextmenu", (event) => {
      const row = event.target.closest(".canvas :is(.task, .section)");
      if (!row || event.defaultPrevented || event.target.matches("textarea")) return;
      event.preventDefault();
      page.menu.call("open", row.dataset.key, event.clientX, event.clientY);
    });
    document.addEventListener("copy", (event) => this.#copy(event));
    canvas.addEventListener("focusin", ({ target }) => {
      const row = target.closest("[data-key]");
      if (row) page.cursor.activate(row.dataset.key);
    });
  }

  /** Copies the selected tasks with their subtasks, as Markdown, if no text is selected. */
  #copy(event) {
    const { list, plain, selected } = this.#page;
    if (!getSelection().isCollapsed || event.target.closest?.("textarea, input, dialog")) return;
    const ids = plain.filter(({ key }) => selected.has(key)).map(({ key }) => key);
    if (!list || ids.length === 0) return;
    event.preventDefault();
    const tasks = rootsOf(list, ids).flatMap((root) =>
      [...subtree(root)].map((task) => {
        const { title, done } = task;
        return { title, done, depth: depthOf(task) - depthOf(root) };
      }),
    );
    event.clipboardData.setData("text/plain", markdownOf(tasks));
    this.#page.notify(words.steps.copied(names(list, ids)));
  }

  #click(event) {
    const page = this.#page;
    const key = event.target.closest("[data-key]")?.dataset.key;
    const row = page.row(key);
    if (!row || event.target.closest("textarea, a")) return;
    const button = event.target.closest("button");
    if (event.target.closest(".line")) {
      page.cursor.focus(key);
      page.details.open(key);
    } else if (button) {
      this.#press(button.classList, row);
    } else if (!page.mayEdit) {
      page.cursor.focus(key);
    } else if (row.task && event.shiftKey) {
      page.selected.extend(page.plain, page.cursor.key ?? key, key);
      page.cursor.focus(key);
    } else if (row.task && (event.ctrlKey || event.metaKey)) {
      page.selected.add(key);
      page.cursor.focus(key);
    } else if (row.task && page.selected.isOn) {
      page.selected.toggle(key);
      page.cursor.focus(key);
    } else if (page.mode === "edit" && event.target.matches(".title")) {
      page.actions.rename(key);
    } else {
      page.selected.clear();
      page.selected.startAt(row);
      page.cursor.focus(key);
    }
  }

  #press(button, { key, task, section }) {
    const page = this.#page;
    if (button.contains("fold")) page.actions.fold(task);
    else if (button.contains("info")) page.details.open(key);
    else if (!page.mayEdit) return;
    else if (button.contains("handle")) this.#keys.begin(key);
    else if (button.contains("delete")) page.actions.delete(key);
    else if (button.contains("add") || button.contains("append"))
      this.#composer.addTo(task ? { task } : { section });
    else if (button.contains("more")) page.menu.call("open", key);
    else if (button.contains("tick") && page.selected.isOn) page.selected.toggle(key);
    else if (button.contains("tick"))
      page.do({ kind: "update", task: task.id, set: { done: !task.done } });
  }
}
