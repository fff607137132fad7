// Which tasks one person has folded: a list of folds, which is an ordinary list. Each of its tasks is an entry: its `data` names a
// task in the member `task`, and its own `collapsed` says whether the person sees the subtasks of that task hidden.

export class Folds {
  #list;
  #entries = null;

  /** @param list the list of folds, opened */
  constructor(list) {
    this.#list = list;
    list.on("change", () => {
      this.#entries = null;
    });
  }

  /** Calls the listener after each change of a fold. */
  onChange(listener) {
    this.#list.on("change", listener);
  }

  /** Whether the person sees a task folded; undefined if the stored value counts. */
  stateOf(task) {
    return this.#entry(task)?.collapsed;
  }

  get areLoaded() {
    return this.#list.tree !== null;
  }

  /** Folds or unfolds a task, after the folds are loaded. @returns false if they cannot be changed */
  fold(task, collapsed) {
    const entry = this.#entry(task);
    if (entry) return this.#list.collapse(entry.id, collapsed);
    return this.#list.create({ title: task, collapsed, data: { task } }) !== null;
  }

  /** If several entries name a task, the last one counts. */
  #entry(task) {
    if (!this.#entries) {
      this.#entries = new Map();
      const add = (entries) => {
        for (const entry of entries) {
          if (typeof entry.data?.task === "string") this.#entries.set(entry.data.task, entry);
          add(entry.children);
        }
      };
      for (const section of this.#list.tree?.containers ?? []) add(section.children);
    }
    return this.#entries.get(task);
  }
}
