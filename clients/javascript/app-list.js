// What an app does with a list: it shows the rows, and makes steps.
import { destinationOf, isBetweenRows, layoutOfShown, tasksOf } from "./drops.js";
import { makeID } from "./ids.js";
import { sectionContent } from "./list.js";
import { Refusal } from "./refusal.js";
import { rootsOf } from "./rules.js";
import { UndoableList } from "./undoable-list.js";
import { difference, visibleRows } from "./visible-rows.js";

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
    return (this.tree?.sections ?? []).map(sectionContent);
  }

  get title() {
    return this.tree?.settings.title ?? "";
  }

  get settings() {
    return this.tree && { ...this.tree.settings };
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
        settings: this.settings,
        times: { ...this.tree.times },
      });
    };
    if (this.tree) show();
    return this.on("change", show);
  }

  /** Where tasks can be dropped: a `RowLayout`. */
  layout(tasks, shown = this.rows) {
    return layoutOfShown(this.tree, shown, rootsOf(this.tree, [tasks].flat()));
  }

  drop(drop) {
    const { task, tasks: several, row, rows, ...place } = drop;
    let tasks = [];
    try {
      tasks = tasksOf(place.shown ?? this.rows, { task, tasks: several, row, rows });
      return this.move(tasks, this.#destination(tasks, place));
    } catch (error) {
      return this.#refuse({ kind: "move", tasks }, error);
    } finally {
      this.drags.ended(); // unless the move takes it along
    }
  }
  move(tasks, to) {
    const step = { kind: "move", tasks: [tasks].flat(), to: withoutMissing(to) };
    if (this.#areDragged(step.tasks)) step.drag = this.drags.dropped();
    return this.do(step);
  }
  /** @param list the other list, or its id. Places between rows need the list */
  async moveToList(tasks, list, place = {}) {
    const step = { kind: "transfer", tasks: [tasks].flat() };
    try {
      const to = this.#destinationIn(list, step.tasks, place);
      if (this.#areDragged(step.tasks)) this.drags.ended();
      // The tasks beside the place can be new.
      if (list.allSent && !(await list.allSent())) throw new Refusal("unreachable");
      return await super.moveToList(step.tasks, list.id ?? list, to);
    } catch (error) {
      return this.#refuse(step, error);
    }
  }

  /** A place as a destination by ids. @throws {Refusal} */
  #destination(tasks, place, roots) {
    if (!isBetweenRows(place)) return withoutMissing(place);
    return destinationOf(this.tree, place.shown ?? this.rows, tasks, place, roots);
  }
  #destinationIn(list, tasks, place) {
    const roots = rootsOf(this.tree, tasks);
    if (list.tree) return list.#destination(tasks, place, roots);
    if (isBetweenRows(place)) throw new TypeError("A place between rows needs an open list.");
    return withoutMissing(place);
  }

  #refuse(step, error) {
    if (!(error instanceof Refusal)) throw error;
    this.refuse({ ...step, id: makeID() }, error);
    return false;
  }

  lift(tasks) {
    this.drags.started(this.#rootIDs([tasks].flat()));
  }
  /** @param list the list of the place, or its id */
  hover(place, list = this) {
    const { tasks } = this.drags;
    if (tasks.length === 0) return;
    try {
      const to = this.#destinationIn(list, tasks, place);
      this.drags.hovered({ to: list === this ? to : { ...to, toList: list.id ?? list } });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error; // others see the last possible place
    }
  }
  cancelDrag() {
    this.drags.ended();
  }
  #areDragged(tasks) {
    return this.drags.tasks.length > 0 && this.#rootIDs(tasks).join() === this.drags.tasks.join();
  }
  /** The ids of the tasks that are not inside others of them; none if one does not exist. */
  #rootIDs(tasks) {
    const exist = tasks.every((id) => this.tree?.tasks.has(id));
    return exist ? rootsOf(this.tree, tasks).map(({ id }) => id) : [];
  }

  create(task, to = {}) {
    const id = task?.id ?? makeID();
    const step = { kind: "create", task: { ...task, id }, to: withoutMissing(to) };
    return this.do(step) ? id : null;
  }
  update(task, set) {
    return this.do({ kind: "update", task, set });
  }
  collapse(task, collapsed = true) {
    const step = { kind: "collapse", task, collapsed };
    if (!this.#folds) return this.do(step);
    if (this.#folds.areLoaded) return this.#folds.fold(task, collapsed);
    return this.#refuse(step, new Refusal("unreachable", "Your folds are not loaded yet."));
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
  updateSection(section, { title, data, maxTasks } = {}) {
    const step = { kind: "section-rename", section, title, data };
    if (maxTasks !== undefined) step.maxTasks = maxTasks;
    return this.do(step);
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
function withoutMissing(place) {
  const { after, before, ...to } = place ?? {};
  if (after) to.after = after;
  if (before) to.before = before;
  return to;
}
