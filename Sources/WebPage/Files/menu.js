// The menu of a row.
import { words } from "./language.js";
import { hasOtherPlaces } from "./move-dialog.js";
import { PopupMenu } from "./popup.js";
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
    const items = this.items(row);
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

  items(row) {
    return row.task ? this.#itemsOfTask(row) : this.#itemsOfSection(row);
  }

  #itemsOfTask({ key, task }) {
    const { actions, selected, list, search } = this.#page;
    const tasks = actions.tasks(key);
    const moves = hasOtherPlaces(list) ? [[words.move, () => actions.chooseList(tasks)]] : [];
    const remove = ["Delete", () => actions.delete(key), "danger"];
    const isAnyOpen = actions.isAnyOpen(tasks);
    const complete = [
      isAnyOpen ? "Complete" : "Mark as not completed",
      () => actions.complete(tasks, isAnyOpen),
    ];
    if (selected.has(key) && tasks.length > 1) {
      return [complete, ...moves, remove].map(([label, ...rest]) => [
        `${label.replace("…", "")}: ${tasks.length} tasks${label.endsWith("…") ? "…" : ""}`,
        ...rest,
      ]);
    }
    const items = [
      complete,
      ["Rename", () => actions.rename(key)],
      ["Add a subtask", () => this.#composer.addTo({ task })],
    ];
    if (task.children.length > 0 && !search.isOn)
      items.push([
        task.collapsed ? "Show subtasks" : "Hide subtasks",
        () => actions.fold(list.tasks.get(task.id)),
      ]);
    return [...items, ...moves, remove];
  }

  #itemsOfSection({ key, section }) {
    const { actions, list } = this.#page;
    const move = [words.move, () => actions.chooseListForSection(section)];
    return [
      ["Rename", () => actions.rename(key)],
      ["Add a task", () => this.#composer.addTo({ section })],
      ["Limit the tasks…", () => actions.limit(section)],
      ...(hasOtherPlaces(list, true) ? [move] : []),
      ["Delete the section; its tasks stay", () => actions.delete(key), "danger"],
    ];
  }
}
