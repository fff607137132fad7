// The field at the bottom that adds tasks, subtasks and sections. Enter adds a task and lets the person type the next one. Beside it
// is where the task goes: the section on the screen, or the place that the person chose.
import { makeID, sectionKey } from "./client.js";
import { draftOf, forgetDraft, keepDraft } from "./drafts.js";
import { onKey } from "./key.js";
import { words } from "./language.js";
import { later } from "./loading.js";
import { linesOf, mostPastedLines, sectionMark } from "./pasted.js";
import { fits } from "./rename.js";
import { quoted, whyDeleted } from "./words.js";

const { composer } = words;
const placeOf = ({ id, title }) => ({ id, title });

export class Composer {
  #parts;
  #page;
  /** The id of the open list. */
  #list = null;
  /** The chosen place of the next task: the id of its parent (`task`) or its `section`, and the `title` of that. */
  #target = null;
  /** The section on the screen, where the next task goes without a target: its `id` and `title`. It stays while the person types. */
  #section = null;
  /** The task that was added last. Tab makes the next one its subtask. */
  #last = null;
  /** The list whose text ends with a kept one, until the person types here. */
  #kept = null;
  /** Offers a due date (`DueOffer`). */
  #offer = null;

  constructor(parts, page) {
    this.#parts = parts;
    this.#page = page;
    parts.composer.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = parts.newTitle.value.trimStart();
      if (sectionMark.test(text)) this.#addSection(text.replace(sectionMark, "").trim());
      else this.#addTask(text.trim());
    });
    onKey(parts.composer, (key, { target }) => this.#key(key, target));
    parts.newTitle.addEventListener("paste", (event) => {
      const lines = linesOf(event.clipboardData.getData("text/plain"));
      const { newTitle } = parts;
      const [{ title, isSection } = {}] = lines;
      if (lines.length < 2 && (!title || isSection || newTitle.value !== "")) return; // an ordinary paste
      event.preventDefault();
      if (lines.length > 1) this.#addAll(lines);
      else newTitle.value = title;
      this.#typed();
    });
    parts.newTitle.addEventListener("input", () => this.#typed());
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

  #typed() {
    this.update();
    this.#keep();
    this.#lookForDue();
  }

  /** Sets the place of the next task: under `task`, at the end of `section`, or (null) at the end of the section on the screen. */
  addTo(target) {
    if (!this.#page.mayEdit) return;
    if (this.#isGone) {
      this.#section = null;
      this.scrolled();
    }
    this.#setTarget(target);
    this.#parts.newTitle.focus();
  }

  /** Lets the person type the title of a section, and see how. */
  beginSection() {
    const { newTitle } = this.#parts;
    if (!sectionMark.test(newTitle.value)) newTitle.value = `# ${newTitle.value}`;
    this.addTo(null);
  }

  #setTarget(target) {
    const { task, section } = target ?? {};
    const { id, title } = task ?? section ?? {};
    this.#target = target && { [task ? "task" : "section"]: id, title };
    this.update();
    this.#keep();
  }

  /** Shows what was typed for a list. */
  show(list) {
    const { text, target, section } = draftOf(list);
    this.#list = list;
    this.#target = target;
    this.#last = null;
    this.#section = text === "" ? null : section;
    this.#write(text);
    if (text || this.#offer) this.#lookForDue();
  }

  #keep() {
    this.#kept = null;
    const { value: text } = this.#parts.newTitle;
    const { due } = text === "" ? { due: null } : draftOf(this.#list);
    const place = { target: this.#target, section: this.#section };
    keepDraft(this.#list, { text, ...place, due, made: null });
  }

  /** Offers a due date for words at the end of the title. */
  async #lookForDue() {
    try {
      const { DueOffer } = await later();
      this.#offer ??= new DueOffer(this.#parts.newTitle, this.#page, () => this.#keep());
      if (this.#page.session) this.#offer.look();
    } catch {
      // Without the server, there is no offer.
    }
  }

  /** Adds a text to what was typed for a list. */
  keep(list, text) {
    const before = draftOf(list).text;
    if (before.trim() === text) return; // it was typed here
    this.#setText(list, [before, text].filter(Boolean).join(" "));
    this.#kept = list;
  }

  /** Adds a text to the one that was kept last for a list. @returns whether there was none */
  keepMore(list, text) {
    if (this.#kept === list) {
      this.#setText(list, draftOf(list).text + text);
      return false;
    }
    this.keep(list, text);
    this.#kept = list;
    return true;
  }

  #setText(list, text) {
    keepDraft(list, { text, made: null });
    if (list === this.#list) this.#write(text);
  }

  /** The field has one line. */
  #write(text) {
    this.#parts.newTitle.value = text.replace(/\s*\n\s*/g, " ");
  }

  /** Changes the level of the next task. @returns false at the last level, so that Tab leaves the field */
  #indent(direction) {
    const { tasks } = this.#page.list;
    const parent = tasks.get(this.#target?.task);
    if (direction > 0) {
      const last = tasks.get(this.#last);
      if (!last || last === parent) return false;
      this.#setTarget({ task: last });
    } else {
      if (!parent) return false;
      const above = parent.parent;
      this.#setTarget(above.isSection ? { section: above } : { task: above });
    }
    this.#page.notify(this.#describe() || composer.atEnd, { isQuiet: true });
    return true;
  }

  /** Called when other rows may be on the screen. */
  scrolled() {
    const { list, rows, isLifting } = this.#page;
    if (!list || isLifting) return;
    if (this.#parts.newTitle.value !== "" && this.#section) return;
    const section = list.sections.length === 0 ? list.unsectioned : rows.lastVisible?.section;
    if (!section || section.id === this.#section?.id) return;
    this.#section = placeOf(section);
    this.update();
  }

  /** Shows the place of the next task. */
  update() {
    const { list } = this.#page;
    if (!list) return;
    const { target, clearTarget, newTitle } = this.#parts;
    const { made } = draftOf(this.#list);
    // The page was closed before the browser forgot the text.
    if (made !== null && (list.tasks.has(made) || list.section(made)))
      this.#setText(this.#list, "");
    const there = this.#section && list.section(this.#section.id);
    if (there) this.#section = placeOf(there);
    else if (newTitle.value === "") this.#section = null;
    else this.#section ??= placeOf(this.#end);
    const text = this.#describe();
    if (target.textContent !== text) target.textContent = text;
    target.parentElement.classList.toggle("gone", this.#isGone);
    clearTarget.hidden = !this.#target && !this.#isGone;
    target.parentElement.hidden = text === "";
  }

  /** Whether the place of the next task was deleted. */
  get #isGone() {
    const { list } = this.#page;
    const { task, section } = this.#target ?? { section: this.#section?.id };
    return task === undefined
      ? section !== undefined && list.section(section) === undefined
      : !list.tasks.has(task);
  }

  get #whyGone() {
    return whyDeleted((this.#target ?? this.#section).title);
  }

  #describe() {
    const { list } = this.#page;
    const { task, section: id } = this.#target ?? {};
    if (sectionMark.test(this.#parts.newTitle.value)) return composer.newSection;
    if (this.#isGone) return this.#whyGone;
    if (task !== undefined) return composer.subtaskOf(quoted(list.tasks.get(task).title));
    if (list.sections.length === 0) return "";
    const section = id === undefined ? this.#end : list.section(id);
    return section.id === null ? composer.beforeSections : composer.addTo(quoted(section.title));
  }

  /** The section in which the next task goes to the end, without a target. */
  get #end() {
    const { list } = this.#page;
    const shown = this.#section && list.section(this.#section.id);
    return shown ?? list.sections.at(-1) ?? list.unsectioned;
  }

  #addTask(title) {
    if (!this.#isTitle(title)) return;
    const id = makeID();
    const { due } = draftOf(this.#list);
    const task = due === null ? { id, title } : { id, title, data: { due } };
    const to = this.#destination();
    if (!to || !this.#page.do({ kind: "create", task, to })) return;
    this.#last = id;
    this.#saved(id);
    this.#added(id);
  }

  /** Where the next task goes; null if its place was deleted: a note says so. */
  #destination() {
    const { list, actions } = this.#page;
    if (this.#isGone) {
      this.#page.notify(composer.chooseAnother(this.#whyGone));
      return null;
    }
    const { task, section } = this.#target ?? {};
    if (list.tasks.get(task)?.collapsed) actions.fold(list.tasks.get(task));
    if (task !== undefined) return { parent: task };
    return { section: section === undefined ? this.#end.id : section };
  }

  /** Adds pasted tasks and sections, as one step. */
  #addAll(lines) {
    const complain = (text) => this.#page.notify(text);
    if (lines.length > mostPastedLines) {
      complain(composer.tooMany(mostPastedLines));
      return;
    }
    if (!lines.every(({ title }) => fits(title, complain))) return;
    let top = lines[0].isSection ? {} : this.#destination();
    if (!top) return;
    const above = [];
    const steps = lines.map(({ title, isSection, done, depth }) => {
      const id = makeID();
      if (isSection) {
        top = { section: id };
        return { kind: "section-create", section: id, title };
      }
      above[depth] = id;
      const to = depth > 0 ? { parent: above[depth - 1] } : { ...top };
      return { kind: "create", task: { id, title, done }, to };
    });
    if (!this.#page.do({ kind: "group", steps, isTyped: true })) return;
    const { task, section } = steps.at(-1);
    const { value } = this.#parts.newTitle;
    this.#last = task?.id ?? null;
    if (lines.some(({ isSection }) => isSection) && value === "") this.#goTo(top.section);
    this.#added(task?.id ?? sectionKey(section));
  }

  /** The next task goes to the end of a new section. */
  #goTo(section) {
    this.#section = placeOf(this.#page.list.section(section));
    this.#setTarget(null);
  }

  #addSection(title) {
    if (!this.#isTitle(title)) return;
    const section = makeID();
    const position = this.#page.list.sections.length;
    if (!this.#page.do({ kind: "section-create", section, title, position })) return;
    this.#goTo(section);
    this.#saved(section);
    this.#added(sectionKey(section));
  }

  #isTitle(title) {
    if (title === "") this.#parts.newTitle.focus();
    return title !== "" && fits(title, (text) => this.#page.notify(text));
  }

  /** The text in the field is the title of something new. */
  #saved(id) {
    this.#kept = null;
    this.#write("");
    keepDraft(this.#list, { made: id });
    forgetDraft(this.#list, { text: "", due: null, made: null });
  }

  #added(key) {
    this.update();
    this.#lookForDue();
    this.#parts.newTitle.focus();
    if (this.#page.search.isOn) this.#page.search.clear(); // otherwise the new task is perhaps not shown
    this.#page.rows.reveal(key);
  }
}
