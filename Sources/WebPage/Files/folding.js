// Which tasks are shown folded: as stored, for everybody. A person who may not change the list folds for this window only.

export class Folding {
  #page;
  #own = new Map();

  constructor(page) {
    this.#page = page;
  }

  /** Whether a task's subtasks are hidden. */
  isFolded = (task) => this.#own.get(task.id) ?? task.collapsed;

  /** Whether the rows differ from those of the stored folds. */
  get hasOwn() {
    return this.#own.size > 0;
  }

  /** Folds or unfolds a task. */
  toggle(task) {
    const collapsed = !this.isFolded(task);
    if (this.#page.mayEdit) {
      this.#page.acts.doQuietly({ kind: "collapse", task: task.id, collapsed });
      return;
    }
    this.#own.set(task.id, collapsed);
    this.#page.acts.act(() => this.#page.changed());
  }

  /** Called when another list is shown, or when the person may do something else. */
  reset() {
    this.#own.clear();
  }
}
