// The field at the bottom that adds tasks, subtasks and sections.
import { makeID } from "./api.js";
import { sectionKey } from "./list.js";
import { fits } from "./rename.js";
import { quoted } from "./steps.js";

export class Composer {
  #parts;
  #page;
  #target = null;

  constructor(parts, page) {
    this.#parts = parts;
    this.#page = page;
    parts.composer.addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.submitter === parts.addSection) this.#addSection();
      else this.#addTask();
    });
    parts.composer.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.addTo(null);
    });
    parts.clearTarget.addEventListener("click", () => this.addTo(null));
  }

  /** Sets the place of the next task: under `task`, at the end of `section`, or (null) at the end of the list. */
  addTo(target) {
    this.#target = target;
    this.update();
    this.#parts.newTitle.focus();
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
    const section = this.#target?.section ?? this.#page.list?.sections.at(-1);
    return section ? `At the end of ${quoted(section.title)}` : "At the end of the list";
  }

  #addTask() {
    const title = this.#title();
    if (!title) return;
    const { list } = this.#page;
    const { task, section } = this.#target ?? {};
    const id = makeID();
    if (task?.collapsed) this.#page.fold(list.tasks.get(task.id));
    const end = section ?? list.sections.at(-1) ?? list.unsectioned;
    const to = task ? { parent: task.id } : { section: end.id };
    if (this.#page.do({ kind: "create", task: { id, title }, to })) this.#added(id);
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
    this.#page.rows.reveal(key);
  }
}
