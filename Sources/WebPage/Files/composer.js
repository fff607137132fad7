// The field at the bottom that adds tasks, subtasks and sections. Enter adds a task and lets the person type the next one.
import { makeID, sectionKey } from "./client.js";
import { onKey } from "./key.js";
import { mostPastedTasks, tasksOf } from "./pasted.js";
import { fits } from "./rename.js";
import { quoted } from "./words.js";

export class Composer {
  #parts;
  #page;
  #target = null;
  /** The task that was added last. Tab makes the next one its subtask. */
  #last = null;

  constructor(parts, page) {
    this.#parts = parts;
    this.#page = page;
    parts.composer.addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.submitter === parts.addSection) this.#addSection();
      else this.#addTask();
    });
    onKey(parts.composer, (key, { target }) => this.#key(key, target));
    parts.newTitle.addEventListener("paste", (event) => {
      const tasks = tasksOf(event.clipboardData.getData("text/plain"));
      const { newTitle } = parts;
      if (tasks.length === 0 || (tasks.length === 1 && newTitle.value !== "")) return; // an ordinary paste
      event.preventDefault();
      if (tasks.length > 1) this.#addAll(tasks);
      else newTitle.value = tasks[0].title;
    });
    parts.clearTarget.addEventListener("click", () => this.addTo(null));
  }

  #key(key, target) {
    if (key === "Escape") {
      this.addTo(null);
      return true;
    }
    const levels = { Tab: 1, "Shift+Tab": -1 }[key];
    return Boolean(levels) && target === this.#parts.newTitle && this.#indent(levels);
  }

  /** Sets the place of the next task: under `task`, at the end of `section`, or (null) at the end of the list. */
  addTo(target) {
    if (!this.#page.mayEdit) return;
    this.#target = target;
    this.update();
    this.#parts.newTitle.focus();
  }

  /** Called when another list is shown. */
  reset() {
    this.#target = null;
    this.#last = null;
    this.#parts.newTitle.value = "";
  }

  /** Changes the level of the next task. @returns false at the last level, so that Tab leaves the field */
  #indent(direction) {
    const { tasks } = this.#page.list;
    const parent = tasks.get(this.#target?.task?.id);
    if (direction > 0) {
      const last = tasks.get(this.#last);
      if (!last || last === parent) return false;
      this.#target = { task: last };
    } else {
      if (!parent) return false;
      this.#target = parent.parent.isSection ? { section: parent.parent } : { task: parent.parent };
    }
    this.update();
    this.#page.notify(this.#describe(), { isQuiet: true });
    return true;
  }

  update() {
    const { list } = this.#page;
    const { task, section } = this.#target ?? {};
    if ((task && !list.tasks.has(task.id)) || (section && list.section(section.id) === undefined)) {
      this.#target = null;
    }
    const { target, clearTarget } = this.#parts;
    target.textContent = this.#describe();
    clearTarget.hidden = !this.#target;
  }

  #describe() {
    if (this.#target?.task) return `Subtask of ${quoted(this.#target.task.title)}`;
    const sections = this.#page.list?.sections ?? [];
    const section = this.#target?.section ?? sections.at(-1);
    if (section?.id === null && sections.length > 0) return "Before the first section";
    return section?.id ? `At the end of ${quoted(section.title)}` : "At the end of the list";
  }

  #addTask() {
    const title = this.#title();
    if (!title) return;
    const id = makeID();
    const to = this.#destination();
    if (!this.#page.do({ kind: "create", task: { id, title }, to })) return;
    this.#last = id;
    this.#added(id);
  }

  #destination() {
    const { list } = this.#page;
    const { task, section } = this.#target ?? {};
    if (list.tasks.get(task?.id)?.collapsed) this.#page.actions.fold(list.tasks.get(task.id));
    const end = section ?? list.sections.at(-1) ?? list.unsectioned;
    return task ? { parent: task.id } : { section: end.id };
  }

  /** Adds pasted tasks, as one step. */
  #addAll(tasks) {
    const complain = (text) => this.#page.notify(text);
    if (tasks.length > mostPastedTasks) {
      complain(`At most ${mostPastedTasks} lines can be pasted at once.`);
      return;
    }
    if (!tasks.every(({ title }) => fits(title, complain))) return;
    const top = this.#destination();
    const above = [];
    const steps = tasks.map(({ title, done, depth }) => {
      const id = makeID();
      above[depth] = id;
      const to = depth > 0 ? { parent: above[depth - 1] } : { ...top };
      return { kind: "create", task: { id, title, done }, to };
    });
    if (!this.#page.do({ kind: "group", steps })) return;
    this.#last = steps.at(-1).task.id;
    this.#added(this.#last);
  }

  #addSection() {
    const title = this.#title();
    if (!title) return;
    const section = makeID();
    const position = this.#page.list.sections.length;
    if (!this.#page.do({ kind: "section-create", section, title, position })) return;
    this.#target = null;
    this.update();
    this.#added(sectionKey(section));
  }

  #title() {
    const { newTitle } = this.#parts;
    const title = newTitle.value.trim();
    if (title === "") newTitle.focus();
    return title !== "" && fits(title, (text) => this.#page.notify(text)) ? title : null;
  }

  #added(key) {
    this.#parts.newTitle.value = "";
    this.#parts.newTitle.focus();
    if (this.#page.search.isOn) this.#page.search.clear(); // otherwise the new task is perhaps not shown
    this.#page.rows.reveal(key);
  }
}
