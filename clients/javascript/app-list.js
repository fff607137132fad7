// What an app does with a list: it shows the rows, and makes steps.
import { destinationOf, layoutOf, tasksOf } from "./drops.js";
import { makeID } from "./ids.js";
import { Refusal } from "./refusal.js";
import { rootsOf } from "./rules.js";
import { UndoableList } from "./undoable-list.js";
import { difference, sectionsOf, visibleRows } from "./visible-rows.js";

/** A synchronized list with the methods for apps. `client.d.ts` describes them. */
export class AppList extends UndoableList {
  #rows = Object.freeze([]);
  #isStale = false;
  #folds;

  /** @param folds the folds of the person (`Folds`); null: folding a task folds it for everyone */
  constructor(folds, ...parts) {
    super(...parts);
    this.#folds = folds;
    this.on("change", () => {
      this.#isStale = true;
    });
    folds?.onChange(() => this.tree && this.emit("change"));
  }

  /** The same array until the list changes. */
  get rows() {
    if (this.#isStale) this.#rows = visibleRows(this.tree, this.#rows, this.#folds);
    this.#isStale = false;
    return this.#rows;
  }

  get sections() {
    return (this.tree?.sections ?? []).map(({ id, title, data }) => ({ id, title, data }));
  }

  subscribe(listener) {
    let shown = null;
    const show = () => {
      const before = shown;
      shown = this.rows;
      const delta = before && difference(before, shown);
      listener({
        rows: shown,
        delta,
        sections: this.sections,
        settings: { ...this.tree.settings },
        times: { ...this.tree.times },
      });
    };
    if (this.tree) show();
    return this.on("change", show);
  }

  /** Where tasks can be dropped: a `RowLayout`. */
  layout(tasks) {
    const roots = rootsOf(this.tree, [tasks].flat());
    return layoutOf(this.tree, this.rows, sectionsOf(this.rows), roots);
  }

  drop({ shown = this.rows, ...drop }) {
    let tasks = [];
    let to;
    try {
      tasks = tasksOf(shown, drop);
      to = destinationOf(this.tree, shown, tasks, drop);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refuse({ kind: "move", id: makeID(), tasks }, error);
      return false;
    }
    return this.move(tasks, to);
  }
  move(tasks, to) {
    return this.do({ kind: "move", tasks: [tasks].flat(), to: withoutMissing(to) });
  }
  moveToList(tasks, list) {
    return super.moveToList([tasks].flat(), list);
  }
  create(task, to = {}) {
    const id = task.id ?? makeID();
    const step = { kind: "create", task: { ...task, id }, to: withoutMissing(to) };
    return this.do(step) ? id : null;
  }
  update(task, set) {
    return this.do({ kind: "update", task, set });
  }
  collapse(task, collapsed = true) {
    if (this.#folds) return this.#folds.fold(task, collapsed);
    return this.do({ kind: "collapse", task, collapsed });
  }
  delete(tasks) {
    return this.do({ kind: "delete", tasks: [tasks].flat() });
  }
  createSection(title, position, data) {
    const section = makeID();
    return this.do({ kind: "section-create", section, title, position, data }) ? section : null;
  }
  renameSection(section, title) {
    return this.updateSection(section, { title });
  }
  updateSection(section, { title, data }) {
    return this.do({ kind: "section-rename", section, title, data });
  }
  moveSection(section, position) {
    return this.do({ kind: "section-move", section, position });
  }
  deleteSection(section) {
    return this.do({ kind: "section-delete", section });
  }
  set(settings) {
    return this.do({ kind: "list", set: settings });
  }
}

/** A destination without neighbors that are null: there is no row on that side. */
function withoutMissing({ after, before, ...to }) {
  if (after) to.after = after;
  if (before) to.before = before;
  return to;
}
