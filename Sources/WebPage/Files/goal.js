// A found task that gets the focus when its list is loaded.
import { words } from "./language.js";

export class Goal {
  #page;
  #task = null;

  constructor(page) {
    this.#page = page;
  }

  get isPending() {
    return this.#task !== null;
  }

  /** Opens the list of a found task, and focuses the task or its nearest visible ancestor. */
  open(task) {
    this.#task = task;
    if (this.#page.session?.id === task.list) this.reach();
    else location.hash = task.list;
  }

  /** Called when the rows of the open list have changed. */
  reach() {
    const page = this.#page;
    let task = this.#task?.list === page.list?.id && page.list?.tasks.get(this.#task?.id);
    if (!task) return;
    this.#task = null;
    page.search.close();
    while (task && !page.row(task.id)) task = task.parent;
    if (task) page.cursor.focus(task.id);
    else page.notify(words.list.hiddenGoal);
  }
}
