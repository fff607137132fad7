// The tasks selected for a common move or deletion, and the bar that shows their number.

import { words } from "./language.js";
import { hasOtherPlaces } from "./guest.js";

export class Selection {
  keys = new Set();
  /** Whether a tap on a row selects it. */
  isOn = false;
  #parts;
  #page;
  /** A task: the start for the next `extend`. */
  #start = null;

  constructor(parts, page) {
    this.#parts = parts;
    this.#page = page;
    parts.select.addEventListener("click", () => this.turn(!this.isOn));
    parts.withSelected.addEventListener("click", ({ target }) => this.#act(target.value));
  }

  #act(what) {
    const { actions, plain } = this.#page;
    const shown = plain.filter(({ key }) => this.has(key)).map(({ key }) => key);
    const tasks = [...new Set([...shown, ...this.keys])]; // some are in folded tasks
    if (what === "complete") actions.complete(tasks, actions.isAnyOpen(tasks));
    else if (what === "move") actions.chooseList(tasks);
    else if (what === "due") actions.chooseDue(tasks);
    else if (what === "delete") actions.delete();
  }

  has(key) {
    return this.keys.has(key);
  }

  turn(isOn) {
    this.isOn = isOn;
    if (!isOn) this.keys.clear();
    this.#parts.main.dataset.selecting = isOn;
    this.#parts.select.setAttribute("aria-pressed", String(isOn));
    this.#page.arrange();
  }

  /** Adds or removes a task. The first addition also selects the start: the row that was clicked or reached before. */
  add(key) {
    if (this.keys.size === 0 && this.#start !== null && this.#start !== key)
      this.keys.add(this.#start);
    this.toggle(key);
  }

  toggle(key) {
    if (!this.#page.mayEdit) return;
    if (!this.keys.delete(key)) this.keys.add(key);
    this.#start = key;
    this.#page.arrange();
  }

  /** Selects the tasks from the selection's start to the row `to`. If the start does not exist, `from` becomes the start. */
  extend(rows, from, to) {
    if (!this.#page.mayEdit) return;
    if (this.#page.indexOf(this.#start, rows) < 0) this.#start = from;
    const indices = [this.#start, to].map((key) => this.#page.indexOf(key, rows));
    const [first, last] = indices.sort((one, other) => one - other);
    this.keys = new Set(
      rows
        .slice(first, last + 1)
        .filter((row) => row.task)
        .map((row) => row.key),
    );
    this.#page.arrange();
  }

  /** Sets the start for the next `extend` or `add`: the task of a row, if it has one. */
  startAt({ task }) {
    this.#start = task?.id ?? null;
  }

  /** @returns whether any task was selected */
  clear() {
    const wasAny = this.keys.size > 0;
    this.keys.clear();
    this.#start = null;
    if (wasAny) this.#page.arrange();
    return wasAny;
  }

  /** Removes deleted tasks from the selection. */
  keepThoseIn(list) {
    for (const key of this.keys) if (!list.tasks.has(key)) this.keys.delete(key);
    if (!list.tasks.has(this.#start)) this.#start = null;
  }

  show() {
    const { size } = this.keys;
    const { selection, withSelected, bar } = this.#parts;
    selection.textContent = size > 0 ? words.list.selected(size) : "";
    withSelected.hidden = size === 0;
    const { actions, list } = this.#page;
    const [complete, move] = withSelected.children;
    complete.textContent = actions.isAnyOpen([...this.keys])
      ? words.menu.complete
      : words.menu.reopen;
    move.hidden = !hasOtherPlaces(list);
    bar.classList.toggle("selecting", this.isOn || size > 0);
  }
}
