// The active row: keys act on it. It has the focus, or Tab moves the focus to it.
import { sectionKey } from "./client.js";

export class Cursor {
  key = null;
  #page;

  constructor(page) {
    this.#page = page;
  }

  /** If the row was removed, moves to the row that is now at its place. */
  keepAmong(rows, before) {
    if (rows.some((row) => row.key === this.key)) return;
    const index = Math.max(
      0,
      before.findIndex((row) => row.key === this.key),
    );
    this.key = rows[Math.min(index, rows.length - 1)]?.key ?? null;
  }

  /** Moves to a row without focusing it. */
  activate(key) {
    if (this.key === key) return;
    this.key = key;
    this.#page.rows.pinned.add(key);
    this.#page.rows.refresh();
  }

  focus(key) {
    const { rows } = this.#page;
    this.activate(key);
    rows.reveal(key);
    rows.element(key)?.focus({ preventScroll: true });
  }

  /** Moves by a number of rows. */
  go(by, isExtending = false) {
    const { plain, selected } = this.#page;
    const from = plain.findIndex((row) => row.key === this.key);
    const to = plain[Math.max(0, Math.min(plain.length - 1, from + by))];
    if (isExtending) selected.extend(plain, this.key, to.key);
    else selected.startAt(to);
    this.focus(to.key);
    return true;
  }

  #isFolded(task) {
    return task.children.length > 0 && this.#page.folding.isFolded(task);
  }

  /** Shows the subtasks, or moves to the first one. */
  open() {
    const task = this.#page.list.tasks.get(this.key);
    if (!task) return false;
    if (this.#isFolded(task)) this.#page.actions.fold(task);
    else {
      const { plain } = this.#page;
      const index = plain.findIndex((row) => row.key === this.key);
      if (plain[index + 1]?.depth > plain[index].depth) this.focus(plain[index + 1].key);
    }
    return true;
  }

  /** Hides the subtasks, or moves to the parent. */
  close() {
    const task = this.#page.list.tasks.get(this.key);
    if (!task) return false;
    if (task.children.length > 0 && !this.#isFolded(task) && !this.#page.search.isOn)
      this.#page.actions.fold(task);
    else if (!task.parent.isSection) this.focus(task.parent.id);
    else if (task.parent.id !== null) this.focus(sectionKey(task.parent.id));
    return true;
  }
}
