// The menu of a row, and the dialog that asks for another list.
import { closeBeside } from "./dialogs.js";
import { element } from "./icons.js";
import { words } from "./language.js";
import { PopupMenu } from "./popup.js";
import { rights } from "./rights.js";
import { quoted, whyMissing } from "./words.js";

export class RowMenu {
  #page;
  #composer;
  #menu;
  /** The tasks or the section that the menu is for. */
  #nodes = [];

  /** @param menu the element of a `PopupMenu` */
  constructor(page, composer, menu, main) {
    this.#page = page;
    this.#composer = composer;
    this.#menu = new PopupMenu(menu);
    // The drag prevents the menu of a long press.
    main.addEventListener("contextmenu", (event) => {
      const row = event.target.closest(".canvas :is(.task, .section)");
      if (!row || event.defaultPrevented || event.target.matches("textarea")) return;
      event.preventDefault();
      this.open(row.dataset.key, event.clientX, event.clientY);
    });
  }

  /** Opens the menu of a row, at a point or (without one) at the row. */
  open(key, x, y) {
    const page = this.#page;
    const row = page.plain.find((one) => one.key === key);
    if (!row || row.kind === "adder" || !page.mayEdit || page.isLifting) return;
    page.cursor.focus(key);
    const items = row.task ? this.#itemsOfTask(row) : this.#itemsOfSection(row);
    const name = quoted((row.task ?? row.section).title);
    const box = page.rows.element(key).getBoundingClientRect();
    const tasks = row.task ? page.actions.tasks(key) : [];
    this.#nodes = row.task ? tasks.map((id) => page.list.tasks.get(id)) : [row.section];
    this.#menu.open(`Actions for ${name}`, items, () => page.cursor.focusAgain(), box, x, y);
  }

  /** Called when the list has changed. Closes the menu if somebody else has removed what it is for. */
  keepThoseIn(list) {
    const why = this.#menu.isOpen ? whyMissing(list, this.#nodes) : null;
    if (why === null) return;
    this.#menu.hide();
    this.#page.cursor.lose("choosing");
    this.#page.notify(why);
  }

  /** Closes the menu, and returns the focus to its row. */
  close() {
    this.#menu.close();
  }

  #itemsOfTask({ key, task }) {
    const { actions, selected, list, search } = this.#page;
    const tasks = actions.tasks(key);
    const move = ["Move to another list…", () => actions.chooseList(tasks)];
    const remove = ["Delete", () => actions.delete(key), "danger"];
    const isAnyOpen = actions.isAnyOpen(tasks);
    const complete = [
      isAnyOpen ? "Complete" : "Mark as not completed",
      () => actions.complete(tasks, isAnyOpen),
    ];
    if (selected.has(key) && tasks.length > 1) {
      return [complete, move, remove].map(([label, ...rest]) => [
        `${label.replace("…", "")}: ${tasks.length} tasks${label.endsWith("…") ? "…" : ""}`,
        ...rest,
      ]);
    }
    const items = [
      complete,
      ["Rename", () => actions.rename(key)],
      ["Add a subtask", () => this.#composer.addTo({ task })],
      [words.detail.menu, () => this.#page.details.open(key)],
    ];
    if (task.children.length > 0 && !search.isOn)
      items.push([
        task.collapsed ? "Show subtasks" : "Hide subtasks",
        () => actions.fold(list.tasks.get(task.id)),
      ]);
    return [...items, move, remove];
  }

  #itemsOfSection({ key, section }) {
    const { actions } = this.#page;
    return [
      ["Rename", () => actions.rename(key)],
      ["Add a task", () => this.#composer.addTo({ section })],
      ["Limit the tasks…", () => actions.limit(section)],
      ["Move to another list…", () => actions.chooseListForSection(section)],
      ["Delete the section; its tasks stay", () => actions.delete(key), "danger"],
    ];
  }
}

export class MoveDialog {
  #dialog;
  #lists;
  #chosen = () => {};

  /** @param lists the index of all lists */
  constructor(dialog, lists) {
    this.#dialog = dialog;
    this.#lists = lists;
    dialog.addEventListener("close", () => this.#chosen(null));
    closeBeside(dialog);
  }

  /**
   * Lets the person choose a list other than the current one. Returns it, or null.
   * @param isWanted whether the question still makes sense after the lists were fetched
   * @throws {Problem | Unreachable} if the lists can't be fetched
   */
  async choose(current, title, isWanted) {
    const lists = (await this.#lists.fetch()).filter(
      ({ id }) => id !== current && rights.mayWrite(id),
    );
    if (!isWanted()) return null;
    const part = (name) => this.#dialog.querySelector(`[data-part=${name}]`);
    this.#dialog.querySelector("h2").textContent = title;
    part("none").hidden = lists.length > 0;
    part("choices").replaceChildren(
      ...lists.map((list) => {
        const name = element("span", { dir: "auto" }, list.title || "Untitled");
        const button = element("button", { type: "button", className: "second" }, name);
        button.addEventListener("click", () => {
          this.#chosen(list);
          this.#dialog.close();
        });
        return element("li", {}, button);
      }),
    );
    this.#dialog.showModal();
    return new Promise((resolve) => {
      this.#chosen = resolve;
    });
  }

  close() {
    this.#dialog.close();
  }
}
