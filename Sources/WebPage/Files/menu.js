// The menu of a row.
import { words } from "./language.js";
import { hasOtherPlaces } from "./guest.js";
import { PopupMenu } from "./popup.js";
import { quoted, whyMissing } from "./words.js";

const { common, menu } = words;

export class RowMenu {
  #page;
  #composer;
  #menu;
  /** The tasks or the section that the menu is for. */
  #nodes = [];

  /** @param popup the element of a `PopupMenu` */
  constructor(page, composer, popup, main) {
    this.#page = page;
    this.#composer = composer;
    this.#menu = new PopupMenu(popup);
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
    this.#menu.open(common.actions(name), items, () => page.cursor.focusAgain(), box, x, y);
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
    const moves = hasOtherPlaces(list) ? [[common.move, () => actions.chooseList(tasks)]] : [];
    const remove = [common.delete, () => actions.delete(key), "danger"];
    const isAnyOpen = actions.isAnyOpen(tasks);
    const complete = [
      isAnyOpen ? menu.complete : menu.reopen,
      () => actions.complete(tasks, isAnyOpen),
    ];
    if (selected.has(key) && tasks.length > 1) {
      return [complete, ...moves, remove].map(([label, ...rest]) => [
        menu.forTasks(label.replace("…", ""), tasks.length) + (label.endsWith("…") ? "…" : ""),
        ...rest,
      ]);
    }
    const items = [
      complete,
      [common.rename, () => actions.rename(key)],
      [menu.addSubtask, () => this.#composer.addTo({ task })],
      [words.detail.menu, () => this.#page.details.open(key)],
    ];
    if (task.children.length > 0 && !search.isOn)
      items.push([
        task.collapsed ? menu.showSubtasks : menu.hideSubtasks,
        () => actions.fold(list.tasks.get(task.id)),
      ]);
    return [...items, ...moves, remove];
  }

  #itemsOfSection({ key, section }) {
    const { actions, list } = this.#page;
    const move = [common.move, () => actions.chooseListForSection(section)];
    return [
      [common.rename, () => actions.rename(key)],
      [common.addTask, () => this.#composer.addTo({ section })],
      [menu.limit, () => actions.limit(section)],
      ...(hasOtherPlaces(list, true) ? [move] : []),
      [menu.deleteSection, () => actions.delete(key), "danger"],
    ];
  }
}
