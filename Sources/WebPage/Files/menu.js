// The menu of a row.
import { hasOtherPlaces, quoted, whyMissing } from "./app.js";
import { limitIn } from "./field-dialog.js";
import { words } from "./later-words.js";
import { PopupMenu } from "./popup.js";

const { common, menu, rowMenu } = words;

export class RowMenu {
  #page;
  #composer;
  #menu;
  /** The tasks or the section that the menu is for. */
  #nodes = [];

  /** @param popup the element of a `PopupMenu` */
  constructor(page, composer, popup) {
    this.#page = page;
    this.#composer = composer;
    this.#menu = new PopupMenu(popup);
  }

  /** Opens the menu of a row, at a point or (without one) at the row. */
  open(key, x, y) {
    const page = this.#page;
    const row = page.row(key);
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
        rowMenu.forTasks(label.replace("…", ""), tasks.length) + (label.endsWith("…") ? "…" : ""),
        ...rest,
      ]);
    }
    const items = [
      complete,
      [common.rename, () => actions.rename(key)],
      [rowMenu.addSubtask, () => this.#composer.addTo({ task })],
      [words.detail.menu, () => this.#page.details.open(key)],
    ];
    if (task.children.length > 0 && !search.isOn)
      items.push([
        task.collapsed ? rowMenu.showSubtasks : rowMenu.hideSubtasks,
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
      [rowMenu.limit, () => this.#limit(section)],
      ...(hasOtherPlaces(list, true) ? [move] : []),
      [rowMenu.deleteSection, () => actions.delete(key), "danger"],
    ];
  }

  /** Lets the person limit the tasks of a section. */
  #limit({ id, maxTasks: former = null }) {
    const { sectionTitle: title, sectionField: label, asInList: placeholder } = words.settings;
    const limits = { type: "number", min: 1, step: 1, value: former ?? "" };
    const field = { title, label, placeholder, ...limits };
    this.#page.actions.fieldDialog.ask("section", field, (input) => {
      const maxTasks = limitIn(input);
      if (maxTasks !== former) this.#page.do({ kind: "section-rename", section: id, maxTasks });
    });
  }
}
