// What a person does with a row, or with the selected rows: from a button, a key, or the menu of a row.
import { draftOf, keepDraft } from "./drafts.js";
import { words } from "./language.js";
import { later } from "./loading.js";
import { renameInPlace } from "./rename.js";
import { names, quoted } from "./words.js";

export class Actions {
  #page;
  #choice;

  /** @param choice of another place (`PlaceChoice`), which is loaded when it is first used */
  constructor(page, choice, fieldDialog) {
    this.#page = page;
    this.#choice = choice;
    this.fieldDialog = fieldDialog;
  }

  /** The task with this key, or all selected tasks if it is selected or there is no key. */
  tasks(key) {
    const { selected } = this.#page;
    return key === undefined || selected.has(key) ? [...selected.keys] : [key];
  }

  /** Deletes the section or the tasks with this key. */
  delete(key) {
    const page = this.#page;
    const row = page.row(key);
    const tasks = this.tasks(key);
    if (row?.kind === "section") page.do({ kind: "section-delete", section: row.section.id });
    else if (tasks.length > 0 && page.do({ kind: "delete", tasks })) page.selected.clear();
    page.arrange();
  }

  /** Completes the tasks with this key, or marks them as not completed if all of them are completed. */
  toggleDone(key) {
    const tasks = this.tasks(key).filter((id) => this.#page.list.tasks.has(id));
    if (tasks.length > 0) this.complete(tasks, this.isAnyOpen(tasks));
  }

  /** Whether one of the tasks is not completed. */
  isAnyOpen(tasks) {
    return tasks.some((id) => !this.#page.list.tasks.get(id)?.done);
  }

  /** Completes tasks, or marks them as not completed. */
  complete(tasks, done) {
    const steps = tasks.map((task) => ({ kind: "update", task, set: { done } }));
    this.#page.do(steps.length === 1 ? steps[0] : { kind: "group", steps });
    this.#page.selected.clear();
  }

  fold(task) {
    const page = this.#page;
    if (page.search.isOn) return; // it would change nothing that is visible
    page.folding.toggle(task);
    const said = page.folding.isFolded(task) ? words.list.folded : words.list.unfolded;
    page.notify(said(quoted(task.title)), { isQuiet: true });
  }

  /** @param typed a title that was typed before a reload */
  rename(key, typed) {
    const page = this.#page;
    const row = page.row(key);
    if (!row || !page.mayEdit || page.isLifting) return;
    page.rows.reveal(key);
    const { title } = row.task ?? row.section;
    const element = page.rows.element(key);
    renameInPlace(
      element.querySelector(".title"),
      title,
      { list: page.session.id, key, text: typed },
      element,
      (text) => {
        if (text !== undefined && text !== title) {
          page.do(
            row.task
              ? { kind: "update", task: row.task.id, set: { title: text } }
              : { kind: "section-rename", section: row.section.id, title: text },
          );
        }
        page.arrange();
      },
      page.complain,
    );
  }

  /** Continues the editing of a title that a reload has interrupted. If its row has gone, the text is kept. */
  renameAgain(listTitle) {
    const page = this.#page;
    const { id } = page.session;
    const { rename } = draftOf(id);
    if (!rename || !page.mayEdit || document.querySelector(".rename")) return;
    const { key, text } = rename;
    const row = page.row(key);
    const { title } = key === null ? page.list.settings : (row?.task ?? row?.section ?? {});
    if (text === title) keepDraft(id, { rename: null });
    else if (key === null) listTitle.edit(text);
    else if (row) this.rename(key, text);
    else {
      keepDraft(id, { rename: null });
      page.notify(page.acts.keepText(text));
    }
  }

  /** Asks for the list or section to move tasks to. */
  chooseList(tasks) {
    this.#choice.call("ofTasks", tasks);
  }

  /** Asks for the list to move a section with its tasks to. */
  chooseListForSection(section) {
    this.#choice.call("ofSection", section);
  }

  /** Called when the list has changed. */
  keepThoseIn(list) {
    this.#choice.made?.keepThoseIn(list);
  }

  /** Asks when tasks are due. */
  async chooseDue(tasks) {
    const page = this.#page;
    const { session } = page;
    try {
      const { askDue } = await later();
      if (session === page.session) askDue(page, this.fieldDialog, tasks);
    } catch {
      page.notify(words.detail.notLoaded);
    }
  }

  /**
   * @param list the other list's `id` and `title`
   * @param place its `section`, if there is one, and the `name` of that
   */
  async moveToList(tasks, { id, title }, { section, name = title } = {}) {
    const page = this.#page;
    const { session } = page;
    const what = names(page.list, tasks);
    const to = section === undefined ? {} : { section };
    if (!(await session.moveToList(tasks, id, to)) || session !== page.session) return;
    page.selected.clear();
    const undo = { label: words.common.undo, run: () => page.acts.undo() };
    const where = quoted(name || words.common.untitled);
    page.notify(words.steps.movedTo(what, where), { action: undo });
  }
}
